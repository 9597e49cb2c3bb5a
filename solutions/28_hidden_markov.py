# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can sum over all hidden paths with one vector, find the best of them, learn a model whose states nobody
# has seen, track a moving thing by conditioning a Gaussian, and normalise and train a conditional random field.

# %%
from itertools import islice

import numpy as np

from mlcore import hidden_markov as hm
from mlcore.checks.hidden_markov import check
from mlcore.explore import hidden_markov as explore

# %% [markdown]
# ## See
# One night in a casino. The house owns a fair die and a loaded one that shows six half of the time, and exchanges them
# now and then. We see the rolls, not the dice.

# %%
explore.Casino()

# %% [markdown]
# Long stretches have far more sixes than a fair die gives. But no single roll says which die it was: a fair die
# shows six as well. What helps is that dice are seldom exchanged, so neighbouring rolls speak for each other.

# %% [markdown]
# ## Predict
# Suppose that for every roll you name the die that is more probable, given all rolls. Is the row of your answers the
# most probable history of the night? Decide before you go on.

# %% [markdown]
# ## The model
# A hidden Markov model walks through states $q_1,\dots,q_T$ and shows a symbol in each. The first state is $k$ with
# probability $\pi_k$, a step goes from $i$ to $j$ with $A_{ij}$, and state $k$ shows symbol $m$ with $B_{km}$. Write
# $b_t$ for the column of $B$ that belongs to the symbol $o_t$. Then
#
# $$p(q,o)=\pi(q_1)\,b_1(q_1)\prod_{t=2}^TA(q_{t-1},q_t)\,b_t(q_t). \tag{28.1}$$
#
# It is the network of notebook 27 for a chain, and its three classical tasks are tasks of any such model:
#
# | task | question | as inference |
# |---|---|---|
# | evaluation | how probable is $o$? | sum the hidden path $q$ out |
# | decoding | which hidden path $q$? | the most probable value |
# | learning | which $\pi,A,B$? | estimation |
#
# (One text calls the hidden sequence $O$. That is the observed one: hidden is $q$.)
#
# ## Derive: evaluation
# There are $K^T$ paths. Elimination needs one vector.

# %% task forward_chain [markdown]
# Three observations. All lines are functions of $\pi$, $A$ and the vectors $b_1,b_2,b_3$. Line 1 sums over all paths at
# once; the lines after it do that state by state, and return what each step leaves. The sum of line 5 is line 1.


# %%
def line_1(pi, A, b1, b2, b3):
    """p(o), the sum over all paths i, j, k."""
    return np.einsum("i,i,ij,j,jk,k->", pi, b1, A, b2, A, b3)


# %% exercise forward_chain
def line_2(pi, A, b1, b2, b3):
    """The product of the factors that hold the first state alone: shape (K,)."""
    ### BEGIN SOLUTION
    return pi * b1
    ### END SOLUTION


def line_3(pi, A, b1, b2, b3):
    """Line 2 times the factors that hold the second state but not the third; axes (first, second): shape (K, K)."""
    ### BEGIN SOLUTION
    alpha_1 = line_2(pi, A, b1, b2, b3)
    return alpha_1[:, None] * A * b2
    ### END SOLUTION


def line_4(pi, A, b1, b2, b3):
    """Line 3 summed over the first state: shape (K,)."""
    ### BEGIN SOLUTION
    return line_3(pi, A, b1, b2, b3).sum(axis=0)
    ### END SOLUTION


def line_5(pi, A, b1, b2, b3):
    """The same for the step from the second state to the third: shape (K,)."""
    ### BEGIN SOLUTION
    alpha_2 = line_4(pi, A, b1, b2, b3)
    return (alpha_2 @ A) * b3
    ### END SOLUTION


