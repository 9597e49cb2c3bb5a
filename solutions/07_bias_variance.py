# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can split a squared error into its parts and prove that they add up, derive the penalty with the
# smallest error, and measure the parts for any method that you can run on many data sets.

# %%
import numpy as np

from mlcore import bias_variance
from mlcore.checks.bias_variance import check
from mlcore.explore import bias_variance as explore

# %% [markdown]
# ## See
# How does diabetes progress with body mass index? We draw 60 of the 442 patients and fit a straight line to them, then
# a polynomial of degree 5, and do this for fifty random samples.

# %%
explore.Samples()

# %% [markdown]
# The lines nearly agree. The polynomials spread almost twice as widely, and at both ends single curves run off. Their
# mean is calm, but it bends, which a line cannot do. So one method depends much on the sample, and the other may be off
# in every sample. A single fit shows neither.

# %% [markdown]
# ## Predict
# Take one weight whose true value is 2, estimated from noisy points. We pull the estimate a little towards a guess, and
# the guess is wrong: 0.5. Can that bring the estimate closer to 2, on average over all samples? Decide before you go
# on.

# %% [markdown]
# ## Derive
# An estimate $\hat\theta$ is computed from data, and other data would have given another one. Imagine all of them,
# equally likely, in an array `e`. Their error is the mean of $(e-\theta)^2$, where $\theta$ is the truth.

# %% task error_split [markdown]
# Prove that this error has two parts. Every line is a function of the estimates `e`, shape $(m,)$, and of the number
# $\theta$; $\bar e$ is the mean of the estimates. A line returns the pieces of the formula: lines 2 and 3 are about
# what stands under the mean, line 4 takes it.


# %%
def line_1(e, theta):
    """The mean squared error of the estimates."""
    return np.mean((e - theta) ** 2)


# %% exercise error_split
def line_2(e, theta):
    """The bracket of line 1 as a + b: (a, b), a of shape (m,) with mean 0, b a number."""
    ### BEGIN SOLUTION
    e_mean = np.mean(e)
    return e - e_mean, e_mean - theta
    ### END SOLUTION


def line_3(e, theta):
    """The square of a + b multiplied out: its three terms, of shapes (m,) and (m,) and a number."""
    ### BEGIN SOLUTION
    a, b = e - np.mean(e), np.mean(e) - theta
    return a**2, 2 * a * b, b**2
    ### END SOLUTION


def line_4(e, theta):
    """The means of the three terms of line 3: three numbers whose sum is line 1."""
    ### BEGIN SOLUTION
    a, b = e - np.mean(e), np.mean(e) - theta
    return np.mean(a**2), 2 * b * np.mean(a), b**2
    ### END SOLUTION


