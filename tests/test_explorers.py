"""Every explorer at every position: its laws hold, nothing raises or warns, the axes stay, the words change."""

from __future__ import annotations

import importlib
import inspect
import io
import itertools
import pkgutil

import numpy as np
import pytest
from matplotlib.image import imread

import mlcore.explore
from mlcore.engine.explorers import Explorer, Slider, tell_error
from mlcore.engine.explorers.live import live
from mlcore.engine.explorers.picture import SHARPNESS, WIDTH
from mlcore.engine.explorers.sweep import positions

MODULES = [m.name for m in pkgutil.iter_modules(mlcore.explore.__path__) if not m.name.startswith("_")]


def explorers() -> list:
    found = []
    for name in MODULES:
        module = importlib.import_module(f"mlcore.explore.{name}")
        for value in vars(module).values():
            if inspect.isclass(value) and issubclass(value, Explorer) and value.__module__ == module.__name__:
                found.append(pytest.param(value, id=f"{name}-{value.__name__}"))
    return found


@pytest.mark.parametrize("kind", explorers())
class TestExplorer:
    def test_laws_hold_everywhere(self, kind):
        explorer = kind()
        assert explorer.invariants, "an explorer declares at least one invariant"
        for position in positions(explorer, np.random.default_rng(0)):
            state = explorer.compute(**position)
            for law in explorer.invariants:
                if not law.along:
                    assert law.holds(explorer, state), f"{law.says}: not at {position}"

    def test_laws_hold_between_neighbours(self, kind):
        explorer = kind()
        for law in explorer.invariants:
            if not law.along:
                continue
            rng = np.random.default_rng(1)
            for rest in [explorer.start, *list(positions(explorer, rng))[-3:]]:
                values = explorer.controls[law.along].grid(40)
                states = [explorer.compute(**(rest | {law.along: value})) for value in dict.fromkeys(values)]
                for before, after in itertools.pairwise(states):
                    assert law.holds(explorer, before, after), f"{law.says}: not along {law.along} from {rest}"

    @pytest.mark.filterwarnings("error")
    def test_every_position_is_drawn_and_told(self, kind):
        explorer = kind()
        said, limits = set(), None
        for position in positions(explorer, np.random.default_rng(2), count=8):
            png, text = explorer.picture(**position)
            assert imread(io.BytesIO(png)).shape[:2] == (explorer.height * SHARPNESS, WIDTH * SHARPNESS)
            now = [(axes.get_xlim(), axes.get_ylim()) for axes in explorer.figure.axes]
            assert limits in (None, now), f"the axes moved at {position}"
            limits = now
            assert len(text) > 40
            assert "nan" not in text.split()
            said.add(text)
        assert len(said) > 1 or not explorer.controls, "the words follow the numbers"

    def test_controls_are_few_labelled_and_start_inside(self, kind):
        assert len(kind.controls) <= 3
        for control in kind.controls.values():
            assert control.symbol or control.word
            if isinstance(control, Slider):
                assert control.low <= control.start <= control.high
                assert np.isclose(control.snap(control.start), control.start), "the start is a place of the slider"

    def test_widgets_move_the_picture(self, kind):
        explorer = kind()
        if not explorer.controls:
            pytest.skip("a still figure")
        png, says = explorer.picture()
        box = live(explorer, png, says, "mark")
        row, image, caption = box.children
        control = next(c for c in row.children if hasattr(c, "description") and c.description)
        before, told = image.value, caption.value
        if hasattr(control, "options"):
            control.value = control.options[-1]
        else:
            control.value = control.min if not hasattr(control, "base") else control.base**control.min
            if image.value == before:
                control.value = control.max if not hasattr(control, "base") else control.base**control.max
        assert image.value != before
        assert caption.value != told


def test_an_error_is_told_in_as_many_digits_as_are_no_rounding():
    assert [tell_error(e) for e in (0.254, 0.000254, 2.54e-8, 2.54e-13)] == ["0.25", "0.00025", "2.5e−08", "3e−13"]
    assert {tell_error(e) for e in (0.0, 2e-17, 9e-14)} == {"less than 1e−13"}
    assert tell_error(3e-12, floor=1e-11) == "less than 1e−11"
