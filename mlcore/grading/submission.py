"""A submitted file as a notebook whose graded cells are those of the release, whatever was done to it.

A student's notebook arrives with cells deleted, copied, moved, retyped or edited, by accident or on purpose. What is
theirs (the answers and their own cells) is kept; what is the course's (the checks and all metadata) comes from the
release.
"""

from __future__ import annotations

import ast
import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlcore.grading.wire import writable

LARGEST = 20 << 20  # bytes of a submitted notebook
MOST_CELLS = 2000
CHECK = "check_"

Cell = dict[str, Any]


class Unreadable(Exception):
    """The file cannot be graded; the message is one line for student and instructor."""


def read_file(path: Path) -> bytes:
    """The bytes of a submission. No links are followed: a link may point at another student's work."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise Unreadable(f"{path.name} is missing.") from None
    except OSError as error:
        link = "is a link, not a file" if path.is_symlink() else f"cannot be read: {error.strerror}"
        raise Unreadable(f"{path.name} {link}.") from None
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        raise Unreadable(f"{path.name} is not a file.")
    with os.fdopen(descriptor, "rb") as file:
        if about.st_size > LARGEST:
            raise Unreadable(f"{path.name} has {about.st_size >> 20} MB; the limit is {LARGEST >> 20} MB.")
        return file.read(LARGEST)


def parse(data: bytes) -> list[Cell]:
    """The cells of a notebook, or `Unreadable`."""
    if not data.strip():
        raise Unreadable("The file is empty.")
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("The file is not text in UTF-8.") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"The file is not a notebook: {str(error)[:100]}.") from None
    if isinstance(notebook, dict) and notebook.get("nbformat") in (1, 2, 3):
        notebook = _upgraded(notebook)
    if not isinstance(notebook, dict) or not isinstance(cells := notebook.get("cells"), list):
        raise Unreadable("The file is not a notebook: it has no cells.")
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"The notebook has {len(cells):,} cells; the limit is {MOST_CELLS:,}.")
    return [plain(cell) for cell in cells if isinstance(cell, dict)]


def _upgraded(notebook: dict) -> Any:
    import nbformat

    try:
        old = nbformat.reader.reads(json.dumps(notebook))
        return json.loads(nbformat.writes(nbformat.convert(old, 4)))
    except Exception:  # nbformat raises many kinds for what is not a notebook, and quotes it
        raise Unreadable("The file is an old notebook that cannot be converted.") from None


def plain(cell: dict) -> Cell:
    """Type, id, source and nbgrader's metadata, each of the type that it must have; no outputs."""
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    metadata = cell.get("metadata")
    grading = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    kind = cell.get("cell_type")
    new: Cell = {
        "cell_type": kind if kind in ("code", "markdown", "raw") else "markdown",
        "id": writable(str(cell.get("id", ""))[:64]),
        "source": writable(source) if isinstance(source, str) else "",
        "grade_id": grading.get("grade_id") if isinstance(grading, dict) else None,
    }
    if not isinstance(new["grade_id"], str):
        new["grade_id"] = None
    return new


@dataclass(frozen=True)
class Place:
    """A graded cell of the release: an exercise's answer or its check."""

    grade_id: str
    cell: Cell
    names: frozenset[str]  # what an answer defines, or what a check checks

    @property
    def is_check(self) -> bool:
        return self.grade_id.startswith(CHECK)


class Release:
    """The released notebook of a topic: the places of its answers and checks."""

    def __init__(self, text: str) -> None:
        self.cells: list[Cell] = json.loads(text)["cells"]
        for cell in self.cells:
            if isinstance(cell["source"], list):
                cell["source"] = "".join(cell["source"])
        self.places: dict[str, Place] = {}
        for cell in self.cells:
            if name := cell["metadata"].get("nbgrader", {}).get("grade_id"):
                self.places[name] = Place(name, cell, _names(cell))
        self.given = {cell["source"] for cell in self.cells if "nbgrader" not in cell["metadata"]}

    def answers(self, exercise: str) -> list[str]:
        """What the check of an exercise is given: the expressions between its brackets."""
        call = ast.parse(self.places[CHECK + exercise].cell["source"]).body[-1]
        assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)
        return [ast.unparse(argument) for argument in call.value.args]


