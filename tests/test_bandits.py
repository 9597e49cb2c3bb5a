"""mlcore.bandits against independent oracles: plain loops, exact expectations, the binomial law, simulation."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from mlcore import bandits
from mlcore.checks import bandits as checks
from mlcore.engine.exercises.assess import assess
from mlcore.explore import bandits as explore

MU = np.array([0.5, 0.6, 0.7])


def last(states):
    """The N and Q after the last round."""
    *_, state = states
    return state


def upper_ends(Q, N, t, rho):
    """(29.6) in plain Python."""
    return [q + math.sqrt(rho * math.log(t) / n) if n else math.inf for q, n in zip(Q, N, strict=True)]


def loop(rewards, index, Q0=0.0, forced=()):
    """One run in plain Python, with lists of rewards; `forced` tells, for each round, an arm to play or None."""
    K = len(rewards[0])
    seen = [[] for _ in range(K)]
    for t, row in enumerate(rewards, 1):
        Q = [sum(s) / len(s) if s else Q0 for s in seen]
        values = index(Q, [len(s) for s in seen], t)
        arm = values.index(max(values))
        if forced and forced[t - 1] is not None:
            arm = forced[t - 1]
        seen[arm].append(float(row[arm]))
    return [len(s) for s in seen], [sum(s) / len(s) if s else Q0 for s in seen]


def exact_plays(mu, T, index, eps=0.0):
    """E N, by going through every outcome of a small problem with rewards 0 and 1."""
    K = len(mu)
    expected = np.zeros(K)

    def go(N, S, t, p):
        if t > T:
            expected[:] += p * np.array(N)
            return
        values = index([s / n if n else 0.0 for s, n in zip(S, N, strict=True)], N, t)
        best = values.index(max(values))
        for arm in range(K):
            chance = eps / K + (1 - eps) * (arm == best)
            for r in (0, 1):
                q = p * chance * (mu[arm] if r else 1 - mu[arm])
                if q:
                    one = [i == arm for i in range(K)]
                    go(
                        [n + o for n, o in zip(N, one, strict=True)],
                        [s + r * o for s, o in zip(S, one, strict=True)],
                        t + 1,
                        q,
                    )

    go([0] * K, [0] * K, 1, 1.0)
    return expected


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=30), st.floats(-5, 5))
def test_update_keeps_the_mean(rewards, Q0):
    """(29.1), and the start value is forgotten."""
    Q = Q0
    for N, r in enumerate(rewards, 1):
        Q = bandits.update(Q, N, r)
    np.testing.assert_allclose(Q, np.mean(rewards), atol=1e-9)


class TestPlay:
    rewards = np.random.default_rng(0).uniform(size=(60, 7, 4))

    @pytest.mark.parametrize("Q0", [-1.0, 0.5, 2.0])
    def test_greedy_is_the_plain_loop(self, Q0):
        N, Q = last(bandits.play(self.rewards, bandits.greedy, Q0=Q0))
        for run in range(7):
            plays, values = loop(self.rewards[:, run].tolist(), lambda Q, N, t: Q, Q0)
            np.testing.assert_array_equal(N[run], plays)
            np.testing.assert_allclose(Q[run], values)

    @pytest.mark.parametrize("rho", [0.1, 2.0])
    def test_ucb_is_the_plain_loop(self, rho):
        """(29.6)."""
        N, Q = last(bandits.play(self.rewards, partial(bandits.ucb, rho=rho)))
        for run in range(7):
            plays, values = loop(self.rewards[:, run].tolist(), partial(upper_ends, rho=rho))
            np.testing.assert_array_equal(N[run], plays)
            np.testing.assert_allclose(Q[run], values)

    def test_exploring_replaces_the_greedy_arm_by_any(self):
        N, _ = last(bandits.play(self.rewards, bandits.greedy, eps=0.3, rng=np.random.default_rng(5), Q0=2.0))
        rng = np.random.default_rng(5)
        explores, arms = rng.random((60, 7)) < 0.3, rng.integers(4, size=(60, 7))
        for run in range(7):
            forced = [int(a) if e else None for e, a in zip(explores[:, run], arms[:, run], strict=True)]
            plays, _ = loop(self.rewards[:, run].tolist(), lambda Q, N, t: Q, 2.0, forced)
            np.testing.assert_array_equal(N[run], plays)

    def test_states_are_not_changed_afterwards(self):
        states = list(bandits.play(self.rewards, bandits.greedy, Q0=2.0))
        for t, (N, _) in enumerate(states, 1):
            np.testing.assert_array_equal(N.sum(axis=1), t)

    @pytest.mark.parametrize(
        ("index", "plain", "eps"),
        [
            (bandits.greedy, lambda Q, N, t: Q, 0.3),
            (partial(bandits.ucb, rho=0.5), partial(upper_ends, rho=0.5), 0.0),
        ],
        ids=["ε-greedy", "UCB"],
    )
    def test_simulated_plays_are_the_exact_expectation(self, index, plain, eps):
        """Every outcome of five rounds and two arms, against 40,000 runs."""
        mu = np.array([0.4, 0.7])
        rng = np.random.default_rng(6)
        N, _ = last(bandits.play(bandits.draw(mu, 5, 40_000, rng), index, eps=eps, rng=rng))
        np.testing.assert_allclose(N.mean(axis=0), exact_plays(mu, 5, plain, eps), atol=0.03)

    def test_draw_has_the_means(self):
        rewards = bandits.draw(MU, 300, 100, np.random.default_rng(7))
        assert rewards.shape == (300, 100, 3)
        np.testing.assert_allclose(rewards.mean(axis=(0, 1)), MU, atol=0.01)


def test_regret_is_what_is_missing_from_the_best_arm():
    """(29.2), by a loop, and against the rewards that one would have had."""
    rng = np.random.default_rng(1)
    arms = rng.integers(3, size=50)
    lost, by_hand = 0.0, []
    for arm in arms:
        lost += 0.7 - (0.5, 0.6, 0.7)[arm]
        by_hand.append(lost)
    np.testing.assert_allclose(bandits.regret(arms, MU), by_hand)
    rewards = bandits.draw(MU, 50, 20_000, rng)
    realised = rewards[:, :, 2].sum(axis=0) - rewards[np.arange(50), :, arms].sum(axis=0)
    np.testing.assert_allclose(realised.mean(), by_hand[-1], atol=0.1)
    assert realised.min() < by_hand[-1]


def test_regret_by_rounds_is_regret_by_arms():
    """(29.3), with the expected plays of a small problem found by going through every outcome."""
    mu = np.array([0.4, 0.7])
    plays = exact_plays(mu, 5, lambda Q, N, t: Q, eps=0.3)
    earlier = exact_plays(mu, 4, lambda Q, N, t: Q, eps=0.3)
    np.testing.assert_allclose((plays - earlier).sum(), 1)  # the probabilities of the arms in round 5
    rounds = [exact_plays(mu, t, lambda Q, N, t: Q, eps=0.3) for t in range(6)]
    by_rounds = sum(0.7 - (after - before) @ mu for before, after in itertools.pairwise(rounds))
    np.testing.assert_allclose(bandits.regret_of_plays(plays, mu), by_rounds)


@pytest.mark.parametrize(("eps", "K"), [(0.1, 3), (0.5, 2), (0.3, 6)])
def test_share_of_the_greedy_arm(eps, K):
    """(29.4): the last arm pays most, and after K rounds of an optimistic start it looks best."""
    rewards = np.broadcast_to(np.arange(K) / K, (300, 400, K))
    rng = np.random.default_rng(2)
    states = list(bandits.play(rewards, bandits.greedy, eps=eps, rng=rng, Q0=-1.0))
    knows = np.array([Q[:, -1] > -1 for _, Q in states[:-1]])
    plays = np.diff([N[:, -1] for N, _ in states], axis=0)
    np.testing.assert_allclose(plays[knows].mean(), bandits.greedy_share(eps, K), atol=0.006)


def test_slope_is_the_expected_gap_of_a_round():
    """(29.5): by the table of a round's choices, and by simulation of late rounds."""
    chances = [0.1 / 3, 0.1 / 3, 0.9 + 0.1 / 3]
    np.testing.assert_allclose(
        bandits.regret_slope(MU, 0.1), sum(p * (0.7 - m) for p, m in zip(chances, MU, strict=True))
    )
    mu = np.array([0.1, 0.4, 0.9])
    rng = np.random.default_rng(3)
    states = list(bandits.play(bandits.draw(mu, 2000, 200, rng), bandits.greedy, eps=0.2, rng=rng, Q0=2.0))
    half, full = (bandits.regret_of_plays(states[t - 1][0], mu).mean() for t in (1000, 2000))
    np.testing.assert_allclose((full - half) / 1000, bandits.regret_slope(mu, 0.2), rtol=0.03)


