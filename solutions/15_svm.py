# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can measure a margin, derive the dual of the soft margin line by line, go back from the dual to the
# line, and tell from a point's multiplier where the point is, and where it need not be.

# %%
import numpy as np

from mlcore import svm
from mlcore.checks.svm import check
from mlcore.data import load
from mlcore.explore import svm as explore

# %% [markdown]
# ## See
# Fifty flowers of *Iris setosa* and fifty of *Iris versicolor*, by the length and the width of their petals. We lay a
# straight street between them, as wide as the flowers allow. Turn its direction.

# %%
explore.Streets()

# %% [markdown]
# Straight streets exist for about 150 degrees of directions, and every one of them classifies these hundred flowers
# without an error. The widest measures 1.30 cm and is touched by two flowers.

# %% [markdown]
# ## Predict
# Ninety-eight flowers do not touch the widest street. Which of them could be removed without moving it? And when two
# species overlap, so that no street is empty: which flowers will decide then? Decide before you go on.

# %% [markdown]
# ## Derive
# The labels are $s_i\in\{-1,+1\}$, the line is where $f(x)=w^\top x+b$ is zero, and we predict the sign of $f$.
# A point is classified rightly if $s_if(x_i)>0$.

# %% task svm_distance [markdown]
# How far is each row of $X$ from the line?


# %% exercise svm_distance
def svm_distance(X, w, b):
    """The distances of the rows of X from the line wᵀx + b = 0: shape (n,)."""
    ### BEGIN SOLUTION
    return np.abs(X @ w + b) / np.linalg.norm(w)
    ### END SOLUTION


# %% check
check.svm_distance(svm_distance)

# %% hint [markdown]

# %% [markdown]
# $$\text{distance}=\frac{|w^\top x+b|}{\lVert w\rVert} \tag{15.1}$$
#
# Multiply $w$ and $b$ by 10, and the line stays where it is. We use this freedom to fix the scale: the smallest
# $s_if(x_i)$ shall be 1. Then the nearest point is $1/\lVert w\rVert$ away from the line. This is the *margin*, the
# street is $2/\lVert w\rVert$ wide, and the widest street has the shortest $w$:
#
# $$\min_{w,b}\ \tfrac12\lVert w\rVert^2\quad\text{subject to}\quad s_i(w^\top x_i+b)\ge1\text{ for all }i \tag{15.2}$$

# %% task svm_four_points [markdown]
# Four points, by hand: $(1,2)$ and $(2,1)$ with $s=+1$, $(-1,-1)$ and $(-2,\frac12)$ with $s=-1$. Find the solution of
# (15.2) and its margin.

# %% exercise svm_four_points
w1_w2_b_margin = ...  # four numbers
### BEGIN SOLUTION
w1_w2_b_margin = (1 / 2, 1 / 3, -1 / 6, 6 / np.sqrt(13))
### END SOLUTION

# %% check
check.svm_four_points(w1_w2_b_margin)

# %% hint [markdown]

# %% [markdown]
# ## Slack
# If the classes overlap, (15.2) asks for the impossible. So we let each point fall short of 1 by a *slack* $\xi_i$,
# and pay $C$ for every unit of it:
#
# $$P(w,b)=\tfrac12\lVert w\rVert^2+C\sum_i\xi_i,\qquad\xi_i=\max(0,\,1-s_if(x_i)) \tag{15.3}$$
#
# With $0<\xi_i<1$ a point is inside the street but on its own side of the line, with $\xi_i>1$ it is misclassified.
# For separable classes and a large enough $C$ the slack is too dear to be used, and (15.2) comes back: for the flowers
# above, from $C=1.18$ on.

# %% task svm_penalty [markdown]
# The slack $\xi_i$ is the hinge loss of notebook 14. Which λ makes $\sum_i\xi_i+\lambda\lVert w\rVert^2$ have the same
# minimiser as $P$?


# %% exercise svm_penalty
def svm_penalty(C):
    """The λ that belongs to C: a number."""
    ### BEGIN SOLUTION
    return 1 / (2 * C)
    ### END SOLUTION


# %% check
check.svm_penalty(svm_penalty)

# %% hint [markdown]

