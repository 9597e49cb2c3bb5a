"""Which mistake it is, and when to be silent."""

import numpy as np
import pytest

from mlcore.checks import linear_regression as linear_regression_checks
from mlcore.checks import ridge as ridge_checks
from mlcore.engine.exercises import SAME_THERE, Checks, Function, Mistake, Slip
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
check = Checks(toys.topic(penalised, product, twins, halved, number=98, slug="diagnosis"))


class TestEverydaySlips:
    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (lambda X, lam: -gram_of(X, lam), "sign is reversed"),
            (lambda X, lam: gram_of(X, lam) / 2, "half of what is asked"),
            (lambda X, lam: 2 * gram_of(X, lam), "twice what is asked"),
            (lambda X, lam: gram_of(X, lam) / len(X), "divided by len(X): is it a mean"),
            (lambda X, lam: gram_of(X, lam) * len(X), "times len(X): is it a sum"),
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
