# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can derive the gradient and the Hessian of a function of a vector without writing out a single
# coordinate, say how good a line or a parabola is as a substitute for the function, tell a bowl from a saddle by its
# eigenvalues, and find the largest eigenvalue with nothing but multiplications.

# %%
from itertools import islice

import numpy as np

from mlcore import matrix_calculus
from mlcore.checks.matrix_calculus import check
from mlcore.data import load
from mlcore.explore import matrix_calculus as explore

# %% [markdown]
# ## See
# We stand on hilly ground, at the black point, and are about to walk in the direction δ. On the left is the map, on the
# right the way ahead of us and behind us. Turn the direction.

# %%
explore.Ground()

# %% [markdown]
# At the same place the ground rises in one direction, falls in the opposite one, and is level in between. It also
# bends: upwards in most directions, downwards in a few.

# %% [markdown]
# ## Predict
# There are infinitely many directions, and each has its slope. How many numbers do you need to know all of them?
# And how many more to know all the bends? Decide before you go on.

# %% [markdown]
# ## Derive
# Let $x$ be the point, δ a direction and ε a small number. The gradient $\nabla f(x)$ is the vector of the partial
# derivatives, and it gives the slope in every direction:
#
# $$f(x+\epsilon\delta)=f(x)+\epsilon\,\nabla f(x)^\top\delta+o(\epsilon) \tag{2.1}$$
#
# The remainder $o(\epsilon)$ is small even in comparison with ε. On the plane two numbers are enough for all slopes.
# The ground is steepest along $\nabla f$, and level at a right angle to it: above at 21° and 111°.
#
# We can also read (2.1) from right to left. Take the step, multiply out, and look at the terms with exactly one ε.
# What δ is multiplied with there is the gradient. No coordinates are needed. For $f(x)=c^\top x$ the step gives
# $c^\top x+\epsilon\,c^\top\delta$, so $\nabla(c^\top x)=c$.

# %% task quadratic_gradient [markdown]
# Do the same for the quadratic form $f(x)=x^\top Ax$. The matrix $A$ is square and *not* symmetric in general.


# %% exercise quadratic_gradient
def quadratic_gradient(x, A):
    """The gradient of xᵀAx: shape (d,)."""
    ### BEGIN SOLUTION
    return (A + A.T) @ x
    ### END SOLUTION


# %% check
check.quadratic_gradient(quadratic_gradient)

# %% hint [markdown]

# %% [markdown]
# $$\nabla(x^\top Ax)=(A+A^\top)\,x \tag{2.2}$$
#
# For a symmetric $A$ this is $2Ax$, the formula that most books print.

# %% task squares_gradient [markdown]
# The loss of least squares is a function of the weights $w$: $L(w)=\lVert Xw-y\rVert^2$, where $X$ is $(n,d)$ with one
# row for each point. Take the step $w+\epsilon\delta$ and find the gradient.


# %% exercise squares_gradient
def squares_gradient(w, X, y):
    """The gradient of ‖Xw − y‖² with respect to w: shape (d,)."""
    ### BEGIN SOLUTION
    return 2 * X.T @ (X @ w - y)
    ### END SOLUTION


# %% check
check.squares_gradient(squares_gradient)

# %% hint [markdown]

# %% [markdown]
# $$\nabla\lVert Xw-y\rVert^2=2X^\top(Xw-y) \tag{2.3}$$
#
# One text prints $2X^\top(y-Xw)$. It has the same zeros, so the solution of least squares comes out all the same.
# Anywhere else it has the wrong sign, and walking against it leads uphill.

# %% task squares_hessian [markdown]
# How the slope itself changes is told by the second derivatives. They form a $d\times d$ matrix, the Hessian
# $H=\nabla^2f$, with $H_{ij}=\partial^2f/\partial x_i\partial x_j$. It is symmetric, because the order of the two
# derivatives does not matter. What is the Hessian of $\lVert Xw-y\rVert^2$?


# %% exercise squares_hessian
def squares_hessian(w, X, y):
    """The second derivatives of ‖Xw − y‖² with respect to w: shape (d, d)."""
    ### BEGIN SOLUTION
    return 2 * X.T @ X
    ### END SOLUTION


# %% check
check.squares_hessian(squares_hessian)

# %% hint [markdown]