@pytest.mark.parametrize("rho", [0.5, 2.0])
@pytest.mark.parametrize("mean", [0.2, 0.5, 0.7])
def test_upper_end_fails_as_rarely_as_hoeffding_says(mean, rho):
    """(29.6): it solves e^(−2Na²) = t^(−2ρ), and the binomial law stays below that."""
    for N, t in itertools.product([1, 3, 10, 40], [2, 10, 1000]):
        a = bandits.ucb(np.zeros(1), np.array([N]), t, rho)[0]
        np.testing.assert_allclose(np.exp(-2 * N * a**2), float(t) ** (-2 * rho), rtol=1e-9)
        assert binom.cdf(np.floor(N * (mean - a) + 1e-9), N, mean) <= float(t) ** (-2 * rho) + 1e-12


def test_unplayed_arms_come_first():
    assert bandits.ucb(np.array([0.9, 0.0]), np.array([5, 0]), 6)[1] == np.inf


class TestLogarithmicRegret:
    """(29.7): UCB with ρ = 2 over 4000 rounds."""

    mu = np.array([0.2, 0.5, 0.9])
    plays = (None, *(N for N, _ in bandits.play(bandits.draw(mu, 4000, 200, np.random.default_rng(4)), bandits.ucb)))

    def regret(self, t):
        return bandits.regret_of_plays(self.plays[t], self.mu).mean()

    def test_is_below_the_bound(self):
        for t in (3, 10, 100, 1000, 4000):
            assert self.regret(t) <= bandits.ucb_bound(self.mu, t)
            for i, gap in ((0, 0.7), (1, 0.4)):
                assert self.plays[t][:, i].mean() <= 8 * np.log(t) / gap**2 + 1 + np.pi**2 / 3

    def test_bound_is_the_plays_times_the_gaps(self):
        by_hand = sum(g * (8 * math.log(4000) / g**2 + 1 + math.pi**2 / 3) for g in (0.7, 0.4))
        np.testing.assert_allclose(bandits.ucb_bound(self.mu, 4000), by_hand)

    def test_a_doubling_adds_a_constant(self):
        added = [self.regret(2 * t) - self.regret(t) for t in (500, 1000, 2000)]
        assert max(added) < 1.25 * min(added)
        assert added[-1] < 0.2 * self.regret(2000)

    def test_never_falls(self):
        regret = np.array([bandits.regret_of_plays(N, self.mu) for N in self.plays[1:]])
        assert np.diff(regret, axis=0).min() >= -1e-9


