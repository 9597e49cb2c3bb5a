"""How far the student has come, and the course as a page."""

from __future__ import annotations

import html
from dataclasses import dataclass

from mlcore.course import catalogue
from mlcore.engine.exercises import Topic, progress


@dataclass(frozen=True)
class Standing:
    """How far the student has come in one topic. Explanations are marked by a person and do not count here."""

    topic: Topic
    done: int
    exercises: int
    points: float
    out_of: float


def standings() -> dict[str, list[Standing]]:
    """The parts of the course, and where the student stands in each of their topics."""
    records = progress.read()
    return {part: [_standing(topic, records) for topic in inside] for part, inside in catalogue.parts().items()}


def _standing(topic: Topic, records: dict) -> Standing:
    exercises = [e for e in topic.exercises if e.parts]
    points = [min(records.get(e.name, {}).get("points", 0), e.points) for e in exercises]
    done = sum(p == e.points for p, e in zip(points, exercises, strict=True))
    return Standing(topic, done, len(exercises), sum(points), sum(e.points for e in exercises))


class Map:
    """The course as a page: its parts, the questions, and a bar for what is done."""

    def __repr__(self) -> str:
        lines = [
            f"{s.topic.number:02d} {s.topic.title}: {s.done} of {s.exercises} exercises"
            for inside in standings().values()
            for s in inside
        ]
        return "\n".join(lines + [_missing(line) for line in catalogue.shelf().broken])

    def _repr_html_(self) -> str:
        rows = []
        for part, inside in standings().items():
            rows.append(f"<tr><th colspan='3' scope='colgroup'>{html.escape(part)}</th></tr>")
            rows += [_row(standing) for standing in inside]
        broken = "".join(f"<p>{html.escape(_missing(line))}</p>" for line in catalogue.shelf().broken)
        return f"<style>{_CSS}</style><table class='mlmap'>{''.join(rows)}</table>{broken}"


def _missing(line: str) -> str:
    return f"A topic is missing here: {line}"


def _row(standing: Standing) -> str:
    topic = standing.topic
    share = 100 * standing.points / standing.out_of if standing.out_of else 0
    label = f"{standing.done} of {standing.exercises}"
    return (
        f"<tr><td><a href='../{topic.path}'>{topic.number:02d} · {html.escape(topic.title)}</a></td>"
        f"<td>{html.escape(topic.question)}</td>"
        f"<td><span class='mlbar' role='progressbar' aria-valuenow='{share:.0f}' aria-label='{label} exercises done'>"
        f"<span style='width:{share:.0f}%'></span></span> {label}</td></tr>"
    )


_CSS = """
.mlmap{border-collapse:collapse;font-size:14px;max-width:60em}
.mlmap th{text-align:left!important;padding:.8em .8em .2em 0!important;color:#0072B2;background:none!important}
.mlmap td{text-align:left!important;padding:.25em 1.4em .25em 0!important;vertical-align:top}
.mlmap tr{background:none!important}
.mlmap td:last-child{white-space:nowrap}
.mlbar{display:inline-block;width:6em;height:.6em;border-radius:.3em;background:#d9d9d9;overflow:hidden;margin-right:.5em}
.mlbar span{display:block;height:100%;background:#009E73}
"""
