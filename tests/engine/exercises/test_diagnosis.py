"""Which mistake it is, and when to be silent."""

import numpy as np
import pytest

from mlcore.checks import linear_regression as linear_regression_checks
from mlcore.checks import ridge as ridge_checks
from mlcore.engine.exercises import SAME_THERE, Chain, Checks, Function, Line, Mistake, Slip, gradient_of
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.verdict import Outcome
from tests import toys


def gram(X, lam):
    return X.T @ X + lam * np.eye(X.shape[1])


def _cases(rng):
    return [(rng.normal(size=(n, 3)) + 1, rng.uniform(0.5, 2)) for n in (4, 7)]


def _outer(x):
    return np.outer(x, x + 1)


penalised = Function("penalised", asks="XᵀX + λI", points=1, reference=gram, cases=_cases)
product = Function(
    "product", asks="x(x+1)ᵀ", points=1, reference=_outer, cases=lambda rng: [(rng.normal(size=n),) for n in (2, 4)]
)
twins = Function(
    "twins",
    asks="|x|",
    points=1,
    reference=abs,
    cases=lambda rng: [(float(v),) for v in rng.normal(size=3)],
    mistakes=[Mistake("First.", lambda x: 7.0), Mistake("Second.", lambda x: 7.0 + 0 * x)],
)


def _first(x):
    return (x + 1) ** 2


def _last(x):
    return 2 * (x + 1)


square = Chain(
    "square",
    asks="the derivative of (x + 1)²",
    first=_first,
    lines=[
        Line(
            does="multiply out",
            reference=_first,
            terms={"x²": lambda x: x**2, "2x": lambda x: 2 * x, "1": lambda x: np.ones_like(x)},
        ),
        Line(does="differentiate", reference=gradient_of(_first)),
        Line(
            does="the root",
            reference=lambda x: -1.0,
            holds=lambda x, root: abs(_last(root)) < 1e-9,
            mistakes=[Mistake("That is where the square is 1.", lambda x: 0.0)],
        ),
    ],
    last=_last,
    cases=lambda rng: [(rng.normal(),), (rng.normal() + 3,)],
)
RIGHT = (lambda x: x**2 + 2 * x + 1, lambda x: 2 * x + 2, lambda x: -1.0)

halved = Slip(
    "halved",
    asks="the area of a triangle",
    points=2,
    printed=lambda a, h: a * h,
    reference=lambda a, h: a * h / 2,
    cases=lambda rng: [tuple(rng.uniform(1, 3, size=2))],
    admits=lambda a, h: a > 0 and h > 0,
    domain="a > 0 and h > 0",
)
check = Checks(toys.topic(penalised, product, twins, square, halved, number=98, slug="diagnosis"))


class TestEverydaySlips:
    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (lambda X, lam: -gram_of(X, lam), "sign is reversed"),
            (lambda X, lam: gram_of(X, lam) / 2, "half of what is asked"),
            (lambda X, lam: 2 * gram_of(X, lam), "twice what is asked"),
            (lambda X, lam: gram_of(X, lam) / len(X), "1/n of what is asked"),
            (lambda X, lam: gram_of(X, lam) * len(X), "n times what is asked"),
            (lambda X, lam: gram_of(X, lam) ** 2, "square of what is asked"),
            (lambda X, lam: np.sqrt(abs(gram_of(X, lam))), "square root"),
            (lambda X, lam: X.T @ X, "without a penalty"),
            (lambda X, lam: gram_of(X, lam / 2), "for λ/2"),
            (lambda X, lam: gram_of(X, 2 * lam), "for 2λ"),
            (lambda X, lam: gram_of(X, len(X) * lam), "for nλ"),
            (lambda X, lam: gram_of(X, -lam), "for −λ"),
        ],
    )
    def test_is_named(self, answer, says):
        verdict = assess(penalised, (answer,))
        assert verdict.outcome is Outcome.MISTAKE
        assert says in verdict.finding.says
        assert verdict.finding.mistake == "", "not of the catalogue"

    def test_transpose(self):
        assert "transpose" in assess(product, (lambda x: np.outer(x + 1, x),)).finding.says

    def test_component_of_a_tuple_is_named(self):
        def minus_b(X, y, lam):
            Z = X - X.mean(axis=0)
            w = np.linalg.solve(Z.T @ Z + lam * np.eye(X.shape[1]), Z.T @ (y - y.mean()))
            return w, -(y.mean() - X.mean(axis=0) @ w)

        assert assess(ridge_checks.ridge_free_bias, (minus_b,)).finding.says == "b: the sign is reversed."
        two = Function(
            "two", asks="it", points=1, reference=lambda t: (t, 1.0), returns=("mu", "kl"), cases=lambda rng: [(2.0,)]
        )
        assert assess(two, (lambda t: (-t, 1.0),)).finding.says == "mu: the sign is reversed."


