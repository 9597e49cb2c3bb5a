"""The certificate: what the course promises of every exercise, proved for every exercise.

The solution passes; the untouched stub is "not attempted"; every catalogued mistake is rejected
with its own sentence and no other; every alternative passes; warnings cost nothing. On four seeds, or on as many as
MLCORE_SEEDS says, by the way that a student's answer takes; the audit takes a shorter way, on many more.
"""

from __future__ import annotations

import functools
import inspect
import os
import warnings

import numpy as np
import pytest

from mlcore.checks import _catalogue
from mlcore.checks._exercises import Exercise, Function, Slip, _names
from mlcore.checks._topic import assess
from mlcore.checks._verdict import Outcome
from tests import recorded

SEEDS = range(int(os.environ.get("MLCORE_SEEDS", 4)))
EVERY = [(topic, e) for topic in _catalogue.topics() for e in _catalogue.exercises(topic)]
CHECKED = [pytest.param(t, e, id=f"{t.slug}-{e.name}") for t, e in EVERY if e.parts]


def put(answers: tuple, part: int, answer: object) -> tuple:
    return (*answers[:part], answer, *answers[part + 1 :])


@pytest.mark.parametrize(("topic", "exercise"), CHECKED)
class TestExercise:
    def test_solution_is_right(self, topic, exercise: Exercise):
        answers = recorded.solutions(topic)[exercise.name]
        for seed in SEEDS:
            verdict = assess(exercise, answers, seed)
            assert verdict.right, f"seed {seed}:\n{verdict}"
            assert verdict.points == exercise.points

    def test_stub_is_not_attempted(self, topic, exercise: Exercise):
        verdict = assess(exercise, recorded.stubs(topic)[exercise.name])
        assert verdict.outcome is Outcome.NOT_ATTEMPTED
        assert verdict.points == 0

    def test_card_names_the_arguments_as_the_stub_does(self, topic, exercise: Exercise):
        if not isinstance(exercise, Function | Slip):
            pytest.skip("its card shows no arguments")
        args = exercise.plan(np.random.default_rng(0))[0].args
        stub = recorded.stubs(topic)[exercise.name][0]
        assert _names(inspect.signature(exercise.reference).parameters, args) == [*inspect.signature(stub).parameters]

    def test_every_mistake_is_told_its_own_sentence(self, topic, exercise: Exercise):
        answers = recorded.solutions(topic)[exercise.name]
        for mistake in exercise.mistakes:
            for seed in SEEDS:
                verdict = assess(exercise, put(answers, mistake.part, mistake.answer), seed)
                assert not verdict.right, f"accepted, seed {seed}: {mistake.says}"
                assert verdict.finding.mistake == mistake.says, f"seed {seed}, {mistake.says!r} got:\n{verdict}"
                assert mistake.says in verdict.finding.says
                assert verdict.points < exercise.points

    def test_every_alternative_is_right(self, topic, exercise: Exercise):
        answers = recorded.solutions(topic)[exercise.name]
        for alternative in exercise.alternatives:
            for seed in SEEDS:
                verdict = assess(exercise, put(answers, alternative.part, alternative.answer), seed)
                assert verdict.right, f"seed {seed}:\n{verdict}"

    def test_warnings_cost_nothing_and_are_shown(self, topic, exercise: Exercise):
        answers = recorded.solutions(topic)[exercise.name]
        if not any(map(callable, answers)):
            pytest.skip("a value cannot warn")
        verdict = assess(exercise, tuple(warning(a) if callable(a) else a for a in answers))
        assert verdict.right, f"{verdict}"
        assert any("brittle" in note for note in verdict.notes)

    def test_is_well_catalogued(self, topic, exercise: Exercise):
        sentences = [m.says for m in exercise.mistakes]
        assert len(set(sentences)) >= 3, "at least three mistakes"
        assert exercise.alternatives or exercise.kind in ("choice", "value"), "at least one other right answer"
        assert exercise.hints, "at least one hint"
        assert exercise.see, "where the text derives it"
        for says in sentences:
            assert says[-1] in ".?!", f"not a sentence: {says!r}"


def warning(answer):
    """The same answer from code that warns."""

    @functools.wraps(answer)
    def warned(*args):
        warnings.warn("this is brittle", UserWarning, stacklevel=1)
        return answer(*args)

    return warned


def test_names_are_unique_over_the_course():
    names = [e.name for _, e in EVERY]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("topic", [t for t in _catalogue.topics() if t.number > 0], ids=lambda t: t.slug)
def test_every_topic_has_a_chain_a_slip_and_an_explanation(topic):
    kinds = {e.kind for e in _catalogue.exercises(topic)}
    assert {"derivation", "slip", "explanation"} <= kinds