def test_value_of_an_arm_is_what_the_updates_give():
    """(29.8), on the history of one run."""
    rewards = np.random.default_rng(8).uniform(size=(40, 1, 3))
    states = list(bandits.play(rewards, bandits.ucb))
    N = np.array([np.zeros(3), *(n[0] for n, _ in states)])
    arms = np.diff(N, axis=0).argmax(axis=1)
    paid = rewards[np.arange(40), 0, arms]
    np.testing.assert_allclose(states[-1][1][0], [bandits.arm_value(arms, paid, i) for i in range(3)])
    arms, paid = np.array([1, 2, 2, 1, 2]), np.array([0.1, 0.9, 0.7, 0.3, 0.8])
    np.testing.assert_allclose([bandits.arm_value(arms, paid, i) for i in (1, 2)], [0.2, 0.8])


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"bandits.draw: mu must have shape \(K,\), got \(1, 3\)"):
        bandits.draw(MU[None], 10, 2, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"bandits.play: rewards must have shape \(T, runs, K\), got \(10, 3\)"):
        next(bandits.play(np.zeros((10, 3)), bandits.greedy))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_hospitals_settle(self):
        state = explore.Hospitals().compute()
        assert np.mean(state.N[-1].max(axis=1) > 900) > 0.95  # "almost every line is straight"
        assert round(1 - state.share[2], 2) == 0.42
        assert round(state.regret[-1].mean()) == 61

    def test_pessimist_and_optimist(self):
        rewards = np.random.default_rng(1).normal(MU, 0.05, size=(2000, 1, 3))
        assert rewards.min() > 0
        assert rewards.max() < 5
        for Q0, plays in ((0.0, [2000, 0, 0]), (5.0, [1, 1, 1998])):
            np.testing.assert_array_equal(last(bandits.play(rewards, bandits.greedy, Q0=Q0))[0][0], plays)

    def test_share_and_slope(self):
        assert round(bandits.greedy_share(0.1, 3), 3) == 0.933
        np.testing.assert_allclose(bandits.regret_slope(MU, 0.1), 0.01)

    def test_one_patient_in_ten(self):
        explorer = explore.Greedy()
        ends = {eps: explorer.compute(eps=eps, Q0=1.5).mean[-1] for eps in explorer.eps.grid(26)}
        assert [round(ends[0.0]), round(ends[0.1])] == [61, 26]
        assert 0.06 <= min(ends, key=ends.__getitem__) <= 0.14

    def test_start_values(self):
        explorer = explore.Greedy()
        plays = {Q0: explorer.compute(eps=0.0, Q0=Q0).N[-1] for Q0 in explorer.Q0.grid(41)}
        for Q0, N in plays.items():
            assert np.all(N[:, 0] == 1000) == (Q0 < 0.01)
            if Q0 > 1.01:
                np.testing.assert_array_equal(N, plays[1.5])

        def spread(eps):
            ends = [explorer.compute(eps=eps, Q0=Q0).mean[-1] for Q0 in (-0.5, 0.5, 1.5)]
            return max(ends) - min(ends)

        assert spread(0.0) > spread(0.05) > spread(0.2)

    def test_falling_exploration_costs_a_logarithm(self):
        cost = np.cumsum(1 / np.arange(1, 100_001))
        np.testing.assert_allclose(np.diff(cost[[999, 9_999, 99_999]]), np.log(10), rtol=1e-3)

    def test_confidence_gives_another_chance(self):
        explorer = explore.Confidence()
        state = explorer.compute(t=45, rho=0.5)
        assert state.Q.argmax() == 1
        assert explore.NAMES[state.arm] == "C"
        assert [state.N[2], state.Q[2] * state.N[2], state.N[1]] == [5, 2, 36]
        assert explorer.compute(t=150, rho=0.5).N[2] == 99

    def test_doublings(self):
        explorer = explore.Regret()
        paid = {}
        for T in (200, 400, 800, 1000):
            state = explorer.compute(rho=0.5, gap=0.6, T=T)
            paid[T] = [state.now[rule] - state.half[rule] for rule in explore.RULES]
        assert all(1.5 < ucb < 2.5 for ucb, _ in paid.values())
        assert [round(paid[200][1]), round(paid[1000][1])] == [4, 15]

    def test_worst_gap(self):
        explorer = explore.Regret()
        ends = {gap: explorer.compute(rho=0.5, gap=gap, T=1000).now["UCB"] for gap in explorer.gap.grid(18)}
        assert 0.1 <= max(ends, key=ends.__getitem__) <= 0.18
        assert ends[0.02] < 0.5 * max(ends.values()) and ends[0.7] < 0.6 * max(ends.values())

    def test_both_ends_of_rho(self):
        explorer = explore.Regret()
        wide = explorer.compute(rho=2.0, gap=0.6, T=1000).mean
        later = explore.ROUNDS > 20
        assert np.all(wide["UCB"][later] > wide["ε-greedy"][later])
        lost = explorer.compute(rho=0.05, gap=0.6, T=1000).regret["UCB"][-1]
        assert round(np.median(lost)) == 2
        assert round(np.mean(lost > 200), 2) == 0.07

    def test_a_coin_makes_the_regret_of_ucb_linear(self):
        rewards = bandits.draw(MU, 20_000, 100, np.random.default_rng(0))
        second = []
        for eps in (0.0, 0.1):
            runs = bandits.play(rewards, partial(bandits.ucb, rho=2.0), eps=eps, rng=np.random.default_rng(1))
            half, full = (bandits.regret_of_plays(N, MU).mean() for t, (N, _) in enumerate(runs, 1) if t % 10_000 == 0)
            second.append(full - half)
            if eps == 0:
                assert 5.5 < bandits.ucb_bound(MU, 20_000) / full < 6.5
        np.testing.assert_allclose(second, [37, 107], rtol=0.05)
        assert 60 < second[1] - second[0] < 75  # "about 70"
        assert round(bandits.ucb_bound(MU, 20_000)) == 1190


