"""mlcore.bayesian_regression against independent oracles: scipy, quadrature, grids, simulation, scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct
from sklearn.linear_model import LogisticRegression, Ridge

from mlcore import bayesian_regression as bayes
from mlcore import ridge
from mlcore.checks import bayesian_regression as checks
from mlcore.engine.exercises.assess import assess
from mlcore.explore import bayesian_regression as explore

SIGMA, TAU = 0.6, 1.7


@pytest.fixture(params=[(25, 3), (4, 6)], ids=["tall", "wide"])
def data(request):
    rng = np.random.default_rng(0)
    n, d = request.param
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + SIGMA * rng.normal(size=n)


@pytest.fixture
def classes():
    rng = np.random.default_rng(3)
    X = np.column_stack([np.ones(40), rng.normal(size=(40, 2))])
    return X, (rng.random(40) < 1 / (1 + np.exp(-X @ [0.3, 1.5, -1.0]))).astype(float)


def curvature(f, w, h=1e-4):
    """The Hessian of f at w by central differences."""
    d = len(w)
    steps = h * np.eye(d)
    return np.array(
        [[(f(w + a + b) - f(w + a - b) - f(w - a + b) + f(w - a - b)) / (4 * h * h) for b in steps] for a in steps]
    )


def log_joint(w, X, y):
    """Likelihood times prior (26.1), by scipy."""
    return stats.norm.logpdf(y, X @ w, SIGMA).sum() + stats.norm.logpdf(w, 0, TAU).sum()


def test_posterior_is_where_likelihood_times_prior_peaks_and_how_it_bends(data):
    """(26.1) to (26.3): the joint is e to a quadratic, so mode and curvature are all there is."""
    X, y = data
    w, V = bayes.posterior(X, y, SIGMA, TAU)
    found = minimize(lambda w: -log_joint(w, X, y), np.zeros(X.shape[1]), tol=1e-12).x
    np.testing.assert_allclose(w, found, atol=1e-5)
    np.testing.assert_allclose(curvature(lambda w: -log_joint(w, X, y), w), np.linalg.inv(V), rtol=1e-3, atol=1e-3)


def test_posterior_on_a_grid():
    """(26.2) and (26.3), moments of the joint over a fine grid of two weights."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(5, 2)), rng.normal(size=5)
    w, V = bayes.posterior(X, y, SIGMA, TAU)
    axis = np.linspace(-6, 6, 401)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    weight = np.exp(-np.sum((y - grid @ X.T) ** 2, axis=1) / (2 * SIGMA**2) - np.sum(grid**2, axis=1) / (2 * TAU**2))
    weight /= weight.sum()
    np.testing.assert_allclose(w, weight @ grid, atol=1e-6)
    np.testing.assert_allclose(V, (grid - w).T @ (weight[:, None] * (grid - w)), atol=1e-6)


