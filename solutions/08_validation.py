# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% title [markdown]
# At the end you can choose a penalty by cross-validation, compute the leave-one-out error, keep the error that
# you report honest, and judge a yes or no by its counts, its ROC curve and the area under it.

# %%
import numpy as np

from mlcore import ridge, validation
from mlcore.checks.validation import check
from mlcore.explore import validation as explore

# %% [markdown]
# ## See
# The diabetes patients of notebook 05 again, now with all products and squares of the ten measurements: 65 columns.
# Ridge is fitted to 300 of the patients, for 51 values of λ. We plot its mean squared error on these patients, and on
# the 142 others.

# %%
explore.Unseen()

# %% [markdown]
# For the patients of the fit no penalty is small enough. The others are served best near λ = 80. In notebook 07 we knew
# the truth. Here patients who were not in the fit take its place.
#
# ## Predict
# In practice the 142 patients must not be touched before the end, so forget the figure. How would you choose λ with the
# 300 alone? And to leave out each of the 300 in turn, how many fits would you need for one λ?
#
# ## Derive
# Two errors of predictions $\hat y$ are in use, the mean squared and the mean absolute one:
#
# $$\mathrm{MSE}=\frac1n\sum_i(y_i-\hat y_i)^2,\qquad\mathrm{MAE}=\frac1n\sum_i|y_i-\hat y_i| \tag{8.1}$$
#
# The second is in the units of $y$, and one gross error counts less in it. Cross-validation splits the training data
# into $k$ folds. Each fold waits outside once, while the model is fitted to the others, and is then tested.

# %% task kfold_labels [markdown]
# Deal $n$ points out to $k$ folds at random. Every point belongs to one fold, and the sizes of the folds differ by at
# most 1, also if $k$ does not divide $n$. The same `seed` deals the same folds again, another one deals others.


# %% exercise kfold_labels
def kfold_labels(n, k, seed):
    """The number 0, …, k − 1 of the fold of each point, in random order: shape (n,)."""
    ### BEGIN SOLUTION
    rng = np.random.default_rng(seed)
    return rng.permutation(np.arange(n) % k)
    ### END SOLUTION


# %% check
check.kfold_labels(kfold_labels)

# %% hint [markdown]

# %% [markdown]
# Labels dealt out in turn and then mixed have sizes that differ by at most 1. With $k=n$ every fold is a single point:
# that is leave-one-out. One text has $k=n-1$ for it, but then one fold holds two points:

# %%
np.bincount(validation.fold_labels(7, 6, np.random.default_rng(0)))

# %% task fold_average [markdown]
# $\mathrm{MSE}_j$ is the error on fold $j$ of the model that was fitted to the other folds. The cross-validation error
# is the mean of these $k$ numbers. Compute it for ridge with a free bias; `ridge.fit_free_bias(X, y, lam)` returns $w$
# and $b$.


# %% exercise fold_average
def fold_average(X, y, lam, folds):
    """The cross-validation error; folds holds the fold 0, …, k − 1 of each point: a number."""
    ### BEGIN SOLUTION
    errors = []
    for j in range(folds.max() + 1):
        test = folds == j
        w, b = ridge.fit_free_bias(X[~test], y[~test], lam)
        errors.append(np.mean((X[test] @ w + b - y[test]) ** 2))
    return np.mean(errors)
    ### END SOLUTION


# %% check
check.fold_average(fold_average)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{CV}=\frac1k\sum_{j=1}^k\mathrm{MSE}_j \tag{8.2}$$
#
# A mean of $k$ scattered numbers has a standard error, their standard deviation divided by $\sqrt k$:
#
# $$\mathrm{se}=\frac1{\sqrt k}\sqrt{\frac1{k-1}\sum_j(\mathrm{MSE}_j-\mathrm{CV})^2} \tag{8.3}$$
#
# It is a rough guide, since the fits share most of their points. CV and se of ten folds, at $\lambda=1$ and at
# $\lambda=100$:

# %%
X, y, X_test, y_test = explore.patients()
folds = validation.fold_labels(len(y), 10, np.random.default_rng(0))
errors = validation.fold_errors(X, y, [1.0, 100.0], folds)
np.round([errors.mean(axis=0), validation.standard_error(errors)])

