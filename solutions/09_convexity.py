# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can refute convexity with three numbers, prove it by a chord and by a second derivative,
# compute how strongly convex a regression is, and certify a minimum at which the gradient is not zero.

# %%
import numpy as np

from mlcore import convexity
from mlcore.checks.convexity import check
from mlcore.data import load
from mlcore.explore import convexity as explore

# %% [markdown]
# ## See
# Ten points, labels 0 and 1, and a model with a single weight, $\hat y=\sigma(wx)$ with
# $\sigma(t)=1/(1+e^{-t})$. We fit it with two losses, and let $w$ roll downhill from nine starts.

# %%
explore.TwoLosses()

# %% [markdown]
# The squared error sends three starts to one valley and six to another, and the second is worse: 2.99 against 2.39. At
# both bottoms the slope is zero, and nothing on the spot says whether there is a lower one. The log loss has the
# same model and the same points, and one valley.

# %% [markdown]
# ## Predict
# Draw a straight line between two points of a curve. For which of these can the line pass below the curve somewhere in
# between: $x^2$, $\log(1+e^x)$, $(x^2-1)^2$, $e^{-x^2/2}$, $(\sigma(x)-1)^2$? Decide before you go on.

# %% [markdown]
# ## The chord
# A function $f$ is **convex** if no chord passes below it: for any two points $u$, $v$ and any
# $\theta\in[0,1]$
#
# $$f\big((1-\theta)u+\theta v\big)\le(1-\theta)f(u)+\theta f(v). \tag{9.1}$$
#
# On the left is the curve, on the right the chord from $u$ to $v$, both at the place $\theta$ of the way. If $f$ is
# differentiable, the tangents say the same from below:
#
# $$f(v)\ge f(u)+\nabla f(u)^\top(v-u) \tag{9.2}$$
#
# Put $\nabla f(u)=0$ into (9.2), and you have the reason for this notebook: $f(v)\ge f(u)$ for *every* $v$. A flat
# place of a convex function is its lowest place.
#
# ## Explore
# 1. For $(x^2-1)^2$, at which places $t$ is the tangent nowhere above the curve?
# 2. Can you find a θ or a $t$ that refutes $\log(1+e^x)$?

# %%
explore.Chord()

# %% [markdown]
# The tangents at the walls of the wells, from the two bottoms outwards, stay below the whole curve, and all others cut
# it. One such tangent, or one θ, is enough to refute convexity. For $\log(1+e^x)$ you find none, and that alone is no
# proof.

# %% task violating_triples [markdown]
# Refute two functions, with a triple $(u,v,\theta)$ for each, at which the chord is below the curve:
# first $(x^2-1)^2$, then $(\sigma(x)-1)^2$, the squared error of one point after a sigmoid.

# %% exercise violating_triples
triples = ...  # two rows (u, v, theta): for (x² − 1)², then for (σ(x) − 1)²
### BEGIN SOLUTION
triples = [[-1, 1, 0.5], [-4, -1, 0.5]]
### END SOLUTION

# %% check
check.violating_triples(triples)

# %% hint [markdown]

# %% [markdown]
# A square and a convex function inside it gave $(x^2-1)^2$: both parts are convex, the whole is not. Composition
# keeps convexity if the outer function also never falls, or if the inner one is affine. Sums and maxima of
# convex functions are convex without further conditions. Differences need not be.

# %% task find_violation [markdown]
# Write a search. You are given a function $f$ of one variable that is not convex on the interval from `low` to
# `high`. Find a triple that proves it: $u$ and $v$ in the interval, and the chord below the curve by more than rounding
# can feign, that is by more than $10^{-12}\,(1+|f(u)|+|f(v)|)$.


# %% exercise find_violation
def find_violation(f, low, high):
    """A tuple (u, v, theta) at which the chord of f is below f; f accepts arrays."""
    ### BEGIN SOLUTION
    x = np.linspace(low, high, 25)
    u, v = (ends.ravel() for ends in np.meshgrid(x, x))
    worst = np.argmin(convexity.chord_gap(f, u, v, 0.5))
    return u[worst], v[worst], 0.5
    ### END SOLUTION