# %% [markdown]
# $$\nabla^2\lVert Xw-y\rVert^2=2X^\top X \tag{2.4}$$
#
# It is the same at every $w$: the loss bends everywhere alike. The 2 matters. In notebook 10 the largest
# eigenvalue of the Hessian limits the step size, and a text that drops the 2 allows steps that are twice too long.

# %% task taylor_second [markdown]
# Along a fixed direction the ground is a function of ε alone. Its line is (2.1). Its parabola needs the Hessian too.
# The ground above is
#
# $$f(x)=e^{x_1}+x_1x_2^2.$$
#
# Work out its first and second derivatives, and give the value at $x+\epsilon\delta$ to second order in ε. Any answer
# passes that is a parabola in ε and whose error falls like $\epsilon^3$.


# %% exercise taylor_second
def taylor_second(x, delta, eps):
    """f(x + εδ) to second order in ε; eps is an array of steps: the same shape as eps."""
    ### BEGIN SOLUTION
    value = np.exp(x[0]) + x[0] * x[1] ** 2
    gradient = np.array([np.exp(x[0]) + x[1] ** 2, 2 * x[0] * x[1]])
    hessian = np.array([[np.exp(x[0]), 2 * x[1]], [2 * x[1], 2 * x[0]]])
    return value + eps * (gradient @ delta) + eps**2 / 2 * (delta @ hessian @ delta)
    ### END SOLUTION


# %% check
check.taylor_second(taylor_second)

# %% hint [markdown]

# %% [markdown]
# $$f(x+\epsilon\delta)=f(x)+\epsilon\,\nabla f(x)^\top\delta+\frac{\epsilon^2}2\,\delta^\top H(x)\,\delta+o(\epsilon^2)
# \tag{2.5}$$
#
# The ½ belongs to it, although one text forgets it when it writes the sum out over $i$ and $j$. On the plane $H$ has
# three different entries, so three more numbers give the bend in every direction.
#
# ## Explore
# The ground in the direction 60°, seen through a magnifying glass that shows what lies between −ε and ε.
#
# 1. How do the two slopes on the right show the 100 and the 1000?
# 2. Where does the error of the parabola stop falling, and why there?

# %%
explore.Orders()

# %% [markdown]
# The error of the line falls by 100, that of the parabola by 1000: on logarithmic axes the slopes are 2 and 3.
# Under the glass every smooth function becomes a line. Near ε = 10⁻⁵ the error of the parabola reaches
# 10⁻¹⁵, the rounding of numbers of the size of $f$, and below that the computer sees only noise. This is why we do not
# check a gradient with the smallest possible step.
#
# ## Bowl or saddle
# Where the gradient is zero, the bend decides. If $\delta^\top H\delta>0$ in every direction, we stand at the bottom of
# a bowl. We therefore ask of a symmetric matrix $A$ whether $x^\top Ax$ can be negative. If it never is, $A$ is called
# positive semi-definite; if $x^\top Ax>0$ for every $x\neq0$, positive definite.

# %% task psd_test [markdown]
# A symmetric $A$ has $d$ real eigenvalues $\lambda_i$ and orthonormal eigenvectors $v_i$, $Av_i=\lambda_iv_i$. Which
# symmetric matrices are positive semi-definite?

# %% exercise psd_test
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "c", "iii"
### END SOLUTION

# %% check
check.psd_test(choice, reason)

# %% hint [markdown]

# %% [markdown]
# $$x^\top Ax=\sum_i\lambda_i\,(v_i^\top x)^2 \tag{2.6}$$
#
# At $x=v_i$ the sum is $\lambda_i$, so one negative eigenvalue is enough to spoil it. Here is a matrix with negative
# entries that is positive definite:

# %%
Q = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
np.linalg.eigvalsh(Q).round(3)

# %% [markdown]
# The eigenvalues are $2-\sqrt2$, $2$ and $2+\sqrt2$. Both sides of (2.6), at an $x$ with entries of both signs:

# %%
x = np.array([1.0, -2.0, 3.0])
np.array([x @ Q @ x, matrix_calculus.spectral_form(x, Q)])

# %% task psd_factor [markdown]
# Every matrix of the form $\Phi^\top\Phi$ is positive semi-definite, because
# $x^\top\Phi^\top\Phi x=\lVert\Phi x\rVert^2\ge0$. The Hessian (2.4) is one, and so is every covariance matrix. Show
# that there are no others: for a positive semi-definite $A$ give a Φ with $\Phi^\top\Phi=A$. There are many, and each
# of them passes.


