"""Does a line follow from the student's own line before it, where that one is wrong?

A line that is wrong in one place still holds what the derivation is about. One that was made up so that the lines after
it are easy does not: nothing follows from it. What it holds shows in its probes: the smallest input once more for each
variable made of real numbers, with this one moved a little.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.exercises.compare import Compare
from mlcore.engine.exercises.values import Unusable, components, tidy

if TYPE_CHECKING:
    from mlcore.engine.exercises.chain import Line

Values = Sequence[tuple[np.ndarray, ...]]  # of a line: one tuple of arrays for each call


class Own:
    """What the student's code gave for one line: what is compared, and the probes that show what it depends on."""

    def __init__(self, part: int, calls: Sequence[Call], replies: Sequence[Reply]) -> None:
        mine = [(call, reply) for call, reply in zip(calls, replies, strict=True) if call.part == part]
        self.part = part
        self.calls = [call for call, _ in mine if not call.probe]
        self.replies = [reply for call, reply in mine if not call.probe]
        self.probes = [(call, reply) for call, reply in mine if call.probe]

    def values(self, line: Line) -> list[tuple[np.ndarray, ...]] | None:
        """One tuple of arrays for each call; None if there is a call without. What is no number may follow, too."""
        try:
            return [
                tidy(reply.value, of_any_value(line.reference(*(call.args or ()))), line.parts)
                for call, reply in zip(self.calls, self.replies, strict=True)
            ]
        except Unusable:
            return None


def of_any_value(asked: Any) -> Any:
    """What has the shapes of what is asked for; nan and infinity are as good as any number."""
    anything = tuple(np.full(np.shape(part), np.nan) for part in components(asked))
    return anything if isinstance(asked, tuple) else anything[0]


def off(line: Line, values: Values, calls: Sequence[Call]) -> list[int]:
    """Which parts are not right."""
    asked = [components(line.reference(*(call.args or ()))) for call in calls]
    return [
        i
        for i in range(len(line.parts) or 1)
        if not all(agree(v[i], a[i], line.compare) for v, a in zip(values, asked, strict=True))
    ]


def following(line: Line, values: Values, calls: Sequence[Call], there: Values) -> list[bool]:
    """Which parts are right, or what the step makes of the student's own line before it, on every draw.

    Where only the way back is known, all of them or none. Where there are several ways to take the step, one of them.
    """
    before = [_plain(each) for each in there]
    if line.undo:
        return _in_one_way(line, functools.partial(_undone, line), values, calls, before)
    steps = line.follows if isinstance(line.follows, Sequence) else [line.follows]
    ways = [functools.partial(_stepped, line, step) for step in steps]
    return max((_in_one_way(line, way, values, calls, before) for way in ways), key=sum)


def since(line: Line, values: Values, calls: Sequence[Call], earlier: Sequence[Values]) -> list[bool]:
    """The same, where what is right depends on all lines before."""
    there = [tuple(map(_plain, each)) for each in zip(*earlier, strict=True)]
    return _in_one_way(line, functools.partial(_stepped, line, line.since), values, calls, there)


def _in_one_way(line: Line, way: Callable, values: Values, calls: Sequence[Call], before: Sequence[Any]) -> list[bool]:
    wrong = off(line, values, calls)
    right = [i not in wrong for i in range(len(values[0]))]
    try:
        with np.errstate(all="ignore"):
            found = [way(here, there, call) for here, there, call in zip(values, before, calls, strict=True)]
    except (ArithmeticError, ValueError, IndexError, TypeError, np.linalg.LinAlgError):
        return right
    return [is_right or all(each) for is_right, each in zip(right, zip(*found, strict=True), strict=True)]


def _undone(line: Line, here: tuple[np.ndarray, ...], there: Any, call: Call) -> list[bool]:
    assert line.undo
    back = components(line.undo(_plain(here), *(call.args or ())))
    told = [agree(a, b, line.compare) for a, b in zip(back, components(there), strict=True) if a is not None]
    return [all(told)] * len(here)


def _stepped(line: Line, step: Callable | None, here: tuple[np.ndarray, ...], there: Any, call: Call) -> list[bool]:
    wanted = components(step(there, *(call.args or ())) if step else there)
    return [agree(a, b, line.compare) for a, b in zip(here, wanted, strict=True)]


