# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can measure how mixed a node is, say what a question gains, find the best question in one pass over
# the sorted data, prune a tree on data that it has not seen, and say where greed goes wrong.

# %%
import numpy as np

from mlcore import decision_trees as trees
from mlcore.checks.decision_trees import check
from mlcore.explore import decision_trees as explore

# %% [markdown]
# ## See
# A tree names a flower by asking questions: *is the sepal at most 5.45 cm long?* Each answer leads to the next
# question, and at the end to a species. We grow it on half of 150 irises and let it ask up to $D$ questions in a row.

# %%
explore.Flowers()

# %% [markdown]
# The curves are means over 100 random halves. Ten questions in a row name 95% of the flowers that the tree was grown
# on, but only 69% of the others. Three questions do better there: 73%. The thin strip at 7 cm is there for one single
# flower.

# %% [markdown]
# ## Predict
# Two species, 400 flowers of each. Question A leaves 300 + 100 on one side and 100 + 300 on the other. Question B
# leaves 200 + 400 and 200 + 0. Which would you ask first? Decide before you go on.

# %% [markdown]
# ## How mixed is a node?
# A node with $n$ points has the share $p_k$ of class $k$. Three numbers say how mixed it is. All three are 0 if one
# class is alone.
#
# $$\text{error}=1-\max_kp_k\tag{17.1}$$
# $$\text{entropy}=-\sum_kp_k\log_2p_k\tag{17.2}$$
# $$\text{Gini}=\sum_kp_k(1-p_k)=1-\sum_kp_k^2\tag{17.3}$$
#
# The error is the share that the majority gets wrong. Entropy counts bits. Gini is the probability that two draws
# with replacement are of different classes.

# %% task tree_impurities [markdown]
# Compute all three from the counts of the classes. A class may have no points.


# %% exercise tree_impurities
def tree_impurities(counts):
    """Error, entropy in bits, and Gini of a node: a tuple of three numbers."""
    ### BEGIN SOLUTION
    p = counts / np.sum(counts)
    there = p[p > 0]
    return 1 - np.max(p), -np.sum(there * np.log2(there)), 1 - np.sum(p**2)
    ### END SOLUTION


# %% check
check.tree_impurities(tree_impurities)

# %% hint [markdown]

# %% [markdown]
# For three points of one class and one of another:

# %%
np.round([trees.error([3, 1]), trees.entropy([3, 1]), trees.gini([3, 1])], 4)

# %% [markdown]
# ## What a question gains
# A question sends the $n$ points of a node to children with $n_m$ points each. It gains what the mixture loses:
#
# $$\text{gain}=\varphi(\text{parent})-\sum_m\frac{n_m}n\,\varphi(\text{child }m)\tag{17.4}$$

# %% task tree_gain [markdown]
# Compute the gain in bits, with the entropy as $\varphi$.


# %% exercise tree_gain
def tree_gain(children):
    """The gain of a question; row m of `children`, shape (M, K), counts the classes in child m: a number."""

    ### BEGIN SOLUTION
    def entropy(counts):
        p = counts[counts > 0] / np.sum(counts)
        return -np.sum(p * np.log2(p))

    share = np.sum(children, axis=1) / np.sum(children)
    return entropy(np.sum(children, axis=0)) - np.sum(share * [entropy(child) for child in children])
    ### END SOLUTION


# %% check
check.tree_gain(tree_gain)

# %% hint [markdown]

# %% task tree_attributes [markdown]
# Fourteen days, four attributes, and whether somebody played tennis: which attribute should be asked about first? If
# $A$ is the answer, the gain is the mutual information of notebook 01. Compute it for every column.


# %% exercise tree_attributes
def tree_attributes(A, y):
    """I(A_j; y) in bits for every column of A; columns and y hold whole numbers that stand for categories: (d,)."""
    ### BEGIN SOLUTION
    tables = [[[np.sum((a == v) & (y == k)) for k in np.unique(y)] for v in np.unique(a)] for a in A.T]
    return np.array([tree_gain(np.array(table)) for table in tables])
    ### END SOLUTION


