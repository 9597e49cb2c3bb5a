# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can derive the log loss, its gradient and its Hessian, fit them by Newton's method in two ways, keep
# the bias out of the penalty, and say when no best line exists.

# %%
import numpy as np

from mlcore import logistic_regression as lr
from mlcore.checks.logistic_regression import check
from mlcore.explore import logistic_regression as explore

# %% [markdown]
# ## See
# Fifty flowers of *Iris versicolor*, labelled 0, and fifty of *Iris virginica*, labelled 1, by the length of their
# petals. We fit a straight line to the labels by least squares, and a curve that you will meet below. Then somebody
# brings ten more virginica flowers with very long petals. Move them.

# %%
explore.TwoFits()

# %% [markdown]
# The ten flowers are as clearly virginica as flowers can be, and yet they ruin the straight line. At 15 cm it puts 18
# of the first hundred flowers on the wrong side of its ½, against 8 at 6 cm, and it predicts 1.27 where only 0 or 1
# can happen. The curve misses 7, wherever the ten are.

# %% [markdown]
# ## Predict
# A label is 0 or 1, so we want a *probability* that moves with $x$. Which loss should we minimise: the squared
# distance of the probability from the label, or something else? And must there always be a best curve? Decide before
# you go on.

# %% [markdown]
# ## Derive
# A straight line $z=x^\top w+b$ takes all values, a probability only those between 0 and 1. The *logistic function*
# turns one into the other: $\sigma(t)=\frac1{1+e^{-t}}$. It rises from 0 to 1, $\sigma(0)=\frac12$, and
# $\sigma(-t)=1-\sigma(t)$.

# %% task sigmoid_slope [markdown]
# Compute $\sigma$ and its derivative $\sigma'$, entry by entry. Both must be right for $t=\pm800$ too, where $e^{800}$
# is larger than any floating-point number.


# %% exercise sigmoid_slope
def sigmoid_slope(t):
    """A tuple (sigma, slope): σ and its derivative at every entry of t, both in the shape of t."""
    ### BEGIN SOLUTION
    e = np.exp(-np.abs(t))
    sigma = np.exp(np.minimum(t, 0)) / (1 + e)
    return sigma, e / (1 + e) ** 2
    ### END SOLUTION


# %% check
check.sigmoid_slope(sigmoid_slope)

# %% hint [markdown]

# %% [markdown]
# $$\sigma(t)=\frac1{1+e^{-t}},\qquad\sigma'(t)=\sigma(t)\bigl(1-\sigma(t)\bigr)\le\tfrac14 \tag{12.1}$$
#
# The model says: the label is 1 with probability $p=\sigma(z)$, otherwise 0. One formula covers both labels, as you
# see by putting in $y=1$ and $y=0$:
#
# $$P(y\mid x)=p^y(1-p)^{1-y}=\frac{e^{yz}}{1+e^z} \tag{12.2}$$
#
# Linear regression draws $y$ from a normal distribution around $z$. Here it is drawn from a Bernoulli distribution,
# and the rest is maximum likelihood as in notebook 03. The negative logarithm of the likelihood of all labels is the
# *cross-entropy* between labels and probabilities. From here to the penalty we write $z=Xw$: a column of ones in $X$
# makes $b$ one of the weights.

# %% task logistic_chain [markdown]
# From the cross-entropy to the direction in which every point pulls. Lines 2 and 3 are two ways to write the loss,
# lines 4 and 5 are its derivatives, point by point.


# %%
def line_1(w, X, y):
    """The cross-entropy: minus the log-likelihood."""
    p = 1 / (1 + np.exp(-X @ w))
    return -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))


# %% exercise logistic_chain
def line_2(w, X, y):
    """The terms of line 1 with yz, with yL and with (1 − y)L: three arrays of shape (n,), which add up to the loss."""
    ### BEGIN SOLUTION
    z = X @ w
    L = np.log(1 + np.exp(z))
    return -y * z, y * L, (1 - y) * L
    ### END SOLUTION


