"""A derivation, line by line."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.asking.watch import Watch, words_of
from mlcore.engine.exercises import diagnosis
from mlcore.engine.exercises.compare import Compare, close
from mlcore.engine.exercises.diagnosis import Mistake
from mlcore.engine.exercises.draws import Cases, drawn, steady, truth
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.judging import early, examine, raised
from mlcore.engine.exercises.values import Unusable, aside, tidy
from mlcore.engine.exercises.verdict import Finding, Outcome, Step, Verdict


@dataclass(frozen=True, eq=False, kw_only=True)
class Line:
    """One line of a derivation, as a function of the chain's variables.

    `reference` is what the line must equal: usually the line before it, or its `gradient_of`.
    `terms` are its summands by name, to say which one was lost. A line that is a stationary
    point or a minimiser is given `holds(*variables, value)` instead, and any right answer passes.
    """

    does: str
    reference: Callable
    terms: Mapping[str, Callable] = field(default_factory=dict)
    holds: Callable[..., bool] | None = None
    compare: Compare = field(default_factory=close)
    mistakes: Sequence[Mistake] = ()


@dataclass(eq=False, kw_only=True)
class Chain(Exercise):
    """A derivation, line by line: the first and the last are given, one point for each line between.

    The verdict names the first line that does not follow from the one before it.
    """

    first: Callable
    lines: Sequence[Line]
    last: Callable
    cases: Cases
    points: int = field(init=False)
    kind: ClassVar[str] = "derivation"

    def __post_init__(self) -> None:
        self.points = len(self.lines)
        self.mistakes = [Mistake(m.says, m.answer, i) for i, line in enumerate(self.lines) for m in line.mistakes]

    @property
    def parts(self) -> int:
        return len(self.lines)

    def plan(self, rng: np.random.Generator) -> list[Call]:
        calls = drawn(self.cases, rng, self._clear, self.first)
        return [Call(part, call.args) for part in range(len(self.lines)) for call in calls]

    def _clear(self, *args: Any) -> bool:
        if not super()._clear(*args) or not all(steady(line, args, close()) for line in (self.first, self.last)):
            return False
        try:
            return all(np.isfinite(line.reference(*args)).all() for line in self.lines)
        except (ArithmeticError, ValueError):
            return False

    def watch(self) -> Watch:
        given = (("line 1", self.first), (f"line {len(self.lines) + 2}", self.last))
        return replace(super().watch(), lines=tuple((label, words_of(line.__code__)) for label, line in given))

    def judge(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Verdict:
        findings = []
        for part, line in enumerate(self.lines):
            own = [i for i, call in enumerate(calls) if call.part == part]
            findings.append(examine_line(line, [calls[i] for i in own], [replies[i] for i in own]))
        right = sum(f.outcome is Outcome.RIGHT for f in findings)
        steps = tuple(_step(i, line, f) for i, (line, f) in enumerate(zip(self.lines, findings, strict=True)))
        if right == len(findings):
            return self.verdict(Finding(Outcome.RIGHT, "Every line follows from the one before."), replies, steps=steps)
        if all(f.outcome is Outcome.NOT_ATTEMPTED for f in findings):
            return self.verdict(findings[0], replies)
        k, broken = next((i, f) for i, f in enumerate(findings) if f.outcome is not Outcome.RIGHT)
        says = f"Line {k + 2} is the first that does not follow from the one before. {broken.says}"
        if broken.outcome is Outcome.NOT_ATTEMPTED:
            says = f"Line {k + 2} is still open: {self.lines[k].does}."
        outcome = Outcome.PARTLY if right else broken.outcome
        return self.verdict(Finding(outcome, says, broken.mistake, broken.evidence), replies, right, steps)

    def task(self) -> str:
        steps = "\n".join(f"- line {i}: {line.does}" for i, line in enumerate(self.lines, start=2))
        return f"\n\n- line 1: given\n{steps}\n- line {len(self.lines) + 2}: given"


def _step(i: int, line: Line, finding: Finding) -> Step:
    right = finding.outcome is Outcome.RIGHT
    says = f"still open: {line.does}." if finding.outcome is Outcome.NOT_ATTEMPTED else finding.says
    return Step(f"line {i + 2}", right, line.does if right else says)


def examine_line(line: Line, calls: Sequence[Call], replies: Sequence[Reply]) -> Finding:
    if line.holds is None:
        found = examine(line.reference, calls, replies, line.compare, line.mistakes)
        if found.outcome not in (Outcome.WRONG, Outcome.MISTAKE) or found.mistake:
            return found
        says = diagnosis.missing_term(line.terms, line.reference, calls, replies, line.compare)
        return Finding(Outcome.MISTAKE, says, "", found.evidence) if says else found
    if finding := early(replies) or raised(calls, replies):
        return finding
    try:
        values = [tidy(r.value, truth(line.reference, c.args or ())) for c, r in zip(calls, replies, strict=True)]
    except Unusable as complaint:
        return Finding(Outcome.UNUSABLE, str(complaint))
    if all(
        line.holds(*(c.args or ()), *(v.astype(float) for v in value)) for c, value in zip(calls, values, strict=True)
    ):
        return Finding(Outcome.RIGHT, "It satisfies the line before.")
    if says := diagnosis.named(line.mistakes, calls, replies, line.compare):
        return Finding(Outcome.MISTAKE, says, says)
    return Finding(Outcome.WRONG, "The line before does not hold at this value." + aside(replies[0].value))


def gradient_of(f: Callable, wrt: int = 0, step: float = 2e-3) -> Callable:
    """∇f with respect to argument `wrt`: what a derivative must satisfy.

    Central differences D(h) and D(h/2), extrapolated: (4D(h/2) − D(h))/3 errs by h⁴ where each of them errs by h².
    """

    @functools.wraps(f)
    def gradient(*args: Any) -> np.ndarray:
        at = np.asarray(args[wrt], dtype=float)
        wide, narrow = np.empty(at.shape), np.empty(at.shape)
        for index in np.ndindex(at.shape):
            for slope, share in ((wide, 1.0), (narrow, 0.5)):
                shift = np.zeros(at.shape)
                shift[index] = share * step * (1 + abs(at[index]))
                up, down = ((*args[:wrt], at + sign * shift, *args[wrt + 1 :]) for sign in (1, -1))
                slope[index] = (f(*up) - f(*down)) / (2 * shift[index])
        if np.max(np.abs(wide - narrow), initial=0.0) > 0.01 * np.max(np.abs(narrow), initial=1.0):
            raise ArithmeticError("the function bends too sharply here to be differentiated by differences")
        return (4 * narrow - wide) / 3

    gradient.differences = True  # type: ignore[attr-defined]
    return gradient
