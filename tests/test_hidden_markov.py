"""mlcore.hidden_markov against independent oracles: all paths, conditioned Gaussians, finite differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_are
from scipy.special import logsumexp
from scipy.stats import multivariate_normal as scipy_normal

from mlcore import hidden_markov as hm
from mlcore import multivariate_normal
from mlcore.checks import hidden_markov as checks
from mlcore.engine.exercises.assess import assess
from mlcore.explore import hidden_markov as explore


def model(seed, K, M):
    rng = np.random.default_rng(seed)

    def rows(*shape):
        p = rng.uniform(0.05, 1, size=shape)
        return p / p.sum(axis=-1, keepdims=True)

    return rows(K), rows(K, K), rows(K, M), rng


def all_paths(o, pi, A, B):
    """p(q, o) of every path, from the definition of the model alone."""
    found = {}
    for q in itertools.product(range(len(pi)), repeat=len(o)):
        p = pi[q[0]] * B[q[0], o[0]]
        for t in range(1, len(o)):
            p *= A[q[t - 1], q[t]] * B[q[t], o[t]]
        found[q] = p
    return found


SIZES = [(2, 2, 5), (3, 4, 6), (4, 3, 5), (2, 3, 1), (5, 2, 4)]


@pytest.fixture(params=SIZES, ids=lambda s: "K{}M{}T{}".format(*s))
def case(request):
    K, M, T = request.param
    pi, A, B, rng = model(K + M, K, M)
    o = rng.integers(0, M, size=T)
    return o, pi, A, B, all_paths(o, pi, A, B)


def test_joint_of_a_path(case):
    """(28.1)."""
    o, pi, A, B, paths = case
    for q, p in itertools.islice(paths.items(), 20):
        np.testing.assert_allclose(hm.log_joint(np.array(q), o, pi, A, B), np.log(p))


def test_forward_is_the_sum_over_all_paths(case):
    """(28.2) and (28.3): p(o), and P(qₜ | o₁ … oₜ) at every t."""
    o, pi, A, B, paths = case
    np.testing.assert_allclose(hm.loglik(o, pi, A, B), np.log(sum(paths.values())))
    alpha, c = hm.forward(o, pi, A, B)
    for t in range(len(o)):
        start = all_paths(o[: t + 1], pi, A, B)
        want = [sum(p for q, p in start.items() if q[t] == k) for k in range(len(pi))]
        np.testing.assert_allclose(alpha[t], np.array(want) / sum(want))
        np.testing.assert_allclose(np.prod(c[: t + 1]), sum(want))


def test_backward_is_the_chance_of_the_future(case):
    """(28.4): βₜ(k) c_{t+1} ⋯ c_T = p(o_{t+1} … o_T | qₜ = k)."""
    o, pi, A, B, _ = case
    c = hm.forward(o, pi, A, B)[1]
    beta = hm.backward(o, c, A, B)
    for t in range(len(o) - 1):
        for k in range(len(pi)):
            future = sum(all_paths(o[t + 1 :], A[k], A, B).values())
            np.testing.assert_allclose(beta[t, k] * np.prod(c[t + 1 :]), future)


def test_posteriors_are_those_of_all_paths(case):
    """(28.5)."""
    o, pi, A, B, paths = case
    total = sum(paths.values())
    want = [[sum(p for q, p in paths.items() if q[t] == k) / total for k in range(len(pi))] for t in range(len(o))]
    np.testing.assert_allclose(hm.posteriors(o, pi, A, B), want)


def test_viterbi_is_the_best_of_all_paths(case):
    """(28.6)."""
    o, pi, A, B, paths = case
    path, best = hm.viterbi(o, pi, A, B)
    assert tuple(path) == max(paths, key=paths.get)
    np.testing.assert_allclose(best, np.log(max(paths.values())))


def test_viterbi_with_forbidden_steps():
    pi, A, B = checks.LIGHT
    for o in itertools.product(range(3), repeat=4):
        paths = all_paths(o, pi, A, B)
        path, best = hm.viterbi(np.array(o), pi, A, B)
        np.testing.assert_allclose(best, np.log(max(paths.values())))
        np.testing.assert_allclose(np.log(paths[tuple(path)]), best)


def test_baum_welch_counts_as_all_paths_do(case):
    """(28.7) and (28.8): expected counts, path by path."""
    o, pi, A, B, paths = case
    if len(o) == 1:
        pytest.skip("no step to count")
    total = sum(paths.values())
    first, steps, shown = np.zeros(len(pi)), np.zeros(A.shape), np.zeros(B.shape)
    for q, p in paths.items():
        first[q[0]] += p / total
        for i, j in itertools.pairwise(q):
            steps[i, j] += p / total
        for k, m in zip(q, o, strict=True):
            shown[k, m] += p / total
    _, new = itertools.islice(hm.baum_welch(o, pi, A, B), 2)
    np.testing.assert_allclose(new.pi, first)
    np.testing.assert_allclose(new.A, steps / steps.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(new.B, shown / shown.sum(axis=1, keepdims=True))


@settings(deadline=None)
@given(seed=st.integers(0, 10_000))
def test_baum_welch_never_falls(seed):
    pi, A, B, rng = model(seed, 3, 4)
    o = rng.integers(0, 4, size=25)
    trace = [m.loglik for m in itertools.islice(hm.baum_welch(o, pi, A, B), 6)]
    assert np.all(np.diff(trace) >= -1e-9)


def test_baum_welch_finds_the_casino():
    """From a simulated long night: the loaded die, up to the names of the states."""
    rng = np.random.default_rng(0)
    _, o = hm.sample(8000, explore.HALF, explore.switching(0.95), explore.dice(0.5), rng)
    start = explore.HALF, explore.switching(0.8), explore.dice(0.3)
    *_, found = itertools.islice(hm.baum_welch(o, *start), 40)
    np.testing.assert_allclose(found.B, explore.dice(0.5), atol=0.06)
    np.testing.assert_allclose(found.A, explore.switching(0.95), atol=0.04)


def test_long_sequences_do_not_underflow():
    """(28.3) for 3000 symbols, against logarithms all the way."""
    pi, A, B, rng = model(1, 4, 5)
    o = rng.integers(0, 5, size=3000)
    a = np.log(pi * B[:, o[0]])
    for t in range(1, 3000):
        a = logsumexp(a[:, None] + np.log(A), axis=0) + np.log(B[:, o[t]])
    np.testing.assert_allclose(hm.loglik(o, pi, A, B), logsumexp(a))
    np.testing.assert_allclose(hm.posteriors(o, pi, A, B).sum(axis=1), 1)
    path, best = hm.viterbi(o, pi, A, B)
    np.testing.assert_allclose(hm.log_joint(path, o, pi, A, B), best)


def test_sample_has_the_models_frequencies():
    pi, A, B, rng = model(2, 3, 4)
    q, o = hm.sample(20_000, pi, A, B, rng)
    steps = np.zeros((3, 3))
    np.add.at(steps, (q[:-1], q[1:]), 1)
    np.testing.assert_allclose(steps / steps.sum(axis=1, keepdims=True), A, atol=0.03)
    shown = np.zeros((3, 4))
    np.add.at(shown, (q, o), 1)
    np.testing.assert_allclose(shown / shown.sum(axis=1, keepdims=True), B, atol=0.03)


def definite(rng, d):
    A = rng.normal(size=(d, d))
    return A @ A.T + 0.3 * np.eye(d)


@pytest.mark.parametrize(("d", "k"), [(1, 1), (2, 1), (3, 2)])
def test_kalman_is_one_large_gaussian_conditioned(d, k):
    """(28.9), (28.10) and (28.11): the joint of all states and measurements, conditioned on z₁ … zₜ (22.8), (22.9)."""
    rng = np.random.default_rng(d)
    T = 4
    F, Q, H, R = rng.normal(size=(d, d)), definite(rng, d), rng.normal(size=(k, d)), definite(rng, k)
    m0, P0 = rng.normal(size=d), definite(rng, d)
    z = rng.normal(size=(T, k))
    # every variable as a linear map of the independent start, steps and noises
    G, mean = [], []
    now, centre = np.eye(d, d + T * (d + k)), m0
    for t in range(T):
        now, centre = F @ now, F @ centre
        now[:, d + t * d : d + (t + 1) * d] += np.eye(d)
        G.append(now)
        mean.append(centre)
    for t in range(T):
        seen = H @ G[t]
        seen[:, d + T * d + t * k : d + T * d + (t + 1) * k] += np.eye(k)
        G.append(seen)
        mean.append(H @ mean[t])
    noise = np.zeros((d + T * (d + k),) * 2)
    for i, block in enumerate([P0] + [Q] * T):
        noise[i * d : (i + 1) * d, i * d : (i + 1) * d] = block
    for t in range(T):
        at = d + T * d + t * k
        noise[at : at + k, at : at + k] = R
    G, mean = np.vstack(G), np.concatenate(mean)
    Sigma = G @ noise @ G.T
    means, covariances = hm.kalman(z, F, Q, H, R, m0, P0)
    for t in range(T):
        alpha = list(range(t * d, (t + 1) * d))
        beta = list(range(T * d, T * d + (t + 1) * k))
        m, P = multivariate_normal.conditional(z[: t + 1].ravel(), mean, Sigma, alpha, beta)
        np.testing.assert_allclose(means[t], m, atol=1e-9)
        np.testing.assert_allclose(covariances[t], P, atol=1e-9)


def test_update_is_the_product_of_two_densities():
    """(28.11) in one dimension, by quadrature."""
    one = np.eye(1)
    m, P = hm.update(np.array([0.5]), 2.0 * one, np.array([1.7]), one, 0.6 * one)
    x = np.linspace(-12, 12, 200_001)
    density = scipy_normal(0.5, 2.0).pdf(x) * scipy_normal(0, 0.6).pdf(1.7 - x)
    density /= density.sum()
    np.testing.assert_allclose(m[0], density @ x, atol=1e-6)
    np.testing.assert_allclose(P[0, 0], density @ (x - m[0]) ** 2, atol=1e-6)


@pytest.mark.parametrize("q", [0.01, 0.16, 1.0, 20.0])
def test_gain_settles_where_the_riccati_equation_says(q):
    """(28.12), against scipy's solver."""
    r = 0.7
    one = np.eye(1)
    P = solve_discrete_are(one, one, q * one, r * one)[0, 0]
    np.testing.assert_allclose(hm.steady_gain(q, r), P / (P + r))
    _, P = hm.kalman(np.zeros((400, 1)), one, q * one, one, r * one, np.zeros(1), one)
    np.testing.assert_allclose(P[-1, 0, 0] / r, hm.steady_gain(q, r), rtol=1e-6)


