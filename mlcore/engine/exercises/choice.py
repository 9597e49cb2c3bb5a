"""An option of several and the reason for it, and a free text that a person marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.exercises.diagnosis import Mistake
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.values import show
from mlcore.engine.exercises.verdict import Finding, Outcome, Verdict
from mlcore.engine.reading.source import Definition


@dataclass(frozen=True)
class Option:
    """An option of a choice; a wrong one carries the sentence that says why it is wrong."""

    text: str
    wrong: str = ""


@dataclass(eq=False, kw_only=True)
class Choice(Exercise):
    """An option and the reason for it: both must be right."""

    options: Mapping[str, Option]
    reasons: Mapping[str, Option]
    kind: ClassVar[str] = "choice"

    def __post_init__(self) -> None:
        self.mistakes = [
            Mistake(option.wrong, key, part)
            for part, options in enumerate((self.options, self.reasons))
            for key, option in options.items()
            if option.wrong
        ]

    @property
    def parts(self) -> int:
        return 2

    def plan(self, rng: np.random.Generator) -> list[Call]:
        return [Call(0), Call(1)]

    def judge(
        self, calls: Sequence[Call], replies: Sequence[Reply], written: Sequence[Definition | None] = ()
    ) -> Verdict:
        for reply, options, label in zip(replies, (self.options, self.reasons), ("choice", "reason"), strict=True):
            if reply.untouched:
                return self.verdict(
                    Finding(
                        Outcome.NOT_ATTEMPTED, f"Set {label} in the cell above, run it, then run this check again."
                    ),
                    replies,
                )
            if not isinstance(reply.value, str) or reply.value not in options:
                says = f"{label} must be one of {', '.join(map(repr, options))}; got {show(reply.value)}."
                return self.verdict(Finding(Outcome.UNUSABLE, says), replies)
            if says := options[reply.value].wrong:
                return self.verdict(Finding(Outcome.MISTAKE, says, mistake=says), replies)
        return self.verdict(Finding(Outcome.RIGHT, "Right, and for the right reason."), replies)

    def task(self) -> str:
        def listed(options: Mapping[str, Option]) -> str:
            return "\n".join(f"- `{key!r}`: {option.text}" for key, option in options.items())

        return f"\n\n{listed(self.options)}\n\nbecause\n\n{listed(self.reasons)}"


@dataclass(eq=False, kw_only=True)
class Explanation(Exercise):
    """A free text, marked by a person after the rubric."""

    rubric: str
    kind: ClassVar[str] = "explanation"

    @property
    def parts(self) -> int:
        return 0
