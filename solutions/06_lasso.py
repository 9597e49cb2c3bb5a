# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can derive the soft threshold and fit the lasso with it, one weight at a time, say from which λ on all
# weights are zero, and fit a line that the height of an outlier does not turn, by least squares with changing weights.

# %%
import itertools

import numpy as np

from mlcore import lasso
from mlcore.checks.lasso import check
from mlcore.data import load
from mlcore.explore import lasso as explore

# %% [markdown]
# ## See
# The 442 patients of notebook 05 again, with ten measurements each. Two fits. One is ridge. The other pays
# for the absolute values of the weights instead of their squares, and its penalty is chosen so that both
# explain the same share of the variance.

# %%
explore.TwoFits()

# %% [markdown]
# Both explain 45%. Ridge uses all ten measurements, the other fit uses four: body mass index, blood pressure, hdl and
# ltg. Its other six weights are not small but 0, to the last digit. A physician could stop measuring them.
#
# ## Predict
# A square and an absolute value both grow with the weight. Why should only one of them produce exact zeros? Which part
# of the curves $w^2$ and $|w|$ decides this: far from 0 or close to it? Decide before you go on.

# %% [markdown]
# ## Derive
# The lasso replaces the squared length in the penalty by the sum of absolute values,
# $\lVert w\rVert_1=\sum_j|w_j|$:
#
# $$J(w)=\lVert Xw-y\rVert^2+\lambda\lVert w\rVert_1 \tag{6.1}$$
#
# There is no formula for its minimum. But there is one for a single weight $v$ while the others are held. Let $x$ be
# the column of $X$ that belongs to $v$, and $r$ what the other weights leave of $y$. As a function of $v$ alone,
# $J$ is $\lVert r-xv\rVert^2+\lambda|v|$ plus a constant.

# %% task one_coordinate [markdown]
# From this function to its slope. `v` and `lam` are numbers, `x` and `r` have shape $(n,)$, and $v$ is never 0.
# Lines 2 and 3 are two ways to write line 1, lines 4 and 5 two ways to write its derivative. Every line returns the
# pieces of its formula.


# %%
def line_1(v, x, r, lam):
    """What one weight contributes to J."""
    return (r - x * v) @ (r - x * v) + lam * np.abs(v)


# %% exercise one_coordinate
def line_2(v, x, r, lam):
    """The square of line 1 multiplied out: (quadratic, linear, constant), three numbers; line 1 is their sum + λ|v|."""
    ### BEGIN SOLUTION
    return v**2 * (x @ x), -2 * v * (x @ r), r @ r
    ### END SOLUTION


def line_3(v, x, r, lam):
    """Line 2 with its λ|v| as av² − 2bv + constant, where b holds s = sign v: (a, b, constant), three numbers.

    None of them holds v itself: a change of v on one side of 0 does not change them.
    """
    ### BEGIN SOLUTION
    s = np.sign(v)
    return x @ x, x @ r - s * lam / 2, r @ r
    ### END SOLUTION


def line_4(v, x, r, lam):
    """The derivative of line 3 with respect to v as hv − g, a and b being constants: (h, g), two numbers."""
    ### BEGIN SOLUTION
    a, b, _ = line_3(v, x, r, lam)
    return 2 * a, 2 * b
    ### END SOLUTION


def line_5(v, x, r, lam):
    """Line 4 as h(v − m): (h, m), two numbers."""
    ### BEGIN SOLUTION
    h, g = line_4(v, x, r, lam)
    return h, g / h
    ### END SOLUTION


