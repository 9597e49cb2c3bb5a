# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can prove that k-means gets better with every half step, say why it may still end badly, derive its
# blurred cousin, save much of its work by the triangle inequality, and score a grouping with and without the truth.

# %%
import numpy as np

from mlcore import kmeans
from mlcore.checks.kmeans import check
from mlcore.data import load
from mlcore.explore import kmeans as explore

# %% [markdown]
# ## See
# 240 houses, and five depots to be built. Every house is served by one depot, and we pay for the squared distances.
# One algorithm, started twice:

# %%
explore.TwoAnswers()

# %% [markdown]
# On the left each village has its depot. On the right one village has two, and two villages share one that stands in a
# field. In both pictures every house belongs to the nearest depot, and every depot stands in the middle of its houses.
# The algorithm has nothing left to do.

# %% [markdown]
# ## Predict
# We are about to start thirty times. How many starts will find the villages: nearly all, about half, hardly any?
# And if the number of depots is ours to choose, which number has the smallest cost?

# %% [markdown]
# ## Derive: two half steps
# A label $z_i\in\{1,\dots,K\}$ for each point, a centre $c_k$ for each group, and $r_{ik}=1$ if $z_i=k$, else 0:
#
# $$J(z,C)=\sum_{i=1}^n\sum_{k=1}^Kr_{ik}\lVert x_i-c_k\rVert^2 \tag{21.1}$$
#
# Minimising over both at once is hard. Over one of them alone it is easy.

# %% task kmeans_assign [markdown]
# **First half step.** Keep the centres, find the best labels. Each point appears in its own summand only. In code the
# labels are $0,\dots,K-1$; if two centres are equally near, take the first.


# %% exercise kmeans_assign
def kmeans_assign(X, C):
    """The best labels for the centres C (K, d): integers of shape (n,)."""
    ### BEGIN SOLUTION
    squares = np.sum((X[:, None] - C) ** 2, axis=2)
    return np.argmin(squares, axis=1)
    ### END SOLUTION


# %% check
check.kmeans_assign(kmeans_assign)

# %% hint [markdown]

# %% [markdown]
# $$z_i=\arg\min_k\lVert x_i-c_k\rVert^2=\arg\min_k\bigl(\tfrac12\lVert c_k\rVert^2-x_i^\top c_k\bigr) \tag{21.2}$$
#
# The second form leaves out $\lVert x_i\rVert^2$, which all centres share: one product of matrices gives all labels.

# %% task best_centre [markdown]
# **Second half step.** Keep the labels, find the best centres. Each group is on its own, so take the $n$ points of one
# group and ask for the best $c$. Lines 2 and 3 are two ways to write what the group costs, line 4 is the derivative of
# line 3. Each returns the pieces of its formula.


# %%
def line_1(c, X):
    """What a group with the points X costs, if its centre is c."""
    return np.sum((X - c) ** 2)


# %% exercise best_centre
def line_2(c, X):
    """Line 1 as q‖c‖² − 2cᵀs + t: (q, s, t), a number, shape (d,) and a number."""
    ### BEGIN SOLUTION
    return len(X), X.sum(axis=0), np.sum(X**2)
    ### END SOLUTION


def line_3(c, X):
    """Line 2 as factor·‖c − m‖² + rest: (factor, m, rest), a number, shape (d,) and a number."""
    ### BEGIN SOLUTION
    m = X.sum(axis=0) / len(X)
    return len(X), m, np.sum(X**2) - len(X) * m @ m
    ### END SOLUTION


def line_4(c, X):
    """The derivative of line 3 by c, number · bracket: (number, bracket), the second of shape (d,)."""
    ### BEGIN SOLUTION
    return 2 * len(X), c - X.mean(axis=0)
    ### END SOLUTION


# %% check
check.best_centre(line_2, line_3, line_4)

# %% hint [markdown]

# %% [markdown]
# The bracket is zero at the mean $\bar x$, and the square is smallest there. The rest, without $c$, is the cost
# at $c=\bar x$, so
#
# $$\sum_i\lVert x_i-c\rVert^2=\sum_i\lVert x_i-\bar x\rVert^2+n\lVert c-\bar x\rVert^2. \tag{21.3}$$
#
# The mean is best, and a centre in another place costs $n$ times its squared distance to the mean.

