"""mlcore.probability against independent oracles: counting, simulation, quadrature, scipy, scikit-learn."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.special import rel_entr
from sklearn.metrics import mutual_info_score

from mlcore import probability
from mlcore.checks import probability as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import probability as explore

p_X = probability.exponential_density
P = np.array([[0.05, 0.30, 0.10], [0.25, 0.10, 0.20]])
x, y = np.array([1.0, 4.0]), np.array([-2.0, 0.5, 3.0])


@pytest.fixture(scope="module")
def draws():
    """A million pairs (i, j) from P."""
    cells = np.random.default_rng(0).choice(P.size, size=1_000_000, p=P.ravel())
    return np.unravel_index(cells, P.shape)


def weights(count):
    return st.lists(st.floats(0.01, 1), min_size=count, max_size=count).map(lambda w: np.array(w) / np.sum(w))


def test_joint_counts_pairs():
    i, j = np.array([0, 1, 1, 0, 1]), np.array([2, 0, 0, 2, 1])
    pairs = list(zip(i, j, strict=True))
    counted = [[pairs.count((a, b)) / 5 for b in range(3)] for a in range(2)]
    np.testing.assert_allclose(probability.joint(i, j), counted)


def test_marginals_and_conditionals_are_frequencies(draws):
    """(1.1) and (1.2)."""
    i, j = draws
    p, q = probability.marginals(P)
    np.testing.assert_allclose(p, np.bincount(i) / len(i), atol=2e-3)
    np.testing.assert_allclose(q, np.bincount(j) / len(j), atol=2e-3)
    seen = np.column_stack([np.bincount(i[j == b]) / np.sum(j == b) for b in range(3)])
    np.testing.assert_allclose(probability.conditional(P), seen, atol=3e-3)


def test_bayes_is_the_share_of_rainy_days_among_those_with_a_jam():
    """(1.3), by 400 000 simulated days."""
    rng = np.random.default_rng(1)
    rain = rng.random(400_000) < 0.15
    jam = rng.random(400_000) < np.where(rain, 0.6, 0.3)
    assert probability.bayes(0.15, 0.6, 0.3) == pytest.approx(rain[jam].mean(), abs=4e-3)


@given(prior=st.floats(0.01, 0.99), if_true=st.floats(0.01, 0.99), if_false=st.floats(0.01, 0.99))
def test_bayes_is_a_column_of_the_table(prior, if_true, if_false):
    table = np.array([[prior * if_true, prior * (1 - if_true)], [(1 - prior) * if_false, (1 - prior) * (1 - if_false)]])
    assert probability.bayes(prior, if_true, if_false) == pytest.approx(probability.conditional(table)[0, 0])


def test_mean_and_variance_are_scipys():
    """(1.4) and both forms of (1.5)."""
    p = np.array([0.2, 0.5, 0.3])
    peer = stats.rv_discrete(values=([1, 4, 9], p))
    values = np.array([1.0, 4.0, 9.0])
    assert probability.mean(p, values) == pytest.approx(peer.mean())
    assert probability.variance(p, values) == pytest.approx(peer.var())
    assert p @ values**2 - (p @ values) ** 2 == pytest.approx(peer.var())


@pytest.mark.parametrize("a", [0.5, 2.0, 7.0])
def test_uniform_variance_by_quadrature(a):
    """(1.6)."""
    assert probability.uniform_variance(a) == pytest.approx(quad(lambda t: (t - a / 2) ** 2 / a, 0, a)[0])


@pytest.mark.parametrize("a", [-2.0, -0.5, 0.5, 3.0])
def test_stretched_variable(a):
    """(1.7) and (1.8): moments and the area by quadrature, heights by scipy."""
    b = 1.5

    def density(t):
        return float(probability.affine_density(t, a, b, probability.exponential_density))

    ends = sorted((b, b + 50 * a))
    mean = quad(lambda t: t * density(t), *ends)[0]
    variance = quad(lambda t: (t - mean) ** 2 * density(t), *ends)[0]
    assert quad(density, *ends)[0] == pytest.approx(1)
    np.testing.assert_allclose(probability.affine_moments(a, b, 1.0, 1.0), (mean, variance), rtol=1e-6)
    peer = stats.expon(loc=b, scale=a) if a > 0 else stats.expon(loc=-b, scale=-a)
    for t in (b - 3, b - 0.2, b + 0.2, b + 3):
        assert density(t) == pytest.approx(peer.pdf(t if a > 0 else -t))


def test_covariance_of_draws(draws):
    """(1.9), against numpy's covariance of a million draws and against brute force."""
    i, j = draws
    assert probability.covariance(P, x, y) == pytest.approx(np.cov(x[i], y[j])[0, 1], abs=0.02)
    cells = list(np.ndindex(P.shape))
    ex, ey = sum(P[c] * x[c[0]] for c in cells), sum(P[c] * y[c[1]] for c in cells)
    centred = sum(P[a, b] * (x[a] - ex) * (y[b] - ey) for a, b in cells)
    assert probability.covariance(P, x, y) == pytest.approx(centred)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, -1), (2.0, -0.5)])