# %% check
check.tree_attributes(tree_attributes)

# %% hint [markdown]

# %% [markdown]
# $$I(A;y)=H(y)-H(y\mid A)\tag{17.5}$$
#
# The days of Quinlan's example, with 9 yes and 5 no. The outlook splits them into (2, 3), (4, 0) and (3, 2):

# %%
outlook, temperature = [0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2], [2, 2, 2, 1, 0, 0, 0, 1, 0, 1, 1, 1, 2, 1]
humid, windy = [1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1], [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1]
played = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0])
trees.attribute_gains(np.column_stack([outlook, temperature, humid, windy]), played).round(4)

# %% [markdown]
# The outlook gains most, 0.2467 bits of the 0.940 that were missing.
#
# ## Why not count errors?

# %% task tree_two_splits [markdown]
# Back to the 400 + 400 flowers. Compute what (17.4) subtracts, $\sum_m\frac{n_m}n\varphi(\text{child }m)$, for
# A = (300, 100), (100, 300) and for B = (200, 400), (200, 0): first with the error, then with Gini.

# %% exercise tree_two_splits
errors_and_ginis = ...  # four numbers: error of A, error of B, Gini of A, Gini of B
### BEGIN SOLUTION
errors_and_ginis = (0.25, 0.25, 0.375, 1 / 3)
### END SOLUTION

# %% check
check.tree_two_splits(errors_and_ginis)

# %% hint [markdown]

# %% [markdown]
# By errors A and B are as good as each other. Gini prefers B, which has finished with 200 flowers. The picture shows
# why: the children are two points of the curve, their mean is on the chord, the parent is above it.
#
# 1. Set A ($p_1=0.25$, $p_2=0.75$, $q=0.5$), then nearly B ($p_1=0.33$, $p_2=1$, $q=0.75$). Which gains grow?
# 2. Move both children to the same side of ½. Which gain becomes zero?

# %%
explore.Chord()

# %% task tree_strict [markdown]
# Why do entropy and Gini see a difference that the error does not?

# %% exercise tree_strict
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "iii"
### END SOLUTION

# %% check
check.tree_strict(choice, reason)

# %% hint [markdown]

# %% [markdown]
# From A to B the gain grows from 0.19 to 0.31 by entropy and from 0.125 to 0.17 by Gini; by errors it stays at 0.25. No
# gain is ever negative: all three curves are concave. But the error gains nothing as long as all children have the same
# majority, so a tree that counts errors stops too early.

# %% [markdown]
# ## Numbers instead of classes
# If $y$ is a number, a leaf predicts its mean, and a node is as bad as its sum of squared errors,
# $\mathrm{SSE}=\sum_i(y_i-\bar y)^2$. A cut puts $n_L$ points with the mean $\bar y_L$ to the left, $n_R$ to the right.

# %% task tree_drop_chain [markdown]
# By how much does the SSE drop? Every line is a function of the two parts, and returns the pieces of a formula whose
# value is the drop. Lines 2 to 5 need nothing but the means and the numbers of points. Line 6 is for computing:
# $S_L=\sum_{i\in L}(y_i-\bar y)$ adds up what the left part is above the mean of all.


# %%
def line_1(left, right):
    """SSE − SSE_L − SSE_R."""
    y = np.concatenate([left, right])
    inside = np.sum((left - left.mean()) ** 2) + np.sum((right - right.mean()) ** 2)
    return np.sum((y - y.mean()) ** 2) - inside


# %% exercise tree_drop_chain
def line_2(left, right):
    """The drop as on_left + on_right − whole, one term for each mean: (whole, on_left, on_right), three numbers."""
    ### BEGIN SOLUTION
    n_L, n_R = len(left), len(right)
    mean = np.concatenate([left, right]).mean()
    return (n_L + n_R) * mean**2, n_L * left.mean() ** 2, n_R * right.mean() ** 2
    ### END SOLUTION


