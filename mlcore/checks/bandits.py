"""The exercises of 29 bandits."""

import numpy as np

from mlcore import bandits
from mlcore.engine.exercises import (
    SAME_THERE,
    Alternative,
    Chain,
    Checks,
    Choice,
    Explanation,
    Function,
    Hint,
    Law,
    Line,
    Mistake,
    Option,
    Property,
    Slip,
    Topic,
    but,
    exactly,
)

# --- problems to be tried on ---


def _means(rng, K, below=0):
    """K different means, the best of them anywhere; with `below` = 1 all of them negative."""
    return (rng.permutation(np.linspace(0.15, 0.85, K) + rng.uniform(-0.05, 0.05, size=K)) - below).round(3)


def _updates(rng):
    return [
        (0.5, int(rng.integers(3, 9)), float(rng.integers(2, 5))),
        (rng.normal(size=4), rng.integers(3, 12, size=4), rng.normal(size=4)),
        (rng.normal(size=6), rng.integers(3, 12, size=6), rng.normal(size=6)),
    ]


def _tables(rng):
    """Rewards of one sign with a start value below, above and among them; no two means are equal.

    Of three or more arms the last but one is the best.
    """

    def table(T, K):
        centres = np.roll(np.linspace(0.3, 0.7, K), -1) if K > 2 else np.array([0.45, 0.55])
        return np.clip(centres + rng.uniform(-0.25, 0.25, size=(T, K)), 0.01, 0.99).round(8)

    return [
        (table(5, 2), 2.0),
        (table(15, 3), -1.0),
        (table(30, 3), 2.0),
        (table(30, 4) - 1, -0.5),
        (table(15, 3) - 1, -1.0),
        (table(30, 3), 0.95),
    ]


def _runs(rng):
    """The arms played, what they paid, and their means. The second run misses the best arm, the third only loses."""
    made = []
    for T, K, below in ((4, 2, 0), (12, 3, 0), (20, 5, 1)):
        mu = _means(rng, K, below)
        tried = np.flatnonzero(mu < mu.max()) if K == 3 else np.arange(K)
        arms = rng.permutation(np.resize(tried, T))
        made.append((arms, (rng.random(T) < mu[arms] + below).astype(float) - below, mu))
    return made


def _policies(rng):
    """The means and, for every round, the probabilities of the arms, in hundredths."""
    return [
        (_means(rng, K, below), rng.multinomial(100, rng.dirichlet(np.ones(K)), size=T) / 100)
        for T, K, below in ((2, 3, 0), (6, 4, 0), (9, 3, 1))
    ]


def _exploring(rng):
    drawn = [(_means(rng, K, below), round(rng.uniform(0.05, 0.4), 2)) for K, below in ((4, 1), (6, 0))]
    return [(np.array([0.5, 0.6, 0.7]), 0.1), *drawn]


def _indices(rng):
    """Means, plays, the round and ρ; sometimes one arm has not been played, sometimes one only once."""
    made = []
    for K in (2, 4, 5):
        N = rng.integers(2, 20, size=K)
        if K > 2:
            N[rng.integers(K)] = 0 if K == 4 else 1
        Q = np.where(N > 0, rng.uniform(0.1, 0.9, size=K).round(2), 0.0)
        made.append((Q, N, int(N.sum() + 1), float(rng.choice([0.3, 0.7, 3.0]))))
    return made


def _horizons(rng):
    best_twice = _means(rng, 4)
    best_twice[best_twice.argmin()] = best_twice.max()
    T = 2 * rng.integers(50, 5_000, size=3) + [0, 1, 0]
    return [(_means(rng, 3), int(T[0])), (_means(rng, 5), int(T[1])), (best_twice, int(T[2]))]


def _histories(rng):
    """Arms numbered from 1, each of them played, gains or losses, and a question about arm 2, 3, or any but 1."""
    made = []
    for T, K, sign, i in ((5, 2, 1, 2), (12, 3, -1, 3), (20, 4, 1, int(rng.integers(2, 5)))):
        arms = rng.permutation(np.concatenate([[1, 1, 1], 1 + np.arange(T - 3) % K]))
        made.append((arms, sign * rng.uniform(0.1, 0.9, size=T).round(2), i))
    return made


# --- the value of an arm ---

