"""What a notebook hands to its checks, found by running its cells with a check that only listens."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import linecache
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
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


def run(cell: str, namespace: dict[str, Any]) -> None:
    """Run a cell as IPython does: its text stays where the source of a function is looked for."""
    name = f"<cell {hashlib.sha256(cell.encode()).hexdigest()[:16]}>"
    linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
    exec(compile(cell, name, "exec"), namespace)


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
                run(cell.source, namespace)
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
    """The answers of the student's notebook, untouched: of a new release, where it is not built yet or out of date."""
    path = places.notebook(topic)
    wanted = {exercise.name for exercise in topic.exercises if exercise.parts}
    if path.is_file():
        answers = _untouched(path.read_text(encoding="utf-8"), str(path.relative_to(places.root())))
        if set(answers) == wanted:
            return answers
    source_path = places.solution(topic, places.root())
    with tempfile.TemporaryDirectory() as folder:
        return _untouched(build.release(topic, source_path, Path(folder)), f"solutions/{source_path.name}")


def _untouched(text: str, shown: str) -> dict[str, tuple[Any, ...]]:
    cells = nbformat.reads(text, as_version=4).cells
    return _answers(cells, [f"{shown}:1: cell {i}" for i in range(1, len(cells) + 1)])
