"""What a subclass has of its bases, in which order artists are drawn, and which explorers there are."""

import importlib
from types import ModuleType

from mlcore.engine.explorers import Pick, Slider, invariant
from mlcore.engine.explorers.search import find, find_all
from tests.engine import figures
from tests.engine.figures import Small, Sound


class TestSubclass:
    def test_has_the_controls_and_the_laws_of_its_bases_first(self):
        class More(Small):
            shift = Slider("b", "shift", 0.0, 1.0, 0.5)

            @invariant("the shift is none")
            def _none(self, state):
                return True

        assert list(More.controls) == ["slope", "sign", "shift"]
        assert [law.says for law in More.invariants] == [law.says for law in Sound.invariants] + ["the shift is none"]
        assert More().start == {"slope": 1.0, "sign": "up", "shift": 0.5}

    def test_leaves_its_base_as_it_is(self):
        class More(Sound):
            slope = None
            shift = Slider("b", "shift", 0.0, 1.0, 0.5)

        assert list(More.controls) == ["sign", "shift"]
        assert list(Sound.controls) == ["slope", "sign"]

    def test_puts_its_own_in_the_place_of_its_bases(self):
        class Other(Sound):
            slope = Slider("a", "slope", 0.0, 9.0, 3.0)

            @invariant("the end is below 10")
            def _far(self, state):
                return abs(state.y) < 10

        assert list(Other.controls) == ["slope", "sign"]
        assert Other.controls["slope"].high == 9
        assert [law.says for law in Other.invariants] == ["the end is below 10", "a steeper line ends farther out"]
        state = Other().compute(**Other().start)
        assert Other.invariants[0].holds(Other(), state)

    def test_takes_away_with_none_and_may_bring_back(self):
        class Less(Sound):
            sign = None
            _far = None

        class Again(Less):
            sign = Pick("", "sign", ("down", "up"))

        assert list(Less.controls) == ["slope"]
        assert [law.says for law in Less.invariants] == ["a steeper line ends farther out"]
        assert list(Again.controls) == ["slope", "sign"]
        assert Again().start["sign"] == "down"

    def test_of_two_bases_has_what_it_inherits(self):
        class Left:
            slope = Slider("a", "slope", 0.0, 5.0, 4.0)

        class Both(Left, Sound):
            pass

        assert Both.controls["slope"].high == Both.slope.high == 5


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