def _right(exercise, *answers, seed=0):
    return assess(exercise, answers, seed).points == exercise.points


def _from_zero(values):
    """A search for the largest that starts at 0: where all are negative it finds none."""
    best, where = 0.0, 0
    for i, value in enumerate(values):
        if value > best:
            best, where = value, i
    return best, where


def _greedy(rewards, Q0, mean, pick=np.argmax):
    """The greedy rule, with `mean(Q, N, r, S)` for the new value of the arm; S is the sum of its rewards."""
    K = rewards.shape[1]
    N, Q, S = np.zeros(K), np.full(K, float(Q0)), np.zeros(K)
    for row in rewards:
        i = pick(Q)
        N[i] += 1
        S[i] += row[i]
        Q[i] = mean(Q[i], N[i], row[i], S[i])
    return N


def _stepwise(Q, N, r, S):
    return Q + (r - Q) / N


@pytest.mark.parametrize("seed", [89, 135])
@pytest.mark.parametrize(
    "mean", [_stepwise, lambda Q, N, r, S: S / N, lambda Q, N, r, S: (1 - 1 / N) * Q + r / N], ids=range(3)
)
def test_means_of_every_form_play_the_same(seed, mean):
    """On these seeds they part if no draw is drawn again: two means are equal but for rounding."""
    assert _right(checks.greedy_plays, lambda rewards, Q0: _greedy(rewards, Q0, mean), seed=seed)


