"""A whole class: which submissions there are, which are done, and one writer for what the workers find."""

from __future__ import annotations

import contextlib
import fcntl
import fnmatch
import functools
import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mlcore.course import catalogue
from mlcore.engine import files
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic
from mlcore.grading import courses, feedback, marking, submission
from mlcore.grading.gradebook import Ledger
from mlcore.grading.marking import Result, Task
from mlcore.grading.workers import GivenUp, Outcome, Pool, Rules

BATCH = 32  # submissions in one transaction, at most
BATCH_SECONDS = 1.0


@dataclass(frozen=True)
class Handed:
    """A submission on the disk."""

    topic: Topic
    student: str
    path: Path

    @property
    def key(self) -> tuple[str, str]:
        return self.topic.folder, self.student

    @property
    def moment(self) -> datetime | None:
        """When it was handed in, if the folder says so."""
        from dateutil import parser  # type: ignore[import-untyped]

        try:
            text = submission.read_file(self.path.parent / "timestamp.txt")[:100].decode()
            moment = parser.parse(text)
            return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
        except Exception:  # the file may be the student's: a link, no date, a date before the year 1
            return None


@dataclass
class Summary:
    """What a run did."""

    graded: list[Result] = field(default_factory=list)
    given_up: dict[tuple[str, str], str] = field(default_factory=dict)
    skipped: int = 0  # graded before, and unchanged
    unjudged: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # exercises that failed: see Course

    @property
    def problems(self) -> dict[tuple[str, str], str]:
        return {(r.assignment, r.student): r.problem for r in self.graded if r.problem} | self.given_up


Runner = Callable[[Iterable[Task]], Iterator[tuple[Task, Outcome]]]


@contextlib.contextmanager
def here(workers: int, rules: Rules) -> Iterator[Runner]:
    """Tasks run by processes of this machine."""
    with Pool(workers, rules) as pool:
        yield pool.run


def find(folder: Path, topic: Topic | None = None, student: str = "*") -> list[Handed]:
    """Every submission of the course, in the order of assignments and students."""
    known = {t.folder: t for t in catalogue.topics()}
    if topic and not (folder / "release" / topic.folder).is_dir():
        raise Problem(f"{folder} has no release/{topic.folder}: release it first")
    found = []
    for path in sorted((folder / "submitted").glob("*/*")):
        name = path.parent.name
        wanted = known.get(path.name) if not topic or path.name == topic.folder else None
        if wanted and path.is_dir() and fnmatch.fnmatchcase(name, student) and not name.startswith("."):
            found.append(Handed(wanted, name, path / f"{wanted.slug}.ipynb"))
    return sorted(found, key=lambda handed: handed.key)


