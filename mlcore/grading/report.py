"""What the class misunderstood: one HTML page to project in the lecture, with no network behind it."""

from __future__ import annotations

import html
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mlcore.engine.exercises import Topic
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.verdict import Outcome
from mlcore.grading.gradebook import Record
from mlcore.grading.report_style import CSS, SCRIPT

WEAK = 0.5  # a share of the points below which a student needs help
DISCRIMINATES = 0.2  # a correlation with the rest of the notebook below which an exercise does not
FEWEST = 10  # students from which on that correlation means something
COLUMNS = 6  # mistakes of an exercise in the heat map


@dataclass(frozen=True)
class Item:
    """How the class did on one exercise."""

    exercise: Exercise
    outcomes: Counter[str]
    mistakes: Counter[str]
    students: int
    discrimination: float | None

    @property
    def judged(self) -> int:
        """Students with a verdict: where the exercise itself failed there is none."""
        return self.students - self.outcomes[Outcome.NOT_JUDGED]

    @property
    def right(self) -> float:
        return self.outcomes[Outcome.RIGHT] / self.judged if self.judged else 0.0

    @property
    def blank(self) -> float:
        return self.outcomes[Outcome.NOT_ATTEMPTED] / self.students

    @property
    def named(self) -> int:
        return sum(self.mistakes.values())


def items(topic: Topic, records: Sequence[Record]) -> list[Item]:
    """The exercises of a topic, the worst first."""
    found = []
    for exercise in (e for e in topic.exercises if e.parts):
        verdicts = [v for r in records for v in r.verdicts if v["name"] == exercise.name]
        if verdicts:
            outcomes = Counter(v["outcome"] for v in verdicts)
            mistakes = Counter(v["mistake"] for v in verdicts if v["mistake"])
            found.append(Item(exercise, outcomes, mistakes, len(verdicts), _discrimination(exercise.name, records)))
    return sorted(found, key=lambda item: (not item.judged, item.right, -item.named))


def _discrimination(name: str, records: Sequence[Record]) -> float | None:
    """The correlation of an exercise's points with those of the rest of the notebook."""
    own, rest = [], []
    for record in records:
        points = {v["name"]: float(v["points"]) for v in _judged(record)}
        if name in points:
            own.append(points.pop(name))
            rest.append(sum(points.values()))
    if len(own) < FEWEST or len(set(own)) < 2 or len(set(rest)) < 2:
        return None
    return statistics.correlation(own, rest)


def _judged(record: Record) -> list[dict]:
    return [v for v in record.verdicts if v["outcome"] != Outcome.NOT_JUDGED]


def _share(record: Record) -> float:
    """Of the points of what was judged."""
    out_of = sum(v["out_of"] for v in _judged(record))
    return sum(v["points"] for v in _judged(record)) / out_of if out_of else 0.0


def in_words(count: int, of: int) -> str:
    """`a third of you`, as one says it to a class; exact numbers where no such word is near."""
    words = {
        1: "all",
        2 / 3: "two thirds",
        3 / 4: "three quarters",
        1 / 2: "half",
        1 / 3: "a third",
        1 / 4: "a quarter",
    }
    words |= {1 / 5: "a fifth", 1 / 10: "a tenth"}
    share, word = min(words.items(), key=lambda pair: abs(pair[0] - count / of))
    exact = f"{count} of {of}"
    if of < 6 or abs(share - count / of) > 0.025:
        return f"{exact} of you"
    return f"{word} of you" if share == count / of else f"about {word} of you"


def page(title: str, groups: Sequence[tuple[Topic, Sequence[Record]]], names: dict[str, str]) -> str:
    """`names` is what to call each student: their name, or a number if names are hidden."""
    body = "".join(_group(topic, records, names) for topic, records in groups)
    links = "".join(f"<a href='#{t.folder}'>{html.escape(t.folder)}</a>" for t, _ in groups) if len(groups) > 1 else ""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{html.escape(title)}</title><style>{CSS}</style></head><body>"
        f"<header><h1>{html.escape(title)}</h1><nav>{links}</nav></header>{body}<script>{SCRIPT}</script></body></html>\n"
    )


def _group(topic: Topic, records: Sequence[Record], names: dict[str, str]) -> str:
    found = items(topic, records)
    shares = [_share(record) for record in records]
    mean = statistics.fmean(shares)
    return (
        f"<section class='topic' id='{topic.folder}'><h2>{topic.number:02d} · {html.escape(topic.title)}</h2>"
        f"<p class='lead'>{len(records)} {'student' if len(records) == 1 else 'students'}, "
        f"{len(found)} exercises, <b>{mean:.0%}</b> of the points on average.</p>"
        + _unjudged(found, records)
        + _headlines(found)
        + _histogram(shares)
        + _exercises(found)
        + _heat_map(found)
        + _items_to_mend(found)
        + _help(records, names)
        + _table(records, found, names)
        + "</section>"
    )


