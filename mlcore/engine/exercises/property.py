"""An answer judged by the laws that it must satisfy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.exercises import diagnosis
from mlcore.engine.exercises.compare import close, too_coarse
from mlcore.engine.exercises.draws import Cases, drawn
from mlcore.engine.exercises.exercise import Exercise, digits_asked
from mlcore.engine.exercises.judging import early, raised
from mlcore.engine.exercises.values import Unusable, aside, finite, numbers, show
from mlcore.engine.exercises.verdict import Finding, Outcome, Verdict
from mlcore.engine.reading.source import Definition


@dataclass(frozen=True, eq=False)
class Law:
    """Something that a right answer satisfies, and what to say where it does not."""

    says: str
    holds: Callable[..., bool]


@dataclass(eq=False, kw_only=True)
class Property(Exercise):
    """An answer judged by the laws that it must satisfy: any answer that does is right.

    Without `cases` the answer is a value; with them it is a function.
    """

    laws: Sequence[Law]
    between: Sequence[Law] = ()  # laws about two calls: holds(args, value, other args, other value)
    cases: Cases | None = None
    digits: int | None = None  # significant digits that suffice, where the answer is a number worked out
    reference: Any = None  # with `digits`: such a number, to tell one that is rounded too far
    kind: ClassVar[str] = "property"

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return drawn(self.cases, rng, self._clear) if self.cases else [Call(0)]

    def judge(
        self, calls: Sequence[Call], replies: Sequence[Reply], written: Sequence[Definition | None] = ()
    ) -> Verdict:
        finding = early(replies) or self._raises(calls, replies) or self._lawful(calls, replies)
        return self.verdict(finding, replies)

    def task(self) -> str:
        return digits_asked(self.digits) if self.digits else ""

    def _raises(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Finding | None:
        finding = raised(calls, replies)
        says = diagnosis.named(self.mistakes, calls, replies, close(atol=0.0)) if finding else ""
        return Finding(Outcome.MISTAKE, says, says) if says else finding

    def _lawful(self, calls: Sequence[Call], replies: Sequence[Reply]) -> Finding:
        try:
            values = [finite(numbers(reply.value)).astype(float) for reply in replies]
        except Unusable as complaint:
            return Finding(Outcome.UNUSABLE, str(complaint))
        for law in self.laws:
            for call, reply, value in zip(calls, replies, values, strict=True):
                if not law.holds(*(call.args or ()), value):
                    return self._broken(law, calls, replies, reply)
        told = list(zip(calls, values, replies, strict=True))
        for law in self.between:
            for (one, first, _), (two, second, shown) in itertools.combinations(told, 2):
                if not law.holds(one.args, first, two.args, second):
                    return self._broken(law, calls, replies, shown)
        return Finding(Outcome.RIGHT, "It satisfies all that is asked of it.")

    def _broken(self, law: Law, calls: Sequence[Call], replies: Sequence[Reply], shown: Reply) -> Finding:
        """The sentence of the catalogued mistake that it is, or else that of the law."""
        says = (
            diagnosis.named(self.mistakes, calls, replies, close(atol=0.0))
            or too_coarse(shown.value, self.reference, self.digits)
            or law.says + aside(shown.value)
        )
        known = any(says == m.says for m in self.mistakes)
        outcome = Outcome.MISTAKE if known else Outcome.WRONG
        return Finding(outcome, says, says if known else "", (("yours", show(shown.value)),))
