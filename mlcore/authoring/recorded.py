"""What a notebook hands to its checks, found by running its cells with a check that only listens."""

from __future__ import annotations

import contextlib
import functools
import io
import warnings
from collections.abc import Sequence
from typing import Any

import nbformat

from mlcore.course import build, places
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


def _answers(sources: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    recorder = Recorder()
    namespace: dict[str, Any] = {"__name__": "notebook"}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for source in sources:
            exec(compile(source, "<cell>", "exec"), namespace)
            if isinstance(namespace.get("check"), Checks):
                namespace["check"] = recorder
    return recorder.answers


@functools.cache
def solutions(topic: Topic) -> dict[str, tuple[Any, ...]]:
    """The answers of the solved notebook."""
    notebook = build.solved(topic, places.solution(topic, places.root()))
    return _answers([cell.source for cell in notebook.cells if cell.cell_type == "code"])


@functools.cache
def stubs(topic: Topic) -> dict[str, tuple[Any, ...]]:
    """The answers of the student's notebook, untouched."""
    notebook = nbformat.read(places.notebook(topic), as_version=4)
    return _answers([cell.source for cell in notebook.cells if cell.cell_type == "code"])