# %% check
check.one_coordinate(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# Your $hv-g$ is
#
# $$f'(v)=2\lVert x\rVert^2v-2x^\top r+\lambda\,\mathrm{sign}\,v \tag{6.2}$$
#
# At $v=0$ there is no derivative: the slope jumps there by $2\lambda$, from $-2x^\top r-\lambda$ on the left to
# $-2x^\top r+\lambda$ on the right.

# %% task lasso_one_weight [markdown]
# Where is the minimum? Take a column of length 1, so that $x^\top x=1$, and write $z=x^\top r$, which is the weight of
# least squares. Then minimising $f$ means minimising $(v-z)^2+\lambda|v|$. Try $v>0$, then $v<0$, and ask what is left.


# %% exercise lasso_one_weight
def lasso_one_weight(z, lam):
    """The v that minimises (v − z)² + λ|v|, for every entry of the array z: the shape of z."""
    ### BEGIN SOLUTION
    return np.sign(z) * np.maximum(np.abs(z) - lam / 2, 0)
    ### END SOLUTION


# %% check
check.lasso_one_weight(lasso_one_weight)

# %% hint [markdown]

# %% [markdown]
# The answer is the *soft threshold* of $z$ at $\lambda/2$:
#
# $$S(z,k)=\mathrm{sign}(z)\,\max(|z|-k,\,0),\qquad \arg\min_v\,(v-z)^2+\lambda|v|=S(z,\lambda/2) \tag{6.3}$$
#
# Everything moves towards 0 by the same $\lambda/2$, and what would pass it stops there. If the columns of $X$ are
# orthonormal, this is the whole lasso: $\hat w_j=S(x_j^\top y,\lambda/2)$. Ridge would give $z/(1+\lambda)$, which is
# 0 only if $z$ is. This answers the question above: close to 0 the slope of $\lambda w^2$ fades,
# and that of $\lambda|w|$ does not.
#
# ## Explore
# The same in two dimensions. The ellipses are contours of the squared loss. As in (5.10), a penalty is also a budget:
# $\hat w$ is the best $w$ within a diamond for the lasso, and within a disc for ridge.
#
# 1. Over which range of λ does the lasso stay in the corner, with $\hat w_2=0$?
# 2. Does ridge ever reach an axis?

# %%
explore.Touching()

# %% [markdown]
# From λ = 30 on the second weight is 0, and from 50 on the first is too. A corner can be touched from many directions,
# so $\hat w_2$ stays at 0 while λ moves. The disc is touched on the axis only by a contour that is upright right
# there, and for almost all data there is none.

# %% task lasso_sweep [markdown]
# Now all weights. Take them in turn, from the first column to the last, and give each its best value while the others
# are held. This is called *coordinate descent*; notebook 10 uses it for other functions. A column need not have
# length 1 here. Write one sweep.


# %% exercise lasso_sweep
def lasso_sweep(w, X, y, lam):
    """w after each weight has been minimised once, in order, with the newest values of the others: shape (d,)."""
    ### BEGIN SOLUTION
    w = w.copy()
    for j in range(len(w)):
        x = X[:, j]
        r = y - X @ w + x * w[j]
        w[j] = lasso_one_weight(x @ r, lam) / (x @ x)
    return w
    ### END SOLUTION


# %% check
check.lasso_sweep(lasso_sweep)

# %% hint [markdown]

# %% [markdown]
# $$w_j\leftarrow\frac{S(x_j^\top r,\ \lambda/2)}{\lVert x_j\rVert^2},\qquad r=y-\sum_{k\neq j}x_kw_k \tag{6.4}$$
#
# No step can make $J$ larger. Here is $J$ on the diabetes data with λ = 10 000, at $w=0$ and after each of
# five sweeps:

# %%
X, y = load("diabetes").standardised()
sweeps = itertools.islice(lasso.coordinate_descent(X, y, lam=10_000), 6)
[round(lasso.objective(w, X, y, lam=10_000)) for w in sweeps]

# %% [markdown]
# `lasso.fit` repeats the sweep until nothing moves. These are the weights that are not 0:

# %%
w = lasso.fit(X, y, lam=10_000)
{feature: round(float(weight), 1) for feature, weight in zip(load("diabetes").features, w, strict=True) if weight}

# %% [markdown]
# How do we know that this is the minimum? By (6.2), when no step moves, every weight satisfies
#
# $$2x_j^\top(y-X\hat w)=\lambda\,\mathrm{sign}\,\hat w_j\ \text{ if }\hat w_j\neq0,\qquad
# |2x_j^\top(y-X\hat w)|\le\lambda\ \text{ if }\hat w_j=0. \tag{6.5}$$
#
# $J$ is convex, and these conditions are enough. In words: the data pull at every weight that is not 0 with the force λ
# exactly, and at the others with no more. (scikit-learn's `Lasso` divides the squared loss by $2n$: its `alpha` is our
# $\lambda/2n$, and its weights are ours.) The largest violation, beside a λ of 10 000:

# %%
float(lasso.violation(w, X, y, lam=10_000).round(6))

# %% task lasso_lambda_max [markdown]
# If λ is large enough, all weights are 0. What is the smallest such λ?


# %% exercise lasso_lambda_max
def lasso_lambda_max(X, y):
    """The smallest λ for which w = 0 minimises J: a number."""
    ### BEGIN SOLUTION
    return 2 * np.max(np.abs(X.T @ y))
    ### END SOLUTION


# %% check
check.lasso_lambda_max(lasso_lambda_max)

# %% hint [markdown]

# %% [markdown]
# $$\lambda_{\max}=2\max_j|x_j^\top y| \tag{6.6}$$
#
# ## Explore
# The ten weights against λ, for the lasso on the left and for ridge on the right. A hollow dot stands for weights that
# are 0.
#
# 1. In which order do the weights of the lasso go, and which is the last?
# 2. A larger λ makes $\lVert\hat w\rVert_1$ smaller. Does it make every weight smaller?

# %%
explore.Paths()

# %% [markdown]
# They go one by one, age and ldl first and bmi last, at $\lambda_{\max}$ = 39 921. Ridge keeps all ten. But hdl
# *grows*, from −0.4 at λ = 100 to −10.6 near λ = 850: tc and ldl give way, and hdl takes over part of their work. So a
# weight depends on which other measurements are in.
#
# The penalty is a prior here too. Repeat the argument for (5.9) with a Laplace prior, whose density is proportional to
# $e^{-|w_j|/\tau}$. (Here τ is a scale; the variance is $2\tau^2$.) The negative logarithm of the posterior is
# $\lVert Xw-y\rVert^2/2\sigma^2+\lVert w\rVert_1/\tau$ plus a constant, and times $2\sigma^2$ it is (6.1) with
#
# $$\lambda=\frac{2\sigma^2}{\tau}. \tag{6.7}$$
#
# ## Spot the slip
# Here is another explanation of the zeros, as printed in well-meaning lecture notes.

# %% task sparse_argument [markdown]
# > *Let all $d$ features be identical. Then $a=(1,0,\dots,0)$ and $b=(1/d,\dots,1/d)$ fit equally well. With the L2
# > penalty, $b$ is preferred because $\lVert b\rVert_2=1/\sqrt d<1$. With the L1 penalty, the sparser one is preferred
# > because $\lVert a\rVert_1<\lVert b\rVert_1$.*
#
# With identical features, any two vectors with the same sum fit equally well. Let `l1_prefers(a, b)` be +1 if the
# L1 penalty prefers $a$, −1 if it prefers $b$ and 0 if it does not care. The notes claim
# that this is the sign of (number of nonzeros of $b$) − (number of nonzeros of $a$). Write what it is, and give a pair
# for which the claim is wrong.


# %% exercise sparse_argument
def l1_prefers(a, b):
    """Which of two vectors with the same sum has the smaller L1 penalty: +1 for a, −1 for b, 0 for neither."""
    ### BEGIN SOLUTION
    return np.sign(np.sum(np.abs(b)) - np.sum(np.abs(a)))
    ### END SOLUTION


claim_fails_at = ...  # a tuple (a, b)
### BEGIN SOLUTION
claim_fails_at = (np.array([1.0, 0.0]), np.array([0.5, 0.5]))
### END SOLUTION

# %% check
check.sparse_argument(l1_prefers, claim_fails_at)

# %% hint [markdown]

# %% [markdown]
# The two vectors of the text both have $\lVert\cdot\rVert_1=1$: for weights of one sign $\lVert w\rVert_1$ is
# their sum, however it is divided. So with identical features the lasso has many solutions, and the start decides
# which one we get. Twice the column of bmi, from two starts, with $J$ behind each:

# %%
twins = X[:, [2, 2]]
for start in ([0.0, 0.0], [0.0, 30.0]):
    w = lasso.fit(twins, y, 10_000, start)
    print(w.round(2), round(lasso.objective(w, twins, y, 10_000)))

# %% [markdown]
# The L2 penalty does decide, for equal shares. The zeros of the lasso come from the kink of $|w|$ at 0, as in (6.3),
# and not from this example.
#
# ## The absolute value as a loss
# So far $|\cdot|$ stood in the penalty. Now it takes the place of the square in the loss, and there is no penalty:
#
# $$A(w)=\lVert Xw-y\rVert_1=\sum_i|x_i^\top w-y_i| \tag{6.8}$$

# %% task l1_constant [markdown]
# Begin with the smallest model, a constant $c$. Least squares would take the mean of $y$. Which $c$ makes
# $\sum_i|y_i-c|$ smallest? If there are several, give any of them.


# %% exercise l1_constant
def l1_constant(y):
    """A c with the smallest Σ|yᵢ − c|: a number."""
    ### BEGIN SOLUTION
    return np.median(y)
    ### END SOLUTION


# %% check
check.l1_constant(l1_constant)

# %% hint [markdown]

# %% [markdown]
# $$\hat c=\mathrm{median}(y) \tag{6.9}$$
#
# Each point pulls at $c$ with the slope of its own loss. That of $r^2$ is $2r$: a point ten times as far pulls ten
# times as hard. That of $|r|$ is ±1: every point has one vote, however far away it is, and only the number of votes on
# each side counts.
#
# ## Explore
# Nine points near a line, and one outlier ◆.
#
# 1. Raise $h$ from 0 to 25. What do the two slopes do?
# 2. Now move the outlier to the right. Is the L1 line safe from it?

# %%
explore.Outlier()

# %% [markdown]
# At $x=7.5$ the slope of least squares doubles, from 0.95 to 1.93. That of the L1 line moves from 1.01 to 1.08 while
# the outlier passes through the line, and then stays: how far above it is does not matter. Where it stands does. At a
# height of 15 the L1 line goes through the outlier as soon as $x$ is 25 or more. We come back to this.

# %% task irls_mu [markdown]
# How do we compute the L1 line? $A$ has a kink wherever a residual is 0, and that is where its minimum lies. A detour
# leads back to squares. For $\mu>0$ look at
#
# $$\frac12\left(\frac{a^2}{\mu}+\mu\right).$$
#
# In $a$ it is a parabola, and it is nowhere below $|a|$. Given $a\neq0$, which μ makes it smallest?


# %% exercise irls_mu
def irls_mu(a):
    """The μ > 0 that minimises ½(a²/μ + μ), for a number a ≠ 0."""
    ### BEGIN SOLUTION
    return np.abs(a)
    ### END SOLUTION


# %% check
check.irls_mu(irls_mu)

# %% hint [markdown]

# %% [markdown]
# $$|a|=\min_{\mu>0}\frac12\left(\frac{a^2}\mu+\mu\right),\quad\text{reached at }\mu=|a| \tag{6.10}$$
#
# Any other μ gives $(|a|-\mu)^2/2\mu$ more. Put this into (6.8), with one $\mu_i$ for each point:
# $\min_wA(w)=\min_w\min_{\mu>0}\sum_i\frac12\left(\frac{(x_i^\top w-y_i)^2}{\mu_i}+\mu_i\right)$.
# We minimise in turns, over μ with $w$ held and over $w$ with μ held. No turn can make the sum larger.

# %% task reweighted_step [markdown]
# Other lecture notes print the two half-steps like this:
#
# > *(a) Given $w$, set $\mu_i=|x_i^\top w-y_i|$. (b) Given μ, set
# > $w=\arg\min_w\sum_i\frac12(x_i^\top w-y_i)^2$.*
#
# One of them has lost something. Mend it, and write (a) and (b) as one step from the old $w$ to the new one. Where
# does the printed version lead elsewhere?


# %% exercise reweighted_step
def reweighted_step(w, X, y):
    """The new w, after (a) and the mended (b): shape (d,)."""
    ### BEGIN SOLUTION
    mu = np.abs(X @ w - y)
    return np.linalg.solve(X.T @ (X / mu[:, None]), X.T @ (y / mu))
    ### END SOLUTION


step_fails_at = ...  # a tuple (w, X, y)
### BEGIN SOLUTION
step_fails_at = (np.array([0.0]), np.ones((3, 1)), np.array([1.0, 2.0, 9.0]))
### END SOLUTION

# %% check
check.reweighted_step(reweighted_step, step_fails_at)

# %% hint [markdown]

# %% [markdown]
# $$w\leftarrow(X^\top DX)^{-1}X^\top Dy,\qquad D=\mathrm{diag}(1/\mu_1,\dots,1/\mu_n),\quad
# \mu_i=|x_i^\top w-y_i| \tag{6.11}$$
#
# This is least squares again, but each point counts $1/\mu_i$ times: a point that is far from the present line has
# little to say about the next one. The printed (b) forgets μ. It gives the least squares solution in the first
# step and in all later ones.

# %% task robust_line [markdown]
# Repeat the step until it settles. Start at least squares. The test data have five outliers. Residuals become 0 on the
# way, so keep every $\mu_i$ at $10^{-9}$ or above. The loss of your line may be a thousandth above the smallest.


# %% exercise robust_line
def robust_line(X, y):
    """The w with the smallest ‖Xw − y‖₁: shape (d,)."""
    ### BEGIN SOLUTION
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    for _ in range(200):
        mu = np.maximum(np.abs(X @ w - y), 1e-9)
        w = np.linalg.solve(X.T @ (X / mu[:, None]), X.T @ (y / mu))
    return w
    ### END SOLUTION


# %% check
check.robust_line(robust_line)

# %% hint [markdown]

# %% [markdown]
# On the diabetes data, with ten weights, how many of the 442 residuals of the L1 fit are 0?

# %%
w = lasso.fit_robust(X, y)
int(np.sum(np.abs(X @ w - y) < 1e-6))

# %% [markdown]
# Ten: as many as there are weights. The kink that sets weights to 0 in the penalty sets residuals to 0 in the loss.
#
# ## Break it
# Far to the right, the outlier of the explorer won. One vote for each point is not the whole story. The slope of
# $|x_iw-y_i|$ with respect to $w$ is $\pm x_i$: on the *slope* of a line, a vote weighs as much as its $x$ is far out.

# %% task lever_point [markdown]
# Nine points lie exactly on $y=x$, at $x=0,1,\dots,8$. Add a tenth, at least 10 above or below that line, so that
# the L1 line of all ten passes through *it*.

# %% exercise lever_point
tenth_point = ...  # a tuple (x, y)
### BEGIN SOLUTION
tenth_point = (30.0, 60.0)
### END SOLUTION

# %% check
check.lever_point(tenth_point)

# %% hint [markdown]

# %% [markdown]
# Turn the line about $x=4$. The nine points together have a lever of $\sum_i|x_i-4|=20$, so one point farther than 20
# from the middle outvotes them all. The L1 loss protects against an extreme $y$, not against an extreme $x$.

# %% task two_kinks [markdown]
# The same function appeared twice, as penalty $|w_j|$ and as loss $|r_i|$. Explain in about 120 words, with slopes: why
# the first gives weights that are exactly 0 where ridge gives small ones, why the second is not impressed by the height
# of an outlier where least squares is, and one conclusion that one of them does not allow.

# %% explain two_kinks [markdown]
# ### BEGIN SOLUTION
# The slope of λ|w| is −λ on the left of 0 and λ on the right, however close w is. A weight leaves 0 only if the data
# pull at it with more than λ; all weaker pulls leave it exactly there. The slope 2λw of ridge fades with w, so any pull
# moves the weight. In the loss, the slope of |r| is ±1: a point pulls with the same force at a distance of 1
# and of 100, so raising an outlier changes nothing, while the slope 2r of the square lets it pull ever harder. At r = 0
# the kink holds the line, which passes through some points exactly. A weight of 0 does not prove that a measurement has
# no effect: a correlated one may stand in for it. And an outlier far out in x still turns the L1 line.
#
# Marks: one point for each kink, with its slopes, and one for a limit.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# The lasso is fitted one weight at a time by the soft threshold, and its weights become 0 one by one, the last at
# $\lambda_{\max}=2\max_j|x_j^\top y|$. The zeros come from the kink of $|w|$, whose slope does not fade. As a loss,
# the absolute value gives each point one vote, and least squares with the weights $1/|r_i|$, repeated, finds its line.
#
# *Data:* Efron, Hastie, Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004).

# %% symbols Models of regression [markdown]
# | $r$ | residuals $y-Xw$, or what other weights leave unexplained | `r` |
# | $S(z,k)$ | soft threshold: $z$ moved towards 0 by $k$, and 0 if it would cross | `soft_threshold` |

# %% symbols Optimisation [markdown]
# | $\lVert x\rVert_p$ | $p$-norm; without an index $p=2$ | `np.linalg.norm` |
