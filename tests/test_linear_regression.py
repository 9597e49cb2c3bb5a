"""mlcore.linear_regression against independent oracles: optimisers, finite differences, scipy, scikit-learn."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from scipy.stats import norm
from sklearn.linear_model import LinearRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import PolynomialFeatures

from mlcore import linear_regression as lr
from mlcore.checks import linear_regression as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import linear_regression as explore


@pytest.fixture
def tall():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) + rng.normal(size=4)
    return X, X @ rng.normal(size=4) + rng.normal(size=30) + 5


@pytest.fixture
def wide():
    rng = np.random.default_rng(1)
    return rng.normal(size=(4, 9)), rng.normal(size=4)


def slopes_of(f, w, *at, step=1e-5):
    return [(f(w + h, *at) - f(w - h, *at)) / (2 * step) for h in step * np.eye(len(w))]


def test_slope_and_shift_minimise_their_squares():
    """(4.1), (4.2) and (4.3), on data with an offset."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=20) + 3
    y = 2 * x + 5 + rng.normal(size=20)
    found = minimize_scalar(lambda a: sum((a * u - v) ** 2 for u, v in zip(x, y, strict=True))).x
    np.testing.assert_allclose(lr.slope(x, y), found, rtol=1e-6)
    found = minimize_scalar(lambda a: sum((u + a - v) ** 2 for u, v in zip(x, y, strict=True))).x
    np.testing.assert_allclose(lr.shift(x, y), found, rtol=1e-6)


@given(a=st.floats(-1e3, 1e3))
def test_without_noise_the_slope_comes_back(a):
    x = np.array([1.0, -2.0, 5.0])
    np.testing.assert_allclose(lr.slope(x, a * x), a)


def test_slope_is_a_mean_of_the_votes():
    """(4.2), its second form."""
    x, y = np.array([1.0, 2.0, -4.0]), np.array([3.0, 5.0, 1.0])
    np.testing.assert_allclose(lr.slope(x, y), np.average(y / x, weights=x**2))


def test_loss_is_a_sum_over_the_points(tall):
    """(4.4), and (4.1) with one column."""
    X, y = tall
    w = np.arange(4.0)
    np.testing.assert_allclose(lr.loss(w, X, y), sum((x @ w - t) ** 2 for x, t in zip(X, y, strict=True)))


def test_log_likelihood_is_scipys(tall):
    """(4.5)."""
    X, y = tall
    w = np.arange(4.0)
    np.testing.assert_allclose(lr.log_likelihood(w, X, y, 1.7), norm(X @ w, 1.7).logpdf(y).sum())


@pytest.mark.parametrize("sigma", [0.5, 3.0])
def test_fit_is_the_most_likely_whatever_the_noise(tall, sigma):
    """(4.6), against an optimiser that knows only the normal density."""
    X, y = tall
    found = minimize(lambda w: -norm(X @ w, sigma).logpdf(y).sum(), np.zeros(4), tol=1e-14).x
    np.testing.assert_allclose(lr.fit(X, y), found, atol=1e-4)


def test_fit_is_scikit_learns_and_solves_the_normal_equations(tall):
    X, y = tall
    np.testing.assert_allclose(lr.fit(X, y), LinearRegression(fit_intercept=False).fit(X, y).coef_)
    np.testing.assert_allclose(X.T @ X @ lr.fit(X, y), X.T @ y)


def test_a_column_of_ones_is_a_bias(tall):
    X, y = tall
    b, *w = lr.fit(np.column_stack([np.ones(30), X]), y)
    peer = LinearRegression().fit(X, y)
    np.testing.assert_allclose([b, *w], [peer.intercept_, *peer.coef_])


def test_loss_grows_as_pythagoras_says(tall):
    """(4.7), at random weights."""
    X, y = tall
    best = lr.fit(X, y)
    for w in np.random.default_rng(3).normal(size=(5, 4)):
        np.testing.assert_allclose(lr.loss(w, X, y), lr.loss(best, X, y) + np.sum((X @ (w - best)) ** 2))


def test_hat_projects(tall):
    """(4.8), by the fitted values of scikit-learn for every unit vector, and by its laws."""
    X, _ = tall
    H = lr.hat(X)
    shadows = [LinearRegression(fit_intercept=False).fit(X, e).predict(X) for e in np.eye(30)]
    np.testing.assert_allclose(H, np.column_stack(shadows), atol=1e-10)
    np.testing.assert_allclose(H @ H, H, atol=1e-12)
    np.testing.assert_allclose(np.trace(H), 4)


