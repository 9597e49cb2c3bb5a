"""The exercises of 17 decision_trees."""

import numpy as np

from mlcore import decision_trees as trees
from mlcore.engine.exercises import (
    SAME_THERE,
    Alternative,
    Chain,
    Checks,
    Choice,
    Explanation,
    Function,
    Hint,
    Law,
    Line,
    Mistake,
    Option,
    Property,
    Slip,
    Topic,
    Value,
    but,
)

# --- data to be tried on ---


def _counts(rng):
    """Classes with different numbers of points; the largest is at no fixed place, and one is empty."""
    return [
        (np.array([1, int(rng.integers(2, 9))]),),
        (np.array([5, *rng.permutation([0, 2])]),),
        (np.array([3, *(rng.permutation(3) + 5), 4]),),
    ]


def _families(rng):
    """Children of different sizes, (m, K); one of them is pure."""
    return [
        (np.array([[int(rng.integers(1, 4)), 5], [2, 1]]),),
        (np.array([[2, 3], [int(rng.integers(4, 9)), 0], [3, 1]]),),
        (rng.integers(1, 12, size=(4, 3)) * np.array([[1, 1, 0], [1, 1, 1], [3, 1, 1], [1, 0, 2]]),),
    ]


def _attributes(rng):
    """Categories that say much, little and nothing about y; numbers of values and of classes differ."""
    made = []
    for n, K, values in ((6, 2, (2, 2)), (12, 2, (3, 2)), (18, 3, (2, 4, 3))):
        y = rng.permutation(np.arange(n) % (K + 1) % K)
        columns = [np.where(rng.random(n) < 0.5, y % v, rng.permutation(np.arange(n) % v)) for v in values]
        made.append((np.column_stack(columns), y))
    A, y = made[1]
    made[1] = 3 * A + 1, 2 * y  # categories are names: nothing says that they begin at 0 and leave no gap
    return made


def _parts(rng):
    """Two parts of different sizes and means, off zero; the left mean is the smaller one, or the larger one."""
    return [
        (rng.integers(1, 5, size=2).astype(float), rng.integers(5, 12, size=3).astype(float)),
        (rng.normal(6, 1, size=7), rng.normal(2, 1, size=4)),
        (rng.normal(-2, 1, size=5), rng.normal(1, 1, size=12)),
    ]


def _samples(rng):
    """Different x in no order, different y off zero, both of both signs; the y of the smallest x is off the mean."""
    made = []
    for n, offset in ((4, 2), (7, -3), (12, 1)):
        x, y = rng.permutation(n) - n // 2, rng.permutation(n) + offset - n // 2
        y[np.argmin(x)] = 2 * n
        made.append((x.astype(float), y + 2.5 * (x > 0)))
    return made


def _splits(rng):
    """A small sample; one with a few wild points at an end; one whose y jumps between points of equal x."""

    def drawn(make):
        while True:
            x, y = make()
            if _is_clear(x, y):
                return x, y

    def small():
        x = rng.permutation([1.0, 2.0, 4.0, 7.0, 8.0])
        return x, rng.integers(1, 10, size=5).astype(float)

    def uneven():
        x = rng.permutation(10) / 2 - 2
        return x, np.where(x > 1.5, rng.normal(4, 4, size=10), rng.normal(0, 1, size=10) + (x > -0.5)).round(2)

    def tied():
        x = np.array([-3.0, -3.0, -2.0, -1.5, -1.5, -1.5, -1.5, -1.0, 1.0, 1.0])  # the best threshold is negative
        y = np.array([0, 0, 0, 0, 0, 9, 9, 9, 9, 9]) + rng.normal(size=10).round(2)
        return x, y / 100  # so that no drop reaches 1

    return [drawn(small), drawn(uneven), drawn(tied)]


def _is_clear(x, y):
    """One best split and one worst, clearly; and the unweighted sum of the leaves' MSE prefers another."""
    cuts, mse, unweighted = _all_cuts(x, y)
    ends = np.sort(mse)[:2], np.sort(mse)[-2:], np.sort(unweighted)[:2]
    clear = np.all(np.diff(ends) > 1e-3 * np.var(y))
    return clear and cuts[np.argmin(mse)] != cuts[np.argmin(unweighted)]


def _all_cuts(x, y, ties=False):
    """Every threshold, the tree's MSE and the sum of the leaves' MSE; with `ties`, cuts between equal x too."""
    rank = np.argsort(x, kind="stable")
    x, y = x[rank], y[rank]
    p = np.arange(1, len(x))
    inside = np.cumsum([y, y**2], axis=1)
    left, right = inside[:, :-1], inside[:, -1:] - inside[:, :-1]
    left, right = (squares - S**2 / m for (S, squares), m in ((left, p), (right, len(x) - p)))  # SSE_L and SSE_R
    at = slice(None) if ties else x[1:] > x[:-1]
    found = (x[1:] + x[:-1]) / 2, (left + right) / len(x), left / p + right / (len(x) - p)
    return tuple(column[at] for column in found)


