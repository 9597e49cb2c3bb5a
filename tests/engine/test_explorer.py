"""What a subclass has of its bases, in which order artists are drawn, and which explorers there are."""

import importlib
from types import ModuleType

from mlcore.engine.explorers.search import find, find_all
from tests.engine import figures
from tests.engine.figures import Small, Sound


def test_a_module_has_the_explorers_that_it_defines_in_their_order():
    assert find(figures) == [Sound, Small]
    other = ModuleType("other")
    other.Sound, other.number = Sound, 3
    assert find(other) == []


def test_a_package_has_those_of_all_its_modules(tmp_path, monkeypatch):
    (tmp_path / "planted").mkdir()
    for name, text in (("__init__", ""), ("one", "class B(Explorer): ...\nclass A(B): ..."), ("two", "C = Explorer")):
        (tmp_path / "planted" / f"{name}.py").write_text(f"from mlcore.engine.explorers import Explorer\n{text}\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert [kind.__name__ for kind in find_all(importlib.import_module("planted"))] == ["B", "A"]
