# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can derive the ridge solution line by line, say what λ does to each direction of the data,
# keep the bias out of the penalty, and read the same λ as a prior and as a budget.

# %%
import numpy as np

from mlcore import ridge
from mlcore.checks.ridge import check
from mlcore.data import load
from mlcore.explore import ridge as explore

# %% [markdown]
# ## See
# 442 patients, ten measurements of each, and how far their diabetes has progressed a year later.
# We give least squares a random half of the patients, two hundred times, and plot what it believes
# about every measurement.

# %%
explore.Halves()

# %% [markdown]
# Body mass index and blood pressure get the same sign from every half. High-density cholesterol (hdl) does not: in two
# thirds of the halves its weight is positive, in one third negative. Nothing is wrong with the patients, and nothing
# with the algebra. Least squares has too much freedom.

# %% [markdown]
# ## Predict
# We are about to make large weights expensive. Which of the ten will move most, and will the sign of hdl settle?
# Decide before you go on.

# %% [markdown]
# ## Derive
# Ridge regression adds to the squared error a price for leaving a guess $w_0$, usually zero:
#
# $$J(w)=\lVert Xw-y\rVert^2+\lambda\lVert w-w_0\rVert^2 \tag{5.1}$$
#
# $X$ is $(n,d)$ with one row for each point, $\lambda\ge0$ says how much we insist on the guess,
# and the error is a sum over the points, not a mean.

# %% task normal_equations [markdown]
# From $J$ to an equation that we can solve. Every line is a function of the same variables, and returns the pieces of
# its formula. Lines 2 and 3 are two ways to write $J$, line 4 is the derivative of line 3.


# %%
def line_1(w, X, y, lam, w0):
    """J(w), equation (5.1)."""
    return (X @ w - y) @ (X @ w - y) + lam * (w - w0) @ (w - w0)


# %% exercise normal_equations
def line_2(w, X, y, lam, w0):
    """Line 1 multiplied out: (quadratic, linear, constant), three numbers whose sum is J."""
    ### BEGIN SOLUTION
    quadratic = w @ X.T @ X @ w + lam * w @ w
    linear = -2 * w @ X.T @ y - 2 * lam * w @ w0
    return quadratic, linear, y @ y + lam * w0 @ w0
    ### END SOLUTION


def line_3(w, X, y, lam, w0):
    """Line 2 as wᵀAw − 2wᵀc + constant: (A, c, constant), with shapes (d, d), (d,) and a number."""
    ### BEGIN SOLUTION
    A = X.T @ X + lam * np.eye(len(w))
    return A, X.T @ y + lam * w0, y @ y + lam * w0 @ w0
    ### END SOLUTION


def line_4(w, X, y, lam, w0):
    """The derivative of line 3 as Hw − b: (H, b), with shapes (d, d) and (d,)."""
    ### BEGIN SOLUTION
    A, c, _ = line_3(w, X, y, lam, w0)
    return 2 * A, 2 * c
    ### END SOLUTION


