"""mlcore.bayesian_inference against independent oracles: scipy's distributions, quadrature, grids, simulation."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import betaln

from mlcore import bayesian_inference as bayes
from mlcore.checks import bayesian_inference as checks
from mlcore.engine.exercises.assess import assess
from mlcore.explore import bayesian_inference as explore

COINS = [(2.0, 5.0, 4, 2), (1.0, 1.5, 6, 0), (3.5, 1.25, 7, 11)]


def on_grid(log_density, at):
    """Mean and variance of a density that is known up to a constant, by a sum over a fine grid."""
    weight = np.exp(log_density(at) - log_density(at).max())
    weight /= weight.sum()
    mean = weight @ at
    return mean, weight @ (at - mean) ** 2


def test_bayes_is_the_conditional_probability_of_a_simulation():
    """(25.1), by throwing away what does not agree with the data."""
    rng = np.random.default_rng(0)
    prior, theta = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.5, 0.9])
    which = rng.choice(3, size=400_000, p=prior)
    kept = which[rng.binomial(3, theta[which]) == 2]
    shares = np.bincount(kept, minlength=3) / len(kept)
    np.testing.assert_allclose(bayes.bayes(prior, theta**2 * (1 - theta)), shares, atol=0.003)


@pytest.mark.parametrize(("a", "b"), [(2.0, 5.0), (0.5, 0.5), (30.0, 1.5)])
def test_beta_density_is_scipys(a, b):
    """(25.2)."""
    theta = np.linspace(0.01, 0.99, 50)
    np.testing.assert_allclose(bayes.beta_density(theta, a, b), stats.beta.pdf(theta, a, b))
    np.testing.assert_allclose(bayes.log_beta(a, b), betaln(a, b))


@pytest.mark.parametrize("case", COINS)
class TestCoin:
    def test_posterior_is_prior_times_likelihood(self, case):
        """(25.3), up to its constant, which quadrature gives."""
        a, b, m1, m0 = case

        def joint(theta):
            return stats.binom.pmf(m1, m1 + m0, theta) * stats.beta.pdf(theta, a, b)

        area = quad(joint, 0, 1)[0]
        theta = np.linspace(0.05, 0.95, 19)
        np.testing.assert_allclose(
            stats.beta.pdf(theta, *bayes.coin_posterior(*case)), joint(theta) / area, rtol=1e-7, atol=1e-9
        )

    def test_moments(self, case):
        """(25.4), (25.5) and (25.7)."""
        a, b, m1, m0 = case
        posterior = stats.beta(a + m1, b + m0)
        weight = bayes.prior_weight(a, b, m1 + m0)
        np.testing.assert_allclose(bayes.posterior_mean(*case), posterior.mean())
        np.testing.assert_allclose(weight * a / (a + b) + (1 - weight) * m1 / (m1 + m0), posterior.mean())
        np.testing.assert_allclose(bayes.two_more_heads(*case), posterior.moment(2))

    def test_mode_is_the_top_of_the_density(self, case):
        """(25.6)."""
        a, b, m1, m0 = case
        found = minimize_scalar(
            lambda t: -stats.beta.logpdf(t, a + m1, b + m0), bounds=(1e-9, 1 - 1e-9), options={"xatol": 1e-10}
        )
        np.testing.assert_allclose(bayes.posterior_mode(*case), found.x, atol=1e-6)

    def test_evidence_is_the_average_likelihood(self, case):
        """(25.8), by quadrature."""
        a, b, m1, m0 = case
        area = quad(lambda t: t**m1 * (1 - t) ** m0 * stats.beta.pdf(t, a, b), 0, 1)[0]
        np.testing.assert_allclose(np.exp(bayes.coin_log_evidence(*case)), area, rtol=1e-7)


def test_evidences_of_all_sequences_add_up_to_one():
    total = sum(
        np.exp(bayes.coin_log_evidence(2.0, 3.5, sum(tosses), 5 - sum(tosses)))
        for tosses in itertools.product((0, 1), repeat=5)
    )
    np.testing.assert_allclose(total, 1)


@pytest.mark.parametrize("n", [1, 3, 12])
class TestGaussian:
    mu0, sigma0, sigma = 0.5, 2.0, 0.7

    def x(self, n):
        return np.random.default_rng(n).normal(3, self.sigma, size=n)

    def test_posterior(self, n):
        """(25.9) and (25.10), on a grid."""
        x = self.x(n)

        def log_joint(theta):
            likelihood = stats.norm.logpdf(x[:, None], theta, self.sigma).sum(axis=0)
            return likelihood + stats.norm.logpdf(theta, self.mu0, self.sigma0)

        found = on_grid(log_joint, np.linspace(-5, 10, 200_001))
        np.testing.assert_allclose(bayes.gaussian_posterior(x, self.mu0, self.sigma0, self.sigma), found, rtol=1e-6)

    def test_evidence_of_the_mean(self, n):
        """(25.11): the density of x̄, integrated over the prior."""
        x = self.x(n)
        found = quad(
            lambda t: stats.norm.pdf(x.mean(), t, self.sigma / np.sqrt(n)) * stats.norm.pdf(t, self.mu0, self.sigma0),
            -20,
            20,
            points=[x.mean()],
        )[0]
        ours = bayes.mean_log_evidence(x, self.mu0, self.sigma0, self.sigma)
        np.testing.assert_allclose(ours, np.log(found), rtol=1e-6)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 12))
def test_one_at_a_time_is_all_at_once_in_any_order(seed, n):
    """(25.12)."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    *_, last = bayes.one_at_a_time(x, 1.0, 1.5, 0.6)
    *_, shuffled = bayes.one_at_a_time(rng.permutation(x), 1.0, 1.5, 0.6)
    np.testing.assert_allclose(last, bayes.gaussian_posterior(x, 1.0, 1.5, 0.6))
    np.testing.assert_allclose(shuffled, last)