def test_variance_of_a_combination_is_that_of_its_values(a, b):
    """(1.10) and (1.11), by listing every value of aX + bY with its probability."""
    p, q = probability.marginals(P)
    cov = probability.covariance(P, x, y)
    Sigma = np.array([[probability.variance(p, x), cov], [cov, probability.variance(q, y)]])
    values = np.array([a * s + b * t for s, t in itertools.product(x, y)])
    peer = stats.rv_discrete(values=(np.arange(6), P.ravel()))
    mean = peer.expect(lambda k: values[k.astype(int)])
    assert probability.combination_variance(a, b, Sigma) == pytest.approx(
        peer.expect(lambda k: (values[k.astype(int)] - mean) ** 2)
    )


@given(values=st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=8))
def test_correlation_is_scipys_and_bounded(values):
    """(1.12)."""
    u, v = np.array(values, dtype=float).T
    if np.ptp(u) == 0 or np.ptp(v) == 0:
        return
    corr = probability.correlation(np.cov(u, v))
    assert corr == pytest.approx(stats.pearsonr(u, v).statistic, abs=1e-9)
    assert abs(corr) <= 1 + 1e-12


def test_both_bounds_of_the_correlation_are_attained():
    u = np.array([-1.0, 0.0, 2.0])
    assert probability.correlation(np.cov(u, 3 * u + 1)) == pytest.approx(1)
    assert probability.correlation(np.cov(u, -u)) == pytest.approx(-1)


@given(p=weights(4), q=weights(4))
def test_entropies_are_scipys(p, q):
    """(1.13), (1.14) and (1.15)."""
    assert probability.entropy(p) == pytest.approx(stats.entropy(p))
    assert probability.kl(p, q) == pytest.approx(np.sum(rel_entr(p, q)), abs=1e-12)
    assert probability.cross_entropy(p, q) == pytest.approx(stats.entropy(p) + stats.entropy(p, q))
    assert probability.kl(p, q) >= -1e-12


def test_impossible_outcomes():
    sure, fair = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    assert probability.entropy(sure) == 0
    assert probability.kl(sure, fair) == pytest.approx(np.log(2))
    assert probability.kl(fair, sure) == np.inf


@given(p=weights(5), values=st.lists(st.floats(0.1, 5), min_size=5, max_size=5))
@pytest.mark.parametrize("f", [np.square, np.exp, np.negative, lambda t: -np.log(t), lambda t: np.abs(t - 2)])
def test_jensen(f, p, values):
    """(1.16)."""
    values = np.array(values)
    assert f(probability.mean(p, values)) <= probability.mean(p, f(values)) + 1e-9


def test_mutual_information_is_scikit_learns():
    """(1.17), and its other form."""
    nats = mutual_info_score(None, None, contingency=(100 * P).round().astype(int))
    assert probability.mutual_information(P) == pytest.approx(nats / np.log(2))
    p, q = probability.marginals(P)
    after = sum(weight * stats.entropy(column, base=2) for weight, column in zip(q, P.T, strict=True))
    assert probability.mutual_information(P) == pytest.approx(stats.entropy(p, base=2) - after)
    assert probability.mutual_information(P) == pytest.approx(np.sum(rel_entr(P, np.outer(p, q))) / np.log(2))
    assert probability.mutual_information(np.outer(p, q)) == pytest.approx(0, abs=1e-12)