# %% check
check.error_split(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# $$E(\hat\theta-\theta)^2=\underbrace{\mathrm{Var}\,\hat\theta}_{\text{how it scatters}}
# +\underbrace{(E\hat\theta-\theta)^2}_{\text{how far it is off on average}} \tag{7.1}$$
#
# $E\hat\theta-\theta$ is called the bias. The cross term is gone because deviations from a mean have mean 0.
#
# Now one weight, $y_i=w^*x_i+\xi_i$ with independent noise of mean 0 and variance $\sigma^2$. The points $x_i$ are
# fixed, only the noise is drawn anew. Ridge (5.3) with one column and the guess $w_0$ is
#
# $$\hat w(\lambda)=\frac{\sum_ix_iy_i+\lambda w_0}{s^2+\lambda},\qquad s^2=\sum_ix_i^2. \tag{7.2}$$
#
# $s$ is the one singular value of this $X$.

# %% task shrunk_weight [markdown]
# What are the bias and the variance of $\hat w(\lambda)$? Return both.


# %% exercise shrunk_weight
def shrunk_weight(lam, x, w_true, w0, sigma):
    """A tuple (bias, variance) of two numbers; x has shape (n,), sigma² is the variance of the noise."""
    ### BEGIN SOLUTION
    s2 = x @ x
    return -lam * (w_true - w0) / (s2 + lam), s2 * sigma**2 / (s2 + lam) ** 2
    ### END SOLUTION


# %% check
check.shrunk_weight(shrunk_weight)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{bias}(\lambda)=-\frac{\lambda(w^*-w_0)}{s^2+\lambda}\quad(7.3)\qquad\qquad
# \mathrm{Var}(\lambda)=\frac{s^2\sigma^2}{(s^2+\lambda)^2}\quad(7.4)$$
#
# By (7.1) the error is the variance plus the squared bias:
#
# $$\mathrm{MSE}(\lambda)=\frac{\lambda^2(w^*-w_0)^2+s^2\sigma^2}{(s^2+\lambda)^2} \tag{7.5}$$
#
# At $\lambda=0$ it is $\sigma^2/s^2$, all variance. For $\lambda\to\infty$ it is $(w^*-w_0)^2$, all bias: the data no
# longer count, and the error is that of the guess. Here is $\lambda=1.5$: variance, bias and error, first from 40 000
# simulated data sets, then from the formulas.

# %%
rng = np.random.default_rng(0)
x, w_true, w0, sigma, lam = np.array([1.0, 1.0, 2.0, 2.0]), 2.0, 0.5, 1.0, 1.5
y = w_true * x + sigma * rng.normal(size=(40_000, 4))
estimates = bias_variance.estimate(x, y, lam, w0)
simulated = [*bias_variance.split(estimates, w_true), np.mean((estimates - w_true) ** 2)]
variance, bias = bias_variance.variance(lam, x, sigma), bias_variance.bias(lam, x, w_true, w0)
np.round([simulated, [variance, bias, bias_variance.mse(lam, x, w_true, w0, sigma)]], 3)

# %% task mse_slope [markdown]
# With $s^2=10$ the error without a penalty is 0.1, so $\lambda=1.5$ does harm. Which λ does better? The slope of (7.5)
# tells. Write $\Delta=w^*-w_0$. Line 2 is the derivative of line 1, and the lines after it are other ways to write it.


# %%
def line_1(lam, s2, delta, sigma):
    """MSE(λ), equation (7.5), with s2 for s²."""
    return (lam**2 * delta**2 + s2 * sigma**2) / (s2 + lam) ** 2


# %% exercise mse_slope
def line_2(lam, s2, delta, sigma):
    """The derivative of line 1 with respect to lam: three numbers, (first − second)/denominator."""
    ### BEGIN SOLUTION
    f, g = lam**2 * delta**2 + s2 * sigma**2, (s2 + lam) ** 2
    return 2 * lam * delta**2 * g, f * 2 * (s2 + lam), g**2
    ### END SOLUTION


def line_3(lam, s2, delta, sigma):
    """Line 2 with one s² + λ cancelled: first and second as their coefficients of λ², λ and 1, shape (3,), a number."""
    ### BEGIN SOLUTION
    first = np.array([2 * delta**2, 2 * s2 * delta**2, 0])
    second = np.array([2 * delta**2, 0, 2 * s2 * sigma**2])
    return first, second, (s2 + lam) ** 3
    ### END SOLUTION


def line_4(lam, s2, delta, sigma):
    """Line 3 as one fraction: the coefficients of its numerator, shape (3,), and its denominator, a number."""
    ### BEGIN SOLUTION
    return np.array([0, 2 * s2 * delta**2, -2 * s2 * sigma**2]), (s2 + lam) ** 3
    ### END SOLUTION


# %% check
check.mse_slope(line_2, line_3, line_4)

# %% hint [markdown]

# %% task best_lam [markdown]
# Read line 4, the slope: its denominator is positive, and its numerator has lost λ². At $\lambda=0$ the error falls,
# for large λ it rises. At which λ is it smallest?


# %% exercise best_lam
def best_lam(x, w_true, w0, sigma):
    """The λ at which MSE(λ) is smallest: a number."""
    ### BEGIN SOLUTION
    return sigma**2 / (w_true - w0) ** 2
    ### END SOLUTION


# %% check
check.best_lam(best_lam)

# %% hint [markdown]

# %% [markdown]
# $$\lambda^*=\frac{\sigma^2}{(w^*-w_0)^2} \tag{7.6}$$
#
# Noisy data ask for a large penalty, and so does a good guess. Compare (5.9): there the variance $\tau^2$ of the prior
# stands where $(w^*-w_0)^2$ stands here.

# %% task best_error [markdown]
# And how large is the error at this λ?


# %% exercise best_error
def best_error(x, w_true, w0, sigma):
    """MSE(λ*): a number."""
    ### BEGIN SOLUTION
    return sigma**2 / (x @ x + sigma**2 / (w_true - w0) ** 2)
    ### END SOLUTION


# %% check
check.best_error(best_error)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{MSE}(\lambda^*)=\frac{\sigma^2}{s^2+\lambda^*} \tag{7.7}$$
#
# This is below $\mathrm{MSE}(0)=\sigma^2/s^2$ for *every* guess. For our guess of 0.5 the gain is small, 0.0957 against
# 0.1 at $\lambda^*=0.444$, but it is a gain, though the guess alone would have an error of 2.25.

# %% task lam_with_more_data [markdown]
# You measure four times as many points of the same kind. What happens to the λ with the smallest error?

# %% exercise lam_with_more_data
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "c", "ii"
### END SOLUTION

# %% check
check.lam_with_more_data(choice, reason)

# %% hint [markdown]

# %% [markdown]
# ## Explore
# The truth is 2, σ is 1, and $s^2=n$. On the left, what 300 data sets make of the weight; on the right, (7.3) squared,
# (7.4) and (7.5).
#
# 1. Bring the guess closer to 2. Where does λ* go?
# 2. Change $n$. Which curves move, and what stays?

# %%
explore.TradeOff()

# %% [markdown]
# At $w_0=1.5$ the best penalty is 4, at 1.9 it is 100, and for a perfect guess it is infinite: then every estimate
# should be the guess. More points lower the variance and move the rise of bias² to the right, and λ* stays where it is.
#
# λ* contains $w^*$, and whoever knows $w^*$ needs no estimate. We could put in what least squares finds:
#
# $$\hat\lambda=\frac{\sigma^2}{(\hat w(0)-w_0)^2} \tag{7.8}$$
#
# 1. How wrong may the guess be so that a fixed penalty of about 3 still helps?
# 2. For which guesses is $\hat\lambda$ better than no penalty?

# %%
explore.Guess()

# %% [markdown]
# A penalty of 3.16 helps as long as the guess is off by less than 0.86, more than two fifths of the true weight. The
# estimated penalty helps up to 0.45. Beyond that it is worse than none, by up to a quarter: it is computed from the
# noise that it should protect against. Notebook 08 chooses λ without knowing the truth, by measuring errors.

# %% [markdown]
# ## From a weight to a curve
# A method fits a function $h_D$ to a data set $D$. We ask for its error at a point $x$, against a new label
# $y=t(x)+\xi$, where $t$ is the true function and the noise ξ has mean 0 and variance $\sigma^2$. $D$ and $y$ are both
# random, and independent of each other. Imagine all fits, equally likely, in an array `h`, and all labels, equally
# likely, in an array `y`. Independent means: every fit meets every label, and all these pairs are equally likely.

# %% task three_parts [markdown]
# Prove that this error has three parts. Every line is a function of the values `h` of the fits at $x$, shape $(m,)$, of
# the labels `y`, shape $(l,)$, and of the truth $t$ at $x$, a number, which is the mean of the labels because noise has
# mean 0; $\bar h$ is the mean of the fits. Lines 2 and 3 are about what stands under the mean. Lines 4 and 5 take it,
# first over the fits and then over the labels.


# %%
def line_1(h, y, t):
    """The mean squared error, over all pairs of a fit and a label."""
    return np.mean((h[:, None] - y) ** 2)


# %% exercise three_parts
def line_2(h, y, t):
    """The bracket of line 1 as a + b + c: (a, b, c), with shapes (m,), a number and (l,)."""
    ### BEGIN SOLUTION
    h_mean = np.mean(h)
    return h - h_mean, h_mean - t, t - y
    ### END SOLUTION


def line_3(h, y, t):
    """Six terms that add up to the square of a + b + c: shapes (m,), a number, (l,), then (m,), (m, l), (l,)."""
    ### BEGIN SOLUTION
    a, b, c = line_2(h, y, t)
    return a**2, b**2, c**2, 2 * a * b, 2 * a[:, None] * c, 2 * b * c
    ### END SOLUTION


def line_4(h, y, t):
    """The six means over the fits: a number, a number, (l,), then a number, (l,), (l,)."""
    ### BEGIN SOLUTION
    a, b, c = line_2(h, y, t)
    return np.mean(a**2), b**2, c**2, 2 * b * np.mean(a), 2 * c * np.mean(a), 2 * b * c
    ### END SOLUTION


def line_5(h, y, t):
    """The means of line 4 over the labels, those of the last three added up: four numbers whose sum is line 1."""
    ### BEGIN SOLUTION
    aa, bb, cc, ab, ac, bc = line_4(h, y, t)
    return aa, bb, np.mean(cc), ab + np.mean(ac) + np.mean(bc)
    ### END SOLUTION


# %% check
check.three_parts(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# The step of (7.1), taken twice, leads from a fit to a label by way of two means:
#
# $$h_D-y=\underbrace{(h_D-\bar h)}_a+\underbrace{(\bar h-t)}_b+\underbrace{(t-y)}_c,\qquad\bar h(x)=E_D\,h_D(x).$$
#
# Three of the six terms vanish, each for a reason of its own. $ab$ has mean 0 because $a$ has. $bc$ has mean 0 because
# noise has. And $ac$ has mean 0 because *every label meets all fits*: without independence nothing is known of it. What
# is left is
#
# $$E(h_D-y)^2=\underbrace{E(h_D-\bar h)^2}_{\text{variance}}+\underbrace{(\bar h-t)^2}_{\text{bias}^2}
# +\underbrace{\sigma^2}_{\text{noise}} \tag{7.9}$$

# %% task prediction_parts [markdown]
# In a simulation we have as many data sets as we like. Row $D$ of `H`, shape $(m,k)$, holds the fit to data set $D$ at
# $k$ points; `Y`, of the same shape, holds new labels at these points; `t`, shape $(k,)$, holds the truth. Estimate
# $\bar h$ by the mean of the fits. Then square each of the three differences and take its mean over data sets and
# points.


# %% exercise prediction_parts
def prediction_parts(H, Y, t):
    """A tuple (variance, bias2, noise) of three numbers."""
    ### BEGIN SOLUTION
    h_mean = H.mean(axis=0)
    return np.mean((H - h_mean) ** 2), np.mean((h_mean - t) ** 2), np.mean((t - Y) ** 2)
    ### END SOLUTION


# %% check
check.prediction_parts(prediction_parts)

# %% hint [markdown]

# %% [markdown]
# Polynomials of degree 5, fitted to 20 points in 200 data sets: variance, bias², noise, their sum, and last the
# test error itself.

# %%
rng = np.random.default_rng(0)
x = np.linspace(-1, 1, 20)
t = explore.Spaghetti.truth(x)
Y, Y_new = t + 0.6 * rng.normal(size=(2, 200, 20))
X = bias_variance.powers(x, 5)
H = bias_variance.predictions(X, Y, X)
parts = bias_variance.prediction_parts(H, Y_new, t)
np.round([*parts, sum(parts), np.mean((H - Y_new) ** 2)], 3)

# %% [markdown]
# ## Explore
# Fifty such data sets; you choose the degree. The parts on the right are exact, at the $n$ points.
#
# 1. Which degree has the smallest test error, and does its mean fit follow the truth best?
# 2. Raise $n$ to 200. Which parts fall, and where does the best degree go?

# %%
explore.Spaghetti()

# %% [markdown]
# With 20 points degree 3 is best, although its mean cuts the hill off. The mean of degree 9 follows the truth closely,
# but nobody has the mean, only one of the fits. With 200 points the variance is a tenth of what it was, bias² is
# nearly as before, the noise the same, and degree 7 is best: more data pay for a more complex model.

# %% task cross_terms [markdown]
# The sum of the parts came close to the test error, not quite to it. What lies between them is twice the mean of
# $(h_D-\bar h)(\bar h-y)$ and twice the mean of $(\bar h-t)(t-y)$. Compute both means, over data sets and points, with
# `H`, `Y` and `t` as above.


# %% exercise cross_terms
def cross_terms(H, Y, t):
    """A tuple of two numbers: the mean of (h_D − h̄)(h̄ − y) and the mean of (h̄ − t)(t − y)."""
    ### BEGIN SOLUTION
    h_mean = H.mean(axis=0)
    return np.mean((H - h_mean) * (h_mean - Y)), np.mean((h_mean - t) * (t - Y))
    ### END SOLUTION


# %% check
check.cross_terms(cross_terms)

# %% hint [markdown]

# %% [markdown]
# $$E(h_D-\bar h)(\bar h-y)=0\qquad\text{and}\qquad E(\bar h-t)(t-y)=0 \tag{7.10}$$
#
# These are $ab+ac$ and $bc$ of the derivation, without the 2. Only $ac$ needs that *$y$ is independent of $D$*. Below,
# the first row is for new labels. The second is for the labels to which the curves were fitted.

# %%
np.round([bias_variance.cross_terms(H, labels, t) for labels in (Y_new, Y)], 3)

# %% [markdown]
# ## Break it
# One of the four numbers is far from 0. A fit leans towards the labels that it has seen, so there $h_D$ and $y$ are no
# longer independent, and (7.9) fails.

# %% task memorised_labels [markdown]
# Make it fail completely. Give pairs $(h_D(x),y)$ at one point $x$, one row for each of several equally likely data
# sets, with an error of 0 although the predictions have a variance.

# %% exercise memorised_labels
pairs = ...  # an array of shape (m, 2): in each row a prediction and its label
### BEGIN SOLUTION
pairs = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]])
### END SOLUTION

