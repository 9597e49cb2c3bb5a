"""mlcore.matrix_calculus against independent oracles: finite differences, optimisers, scipy, brute force."""

from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eig, sqrtm
from scipy.optimize import approx_fprime, check_grad, minimize

from mlcore import matrix_calculus as mc
from mlcore.checks import matrix_calculus as exercises
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import matrix_calculus as explore

Q = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])


def _slopes(f, x, h=1e-6):
    return np.array([(f(x + step) - f(x - step)) / (2 * h) for step in h * np.eye(len(x))])


@pytest.fixture(params=[(8, 3), (3, 5)], ids=["tall", "wide"])
def problem(request):
    rng = np.random.default_rng(0)
    n, d = request.param
    return rng.normal(size=d), rng.normal(size=(n, d)) + 1, rng.normal(size=n) + 3


@pytest.fixture(params=[2, 3, 6])
def symmetric(request):
    A = np.random.default_rng(request.param).normal(size=(request.param, request.param))
    return A + A.T


def _order(errors, steps):
    """The slope of the error on logarithmic axes."""
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


def test_first_order_misses_by_the_square_of_the_step():
    """(2.1), on a function with a known gradient."""
    x, delta, steps = np.array([0.3, -0.7]), np.array([1.0, 0.5]), np.geomspace(1e-3, 1e-1, 9)
    errors = [abs(mc.taylor_1(mc.ground(x), mc.ground_gradient(x), delta, e) - mc.ground(x + e * delta)) for e in steps]
    np.testing.assert_allclose(_order(errors, steps), 2, atol=0.2)


@pytest.mark.parametrize("d", [2, 3, 6])
def test_gradient_of_a_quadratic_form(d):
    """(2.2), for a matrix without symmetry."""
    rng = np.random.default_rng(d)
    A, x = rng.normal(size=(d, d)), rng.normal(size=d)
    np.testing.assert_allclose(mc.quadratic_gradient(x, A), _slopes(lambda z: z @ A @ z, x), rtol=1e-6, atol=1e-8)


def test_gradient_of_a_linear_form_is_its_vector():
    c = np.array([2.0, -1.0, 0.5])
    np.testing.assert_allclose(_slopes(lambda z: c @ z, np.ones(3)), c)


def test_gradient_and_hessian_of_least_squares(problem):
    """(2.3) and (2.4)."""
    w, X, y = problem
    np.testing.assert_allclose(mc.squares_gradient(w, X, y), _slopes(lambda v: np.sum((X @ v - y) ** 2), w), rtol=1e-6)
    rows = [approx_fprime(w, lambda v, j=j: mc.squares_gradient(v, X, y)[j]) for j in range(len(w))]
    np.testing.assert_allclose(mc.squares_hessian(w, X, y), rows, rtol=1e-5, atol=1e-4)


def test_hessian_of_least_squares_by_values_alone(problem):
    """(2.4): the second difference of the loss, which is exact for a quadratic function."""
    w, X, y = problem
    steps = np.eye(len(w))

    def loss(v):
        return np.sum((X @ v - y) ** 2)

    H = [[loss(w + a + b) - loss(w + a) - loss(w + b) + loss(w) for b in steps] for a in steps]
    np.testing.assert_allclose(mc.squares_hessian(w, X, y), H, atol=1e-9)


def test_derivatives_of_the_ground():
    x = np.array([0.4, -1.2])
    assert check_grad(mc.ground, mc.ground_gradient, x) < 1e-6
    rows = [_slopes(lambda z, j=j: mc.ground_gradient(z)[j], x) for j in range(2)]
    np.testing.assert_allclose(mc.ground_hessian(x), rows, atol=1e-8)
    np.testing.assert_allclose(mc.ground(np.array([x, 2 * x])), [mc.ground(x), mc.ground(2 * x)])


def test_second_order_misses_by_the_cube_of_the_step():
    """(2.5)."""
    x, delta, steps = np.array([0.3, -0.7]), np.array([1.0, 0.5]), np.geomspace(1e-3, 1e-1, 9)
    facts = mc.ground(x), mc.ground_gradient(x), mc.ground_hessian(x)
    errors = [abs(mc.taylor_2(*facts, delta, e) - mc.ground(x + e * delta)) for e in steps]
    np.testing.assert_allclose(_order(errors, steps), 3, atol=0.1)