def scores(seed, T, K):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(T, K)), rng.normal(size=(K, K)), rng.integers(0, K, size=T)


def path_scores(U, V):
    paths = list(itertools.product(range(U.shape[1]), repeat=len(U)))
    return paths, np.array(
        [sum(U[t, q[t]] for t in range(len(U))) + sum(V[i, j] for i, j in itertools.pairwise(q)) for q in paths]
    )


@pytest.mark.parametrize(("T", "K"), [(1, 3), (4, 2), (5, 3)])
def test_crf_constant_and_marginals_are_those_of_all_paths(T, K):
    """(28.13) and (28.14)."""
    U, V, q = scores(T, T, K)
    paths, S = path_scores(U, V)
    np.testing.assert_allclose(hm.crf_score(q, U, V), S[paths.index(tuple(q))])
    np.testing.assert_allclose(hm.crf_log_partition(U, V), logsumexp(S))
    p = np.exp(S - logsumexp(S))
    states, pairs = np.zeros((T, K)), np.zeros((T - 1, K, K))
    for path, weight in zip(paths, p, strict=True):
        states[np.arange(T), path] += weight
        pairs[np.arange(T - 1), path[:-1], path[1:]] += weight
    found = hm.crf_marginals(U, V)
    np.testing.assert_allclose(found[0], states)
    np.testing.assert_allclose(found[1], pairs)