def test_hat_of_one_column_is_the_weight_of_a_vote():
    x = np.array([1.0, 2.0, -4.0])
    np.testing.assert_allclose(np.diag(lr.hat(x[:, None])), x**2 / np.sum(x**2))


def test_powers_and_bumps_are_scikit_learns():
    """(4.9) and (4.10)."""
    x, centres = np.linspace(-1, 2, 7), np.array([-1.0, 0.0, 2.0])
    np.testing.assert_allclose(lr.powers(x, 3), PolynomialFeatures(3).fit_transform(x[:, None]))
    peer = rbf_kernel(x[:, None], centres[:, None], gamma=1 / (2 * 0.7**2))
    np.testing.assert_allclose(lr.bumps(x, centres, 0.7), np.column_stack([np.ones(7), peer]))


def test_minimum_norm_is_the_shortest_exact_solution(wide):
    """(4.11), against a constrained optimiser and scipy's pseudo-inverse."""
    X, y = wide
    w = lr.minimum_norm(X, y)
    np.testing.assert_allclose(X @ w, y)
    met = {"type": "eq", "fun": lambda w: X @ w - y}
    np.testing.assert_allclose(w, minimize(lambda w: w @ w, np.zeros(9), constraints=met, tol=1e-14).x, atol=1e-5)
    np.testing.assert_allclose(w, np.linalg.pinv(X) @ y)


def test_square_case_interpolates():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(5, 5)), rng.normal(size=5)
    np.testing.assert_allclose(lr.fit(X, y), np.linalg.solve(X, y))
    np.testing.assert_allclose(lr.minimum_norm(X, y), np.linalg.solve(X, y))


def test_gradient_is_the_slope_of_the_mean_squared_error(tall):
    """(4.12)."""
    X, y = tall
    w = np.arange(4.0)
    np.testing.assert_allclose(lr.gradient(w, X, y), slopes_of(lambda w: np.mean((X @ w - y) ** 2), w), rtol=1e-6)


class Counted(float):
    """A number that counts how often numbers like it are multiplied."""

    made = 0

    def __mul__(self, other):
        Counted.made += 1
        return Counted(float(self) * float(other))

    def __add__(self, other):
        return Counted(float(self) + float(other))

    def __sub__(self, other):
        return Counted(float(self) - float(other))


def counted(array):
    return np.array([Counted(v) for v in np.ravel(array)], dtype=object).reshape(np.shape(array))


@pytest.mark.parametrize(("n", "d"), [(6, 3), (5, 4)])
def test_multiplications_are_those_that_are_made(n, d):
    """(4.13), by numbers that count."""
    rng = np.random.default_rng(5)
    X, w, y = counted(rng.normal(size=(n, d))), counted(rng.normal(size=d)), counted(rng.normal(size=n))
    made = []
    for product in (lambda: X.T @ X, lambda: X.T @ (X @ w - y)):
        Counted.made = 0
        product()
        made.append(Counted.made)
    assert tuple(made) == lr.multiplications(n, d)


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"linear_regression.fit: y must have shape \(n,\) = \(30,\), got \(30, 1\)"):
        lr.fit(np.ones((30, 2)), np.ones((30, 1)))
    with pytest.raises(ValueError, match=r"linear_regression.minimum_norm: X must have shape \(n, d\), got \(30,\)"):
        lr.minimum_norm(np.ones(30), np.ones(30))
    with pytest.raises(ValueError, match=r"fit: X must have at least as many rows as columns, got \(2, 3\)"):
        lr.fit(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match="fit: the 2 columns of X must be independent, got rank 1"):
        lr.fit(np.ones((5, 2)), np.arange(5.0))