incremental_mean = Function(
    "incremental_mean",
    asks="A mean that does not remember its rewards",
    points=1,
    reference=bandits.update,
    cases=_updates,
    mistakes=[
        Mistake(
            "The step is (r − Q)/(N − 1) here. N counts the new reward, so the step is a little shorter.",
            lambda Q, N, r: Q + (r - Q) / (N - 1),
        ),
        Mistake("This is a running sum. Q is a mean: it stays among the rewards.", lambda Q, N, r: Q + r),
        Mistake(
            "This is right if N counts only the old rewards. Here N counts the new one too.",
            lambda Q, N, r: Q + (r - Q) / (N + 1),
        ),
        Mistake(
            "The new reward gets half of the weight, whatever N is: after many plays one reward must hardly matter.",
            lambda Q, N, r: (Q + r) / 2,
        ),
        Mistake(
            "The step goes away from r: a reward above the mean must raise it.",
            lambda Q, N, r: Q - (r - Q) / N,
        ),
        Mistake(
            "The old mean has its full weight, and r/N is added on top. The old mean stands for N − 1 rewards of N.",
            lambda Q, N, r: Q + r / N,
        ),
    ],
    alternatives=[
        Alternative(lambda Q, N, r: ((N - 1) * Q + r) / N),
        Alternative(lambda Q, N, r: (1 - 1 / N) * Q + r / N),
    ],
    hints=(
        Hint("How do I get the old sum back?", "$Q$ is the mean of $N-1$ rewards, so their sum is $(N-1)Q$."),
        Hint("I have the old sum. And now?", "Add $r$ and divide by the new number of rewards, $N$."),
    ),
    see="Equation (29.1): ((N − 1)Q + r)/N, sorted as the old mean plus a step.",
)


def _greedy(rewards, Q0, value=None, pick=np.argmax, start=None):
    """Play the table greedily; `value(mine)` is what an arm with the rewards `mine` is worth."""
    T, K = rewards.shape
    Q = np.full(K, Q0 if start is None else start, dtype=float)
    N = np.zeros(K, dtype=int)
    kept: list[list[float]] = [[] for _ in range(K)]
    for t in range(T):
        i = int(pick(Q))
        kept[i].append(rewards[t, i])
        N[i] += 1
        Q[i] = np.mean(kept[i]) if value is None else value(kept[i])
    return N


def _greedy_that_sees_all(rewards, Q0):
    T, K = rewards.shape
    N = np.zeros(K, dtype=int)
    for t in range(T):
        N[np.argmax(rewards[:t].mean(axis=0) if t else np.full(K, Q0))] += 1
    return N


def _greedy_plays(rewards, Q0):
    *_, (N, _) = bandits.play(rewards[:, None, :], bandits.greedy, Q0=Q0)
    return N[0]


greedy_plays = Function(
    "greedy_plays",
    asks="The greedy rule on a table of rewards",
    points=2,
    reference=_greedy_plays,
    cases=_tables,
    compare=exactly,
    forbids=(bandits.play,),
    mistakes=[
        Mistake(
            "These plays come from rewards that nobody saw: only the arm that is played may update its Q.",
            _greedy_that_sees_all,
        ),
        Mistake(
            "Q₀ counts as a first reward here. It holds only until the first play: after that Q is the mean of what "
            "came.",
            lambda rewards, Q0: _greedy(rewards, Q0, value=lambda mine: (Q0 + sum(mine)) / (1 + len(mine))),
        ),
        Mistake(
            "Q is the last reward here, not the mean of all rewards of the arm: divide the step by N.",
            lambda rewards, Q0: _greedy(rewards, Q0, value=lambda mine: mine[-1]),
        ),
        Mistake(
            "Every arm is played once before Q decides. With a Q₀ below the rewards the greedy rule does not do that.",
            lambda rewards, Q0: _greedy(rewards, Q0, start=9.0),
        ),
        Mistake(
            "Q starts at 0 here, whatever Q₀ is: fill it with Q₀.",
            lambda rewards, Q0: _greedy(rewards, Q0, start=0.0),
        ),
        Mistake(
            "Of equal arms you play the last: the first is asked for, as np.argmax chooses it.",
            lambda rewards, Q0: _greedy(rewards, Q0, pick=lambda Q: len(Q) - 1 - np.argmax(Q[::-1])),
        ),
    ],
    alternatives=[
        Alternative(lambda rewards, Q0: _greedy(rewards, Q0)),
        Alternative(lambda rewards, Q0: _greedy_by_sums(rewards, Q0)),
    ],
    hints=(
        Hint(
            "What do I keep from round to round?", "Two arrays of length $K$: `Q`, filled with $Q_0$, and `N`, zeros."
        ),
        Hint(
            "What happens in a round?",
            "`i = np.argmax(Q)`, then `N[i] += 1`, then (29.1) for `Q[i]` with the reward `rewards[t, i]`.",
        ),
        Hint(
            "Where does Q₀ go at the first play?",
            "Nowhere: at $N=1$ equation (29.1) gives $Q_0+(r-Q_0)=r$, and $Q_0$ is gone.",
        ),
    ),
    see="Equation (29.1), used in a loop over the rows of the table.",
)


