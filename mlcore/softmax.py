"""Softmax regression: one score for each class, and probabilities from all scores.

X is (n, d), the labels y are 0, …, C − 1 of shape (n,), Y is (n, C) with a 1 in column yᵢ of row i and 0 elsewhere.
W is (d, C), one column wₖ for each class; vec stacks these columns. P is (n, C), row i is softmax(Wᵀxᵢ).

(13.1)   LSE(t) = m + log Σₖ exp(tₖ − m)                      m = maxₖ tₖ
(13.2)   p = softmax(t),   pₖ = exp(tₖ − LSE(t))
(13.3)   P(y = k|x) = softmax(Wᵀx)ₖ,   log P(k|x)/P(l|x) = (wₖ − wₗ)ᵀx
(13.4)   aᵀ∇²LSE(t)a = Σₖ pₖ(aₖ − ā)²                         ā = Σₖ pₖaₖ
(13.5)   ∂p/∂t = (diag(p) − ppᵀ)/τ                            p = softmax(t/τ)
(13.6)   NLL(W) = Σᵢ [LSE(Wᵀxᵢ) − xᵢᵀw_yᵢ],   ∇LSE(t) = softmax(t)
(13.7)   ∇NLL(W) = Xᵀ(P − Y)
(13.8)   W and W + c1ᵀ have the same P                       c is (d,)
(13.9)   P(y = 1|x) = σ((w₁ − w₀)ᵀx)                          for C = 2, classes 0 and 1
(13.10)  H = Σᵢ (diag(pᵢ) − pᵢpᵢᵀ) ⊗ xᵢxᵢᵀ                     the Hessian for vec W
(13.11)  rank H = (C − 1) rank X
(13.12)  vec W⁺ = vec W − H⁺ vec ∇NLL(W)                      the shortest Newton step
(13.13)  J(W, b) = NLL + ½λ‖W‖²                               the biases b are free
"""

import numpy as np

from mlcore.numerics import log_sum_exp, need_shapes  # LSE (13.1), over the last axis
from mlcore.numerics import softmax as probabilities  # (13.2), over the last axis


def class_probabilities(W, X):
    """P (13.3): shape (n, C)."""
    return probabilities(X @ W)


def curvature(t, a):
    """The second derivative of LSE at t in the direction a (13.4): the variance of a under p."""
    p = probabilities(t)
    return p @ (a - p @ a) ** 2


def jacobian(t, tau=1.0):
    """The derivative of softmax(t/τ) with respect to t (13.5): shape (C, C)."""
    p = probabilities(t / tau)
    return (np.diag(p) - np.outer(p, p)) / tau


def one_hot(y, C):
    """Y: shape (n, C)."""
    return np.eye(C)[y]


def nll(W, X, y):
    """The negative log-likelihood (13.6)."""
    T = X @ W
    return np.sum(log_sum_exp(T) - T[np.arange(len(y)), y])


def gradient(W, X, Y):
    """∇NLL(W) (13.7): shape (d, C)."""
    return X.T @ (class_probabilities(W, X) - Y)


def pinned(W):
    """The weights with the same P as W (13.8) whose last class has the weights 0: shape (d, C)."""
    return W - W[:, -1:]


def two_class(W):
    """The w with P(y = 1|x) = σ(wᵀx), for C = 2 (13.9): shape (d,)."""
    return W[:, 1] - W[:, 0]


def hessian(W, X):
    """H (13.10): shape (Cd, Cd), class after class."""
    return _hessian(class_probabilities(W, X), X)


def hessian_rank(X, C):
    """The rank of H (13.11), at every W."""
    return (C - 1) * np.linalg.matrix_rank(X)


def newton_step(W, X, Y):
    """Where the shortest Newton step leads from W (13.12): shape (d, C)."""
    H, g = hessian(W, X), gradient(W, X, Y)
    return W - (np.linalg.pinv(H, rcond=1e-10, hermitian=True) @ g.T.ravel()).reshape(g.T.shape).T