# %% check
check.forward_chain(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% task hmm_likelihood [markdown]
# Now for any number of states and observations.


# %% exercise hmm_likelihood
def hmm_likelihood(o, pi, A, B):
    """p(o) for symbols o (T,), pi (K,), A (K, K) and B (K, M): a number."""
    ### BEGIN SOLUTION
    alpha = pi * B[:, o[0]]
    for t in range(1, len(o)):
        alpha = (alpha @ A) * B[:, o[t]]
    return alpha.sum()
    ### END SOLUTION


# %% check
check.hmm_likelihood(hmm_likelihood)

# %% hint [markdown]

# %% [markdown]
# $$\alpha_1=\pi\odot b_1,\qquad\alpha_t=(\alpha_{t-1}A)\odot b_t,\qquad p(o)=\sum_k\alpha_T(k) \tag{28.2}$$
#
# where $\odot$ multiplies entry by entry. $\alpha_t(k)$ is $p(o_1\dots o_t,\,q_t{=}k)$, and the whole sum costs $TK^2$
# operations. With two states and the symbols 0, 1, 1, 0:

# %%
pi, A, B = np.array([0.6, 0.4]), np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([[0.9, 0.1], [0.4, 0.6]])
o = np.array([0, 1, 1, 0])
np.exp(hm.loglik(o, pi, A, B)).round(4).item()

# %% task which_task [markdown]
# A clinic has one hidden Markov model of healthy hearts and one of ill ones, with known parameters, and a recording of
# one patient. Is the patient ill? Which task answers this?

# %% exercise which_task
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "a", "ii"
### END SOLUTION

# %% check
check.which_task(choice, reason)

# %% hint [markdown]

# %% task hmm_loglik [markdown]
# A recording is long, and after a thousand symbols, fewer if there are many kinds of them, $\alpha$ is zero in floating
# point. Compute $\log p(o)$ for sequences of any length.


# %% exercise hmm_loglik
def hmm_loglik(o, pi, A, B):
    """log p(o), for sequences of any length: a number."""
    ### BEGIN SOLUTION
    alpha = pi * B[:, o[0]]
    total = 0.0
    for t in range(len(o)):
        if t > 0:
            alpha = (alpha @ A) * B[:, o[t]]
        c = alpha.sum()
        total += np.log(c)
        alpha = alpha / c
    return total
    ### END SOLUTION


# %% check
check.hmm_loglik(hmm_loglik)

# %% hint [markdown]

# %% [markdown]
# Divide $\alpha$ by its sum in every step, and keep the sums $c_t$:
#
# $$\hat\alpha_t=P(q_t=\cdot\mid o_1\dots o_t),\qquad\log p(o)=\sum_t\log c_t \tag{28.3}$$
#
# ## Decoding
# $\hat\alpha_t$ knows the past. The future comes in from the right: $\beta_t(i)$ tells how well the observations after
# $t$ fit if the state at $t$ is $i$.

# %% task hmm_posteriors [markdown]
# Compute $\gamma_t(k)=P(q_t{=}k\mid o_1\dots o_T)$ for all $t$ and $k$. Some sequences are so improbable that
# $p(o)$ is 0 in floating point, so scale.


# %% exercise hmm_posteriors
def hmm_posteriors(o, pi, A, B):
    """The probability of every state at every time, given all observations: shape (T, K)."""
    ### BEGIN SOLUTION
    T = len(o)
    alpha, beta = np.zeros((T, len(pi))), np.ones((T, len(pi)))
    alpha[0] = pi * B[:, o[0]]
    for t in range(1, T):
        alpha[t] = (alpha[t - 1] @ A) * B[:, o[t]]
        alpha[t] /= alpha[t].sum()
    for t in range(T - 2, -1, -1):
        beta[t] = A @ (B[:, o[t + 1]] * beta[t + 1])
        beta[t] /= beta[t].sum()
    gamma = alpha * beta
    return gamma / gamma.sum(axis=1, keepdims=True)
    ### END SOLUTION


# %% check
check.hmm_posteriors(hmm_posteriors)

# %% hint [markdown]

# %% [markdown]
# With the $c_t$ of (28.3) as scales no division is left at the end:
#
# $$\beta_T=1,\qquad\beta_t=\frac{A\,(b_{t+1}\odot\beta_{t+1})}{c_{t+1}} \tag{28.4}$$
#
# $$\gamma_t=\hat\alpha_t\odot\beta_t \tag{28.5}$$

# %% task viterbi_path [markdown]
# The most probable *path* is another question: maximise $p(q,o)$ over all $q$. Elimination works with a
# maximum in the place of the sum. Return the path and its $\log p(q,o)$.


# %% exercise viterbi_path
def viterbi_path(o, pi, A, B):
    """A tuple: the most probable path, shape (T,), and its log p(q, o), a number."""
    ### BEGIN SOLUTION
    log_A, log_B = np.log(A), np.log(B)
    delta = np.log(pi) + log_B[:, o[0]]
    came_from = []
    for t in range(1, len(o)):
        scores = delta[:, None] + log_A
        came_from.append(scores.argmax(axis=0))
        delta = scores.max(axis=0) + log_B[:, o[t]]
    path = [delta.argmax()]
    for back in reversed(came_from):
        path.append(back[path[-1]])
    return np.array(path[::-1]), delta.max()
    ### END SOLUTION


# %% check
check.viterbi_path(viterbi_path)

# %% hint [markdown]

# %% [markdown]
# $$\delta_1=\log\pi+\log b_1,\qquad\delta_t(j)=\max_i\bigl[\delta_{t-1}(i)+\log A_{ij}\bigr]+\log b_t(j) \tag{28.6}$$
#
# This is Viterbi's algorithm. For 0, 1, 1, 0, the most probable path, and the most probable state at each time:

# %%
hm.viterbi(o, pi, A, B)[0], hm.posteriors(o, pi, A, B).argmax(axis=1)

# %% [markdown]
# They differ, and both are right answers, to different questions.
#
# ## Explore
# The night in the casino. The decoder believes that a die is kept with probability $a$; in truth it is 0.95.
#
# 1. What is lost at $a=0.5$, and why?
# 2. Make the loaded die nearly fair. What do the two decoders say then?

# %%
explore.Decoder()

# %% [markdown]
# At $a=0.5$ every roll speaks for itself: 69% of the guesses are right, with 54 changes. At $a=0.95$ it is 93%. The
# most probable path is stiffer: it changes 3 times where the dice changed 7 times. With a loaded die
# that is hardly loaded the curve flattens out near one half, and the path does not change at all: every change costs
# probability, and no roll pays for it.
#
# ## Break it
# A traffic light goes green (0), yellow (1), red (2), green. A camera names the right colour with probability 0.6.

# %%
light = (
    np.full(3, 1 / 3),
    np.array([[0.6, 0.4, 0.0], [0.0, 0.6, 0.4], [0.4, 0.0, 0.6]]),
    np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]),
)
hm.posteriors(np.array([0, 1, 2, 0]), *light).round(2)

