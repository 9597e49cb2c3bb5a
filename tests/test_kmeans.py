"""mlcore.kmeans against independent oracles: scikit-learn, optimisers, brute force, loops."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from sklearn.cluster import KMeans
from sklearn.metrics import rand_score, silhouette_samples

from mlcore import kmeans
from mlcore.checks import kmeans as checks
from mlcore.data import load
from mlcore.engine.exercises import but
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.values import components
from mlcore.explore import kmeans as explore
from tests.strangers import verdict


def data(seed=0, n=300, d=3, K=5, spread=1.5):
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(K, d)) * spread + 4
    X = middles[rng.integers(K, size=n)] + rng.normal(size=(n, d))
    return X, kmeans.random_points(X, K, rng)


def test_assign_finds_the_best_labels():
    """(21.1) and (21.2), against all labellings of a few points."""
    rng = np.random.default_rng(1)
    X, C = rng.normal(size=(5, 2)), rng.normal(size=(3, 2))
    best = min(kmeans.objective(X, np.array(z), C) for z in itertools.product(range(3), repeat=5))
    z = kmeans.assign(X, C)
    np.testing.assert_allclose(kmeans.objective(X, z, C), best)
    loops = sum(np.sum((X[i] - C[k]) ** 2) for i in range(5) for k in range(3) if z[i] == k)
    np.testing.assert_allclose(kmeans.objective(X, z, C), loops)


def test_assign_over_many_blocks_and_ties():
    X, C = data(n=20_000, d=4, K=7)
    np.testing.assert_array_equal(kmeans.assign(X, C), kmeans.squared_distances(X, C).argmin(axis=1))
    np.testing.assert_array_equal(kmeans.assign(np.array([[1.0]]), np.array([[2.0], [0.0]])), [0])
    X, C = (np.random.default_rng(0).integers(9, size=(n, 2)).astype(float) for n in (500, 300))
    np.testing.assert_array_equal(kmeans.assign(X, C), kmeans.squared_distances(X, C).argmin(axis=1))
    assert kmeans.assign(np.array([[np.nan, 0.0]]), C) == [0], "a label, whatever the point"


@pytest.mark.parametrize("c_seed", range(3))
def test_moving_off_the_mean_costs_n_times_the_square(c_seed):
    """(21.3)."""
    rng = np.random.default_rng(c_seed)
    X, c = rng.normal(size=(7, 3)) + 2, rng.normal(size=3)
    mean = X.mean(axis=0)
    both = np.sum((X - mean) ** 2) + 7 * np.sum((c - mean) ** 2)
    np.testing.assert_allclose(np.sum((X - c) ** 2), both)


def test_refit_minimises_the_objective():
    """(21.4), against an optimiser; an empty group keeps its centre."""
    X, C = data(n=40, d=2, K=3)
    z = np.random.default_rng(2).integers(0, 2, size=40)
    new = kmeans.refit(X, z, C)
    found = minimize(lambda c: kmeans.objective(X, z, c.reshape(3, 2)), C.ravel(), tol=1e-12).x.reshape(3, 2)
    np.testing.assert_allclose(new, found, atol=1e-5)
    np.testing.assert_array_equal(new[2], C[2])


@given(seed=st.integers(0, 10_000), K=st.integers(1, 6))
def test_no_half_step_raises_the_objective(seed, K):
    rng = np.random.default_rng(seed)
    X, C = rng.normal(size=(30, 2)), rng.normal(size=(K, 2)) * 2
    states = list(kmeans.lloyd(X, C))
    J = [kmeans.objective(X, s.z, s.C) for s in states]
    assert all(b <= a * (1 + 1e-12) for a, b in itertools.pairwise(J))
    np.testing.assert_array_equal(kmeans.assign(X, states[-1].C), states[-1].z)
    np.testing.assert_allclose(kmeans.refit(X, states[-1].z, states[-1].C), states[-1].C)


@pytest.mark.parametrize("seed", range(4))
def test_the_end_is_scikit_learns(seed):
    X, C = data(seed, n=2000, d=5, K=6)
    peer = KMeans(6, init=C, n_init=1, algorithm="lloyd", tol=0, max_iter=1000).fit(X)
    state = kmeans.fit(X, C)
    np.testing.assert_array_equal(state.z, peer.labels_)
    np.testing.assert_allclose(state.C, peer.cluster_centers_)
    np.testing.assert_allclose(kmeans.objective(X, state.z, state.C), peer.inertia_)


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("K", [1, 2, 9])
def test_acceleration_gives_every_label_of_every_round(K, offset):
    """(21.8) and (21.9) lose nothing."""
    for seed in range(5):
        X, _ = data(seed, n=400, d=2)
        X = X + offset
        C = kmeans.random_points(X, K, np.random.default_rng(seed))
        plain = [s.z for s in kmeans.lloyd(X, C)][::2]
        fast = list(kmeans.accelerated(X, C))
        np.testing.assert_array_equal([s.z for s in fast], plain)
        assert sum(s.asked.sum() for s in fast) <= K * len(X) * len(plain)


def test_acceleration_keeps_ties_and_empty_groups():
    """Whole numbers have many ties; the last centre is nobody's."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 6, size=(60, 2)).astype(float)
        C = np.vstack([rng.integers(0, 6, size=(4, 2)), [[50, 50]]]).astype(float)
        plain = [s.z for s in kmeans.lloyd(X, C)][::2]
        np.testing.assert_array_equal([s.z for s in kmeans.accelerated(X, C)], plain)