# %% check
check.normal_equations(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# Your $Hw-b$, with the error and the penalty kept apart, is the gradient
#
# $$\nabla J(w)=2X^\top(Xw-y)+2\lambda(w-w_0). \tag{5.2}$$

# %% task ridge_fit [markdown]
# At the minimum the gradient is zero. Solve for $w$.


# %% exercise ridge_fit
def ridge_fit(X, y, lam, w0):
    """The minimiser of J, equation (5.1): shape (d,)."""
    ### BEGIN SOLUTION
    d = X.shape[1]
    return np.linalg.solve(X.T @ X + lam * np.eye(d), X.T @ y + lam * w0)
    ### END SOLUTION


# %% check
check.ridge_fit(ridge_fit)

# %% hint [markdown]

# %% [markdown]
# $$\hat w=(X^\top X+\lambda I)^{-1}(X^\top y+\lambda w_0) \tag{5.3}$$
#
# Two limits to keep in mind. At $\lambda=0$ this is least squares. For $\lambda\to\infty$ the data no longer count,
# and the guess comes back, here 3 for each of the ten weights:

# %%
X, y = load("diabetes").standardised()
ridge.fit(X, y, lam=1e9, w0=np.full(10, 3.0)).round(3)

# %% task always_invertible [markdown]
# Least squares stops working when $X^\top X$ has no inverse. When does $X^\top X+\lambda I$ have one?

# %% exercise always_invertible
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "a", "ii"
### END SOLUTION

# %% check
check.always_invertible(choice, reason)

# %% hint [markdown]

# %% [markdown]
# ## Explore
# All ten weights of the diabetes fit against λ. Move λ from left to right, then give another guess.
#
# 1. At which λ does the sign of hdl change, and what do tc and ldl do meanwhile?
# 2. Does any weight become zero and stay there before λ is infinite?

# %%
explore.Paths()

# %% [markdown]
# tc (−38) and ldl (+23) begin as two large weights that nearly cancel: the two measurements have a correlation of 0.9.
# A little penalty dissolves the quarrel, and hdl, which is part of tc, becomes negative, as physicians expect, from
# λ ≈ 1.6 on. Some weights pass through zero, but none stays there before λ is infinite: the penalty's own pull,
# $2\lambda w$, fades as $w$ does.

# %% task ridge_diagonal [markdown]
# One λ for all weights is a choice. For a polynomial we may want to distrust the high powers more, with the penalty
# $\sum_k\lambda_kw_k^2=w^\top\Lambda w$, where $\Lambda=\mathrm{diag}(\lambda_1,\dots,\lambda_d)$. Take $w_0=0$ from
# here on.


# %% exercise ridge_diagonal
def ridge_diagonal(X, y, lams):
    """The minimiser of ‖Xw − y‖² + wᵀΛw; lams holds one penalty for each weight: shape (d,)."""
    ### BEGIN SOLUTION
    return np.linalg.solve(X.T @ X + np.diag(lams), X.T @ y)
    ### END SOLUTION


# %% check
check.ridge_diagonal(ridge_diagonal)

# %% hint [markdown]

# %% [markdown]
# $$\hat w=(X^\top X+\Lambda)^{-1}X^\top y \tag{5.4}$$

# %% task ridge_free_bias [markdown]
# A bias $b$ says where $y$ lives: in grams or in kilograms, above freezing or above absolute zero.
# Distrusting it makes no sense, so it stays out of the penalty:
#
# $$\hat w,\hat b=\arg\min_{w,b}\ \lVert Xw+b-y\rVert^2+\lambda\lVert w\rVert^2 \tag{5.5}$$
#
# Return both.


# %% exercise ridge_free_bias
def ridge_free_bias(X, y, lam):
    """Equation (5.5): a tuple (w, b) with w of shape (d,) and b a number."""
    ### BEGIN SOLUTION
    x_mean, y_mean = X.mean(axis=0), y.mean()
    w = np.linalg.solve((X - x_mean).T @ (X - x_mean) + lam * np.eye(X.shape[1]), (X - x_mean).T @ (y - y_mean))
    return w, y_mean - x_mean @ w
    ### END SOLUTION


# %% check
check.ridge_free_bias(ridge_free_bias)

# %% hint [markdown]

# %% [markdown]
# ## Break it
# The other route to (5.5) puts a column of ones in front of $X$ and penalises with
# $\hat I=\mathrm{diag}(0,1,\dots,1)$. One text says that $X^\top X+\lambda\hat I$ is positive definite
# *since $X^\top X$ is positive semi-definite*. The conclusion is right, the reason is not.

# %% task singular_design [markdown]
# Show that the reason is not enough: an $X$ with three columns and at least two rows, not all entries zero, for which
# $X^\top X+\lambda\hat I$ is singular although $X^\top X$ is positive semi-definite as always.

# %% exercise singular_design
X_singular = ...
### BEGIN SOLUTION
X_singular = np.array([[0, 1, 2], [0, 3, 1], [0, 1, 1]])
### END SOLUTION

# %% check
check.singular_design(X_singular)

# %% hint [markdown]

# %% [markdown]
# What saves the bias is its column: it is all ones, so $X(1,0,\dots,0)^\top\neq0$, and the two summands
# never vanish together.

# %% task ridge_tikhonov [markdown]
# Sometimes it is not the weights that should be small but something we compute from them. If the features are
# readings at neighbouring wavelengths, neighbouring weights should be alike: penalise the differences.
# The penalty is $\lVert\Gamma w\rVert^2$ with a matrix $\Gamma$ such as the one below.

# %%
ridge.first_differences(5)


# %% exercise ridge_tikhonov
def ridge_tikhonov(X, y, Gamma):
    """The minimiser of ‖Xw − y‖² + ‖Γw‖²; Gamma is (m, d), not square in general: shape (d,)."""
    ### BEGIN SOLUTION
    return np.linalg.solve(X.T @ X + Gamma.T @ Gamma, X.T @ y)
    ### END SOLUTION


# %% check
check.ridge_tikhonov(ridge_tikhonov)

# %% hint [markdown]

# %% [markdown]
# $$\hat w=(X^\top X+\Gamma^\top\Gamma)^{-1}X^\top y \tag{5.6}$$
#
# ## Direction by direction
# Why did hdl calm down while bmi hardly moved? The singular value decomposition $X=USV^\top$ splits the data into
# directions $v_j$, along which they are $s_j$ wide. Least squares treats each on its own,
# $\hat w=\sum_j\frac1{s_j}(u_j^\top y)\,v_j$, and where $s_j$ is tiny it divides noise by a tiny number.

# %% task ridge_svd [markdown]
# Put $X=USV^\top$ into (5.3) with $w_0=0$. What stands in the place of $1/s_j$? Compute $\hat w$ this way, without
# solving a system.


# %% exercise ridge_svd
def ridge_svd(X, y, lam):
    """The ridge solution from the singular value decomposition of X: shape (d,)."""
    ### BEGIN SOLUTION
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    return Vt.T @ (s / (s**2 + lam) * (U.T @ y))
    ### END SOLUTION


# %% check
check.ridge_svd(ridge_svd)

# %% hint [markdown]

# %% [markdown]
# $$\hat w=\sum_j\frac{s_j}{s_j^2+\lambda}\,(u_j^\top y)\,v_j
# =\sum_j\frac{s_j^2}{s_j^2+\lambda}\cdot\frac{u_j^\top y}{s_j}\,v_j \tag{5.7}$$
#
# Ridge keeps the share $s_j^2/(s_j^2+\lambda)$ of what least squares says: nearly all where the data are wide, nearly
# nothing where they are thin.
#
# ## Explore
# Two features of correlation ρ, true weights (1, 1), and three hundred data sets of thirty points.
#
# 1. Push ρ towards 1. Along which line does least squares scatter, and which singular value is that?
# 2. At ρ = 0, is ridge still better? Try several λ.

# %%
explore.Collinearity()

# %% [markdown]
# The sum of the two weights is well determined, their difference is not: it belongs to the small singular value, and
# least squares divides noise by it. Ridge pays for its calm with a bias towards zero, which shows as soon as λ is
# large: the cloud is tight, and beside the truth. At ρ = 0 ridge
# gains a little at λ = 1 (0.067 against 0.069) and loses at λ = 3 (0.076). Notebook 07 finds the λ with the smallest
# error.

# %% task ridge_freedom [markdown]
# How many weights are still free? The fitted values are $\hat y=Hy$ with $H=X(X^\top X+\lambda I)^{-1}X^\top$. At
# $\lambda=0$ the trace of $H$ is $d$, the number of weights; for $\lambda>0$ it is called the effective degrees of
# freedom. Compute it.


# %% exercise ridge_freedom
def ridge_freedom(X, lam):
    """The trace of the matrix that takes y to ŷ: a number."""
    ### BEGIN SOLUTION
    s = np.linalg.svd(X, compute_uv=False)
    return np.sum(s**2 / (s**2 + lam))
    ### END SOLUTION


# %% check
check.ridge_freedom(ridge_freedom)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{df}(\lambda)=\sum_j\frac{s_j^2}{s_j^2+\lambda} \tag{5.8}$$
#
# It adds up the shares of (5.7). A polynomial of degree 12 has thirteen coefficients, and at a small λ it spends most
# of them. Where is the error against the truth smallest, and what does the curve become at the far right?

# %%
explore.Curve()

# %% [markdown]
# The error on the points only ever rises with λ. The error against the truth falls first and is smallest near
# λ = 0.01, where between five and six degrees of freedom are left. In the limit only the free bias survives:
# a constant, the mean of $y$.

# %% [markdown]
# ## Spot the slip
# Two formulas as printed in well-meaning lecture notes. Each is wrong in one place. Mend it, and give an input at which
# the printed version fails.

# %% task map_penalty [markdown]
# > *If the weights have the prior $w\sim N(0,\tau^2I)$ and the data are $y\mid w\sim N(Xw,\sigma^2I)$, then the most
# > probable $w$ minimises $\lVert Xw-y\rVert^2+\frac1\tau\lVert w\rVert^2$.*
#
# Which λ belongs there? And where does the printed $1/\tau$ give another one?


# %% exercise map_penalty
def map_penalty(sigma, tau):
    """The λ for which ridge gives the most probable w."""
    ### BEGIN SOLUTION
    return sigma**2 / tau**2
    ### END SOLUTION


fails_at = ...  # a tuple (sigma, tau)
### BEGIN SOLUTION
fails_at = (2.0, 1.0)
### END SOLUTION

# %% check
check.map_penalty(map_penalty, fails_at)

# %% hint [markdown]

# %% task budget [markdown]
# > *Regularisation is a constraint: ridge with the penalty λ solves $\min_w\lVert Xw-y\rVert^2$ subject to
# > $\lVert w\rVert^2\le\lambda$.*
#
# The bound should be a budget $t$ that shrinks as λ grows. Which $t$ belongs to λ?


# %% exercise budget
def budget(X, y, lam):
    """The t for which the constrained problem has the solution ŵ(λ) of ridge."""
    ### BEGIN SOLUTION
    w = ridge.fit(X, y, lam)
    return w @ w
    ### END SOLUTION


breaks_at = ...  # a tuple (X, y, lam)
### BEGIN SOLUTION
breaks_at = (np.array([[1.0]]), np.array([2.0]), 4.0)
### END SOLUTION

# %% check
check.budget(budget, breaks_at)

# %% hint [markdown]

# %% [markdown]
# $$\lambda=\frac{\sigma^2}{\tau^2}\quad(5.9)\qquad\qquad t=\lVert\hat w(\lambda)\rVert^2\quad(5.10)$$
#
# The first reads the penalty as the noise that we expect against the weights that we expect, the second as a length
# that $\hat w$ may not exceed.

# %% task two_halves [markdown]
# Two hospitals fit the ten measurements by least squares, each to its own half of the patients. One reports
# that ldl speeds the disease up, the other that it slows it down. A colleague proposes ridge and finds a small weight
# for ldl in both. Explain in about 120 words, with the singular values of $X$: why the hospitals disagree,
# why the colleague's two fits agree, and what the small weight does *not* prove.

# %% explain two_halves [markdown]
# ### BEGIN SOLUTION
# ldl and total cholesterol have a correlation of 0.9: the data fix the sum of their effects, but along their
# difference X has a small singular value s. Least squares divides by s there, so what it reports in that direction is
# noise magnified by 1/s, and each hospital has its own noise. Ridge multiplies by s/(s² + λ) instead, which stays small
# when s does, so both fits give nearly the same value close to zero in that direction. This is a decision, not a
# discovery: ridge is biased towards the guess 0 exactly where the data are silent, so a small weight says that the
# data could not tell, not that ldl has no effect.
#
# Marks: one point for the correlated measurements and the undetermined difference, one for 1/s against s/(s² + λ),
# one for the bias.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# Ridge minimises the squared error plus λ times the squared distance to a guess, and has exactly one solution for every
# λ > 0. It shrinks each singular direction by $s^2/(s^2+\lambda)$, so it gives up where the data say little. The same
# λ is a ratio of variances, $\sigma^2/\tau^2$, and the price of a budget, $\lVert\hat w\rVert^2$. Notebook 06
# replaces the square in the penalty by an absolute value, and some weights do stop at zero.
#
# *Data:* Efron, Hastie, Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004).

# %% symbols Models of regression [markdown]
# | $J$ | what is minimised: a loss plus its penalty | `objective` |
# | $\lambda$ | weight of the penalty $\lambda\lVert w\rVert^2$ (in classification $\frac\lambda2\lVert w\rVert^2$) |
# `lam` |
# | $\Lambda$, $\Gamma$ | one penalty for each weight, $w^\top\Lambda w$; a penalty $\lVert\Gamma w\rVert^2$ |
# `lams`, `Gamma` |
# | $w_0$ | the guess that a penalty pulls to | `w0` |
# | $\mathrm{df}$ | effective degrees of freedom, the trace of $H$ | `degrees_of_freedom` |
# | $s_j$, $u_j$, $v_j$ | singular values and directions, $X=USV^\top$ | `s`, `U`, `Vt` |
