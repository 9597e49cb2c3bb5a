"""The lasso and robust regression: what an absolute value does as a penalty, and what it does as a loss.

X is (n, d) with rows xᵢᵀ and columns xⱼ, y is (n,), w is (d,); the loss is a sum over the points.

(6.1)   J(w)  = ‖Xw − y‖² + λ‖w‖₁
(6.2)   f′(v) = 2‖x‖²v − 2xᵀr + λ sign v             f(v) = ‖r − xv‖² + λ|v|, v ≠ 0
(6.3)   S(z, k) = sign(z) max(|z| − k, 0)            argmin (v − z)² + λ|v| = S(z, λ/2)
(6.4)   wⱼ    ← S(xⱼᵀr, λ/2)/‖xⱼ‖²                   r = y − Σ_{k≠j} xₖwₖ
(6.5)   2xⱼᵀ(y − Xŵ) = λ sign ŵⱼ where ŵⱼ ≠ 0, and between −λ and λ where ŵⱼ = 0
(6.6)   λ_max = 2 maxⱼ |xⱼᵀy|                        ŵ = 0 from here on
(6.7)   λ     = 2σ²/τ                                y|w ~ N(Xw, σ²I), wⱼ ~ Laplace(0, τ)
(6.8)   A(w)  = ‖Xw − y‖₁
(6.9)   ĉ     = median(y)                            minimises Σᵢ|yᵢ − c|
(6.10)  |a|   = min ½(a²/μ + μ) over μ > 0           reached at μ = |a|
(6.11)  w     ← (XᵀDX)⁻¹XᵀDy                         D = diag(1/μᵢ), μᵢ = |xᵢᵀw − yᵢ|
"""

from contextlib import suppress

import numpy as np

from mlcore.numerics import need_shapes

FLOOR = 1e-9  # the smallest μ: a point on the line has residual 0, and 1/0 is no weight


def objective(w, X, y, lam):
    """J(w) (6.1)."""
    return np.sum((X @ w - y) ** 2) + lam * np.sum(np.abs(w))


def slope(v, x, r, lam):
    """f′(v) (6.2) for v ≠ 0: one weight v, its column x, and what the other weights leave of y."""
    return 2 * (x @ x) * v - 2 * x @ r + lam * np.sign(v)


def soft_threshold(z, k):
    """S(z, k) (6.3): k towards zero, and no further."""
    return np.sign(z) * np.maximum(np.abs(z) - k, 0)


def sweep(w, X, y, lam):
    """The step (6.4) for every weight in turn, each with the newest values of the others: shape (d,)."""
    w, r = np.array(w, dtype=float), y - X @ w
    for j, x in enumerate(X.T):
        r += x * w[j]
        w[j] = soft_threshold(x @ r, lam / 2) / (x @ x)
        r -= x * w[j]
    return w


def coordinate_descent(X, y, lam, w=0.0):
    """Sweeps without end: yields w, then w after each sweep."""
    need_shapes("lasso.coordinate_descent: X (n, d), y (n,)", X, y)
    w = np.array(np.broadcast_to(w, X.shape[1]), dtype=float)
    while True:
        yield w
        w = sweep(w, X, y, lam)


def fit(X, y, lam, w=0.0):
    """The minimiser of J (6.1), by coordinate descent from w: shape (d,)."""
    need_shapes("lasso.fit: X (n, d), y (n,)", X, y)
    return _settled(_shortened(X.T @ X, X.T @ y, lam, np.full(X.shape[1], w, dtype=float)))


def path(X, y, lams):
    """ŵ(λ) for many λ, each started from the one before it: shape (len(lams), d)."""
    need_shapes("lasso.path: X (n, d), y (n,)", X, y)
    G, c = X.T @ X, X.T @ y
    W = np.zeros((len(lams), X.shape[1]))
    for i, lam in enumerate(lams):
        W[i] = _settled(_shortened(G, c, lam, W[max(i - 1, 0)]))
    return W


def violation(w, X, y, lam):
    """By how much w fails (6.5): 0 at the minimiser."""
    pull = 2 * X.T @ (y - X @ w)
    return np.max(np.where(w != 0, np.abs(pull - lam * np.sign(w)), np.maximum(np.abs(pull) - lam, 0)))


def lambda_max(X, y):
    """The smallest λ at which all weights are 0 (6.6)."""
    need_shapes("lasso.lambda_max: X (n, d), y (n,)", X, y)
    return 2 * np.max(np.abs(X.T @ y))


def laplace_penalty(sigma, tau):
    """The λ whose lasso solution is the most probable w under a Laplace prior (6.7)."""
    return 2 * sigma**2 / tau


def absolute_loss(w, X, y):
    """A(w) (6.8)."""
    return np.sum(np.abs(X @ w - y))


def best_constant(y):
    """The c with the smallest Σ|yᵢ − c| (6.9)."""
    return np.median(y)


def best_mu(a):
    """The μ > 0 that minimises ½(a²/μ + μ) (6.10)."""
    return np.abs(a)


def reweighted_step(w, X, y):
    """Least squares with the weights 1/μᵢ that belong to w (6.11): shape (d,)."""
    mu = np.maximum(best_mu(X @ w - y), FLOOR)
    return np.linalg.solve(X.T @ (X / mu[:, None]), X.T @ (y / mu))


def reweighting(X, y):
    """Steps (6.11) without end: yields the least squares solution, then w after each step."""
    need_shapes("lasso.reweighting: X (n, d), y (n,)", X, y)
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    while True:
        yield w
        w = reweighted_step(w, X, y)


def fit_robust(X, y):
    """The minimiser of A (6.8), by reweighting: shape (d,)."""
    return _settled(reweighting(X, y))


def _shortened(G, c, lam, w):
    """Coordinate descent (6.4) with G = XᵀX and c = Xᵀy, and the way cut short.

    With the signs of the minimiser, (6.5) is a linear equation for the weights that are not 0. After each sweep it is
    solved with the signs of w: if the solution has them too, and the rest of (6.5) holds, it is the minimiser.
    """
    w, pull = w.copy(), c - G @ w  # pull = Xᵀ(y − Xw)
    squares, k = np.diag(G).tolist(), lam / 2
    while True:
        yield w.copy()
        for j, square in enumerate(squares):
            z = pull.item(j) + square * w.item(j)
            new = (z - k if z > k else z + k if z < -k else 0.0) / square  # (6.3) for one number
            if new != w[j]:
                pull -= G[j] * (new - w[j])
                w[j] = new
        on, exact = np.flatnonzero(w), w.copy()
        with suppress(np.linalg.LinAlgError):  # equal columns: many minimisers, and the sweeps find one
            exact[on] += np.linalg.solve(G[np.ix_(on, on)], pull[on] - k * np.sign(w[on]))
        left = np.abs(c - G @ exact)
        if np.all(np.sign(exact) == np.sign(w)) and np.all(left <= k + 1e-12 * np.max(np.abs(c))):
            yield exact
            yield exact
            return


def _settled(states, tol=1e-12, most=20_000):
    """The first state that the next one repeats."""
    w = next(states)
    for _, following in zip(range(most), states, strict=False):
        if np.max(np.abs(following - w)) <= tol * np.max(np.abs(following)):
            return following
        w = following
    return w
