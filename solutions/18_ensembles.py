# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can say how much averaging helps and where it stops, estimate a forest's error from the points that its
# trees have not seen, derive AdaBoost's weights and the bound on its training error, and stack learners without fooling
# yourself.

# %%
import numpy as np

from mlcore import decision_trees as trees
from mlcore import ensembles
from mlcore.checks.ensembles import check
from mlcore.data import load
from mlcore.explore import ensembles as explore

# %% [markdown]
# ## See
# The sixty points of notebook 17, and a deep tree that climbs over every one of them. Now we draw sixty points *with
# replacement* from the sixty, grow a tree on those, and repeat: this is *bagging*. We average the trees.

# %%
explore.Crowd()

# %% [markdown]
# One of these trees has an error of 0.092 on average, more than the tree that has seen all sixty points, 0.08. The mean
# of ten has 0.047. Ninety more bring it to 0.045 and no further.

# %% [markdown]
# ## Predict
# Averaging $k$ independent measurements divides the variance by $k$. Ten trees ought to have a tenth of it, a hundred
# trees a hundredth. Why does the curve stop? Decide before you go on.

# %% [markdown]
# ## What averaging removes
# $k$ learners give the predictions $f_1,\dots,f_k$ at some point. Each has the standard deviation σ, and any two have
# the correlation ρ: their covariance is $\rho\sigma^2$.

# %% task bag_variance [markdown]
# Compute the variance of their mean $\bar f=\frac1k\sum_bf_b$.


# %% exercise bag_variance
def bag_variance(rho, sigma, k):
    """The variance of the mean of k learners: a number."""
    ### BEGIN SOLUTION
    return rho * sigma**2 + (1 - rho) * sigma**2 / k
    ### END SOLUTION


# %% check
check.bag_variance(bag_variance)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{Var}\,\bar f=\rho\sigma^2+\frac{1-\rho}k\sigma^2\tag{18.1}$$
#
# 1. What remains of the variance of 25 learners with $\rho=0.4$, and what would independent ones have?
# 2. Which helps more at that place: four times as many learners, or half the correlation?

# %%
explore.Floor()

# %% [markdown]
# 0.424, against 0.040. With 100 learners 0.406 remains; with $\rho=0.2$ and 25 learners, 0.232: half the correlation
# helps far more. Some lecture notes call bootstrap samples "near-independent". How much do they share?

# %% task bag_left_out [markdown]
# A bootstrap sample draws $n$ times from $n$ points, with replacement. How likely is it that a given point is never
# drawn?


# %% exercise bag_left_out
def bag_left_out(n):
    """The probability that a point is not in a bootstrap sample of n from n: a number."""
    ### BEGIN SOLUTION
    return (1 - 1 / n) ** n
    ### END SOLUTION


# %% check
check.bag_left_out(bag_left_out)

# %% hint [markdown]

# %% [markdown]
# $$P(\text{left out})=\Bigl(1-\frac1n\Bigr)^n\longrightarrow\frac1e\tag{18.2}$$
#
# For $n=10$, for $n=1000$, and in the limit:

# %%
np.round([ensembles.left_out(10), ensembles.left_out(1000), np.exp(-1)], 4)

# %%
explore.LeftOut()

# %% [markdown]
# On average a large sample leaves out 36.8% of the points and holds 63.2% of them. Two samples have $0.632^2=40\%$ of
# all points in common, so their trees make similar mistakes: correlated, not independent.

# %% [markdown]
# ## Out of the bag
# The points that a tree has not seen can test it, at no cost. But how do they test the *forest*? A rule as printed in
# well-meaning lecture notes:

# %% task oob_error [markdown]
# > *Evaluate each tree on its own 36.8% of unseen points. The average of these errors is the error of the forest.*
#
# Mend it: for each point let only those trees vote that have not seen it. The error is the share of points whose vote
# is wrong. Of equal counts the smallest label wins. Leave out points that every tree has seen. Then give an example in
# which the printed rule is wrong.


# %% exercise oob_error
def oob_error(labels, bags, y):
    """The error of the out-of-bag vote: a number.

    labels[b, i] is what tree b says of point i, bags[b, i] how often i was drawn for b, y[i] the truth.
    """
    ### BEGIN SOLUTION
    wrong = []
    for i in range(len(y)):
        votes = labels[bags[:, i] == 0, i]
        if len(votes) > 0:
            wrong.append(np.argmax(np.bincount(votes)) != y[i])
    return np.mean(wrong)
    ### END SOLUTION


