"""Support vector machines: the line with the widest street between two classes.

X is (n, d), the labels s are −1 or +1 of shape (n,), f(x) = wᵀx + b; C = ∞ is the hard margin.

(15.1)   distance = |wᵀx + b| / ‖w‖
(15.2)   min ½‖w‖²  subject to  sᵢf(xᵢ) ≥ 1                      the margin is 1/‖w‖, the street 2/‖w‖ wide
(15.3)   P(w, b) = ½‖w‖² + C Σᵢ ξᵢ,   ξᵢ = max(0, 1 − sᵢf(xᵢ))
(15.4)   λ = 1/(2C)                                             the same w and b minimise Σᵢ ξᵢ + λ‖w‖²
(15.5)   L = ½‖w‖² + C Σᵢ ξᵢ + Σᵢ αᵢ(1 − ξᵢ − sᵢf(xᵢ)) − Σᵢ μᵢξᵢ
(15.6)   w = Σᵢ αᵢsᵢxᵢ,   Σᵢ αᵢsᵢ = 0,   αᵢ + μᵢ = C              where the derivatives of L vanish
(15.7)   D(α) = Σᵢ αᵢ − ½ Σᵢⱼ αᵢαⱼsᵢsⱼ xᵢᵀxⱼ                     to be maximised: 0 ≤ αᵢ ≤ C, Σᵢ αᵢsᵢ = 0
(15.8)   αᵢ(sᵢf(xᵢ) − 1 + ξᵢ) = 0,   (C − αᵢ)ξᵢ = 0              at the solution
(15.9)   b = mean of sⱼ − wᵀxⱼ                                  over the j with 0 < αⱼ < C
(15.10)  P − D = Σᵢ αᵢ(sᵢf(xᵢ) − 1 + ξᵢ) + Σᵢ (C − αᵢ)ξᵢ         for every α that (15.7) allows
(15.11)  low ≤ b ≤ high                                         what the solution's α leaves open
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from mlcore.numerics import need_shapes


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimal α of shape (n,), and the w and b that follow from it."""

    alpha: np.ndarray
    w: np.ndarray
    b: float


def distance(X, w, b):
    """How far each row of X is from the line wᵀx + b = 0 (15.1): shape (n,)."""
    return np.abs(X @ w + b) / np.linalg.norm(w)


def slacks(w, b, X, s):
    """ξ (15.3): how much each point lacks to sf(x) = 1, shape (n,)."""
    return np.maximum(0, 1 - s * (X @ w + b))


def primal(w, b, X, s, C):
    """P(w, b) (15.3)."""
    return w @ w / 2 + C * np.sum(slacks(w, b, X, s))


def penalty(C):
    """The λ of the hinge loss with the penalty λ‖w‖² (15.4)."""
    return 1 / (2 * C)


def lagrangian(w, b, xi, alpha, mu, X, s, C):
    """L (15.5): P with a price α on each broken constraint and μ on each negative slack."""
    return w @ w / 2 + C * np.sum(xi) + alpha @ (1 - xi - s * (X @ w + b)) - mu @ xi


def weights(alpha, X, s):
    """w (15.6): shape (d,)."""
    return X.T @ (alpha * s)


def dual(alpha, X, s):
    """D(α) (15.7)."""
    w = weights(alpha, X, s)
    return np.sum(alpha) - w @ w / 2


def slackness(alpha, z, C):
    """The two products of (15.8) for z = sf(x), shapes (n,): both are 0 at the solution."""
    xi = np.maximum(0, 1 - z)
    return alpha * (z - 1 + xi), (C - alpha) * xi


def bias(alpha, X, s, C):
    """b (15.9), from the points on the edge of the street; the middle of (15.11) if there are none."""
    return _bias(alpha, s - X @ weights(alpha, X, s), s, C)


def gap(alpha, b, X, s, C):
    """P − D (15.10): 0 at the solution and only there."""
    return primal(weights(alpha, X, s), b, X, s, C) - dual(alpha, X, s)


def bias_interval(alpha, X, s, C):
    """The smallest and the largest b that (15.8) allows (15.11)."""
    return _interval(alpha, s - X @ weights(alpha, X, s), s, C)


def ascend(X, s, C=np.inf):
    """States α of growing D (15.7), from 0 to the maximum."""
    _valid("ascend", X, s, C)
    X = X - X.mean(axis=0)  # Σ αs = 0, so no shift of X changes D
    yield from climb(X @ X.T, s, C)