# %% check
check.memorised_labels(pairs)

# %% hint [markdown]

# %% [markdown]
# ## Spot the slip
# A sentence as printed in well-meaning lecture notes, and a formula that would make it true. The formula is wrong in
# one place. Mend it, and give an input at which it fails.

# %% task complex_test_error [markdown]
# > *When the model complexity is high, the test error is low, with a low bias and a high variance.*
#
# Least squares with $d$ independent columns is fitted to $n$ labels and tested on new labels at the same $n$ points.
# $\hat w_t$ is what it would find without noise. This formula for the test error falls with every column:
#
# $$\frac1n\lVert t-X\hat w_t\rVert^2+\sigma^2\Bigl(1-\frac dn\Bigr).$$
#
# What is the expected test error, as a mean over the points? And for which $(X,t,\sigma)$ does this formula give
# another one?


# %% exercise complex_test_error
def complex_test_error(X, t, sigma):
    """The expected squared error on new labels, a mean over the n points: a number."""
    ### BEGIN SOLUTION
    n, d = X.shape
    missed = t - X @ np.linalg.lstsq(X, t, rcond=None)[0]
    return np.mean(missed**2) + sigma**2 * (1 + d / n)
    ### END SOLUTION


fails_at = ...  # a tuple (X, t, sigma)
### BEGIN SOLUTION
fails_at = (np.eye(3), np.zeros(3), 1.0)
### END SOLUTION

