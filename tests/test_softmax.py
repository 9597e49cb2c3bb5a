"""mlcore.softmax against independent oracles: finite differences, optimisers, scipy, scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import linalg, special
from scipy.optimize import minimize
from scipy.stats import multinomial
from sklearn.linear_model import LogisticRegression

from mlcore import softmax
from mlcore.checks import softmax as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.verdict import Outcome
from mlcore.explore import softmax as explore
from tests.derivations import KeepsItsPromises, points_with

scores = arrays(float, st.integers(1, 6), elements=st.floats(-1e4, 1e4))


@pytest.fixture(params=[(60, 2, 3), (150, 5, 4), (80, 3, 2)], ids=["three", "four", "two"])
def data(request):
    """X, y and some W."""
    rng = np.random.default_rng(0)
    n, d, C = request.param
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    W = rng.normal(size=(d, C))
    return X, np.argmax(X @ W + rng.gumbel(size=(n, C)), axis=1), W / 2


def slopes(f, at, h=1e-5):
    """Central differences of f along every entry of a vector."""
    return np.array([(f(at + e) - f(at - e)) / (2 * h) for e in h * np.eye(len(at))])


def vec(W):
    return W.T.ravel()


def unvec(w, like):
    return w.reshape(like.T.shape).T


@given(t=scores)
def test_log_sum_exp_and_softmax_are_scipys(t):
    """(13.1) and (13.2), without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lse, p = softmax.log_sum_exp(t), softmax.probabilities(t)
    np.testing.assert_allclose(lse, special.logsumexp(t), rtol=1e-13, atol=1e-12)
    np.testing.assert_allclose(p, special.softmax(t), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(p, np.exp(t - lse), rtol=1e-9, atol=1e-15)


def test_log_sum_exp_of_the_text():
    assert round(float(softmax.log_sum_exp(np.array([1000.0, 1001.0, 999.0]))), 4) == 1001.4076


def test_softmax_is_the_gradient_of_log_sum_exp():
    t = np.array([0.3, -1.2, 2.0, 0.1])
    np.testing.assert_allclose(softmax.probabilities(t), slopes(softmax.log_sum_exp, t), rtol=1e-8)


def test_class_probabilities_and_log_odds(data):
    """(13.3)."""
    X, _, W = data
    P = softmax.class_probabilities(W, X)
    np.testing.assert_allclose(P, special.softmax(X @ W, axis=1))
    np.testing.assert_allclose(np.log(P[:, 1] / P[:, 0]), X @ (W[:, 1] - W[:, 0]))


def test_curvature_is_a_variance_and_the_second_derivative():
    """(13.4), against second differences, and against a sample."""
    t, a, h = np.array([0.3, -1.2, 1.0]), np.array([2.0, -0.5, 1.0]), 1e-4
    value = softmax.curvature(t, a)
    second = sum(c * special.logsumexp(t + s * h * a) for c, s in ((1, 1), (-2, 0), (1, -1))) / h**2
    np.testing.assert_allclose(value, second, rtol=1e-5)
    draws = np.random.default_rng(0).choice(a, size=400_000, p=special.softmax(t))
    np.testing.assert_allclose(value, np.var(draws), rtol=1e-2)
    np.testing.assert_allclose(softmax.curvature(t, np.full(3, 7.0)), 0, atol=1e-12)


@pytest.mark.parametrize("tau", [0.3, 1.0, 4.0])
def test_jacobian_is_the_derivative_of_softmax(tau):
    """(13.5)."""
    t = np.array([0.3, -1.2, 2.0, 0.1])
    numeric = slopes(lambda t: special.softmax(t / tau), t).T
    np.testing.assert_allclose(softmax.jacobian(t, tau), numeric, atol=1e-8)
    np.testing.assert_allclose(softmax.jacobian(t, tau).sum(axis=1), 0, atol=1e-15)


def test_loss_is_minus_the_logarithm_of_the_likelihood(data):
    """(13.6), against scipy's multinomial distribution with one draw."""
    X, y, W = data
    Y = softmax.one_hot(y, W.shape[1])
    P = special.softmax(X @ W, axis=1)
    np.testing.assert_allclose(softmax.nll(W, X, y), -np.sum(multinomial.logpmf(Y, 1, P)), rtol=1e-9)


def test_gradient_and_hessian_are_derivatives(data):
    """(13.7) and (13.10), class after class."""
    X, y, W = data
    Y = softmax.one_hot(y, W.shape[1])
    numeric = slopes(lambda w: softmax.nll(unvec(w, W), X, y), vec(W))
    np.testing.assert_allclose(softmax.gradient(W, X, Y), unvec(numeric, W), rtol=1e-6, atol=1e-6)
    numeric = slopes(lambda w: vec(softmax.gradient(unvec(w, W), X, Y)), vec(W))
    np.testing.assert_allclose(softmax.hessian(W, X), numeric, rtol=1e-5, atol=1e-5)
    by_points = sum(
        np.kron(np.diag(p) - np.outer(p, p), np.outer(x, x)) for p, x in zip(special.softmax(X @ W, 1), X, strict=True)
    )
    np.testing.assert_allclose(softmax.hessian(W, X), by_points)


def test_a_common_vector_changes_nothing(data):
    """(13.8), and the weights with the last class at 0."""
    X, _, W = data
    P = softmax.class_probabilities(W, X)
    c = np.linspace(-3, 4, W.shape[0])
    np.testing.assert_allclose(softmax.class_probabilities(W + c[:, None], X), P)
    np.testing.assert_allclose(softmax.class_probabilities(softmax.pinned(W), X), P)
    np.testing.assert_array_equal(softmax.pinned(W)[:, -1], 0)


def test_two_classes_are_logistic_regression():
    """(13.9)."""
    rng = np.random.default_rng(1)
    X, W = rng.normal(size=(20, 3)), rng.normal(size=(3, 2))
    np.testing.assert_allclose(softmax.class_probabilities(W, X)[:, 1], special.expit(X @ softmax.two_class(W)))


@pytest.mark.parametrize(("n", "d", "C"), [(9, 3, 4), (2, 5, 3), (30, 4, 2)])
def test_rank_of_the_hessian(n, d, C):
    """(13.11), against numpy's rank of the matrix itself, with a repeated column too."""
    rng = np.random.default_rng(2)
    for X in ((tall := rng.normal(size=(n, d))), np.column_stack([tall, tall[:, 0]])):
        W = rng.normal(size=(X.shape[1], C)) / 2
        assert softmax.hessian_rank(X, C) == np.linalg.matrix_rank(softmax.hessian(W, X), tol=1e-9)


def test_newton_step_is_the_shortest_solution(data):
    """(13.12): it solves the system, and nothing flat can be taken away from it."""
    X, y, W = data
    Y = softmax.one_hot(y, W.shape[1])
    step = softmax.newton_step(W, X, Y) - W
    np.testing.assert_allclose(softmax.hessian(W, X) @ vec(step), -vec(softmax.gradient(W, X, Y)), atol=1e-9)
    np.testing.assert_allclose(step.sum(axis=1), 0, atol=1e-10)
    found = np.linalg.lstsq(softmax.hessian(W, X), -vec(softmax.gradient(W, X, Y)), rcond=1e-10)[0]
    np.testing.assert_allclose(vec(step), found, atol=1e-9)


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
def test_fit_is_scikit_learns(data, lam):
    """(13.13): C = 1/λ, free intercepts. Two classes are one logistic regression with half the penalty there."""
    X, y, _ = data
    W, b = softmax.fit(X, y, lam)
    if W.shape[1] == 2:
        peer = LogisticRegression(C=2 / lam, solver="newton-cholesky", tol=1e-10, max_iter=1000).fit(X, y)
        np.testing.assert_allclose(softmax.two_class(W), peer.coef_[0], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(b[1] - b[0], peer.intercept_[0], rtol=1e-5, atol=1e-7)
        return
    for solver in ("newton-cholesky", "lbfgs"):
        peer = LogisticRegression(C=1 / lam, solver=solver, tol=1e-10, max_iter=10_000).fit(X, y)
        np.testing.assert_allclose(W, peer.coef_.T, atol=2e-4)
        np.testing.assert_allclose(b, peer.intercept_ - np.mean(peer.intercept_), atol=2e-4)


def test_fit_is_stationary_centred_and_keeps_the_base_rates(data):
    X, y, _ = data
    W, b = softmax.fit(X, y, 0.5)
    P, Y = special.softmax(X @ W + b, axis=1), softmax.one_hot(y, W.shape[1])
    np.testing.assert_allclose(X.T @ (P - Y) + 0.5 * W, 0, atol=1e-5)
    np.testing.assert_allclose(W.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(b.sum(), 0, atol=1e-12)
    np.testing.assert_allclose(P.mean(axis=0), Y.mean(axis=0), atol=1e-6)


def test_fit_without_a_penalty(data):
    X, y, _ = data
    Z = np.column_stack([X, np.ones(len(y))])
    fitted = np.vstack(softmax.fit(X, y, 0.0))
    start = np.zeros_like(fitted)
    found = minimize(lambda w: softmax.nll(unvec(w, start), Z, y), vec(start), tol=1e-9).x
    P = softmax.class_probabilities
    np.testing.assert_allclose(P(fitted, Z), P(unvec(found, start), Z), atol=1e-4)


def test_penalty_leaves_one_direction_flat(data):
    """The Hessian of J for (W, b): one zero eigenvalue, that of a number added to all biases."""
    X, _, W = data
    d, C = W.shape
    Z = np.column_stack([X, np.ones(len(X))])
    H = softmax.hessian(np.vstack([W, np.zeros(C)]), Z) + np.kron(np.eye(C), np.diag([1.0] * d + [0.0]))
    values, vectors = np.linalg.eigh(H)
    assert abs(values[0]) < 1e-9 < 1e-3 < values[1]
    np.testing.assert_allclose(np.abs(vectors[:, 0]), np.tile([0.0] * d + [1 / np.sqrt(C)], C), atol=1e-6)


def test_newton_never_raises_the_objective_even_far_off_scale():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) * [1e-2, 1, 1e3] + [5, 0, 1e3]
    y = np.append([0, 1, 2], rng.integers(0, 3, 57))
    values = [
        softmax.nll(np.vstack([W, b]), np.column_stack([X, np.ones(60)]), y) for W, b in softmax.newton(X, y, 1e-9)
    ]
    assert np.all(np.diff(values) <= 1e-6)


def test_separable_classes_have_no_minimum_and_fit_says_so():
    X, y = np.array([[1.0, 0], [2, 0], [0, 1], [0, 2], [-1, -1], [-2, -2]]), np.array([0, 0, 1, 1, 2, 2])
    with pytest.raises(ValueError, match="W separates the classes, so λ = 0 has no minimum; use lam > 0"):
        softmax.fit(X, y, 0.0)
    assert np.isfinite(softmax.fit(X, y, 0.1)[0]).all()


def test_wrong_arguments_get_one_line():
    X, y = np.ones((30, 2)), np.arange(30) % 3
    for args, says in (
        ((X, y[:, None], 1.0), r"y must have shape \(n,\) = \(30,\), got \(30, 1\)"),
        ((X[0], y, 1.0), r"X must have shape \(n, d\), got \(2,\)"),
        ((X, y + 1, 1.0), r"y must hold the integers 0, …, C − 1, all of them, got \[1 2 3\]"),
        ((X, y * 1.0, 1.0), r"y must hold the integers 0, …, C − 1, all of them, got \[0. 1. 2.\]"),
        ((X, 0 * y, 1.0), r"y must hold the integers 0, …, C − 1, all of them, got \[0\]"),
        ((X, y, -1.0), "lam must not be negative, got -1.0"),
    ):
        with pytest.raises(ValueError, match="softmax.newton: " + says):
            softmax.fit(*args)


class TestDiagnosis:
    """Wrong answers that must not be taken for others."""

    @pytest.mark.parametrize("seed", range(5))
    def test_a_wrong_maximum_in_the_jacobian_is_called_an_overflow_and_nothing_else(self, seed):
        def answer(t, tau):
            p = np.exp(t / tau - np.max(t))
            p = p / np.sum(p)
            return (np.diag(p) - np.outer(p, p)) / tau

        verdict = assess(checks.softmax_jacobian, (answer,), seed)
        assert verdict.outcome is Outcome.UNUSABLE
        assert verdict.finding.mistake == ""
        assert "nan" in verdict.finding.says

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("invert", [np.linalg.solve, lambda H, g: np.linalg.inv(H) @ g], ids=["solve", "inv"])
    def test_a_plain_inverse_is_refused(self, invert, seed):
        def answer(W, X, Y):
            return W - unvec(invert(softmax.hessian(W, X), vec(softmax.gradient(W, X, Y))), W)

        verdict = assess(checks.softmax_newton, (answer,), seed)
        assert not verdict.right
        assert verdict.finding.mistake == ""


def _quotient_rule(before, t, a):
    above, below = before
    S = np.sum(below)
    return (a * above / S)[:, None] * (below / S), (above / S)[:, None] * (a * below / S)


def _mean_of_both_orders(before, t, a):
    difference = before[0] - before[1]
    return difference / 2 + difference.T / 2


class TestTheChain(KeepsItsPromises):
    """From log-sum-exp to its curvature (13.4)."""

    CHAIN = checks.lse_chain
    CASES = checks._directions(np.random.default_rng(0))
    STEPS = (_quotient_rule, _mean_of_both_orders)
    NOTHING_FOLLOWS = (  # the two products are then equal, and the curvature is 0
        "The inner derivative is missing: tₖ + saₖ is differentiated with respect to s.",
    )

    def test_every_line_put_together_is_the_slope_of_the_one_before_or_its_value(self):
        def slope(t, a):
            above, below = checks._line_2(t, a)
            return np.sum(above) / np.sum(below)

        for t, a in self.CASES:
            h = 1e-5
            by_s = (checks._line_1(t + h * a, a) - checks._line_1(t - h * a, a)) / (2 * h)
            np.testing.assert_allclose(slope(t, a), by_s, atol=1e-8)
            by_s = (slope(t + h * a, a) - slope(t - h * a, a)) / (2 * h)
            one, two = checks._line_3(t, a)
            np.testing.assert_allclose(np.sum(one) - np.sum(two), by_s, atol=1e-8)
            np.testing.assert_allclose(np.sum(checks._line_4(t, a)), np.sum(one - two))
            np.testing.assert_allclose(np.sum(checks._line_4(t, a)), softmax.curvature(t, a))
            np.testing.assert_array_equal(checks._line_4(t, a), checks._line_4(t, a).T)

    @pytest.mark.parametrize("terms", [lambda t, a: np.exp(t), lambda t, a: 2 * a * np.exp(t)], ids=["e", "2ae"])
    @pytest.mark.parametrize("own", [True, False])
    def test_the_derivative_of_S_is_that_of_line_2_or_the_true_one(self, terms, own):
        """The task calls both S′, and took the true one only."""

        def line_3(t, a):
            above, e = terms(t, a), np.exp(t)
            below = above if own else a * e
            return np.outer(a * above, e) / np.sum(e) ** 2, np.outer(above, below) / np.sum(e) ** 2

        verdict = assess(self.CHAIN, (lambda t, a: (terms(t, a), np.exp(t)), line_3, ...))
        assert [step.right for step in verdict.steps][:2] == [False, True]

    @pytest.mark.parametrize(
        ("above", "below", "up", "down"),
        [
            (
                lambda t, a, p: a * p,
                lambda t, a, p: p,
                lambda t, a, p: a * p * (a - a @ p),
                lambda t, a, p: p * (a - a @ p),
            ),
            (
                lambda t, a, p: a * p,
                lambda t, a, p: np.exp(t),
                lambda t, a, p: a * p * (a - a @ p),
                lambda t, a, p: a * np.exp(t),
            ),
            (
                lambda t, a, p: a * t * np.exp(t),
                lambda t, a, p: np.exp(t),
                lambda t, a, p: a**2 * (1 + t) * np.exp(t),
                lambda t, a, p: a * np.exp(t),
            ),
            (lambda t, a, p: a * np.exp(t), lambda t, a, p: t, lambda t, a, p: a**2 * np.exp(t), lambda t, a, p: a),
        ],
        ids=["both divided by S", "S′ divided by S", "t before", "t for S"],
    )
    def test_terms_that_are_no_multiples_of_exponentials_have_a_derivative(self, above, below, up, down):
        def line_2(t, a):
            p = softmax.probabilities(t)
            return above(t, a, p), below(t, a, p)

        def line_3(t, a):
            p = softmax.probabilities(t)
            one, other = above(t, a, p), below(t, a, p)
            S = np.sum(other)
            return np.outer(up(t, a, p), other) / S**2, np.outer(one, down(t, a, p)) / S**2

        steps = assess(self.CHAIN, (line_2, line_3, ...)).steps
        assert [step.right for step in steps[:2]] == [False, True]

    @pytest.mark.parametrize(
        ("part", "answer"),
        [
            (0, lambda t, a: (3 * a * np.exp(t), 3 * np.exp(t))),
            (1, lambda t, a: (checks._line_4(t, a), 0 * np.outer(t, t))),
        ],
    )
    def test_the_whole_is_right_and_the_parts_are_not(self, part, answer):
        lines = [answer if i == part else ... for i in range(3)]
        assert "not divided up as it is asked for" in assess(self.CHAIN, lines).steps[part].says


def _one_by_one(before, W, X, Y):
    """By the scores, for terms that are a number times t, and a number times log S."""
    T = X @ W
    times_t, times_log = before[0] / T, before[1] / special.logsumexp(T, axis=1, keepdims=True)
    own = np.array([np.diag(row) for row in times_t])
    return own, np.einsum("ik,ij->ikj", times_log, special.softmax(T, axis=1))


def _added_up(before, W, X, Y):
    return np.einsum("ikj->ij", before[0]), np.einsum("ikj->ij", before[1])


def _outer(before, W, X, Y):
    return np.array([np.outer(x, r) for x, r in zip(X, before[0] + before[1], strict=True)])


class TestTheChainOfTheGradient(KeepsItsPromises):
    """From the cross-entropy to (13.7), before the sum over the points."""

    CHAIN = checks.softmax_chain
    CASES = checks._for_logarithms(np.random.default_rng(0))
    STEPS = (_one_by_one, _added_up, _outer)

    def test_line_1_is_the_loss_and_line_2_its_terms(self):
        for W, X, Y in self.CASES:
            one, two = checks._logarithms(W, X, Y)
            np.testing.assert_allclose(checks._first(W, X, Y), softmax.nll(W, X, np.argmax(Y, axis=1)))
            np.testing.assert_allclose(np.sum(one) + np.sum(two), checks._first(W, X, Y))
            np.testing.assert_allclose(one + two, -Y * special.log_softmax(X @ W, axis=1), atol=1e-12)

    def test_line_3_is_the_derivative_of_line_2_by_the_scores(self):
        """For one point with the feature 1 the weights are the scores."""
        for W, X, Y in self.CASES:
            found = checks._by_scores(W, X, Y)
            for i, part in np.ndindex(len(X), 2):

                def terms(t, y=Y[i], part=part):
                    return checks._logarithms(t[None], np.eye(1), y)[part][0]

                np.testing.assert_allclose(found[part][i], slopes(terms, W.T @ X[i]).T, atol=1e-8)

    def test_line_4_is_the_derivative_of_the_loss_and_line_5_adds_up_to_its_gradient(self):
        for W, X, Y in self.CASES:
            residual = sum(checks._collected(W, X, Y))
            for x, y, r in zip(X, Y, residual, strict=True):
                numeric = slopes(lambda t, y=y: special.logsumexp(t) - y @ t, W.T @ x)
                np.testing.assert_allclose(r, numeric, atol=1e-8)
            np.testing.assert_allclose(np.sum(checks._by_weights(W, X, Y), axis=0), softmax.gradient(W, X, Y))

    def test_what_may_stand_in_line_2_is_differentiated_rightly(self):
        """Only by the scores of the own point: a sum over points is held in those of the others."""
        T, h = np.array([[0.3, -1.2, 2.0], [0.9, 0.4, -0.7]]), 1e-6
        for part in (0, 1):
            for m, (_, dg) in enumerate(checks._functions_of(T)[part]):
                for i, j in np.ndindex(T.shape):
                    step = h * np.outer(np.eye(2)[i], np.eye(3)[j])
                    up, down = (checks._functions_of(T + s * step)[part][m][0] for s in (1, -1))
                    np.testing.assert_allclose(dg[i, :, j], (up - down)[i] / (2 * h), atol=1e-7)

    @pytest.mark.parametrize("seed", range(2))
    def test_a_mistake_costs_its_own_line_only(self, seed):
        """In line 2, for the mistakes in signs, labels and factors; the others are followed in the next test."""
        for mistake in self.CHAIN.mistakes:
            if mistake.part or any(word in mistake.says for word in ("sign", "labels", "minus", "divided")):
                points = points_with(self.CHAIN, mistake.answer, mistake.part, self.STEPS, seed)
                assert points == len(self.CHAIN.lines) - 1, mistake.says

    @pytest.mark.parametrize(
        ("wrong", "derivative"),
        [
            (lambda T: np.exp(T).sum(1), lambda T: np.exp(T)),
            (lambda T: T.sum(1), lambda T: np.ones_like(T)),
            (lambda T: special.logsumexp(T - T.max(1, keepdims=True), axis=1), None),
        ],
        ids=["no logarithm", "sum of logarithms", "the largest taken out of the denominator"],
    )
    def test_another_function_in_line_2_is_differentiated_as_it_stands(self, wrong, derivative):
        def by_top(T):
            return special.softmax(T, axis=1) - (T.max(1, keepdims=True) == T)

        def line_2(W, X, Y):
            return -Y * (X @ W), Y * wrong(X @ W)[:, None]

        def line_3(W, X, Y):
            return np.array([-np.diag(y) for y in Y]), np.einsum("ik,ij->ikj", Y, (derivative or by_top)(X @ W))

        lines = [line_2, line_3]
        for step in self.STEPS[1:]:
            lines.append(lambda W, X, Y, step=step, before=lines[-1]: step(before(W, X, Y), W, X, Y))
        verdict = assess(self.CHAIN, tuple(lines))
        assert [step.right for step in verdict.steps] == [False, True, True, True]


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_regions(self):
        explorer = explore.Regions()
        state = explorer.compute(lam=1.0)
        assert state.misses == 5
        assert round(explorer.compute(lam=1e4).sure, 2) == 0.34

    def test_temperature(self):
        explorer = explore.Temperature()
        assert explorer.compute(tau=0.1, shift=0.0).p[0] > 0.999
        assert np.ptp(explorer.compute(tau=10.0, shift=0.0).p) < 0.08
        finite = [c for c in explorer.shift.grid(41) if explorer.compute(tau=1.0, shift=c).naive]
        assert (min(finite), max(finite)) == (-700, 700)

    def test_triangle(self):
        rates = {p: p * (1 - p) for p in np.linspace(0.01, 0.99, 99)}
        assert max(rates, key=lambda p: rates[p]) == pytest.approx(0.5)
        state = explore.Triangle().compute(0.0, 0.0, -50.0)
        np.testing.assert_allclose(state.J[0, 0], 0.25)

    def test_sepals_have_two_flat_directions(self):
        iris = load("iris")
        X = np.column_stack([iris.X[:, 0] - 5.8, np.ones(150)])
        for W in (np.zeros((2, 3)), np.ones((2, 3)), np.arange(6.0).reshape(2, 3)):
            values = np.linalg.eigvalsh(softmax.hessian(W, X))
            assert np.sum(np.abs(values) < 1e-9) == 2
        assert softmax.hessian_rank(np.column_stack([iris.X[:, 2:], np.ones(150)]), 3) == 6  # of 3 · 3

    def test_routes(self):
        explorer = explore.Routes()
        ends = [explorer.compute(6, route).W[0].round(2) for route in explorer.route.options]
        np.testing.assert_array_equal(ends, [[-3.89, 0.93, 2.96], [-6.85, -2.03, 0]])

    def test_penalised_weights_are_centred(self):
        iris = load("iris")
        W, b = softmax.fit(iris.X[:, 2:], iris.y.astype(int), lam=1.0)
        peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(iris.X[:, 2:], iris.y)
        np.testing.assert_allclose(W, peer.coef_.T, atol=1e-4)
        np.testing.assert_allclose(b, peer.intercept_, atol=1e-3)


def _shortest(solver):
    """The Newton step, by a solver with the tolerance that it has by itself."""

    def answer(W, X, Y):
        return W - unvec(solver(softmax.hessian(W, X), vec(softmax.gradient(W, X, Y))), W)

    return answer


def _less(pick):
    """Log-sum-exp with another score in the place of the largest."""
    return lambda t: pick(t) + np.log(np.sum(np.exp(t - pick(t))))


def _rows_less(pick):
    return lambda W, X: (E := np.exp(X @ W - pick(X @ W))) / E.sum(axis=1, keepdims=True)


def _p_and_ones(W, X):
    return special.softmax(X @ W, axis=1), np.ones(W.shape[1])


class TestAnswersOfStrangers:
    """Right answers that some draws refused, and wrong ones that some draws accepted."""

    @pytest.mark.parametrize("seed", [0, 15, 105])
    @pytest.mark.parametrize(
        "solver",
        [
            lambda H, g: np.linalg.pinv(H) @ g,
            lambda H, g: np.linalg.lstsq(H, g)[0],
            lambda H, g: linalg.pinv(H) @ g,
            lambda H, g: linalg.lstsq(H, g)[0],
        ],
        ids=["pinv", "lstsq", "scipy's pinv", "scipy's lstsq"],
    )
    def test_any_solver_takes_the_shortest_step(self, solver, seed):
        assert assess(checks.softmax_newton, (_shortest(solver),), seed).right

    @pytest.mark.parametrize("seed", [0, 7, 12])
    def test_the_rank_may_be_read_off_the_hessian(self, seed):
        def answer(X, C):
            W = np.random.default_rng(1).normal(size=(X.shape[1], C))
            return np.linalg.matrix_rank(softmax.hessian(W, X))

        assert assess(checks.hessian_rank, (answer,), seed).right

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize(
        ("exercise", "answer", "seeds"),
        [
            (checks.stable_lse, _less(lambda t: t[0]), (33, 66)),
            (checks.stable_lse, _less(lambda t: t[-1]), (0, 6)),
            (checks.stable_lse, _less(lambda t: t[len(t) // 2]), (17, 24)),
            (checks.stable_lse, lambda t: np.max(t) + np.log1p(np.sum(np.exp(t[t < np.max(t)] - np.max(t)))), (0, 1)),
            (checks.class_probabilities, _rows_less(lambda T: T[:, :1]), (37, 39)),
            (checks.class_probabilities, _rows_less(lambda T: T[:, 1:2]), (8, 29)),
            (checks.class_probabilities, _rows_less(lambda T: T[:, -1:]), (2, 43)),
        ],
        ids=["first", "last", "middle", "tie", "first column", "second column", "last column"],
    )
    def test_what_is_taken_out_has_to_be_the_largest(self, exercise, answer, seeds):
        assert not any(assess(exercise, (answer,), seed).right for seed in seeds)

    @pytest.mark.parametrize("seed", [10, 41])
    @pytest.mark.parametrize(
        ("line", "answer"),
        [
            (0, lambda t, a: (np.abs(a) * np.exp(t), np.exp(t))),
            (1, lambda t, a: (np.outer((p := special.softmax(t)) * a**2, p), np.outer(p * np.abs(a), p * a))),
            (2, lambda t, a: np.outer(p := special.softmax(t), p) * (np.abs(a)[:, None] - np.abs(a)) ** 2 / 2),
        ],
    )
    def test_a_direction_has_a_sign(self, line, answer, seed):
        lines = [lambda t, a, own=part.reference: own(t, a) for part in checks.lse_chain.lines]
        lines[line] = answer
        assert not assess(checks.lse_chain, tuple(lines), seed).steps[line].right

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda t, a: (a * (p := np.exp(t) / np.sum(np.exp(t))), p), "Both are divided by S"),
            (1, lambda t, a: checks._line_3(t, a)[::-1], "The two products have changed places"),
            (
                1,
                lambda t, a: tuple(part * np.sum(np.exp(t)) ** 2 for part in checks._line_3(t, a)),
                "S² is missing below",
            ),
            (2, lambda t, a: checks._line_4(t, a) * np.sum(np.exp(t)), "S stands below once"),
        ],
    )
    def test_a_line_of_the_derivation_is_told_what_is_wrong_with_it(self, part, answer, says):
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.lse_chain.lines]
        lines[part] = answer
        verdict = assess(checks.lse_chain, tuple(lines))
        assert not verdict.steps[part].right
        assert says in verdict.finding.says

    @pytest.mark.parametrize("seed", range(3))
    def test_the_gradient_by_points_one_at_a_time_or_by_labels_passes(self, seed):
        def line_2(W, X, Y):
            return np.where(Y == 1, -X @ W, 0), [y * special.logsumexp(W.T @ x) for x, y in zip(X, Y, strict=True)]

        def line_3(W, X, Y):
            p = [softmax.probabilities(W.T @ x) for x in X]
            return [np.diag(-y) for y in Y], [np.outer(*pair) for pair in zip(Y, p, strict=True)]

        def line_4(W, X, Y):
            T = X @ W
            return -np.eye(Y.shape[1])[np.argmax(Y, axis=1)], 1 / np.exp(T[:, None, :] - T[:, :, None]).sum(axis=2)

        def line_5(W, X, Y):
            return X[:, :, None] @ (softmax.probabilities(X @ W) - Y)[:, None, :]

        assert assess(checks.softmax_chain, (line_2, line_3, line_4, line_5), seed).right

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda W, X, Y: (-Y * special.softmax(X @ W, axis=1), 0 * Y), "The logarithm is gone"),
            (0, lambda W, X, Y: (-Y * (X @ W), Y * np.log(1 + np.exp(X @ W))), "as with two classes"),
            (
                1,
                lambda W, X, Y: (checks._by_scores(W, X, Y)[0], np.einsum("ij,ij,k->ikj", Y, *_p_and_ones(W, X))),
                "The label is that of class j",
            ),
            (1, lambda W, X, Y: (sum(checks._by_scores(W, X, Y)), 0 * X[:, :1, None] * W.T @ W), "put together"),
            (2, lambda W, X, Y: (-Y, 1 - special.softmax(X @ W, axis=1)), "The denominators give 1 − p"),
            (2, lambda W, X, Y: tuple(p.sum(axis=2) for p in checks._by_scores(W, X, Y)), "over the scores j"),
            (3, lambda W, X, Y: W * (special.softmax(X @ W, axis=1) - Y)[:, None, :], "W itself does not come in"),
        ],
    )
    def test_a_line_of_the_gradient_is_told_what_is_wrong_with_it(self, part, answer, says):
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.softmax_chain.lines]
        lines[part] = answer
        verdict = assess(checks.softmax_chain, tuple(lines))
        assert not verdict.steps[part].right
        assert says in verdict.finding.says

    def test_a_line_made_up_so_that_the_others_are_easy_earns_nothing(self):
        lines = (
            lambda W, X, Y: (Y * (X @ W), Y * (X @ W)),
            lambda W, X, Y: (Y[:, :, None] * np.eye(W.shape[1]), Y[:, :, None] * np.eye(W.shape[1])),
            lambda W, X, Y: (Y, Y),
            lambda W, X, Y: 2 * X[:, :, None] * Y[:, None, :],
        )
        assert assess(checks.softmax_chain, lines).points == 0

    def test_the_loss_less_one_half_is_not_its_other_half(self):
        def line_2(W, X, Y):
            E = np.exp(X @ W)
            return -Y * (X @ W), Y * (X @ W) - Y * np.log(E / np.sum(E, axis=1, keepdims=True))

        lines = (line_2, *(line.reference for line in checks.softmax_chain.lines[1:]))
        verdict = assess(checks.softmax_chain, lines)
        assert not verdict.steps[0].right
        assert "denominators has the formula of line 1 in it" in verdict.finding.says
