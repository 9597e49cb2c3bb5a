"""What a student hands in: the notebook without its outputs, after a look at what would be graded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from mlcore.course import catalogue, runner
from mlcore.course.build import TEXT_STUB
from mlcore.engine import files
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic


@dataclass(frozen=True)
class Text:
    """An explanation, and whether there is one."""

    name: str
    points: float
    written: bool


def explanations(notebook: NotebookNode) -> list[Text]:
    """The answers that a person will mark."""
    found = []
    for cell in notebook.cells:
        grading = cell.metadata.get("nbgrader", {})
        if grading.get("grade") and grading.get("solution"):
            written = cell.source.strip() not in ("", TEXT_STUB)
            found.append(Text(grading["grade_id"], grading["points"], written))
    return found


def topic_of(notebook: NotebookNode, path: Path) -> Topic:
    """The topic whose checks these are, whatever the file is called: a second download is `ridge (1).ipynb`."""
    checks = {c.metadata.nbgrader.grade_id.removeprefix("check_") for c in notebook.cells if runner.is_check(c)}
    for topic in catalogue.topics():
        if any(e.name in checks for e in topic.exercises):
            return topic
    raise Problem(f"{path} has no checks: is it a notebook of the course?")


def write(notebook: NotebookNode, topic: Topic, folder: Path) -> Path:
    """The file to hand in, in nbgrader's layout."""
    target = folder / topic.path
    bare = nbformat.from_dict({**notebook, "cells": [_bare(cell) for cell in notebook.cells]})
    try:
        files.write(target, nbformat.writes(bare) + "\n")
    except OSError as error:
        raise Problem(f"{target} cannot be written: {error.strerror}") from None
    return target


def _bare(cell: NotebookNode) -> NotebookNode:
    return NotebookNode({**cell, "outputs": [], "execution_count": None}) if cell.cell_type == "code" else cell