misleads_at = ...  # a tuple (labels, bags, y)
### BEGIN SOLUTION
misleads_at = ([[1], [0], [0]], [[0], [0], [0]], [0])
### END SOLUTION

# %% check
check.oob_error(oob_error, misleads_at)

# %% hint [markdown]

# %% [markdown]
# $$f_{\text{oob}}(x_i)=\text{the vote of the trees }b\text{ with }i\notin\text{bag }b\tag{18.3}$$
#
# The printed rule gives the error of *one tree*, which is what we wanted to get away from.
#
# ## Random forests
# If (18.1) has a floor at $\rho\sigma^2$, make ρ smaller. A *random forest* bags trees that may not ask what they want:
# each split chooses among $m$ features, drawn at random from all $d$.

# %% task forest_features [markdown]
# > *Random forest: for each tree draw a random subset of $m$ of the $d$ features, and grow the tree on these.*
#
# In Breiman's random forest every *split* draws its own $m$ features. The printed version is another method, which
# shows each tree only $m$ features. How many of the $d$ are drawn at least once, on average, in a tree with $N$ splits?
# And for which $(d,m,N)$ does the printed number $m$ differ from it?


# %% exercise forest_features
def forest_features(d, m, N):
    """The expected number of features that N draws of m from d show: a number."""
    ### BEGIN SOLUTION
    return d * (1 - (1 - m / d) ** N)
    ### END SOLUTION


differs_at = ...  # a tuple (d, m, N)
### BEGIN SOLUTION
differs_at = (10, 3, 15)
### END SOLUTION

# %% check
check.forest_features(forest_features, differs_at)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm E[\text{features seen}]=d\Bigl(1-\bigl(1-\tfrac md\bigr)^N\Bigr)\tag{18.4}$$
#
# With 3 of 10 features and 15 splits a tree sees 9.95 of them on average, against 3.
#
# ## Explore
# 400 points with six features, of which three matter.
#
# 1. How far is the mean error of the trees from that of their vote? Which of the two tells the error on new points?
# 2. What happens to a single tree, and to the correlation of two, as $m$ becomes smaller?

# %%
explore.Forest()

# %% [markdown]
# With $m=2$ a tree errs on 0.307 of the points that it has not seen, the out-of-bag vote on 0.228, and the vote on
# 0.212 of new points. From $m=6$ to 2 to 1 the correlation falls from 0.45 to 0.33 to 0.22, but the single tree gets
# worse: 0.281, 0.307, 0.355. It is a trade, and $m$ has to be tried out. Here, where half of the features are useless,
# the vote of $m=6$ errs least on new points: 0.198, against 0.212 and 0.225. But 1000 points tell such a number only
# to ±0.013.
#
# On 1797 pictures of handwritten digits, 25 trees with 8 of 64 pixels at each split: the mean out-of-bag error of one
# tree, and the out-of-bag error of the vote.

# %%
digits, rng = load("digits"), np.random.default_rng(0)
X, y = digits.X, digits.y.astype(int)
forest = list(ensembles.bag(lambda X, Y: trees.grow(X, Y, tries=8, rng=rng), X, trees.one_hot(y, 10), 25, rng))
bags, labels = np.array([bag for bag, _ in forest]), np.array([trees.classify(tree, X) for _, tree in forest])
one_tree = np.mean([np.mean(label[bag == 0] != y[bag == 0]) for label, bag in zip(labels, bags, strict=True)])
np.round([one_tree, ensembles.oob_error(labels, bags, y)], 3)

# %% [markdown]
# One tree misreads about every fifth digit, the forest every nineteenth.

# %% [markdown]
# ## Boosting
# Bagging averages strong learners. *Boosting* adds up weak ones, each made for the points that the others get wrong.
# The labels are $s_i=\pm1$, point $i$ has the weight $P_i\ge0$ with $\sum_iP_i=1$, and a learner $h$ has the error
#
# $$\varepsilon=\sum_iP_i\,[h(x_i)\ne s_i].\tag{18.5}$$
#
# The weakest tree is a *stump*: one question. It says $a$ if $x>t$ and $-a$ otherwise, with $a=\pm1$.

# %% task boost_stump [markdown]
# Find the stump with the smallest weighted error. Thresholds are halfway between neighbours; some $x$ may be equal.


