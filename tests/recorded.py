"""What a notebook hands to its checks, found by running its cells with a check that only listens."""

from __future__ import annotations

import contextlib
import functools
import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat

from mlcore import build
from mlcore.checks import Checks, Topic

ROOT = Path(__file__).resolve().parents[1]


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
    recorder, namespace = Recorder(), {"__name__": "notebook"}
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
    notebook = build.solved(topic, ROOT / "solutions" / f"{topic.folder}.py")
    return _answers([cell.source for cell in notebook.cells if cell.cell_type == "code"])


@functools.cache
def stubs(topic: Topic) -> dict[str, tuple[Any, ...]]:
    """The answers of the student's notebook, untouched."""
    notebook = nbformat.read(ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb", as_version=4)
    return _answers([cell.source for cell in notebook.cells if cell.cell_type == "code"])
