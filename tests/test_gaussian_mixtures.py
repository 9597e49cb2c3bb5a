"""mlcore.gaussian_mixtures against scipy, scikit-learn, optimisers, finite differences and quadrature."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import rel_entr
from scipy.stats import gaussian_kde, multivariate_normal, norm
from sklearn.mixture import GaussianMixture

from mlcore import gaussian_mixtures as gm
from mlcore.checks import gaussian_mixtures as checks
from mlcore.explore import gaussian_mixtures as explore
from tests.strangers import verdict

SOLUTION = Path(__file__).resolve().parents[1] / "solutions" / "24_gaussian_mixtures.py"


def mixture(rng, K, d):
    A = rng.normal(size=(K, d, d))
    return rng.dirichlet(np.full(K, 3.0)), 2 * rng.normal(size=(K, d)), A @ A.transpose(0, 2, 1) + 0.5 * np.eye(d)


@pytest.fixture(params=[(40, 2, 1), (60, 3, 2), (50, 2, 4)], ids=["line", "plane", "space"])
def case(request):
    """Points and a mixture that does not fit them yet."""
    rng = np.random.default_rng(0)
    n, K, d = request.param
    return 2 * rng.normal(size=(n, d)) + 1, mixture(rng, K, d)


def densities(X, theta):
    """πₖ N(xᵢ; μₖ, Σₖ) by scipy, not in log space."""
    return np.stack([p * multivariate_normal(m, S).pdf(X) for p, m, S in zip(*theta, strict=True)], axis=1)


def peer(theta, **options):
    """scikit-learn's mixture with given parameters."""
    pi, mu, Sigma = theta
    start = {"weights_init": pi, "means_init": mu, "precisions_init": np.linalg.inv(Sigma)}
    return GaussianMixture(len(pi), reg_covar=0, tol=0, **start, **options)


def test_joint_density_is_scipys(case):
    """(24.1)."""
    X, theta = case
    np.testing.assert_allclose(np.exp(gm.log_joint(X, *theta)), densities(X, theta))


def test_many_mixtures_at_once(case):
    X, theta = case
    rng = np.random.default_rng(1)
    others = [theta, mixture(rng, len(theta[0]), X.shape[1])]
    L = gm.log_joint(X, *(np.stack(each) for each in zip(*others, strict=True)))
    q = gm.responsibilities(L)[0]
    for one, other in zip(L, others, strict=True):
        np.testing.assert_allclose(one, gm.log_joint(X, *other))
    np.testing.assert_allclose(gm.loglik(L), [gm.loglik(one) for one in L])
    np.testing.assert_allclose(gm.elbo(q, L), [gm.elbo(q, one) for one in L])