# %% [markdown]
# $$\lambda=\frac1{2C} \tag{15.4}$$
#
# ## The dual
# We write the slacks as variables with two constraints each, $s_if(x_i)\ge1-\xi_i$ and $\xi_i\ge0$, and put a price on
# breaking them: $\alpha_i\ge0$ on the first, $\mu_i\ge0$ on the second. The result is the Lagrangian
#
# $$L=\tfrac12\lVert w\rVert^2+C\sum_i\xi_i+\sum_i\alpha_i\bigl(1-\xi_i-s_i(w^\top x_i+b)\bigr)-\sum_i\mu_i\xi_i.
# \tag{15.5}$$
#
# Where the constraints hold, the prices add nothing positive, so $L\le P$. Minimised over $w$, $b$ and $\xi$, the
# Lagrangian is therefore a lower bound on the best $P$. The best lower bound is the *dual*.

# %% task svm_dual_chain [markdown]
# From $L$ to a function of α alone. Every line is a function of the same variables, and returns the pieces of the
# formula, so that you have them in hand. Lines 2 to 4 are three ways to write $L$, as a sum over the points and sorted
# by $w$, $b$ and $\xi$. Then the derivatives become zero: with respect to $w$ in line 5, with respect to $b$ and
# $\xi$ in line 6. The check calls the lines with any $w$, $b$, $\xi$ and $\mu$: a piece in which one of them is gone
# may not contain it.


# %%
def line_1(w, b, xi, alpha, mu, X, s, C):
    """The Lagrangian, equation (15.5)."""
    return w @ w / 2 + C * np.sum(xi) + alpha @ (1 - xi - s * (X @ w + b)) - mu @ xi


# %% exercise svm_dual_chain
def line_2(w, b, xi, alpha, mu, X, s, C):
    """α multiplied into the bracket behind it: (from_1, from_xi, from_w, from_b), each of shape (n,)."""
    ### BEGIN SOLUTION
    return alpha, -alpha * xi, -alpha * s * (X @ w), -alpha * s * b
    ### END SOLUTION


def line_3(w, b, xi, alpha, mu, X, s, C):
    """All of L, sorted: (in_w, in_b, in_xi, rest), four numbers whose sum is L."""
    ### BEGIN SOLUTION
    from_1, from_xi, from_w, from_b = line_2(w, b, xi, alpha, mu, X, s, C)
    return w @ w / 2 + np.sum(from_w), np.sum(from_b), C * np.sum(xi) + np.sum(from_xi) - mu @ xi, np.sum(from_1)
    ### END SOLUTION


def line_4(w, b, xi, alpha, mu, X, s, C):
    """½wᵀw − wᵀΣ rowsᵢ − b Σ signedᵢ + Σ slopesᵢ ξᵢ + rest: (rows, signed, slopes, rest).

    Shapes (n, d), (n,), (n,) and a number: one row and one entry for each point.
    """
    ### BEGIN SOLUTION
    signed = alpha * s
    return signed[:, None] * X, signed, C - alpha - mu, np.sum(alpha)
    ### END SOLUTION


def line_5(w, b, xi, alpha, mu, X, s, C):
    """Line 4 at the w at which its derivative is zero: (square, cross, in_b, in_xi, rest), five numbers."""
    ### BEGIN SOLUTION
    rows, signed, slopes, rest = line_4(w, b, xi, alpha, mu, X, s, C)
    v = np.sum(rows, axis=0)
    return v @ v / 2, -v @ v, -b * np.sum(signed), slopes @ xi, rest
    ### END SOLUTION


def line_6(w, b, xi, alpha, mu, X, s, C):
    """Line 5 where the derivatives with respect to b and ξ are zero too: (linear, quadratic), two numbers."""
    ### BEGIN SOLUTION
    square, cross, _, _, rest = line_5(w, b, xi, alpha, mu, X, s, C)
    return rest, square + cross
    ### END SOLUTION


def line_7(w, b, xi, alpha, mu, X, s, C):
    """Line 6 as pᵀα − ½αᵀQα: (p, Q), with shapes (n,) and (n, n)."""
    ### BEGIN SOLUTION
    return np.ones(len(alpha)), np.outer(s, s) * (X @ X.T)
    ### END SOLUTION


# %% check
check.svm_dual_chain(line_2, line_3, line_4, line_5, line_6, line_7)

# %% hint [markdown]