def _names(cell: Cell) -> frozenset[str]:
    """The names by which a cell that lost its metadata is known again."""
    if cell["cell_type"] != "code":
        return frozenset()
    found = re.findall(r"^(?:def\s+(\w+)|check\.(\w+)\(|(\w+)\s*=)", cell["source"], re.MULTILINE)
    return frozenset(f"check.{check}" if check else function or value for function, check, value in found)


def mend(cells: list[Cell], release: Release) -> tuple[list[Cell], list[str]]:
    """The submission with every graded cell of the release in its place, and a line for each repair."""
    owners = _owners(cells, release)
    if not owners:
        raise Unreadable("This is not the notebook of the assignment: none of its graded cells is there.")
    notes: list[str] = []
    where = {index: name for name, index in owners.items()}
    mended: list[Cell] = []
    for index, cell in enumerate(cells):
        if name := where.get(index):
            mended.append(_restored(cell, release.places[name], notes))
        elif cell["grade_id"] in release.places and cell["grade_id"].startswith(CHECK):
            notes.append(f"A second copy of {cell['grade_id']} was left out.")
        else:
            mended.append({**cell, "grade_id": None})
    _add_missing(mended, release, notes)
    _order(mended, release, notes)
    return mended, notes


def _owners(cells: list[Cell], release: Release) -> dict[str, int]:
    """For each graded cell of the release the submission's cell: by its metadata, its id, or what it defines."""
    found: dict[str, int] = {}
    for index, cell in enumerate(cells):
        if cell["grade_id"] in release.places:
            found.setdefault(cell["grade_id"], index)
    ids = {place.cell.get("id"): name for name, place in release.places.items()}
    for index, cell in enumerate(cells):
        name = ids.get(cell["id"])
        if cell["grade_id"] is None and name and index not in found.values():
            found.setdefault(name, index)
    for name, place in release.places.items():
        if name in found or not place.names:
            continue
        for index, cell in enumerate(cells):
            if cell["grade_id"] is None and index not in found.values() and place.names <= _names(cell):
                found[name] = index
                break
    return found


def _restored(cell: Cell, place: Place, notes: list[str]) -> Cell:
    name = place.grade_id
    if cell["cell_type"] != place.cell["cell_type"]:
        notes.append(f"{name} had become a {cell['cell_type']} cell; it is a {place.cell['cell_type']} cell again.")
    if cell["grade_id"] != name:
        notes.append(f"{name} had lost its metadata; they are restored.")
    source = cell["source"]
    if place.is_check and source.strip() != place.cell["source"].strip():
        notes.append(f"{name} had been edited; the check of the release is used.")
    if place.is_check:
        source = place.cell["source"]
    return {"cell_type": place.cell["cell_type"], "id": cell["id"], "source": source, "grade_id": name}


def _add_missing(cells: list[Cell], release: Release, notes: list[str]) -> None:
    """A graded cell that is not there comes back, empty, behind the one that stands before it in the release."""
    after = -1
    for name, place in release.places.items():
        index = next((i for i, cell in enumerate(cells) if cell["grade_id"] == name), None)
        if index is None:
            index = after + 1
            new = {key: place.cell[key] for key in ("cell_type", "source")}
            cells.insert(index, new | {"id": place.cell.get("id", ""), "grade_id": name})
            notes.append(f"{name} was missing; it is put back as released.")
        after = index


def _order(cells: list[Cell], release: Release, notes: list[str]) -> None:
    """A check stands behind its answer."""
    for name, place in release.places.items():
        if not place.is_check:
            continue
        index = {cell["grade_id"]: i for i, cell in enumerate(cells)}
        answer = index[name.removeprefix(CHECK)]
        if index[name] < answer:
            cells.insert(answer, cells.pop(index[name]))
            notes.append(f"{name} stood before its answer; it is moved behind it.")


def only_shows(source: str) -> bool:
    """Does this cell change nothing: expressions only?"""
    try:
        return all(isinstance(statement, ast.Expr) for statement in ast.parse(source).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
