"""An explorer in a notebook: its controls, the picture that they move, and its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlcore.engine.explorers.picture import WIDTH, caption

if TYPE_CHECKING:
    from mlcore.engine.explorers.explorer import Explorer


def live(explorer: Explorer, image: bytes, says: str, mark: str) -> Any:
    """The controls above the picture, starting from one that is made already; `mark` is its name in the page."""
    import ipywidgets

    # ipywidgets' Image has no alternative text (and breaks with a tooltip): the caption is a live region.
    shown = ipywidgets.Image(value=image, format="png", width=WIDTH, height=explorer.height)
    told = ipywidgets.HTML(caption(says))
    widgets = {name: control.widget() for name, control in explorer.controls.items()}

    def move(_change: Any) -> None:
        shown.value, text = explorer.picture(**{name: widget.value for name, widget in widgets.items()})
        told.value = caption(text)

    row = []
    for name, widget in widgets.items():
        widget.observe(move, names="value")
        if getattr(explorer.controls[name], "play", False):
            row.append(_player(widget))
        row.append(widget)
    box = ipywidgets.VBox([ipywidgets.HBox(row, layout={"flex_flow": "row wrap"}), shown, told])
    box.add_class(mark)
    return box


def _player(slider: Any) -> Any:
    """A play button that walks a slider through its values."""
    import ipywidgets

    play = ipywidgets.Play(value=slider.value, min=slider.min, max=slider.max, step=slider.step, interval=600)
    ipywidgets.jslink((play, "value"), (slider, "value"))
    return play
