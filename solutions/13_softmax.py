# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can compute probabilities from any scores without an overflow, derive the gradient and the Hessian of
# softmax regression in matrix form, say which directions its loss cannot see, and take a Newton step all the same.

# %%
import numpy as np

from mlcore import softmax
from mlcore.checks.softmax import check
from mlcore.data import load
from mlcore.explore import softmax as explore

# %% [markdown]
# ## See
# All three species of iris, by the length and the width of their petals. Each species has a score, a straight-line
# function of the two lengths, and the three scores are turned into three probabilities that sum to 1. Move the
# penalty.

# %%
explore.Regions()

# %% [markdown]
# At λ = 1 five of 150 flowers are misclassified. All borders are straight, as with two classes. A large penalty levels
# the scores: at λ = 10⁴ the largest probability is 0.34 on average, hardly more than a third.

# %% [markdown]
# ## Predict
# Three classes, two features and a bias: nine numbers. How many of them do the data determine? And will Newton's
# method, which solved everything in notebook 12, work unchanged? Decide before you go on.

# %% [markdown]
# ## Derive
# The classes are numbered $0,\dots,C-1$. (One text writes $\{0,1,\dots,C\}$, which are $C+1$.) To turn scores
# $t_0,\dots,t_{C-1}$ into probabilities, make them positive and divide by the sum: $e^{t_k}/\sum_je^{t_j}$. The
# logarithm of that sum is $\mathrm{LSE}(t)=\log\sum_ke^{t_k}$. For the scores $(1000,1001,999)$ every exponential
# overflows, though the answer is an ordinary number.

# %% task stable_lse [markdown]
# Compute $\mathrm{LSE}(t)$ so that it is right for all scores, large, small and far apart.


# %% exercise stable_lse
def stable_lse(t):
    """log Σ exp(tₖ) for a vector t of any size: a number."""
    ### BEGIN SOLUTION
    m = np.max(t)
    return m + np.log(np.sum(np.exp(t - m)))
    ### END SOLUTION


# %% check
check.stable_lse(stable_lse)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{LSE}(t)=m+\log\sum_ke^{t_k-m},\qquad m=\max_kt_k \tag{13.1}$$

# %%
f"{softmax.log_sum_exp(np.array([1000.0, 1001.0, 999.0])):.4f}"

# %% [markdown]
# With LSE the probabilities of all classes are finite for all scores, too:
#
# $$p=\mathrm{softmax}(t),\qquad p_k=\frac{e^{t_k}}{\sum_je^{t_j}}=e^{t_k-\mathrm{LSE}(t)} \tag{13.2}$$
#
# In softmax regression the scores of a point $x$ are $W^\top x$: the matrix $W$ is $(d,C)$ and has one column $w_k$ for
# each class. A column of ones in $X$ holds the biases.

# %% task class_probabilities [markdown]
# Compute the probabilities of all classes for all points, for scores of any size.


# %% exercise class_probabilities
def class_probabilities(W, X):
    """Row i holds softmax(Wᵀxᵢ): shape (n, C)."""
    ### BEGIN SOLUTION
    T = X @ W
    E = np.exp(T - np.max(T, axis=1, keepdims=True))
    return E / np.sum(E, axis=1, keepdims=True)
    ### END SOLUTION


# %% check
check.class_probabilities(class_probabilities)

# %% hint [markdown]

# %% [markdown]
# $$P(y=k\mid x)=\mathrm{softmax}(W^\top x)_k,\qquad\log\frac{P(y=k\mid x)}{P(y=l\mid x)}=(w_k-w_l)^\top x \tag{13.3}$$
#
# The log-odds of any two classes are linear. They are zero on the border between them, which is why it is straight.
#
# ## Explore
# Four scores. The *temperature* τ divides them all, and $c$ is added to them all.
#
# 1. What remains of the four probabilities at a low and at a high temperature?
# 2. Which $c$ moves a bar? Which $c$ breaks the formula as written?

# %%
explore.Temperature()

# %% [markdown]
# At τ = 0.1 the largest score takes everything, at τ = 10 the four are nearly equal. No $c$ moves a bar: a common
# factor $e^{c/\tau}$ cancels. At τ = 1 the formula as written breaks down at $c=750$ and at $c=-750$, where all its
# exponentials overflow or vanish.
#
# ## Curvature
# One text says of LSE that *one can show* that it is convex.