def _grown(rng):
    """Trees as arrays, and rows to send down, some of them exactly on a threshold. All x are whole numbers."""
    made = []
    for n, d, depth in ((8, 2, 2), (16, 3, 3), (24, 4, 5)):
        X = rng.permuted(np.tile(np.arange(n) - n // 2, (d, 1)), axis=1).T.astype(float)
        y = rng.normal(size=n) + 3 * (X[:, 0] > 0)  # some question is about feature 0
        tree = trees.grow(X, y, depth)
        rows = rng.integers(-n // 2, n // 2, size=(5 if n == 8 else 12, d)).astype(float)
        rows[0, tree.feature[0]] = tree.threshold[0]
        for i in range(1, len(rows), 2):  # on the threshold of a question further down
            m = trees.apply(_cut_back(tree, 1 + i % 3), rows[i : i + 1])[0]
            if tree.feature[m] >= 0:
                rows[i, tree.feature[m]] = tree.threshold[m]
        threshold = np.where(tree.feature < 0, 0.0, tree.threshold)
        made.append((tree.feature, threshold, tree.left, tree.value, rows))
    return made


def _cut_back(tree, depth):
    """The tree without the questions below `depth`."""
    level = np.zeros(len(tree.left), dtype=int)
    for m in np.flatnonzero(tree.feature >= 0):
        level[tree.left[m] : tree.left[m] + 2] = level[m] + 1
    keep = level < depth
    return trees.Tree(
        np.where(keep, tree.feature, -1),
        tree.threshold,
        np.where(keep, tree.left, np.arange(len(keep))),
        tree.value,
        tree.size,
    )


def _prunable(rng):
    """Overgrown trees: the child of each node, and how many training and validation points of each class pass."""
    made = [_tied_root(int(rng.integers(4)))]
    for n, K, depth in ((30, 2, 6), (40, 3, 7)):
        X, new = rng.normal(size=(2, n, 2))
        y, y_new = (_noisy_class(points, K, rng) for points in (X, new))
        tree = trees.grow(X, trees.one_hot(y, K), depth)
        made.append((tree.left, _passing(tree, X, y, K), _passing(tree, new, y_new, K)))
    return made


def _tied_root(more):
    """One question: as a leaf the root has the label 0, the first of a tie, and errs less than its children."""
    return np.array([1, 1, 2]), np.array([[3, 3], [2, 1], [1, 2]]), np.array([[5 + more, 1], [3, 0], [2 + more, 1]])


def _noisy_class(X, K, rng):
    y = np.clip(np.floor(X[:, 0] + K / 2), 0, K - 1).astype(int)
    return np.where(rng.random(len(y)) < 0.3, rng.integers(0, K, size=len(y)), y)


def _passing(tree, X, y, K):
    """How many points of each class pass through every node: shape (nodes, K)."""
    counts = np.zeros((len(tree.left), K), dtype=int)
    node = np.zeros(len(X), dtype=int)
    while len(node):
        np.add.at(counts, (node, y), 1)
        inner = tree.feature[node] >= 0
        X, y, node = X[inner], y[inner], node[inner]
        node = tree.left[node] + (X[np.arange(len(X)), tree.feature[node]] > tree.threshold[node])
    return counts


def _shares(counts):
    return counts / np.sum(counts)


def _entropy(counts):
    p = _shares(counts)
    return -np.sum(p[p > 0] * np.log2(p[p > 0]))


def _plain_entropy(counts):
    """The sum over all classes, which is nan where one is missing."""
    p = _shares(counts)
    return -np.sum(p * np.log2(p))


def _gini(counts):
    return 1 - np.sum(_shares(counts) ** 2)


def _left_over(children, impurity=_entropy):
    return np.sum(children.sum(axis=1) / children.sum() * [impurity(c) for c in children])


# --- how mixed is a node? ---


def _impurities(counts):
    return trees.error(counts), trees.entropy(counts), trees.gini(counts)


def _impurities_with(**changed):
    def answer(counts):
        p = _shares(counts)
        right = {"error": 1 - np.max(p), "entropy": _entropy(counts), "gini": _gini(counts)}
        return tuple((right | {name: f(p) for name, f in changed.items()}).values())

    return answer


tree_impurities = Function(
    "tree_impurities",
    asks="Three measures of a mixture",
    points=2,
    reference=_impurities,
    returns=("error", "entropy", "gini"),
    cases=_counts,
    forbids=(trees.error, trees.entropy, trees.gini),
    mistakes=[
        Mistake(
            "The entropy is in nats; bits are asked for: the logarithm to base 2.",
            _impurities_with(entropy=lambda p: -np.sum(p[p > 0] * np.log(p[p > 0]))),
        ),
        Mistake(
            "max p is the share that the majority gets right: the error is 1 − max p.",
            _impurities_with(error=np.max),
        ),
        Mistake(
            "p(1 − p) of one class is one summand: Gini adds it up over all classes, 2p(1 − p) for two.",
            _impurities_with(gini=lambda p: p[0] * (1 - p[0])),
        ),
        Mistake(
            "2p(1 − p) is Gini for two classes: in general add p(1 − p) up over all of them.",
            _impurities_with(gini=lambda p: 2 * p[0] * (1 - p[0])),
        ),
        Mistake(
            "Σp² is the probability that two draws agree: Gini is the probability that they differ.",
            _impurities_with(gini=lambda p: np.sum(p**2)),
        ),
        Mistake(
            "A class without points makes 0·log 0, which numpy calls nan: its limit is 0, so leave that class out.",
            _impurities_with(entropy=lambda p: -np.sum(p * np.log2(p))),
        ),
        Mistake(
            "The entropy has lost its minus: logarithms of shares are not positive, entropies not negative.",
            _impurities_with(entropy=lambda p: np.sum(p[p > 0] * np.log2(p[p > 0]))),
        ),
        Mistake(
            "The error is the share of the rarest class: the majority's label is wrong for all other classes together.",
            _impurities_with(error=np.min),
        ),
    ],
    alternatives=[
        Alternative(
            _impurities_with(
                error=lambda p: np.sum(np.sort(p)[:-1]),
                entropy=lambda p: np.sum(p[p > 0] * np.log(1 / p[p > 0])) / np.log(2),
                gini=lambda p: np.sum(np.outer(p, p)) - p @ p,
            )
        )
    ],
    hints=(
        Hint("Where do the shares come from?", "`p = counts / counts.sum()`."),
        Hint(
            "My entropy is nan.",
            "A class with no points has $p=0$ and $\\log_2 0=-\\infty$. Since $p\\log_2p\\to0$ as $p\\to0$, sum over "
            "`p[p > 0]`.",
        ),
    ),
    see="Equations (17.1), (17.2) and (17.3), with p = counts / n.",
)

tree_gain = Function(
    "tree_gain",
    asks="What a question gains",
    points=2,
    reference=trees.gain,
    cases=_families,
    forbids=(trees.attribute_gains,),
    mistakes=[
        Mistake(
            "This is the plain mean of the children's entropies: weight each child by its share of the points.",
            lambda children: _entropy(children.sum(axis=0)) - np.mean([_entropy(c) for c in children]),
        ),
        Mistake(
            "This adds the children's entropies up: weight each by its share of the points, n_m/n.",
            lambda children: _entropy(children.sum(axis=0)) - np.sum([_entropy(c) for c in children]),
        ),
        Mistake(
            "The children are weighted by their numbers of points n_m: divide by n.",
            lambda children: _entropy(children.sum(axis=0)) - children.sum() * _left_over(children),
        ),
        Mistake(
            "A class that is missing from a child makes 0·log 0, which numpy calls nan: leave it out of the sum.",
            lambda children: _plain_entropy(children.sum(axis=0)) - _left_over(children, _plain_entropy),
        ),
        Mistake(
            "This is the entropy that is left after the question: subtract it from the parent's.",
            lambda children: _left_over(children),
        ),
        Mistake(
            "This is the gain in nats: bits are asked for.",
            lambda children: np.log(2) * (_entropy(children.sum(axis=0)) - _left_over(children)),
        ),
        Mistake(
            "This is the gain with Gini: the entropy is asked for.",
            lambda children: _gini(children.sum(axis=0)) - _left_over(children, _gini),
        ),
        Mistake(
            "The parent is the entropy of the children's sizes: its classes are the column sums of the counts.",
            lambda children: _entropy(children.sum(axis=1)) - _left_over(children),
        ),
    ],
    alternatives=[
        Alternative(  # H(y) + H(child) − H(y, child)
            lambda children: (
                _entropy(children.sum(axis=0)) + _entropy(children.sum(axis=1)) - _entropy(children.ravel())
            )
        ),
    ],
    hints=(
        Hint("What is the parent?", "All children together: `children.sum(axis=0)` counts its classes."),
        Hint(
            "How do I weight?",
            "Child $m$ holds the share $n_m/n$ of the points: its row sum over the sum of the table.",
        ),
    ),
    see="Equation (17.4) with φ = entropy.",
)


def _per_column(measure):
    """A function of the table (values of A, classes of y), for every column of A."""

    def answer(A, y):
        classes = (y[:, None] == np.unique(y)).astype(int)
        return np.array([measure((a == np.unique(a)[:, None]) @ classes) for a in A.T])

    return answer


tree_attributes = Function(
    "tree_attributes",
    asks="Which attribute first?",
    points=2,
    reference=trees.attribute_gains,
    cases=_attributes,
    mistakes=[
        Mistake(
            "The entropies within the values of the attribute are averaged without weights: "
            "a value that occurs twice as often counts twice.",
            _per_column(lambda table: _entropy(table.sum(axis=0)) - np.mean([_entropy(row) for row in table])),
        ),
        Mistake(
            "This is H(y | A), what remains unknown: subtract it from H(y).",
            _per_column(_left_over),
        ),
        Mistake(
            "This is H(A), how varied the answers are, whatever they say about y.",
            _per_column(lambda table: _entropy(table.sum(axis=1))),
        ),
        Mistake(
            "This is the joint entropy H(A, y): use H(y) + H(A) − H(A, y).",
            _per_column(lambda table: _entropy(table.ravel())),
        ),
        Mistake(
            "This is H(A | y), how uncertain the attribute is once the class is known.",
            _per_column(lambda table: _left_over(table.T)),
        ),
        Mistake(
            "This is in nats: bits are asked for.",
            _per_column(lambda table: np.log(2) * (_entropy(table.sum(axis=0)) - _left_over(table))),
        ),
    ],
    alternatives=[
        Alternative(
            _per_column(
                lambda table: _entropy(table.sum(axis=0)) + _entropy(table.sum(axis=1)) - _entropy(table.ravel())
            )
        ),
        Alternative(_per_column(lambda table: _entropy(table.sum(axis=1)) - _left_over(table.T))),
    ],
    hints=(
        Hint(
            "What are the children?",
            "One for each value $v$ of the attribute: the points with $A=v$. Count their classes, "
            "and `tree_gain` does the rest.",
        ),
        Hint(
            "How do I count?",
            "`[[np.sum((a == v) & (y == k)) for k in np.unique(y)] for v in np.unique(a)]` is the table of one column.",
        ),
    ),
    see="Equation (17.5): (17.4) for the table of the attribute against the class.",
)


# --- why not count errors? ---

tree_two_splits = Value(
    "tree_two_splits",
    asks="Two splits of 400 and 400",
    points=1,
    reference=np.array([0.25, 0.25, 0.375, 1 / 3]),
    mistakes=[
        Mistake(
            "These numbers say that the two criteria agree: for B, Gini gives another value than for A.",
            [0.25, 0.25, 0.375, 0.375],
        ),
        Mistake(
            "The two children of B count alike here, although one is three times as large as the other.",
            [0.25, 1 / 6, 0.375, 2 / 9],
        ),
        Mistake(
            "These are the gains: the impurity that is left after the split is asked for.",
            [0.25, 0.25, 0.125, 1 / 6],
        ),
        Mistake(
            "p(1 − p) of one class is half of Gini: add it up over both classes.",
            [0.25, 0.25, 3 / 16, 1 / 6],
        ),
        Mistake(
            "These add the children up without their weights n_m/n.",
            [0.5, 1 / 3, 0.75, 4 / 9],
        ),
    ],
    hints=(
        Hint("How do I start?", "B's larger child has 600 points, with the shares 1/3 and 2/3."),
        Hint("And then?", "Weight its impurity with 600/800; the other child is pure."),
    ),
    see="Equation (17.4): Σ n_m/n φ(child m), with φ from (17.1) and from (17.3).",
)

tree_strict = Choice(
    "tree_strict",
    asks="Why Gini and entropy prefer B",
    points=1,
    options={
        "a": Option(
            "the classification error is not concave, so its gain can be negative",
            wrong="1 − max(p, 1 − p) is a minimum of two straight lines, which is concave: its gain is never negative.",
        ),
        "b": Option("the classification error is concave, but made of straight pieces"),
        "c": Option(
            "the classification error ignores how large the children are",
            wrong="All three are weighted with n_m/n in (17.4). What differs is the shape of φ.",
        ),
    },
    reasons={
        "i": Option(
            "B makes fewer mistakes than A",
            wrong="Count: A errs on 100 + 100 points, B on 200 + 0. As many.",
        ),
        "ii": Option(
            "a pure child always has the larger gain",
            wrong="Split one single point off 800: its child is pure, and the gain is tiny.",
        ),
        "iii": Option(
            "a strictly concave curve lies above its chords everywhere between their ends, and a straight piece lies "
            "on its own"
        ),
    },
    hints=(
        Hint("What does concave mean here?", "The children's mean impurity is on a chord of φ, the parent on φ."),
        Hint(
            "And the error?",
            "Take two children with $p=0.6$ and $p=0.9$: the error is $1-p$ for both, and for their parent.",
        ),
    ),
    see="The section *Why not count errors?*: the gain is the height of φ above its chord.",
)


# --- numbers in place of classes ---


def _line_1(left, right):
    y = np.concatenate([left, right])
    inside = np.sum((left - left.mean()) ** 2) + np.sum((right - right.mean()) ** 2)
    return np.sum((y - y.mean()) ** 2) - inside


def _line_2(left, right):
    n_L, n_R = len(left), len(right)
    mean = np.concatenate([left, right]).mean()
    return (n_L + n_R) * mean**2, n_L * left.mean() ** 2, n_R * right.mean() ** 2


def _line_3(left, right):
    n_L, n_R, a, b = len(left), len(right), left.mean(), right.mean()
    n = n_L + n_R
    return n_L * a**2, n_R * b**2, n_L**2 * a**2 / n, 2 * n_L * n_R * a * b / n, n_R**2 * b**2 / n


def _line_4(left, right):
    n_L, n_R, a, b = len(left), len(right), left.mean(), right.mean()
    n = n_L + n_R
    return n_L * a**2 - n_L**2 * a**2 / n, -2 * n_L * n_R * a * b / n, n_R * b**2 - n_R**2 * b**2 / n


def _line_5(left, right):
    n_L, n_R = len(left), len(right)
    return n_L * n_R / (n_L + n_R), left.mean() - right.mean()


def _line_6(left, right):
    n_L, n_R = len(left), len(right)
    return (n_L + n_R) / (n_L * n_R), np.sum(left - np.concatenate([left, right]).mean())


def _squared(here, left, right):
    """Line 4, put together again from factor × difference², where ȳ_L stands in the difference once, with a plus."""
    factor, difference = here
    a, other = left.mean(), difference - left.mean()
    return factor * a**2, 2 * factor * a * other, factor * other**2


def _by_the_sum(before, left, right):
    """Line 6, made of a line 5: the difference is S_L · n/(n_L n_R)."""
    n_L, n_R = len(left), len(right)
    per_sum = (n_L + n_R) / (n_L * n_R)
    return before[0] * per_sum**2, np.sum(left - np.concatenate([left, right]).mean())


def _by_the_product(before, left, right):
    """The same, where S_L is taken for factor × difference: that is n_L(ȳ_L − ȳ), if the two are right."""
    factor, difference = before
    return 1 / factor, factor * difference


def _with_sizes(f):
    """f(a, b, p, q, m): the two means, the two sizes, and the mean of all."""

    def line(left, right):
        p, q = len(left), len(right)
        a, b = left.mean(), right.mean()
        return f(a, b, p, q, (p * a + q * b) / (p + q))

    return line


def _multiplied_out(f):
    """Line 3 with other terms for the square of the mean of all."""

    def line(left, right):
        return (*_line_3(left, right)[:2], *_with_sizes(f)(left, right))

    return line


def _each(f):
    """f of all points, of the left part, of the right part."""

    def line(left, right):
        return f(np.concatenate([left, right])), f(left), f(right)

    return line


tree_drop_chain = Chain(
    "tree_drop_chain",
    asks="How much a cut lowers the squared error",
    first=_line_1,
    lines=[
        Line(
            does="each of the three sums of squares is $\\sum y^2$ minus one term; the $\\sum y^2$ cancel, and "
            "on_left + on_right − whole is left",
            parts=("whole", "on_left", "on_right"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The numbers of points are missing: adding ȳ² up over the points gives it as often as there are "
                    "points.",
                    _with_sizes(lambda a, b, p, q, m: (m**2, a**2, b**2)),
                ),
                Mistake(
                    "All signs are reversed: they stand in on_left + on_right − whole already.",
                    _with_sizes(lambda a, b, p, q, m: (-(p + q) * m**2, -p * a**2, -q * b**2)),
                ),
                Mistake(
                    "Divided by n, these belong to the mean squared error: line 1 has sums.",
                    _with_sizes(lambda a, b, p, q, m: (m**2, p * a**2 / (p + q), q * b**2 / (p + q))),
                ),
                Mistake(
                    "This is what the cross terms take away. The square of the mean is there too, once for each point, "
                    "and gives half of it back.",
                    _with_sizes(lambda a, b, p, q, m: (2 * (p + q) * m**2, 2 * p * a**2, 2 * q * b**2)),
                ),
                Mistake(
                    "ȳ is not the plain mean of the two means: the larger part counts more.",
                    but(_line_2, 0, _with_sizes(lambda a, b, p, q, m: (p + q) * (a + b) ** 2 / 4)),
                ),
                Mistake(
                    "whole has lost its number of points: adding ȳ² up over all points gives it n times.",
                    but(_line_2, 0, _with_sizes(lambda a, b, p, q, m: m**2)),
                ),
                Mistake(
                    "These are the squares of the three sums of y: each of them is still to be divided by its "
                    "number of points.",
                    _with_sizes(lambda a, b, p, q, m: (((p + q) * m) ** 2, (p * a) ** 2, (q * b) ** 2)),
                ),
                Mistake(
                    "These are the three sums of y: the means are not squared.",
                    _with_sizes(lambda a, b, p, q, m: ((p + q) * m, p * a, q * b)),
                ),
                Mistake(
                    "These are the sums of squares themselves. Asked is what each of them takes away from its Σy².",
                    _each(lambda y: np.sum((y - y.mean()) ** 2)),
                ),
                Mistake(
                    "These are the Σy², which cancel. Asked is the other term of each sum of squares.",
                    _each(lambda y: np.sum(y**2)),
                ),
                Mistake(
                    "The parts are right, but whole comes first: (whole, on_left, on_right).",
                    _with_sizes(lambda a, b, p, q, m: (p * a**2, q * b**2, (p + q) * m**2)),
                ),
            ],
        ),
        Line(
            does="in whole, write the mean of all by the means of the two parts, and multiply its square out: "
            "on_left + on_right − left_square − cross − right_square",
            parts=("on_left", "on_right", "left_square", "cross", "right_square"),
            reference=_line_3,
            undo=lambda here, left, right: (here[2] + here[3] + here[4], here[0], here[1]),
            mistakes=[
                Mistake(
                    "The cross term comes twice in the square of a sum.",
                    _multiplied_out(
                        lambda a, b, p, q, m: (p**2 * a**2 / (p + q), p * q * a * b / (p + q), q**2 * b**2 / (p + q))
                    ),
                ),
                Mistake(
                    "The cross term has a minus: it is the square of a sum of two.",
                    _multiplied_out(
                        lambda a, b, p, q, m: (
                            p**2 * a**2 / (p + q),
                            -2 * p * q * a * b / (p + q),
                            q**2 * b**2 / (p + q),
                        )
                    ),
                ),
                Mistake(
                    "ȳ is not the plain mean of the two means: the larger part counts more.",
                    _multiplied_out(
                        lambda a, b, p, q, m: ((p + q) * a**2 / 4, (p + q) * a * b / 2, (p + q) * b**2 / 4)
                    ),
                ),
                Mistake(
                    "One n too many is cancelled: ȳ² has n² below it, and whole has n points.",
                    _multiplied_out(lambda a, b, p, q, m: (p**2 * a**2, 2 * p * q * a * b, q**2 * b**2)),
                ),
                Mistake(
                    "The n before ȳ² is lost: ȳ² has n² below it, and whole has n points.",
                    _multiplied_out(
                        lambda a, b, p, q, m: tuple(
                            np.array([p**2 * a**2, 2 * p * q * a * b, q**2 * b**2]) / (p + q) ** 2
                        )
                    ),
                ),
                Mistake(
                    "The three have a minus, but it stands in front of them already.",
                    _multiplied_out(
                        lambda a, b, p, q, m: (
                            -(p**2) * a**2 / (p + q),
                            -2 * p * q * a * b / (p + q),
                            -(q**2) * b**2 / (p + q),
                        )
                    ),
                ),
                Mistake(
                    "ȳ_L comes with n_L into the mean of all, and is squared together with it: here n_L stands once.",
                    but(_line_3, 2, _with_sizes(lambda a, b, p, q, m: p * a**2 / (p + q))),
                ),
                Mistake(
                    "left_square is on_left once more: in ȳ, ȳ_L has its share n_L/n, and that is squared with it.",
                    but(_line_3, 2, _with_sizes(lambda a, b, p, q, m: p * a**2)),
                ),
                Mistake(
                    "The sizes are missing: in ȳ, the means have the shares n_L/n and n_R/n, and cross has both.",
                    but(_line_3, 3, _with_sizes(lambda a, b, p, q, m: 2 * a * b / (p + q))),
                ),
                Mistake(
                    "The shares are missing: in ȳ, the means have the shares n_L/n and n_R/n, and cross has both.",
                    but(_line_3, 3, _with_sizes(lambda a, b, p, q, m: 2 * (p + q) * a * b)),
                ),
            ],
        ),
        Line(
            does="sort line 3: all that has the square of ȳ_L, all that has the product ȳ_L ȳ_R, all that has the "
            "square of ȳ_R",
            parts=("left_squares", "products", "right_squares"),
            reference=_line_4,
            follows=lambda before, left, right: (before[0] - before[2], -before[3], before[1] - before[4]),
            whole=lambda here, left, right: sum(here),
            mistakes=[
                Mistake(
                    "The product has a plus: the minus before whole reaches all of its three terms.",
                    but(_line_4, 1, _with_sizes(lambda a, b, p, q, m: 2 * p * q * a * b / (p + q))),
                ),
                Mistake(
                    "The squares are added: the minus before whole reaches all of its three terms.",
                    lambda left, right: (
                        _line_3(left, right)[0] + _line_3(left, right)[2],
                        _line_4(left, right)[1],
                        _line_3(left, right)[1] + _line_3(left, right)[4],
                    ),
                ),
                Mistake(
                    "These squares are those of on_left and on_right alone: whole has a part of each as well.",
                    lambda left, right: (
                        _line_3(left, right)[0],
                        _line_4(left, right)[1],
                        _line_3(left, right)[1],
                    ),
                ),
                Mistake(
                    "All signs are reversed: whole is subtracted from the others, not the others from it.",
                    lambda left, right: tuple(-part for part in _line_4(left, right)),
                ),
                Mistake(
                    "The product has lost its −2: line 3 takes cross away, and the product comes twice in a square.",
                    but(_line_4, 1, _with_sizes(lambda a, b, p, q, m: p * q * a * b / (p + q))),
                ),
                Mistake(
                    "This is what stands in front of ȳ_L²: the part asked for has ȳ_L² in it.",
                    but(_line_4, 0, _with_sizes(lambda a, b, p, q, m: p - p**2 / (p + q))),
                ),
                Mistake(
                    "This square is that of whole alone: on_left has one as well, and they are subtracted.",
                    but(_line_4, 0, _with_sizes(lambda a, b, p, q, m: p**2 * a**2 / (p + q))),
                ),
                Mistake(
                    "One n_L is lost: n_L ȳ_L² − n_L² ȳ_L²/n is n_L(1 − n_L/n) ȳ_L².",
                    but(_line_4, 0, _with_sizes(lambda a, b, p, q, m: (1 - p / (p + q)) * a**2)),
                ),
                Mistake(
                    "The two squares have changed places: (left_squares, products, right_squares).",
                    lambda left, right: _line_4(left, right)[::-1],
                ),
            ],
        ),
        Line(
            does="write line 4 as factor × difference², the difference made of ȳ_L and ȳ_R alone, with neither a "
            "number nor a minus before ȳ_L",
            parts=("factor", "difference"),
            reference=_line_5,
            undo=_squared,
            whole=lambda here, left, right: here[0] * here[1] ** 2,
            mistakes=[
                Mistake(
                    "The factor still has to be divided by n: look at what is left of the squares of ȳ_L.",
                    but(_line_5, 0, _with_sizes(lambda a, b, p, q, m: p * q)),
                ),
                Mistake(
                    "The factor is divided by n twice: that is the drop of the mean squared error.",
                    but(_line_5, 0, _with_sizes(lambda a, b, p, q, m: p * q / (p + q) ** 2)),
                ),
                Mistake(
                    "The factor is upside down: the drop is larger the more points there are.",
                    but(_line_5, 0, _with_sizes(lambda a, b, p, q, m: (p + q) / (p * q))),
                ),
                Mistake(
                    "The product of line 4 is negative: that is the square of a difference, not of a sum.",
                    but(_line_5, 1, _with_sizes(lambda a, b, p, q, m: a + b)),
                ),
                Mistake(
                    "The square is the same, but the difference is turned round: ȳ_L is asked for with a plus.",
                    but(_line_5, 1, _with_sizes(lambda a, b, p, q, m: b - a)),
                ),
                Mistake(
                    "The difference is ȳ_L − ȳ_R; this is how far ȳ_L is from the mean of all.",
                    but(_line_5, 1, _with_sizes(lambda a, b, p, q, m: a - m)),
                ),
                Mistake(
                    "The difference of line 4's square is one of means, not of sums.",
                    but(_line_5, 1, lambda left, right: left.sum() - right.sum()),
                ),
                Mistake(
                    "The root of the factor was moved into the difference: there ȳ_L is asked for with "
                    "nothing in front.",
                    _with_sizes(lambda a, b, p, q, m: (1.0, np.sqrt(p * q / (p + q)) * (a - b))),
                ),
                Mistake(
                    "The factor is n alone: look at what is left of the squares of ȳ_L, n_L − n_L²/n.",
                    but(_line_5, 0, _with_sizes(lambda a, b, p, q, m: p + q)),
                ),
            ],
        ),
        Line(
            does="let $S_L$ be the sum of $y_i-\\bar y$ over the left part, and write line 5 as factor × $S_L^2$",
            parts=("factor", "S_L"),
            reference=_line_6,
            follows=[_by_the_sum, _by_the_product],
            whole=lambda here, left, right: here[0] * here[1] ** 2,
            mistakes=[
                Mistake(
                    "This is still the factor of line 5: S_L is a multiple of the difference, and comes squared.",
                    but(_line_6, 0, _with_sizes(lambda a, b, p, q, m: p * q / (p + q))),
                ),
                Mistake(
                    "The n is missing: S_L is the difference times the factor of line 5, which has an n below.",
                    but(_line_6, 0, _with_sizes(lambda a, b, p, q, m: 1 / (p * q))),
                ),
                Mistake(
                    "S_L/n_L is how far ȳ_L is from the mean of all, not from ȳ_R: that one lies further away.",
                    but(_line_6, 0, _with_sizes(lambda a, b, p, q, m: q / (p * (p + q)))),
                ),
                Mistake(
                    "S_L adds up the deviations from the mean of all points, not y itself.",
                    but(_line_6, 1, lambda left, right: np.sum(left)),
                ),
                Mistake(
                    "S_L has the wrong sign: it adds up y − ȳ over the left part. Over the right part, and of ȳ − "
                    "y, the sum is "
                    "−S_L.",
                    but(_line_6, 1, lambda left, right: np.sum(right - np.concatenate([left, right]).mean())),
                ),
                Mistake(
                    "S_L is a sum over the left part. This is its mean, ȳ_L − ȳ.",
                    but(_line_6, 1, _with_sizes(lambda a, b, p, q, m: a - m)),
                ),
                Mistake(
                    "These deviations are from the mean of the left part, and add up to 0. S_L takes them from the "
                    "mean of all.",
                    but(_line_6, 1, lambda left, right: np.sum(left - left.mean())),
                ),
                Mistake(
                    "These deviations are from the mean of the right part. S_L takes them from the mean of all.",
                    but(_line_6, 1, lambda left, right: np.sum(left - right.mean())),
                ),
                Mistake(
                    "The mean of all is not the plain mean of the two means: the larger part counts more.",
                    but(_line_6, 1, _with_sizes(lambda a, b, p, q, m: p * (a - (a + b) / 2))),
                ),
                Mistake(
                    "The deviations are squared one by one, and then added up: S_L is the sum, and line 6 squares it.",
                    but(_line_6, 1, lambda left, right: np.sum((left - np.concatenate([left, right]).mean()) ** 2)),
                ),
            ],
        ),
    ],
    cases=_parts,
    forbids=(trees.scan,),
    alternatives=[
        Alternative(
            lambda left, right: (
                (left.sum() + right.sum()) ** 2 / (len(left) + len(right)),
                left.sum() ** 2 / len(left),
                right.sum() ** 2 / len(right),
            ),
            part=0,
        ),
        Alternative(  # whole = n ȳ², with ȳ² from the shares of the two parts
            _with_sizes(
                lambda a, b, p, q, m: (
                    p * a**2,
                    q * b**2,
                    (p + q) * (p / (p + q) * a) ** 2,
                    (p + q) * 2 * (p / (p + q) * a) * (q / (p + q) * b),
                    (p + q) * (q / (p + q) * b) ** 2,
                )
            ),
            part=1,
        ),
        Alternative(
            _with_sizes(
                lambda a, b, p, q, m: (
                    p * q / (p + q) * a**2,
                    -p * q / (p + q) * 2 * a * b,
                    p * q / (p + q) * b**2,
                )
            ),
            part=2,
        ),
        Alternative(_with_sizes(lambda a, b, p, q, m: (1 / (1 / p + 1 / q), a - b)), part=3),
        Alternative(_with_sizes(lambda a, b, p, q, m: (1 / p + 1 / q, p * (a - m))), part=4),
        Alternative(
            lambda left, right: (
                1 / len(left) + 1 / len(right),
                np.cumsum(np.concatenate([left, right]) - np.concatenate([left, right]).mean())[len(left) - 1],
            ),
            part=4,
        ),
    ],
    hints=(
        Hint(
            "What is a sum of squares without its brackets?",
            r"Multiply $\sum_i(y_i-\bar y)^2$ out, and use $\sum_iy_i=n\bar y$. And the points of both parts together "
            "are the points of the parent.",
        ),
        Hint(
            "How do the means of the parts give the mean of all?",
            "The sum of all points is the sum on the left plus the sum on the right.",
        ),
        Hint(
            "Line 4 has fractions of two kinds. How do they become one factor?",
            "Bring each of the squares over $n$, and put $n=n_L+n_R$ into its numerator.",
        ),
        Hint(
            r"How does $S_L$ come from the means?",
            r"$S_L=n_L(\bar y_L-\bar y)$. Put the mean of all in as in line 3.",
        ),
    ),
    see="The section *Numbers instead of classes* lists what each line does. Line 6 is (17.6).",
)

tree_scan = Function(
    "tree_scan",
    asks="Every cut in one pass",
    points=2,
    reference=trees.scan,
    cases=_samples,
    forbids=(trees.best_split,),
    mistakes=[
        Mistake(
            "y is in the order in which it came: sort it by x first, so that the points left of a cut come first.",
            lambda x, y: _scan_slowly(np.arange(len(y)), y),
        ),
        Mistake(
            "y is sorted by its own size: a cut is a cut of x, so take y in the order of x.",
            lambda x, y: _scan_slowly(y, y),
        ),
        Mistake(
            "The sums are of y itself: S_L adds up the deviations from the mean of all, y − ȳ.",
            lambda x, y: _scan_with(x, y, lambda S, p, q: (p + q) * S**2 / (p * q), centre=False),
        ),
        Mistake(
            "The factor n of (17.6) is missing: this is the drop of the mean squared error, not of the sum.",
            lambda x, y: _scan_with(x, y, lambda S, p, q: S**2 / (p * q)),
        ),
        Mistake(
            "S_L is not squared.",
            lambda x, y: _scan_with(x, y, lambda S, p, q: (p + q) * S / (p * q)),
        ),
        Mistake(
            "n_L is one too small: left of the first cut there is one point, not none.",
            lambda x, y: _scan_with(x, y, lambda S, p, q: (p + q) * S**2 / ((p - 1) * (q + 1))),
        ),
        Mistake(
            "This is the squared error that is left, SSE_L + SSE_R: the drop is asked for.",
            lambda x, y: np.sum((y - y.mean()) ** 2) - _scan_slowly(x, y),
        ),
    ],
    alternatives=[
        Alternative(lambda x, y: _scan_slowly(x, y)),
        Alternative(
            lambda x, y: _scan_with(
                x, y, lambda S, p, q: (S / p - (np.sum(y) - S) / q) ** 2 * p * q / (p + q), centre=False
            )
        ),
    ],
    hints=(
        Hint("How do I get all S_L at once?", "`np.cumsum` of the deviations, sorted by `x`; `np.argsort(x)` sorts."),
        Hint("How many cuts are there?", "$n-1$: the last cumulative sum has everything on the left and is no cut."),
        Hint("And n_L?", "`np.arange(1, n)`: one point left of the first cut, $n-1$ left of the last."),
    ),
    see="Equation (17.6), with S_L as a cumulative sum over the points in the order of x.",
)


def _scan_with(x, y, formula, centre=True):
    z = y[np.argsort(x)] - (y.mean() if centre else 0)
    p = np.arange(1, len(y))
    return formula(np.cumsum(z)[:-1], p, len(y) - p)


def _scan_slowly(x, y):
    def sse(v):
        return np.sum((v - v.mean()) ** 2)

    cuts = np.sort(x)[:-1]
    return np.array([sse(y) - sse(y[x <= c]) - sse(y[x > c]) for c in cuts])


tree_split = Function(
    "tree_split",
    asks="The best cut of a sample",
    points=2,
    reference=trees.best_split,
    returns=("threshold", "mse"),
    cases=_splits,
    mistakes=[
        Mistake(
            "The leaves' MSE are added up without the leaf sizes, and that prefers another cut.",
            lambda x, y: _pick(x, y, lambda cuts, mse, plain: np.argmin(plain), lambda mse, plain: plain),
        ),
        Mistake(
            "The cut is that of the unweighted sum of the leaves' MSE: weight by the leaf sizes when you choose.",
            lambda x, y: _pick(x, y, lambda cuts, mse, plain: np.argmin(plain), lambda mse, plain: mse),
        ),
        Mistake(
            "This is the plain mean of the two leaves' MSE, in the choice of the cut too: weight by the leaf sizes.",
            lambda x, y: _pick(x, y, lambda cuts, mse, plain: np.argmin(plain), lambda mse, plain: plain / 2),
        ),
        Mistake(
            "The threshold is right, the error is the unweighted sum of the leaves' MSE.",
            lambda x, y: _pick(x, y, lambda cuts, mse, plain: np.argmin(mse), lambda mse, plain: plain),
        ),
        Mistake(
            "The cut runs between points of equal x: no threshold can tell them apart.",
            lambda x, y: _pick(x, y, lambda cuts, mse, plain: np.argmin(mse), lambda mse, plain: mse, ties=True),
        ),
        Mistake(
            "The threshold is the last point on the left: halfway to the next point is asked for.",
            lambda x, y: (np.max(x[x <= _best_cut(x, y)[0]]), _best_cut(x, y)[1]),
        ),
        Mistake(
            "This is the worst cut: the smallest error is wanted, which is the largest drop.",
            lambda x, y: _pick(x, y, lambda cuts, mse, plain: np.argmax(mse), lambda mse, plain: mse),
        ),
        Mistake(
            "np.var(y) is a mean of squares and (17.6) the drop of their sum: divide the drop by n.",
            lambda x, y: (_best_cut(x, y)[0], np.var(y) - len(y) * (np.var(y) - _best_cut(x, y)[1])),
        ),
        Mistake(
            "The second number is by how much the error drops: the error that is left is asked for.",
            lambda x, y: (_best_cut(x, y)[0], np.var(y) - _best_cut(x, y)[1]),
        ),
    ],
    alternatives=[
        Alternative(lambda x, y: _best_cut(x, y)),
    ],
    hints=(
        Hint(
            "Where do I start?",
            "The smallest error is the largest drop: `tree_scan` gives the drop of every cut, in the order of the "
            "sorted $x$.",
        ),
        Hint("Two points have the same x.", "Rule that cut out before you take the best, for example by a drop of −∞."),
        Hint(
            "What is the error?",
            "The mean squared error before the cut is `np.var(y)`; the drop of the sum is $n$ times that of the mean.",
        ),
    ),
    see="Equation (17.7): the largest drop of (17.6) among cuts between different x.",
)


def _best_cut(x, y):
    return _pick(x, y, lambda cuts, mse, plain: np.argmin(mse), lambda mse, plain: mse)


def _pick(x, y, choose, report, ties=False):
    cuts, mse, plain = _all_cuts(x, y, ties)
    i = choose(cuts, mse, plain)
    return cuts[i], report(mse, plain)[i]


# --- the whole tree ---


def _descend(feature, threshold, left, value, X):
    tree = trees.Tree(feature, threshold, left, value, np.ones(len(left)))
    return trees.predict(tree, X)


def _walk(feature, threshold, left, X, goes_left, steps=None):
    """The node of each row after so many steps, or at the end."""
    ends = []
    for x in X:
        m, done = 0, 0
        while feature[m] >= 0 and done != steps:
            m, done = left[m] + (0 if goes_left(x[feature[m]], threshold[m]) else 1), done + 1
        ends.append(m)
    return np.array(ends)


tree_predict = Function(
    "tree_predict",
    asks="Down the tree",
    points=2,
    reference=_descend,
    cases=_grown,
    forbids=(trees.apply, trees.predict, trees.classify),
    mistakes=[
        Mistake(
            "A point exactly on the threshold goes to the right here: xⱼ ≤ t goes left.",
            lambda feature, threshold, left, value, X: value[_walk(feature, threshold, left, X, lambda x, t: x < t)],
        ),
        Mistake(
            "Left and right are exchanged: xⱼ ≤ t goes left.",
            lambda feature, threshold, left, value, X: value[_walk(feature, threshold, left, X, lambda x, t: x > t)],
        ),
        Mistake(
            "Only the first question is asked: go on until the node is a leaf.",
            lambda feature, threshold, left, value, X: value[
                _walk(feature, threshold, left, X, lambda x, t: x <= t, steps=1)
            ],
        ),
        Mistake(
            "This is the number of the leaf: its value is asked for.",
            lambda feature, threshold, left, value, X: _walk(feature, threshold, left, X, lambda x, t: x <= t),
        ),
        Mistake(
            "Every node asks about the root's feature here: node m has its own, feature[m].",
            lambda feature, threshold, left, value, X: value[
                _walk(np.where(feature < 0, -1, feature[0]), threshold, left, X, lambda x, t: x <= t)
            ],
        ),
    ],
    alternatives=[
        Alternative(
            lambda feature, threshold, left, value, X: value[_walk(feature, threshold, left, X, lambda x, t: x <= t)]
        ),
    ],
    hints=(
        Hint("Where does a row start?", "At node 0. Follow one row at a time; a loop over the rows is fine."),
        Hint("When does it stop?", "When `feature[m]` is −1. Until then go to `left[m]`, or to `left[m] + 1`."),
    ),
    see="Equation (17.8).",
)


def _leaf_errors(counts, seen):
    return seen.sum(axis=1) - seen[np.arange(len(seen)), np.argmax(counts, axis=1)]


def _fewest(left, counts, seen):
    return trees.best_errors(left, _leaf_errors(counts, seen))


def _of_all_leaves(left, e):
    """The errors of the unpruned tree below each node."""
    total = e.astype(float)
    for m in range(len(left))[::-1]:
        if left[m] != m:
            total[m] = total[left[m]] + total[left[m] + 1]
    return total


def _one_look(left, e):
    """Each node compared with its children as they stand, unpruned."""
    both = np.where(left == np.arange(len(left)), e, e[left] + e[np.minimum(left + 1, len(left) - 1)])
    return np.minimum(e, both)


tree_prune = Function(
    "tree_prune",
    asks="Pruning, from the leaves upwards",
    points=3,
    reference=_fewest,
    cases=_prunable,
    forbids=(trees.best_errors, trees.prune, trees.validation_errors),
    mistakes=[
        Mistake(
            "These are the errors on the training points, where no subtree errs more than its node alone: `seen` holds "
            "the validation points.",
            lambda left, counts, seen: _recursive(left, counts, counts),
        ),
        Mistake(
            "The labels are the validation majority: a node's label was fixed by the training points.",
            lambda left, counts, seen: _recursive(left, seen, seen),
        ),
        Mistake(
            "Nothing is pruned: this adds up the leaves below each node. Does the node alone err less?",
            lambda left, counts, seen: _of_all_leaves(left, _leaf_errors(counts, seen)),
        ),
        Mistake(
            "Everything is pruned: these are the errors of each node as a leaf, e(m).",
            lambda left, counts, seen: _leaf_errors(counts, seen),
        ),
        Mistake(
            "The children are compared as they stand: use their own best, e*(left) + e*(right), from the last node to "
            "the first.",
            lambda left, counts, seen: _one_look(left, _leaf_errors(counts, seen)),
        ),
        Mistake(
            "Each node is compared with the unpruned tree below it: once a child is pruned, its smaller error counts.",
            lambda left, counts, seen: np.minimum(
                _leaf_errors(counts, seen), _of_all_leaves(left, _leaf_errors(counts, seen))
            ),
        ),
        Mistake(
            "These are the points that come out right: the errors are asked for.",
            lambda left, counts, seen: seen.sum(axis=1) - _recursive(left, counts, seen),
        ),
    ],
    alternatives=[Alternative(lambda left, counts, seen: _recursive(left, counts, seen))],
    hints=(
        Hint(
            "What is e(m)?",
            "The node says `argmax(counts[m])`. Of its `seen[m].sum()` validation points, all others are errors.",
        ),
        Hint(
            "In which order do I go?",
            "A child has a larger number than its parent: go from the last node to the first, and both children are "
            "done when their parent's turn comes.",
        ),
    ),
    see="Equation (17.9).",
)


def _recursive(left, counts, seen):
    labels = [kinds.index(max(kinds)) for kinds in counts.tolist()]
    own = [sum(passed) - passed[label] for passed, label in zip(seen.tolist(), labels, strict=True)]

    def fewest(m):
        return own[m] if left[m] == m else min(own[m], fewest(left[m]) + fewest(left[m] + 1))

    return np.array([fewest(m) for m in range(len(left))])


# --- where greed fails ---


def _no_question_gains(points):
    """Below every threshold of x₁ and of x₂ the share of class 1 is that of all points: whole numbers say so."""
    for column in (0, 1):
        x, y = points[np.argsort(points[:, column])][:, [column, 2]].T
        last = np.flatnonzero(x[1:] > x[:-1])  # the last point below each threshold
        if not np.array_equal(np.cumsum(y)[last] * len(y), (last + 1) * np.sum(y)):
            return False
    return True


def _one_question_is_enough(points):
    of_0, of_1 = (points[points[:, 2] == k, :2] for k in (0, 1))
    if not len(of_0) or not len(of_1):
        return True
    return bool(np.any((of_0.max(axis=0) < of_1.min(axis=0)) | (of_1.max(axis=0) < of_0.min(axis=0))))


def _two_questions_are_enough(points):
    return any(
        _one_question_is_enough(points[x <= t]) and _one_question_is_enough(points[x > t])
        for x in points[:, :2].T
        for t in np.unique(x)[:-1]
    )


_SHAPE = "Give one row of three numbers for each point: x₁, x₂ and the class, 0 or 1."
_BOTH = "Both classes must occur."
_NO_GAIN = "Some first question has a gain: for every threshold of x₁ and of x₂ both sides must keep the mixture."
_SOLVED = "Two questions in a row do not separate the classes of these points."

tree_xor = Property(
    "tree_xor",
    asks="A problem without a first question",
    points=2,
    laws=[
        Law(_SHAPE, lambda points: points.ndim == 2 and points.shape[1] == 3 and _binary(points)),
        Law(_BOTH, lambda points: len(np.unique(points[:, 2])) == 2),
        Law(_NO_GAIN, _no_question_gains),
        Law(_SOLVED, _two_questions_are_enough),
    ],
    mistakes=[
        Mistake(_NO_GAIN, [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]]),
        Mistake(_NO_GAIN, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 0]]),
        Mistake(_BOTH, [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]]),
        Mistake(_SOLVED, [[0, 0, 0], [0, 0, 1], [0, 0, 0]]),
        Mistake(_SHAPE, [[0, 0], [0, 1], [1, 0], [1, 1]]),
    ],
    alternatives=[
        Alternative([[1, 5, 1], [1, 7, 0], [3, 5, 0], [3, 7, 1]]),
        Alternative(np.repeat([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], 3, axis=0)),
    ],
    hints=(
        Hint("What does a gain of zero need?", "Left and right of the cut the classes have the same shares."),
        Hint("How small can it be?", "Four points: the corners of a square. Which corners get class 1?"),
    ),
    see="The section *Break it*: the exclusive or.",
)


