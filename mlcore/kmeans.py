"""k-means: groups that nobody has named, found by taking turns.

X is (n, d), the centres C are (K, d), z is (n,) and holds the label of every point; rᵢₖ = 1 if zᵢ = k, else 0, and
nₖ = Σᵢ rᵢₖ. d(·,·) is the distance, dᵢₖ = d(xᵢ, cₖ), and δₖ = d(cₖ, c′ₖ) is how far a centre moves.

(21.1)   J(z, C) = Σᵢₖ rᵢₖ ‖xᵢ − cₖ‖²                    a sum over the points
(21.2)   zᵢ      = argminₖ ‖xᵢ − cₖ‖² = argminₖ (½‖cₖ‖² − xᵢᵀcₖ)
(21.3)   Σᵢ‖xᵢ − c‖² = Σᵢ‖xᵢ − x̄‖² + n‖c − x̄‖²           for the n points of one group
(21.4)   cₖ      = Σᵢ rᵢₖ xᵢ / nₖ                        an empty group keeps its centre
(21.5)   J(r, C) = Σᵢₖ rᵢₖᵐ dᵢₖ²                         rᵢₖ ≥ 0, Σₖ rᵢₖ = 1, m > 1
(21.6)   rᵢₖ     = 1 / Σⱼ (dᵢₖ²/dᵢⱼ²)^(1/(m−1))          all of it to a centre on which the point sits
(21.7)   cₖ      = Σᵢ rᵢₖᵐ xᵢ / Σᵢ rᵢₖᵐ
(21.8)   d(b, c) ≥ 2d(x, b)  ⇒  d(x, c) ≥ d(x, b)
(21.9)   u′ᵢ = uᵢ + δₖ for k = zᵢ,  l′ᵢₖ = max(0, lᵢₖ − δₖ)      from d(xᵢ, c_zᵢ) ≤ uᵢ and lᵢₖ ≤ dᵢₖ
(21.10)  s = (b − a)/max(a, b)                           0 for a point that is alone in its group
(21.11)  RI = (pairs together in both + pairs apart in both) / (n(n − 1)/2)
"""

from dataclasses import dataclass

import numpy as np

from mlcore.numerics import need_shapes


@dataclass(frozen=True, eq=False)
class State:
    """Labels, centres, and how many distances to centres each point cost in this round."""

    z: np.ndarray
    C: np.ndarray
    asked: np.ndarray


def objective(X, z, C):
    """J(z, C) (21.1)."""
    return np.sum((X - C[z]) ** 2)


def squared_distances(X, C):
    """‖xᵢ − cₖ‖²: shape (n, K)."""
    return np.sum((X[:, None] - C) ** 2, axis=2)


def assign(X, C):
    """The label of the nearest centre, the first of equals (21.2): shape (n,)."""
    need_shapes("kmeans.assign: X (n, d), C (K, d)", X, C)
    z = np.empty(len(X), dtype=np.intp)
    for rows in _blocks(len(X), C.size):
        z[rows], _ = _least(_ranks(X[rows], C))
    return z


def refit(X, z, C):
    """The mean of every group (21.4), and the old centre of an empty one: shape (K, d)."""
    need_shapes("kmeans.refit: X (n, d), C (K, d)", X, C)
    N, S = _tally(X, z, len(C))
    return _means(N, S, C)


def lloyd(X, C):
    """Lloyd's algorithm from the centres C: a state after each half step, until no label changes."""
    old, everyone = np.full(len(X), -1), np.full(len(X), len(C))
    while True:
        z = assign(X, C)
        yield State(z, C, everyone)
        if np.array_equal(z, old):
            return
        C, old = refit(X, z, C), z
        yield State(z, C, 0 * everyone)


def fit(X, C):
    """The last state of Lloyd's algorithm from the centres C, reached with fewer distances.

    The points are centred first: far from the origin ½‖c‖² − xᵀc would lose digits.
    """
    need_shapes("kmeans.fit: X (n, d), C (K, d)", X, C)
    middle = X.mean(axis=0)
    for state in accelerated(X - middle, C - middle):  # noqa: B007
        pass
    return State(state.z, state.C + middle, state.asked)


def accelerated(X, C):
    """Lloyd's rounds with the bounds of (21.9): the same labels. A state after each round, until no label changes.

    `low` keeps one lower bound for all other centres, so it falls by the largest of their moves (Hamerly's variant).
    """
    need_shapes("kmeans.accelerated: X (n, d), C (K, d)", X, C)
    K = len(C)
    z, u, low = _two_nearest(X, C)
    asked = np.full(len(X), K)
    N, S = _tally(X, z, K)
    rounding = 1e-9 * np.abs(X).max()
    while True:
        C, old = _means(N, S, C), C
        yield State(z.copy(), C, asked)
        moved = _lengths(C - old)
        others = np.full(K, moved.max())
        others[moved.argmax()] = np.delete(moved, moved.argmax()).max(initial=0.0)
        u += moved.take(z)
        low -= others.take(z)
        gap = np.linalg.norm(C[:, None] - C, axis=2) + np.diag(np.full(K, np.inf))
        safe = np.maximum(low, 0.5 * gap.min(axis=1).take(z)) - rounding  # nearer than this: nobody else is (21.8)
        rows = np.flatnonzero(u >= safe)
        x, before = X.take(rows, axis=0), z.take(rows)
        now, u[rows], low[rows] = _two_nearest(x, C)
        asked = np.zeros(len(X), dtype=np.intp)
        asked[rows] = K
        changed = np.flatnonzero(now != before)
        if not len(changed):
            yield State(z, C, asked)
            return
        z[rows] = now
        x = x.take(changed, axis=0)
        (N_in, S_in), (N_out, S_out) = (_tally(x, labels.take(changed), K) for labels in (now, before))
        N, S = N + N_in - N_out, S + S_in - S_out


