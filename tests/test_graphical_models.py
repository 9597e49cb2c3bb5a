"""mlcore.graphical_models against independent oracles: sums over all combinations, simulation, scikit-learn."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import BernoulliNB

from mlcore import graphical_models as gm
from mlcore.checks import graphical_models as checks
from mlcore.data import load
from mlcore.engine.exercises import SAME_THERE
from mlcore.engine.exercises.assess import assess
from mlcore.explore import graphical_models as explore

PARENTS = checks.ALARM  # in the order h, f, a, g, s


def alarm_row(h, f, a, g, s):
    """One row of the alarm network's table, from its five tables as the curriculum states them."""
    p = (0.1 if h else 0.9) * (0.05 if f else 0.95) * (0.05 if a else 0.95)
    reads = [[0.05, 0.5], [0.95, 0.5]][h][f]
    sounds = [[0.01, 0.99], [0.3, 0.3]][a][g]
    return p * (reads if g else 1 - reads) * (sounds if s else 1 - sounds)


ROWS = {values: alarm_row(*values) for values in itertools.product((0, 1), repeat=5)}


def believed(holds, given):
    """P(holds | given) by adding up the 32 rows."""
    known = {row: p for row, p in ROWS.items() if given(*row)}
    return sum(p for row, p in known.items() if holds(*row)) / sum(known.values())


def random_factors(rng, scopes, low=2, high=4):
    size = {v: int(rng.integers(low, high + 1)) for v in sorted(set("".join(scopes)))}
    return [(scope, rng.uniform(0.2, 2, size=[size[v] for v in scope])) for scope in scopes], size


def by_rows(factors, size, keep):
    """Πφ summed over all but `keep`, one combination at a time."""
    letters = sorted(size)
    total = np.zeros([size[v] for v in keep])
    for values in itertools.product(*(range(size[v]) for v in letters)):
        at = dict(zip(letters, values, strict=True))
        weight = np.prod([table[tuple(at[v] for v in scope)] for scope, table in factors])
        total[tuple(at[v] for v in keep)] += weight
    return total


def test_joint_of_the_alarm_network():
    """(27.1), row by row; it sums to 1."""
    J = gm.product(gm.alarm(), "hfags")
    for row, p in ROWS.items():
        np.testing.assert_allclose(J[row], p)
    np.testing.assert_allclose(J.sum(), 1)


def test_simulated_network_has_these_marginals():
    """(27.1): draw each variable given its parents, 400 000 times."""
    rng = np.random.default_rng(0)
    n = 400_000
    h, f, a = (rng.random(n) < p for p in (0.1, 0.05, 0.05))
    g = rng.random(n) < np.array([[0.05, 0.5], [0.95, 0.5]])[h.astype(int), f.astype(int)]
    s = rng.random(n) < np.array([[0.01, 0.99], [0.3, 0.3]])[a.astype(int), g.astype(int)]
    for v, drawn in zip("hfags", (h, f, a, g, s), strict=True):
        assert abs(gm.product(gm.alarm(), v)[1] - drawn.mean()) < 0.003
    assert abs(gm.posterior(gm.alarm(), "h", {"s": 1}, "agf")[1] - h[s].mean()) < 0.01


def test_parameters_are_counted():
    """(27.2), by listing every entry of every table."""
    k = np.array([2, 3, 4, 2, 3])
    entries = 0
    for i in range(5):
        contexts = list(itertools.product(*(range(k[j]) for j in range(5) if PARENTS[i, j])))
        entries += len(contexts) * (k[i] - 1)
    rows = len(list(itertools.product(*map(range, k))))
    assert gm.count_parameters(k, PARENTS) == (rows, rows - 1, entries)
    assert gm.count_parameters(np.full(5, 2), PARENTS) == (32, 31, 11)


@pytest.mark.parametrize("order", ["".join(o) for o in itertools.permutations("agf")])
def test_every_order_gives_the_posterior_of_the_table(order):
    """(27.3), (27.4) and (27.5)."""
    want = believed(lambda h, f, a, g, s: h, lambda h, f, a, g, s: s)
    np.testing.assert_allclose(gm.posterior(gm.alarm(), "h", {"s": 1}, order)[1], want)


