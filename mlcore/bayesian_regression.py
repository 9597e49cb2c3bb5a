"""Bayesian regression: weights as a distribution, and forecasts that know how far they can be trusted.

X is (n, d), y is (n,), w is (d,). In the first part y are measurements with the known noise σ, in the second part
classes 0 and 1, and σ(t) = 1/(1 + e^(−t)) is the logistic function.

(26.1)   y|w ~ N(Xw, σ²I),  w ~ N(0, τ²I)
(26.2)   w|y ~ N(wₙ, Vₙ),  Vₙ = (XᵀX/σ² + I/τ²)⁻¹
(26.3)   wₙ = VₙXᵀy/σ² = (XᵀX + λI)⁻¹Xᵀy,  λ = σ²/τ²
(26.4)   y₊|y ~ N(x₊ᵀwₙ, σ² + x₊ᵀVₙx₊)                     at a new point x₊
(26.5)   w ← w + k(y − xᵀw),  V ← V − k(Vx)ᵀ               one more point (x, y)
(26.6)   k = Vx/(σ² + xᵀVx)
(26.7)   E f(w) ≈ (1/S) Σₛ f(w⁽ˢ⁾),  w⁽ˢ⁾ ~ N(wₙ, Vₙ)      Monte Carlo
(26.8)   y ~ N(0, σ²I + τ²XXᵀ)                             the evidence
(26.9)   J(w) = Σᵢ [log(1 + e^zᵢ) − yᵢzᵢ] + ‖w‖²/2τ²       −log posterior, z = Xw, up to a constant
(26.10)  w|y ≈ N(ŵ, V),  V = (XᵀWX + I/τ²)⁻¹               Laplace: ŵ = argmin J, W = diag(pᵢ(1 − pᵢ)), p = σ(Xŵ)
(26.11)  P(y₊ = 1|y) = ∫ σ(t) N(t; m, v) dt                m = x₊ᵀŵ, v = x₊ᵀVx₊
(26.12)  P(y₊ = 1|y) ≈ σ(m/√(1 + πv/8))
"""

import numpy as np

from mlcore.numerics import need_shapes, sigmoid


def posterior(X, y, sigma, tau):
    """Mean wₙ (26.3) and covariance Vₙ (26.2) of the weights."""
    need_shapes("bayesian_regression.posterior: X (n, d), y (n,)", X, y)
    A = precision(X, sigma, tau)
    return np.linalg.solve(A, X.T @ y / sigma**2), np.linalg.solve(A, np.eye(len(A)))


def precision(X, sigma, tau):
    """Vₙ⁻¹ (26.2): what the points say plus what the prior says."""
    A = X.T @ X / sigma**2
    A[np.diag_indices(len(A))] += 1 / tau**2
    return A


def predictive(X_new, w, V, sigma):
    """Mean and variance of a new measurement for every row of X_new (26.4)."""
    return X_new @ w, sigma**2 + np.sum(X_new @ V * X_new, axis=1)


def gain(V, x, sigma):
    """How far one unit of surprise moves the weights (26.6): shape (d,)."""
    return V @ x / (sigma**2 + x @ V @ x)


def update(w, V, x, y, sigma):
    """The posterior after one more point, with the old one as its prior (26.5)."""
    k = gain(V, x, sigma)
    return w + k * (y - x @ w), V - np.outer(k, V @ x)


def stream(X, y, sigma, tau):
    """Yield wₙ and Vₙ after every point (26.5), from the prior N(0, τ²I)."""
    need_shapes("bayesian_regression.stream: X (n, d), y (n,)", X, y)
    w, V = np.zeros(X.shape[1]), tau**2 * np.eye(X.shape[1])
    for x, target in zip(X, y, strict=True):
        w, V = update(w, V, x, target, sigma)
        yield w, V


def draw(w, V, count, rng):
    """Draws from N(w, V), one in each row: shape (count, d)."""
    return w + rng.normal(size=(count, len(w))) @ np.linalg.cholesky(V).T


def monte_carlo(W, x, noise, sigma):
    """Mean and variance of a new measurement at x, by draws (26.7): W is (S, d), noise holds S draws of N(0, 1)."""
    y = W @ x + sigma * noise
    return np.mean(y), np.var(y)


def log_evidence(X, y, sigma, tau):
    """log p(y) (26.8), by a d × d system: likelihood times prior at wₙ, times the volume √det 2πVₙ."""
    need_shapes("bayesian_regression.log_evidence: X (n, d), y (n,)", X, y)
    n, d = X.shape
    A = precision(X, sigma, tau)
    w = np.linalg.solve(A, X.T @ y / sigma**2)
    misfit = np.sum((y - X @ w) ** 2) / sigma**2 + np.sum(w**2) / tau**2
    log_det = n * np.log(sigma**2) + d * np.log(tau**2) + np.linalg.slogdet(A)[1]
    return -(misfit + log_det + n * np.log(2 * np.pi)) / 2


def surprise(w, X, y, tau):
    """J(w) (26.9): the negative logarithm of likelihood times prior, up to a constant."""
    z = X @ w
    return np.sum(np.logaddexp(0, z) - y * z) + np.sum(w**2) / (2 * tau**2)


def logistic_map(X, y, tau):
    """ŵ, the minimiser of J (26.9), by Newton's method with halved steps where J would rise."""
    need_shapes("bayesian_regression.logistic_map: X (n, d), y (n,)", X, y)
    w = np.zeros(X.shape[1])
    for _ in range(100):
        slope = X.T @ (sigmoid(X @ w) - y) + w / tau**2
        step = laplace(X, w, tau) @ slope
        while surprise(w - step, X, y, tau) > surprise(w, X, y, tau) + 1e-12:
            step = step / 2
        w = w - step
        if np.max(np.abs(step)) < 1e-12 * (1 + np.max(np.abs(w))):
            break
    return w


def laplace(X, w, tau):
    """V (26.10): the inverse of the Hessian of J at w."""
    p = sigmoid(X @ w)
    A = (X.T * (p * (1 - p))) @ X
    A[np.diag_indices(len(A))] += 1 / tau**2
    return np.linalg.solve(A, np.eye(len(A)))


def chance(m, v):
    """P(y₊ = 1|y) (26.11), the integral itself, by a sum over a fine grid: m and v are numbers or (k,)."""
    t = np.linspace(-8, 8, 2001)
    weight = np.exp(-(t**2) / 2)
    return sigmoid(np.asarray(m)[..., None] + np.sqrt(v)[..., None] * t) @ weight / np.sum(weight)


def averaged_chance(m, v):
    """The formula for the integral (26.12)."""
    return sigmoid(m / np.sqrt(1 + np.pi * v / 8))