# %% exercise boost_stump
def boost_stump(x, s, P):
    """The best threshold, its sign a, and the weighted error: a tuple of three numbers."""
    ### BEGIN SOLUTION
    values = np.unique(x)
    stumps = [(t, a) for t in (values[1:] + values[:-1]) / 2 for a in (1, -1)]
    errors = [np.sum(P[np.where(x > t, a, -a) != s]) for t, a in stumps]
    t, a = stumps[np.argmin(errors)]
    return t, a, np.min(errors)
    ### END SOLUTION


# %% check
check.boost_stump(boost_stump)

# %% hint [markdown]

# %% [markdown]
# Now that we have a learner, how loudly may it speak? AdaBoost measures the whole sum $F=\sum_t\alpha_th_t$ by the loss
# $e^{-sF}$ of notebook 14. Adding $\alpha h$ multiplies the loss of point $i$ by $e^{-\alpha s_ih(x_i)}$. With $P_i$ as
# the share of point $i$ in the loss so far, the total is multiplied by
#
# $$Z(\alpha)=\sum_iP_i\,e^{-\alpha s_ih(x_i)}.\tag{18.6}$$

# %% task boost_chain [markdown]
# Make $Z$ as small as possible. Line 2 is $Z$ as a sum of two numbers, line 3 is its derivative, in pieces. Lines 4 and
# 5 ask where that is zero, so they no longer contain the given α.


# %%
def line_1(alpha, P, s, h):
    """Z(α), equation (18.6)."""
    return np.sum(P * np.exp(-alpha * s * h))


# %% exercise boost_chain
def line_2(alpha, P, s, h):
    """What the points with exp(−α) add to line 1, and what those with exp(α) add: (falling, rising), two numbers."""
    ### BEGIN SOLUTION
    eps = np.sum(P[h != s])
    return (1 - eps) * np.exp(-alpha), eps * np.exp(alpha)
    ### END SOLUTION


def line_3(alpha, P, s, h):
    """The derivative of line 2 as down · exp(−α) + up · exp(α): (down, up), two numbers."""
    ### BEGIN SOLUTION
    eps = np.sum(P[h != s])
    return -(1 - eps), eps
    ### END SOLUTION


def line_4(alpha, P, s, h):
    """The value of exp(2α) at which line 3 is zero: a number."""
    ### BEGIN SOLUTION
    down, up = line_3(alpha, P, s, h)
    return -down / up
    ### END SOLUTION


def line_5(alpha, P, s, h):
    """The α at which line 3 is zero: a number."""
    ### BEGIN SOLUTION
    return np.log(line_4(alpha, P, s, h)) / 2
    ### END SOLUTION


# %% check
check.boost_chain(line_2, line_3, line_4, line_5)

# %% hint [markdown]

# %% [markdown]
# $$\alpha=\tfrac12\ln\frac{1-\varepsilon}\varepsilon\tag{18.7}$$
#
# So AdaBoost is coordinate descent: the learners are the coordinates, and each step goes to the minimum along one of
# them. The new shares of the loss are the weights of the next round:
#
# $$P_i\leftarrow\frac{P_i\,e^{-\alpha s_ih(x_i)}}Z\tag{18.8}$$

# %% task boost_step [markdown]
# One round: from the weights, the labels and what the learner says, compute its α and the new weights.


# %% exercise boost_step
def boost_step(P, s, h):
    """A tuple (alpha, P): the learner's weight, a number, and the new weights of the points, shape (n,)."""
    ### BEGIN SOLUTION
    eps = np.sum(P[h != s])
    alpha = np.log((1 - eps) / eps) / 2
    grown = P * np.exp(-alpha * s * h)
    return alpha, grown / np.sum(grown)
    ### END SOLUTION


# %% check
check.boost_step(boost_step)

# %% hint [markdown]

# %% [markdown]
# Ten points of equal weight, three of them wrong, so $\varepsilon=0.3$. The wrong ones get 1/6 each, the others 1/14:

# %%
alpha, P = ensembles.step(np.full(10, 0.1), np.ones(10), np.repeat([-1, 1], [3, 7]))
float(round(alpha, 4)), P.round(4)

# %% task boost_half [markdown]
# What is the error (18.5) of the *same* learner under the new weights?

# %% exercise boost_half
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "b", "ii"
### END SOLUTION

# %% check
check.boost_half(choice, reason)

