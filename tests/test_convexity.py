"""mlcore.convexity against independent oracles: finite differences, optimisers, brute force, scipy."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize, minimize_scalar
from scipy.special import expit, logsumexp

from mlcore import convexity
from mlcore.checks import convexity as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import convexity as explore


def second_derivative(f, t, h=1e-4):
    return (f(t + h) - 2 * f(t) + f(t - h)) / h**2


def hessian(f, z, h=1e-4):
    """By differences of values alone."""
    E = h * np.eye(len(z))
    return np.array([[(f(z + a + b) - f(z + a - b) - f(z - a + b) + f(z - a - b)) / (4 * h**2) for b in E] for a in E])


def squares(X, y):
    return lambda w: np.sum((X @ w - y) ** 2)


numbers = st.floats(-5, 5)


@given(u=numbers, v=numbers, theta=st.floats(0, 1))
def test_chord_gap_is_the_interpolated_line_minus_the_function(u, v, theta):
    """(9.1): for t² the straight line through (u, u²) and (v, v²), by numpy's interpolation."""
    low, high = sorted((u, v))
    at = (1 - theta) * u + theta * v
    line = np.interp(at, [low, high], [low**2, high**2]) if high - low > 1e-6 else at**2
    np.testing.assert_allclose(convexity.chord_gap(lambda t: t**2, u, v, theta), line - at**2, atol=1e-4)


@given(u=numbers, v=numbers, theta=st.floats(0, 1))
def test_convex_functions_have_no_chord_below_and_no_tangent_above(u, v, theta):
    """(9.1) and (9.2)."""
    assert convexity.chord_gap(convexity.softplus, u, v, theta) >= -1e-12
    assert convexity.tangent_gap(convexity.softplus, convexity.sigmoid, u, v) >= -1e-12


def test_tangent_gap_is_the_remainder_of_taylor():
    """(9.2) and (9.7): for eᵗ at 0 the tangent is 1 + t, and the parabola of curvature m adds m t²/2."""
    t = np.linspace(-1, 1, 9)
    np.testing.assert_allclose(convexity.tangent_gap(np.exp, np.exp, 0.0, t), np.exp(t) - 1 - t)
    np.testing.assert_allclose(convexity.tangent_gap(np.exp, np.exp, 0.0, t, m=1.0), np.exp(t) - 1 - t - t**2 / 2)


@pytest.mark.parametrize("shape", [(8, 3), (3, 5)], ids=["tall", "wide"])
def test_gap_of_the_squared_error(shape):
    """(9.3), against (9.1) on the loss itself."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    for theta in (0.0, 0.3, 0.8):
        u, v = rng.normal(size=(2, shape[1]))
        expected = convexity.chord_gap(squares(X, y), u, v, theta)
        np.testing.assert_allclose(convexity.squares_gap(u, v, theta, X), expected, atol=1e-12)


def test_sigmoid_softplus_and_log_sum_exp_are_scipys():
    t = np.array([-700.0, -3.0, 0.0, 0.5, 700.0])
    np.testing.assert_allclose(convexity.sigmoid(t), expit(t), atol=1e-15)
    np.testing.assert_allclose(convexity.softplus(t), [logsumexp([0, s]) for s in t])
    assert convexity.log_sum_exp(np.array([1000.0, 1001, 999])) == pytest.approx(1001.4076, abs=1e-4)


def test_curvatures_by_finite_differences():
    """(9.4), (9.5)."""
    t = np.linspace(-3, 3, 25)
    np.testing.assert_allclose(convexity.softplus_curvature(t), second_derivative(convexity.softplus, t), atol=1e-6)
    bell, r = convexity.bell_curvature(t)
    np.testing.assert_allclose(bell, second_derivative(lambda s: np.exp(-(s**2) / 2), t), atol=1e-6)
    np.testing.assert_array_equal(bell <= 1e-12, np.abs(t) <= r)


def test_hessian_of_log_sum_exp():
    """(9.6): finite differences, no negative eigenvalue, and the vector of ones is sent to 0."""
    z = np.random.default_rng(1).normal(size=5)
    H = convexity.log_sum_exp_hessian(z)
    np.testing.assert_allclose(H, hessian(logsumexp, z), atol=1e-6)
    assert np.linalg.eigvalsh(H).min() > -1e-12
    np.testing.assert_allclose(H @ np.ones(5), 0, atol=1e-12)
    a = np.arange(5.0)
    p = np.exp(z) / np.exp(z).sum()
    assert a @ H @ a == pytest.approx(np.average((a - np.average(a, weights=p)) ** 2, weights=p))  # a variance


@pytest.mark.parametrize("shape", [(9, 3), (2, 4)], ids=["tall", "wide"])
def test_strong_constant_is_the_smallest_curvature(shape):
    """(9.8): the smallest xᵀHx on the sphere, with H by finite differences, found by an optimiser."""
    rng = np.random.default_rng(2)
    X, y, lam = rng.normal(size=shape), rng.normal(size=shape[0]), 0.7
    H = hessian(lambda w: squares(X, y)(w) + lam * w @ w, rng.normal(size=shape[1]), h=1e-2)
    found = min(minimize(lambda a: a @ H @ a / (a @ a), rng.normal(size=shape[1])).fun for _ in range(5))
    assert convexity.strong_constant(X, lam) == pytest.approx(found, rel=1e-4)


def test_bound_holds_up_to_the_constant_and_fails_above_it():
    """(9.7) with (9.8), on lines through the weight space."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(9, 3)), rng.normal(size=9)
    m = convexity.strong_constant(X)
    flattest = np.linalg.svd(X)[2][-1]
    for a in (flattest, *(d / np.linalg.norm(d) for d in rng.normal(size=(20, 3)))):
        start = rng.normal(size=3)

        def f(t, a=a, start=start):
            return np.array([squares(X, y)(start + s * a) for s in np.atleast_1d(t)])

        def slope(t, a=a, start=start):
            return 2 * a @ X.T @ (X @ (start + t * a) - y)

        at = np.linspace(-3, 3, 13)
        assert np.all(convexity.tangent_gap(f, slope, 0.4, at, m) >= -1e-9)
        if a is flattest:
            assert np.all(convexity.tangent_gap(f, slope, 0.4, at, 1.01 * m) < 0)