def test_crf_gradient_is_the_slope():
    """(28.15), by finite differences."""
    U, V, q = scores(9, 6, 3)

    def log_p(U, V):
        return hm.crf_score(q, U, V) - hm.crf_log_partition(U, V)

    dU, dV = hm.crf_gradient(q, U, V)
    for at in np.ndindex(U.shape):
        h = np.zeros(U.shape)
        h[at] = 1e-5
        np.testing.assert_allclose(dU[at], (log_p(U + h, V) - log_p(U - h, V)) / 2e-5, atol=1e-8)
    for at in np.ndindex(V.shape):
        h = np.zeros(V.shape)
        h[at] = 1e-5
        np.testing.assert_allclose(dV[at], (log_p(U, V + h) - log_p(U, V - h)) / 2e-5, atol=1e-8)


def test_a_hidden_markov_model_is_a_random_field():
    """With U = log b and V = log A, log Z is log p(o), and the marginals are γ."""
    pi, A, B, rng = model(3, 3, 4)
    o = rng.integers(0, 4, size=50)
    U, V = np.log(B.T[o]), np.log(A)
    U[0] += np.log(pi)
    np.testing.assert_allclose(hm.crf_log_partition(U, V), hm.loglik(o, pi, A, B))
    np.testing.assert_allclose(hm.crf_marginals(U, V)[0], hm.posteriors(o, pi, A, B))


