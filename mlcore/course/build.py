"""From a topic's source to the student's notebook, by way of nbgrader's own release."""

from __future__ import annotations

import hashlib
import html
import logging
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from mlcore.course import catalogue, glossary, source
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic

NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

CODE_STUB = "# your code here"
TEXT_STUB = "*Your explanation here.*"
GLOSSARY = "What the symbols mean: [glossary](../glossary.ipynb)."
HIDDEN_SEED = 1  # the seed of the hidden tests; the student's own check draws with seed 0


def solved(topic: Topic, path: Path) -> NotebookNode:
    """The instructor's notebook, with solutions and hidden tests, as nbgrader wants it."""
    notebook = nbformat.v4.new_notebook(metadata=NOTEBOOK_METADATA)
    pieces = (piece for piece in source.read(topic, path) if piece.role != "symbols")
    notebook.cells = [_cell(piece, topic, path.parent) for piece in pieces]
    _name_cells(notebook)
    return notebook


def _cell(piece: source.Piece, topic: Topic, solutions: Path) -> NotebookNode:
    cell, exercise = piece.cell, piece.exercise
    if cell.cell_type == "code":
        tags = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        new = nbformat.v4.new_code_cell(cell.source, metadata=tags)
    else:
        new = nbformat.v4.new_markdown_cell(cell.source)
    if piece.role == "title":
        new.source = _title(topic, cell.source, solutions)
    if exercise is None:
        return new
    if piece.role == "task":
        by_hand = "" if exercise.parts else ", marked by a person"
        points = f"{exercise.points} {'point' if exercise.points == 1 else 'points'}"
        new.source = f"### {exercise.number} · {exercise.asks}\n*{points}{by_hand}*\n\n{cell.source}{exercise.task()}"
    elif piece.role == "exercise":
        new.metadata["nbgrader"] = _grading(exercise.name, solution=True)
    elif piece.role == "check":
        hidden = re.sub(r"\)\s*$", f", seed={HIDDEN_SEED})", cell.source)
        new.source += f"\n### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
        new.metadata["nbgrader"] = _grading(f"check_{exercise.name}", points=exercise.points, locked=True)
    elif piece.role == "hint":
        new.source = "\n".join(
            f"<details><summary>{_in_html(hint.title)}</summary>\n\n{hint.text}\n\n</details>"
            for hint in exercise.hints
        )
    elif piece.role == "explain":
        new.metadata["nbgrader"] = _grading(exercise.name, points=exercise.points, solution=True)
    return new


def _title(topic: Topic, text: str, solutions: Path) -> str:
    """The head of a notebook: what it asks, how long it takes, and what to know before, with the way there."""
    needs = []
    for i, (slug, what) in enumerate(topic.before.items()):
        if slug not in catalogue.slugs():
            raise Problem(f"{catalogue.at(topic.slug, 'topic')}: `before` names {slug!r}, which is no topic")
        folder = _folder(slug, solutions)
        needs.append(f"{what} ([{'' if i else 'notebook '}{folder[:2]}](../{folder}/{slug}.ipynb))")
    before = f"**{topic.minutes} minutes.** Before: {', '.join(needs) or 'nothing'}."
    return f"# {topic.number:02d} · {topic.title}\n\n*{topic.question}*\n\n{text}\n\n{before}\n\n{GLOSSARY}"


def _folder(slug: str, solutions: Path) -> str:
    """That of another topic. If it cannot be loaded, its source has the name."""
    try:
        return catalogue.load(slug).folder
    except Problem:
        named = [path.stem for path in source.paths(solutions.parent) if path.stem[3:] == slug]
        if not named:
            raise
        return named[0]


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
        raise Problem(
            f"{path.parent.name}/{path.name}:1: nbgrader could not make the release; see `nbgrader generate_assignment`"
        ) from None
    return _tidy(nbformat.read(workplace / "release" / topic.folder / source.name, as_version=4))


def _tidy(notebook: NotebookNode) -> str:
    """No outputs, no leftovers; a check that is not passed yet does not stop `Run All`."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("check_"):
            cell.metadata["tags"] = ["raises-exception"]
    return nbformat.writes(notebook) + "\n"


def glossary_notebook(root: Path) -> str:
    """The glossary as the text of a notebook: one cell, so that its links find their targets."""
    notebook = nbformat.v4.new_notebook(metadata=NOTEBOOK_METADATA)
    notebook.cells = [nbformat.v4.new_markdown_cell(glossary.text(root))]
    _name_cells(notebook)
    return _tidy(notebook)


def build(
    root: Path, check: bool = False, topics: Sequence[Topic] = (), tick: Callable[[], object] = lambda: None
) -> list[Path]:
    """Make every notebook, or those of some topics. Returns those that differ from what was there.

    With `check` nothing is written. If all are made, a notebook that belongs to no topic counts as a difference too.
    What is wrong with one topic is told when the others are done. While one cannot be loaded the glossary stays as it
    is: it would lose that topic's rows.
    """
    changed: list[Path] = []
    wanted: set[Path] = set()
    problems: list[Problem] = []

    def put(target: Path, text: str) -> None:
        wanted.add(target)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            changed.append(target)
            if not check:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")

    for path in [source.solution(topic, root) for topic in topics] or source.paths(root):
        try:
            topic = source.topic_of(path)
            put(root / "notebooks" / topic.path, release(topic, path, root / "build"))
        except Problem as problem:
            problems.append(problem)
        tick()
    if (root / "solutions" / "glossary.md").exists():
        page = root / "notebooks" / "glossary.ipynb"
        wanted.add(page)
        if not catalogue.shelf().broken:
            put(page, glossary_notebook(root))
    if problems:
        raise problems[0]
    if topics:
        return changed
    if told := (*catalogue.shelf().broken, *catalogue.shelf().clashes):
        raise Problem(told[0])
    there = (path for path in (root / "notebooks").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    return changed + sorted(path for path in there if path not in wanted)
