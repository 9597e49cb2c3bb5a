"""Linear regression: the weights with the least squared error.

X is (n, d) with one row for each point, y is (n,), w is (d,); the loss is a sum over the points.

(4.1)   L(a)  = Σᵢ (axᵢ − yᵢ)²                        one weight, no bias
(4.2)   â     = Σᵢ xᵢyᵢ / Σᵢ xᵢ²
(4.3)   â     = (1/n) Σᵢ (yᵢ − xᵢ)                    for the model f(x) = x + a
(4.4)   L(w)  = ‖Xw − y‖²
(4.5)   log p(y | X, w) = −(n/2) log(2πσ²) − L(w)/2σ²  for y ~ N(Xw, σ²I)
(4.6)   ŵ     = (XᵀX)⁻¹Xᵀy                            independent columns
(4.7)   L(w)  = L(ŵ) + ‖X(w − ŵ)‖²
(4.8)   H     = X(XᵀX)⁻¹Xᵀ                            the matrix that takes y to ŷ
(4.9)   φ(x)  = (1, x, x², …, xᵖ)
(4.10)  φ(x)  = (1, φ₁(x), …, φₚ(x))                  φⱼ(x) = exp(−(x − cⱼ)²/2h²)
(4.11)  ŵ     = Xᵀ(XXᵀ)⁻¹y                            n < d: the shortest w with Xw = y
(4.12)  ∇MSE(w) = (2/n) Xᵀ(Xw − y)                    MSE = L/n
(4.13)  nd² multiplications make XᵀX, 2nd make Xᵀ(Xw − y)
"""

import numpy as np

from mlcore.numerics import need_shapes


def slope(x, y):
    """The minimiser of (4.1), for x and y of shape (n,): a number (4.2)."""
    return x @ y / (x @ x)


def shift(x, y):
    """The best a of f(x) = x + a (4.3): a number."""
    return np.mean(y - x)


def loss(w, X, y):
    """L(w) (4.4); with one column it is (4.1)."""
    return np.sum((X @ w - y) ** 2)


def log_likelihood(w, X, y, sigma):
    """log p(y | X, w) (4.5)."""
    return -len(y) / 2 * np.log(2 * np.pi * sigma**2) - loss(w, X, y) / (2 * sigma**2)


def fit(X, y):
    """The minimiser of L (4.6): shape (d,). It is computed from X itself, as XᵀX would double the digits lost."""
    need_shapes("linear_regression.fit: X (n, d), y (n,)", X, y)
    if X.shape[0] < X.shape[1]:
        raise ValueError(f"linear_regression.fit: X must have at least as many rows as columns, got {X.shape}")
    w, _, rank, _ = np.linalg.lstsq(X, y, rcond=None)
    if rank < X.shape[1]:
        raise ValueError(f"linear_regression.fit: the {X.shape[1]} columns of X must be independent, got rank {rank}")
    return w


def hat(X):
    """H (4.8): shape (n, n). With X = QR it is QQᵀ."""
    Q, _ = np.linalg.qr(X)
    return Q @ Q.T


def powers(x, p):
    """A row φ(xᵢ) (4.9) for each point: shape (n, p + 1)."""
    return x[:, None] ** np.arange(p + 1)


def bumps(x, centres, h):
    """A row φ(xᵢ) (4.10) for each point: shape (n, p + 1) with p centres."""
    return np.column_stack([np.ones(len(x)), np.exp(-((x[:, None] - centres) ** 2) / (2 * h**2))])


def minimum_norm(X, y):
    """The shortest w with Xw = y (4.11), for independent rows: shape (d,)."""
    need_shapes("linear_regression.minimum_norm: X (n, d), y (n,)", X, y)
    return X.T @ np.linalg.solve(X @ X.T, y)


def gradient(w, X, y):
    """∇MSE(w) (4.12): shape (d,)."""
    return 2 / len(y) * X.T @ (X @ w - y)


def multiplications(n, d):
    """How many numbers are multiplied for XᵀX, and for Xᵀ(Xw − y) (4.13)."""
    return n * d**2, 2 * n * d
