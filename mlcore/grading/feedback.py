"""The page that a student gets back: their work, a card for every exercise, a person's marks. No hidden draws."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic
from mlcore.engine.exercises.card import TONE
from mlcore.engine.exercises.verdict import MIME, Outcome
from mlcore.grading.submission import CHECK

Cell = dict[str, Any]


def page(
    topic: Topic,
    student: str,
    cells: Sequence[Cell],
    by_hand: dict[str, float | None] | None = None,
    comments: dict[str, str] | None = None,
    overruled: dict[str, float] | None = None,
) -> str:
    """One self-contained HTML file. All that is the student's is text here, never markup.

    `by_hand` are a person's marks for explanations, `overruled` those in place of a check's.
    """
    by_hand, comments, overruled = by_hand or {}, comments or {}, overruled or {}
    verdicts = [v | {"points": overruled.get(v["name"], v["points"])} for cell in cells if (v := _verdict(cell))]
    written = [cell["metadata"]["nbgrader"] for cell in cells if _is_written(cell)]
    points = sum(v["points"] for v in verdicts) + sum(by_hand.get(g["grade_id"]) or 0 for g in written)
    out_of = sum(v["out_of"] for v in verdicts) + sum(g["points"] for g in written)
    waiting = [v["name"] for v in verdicts if v["outcome"] == Outcome.NOT_JUDGED and v["name"] not in overruled]
    waiting += [g["grade_id"] for g in written if by_hand.get(g["grade_id"]) is None]
    data = {
        "student": student,
        "assignment": topic.folder,
        "points": points,
        "out_of": out_of,
        "waiting": waiting,
        "exercises": [{k: v[k] for k in ("number", "name", "outcome", "points", "out_of", "says")} for v in verdicts],
    }
    title = f"{topic.number:02d} · {topic.title}"
    return "".join(
        [
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
            "<meta name='viewport' content='width=device-width, initial-scale=1'>",
            f"<title>{html.escape(f'{title}: feedback for {student}')}</title><style>{_CSS}</style></head><body>",
            f"<header><h1>{html.escape(title)}</h1><p>{html.escape(student)} · "
            f"<b>{points:g} of {out_of:g} points</b>{_waiting(waiting)}</p></header>",
            _overview(verdicts, waiting),
            *(_section(cell, by_hand, comments, overruled) for cell in cells),
            f"<script type='application/json' id='mlcore'>{json.dumps(data).replace('<', chr(92) + 'u003c')}</script>",
            "</body></html>\n",
        ]
    )


def _waiting(names: Sequence[str]) -> str:
    return (
        f" so far; {len(names)} {'answer waits' if len(names) == 1 else 'answers wait'} for a person" if names else ""
    )


def _verdict(cell: Cell) -> dict[str, Any] | None:
    for output in cell.get("outputs", ()):
        if MIME in output.get("data", {}):
            return output["data"][MIME]
    return None


def _grade_id(cell: Cell) -> str:
    return cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", "")


def _is_written(cell: Cell) -> bool:
    return bool(cell.get("metadata", {}).get("nbgrader", {}).get("grade")) and not _grade_id(cell).startswith(CHECK)


def _overview(verdicts: Sequence[dict], waiting: Sequence[str]) -> str:
    def item(v: dict) -> str:
        mark = "a person looks" if v["name"] in waiting else f"{v['points']:g} of {v['out_of']:g}"
        label = html.escape(f"{v['number']} {v['name']}: {v['outcome']}, {mark}")
        to, says = (
            f"class='{TONE[v['outcome']]}' href='#{html.escape(v['name'])}'",
            f"title='{label}' aria-label='{label}'",
        )
        return f"<a {to} {says}>{v['number']}</a>"

    return f"<nav aria-label='Exercises'>{''.join(map(item, verdicts))}</nav>"


def _section(
    cell: Cell, by_hand: dict[str, float | None], comments: dict[str, str], overruled: dict[str, float]
) -> str:
    """A cell of the student's own, or a card. What the course gave is left out: they have it."""
    if cell.get("metadata", {}).get("mlcore", {}).get("given"):
        return ""
    name = _grade_id(cell)
    if name.startswith(CHECK):
        exercise = name.removeprefix(CHECK)
        cards = "".join(o["data"]["text/html"] for o in cell["outputs"] if "text/html" in o.get("data", {}))
        note = _by_hand(cell, overruled[exercise], comments.get(exercise, "")) if exercise in overruled else ""
        return f"<section id='{html.escape(exercise)}'>{cards}{note}</section>"
    source = html.escape(cell["source"])
    if cell["cell_type"] != "code":
        note = _by_hand(cell, by_hand.get(name), comments.get(name, "")) if _is_written(cell) else ""
        return f"<section><div class='text'>{source}</div>{note}</section>" if source.strip() else ""
    return f"<pre class='code'>{source}</pre>{''.join(map(_output, cell.get('outputs', ())))}"


def _by_hand(cell: Cell, mark: float | None, comment: str) -> str:
    worth = cell["metadata"]["nbgrader"]["points"]
    says = f"{mark:g} of {worth:g} points" if mark is not None else f"{worth:g} points"
    return f"<p class='hand'><b>{says}, marked by a person</b> {html.escape(comment)}</p>"


def _output(output: dict) -> str:
    match output.get("output_type"):
        case "stream":
            return f"<pre class='out'>{html.escape(output['text'])}</pre>"
        case "error":
            return f"<pre class='out bad'>{html.escape(chr(10).join(output['traceback']))}</pre>"
    text = output.get("data", {}).get("text/plain", "")
    return f"<pre class='out'>{html.escape(text)}</pre>" if text else ""


def read(path: Path) -> dict[str, Any]:
    """The verdicts of a feedback page."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Problem(f"there is no feedback page {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: {error}") from None
    found = re.search(r"<script type='application/json' id='mlcore'>(.*?)</script>", text, re.DOTALL)
    try:
        return dict(json.loads(found[1] if found else ""))
    except (TypeError, ValueError):
        raise Problem(f"{path} is not a feedback page of mlcore") from None


_CSS = """
body{font:15px/1.55 system-ui,sans-serif;color:#1b1b1b;background:#fff;max-width:52em;margin:2em auto;padding:0 1em}
h1{font-size:1.5em;margin:0}header p{margin:.2em 0 1em;color:#444}
nav{display:flex;flex-wrap:wrap;gap:.35em;margin:0 0 1.6em}
nav a{padding:.15em .6em;border-radius:4px;color:#fff;text-decoration:none;font-size:.9em;background:#6a6a6a}
nav .yes{background:#007a59}nav .no{background:#b54a00}nav .part{background:#0072B2}
pre{overflow:auto;font:13px/1.5 ui-monospace,monospace;margin:.4em 0;white-space:pre-wrap;overflow-wrap:anywhere}
.code{background:#f5f5f5;padding:.6em .8em;border-radius:4px}
.out{padding:0 .8em;color:#444}.bad{color:#9a3d00}
.text{white-space:pre-wrap;border-left:3px solid #ccc;padding-left:.8em;margin:1.2em 0 .3em}
.hand{margin:.2em 0 1.2em .95em}section{margin:.3em 0 1.6em}
@media print{nav{display:none}section{break-inside:avoid}}
"""
