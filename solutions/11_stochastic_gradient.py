# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can read stochastic gradient descent as an average, compute its bias and its variance exactly for any
# schedule of steps, say which steps are too large and which shrink too fast, and know what a larger batch buys.

# %%
import numpy as np

from mlcore import stochastic_gradient as sg
from mlcore.checks.stochastic_gradient import check
from mlcore.data import load
from mlcore.explore import stochastic_gradient as explore

# %% [markdown]
# ## See
# Least squares on the diabetes data, by gradient descent from $w=0$. One run takes all 442 patients for each step. The
# other runs take a step after every single patient, drawn at random, and pretend that its gradient is the whole one.

# %%
explore.Passes()

# %% [markdown]
# After a quarter of a pass the steps from single patients have come further than the first full step does after a whole
# one. Then they stop: from the first pass to the twentieth the error stays near 150, while the full gradient overtakes
# in the fourth pass. A step ten times smaller, after ten passes, makes the error fall again.

# %% [markdown]
# How wrong is a single patient? Here is what each of them says about body mass index at the start, $w=0$: the mean,
# the standard deviation, and the share of patients who would step in the opposite direction.

# %%
X, y = load("diabetes").standardised()
bmi = load("diabetes").features.index("bmi")
single = -2 * X[:, bmi] * y
np.round([single.mean(), single.std(), np.mean(single > 0)], 1)

# %% [markdown]
# ## Predict
# The standard deviation is almost twice the mean, and three patients in ten point the wrong way. A step that stays the
# same never settles, so let the steps shrink: ½, ⅓, ¼, … or, to be safer, ¼, ⅑, 1/16, … Which of the two reaches the
# minimum? Decide before you go on.

# %% [markdown]
# ## Derive
# Stochastic gradient descent steps along a random $g_t$ whose mean is the gradient:
#
# $$w_{t+1}=w_t-\eta_tg_t,\qquad \mathbb E[g_t\mid w_t]=\nabla L(w_t) \tag{11.1}$$
#
# To see all of it exactly we take the smallest problem there is, the mean of a random number. The loss
# $L(\theta)=\frac12\mathbb E(\theta-y)^2$ is smallest at $\theta^*=\mathbb Ey$. One draw $y_t$ gives the gradient
# $\theta_t-y_t$, which is right on average, and the step becomes
#
# $$\theta_{t+1}=(1-\eta_t)\,\theta_t+\eta_ty_t. \tag{11.2}$$
#
# So every step averages what we believe with what we have just seen. The steps say how.

# %% task sgd_average [markdown]
# Take $\eta_t=\frac1{t+2}$: first ½, then ⅓, then ¼. Write out $\theta_1,\theta_2,\theta_3$ on paper, guess
# $\theta_t$, and compute it from $\theta_0$ and the draws $y_0,\dots,y_{t-1}$.


# %% exercise sgd_average
def sgd_average(theta0, y):
    """θ_t after t = len(y) steps of (11.2) with η_t = 1/(t + 2): a number."""
    ### BEGIN SOLUTION
    return (theta0 + np.sum(y)) / (len(y) + 1)
    ### END SOLUTION


# %% check
check.sgd_average(sgd_average)

# %% hint [markdown]

# %% [markdown]
# $$\theta_t=\frac{\theta_0+y_0+\dots+y_{t-1}}{t+1} \tag{11.3}$$
#
# It holds at $t=0$, and if it holds at $t$, then also at $t+1$:
# $\frac{t+1}{t+2}\cdot\frac{\theta_0+\dots+y_{t-1}}{t+1}+\frac{y_t}{t+2}=\frac{\theta_0+\dots+y_t}{t+2}$.
# The start counts as one more draw.

# %% task sgd_decaying_parts [markdown]
# The draws are independent with variance $\sigma^2$. The start is independent of them; it has the bias
# $b_0=\mathbb E\theta_0-\theta^*$ and the variance $\sigma_0^2$. Give the bias and the variance of $\theta_t$.


