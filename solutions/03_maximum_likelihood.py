# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can write down a likelihood, derive the estimates that maximise it for coins, Gaussians, regressions
# and intervals, recognise when there is no maximum, and say how far an estimate can be trusted.

# %%
import numpy as np

from mlcore import maximum_likelihood as ml
from mlcore.checks.maximum_likelihood import check
from mlcore.data import load
from mlcore.explore import maximum_likelihood as explore

# %% [markdown]
# ## See
# Fifty flowers of the species *Iris versicolor*, and the lengths of their petals. Suppose that they were drawn from a
# bell curve. From which one?

# %%
explore.Flowers()

# %% [markdown]
# All three curves could have made these flowers: none of them is zero anywhere. Curve 1 seems to lie too far to the
# left, curve 3 spends much of its area where no flower is. We need a number that says how well a curve goes with the
# data, and a way to find the best of all curves.
#
# ## Predict
# A smaller case first. A friend has two coins. Coin A falls heads with probability 0.5, coin B with probability 0.9.
# She picks one, throws it six times and calls out HHHHTT. Twice as many heads as tails: was it B? Decide before you
# go on.
#
# ## Derive
# We ask each coin how probable it makes what we saw. The tosses are independent, so the probabilities of the six
# multiply. The result, as a function of the coin, is called the **likelihood** of the coin.

# %% task coin_likelihoods [markdown]
# Work out three likelihoods: of coin A after HHHHTT, of coin B after HHHHTT, and of coin B after HHHHHT.

# %% exercise coin_likelihoods
likelihoods = ...  # three numbers in a list
### BEGIN SOLUTION
likelihoods = [0.5**6, 0.9**4 * 0.1**2, 0.9**5 * 0.1]
### END SOLUTION

# %% check
check.coin_likelihoods(likelihoods)

# %% hint [markdown]

# %% [markdown]
# After HHHHTT coin A is the better explanation, 0.015625 against 0.006561. B would have shown fewer tails: it falls
# tails once in ten throws. After HHHHHT coin A still has 0.015625, because it makes all sequences equally probable, and
# B has 0.059049. One toss has turned the verdict.
#
# There are more than two coins in the world. For one that falls heads with probability θ, and a sequence with $m_1$
# heads and $m_0$ tails,
#
# $$L(\theta)=\theta^{m_1}(1-\theta)^{m_0}. \tag{3.1}$$
#
# The **maximum likelihood estimate** $\hat\theta$ is the θ at which $L$ is largest. (In notebooks 02 and 04 $L$ is a
# loss.)
#
# ## Explore
# The likelihood of every coin after six tosses. The vertical axis is logarithmic.
#
# 1. Why five? By which factor does one more head, and one tail less, help B against A?
# 2. After HHHHTT, which θ does better than both? Try to beat the triangle with the dot.

# %%
explore.Coins()

# %% [markdown]
# With every head coin B gains a factor $0.9/0.5=1.8$ on A, and it loses a factor 5 with every tail. So five heads and
# one tail are enough for B, and four are not. After HHHHTT the largest likelihood, 0.0219, stands at a θ that is
# neither A nor B. We now find it without a slider.

# %% task coin_score [markdown]
# A product is awkward to differentiate, and for thousands of tosses it is smaller than any positive number a computer
# can hold. Its logarithm has neither fault and is largest at the same θ. Here `x` is an array of tosses, 1 for heads
# and 0 for tails. Lines 2 and 3 are two ways to write the logarithm of line 1, lines 4 and 5 two ways to write its
# derivative. Every line returns the pieces of its formula.


# %%
def line_1(theta, x):
    """L(θ): one factor for each toss."""
    return np.prod(theta**x * (1 - theta) ** (1 - x))


# %% exercise coin_score
def line_2(theta, x):
    """The logarithm of line 1, before it is added up over the tosses: (heads, tails), both of shape (n,).

    A toss has its logarithm in the one array, and 0 in the other.
    """
    ### BEGIN SOLUTION
    return x * np.log(theta), (1 - x) * np.log(1 - theta)
    ### END SOLUTION


def line_3(theta, x):
    """The sum of line 2 as a log θ + b log(1 − θ): (a, b), two numbers."""
    ### BEGIN SOLUTION
    return np.sum(x), np.sum(1 - x)
    ### END SOLUTION


def line_4(theta, x):
    """The derivative of line 3 with respect to θ as first + outer · inner: three numbers.

    outer is the derivative of b log u with respect to u, at u = 1 − θ; inner is that of u with respect to θ.
    """
    ### BEGIN SOLUTION
    return np.sum(x) / theta, np.sum(1 - x) / (1 - theta), -1
    ### END SOLUTION


