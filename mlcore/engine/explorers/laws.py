"""Laws: what holds at every position of the controls, or between neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Invariant:
    """Something that holds at every position, or between every two neighbours along a control."""

    says: str
    holds: Callable[..., bool]
    along: str = ""


def invariant(says: str, along: str = "") -> Callable[[Callable], Callable]:
    """Mark a method as a law: `holds(self, state)`, or `holds(self, before, after)` with `along` a control."""

    def mark(method: Callable) -> Callable:
        method.invariant = Invariant(says, method, along)  # type: ignore[attr-defined]
        return method

    return mark
