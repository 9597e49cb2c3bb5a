# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can keep a mean without keeping its data, turn regret into a count of plays, say what exploring at
# random costs, and derive an index that explores only where little is known.

# %%
from functools import partial

import numpy as np

from mlcore import bandits
from mlcore.checks.bandits import check
from mlcore.explore import bandits as explore

# %% [markdown]
# ## See
# Three treatments for one illness, A, B and C, cure 50, 60 and 70 percent of the patients, which nobody knows.
# Each of two hundred hospitals treats a thousand patients, one after the other. It tries every treatment once, and then
# always gives the one with the best record so far. We count the cures that its choices cost, in expectation,
# against giving C to everyone.

# %%
explore.Hospitals()

# %% [markdown]
# Almost every line is straight after a few dozen patients: the hospital has settled. 42% of them settle on A or B,
# and they will not find out, because they no longer give C to anyone.

# %% [markdown]
# ## Predict
# Suppose each hospital draws a treatment at random for one patient in ten. On average it loses 61 cures now.
# Will it lose more, or fewer? Decide before you go on.

# %% [markdown]
# ## Derive
# Our choices are called *arms*, after those of slot machines, and there are $K$ of them. In round $t$ we play one,
# $i_t$, and see its reward, but not what the others would have paid. Arm $i$ has been played $N_i$ times, and $Q_i$ is
# the mean of its rewards so far. Before its first play $Q_i$ is a number $Q_0$ of our choice.

# %% task incremental_mean [markdown]
# Let $Q$ be the mean of the first $N-1$ rewards of an arm, and $r$ the next reward. What is the mean of all $N$?
# Use only $Q$, $N$ and $r$.


# %% exercise incremental_mean
def incremental_mean(Q, N, r):
    """The mean of N rewards; Q is the mean of the first N − 1, r is the last."""
    ### BEGIN SOLUTION
    return Q + (r - Q) / N
    ### END SOLUTION


# %% check
check.incremental_mean(incremental_mean)

# %% hint [markdown]

# %% [markdown]
# $$Q\leftarrow Q+\frac{r-Q}{N} \tag{29.1}$$
#
# The mean takes a step towards the new reward, and each step goes a smaller part of the way. The first one forgets
# $Q_0$.

# %% task greedy_plays [markdown]
# The *greedy* rule plays the arm with the largest $Q$; of equal arms the first, as `np.argmax` does. Let it play on a
# table, where `rewards[t, i]` is what arm $i$ would pay in round $t$. How often is each arm played?


# %% exercise greedy_plays
def greedy_plays(rewards, Q0):
    """The plays N of the greedy rule, which starts with Q = Q0 for every arm: shape (K,)."""
    ### BEGIN SOLUTION
    T, K = rewards.shape
    N, Q = np.zeros(K), np.full(K, float(Q0))
    for t in range(T):
        i = np.argmax(Q)
        N[i] += 1
        Q[i] += (rewards[t, i] - Q[i]) / N[i]
    return N
    ### END SOLUTION


# %% check
check.greedy_plays(greedy_plays)

# %% hint [markdown]

# %% [markdown]
# Does $Q_0$ matter, if it is forgotten? Here are 2000 rounds with rewards close to 0.5, 0.6 and 0.7, and a $Q_0$ below
# and above all of them. `bandits.play` plays many runs at once, here one.

# %%
rewards = np.random.default_rng(1).normal([0.5, 0.6, 0.7], 0.05, size=(2000, 1, 3))
for Q0 in (0.0, 5.0):
    *_, (N, Q) = bandits.play(rewards, bandits.greedy, Q0=Q0)
    print(f"Q0 = {Q0}: plays {N[0].astype(int)}")