# %% task impossible_path [markdown]
# Find observations, 2 to 50 of them, for which the most probable states, put in a row, are a path of probability
# **zero**.

# %% exercise impossible_path
seen = ...  # a list of symbols 0, 1, 2
### BEGIN SOLUTION
seen = [0, 2]
### END SOLUTION

# %% check
check.impossible_path(seen)

# %% hint [markdown]

# %% [markdown]
# Each picture pulls its own colour up, and the step between the two winners is one that no path takes. Viterbi's path
# cannot fail in this way: it has the largest probability there is.
#
# ## Learning
# Nobody tells us the states, so we cannot count steps. EM counts expected steps. For this it needs the
# posterior of neighbouring *pairs*:
#
# $$\xi_t(i,j)=P(q_t{=}i,\,q_{t+1}{=}j\mid o)=\frac{\hat\alpha_t(i)\,A_{ij}\,b_{t+1}(j)\,\beta_{t+1}(j)}{c_{t+1}}
# \tag{28.7}$$

# %% task bw_step [markdown]
# One step: compute $\gamma$ and $\xi$ under the present model, then set $\pi$, $A$ and $B$ to the expected frequencies.
# `hm.forward(o, pi, A, B)` returns $\hat\alpha$ and $c$, `hm.backward(o, c, A, B)` returns $\beta$.


