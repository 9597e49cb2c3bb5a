"""mlcore.kernels against independent oracles: scikit-learn, explicit features, optimisers, finite differences."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import factorial
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from mlcore import kernels, svm
from mlcore.checks import kernels as checks
from mlcore.data import load
from mlcore.engine.exercises import but
from mlcore.engine.exercises.assess import assess
from mlcore.explore import kernels as explore


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 3)) + 1
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=25)


def monomials(x):
    """All products of up to three coordinates, in every order, one by one."""
    return [np.prod([x[i] for i in ids]) for k in range(4) for ids in itertools.product(range(len(x)), repeat=k)]


@pytest.mark.parametrize("d", [1, 3, 4])
def test_cubic_kernel_is_the_inner_product_of_all_monomials(d):
    """(16.1) and (16.2)."""
    rng = np.random.default_rng(d)
    X, Z = rng.normal(size=(5, d)), rng.normal(size=(4, d))
    Phi_X, Phi_Z = (np.array([monomials(x) for x in points]) for points in (X, Z))
    np.testing.assert_allclose(kernels.cubic(X, Z), Phi_X @ Phi_Z.T)
    np.testing.assert_allclose(kernels.cubic_features(X), Phi_X)
    assert kernels.feature_count(d) == Phi_X.shape[1]


def test_descent_in_beta_is_descent_in_theta(data):
    """(16.3) and (16.4)."""
    X, y = data
    Phi, eta, theta = kernels.cubic_features(X), 1e-5, np.zeros(40)
    states = kernels.descend(kernels.cubic(X, X), y, eta)
    new = np.random.default_rng(1).normal(size=(6, 3))
    for beta in itertools.islice(states, 51):
        np.testing.assert_allclose(Phi.T @ beta, theta, atol=1e-9)
        f = kernels.predict(beta, kernels.cubic(new, X))
        np.testing.assert_allclose(f, kernels.cubic_features(new) @ theta, atol=1e-8)
        theta = theta + eta * Phi.T @ (y - Phi @ theta)


def test_descent_ends_at_interpolation():
    x = np.linspace(0, 3, 6)[:, None]
    K, y = kernels.rbf(x, x, 0.4), np.array([1.0, -1, 2, 0, 1, 3])
    beta = next(itertools.islice(kernels.descend(K, y, 0.8), 3000, None))
    np.testing.assert_allclose(K @ beta, y, atol=1e-6)


@pytest.mark.parametrize(("shift", "h"), [(0.0, 1.0), (0.0, 0.05), (1e4, 2.0)])
def test_gaussian_kernel_is_exact_far_from_the_origin_too(shift, h):
    """(16.5), against distances that are computed one by one."""
    rng = np.random.default_rng(2)
    X, Z = rng.normal(size=(30, 4)) + shift, rng.normal(size=(20, 4)) + shift
    np.testing.assert_allclose(kernels.rbf(X, Z, h), np.exp(-(cdist(X, Z) ** 2) / (2 * h**2)), rtol=1e-9, atol=1e-14)
    if not shift:
        np.testing.assert_allclose(kernels.rbf(X, Z, h), rbf_kernel(X, Z, gamma=1 / (2 * h**2)), rtol=1e-9, atol=1e-14)


def test_gaussian_kernel_leaves_its_arguments_alone():
    X = np.arange(6.0).reshape(3, 2)
    kernels.rbf(X, X, 1.0)
    np.testing.assert_array_equal(X, np.arange(6.0).reshape(3, 2))


def test_gradient_is_the_slope_of_the_objective(data):
    """(16.6) and (16.7)."""
    X, y = data
    K, beta = kernels.rbf(X, X, 1.0), np.random.default_rng(3).normal(size=25)
    steps = 1e-6 * np.eye(25)
    slopes = [(kernels.objective(beta + h, K, y, 0.7) - kernels.objective(beta - h, K, y, 0.7)) / 2e-6 for h in steps]
    np.testing.assert_allclose(kernels.gradient(beta, K, y, 0.7), slopes, rtol=1e-5, atol=1e-5)


def sloppy(cross=-2, between=lambda K: K @ K, penalty=lambda K: K, linear=lambda K, y: K @ y, twice=(2, 2)):
    """The derivation by someone who makes slips in one of the lines 2 to 4, and goes on from there."""

    def line_2(beta, K, y, lam):
        A, _, constant = line_3(beta, K, y, lam)
        return beta @ A @ beta, cross * beta @ K @ y, constant

    def line_3(beta, K, y, lam):
        return between(K) + lam * penalty(K), -cross / 2 * linear(K, y), y @ y

    def line_4(beta, K, y, lam):
        A, c, _ = line_3(beta, K, y, lam)
        return twice[0] * A, twice[1] * c

    def line_5(beta, K, y, lam):
        H, b = line_4(beta, K, y, lam)
        return np.linalg.solve(2 * K, H), np.linalg.solve(2 * K, b)

    return line_2, line_3, line_4, line_5


class TestTheDerivationOfKernelRidge:
    """Each line, put together, against the one before."""

    cases = tuple(args for seed in range(4) for args in checks._lines(np.random.default_rng(seed)))

    @pytest.mark.parametrize("args", cases)
    def test_lines_2_and_3_are_the_objective(self, args):
        beta = args[0]
        whole = pytest.approx(kernels.objective(*args))
        assert sum(checks._line_2(*args)) == whole
        A, c, constant = checks._line_3(*args)
        assert beta @ A @ beta - 2 * beta @ c + constant == whole
        np.testing.assert_allclose(A, A.T)

    @pytest.mark.parametrize("args", cases)
    def test_lines_4_and_5_are_the_derivative_of_line_3(self, args):
        beta, K, *_ = args
        A, c, _ = checks._line_3(*args)
        slopes = [
            ((beta + h) @ A @ (beta + h) - (beta - h) @ A @ (beta - h) - 4 * h @ c) / 2e-6
            for h in 1e-6 * np.eye(len(beta))
        ]
        (H, b), (M, z) = checks._line_4(*args), checks._line_5(*args)
        np.testing.assert_allclose(H @ beta - b, slopes, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(2 * K @ (M @ beta - z), H @ beta - b)
        np.testing.assert_allclose(kernels.gradient(*args), H @ beta - b)

    def test_every_step_holds_for_the_right_lines(self):
        """`follows` and `undo`."""
        for args in self.cases:
            for before, here in itertools.pairwise(checks.kernel_ridge_chain.lines):
                there, now = before.reference(*args), here.reference(*args)
                given, wanted = (here.undo(now, *args), there) if here.undo else (now, here.follows(there, *args))
                for one, other in zip(given, wanted, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize(
        "slip",
        [
            {"cross": -1},
            {"cross": 2},
            {"between": lambda K: K},
            {"penalty": lambda K: np.eye(len(K))},
            {"penalty": lambda K: 0 * K},
            {"twice": (1, 1)},
            {"twice": (1, 2)},
            {"twice": (2, 1)},
        ],
    )
    def test_one_slip_costs_one_point(self, slip):
        assert assess(checks.kernel_ridge_chain, sloppy(**slip)).points == 3

    @pytest.mark.parametrize(
        "slip",
        [
            {"between": lambda K: K * K},
            {"penalty": lambda K: np.eye(len(K))},
            {"linear": lambda K, y: y},
            {"linear": lambda K, y: -2 * K @ y},
        ],
    )
    def test_one_slip_in_line_3_costs_one_point(self, slip):
        assert assess(checks.kernel_ridge_chain, (checks._line_2, *sloppy(**slip)[1:])).points == 3

    def test_only_what_is_off_is_told_to_be_half(self):
        """With a c of half the size, b = 2c was told to be half of what it should be."""
        *lines, last = sloppy(cross=-1, twice=(1, 2))
        step = assess(checks.kernel_ridge_chain, (*lines, last)).steps[2]
        assert "The quadratic term lost its 2" in step.says
        assert "linear" not in step.says
        assert "Every entry" not in step.says

    def test_terms_that_are_sorted_otherwise_are_told_so(self):
        def line_4(beta, K, y, lam):
            return 2 * K @ K, 2 * K @ y - 2 * lam * K @ beta

        lines = sloppy()
        seen = assess(checks.kernel_ridge_chain, (*lines[:2], line_4, lines[3]))
        assert "all together it is right" in seen.finding.says

    def test_given_and_own_lines_again_earn_nothing(self):
        again = [checks._line_1, *(line.reference for line in checks.kernel_ridge_chain.lines[:-1])]
        assert assess(checks.kernel_ridge_chain, (checks._line_1,) * 4).points == 0
        assert assess(checks.kernel_ridge_chain, tuple(again)).points == 0


def test_penalty_is_the_length_of_theta(data):
    X, _ = data
    beta = np.random.default_rng(4).normal(size=25)
    theta = kernels.cubic_features(X).T @ beta
    np.testing.assert_allclose(beta @ kernels.cubic(X, X) @ beta, theta @ theta)


def test_fit_minimises_the_objective(data):
    """(16.8), against an optimiser that knows only (16.6)."""
    X, y = data
    K = kernels.rbf(X, X, 1.5)
    found = minimize(kernels.objective, np.zeros(25), args=(K, y, 0.5), jac=kernels.gradient, tol=1e-12).x
    np.testing.assert_allclose(K @ kernels.fit(K, y, 0.5), K @ found, atol=1e-4)


@pytest.mark.parametrize("n", [1, 25, 64, 65, 200])
def test_fit_is_scikit_learns(n):
    """In one block of the substitution, in exactly one, and in several."""
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 3)), rng.normal(size=n)
    K, new = kernels.rbf(X, X, 0.8), rng.normal(size=(7, 3))
    before = K.copy()
    beta = kernels.fit(K, y, 0.3)
    np.testing.assert_array_equal(K, before)
    peer = KernelRidge(alpha=0.3, kernel="rbf", gamma=1 / (2 * 0.8**2)).fit(X, y)
    np.testing.assert_allclose(beta, peer.dual_coef_, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(kernels.predict(beta, kernels.rbf(new, X, 0.8)), peer.predict(new), rtol=1e-8)


def test_fit_solves_the_system_for_a_function_that_is_no_kernel():
    D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    y = np.ones(5)
    np.testing.assert_allclose((D + 0.5 * np.eye(5)) @ kernels.fit(D, y, 0.5), y)


@given(lam=st.floats(1e-3, 1e3))
def test_coefficients_are_residuals_over_the_penalty(lam):
    """(16.9)."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(12, 2)), rng.normal(size=12)
    K = kernels.rbf(X, X, 1.0)
    beta = kernels.fit(K, y, lam)
    np.testing.assert_allclose(kernels.coefficients(y, K @ beta, lam), beta, rtol=1e-6, atol=1e-9 / lam)


