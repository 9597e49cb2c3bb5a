"""Explorers: one line in a notebook gives controls and a figure (`from mlcore.explore import ridge as explore`)."""

from mlcore.explore import _style as style
from mlcore.explore._engine import Explorer, LogSlider, Pick, Slider, invariant, tell, tell_error

__all__ = ["Explorer", "LogSlider", "Pick", "Slider", "invariant", "style", "tell", "tell_error"]
