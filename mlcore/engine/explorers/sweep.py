"""The sweep: every control of an explorer is moved from end to end, and what is wrong on the way is told.

The laws hold, nothing raises or warns, the axes stay, the words change. A check takes one explorer and yields what it
finds: each fault once, at the first position that shows it.
"""

from __future__ import annotations

import functools
import inspect
import io
import itertools
import re
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.image import imread

from mlcore.engine.explorers.controls import Slider
from mlcore.engine.explorers.explorer import Explorer
from mlcore.engine.explorers.laws import Invariant
from mlcore.engine.explorers.live import live
from mlcore.engine.explorers.picture import SHARPNESS, WIDTH

FEW = 3  # controls
TERSE = 40  # characters

Position = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """A fault, told in one line, and the explorer that has it."""

    explorer: type[Explorer]
    says: str

    def __str__(self) -> str:
        return f"{self.explorer.__name__}: {self.says}"


Check = Callable[[type[Explorer]], Iterator[Finding]]
Progress = Callable[[str, int, int], None]  # what comes next, how many checks are done, and of how many


def positions(explorer: Explorer, rng: np.random.Generator, count: int = 12) -> Iterator[Position]:
    """Where to look: the start, both ends and a grid of every control, all corners, random places."""
    controls, start = explorer.controls, explorer.start
    yield start
    for name, control in controls.items():
        for value in control.grid(count):
            yield start | {name: value}
    for corner in itertools.product(*({c.grid(count)[0], c.grid(count)[-1]} for c in controls.values())):
        yield dict(zip(controls, corner, strict=True))
    for _ in range(count):
        yield {name: rng.choice(np.array(c.grid(101), dtype=object)) for name, c in controls.items()}


def broken_along(explorer: Explorer, law: Invariant, rest: Position, count: int) -> tuple[Any, Any] | None:
    """The first two neighbours of `count` values of its control between which a law does not hold.

    The other controls are as in `rest`.
    """
    values = dict.fromkeys(explorer.controls[law.along].grid(count))
    states = [explorer.compute(**(rest | {law.along: value})) for value in values]
    pairs = zip(itertools.pairwise(values), itertools.pairwise(states), strict=True)
    return next((ends for ends, (before, after) in pairs if not law.holds(explorer, before, after)), None)


# --- what is raised is a finding too ---


class _Raised(Exception):
    """An explorer raised or warned; the message says where it stood, the cause is what it raised."""


@contextmanager
def _trying(where: str, strict: bool = True) -> Iterator[None]:
    """Strict: a warning is an error. No check yields from within: the filters of its caller are not ours to change."""
    with warnings.catch_warnings():
        if strict:
            warnings.simplefilter("error")
        try:
            yield
        except Exception as error:
            raise _Raised(where) from error


def _told(kind: type[Explorer], raised: _Raised) -> str:
    error = raised.__cause__
    assert error is not None
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == inspect.getfile(kind)]
    line = f", line {lines[-1]}" if lines else ""
    return " ".join(f"{type(error).__name__} {raised}{line}: {error}".split())


def _check(faults: Callable[[type[Explorer]], Iterator[str]]) -> Check:
    """Sentences about an explorer as findings. What it raises is the last of them."""

    @functools.wraps(faults)
    def check(kind: type[Explorer]) -> Iterator[Finding]:
        try:
            for says in faults(kind):
                yield Finding(kind, says)
        except _Raised as raised:
            yield Finding(kind, _told(kind, raised))

    return check


def _start(kind: type[Explorer], seed: int, count: int = 12) -> tuple[Explorer, list[Position]]:
    """A new explorer, and where it will be looked at."""
    with _trying("as it is made"):
        explorer = kind()
        return explorer, list(positions(explorer, np.random.default_rng(seed), count))


def _line_of(law: Invariant) -> str:
    return f" (the law of line {law.holds.__code__.co_firstlineno})"


# --- the checks ---


@_check
def laws_hold_everywhere(kind: type[Explorer]) -> Iterator[str]:
    explorer, places = _start(kind, seed=0)
    if not explorer.invariants:
        yield "it declares no law"
    standing = [law for law in explorer.invariants if not law.along]
    for position in places:
        with _trying(f"at {position}"):
            state = explorer.compute(**position)
            broken = [law for law in standing if not law.holds(explorer, state)]
        for law in broken:
            standing.remove(law)
            yield f"{law.says}: not at {position}{_line_of(law)}"