# %% exercise bw_step
def bw_step(o, pi, A, B):
    """The next model: a tuple (pi, A, B)."""
    ### BEGIN SOLUTION
    alpha, c = hm.forward(o, pi, A, B)
    beta = hm.backward(o, c, A, B)
    gamma = alpha * beta
    pairs = np.zeros_like(A)
    for t in range(len(o) - 1):
        pairs += np.outer(alpha[t], B[:, o[t + 1]] * beta[t + 1]) * A / c[t + 1]
    shown = np.array([gamma[o == m].sum(axis=0) for m in range(B.shape[1])]).T
    return gamma[0], pairs / pairs.sum(axis=1, keepdims=True), shown / shown.sum(axis=1, keepdims=True)
    ### END SOLUTION


# %% check
check.bw_step(bw_step)

# %% hint [markdown]

# %% [markdown]
# $$\pi=\gamma_1,\qquad A_{ij}=\frac{\sum_t\xi_t(i,j)}{\sum_{t<T}\gamma_t(i)},\qquad
# B_{km}=\frac{\sum_{t:\,o_t=m}\gamma_t(k)}{\sum_t\gamma_t(k)} \tag{28.8}$$
#
# This is the Baum–Welch algorithm. As in notebook 24, $\log p(o)$ never falls:

# %%
rolls = explore.Casino().o
start = np.array([0.5, 0.5]), explore.switching(0.8), explore.dice(0.3)
[float(round(model.loglik, 2)) for model in islice(hm.baum_welch(rolls, *start), 0, 25, 4)]

# %% [markdown]
# ## Explore
# The 1149 letters of Lincoln's Gettysburg address, and a model with two states that knows nothing of English.
#
# 1. What do the two states become, and what is their rhythm?
# 2. Why does the third start never get anywhere?

# %%
explore.Letters()

# %% [markdown]
# State 1 collects e, a, o, i and u, with g and k as strays, and after it comes state 2 in 83% of the cases: vowels and
# consonants take turns. $\log p(o)$ stays on a plateau for thirty steps before this breaks out, so a run that seems
# finished need not be. With two equal rows the states are exchangeable, all expected counts are too, and no step can
# tell them apart.
#
# ## States that are numbers
# Let the state be a position that drifts, seen with noise. All is Gaussian, so $\hat\alpha_t$ is a Gaussian
# $N(m,P)$, and the sum over the previous state is an integral.

# %% task kalman_step [markdown]
# A random walk, $x_t=x_{t-1}+N(0,q)$ and $z_t=x_t+N(0,r)$. We believe $x_{t-1}\sim N(m,P)$, then $z_t$ arrives. What do
# we believe about $x_t$? ($q$ and $r$ are variances.)


# %% exercise kalman_step
def kalman_step(m, P, z, q, r):
    """Mean and variance of the state after one step and one measurement: a tuple (m, P)."""
    ### BEGIN SOLUTION
    P = P + q
    K = P / (P + r)
    return m + K * (z - m), (1 - K) * P
    ### END SOLUTION


# %% check
check.kalman_step(kalman_step)

# %% hint [markdown]

# %% task kalman_matrices [markdown]
# The same for vectors:
#
# $$x_t=Fx_{t-1}+N(0,Q),\qquad z_t=Hx_t+N(0,R) \tag{28.9}$$
#
# $H$ is $(k,d)$: often only a part of the state is seen. After the prediction, $x_t$ and $z_t$ are jointly Gaussian.
# Condition on $z_t$.


