"""Stochastic gradient descent: steps along a gradient that is right only on average.

θ is the unknown mean of the draws y_t, which are independent with mean θ* and variance σ². The start θ₀ is independent
of them, with bias b₀ = Eθ₀ − θ* and variance σ₀². X is (n, d), y is (n,), a batch B holds m of the n row numbers.

(11.1)   w_{t+1}  = w_t − η_t g_t                              E[g_t | w_t] = ∇L(w_t)
(11.2)   θ_{t+1}  = (1 − η_t)θ_t + η_t y_t                     L(θ) = ½E(θ − y)², g_t = θ_t − y_t
(11.3)   θ_t      = (θ₀ + y₀ + … + y_{t−1})/(t + 1)            η_t = 1/(t + 2)
(11.4)   bias     = b₀/(t + 1), Var = (σ₀² + tσ²)/(t + 1)²     η_t = 1/(t + 2)
(11.5)   MSE      = (tσ² + σ₀² + b₀²)/(t + 1)²                 η_t = 1/(t + 2)
(11.6)   θ_t      = (1 − c)ᵗθ₀ + Σ_{i<t} c(1 − c)ⁱ y_{t−1−i}   η_t = c
(11.7)   b_{t+1}  = (1 − η_t)b_t, V_{t+1} = (1 − η_t)²V_t + η_t²σ²
(11.8)   bias     = (1 − c)ᵗb₀,
         Var      = (1 − c)²ᵗσ₀² + c²σ²(1 − (1 − c)²ᵗ)/(1 − (1 − c)²)
(11.9)   Var      → cσ²/(2 − c)                                η_t = c, t → ∞
(11.10)  η_t      = c, c/(1 + ct) or c/√(1 + t)                η₀ = c in all three
(11.11)  bias     = b₀(t + 2)/(2(t + 1))                       η_t = 1/(t + 2)²
(11.12)  g        = (2/m) Σ_{i∈B} xᵢ(xᵢᵀw − yᵢ)                L(w) = ‖Xw − y‖²/n
(11.13)  Var v̄_B  = s²/m with replacement, (s²/m)(n − m)/(n − 1) without; s² = (1/n) Σᵢ(vᵢ − v̄)²
"""

import numpy as np


def sgd(w, gradient, etas, rng):
    """The states w₀, w₁, … (11.1). `gradient(w, rng)` is random and has the shape of w: many runs are rows of w."""
    yield w
    for eta in etas:
        w = w - eta * gradient(w, rng)
        yield w


def track(theta, draws, etas):
    """The states θ₀, θ₁, … for given draws y₀, y₁, … (11.2): a number each, or one for each of many runs."""
    yield theta
    for y, eta in zip(draws, etas, strict=True):
        theta = (1 - eta) * theta + eta * y
        yield theta


def running_average(theta0, y):
    """θ_t after the t = len(y) steps 1/2, 1/3, … (11.3)."""
    return (theta0 + np.sum(y, axis=0)) / (len(y) + 1)


def decaying_parts(t, b0, sigma0, sigma):
    """Bias and variance of θ_t for η_t = 1/(t + 2) (11.4)."""
    return b0 / (t + 1), (sigma0**2 + t * sigma**2) / (t + 1) ** 2


def decaying_mse(t, b0, sigma0, sigma):
    """E(θ_t − θ*)² for η_t = 1/(t + 2) (11.5)."""
    return (t * sigma**2 + sigma0**2 + b0**2) / (t + 1) ** 2


def forgetting_weights(c, t):
    """The weights of y_{t−1}, y_{t−2}, …, y₀ in θ_t for a constant step (11.6): shape (t,)."""
    return c * (1 - c) ** np.arange(t)


def parts(etas, b0, sigma0, sigma):
    """Bias and variance of θ₀, θ₁, … for any steps (11.7): two arrays of shape (len(etas) + 1,)."""
    bias, variance = [b0], [sigma0**2]
    for eta in etas:
        bias.append((1 - eta) * bias[-1])
        variance.append((1 - eta) ** 2 * variance[-1] + eta**2 * sigma**2)
    return np.array(bias), np.array(variance)


def constant_parts(c, t, b0, sigma0, sigma):
    """Bias and variance of θ_t for η_t = c (11.8)."""
    a = (1 - c) ** 2
    return (1 - c) ** t * b0, a**t * sigma0**2 + c**2 * sigma**2 * (1 - a**t) / (1 - a)


def noise_floor(c, sigma):
    """What is left of the variance after many steps c (11.9)."""
    return c * sigma**2 / (2 - c)


def schedule(name, c, steps):
    """The first steps of a schedule that begins with c (11.10): shape (steps,)."""
    t = np.arange(steps)
    schedules = {"constant": np.full(steps, c), "1/t": c / (1 + c * t), "1/√t": c / np.sqrt(1 + t)}
    if name not in schedules:
        raise ValueError(f"stochastic_gradient.schedule: name must be one of {', '.join(schedules)}; got {name!r}")
    return schedules[name]


def stuck_bias(t, b0):
    """The bias of θ_t for η_t = 1/(t + 2)² (11.11): it never falls below b₀/2."""
    return b0 * (t + 2) / (2 * (t + 1))


def minibatch_gradient(w, X, y, batch):
    """The gradient of the mean squared error on a batch (11.12): shape (d,).

    For r runs at once w is (r, d), batch is (r, m), and the result (r, d).
    """
    if np.ndim(X) != 2 or np.shape(y) != (X.shape[0],):
        raise ValueError(
            f"stochastic_gradient.minibatch_gradient: X must have shape (n, d) and y shape (n,), "
            f"got {np.shape(X)} and {np.shape(y)}"
        )
    residual = np.einsum("...md,...d->...m", X[batch], w) - y[batch]
    return 2 * np.einsum("...md,...m->...d", X[batch], residual) / np.shape(batch)[-1]


def batch_variance(v, m, replacement=False):
    """The variance of the mean of m of the n numbers v (11.13), drawn without replacement or with it."""
    n = len(v)
    if not 1 <= m <= n:
        raise ValueError(f"stochastic_gradient.batch_variance: m must be from 1 to n = {n}, got {m}")
    return np.var(v) / m * (1 if replacement else (n - m) / (n - 1))