# %% exercise psd_factor
def psd_factor(A):
    """A Φ with ΦᵀΦ = A, for a positive semi-definite A of shape (d, d): shape (k, d), k is yours."""
    ### BEGIN SOLUTION
    lam, V = np.linalg.eigh(A)  # eigenvalues, and the eigenvectors as columns
    return np.sqrt(np.maximum(lam, 0))[:, None] * V.T
    ### END SOLUTION


# %% check
check.psd_factor(psd_factor)

# %% hint [markdown]

# %% [markdown]
# With the eigenvectors as the columns of $V$ and $\Lambda=\mathrm{diag}(\lambda_1,\dots,\lambda_d)$,
#
# $$A=V\Lambda V^\top=\Phi^\top\Phi,\qquad\Phi=\Lambda^{1/2}V^\top. \tag{2.7}$$
#
# So three statements about a symmetric matrix say the same: $x^\top Ax$ is never negative, no eigenvalue is negative,
# and $A=\Phi^\top\Phi$. The first shows most easily that everything between two such matrices is one too:
# $x^\top(tA+(1-t)B)x=t\,x^\top Ax+(1-t)\,x^\top Bx\ge0$ for $0\le t\le1$. For $Q$ there is a Φ without any roots:
# $x^\top Qx=x_1^2+(x_2-x_1)^2+(x_3-x_2)^2+x_3^2$.
#
# ## The Rayleigh quotient
# How large is $x^\top Ax$ in the direction of $x$, whatever its length? We divide by the squared length:
#
# $$R(x)=\frac{x^\top Ax}{x^\top x} \tag{2.8}$$
#
# ## Explore
# $x$ walks round half of the unit circle. The arrows are $x$, its image $Ax$, and $Rx$, which is the shadow of $Ax$ on
# the line through $x$.
#
# 1. With the definite and the indefinite matrix: where is R largest, and what do the arrows do there?
# 2. Does the matrix that is not symmetric do the same?

# %%
explore.Quotient()

# %% [markdown]
# With a symmetric matrix, $Ax$ and $Rx$ coincide exactly where R is largest or smallest. There $Ax=Rx$: $x$ is
# an eigenvector and R its eigenvalue. With the third matrix R has a maximum and a minimum too, but the arrows never
# meet. That matrix has no real eigenvalue. One text promises real eigenvalues and orthogonal eigenvectors to *every*
# real matrix; the promise holds for the symmetric ones.

# %% task rayleigh_slope [markdown]
# Why do the arrows meet where R is flat? Derive the slope of R in the direction δ, and from it the gradient.
# $A$ is symmetric here, so $x^\top A\delta=\delta^\top Ax$. All lines are functions of the same variables. Line 1 is a
# quotient $p(\epsilon)/q(\epsilon)$ of two polynomials; line 3 is its derivative at $\epsilon=0$, and lines 4 and 5 are
# other ways to write line 3.


# %%
def line_1(eps, x, delta, A):
    """R after the step, R(x + εδ)."""
    z = x + eps * delta
    return (z @ A @ z) / (z @ z)


# %% exercise rayleigh_slope
def line_2(eps, x, delta, A):
    """The coefficients of 1, ε and ε² in p and in q: (above, below), both of shape (3,)."""
    ### BEGIN SOLUTION
    above = np.array([x @ A @ x, 2 * delta @ A @ x, delta @ A @ delta])
    below = np.array([x @ x, 2 * delta @ x, delta @ delta])
    return above, below
    ### END SOLUTION


def line_3(eps, x, delta, A):
    """The derivative at ε = 0 as (p′ product + q′ product)/denominator: three numbers, two of them with signs."""
    ### BEGIN SOLUTION
    (p, dp, _), (q, dq, _) = line_2(eps, x, delta, A)
    return dp * q, -p * dq, q**2
    ### END SOLUTION


def line_4(eps, x, delta, A):
    """Line 3 as δᵀ(u − v), u from the product with p′, v from the one with q′: (u, v), both of shape (d,)."""
    ### BEGIN SOLUTION
    R = (x @ A @ x) / (x @ x)
    return 2 / (x @ x) * A @ x, 2 / (x @ x) * R * x
    ### END SOLUTION


def line_5(eps, x, delta, A):
    """Line 4 as δᵀMx, where M is a multiple of A plus a multiple of the identity: shape (d, d)."""
    ### BEGIN SOLUTION
    R = (x @ A @ x) / (x @ x)
    return 2 / (x @ x) * (A - R * np.eye(len(x)))
    ### END SOLUTION