def _greedy_by_sums(rewards, Q0):
    """Plain Python, with sums in the place of the running mean."""
    K = rewards.shape[1]
    N, total = [0] * K, [0.0] * K
    for row in rewards:
        values = [total[i] / N[i] if N[i] else Q0 for i in range(K)]
        i = values.index(max(values))
        N[i] += 1
        total[i] += row[i]
    return N


# --- regret ---

regret_curve = Function(
    "regret_curve",
    asks="The regret of one run",
    points=1,
    reference=lambda arms, rewards, mu: bandits.regret(arms, mu),
    cases=_runs,
    forbids=(bandits.regret, bandits.regret_of_plays),
    mistakes=[
        Mistake(
            "This compares μ* with the rewards that came. They are noisy, and such a curve can fall below zero: regret "
            "takes the means of the arms that were played.",
            lambda arms, rewards, mu: np.cumsum(np.max(mu) - rewards),
        ),
        Mistake(
            "This is what each round adds: the regret after round t is the sum of all rounds up to t.",
            lambda arms, rewards, mu: np.max(mu) - mu[arms],
        ),
        Mistake(
            "This is the regret at the end, one number: the curve has one entry for each round.",
            lambda arms, rewards, mu: np.sum(np.max(mu) - mu[arms]),
        ),
        Mistake(
            "This is regret per round: the sum is asked for, not the mean.",
            lambda arms, rewards, mu: np.cumsum(np.max(mu) - mu[arms]) / np.arange(1, len(arms) + 1),
        ),
        Mistake(
            "This adds up the means of the arms that were played: the expected reward, not what is missing from it.",
            lambda arms, rewards, mu: np.cumsum(mu[arms]),
        ),
    ],
    alternatives=[
        Alternative(lambda arms, rewards, mu: np.arange(1, len(arms) + 1) * np.max(mu) - np.cumsum(mu[arms])),
        Alternative(
            lambda arms, rewards, mu: (
                np.cumsum(arms[:, None] == np.arange(len(mu)), axis=0) @ (np.max(mu) - np.asarray(mu))
            )
        ),
    ],
    hints=(
        Hint("What does one round add?", r"The gap of the arm that was played: $\mu^*-\mu_{i_t}$."),
        Hint("How do I look up the means?", "`mu[arms]` has one entry for each round; `np.cumsum` adds them up."),
    ),
    see="Equation (29.2), for a run whose arms are known: the sum of μ* − μ of the arm, round by round.",
)


def _line_1(mu, p):
    return len(p) * np.max(mu) - np.sum(p @ mu)


def _line_2(mu, p):
    return np.max(mu) - p @ mu


def _line_3(mu, p):
    return p * (np.max(mu) - mu)


def _line_4(mu, p):
    return (np.max(mu) - mu) * p.sum(axis=0)


def _line_5(mu, p):
    return np.max(mu) - mu, p.sum(axis=0)


def _rounds(table, p):
    """The terms of line 2 that belong to a table, if it has p[t, i] in front of something that knows no round."""
    plays = p.sum(axis=0)
    weighted = np.allclose(table, p * (table.sum(axis=0) / np.where(plays > 0, plays, 1)))
    return table.sum(axis=1) if weighted else np.full(len(p), np.nan)


def _not_spread(table, mu, p):
    """The same, but of R_T/T with every arm of every round nothing is told: that is line 1, spread over a table."""
    spread = np.allclose(table, p * _line_1(mu, p) / len(p))
    return np.full(len(p), np.nan) if spread else _rounds(table, p)


def _of_other_plays(own, mu, p):
    """Line 3 of a line 2 that has other plays than p: of the most probable arms, or of all rounds up to each."""
    most = np.arange(len(mu)) == np.argmax(p, axis=1)[:, None]
    fits = (q for q in (most, np.cumsum(p, axis=0)) if np.allclose(q @ (np.max(mu) - mu), own[0]))
    return next(fits, p) * (np.max(mu) - mu)


