"""The vocabulary that a topic's figures are written with.

An explorer says what its controls are, computes the numbers of a position, moves its artists to them and tells them in
words. Everything else is here: the controls, drawing only what moves, the picture, its alternative text, and the laws
that hold at every position.
"""

from mlcore.engine.explorers import style
from mlcore.engine.explorers.controls import LogSlider, Pick, Slider
from mlcore.engine.explorers.explorer import Explorer
from mlcore.engine.explorers.laws import invariant
from mlcore.engine.explorers.words import tell, tell_error

__all__ = ["Explorer", "LogSlider", "Pick", "Slider", "invariant", "style", "tell", "tell_error"]