# %% [markdown]
# The derivatives of line 4 are $w$ minus the sum of the rows, minus the sum of the signed α, and the slopes. They are
# zero where
#
# $$w=\sum_i\alpha_is_ix_i,\qquad\sum_i\alpha_is_i=0,\qquad\alpha_i+\mu_i=C, \tag{15.6}$$
#
# and line 7 is the dual:
#
# $$\max_\alpha\ D(\alpha)=\sum_i\alpha_i-\tfrac12\sum_{i,j}\alpha_i\alpha_js_is_j\,x_i^\top x_j
# \quad\text{subject to}\quad0\le\alpha_i\le C,\ \sum_i\alpha_is_i=0 \tag{15.7}$$
#
# The prices $\mu_i\ge0$ survive as the bound $\alpha_i\le C$. The hard margin has no such bound, and for classes that
# overlap its $D$ then grows for ever. Why go to the dual? It has one variable for each point and tells which points
# matter, and the points enter only through the products $x_i^\top x_j$: that is where notebook 16 puts a kernel.
#
# ## Which points matter
# The problem is convex with linear constraints, so its best lower bound is reached (strong duality): at the solution
# $D=L=P$. Then every price times what its constraint leaves over is zero. This is *complementary slackness*.
# Well-meaning lecture notes print it for the soft margin with one slip.

# %% task svm_slackness [markdown]
# > *Soft margin: at the solution $\alpha_i\,(s_if(x_i)-1)=0$ for every point.*
#
# Write the product that is zero at the solution, for given arrays of $\alpha_i$ and $z_i=s_if(x_i)$. And give an
# $(\alpha,z)$ that a solution can have and at which the printed product is not zero.


# %% exercise svm_slackness
def svm_slackness(alpha, z):
    """The price of each first constraint times what the constraint leaves over: shape (n,)."""
    ### BEGIN SOLUTION
    xi = np.maximum(0, 1 - z)
    return alpha * (z - 1 + xi)
    ### END SOLUTION


not_zero_at = ...  # a tuple (alpha, z): numbers, or arrays of the same shape
### BEGIN SOLUTION
not_zero_at = (1.0, 0.5)
### END SOLUTION

# %% check
check.svm_slackness(svm_slackness, not_zero_at)

# %% hint [markdown]

# %% [markdown]
# The second constraint has its product too, with $\mu_i=C-\alpha_i$:
#
# $$\alpha_i\,(s_if(x_i)-1+\xi_i)=0,\qquad(C-\alpha_i)\,\xi_i=0 \tag{15.8}$$
#
# | multiplier | what (15.8) says | where the point is |
# |:--|:--|:--|
# | $\alpha_i=0$ | $\xi_i=0$, so $s_if(x_i)\ge1$ | on the edge of the street or outside |
# | $0<\alpha_i<C$ | $\xi_i=0$ and $s_if(x_i)=1$ | on the edge |
# | $\alpha_i=C$ | $s_if(x_i)\le1$ | on the edge or past it |
#
# Points with $\alpha_i>0$ are the *support vectors*. No other point occurs in $w$. The constraints, (15.6) and (15.8)
# together are the *KKT conditions*.

# %% task svm_from_alpha [markdown]
# The α of a solution are given, some of them strictly between 0 and $C$. Compute $w$, and $b$ as a mean over those
# points that are certain to be on the edge.


# %% exercise svm_from_alpha
def svm_from_alpha(alpha, X, s, C):
    """The line of a solution: a tuple (w, b) with w of shape (d,) and b a number."""
    ### BEGIN SOLUTION
    w = X.T @ (alpha * s)
    free = (alpha > 0) & (alpha < C)
    return w, np.mean(s[free] - X[free] @ w)
    ### END SOLUTION


# %% check
check.svm_from_alpha(svm_from_alpha)

# %% hint [markdown]

# %% [markdown]
# $$b=\frac1{|\mathcal M|}\sum_{j\in\mathcal M}(s_j-w^\top x_j),\qquad\mathcal M=\{j:0<\alpha_j<C\} \tag{15.9}$$

# %% task svm_gap [markdown]
# How do we know that an α is the solution? Every α that (15.7) allows gives a lower bound $D(\alpha)$, and the line
# with $w=\sum_i\alpha_is_ix_i$ and any $b$ gives an upper bound $P(w,b)$. Compute how far they are apart.


# %% exercise svm_gap
def svm_gap(alpha, b, X, s, C):
    """P at w = Σαsx and b, minus D at α: a number."""
    ### BEGIN SOLUTION
    w = X.T @ (alpha * s)
    xi = np.maximum(0, 1 - s * (X @ w + b))
    return w @ w / 2 + C * np.sum(xi) - (np.sum(alpha) - w @ w / 2)
    ### END SOLUTION