class TestDerivationOfTheNormalEquations:
    cases = tuple(case for seed in range(5) for case in checks._noisy(np.random.default_rng(seed)))

    def test_three_ways_to_write_the_logarithm(self):
        for w, X, y, sigma in self.cases:
            surely = norm(X @ w, sigma).logpdf(y)
            assert np.exp(np.sum(surely)) == pytest.approx(checks._line_1(w, X, y, sigma))
            front, factor, squares = checks._line_2(w, X, y, sigma)
            np.testing.assert_allclose(front + factor * squares, surely)
            constant, factor, loss = checks._line_3(w, X, y, sigma)
            assert loss == pytest.approx(lr.loss(w, X, y))
            A, c, rest = checks._line_4(w, X, y, sigma)
            np.testing.assert_allclose(A, A.T)
            written = [constant + factor * loss, -w @ A @ w + 2 * w @ c + rest]
            np.testing.assert_allclose(written, np.sum(surely))

    def test_the_last_line_is_the_slope(self):
        for w, X, y, sigma in self.cases:
            slope = slopes_of(lambda v, *at: np.sum(norm(at[0] @ v, at[2]).logpdf(at[1])), w, X, y, sigma)
            b, H = checks._line_5(w, X, y, sigma)
            np.testing.assert_allclose(b - H @ w, slope, rtol=1e-5, atol=1e-5)

    def test_a_line_follows_from_the_one_before(self):
        for case in self.cases:
            for before, line in itertools.pairwise(checks.ols_likelihood.lines):
                for a, b in zip(line.follows(before.reference(*case), *case), line.reference(*case), strict=True):
                    np.testing.assert_allclose(a, b, atol=1e-10)


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    features = load("diabetes").features

    def test_slope_of_the_patients(self):
        slope = explore.Slope()
        assert len(slope.y) == 442
        assert round(slope.best, 1) == 10.2
        order = np.argsort(np.abs(slope.x))
        say = slope.x[order] ** 2 / np.sum(slope.x**2)
        assert round(100 * say[:221].sum()) == 8
        assert round(100 * say[-44:].sum()) == 42

    def test_weights_and_correlations_disagree(self):
        X, y = load("diabetes").standardised()
        w = lr.fit(X, y)
        for feature, correlation, weight in (("tc", 0.21, -37.7), ("hdl", -0.39, 4.8)):
            j = self.features.index(feature)
            assert round(np.corrcoef(X[:, j], y)[0, 1], 2) == correlation
            assert round(w[j], 1) == weight
        np.testing.assert_allclose(lr.fit(X / 1000, y), 1000 * w)
        assert np.allclose(X.T @ (y - X @ w), 0)

    def test_best_degree_and_the_last(self):
        features = explore.Features()
        tests = [features.compute(p, "powers").test for p in range(16)]
        assert np.argmin(tests) == 5
        assert round(tests[5], 2) == 0.11
        assert round(tests[15], -2) == 3300
        last = features.compute(15, "bumps")
        assert round(last.test, 1) == 3.4
        assert last.train < 1e-18
        noise = features.y_new - features._truth(features.x_new)
        assert round(0.3**2, 2) == 0.09 and abs(noise.var() - 0.09) < 0.01

    def test_ten_patients_are_worst(self):
        patients = explore.Patients()
        assert np.isinf(patients.compute(9).condition)
        assert 9_500 < patients.compute(10).condition < 11_000
        assert [round(patients.compute(n).error, 1) for n in (2, 40)] == [0.9, 0.7]
        assert round(patients.compute(10).error) == 12

    def test_costs(self):
        assert lr.multiplications(2000, 50) == (5_000_000, 200_000)
        assert 5_000_000 / 200_000 == 25

    def test_equal_rows_have_rank_one_and_two_equal_points_cannot_both_be_met(self):
        assert np.linalg.matrix_rank(np.tile([1.0, 2.0, 3.0], (1000, 1))) == 1
        X, y = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), np.array([0.0, 1.0])
        assert lr.loss(np.linalg.pinv(X) @ y, X, y) > 0.4


def pinv_fit(X, y):
    return np.linalg.pinv(X) @ y


