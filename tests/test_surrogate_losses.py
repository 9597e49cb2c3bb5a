"""mlcore.surrogate_losses against independent oracles: scikit-learn, finite differences, optimisers, plain loops."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit
from sklearn.linear_model import Perceptron
from sklearn.metrics import hinge_loss, log_loss, zero_one_loss

from mlcore import surrogate_losses as sl
from mlcore.checks import surrogate_losses as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import surrogate_losses as explore
from tests.derivations import KeepsItsPromises

Z = np.concatenate([np.linspace(-6, 6, 97), [0.0, 1.0]])


@pytest.fixture
def data():
    """Two classes that overlap, off centre."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) + 1
    s = np.where(X @ [1.0, -1.0, 0.5] + rng.normal(size=40) > 0.3, 1.0, -1.0)
    return X, s


def separable(rng, n=60, d=4, gap=0.1):
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(n, d))
    X += np.outer(np.sign(X @ u) * gap, u)
    return X, np.sign(X @ u), u


def test_margins_and_losses_are_those_of_scikit_learn(data):
    """(14.1), (14.2) and (14.3)."""
    X, s = data
    w, b = np.array([0.7, -1.2, 0.4]), -0.2
    z, f = sl.margins(w, b, X, s), X @ w + b
    np.testing.assert_allclose(np.mean(sl.zero_one(z)), zero_one_loss(s, np.sign(f)))
    np.testing.assert_allclose(np.mean(sl.hinge(z)), hinge_loss(s, f))
    np.testing.assert_allclose(np.mean(sl.logistic(z)), log_loss(s, expit(f)) / np.log(2))
    np.testing.assert_allclose(sl.exponential(z), [np.e ** (-si * fi) for si, fi in zip(s, f, strict=True)])
    for one, other in zip(sl.four_losses(z), (sl.zero_one, sl.hinge, sl.logistic, sl.exponential), strict=True):
        np.testing.assert_array_equal(one, other(z))


def test_boundary_mistakes_count_wrong_predictions():
    """(14.2), against predictions one by one; a point on the boundary is predicted 0, which is no label."""
    rng = np.random.default_rng(1)
    x, s = rng.integers(-3, 4, size=30).astype(float), rng.choice([-1.0, 1.0], size=30)
    for b in (-1.0, 0.5, 2.0):
        assert sl.boundary_mistakes(b, x, s) == sum(np.sign(xi - b) != si for xi, si in zip(x, s, strict=True))


@given(z=st.floats(-700, 700))
def test_no_surrogate_is_below_the_zero_one_loss(z):
    zero_one, *others = sl.four_losses(np.array(z))
    assert all(other >= zero_one for other in others)


def test_losses_do_not_overflow():
    np.testing.assert_allclose(sl.logistic(np.array([-1000.0, 1000.0])), [1000 / np.log(2), 0], atol=1e-300)
    np.testing.assert_allclose(sl.soft_hinge(np.array([-9.0, 11.0]), 1e-3), [10, 0])
    np.testing.assert_allclose(sl.sigmoid_loss(np.array([-1000.0, 1000.0])), [1, 0])
    np.testing.assert_allclose(sl.sigmoid_loss(Z), expit(-Z))


@pytest.mark.parametrize("a", [0.05, 0.3, 1.0, 2.5])
def test_soft_hinge_is_the_hinge_plus_its_gap(a):
    """(14.4), (14.5) and (14.6), the last against an optimiser."""
    np.testing.assert_allclose(sl.soft_hinge(Z, a), sl.hinge(Z) + sl.soft_hinge_gap(Z, a), atol=1e-12)
    found = minimize_scalar(
        lambda z: -sl.soft_hinge_gap(z, a), bounds=(-3, 5), method="bounded", options={"xatol": 1e-9}
    )
    np.testing.assert_allclose(-found.fun, sl.largest_gap(a), rtol=1e-6)
    np.testing.assert_allclose(found.x, 1, atol=1e-5)


def test_soft_hinge_is_the_logistic_loss_moved_by_one():
    np.testing.assert_allclose(sl.soft_hinge(Z, 1.0), np.log(2) * sl.logistic(Z - 1))


