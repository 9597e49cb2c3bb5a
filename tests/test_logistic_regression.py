"""mlcore.logistic_regression against independent oracles: finite differences, optimisers, scipy, scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from scipy.special import expit
from scipy.stats import bernoulli
from sklearn.linear_model import LogisticRegression

from mlcore import logistic_regression as lr
from mlcore.checks import logistic_regression as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import logistic_regression as explore
from tests.derivations import KeepsItsPromises


@pytest.fixture(params=[(40, 3), (200, 8)], ids=["small", "larger"])
def data(request):
    rng = np.random.default_rng(0)
    n, d = request.param
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, (rng.random(n) < expit(X @ rng.normal(size=d) - 0.5)).astype(float)


def slopes(f, at, h=1e-5):
    """Central differences of f along every coordinate."""
    return np.array([(f(at + e) - f(at - e)) / (2 * h) for e in h * np.eye(len(at))])


@given(t=st.floats(-1e5, 1e5))
def test_sigmoid_is_scipys(t):
    """(12.1), with all digits and without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, slope = lr.sigmoid_slope(t)
    np.testing.assert_allclose([lr.sigmoid(t), value], expit(t), rtol=1e-14)
    np.testing.assert_allclose(slope, expit(t) * expit(-t), rtol=1e-13)
    assert slope <= 0.25 + 1e-15


def test_sigmoid_at_800():
    value, slope = lr.sigmoid_slope(np.array([-800.0, 0.0, 800.0]))
    np.testing.assert_array_equal(value, [0, 0.5, 1])
    np.testing.assert_array_equal(slope, [0, 0.25, 0])


def test_loss_is_minus_the_logarithm_of_the_likelihood(data):
    """(12.2), (12.3) and (12.5), against scipy's Bernoulli distribution."""
    X, y = data
    z = X @ np.linspace(-1, 1, X.shape[1])
    np.testing.assert_allclose(lr.nll(z, y), -np.sum(bernoulli.logpmf(y.astype(int), expit(z))))
    np.testing.assert_allclose(lr.signed_nll(z, y), lr.nll(z, y))
    np.testing.assert_allclose(np.exp(y * z) / (1 + np.exp(z)), bernoulli.pmf(y.astype(int), expit(z)))


def test_loss_stays_finite():
    z, y = np.array([800.0, -800.0, 800.0]), np.array([0.0, 1.0, 1.0])
    assert lr.nll(z, y) == lr.signed_nll(z, y) == 1600