# %% exercise kalman_matrices
def kalman_matrices(m, P, z, F, Q, H, R):
    """Mean (d,) and covariance (d, d) of the state after one step and one measurement z (k,): a tuple (m, P)."""
    ### BEGIN SOLUTION
    m, P = F @ m, F @ P @ F.T + Q
    K = np.linalg.solve(H @ P @ H.T + R, H @ P).T
    return m + K @ (z - H @ m), P - K @ H @ P
    ### END SOLUTION


# %% check
check.kalman_matrices(kalman_matrices)

# %% hint [markdown]

# %% [markdown]
# Predict, then update:
#
# $$m^-=Fm,\qquad P^-=FPF^\top+Q \tag{28.10}$$
#
# $$K=P^-H^\top(HP^-H^\top+R)^{-1},\qquad m=m^-+K(z-Hm^-),\qquad P=(I-KH)P^- \tag{28.11}$$
#
# This is the Kalman filter. $P$ does not depend on the measurements. For the random walk the **gain** $K$ settles at
# the positive root of $K^2+\rho K=\rho$ with $\rho=q/r$:
#
# $$K=\frac{\sqrt{\rho^2+4\rho}-\rho}2 \tag{28.12}$$
#
# In the figure the true drift has $q=0.16$. Move what the filter believes. Where is its error smallest, and does the
# filter know when it is wrong?

# %%
explore.Tracker()

# %% [markdown]
# At $r=1$ and the true ratio the error is 0.377, a third of the measurements' own 1.125, and nowhere much smaller. A
# filter that believes in almost no drift averages nearly everything, and its error is 1.822. Its narrow band misses the
# truth 77% of the time, and the filter does not know: $P$ comes from the model alone. One that believes in much drift
# repeats the measurements.
#
# ## Conditional random fields
# A hidden Markov model explains the observations, and often we do not need that: they are given. A conditional random
# field models the labels alone, with any scores, which may look at all of $o$:
#
# $$p(q\mid o)=\frac{e^{S(q)}}{Z(o)},\qquad S(q)=\sum_tU_t(q_t)+\sum_{t\ge2}V(q_{t-1},q_t) \tag{28.13}$$
#
# It is **discriminative** where the hidden Markov model, $p(q,o)$, is **generative**.
#
# ## Spot the slip
# A formula from a hurried derivation, wrong in one place. Mend it, and give an input at which it fails.

# %% task crf_constant [markdown]
# > $$Z=\sum_ke^{U_1(k)}\cdot\prod_{t=2}^T\,\sum_{i,j}e^{V_{ij}+U_t(j)}$$
#
# Compute $\log Z$. Some scores are so large that $e^U$ overflows.


# %% exercise crf_constant
def crf_constant(U, V):
    """log Z for scores U (T, K) and V (K, K): a number."""
    ### BEGIN SOLUTION
    a = U[0]
    for t in range(1, len(U)):
        a = U[t] + np.logaddexp.reduce(a[:, None] + V, axis=0)
    return np.logaddexp.reduce(a)
    ### END SOLUTION


