"""mlcore.lasso against independent oracles: scikit-learn, brute force, linear programming, finite differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize, minimize_scalar
from sklearn.linear_model import Lasso

from mlcore import lasso, ridge
from mlcore.checks import lasso as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import lasso as explore


@pytest.fixture(params=[(30, 4), (6, 9)], ids=["tall", "wide"])
def data(request):
    rng = np.random.default_rng(0)
    n, d = request.param
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def peer(X, y, lam):
    alpha = lam / (2 * len(y))
    return Lasso(alpha=alpha, fit_intercept=False, tol=1e-14, max_iter=1_000_000).fit(X, y).coef_


def by_linear_program(X, y):
    """min Σtᵢ subject to −t ≤ Xw − y ≤ t."""
    n, d = X.shape
    A = np.block([[X, -np.eye(n)], [-X, -np.eye(n)]])
    bounds = [(None, None)] * d + [(0, None)] * n
    found = linprog(np.r_[np.zeros(d), np.ones(n)], A_ub=A, b_ub=np.r_[y, -y], bounds=bounds)
    return found.x[:d], found.fun


def with_outliers(seed, n=40, d=2):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.uniform(-2, 2, size=(n, d - 1))])
    y = X @ np.arange(1.0, d + 1) + 0.5 * rng.normal(size=n)
    y[:5] += 12
    return X, y


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.99, 1.5])
def test_fit_is_scikit_learns(data, share):
    """(6.1) and (6.4), to 1e-8, with the same zeros."""
    X, y = data
    lam = share * lasso.lambda_max(X, y)
    w = lasso.fit(X, y, lam)
    if np.linalg.matrix_rank(X) == X.shape[1] or share >= 0.1:
        np.testing.assert_allclose(w, peer(X, y, lam), atol=1e-8)
        np.testing.assert_array_equal(w == 0, peer(X, y, lam) == 0)
    assert lasso.objective(w, X, y, lam) <= lasso.objective(peer(X, y, lam), X, y, lam) * (1 + 1e-9)


@pytest.mark.parametrize("lam", [100.0, 1000.0, 10_000.0])
def test_fit_is_scikit_learns_on_the_diabetes_data(lam):
    X, y = load("diabetes").standardised()
    np.testing.assert_allclose(lasso.fit(X, y, lam), peer(X, y, lam), atol=1e-8)


def test_slope_is_that_of_one_weight(data):
    """(6.2), by differences of (6.1) along one coordinate."""
    X, y = data
    w = np.random.default_rng(1).normal(size=X.shape[1])
    for j, e in enumerate(1e-6 * np.eye(len(w))):
        r = y - X @ w + X[:, j] * w[j]
        slope = (lasso.objective(w + e, X, y, 2.0) - lasso.objective(w - e, X, y, 2.0)) / 2e-6
        np.testing.assert_allclose(lasso.slope(w[j], X[:, j], r, 2.0), slope, rtol=1e-5, atol=1e-5)


@given(z=st.floats(-5, 5), lam=st.floats(0, 6))
def test_soft_threshold_is_the_best_of_a_fine_grid(z, lam):
    """(6.3), by brute force."""
    grid = np.linspace(-6, 6, 4001)
    best = lasso.soft_threshold(z, lam / 2)
    assert (best - z) ** 2 + lam * abs(best) <= np.min((grid - z) ** 2 + lam * np.abs(grid)) + 1e-12


def test_orthonormal_columns_need_one_threshold():
    rng = np.random.default_rng(2)
    X = np.linalg.qr(rng.normal(size=(30, 3)))[0]
    y = X @ [3.0, 0.1, -2.0]
    np.testing.assert_allclose(lasso.fit(X, y, 1.0), lasso.soft_threshold(X.T @ y, 0.5), atol=1e-12)
    np.testing.assert_allclose(lasso.fit(X, y, 1.0), [2.5, 0, -1.5], atol=1e-12)


def test_a_sweep_minimises_each_weight_in_turn(data):
    """(6.4), against an optimiser of one variable."""
    X, y = data
    w = np.random.default_rng(3).normal(size=X.shape[1])
    swept = lasso.sweep(w, X, y, 3.0)
    for j in range(len(w)):

        def along(v, j=j):
            return lasso.objective(np.where(np.arange(len(w)) == j, v, w), X, y, 3.0)

        w[j] = minimize_scalar(along, bounds=(-20, 20), method="bounded", options={"xatol": 1e-10}).x
        np.testing.assert_allclose(swept[j], w[j], atol=1e-5)


def test_coordinate_descent_yields_its_start_and_never_climbs(data):
    X, y = data
    start = np.ones(X.shape[1])
    states = list(itertools.islice(lasso.coordinate_descent(X, y, 2.0, start), 30))
    np.testing.assert_array_equal(states[0], start)
    assert np.all(np.diff([lasso.objective(w, X, y, 2.0) for w in states]) <= 1e-10)


def test_conditions_hold_at_the_minimum_and_nowhere_else(data):
    """(6.5): at scikit-learn's solution, and not beside it."""
    X, y = data
    w = peer(X, y, 4.0)
    assert lasso.violation(w, X, y, 4.0) < 1e-6
    assert lasso.violation(w + 0.01, X, y, 4.0) > 1e-3
    assert lasso.violation(np.zeros_like(w), X, y, 4.0) > 1e-3