def _unjudged(found: Sequence[Item], records: Sequence[Record]) -> str:
    """The exercises that failed themselves: whom they owe a mark, and why."""
    rows = []
    for exercise in (item.exercise for item in found):
        said = [r.unjudged[exercise.name] for r in records if exercise.name in r.unjudged]
        if said:
            students = "1 student" if len(said) == 1 else f"{len(said)} students"
            why, _ = Counter(said).most_common(1)[0]
            rows.append(
                f"<li><a href='#{exercise.name}'>{exercise.number} · {html.escape(exercise.asks)}</a>, {students}. "
                f"{html.escape(why)}</li>"
            )
    says = "Could not be judged: a person marks these, and until then they count as neither right nor wrong"
    return f"<div class='unjudged'><b>{says}</b><ul>{''.join(rows)}</ul></div>" if rows else ""


def _headlines(found: Sequence[Item]) -> str:
    """The three mistakes that most of the class made, to be read from the last row."""
    ranked = sorted(
        ((count, says, item) for item in found for says, count in item.mistakes.items()), key=lambda t: -t[0]
    )
    cards = "".join(
        f"<article><b>{_capital(in_words(count, item.judged))}</b><p>{html.escape(says)}</p>"
        f"<a href='#{item.exercise.name}'>{item.exercise.number} · {html.escape(item.exercise.asks)}</a></article>"
        for count, says, item in ranked[:3]
    )
    return f"<div class='cards'>{cards}</div>" if cards else "<p>No catalogued mistake was made.</p>"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _histogram(shares: Sequence[float]) -> str:
    tenths = Counter(min(9, int(10 * share)) for share in shares)
    most = max(tenths.values())
    bars = "".join(
        f"<rect x='{40 * i + 4}' y='{90 - 80 * tenths[i] / most:.1f}' width='32' height='{80 * tenths[i] / most:.1f}'/>"
        f"<text x='{40 * i + 20}' y='104'>{10 * i}–{10 * i + 10}</text>"
        + (f"<text x='{40 * i + 20}' y='{86 - 80 * tenths[i] / most:.1f}'>{tenths[i]}</text>" if tenths[i] else "")
        for i in range(10)
    )
    says = ", ".join(f"{tenths[i]} between {10 * i} and {10 * i + 10}%" for i in range(10) if tenths[i])
    return (
        "<figure><svg class='histogram' viewBox='0 -8 400 116' role='img' "
        f"aria-label='Students by share of points: {says}'>{bars}</svg>"
        "<figcaption>Students by their share of the points, in per cent, before marks by hand.</figcaption></figure>"
    )


_PARTS = (
    ("right", "right", (Outcome.RIGHT,)),
    ("partly", "partly right", (Outcome.PARTLY,)),
    ("known", "known mistake", (Outcome.MISTAKE,)),
    ("wrong", "wrong otherwise", (Outcome.WRONG, Outcome.UNUSABLE, Outcome.RAISED, Outcome.BORROWED)),
    ("blank", "not attempted", (Outcome.NOT_ATTEMPTED,)),
    ("open", "could not be judged", (Outcome.NOT_JUDGED,)),
)


def _exercises(found: Sequence[Item]) -> str:
    seen = {outcome for item in found for outcome in item.outcomes}
    parts = [part for part in _PARTS if part[0] != "open" or seen & set(part[2])]
    key = "".join(f"<span class='{css}'>{label}</span>" for css, label, _ in parts)
    return f"<h3>Exercises, the hardest first</h3><p class='key'>{key}</p>" + "".join(map(_exercise, found))


def _exercise(item: Item) -> str:
    bars, says = [], []
    for css, label, outcomes in _PARTS:
        count = sum(item.outcomes[o] for o in outcomes)
        if count:
            bars.append(f"<span class='{css}' style='flex:{count}'>{count}</span>")
            says.append(f"{label} {count}")
    rows = "".join(
        f"<li><b>{count}</b> <span>{html.escape(says)}</span></li>" for says, count in item.mistakes.most_common()
    )
    exercise = item.exercise
    return (
        f"<div class='exercise' id='{exercise.name}'><h4>{exercise.number} · {html.escape(exercise.asks)} "
        f"<small>{f'{item.right:.0%} right' if item.judged else 'no verdict'}</small></h4>"
        f"<div class='bar' role='img' aria-label='Of {item.students}: {', '.join(says)}'>{''.join(bars)}</div>"
        + (f"<ol class='mistakes'>{rows}</ol>" if rows else "")
        + "</div>"
    )


