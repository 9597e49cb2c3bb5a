"""A verdict on an answer, as data and as plain text."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

MIME = "application/vnd.mlcore.verdict+json"
A_PERSON_LOOKS = "It costs no points: a person looks at your answer."


class Outcome(StrEnum):
    NOT_ATTEMPTED = "not attempted"
    RAISED = "raised an error"
    UNUSABLE = "wrong type or shape"
    BORROWED = "calls the reference"
    UNDONE = "the step is not done"  # in a derivation: the value is right, and nothing was derived
    MISTAKE = "known mistake"
    WRONG = "wrong"
    PARTLY = "partly right"
    RIGHT = "right"
    NOT_JUDGED = "could not be judged"  # the exercise failed, not the answer


@dataclass(frozen=True)
class Finding:
    """What one look at an answer found: an outcome, a sentence, and the evidence for it."""

    outcome: Outcome
    says: str
    mistake: str = ""  # the catalogue's sentence, if it is a catalogued mistake
    evidence: tuple[tuple[str, str], ...] = ()  # rows of the card: only for the student's own draws


# What a mark beside a line says, for those who do not see it.
MEANS = {"✓": "right", "✗": "not right", "↳": "follows from your own line", "○": "still open", "·": "given"}


@dataclass(frozen=True)
class Formula:
    """What stands in a line, or in one part of it, as it was written."""

    tex: str
    plain: str
    part: str = ""  # its name
    off: bool = False  # is it wrong, as a whole?

    def __str__(self) -> str:
        return (f"{self.part} = " if self.part else "") + self.plain + (" ✗" if self.off else "")


@dataclass(frozen=True)
class Step:
    """One line of a derivation on the card."""

    label: str
    right: bool
    says: str
    mark: str = ""  # one of `MEANS`
    written: tuple[Formula, ...] = ()

    @property
    def shown(self) -> str:
        return self.mark or ("✓" if self.right else "✗")


@dataclass(frozen=True)
class Verdict:
    number: str
    name: str
    asks: str
    finding: Finding
    points: float
    out_of: float
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()  # warnings, prints: shown, never marked
    given: tuple[Step, ...] = ()  # the lines of a derivation that are not the student's

    @property
    def outcome(self) -> Outcome:
        return self.finding.outcome

    @property
    def right(self) -> bool:
        return self.outcome is Outcome.RIGHT

    def without_evidence(self) -> Verdict:
        """For draws that the student must not see."""
        return replace(self, finding=replace(self.finding, evidence=()))

    @property
    def says(self) -> str:
        """What to tell the student."""
        return f"{self.finding.says} {A_PERSON_LOOKS}" if self.outcome is Outcome.NOT_JUDGED else self.finding.says

    def more(self, step: Step) -> str:
        """What a step adds to the sentence above it."""
        return "" if step.says in self.finding.says else step.says

    @property
    def lines(self) -> tuple[Step, ...]:
        """All steps in their order, with what is given."""
        return (*self.given[:1], *self.steps, *self.given[1:])

    def data(self) -> dict[str, Any]:
        """The verdict for programs."""
        return asdict(self) | {"outcome": str(self.outcome), "says": self.says}

    def __str__(self) -> str:
        """The card in plain text."""
        lines = [f"{MARK[self.outcome]} {self.number} {self.name}: {headline(self)}", f"  {self.says}"]
        for step in self.lines:
            lines.append(f"    {step.shown} {step.label}: {self.more(step)}".rstrip(" :"))
            lines += [f"        {',  '.join(map(str, step.written))}"] if step.written else []
        width = max((len(label) for label, _ in self.finding.evidence), default=0)
        for label, text in self.finding.evidence:
            first, *rest = text.splitlines() or [""]
            lines.append(f"    {label:<{width}}  {first}")
            lines += [f"    {'':<{width}}  {line}" for line in rest]
        return "\n".join(lines + [f"  ({note})" for note in self.notes])


def headline(verdict: Verdict) -> str:
    if verdict.outcome is Outcome.NOT_JUDGED:
        return "Could not be judged · not your fault"
    score = f"{verdict.points:g} of {verdict.out_of:g}"
    words = {Outcome.RIGHT: "Right", Outcome.NOT_ATTEMPTED: "Not attempted yet", Outcome.PARTLY: "Partly right"}
    return f"{words.get(verdict.outcome, 'Not yet')} · {score} {'point' if verdict.out_of == 1 else 'points'}"


MARK = dict.fromkeys(Outcome, "✗") | {
    Outcome.RIGHT: "✓",
    Outcome.NOT_ATTEMPTED: "○",
    Outcome.NOT_JUDGED: "?",
    Outcome.PARTLY: "◐",
}
