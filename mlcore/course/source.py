"""A notebook's source, `solutions/NN_<slug>.py`: read, and compared with the topic's list of exercises.

The source is a notebook in the percent format. A cell's title says what it is:

    # %% title [markdown]             the head of the notebook, after the topic's own data
    # %% task NAME [markdown]         the text of an exercise; its number and points are put above it
    # %% exercise NAME                the student's cell: between BEGIN and END SOLUTION stands what is theirs
    # %% check                        the check of the exercise above
    # %% hint [markdown]              the folds with the hints of the exercise above
    # %% explain NAME [markdown]      a free text, marked by a person
    # %% symbols SECTION [markdown]   rows for the glossary; they are not part of the notebook

Whatever does not fit is told in one line, with the file and the line.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from mlcore.course import catalogue, places
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic
from mlcore.engine.exercises.exercise import Exercise

ANSWERED = ("task", "exercise", "check", "hint")  # the cells of an exercise, in this order
WRITTEN = ("task", "explain")  # and of an explanation
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


@dataclass(frozen=True)
class Piece:
    """A cell of the source: what it is, where it stands, and the exercise that it belongs to."""

    role: str
    name: str
    line: int
    cell: NotebookNode
    exercise: Exercise | None = None


def paths(root: Path) -> list[Path]:
    """Every source, in the order of the numbers."""
    return sorted((root / "solutions").glob("*.py"))


def sources(root: Path) -> list[tuple[Topic, Path]]:
    """Every topic that has a source, with it."""
    return [(topic_of(path), path) for path in paths(root)]


def topic_of(path: Path) -> Topic:
    """The topic of a source, by the name of the file."""
    _number, _, slug = path.stem.partition("_")
    if slug not in catalogue.slugs():
        raise Problem(f"{_shown(path)}:1: there is no topic {slug!r}: mlcore/checks/{slug}.py is missing")
    topic = catalogue.load(slug)
    if topic.folder != path.stem:
        raise Problem(f"{_shown(path)}:1: {slug} has the number {topic.number}: call the file {topic.folder}.py")
    return topic


def read(topic: Topic, path: Path) -> list[Piece]:
    """The cells of a source, every exercise of the topic in its place."""
    import jupytext

    text = path.read_text(encoding="utf-8")
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise Problem(f"{_shown(path)}:{error.lineno}: SyntaxError: {error.msg}") from None
    cells = jupytext.reads(text, fmt="py:percent").cells
    lines = _lines(text, len(cells))
    pieces = list(_pieces(topic, path, zip(cells, lines, strict=True)))
    for piece in pieces:
        _examine(path, piece)
    _compare(topic, path, pieces)
    return pieces


def lines_of_cells(topic: Topic, path: Path) -> list[str]:
    """Where each cell of the notebook that is made from a source begins, as `solutions/05_ridge.py:210`."""
    return [f"{_shown(path)}:{piece.line}" for piece in read(topic, path) if piece.role != "symbols"]


def _lines(text: str, count: int) -> list[int]:
    """Where each cell begins. Text above the first mark is a cell of its own."""
    marks = [i for i, line in enumerate(text.splitlines(), start=1) if line.startswith("# %%")]
    return marks if len(marks) == count else [1, *marks][:count]


def _pieces(topic: Topic, path: Path, cells: Iterator[tuple[NotebookNode, int]]) -> Iterator[Piece]:
    exercises = {e.name: e for e in topic.exercises}
    current: Exercise | None = None
    for cell, line in cells:
        role, _, name = cell.metadata.pop("title", "").partition(" ")
        if role in ("", "title", "symbols"):
            yield Piece(role, name, line, cell)
            continue
        if role not in (*ANSWERED, *WRITTEN):
            raise Problem(f"{_shown(path)}:{line}: unknown kind of cell {role!r}")
        if name:
            if name not in exercises:
                raise Problem(f"{_shown(path)}:{line}: there is no exercise {name!r} in mlcore/checks/{topic.slug}.py")
            current = exercises[name]
        if current is None:
            raise Problem(f"{_shown(path)}:{line}: a {role!r} cell before the first exercise")
        yield Piece(role, current.name, line, cell, current)


def _examine(path: Path, piece: Piece) -> None:
    """Is the cell, by itself, what its title says?"""
    at = f"{_shown(path)}:{piece.line}"
    source = piece.cell.source
    if piece.role == "check" and f"check.{piece.name}(" not in source:
        raise Problem(f"{at}: the check cell after {piece.name} does not check it")
    marks = re.findall(r"### (BEGIN|END) SOLUTION", source)
    if marks != ["BEGIN", "END"] * (len(marks) // 2) or len(marks) % 2:
        raise Problem(f"{at}: {BEGIN} and {END} must stand in pairs, one after the other")
    if piece.role == "exercise" and not marks:
        raise Problem(f"{at}: the cell of {piece.name} has no {BEGIN}: nothing would be left to the student")
    if piece.role in ("task", "hint", "explain", "title", "symbols") and piece.cell.cell_type != "markdown":
        raise Problem(f"{at}: a {piece.role!r} cell is text: write `# %% {piece.role} {piece.name} [markdown]`")


def _compare(topic: Topic, path: Path, pieces: Sequence[Piece]) -> None:
    """Every exercise once, whole, and in the order of the topic's list."""
    shown, declared = _shown(path), f"mlcore/checks/{topic.slug}.py"
    if not pieces or pieces[0].role != "title" or sum(piece.role == "title" for piece in pieces) != 1:
        raise Problem(
            f"{shown}:{pieces[0].line if pieces else 1}: a notebook begins with its one `# %% title [markdown]`"
        )
    placed = [piece for piece in pieces if piece.exercise]
    found: list[str] = []
    for name, group in itertools.groupby(placed, key=lambda piece: piece.name):
        cells = list(group)
        wanted = ANSWERED if cells[0].exercise and cells[0].exercise.parts else WRITTEN
        if name in found:
            raise Problem(f"{shown}:{cells[0].line}: {name} is here twice: its cells stand together, and once")
        found.append(name)
        for role, piece in itertools.zip_longest(wanted, cells):
            if piece is None:
                raise Problem(
                    f"{shown}:{cells[-1].line}: {name} has no {role!r} cell; its cells are {', '.join(wanted)}"
                )
            if piece.role != role:
                raise Problem(
                    f"{shown}:{piece.line}: a {piece.role!r} cell of {name} in the place of "
                    f"{f'the {role!r} cell' if role else 'none'}: its cells are {', '.join(wanted)}"
                )
    names = [exercise.name for exercise in topic.exercises]
    for name in names:
        if name not in found:
            raise Problem(f"{catalogue.at(topic.slug, name)}: {name} has no cells in {shown}")
    for wanted_name, name in zip(names, found, strict=True):
        if wanted_name != name:
            line = next(piece.line for piece in placed if piece.name == name)
            raise Problem(f"{shown}:{line}: {name} stands where the list in {declared} has {wanted_name}")


def _shown(path: Path) -> str:
    """`solutions/05_ridge.py`."""
    return f"{path.parent.name}/{path.name}"


def solution(topic: Topic, root: Path) -> Path:
    """The source of a topic, or one line that says that there is none."""
    path = places.solution(topic, root)
    if not path.is_file():
        raise Problem(f"{catalogue.at(topic.slug, 'topic')}: there is no {_shown(path)}")
    return path
