"""mlcore.ridge against independent oracles: finite differences, optimisers, scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import Ridge

from mlcore import ridge
from mlcore.checks import ridge as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import ridge as explore


@pytest.fixture(params=[(30, 4), (5, 9)], ids=["tall", "wide"])
def data(request):
    rng = np.random.default_rng(0)
    n, d = request.param
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n) + 5


def test_gradient_is_the_slope_of_the_objective(data):
    """(5.1) and (5.2)."""
    X, y = data
    rng = np.random.default_rng(1)
    w, w0 = rng.normal(size=(2, X.shape[1]))
    steps = 1e-6 * np.eye(len(w))
    slopes = [(ridge.objective(w + h, X, y, 2.0, w0) - ridge.objective(w - h, X, y, 2.0, w0)) / 2e-6 for h in steps]
    np.testing.assert_allclose(ridge.gradient(w, X, y, 2.0, w0), slopes, rtol=1e-5)


def test_fit_minimises_the_objective(data):
    """(5.3), against an optimiser that knows only (5.1)."""
    X, y = data
    w0 = np.linspace(-1, 1, X.shape[1])
    found = minimize(ridge.objective, w0, args=(X, y, 0.7, w0), tol=1e-14).x
    np.testing.assert_allclose(ridge.fit(X, y, 0.7, w0), found, atol=1e-4)


def test_fit_is_scikit_learns(data):
    X, y = data
    peer = Ridge(alpha=0.7, fit_intercept=False, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ridge.fit(X, y, 0.7), peer.coef_, rtol=1e-8)


def test_limits_of_the_penalty():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    np.testing.assert_allclose(ridge.fit(X, y, 0.0), np.linalg.lstsq(X, y, rcond=None)[0])
    np.testing.assert_allclose(ridge.fit(X, y, 1e12, w0=[1.0, 2.0, 3.0]), [1, 2, 3], atol=1e-6)


def test_diagonal_penalty_minimises_its_objective(data):
    """(5.4)."""
    X, y = data
    lams = np.linspace(0.5, 3, X.shape[1])
    found = minimize(lambda w: np.sum((X @ w - y) ** 2) + lams @ w**2, np.zeros(X.shape[1]), tol=1e-14).x
    np.testing.assert_allclose(ridge.fit_diagonal(X, y, lams), found, atol=1e-4)


def test_free_bias_is_scikit_learns_intercept(data):
    """(5.5)."""
    X, y = data
    w, b = ridge.fit_free_bias(X, y, 0.7)
    peer = Ridge(alpha=0.7, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(w, peer.coef_, rtol=1e-8)
    np.testing.assert_allclose(b, peer.intercept_, rtol=1e-8)


@given(shift=st.floats(-1e3, 1e3))
def test_shifting_y_moves_only_the_bias(shift):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(15, 3)), rng.normal(size=15)
    w, b = ridge.fit_free_bias(X, y, 2.0)
    w_shifted, b_shifted = ridge.fit_free_bias(X, y + shift, 2.0)
    np.testing.assert_allclose(w_shifted, w, atol=1e-9)
    np.testing.assert_allclose(b_shifted, b + shift, atol=1e-9)


def test_infinite_penalty_leaves_the_mean():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(15, 3)), rng.normal(size=15)
    w, b = ridge.fit_free_bias(X, y, 1e12)
    np.testing.assert_allclose(w, 0, atol=1e-9)
    np.testing.assert_allclose(b, y.mean())


def test_tikhonov_minimises_its_objective():
    """(5.6), with differences of neighbours."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(20, 5)), rng.normal(size=20)
    Gamma = 2 * ridge.first_differences(5)
    np.testing.assert_array_equal(ridge.first_differences(3), [[-1, 1, 0], [0, -1, 1]])
    found = minimize(lambda w: np.sum((X @ w - y) ** 2) + np.sum((Gamma @ w) ** 2), np.zeros(5), tol=1e-14).x
    np.testing.assert_allclose(ridge.fit_tikhonov(X, y, Gamma), found, atol=1e-4)


