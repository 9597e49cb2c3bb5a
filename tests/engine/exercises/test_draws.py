"""Inputs on which an answer can be judged: ties, collapses and rounding are drawn again."""

import numpy as np
import pytest

from mlcore.engine.exercises import (
    Chain,
    Checks,
    Function,
    Line,
    Property,
    Slip,
    Value,
    close,
    exactly,
)
from mlcore.engine.exercises import Law as law
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.draws import TRIES, NotJudged, drawn, nudged, steady
from mlcore.engine.exercises.verdict import Outcome
from tests import toys


def best(means):
    return np.argmax(means)


def often_tied(rng):
    """Tenths: 0.1 + 0.2 and 0.3 are equal, but not in floating point."""
    a, b = rng.integers(1, 4, size=2) / 10
    return [(np.array([a + b, 0.3, 0.1]),)]


winner = Function("winner", asks="the best arm", points=1, reference=best, cases=often_tied, compare=exactly)
collapsing = Function(
    "collapsing",
    asks="a logarithm",
    points=1,
    reference=lambda x: np.log(x) if x > 0 else 1 / 0,
    cases=lambda rng: [(float(rng.normal()),)],
)
hopeless = Function("hopeless", asks="never", points=1, reference=lambda x: np.nan * x, cases=lambda rng: [(1.0,)])
counted = Value("counted", asks="about 0.648", points=1, reference=0.6479)
check = Checks(toys.topic(winner, collapsing, hopeless, counted, number=97, slug="draws"))


class TestNudge:
    def test_moves_what_was_rounded_and_nothing_else(self):
        x = np.array([0.1, 0.3, 1.0, 2.5, 0.0, -7.0, np.inf])
        moved = nudged(x) != x
        assert moved.tolist() == [True, True, False, False, False, False, False]
        assert np.allclose(nudged(x), x, rtol=1e-11)

    def test_equal_stays_equal_and_opposite_opposite(self):
        x = np.array([0.1, 0.7, 0.1, -0.7])
        y = nudged(x)
        assert y[0] == y[2] and y[1] == -y[3]

    def test_goes_into_tuples_and_leaves_the_rest_alone(self):
        assert nudged((3, "a", [0.1])) == (3, "a", [nudged(0.1)])


class TestSteady:
    def test_a_tie_is_not(self):
        """0.1 + 0.2 > 0.3 in floating point, and in no mathematics."""
        assert not steady(best, (np.array([0.1 + 0.2, 0.3]),), exactly)
        assert not steady(best, (np.array([0.3, 0.1 + 0.2]),), exactly)

    def test_a_tie_of_equal_numbers_is(self):
        assert steady(best, (np.array([0.3, 0.3]),), exactly)

    def test_a_matrix_that_is_singular_but_for_rounding_is_not(self):
        X = np.array([[0.1, 0.3], [0.2, 0.6]])
        assert not steady(lambda X: np.linalg.solve(X, np.ones(2)), (X,), close())

    def test_an_error_and_a_nan_are_not(self):
        assert not steady(lambda x: 1 / 0, (0.1,), close())
        assert not steady(lambda x: np.log(x), (-0.1,), close())


class TestDrawnAgain:
    @pytest.mark.parametrize("seed", range(30))
    def test_rounding_decides_nothing(self, seed):
        for call in winner.plan(np.random.default_rng(seed)):
            top = np.sort(call.args[0])
            assert top[-1] - top[-2] > 1e-9 or top[-1] == top[-2]

    @pytest.mark.parametrize("seed", range(10))
    def test_where_the_reference_fails(self, seed):
        assert assess(collapsing, (np.log,), seed).right

    def test_on_the_exercise_s_own_word(self):
        apart = drawn(lambda rng: [(rng.normal(),)], np.random.default_rng(0), lambda x: abs(x) > 1)
        assert all(abs(call.args[0]) > 1 for call in apart)

    def test_the_same_seed_draws_the_same(self):
        one, two = (winner.plan(np.random.default_rng(7)) for _ in range(2))
        assert all(np.array_equal(a.args[0], b.args[0]) for a, b in zip(one, two, strict=True))

    def test_not_for_ever(self):
        tries = []
        with pytest.raises(NotJudged, match="none of 50 draws"):
            drawn(lambda rng: [(tries.append(1),)], np.random.default_rng(0), lambda x: False)
        assert len(tries) == TRIES


class TestNotJudged:
    def test_costs_nothing_silently(self):
        verdict = assess(hopeless, (lambda x: x,))
        assert verdict.outcome is Outcome.NOT_JUDGED
        assert "not the answer's fault" in verdict.finding.says

    def test_a_reference_that_fails_later_is_not_the_answer_s_fault(self):
        calls = []

        def tires(x):
            calls.append(x)
            if len(calls) > 9:
                raise RuntimeError("enough")
            return x

        tired = Function("tired", asks="x", points=1, reference=tires, cases=lambda rng: [(rng.normal(),)])
        assert "RuntimeError: enough" in assess(tired, (lambda x: x,)).finding.says


class TestDerivations:
    def test_a_line_that_fails_is_drawn_again(self):
        def inverse(x):
            if x < 0.1:
                raise ZeroDivisionError("too near to 0")
            return 1 / x

        steep = Chain(
            "steep",
            asks="1/x",
            first=lambda x: x,
            lines=[Line(does="divide", reference=inverse)],
            cases=lambda rng: [(float(rng.choice([1e-4, 0.7])),)],
        )
        calls = steep.plan(np.random.default_rng(0))
        assert {call.args[0] for call in calls if not call.probe} == {0.7}


class TestDigits:
    @pytest.mark.parametrize("answer", [0.648, 0.6479, 0.6482, 0.64791234])
    def test_three_are_enough(self, answer):
        assert assess(counted, (answer,)).right

    def test_two_are_told_so(self):
        assert assess(counted, (0.65,)).finding.says == "Right to two digits: three are asked for."

    @pytest.mark.parametrize("answer", [0.647, 0.6, 0.7, 0.66])
    def test_others_are_not(self, answer):
        verdict = assess(counted, (answer,))
        assert not verdict.right and (answer == 0.647) == ("two digits" in verdict.finding.says)

    def test_task_says_how_many(self):
        assert "three significant digits" in counted.task()

    def test_a_property_too(self):
        near = law("It must be near.", lambda x: abs(x - 0.6479) < 5e-4)
        solved = Property("solved", asks="a root", points=1, laws=[near], digits=3, reference=0.6479)
        assert assess(solved, (0.648,)).right
        assert assess(solved, (0.65,)).finding.says == "Right to two digits: three are asked for."
        assert "three significant digits" in solved.task()


def test_a_slip_is_drawn_again_too():
    slip = Slip(
        "slip",
        asks="x",
        points=2,
        printed=lambda x: -1.0,
        reference=lambda x: np.sqrt(x) if x > 0 else np.nan,
        cases=lambda rng: [(float(rng.normal()),)],
    )
    assert all(call.args[0] > 0 for call in slip.plan(np.random.default_rng(0))[:-1])
