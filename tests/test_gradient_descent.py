"""mlcore.gradient_descent against independent oracles: scans, finite differences, scipy, brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar, newton

from mlcore import gradient_descent as gd
from mlcore.checks import gradient_descent as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import gradient_descent as explore


@pytest.fixture
def quadratic():
    rng = np.random.default_rng(0)
    B = rng.normal(size=(7, 4))
    return B.T @ B, rng.normal(size=4), rng.normal(size=4)


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 3)) * [1, 2, 4]
    return X, X @ [1, -1, 2] + rng.normal(size=20)


def value(w, A, c):
    return w @ A @ w / 2 - c @ w


def loss(w, X, y):
    return np.sum((X @ w - y) ** 2)


def test_descent_hands_out_every_state():
    """(10.1), with the arithmetic done by hand."""
    assert [float(w) for w in gd.descent(lambda w: 2 * w, 8.0, 0.25, 3)] == [8, 4, 2, 1]


@pytest.mark.parametrize(("a", "b", "start"), [(0.7, 3.0, 5.0), (4.0, -1.0, -2.0)])
def test_best_step_is_the_one_that_a_search_finds(a, b, start):
    """(10.2), against a search for the lowest value after one step."""
    slope = 2 * a * start + b
    found = minimize_scalar(lambda eta: a * (start - eta * slope) ** 2 + b * (start - eta * slope)).x
    assert gd.best_step(a, b) == pytest.approx(found, rel=1e-6)


@given(start=st.floats(1, 10), ratio=st.floats(0.02, 1.98))
def test_a_parabola_is_stable_up_to_one_over_a(start, ratio):
    a = 0.7
    *_, end = gd.descent(lambda w: 2 * a * w, start, ratio / (2 * a), 5)
    assert abs(end) < start
    *_, mirrored = gd.descent(lambda w: 2 * a * w, start, 1 / a, 5)
    assert mirrored == pytest.approx(-start)
    *_, gone = gd.descent(lambda w: 2 * a * w, start, 1.01 / a, 5)
    assert abs(gone) > start


@given(seed=st.integers(0, 10**6), ratio=st.floats(0.0, 3.0))
def test_descent_lemma(seed, ratio):
    """(10.3), on the softmax's log-partition function, whose Hessian's eigenvalues stay below ½."""
    rng = np.random.default_rng(seed)
    w, M = 3 * rng.normal(size=4), 0.5
    g = np.exp(w) / np.exp(w).sum()

    def f(v):
        return np.log(np.sum(np.exp(v)))

    assert f(w - ratio / M * g) <= f(w) - gd.guaranteed_decrease(ratio / M, M, g) + 1e-12


def test_descent_lemma_is_exact_along_the_steepest_eigenvector(quadratic):
    A, c, _ = quadratic
    lams, V = np.linalg.eigh(A)
    w = np.linalg.solve(A, c) + V[:, -1]
    g = A @ w - c
    real = value(w, A, c) - value(w - 0.1 * g, A, c)
    assert gd.guaranteed_decrease(0.1, lams[-1], g) == pytest.approx(real)


def test_guarantee_is_best_at_one_over_M():
    found = minimize_scalar(lambda eta: -gd.guaranteed_decrease(eta, 4.0, np.ones(2)), bounds=(0, 1)).x
    assert found == pytest.approx(1 / 4, rel=1e-4)


def test_gradient_and_hessian_are_slopes(data):
    X, y = data
    w = np.array([0.3, -2.0, 1.0])
    steps = 1e-5 * np.eye(3)
    slopes = [(loss(w + h, X, y) - loss(w - h, X, y)) / 2e-5 for h in steps]
    np.testing.assert_allclose(gd.gradient(w, X, y), slopes, rtol=1e-6)
    rows = [(gd.gradient(w + h, X, y) - gd.gradient(w - h, X, y)) / 2e-5 for h in steps]
    np.testing.assert_allclose(gd.hessian(X), rows, rtol=1e-6)


def test_stable_step_is_where_descent_starts_to_diverge(data):
    """(10.4), by running it on either side."""
    X, y = data
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    for share, converges in ((0.99, True), (1.01, False)):
        *_, w = gd.descent(lambda w: gd.gradient(w, X, y), np.zeros(3), share * gd.stable_step(X), 2000)
        assert (np.linalg.norm(w - best) < 1e-6) == converges


def test_after_is_where_the_steps_lead():
    """(10.5), against the loop."""
    lams, c, w = np.array([0.5, 1.0, 3.0]), np.array([1.0, -2.0, 0.5]), np.array([2.0, 2.0, -1.0])
    for t, state in enumerate(gd.descent(lambda w: lams * w - c, w, 0.6, 12)):
        np.testing.assert_allclose(gd.after(w, lams, c, 0.6, t), state, rtol=1e-12)


@pytest.mark.parametrize("eta", [0.02, 0.1, 0.3])
def test_contraction_is_the_slowest_shrinking(quadratic, eta):
    """(10.6), by steps from a random start: the error turns into its slowest direction."""
    A, c, error = quadratic
    best = np.linalg.solve(A, c)
    for _ in range(2000):
        error = error / np.linalg.norm(error)
        _, w = gd.descent(lambda w: A @ w - c, best + error, eta, 1)
        error = w - best
    assert np.linalg.norm(error) == pytest.approx(gd.contraction(A, eta), rel=1e-6)


def test_fastest_step_has_the_smallest_contraction(quadratic):
    """(10.7), against a scan of all steps."""
    A, _, _ = quadratic
    kappa = np.linalg.cond(A)
    scan = [gd.contraction(A, eta) for eta in np.linspace(0, 3 / np.linalg.norm(A, 2), 3001)]
    fastest = gd.contraction(A, gd.fastest_step(A))
    assert fastest <= min(scan)
    assert min(scan) == pytest.approx(fastest, rel=1e-2)
    assert fastest == pytest.approx((kappa - 1) / (kappa + 1))


def test_coordinate_steps_minimise_along_their_coordinate(quadratic):
    """(10.8), against a search along each coordinate."""
    A, c, w = quadratic
    states = list(gd.coordinate_descent(A, c, w, 6))
    for t, (before, after) in enumerate(itertools.pairwise(states)):
        e = np.eye(4)[t % 4]
        found = minimize_scalar(lambda s, at=before, e=e: value(at + s * e, A, c)).x
        np.testing.assert_allclose(after, before + found * e, atol=1e-6)


def test_a_sweep_is_gauss_and_seidels(quadratic):
    """(10.9), against the coordinate steps, and its limit against an optimiser."""
    A, c, w = quadratic
    np.testing.assert_allclose(gd.sweep(w, A, c), list(gd.coordinate_descent(A, c, w, 4))[-1])
    for _ in range(3000):
        w = gd.sweep(w, A, c)
    np.testing.assert_allclose(w, minimize(value, np.zeros(4), args=(A, c), tol=1e-12).x, atol=1e-4)


def test_newton_needs_one_step_on_a_quadratic(data):
    """(10.10), against least squares."""
    X, y = data
    _, w = gd.newton(lambda w: gd.gradient(w, X, y), lambda w: gd.hessian(X), np.array([5.0, -3.0, 1.0]), 1)
    np.testing.assert_allclose(w, np.linalg.lstsq(X, y, rcond=None)[0])


def test_newton_finds_the_minimum_of_a_function_that_is_no_quadratic():
    """(10.10), against an optimiser: f = Σ (e^w − 2w) + ½(w₁ − w₂)²."""
    K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    *_, w = gd.newton(lambda w: np.exp(w) - [2, 3] + K @ w, lambda w: np.diag(np.exp(w)) + K, np.zeros(2), 10)
    found = minimize(lambda w: np.sum(np.exp(w)) - w @ [2, 3] + w @ K @ w / 2, np.zeros(2), tol=1e-12).x
    np.testing.assert_allclose(w, found, atol=1e-5)


def test_newton_root_is_scipys():
    """(10.11)."""
    *_, x = gd.newton_root(np.cos, lambda x: -np.sin(x), 1.0, 6)
    assert x == pytest.approx(newton(np.cos, 1.0, fprime=lambda x: -np.sin(x)))
    assert x == pytest.approx(np.pi / 2)


def test_wrong_shapes_get_one_line():
    with pytest.raises(
        ValueError, match=r"gradient_descent.gradient: y must have shape \(n,\) = \(30,\), got \(30, 1\)"
    ):
        gd.gradient(np.ones(2), np.ones((30, 2)), np.ones((30, 1)))
    with pytest.raises(ValueError, match=r"gradient_descent.gradient: X must have shape \(n, d\), got \(30,\)"):
        gd.gradient(np.ones(1), np.ones(30), np.ones(30))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    patients = load("diabetes")
    X, y = patients.standardised()
    raw = patients.X - patients.X.mean(axis=0)

    def _excess(self, X, steps, share=1.0):
        """The share of the avoidable loss that is left, by taking the steps."""
        A, c = gd.hessian(X), 2 * X.T @ self.y
        best = np.linalg.solve(A, c)
        *_, w = gd.descent(lambda w: A @ w - c, np.zeros(10), share / np.linalg.norm(A, 2), steps)
        return (w - best) @ A @ (w - best) / (best @ A @ best)

    def test_ten_steps_or_fifty_four_thousand(self):
        assert self._excess(self.X, 9) > 0.01 > self._excess(self.X, 10)
        assert self._excess(self.raw, 53_500) > 0.01 > self._excess(self.raw, 54_500)
        assert self._excess(self.raw, 200) < 0.1  # "quick for both"
        assert explore.Crawl().compute().steps["standardised"] == 10
        assert round(explore.Crawl().compute().steps["raw"], -3) == 54_000

    def test_stable_steps_and_condition_numbers(self):
        assert 500 < gd.stable_step(self.X) / gd.stable_step(self.raw) < 520  # "five hundred times smaller"
        assert np.linalg.cond(gd.hessian(self.X)) == pytest.approx(470, abs=0.5)
        assert round(np.linalg.cond(gd.hessian(self.raw)), -3) == 76_000

    def test_the_promise_is_kept(self):
        M = 2 / gd.stable_step(self.X)
        g = gd.gradient(np.zeros(10), self.X, self.y)
        for eta in (1 / M, 1.9 / M):
            real = self.y @ self.y - loss(-eta * g, self.X, self.y)
            assert real > 1.1 * gd.guaranteed_decrease(eta, M, g) > 0

    def test_the_valley(self):
        explorer = explore.StepSize()
        speeds = {ratio: gd.contraction(np.diag([0.1, 1.0]), ratio) for ratio in np.linspace(0, 2.2, 2201)}
        assert min(speeds, key=speeds.get) == pytest.approx(1.82, abs=0.005)
        assert explorer.compute(1.0, 10.0).factors[1] == 0
        assert round(9 / 11, 2) == 0.82
        assert round(99 / 101, 2) == 0.98
        assert explorer.compute(0.1, 10.0).share[-1] > 0.1  # crawls
        beyond = explorer.compute(2.1, 10.0)
        assert abs(beyond.factors[0]) < 1 < abs(beyond.factors[1])

    def test_four_sweeps_in_any_unit(self):
        for Z in (self.X, self.raw):
            A, c = gd.hessian(Z), 2 * Z.T @ self.y
            best, w, left = np.linalg.solve(A, c), np.zeros(10), []
            for _ in range(4):
                w = gd.sweep(w, A, c)
                left.append((w - best) @ A @ (w - best) / (best @ A @ best))
            assert left[2] > 0.01 > left[3]

    def test_the_turned_valley(self):
        explorer = explore.Methods()
        sweeps = {a: explorer.compute("Newton", a, 5.0).shares["coordinate descent"] for a in range(0, 95, 5)}
        speed = {a: s[4] / s[3] for a, s in sweeps.items() if s[3] > 1e-20}
        assert max(speed, key=speed.get) == 45
        assert sweeps[0][1] < 1e-20
        assert sweeps[90][1] < 1e-20

    def test_square_root_of_two(self):
        states = list(gd.newton_root(lambda x: x**2 - 2, lambda x: 2 * x, 1.0, 4))
        np.testing.assert_allclose(states[1:4], [1.5, 1.41667, 1.4142157], atol=5e-6)
        for before, after in itertools.pairwise(states):
            assert after - np.sqrt(2) == pytest.approx((before - np.sqrt(2)) ** 2 / (2 * before), abs=1e-15)

    @pytest.mark.parametrize(("start", "runs"), [(4.4, False), (4.5, True), (-5.0, True)])
    def test_the_fourth_power_runs_away_beyond_the_root_of_twenty(self, start, runs):
        for w in gd.descent(lambda w: w**3, start, 0.1, 200):
            if abs(w) > 100:
                break
        assert (abs(w) > 100) == runs

    def test_exponential_descends_for_ever(self):
        *_, w = gd.descent(np.exp, 0.0, 0.5, 2000)
        assert w == pytest.approx(-6.91, abs=0.01)

    def test_the_colleague(self):
        A, c = gd.hessian(self.raw), 2 * self.raw.T @ self.y
        M, flat = np.linalg.norm(A, 2), np.linalg.eigvalsh(A)[0]
        assert round(M / 1e6, 1) == 1.8
        assert round(2e6 / M, 1) == 1.1
        assert round(1 - 1e-5 * M) == -17
        assert 1 / (5e-7 * flat) == pytest.approx(80_000, rel=0.1)
        states = list(gd.descent(lambda w: A @ w - c, np.zeros(10), 5e-7, 10_100))
        before, after = loss(states[10_000], self.raw, self.y), loss(states[10_100], self.raw, self.y)
        assert round(100 * (before - after) / before, 2) == 0.02
        ltg = self.patients.features.index("ltg")
        assert round(states[10_000][ltg]) == 8
        assert round(np.linalg.solve(A, c)[ltg]) == 68
        assert np.argmax(np.abs(np.linalg.eigh(A)[1][:, 0])) == ltg


def _right(exercise, *answers, seed=0):
    return assess(exercise, answers, seed).points == exercise.points


def _follow_from_each_other(chain, args):
    """`follows` and `undo`, on the right lines."""
    for before, here in itertools.pairwise(chain.lines):
        now, there = here.reference(*args), before.reference(*args)
        step = here.follows if here.undo or callable(here.follows) else here.follows[0]
        given, wanted = (here.undo(now, *args), there) if here.undo else (now, step(there, *args))
        for one, other in zip(given, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


class TestTheDescentLemma:
    """Each line of the derivation, put together, against the one before."""

    cases = tuple(args for seed in range(5) for args in checks._steps(np.random.default_rng(seed)))

    @pytest.mark.parametrize("args", cases)
    def test_lines_1_to_3_are_f_after_the_step(self, args):
        w, A, c, eta = args
        g = A @ w - c
        after = pytest.approx(checks._line_1(*args))
        a0, a1, a2, b0, b1 = checks._line_2(*args)
        v = w - eta * g
        assert a0 + a1 * eta + a2 * eta**2 == pytest.approx(v @ A @ v / 2)
        assert b0 + b1 * eta == pytest.approx(-c @ v)
        value, slope, bound, slack = checks._line_3(*args)
        assert value + slope * eta + (bound - slack) * eta**2 == after

    @pytest.mark.parametrize("args", cases)
    def test_line_4_is_line_3_without_its_slack_and_no_smaller(self, args):
        w, A, c, eta = args
        *_, slack = checks._line_3(*args)
        value, k = checks._line_4(*args)
        g = A @ w - c
        assert slack >= 0
        assert value - k * g @ g == pytest.approx(checks._line_1(*args) + slack * eta**2)
        assert k * g @ g == pytest.approx(gd.guaranteed_decrease(eta, np.linalg.norm(A, 2), g))

    @pytest.mark.parametrize("args", cases)
    def test_the_slope_is_the_derivative_by_eta(self, args):
        w, A, c, _ = args
        up, down = (checks._line_1(w, A, c, eta) for eta in (1e-4, -1e-4))
        assert checks._line_3(*args)[1] == pytest.approx((up - down) / 2e-4)

    @pytest.mark.parametrize("args", cases)
    def test_lines_follow_from_each_other(self, args):
        _follow_from_each_other(checks.descent_lemma, args)

    def test_a_slip_costs_its_own_line_only(self):
        def line_2(w, A, c, eta):
            g = A @ w - c
            return w @ A @ w / 2, -w @ A @ g, g @ A @ g, -c @ w, c @ g

        def line_3(w, A, c, eta):
            g, M = A @ w - c, np.linalg.eigvalsh(A)[-1]
            return w @ A @ w / 2 - c @ w, -g @ g, M * g @ g, M * g @ g - g @ A @ g

        def line_4(w, A, c, eta):
            return w @ A @ w / 2 - c @ w, eta - np.linalg.eigvalsh(A)[-1] * eta**2

        verdict = assess(checks.descent_lemma, (line_2, line_3, line_4))
        assert [step.right for step in verdict.steps] == [False, True, True]

    @pytest.mark.parametrize(
        ("a2", "bound"),
        [
            (lambda A, M, g: g @ g / 2, lambda A, M, g: g @ g / 2),
            (lambda A, M, g: g @ g / 2, lambda A, M, g: M * g @ g / 2),
            (lambda A, M, g: M * g @ g / 2, lambda A, M, g: M * g @ g / 2),
            (lambda A, M, g: -g @ A @ g / 2, lambda A, M, g: M * g @ g / 2),
            (lambda A, M, g: -g @ A @ g / 2, lambda A, M, g: -M * g @ g / 2),
            (lambda A, M, g: -g @ A @ g / 2, lambda A, M, g: -np.linalg.eigvalsh(A)[0] * g @ g / 2),
            (lambda A, M, g: -g @ A @ g / 2, lambda A, M, g: 0.0),
        ],
        ids=["A lost", "A lost, with M", "M already", "minus, above 0", "minus, with M", "minus, smallest", "minus, 0"],
    )
    def test_a_wrong_coefficient_has_a_bound_of_its_own(self, a2, bound):
        """They were refused, or told that a sign of the slack is wrong."""

        def split(w, A, c):
            g, M = A @ w - c, np.linalg.eigvalsh(A)[-1]
            return g, a2(A, M, g), bound(A, M, g)

        def line_2(w, A, c, eta):
            g, square, _ = split(w, A, c)
            return w @ A @ w / 2, -w @ A @ g, square, -c @ w, c @ g

        def line_3(w, A, c, eta):
            g, square, most = split(w, A, c)
            return w @ A @ w / 2 - c @ w, -g @ g, most, most - square

        def line_4(w, A, c, eta):
            g, _, most = split(w, A, c)
            return w @ A @ w / 2 - c @ w, eta - most * eta**2 / (g @ g)

        verdict = assess(checks.descent_lemma, (line_2, line_3, line_4))
        assert [step.right for step in verdict.steps] == [False, True, True]

    def test_a_wrong_coefficient_with_A_is_not_its_own_bound(self):
        def line_2(w, A, c, eta):
            g = A @ w - c
            return w @ A @ w / 2, -w @ A @ g, g @ A @ g, -c @ w, c @ g

        def line_3(w, A, c, eta):
            g = A @ w - c
            return w @ A @ w / 2 - c @ w, -g @ g, g @ A @ g, 0

        assert not assess(checks.descent_lemma, (line_2, line_3, ...)).steps[1].right

    @pytest.mark.parametrize(
        ("part", "answer"),
        [
            (0, lambda w, A, c, eta: (w @ A @ w / 2 - c @ w, -(g := A @ w - c) @ g, g @ A @ g / 2, 0, 0)),
            (1, lambda w, A, c, eta: (*checks._line_3(w, A, c, eta)[:2], (g := A @ w - c) @ A @ g / 2, 0)),
        ],
    )
    def test_the_whole_is_right_and_the_parts_are_not(self, part, answer):
        lines = [answer if i == part else ... for i in range(3)]
        assert "not divided up as it is asked for" in assess(checks.descent_lemma, lines).steps[part].says


class TestAnswersOfStrangers:
    """Right answers that were refused, and wrong ones that were accepted."""

    @pytest.mark.parametrize("start", [4.472136, -4.4721359551, float(np.nextafter(np.sqrt(20), 5)), -1e200])
    def test_starts_a_little_beyond_the_edge(self, start):
        assert _right(checks.runaway_start, start)

    def test_largest_eigenvalue_without_the_h(self):
        """Several eigenvalues 0 came back as complex pairs, and all numbers with them."""
        assert all(
            _right(checks.gd_stable_step, lambda X: 1 / max(np.linalg.eigvals(X.T @ X)), seed=k) for k in range(5)
        )

    @pytest.mark.parametrize(
        ("X", "eta"),
        [
            ([[0.5, 0.8, -0.2], [-0.1, 0.0, 0.9]], 1.17),
            ([[0.1, -0.5, -0.3, 0.4], [0.2, 0.0, -0.3, 0.5], [-0.2, -0.3, 0.7, -0.4]], 1.509),
        ],
    )
    def test_no_step_makes_the_printed_factor_of_dependent_columns_less_than_one(self, X, eta):
        """But rounding did: the eigenvalue 0 came out above it."""

        def factor(X, eta):
            return np.linalg.norm(np.eye(X.shape[1]) - 2 * eta * X.T @ X, 2)

        assert not _right(checks.descent_factor, factor, (X, eta))
        assert _right(checks.descent_factor, factor, ([[1.0, 0.0], [0.0, 2.0]], 0.4))

    @pytest.mark.parametrize("seed", range(4))
    def test_careless_answers(self, seed):
        def after(w, lams, c, eta, t):
            return c / lams + (1 - eta * lams) ** t * (w - c / lams)

        def promise(w, X, y, eta):
            g = 2 * X.T @ (X @ w - y)
            return (eta - eta**2 * np.linalg.norm(X, 2) ** 2) * g @ g

        assert _right(checks.gd_after, lambda *args: after(*args), seed=seed)
        assert not _right(checks.gd_after, lambda w, *rest: after(abs(w), *rest), seed=seed)
        assert not _right(checks.gd_after, lambda w, lams, c, *rest: after(w, lams, abs(c), *rest), seed=seed)
        assert not _right(checks.gd_decrease, lambda *args: max(promise(*args), 0), seed=seed)

    def test_sign_that_stays_for_an_even_number_of_steps(self):
        verdict = assess(checks.gd_after, (checks.gd_after.mistakes[5].answer,))
        assert verdict.finding.says.startswith("The sign of 1 − ηλ stays")

    @pytest.mark.parametrize("seed", range(5))
    def test_steps_and_sweeps_that_stop_at_one(self, seed):
        def sweep(w, A, c):
            return np.minimum(np.linalg.solve(np.tril(A), c - np.triu(A, 1) @ w), 1)

        assert not _right(checks.gd_best_step, lambda a, b: min(1 / (2 * a), 1), seed=seed)
        assert not _right(checks.gd_sweep, sweep, seed=seed)

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (
                0,
                lambda w, A, c, eta: (w @ A @ w / 2, -w @ A @ (g := A @ w - c), g @ g / 2, -c @ w, c @ g),
                "A is lost in a₂",
            ),
            (
                0,
                lambda w, A, c, eta: (w @ A @ w / 2, -(g := A @ w - c) @ g, g @ A @ g / 2, -c @ w, c @ g),
                "Aw was taken for g",
            ),
            (
                1,
                lambda w, A, c, eta: (*(right := checks._line_3(w, A, c, eta))[:3], right[2] - right[3]),
                "The slack is a₂ itself",
            ),
            (2, lambda w, A, c, eta: (checks._line_4(w, A, c, eta)[0], eta / 2), "asked for is that of every η"),
        ],
    )
    def test_a_line_of_the_derivation_is_told_what_is_wrong_with_it(self, part, answer, says):
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.descent_lemma.lines]
        lines[part] = answer
        verdict = assess(checks.descent_lemma, tuple(lines))
        assert not verdict.steps[part].right
        assert says in verdict.finding.says

    def test_the_task_does_not_print_what_line_2_asks_for(self):
        assert "gᵀAg" not in checks.descent_lemma.task()

    def test_a_bound_that_is_twice_too_large_is_not_the_smallest(self):
        """The task asked for a multiple of ‖g‖²: any large one was right by its words, and refused."""

        def line_3(w, A, c, eta):
            value, slope, bound, slack = checks._line_3(w, A, c, eta)
            return value, slope, 2 * bound, bound + slack

        lines = [lambda *args, own=line.reference: own(*args) for line in checks.descent_lemma.lines]
        verdict = assess(checks.descent_lemma, (lines[0], line_3, lines[2]))
        assert "the smallest multiple of ‖g‖²" in checks.descent_lemma.task()
        assert "The bound is twice as large as it has to be" in verdict.finding.says
