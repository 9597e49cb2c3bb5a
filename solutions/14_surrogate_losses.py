# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can compare the losses that classifiers minimise, derive how far a smooth one is from the hinge, say
# how hard each loss pulls at a mistake, and bound the number of mistakes of the perceptron.

# %%
import numpy as np

from mlcore import surrogate_losses
from mlcore.checks.surrogate_losses import check
from mlcore.data import load
from mlcore.explore import surrogate_losses as explore

# %% [markdown]
# ## See
# A hundred irises of two species, *versicolor* and *virginica*. We tell them apart by one number, the length of the
# petal: below the boundary $b$ we say versicolor, above it virginica. Move $b$ and watch the count of mistakes.

# %%
explore.Staircase()

# %% [markdown]
# The best boundaries lie between 4.7 and 4.9 cm and make 7 mistakes. But a method that feels its way downhill finds
# nothing to feel: the count is flat wherever it does not jump. Gradient descent would stay where it starts.

# %% [markdown]
# ## Predict
# We are about to replace the count by a sum of smooth losses, one for each flower. Which flower should decide most:
# one far on the right side, one near the boundary, or one far on the wrong side? And will every reasonable loss choose
# the same boundary? Decide before you go on.

# %% [markdown]
# ## Derive
# The labels are $s_i\in\{-1,+1\}$, the score of a point is $f(x)=w^\top x+b$, and we predict its sign. One number says
# how well a point is classified, its margin
#
# $$z=s\,f(x), \tag{14.1}$$
#
# which is positive on the right side. The number of mistakes is
#
# $$L_{01}=\sum_i\mathbb I(z_i\le0). \tag{14.2}$$
#
# A score of 0 decides nothing and counts as a mistake.

# %% task boundary_mistakes [markdown]
# On a line the score is $f(x)=x-b$. Count the mistakes of the boundary $b$.


# %% exercise boundary_mistakes
def boundary_mistakes(b, x, s):
    """The number of mistakes of sign(x − b), for points x and labels s of shape (n,)."""
    ### BEGIN SOLUTION
    return np.sum(s * (x - b) <= 0)
    ### END SOLUTION


# %% check
check.boundary_mistakes(boundary_mistakes)

# %% hint [markdown]

# %% [markdown]
# Three points are enough to see the difficulty: 0 with the label −1, 1 and 2 with +1. As the boundary moves through
# −0.5, 0.5, 1.5 and 2.5, the count is

# %%
x, s = np.array([0.0, 1.0, 2.0]), np.array([-1.0, 1.0, 1.0])
[int(surrogate_losses.boundary_mistakes(b, x, s)) for b in (-0.5, 0.5, 1.5, 2.5)]

# %% [markdown]
# and every boundary between 0 and 1 is as good as any other.

# %% task four_losses [markdown]
# A *surrogate* loss is a function of $z$ that is easier to minimise and never below $\mathbb I(z\le0)$, so that a small
# surrogate loss means few mistakes. Three are in wide use:
#
# $$\text{hinge }\max(0,1-z),\qquad\text{logistic }\log_2(1+e^{-z}),\qquad\text{exponential }e^{-z}. \tag{14.3}$$
#
# Compute the zero-one loss $\mathbb I(z\le0)$ and these three, for an array of margins.


# %% exercise four_losses
def four_losses(z):
    """A tuple (zero_one, hinge, logistic, exponential) of arrays of the shape of z."""
    ### BEGIN SOLUTION
    return np.where(z <= 0, 1.0, 0.0), np.maximum(0, 1 - z), np.log2(1 + np.exp(-z)), np.exp(-z)
    ### END SOLUTION


# %% check
check.four_losses(four_losses)

# %% hint [markdown]

# %% [markdown]
# At $z=-1,0,1,2$, one row for each loss:

# %%
np.array(surrogate_losses.four_losses(np.array([-1.0, 0.0, 1.0, 2.0]))).round(3)

