"""A course folder in nbgrader's layout: configuration, roster, released assignments, due dates."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from mlcore.course import build, catalogue, places, source
from mlcore.engine import files
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic

COLUMNS = ("id", "first_name", "last_name", "email", "lms_user_id")


@dataclass(frozen=True)
class Settings:
    """What nbgrader_config.py of a course says, as far as grading needs it."""

    course_id: str
    database: str


def settings(folder: Path, database: str | None = None) -> Settings:
    """The course's own settings; `database` replaces its gradebook."""
    if not folder.is_dir():
        raise Problem(f"there is no course folder {folder}")
    if not (folder / "submitted").is_dir() and not (folder / "release").is_dir():
        raise Problem(f"{folder} is not a course: it has neither release/ nor submitted/ (see `mlcore course new`)")
    config: dict[str, Any] = {}
    path = folder / "nbgrader_config.py"
    if path.is_file():
        from traitlets.config import ConfigFileNotFound, PyFileConfigLoader

        try:
            config = dict(PyFileConfigLoader(path.name, str(folder)).load_config().get("CourseDirectory", {}))
        except (ConfigFileNotFound, SyntaxError, NameError, TypeError, ValueError, ImportError) as error:
            raise Problem(f"{path} cannot be read: {error}") from None
    url = database or config.get("db_url") or f"sqlite:///{folder.resolve() / 'gradebook.db'}"
    return Settings(str(config.get("course_id") or "default_course"), str(url))


def new(
    folder: Path,
    topics: Sequence[Topic],
    course_id: str = "mlcore",
    roster: Sequence[dict[str, str]] = (),
    due: dict[str, datetime] | None = None,
    database: str | None = None,
    tick: Callable[[], None] = lambda: None,
) -> None:
    """Make a course that nbgrader and formgrader open: the topics' source and release, students and due dates."""
    from mlcore.grading.gradebook import Ledger

    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", course_id):
        raise Problem(f"a course id is a word of letters, digits, - and _, got {course_id!r}")
    if folder.is_file():
        raise Problem(f"{folder} is a file: a new course needs a new folder")
    if folder.exists() and any(folder.iterdir()):
        raise Problem(f"{folder} is not empty: a new course needs a new folder")
    if strangers := sorted(set(due or ()) - {topic.folder for topic in topics}):
        raise Problem(f"{strangers[0]} has a due date and is not among the topics")
    sources = {topic.folder: source.solution(topic, places.root()) for topic in topics}
    folder.mkdir(parents=True, exist_ok=True)
    url = database or f"sqlite:///{folder.resolve() / 'gradebook.db'}"
    with Ledger(url, course_id) as ledger:
        files.write(folder / "nbgrader_config.py", _config(course_id, database))
        ledger.enrol(roster)
        for topic in topics:
            text = build.release(topic, sources[topic.folder], folder)
            files.write(folder / "release" / topic.path, text)
            ledger.announce(topic.folder, topic.slug, text, (due or {}).get(topic.folder))
            tick()


def keep_secret(folder: Path, key: str) -> None:
    """What the course's hidden draws come from, readable by the instructor only."""
    path = folder / ".mlcore" / "key"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    files.write(path, key)
    path.chmod(0o600)


def _config(course_id: str, database: str | None) -> str:
    lines = [
        "# A course made by `mlcore course new`. nbgrader and formgrader read this file; so does `mlcore grade`.",
        "c = get_config()  # noqa: F821",
        "",
        f"c.CourseDirectory.course_id = {course_id!r}",
        "c.CourseDirectory.root = __import__('os').path.dirname(__import__('os').path.abspath(__file__))",
    ]
    if database:
        lines.append(f"c.CourseDirectory.db_url = {database!r}")
    lines += [
        f"c.ClearSolutions.code_stub = {{'python': {build.CODE_STUB!r}}}",
        f"c.ClearSolutions.text_stub = {build.TEXT_STUB!r}",
    ]
    return "\n".join(lines) + "\n"


def read_roster(path: Path) -> list[dict[str, str]]:
    """The students of a CSV file: a column `id`, and first_name, last_name, email, lms_user_id if there are any."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise Problem(f"there is no roster {path}") from None
    except UnicodeDecodeError:
        raise Problem(f"{path} is not in UTF-8: save it as CSV UTF-8") from None
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}") from None
    first, _, _ = text.partition("\n")
    rows = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=first.count))  # as Excel writes it, anywhere
    rows.fieldnames = [name.strip().lower() for name in rows.fieldnames or ()]
    if "id" not in rows.fieldnames:
        got = ", ".join(rows.fieldnames) or "nothing"
        raise Problem(f"{path}: the first line must name the columns, one of them `id`; got {got}")
    students: list[dict[str, str]] = []
    seen: set[str] = set()
    for row in rows:
        if not any(map(str.strip, (value for value in row.values() if isinstance(value, str)))):
            continue
        student = (row["id"] or "").strip()
        if not re.fullmatch(r"[\w@-][\w.@-]*", student):
            raise Problem(f"{path}, line {rows.line_num}: {student!r} cannot be a student's id")
        if student in seen:
            raise Problem(f"{path}, line {rows.line_num}: the id {student!r} is there twice")
        seen.add(student)
        students.append({key: (row.get(key) or "").strip() for key in COLUMNS if row.get(key)} | {"id": student})
    return students


def read_due(texts: Sequence[str]) -> dict[str, datetime]:
    """Due dates written as TOPIC=2026-12-01 or TOPIC=2026-12-01T18:00, in UTC."""
    due = {}
    for text in texts:
        name, equals, when = text.partition("=")
        if not equals:
            raise Problem(f"a due date is written as TOPIC=2026-12-01, got {text!r}")
        try:
            moment = datetime.fromisoformat(when)
            if len(when) == 10:
                moment = datetime.combine(date.fromisoformat(when), time(23, 59))
        except ValueError:
            raise Problem(f"{when!r} is not a date; write it as 2026-12-01 or 2026-12-01T18:00") from None
        if moment.tzinfo:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
        due[catalogue.find(name).folder] = moment
    return due


def releases(folder: Path) -> dict[str, str]:
    """The released notebook of every assignment of the course that is a topic of ours."""
    found = {}
    for path in sorted((folder / "release").glob("*/*.ipynb")):
        try:
            text = path.read_text(encoding="utf-8")
            json.loads(text)["cells"]
        except (OSError, ValueError, KeyError, TypeError):
            raise Problem(f"{path} is not a readable notebook: release it again") from None
        found[path.parent.name] = text
    return found
