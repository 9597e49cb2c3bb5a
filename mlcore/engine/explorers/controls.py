"""The controls: a slider, a slider along a scale, and one of a few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Slider:
    """A number that the student moves: its symbol and its word, its range, and where it starts."""

    symbol: str
    word: str
    low: float
    high: float
    start: float
    step: float = 0.0  # 0: a hundred steps
    play: bool = False  # a button that walks through the values

    def grid(self, count: int) -> list[float]:
        return [self.snap(v) for v in np.linspace(self.low, self.high, count)]

    def snap(self, value: float) -> float:
        """The nearest value that the control can show."""
        step = self.step or (self.high - self.low) / 100
        snapped = self.low + round((value - self.low) / step) * step
        return type(self.start)(min(max(snapped, self.low), self.high))

    def widget(self) -> Any:
        import ipywidgets

        whole = isinstance(self.start, int)
        make = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
        step = self.step or (self.high - self.low) / 100
        return make(
            value=self.start,
            min=self.low,
            max=self.high,
            step=step,
            readout_format="d" if whole else ".3",
            **_labelled(self),
        )


@dataclass(frozen=True)
class LogSlider(Slider):
    """A scale, such as a penalty: equal steps multiply."""

    def grid(self, count: int) -> list[float]:
        return [self.snap(v) for v in np.geomspace(self.low, self.high, count)]

    def snap(self, value: float) -> float:
        low, high = np.log10(self.low), np.log10(self.high)
        step = self.step or 0.1
        return float(10 ** min(low + round((np.log10(value) - low) / step) * step, high))

    def widget(self) -> Any:
        import ipywidgets

        return ipywidgets.FloatLogSlider(
            value=self.start,
            min=np.log10(self.low),
            max=np.log10(self.high),
            step=self.step or 0.1,
            readout_format=".4",
            **_labelled(self),
        )


@dataclass(frozen=True)
class Pick:
    """One of a few: a method, a data set."""

    symbol: str
    word: str
    options: tuple[str, ...]

    @property
    def start(self) -> str:
        return self.options[0]

    def grid(self, count: int) -> list[str]:
        return list(self.options)

    def widget(self) -> Any:
        import ipywidgets

        label = f"{self.symbol} {self.word}".strip()
        return ipywidgets.ToggleButtons(
            options=self.options,
            description=label,
            style={"description_width": "initial", "button_width": "auto"},
            layout={"min_width": f"{20 + 7 * len(label)}px"},  # the label stands above, and may be longer than the row
        )


Control = Slider | Pick


def _labelled(control: Slider) -> dict[str, Any]:
    label = f"{control.symbol} {control.word}".strip()
    return {
        "description": label,
        "style": {"description_width": "initial"},
        "layout": {"width": f"{260 + 7 * len(label)}px"},
        "continuous_update": True,
    }
