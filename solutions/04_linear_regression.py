# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can derive the least squares weights from a likelihood, see them as a projection, bend the line
# without leaving linear algebra, and say what happens when there are fewer points than weights.

# %%
import numpy as np

from mlcore import linear_regression as lr
from mlcore.checks.linear_regression import check
from mlcore.data import load
from mlcore.explore import linear_regression as explore

# %% [markdown]
# ## See
# 442 patients: their body mass index, and how far their diabetes has progressed a year later. Both are measured from
# the mean, so that a line through the origin is a line through the average patient. It has one number to choose. Move
# it, and look at the right.

# %%
explore.Slope()

# %% [markdown]
# Every slope misses nearly everyone. On the right the misses are squared and added up, for each slope. The sum is a
# parabola, and it has one lowest point, near 10: one unit more of body mass index, ten points more of progression.

# %% [markdown]
# ## Predict
# Each patient alone would choose the slope $y_i/x_i$ and be met exactly. Together they must agree on one.
# Whose vote counts most, that of a patient near the average or that of one far from it? Decide before you go on.

# %% [markdown]
# ## One number
# The loss of a slope $a$ is a sum over the points:
#
# $$L(a)=\sum_{i=1}^n(ax_i-y_i)^2 \tag{4.1}$$

# %% task ols_slope [markdown]
# Find the $a$ at which (4.1) is smallest.


# %% exercise ols_slope
def ols_slope(x, y):
    """The minimiser of (4.1), for x and y of shape (n,): a number."""
    ### BEGIN SOLUTION
    return x @ y / (x @ x)
    ### END SOLUTION


# %% check
check.ols_slope(ols_slope)

# %% hint [markdown]

# %% [markdown]
# $$\hat a=\frac{\sum_ix_iy_i}{\sum_ix_i^2}=\frac{\sum_ix_i^2\,(y_i/x_i)}{\sum_ix_i^2} \tag{4.2}$$
#
# It is a minimum and not a maximum, because $a^2$ has the factor $\sum x_i^2>0$. Without noise, $y_i=a^*x_i$, it
# returns $a^*$. And it is a mean of the votes $y_i/x_i$ with the weights $x_i^2$: the half of the patients
# nearest to the average have 8% of the say, the farthest tenth has 42%.

# %% task ols_shift [markdown]
# Now the slope is known to be 1, and the shift is not: $f(x)=x+a$. Which $a$ has the least squared error?


# %% exercise ols_shift
def ols_shift(x, y):
    """The a for which Σ(xᵢ + a − yᵢ)² is smallest: a number."""
    ### BEGIN SOLUTION
    return np.mean(y - x)
    ### END SOLUTION


# %% check
check.ols_shift(ols_shift)

# %% hint [markdown]

# %% [markdown]
# $$\hat a=\frac1n\sum_i(y_i-x_i) \tag{4.3}$$
#
# ## By what right
# With $d$ measurements a prediction is $x_i^\top w$, one weight for each. The points are the rows of
# $X$, which is $(n,d)$, and a bias needs no symbol of its own: a column of ones makes it a weight.
#
# $$L(w)=\lVert Xw-y\rVert^2 \tag{4.4}$$
#
# But why squares, and not distances or fourth powers? Suppose that $y_i$ is $x_i^\top w$ plus noise, independent and
# normal with variance $\sigma^2$. Then the data have a probability density, the product of $n$ normal densities,
# and we can ask which $w$ makes them most likely.

# %% task ols_likelihood [markdown]
# From the likelihood to an equation that we can solve. Line 1 is the likelihood, lines 2 to 4 lead to its logarithm,
# and line 5 is the derivative of line 4. Every line is a function of the same variables and returns the pieces of its
# formula.