# %% task kmeans_refit [markdown]
# Compute all centres. A group without points makes no demand: let its centre stay where it is.


# %% exercise kmeans_refit
def kmeans_refit(X, z, C):
    """The best centres for the labels z (n,); C (K, d) are the old ones: shape (K, d)."""
    ### BEGIN SOLUTION
    new = C.copy()
    for k in range(len(C)):
        if np.any(z == k):
            new[k] = X[z == k].mean(axis=0)
    return new
    ### END SOLUTION


# %% check
check.kmeans_refit(kmeans_refit)

# %% hint [markdown]

# %% [markdown]
# $$c_k=\frac{\sum_ir_{ik}x_i}{\sum_ir_{ik}} \tag{21.4}$$
#
# ## Lloyd's algorithm
# Take turns until no label changes.

# %% task lloyd_trace [markdown]
# Run a given number of rounds and record $J$ after each *half* step: after the assignment, after the refit, and so on.


# %% exercise lloyd_trace
def lloyd_trace(X, C, rounds):
    """J after every half step, from the centres C: shape (2 * rounds,)."""
    ### BEGIN SOLUTION
    trace = []
    for _ in range(rounds):
        z = kmeans_assign(X, C)
        trace.append(np.sum((X - C[z]) ** 2))
        C = kmeans_refit(X, z, C)
        trace.append(np.sum((X - C[z]) ** 2))
    return np.array(trace)
    ### END SOLUTION


# %% check
check.lloyd_trace(lloyd_trace)

# %% hint [markdown]

# %% [markdown]
# With $z'$ for the new labels and $C'$ for the new centres,
# $$J(z,C)\ \ge\ J(z',C)\ \ge\ J(z',C'),$$
# because $z'$ is best for $C$ and $C'$ is best for $z'$: coordinate descent with two blocks. A round that leaves $J$ as
# it was has by (21.3) moved no centre, so the next one changes no label. Every other round lowers $J$, so no labelling
# comes back, and there are finitely many: it ends.
#
# ## Explore
# Press play, then change the start.
#
# 1. Which half step gains more, at the beginning and later?
# 2. How many different values of $J$ can you end at with $K=5$?

# %%
explore.Lloyd()

# %% [markdown]
# In the first round the refit gains more than the assignment after it, in 29 of the thirty starts with $K=5$. Later
# either may. Of the thirty, 18 end at 186.2, the villages. The others end at eleven different values from 440 to 1020.
# "No half step improves it" describes a *local* minimum. So we start many times and keep the smallest $J$.
#
# ## How many groups?

# %% task one_more_centre [markdown]
# Could $J$ choose $K$ as well? Given any $K$ centres at which $J>0$ (each point pays for its nearest one), give $K+1$
# centres with a smaller $J$. If the old ones are $n-1$ of the $n$ points, reach $J=0$.


# %% exercise one_more_centre
def one_more_centre(X, C):
    """Better centres, one more than in C: shape (K + 1, d)."""
    ### BEGIN SOLUTION
    share = np.sum((X[:, None] - C) ** 2, axis=2).min(axis=1)
    return np.vstack([C, X[share.argmax()]])
    ### END SOLUTION


# %% check
check.one_more_centre(one_more_centre)

# %% hint [markdown]

# %% [markdown]
# So the best $J$ falls with every centre, down to $J=0$ at $K=n$, and cannot choose $K$. A usual rule is the **elbow**:
# stop where the fall becomes slow. The lower curve is a score that we define below.
#
# 1. With one start, $R=1$: where is the elbow?
# 2. How many starts does it take to move it?

# %%
explore.Elbow()

# %% [markdown]
# With one start the curve is flat from 4 to 5, because the start at $K=5$ was a bad one: the elbow says 4. A second
# start moves it to 5.
#
# ## Groups with blurred borders
# A house halfway between two villages belongs to both. Fuzzy c-means lets $r_{ik}$ be any share:
#
# $$J(r,C)=\sum_{i,k}r_{ik}^m\,d_{ik}^2,\qquad r_{ik}\ge0,\quad\sum_kr_{ik}=1, \tag{21.5}$$
#
# with $d_{ik}=\lVert x_i-c_k\rVert$ and a *fuzzifier* $m>1$. Again each point is on its own. Its Lagrangian has a
# multiplier $\alpha$ for the sum; those of $r_k\ge0$ turn out to be zero.

