"""Surrogate losses: what we minimise in place of the number of mistakes.

X is (n, d), the labels s are −1 or +1 of shape (n,), f(x) = wᵀx + b is the score and sign f(x) the prediction.

(14.1)   z = s·f(x)                                   positive if the point is classified rightly
(14.2)   L₀₁ = Σᵢ I(zᵢ ≤ 0)                           the number of mistakes; for f(x) = x − b a function of b
(14.3)   max(0, 1 − z),  log₂(1 + e⁻ᶻ),  e⁻ᶻ          hinge, logistic and exponential loss: none is below I(z ≤ 0)
(14.4)   Γₐ(z) = a log(1 + exp((1 − z)/a))            tends to the hinge as a → 0
(14.5)   Γₐ(z) − max(0, 1 − z) = a log(1 + exp(−|1 − z|/a))
(14.6)   max over z of (14.5) = a log 2
(14.7)   1/(1 + eᶻ)                                   the sigmoid loss: bounded, and not convex
(14.8)   −φ′(z)                                       how hard a point with margin z pulls, for each loss φ
(14.9)   −Σᵢ I(zᵢ < 1) sᵢ(xᵢ, 1)                      a subgradient of Σᵢ max(0, 1 − zᵢ) in (w, b)
(14.10)  w ← w + s x  if  s wᵀx ≤ 0                   the perceptron, without a bias
(14.11)  R = max ‖xᵢ‖,   γ = min sᵢuᵀxᵢ/‖u‖           for a direction u that separates the classes
(14.12)  number of mistakes ≤ (R/γ)²
"""

import numpy as np

from mlcore.numerics import need_shapes, sigmoid


def margins(w, b, X, s):
    """z (14.1): shape (n,)."""
    return s * (X @ w + b)


def boundary_mistakes(b, x, s):
    """L₀₁ of sign(x − b) (14.2), for points x and labels s of shape (n,): a whole number."""
    return np.sum(s * (x - b) <= 0)


def zero_one(z):
    """I(z ≤ 0) (14.2): a score of 0 decides nothing and counts as a mistake."""
    return np.where(np.asarray(z) <= 0, 1.0, 0.0)


def hinge(z):
    """max(0, 1 − z) (14.3)."""
    return np.maximum(0, 1 - z)


def logistic(z):
    """log₂(1 + e⁻ᶻ) (14.3), for any z without overflow."""
    return np.logaddexp(0, -z) / np.log(2)


def exponential(z):
    """e⁻ᶻ (14.3)."""
    return np.exp(-z)


def four_losses(z):
    """Zero-one (14.2), hinge, logistic and exponential loss (14.3): four arrays of the shape of z."""
    return zero_one(z), hinge(z), logistic(z), exponential(z)


def soft_hinge(z, a):
    """Γₐ(z) (14.4), for any a > 0 without overflow."""
    return a * np.logaddexp(0, (1 - z) / a)


def soft_hinge_gap(z, a):
    """Γₐ(z) − max(0, 1 − z) (14.5)."""
    return a * np.log1p(np.exp(-np.abs(1 - z) / a))


def largest_gap(a):
    """The largest of (14.5) over all z (14.6)."""
    return a * np.log(2)


def sigmoid_loss(z):
    """1/(1 + eᶻ) (14.7), for any z without overflow."""
    return sigmoid(-z)


def pulls(z):
    """−φ′(z) (14.8) of the hinge, logistic, exponential and sigmoid loss; for the hinge at z = 1 it is 0."""
    p = sigmoid_loss(z)
    return np.where(np.asarray(z) < 1, 1.0, 0.0), p / np.log(2), np.exp(-z), p * (1 - p)


def hinge_subgradient(w, b, X, s):
    """(14.9): a tuple of shape (d,) for w and a number for b."""
    need_shapes("surrogate_losses.hinge_subgradient: X (n, d), s (n,)", X, s)
    active = np.where(margins(w, b, X, s) < 1, s, 0.0)
    return -X.T @ active, -np.sum(active)


def perceptron_step(w, x, s):
    """One point x with label s (14.10): the new w, of shape (d,)."""
    return w + s * x if s * (w @ x) <= 0 else w


def perceptron_pass(w, X, s):
    """(14.10) for every row of X in order: the last w, and how many of the steps were mistakes."""
    need_shapes("surrogate_losses.perceptron_pass: X (n, d), s (n,)", X, s)
    mistakes = 0
    for x, label in zip(X, s, strict=True):
        if label * (w @ x) <= 0:
            w, mistakes = w + label * x, mistakes + 1
    return w, mistakes


def perceptron(X, s):
    """States w, from 0, one after each mistake (14.10), round after round until one has none.

    Between two mistakes w does not change, so 256 rows are looked at in one product.
    """
    need_shapes("surrogate_losses.perceptron: X (n, d), s (n,)", X, s)
    Z = s[:, None] * X
    w = np.zeros(Z.shape[1])
    yield w
    at = clean = 0
    while clean < len(Z):
        rows = Z[at : at + 256]
        wrong = rows @ w <= 0
        if wrong.any():
            first = wrong.argmax()
            w, seen, clean = w + rows[first], first + 1, 0
            yield w
        else:
            seen, clean = len(rows), clean + len(rows)
        at = (at + seen) % len(Z)


def mistake_bound(X, s, u):
    """(R/γ)² (14.12) with R and γ of (14.11); u separates the classes, of any length."""
    need_shapes("surrogate_losses.mistake_bound: X (n, d), s (n,)", X, s)
    gamma = np.min(s * (X @ u)) / np.linalg.norm(u)
    if not gamma > 0:
        raise ValueError(f"surrogate_losses.mistake_bound: u must separate the classes, got a margin of {gamma:.3g}")
    return np.max(np.sum(X**2, axis=1)) / gamma**2