# %% [markdown]
# ## Leave one out, without leaving it out
# Leave-one-out uses nearly all data in each fit, and no chance comes in. It seems to cost $n$ fits. We take ridge (5.3)
# with the guess 0, and write $x_i$ for row $i$ of $X$, as a column.

# %% task loo_shortcut [markdown]
# From the residual of point $i$ under the fit to the *other* points to a formula that needs only the fit to all of
# them. Write $A=X^\top X+\lambda I$, over all points, and $x$ for $x_i$. The trouble is the inverse of another matrix
# for every $i$: lines 2 to 4 get rid of it. A line returns the pieces of the formula.


# %%
def line_1(X, y, lam, i):
    """The residual of point i under the fit to the others."""
    X_rest, y_rest = np.delete(X, i, axis=0), np.delete(y, i)
    A_rest = X_rest.T @ X_rest + lam * np.eye(X.shape[1])
    return y[i] - X[i] @ np.linalg.solve(A_rest, X_rest.T @ y_rest)


# %% exercise loo_shortcut
def line_2(X, y, lam, i):
    """The matrix P with which A − P is the matrix of line 1: shape (d, d)."""
    ### BEGIN SOLUTION
    return np.outer(X[i], X[i])
    ### END SOLUTION


def line_3(X, y, lam, i):
    """The equation (A − P)v = x as v = q + Rv: (q, R), with shapes (d,) and (d, d)."""
    ### BEGIN SOLUTION
    A = X.T @ X + lam * np.eye(X.shape[1])
    return np.linalg.solve(A, X[i]), np.linalg.solve(A, line_2(X, y, lam, i))
    ### END SOLUTION


def line_4(X, y, lam, i):
    """Line 3 solved, v = q/k: (q, k), with shape (d,) and a number."""
    ### BEGIN SOLUTION
    q, _ = line_3(X, y, lam, i)
    return q, 1 - X[i] @ q
    ### END SOLUTION


def line_5(X, y, lam, i):
    """Line 1 as yᵢ − (fitted − own)/k, own being what point i brings: three numbers."""
    ### BEGIN SOLUTION
    q, k = line_4(X, y, lam, i)
    return q @ X.T @ y, q @ X[i] * y[i], k
    ### END SOLUTION


def line_6(X, y, lam, i):
    """Line 5 as one fraction: (numerator, denominator), two numbers."""
    ### BEGIN SOLUTION
    fitted, _, k = line_5(X, y, lam, i)
    return y[i] - fitted, k
    ### END SOLUTION


# %% check
check.loo_shortcut(line_2, line_3, line_4, line_5, line_6)

# %% hint [markdown]

# %% [markdown]
# The residual of point $i$ under the fit to all points is divided by $1-h$, where $h=x_i^\top A^{-1}x_i$. Lines 2 to 4
# are the formula of Sherman and Morrison: a matrix that changes by $xx^\top$ keeps its inverse, but for a correction.

# %% task loo_residuals [markdown]
# Now for all $i$ at once. The fitted values are $\hat y=Hy$ with $H=X(X^\top X+\lambda I)^{-1}X^\top$. Where in $H$ is
# the $h$ of point $i$?


# %% exercise loo_residuals
def loo_residuals(X, y, lam):
    """For each point its residual under the ridge fit to the others, from one fit: shape (n,)."""
    ### BEGIN SOLUTION
    H = X @ np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T)
    return (y - H @ y) / (1 - np.diag(H))
    ### END SOLUTION


# %% check
check.loo_residuals(loo_residuals)

# %% hint [markdown]

# %% [markdown]
# $$e_i^{\mathrm{loo}}=\frac{e_i}{1-H_{ii}},\qquad e=y-Hy \tag{8.4}$$
#
# $H_{ii}$ says how far a point pulls the curve to itself: with $H_{ii}=\frac12$ it hides half of its residual. The sum
# of all $H_{ii}$ is the number of degrees of freedom (5.8). With a free bias the formula stays, and $H$ is
# $\frac1n\mathbf 1\mathbf 1^\top$ plus the $H$ of the centred columns.
#
# ## Explore
# The cross-validation error of the 300 patients. λ runs over five orders of magnitude: find the right order first.
#
# 1. Try other splits with $k=2$, $k=10$ and $k=n$. How far does the best λ move, how far the error?
# 2. Why is the error with two folds larger than with ten, on the left most of all?