def newton(X, y, lam):
    """The states (W, b) of Newton's method on J (13.13), from 0 to the minimum. A step that raises J is halved.

    The last class is pinned to 0 on the way, so that H is regular; every state is centred: Σₖ wₖ = 0 and Σₖ bₖ = 0.
    """
    C = _classes("newton", X, y, lam)
    n, d = X.shape
    Z = np.column_stack([X, np.ones(n)])  # the biases are the weights of a column of ones,
    rows = np.append(np.full(d, float(lam)), 0.0)  # which cost nothing
    centre = np.eye(C)[:-1] - 1 / C  # the columns 0, …, C − 2, and 0 for the last, less their mean
    penalty = np.kron(centre[:, :-1], np.diag(rows))
    V, T, Y = np.zeros((d + 1, C - 1)), np.zeros((n, C)), one_hot(y, C)
    J, P = _at(T, Y, 0.0)
    for _ in range(100):
        yield (V @ centre)[:d], (V @ centre)[d]
        own = np.sum(T * Y, axis=1, keepdims=True)
        if lam == 0 and np.sum(own <= T) == n:  # no other score reaches a point's own
            raise ValueError("softmax.fit: W separates the classes, so λ = 0 has no minimum; use lam > 0")
        g = (Z.T @ (P - Y)[:, :-1]).T.ravel() + penalty @ V.T.ravel()
        step = np.linalg.solve(_hessian(P[:, :-1], Z) + penalty, -g)
        decrease, t = -g @ step, 1.0
        step = step.reshape(C - 1, d + 1).T
        along = np.column_stack([Z @ step, np.zeros(n)])
        while (after := _at(T + t * along, Y, rows @ ((V + t * step) @ centre) ** 2))[0] > J + 1e-12 * n:
            t /= 2
        V, T, (J, P) = V + t * step, T + t * along, after
        if decrease <= 1e-8 * (1 + J):  # what is left to gain is about its square
            yield (V @ centre)[:d], (V @ centre)[d]
            return
    raise ValueError("softmax.fit: no minimum after 100 Newton steps; use a larger lam")


def fit(X, y, lam):
    """The minimiser (W, b) of J (13.13) with Σₖ wₖ = 0 and Σₖ bₖ = 0: shapes (d, C) and (C,)."""
    *_, (W, b) = newton(X, y, lam)
    return W, b


def _hessian(P, X):
    """Σᵢ (diag(pᵢ) − pᵢpᵢᵀ) ⊗ xᵢxᵢᵀ over the classes in P, one block for each pair of classes."""
    K, d = P.shape[1], X.shape[1]
    H = np.empty((K, d, K, d))
    for k in range(K):
        for j in range(k + 1):
            M = P[:, k] * ((k == j) - P[:, j])
            H[k, :, j] = H[j, :, k] = X.T @ (M[:, None] * X)  # symmetric, so its transpose is not needed
    return H.reshape(K * d, K * d)


def _at(T, Y, squares):
    """J and P at the scores T with one exponential; `squares` adds up to λ‖W‖²."""
    m = np.max(T, axis=1, keepdims=True)
    E = np.exp(T - m)
    total = np.sum(E, axis=1, keepdims=True)
    return np.sum(m + np.log(total)) - np.sum(T * Y) + np.sum(squares) / 2, E / total


def _classes(name, X, y, lam):
    """C, if all is as it should be."""
    need_shapes(f"softmax.{name}: X (n, d), y (n,)", X, y)
    labels = np.unique(y)
    if len(labels) < 2 or labels.dtype.kind not in "iu" or np.any(labels != np.arange(len(labels))):
        raise ValueError(f"softmax.{name}: y must hold the integers 0, …, C − 1, all of them, got {labels}")
    if lam < 0:
        raise ValueError(f"softmax.{name}: lam must not be negative, got {lam}")
    return len(labels)
