"""Verdicts on answers that nobody catalogued, whatever they call: a student's may not call mlcore's own functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import pytest

from mlcore.authoring import recorded
from mlcore.authoring.audit.desk import Desk
from mlcore.engine.asking.answers import collect
from mlcore.engine.exercises.assess import drawing
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.verdict import Outcome, Verdict


def verdict(exercise: Exercise, *answers: Any, seed: int = 0) -> Verdict:
    """As `assess` gives it on these draws."""
    plan = exercise.plan(drawing(exercise, seed))
    return exercise.judge(plan, collect(answers, plan))


def outcome(checks: ModuleType, name: str, answer: Any, seed: int = 0, part: int = 0) -> Outcome:
    """Of this in the place of one part of the solution."""
    desk = Desk(getattr(checks, name), recorded.solutions(checks.topic)[name])
    desk.sit(seed)
    return desk.finding(answer, part).outcome


def tried(checks: ModuleType, wrong: Mapping[str, tuple], right: Mapping[str, tuple], seeds: Sequence[int]) -> type:
    """The tests of a topic's answers, each an exercise and an answer, by its label."""

    class Tried:
        @pytest.mark.parametrize("label", wrong)
        @pytest.mark.parametrize("seed", seeds)
        def test_wrong(self, label, seed):
            assert outcome(checks, *wrong[label], seed) is not Outcome.RIGHT

        @pytest.mark.parametrize("label", right)
        @pytest.mark.parametrize("seed", seeds)
        def test_right(self, label, seed):
            assert outcome(checks, *right[label], seed) is Outcome.RIGHT

    return Tried
