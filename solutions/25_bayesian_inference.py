# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can turn a prior and data into a posterior for coins, measurements and counts, predict from it, weigh
# two hypotheses by their evidence, and say what a prior can and cannot do.

# %%
import numpy as np

from mlcore import bayesian_inference as bayes
from mlcore.checks.bayesian_inference import check
from mlcore.explore import bayesian_inference as explore

# %% [markdown]
# ## See
# A coin falls heads six times in six tosses. Maximum likelihood says θ = 1: this coin never falls tails. But coins come
# from somewhere. Here is a mint whose coins are mostly near fair. We throw forty thousand of them six times each, and
# look at those that fell heads six times.

# %%
explore.Mint()

# %% [markdown]
# About 1100 coins did it, and none of them is a coin that cannot fall tails. Their θ have the mean 0.62. Whoever
# holds one of these coins does well to believe what the blue histogram says.
#
# ## Predict
# A friend knows nothing about mints. To her all θ between 0 and 1 were equally plausible. What should she expect
# of the coin after six heads in six tosses? Write a number down.
#
# ## Derive
# Before the data $D$ our belief about θ is a density $p(\theta)$, the **prior**. Bayes' rule makes it the
# **posterior**:
#
# $$p(\theta|D)=\frac{p(D|\theta)\,p(\theta)}{p(D)},\qquad p(D)=\int p(D|\theta)\,p(\theta)\,d\theta \tag{25.1}$$
#
# The denominator, the **evidence**, does not depend on θ. It only makes the area 1, so we may first forget it and write
# ∝ for "equal up to a constant". For coins a handy prior is
#
# $$\mathrm{Beta}(a,b):\quad p(\theta)=\frac{\theta^{a-1}(1-\theta)^{b-1}}{B(a,b)},\qquad
# B(a,b)=\int_0^1\theta^{a-1}(1-\theta)^{b-1}d\theta=\frac{\Gamma(a)\,\Gamma(b)}{\Gamma(a+b)}. \tag{25.2}$$
#
# The mint is Beta(10, 10), the friend is Beta(1, 1).
#
# ## Spot the slip
# This is how the derivation stands in well-meaning lecture notes. It is wrong in one place.

# %% task coin_posterior [markdown]
# > *With $m_1$ heads and $m_0$ tails,* $p(\theta|D)\propto\theta^{m_1}(1-\theta)^{m_0}\,\theta^{a-1}(1-\theta)^{b-1}$.
# > *Comparing this with the definition we see that the posterior is* $\mathrm{Beta}(m_0+a,\;m_1+b)$.
#
# Mend it, and give an input at which the printed version fails.


# %% exercise coin_posterior
def coin_posterior(a, b, m1, m0):
    """The two parameters of the posterior: a tuple, first the one that belongs to heads."""
    ### BEGIN SOLUTION
    return a + m1, b + m0
    ### END SOLUTION


fails_at = ...  # a tuple (a, b, m1, m0)
### BEGIN SOLUTION
fails_at = (2.0, 5.0, 4, 2)
### END SOLUTION

