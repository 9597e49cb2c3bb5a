"""Numbers and their shape count, the type does not: docs/answers.md, row by row, for every kind of exercise."""

from __future__ import annotations

import json
import re
import warnings
from array import array
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from mlcore.authoring import recorded
from mlcore.course import catalogue
from mlcore.engine.asking.answers import collect
from mlcore.engine.asking.plain import Foreign, plain
from mlcore.engine.exercises import Chain, Choice, Function, Law, Line, Option, Property, Slip, Value, close
from mlcore.engine.exercises.slip import COUNTEREXAMPLE_NUMBERS
from mlcore.engine.exercises.verdict import Outcome
from mlcore.grading import wire
from tests.conftest import ROOT


class Column:
    """As a column of pandas: an array only if it is asked."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


class Pair(NamedTuple):
    w: float
    b: float


NAMES = {"np": np, "Fraction": Fraction, "Decimal": Decimal, "array": array, "Column": Column, "Pair": Pair}
TABLE = (ROOT / "docs/answers.md").read_text(encoding="utf-8")
ROWS = [
    (asked, answer, told.strip())
    for asked, answers, told in re.findall(r"^\| `(.*?)` \| (.*) \| (.*)\|$", TABLE, re.M)
    for answer in re.findall(r"`(.*?)`(?= |$)", answers)
]


def made(code: str):
    with warnings.catch_warnings(action="ignore"):  # numpy does not like its matrices any more
        return eval(code, dict(NAMES))


def both(exercise, *answers):
    """The verdict in the notebook, which is the grader's too."""
    calls = exercise.plan(np.random.default_rng(0))
    replies = collect(answers, calls, exercise.watch())
    here = exercise.judge(calls, replies)
    crossed = json.loads(json.dumps([wire.packed_reply(reply) for reply in replies]))
    there = exercise.judge(calls, wire.unpacked_replies(crossed, len(calls)))
    assert str(there) == str(here)
    return here


def cases(rng):
    return [(1.0,), (2.0,)]


def same(asked):
    wanted = np.asarray(asked, dtype=float)
    return lambda *given: given[-1].shape == wanted.shape and close()(given[-1], wanted)


class Told(NamedTuple):
    right: bool
    says: str
    outcome: Outcome | None = None


def finding(verdict) -> Told:
    return Told(verdict.right, verdict.finding.says, verdict.outcome)


def step(verdict, i) -> Told:
    return Told(verdict.steps[i].right, verdict.steps[i].says)


def as_function(asked, give):
    exercise = Function("exercise", asks="it", points=1, reference=lambda t: asked, cases=cases, returns=("w", "b"))
    return finding(both(exercise, lambda t: give()))


def as_value(asked, give):
    return finding(both(Value("made_up", asks="it", points=1, reference=asked), give()))


def as_exact_value(asked, give):
    return finding(both(Value("made_up", asks="it", points=1, reference=asked, digits=None), give()))


def as_line(asked, give):
    line = Line(does="it", reference=lambda t: asked)
    exercise = Chain("exercise", asks="it", first=lambda t: 0 * t, lines=[line, line], cases=cases)
    return step(both(exercise, lambda t: give(), lambda t: asked), 0)


def as_mended_formula(asked, give):
    exercise = Slip("exercise", asks="it", points=2, printed=lambda t: 0.0, reference=lambda t: asked, cases=cases)
    return step(both(exercise, lambda t: give(), ...), 0)


def as_lawful_function(asked, give):
    return finding(
        both(Property("made_up", asks="it", points=1, laws=[Law("No.", same(asked))], cases=cases), lambda t: give())
    )


def as_lawful_value(asked, give):
    return finding(both(Property("made_up", asks="it", points=1, laws=[Law("No.", same(asked))]), give()))


def as_counter_example(asked, give):
    if isinstance(asked, tuple):
        exercise = Slip(
            "exercise",
            asks="it",
            points=2,
            printed=lambda w, b: 0.0,
            reference=lambda w, b: np.sum(w) + b,
            cases=lambda rng: [tuple(asked)],
        )
        return step(both(exercise, lambda w, b: np.sum(w) + b, give()), 1)
    exercise = Slip(
        "exercise",
        asks="it",
        points=2,
        printed=lambda t: t + 1,
        reference=lambda t: t * 1,
        cases=lambda rng: [(np.asarray(asked, float)[()],)],
    )
    return step(both(exercise, lambda t: t * 1, (give(),)), 1)


LAWFUL = (as_lawful_function, as_lawful_value, as_counter_example)  # none of these knows the shape that is asked for
KINDS = (as_function, as_value, as_line, as_mended_formula, *LAWFUL)
HANDED_IN = (as_value, as_lawful_value, as_counter_example)


