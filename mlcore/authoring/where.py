"""Where in a topic's files something stands, as `mlcore/checks/ridge.py:210`: for whoever has to mend it."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

from mlcore.course import catalogue
from mlcore.engine.exercises import Topic
from mlcore.engine.exercises.exercise import Exercise


def exercise(topic: Topic, exercise: Exercise) -> str:
    return catalogue.at(topic.slug, exercise.name)


def mistake(topic: Topic, exercise: Exercise, index: int) -> str:
    """The call of `Mistake` (or of `Option`, for a choice) that the catalogue counts as number `index`."""
    return _at(topic.slug, _nth(topic.slug, exercise, "Mistake", index, len(exercise.mistakes)))


def alternative(topic: Topic, exercise: Exercise, index: int) -> str:
    return _at(topic.slug, _nth(topic.slug, exercise, "Alternative", index, len(exercise.alternatives)))


def topic(topic: Topic) -> str:
    return catalogue.at(topic.slug, "topic")


def explorer(kind: type) -> str:
    """The class of an explorer."""
    room, slug = kind.__module__.split(".")[-2:]
    path = catalogue.source(slug).parents[1] / room / f"{slug}.py"
    found = [n.lineno for n in _tree(path).body if isinstance(n, ast.ClassDef) and n.name == kind.__name__]
    return f"mlcore/{room}/{slug}.py:{found[0] if found else 1}"


def _at(slug: str, line: int) -> str:
    return f"mlcore/checks/{slug}.py:{line}"


def _nth(slug: str, exercise: Exercise, name: str, index: int, count: int) -> int:
    """The line of a call within an exercise; that of the exercise if it was made elsewhere."""
    first = catalogue.assigned(slug).get(exercise.name, 1)
    for node in _tree(catalogue.source(slug)).body:
        if node.lineno == first:
            calls = (n for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
            lines = sorted(call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == name)
            if len(lines) == count:
                return lines[index]
    return first


@functools.lru_cache(maxsize=8)
def _parsed(path: Path, changed: float) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _tree(path: Path) -> ast.Module:
    return _parsed(path, path.stat().st_mtime)