# %% [markdown]
# The pessimist plays the first arm 2000 times: every reward is better than what it expects elsewhere. The optimist is
# disappointed by each arm in turn, tries all three, and stays with one. A text that says *pure greedy visits each
# action once* describes neither.
#
# ## Regret
# Let $\mu_i$ be the mean reward of arm $i$ and $\mu^*$ the largest of them. The *regret* after $T$ rounds is what we
# expect to miss against playing the best arm throughout:
#
# $$R_T=T\mu^*-E\sum_{t=1}^T\mu_{i_t} \tag{29.2}$$

# %% task regret_curve [markdown]
# A run is over, and we know its arms, their rewards and, by now, their means. Compute its regret after each round:
# (29.2) without the expectation.


# %% exercise regret_curve
def regret_curve(arms, rewards, mu):
    """The regret after rounds 1, …, T; arms[t] is the index of the arm played, rewards[t] its reward: shape (T,)."""
    ### BEGIN SOLUTION
    return np.cumsum(np.max(mu) - mu[arms])
    ### END SOLUTION


# %% check
check.regret_curve(regret_curve)

# %% hint [markdown]

# %% [markdown]
# The rewards do not enter: regret measures the choices, not the luck. So it never falls.

# %% task regret_by_arms [markdown]
# (29.2) goes round by round. To see *which* choices cost, go arm by arm. Let `p[t, i]` be the probability that arm $i$
# is played in round $t$, so that every row of `p` sums to 1 and $E\mu_{i_t}=\sum_ip_{ti}\mu_i$. Each line returns what
# stands behind its sum signs: the terms, not their sum.


# %%
def line_1(mu, p):
    """R_T, equation (29.2)."""
    return len(p) * np.max(mu) - np.sum(p @ mu)


# %% exercise regret_by_arms
def line_2(mu, p):
    """The terms of R_T as one sum over the rounds: shape (T,)."""
    ### BEGIN SOLUTION
    return np.max(mu) - p @ mu
    ### END SOLUTION


def line_3(mu, p):
    """The terms of R_T as a sum over rounds and arms, each p[t, i] times something: shape (T, K)."""
    ### BEGIN SOLUTION
    return p * (np.max(mu) - mu)
    ### END SOLUTION


def line_4(mu, p):
    """The terms that are left when the sum over the rounds is done: shape (K,)."""
    ### BEGIN SOLUTION
    return line_3(mu, p).sum(axis=0)
    ### END SOLUTION


def line_5(mu, p):
    """(means, play): line 4 as a product of something made of mu alone and the sums of p: two shapes (K,)."""
    ### BEGIN SOLUTION
    return np.max(mu) - mu, p.sum(axis=0)
    ### END SOLUTION