def test_line_of_the_derivation():
    """(27.4), as it is written, with loops."""
    P = dict(gm.alarm())
    for h in (0, 1):
        want = P["h"][h] * sum(
            P["f"][f] * sum(P["hfg"][h, f, g] * sum(P["a"][a] * P["ags"][a, g, 1] for a in (0, 1)) for g in (0, 1))
            for f in (0, 1)
        )
        np.testing.assert_allclose(gm.product(gm.alarm(), "hs")[h, 1], want)


@given(seed=st.integers(0, 10_000))
def test_elimination_is_the_sum_over_everything(seed):
    """(27.5) and (27.11) on random factors, in a random order."""
    rng = np.random.default_rng(seed)
    factors, size = random_factors(rng, ["ab", "bc", "ad", "cdf", "de"], high=3)
    order = "".join(rng.permutation(list("abcdef")))
    np.testing.assert_allclose(gm.partition(factors, order), by_rows(factors, size, ""))
    *_, step = gm.eliminate(factors, order[:4])
    np.testing.assert_allclose(gm.product(step.factors, order[4:]), by_rows(factors, size, order[4:]))


def test_posterior_of_two_variables_with_two_observed():
    rng = np.random.default_rng(1)
    factors, size = random_factors(rng, ["ab", "bc", "ad", "cdf", "de"])
    want = by_rows(factors, size, "acbe")[:, :, 1, 0]
    np.testing.assert_allclose(gm.posterior(factors, "ac", {"b": 1, "e": 0}, "fd"), want / want.sum())


def test_table_sizes_are_those_of_the_tables_made():
    """(27.6) on the graph, against the scopes of the tables that elimination makes."""
    rng = np.random.default_rng(2)
    factors, size = random_factors(rng, ["ab", "bc", "ad", "cdf", "de"])
    k = np.array([size[v] for v in "abcdef"])
    for order in itertools.permutations("abcdef"):
        made = [np.prod([size[v] for v in step.scope]) for step in gm.eliminate(factors, order)]
        np.testing.assert_array_equal(gm.table_sizes(explore.square(), ["abcdef".index(v) for v in order], k), made)


def test_greedy_order_takes_the_smallest_table():
    edges, k = explore.square(), np.full(6, 2)
    order = gm.greedy_order(edges, k)
    assert sorted(order) == list(range(6))
    for t, v in enumerate(order):
        sizes = {u: gm.table_sizes(edges, [*order[:t], u], k)[-1] for u in range(6) if u not in order[:t]}
        assert sizes[v] == min(sizes.values())


def independent(parents, a, b, given, rng):
    """a ⊥ b | given in a network with these arrows and random tables, by its whole joint table."""
    M = len(parents)
    joint = np.ones((2,) * M)
    for i in range(M):
        axes = [j for j in range(M) if parents[i, j]] + [i]
        p = rng.uniform(0.1, 0.9, size=(2,) * (len(axes) - 1))
        table = np.stack([p, 1 - p], axis=-1)
        at = np.argsort(axes)
        joint = joint * table.transpose(at).reshape([2 if v in axes else 1 for v in range(M)])
    rest = tuple(v for v in range(M) if v not in (a, b, *given))
    P = joint.sum(axis=rest, keepdims=True)
    product = P.sum(axis=a, keepdims=True) * P.sum(axis=b, keepdims=True) / P.sum(axis=(a, b), keepdims=True)
    return np.allclose(P, product, atol=1e-10)


@given(seed=st.integers(0, 10_000))
def test_separated_means_independent_in_random_tables(seed):
    """(27.7): where the graph promises independence it holds, and where not, random tables are dependent."""
    rng = np.random.default_rng(seed)
    parents = np.tril((rng.random((5, 5)) < 0.4).astype(int), -1)
    shuffle = rng.permutation(5)
    a, b, *rest = rng.permutation(5)
    given = [int(v) for v in rest if rng.random() < 0.4]
    arrows = parents[np.ix_(shuffle, shuffle)]
    assert gm.d_separated(arrows, int(a), int(b), given) == independent(arrows, a, b, given, rng)


@pytest.fixture
def binary():
    rng = np.random.default_rng(3)
    y = np.concatenate([np.zeros(5), np.ones(20), np.full(9, 2)]).astype(int)
    return (rng.random((34, 6)) < rng.uniform(0.1, 0.9, size=(3, 6))[y]).astype(float), y