def test_svd_and_path_give_the_same_fit(data):
    """(5.7)."""
    X, y = data
    np.testing.assert_allclose(ridge.fit_svd(X, y, 0.7), ridge.fit(X, y, 0.7))
    lams = [0.1, 1.0, 10.0]
    np.testing.assert_allclose(ridge.path(X, y, lams), [ridge.fit(X, y, lam) for lam in lams])


def test_degrees_of_freedom_are_the_trace_of_the_hat_matrix(data):
    """(5.8), by the sensitivity of each fitted value to its own observation."""
    X, y = data
    own = [(X @ (ridge.fit(X, y + e, 0.7) - ridge.fit(X, y, 0.7)))[i] for i, e in enumerate(np.eye(len(y)))]
    np.testing.assert_allclose(ridge.degrees_of_freedom(X, 0.7), np.sum(own))


def test_map_penalty_gives_the_most_probable_weights():
    """(5.9), against an optimiser of likelihood times prior."""
    rng = np.random.default_rng(6)
    sigma, tau = 0.5, 2.0
    X = rng.normal(size=(30, 3))
    y = X @ [1, -2, 0.5] + sigma * rng.normal(size=30)

    def surprise(w):
        return np.sum((y - X @ w) ** 2) / (2 * sigma**2) + np.sum(w**2) / (2 * tau**2)

    found = minimize(surprise, np.zeros(3), tol=1e-14).x
    np.testing.assert_allclose(ridge.fit(X, y, ridge.map_penalty(sigma, tau)), found, atol=1e-5)


