"""mlcore.pca against independent oracles: optimisers, finite differences, explicit features, scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.decomposition import PCA, KernelPCA

from mlcore import pca
from mlcore.checks import pca as checks
from mlcore.data import load
from mlcore.engine.exercises import but
from mlcore.engine.exercises.assess import assess
from mlcore.explore import pca as explore
from tests.strangers import verdict


@pytest.fixture(params=[(40, 5), (6, 9)], ids=["tall", "wide"])
def X(request):
    rng = np.random.default_rng(0)
    n, d = request.param
    return rng.normal(size=(n, d)) * 2.0 ** -np.arange(d) @ rng.normal(size=(d, d)) + 5 * rng.normal(size=d)


def orthonormal(seed, d, K):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, K)))[0]


def same_up_to_sign(A, B, **tolerance):
    signs = np.sign(np.sum(A * B, axis=0))
    np.testing.assert_allclose(A * signs, B, **tolerance)


def test_the_code_is_the_nearest_point_of_the_subspace(X):
    """(23.1), against an optimiser over codes."""
    U, mu = orthonormal(1, X.shape[1], 2), X.mean(axis=0)
    found = minimize(lambda z: np.sum((mu + U @ z - X[0]) ** 2), np.zeros(2), tol=1e-12).x
    np.testing.assert_allclose(pca.encode(X, U, mu)[0], found, atol=1e-5)
    left = X - pca.decode(pca.encode(X, U, mu), U, mu)
    np.testing.assert_allclose(left @ U, 0, atol=1e-10)


def test_covariance_is_the_mean_of_outer_products(X):
    """(23.2)."""
    np.testing.assert_allclose(pca.covariance(X), np.cov(X.T, bias=True))
    np.testing.assert_allclose(pca.covariance(X), sum(np.outer(x, x) for x in X - X.mean(axis=0)) / len(X))


@given(seed=st.integers(0, 1000), K=st.integers(1, 4))
def test_error_is_the_distance_to_the_reconstructions(seed, K):
    """(23.3), and Pythagoras for every point."""
    rng = np.random.default_rng(seed)
    X, U = rng.normal(size=(12, 5)) + 3, orthonormal(seed, 5, K)
    mu = X.mean(axis=0)
    Z = pca.encode(X, U, mu)
    left = X - pca.decode(Z, U, mu)
    np.testing.assert_allclose(pca.error(X, U), np.mean(np.sum(left**2, axis=1)), atol=1e-10)
    squares = [np.sum(A**2, axis=1) for A in (X - mu, Z, left)]
    np.testing.assert_allclose(squares[0], squares[1] + squares[2])
    np.testing.assert_allclose(pca.decode(Z, U, mu).mean(axis=0), mu)


def test_slope_is_that_of_the_variance_on_the_sphere(X):
    """(23.4), by differences of the variance of the unit vector u + h."""
    S = pca.covariance(X)
    u = orthonormal(2, len(S), 1)[:, 0]

    def variance(v):
        return v @ S @ v / (v @ v)

    slopes = [(variance(u + h) - variance(u - h)) / 2e-6 for h in 1e-6 * np.eye(len(u))]
    np.testing.assert_allclose(pca.slope(u, S), slopes, atol=1e-5 * np.abs(S).max())
    np.testing.assert_allclose(pca.slope(u, S) @ u, 0, atol=1e-9)
    np.testing.assert_allclose(pca.slope(pca.axes(X, 1)[:, 0], S), 0, atol=1e-9 * np.abs(S).max())


def test_axes_are_scikit_learns(X):
    """(23.5) and (23.6)."""
    peer = PCA(3).fit(X)
    same_up_to_sign(pca.axes(X, 3), peer.components_.T, atol=1e-8)
    back = peer.inverse_transform(peer.transform(X))
    np.testing.assert_allclose(pca.dropped(X, 3), np.mean(np.sum((X - back) ** 2, axis=1)))
    np.testing.assert_allclose(pca.error(X, pca.axes(X, 3)), pca.dropped(X, 3), atol=1e-9)


@given(seed=st.integers(0, 10_000))
def test_no_other_axes_keep_more_variance(seed):
    """(23.5): Ky Fan, on random subspaces."""
    X = load("iris").X
    S, U = pca.covariance(X), orthonormal(seed, 4, 2)
    assert np.trace(U.T @ S @ U) <= np.sum(pca.spectrum(X)[:2]) + 1e-12
    weights = np.sum((U.T @ np.linalg.eigh(S)[1]) ** 2, axis=0)
    assert weights.min() >= 0
    assert weights.max() <= 1 + 1e-12
    np.testing.assert_allclose(weights.sum(), 2)


def test_scores_are_uncorrelated(X):
    Z = pca.encode(X, pca.axes(X, 3), X.mean(axis=0))
    np.testing.assert_allclose(np.cov(Z.T, bias=True), np.diag(pca.spectrum(X)[:3]), atol=1e-9)


def test_spectrum_is_that_of_the_covariance(X):
    """(23.7)."""
    eigenvalues = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    np.testing.assert_allclose(pca.spectrum(X), eigenvalues[: min(X.shape)], atol=1e-10)


def test_gram_is_centred_as_the_features_are():
    """(23.8), with the features of (1 + xᵀx')² written out."""
    X = np.random.default_rng(3).normal(size=(8, 2)) + 1
    G = (1 + X @ X.T) ** 2
    x, y = X.T
    features = np.column_stack([x**2, y**2, *(np.sqrt(2) * f for f in (x * y, x, y)), np.ones(8)])
    np.testing.assert_allclose(features @ features.T, G)
    centred = features - features.mean(axis=0)
    np.testing.assert_allclose(pca.centred_gram(G), centred @ centred.T, atol=1e-10)


def test_gaussian_kernel():
    A, B = np.random.default_rng(4).normal(size=(2, 5, 3))
    naive = [[np.exp(-np.sum((a - b) ** 2) / (2 * 0.7**2)) for b in B] for a in A]
    np.testing.assert_allclose(pca.gaussian(A, B, 0.7), naive)


def test_linear_kernel_gives_the_scores_of_pca(X):
    """(23.9)."""
    same_up_to_sign(pca.kernel_scores(X @ X.T, 3), PCA(3).fit_transform(X), atol=1e-7)


def test_kernel_scores_are_scikit_learns():
    """(23.9) and (23.10), with a Gaussian kernel and new points."""
    rng = np.random.default_rng(5)
    X, new = rng.normal(size=(20, 3)) * [3, 2, 1], rng.normal(size=(4, 3))
    G, kappa = pca.gaussian(X, X, 2.0), pca.gaussian(new, X, 2.0)
    peer = KernelPCA(3, kernel="rbf", gamma=1 / 8).fit(X)
    same_up_to_sign(pca.kernel_scores(G, 3), peer.transform(X), atol=1e-7)
    alpha = pca.kernel_axes(G, 3)
    same_up_to_sign(pca.kernel_new(kappa, G, alpha), peer.transform(new), atol=1e-7)
    np.testing.assert_allclose(pca.kernel_new(kappa[0], G, alpha), pca.kernel_new(kappa, G, alpha)[0])


def test_axes_in_feature_space_have_length_one():
    X = np.random.default_rng(6).normal(size=(12, 4)) + 2
    alpha = pca.kernel_axes(X @ X.T, 3)
    axes = (X - X.mean(axis=0)).T @ alpha
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-9)