def test_pulls_are_minus_the_slopes():
    """(14.7) and (14.8), by finite differences away from the kink."""
    z = Z[(np.abs(Z - 1) > 1e-3) & (np.abs(Z) < 6)]
    for loss, pull in zip((sl.hinge, sl.logistic, sl.exponential, sl.sigmoid_loss), sl.pulls(z), strict=True):
        np.testing.assert_allclose(-(loss(z + 1e-6) - loss(z - 1e-6)) / 2e-6, pull, rtol=1e-6, atol=1e-8)
    assert sl.pulls(np.array(1.0))[0] == 0


def test_hinge_subgradient_supports_the_loss_from_below(data):
    """(14.9): L(v) ≥ L(w) + gᵀ(v − w) for every v, also where some z is exactly 1."""
    X, s = data
    rng = np.random.default_rng(2)
    X[0] = s[0] * np.array([1.0, 0.0, 0.0])
    w, b = np.array([1.0, 0.5, -0.3]), 0.0
    assert sl.margins(w, b, X, s)[0] == 1
    g, g_b = sl.hinge_subgradient(w, b, X, s)
    here = sl.hinge(sl.margins(w, b, X, s)).sum()
    for v in w + rng.normal(size=(200, 3)) * rng.choice([1e-3, 1.0, 10.0], size=(200, 1)):
        c = rng.normal()
        assert sl.hinge(sl.margins(v, c, X, s)).sum() >= here + g @ (v - w) + g_b * (c - b) - 1e-9


def test_hinge_subgradient_is_the_gradient_where_there_is_one(data):
    X, s = data
    w, b = np.array([0.31, -0.52, 0.13]), 0.17
    g, g_b = sl.hinge_subgradient(w, b, X, s)
    total = lambda v, c: sl.hinge(sl.margins(v, c, X, s)).sum()  # noqa: E731
    slopes = [(total(w + h, b) - total(w - h, b)) / 2e-7 for h in 1e-7 * np.eye(3)]
    np.testing.assert_allclose(g, slopes, rtol=1e-6)
    np.testing.assert_allclose(g_b, (total(w, b + 1e-7) - total(w, b - 1e-7)) / 2e-7, rtol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_perceptron_is_its_passes_one_after_the_other(seed):
    """(14.10): the fast generator against single steps."""
    X, s, _ = separable(np.random.default_rng(seed), n=300)
    w, made = np.zeros(4), 0
    for _ in range(1000):
        before = w
        for x, label in zip(X, s, strict=True):
            before = sl.perceptron_step(before, x, label)
        w, mistakes = sl.perceptron_pass(w, X, s)
        np.testing.assert_allclose(w, before)
        made += mistakes
        if not mistakes:
            break
    states = list(sl.perceptron(X, s))
    assert len(states) - 1 == made
    np.testing.assert_allclose(states[-1], w)
    assert np.all(s * (X @ w) > 0)


def test_perceptron_is_scikit_learns():
    """Without shuffling and without a bias, scikit-learn goes the same way."""
    X, s, _ = separable(np.random.default_rng(7), n=80)
    peer = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=500, eta0=1.0).fit(X, s)
    *_, w = sl.perceptron(X, s)
    np.testing.assert_allclose(w, peer.coef_[0], rtol=1e-9)


@given(seed=st.integers(0, 10_000), gap=st.floats(0.02, 1.0))
def test_mistake_bound_holds(seed, gap):
    """(14.11) and (14.12), for a u of any length."""
    X, s, u = separable(np.random.default_rng(seed), n=30, d=3, gap=gap)
    longest = max(np.sqrt(x @ x) for x in X)
    margin = min(label * (x @ u) for x, label in zip(X, s, strict=True))
    bound = sl.mistake_bound(X, s, 3.7 * u)
    np.testing.assert_allclose(bound, (longest / margin) ** 2)
    assert len(list(sl.perceptron(X, s))) - 1 <= bound


def test_perceptron_never_ends_without_a_line():
    X = np.array([[1.0, 0.0], [1.0, 0.0]])
    states = sl.perceptron(X, np.array([1.0, -1.0]))
    assert len(list(itertools.islice(states, 5000))) == 5000