@given(seed=st.integers(0, 10_000))
def test_coin_toss_by_toss_is_all_tosses_at_once(seed):
    rng = np.random.default_rng(seed)
    tosses = rng.integers(2, size=9)
    a, b = 2.0, 3.0
    for toss in tosses:
        a, b = bayes.coin_posterior(a, b, toss, 1 - toss)
    assert (a, b) == bayes.coin_posterior(2.0, 3.0, tosses.sum(), 9 - tosses.sum())


def test_count_posterior():
    """(25.13), on a grid; scipy's Gamma has a scale."""
    x, a, b = np.array([2, 4, 1, 3, 2, 6]), 3.0, 2.0

    def log_joint(lam):
        return stats.poisson.logpmf(x[:, None], lam).sum(axis=0) + stats.gamma.logpdf(lam, a, scale=1 / b)

    mean, var = on_grid(log_joint, np.linspace(1e-6, 40, 400_001))
    shape, rate = bayes.count_posterior(x, a, b)
    np.testing.assert_allclose(bayes.count_mean(x, a, b), mean, rtol=1e-6)
    np.testing.assert_allclose([shape / rate, shape / rate**2], [mean, var], rtol=1e-6)


def test_dirichlet_mean():
    """(25.14), against scipy, and against weighted draws from the prior."""
    a, m = np.array([1.0, 2.0, 3.5]), np.array([4, 0, 2])
    np.testing.assert_allclose(bayes.dirichlet_mean(a, m), stats.dirichlet.mean(a + m))
    draws = np.random.default_rng(1).dirichlet(a, size=400_000)
    weight = np.prod(draws**m, axis=1)
    np.testing.assert_allclose(bayes.dirichlet_mean(a, m), weight @ draws / weight.sum(), atol=0.004)
    np.testing.assert_allclose(
        bayes.dirichlet_mean(np.array([2.0, 5.0]), np.array([4, 2]))[0], bayes.posterior_mean(2, 5, 4, 2)
    )


@pytest.mark.parametrize(("a", "b"), [(6, 4), (53, 18), (1, 20)])
def test_central_interval_is_scipys(a, b):
    at = np.linspace(0, 1, 5001)[1:-1]
    found = bayes.central_interval(at, bayes.beta_density(at, a, b))
    np.testing.assert_allclose(found, stats.beta.interval(0.95, a, b), atol=3e-4)