def is_whole(line: Line, values: Values, calls: Sequence[Call]) -> bool:
    """Are the parts right together, whatever they are one by one?"""
    if not (line.whole or line.undo):
        return False
    try:
        with np.errstate(all="ignore"):
            return all(_together(line, value, call) for value, call in zip(values, calls, strict=True))
    except (ArithmeticError, ValueError, IndexError, TypeError, np.linalg.LinAlgError):
        return False


def _together(line: Line, value: tuple[np.ndarray, ...], call: Call) -> bool:
    put = line.whole or line.undo
    assert put
    args = call.args or ()
    mine, right = (components(put(_plain(here), *args)) for here in (value, components(line.reference(*args))))
    return all(b is not None and agree(a, b, line.compare) for a, b in zip(mine, right, strict=True))


def same_as(answer: Callable, call: Call, value: tuple[np.ndarray, ...], line: Line) -> bool:
    """Does a line of the catalogue give this, part by part?"""
    try:
        with np.errstate(all="ignore"):
            theirs = components(answer(*(call.args or ())))
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        return False
    return len(theirs) == len(value) and all(agree(a, b, line.compare) for a, b in zip(value, theirs, strict=True))


def agree(given: Any, wanted: Any, compare: Compare) -> bool:
    """The same numbers, and nan or infinity in the same places."""
    a, b = np.asarray(given, dtype=float), np.asarray(wanted, dtype=float)
    if a.shape != b.shape:
        return False
    if np.isfinite(a).all() and np.isfinite(b).all():
        return compare(a, b)
    known = np.isfinite(a)
    if not np.array_equal(known, np.isfinite(b)) or not np.array_equal(a[~known], b[~known], equal_nan=True):
        return False
    return not known.any() or compare(a[known], b[known])


def _plain(value: tuple[np.ndarray, ...]) -> Any:
    return value if len(value) > 1 else value[0]


# --- what a line holds ---


class Held:
    """By which variables each part of a line is moved, and by which it should be."""

    def __init__(self, line: Line, own: Own) -> None:
        here = min(own.calls, key=lambda call: call.size)
        right = line.reference(*(here.args or ()))
        probes = [call for call, _ in own.probes]
        self.mine = _moves(own.replies[own.calls.index(here)].value, [reply.value for _, reply in own.probes], right)
        self.asked = _moves(right, [_quiet(line.reference, call) for call in probes], right)

    @property
    def enough(self) -> bool:
        """Does it hold half of the variables that it should, and not only numbers in most of its parts?"""
        asked, mine = set[int]().union(*self.asked), set[int]().union(*self.mine)
        alive = [bool(held) for held, wanted in zip(self.mine, self.asked, strict=True) if wanted]
        return len(asked - mine) <= max(1, len(asked) // 2) and 2 * sum(alive) >= len(alive)

    def foreign(self, before: Held) -> bool:
        """Does it hold a variable that it should not, and that the line before did not bring in?"""
        brought = [held - wanted for held, wanted in zip(before.mine, before.asked, strict=True)]
        return bool(set[int]().union(*self.mine) - set[int]().union(*self.asked, *brought))


def moved(calls: Sequence[Call]) -> list[tuple]:
    """The smallest input once more for each variable made of real numbers, with this one moved a little."""
    args = min(calls, key=lambda call: call.size).args or ()
    return [(*args[:i], _moved(arg), *args[i + 1 :]) for i, arg in enumerate(args) if _is_real(arg)]


def _is_real(value: Any) -> bool:
    return not isinstance(value, bool | int) and np.asarray(value).dtype.kind == "f"


def _moved(value: Any) -> Any:
    array = np.asarray(value)
    return (array * (1 + 1e-3 * np.cos(1 + np.arange(array.size).reshape(array.shape))))[()]


def _quiet(function: Callable, call: Call) -> Any:
    try:
        return function(*(call.args or ()))
    except (ArithmeticError, ValueError):
        return None


def _moves(value: Any, others: Sequence[Any], asked: Any) -> list[set[int]]:
    """For each part, by which of the probes it is moved."""
    shapes = of_any_value(asked)
    still = tidy(value, shapes)
    found: list[set[int]] = [set() for _ in still]
    for k, other in enumerate(others):
        try:
            there = tidy(other, shapes)
        except Unusable:
            continue
        for part, (a, b) in enumerate(zip(still, there, strict=True)):
            with np.errstate(all="ignore"):
                stays = np.max(np.abs(a - b), initial=0.0) <= 1e-9 * np.max(np.abs(a), initial=1e-3)
            if not stays:  # or is no number
                found[part].add(k)
    return found