def test_lambda_max_is_where_the_first_weight_appears(data):
    """(6.6), with scikit-learn on both sides."""
    X, y = data
    lam = lasso.lambda_max(X, y)
    assert not peer(X, y, 1.001 * lam).any()
    assert not lasso.fit(X, y, 1.001 * lam).any()
    assert np.count_nonzero(peer(X, y, 0.99 * lam)) >= 1
    assert np.count_nonzero(lasso.fit(X, y, 0.99 * lam)) >= 1


def test_path_is_a_fit_at_every_penalty():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(20, 5)), rng.normal(size=20)
    lams = [20.0, 5.0, 0.5]
    np.testing.assert_allclose(lasso.path(X, y, lams), [peer(X, y, lam) for lam in lams], atol=1e-8)


def test_laplace_penalty_gives_the_most_probable_weights():
    """(6.7), against an optimiser of likelihood times prior."""
    rng = np.random.default_rng(5)
    sigma, tau = 0.8, 0.3
    X = rng.normal(size=(30, 3))
    y = X @ [1, -2, 0.1] + sigma * rng.normal(size=30)

    def surprise(w):
        return np.sum((y - X @ w) ** 2) / (2 * sigma**2) + np.sum(np.abs(w)) / tau

    found = minimize(surprise, np.ones(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    np.testing.assert_allclose(lasso.fit(X, y, lasso.laplace_penalty(sigma, tau)), found, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("d", [2, 4])
def test_reweighting_is_the_linear_program(seed, d):
    """(6.8) and (6.11)."""
    X, y = with_outliers(seed, d=d)
    w, loss = by_linear_program(X, y)
    np.testing.assert_allclose(lasso.fit_robust(X, y), w, atol=1e-6)
    np.testing.assert_allclose(lasso.absolute_loss(lasso.fit_robust(X, y), X, y), loss, rtol=1e-8)


def test_reweighting_starts_at_least_squares_and_never_climbs():
    X, y = with_outliers(7)
    states = list(itertools.islice(lasso.reweighting(X, y), 40))
    np.testing.assert_allclose(states[0], np.linalg.lstsq(X, y, rcond=None)[0])
    assert np.all(np.diff([lasso.absolute_loss(w, X, y) for w in states]) <= 1e-7)


def test_a_step_minimises_the_weighted_squares():
    """(6.11), against an optimiser of the weighted loss."""
    X, y = with_outliers(8)
    w = np.array([0.5, 1.0])
    mu = np.abs(X @ w - y)
    found = minimize(lambda v: np.sum((X @ v - y) ** 2 / mu), w, tol=1e-14).x
    np.testing.assert_allclose(lasso.reweighted_step(w, X, y), found, atol=1e-5)


@given(y=st.lists(st.integers(-50, 50), min_size=1, max_size=9))
def test_no_constant_is_better_than_the_median(y):
    """(6.9), by trying every half."""
    y = np.array(y, dtype=float)
    tried = np.arange(-50, 50.5, 0.5)
    costs = np.sum(np.abs(y - tried[:, None]), axis=1)
    assert np.sum(np.abs(y - lasso.best_constant(y))) <= costs.min() + 1e-9


@given(a=st.floats(0.01, 100), sign=st.sampled_from([-1, 1]))
def test_the_parabola_touches_the_absolute_value(a, sign):
    """(6.10), against an optimiser over log μ."""
    found = minimize_scalar(lambda t: 0.5 * (a**2 * np.exp(-t) + np.exp(t)), bracket=(-5, 5), tol=1e-10)
    np.testing.assert_allclose(found.fun, a, rtol=1e-9)
    np.testing.assert_allclose(lasso.best_mu(sign * a), np.exp(found.x), rtol=1e-3)


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"lasso.lambda_max: y must have shape \(n,\) = \(30,\), got \(30, 1\)"):
        lasso.lambda_max(np.ones((30, 2)), np.ones((30, 1)))
    with pytest.raises(ValueError, match=r"lasso.reweighting: X must have shape \(n, d\), got \(30,\)"):
        lasso.fit_robust(np.ones(30), np.ones(30))


class TestDerivationOfTheSlope:
    cases = tuple(case for seed in range(5) for case in checks._one_weights(np.random.default_rng(seed)))

    def test_two_ways_to_write_the_objective(self):
        for v, x, r, lam in self.cases:
            surely = sum((b - a * v) ** 2 for a, b in zip(x, r, strict=True)) + lam * abs(v)
            a, b, constant = checks._line_3(v, x, r, lam)
            written = [sum(checks._line_2(v, x, r, lam)) + lam * abs(v), a * v**2 - 2 * b * v + constant]
            np.testing.assert_allclose(written, surely)

    def test_two_ways_to_write_its_slope(self):
        for v, x, r, lam in self.cases:
            step = 1e-5
            slope = (checks._line_1(v + step, x, r, lam) - checks._line_1(v - step, x, r, lam)) / (2 * step)
            h, g = checks._line_4(v, x, r, lam)
            front, m = checks._line_5(v, x, r, lam)
            written = [h * v - g, front * (v - m)]
            np.testing.assert_allclose(written, slope, rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(written, lasso.slope(v, x, r, lam), atol=1e-10)

    def test_a_line_follows_from_the_one_before(self):
        for case in self.cases:
            for before, line in itertools.pairwise(checks.one_coordinate.lines):
                step = line.follows if callable(line.follows) else line.follows[0]
                np.testing.assert_allclose(step(before.reference(*case), *case), line.reference(*case))

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            (lambda v, x, lam: x @ x, lambda v, x, r, lam: x @ r - lam * abs(v) / 2),
            (lambda v, x, lam: x @ x + lam / abs(v), lambda v, x, r, lam: x @ r),
        ],
        ids=["|v| in b", "1/|v| in a"],
    )
    def test_a_and_b_are_constants_when_it_is_differentiated(self, a, b):
        """The task did not tell whether an a or a b that holds v is to be differentiated."""

        def line_3(v, x, r, lam):
            return a(v, x, lam), b(v, x, r, lam), r @ r

        def line_4(v, x, r, lam):
            return 2 * a(v, x, lam), 2 * b(v, x, r, lam)

        def line_5(v, x, r, lam):
            return 2 * a(v, x, lam), b(v, x, r, lam) / a(v, x, lam)

        told = assess(checks.one_coordinate, (checks._line_2, line_3, line_4, line_5)).steps
        assert [step.right for step in told] == [True, False, True, True]
        _, _, line, after, _ = checks.one_coordinate.task().partition("\n\n")[2].splitlines()[:5]
        assert "none of the three holds v itself" in line
        assert "a, b and s being constants" in after

    def test_where_the_square_is_linear_nothing_stands_with_v_squared(self):
        def line_2(v, x, r, lam):
            return v * (x @ x), -2 * v * (x @ r), r @ r

        def line_3(v, x, r, lam):
            return 0, x @ r - np.sign(v) * lam / 2 - x @ x / 2, r @ r

        told = assess(checks.one_coordinate, (line_2, line_3, ..., ...)).steps
        assert [step.right for step in told[:2]] == [False, True]

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (1, lambda v, x, r, lam: (x @ x, x @ r - abs(v) * lam / 2, r @ r), "|v| is still in b"),
            (1, lambda v, x, r, lam: (x @ x + lam / abs(v), x @ r, r @ r), "not divided up as it is asked for"),
            (2, lambda v, x, r, lam: (2 * x @ x, 2 * x @ r - 2 * lam * abs(v)), "they are not differentiated"),
            (2, lambda v, x, r, lam: (2 * x @ x + lam / abs(v), 2 * x @ r), "not divided up as it is asked for"),
            (3, lambda v, x, r, lam: (1, v + 2 * x @ (r - v * x) - np.sign(v) * lam), "not divided up as it is asked"),
        ],
    )
    def test_where_v_does_not_belong(self, part, answer, says):
        lines = [answer if i == part else ... for i in range(4)]
        assert says in assess(checks.one_coordinate, lines).steps[part].says


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    features = load("diabetes").features

    def test_two_fits_explain_the_same(self):
        state = explore.TwoFits().compute()
        assert round(100 * state.explained) == 45
        assert [f for f, w in zip(self.features, state.lasso, strict=True) if w] == ["bmi", "bp", "hdl", "ltg"]
        assert np.all(state.ridge != 0)

    def test_two_weights_go_at_thirty_and_at_fifty(self):
        touching = explore.Touching()
        assert touching.compute(lam=29.9).lasso.all()
        assert touching.compute(lam=30.1).lasso[1] == 0 != touching.compute(lam=49.9).lasso[0]
        assert not touching.compute(lam=50.1).lasso.any()

    def test_order_in_which_the_weights_go(self):
        paths = explore.Paths()
        last = [paths.lams[paths.lasso[:, j] != 0].max() for j in range(10)]
        order = [self.features[j] for j in np.argsort(last)]
        assert set(order[:2]) == {"age", "ldl"}
        assert order[-2:] == ["ltg", "bmi"]
        assert round(paths.lam_max) == 39921

    def test_hdl_grows(self):
        paths = explore.Paths()
        hdl, tc = (paths.lasso[:, self.features.index(f)] for f in ("hdl", "tc"))
        assert round(hdl[0], 1) == -0.4
        assert round(hdl.min(), 1) == -10.6
        assert 750 < paths.lams[hdl.argmin()] < 950
        assert abs(tc[0]) > 25 > 6 > abs(tc[hdl.argmin()])

    def test_norms_of_the_printed_example(self):
        for d in (2, 5, 10):
            a, b = np.eye(d)[0], np.full(d, 1 / d)
            assert np.isclose(np.abs(a).sum(), 1)
            assert np.isclose(np.abs(b).sum(), 1)
            assert np.isclose(np.linalg.norm(b), 1 / np.sqrt(d))

    def test_twins_have_many_solutions(self):
        X, y = load("diabetes").standardised()
        twins = X[:, [2, 2]]
        one, two = (lasso.fit(twins, y, 10_000, start) for start in ([0.0, 0.0], [0.0, 30.0]))
        assert np.abs(one - two).max() > 10
        assert np.isclose(lasso.objective(one, twins, y, 10_000), lasso.objective(two, twins, y, 10_000))
        equal = ridge.fit(twins, y, 1.0)
        assert np.isclose(equal[0], equal[1])

    def test_outlier_turns_least_squares_only(self):
        outlier = explore.Outlier()
        slopes = {h: outlier.compute(h=h, x=7.5) for h in (0.0, 1.0, 5.0, 25.0)}
        assert [round(slopes[h].squares[1], 2) for h in (0.0, 25.0)] == [0.95, 1.93]
        assert [round(slopes[h].robust[1], 2) for h in (1.0, 5.0, 25.0)] == [1.08] * 3
        assert round(slopes[0.0].robust[1], 2) == 1.01

    def test_outlier_far_out_wins(self):
        outlier = explore.Outlier()
        for x in outlier.x.grid(61):
            state = outlier.compute(h=15.0, x=x)
            assert (abs(state.robust @ [1, x] - x - 15) < 0.1) == (x >= 25)

    def test_robust_fit_meets_ten_patients(self):
        X, y = load("diabetes").standardised()
        assert np.sum(np.abs(X @ lasso.fit_robust(X, y) - y) < 1e-6) == 10

    @pytest.mark.parametrize(("x", "through"), [(23.9, False), (24.1, True)])
    def test_lever_of_twenty(self, x, through):
        at, y = np.append(np.arange(9.0), x), np.append(np.arange(9.0), x + 15)
        w, _ = by_linear_program(np.column_stack([np.ones(10), at]), y)
        assert (abs(w @ [1, x] - x - 15) < 1e-6) == through


