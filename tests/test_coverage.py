"""docs/coverage.md: every exercise, figure and equation that it names exists in the notebook that it names."""

import importlib
import re

import pytest

from mlcore.course import catalogue
from mlcore.engine.explorers.search import find
from tests.conftest import ROOT

ROWS = [
    re.split(r"(?<!\\)\|", line.strip("|"))
    for line in (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not re.match(r"\| (source|figure) \|", line)
]
TOPICS = {topic.number: topic for topic in catalogue.topics()}


def places(cell: str) -> list[tuple[int, str]]:
    """`04 `ols_fit`, (4.6); 05 `Paths`` as (4, "ols_fit"), (4, "4.6"), (5, "Paths")."""
    found = []
    for part in cell.split(";"):
        number, _, named = part.strip().partition(" ")
        assert re.fullmatch(r"\d\d", number), f"{cell!r} does not start with a notebook"
        names = re.findall(r"`(\w+)`|\((\d+\.\d+)\)", named)
        assert names and re.sub(r"`\w+`|\(\d+\.\d+\)|[, ]", "", named) == "", f"{cell!r} has more than names and tags"
        found += [(int(number), name or tag) for name, tag in names]
    return found


def exists(number: int, name: str) -> bool:
    topic = TOPICS.get(number)
    if topic is None:
        return False
    if "." in name:
        module = (ROOT / "mlcore" / f"{topic.slug}.py").read_text(encoding="utf-8")
        notebook = (ROOT / "solutions" / f"{topic.folder}.py").read_text(encoding="utf-8")
        return f"({name})" in module and (f"{{{name}}}" in notebook or f"({name})" in notebook)
    if name[0].isupper():
        return name in {kind.__name__ for kind in find(importlib.import_module(f"mlcore.explore.{topic.slug}"))}
    return name in {exercise.name for exercise in topic.exercises}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_what_is_named_exists(row):
    missing = [f"{number:02d} {name}" for number, name in places(row[-1]) if not exists(number, name)]
    assert missing == []


def test_every_source_and_every_notebook_is_there():
    text = " ".join(row[0] for row in ROWS)
    assert all(f"00{source} " in text for source in range(5))
    asked_nothing = {28}  # the texts have no exercise on sequences
    assert set(range(1, 30)) - asked_nothing <= {number for row in ROWS for number, _ in places(row[-1])}
