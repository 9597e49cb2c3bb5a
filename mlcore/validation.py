"""Validation: measuring the error on data that the fit has not seen, and choosing by it.

Regression: X is (n, d), y is (n,), folds is (n,) and holds the number 0, …, k − 1 of each point's fold.
Classification: s is (n,), the scores; y is (n,) with 1 for positive and 0 for negative; positive is said if s ≥ t.

(8.1)   MSE       = (1/n) Σᵢ(yᵢ − ŷᵢ)²,   MAE = (1/n) Σᵢ|yᵢ − ŷᵢ|
(8.2)   CV        = (1/k) Σⱼ MSEⱼ                           MSEⱼ on fold j, fitted to the other folds
(8.3)   se        = sqrt(Σⱼ(MSEⱼ − CV)²/(k − 1)) / √k
(8.4)   eᵢ^loo    = eᵢ/(1 − Hᵢᵢ)                            H = X(XᵀX + λI)⁻¹Xᵀ, e = y − Hy
(8.5)   precision = TP/(TP + FP),   recall = TP/(TP + FN),   accuracy = (TP + TN)/n,
        F₁        = 2·precision·recall/(precision + recall)
(8.6)   FPR(t)    = share of the negatives with s ≥ t,   TPR(t) = share of the positives with s ≥ t
(8.7)   AUC       = P(s⁺ > s⁻) + ½P(s⁺ = s⁻)                the area under TPR against FPR
(8.8)   EER       = FPR = FNR                               where the two cross, FNR = 1 − TPR
(8.9)   accuracy  = π TPR + (1 − π) TNR                     π the share of positives, TNR = 1 − FPR
"""

import numpy as np


def mse(y, y_hat):
    """The mean squared error (8.1)."""
    return np.mean((y - y_hat) ** 2)


def mae(y, y_hat):
    """The mean absolute error (8.1)."""
    return np.mean(np.abs(y - y_hat))


def with_products(X):
    """The columns of X, then the products of every two of them, squares included: shape (n, d + d(d + 1)/2)."""
    i, j = np.triu_indices(X.shape[1])
    return np.column_stack([X, X[:, i] * X[:, j]])


def fold_labels(n, k, rng):
    """A random fold for each of n points, in sizes that differ by at most 1: shape (n,)."""
    if not 2 <= k <= n:
        raise ValueError(f"validation.fold_labels: k must be between 2 and n = {n}, got {k}")
    return rng.permutation(np.arange(n) % k)


def ridge_path(X, y, lams):
    """Ridge with a free bias for many λ: weights of shape (len(lams), d), biases of shape (len(lams),)."""
    x_mean, y_mean = X.mean(axis=0), y.mean()
    eigenvalues, V = np.linalg.eigh((X - x_mean).T @ (X - x_mean))
    c = V.T @ ((X - x_mean).T @ (y - y_mean))
    W = (c / (eigenvalues + np.asarray(lams)[:, None])) @ V.T
    return W, y_mean - W @ x_mean


def fold_errors(X, y, lams, folds):
    """MSEⱼ of ridge with a free bias, for every fold and every λ, whose mean over j is (8.2): shape (k, len(lams))."""
    if np.shape(folds) != np.shape(y):
        raise ValueError(f"validation.fold_errors: folds must have shape (n,) = {np.shape(y)}, got {np.shape(folds)}")
    errors = []
    for j in range(np.max(folds) + 1):
        test = folds == j
        W, b = ridge_path(X[~test], y[~test], lams)
        errors.append(np.mean((X[test] @ W.T + b - y[test][:, None]) ** 2, axis=0))
    return np.array(errors)


def standard_error(errors):
    """How far the mean of k fold errors may be off (8.3): over axis 0 of (k, …)."""
    return np.std(errors, axis=0, ddof=1) / np.sqrt(len(errors))


def hat_matrix(X, lam, free_bias=False):
    """The matrix H with ŷ = Hy, for ridge without a bias or with a free one: shape (n, n)."""
    n, d = X.shape
    if free_bias:
        return 1 / n + hat_matrix(X - X.mean(axis=0), lam)
    return X @ np.linalg.solve(X.T @ X + lam * np.eye(d), X.T)


def loo_residuals(X, y, lam, free_bias=False):
    """The residual of each point under the fit to the others (8.4): shape (n,), from one fit."""
    H = hat_matrix(X, lam, free_bias)
    return (y - H @ y) / (1 - np.diag(H))


def confusion(s, y, t):
    """TP, FN, TN, FP at the threshold t."""
    said = s >= t
    return np.sum(said & (y == 1)), np.sum(~said & (y == 1)), np.sum(~said & (y == 0)), np.sum(said & (y == 0))


def scores(TP, FN, TN, FP):
    """Precision, recall, accuracy and F₁ (8.5)."""
    precision, recall = TP / (TP + FP), TP / (TP + FN)
    return precision, recall, (TP + TN) / (TP + FN + TN + FP), 2 * precision * recall / (precision + recall)


def roc_point(s, y, t):
    """FPR(t) and TPR(t) (8.6)."""
    return np.mean(s[y == 0] >= t), np.mean(s[y == 1] >= t)


def roc_curve(s, y):
    """(8.6) at t = ∞ and then at every score, from high to low: t, FPR, TPR, each from (0, 0) to (1, 1)."""
    t = np.concatenate([[np.inf], np.unique(s)[::-1]])
    below = [np.searchsorted(np.sort(s[y == c]), t) / np.sum(y == c) for c in (0, 1)]
    return t, 1 - below[0], 1 - below[1]


def auc(s, y):
    """The probability that a positive scores above a negative, a tie counting half (8.7)."""
    positive, negative = np.sort(s[y == 1]), np.sort(s[y == 0])
    below, up_to = (np.searchsorted(negative, positive, side) for side in ("left", "right"))
    return np.mean(below + up_to) / (2 * len(negative))


def equal_error_rate(s, y):
    """FPR = FNR (8.8), on the line between the two neighbouring thresholds."""
    _, fpr, tpr = roc_curve(s, y)
    excess = fpr + tpr - 1  # FPR − FNR: it rises from −1 to 1
    i = np.argmax(excess >= 0)
    share = excess[i] / (excess[i] - excess[i - 1])
    return fpr[i] + share * (fpr[i - 1] - fpr[i])


def accuracy(tpr, tnr, share):
    """The share of right answers, for a share of positives (8.9)."""
    return share * tpr + (1 - share) * tnr
