"""Gradient descent: how long a step downhill may be, and what steps other than −η∇f there are.

f is the function to be made small, w of shape (d,). On quadratics f(w) = ½wᵀAw − cᵀw: A is (d, d),
symmetric and positive definite, c is (d,), λ are A's eigenvalues and w* = A⁻¹c is the minimum.

(10.1)   wₜ₊₁      = wₜ − η∇f(wₜ)
(10.2)   η         = 1/(2a)                             reaches the minimum of aw² + bw in one step
(10.3)   f(w − ηg) ≤ f(w) − (η − ½Mη²)‖g‖²              g = ∇f(w), no eigenvalue of the Hessian exceeds M
(10.4)   η         < 2/M,  M = 2λmax(XᵀX)               the loss ‖Xw − y‖² falls in every step
(10.5)   wₜ        = w* + (1 − ηλ)ᵗ(w₀ − w*)            entry by entry, for A = diag(λ)
(10.6)   ρ         = maxⱼ |1 − ηλⱼ|                     the error's factor in its slowest direction
(10.7)   η         = 2/(λmin + λmax)                    the smallest ρ = (κ − 1)/(κ + 1), κ = λmax/λmin
(10.8)   wⱼ        ← (cⱼ − Σₖ≠ⱼ Aⱼₖwₖ)/Aⱼⱼ              one coordinate after the other
(10.9)   (D + L)w⁺ = c − Uw                             one sweep, A = D + L + U: diagonal, below, above
(10.10)  w⁺        = w − H⁻¹∇f(w)                       Newton's step to a minimum
(10.11)  x⁺        = x − f(x)/f′(x)                     Newton's step to a root
"""

import numpy as np

from mlcore.numerics import need_shapes


def descent(gradient, w, eta, T):
    """The states w₀, …, w_T of gradient descent (10.1)."""
    yield w
    for _ in range(T):
        w = w - eta * gradient(w)
        yield w


def best_step(a, b):
    """The η that reaches the minimum of aw² + bw in one step from everywhere (10.2): b does not matter."""
    return 1 / (2 * a)


def guaranteed_decrease(eta, M, g):
    """What a step takes off f at least (10.3)."""
    return (eta - M * eta**2 / 2) * np.sum(g**2)


def gradient(w, X, y):
    """The gradient of ‖Xw − y‖²: shape (d,)."""
    need_shapes("gradient_descent.gradient: X (n, d), y (n,)", X, y)
    return 2 * X.T @ (X @ w - y)


def hessian(X):
    """The Hessian of ‖Xw − y‖²: shape (d, d)."""
    return 2 * X.T @ X


def stable_step(X):
    """The η below which the loss ‖Xw − y‖² falls in every step (10.4)."""
    return 2 / np.linalg.eigvalsh(hessian(X))[-1]


def after(w, lams, c, eta, t):
    """Where t steps on ½wᵀ diag(λ) w − cᵀw lead, without taking them (10.5): shape (d,)."""
    minimum = c / lams
    return minimum + (1 - eta * lams) ** t * (w - minimum)


def contraction(A, eta):
    """ρ (10.6): below 1 the descent converges."""
    return np.max(np.abs(1 - eta * np.linalg.eigvalsh(A)))


def fastest_step(A):
    """The η with the smallest ρ (10.7)."""
    lams = np.linalg.eigvalsh(A)
    return 2 / (lams[0] + lams[-1])


def coordinate_descent(A, c, w, T):
    """The states w₀, …, w_T of steps along one coordinate after the other, each to its own minimum (10.8)."""
    yield w
    for t in range(T):
        j = t % len(w)
        w = w.copy()
        w[j] += (c[j] - A[j] @ w) / A[j, j]
        yield w


def sweep(w, A, c):
    """One step along every coordinate, the first one first (10.9): shape (d,)."""
    return np.linalg.solve(np.tril(A), c - np.triu(A, 1) @ w)


def newton(gradient, hessian, w, T):
    """The states w₀, …, w_T of Newton's method (10.10)."""
    yield w
    for _ in range(T):
        w = w - np.linalg.solve(hessian(w), gradient(w))
        yield w


def newton_root(f, slope, x, T):
    """The states x₀, …, x_T on the way to a root of f (10.11)."""
    yield x
    for _ in range(T):
        x = x - f(x) / slope(x)
        yield x