regret_by_arms = Chain(
    "regret_by_arms",
    asks="From rounds to arms",
    first=_line_1,
    lines=[
        Line(
            does="write R_T as one sum over the rounds: return its terms, one for each round",
            reference=_line_2,
            mistakes=[
                Mistake(
                    "T μ* stands in every round: each of the T rounds needs one μ*.",
                    lambda mu, p: len(p) * np.max(mu) - p @ mu,
                ),
                Mistake(
                    "These are the terms of the mean over the rounds: their sum has to be R_T.",
                    lambda mu, p: (np.max(mu) - p @ mu) / len(p),
                ),
                Mistake("The sign is reversed: μ* comes first.", lambda mu, p: p @ mu - np.max(mu)),
                Mistake("μ* is the largest mean, not the mean of the means.", lambda mu, p: np.mean(mu) - p @ mu),
                Mistake("μ* is missing: this is the expected reward of each round.", lambda mu, p: p @ mu),
                Mistake(
                    "Each of these holds all rounds before it too: they are R₁, …, R_T, not the terms of R_T.",
                    lambda mu, p: np.cumsum(np.max(mu) - p @ mu),
                ),
                Mistake("The smallest mean stands in the place of μ*.", lambda mu, p: np.min(mu) - p @ mu),
                Mistake(
                    "This takes the most probable arm of each round: the expectation goes over all of them.",
                    lambda mu, p: np.max(mu) - mu[np.argmax(p, axis=1)],
                ),
                Mistake(
                    "The expected rewards of all rounds are taken off in every round: each has its own.",
                    lambda mu, p: np.full(len(p), np.max(mu) - np.sum(p @ mu)),
                ),
                Mistake(
                    "μ* is the largest of the means, whatever the probabilities are.",
                    lambda mu, p: np.max(p * mu, axis=1) - p @ mu,
                ),
            ],
        ),
        Line(
            does="write each of these terms as a sum over the arms: return the table of terms, rounds by arms, each "
            "with its probability in front",
            reference=_line_3,
            undo=_not_spread,
            since=_of_other_plays,
            mistakes=[
                Mistake(
                    "μ* stands K times in every round. Weighted with the probabilities of the round, which sum to 1, "
                    "it stands there once.",
                    lambda mu, p: np.max(mu) - p * mu,
                ),
                Mistake(
                    "The probabilities are gone: this plays every arm in every round.",
                    lambda mu, p: np.ones(p.shape) * (np.max(mu) - mu),
                ),
                Mistake("The gaps have the wrong sign: μ* comes first.", lambda mu, p: p * (mu - np.max(mu))),
                Mistake("These are the terms of the expected reward: μ* has been lost.", lambda mu, p: p * mu),
                Mistake(
                    "μ* is shared out equally: arm i of round t has p[t, i] μ* of it.",
                    lambda mu, p: np.max(mu) / len(mu) - p * mu,
                ),
                Mistake(
                    "All of μ* stands in the column of the best arm: arm i of round t has p[t, i] μ* of it.",
                    lambda mu, p: (np.arange(len(mu)) == np.argmax(mu)) * np.max(mu) - p * mu,
                ),
                Mistake(
                    "1 − p is the probability that the arm is not played.", lambda mu, p: (1 - p) * (np.max(mu) - mu)
                ),
                Mistake("μ* is the largest mean, not the mean of the means.", lambda mu, p: p * (np.mean(mu) - mu)),
            ],
        ),
        Line(
            does="exchange the two sums, and do the one over the rounds: return what is left, one term for each arm",
            reference=_line_4,
            follows=lambda before, mu, p: before.sum(axis=0),
            mistakes=[
                Mistake(
                    "This is the mean over the rounds: the sum is asked for.",
                    lambda mu, p: (np.max(mu) - mu) * p.mean(axis=0),
                ),
                Mistake(
                    "This sums over the arms: the rounds are axis 0.",
                    lambda mu, p: np.sum(p * (np.max(mu) - mu), axis=1),
                ),
                Mistake(
                    "A sum of products is not the product of the sums: each gap belongs to the plays of its own arm.",
                    lambda mu, p: np.sum(np.max(mu) - mu) * p.sum(axis=0),
                ),
                Mistake(
                    "The means stand where the gaps belong: this is the expected reward of each arm.",
                    lambda mu, p: mu * p.sum(axis=0),
                ),
                Mistake(
                    "The probabilities are gone: this plays every arm in every round.",
                    lambda mu, p: len(p) * (np.max(mu) - mu),
                ),
                Mistake(
                    "These are the sums of the probabilities alone: the gaps have been lost.",
                    lambda mu, p: p.sum(axis=0),
                ),
                Mistake(
                    "These are the gaps alone: each comes with the probabilities of its arm.",
                    lambda mu, p: np.max(mu) - mu,
                ),
                Mistake(
                    "T μ* stands with every arm: arm i has as many of them as it is played.",
                    lambda mu, p: len(p) * np.max(mu) - mu * p.sum(axis=0),
                ),
            ],
        ),
        Line(
            does="split each of these terms into something made of the means alone and a sum of probabilities",
            parts=("means", "play"),
            reference=_line_5,
            undo=lambda here, mu, p: here[0] * here[1],
            mistakes=[
                Mistake(
                    "The share of the rounds that belongs to an arm is not the number of its plays: "
                    "the probabilities add up over the rounds.",
                    but(_line_5, 1, lambda mu, p: p.mean(axis=0)),
                ),
                Mistake(
                    "The first piece is the means themselves: what playing an arm costs is its distance from μ*.",
                    but(_line_5, 0, lambda mu, p: mu),
                ),
                Mistake(
                    "The two pieces are exchanged.",
                    lambda mu, p: _line_5(mu, p)[::-1],
                ),
                Mistake(
                    "Both signs are reversed. The product is right, but a sum of probabilities is not negative.",
                    lambda mu, p: (mu - np.max(mu), -p.sum(axis=0)),
                ),
                Mistake(
                    "T stands with the means here: the sums of p are asked for, not their averages.",
                    lambda mu, p: (len(p) * (np.max(mu) - mu), p.mean(axis=0)),
                ),
                Mistake(
                    "μ* is the largest mean, not the mean of the means.",
                    but(_line_5, 0, lambda mu, p: np.mean(mu) - mu),
                ),
            ],
        ),
    ],
    cases=_policies,
    forbids=(bandits.regret_of_plays,),
    alternatives=[
        Alternative(lambda mu, p: np.array([np.max(mu) - row @ mu for row in p]), part=0),
        Alternative(lambda mu, p: np.sum(p * (np.max(mu) - mu), axis=1), part=0),
        Alternative(lambda mu, p: p * np.max(mu) - p * mu, part=1),
        Alternative(lambda mu, p: p @ np.diag(np.max(mu) - mu), part=1),
        Alternative(lambda mu, p: np.sum(p * np.max(mu), axis=0) - mu * np.sum(p, axis=0), part=2),
        Alternative(lambda mu, p: (-(mu - mu.max()), np.ones(len(p)) @ p), part=3),
    ],
    hints=(
        Hint("What is in p @ mu?", r"One entry for each round: $E\mu_{i_t}=\sum_ip_{ti}\mu_i$."),
        Hint(
            "How can μ* become a sum over the arms?",
            r"The probabilities of a round sum to 1, so $\mu^*=\sum_ip_{ti}\mu^*$. Then both sums have $p_{ti}$ in "
            "every term.",
        ),
        Hint(
            "What is the sum over the rounds of an arm's probabilities?",
            r"$\sum_tp_{ti}=E\sum_t1[i_t=i]=EN_i$. What does not depend on $t$ waits outside.",
        ),
    ),
    see="The task lists what each line does. Line 5 holds the two factors of equation (29.3).",
)