def test_wrong_arguments_get_one_line():
    X, s = np.ones((5, 2)), np.ones(5)
    with pytest.raises(
        ValueError, match=r"surrogate_losses.perceptron_pass: s must have shape \(n,\) = \(5,\), got \(4,\)"
    ):
        sl.perceptron_pass(np.zeros(2), X, s[:4])
    with pytest.raises(ValueError, match=r"surrogate_losses.hinge_subgradient: X must have shape \(n, d\), got \(5,\)"):
        sl.hinge_subgradient(np.zeros(2), 0.0, s, s)
    with pytest.raises(ValueError, match=r"mistake_bound: u must separate the classes, got a margin of -1"):
        sl.mistake_bound(X, -s, np.array([2.0, 0.0]))
    with pytest.raises(ValueError, match=r"surrogate_losses.perceptron: s must have shape"):
        next(sl.perceptron(X, s[:, None]))


def _exponents(before, z, a):
    bracket, factor = before
    return np.log(factor), np.log(bracket - 1) + np.log(factor)


def _larger_out(before, z, a):
    one, two = before
    larger = np.where(one > two, one, two)
    return a * larger, one + two - 2 * larger


class TestTheChain(KeepsItsPromises):
    """From the gap between Γₐ and the hinge to (14.5)."""

    CHAIN = checks.soft_hinge_chain
    CASES = checks._softened(np.random.default_rng(0))
    STEPS = (_exponents, _larger_out)
    NOTHING_FOLLOWS = (  # one exponent is 0 everywhere, or is the logarithm of what is not positive
        "You put m = 1 − z, which holds only for z ≤ 1. Beyond 1 the hinge is 0.",
        "Only the exponential was multiplied by the factor: the 1 is, too.",
        "Exponent 2 is 0 only for z ≤ 1: beyond 1 the hinge is 0.",
        "The factor is −m here: a times its logarithm has to be −m.",
        "The factor is −m/a here: that is its logarithm.",
        "The factor is m here: a times its logarithm has to be −m.",
        "The bracket is a logarithm here: the logarithm stands before it already.",
        "bracket and factor have changed places.",
    )

    @pytest.mark.parametrize(
        "hinge", [lambda z: np.maximum(0, 1 - z), lambda z: np.where(z < 1, 1 - z, 0)], ids=["maximum", "where"]
    )
    def test_an_a_that_is_forgotten_costs_one_point(self, hinge):
        """With a maximum, line 3 was told that it has the formula of line 1 in it."""

        def line_2(z, a):
            return 1 + np.exp((1 - z) / a), np.exp(-hinge(z))

        def line_3(z, a):
            return -hinge(z), (1 - z) / a - hinge(z)

        def line_4(z, a):
            first, second = line_3(z, a)
            return a * np.maximum(first, second), -np.abs(first - second)

        seen = assess(checks.soft_hinge_chain, (line_2, line_3, line_4))
        assert "".join(step.shown for step in seen.steps) == "✗↳↳"

    def test_what_is_right_together_is_told_so(self):
        def line_4(z, a):
            return -np.maximum(0, 1 - z), (1 - z) / a

        lines = [line.reference for line in checks.soft_hinge_chain.lines]
        assert "all together it is right" in assess(checks.soft_hinge_chain, (*lines[:2], line_4)).finding.says

    def test_every_line_put_together_has_the_value_of_the_one_before(self):
        """And line 4 is (14.5)."""
        for z, a in self.CASES:
            gap = checks._line_1(z, a)
            bracket, factor = checks._line_2(z, a)
            np.testing.assert_allclose(a * np.log(bracket * factor), gap, atol=1e-12)
            one, two = checks._line_3(z, a)
            np.testing.assert_allclose(a * np.log(np.exp(one) + np.exp(two)), gap, atol=1e-12)
            out, E = checks._line_4(z, a)
            np.testing.assert_allclose(out + a * np.log(1 + np.exp(E)), gap, atol=1e-12)
            np.testing.assert_allclose(sl.soft_hinge_gap(z, a), gap, atol=1e-12)


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    x, s = np.array([0.0, 1.0, 2.0]), np.array([-1.0, 1.0, 1.0])

    def total(self, loss, b, w=1.0):
        return loss(self.s * w * (self.x - b)).sum()

    def best(self, loss):
        return minimize_scalar(
            lambda b: self.total(loss, b), bounds=(-1, 2), method="bounded", options={"xatol": 1e-10}
        )

    def test_best_boundaries_of_the_petals(self):
        stairs = explore.Staircase()
        assert stairs.counts.min() == 7
        lowest = stairs.edges[:-1][stairs.counts == 7], stairs.edges[1:][stairs.counts == 7]
        assert [lowest[0].min(), lowest[1].max()] == [4.7, 4.9]

    def test_staircase_of_three_points(self):
        assert [sl.boundary_mistakes(b, self.x, self.s) for b in (-0.5, 0.5, 1.5, 2.5)] == [1, 0, 1, 2]
        assert all(sl.boundary_mistakes(b, self.x, self.s) == 0 for b in np.linspace(0.01, 0.99, 50))

    def test_boundaries_of_three_points(self):
        hinges = [self.total(sl.hinge, b) for b in np.linspace(0, 1, 21)]
        np.testing.assert_allclose(hinges, 1)
        assert all(self.total(sl.hinge, b) > 1 for b in (-0.01, 1.01))
        logistic, exponential = self.best(sl.logistic), self.best(sl.exponential)
        assert [round(logistic.x, 3), round(logistic.fun, 3), round(logistic.fun * np.log(2), 3)] == [
            0.197,
            1.619,
            1.122,
        ]
        assert round(logistic.fun * np.log(2), 4) == 1.1222
        assert [round(exponential.x, 3), round(exponential.fun, 3)] == [0.343, 1.419]
        np.testing.assert_allclose(checks.three_boundaries.reference, [0, 1, logistic.x, exponential.x], atol=1e-5)

    def test_hinge_reaches_zero_at_twice_the_steepness_and_in_the_middle_only(self):
        assert self.total(sl.hinge, 0.5, w=2.0) == 0
        assert all(self.total(sl.hinge, b, w=2.0) > 0 for b in (0.49, 0.51))
        assert all(self.total(sl.hinge, b, w=1.99) > 0 for b in np.linspace(-1, 2, 301))
        hard = minimize(  # notebook 15's hard margin
            lambda v: v[0] ** 2 / 2,
            [1.0, 0.0],
            constraints={"type": "ineq", "fun": lambda v: self.s * (v[0] * self.x + v[1]) - 1},
        )
        np.testing.assert_allclose(hard.x, [2, -1], atol=1e-6)

    def test_the_point_at_two_moves_the_logistic_boundary_most(self):
        """Without it both are at the middle, 0.5."""
        self.x, self.s = self.x[:2], self.s[:2]
        np.testing.assert_allclose([self.best(sl.logistic).x, self.best(sl.exponential).x], 0.5, atol=1e-5)

    def test_gap_of_a_small_softness(self):
        assert round(sl.largest_gap(0.01), 3) == 0.007

    def test_one_wrong_label_outweighs_fifty_points(self):
        _, _, gross, _ = sl.pulls(np.array(-4.0))
        _, _, boundary, _ = sl.pulls(np.array(0.0))
        assert 50 < gross / boundary < 60
        assert round(float(sl.pulls(-30.0)[1]), 2) == 1.44

    def test_pull_of_the_sigmoid_vanishes(self):
        assert f"{sl.pulls(-10.0)[3]:.1e}" == "4.5e-05"

    def test_iris_is_learnt_within_the_bound(self):
        iris = load("iris")
        two = iris.y < 2
        X, s = np.column_stack([np.ones(100), iris.X[two][:, 2:]]), np.where(iris.y[two] == 1, 1.0, -1.0)
        assert len(list(sl.perceptron(X, s))) - 1 == 4
        assert int(sl.mistake_bound(X, s, np.array([-3.0, 1.0, 1.0]))) == 663

    def test_mistakes_against_the_margin(self):
        margin = explore.Margin()
        states = {g: margin.compute(g, "two points") for g in margin.gammas}
        counts = [states[min(states, key=lambda g: abs(g - at))].mistakes for at in (0.1, 0.01)]
        assert counts == [17, 1670]
        assert max(margin.compute(g, "forty points").mistakes for g in margin.gammas) == 7