# %% check
check.find_violation(find_violation)

# %% hint [markdown]

# %% [markdown]
# The search also serves in many dimensions: $f$ is convex exactly if it is convex on every line, so draw a random line
# and search along it. When it finds nothing, nothing is proved. For a proof we need algebra.
#
# ## Derive
# The squared error $L(w)=\lVert Xw-y\rVert^2$ can be proved convex from (9.1) itself, by computing how far
# the chord is above it.

# %% task squares_gap [markdown]
# From the gap to a form that cannot be negative. Every line is a function of the same variables, and returns the pieces
# of its formula. Write $w=(1-\theta)u+\theta v$, and $r=Xu-y$ and $s=Xv-y$ for the residuals at the two ends.


# %%
def line_1(u, v, theta, X, y):
    """The chord minus the curve."""
    w = (1 - theta) * u + theta * v
    return (1 - theta) * (X @ u - y) @ (X @ u - y) + theta * (X @ v - y) @ (X @ v - y) - (X @ w - y) @ (X @ w - y)


# %% exercise squares_gap
def line_2(u, v, theta, X, y):
    """The residual at w as a + b: (a, b), both of shape (n,)."""
    ### BEGIN SOLUTION
    r, s = X @ u - y, X @ v - y
    return (1 - theta) * r, theta * s
    ### END SOLUTION


def line_3(u, v, theta, X, y):
    """The square of a + b multiplied out: three numbers whose sum is ‖Xw − y‖²."""
    ### BEGIN SOLUTION
    a, b = line_2(u, v, theta, X, y)
    return a @ a, 2 * a @ b, b @ b
    ### END SOLUTION


def line_4(u, v, theta, X, y):
    """Line 1 as α‖r‖² + β rᵀs + γ‖s‖²: (α, β, γ), three numbers."""
    ### BEGIN SOLUTION
    return theta * (1 - theta), -2 * theta * (1 - theta), theta * (1 - theta)
    ### END SOLUTION


def line_5(u, v, theta, X, y):
    """Line 4 as front·‖d‖² + rest·‖s‖², with d = r + κs: (front, d, rest), a number, shape (n,), a number."""
    ### BEGIN SOLUTION
    alpha, beta, gamma = line_4(u, v, theta, X, y)
    kappa = beta / (2 * alpha)
    r, s = X @ u - y, X @ v - y
    return alpha, r + kappa * s, gamma - alpha * kappa**2
    ### END SOLUTION


