"""What the tests of every derivation with a step of its own for each line have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest

from mlcore.engine.exercises import Chain
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.values import components


def points_with(chain: Chain, wrong: Callable, part: int, steps: Sequence[Callable], seed: int = 0) -> float:
    """The points of a derivation that is wrong in one line; from there on each step takes the line before."""

    def after(step: Callable, before: Callable) -> Callable:
        return lambda *args: step(before(*args), *args)

    lines = [line.reference for line in chain.lines[:part]] + [wrong]
    for step in steps[part:]:
        lines.append(after(step, lines[-1]))
    return assess(chain, tuple(lines), seed).points


class KeepsItsPromises:
    """`STEPS` are the steps from each line to the next, as `step(before, *variables)`, by another way than ours."""

    CHAIN: ClassVar[Chain]
    CASES: ClassVar[Sequence[tuple]]
    STEPS: ClassVar[Sequence[Callable[..., Any]]]
    NOTHING_FOLLOWS: ClassVar[Sequence[str]] = ()  # sentences of mistakes after which no step can be done

    def test_follows_holds_for_the_references(self):
        for args in self.CASES:
            for before, line in pairwise(self.CHAIN.lines):
                step = line.follows if callable(line.follows) else line.follows[0]
                found, right = step(before.reference(*args), *args), line.reference(*args)
                for mine, theirs in zip(components(found), components(right), strict=True):
                    np.testing.assert_allclose(mine, theirs, atol=1e-12)

    @pytest.mark.parametrize("seed", range(2))
    def test_a_mistake_costs_its_own_line_only(self, seed):
        for mistake in self.CHAIN.mistakes:
            if mistake.says not in self.NOTHING_FOLLOWS:
                points = points_with(self.CHAIN, mistake.answer, mistake.part, self.STEPS, seed)
                assert points == len(self.CHAIN.lines) - 1, mistake.says

    def test_nothing_is_earned_by_line_1_or_by_the_line_before(self):
        lines = [line.reference for line in self.CHAIN.lines]
        assert assess(self.CHAIN, tuple(lambda *args: 1.0 * self.CHAIN.first(*args) for _ in lines)).points == 0
        for part in range(1, len(lines)):
            repeated = (*lines[:part], lambda *args, k=part: lines[k - 1](*args), *lines[part + 1 :])
            assert not assess(self.CHAIN, repeated).steps[part].right