def _counting(b_of):
    return lambda b, x, s: np.sum(s * (x - b_of(b)) <= 0)


def _hinge_with(b_of):
    """The subgradient with another b in its margins."""

    def answer(w, b, X, s):
        active = np.where(s * (X @ w + b_of(b)) < 1, s, 0)
        return -X.T @ active, -np.sum(active)

    return answer


class TestAnswersOfStrangers:
    """Right answers that were refused, and wrong ones that some draws accepted."""

    @pytest.mark.parametrize("answer", [(0, 1, 0.2, 0.34), (-0.001, 0.998, 0.1982, 0.3423)], ids=["decimals", "grid"])
    def test_two_digits_are_enough_for_the_boundaries(self, answer):
        assert assess(checks.three_boundaries, (answer,)).right
        assert "two significant digits" in checks.three_boundaries.task()

    @pytest.mark.parametrize("triple", [(-1000.0, 0.0, 0.1), (-1e6, 5, 1e-3)])
    def test_a_bump_may_be_far_away(self, triple):
        assert assess(checks.sigmoid_bump, (triple,)).right

    @pytest.mark.parametrize(
        "fails_at", [([0.6, 0.2], [0.1, -0.3], 1), ([0.1, 0.2, 0.3], [1, 1, -1], 1), ([1 / 3, 1 / 7], [3, -7], -1)]
    )
    def test_a_score_of_zero_is_zero_but_for_rounding(self, fails_at):
        assert assess(checks.perceptron_test, (lambda w, x, s: w + s * x if s * (w @ x) <= 0 else w, fails_at)).right

    @pytest.mark.parametrize(
        "X",
        [
            [[0.9, 0], [0.3, 0.02]],
            [[1, 0], [1 / 3, 0.02]],
            [[1, 0], [0.1, 0.01]],
            [[1e-6, 0], [5e-7, 3e-8]],
            [[1, 0], [0.5, 1e-300]],
        ],
    )
    def test_a_slow_pair_is_slow_in_exact_arithmetic(self, X):
        assert assess(checks.slow_pair, (X,)).right

    @pytest.mark.parametrize("X", [[[0.1, 0.3], [0.03, 0.09]], np.outer([1, 0.3], [np.cos(1), np.sin(1)])])
    def test_a_multiple_is_no_slow_pair(self, X):
        assert "multiple" in assess(checks.slow_pair, (X,)).finding.says

    @pytest.mark.parametrize(
        ("exercise", "answer", "seeds"),
        [
            (checks.boundary_mistakes, lambda b, x, s: np.sum(np.where(x > b, 1, -1) != s), (19, 32)),
            (checks.boundary_mistakes, _counting(abs), (74, 211)),
            (checks.boundary_mistakes, _counting(lambda b: max(b, 0)), (9, 37)),
            (checks.hinge_subgradient, _hinge_with(abs), (10,)),
            (checks.hinge_subgradient, _hinge_with(lambda b: max(b, 0)), (10,)),
        ],
        ids=["tie", "|b|", "max(b, 0)", "hinge with |b|", "hinge with max(b, 0)"],
    )
    def test_every_draw_has_both_sides(self, exercise, answer, seeds):
        assert not any(assess(exercise, (answer,), seed).right for seed in seeds)

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda z, a: (1 + np.exp((1 - z) / a), -np.maximum(0, 1 - z) / a), "that is its logarithm"),
            (1, lambda z, a: tuple(map(np.exp, checks._line_3(z, a))), "These are the two exponentials"),
            (1, lambda z, a: checks._line_3(z, a)[::-1], "The two have changed places"),
            (2, lambda z, a: (0 * z, (1 - z) / a), "This E is right for z > 1 only"),
        ],
    )
    def test_a_line_of_the_derivation_is_told_what_is_wrong_with_it(self, part, answer, says):
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.soft_hinge_chain.lines]
        lines[part] = answer
        verdict = assess(checks.soft_hinge_chain, tuple(lines))
        assert not verdict.steps[part].right
        assert says in verdict.finding.says