def test_strong_constant_wants_a_matrix():
    with pytest.raises(ValueError, match=r"convexity.strong_constant: X must have shape \(n, d\), got \(30,\)"):
        convexity.strong_constant(np.ones(30))


def test_network_loss_point_by_point():
    """(9.9), in a naive loop, and unchanged when the neurons change places."""
    x, y = convexity.network_data()
    w = np.array([0.3, -1.1])
    naive = sum((expit(a - w[0]) + expit(a - w[1]) - b) ** 2 for a, b in zip(x, y, strict=True))
    assert convexity.network_loss(w, x, y) == pytest.approx(naive)
    assert convexity.network_loss(w[::-1], x, y) == pytest.approx(naive)
    assert minimize(convexity.network_loss, [-1.5, 1.5], args=(x, y)).x == pytest.approx([-2, 2], abs=1e-3)


@pytest.mark.parametrize("p", [1.0, 1.7, 2.0, 4.0])
def test_p_norm_is_numpys_and_its_balls_are_convex(p):
    """(9.10)."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(2, 200, 3))
    np.testing.assert_allclose(convexity.p_norm(x[0, 0], p), np.linalg.norm(x[0, 0], p))
    u, v = x / convexity.p_norm(x, p)[..., None]
    theta = rng.uniform(size=(200, 1))
    assert convexity.p_norm((1 - theta) * u + theta * v, p).max() <= 1 + 1e-12


@pytest.mark.parametrize("c", [0.0, 1.3, 5.0])
def test_box_minimiser_is_the_optimisers(c):
    """(9.11)."""
    found = minimize_scalar(lambda x: (x - c) ** 2, bounds=(1, 2), method="bounded", options={"xatol": 1e-9}).x
    assert convexity.box_minimiser(c, 1.0, 2.0) == pytest.approx(found, abs=1e-6)


def test_box_certificate_is_a_linear_programme():
    """(9.12): scipy's linprog; 0 at a minimiser found by an optimiser, negative elsewhere."""
    rng = np.random.default_rng(5)
    low, high = np.array([-1.0, 0.0, -2.0]), np.array([1.0, 0.5, 3.0])
    x, g = rng.uniform(low, high), rng.normal(size=3)
    programme = linprog(g, bounds=list(zip(low, high, strict=True))).fun - g @ x
    assert convexity.box_certificate(g, x, low, high) == pytest.approx(programme)
    c = np.array([3.0, 0.2, -5.0])
    best = minimize(lambda z: np.sum((z - c) ** 2), x, bounds=list(zip(low, high, strict=True)), tol=1e-12).x
    assert convexity.box_certificate(2 * (best - c), best, low, high) == pytest.approx(0, abs=1e-4)
    gap = convexity.box_certificate(2 * (x - c), x, low, high)
    assert gap < 0
    assert np.sum((x - c) ** 2) - np.sum((best - c) ** 2) <= -gap  # how far from the minimum, at most


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_two_valleys_and_one(self):
        figure = explore.TwoLosses()
        state = figure.compute()
        w, counts = np.unique(state.ends[0].round(2), return_counts=True)
        assert counts.tolist() == [3, 6]
        np.testing.assert_allclose(figure._losses(w)[0].round(2), [2.39, 2.99])
        assert np.ptp(state.ends[1]) < 1e-6

    def test_tangents_of_the_two_wells(self):
        figure = explore.Chord()
        for t in figure.t.grid(81):
            assert (figure.compute("(x² − 1)²", 0.5, t).cut == 0) == (abs(t) > 1 - 1e-9)

    def test_bell_turns_at_one_and_its_logarithm_is_concave(self):
        assert convexity.bell_curvature(np.array([0.99]))[0] < 0 < convexity.bell_curvature(np.array([1.01]))[0]

    def test_entries_without_a_sign_and_an_eigenvalue_with_one(self):
        assert np.linalg.eigvalsh([[0, 1], [1, 0]])[0] == pytest.approx(-1)

    def test_diabetes(self):
        X, _ = load("diabetes").standardised()
        assert X.shape == (442, 10)
        assert round(convexity.strong_constant(X), 2) == 7.57
        curvatures = 2 * np.linalg.eigvalsh(X.T @ X)
        assert round(curvatures[-1]) == 3557
        assert convexity.strong_constant(X, 11.0) < 30 < convexity.strong_constant(X, 11.5)
        assert 2 * 11.5 / curvatures[-1] < 0.01
        features = load("diabetes").features
        flattest = np.abs(np.linalg.eigh(X.T @ X)[1][:, 0])
        assert {features[j] for j in np.argsort(flattest)[-3:]} == {"tc", "ldl", "hdl"}

    def test_networks(self):
        assert round(convexity.network_loss(np.zeros(2), *convexity.network_data()), 2) == 0.35
        assert convexity.network_loss(np.array([-2.0, 2.0]), *convexity.network_data()) == 0
        loss = [(1 - a * w) ** 2 for a, w in ((1, 1), (-1, -1), (0, 0))]
        assert loss == [0, 0, 1]

    def test_midpoint_of_the_ball(self):
        for p in (0.5, 1.0, 2.0):
            assert convexity.p_norm(np.array([0.5, 0.5]), p) == pytest.approx(2 ** (1 / p - 1))

    def test_square_on_an_interval(self):
        assert convexity.box_minimiser(0.0, 1.0, 2.0) == 1  # with the slope 2
        assert convexity.box_certificate(2.0, 1.0, 1.0, 2.0) == 0
        assert convexity.box_certificate(3.0, 1.5, 1.0, 2.0) == -1.5
        assert 1.5**2 - 1.5 == 0.75