@pytest.mark.parametrize("alpha", [1e-3, 0.5, 1.0, 7.0])
def test_naive_bayes_is_scikit_learns(binary, alpha):
    """(27.8), (27.9) and (27.10)."""
    X, y = binary
    pi, theta = gm.naive_bayes(X, y, alpha)
    peer = BernoulliNB(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(np.log(pi), peer.class_log_prior_)
    np.testing.assert_allclose(np.log(theta), peer.feature_log_prob_)
    np.testing.assert_allclose(gm.log_joint(X, pi, theta), peer.predict_joint_log_proba(X))
    np.testing.assert_allclose(gm.log_posterior(X, pi, theta), peer.predict_log_proba(X), atol=1e-12)


def test_naive_bayes_is_elimination_in_its_network(binary):
    """(27.10) as a posterior in the network c → x₁, …, x₆."""
    X, y = binary
    pi, theta = gm.naive_bayes(X, y, 0.7)
    factors = [("c", pi)] + [(f"c{v}", np.stack([1 - t, t], -1)) for v, t in zip("uvwxyz", theta.T, strict=True)]
    evidence = {v: int(x) for v, x in zip("uvwxyz", X[4], strict=True)}
    np.testing.assert_allclose(gm.posterior(factors, "c", evidence, ""), np.exp(gm.log_posterior(X[4:5], pi, theta))[0])


def test_whole_numbers_are_data_too(binary):
    X, y = binary
    np.testing.assert_allclose(gm.naive_bayes(X.astype(int), y, 1.0)[1], gm.naive_bayes(X, y, 1.0)[1])


def test_smoothing_is_the_mean_of_a_beta_posterior(binary):
    """(27.8): Beta(α, α) and N_cj successes of N_c, by quadrature."""
    X, y = binary
    alpha, q = 1.5, np.linspace(0, 1, 20_001)
    m = X[y == 0].sum(axis=0)[2]
    density = q ** (m + alpha - 1) * (1 - q) ** (5 - m + alpha - 1)
    np.testing.assert_allclose(gm.naive_bayes(X, y, alpha)[1][0, 2], np.sum(q * density) / np.sum(density), rtol=1e-4)


def test_many_features_do_not_underflow():
    rng = np.random.default_rng(4)
    X, theta = (rng.random((3, 5000)) < 0.5).astype(float), rng.uniform(0.3, 0.7, size=(2, 5000))
    L = gm.log_posterior(X, np.array([0.3, 0.7]), theta)
    assert np.isfinite(L).all()
    np.testing.assert_allclose(np.exp(L).sum(axis=1), 1)


@pytest.mark.parametrize(("T", "k"), [(1, 3), (4, 2), (5, 3)])
def test_chain_partition_is_the_sum_over_all_paths(T, k):
    """(27.12)."""
    psi = np.random.default_rng(5).uniform(0.2, 2, size=(T, k, k))
    paths = itertools.product(range(k), repeat=T + 1)
    want = sum(np.prod([psi[t][x[t], x[t + 1]] for t in range(T)]) for x in paths)
    np.testing.assert_allclose(gm.chain_partition(psi), want)
    letters = "abcdefgh"
    factors = [(letters[t : t + 2], psi[t]) for t in range(T)]
    np.testing.assert_allclose(gm.partition(factors, letters[: T + 1]), want)


def test_maximal_cliques_of_the_six():
    """(27.13), against all subsets."""
    edges = explore.square()
    found = []
    for s in itertools.product((0, 1), repeat=6):
        members = [i for i in range(6) if s[i]]
        clique = members and all(edges[i, j] for i, j in itertools.combinations(members, 2))
        grows = any(all(edges[i, j] for j in members) for i in range(6) if not s[i])
        assert not members or gm.is_maximal(edges, np.array(s)) == bool(clique and not grows)
        if clique and not grows:
            found.append("".join("abcdef"[i] for i in members))
    assert sorted(found) == ["ab", "ad", "bc", "cdf", "de"]


def test_wrong_arguments_get_one_line():
    with pytest.raises(ValueError, match=r"graphical_models.naive_bayes: X and y must have shapes \(n, d\) and \(n,\)"):
        gm.naive_bayes(np.ones((3, 2)), np.zeros((3, 1), dtype=int), 1.0)
    with pytest.raises(ValueError, match=r"graphical_models.naive_bayes: alpha must be positive, got 0"):
        gm.naive_bayes(np.ones((3, 2)), np.zeros(3, dtype=int), 0)
    with pytest.raises(ValueError, match=r"graphical_models.posterior: order must name every other variable, \['a'\]"):
        gm.posterior(gm.alarm(), "h", {"s": 1}, "gf")


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_beliefs_of_the_alarm_network(self):
        sounds = sum(p for row, p in ROWS.items() if row[4])
        assert round(sounds, 4) == 0.1716
        assert round(2 * sounds, 4) == 0.3432
        assert round(believed(lambda h, f, a, g, s: h, lambda h, f, a, g, s: s), 4) == 0.5175
        assert round(believed(lambda h, f, a, g, s: f, lambda h, f, a, g, s: s), 4) == 0.1428
        assert round(believed(lambda h, f, a, g, s: h, lambda h, f, a, g, s: s and f), 4) == 0.1
        assert round(believed(lambda h, f, a, g, s: h, lambda h, f, a, g, s: not s), 4) == 0.0135
        assert round(believed(lambda h, f, a, g, s: h, lambda h, f, a, g, s: f and not s), 4) == 0.1
        assert [round(p, 4) for p in explore.Alarm().compute().hot] == [0.1, 0.5175, 0.587, 0.1]

    def test_separation_in_the_alarm_network(self):
        assert [gm.d_separated(PARENTS, 0, 1, given) for given in ([], [4], [3])] == [True, False, False]

    def test_a_useless_gauge_says_nothing(self):
        explorer = explore.Beliefs()
        for hot in (0.05, 0.3):
            assert np.isclose(explorer.compute(hot, 0.5, "the alarm sounds").after["h"], hot)
            assert np.isclose(explorer.compute(hot, 0.8, "it sounds, gauge faulty").after["h"], hot)

    def test_both_causes_needed(self):
        P = np.array([[0.0, 0.0], [0.0, 1.0]])
        assert checks._core(P, {"f": 1}) > checks._core(P, {}) + 0.2

    def test_orders_of_the_six(self):
        explorer = explore.Orders()
        largest = {name: explorer.compute(name, 6, 10).sizes.max() for name in explorer.orders}
        assert largest == {"d first": 100_000, "c first": 10_000, "smallest table first": 1000}
        every = [gm.table_sizes(explorer.edges, o, np.full(6, 10)).max() for o in itertools.permutations(range(6))]
        assert min(every) == 1000
        assert explorer.edges[3].sum() == 4

    def test_digits_are_read(self):
        X, y = (load("digits").X > 7).astype(float), load("digits").y.astype(int)
        hundred = BernoulliNB(alpha=0.1).fit(X[:100], y[:100]).score(X[1000:], y[1000:])
        thousand = BernoulliNB(alpha=1.0).fit(X[:1000], y[:1000])
        assert round(hundred, 2) == 0.79
        assert round(thousand.score(X[1000:], y[1000:]), 2) == 0.86
        assert round(thousand.predict_proba(X[1000:]).max(axis=1).mean(), 2) == 0.94
        state = explore.Digits().compute(1e3, 1000)
        assert state.claimed < state.right


def test_empty_set_is_a_set():
    """It was told that s must be of 0 and 1."""
    verdict = assess(checks.maximal_clique, (gm.is_maximal, (checks.SIX, np.zeros(6))))
    assert verdict.steps[1].says == SAME_THERE


class TestAnswersOfStrangers:
    """Lines of *Push the sums in*: one that needed no step, and what wrong ones are told."""

    def _seen(self, **own):
        lines = {f"line_{k}": line.reference for k, line in enumerate(checks.push_sums_in.lines, start=2)}
        return assess(checks.push_sums_in, tuple((lines | own).values()))

    def test_line_2_does_not_hold_the_last_message(self):
        """It was the sum over everything but p(h), so line 5 could be had from it, and it from line 1 over p(h)."""
        for args in (call.args for call in checks.push_sums_in.plan(np.random.default_rng(0))):
            message = checks._line_5(*args)
            for part in checks._line_2(*args):
                assert part.shape != message.shape or not np.allclose(part, message)

    def test_line_2_is_the_product_of_line_1(self):
        for args in (call.args for call in checks.push_sums_in.plan(np.random.default_rng(0))):
            np.testing.assert_allclose(
                np.einsum("h,f,hfg,ag->h", *checks._line_2(*args)), checks._line_1(*args), rtol=1e-12
            )

    def test_a_factor_on_the_wrong_axis_costs_its_own_line_only(self):
        def line_2(p_h, p_f, p_a, P_g, P_s):
            return p_h, p_f, P_g, p_a * P_s

        def line_3(p_h, p_f, p_a, P_g, P_s):
            return np.sum(p_a * P_s, axis=0)

        def line_4(p_h, p_f, p_a, P_g, P_s):
            return P_g @ np.sum(p_a * P_s, axis=0)

        def line_5(p_h, p_f, p_a, P_g, P_s):
            return P_g @ np.sum(p_a * P_s, axis=0) @ p_f

        seen = self._seen(line_2=line_2, line_3=line_3, line_4=line_4, line_5=line_5)
        assert "".join(step.shown for step in seen.steps) == "✗↳↳↳"
        assert "a is its row" in seen.finding.says

    def test_k_times_a_message_is_not_told_to_be_a_sum(self):
        """It was told that the mean is asked for, not the sum."""

        def line_4(p_h, p_f, p_a, P_g, P_s):
            return len(p_a) * np.einsum("hfg,g->hf", P_g, p_a @ P_s)

        says = self._seen(line_4=line_4).finding.says
        assert "k times the message" in says
        assert "the mean" not in says

    @pytest.mark.parametrize(
        ("split", "shown"),
        [
            (lambda p_h, p_f, p_a, P_g, P_s: (p_h, np.ones(len(p_f)), P_g, p_a[:, None] * P_s), "✗✓✓↳"),
            (lambda p_h, p_f, p_a, P_g, P_s: (p_h, p_f, np.ones(P_g.shape), p_a[:, None] * P_s), "✗✓↳↳"),
            (lambda p_h, p_f, p_a, P_g, P_s: (p_h, p_f, p_h[:, None, None] * P_g, p_a[:, None] * P_s), "✗✓↳↳"),
            (
                lambda p_h, p_f, p_a, P_g, P_s: (p_h, np.ones(len(p_f)), p_f[:, None] * P_g, p_a[:, None] * P_s),
                "✗✓↳✓",
            ),
        ],
    )
    def test_a_factor_in_the_wrong_place_is_used_where_its_sum_is_done(self, split, shown):
        """p(f), forgotten in line 2, cost line 5, and p(h) behind the sum over g lines 4 and 5."""

        def line_4(*args):
            return split(*args)[2] @ checks._line_3(*args)

        def line_5(*args):
            return line_4(*args) @ split(*args)[1]

        seen = self._seen(line_2=split, line_4=line_4, line_5=line_5)
        assert "".join(step.shown for step in seen.steps) == shown

    def test_factors_that_are_divided_up_otherwise_are_told_so(self):
        def line_2(p_h, p_f, p_a, P_g, P_s):
            return np.ones(len(p_h)), p_f, p_h[:, None, None] * P_g, p_a[:, None] * P_s

        assert "all together it is right" in self._seen(line_2=line_2).finding.says

    def test_a_mistake_may_lead_to_what_line_1_says(self):
        """With p(h) in line 4 already, line 5 was told that it says what line 1 says."""

        def line_4(p_h, p_f, p_a, P_g, P_s):
            return p_h[:, None] * (P_g @ (p_a @ P_s))

        def line_5(p_h, p_f, p_a, P_g, P_s):
            return line_4(p_h, p_f, p_a, P_g, P_s) @ p_f

        assert "".join(step.shown for step in self._seen(line_4=line_4, line_5=line_5).steps) == "✓✓✗↳"

    def test_the_sum_over_a_may_be_done_once_more_where_it_belongs(self):
        """Done in line 2 already, where it earns nothing, it earned nothing in line 3 either."""

        def line_2(p_h, p_f, p_a, P_g, P_s):
            return p_h, p_f, P_g, p_a @ P_s

        def line_3(p_h, p_f, p_a, P_g, P_s):
            return p_a @ P_s

        assert "".join(step.shown for step in self._seen(line_2=line_2, line_3=line_3).steps) == "✗✓✓✓"
