"""Comparisons: when are two arrays the same answer?

A float32 carries an error of its own, by which a right answer may be off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlcore.engine.exercises.values import Unusable, tidy

Compare = Callable[[np.ndarray, np.ndarray], bool]


def _grain(actual: np.ndarray) -> float:
    return float(np.finfo(np.float32).eps) if actual.dtype == np.float32 else 0.0


def close(rtol: float = 1e-6, atol: float = 1e-9) -> Compare:
    """Equal up to `atol + rtol · (largest entry of what was asked)`.

    The scale is that of the whole array: an entry that is small by cancellation
    carries the rounding error of the large ones.
    """

    def same(actual: np.ndarray, asked: np.ndarray) -> bool:
        finite = np.isfinite(asked)
        if not finite.all():
            if not np.array_equal(actual[~finite], asked[~finite], equal_nan=True):
                return False
            actual, asked = actual[finite], asked[finite]
        scale = np.abs(asked).max(initial=0.0)
        return bool((np.abs(actual - asked) <= atol + (rtol + _grain(actual)) * scale).all())

    return same


def exactly(actual: np.ndarray, asked: np.ndarray) -> bool:
    """For integers and truth values, which no tolerance may blur."""
    return bool(np.array_equal(actual, asked.astype(actual.dtype)))


def up_to_sign(rtol: float = 1e-6, atol: float = 1e-9) -> Compare:
    """A vector, or the columns of a matrix, each up to its sign: for eigenvectors."""
    near = close(rtol, atol)

    def same(actual: np.ndarray, asked: np.ndarray) -> bool:
        signs = np.where(np.sum(actual * asked, axis=0) < 0, -1.0, 1.0).astype(actual.dtype)
        return near(actual * signs, asked)

    return same


def to_digits(digits: int) -> Compare:
    """Equal to so many significant digits of each number that was asked for; a 0 counts as a number of size 1."""

    def same(actual: np.ndarray, asked: np.ndarray) -> bool:
        size = np.where(asked == 0, 1.0, np.abs(asked))
        unit = 10.0 ** (np.floor(np.log10(size)) - digits + 1)
        return bool(np.all(np.abs(actual - asked) <= (0.5 + 1e-6) * unit + _grain(actual) * size))

    return same


def too_coarse(value: Any, asked: Any, digits: int | None) -> str:
    """The sentence for a number that is right but rounded too far, or ''."""
    if asked is None or digits is None:
        return ""
    try:
        (actual,) = tidy(value, asked)
    except Unusable:
        return ""
    asked = np.asarray(asked, dtype=float)
    for fewer in range(digits - 1, 1, -1):
        if to_digits(fewer)(actual, asked):
            return f"Right to {count(fewer)} digits: {count(digits)} are asked for."
    return ""


def count(number: int) -> str:
    """A small number in words."""
    return ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")[number]
