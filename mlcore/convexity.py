"""Convexity: when the bottom that we reach is the bottom there is.

u and v are two points, θ ∈ [0, 1] walks from u to v. X is (n, d), y is (n,), w is (d,).

(9.1)   f((1−θ)u + θv) ≤ (1−θ)f(u) + θf(v)                       the chord is not below f
(9.2)   f(v) ≥ f(u) + ∇f(u)ᵀ(v − u)                              the tangent is not above f
(9.3)   (1−θ)L(u) + θL(v) − L((1−θ)u + θv) = θ(1−θ)‖X(u − v)‖²   L(w) = ‖Xw − y‖²
(9.4)   f″(t) = σ(t)(1 − σ(t))                                   f(t) = log(1 + eᵗ)
(9.5)   f″(t) = (t² − 1)exp(−t²/2)                               f(t) = exp(−t²/2)
(9.6)   ∇²f(z) = diag(p) − ppᵀ                                   f(z) = log Σₖ exp(zₖ), p = exp(z − f(z))
(9.7)   f(v) ≥ f(u) + ∇f(u)ᵀ(v − u) + ½m‖v − u‖²                 strong convexity
(9.8)   m = 2λ_min(XᵀX) + 2λ                                     f(w) = ‖Xw − y‖² + λ‖w‖²
(9.9)   L(w) = Σᵢ (σ(xᵢ − w₁) + σ(xᵢ − w₂) − yᵢ)²                a network of two neurons: not convex
(9.10)  ‖x‖ₚ = (Σⱼ|xⱼ|ᵖ)^(1/p)                                   its balls are convex for p ≥ 1 only
(9.11)  x* = min(max(c, l), h)                                   the minimiser of (x − c)² on [l, h]
(9.12)  ∇f(x*)ᵀ(z − x*) ≥ 0 for all z of the set                 x* minimises f there
"""

import numpy as np

from mlcore.numerics import log_sum_exp, need_shapes, sigmoid


def chord_gap(f, u, v, theta):
    """How far the chord is above f at (1−θ)u + θv: never negative if f is convex (9.1)."""
    return (1 - theta) * f(u) + theta * f(v) - f((1 - theta) * u + theta * v)


def tangent_gap(f, slope, u, v, m=0.0):
    """On a line: how far f(v) is above the tangent at u (9.2), or above the parabola of curvature m on it (9.7)."""
    return f(v) - f(u) - slope(u) * (v - u) - m / 2 * (v - u) ** 2


def squares_gap(u, v, theta, X):
    """The chord gap of ‖Xw − y‖², the same for every y (9.3)."""
    return theta * (1 - theta) * np.sum((X @ (u - v)) ** 2)


def softplus(t):
    """log(1 + eᵗ)."""
    return np.logaddexp(0, t)


def softplus_curvature(t):
    """The second derivative of log(1 + eᵗ) (9.4)."""
    return sigmoid(t) * (1 - sigmoid(t))


def bell_curvature(t):
    """The second derivative of exp(−t²/2) (9.5), and the r such that the bell is concave for |t| ≤ r."""
    return (t**2 - 1) * np.exp(-(t**2) / 2), 1.0


def log_sum_exp_hessian(z):
    """∇² of log Σₖ exp(zₖ) (9.6): shape (K, K)."""
    p = np.exp(z - log_sum_exp(z))
    return np.diag(p) - np.outer(p, p)


def strong_constant(X, lam=0.0):
    """The largest m for which ‖Xw − y‖² + λ‖w‖² satisfies (9.7), equation (9.8)."""
    need_shapes("convexity.strong_constant: X (n, d)", X)
    return 2 * np.linalg.eigvalsh(X.T @ X)[0] + 2 * lam


def network_loss(w, x, y):
    """The squared loss of the network σ(x − w₁) + σ(x − w₂) (9.9)."""
    return np.sum((sigmoid(x - w[0]) + sigmoid(x - w[1]) - y) ** 2)


def network_data():
    """Nine points on which the network with w = (−2, 2) is exact: x and y of shape (9,)."""
    x = np.linspace(-4, 4, 9)
    return x, sigmoid(x + 2) + sigmoid(x - 2)


def p_norm(x, p):
    """‖x‖ₚ over the last axis (9.10); a norm only for p ≥ 1."""
    return np.sum(np.abs(x) ** p, axis=-1) ** (1 / p)


def box_minimiser(c, low, high):
    """The minimiser of (x − c)² on [low, high] (9.11)."""
    return np.clip(c, low, high)


def box_certificate(g, x, low, high):
    """The smallest gᵀ(z − x) over the z of a box (9.12): 0 at a minimiser, where g = ∇f(x), else negative."""
    return np.sum(np.minimum(g * (low - x), g * (high - x)))
