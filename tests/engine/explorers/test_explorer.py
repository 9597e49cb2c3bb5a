"""What a subclass has of its bases, in which order artists are drawn, and which explorers there are."""

import importlib
import io
from types import ModuleType

import numpy as np
from matplotlib.image import imread
from matplotlib.patches import Rectangle

from mlcore.engine.explorers import Explorer, Pick, Slider, invariant
from mlcore.engine.explorers.picture import png
from mlcore.engine.explorers.search import find, find_all
from tests.engine.explorers import figures
from tests.engine.explorers.figures import Small, Sound


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


class Layers(Explorer):
    """Squares that cover each other, not registered in the order in which they are to be drawn."""

    height = 120

    def compute(self):
        return None

    def draw(self, figure):
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1])
        for at, (colour, zorder) in enumerate((("red", 5), ("green", 3), ("blue", 4), ("black", 3), ("orange", 5))):
            self.moving(axes.add_patch(Rectangle((0.1 * at, 0.1 * at), 0.5, 0.5, color=colour, zorder=zorder)))

    def describe(self, state):
        return "Five squares."


def test_what_moves_is_drawn_by_zorder_as_matplotlib_would():
    whole = Layers()
    whole.moving = lambda artist: artist
    pixels = imread(io.BytesIO(png(np.asarray(whole.figure.canvas.buffer_rgba()))))
    np.testing.assert_array_equal(imread(io.BytesIO(Layers().picture()[0])), pixels)
    assert (pixels[..., :3] == [1, 0, 0]).all(axis=-1).any(), "red is not covered by what came after it"


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
