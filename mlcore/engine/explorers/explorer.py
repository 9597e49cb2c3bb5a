"""The explorer: a figure that is made once, and numbers that move it."""

from __future__ import annotations

from functools import cached_property
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mlcore.engine.explorers import style
from mlcore.engine.explorers.controls import Control
from mlcore.engine.explorers.laws import Invariant
from mlcore.engine.explorers.live import live
from mlcore.engine.explorers.picture import blank, png, still


class Explorer:
    """Subclasses declare controls as class attributes and define `compute`, `draw`, `update` and `describe`.

    They have the controls and the laws of their bases too, first. What a subclass defines under the same name takes the
    place of its base's, and None takes it away.
    """

    height: ClassVar[int] = 340  # CSS pixels
    controls: ClassVar[dict[str, Control]] = {}
    invariants: ClassVar[list[Invariant]] = []

    def __init_subclass__(cls) -> None:
        members: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            members |= vars(base)
        cls.controls = {name: value for name, value in members.items() if isinstance(value, Control)}
        laws = [getattr(member, "invariant", None) for member in members.values()]
        cls.invariants = [law for law in laws if isinstance(law, Invariant)]

    def __init__(self) -> None:
        self.prepare()
        self._moving: list[Artist] = []

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
        """Register an artist that moves with the controls; returns it. They are drawn in the order of their zorder."""
        artist.set_animated(True)
        self._moving.append(artist)
        return artist

    @cached_property
    def figure(self) -> Figure:
        """Made once, at the first picture; what does not move is drawn once too, and kept."""
        with matplotlib.rc_context(style.RC):
            figure, canvas = blank(self.height)
            self.draw(figure)
            canvas.draw()
            figure.set_layout_engine("none")  # the axes stay where they are
        self._moving.sort(key=Artist.get_zorder)  # once: no zorder depends on the position
        self._background = canvas.copy_from_bbox(figure.bbox)
        return figure

    def picture(self, **position: Any) -> tuple[bytes, str]:
        """The picture at a position as PNG, and its alternative text."""
        state = self.compute(**(self.start | position))
        figure = self.figure
        canvas = cast(FigureCanvasAgg, figure.canvas)
        self.update(state)
        canvas.restore_region(self._background)
        with matplotlib.rc_context(style.RC):
            for artist in self._moving:
                figure.draw_artist(artist)
        return png(np.asarray(canvas.buffer_rgba())), self.describe(state)

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, display

        image, says = self.picture()
        mark = f"mlx-{type(self).__module__.rpartition('.')[2]}-{type(self).__name__}".lower()
        if self.controls:
            display(live(self, image, says, mark))
        display(HTML(still(image, says, mark if self.controls else "")))