class TestCompleteSquare:
    """The lines of the derivation, put together again."""

    draws = staticmethod(lambda: [args for seed in range(4) for args in checks._exponents(np.random.default_rng(seed))])

    def test_every_line_has_the_value_of_line_1(self):
        for theta, *rest in self.draws():
            value = checks._line_1(theta, *rest)
            np.testing.assert_allclose(sum(checks._line_2(theta, *rest)), value)
            A, B, C = checks._line_3(theta, *rest)
            np.testing.assert_allclose(-A * theta**2 / 2 + B * theta + C, value)
            m, extra = checks._line_4(theta, *rest)
            np.testing.assert_allclose(-A / 2 * (theta - m) ** 2 + extra + C, value)

    def test_the_references_follow_from_each_other(self):
        _, sort, square = checks.complete_square.lines
        for args in self.draws():
            np.testing.assert_allclose(sort.undo(sort.reference(*args), *args), checks._line_2(*args))
            np.testing.assert_allclose(square.follows(sort.reference(*args), *args), square.reference(*args))

    def test_what_stands_beside_the_square_says_what_the_prior_expected_of_the_mean(self):
        """(25.11): it depends on μ₀ as the exponent of x̄ ~ N(μ₀, σ₀² + σ²/n) does."""

        def beside(theta, x, mu0, sigma0, sigma):
            args = theta, x, mu0, sigma0, sigma
            exponent = -((np.mean(x) - mu0) ** 2) / (2 * (sigma0**2 + sigma**2 / len(x)))
            return checks._line_4(*args)[1] + checks._line_3(*args)[2] - exponent

        for theta, x, mu0, *rest in self.draws():
            np.testing.assert_allclose(beside(theta, x, mu0, *rest), beside(theta, x, mu0 + 1.5, *rest))


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"bayesian_inference.gaussian_posterior: x must have shape \(n,\), got \(\)"):
        bayes.gaussian_posterior(1.0, 0.0, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"dirichlet_mean: m must have the shape of a, \(2,\), got \(3,\)"):
        bayes.dirichlet_mean(np.ones(2), np.ones(3))
    with pytest.raises(ValueError, match=r"bayes: likelihood must have the shape of prior, \(2,\), got \(3,\)"):
        bayes.bayes(np.ones(2), np.ones(3))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_last_row_of_the_table(self):
        """Values with a known mean: ½ each to a, ½(x − μ)² each to b of an inverse Gamma, up to a constant."""
        x, mu, a, b = np.array([1.0, 2.5, 0.3]), 0.8, 2.0, 1.5
        var = np.linspace(0.2, 5, 7)
        joint = stats.norm.logpdf(x[:, None], mu, np.sqrt(var)).sum(axis=0) + stats.invgamma.logpdf(var, a, scale=b)
        after = stats.invgamma.logpdf(var, a + 3 / 2, scale=b + np.sum((x - mu) ** 2) / 2)
        np.testing.assert_allclose(np.ptp(joint - after), 0, atol=1e-12)

    def test_the_mint(self):
        mint = explore.Mint()
        six = mint.theta[mint.fell == 6]
        assert 1050 < len(six) < 1150  # "about 1100"
        assert round(six.mean(), 2) == 0.62
        assert six.max() < 0.99  # "none cannot fall tails"
        assert round(bayes.posterior_mean(10, 10, 6, 0), 3) == 0.615

    def test_small_posteriors(self):
        assert round(bayes.posterior_mean(2, 5, 4, 2), 4) == 0.4615
        assert round(stats.beta.mean(2 + 2, 5 + 4), 4) == 0.3077  # the printed slip
        assert bayes.posterior_mean(1, 1, 6, 0) == 7 / 8
        assert bayes.posterior_mean(2, 2, 4, 2) == 0.6
        assert bayes.posterior_mode(2, 2, 4, 2) == 0.625
        np.testing.assert_allclose(bayes.posterior_mode(1, 1, 4, 2), 4 / 6)
        np.testing.assert_allclose(bayes.two_more_heads(1, 1, 6, 0), 7 / 8 * 8 / 9)
        assert [round(7 / 8 * 8 / 9, 3), round((7 / 8) ** 2, 3)] == [0.778, 0.766]

    def test_the_interval_after_six_tosses(self):
        state = explore.Belief().compute(2.0, 2.0, 6)
        assert (state.m1, state.m0) == (4, 2)
        np.testing.assert_allclose(state.ends, (0.299, 0.863), atol=6e-4)
        np.testing.assert_allclose(stats.beta.interval(0.95, 6, 4), (0.299, 0.863), atol=6e-4)

    def test_fifty_tosses(self):
        belief = explore.Belief()
        means = [belief.compute(2.0, 10.0, n).mean for n in range(51)]
        assert next(n for n, mean in enumerate(means) if mean > 0.5 + 1e-9) == 37
        assert [round(belief.compute(a, a, 50).mean, 3) for a in (1.0, 2.0, 20.0)] == [0.654, 0.648, 0.589]

    def test_the_fair_coin_wins(self):
        free = np.exp(bayes.coin_log_evidence(1, 1, 4, 2))
        np.testing.assert_allclose(free, 1 / 105)
        assert round(0.5**6 / free, 2) == 1.64
        assert round((2 / 3) ** 4 * (1 / 3) ** 2, 4) == 0.0219

    def test_three_measurements(self):
        found = bayes.gaussian_posterior(np.array([1.0, 2.0, 1.5]), 0, 2, 1)
        assert [round(v, 4) for v in found] == [1.3846, 0.3077]

    def test_the_earth(self):
        x = explore.CAVENDISH
        assert len(x) == 29
        assert round(x.mean(), 3) == 5.448
        assert round(x.std(ddof=1), 2) == explore.NOISE
        earth = explore.Earth()
        first = next(n for n in range(30) if earth.compute(4.5, 0.2, n).mean > 5.3)
        assert first == 11
        assert round(earth.compute(4.5, 0.05, 29).mean, 2) == 5.07
        assert round((0.22 / 0.05) ** 2) == 19
        ends = [earth.compute(5.5, sigma0, 29).mean for sigma0 in earth.sigma0.grid(40)]
        assert 5.44 < min(ends) < max(ends) < 5.47

    def test_newton_foresaw_it(self):
        x, var = explore.CAVENDISH, 0.25**2 + explore.NOISE**2 / 29
        ratio = stats.norm.pdf(x.mean(), 5.5, var**0.5) / stats.norm.pdf(x.mean(), 4.5, var**0.5)
        logs = [bayes.mean_log_evidence(x, mu0, 0.25, explore.NOISE) for mu0 in (5.5, 4.5)]
        np.testing.assert_allclose(np.exp(logs[0] - logs[1]), ratio)
        assert 900 < ratio < 1100

    def test_orders_differ_on_the_way(self):
        orders = explore.Orders()
        apart = [orders.compute(k, 0.2).apart for k in range(2, 31)]
        assert round(min(apart), 1) == 0.1
        assert round(max(apart), 1) == 0.3
        assert len({tuple(orders.compute(k, 0.2).spread) for k in range(1, 31)}) == 1

    def test_accidents(self):
        assert bayes.count_mean(np.array([2, 4, 1, 3, 2]), 3, 2) == 15 / 7

    def test_a_closed_mind(self):
        assert round((0.9 / 0.7) ** 50, -3) == 287_000
        assert 12 < (0.9 / 0.7) ** 10 < 13
        after = bayes.bayes([0.25, 0.25, 0.25, 0.25, 0.0], np.array([0.1, 0.3, 0.5, 0.7, 0.9]) ** 1000)
        assert after[-1] == 0
        assert after[-2] > 0.999

    def test_two_panels(self):
        assert round(bayes.posterior_mean(1, 1, 9, 1), 2) == 0.83
        assert round(bayes.posterior_mean(30, 30, 9, 1), 2) == 0.56
        assert [bayes.prior_weight(1, 1, 10), bayes.prior_weight(30, 30, 10)] == [2 / 12, 60 / 70]


