"""mlcore.multivariate_normal against independent oracles: scipy, simulation, quadrature, finite differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import dblquad

from mlcore import multivariate_normal as mvn
from mlcore.checks import multivariate_normal as checks
from mlcore.data import load
from mlcore.engine.exercises import but
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.values import components
from mlcore.explore import multivariate_normal as explore
from tests.strangers import verdict


def normal(d, seed=0):
    rng = np.random.default_rng([d, seed])
    A = rng.normal(size=(d, d))
    return rng.normal(size=d), A @ A.T + np.eye(d) / 2


CHAIN = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
MU, SIGMA = np.array([1.0, -2.0]), np.array([[2.0, 0.3], [0.3, 1.0]])


def test_sample_has_the_mean_and_the_covariance():
    """(22.1), by simulation."""
    mu, Sigma = normal(3)
    X = mvn.sample(200_000, mu, Sigma, np.random.default_rng(1))
    np.testing.assert_allclose(X.mean(axis=0), mu, atol=0.03)
    np.testing.assert_allclose(np.cov(X.T), Sigma, atol=0.02 * np.abs(Sigma).max())


def test_affine_is_what_a_simulation_gives():
    """(22.2), with independent uniform coordinates in place of normal ones: the moments do not care."""
    rng = np.random.default_rng(2)
    B, mu, A, c = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=(2, 3)), np.array([5.0, -1.0])
    X = mu + rng.uniform(-np.sqrt(3), np.sqrt(3), size=(400_000, 3)) @ B.T
    mean, covariance = mvn.affine(A, c, mu, B @ B.T)
    Y = X @ A.T + c
    np.testing.assert_allclose(mean, Y.mean(axis=0), atol=0.02)
    np.testing.assert_allclose(covariance, np.cov(Y.T), rtol=0.02, atol=0.02)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_logpdf_is_scipys(d):
    """(22.3), at one point and at many."""
    mu, Sigma = normal(d)
    X = np.random.default_rng(3).normal(size=(20, d))
    peer = stats.multivariate_normal(mu, Sigma).logpdf(X)
    np.testing.assert_allclose(mvn.logpdf(X, mu, Sigma), peer)
    np.testing.assert_allclose(mvn.logpdf(X[0], mu, Sigma), np.ravel(peer)[0])


def test_logpdf_survives_a_determinant_that_underflows():
    mu, Sigma = normal(80)
    assert np.linalg.det(1e-8 * Sigma) == 0
    shift = 80 / 2 * np.log(1e-8)  # densities scale with the volume
    np.testing.assert_allclose(mvn.logpdf(mu, mu, 1e-8 * Sigma), mvn.logpdf(mu, mu, Sigma) - shift)


def test_marginal_is_the_integral_of_the_joint():
    """(22.4), by quadrature over the two others."""
    mu = np.array([0.5, -1.0, 0.2])
    Sigma = np.array([[1.0, 0.4, -0.3], [0.4, 2.0, 0.5], [-0.3, 0.5, 0.8]])
    joint, here = stats.multivariate_normal(mu, Sigma), 0.4
    mean, covariance = mvn.marginal(mu, Sigma, [1])
    density = dblquad(lambda c, a: joint.pdf([a, here, c]), -6, 7, -6, 7, epsabs=1e-7)[0]
    np.testing.assert_allclose(stats.norm(mean[0], np.sqrt(covariance[0, 0])).pdf(here), density, rtol=1e-5)


def test_natural_form_is_the_same_density():
    """(22.5) and (22.6), against scipy; and C against quadrature."""
    mu, Sigma = normal(4)
    b, Q, log_C = mvn.natural(mu, Sigma)
    for x in np.random.default_rng(4).normal(size=(10, 4)):
        np.testing.assert_allclose(
            mvn.natural_logpdf(x, b, Q, log_C), stats.multivariate_normal(mu, Sigma).logpdf(x), rtol=1e-9
        )
    b, Q, log_C = mvn.natural(MU, SIGMA)
    C = dblquad(lambda t, s: np.exp(-(r := np.array([s, t])) @ Q @ r / 2 + b @ r), -12, 12, -12, 12, epsabs=1e-6)[0]
    np.testing.assert_allclose(np.exp(log_C), C, rtol=1e-6)


def test_precision_is_the_curvature_of_the_log_density():
    """(22.6): −q_ij is the mixed second derivative, by differences."""
    mu, Sigma = normal(3)
    log_p = stats.multivariate_normal(mu, Sigma).logpdf
    h = 1e-3 * np.eye(3)
    curvature = [
        [(log_p(a + b) - log_p(a - b) - log_p(b - a) + log_p(-a - b)) / 4e-6 for a in h] for b in h
    ]  # at x = 0
    np.testing.assert_allclose(mvn.precision(Sigma), -np.array(curvature), atol=1e-5)


@given(seed=st.integers(0, 10_000), d=st.integers(1, 6))
def test_natural_form_and_back(seed, d):
    """(22.7)."""
    mu, Sigma = normal(d, seed)
    b, Q, _ = mvn.natural(mu, Sigma)
    back = mvn.standard(b, Q)
    np.testing.assert_allclose(back[0], mu, atol=1e-8)
    np.testing.assert_allclose(back[1], Sigma, atol=1e-8)


def test_conditional_is_joint_over_marginal():
    """(22.8) and (22.9), against scipy's densities; one coordinate is neither asked for nor observed."""
    mu, Sigma = normal(5)
    alpha, beta, both = [3, 0], [1, 4], [3, 0, 1, 4]
    x = np.random.default_rng(5).normal(size=5)
    mean, covariance = mvn.conditional(x[beta], mu, Sigma, alpha, beta)
    joint = stats.multivariate_normal(mu[both], Sigma[np.ix_(both, both)])
    other = stats.multivariate_normal(mu[beta], Sigma[np.ix_(beta, beta)])
    np.testing.assert_allclose(
        stats.multivariate_normal(mean, covariance).logpdf(x[alpha]), joint.logpdf(x[both]) - other.logpdf(x[beta])
    )