class TestAnswersOfStrangers:
    """Wrong answers that were accepted, on seeds that showed it, and right ones that were refused."""

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (
                0,
                lambda w, X, y, sigma: (norm.logpdf(0, 0, sigma), -1 / 2, (X @ w / sigma - y / sigma) ** 2),
                "σ² is in the squares",
            ),
            (
                0,
                lambda w, X, y, sigma: (norm.pdf(0, 0, sigma), -1 / (2 * sigma**2), (X @ w - y) ** 2),
                "no logarithm yet",
            ),
            (
                0,
                lambda w, X, y, sigma: (norm.logpdf(0, 0, sigma), -1 / (2 * sigma**2), y - X @ w),
                "These are the residuals",
            ),
            (
                0,
                lambda w, X, y, sigma: (norm.logpdf(0, 0, sigma), -1 / (2 * sigma**2), (X @ w + y) ** 2),
                "The prediction was added",
            ),
            (
                1,
                lambda w, X, y, sigma: (
                    norm.logpdf(0, 0, sigma) ** len(y),
                    -1 / (2 * sigma**2),
                    np.sum((X @ w - y) ** 2),
                ),
                "raised to the power n",
            ),
            (2, lambda w, X, y, sigma: (X.T @ X, X.T @ y, norm.logpdf(y, 0, sigma).sum()), "missing in A and in c"),
            (2, lambda w, X, y, sigma: (X.T @ X, y @ X, y @ y), "This is L(w) multiplied out"),
            (0, lambda w, X, y, sigma: (0, -1 / (2 * sigma**2), (X @ w - y) ** 2), "Nothing is left in front"),
            (0, lambda w, X, y, sigma: (norm.logpdf(0), -1 / 2, (X @ w - y) ** 2), "σ is gone"),
            (1, lambda w, X, y, sigma: (len(y) * norm.logpdf(0), -1 / 2, np.sum((X @ w - y) ** 2)), "σ is gone"),
            (2, lambda w, X, y, sigma: (X.T @ X / 2, y @ X / 2, norm.logpdf(y).sum()), "σ is gone"),
        ],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_the_likelihood_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(4)]
        assert says in assess(checks.ols_likelihood, lines, seed).steps[part].says

    def test_the_task_says_where_the_variance_stands(self):
        """−½ and ((y − Xw)/σ)² were refused, and no word ruled them out."""
        assert "one square without σ for each point" in checks.ols_likelihood.task()

    @pytest.mark.parametrize(
        ("exercise", "answer", "seed"),
        [
            ("ols_slope", lambda x, y: x @ np.abs(y) / (x @ x), 0),
            ("ols_shift", lambda x, y: np.mean(np.abs(y - x)), 0),
            ("ols_shift", lambda x, y: abs(np.mean(y - x)), 0),
            ("ols_shift", lambda x, y: np.mean(np.abs(y) - x), 0),
            ("ols_fit", lambda X, y: pinv_fit(X, np.abs(y)), 6),
            ("ols_minimum_norm", lambda X, y: pinv_fit(X, np.abs(y)), 4),
        ],
    )
    def test_absolute_values(self, exercise, answer, seed):
        """y was never negative, and never below x."""
        assert not assess(getattr(checks, exercise), (answer,), seed).right

    def test_gradient_at_negative_targets(self):
        answer = lambda w, X, y: 2 / len(y) * X.T @ (X @ w - np.abs(y))  # noqa: E731
        assert assess(checks.ols_gradient, (answer, ([0.0], [[1.0]], [1.0])), seed=3).points == 1

    def test_noise_on_both_sides_of_one(self):
        """On seed 8 every σ was above 1."""

        def line_2(w, X, y, sigma):
            return -np.log(2 * np.pi) / 2 - abs(np.log(sigma)), -1 / (2 * sigma**2), (y - X @ w) ** 2

        assert not assess(checks.ols_likelihood, (line_2, ..., ..., ...), seed=8).steps[0].right

    TABLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 3.0], [2.0, -2.0, 4.0], [3.0, -3.0, 6.0], [4.0, -3.0, 9.0]])

    @pytest.mark.parametrize("units", [(1, 1, 1), (1e-6,) * 3, (1, 1, 1e-9), (1e7, 1, 1), (1, 1e7, 1), (1e4, 1e-4, 1)])
    def test_a_sign_has_no_unit(self, units):
        assert assess(checks.ols_sign, (self.TABLE * units,)).right

    @pytest.mark.parametrize("share", [1e-3, 1e-7, 0.0])
    def test_a_small_weight_is_a_weight(self, share):
        x1, x2, _ = self.TABLE.T
        assert assess(checks.ols_sign, (np.column_stack([x1, x2, 3 * x1 + share * x2]),)).right == (share > 0)

    def test_a_constant_column_has_no_weight(self):
        x1 = self.TABLE[:, 0]
        verdict = assess(checks.ols_sign, (np.column_stack([x1, np.full(5, 0.1), x1]),))
        assert verdict.finding.says == checks._NO_FIT
