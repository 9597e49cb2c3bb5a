"""Bias and variance: how far an estimate is from the truth, and for which of two reasons.

One weight: x is (n,), y is (n,) or (m, n) for m data sets; w* is the true weight, w₀ the guess, s² = Σxᵢ².
Predictions: H is (m, k), row D holds the fit h_D at k points; Y is (m, k), labels that no fit has seen; t is (k,).

(7.1)   E(θ̂ − θ)²     = Var θ̂ + (Eθ̂ − θ)²
(7.2)   ŵ(λ)          = (Σxᵢyᵢ + λw₀)/(s² + λ)               yᵢ = w*xᵢ + ξᵢ, Eξᵢ = 0, Var ξᵢ = σ²
(7.3)   bias(λ)       = −λ(w* − w₀)/(s² + λ)
(7.4)   Var(λ)        = s²σ²/(s² + λ)²
(7.5)   MSE(λ)        = (λ²(w* − w₀)² + s²σ²)/(s² + λ)²
(7.6)   λ*            = σ²/(w* − w₀)²
(7.7)   MSE(λ*)       = σ²/(s² + λ*)
(7.8)   λ̂             = σ²/(ŵ(0) − w₀)²                      the estimate in the place of the truth
(7.9)   E(h_D − y)²   = E(h_D − h̄)² + (h̄ − t)² + σ²          y = t + ξ, independent of D
(7.10)  0             = E(h_D − h̄)(h̄ − y) = E(h̄ − t)(t − y)
(7.11)  E(ŷ − y)²     = ‖t − Xŵ_t‖²/n + σ²d/n + σ²           the mean over n points, ŵ_t fitted to t
"""

import numpy as np

from mlcore.numerics import need_shapes


def split(estimates, theta):
    """Variance and bias of equally likely estimates (7.1)."""
    return np.var(estimates), np.mean(estimates) - theta


def estimate(x, y, lam, w0):
    """ŵ(λ) (7.2): a number, or shape (m,) for m data sets."""
    _points("estimate", x, y)
    return (y @ x + lam * w0) / (x @ x + lam)


def bias(lam, x, w_true, w0):
    """E ŵ(λ) − w* (7.3)."""
    return -lam * (w_true - w0) / (x @ x + lam)


def variance(lam, x, sigma):
    """Var ŵ(λ) (7.4)."""
    return x @ x * sigma**2 / (x @ x + lam) ** 2


def mse(lam, x, w_true, w0, sigma):
    """E(ŵ(λ) − w*)² (7.5)."""
    return (lam**2 * (w_true - w0) ** 2 + x @ x * sigma**2) / (x @ x + lam) ** 2


def best_penalty(w_true, w0, sigma):
    """The λ with the smallest error (7.6)."""
    return sigma**2 / (w_true - w0) ** 2


def best_mse(x, w_true, w0, sigma):
    """The error at that λ (7.7)."""
    return sigma**2 / (x @ x + best_penalty(w_true, w0, sigma))


def estimate_with_estimated_penalty(x, y, w0, sigma):
    """ŵ(λ̂) (7.8): the best penalty, computed as if least squares had found the true weight."""
    return estimate(x, y, best_penalty(estimate(x, y, 0.0, w0), w0, sigma), w0)


def powers(x, degree):
    """The columns 1, x, …, x^degree: shape (n, degree + 1)."""
    return np.asarray(x)[:, None] ** np.arange(degree + 1)


def predictions(X, Y, at):
    """h_D at the rows of `at`, fitted by least squares to X and each row of Y: shape (m, k)."""
    _points("predictions", X[:, 0], Y, "Y")
    return (at @ np.linalg.lstsq(X, Y.T, rcond=None)[0]).T


def prediction_parts(H, Y, t):
    """Variance, bias² and noise, each a mean over data sets and points (7.9)."""
    h_mean = H.mean(axis=0)
    return np.mean((H - h_mean) ** 2), np.mean((h_mean - t) ** 2), np.mean((t - Y) ** 2)


def cross_terms(H, Y, t):
    """What the two cross terms are on a sample, where they need not vanish (7.10)."""
    h_mean = H.mean(axis=0)
    return np.mean((H - h_mean) * (h_mean - Y)), np.mean((h_mean - t) * (t - Y))


def expected_parts(X, t, sigma):
    """Variance, bias² and noise of least squares, by formula (7.11): new labels at the same n points."""
    _points("expected_parts", X[:, 0], t, "t")
    n, d = X.shape
    missed = t - X @ np.linalg.lstsq(X, t, rcond=None)[0]
    return sigma**2 * d / n, np.mean(missed**2), sigma**2


def expected_test_error(X, t, sigma):
    """Their sum (7.11)."""
    return sum(expected_parts(X, t, sigma))


def _points(name, x, y, symbol="y"):
    need_shapes(f"bias_variance.{name}: x (n,)", x)
    if np.shape(y)[-1:] != np.shape(x):
        raise ValueError(
            f"bias_variance.{name}: the last axis of {symbol} must have length n = {len(x)}, got shape {np.shape(y)}"
        )