def test_autoencoder_steps_down_the_slope():
    """The gradient in (23.11), by finite differences of the loss."""
    rng = np.random.default_rng(7)
    X, E, D = rng.normal(size=(10, 3)) + 1, rng.normal(size=(3, 2)), rng.normal(size=(2, 3))
    _, (E_next, D_next) = pca.autoencoder(X, E, D, eta=1.0, steps=1)

    def slope(f, A):
        steps = 1e-6 * np.eye(A.size).reshape(A.size, *A.shape)
        return np.array([(f(A + h) - f(A - h)) / 2e-6 for h in steps]).reshape(A.shape)

    np.testing.assert_allclose(E - E_next, slope(lambda A: pca.autoencoder_loss(X, A, D), E), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(D - D_next, slope(lambda A: pca.autoencoder_loss(X, E, A), D), rtol=1e-5, atol=1e-6)


@given(seed=st.integers(0, 1000))
def test_no_autoencoder_beats_the_dropped_eigenvalues(seed):
    """(23.11): a lower bound for every E and D, also for the best D of a random E."""
    rng = np.random.default_rng(seed)
    X = load("iris").X
    Xc = X - X.mean(axis=0)
    E = rng.normal(size=(4, 2))
    D = np.linalg.lstsq(Xc @ E, Xc, rcond=None)[0]
    assert pca.autoencoder_loss(X, E, D) >= pca.dropped(X, 2) - 1e-12


def test_optimal_centre_minimises_the_error():
    """(23.12), against an optimiser."""
    rng = np.random.default_rng(8)
    X, U, Z = rng.normal(size=(20, 3)) + np.arange(4, 7), orthonormal(8, 3, 2), rng.normal(size=(20, 2)) + 1
    found = minimize(lambda mu: np.sum((mu + Z @ U.T - X) ** 2), np.zeros(3), tol=1e-12).x
    np.testing.assert_allclose(pca.optimal_centre(X, U, Z), found, atol=1e-5)
    c = np.array([2.0, -1.0])
    np.testing.assert_allclose(pca.optimal_centre(X, U, Z + c), pca.optimal_centre(X, U, Z) - U @ c)


def slope_of(f, u, h=1e-5):
    return np.array([(f(u + step) - f(u - step)) / (2 * h) for step in h * np.eye(len(u))])


class TestDerivations:
    """The lines of both derivations, put together again."""

    tables = staticmethod(lambda: [args for seed in range(4) for args in checks._with_U(np.random.default_rng(seed))])
    directions = staticmethod(
        lambda: [args for seed in range(4) for args in checks._directions(np.random.default_rng(seed))]
    )

    def test_every_line_from_the_error_has_the_value_of_line_1(self):
        for X, U in self.tables():
            value = checks._line_1(X, U)
            np.testing.assert_allclose(sum(checks._line_2(X, U)), value)
            np.testing.assert_allclose(sum(map(np.trace, checks._line_3(X, U))), value)
            variables, axes = checks._line_4(X, U)
            np.testing.assert_allclose(variables.sum() - axes.sum(), value)

    def test_every_line_from_the_variance_is_the_slope_of_the_one_before(self):
        for u, lam, X in self.directions():
            A, constant = checks._axis_line_2(u, lam, X)
            np.testing.assert_allclose(u @ A @ u + constant, checks._axis_line_1(u, lam, X))
            v = 1.3 * u + 0.2
            np.testing.assert_allclose(v @ A @ v + constant, checks._axis_line_1(v, lam, X))
            H = checks._axis_line_3(u, lam, X)
            np.testing.assert_allclose(H @ v, slope_of(lambda a, A=A: a @ A @ a, v), rtol=1e-6, atol=1e-6)
            along, across = checks._axis_line_4(u, lam, X)
            np.testing.assert_allclose(along * u + across, H @ u, atol=1e-9)
            np.testing.assert_allclose(across @ u, 0, atol=1e-9)
            np.testing.assert_allclose(across, pca.slope(u, pca.covariance(X)), atol=1e-9)

    def test_the_references_follow_from_each_other(self):
        _, inside, variances = checks.error_and_variance.lines
        for args in self.tables():
            np.testing.assert_allclose(inside.undo(checks._line_3(*args), *args), checks._line_2(*args))
            for here, right in zip(variances.follows(checks._line_3(*args), *args), checks._line_4(*args), strict=True):
                np.testing.assert_allclose(here, right)
        _, slope, split = checks.axis_slope.lines
        for args in self.directions():
            H = checks._axis_line_3(*args)
            np.testing.assert_allclose(slope.follows(checks._axis_line_2(*args), *args), H)
            for here, right in zip(split.follows(H, *args), checks._axis_line_4(*args), strict=True):
                np.testing.assert_allclose(here, right, atol=1e-9)


def test_wrong_arguments_get_one_line():
    with pytest.raises(ValueError, match=r"pca.covariance: X must have shape \(n, d\), got \(30,\)"):
        pca.covariance(np.ones(30))
    with pytest.raises(ValueError, match=r"pca.axes: K must be between 0 and 2, got 3"):
        pca.axes(np.ones((30, 2)), 3)
    with pytest.raises(ValueError, match=r"pca.centred_gram: G must have shape \(n, n\), got \(3, 2\)"):
        pca.centred_gram(np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"pca.kernel_new: kappa must have n = 3 entries a point, got \(4,\)"):
        pca.kernel_new(np.ones(4), np.eye(3), np.ones((3, 1)))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_the_cross(self):
        cross = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        np.testing.assert_allclose(pca.covariance(cross), np.diag([2, 0.5]))
        for b in (1.0, 3.0):
            moved = cross + np.array([0.0, b])
            np.testing.assert_allclose(moved.T @ moved / 4, np.diag([2, 0.5 + b**2]))

    def test_two_numbers_part_the_digits(self):
        state = explore.Digits().compute()
        assert state.scores > 0.9 > 0.75 > state.pixels
        assert load("digits").X.shape == (1797, 64)

    def test_the_best_and_the_worst_angle(self):
        axis = explore.Axis()
        assert round(axis.total, 2) == 3.78
        assert axis.angles[np.argmax(axis.curve)] == 67
        assert axis.angles[np.argmin(axis.curve)] == 157

    def test_a_rotation_has_no_real_eigenvalue(self):
        assert np.all(np.linalg.eigvals(np.array([[0.0, -1.0], [1.0, 0.0]])).imag != 0)

    def test_the_digits_need_21_numbers(self):
        scree = explore.Scree()
        kept = [scree.compute(K).kept for K in range(65)]
        assert round(kept[5], 3) == 0.545
        assert round(kept[10], 2) == 0.74
        assert kept[20] < 0.9 < kept[21]
        np.testing.assert_allclose(scree.compute(0).redrawn, np.tile(scree.mean, (10, 1)))
        X = load("digits").X
        assert np.sum(scree.lam < 1e-9) == np.sum(np.all(X == 0, axis=0)) == 3
        rim = np.pad(np.zeros((6, 6), bool), 1, constant_values=True).ravel()
        assert np.all(rim[np.all(X == 0, axis=0)])

    def test_the_uncentred_axis_of_the_flowers_is_the_mean_flower(self):
        X = load("iris").X
        v = np.linalg.eigh(X.T @ X)[1][:, -1]
        mean = X.mean(axis=0) / np.linalg.norm(X.mean(axis=0))
        angles = [np.degrees(np.arccos(abs(v @ u))) for u in (mean, pca.axes(X, 1)[:, 0])]
        assert [round(a) for a in angles] == [2, 42]

    def test_the_rings_part_at_middle_widths(self):
        rings = explore.Rings()
        told = {round(h, 1): rings.compute(h) for h in rings.h.grid(21)}
        assert [h for h, state in told.items() if state.told_apart == 1] == [0.8, 1.0, 1.3]
        assert round(rings.compute(0.1).share, 2) == 0.04

    def test_the_autoencoder_reaches_the_bound(self):
        X, rng = load("iris").X, np.random.default_rng(0)
        E, D = 0.1 * rng.normal(size=(4, 2)), 0.1 * rng.normal(size=(2, 4))
        *_, (E, D) = pca.autoencoder(X, E, D, eta=0.1, steps=2000)
        U = pca.axes(X, 2)
        np.testing.assert_allclose(pca.autoencoder_loss(X, E, D), pca.dropped(X, 2), rtol=1e-5)
        np.testing.assert_allclose(E @ D, U @ U.T, atol=1e-3)
        M = np.array([[1.0, 2.0], [0.0, 3.0]])
        np.testing.assert_allclose(
            pca.autoencoder_loss(X, E @ M, np.linalg.inv(M) @ D), pca.autoencoder_loss(X, E, D), rtol=1e-6
        )


RAISED = np.array([[2.0, 3.0], [-2.0, 3.0], [0.0, 4.0], [0.0, 2.0]])


class TestAnswersOfStrangers:
    """Right answers that were refused, wrong ones that were accepted."""

    @pytest.mark.parametrize(
        "table",
        [
            [[1, 10], [-1, 10]],
            1e-7 * RAISED,
            1e-200 * RAISED,
            1e200 * RAISED,
            [[1.05, 9], [-1.05, 9], [0, 10], [0, 8]],
        ],
        ids=["two points", "small", "tiny", "huge", "nearly round"],
    )
    def test_clouds_whose_axis_turns(self, table):
        assert verdict(checks.wrong_axis, table).points == 1

    def test_without_centring_no_axis_is_the_first(self):
        """XᵀX is a multiple of I here: rounding would choose its axis."""
        table = [[2, 1], [-2, 1], [1, 2], [-1, 2], [0, 0]]
        assert verdict(checks.wrong_axis, table).finding.says == checks._TOO_NEAR

    @pytest.mark.parametrize("seed", [13, 28])
    def test_products_below_zero_in_every_gram_matrix(self, seed):
        careless = lambda G, K: pca.kernel_scores(np.abs(G), K)  # noqa: E731
        assert not verdict(checks.kernel_pca_scores, careless, seed=seed).points

    @pytest.mark.parametrize("seed", [8, 14, 20])
    def test_products_below_zero_for_every_new_point(self, seed):
        careless = lambda kappa, G, alpha: pca.kernel_new(np.abs(kappa), G, alpha)  # noqa: E731
        assert not verdict(checks.kernel_pca_new, careless, seed=seed).points

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, 1, lambda X, U: checks._kept(X, U), "lost its −2"),
            (2, 1, lambda X, U: 0.0, "cross term is missing"),
            (2, None, lambda X, U: (checks._total(X), 0.0, -checks._kept(X, U)), "added up here already"),
            (2, 2, lambda X, U: checks._line_1(X, U), "the whole bracket"),
            (3, 1, lambda X, U: 2 * checks._inside(X, U), "has a plus"),
            (3, 2, lambda X, U: -checks._inside(X, U), "has a minus"),
            (3, 2, lambda X, U: 0 * checks._inside(X, U), "does not make it zero"),
            (3, 2, lambda X, U: 2 * checks._inside(X, U), "comes once"),
            (3, None, lambda X, U: (np.cov(X.T, bias=True), -2 * U.T @ U, U.T @ U), "S is lost"),
            (4, 0, lambda X, U: np.linalg.eigvalsh(np.cov(X.T, bias=True)), "eigenvalues of S"),
            (4, 1, lambda X, U: X.var(axis=0)[: U.shape[1]], "of the codes"),
            (4, None, lambda X, U: (np.mean(X**2, axis=0), np.mean((X @ U) ** 2, axis=0)), "about the mean"),
        ],
    )
    def test_a_slip_in_the_error_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.error_and_variance.lines]
        right = lines[line - 2]
        lines[line - 2] = slip if part is None else but(right, part, slip)
        assert told in assess(checks.error_and_variance, tuple(lines)).finding.says

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, 1, lambda u, lam, X: 0.0, "The constant is missing"),
            (2, 1, lambda u, lam, X: 1.0, "lost its λ"),
            (2, 0, lambda u, lam, X: np.cov(X.T) - lam * np.eye(len(u)), "n − 1"),
            (2, 0, lambda u, lam, X: np.cov(X.T, bias=True) - lam * np.outer(u, u), "fourth order"),
            (3, None, lambda u, lam, X: 2 * np.cov(X.T, bias=True) - 2 * lam, "every entry"),
            (3, None, lambda u, lam, X: checks._axis_line_3(u, lam, X) @ np.outer(u, u), "still in H"),
            (4, 1, lambda u, lam, X: 0 * u, "any unit vector"),
            (4, None, lambda u, lam, X: (-2 * lam, 2 * np.cov(X.T, bias=True) @ u), "two terms of the slope"),
        ],
    )
    def test_a_slip_in_the_slope_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.axis_slope.lines]
        right = lines[line - 2]
        lines[line - 2] = slip if part is None else but(right, part, slip)
        assert told in assess(checks.axis_slope, tuple(lines)).finding.says
