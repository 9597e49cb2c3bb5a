"""Decision trees: one question at a time, each the one that leaves the answers least mixed.

X is (n, d). Y is (n,) for numbers, or one-hot of shape (n, K) for classes. Counts hold the points of each class.

(17.1)   error   = 1 − maxₖ pₖ                       pₖ: the share of class k in a node
(17.2)   entropy = −Σₖ pₖ log₂ pₖ                    in bits
(17.3)   Gini    = Σₖ pₖ(1 − pₖ) = 1 − Σₖ pₖ²
(17.4)   gain    = φ(parent) − Σₘ nₘ/n φ(child m)    φ: any of the three
(17.5)   I(A; y) = H(y) − H(y | A)                   the gain of asking about A, with φ = entropy
(17.6)   SSE − SSE_L − SSE_R = n S_L²/(n_L n_R)      S_L = Σ (y − ȳ) over the left part
(17.7)   j, t    = argmax n S_L²/(n_L n_R)           left: xⱼ ≤ t, with t halfway between neighbours
(17.8)   f(x)    = the mean of Y in the leaf of x    left if xⱼ ≤ t, else right
(17.9)   e*(m)   = min(e(m), e*(left) + e*(right))   e(m): validation errors of m as a leaf
(17.10)  MSE     = Σₘ nₘ/n MSEₘ                      over the leaves m, MSEₘ around the leaf's own mean
"""

from dataclasses import dataclass, replace

import numpy as np