# %% hint [markdown]

# %% [markdown]
# After the update the last learner is worth no more than a coin, and the next one has to find something new.

# %% task boost_normaliser [markdown]
# Put (18.7) into $Z$. By how much does one round multiply the loss?


# %% exercise boost_normaliser
def boost_normaliser(eps):
    """Z at the best α, as a function of ε; eps may be an array: the same shape."""
    ### BEGIN SOLUTION
    return 2 * np.sqrt(eps * (1 - eps))
    ### END SOLUTION


# %% check
check.boost_normaliser(boost_normaliser)

# %% hint [markdown]

# %% [markdown]
# $$Z=2\sqrt{\varepsilon(1-\varepsilon)}\tag{18.9}$$
#
# For $\varepsilon=0.3$ that is 0.9165. Before the first round $F=0$ and the mean loss is 1, so after $T$ rounds it is
# $Z_1\cdots Z_T$. And a point that $F$ gets wrong has a loss of at least 1.

# %% task boost_bound [markdown]
# Compute the training error of the sign of $F=\sum_t\alpha_th_t$, and the mean of $e^{-sF}$, which bounds it. The
# $\alpha_t$ may be any numbers, not only those of (18.7).


# %% exercise boost_bound
def boost_bound(H, alpha, s):
    """A tuple (error, bound) of means over the points; H[t, i] = h_t(x_i) is (T, n), alpha is (T,), s is (n,)."""
    ### BEGIN SOLUTION
    F = alpha @ H
    return np.mean(np.sign(F) != s), np.mean(np.exp(-s * F))
    ### END SOLUTION


# %% check
check.boost_bound(boost_bound)

# %% hint [markdown]

# %% [markdown]
# $$\text{training error}\ \le\ \frac1n\sum_ie^{-s_iF(x_i)}=\prod_tZ_t=\prod_t2\sqrt{\varepsilon_t(1-\varepsilon_t)}
# \tag{18.10}$$
#
# If every $\varepsilon_t\le\frac12-\gamma$, then $Z_t\le\sqrt{1-4\gamma^2}$, and the training error falls
# exponentially: weak learners, a strong sum.
#
# ## Explore
# Stumps on a disc. The *margin* of a point is $sF/\sum_t\alpha_t$, between −1 and 1.
#
# 1. Without wrong labels: after how many rounds is the training error zero? What goes on afterwards?
# 2. With 10% wrong labels: which points become heavy, and what do new points say?

# %%
explore.Boosting()

# %% [markdown]
# After 31 rounds the training error is zero for the first time. The bound keeps falling, the smallest margin grows to
# 0.046, and the error on new points stays at about 0.10. With wrong labels the boosting works on the impossible: these
# 10% of the points carry 31% of the weight after 100 rounds, and the error on new points is 0.191, worse than its best,
# 0.151 after 31 rounds. Bagging lowers variance; boosting lowers bias, and can overfit.

# %% [markdown]
# ## Stacking
# Different learners need different weights in a mixture. *Stacking* learns these weights too: a second level takes the
# predictions $z_i=(f_1(x_i),f_2(x_i),\dots)$ as features. Which predictions may it see?

# %% task stack_out_of_fold [markdown]
# Two learners: the nearest neighbour, which knows every training point by heart, and the least squares line. Predict
# each point by learners that were trained on all folds but its own.


# %% exercise stack_out_of_fold
def stack_out_of_fold(x, y, fold):
    """Row i holds what ensembles.nearest and ensembles.line, in this order, say of point i: shape (n, 2).

    fold[i] is the number of the fold of point i. A learner is used as in ensembles.line(x_train, y_train)(x_new).
    """
    ### BEGIN SOLUTION
    Z = np.empty((len(y), 2))
    for v in np.unique(fold):
        for j, learn in enumerate((ensembles.nearest, ensembles.line)):
            Z[fold == v, j] = learn(x[fold != v], y[fold != v])(x[fold == v])
    return Z
    ### END SOLUTION


# %% check
check.stack_out_of_fold(stack_out_of_fold)

# %% hint [markdown]

# %% [markdown]
# $$z_{ij}=f_j(x_i),\quad f_j\text{ trained without the fold of }i\tag{18.11}$$
#
# Sixty points around a line. First the weights that least squares finds from in-sample predictions and from out-of-fold
# ones, then the mean squared error of both mixtures on 2000 new points:

# %%
rng = np.random.default_rng(1)
x, x_new = rng.uniform(size=60), rng.uniform(size=2000)
y, y_new = 2 * x + 0.5 * rng.normal(size=60), 2 * x_new + 0.5 * rng.normal(size=2000)
models = [learn(x, y) for learn in (ensembles.nearest, ensembles.line)]
seen, seen_new = (np.column_stack([f(at) for f in models]) for at in (x, x_new))
unseen = ensembles.out_of_fold((ensembles.nearest, ensembles.line), x, y, np.arange(60) % 5)
weights = np.array([ensembles.stack(Z, y) for Z in (seen, unseen)])
weights.round(2) + 0.0, np.mean((seen_new @ weights.T - y_new[:, None]) ** 2, axis=0).round(3)

# %% [markdown]
# In-sample the nearest neighbour is perfect, so it gets the whole weight, and the mixture is as bad on new points as
# the neighbour is. Out of fold the line gets most of the weight.

# %% [markdown]
# ## Break it
# A vote of many is "often better, never substantially worse", say the notes. Is it?

# %% task vote_wrong [markdown]
# $k$ learners, $k$ odd, err independently of each other, each with probability $p$. How likely is a wrong majority?


# %% exercise vote_wrong
def vote_wrong(p, k):
    """The probability that more than half of the k learners err: a number."""
    ### BEGIN SOLUTION
    from math import comb

    return sum(comb(k, j) * p**j * (1 - p) ** (k - j) for j in range((k + 1) // 2, k + 1))
    ### END SOLUTION


# %% check
check.vote_wrong(vote_wrong)

# %% hint [markdown]

# %% [markdown]
# $$P(\text{vote wrong})=\sum_{j>k/2}\binom kjp^j(1-p)^{k-j}\tag{18.12}$$
#
# 101 learners with errors of 0.4, 0.5 and 0.6:

# %%
np.round([ensembles.vote_wrong(p, 101) for p in (0.4, 0.5, 0.6)], 3)

# %% [markdown]
# Where most learners are right, the vote is nearly always right. On a hard point, where most are wrong, it is nearly
# always wrong: voting removes luck, bad and good. And it needs independence: with $\rho=1$ a hundred and one opinions
# are one.

# %% task stack_compared [markdown]
# The notes say of stacking: *compare this to neural networks and basis expansion*. Do so in about 120 words. What do
# all three have in common, what is learnt in which of them and when, and why does only stacking need out-of-fold
# predictions?

# %% explain stack_compared [markdown]
# ### BEGIN SOLUTION
# All three predict with a simple model of computed features, f(x) = Σ wⱼφⱼ(x). In a basis expansion the φⱼ, such as
# powers or Gaussians, are fixed beforehand, and only w is learnt. In stacking the φⱼ are learners: each is trained by
# itself on y, frozen, and then w is learnt on top. In a network the φⱼ are hidden units, and all weights are learnt
# together by the gradient of one loss. A fixed φⱼ has never seen y, so its values on the training points are as honest
# as on new ones. A trained learner has seen y: on its own points it looks better than it is, and w would trust the one
# that memorises most. So w has to be learnt from predictions of points that the learner has not seen. A network has no
# second level that could be misled; its overfitting is judged as a whole.
#
# Marks: one point for the common form, one for what is learnt when, one for features that have seen y.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# Averaging removes the part of the variance that learners do not share, and a random forest makes them share less. The
# points left out of a bag test the forest, if they are put to the vote. AdaBoost descends on $e^{-sF}$, one learner at
# a time, and its training error is at most the product of the $Z_t$; stacking learns the mixture from predictions of
# unseen points. Notebook 19 learns features and mixture together.
#
# *Sources:* Breiman, *Random forests*, Machine Learning 45 (2001); Freund and Schapire, *A decision-theoretic
# generalization of on-line learning*, Journal of Computer and System Sciences 55 (1997). *Data:* Alpaydin and Kaynak,
# *Optical recognition of handwritten digits*, UCI repository (1998).

# %% symbols Trees, ensembles and networks [markdown]
# | $\rho$ | correlation of two learners | `rho` |
# | $P_i$, $\varepsilon$ | weight of point $i$; weighted error of a learner | `P`, `eps` |
# | $\alpha$, $Z$ | weight of a learner in AdaBoost; the sum that makes $P$ add up to 1 | `alpha` |
