"""mlcore.maximum_likelihood against independent oracles: enumeration, scipy, optimisers, quadrature, simulation."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit

from mlcore import maximum_likelihood as ml
from mlcore.checks import maximum_likelihood as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import maximum_likelihood as explore

ROUND = {"rtol": 1e-9}


@pytest.fixture
def x():
    return np.random.default_rng(0).exponential(2.0, size=20) + 3


def test_likelihood_is_a_probability_of_sequences():
    """(3.1): over all sequences it adds up to 1, and each is a product of its tosses."""
    total = 0.0
    for tosses in itertools.product([0, 1], repeat=5):
        each = np.prod(stats.bernoulli(0.3).pmf(tosses))
        np.testing.assert_allclose(ml.likelihood(0.3, sum(tosses), 5 - sum(tosses)), each)
        total += each
    np.testing.assert_allclose(total, 1)


@given(theta=st.floats(0.01, 0.99), m1=st.integers(0, 40), m0=st.integers(0, 40))
def test_log_likelihood_and_score(theta, m1, m0):
    """(3.2) and (3.3): the logarithm of (3.1), and its slope."""
    np.testing.assert_allclose(ml.log_likelihood(theta, m1, m0), np.log(ml.likelihood(theta, m1, m0)), atol=1e-9)
    h = 1e-6 * theta * (1 - theta)
    slope = (ml.log_likelihood(theta + h, m1, m0) - ml.log_likelihood(theta - h, m1, m0)) / (2 * h)
    np.testing.assert_allclose(ml.score(theta, m1, m0), slope, rtol=1e-5, atol=1e-3)


def test_log_likelihood_survives_where_the_product_does_not():
    assert ml.likelihood(0.5, 2400, 800) == 0
    np.testing.assert_allclose(ml.log_likelihood(0.5, 2400, 800), 3200 * np.log(0.5))


@pytest.mark.parametrize(("m1", "m0"), [(4, 2), (3, 11), (57, 20)])
def test_coin_estimates_maximise(m1, m0):
    """(3.4) over θ and (3.5) over ϑ, each against an optimiser that knows only scipy's density."""

    def surprise(theta):
        return -m1 * stats.bernoulli(theta).logpmf(1) - m0 * stats.bernoulli(theta).logpmf(0)

    over_theta = minimize_scalar(surprise, bounds=(1e-6, 1 - 1e-6), method="bounded", options={"xatol": 1e-10}).x
    over_vartheta = minimize_scalar(lambda v: surprise(expit(v)), bracket=(-1, 1)).x
    np.testing.assert_allclose(ml.coin_fit(m1, m0), over_theta, atol=1e-6)
    np.testing.assert_allclose(ml.log_odds(m1, m0), over_vartheta, atol=1e-5)
    np.testing.assert_allclose(expit(ml.log_odds(m1, m0)), ml.coin_fit(m1, m0))


def test_gaussian_log_likelihood_is_scipys(x):
    """(3.6)."""
    np.testing.assert_allclose(ml.gaussian_log_likelihood(x, 4.0, 1.7), stats.norm(4.0, 1.7).logpdf(x).sum())


def test_gaussian_fit_maximises(x):
    """(3.7), against an optimiser over (μ, log σ)."""
    found = minimize(lambda p: -stats.norm(p[0], np.exp(p[1])).logpdf(x).sum(), [4.0, 0.0], tol=1e-12).x
    mu, var = ml.gaussian_fit(x)
    np.testing.assert_allclose([mu, var], [found[0], np.exp(2 * found[1])], rtol=1e-5)


def test_expected_variance_by_simulation():
    """(3.8)."""
    draws = np.random.default_rng(1).normal(scale=1.5, size=(200_000, 4)).var(axis=1)
    np.testing.assert_allclose(ml.expected_variance(1.5**2, 4), draws.mean(), rtol=0.01)


def test_residual_variance_maximises():
    """(3.9), against an optimiser over the weights and log σ together."""
    rng = np.random.default_rng(2)
    X = np.column_stack([np.ones(25), rng.normal(size=(25, 2))])
    y = X @ [3.0, 1.0, -2.0] + 0.7 * rng.normal(size=25)
    found = minimize(lambda p: -stats.norm(X @ p[:3], np.exp(p[3])).logpdf(y).sum(), np.zeros(4), tol=1e-12).x
    np.testing.assert_allclose(ml.residual_variance(X, y), np.exp(2 * found[3]), rtol=1e-4)