def test_the_asked_points_are_counted():
    X, C = data(n=500, d=2, K=4)
    first, *rest = kmeans.accelerated(X, C)
    assert first.asked.tolist() == [4] * 500
    assert all(set(s.asked) <= {0, 4} for s in rest)
    assert rest[-1].asked.sum() < 500


@pytest.mark.parametrize("m", [1.4, 2.0, 3.5])
def test_memberships_minimise_the_fuzzy_objective(m):
    """(21.5) and (21.6), against a constrained optimiser."""
    rng = np.random.default_rng(3)
    X, C = rng.normal(size=(4, 2)), rng.normal(size=(3, 2))
    R = kmeans.memberships(kmeans.squared_distances(X, C), m)
    for i in range(4):
        found = minimize(
            lambda r, i=i: kmeans.fuzzy_objective(X[i : i + 1], r[None], C, m),
            np.full(3, 1 / 3),
            bounds=[(1e-9, 1)] * 3,
            constraints={"type": "eq", "fun": lambda r: r.sum() - 1},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        np.testing.assert_allclose(R[i], found.x, atol=2e-4)
        d2 = kmeans.squared_distances(X[i : i + 1], C)[0]
        alpha = m * np.sum(d2 ** (-1 / (m - 1))) ** (1 - m)
        np.testing.assert_allclose(R[i] ** m @ d2, alpha / m)  # what the chain's α says


def test_memberships_of_a_point_on_a_centre():
    D2 = np.array([[0.0, 4.0], [1.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(kmeans.memberships(D2, 2.0), [[1, 0], [0.8, 0.2], [0.5, 0.5]])
    assert np.isfinite(kmeans.memberships(np.array([[1e-300, 1e300]]), 1.01)).all()


def test_fuzzy_centres_minimise_and_the_steps_descend():
    """(21.7)."""
    X, C = data(n=30, d=2, K=3)
    R = np.random.default_rng(4).dirichlet(np.ones(3), size=30)
    found = minimize(lambda c: kmeans.fuzzy_objective(X, R, c.reshape(3, 2), 1.7), C.ravel(), tol=1e-12).x
    np.testing.assert_allclose(kmeans.fuzzy_centres(X, R, 1.7).ravel(), found, atol=1e-5)
    J = []
    for _ in range(20):
        R = kmeans.memberships(kmeans.squared_distances(X, C), 1.7)
        J.append(kmeans.fuzzy_objective(X, R, C, 1.7))
        C = kmeans.fuzzy_centres(X, R, 1.7)
        J.append(kmeans.fuzzy_objective(X, R, C, 1.7))
    assert all(b <= a for a, b in itertools.pairwise(J))


@given(seed=st.integers(0, 10_000))
def test_moved_bounds_are_bounds(seed):
    """(21.9); they are reached when everything lies on a line."""
    rng = np.random.default_rng(seed)
    X, C, step = rng.normal(size=(8, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    D, z = np.sqrt(kmeans.squared_distances(X, C)), kmeans.assign(X, C)
    u, L = kmeans.moved_bounds(D.min(axis=1), D, z, C, C + step)
    now = np.sqrt(kmeans.squared_distances(X, C + step))
    assert np.all(now[np.arange(8), z] <= u + 1e-12)
    assert np.all(now - L >= -1e-12)
    assert np.all(L >= 0)


def test_linked_assign_keeps_links_or_says_so():
    """Against all labellings: an answer keeps every link, and no links give the plain assignment."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, C = rng.normal(size=(7, 2)), rng.normal(size=(3, 2))
        must, cannot = rng.choice(7, size=(2, 2)), rng.choice(7, size=(3, 2))
        must, cannot = (p[p[:, 0] != p[:, 1]] for p in (must, cannot))
        z = kmeans.linked_assign(X, C, must, cannot)
        if z[0] >= 0:
            assert all(z[i] == z[j] for i, j in must)
            assert all(z[i] != z[j] for i, j in cannot)
        else:
            assert set(z) == {-1}
    np.testing.assert_array_equal(kmeans.linked_assign(X, C, [], []), kmeans.assign(X, C))


def test_silhouette_is_scikit_learns():
    """(21.10), with groups of one and equal points."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 5, size=(15, 2)).astype(float)
        z = np.append(rng.integers(0, 3, size=14), 9)
        np.testing.assert_allclose(kmeans.silhouette(X, z), silhouette_samples(X, z), atol=1e-12)


def test_rand_index_is_scikit_learns():
    """(21.11)."""
    for seed in range(5):
        z, w = np.random.default_rng(seed).integers(0, 4, size=(2, 30))
        np.testing.assert_allclose(kmeans.rand_index(z, w), rand_score(z, w))
        np.testing.assert_allclose(kmeans.rand_index((z + 2) % 4, w), rand_score(z, w))


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"kmeans.assign: X must have shape \(n, d\), got \(3,\)"):
        kmeans.assign(np.ones(3), np.ones((2, 1)))
    with pytest.raises(ValueError, match=r"kmeans.refit: C must have shape \(K, d\) with d = 2, got \(2, 3\)"):
        kmeans.refit(np.ones((4, 2)), np.zeros(4, dtype=int), np.ones((2, 3)))


class TestTheChains:
    """The lines of both derivations, put together, against the line before or differences of it."""

    sums = checks._sums(np.random.default_rng(0))
    points = checks._multipliers(np.random.default_rng(0))

    def test_both_ways_to_write_the_cost(self):
        for c, X in self.sums:
            q, s, t = checks._line_2(c, X)
            np.testing.assert_allclose(q * c @ c - 2 * c @ s + t, checks._line_1(c, X))
            factor, m, rest = checks._line_3(c, X)
            np.testing.assert_allclose(factor * np.sum((c - m) ** 2) + rest, checks._line_1(c, X))

    def test_its_derivative_is_a_difference(self):
        for c, X in self.sums:
            number, bracket = checks._line_4(c, X)
            np.testing.assert_allclose(
                number * bracket, approx_fprime(c, lambda c, X=X: checks._line_1(c, X), 1e-7), atol=1e-4
            )

    def test_the_right_lines_follow_from_each_other(self):
        for before, line in itertools.pairwise(checks.best_centre.lines):
            for args in self.sums:
                there, here = before.reference(*args), line.reference(*args)
                got, asked = (line.undo(here, *args), there) if line.undo else (here, line.follows(there, *args))
                for one, other in zip(components(got), components(asked), strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize(
        "line_4",
        [
            lambda c, X: (len(X), 2 * c - 2 * X.mean(axis=0)),
            lambda c, X: (2, len(X) * c - X.sum(axis=0)),
            lambda c, X: (2, len(X) * (c - X.mean(axis=0))),
            lambda c, X: (-2, np.sum(X - c, axis=0)),
        ],
    )
    def test_a_number_in_the_bracket_is_not_told_to_be_missing(self, line_4):
        """They were told that the 2 is missing, or the factor lost."""
        lines = [line.reference for line in checks.best_centre.lines]
        assert "all together it is right" in assess(checks.best_centre, (*lines[:2], line_4)).finding.says

    def test_the_root_of_a_negative_base_follows(self):
        """With a minus in the base, the weights of line 4 and their sum are nan, as they have to be."""
        slope, *_ = [line.reference for line in checks.fuzzy_kkt.lines]
        seen = assess(
            checks.fuzzy_kkt,
            (
                slope,
                lambda r, alpha, d2, m: (-alpha / (m * d2), 1 / (m - 1)),
                lambda r, alpha, d2, m: (1 / (m - 1), (-1 / (m * d2)) ** (1 / (m - 1))),
                lambda r, alpha, d2, m: (np.sum((-1 / (m * d2)) ** (1 / (m - 1))), 1 - m),
            ),
        )
        assert "".join(step.shown for step in seen.steps) == "✓✗↳↳"

    def test_other_powers_are_told_to_be_right_together(self):
        slope, _, weights, multiplier = [line.reference for line in checks.fuzzy_kkt.lines]

        def line_3(r, alpha, d2, m):
            return np.sqrt(alpha / (m * d2)), 2 / (m - 1)

        seen = assess(checks.fuzzy_kkt, (slope, line_3, weights, multiplier))
        assert "all together it is right" in seen.finding.says

    def test_the_derivative_of_the_lagrangian_is_a_difference(self):
        for r, alpha, d2, m in self.points:
            factor, exponent, constant = checks._slope(r, alpha, d2, m)
            slopes = approx_fprime(r, lambda r, a=alpha, d2=d2, m=m: checks._lagrangian(r, a, d2, m), 1e-8)
            np.testing.assert_allclose(factor * r**exponent - constant, slopes, atol=1e-5)

    def test_stationary_then_feasible(self):
        for r, alpha, d2, m in self.points:
            base, power = checks._stationary(r, alpha, d2, m)
            factor, exponent, constant = checks._slope(r, alpha, d2, m)
            np.testing.assert_allclose(factor * (base**power) ** exponent, constant)
            pulled, weight = checks._weights(r, alpha, d2, m)
            np.testing.assert_allclose(alpha**pulled * weight, base**power)
            S, to = checks._multiplier(r, alpha, d2, m)
            base, power = checks._stationary(r, S**to, d2, m)
            np.testing.assert_allclose(np.sum(base**power), 1)
            np.testing.assert_allclose(base**power, kmeans.memberships(d2[None], m)[0])

    def test_the_right_lines_about_memberships_follow_from_each_other(self):
        for before, line in itertools.pairwise(checks.fuzzy_kkt.lines):
            for args in self.points:
                there, here = before.reference(*args), line.reference(*args)
                got, asked = (line.undo(here, *args), there) if line.undo else (here, line.follows(there, *args))
                for one, other in zip(components(got), components(asked), strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


class TestWhatTheNotebookSays:
    """Numbers in the prose and in the curriculum."""

    def test_eighteen_of_thirty_starts_find_the_villages(self):
        J, _ = explore.ends(5)
        values, counts = np.unique(J.round(1), return_counts=True)
        assert dict(zip(values, counts, strict=True))[186.2] == 18
        assert len(values) == 12
        assert 440 < values[1] < 441
        assert 1020 < values[-1] < 1021

    def test_the_first_refit_gains_most(self):
        gains = [-np.diff(explore.run(5, start)[1]) for start in range(30)]
        assert sum(g[0] > g[1] for g in gains) == 29
        later = [g[2 * t] > g[2 * t + 1] for g in gains for t in range(3, len(g) // 2)]
        assert 0.3 < np.mean(later) < 0.8

    def test_the_villages_are_the_best_grouping_that_scikit_learn_finds(self):
        peer = KMeans(5, n_init=50, random_state=0).fit(explore.houses())
        np.testing.assert_allclose(explore.ends(5)[0].min(), peer.inertia_)

    def test_elbow_moves_with_the_second_start(self):
        elbow = explore.Elbow()
        one, two = elbow.compute(5, 1).J, elbow.compute(5, 2).J
        assert one[3] / one[4] < 1.02 < 2 < two[3] / two[4]
        assert one[2] / one[3] > 2
        assert elbow.compute(5, 1).curve.argmax() + 1 == 4
        for starts in range(2, 31):
            state = elbow.compute(5, starts)
            assert state.curve.argmax() + 1 == 5
            assert round(state.s, 2) == 0.73

    @pytest.mark.parametrize(("m", "r"), [(1.1, (1, 0)), (2.0, (0.8, 0.2)), (10.0, (0.538, 0.462))])
    def test_memberships_at_squared_distances_one_and_four(self, m, r):
        np.testing.assert_allclose(kmeans.memberships(np.array([[1.0, 4.0]]), m)[0], r, atol=5e-4)
        np.testing.assert_allclose(explore.Blur().compute(m, 1.0).r, r, atol=5e-4)

    def test_savings(self):
        ends = {K: explore.Savings().compute(30, K) for K in (2, 8, 16)}
        assert [round(ends[K].saved, 2) for K in (2, 8, 16)] == [0.67, 0.83, 0.72]
        assert [ends[K].done for K in (2, 8, 16)] == [True, True, False]
        assert ends[16].rounds == 102

    def test_strict_and_other_wrong_lemmas(self):
        """The counter-examples of the choice."""
        b, c, x = 0.0, 2.0, 1.0
        assert abs(b - c) >= 2 * abs(x - b)
        assert abs(x - c) == abs(x - b) < 2 * abs(x - b)

    def test_two_groups_on_one_spot_are_a_counter_example_too(self):
        """There a = b = 0, and the printed silhouette is 0/0, without a warning."""
        X, z = np.zeros((4, 1)), np.array([0, 0, 1, 1])
        assert np.isnan(checks.lone_silhouette.printed(X, z)).all()
        assert kmeans.silhouette(X, z).tolist() == [0, 0, 0, 0]

    def test_one_order_fails_and_the_other_does_not(self):
        X, C = np.array([[0.0], [10.0], [11.0]]), np.array([[0.0], [10.0]])
        cannot = np.array([[0, 2], [1, 2]])
        assert kmeans.linked_assign(X, C, [], cannot).tolist() == [-1, -1, -1]
        assert kmeans.linked_assign(X[::-1], C, [], 2 - cannot).tolist() == [1, 0, 0]

    def test_scores_by_hand(self):
        s = kmeans.silhouette(np.array([[0.0], [1.0], [4.0], [6.0]]), np.array([0, 0, 1, 1]))
        np.testing.assert_allclose(s, [0.8, 0.75, 0.4286, 0.6364], atol=5e-5)
        twins = kmeans.silhouette(np.array([[0.0], [0.0], [5.0], [7.0]]), np.array([0, 0, 1, 1]))
        assert twins[:2].tolist() == [1, 1]
        assert kmeans.rand_index(np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1, 2, 2])) == 0.8

    def test_digits(self):
        digits = load("digits")
        starts = [kmeans.random_points(digits.X, 10, np.random.default_rng(seed)) for seed in range(10)]
        fits = [kmeans.fit(digits.X, C) for C in starts]
        J = [kmeans.objective(digits.X, f.z, f.C) for f in fits]
        best = fits[int(np.argmin(J))]
        assert round(kmeans.rand_index(best.z, digits.y), 2) == 0.94
        shuffled = np.random.default_rng(0).permutation(best.z)
        assert round(kmeans.rand_index(shuffled, digits.y), 2) == 0.82
        rounds = list(kmeans.accelerated(digits.X, starts[0]))
        saved = 1 - sum(r.asked.sum() for r in rounds) / (len(rounds) * len(digits.X) * 10)
        assert saved < 0.6  # less than in the plane


ALONE = [[0.0], [1.0], [5.0]], [0, 0, 1]


class TestAnswersOfStrangers:
    """Wrong answers that were accepted."""

    @pytest.mark.parametrize("seed", [4, 9, 12])
    def test_signs_are_seen_on_every_draw(self, seed):
        careless = {
            checks.kmeans_refit: lambda X, z, C: np.abs(kmeans.refit(X, z, C)),
            checks.fuzzy_centre: lambda X, R, m: np.abs(kmeans.fuzzy_centres(X, R, m)),
            checks.linked_assign: lambda X, C, must, cannot: kmeans.linked_assign(np.abs(X), C, must, cannot),
        }
        for exercise, answer in careless.items():
            assert not verdict(exercise, answer, seed=seed).points, exercise.name

    @pytest.mark.parametrize("seed", [3, 6, 8])
    def test_a_small_number_in_the_denominator(self, seed):
        """d² + 1e-16 gives a point on a centre away to the other centres, the more the larger m is."""

        def padded(D2, m):
            share = (1 / (D2 + 1e-16)) ** (1 / (m - 1))
            return share / share.sum(axis=1, keepdims=True)

        assert not verdict(checks.fuzzy_memberships, padded, seed=seed).points

    def test_labels_are_not_sorted(self):
        by_counts = lambda X, z: checks._silhouette(X, np.sort(z))  # noqa: E731
        assert verdict(checks.lone_silhouette, by_counts, ALONE).points == 1

    def test_groups_on_one_spot_are_outside_the_domain(self):
        on_one_spot = [[0.0], [0.0], [0.0], [0.0]], [0, 0, 1, 1]
        assert verdict(checks.lone_silhouette, checks._silhouette, on_one_spot).points == 1
        assert verdict(checks.lone_silhouette, checks._silhouette, ALONE).points == 2

    @pytest.mark.parametrize(("seed", "i"), [(22, 3), (106, 2), (107, 1), (176, 1), (241, 3)])
    def test_always_the_same_point_is_not_the_one_without_a_centre(self, seed, i):
        assert not verdict(checks.one_more_centre, lambda X, C: np.vstack([C, X[i]]), seed=seed).points

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, 2, lambda c, X: X.sum(), "coordinates as they are"),
            (2, 2, lambda c, X: np.sum(X**2) / len(X), "number of points"),
            (2, 2, lambda c, X: len(X) * X.var(axis=0).sum(), "mean subtracted"),
            (2, 0, lambda c, X: X.size, "all entries"),
            (2, 0, lambda c, X: len(c), "counts the coordinates"),
            (3, 2, lambda c, X: 0.0, "only if all points"),
            (3, 2, lambda c, X: X.var(axis=0).sum(), "number of points"),
            (3, 2, lambda c, X: np.sum((X - c) ** 2), "holds c"),
            (3, 0, lambda c, X: 1.0, "factor is lost"),
            (4, 0, lambda c, X: 1.0, "number is missing"),
        ],
    )
    def test_a_slip_in_the_square_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.best_centre.lines]
        lines[line - 2] = but(lines[line - 2], part, slip)
        assert told in assess(checks.best_centre, tuple(lines)).finding.says

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, 2, lambda r, alpha, d2, m: 1.0, "lost its α"),
            (2, 0, lambda r, alpha, d2, m: m * r ** (m - 1) * d2, "still in the factor"),
            (2, 0, lambda r, alpha, d2, m: m * d2**0.5, "takes the root"),
            (
                3,
                None,
                lambda r, alpha, d2, m: ((alpha / m / d2) ** (1 / (m - 1)), np.float64(1)),
                "carried out already",
            ),
            (3, None, lambda r, alpha, d2, m: (m * d2 / alpha, -1 / (m - 1)), "with a plus"),
            (3, 0, lambda r, alpha, d2, m: 1 / m / d2, "α is lost"),
            (4, 0, lambda r, alpha, d2, m: 1.0, "without its power"),
            (4, 0, lambda r, alpha, d2, m: m - 1, "was inverted there"),
            (4, 1, lambda r, alpha, d2, m: (m * d2) ** (1 / (m - 1)), "upside down"),
            (4, 1, lambda r, alpha, d2, m: d2 ** (1 / (1 - m)), "The m is lost"),
            (
                4,
                1,
                lambda r, alpha, d2, m: checks._weights(r, alpha, d2, m)[1] / checks._weights(r, alpha, d2, m)[1].sum(),
                "divided by their sum",
            ),
            (
                5,
                None,
                lambda r, alpha, d2, m: (checks._weights(r, alpha, d2, m)[1].sum() ** (1 - m), np.float64(1)),
                "carried out already",
            ),
            (5, 0, lambda r, alpha, d2, m: 1 / checks._weights(r, alpha, d2, m)[1].sum(), "upside down"),
            (5, 0, lambda r, alpha, d2, m: checks._weights(r, alpha, d2, m)[1].mean(), "This is their mean"),
            (5, 1, lambda r, alpha, d2, m: 1 / (m - 1), "the power of α"),
        ],
    )
    def test_a_slip_with_fuzzy_shares_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.fuzzy_kkt.lines]
        right = lines[line - 2]
        lines[line - 2] = slip if part is None else but(right, part, slip)
        assert told in assess(checks.fuzzy_kkt, tuple(lines)).finding.says