# --- exploring with probability ε ---

greedy_share = Function(
    "greedy_share",
    asks="How often the best-looking arm is played",
    points=1,
    reference=bandits.greedy_share,
    cases=lambda rng: [(0.1, 3), *((round(rng.uniform(0.05, 0.45), 2), int(rng.integers(3, 9))) for _ in range(3))],
    mistakes=[
        Mistake(
            "A random draw may also hit the arm that looks best: the share is larger than 1 − ε.",
            lambda eps, K: 1 - eps,
        ),
        Mistake("ε is the share of the exploring rounds; the other branch is the greedy one.", lambda eps, K: eps),
        Mistake(
            "ε/K is the chance of one arm by a random draw. Here it is taken off for one other arm, and there are "
            "K − 1 of them.",
            lambda eps, K: 1 - eps / K,
        ),
        Mistake(
            "The random draw happens in a share ε of the rounds only: 1/K is to be multiplied by ε.",
            lambda eps, K: 1 - eps + 1 / K,
        ),
        Mistake(
            "This is the share of one of the other arms, which only a random draw can hit.", lambda eps, K: eps / K
        ),
    ],
    alternatives=[Alternative(lambda eps, K: 1 - (K - 1) * eps / K)],
    hints=(
        Hint("In how many ways can it happen?", "Two: in the greedy branch always, in the random branch sometimes."),
        Hint("How often in the random branch?", "All $K$ arms are equally likely there, so once in $K$ draws."),
    ),
    see="Equation (29.4): the two branches, each with its probability.",
)

regret_slope = Function(
    "regret_slope",
    asks="What exploring costs in a round",
    points=2,
    reference=bandits.regret_slope,
    cases=_exploring,
    mistakes=[
        Mistake("ε is how often we explore: multiply it by what a random draw costs.", lambda mu, eps: eps),
        Mistake(
            "This adds up the gaps, as if a random draw played all arms. It hits each with probability 1/K.",
            lambda mu, eps: eps * np.sum(np.max(mu) - mu),
        ),
        Mistake(
            "This divides by K − 1: the random draw picks among all K arms, the best one included.",
            lambda mu, eps: eps * np.sum(np.max(mu) - mu) / (len(mu) - 1),
        ),
        Mistake(
            "This charges the largest gap for every random draw: not every draw hits the worst arm.",
            lambda mu, eps: eps * (np.max(mu) - np.min(mu)),
        ),
        Mistake(
            "This is the mean reward of a random draw: what is lost against μ* is asked for.",
            lambda mu, eps: eps * np.mean(mu),
        ),
        Mistake(
            "1 − ε is the greedy branch, and that costs nothing once the best arm is known: the ε branch costs.",
            lambda mu, eps: (1 - eps) * np.mean(np.max(mu) - mu),
        ),
    ],
    alternatives=[
        Alternative(lambda mu, eps: eps * (np.max(mu) - np.mean(mu))),
        Alternative(
            lambda mu, eps: (
                np.max(mu) - ((1 - eps + eps / len(mu)) * np.max(mu) + eps / len(mu) * np.sum(np.sort(mu)[:-1]))
            )
        ),
    ],
    hints=(
        Hint("Which branch costs anything?", "Only the random one: the greedy branch now plays the best arm, gap 0."),
        Hint("What does a random draw cost?", r"Each arm has probability $1/K$: on average $\frac1K\sum_i\Delta_i$."),
    ),
    see="Equation (29.5): the probability of a random draw times the mean gap.",
)

