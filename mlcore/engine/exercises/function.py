"""A function that must equal the reference, and a value worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.exercises.compare import Compare, close, exactly, to_digits, too_coarse
from mlcore.engine.exercises.draws import Cases, drawn, steady
from mlcore.engine.exercises.exercise import Exercise, digits_asked
from mlcore.engine.exercises.judging import examine
from mlcore.engine.exercises.verdict import Outcome, Verdict
from mlcore.engine.reading.source import Definition


@dataclass(eq=False, kw_only=True)
class Function(Exercise):
    """A function that must equal the reference on every draw."""

    reference: Callable
    cases: Cases
    compare: Compare = field(default_factory=close)
    returns: tuple[str, ...] = ()  # names of the components, where it returns a tuple
    kind: ClassVar[str] = "function"

    def __post_init__(self) -> None:
        self.forbids = (self.reference, *self.forbids)

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return drawn(self.cases, rng, self._clear, self.reference)

    def _clear(self, *args: Any) -> bool:
        return super()._clear(*args) and steady(self.reference, args, self.compare)

    def judge(
        self, calls: Sequence[Call], replies: Sequence[Reply], written: Sequence[Definition | None] = ()
    ) -> Verdict:
        return self.verdict(examine(self.reference, calls, replies, self.compare, self.mistakes, self.returns), replies)


@dataclass(eq=False, kw_only=True)
class Value(Exercise):
    """A number or an array worked out by hand, to so many significant digits; None: exactly."""

    reference: Any
    digits: int | None = 3
    kind: ClassVar[str] = "value"

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return [Call(0)]

    def judge(
        self, calls: Sequence[Call], replies: Sequence[Reply], written: Sequence[Definition | None] = ()
    ) -> Verdict:
        compare = to_digits(self.digits) if self.digits else exactly
        finding = examine(lambda: self.reference, calls, replies, compare, self.mistakes)
        if finding.outcome is Outcome.WRONG and (says := too_coarse(replies[0].value, self.reference, self.digits)):
            finding = replace(finding, says=says)
        return self.verdict(finding, replies)

    def task(self) -> str:
        return digits_asked(self.digits) if self.digits else ""