# %% task lse_chain [markdown]
# Show it. Walk from $t$ in a direction $a$: the slope there, the slope of the slope, and a form in which its sign is
# plain. Each line returns the terms of a formula before they are added up.


# %%
def line_1(t, a):
    """LSE(t)."""
    return np.log(np.sum(np.exp(t)))


# %% exercise lse_chain
def line_2(t, a):
    """The derivative of LSE(t + sa) at s = 0, as S′/S: the terms of S′ and those of S, both of shape (C,)."""
    ### BEGIN SOLUTION
    return a * np.exp(t), np.exp(t)
    ### END SOLUTION


def line_3(t, a):
    """The second derivative as Σ product 1 − Σ product 2, by the quotient rule: two arrays of shape (C, C)."""
    ### BEGIN SOLUTION
    e = np.exp(t)
    S = np.sum(e)
    return np.outer(a**2 * e, e) / S**2, np.outer(a * e, a * e) / S**2
    ### END SOLUTION


def line_4(t, a):
    """The second derivative as one sum over all pairs (k, j), with symmetric terms: shape (C, C)."""
    ### BEGIN SOLUTION
    p = np.exp(t) / np.sum(np.exp(t))
    return np.outer(p, p) * (a[:, None] - a[None, :]) ** 2 / 2
    ### END SOLUTION