def test_conditional_is_what_a_simulation_gives():
    """(22.8) and (22.9): draws that happen to have x_β near the observation."""
    Sigma = np.array([[1.0, 0.8], [0.8, 1.0]])
    X = stats.multivariate_normal([0, 0], Sigma).rvs(400_000, random_state=6)
    near = X[np.abs(X[:, 1] - 1.5) < 0.05, 0]
    mean, covariance = mvn.conditional(np.array([1.5]), np.zeros(2), Sigma, [0], [1])
    np.testing.assert_allclose([mean[0], covariance[0, 0]], [near.mean(), near.var()], atol=0.03)


@given(seed=st.integers(0, 10_000))
def test_conditional_covariance_is_the_inverse_of_a_block_of_the_precision(seed):
    """(22.9), if β is all the rest."""
    mu, Sigma = normal(5, seed)
    Q = np.linalg.inv(Sigma)
    mean, covariance = mvn.conditional(np.zeros(3), mu, Sigma, [0, 1], [2, 3, 4])
    np.testing.assert_allclose(covariance, np.linalg.inv(Q[:2, :2]), atol=1e-8)
    np.testing.assert_allclose(mean, mu[:2] + np.linalg.solve(Q[:2, :2], Q[:2, 2:] @ mu[2:]), atol=1e-8)