# %%
explore.Folds()

# %% [markdown]
# Over ten splits the best λ stays between 50 and 126 for two folds and between 63 and 100 for ten; leave-one-out always
# finds 79. With ten folds, in the split shown first, every λ from 10 to 400 lies within one standard error of the best.
# With two folds a model sees 150 patients in the place of 270, too few for 65 columns with a small penalty. So a small
# $k$ judges too harshly, and a large one costs more fits. Five and ten are customary.
#
# ## Break it
# Pure noise: 1000 random columns and a random $y$ for 100 points. We keep the ten columns that correlate most with $y$,
# then cross-validate ridge on them. Or we choose the ten anew in each round, from its training points. The last number
# is the variance of $y$, the error of predicting the mean.

# %%
rng = np.random.default_rng(1)
X_noise, y_noise = rng.normal(size=(100, 1000)), rng.normal(size=100)
noise_folds = validation.fold_labels(100, 10, rng)


def best_columns(X, y):
    return np.argsort(np.abs((y - y.mean()) @ X))[-10:]


before = validation.fold_errors(X_noise[:, best_columns(X_noise, y_noise)], y_noise, [1.0], noise_folds).mean()
within = []
for j in range(10):
    test = noise_folds == j
    kept = X_noise[:, best_columns(X_noise[~test], y_noise[~test])]
    w, b = ridge.fit_free_bias(kept[~test], y_noise[~test], 1.0)
    within.append(validation.mse(y_noise[test], kept[test] @ w + b))
np.round([before, np.mean(within), y_noise.var()], 2)

# %% [markdown]
# Where there is nothing to find, the first way reports that 42% of the variance is explained. The ten columns were
# chosen with all labels, the tested ones too.

# %% task honest_protocol [markdown]
# We want a λ for the diabetes patients, and a number that says how well the chosen model predicts new ones. Which
# procedure gives an honest number?

# %% exercise honest_protocol
choice = ...
reason = ...
### BEGIN SOLUTION
choice, reason = "d", "ii"
### END SOLUTION

# %% check
check.honest_protocol(choice, reason)

# %% hint [markdown]

# %% [markdown]
# We have split and cross-validated, and with ten folds chosen λ = 100. What remains is to refit to all 300 patients
# and to test, once. The MSE and the MAE on the 142 patients:

# %%
w, b = ridge.fit_free_bias(X, y, 100.0)
np.round([validation.mse(y_test, X_test @ w + b), validation.mae(y_test, X_test @ w + b)], 1)

# %% [markdown]
# Cross-validation had promised 3239 with a standard error of 266, and the training error was 2556.
#
# ## Yes or no
# Two species of iris, 50 flowers each. We say *virginica* if the sepal is at least $t$ cm long, and *versicolor*
# otherwise; virginica is the positive class. There are four outcomes:
#
# | | virginica said | versicolor said |
# |---|---|---|
# | **is virginica** | true positive, TP | false negative, FN |
# | **is versicolor** | false positive, FP | true negative, TN |

# %% task confusion_scores [markdown]
# Four numbers summarise the table. *Precision* is the share of those called positive that are so. *Recall* is the share
# of the positives that are found. *Accuracy* is the share of right answers. $F_1$ is the harmonic mean of precision and
# recall.


# %% exercise confusion_scores
def confusion_scores(TP, FN, TN, FP):
    """A tuple (precision, recall, accuracy, F1) of four numbers."""
    ### BEGIN SOLUTION
    precision, recall = TP / (TP + FP), TP / (TP + FN)
    accuracy = (TP + TN) / (TP + FN + TN + FP)
    return precision, recall, accuracy, 2 * precision * recall / (precision + recall)
    ### END SOLUTION


# %% check
check.confusion_scores(confusion_scores)

# %% hint [markdown]

