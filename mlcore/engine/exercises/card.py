"""The card that tells a student the verdict, in HTML."""

from __future__ import annotations

import html

from mlcore.engine.exercises.verdict import MARK, MEANS, Formula, Outcome, Step, Verdict, headline

TONE = dict.fromkeys(Outcome, "no") | {
    Outcome.RIGHT: "yes",
    Outcome.NOT_ATTEMPTED: "open",
    Outcome.NOT_JUDGED: "open",
    Outcome.PARTLY: "part",
}


def card(verdict: Verdict) -> str:
    """The card in HTML, in the colours of the page that it stands on."""
    says = html.escape(verdict.says)
    steps = "".join(_step(step, verdict.more(step)) for step in verdict.lines)
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(label)}</th><td><pre>{html.escape(text)}</pre></td></tr>"
        for label, text in verdict.finding.evidence
    )
    notes = "".join(f"<p class='mlc-note'>{html.escape(note)}</p>" for note in verdict.notes)
    return (
        f"<style>{_CSS}</style>"
        f"<section class='mlc mlc-{TONE[verdict.outcome]}' aria-label='Verdict on exercise {verdict.number}'>"
        f"<header><span class='mlc-mark' aria-hidden='true'>{MARK[verdict.outcome]}</span>"
        f"<b>{html.escape(headline(verdict))}</b>"
        f"<span class='mlc-what'>{verdict.number} · {html.escape(verdict.asks)}</span></header>"
        f"<p>{says}</p>"
        + (f"<ul class='mlc-steps'>{steps}</ul>" if steps else "")
        + (f"<table>{rows}</table>" if rows else "")
        + f"{notes}</section>"
    )


def _step(step: Step, says: str) -> str:
    line = f"<div class='mlc-line'>{''.join(map(_formula, step.written))}</div>" if step.written else ""
    return (
        f"<li class='mlc-step'><span class='mlc-at' role='img' aria-label='{MEANS[step.shown]}'>{step.shown}</span>"
        f"<b>{html.escape(step.label)}</b><div>{line}<span class='mlc-says'>{html.escape(says)}</span></div></li>"
    )


def _formula(formula: Formula) -> str:
    name = f"<span class='mlc-name'>{html.escape(formula.part)} =</span> " if formula.part else ""
    off = "<span class='mlc-off' role='img' aria-label='this is not right'>✗</span>" if formula.off else ""
    return (
        f"<div class='mlc-formula'>{name}<span class='mlc-tex' aria-hidden='true'>${html.escape(formula.tex)}$</span>"
        f"<span class='mlc-plain'>{html.escape(formula.plain)}</span>{off}</div>"
    )


# Okabe–Ito: green for right, vermillion for not yet; the mark and the words say it too.
_CSS = """
.mlc{--tone:#7a7a7a;border-left:5px solid var(--tone);background:var(--jp-layout-color1,#fff);
color:var(--jp-content-font-color1,#1b1b1b);font:14px/1.5 var(--jp-content-font-family,system-ui,sans-serif);
padding:.55em .9em .6em;margin:.3em 0;max-width:46em;border-radius:2px 6px 6px 2px;
container-type:inline-size;
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
.mlc .mlc-steps li{margin:.15em 0;list-style:none!important;display:grid;grid-template-columns:1.2em auto 1fr;
column-gap:.45em;align-items:baseline}
.mlc .mlc-steps li>div{min-width:0}
.mlc .mlc-steps li:has(.mlc-line) .mlc-says{color:var(--jp-content-font-color2,#5a5a5a);font-size:.92em}
.mlc-line{display:flex;flex-wrap:wrap;column-gap:1.6em;align-items:baseline}
.mlc-formula{min-width:0;max-width:100%;overflow-x:auto;overflow-y:hidden;padding:.05em 0 .15em}
.mlc-off{color:#D55E00;padding-left:.35em}
.mlc-name{color:var(--jp-content-font-color2,#5a5a5a)}
/* Where there is no MathJax, the line stands there in plain text. */
.mlc-tex:not(:has(mjx-container,.MathJax)){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.mlc-tex:has(mjx-container,.MathJax)+.mlc-plain{position:absolute;width:1px;height:1px;overflow:hidden;
clip-path:inset(50%)}
.mlc-plain{font:13px/1.5 var(--jp-code-font-family,monospace)}
@container (max-width:32em){.mlc .mlc-steps li{grid-template-columns:1.2em 1fr}
.mlc .mlc-steps li>div{grid-column:1/-1;padding-left:.3em}}
/* The card says it all: the error that follows it in the same cell need not repeat it. */
.jp-OutputArea-child:has(.mlc)+.jp-OutputArea-child:has([data-mime-type$=".error"],[data-mime-type$=".stderr"])
{display:none}
.mlc-note{font-size:.9em;color:var(--jp-content-font-color2,#5a5a5a)}
"""
