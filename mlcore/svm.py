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

from dataclasses import dataclass

import numpy as np


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
    free = (alpha > 0) & (alpha < C)
    if not free.any():
        return np.mean(bias_interval(alpha, X, s, C))
    return np.mean((s - X @ weights(alpha, X, s))[free])


def gap(alpha, b, X, s, C):
    """P − D (15.10): 0 at the solution and only there."""
    return primal(weights(alpha, X, s), b, X, s, C) - dual(alpha, X, s)


def bias_interval(alpha, X, s, C):
    """The smallest and the largest b that (15.8) allows (15.11)."""
    edge = s - X @ weights(alpha, X, s)  # the b that puts a point on the edge of its side
    from_below, from_above = _bounds(alpha, s, C)
    return np.max(edge[from_below]), np.min(edge[from_above])


def ascend(X, s, C=np.inf):
    """States α of growing D (15.7), from 0 to the maximum.

    No α can move alone, for Σ αs = 0. Each step moves the pair that most contradicts (15.11), as far as D grows,
    and then all free α together to the best place between their bounds.
    """
    _valid("ascend", X, s, C)
    X = X - X.mean(axis=0)  # Σ αs = 0, so no shift of X changes D
    reach = np.max(np.sum(X**2, axis=1))
    alpha = np.zeros(len(s))
    while True:
        yield alpha
        edge = s - X @ weights(alpha, X, s)
        from_below, from_above = _bounds(alpha, s, C)
        i = np.argmax(np.where(from_below, edge, -np.inf))
        j = np.argmin(np.where(from_above, edge, np.inf))
        if edge[i] - edge[j] <= 1e-10 + 1e-14 * reach * np.sum(alpha):  # what rounding leaves
            return
        alpha = _move_pair(alpha, i, j, edge[i] - edge[j], X, s, C)
        alpha = _move_free(alpha, X, s, C)


def fit(X, s, C=np.inf):
    """The maximum of D, with its w (15.6) and b (15.9); C = ∞ is the hard margin (15.2)."""
    _valid("fit", X, s, C)
    *_, alpha = ascend(X, s, C)
    return Solution(alpha, weights(alpha, X, s), bias(alpha, X, s, C))


def _bounds(alpha, s, C):
    """Which points bound b from below, and which from above: (15.8) says sf ≥ 1 if α < C, and sf ≤ 1 if α > 0."""
    return np.where(s > 0, alpha < C, alpha > 0), np.where(s > 0, alpha > 0, alpha < C)


def _move_pair(alpha, i, j, slope, X, s, C):
    """αᵢ + sᵢt and αⱼ − sⱼt with the best t: D grows by t·slope − t²‖xᵢ − xⱼ‖²/2."""
    curvature = np.sum((X[i] - X[j]) ** 2)
    return _walk(alpha, np.array([i, j]), np.array([s[i], -s[j]]), slope / curvature if curvature else np.inf, C)


def _move_free(alpha, X, s, C):
    """To the maximum of D over the free α, less those that meet a bound on the way there."""
    before = len(s) + 1
    while 2 <= len(free := np.flatnonzero((alpha > 0) & (alpha < C))) < before:
        before = len(free)
        Z = s[free, None] * X[free]
        A = np.zeros((before + 1, before + 1))  # the slopes of D, and Σ αs = 0 with b as its multiplier
        A[:-1, :-1], A[-1, :-1], A[:-1, -1] = Z @ Z.T, s[free], s[free]
        slope = np.append(1 - Z @ weights(alpha, X, s), 0)
        best = np.linalg.lstsq(A, slope, rcond=1e-11)[0]
        left = slope - A @ best  # not 0 where D has a direction without curvature: along it D only grows
        if np.abs(left).max() > 1e-9:
            alpha = _walk(alpha, free, left[:-1], np.inf, C)
        else:
            alpha = _walk(alpha, free, best[:-1], 1.0, C)
    return alpha


def _walk(alpha, who, step, t, C):
    """α with t·step added to the entries `who`, or as much of it as the bounds 0 and C allow."""
    start = alpha[who]
    with np.errstate(divide="ignore"):
        room = np.where(step > 0, C - start, start) / np.abs(step)
    t = min(t, room.min())
    if t == np.inf:
        raise ValueError("svm.fit: no line separates the classes; the hard margin C = ∞ has no solution")
    end = start + t * step
    end[(end < 1e-12 * start.max()) | (room <= t) & (step < 0)] = 0.0  # a bound is met exactly, whatever the rounding
    end[(end > (1 - 1e-12) * C) | (room <= t) & (step > 0)] = C
    moved = alpha.copy()
    moved[who] = end
    return moved


def _valid(name, X, s, C):
    if np.ndim(X) != 2:
        raise ValueError(f"svm.{name}: X must have shape (n, d), got {np.shape(X)}")
    if np.shape(s) != (len(X),):
        raise ValueError(f"svm.{name}: s must have shape (n,) = ({len(X)},), got {np.shape(s)}")
    if set(np.unique(s)) != {-1, 1}:
        raise ValueError(f"svm.{name}: s must hold −1 and +1, both, got {np.unique(s)}")
    if not C > 0:
        raise ValueError(f"svm.{name}: C must be greater than 0, got {C}")
