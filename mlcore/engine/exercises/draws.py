"""Inputs on which an answer can be judged: the reference is defined there, and rounding decides nothing.

Two right answers may differ in the last digits. At a tie, or at a matrix that is singular but for rounding, these
digits choose the answer: there a right one could be told that it is wrong. Such a draw is drawn again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlcore.engine.asking.answers import Call
from mlcore.engine.exercises.compare import Compare
from mlcore.engine.exercises.values import components

DRAWS = 3  # independent draws of the cases in every check, so that no coincidence accuses or acquits
TRIES = 50  # for one draw
NUDGE = 1e-12  # far above rounding, far below every tolerance

Cases = Callable[[np.random.Generator], Sequence[tuple]]


class NotJudged(Exception):
    """The exercise itself failed: whatever the student wrote, this is not a verdict on it."""


def drawn(
    cases: Cases, rng: np.random.Generator, clear: Callable[..., bool], reference: Callable | None = None
) -> list[Call]:
    """The calls of a check: every case of every draw, and the smallest twice, so that a random answer shows."""
    calls = [Call(0, args) for _ in range(DRAWS) for args in _draw(cases, rng, clear, reference)]
    return [*calls, min(calls, key=lambda call: call.size)]


def _draw(
    cases: Cases, rng: np.random.Generator, clear: Callable[..., bool], reference: Callable | None
) -> list[tuple]:
    for _ in range(TRIES):
        found = [tuple(args) for args in cases(rng)]
        if all(clear(*args) for args in found):
            return found
    if reference:
        for args in found:
            truth(reference, args)  # if it raises, that is why
    raise NotJudged(f"none of {TRIES} draws has a clear answer")


def truth(reference: Callable, args: Sequence[Any]) -> Any:
    """What the reference says. If it raises, nobody's answer is to blame."""
    try:
        return reference(*args)
    except Exception as error:
        raise NotJudged(f"the reference raised {type(error).__name__}: {error}") from error


def steady(function: Callable, args: tuple, compare: Compare, by: float = NUDGE) -> bool:
    """Does the function give numbers here, and the same ones if the inputs move by a little?

    They move both ways: of two that tie, one wins in the one and the other in the other.
    """
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = [_arrays(function(*at)) for at in (args, nudged(args, by), nudged(args, -by))]
        here, *beside = values
        return not any(np.isnan(c).any() for c in here) and all(
            a.shape == b.shape and compare(a, b) for other in beside for a, b in zip(other, here, strict=True)
        )
    except Exception:
        return False


def _arrays(value: Any) -> list[np.ndarray]:
    return [np.asarray(component, dtype=float) for component in components(value)]


def nudged(value: Any, by: float = NUDGE) -> Any:
    """The same inputs, a little off.

    Equal numbers stay equal and opposite ones opposite, as a tie on purpose wants it; whole numbers, halves and the
    like, in which nothing was rounded, stay what they are.
    """
    if isinstance(value, tuple | list):
        moved = [nudged(v, by) for v in value]
        return value._make(moved) if hasattr(value, "_make") else type(value)(moved)
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype == float):
        array = np.asarray(value)
        with np.errstate(all="ignore"):
            short = array == array.astype(np.float32)
            return np.where(short, array, array * (1 + by * _direction(array)))[()]
    return value


def loosened(value: Any) -> Any:
    """The inputs with no number so short that a nudge leaves it where it is, but for −1, 0 and 1, which are labels."""
    if isinstance(value, tuple | list):
        return value if hasattr(value, "_make") else type(value)(loosened(v) for v in value)
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype == float):
        array = np.asarray(value)
        longer = array * (1 + 2.0**-44 * (1 + np.abs(np.sin(array))))
        return np.where(np.isin(array, (-1.0, 0.0, 1.0)), array, longer)[()]
    return value


def _direction(array: np.ndarray) -> np.ndarray:
    """A number between −1 and 1 for each entry, that its bits decide: two that nearly tie go different ways."""
    bits = np.ascontiguousarray(np.abs(array)).view(np.uint64).reshape(array.shape)
    return (bits * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) / 2.0**23 - 1