_LUCKY = (
    "Here the greedy rule plays the second arm more than once. What must its first reward be, so that "
    "the rule never comes back?"
)


def _comes_back(table):
    """Does the rule play the second arm after round 2? Of equal means the first has it, and rounding parts none."""
    means = np.cumsum(np.delete(table[:, 0], 1)) / np.arange(1, 20)
    return bool(np.any(means[:-1] < table[1, 1] - 1e-9))


greedy_trap = Property(
    "greedy_trap",
    asks="Twenty rounds that deceive an optimist",
    points=1,
    laws=[
        Law("The table must have 20 rows, one for each round, and 2 columns.", lambda table: table.shape == (20, 2)),
        Law("Rewards lie between 0 and 1.", lambda table: bool(np.all((table >= 0) & (table <= 1)))),
        Law(
            "The mean of the second column must be larger than that of the first by at least 0.3.",
            lambda table: table[:, 1].mean() - table[:, 0].mean() >= 0.3 - 1e-9,
        ),
        Law(_LUCKY, lambda table: not _comes_back(table)),
    ],
    mistakes=[
        Mistake("The table must have 20 rows, one for each round, and 2 columns.", [[0.2, 0.0], [0.2, 1.0]]),
        Mistake("Rewards lie between 0 and 1.", np.column_stack([np.full(20, 0.4), [0.0, -1.0, *np.full(18, 2.0)]])),
        Mistake(
            "The mean of the second column must be larger than that of the first by at least 0.3.",
            np.column_stack([np.full(20, 0.7), [0.0, 0.0, *np.full(18, 0.8)]]),
        ),
        Mistake(_LUCKY, np.column_stack([np.full(20, 0.2), np.full(20, 0.8)])),
        Mistake(_LUCKY, np.column_stack([np.full(20, 0.2), [0.0, *np.full(19, 0.8)]])),
    ],
    alternatives=[
        Alternative(np.column_stack([np.full(20, 0.1), [1.0, 0.05, *np.full(18, 1.0)]])),
        Alternative([[1, 1], [1, 0], [0, 1], [1, 1], *[[0.5, 1]] * 16]),
    ],
    hints=(
        Hint(
            "In which round is the second arm played?", "With $Q_0=2$ in round 2: the first arm has had its turn then."
        ),
        Hint(
            "When does the rule never come back?",
            "When its one reward stays below the mean of the first arm. What it would have paid later nobody sees.",
        ),
    ),
    see="The section *Break it*: one bad reward in round 2 is enough, since Q of an arm that rests never changes.",
)


# --- the upper end of an interval ---


def _bonus(Q, N, bonus, never=np.inf):
    """Q + bonus(N) for the arms that have been played."""
    return np.where(N > 0, Q + bonus(np.maximum(N, 1)), never)