# %% [markdown]
# $$\text{precision}=\tfrac{TP}{TP+FP},\quad\text{recall}=\tfrac{TP}{TP+FN},\quad\text{accuracy}=\tfrac{TP+TN}n,\quad
# F_1=\tfrac{2\,\text{precision}\cdot\text{recall}}{\text{precision}+\text{recall}} \tag{8.5}$$
#
# With ten ill and ninety healthy people, TP = 5, FN = 5, TN = 89 and FP = 1, the accuracy is 0.94, though half of the
# ill are missed:

# %%
np.round(validation.scores(TP=5, FN=5, TN=89, FP=1), 4)

# %% task roc_point [markdown]
# The table depends on the threshold $t$. Two rates describe it: the true positive rate TPR, another name for recall,
# and the false positive rate FPR, the share of the negatives that are called positive. Positive is said for $s\ge t$.
# Sepals are measured to the millimetre, so many scores are equal to $t$.


# %% exercise roc_point
def roc_point(s, y, t):
    """A tuple (FPR, TPR); s holds the scores, y is 1 for positive and 0 for negative, both of shape (n,)."""
    ### BEGIN SOLUTION
    return np.mean(s[y == 0] >= t), np.mean(s[y == 1] >= t)
    ### END SOLUTION


# %% check
check.roc_point(roc_point)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{FPR}(t)=\frac{FP}{FP+TN},\qquad\mathrm{TPR}(t)=\frac{TP}{TP+FN} \tag{8.6}$$
#
# The false negative rate is FNR = 1 − TPR, the true negative rate TNR = 1 − FPR. The points
# $(\mathrm{FPR},\mathrm{TPR})$ for all thresholds, joined by straight lines, are the ROC curve.
#
# ## Explore
# 1. Raise $t$ step by step. Which of the four counts can only grow? Which way does the point run?
# 2. Where do FPR and FNR cross, and where is that on the ROC curve? Compare the petals.

# %%
explore.Threshold()

# %% [markdown]
# Raising $t$ moves flowers from *yes* to *no*, so FN and TN grow, and the point runs down to the left: FPR falls, and
# FNR rises. They cross between 6.3 and 6.4 cm, at 0.27, where the ROC curve meets the dotted diagonal. Petals part the
# species better: the crossing is at 0.07. The area under the curve does not depend on $t$: it contains all thresholds.

# %% task auc_pairs [markdown]
# How large is this area? Take the corners of the curve from `validation.roc_curve(s, y)`, which returns the thresholds,
# FPR and TPR as arrays, or find a way that does without the curve.


# %% exercise auc_pairs
def auc_pairs(s, y):
    """The area under the ROC curve; there may be ties: a number."""
    ### BEGIN SOLUTION
    gap = s[y == 1][:, None] - s[y == 0]
    return np.mean(gap > 0) + np.mean(gap == 0) / 2
    ### END SOLUTION


# %% check
check.auc_pairs(auc_pairs)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{AUC}=P(s^+>s^-)+\tfrac12P(s^+=s^-) \tag{8.7}$$
#
# Here $s^+$ is the score of a random positive and $s^-$ that of a random negative. Lower $t$ past one negative: the
# curve moves right by $1/n_-$, at the height TPR, which is the share of the positives above this negative. So every
# pair in the right order adds $1/(n_+n_-)$ to the area. At a tie the curve moves up and right at once, and half of the
# rectangle lies below it. Of the 2500 pairs of sepals 1927 are right and 94 are tied: $1974/2500=0.7896$. Only the
# order of the scores matters, so an increasing transformation leaves the area as it is:

# %%
s, species = explore.flowers("sepal_length")
[float(round(validation.auc(scores, species), 4)) for scores in (s, np.exp(s), -1 / s)]

# %% task equal_error [markdown]
# The equal error rate EER is the common value of FPR and FNR where they cross. With few points there may be no
# threshold that gives equality. The ROC curve has straight pieces between its corners; go along the piece on which the
# two are equal.


# %% exercise equal_error
def equal_error(s, y):
    """The rate FPR = FNR, by linear interpolation between two neighbouring thresholds: a number."""
    ### BEGIN SOLUTION
    _, fpr, tpr = validation.roc_curve(s, y)
    return np.interp(0.0, fpr - (1 - tpr), fpr)
    ### END SOLUTION


# %% check
check.equal_error(equal_error)

# %% hint [markdown]