# %% [markdown]
# Support vector machines minimise the hinge (notebook 15), logistic regression the logistic loss (12), boosting the
# exponential (18). Minimising with base $e$ in place of 2 gives the same $w$; base 2 lets the loss pass
# through 1 at $z=0$.

# %% task three_boundaries [markdown]
# Take the three points again, with $f(x)=x-b$, and add up each loss over them. Where is the sum least? The hinge has a
# whole interval of best boundaries, the other two have one each. Use a fine grid, or a pencil.

# %% exercise three_boundaries
low_high_logistic_exponential = ...  # four numbers: the ends of the hinge's interval, then the two others
### BEGIN SOLUTION
b = np.linspace(-1, 2, 30001)
z = s[:, None] * (x[:, None] - b)
_, hinge, logistic, exponential = (loss.sum(axis=0) for loss in four_losses(z))
best = b[np.isclose(hinge, hinge.min())]
low_high_logistic_exponential = (best[0], best[-1], b[logistic.argmin()], b[exponential.argmin()])
### END SOLUTION

# %% check
check.three_boundaries(low_high_logistic_exponential)

# %% hint [markdown]

# %% [markdown]
# ## Explore
# The same three points, with a steepness $w$: the score is $w(x-b)$.
#
# 1. At $w=1$, what happens to the hinge loss between 0 and 1? From which $w$ on does it reach 0?
# 2. Which loss is moved most by the second positive point, at 2, although that point is never in doubt?

# %%
explore.ThreePoints()

# %% [markdown]
# At $w=1$ the hinge loss is 1 on all of $[0,1]$: the two nearest points want a margin of 1 each, and only 1 is there
# to share. At $w=2$ it reaches 0, at $b=\frac12$ only: the middle of the gap, which notebook 15 calls the hard margin.
# The logistic loss is least at 0.197 (with 1.619, or 1.122 to base $e$) and the exponential at 0.343 (1.419). Without
# the point at 2 both would be at the middle. It moves the logistic boundary most, although it is never in doubt.

# %% [markdown]
# ## A family that tends to the hinge
# The hinge has a kink at $z=1$. This family has none:
#
# $$\Gamma_a(z)=a\log\bigl(1+e^{(1-z)/a}\bigr),\qquad a>0 \tag{14.4}$$
#
# At $a=1$ it is the natural logistic loss, moved by 1. We claim that it becomes the hinge as $a\to0$, and ask how fast.

# %% task soft_hinge_chain [markdown]
# Line 1 is the gap between the two. Each line returns the pieces of another way to write it, entry by entry.


# %%
def line_1(z, a):
    """Γₐ(z) minus the hinge."""
    return a * np.log(1 + np.exp((1 - z) / a)) - np.maximum(0, 1 - z)


# %% exercise soft_hinge_chain
def line_2(z, a):
    """Line 1 as a · log(bracket · factor): (bracket, factor), both in the shape of z."""
    ### BEGIN SOLUTION
    m = np.maximum(0, 1 - z)
    return 1 + np.exp((1 - z) / a), np.exp(-m / a)
    ### END SOLUTION


def line_3(z, a):
    """Line 2 as a · log(exp(exponent 1) + exp(exponent 2)): the exponents, that of the 1 first, in the shape of z."""
    ### BEGIN SOLUTION
    m = np.maximum(0, 1 - z)
    return -m / a, (1 - z - m) / a
    ### END SOLUTION


def line_4(z, a):
    """Line 3 as out + a · log(1 + exp(E)): (out, E), both in the shape of z."""
    ### BEGIN SOLUTION
    return np.zeros_like(z), -np.abs(1 - z) / a
    ### END SOLUTION


