"""How near a draw comes to a place where rounding decides: the margin.

The margin of an answer at an input is the largest relative change of the input that leaves the answer what it is,
within the exercise's tolerance. A tie, a threshold that is met exactly, an argmax of two equal numbers, a matrix that
is singular but for rounding: all of them have a margin of about 1e-16, whatever the code that decides.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from mlcore.engine.exercises.compare import Compare
from mlcore.engine.exercises.draws import NUDGE, loosened, nudged, steady
from mlcore.engine.exercises.values import components

MARGINS = (NUDGE, 1e-10, 1e-8)


def margin(function: Callable, args: tuple, compare: Compare) -> float:
    """The largest of `MARGINS` below the margin, or 0."""
    largest = 0.0
    for by in MARGINS:
        if not steady(function, args, compare, by):
            break
        largest = by
    return largest


def wavers(function: Callable, args: tuple, compare: Compare) -> bool:
    """Do the last digits decide what this gives, also where the inputs are whole numbers?

    Then another processor gives other numbers, or an error where there was none.
    """
    loose = loosened(args)
    here, *beside = (_outcome(function, at) for at in (args, loose, nudged(loose), nudged(loose, -NUDGE)))
    return not all(_alike(here, other, compare) for other in beside)


def _outcome(function: Callable, args: tuple) -> str | list[np.ndarray]:
    """The numbers, or the name of the error."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [np.asarray(component, dtype=float) for component in components(function(*args))]
    except Exception as error:
        return type(error).__name__


def _alike(one: str | list[np.ndarray], other: str | list[np.ndarray], compare: Compare) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return all(a.shape == b.shape and compare(a, b) for a, b in zip(other, one, strict=True))
