"""What an answer gave back: numbers that can be compared, or one sentence that says what to write instead.

`numbers` and `tidy` make arrays of plain values. The rules are the table in docs/answers.md, and the tests read them
there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mlcore.engine.asking.answers import quoted
from mlcore.engine.asking.plain import REASONS, Foreign, plain, size

_WHOLE = "Your answer"


class Unusable(ValueError):
    """The value cannot be compared; the message is what the student reads."""


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
    if isinstance(value, np.ndarray) and any(np.shape(v) != np.shape(w) for v, w in zip(given, wanted, strict=True)):
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
            raise Unusable(f"{label} {verb} {REASONS[odd.why].format(name=quoted(odd.name))}.")
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
        return sentence + " Is it transposed? `.T` turns it."
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


def _without_residue(array: np.ndarray) -> np.ndarray:
    """To twelve digits: of a number that ends in a 5, the rounding of one processor or another must not decide."""
    return np.array([float(f"{x:.12g}") for x in array.ravel().tolist()]).reshape(array.shape)


def show(value: Any) -> str:
    """A value as a student would write it down, short."""
    value = plain(value)
    if isinstance(value, tuple):
        items = [show(v) for v in value]
        between = ",\n" if any("\n" in item for item in items) else ", "
        return "(" + between.join(items).replace("\n", "\n ") + ")"
    if isinstance(value, str):
        return quoted(repr(value[:60]))
    try:
        array = np.asarray(value)
    except ValueError:
        return _kind(value)
    if array.dtype.kind not in "buifc":
        return _kind(value)
    if array.dtype.kind == "f":
        array = _without_residue(array)
    with np.printoptions(precision=4, suppress=True, threshold=24, edgeitems=2, linewidth=60):
        return f"{array[()]:.5g}" if array.ndim == 0 and array.dtype.kind == "f" else str(array)