@_check
def laws_hold_between_neighbours(kind: type[Explorer]) -> Iterator[str]:
    explorer, places = _start(kind, seed=1)
    for law in explorer.invariants:
        if law.along and law.along not in explorer.controls:
            yield f"{law.says}: along {law.along}, which is no control"
        elif law.along:
            for rest in [explorer.start, *places[-3:]]:
                with _trying(f"along {law.along} from {rest}"):
                    ends = broken_along(explorer, law, rest, count=40)
                if ends:
                    others = {name: value for name, value in rest.items() if name != law.along}
                    beside = f", at {others}" if others else ""
                    yield f"{law.says}: not from {law.along} = {ends[0]} to {ends[1]}{beside}{_line_of(law)}"
                    break


@_check
def every_position_is_drawn_and_told(kind: type[Explorer]) -> Iterator[str]:
    explorer, places = _start(kind, seed=2, count=8)
    size = (explorer.height * SHARPNESS, WIDTH * SHARPNESS)
    said, known, limits = set(), set(), None
    for position in places:
        with _trying(f"at {position}"):
            image, text = explorer.picture(**position)
        now = [(axes.get_xlim(), axes.get_ylim()) for axes in explorer.figure.axes]
        faults = {
            "the picture has not the size of the others": imread(io.BytesIO(image)).shape[:2] != size,
            "the axes moved": limits not in (None, now),
            f"no more than {TERSE} characters are told": len(text) <= TERSE,
            "a number is told as nan": re.search(r"\bnan\b", text) is not None,
        }
        limits = now
        said.add(text)
        for fault in (fault for fault, found in faults.items() if found and fault not in known):
            known.add(fault)
            yield f"{fault}: at {position}"
    if len(said) == 1 and explorer.controls:
        yield "the words are the same at every position"


@_check
def controls_are_few_labelled_and_start_inside(kind: type[Explorer]) -> Iterator[str]:
    if len(kind.controls) > FEW:
        yield f"it has {len(kind.controls)} controls, and {FEW} are the most"
    for name, control in kind.controls.items():
        if not (control.symbol or control.word):
            yield f"the control {name} has neither a symbol nor a word"
        if isinstance(control, Slider):
            start = control.start
            if not control.low <= start <= control.high:
                yield f"the control {name} starts at {start}, outside {control.low} to {control.high}"
                continue
            with _trying(f"at the start of {name}"):
                place = control.snap(start)
            if not np.isclose(place, start):
                yield f"the control {name} starts at {start}, between two of its places: {place} is the next"


@_check
def controls_move_the_picture(kind: type[Explorer]) -> Iterator[str]:
    """As in a notebook: the first control is moved to its end, or to its other end if it stood there."""
    if not kind.controls:
        return
    explorer, _ = _start(kind, seed=0)
    with _trying("in a notebook", strict=False):  # ipywidgets may warn of what comes in its next version
        row, shown, told = live(explorer, *explorer.picture(), mark="swept").children
        control = next(widget for widget in row.children if getattr(widget, "description", ""))
        image, words = shown.value, told.value
        if hasattr(control, "options"):
            control.value = control.options[-1]
        else:
            scale = (lambda end: control.base**end) if hasattr(control, "base") else (lambda end: end)
            control.value = scale(control.min)
            if shown.value == image:
                control.value = scale(control.max)
    if shown.value == image:
        yield f"the control {control.description} does not change the picture"
    if told.value == words:
        yield f"the control {control.description} does not change the words"


CHECKS: tuple[Check, ...] = (
    laws_hold_everywhere,
    laws_hold_between_neighbours,
    every_position_is_drawn_and_told,
    controls_are_few_labelled_and_start_inside,
    controls_move_the_picture,
)


def findings(kinds: Iterable[type[Explorer]], progress: Progress = lambda *_: None) -> Iterator[Finding]:
    """What every check finds in every explorer."""
    steps = list(itertools.product(kinds, CHECKS))
    for done, (kind, check) in enumerate(steps):
        progress(f"{kind.__name__}: {check.__name__.replace('_', ' ')}", done, len(steps))
        yield from check(kind)
    progress("", len(steps), len(steps))
