# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can derive what one step of gradient descent is worth, compute the longest step that is safe,
# predict from the condition number how slow the descent will be, and choose between it, coordinate descent
# and Newton's method.

# %%
import numpy as np

from mlcore import gradient_descent as gd
from mlcore.checks.gradient_descent import check
from mlcore.data import load
from mlcore.explore import gradient_descent as explore

# %% [markdown]
# ## See
# We fit the ten measurements of 442 diabetes patients by least squares, but pretend that we cannot solve a linear
# system. We start at $w=0$ and go downhill, twice: with the measurements as they were taken, and with each one
# standardised. Both descents end at the same predictions, and both use a step size that suits them.

# %%
explore.Crawl()

# %% [markdown]
# Nine tenths of the way take 3 steps and 135. To have all but one percent, the standardised descent takes 10 steps and
# the other 54,000. Nothing about the patients has changed, only the units.
#
# ## Predict
# Suppose that we make every step ten times as long. Will the slow descent be ten times as fast?
# Decide before you go on.

# %% [markdown]
# ## Derive
# Gradient descent goes from $w_t$ against the gradient, with a step size $\eta>0$:
#
# $$w_{t+1}=w_t-\eta\nabla f(w_t) \tag{10.1}$$
#
# In `mlcore` this is a generator: it hands out one state after the other. On $f(w)=w^2$, from $w=1$:

# %%
for w in gd.descent(lambda w: 2 * w, 1.0, eta=0.3, T=4):
    print(round(w, 4))

# %% task gd_best_step [markdown]
# The smallest case is a parabola, $f(w)=aw^2+bw$ with $a>0$; a constant would change nothing. Which $\eta$ leads to
# the minimum in one step, wherever we start?


# %% exercise gd_best_step
def gd_best_step(a, b):
    """The step size with which one step reaches the minimum of aw² + bw: a number."""
    ### BEGIN SOLUTION
    return 1 / (2 * a)
    ### END SOLUTION


# %% check
check.gd_best_step(gd_best_step)

# %% hint [markdown]

# %% [markdown]
# $$\eta=\frac1{2a}=\frac1{f''} \tag{10.2}$$
#
# With twice this step, $\eta=1/a$, the descent jumps to the mirror image of its start and back again, for ever.
# Beyond it each jump is longer than the last. A step is short or long only in comparison with the curvature.

# %% task descent_lemma [markdown]
# In several dimensions the curvature depends on the direction. Take $f(w)=\frac12w^\top Aw-c^\top w$ with a symmetric,
# positive definite $A$. Its gradient is $g=Aw-c$, its Hessian is $A$. What is $f$ after one step? A line returns the
# pieces of the formula. Lines 1 to 3 have the same value, line 4 is an upper bound. `np.linalg.eigvalsh(A)[-1]` is $M$,
# the largest eigenvalue of $A$.


# %%
def line_1(w, A, c, eta):
    """f after one step, f(w − ηg)."""
    g = A @ w - c
    v = w - eta * g
    return v @ A @ v / 2 - c @ v


# %% exercise descent_lemma
def line_2(w, A, c, eta):
    """½vᵀAv as a₀ + a₁η + a₂η², and −cᵀv as b₀ + b₁η: (a₀, a₁, a₂, b₀, b₁), five numbers."""
    ### BEGIN SOLUTION
    g = A @ w - c
    return w @ A @ w / 2, -w @ A @ g, g @ A @ g / 2, -c @ w, c @ g
    ### END SOLUTION


def line_3(w, A, c, eta):
    """Line 2 as value + slope·η + (bound − slack)·η², where bound − slack is your a₂: four numbers."""
    ### BEGIN SOLUTION
    g = A @ w - c
    M = np.linalg.eigvalsh(A)[-1]
    bound = M * g @ g / 2
    return w @ A @ w / 2 - c @ w, -g @ g, bound, bound - g @ A @ g / 2
    ### END SOLUTION


