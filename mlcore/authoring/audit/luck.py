"""Do the cases show every kind of input in every draw, or does luck decide?

An answer that is right for positive numbers only is noticed if a negative one is drawn. So the reference stands in for
careless answers: it is given |x| for x, or the positive part, or a rounded or sorted input, or its result is treated
so. What passes on some seeds and not on others is left to luck. What passes on all seeds is either the same thing, or a
kind of input that no draw has: for a person to look at.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from mlcore.engine.asking.answers import Call
from mlcore.engine.exercises.compare import Compare
from mlcore.engine.exercises.values import components

Change = Callable[[np.ndarray], np.ndarray]

CHANGES: dict[str, Change] = {"|{}|": np.abs, "max({}, 0)": lambda x: np.maximum(x, 0)}
PARITY: dict[str, Change] = {"{} made even": lambda x: x - x % 2, "{} made odd": lambda x: x - x % 2 + 1}
ORDER: dict[str, Change] = {"{} sorted": lambda x: np.sort(x, axis=0), "{} backwards": lambda x: x[::-1]}


def careless(names: Sequence[str], args: tuple) -> Iterator[tuple[str, Callable[[tuple], tuple]]]:
    """Every way to misread one argument, or two of the same shape."""
    for i, (name, value) in enumerate(zip(names, args, strict=False)):
        array = np.asarray(value) if isinstance(value, int | float | np.number | np.ndarray) else None
        if array is None or isinstance(value, bool) or array.dtype.kind not in "iuf":
            continue
        changes = CHANGES if array.dtype.kind == "f" else {} if array.ndim else PARITY
        for label, change in (changes | (ORDER if array.ndim else {})).items():
            yield label.format(name), _changing(i, change)
        for j in range(i + 1, min(len(args), len(names))):
            if isinstance(args[j], float | np.ndarray) and np.shape(args[j]) == array.shape and array.dtype.kind == "f":
                yield f"{name} and {names[j]} in order", _ordering(i, j)


def _changing(i: int, change: Change) -> Callable[[tuple], tuple]:
    def changed(args: tuple) -> tuple:
        value = args[i]
        new = change(np.asarray(value))
        return (*args[:i], new if isinstance(value, np.ndarray) else type(value)(new), *args[i + 1 :])

    return changed


def _ordering(i: int, j: int) -> Callable[[tuple], tuple]:
    def ordered(args: tuple) -> tuple:
        new = list(args)
        new[i], new[j] = np.minimum(args[i], args[j]), np.maximum(args[i], args[j])
        return tuple(new)

    return ordered


RESULTS: dict[str, Change] = {
    "|result|": np.abs,
    "max(result, 0)": lambda x: np.maximum(x, 0),
    "the result sorted": lambda x: np.sort(x, axis=-1) if x.ndim else x,
    "the first of the result throughout": lambda x: np.full_like(x, x.flat[0]) if x.size else x,
}


def unnoticed(reference: Callable, names: Sequence[str], plan: Sequence[Call], compare: Compare) -> dict[str, bool]:
    """Each careless answer on this plan: would it pass?"""
    inputs = list({id(call.args): call.args for call in plan if call.args is not None}.values())
    if not inputs:
        return {}
    passed: dict[str, bool] = {}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        right = [[np.asarray(c, dtype=float) for c in components(reference(*args))] for args in inputs]
        for label, change in careless(names, inputs[0]):
            passed[label] = all(
                _passes(reference, change, args, r, compare) for args, r in zip(inputs, right, strict=True)
            )
        for label, after in RESULTS.items():
            passed[label] = all(compare(after(c), c) for r in right for c in r)
    return passed


def _passes(reference: Callable, change: Any, args: tuple, right: list[np.ndarray], compare: Compare) -> bool:
    try:
        value = [np.asarray(c, dtype=float) for c in components(reference(*change(args)))]
        return all(a.shape == b.shape and compare(a, b) for a, b in zip(value, right, strict=True))
    except Exception:
        return False