from mlcore.numerics import need_shapes


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes by number, the root is 0. The right child of m is left[m] + 1. A leaf has feature −1 and left[m] = m."""

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    value: np.ndarray  # the mean of Y in the node: (nodes,), or (nodes, K) for classes
    size: np.ndarray

    @property
    def leaves(self):
        """The numbers of the leaves that a point can reach."""
        inner = np.flatnonzero(self.feature >= 0)
        reached = np.zeros(len(self.left), dtype=bool)
        reached[0] = True
        for m in inner:  # a parent comes before its children
            reached[self.left[m] : self.left[m] + 2] = reached[m]
        return np.flatnonzero(reached & (self.feature < 0))


def error(counts):
    """The share of points that are not of the most frequent class (17.1), over the last axis."""
    return 1 - np.max(_shares(counts), axis=-1)


def entropy(counts):
    """The entropy in bits (17.2), over the last axis."""
    p = _shares(counts)
    return -np.sum(p * np.log2(np.where(p > 0, p, 1)), axis=-1)


def gini(counts):
    """The probability that two draws with replacement differ in class (17.3), over the last axis."""
    return 1 - np.sum(_shares(counts) ** 2, axis=-1)


def gain(children, impurity=entropy):
    """How much purer the children are than their parent (17.4); children holds counts, shape (m, K)."""
    children = np.asarray(children)
    share = children.sum(axis=1) / children.sum()
    return impurity(children.sum(axis=0)) - share @ impurity(children)


def attribute_gains(A, y):
    """I(Aⱼ; y) for every column of A (17.5): shape (d,). A and y hold categories."""
    return np.array([gain(_table(a, y)) for a in np.asarray(A).T])


def scan(x, y):
    """How much each of the n − 1 cuts between neighbours in x lowers the SSE (17.6): shape (n − 1,)."""
    n = len(y)
    n_left = np.arange(1, n)
    S_left = np.cumsum(y[np.argsort(x, kind="stable")] - y.mean())[:-1]
    return n * S_left**2 / (n_left * (n - n_left))


def best_split(x, y):
    """The threshold of the best cut (17.7), and the mean squared error that it leaves."""
    _shape("best_split", x[:, None], y)
    values = np.sort(x)
    drop = np.where(values[1:] > values[:-1], scan(x, y), -1.0)
    i = np.argmax(drop)
    if drop[i] < 0:
        raise ValueError("decision_trees.best_split: x must hold at least two different values")
    return (values[i] + values[i + 1]) / 2, np.var(y) - drop[i] / len(y)


def one_hot(y, K):
    """Row i is 0 but for a 1 at the class yᵢ: shape (n, K)."""
    return np.eye(K)[y]


def grow(X, Y, depth=np.inf, least=1, tries=None, rng=None):
    """The greedy tree (17.7): mixed nodes are split, down to `depth` questions and `least` points in a leaf.

    With `tries`, each node draws its own subset of so many features. Of equal splits the first feature and the
    smallest threshold win. A whole level is split at once: each feature is sorted one time, and its sorted points
    stay in blocks, one for each node.
    """
    _shape("grow", X, Y)
    X = np.ascontiguousarray(np.transpose(X), dtype=float)
    Y = np.atleast_2d(np.transpose(np.asarray(Y, dtype=float)))
    order = np.argsort(X, axis=1, kind="stable")
    tied = bool(np.any(np.diff(np.take_along_axis(X, order, axis=1)) == 0))
    targets = Y - Y.mean() if len(Y) == 1 else Y[:1] if len(Y) == 2 else Y  # of two classes, one says it all
    d, n = X.shape
    node, size = np.array([0]), np.array([n])  # the blocks of `order`
    mean, mixed = _contents(Y, order[0], size)
    if not mixed[0] or n < 2 * least:
        node = node[:0]
    values, sizes, goes = [mean], [size], np.zeros(n, dtype=np.int8)
    asked: list = []
    while len(node) and len(asked) < depth:
        j, t, cut = _best(X, targets, order, size, least, tied, tries, rng)
        if not np.all(cut):  # nothing to ask in some nodes: their points are equal in all that may be asked
            order = order[:, np.repeat(cut > 0, size)]
            node, size, j, t, cut = (v[cut > 0] for v in (node, size, j, t, cut))
            if not len(node):
                break
        first = sum(len(s) for s in sizes)
        children = first + np.arange(2 * len(node))
        asked.append((node, j, t, children[::2]))
        row = order[np.repeat(j, size), np.arange(order.shape[1])]  # in each block the left ones come first
        size = np.stack([cut, size - cut], axis=1).ravel()
        mean, mixed = _contents(Y, row, size)
        values.append(mean)
        sizes.append(size)
        open_ = mixed & (size >= 2 * least)
        goes[row] = np.repeat(np.where(open_, np.arange(2 * len(node)) % 2 + 1, 0), size)
        moves = goes.take(order).ravel()
        order = np.hstack([order.ravel().take(np.flatnonzero(moves == side)).reshape(d, -1) for side in (1, 2)])
        node, size = (np.concatenate([v[::2][open_[::2]], v[1::2][open_[1::2]]]) for v in (children, size))
    return _tree(values, sizes, asked)


def apply(tree, X):
    """The leaf in which each row of X ends (17.8): shape (n,)."""
    node = np.zeros(len(X), dtype=int)
    moving = np.arange(len(X)) if tree.feature[0] >= 0 else np.arange(0)
    while len(moving):
        m = node[moving]
        m = tree.left[m] + (X[moving, tree.feature[m]] > tree.threshold[m])
        node[moving] = m
        moving = moving[tree.feature[m] >= 0]
    return node


def predict(tree, X):
    """f(x) for the rows of X (17.8): shape (n,), or the shares of the classes, (n, K)."""
    return tree.value[apply(tree, X)]


def classify(tree, X):
    """The most frequent class in the leaf of each row of X: shape (n,)."""
    return np.argmax(tree.value, axis=1)[apply(tree, X)]


def validation_errors(tree, X, y):
    """e(m) of (17.9): how many of the points that pass through each node it would misclassify as a leaf."""
    wrong = np.zeros(len(tree.left))
    label = np.argmax(tree.value, axis=1)
    node, y = np.zeros(len(X), dtype=int), np.asarray(y)
    while len(node):
        np.add.at(wrong, node, label[node] != y)
        inner = tree.feature[node] >= 0
        X, y, node = X[inner], y[inner], node[inner]
        node = tree.left[node] + (X[np.arange(len(X)), tree.feature[node]] > tree.threshold[node])
    return wrong


def best_errors(left, e):
    """e* (17.9): the fewest errors that any pruning leaves below each node, shape (nodes,)."""
    best = np.array(e, dtype=float)
    for m in range(len(left))[::-1]:  # children have larger numbers than their parent
        if left[m] != m:
            best[m] = min(e[m], best[left[m]] + best[left[m] + 1])
    return best


def prune(tree, X, y):
    """The smallest tree with the fewest errors on the validation points (17.9), made of the upper part of `tree`."""
    e = validation_errors(tree, X, y)
    leaf = (e <= best_errors(tree.left, e)) | (tree.feature < 0)
    return replace(
        tree,
        feature=np.where(leaf, -1, tree.feature),
        threshold=np.where(leaf, np.inf, tree.threshold),
        left=np.where(leaf, np.arange(len(leaf)), tree.left),
    )


def tree_mse(y, leaf):
    """The mean squared error of a tree (17.10); leaf holds the leaf of each point."""
    _, leaf = np.unique(leaf, return_inverse=True)
    return np.mean((y - (np.bincount(leaf, y) / np.bincount(leaf))[leaf]) ** 2)


def _best(X, targets, order, size, least, tied, tries, rng):
    """For each block the feature j, the threshold t, and how many points go left: 0 if there is no cut."""
    d, N = order.shape
    start = np.cumsum(size) - size
    block, at = np.arange(len(size)), np.arange(N)
    features = np.broadcast_to(np.arange(d)[:, None], (d, len(size)))
    points = order
    if tries is not None and tries < d:
        features = np.sort(np.argsort(rng.random((d, len(size))), axis=0)[:tries], axis=0)
        points = order[np.repeat(features, size, axis=1), at]
    n = np.repeat(size, size).astype(float)
    n_left = at - np.repeat(start, size) + 1.0
    n_right = n - n_left
    drop = np.zeros(points.shape)
    for y in targets:
        S = np.cumsum(y.take(points), axis=1)
        before = np.hstack([np.zeros((len(S), 1)), S[:, start[1:] - 1]])
        total = S[0, start + size - 1] - before[0]
        S -= np.repeat(before, size, axis=1)
        S *= n
        S -= n_left * np.repeat(total, size)  # n times S_L of (17.6), exact for whole numbers
        S *= S
        drop += S
    allowed = (n_left >= least) & (n_right >= max(least, 1))
    drop *= np.divide(1, n * n_left * n_right, out=np.zeros(N), where=allowed)
    drop -= ~allowed
    if tied:
        x = X[np.repeat(features, size, axis=1), points]
        drop[:, :-1][x[:, :-1] == x[:, 1:]] = -1
    best = np.maximum.reduceat(drop, start, axis=1)
    row = np.argmax(best, axis=0)
    hits = np.flatnonzero(drop[np.repeat(row, size), at] == np.repeat(best[row, block], size))
    last = hits[np.searchsorted(hits, start)]  # the last point that goes left
    j = features[row, block]
    low, high = (X[j, points[row, np.minimum(i, N - 1)]] for i in (last, last + 1))
    middle = (low + high) / 2
    cut = np.where(best[row, block] >= 0, last - start + 1, 0)
    return j, np.where(middle < high, middle, low), cut


def _contents(Y, row, size):
    """The mean of Y in each block of points, and whether the block holds different values."""
    start = np.cumsum(size) - size
    inside = Y[:, row]
    mixed = np.minimum.reduceat(inside, start, axis=1) < np.maximum.reduceat(inside, start, axis=1)
    return (np.add.reduceat(inside, start, axis=1) / size).T, mixed.any(axis=0)


def _tree(values, sizes, asked):
    value, size = np.concatenate(values), np.concatenate(sizes)
    feature, threshold, left = np.full(len(size), -1), np.full(len(size), np.inf), np.arange(len(size))
    for node, j, t, child in asked:
        feature[node], threshold[node], left[node] = j, t, child
    return Tree(feature, threshold, left, value[:, 0] if value.shape[1] == 1 else value, size)


def _shares(counts):
    counts = np.asarray(counts, dtype=float)
    return counts / counts.sum(axis=-1, keepdims=True)


def _table(a, y):
    """How often each value of a meets each value of y."""
    (values, a), (classes, y) = (np.unique(v, return_inverse=True) for v in (a, y))
    return np.bincount(a * len(classes) + y, minlength=len(values) * len(classes)).reshape(len(values), -1)


def _shape(name, X, Y):
    need_shapes(f"decision_trees.{name}: X (n, d)", X)
    if np.shape(Y)[:1] != (len(X),):
        raise ValueError(f"decision_trees.{name}: Y must have n = {len(X)} rows, got shape {np.shape(Y)}")