def line_4(w, A, c, eta):
    """Line 3 without its slack, as value − k‖g‖²: (value, k), two numbers."""
    ### BEGIN SOLUTION
    M = np.linalg.eigvalsh(A)[-1]
    return w @ A @ w / 2 - c @ w, eta - M * eta**2 / 2
    ### END SOLUTION


# %% check
check.descent_lemma(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# This is the *descent lemma*:
#
# $$f(w-\eta g)\ \le\ f(w)-\bigl(\eta-\tfrac12M\eta^2\bigr)\lVert g\rVert^2 \tag{10.3}$$
#
# It holds for every smooth $f$ if no eigenvalue of the Hessian exceeds $M$ anywhere on the way. Taylor's theorem then
# has the Hessian at some point between $w$ and $w-\eta g$ in the place of $A$, and line 3 bounds it just the same.
# The first term, $-\eta\lVert g\rVert^2$, is what the slope promises. The second is what curvature can take back, and
# it grows with the square of the step. Where $g$ is an eigenvector to the eigenvalue $M$ the bound is exact.

# %% task gd_stable_step [markdown]
# Now for least squares, $f(w)=\lVert Xw-y\rVert^2$. Which step size must we stay below, so that (10.3) promises a
# decrease in every step?


# %% exercise gd_stable_step
def gd_stable_step(X):
    """The η below which the lemma promises a decrease of ‖Xw − y‖²: a number."""
    ### BEGIN SOLUTION
    M = np.linalg.eigvalsh(2 * X.T @ X)[-1]
    return 2 / M
    ### END SOLUTION


# %% check
check.gd_stable_step(gd_stable_step)

# %% hint [markdown]

# %% [markdown]
# $$0<\eta<\frac2M,\qquad M=2\,\lambda_{\max}(X^\top X) \tag{10.4}$$
#
# The guarantee is best in the middle, at $\eta=1/M$. If the loss ever rises, η is beyond this limit: a loss that goes
# up and down is no sign of convergence. For our patients the limit is a small number, and in the units of
# the measurements it is five hundred times smaller still:

# %%
data = load("diabetes")
X, y = data.standardised()
X_raw = data.X - data.X.mean(axis=0)
print(f"standardised {gd.stable_step(X):.1e}, as measured {gd.stable_step(X_raw):.1e}")

# %% task gd_decrease [markdown]
# How much does the lemma promise for one step from $w$? Compute the guaranteed decrease of $\lVert Xw-y\rVert^2$.


# %% exercise gd_decrease
def gd_decrease(w, X, y, eta):
    """What a step of size eta from w takes off ‖Xw − y‖² at least, by (10.3): a number."""
    ### BEGIN SOLUTION
    g = 2 * X.T @ (X @ w - y)
    M = np.linalg.eigvalsh(2 * X.T @ X)[-1]
    return (eta - M * eta**2 / 2) * g @ g
    ### END SOLUTION


# %% check
check.gd_decrease(gd_decrease)

# %% hint [markdown]

# %% [markdown]
# Does the promise hold on the patients? The first step from $w=0$, promised and real decrease as shares of the loss:

# %%
M = 2 / gd.stable_step(X)
g = gd.gradient(np.zeros(10), X, y)
for eta in (1 / M, 1.9 / M):
    real = y @ y - np.sum((X @ (-eta * g) - y) ** 2)
    print(f"ηM = {eta * M:.1f}: promised {gd.guaranteed_decrease(eta, M, g) / (y @ y):.2f}, real {real / (y @ y):.2f}")

# %% [markdown]
# It holds, and the real decrease is larger: the gradient does not lie in the direction of largest curvature alone.

# %% task gd_after [markdown]
# One step is understood. Now $t$ of them. In the coordinates along the eigenvectors of $A$ a quadratic falls apart
# into parabolas, $f(w)=\sum_j\bigl(\frac12\lambda_jw_j^2-c_jw_j\bigr)$, and every coordinate goes its own way. Where
# is $w$ after $t$ steps? Find it without a loop.


# %% exercise gd_after
def gd_after(w, lams, c, eta, t):
    """Where t steps of gradient descent lead from w; lams holds the λⱼ: shape (d,)."""
    ### BEGIN SOLUTION
    minimum = c / lams
    return minimum + (1 - eta * lams) ** t * (w - minimum)
    ### END SOLUTION


# %% check
check.gd_after(gd_after)

# %% hint [markdown]

# %% [markdown]
# $$w_t=w^*+(1-\eta\lambda)^t\,(w_0-w^*)\quad\text{in every coordinate},\qquad e_t=(I-\eta A)^te_0 \tag{10.5}$$
#
# with the error $e_t=w_t-w^*$. The slowest direction decides:
#
# $$\rho=\max_j\lvert1-\eta\lambda_j\rvert \tag{10.6}$$
#
# ## Explore
# A valley with curvature $M=1$ across and $1/\kappa$ along. The ratio $\kappa=\lambda_{\max}/\lambda_{\min}$ is the
# *condition number*.
#
# 1. Move ηM from 0 to 2.2 at κ = 10. Where does the descent crawl, zig-zag and diverge, and where is it fastest?
# 2. Set κ = 100. Can any η make it as fast as before?

# %%
explore.StepSize()

# %% [markdown]
# At ηM = 0.1 it crawls along the valley. At 1 the error across is gone after one step. Beyond 1 each step crosses the
# valley, and this zig-zag is not yet a fault: the descent is fastest near 1.82, where the two directions shrink
# equally. At 2 it goes to and fro, and beyond 2 it diverges across the valley while it still converges along it.
# The balance of the flattest and the steepest direction, $1-\eta\lambda_{\min}=\eta\lambda_{\max}-1$, gives
#
# $$\eta=\frac2{\lambda_{\min}+\lambda_{\max}},\qquad\rho=\frac{\kappa-1}{\kappa+1} \tag{10.7}$$
#
# For κ = 10 that is 0.82 a step, for κ = 100 it is 0.98, and no constant step does better. That is what the units do
# to the patients:

# %%
for Z in (X, X_raw):
    print(f"κ = {np.linalg.cond(gd.hessian(Z)):.0f}")

# %% [markdown]
# κ is 470 with standardised features and 76,000 without. Ten times longer steps were never an option: they
# leave the stable range.
#
# ## One coordinate at a time
# Gradient descent moves all coordinates at once and has to choose a step size. Coordinate descent moves one and
# needs none: with the others held fixed, $f$ is a parabola in $w_j$, and we go to its minimum. Notebook 06 does this
# for the lasso; here it is for $f(w)=\frac12w^\top Aw-c^\top w$.

# %% task gd_sweep [markdown]
# Start at $w$ and minimise over $w_1$, then over $w_2$ with the new $w_1$, and so on to $w_d$. Return $w$ after this
# one sweep.


# %% exercise gd_sweep
def gd_sweep(w, A, c):
    """One sweep of coordinate descent on ½wᵀAw − cᵀw, first coordinate first: shape (d,)."""
    ### BEGIN SOLUTION
    w = w.copy()
    for j in range(len(w)):
        w[j] += (c[j] - A[j] @ w) / A[j, j]
    return w
    ### END SOLUTION


# %% check
check.gd_sweep(gd_sweep)

# %% hint [markdown]

# %% [markdown]
# $$w_j\leftarrow\frac1{A_{jj}}\Bigl(c_j-\sum_{k\ne j}A_{jk}w_k\Bigr) \tag{10.8}$$
#
# The minimum solves $Aw=c$, and (10.8) is row $j$ of this system solved for its own unknown. Split $A=D+L+U$ into the
# diagonal and what is below and above it. In row $j$ the entries of $L$ meet new coordinates, those of $U$ old ones:
#
# $$(D+L)\,w^+=c-Uw \tag{10.9}$$
#
# This is the method of Gauss and Seidel for linear systems. How many sweeps do the patients need for all but one
# percent, in both units?

# %%
for Z in (X, X_raw):
    A, c = gd.hessian(Z), 2 * Z.T @ y
    best = np.linalg.solve(A, c)
    w, sweeps = np.zeros(10), 0
    while (w - best) @ A @ (w - best) > 0.01 * best @ A @ best:
        w, sweeps = gd.sweep(w, A, c), sweeps + 1
    print(sweeps)

# %% [markdown]
# Four, and the units do not matter. To rescale a feature is to rescale one coordinate, and the minimum along a
# coordinate is the same point in any unit.
#
# ## All of the curvature
# On a parabola the perfect step was $1/f''$. In several dimensions we approximate $f$ around $w$ by Taylor's
# second-order polynomial, $f(w)+g^\top\delta+\frac12\delta^\top H\delta$, and go to its minimum.

# %% task gd_newton_step [markdown]
# Take one such step for $f(w)=\lVert Xw-y\rVert^2$, where $X$ has independent columns. Return the new point.


# %% exercise gd_newton_step
def gd_newton_step(w, X, y):
    """Where one Newton step on ‖Xw − y‖² leads from w: shape (d,)."""
    ### BEGIN SOLUTION
    g = 2 * X.T @ (X @ w - y)
    return w - np.linalg.solve(2 * X.T @ X, g)
    ### END SOLUTION


# %% check
check.gd_newton_step(gd_newton_step)

# %% hint [markdown]

# %% [markdown]
# $$w^+=w-H^{-1}\nabla f(w) \tag{10.10}$$
#
# A quadratic is its own second-order polynomial, so one step reaches the minimum from everywhere: it solves
# the normal equations of notebook 04.
#
# ## Explore
# Three ways down one valley, which can be turned against the axes.
#
# 1. At which angles is coordinate descent as good as Newton's method, and where is it worst?
# 2. Which of the three does the angle not concern?

# %%
explore.Methods()

# %% [markdown]
# Along the axes coordinate descent needs one sweep, since the coordinates do not see each other. Near 45° each step
# is soon stopped by the wall of the valley. The factor ρ of gradient descent at its best step depends on κ, not on the
# angle. Newton's step depends on neither, and has its price: one step of gradient descent costs about $2nd$
# multiplications, while $H$ and the solution of its system cost about $nd^2+d^3/3$ (notebook 04 counts them).

# %% task gd_newton_sqrt [markdown]
# Where $f$ is no quadratic, Newton's method repeats its step. It looks for a root of the gradient, and its simplest
# form looks for a root of a function of one variable: replace $f$ by its tangent at $x$ and go to the tangent's zero.
# Find $\sqrt a$ this way, as the root of $f(x)=x^2-a$.


# %% exercise gd_newton_sqrt
def gd_newton_sqrt(a, x, T):
    """Newton's method for x² = a: where T ≥ 1 steps lead from x > 0, a number."""
    ### BEGIN SOLUTION
    for _ in range(T):
        x = x - (x**2 - a) / (2 * x)
    return x
    ### END SOLUTION


# %% check
check.gd_newton_sqrt(gd_newton_sqrt)

# %% hint [markdown]

# %% [markdown]
# $$x^+=x-\frac{f(x)}{f'(x)} \tag{10.11}$$
#
# For $\sqrt2$ from $x=1$:

# %%
for x in gd.newton_root(lambda x: x**2 - 2, lambda x: 2 * x, 1.0, T=4):
    print(f"{x:.10f}   error {x - np.sqrt(2):.1e}")

# %% [markdown]
# The number of right digits doubles with every step. Indeed $x^+-\sqrt a=\frac1{2x}(x-\sqrt a)^2$: the error is
# squared. Gradient descent only multiplies it by ρ. Notebook 12 fits logistic regression in this way.
#
# ## Break it
# One text promises that *gradient descent on a strictly convex function is guaranteed to find its global minimum*.
# The function $f(w)=\frac14w^4$ is strictly convex with its minimum at 0. Its second derivative $3w^2$ has no upper
# bound $M$ that holds everywhere.

# %% task runaway_start [markdown]
# Descend on $f(w)=\frac14w^4$ with $\eta=0.1$. Give a start from which the descent does not converge but runs away.

# %% exercise runaway_start
w_start = ...
### BEGIN SOLUTION
w_start = 5.0
### END SOLUTION

# %% check
check.runaway_start(w_start)

# %% hint [markdown]

# %% [markdown]
# A step gives $w^+=(1-\eta w^2)\,w$, and for $w^2>2/\eta$ the factor is below −1 and gets worse. The promise lacks a
# condition on the step, and it lacks another: $e^w$ is strictly convex and has no minimum, so the descent goes left
# for ever. Without convexity it may stop at a saddle, where the gradient is zero too. And if $f$ counts
# misclassified points, its gradient is zero almost everywhere and the descent never moves; notebook 14 replaces this
# loss by others.
#
# ## Spot the slip
# The first sentence is printed in well-meaning lecture notes, the second follows from it.

# %% task descent_factor [markdown]
# > *The Hessian of $\lVert Xw-y\rVert^2$ is $X^\top X$. So a step of gradient descent multiplies the error by at most
# > $\rho=\max_j\lvert1-\eta\lambda_j(X^\top X)\rvert$.*
#
# Mend ρ. Then show what the printed ρ can cost: a promise of convergence that the descent does not keep.


# %% exercise descent_factor
def descent_factor(X, eta):
    """The largest factor by which a step on ‖Xw − y‖² multiplies an error: a number."""
    ### BEGIN SOLUTION
    lams = np.linalg.eigvalsh(2 * X.T @ X)
    return np.max(np.abs(1 - eta * lams))
    ### END SOLUTION


fails_at = ...  # a tuple (X, eta)
### BEGIN SOLUTION
fails_at = (np.array([[1.0]]), 1.5)
### END SOLUTION

# %% check
check.descent_factor(descent_factor, fails_at)

# %% hint [markdown]

# %% [markdown]
# A lost 2 does no harm when a Hessian is only asked whether it is positive. As soon as it sets a step size, it decides
# between convergence and divergence.

# %% task small_step [markdown]
# A colleague fits the patients with the features as measured. His first step size is $10^{-5}$, "which is small", and
# the loss explodes. With $5\cdot10^{-7}$ it falls. After 10,000 steps, a hundred more change the loss by only
# 0.02%, and he writes: "converged". His weight for ltg is 8; that of least squares is 68. Explain in about
# 120 words, with $M$ and κ: why $10^{-5}$ is not small, why a loss that hardly changes is not at its minimum, and
# what you would do instead.

# %% explain small_step [markdown]
# ### BEGIN SOLUTION
# Small means small against 2/M. In the raw units M is 1.8 million, so the limit is 1.1e-6, and with η = 1e-5 the error
# in the steepest direction is multiplied by 1 − ηM = −17 in every step. With 5e-7 the descent is stable, but
# κ = 76,000: in the flattest direction, to which ltg contributes most, a step takes away only the share ηλmin, about
# one part in 80,000. There the slope is tiny although the error is large, so the loss hardly changes long before the
# minimum is reached. I would standardise the features, which brings κ down to 470, or use coordinate descent or a
# Newton step, which do not depend on the units, and I would stop only when the gradient is small compared with
# λmin times the accuracy that I want.
#
# Marks: one point for 2/M, one for the flat direction, one for a remedy with its reason.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A step of size η takes at least $(\eta-\frac12M\eta^2)\lVert g\rVert^2$ off the loss, so descent is safe below $2/M$.
# On a quadratic each direction shrinks by $1-\eta\lambda$, and the condition number bounds the speed by
# $(\kappa-1)/(\kappa+1)$. Coordinate descent needs no step size and is Gauss–Seidel; Newton's method uses the whole
# Hessian and needs one step on a quadratic. Notebook 11 takes the gradient from a few points at a time.
#
# *Data:* Efron, Hastie, Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004).

# %% symbols Optimisation [markdown]
# | $\eta$, $\eta_t$ | step size; in step $t$ | `eta`, `etas` | stochastic_gradient |
# | $t$, $T$ | number of a step; of all steps | `t`, `T` |
# | $\kappa$ | condition number $\lambda_{\max}/\lambda_{\min}$ | `lams` |
# | $\rho$ | factor by which the slowest part of the error shrinks in a step | `contraction` |
# | $g$ | gradient, or a random estimate of it | `g` |