def test_smallest_eigenvalue_is_the_least_quadratic_form():
    """(16.10), against an optimiser over the unit sphere."""
    x = np.linspace(0, 3, 6)
    K = np.exp(-((np.abs(x[:, None] - x) - 1) ** 2) / 2)
    starts = np.random.default_rng(6).normal(size=(8, 6))
    least = min(minimize(lambda v: v @ K @ v / (v @ v), v, tol=1e-12).fun for v in starts)
    np.testing.assert_allclose(kernels.smallest_eigenvalue(K), least, atol=1e-8)


@pytest.mark.parametrize("make", [lambda A, B: A + B, lambda A, B: A * B, lambda A, B: 3 * A])
def test_sums_products_and_multiples_of_kernels_are_kernels(make):
    rng = np.random.default_rng(7)
    for _ in range(20):
        X, u = rng.normal(size=(12, 3)), rng.normal(size=12)
        K = make(kernels.rbf(X, X, 0.7), kernels.cubic(X, X))
        assert kernels.smallest_eigenvalue(K) > -1e-9 * np.abs(K).max()
        assert kernels.smallest_eigenvalue(u[:, None] * K * u) > -1e-9 * np.abs(K).max()


def test_features_of_the_gaussian_add_up_to_it():
    """(16.11), and the weights by the factorial."""
    x, g = np.array([-1.3, 0.0, 0.4, 2.0]), 0.7
    Phi = kernels.rbf_features(x, g, 60)
    np.testing.assert_allclose(Phi @ Phi.T, np.exp(-g * np.subtract.outer(x, x) ** 2), atol=1e-12)
    for power in range(6):
        weight = math.sqrt((2 * g) ** power / math.factorial(power))
        np.testing.assert_allclose(Phi[:, power], weight * np.exp(-g * x**2) * x**power)
    assert kernels.rbf_features(x, g, 1).shape == (4, 1)