# %% exercise sgd_decaying_parts
def sgd_decaying_parts(t, b0, sigma0, sigma):
    """Bias and variance of θ_t for η_t = 1/(t + 2): a tuple of two numbers."""
    ### BEGIN SOLUTION
    return b0 / (t + 1), (sigma0**2 + t * sigma**2) / (t + 1) ** 2
    ### END SOLUTION


# %% check
check.sgd_decaying_parts(sgd_decaying_parts)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{bias}(\theta_t)=\frac{b_0}{t+1},\qquad\mathrm{Var}(\theta_t)=\frac{\sigma_0^2+t\sigma^2}{(t+1)^2}
# \tag{11.4}$$

# %% [markdown]
# ## Spot the slip
# Two formulas as printed in well-meaning lecture notes. Each is wrong in one place. Mend it, and give an input at which
# the printed version fails. The first can be mended with what you have just derived.

# %% task sgd_mse [markdown]
# > *The overall mean squared error $\displaystyle\mathbb E(\theta_t-\theta^*)^2$ is
# > $\displaystyle\frac{\sigma^2}{t+1}+\frac{b_0^2+\sigma_0^2}{(t+1)^2}$.*


# %% exercise sgd_mse
def sgd_mse(t, b0, sigma0, sigma):
    """E(θ_t − θ*)² for η_t = 1/(t + 2)."""
    ### BEGIN SOLUTION
    return (t * sigma**2 + sigma0**2 + b0**2) / (t + 1) ** 2
    ### END SOLUTION


fails_at = ...  # a tuple (t, b0, sigma0, sigma)
### BEGIN SOLUTION
fails_at = (0, 3.0, 0.5, 2.0)
### END SOLUTION