def line_3(w, X, y):
    """Line 2 as Σᵢ (Aᵢ − zᵢBᵢ): (A, B), both of shape (n,)."""
    ### BEGIN SOLUTION
    _, yL, rest = line_2(w, X, y)
    return yL + rest, y
    ### END SOLUTION


def line_4(w, X, y):
    """The derivative of Aᵢ − zᵢBᵢ with respect to zᵢ: (outer, inner, rest), three arrays of shape (n,)."""
    ### BEGIN SOLUTION
    z = X @ w
    return 1 / (1 + np.exp(z)), np.exp(z), -y
    ### END SOLUTION


def line_5(w, X, y):
    """Row i is the derivative of Aᵢ − zᵢBᵢ with respect to w: shape (n, d)."""
    ### BEGIN SOLUTION
    p = 1 / (1 + np.exp(-X @ w))
    return (p - y)[:, None] * X
    ### END SOLUTION


# %% check
check.logistic_chain(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# Line 3, and the sum of the rows of line 5:
#
# $$\mathrm{NLL}(w)=-\sum_i\bigl[y_i\log p_i+(1-y_i)\log(1-p_i)\bigr]=\sum_i\bigl[\log(1+e^{z_i})-y_iz_i\bigr]
# \tag{12.3}$$
#
# $$\nabla\mathrm{NLL}(w)=X^\top(p-y) \tag{12.4}$$
#
# It has the form of least squares: each point pulls with its residual. One text says that this pull becomes infinite
# for a point that is certain and wrong. The *loss* of such a point does grow without bound; its pull $(p_i-y_i)x_i$ is
# never longer than $x_i$. At $w=0$ every $p_i$ is ½, and the loss is $n\log2$.

# %% task signed_loss [markdown]
# Many texts use labels $s=2y-1\in\{-1,+1\}$ instead. Write the same loss with $s_i$ and $z_i$ alone, as a sum of one
# logarithm for each point, and keep it finite for $|z|=800$.


# %% exercise signed_loss
def signed_loss(z, y):
    """The loss (12.3), computed from s = 2y − 1 and z: a number."""
    ### BEGIN SOLUTION
    s = 2 * y - 1
    return np.sum(np.logaddexp(0, -s * z))
    ### END SOLUTION


# %% check
check.signed_loss(signed_loss)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{NLL}=\sum_i\log\bigl(1+e^{-s_iz_i}\bigr) \tag{12.5}$$
#
# The *margin* $s_iz_i$ is positive for a point on its right side. Notebook 14 compares this loss with others.
#
# ## Explore
# Why not the squared error $(\sigma(z)-y)^2$? One weight $w$ for the petal length above 4.9 cm, and both losses.
#
# 1. Start far on the wrong side, at $w=-8$. Which loss tells gradient descent where to go?
# 2. Where does the squared error bend downwards?

# %%
explore.Losses()

# %% [markdown]
# At $w=-8$ the log loss has the slope −0.644, the squared error −0.014: nearly every prediction is wrong, and it
# hardly shows. Its derivative carries an additional factor $p(1-p)$, which vanishes for predictions that are certain,
# right or wrong. Left of $w=-0.56$ it bends downwards: it is not convex.

# %% [markdown]
# ## Curvature
# One text fits this model by Newton's method and leaves its Hessian *to the reader to derive*. Another says that
# *we can prove that $J(w)$ is convex*, and does not. Both are one step from (12.4).

# %% task logistic_hessian [markdown]
# Derive the Hessian of (12.3).


# %% exercise logistic_hessian
def logistic_hessian(w, X):
    """The second derivatives of the loss at w, where z = Xw: shape (d, d)."""
    ### BEGIN SOLUTION
    p = lr.sigmoid(X @ w)
    v = p * (1 - p)
    return X.T @ (v[:, None] * X)
    ### END SOLUTION


# %% check
check.logistic_hessian(logistic_hessian)

# %% hint [markdown]

# %% [markdown]
# $$H=X^\top\mathrm{diag}(v)\,X,\qquad v_i=p_i(1-p_i) \tag{12.6}$$
#
# The weight $v_i$ is the variance of the label $y_i$ under the model. For every $a$ we have
# $a^\top Ha=\sum_iv_i(x_i^\top a)^2\ge0$, so the loss is convex, for all data.

# %% task strictly_convex [markdown]
# One text goes further: *the good news is that this is a strictly convex function*. When is it?

# %% exercise strictly_convex
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "ii"
### END SOLUTION

# %% check
check.strictly_convex(choice, reason)

# %% hint [markdown]

# %% [markdown]
# ## Newton, twice
# Setting (12.4) to zero gives $d$ equations that cannot be solved for $w$ in closed form, since $w$ is inside every
# $p_i$. So we iterate.

# %% task logistic_newton [markdown]
# Take one Newton step on (12.3). The columns of $X$ are independent. `lr.gradient` and `lr.hessian` are yours to use.


# %% exercise logistic_newton
def logistic_newton(w, X, y):
    """Where one Newton step leads from w: shape (d,)."""
    ### BEGIN SOLUTION
    return w - np.linalg.solve(lr.hessian(w, X), lr.gradient(w, X, y))
    ### END SOLUTION


# %% check
check.logistic_newton(logistic_newton)

# %% hint [markdown]

# %% [markdown]
# $$w^+=w-H^{-1}\,\nabla\mathrm{NLL}(w) \tag{12.7}$$

# %% task irls_step [markdown]
# Put (12.4) and (12.6) in and sort. The same step turns out to be a *weighted least squares* fit: $w^+$ minimises
# $\sum_iv_i(u_i-x_i^\top w)^2$ for some *working response* $u$. Find $u$, and compute $w^+$ from the normal
# equations of this fit.


# %% exercise irls_step
def irls_step(w, X, y):
    """A tuple (u, w): the working response at w, of shape (n,), and the weighted fit to it, of shape (d,)."""
    ### BEGIN SOLUTION
    z = X @ w
    p = lr.sigmoid(z)
    v = p * (1 - p)
    u = z + (y - p) / v
    return u, np.linalg.solve(X.T @ (v[:, None] * X), X.T @ (v * u))
    ### END SOLUTION


# %% check
check.irls_step(irls_step)

# %% hint [markdown]

# %% [markdown]
# $$w^+=\arg\min_w\sum_iv_i(u_i-x_i^\top w)^2,\qquad u=z+\frac{y-p}{v} \tag{12.8}$$
#
# This is *iteratively reweighted least squares*. The weights $v_i$ are largest for the points near the boundary,
# where $p_i\approx\frac12$.
#
# ## Explore
# Versicolor and virginica by the length of the sepals above 5 cm: one weight and one bias. Walk through the steps.
#
# 1. How many digits does Newton's method gain in each step?
# 2. How far has gradient descent come when Newton's method is done?

# %%
explore.Steps()

# %% [markdown]
# From the third step on, Newton's error is 2·10⁻³, 1·10⁻⁶, 2·10⁻¹³: the number of right digits doubles. Gradient
# descent, with the step that the bound $v_i\le\frac14$ allows, still has 2.5 of its 3.2 to go, because the valley is
# long and narrow.

# %% [markdown]
# ## A penalty and a free bias
# As in ridge regression we may distrust large weights. The bias says how frequent label 1 is, so it stays out of the
# penalty:
#
# $$J(w,b)=\sum_i\bigl[\log(1+e^{z_i})-y_iz_i\bigr]+\tfrac\lambda2\lVert w\rVert^2,\qquad z=Xw+b \tag{12.9}$$

# %% task logistic_penalised [markdown]
# Compute both parts of the gradient of $J$.


# %% exercise logistic_penalised
def logistic_penalised(w, b, X, y, lam):
    """A tuple (g_w, g_b): ∂J/∂w of shape (d,) and ∂J/∂b, a number."""
    ### BEGIN SOLUTION
    p = lr.sigmoid(X @ w + b)
    return X.T @ (p - y) + lam * w, np.sum(p - y)
    ### END SOLUTION


# %% check
check.logistic_penalised(logistic_penalised)

# %% hint [markdown]

# %% [markdown]
# $$\frac{\partial J}{\partial w}=X^\top(p-y)+\lambda w,\qquad\frac{\partial J}{\partial b}=\sum_i(p_i-y_i)
# \tag{12.10}$$
#
# The second one is zero at the minimum: whatever λ, the mean of the probabilities is the share of ones. Were $b$
# penalised, it would not be.
#
# ## Break it
# Overlap is a nuisance. Is separation better?

# %% task separable_set [markdown]
# Find points on a line, $x_i$ with labels 0 and 1, at least two of each, for which the loss (12.3) with a weight and a
# bias has *no* minimum.

# %% exercise separable_set
points = ...  # rows (x, y)
### BEGIN SOLUTION
points = [(-2, 0), (-1, 0), (1, 1), (2, 1)]
### END SOLUTION

# %% check
check.separable_set(points)

# %% hint [markdown]

# %% [markdown]
# If some $(w,b)$ puts every point on its right side, all margins $s_iz_i$ are positive. Multiply $w$ and $b$ by 10, and
# every term of (12.5) shrinks. The loss falls towards 0 and never gets there. What does an algorithm do then?

# %% task descent_length [markdown]
# Take $T$ steps of gradient descent with step size $\eta$ from $w=0$ on $J$ without a bias, and return the length of
# $w$.


# %% exercise descent_length
def descent_length(X, y, lam, eta, T):
    """‖w‖ after T steps on NLL(w) + λ/2 ‖w‖², where z = Xw: a number."""
    ### BEGIN SOLUTION
    w = np.zeros(X.shape[1])
    for _ in range(T):
        w = w - eta * (X.T @ (lr.sigmoid(X @ w) - y) + lam * w)
    return np.linalg.norm(w)
    ### END SOLUTION


# %% check
check.descent_length(descent_length)

# %% hint [markdown]

# %% [markdown]
# Four separable points, after 10, 100, 1,000 and 10,000 steps, first without a penalty and then with $\lambda=0.1$:

# %%
X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
for lam in (0, 0.1):
    w = np.array(list(lr.descent(X, y, lam, eta=0.5, T=10_000)))[:, 0]
    print(f"λ = {lam}:", w[[10, 100, 1000, 10_000]].round(3))

# %% [markdown]
# Without a penalty, ten times as many steps make $w$ longer by $\log10=2.3$: it grows like $\log T$, for ever.
# Whatever weight is reported is the place where somebody stopped. `lr.fit`, which takes Newton steps, looks out for it:
# once $w$ separates the classes it says that there is no minimum. With a penalty $w$ settles.

# %% task length_bound [markdown]
# Show why. Compare $J$ at the minimum with $J$ at $w=0$, $b=0$: how long can $\hat w$ be at most, for any data of $n$
# points?


# %% exercise length_bound
def length_bound(n, lam):
    """A bound on ‖ŵ‖ that follows from J(ŵ, b̂) ≤ J(0, 0): a number."""
    ### BEGIN SOLUTION
    return np.sqrt(2 * n * np.log(2) / lam)
    ### END SOLUTION


# %% check
check.length_bound(length_bound)

# %% hint [markdown]

# %% [markdown]
# $$\lVert\hat w\rVert\le\sqrt{\frac{2n\log2}\lambda} \tag{12.11}$$
#
# ## Explore
# Two pairs of species, of which one overlaps and one does not.
#
# 1. For which pair does $\lVert\hat w\rVert$ level off as λ becomes small?
# 2. What happens to the probabilities, and what to the boundary, as λ becomes large?

# %%
explore.Boundary()

# %% [markdown]
# The overlapping pair settles at $\lVert\hat w\rVert=11.9$: its few flowers on the wrong side make longer weights
# expensive. The other pair, setosa and versicolor, passes it below $\lambda=10^{-4}$, is at 17.6 for $\lambda=10^{-6}$,
# and does not stop. A large λ draws all probabilities towards ½, the share of ones, while the straight boundary turns
# a little and stays between the classes: at $\lambda=10^4$ it still misclassifies only 6 flowers.

# %% [markdown]
# ## Spot the slip
# A gradient as printed in well-meaning lecture notes, for labels $y_i\in\{0,1\}$ and $f(x)=\sigma(x^\top w)$.

# %% task mean_gradient [markdown]
# > *$\nabla J(w)=\frac1n\sum_iy_i\,[f(x_i)-1]\,x_i$ is the gradient of
# > $J(w)=-\frac1n\sum_i\bigl[y_i\log f(x_i)+(1-y_i)\log(1-f(x_i))\bigr]$.*
#
# Mend it, and give an input at which the printed version fails.


# %% exercise mean_gradient
def mean_gradient(w, X, y):
    """The gradient of the mean loss, labels 0 and 1: shape (d,)."""
    ### BEGIN SOLUTION
    p = lr.sigmoid(X @ w)
    return X.T @ (p - y) / len(y)
    ### END SOLUTION


fails_at = ...  # a tuple (w, X, y)
### BEGIN SOLUTION
fails_at = ([0.0], [[1.0], [2.0]], [0, 1])
### END SOLUTION

# %% check
check.mean_gradient(mean_gradient, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$\nabla\Bigl(\tfrac1n\mathrm{NLL}\Bigr)=\tfrac1nX^\top(p-y) \tag{12.12}$$
#
# The printed form remembers labels ±1: $s_i[\sigma(s_iz_i)-1]x_i$ is right.

# %% task perfect_predictor [markdown]
# A blood test separates 300 patients into ill and healthy without an error. Logistic regression without a penalty
# reports a weight of 41 in one program and 67 in another. A colleague adds a penalty on $w$, but not on $b$, and both
# programs agree. Explain in about 120 words: why the programs disagree, why a penalty cures it, and what the
# free bias is good for, when only 30 of the 300 are ill.

# %% explain perfect_predictor [markdown]
# ### BEGIN SOLUTION
# The patients are separable: some (w, b) gives every one a positive margin sz. Multiplying w and b by a number above 1
# makes every term log(1 + exp(−sz)) smaller, so the loss falls towards 0 and no finite weight is best. 41 and 67 are
# where the two programs gave up. With a penalty, long weights cost ½λ‖w‖². Since J(0, 0) = n log 2, no minimiser is
# longer than √(2n log 2/λ), there is a minimum, and both programs find it. The bias carries the base rate: where
# ∂J/∂b = Σ(p − y) is zero, the mean probability is 30/300, a tenth, for every λ. A penalised bias would be drawn
# to 0 and the probabilities to one half.
#
# Marks: one point for scaling a separating line, one for the bound that the penalty gives, one for the base rate.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# Logistic regression is maximum likelihood for labels 0 and 1 whose log-odds are linear: the gradient is
# $X^\top(p-y)$, the Hessian $X^\top\mathrm{diag}(p(1-p))X$, and the loss is convex. Newton's step is a weighted least
# squares fit, and a few of them give all digits. Classes that a line separates have no best weights until a penalty,
# which leaves the bias alone, provides them. Notebook 13 has more than two classes.
#
# *Data:* Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Data [markdown]
# | $s_i=2y_i-1$ | the class as $-1$ or $+1$ | `s` `(n,)` |

# %% symbols Classification [markdown]
# | $z$, $p$ | $z=Xw+b$ and $p=\sigma(z)$ | `z` |
# | $\mathrm{NLL}$ | negative log-likelihood, a sum | `nll` |