def test_infinite_regression_is_kernel_ridge():
    """(16.12), and against an optimiser in w for a few features."""
    rng = np.random.default_rng(8)
    x, at, g = rng.uniform(-1.5, 1.5, size=15), np.linspace(-1.5, 1.5, 20), 0.8
    y, h = np.sin(2 * x) + 0.1 * rng.normal(size=15), 1 / math.sqrt(2 * g)
    beta = kernels.fit(kernels.rbf(x[:, None], x[:, None], h), y, 1.0)
    f = kernels.predict(beta, kernels.rbf(at[:, None], x[:, None], h))
    np.testing.assert_allclose(kernels.truncated_ridge(x, y, at, g, 60), f, atol=1e-9)

    prices = np.array([math.factorial(power) / (2 * g) ** power for power in range(4)])
    psi = lambda v: np.exp(-g * v[:, None] ** 2) * v[:, None] ** np.arange(4)  # noqa: E731
    found = minimize(lambda w: np.sum((y - psi(x) @ w) ** 2) + prices @ w**2, np.zeros(4), tol=1e-14).x
    np.testing.assert_allclose(kernels.truncated_ridge(x, y, at, g, 4), psi(at) @ found, atol=1e-5)


def test_gram_features_have_the_gram_matrix():
    """(16.13), for a K of full rank and one that is singular."""
    X = np.random.default_rng(9).normal(size=(10, 2))
    for K, rank in ((kernels.rbf(X, X, 0.3), 10), (X @ X.T, 2)):
        Phi = kernels.gram_features(K)
        assert Phi.shape == (10, rank)
        np.testing.assert_allclose(Phi @ Phi.T, K, atol=1e-10)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("h", [0.3, 1.0])