class Course:
    """A course folder, its gradebook open, locked against a second grader."""

    def __init__(self, folder: Path, database: str | None = None) -> None:
        self.folder = folder
        self.settings = courses.settings(folder, database)
        self.releases = courses.releases(folder)
        self._lock = _locked(folder)
        self.ledger = Ledger(self.settings.database, self.settings.course_id)
        self.key = secret(folder)

    def __enter__(self) -> Course:
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.__exit__()
        os.close(self._lock)

    def task(self, handed: Handed) -> Task:
        if handed.topic.folder not in self.releases:
            raise Problem(f"{self.folder} has no release/{handed.topic.folder}: release it first")
        data, why = b"", ""
        try:
            if handed.path.parent.is_symlink() or handed.path.parent.parent.is_symlink():
                raise submission.Unreadable("The submission's folder is a link, not a folder.")
            data = submission.read_file(handed.path)
        except submission.Unreadable as error:
            why = str(error)
        release, edition = self.releases[handed.topic.folder], _edition(handed.topic)
        return Task(handed.student, handed.topic.folder, data, release, self.key, edition, why)

    def grade(
        self,
        handed: Sequence[Handed],
        run: Runner,
        tick: Callable[[Task, Outcome], None] = lambda task, outcome: None,
    ) -> Summary:
        """Grade these. What has been recorded survives whatever comes after it."""
        for topic in {h.topic for h in handed}:
            if topic.folder in self.releases:
                self.ledger.announce(topic.folder, topic.slug, self.releases[topic.folder])
        summary = Summary()
        moments = {h.key: h.moment for h in handed}
        waiting: list[Result] = []
        written = time.monotonic()
        try:
            for task, outcome in run(self.task(h) for h in handed):
                if isinstance(outcome, GivenUp):
                    summary.given_up[task.assignment, task.student] = outcome.why
                else:
                    self._give_back(outcome)
                    waiting.append(outcome)
                    summary.graded.append(outcome)
                if len(waiting) >= BATCH or (waiting and time.monotonic() - written > BATCH_SECONDS):
                    self.ledger.record(waiting, moments)
                    waiting, written = [], time.monotonic()
                tick(task, outcome)
        finally:
            if waiting:
                self.ledger.record(waiting, moments)
        return summary

    def todo(self, handed: Sequence[Handed]) -> list[Handed]:
        """Those that are not graded yet, or have changed since."""
        done = {folder: self.ledger.done(folder) for folder in {h.topic.folder for h in handed}}
        return [
            h
            for h in handed
            if h.student not in done[h.topic.folder]
            or not self._autograded(*h.key, h.topic).is_file()
            or done[h.topic.folder][h.student] != self.task(h).fingerprint
        ]

    def unjudged(self, handed: Sequence[Handed]) -> dict[tuple[str, str], list[str]]:
        """The exercises of these that failed themselves and wait for a person: what they said, for each student."""
        among = {h.key for h in handed}
        found: dict[tuple[str, str], list[str]] = {}
        for record in self.ledger.records():
            if (record.assignment, record.student) in among:
                for exercise, why in record.unjudged.items():
                    found.setdefault((record.assignment, exercise), []).append(why)
        return found

    def _autograded(self, assignment: str, student: str, topic: Topic) -> Path:
        return self.folder / "autograded" / student / assignment / f"{topic.slug}.ipynb"

    def give_back(self, assignment: str | None = None) -> int:
        """Every page of the course anew, with the marks and comments that people gave. Returns how many."""
        records = self.ledger.records(assignment)
        if not records:
            raise Problem(f"nothing is graded in {self.folder} yet: run `mlcore grade` first")
        comments = self.ledger.comments()
        for record in records:
            topic = _topic(record.assignment)
            path = self._autograded(record.assignment, record.student, topic)
            try:
                cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            except (OSError, ValueError, KeyError):
                raise Problem(f"{path} is missing or damaged: run `mlcore grade` again") from None
            said = comments.get((record.assignment, record.student), {})
            self._write_page(topic, record.student, cells, record.by_hand, said, record.overruled)
        return len(records)

    def _write_page(self, topic: Topic, student: str, *content: Any) -> None:
        path = self.folder / "feedback" / student / topic.folder / f"{topic.slug}.html"
        files.write(path, feedback.page(topic, student, *content))

    def _give_back(self, result: Result) -> None:
        """The executed notebook for the instructor, the page for the student."""
        topic = _topic(result.assignment)
        path = self._autograded(result.assignment, result.student, topic)
        files.write(path, marking.notebook(result))
        stamp = self.folder / "submitted" / result.student / result.assignment / "timestamp.txt"
        with contextlib.suppress(submission.Unreadable):
            files.write(path.parent / "timestamp.txt", submission.read_file(stamp)[:100])
        blank = {name: 0.0 for name, answered in result.by_hand.items() if not answered}
        self._write_page(topic, result.student, result.cells, blank)


@functools.cache
def _topic(folder: str) -> Topic:
    return next(t for t in catalogue.topics() if t.folder == folder)


@functools.cache
def _edition(topic: Topic) -> str:
    """Changes when the exercises or their mathematics do."""
    own = catalogue.source(topic.slug)
    texts = [own.read_bytes(), *((own.parents[1] / name).read_bytes() for name in (own.name, "numerics.py"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def secret(folder: Path) -> bytes:
    """The course's secret: what the hidden draws come from. Made once, readable by the instructor only."""
    path = folder / ".mlcore" / "key"
    if not path.exists():
        courses.keep_secret(folder, secrets.token_hex(32))
    try:
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        raise Problem(f"{path} is damaged: restore it, or remove it and grade all again with --force") from None


def _locked(folder: Path) -> int:
    (folder / ".mlcore").mkdir(mode=0o700, exist_ok=True)
    lock = os.open(folder / ".mlcore" / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise Problem(f"another mlcore is at work in {folder}: wait for it to end") from None
    return lock