# %% check
check.regret_by_arms(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# With the *gap* $\Delta_i=\mu^*-\mu_i$ and $\sum_tp_{ti}=EN_i$ this is
#
# $$R_T=\sum_i\Delta_i\,EN_i. \tag{29.3}$$
#
# We must play the worse arms rarely, and yet often enough to know that they are worse.
#
# ## Explore at random
# The *ε-greedy* rule explores with probability $\epsilon$: it draws one of the $K$ arms, all equally likely.
# Otherwise it exploits what it knows, and plays the arm with the largest $Q$.

# %% task greedy_share [markdown]
# With which probability does it play the arm that looks best?


# %% exercise greedy_share
def greedy_share(eps, K):
    """The probability that ε-greedy plays the arm with the largest Q."""
    ### BEGIN SOLUTION
    return 1 - eps + eps / K
    ### END SOLUTION


# %% check
check.greedy_share(greedy_share)

# %% hint [markdown]

# %% [markdown]
# $$P(i_t=\arg\max_iQ_i)=1-\epsilon+\frac\epsilon K \tag{29.4}$$
#
# That is 0.933 for three arms and $\epsilon=0.1$. Some notes call the random branch *exploitation*; it is the other
# one.

# %% task regret_slope [markdown]
# After a long time the arm that looks best is the best. How much regret does a round add from then on, in expectation?


# %% exercise regret_slope
def regret_slope(mu, eps):
    """The expected regret of one round of ε-greedy that knows the best arm."""
    ### BEGIN SOLUTION
    return eps * np.mean(np.max(mu) - mu)
    ### END SOLUTION


# %% check
check.regret_slope(regret_slope)

# %% hint [markdown]

# %% [markdown]
# $$R_{T+1}-R_T\to\epsilon\,\bar\Delta,\qquad\bar\Delta=\frac1K\sum_i\Delta_i \tag{29.5}$$
#
# For our three treatments and $\epsilon=0.1$ this is 0.01, one cure in a hundred patients, for ever.
#
# ## Explore
# The regret of forty hospitals, thin, the mean of two hundred, thick, and what (29.5) alone costs, dashed.
# On the right are the mean plays, the $EN_i$ of (29.3).
#
# 1. Move ε from 0 to 0.5. Where is the mean regret smallest?
# 2. Set ε = 0 and move $Q_0$. Up to which $Q_0$ is only A ever given, and from where on does $Q_0$ change nothing?

# %%
explore.Greedy()

# %% [markdown]
# One random patient in ten brings the loss from 61 cures down to 26, and near ε = 0.1 it is smallest. Below, hospitals
# stay too long with a wrong treatment; above, the dashed line lifts the rest. At ε = 0 a start value of 0 or less means
# A for ever, and above 1, the largest reward, all $Q_0$ are alike. The larger ε is, the less $Q_0$ matters.
#
# Could ε fall with time? With $\epsilon_t=c/t$ the random draws cost $c\bar\Delta\sum_t\frac1t$, which grows only like
# $\log T$. But how large $c$ must be depends on the gaps, which we do not know.

# %% [markdown]
# ## Break it
# An optimistic start makes the greedy rule try everything once. Is that enough?

# %% task greedy_trap [markdown]
# Give a table of 20 rounds and two arms, with rewards between 0 and 1, on which the second arm is better by at least
# 0.3 on average, and on which the greedy rule with $Q_0=2$ plays the second arm only once.

# %% exercise greedy_trap
table = ...  # shape (20, 2)
### BEGIN SOLUTION
table = np.column_stack([np.full(20, 0.4), np.ones(20)])
table[1, 1] = 0
### END SOLUTION

# %% check
check.greedy_trap(table)

# %% hint [markdown]

# %% [markdown]
# The $Q$ of an arm that rests does not change, and a mean of one reward looks like a mean of a thousand. Random draws
# do not look at $N$ either: a treatment that is surely bad gets as many as one of which we know nothing.
#
# ## Explore where little is known
# A mean of few rewards may be far too low. *Hoeffding's inequality* says how far: if rewards lie between 0 and 1, the
# mean of $N$ independent ones falls below $\mu$ by $a$ or more with probability at most $e^{-2Na^2}$. We choose $a$ so
# that this is $t^{-2\rho}$ in round $t$, rarer and rarer, and then believe the best that is still plausible, $Q_i+a_i$.

# %% task ucb_index [markdown]
# Solve $e^{-2Na^2}=t^{-2\rho}$ for $a$, and give $Q_i+a_i$ for every arm. An arm that has never been played may be as
# good as you like: its index is `np.inf`.


# %% exercise ucb_index
def ucb_index(Q, N, t, rho):
    """Q + a for every arm in round t; Q and N have shape (K,), and so has the result."""
    ### BEGIN SOLUTION
    return np.where(N > 0, Q + np.sqrt(rho * np.log(t) / np.maximum(N, 1)), np.inf)
    ### END SOLUTION


# %% check
check.ucb_index(ucb_index)

# %% hint [markdown]

# %% [markdown]
# The rule *UCB*, for upper confidence bound, plays
#
# $$i_t=\arg\max_i\ Q_i+\sqrt{\frac{\rho\log t}{N_i}}, \tag{29.6}$$
#
# and every arm once to begin with. It tosses no coin.
#
# ## Explore
# One run of UCB with true means 0.3, 0.5 and 0.7: the dot is $Q$, the triangle $Q+a$. Press play, or move $t$.
#
# 1. In round 45 arm B has by far the best mean. Why is C played?
# 2. What happens to the triangle of an arm that waits?

# %%
explore.Confidence()

# %% [markdown]
# C had bad luck: two cures in five plays. But five plays do not rule out that it is better than B, which has had 36,
# and UCB gives it another chance, where the greedy rule plays B. By round 150 C has had 99 plays. The triangle of
# a waiting arm rises slowly, with $\sqrt{\log t}$, so that no arm waits for ever.

# %% task ucb_bound [markdown]
# For $\rho=2$ and rewards between 0 and 1 one can prove that every arm with a gap $\Delta_i>0$ is played at most
# $\frac{8\log T}{\Delta_i^2}+1+\frac{\pi^2}3$ times in expectation. Which bound on the regret follows?


# %% exercise ucb_bound
def ucb_bound(mu, T):
    """The bound on R_T that follows from the bounds on the plays; mu has shape (K,)."""
    ### BEGIN SOLUTION
    gaps = np.max(mu) - mu
    gaps = gaps[gaps > 0]
    return np.sum(8 * np.log(T) / gaps) + (1 + np.pi**2 / 3) * np.sum(gaps)
    ### END SOLUTION


# %% check
check.ucb_bound(ucb_bound)

# %% hint [markdown]

# %% [markdown]
# $$R_T\le\sum_{\Delta_i>0}\frac{8\log T}{\Delta_i}+\Big(1+\frac{\pi^2}3\Big)\sum_i\Delta_i \tag{29.7}$$
#
# The regret grows like $\log T$. Doubling the time adds a constant to it, and doubles the straight line of ε-greedy.
#
# ## Explore
# Both rules on a logarithmic time axis, two hundred runs each. The means are $0.7-\Delta$, $0.7-\Delta/2$ and 0.7, and
# $\epsilon=0.1$.
#
# 1. Move the horizon $T$ from 100 to 1000. What does each rule pay between $T/2$ and $T$?
# 2. Which gap Δ costs UCB most?
# 3. Set Δ back to 0.6, then ρ = 2, as in (29.7), then ρ = 0.05. What goes wrong at each end?

# %%
explore.Regret()

# %% [markdown]
# From $T=200$ on UCB pays about 2 for every doubling. ε-greedy pays 4 for the one up to $T=200$ and 15 for the one up
# to $T=1000$. With a small gap a wrong choice is nearly right, and a large gap is seen soon; worst is one between the
# two, near 0.14. With ρ = 2 UCB explores so much that ε-greedy is ahead for the whole thousand rounds: the bound holds
# for short times too, but is too large there to say much. With ρ = 0.05 half of the runs lose about 2, but the upper
# thin line ends at 47, and 7% of the runs, beyond the figure, lose more than 200: they have given up on the best arm
# early.

# %% [markdown]
# ## Spot the slip
# Two passages as printed in well-meaning lecture notes, each wrong in one place.

# %% task arm_value [markdown]
# > *The value of arm $i$ is its average reward, where $X_s$ is the reward of round $s$ and $i_s$ the arm played in it:*
# > $$Q(i)=\frac{\sum_sX_s\,1[i_s=1]}{\sum_s1[i_s=i]}$$
#
# Mend the formula, and give a history at which the printed one fails. Arms are numbered from 1.


# %% exercise arm_value
def arm_value(arms, rewards, i):
    """Q(i); arms[s] is the number of the arm played in round s, rewards[s] what it paid."""
    ### BEGIN SOLUTION
    return np.sum(rewards * (arms == i)) / np.sum(arms == i)
    ### END SOLUTION


fails_at = ...  # a tuple (arms, rewards, i)
### BEGIN SOLUTION
fails_at = (np.array([1, 2, 2, 1, 2]), np.array([0.1, 0.9, 0.7, 0.3, 0.8]), 2)
### END SOLUTION

# %% check
check.arm_value(arm_value, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$Q_i=\frac{\sum_sr_s\,1[i_s=i]}{\sum_s1[i_s=i]} \tag{29.8}$$
#
# This is what (29.1) computes step by step.

# %% task ucb_with_epsilon [markdown]
# > *UCB plays the arm with the largest index (29.6) with probability $1-\epsilon$ and a uniformly random arm with
# > probability $\epsilon$. Its regret grows like $\log T$.*
#
# How does the regret of this rule grow, for a fixed $\epsilon>0$?

# %% exercise ucb_with_epsilon
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "ii"
### END SOLUTION

# %% check
check.ucb_with_epsilon(choice, reason)

# %% hint [markdown]

# %% [markdown]
# Our three treatments, a hundred hospitals, 20,000 patients each:

# %%
mu = np.array([0.5, 0.6, 0.7])
rewards = bandits.draw(mu, T=20_000, runs=100, rng=np.random.default_rng(0))
for eps in (0.0, 0.1):
    runs = bandits.play(rewards, partial(bandits.ucb, rho=2.0), eps=eps, rng=np.random.default_rng(1))
    R = {t: bandits.regret_of_plays(N, mu).mean() for t, (N, Q) in enumerate(runs, 1) if t in (10_000, 20_000)}
    print(f"UCB with ε = {eps}: regret {R[20_000]:.0f}, of which {R[20_000] - R[10_000]:.0f} in the second half")

# %% [markdown]
# The coin costs about 70 more cures in the second half, and towards 100 in every ten thousand patients to come. The
# bound (29.7) is 1190 here, six times what UCB loses.

# %% task three_protocols [markdown]
# Three protocols for two treatments. (1) The first hundred patients are treated at random, all others with what worked
# better. (2) ε-greedy with ε = 0.05. (3) UCB. Explain in about 120 words, with (29.3): what each pays as the
# number of patients $T$ grows, why (3) pays least in the end, and when it need not be the best choice.

# %% explain three_protocols [markdown]
# ### BEGIN SOLUTION
# With two treatments the regret is Δ times the expected number of patients who get the worse one. Protocol (1) gives
# it to about fifty patients at first, and then, with a small probability q, to all the rest: q does not depend on T,
# so the regret contains Δ·q·T and is linear. Protocol (2) finds the better one in the end, but half of its random draws
# go on hitting the worse one: 0.025·Δ for every patient, linear too. UCB gives the worse treatment only while its
# interval still reaches the other's, which takes of the order of log T/Δ² plays, so its regret grows like log T/Δ.
# For few patients or a small gap that constant is larger than what (1) or (2) lose, and UCB need not be best.
#
# Marks: one point for counting plays of the worse arm times its gap, one for the two linear costs, one for UCB's log T
# and its large constant.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# Regret is the sum of the gaps times how often we expect to play them. The greedy rule can lock on a worse arm for
# ever, and ε-greedy pays $\epsilon\bar\Delta$ in every round, so both lose in proportion to the time. UCB adds to every
# mean what it may be too low by, explores more and more rarely, and its regret grows like $\log T$.
#
# *Sources:* Hoeffding, Journal of the American Statistical Association 58 (1963); (29.7) is proved by Auer,
# Cesa-Bianchi and Fischer, Machine Learning 47 (2002). The treatments are invented.

# %% symbols Decisions [markdown]
# | $\mu_i$, $\mu^*$, $\Delta_i=\mu^*-\mu_i$ | mean of arm $i$, the best mean, the gap | `mu` |
# | $N_i$, $Q_i$, $Q_0$ | plays of arm $i$, its mean reward so far, its value before the first play | `N`, `Q`, `Q0` |
# | $\epsilon$ | how often a greedy player tries at random | `eps` |
# | $\rho$ | width of the confidence bound in UCB | `rho` |
# | $R_T$ | regret after $T$ rounds | `regret` |
