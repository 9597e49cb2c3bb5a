# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can derive the posterior of regression weights, forecast with a band that widens where the data end,
# update it point by point, choose a model by its evidence, and do the same for classes by Laplace's approximation.

# %%
import numpy as np

from mlcore import bayesian_regression as bayes
from mlcore import ridge
from mlcore.checks.bayesian_regression import check
from mlcore.explore import bayesian_regression as explore

# %% [markdown]
# ## See
# The 442 diabetes patients of notebook 05: body mass index, and how far the disease has progressed a year later, both
# standardised. We give least squares a random group of ten patients, sixty times.

# %%
explore.Groups()

# %% [markdown]
# In the middle the sixty lines nearly agree. At an index of 5, where there are no patients, they spread by 1.35, more
# than five times as much. Somebody with one group has one line and cannot see this.
#
# ## Predict
# Could one group of ten patients tell, by itself, how far other groups would disagree? Decide before you go on.
#
# ## Derive
# We treat the weights as notebook 25 treated a mean. The data come from a line with known noise, and before them we
# believe that every weight is around 0:
#
# $$y\mid w\sim N(Xw,\sigma^2I),\qquad w\sim N(0,\tau^2I) \tag{26.1}$$
#
# Likelihood times prior is $e$ to the power of line 1, times factors without $w$.

# %% task weight_square [markdown]
# One square that holds $w$ tells where the posterior has its top, and how wide it is. Every line is a function of the
# same variables, and returns the pieces of the formula: put together, they have the value of the line before.


# %%
def line_1(w, X, y, sigma, tau):
    """The exponent of likelihood times prior."""
    return -(y - X @ w) @ (y - X @ w) / (2 * sigma**2) - w @ w / (2 * tau**2)


# %% exercise weight_square
def line_2(w, X, y, sigma, tau):
    """Line 1 multiplied out: (quadratic, linear, constant), three numbers whose sum is line 1."""
    ### BEGIN SOLUTION
    quadratic = -w @ X.T @ X @ w / (2 * sigma**2) - w @ w / (2 * tau**2)
    return quadratic, w @ X.T @ y / sigma**2, -y @ y / (2 * sigma**2)
    ### END SOLUTION


def line_3(w, X, y, sigma, tau):
    """Line 2 as −½wᵀAw + wᵀc + constant: (A, c, constant), with shapes (d, d), (d,) and a number."""
    ### BEGIN SOLUTION
    A = X.T @ X / sigma**2 + np.eye(len(w)) / tau**2
    return A, X.T @ y / sigma**2, -y @ y / (2 * sigma**2)
    ### END SOLUTION


def line_4(w, X, y, sigma, tau):
    """Line 3 as −½(w − m)ᵀA(w − m) + extra + constant: (m, extra), with shape (d,) and a number."""
    ### BEGIN SOLUTION
    A, c, _ = line_3(w, X, y, sigma, tau)
    m = np.linalg.solve(A, c)
    return m, c @ m / 2
    ### END SOLUTION


def line_5(w, X, y, sigma, tau):
    """Line 4 with m = Ky and extra = ½yᵀGy: (K, G), with shapes (d, n) and (n, n)."""
    ### BEGIN SOLUTION
    A, _, _ = line_3(w, X, y, sigma, tau)
    K = np.linalg.solve(A, X.T) / sigma**2
    return K, X @ K / sigma**2
    ### END SOLUTION


