"""Logistic regression: probabilities from a straight line.

X is (n, d), w is (d,), b a number, the labels y are 0 or 1 of shape (n,); z = Xw + b, p = σ(z), s = 2y − 1.
Where b is not mentioned it is 0. The loss is a sum over the points.

(12.1)   σ(t) = 1/(1 + e⁻ᵗ),   σ′(t) = σ(t)(1 − σ(t))
(12.2)   P(y|x)  = pʸ(1 − p)¹⁻ʸ = eʸᶻ/(1 + eᶻ)
(12.3)   NLL     = −Σᵢ [yᵢ log pᵢ + (1 − yᵢ) log(1 − pᵢ)] = Σᵢ [log(1 + exp zᵢ) − yᵢzᵢ]
(12.4)   ∇NLL(w) = Xᵀ(p − y)
(12.5)   NLL     = Σᵢ log(1 + exp(−sᵢzᵢ))
(12.6)   H       = Xᵀ diag(v) X,   v = p(1 − p)
(12.7)   w⁺      = w − H⁻¹∇NLL(w)                          Newton's step
(12.8)   w⁺      = argmin Σᵢ vᵢ(uᵢ − xᵢᵀw)²                 with the working response u = z + (y − p)/v
(12.9)   J(w, b) = NLL + ½λ‖w‖²                            the bias b is free
(12.10)  ∂J/∂w   = Xᵀ(p − y) + λw,   ∂J/∂b = Σᵢ (pᵢ − yᵢ)
(12.11)  ‖ŵ‖     ≤ √(2n log 2 / λ)                         so for λ > 0 there is a minimum
(12.12)  ∇(NLL/n) = Xᵀ(p − y)/n                            the gradient of the mean loss
"""

import numpy as np

from mlcore.numerics import need_shapes, sigmoid  # σ (12.1)


def sigmoid_slope(t):
    """σ(t) and σ′(t) (12.1)."""
    e = np.exp(-np.abs(t))
    return sigmoid(t), e / (1 + e) ** 2


def nll(z, y):
    """The negative log-likelihood of the labels y (12.3)."""
    return np.sum(np.logaddexp(0, z) - y * z)


def signed_nll(z, y):
    """The same loss, written with s = ±1 (12.5)."""
    return np.sum(np.logaddexp(0, -(2 * y - 1) * z))


def gradient(w, X, y):
    """∇NLL(w) (12.4): shape (d,)."""
    return X.T @ (sigmoid(X @ w) - y)


def mean_gradient(w, X, y):
    """The gradient of the mean loss (12.12): shape (d,)."""
    return gradient(w, X, y) / len(y)


def hessian(w, X):
    """H (12.6): shape (d, d). The labels do not come in."""
    return _gram(X, sigmoid_slope(X @ w)[1])


def newton_step(w, X, y):
    """Where one Newton step leads from w (12.7): shape (d,)."""
    return w - np.linalg.solve(hessian(w, X), gradient(w, X, y))


def irls_step(w, X, y):
    """The working response u of shape (n,) and the w⁺ that fits it by weighted least squares (12.8)."""
    z = X @ w
    p, v = sigmoid_slope(z)
    u = z + (y - p) / v
    return u, np.linalg.solve(_gram(X, v), X.T @ (v * u))


def objective(w, b, X, y, lam):
    """J(w, b) (12.9)."""
    return nll(X @ w + b, y) + lam / 2 * np.sum(w**2)


def penalised_gradient(w, b, X, y, lam):
    """∂J/∂w of shape (d,) and ∂J/∂b (12.10)."""
    r = sigmoid(X @ w + b) - y
    return X.T @ r + lam * w, np.sum(r)


def descent(X, y, lam, eta, T):
    """The states w₀ = 0, …, w_T of gradient descent on J without a bias."""
    w = np.zeros(X.shape[1])
    yield w
    for _ in range(T):
        w = w - eta * (gradient(w, X, y) + lam * w)
        yield w


def newton(X, y, lam):
    """The states (w, b) of Newton's method on J (12.9), from 0 to the minimum. A step that raises J is halved."""
    _valid("newton", X, y, lam)
    n, d = X.shape
    Z = np.column_stack([X, np.ones(n)])  # the bias is the weight of a column of ones,
    penalty = np.append(np.full(d, float(lam)), 0.0)  # which costs nothing
    w, z = np.zeros(d + 1), np.zeros(n)
    J, p, v = _at(z, y, 0.0)
    for _ in range(100):
        yield w[:d], w[d]
        if lam == 0 and np.all((2 * y - 1) * z > 0):
            raise ValueError("logistic_regression.fit: w separates the classes, so λ = 0 has no minimum; use lam > 0")
        g = Z.T @ (p - y) + penalty * w
        step = np.linalg.solve(_gram(Z, v) + np.diag(penalty), -g)
        along, decrease, t = Z @ step, -g @ step, 1.0
        while (after := _at(z + t * along, y, penalty @ (w + t * step) ** 2))[0] > J + 1e-12 * n:
            t /= 2
        w, z, (J, p, v) = w + t * step, z + t * along, after
        if decrease <= 1e-8 * (1 + J):  # what is left to gain is about its square
            yield w[:d], w[d]
            return
    raise ValueError("logistic_regression.fit: no minimum after 100 Newton steps; use a larger lam")


def fit(X, y, lam):
    """The minimiser (w, b) of J (12.9)."""
    *_, (w, b) = newton(X, y, lam)
    return w, b


def length_bound(n, lam):
    """No minimiser ŵ is longer than this (12.11)."""
    return np.sqrt(2 * n * np.log(2) / lam)


def _at(z, y, squares):
    """J, p and v at z with one exponential; `squares` is λ‖w‖²."""
    size = np.abs(z)
    e = np.exp(-size)
    q = 1 / (1 + e)  # σ(|z|)
    J = np.sum(z + size) / 2 - np.sum(np.log(q)) - y @ z + squares / 2
    return J, np.where(z < 0, e, 1.0) * q, e * q**2


def _gram(X, v):
    """Xᵀ diag(v) X as AᵀA, for which numpy computes one half only."""
    A = np.sqrt(v)[:, None] * X
    return A.T @ A


def _valid(name, X, y, lam):
    need_shapes(f"logistic_regression.{name}: X (n, d), y (n,)", X, y)
    if set(np.unique(y)) != {0, 1}:
        raise ValueError(f"logistic_regression.{name}: y must hold 0 and 1, both, got {np.unique(y)}")
    if lam < 0:
        raise ValueError(f"logistic_regression.{name}: lam must not be negative, got {lam}")