# %%
def line_1(w, X, y, sigma):
    """The likelihood of w: one normal density for each point."""
    return np.prod(np.exp(-((y - X @ w) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2))


# %% exercise ols_likelihood
def line_2(w, X, y, sigma):
    """The logarithm of each density, front + factor · square: two numbers without w, and the squares, shape (n,)."""
    ### BEGIN SOLUTION
    return -np.log(2 * np.pi * sigma**2) / 2, -1 / (2 * sigma**2), (y - X @ w) ** 2
    ### END SOLUTION


def line_3(w, X, y, sigma):
    """Their sum, constant + factor · loss, where the loss is L(w), equation (4.4): three numbers."""
    ### BEGIN SOLUTION
    front, factor, squares = line_2(w, X, y, sigma)
    return len(y) * front, factor, squares.sum()
    ### END SOLUTION


def line_4(w, X, y, sigma):
    """Line 3 as −wᵀAw + 2wᵀc + rest: (A, c, rest), with shapes (d, d), (d,) and a number."""
    ### BEGIN SOLUTION
    constant, factor, _ = line_3(w, X, y, sigma)
    return -factor * X.T @ X, -factor * X.T @ y, constant + factor * y @ y
    ### END SOLUTION


def line_5(w, X, y, sigma):
    """The derivative of line 4 with respect to w, as b − Hw: (b, H), with shapes (d,) and (d, d)."""
    ### BEGIN SOLUTION
    A, c, _ = line_4(w, X, y, sigma)
    return 2 * c, 2 * A
    ### END SOLUTION


# %% check
check.ols_likelihood(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# Your line 3 is
#
# $$\log p(y\mid X,w)=-\frac n2\log(2\pi\sigma^2)-\frac{L(w)}{2\sigma^2}. \tag{4.5}$$
#
# The weights come in only through $L(w)$, and with a minus. Whatever $\sigma$ is, the most likely weights are those
# with the least squares. This is the right by which we square: we believe that the noise is normal. Who believes in
# another noise gets another loss.

# %% task ols_fit [markdown]
# At the top of the likelihood the gradient of its logarithm, line 5, is zero. Solve for $w$. The columns of $X$ are
# independent.


# %% exercise ols_fit
def ols_fit(X, y):
    """The minimiser of L, equation (4.4): shape (d,)."""
    ### BEGIN SOLUTION
    return np.linalg.solve(X.T @ X, X.T @ y)
    ### END SOLUTION


# %% check
check.ols_fit(ols_fit)

# %% hint [markdown]

# %% [markdown]
# $$X^\top X\hat w=X^\top y,\qquad\hat w=(X^\top X)^{-1}X^\top y \tag{4.6}$$
#
# These are the normal equations. Written $X^\top(y-X\hat w)=0$, they say that what is left over is orthogonal to
# every column of $X$. In $L(w)=\lVert X(w-\hat w)+(X\hat w-y)\rVert^2$ the cross term is therefore zero, and Pythagoras
# gives
#
# $$L(w)=L(\hat w)+\lVert X(w-\hat w)\rVert^2. \tag{4.7}$$
#
# No $w$ does better than $\hat w$, and if the columns are independent, none does as well. All ten measurements of
# the patients:

# %%
X, y = load("diabetes").standardised()
w = lr.fit(X, y)
dict(zip(load("diabetes").features, w.round(1).tolist(), strict=True))

# %%
np.allclose(X.T @ (y - X @ w), 0)

# %% task ols_hat [markdown]
# The fitted values $\hat y=X\hat w$ are the point of the columns' span that is closest to $y$: its shadow. One matrix
# $H$, made of $X$ alone, casts it for every $y$: $\hat y=Hy$. Which one?


# %% exercise ols_hat
def ols_hat(X):
    """The matrix that takes every y to its fitted values ŷ: shape (n, n)."""
    ### BEGIN SOLUTION
    return X @ np.linalg.solve(X.T @ X, X.T)
    ### END SOLUTION


# %% check
check.ols_hat(ols_hat)

# %% hint [markdown]

# %% [markdown]
# $$H=X(X^\top X)^{-1}X^\top \tag{4.8}$$
#
# The shadow of a shadow is itself, $HH=H$, and the trace of $H$ is $d$. The entry $H_{ii}$ says how much $\hat y_i$
# listens to $y_i$. With a single column it is the weight of a vote in (4.2), $x_i^2/\sum_jx_j^2$.

# %% [markdown]
# ## Bend it
# Nothing in (4.6) asks where the columns of $X$ come from. If they are functions of $x$, the curve bends, and the
# problem is still linear in $w$.

# %% task ols_powers [markdown]
# Make the matrix with which (4.6) fits a polynomial $w_0+w_1x+\dots+w_px^p$.


# %% exercise ols_powers
def ols_powers(x, p):
    """A row for each of the n points, a column for each power, lowest first."""
    ### BEGIN SOLUTION
    return x[:, None] ** np.arange(p + 1)
    ### END SOLUTION


# %% check
check.ols_powers(ols_powers)

# %% hint [markdown]

# %% [markdown]
# Row $i$ of $X$ is $\varphi(x_i)^\top$, with powers or with bumps around centres $c_j$, the radial basis functions:
#
# $$\varphi(x)=(1,x,x^2,\dots,x^p) \tag{4.9}$$
#
# $$\varphi(x)=\big(1,\varphi_1(x),\dots,\varphi_p(x)\big),\qquad\varphi_j(x)=e^{-(x-c_j)^2/2h^2} \tag{4.10}$$
#
# ## Explore
# Sixteen noisy points, and 500 new ones that the fit does not see.
#
# 1. At which degree is the error on new points smallest? What does the error on the sixteen do after that?
# 2. At $p=15$ it is zero. Is this true of bumps as well, and why?

# %%
explore.Features()

# %% [markdown]
# The error on the points never rises with the degree, since the old columns are still there. With bumps it may rise:
# their centres move. The error on new points is smallest at degree 5, at 0.11, of which 0.09 is noise that no curve
# predicts. At $p=15$ there are sixteen weights for sixteen points: $X$ is square and here invertible, and $\hat
# w=X^{-1}y$ meets them all, for powers and for bumps. Between them it swings: the error on new points is 3300 with
# powers and 3.4 with bumps. Notebook 08 chooses $p$.

# %% [markdown]
# ## Break it
# Take one more point away: now there are fewer points than weights. What becomes of (4.6)?

# %% task ols_singular [markdown]
# Let $X$ be any matrix with $n<d$. Which of these is true of all of them?

# %% exercise ols_singular
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "iii"
### END SOLUTION

# %% check
check.ols_singular(choice, reason)

# %% hint [markdown]

# %% [markdown]
# More points than weights do not save us by themselves: a thousand equal rows have rank one. Nor do they forbid an
# exact fit: without noise there is one.

# %% task ols_minimum_norm [markdown]
# Let the rows be independent, $n<d$. Then infinitely many $w$ meet all points exactly. Find the one whose length
# $\lVert w\rVert$ is smallest.


# %% exercise ols_minimum_norm
def ols_minimum_norm(X, y):
    """The shortest w with Xw = y, for n < d and independent rows: shape (d,)."""
    ### BEGIN SOLUTION
    return X.T @ np.linalg.solve(X @ X.T, y)
    ### END SOLUTION


# %% check
check.ols_minimum_norm(ols_minimum_norm)

# %% hint [markdown]

# %% [markdown]
# $$\hat w=X^\top(XX^\top)^{-1}y \tag{4.11}$$
#
# In the next figure ten weights are fitted to $n$ patients, with (4.11) if $n<10$ and with (4.6) from there on, and
# tried on all the others. On the right is the median of 100 draws of the patients.
#
# 1. What changes on the left when the tenth patient comes?
# 2. Would you rather learn from two patients or from ten?

# %%
explore.Patients()

# %% [markdown]
# Each of the first ten patients fills one direction. With the tenth the last zero is gone and the weights are unique.
# But the smallest eigenvalue is tiny, the condition number falls from infinity to about 10,000 only, and noise is
# divided by next to nothing: the error is 12 times the variance of $y$. Two patients do better (0.9), because the
# shortest $w$ stays out of directions that it has not seen. Forty come to 0.7. Notebook 05 does something about the
# small eigenvalues.

# %% [markdown]
# ## Spot the slip
# Three sentences as printed in well-meaning lecture notes.

# %% task ols_gradient [markdown]
# > *Let $\mathrm{MSE}(w)=\frac1n\lVert y-Xw\rVert^2$. Then $\nabla\mathrm{MSE}(w)=\frac2nX^\top(y-Xw)=0$, so that
# > $\hat w=(X^\top X)^{-1}X^\top y$.*
#
# The result is right, the gradient before it is not. Mend it, and give $(w,X,y)$ at which the printed one fails.


# %% exercise ols_gradient
def ols_gradient(w, X, y):
    """∇MSE(w): shape (d,)."""
    ### BEGIN SOLUTION
    return 2 / len(y) * X.T @ (X @ w - y)
    ### END SOLUTION


fails_at = ...  # a tuple (w, X, y)
### BEGIN SOLUTION
fails_at = (np.zeros(1), np.array([[1.0], [2.0]]), np.array([1.0, 1.0]))
### END SOLUTION

# %% check
check.ols_gradient(ols_gradient, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$\nabla\mathrm{MSE}(w)=\frac2nX^\top(Xw-y) \tag{4.12}$$
#
# The printed one is zero at the same place and opposite everywhere else. A gradient descent that uses it climbs.

# %% task ols_multiplications [markdown]
# > *The closed form costs $O(d^3+nd)$, and $T$ steps of gradient descent cost $O(Tnd^2)$.*
#
# Two orders have changed places. Count the multiplications of numbers: for all $d^2$ entries of $X^\top X$, and for
# $X^\top(Xw-y)$ in one step of gradient descent.


# %% exercise ols_multiplications
def ols_multiplications(n, d):
    """The two counts, as a tuple (gram, step) of whole numbers."""
    ### BEGIN SOLUTION
    return n * d**2, 2 * n * d
    ### END SOLUTION


# %% check
check.ols_multiplications(ols_multiplications)

# %% hint [markdown]

# %% [markdown]
# $$X^\top X:\ nd^2\qquad\qquad X^\top(Xw-y):\ 2nd \tag{4.13}$$
#
# With $n=2000$ and $d=50$ these are 5,000,000 and 200,000. Solving the system adds about $d^3/3$, so the closed form
# is $O(nd^2+d^3)$ and gradient descent $O(Tnd)$. The matrix costs as much as $d/2$ steps, here 25, so descent
# wins if it needs fewer steps (notebook 10).

# %% task ols_sign [markdown]
# > *If the weight of a feature is positive, the feature is positively correlated with $y$, and the size of the weight
# > is the strength of the correlation.*
#
# Refute it with a table of your own: at least four rows, columns $x_1$, $x_2$, $y$, the first two and a constant
# independent. In the fit of $b+w_1x_1+w_2x_2$ to $y$ the weight $w_2$ is positive, and yet the correlation of $x_2$ and
# $y$ is negative.

# %% exercise ols_sign
table = ...
### BEGIN SOLUTION
x1 = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
x2 = -x1 + np.array([0.0, 1.0, 0.0, 0.0, 1.0])
table = np.column_stack([x1, x2, 3 * x1 + x2])
### END SOLUTION

# %% check
check.ols_sign(table)

# %% hint [markdown]

# %% [markdown]
# A weight says what happens when its feature moves and all others stay. It happens in the clinic too: total
# cholesterol (tc) has the correlation +0.21 with the progression and the weight −37.7, hdl has −0.39 and +4.8.
# Nor is its size a strength: in a unit a thousand times larger the feature's numbers are a thousand times smaller,
# and its weight is a thousand times larger.

# %% task exact_fit [markdown]
# A clinic has measured thirty quantities of twenty patients. Least squares meets all twenty exactly, and the report
# says: "The loss is zero, so by (4.5) no weights are more likely, and the thirty quantities explain the disease."
# Explain in about 120 words: why the zero was certain beforehand, what the many weights with loss zero have in common
# and in what they differ, and what would count as evidence.

# %% explain exact_fit [markdown]
# ### BEGIN SOLUTION
# X has twenty rows and thirty columns. If the rows are independent, the columns span the whole twenty-dimensional
# space, so Xw = y has a solution for every y, also for one that was drawn by lot: the zero says nothing about the
# disease. The solutions differ by vectors v with Xv = 0. They agree on the twenty patients and disagree on almost every
# other one. The shortest of them is a choice of ours, the data did not make it. The likelihood compares weights within
# the model, and to it all of these are the same. Evidence would be a small error on patients that were left out.
#
# Marks: one point for the solution that exists for every y, one for the directions v with Xv = 0, one for patients
# that were left out.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# If the noise is normal, the most likely weights are those with the least squares, and what they leave over is
# orthogonal to every column of $X$. The line may bend as it likes: only the weights have to enter linearly. Fewer
# points than weights leave directions open, and just as many are met exactly and predict worst. Notebook 05 continues
# with a penalty.
#
# *Data:* Efron, Hastie, Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004).

# %% symbols Data [markdown]
# | $\hat y$ | what a model says in the place of $y$ | `y_hat` |
# | $\varphi(x)$, $\Phi$ | features computed from $x$; the matrix with one row of them for each point | `powers`,
# `bumps` | kernels |

# %% symbols Models of regression [markdown]
# | $a$ | the weight, if there is only one | `slope` |
# | $L(w)=\lVert Xw-y\rVert^2$ | squared loss, a sum; $\mathrm{MSE}=L/n$ | `loss` |
# | $H$ | the matrix that takes $y$ to $\hat y$ | `hat` |

# %% symbols Kernels [markdown]
# | $h$ | bandwidth: $k=e^{-\lVert x-z\rVert^2/(2h^2)}$ | `h` |
