"""The glossary of symbols: an introduction by hand, and rows that the topics' own sources give.

`solutions/glossary.md` has the introduction and the order of the sections. A source has, for a section, a cell
`# %% symbols SECTION [markdown]` with rows `| symbol | meaning | in code |`; a fourth column names further notebooks
in which the symbol comes first with this meaning. A row may go on in a line that does not start with `|`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlcore.course import catalogue, places
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic

HEADING = "| symbol | meaning | in code | first in |\n|---|---|---|---|"


@dataclass(frozen=True)
class Symbol:
    """A row: what it means, what it is called in code, and the topics in which it comes first."""

    symbol: str
    meaning: str
    code: str
    topics: tuple[str, ...]  # their slugs

    def __str__(self) -> str:
        first = ", ".join(_link(catalogue.load(slug)) for slug in self.topics)
        return f"| {self.symbol} | {self.meaning} | {self.code} | {first} |"


def symbols(root: Path) -> dict[str, list[Symbol]]:
    """The sections and their rows: sections as the introduction has them, rows in the order of the course."""
    sections: dict[str, list[Symbol]] = {name: [] for name in re.findall(r"^## (.+)$", _introduction(root), re.M)}
    for topic in catalogue.topics():
        for section, symbol in given(topic, root):
            sections.setdefault(section, []).append(symbol)
    return sections


def given(topic: Topic, root: Path) -> Iterator[tuple[str, Symbol]]:
    """The rows that a topic gives, each with its section."""
    path = places.solution(topic, root)
    for section, line, rows in _cells(path) if path.is_file() else ():
        for symbol in _rows(topic, f"solutions/{path.name}:{line}", rows):
            yield section, symbol


def text(root: Path) -> str:
    """The whole glossary, in Markdown."""
    parts = [re.split(r"^## ", _introduction(root), maxsplit=1, flags=re.M)[0].strip()]
    for section, rows in symbols(root).items():
        if rows:
            parts.append("\n".join([f"## {section}\n", HEADING, *map(str, rows)]))
    return "\n\n".join(parts)


def _introduction(root: Path) -> str:
    return (root / "solutions" / "glossary.md").read_text(encoding="utf-8")


def _cells(path: Path) -> Iterator[tuple[str, int, str]]:
    """The cells with symbols: section, line, and rows."""
    text = path.read_text(encoding="utf-8")
    for cell in re.finditer(r"^# %% symbols (.+?) \[markdown\]\n((?:#.*\n?)*)", text, re.M):
        rows = re.sub(r"^# ?", "", cell[2].partition("\n# %%")[0], flags=re.M)
        yield cell[1], text.count("\n", 0, cell.start()) + 1, re.sub(r"\n(?!\|)", " ", rows.strip())


def _rows(topic: Topic, at: str, rows: str) -> Iterator[Symbol]:
    for row in rows.splitlines():
        columns = [column.strip() for column in row.strip().strip("|").split("|")]
        if len(columns) not in (3, 4) or not all(columns):
            raise Problem(f"{at}: a row of the glossary is `| symbol | meaning | in code |`, got {row[:80]!r}")
        symbol, meaning, code, *others = columns
        slugs = others[0].split(", ") if others else []
        if strange := [slug for slug in slugs if slug not in catalogue.slugs()]:
            raise Problem(f"{at}: {strange[0]!r} is no topic")
        yield Symbol(symbol, meaning, code, (topic.slug, *slugs))


def _link(topic: Topic) -> str:
    return f"[{topic.number:02d}]({topic.path})"