def test_without_the_half_the_second_order_is_no_better_than_the_first():
    x, delta, steps = np.array([0.3, 0.5]), np.array([1.0, -2.0]), np.geomspace(1e-4, 1e-2, 9)
    printed = [
        mc.ground(x) + e * mc.ground_gradient(x) @ delta + e**2 * delta @ mc.ground_hessian(x) @ delta for e in steps
    ]
    errors = [abs(value - mc.ground(x + e * delta)) for value, e in zip(printed, steps, strict=True)]
    np.testing.assert_allclose(_order(errors, steps), 2, atol=0.2)


def test_quadratic_form_along_eigenvectors(symmetric):
    """(2.6)."""
    x = np.random.default_rng(1).normal(size=len(symmetric))
    np.testing.assert_allclose(mc.spectral_form(x, symmetric), x @ symmetric @ x)


@given(seed=st.integers(0, 10_000), d=st.integers(1, 5))
def test_semidefinite_means_no_negative_eigenvalue(seed, d):
    """(2.6): among many x and the eigenvectors, some xᵀAx is negative exactly if an eigenvalue is."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(d, d))
    A = A + A.T
    lam, V = np.linalg.eigh(A)
    values = [x @ A @ x / (x @ x) for x in np.vstack([rng.normal(size=(20, d)), V.T])]
    assert (min(values) >= -1e-9) == (lam[0] >= -1e-9)


@pytest.mark.parametrize("rank", [1, 2, 4])
def test_factor_gives_the_matrix_back(rank):
    """(2.7), also without full rank; for full rank against the symmetric root of scipy, from which it is turned."""
    B = np.random.default_rng(rank).normal(size=(rank, 4))
    A = B.T @ B
    Phi = mc.factor(A)
    np.testing.assert_allclose(Phi.T @ Phi, A, atol=1e-12)
    if rank == 4:
        turn = Phi @ np.linalg.inv(sqrtm(A))
        np.testing.assert_allclose(turn @ turn.T, np.eye(4), atol=1e-8)


def test_rayleigh_quotient_and_its_bounds(symmetric):
    """(2.8) and (2.10), against an optimiser that knows only R."""
    rng = np.random.default_rng(2)
    assert np.isclose(mc.rayleigh(np.array([1.0, 2.0]), np.array([[1.0, 4.0], [0.0, 3.0]])), 21 / 5)
    ends = np.linalg.eigvalsh(symmetric)[[0, -1]]
    for sign, end in zip((1, -1), ends, strict=True):
        starts = rng.normal(size=(5, len(symmetric)))
        found = [minimize(lambda x, s=sign: s * mc.rayleigh(x, symmetric), x, tol=1e-10).fun for x in starts]
        np.testing.assert_allclose(sign * min(found), end, rtol=1e-5)
    R = [mc.rayleigh(x, symmetric) for x in rng.normal(size=(500, len(symmetric)))]
    assert ends[0] <= min(R) <= max(R) <= ends[1]


def test_gradient_of_the_rayleigh_quotient(symmetric):
    """(2.9) and (2.12)."""
    x = np.random.default_rng(3).normal(size=len(symmetric))
    expected = _slopes(lambda z: mc.rayleigh(z, symmetric), x)
    np.testing.assert_allclose(mc.rayleigh_gradient(x, symmetric), expected, atol=1e-7)
    np.testing.assert_allclose(exercises._line_5(0, x, x, symmetric) @ x, expected, atol=1e-7)
    A = symmetric + np.triu(np.ones(symmetric.shape), 1)
    general = _slopes(lambda z: mc.rayleigh(z, A), x)
    np.testing.assert_allclose(mc.rayleigh_gradient(x, A), general, atol=1e-7)
    assert np.abs(exercises.rayleigh_gradient.printed(x, A) - general).max() > 1e-3


def test_gradient_vanishes_at_eigenvectors_only(symmetric):
    for v in np.linalg.eigh(symmetric)[1].T:
        np.testing.assert_allclose(mc.rayleigh_gradient(3 * v, symmetric), 0, atol=1e-12)
    assert np.abs(mc.rayleigh_gradient(np.linalg.eigh(symmetric)[1].sum(axis=1), symmetric)).max() > 1e-3


def test_an_eigenvector_in_between_is_a_saddle():
    low, middle, high = np.linalg.eigh(Q)[1].T
    R = mc.rayleigh(middle, Q)
    assert mc.rayleigh(middle + 0.1 * low, Q) < R < mc.rayleigh(middle + 0.1 * high, Q)


def test_power_iteration_is_scipys_largest_eigenvalue():
    """(2.11), from the definition of the first steps and in the limit."""
    x0 = np.array([1.0, 1.0, 0.5])
    states = list(islice(mc.power_iteration(Q, x0), 80))
    np.testing.assert_allclose(states[0], x0 / 1.5)
    for k in (1, 5):
        straight = np.linalg.matrix_power(Q, k) @ x0
        np.testing.assert_allclose(states[k], straight / np.linalg.norm(straight))
    np.testing.assert_allclose(mc.rayleigh(states[-1], Q), eig(Q)[0].real.max())


def test_power_iteration_finds_the_eigenvalue_that_is_largest_in_size():
    A = np.diag([1.0, -2.0])
    x = next(islice(mc.power_iteration(A, np.array([1.0, 0.1])), 60, None))
    np.testing.assert_allclose(mc.rayleigh(x, A), -2)
    x = next(islice(mc.power_iteration(A + 3 * np.eye(2), np.array([1.0, 0.1])), 60, None))
    np.testing.assert_allclose(mc.rayleigh(x, A), 1)


def test_climbing_is_power_iteration():
    x, after = islice(mc.power_iteration(Q, np.array([1.0, 1.0, 0.5])), 2)
    climbed = x + mc.rayleigh_gradient(x, Q) / (2 * mc.rayleigh(x, Q))
    np.testing.assert_allclose(climbed / np.linalg.norm(climbed), after, atol=1e-15)


class TestDerivationOfTheSlope:
    cases = tuple(case for seed in range(5) for case in exercises._steps(np.random.default_rng(seed)))

    def test_the_two_polynomials_are_the_quotient_after_the_step(self):
        for eps, x, delta, A in self.cases:
            above, below = exercises._line_2(eps, x, delta, A)
            for t in (eps, -0.7, 2.0):
                powers = np.array([1, t, t**2])
                np.testing.assert_allclose(powers @ above / (powers @ below), exercises._line_1(t, x, delta, A))

    def test_the_three_ways_to_write_the_derivative_are_the_slope_at_0(self):
        for eps, x, delta, A in self.cases:
            h = 1e-4 * np.linalg.norm(x) / np.linalg.norm(delta)
            slope = (exercises._line_1(h, x, delta, A) - exercises._line_1(-h, x, delta, A)) / (2 * h)
            with_p, with_q, denominator = exercises._line_3(eps, x, delta, A)
            u, v = exercises._line_4(eps, x, delta, A)
            M = exercises._line_5(eps, x, delta, A)
            written = [(with_p + with_q) / denominator, delta @ (u - v), delta @ M @ x]
            np.testing.assert_allclose(written, slope, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(written, written[0], rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(M @ x, mc.rayleigh_gradient(x, A), atol=1e-12)

    def test_a_line_follows_from_the_one_before(self):
        for case in self.cases:
            for before, line in pairwise(exercises.rayleigh_slope.lines):
                step = line.follows if callable(line.follows) else line.follows[0]
                here, there = line.reference(*case), step(before.reference(*case), *case)
                for a, b in zip(here, there, strict=True):
                    np.testing.assert_allclose(b, a, atol=1e-10)


def test_wrong_arguments_get_one_line():
    with pytest.raises(ValueError, match=r"squares_gradient: y must have shape \(n,\) = \(4,\), got \(4, 1\)"):
        mc.squares_gradient(np.ones(2), np.ones((4, 2)), np.ones((4, 1)))
    with pytest.raises(ValueError, match=r"squares_hessian: w must have shape \(d,\) = \(2,\), got \(3,\)"):
        mc.squares_hessian(np.ones(3), np.ones((4, 2)), np.ones(4))
    with pytest.raises(ValueError, match=r"squares_gradient: X must have shape \(n, d\), got \(4,\)"):
        mc.squares_gradient(np.ones(2), np.ones(4), np.ones(4))
    with pytest.raises(ValueError, match=r"factor: A must have no negative eigenvalue, got -1"):
        mc.factor(np.diag([2.0, -1.0]))
    with pytest.raises(ValueError, match=r"factor: A must be symmetric"):
        mc.factor(np.array([[1.0, 2.0], [0.0, 1.0]]))
    with pytest.raises(ValueError, match=r"spectral_form: A must have shape \(d, d\), got \(2, 3\)"):
        mc.spectral_form(np.ones(3), np.ones((2, 3)))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_steepest_and_level_direction(self):
        ground = explore.Ground()
        slopes = {phi: ground.compute(phi).slope for phi in range(-180, 181)}
        assert max(slopes, key=slopes.get) == 21
        assert min((phi for phi in slopes if phi > 0), key=lambda phi: abs(slopes[phi])) == 111

    def test_it_bends_upwards_in_most_directions(self):
        ground = explore.Ground()
        assert 0.6 < np.mean([ground.compute(phi).bend > 0 for phi in range(-180, 180)]) < 0.9

    def test_errors_of_line_and_parabola(self):
        orders = explore.Orders()
        far, near = orders.compute(0.01), orders.compute(0.001)
        assert round(far.line / near.line) == 100
        assert round(far.parabola / near.parabola) == 1000
        assert 1e-16 < orders.compute(1e-5).parabola < 5e-15
        assert all(orders.compute(eps).parabola < 2e-15 for eps in np.geomspace(1e-7, 1e-5, 20))

    def test_eigenvalues_of_Q(self):
        np.testing.assert_allclose(np.linalg.eigvalsh(Q), [2 - np.sqrt(2), 2, 2 + np.sqrt(2)])
        x = np.random.default_rng(0).normal(size=3)
        squares = x[0] ** 2 + (x[1] - x[0]) ** 2 + (x[2] - x[1]) ** 2 + x[2] ** 2
        np.testing.assert_allclose(x @ Q @ x, squares)

    def test_third_matrix_has_no_real_eigenvalue(self):
        A = explore.Quotient.matrices["not symmetric"]
        assert np.all(np.abs(np.linalg.eigvals(A).imag) > 0.1)

    def test_iris(self):
        S = np.cov(load("iris").X.T, bias=True)
        lam = np.linalg.eigvalsh(S)
        start = np.array([1.0, 0.0, 0.0, 0.0])
        R = [mc.rayleigh(x, S) for x in islice(mc.power_iteration(S, start), 5)]
        assert round(lam[-1], 6) == round(R[3], 6) == 4.200053 != round(R[2], 6)
        assert round(lam[-1] / lam[-2]) == 17
        assert 290 < (lam[-1] / lam[-2]) ** 2 < 310
        u = np.array([0.5, -0.5, 0.5, 0.5])
        np.testing.assert_allclose(mc.rayleigh(u, S), np.var(load("iris").X @ u))

    def test_steps_of_power_iteration(self):
        power = explore.Power()
        gap = power.compute(0.5, 30).gap
        assert gap[8] > 1e-4 > gap[9]
        assert power.compute(0.9, 30).gap[-1] > 1e-4
        np.testing.assert_allclose(power.compute(-1.0, 30).R, power.compute(-1.0, 0).R[0])
        np.testing.assert_allclose(power.compute(-1.5, 30).R[-1], -1.5, atol=1e-3)

    def test_flat_point(self):
        """The loss falls by 0.005ε² along the third eigenvector."""
        fall = [mc.taylor_2(0.0, np.zeros(3), np.diag([3.0, 0.5, -0.01]), v, 0.1) / 0.01 for v in np.eye(3)]
        np.testing.assert_allclose(fall, [1.5, 0.25, -0.005])


class TestAnswersOfStrangers:
    """Wrong answers that were accepted, on seeds that showed it, and right ones whose numbers rounding decides."""

    def test_directions_on_both_sides(self):
        """|δᵀx|: the smallest of the draws has δᵀx > 0."""

        def line_2(eps, x, delta, A):
            above, (q, dq, ddq) = exercises._line_2(eps, x, delta, A)
            return above, (q, abs(dq), ddq)

        assert not assess(exercises.rayleigh_slope, (line_2, ..., ..., ...)).steps[0].right

    def test_a_quotient_below_zero(self):
        """On seed 39 every R was positive."""

        def line_4(eps, x, delta, A):
            return 2 / (x @ x) * A @ x, 2 / (x @ x) * abs(mc.rayleigh(x, A)) * x

        assert not assess(exercises.rayleigh_slope, (..., ..., line_4, ...), seed=39).steps[2].right

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda eps, x, d, A: ([d @ A @ d, 2 * x @ A @ d, x @ A @ x], [d @ d, 2 * x @ d, x @ x]), "opposite"),
            (0, lambda eps, x, d, A: ([x @ x, 2 * x @ d, d @ d], [x @ A @ x, 2 * x @ A @ d, d @ A @ d]), "exchanged"),
            (1, lambda eps, x, d, A: (2 * x @ A @ d, -2 * x @ A @ x * (x @ d) / (x @ x), x @ x), "was cancelled"),
            (1, lambda eps, x, d, A: (2 * x @ A @ d, -2 * x @ d, np.sum(x * x) ** 2), "stand alone"),
            (2, lambda eps, x, d, A: (2 * np.sum(x * x) * x @ A, 2 * np.sum(x * (A @ x)) * x), "Neither of the two"),
            (2, lambda eps, x, d, A: (2 * mc.rayleigh(x, A) * x / (x @ x), 2 * A @ x / (x @ x)), "are exchanged"),
            (1, lambda eps, x, d, A: (2 * x @ A @ d * (x @ x), 0, np.sum(x * x) ** 2), "product with q′ is missing"),
            (
                1,
                lambda eps, x, d, A: (2 * x @ A @ d / (x @ x), -2 * x @ d * mc.rayleigh(x, A) / (x @ x), 1),
                "done already",
            ),
            (2, lambda eps, x, d, A: (2 * A @ x / (x @ x), 0 * x), "v is missing"),
            (2, lambda eps, x, d, A: (2 * A @ x / (x @ x), 2 * x / (x @ x)), "R(x) is missing"),
            (3, lambda eps, x, d, A: (2 * A - np.outer(2 * x, x @ A) / (x @ x)) / (x @ x), "holds xxᵀA"),
            (3, lambda eps, x, d, A: np.outer(A @ x - mc.rayleigh(x, A) * x, 2 * x) / (x @ x) ** 2, "x in every row"),
        ],
        ids=["order", "exchanged", "q", "alone", "undivided", "swapped", "p", "1", "v", "R", "outer", "rank 1"],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_the_slope_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(4)]
        assert says in assess(exercises.rayleigh_slope, lines, seed).steps[part].says

    def test_the_task_says_that_nothing_is_cancelled(self):
        """(p′, −pq′/q, q) is the same fraction, and was refused without a word about it."""
        assert "set ε = 0 and cancel nothing" in exercises.rayleigh_slope.task()

    @pytest.mark.parametrize(("steps", "seed"), [(18, 22), (20, 5), (22, 0), (24, 2)])
    def test_too_few_steps(self, steps, seed):
        answer = lambda A, x: mc.rayleigh(exercises._iterate(A, x, steps), A)  # noqa: E731
        assert not assess(exercises.power_eigenvalue, (answer,), seed).right

    @pytest.mark.parametrize("seed", range(3))
    def test_enough_steps(self, seed):
        answer = lambda A, x: mc.rayleigh(exercises._iterate(A, x, 30), A)  # noqa: E731
        assert assess(exercises.power_eigenvalue, (answer,), seed).right

    def test_symmetry_is_no_matter_of_size(self):
        assert assess(exercises.power_breaks, (np.diag([1e-9, -2e-9]),)).right
        assert not assess(exercises.power_breaks, (np.array([[0.0, -1e-9], [1e-9, 0.0]]),)).right

    @pytest.mark.parametrize("seed", [0, 120])
    def test_signs_of_singular_vectors_do_not_matter(self, seed):
        answer = lambda A: np.sqrt((svd := np.linalg.svd(A))[1])[:, None] * svd[2]  # noqa: E731
        assert assess(exercises.psd_factor, (answer,), seed).right


class TestAMistakeCostsItsOwnLine:
    """Honest lines after a wrong one that were refused."""

    CHAIN = exercises.rayleigh_slope

    def _told(self, *lines):
        """The steps of the slope with these in the place of the last of its lines."""
        right = [line.reference for line in self.CHAIN.lines[: 4 - len(lines)]]
        return assess(self.CHAIN, (*right, *lines)).steps

    def _right(self, *lines):
        return [step.right for step in self._told(*lines)]

    @pytest.mark.parametrize("beside", [lambda eps, x, d: x + eps * d, lambda eps, x, d: d], ids=["ε left", "ε²"])
    def test_what_delta_meets_is_not_x(self, beside):
        """δᵀ(u − v) is the student's line 3, and was told that ε is back."""

        def line_3(eps, x, delta, A):
            z = beside(eps, x, delta)
            return 2 * delta @ A @ z * (z @ z), -2 * z @ A @ z * (delta @ z), (z @ z) ** 2

        def line_4(eps, x, delta, A):
            z = beside(eps, x, delta)
            return 2 * A @ z / (z @ z), 2 * (z @ A @ z) / (z @ z) ** 2 * z

        def line_5(eps, x, delta, A):
            z = beside(eps, x, delta)
            return 2 / (z @ z) * (A - (z @ A @ z) / (z @ z) * np.eye(len(x)))

        assert self._right(line_3, line_4, line_5) == [True, False, True, True]

    def test_the_coefficients_of_the_square(self):
        def line_3(eps, x, delta, A):
            return delta @ A @ delta * (x @ x), -x @ A @ x * (delta @ delta), (x @ x) ** 2

        def line_4(eps, x, delta, A):
            return A @ delta / (x @ x), (x @ A @ x) / (x @ x) ** 2 * delta

        assert self._right(line_3, line_4, exercises._line_5) == [True, False, True, True]

    def test_above_and_below_exchanged(self):
        """Then x stands in u, and Ax in v."""

        def line_2(eps, x, delta, A):
            return exercises._line_2(eps, x, delta, A)[::-1]

        def line_3(eps, x, delta, A):
            return 2 * delta @ x * (x @ A @ x), -2 * x @ x * (delta @ A @ x), (x @ A @ x) ** 2

        def line_4(eps, x, delta, A):
            return 2 / (x @ A @ x) * x, 2 * (x @ x) / (x @ A @ x) ** 2 * A @ x

        def line_5(eps, x, delta, A):
            return 2 / (x @ A @ x) * (np.eye(len(x)) - (x @ x) / (x @ A @ x) * A)

        assert self._right(line_2, line_3, line_4, line_5) == [False, True, True, True]

    @pytest.mark.parametrize(
        ("line_4", "line_5"),
        [
            (
                lambda eps, x, delta, A: (2 * mc.rayleigh(x, A) / (x @ x) * x, 2 / (x @ x) * A @ x),
                lambda eps, x, delta, A: 2 / (x @ x) * (mc.rayleigh(x, A) * np.eye(len(x)) - A),
            ),
            (
                lambda eps, x, delta, A: (2 / (x @ x) * x, 2 * mc.rayleigh(x, A) / (x @ x) * x),
                lambda eps, x, delta, A: 2 / (x @ x) * (1 - mc.rayleigh(x, A)) * np.eye(len(x)),
            ),
        ],
        ids=["exchanged", "no A in u"],
    )
    def test_u_need_not_hold_A(self, line_4, line_5):
        """They were told that the sign is reversed."""
        assert self._right(line_4, line_5) == [True, True, False, True]

    def test_the_whole_is_right_and_the_parts_are_not(self):
        def thrice(eps, x, delta, A):
            return tuple(3 * part for part in exercises._line_3(eps, x, delta, A))

        def all_in_u(eps, x, delta, A):
            u, v = exercises._line_4(eps, x, delta, A)
            return u - v, 0 * x

        told = self._told(thrice, all_in_u, exercises._line_5)
        assert [step.right for step in told] == [True, False, False, True]
        assert all("not divided up as it is asked for" in told[i].says for i in (1, 2))
