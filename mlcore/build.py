"""From `solutions/NN_<slug>.py` to the student's notebook, by way of nbgrader's own release.

A solution file is a notebook in the percent format. A cell's title says what it is:

    # %% title [markdown]             the head of the notebook, after the topic's own data
    # %% task NAME [markdown]         the text of an exercise; its number and points are put above it
    # %% exercise NAME                the student's cell: between BEGIN and END SOLUTION stands what is theirs
    # %% check                        the check of the exercise above
    # %% hint [markdown]              the folds with the hints of the exercise above
    # %% explain NAME [markdown]      a free text, marked by a person

`solutions/glossary.md` is no topic: it becomes `notebooks/glossary.ipynb`, to which every title links.
"""

from __future__ import annotations

import hashlib
import html
import logging
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from mlcore import course
from mlcore.checks import Topic, _catalogue
from mlcore.checks._exercises import Exercise
from mlcore.errors import Problem

CODE_STUB = "# your code here"
TEXT_STUB = "*Your explanation here.*"
GLOSSARY = "What the symbols mean: [glossary](../glossary.ipynb)."
HIDDEN_SEED = 1  # the seed of the hidden tests; the student's own check draws with seed 0


def sources(root: Path) -> list[tuple[Topic, Path]]:
    """Every topic with its solution file."""
    found = []
    for path in sorted((root / "solutions").glob("*.py")):
        topic = course.find(path.stem)
        if topic.folder != path.stem:
            raise Problem(f"{path.name}: the topic's own name is {topic.folder}")
        found.append((topic, path))
    return found


def solved(topic: Topic, path: Path) -> NotebookNode:
    """The instructor's notebook, with solutions and hidden tests, as nbgrader wants it."""
    import jupytext

    exercises = {e.name: e for e in _catalogue.exercises(topic)}
    notebook = nbformat.v4.new_notebook()
    current: Exercise | None = None
    for cell in jupytext.read(path, fmt="py:percent").cells:
        role, _, name = cell.metadata.pop("title", "").partition(" ")
        if name:
            if name not in exercises:
                raise Problem(f"{path.name}: there is no exercise {name!r} in mlcore/checks/{topic.slug}.py")
            current = exercises[name]
        if role not in ("", "title") and current is None:
            raise Problem(f"{path.name}: a {role!r} cell before the first exercise")
        notebook.cells.append(_cell(role, cell, topic, current))
    _name_cells(notebook)
    notebook.metadata = course.NOTEBOOK_METADATA
    return notebook


def _cell(role: str, cell: NotebookNode, topic: Topic, exercise: Exercise | None) -> NotebookNode:
    tags = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
    if cell.cell_type == "code":
        new = nbformat.v4.new_code_cell(cell.source, metadata=tags)
    else:
        new = nbformat.v4.new_markdown_cell(cell.source)
    if role == "":
        return new
    if role == "title":
        new.source = f"# {topic.number:02d} · {topic.title}\n\n*{topic.question}*\n\n{cell.source}\n\n{GLOSSARY}"
        return new
    assert exercise is not None
    if role == "task":
        by_hand = "" if exercise.parts else ", marked by a person"
        points = f"{exercise.points} {'point' if exercise.points == 1 else 'points'}"
        new.source = f"### {exercise.number} · {exercise.asks}\n*{points}{by_hand}*\n\n{cell.source}{exercise.task()}"
    elif role == "exercise":
        new.metadata["nbgrader"] = _grading(exercise.name, solution=True)
    elif role == "check":
        if f"check.{exercise.name}(" not in cell.source:
            raise Problem(f"{topic.folder}: the check cell after {exercise.name} does not check it")
        hidden = re.sub(r"\)\s*$", f", seed={HIDDEN_SEED})", cell.source)
        new.source += f"\n### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
        new.metadata["nbgrader"] = _grading(f"check_{exercise.name}", points=exercise.points, locked=True)
    elif role == "hint":
        new.source = "\n".join(
            f"<details><summary>{_in_html(hint.title)}</summary>\n\n{hint.text}\n\n</details>"
            for hint in exercise.hints
        )
    elif role == "explain":
        new.metadata["nbgrader"] = _grading(exercise.name, points=exercise.points, solution=True)
    else:
        raise Problem(f"{topic.folder}: unknown kind of cell {role!r}")
    return new


def _in_html(title: str) -> str:
    """A title inside an HTML tag, where Markdown does not reach: `code` and < are written out."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(title, quote=False))


def _grading(grade_id: str, points: int | None = None, solution: bool = False, locked: bool = False) -> dict:
    metadata = {
        "grade": points is not None,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return metadata if points is None else metadata | {"points": points}


def _name_cells(notebook: NotebookNode) -> None:
    """Ids that depend on the content alone, so that a rebuild gives the same bytes."""
    seen: set[str] = set()
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        name = name.replace("_", "-") if name else hashlib.sha256(cell.source.encode()).hexdigest()[:8]
        while name in seen:
            name += "x"
        seen.add(name)
        cell.id = name


def release(topic: Topic, path: Path, workplace: Path) -> str:
    """The student's notebook as text, made by nbgrader's generate_assignment in `workplace`."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    source = workplace / "source" / topic.folder / f"{topic.slug}.ipynb"
    source.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(solved(topic, path), source)
    shutil.rmtree(workplace / "release" / topic.folder, ignore_errors=True)
    config = Config()
    config.CourseDirectory.root = str(workplace.resolve())
    config.CourseDirectory.assignment_id = topic.folder
    config.ClearSolutions.code_stub = {"python": CODE_STUB}
    config.ClearSolutions.text_stub = TEXT_STUB
    config.SaveCells.enabled = False  # no gradebook is needed to make a release
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config, no_database=True)
    converter.log.setLevel(logging.CRITICAL)
    try:
        converter.start()
    except NbGraderException:
        raise Problem(f"{path.name}: nbgrader could not make the release; see `nbgrader generate_assignment`") from None
    return _tidy(nbformat.read(workplace / "release" / topic.folder / source.name, as_version=4))


def _tidy(notebook: NotebookNode) -> str:
    """No outputs, no leftovers; a check that is not passed yet does not stop `Run All`."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("check_"):
            cell.metadata["tags"] = ["raises-exception"]
    return nbformat.writes(notebook) + "\n"


def glossary(path: Path) -> str:
    """The glossary as the text of a notebook: one cell, so that its links find their targets."""
    notebook = nbformat.v4.new_notebook(metadata=course.NOTEBOOK_METADATA)
    notebook.cells = [nbformat.v4.new_markdown_cell(path.read_text(encoding="utf-8").strip())]
    _name_cells(notebook)
    return _tidy(notebook)


def made(root: Path) -> Iterator[tuple[Path, str]]:
    """Every notebook that solutions/ gives: where it belongs, and its text."""
    for topic, path in sources(root):
        yield root / "notebooks" / topic.folder / f"{topic.slug}.ipynb", release(topic, path, root / "build")
    if (path := root / "solutions" / "glossary.md").exists():
        yield root / "notebooks" / "glossary.ipynb", glossary(path)


def build(root: Path, check: bool = False) -> list[Path]:
    """Make every notebook. Returns those that differ from what was there; with `check` nothing is written."""
    changed = []
    wanted = set()
    for target, text in made(root):
        wanted.add(target)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            changed.append(target)
            if not check:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
    there = (path for path in (root / "notebooks").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    return changed + sorted(path for path in there if path not in wanted)