@pytest.mark.parametrize("lam", [1.0, 10.0, 50.0])
def test_budget_gives_the_same_solution_as_the_penalty(lam):
    """(5.10), against a constrained optimiser."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 2))
    y = X @ [3, -2] + rng.normal(size=40)
    t = ridge.budget(X, y, lam)
    bound = {"type": "ineq", "fun": lambda w: t - w @ w}
    found = minimize(lambda w: np.sum((y - X @ w) ** 2), [0.1, 0.1], constraints=bound, tol=1e-12).x
    np.testing.assert_allclose(ridge.fit(X, y, lam), found, atol=1e-4)


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"ridge.fit: y must have shape \(n,\) = \(30,\), got \(30, 1\)"):
        ridge.fit(np.ones((30, 2)), np.ones((30, 1)), 1.0)
    with pytest.raises(ValueError, match=r"ridge.fit_svd: X must have shape \(n, d\), got \(30,\)"):
        ridge.fit_svd(np.ones(30), np.ones(30), 1.0)


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    features = load("diabetes").features

    def test_halves_disagree_about_hdl(self):
        positive = explore.Halves().compute().positive
        assert 0.6 < positive[self.features.index("hdl")] < 0.72  # "two thirds"
        assert positive[self.features.index("bmi")] == positive[self.features.index("bp")] == 1

    def test_path_of_the_lipids(self):
        X, y = load("diabetes").standardised()
        tc, ldl, hdl = (self.features.index(f) for f in ("tc", "ldl", "hdl"))
        w = ridge.fit(X, y, 0.0)
        assert [round(w[tc]), round(w[ldl])] == [-38, 23]
        assert round(np.corrcoef(X[:, tc], X[:, ldl])[0, 1], 1) == 0.9
        assert ridge.fit(X, y, 1.6)[hdl] > 0 > ridge.fit(X, y, 1.65)[hdl]

    def test_curve_is_best_near_a_hundredth(self):
        curve = explore.Curve()
        states = [curve.compute(lam) for lam in curve.lam.grid(121)]
        best = min(states, key=lambda state: state.error)
        assert 0.005 < best.lam < 0.02
        assert 5 < best.freedom < 6

    def test_without_correlation_a_small_penalty_gains_a_little_and_a_larger_one_loses(self):
        explorer = explore.Collinearity()
        states = [explorer.compute(rho=0.0, lam=lam) for lam in (1.0, 3.0)]
        assert [round(s.ridge_error, 3) for s in states] == [0.067, 0.076]
        assert round(states[0].ols_error, 3) == 0.069


def _solved(X, y, penalty, pull=0.0):
    return np.linalg.solve(X.T @ X + penalty, X.T @ y + pull)


def _eye(X):
    return np.eye(X.shape[1])


def _centred(X, y, lam):
    w = _solved(X - X.mean(axis=0), y - y.mean(), lam * _eye(X))
    return w, y.mean() - X.mean(axis=0) @ w


class TestAnswersOfStrangers:
    """Wrong answers that some draws or all of them accepted, and what they are told."""

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (
                0,
                lambda w, X, y, lam, w0: (
                    y @ y + lam * w0 @ w0,
                    -2 * w @ (X.T @ y + lam * w0),
                    np.sum((X @ w) ** 2) + lam * w @ w,
                ),
                "opposite order",
            ),
            (
                0,
                lambda w, X, y, lam, w0: (
                    np.sum((X @ w) ** 2) + lam * w @ w,
                    -2 * (w @ X.T @ y + lam * w0 @ w0),
                    y @ y + lam * w0 @ w0,
                ),
                "has lost w",
            ),
            (
                2,
                lambda w, X, y, lam, w0: (2 * X.T @ X + np.diag([2 * lam] * len(w)), 2 * (y @ X + lam * w)),
                "b holds w",
            ),
            (0, lambda w, X, y, lam, w0: (w @ (X.T @ X + lam * _eye(X)) @ w, -2 * w @ X.T @ y, y @ y), "w₀ is gone"),
            (1, lambda w, X, y, lam, w0: (X.T @ X + lam * _eye(X), y @ X, y @ y), "w₀ is gone"),
            (1, lambda w, X, y, lam, w0: (X.T @ X, y @ X, y @ y), "The penalty is gone"),
        ],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_the_normal_equations_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(3)]
        assert says in assess(checks.normal_equations, lines, seed).steps[part].says

    @pytest.mark.parametrize("seed", [0, 4, 5, 7, 11])
    @pytest.mark.parametrize(
        ("exercise", "answer"),
        [
            (checks.ridge_fit, lambda X, y, lam, w0: _solved(X, abs(y), lam * _eye(X), lam * w0)),
            (checks.ridge_fit, lambda X, y, lam, w0: _solved(X, y, lam * _eye(X), lam * abs(w0))),
            (checks.ridge_diagonal, lambda X, y, lams: _solved(X, abs(y), np.diag(lams))),
            (checks.ridge_free_bias, lambda X, y, lam: _centred(X, np.maximum(y, 0), lam)),
            (checks.ridge_svd, lambda X, y, lam: _solved(X, np.maximum(y, 0), lam * _eye(X))),
            (checks.ridge_tikhonov, lambda X, y, Gamma: _solved(X, y, Gamma[0, 0] ** 2 * _path(X.shape[1]))),
        ],
        ids=["fit-y", "fit-guess", "diagonal-y", "bias-y", "svd-y", "tikhonov-differences"],
    )
    def test_a_sign_or_a_matrix_that_is_ignored_shows_on_every_seed(self, exercise, answer, seed):
        assert not assess(exercise, (answer,), seed).right

    def test_no_mistake_inverts_a_singular_matrix(self):
        for seed in range(20):
            for X, _, lam, _ in (call.args for call in checks.ridge_fit.plan(np.random.default_rng(seed))):
                assert np.linalg.cond(X.T @ X + lam) < 1e6  # its mistake 5
            for X, _, _ in (call.args for call in checks.ridge_svd.plan(np.random.default_rng(seed))):
                assert np.linalg.svd(X, compute_uv=False)[-1] > 1e-3  # its mistake 1

    def test_a_column_that_is_nearly_zero_is_not_singular(self):
        assert not assess(checks.singular_design, ([[1e-6, 1, 2], [0, 3, 1]],)).right
        assert assess(checks.singular_design, ([[0, 1e-9, 0], [0, 0, 1e9]],)).right

    def test_zeros_are_called_zeros(self):
        assert assess(checks.singular_design, (np.zeros((3, 3)),)).finding.says == "X must not be all zero."


def _path(d):
    """ΓᵀΓ for differences of neighbours."""
    return 2 * np.eye(d) - np.diag([1.0, *np.zeros(d - 2), 1.0]) - np.eye(d, k=1) - np.eye(d, k=-1)