# %% check
check.soft_hinge_chain(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# One of the two exponents is always 0, so nothing is left in front of the logarithm:
#
# $$\Gamma_a(z)-\max(0,1-z)=a\log\bigl(1+e^{-|1-z|/a}\bigr) \tag{14.5}$$
#
# The right side is positive and its exponential never overflows. This is also how (14.4) should be computed when $a$ is
# small.

# %% task largest_gap [markdown]
# How large can the gap become, over all $z$?


# %% exercise largest_gap
def largest_gap(a):
    """The largest value of (14.5) over all z: a number."""
    ### BEGIN SOLUTION
    return a * np.log(2)
    ### END SOLUTION


# %% check
check.largest_gap(largest_gap)

# %% hint [markdown]

# %% [markdown]
# $$0<\Gamma_a(z)-\max(0,1-z)\le a\log2 \tag{14.6}$$
#
# One bound for all $z$, and it tends to 0: the family converges uniformly. Move $a$ and see where the gap sits.

# %%
explore.Softened()

# %% [markdown]
# The smaller $a$, the lower and the narrower the peak at $z=1$. At $a=0.01$ the two differ by at most 0.007, and yet
# $\Gamma_a$ has a derivative everywhere.

# %% [markdown]
# ## The force of a point
# The gradient of $\sum_i\varphi(z_i)$ with respect to $w$ is $-\sum_i\bigl[-\varphi'(z_i)\bigr]s_ix_i$. The bracket is
# the weight with which point $i$ pulls the line to its side. We add a fourth loss to the three:
#
# $$\text{sigmoid }\frac1{1+e^{z}} \tag{14.7}$$
#
# It looks more like a step than the others, but it is below the step for $z\le0$: $\frac12$ at 0, where the count is 1.

# %% task loss_pulls [markdown]
# Compute the pull $-\varphi'(z)$ of all four. At the kink of the hinge, $z=1$, take 0.


# %% exercise loss_pulls
def loss_pulls(z):
    """A tuple of −φ′(z) for (hinge, logistic, exponential, sigmoid): arrays of the shape of z."""
    ### BEGIN SOLUTION
    p = 1 / (1 + np.exp(z))
    return np.where(z < 1, 1.0, 0.0), p / np.log(2), np.exp(-z), p * (1 - p)
    ### END SOLUTION


# %% check
check.loss_pulls(loss_pulls)

# %% hint [markdown]

# %% [markdown]
# $$-\varphi'(z):\qquad\mathbb I(z<1),\qquad\frac1{\log2}\,\frac1{1+e^{z}},\qquad e^{-z},\qquad p(1-p)\text{ with }
# p=\frac1{1+e^{z}} \tag{14.8}$$
#
# All losses and pulls side by side. Which loss would you give a data set with a few wrong labels?

# %%
explore.Losses()

# %% [markdown]
# A point far on the right side hardly pulls at all. At a gross mistake the pull of the hinge is 1 and that of the
# logistic loss tends to 1.44, while the exponential pulls without limit: a single wrong label at $z=-4$ outweighs fifty
# points on the boundary. The sigmoid loss does the opposite, and lets go.

# %% task hinge_subgradient [markdown]
# Put the pulls to work. The hinge has no derivative at $z=1$; any slope between the left and the right one is a
# *subgradient* there, and we take 0. Give a subgradient of $\sum_i\max(0,1-z_i)$ with respect to $w$ and to $b$.


# %% exercise hinge_subgradient
def hinge_subgradient(w, b, X, s):
    """A tuple: the subgradient for w, of shape (d,), and for b, a number."""
    ### BEGIN SOLUTION
    active = np.where(s * (X @ w + b) < 1, s, 0.0)
    return -X.T @ active, -np.sum(active)
    ### END SOLUTION


# %% check
check.hinge_subgradient(hinge_subgradient)

# %% hint [markdown]

# %% [markdown]
# $$-\sum_{i:\,z_i<1}s_ix_i\ \text{ for }w,\qquad-\sum_{i:\,z_i<1}s_i\ \text{ for }b \tag{14.9}$$

# %% task sigmoid_bump [markdown]
# The sigmoid loss $\varphi(z)=1/(1+e^z)$ is bounded by 1. The price: it is not convex. Prove it with a triple
# $(z_1,z_2,t)$, $0<t<1$, for which $\varphi(tz_1+(1-t)z_2)$ exceeds $t\varphi(z_1)+(1-t)\varphi(z_2)$ by at least 0.05.

# %% exercise sigmoid_bump
triple = ...  # (z1, z2, t)
### BEGIN SOLUTION
triple = (-6.0, 0.0, 0.5)
### END SOLUTION

# %% check
check.sigmoid_bump(triple)

# %% hint [markdown]

# %% [markdown]
# And where it bends down it also flattens. At $z=-10$, a gross mistake, the four pulls are

# %%
[float(f"{pull:.3g}") for pull in surrogate_losses.pulls(-10.0)]

# %% [markdown]
# The exponential loss would do anything for this point. The sigmoid loss has given it up.
#
# ## The perceptron
# The oldest of these methods needs no step size. It goes through the points, one after the other, and learns from its
# mistakes. A constant feature 1 takes the place of the bias, so the score is $w^\top x$. Lecture notes print the rule
# with one slip.

# %% task perceptron_test [markdown]
# > *Start with $w=0$. For each point in turn: if $s\,w^\top x<0$, replace $w$ by $w+s\,x$. If a line separates the
# > classes, then after finitely many steps the loss $\sum_i\max(0,-s_iw^\top x_i)$ is 0.*
#
# Mend the rule, and give a $(w,x,s)$ at which the printed one does not do what it should.


# %% exercise perceptron_test
def perceptron_step(w, x, s):
    """The w after one point x of shape (d,) with the label s, −1 or +1."""
    ### BEGIN SOLUTION
    return w + s * x if s * (w @ x) <= 0 else w
    ### END SOLUTION


fails_at = ...  # a tuple (w, x, s)
### BEGIN SOLUTION
fails_at = (np.zeros(2), np.array([1.0, 2.0]), 1)
### END SOLUTION

# %% check
check.perceptron_test(perceptron_step, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$w\leftarrow w+s\,x\quad\text{if}\quad s\,w^\top x\le0 \tag{14.10}$$
#
# With the strict test nothing ever happens at $w=0$. The printed goal is no better: at $w=0$ that loss is 0 already,
# and not one point is classified.

# %% task perceptron_pass [markdown]
# Go once through the rows of $X$, in order. Return the last $w$, and how many points were a mistake when their turn
# came.


# %% exercise perceptron_pass
def perceptron_pass(w, X, s):
    """A tuple (w, mistakes) after one pass that starts from the given w."""
    ### BEGIN SOLUTION
    mistakes = 0
    for i in range(len(s)):
        if s[i] * (w @ X[i]) <= 0:
            w = w + s[i] * X[i]
            mistakes += 1
    return w, mistakes
    ### END SOLUTION


# %% check
check.perceptron_pass(perceptron_pass)

# %% hint [markdown]

# %% task mistake_bound [markdown]
# Suppose that some unit vector $u$ separates the classes with the margin γ, and that no point is longer than $R$:
#
# $$R=\max_i\lVert x_i\rVert,\qquad\gamma=\min_i\frac{s_iu^\top x_i}{\lVert u\rVert}>0. \tag{14.11}$$
#
# Start from $w=0$ and follow two numbers through $k$ mistakes.
#
# - $u^\top w$ grows at each mistake by $s\,u^\top x\ge\gamma$.
# - $\lVert w\rVert^2$ grows by $2s\,w^\top x+\lVert x\rVert^2\le R^2$, because at a mistake $s\,w^\top x\le0$.
#
# Conclude: how large can $k$ be? The $u$ that you are given has any length.


# %% exercise mistake_bound
def mistake_bound(X, s, u):
    """The largest number of mistakes that R and γ allow, not rounded; u separates the classes."""
    ### BEGIN SOLUTION
    R = np.max(np.linalg.norm(X, axis=1))
    gamma = np.min(s * (X @ u)) / np.linalg.norm(u)
    return (R / gamma) ** 2
    ### END SOLUTION


# %% check
check.mistake_bound(mistake_bound)

# %% hint [markdown]

# %% [markdown]
# $$k\gamma\le u^\top w\le\lVert w\rVert\le\sqrt k\,R\qquad\text{so}\qquad k\le\Bigl(\frac R\gamma\Bigr)^2 \tag{14.12}$$
#
# Neither the number of points nor that of features comes in. Two species that a line separates, *setosa* and
# *versicolor* by their petals, and one $u$ that does it. The mistakes that were made, and the bound:

# %%
iris = load("iris")
two = iris.y < 2
X = np.column_stack([np.ones(two.sum()), iris.X[two][:, 2:]])  # 1, petal length, petal width
s = np.where(iris.y[two] == 1, 1.0, -1.0)
mistakes = len(list(surrogate_losses.perceptron(X, s))) - 1  # the first state is the start
mistakes, int(surrogate_losses.mistake_bound(X, s, u=np.array([-3.0, 1.0, 1.0])))

# %% [markdown]
# ## Explore
# Now we choose the margin. The slider moves the classes towards each other, down to $\gamma=0.01$.
#
# 1. Two points: by how much do the mistakes grow when γ is divided by 10?
# 2. Forty points: does the bound say what will happen?

# %%
explore.Margin()

# %% [markdown]
# The two points follow the law of the bound, with 17 mistakes at $\gamma=0.1$ and 1,670 at 0.01: a tenth of the margin,
# a hundred times the mistakes. The forty points never need more than 7, because the perceptron happens on one of the
# lines between them early. The bound promises an end. It does not predict one.
#
# ## Break it
# If no line separates the classes, there is no $u$, no γ and no end: some point is always wrong, and $w$ never comes to
# rest. And even if a line exists, the end can be far.

# %% task slow_pair [markdown]
# Give two points in the unit disc of the plane, the first with the label +1 and the second with −1, that a line through
# 0 separates and on which the perceptron, started at $w=0$, makes at least 100 mistakes. A score of 0 is a mistake, and
# $0.9-3\cdot0.3$ is 0.

# %% exercise slow_pair
X_slow = ...  # two rows
### BEGIN SOLUTION
X_slow = np.array([[1.0, 0.0], [0.5, 0.03]])
### END SOLUTION

# %% check
check.slow_pair(X_slow)

# %% hint [markdown]

# %% task bounded_loss [markdown]
# A colleague proposes to train classifiers with the sigmoid loss $1/(1+e^z)$: *it is closer to the count of mistakes
# than the hinge, and a wrong label costs at most 1.* Is it a good idea? Explain in about 120 words what speaks for it
# and what happens to gradient descent with it.

# %% explain bounded_loss [markdown]
# ### BEGIN SOLUTION
# What speaks for it: the loss is close to the step and bounded, so a few wrong labels cannot outvote the other points;
# with the exponential loss one of them can. What speaks against it: it is not convex, so the sum over the points can
# have several local minima, and where descent ends depends on where it starts. And its pull p(1 − p) vanishes at both
# ends: a point at z = −10 pulls with 4.5e−5, so gross mistakes, which need correction most, are given up, and from a
# bad start with large weights hardly anything moves. The hinge and the logistic loss go on pulling there and are
# convex. A way out is to start from the solution of a convex loss and only then to bound it.
#
# Marks: one point for robustness, one for the missing convexity and its consequence, one for the vanishing pull.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# The count of mistakes has no slope, so we minimise a loss of the margin $z$ that lies above it. What tells the losses
# apart is their pull, $-\varphi'(z)$: bounded for the hinge and the logistic loss, without limit for the exponential,
# vanishing for the sigmoid. The perceptron learns from $z\le0$ only, and makes at most $(R/\gamma)^2$ mistakes if a
# margin γ exists. Notebook 15 takes the hinge and looks for the line whose margin is largest.
#
# *Data:* Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Classification [markdown]
# | $z=s\,f(x)$ | margin of a point: positive if it is classified rightly | `z` |
# | $R$, $\gamma$ | largest length of a point; smallest distance to the separating plane | `mistake_bound` |