class TestDerivationOfTheVarianceOfASum:
    cases = tuple(case for seed in range(5) for case in checks._with_values(np.random.default_rng(seed)))

    def test_every_line_adds_up_to_the_one_before(self):
        for table, x, y in self.cases:
            variance = checks._line_1(table, x, y)
            u, v = checks._line_2(table, x, y)
            cells = [(i, j) for i in range(len(x)) for j in range(len(y))]
            brackets = [x[i] + y[j] - sum(table[c] * (x[c[0]] + y[c[1]]) for c in cells) for i, j in cells]
            np.testing.assert_allclose([u[i] + v[j] for i, j in cells], brackets, atol=1e-12)
            first, cross, last = checks._line_3(table, x, y)
            squares = [first[i] + cross[i, j] + last[j] for i, j in cells]
            np.testing.assert_allclose(squares, np.square(brackets), atol=1e-12)
            assert sum(part.sum() for part in checks._line_4(table, x, y)) == pytest.approx(variance)

    def test_the_last_line_holds_variances_and_covariance(self):
        """(1.10)."""
        for table, x, y in self.cases:
            p, q = probability.marginals(table)
            first, cross, last = (part.sum() for part in checks._line_4(table, x, y))
            np.testing.assert_allclose((first, last), (probability.variance(p, x), probability.variance(q, y)))
            assert cross == pytest.approx(2 * probability.covariance(table, x, y))

    def test_a_line_follows_from_the_one_before(self):
        for case in self.cases:
            for before, line in itertools.pairwise(checks.sum_variance.lines):
                for a, b in zip(line.follows(before.reference(*case), *case), line.reference(*case), strict=True):
                    np.testing.assert_allclose(a, b, atol=1e-12)


def test_wrong_tables_get_one_line():
    with pytest.raises(ValueError, match=r"probability.conditional: P must have shape \(k, l\), got \(3,\)"):
        probability.conditional(np.ones(3) / 3)
    with pytest.raises(ValueError, match=r"probability.marginals: the entries of P must add up to 1, got 150"):
        probability.marginals(np.full((3, 5), 10))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_two_questions(self):
        state = explore.TwoQuestions().compute()
        assert round(state.length_given_species[1, 1], 2) == 0.70
        assert round(state.length_given_species[2, 1], 2) == 0.46
        assert round(state.species_given_length[1, 1], 2) == 0.56

    def test_rain(self):
        posterior = probability.bayes(0.3, 0.8, 0.2)
        assert round(posterior, 4) == 0.6316
        assert 1 - posterior > 1 / 3  # "more than a third of the jams"

    @pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5])
    def test_bernoulli(self, alpha):
        assert probability.variance(np.array([1 - alpha, alpha]), np.array([0, 1])) == pytest.approx(
            alpha * (1 - alpha)
        )

    def test_bell(self):
        area = quad(lambda z: np.exp(-(z**2) / 2), -np.inf, np.inf)[0]
        assert [round(area, 3), round(1 / area, 3)] == [2.507, 0.399]
        assert area == pytest.approx(np.sqrt(2 * np.pi))

    def test_centimetres_and_millimetres(self):
        centimetres = np.cov(load("iris").X[:, :2].T)
        millimetres = np.cov(10 * load("iris").X[:, :2].T)
        assert millimetres[0, 1] == pytest.approx(100 * centimetres[0, 1])
        assert probability.correlation(millimetres) == pytest.approx(probability.correlation(centimetres))

    def test_coins(self):
        bits = probability.entropy(np.array([0.75, 0.25])) / np.log(2)
        assert round(bits, 4) == 0.8113
        assert probability.entropy(np.array([0.5, 0.5])) / np.log(2) == pytest.approx(1)

    def test_a_hint_about_the_divergence(self):
        """KL(p‖q) ≈ ½ log(1/4ε) for a fair coin and a belief of ε."""
        p, q = np.array([0.5, 0.5]), np.array([0.9999, 0.0001])
        assert probability.kl(p, q) == pytest.approx(np.log(1 / 4e-4) / 2, abs=1e-4)
        assert probability.kl(q, p) < 1 < 3 < probability.kl(p, q)

    def test_cross_entropy_touches_the_entropy(self):
        coin = explore.Coin()
        assert min(coin.q.grid(97), key=lambda q: coin.compute(p=0.3, q=q).cross) == pytest.approx(0.3)
        assert coin.compute(p=0.3, q=0.3).cross == pytest.approx(coin.compute(p=0.3, q=0.3).entropy)

    def test_what_the_measurements_tell(self):
        iris = load("iris")
        told = {}
        for name, column in zip(iris.features, iris.X.T, strict=True):
            part = np.digitize(column, np.quantile(column, [1 / 3, 2 / 3]))
            told[name] = probability.mutual_information(probability.joint(iris.y.astype(int), part))
            assert np.bincount(part).min() / 150 > 0.2  # "about the same size"
        assert round(told["sepal_length"], 2) == 0.61
        assert round(told["sepal_width"], 2) == 0.31
        assert min(told["petal_length"], told["petal_width"]) > 1.3
        assert round(np.log2(3), 2) == 1.58

    def test_garden(self):
        assert round(probability.bayes(0.1, 0.7, 0.46), 2) == 0.14