# %% check
check.svm_gap(svm_gap)

# %% hint [markdown]

# %% [markdown]
# Because $\lVert w\rVert^2=\sum_i\alpha_is_i(w^\top x_i+b)$ when $\sum_i\alpha_is_i=0$, the gap is the sum of all
# products of (15.8):
#
# $$P-D=\sum_i\alpha_i\,(s_if(x_i)-1+\xi_i)+\sum_i(C-\alpha_i)\,\xi_i \tag{15.10}$$
#
# None of them is negative. So the gap is zero if and only if all are: the KKT conditions are not only necessary but
# enough.
#
# How does one find the solution? No α can move alone, since $\sum_i\alpha_is_i=0$. `svm.ascend` moves one pair after
# the other, and now and then all α that lie strictly between their bounds. $D$ grows with every step. On the way the
# gap may rise, as $P$ may, but it ends at zero: here after seventeen steps, for versicolor and virginica with $C=10$.

# %%
iris = load("iris")
X, s = iris.X[50:, 2:], np.where(iris.y[50:] == 2, 1.0, -1.0)
gaps = [svm.gap(alpha, svm.bias(alpha, X, s, C=10), X, s, C=10) for alpha in svm.ascend(X, s, C=10)]
np.abs(np.round(gaps))

# %% [markdown]
# ## Explore
# *Versicolor* and *virginica* overlap. Move $C$ first. Then let somebody mislabel some of the flowers.
#
# 1. How many flowers hold the street at $C=1$, and how many at $C=0.01$?
# 2. With 20 wrong labels at $C=1$: which α do the mislabelled flowers get, and how many flowers does the line then
#    assign to the wrong species?

# %%
explore.Slab()

# %% [markdown]
# At $C=1$ the street is 0.64 cm wide and 24 flowers hold it, two of them on its edges. At $C=0.01$ slack is cheap, the
# street is 3.23 cm wide and 94 flowers take part. It never gets wider as $C$ grows.
#
# All 20 mislabelled flowers get $\alpha=C$. None can pull harder than that, however far away it is, and those of the
# two classes pull against each other. The line turns, yet it misses the true species of 6 flowers, against 5 before.
# At $C=0.01$ the same labels make it miss 44, against 8 without them: nearly every flower has $\alpha=C$, the pulls no
# longer tell right from wrong, and the class with more labels (52 against 48) takes the other's side.

# %% [markdown]
# Now one point of twelve, the ringed one. Its class is +1.
#
# 1. Where can it be without any α changing?
# 2. Push it through the street and far into the other class, at $C=1$. Does the street follow it?

# %%
explore.OnePoint()

# %% [markdown]
# Outside the street its α is 0, the other α are what they are without it, and the two lines coincide. On the edge
# it joins the sum $w=\sum_i\alpha_is_ix_i$ and drives the street before it. Deep in the other class it has $\alpha=C$,
# pulls with all the force that it is allowed, and the street stays behind. At $C=100$ it is allowed much more: with
# the point at $(-1,0)$ the street shrinks from 2.5 to 0.2 to make room for it.

# %% [markdown]
# ## Break it
# Equation (15.9) averages over the points with $0<\alpha<C$. Nothing says that there is one.

# %% task svm_two_points [markdown]
# Two points on a line, $x_1=1$ with $s_1=+1$ and $x_2=-1$ with $s_2=-1$, and $C=\frac12$. Work out
# $\alpha_1,\alpha_2,w,b,\xi_1,\xi_2$ by hand.

# %% exercise svm_two_points
by_hand = ...  # six numbers: alpha_1, alpha_2, w, b, xi_1, xi_2
### BEGIN SOLUTION
by_hand = (0.5, 0.5, 1, 0, 0, 0)
### END SOLUTION

# %% check
check.svm_two_points(by_hand)

# %% hint [markdown]

# %% [markdown]
# Here $\mathcal M=\emptyset$, and (15.9) divides zero by zero. The KKT conditions still force $b=0$: the first
# point needs $1+b\le1$, the second $1-b\le1$.

# %% task svm_bias_interval [markdown]
# In general every point bounds $b$ by its row of the table, and all of them together leave an interval. Compute its
# ends. If some α are strictly between the bounds, the two ends are equal.


