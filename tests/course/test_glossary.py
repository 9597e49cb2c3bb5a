"""The glossary: every symbol is used where it is said to come first, every name is a name in the code, links lead."""

import re

import nbformat
import pytest

from mlcore.authoring import symbols
from mlcore.course import build, catalogue, glossary, source
from tests.conftest import ROOT

TOPICS = {topic.slug: topic for topic in catalogue.topics() if topic.number}
ROWS = [symbol for rows in glossary.symbols(ROOT).values() for symbol in rows]


def test_every_topic_gives_it_symbols_and_all_links_lead():
    assert len(ROWS) > 80
    assert {slug for row in ROWS for slug in row.topics} == set(TOPICS)
    links = set(re.findall(r"\]\(([^)]+\.ipynb)\)", glossary.text(ROOT)))
    assert links == {topic.path for topic in TOPICS.values()}
    assert [link for link in links if not (ROOT / "notebooks" / link).exists()] == []


@pytest.mark.parametrize("topic", catalogue.topics(), ids=lambda topic: topic.slug)
def test_a_symbol_stands_where_it_is_said_to_come_first_and_its_name_in_the_code(topic):
    assert list(symbols.astray(topic, ROOT)) == []


def test_a_symbol_astray_is_told(monkeypatch):
    rows = [
        glossary.Symbol(r"$\Omega$", "nothing", "`fit`", ("ridge",)),
        glossary.Symbol("$w$", "weights", "`no_such_name`", ("ridge",)),
        glossary.Symbol("w", "weights", "`w`", ("ridge",)),
    ]
    monkeypatch.setattr(glossary, "given", lambda topic, root: [("Data", row) for row in rows])
    told = [line.partition(": ")[2] for line in symbols.astray(catalogue.load("ridge"), ROOT)]
    assert told == [
        r"\Omega stands neither in the notebook nor in its module",
        "`no_such_name` is no name in the code",
        "w is no symbol: write it as $…$",
    ]


def test_sections_are_those_of_the_introduction():
    """A new section is allowed; one that nobody fills is not."""
    assert [section for section, rows in glossary.symbols(ROOT).items() if not rows] == []


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