class TestAnswersOfStrangers:
    """Wrong answers that were accepted, on seeds that showed it."""

    @pytest.mark.parametrize(
        ("answer", "seed"),
        [
            (lambda y, a, b: p_X((abs(y) - b) / a) / abs(a), 18),
            (lambda y, a, b: p_X((y - abs(b)) / a) / abs(a), 0),
            (lambda y, a, b: min(p_X((y - b) / a) / abs(a), 1), 5),
        ],
        ids=["|y|", "|b|", "at most 1"],
    )
    def test_density_of_a_stretched_variable(self, answer, seed):
        assert not assess(checks.stretched_density, (answer, (1.0, -2.0, 2.0)), seed).right

    @pytest.mark.parametrize("y", [-40.0, -699.0])
    def test_a_small_density_is_no_zero(self, y):
        """Beyond 700 it is one to the computer, and the task says so."""
        answer = lambda y, a, b: p_X((y - b) / a) / abs(a)  # noqa: E731
        assert assess(checks.stretched_density, (answer, (y, -1.0, 0.0))).right
        refused = assess(checks.stretched_density, (answer, (-1000.0, -1.0, 0.0)))
        assert "(y − b)/a < 700" in refused.finding.says
        assert "(y − b)/a < 700" in checks.stretched_density.task()

    def test_variance_of_a_sum_with_negative_values(self):
        """|x| for x: no x was negative."""

        def line(P, x, y):
            return abs(x) - P.sum(axis=1) @ abs(x), y - P.sum(axis=0) @ y

        assert not any(step.right for step in assess(checks.sum_variance, (line, ..., ...)).steps)

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (0, lambda P, x, y: (np.sum(P.T @ x) - x, np.sum(P @ y) - y), "Both signs are reversed"),
            (0, lambda P, x, y: [z - np.sum(P * (x[:, None] + y)) / 2 for z in (x, y)], "Half of E[X + Y]"),
            (0, lambda P, x, y: (x * P.sum(1), y * P.sum(0)), "weighted, not centred"),
            (1, lambda P, x, y: _weighed(P, *_centred(P, x, y)), "The weights are in already"),
            (2, lambda P, x, y: _squared(*_centred(P, x, y)), "no sum has its weights yet"),
            (
                2,
                lambda P, x, y: _with_cross(_weighed(P, *_centred(P, x, y)), 2 * np.outer(*_centred(P, x, y))),
                "The cross term has no weights yet",
            ),
        ],
        ids=["signs", "halves", "weighted", "early", "repeated", "cross"],
    )
    @pytest.mark.parametrize("seed", range(3))
    def test_a_line_of_the_variance_of_a_sum_is_told_more_than_its_size(self, part, answer, says, seed):
        lines = [answer if i == part else ... for i in range(3)]
        assert says in assess(checks.sum_variance, lines, seed).steps[part].says

    def test_what_is_said_of_u_holds_whatever_v_is(self):
        """It said that EY is subtracted twice: here it is subtracted once, but from x."""
        line = lambda P, x, y: (x - np.sum(P.T @ x) - np.sum(P @ y), y)  # noqa: E731
        says = assess(checks.sum_variance, (line, ..., ...)).steps[0].says
        assert "mean −EY" in says
        assert "twice" not in says


def _centred(P, x, y):
    return x - np.sum(P.T @ x), y - np.sum(P @ y)


def _squared(u, v):
    return u * u, 2 * np.outer(u, v), v * v


def _weighed(P, u, v):
    return P @ np.ones(len(v)) * u**2, 2 * (P * v).T.dot(np.diag(u)).T, np.ones(len(u)) @ P * v**2


def _with_cross(terms, cross):
    return terms[0], cross, terms[2]