def test_uniform_likelihood_is_scipys_and_its_maximum_is_found_by_search():
    """(3.10) and (3.11)."""
    x = np.array([1.2, -2.95, 0.4])
    thetas = np.linspace(0.5, 6, 2201)
    by_scipy = [np.prod(stats.uniform(-t, 2 * t).pdf(x)) for t in thetas]
    np.testing.assert_allclose(ml.uniform_likelihood(thetas, x), by_scipy)
    assert ml.uniform_fit(x) == 2.95
    assert abs(thetas[np.argmax(by_scipy)] - 2.95) < 0.003
    assert ml.uniform_likelihood(2.95, x) > 0 == ml.uniform_likelihood(2.949, x)


@pytest.mark.parametrize("theta", [0.1, 0.3, 0.5, 0.85])
def test_coin_information_is_the_mean_square_of_the_score(theta):
    """(3.12), and the negative mean curvature."""
    h = 1e-6
    scores = np.array(
        [(stats.bernoulli(theta + h).logpmf(v) - stats.bernoulli(theta - h).logpmf(v)) / (2 * h) for v in (0, 1)]
    )
    np.testing.assert_allclose(ml.coin_information(theta), [1 - theta, theta] @ scores**2, rtol=1e-6)
    bends = [-(ml.score(theta + h, v, 1 - v) - ml.score(theta - h, v, 1 - v)) / (2 * h) for v in (0, 1)]
    np.testing.assert_allclose(ml.coin_information(theta), [1 - theta, theta] @ np.array(bends), rtol=1e-6)


def test_mean_information_by_quadrature():
    """(3.13)."""
    mu, sigma, h = 1.0, 1.7, 1e-4

    def weighted(v):
        slope = (stats.norm(mu + h, sigma).logpdf(v) - stats.norm(mu - h, sigma).logpdf(v)) / (2 * h)
        return slope**2 * stats.norm(mu, sigma).pdf(v)

    np.testing.assert_allclose(ml.mean_information(sigma), quad(weighted, -15, 17)[0], rtol=1e-6)


def test_standard_error_by_simulation():
    """(3.14), for a coin and for a mean."""
    rng = np.random.default_rng(3)
    coins = rng.binomial(200, 0.3, size=50_000) / 200
    np.testing.assert_allclose(ml.standard_error(200, ml.coin_information(0.3)), coins.std(), rtol=0.02)
    means = rng.normal(scale=2.0, size=(20_000, 30)).mean(axis=1)
    np.testing.assert_allclose(ml.standard_error(30, ml.mean_information(2.0)), means.std(), rtol=0.02)


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"maximum_likelihood.gaussian_fit: x must have shape \(n,\), got \(3, 1\)"):
        ml.gaussian_fit(np.ones((3, 1)))
    with pytest.raises(ValueError, match=r"residual_variance: y must have shape \(n,\) = \(3,\), got \(3, 1\)"):
        ml.residual_variance(np.ones((3, 2)), np.ones((3, 1)))


