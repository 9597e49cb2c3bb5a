"""Which mistake is it? Matches the student's numbers with those of known wrong answers.

A mistake is named only if it gives the student's numbers on every draw and no other
mistake does: a wrong diagnosis is worse than none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.engine.asking.answers import Call, Reply, ask
from mlcore.engine.exercises.compare import Compare
from mlcore.engine.exercises.values import Unusable, components, tidy


@dataclass(frozen=True, eq=False)
class Mistake:
    """A wrong answer and the sentence that a good teacher would say."""

    says: str
    answer: Any
    part: int = 0


def named(mistakes: Iterable[Mistake], calls: Sequence[Call], replies: Sequence[Reply], compare: Compare) -> str:
    """The sentence of the one catalogued mistake that explains all replies, or ''."""
    return _only(m.says for m in mistakes if _explains(m.answer, calls, replies, compare))


def generic(
    reference: Callable, names: tuple[str, ...], calls: Sequence[Call], replies: Sequence[Reply], compare: Compare
) -> str:
    """The sentence of the one everyday slip (sign, 2, n, transpose, ...) that explains all replies, or ''."""
    fits: dict[str, bool] = {}
    for call, reply in zip(calls, replies, strict=True):
        asked = reference(*(call.args or ()))
        value = tidy(reply.value, asked, names)
        for says, wrong in _slips(reference, names, call.args or (), asked):
            agrees = all(w.shape == v.shape and compare(v, w) for v, w in zip(value, wrong, strict=True))
            fits[says] = fits.get(says, True) and agrees
    return _only(says for says, fit in fits.items() if fit)


def _only(sentences: Iterable[str]) -> str:
    distinct = set(sentences)
    return distinct.pop() if len(distinct) == 1 else ""


def _explains(wrong: Any, calls: Sequence[Call], replies: Sequence[Reply], compare: Compare) -> bool:
    return all(agree(reply, ask(wrong, call), compare) for call, reply in zip(calls, replies, strict=True))


def agree(reply: Reply, other: Reply, compare: Compare) -> bool:
    if reply.trouble or other.trouble:
        return bool(
            reply.trouble
            and other.trouble
            and (reply.trouble.kind, reply.trouble.message) == (other.trouble.kind, other.trouble.message)
        )
    try:
        mine = tidy(reply.value, other.value)
        theirs = tidy(other.value, other.value)
    except Unusable:
        return False
    return all(compare(a, b) for a, b in zip(mine, theirs, strict=True))


Wrong = tuple[str, tuple[np.ndarray, ...]]


def _slips(reference: Callable, names: tuple[str, ...], args: tuple, asked: Any) -> Iterator[Wrong]:
    truth = tuple(np.asarray(c, dtype=float) for c in components(asked))
    labels = [f"{name}: " for name in names] if len(truth) > 1 else [""]
    for i, label in enumerate(labels):
        for says, value in _slips_of_one(truth[i], *_rows(reference, args)):
            yield label + says, (*truth[:i], value, *truth[i + 1 :])
    parameters = list(inspect.signature(reference).parameters)
    if "lam" in parameters and parameters.index("lam") < len(args):
        yield from _penalty_slips(reference, parameters.index("lam"), args)


def _slips_of_one(truth: np.ndarray, n: int, length: str) -> Iterator[tuple[str, np.ndarray]]:
    yield "the sign is reversed.", -truth
    yield "this is half of what is asked for: a factor 2 is missing.", truth / 2
    yield "this is twice what is asked for: a factor 2 too many.", 2 * truth
    if n > 2:
        yield f"this is what is asked for, divided by {length}: is it a mean in the place of a sum?", truth / n
        yield f"this is what is asked for, times {length}: is it a sum in the place of a mean?", truth * n
    if truth.ndim == 2:
        yield "this is the transpose of what is asked for.", truth.T
    yield "this is the square of what is asked for.", truth**2
    yield "this is the square root of what is asked for.", np.sqrt(np.abs(truth))


def _penalty_slips(reference: Callable, at: int, args: tuple) -> Iterator[Wrong]:
    lam, (n, _) = args[at], _rows(reference, args)
    for says, wrong in (
        ("this is the answer without a penalty: λ does not come in.", 0 * lam),
        ("this is the answer for λ/2: where does the ½ come from?", lam / 2),
        ("this is the answer for 2λ: where does the 2 come from?", 2 * lam),
        ("this is the answer for nλ: the loss is a sum here, not a mean.", n * lam),
        ("this is the answer for λ/n: the loss is a sum here, not a mean.", lam / max(n, 1)),
        ("this is the answer for −λ: the penalty has the wrong sign.", -lam),
    ):
        try:
            with np.errstate(all="ignore"):
                value = reference(*args[:at], wrong, *args[at + 1 :])
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            continue
        yield says, tuple(np.asarray(c, dtype=float) for c in components(value))


def _rows(reference: Callable, args: tuple) -> tuple[int, str]:
    """The number of rows of the first array among the arguments, and what it is called in code."""
    names = inspect.signature(reference).parameters
    arrays = ((np.shape(a)[0], f"len({name})") for name, a in zip(names, args, strict=False) if np.ndim(a) >= 1)
    return next(arrays, (0, ""))
