"""Verdicts on answers that nobody catalogued, whatever they call: a student's may not call mlcore's own functions."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from mlcore.checks._answers import collect
from mlcore.checks._exercises import Exercise
from mlcore.checks._verdict import Outcome, Verdict
from tests import recorded
from tests.audit.answers import Desk


def verdict(exercise: Exercise, *answers: Any, seed: int = 0) -> Verdict:
    """As `assess` gives it on these draws."""
    plan = exercise.plan(np.random.default_rng([zlib.crc32(exercise.name.encode()), seed]))
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