def line_5(theta, x):
    """Line 4 as (c − kθ)/(θ(1 − θ)): (c, k), two numbers without θ."""
    ### BEGIN SOLUTION
    return np.sum(x), np.sum(x) + np.sum(1 - x)
    ### END SOLUTION


# %% check
check.coin_score(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# With $m_1$ heads and $m_0$ tails, line 3 is the **log-likelihood**, line 4 its slope, the **score**:
#
# $$\ell(\theta)=m_1\log\theta+m_0\log(1-\theta) \tag{3.2}$$
#
# $$\ell'(\theta)=\frac{m_1}{\theta}-\frac{m_0}{1-\theta}=\frac{m_1-(m_1+m_0)\theta}{\theta(1-\theta)} \tag{3.3}$$
#
# The order of the tosses is gone. If there are heads and tails, ℓ falls to $-\infty$ at both ends, and its slope only
# ever decreases. So where the score is zero, ℓ has its one maximum.

# %% task coin_estimate [markdown]
# Find it. Many models prefer a parameter that may be any real number, and use the **log-odds** ϑ with
# $\theta=1/(1+e^{-\vartheta})$. Return the most likely θ and the most likely ϑ.


# %% exercise coin_estimate
def coin_estimate(m1, m0):
    """A tuple (theta, vartheta) from m1 > 0 heads and m0 > 0 tails."""
    ### BEGIN SOLUTION
    return m1 / (m1 + m0), np.log(m1 / m0)
    ### END SOLUTION


# %% check
check.coin_estimate(coin_estimate)

# %% hint [markdown]

# %% [markdown]
# $$\hat\theta=\frac{m_1}{m_1+m_0} \tag{3.4}$$
#
# $$\hat\vartheta=\log\frac{m_1}{m_0} \tag{3.5}$$
#
# Maximum likelihood says: count. HHHHTT gives $\hat\theta=2/3$ and $\hat\vartheta=\log2\approx0.693$.

# %% task new_name [markdown]
# You could have put $\theta=1/(1+e^{-\vartheta})$ into ℓ and maximised over ϑ directly. How does the coin that you find
# this way compare with $\hat\theta$?

# %% exercise new_name
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "a", "iii"
### END SOLUTION

# %% check
check.new_name(choice, reason)

# %% hint [markdown]

# %% [markdown]
# This is the **invariance** of maximum likelihood: a one-to-one change of parameter renames the candidates and leaves
# the winner. In the same way $\hat\sigma$ will be the root of $\hat\sigma^2$. After HHHHHH the winner is
# $\hat\theta=1$, which has no finite ϑ: a coin that can never fall tails, on the evidence of six tosses. Notebook 25
# adds a prior against such haste.
#
# ## Measurements, and a slip to spot
# For measurements the likelihood is the product of the *densities* at the points, $L=\prod_ip(x_i)$. The Gaussian
# (normal) one stands as follows in well-meaning lecture notes. It is wrong in one place.

# %% task gaussian_density [markdown]
# > *The log-likelihood of* $x_1,\dots,x_n\sim N(\mu,\sigma^2)$ *is*
# > $\ell(\mu,\sigma)=\sum_i\log\Big(\frac1{\sqrt{2\pi}\,\sigma^2}\exp\big(-\frac{(x_i-\mu)^2}{2\sigma^2}\big)\Big).$
#
# Mend it, and give an input at which the printed version fails.


# %% exercise gaussian_density
def gaussian_density(x, mu, sigma):
    """The log-likelihood of a sample x of shape (n,): a number."""
    ### BEGIN SOLUTION
    return np.sum(-np.log(np.sqrt(2 * np.pi) * sigma) - (x - mu) ** 2 / (2 * sigma**2))
    ### END SOLUTION


fails_at = ...  # a tuple (x, mu, sigma)
### BEGIN SOLUTION
fails_at = (np.array([1.0, 2.0, 4.0]), 2.0, 1.5)
### END SOLUTION

# %% check
check.gaussian_density(gaussian_density, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$\ell(\mu,\sigma)=-n\log(\sqrt{2\pi}\,\sigma)-\frac1{2\sigma^2}\sum_i(x_i-\mu)^2 \tag{3.6}$$
#
# For the three curves this is

# %%
x = explore.petals()
np.array([ml.gaussian_log_likelihood(x, mu, sigma) for mu, sigma in explore.Flowers.curves]).round(1)

# %% [markdown]
# Curve 2 wins. The differences are larger than they look: 6.8 between curves 1 and 2 is a factor $e^{6.8}\approx860$
# in likelihood.

# %% task gaussian_slopes [markdown]
# Which is the best of all curves? Start from (3.6). Lines 2 and 3 are two ways to write its sum of squares, lines 4 and
# 5 two ways to write the slope of ℓ in the direction of σ, at the best μ. Every line returns the pieces of its formula,
# and $n$ is `len(x)`.


# %%
def line_1(x, mu, sigma):
    """ℓ(μ, σ), equation (3.6)."""
    return -len(x) * np.log(np.sqrt(2 * np.pi) * sigma) - np.sum((x - mu) ** 2) / (2 * sigma**2)


# %% exercise gaussian_slopes
def line_2(x, mu, sigma):
    """The sum of the squares in line 1 as q − 2pμ + nμ²: (q, p), two numbers without μ."""
    ### BEGIN SOLUTION
    return np.sum(x**2), np.sum(x)
    ### END SOLUTION


def line_3(x, mu, sigma):
    """The same sum as n(m − μ)² + S: (m, S), two numbers without μ."""
    ### BEGIN SOLUTION
    q, p = line_2(x, mu, sigma)
    return p / len(x), q - p**2 / len(x)
    ### END SOLUTION


def line_4(x, mu, sigma):
    """The derivative of ℓ with respect to σ, where μ = m: (logarithm, squares), two numbers whose sum it is."""
    ### BEGIN SOLUTION
    S = line_3(x, mu, sigma)[1]
    return -len(x) / sigma, S / sigma**3
    ### END SOLUTION


def line_5(x, mu, sigma):
    """Line 4 as c(v − σ²): (c, v), two numbers."""
    ### BEGIN SOLUTION
    S = line_3(x, mu, sigma)[1]
    return len(x) / sigma**3, S / len(x)
    ### END SOLUTION


# %% check
check.gaussian_slopes(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# Whatever σ is, the sum of the squares is smallest at $\mu=m$. There ℓ rises with σ as long as $\sigma^2<v$, and falls
# from then on.

# %% task gaussian_mle [markdown]
# Now write down the best of all curves.


# %% exercise gaussian_mle
def gaussian_mle(x):
    """A tuple (mu, var): the most likely mean and the most likely variance, for x of shape (n,)."""
    ### BEGIN SOLUTION
    mu = np.mean(x)
    return mu, np.mean((x - mu) ** 2)
    ### END SOLUTION


# %% check
check.gaussian_mle(gaussian_mle)

# %% hint [markdown]

# %% [markdown]
# $$\hat\mu=\bar x,\qquad\hat\sigma^2=\frac1n\sum_i(x_i-\bar x)^2 \tag{3.7}$$

# %%
mu, var = ml.gaussian_fit(x)
np.array([mu, var, ml.gaussian_log_likelihood(x, mu, np.sqrt(var))]).round(3)

# %% [markdown]
# The mean is 4.26 and the variance 0.216; with $n-1$ in the denominator it would be 0.221. The misprint was not
# harmless: with $\sigma^2$ in place of σ the maximum would lie at half the variance.
#
# Why does anybody divide by $n-1$? The deviations are taken from $\bar x$, which is nearer to these very points than
# the true μ: your line 3 says $\sum_i(x_i-\mu)^2=\sum_i(x_i-\bar x)^2+n(\bar x-\mu)^2$. In expectation the left side
# is $n\sigma^2$ and the last term is $\sigma^2$, so
#
# $$E[\hat\sigma^2]=\frac{n-1}n\,\sigma^2. \tag{3.8}$$
#
# The most likely variance is too small on average, by a fifth for five points. To be most likely and to be right on
# average are two different aims. A simulation with $\sigma^2=1$, and (3.8):

# %%
samples = np.random.default_rng(0).normal(size=(100_000, 5))
np.array([samples.var(axis=1).mean(), ml.expected_variance(1.0, n=5)]).round(3)

# %% task noise_variance [markdown]
# A regression says $y_i\sim N(x_i^\top w,\sigma^2)$: a Gaussian whose mean depends on the features. Notebook 04 shows
# that the most likely $w$ is the one with the least squared error, whatever σ is. What is the most likely $\sigma^2$?


# %% exercise noise_variance
def noise_variance(X, y):
    """The most likely σ² of y ~ N(Xw, σ²I), for X of shape (n, d), a bias included if there is one: a number."""
    ### BEGIN SOLUTION
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    return np.mean((y - X @ w) ** 2)
    ### END SOLUTION


# %% check
check.noise_variance(noise_variance)

# %% hint [markdown]

# %% [markdown]
# $$\hat\sigma^2=\frac1n\lVert X\hat w-y\rVert^2 \tag{3.9}$$
#
# It is the mean squared error of the fit. For the progress of diabetes in 442 patients, predicted from ten measurements
# and a constant:

# %%
diabetes = load("diabetes")
X = np.column_stack([np.ones(len(diabetes.y)), diabetes.X])
np.array([ml.residual_variance(X, diabetes.y), diabetes.y.var()]).round()

# %% [markdown]
# The noise has a standard deviation of 53 points, the square root of the first number. The measurements account for
# about half of the variance of 5930.
#
# ## Where the recipe fails
# *Differentiate, set to zero, solve* is a recipe, not the definition. Draw $n$ numbers uniformly from
# $[-\theta,\theta]$: the density is $1/(2\theta)$ inside the interval and 0 outside.

# %% task uniform_mle [markdown]
# Write down the likelihood of θ for the sample $x$, sketch it, and find the most likely θ.


# %% exercise uniform_mle
def uniform_mle(x):
    """The most likely θ for draws x of shape (n,) from [−θ, θ]: a number."""
    ### BEGIN SOLUTION
    return np.max(np.abs(x))
    ### END SOLUTION


# %% check
check.uniform_mle(uniform_mle)

# %% hint [markdown]

# %% [markdown]
# $$L(\theta)=\begin{cases}(2\theta)^{-n}&\text{if }\theta\ge\max_i|x_i|\\0&\text{otherwise}\end{cases} \tag{3.10}$$
#
# $$\hat\theta=\max_i|x_i| \tag{3.11}$$
#
# ## Explore
# Numbers drawn from $[-3,3]$, an interval $[-\theta,\theta]$ above, and its likelihood below.
#
# 1. Move θ slowly over the edge. What happens to the likelihood, and which point decides?
# 2. Let $n$ grow. On which side of the true 3 is $\hat\theta$, and what becomes of the curve?

# %%
explore.Cliff()

# %% [markdown]
# One point outside makes an interval impossible, here the one at −2.66. To the right of the edge the slope of $\log L$
# is $-n/\theta$, never zero. The estimate is always too short, since no point lies beyond 3, and the curve to its right
# falls ever faster as $n$ grows.
#
# ## Break it
# The likelihood may have no maximum at all. In (3.6) put $\mu=\bar x$ and let σ shrink: $-n\log\sigma$ grows without
# bound, and only the squares hold it back.

# %% task no_maximum [markdown]
# Give a sample of at least two numbers for which nothing holds it back, so that no Gaussian is the most likely.

# %% exercise no_maximum
x_spike = ...  # a list of numbers
### BEGIN SOLUTION
x_spike = [2.0, 2.0, 2.0]
### END SOLUTION

# %% check
check.no_maximum(x_spike)

# %% hint [markdown]

# %%
np.array([ml.gaussian_log_likelihood(np.full(3, 2.0), 2.0, sigma) for sigma in (1, 1e-2, 1e-4, 1e-8)]).round(1)

# %% [markdown]
# A bell curve can be as narrow as it likes, and its density as high. In a mixture of Gaussians one component can always
# settle on a single point like this, and notebook 24 has to prevent it.
#
# ## How much does a toss tell?
# Two thirds after six tosses, and two thirds after six thousand: the estimate is the same, our confidence is not. What
# changes is how sharply ℓ falls on both sides of $\hat\theta$. Look at the score of a single toss, (3.3) with one head
# or one tail. At the true θ its mean is zero. Its mean square is called the **Fisher information** of a toss.

# %% task toss_information [markdown]
# Compute it: the mean, over heads and tails, of the squared score.


# %% exercise toss_information
def toss_information(theta):
    """E[score²] for one toss of a coin with 0 < θ < 1: a number."""
    ### BEGIN SOLUTION
    return theta * (1 / theta) ** 2 + (1 - theta) * (1 / (1 - theta)) ** 2
    ### END SOLUTION


# %% check
check.toss_information(toss_information)

# %% hint [markdown]

# %% [markdown]
# $$I(\theta)=E\Big[\Big(\frac{\partial\log p(x|\theta)}{\partial\theta}\Big)^2\Big]=\frac1{\theta(1-\theta)}
# \tag{3.12}$$
#
# For the mean of a Gaussian the score is $(x-\mu)/\sigma^2$, and its mean square
#
# $$I(\mu)=\frac1{\sigma^2}. \tag{3.13}$$
#
# For one observation it is also $-E[\partial^2\log p/\partial\theta^2]$, the mean curvature at the truth, and it adds
# up over independent observations. So near its maximum ℓ is nearly a parabola, about $\frac12nI(\theta-\hat\theta)^2$
# below the top. For large $n$ the estimate varies around the true parameter with the standard deviation
#
# $$\mathrm{se}(\hat\theta)\approx\frac1{\sqrt{nI(\theta)}}, \tag{3.14}$$
#
# which no unbiased estimate can undercut. For the mean of the petals this gives $\hat\sigma/\sqrt n$; for a coin with
# θ = 0.3 the information is 4.762, and a hundred tosses leave

# %%
np.array([ml.standard_error(50, ml.mean_information(np.sqrt(var))), ml.standard_error(100, ml.coin_information(0.3))])

# %% [markdown]
# 0.066 cm for the petals, and 0.046 for the coin.
#
# ## Explore
# Left, the log-likelihood of the tosses and its parabola. Right, how $\hat\theta$ spreads when all tosses are repeated
# two thousand times.
#
# 1. How many more tosses make the curve half as wide?
# 2. For which coin is $\hat\theta$ the most uncertain? Guess before you move θ.

# %%
explore.Sharper()

# %% [markdown]
# Four times as many: the width is proportional to $1/\sqrt n$, and the estimate closes in on the true θ, which is
# called **consistency**. The fair coin is the hardest to measure, since $I(\theta)$ is smallest at θ = ½. With few
# tosses and θ near 0 the parabola is a poor picture of ℓ. Formula (3.14) needs a smooth likelihood: at the cliff of
# (3.10) the error shrinks faster, like $1/n$.

# %% task not_a_probability [markdown]
# A friend says: "After HHHHTT the likelihood of coin A is 0.0156, so it was coin A with a probability of 1.6 per cent.
# And for some measurements I get a likelihood of 40. A probability above 1: the method is broken." Explain in about 120
# words: of what 0.0156 is the probability, what the numbers 0.0156 and 0.0066 do say about the two coins and what you
# would need for the probability that it was A, and why a likelihood of 40 is no contradiction.

# %% explain not_a_probability [markdown]
# ### BEGIN SOLUTION
# 0.0156 is the probability of the sequence HHHHTT, given that coin A is thrown. It is a probability of the data, not of
# the coin, and over the coins such numbers need not add up to one. What they say is their ratio: A makes the sequence
# 2.4 times as probable as B does. To get from there to the probability of A, one has to know how probable A was before
# the tosses. If she picks either coin with probability ½, Bayes' rule gives 0.0156/(0.0156 + 0.0066) = 0.70. For
# measurements the likelihood is a product of densities. Only the area under a density is 1; a narrow density is high,
# so values above 1 are in order, and they change with the unit of measurement. Ratios do not.
#
# Marks: one point for the probability of the data given the coin, one for the ratio and the missing prior, one for
# densities.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# Maximum likelihood takes the parameter under which the data were most probable: the share of heads, the mean and the
# variance with 1/n, the mean squared residual. The logarithm turns the product into a sum and the zero of the score is
# the maximum, unless that lies at an edge or nowhere. The curvature at the top, $nI(\theta)$ on average, says how far
# to trust it.
#
# *Next:* the most likely weights of a regression, in notebook 04, and of a classifier, in notebook 12.
#
# *Data:* Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936); Efron, Hastie,
# Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004).

# %% symbols Data [markdown]
# | $\bar x$ | the mean over the points | `mean` |

# %% symbols Probability and estimation [markdown]
# | $N(\mu,\sigma^2)$ | normal distribution, in $d$ dimensions $N(\mu,\Sigma)$ | `mu`, `sigma` |
# | $\theta$, $\vartheta$ | parameter to be estimated; the same on the scale of log odds | `theta` |
# | $m_1$, $m_0$ | numbers of heads and tails | `m1`, `m0` |
# | $L(\theta)$, $\ell(\theta)$ | likelihood, log-likelihood | `likelihood`, `log_likelihood` |
# | $I(\theta)$ | Fisher information | `coin_information`, `mean_information` |
# | $\sigma^2$, $\tau^2$ | variance of the noise; of the prior | `sigma`, `tau` | ridge |
