"""mlcore.bias_variance against independent oracles: enumeration of all noise, optimisers, quadrature, scikit-learn."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import integrate, optimize, stats
from sklearn.linear_model import LinearRegression

from mlcore import bias_variance, ridge
from mlcore.checks import bias_variance as checks
from mlcore.engine.exercises.assess import assess
from mlcore.explore import bias_variance as explore

X1, W_TRUE, W0, SIGMA = np.array([1.0, 1.0, 2.0, 2.0]), 2.0, 0.5, 1.0  # Σx² = 10


def every_noise(n, sigma):
    """All 2ⁿ noises with entries ±σ: mean 0, variance σ², independent, and a mean over them is exact."""
    return sigma * np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def all_estimates(lam, x=X1, w_true=W_TRUE, w0=W0, sigma=SIGMA):
    """ŵ(λ) for every noise, each by the general ridge fit."""
    labels = w_true * x + every_noise(len(x), sigma)
    return np.array([ridge.fit(x[:, None], y, lam, w0)[0] for y in labels])


@given(arrays(float, 6, elements=st.floats(-1e3, 1e3)), st.floats(-1e3, 1e3))
def test_variance_and_squared_bias_add_up(e, theta):
    """(7.1)."""
    variance, bias = bias_variance.split(e, theta)
    np.testing.assert_allclose(variance + bias**2, np.mean((e - theta) ** 2), rtol=1e-9, atol=1e-9)


def test_estimate_is_ridge_with_one_column():
    """(7.2), for many data sets at once and for one."""
    y = W_TRUE * X1 + every_noise(4, SIGMA)
    np.testing.assert_allclose(bias_variance.estimate(X1, y, 1.5, W0), all_estimates(1.5))
    np.testing.assert_allclose(bias_variance.estimate(X1, y[3], 1.5, W0), all_estimates(1.5)[3])


@pytest.mark.parametrize("lam", [0.0, 0.4, 1.5, 30.0])
@pytest.mark.parametrize("w0", [0.5, 3.0])
def test_bias_variance_and_error_of_the_weight(lam, w0):
    """(7.3), (7.4) and (7.5), by enumeration."""
    found = all_estimates(lam, w0=w0, sigma=0.7)
    np.testing.assert_allclose(bias_variance.bias(lam, X1, W_TRUE, w0), found.mean() - W_TRUE, atol=1e-12)
    np.testing.assert_allclose(bias_variance.variance(lam, X1, 0.7), found.var())
    np.testing.assert_allclose(bias_variance.mse(lam, X1, W_TRUE, w0, 0.7), np.mean((found - W_TRUE) ** 2))


@pytest.mark.parametrize(("w0", "sigma"), [(0.5, 1.0), (1.2, 0.5), (3.0, 2.0)])
def test_best_penalty_is_the_minimiser(w0, sigma):
    """(7.6) and (7.7), against an optimiser of the enumerated error."""

    def error(log_lam):
        return np.mean((all_estimates(np.exp(log_lam), w0=w0, sigma=sigma) - W_TRUE) ** 2)

    found = optimize.minimize_scalar(error, bracket=(-2, 2), tol=1e-10)
    np.testing.assert_allclose(bias_variance.best_penalty(W_TRUE, w0, sigma), np.exp(found.x), rtol=1e-4)
    np.testing.assert_allclose(bias_variance.best_mse(X1, W_TRUE, w0, sigma), found.fun, rtol=1e-9)
    assert bias_variance.best_mse(X1, W_TRUE, w0, sigma) < bias_variance.mse(0.0, X1, W_TRUE, w0, sigma)


def test_estimated_penalty_takes_least_squares_for_the_truth():
    """(7.8)."""
    y = np.random.default_rng(0).normal(size=(5, 4))
    for row, found in zip(y, bias_variance.estimate_with_estimated_penalty(X1, y, 0.5, 0.7), strict=True):
        free = ridge.fit(X1[:, None], row, 0.0)[0]
        np.testing.assert_allclose(found, ridge.fit(X1[:, None], row, 0.7**2 / (free - 0.5) ** 2, 0.5)[0])


def test_error_of_the_estimated_penalty_is_its_integral():
    """(7.8): the curve of the figure, by quadrature over what least squares finds."""
    figure = explore.Guess()
    for w0, shown in list(zip(figure.guesses, figure.estimated, strict=True))[::25]:

        def integrand(free, w0=w0):
            shrunk = w0 + (free - w0) * 10 * (free - w0) ** 2 / (10 * (free - w0) ** 2 + 1)
            return (shrunk - 2) ** 2 * stats.norm.pdf(free, 2, np.sqrt(0.1))

        np.testing.assert_allclose(shown, integrate.quad(integrand, -1, 5, points=[2.0, w0])[0], rtol=0.05)


def test_predictions_are_scikit_learns():
    rng = np.random.default_rng(1)
    X, Y, at = rng.normal(size=(12, 3)), rng.normal(size=(5, 12)), rng.normal(size=(7, 3))
    peers = [LinearRegression(fit_intercept=False).fit(X, y).predict(at) for y in Y]
    np.testing.assert_allclose(bias_variance.predictions(X, Y, at), peers)
    np.testing.assert_allclose(bias_variance.powers([2.0, 3.0], 2), [[1, 2, 4], [1, 3, 9]])


def test_three_parts_add_up_over_all_pairs_of_data_set_and_label():
    """(7.9) and (7.10), by enumeration: every data set with every new label."""
    x = np.array([-1.0, -0.3, 0.2, 0.9])
    t, sigma = np.exp(x), 0.5
    X, noise = bias_variance.powers(x, 1), every_noise(4, sigma)
    fits = bias_variance.predictions(X, t + noise, X)
    H, Y = np.repeat(fits, len(noise), axis=0), np.tile(t + noise, (len(noise), 1))
    parts = bias_variance.prediction_parts(H, Y, t)
    np.testing.assert_allclose(sum(parts), np.mean((H - Y) ** 2))
    np.testing.assert_allclose(parts[2], sigma**2)
    np.testing.assert_allclose(bias_variance.cross_terms(H, Y, t), 0, atol=1e-12)


def test_cross_terms_close_the_gap_on_any_sample():
    """(7.10): where they do not vanish, they are what is missing."""
    rng = np.random.default_rng(2)
    H, Y, t = rng.normal(size=(5, 4)), rng.normal(size=(5, 4)), rng.normal(size=4)
    gap = np.mean((H - Y) ** 2) - sum(bias_variance.prediction_parts(H, Y, t))
    np.testing.assert_allclose(2 * sum(bias_variance.cross_terms(H, Y, t)), gap)


def test_expected_error_of_least_squares():
    """(7.11), by enumeration; with the labels that were fitted it is lower by 2σ²d/n."""
    rng = np.random.default_rng(3)
    X, t, sigma = rng.normal(size=(5, 2)), rng.normal(size=5), 0.8
    noise = every_noise(5, sigma)
    fitted = np.array([X @ np.linalg.lstsq(X, y, rcond=None)[0] for y in t + noise])
    test_error = np.mean((fitted[:, None] - (t + noise)[None]) ** 2)
    training_error = np.mean((fitted - (t + noise)) ** 2)
    np.testing.assert_allclose(bias_variance.expected_test_error(X, t, sigma), test_error)
    np.testing.assert_allclose(test_error - training_error, 2 * sigma**2 * 2 / 5)
    variance, bias2, _ = bias_variance.expected_parts(X, t, sigma)
    np.testing.assert_allclose([variance, bias2], bias_variance.prediction_parts(fitted, t + noise, t)[:2])


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"estimate: the last axis of y must have length n = 4, got shape \(4, 1\)"):
        bias_variance.estimate(X1, np.ones((4, 1)), 1.0, 0.0)
    with pytest.raises(ValueError, match=r"bias_variance.estimate: x must have shape \(n,\), got \(4, 1\)"):
        bias_variance.estimate(X1[:, None], np.ones(4), 1.0, 0.0)
    with pytest.raises(ValueError, match=r"predictions: the last axis of Y must have length n = 5, got shape \(5, 4\)"):
        bias_variance.predictions(np.ones((5, 1)), np.ones((5, 4)), np.ones((3, 1)))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_samples_of_patients(self):
        spread = explore.Samples().compute().spread
        assert 1.7 < spread[5] / spread[1] < 2  # "almost twice as widely"

    def test_the_worked_example(self):
        assert X1 @ X1 == 10
        assert bias_variance.mse(0.0, X1, W_TRUE, W0, SIGMA) == pytest.approx(0.1)
        assert bias_variance.mse(1.5, X1, W_TRUE, W0, SIGMA) == pytest.approx(0.1139, abs=5e-5)
        assert bias_variance.mse(1e12, X1, W_TRUE, W0, SIGMA) == pytest.approx(2.25)
        assert bias_variance.best_penalty(W_TRUE, W0, SIGMA) == pytest.approx(0.444, abs=5e-4)
        assert bias_variance.best_mse(X1, W_TRUE, W0, SIGMA) == pytest.approx(0.09574, abs=5e-6)

    def test_simulation_agrees_with_the_formulas(self):
        y = W_TRUE * X1 + SIGMA * np.random.default_rng(0).normal(size=(40_000, 4))
        estimates = bias_variance.estimate(X1, y, 1.5, W0)
        variance, bias = bias_variance.split(estimates, W_TRUE)
        assert variance == pytest.approx(bias_variance.variance(1.5, X1, SIGMA), rel=0.02)
        assert bias == pytest.approx(bias_variance.bias(1.5, X1, W_TRUE, W0), rel=0.02)

    def test_best_penalty_of_the_slider(self):
        figure = explore.TradeOff()
        best = [figure.compute(lam=1.0, w0=w0, n=10).best for w0 in (1.5, 1.9, 2.0)]
        assert best == [pytest.approx(4), pytest.approx(100), np.inf]

    def test_how_wrong_a_guess_may_be(self):
        figure = explore.Guess()
        reach = figure.compute(**figure.start).reach
        assert round(reach, 2) == 0.86
        assert 2 / 5 < reach / 2 < 1 / 2  # "more than two fifths of the true weight"
        helps = np.abs(figure.guesses - 2)[figure.estimated < figure.free]
        assert 0.43 < helps.max() < 0.47
        assert figure.estimated.max() / figure.free == pytest.approx(1.25, abs=0.02)  # "by up to a quarter"

    def test_degrees(self):
        figure = explore.Spaghetti()
        few, many = figure.compute(degree=9, n=20), figure.compute(degree=9, n=200)
        assert (few.best, many.best) == (3, 7)
        np.testing.assert_allclose(many.variance, few.variance / 10)
        np.testing.assert_allclose(many.bias2[:4], few.bias2[:4], rtol=0.1)  # "nearly as before"
        hill = np.abs(figure.at - 0.2) < 0.1
        cut = figure.truth(figure.at) - figure.compute(degree=3, n=20).fits.mean(axis=0)
        assert np.all(cut[hill] > 0.1)  # "its mean cuts the hill off"
        closely = figure.truth(figure.at) - few.fits.mean(axis=0)
        assert np.abs(closely).max() < cut[hill].max()

    def test_two_hundred_data_sets(self):
        rng = np.random.default_rng(0)
        x = np.linspace(-1, 1, 20)
        t = explore.Spaghetti.truth(x)
        Y, Y_new = t + 0.6 * rng.normal(size=(2, 200, 20))
        X = bias_variance.powers(x, 5)
        H = bias_variance.predictions(X, Y, X)
        total, error = sum(bias_variance.prediction_parts(H, Y_new, t)), np.mean((H - Y_new) ** 2)
        assert 0.0005 < abs(total - error) < 0.03  # "came close to the test error, not quite to it"
        new, own = (bias_variance.cross_terms(H, labels, t) for labels in (Y_new, Y))
        assert max(map(abs, (*new, own[1]))) < 0.01 < 0.1 < abs(own[0])  # "one of the four numbers is far from 0"
        assert own[0] == pytest.approx(-0.108, abs=0.01)
        assert explore.Spaghetti.sigma == 0.6


def _cases(chain):
    return [args for seed in range(5) for args in chain.cases(np.random.default_rng(seed))]


def _follow_from_each_other(chain, args):
    """`follows` and `undo`, on the right lines."""
    for before, here in itertools.pairwise(chain.lines):
        now, there = here.reference(*args), before.reference(*args)
        given, wanted = (here.undo(now, *args), there) if here.undo else (now, here.follows(there, *args))
        for one, other in zip(given, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


class TestTheTwoParts:
    """Each line of 7a, put together, against the one before."""

    @pytest.mark.parametrize("args", _cases(checks.error_split))
    def test_every_line_is_the_mean_squared_error(self, args):
        e, theta = args
        a, b = checks._split_2(e, theta)
        terms = checks._split_3(e, theta)
        np.testing.assert_allclose(a + b, e - theta)
        assert np.mean(a) == pytest.approx(0, abs=1e-12)
        np.testing.assert_allclose(sum(terms), (e - theta) ** 2)
        assert sum(checks._split_4(e, theta)) == pytest.approx(checks._split_1(e, theta))

    @pytest.mark.parametrize("args", _cases(checks.error_split))
    def test_lines_follow_from_each_other(self, args):
        _follow_from_each_other(checks.error_split, args)

    @pytest.mark.parametrize("seed", range(3))
    def test_the_sign_of_a_term_that_vanishes_is_seen(self, seed):
        def line_3(e, theta):
            a, b = checks._split_2(e, theta)
            return a**2, -2 * a * b, b**2

        verdict = assess(checks.error_split, (checks._split_2, line_3, checks._split_4), seed)
        assert verdict.points == 2
        assert "The cross term has a minus" in verdict.finding.says

    def test_a_slip_costs_its_own_line_only(self):
        def line_2(e, theta):
            return e - np.mean(e), -theta

        def line_3(e, theta):
            a, b = line_2(e, theta)
            return a**2, 2 * a * b, b**2

        def line_4(e, theta):
            return tuple(np.mean(term) for term in line_3(e, theta))

        verdict = assess(checks.error_split, (line_2, line_3, line_4))
        assert [step.right for step in verdict.steps] == [False, True, True]


class TestTheThreeParts:
    """Each line of 7g, put together, against the one before; the table of all pairs is the oracle."""

    @pytest.mark.parametrize("args", _cases(checks.three_parts))
    def test_every_line_is_the_mean_squared_error(self, args):
        h, y, t = args
        pairs = np.array([[one - label for label in y] for one in h])
        a, b, c = checks._three_2(h, y, t)
        aa, bb, cc, ab, ac, bc = checks._three_3(h, y, t)
        np.testing.assert_allclose([[one + b + label for label in c] for one in a], pairs, atol=1e-12)
        np.testing.assert_allclose([np.mean(a), np.mean(c)], 0, atol=1e-12)
        np.testing.assert_allclose((aa + ab)[:, None] + ac + (bb + bc + cc), pairs**2)
        np.testing.assert_allclose(sum(checks._three_4(h, y, t)), np.mean(pairs**2, axis=0))
        assert sum(checks._three_5(h, y, t)) == pytest.approx(np.mean(pairs**2))
        assert checks._three_1(h, y, t) == pytest.approx(np.mean(pairs**2))

    @pytest.mark.parametrize("args", _cases(checks.three_parts))
    def test_the_last_line_is_what_the_topic_computes_of_all_pairs(self, args):
        """(7.9) and (7.10): the table of all pairs as a sample, one point in each row."""
        h, y, t = args
        H, Y, t = np.repeat(h, len(y))[:, None], np.tile(y, len(h))[:, None], np.array([t])
        *parts, rest = checks._three_5(*args)
        np.testing.assert_allclose(bias_variance.prediction_parts(H, Y, t), parts)
        np.testing.assert_allclose([*bias_variance.cross_terms(H, Y, t), rest], 0, atol=1e-12)

    @pytest.mark.parametrize("args", _cases(checks.three_parts))
    def test_lines_follow_from_each_other(self, args):
        _follow_from_each_other(checks.three_parts, args)

    @pytest.mark.parametrize(
        "line_2",
        [
            lambda h, y, t: (h - np.mean(h), np.mean(h) - t, y - t),
            lambda h, y, t: (h - t, 0.0, t - y),
            lambda h, y, t: (h, 0.0, -y),
        ],
    )
    def test_a_slip_costs_its_own_line_only(self, line_2):
        def line_3(h, y, t):
            a, b, c = line_2(h, y, t)
            return a**2, b**2, c**2, 2 * a * b, 2 * np.outer(a, c), 2 * b * c

        def line_4(h, y, t):
            aa, bb, cc, ab, ac, bc = line_3(h, y, t)
            return np.mean(aa), bb, cc, np.mean(ab), np.mean(ac, axis=0), bc

        def line_5(h, y, t):
            aa, bb, cc, ab, ac, bc = line_4(h, y, t)
            return aa, bb, np.mean(cc), ab + np.mean(ac) + np.mean(bc)

        verdict = assess(checks.three_parts, (line_2, line_3, line_4, line_5))
        assert [step.right for step in verdict.steps] == [False, True, True, True]


class TestTheSlope:
    """Each line of 7c, put together, against the one before, and against differences of the error."""

    @pytest.mark.parametrize("args", _cases(checks.mse_slope))
    def test_line_2_is_the_derivative(self, args):
        lam, *rest = args
        first, second, denominator = checks._mse_2(*args)
        step = 1e-5 * lam
        slope = (checks._mse_1(lam + step, *rest) - checks._mse_1(lam - step, *rest)) / (2 * step)
        assert (first - second) / denominator == pytest.approx(slope, rel=1e-5, abs=1e-9)

    @pytest.mark.parametrize("args", _cases(checks.mse_slope))
    def test_lines_3_and_4_are_line_2(self, args):
        first, second, denominator = checks._mse_2(*args)
        slope = pytest.approx((first - second) / denominator)
        over = checks._mse_3(*args)
        assert np.polyval(over[0], args[0]) / over[2] == pytest.approx(first / denominator)
        assert np.polyval(over[1], args[0]) / over[2] == pytest.approx(second / denominator)
        numerator, below = checks._mse_4(*args)
        assert np.polyval(numerator, args[0]) / below == slope
        assert checks._slope(*args) == slope

    @pytest.mark.parametrize("args", _cases(checks.mse_slope))
    def test_lines_follow_from_each_other(self, args):
        _follow_from_each_other(checks.mse_slope, args)

    def test_a_slip_costs_its_own_line_only(self):
        def line_2(lam, s2, delta, sigma):
            return (
                2 * lam * delta**2 * (s2 + lam) ** 2,
                (lam**2 * delta**2 + s2 * sigma**2) * (s2 + lam),
                (s2 + lam) ** 4,
            )

        def line_3(lam, s2, delta, sigma):
            second = np.array([delta**2, 0, s2 * sigma**2])
            return np.array([2 * delta**2, 2 * s2 * delta**2, 0]), second, (s2 + lam) ** 3

        def line_4(lam, s2, delta, sigma):
            return np.array([delta**2, 2 * s2 * delta**2, -s2 * sigma**2]), (s2 + lam) ** 3

        verdict = assess(checks.mse_slope, (line_2, line_3, line_4))
        assert [step.right for step in verdict.steps] == [False, True, True]


class TestAnswersOfStrangers:
    """Wrong answers that some draws or all of them accepted, and right ones that were refused."""

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda e, theta: (e, -theta), "the mean of a is ē, not 0"),
            (0, lambda e, theta: (e - theta, 0), "a is the whole bracket"),
            (
                1,
                lambda e, theta: (e - e.mean(), 2 * (e - e.mean()) * (e.mean() - theta), e.mean() - theta),
                "without their squares",
            ),
            (1, lambda e, theta: ((theta - e) ** 2, 0 * e, 0), "Nothing was multiplied out"),
            (2, lambda e, theta: (0.0, 0.0, (e.mean() - theta) ** 2), "the square of a mean"),
            (2, lambda e, theta: (e.var(), 0.0, e.mean() - theta), "has lost its square"),
            (2, lambda e, theta: ((e.mean() - theta) ** 2, 0.0, e.var()), "are exchanged"),
        ],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_the_split_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(3)]
        assert says in assess(checks.error_split, lines, seed).steps[part].says

    def test_what_is_said_of_a_holds_whatever_b_is(self):
        """Of (e, −θ) it said that ē was added, and that a + b is not the bracket. It is, and nothing was added."""
        says = assess(checks.error_split, (lambda e, theta: (e, -theta), ..., ...)).steps[0].says
        assert "a + b is the bracket" in says

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda lam, s2, delta, sigma: _by_quotient(lam, s2, delta, sigma, second=-1), "has a minus"),
            (
                0,
                lambda lam, s2, delta, sigma: _by_quotient(lam, s2, delta, sigma, second=1 / (s2 + lam)),
                "lost its bracket",
            ),
            (
                0,
                lambda lam, s2, delta, sigma: _by_quotient(lam, s2, delta, sigma, first=0.5, second=0.5),
                "Both products lost a 2",
            ),
            (0, lambda lam, s2, delta, sigma: _by_quotient(lam, s2, delta, sigma, first=(s2 + lam) ** -2), "f′ alone"),
            (
                0,
                lambda lam, s2, delta, sigma: [part / (s2 + lam) for part in _by_quotient(lam, s2, delta, sigma)],
                "cancelled already",
            ),
            (
                2,
                lambda lam, s2, delta, sigma: ([0, 2 * s2 * delta**2 * lam, -2 * s2 * sigma**2], (s2 + lam) ** 3),
                "λ is multiplied in",
            ),
            (
                2,
                lambda lam, s2, delta, sigma: ([0, delta**2, -(sigma**2)], (s2 + lam) ** 3 / s2 / 2),
                "a factor was cancelled",
            ),
        ],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_the_slope_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(3)]
        assert says in assess(checks.mse_slope, lines, seed).steps[part].says

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda h, y, t: (h - h.mean(), h.mean(), -y), "the mean of c is −t, not 0"),  # was told: t was added
            (0, lambda h, y, t: (h - t, 0, -y), "The mean of a is h̄ − t"),  # was told: it is b
            (0, lambda h, y, t: (h - h.mean(), 0.0, t - y), "b is 0"),
            (1, lambda h, y, t: _six(h - h.mean(), h.mean() - t, t - y, bc=y.mean() - t), "b with c is 0"),
            (1, lambda h, y, t: _six(h - h.mean(), h.mean() - t, t - y, bc=0.5), "a factor 2 is missing"),
            (
                2,
                lambda h, y, t: (
                    h.var(),
                    (h.mean() - t) ** 2,
                    (t - y) ** 2 / len(h),
                    0,
                    0 * y,
                    2 * (h.mean() - t) * (t - y) / len(h),
                ),
                "is its own mean",
            ),
            (3, lambda h, y, t: (h.var(), (h.mean() - t) ** 2, np.sum((t - y) ** 2), 0), "a sum over the labels"),
            (3, lambda h, y, t: (y.var(), (h.mean() - t) ** 2, h.var(), 0), "have changed places"),
        ],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_the_three_parts_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(4)]
        assert says in assess(checks.three_parts, lines, seed).steps[part].says

    @pytest.mark.parametrize("seed", range(3))
    def test_the_labels_may_tell_the_truth_by_their_mean(self, seed):
        def line_2(h, y, t):
            table = h[:, None] - y
            return table.mean(axis=1) - table.mean(), table.mean(), table.mean(axis=0) - table.mean()

        def line_3(h, y, t):
            return _six(h - h.mean(), h.mean() - y.mean(), y.mean() - y)

        assert assess(checks.three_parts, (line_2, line_3, ..., ...), seed).points == 2

    @pytest.mark.parametrize(
        ("exercise", "answer"),
        [
            (checks.best_lam, lambda x, w_true, w0, sigma: sigma**2 / (w_true - abs(w0)) ** 2),
            (checks.best_lam, lambda x, w_true, w0, sigma: min(sigma**2 / (w_true - w0) ** 2, 1.0)),
            (checks.best_error, lambda x, w_true, w0, sigma: sigma**2 / (x @ x + sigma**2 / (w_true - abs(w0)) ** 2)),
            (checks.best_error, lambda x, w_true, w0, sigma: sigma**2 / (x @ x + sigma**2 / (abs(w_true) - w0) ** 2)),
        ],
    )
    def test_a_guess_of_either_sign_is_tried(self, exercise, answer):
        assert not any(assess(exercise, (answer,), seed).right for seed in range(0, 100, 10))

    @pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
    def test_memorised_labels_may_have_any_size(self, size):
        assert assess(checks.memorised_labels, ([[size, size], [size + size / 1e6, size + size / 1e6]],)).right
        assert not assess(checks.memorised_labels, ([[size, size], [2 * size, 2 * size + size / 1e6]],)).right


def _by_quotient(lam, s2, delta, sigma, first=1.0, second=1.0):
    """Line 2 of the slope, each product times a number."""
    g = (s2 + lam) ** 2
    return first * 2 * lam * delta**2 * g, second * (2 * s2 + 2 * lam) * (lam**2 * delta**2 + s2 * sigma**2), g * g


def _six(a, b, c, bc=1.0):
    """Line 3 of the three parts, its last term times a number."""
    return a**2, b**2, c**2, (a + b) ** 2 - a**2 - b**2, 2 * np.outer(a, c), bc * ((b + c) ** 2 - b**2 - c**2)