def _l1_prefers(a, b):
    return np.sign(np.sum(np.abs(b)) - np.sum(np.abs(a)))


def _reweighted(w, X, y):
    mu = np.abs(X @ w - y)
    return np.linalg.solve(X.T @ (X / mu[:, None]), X.T @ (y / mu))


def _hundred_steps(X, y):
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    for _ in range(100):
        mu = np.maximum(np.abs(X @ w - y), 1e-9)
        w = np.linalg.solve(X.T @ (X / mu[:, None]), X.T @ (y / mu))
    return w


class TestAnswersOfStrangers:
    """Right answers that were refused, and wrong ones that were accepted."""

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda v, x, r, lam: (r @ r, -2 * r @ x * v, (v * x) @ (v * x)), "opposite order"),
            (0, lambda v, x, r, lam: (x @ x, -2 * r @ x, r @ r), "These are the coefficients"),
            (0, lambda v, x, r, lam: ((x @ x) * v * v, -2 * r @ x * v, 0), "The constant is gone"),
            (1, lambda v, x, r, lam: (x @ x, lam * v / abs(v) - 2 * r @ x, r @ r), "not in b once more"),
            (
                1,
                lambda v, x, r, lam: (x @ x, r @ x - lam * v / abs(v) / 2 * np.sign(v * (r @ x)), r @ r),
                "The sign of xᵀr",
            ),
            (2, lambda v, x, r, lam: (v * (x + x) @ x, 2 * r @ x - lam * v / abs(v)), "v is still in h"),
            (3, lambda v, x, r, lam: ((x + x) @ x, 2 * r @ x - lam * v / abs(v)), "This is g"),
            (
                3,
                lambda v, x, r, lam: ((x + x) @ x, np.sign(r @ x) * max(abs(r @ x) - lam / 2, 0) / (x @ x)),
                "where the sign of v belongs",
            ),
            (0, lambda v, x, r, lam: ((x @ x) * v * v, 0, r @ r), "The cross term is missing"),
        ],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_one_weight_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(4)]
        assert says in assess(checks.one_coordinate, lines, seed).steps[part].says

    @pytest.mark.parametrize(
        ("exercise", "answers"),
        [
            (
                checks.sparse_argument,
                (lambda a, b: np.sign(abs(b).sum() - np.maximum(a, 0).sum()), ([1, 0], [0.5, 0.5])),
            ),
            (
                checks.sparse_argument,
                (lambda a, b: np.sign(np.maximum(b, 0).sum() - abs(a).sum()), ([1, 0], [0.5, 0.5])),
            ),
            (checks.sparse_argument, (_l1_prefers, ([1e-10, 0], [2e-10, -1e-10]))),  # cheaper and sparser
            (checks.sparse_argument, (_l1_prefers, ([1e-8, 0], [0, 3e-8]))),  # two sums
            (checks.l1_constant, (lambda y: np.median(np.abs(y)),)),
            (checks.l1_constant, (lambda y: np.abs(np.median(y)),)),
            (checks.lever_point, ((24.0, 0.0),)),  # a tie: y = x is as good
            (checks.lever_point, ((-16.0, 0.0),)),
        ],
    )
    def test_a_wrong_one_is_noticed(self, exercise, answers):
        assert not any(assess(exercise, answers, seed).right for seed in range(3))

    @pytest.mark.parametrize(
        ("exercise", "answers", "seeds"),
        [
            (checks.reweighted_step, (_reweighted, ([0], [[1], [1], [1]], [1e-8, 2e-8, 9e-8])), [0]),
            (checks.robust_line, (_hundred_steps,), [6, 41, 105, 119]),
            (checks.lever_point, ((25.3, 35.3),), [0]),
        ],
    )
    def test_a_right_one_is_accepted(self, exercise, answers, seeds):
        assert all(assess(exercise, answers, seed).right for seed in seeds)

    @pytest.mark.parametrize("x", [-40.0, -16.5, -15.5, 3.5, 23.5, 24.5, 90.0])
    @pytest.mark.parametrize("height", [-50.0, 10.0])
    def test_the_line_gives_way_beyond_a_lever_of_20(self, x, height):
        points = np.append(np.arange(9.0), x)
        X, y = np.column_stack([np.ones(10), points]), np.append(np.arange(9.0), x + height)
        through = abs(X[-1] @ by_linear_program(X, y)[0] - y[-1]) < 1e-6
        assert assess(checks.lever_point, ((x, x + height),)).right == through