fails_at = ...  # a tuple (U, V)
### BEGIN SOLUTION
fails_at = ([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
### END SOLUTION

# %% check
check.crf_constant(crf_constant, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$a_1=U_1,\qquad a_t(j)=U_t(j)+\log\sum_ie^{a_{t-1}(i)+V_{ij}},\qquad\log Z=\log\sum_ke^{a_T(k)} \tag{28.14}$$
#
# It is the forward recursion again. With $U_t=\log b_t$, plus $\log\pi$ at the start, and $V=\log A$, $\log Z$ is
# $\log p(o)$. But scores need not be logarithms of probabilities, and $Z$ is one constant for the whole path. A model
# that normalises each step on its own lets a state with one way out ignore what is observed there: the label bias.

# %% task crf_slopes [markdown]
# To train the scores on a labelled sequence, climb $\log p(q\mid o)=S(q)-\log Z$. Give its derivatives with respect to
# all $U_t(k)$ and $V_{ij}$. `hm.crf_marginals(U, V)` returns the posteriors of the states, $(T,K)$, and of neighbouring
# pairs, $(T-1,K,K)$.


# %% exercise crf_slopes
def crf_slopes(q, U, V):
    """The derivatives of log p(q | o), for whole numbers q (T,): a tuple (dU, dV) of shapes (T, K) and (K, K)."""
    ### BEGIN SOLUTION
    states, pairs = hm.crf_marginals(U, V)
    dU, dV = -states, -pairs.sum(axis=0)
    for t in range(len(q)):
        dU[t, q[t]] += 1
        if t > 0:
            dV[q[t - 1], q[t]] += 1
    return dU, dV
    ### END SOLUTION


# %% check
check.crf_slopes(crf_slopes)

# %% hint [markdown]

# %% [markdown]
# $$\frac{\partial\log p(q\mid o)}{\partial U_t(k)}=[q_t{=}k]-P(q_t{=}k\mid o),\qquad
# \frac{\partial\log p(q\mid o)}{\partial V_{ij}}=\#(i\to j)-\sum_tP(q_{t-1}{=}i,q_t{=}j\mid o) \tag{28.15}$$
#
# What happened, minus what the model expected: the residual of logistic regression (notebook 12), for whole paths.
# Where the scores are themselves computed, as $w^\top f(q_{t-1},q_t,o)$ from features $f$, the chain rule leads on to
# $w$.

# %% task two_decoders [markdown]
# A colleague decodes a recording by taking the most probable state at every time. Another takes the most probable path.
# They disagree, and each says that the other's program is wrong. Explain in about 120 words, with an example from this
# notebook: what each of them maximises, why the answers can differ, and for which use you would take which.

# %% explain two_decoders [markdown]
# ### BEGIN SOLUTION
# The first maximises P(qₜ | o) for each t by itself, which makes the expected number of right states as large as
# possible. The second maximises p(q, o) over whole paths. They differ because γₜ adds up all paths through a state: the
# winner at one time and the winner at the next may owe their weight to different paths, and the step between them may
# be rare. For the symbols 0, 1, 1, 0 the states are 0, 1, 1, 0 and the path is 1, 1, 1, 1; for the traffic light the
# row of states even goes from green to red, which has probability zero. Neither program is wrong. I take the path where
# it must hang together, such as a sentence or a route, and the states where single mistakes are counted, such as the
# number of rolls with the loaded die.
#
# Marks: one point for what each maximises, one for why they differ, with an example, one for a use of each.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# In a chain the sum over all paths is one vector, carried from left to right; a maximum in place of the sum finds the
# best path, and a second vector from the right gives every state's posterior. Baum–Welch is EM with these posteriors,
# the Kalman filter the same recursion with Gaussians, and a conditional random field the same recursion with scores.
# Notebook 29 leaves inference and turns to decisions.
#
# *Text:* A. Lincoln, address at Gettysburg (1863). The rolls and the walk are simulated.

# %% symbols Graphical models and sequences [markdown]
# | $q_t$, $o_t$ | hidden state and observation at time $t$ | `q`, `o` |
# | $\pi$, $A$, $B$ | start, transitions and emissions of a hidden Markov model | `pi`, `A`, `B` |
# | $\alpha_t$, $\beta_t$, $\gamma_t$, $\xi_t$ | forward and backward messages; posteriors of states and of pairs of
# states | `forward`, `backward` |
# | $F$, $H$, $Q$, $R$ | motion, measurement and their noises in the Kalman filter | `F`, `H`, `Q`, `R` |
# | $m$, $P$, $K$ | mean and covariance of the belief; the gain | `m`, `P` |