def line_3(left, right):
    """on_left + on_right − left_square − cross − right_square, where whole is multiplied out.

    (on_left, on_right, left_square, cross, right_square): five numbers, the last three with ȳ_L and ȳ_R only.
    """
    ### BEGIN SOLUTION
    _, on_left, on_right = line_2(left, right)
    n_L, n_R, a, b = len(left), len(right), left.mean(), right.mean()
    n = n_L + n_R
    return on_left, on_right, n_L**2 * a**2 / n, 2 * n_L * n_R * a * b / n, n_R**2 * b**2 / n
    ### END SOLUTION


def line_4(left, right):
    """Line 3 sorted by ȳ_L², ȳ_L ȳ_R and ȳ_R²: (left_squares, products, right_squares), three numbers to add up."""
    ### BEGIN SOLUTION
    on_left, on_right, left_square, cross, right_square = line_3(left, right)
    return on_left - left_square, -cross, on_right - right_square
    ### END SOLUTION


def line_5(left, right):
    """factor × difference², of ȳ_L and ȳ_R alone, ȳ_L with nothing before it: (factor, difference), two numbers."""
    ### BEGIN SOLUTION
    n_L, n_R = len(left), len(right)
    return n_L * n_R / (n_L + n_R), left.mean() - right.mean()
    ### END SOLUTION


def line_6(left, right):
    """factor × S_L²: (factor, S_L), two numbers."""
    ### BEGIN SOLUTION
    n_L, n_R = len(left), len(right)
    return (n_L + n_R) / (n_L * n_R), np.sum(left - np.concatenate([left, right]).mean())
    ### END SOLUTION


# %% check
check.tree_drop_chain(line_2, line_3, line_4, line_5, line_6)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{SSE}-\mathrm{SSE}_L-\mathrm{SSE}_R=\frac{n_L\,n_R}n(\bar y_L-\bar y_R)^2=\frac{n\,S_L^2}{n_L\,n_R},\qquad
# S_L=\sum_{i\in L}(y_i-\bar y)\tag{17.6}$$
#
# Line 5 reads: a good cut separates the means and leaves no part small. Line 6 is the one to compute with. And it is
# not only for numbers: write class $k$ as a column of zeros and ones, and its mean squared error is $p_k(1-p_k)$.
# Summed over the classes that is Gini. **A Gini tree is a regression tree of the indicators.**

# %% task tree_scan [markdown]
# Sort the points by $x$. Then every cut between neighbours has its left part at the front, and one cumulative sum
# gives $S_L$ for all of them. All $x$ are different.


# %% exercise tree_scan
def tree_scan(x, y):
    """The drop (17.6) for each of the n − 1 cuts, from small to large x: shape (n − 1,)."""
    ### BEGIN SOLUTION
    n = len(y)
    S = np.cumsum(y[np.argsort(x)] - np.mean(y))[:-1]
    n_L = np.arange(1, n)
    return n * S**2 / (n_L * (n - n_L))
    ### END SOLUTION


# %% check
check.tree_scan(tree_scan)

# %% hint [markdown]

# %% task tree_split [markdown]
# Now the best cut. Its threshold is halfway between its two neighbours. Some $x$ may be equal: no threshold can cut
# between them.


# %% exercise tree_split
def tree_split(x, y):
    """The best threshold, and the mean squared error of the two leaves: a tuple of two numbers."""
    ### BEGIN SOLUTION
    values = np.sort(x)
    drop = np.where(values[1:] > values[:-1], tree_scan(x, y), -np.inf)
    i = np.argmax(drop)
    return (values[i] + values[i + 1]) / 2, np.var(y) - drop[i] / len(y)
    ### END SOLUTION


# %% check
check.tree_split(tree_split)

# %% hint [markdown]

# %% [markdown]
# With several features, take the best of them:
#
# $$j,t=\arg\max\ \frac{n\,S_L^2}{n_L\,n_R},\qquad L=\{i:x_{ij}\le t\}\tag{17.7}$$
#
# ## Explore
# Fifty flowers each of versicolor and virginica, one question, and its gain by Gini.
#
# 1. Where is the best threshold for the petal, and what does it leave on either side?
# 2. Would you rather ask about the sepal?

