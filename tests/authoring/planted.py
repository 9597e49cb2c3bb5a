"""A small topic that breaks no rule of the house, in files of its own, to be damaged."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import mlcore.checks
from mlcore.authoring import rules
from mlcore.course import catalogue
from mlcore.engine.exercises import Topic

MATHEMATICS = '''"""Squares.

(99.1)  f(x) = x²
(99.2)  g(x) = x³
"""

import functools

import numpy as np

from mlcore.numerics import need_shapes
'''

EXERCISES = '''"""The exercises of 99 made up."""

from mlcore.engine.exercises import (
    Alternative, Chain, Checks, Choice, Explanation, Hint, Line, Mistake, Option, Slip, Topic, Value
)


def _square(x):
    return x * x


def _pieces(x):
    return x + 1, x - 1


def _cases(rng):
    return [(rng.uniform(1, 2),)]


made_steps = Chain(
    "made_steps",
    asks="Three lines",
    first=_square,
    lines=[
        Line(
            does="write it as a product, plus 1",
            parts=("one", "other"),
            reference=_pieces,
            mistakes=[
                Mistake("Both are x.", lambda x: (x, x)),
                Mistake("They are exchanged.", lambda x: (x - 1, x + 1)),
            ],
        ),
        Line(
            does="write the sum of the two",
            reference=lambda x: 2 * x,
            follows=lambda before, x: before[0] + before[1],
            mistakes=[Mistake("This is their difference.", lambda x: 2.0)],
        ),
    ],
    cases=_cases,
    alternatives=[Alternative(lambda x: (1 + x, -1 + x))],
    hints=(Hint("How?", "So."),),
    see="The second paragraph.",
)

made_slip = Slip(
    "made_slip",
    asks="What was printed",
    points=2,
    printed=lambda x: 2 * x,
    reference=_square,
    cases=_cases,
    mistakes=[
        Mistake("This is still the printed formula.", lambda x: 2 * x),
        Mistake("Is it a square?", lambda x: x**3),
        Mistake("No square!", lambda x: x),
    ],
    alternatives=[Alternative(lambda x: x**2)],
    hints=(Hint("How?", "So."),),
    see="The third paragraph.",
)

made_choice = Choice(
    "made_choice",
    asks="Which one?",
    points=1,
    reasons={
        "i": Option("for this reason"),
        "ii": Option("for that reason", "That is none."),
    },
    options={
        "a": Option(text="this"),
        "b": Option("that", wrong="Not that."),
        "c": Option("the other", wrong="Not the other."),
    },
    hints=(Hint("How?", "So."),),
    see="The fourth paragraph.",
)

made_value: Value = Value(
    "made_value",
    asks="How many?",
    points=1,
    reference=3,
    mistakes=[Mistake(f"{n} is not the number.", n) for n in (1, 2, 4)],
    hints=(Hint("How?", "So."),),
    see="The fifth paragraph.",
)

made_text = Explanation("made_text", asks="Why?", points=1, rubric="1 point: because.")

topic = Topic(
    number=99,
    slug="made_up",
    title="Made up",
    question="What if?",
    part="Toys",
    minutes=1,
    before={"ridge": "squares"},
    exercises=[made_steps, made_slip, made_choice, made_value, made_text],
)
check = Checks(topic)
'''

FIGURES = '''"""The figures of 99 made up."""

import matplotlib

from mlcore import made_up
from mlcore.engine.explorers import Explorer
'''

NOTEBOOK = """# %% title [markdown]
# What is a square?

# %% [markdown]
# $$f(x)=x^2 \\tag{99.1}$$
#
# > A formula, $x^2$, and another, $x^3$, that breaks over two lines
# > nowhere: 50% of it, see (99.2).

# %%
7 % 2

# %% symbols Data [markdown]
# | $x$ | a number | `x` |
"""

FILES = {
    "mathematics": MATHEMATICS,
    "exercises": EXERCISES,
    "figures": FIGURES,
    "notebook": NOTEBOOK,
    "tests": '"""None."""\n',
}


PLACES = {
    "mathematics": "mlcore/made_up.py",
    "exercises": "mlcore/checks/made_up.py",
    "figures": "mlcore/explore/made_up.py",
    "notebook": "solutions/99_made_up.py",
    "tests": "tests/test_made_up.py",
}


class Plot:
    """Where the topic is planted: write it, then load it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for room, text in FILES.items():
            path = root / PLACES[room]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def damage(self, room: str, *changes: str) -> None:
        """What is there and what comes in its place, in turn."""
        path = self.root / PLACES[room]
        for old, new in zip(changes[::2], changes[1::2], strict=True):
            text = path.read_text(encoding="utf-8")
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
            path.write_text(text.replace(old, new), encoding="utf-8")

    def remove(self, room: str) -> None:
        (self.root / PLACES[room]).unlink()

    def at(self, room: str, start: str) -> str:
        """The place of the only line that begins so."""
        lines = (self.root / PLACES[room]).read_text(encoding="utf-8").splitlines()
        (number,) = [i for i, line in enumerate(lines, 1) if line.strip().startswith(start)]
        return f"{PLACES[room]}:{number}"

    def topic(self) -> Topic:
        return catalogue.load("made_up")

    def told(self, rule: rules.Rule) -> list[str]:
        return list(rule(self.topic(), self.root))


@pytest.fixture
def plot(tmp_path, monkeypatch):
    """A topic `made_up` beside those of the course, in a folder of its own."""
    catalogue.shelf()  # as the course is: what is planted is not in it
    made = Plot(tmp_path)
    monkeypatch.setattr(mlcore.checks, "__path__", [str(tmp_path / "mlcore" / "checks"), *mlcore.checks.__path__])
    importlib.invalidate_caches()
    yield made
    sys.modules.pop("mlcore.checks.made_up", None)
    vars(mlcore.checks).pop("made_up", None)