def test_large_scores_do_not_overflow():
    U, V, q = scores(4, 5, 2)
    U, V = 2000 * U, 500 * V
    assert np.isfinite(hm.crf_log_partition(U, V))
    assert all(np.isfinite(g).all() for g in hm.crf_gradient(q, U, V))
    _, S = path_scores(U, V)
    np.testing.assert_allclose(hm.crf_log_partition(U, V), logsumexp(S))


def test_wrong_shapes_get_one_line():
    pi, A, B, _ = model(5, 3, 4)
    with pytest.raises(
        ValueError, match=r"hidden_markov.forward: A and B must have shapes \(K, K\) and \(K, M\) with K = 3"
    ):
        hm.forward([0, 1], pi, A, B.T)
    with pytest.raises(ValueError, match=r"hidden_markov.viterbi: A and B"):
        hm.viterbi([0, 1], pi, A[:2], B)
    with pytest.raises(ValueError, match=r"hidden_markov.kalman: z must have shape \(T, k\), got \(3,\)"):
        hm.kalman(np.zeros(3), A, A, A, A, pi, A)


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    pi, A, B = np.array([0.6, 0.4]), np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([[0.9, 0.1], [0.4, 0.6]])
    o = (0, 1, 1, 0)

    def test_the_four_symbols(self):
        paths = all_paths(self.o, self.pi, self.A, self.B)
        total = sum(paths.values())
        assert round(total, 4) == 0.0399
        assert max(paths, key=paths.get) == (1, 1, 1, 1)
        ones = [sum(p for q, p in paths.items() if q[t]) / total for t in range(4)]
        assert [int(p > 0.5) for p in ones] == [0, 1, 1, 0]

    def test_the_night_in_the_casino(self):
        explorer = explore.Decoder()
        assert int(np.sum(np.diff(explorer.q) != 0)) == 7
        alone, sticky, fair = (explorer.compute(*at) for at in ((0.5, 0.5), (0.95, 0.5), (0.95, 0.17)))
        assert round(alone.right[0], 2) == 0.69
        assert alone.switches[0] == 54
        assert round(sticky.right[0], 2) == 0.93
        assert sticky.switches[1] == 3
        assert fair.switches[1] == 0
        assert np.abs(fair.gamma - 0.5).max() < 0.05
        np.testing.assert_array_equal(explorer.compute(0.95, 0.5).o, explore.Casino().o)

    def test_the_light_that_jumps(self):
        pi, A, B = checks.LIGHT
        paths = all_paths((0, 2), pi, A, B)
        best = [max(range(3), key=lambda k: sum(p for q, p in paths.items() if q[t] == k)) for t in (0, 1)]
        assert paths[tuple(best)] == 0

    def test_vowels(self):
        explorer = explore.Letters()
        assert len(explorer.o) == 1149
        state = explorer.compute(60, "random")
        assert state.first == "e a o i u g k"
        assert round(state.model.A[0, 1], 2) == 0.83
        trace = np.array(state.trace)
        assert trace[30] - trace[1] < 0.01 < 0.1 < trace[60] - trace[30]
        assert set("aeiou") <= set(explorer.compute(60, "random too").first)

    def test_the_tracker(self):
        explorer = explore.Tracker()
        errors = {ratio: explorer.compute(ratio, 1.0).error for ratio in explorer.ratio.grid(71)}
        best = min(errors, key=errors.get)
        assert 0.08 < best < 0.32  # around the true 0.16
        assert errors[best] > 0.37
        assert round(explorer.compute(explorer.ratio.start, 1.0).error, 3) == 0.377
        still = explorer.compute(1e-4, 1.0)
        assert round(still.error, 3) == 1.822
        assert round(still.raw, 3) == 1.125
        assert round(np.mean(np.abs(still.m - explorer.x) > 2 * still.spread), 2) == 0.77
        much = explorer.compute(1e3, 1.0)
        assert np.abs(much.m - much.z).max() < 0.01