def climb(K, s, C=np.inf):
    """States α of growing D (15.7), from 0 to the maximum, for the inner products K of shape (n, n), Kᵢⱼ = xᵢᵀxⱼ.

    No α can move alone, for Σ αs = 0. Each step moves a pair: the point that most bounds b from below (15.11), and the
    partner with which D grows most. When pairs of free α have taken as long as a solution for all of them would take,
    all free α move together.
    """
    low, high = np.where(s > 0, 0.0, -C), np.where(s > 0, C, 0.0)  # the bounds of u = αs, and Σ u = 0
    squares = K.diagonal().copy()
    reach = np.max(squares) + 1e-200  # all points may be 0
    flat = 1e-12 * reach
    u, edge = np.zeros(len(s)), np.array(s, dtype=float)  # s − Ku is the slope of D, and the b that puts i on its edge
    up, down, tried = u < high, u > low, 0
    while True:
        yield s * u
        rounding = 1e-14 * (s @ u)
        i = _first_largest(np.where(up, edge, -np.inf), 1e-11 + reach * rounding)
        slope = np.maximum(edge[i] - edge, 0.0)
        slope *= down
        if slope.max() <= 1e-10 + reach * rounding:
            return
        curvature = squares + (squares[i] + flat) - 2 * K[i]  # never 0
        growth = slope * slope / curvature
        j = _first_largest(growth, 1e-9 * growth.max())
        if up[i] and down[i] and up[j] and down[j]:
            tried += 1
            free = np.flatnonzero(up & down)
            if tried * len(s) >= len(free) ** 3:
                new = _move_free(u[free], edge[free], K[np.ix_(free, free)], low[free], high[free], rounding)
                edge -= (new - u[free]) @ K[free]
                u[free] = new
                up, down, tried = u < high, u > low, 0
                continue
        up_i, down_j = high[i] - u[i], u[j] - low[j]
        t = _step(slope[j], curvature[j] - flat, min(up_i, down_j), flat)
        u[i] = high[i] if up_i - t <= rounding else u[i] + t  # a bound is met exactly
        u[j] = low[j] if down_j - t <= rounding else u[j] - t
        up[i], down[i], up[j], down[j] = u[i] < high[i], u[i] > low[i], u[j] < high[j], u[j] > low[j]
        edge -= t * (K[i] - K[j])


def fit(X, s, C=np.inf):
    """The maximum of D, with its w (15.6) and b (15.9); C = ∞ is the hard margin (15.2)."""
    _valid("fit", X, s, C)
    alpha = deque(ascend(X, s, C), maxlen=1).pop()
    return Solution(alpha, weights(alpha, X, s), bias(alpha, X, s, C))


def fit_gram(K, s, C=np.inf):
    """The α of shape (n,) and the b of the solution, for points of which only the inner products K are known."""
    alpha = deque(climb(K, s, C), maxlen=1).pop()
    return alpha, _bias(alpha, s - K @ (alpha * s), s, C)


def _bias(alpha, edge, s, C):
    free = (alpha > 0) & (alpha < C)
    return np.mean(edge[free]) if free.any() else np.mean(_interval(alpha, edge, s, C))


def _interval(alpha, edge, s, C):
    """The bounds on b: (15.8) says sf ≥ 1 if α < C, and sf ≤ 1 if α > 0."""
    from_below, from_above = np.where(s > 0, alpha < C, alpha > 0), np.where(s > 0, alpha > 0, alpha < C)
    return np.max(edge[from_below]), np.min(edge[from_above])


def _first_largest(values, tie):
    """Where the largest value is, or the first one that is less than `tie` below it: rounding decides nothing."""
    return (values >= values.max() - tie).argmax()


def _move_free(u, slope, A, low, high, rounding):
    """To the maximum of D over some free u with the slopes of D and their part A of K, less those that meet a bound."""
    u, who, before = u.copy(), np.arange(len(u)), len(u) + 1
    while 2 <= len(who) < before:
        before = len(who)
        e, B = slope[who], A[who][:, who]
        e -= e.sum() / before  # Σ u = 0: only differences count
        means = B.sum(axis=0) / before
        B -= means + means[:, None] - means.sum() / before
        eigenvalues, V = np.linalg.eigh(B)
        curved = eigenvalues > 1e-11 * eigenvalues[-1]
        along = V[:, curved].T @ e
        step = e - V[:, curved] @ along  # where D has no curvature it only grows
        if np.max(np.abs(step)) <= 1e-10 + 1e-6 * np.max(np.abs(e)):
            step = V[:, curved] @ (along / eigenvalues[curved])
        step -= step.sum() / before
        if not np.any(step):
            break
        bound = np.where(step > 0, high[who], low[who])
        room = np.divide(bound - u[who], step, out=np.full(before, np.inf), where=step != 0)
        t = _step(e @ step, step @ B @ step, np.min(room), 1e-12 * eigenvalues[-1] * (step @ step))
        new = u[who] + t * step
        new = np.where(np.abs(bound - new) <= rounding, bound, new)
        slope = slope - A[:, who] @ (new - u[who])
        u[who], who = new, who[new != bound]
    return u


def _step(slope, curvature, room, flat):
    """The t within `room` with the largest t·slope − t²·curvature/2."""
    if room == np.inf and curvature <= flat:
        raise ValueError("svm.fit: no line separates the classes; the hard margin C = ∞ has no solution")
    return min(slope / curvature, room) if curvature > 0 else room


def _valid(name, X, s, C):
    need_shapes(f"svm.{name}: X (n, d), s (n,)", X, s)
    if set(np.unique(s)) != {-1, 1}:
        raise ValueError(f"svm.{name}: s must hold −1 and +1, both, got {np.unique(s)}")
    if not C > 0:
        raise ValueError(f"svm.{name}: C must be greater than 0, got {C}")