# %% task fuzzy_kkt [markdown]
# One point, its squared distances $d_k^2>0$ to the centres, and the conditions of Karush, Kuhn and Tucker: stationary,
# then feasible. Every line is a function of $r$, $\alpha$, $d^2$ and $m$, and returns the pieces of a formula.


# %%
def line_1(r, alpha, d2, m):
    """The Lagrangian of one point; r and d2 have shape (K,)."""
    return np.sum(r**m * d2) + alpha * (1 - np.sum(r))


# %% exercise fuzzy_kkt
def line_2(r, alpha, d2, m):
    """The derivative by r_k as factor_k · r_k^exponent − constant: shape (K,), a number, a number."""
    ### BEGIN SOLUTION
    return m * d2, m - 1, alpha
    ### END SOLUTION


def line_3(r, alpha, d2, m):
    """The r_k at which line 2 is zero, as base_k^power, power > 0: (base, power), shape (K,) and a number."""
    ### BEGIN SOLUTION
    factor, exponent, constant = line_2(r, alpha, d2, m)
    return constant / factor, 1 / exponent
    ### END SOLUTION


def line_4(r, alpha, d2, m):
    """Line 3 as α^power · weight_k, with α in no weight: (power, weight), a number and shape (K,)."""
    ### BEGIN SOLUTION
    return 1 / (m - 1), (1 / (m * d2)) ** (1 / (m - 1))
    ### END SOLUTION


def line_5(r, alpha, d2, m):
    """The α for which the memberships of line 4 sum to 1, as S^exponent, S the sum of the weights: (S, exponent)."""
    ### BEGIN SOLUTION
    power, weight = line_4(r, alpha, d2, m)
    return np.sum(weight), -1 / power
    ### END SOLUTION