def _right(exercise, *answers, seed=0):
    return assess(exercise, answers, seed).points == exercise.points


def _learnt(o, pi, A, B, M):
    """One step of Baum–Welch, for M symbols."""
    alpha, c = hm.forward(o, pi, A, B)
    beta = hm.backward(o, c, A, B)
    gamma, pairs, shown = alpha * beta, np.zeros(A.shape), np.zeros((len(pi), M))
    for t, symbol in enumerate(o):
        shown[:, symbol] += gamma[t]
        if t > 0:
            pairs += A * np.outer(alpha[t - 1], B[:, symbol] * beta[t]) / c[t]
    return gamma[0], pairs / gamma[:-1].sum(axis=0)[:, None], shown / gamma.sum(axis=0)[:, None]


def _log_Z(U, V):
    a = U[0]
    for row in U[1:]:
        a = row + logsumexp(a[:, None] + V, axis=0)
    return logsumexp(a)


class TestAnswersOfStrangers:
    """Right answers that were refused, and wrong ones that were accepted."""

    @pytest.mark.parametrize("seed", range(3))
    def test_symbols_that_were_never_shown_belong_to_the_model(self, seed):
        def refused(M):
            return not _right(checks.bw_step, lambda o, pi, A, B: _learnt(o, pi, A, B, M(o, B)), seed=seed)

        assert not refused(lambda o, B: B.shape[1])
        assert refused(lambda o, B: max(o) + 1)
        assert refused(lambda o, B: len(np.unique(o)))

    @pytest.mark.parametrize(
        "fails_at",
        [
            ([[12_345, 0], [0, 12_000]], [[0, -5_000], [0, 0]]),
            ([[1e5, 0], [0, 1e5]], [[9, 0], [0, 9e5]]),
            ([[1e9, 0], [0, 1e9]], [[0, -1e9], [0, 0]]),
        ],
    )
    def test_scores_may_be_of_any_size(self, fails_at):
        assert _right(checks.crf_constant, _log_Z, fails_at)

    @pytest.mark.parametrize("U", [np.zeros((0, 2)), np.zeros((2, 0)), [[0.3, 0.1]]])
    def test_scores_of_no_step_show_nothing(self, U):
        assert not _right(checks.crf_constant, _log_Z, (U, np.zeros((np.shape(U)[1],) * 2)))

    @pytest.mark.parametrize(
        ("k", "line", "says"),
        [
            (3, lambda pi, A, b1, b2, b3: (pi * b1)[:, None] * A.T * b2, "turned round"),
            (4, lambda pi, A, b1, b2, b3: (pi * b1) @ A, "second observation"),
            (5, lambda pi, A, b1, b2, b3: ((pi * b1) @ A * b2) * (A @ b3), "sums over the third"),
        ],
        ids=["step", "observation", "axis"],
    )
    def test_what_a_wrong_line_of_the_forward_step_is_told(self, k, line, says):
        lines = [own.reference for own in checks.forward_chain.lines]
        lines[k - 2] = line
        seen = assess(checks.forward_chain, tuple(lines))
        assert seen.points == 3
        assert says in seen.finding.says