def test_kernel_machine_is_scikit_learns(h, C):
    """(16.14): notebook 15's machine on the features of K, against SVC."""
    X, s = explore._rings()
    found = svm.fit(kernels.gram_features(kernels.rbf(X, X, h)), s, C)
    new = np.random.default_rng(10).normal(size=(40, 2)) * 1.5
    peer = SVC(C=C, kernel="rbf", gamma=1 / (2 * h**2), tol=1e-10).fit(X, s)
    scores = kernels.svm_score(found.alpha, s, found.b, kernels.rbf(new, X, h))
    np.testing.assert_allclose(scores, peer.decision_function(new), atol=1e-5)
    np.testing.assert_allclose(checks._score(found.alpha, s, found.b, X, new, h), scores)


def test_polynomial_machine_is_scikit_learns():
    X, s = explore._rings()
    found = svm.fit(kernels.gram_features((1 + X @ X.T) ** 2), s, 1.0)
    peer = SVC(C=1.0, kernel="poly", degree=2, gamma=1, coef0=1, tol=1e-10).fit(X, s)
    new = np.random.default_rng(11).normal(size=(40, 2))
    scores = kernels.svm_score(found.alpha, s, found.b, (1 + new @ X.T) ** 2)
    np.testing.assert_allclose(scores, peer.decision_function(new), atol=1e-5)


