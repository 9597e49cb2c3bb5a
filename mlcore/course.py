"""The course as a whole: where it lies, its parts, and how far the student has come."""

from __future__ import annotations

import difflib
import html
from dataclasses import dataclass
from pathlib import Path

from mlcore.checks import Topic, _catalogue, _progress
from mlcore.errors import Problem

NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

PARTS = {
    "Start": range(1),
    "I Foundations": range(1, 4),
    "II Regression": range(4, 9),
    "III Optimisation": range(9, 12),
    "IV Classification": range(12, 17),
    "V Trees and networks": range(17, 21),
    "VI Unsupervised": range(21, 25),
    "VII Bayesian and graphical": range(25, 29),
    "VIII Decisions": range(29, 30),
}


def root() -> Path:
    """The course's folder: the one above us, or the one that mlcore was installed from, that has the notebooks."""
    for folder in (Path.cwd(), *Path.cwd().parents, Path(__file__).resolve().parent.parent):
        if (folder / "notebooks" / "00_start_here").is_dir():
            return folder
    raise Problem("no course here: run this inside the folder that holds notebooks/00_start_here")


def notebook(topic: Topic) -> Path:
    """Where the student's notebook of a topic lies."""
    return root() / "notebooks" / topic.folder / f"{topic.slug}.ipynb"


def find(text: str) -> Topic:
    """The topic that `text` means: `5`, `05`, `ridge` or `05_ridge`."""
    topics = list(_catalogue.topics())
    wanted = text.strip().lower()
    for topic in topics:
        if wanted in (str(topic.number), f"{topic.number:02d}", topic.slug, topic.folder):
            return topic
    near = difflib.get_close_matches(wanted, [name for t in topics for name in (t.slug, t.folder)], n=1)
    rest = f"did you mean {near[0]}?" if near else f"there are {topics[0].folder} to {topics[-1].folder}"
    raise Problem(f"no topic {text!r}: {rest} (`mlcore progress` lists them)")


@dataclass(frozen=True)
class Standing:
    """How far the student has come in one topic. Explanations are marked by a person and do not count here."""

    topic: Topic
    done: int
    exercises: int
    points: float
    out_of: float


def standings() -> list[Standing]:
    """One for each topic, in the order of the course."""
    records = _progress.read()
    result = []
    for topic in _catalogue.topics():
        exercises = [e for e in _catalogue.exercises(topic) if e.parts]
        points = [min(records.get(e.name, {}).get("points", 0), e.points) for e in exercises]
        done = sum(p == e.points for p, e in zip(points, exercises, strict=True))
        result.append(Standing(topic, done, len(exercises), sum(points), sum(e.points for e in exercises)))
    return result


class Map:
    """The course as a page: its parts, the questions, and a bar for what is done."""

    def __repr__(self) -> str:
        return "\n".join(
            f"{s.topic.number:02d} {s.topic.title}: {s.done} of {s.exercises} exercises" for s in standings()
        )

    def _repr_html_(self) -> str:
        rows = []
        for part, numbers in PARTS.items():
            inside = [s for s in standings() if s.topic.number in numbers]
            if not inside:
                continue
            rows.append(f"<tr><th colspan='3' scope='colgroup'>{html.escape(part)}</th></tr>")
            rows += [_row(standing) for standing in inside]
        return f"<style>{_CSS}</style><table class='mlmap'>{''.join(rows)}</table>"


def _row(standing: Standing) -> str:
    topic = standing.topic
    share = 100 * standing.points / standing.out_of if standing.out_of else 0
    label = f"{standing.done} of {standing.exercises}"
    link = f"../{topic.folder}/{topic.slug}.ipynb"
    return (
        f"<tr><td><a href='{link}'>{topic.number:02d} · {html.escape(topic.title)}</a></td>"
        f"<td>{html.escape(topic.question)}</td>"
        f"<td><span class='mlbar' role='progressbar' aria-valuenow='{share:.0f}' aria-label='{label} exercises done'>"
        f"<span style='width:{share:.0f}%'></span></span> {label}</td></tr>"
    )


_CSS = """
.mlmap{border-collapse:collapse;font-size:14px;max-width:60em}
.mlmap th{text-align:left!important;padding:.8em .8em .2em 0!important;color:#0072B2;background:none!important}
.mlmap td{text-align:left!important;padding:.25em 1.4em .25em 0!important;vertical-align:top}
.mlmap tr{background:none!important}
.mlbar{display:inline-block;width:6em;height:.6em;border-radius:.3em;background:#d9d9d9;overflow:hidden;margin-right:.5em}
.mlbar span{display:block;height:100%;background:#009E73}
"""