# %% check
check.rayleigh_slope(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# The gradient is what δ is multiplied with, your $Mx$:
#
# $$\nabla R(x)=\frac2{x^\top x}\bigl(Ax-R(x)\,x\bigr)\qquad\text{for }A=A^\top \tag{2.9}$$
#
# The gradient of R is, up to a factor, the gap between the two arrows. It vanishes exactly at the eigenvectors. How
# large R can be follows from (2.6): divided by $x^\top x=\sum_i(v_i^\top x)^2$, it is a weighted mean of the
# eigenvalues, so
#
# $$\lambda_{\min}\le R(x)\le\lambda_{\max}. \tag{2.10}$$
#
# Both bounds are reached, at their eigenvectors. Where the eigenvalue lies strictly between them, R has a
# saddle: it rises towards one end and falls towards the other.

# %% task power_eigenvalue [markdown]
# The largest eigenvalue is the maximum of R, so we can find it by climbing along (2.9). From a unit vector $x$, a step
# of $\frac1{2R}$ times the gradient leads to $x+\frac1R(Ax-Rx)=\frac1RAx$. So climbing is no more than multiplying by
# $A$ again and again. We divide by the length each time:
#
# $$x_{k+1}=\frac{Ax_k}{\lVert Ax_k\rVert} \tag{2.11}$$
#
# This is power iteration. Let $A$ be positive definite, and find its largest eigenvalue to six digits, starting at the
# given $x$, which is not orthogonal to its eigenvector. No other eigenvalue exceeds 0.8 times the largest.


# %% exercise power_eigenvalue
def power_eigenvalue(A, x):
    """The largest eigenvalue of a positive definite A, by steps from x: a number."""
    ### BEGIN SOLUTION
    for _ in range(200):
        x = A @ x
        x = x / np.linalg.norm(x)
    return x @ A @ x
    ### END SOLUTION


# %% check
check.power_eigenvalue(power_eigenvalue)

# %% hint [markdown]

# %% [markdown]
# Four measurements of 150 iris flowers have a covariance matrix $S$ (with the factor $1/n$). Its Rayleigh quotient is
# the variance of the flowers along a direction. We start at the first measurement, the length of the sepals, and print
# R there and after each of four steps, then the eigenvalues of $S$:

# %%
flowers = load("iris").X
S = np.cov(flowers.T, bias=True)
sepal_length = np.array([1.0, 0.0, 0.0, 0.0])
steps = islice(matrix_calculus.power_iteration(S, sepal_length), 5)
np.array([matrix_calculus.rayleigh(x, S) for x in steps]).round(6)

# %%
np.linalg.eigvalsh(S).round(6)

# %% [markdown]
# Three steps give six decimals of the largest eigenvalue, 4.200053. The second eigenvalue is 17 times smaller. So each
# step makes its share of $x$ 17 times smaller, and the error of R, which depends on the square of that share, about 300
# times.
#
# ## Explore
# Two eigenvalues, 1 and λ₂, and the steps of power iteration from a point close to $v_2$.
#
# 1. How many steps does it take to bring the gap below 10⁻⁴ at λ₂ = 0.5, and at λ₂ = 0.9?
# 2. What changes at λ₂ = −0.5, and what at −1?

# %%
explore.Power()

# %% [markdown]
# At λ₂ = 0.5 it takes 9 steps, at 0.9 more than the 30 of the slider. A negative λ₂ makes $x$ jump from side to side,
# but the gap still falls by the factor λ₂² in the end. At λ₂ = −1 the jumping never ends.
#
# ## Break it
# The exercise asked for a positive definite matrix, and for a reason.

# %% task power_breaks [markdown]
# Give a symmetric matrix with two rows and two different eigenvalues, for which power iteration does not find the
# largest eigenvalue, except from a start that is itself its eigenvector.

# %% exercise power_breaks
A_broken = ...
### BEGIN SOLUTION
A_broken = np.array([[1.0, 0.0], [0.0, -2.0]])
### END SOLUTION

# %% check
check.power_breaks(A_broken)

# %% hint [markdown]

# %% [markdown]
# Power iteration finds the eigenvalue that is largest in size: in the explorer it settles on $v_2$ when λ₂ is below −1.
# If the largest one itself is wanted, shift the matrix: $A+cI$ has the eigenvectors of $A$ and the eigenvalues
# $\lambda_i+c$, and none of them is negative for a large $c$.
#
# ## Spot the slip
# A formula as printed in well-meaning lecture notes, wrong in one place. Mend it, and give an input at which the
# printed version fails.

# %% task rayleigh_gradient [markdown]
# > *For a square matrix $A$, the gradient of the Rayleigh quotient is
# > $\nabla R(x)=\frac2{\lVert x\rVert^2}\bigl(Ax-R(x)\,x\bigr)$.*
#
# What is it for *every* square $A$? And at which $(x,A)$ is the printed one wrong?


# %% exercise rayleigh_gradient
def rayleigh_gradient(x, A):
    """The gradient of R for every square A: shape (d,)."""
    ### BEGIN SOLUTION
    R = (x @ A @ x) / (x @ x)
    return 2 / (x @ x) * ((A + A.T) @ x / 2 - R * x)
    ### END SOLUTION


fails_at = ...  # a tuple (x, A)
### BEGIN SOLUTION
fails_at = (np.array([1.0, 1.0]), np.array([[0.0, 1.0], [0.0, 0.0]]))
### END SOLUTION

# %% check
check.rayleigh_gradient(rayleigh_gradient, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$\nabla R(x)=\frac2{x^\top x}\Bigl(\tfrac12(A+A^\top)\,x-R(x)\,x\Bigr) \tag{2.12}$$
#
# R sees only the symmetric part of $A$. Its flat points are the eigenvectors of $\frac12(A+A^\top)$, and not those of
# $A$: this is why the arrows of the third matrix do not meet where R is flat.

# %% task flat_point [markdown]
# Training has stopped at a point where the gradient of the loss is zero. The Hessian there has the eigenvalues 3, 0.5
# and −0.01. A colleague says: *the gradient is zero, two eigenvalues are positive and the third is nearly zero, so this
# is a minimum.* Explain in about 120 words, with (2.5): what the loss does along each of the three eigenvectors; what
# this point is, and in which direction you would take a step; and what could be said if the third eigenvalue were
# exactly zero.

# %% explain flat_point [markdown]
# ### BEGIN SOLUTION
# The gradient is zero, so (2.5) leaves f + ½ε²δᵀHδ, and along a unit eigenvector this is f + ½λε². Along the first two
# the loss rises, by 1.5ε² and 0.25ε². Along the third it falls by 0.005ε², slowly, but in both directions. The point is
# a saddle and not a minimum. The gradient cannot tell, since it is zero at both. The step goes along the
# third eigenvector, forwards or backwards: from there on the gradient is no longer zero, and the descent goes on by
# itself. If the third eigenvalue were exactly zero, the second order would say nothing about that direction. The next
# orders decide: x⁴ has a minimum there, −x⁴ a maximum, x³ neither.
#
# Marks: one point for f + ½λε² along each eigenvector, one for the saddle and the direction ±v₃, one for the silence of
# the second order at λ = 0.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# The gradient is what multiplies δ in the first order of a step, and the Hessian is what stands between two δ in the
# second. A symmetric matrix is a sum of squares along its eigenvectors, each times an eigenvalue, so the signs of the
# eigenvalues tell a bowl from a saddle. The Rayleigh quotient runs from the smallest eigenvalue to the largest, is flat
# exactly at the eigenvectors, and power iteration climbs to the one that is largest in size.
#
# *Data:* R. A. Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Data [markdown]
# | $X$, $x_i$ | the data, one row for each point; point $i$ | `X` `(n, d)` |
# | $n$, $d$ | how many points, how many features | `n`, `d` |
# | $y$, $y_i$ | targets: numbers, or classes $0,1,\dots$ | `y` `(n,)` |

# %% symbols Models of regression [markdown]
# | $w$, $b$ | weights; bias, never penalised unless said | `w` `(d,)`, `b` | ridge |

# %% symbols Optimisation [markdown]
# | $\nabla f$, $\nabla^2f=H$ | gradient; Hessian | `gradient`, `hessian` |
# | $\delta$, $\epsilon$ | direction and length of a small step | `delta`, `eps` |
# | $R(x)$ | Rayleigh quotient $x^\top Ax/x^\top x$ | `rayleigh` |
# | $\lambda_j$, $v_j$ | eigenvalues and eigenvectors of a symmetric matrix | `np.linalg.eigh` |