def test_wrong_arguments_get_one_line():
    with pytest.raises(
        ValueError, match=r"kernels.rbf: X and Z must have shapes \(n, d\) and \(m, d\), got \(4,\) and \(4,\)"
    ):
        kernels.rbf(np.ones(4), np.ones(4), 1.0)
    with pytest.raises(ValueError, match=r"kernels.cubic: X and Z must have shapes .*, got \(4, 2\) and \(3, 1\)"):
        kernels.cubic(np.ones((4, 2)), np.ones((3, 1)))
    with pytest.raises(ValueError, match=r"kernels.rbf: h must be greater than 0, got 0"):
        kernels.rbf(np.ones((4, 2)), np.ones((4, 2)), 0)
    with pytest.raises(ValueError, match=r"kernels.fit: K must have shape \(n, n\) = \(4, 4\), got \(4, 3\)"):
        kernels.fit(np.ones((4, 3)), np.ones(4), 1.0)
    with pytest.raises(ValueError, match=r"kernels.descend: y must have shape \(n,\), got \(4, 1\)"):
        next(kernels.descend(np.eye(4), np.ones((4, 1)), 1.0))
    with pytest.raises(ValueError, match=r"kernels.gram_features: K must have no negative eigenvalue, got -1"):
        kernels.gram_features(np.array([[0.0, 1.0], [1.0, 0.0]]))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    digits = load("digits")
    X, s = digits.X / 16, np.where(digits.y % 2 == 0, 1.0, -1.0)
    order = np.random.default_rng(0).permutation(1797)

    def test_counts_of_features(self):
        assert [kernels.feature_count(d) for d in (3, 64, 1000)] == [40, 266_305, 1_001_001_001]
        assert checks.feature_count.printed(3) == 31

    def test_digits_by_kernel_ridge(self):
        old, new = self.order[:500], self.order[500:]
        assert len(new) == 1297
        mistakes = []
        for options in (
            {"kernel": "poly", "degree": 1, "gamma": 1, "coef0": 1},
            {"kernel": lambda x, z: sum((x @ z) ** k for k in range(4))},
            {"kernel": "rbf", "gamma": 1 / (2 * 1.5**2)},
        ):
            f = KernelRidge(alpha=1.0, **options).fit(self.X[old], self.s[old]).predict(self.X[new])
            mistakes.append(int(np.sum(self.s[new] * f <= 0)))
        assert mistakes == [124, 18, 22]

    def test_digits_by_a_machine(self):
        old, new = self.order[:200], self.order[200:]
        peer = SVC(C=1.0, gamma=1 / (2 * 1.5**2), tol=1e-8).fit(self.X[old], self.s[old])
        assert len(new) == 1597
        assert np.sum(self.s[new] * peer.decision_function(self.X[new]) <= 0) == 56
        assert len(peer.support_) == 123

    def test_bandwidth(self):
        curve = explore.Bandwidth()
        middle, low = (curve.compute(h=10**-0.5, lam=lam) for lam in (1e-2, 1e-6))
        assert [round(middle.loss, 2), round(middle.error, 3)] == [0.05, 0.049]
        assert [round(low.loss, 3), round(low.error, 2)] == [0.025, 0.84]
        spikes = curve.compute(h=1e-2, lam=1e-2)
        far = np.abs(curve.at - curve.x[:, 0]).min(axis=1) > 0.05
        assert np.abs(spikes.curve[far]).max() < 1e-3
        line = curve.compute(h=10**1.5, lam=1e-2).curve
        assert np.abs(np.diff(line, 2)).max() < 1e-2 * np.abs(np.diff(line)).max()

    def test_penalty_of_a_copy(self):
        K = np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 1]])
        for beta in np.random.default_rng(12).normal(size=(5, 3)):
            np.testing.assert_allclose(beta @ K @ beta, (beta[0] + beta[1]) ** 2 + beta[2] ** 2)
        x = np.array([[0.0], [0.0], [9.0]])
        np.testing.assert_allclose(kernels.rbf(x, x, 1.0), K, atol=1e-15)

    def test_verdicts(self):
        points = np.linspace(-0.9, 0.9, 8)
        x, z = points[:, None], points
        grams = (
            np.exp(-((x - z) ** 2) / 2) * (1 + x * z),
            x * z + np.exp(-((x - z) ** 2) / 2),
            np.exp(-((np.abs(x - z) - 1) ** 2) / 2),
            np.abs(x - z),
            np.sqrt(1 + x * z),
            1 / (1 + np.exp(-2 * (x * z - 1))),
        )
        least = np.array([min(np.linalg.eigvals(K).real) for K in grams])
        largest = np.array([max(np.linalg.eigvals(K).real) for K in grams])
        np.testing.assert_array_equal(least > -1e-9, checks.mercer_verdicts.reference)
        assert np.all(least[2:] / largest[2:] < -1e-4)  # ten orders of magnitude beyond rounding

    def test_truncation(self):
        state = explore.Truncation().compute(m=3, z=-0.5)
        assert [f"{state.errors[m - 1]:.1e}" for m in (1, 3, 6)] == ["2.3e-01", "1.4e-02", "2.1e-05"]

    def test_machine_on_the_ring(self):
        ring = explore.Machine()
        assert ring.compute("p = 1", 1.0).wrong == 19
        assert ring.compute("h = 0.2", 1.0).support == 37
        assert len(ring.s) == 44

    def test_distance_pays(self):
        K, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones(2)
        assert kernels.objective(np.array([10.0, -10.0]), K, y, 2.0) == -198
        values = [kernels.objective(np.array([t, -t]), K, y, 2.0) for t in (10.0, 100.0, 1000.0)]
        assert values[0] > values[1] > values[2]