ucb_index = Function(
    "ucb_index",
    asks="The upper end of the interval",
    points=2,
    reference=bandits.ucb,
    cases=_indices,
    mistakes=[
        Mistake(
            "The root is missing: solve e^(−2Na²) = t^(−2ρ) for a, not for a². The interval shrinks like 1/√N.",
            lambda Q, N, t, rho: _bonus(Q, N, lambda n: rho * np.log(t) / n),
        ),
        Mistake("ρ is not used.", lambda Q, N, t, rho: _bonus(Q, N, lambda n: np.sqrt(np.log(t) / n))),
        Mistake(
            "ρ stands outside the root: it multiplies log t.",
            lambda Q, N, t, rho: _bonus(Q, N, lambda n: rho * np.sqrt(np.log(t) / n)),
        ),
        Mistake(
            "t and N are exchanged: the logarithm of the round, divided by the plays of the arm.",
            lambda Q, N, t, rho: _bonus(Q, N, lambda n: np.sqrt(rho * np.log(n) / t)),
        ),
        Mistake(
            "This is the lower end: optimism adds the half-width.",
            lambda Q, N, t, rho: _bonus(Q, N, lambda n: -np.sqrt(rho * np.log(t) / n)),
        ),
        Mistake(
            "An arm that has not been played keeps its Q here, and may wait for ever: its interval has no upper end, "
            "so its index is infinite.",
            lambda Q, N, t, rho: _bonus(Q, N, lambda n: np.sqrt(rho * np.log(t) / n), never=Q),
        ),
        Mistake(
            "This is the logarithm to base 10: the one that undoes e is np.log.",
            lambda Q, N, t, rho: _bonus(Q, N, lambda n: np.sqrt(rho * np.log10(t) / n)),
        ),
        Mistake(
            "The 2 has gone astray: in e^(−2Na²) = t^(−2ρ) it cancels.",
            lambda Q, N, t, rho: _bonus(Q, N, lambda n: np.sqrt(2 * rho * np.log(t) / n)),
        ),
    ],
    alternatives=[
        Alternative(lambda Q, N, t, rho: _bonus(Q, N, lambda n: np.sqrt(-np.log(float(t) ** (-2 * rho)) / (2 * n)))),
        Alternative(
            lambda Q, N, t, rho: np.array(
                [q + (rho * np.log(t) / n) ** 0.5 if n else np.inf for q, n in zip(Q, N, strict=True)]
            )
        ),
    ],
    hints=(
        Hint("How do I get a out of the exponent?", r"Take logarithms on both sides: $-2Na^2=-2\rho\log t$."),
        Hint("What about N = 0?", "Nothing is known of that arm: `np.where(N > 0, ..., np.inf)`."),
        Hint(
            "numpy complains about a division by zero.",
            "`np.where` computes both sides. Divide by `np.maximum(N, 1)`; the result is thrown away where $N=0$.",
        ),
    ),
    see="Equation (29.6): solve for a and add it to Q.",
)

ucb_bound = Function(
    "ucb_bound",
    asks="From plays to regret",
    points=1,
    reference=bandits.ucb_bound,
    cases=_horizons,
    mistakes=[
        Mistake(
            "This adds up the bounds on the plays. A play of arm i costs Δᵢ: multiply by it first.",
            lambda mu, T: np.sum(8 * np.log(T) / _gaps(mu) ** 2 + 1 + np.pi**2 / 3),
        ),
        Mistake(
            "The first part is right, the second has lost its gaps: all of the bound is multiplied by Δᵢ.",
            lambda mu, T: np.sum(8 * np.log(T) / _gaps(mu) + 1 + np.pi**2 / 3),
        ),
        Mistake(
            "This is 8 log T times the gaps: Δᵢ times 1/Δᵢ² is 1/Δᵢ.",
            lambda mu, T: np.sum((8 * np.log(T) + 1 + np.pi**2 / 3) * _gaps(mu)),
        ),
        Mistake(
            "A sum of reciprocals is not the reciprocal of the sum: divide arm by arm.",
            lambda mu, T: 8 * np.log(T) / np.sum(_gaps(mu)) + (1 + np.pi**2 / 3) * np.sum(_gaps(mu)),
        ),
        Mistake(
            "The constant part is missing: (1 + π²/3) times the gaps.",
            lambda mu, T: np.sum(8 * np.log(T) / _gaps(mu)),
        ),
    ],
    alternatives=[
        Alternative(
            lambda mu, T: sum(g * (8 * np.log(T) / g**2 + 1 + np.pi**2 / 3) for g in (max(mu) - m for m in mu) if g > 0)
        )
    ],
    hints=(
        Hint("How does regret follow from plays?", r"By (29.3): $R_T=\sum_i\Delta_iEN_i$."),
        Hint(
            "What about the best arm?",
            "Its gap is 0: it costs nothing, and the bound does not speak of it. Leave it out, or you divide by 0.",
        ),
    ),
    see="Equation (29.7): each bound on the plays times its gap, summed over the arms with a gap.",
)


def _gaps(mu):
    gaps = np.max(mu) - mu
    return gaps[gaps > 0]


# --- two printed texts, each wrong in one place ---


def _printed_value(arms, rewards, i):
    return np.sum(rewards * (arms == 1)) / np.sum(arms == i)


def _is_history(arms, rewards, i):
    return np.ndim(arms) == 1 and np.shape(rewards) == np.shape(arms) and np.ndim(i) == 0 and bool(np.any(arms == i))


