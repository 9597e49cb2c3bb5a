"""Ridge regression: least squares that distrusts large weights.

X is (n, d), y is (n,), w and the prior guess w₀ are (d,); the loss is a sum over the points.

(5.1)   J(w)  = ‖Xw − y‖² + λ‖w − w₀‖²
(5.2)   ∇J(w) = 2Xᵀ(Xw − y) + 2λ(w − w₀)
(5.3)   ŵ     = (XᵀX + λI)⁻¹(Xᵀy + λw₀)
(5.4)   ŵ     = (XᵀX + Λ)⁻¹Xᵀy                      Λ = diag(λ₁, …, λ_d)
(5.5)   ŵ, b̂  = argmin ‖Xw + b − y‖² + λ‖w‖²        the bias b is free
(5.6)   ŵ     = (XᵀX + ΓᵀΓ)⁻¹Xᵀy                    penalty ‖Γw‖²
(5.7)   ŵ     = Σⱼ sⱼ/(sⱼ² + λ) (uⱼᵀy) vⱼ           X = USVᵀ
(5.8)   df    = Σⱼ sⱼ²/(sⱼ² + λ)                    the trace of the matrix that takes y to ŷ
(5.9)   λ     = σ²/τ²                               y|w ~ N(Xw, σ²I), w ~ N(0, τ²I)
(5.10)  t     = ‖ŵ(λ)‖²                             the budget of: min ‖Xw − y‖² subject to ‖w‖² ≤ t
"""

import numpy as np

from mlcore.numerics import need_shapes


def objective(w, X, y, lam, w0=0.0):
    """J(w) (5.1)."""
    return np.sum((X @ w - y) ** 2) + lam * np.sum((w - w0) ** 2)


def gradient(w, X, y, lam, w0=0.0):
    """∇J(w) (5.2): shape (d,)."""
    return 2 * X.T @ (X @ w - y) + 2 * lam * (w - w0)


def fit(X, y, lam, w0=0.0):
    """The minimiser of J (5.3): shape (d,)."""
    need_shapes("ridge.fit: X (n, d), y (n,)", X, y)
    d = X.shape[1]
    return np.linalg.solve(X.T @ X + lam * np.eye(d), X.T @ y + lam * np.broadcast_to(w0, d))


def fit_diagonal(X, y, lams):
    """One penalty for each weight (5.4): shape (d,)."""
    need_shapes("ridge.fit_diagonal: X (n, d), y (n,)", X, y)
    return np.linalg.solve(X.T @ X + np.diag(lams), X.T @ y)


def fit_free_bias(X, y, lam):
    """Weights penalised, bias not (5.5): ŵ of shape (d,) and b̂. Centring X and y removes b."""
    need_shapes("ridge.fit_free_bias: X (n, d), y (n,)", X, y)
    w = fit(X - X.mean(axis=0), y - y.mean(), lam)
    return w, y.mean() - X.mean(axis=0) @ w


def fit_tikhonov(X, y, Gamma):
    """The penalty ‖Γw‖² (5.6): Γ is (m, d), ŵ has shape (d,)."""
    need_shapes("ridge.fit_tikhonov: X (n, d), y (n,)", X, y)
    return np.linalg.solve(X.T @ X + Gamma.T @ Gamma, X.T @ y)


def first_differences(d):
    """The matrix Γ with (Γw)ⱼ = wⱼ₊₁ − wⱼ: shape (d − 1, d)."""
    return np.diff(np.eye(d), axis=0)


def fit_svd(X, y, lam):
    """ŵ along the singular directions of X (5.7): each is shrunk by s²/(s² + λ)."""
    need_shapes("ridge.fit_svd: X (n, d), y (n,)", X, y)
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    return Vt.T @ (s / (s**2 + lam) * (U.T @ y))


def path(X, y, lams):
    """ŵ(λ) for many λ with one decomposition (5.7): shape (len(lams), d)."""
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    return (s / (s**2 + np.asarray(lams)[:, None]) * (U.T @ y)) @ Vt


def degrees_of_freedom(X, lam):
    """df(λ) (5.8): d at λ = 0 (for independent columns), 0 in the limit λ → ∞."""
    s = np.linalg.svd(X, compute_uv=False)
    return np.sum(s**2 / (s**2 + lam))


def map_penalty(sigma, tau):
    """The λ whose ridge solution is the most probable w (5.9)."""
    return sigma**2 / tau**2


def budget(X, y, lam):
    """The t whose constrained solution is ŵ(λ) (5.10)."""
    return np.sum(fit(X, y, lam) ** 2)
