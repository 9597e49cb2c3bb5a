"""What a notebook hands to its checks, found by running its cells with a check that only listens."""

from __future__ import annotations

import contextlib
import functools
import io
import warnings
from collections.abc import Sequence
from typing import Any

import nbformat
from nbformat import NotebookNode

from mlcore.course import build, places, source
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Checks, Topic


class Recorder:
    """Takes the place of `check`: remembers the answers, says nothing."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[Any, ...]] = {}

    def __getattr__(self, name: str) -> Any:
        def note(*answers: Any, seed: int = 0) -> None:
            if name not in ("hint", "solution"):
                self.answers[name] = answers

        return note


def _answers(cells: Sequence[NotebookNode], lines: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """What the cells hand in, run one after the other; one that fails is told with its line."""
    recorder = Recorder()
    namespace: dict[str, Any] = {"__name__": "notebook"}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for cell, line in zip(cells, lines, strict=True):
            if cell.cell_type != "code":
                continue
            try:
                exec(compile(cell.source, "<cell>", "exec"), namespace)
            except Exception as error:
                says = " ".join(str(error).split())[:200]
                raise Problem(f"{line}: the cell raises {type(error).__name__}: {says}") from error
            if isinstance(namespace.get("check"), Checks):
                namespace["check"] = recorder
    return recorder.answers


@functools.cache
def solutions(topic: Topic) -> dict[str, tuple[Any, ...]]:
    """The answers of the solved notebook."""
    path = places.solution(topic, places.root())
    return _answers(build.solved(topic, path).cells, source.lines_of_cells(topic, path))


@functools.cache
def stubs(topic: Topic) -> dict[str, tuple[Any, ...]]:
    """The answers of the student's notebook, untouched."""
    path = places.notebook(topic)
    place = f"{path.relative_to(places.root())}:1"
    if not path.is_file():
        raise Problem(f"{place}: there is no notebook yet: run `mlcore build {topic.slug}`")
    cells = nbformat.read(path, as_version=4).cells
    answers = _answers(cells, [f"{place}: cell {i}" for i in range(1, len(cells) + 1)])
    if set(answers) != {exercise.name for exercise in topic.exercises if exercise.parts}:
        raise Problem(f"{place}: it has not the exercises of the list: run `mlcore build {topic.slug}`")
    return answers