def applies(kind, asked, told) -> bool:
    """Has the row a meaning here?"""
    if isinstance(asked, tuple):
        return kind in (as_function, as_value, as_mended_formula, as_counter_example)
    about_what_is_asked = "shape (2, 1)" in told or "shape (1,)" in told or "True and False are" in told
    return not about_what_is_asked or kind not in LAWFUL or (kind is as_counter_example and "number" in told)


TRIED = [
    pytest.param(*row, kind, id=f"{row[0]}-{row[1]}-{kind.__name__}")
    for row in ROWS
    for kind in KINDS
    if not isinstance(made(row[0]), str) and applies(kind, made(row[0]), row[2])
]


@pytest.mark.parametrize(("asked", "answer", "told", "kind"), TRIED)
def test_row_of_the_table(asked, answer, told, kind):
    reply = kind(made(asked), lambda: made(answer))
    if told.startswith("counts"):
        assert reply.right, reply
        return
    assert not reply.right
    if answer == "None" and kind in HANDED_IN:
        assert reply.outcome is Outcome.NOT_ATTEMPTED or "still to be found" in reply.says
    else:
        assert reply.says == (told.replace("Your answer", "t") if kind is as_counter_example else told)


@pytest.mark.parametrize(("asked", "answer", "told"), [row for row in ROWS if isinstance(made(row[0]), str)])
def test_row_of_a_choice(asked, answer, told):
    options = {"left": Option("left"), "right": Option("right", "It is left.")}
    verdict = both(Choice("made_up", asks="it", points=1, options=options, reasons=options), made(answer), made(asked))
    assert verdict.right if told == "counts" else verdict.finding.says == told


def test_table_is_read():
    assert len(ROWS) > 60
    assert len(TRIED) > 400
    assert {type(made(asked)) for asked, _, _ in ROWS} == {float, bool, str, tuple, np.ndarray}


class TestPrecision:
    """float32 is compared within its own rounding, and no wider."""

    tight = Function("tight", asks="it", points=1, reference=lambda t: t / 3, cases=cases, compare=close(1e-12, 0.0))

    def test_rounded_to_float32_is_right(self):
        assert both(self.tight, lambda t: np.float32(t / 3)).right
        assert both(self.tight, lambda t: np.array(t / 3, dtype=np.float32)).right

    def test_the_same_digits_in_float64_are_not(self):
        assert not both(self.tight, lambda t: float(np.float32(t / 3))).right

    def test_float32_that_is_off_is_told_so(self):
        verdict = both(self.tight, lambda t: np.float32(t / 3) * np.float32(1.00001))
        assert verdict.outcome is Outcome.WRONG
        assert "It is in float32, which has seven digits: compute in float64" in verdict.finding.says

    def test_law_that_float32_breaks_is_told_so(self):
        law = Law("It must be a third.", lambda value: abs(3 * value - 1) < 1e-12)
        verdict = both(Property("made_up", asks="it", points=1, laws=[law]), np.float32(1 / 3))
        assert verdict.finding.says.startswith("It must be a third. It is in float32")

    def test_large_whole_numbers(self):
        assert as_exact_value(30730, lambda: np.float32(30730)).right
        assert as_exact_value(2**24 + 1, lambda: np.float32(2**24 + 1)).right
        assert not as_exact_value(30730, lambda: np.float32(30731)).right


class TestTruth:
    def test_mask_that_is_wrong_is_told_what_it_counts_as(self):
        told = as_function(np.array([3.0, 1.0]), lambda: np.array([True, True]))
        assert not told.right
        assert told.says.endswith("True and False count as 1 and 0.")

    def test_the_wrong_truth_is_wrong_and_no_more(self):
        told = as_function(np.array([True, False]), lambda: [0, 0])
        assert told.outcome is Outcome.WRONG
        assert "count as" not in told.says


class TestTuples:
    asked = (np.array([1.0, 2.0]), 0.5)

    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (lambda: None, "Your answer is None: is the `return` missing?"),
            (lambda: "w, b", "Your answer is the text 'w, b'; numbers are asked for."),
            (lambda: {"w": [1, 2], "b": 0.5}, "Your answer is a dictionary: write its values"),
            (lambda: 0.5, "A number came back; a tuple (w, b) is asked for."),
            (lambda: np.ones(3), "An array of shape (3,) came back; a tuple (w, b) is asked for."),
            (lambda: ([1, 2], [0.5]), "b has shape (1,); a single number is asked for. It holds one"),
            (lambda: ([1, 2], None), "b is None; numbers are asked for."),
            (lambda: ([1, ...], 0.5), "w holds `...`; numbers are asked for."),
            (lambda: ([1, 2], abs), "b is a function; its value is asked for."),
        ],
    )
    def test_refused_by_name(self, answer, says):
        assert as_function(self.asked, answer).says.startswith(says)

    def test_rows_of_an_array_are_the_parts(self):
        assert as_function((np.array([1.0, 2.0]), np.array([3.0, 4.0])), lambda: np.array([[1, 2], [3, 4]])).right

    def test_counter_example_must_have_its_comma(self):
        slip = Slip("slip", asks="it", points=2, printed=lambda t: t + 1, reference=lambda t: t, cases=cases)
        assert step(both(slip, lambda t: t, 3.0), 1).says == "The counter-example must be a tuple (t,)."

    def test_large_counter_example_is_refused_on_both_sides(self):
        slip = Slip("slip", asks="it", points=2, printed=lambda t: t + 1, reference=lambda t: t, cases=cases)
        for far in (np.ones(COUNTEREXAMPLE_NUMBERS + 1), [[1.0] * 1000] * 3):
            assert "too many numbers" in step(both(slip, lambda t: t, (far,)), 1).says
        assert "differ in shape" in step(both(slip, lambda t: t, ([[1.0], [1.0, 2.0]],)), 1).says