def _ridge(x, y, at, g, m):
    """(16.12), by features that are written out."""
    k = np.arange(m)
    Phi, new = (np.exp(-g * v**2)[:, None] * v[:, None] ** k * np.sqrt((2 * g) ** k / factorial(k)) for v in (x, at))
    return new @ np.linalg.solve(Phi.T @ Phi + np.eye(m), Phi.T @ y)


def _score(b_of, h_of):
    """(16.14) with another b and another h."""

    def answer(alpha, s, b, X, X_new, h):
        squares = np.sum((X_new[:, None] - X) ** 2, axis=2)
        return np.exp(-squares / (2 * h_of(b, h) ** 2)) @ (alpha * s) + b_of(b, h)

    return answer


class TestAnswersOfStrangers:
    """Wrong answers that some draws or all of them accepted."""

    @pytest.mark.parametrize(
        ("answer", "seeds"),
        [
            (lambda x, y, at, g, m: np.abs(_ridge(x, y, at, g, m)), (0, 54)),
            (lambda x, y, at, g, m: np.maximum(_ridge(x, y, at, g, m), 0), (0, 54)),
            (lambda x, y, at, g, m: _ridge(np.minimum(x, y), np.maximum(x, y), at, g, m), (24, 32)),
            (lambda x, y, at, g, m: _ridge(x, y, at, g, m - m % 2), (0, 1)),
        ],
        ids=["|f|", "max(f, 0)", "x below y", "m even"],
    )
    def test_a_fit_has_both_signs(self, answer, seeds):
        assert all(assess(checks.truncated_ridge, (_ridge,), seed).right for seed in seeds)
        assert not any(assess(checks.truncated_ridge, (answer,), seed).right for seed in seeds)

    @pytest.mark.parametrize(
        ("answer", "seeds"),
        [
            (_score(lambda b, h: abs(b), lambda b, h: h), (0, 1)),
            (_score(lambda b, h: max(b, 0), lambda b, h: h), (0, 1)),
            (_score(min, max), (10, 36)),
        ],
        ids=["|b|", "max(b, 0)", "b below h"],
    )
    def test_a_bias_of_either_sign_and_any_size(self, answer, seeds):
        wrong_at = ([1.0], [1.0], 0.0, [[0.0]], [[1.0]], 1.0)
        assert all(
            assess(checks.kernel_score, (_score(lambda b, h: b, lambda b, h: h), wrong_at), seed).right
            for seed in seeds
        )
        assert not any(assess(checks.kernel_score, (answer, wrong_at), seed).right for seed in seeds)

    @pytest.mark.parametrize("seed", range(2))
    def test_a_gram_matrix_has_negative_entries(self, seed):
        answer = (lambda K, y, lam: np.linalg.solve(np.abs(K) + lam * np.eye(len(y)), y),)
        assert not assess(checks.kernel_ridge_fit, answer, seed).right

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, 1, lambda beta, K, y, lam: beta @ K @ y, "The −2 of the cross term is missing"),
            (2, 1, lambda beta, K, y, lam: -2 * beta @ y, "lost its K"),
            (2, 2, lambda beta, K, y, lam: np.sum(y), "the sum of the squares"),
            (3, 0, lambda beta, K, y, lam: K + lam * K, "one got lost"),
            (3, 0, lambda beta, K, y, lam: K + lam * np.eye(len(y)), "one K got lost in each"),
            (3, 0, lambda beta, K, y, lam: K @ K + lam, "every entry of KK"),
            (4, 1, lambda beta, K, y, lam: 2 * y, "b has lost its K"),
            (4, 0, lambda beta, K, y, lam: 2 * K @ K + 2 * lam * np.eye(len(y)), "The penalty has lost its K"),
            (5, 0, lambda beta, K, y, lam: 2 * K @ K + 2 * lam * K, "still the H of line 4"),
            (5, 0, lambda beta, K, y, lam: K @ K + lam * K, "Only the 2"),
            (5, 0, lambda beta, K, y, lam: (K @ K + lam * K) / K, "entry by entry"),
        ],
    )
    def test_a_slip_in_a_line_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.kernel_ridge_chain.lines]
        lines[line - 2] = but(lines[line - 2], part, slip)
        assert told in assess(checks.kernel_ridge_chain, tuple(lines)).finding.says
