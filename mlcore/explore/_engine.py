"""Explorers: a figure that is made once, and controls that move it.

An explorer says what its controls are, computes the numbers of a position, moves its artists
to them and tells them in words. Everything else is here: the controls, drawing only what moves,
the picture, its alternative text, and the laws that the tests check at every position.
"""

from __future__ import annotations

import base64
import html
import io
import itertools
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import matplotlib
import numpy as np
from isal import isal_zlib
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mlcore.explore import _style

WIDTH = 760  # CSS pixels
SHARPNESS = 1.5  # device pixels to a CSS pixel


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


@dataclass(frozen=True)
class Invariant:
    """Something that holds at every position, or between every two neighbours along a control."""

    says: str
    holds: Callable[..., bool]
    along: str = ""


def invariant(says: str, along: str = "") -> Callable[[Callable], Callable]:
    """Mark a method as a law: `holds(self, state)`, or `holds(self, before, after)` with `along` a control."""

    def mark(method: Callable) -> Callable:
        method.invariant = Invariant(says, method, along)  # type: ignore[attr-defined]
        return method

    return mark


class Explorer:
    """Subclasses declare controls as class attributes and define `compute`, `draw`, `update` and `describe`."""

    height: ClassVar[int] = 340  # CSS pixels
    controls: ClassVar[dict[str, Control]] = {}
    invariants: ClassVar[list[Invariant]] = []

    def __init_subclass__(cls) -> None:
        cls.controls = {name: value for name, value in vars(cls).items() if isinstance(value, Control)}
        cls.invariants = [m.invariant for m in vars(cls).values() if hasattr(m, "invariant")]

    def __init__(self) -> None:
        self.prepare()
        self._figure: Figure | None = None
        self._moving: list[Artist] = []
        self._background: Any = None

    # --- what a subclass defines ---

    def prepare(self) -> None:
        """Compute once what no control changes."""

    def compute(self, *args: Any, **position: Any) -> SimpleNamespace:
        """The numbers shown at a position of the controls."""
        raise NotImplementedError

    def draw(self, figure: Figure) -> None:
        """Make the axes, with fixed limits, and the artists; `self.moving(artist)` for those that move."""
        raise NotImplementedError

    def update(self, state: SimpleNamespace) -> None:
        """Move the artists to a state."""

    def describe(self, state: SimpleNamespace) -> str:
        """What the picture shows, in words and numbers."""
        raise NotImplementedError

    # --- what follows from it ---

    @property
    def start(self) -> dict[str, Any]:
        return {name: control.start for name, control in self.controls.items()}

    def moving(self, artist: Any) -> Any:
        """Register an artist that moves with the controls; returns it."""
        artist.set_animated(True)
        self._moving.append(artist)
        return artist

    def picture(self, **position: Any) -> tuple[bytes, str]:
        """The picture at a position as PNG, and its alternative text."""
        state = self.compute(**(self.start | position))
        if self._figure is None:
            self._make()
        assert self._figure is not None
        canvas = self._figure.canvas
        assert isinstance(canvas, FigureCanvasAgg)
        self.update(state)
        canvas.restore_region(self._background)
        with matplotlib.rc_context(_style.RC):
            for artist in self._moving:
                self._figure.draw_artist(artist)
        return _png(np.asarray(canvas.buffer_rgba())), self.describe(state)

    def _make(self) -> None:
        dpi = 100 * SHARPNESS
        with matplotlib.rc_context(_style.RC):
            figure = Figure(figsize=(WIDTH / 100, self.height / 100), dpi=dpi, layout="constrained")
            canvas = FigureCanvasAgg(figure)
            self.draw(figure)
            canvas.draw()
            figure.set_layout_engine("none")  # the axes stay where they are
        self._background = canvas.copy_from_bbox(figure.bbox)
        self._figure = figure

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, display

        png, says = self.picture()
        mark = f"mlx-{type(self).__module__.rpartition('.')[2]}-{type(self).__name__}".lower()
        if self.controls:
            display(self._live(png, says, mark))
        display(HTML(_still(png, says, mark if self.controls else "")))

    def _live(self, png: bytes, says: str, mark: str) -> Any:
        import ipywidgets

        # ipywidgets' Image has no alternative text (and breaks with a tooltip): the caption is a live region.
        image = ipywidgets.Image(value=png, format="png", width=WIDTH, height=self.height)
        caption = ipywidgets.HTML(_caption(says))
        widgets = {name: control.widget() for name, control in self.controls.items()}

        def move(_change: Any) -> None:
            image.value, text = self.picture(**{name: widget.value for name, widget in widgets.items()})
            caption.value = _caption(text)

        row = []
        for name, widget in widgets.items():
            widget.observe(move, names="value")
            if getattr(self.controls[name], "play", False):
                row.append(_player(widget))
            row.append(widget)
        box = ipywidgets.VBox([ipywidgets.HBox(row, layout={"flex_flow": "row wrap"}), image, caption])
        box.add_class(mark)
        return box