def _right(exercise, *answers, seed=0):
    return assess(exercise, answers, seed).points == exercise.points


def _follow_from_each_other(chain, args):
    """`follows` and `undo`, on the right lines."""
    for before, here in itertools.pairwise(chain.lines):
        now, there = here.reference(*args), before.reference(*args)
        given, wanted = (here.undo(now, *args), there) if here.undo else (now, here.follows(there, *args))
        for one, other in zip(given, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


class TestTheGap:
    """Each line of the derivation, put together, against the one before."""

    cases = tuple(args for seed in range(5) for args in checks._designs(np.random.default_rng(seed)))

    @pytest.mark.parametrize("args", cases)
    def test_every_line_is_the_gap(self, args):
        u, v, theta, X, y = args
        w = (1 - theta) * u + theta * v
        loss = squares(X, y)
        gap = pytest.approx((1 - theta) * loss(u) + theta * loss(v) - loss(w))
        r, s = X @ u - y, X @ v - y
        a, b = checks._line_2(*args)
        np.testing.assert_allclose(a + b, X @ w - y)
        assert np.linalg.matrix_rank(np.array([a, r])) == np.linalg.matrix_rank(np.array([b, s])) == 1
        assert sum(checks._line_3(*args)) == pytest.approx(loss(w))
        alpha, beta, gamma = checks._line_4(*args)
        assert alpha * r @ r + beta * r @ s + gamma * s @ s == gap
        front, d, rest = checks._line_5(*args)
        assert front * d @ d + rest * s @ s == gap
        assert checks._line_1(*args) == gap

    @pytest.mark.parametrize("args", cases)
    def test_lines_follow_from_each_other(self, args):
        _follow_from_each_other(checks.squares_gap, args)

    def test_a_slip_costs_its_own_line_only(self):
        def line_3(u, v, theta, X, y):
            a, b = checks._line_2(u, v, theta, X, y)
            return a @ a, a @ b, b @ b

        def line_4(u, v, theta, X, y):
            return theta * (1 - theta), -theta * (1 - theta), theta * (1 - theta)

        def line_5(u, v, theta, X, y):
            return theta * (1 - theta), X @ u - y - (X @ v - y) / 2, 3 / 4 * theta * (1 - theta)

        verdict = assess(checks.squares_gap, (checks._line_2, line_3, line_4, line_5))
        assert [step.right for step in verdict.steps] == [True, False, True, True]


class TestAnswersOfStrangers:
    """Right answers that were refused, wrong ones that were accepted, sentences that were untrue."""

    @pytest.mark.parametrize(
        "triples",
        [
            [[-1e-7, 1e-7, 0.5], [-4, -1, 0.5]],
            [[-1e-100, 1e-100, 0.5], [-4, -1, 0.5]],
            [[-1, 1, 0.5], [-60, -50, 0.999]],
            [[-1, 1, 0.5], [-3, -3.0000001, 0.5]],
        ],
        ids=["short", "shortest", "far out", "short in the second"],
    )
    def test_chords_below_by_less_than_floats_can_tell(self, triples):
        assert _right(checks.violating_triples, triples)

    def test_chords_above_by_less_than_floats_can_tell(self):
        verdict = assess(checks.violating_triples, ([[1, 1 + 1e-9, 0.5], [-4, -1, 0.5]],))
        assert verdict.finding.says == checks._WELL_ABOVE
        verdict = assess(checks.violating_triples, ([[-1, 1, 0.5], [0.1, 0.1 + 1e-9, 0.5]],))
        assert verdict.finding.says == checks._SIGMOID_ABOVE

    @pytest.mark.parametrize(
        "networks", [[[-1e-7, 1e-7], [1e-7, -1e-7]], [[30, 30], [60, 60]], [[2, -1e300], [-1e300, 2]]]
    )
    def test_networks_whose_mean_is_a_little_worse(self, networks):
        assert _right(checks.network_swap, networks)

    def test_exact_network_is_the_network(self):
        data = convexity.network_data()
        for w in ([-1.5, 2.5], [0.3, 0.1]):
            exact = checks._network([checks.Decimal(weight) for weight in w])
            assert float(exact) == pytest.approx(convexity.network_loss(np.array(w), *data))

    @pytest.mark.parametrize("seed", [1, 5, 6, 8])
    def test_grid_that_runs_down_from_the_upper_end(self, seed):
        """Its last point may pass `low` by the last digit."""

        def search(f, low, high):
            x = [high - i * (high - low) / 12 for i in range(13)]
            pairs = [(u, v) for u in x for v in x if u != v]
            return *min(pairs, key=lambda p: f(p[0]) / 2 + f(p[1]) / 2 - f((p[0] + p[1]) / 2)), 0.5

        assert _right(checks.find_violation, search, seed=seed)

    def test_chord_that_rounding_feigns_is_told_so(self):
        """Also where the float gap is not negative: that it is not below would be untrue."""
        verdict = assess(checks.find_violation, (checks._short_chord,))
        assert verdict.finding.says == checks._TOO_SHORT

    @pytest.mark.parametrize("seed", range(6))
    def test_eigenvalues_without_the_h(self, seed):
        """A double eigenvalue came back as a complex pair."""

        def smallest(X, lam):
            return np.min(np.linalg.eigvals(2 * X.T @ X + 2 * lam * np.eye(X.shape[1])))

        assert _right(checks.strong_constant, smallest, seed=seed)

    @pytest.mark.parametrize("seed", range(5))
    def test_ends_without_their_sign(self, seed):
        def careless(c, low, high):
            return min(max(c, low), abs(high))

        assert not _right(checks.box_minimiser, careless, (0.0, 1.0, 2.0), seed=seed)

    @pytest.mark.parametrize("seed", [3, 5, 9])
    def test_boxes_without_their_sign(self, seed):
        def careless(g, x, low, high):
            return np.sum(np.minimum(g * (low - x), g * (np.abs(high) - x)))

        assert not _right(checks.box_certificate, careless, seed=seed)

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda u, v, theta, X, y: (X @ u - y, X @ v - y), "Both weights are lost"),
            (
                1,
                lambda u, v, theta, X, y: ((right := checks._line_3(u, v, theta, X, y))[0], 0.0, right[2]),
                "The middle term is missing",
            ),
            (3, lambda u, v, theta, X, y: (theta * (1 - theta), X @ u - y, 0.0), "d is r alone"),
        ],
    )
    def test_a_line_of_the_derivation_is_told_what_is_wrong_with_it(self, part, answer, says):
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.squares_gap.lines]
        lines[part] = answer
        verdict = assess(checks.squares_gap, tuple(lines))
        assert not verdict.steps[part].right
        assert says in verdict.finding.says