def _heat_map(found: Sequence[Item]) -> str:
    """Exercises × their mistakes: the darker, the more students made it."""
    width = min(COLUMNS, max((len(item.mistakes) for item in found), default=0))
    head = "".join(f"<th scope='col'>{i + 1}.</th>" for i in range(width))
    rows = []
    for item in found:
        cells = []
        for says, count in item.mistakes.most_common(COLUMNS):
            share = count / item.judged
            label = html.escape(f"{count} of {item.judged}: {says}", quote=True)
            cells.append(
                f"<td style='background:rgb(213 94 0/{min(1, 0.08 + 2.2 * share):.2f})' "
                f"title='{label}' aria-label='{label}'>{count}</td>"
            )
        cells += ["<td></td>"] * (width - len(cells))
        label = f"{item.exercise.number} {html.escape(item.exercise.name)}"
        rows.append(f"<tr><th scope='row'><a href='#{item.exercise.name}'>{label}</a></th>{''.join(cells)}</tr>")
    return (
        "<h3>Mistakes at a glance</h3><p>Each exercise with its mistakes, the most common first, and how many students "
        "made each. Point at a number to read the sentence.</p>"
        f"<div class='scroll'><table class='heat'><thead><tr><th scope='col'>exercise</th>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _items_to_mend(found: Sequence[Item]) -> str:
    weak = [i for i in found if i.discrimination is not None and i.discrimination < DISCRIMINATES]
    if not any(item.discrimination is not None for item in found):
        return ""
    rows = "".join(
        f"<li>{i.exercise.number} · {html.escape(i.exercise.asks)}: "
        f"correlation {i.discrimination:.2f}, {i.right:.0%} right</li>"
        for i in weak
    )
    return "<h3>Exercises that do not discriminate</h3>" + (
        f"<p>Whoever did well elsewhere did not do better here (correlation with the rest below {DISCRIMINATES}). "
        f"Too easy, too hard, or asked unclearly?</p><ul>{rows}</ul>"
        if rows
        else f"<p>None: each goes with the rest of the notebook (correlation of {DISCRIMINATES} or more).</p>"
    )


def _help(records: Sequence[Record], names: dict[str, str]) -> str:
    rows = []
    for record in sorted(records, key=lambda r: sum(v["points"] for v in r.verdicts)):
        verdicts = _judged(record)
        points, out_of = (sum(v[key] for v in verdicts) for key in ("points", "out_of"))
        name = html.escape(names[record.student])
        blank = sum(v["outcome"] == Outcome.NOT_ATTEMPTED for v in verdicts)
        if points < WEAK * out_of or record.problem:
            rows.append(
                f"<li><b>{name}</b> {points:g} of {out_of:g} points, {blank} not attempted"
                + (f". {html.escape(record.problem)}" if record.problem else "")
                + "</li>"
            )
    says = f"<ul class='help'>{''.join(rows)}</ul>" if rows else "<p>Nobody is below half of the points.</p>"
    return f"<h3>Students who need help</h3>{says}"


def _table(records: Sequence[Record], found: Sequence[Item], names: dict[str, str]) -> str:
    order = sorted(found, key=lambda item: (len(item.exercise.number), item.exercise.number))
    head = "".join(
        f"<th scope='col'><button title='{html.escape(i.exercise.asks, quote=True)}'>{i.exercise.number}</button></th>"
        for i in order
    )
    tone = {outcome: css for css, _, outcomes in _PARTS for outcome in outcomes}
    rows = []
    for record in records:
        verdicts = {v["name"]: v for v in record.verdicts}
        cells = []
        for item in order:
            v = verdicts.get(item.exercise.name)
            if v is None:
                cells.append("<td></td>")
                continue
            label = html.escape(v["mistake"] or v["outcome"], quote=True)
            mark = "?" if v["outcome"] == Outcome.NOT_JUDGED else f"{v['points']:g}"
            cells.append(f"<td class='{tone[v['outcome']]}' title='{label}'>{mark}</td>")
        total = sum(v["points"] for v in record.verdicts)
        rows.append(
            f"<tr><th scope='row'>{html.escape(names[record.student])}</th><td>{total:g}</td>{''.join(cells)}</tr>"
        )
    return (
        "<h3>All students</h3><p><label>Filter by name or by a word of a mistake "
        "<input type='search' class='filter'></label></p>"
        "<div class='scroll'><table class='sortable'><thead><tr><th scope='col'><button>student</button></th>"
        f"<th scope='col'><button>points</button></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