class Hostile:
    """Pretends to be numbers, and raises when it is asked."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")

    def __float__(self):
        raise RuntimeError("no number")

    def __iter__(self):
        raise RuntimeError("no items")


def endless() -> list:
    inside: list = []
    inside.append(inside)
    return inside


ODD = {
    "hostile": Hostile(),
    "endless": endless(),
    "deep": [[[[[[[[[[[1.0]]]]]]]]]]],
    "long": [0.5] * 1500,
    "long fractions": [Fraction(1, 2)] * 1500,
    "long texts": ["a"] * 1500,
    "long text": "a" * 5000,
    "many": np.zeros(1_000_001),
    "nothing": [],
    "no rows": np.zeros((0, 3)),
    "quadruple": np.longdouble(0.5),
    "large": 2**63,
    "small": -(2**63),
    "fraction too large": Fraction(10**400),
    "day": np.datetime64("2026-01-01"),
    "bytes": b"0.5",
    "record": np.zeros(2, dtype=[("w", float), ("b", float)]),
    "odd name": type("<b>bold</b>", (), {})(),
    "long name": type("a" * 500, (), {})(),
    "polynomial": np.poly1d([1.0, 2.0]),
    "mixed": [1.0, "a", None, abs],
    "signalling": Decimal("sNaN"),
    "liar": type("Liar", (), {"__class__": np.float64})(),
    "half": "\ud83d",
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_anything_else_has_one_verdict_on_both_sides(odd, kind):
    """`both` compares them; markup in a name never gets as far as the card."""
    for asked in (0.25, np.array([1.0, 0.0])):
        told = kind(asked, lambda: odd)
        assert "<b>" not in told.says


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_plain_is_plain_once_and_for_all(odd):
    once = plain(odd)
    assert repr(plain(once)) == repr(once)


def test_long_lists_of_numbers_are_arrays():
    for kind in (float, int, bool, Fraction, Decimal, np.float32):
        value = plain([kind(1)] * 1500)
        assert isinstance(value, np.ndarray)
        assert value.dtype == (np.float32 if kind is np.float32 else np.asarray(plain(kind(1))).dtype)
    assert plain(["a"] * 1500) == Foreign("list")


class TestForgottenReturn:
    """The same sentence, whatever the kind."""

    @pytest.mark.parametrize("kind", [k for k in KINDS if k not in HANDED_IN])
    def test_is_told(self, kind):
        assert kind(0.5, lambda: None).says == "Your answer is None: is the `return` missing?"


# The course itself.

FRACTIONS, SINGLE = "lists of fractions", "float32"


def respelt(value, form):
    if isinstance(value, tuple):
        return [respelt(v, form) for v in value]
    numbers = np.asarray(value)
    if form == SINGLE:
        return numbers.astype(np.float32)[()]
    if not np.isfinite(numbers.astype(float)).all():
        return numbers.tolist()
    exact = np.array([Fraction(v.item()) for v in numbers.ravel()], dtype=object).reshape(numbers.shape)
    return exact.tolist()


def in_form(answer, form):
    return (lambda *args: respelt(answer(*args), form)) if callable(answer) else respelt(answer, form)


@pytest.mark.parametrize("form", [FRACTIONS, SINGLE])
@pytest.mark.parametrize("topic", list(catalogue.topics()), ids=lambda topic: topic.slug)
def test_every_solution_counts_in_another_type(topic, form):
    for exercise in topic.exercises:
        if not exercise.parts or isinstance(exercise, Choice):
            continue
        answers = [in_form(answer, form) for answer in recorded.solutions(topic)[exercise.name]]
        verdict = both(exercise, *answers)
        if form == SINGLE and isinstance(exercise, Property) and not verdict.right:
            assert "float32" in verdict.finding.says or verdict.name == "likelihood_collapse", verdict
        else:
            assert verdict.right, verdict