# %% check
check.squares_gap(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# Nothing is left beside the square, and $r-s=X(u-v)$:
#
# $$(1-\theta)L(u)+\theta L(v)-L\big((1-\theta)u+\theta v\big)=\theta(1-\theta)\lVert X(u-v)\rVert^2\ge0 \tag{9.3}$$
#
# The squared error is convex for every $X$ and $y$. With $X=I$ and $y=0$ this is the squared norm. For $0<\theta<1$
# the gap is zero only where $Xu=Xv$: two weights that predict the same.
#
# ## Curvature
# For smooth functions there is a shorter test. A function of one variable is convex exactly if $f''\ge0$
# everywhere, and a function of many exactly if its Hessian $\nabla^2f$ is positive semi-definite everywhere.

# %% task softplus_curvature [markdown]
# The second derivative of $f(t)=\log(1+e^t)$, entry by entry.


# %% exercise softplus_curvature
def softplus_curvature(t):
    """The second derivative of log(1 + eᵗ): the shape of t."""
    ### BEGIN SOLUTION
    p = 1 / (1 + np.exp(-t))
    return p * (1 - p)
    ### END SOLUTION


# %% check
check.softplus_curvature(softplus_curvature)

# %% hint [markdown]

# %% [markdown]
# $$f''(t)=\sigma(t)\big(1-\sigma(t)\big)>0 \tag{9.4}$$
#
# This proves what the first figure showed. The log loss of one point is $\log(1+e^z)-yz$ with $z=x^\top w$: a convex
# function of an affine one, plus a linear term. A sum of such terms is convex, whatever the data. Notebook 12 builds on
# it.

# %% task bell_curvature [markdown]
# The bell curve $f(t)=e^{-t^2/2}$ is neither convex nor concave. Compute $f''$, and the largest $r$ for which the bell
# is concave on $-r\le t\le r$.


# %% exercise bell_curvature
def bell_curvature(t):
    """A tuple (curvature, r): the second derivative at t, in the shape of t, and the number r."""
    ### BEGIN SOLUTION
    return (t**2 - 1) * np.exp(-(t**2) / 2), 1.0
    ### END SOLUTION


# %% check
check.bell_curvature(bell_curvature)

# %% hint [markdown]

# %% [markdown]
# $$f''(t)=(t^2-1)\,e^{-t^2/2} \tag{9.5}$$
#
# The curve turns at $\pm1$. Its logarithm, $-t^2/2$, is concave everywhere and has its maximum at the same place, one
# more reason to maximise logarithms of likelihoods.

# %% task softmax_curvature [markdown]
# Now many variables: $f(z)=\log\sum_ke^{z_k}$, a smooth version of the maximum, which comes back in notebook 13.
# Its gradient is $p$ with $p_k=e^{z_k}/\sum_je^{z_j}$. What is its Hessian?


# %% exercise softmax_curvature
def softmax_curvature(z):
    """The Hessian of log Σ exp(zₖ) at z: shape (K, K)."""
    ### BEGIN SOLUTION
    p = np.exp(z - z.max())
    p = p / p.sum()
    return np.diag(p) - np.outer(p, p)
    ### END SOLUTION


# %% check
check.softmax_curvature(softmax_curvature)

# %% hint [markdown]

# %% [markdown]
# $$\nabla^2f(z)=\mathrm{diag}(p)-pp^\top \tag{9.6}$$
#
# For any $a$, $a^\top\nabla^2f\,a=\sum_kp_ka_k^2-(\sum_kp_ka_k)^2$: the variance of $a$ under the probabilities
# $p$. A variance is not negative, so $f$ is convex. It is zero for $a=(1,\dots,1)$, and the smallest
# eigenvalue is 0:

# %%
H = convexity.log_sum_exp_hessian(np.array([1.0, 2.0, 0.0]))
np.linalg.eigvalsh(H).round(3), (H @ np.ones(3)).round(3)

# %% [markdown]
# Adding the same number to all $z_k$ adds it to $f$: along this direction $f$ is a straight line.
#
# ## Strong convexity
# A convex function may be flat, and then the lowest place is not a point but a whole convex set. A **strongly**
# convex one bends at least as much as a parabola of curvature $m>0$:
#
# $$f(v)\ge f(u)+\nabla f(u)^\top(v-u)+\tfrac m2\lVert v-u\rVert^2 \tag{9.7}$$
#
# For smooth $f$ this means $\nabla^2f\succeq mI$, that is, $\nabla^2f-mI$ has no negative eigenvalue. The sign
# $\succeq$ does not compare entries: $\begin{pmatrix}0&1\\1&0\end{pmatrix}$ has none below 0, and the eigenvalue $-1$.

# %% task strong_constant [markdown]
# The largest $m$ for the ridge objective $\lVert Xw-y\rVert^2+\lambda\lVert w\rVert^2$.


# %% exercise strong_constant
def strong_constant(X, lam):
    """The largest m for which ‖Xw − y‖² + λ‖w‖² is strongly convex: a number."""
    ### BEGIN SOLUTION
    return 2 * np.linalg.eigvalsh(X.T @ X)[0] + 2 * lam
    ### END SOLUTION


# %% check
check.strong_constant(strong_constant)

# %% hint [markdown]

# %% [markdown]
# $$m=2\lambda_{\min}(X^\top X)+2\lambda \tag{9.8}$$
#
# Here $\lambda_{\min}$ is the smallest eigenvalue, not a penalty. For λ = 0 it is in (9.3): divide by θ, let θ → 0, and
# use $\lVert X(u-v)\rVert^2\ge\lambda_{\min}\lVert u-v\rVert^2$. On the diabetes data, ten measurements of 442
# patients, without and with a penalty:

# %%
X, y = load("diabetes").standardised()
np.round([convexity.strong_constant(X), convexity.strong_constant(X, lam=10.0)], 2)

# %% [markdown]
# ## Explore
# A tangent to this loss, and on it the parabola of (9.7). Left, the loss along its flattest direction. Right, the
# curvatures of all ten directions.
#
# 1. Raise $m$. When does the parabola stop being a lower bound, and on which side of the tangent point does it fail
#    first?
# 2. Which penalty do you need for $m=30$, and what does it do to the steepest direction?

# %%
explore.Bound()

# %% [markdown]
# At $m=7.57$ the two curves coincide. Above it the parabola is above the loss, on both sides at once. The flattest
# direction is the quarrel of the blood lipids from notebook 05. $\lambda=11.5$ lifts its curvature above 30
# and changes the steepest one, 3557, by less than 1%. The ratio of the two decides how fast gradient descent is: that
# is notebook 10.

# %% [markdown]
# ## Break it
# Two neurons with one weight each, $\sigma(x-w_1)+\sigma(x-w_2)$, and the loss
#
# $$L(w)=\sum_i\big(\sigma(x_i-w_1)+\sigma(x_i-w_2)-y_i\big)^2. \tag{9.9}$$
#
# The nine points are made by the network $w=(-2,2)$ itself, so its loss is 0.

# %%
x_net, y_net = convexity.network_data()
float(convexity.network_loss(np.array([-2.0, 2.0]), x_net, y_net))

# %% task network_swap [markdown]
# Show that (9.9) is not convex: give two networks $w$ and $w'$ whose mean $\frac12(w+w')$ has a larger loss than the
# average of their two losses.

# %% exercise network_swap
networks = ...  # two rows: w and w′
### BEGIN SOLUTION
networks = [[-2, 2], [2, -2]]
### END SOLUTION

# %% check
check.network_swap(networks)

# %% hint [markdown]

# %% [markdown]
# A network does not change when its neurons change places, so a minimum with two different neurons has a
# twin. Halfway between them both neurons do the same work, and the loss at $(0,0)$ is 0.35. Sigmoids are not to blame.
# In a linear network $\hat y=awx$ the weights multiply, and $(1-aw)^2$ is 0 at $(1,1)$ and at $(-1,-1)$ but 1 at
# $(0,0)$.

# %% [markdown]
# ## Sets
# A set is convex if it contains the segment between any two of its points. The proof always starts the same way:
# take $u$ and $v$ in the set, show that $(1-\theta)u+\theta v$ is in it. For a halfspace $a^\top x\le b$ the
# inequalities for $u$ and $v$, weighted and added, give the third. For a ball $\lVert x\rVert\le r$ it is the triangle
# inequality. Functions are included: $f$ is convex exactly if the region above its graph, its epigraph, is a convex
# set.
#
# The triangle inequality is needed. Here are the "balls" of
#
# $$\lVert x\rVert_p=\Big(\sum_j|x_j|^p\Big)^{1/p}. \tag{9.10}$$
#
# ## Explore
# 1. From which $p$ on is the midpoint of $(r,0)$ and $(0,r)$ inside? Does the radius matter?
# 2. Where does the ball have corners?

# %%
explore.Ball()

# %% [markdown]
# The midpoint has the norm $2^{1/p-1}r$, which is at most $r$ exactly for $p\ge1$, at any radius. At $p=1$ the
# ball is a diamond, convex and with corners: notebook 06 uses them.

# %% [markdown]
# ## Spot the slip
# A sentence as printed in well-meaning lecture notes, wrong in one place. Mend it, and give an input at which the
# printed version fails.

# %% task box_minimiser [markdown]
# > *Let $f$ be convex and differentiable, and consider $\min f(x)$ subject to $x\in X$. A point $x^*$ is a global
# > minimiser if and only if $\nabla f(x^*)=0$.*
#
# Take $f(x)=(x-c)^2$ on an interval, where the printed condition gives $x^*=c$. Which $x^*$ is right?


# %% exercise box_minimiser
def box_minimiser(c, low, high):
    """The minimiser of (x − c)² among all x with low ≤ x ≤ high: a number."""
    ### BEGIN SOLUTION
    return min(max(c, low), high)
    ### END SOLUTION


fails_at = ...  # a tuple (c, low, high)
### BEGIN SOLUTION
fails_at = (0.0, 1.0, 2.0)
### END SOLUTION

# %% check
check.box_minimiser(box_minimiser, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$x^*=\min(\max(c,l),h)\qquad\text{on }[l,h] \tag{9.11}$$
#
# For $x^2$ on $[1,2]$ it is $x^*=1$ with the slope 2. The slope need not vanish, as long as the way down,
# $-\nabla f$, leads out of the set. On a convex set, $x^*$ minimises a convex $f$ exactly if
#
# $$\nabla f(x^*)^\top(z-x^*)\ge0\quad\text{for all }z\text{ of the set.} \tag{9.12}$$
#
# Without a constraint every direction is allowed, with its opposite, and only $\nabla f(x^*)=0$ is left.

# %% task box_certificate [markdown]
# A certificate for (9.12) on a box, $l_j\le z_j\le h_j$: given $x$ in the box and $g=\nabla f(x)$, compute the smallest
# $g^\top(z-x)$ over all $z$ of the box.


# %% exercise box_certificate
def box_certificate(g, x, low, high):
    """The minimum of gᵀ(z − x) over low ≤ z ≤ high; all arguments have shape (d,): a number."""
    ### BEGIN SOLUTION
    z = np.where(g > 0, low, high)
    return g @ (z - x)
    ### END SOLUTION


# %% check
check.box_certificate(box_certificate)

# %% hint [markdown]

# %% [markdown]
# For $x^2$ on $[1,2]$, at $x=1$ and at $x=1.5$:

# %%
[float(convexity.box_certificate(2 * x, x, low=1.0, high=2.0)) for x in (1.0, 1.5)]

# %% [markdown]
# At the minimiser it is 0. At 1.5 it is $-1.5$, and by (9.2) nothing on the interval is lower than $f(1.5)-1.5=0.75$.
# So $f(1.5)=2.25$ is at most 1.5 above the minimum, and we need not know where that is.

# %% task ten_starts [markdown]
# Two teams fit the same model, $\hat y=\sigma(x^\top w)$, to the same labels by gradient descent, each from ten random
# starts. One uses the log loss and ends ten times with the same loss. The other uses the squared error and ends with
# three different ones. Explain in about 120 words why the first team had to agree, why a zero gradient was not enough
# for the second, and one thing that convexity does *not* promise the first.

# %% explain ten_starts [markdown]
# ### BEGIN SOLUTION
# The log loss of a point is log(1 + eᶻ) − yz with z = xᵀw. Its second derivative in z is σ(1 − σ) > 0 and z is linear
# in w, so the sum over the points is convex. By (9.2) a place with zero gradient is a global minimum, so all descents
# that arrive have the same loss. The squared error after σ is not convex: (σ(z) − 1)² has chords below it. There a zero
# gradient says only that the place is flat nearby, and different valleys have different depths. Convexity does not
# promise that a minimum exists: if a plane separates the classes, the log loss falls for ever as w grows, like eˣ to
# the left. Nor does it promise that the minimiser is unique: if a column of X is a combination of others, a
# whole line of weights has the same loss.
#
# Marks: one point for convexity and its consequence, one for the squared error, one for something that is not promised.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A function is convex if its chords are never below it, or its tangents never above it, or its Hessian has no negative
# eigenvalue: three tests of the same thing, and one triple refutes them all. A flat place of a convex function is a
# global minimum, and on a set the test is (9.12). How far the loss bends in its flattest direction is the constant $m$,
# which a ridge penalty raises by $2\lambda$.
#
# *Data:* Efron, Hastie, Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004).

# %% symbols Models of regression [markdown]
# | $f(x)$ | the model's value, for classifiers its score $w^\top x+b$ | `f` |

# %% symbols Optimisation [markdown]
# | $\theta$ | how far along the way from $u$ to $v$, between 0 and 1 | `theta` |
# | $m$, $M$ | smallest and largest curvature: strong convexity, smoothness | `m`, `M` | gradient_descent |

# %% symbols Classification [markdown]
# | $\sigma(t)=1/(1+e^{-t})$ | logistic function, not to be confused with the spread $\sigma$ | `sigmoid` |