# %% check
check.coin_posterior(coin_posterior, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$\theta|D\sim\mathrm{Beta}(a+m_1,\;b+m_0) \tag{25.3}$$
#
# The posterior is a Beta again. A prior for which this happens is called **conjugate** to the likelihood. Conjugacy is
# a convenience, not a truth: an integral becomes two additions, exact and without sampling.

# %% task posterior_mean [markdown]
# Derive the mean of Beta$(a,b)$ from (25.2) and $\Gamma(t+1)=t\,\Gamma(t)$, and with it the mean of the posterior.


# %% exercise posterior_mean
def posterior_mean(a, b, m1, m0):
    """E[θ|D] after m1 heads and m0 tails, for the prior Beta(a, b): a number."""
    ### BEGIN SOLUTION
    return (a + m1) / (a + b + m1 + m0)
    ### END SOLUTION


# %% check
check.posterior_mean(posterior_mean)

# %% hint [markdown]

# %% [markdown]
# $$E[\theta|D]=\frac{a+m_1}{a+b+n},\qquad n=m_1+m_0 \tag{25.4}$$
#
# The prior acts like $a+b$ tosses seen before. Beta(2, 5) and HHHHTT give 6/13 = 0.4615; the printed slip would
# give 4/13 = 0.3077. The mint and six heads give 16/26 = 0.615, as the histogram said. The friend, with
# Beta(1, 1), should expect 7/8. Sorted by source, the mean is a weighted average:
#
# $$E[\theta|D]=\omega\,\frac a{a+b}+(1-\omega)\,\frac{m_1}n,\qquad\omega=\frac{a+b}{a+b+n} \tag{25.5}$$
#
# ## Explore
# A coin that is thrown up to fifty times, and a prior to choose. The first six tosses are HHHHTT.
#
# 1. Make a prior that expects tails, $a=2$, $b=10$. After how many tosses does the posterior mean exceed ½?
# 2. Compare Beta(1, 1), Beta(2, 2) and Beta(20, 20): what changes at $n=0$, and what at $n=50$?

# %%
explore.Belief()

# %% [markdown]
# With Beta(2, 10) it takes 37 tosses. The three symmetric priors have the same mean and different strengths, 2, 4 and
# 40 tosses: after fifty tosses the first two nearly agree, 0.654 and 0.648, and the third lags at 0.589. With
# Beta(2, 2) and HHHHTT the posterior has the mean 0.6, and θ lies in (0.299, 0.863) with probability 95%.

# %% task posterior_mode [markdown]
# Some quote the top of the posterior, its **mode**, also called the maximum a posteriori or MAP estimate. Find it, for
# $a+m_1>1$ and $b+m_0>1$.


# %% exercise posterior_mode
def posterior_mode(a, b, m1, m0):
    """The θ at which the posterior density is largest: a number."""
    ### BEGIN SOLUTION
    return (a + m1 - 1) / (a + b + m1 + m0 - 2)
    ### END SOLUTION


# %% check
check.posterior_mode(posterior_mode)

# %% hint [markdown]

# %% [markdown]
# $$\arg\max_\theta p(\theta|D)=\frac{a+m_1-1}{a+b+n-2} \tag{25.6}$$
#
# For Beta(2, 2) and HHHHTT it is 0.625. With the flat prior Beta(1, 1) the mode is $m_1/n$, the maximum likelihood
# estimate. For any prior (25.4) and (25.6) both tend to it as $n$ grows.

# %% task two_more_heads [markdown]
# Prediction: after the data, what is the probability that the next *two* tosses are both heads? For a known θ it would
# be $\theta^2$.


# %% exercise two_more_heads
def two_more_heads(a, b, m1, m0):
    """The probability of two heads in the next two tosses, given m1 heads and m0 tails: a number."""
    ### BEGIN SOLUTION
    A, n = a + m1, a + b + m1 + m0
    return A / n * (A + 1) / (n + 1)
    ### END SOLUTION


# %% check
check.two_more_heads(two_more_heads)

# %% hint [markdown]

# %% [markdown]
# $$E[\theta^2|D]=\frac{a+m_1}{a+b+n}\cdot\frac{a+m_1+1}{a+b+n+1} \tag{25.7}$$
#
# For the friend after six heads this is 7/8 · 8/9 = 0.778, more than $(7/8)^2=0.766$. Inserting an estimate treats it
# as the truth; averaging over the posterior keeps the doubt.
#
# ## What the denominator is good for

# %% task coin_evidence [markdown]
# The evidence $p(D)$ is the probability that prior and coin together gave to this sequence before it was seen.
# Compute its logarithm. `bayes.log_beta(a, b)` is $\log B(a,b)$.


# %% exercise coin_evidence
def coin_evidence(a, b, m1, m0):
    """log p(D) for one sequence with m1 heads and m0 tails, under the prior Beta(a, b): a number."""
    ### BEGIN SOLUTION
    return bayes.log_beta(a + m1, b + m0) - bayes.log_beta(a, b)
    ### END SOLUTION


# %% check
check.coin_evidence(coin_evidence)

# %% hint [markdown]

# %% [markdown]
# $$p(D)=\frac{B(a+m_1,b+m_0)}{B(a,b)} \tag{25.8}$$
#
# Two hypotheses about HHHHTT: the coin is exactly fair, or any θ is equally plausible.

# %%
np.array([0.5**6, np.exp(bayes.coin_log_evidence(1, 1, 4, 2))]).round(5)

# %% [markdown]
# The fair coin wins by a factor of 1.64, although θ = 2/3 has a larger likelihood, 0.0219. The flat prior pays for all
# the coins that fit badly. Evidence is an average, so freedom that is not needed costs.
#
# ## A measured quantity
# In 1797 and 1798 Henry Cavendish measured the density of the Earth 29 times. We treat his values as
# $x_i\sim N(\theta,\sigma^2)$ with a known σ = 0.22, and our belief before them as $\theta\sim N(\mu_0,\sigma_0^2)$.
# Likelihood times prior is $e$ to the power of line 1, times factors without θ.

# %% task complete_square [markdown]
# Where is the posterior's top, and how wide is it? One square that holds θ would tell, and line 1 has $n+1$ of them.
# Every line is a function of the same variables, and returns the pieces of the formula: put together, they have the
# value of the line before.


# %%
def line_1(theta, x, mu0, sigma0, sigma):
    """The exponent of likelihood times prior."""
    return -np.sum((x - theta) ** 2) / (2 * sigma**2) - (theta - mu0) ** 2 / (2 * sigma0**2)


# %% exercise complete_square
def line_2(theta, x, mu0, sigma0, sigma):
    """Line 1 multiplied out: (quadratic, linear, constant), three numbers whose sum is line 1."""
    ### BEGIN SOLUTION
    quadratic = -len(x) * theta**2 / (2 * sigma**2) - theta**2 / (2 * sigma0**2)
    linear = theta * np.sum(x) / sigma**2 + theta * mu0 / sigma0**2
    return quadratic, linear, -np.sum(x**2) / (2 * sigma**2) - mu0**2 / (2 * sigma0**2)
    ### END SOLUTION


def line_3(theta, x, mu0, sigma0, sigma):
    """Line 2 as −½Aθ² + Bθ + C: (A, B, C), three numbers without θ."""
    ### BEGIN SOLUTION
    A = len(x) / sigma**2 + 1 / sigma0**2
    B = np.sum(x) / sigma**2 + mu0 / sigma0**2
    return A, B, -np.sum(x**2) / (2 * sigma**2) - mu0**2 / (2 * sigma0**2)
    ### END SOLUTION


def line_4(theta, x, mu0, sigma0, sigma):
    """Line 3 as −½A(θ − m)² + extra + C: (m, extra), two numbers without θ."""
    ### BEGIN SOLUTION
    A, B, _ = line_3(theta, x, mu0, sigma0, sigma)
    return B / A, B**2 / (2 * A)
    ### END SOLUTION


# %% check
check.complete_square(line_2, line_3, line_4)

# %% hint [markdown]

# %% task gaussian_posterior [markdown]
# The exponent is a square in θ, so the posterior is a Gaussian. Which one?


# %% exercise gaussian_posterior
def gaussian_posterior(x, mu0, sigma0, sigma):
    """A tuple (mean, var) of θ after the measurements x of shape (n,)."""
    ### BEGIN SOLUTION
    var = 1 / (1 / sigma0**2 + len(x) / sigma**2)
    return var * (mu0 / sigma0**2 + np.sum(x) / sigma**2), var
    ### END SOLUTION


# %% check
check.gaussian_posterior(gaussian_posterior)

# %% hint [markdown]

# %% [markdown]
# $$\frac1{\sigma_n^2}=\frac1{\sigma_0^2}+\frac n{\sigma^2} \tag{25.9}$$
#
# $$\mu_n=\sigma_n^2\Big(\frac{\mu_0}{\sigma_0^2}+\frac{\sum_ix_i}{\sigma^2}\Big) \tag{25.10}$$
#
# The inverse of a variance is called **precision**. Precisions add, and the mean averages prior and data with their
# precisions as weights. For $\mu_0=0$, $\sigma_0=2$, $\sigma=1$ and $x=(1,2,1.5)$:

# %%
np.array(bayes.gaussian_posterior(np.array([1.0, 2.0, 1.5]), mu0=0, sigma0=2, sigma=1)).round(4)

# %% [markdown]
# Beside the square, line 4 has $\frac{B^2}{2A}+C$, which is
# $-\frac{(\bar x-\mu_0)^2}{2(\sigma_0^2+\sigma^2/n)}$ and a term without $\mu_0$. It belongs to the evidence, and says
# what the prior expected of the mean of $n$ values:
#
# $$\bar x\sim N\Big(\mu_0,\ \sigma_0^2+\frac{\sigma^2}n\Big) \tag{25.11}$$
#
# ## Explore
# Newton had guessed five to six times the density of water. Hutton had concluded 4½ from the pull of a mountain.
# The figure starts from Hutton's value.
#
# 1. With $\sigma_0=0.2$, how many measurements bring the posterior mean above 5.3? And with $\sigma_0=0.05$?
# 2. Set $\mu_0$ to Newton's 5.5. Does $\sigma_0$ still matter at $n=29$?

# %%
explore.Earth()

# %% [markdown]
# Eleven with σ₀ = 0.2; with σ₀ = 0.05 all 29 are not enough, 5.07. A narrow prior is a claim to have measured already,
# here (0.22/0.05)² ≈ 19 times. From 5.5 every $\sigma_0$ ends between 5.44 and 5.47: prior and data agree, so their
# weights hardly matter. And which prior had foreseen $\bar x=5.448$? By (25.11), with $\sigma_0=0.25$ for both,

# %%
newton, hutton = (bayes.mean_log_evidence(explore.CAVENDISH, mu0, 0.25, explore.NOISE) for mu0 in (5.5, 4.5))
float(np.exp(newton - hutton).round())

# %% [markdown]
# Newton's, by a factor of about a thousand.

# %% task measurement_stream [markdown]
# Cavendish did not get his values at once. After each one the posterior takes the role of the prior:
#
# $$p(\theta|x_1,\dots,x_n)\propto p(x_n|\theta)\;p(\theta|x_1,\dots,x_{n-1}) \tag{25.12}$$
#
# Follow the belief, one measurement at a time.


# %% exercise measurement_stream
def measurement_stream(x, mu0, sigma0, sigma):
    """Mean and variance of θ after each measurement: shape (n, 2), one row for each."""
    ### BEGIN SOLUTION
    mu, var, rows = mu0, sigma0**2, []
    for value in x:
        new = 1 / (1 / var + 1 / sigma**2)
        mu = new * (mu / var + value / sigma**2)
        var = new
        rows.append([mu, var])
    return np.array(rows)
    ### END SOLUTION


# %% check
check.measurement_stream(measurement_stream)

# %% hint [markdown]

# %% task any_order [markdown]
# Suppose he had got the same 29 values in another order. Compared with his, the last posterior would be

# %% exercise any_order
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "a", "ii"
### END SOLUTION

# %% check
check.any_order(choice, reason)

# %% hint [markdown]

# %% [markdown]
# ## Explore
# Thirty orders of the 29 values, the first being Cavendish's.
#
# 1. How far apart are two orders on the way, and at the end?
# 2. Does the band around the mean depend on the order?

# %%
explore.Orders()

# %% [markdown]
# On the way the means differ from Cavendish's by a tenth to three tenths, at the end by nothing: all 29 at once give
# the same. The width of the band is the same in every order, since by (25.9) it depends only on how many values there
# were, not on which.
#
# ## Counts, and more than two sides

# %% task count_mean [markdown]
# Accidents, calls and decays come as counts, $x_i\sim\mathrm{Poisson}(\lambda)$ with
# $p(x|\lambda)=\lambda^xe^{-\lambda}/x!$. The conjugate prior is the Gamma density,
# $p(\lambda)\propto\lambda^{a-1}e^{-b\lambda}$, with the *rate* $b$ and the mean $a/b$. (Some texts, and numpy, use the
# scale $1/b$.) What is the mean of λ after $n$ counts?


# %% exercise count_mean
def count_mean(x, a, b):
    """E[λ|x] for counts x of shape (n,) and the prior Gamma(a, rate b): a number."""
    ### BEGIN SOLUTION
    return (a + np.sum(x)) / (b + len(x))
    ### END SOLUTION


# %% check
check.count_mean(count_mean)

# %% hint [markdown]

# %% [markdown]
# $$\lambda|x\sim\mathrm{Gamma}\Big(a+\sum_ix_i,\ \text{rate } b+n\Big) \tag{25.13}$$
#
# Gamma(3, rate 2) and five counts with the sum 12 give 15/7 ≈ 2.14.

# %% task dirichlet_mean [markdown]
# A die has $K$ sides with probabilities $\theta_1,\dots,\theta_K$. The Beta grows into the **Dirichlet** density,
# $p(\theta)\propto\prod_k\theta_k^{a_k-1}$. What is the mean of θ after $m_k$ throws of side $k$?


# %% exercise dirichlet_mean
def dirichlet_mean(a, m):
    """E[θ|m]; a and m have shape (K,), and so has the result."""
    ### BEGIN SOLUTION
    return (a + m) / np.sum(a + m)
    ### END SOLUTION


# %% check
check.dirichlet_mean(dirichlet_mean)

# %% hint [markdown]

# %% [markdown]
# $$E[\theta_k|m]=\frac{a_k+m_k}{\sum_j(a_j+m_j)} \tag{25.14}$$
#
# A side that has never come up keeps a positive probability. With all $a_k=1$ this is called Laplace smoothing.
#
# | data | unknown | conjugate prior | the data add |
# |---|---|---|---|
# | tosses | θ | Beta(a, b) | heads to a, tails to b |
# | throws of a die | θ₁, …, θ_K | Dirichlet(a) | the count of each side to its aₖ |
# | counts | λ | Gamma(a, rate b) | their sum to a, their number to b |
# | Gaussian values, σ known | mean | Gaussian | precision 1/σ² each |
# | Gaussian values, mean known | variance | inverse Gamma(a, b) | ½ each to a, ½(x − μ)² each to b |
#
# ## Break it
# Data overcome a prior, but how stubborn may it be?

# %% task closed_mind [markdown]
# Only the five coins with θ = 0.1, 0.3, 0.5, 0.7 and 0.9 exist. Give a prior, every probability above 0 and their sum 1
# up to $10^{-9}$, under which 50 heads in 50 tosses still leave the coin 0.9 with a posterior probability below ½.

# %% exercise closed_mind
prior = ...  # five numbers
### BEGIN SOLUTION
prior = np.array([0.25, 0.25, 0.25, 0.25 - 1e-7, 1e-7])
### END SOLUTION

# %% check
check.closed_mind(prior)

# %% hint [markdown]

# %% [markdown]
# If 0.7 is to stay ahead, its prior odds against 0.9 must exceed $(0.9/0.7)^{50}\approx287{,}000$ to one, and ten more
# heads would overcome twelve times that. A prior of exactly 0 no data overcome, since 0 times any likelihood is 0:

# %%
coins = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
bayes.bayes([0.25, 0.25, 0.25, 0.25, 0.0], coins**1000).round(3)

# %% [markdown]
# A thousand heads, and the belief is now certain of a coin that falls heads seven times in ten. So leave every
# possibility a little probability.

# %% task two_panels [markdown]
# A new treatment cures 9 of 10 patients. One panel starts from Beta(1, 1), another from Beta(30, 30). Explain in about
# 120 words, with (25.4) and (25.5): what each panel now expects, why they differ, when they will agree, and whether the
# ease of computing with a Beta is a reason to believe in one.

# %% explain two_panels [markdown]
# ### BEGIN SOLUTION
# The first panel expects (1 + 9)/(2 + 10) = 0.83 cures per patient, the second (30 + 9)/(60 + 10) = 0.56. A prior
# Beta(a, b) acts like a + b patients seen before: two against sixty, so its weight in the mean is 2/12 here and 60/70
# there. As patients come in, both weights (a + b)/(a + b + n) tend to zero and the means meet at the share of
# cures; only a prior that rules out the truth would never get there. The Beta is conjugate: the posterior is a Beta
# again, and sums take the place of integrals. That makes it convenient. Whether sixty imagined patients are justified
# is a question about earlier trials, not about algebra; other priors can be tried, and their evidences compared.
#
# Marks: one point for both means and the prior as patients seen before, one for the vanishing weights, one for
# convenience against belief.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A posterior is likelihood times prior, divided by the evidence. For conjugate pairs the data only add to the prior's
# parameters: counts to $a$ and $b$, precisions to precisions; in any order, one by one or all at once. The evidence,
# the average likelihood under the prior, compares hypotheses. Notebook 26 does the same for regression weights.
#
# *Data:* Cavendish, *Experiments to determine the density of the Earth*, Philosophical Transactions 88 (1798). The
# mint and the trial are invented.

# %% symbols Probability and estimation [markdown]
# | $\mathrm{Beta}(a,b)$ | prior of a probability; $a$ belongs to $m_1$ | `a`, `b` |
# | $\mu_0,\sigma_0$; $\mu_n,\sigma_n$ | mean and spread of the belief before and after $n$ measurements | `mu0`,
# `sigma0` |