@pytest.mark.parametrize("seed", range(3))
def test_a_count_of_zero_is_a_count(seed):
    """No draw had one, and an answer that leaves it out was accepted."""
    verdict = assess(checks.count_mean, (lambda x, a, b: (a + np.sum(x)) / (b + np.count_nonzero(x)),), seed)
    assert verdict.points == 0


class TestAnswersOfStrangers:
    """Lines that the module gave away, and wrong ones that were told only how far they are off."""

    def _seen(self, k, line):
        lines = [own.reference for own in checks.complete_square.lines]
        lines[k - 2] = line
        return assess(checks.complete_square, tuple(lines))

    @pytest.mark.parametrize(
        "posterior", [bayes.gaussian_posterior, lambda *args: bayes.one_at_a_time(*args)[-1]], ids=["at once", "stream"]
    )
    def test_the_posterior_of_the_module_completes_no_square(self, posterior):
        def line_4(theta, x, mu0, sigma0, sigma):
            mean, var = posterior(x, mu0, sigma0, sigma)
            return mean, mean**2 / (2 * var)

        seen = self._seen(4, line_4)
        assert [step.right for step in seen.steps] == [True, True, False]
        assert "derive it" in seen.finding.says

    @pytest.mark.parametrize(
        ("k", "line", "says"),
        [
            (2, lambda theta, x, mu0, s0, s: checks._line_2(theta, x, mu0, s, s0), "exchanged"),
            (3, lambda *args: tuple(checks._line_2(*args)), "beside θ² and θ"),
            (4, lambda *args: (checks._line_4(*args)[0], 0), "is gone"),
        ],
        ids=["spreads", "terms", "extra"],
    )
    def test_what_they_are_told(self, k, line, says):
        assert says in self._seen(k, line).finding.says