def test_responsibilities_and_likelihood_are_bayes(case):
    """(24.2) and (24.3), without logarithms."""
    X, theta = case
    p, L = densities(X, theta), gm.log_joint(X, *theta)
    np.testing.assert_allclose(gm.responsibilities(L), p / p.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(gm.loglik(L), np.log(p.sum(axis=1)).sum())


def test_responsibilities_far_away():
    """At ±300 both densities are 0; their ratio is known by hand."""
    X, mu = np.array([[-300.0], [50.5], [300.0]]), np.array([[0.0], [100.0]])
    gamma = gm.responsibilities(gm.log_joint(X, np.array([0.5, 0.5]), mu, np.ones((2, 1, 1))))
    assert norm.pdf(300) == 0
    np.testing.assert_allclose(gamma[:, 0], [1, 1 / (1 + np.exp(50)), 0], atol=1e-300)
    np.testing.assert_allclose(gamma.sum(axis=1), 1)


@given(seed=st.integers(0, 10**6))
def test_bound_plus_gap_is_the_likelihood(seed):
    """(24.4) and (24.5), against scipy's relative entropy; the gap vanishes at q = γ."""
    rng = np.random.default_rng(seed)
    X, theta = rng.normal(size=(7, 2)), mixture(rng, 3, 2)
    L, q = gm.log_joint(X, *theta), rng.dirichlet(np.ones(3), size=7)
    gamma = gm.responsibilities(L)
    np.testing.assert_allclose(gm.kl(q, L), rel_entr(q, gamma).sum(), rtol=1e-7)
    np.testing.assert_allclose(gm.elbo(q, L), -rel_entr(q, densities(X, theta)).sum())
    np.testing.assert_allclose(gm.elbo(q, L) + gm.kl(q, L), gm.loglik(L))
    assert gm.elbo(q, L) <= gm.loglik(L)
    np.testing.assert_allclose(gm.elbo(gamma, L), gm.loglik(L))


def test_bound_of_a_decision_is_finite():
    L = np.log([[0.2, 0.1], [0.1, 0.3]])
    np.testing.assert_allclose(gm.elbo(np.eye(2), L), np.log(0.2) + np.log(0.3))
    np.testing.assert_allclose(gm.kl(np.eye(2), L), gm.loglik(L) - np.log(0.06))


def test_mean_gradient_is_the_slope_of_the_likelihood(case):
    """(24.6), by central differences."""
    X, (pi, mu, Sigma) = case
    slopes = np.empty(mu.shape)
    for index in np.ndindex(mu.shape):
        step = np.zeros(mu.shape)
        step[index] = 1e-6
        up, down = (gm.loglik(gm.log_joint(X, pi, mu + s * step, Sigma)) for s in (1, -1))
        slopes[index] = (up - down) / 2e-6
    np.testing.assert_allclose(gm.mean_gradient(X, pi, mu, Sigma), slopes, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("d", [1, 2])
def test_m_step_maximises_the_bound(d):
    """(24.7), against an optimiser over log-weights, means and Cholesky factors."""
    rng = np.random.default_rng(2)
    X, gamma = rng.normal(size=(30, d)) + 1, rng.dirichlet(np.ones(2), size=30)
    below = np.tril_indices(d)

    def unpack(v):
        pi = np.exp(v[:2]) / np.exp(v[:2]).sum()
        C = np.zeros((2, d, d))
        C[:, below[0], below[1]] = v[2 + 2 * d :].reshape(2, -1)
        return pi, v[2 : 2 + 2 * d].reshape(2, d), C @ C.transpose(0, 2, 1)

    def cost(v):
        return -gm.elbo(gamma, gm.log_joint(X, *unpack(v)))

    begin = np.concatenate([np.zeros(2), np.ones(2 * d), np.tile(np.eye(d)[below], 2)])
    found = unpack(minimize(cost, begin, tol=1e-12).x)
    for ours, theirs in zip(gm.m_step(X, gamma), found, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_em_is_scikit_learns(case):
    """Five rounds from the same start: weights, means, covariances, likelihood and criteria (24.10)."""
    X, (pi, mu, _) = case
    theta = pi, mu, np.stack([k * np.cov(X.T).reshape(2 * X.shape[1:]) for k in range(1, len(pi) + 1)])
    *_, last = itertools.islice(gm.em(X, theta), 6)
    model = peer(theta, max_iter=5)
    with pytest.warns(match="did not converge"):
        model.fit(X)
    np.testing.assert_allclose(last.pi, model.weights_)
    np.testing.assert_allclose(last.mu, model.means_)
    np.testing.assert_allclose(last.Sigma, model.covariances_)
    np.testing.assert_allclose(last.gamma, model.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(last.loglik, model.score(X) * len(X))
    p = gm.parameters(*theta[1].shape)
    np.testing.assert_allclose(gm.aic(last.loglik, p), model.aic(X))
    np.testing.assert_allclose(gm.bic(last.loglik, p, len(X)), model.bic(X))


@pytest.mark.parametrize("seed", range(20))
def test_likelihood_never_falls_in_fifty_rounds(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2)) + 3 * rng.integers(0, 2, size=(80, 1))
    start = np.full(2, 1 / 2), X[:2], np.stack([np.cov(X.T)] * 2)
    trace = [state.loglik for state in itertools.islice(gm.em(X, start), 51)]
    assert np.all(np.diff(trace) >= -1e-9 * abs(trace[0]))


def test_em_stops_where_the_gradient_vanishes():
    *_, last = itertools.islice(
        gm.em(explore.petals(), explore.begin(explore.petals(), explore.STARTS["along the cloud"])), 400
    )
    slope = gm.mean_gradient(explore.petals(), last.pi, last.mu, last.Sigma)
    assert np.abs(slope).max() < 1e-3


def test_stale_responsibilities_make_the_likelihood_fall():
    """Why the M-step takes the responsibilities that were just computed."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-2, 1, 100), rng.normal(2, 1, 100)])[:, None]
    start = np.full(2, 1 / 2), np.array([[-0.5], [0.7]]), np.ones((2, 1, 1))
    uniform = np.tile([0.51, 0.49], (200, 1))
    assert np.sum(np.diff(checks._stale(X, start, 6, uniform)) < -1) == 2
    assert np.all(np.diff([s.loglik for s in itertools.islice(gm.em(X, start), 7)]) > 0)


def test_soft_assignment_is_the_e_step_of_equal_spheres():
    """(24.8), and its limit: k-means."""
    rng = np.random.default_rng(3)
    x, mu = rng.normal(size=20), np.array([-1.0, 0.3, 2.0])
    L = gm.log_joint(x[:, None], np.full(3, 1 / 3), mu[:, None], np.full((3, 1, 1), 0.7**2))
    np.testing.assert_allclose(gm.soft_assignment(x, mu, 0.7), gm.responsibilities(L))
    nearest = np.abs(x[:, None] - mu).argmin(axis=1)
    np.testing.assert_allclose(gm.soft_assignment(x, mu, 1e-3), np.eye(3)[nearest], atol=1e-12)


@pytest.mark.parametrize(("K", "d"), [(1, 1), (3, 2), (2, 5), (4, 3)])
def test_parameters_are_scikit_learns_count(K, d):
    """(24.9)."""
    rng = np.random.default_rng(4)
    with pytest.warns(match="did not converge"):
        model = peer(mixture(rng, K, d), max_iter=1).fit(rng.normal(size=(60, d)))
    assert gm.parameters(K, d) == model._n_parameters()


def test_kde_is_scipys():
    """(24.11), and its area by quadrature."""
    rng = np.random.default_rng(5)
    x, at = rng.normal(size=25), np.linspace(-12, 12, 4001)
    ours = gm.kde(at, x, 0.4)
    np.testing.assert_allclose(ours, gaussian_kde(x, bw_method=0.4 / x.std(ddof=1))(at), atol=1e-14)
    np.testing.assert_allclose(np.trapezoid(ours, at), 1)


class TestDerivations:
    """The lines of both derivations, put together again."""

    bounds = staticmethod(lambda: checks.evidence_bound.cases(np.random.default_rng(5)))
    parts = staticmethod(lambda: [args for seed in range(4) for args in checks._one_part(np.random.default_rng(seed))])

    def test_every_line_of_the_bound_has_the_value_of_line_1(self):
        for q, p in self.bounds():
            value = checks._line_1(q, p)
            np.testing.assert_allclose(np.sum(checks._line_2(q, p)), value)
            top, bottom = checks._line_3(q, p)
            np.testing.assert_allclose(np.log(top / bottom), value)
            first, second = checks._line_4(q, p)
            np.testing.assert_allclose(first * second, top / bottom)
            bound, gap = checks._line_5(q, p)
            np.testing.assert_allclose(bound + gap, value)
            np.testing.assert_allclose(gap, rel_entr(q, p / p.sum()).sum())

    def test_every_line_of_the_fit_has_the_value_of_line_1(self):
        for mu, v, x, gamma in self.parts():
            value = checks._part_line_1(mu, v, x, gamma)
            np.testing.assert_allclose(value, gamma @ norm(mu, np.sqrt(v)).logpdf(x))
            N, S1, S2 = checks._part_line_2(mu, v, x, gamma)
            logarithm = -N / 2 * np.log(2 * np.pi * v)
            np.testing.assert_allclose(logarithm - (S2 - 2 * mu * S1 + N * mu**2) / (2 * v), value)
            N, m, R = checks._part_line_3(mu, v, x, gamma)
            np.testing.assert_allclose(logarithm - (N * (mu - m) ** 2 + R) / (2 * v), value)

    def test_the_slope_of_the_fit_and_its_maximum(self):
        for mu, v, x, gamma in self.parts():
            m, h = checks._part_line_3(mu, v, x, gamma)[1], 1e-6
            alpha, beta = checks._part_line_4(mu, v, x, gamma)
            slope = (checks._part_line_1(m, v + h, x, gamma) - checks._part_line_1(m, v - h, x, gamma)) / (2 * h)
            np.testing.assert_allclose(alpha / v + beta / v**2, slope, rtol=1e-6, atol=1e-7)
            best = minimize(
                lambda t, x=x, g=gamma: -checks._part_line_1(t[0], np.exp(t[1]), x, g), [mu, 0.0], tol=1e-9
            ).x
            np.testing.assert_allclose([m, checks._part_line_5(mu, v, x, gamma)], [best[0], np.exp(best[1])], rtol=1e-4)

    def test_the_references_follow_from_each_other(self):
        _, ratio, product, split = checks.evidence_bound.lines
        for args in self.bounds():
            np.testing.assert_allclose(ratio.undo(checks._line_3(*args), *args), checks._line_2(*args))
            np.testing.assert_allclose(product.undo(checks._line_4(*args), *args), checks._line_3(*args))
            np.testing.assert_allclose(split.follows(checks._line_4(*args), *args), checks._line_5(*args))
        _, square, slope, zero = checks.part_fit.lines
        for args in self.parts():
            np.testing.assert_allclose(square.follows(checks._part_line_2(*args), *args), checks._part_line_3(*args))
            np.testing.assert_allclose(slope.follows(checks._part_line_3(*args), *args), checks._part_line_4(*args))
            np.testing.assert_allclose(zero.follows(checks._part_line_4(*args), *args), checks._part_line_5(*args))


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"gaussian_mixtures.log_joint: X must have shape \(n, d\), got \(30,\)"):
        gm.log_joint(np.ones(30), [1.0], np.zeros((1, 1)), np.ones((1, 1, 1)))
    with pytest.raises(
        ValueError, match=r"gaussian_mixtures.m_step: gamma must have shape \(n, K\) with n = 30, got \(29, 2\)"
    ):
        gm.m_step(np.ones((30, 2)), np.ones((29, 2)))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    X = explore.petals()

    def ends(self, start):
        return explore.runs()[start][40]

    def test_first_look(self):
        state = explore.Flowers().compute()
        assert state.low == 50
        assert state.unsure.sum() == 17
        assert np.all(self.X[state.unsure, 0] > 2.5)
        assert len(np.unique(self.X[state.unsure], axis=0)) < 17  # "some have the same measurements"

    def test_who_made_the_point(self):
        gamma = gm.responsibilities(
            gm.log_joint(np.array([[-1.0]]), np.array([0.2, 0.8]), np.array([[-1.0], [1.0]]), np.ones((2, 1, 1)))
        )
        np.testing.assert_allclose(gamma, [[0.6488, 0.3512]], atol=5e-5)
        np.testing.assert_allclose(gamma[0, 0], checks.mixture_posterior.reference)

    def test_two_maxima_and_a_saddle(self):
        low, high = self.ends("along the cloud"), self.ends("one above another")
        assert (round(low.loglik, 2), explore.agreement(low)) == (-135.31, 147)
        assert (round(high.loglik, 2), explore.agreement(high)) == (-134.14, 121)
        stuck = self.ends("all the same")
        np.testing.assert_allclose(stuck.gamma, 1 / 3)
        np.testing.assert_allclose(stuck.mu, np.tile(self.X.mean(axis=0), (3, 1)))

    def test_the_bound_gains_less(self):
        steps = explore.Steps()
        for start in ("along the cloud", "one above another"):
            for t in range(10):
                state = steps.compute(t, start)
                assert 0 < state.gain < state.rise

    def test_six_points(self):
        x = np.array(checks.COLLAPSE)
        assert f"x = np.array({list(checks.COLLAPSE)})" in SOLUTION.read_text(encoding="utf-8")
        for means in ((-1, 1), (-0.5, 1.5), (0, 2.5), (0.1, 1.7)):
            start = np.full(2, 0.5), np.array(means, float)[:, None], np.full((2, 1, 1), 0.5)
            *_, last = itertools.islice(gm.em(x[:, None], start), 300)
            assert round(last.loglik, 1) == -9.3
        collapsed = checks._log_densities((0.5, 0.1, 1e-80, 0.5, 1.2))
        assert round(np.delete(collapsed, 2).sum()) == -12  # a hint says it
        deeper = checks._log_densities((0.5, 0.1, 1e-200, 0.5, 1.2))
        assert deeper.sum() > collapsed.sum() + 250

    def test_collapse_on_the_petals(self):
        Sigma = np.stack([np.diag(self.X.var(axis=0)) / 4] * 3)
        start = np.full(3, 1 / 3), np.array([[1.5, 0.2], [1.6, 0.4], [5, 1.7]]), Sigma
        run = []
        with pytest.raises(np.linalg.LinAlgError, match="part 1 collapsed"):
            for state in gm.em(self.X, start):
                run.append(state)
        assert len(run) == 16
        assert round(run[12].loglik) == -143
        assert run[15].loglik > run[12].loglik + 50
        assert np.sum(self.X[:, 1] == 0.2) == 29
        assert abs(run[15].mu[0, 1] - 0.2) < 1e-3
        assert np.linalg.eigvalsh(run[15].Sigma)[0, 0] < 1e-4

    def test_soft_becomes_hard(self):
        shares = [gm.soft_assignment(0.9, np.array([0.0, 2.0]), sigma)[0] for sigma in (1.0, 0.3, 0.05)]
        np.testing.assert_allclose(shares, [0.5498, 0.9022, 1.0], atol=5e-5)
        hardening = explore.Hardening()
        assert [hardening.compute(sigma).unsure > 0 for sigma in (0.1, 0.13, 0.16)] == [False, False, True]

    def test_how_many_parts(self):
        orders = explore.Orders()
        assert (np.argmin(orders.bic) + 1, np.argmin(orders.aic) + 1) == (3, 5)
        assert round(np.log(150), 1) == 5.0
        assert orders.collapsed[5] == 6
        assert [gm.parameters(3, 2), gm.parameters(2, 5)] == [17, 41]
        for fit in orders.fits[2:]:
            assert np.sum(fit.mu[:, 0] < 2.5) == 1  # the small flowers stay one part

    def test_peaks(self):
        bandwidth = explore.Bandwidth()
        peaks = {h: bandwidth.compute(h).peaks for h in (0.02, 0.15, 0.2, 0.26, 5.0)}
        assert peaks[0.02] == 43
        assert peaks[0.2] == 3
        assert peaks[0.15] > 3 > peaks[0.26]
        assert peaks[5.0] == 1


class TestAnswersOfStrangers:
    """Right answers that were refused, wrong ones that were accepted, sentences that were untrue."""

    def test_a_part_that_leaves_points_far_away_is_no_fault(self):
        """The task asks for ℓ > 100 and for nothing else."""
        assert verdict(checks.likelihood_collapse, (0.5, 0.1, 1e-300, 0.5, 0.13)).points == 1

    def test_what_float32_makes_of_a_small_number(self):
        theta = np.array([0.5, 0.1, 1e-80, 0.5, 1.2], dtype=np.float32)
        assert "float32" in verdict(checks.likelihood_collapse, theta).finding.says
        theta = 0.5, 0.1, 1e-40, 0.5, 1.2  # positive, but not small enough
        assert verdict(checks.likelihood_collapse, theta).finding.says == checks._FINITE

    def test_a_run_with_a_floor_under_the_variances(self):
        """1e-6 added to every variance changes ℓ by more than the tolerance only near to a collapse."""

        def run(X, pi, mu, Sigma, steps):
            def step(theta):
                pi, mu, Sigma = gm.m_step(X, checks._gamma(X, *theta))
                return pi, mu, Sigma + 1e-6 * np.eye(X.shape[1])

            return checks._walk(X, (pi, mu, Sigma), steps, step)

        assert verdict(checks.em_loglik, run, seed=44).points == 2

    @pytest.mark.parametrize(
        ("exercise", "careless", "seed"),
        [
            (checks.gmm_e_step, lambda X, pi, mu, Sigma: checks._gamma(X, np.sort(pi), mu, Sigma), 0),
            (checks.em_loglik, lambda X, pi, mu, Sigma, n: checks._trace(X, pi, mu, np.abs(Sigma), n), 7),
            (checks.mixture_bic, lambda *sizes: tuple(np.abs(checks._count_and_bic(*sizes))), 0),
            (checks.variance_update, lambda x, gamma, mu_old: checks._variance(np.abs(x), gamma, mu_old), 11),
            (checks.soft_assignment, lambda x, mu, sigma: gm.soft_assignment(x, np.sort(mu), sigma), 0),
            (checks.soft_assignment, lambda x, mu, sigma: gm.soft_assignment(np.abs(x), mu, sigma), 0),
        ],
        ids=["weights", "covariances", "criterion", "points", "means", "x"],
    )
    def test_order_and_sign_are_seen_on_every_draw(self, exercise, careless, seed):
        assert not verdict(exercise, careless, *[...] * (exercise.parts - 1), seed=seed).points

    def test_a_posterior_over_the_mean_is_not_told_to_be_a_sum(self):
        """p over its mean was told "the mean is asked for, not the sum": below the bar it is the sum."""
        line_2, _, line_4, line_5 = (line.reference for line in checks.evidence_bound.lines)
        seen = verdict(checks.evidence_bound, line_2, lambda q, p: (p, p / np.mean(p)), line_4, line_5)
        assert [step.right for step in seen.steps] == [True, False, True, True]
        assert "p(x) is their sum" in seen.finding.says
        assert "not the sum" not in seen.finding.says