# %%
explore.Threshold()

# %% [markdown]
# Between 4.7 and 4.8 cm, with 44 versicolor and one virginica below, and 6 and 49 above. No threshold of the sepal
# gains more than 0.107, against 0.374.

# %% [markdown]
# ## The whole tree
# Split the root, then the children in the same way, until every node is pure. `trees.grow` does this for a whole level
# at a time. It stores node $m$ in arrays: it asks whether $x_j\le t$ with $j=$ `feature[m]` and $t=$ `threshold[m]`;
# yes leads to node `left[m]`, no to node `left[m] + 1`. A leaf has `feature[m]` = −1.

# %% task tree_predict [markdown]
# Send the rows of $X$ down a tree, from node 0.


# %% exercise tree_predict
def tree_predict(feature, threshold, left, value, X):
    """The value of the leaf in which each row of X ends: shape (n,)."""
    ### BEGIN SOLUTION
    found = []
    for x in X:
        m = 0
        while feature[m] >= 0:
            m = left[m] if x[feature[m]] <= threshold[m] else left[m] + 1
        found.append(value[m])
    return np.array(found)
    ### END SOLUTION


# %% check
check.tree_predict(tree_predict)

# %% hint [markdown]

# %% [markdown]
# $$f(x)=\text{the mean of }y\text{ in the leaf of }x\tag{17.8}$$
#
# ## Explore
# 1. At which depth is the error against the truth smallest, if a leaf may hold one point?
# 2. Keep ten questions and ask for more points in a leaf. Does that do as well?

# %%
explore.Staircase()

# %% [markdown]
# The error on the points falls to zero. Against the truth it is smallest at 3 to 5 questions, 0.054, and 0.079 in the
# end. Leaves of at least three points do better than any depth alone: 0.046. Both controls do what λ does for ridge:
# they buy less variance with more bias.

# %% [markdown]
# ## Pruning
# When should we stop? A better way is not to stop at all. Grow the full tree, then ask fresh *validation* data where it
# should have stopped. Let $e(m)$ count the validation errors if node $m$ were a leaf, with the label that its training
# points gave it. What are the fewest errors that any pruning leaves below $m$?
#
# $$e^*(m)=\min\bigl(e(m),\ e^*(\text{left})+e^*(\text{right})\bigr),\qquad e^*=e\text{ for a leaf}\tag{17.9}$$

# %% task tree_prune [markdown]
# Compute $e^*$ for every node. Row $m$ of `counts` holds the training points of each class in node $m$, row $m$ of
# `seen` the validation points. The node's label is `np.argmax(counts[m])`. A leaf has `left[m] == m`; every child has
# a larger number than its parent.


# %% exercise tree_prune
def tree_prune(left, counts, seen):
    """The fewest validation errors below each node: shape (nodes,)."""
    ### BEGIN SOLUTION
    nodes = np.arange(len(left))
    best = np.sum(seen, axis=1) - seen[nodes, np.argmax(counts, axis=1)]
    for m in nodes[::-1]:
        if left[m] != m:
            best[m] = min(best[m], best[left[m]] + best[left[m] + 1])
    return best
    ### END SOLUTION


# %% check
check.tree_prune(tree_prune)

# %% hint [markdown]

# %% [markdown]
# Where $e(m)\le e^*(\text{left})+e^*(\text{right})$, cut: the smaller tree errs no more. Some texts remove one node at
# a time, the most helpful first. Going upwards once is quicker, and no pruning has fewer validation errors.
#
# 300 points, class 1 (dots) inside the circle and class 0 (crosses) outside, but for some wrong labels.
#
# 1. How many leaves does the full tree spend on 20% wrong labels?
# 2. Take all wrong labels away. Does pruning still help?

# %%
explore.Pruning()

# %% [markdown]
# With 20% wrong labels the full tree has 81 leaves and puts 25% of new points on the wrong side. Pruning leaves 9, and
# 13% on the wrong side. Without wrong labels the full tree has 21 leaves: it spends the other 60 on them. Then pruning
# hardly helps, and may even hurt: with 10 validation points it cuts what those few do not happen to need, and the
# error rises from 5.9% to 9.2%.