# %% [markdown]
# $$\mathrm{EER}=\mathrm{FPR}=\mathrm{FNR} \tag{8.8}$$
#
# For the sepals the rates are (0.28, 0.26) at 6.3 cm and (0.22, 0.38) at 6.4 cm. The line between the two corners has
# equal rates at 0.2733.
#
# ## Spot the slip
# A formula as printed in well-meaning lecture notes, wrong in one place. Mend it, and give an input at which the
# printed version fails.

# %% task accuracy_of_rates [markdown]
# > *We have $\mathrm{TPR}+\mathrm{FNR}=1$ and $\mathrm{TNR}+\mathrm{FPR}=1$, and
# > $\mathrm{Accuracy}=\frac12(\mathrm{TPR}+\mathrm{TNR})$.*
#
# What is the accuracy if the share $\pi$ of all points is positive?


# %% exercise accuracy_of_rates
def accuracy_of_rates(tpr, tnr, share):
    """The share of right answers; share is π, the share of positives."""
    ### BEGIN SOLUTION
    return share * tpr + (1 - share) * tnr
    ### END SOLUTION


fails_at = ...  # a tuple (tpr, tnr, share)
### BEGIN SOLUTION
fails_at = (0.5, 89 / 90, 0.1)
### END SOLUTION

# %% check
check.accuracy_of_rates(accuracy_of_rates, fails_at)

# %% hint [markdown]

# %% [markdown]
# $$\text{accuracy}=\pi\,\mathrm{TPR}+(1-\pi)\,\mathrm{TNR} \tag{8.9}$$
#
# The printed formula is the *balanced accuracy*. For the hundred people above it is 0.7444, where the accuracy is 0.94.
#
# ## Explore
# The same flowers and the same threshold, in fields where virginica is rarer or more common.
#
# 1. Move π from left to right. Which of the four measures move?
# 2. At the start, is the threshold of 6.9 cm better than never to say virginica?

# %%
explore.Balance()

# %% [markdown]
# Accuracy and precision belong to the field as much as to the method. TPR and TNR are measured within a class, so
# balanced accuracy and AUC stay. With 6% virginica the accuracy is 0.92, and never to say virginica has 0.94.

# %% task ninety_nine_percent [markdown]
# A press release: *From 20 of 5000 blood markers, those that differed most between our 10 ill and our 990 healthy
# volunteers, our classifier recognises the illness with an accuracy of 99% in ten-fold cross-validation.* Explain in
# about 120 words what this number is worth, which numbers you would ask for, and what you would change in the
# procedure.

# %% explain ninety_nine_percent [markdown]
# ### BEGIN SOLUTION
# One person in a hundred is ill, so saying "healthy" to everybody is right for 99%: by (8.9) the accuracy is nearly the
# true negative rate, and says nothing about the ill. I would ask for the recall and the false positive rate, or for the
# ROC curve and its area, which do not depend on the share of the ill, and for the precision at the share that is
# expected in practice. The ten folds do not help either: the 20 markers were chosen with the labels of all volunteers,
# so every test fold took part in a choice, and of 5000 markers some differ by chance. The choice of markers belongs
# inside each training part, and the final number should come from people who were kept apart until the end.
#
# Marks: one point for the useless 99%, one for the rates, one for the choice before the split.
# ### END SOLUTION

# %% [markdown]
# ## Recap
# Cross-validation tests every point with a fit that has not seen it, and for ridge even leaving out each point takes
# one fit, $e_i/(1-H_{ii})$. Data that took part in a choice cannot judge it: split, cross-validate on the training
# part, choose, refit, test once. A threshold trades false alarms for misses, the ROC curve shows all of these trades,
# and the area under it is the probability that a positive scores above a negative.
#
# *Data:* Efron, Hastie, Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics 32 (2004). Fisher,
# *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7 (1936).

# %% symbols Models of regression [markdown]
# | $k$ | number of folds; $\mathrm{CV}$ is the mean error over them | `k` |
# | $TP$, $FP$, $TN$, $FN$ | true and false, positives and negatives | `TP`, `FP`, `TN`, `FN` |

# %% symbols Classification [markdown]
# | $s$, $t$ | score; threshold from which on "positive" is said | `s`, `t` |
