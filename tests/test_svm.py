"""mlcore.svm against independent oracles: scikit-learn, constrained optimisers, brute force, finite differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import SVC

from mlcore import svm
from mlcore.checks import svm as checks
from mlcore.engine.exercises.assess import assess
from mlcore.explore import svm as explore


def problem(seed, n=20, d=2, apart=1.0):
    """Two classes on a grid of eighths, where the single-precision inner products of libsvm are exact."""
    rng = np.random.default_rng(seed)
    s = np.where(np.arange(n) < max(1, n // 3), 1.0, -1.0)
    X = rng.normal(size=(n, d)) + apart * s[:, None] * rng.normal(size=d) + rng.normal(size=d)
    return np.round(8 * X) / 8, s


def allowed(seed, s, C):
    """An α with 0 ≤ α ≤ C and Σ αs = 0."""
    alpha = np.random.default_rng(seed).uniform(0, C, size=len(s))
    plus, minus = alpha[s > 0].sum(), alpha[s < 0].sum()
    return np.where(s > 0, alpha * min(1, minus / plus), alpha * min(1, plus / minus))


def scores(found, X, s):
    return s * (X @ found.w + found.b)


def test_distance_is_that_of_the_nearest_point_of_the_line():
    """(15.1), against many points of the line."""
    rng = np.random.default_rng(0)
    X, w, b = rng.normal(size=(5, 2)), np.array([3.0, -4.0]), 2.0
    along = np.linspace(-20, 20, 400_001)[:, None] * np.array([4.0, 3.0]) / 5
    line = -b * w / (w @ w) + along
    nearest = [np.min(np.linalg.norm(line - x, axis=1)) for x in X]
    np.testing.assert_allclose(svm.distance(X, w, b), nearest, atol=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_hard_margin_solves_its_problem(seed):
    """(15.2), against a constrained optimiser and against every direction in the plane."""
    X, s = problem(seed, n=14)
    X = X + 3 * s[:, None]
    found = svm.fit(X, s)
    bounds = {"type": "ineq", "fun": lambda v: s * (X @ v[:2] + v[2]) - 1}
    peer = minimize(lambda v: v[:2] @ v[:2] / 2, [1, 1, 0], constraints=bounds, tol=1e-14, options={"maxiter": 500}).x
    np.testing.assert_allclose(np.append(found.w, found.b), peer, atol=1e-5)
    angles = np.linspace(0, 2 * np.pi, 20_001)
    places = X @ np.array([np.cos(angles), np.sin(angles)])
    widest = np.max(places[s > 0].min(axis=0) - places[s < 0].max(axis=0))
    assert 0.9999 < widest * np.linalg.norm(found.w) / 2 < 1 + 1e-9
    assert np.min(scores(found, X, s)) == pytest.approx(1)


@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
def test_soft_margin_solves_its_problem(C):
    """(15.3), against an optimiser that has the slacks as variables."""
    X, s = problem(3, n=12)
    found = svm.fit(X, s, C)
    bounds = [
        {"type": "ineq", "fun": lambda v: s * (X @ v[:2] + v[2]) - 1 + v[3:]},
        {"type": "ineq", "fun": lambda v: v[3:]},
    ]
    start = np.append([0.1, 0.1, 0.0], np.full(12, 2.0))
    peer = minimize(
        lambda v: v[:2] @ v[:2] / 2 + C * np.sum(v[3:]), start, constraints=bounds, tol=1e-14, options={"maxiter": 500}
    )
    np.testing.assert_allclose(svm.primal(found.w, found.b, X, s, C), peer.fun, rtol=1e-6)
    np.testing.assert_allclose(found.w, peer.x[:2], atol=1e-4)
    np.testing.assert_allclose(svm.slacks(found.w, found.b, X, s), peer.x[3:], atol=1e-4)


def test_penalty_gives_the_same_minimiser():
    """(15.4): no step away from the solution lowers Σξ + λ‖w‖²."""
    X, s = problem(4, apart=0.3)
    for C in (0.1, 0.5, 2.0):
        found, lam = svm.fit(X, s, C), svm.penalty(C)

        def hinge_form(w, b, lam=lam):
            return np.sum(np.maximum(0, 1 - s * (X @ w + b))) + lam * w @ w

        best = hinge_form(found.w, found.b)
        steps = np.random.default_rng(5).normal(size=(500, 3)) * np.geomspace(1e-4, 1, 500)[:, None]
        assert all(hinge_form(found.w + h[:2], found.b + h[2]) >= best - 1e-9 for h in steps)
        half = svm.fit(X, s, C / 2)  # the minimiser for 2λ = 1/C, which is not that for λ
        assert hinge_form(half.w, half.b, lam=2 * lam) < hinge_form(found.w, found.b, lam=2 * lam) - 1e-6
        assert hinge_form(half.w, half.b) > best + 1e-6


def test_dual_is_the_minimum_of_the_lagrangian():
    """(15.5) to (15.7), against an optimiser over w and a plain double sum."""
    X, s = problem(6, n=9, d=3)
    C = 1.5
    alpha = allowed(7, s, C)
    rng = np.random.default_rng(8)
    for _ in range(3):  # b and ξ no longer matter
        b, xi = rng.normal(), rng.uniform(0, 2, size=9)
        peer = minimize(svm.lagrangian, np.zeros(3), args=(b, xi, alpha, C - alpha, X, s, C), tol=1e-12)
        np.testing.assert_allclose(svm.dual(alpha, X, s), peer.fun, rtol=1e-8)
        np.testing.assert_allclose(svm.weights(alpha, X, s), peer.x, atol=1e-5)
    double = sum(alpha[i] * alpha[j] * s[i] * s[j] * (X[i] @ X[j]) for i in range(9) for j in range(9))
    np.testing.assert_allclose(svm.dual(alpha, X, s), alpha.sum() - double / 2)


def test_lagrangian_is_below_the_primal_where_the_constraints_hold():
    """(15.5)."""
    X, s = problem(9)
    rng = np.random.default_rng(10)
    for _ in range(50):
        w, b, C = rng.normal(size=2), rng.normal(), rng.uniform(0.1, 5)
        alpha, mu = rng.uniform(0, 3, size=(2, 20))
        xi = svm.slacks(w, b, X, s)
        assert svm.lagrangian(w, b, xi, alpha, mu, X, s, C) <= svm.primal(w, b, X, s, C) + 1e-9


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("apart", [0.0, 0.5, 1.0, 3.0])
def test_fit_is_scikit_learns(d, apart):
    """Dual objective, w and b (15.6), (15.7), (15.9), on separable and on overlapping classes."""
    rng = np.random.default_rng(11)
    for seed in range(8):
        X, s = problem(100 * d + seed, int(rng.integers(4, 45)), d, apart)
        C = 10 ** rng.uniform(-2, 2.5)
        found = svm.fit(X, s, C)
        peer = SVC(kernel="linear", C=C, tol=1e-10).fit(X, s)
        alpha = np.zeros(len(s))
        alpha[peer.support_] = np.abs(peer.dual_coef_[0])
        np.testing.assert_allclose(svm.dual(found.alpha, X, s), svm.dual(alpha, X, s), rtol=1e-8)
        np.testing.assert_allclose(found.w, peer.coef_[0], rtol=1e-6, atol=1e-8)
        low, high = svm.bias_interval(found.alpha, X, s, C)
        assert low - 1e-6 <= peer.intercept_[0] <= high + 1e-6
        if np.any((found.alpha > 0) & (found.alpha < C)):
            np.testing.assert_allclose(found.b, peer.intercept_[0], rtol=1e-6, atol=1e-6)


def test_fit_ends_at_the_solution_for_many_points_too():
    """Hundreds of steps, with more free α than dimensions on the way: the gap closes (15.10)."""
    rng = np.random.default_rng(0)
    s = np.repeat([1.0, -1.0], 500)
    X = rng.normal(size=(1000, 5)) + 0.5 * s[:, None]
    found = svm.fit(X, s, 1.0)
    assert abs(found.alpha @ s) < 1e-9
    assert abs(svm.gap(found.alpha, found.b, X, s, 1.0)) < 1e-9


def test_fit_survives_points_that_coincide():
    rng = np.random.default_rng(1)
    for C in (0.1, 3.0):
        X, s = rng.integers(-1, 2, size=(40, 2)).astype(float), rng.choice([-1.0, 1.0], size=40)
        found = svm.fit(X, s, C)
        assert abs(svm.gap(found.alpha, found.b, X, s, C)) < 1e-9


@pytest.mark.parametrize("C", [0.3, 5.0])
def test_fit_gram_needs_inner_products_only(C):
    X, s = problem(3, n=60)
    squares = np.sum((X[:, None] - X) ** 2, axis=2)
    for K in (X @ X.T, np.exp(-squares)):
        alpha, b = svm.fit_gram(K, s, C)
        peer = SVC(kernel="precomputed", C=C, tol=1e-10).fit(K, s)
        np.testing.assert_allclose(K @ (alpha * s) + b, peer.decision_function(K), atol=1e-6)


@pytest.mark.parametrize("C", [0.02, 0.5, 7.0, 300.0])
def test_solution_satisfies_every_condition(C):
    """(15.8) and the constraints of (15.7); Σα(1 − sf) = Σαξ, which is not 0."""
    for seed in range(10):
        X, s = problem(seed, n=30)
        found = svm.fit(X, s, C)
        z = scores(found, X, s)
        assert found.alpha.min() >= 0
        assert found.alpha.max() <= C
        np.testing.assert_allclose(found.alpha @ s, 0, atol=1e-9 * C)
        np.testing.assert_allclose(svm.slackness(found.alpha, z, C), 0, atol=1e-8 * C)
        xi = np.maximum(0, 1 - z)
        np.testing.assert_allclose(found.alpha @ (1 - z), found.alpha @ xi, atol=1e-7 * C)
        assert np.all(found.alpha[xi > 1e-6] == C)
        assert found.alpha @ xi > 0


@pytest.mark.parametrize("seed", range(20))
def test_gap_is_the_sum_of_the_products(seed):
    """(15.10), at any α that the dual allows."""
    X, s = problem(seed, n=15, d=3)
    C = 2.0
    alpha, b = allowed(seed, s, C), np.random.default_rng(seed).normal()
    z = s * (X @ svm.weights(alpha, X, s) + b)
    np.testing.assert_allclose(svm.gap(alpha, b, X, s, C), np.sum(svm.slackness(alpha, z, C)))
    assert svm.gap(alpha, b, X, s, C) > 0


def test_interval_of_b_is_where_the_primal_is_flat():
    """(15.11), against the primal on a grid of b; the middle is taken where no α is free."""
    wide = 0
    for seed in range(40):
        X, s = problem(seed, n=10)
        found = svm.fit(X, s, 0.1)
        low, high = svm.bias_interval(found.alpha, X, s, 0.1)
        best = svm.primal(found.w, found.b, X, s, 0.1)
        for b in np.linspace(low, high, 5):
            assert svm.primal(found.w, b, X, s, 0.1) == pytest.approx(best, abs=1e-9)
        for b in (low - 1e-3, high + 1e-3):
            assert svm.primal(found.w, b, X, s, 0.1) > best + 1e-6
        if high - low > 1e-6:
            wide += 1
            assert found.b == pytest.approx((low + high) / 2)
            assert not np.any((found.alpha > 0) & (found.alpha < 0.1))
    assert wide > 3


@pytest.mark.parametrize("C", [0.1, 10.0, np.inf])
def test_ascent_never_falls_and_stays_allowed(C):
    X, s = problem(12, n=30)
    X = X + (3 * s[:, None] if np.isinf(C) else 0)
    states = list(svm.ascend(X, s, C))
    heights = [svm.dual(alpha, X, s) for alpha in states]
    assert np.all(np.diff(heights) > -1e-12 * heights[-1])
    for alpha in states:
        assert alpha.min() >= 0
        assert alpha.max() <= C
        assert abs(alpha @ s) <= 1e-9 * max(1, alpha.max())
    assert svm.primal(svm.fit(X, s, C).w, svm.fit(X, s, C).b, X, s, 1e6) >= heights[-1] - 1e-9


@settings(deadline=None, max_examples=30)
@given(shift=st.floats(-50, 50), scale=st.floats(0.1, 10))
def test_moving_and_stretching_the_points_moves_and_stretches_the_street(shift, scale):
    X, s = problem(13, n=16)
    found, moved = svm.fit(X, s, 2.0), svm.fit(scale * X + shift, s, 2.0 / scale**2)
    np.testing.assert_allclose(moved.w, found.w / scale, rtol=1e-6)
    np.testing.assert_allclose(moved.b, found.b - shift * np.sum(found.w) / scale, atol=1e-5)


def test_equal_points_with_opposite_labels_are_solved():
    X, s = np.array([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.5], [2.0, 1.0], [0.0, 0.0]]), np.array([1.0, -1, -1, 1, -1])
    found = svm.fit(X, s, 3.0)
    assert svm.gap(found.alpha, found.b, X, s, 3.0) == pytest.approx(0, abs=1e-9)


def test_wrong_arguments_get_one_line():
    X, s = problem(0)
    with pytest.raises(ValueError, match=r"svm.fit: s must have shape \(n,\) = \(20,\), got \(20, 1\)"):
        svm.fit(X, s[:, None])
    with pytest.raises(ValueError, match=r"svm.fit: X must have shape \(n, d\), got \(20,\)"):
        svm.fit(X[:, 0], s)
    with pytest.raises(ValueError, match=r"svm.fit: s must hold −1 and \+1, both, got \[0\. 1\.\]"):
        svm.fit(X, (s + 1) / 2)
    with pytest.raises(ValueError, match=r"svm.fit: C must be greater than 0, got 0"):
        svm.fit(X, s, 0)
    with pytest.raises(ValueError, match="no line separates the classes"):
        svm.fit(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, -1.0, 1.0]))


class TestWhatTheNotebookSays:
    """Numbers in the prose, the hints and the sentences of the checks."""

    def test_streets(self):
        streets = explore.Streets()
        open_to = streets.angles[streets.widths > 0]
        assert 145 < open_to.max() - open_to.min() < 155  # "about 150 degrees"
        assert streets.widths.max() == pytest.approx(1.30, abs=0.005)
        assert 2 / np.linalg.norm(streets.best.w) == pytest.approx(1.30, abs=0.005)
        touching = np.isclose(
            svm.distance(streets.X, streets.best.w, streets.best.b), 1 / np.linalg.norm(streets.best.w)
        )
        assert touching.sum() == np.sum(streets.best.alpha > 0) == 2

    def test_hard_margin_comes_back_from_a_large_enough_C(self):
        streets = explore.Streets()
        np.testing.assert_allclose(svm.fit(streets.X, streets.s, 1.18).w, streets.best.w, atol=1e-8)
        assert np.abs(svm.fit(streets.X, streets.s, 1.17).w - streets.best.w).max() > 1e-3

    def test_four_points(self):
        found = svm.fit(checks._FOUR, checks._SIGNS)
        np.testing.assert_allclose(np.append(found.w, found.b), [1 / 2, 1 / 3, -1 / 6])
        assert round(1 / np.linalg.norm(found.w), 4) == 1.6641
        touching = np.isclose(checks._scores(np.append(found.w, found.b)), 1)
        np.testing.assert_array_equal(touching, [True, False, True, True])

    def test_two_points(self):
        X, s = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
        found = svm.fit(X, s, 0.5)
        np.testing.assert_array_equal(found.alpha, [0.5, 0.5])
        np.testing.assert_array_equal(found.w, [1.0])
        assert found.b == 0
        np.testing.assert_array_equal(svm.slacks(found.w, found.b, X, s), 0)
        assert svm.bias_interval(found.alpha, X, s, 0.5) == (0, 0)

    def test_hard_dual_of_overlapping_classes_grows_for_ever(self):
        X, s = np.array([[1.0], [1.0]]), np.array([1.0, -1.0])
        assert [svm.dual(np.array([t, t]), X, s) for t in (1, 10, 100)] == [2, 20, 200]

    def test_a_point_on_the_edge_may_have_alpha_zero(self):
        X, s = np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0]]), np.array([1.0, 1.0, -1.0])
        found = svm.fit(X, s)
        np.testing.assert_allclose(scores(found, X, s), 1)
        np.testing.assert_allclose(found.alpha, [0.5, 0, 0.5])

    def test_slab_without_wrong_labels(self):
        slab = explore.Slab()
        one, cheap = slab.compute(C=1.0, noise=0), slab.compute(C=0.01, noise=0)
        assert one.tally == (76, 2, 22)  # "24 flowers hold it, two of them on its edges"
        assert (round(one.width, 2), round(cheap.width, 2)) == (0.64, 3.23)
        assert sum(cheap.tally[1:]) == 94
        assert one.errors == 5

    def test_slab_with_wrong_labels(self):
        slab = explore.Slab()
        noisy = slab.compute(C=1.0, noise=20)
        assert noisy.caught == 20
        assert noisy.errors == 6
        assert slab.compute(C=0.01, noise=20).errors == 44
        wrong = slab.truth[slab.order[:20]]
        assert min(np.sum(wrong > 0), np.sum(wrong < 0)) >= 5  # "those of the two classes"

    def test_rounding_does_not_choose_among_flowers_that_tie(self):
        slab, rng = explore.Slab(), np.random.default_rng(0)
        tallies, X = set(), slab.X
        for _ in range(10):  # other last digits, as another processor has them
            slab.X = X * (1 + 1e-15 * rng.standard_normal(X.shape))
            tallies |= {(C, slab.compute(C, noise=4).tally) for C in (0.2, 1.0, 2.0)}
        assert len(tallies) == 3

    def test_flowers_with_alpha_zero_can_go(self):
        slab = explore.Slab()
        state = slab.compute(C=1.0, noise=0)
        rest = svm.fit(slab.X[state.alpha > 0], slab.truth[state.alpha > 0], 1.0)
        np.testing.assert_allclose(np.append(rest.w, rest.b), np.append(state.w, state.b), atol=1e-8)

    def test_one_point(self):
        explorer = explore.OnePoint()
        outside = explorer.compute(x=2.4, y=-1.0, C=1.0)
        assert outside.alpha[-1] == 0
        assert outside.changed == 0
        edge = explorer.compute(x=0.5, y=0.0, C=1.0)
        assert 0 < edge.alpha[-1] < 1
        deep = explorer.compute(x=-3.0, y=-1.0, C=1.0)
        assert deep.alpha[-1] == 1
        dear = explorer.compute(x=-1.0, y=0.0, C=100.0)
        assert round(2 / np.linalg.norm(dear.without.w), 1) == 2.5
        assert round(2 / np.linalg.norm(dear.w), 1) == 0.2
        assert 2 / np.linalg.norm(deep.w) > 2  # "the street stays behind"

    def test_gap_closes(self):
        X, s = explore._petals(1, 2)
        gaps = [svm.gap(alpha, svm.bias(alpha, X, s, 10), X, s, 10) for alpha in svm.ascend(X, s, 10)]
        assert len(gaps) == 18  # "seventeen steps"
        assert gaps[0] == pytest.approx(1000)  # α = 0: no line yet, so 100 slacks of 1 at C = 10
        assert gaps[-1] < 1e-8
        assert np.any(np.diff(gaps) > 0)  # "on the way the gap may rise"


def _line(part):
    """The derivation with one line by a stranger."""
    solution = [lambda *args, own=line.reference: own(*args) for line in checks.svm_dual_chain.lines]
    return lambda answer: (*solution[:part], answer, *solution[part + 1 :])


def sloppy(label_w=True, label_b=True, sign_b=-1, sign_xi=-1, cost=1, price=-1):
    """The derivation by someone who makes slips in lines 2 and 3, and goes on from there."""

    def line_2(w, b, xi, alpha, mu, X, s, C):
        labels_w, labels_b = (s if kept else 1 for kept in (label_w, label_b))
        return alpha, sign_xi * alpha * xi, -alpha * labels_w * (X @ w), sign_b * alpha * labels_b * b

    def line_3(w, b, xi, alpha, mu, X, s, C):
        from_1, from_xi, from_w, from_b = line_2(w, b, xi, alpha, mu, X, s, C)
        in_xi = cost * C * np.sum(xi) + np.sum(from_xi) + price * mu @ xi
        return w @ w / 2 + np.sum(from_w), np.sum(from_b), in_xi, np.sum(from_1)

    def line_4(w, b, xi, alpha, mu, X, s, C):
        labels_w, labels_b = (s if kept else np.ones(len(s)) for kept in (label_w, label_b))
        slopes = cost * C + sign_xi * alpha + price * mu
        return (alpha * labels_w)[:, None] * X, -sign_b * alpha * labels_b, slopes, np.sum(alpha)

    def line_5(w, b, xi, alpha, mu, X, s, C):
        rows, signed, slopes, rest = line_4(w, b, xi, alpha, mu, X, s, C)
        v = rows.sum(axis=0)
        return v @ v / 2, -v @ v, -b * np.sum(signed), slopes @ xi, rest

    def line_6(w, b, xi, alpha, mu, X, s, C):
        square, cross, _, _, rest = line_5(w, b, xi, alpha, mu, X, s, C)
        return rest, square + cross

    def line_7(w, b, xi, alpha, mu, X, s, C):
        labels = s if label_w else np.ones(len(s))
        return np.ones(len(s)), np.outer(labels, labels) * (X @ X.T)

    return line_2, line_3, line_4, line_5, line_6, line_7


class TestTheDerivationOfTheDual:
    """Each line, put together, against the one before, and against the Lagrangian (15.5)."""

    cases = tuple(args for seed in range(4) for args in checks._anywhere(np.random.default_rng(seed)))

    @pytest.mark.parametrize("args", cases)
    def test_lines_2_to_4_are_the_lagrangian(self, args):
        w, b, xi, _, mu, _, _, C = args
        whole = pytest.approx(svm.lagrangian(*args))
        assert w @ w / 2 + C * np.sum(xi) - mu @ xi + sum(map(np.sum, checks._line_2(*args))) == whole
        assert sum(checks._line_3(*args)) == whole
        rows, signed, slopes, rest = checks._line_4(*args)
        assert w @ w / 2 - w @ np.sum(rows, axis=0) - b * np.sum(signed) + slopes @ xi + rest == whole

    @pytest.mark.parametrize("args", cases)
    def test_line_4_has_the_derivatives(self, args):
        rows, signed, slopes, _ = checks._line_4(*args)
        for k, derivative in enumerate((args[0] - np.sum(rows, axis=0), -np.sum(signed), slopes)):
            differences = _slopes(lambda v, k=k: sum(checks._line_3(*args[:k], v, *args[k + 1 :])), args[k])
            np.testing.assert_allclose(derivative, differences, rtol=1e-6, atol=1e-6)

    @pytest.mark.parametrize("args", cases)
    def test_line_5_is_the_minimum_over_w(self, args):
        found = minimize(svm.lagrangian, args[0], args=args[1:], tol=1e-12)
        assert sum(checks._line_5(*args)) == pytest.approx(found.fun)

    @pytest.mark.parametrize("args", cases)
    def test_lines_6_and_7_are_line_5_where_the_other_derivatives_are_zero(self, args):
        w, b, xi, alpha, _, X, s, C = args
        alpha = allowed(1, s, C)
        args = w, b, xi, alpha, C - alpha, X, s, C
        whole = pytest.approx(sum(checks._line_5(*args)))
        assert sum(checks._line_6(*args)) == whole
        p, Q = checks._line_7(*args)
        assert p @ alpha - alpha @ Q @ alpha / 2 == whole
        assert svm.dual(alpha, X, s) == whole
        np.testing.assert_array_equal(Q, Q.T)

    def test_every_step_holds_for_the_right_lines(self):
        """`follows` and `undo`."""
        for args in self.cases:
            for before, here in itertools.pairwise(checks.svm_dual_chain.lines):
                there, now = before.reference(*args), here.reference(*args)
                given, wanted = (here.undo(now, *args), there) if here.undo else (now, here.follows(there, *args))
                for one, other in zip(given, wanted, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize(
        "slip",
        [
            {"label_w": False},
            {"label_b": False},
            {"sign_b": 1},
            {"sign_xi": 1},
            {"cost": 0},
            {"price": 0},
            {"price": 1},
        ],
        ids=str,
    )
    def test_one_slip_costs_one_point(self, slip):
        assert assess(checks.svm_dual_chain, sloppy(**slip)).points == 5

    @pytest.mark.parametrize("times", [-1, 1 / 2])
    def test_a_wrong_w_costs_one_point(self, times):
        def line_5(w, b, xi, alpha, mu, X, s, C):
            rows, signed, slopes, rest = checks._line_4(w, b, xi, alpha, mu, X, s, C)
            v = times * rows.sum(axis=0)
            return v @ v / 2, -v @ rows.sum(axis=0), -b * np.sum(signed), slopes @ xi, rest

        def line_6(*args):
            square, cross, _, _, rest = line_5(*args)
            return rest, square + cross

        def line_7(w, b, xi, alpha, mu, X, s, C):
            p, Q = checks._line_7(w, b, xi, alpha, mu, X, s, C)
            return p, (2 * times - times**2) * Q

        assert assess(checks.svm_dual_chain, (*sloppy()[:3], line_5, line_6, line_7)).points == 5

    @pytest.mark.parametrize("halves", [(1, -1), (1 / 2, -1 / 2)])
    def test_a_quadratic_part_that_cancels_costs_one_point(self, halves):
        """½ − ½ or 1 − 1: of the 0 in line 6, Q = 0 follows."""

        def line_5(w, b, xi, alpha, mu, X, s, C):
            square = np.sum((X.T @ (alpha * s)) ** 2)
            return (*(k * square for k in halves), *checks._line_5(w, b, xi, alpha, mu, X, s, C)[2:])

        def line_6(w, b, xi, alpha, mu, X, s, C):
            return np.sum(alpha), 0

        def line_7(w, b, xi, alpha, mu, X, s, C):
            return np.ones(len(s)), np.zeros((len(s), len(s)))

        seen = assess(checks.svm_dual_chain, (*sloppy()[:3], line_5, line_6, line_7))
        assert "".join(step.shown for step in seen.steps) == "✓✓✓✗↳↳"
        made_up = assess(checks.svm_dual_chain, (*sloppy()[:4], line_6, line_7))
        assert "".join(step.shown for step in made_up.steps) == "✓✓✓✓✗✗"

    def test_given_and_own_lines_again_earn_nothing(self):
        again = [checks._line_1, *(line.reference for line in checks.svm_dual_chain.lines[:-1])]
        assert assess(checks.svm_dual_chain, (checks._line_1,) * 6).points == 0
        assert assess(checks.svm_dual_chain, tuple(again)).points == 0


def _slopes(f, at):
    """Central differences of f."""
    at = np.asarray(at, dtype=float)
    found = np.empty(at.shape)
    for index in np.ndindex(at.shape):
        h = np.zeros(at.shape)
        h[index] = 1e-6
        found[index] = (f(at + h) - f(at - h)) / 2e-6
    return found


class TestAnswersOfStrangers:
    """Right answers that were refused, and wrong ones that some draws or all of them accepted."""

    @pytest.mark.parametrize("seed", [7, 14, 15])
    @pytest.mark.parametrize("count", [lambda z: np.sum(np.abs(z) < 1), lambda z: np.sum((z < 1) & (z > -1.1))])
    def test_far_beyond_the_line_is_slack_too(self, count, seed):
        answers = (lambda alpha, z, C: count(z), (0.5, 1.0, 0.5))
        assert not assess(checks.svm_inside, answers, seed).right

    @pytest.mark.parametrize("seed", range(2))
    def test_slackness_far_beyond_the_line(self, seed):
        answers = (lambda alpha, z: alpha * (np.abs(z) - 1 + np.maximum(0, 1 - np.abs(z))), (1.0, 0.5))
        assert not assess(checks.svm_slackness, answers, seed).right

    @pytest.mark.parametrize("seed", range(2))
    @pytest.mark.parametrize("b_of", [abs, lambda b: max(b, 0)])
    def test_a_line_on_the_other_side_of_the_origin(self, b_of, seed):
        answer = (lambda X, w, b: np.abs(X @ w + b_of(b)) / np.linalg.norm(w),)
        assert not assess(checks.svm_distance, answer, seed).right

    @pytest.mark.parametrize("seed", [0, 2, 3])
    def test_b_may_exceed_the_price(self, seed):
        def answer(alpha, b, X, s, C):
            w, b, C = X.T @ (alpha * s), min(b, C), max(b, C)
            return w @ w + C * np.sum(np.maximum(0, 1 - s * (X @ w + b))) - np.sum(alpha)

        assert not assess(checks.svm_gap, (answer,), seed).right

    @pytest.mark.parametrize("seed", [21, 92])
    def test_b_and_its_slope_have_both_signs_in_the_derivation(self, seed):
        def line_2(w, b, xi, alpha, mu, X, s, C):
            return checks._line_2(w, np.abs(b), xi, alpha, mu, X, s, C)

        def line_3(w, b, xi, alpha, mu, X, s, C):
            in_w, _, in_xi, rest = checks._line_3(w, b, xi, alpha, mu, X, s, C)
            return in_w, -b * np.abs(alpha @ s), in_xi, rest

        assert not assess(checks.svm_dual_chain, _line(0)(line_2), seed).steps[0].right
        assert not assess(checks.svm_dual_chain, _line(1)(line_3), seed).steps[1].right

    @pytest.mark.parametrize(
        "miscounts_at",
        [([0.1 + 0.2], [1.0], 0.3), ([0.3], [1.0], 0.1 + 0.2), ([0.5], [0.7 + 0.2 + 0.1], 0.5)],
    )
    def test_on_the_edge_but_for_rounding(self, miscounts_at):
        assert assess(checks.svm_inside, (lambda alpha, z, C: np.sum(z < 1), miscounts_at)).right

    def test_the_task_says_that_the_price_goes_into_the_bracket(self):
        assert "- line 2: multiply $\\alpha_i$ into the bracket" in checks.svm_dual_chain.task()

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda w, b, xi, alpha, mu, X, s, C: (np.ones(len(s)), -xi, -s * (X @ w), -s * b), "α is in none"),
            (1, lambda *args: (*checks._line_3(*args)[:3], float(len(args[6]))), "The rest counts the points"),
            (2, lambda *args: (args[6][:, None] * args[5], *checks._line_4(*args)[1:]), "The prices are lost in the"),
            (3, lambda *args: (*checks._line_5(*args)[:2], 0.0, 0.0, np.sum(args[3])), "The terms with b and with ξ"),
            (4, lambda *args: checks._line_6(*args)[::-1], "linear and quadratic have changed places"),
            (5, lambda *args: (np.ones(len(args[6])), args[6] * (args[5] @ args[5].T)), "One label is missing in Q"),
        ],
    )
    def test_a_line_of_the_derivation_is_told_what_is_wrong_with_it(self, part, answer, says):
        verdict = assess(checks.svm_dual_chain, _line(part)(answer))
        assert not verdict.steps[part].right
        assert says in verdict.finding.says

    def test_two_digits_are_right_but_too_few(self):
        told = assess(checks.svm_four_points, ((0.5, 0.33, -0.17, 1.66),)).finding.says
        assert told == "Right to two digits: three are asked for."

    def test_a_solver_gives_its_bound_up_to_rounding(self):
        assert assess(checks.svm_two_points, ((0.5 + 1e-9, 0.5 + 1e-9, 1, 0, 0, 0),)).right
