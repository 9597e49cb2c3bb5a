"""What all kinds of exercise share. Each is data; `plan` says what to ask, `judge` says what the replies are worth.

`judge` never runs the student's code: it sees numbers only. So the same exercise is judged
in the notebook's kernel for the student and in a clean process for the mark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.asking.watch import Watch, name_of
from mlcore.engine.exercises.compare import count
from mlcore.engine.exercises.diagnosis import Mistake
from mlcore.engine.exercises.evidence import notes
from mlcore.engine.exercises.verdict import Finding, Outcome, Step, Verdict
from mlcore.engine.reading.source import Definition


@dataclass(frozen=True)
class Hint:
    """A fold in the notebook: what the student might say, and what to answer."""

    title: str
    text: str


@dataclass(frozen=True, eq=False)
class Alternative:
    """Another right answer: another algorithm, another algebraic form."""

    answer: Any
    part: int = 0


@dataclass(eq=False, kw_only=True)
class Exercise:
    name: str = field(kw_only=False)  # that of its variable, of the student's function and of its check
    asks: str
    points: int
    hints: tuple[Hint, ...] = ()
    see: str = ""  # where the text derives it
    mistakes: Sequence[Mistake] = ()
    alternatives: Sequence[Alternative] = ()
    forbids: tuple[Callable, ...] = ()  # functions of mlcore that would give the answer away
    clear: Callable[..., bool] | None = None  # is the answer clear at these inputs? If not, they are drawn again

    number: str = field(default="", init=False)  # set by the topic
    kind: ClassVar[str]
    reads_source: ClassVar[bool] = False  # does the verdict depend on how the answer is written?

    @property
    def parts(self) -> int:
        """How many things the student hands in."""
        return 1

    def plan(self, rng: np.random.Generator) -> list[Call]:
        raise NotImplementedError

    def judge(
        self, calls: Sequence[Call], replies: Sequence[Reply], written: Sequence[Definition | None] = ()
    ) -> Verdict:
        """The verdict on these replies. `written` says where each part of the answer was written, if it is known."""
        raise NotImplementedError

    def watch(self) -> Watch:
        """What an answer must not lean on."""
        return Watch(tuple(filter(None, map(name_of, self.forbids))))

    def task(self) -> str:
        """What the build adds to the notebook's text of the exercise."""
        return ""

    def not_judged(self, why: str) -> Verdict:
        """The verdict where the exercise itself failed: no mark at all, and a person has to look."""
        says = f"This exercise could not be judged, which is not the answer's fault: {why}."
        return self.verdict(Finding(Outcome.NOT_JUDGED, says), ())

    def _clear(self, *args: Any) -> bool:
        return self.clear is None or bool(self.clear(*args))

    def verdict(
        self, finding: Finding, replies: Sequence[Reply], points: float | None = None, steps: tuple[Step, ...] = ()
    ) -> Verdict:
        if points is None:
            points = self.points if finding.outcome is Outcome.RIGHT else 0
        return Verdict(self.number, self.name, self.asks, finding, points, self.points, steps, notes(replies))


def digits_asked(digits: int) -> str:
    return f"\n\n*Give {count(digits)} significant digits or more.*"
