"""Ensembles: many learners that are wrong in different places.

X is (n, d), y holds classes 0, 1, …; s holds −1 and +1. A learner is a function, learn(X, y), that returns a model.

(18.1)   Var f̄   = ρσ² + (1 − ρ)σ²/k                    k learners of variance σ² and correlation ρ
(18.2)   P(left out) = (1 − 1/n)ⁿ → 1/e                 n draws with replacement from n points
(18.3)   f_oob(xᵢ) = the vote of the learners b with i ∉ bag b
(18.4)   E[features seen] = d(1 − (1 − m/d)ᴺ)           m of d features for each of N splits
(18.5)   ε       = Σᵢ Pᵢ [h(xᵢ) ≠ sᵢ]                   the weighted error, Σᵢ Pᵢ = 1
(18.6)   Z(α)    = Σᵢ Pᵢ exp(−α sᵢh(xᵢ)) = (1 − ε)e^(−α) + εe^α
(18.7)   α       = ½ ln((1 − ε)/ε)                      the minimiser of Z
(18.8)   Pᵢ      ← Pᵢ exp(−α sᵢh(xᵢ))/Z
(18.9)   Z       = 2√(ε(1 − ε))                         at the minimum
(18.10)  training error ≤ 1/n Σᵢ exp(−sᵢF(xᵢ)) = Πₜ Zₜ   F = Σₜ αₜhₜ
(18.11)  zᵢⱼ     = fⱼ(xᵢ), fⱼ learnt without the fold of i
(18.12)  P(the vote is wrong) = Σ_{j > k/2} C(k, j) pʲ(1 − p)ᵏ⁻ʲ   k independent learners of error p, k odd
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from mlcore.numerics import need_shapes


@dataclass(frozen=True, eq=False)
class Round:
    """One round of boosting: h(x) = sign if xⱼ > t, else −sign, chosen under the weights P."""

    feature: int
    threshold: float
    sign: int
    eps: float
    alpha: float
    P: np.ndarray


def average_variance(rho, sigma, k):
    """The variance of a mean of k correlated learners (18.1)."""
    return rho * sigma**2 + (1 - rho) * sigma**2 / k


def left_out(n):
    """The probability that a point is not in a bootstrap sample (18.2)."""
    return (1 - 1 / n) ** n


def bag(learn, X, y, k, rng):
    """Bootstrap samples and what is learnt from them: yields k times (how often each point was drawn, model)."""
    n = len(X)
    for _ in range(k):
        rows = rng.integers(n, size=n)
        yield np.bincount(rows, minlength=n), learn(X[rows], y[rows])


def vote(labels, counted=True):
    """The most frequent of the labels, shape (k, n), for each point: (n,). `counted` says which labels count."""
    labels = np.asarray(labels)
    counted = np.broadcast_to(counted, labels.shape)
    K, n = labels.max() + 1, labels.shape[1]
    places = (np.arange(n) * K + labels)[counted]
    return np.argmax(np.bincount(places, minlength=n * K).reshape(n, K), axis=1)


def oob_error(labels, bags, y):
    """The error of the out-of-bag vote (18.3); labels and bags are (k, n), bags counts how often a point was drawn.

    Points that every learner has seen are left out of the mean.
    """
    out = np.asarray(bags) == 0
    judged = out.any(axis=0)
    if not judged.any():
        raise ValueError("ensembles.oob_error: every learner has seen every point, bags has no 0")
    return np.mean((vote(labels, out) != y)[judged])


def features_seen(d, m, N):
    """How many of d features are offered to a tree with N splits, on average (18.4)."""
    return d * (1 - (1 - m / d) ** N)


def weighted_error(P, s, h):
    """ε (18.5)."""
    return np.sum(P[h != s])


def stump(x, s, P):
    """The threshold, the sign and the weighted error (18.5) of the best h(x) = sign if x > t, else −sign."""
    order, usable = _sorted("stump", x[None])
    _, t, sign, eps = _best_stump(x[None], s, P, order, usable)
    return t, sign, eps


def step(P, s, h):
    """α (18.7) and the new weights (18.8) of a learner with the labels h: a number, and shape (n,)."""
    eps = weighted_error(P, s, h)
    alpha = np.log((1 - eps) / eps) / 2
    grown = P * np.exp(-alpha * s * h)
    return alpha, grown / np.sum(grown)


def normaliser(eps):
    """Z at its minimum (18.9)."""
    return 2 * np.sqrt(eps * (1 - eps))


def adaboost(X, s, T):
    """T rounds of boosting with stumps, (18.5) to (18.8); fewer if a stump makes no error, or none beats chance."""
    _valid(X, s)
    x = np.ascontiguousarray(np.transpose(X), dtype=float)
    order, usable = _sorted("adaboost", x)
    P = np.full(len(s), 1 / len(s))
    for _ in range(T):
        j, t, sign, eps = _best_stump(x, s, P, order, usable)
        if eps >= 0.5 - 1e-12:
            return
        eps = max(eps, 1e-12)
        h = np.where(x[j] > t, sign, -sign)
        alpha = np.log((1 - eps) / eps) / 2
        yield Round(j, t, sign, eps, alpha, P)
        if eps == 1e-12:
            return
        P = P * np.exp(-alpha * s * h)
        P /= np.sum(P)


def scores(rounds, X):
    """α h(x) of every round at the rows of X: shape (T, n). Their sum is F(x), its sign is the label."""
    j, t, a = (np.array([getattr(r, name) for r in rounds]) for name in ("feature", "threshold", "sign"))
    weight = a * np.array([r.alpha for r in rounds])
    return weight[:, None] * np.where(np.transpose(X)[j] > t[:, None], 1, -1)


def error_and_bound(H, alpha, s):
    """The training error of the sign of F = Σ αₜhₜ, and its bound (18.10); H is (T, n) with the labels hₜ(xᵢ)."""
    F = alpha @ H
    return np.mean(s * F <= 0), np.mean(np.exp(-s * F))


def out_of_fold(learners, X, y, fold):
    """What each learner says of each point when its fold was kept away (18.11): shape (n, number of learners)."""
    Z = np.empty((len(y), len(learners)))
    for v in np.unique(fold):
        inside = fold == v
        for j, learn in enumerate(learners):
            Z[inside, j] = learn(X[~inside], y[~inside])(X[inside])
    return Z


def stack(Z, y):
    """The weights with which the columns of Z add up to y best, by least squares: shape (number of learners,)."""
    return np.linalg.lstsq(Z, y, rcond=None)[0]


def nearest(x, y):
    """A learner: the y of the nearest point, for numbers x of shape (n,)."""
    return lambda new: y[np.argmin(np.abs(np.asarray(new)[:, None] - x), axis=1)]


def line(x, y):
    """A learner: the least squares line, for numbers x of shape (n,)."""
    slope, start = np.polyfit(x, y, 1)
    return lambda new: slope * np.asarray(new) + start


def vote_wrong(p, k):
    """The probability that most of k independent learners err (18.12)."""
    return sum(comb(k, j) * p**j * (1 - p) ** (k - j) for j in range((k + 1) // 2, k + 1))


def _sorted(name, x):
    """The order of the points in each feature, and the cuts between different values: (d, n) and (d, n − 1)."""
    order = np.argsort(x, axis=1, kind="stable")
    values = np.take_along_axis(x, order, axis=1)
    usable = values[:, 1:] > values[:, :-1]
    if not usable.any():
        raise ValueError(f"ensembles.{name}: all points are equal, there is nothing to ask")
    return order, usable


def _best_stump(x, s, P, order, usable):
    """Every cut of every feature at once: Σ Ps on the right minus Σ Ps on the left is ±(1 − 2ε)."""
    pull = (P * s).take(order).cumsum(axis=1)
    edge = pull[:, -1:] - 2 * pull[:, :-1]
    j, i = np.unravel_index(np.argmax(np.where(usable, np.abs(edge), -1.0)), edge.shape)
    t = (x[j, order[j, i]] + x[j, order[j, i + 1]]) / 2
    return int(j), t, 1 if edge[j, i] >= 0 else -1, (1 - abs(edge[j, i])) / 2


def _valid(X, s):
    need_shapes("ensembles.adaboost: X (n, d)", X)
    if np.shape(s) != (len(X),) or not set(np.unique(s)) <= {-1, 1}:
        raise ValueError(f"ensembles.adaboost: s must hold −1 and +1, shape (n,) = ({len(X)},), got {np.shape(s)}")
