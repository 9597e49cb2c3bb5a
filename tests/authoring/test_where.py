"""The lines that are told are those of the calls that they are about."""

from __future__ import annotations

import ast
import functools
import sys
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import mlcore.explore
from mlcore.authoring import where
from mlcore.course import catalogue
from mlcore.engine.explorers.search import find_all
from tests.conftest import ROOT

TOPICS = [pytest.param(topic, id=topic.slug) for topic in catalogue.topics()]


@functools.cache
def calls(file: str) -> dict[int, list[ast.Call]]:
    """The calls of a file, by the line where they begin."""
    found: dict[int, list[ast.Call]] = {}
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.setdefault(node.lineno, []).append(node)
    return found


def begins(at: str, *names: str) -> list[ast.Call]:
    """The calls of these names that begin at the line that is told."""
    file, line = at.split(":")
    return [call for call in calls(file).get(int(line), []) if call.func.id in names]


def value(topic, node: ast.expr):
    """What an argument is, in the topic's own words."""
    return eval(compile(ast.Expression(node), "<argument>", "eval"), vars(sys.modules[f"mlcore.checks.{topic.slug}"]))


def argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    given = [word.value for word in call.keywords if word.arg == name]
    return given[0] if given else call.args[place] if len(call.args) > place else None


def is_it(topic, node: ast.expr, answer) -> bool:
    """Is this the expression that made the answer?"""
    if isinstance(node, ast.Lambda):
        return isinstance(answer, FunctionType) and node.lineno <= answer.__code__.co_firstlineno <= (
            node.end_lineno or 0
        )
    made = value(topic, node)
    if callable(answer):  # made by a call, it is another one each time
        return callable(made) and getattr(made, "__qualname__", made) == getattr(answer, "__qualname__", answer)
    try:
        np.testing.assert_equal(made, answer)
    except AssertionError:
        return False  # of two calls on a line it is the other one
    return True


@pytest.mark.parametrize("topic", TOPICS)
class TestEveryTopic:
    def test_exercises(self, topic):
        lines = catalogue.source(topic.slug).read_text(encoding="utf-8").split("\n")
        for exercise in topic.exercises:
            file, line = where.exercise(topic, exercise).split(":")
            assert file == f"mlcore/checks/{topic.slug}.py"
            assert lines[int(line) - 1].startswith(f"{exercise.name} = ")

    def test_mistakes(self, topic):
        for exercise in topic.exercises:
            for i, mistake in enumerate(exercise.mistakes):
                at = where.mistake(topic, exercise, i)
                if exercise.kind == "choice":
                    found = [argument(call, 1, "wrong") for call in begins(at, "Option")]
                    assert mistake.says in [value(topic, says) for says in found if says], (exercise.name, i, at)
                    continue
                found = [(argument(c, 0, "says"), argument(c, 1, "answer")) for c in begins(at, "Mistake")]
                same = [answer for says, answer in found if value(topic, says) == mistake.says]
                assert any(is_it(topic, answer, mistake.answer) for answer in same), (exercise.name, i, at)

    def test_alternatives(self, topic):
        for exercise in topic.exercises:
            for i, alternative in enumerate(exercise.alternatives):
                at = where.alternative(topic, exercise, i)
                found = [argument(call, 0, "answer") for call in begins(at, "Alternative")]
                assert any(is_it(topic, answer, alternative.answer) for answer in found), (exercise.name, i, at)


@pytest.mark.parametrize("kind", find_all(mlcore.explore), ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_explorers(kind):
    file, line = where.explorer(kind).split(":")
    assert (ROOT / file) == Path(sys.modules[kind.__module__].__file__)
    assert (ROOT / file).read_text(encoding="utf-8").split("\n")[int(line) - 1].startswith(f"class {kind.__name__}(")


class TestMadeUp:
    """What no topic of the course has."""

    def told(self, plot, name):
        exercise = {exercise.name: exercise for exercise in plot.topic().exercises}[name]
        return [where.mistake(plot.topic(), exercise, i) for i in range(len(exercise.mistakes))]

    def test_mistakes_in_the_lines_of_a_chain(self, plot):
        starts = ('Mistake("Both are x.', 'Mistake("They are exchanged.', 'mistakes=[Mistake("This is their diff')
        assert self.told(plot, "made_steps") == [plot.at("exercises", start) for start in starts]

    def test_options_whose_reasons_stand_first(self, plot):
        assert [m.says for m in plot.topic().exercises[2].mistakes] == ["Not that.", "Not the other.", "That is none."]
        starts = ('"b": Option(', '"c": Option(', '"ii": Option(')
        assert self.told(plot, "made_choice") == [plot.at("exercises", start) for start in starts]

    def test_mistakes_that_are_made_in_a_loop_have_the_line_of_their_exercise(self, plot):
        assert self.told(plot, "made_value") == 3 * [plot.at("exercises", "made_value: Value = ")]

    def test_a_file_that_has_changed_is_read_again(self, plot):
        first = self.told(plot, "made_slip")[0]
        plot.damage("exercises", "def _square(x):\n", "# one more line\ndef _square(x):\n")
        assert self.told(plot, "made_slip")[0] != first
        assert self.told(plot, "made_slip")[0] == plot.at("exercises", 'Mistake("This is still')

    def test_the_topic(self, plot):
        assert where.topic(plot.topic()) == plot.at("exercises", "topic = ")