def gram_of(X, lam):
    return X.T @ X + lam * np.eye(X.shape[1])


class TestSilence:
    def test_two_mistakes_that_fit(self):
        verdict = assess(twins, (lambda x: 7.0,))
        assert verdict.outcome is Outcome.WRONG
        assert "First." not in str(verdict) and "Second." not in str(verdict)

    def test_nothing_fits(self):
        verdict = assess(penalised, (lambda X, lam: gram_of(X, lam) + 0.1,))
        assert verdict.outcome is Outcome.WRONG
        assert "by up to 0.1" in verdict.finding.says

    def test_a_coincidence_on_one_draw_does_not_accuse(self):
        """Half of it on one of the inputs, something else on the others."""
        verdict = assess(penalised, (lambda X, lam: gram_of(X, lam) / (2 if len(X) == 4 else 3),))
        assert verdict.outcome is Outcome.WRONG

    def test_evidence_is_the_smallest_case(self):
        verdict = assess(penalised, (lambda X, lam: gram_of(X, lam) + 0.1,))
        (label, shown), *_ = verdict.finding.evidence
        assert label == "for"
        assert shown.partition("lam")[0].count("\n") == 4, "the X with four rows, not the one with seven"

    def test_how_many_inputs_are_off(self):
        verdict = assess(penalised, (lambda X, lam: gram_of(X, lam) + (len(X) == 7),))
        assert verdict.finding.says.startswith("On 3 of 7 inputs")


class TestChains:
    def test_right(self):
        verdict = assess(square, RIGHT)
        assert verdict.right and verdict.points == 3

    def test_first_broken_line_is_named_and_right_lines_keep_their_points(self):
        verdict = assess(square, (RIGHT[0], lambda x: x + 1, RIGHT[2]))
        assert verdict.outcome is Outcome.PARTLY
        assert verdict.points == 2
        assert verdict.finding.says.startswith("Line 3 is the first that does not follow")
        assert "half" in verdict.finding.says

    def test_lost_term_is_named(self):
        verdict = assess(square, (lambda x: x**2 + 1, *RIGHT[1:]))
        assert "The term 2x is missing." in verdict.finding.says
        verdict = assess(square, (lambda x: x**2 - 2 * x + 1, *RIGHT[1:]))
        assert "The term 2x has the wrong sign." in verdict.finding.says

    def test_open_line(self):
        verdict = assess(square, (RIGHT[0], ..., ...))
        assert verdict.points == 1
        assert verdict.finding.says == "Line 3 is still open: differentiate."

    def test_condition_accepts_what_satisfies_it_and_names_what_does_not(self):
        assert assess(square, (*RIGHT[:2], lambda x: x - x - 1)).right
        assert "where the square is 1" in assess(square, (*RIGHT[:2], lambda x: 0.0)).finding.says
        assert "does not hold at this value" in assess(square, (*RIGHT[:2], lambda x: 5.0)).finding.says

    def test_copies_and_calls_of_other_lines_do_not_count(self):
        copied = assess(square, (lambda x: (x + 1) ** 2, *RIGHT[1:]))
        assert "It repeats line 1" in copied.finding.says

        def line_3(x):
            return _last(x)

        called = assess(square, (RIGHT[0], line_3, RIGHT[2]))
        assert "It repeats line 5" in called.finding.says

    def test_nothing_right_is_not_partly_right(self):
        verdict = assess(square, (lambda x: 0.5, lambda x: 0.25, lambda x: 9.0))
        assert verdict.outcome is Outcome.WRONG and verdict.points == 0

    def test_given_lines_of_ridge_are_recognised(self):
        """As the notebook prints them: copying one is not a derivation."""

        def line_2(w, X, y, lam, w0):
            """Copied from the notebook."""
            return (X @ w - y) @ (X @ w - y) + lam * (w - w0) @ (w - w0)

        def line_4(w, X, y, lam, w0):
            return 2 * (X.T @ X + lam * np.eye(len(w))) @ w - 2 * (X.T @ y + lam * w0)

        verdict = assess(ridge_checks.normal_equations, (line_2, ..., line_4))
        assert [step.says for step in verdict.steps][::2] == [
            "It repeats line 1: a derivation has to move on.",
            "It repeats line 5: a derivation has to move on.",
        ]