def _player(slider: Any) -> Any:
    """A play button that walks a slider through its values."""
    import ipywidgets

    play = ipywidgets.Play(value=slider.value, min=slider.min, max=slider.max, step=slider.step, interval=600)
    ipywidgets.jslink((play, "value"), (slider, "value"))
    return play


def positions(explorer: Explorer, rng: np.random.Generator, count: int = 12) -> Iterator[dict[str, Any]]:
    """Where the tests look: the start, both ends and a grid of every control, all corners, random places."""
    controls, start = explorer.controls, explorer.start
    yield start
    for name, control in controls.items():
        for value in control.grid(count):
            yield start | {name: value}
    for corner in itertools.product(*({c.grid(count)[0], c.grid(count)[-1]} for c in controls.values())):
        yield dict(zip(controls, corner, strict=True))
    for _ in range(count):
        yield {name: rng.choice(np.array(c.grid(101), dtype=object)) for name, c in controls.items()}


def _caption(says: str) -> str:
    return (
        f"<div role='status' aria-live='polite' style='max-width:{WIDTH}px;line-height:1.45;"
        f"color:var(--jp-content-font-color2,#555)'>{html.escape(says)}</div>"
    )


def _still(png: bytes, says: str, live: str) -> str:
    """The picture without a kernel. Where the live one stands on the same page, this one hides."""
    hide = f"<style>body:has(.{live} img) .{live}-still{{display:none}}</style>" if live else ""
    data = base64.b64encode(png).decode()
    text = html.escape(says, quote=True)
    return (
        f"{hide}<figure class='{live}-still' style='margin:0'>"
        f"<img src='data:image/png;base64,{data}' width='{WIDTH}' alt='{text}'>"
        f"{f'<figcaption>{_caption(says)}</figcaption>' if live else ''}</figure>"
    )


def tell(value: float, digits: int = 0) -> str:
    """A number for a sentence: with a real minus sign, and no minus zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def tell_error(error: float, floor: float = 1e-13) -> str:
    """An error for a sentence: two digits, or one near the floor, below which each machine's rounding decides."""
    if error < floor:
        return f"less than {tell_error(floor, floor)}"
    if error >= 1e-4:
        return f"{error:.2g}"
    return f"{error:.{int(error >= 100 * floor)}e}".replace("-", "−")


def _png(pixels: np.ndarray) -> bytes:
    """Agg's buffer as a PNG as it lies in memory, packed by isal: zlib takes five times as long, Pillow fifteen."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), dtype=np.uint8)  # each row starts with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    out = io.BytesIO(b"\x89PNG\r\n\x1a\n")
    out.seek(0, io.SEEK_END)
    out.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)))
    out.write(chunk(b"IDAT", isal_zlib.compress(rows.data, 1)))
    out.write(chunk(b"IEND", b""))
    return out.getvalue()
