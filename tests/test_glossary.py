"""The glossary: every symbol is used where it is said to come first, every name is a name in the code, links lead."""

import ast
import re

import nbformat
import pytest

from mlcore.course import build, catalogue, glossary, source
from tests.conftest import ROOT

TOPICS = {topic.slug: topic for topic in catalogue.topics() if topic.number}
ROWS = [symbol for rows in glossary.symbols(ROOT).values() for symbol in rows]
HEAD = (
    r"\\(?:hat|bar|tilde|mathrm)[ {]*\w+|\\[a-zA-Z]+|[A-Z]{2}|[A-Za-z]"  # how a symbol starts: \hat y, \lambda, TP, w
)


def said(slug: str) -> str:
    """What a notebook and its module say, as text; not the rows that it gives the glossary."""
    topic = TOPICS[slug]
    files = (ROOT / "solutions" / f"{topic.folder}.py", ROOT / "mlcore" / f"{topic.slug}.py")
    return "\n".join(path.read_text(encoding="utf-8").partition("# %% symbols")[0] for path in files)


def names_in_code() -> set[str]:
    found = set()
    for topic in TOPICS.values():
        for path in (ROOT / "solutions" / f"{topic.folder}.py", ROOT / "mlcore" / f"{topic.slug}.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                found |= {getattr(node, kind) for kind in ("id", "arg", "attr", "name") if hasattr(node, kind)}
    return found


def test_every_topic_gives_it_symbols_and_all_links_lead():
    assert len(ROWS) > 80
    assert {slug for row in ROWS for slug in row.topics} == set(TOPICS)
    links = set(re.findall(r"\]\(([^)]+\.ipynb)\)", glossary.text(ROOT)))
    assert links == {topic.path for topic in TOPICS.values()}
    assert [link for link in links if not (ROOT / "notebooks" / link).exists()] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.symbol)
def test_a_symbol_stands_where_it_is_said_to_come_first(row):
    text = "\n".join(said(slug) for slug in row.topics)
    symbols = [
        piece for math in re.findall(r"\$([^$]+)\$", row.symbol) for piece in re.split(r"[,;]", math.split("=")[0])
    ]
    heads = [match[0] for match in (re.match(HEAD, symbol.strip()) for symbol in symbols) if match]
    assert heads
    assert [head for head in heads if not re.search(rf"(?<![A-Za-z\\]){re.escape(head)}(?![A-Za-z])", text)] == []


def test_sections_are_those_of_the_introduction():
    """A new section is allowed; one that nobody fills is not."""
    assert [section for section, rows in glossary.symbols(ROOT).items() if not rows] == []


def test_names_are_names_in_the_code():
    known = names_in_code()
    given = [name for row in ROWS for name in re.findall(r"`([^`]+)`", row.code) if not name.startswith("(")]
    assert [name for name in given if name.rpartition(".")[2] not in known] == []


def test_is_a_notebook_of_one_text_cell_and_no_topic():
    notebook = nbformat.read(ROOT / "notebooks" / "glossary.ipynb", as_version=4)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown"]
    committed = (ROOT / "notebooks" / "glossary.ipynb").read_text(encoding="utf-8")
    assert build.glossary_notebook(ROOT) == committed, "run `make build`"
    assert "glossary" not in {topic.slug for topic in catalogue.topics()}


@pytest.mark.parametrize(("topic", "path"), [pytest.param(t, p, id=t.slug) for t, p in source.sources(ROOT)])
def test_every_notebook_links_to_it_in_its_title(topic, path):
    title, *rest = build.solved(topic, path).cells
    assert title.source.count("(../glossary.ipynb)") == 1
    assert not any("glossary.ipynb" in cell.source for cell in rest)
