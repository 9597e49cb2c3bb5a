"""Does a line follow from the student's own line before it, where that one is wrong?

A line that is wrong in one place still holds what the derivation is about. One that was made up so that the lines after
it are easy does not: nothing follows from it. What it holds shows in its probes: the smallest input once more for each
variable made of real numbers, with this one moved a little.
"""

from __future__ import annotations

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
        """One tuple of arrays for each call; None if there is a call without."""
        try:
            return [
                tidy(reply.value, line.reference(*(call.args or ())), line.parts)
                for call, reply in zip(self.calls, self.replies, strict=True)
            ]
        except Unusable:
            return None


def off(line: Line, values: Values, calls: Sequence[Call]) -> list[int]:
    """Which parts are not right."""
    asked = [components(line.reference(*(call.args or ()))) for call in calls]
    return [
        i
        for i in range(len(line.parts) or 1)
        if not all(agree(v[i], a[i], line.compare) for v, a in zip(values, asked, strict=True))
    ]


def following(line: Line, values: Values, calls: Sequence[Call], before: Values) -> list[bool]:
    """Which parts are right, or what the step makes of the student's own line before it, on every draw.

    Where only the way back is known, all of them or none."""
    wrong = off(line, values, calls)
    right = [i not in wrong for i in range(len(values[0]))]
    try:
        with np.errstate(all="ignore"):
            found = [_follow(line, *each) for each in zip(values, before, calls, strict=True)]
    except (ArithmeticError, ValueError, IndexError, TypeError, np.linalg.LinAlgError):
        return right
    return [is_right or all(each) for is_right, each in zip(right, zip(*found, strict=True), strict=True)]


def _follow(line: Line, here: tuple[np.ndarray, ...], there: tuple[np.ndarray, ...], call: Call) -> list[bool]:
    args = call.args or ()
    if line.undo:
        back = components(line.undo(_plain(here), *args))
        told = [agree(a, b, line.compare) for a, b in zip(back, there, strict=True) if a is not None]
        return [all(told)] * len(here)
    wanted = components(line.follows(_plain(there), *args)) if line.follows else there
    return [agree(a, b, line.compare) for a, b in zip(here, wanted, strict=True)]


def agree(given: Any, wanted: Any, compare: Compare) -> bool:
    a, b = np.asarray(given, dtype=float), np.asarray(wanted, dtype=float)
    return a.shape == b.shape and compare(a, b)


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
    still = tidy(value, asked)
    found: list[set[int]] = [set() for _ in still]
    for k, other in enumerate(others):
        try:
            there = tidy(other, asked)
        except Unusable:
            continue
        for part, (a, b) in enumerate(zip(still, there, strict=True)):
            if np.max(np.abs(a - b), initial=0.0) > 1e-9 * np.max(np.abs(a), initial=1e-3):
                found[part].add(k)
    return found