@pytest.mark.parametrize("seed", range(3))
class TestAnswersOfStrangers:
    """Wrong answers that were accepted: no draw had a loss, or a run that misses the best arm."""

    def test_greedy_rules_that_take_rewards_for_positive(self, seed):
        def search(rewards, Q0):
            return _greedy(rewards, Q0, _stepwise, pick=lambda Q: _from_zero(Q)[1])

        def refused(answer):
            return not _right(checks.greedy_plays, answer, seed=seed)

        assert refused(search)
        assert refused(lambda rewards, Q0: _greedy(np.abs(rewards), Q0, _stepwise))
        assert refused(lambda rewards, Q0: _greedy(rewards, max(Q0, 0), _stepwise))

    @pytest.mark.parametrize(
        "best",
        [lambda mu, arms: _from_zero(mu)[0], lambda mu, arms: max(abs(mu)), lambda mu, arms: max(mu[arms])],
        ids=["from 0", "of |mu|", "of the arms played"],
    )
    def test_largest_means_that_are_not(self, seed, best):
        assert not _right(
            checks.regret_curve, lambda arms, rewards, mu: np.cumsum(best(mu, arms) - mu[arms]), seed=seed
        )

    def test_largest_means_searched_from_zero(self, seed):
        _, *later = (line.reference for line in checks.regret_by_arms.lines)
        assert not _right(checks.regret_slope, lambda mu, eps: eps * np.mean(_from_zero(mu)[0] - mu), seed=seed)
        assert not _right(checks.regret_by_arms, lambda mu, p: _from_zero(mu)[0] - p @ mu, *later, seed=seed)

    @pytest.mark.parametrize(
        "value",
        [
            lambda r: np.mean(np.abs(r)),
            lambda r: abs(np.mean(r)),
            lambda r: max(np.mean(r), 0),
            lambda r: sum(r) / sum(r > 0),
        ],
        ids=["|r|", "|mean|", "positive part", "wins only"],
    )
    def test_values_of_arms_that_only_win(self, seed, value):
        fails_at = ([2, 1, 2], [1.0, 0.0, 1.0], 2)
        with np.errstate(all="ignore"):
            assert not _right(checks.arm_value, lambda arms, r, i: value(r[arms == i]), fails_at, seed=seed)


