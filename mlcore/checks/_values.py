"""What an answer gave back: numbers that can be compared, or one sentence that says what to write instead.

`plain` takes whatever a student's code returned and leaves numbers, text, tuples and lists, or a `Foreign`. It runs
where the answer runs, so that a notebook and the grader, to which only plain values cross, judge the same thing.
`numbers` and `tidy` make arrays of it. The rules are the table in docs/answers.md, and the tests read them there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

Compare = Callable[[np.ndarray, np.ndarray], bool]

MOST_NUMBERS = 1_000_000  # in one array
LONGEST_TEXT = 2_000  # characters
LONGEST_LIST = 1_000  # items of a tuple or a list; a longer one is an array
DEEPEST = 8  # levels of tuples in tuples

_WHOLE = "Your answer"


class Unusable(ValueError):
    """The value cannot be compared; the message is what the student reads."""


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


# Comparisons. A float32 carries an error of its own, by which a right answer may be off.


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


def components(asked: Any) -> tuple[Any, ...]:
    """The parts of what is asked for, which may be a tuple such as (w, b)."""
    return asked if isinstance(asked, tuple) else (asked,)


def parts(value: Any, number: int) -> tuple[Any, ...] | None:
    """The parts of an answer to such a question: the items of a tuple, a list or an array, or None."""
    several = isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim > 0)
    return tuple(value) if several and len(value) == number else None


def tidy(value: Any, asked: Any, names: tuple[str, ...] = ()) -> tuple[np.ndarray, ...]:
    """A plain value as one numeric array per component of `asked`, or `Unusable`."""
    wanted = components(asked)
    if len(wanted) == 1:
        return (_tidy_one(value, wanted[0], _WHOLE),)
    labels = names or tuple(f"item {i}" for i in range(len(wanted)))
    if (given := parts(value, len(wanted))) is None:
        _only_numbers(value, _WHOLE)
        raise Unusable(f"{_capital(_kind(value))} came back; a tuple ({', '.join(labels)}) is asked for.")
    return tuple(_tidy_one(v, w, label) for v, w, label in zip(given, wanted, labels, strict=True))


def _tidy_one(value: Any, asked: Any, label: str) -> np.ndarray:
    asked = np.asarray(asked)
    array = numbers(value, label)
    if array.shape != asked.shape:
        raise Unusable(_shape_sentence(label, array.shape, asked.shape))
    if np.isfinite(np.asarray(asked, dtype=float)).all():
        array = finite(array, label)
    if asked.dtype == bool and not np.isin(array, (0, 1)).all():
        odd = array[~np.isin(array, (0, 1))][0]
        raise Unusable(f"{label} {'holds' if array.ndim else 'is'} {odd:g}; True and False are asked for, or 1 and 0.")
    return array


def numbers(value: Any, label: str = _WHOLE) -> np.ndarray:
    """A plain value as one array of float64, or of float32 if it is that; or `Unusable`."""
    _only_numbers(value, label)
    try:
        array = np.asarray(value)
    except ValueError:
        raise Unusable(f"{label} is {_kind(value)} whose items differ in shape; one array is asked for.") from None
    if array.dtype.kind == "c":
        array = _real(array, label)
    if array.dtype == np.float16:
        raise Unusable(f"{label} is in float16, which has three digits: compute in float64, as numpy does by itself.")
    return array if array.dtype == np.float32 else array.astype(float)


def _real(array: np.ndarray, label: str) -> np.ndarray:
    """Real numbers in a complex array, as `eigvals` gives them; what rounding leaves beside them counts as nothing."""
    if np.any(np.abs(array.imag) > 1e-9 * np.max(np.abs(array), initial=0.0)):
        raise Unusable(f"{label} has an imaginary part; real numbers are asked for.")
    return array.real


def _only_numbers(value: Any, label: str) -> None:
    """`Unusable` if a plain value is, or holds, something that is no number."""
    for odd in _odd(value):
        verb = "is" if odd is value else "holds"
        if odd is None and odd is value and label == _WHOLE:
            raise Unusable(f"{label} is None: is the `return` missing?")
        if isinstance(odd, Foreign):
            raise Unusable(f"{label} {verb} {REASONS[odd.why].format(name=odd.name)}.")
        if isinstance(odd, str) and _reads_as_number(odd):
            raise Unusable(f"{label} {verb} the text {show(odd)}: write the number without quotation marks.")
        what = f"the text {show(odd)}" if isinstance(odd, str) else _kind(odd)
        raise Unusable(f"{label} {verb} {what}; numbers are asked for.")


def _odd(value: Any) -> Iterator[Any]:
    """What is no number in a plain value."""
    if isinstance(value, tuple | list):
        for item in value:
            yield from _odd(item)
    elif value is None or value is ... or isinstance(value, str | Foreign):
        yield value


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def finite(array: np.ndarray, label: str = _WHOLE) -> np.ndarray:
    """The same array, or `Unusable` if an entry is nan or infinite."""
    if np.isfinite(array).all():
        return array
    where = np.argwhere(~np.isfinite(array))[0]
    subject = f"Entry {tuple(int(i) for i in where)} of {_inside(label)}" if array.ndim else label
    causes = "a division by 0, a log of 0, a root of a negative number, an overflow?"
    raise Unusable(f"{subject} is {array[tuple(where)]}: {causes}")


def aside(value: Any, asked: Any = 0.0) -> str:
    """What is worth knowing about the types in an answer that is wrong, or ''."""
    types = {np.asarray(v).dtype for v in (value if isinstance(value, tuple | list) else (value,)) if size(v)}
    if np.dtype(np.float32) in types:
        return " It is in float32, which has seven digits: compute in float64, as numpy does by itself."
    if np.dtype(bool) in types and not any(np.asarray(a).dtype == bool for a in components(asked)):
        return " True and False count as 1 and 0."
    return ""


def number(array: np.ndarray, label: str) -> np.ndarray:
    """The same array, or `Unusable` if it is one number in brackets."""
    if array.ndim and array.size == 1:
        raise Unusable(_shape_sentence(label, array.shape, ()))
    return array


def _shape_sentence(label: str, got: tuple[int, ...], asked: tuple[int, ...]) -> str:
    wanted = f"shape {asked}" if asked else "a single number"
    sentence = f"{label} has shape {got}; {wanted} is asked for."
    if got == asked[::-1] and len(asked) == 2:
        return sentence + " It is transposed: `.T` turns it."
    if not asked and set(got) == {1}:
        return sentence + " It holds one: `.item()` takes it out."
    if got == (*asked, 1) or got == (1, *asked):
        drop = " `.ravel()` drops it." if len(asked) == 1 else ""
        return sentence + " An axis of length 1 is left over: a column times a vector stays a column." + drop
    return sentence


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _inside(label: str) -> str:
    """A label within a sentence. The name of a component stays as it is: w and W are two things."""
    return label.lower() if label == _WHOLE else label


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Foreign):
        return str(value)
    if isinstance(value, str):
        return "text"
    return "None" if value is None else "`...`" if value is ... else "a number"


def show(value: Any) -> str:
    """A value as a student would write it down, short."""
    value = plain(value)
    if isinstance(value, tuple):
        items = [show(v) for v in value]
        between = ",\n" if any("\n" in item for item in items) else ", "
        return "(" + between.join(items).replace("\n", "\n ") + ")"
    if isinstance(value, str):
        return repr(value[:60])
    try:
        array = np.asarray(value)
    except ValueError:
        return _kind(value)
    if array.dtype.kind not in "buifc":
        return _kind(value)
    with np.printoptions(precision=4, suppress=True, threshold=24, edgeitems=2, linewidth=60):
        return f"{array[()]:.5g}" if array.ndim == 0 and array.dtype.kind == "f" else str(array)