class TestDerivationOfTheScore:
    cases = tuple(case for seed in range(5) for case in checks._tosses(np.random.default_rng(seed)))

    def test_the_two_ways_to_write_the_logarithm(self):
        for theta, x in self.cases:
            surely = stats.bernoulli.logpmf(x, theta)
            heads, tails = checks._line_2(theta, x)
            np.testing.assert_allclose(heads + tails, surely)
            if len(x) < 100:  # where the product is no 0
                assert np.exp(np.sum(heads + tails)) == pytest.approx(checks._line_1(theta, x))
            a, b = checks._line_3(theta, x)
            assert a * np.log(theta) + b * np.log(1 - theta) == pytest.approx(np.sum(surely))

    def test_the_two_ways_to_write_its_derivative(self):
        for theta, x in self.cases:
            a, b = checks._line_3(theta, x)
            at = theta + np.array([1e-6, -1e-6])
            slope = np.subtract(*(a * np.log(at) + b * np.log(1 - at))) / 2e-6
            first, outer, inner = checks._line_4(theta, x)
            c, k = checks._line_5(theta, x)
            written = [first + outer * inner, (c - k * theta) / (theta * (1 - theta))]
            np.testing.assert_allclose(written, slope, rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(*written, rtol=1e-9)
            assert c / k == pytest.approx(np.mean(x))

    def test_a_line_follows_from_the_one_before(self):
        for case in self.cases:
            for before, line in itertools.pairwise(checks.coin_score.lines):
                step = line.follows if callable(line.follows) else line.follows[0]
                np.testing.assert_allclose(step(before.reference(*case), *case), line.reference(*case))

    @pytest.mark.parametrize(
        ("line_4", "line_5"),
        [
            (
                lambda theta, x: (np.sum(x) / theta, np.sum(1 - x) / theta, -1),
                lambda theta, x: (np.sum(x) - np.sum(1 - x), np.sum(x) - np.sum(1 - x)),
            ),
            (
                lambda theta, x: (np.sum(x) / (1 - theta), np.sum(1 - x) / (1 - theta), -1),
                lambda theta, x: (0, np.sum(1 - x) - np.sum(x)),
            ),
            (
                lambda theta, x: (np.sum(x) / (1 - theta), np.sum(1 - x) / theta, -1),
                lambda theta, x: (-np.sum(1 - x), -len(x)),
            ),
        ],
        ids=["over θ", "over 1 − θ", "crosswise"],
    )
    def test_the_common_denominator_of_whatever_there_is(self, line_4, line_5):
        """They were told that a term does not belong there."""
        told = assess(checks.coin_score, (checks._line_2, checks._line_3, line_4, line_5)).steps
        assert [step.right for step in told] == [True, True, False, True]

    def test_equal_summands_of_heads_and_tails(self):
        def line_2(theta, x):
            return x * np.log(theta), (1 - x) * np.log(theta)

        def line_3(theta, x):
            return len(x), 0

        def line_4(theta, x):
            return len(x) / theta, 0, -1

        def line_5(theta, x):
            return len(x), len(x)

        told = assess(checks.coin_score, (line_2, line_3, line_4, line_5)).steps
        assert [step.right for step in told] == [False, True, True, True]

    @pytest.mark.parametrize(
        ("part", "answer"),
        [
            (2, lambda theta, x: (np.sum(x) / theta - np.sum(1 - x) / (1 - theta), 0, -1)),
            (3, lambda theta, x: (np.sum(x) - len(x) * theta, 0)),
        ],
    )
    def test_the_whole_is_right_and_the_parts_are_not(self, part, answer):
        lines = [answer if i == part else ... for i in range(4)]
        told = assess(checks.coin_score, lines).steps[part]
        assert "not divided up as it is asked for" in told.says and not told.right


class TestDerivationOfTheBestCurve:
    cases = tuple(case for seed in range(5) for case in checks._gaussians(np.random.default_rng(seed)))

    def test_two_ways_to_write_the_squares(self):
        for x, mu, sigma in self.cases:
            surely = np.sum(stats.norm(mu, sigma).logpdf(x))
            assert checks._gauss_1(x, mu, sigma) == pytest.approx(surely)
            squares = sum((one - mu) ** 2 for one in x)
            q, p = checks._gauss_2(x, mu, sigma)
            m, S = checks._gauss_3(x, mu, sigma)
            np.testing.assert_allclose([q - 2 * p * mu + len(x) * mu**2, len(x) * (m - mu) ** 2 + S], squares)

    def test_two_ways_to_write_the_slope(self):
        for x, mu, sigma in self.cases:
            step = 1e-5 * sigma
            up, down = (np.sum(stats.norm(np.mean(x), s).logpdf(x)) for s in (sigma + step, sigma - step))
            c, v = checks._gauss_5(x, mu, sigma)
            written = [sum(checks._gauss_4(x, mu, sigma)), c * (v - sigma**2)]
            np.testing.assert_allclose(written, (up - down) / (2 * step), rtol=1e-5, atol=1e-6 * len(x) / sigma)
            np.testing.assert_allclose((checks._gauss_3(x, mu, sigma)[0], v), ml.gaussian_fit(x))

    def test_a_line_follows_from_the_one_before(self):
        for case in self.cases:
            for before, line in itertools.pairwise(checks.gaussian_slopes.lines):
                np.testing.assert_allclose(line.follows(before.reference(*case), *case), line.reference(*case))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_two_coins(self):
        np.testing.assert_allclose(ml.likelihood(0.5, 4, 2), 0.015625, **ROUND)
        np.testing.assert_allclose(ml.likelihood(0.9, 4, 2), 0.006561, **ROUND)
        np.testing.assert_allclose(ml.likelihood(0.5, 5, 1), 0.015625, **ROUND)
        np.testing.assert_allclose(ml.likelihood(0.9, 5, 1), 0.059049, **ROUND)
        np.testing.assert_allclose(checks.coin_likelihoods.reference, [0.015625, 0.006561, 0.059049], **ROUND)

    def test_a_head_and_a_tail_move_the_verdict(self):
        def ratio(m1):
            return ml.likelihood(0.9, m1, 6 - m1) / ml.likelihood(0.5, m1, 6 - m1)

        np.testing.assert_allclose(ratio(5) / ratio(4), 1.8 * 5)  # one head more is one tail less
        assert ratio(4) < 1 < ratio(5)
        assert round(1 / ratio(4), 1) == 2.4

    def test_the_best_coin(self):
        assert ml.coin_fit(4, 2) == pytest.approx(2 / 3)
        assert ml.log_odds(4, 2) == pytest.approx(np.log(2))
        assert round(ml.log_odds(4, 2), 3) == 0.693
        assert round(ml.likelihood(2 / 3, 4, 2), 4) == 0.0219

    def test_three_curves(self):
        x = explore.petals()
        logs = [ml.gaussian_log_likelihood(x, *curve) for curve in explore.Flowers.curves]
        assert np.argmax(logs) == 1
        assert round(logs[1] - logs[0], 1) == 6.8
        assert 850 < np.exp(logs[1] - logs[0]) < 870
        mu, var = ml.gaussian_fit(x)
        assert len(x) == 50
        assert [round(mu, 2), round(var, 3), round(x.var(ddof=1), 3)] == [4.26, 0.216, 0.221]

    def test_the_misprint_halves_the_variance(self):
        x = explore.petals()

        def printed(log_sigma):
            return -checks.gaussian_density.printed(x, x.mean(), np.exp(log_sigma))

        found = np.exp(2 * minimize_scalar(printed, bracket=(-2, 0)).x)
        np.testing.assert_allclose(found, ml.gaussian_fit(x)[1] / 2, rtol=1e-5)

    def test_a_fifth_too_small_for_five_points(self):
        assert ml.expected_variance(1.0, 5) == pytest.approx(1 - 1 / 5)

    def test_noise_of_the_diabetes_regression(self):
        data = load("diabetes")
        X = np.column_stack([np.ones(442), data.X])
        noise = ml.residual_variance(X, data.y)
        assert int(np.sqrt(noise)) == 53
        assert round(data.y.var(), -1) == 5930
        assert 0.45 < 1 - noise / data.y.var() < 0.55

    def test_the_cliff(self):
        cliff = explore.Cliff()
        start = cliff.compute(**cliff.start)
        assert round(start.x.min(), 2) == -2.66
        assert start.best == -start.x.min() > start.x.max()
        errors = [
            np.mean(3 - np.abs(np.random.default_rng(4).uniform(-3, 3, (20_000, n))).max(axis=1)) for n in (20, 80)
        ]
        np.testing.assert_allclose(errors[0] / errors[1], 81 / 21, rtol=0.03)  # like 1/n

    def test_a_spike_has_no_maximum(self):
        spike = [ml.gaussian_log_likelihood(np.full(3, 2.0), 2.0, sigma) for sigma in (1, 1e-2, 1e-4, 1e-8)]
        assert np.all(np.diff(spike) > 10)

    def test_standard_errors(self):
        assert round(ml.coin_information(0.3), 3) == 4.762
        assert round(ml.standard_error(100, ml.coin_information(0.3)), 3) == 0.046
        assert round(ml.standard_error(50, ml.mean_information(explore.petals().std())), 3) == 0.066
        assert minimize_scalar(ml.coin_information, bounds=(0.01, 0.99), method="bounded").x == pytest.approx(0.5)

    def test_width_halves_with_four_times_the_tosses(self):
        sharper = explore.Sharper()
        wide, narrow = sharper.compute(n=100.0, theta=0.3), sharper.compute(n=400.0, theta=0.3)
        assert narrow.law == pytest.approx(wide.law / 2)
        assert narrow.spreads[-1] == pytest.approx(wide.spreads[-1] / 2, rel=0.08)

    def test_probability_of_coin_A_with_equal_chances(self):
        assert round(0.015625 / (0.015625 + 0.006561), 2) == 0.70
        assert round(0.0156 / 0.0222, 2) == 0.70


class TestAnswersOfStrangers:
    """Wrong answers that were accepted, on seeds that showed it."""

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda theta, x: (np.log(theta) * x, x * np.log1p(-theta)), "The tails have the exponent 1 − x"),
            (0, lambda theta, x: (np.log(theta) * x, (x == 0) * np.log(theta)), "log θ belongs to the heads"),
            (
                0,
                lambda theta, x: (np.where(x == 1, theta, 1), np.where(x == 1, 1, 1 - theta)),
                "the factors themselves",
            ),
            (0, lambda theta, x: ((x == 0) * np.log1p(-theta), x * np.log(theta)), "opposite order"),
            (1, lambda theta, x: (x @ x * np.log(theta), (len(x) - x @ x) * np.log1p(-theta)), "are still there"),
            (
                2,
                lambda theta, x: (sum(x) / theta, (sum(x) - len(x)) / (1 - theta), 1),
                "its minus belongs to the inner derivative",
            ),
            (2, lambda theta, x: (sum(x) / theta, (len(x) - sum(x)) / theta, -1), "at u = 1 − θ"),
            (
                2,
                lambda theta, x: (sum(x) / theta, 1 / (1 - theta), sum(x) - len(x)),
                "b stands with the inner derivative",
            ),
            (3, lambda theta, x: (sum(x), len(x) - sum(x)), "k counts the tails only"),
            (3, lambda theta, x: (len(x), x @ x), "c and k are exchanged"),
        ],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_the_score_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(4)]
        assert says in assess(checks.coin_score, lines, seed).steps[part].says

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda x, mu, sigma: (x.sum(), x @ x), "q and p are exchanged"),
            (1, lambda x, mu, sigma: (mu, (x - mu) @ (x - mu)), "nothing was completed"),
            (1, lambda x, mu, sigma: (x.sum(), x @ x - x.sum() ** 2), "forgotten in both"),
            (2, lambda x, mu, sigma: (-len(x) / sigma**2 / 2, len(x) * x.var() / sigma**4 / 2), "with respect to σ²"),
            (
                2,
                lambda x, mu, sigma: (-len(x) * np.log(sigma), len(x) * x.var() / sigma**3),
                "log σ is not differentiated",
            ),
            (2, lambda x, mu, sigma: (-len(x) / sigma, (x - mu) @ (x - mu) / sigma**3), "μ is still there"),
            (3, lambda x, mu, sigma: (1 / sigma**3, len(x) * x.var()), "c is 1/σ³ here"),
        ],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_the_slopes_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(4)]
        assert says in assess(checks.gaussian_slopes, lines, seed).steps[part].says

    @pytest.mark.parametrize(
        "answer",
        [
            lambda x, mu, sigma: min(stats.norm(mu, sigma).logpdf(x).sum(), 0),
            lambda x, mu, sigma: stats.norm(mu, max(sigma, 1)).logpdf(x).sum(),
        ],
        ids=["never above 0", "σ never below 1"],
    )
    def test_a_likelihood_above_one(self, answer):
        assert assess(checks.gaussian_density, (answer, ([0.0], 0.0, 2.0))).points == 1

    def test_a_counter_example_far_from_its_mean(self):
        """−316.3 against −315.1 is wrong, though by less than a hundredth."""
        answer = lambda x, mu, sigma: np.sum(stats.norm(mu, sigma).logpdf(x))  # noqa: E731
        assert assess(checks.gaussian_density, (answer, ([10.0, 20.0, 30.0], 0.0, 1.5))).right

    @pytest.mark.parametrize("order", [lambda m1, m0: (max(m1, m0), min(m1, m0)), lambda m1, m0: (m1, m1 / 3)])
    def test_tails_in_the_majority(self, order):
        """Heads always were, three to one."""

        def line_3(theta, x):
            return order(x.sum(), len(x) - x.sum())

        assert not assess(checks.coin_score, (..., line_3, ..., ...)).steps[1].right

    def test_numbers_on_both_sides_of_zero(self):
        assert not assess(checks.gaussian_mle, (lambda x: (x.mean(), np.abs(x).var()),), seed=25).right
        answer = lambda X, y: np.linalg.lstsq(X, np.abs(y), rcond=None)[1][0] / len(y)  # noqa: E731
        assert not assess(checks.noise_variance, (answer,), seed=2).right

    def test_an_interval_shorter_than_one(self):
        assert not assess(checks.uniform_mle, (lambda x: max(1, *np.abs(x)),)).right