# %% check
check.complex_test_error(complex_test_error, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$E\,\tfrac1n\lVert\hat y-y\rVert^2=\frac1n\lVert t-X\hat w_t\rVert^2+\sigma^2\frac dn+\sigma^2 \tag{7.11}$$
#
# Every column adds $\sigma^2/n$ of variance and takes away at most the bias² that is left. Once that is little, a more
# complex model has a higher test error. The formula with the minus is the error on the labels that were fitted. It is
# lower by $2\sigma^2d/n$, twice the size of the cross term, which for degree 5 and 20 points is
# $-0.36\cdot6/20=-0.108$.

# %% task spread_of_fits [markdown]
# Back to the patients. One colleague wants the straight line, because its fits hardly differ from sample to sample.
# Another wants the polynomial of degree 5, because it has the smaller error on every sample that it was fitted to.
# Explain in about 120 words, with (7.9) and (7.10): what each of them has measured, why neither argument settles the
# matter, and what they could measure, without knowing the truth, that would.

# %% explain spread_of_fits [markdown]
# ### BEGIN SOLUTION
# The first colleague has looked at the variance and at nothing else. The lines may agree with each other and all be off
# in the same way: that is bias, and no number of samples shows it, because it is a distance from the true function,
# which nobody has. The second has looked at the error on labels that the fit has seen. There h_D and y are not
# independent, the first cross term is negative, and the error is too small by 2σ²d/n on average; so it falls with every
# degree and proves nothing. What counts is the sum of the three parts, and the sum can be measured without its parts:
# it is the mean squared error on patients who took no part in the fit, averaged over several such splits.
#
# Marks: one point for variance without bias, one for the labels that were seen and the cross term, one for the error on
# other patients.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A squared error is variance plus squared bias, and for a new label plus noise, because the label is independent of
# the fit. A wrong guess lowers the error of an estimate if it is held with the right λ, which is
# $\sigma^2/(w^*-w_0)^2$. A more complex model has less bias and more variance: its test error falls and then rises, and
# more data move the turning point. Notebook 08 measures the sum on data that took no part in the fit.
#
# *Data:* Efron, Hastie, Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004).

# %% symbols Models of regression [markdown]
# | $h_D$, $\bar h$, $t$ | the fit to the data set $D$, its mean over data sets, the true function | `H`, `t` |

# %% symbols Probability and estimation [markdown]
# | $\xi_i$ | the noise in $y_i$, with mean 0 and variance $\sigma^2$ | `sigma` |