arm_value = Slip(
    "arm_value",
    asks="The value of an arm, written out",
    points=2,
    printed=_printed_value,
    reference=bandits.arm_value,
    cases=_histories,
    admits=_is_history,
    domain="arms and rewards of the same shape (T,), and an i that occurs in arms",
    mistakes=[
        Mistake("This is still the printed formula.", _printed_value),
        Mistake(
            "Now the denominator is wrong too: this is the value of arm 1, whichever i is asked for.",
            lambda arms, rewards, i: np.mean(rewards[arms == 1]),
        ),
        Mistake(
            "The numerator adds the rewards of all arms: only those of arm i belong to it.",
            lambda arms, rewards, i: np.sum(rewards) / np.sum(arms == i),
        ),
        Mistake(
            "This divides by the number of rounds: arm i was played in only some of them.",
            lambda arms, rewards, i: np.sum(rewards * (arms == i)) / len(arms),
        ),
        Mistake(
            "This is the sum of the rewards of arm i, and Q is a mean.",
            lambda arms, rewards, i: np.sum(rewards[arms == i]),
        ),
        Mistake(SAME_THERE, ([1, 2, 2], [0.1, 0.9, 0.7], 1), part=1),
        Mistake(SAME_THERE, ([1, 2], [0.5, 0.5], 2), part=1),
    ],
    alternatives=[
        Alternative(lambda arms, rewards, i: np.mean(rewards[arms == i])),
        Alternative(
            lambda arms, rewards, i: sum(r for a, r in zip(arms, rewards, strict=True) if a == i) / sum(arms == i)
        ),
        Alternative(([2, 1, 2], [1.0, 0.0, 1.0], 2), part=1),
        Alternative((np.array([3, 3]), np.array([0.2, 0.4]), 3), part=1),
    ],
    hints=(
        Hint("What does 1[…] do?", "It is 1 where the condition holds and 0 elsewhere, so it picks rounds."),
        Hint(
            "Which rounds does each sum pick?",
            "The lower sum counts the rounds of arm $i$. Which rounds does the upper one add?",
        ),
        Hint("What is a small counter-example?", "Two arms, three rounds, and a question about arm 2."),
    ),
    see="Equation (29.8): both sums run over the rounds in which arm i was played.",
)

ucb_with_epsilon = Choice(
    "ucb_with_epsilon",
    asks="UCB with an ε",
    points=1,
    options={
        "a": Option(
            r"like $\log T$, as the text says",
            wrong="Count the random draws: a fixed share ε of all rounds. What does one cost, and do they get rarer?",
        ),
        "b": Option(r"like $T$"),
        "c": Option(
            "it stops growing",
            wrong="A random draw plays a worse arm now and then for ever, and each such play adds its gap.",
        ),
    },
    reasons={
        "i": Option(
            "the intervals never shrink to zero, so UCB never stops exploring",
            wrong="Without ε that is true as well, and there the regret grows like log T: UCB explores more and more "
            "rarely. What does ε add?",
        ),
        "ii": Option(
            r"on average a random draw costs $\bar\Delta$, in late rounds as in early ones, and there are $\epsilon T$ "
            "of them"
        ),
        "iii": Option(
            "the random draws also teach, and UCB then explores so much less that both together cost the same",
            wrong="UCB can save at most what it would have spent, which is of the order of log T. Compare that with "
            "what the random draws cost.",
        ),
    },
    hints=(
        Hint(
            "Where do I start?",
            r"With the random rounds alone: what they cost in (29.5) does not depend on how the others choose.",
        ),
        Hint("Which part wins for large T?", r"Compare $\log T$ and $\epsilon\bar\Delta T$ at $T=10^6$."),
    ),
    see="Equation (29.5): a fixed ε costs εΔ̄ in every round, whatever rule fills the other rounds.",
)

three_protocols = Explanation(
    "three_protocols",
    asks="Three protocols for one ward",
    points=3,
    rubric=(
        "1 point: each protocol is judged by R = ΣΔᵢ E Nᵢ: how often it gives a worse treatment, times the gap. "
        "1 point: the first stays for ever on a wrong choice with a probability that does not depend on T, so its "
        "expected regret is linear in T; ε = 0.05 pays εΔ̄ for every patient, which is linear too. "
        "1 point: UCB tries a treatment the more rarely, the more is known about it (N) and the worse it looks (Q), "
        "and its regret grows like log T; but the constant is large where gaps are small, so for few patients it need "
        "not be the best."
    ),
)

topic = Topic(
    number=29,
    slug="bandits",
    title="Bandits",
    question="How often should we try what looks worse?",
    part="Decisions",
    minutes=75,
    before={
        "probability": "expectations and probability tables",
    },
    exercises=[
        incremental_mean,
        greedy_plays,
        regret_curve,
        regret_by_arms,
        greedy_share,
        regret_slope,
        greedy_trap,
        ucb_index,
        ucb_bound,
        arm_value,
        ucb_with_epsilon,
        three_protocols,
    ],
)
check = Checks(topic)