def test_partial_correlation_is_that_of_regression_residuals():
    """(22.10), on data."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4))
    X -= X.mean(axis=0)
    partial = mvn.partial_correlation(np.cov(X.T))
    for i in range(4):
        for j in range(i):
            rest = np.delete(X, [i, j], axis=1)
            left = X[:, [i, j]] - rest @ np.linalg.lstsq(rest, X[:, [i, j]], rcond=None)[0]
            np.testing.assert_allclose(partial[i, j], np.corrcoef(left.T)[0, 1])
    np.testing.assert_allclose(np.diag(partial), 1)


def test_graphs_say_what_factorises():
    """(22.11): a pair is independent given the rest exactly if the mixed difference of the log density is 0."""
    Sigma = np.linalg.inv(CHAIN)
    log_p = stats.multivariate_normal(np.zeros(3), Sigma).logpdf
    e = np.eye(3)
    mixed = np.array([[log_p(a + b) - log_p(a) - log_p(b) + log_p(np.zeros(3)) for a in e] for b in e])
    np.fill_diagonal(mixed, 0)
    np.testing.assert_array_equal(mvn.markov_graph(Sigma), np.abs(mixed) > 1e-9)
    pair = stats.multivariate_normal(np.zeros(2), Sigma[np.ix_([0, 2], [0, 2])])  # dependent: no product of marginals
    product = stats.norm(0, np.sqrt(0.75)).logpdf(1) * 2
    assert mvn.covariance_graph(Sigma)[0, 2] and abs(pair.logpdf([1, 1]) - product) > 0.01


def test_both_graphs_agree_for_blocks():
    Sigma = np.array([[10.0, 2.0, 0.0], [2.0, 10.0, 0.0], [0.0, 0.0, 1.0]])
    one_edge = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    np.testing.assert_array_equal(mvn.covariance_graph(Sigma), one_edge)
    np.testing.assert_array_equal(mvn.markov_graph(Sigma), one_edge)


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"multivariate_normal.logpdf: mu must have shape \(d,\), got \(2, 1\)"):
        mvn.logpdf(np.zeros(2), np.zeros((2, 1)), np.eye(2))
    with pytest.raises(
        ValueError, match=r"multivariate_normal.standard: Q must have shape \(d, d\) = \(2, 2\), got \(3, 3\)"
    ):
        mvn.standard(np.zeros(2), np.eye(3))


class TestTheChain:
    """The lines of the completed square: each, put together, is the exponent of the joint density."""

    blocks = checks._blocks(np.random.default_rng(0))

    def test_every_line_is_the_exponent(self):
        for u, v, *Q in self.blocks:
            exponent = checks._line_1(u, v, *Q)
            A, B, D = checks._line_2(u, v, *Q)
            np.testing.assert_allclose(-u @ A @ u / 2 + u @ B @ v - v @ D @ v / 2, exponent)
            A, K, D = checks._line_3(u, v, *Q)
            np.testing.assert_allclose(-u @ A @ u / 2 + u @ A @ K @ v - v @ D @ v / 2, exponent)
            A, K, E, D = checks._line_4(u, v, *Q)
            r = u - K @ v
            np.testing.assert_allclose(-r @ A @ r / 2 + v @ E @ v / 2 - v @ D @ v / 2, exponent)
            m, P, S = checks._line_5(u, v, *Q)
            np.testing.assert_allclose(-(u - m) @ P @ (u - m) / 2 - v @ S @ v / 2, exponent)

    def test_what_is_read_off_is_the_conditional_and_the_marginal(self):
        for u, v, Qaa, Qab, Qbb in self.blocks:
            Sigma = np.linalg.inv(np.block([[Qaa, Qab], [Qab.T, Qbb]]))
            alpha, beta = np.split(np.arange(len(Sigma)), [len(u)])
            mean, precision, S = checks._line_5(u, v, Qaa, Qab, Qbb)
            given = mvn.conditional(v, np.zeros(len(Sigma)), Sigma, alpha, beta)
            np.testing.assert_allclose(mean, given[0])
            np.testing.assert_allclose(np.linalg.inv(precision), given[1])
            np.testing.assert_allclose(np.linalg.inv(S), Sigma[np.ix_(beta, beta)])

    def test_the_right_lines_follow_from_each_other(self):
        for before, line in itertools.pairwise(checks.conditional_square.lines):
            for args in self.blocks:
                there, here = before.reference(*args), line.reference(*args)
                got, asked = (line.undo(here, *args), there) if line.undo else (here, line.follows(there, *args))
                for one, other in zip(components(got), components(asked), strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    X, species = load("iris").X, load("iris").y

    def test_irises_turn_round(self):
        S = np.cov(self.X.T, bias=True)
        R, partial = mvn.correlation(S), mvn.partial_correlation(S)
        assert self.X.shape == (150, 4) and load("iris").features[0] == "sepal_length"
        assert [round(R[0, 1], 2), round(partial[0, 1], 2)] == [-0.12, 0.63]
        assert [round(R[0, 3], 2), round(partial[0, 3], 2)] == [0.82, -0.34]
        assert np.sum(np.triu(R * partial < 0)) == 3  # "of the six pairs three change their sign"
        state = explore.Flowers().compute()
        np.testing.assert_allclose([state.marginal, state.partial], [R[0, 1], partial[0, 1]])

    def test_what_the_botanists_should_know(self):
        means = np.array([self.X[self.species == k].mean(axis=0) for k in range(3)])
        length, width, petal_length, petal_width = means.T
        assert length.argmin() == petal_length.argmin() == petal_width.argmin() == 0
        assert width.argmax() == 0
        within = self.X - means[self.species.astype(int)]
        assert np.corrcoef(within.T)[0, 1] > 0.5

    def test_printed_factor_has_too_much_mass(self):
        """(2π)^{+d/2} in place of (2π)^{−d/2}."""
        Q, volume = np.linalg.inv(SIGMA), np.sqrt(np.linalg.det(SIGMA))

        def printed(t, s):
            return 2 * np.pi / volume * np.exp(-np.array([s, t]) @ Q @ [s, t] / 2)

        mass = dblquad(printed, -12, 12, -12, 12, epsabs=1e-5)[0]
        assert round(mass, 1) == 39.5 == round((2 * np.pi) ** 2, 1)

    def test_two_forms_one_density(self):
        x = np.array([0.3, 0.4])
        np.testing.assert_allclose(np.exp(mvn.logpdf(x, MU, SIGMA)), 0.0038132170, rtol=1e-8)
        np.testing.assert_allclose(np.exp(mvn.natural_logpdf(x, *mvn.natural(MU, SIGMA))), 0.0038132170, rtol=1e-8)

    def test_table_that_passes_every_h(self):
        table = 1 / 9 + 0.1 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
        np.testing.assert_allclose([table.sum(axis=0), table.sum(axis=1)], 1 / 3)
        assert round(table[0, 1], 2) == 0.21
        H = np.random.default_rng(8).normal(size=(1000, 3))
        assert np.max(np.abs(np.sum(H @ table * H, axis=1) - (H.sum(axis=1) / 3) ** 2)) < 1e-12
        assert round(table[0, 1] - 1 / 9, 9) == 0.1  # two functions see it: h = 1{−1}, g = 1{0}

    def test_observing(self):
        explorer = explore.Conditional()
        state = explorer.compute(rho=0.8, x_beta=1.5)
        np.testing.assert_allclose([state.mean, state.variance], [1.2, 0.36])
        np.testing.assert_allclose(explorer.compute(rho=0.8, x_beta=0.0).variance, 0.36)
        assert round(np.sqrt(1 - 0.5**2), 2) == 0.87

    def test_chain(self):
        """−x₁² − x₂² − x₃² + x₁x₂ + x₂x₃ is −½xᵀQx, and Q⁻¹ is in quarters."""
        x = np.array([0.7, -1.3, 0.4])
        np.testing.assert_allclose(-x @ CHAIN @ x / 2, -x @ x + x[0] * x[1] + x[1] * x[2])
        Sigma = mvn.standard(np.zeros(3), CHAIN)[1]
        np.testing.assert_allclose(4 * Sigma, [[3, 2, 1], [2, 4, 2], [1, 2, 3]])

    def test_graph_sliders(self):
        explorer = explore.Graphs()
        start, cut = explorer.compute(**explorer.start), explorer.compute(**explorer.start | {"q12": 0.0})
        np.testing.assert_array_equal(start.Q, CHAIN)
        assert start.covariance.sum() == 6 and start.markov.sum() == 4
        assert not cut.covariance[0].any() and not cut.markov[0].any() and cut.covariance[1, 2]
        cancel = explorer.compute(**explorer.start | {"q13": 0.5})
        assert cancel.markov[0, 2] and not cancel.covariance[0, 2]
        np.testing.assert_allclose(cancel.partial[0, 2], -0.25)


class TestAnswersOfStrangers:
    """Right answers that were refused, wrong ones that were accepted, sentences that were untrue."""

    def test_a_shift_may_be_negative(self):
        answer = lambda A, c, mu, Sigma: (A @ mu + np.abs(c), A @ Sigma @ A.T)  # noqa: E731
        assert not verdict(checks.affine_normal, answer).points

    @pytest.mark.parametrize("seed", [4, 21, 29])
    def test_coordinates_come_in_any_order(self, seed):
        def in_order(x_beta, mu, Sigma, alpha, beta):
            return mvn.conditional(x_beta, mu, Sigma, np.sort(alpha), beta)

        assert not verdict(checks.normal_conditional, in_order, seed=seed).points

    def test_the_signs_of_a_covariance_matter(self):
        """In a tree they do not: to turn the signs of some coordinates makes all covariances positive."""
        assert verdict(checks.markov_edges, lambda S: mvn.markov_graph(np.abs(S)), (CHAIN,)).points == 1

    @pytest.mark.parametrize("unit", [1e-12, 1e-6])
    def test_counter_examples_in_small_units(self, unit):
        at = np.outer([1.0, unit, 1.0], [1.0, unit, 1.0]) * CHAIN * unit
        assert verdict(checks.markov_edges, mvn.markov_graph, (at,)).steps[1].right

    def test_a_table_that_is_hardly_dependent(self):
        """It was told that it is independent."""
        slightly = 1 / 9 + 1e-5 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
        rarely = [[0, 0, 1e-8], [0, 1 - 2e-8, 0], [0, 0, 1e-8]]
        for table in (slightly, rarely):
            assert "0.001" in verdict(checks.uncorrelated_dependent, table).finding.says
        assert verdict(checks.uncorrelated_dependent, 1 / 9 + 120 * (slightly - 1 / 9)).points == 2

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, None, lambda u, v, Qaa, Qab, Qbb: (-Qaa / 2, -Qab, -Qbb / 2), "The −½ stands"),
            (2, 1, lambda u, v, Qaa, Qab, Qbb: 2 * Qab, "it is doubled"),
            (2, 1, lambda u, v, Qaa, Qab, Qbb: Qab / 2, "counted once"),
            (2, None, lambda u, v, Qaa, Qab, Qbb: (np.linalg.inv(Qaa), -Qab, np.linalg.inv(Qbb)), "inverted here"),
            (
                3,
                1,
                lambda u, v, Qaa, Qab, Qbb: np.outer(np.linalg.solve(-Qaa, Qab @ v), v) / (v @ v),
                "the given v only",
            ),
            (3, None, lambda u, v, Qaa, Qab, Qbb: (np.eye(len(u)), -Qab, Qbb), "A stays what it is"),
            (4, 2, lambda u, v, Qaa, Qab, Qbb: Qbb - checks._explained(Qaa, Qab), "D stands beside it"),
            (4, 2, lambda u, v, Qaa, Qab, Qbb: Qab.T @ Qab, "BᵀB"),
            (
                4,
                None,
                lambda u, v, Qaa, Qab, Qbb: (*checks._line_3(u, v, Qaa, Qab, Qbb), checks._explained(Qaa, Qab)),
                "changed places",
            ),
            (5, 2, lambda u, v, Qaa, Qab, Qbb: checks._explained(Qaa, Qab), "E alone"),
            (5, 2, lambda u, v, Qaa, Qab, Qbb: np.linalg.inv(Qbb - checks._explained(Qaa, Qab)), "the inverse"),
            (5, 0, lambda u, v, Qaa, Qab, Qbb: u - np.linalg.solve(-Qaa, Qab @ v), "u is not in it"),
            (5, 0, lambda u, v, Qaa, Qab, Qbb: -Qab @ v, "A is not undone"),
            (5, 0, lambda u, v, Qaa, Qab, Qbb: 0 * u, "depends on v"),
        ],
    )
    def test_a_slip_in_a_line_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.conditional_square.lines]
        right = lines[line - 2]
        lines[line - 2] = slip if part is None else but(right, part, slip)
        assert told in assess(checks.conditional_square, tuple(lines)).finding.says