# %% check
check.weight_square(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% task weight_posterior [markdown]
# The exponent is a square in $w$, so the posterior is a multivariate normal. Which one?


# %% exercise weight_posterior
def weight_posterior(X, y, sigma, tau):
    """A tuple (mean, cov) of the weights, of shapes (d,) and (d, d)."""
    ### BEGIN SOLUTION
    A = X.T @ X / sigma**2 + np.eye(X.shape[1]) / tau**2
    V = np.linalg.solve(A, np.eye(X.shape[1]))
    return V @ X.T @ y / sigma**2, V
    ### END SOLUTION


# %% check
check.weight_posterior(weight_posterior)

# %% hint [markdown]

# %% [markdown]
# $$w|y\sim N(w_n,V_n),\qquad V_n=\Big(\frac{X^\top X}{\sigma^2}+\frac I{\tau^2}\Big)^{-1} \tag{26.2}$$
#
# $$w_n=\frac1{\sigma^2}V_nX^\top y=(X^\top X+\lambda I)^{-1}X^\top y,\qquad\lambda=\frac{\sigma^2}{\tau^2} \tag{26.3}$$
#
# The mean is ridge regression with the λ of (5.9). New is $V_n$: ridge says where the hill has its top, the posterior
# also how wide it is. Eight patients:

# %%
x, y = explore.patients()
X8, y8 = explore.line_features(x[:8]), y[:8]
w, V = bayes.posterior(X8, y8, sigma=0.8, tau=1.0)
print("posterior mean", w.round(3), " ridge", ridge.fit(X8, y8, 0.8**2 / 1.0**2).round(3))
print("spreads       ", np.sqrt(np.diag(V)).round(3))

# %% task predictive_variance [markdown]
# A new patient with features $x_+$ will have $y_+=x_+^\top w+\varepsilon$, with fresh noise ε of variance $\sigma^2$.
# The mean of $y_+$ is $x_+^\top w_n$. What is its variance?


# %% exercise predictive_variance
def predictive_variance(X_new, V, sigma):
    """The variance of a new measurement for every row of X_new, when w has the covariance V: shape (k,)."""
    ### BEGIN SOLUTION
    return sigma**2 + np.sum(X_new @ V * X_new, axis=1)
    ### END SOLUTION


# %% check
check.predictive_variance(predictive_variance)

# %% hint [markdown]

# %% [markdown]
# $$y_+|y\sim N\big(x_+^\top w_n,\ \sigma^2+x_+^\top V_nx_+\big) \tag{26.4}$$
#
# The first part is noise, which stays however many patients we see. The second is doubt about the line. A forecaster
# who quotes one line, by maximum likelihood or MAP, has only the first.
#
# ## Explore
# One group of patients, its line, and two bands. Start with eight patients.
#
# 1. Where is the band narrowest? Move $n$ to 0, and to 30.
# 2. At $n=8$, make τ small. The band at 6 shrinks. Is that good news?

# %%
explore.Band()

# %% [markdown]
# The band is narrowest near the mean index of the patients; at $n=0$ it is the prior's. For a new patient the spread is
# 0.85 at index 0 and 2.41 at 6, where a single line says 0.8. With thirty patients it is 0.81 and 1.17. At τ = 0.125
# the spread at 6 falls to 1.08, and the slope from 0.64 to 0.09: the prior now claims to know that there is no effect,
# and a forecast that trusts it is as sure as it is unfounded. And yes, one group can tell: for ten patients $V_n$ gives
# the line at index 5 a spread of 1.32 in the median of 44 groups, and the fan of the first figure had 1.35.
#
# ## One point at a time
# The posterior takes the role of the prior for the next point. By (26.2) precisions add, $V^{-1}+xx^\top/\sigma^2$.
# Without inverting a matrix the same step is
#
# $$w\leftarrow w+k\,(y-x^\top w),\qquad V\leftarrow V-k\,(Vx)^\top, \tag{26.5}$$
#
# the old weights plus a *gain* times the surprise.
#
# ## Spot the slip

# %% task update_gain [markdown]
# > *Here $V$ is the covariance before the new point, and the gain is* $k=\dfrac{Vx}{\sigma^2}$.
#
# Mend it, and give an input at which the printed version fails.


# %% exercise update_gain
def update_gain(V, x, sigma):
    """The vector k of (26.5), from the covariance V before the point x: shape (d,)."""
    ### BEGIN SOLUTION
    return V @ x / (sigma**2 + x @ V @ x)
    ### END SOLUTION


fails_at = ...  # a tuple (V, x, sigma)
### BEGIN SOLUTION
fails_at = (np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([1.0, 3.0]), 0.5)
### END SOLUTION

# %% check
check.update_gain(update_gain, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$k=\frac{Vx}{\sigma^2+x^\top Vx} \tag{26.6}$$
#
# In the denominator is the variance (26.4) of the forecast: the less sure we were of the line there, the more of the
# surprise goes to the weights, and never more than all of it.

# %% task weight_stream [markdown]
# Follow the mean of the weights through the points, from the prior on, with (26.5) and (26.6).


# %% exercise weight_stream
def weight_stream(X, y, sigma, tau):
    """The posterior mean after each point: shape (n, d), one row for each."""
    ### BEGIN SOLUTION
    w, V, rows = np.zeros(X.shape[1]), tau**2 * np.eye(X.shape[1]), []
    for x, target in zip(X, y, strict=True):
        k = V @ x / (sigma**2 + x @ V @ x)
        w = w + k * (target - x @ w)
        V = V - np.outer(k, V @ x)
        rows.append(w)
    return np.array(rows)
    ### END SOLUTION


# %% check
check.weight_stream(weight_stream)

# %% hint [markdown]

# %% [markdown]
# The last row is (26.3) for all points at once, in whatever order they came.
#
# ## Explore
# Left, the posterior of height and slope, and forty draws from it. Right, the forty lines, and what (26.4) says of the
# line at $x_+$.
#
# 1. Go from $n=0$ to $n=1$. Why does the circle become a leaning ellipse?
# 2. Move $x_+$ from 0 to 6, then change the handful. How well do forty draws agree with the exact spread?

# %%
explore.Draws()

# %% [markdown]
# One patient fixes one combination, the height of the line at one index, here 1.05. A higher start with a smaller slope
# passes through the same point, so the ellipse leans and keeps its full length in that direction: one eigenvalue of $V$
# is still 1. Forty draws mostly give the exact spread to within a fifth. That is the third way to use a posterior: not
# its top alone, not a formula, but many draws.

# %% task predictive_draws [markdown]
# **Monte Carlo**: draw weights $w^{(1)},\dots,w^{(S)}$ from the posterior, compute with each, and average,
#
# $$E\,f(w)\approx\frac1S\sum_sf(w^{(s)}),\qquad w^{(s)}\sim N(w_n,V_n). \tag{26.7}$$
#
# Given the draws, and as many draws $e^{(s)}$ from $N(0,1)$, compute mean and variance (with $1/S$) of a new
# measurement at $x$.


# %% exercise predictive_draws
def predictive_draws(W, x, noise, sigma):
    """A tuple (mean, var); W has shape (S, d), noise has shape (S,), x has shape (d,)."""
    ### BEGIN SOLUTION
    y = W @ x + sigma * noise
    return np.mean(y), np.var(y)
    ### END SOLUTION


# %% check
check.predictive_draws(predictive_draws)

# %% hint [markdown]

# %% [markdown]
# For our eight patients and a new one at index 6, with 400,000 draws, and by (26.4):

# %%
rng, x_new = np.random.default_rng(0), np.array([1.0, 6.0])
W = bayes.draw(w, V, 400_000, rng)
exact = np.concatenate(bayes.predictive(x_new[None, :], w, V, 0.8))
print("drawn", np.round(bayes.monte_carlo(W, x_new, rng.normal(size=400_000), 0.8), 2), " exact", exact.round(2))

# %% [markdown]
# Drawing works for any $f$ and any posterior that can be drawn from. Its error falls only like $1/\sqrt S$.
#
# ## The denominator

# %% task regression_evidence [markdown]
# The evidence $p(y)=\int p(y|w)\,p(w)\,dw$ is the density that prior and noise together gave to $y$ before it was seen.
# Compute its logarithm.


# %% exercise regression_evidence
def regression_evidence(X, y, sigma, tau):
    """log p(y) under (26.1): a number."""
    ### BEGIN SOLUTION
    n = len(y)
    C = sigma**2 * np.eye(n) + tau**2 * X @ X.T
    return -(y @ np.linalg.solve(C, y) + np.linalg.slogdet(C)[1] + n * np.log(2 * np.pi)) / 2
    ### END SOLUTION


# %% check
check.regression_evidence(regression_evidence)

# %% hint [markdown]

# %% [markdown]
# $$y\sim N(0,\ \sigma^2I+\tau^2XX^\top) \tag{26.8}$$
#
# What line 4 of the derivation has beside the square is its exponent: with line 5 it is
# $\frac12y^\top Gy-\frac1{2\sigma^2}y^\top y=-\frac12y^\top(\sigma^2I+\tau^2XX^\top)^{-1}y$.
#
# ## Explore
# Twenty-four points of a cubic with noise 0.3, and polynomials of degree 0 to 9.
#
# 1. Which degree has the largest evidence, and which the smallest training error?
# 2. The true coefficients include 4 and −3. What does the evidence prefer at τ = 1, and what does τ = 64 change?

# %%
explore.Degrees()

# %% [markdown]
# The training error is smallest at degree 9, as always; the evidence is largest at 3. A higher degree spreads its
# prior over more curves, so it gave less to these data. At τ = 1 the prior finds 4 improbable, and degree 5 wins: more
# weights share the work. At τ = 64 every degree pays for its vague prior, the higher ones more: degree 9 falls 13 below
# degree 3, a factor of half a million. No data were held out for this.
#
# ## Classes
# For classes $y_i\in\{0,1\}$ with $P(y_i=1)=\sigma(x_i^\top w)$ (here σ is the logistic function) and the same prior,
# the negative logarithm of likelihood times prior is, up to a constant,
#
# $$J(w)=\sum_i\big[\log(1+e^{z_i})-y_iz_i\big]+\frac{\lVert w\rVert^2}{2\tau^2},\qquad z=Xw. \tag{26.9}$$

# %% task which_denominator [markdown]
# The posterior is $e^{-J(w)}$ divided by its integral. The corresponding integral of linear regression was (26.8). They
# can be computed

# %% exercise which_denominator
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "a", "ii"
### END SOLUTION

# %% check
check.which_denominator(choice, reason)

# %% hint [markdown]

# %% task laplace_covariance [markdown]
# **Laplace's approximation** puts a Gaussian on the top of the hill: its mean is the minimiser $\hat w$ of $J$, and its
# exponent is the parabola that $J$ resembles there. So the precision is the Hessian of $J$ at $\hat w$. What is the
# covariance?


# %% exercise laplace_covariance
def laplace_covariance(X, w, tau):
    """The covariance of Laplace's approximation, when w is the minimiser of J: shape (d, d)."""
    ### BEGIN SOLUTION
    p = 1 / (1 + np.exp(-X @ w))
    H = X.T @ np.diag(p * (1 - p)) @ X + np.eye(len(w)) / tau**2
    return np.linalg.solve(H, np.eye(len(w)))
    ### END SOLUTION


# %% check
check.laplace_covariance(laplace_covariance)

# %% hint [markdown]

# %% [markdown]
# $$w|y\approx N(\hat w,V),\qquad V=\Big(X^\top WX+\frac I{\tau^2}\Big)^{-1},\qquad W=\mathrm{diag}\big(p_i(1-p_i)\big)
# \tag{26.10}$$
#
# A forecast averages over this Gaussian. Only the score $t=x_+^\top w\sim N(m,v)$ matters, with $m=x_+^\top\hat w$ and
# $v=x_+^\top Vx_+$:
#
# $$P(y_+=1|y)=\int\sigma(t)\,N(t;m,v)\,dt \tag{26.11}$$

# %% task averaged_chance [markdown]
# The integral has no closed form, but σ has a near twin: the distribution function of $N(0,8/\pi)$, with the same slope
# at 0. Put the twin in the place of σ, integrate exactly, and go back to σ. The result is $\sigma(\kappa m)$. Find κ.


# %% exercise averaged_chance
def averaged_chance(m, v):
    """The approximation σ(κm) of the integral, for numbers or arrays m and v."""
    ### BEGIN SOLUTION
    return 1 / (1 + np.exp(-m / np.sqrt(1 + np.pi * v / 8)))
    ### END SOLUTION


# %% check
check.averaged_chance(averaged_chance)

# %% hint [markdown]

# %% [markdown]
# $$P(y_+=1|y)\approx\sigma\Big(\frac m{\sqrt{1+\pi v/8}}\Big) \tag{26.12}$$
#
# How good is it? The largest error over scores from −10 to 10, for five variances:

# %%
m = np.linspace(-10, 10, 401)
for v in (0.5, 2.0, 8.0, 32.0, 128.0):
    gap = np.abs(bayes.averaged_chance(m, v) - bayes.chance(m, np.full(401, v))).max()
    print(f"v = {v:5.1f}: off by at most {gap:.4f}")

# %% [markdown]
# Here it is never off by more than 0.016.
#
# ## Explore
# Two species of iris told apart by the length of their petals, from a few flowers of each.
#
# 1. What do the three ways say of a petal of 7 cm? Why does the averaged curve not go on to 1?
# 2. Give it all fifty flowers. Which curves come together, and where?

# %%
explore.Chance()

# %% [markdown]
# From four flowers of each, $\hat w$ alone calls virginica certain, 0.9999; the integral says 0.936 and the formula
# 0.921. Far out both $m$ and $\sqrt v$ grow in proportion to $x$, and their ratio, which decides, tends to a constant:
# eight flowers cannot make us certain at any length. With a hundred flowers the three nearly agree.
#
# ## Break it
# A band is a statement inside the model. Look at (26.2) again: what is not in $V_n$?

# %% task outside_band [markdown]
# Ten points at $x=-0.9,-0.7,\dots,0.9$, a line (features 1 and $x$), σ = 0.3, τ = 1. Give ten values $y$ between −3 and
# 3, of which at least eight lie outside the model's own 95% band, $\pm1.96$ spreads of (26.4) around the mean.

# %% exercise outside_band
y_outside = ...  # ten numbers
### BEGIN SOLUTION
y_outside = [3, 3, 2, -2, -3, -3, -2, 2, 3, 3]
### END SOLUTION

# %% check
check.outside_band(y_outside)

# %% hint [markdown]

# %% [markdown]
# $V_n$ does not hold $y$. The band is as narrow for a parabola, or for nonsense, as for a line: it says how sure the
# model would be if it were right. The evidence does hold $y$, and objects:

# %%
x10 = np.linspace(-0.9, 0.9, 10)
parabola = 6 * x10**2 - 2
for degree in (1, 2):
    X10 = x10[:, None] ** np.arange(degree + 1)
    print(f"degree {degree}: log evidence {bayes.log_evidence(X10, parabola, 0.3, tau=4.0):.1f}")

# %% task two_forecasters [markdown]
# A bank predicts spending from income by a line, fitted to incomes between 20 and 80 thousand. A customer earns 300
# thousand. One forecaster quotes the best line ± 2σ, another the band (26.4). Explain in about 120 words: what the
# second variance consists of, where the two agree and where not, and what neither band can show.

# %% explain two_forecasters [markdown]
# ### BEGIN SOLUTION
# The variance of a forecast is σ² + xᵀVx: the noise of one customer, and the doubt about the line. The first forecaster
# leaves the second part out, so his band is equally wide everywhere. Among incomes between 20 and 80 thousand the line
# is well determined, xᵀVx is small, and the two nearly agree. At 300 thousand a small error in the slope is multiplied
# by the distance, and the second band is far wider. More customers shrink xᵀVx, never σ². But both assume that the same
# line holds at 300 as at 50, and V does not depend on y, so neither band would widen if the points lay on a curve. For
# that one has to look at residuals, or compare the evidence of other models.
#
# Marks: one point for the two parts of the variance, one for near and far, one for what the model takes for granted.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# The posterior of the weights is a Gaussian around the ridge solution, and its covariance makes forecasts less sure
# where there are no data. Points can come one by one, precisions add, and the evidence chooses between models without
# held-out data. For classes Laplace's Gaussian takes the place of the exact posterior. All of it is conditional on the
# model. Notebook 27 splits large models into small tables.
#
# *Data:* Efron, Hastie, Johnstone and Tibshirani, Annals of Statistics 32 (2004); Fisher's iris (1936), collected by
# Anderson.

# %% symbols Probability and estimation [markdown]
# | $w_n$, $V_n$ | mean and covariance of the weights after $n$ points | `w`, `V` |
# | $x_+$, $y_+$ | a new point and its target | `X_new` |
