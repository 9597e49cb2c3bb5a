"""What an answer gave back: numbers that can be compared, or one sentence that says why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Compare = Callable[[np.ndarray, np.ndarray], bool]


_WHOLE = "Your answer"


class Unusable(ValueError):
    """The value cannot be compared; the message is what the student reads."""


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
        return bool((np.abs(actual - asked) <= atol + rtol * np.abs(asked).max(initial=0.0)).all())

    return same


def exactly(actual: np.ndarray, asked: np.ndarray) -> bool:
    """For integers and truth values, which no tolerance may blur."""
    return bool(np.array_equal(actual, asked))


def up_to_sign(rtol: float = 1e-6, atol: float = 1e-9) -> Compare:
    """A vector, or the columns of a matrix, each up to its sign: for eigenvectors."""
    near = close(rtol, atol)

    def same(actual: np.ndarray, asked: np.ndarray) -> bool:
        signs = np.where(np.sum(actual * asked, axis=0) < 0, -1.0, 1.0)
        return near(actual * signs, asked)

    return same


def to_digits(digits: int) -> Compare:
    """Equal to so many significant digits of each number that was asked for; a 0 counts as a number of size 1."""

    def same(actual: np.ndarray, asked: np.ndarray) -> bool:
        size = np.where(asked == 0, 1.0, np.abs(asked))
        unit = 10.0 ** (np.floor(np.log10(size)) - digits + 1)
        return bool(np.all(np.abs(actual - asked) <= (0.5 + 1e-6) * unit))

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


def components(value: Any) -> tuple[Any, ...]:
    """The parts of a value that may be a tuple, such as (w, b)."""
    return value if isinstance(value, tuple) else (value,)


def tidy(value: Any, asked: Any, names: tuple[str, ...] = ()) -> tuple[np.ndarray, ...]:
    """`value` as one numeric array per component of `asked`, or `Unusable`.

    Accepted on purpose: a list for an array, a 0-d array or a numpy scalar for a number,
    integers for floats. Refused: None, text, objects, complex, a wrong shape.
    """
    wanted = components(asked)
    if len(wanted) == 1:
        return (_tidy_one(value, wanted[0], _WHOLE),)
    labels = names or tuple(f"item {i}" for i in range(len(wanted)))
    if not isinstance(value, tuple | list) or len(value) != len(wanted):
        raise Unusable(f"{_capital(_kind(value))} came back; a tuple ({', '.join(labels)}) is asked for.")
    return tuple(_tidy_one(v, w, label) for v, w, label in zip(value, wanted, labels, strict=True))


def _tidy_one(value: Any, asked: Any, label: str) -> np.ndarray:
    asked = np.asarray(asked)
    if value is None:
        raise Unusable(f"{label} is None: is the `return` missing?" if label == _WHOLE else f"{label} is None.")
    if callable(value):
        raise Unusable(f"{label} is a function; its value is asked for.")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise Unusable(f"{label} is not an array of numbers: {error}") from None
    if array.dtype.kind == "c":
        raise Unusable(f"{label} is complex; real numbers are asked for.")
    if array.dtype.kind not in "buif":
        raise Unusable(f"{label} holds {_kind(value)}, not numbers.")
    if array.dtype.kind == "b" and asked.dtype.kind != "b":
        raise Unusable(f"{label} holds True and False; numbers are asked for.")
    if array.shape != asked.shape:
        raise Unusable(_shape_sentence(label, array.shape, asked.shape))
    numbers = array.astype(float)
    if np.isfinite(np.asarray(asked, dtype=float)).all() and not np.isfinite(numbers).all():
        where = np.argwhere(~np.isfinite(numbers))[0]
        subject = f"Entry {tuple(int(i) for i in where)} of {_inside(label)}" if numbers.ndim else label
        causes = "a division by 0, a log of 0, a root of a negative number, an overflow?"
        raise Unusable(f"{subject} is {numbers[tuple(where)]}: {causes}")
    return numbers


def _shape_sentence(label: str, got: tuple[int, ...], asked: tuple[int, ...]) -> str:
    wanted = f"shape {asked}" if asked else "a single number"
    sentence = f"{label} has shape {got}; {wanted} is asked for."
    if got == asked[::-1] and len(asked) == 2:
        return sentence + " It is transposed."
    if not asked and set(got) == {1}:
        return sentence + " It holds one: .item() takes it out."
    if got == (*asked, 1) or got == (1, *asked):
        return sentence + " An axis of length 1 is left over: a column times a vector stays a column."
    return sentence


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _inside(label: str) -> str:
    """A label within a sentence. The name of a component stays as it is: w and W are two things."""
    return label.lower() if label == _WHOLE else label


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "Python objects" if value.dtype.kind == "O" else f"an array of shape {value.shape}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, np.number):
        return "a number"
    names = {str: "text", type(None): "None", float: "a number", int: "a number", dict: "a dictionary"}
    return names.get(type(value), f"a value of type {type(value).__name__}")


def show(value: Any) -> str:
    """A value as a student would write it down, short."""
    if isinstance(value, tuple):
        parts = [show(v) for v in value]
        between = ",\n" if any("\n" in part for part in parts) else ", "
        return "(" + between.join(parts).replace("\n", "\n ") + ")"
    if isinstance(value, str):
        return repr(value)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        return _kind(value)
    if array.dtype.kind not in "buifc":
        return _kind(value)
    with np.printoptions(precision=4, suppress=True, threshold=24, edgeitems=2, linewidth=60):
        return f"{array[()]:.5g}" if array.ndim == 0 and array.dtype.kind == "f" else str(array)