def random_points(X, K, rng):
    """K different points of X as first centres: shape (K, d)."""
    return X[rng.choice(len(X), K, replace=False)]


def fuzzy_objective(X, R, C, m):
    """J(r, C) (21.5)."""
    return np.sum(R**m * squared_distances(X, C))


def memberships(D2, m):
    """r from the squared distances (21.6): shape (n, K), and every row sums to 1."""
    nearest = D2.min(axis=1, keepdims=True)
    share = np.divide(nearest, D2, out=np.ones_like(D2), where=D2 > 0) ** (1 / (m - 1))
    return share / share.sum(axis=1, keepdims=True)


def fuzzy_centres(X, R, m):
    """The centres of memberships r (21.7): shape (K, d)."""
    return (R**m).T @ X / np.sum(R**m, axis=0)[:, None]


def moved_bounds(u, L, z, C, new):
    """The bounds u (n,) and L (n, K) after the centres have moved from C to `new` (21.9)."""
    moved = np.linalg.norm(new - C, axis=1)
    return u + moved[z], np.maximum(0, L - moved)


def linked_assign(X, C, must, cannot):
    """Point after point to the nearest centre that no link forbids: shape (n,), all −1 if some point has none.

    must and cannot are (p, 2): pairs of points that belong together, and pairs that do not.
    """
    z, D2 = np.full(len(X), -1), squared_distances(X, C)
    for i in range(len(X)):
        legal = np.ones(len(C), dtype=bool)
        for k in z[_partners(must, i)]:
            legal &= (np.arange(len(C)) == k) | (k < 0)
        for k in z[_partners(cannot, i)]:
            legal &= np.arange(len(C)) != k
        if not legal.any():
            return np.full(len(X), -1)
        z[i] = np.argmin(np.where(legal, D2[i], np.inf))
    return z


def silhouette(X, z):
    """s of every point (21.10): shape (n,)."""
    labels, z = np.unique(z, return_inverse=True)
    one_hot = np.eye(len(labels))[z]
    N, total = one_hot.sum(axis=0), np.sqrt(squared_distances(X, X)) @ one_hot
    own = np.arange(len(X)), z
    a = total[own] / np.maximum(N[z] - 1, 1)
    means = total / N
    means[own] = np.inf
    b = means.min(axis=1)
    widest = np.where(np.maximum(a, b) > 0, np.maximum(a, b), 1.0)
    return np.where(N[z] > 1, (b - a) / widest, 0.0)


def rand_index(z, w):
    """The share of pairs about which two groupings agree (21.11)."""
    table = np.unique(np.stack([z, w]), axis=1, return_counts=True)[1]
    together, in_z, in_w = (np.sum(N * (N - 1) / 2) for N in (table, _counts(z), _counts(w)))
    pairs = len(z) * (len(z) - 1) / 2
    return (pairs + 2 * together - in_z - in_w) / pairs


def _two_nearest(X, C):
    """The label of the nearest centre, its distance, and that of the next: three arrays of shape (n,)."""
    n = len(X)
    z, near, next_ = np.empty(n, dtype=np.intp), np.empty(n), np.empty(n)
    for rows in _blocks(n, C.size):
        D = _ranks(X[rows], C)
        z[rows], near[rows] = _least(D)
        D.ravel()[z[rows] * D.shape[1] + np.arange(D.shape[1])] = np.inf
        next_[rows] = D.min(axis=0)
    square = np.einsum("nd,nd->n", X, X)
    return z, np.sqrt(np.maximum(square + 2 * near, 0)), np.sqrt(np.maximum(square + 2 * next_, 0))


def _ranks(X, C):
    """½‖c‖² − xᵀc, which ranks the centres of a point as ½‖x − c‖² does: shape (K, n)."""
    D = -C @ X.T
    D += 0.5 * np.sum(C**2, axis=1)[:, None]  # in place: to ask for a second block of memory takes longer
    return D


def _least(D):
    """The row of the least entry in every column, the first of equals, and that entry.

    Minima of whole rows run along the memory, as `D.argmin(axis=0)` does not.
    """
    K, least = len(D), D.min(axis=0)
    from_below = np.arange(K, 0, -1, dtype=np.min_scalar_type(K))[:, None]
    return K - (np.logical_not(least < D) * from_below).max(axis=0), least  # not ==, which no nan is


def _blocks(n, size):
    """Slices of rows, so few that a block of distances stays in the cache and BLAS in one thread."""
    step = max(256, 2**18 // size)
    return (slice(first, first + step) for first in range(0, n, step))


def _tally(X, z, K):
    """How many points each group has, and their sum: shapes (K,) and (K, d)."""
    return np.bincount(z, minlength=K), np.stack([np.bincount(z, column, K) for column in X.T], axis=1)


def _lengths(V):
    """‖v‖ of every row: shape (n,)."""
    return np.sqrt(np.einsum("nd,nd->n", V, V))


def _means(N, S, C):
    return np.where(N[:, None] > 0, S / np.maximum(N, 1)[:, None], C)


def _partners(links, i):
    """The points that are linked with point i."""
    links = np.asarray(links, dtype=int).reshape(-1, 2)
    return np.concatenate([links[links[:, 0] == i, 1], links[links[:, 1] == i, 0]])


def _counts(z):
    return np.unique(z, return_counts=True)[1]
