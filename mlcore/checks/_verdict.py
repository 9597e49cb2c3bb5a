"""A verdict on an answer, and the card that tells the student."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

MIME = "application/vnd.mlcore.verdict+json"


class Outcome(StrEnum):
    NOT_ATTEMPTED = "not attempted"
    RAISED = "raised an error"
    UNUSABLE = "wrong type or shape"
    BORROWED = "calls the reference"
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


@dataclass(frozen=True)
class Step:
    """One line of a derivation on the card."""

    label: str
    right: bool
    says: str


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

    @property
    def outcome(self) -> Outcome:
        return self.finding.outcome

    @property
    def right(self) -> bool:
        return self.outcome is Outcome.RIGHT

    def without_evidence(self) -> Verdict:
        """For draws that the student must not see."""
        return replace(self, finding=replace(self.finding, evidence=()))

    def _more(self, step: Step) -> str:
        """What a step adds to the sentence above it."""
        return "" if step.says in self.finding.says else step.says

    def data(self) -> dict[str, Any]:
        """The verdict for programs."""
        return asdict(self) | {"outcome": str(self.outcome), "says": self.finding.says}

    def __str__(self) -> str:
        """The card in plain text."""
        lines = [f"{_MARK[self.outcome]} {self.number} {self.name}: {_headline(self)}", f"  {self.finding.says}"]
        lines += [f"    {'✓' if s.right else '✗'} {s.label}: {self._more(s)}".rstrip(" :") for s in self.steps]
        width = max((len(label) for label, _ in self.finding.evidence), default=0)
        for label, text in self.finding.evidence:
            first, *rest = text.splitlines() or [""]
            lines.append(f"    {label:<{width}}  {first}")
            lines += [f"    {'':<{width}}  {line}" for line in rest]
        return "\n".join(lines + [f"  ({note})" for note in self.notes])

    def card(self) -> str:
        """The card in HTML, in the colours of the page that it stands on."""
        says = html.escape(self.finding.says)
        steps = "".join(
            f"<li><span aria-label='{'right' if s.right else 'not right'}'>{'✓' if s.right else '✗'}</span> "
            f"<b>{html.escape(s.label)}</b> {html.escape(self._more(s))}</li>"
            for s in self.steps
        )
        rows = "".join(
            f"<tr><th scope='row'>{html.escape(label)}</th><td><pre>{html.escape(text)}</pre></td></tr>"
            for label, text in self.finding.evidence
        )
        notes = "".join(f"<p class='mlc-note'>{html.escape(note)}</p>" for note in self.notes)
        return (
            f"<style>{_CSS}</style>"
            f"<section class='mlc mlc-{_TONE[self.outcome]}' aria-label='Verdict on exercise {self.number}'>"
            f"<header><span class='mlc-mark' aria-hidden='true'>{_MARK[self.outcome]}</span>"
            f"<b>{html.escape(_headline(self))}</b>"
            f"<span class='mlc-what'>{self.number} · {html.escape(self.asks)}</span></header>"
            f"<p>{says}</p>"
            + (f"<ul class='mlc-steps'>{steps}</ul>" if steps else "")
            + (f"<table>{rows}</table>" if rows else "")
            + f"{notes}</section>"
        )


def _headline(verdict: Verdict) -> str:
    score = f"{verdict.points:g} of {verdict.out_of:g}"
    words = {Outcome.RIGHT: "Right", Outcome.NOT_ATTEMPTED: "Not attempted yet", Outcome.PARTLY: "Partly right"}
    return f"{words.get(verdict.outcome, 'Not yet')} · {score} {'point' if verdict.out_of == 1 else 'points'}"


_MARK = dict.fromkeys(Outcome, "✗") | {Outcome.RIGHT: "✓", Outcome.NOT_ATTEMPTED: "○", Outcome.PARTLY: "◐"}
_TONE = dict.fromkeys(Outcome, "no") | {Outcome.RIGHT: "yes", Outcome.NOT_ATTEMPTED: "open", Outcome.PARTLY: "part"}

# Okabe–Ito: green for right, vermillion for not yet; the mark and the words say it too.
_CSS = """
.mlc{--tone:#7a7a7a;border-left:5px solid var(--tone);background:var(--jp-layout-color1,#fff);
color:var(--jp-content-font-color1,#1b1b1b);font:14px/1.5 var(--jp-content-font-family,system-ui,sans-serif);
padding:.55em .9em .6em;margin:.3em 0;max-width:46em;border-radius:2px 6px 6px 2px;
box-shadow:0 0 0 1px color-mix(in srgb,var(--tone) 28%,transparent)}
.mlc-yes{--tone:#009E73}.mlc-no{--tone:#D55E00}.mlc-part{--tone:#0072B2}
.mlc header{display:flex;gap:.55em;align-items:baseline;flex-wrap:wrap}
.mlc-mark{color:var(--tone);font-weight:700;font-size:1.15em}
.mlc-what{color:var(--jp-content-font-color2,#5a5a5a);font-size:.92em}
.mlc p{margin:.3em 0 .1em}
.mlc table{border-collapse:collapse;margin:.5em 0 .1em;font-size:.93em}
.mlc th{font-weight:400;text-align:left!important;vertical-align:top;padding:.1em 1.2em .1em 0;
color:var(--jp-content-font-color2,#5a5a5a);background:none;white-space:nowrap}
.mlc td{text-align:left!important;padding:.1em 0;background:none}
.mlc tr{background:none!important}
.mlc pre{margin:0;text-align:left;padding:0;background:none;
font:12.5px/1.45 var(--jp-code-font-family,monospace);color:inherit}
.mlc .mlc-steps{margin:.4em 0 .1em!important;padding:0!important;list-style:none!important}
.mlc .mlc-steps li{margin:.1em 0;list-style:none!important}
/* The card says it all: the error that follows it in the same cell need not repeat it. */
.jp-OutputArea-child:has(.mlc)+.jp-OutputArea-child:has([data-mime-type$=".error"],[data-mime-type$=".stderr"])
{display:none}
.mlc-note{font-size:.9em;color:var(--jp-content-font-color2,#5a5a5a)}
"""
