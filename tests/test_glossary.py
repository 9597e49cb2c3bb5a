"""The glossary: every symbol is used where it is said to come first, every name is a name in the code, links lead."""

import ast
import re

import nbformat
import pytest

from mlcore import build
from mlcore.checks import _catalogue
from tests.conftest import ROOT

TEXT = (ROOT / "solutions" / "glossary.md").read_text(encoding="utf-8")
LINKS = dict(re.findall(r"^\[(\d\d)\]: (\S+)$", TEXT, re.MULTILINE))
TOPICS = {f"{topic.number:02d}": topic for topic in _catalogue.topics() if topic.number}
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if re.match(r"\| *[$]", line)
]
HEAD = (
    r"\\(?:hat|bar|tilde|mathrm)[ {]*\w+|\\[a-zA-Z]+|[A-Z]{2}|[A-Za-z]"  # how a symbol starts: \hat y, \lambda, TP, w
)


def source(number: str) -> str:
    """What a notebook and its module say, as text."""
    topic = TOPICS[number]
    files = (ROOT / "solutions" / f"{topic.folder}.py", ROOT / "mlcore" / f"{topic.slug}.py")
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def names_in_code() -> set[str]:
    found = set()
    for number in TOPICS:
        topic = TOPICS[number]
        for path in (ROOT / "solutions" / f"{topic.folder}.py", ROOT / "mlcore" / f"{topic.slug}.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                found |= {getattr(node, kind) for kind in ("id", "arg", "attr", "name") if hasattr(node, kind)}
    return found


def test_every_topic_has_its_link_and_no_other():
    assert {number: f"{t.folder}/{t.slug}.ipynb" for number, t in TOPICS.items()} == LINKS
    assert [link for link in LINKS.values() if not (ROOT / "notebooks" / link).exists()] == []


def test_rows_are_whole():
    assert len(ROWS) > 80
    assert [row for row in ROWS if len(row) != 4 or not all(row) or not re.search(r"\[\d\d\]", row[3])] == []
    assert {number for row in ROWS for number in re.findall(r"\[(\d\d)\]", row[3])} == set(LINKS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_symbol_stands_where_it_is_said_to_come_first(row):
    text = "\n".join(source(number) for number in re.findall(r"\[(\d\d)\]", row[3]))
    symbols = [piece for math in re.findall(r"\$([^$]+)\$", row[0]) for piece in re.split(r"[,;]", math.split("=")[0])]
    heads = [match[0] for match in (re.match(HEAD, symbol.strip()) for symbol in symbols) if match]
    assert heads
    assert [head for head in heads if not re.search(rf"(?<![A-Za-z\\]){re.escape(head)}(?![A-Za-z])", text)] == []


def test_names_are_names_in_the_code():
    known = names_in_code()
    given = [name for row in ROWS for name in re.findall(r"`([^`]+)`", row[2]) if not name.startswith("(")]
    assert [name for name in given if name.rpartition(".")[2] not in known] == []


def test_is_a_notebook_of_one_text_cell_and_no_topic():
    notebook = nbformat.read(ROOT / "notebooks" / "glossary.ipynb", as_version=4)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown"]
    committed = (ROOT / "notebooks" / "glossary.ipynb").read_text(encoding="utf-8")
    assert build.glossary(ROOT / "solutions" / "glossary.md") == committed, "run `make build`"
    assert "glossary" not in {topic.slug for topic in _catalogue.topics()}


@pytest.mark.parametrize(("topic", "path"), [pytest.param(t, p, id=t.slug) for t, p in build.sources(ROOT)])
def test_every_notebook_links_to_it_in_its_title(topic, path):
    title, *rest = build.solved(topic, path).cells
    assert title.source.count("(../glossary.ipynb)") == 1
    assert not any("glossary.ipynb" in cell.source for cell in rest)
