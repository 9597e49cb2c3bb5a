"""Whatever a student's code returned, made plain: numbers, text, tuples and lists, or the name of what it is instead.

It runs where the answer runs, so that a notebook and the grader, to which only plain values cross, judge the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_NUMBERS = 1_000_000  # in one array
LONGEST_TEXT = 2_000  # characters
LONGEST_LIST = 1_000  # items of a tuple or a list; a longer one is an array
DEEPEST = 8  # levels of tuples in tuples

# What is in the way of numbers, and what to write instead.
REASONS = {
    "object": "a value of type {name}; numbers are asked for",
    "function": "a function; its value is asked for",
    "iterator": "a value of type {name}: `list(...)` makes a list of it",
    "set": "a set, which has no order: `sorted(...)` makes a list of it",
    "dictionary": "a dictionary: write its values, in the order that is asked for",
    "masked": "an array with masked entries: `.filled(0)` gives them a value, `.compressed()` leaves them out",
    "large": "an array of more than a million numbers; fewer are asked for",
    "huge": "an integer too large for a float: work with its logarithm",
}


@dataclass(frozen=True)
class Foreign:
    """Something that is not numbers: the name of its type, and one of the `REASONS`."""

    name: str
    why: str = "object"

    def __str__(self) -> str:
        return REASONS[self.why].partition(":")[0].partition(";")[0].format(name=self.name)


def plain(value: Any, depth: int = 0) -> Any:
    """None, `...`, a number, text, an array of numbers, a tuple or list of these; or what it is instead.

    Whatever says that it is a number (`Fraction`, `Decimal`) or an array (a pandas column, an array of objects) is
    taken at its word. Nothing is drawn from an iterator, and nothing that the value does can raise here.
    """
    try:
        return _plain(value, depth)
    except Exception:  # it only pretends to be numbers
        return _foreign(value)


def _plain(value: Any, depth: int) -> Any:
    if value is None or value is ... or type(value) in (bool, float, Foreign):
        return value
    if isinstance(value, str):
        return writable(str(value)[:LONGEST_TEXT])
    if isinstance(value, int):
        return int(value) if abs(value) < 2**63 else _float(value)
    if isinstance(value, np.ma.MaskedArray) and np.ma.getmaskarray(value).any():
        return _foreign(value, "masked")
    if isinstance(value, np.ndarray | np.generic):
        return _plain_array(value, depth)
    if isinstance(value, complex):
        return np.complex128(value)
    if isinstance(value, tuple | list):
        if depth >= DEEPEST or len(value) > LONGEST_LIST:
            return _long(value, depth)
        return (tuple if isinstance(value, tuple) else list)(plain(v, depth + 1) for v in value)
    for kind, why in ((AbstractSet, "set"), (Mapping, "dictionary"), (Callable, "function"), (Iterator, "iterator")):
        if isinstance(value, kind):  # type: ignore[arg-type]
            return _foreign(value, why)
    array = np.asarray(value)
    if array.ndim or array.dtype != object:
        return _plain_array(array, depth)
    if hasattr(type(value), "__float__"):
        return _float(value)
    return _foreign(value, "iterator" if isinstance(value, Iterable) else "object")


def _plain_array(value: Any, depth: int) -> Any:
    array = np.asarray(value)
    if array.size > MOST_NUMBERS:
        return _foreign(array, "large")
    if array.dtype.kind in "OUT" and depth <= DEEPEST:
        return plain(list(array), depth) if array.ndim else plain(array.item(), depth + 1)
    if array.dtype.kind not in "buifc":
        return _foreign(value)
    if array.dtype.kind == "f" and array.dtype not in (np.float16, np.float32):
        array = array.astype(np.float64, copy=False)
    return array[()] if isinstance(value, np.generic) else array


def _long(items: Sequence, depth: int) -> Any:
    """Too many items to look at each, unless all of them are numbers."""
    array = np.asarray(items)
    if array.dtype.kind in "buifc" or array.size > MOST_NUMBERS:
        return _plain_array(array, depth)
    leaves = [plain(v, DEEPEST + 1) for v in array.ravel()] if depth <= DEEPEST and array.dtype == object else [None]
    if not all(isinstance(leaf, bool | int | float | np.number | np.bool_) for leaf in leaves):
        return _foreign(items)
    return np.array(leaves).reshape(array.shape)


def writable(text: str) -> str:
    """Half a surrogate pair is a character in Python and in JSON, but no file and no database takes it."""
    return text.encode(errors="replace").decode()


def _float(value: Any) -> float | Foreign:
    try:
        return float(value)
    except OverflowError:
        return _foreign(value, "huge")


def _foreign(value: Any, why: str = "object") -> Foreign:
    name = type(value).__name__
    return Foreign(name if name.isidentifier() and len(name) <= 60 else "object", why)


def size(value: Any) -> int:
    """How many numbers a plain value holds."""
    return sum(map(size, value)) if isinstance(value, tuple | list) else int(np.size(value))