# %% exercise svm_bias_interval
def svm_bias_interval(alpha, X, s, C):
    """All b that (15.8) allows for the α of a solution: a tuple (low, high) of two numbers."""
    ### BEGIN SOLUTION
    edge = s - X @ (X.T @ (alpha * s))
    below = np.where(s > 0, alpha < C, alpha > 0)
    above = np.where(s > 0, alpha > 0, alpha < C)
    return np.max(edge[below]), np.min(edge[above])
    ### END SOLUTION


# %% check
check.svm_bias_interval(svm_bias_interval)

# %% hint [markdown]

# %% [markdown]
# With $e_i=s_i-w^\top x_i$, the $b$ that puts point $i$ on the edge of its side,
#
# $$\max_{i\in B}e_i\ \le\ b\ \le\ \min_{i\in A}e_i, \tag{15.11}$$
#
# where $B$ holds the points $+1$ with $\alpha<C$ and the points $-1$ with $\alpha>0$, and $A$ the points $+1$ with
# $\alpha>0$ and the points $-1$ with $\alpha<C$. For our two points both ends are 0. Where they differ, every $b$
# between them has the same $P$, and `svm.fit` takes the middle.

# %% [markdown]
# ## Spot the slip
# A conclusion as printed in well-meaning lecture notes.

# %% task svm_inside [markdown]
# > *If $\alpha_i=C$ then $\mu_i=0$, hence $\xi_i>0$, and the point is inside the street.*
#
# By this rule the number of points with $\xi>0$ is the number of points with $\alpha=C$. Count them rightly, for the
# $\alpha$, the $z=sf(x)$ and the $C$ of a solution, and give such a triple for which the printed rule miscounts.


# %% exercise svm_inside
def svm_inside(alpha, z, C):
    """How many points have slack: a whole number."""
    ### BEGIN SOLUTION
    return np.sum(z < 1)
    ### END SOLUTION


miscounts_at = ...  # a tuple (alpha, z, C)
### BEGIN SOLUTION
miscounts_at = ([0.5, 0.5], [1.0, 1.0], 0.5)
### END SOLUTION

# %% check
check.svm_inside(svm_inside, miscounts_at)

# %% hint [markdown]

# %% [markdown]
# The arrow goes the other way: $\xi_i>0$ makes $\mu_i=0$ and so $\alpha_i=C$. In the same way a point on the edge may
# have $\alpha_i=0$.

# %% task svm_robust [markdown]
# Somebody removes all flowers with $\alpha=0$ and fits again: the line is the same. Somebody else exchanges the labels
# of 20 flowers and is surprised that the line at $C=1$ misses only one flower more. Explain both in about 120
# words, with (15.6) and (15.8), and name a case in which one of the two would *not* go so well.

# %% explain svm_robust [markdown]
# ### BEGIN SOLUTION
# By (15.6) the line is w = Σαsx: a flower with α = 0 adds nothing. The remaining α still satisfy (15.8) with the same
# w and b, and these conditions are enough, so the same line is optimal for the flowers that are left. A mislabelled
# flower is on the wrong side, has slack, and by (15.8) gets α = C. That is all it can get, because α + μ = C and μ ≥ 0:
# its pull is bounded however wrong it is, and wrong labels in both classes pull in opposite directions. It goes less
# well if all wrong labels are in one class, if C is so small that nearly every flower has α = C, or if a removed flower
# moves past the edge, where its α would no longer be 0.
#
# Marks: one point for w and (15.8) without the flowers with α = 0, one for the bound α ≤ C, one for a case in which
# it fails.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# The support vector machine takes the line with the widest street, and pays $C$ for each unit by which a point falls
# short of its edge. Its dual has one multiplier for each point, between 0 and $C$, and only points with $\alpha>0$
# hold the line: on the edge if $\alpha<C$, on the edge or past it if $\alpha=C$. The gap between the two problems is a
# sum of products that are never negative, and at the solution every one of them is zero. Notebook 16 replaces the inner
# products of the dual by kernels.
#
# *Data:* Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Classification [markdown]
# | $C$, $\xi_i$ | price of a violation in $\frac12\lVert w\rVert^2+C\sum_i\xi_i$; the violation of point $i$ | `C`,
# `xi` |
# | $\alpha_i$, $\mu_i$ | dual variables of the margins; multipliers of $\xi_i\ge0$ | `alpha`, `mu` |
