"""Spot the slip: a formula as printed, wrong in one place."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.asking.plain import size
from mlcore.engine.exercises.compare import Compare, close
from mlcore.engine.exercises.draws import Cases, drawn, loosened, steady
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.judging import examine
from mlcore.engine.exercises.values import Unusable, finite, number, numbers, parts, show
from mlcore.engine.exercises.verdict import Finding, Outcome, Step, Verdict
from mlcore.engine.reading.source import Definition

SAME_THERE = (
    "At your counter-example the printed formula gives the right value, to six digits: "
    "find an input at which the two differ."
)
COUNTEREXAMPLE_NUMBERS = 2_000  # what our own formulas are evaluated at is small
_BEYOND = "The counter-example has a number beyond 10⁵⁰, or nearer to 0 than 10⁻⁵⁰: choose numbers nearer to 1."
_ROUNDING = "There the right formula gives no finite number, or rounding decides: choose numbers nearer to 1."


@dataclass(eq=False, kw_only=True)
class Slip(Exercise):
    """A formula as printed, wrong in one place: the right one, and an input at which the printed one fails."""

    printed: Callable
    reference: Callable
    cases: Cases
    admits: Callable[..., bool] = lambda *args: True
    domain: str = ""  # what `admits` asks, in words
    compare: Compare = field(default_factory=close)
    fails_by: float = 1e-6  # how far off the printed formula has to be, as a share of the right value
    kind: ClassVar[str] = "slip"

    def __post_init__(self) -> None:
        if self.points % 2:
            raise ValueError(f"a slip has two halves: points must be even, got {self.points}")
        self.forbids = (self.reference, *self.forbids)

    @property
    def parts(self) -> int:
        return 2

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return [*drawn(self.cases, rng, self._clear, self.reference), Call(1)]

    def _clear(self, *args: Any) -> bool:
        return super()._clear(*args) and steady(self.reference, args, self.compare)

    def judge(
        self, calls: Sequence[Call], replies: Sequence[Reply], written: Sequence[Definition | None] = ()
    ) -> Verdict:
        corrected = [m for m in self.mistakes if m.part == 0]
        findings = (
            examine(self.reference, calls[:-1], replies[:-1], self.compare, corrected),
            self._examine_counterexample(calls[:-1], replies[-1]),
        )
        if all(f.outcome is Outcome.NOT_ATTEMPTED for f in findings):
            return self.verdict(findings[0], replies)
        right = [f.outcome is Outcome.RIGHT for f in findings]
        steps = tuple(
            Step(label, ok, f.says)
            for label, ok, f in zip(("corrected formula", "counter-example"), right, findings, strict=True)
        )
        if all(right):
            finding = Finding(Outcome.RIGHT, "The formula is mended, and your numbers show that it had to be.")
        else:
            finding = findings[right.index(False)]
            if any(right):
                finding = Finding(Outcome.PARTLY, finding.says, finding.mistake, finding.evidence)
        return self.verdict(finding, replies, self.points * sum(right) / 2, steps)

    def _examine_counterexample(self, calls: Sequence[Call], reply: Reply) -> Finding:
        names = list(inspect.signature(self.reference).parameters)
        wanted = _tuple_of(names).strip("`")
        if reply.untouched:
            return Finding(Outcome.NOT_ATTEMPTED, f"A counter-example {wanted} is still to be found.")
        if (given := parts(reply.value, len(names))) is None:
            return Finding(Outcome.UNUSABLE, f"The counter-example must be a tuple {wanted}.")
        if size(given) > COUNTEREXAMPLE_NUMBERS:
            return Finding(
                Outcome.UNUSABLE, "The counter-example has too many numbers: a smaller one shows it as well."
            )
        try:
            args = [finite(numbers(v, name), name).astype(float)[()] for v, name in zip(given, names, strict=True)]
            for i, (arg, name) in enumerate(zip(args, names, strict=True)):
                if all(call.args is not None and np.ndim(call.args[i]) == 0 for call in calls):
                    number(arg, name)
            if not self.admits(*args):
                return Finding(Outcome.WRONG, f"The counter-example must have {self.domain}.")
            printed, right = self.printed(*args), self.reference(*args)
        except Unusable as complaint:
            return Finding(Outcome.UNUSABLE, str(complaint))
        except (TypeError, ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            return Finding(Outcome.UNUSABLE, f"The formula cannot be evaluated at the counter-example: {error}")
        sizes = np.abs(np.concatenate([np.ravel(a) for a in args]))
        largest = np.max(sizes, initial=0.0)
        if np.any((sizes > 1e50) | ((sizes > 0) & (sizes < 1e-50))):  # far out any two formulas differ, by overflow
            return Finding(Outcome.WRONG, _BEYOND)
        if not np.isfinite(np.asarray(right, float)).all():
            return Finding(Outcome.WRONG, _ROUNDING)
        there, asked = show(printed), show(right)
        off, scale = _gap(printed, right)
        if scale < 1e-9 * largest and not steady(self.reference, tuple(args), _same_to_three_digits):
            return Finding(Outcome.WRONG, _ROUNDING)  # the right value is 0 there, but for rounding
        if off <= self.fails_by * scale:
            return Finding(Outcome.MISTAKE, SAME_THERE, SAME_THERE, (("printed formula", there), ("right", asked)))
        if off < 1e-12 * largest and not steady(self.printed, loosened(tuple(args)), _same_to_three_digits):
            return Finding(Outcome.WRONG, _ROUNDING)  # the printed formula gives 0 there, but for rounding
        return Finding(Outcome.RIGHT, f"There the printed formula gives {there}, and {asked} is right.")

    def task(self) -> str:
        names = list(inspect.signature(self.reference).parameters)
        within = f", with {self.domain}" if self.domain else ""
        return (
            f"\n\nThe counter-example is a tuple {_tuple_of(names)}{within}. The printed formula fails there if it is "
            f"off by more than {_share(self.fails_by)} of the right value. Sizes beyond $10^{{\\pm50}}$ do not count."
        )


def _same_to_three_digits(a: np.ndarray, b: np.ndarray) -> bool:
    """Relative and no more: what is left of 0 by rounding has no digits."""
    return bool(np.abs(a - b).max(initial=0.0) <= 1e-3 * np.abs(b).max(initial=0.0))


def _gap(printed: Any, right: Any) -> tuple[float, float]:
    """How far the printed formula is off, and the size of what is right."""
    there, asked = np.asarray(printed, float), np.asarray(right, float)
    if there.shape != asked.shape or not np.isfinite(there).all():
        return np.inf, 1.0
    return float(np.max(np.abs(there - asked), initial=0.0)), float(np.max(np.abs(asked), initial=0.0))


def _tuple_of(names: Sequence[str]) -> str:
    return f"`({names[0]},)`" if len(names) == 1 else f"`({', '.join(names)})`"


def _share(of_one: float) -> str:
    return {1e-6: "a millionth", 1e-3: "a thousandth", 1e-2: "a hundredth"}[of_one]