# %% check
check.lse_chain(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# The curvature is a sum of squares, so it is never negative. It is half of the mean squared difference of two
# independent draws from the entries of $a$, with the probabilities $p$. Multiply the square out: that is a variance.
#
# $$a^\top\nabla^2\mathrm{LSE}(t)\,a=\tfrac12\sum_{k,j}p_kp_j(a_k-a_j)^2=\sum_kp_k(a_k-\bar a)^2\ge0,\qquad
# \bar a=\sum_kp_ka_k \tag{13.4}$$
#
# LSE is convex. The curvature is zero if all entries of $a$ are equal, and only then. Remember this direction.

# %% task softmax_jacobian [markdown]
# *Similar to the sigmoid function*, says one text of the derivative of softmax, and leaves it there. Compute the
# Jacobian of $p=\mathrm{softmax}(t/\tau)$ with respect to $t$: entry $(k,j)$ is $\partial p_k/\partial t_j$. You may
# use `softmax.probabilities`.


# %% exercise softmax_jacobian
def softmax_jacobian(t, tau):
    """The derivative of softmax(t/τ) with respect to t: shape (C, C)."""
    ### BEGIN SOLUTION
    p = softmax.probabilities(t / tau)
    return (np.diag(p) - np.outer(p, p)) / tau
    ### END SOLUTION


# %% check
check.softmax_jacobian(softmax_jacobian)

# %% hint [markdown]

# %% [markdown]
# $$\frac{\partial p}{\partial t}=\frac1\tau\bigl(\mathrm{diag}(p)-pp^\top\bigr) \tag{13.5}$$
#
# The diagonal, $p_k(1-p_k)$, is the sigmoid's. The rest is new: what one class gains, the others lose.
#
# ## Explore
# Three classes, and their probabilities as a point in a triangle. Each line shows where its score pulls the point.
#
# 1. Raise all three scores by 1. Where does the point go?
# 2. Where is the pull of $t_0$ strongest, and where does it fade?

# %%
explore.Triangle()

# %% [markdown]
# The point stays, for each row of the Jacobian sums to zero. $t_0$ moves its own probability most at $p_0=\frac12$, at
# the rate ¼. The rate $p_0(1-p_0)$ fades near the corner of class 0 and near the opposite side.
#
# ## The gradient
# The label of point $i$ is $y_i$, and row $i$ of $Y$, with the entries $y_{ik}$, has a 1 in column $y_i$ and zeros
# elsewhere. Maximum likelihood minimises $\mathrm{NLL}(W)=-\sum_i\log P(y_i\mid x_i)$, which is the cross-entropy
#
# $$\mathrm{NLL}(W)=\sum_i\sum_k\Bigl(-y_{ik}\log\frac{e^{t_{ik}}}{\sum_je^{t_{ij}}}\Bigr),\qquad t_{ik}=x_i^\top w_k.$$

# %% task softmax_chain [markdown]
# How does the loss answer to $W$? The scores $t_{ik}$ are the entries of $XW$, and $S$ is the sum in the denominator,
# one for each point. Each line returns the terms of a formula before they are added up, with the point $i$ as the first
# index. In line 3 there are two classes: each term of line 2 is differentiated with respect to each score of its point.


# %%
def line_1(W, X, Y):
    """NLL(W)."""
    E = np.exp(X @ W)
    return np.sum(-Y * np.log(E / np.sum(E, axis=1, keepdims=True)))


# %% exercise softmax_chain
def line_2(W, X, Y):
    """The logarithm of the quotient, taken apart: (numerators, denominators), two arrays of shape (n, C)."""
    ### BEGIN SOLUTION
    T = X @ W
    return -Y * T, Y * np.log(np.sum(np.exp(T), axis=1, keepdims=True))
    ### END SOLUTION


def line_3(W, X, Y):
    """The derivatives of both with respect to the scores: two arrays of shape (n, C, C), entry (i, k, j)."""
    ### BEGIN SOLUTION
    E = np.exp(X @ W)
    P = E / np.sum(E, axis=1, keepdims=True)
    return -Y[:, :, None] * np.eye(W.shape[1]), Y[:, :, None] * P[:, None, :]
    ### END SOLUTION


def line_4(W, X, Y):
    """Both added up over k: two arrays of shape (n, C), entry (i, j)."""
    ### BEGIN SOLUTION
    E = np.exp(X @ W)
    return -Y, E / np.sum(E, axis=1, keepdims=True)
    ### END SOLUTION


def line_5(W, X, Y):
    """The derivative of the loss with respect to W, before the sum over the points: shape (n, d, C)."""
    ### BEGIN SOLUTION
    numerators, denominators = line_4(W, X, Y)
    return X[:, :, None] * (numerators + denominators)[:, None, :]
    ### END SOLUTION


# %% check
check.softmax_chain(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# Line 2 says what the loss is made of: the logarithm of each denominator is LSE, and of the numerators only that of the
# point's own class counts. Line 4 says what becomes of LSE: its partial derivatives are the probabilities.
#
# $$\mathrm{NLL}(W)=\sum_i\bigl[\mathrm{LSE}(W^\top x_i)-x_i^\top w_{y_i}\bigr],\qquad
# \nabla\mathrm{LSE}(t)=\mathrm{softmax}(t). \tag{13.6}$$
#
# The loss is convex in $W$: LSE of a linear function, minus a linear function.
#
# ## Spot the slip
# A gradient as printed in well-meaning lecture notes, where $f_c(x)=P(y=c\mid x)$ and $\mathbb I$ is 1 if its condition
# holds and 0 otherwise.

# %% task softmax_gradient [markdown]
# > $\displaystyle\frac{\partial\,\mathrm{NLL}}{\partial w_j}=-\sum_i\Bigl[\frac{\mathbb I(y_i=j)}{f_j(x_i)}$
# > $\displaystyle\frac{\partial f_j(x_i)}{\partial w_j}+\sum_{c\neq j}\frac{\mathbb I(y_i=j)}{f_c(x_i)}$
# > $\displaystyle\frac{\partial f_c(x_i)}{\partial w_j}\Bigr]$
#
# Write the right gradient of (13.6), your line 5 added up over the points, as a product of matrices, with one column
# for each class. Check that both sides have the shape of $W$. And give an input at which the printed version fails.


# %% exercise softmax_gradient
def softmax_gradient(W, X, Y):
    """The gradient of (13.6): shape (d, C)."""
    ### BEGIN SOLUTION
    return X.T @ (softmax.probabilities(X @ W) - Y)
    ### END SOLUTION


fails_at = ...  # a tuple (W, X, Y)
### BEGIN SOLUTION
fails_at = (np.zeros((1, 2)), [[1.0]], [[1, 0]])
### END SOLUTION

# %% check
check.softmax_gradient(softmax_gradient, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$\nabla\mathrm{NLL}(W)=X^\top(P-Y) \tag{13.7}$$
#
# The second indicator has to be $\mathbb I(y_i=c)$. Then $\sum_c\mathbb I(y_i=c)=1$ collapses both sums to
# $f_j(x_i)-\mathbb I(y_i=j)$, the residual of notebook 12, class by class.
#
# ## What the data cannot see
# Raising all scores of a point by the same number changes nothing. If we add the same vector $c$ to every column of
# $W$, the scores of point $i$ all rise by $x_i^\top c$:
#
# $$W\ \text{and}\ W+c\mathbf 1^\top\ \text{have the same probabilities, for all data and every }c\in\mathbb R^d.
# \tag{13.8}$$

# %% task pinned_weights [markdown]
# Among all $W$ with the same probabilities find the one whose last class has the weights 0.


# %% exercise pinned_weights
def pinned_weights(W):
    """Weights with the probabilities of W and a last column of zeros: shape (d, C)."""
    ### BEGIN SOLUTION
    return W - W[:, -1:]
    ### END SOLUTION


# %% check
check.pinned_weights(pinned_weights)

# %% hint [markdown]

# %% task two_class_weights [markdown]
# With two classes, softmax regression must be logistic regression. For which $w$ is $P(y=1\mid x)=\sigma(x^\top w)$?


# %% exercise two_class_weights
def two_class_weights(W):
    """W is (d, 2), its columns are the classes 0 and 1; the logistic weights of class 1: shape (d,)."""
    ### BEGIN SOLUTION
    return W[:, 1] - W[:, 0]
    ### END SOLUTION


# %% check
check.two_class_weights(two_class_weights)

# %% hint [markdown]

# %% [markdown]
# $$P(y=1\mid x)=\sigma\bigl((w_1-w_0)^\top x\bigr) \tag{13.9}$$

# %% task softmax_hessian [markdown]
# Now the Hessian that a text leaves *to the reader to derive*, with respect to all $Cd$ weights. Stack them class after
# class: first the $d$ weights of class 0, then those of class 1, and so on. Then the Hessian consists of $C\times C$
# blocks, each $d\times d$. `np.kron(A, B)` is the matrix $A\otimes B$ of the blocks $A_{kj}B$.


# %% exercise softmax_hessian
def softmax_hessian(W, X):
    """The Hessian of (13.6), class after class: shape (Cd, Cd)."""
    ### BEGIN SOLUTION
    P = softmax.probabilities(X @ W)
    return sum(np.kron(np.diag(p) - np.outer(p, p), np.outer(x, x)) for p, x in zip(P, X, strict=True))
    ### END SOLUTION


# %% check
check.softmax_hessian(softmax_hessian)

# %% hint [markdown]

# %% [markdown]
# $$H=\sum_i\bigl(\mathrm{diag}(p_i)-p_ip_i^\top\bigr)\otimes x_ix_i^\top \tag{13.10}$$
#
# ## Break it
# The same text goes on: the Newton step is $-H^{-1}\nabla$. All three species by the length of their sepals, with a
# bias, so $d=2$ and $C=3$. The eigenvalues of $H$ at $W=0$:

# %%
iris = load("iris")
X, y = np.column_stack([iris.X[:, 0] - 5.8, np.ones(150)]), iris.y.astype(int)
np.abs(np.linalg.eigvalsh(softmax.hessian(np.zeros((2, 3)), X)).round(3))

# %% [markdown]
# Two of them are zero: $H$ has no inverse, here or at any other $W$. A solver complains, or returns whatever rounding
# suggests.

# %% task hessian_rank [markdown]
# How many eigenvalues of $H$ are *not* zero, for any $X$ of shape $(n,d)$ and $C$ classes? Mind columns of $X$ that
# depend on each other.


# %% exercise hessian_rank
def hessian_rank(X, C):
    """The rank of the Hessian, at any W: a whole number."""
    ### BEGIN SOLUTION
    return (C - 1) * np.linalg.matrix_rank(X)
    ### END SOLUTION


# %% check
check.hessian_rank(hessian_rank)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{rank}\,H=(C-1)\,\mathrm{rank}\,X \tag{13.11}$$
#
# So with independent columns $d$ directions are flat, those of (13.8): the data determine six of the nine numbers that
# you were asked about at the start. The gradient has no part in the flat directions, since the rows of $P-Y$ sum to
# zero. Hence $H\delta=-\mathrm{vec}\,\nabla$ still has solutions, where vec stacks the columns. They differ by flat
# directions, and the *pseudo-inverse* $H^+$ gives the shortest.

# %% task softmax_newton [markdown]
# Take the shortest Newton step. `softmax.hessian` and `softmax.gradient` are yours to use. Where an eigenvalue of $H$
# is zero, rounding leaves about $10^{-16}$ of the largest: count as zero what is below $10^{-10}$ of it.


# %% exercise softmax_newton
def softmax_newton(W, X, Y):
    """Where the shortest Newton step leads from W: shape (d, C)."""
    ### BEGIN SOLUTION
    d, C = W.shape
    g = softmax.gradient(W, X, Y)
    step = np.linalg.pinv(softmax.hessian(W, X), rcond=1e-10) @ g.T.ravel()
    return W - step.reshape(C, d).T
    ### END SOLUTION


# %% check
check.softmax_newton(softmax_newton)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{vec}\,W^+=\mathrm{vec}\,W-H^+\,\mathrm{vec}\,\nabla\mathrm{NLL}(W) \tag{13.12}$$
#
# The other way is to pin one class to 0 and take ordinary Newton steps for the others.
#
# ## Explore
# The sepals again. Walk through the steps on both routes.
#
# 1. Where do the weights of the three species end on each route?
# 2. Compare the probability curves of the two routes, step by step.

# %%
explore.Routes()

# %% [markdown]
# The weights of the sepal length end at (−3.89, 0.93, 2.96) and at (−6.85, −2.03, 0): the same up to one number added
# to all. The curves agree at *every* step. Newton's method does not notice how we fix what the loss cannot see.

# %% task what_lam_leaves [markdown]
# A third way is a penalty, with the biases $b$ kept apart and free:
#
# $$J(W,b)=\mathrm{NLL}(W,b)+\tfrac\lambda2\lVert W\rVert^2 \tag{13.13}$$
#
# $X$ has independent columns, also together with a column of ones. How many directions of $(W,b)$ does $J$ leave flat?

# %% exercise what_lam_leaves
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "iii"
### END SOLUTION

# %% check
check.what_lam_leaves(choice, reason)

# %% hint [markdown]

# %% [markdown]
# At the minimum the penalty makes the rows of $W$ sum to zero. `softmax.fit` pins a class on the way and returns
# centred weights and biases:

# %%
W, b = softmax.fit(iris.X[:, 2:], y, lam=1.0)
W.round(2), b.round(2)

# %% task two_programs [markdown]
# Two programs fit softmax regression without a penalty to the same overlapping data with four classes. One reports
# the weight 3.1 of age for class A, the other −1.2. Their probabilities agree to ten digits. Explain in about 120
# words why both are right, why a Newton step with $H^{-1}$ would have failed and what to do instead, and which numbers
# about age the two reports can be compared by.

# %% explain two_programs [markdown]
# ### BEGIN SOLUTION
# Adding one vector c to the weights of all four classes raises all scores of a point by the same xᵀc, which cancels in
# the softmax. So the loss is the same along d directions, the minimum is a whole flat, and each program reports a point
# of it: a single weight means nothing. In these directions the Hessian is zero, it has rank 3d instead of 4d, and no
# inverse. One can pin one class to zero, take the shortest step with the pseudo-inverse, or add a penalty. What the
# data determine are differences: the weight of age for class A minus that for class B is the change of the log-odds of
# A against B with a year of age, and both programs agree on it.
#
# Marks: one point for the common vector that changes no probability, one for the singular Hessian with a cure, one for
# differences or log-odds.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# Softmax turns scores into probabilities, and is computed after the largest score has been taken out. The gradient of
# its loss is $X^\top(P-Y)$, the Hessian a sum of Kronecker products, and the loss is convex because the curvature of
# log-sum-exp is a variance. One vector added to all classes changes nothing: the Hessian is singular, and Newton's
# method needs a pinned class, a pseudo-inverse or a penalty. Notebook 14 asks what other losses would have done.
#
# *Data:* Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Data [markdown]
# | $Y$ | classes as rows with a single 1 | `Y` `(n, C)` |

# %% symbols Classification [markdown]
# | $W$, $w_k$, $C$ | one column of weights for each class; number of classes | `W` `(d, C)`, `C` |
# | $\mathrm{LSE}(t)$, $\mathrm{softmax}(t)$ | $\log\sum_ke^{t_k}$ and its gradient | `log_sum_exp`, `probabilities` |