# %% check
check.sgd_mse(sgd_mse, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{MSE}(\theta_t)=\frac{t\sigma^2+\sigma_0^2+b_0^2}{(t+1)^2} \tag{11.5}$$
#
# A simulation decides between the two. We start 100 000 runs with $b_0=3$, $\sigma_0=\frac12$ and $\sigma=2$, let each
# draw its own numbers about $\theta^*=1$, and list the simulated error, (11.5) and the printed formula for
# $t=0,\dots,3$.

# %%
rng = np.random.default_rng(0)
start = 1 + 3 + 0.5 * rng.normal(size=100_000)
runs = sg.sgd(start, lambda theta, rng: theta - (1 + 2 * rng.normal(size=theta.shape)), [1 / 2, 1 / 3, 1 / 4], rng)
np.array(
    [
        [np.mean((theta - 1) ** 2), sg.decaying_mse(t, 3, 0.5, 2), 4 / (t + 1) + (9 + 0.25) / (t + 1) ** 2]
        for t, theta in enumerate(runs)
    ]
).round(2)

# %% [markdown]
# The error tends to zero like $\sigma^2/t$. By Chebyshev's inequality,
# $\Pr(|\theta_t-\theta^*|\ge\varepsilon)\le\mathrm{MSE}(\theta_t)/\varepsilon^2$, a run far from $\theta^*$ becomes as
# improbable as we like: $\theta_t$ converges to $\theta^*$ *in probability*.

# %% [markdown]
# ## The step stays the same
# In practice the step is often a constant $c$ between 0 and 1. Unrolled, $\theta_t$ is again a weighted mean of the
# start and the draws. The second slip is in its weights.

# %% task sgd_weights [markdown]
# > *$\displaystyle\theta_t=(1-c)^t\,\theta_0+\sum_{i=0}^{t-1}c\,(1-t)^i\,y_{t-1-i}$.*
#
# The sum begins with the latest draw, $y_{t-1}$. Which weights belong there? Give all of them in this order.


# %% exercise sgd_weights
def sgd_weights(c, t):
    """The weights of y_{t−1}, y_{t−2}, …, y₀ in θ_t for η_t = c: shape (t,)."""
    ### BEGIN SOLUTION
    return c * (1 - c) ** np.arange(t)
    ### END SOLUTION


breaks_at = ...  # a tuple (c, t)
### BEGIN SOLUTION
breaks_at = (0.2, 6)
### END SOLUTION

# %% check
check.sgd_weights(sgd_weights, breaks_at)

# %% hint [markdown]

# %% [markdown]
# $$\theta_t=(1-c)^t\,\theta_0+\sum_{i=0}^{t-1}c\,(1-c)^i\,y_{t-1-i} \tag{11.6}$$
#
# All weights together give 1. With $\frac1{t+2}$ every draw counts the same for ever; with a constant step the old
# ones fade, and so does the start: its bias is multiplied by $1-c$ in every step.
#
# For any schedule, (11.2) gives bias and variance from step to step, because $y_t$ is independent of $\theta_t$:
#
# $$b_{t+1}=(1-\eta_t)\,b_t,\qquad V_{t+1}=(1-\eta_t)^2\,V_t+\eta_t^2\,\sigma^2 \tag{11.7}$$

# %% task constant_variance [markdown]
# For $\eta_t=c$ the loop for $V$ has a closed form. Derive it, with the proof of the geometric sum on the way. Every
# line is a function of the same variables and returns the pieces of the same variance.


# %%
def line_1(c, t, sigma0, sigma):
    """The variance, step by step: equation (11.7) with η = c."""
    V = sigma0**2
    for _ in range(t):
        V = (1 - c) ** 2 * V + c**2 * sigma**2
    return V


# %% exercise constant_variance
def line_2(c, t, sigma0, sigma):
    """Line 1 as start + Σ draws: (start, draws), a number and shape (t,), the latest draw first."""
    ### BEGIN SOLUTION
    a = (1 - c) ** 2
    return a**t * sigma0**2, c**2 * sigma**2 * a ** np.arange(t)
    ### END SOLUTION


def line_3(c, t, sigma0, sigma):
    """Line 2 as start + factor · Σᵢ (powersᵢ − powersᵢ₊₁): (start, factor, powers), two numbers and shape (t + 1,)."""
    ### BEGIN SOLUTION
    start, _ = line_2(c, t, sigma0, sigma)
    a = (1 - c) ** 2
    return start, c**2 * sigma**2 / (1 - a), a ** np.arange(t + 1)
    ### END SOLUTION


def line_4(c, t, sigma0, sigma):
    """Line 3 as start + factor · (first − last), with no sum: (start, factor, first, last), four numbers."""
    ### BEGIN SOLUTION
    start, factor, powers = line_3(c, t, sigma0, sigma)
    return start, factor, powers[0], powers[t]
    ### END SOLUTION


# %% check
check.constant_variance(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# Line 4 is the variance for a constant step, and (11.7) gives the bias:
#
# $$\mathrm{bias}(\theta_t)=(1-c)^t\,b_0,\qquad
# \mathrm{Var}(\theta_t)=(1-c)^{2t}\sigma_0^2+c^2\sigma^2\,\frac{1-(1-c)^{2t}}{1-(1-c)^2}. \tag{11.8}$$

# %% task sgd_floor [markdown]
# The bias fades faster than any power of $\frac1t$. What does the variance tend to as $t\to\infty$, for $0<c<1$?


# %% exercise sgd_floor
def sgd_floor(c, sigma):
    """The limit of Var θ_t for η_t = c: a number."""
    ### BEGIN SOLUTION
    return c * sigma**2 / (2 - c)
    ### END SOLUTION


# %% check
check.sgd_floor(sgd_floor)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{Var}(\theta_t)\to\frac{c\,\sigma^2}{2-c} \tag{11.9}$$
#
# The runs of the first figure stop at such a floor. Here it is 0.0526 σ² for $c=0.1$ and a third of σ² for
# $c=\frac12$. For small $c$ it is nearly $c\sigma^2/2$: a tenth of the step leaves a tenth of the noise.

# %% task constant_limit [markdown]
# The bias tends to 0. Does $\theta_t$ converge in probability to $\theta^*$ for a constant step?

# %% exercise constant_limit
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "iii"
### END SOLUTION

# %% check
check.constant_limit(choice, reason)

# %% hint [markdown]

# %% [markdown]
# A constant step follows every new draw by the same share, early and late. To forget the start the steps should be
# large, to settle they should be small.
#
# ## Explore
# Three schedules that begin with the same step:
#
# $$\eta_t=c\qquad\text{or}\qquad\eta_t=\frac c{1+ct}\qquad\text{or}\qquad\eta_t=\frac c{\sqrt{1+t}} \tag{11.10}$$
#
# At $c=\frac12$ the second is $\frac1{t+2}$. All runs start four standard deviations away from $\theta^*=0$. The two
# blue lines enclose the mean plus and minus one standard deviation, by (11.7); for a constant step they end at
# $\pm\sqrt{c\sigma^2/(2-c)}$.
#
# 1. For the constant step, how many steps does it take to forget nine tenths of the start at c = 0.3, and at c = 0.02?
#    What does the second gain?
# 2. At c = 0.1, and then at c = 0.02, which of the three schedules has the smallest error after 200 steps?

# %%
explore.Steps()

# %% [markdown]
# At c = 0.3 seven steps are enough, at c = 0.02 it takes 114, and the standard deviation that remains is 0.1 instead of
# 0.42. At c = 0.1 the schedule $1/t$ ends lowest, with 0.034 against 0.053 for the constant step. At c = 0.02 the order
# is reversed: the constant step ends at 0.015, $1/t$ at 0.62 and $1/\sqrt t$ at 5.5. A step that begins small and then
# shrinks takes very long to get away from the start. Decaying steps are safe against noise, not against a bad first
# step.

# %% [markdown]
# ## Break it
# If small steps are good in the end, smaller ones might be better: $\eta_t=\frac1{(t+2)^2}$. The variance stays tiny.

# %% task sgd_stuck [markdown]
# What is the bias after $t$ of these steps? The first two are ¼ and ⅑.


# %% exercise sgd_stuck
def sgd_stuck(t, b0):
    """The bias of θ_t for η_t = 1/(t + 2)²: a number."""
    ### BEGIN SOLUTION
    k = np.arange(t)
    return b0 * np.prod(1 - 1 / (k + 2) ** 2)
    ### END SOLUTION


# %% check
check.sgd_stuck(sgd_stuck)

# %% hint [markdown]

# %% [markdown]
# $$b_t=b_0\prod_{k=0}^{t-1}\frac{(k+1)(k+3)}{(k+2)^2}=b_0\,\frac{t+2}{2(t+1)} \tag{11.11}$$
#
# Half of the start's error stays for ever. A start at 4 looks like this after 10, 100 and 1000 steps, and below it what
# $\frac1{t+2}$ makes of it:

# %%
t = np.arange(1000)
np.array([sg.parts(etas, 4, 0, 1)[0][[10, 100, 1000]] for etas in (1 / (t + 2) ** 2, 1 / (t + 2))]).round(3)

# %% [markdown]
# The steps $\frac1{(t+2)^2}$ add up to a finite number, less than 0.65: all of them together cannot go far enough. A
# schedule that converges needs steps that tend to 0 and still add up to infinity.

# %% [markdown]
# ## Batches
# Between one patient and all of them there is the batch $B$: $m$ patients, drawn at random. We return to least squares,
# with the mean squared error $L(w)=\frac1n\lVert Xw-y\rVert^2$.

# %% task batch_gradient [markdown]
# Compute the gradient on a batch so that its mean over all batches is $\nabla L(w)$.


# %% exercise batch_gradient
def batch_gradient(w, X, y, batch):
    """The gradient of the mean squared error on the rows whose numbers are in batch, shape (m,): shape (d,)."""
    ### BEGIN SOLUTION
    return 2 * X[batch].T @ (X[batch] @ w - y[batch]) / len(batch)
    ### END SOLUTION


# %% check
check.batch_gradient(batch_gradient)

# %% hint [markdown]

# %% [markdown]
# $$g=\frac2m\sum_{i\in B}x_i\,(x_i^\top w-y_i) \tag{11.12}$$
#
# Every patient is equally likely to be in the batch, so the mean of $g$ is the full gradient. In practice the patients
# are shuffled and cut into batches, and a pass through all of them is called an epoch. A batch then contains no patient
# twice: it is drawn without replacement.

# %% task batch_noise [markdown]
# Look at one entry of the gradient. Patient $i$ alone would give $v_i$; the mean of these $n$ numbers is what we want,
# and $s^2=\frac1n\sum_i(v_i-\bar v)^2$ is their variance. What is the variance of the mean of $m$ of them, drawn
# *without* replacement? Think of $m=1$ and of $m=n$ first.


# %% exercise batch_noise
def batch_noise(v, m):
    """The variance of the mean of m of the n numbers v, drawn without replacement: a number."""
    ### BEGIN SOLUTION
    n = len(v)
    return np.var(v) / m * (n - m) / (n - 1)
    ### END SOLUTION


# %% check
check.batch_noise(batch_noise)

# %% hint [markdown]

# %% [markdown]
# Without replacement two members of a batch are not independent. All $n$ numbers together have the constant sum
# $n\bar v$, so $0=ns^2+n(n-1)\,\mathrm{Cov}$, and two of them have the covariance $-s^2/(n-1)$. The mean of $m$ has
# the variance $\frac1{m^2}\big(ms^2+m(m-1)\mathrm{Cov}\big)$:
#
# $$\mathrm{Var}=\frac{s^2}m\ \text{ with replacement,}\qquad
# \mathrm{Var}=\frac{s^2}m\cdot\frac{n-m}{n-1}\ \text{ without} \tag{11.13}$$

# %% [markdown]
# ## Explore
# The entry of the first gradient that belongs to body mass index, from 600 batches of each kind.
#
# 1. From which batch size on can you tell the two kinds apart?
# 2. How many patients does it take to halve the standard deviation of a single one? To halve it again?

# %%
explore.Batches()

# %% [markdown]
# With a tenth of the patients, $m=44$, the variances differ by a tenth; with half of them by a half; with all of them
# one is zero. For a few dozen out of many thousands the factor is nearly 1. Four patients then halve the standard
# deviation of one, and the next halving takes sixteen. That is why batches are small: a step pays in full for every
# patient, and gains only the root.

# %% task step_drop [markdown]
# A network is trained with a constant step. Its error falls, then stays level for a long time. The step is divided by
# ten, and within a short time the error falls to a second, lower level. A colleague concludes that the small step
# should have been used from the beginning. Explain in about 120 words, with the bias and the variance of a constant
# step: why the first level, why the second fall, and what is wrong with the conclusion.

# %% explain step_drop [markdown]
# ### BEGIN SOLUTION
# With a constant step c the bias fades like (1 − c)ᵗ: this is the first fall. The variance does not fade. It rises to
# its floor cσ²/(2 − c), where new noise enters as fast as old noise is forgotten, and the error stays level however
# long we wait. A step of c/10 has a floor that is about ten times lower. The variance above it is a start's variance
# for the new step and fades like (1 − c/10)²ᵗ, which gives the second fall. From the beginning the small step would
# have had the same low floor, but the bias would have faded like (1 − c/10)ᵗ, which takes about ten times as many
# steps. First large, then small gets both.
#
# Marks: one point for the bias and the floor, one for the second fall, one for the slow bias of the small step.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A stochastic step averages what is believed with what has just been seen, and the schedule says with which weights.
# A constant step forgets its start exponentially fast and keeps the variance $c\sigma^2/(2-c)$; steps like $1/t$ bring
# both bias and variance to zero, and steps like $1/t^2$ stop on the way. A batch of $m$ divides the variance by $m$,
# and a little more without replacement.
#
# *Data:* Efron, Hastie, Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004).

# %% symbols Optimisation [markdown]
# | $B$, $m$ | a batch of points; how many it has | `batch`, `m` |