class TestDerivationsOfStrangers:
    """Tables that earned a point after a wrong line, without a step, and what wrong lines are told."""

    def _seen(self, *lines):
        own = [line.reference for line in checks.regret_by_arms.lines]
        return assess(checks.regret_by_arms, (*lines, *own[len(lines) :]))

    @pytest.mark.parametrize(
        ("table", "shown"),
        [
            (lambda mu, p: np.ones(p.shape) * (p @ mu - np.max(mu))[:, None] / len(mu), "✗"),
            (lambda mu, p: p * (p @ mu - np.max(mu))[:, None], "✗"),
            (lambda mu, p: p * (mu - np.max(mu)), "↳"),
        ],
        ids=["spread", "weighted", "by arms"],
    )
    def test_a_wrong_round_is_not_spread_over_the_arms(self, table, shown):
        seen = self._seen(lambda mu, p: p @ mu - np.max(mu), table)
        assert [step.shown for step in seen.steps] == ["✗", shown, "✓", "✓"]

    @pytest.mark.parametrize(
        "plays",
        [lambda mu, p: np.eye(len(mu))[np.argmax(p, axis=1)], lambda mu, p: np.cumsum(p, axis=0)],
        ids=["most probable arms", "all rounds before"],
    )
    def test_other_plays_cost_line_2_alone(self, plays):
        seen = self._seen(
            lambda mu, p: plays(mu, p) @ (np.max(mu) - mu),
            lambda mu, p: plays(mu, p) * (np.max(mu) - mu),
            lambda mu, p: plays(mu, p).sum(axis=0) * (np.max(mu) - mu),
            lambda mu, p: (np.max(mu) - mu, plays(mu, p).sum(axis=0)),
        )
        assert "".join(step.shown for step in seen.steps) == "✗↳↳↳"

    def test_line_1_spread_over_rounds_and_arms_is_no_table(self):
        """It earned the points of lines 3 to 5."""
        spread = lambda mu, p: np.max(mu) - np.sum(p @ mu) / len(p)  # noqa: E731
        seen = self._seen(lambda mu, p: np.full(len(p), spread(mu, p)), lambda mu, p: p * spread(mu, p))
        assert seen.steps[1].shown == "✗"

    def test_what_follows_may_hold_what_line_1_holds(self):
        """With T μ* in every round, line 5 was told that it has the formula of line 1 in it."""
        seen = self._seen(
            lambda mu, p: len(p) * np.max(mu) - p @ mu,
            lambda mu, p: p * (len(p) * np.max(mu) - mu),
            lambda mu, p: np.sum(p * (len(p) * np.max(mu) - mu), axis=0),
            lambda mu, p: (len(p) * np.max(mu) - mu, p.sum(axis=0)),
        )
        assert "".join(step.shown for step in seen.steps) == "✗↳↳↳"

    def test_an_arm_that_is_never_played_may_follow(self):
        mu, p = np.array([0.2, 0.9, 0.4]), np.array([[0.5, 0.5, 0.0], [0.1, 0.9, 0.0]])
        np.testing.assert_allclose(checks._rounds(p * (mu - 0.9), p), p @ mu - 0.9)

    @pytest.mark.parametrize(
        ("k", "line", "says"),
        [
            (2, lambda mu, p: np.cumsum(np.max(mu) - p @ mu), "all rounds before"),
            (3, lambda mu, p: np.max(mu) / len(mu) - p * mu, "shared out equally"),
            (5, lambda mu, p: (len(p) * (np.max(mu) - mu), p.mean(axis=0)), "T stands with the means"),
        ],
        ids=["cumulated", "shared", "T"],
    )
    def test_what_they_are_told(self, k, line, says):
        own = [line.reference for line in checks.regret_by_arms.lines]
        assert says in self._seen(*own[: k - 2], line).finding.says


class TestTrapsOfStrangers:
    """Right answers that were refused: the mean of the first arm never falls below the second, but for rounding."""

    @pytest.mark.parametrize(
        ("first", "disappoints"),
        [
            ([0.1] * 20, 0.1),
            ([0.7, 0.1, 0.1, 0.1, *[0.3] * 16], 0.3),
            ([0.6, 0.0, 0.2, 0.1, *[0.3] * 16], 0.3),
        ],
    )
    def test_of_equal_means_the_first_is_played(self, first, disappoints):
        table = np.column_stack([first, [1, disappoints, *np.ones(18)]])
        assert _right(checks.greedy_trap, table)

    def test_of_unequal_ones_the_larger(self):
        table = np.column_stack([[0.3, 0.5, 0.3, 0.0, *[0.19] * 16], [1, 0.2, *np.ones(18)]])
        assert not _right(checks.greedy_trap, table)