# %% check
check.fuzzy_kkt(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# At these memberships $mr_k^{m-1}d_k^2=\alpha$, so the point costs
# $\sum_kr_k^md_k^2=\frac\alpha m\sum_kr_k=\frac\alpha m$.
#
# Why may we forget $r_k\ge0$? One text argues that $r_k=0$ would break $\sum_kr_k=1$; but $(1,0)$ sums to 1. The reason
# is another one. With multipliers $\beta_k\ge0$ and $\beta_kr_k=0$, stationary means $mr_k^{m-1}d_k^2=\alpha+\beta_k$.
# Some $r_j$ is positive, so $\beta_j=0$ and $\alpha=mr_j^{m-1}d_j^2>0$. Then no $r_k$ is zero, and every $\beta_k$ is.

# %% task fuzzy_memberships [markdown]
# Put lines 4 and 5 together for many points. A point that sits on a centre has $d=0$, where the derivation does not
# hold: it costs nothing if it belongs to that centre alone.


# %% exercise fuzzy_memberships
def fuzzy_memberships(D2, m):
    """The best memberships for the squared distances D2 (n, K): shape (n, K). No row of D2 has two zeros."""
    ### BEGIN SOLUTION
    R = np.zeros_like(D2)
    for i, d2 in enumerate(D2):
        if np.any(d2 == 0):
            R[i] = d2 == 0
        else:
            share = (1 / d2) ** (1 / (m - 1))
            R[i] = share / share.sum()
    return R
    ### END SOLUTION


# %% check
check.fuzzy_memberships(fuzzy_memberships)

# %% hint [markdown]

# %% [markdown]
# $$r_{ik}=\frac1{\sum_j\bigl(d_{ik}^2/d_{ij}^2\bigr)^{1/(m-1)}} \tag{21.6}$$

# %% task fuzzy_centre [markdown]
# And the centres that are best for given memberships?


# %% exercise fuzzy_centre
def fuzzy_centre(X, R, m):
    """The centres that minimise J for the memberships R (n, K): shape (K, d)."""
    ### BEGIN SOLUTION
    W = R**m
    return W.T @ X / W.sum(axis=0)[:, None]
    ### END SOLUTION


# %% check
check.fuzzy_centre(fuzzy_centre)

# %% hint [markdown]

# %% [markdown]
# $$c_k=\frac{\sum_ir_{ik}^mx_i}{\sum_ir_{ik}^m} \tag{21.7}$$
#
# ## Explore
# Two centres at 0 and 3.
#
# 1. At $x=1$, so $d^2=(1,4)$: what are the memberships at $m=1.1$, 2 and 10?
# 2. Take $m=10$ and go far to the left. Whose is the point?

# %%
explore.Blur()

# %% [markdown]
# $(1,0)$, $(0.8,0.2)$ and $(0.538,0.462)$: $m\to1$ gives k-means, $m\to\infty$ gives everybody the same. Far away all
# centres are nearly equally far, and only ratios count, so an outlier belongs to everybody. A Gaussian mixture decides
# otherwise (notebook 24).
#
# ## Fewer distances
# An assignment costs $nK$ distances of $d$ coordinates each: $T$ rounds are $O(TnKd)$. A house in the middle of its
# village need not ask every depot in the country, every time.

# %% task triangle_lemma [markdown]
# The point $x$ belongs to $b$, and $c$ is another centre with $d(b,c)\ge2d(x,b)$. What follows, and why?

# %% exercise triangle_lemma
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "iii"
### END SOLUTION

# %% check
check.triangle_lemma(choice, reason)

# %% hint [markdown]

# %% [markdown]
# $$d(b,c)\ge2d(x,b)\ \Rightarrow\ d(x,c)\ge d(x,b) \tag{21.8}$$
#
# We need not even know $d(x,b)$. It is enough to keep an upper bound $u_i$ on the distance of point $i$ to its own
# centre, and lower bounds $l_{ik}$ on those to the centres.

# %% task moved_bounds [markdown]
# A refit moves the centres from $C$ to `new`. Which bounds are still sure, without computing a single distance to a
# point? Give the best that the triangle inequality allows.


# %% exercise moved_bounds
def moved_bounds(u, L, z, C, new):
    """Bounds for the new centres, from u (n,) and L (n, K): a tuple (u, L) of the same shapes."""
    ### BEGIN SOLUTION
    moved = np.linalg.norm(new - C, axis=1)
    return u + moved[z], np.maximum(0, L - moved)
    ### END SOLUTION


# %% check
check.moved_bounds(moved_bounds)

# %% hint [markdown]

# %% [markdown]
# With the moves $\delta_k=d(c_k,c_k')$,
#
# $$u_i'=u_i+\delta_{z_i},\qquad l_{ik}'=\max(0,\,l_{ik}-\delta_k). \tag{21.9}$$
#
# A point is **not asked** in this round if $u_i<l_{ik}$ or $u_i<\frac12d(c_{z_i},c_k)$ for every other $k$. Then
# $d(x_i,c_{z_i})\le u_i<d(x_i,c_k)$: its own centre is the only nearest one, and Lloyd would give it the same label.
# With $\le$ in the test a tie could go to another centre than Lloyd's; with $<$ all labels are the same in every round.
# Our `kmeans.accelerated` keeps one lower bound for all other centres, which falls by the largest of their moves.
#
# ## Explore
# 2,000 points, round after round; a cross is a point that had to be asked.
#
# 1. Where are the crosses after a few rounds?
# 2. What share of the distances is saved in the end, for $K=2$, 8 and 16?

# %%
explore.Savings()

# %% [markdown]
# They lie along the borders. For $K=2$ it is 67%, for $K=8$ 83%. $K=16$ needs 102 rounds, and 72% are saved after
# thirty of them. In 64 dimensions, where distances differ less, the bounds save less. The handwritten digits:

# %%
digits = load("digits")
C = kmeans.random_points(digits.X, 10, np.random.default_rng(0))
rounds = list(kmeans.accelerated(digits.X, C))
*_, plain = kmeans.lloyd(digits.X, C)
saved = 1 - sum(r.asked.sum() for r in rounds) / (len(rounds) * len(digits.X) * 10)
print(f"{len(rounds)} rounds, {saved:.0%} of the distances saved, same labels: {np.array_equal(rounds[-1].z, plain.z)}")

# %% [markdown]
# ## Groups with conditions
# Two houses of one family *must* have the same depot, two rivals *cannot*. A usual rule: place the points in their
# order. Each goes to the nearest centre that breaks no link with a point placed before it. If there is none, the whole
# assignment has failed, and it has to say so.

# %% task linked_assign [markdown]
# Write it. `must` and `cannot` are arrays of pairs $(i,j)$ in any order, possibly of none. On failure return $-1$ for
# every point.


# %% exercise linked_assign
def linked_assign(X, C, must, cannot):
    """Labels that keep all links, or -1 everywhere; must and cannot have shape (p, 2): shape (n,)."""
    ### BEGIN SOLUTION
    z = np.full(len(X), -1)
    for i in range(len(X)):
        together = [z[b] if a == i else z[a] for a, b in must if i in (a, b)]
        apart = [z[b] if a == i else z[a] for a, b in cannot if i in (a, b)]
        for k in np.argsort(np.sum((X[i] - C) ** 2, axis=1)):
            if all(j in (k, -1) for j in together) and k not in apart:
                z[i] = k
                break
        else:
            return np.full(len(X), -1)
    return z
    ### END SOLUTION


# %% check
check.linked_assign(linked_assign)

# %% hint [markdown]

# %% [markdown]
# ## Break it
# Does a failure mean that the links contradict each other? Points at 0, 10 and 11, centres at 0 and 10, and the last
# point cannot be with either of the others. Labels $(0,0,1)$ keep both links. The rule:

# %%
X, C = np.array([[0.0], [10.0], [11.0]]), np.array([[0.0], [10.0]])
no_links, cannot = np.empty((0, 2), dtype=int), np.array([[0, 2], [1, 2]])
kmeans.linked_assign(X, C, no_links, cannot), kmeans.linked_assign(X[::-1], C, no_links, 2 - cannot)

# %% [markdown]
# It fails, because the second point took the nearest centre without looking ahead. In the opposite order of the points
# it finds the answer. So $-1$ says that *this order* found nothing, not that there is nothing.
#
# ## Spot the slip
# How good is a grouping if nobody knows the truth? A definition as printed in well-meaning lecture notes:

# %% task lone_silhouette [markdown]
# > *Let $a$ be the mean distance between a point and all other points of its cluster, and $b$ the mean distance between
# > the point and all points of the next nearest cluster (the other cluster with the smallest such mean). The silhouette
# > coefficient of the point is $s=\frac{b-a}{\max(a,b)}$.*
#
# There are groupings in which this is not defined for some point. The convention gives such a point 0, neither good nor
# bad. Write a version that works for every grouping with two groups or more, no two of them on one spot, and give one
# at which the printed one fails.


# %% exercise lone_silhouette
def lone_silhouette(X, z):
    """The silhouette of every point of X (n, d) with the labels z (n,): shape (n,)."""
    ### BEGIN SOLUTION
    D = np.linalg.norm(X[:, None] - X, axis=2)
    s = np.zeros(len(X))
    for i in range(len(X)):
        own = z == z[i]
        if own.sum() > 1:
            a = D[i, own].sum() / (own.sum() - 1)
            b = min(D[i, z == k].mean() for k in np.unique(z) if k != z[i])
            s[i] = (b - a) / max(a, b)
    return s
    ### END SOLUTION


fails_at = ...  # a tuple (X, z)
### BEGIN SOLUTION
fails_at = ([[0.0], [1.0], [5.0]], [0, 0, 1])
### END SOLUTION

# %% check
check.lone_silhouette(lone_silhouette, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$s=\frac{b-a}{\max(a,b)}\quad\text{in a group of two or more},\qquad s=0\quad\text{alone} \tag{21.10}$$
#
# The same notes say $s\in(-1,1)$. The ends are reached: two equal points in a group of their own have $a=0$ and $s=1$.
# Here are $\{0,1\}$ and $\{4,6\}$:

# %%
kmeans.silhouette(np.array([[0.0], [1.0], [4.0], [6.0]]), np.array([0, 0, 1, 1])).round(4)

# %% [markdown]
# The mean of $s$ is the lower curve of the elbow figure. Unlike $J$ it has a peak: on the houses at $K=5$, with 0.73,
# from the second start on.
#
# If somebody does know the truth, we can compare two groupings. Their numbers mean nothing, only who is with whom.

# %% task rand_score [markdown]
# The Rand index is the share of all pairs of points about which two groupings agree: together in both, or apart in
# both.


# %% exercise rand_score
def rand_score(z, w):
    """The Rand index of two groupings z and w of the same points, shape (n,) each: a number."""
    ### BEGIN SOLUTION
    i, j = np.triu_indices(len(z), 1)
    return np.mean((z[i] == z[j]) == (w[i] == w[j]))
    ### END SOLUTION


# %% check
check.rand_score(rand_score)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{RI}=\frac{\#\{\text{together in both}\}+\#\{\text{apart in both}\}}{n(n-1)/2} \tag{21.11}$$
#
# For $(0,0,1,1,2)$ and $(0,0,1,2,2)$ it is 0.8. Now the digits, ten starts: $J$, the Rand index with what the writers
# meant, and last the Rand index of the best grouping with its labels shuffled.

# %%
starts = [kmeans.random_points(digits.X, 10, np.random.default_rng(seed)) for seed in range(10)]
fits = [kmeans.fit(digits.X, C) for C in starts]
J = np.array([kmeans.objective(digits.X, f.z, f.C) for f in fits])
RI = np.array([kmeans.rand_index(f.z, digits.y) for f in fits])
shuffled = np.random.default_rng(0).permutation(fits[J.argmin()].z)
print(J.round(-2), RI.round(3), round(float(kmeans.rand_index(shuffled, digits.y)), 3), sep="\n")

# %% task ten_groups [markdown]
# A report says: "We ran k-means with $K=10$ and then with $K=12$. The second has the smaller $J$, so there are twelve
# groups. With the true digits $K=10$ has a Rand index of 0.94, nearly perfect." Explain in about 120 words what is
# wrong with each of the two conclusions, what else can go wrong with a single run, and what you would report.

# %% explain ten_groups [markdown]
# ### BEGIN SOLUTION
# The best J falls with every further centre, because a new centre on any point makes that point's share zero, and at
# K = n it is 0. So a smaller J at a larger K says nothing about the number of groups; an elbow of the best J, or a peak
# of the mean silhouette, would be an argument. One run may also end in a poor local minimum: every half step lowers J,
# but none looks further, so both numbers should be the best of many starts. The Rand index counts pairs that are apart
# in both groupings, and with ten groups most pairs are: shuffled labels already get 0.82. The scale to report is from
# 0.82 to 1, or the adjusted index, which subtracts chance.
#
# Marks: one point for J against K, one for local minima and many starts, one for the Rand index of chance.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# k-means takes turns between labels and centres, each best for the other, so $J$ never rises and the algorithm ends, at
# a minimum that depends on the start. Blurred memberships come from the same cost with a power and a multiplier. The
# triangle inequality saves many distances and changes no label. Notebook 24 replaces distances by densities.
#
# *Data:* E. Alpaydin and C. Kaynak, *Optical recognition of handwritten digits*, UCI Machine Learning Repository
# (1998). The houses are made up.

# %% symbols Groups, axes and mixtures [markdown]
# | $K$ | how many groups, axes, parts or states | `K` |
# | $c_k$, $C$ | centre of group $k$; all centres | `C` `(K, d)` |
# | $z_i$ | label of point $i$: its group, or the part that made it | `z` `(n,)` |
# | $r_{ik}$ | membership of point $i$ in group $k$, hard or fuzzy | `R` `(n, K)` |
# | $m$ | fuzzifier, the power of the memberships | `m` |
# | $u_i$, $l_{ik}$ | bounds on the distances of point $i$ to its own centre and to centre $k$ | `u`, `L` |
# | $a$, $b$, $s$ | mean distance to the own and to the next group; the silhouette | `silhouette` |
