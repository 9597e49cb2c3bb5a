"""Where in a topic's files something stands, as `mlcore/checks/ridge.py:210`: for whoever has to mend it."""

from __future__ import annotations

import ast
from typing import TypeGuard

from mlcore.course import catalogue, places
from mlcore.engine.exercises import Choice, Topic
from mlcore.engine.exercises.exercise import Exercise


def exercise(topic: Topic, exercise: Exercise) -> str:
    return catalogue.at(topic.slug, exercise.name)


def mistake(topic: Topic, exercise: Exercise, index: int) -> str:
    """The call of `Mistake` (or of `Option`, for a choice) that the catalogue counts as number `index`."""
    node = _node(topic.slug, exercise)
    lines = _wrong_options(node) if isinstance(exercise, Choice) else _calls(node, "Mistake")
    return _nth(topic, exercise, lines, index, len(exercise.mistakes))


def alternative(topic: Topic, exercise: Exercise, index: int) -> str:
    lines = _calls(_node(topic.slug, exercise), "Alternative")
    return _nth(topic, exercise, lines, index, len(exercise.alternatives))


def solution(topic: Topic, exercise: Exercise) -> str:
    """The cell of the notebook's source that has the solution."""
    path = places.solution(topic, places.root())
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    marks = [i for i, line in enumerate(lines, start=1) if line.split()[:4] == ["#", "%%", "exercise", exercise.name]]
    return f"solutions/{path.name}:{marks[0] if marks else 1}"


def topic(topic: Topic) -> str:
    return catalogue.at(topic.slug, "topic")


def explorer(kind: type) -> str:
    """The class of an explorer."""
    room, slug = kind.__module__.split(".")[-2:]
    path = catalogue.source(slug).parents[1] / room / f"{slug}.py"
    found = [n.lineno for n in catalogue.parsed(path).body if isinstance(n, ast.ClassDef) and n.name == kind.__name__]
    return f"mlcore/{room}/{slug}.py:{found[0] if found else 1}"


def _node(slug: str, exercise: Exercise) -> ast.AST:
    """The statement that makes an exercise."""
    line = catalogue.assigned(slug).get(exercise.name)
    return next((node for node in catalogue.parsed(catalogue.source(slug)).body if node.lineno == line), ast.Pass())


def _calls(node: ast.AST, name: str) -> list[int]:
    """The lines of the calls of `name`, as they stand in the file."""
    return sorted(call.lineno for call in ast.walk(node) if _is_call(call, name))


def _is_call(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _wrong_options(node: ast.AST) -> list[int]:
    """The lines of the options that are wrong: first those of the choice, then those of its reason."""
    given = {word.arg: word.value for word in ast.walk(node) if isinstance(word, ast.keyword)}
    options = [o for part in ("options", "reasons") if part in given for o in ast.walk(given[part])]
    calls = [option for option in options if _is_call(option, "Option")]
    return [c.lineno for c in calls if len(c.args) > 1 or any(word.arg == "wrong" for word in c.keywords)]


def _nth(topic: Topic, made: Exercise, lines: list[int], index: int, count: int) -> str:
    """The line of a call within an exercise; that of the exercise if the calls are made elsewhere."""
    return f"mlcore/checks/{topic.slug}.py:{lines[index]}" if len(lines) == count else exercise(topic, made)