# %% [markdown]
# ## Break it
# The tree is greedy: it takes the best question now and never takes it back.

# %% task tree_xor [markdown]
# Make a problem without a good first question. Give points $(x_1,x_2,\text{class})$ with classes 0 and 1, such that
# every single question has gain 0, and yet two questions in a row separate the classes.

# %% exercise tree_xor
points = ...  # one row for each point: x1, x2, class
### BEGIN SOLUTION
points = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
### END SOLUTION

# %% check
check.tree_xor(points)

# %% hint [markdown]

# %% [markdown]
# This is the exclusive or. A tree that stops at a gain of zero never starts. `trees.grow` goes on while a node is
# mixed: of equal gains it takes the first, and here any first question will do. But give it a useless third feature
# with a tiny gain, and it takes that first. With the product $(x_1-\frac12)(x_2-\frac12)$ as a feature one question is
# enough.

# %% [markdown]
# ## Spot the slip
# A definition as printed in well-meaning lecture notes.

# %% task tree_mse [markdown]
# > *For each leaf $m$ let $e_m$ be the mean squared error of its points around their mean. The total MSE of the tree is
# > $\sum_{m}e_m$.*
#
# Mend it, and give $y$ and the leaf of each point for which the printed total is wrong.


# %% exercise tree_mse
def tree_mse(y, leaf):
    """The mean squared error of the tree on its points; leaf[i] is the number of the leaf of point i: a number."""
    ### BEGIN SOLUTION
    return sum(np.sum((y[leaf == m] - np.mean(y[leaf == m])) ** 2) for m in np.unique(leaf)) / len(y)
    ### END SOLUTION


wrong_at = ...  # a tuple (y, leaf)
### BEGIN SOLUTION
wrong_at = ([1.0, 3.0, 5.0, 9.0], [0, 0, 1, 1])
### END SOLUTION

# %% check
check.tree_mse(tree_mse, wrong_at)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{MSE}=\sum_m\frac{n_m}n\,\mathrm{MSE}_m\tag{17.10}$$
#
# Without the weights a split that cuts off one single point looks twice as good as one through the middle, even where
# there is nothing to find: it leaves one leaf with an error instead of two.

# %% task tree_pruned_twice [markdown]
# A colleague grows a tree to the end: 100% right on 300 training points. He prunes it on the same points, and nothing
# is cut. Then he prunes it on 100 other points and reports that the result is right on 88% of them. Explain in about
# 120 words why the first pruning cut nothing, why the second one helps, and what 88% does *not* tell.

# %% explain tree_pruned_twice [markdown]
# ### BEGIN SOLUTION
# Every node that was split is mixed, so as a leaf it would err on at least one training point, and the full tree below
# it errs on none: e(m) is larger than what the children leave. So (17.9) on those points keeps everything, and 100%
# only says that the tree was allowed to grow. On other points a subtree that was built around wrong or odd labels errs
# more often than its node alone would, and there (17.9) cuts. But 88% is the best that any pruning reaches on just
# these 100 points: the tree was chosen with their help, so the number is optimistic, as any training score is. An
# honest estimate needs a third set that is used once, after all decisions.
#
# Marks: one point for the training errors that every cut would add, one for subtrees that err more than their node on
# fresh points, one for the optimism of the 88% and the third set.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# A tree asks the question that leaves the children least mixed, weighted by their sizes, and a strictly concave measure
# sees progress that errors do not. One cumulative sum over the sorted points gives the gain of every threshold, for
# numbers and for classes. Grown to the end a tree repeats its data; validation points say which of its questions to
# keep. Notebook 18 keeps the deep trees and averages many of them.
#
# *Data:* Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936); the fourteen
# days: Quinlan, *Induction of decision trees*, Machine Learning 1 (1986).

# %% symbols Trees, ensembles and networks [markdown]
# | $p_k$ | share of class $k$ in a node | `counts` |
# | $\varphi(\cdot)$ | impurity of a node: error, entropy or Gini | `impurity` |