def _binary(points):
    return set(np.unique(points[:, 2])) <= {0, 1}


# --- a printed formula ---


def _leaf_mses(y, leaf):
    return np.array([np.var(y[leaf == m]) for m in np.unique(leaf)])


def _leaf_sses(y, leaf):
    return np.array([np.sum(leaf == m) for m in np.unique(leaf)]) * _leaf_mses(y, leaf)


def _leaf_cases(rng):
    made = []
    for sizes in ((1, 3), (2, 5, 3), (6, 3, 4, 2)):
        leaf = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        y = rng.integers(-4, 4, size=len(leaf)) + 4.0 * leaf
        y[leaf == 1] = rng.permutation(np.sum(leaf == 1)) - 1.0  # of both signs within one leaf
        made.append((y, 2 * leaf + 1))  # the leaves of a tree are some of its nodes: their numbers have gaps
    return made


tree_mse = Slip(
    "tree_mse",
    asks="The error of a regression tree",
    points=2,
    printed=lambda y, leaf: np.sum(_leaf_mses(y, leaf)),
    reference=trees.tree_mse,
    cases=_leaf_cases,
    admits=lambda y, leaf: np.ndim(y) == np.ndim(leaf) == 1 and np.shape(y) == np.shape(leaf) and np.size(y) > 0,
    domain="y and leaf of the same shape (n,), n ≥ 1",
    mistakes=[
        Mistake("This is still the printed formula.", lambda y, leaf: np.sum(_leaf_mses(y, leaf))),
        Mistake(
            "The plain mean over the leaves gives a leaf with one point the weight of a leaf with a hundred.",
            lambda y, leaf: np.mean(_leaf_mses(y, leaf)),
        ),
        Mistake(
            "This is the sum of the squared errors: divide by the number of all points.",
            lambda y, leaf: np.sum(_leaf_sses(y, leaf)),
        ),
        Mistake(
            "This is the error of the root alone: each leaf predicts its own mean.",
            lambda y, leaf: np.var(y),
        ),
        Mistake(SAME_THERE, ([1.0, 2.0, 4.0], [0, 0, 0]), part=1),
        Mistake(SAME_THERE, ([1.0, 1.0, 4.0], [0, 0, 1]), part=1),
    ],
    alternatives=[
        Alternative(
            lambda y, leaf: np.sum(_leaf_sses(y, leaf)) / len(y),
        ),
        Alternative(([1.0, 2.0, 4.0, 8.0], [0, 0, 1, 1]), part=1),
    ],
    hints=(
        Hint("What does the tree predict?", "For each point the mean of its leaf. Average the squared errors of all."),
        Hint("Where do the printed numbers go wrong?", "A leaf with two points counts as much as one with ninety."),
    ),
    see="Equation (17.10).",
)

tree_pruned_twice = Explanation(
    "tree_pruned_twice",
    asks="An honest tree",
    points=3,
    rubric=(
        "1 point: on the training points the full tree errs nowhere and a mixed node as a leaf does (no split raises "
        "the training errors), so nothing is cut there, and 100% says nothing. 1 point: on validation points a subtree "
        "that fitted wrong labels errs more than its node alone; (17.9) keeps what helps and cuts the rest. 1 point: "
        "88% was the best of many trees on those very points, so it is optimistic; a third set, used once, gives an "
        "honest number."
    ),
)

topic = Topic(
    number=17,
    slug="decision_trees",
    title="Decision trees",
    question="Which question should we ask first?",
    part="Trees and networks",
    minutes=90,
    before={
        "probability": "entropy and mutual information",
        "validation": "validation data",
    },
    exercises=[
        tree_impurities,
        tree_gain,
        tree_attributes,
        tree_two_splits,
        tree_strict,
        tree_drop_chain,
        tree_scan,
        tree_split,
        tree_predict,
        tree_prune,
        tree_xor,
        tree_mse,
        tree_pruned_twice,
    ],
)
check = Checks(topic)
