"""The house rules: which way imports go, what a topic must have, that data say where they come from."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets

from mlcore import data
from mlcore.authoring import rules
from mlcore.course import catalogue

ROOT = Path(__file__).resolve().parents[1]
TOPICS = list(catalogue.topics())
DATA = sorted(path.stem for path in (ROOT / "mlcore" / "data").glob("*.csv"))


ROOMS = {
    "engine/asking": {"numpy"},
    "engine/reading": set(),
    "engine/exercises": {"engine/asking", "engine/reading", "engine"},
    "engine/explorers": {"engine"},
    "engine": set(),
    "data": set(),
    "mathematics": {"mathematics"},
    "checks": {"mathematics", "data", "engine/exercises"},
    "explore": {"mathematics", "data", "engine/explorers"},
    "course": {"checks", "engine", "engine/asking", "engine/exercises"},
    "authoring": {
        "course",
        "checks",
        "explore",
        "engine",
        "engine/asking",
        "engine/reading",
        "engine/exercises",
        "engine/explorers",
    },
    "grading": {"course", "checks", "engine", "engine/asking", "engine/reading", "engine/exercises", "data"},
    "door": {"course", "authoring", "grading", "engine"},
}


def room_of(module: str) -> str:
    """The room in which a module of ours stands."""
    parts = module.split(".")[1:]
    for length in (2, 1):
        if "/".join(parts[:length]) in ROOMS:
            return "/".join(parts[:length])
    return "mathematics" if parts else "door"


def sources() -> list:
    found = []
    for path in sorted((ROOT / "mlcore").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found.append(
            pytest.param(
                path, "door" if path.stem == "__main__" and path.parent.name == "mlcore" else room_of(module), id=module
            )
        )
    return found


@pytest.mark.parametrize(("path", "room"), sources())
class TestImports:
    def test_go_one_way(self, path, room):
        ours = {name for _, name in rules.imports(path) if name.split(".")[0] == "mlcore"}
        known = {name for name in ours if is_module(name)}
        assert {room_of(name) for name in known if name != "mlcore"} - {room} <= ROOMS[room]

    def test_take_nothing_private_from_another_room(self, path, room):
        for _, name in rules.imports(path):
            if name.startswith("mlcore.") and room_of(name) != room:
                assert not any(part.startswith("_") for part in name.split(".")), name


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


@pytest.mark.parametrize("topic", TOPICS, ids=lambda t: t.slug)
@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_every_topic_keeps_the_rules_of_the_house(rule, topic):
    assert list(rule(topic, ROOT)) == []


def test_the_plan_in_contributing_has_every_room():
    plan = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = {path.name for path in (ROOT / "mlcore").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert sorted(room for room in folders if f"`mlcore/{room}/" not in plan) == []


def test_contributing_has_every_rule():
    """In words, each behind its name."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [rule.__name__ for rule in rules.RULES if f"`{rule.__name__}`" not in text] == []


def test_checking_does_not_load_figures():
    code = "import sys, mlcore.checks.ridge; print(sorted({'matplotlib', 'ipywidgets', 'IPython'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_engine_alone_loads_no_figures():
    code = "import sys, mlcore.engine; print(sorted({'matplotlib', 'ipywidgets', 'IPython'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("room", ["checks", "explore"])
def test_the_rooms_of_content_hold_nothing_else(room):
    """A file for each topic, and a package's docstring."""
    names = {path.stem for path in (ROOT / "mlcore" / room).glob("*.py")}
    assert names - {"__init__"} <= set(catalogue.slugs())
    (only,) = ast.parse((ROOT / "mlcore" / room / "__init__.py").read_text(encoding="utf-8")).body
    assert isinstance(only, ast.Expr), "a docstring"


@pytest.mark.parametrize("name", DATA)
class TestData:
    def test_says_its_source_and_licence(self, name):
        about = data.load(name).about
        assert "**Source.**" in about
        assert "licence" in about

    def test_is_what_scikit_learn_has(self, name):
        peer = getattr(sklearn.datasets, f"load_{name}")(**({"scaled": False} if name == "diabetes" else {}))
        ours = data.load(name)
        np.testing.assert_allclose(ours.X, peer.data)
        np.testing.assert_allclose(ours.y, peer.target)

    def test_cannot_be_changed_by_accident(self, name):
        with pytest.raises(ValueError, match="read-only"):
            data.load(name).X[0, 0] = 1


def test_standardised():
    X, y = data.load("diabetes").standardised()
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.var(axis=0), 1)
    np.testing.assert_allclose(y.mean(), 0, atol=1e-12)


def test_unknown_data_set_gets_one_line():
    with pytest.raises(ValueError, match=r"there is no data set 'moons'; there are diabetes, digits, iris"):
        data.load("moons")
