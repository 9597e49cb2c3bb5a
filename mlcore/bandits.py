"""Bandits: choosing while learning what the choices are worth.

There are K arms with means μᵢ, unknown to the player; μ* is the largest, Δᵢ = μ* − μᵢ the gap of arm i. In round t the
player chooses arm iₜ and sees its reward r, no other. Nᵢ counts the plays of arm i, Qᵢ is its mean reward so far, and
Q₀ before its first play. Many runs are played at once: N and Q are (runs, K), rewards are (T, runs, K).

(29.1)  Q ← Q + (r − Q)/N                            N counts the new reward r
(29.2)  R_T = Tμ* − E Σₜ μ_{iₜ}                      the regret after T rounds
(29.3)  R_T = Σᵢ Δᵢ E Nᵢ
(29.4)  P(iₜ = argmaxᵢ Qᵢ) = 1 − ε + ε/K             ε-greedy
(29.5)  R_{T+1} − R_T → ε Δ̄                          ε-greedy, Δ̄ = Σᵢ Δᵢ / K
(29.6)  iₜ = argmaxᵢ Qᵢ + √(ρ log t / Nᵢ)            UCB; +∞ where Nᵢ = 0
(29.7)  R_T ≤ Σᵢ 8 log T / Δᵢ + (1 + π²/3) Σᵢ Δᵢ     UCB with ρ = 2 and rewards in [0, 1]; first sum over Δᵢ > 0
(29.8)  Qᵢ = Σₛ rₛ 1[iₛ = i] / Σₛ 1[iₛ = i]
"""

import numpy as np

from mlcore.numerics import need_shapes


def draw(mu, T, runs, rng):
    """What every arm would pay in every round, 0 or 1 with mean μᵢ: shape (T, runs, K).

    The arms of a round share one uniform number, which nobody sees who plays only one of them.
    """
    need_shapes("bandits.draw: mu (K,)", mu)
    return rng.random((T, runs, 1)) < mu


def play(rewards, index, eps=0.0, rng=None, Q0=0.0):
    """Yield N and Q, each (runs, K), after every round.

    A round plays the arm of the largest index(Q, N, t), or, with probability ε, an arm drawn by `rng`.
    """
    need_shapes("bandits.play: rewards (T, runs, K)", rewards)
    T, runs, K = rewards.shape
    if eps:
        explores, anything = rng.random((T, runs)) < eps, rng.integers(K, size=(T, runs))
    N, Q = np.zeros((runs, K)), np.full((runs, K), float(Q0))
    row = K * np.arange(runs)  # where each run begins in a flat (runs, K)
    for t in range(1, T + 1):
        arm = index(Q, N, t).argmax(axis=1)
        if eps:
            arm = np.where(explores[t - 1], anything[t - 1], arm)
        at = row + arm
        N, Q = N.copy(), Q.copy()
        N.ravel()[at] += 1
        Q.ravel()[at] = update(Q.ravel()[at], N.ravel()[at], rewards[t - 1].ravel()[at])
        yield N, Q


def update(Q, N, r):
    """The mean of N rewards, from the mean Q of the first N − 1 and the last one, r (29.1)."""
    return Q + (r - Q) / N


def greedy(Q, N, t):
    """The index of the greedy rule: the mean reward itself."""
    return Q


def ucb(Q, N, t, rho=2.0):
    """The index of UCB (29.6): the mean reward plus what it may be too low by."""
    never = np.full(np.shape(N), np.inf)
    return Q + np.sqrt(np.divide(rho * np.log(t), N, out=never, where=N > 0))


def regret(arms, mu):
    """The regret of one run after each of its rounds (29.2); arms holds iₜ: shape (T,)."""
    return np.cumsum(np.max(mu) - mu[arms])


def regret_of_plays(N, mu):
    """The regret of the plays N (29.3): N is (..., K), the result (...)."""
    return N @ (np.max(mu) - mu)


def greedy_share(eps, K):
    """How often ε-greedy plays the arm that looks best (29.4)."""
    return 1 - eps + eps / K


def regret_slope(mu, eps):
    """The regret that ε-greedy adds in a round, once it knows the best arm (29.5)."""
    return eps * np.mean(np.max(mu) - mu)


def ucb_bound(mu, T):
    """What the regret of UCB with ρ = 2 does not exceed (29.7)."""
    gaps = np.max(mu) - mu
    return np.sum(8 * np.log(T) / gaps[gaps > 0]) + (1 + np.pi**2 / 3) * np.sum(gaps)


def arm_value(arms, rewards, i):
    """The mean reward of arm i over the rounds in which it was played (29.8)."""
    return np.sum(rewards * (arms == i)) / np.sum(arms == i)