def test_mean_is_ridge(data):
    X, y = data
    peer = Ridge(alpha=SIGMA**2 / TAU**2, fit_intercept=False, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(bayes.posterior(X, y, SIGMA, TAU)[0], peer.coef_, rtol=1e-7)


def test_predictive_and_evidence_are_those_of_a_gaussian_process(data):
    """(26.4) and (26.8): scikit-learn's process with the kernel τ²xᵀx′, which never forms the weights."""
    X, y = data
    kernel = ConstantKernel(TAU**2, "fixed") * DotProduct(0.0, "fixed")
    peer = GaussianProcessRegressor(kernel, alpha=SIGMA**2, optimizer=None).fit(X, y)
    X_new = np.random.default_rng(2).normal(size=(7, X.shape[1])) * 3
    mean, spread = peer.predict(X_new, return_std=True)
    ours, var = bayes.predictive(X_new, *bayes.posterior(X, y, SIGMA, TAU), SIGMA)
    np.testing.assert_allclose(ours, mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(var, spread**2 + SIGMA**2, rtol=1e-6)
    np.testing.assert_allclose(bayes.log_evidence(X, y, SIGMA, TAU), peer.log_marginal_likelihood_value_, rtol=1e-9)


def test_evidence_by_its_covariance_and_by_a_sum_over_a_grid(data):
    """(26.8)."""
    X, y = data
    C = SIGMA**2 * np.eye(len(y)) + TAU**2 * X @ X.T
    np.testing.assert_allclose(
        bayes.log_evidence(X, y, SIGMA, TAU), stats.multivariate_normal(np.zeros(len(y)), C).logpdf(y)
    )
    X, y = X[:4, :2], y[:4]
    axis, step = np.linspace(-14, 14, 701, retstep=True)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    joint = stats.norm.logpdf(y, grid @ X.T, SIGMA).sum(axis=1) + stats.norm.logpdf(grid, 0, TAU).sum(axis=1)
    np.testing.assert_allclose(bayes.log_evidence(X, y, SIGMA, TAU), np.log(np.sum(np.exp(joint)) * step**2), rtol=1e-6)


def test_evidence_is_the_product_of_the_forecasts(data):
    """Every point is forecast from those before it: the logs of (26.4) add up to (26.8)."""
    X, y = data
    total = 0.0
    for i in range(len(y)):
        mean, var = bayes.predictive(X[i : i + 1], *bayes.posterior(X[:i], y[:i], SIGMA, TAU), SIGMA)
        total += stats.norm.logpdf(y[i], mean[0], np.sqrt(var[0]))
    np.testing.assert_allclose(bayes.log_evidence(X, y, SIGMA, TAU), total)


@given(seed=st.integers(0, 10_000))
def test_point_by_point_is_all_at_once_in_any_order(seed):
    """(26.5) and (26.6)."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(6, 3)), rng.normal(size=6)
    order = rng.permutation(6)
    *_, (w, V) = bayes.stream(X[order], y[order], SIGMA, TAU)
    batch_w, batch_V = bayes.posterior(X, y, SIGMA, TAU)
    np.testing.assert_allclose(w, batch_w, atol=1e-10)
    np.testing.assert_allclose(V, batch_V, atol=1e-10)


def test_every_step_adds_precision(data):
    """(26.5) against V⁻¹ + xxᵀ/σ², and the gain against the new V."""
    X, _ = data
    V = np.cov(np.random.default_rng(5).normal(size=(X.shape[1], 50))) + 0.1
    x = X[0]
    new = np.linalg.inv(np.linalg.inv(V) + np.outer(x, x) / SIGMA**2)
    np.testing.assert_allclose(bayes.gain(V, x, SIGMA), new @ x / SIGMA**2)
    np.testing.assert_allclose(bayes.update(np.zeros(len(x)), V, x, 1.0, SIGMA)[1], new)


def test_draws_have_the_mean_and_covariance_and_monte_carlo_finds_the_forecast(data):
    """(26.7) against (26.4), with 400,000 draws."""
    X, y = data
    w, V = bayes.posterior(X, y, SIGMA, TAU)
    rng = np.random.default_rng(7)
    W = bayes.draw(w, V, 400_000, rng)
    scale = np.sqrt(np.diag(V))
    np.testing.assert_allclose(W.mean(axis=0), w, atol=5 * scale.max() / np.sqrt(400_000))
    np.testing.assert_allclose(np.cov(W.T), V, atol=0.01 * scale.max() ** 2)
    x = np.arange(1.0, 1 + X.shape[1])
    found = bayes.monte_carlo(W, x, rng.normal(size=400_000), SIGMA)
    mean, var = bayes.predictive(x[None, :], w, V, SIGMA)
    np.testing.assert_allclose(found[0], mean[0], atol=5 * np.sqrt(var[0] / 400_000))
    np.testing.assert_allclose(found[1], var[0], rtol=0.02)


def test_logistic_map_is_scikit_learns_and_minimises(classes):
    """(26.9)."""
    X, y = classes
    peer = LogisticRegression(C=TAU**2, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(X, y)
    w = bayes.logistic_map(X, y, TAU)
    np.testing.assert_allclose(w, peer.coef_[0], atol=1e-5)
    log_posterior = stats.norm.logpdf(w, 0, TAU).sum() + stats.bernoulli.logpmf(y, bayes.sigmoid(X @ w)).sum()
    constant = 3 * np.log(np.sqrt(2 * np.pi) * TAU)
    np.testing.assert_allclose(bayes.surprise(w, X, y, TAU), -log_posterior - constant)


def test_newton_survives_separable_classes_and_a_vague_prior():
    X = np.column_stack([np.ones(6), [-30.0, -2, -1, 1, 2, 40]])
    y = np.array([0.0, 0, 0, 1, 1, 1])
    w = bayes.logistic_map(X, y, 1000.0)
    found = minimize(lambda w: bayes.surprise(w, X, y, 1000.0), w, method="Nelder-Mead", tol=1e-12)
    assert bayes.surprise(w, X, y, 1000.0) <= found.fun + 1e-9


def test_laplace_is_the_inverse_of_the_curvature(classes):
    """(26.10), against a numerical Hessian."""
    X, y = classes
    w = bayes.logistic_map(X, y, TAU)
    H = curvature(lambda w: bayes.surprise(w, X, y, TAU), w)
    np.testing.assert_allclose(bayes.laplace(X, w, TAU), np.linalg.inv(H), rtol=1e-4)


@pytest.mark.parametrize(("m", "v"), [(0.0, 1.0), (1.5, 0.3), (-2.0, 9.0), (6.0, 400.0), (4.0, 5000.0)])
def test_chance_is_the_integral_and_the_formula_is_near(m, v):
    """(26.11) by scipy's quadrature; (26.12) is an approximation, with the constants that it claims."""
    spread = np.sqrt(v)
    points = np.clip([0.0, m], m - 9 * spread, m + 9 * spread)
    found = quad(
        lambda t: stats.norm.pdf(t, m, spread) / (1 + np.exp(-t)),
        m - 9 * spread,
        m + 9 * spread,
        points=points,
        limit=500,
    )[0]
    np.testing.assert_allclose(bayes.chance(m, v), found, atol=1e-7)
    np.testing.assert_allclose(bayes.averaged_chance(m, v), found, atol=0.02)
    np.testing.assert_allclose(
        bayes.averaged_chance(m, v), 1 / (1 + np.exp(-m * (1 + 3.141592653589793 * v / 8) ** -0.5))
    )


def test_the_twin_of_the_logistic_function():
    """N(0, 8/π) has the slope ¼ at 0, and averaging it is exact: what (26.12) is derived from."""
    np.testing.assert_allclose(stats.norm.pdf(0, scale=np.sqrt(8 / np.pi)), 0.25)
    m, v = 1.3, 2.7
    twin = stats.norm(scale=np.sqrt(8 / np.pi)).cdf
    average = quad(lambda t: twin(t) * stats.norm.pdf(t, m, np.sqrt(v)), -20, 20)[0]
    np.testing.assert_allclose(average, twin(m / np.sqrt(1 + np.pi * v / 8)))


class TestWeightSquare:
    """The lines of the derivation, put together again."""

    draws = staticmethod(lambda: [args for seed in range(4) for args in checks._exponents(np.random.default_rng(seed))])

    def test_every_line_has_the_value_of_line_1(self):
        for w, X, y, sigma, tau in self.draws():
            args = w, X, y, sigma, tau
            value = checks._line_1(*args)
            np.testing.assert_allclose(sum(checks._line_2(*args)), value)
            A, c, constant = checks._line_3(*args)
            np.testing.assert_allclose(-w @ A @ w / 2 + w @ c + constant, value)
            m, extra = checks._line_4(*args)
            np.testing.assert_allclose(-(w - m) @ A @ (w - m) / 2 + extra + constant, value)
            K, G = checks._line_5(*args)
            off = w - K @ y
            np.testing.assert_allclose(-off @ A @ off / 2 + y @ G @ y / 2 + constant, value)

    def test_the_references_follow_from_each_other(self):
        _, sort, square, split = checks.weight_square.lines
        for args in self.draws():
            for back, there in zip(sort.undo(sort.reference(*args), *args), checks._line_2(*args), strict=True):
                np.testing.assert_allclose(back, there)
            for here, right in zip(square.follows(checks._line_3(*args), *args), checks._line_4(*args), strict=True):
                np.testing.assert_allclose(here, right)
            for back, there in zip(split.undo(split.reference(*args), *args), checks._line_4(*args), strict=True):
                np.testing.assert_allclose(back, there)

    def test_what_stands_beside_the_square_is_the_exponent_of_the_evidence(self):
        """(26.8)."""
        for w, X, y, sigma, tau in self.draws():
            _, G = checks._line_5(w, X, y, sigma, tau)
            C = sigma**2 * np.eye(len(y)) + tau**2 * X @ X.T
            np.testing.assert_allclose(np.eye(len(y)) / sigma**2 - G, np.linalg.inv(C), atol=1e-10)


def test_wrong_shapes_get_one_line():
    with pytest.raises(
        ValueError, match=r"bayesian_regression.posterior: y must have shape \(n,\) = \(3,\), got \(3, 1\)"
    ):
        bayes.posterior(np.ones((3, 2)), np.ones((3, 1)), 1.0, 1.0)
    with pytest.raises(ValueError, match=r"bayesian_regression.log_evidence: X must have shape \(n, d\), got \(3,\)"):
        bayes.log_evidence(np.ones(3), np.ones(3), 1.0, 1.0)


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_the_fan(self):
        state = explore.Groups().compute(10)
        assert round(state.edge, 2) == 1.35
        assert 5 < state.edge / state.middle < 6

    def test_one_group_knows_the_fan(self):
        x, y = explore.patients()
        spreads = []
        for i in range(0, 440, 10):
            _, V = bayes.posterior(explore.line_features(x[i : i + 10]), y[i : i + 10], 0.8, 1.0)
            spreads.append(np.sqrt(V[0, 0] + 10 * V[0, 1] + 25 * V[1, 1]))
        assert round(np.median(spreads), 2) == 1.32

    @pytest.mark.parametrize(
        ("n", "tau", "at_0", "at_6"), [(8, 1.0, 0.85, 2.41), (30, 1.0, 0.81, 1.17), (8, 0.125, 0.81, 1.08)]
    )
    def test_the_band(self, n, tau, at_0, at_6):
        band = explore.Band()
        state = band.compute(n, tau, 0.8)
        assert [round(band._spread(state, at), 2) for at in (0, 6)] == [at_0, at_6]

    def test_the_band_is_narrowest_near_the_mean(self):
        band = explore.Band()
        for n in (8, 30):
            narrowest = band.at[np.argmin(band.compute(n, 1.0, 0.8).new)]
            assert abs(narrowest - band.x[:n].mean()) < 0.1
        assert [round(band.compute(8, tau, 0.8).w[1], 2) for tau in (1.0, 0.125)] == [0.64, 0.09]

    def test_one_patient_leaves_a_direction_open(self):
        draws = explore.Draws()
        assert round(draws.x[0], 2) == 1.05
        V = draws.compute(1, 4.0, 1).V
        np.testing.assert_allclose(np.linalg.eigvalsh(V)[1], 1)
        assert V[0, 1] < 0

    def test_forty_draws(self):
        draws = explore.Draws()
        states = [draws.compute(3, place, k) for k in range(1, 21) for place in (0.0, 3.0, 6.0)]
        assert np.mean([abs(s.drawn_spread / s.spread - 1) < 0.2 for s in states]) > 0.9

    def test_evidence_of_the_degrees(self):
        degrees = explore.Degrees()
        assert [degrees.compute(3, tau).best for tau in (1.0, 2.0, 64.0)] == [5, 3, 3]
        logs = degrees.compute(3, 64.0).logs
        assert round(logs[3] - logs[9]) == 13
        assert 4e5 < np.exp(logs[3] - logs[9]) < 6e5
        assert np.argmin(degrees.compute(3, 2.0).error) == 9

    def test_the_formula_is_off_by_little(self):
        m = np.linspace(-10, 10, 401)
        gaps = [np.abs(bayes.averaged_chance(m, v) - bayes.chance(m, np.full(401, v))) for v in (0.5, 2, 8, 32, 128)]
        assert round(np.max(gaps), 3) == 0.016

    def test_a_petal_of_seven_centimetres(self):
        chance = explore.Chance()
        few, all_ = chance.compute(4, 4.0), chance.compute(50, 4.0)
        assert round(chance._at(few.one, 7), 4) == 0.9999
        assert round(chance._integral(few, 7), 3) == 0.936
        assert round(chance._at(few.average, 7), 3) == 0.921
        assert np.abs(all_.one[chance.marks] - all_.integral).max() < 0.02
        assert np.abs(all_.one - all_.average).max() < 0.02

    def test_the_band_does_not_hold_y(self):
        x = np.linspace(-0.9, 0.9, 10)
        X = explore.line_features(x)
        _, V = bayes.posterior(X, x, 0.3, 1.0)
        width = 1.96 * np.sqrt(bayes.predictive(X, np.zeros(2), V, 0.3)[1])
        assert 0.6 < width.min() < width.max() < 0.7  # the hint's ±0.65
        np.testing.assert_array_equal(V, bayes.posterior(X, 6 * x**2 - 2, 0.3, 1.0)[1])
        line, parabola = (bayes.log_evidence(x[:, None] ** np.arange(p + 1), 6 * x**2 - 2, 0.3, 4.0) for p in (1, 2))
        assert parabola > line + 50


class TestCovariancesOfStrangers:
    """Counter-examples to the printed gain."""

    @pytest.mark.parametrize("direction", [[1, 1], [1, 0], [1 / 3, 0.7], [1, 0.1, 0.3], [0.2, -0.7, 0.1]])
    def test_a_known_direction_is_allowed(self, direction):
        """An eigenvalue of 0 came out on either side of 0, and rounding decided."""
        fails_at = np.outer(direction, direction), np.ones(len(direction)) + np.array(direction), 0.5
        assert assess(checks.update_gain, (lambda *args: bayes.gain(*args), fails_at)).steps[1].right

    @pytest.mark.parametrize(
        "V", [[[1, 2], [2, 1]], [[1e-9, 5e-10], [0, 1e-9]], [[-1, 0], [0, 1]]], ids=["indefinite", "skew", "negative"]
    )
    def test_what_is_no_covariance_is_refused(self, V):
        assert not assess(checks.update_gain, (lambda *args: bayes.gain(*args), (V, [1, 1], 1e-5))).steps[1].right

    def test_no_weights_at_all(self):
        """The smallest eigenvalue of nothing raised an error of its own."""
        fails_at = np.zeros((0, 0)), [], 1
        assert not assess(checks.update_gain, (lambda *args: bayes.gain(*args), fails_at)).steps[1].right


class TestAnswersOfStrangers:
    """Lines that other modules gave away, and wrong ones that were told only how far they are off."""

    def _seen(self, k, line):
        lines = [own.reference for own in checks.weight_square.lines]
        lines[k - 2] = line
        return assess(checks.weight_square, tuple(lines))

    @pytest.mark.parametrize(
        "fit",
        [
            lambda X, y, lam: ridge.fit(X, y, lam),
            lambda X, y, lam: ridge.fit_diagonal(X, y, np.full(X.shape[1], lam)),
            lambda X, y, lam: ridge.fit_svd(X, y, lam),
        ],
        ids=["fit", "diagonal", "svd"],
    )
    def test_ridge_completes_no_square(self, fit):
        def line_4(w, X, y, sigma, tau):
            m = fit(X, y, (sigma / tau) ** 2)
            return m, y @ X @ m / (2 * sigma**2)

        seen = self._seen(4, line_4)
        assert [step.right for step in seen.steps] == [True, True, False, True]
        assert "derive it" in seen.finding.says

    def test_the_precision_of_the_module_is_not_derived(self):
        def line_3(w, X, y, sigma, tau):
            return bayes.precision(X, sigma, tau), X.T @ y / sigma**2, -y @ y / (2 * sigma**2)

        assert not self._seen(3, line_3).steps[1].right

    @pytest.mark.parametrize(
        ("k", "line", "says"),
        [
            (2, lambda w, X, y, sigma, tau: checks._line_2(w, X, y, tau, sigma), "exchanged"),
            (3, checks.but(checks._line_3, 0, lambda w, X, y, s, t: np.linalg.inv(checks._A(X, s, t))), "inverse of A"),
            (
                4,
                checks.but(checks._line_4, 0, lambda w, X, y, s, t: np.linalg.solve(X.T @ X, X.T @ y)),
                "the prior too",
            ),
        ],
        ids=["spreads", "inverse", "least squares"],
    )
    def test_what_they_are_told(self, k, line, says):
        assert says in self._seen(k, line).finding.says