def replace_printed(slip, printed, **changes):
    fields = {name: getattr(slip, name) for name in ("asks", "points", "reference", "cases", "admits", "domain")}
    return Slip("made_up", **fields | changes, printed=printed)


class TestSlips:
    def right(self, a, h):
        return h * a * 0.5

    def test_both_halves(self):
        assert assess(halved, (self.right, (2.0, 3.0))).points == 2
        assert assess(halved, (self.right, ...)).points == 1
        assert assess(halved, (..., (2.0, 3.0))).points == 1
        assert assess(halved, (..., ...)).outcome is Outcome.NOT_ATTEMPTED

    def test_counter_example_must_be_admissible(self):
        assert "a > 0 and h > 0" in assess(halved, (self.right, (-2.0, 3.0))).finding.says
        assert "a tuple (a, h)" in assess(halved, (self.right, 3.0)).finding.says
        assert "a is nan" in assess(halved, (self.right, (np.nan, 3.0))).finding.says

    def test_counter_example_must_separate(self):
        nearly = replace_printed(halved, lambda a, h: a * h / 2 * (1 + 1e-7))
        assert assess(nearly, (self.right, (2.0, 3.0))).finding.mistake == SAME_THERE
        off = replace_printed(halved, lambda a, h: a * h / 2 * (1 + 1e-5))
        assert assess(off, (self.right, (2.0, 3.0))).right, "a hundred thousandth is a real difference"

    def test_no_difference_is_too_small_in_itself(self):
        assert assess(halved, (self.right, (1e-12, 1e-12))).right

    def test_a_rest_of_rounding_is_no_difference(self):
        """√h² − h is 0, but not in floating point."""
        rest = replace_printed(halved, lambda a, h: np.sqrt(h) ** 2 - h, reference=lambda a, h: 0.0 * a * h)
        assert "rounding decides" in assess(rest, (lambda a, h: 0.0, (2.0, 3.0))).finding.says

    def test_a_small_difference_between_numbers_of_very_different_size_is_one(self):
        assert assess(ridge_checks.map_penalty, (ridge_checks.map_penalty.reference, (1e-10, 1e10))).steps[1].right

    def test_two_rests_of_rounding_are_none_either(self):
        """At the minimum both gradients are 0, but for rounding."""
        slip = linear_regression_checks.ols_gradient
        at_the_minimum = ([7 / 3], [[1.0], [1.0], [1.0]], [2.0, 2.0, 3.0])
        assert "rounding decides" in assess(slip, (slip.reference, at_the_minimum)).steps[1].says

    def test_numbers_far_out_are_told_so(self):
        for far in ((1e-60, 2.0), (2.0, 1e60)):
            assert "beyond 10⁵⁰" in assess(halved, (self.right, far)).finding.says

    def test_task_states_the_rule(self):
        assert halved.task().endswith(
            "a tuple `(a, h)`, with a > 0 and h > 0. The printed formula fails there if it is off by more than a "
            "millionth of the right value. Sizes beyond $10^{\\pm50}$ do not count."
        )

    def test_odd_points_are_refused(self):
        with pytest.raises(ValueError, match="must be even, got 3"):
            Slip("made_up", asks="", points=3, printed=abs, reference=lambda x: x, cases=lambda rng: [])