def test_gradient_and_hessian_are_derivatives(data):
    """(12.4), (12.6), (12.12)."""
    X, y = data
    w = np.linspace(-0.5, 0.7, X.shape[1])
    np.testing.assert_allclose(lr.gradient(w, X, y), slopes(lambda w: lr.nll(X @ w, y), w), rtol=1e-6)
    np.testing.assert_allclose(lr.hessian(w, X), slopes(lambda w: lr.gradient(w, X, y), w), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(lr.mean_gradient(w, X, y), lr.gradient(w, X, y) / len(y))


def test_loss_is_strictly_convex_exactly_for_independent_columns(data):
    X, _ = data
    w = np.linspace(-0.5, 0.7, X.shape[1])
    assert np.linalg.eigvalsh(lr.hessian(w, X))[0] > 0
    twice = np.column_stack([X, X[:, 0]])
    assert abs(np.linalg.eigvalsh(lr.hessian(np.append(w, 0.1), twice))[0]) < 1e-9


def test_newton_step_minimises_the_taylor_polynomial_and_is_irls(data):
    """(12.7) and (12.8), against an optimiser and against weighted least squares by rows scaled with √v."""
    X, y = data
    w = np.full(X.shape[1], 0.1)
    g, H = lr.gradient(w, X, y), lr.hessian(w, X)
    found = minimize(lambda a: g @ (a - w) + (a - w) @ H @ (a - w) / 2, w, tol=1e-14).x
    np.testing.assert_allclose(lr.newton_step(w, X, y), found, atol=1e-5)
    u, after = lr.irls_step(w, X, y)
    np.testing.assert_allclose(after, lr.newton_step(w, X, y))
    root = np.sqrt(expit(X @ w) * expit(-X @ w))
    np.testing.assert_allclose(after, np.linalg.lstsq(root[:, None] * X, root * u, rcond=None)[0])


def test_penalised_gradient_is_the_derivative_of_the_objective(data):
    """(12.9) and (12.10)."""
    X, y = data
    at = np.linspace(-0.5, 0.7, X.shape[1] + 1)
    numeric = slopes(lambda a: lr.objective(a[:-1], a[-1], X, y, 1.7), at)
    g_w, g_b = lr.penalised_gradient(at[:-1], at[-1], X, y, 1.7)
    np.testing.assert_allclose(np.append(g_w, g_b), numeric, rtol=1e-6)


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
def test_fit_is_scikit_learns(data, lam):
    """(12.9): C = 1/λ, and scikit-learn's intercept is free too."""
    X, y = data
    w, b = lr.fit(X, y, lam)
    for solver in ("newton-cholesky", "lbfgs"):
        peer = LogisticRegression(C=1 / lam, solver=solver, tol=1e-10, max_iter=10_000).fit(X, y)
        np.testing.assert_allclose(w, peer.coef_[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(b, peer.intercept_[0], rtol=1e-4, atol=1e-6)
    g_w, g_b = lr.penalised_gradient(w, b, X, y, lam)
    assert max(np.abs(g_w).max(), abs(g_b)) < 1e-5


def test_fit_without_a_penalty(data):
    X, y = data
    w, b = lr.fit(X, y, 0.0)
    found = minimize(lambda a: lr.nll(X @ a[:-1] + a[-1], y), np.zeros(X.shape[1] + 1), tol=1e-10).x
    np.testing.assert_allclose(np.append(w, b), found, atol=1e-3)


def test_newton_never_raises_the_objective_even_far_off_scale():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) * [1e-2, 1, 1e3] + [5, 0, 1e3]
    y = (rng.random(60) < 0.2).astype(float)
    values = [lr.objective(w, b, X, y, 1e-6) for w, b in lr.newton(X, y, 1e-6)]
    assert np.all(np.diff(values) <= 1e-9)


def test_a_free_bias_keeps_the_base_rate(data):
    X, y = data
    for lam in (0.1, 10.0, 1e4):
        w, b = lr.fit(X, y, lam)
        np.testing.assert_allclose(np.mean(lr.sigmoid(X @ w + b)), np.mean(y), atol=1e-7)


@given(n=st.integers(4, 40), lam=st.floats(1e-3, 1e2))
def test_no_minimiser_is_longer_than_the_bound(n, lam):
    """(12.11), on labels without any relation to X and on separable ones."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2))
    for y in (np.arange(n) % 2, (X[:, 0] > np.median(X[:, 0])).astype(int)):
        w, _ = lr.fit(X, y, lam)
        assert np.linalg.norm(w) <= lr.length_bound(n, lam)


def test_separable_data_have_no_minimum_and_fit_says_so():
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    losses = [lr.nll(10.0**k * X[:, 0], y) for k in range(5)]
    assert np.all(np.diff(losses) <= 0)
    assert losses[-1] == 0
    with pytest.raises(ValueError, match="w separates the classes, so λ = 0 has no minimum; use lam > 0"):
        lr.fit(X, y, 0.0)
    assert 2 < lr.fit(X, y, 0.1)[0][0] < 2.5


def test_the_check_knows_separable_points_as_a_linear_program_does():
    """A separating (w, b) with all margins at least 1 exists or not: against scipy's linprog."""
    rng = np.random.default_rng(3)
    verdicts = []
    for _ in range(200):
        x, y = rng.normal(size=5), rng.permutation([0, 0, 1, 1, rng.integers(2)])
        s = 2 * y - 1
        possible = linprog(
            [0, 0], A_ub=-s[:, None] * np.column_stack([x, np.ones(5)]), b_ub=-np.ones(5), bounds=(None, None)
        )
        verdicts.append(checks._no_minimum(np.column_stack([x, y])) == (possible.status == 0))
    assert all(verdicts)


def test_descent_follows_its_gradient(data):
    X, y = data
    w, *rest = lr.descent(X, y, 0.5, 1e-3, 3)
    np.testing.assert_array_equal(w, 0)
    for after in rest:
        np.testing.assert_allclose(after, w - 1e-3 * (X.T @ (expit(X @ w) - y) + 0.5 * w))
        w = after


def test_wrong_arguments_get_one_line():
    X, y = np.ones((30, 2)), np.arange(30) % 2
    for args, says in (
        ((X, y[:, None], 1.0), r"y must have shape \(n,\) = \(30,\), got \(30, 1\)"),
        ((X[0], y, 1.0), r"X must have shape \(n, d\), got \(2,\)"),
        ((X, 2 * y - 1, 1.0), r"y must hold 0 and 1, both, got \[-1  1\]"),
        ((X, 0 * y, 1.0), r"y must hold 0 and 1, both, got \[0\]"),
        ((X, y, -1.0), "lam must not be negative, got -1.0"),
    ):
        with pytest.raises(ValueError, match="logistic_regression.newton: " + says):
            lr.fit(*args)


def _two_sums(before, w, X, y):
    yz, yL, rest = before
    return yL + rest, -yz / (X @ w)


def _by_the_chain_rule(before, w, X, y):
    """A is some number of logarithms of u."""
    u = 1 + np.exp(X @ w)
    return before[0] / np.log(u) / u, u - 1, -before[1]


def _rows(before, w, X, y):
    outer, inner, rest = before
    return np.diag(outer * inner + rest) @ X


class TestTheChain(KeepsItsPromises):
    """From the cross-entropy to the rows whose sum is (12.4)."""

    CHAIN = checks.logistic_chain
    CASES = checks._points(np.random.default_rng(0))
    STEPS = (_two_sums, _by_the_chain_rule, _rows)
    NOTHING_FOLLOWS = (  # a part has become a constant, or A is no multiple of L
        "The logarithms are not written with z and L: these are the two terms of line 1 as they stand there.",
        "log p was taken for z, and p is a quotient: the logarithm of its denominator is lost.",
        "y and 1 − y are lost: asked for are the terms with these weights.",
        "A and B have changed places.",
        "The inner derivative is 1 here: u = 1 + eᶻ is differentiated with respect to z.",
        "The rest is 0 here: zB has the derivative B with respect to z.",
    )

    def test_every_line_put_together_has_the_value_of_the_one_before(self):
        for w, X, y in self.CASES:
            loss = checks._line_1(w, X, y)
            np.testing.assert_allclose(loss, lr.nll(X @ w, y))
            np.testing.assert_allclose(np.sum(checks._line_2(w, X, y)), loss)
            A, B = checks._line_3(w, X, y)
            np.testing.assert_allclose(np.sum(A - X @ w * B), loss)
            outer, inner, rest = checks._line_4(w, X, y)
            np.testing.assert_allclose((outer * inner + rest)[:, None] * X, checks._line_5(w, X, y))
            np.testing.assert_allclose(checks._line_5(w, X, y).sum(axis=0), lr.gradient(w, X, y))

    def test_derivatives_are_the_slopes_of_the_line_before(self):
        def summands(w, X, y):
            A, B = checks._line_3(w, X, y)
            return A - X @ w * B

        for w, X, y in self.CASES:
            one, z, steps = np.ones(1), X @ w, 1e-6 * np.eye(len(w))
            by_z = (summands(one, z[:, None] + 1e-6, y) - summands(one, z[:, None] - 1e-6, y)) / 2e-6
            outer, inner, rest = checks._line_4(w, X, y)
            np.testing.assert_allclose(outer * inner + rest, by_z, atol=1e-8)
            by_w = [(summands(w + h, X, y) - summands(w - h, X, y)) / 2e-6 for h in steps]
            np.testing.assert_allclose(checks._line_5(w, X, y), np.transpose(by_w), atol=1e-8)

    @pytest.mark.parametrize(
        ("A", "outer", "inner"),
        [
            (lambda z: np.log(1 + np.exp(-z)), lambda z: 1 / (1 + np.exp(-z)), lambda z: -np.exp(-z)),
            (lambda z: np.log(1 + np.exp(-z)), lambda z: 1 / (u := 1 + np.exp(z)) - 1 / (u - 1), np.exp),
            (lambda z: 1 + np.exp(z), np.ones_like, np.exp),
            (lambda z: np.exp(z), np.ones_like, np.exp),
            (lambda z: z, lambda z: 1 / np.exp(z), np.exp),
        ],
        ids=["log u of −z", "by u", "no log", "no log and no 1", "no 1"],
    )
    def test_an_A_that_is_not_made_of_L(self, A, outer, inner):
        def line_2(w, X, y):
            z = X @ w
            return -y * z, y * A(z), (1 - y) * A(z)

        def line_3(w, X, y):
            return A(X @ w), y

        def line_4(w, X, y):
            z = X @ w
            return outer(z), inner(z), -y

        def line_5(w, X, y):
            z = X @ w
            return (outer(z) * inner(z) - y)[:, None] * X

        verdict = assess(self.CHAIN, (line_2, line_3, line_4, line_5))
        assert [step.right for step in verdict.steps] == [False, True, True, True]

    @pytest.mark.parametrize("sorts", [True, False])
    def test_a_z_that_came_in_with_the_logarithm(self, sorts):
        """It may be sorted to B in line 3, or differentiated with the rest in line 4."""

        def line_2(w, X, y):
            z = X @ w
            L = np.log(1 + np.exp(z))
            return -y * z, y * L, (1 - y) * (L - z)

        def line_3(w, X, y):
            z = X @ w
            L = np.log(1 + np.exp(z))
            return (L, np.ones(len(y))) if sorts else (L - (1 - y) * z, y)

        def line_4(w, X, y):
            z = X @ w
            return 1 / (1 + np.exp(z)), np.exp(z), -np.ones(len(y))

        def line_5(w, X, y):
            return -X / (1 + np.exp(X @ w))[:, None]

        verdict = assess(self.CHAIN, (line_2, line_3, line_4, line_5))
        assert [step.right for step in verdict.steps] == [False, True, True, True]

    @pytest.mark.parametrize(
        ("part", "answer"),
        [
            (0, lambda w, X, y: (0 * y, y * np.log(1 + np.exp(-X @ w)), (1 - y) * np.log(1 + np.exp(X @ w)))),
            (1, lambda w, X, y: (np.log(1 + np.exp(X @ w)) - y * (X @ w), 0 * y)),
            (2, lambda w, X, y: (0 * y, 0 * y, 1 / (1 + np.exp(-X @ w)) - y)),
        ],
    )
    def test_the_whole_is_right_and_the_parts_are_not(self, part, answer):
        lines = [answer if i == part else ... for i in range(4)]
        assert "not divided up as it is asked for" in assess(self.CHAIN, lines).steps[part].says

    def test_the_task_says_that_B_is_not_differentiated(self):
        """With a z left in B, −B or the derivative of zB: which?"""
        assert "Bᵢ being a constant" in self.CHAIN.task()


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_two_fits(self):
        explorer = explore.TwoFits()
        far, near = explorer.compute(far=15.0), explorer.compute(far=6.0)
        assert (far.misses, near.misses) == ((18, 7), (8, 7))
        assert round(far.largest, 2) == 1.27
        assert {explorer.compute(far=far).misses[1] for far in explorer.far.grid(19)} == {7}

    def test_the_pull_of_a_point_is_bounded_and_its_loss_is_not(self):
        for w in (10.0, 100.0, 1000.0):
            assert abs(lr.gradient(np.array([w]), np.array([[2.0]]), np.array([0.0]))[0]) <= 2
            assert lr.nll(np.array([2 * w]), np.array([0.0])) >= 2 * w
        np.testing.assert_allclose(lr.nll(np.zeros(7), np.ones(7)), 7 * np.log(2))

    def test_losses(self):
        explorer = explore.Losses()
        state = explorer.compute(w=-8.0)
        assert [round(slope, 3) for slope in state.slopes] == [-0.644, -0.014]
        assert all(explorer.compute(w=w).bends[1] < 0 for w in np.linspace(-8, -0.565, 50))
        assert all(explorer.compute(w=w).bends[1] > 0 for w in np.linspace(-0.555, 15, 50))

    def test_steps(self):
        newton, descent = explore.Steps().errors
        assert [f"{e:.0e}" for e in newton[3:6]] == ["2e-03", "1e-06", "2e-13"]
        assert [round(e, 1) for e in descent[[0, -1]]] == [3.2, 2.5]

    def test_descent_on_four_points(self):
        X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
        free, held = ([w[0] for w in lr.descent(X, y, lam, 0.5, 10_000)] for lam in (0, 0.1))
        assert round(free[10_000] - free[1000], 1) == round(np.log(10), 1) == 2.3
        np.testing.assert_allclose(held[1000], held[100], atol=1e-6)

    def test_boundary(self):
        explorer = explore.Boundary()
        overlap, apart = explorer.pair.options
        at = {lam: [explorer.compute(lam, pair).length for pair in (overlap, apart)] for lam in (1e-6, 1e-5, 1e-4)}
        assert [round(at[lam][0], 1) for lam in at] == [11.9, 11.9, 11.9]
        assert round(at[1e-6][1], 1) == 17.6
        assert at[1e-4][1] < at[1e-4][0]
        assert at[1e-5][1] > at[1e-5][0]
        assert explorer.compute(1e4, overlap).misses == 6

    def test_a_penalised_bias_loses_the_base_rate(self):
        """The blood test: 30 of 300 are ill."""
        rng = np.random.default_rng(0)
        y = (np.arange(300) < 30).astype(float)
        X = (2 * y - 1)[:, None] * (1 + rng.random((300, 1)))
        ones = np.column_stack([X, np.ones(300)])
        w, b = lr.fit(X, y, 100.0)
        assert round(np.mean(lr.sigmoid(X @ w + b)), 3) == 0.1
        both = minimize(lambda a: lr.nll(ones @ a, y) + 50 * a @ a, np.zeros(2), tol=1e-12).x
        assert np.mean(lr.sigmoid(ones @ both)) > 0.15

    def test_iris_petals_are_as_the_text_says(self):
        iris = load("iris")
        assert [np.sum(iris.y == k) for k in (1, 2)] == [50, 50]


def _sigmoid(t):
    return 1 / (1 + np.exp(-t))


def _newton(w, X, y):
    p = _sigmoid(X @ w)
    return w - np.linalg.solve(X.T @ ((p * (1 - p))[:, None] * X), X.T @ (p - y))


def _penalised(w, b, X, y, lam):
    p = _sigmoid(X @ w + b)
    return X.T @ (p - y) + lam * w, np.sum(p - y)


def _mean_gradient(w, X, y):
    return X.T @ (_sigmoid(X @ w) - y) / len(y)


def _bound(n, lam):
    return np.sqrt(2 * n * np.log(2) / lam)


_FAILS_AT = ([0.0], [[1.0]], [0.0])


class TestAnswersOfStrangers:
    """Wrong answers that were accepted: with a sign, an order, a parity or a size that these draws did not have."""

    @pytest.mark.parametrize(
        ("name", "answers", "seeds"),
        [
            ("logistic_newton", (lambda *args: np.minimum(_newton(*args), 1),), [120]),
            ("logistic_penalised", (lambda w, b, *rest: _penalised(w, abs(b), *rest),), range(3)),
            (
                "logistic_penalised",
                (lambda w, b, X, y, lam: _penalised(w, min(b, lam), X, y, max(b, lam)),),
                [2, 5, 7],
            ),
            ("length_bound", (lambda n, lam: _bound(n - n % 2 + 1, lam),), [180]),
            ("mean_gradient", (lambda *args: np.minimum(_mean_gradient(*args), 1), _FAILS_AT), range(4)),
        ],
    )
    def test_careless_answers(self, name, answers, seeds):
        exercise = getattr(checks, name)
        with np.errstate(all="ignore"):  # the diagnosis tries λ = 0, which `length_bound` divides by
            assert not any(assess(exercise, answers, seed).points == exercise.points for seed in seeds)

    @pytest.mark.parametrize("seed", range(3))
    def test_their_right_parts_pass(self, seed):
        """So that it is the carelessness that is refused, and not these functions."""
        for name, answers in (
            ("logistic_newton", (lambda *args: _newton(*args),)),
            ("logistic_penalised", (lambda *args: _penalised(*args),)),
            ("length_bound", (lambda *args: _bound(*args),)),
            ("mean_gradient", (lambda *args: _mean_gradient(*args), _FAILS_AT)),
        ):
            exercise = getattr(checks, name)
            assert assess(exercise, answers, seed).points == exercise.points

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda w, X, y: (-y * (X @ w), 0 * y, (1 - y) * np.log(1 + np.exp(X @ w))), "log p was taken for z"),
            (1, lambda w, X, y: (np.log(1 + np.exp(X @ w)), y * (X @ w)), "z is still in B"),
            (2, lambda w, X, y: (np.log(1 + np.exp(X @ w)), np.exp(X @ w), -y), "outer is still log u"),
            (3, lambda w, X, y: (X @ w - y)[:, None] * X, "z stands where p belongs"),
        ],
    )
    def test_a_line_of_the_derivation_is_told_what_is_wrong_with_it(self, part, answer, says):
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.logistic_chain.lines]
        lines[part] = answer
        verdict = assess(checks.logistic_chain, tuple(lines))
        assert not verdict.steps[part].right
        assert says in verdict.finding.says

    def test_two_ways_to_collect_are_told_apart_by_the_task(self):
        """log(1 + e⁻ᶻ) − z(y − 1) has no y in A and no w in B either: the words allowed it, and it was refused."""
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.logistic_chain.lines]
        lines[1] = lambda w, X, y: (np.log(1 + np.exp(-X @ w)), y - 1)
        assert "A being all that is made of L" in checks.logistic_chain.task()
        assert "L is log(1 + eᶻ)" in assess(checks.logistic_chain, tuple(lines)).finding.says

    def test_nothing_is_said_to_come_twice_that_comes_once(self):
        """With inner = 1 the sentence about outer = p said that the inner derivative comes once more."""
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.logistic_chain.lines]
        lines[2] = lambda w, X, y: (1 / (1 + np.exp(-X @ w)), np.ones(len(y)), -y)
        says = assess(checks.logistic_chain, tuple(lines)).finding.says
        assert "outer · inner is put together" in says
