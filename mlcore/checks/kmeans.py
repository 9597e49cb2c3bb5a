"""The exercises of 21 kmeans."""

import numpy as np

from mlcore import kmeans
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
    but,
    exactly,
)

# --- data to be tried on: off centre, more centres than points, ties, empty groups, a point on a centre ---


def _cloud(rng, n, d, K):
    """Points and centres away from the origin, one coordinate above 0 and the next below: a forgotten ‖c‖² shows."""
    middle = 3 * (-1) ** np.arange(d)
    return rng.normal(size=(n, d)) * 2 + middle, rng.normal(size=(K, d)) * 2 + middle


def _whole(rng):
    """Whole numbers: the second point lies exactly between two centres, the third shows which distance is used."""
    mirror, axes = rng.choice([-1.0, 1.0], size=2), rng.permutation(2)
    X = np.array([[-2, 1], [0, 0], [6, 0], [2, 1]]) * mirror
    C = np.array([[1, 0], [-1, 0], [9, 0], [4, -2]]) * mirror
    return X[:, axes], C[:, axes]


def _assignments(rng):
    return [_whole(rng), _cloud(rng, 40, 3, 4), _cloud(rng, 5, 2, 7)]


def _groups(rng):
    """Labels with an empty group in the middle, at the end, or none; the groups have at least three points."""
    cases = []
    for n, d, K, labels in ((6, 2, 3, [0, 2]), (14, 3, 4, [0, 1, 2]), (15, 4, 3, [0, 1, 2])):
        X, C = _cloud(rng, n, d, K)
        z = np.concatenate([np.repeat(labels, 3), rng.choice(labels, n - 3 * len(labels))])
        cases.append((X.round(1) if n == 6 else X, rng.permutation(z), C))
    return cases


def _walks(rng):
    """Starts that are far from good; the second has more rounds than it needs, in the third a centre is nobody's."""
    small = rng.integers(0, 10, size=(5, 2)) + rng.uniform(0, 0.4, size=(5, 2)).round(2)
    X, C = _cloud(rng, 30, 2, 3)
    Y, D = _cloud(rng, 25, 3, 4)
    return [(small, small[:2], 2), (small, small[:2], 8), (X, np.vstack([C, [90.0, 90.0]]), 4), (Y, D, 3)]


def _crowded(rng):
    """Few centres for many points; all points but one as centres, and then another one."""
    X, C = _cloud(rng, 5, 2, 2)
    Y, D = _cloud(rng, 20, 3, 4)
    Z = rng.normal(size=(6, 2)) * 3 + [5, -2]
    left_out = rng.choice(np.arange(1, 6), size=2, replace=False)
    return [(X.round(1), C.round(1)), (Y, D), *((Z, np.delete(Z, i, axis=0)) for i in left_out)]


def _sums(rng):
    """A centre, and points off 0, one of them on the other side of it."""
    shapes = (3, 2), (7, 3), (4, 5)
    return [(rng.normal(size=d), np.vstack([rng.normal(size=(n - 1, d)) + 2, np.full(d, -1.5)])) for n, d in shapes]


def _multipliers(rng):
    return [
        (rng.uniform(0.2, 0.9, size=K), rng.uniform(0.5, 3), rng.uniform(0.5, 4, size=K), m)
        for K, m in ((2, 3.0), (3, 1.5), (4, rng.uniform(2.3, 2.8)))
    ]


def _squares(rng):
    """Squared distances; in the last case one point sits on a centre, and an m at which d² + 1e-16 is not 0."""
    small = rng.integers(1, 9, size=(2, 2)).astype(float) * [[1, 2.5], [3.5, 1]]
    wide, on = rng.uniform(0.2, 5, size=(6, 3)), rng.uniform(0.2, 5, size=(4, 3))
    on[rng.integers(4), rng.integers(3)] = 0
    return [(small, 3.0), (wide, rng.uniform(1.3, 1.8)), (on, rng.uniform(4.5, 6))]


def _shares(rng):
    cases = []
    for n, d, K, m in ((3, 2, 2, 3.0), (9, 3, 4, rng.uniform(1.3, 1.8)), (12, 2, 3, rng.uniform(2.3, 4))):
        X, _ = _cloud(rng, n, d, K)
        cases.append((X.round(1) if n == 3 else X, rng.dirichlet(np.ones(K), size=n), m))
    return cases


def _moves(rng):
    """Bounds with some slack; one centre stays, one moves so far that its lower bounds would be negative."""
    cases = []
    for n, d, K in ((3, 2, 2), (8, 3, 4), (10, 2, 5)):
        X, C = _cloud(rng, n, d, K)
        D, z = np.sqrt(kmeans.squared_distances(X, C)), kmeans.assign(X, C)
        step = rng.normal(size=(K, d)) * 0.4
        step[0], step[-1] = 0, 2.5 * np.sign(step[-1]) + step[-1]
        u = D[np.arange(n), z] + rng.uniform(0, 0.3, size=n)
        cases.append((u, np.maximum(0, D - rng.uniform(0, 0.5, size=D.shape)), z, C, C + step))
    return cases


def _no_links():
    return np.empty((0, 2), dtype=int)


def _links(rng):
    """Each kind of link alone, with its pair in both orders; two that cannot be kept; a third choice; many at once."""
    line = np.array([[-2.5], [-2.3], [2.5]]) + rng.uniform(0, 0.1, size=(3, 1)).round(2)
    far = np.array([[-2.5], [2.1], [2.5]]) + rng.uniform(0, 0.1, size=(3, 1)).round(2)
    two = np.array([[-2.5], [2.5]])
    three = np.array([[9.0], [2.5], [0.0]]) + rng.uniform(0, 0.1, size=(3, 1)).round(2)
    near = np.array([[0.3], [0.1], [0.2], [0.4]])
    X, C = _cloud(rng, 9, 2, 3)
    return [
        (line, two, _no_links(), np.array([[0, 1]])),
        (line, two, _no_links(), np.array([[1, 0]])),
        (far, two, np.array([[0, 1]]), _no_links()),
        (far, two, np.array([[1, 0]]), _no_links()),
        (near, three, _no_links(), np.array([[0, 1], [1, 2], [2, 0]])),
        (line, two, _no_links(), np.array([[0, 1], [1, 2], [2, 0]])),
        (line, two, np.array([[0, 1]]), np.array([[1, 0]])),
        (X, C, np.array([[0, 8], [5, 1]]), np.array([[0, 3], [4, 3], [7, 1]])),
        (near, three, np.array([[2, 1], [3, 0]]), np.array([[0, 1]])),
    ]


def _alone(rng):
    """Three groups or more, mixed, one of a single point; in the second case two points are the same."""
    cases = []
    for n, d, sizes in ((5, 1, (2, 2, 1)), (9, 2, (4, 1, 4)), (12, 3, (5, 4, 1, 2))):
        z = np.repeat(np.arange(len(sizes)), sizes)
        X = rng.normal(size=(n, d)) * 2 + z[:, None]
        if n == 9:
            X[1] = X[0]
        mixed = rng.permutation(n)
        cases.append((X[mixed].round(1) if n == 5 else X[mixed], z[mixed]))
    return cases


def _groupings(rng):
    """Two groupings of the same points with different numbers of groups; names that are not 0, 1, 2."""
    first = np.array([0, 0, 1, 1, 2]), rng.permutation([0, 0, 1, 2, 2])
    return [
        first,
        (rng.integers(0, 3, size=14), rng.integers(0, 4, size=14)),
        (rng.integers(0, 4, size=25) * 3, rng.integers(0, 2, size=25) + 1),
    ]


# --- 21a: the assignment ---

kmeans_assign = Function(
    "kmeans_assign",
    asks="The nearest centre",
    points=1,
    reference=kmeans.assign,
    cases=_assignments,
    compare=exactly,
    forbids=(kmeans.lloyd, kmeans.accelerated, kmeans.fit, kmeans.linked_assign),
    mistakes=[
        Mistake(
            "This is the centre with the largest inner product xᵀc. ‖x − c‖² = ‖x‖² − 2xᵀc + ‖c‖²: a centre far from "
            "the origin has to pay its ‖c‖².",
            lambda X, C: np.argmax(X @ C.T, axis=1),
        ),
        Mistake(
            "‖c‖² and xᵀc have the wrong proportion: the square gives ‖c‖² − 2xᵀc.",
            lambda X, C: np.argmin(np.sum(C**2, axis=1) - X @ C.T, axis=1),
        ),
        Mistake(
            "These are sums of absolute differences: the squared distance sums their squares.",
            lambda X, C: np.argmin(np.abs(X[:, None] - C).sum(axis=2), axis=1),
        ),
        Mistake("This is the farthest centre.", lambda X, C: np.argmax(kmeans.squared_distances(X, C), axis=1)),
        Mistake(
            "Where two centres are equally near, the first is asked for; this is the last.",
            lambda X, C: len(C) - 1 - np.argmin(kmeans.squared_distances(X, C)[:, ::-1], axis=1),
        ),
    ],
    alternatives=[
        Alternative(lambda X, C: np.argmin(kmeans.squared_distances(X, C), axis=1)),
        Alternative(lambda X, C: np.argmin(np.linalg.norm(X[:, None] - C, axis=2), axis=1)),  # unsquared: the same
        Alternative(lambda X, C: np.argmin(0.5 * np.sum(C**2, axis=1) - X @ C.T, axis=1)),
        Alternative(lambda X, C: [int(np.argmin(np.sum((x - C) ** 2, axis=1))) for x in X]),
    ],
    hints=(
        Hint(
            "How do I get all distances at once?",
            "`X[:, None] - C` has the shape $(n,K,d)$: square it and sum over the last axis.",
        ),
        Hint("And from distances to labels?", "`np.argmin(..., axis=1)` gives the first place of the smallest entry."),
    ),
    see="Equation (21.2): only the own term of a point in J depends on its label.",
)


# --- the refit ---


def _line_1(c, X):
    return np.sum((X - c) ** 2)


def _line_2(c, X):
    return len(X), np.sum(X, axis=0), np.sum(X**2)


def _line_3(c, X):
    mean = np.mean(X, axis=0)
    return len(X), mean, np.sum(X**2) - len(X) * mean @ mean


def _line_4(c, X):
    return 2 * len(X), c - np.mean(X, axis=0)


best_centre = Chain(
    "best_centre",
    asks="Why the mean",
    first=_line_1,
    lines=[
        Line(
            does="multiply out and sort by powers of c: q‖c‖² − 2cᵀs + t, with c in none of the three",
            parts=("q", "s", "t"),
            reference=_line_2,
            whole=lambda here, c, X: here[0] * c @ c - 2 * c @ here[1] + here[2],
            mistakes=[
                Mistake(
                    "The cross term comes only once here: (a − b)² = a² − 2ab + b², so s is the whole sum.",
                    but(_line_2, 1, lambda c, X: X.sum(axis=0) / 2),
                ),
                Mistake(
                    "‖c‖² is counted once, but it is in each of the n summands.",
                    but(_line_2, 0, lambda c, X: 1),
                ),
                Mistake(
                    "s has the mean where the sum belongs: each point brings its own cross term.",
                    but(_line_2, 1, lambda c, X: X.mean(axis=0)),
                ),
                Mistake(
                    "The −2 stands in the formula already, in −2cᵀs: it is not in s once more.",
                    but(_line_2, 1, lambda c, X: -2 * X.sum(axis=0)),
                ),
                Mistake(
                    "t is the squared length of the sum. The points are squared first, then added up.",
                    but(_line_2, 2, lambda c, X: np.sum(X.sum(axis=0) ** 2)),
                ),
                Mistake(
                    "t adds up the coordinates as they are: ‖x‖² is the sum of their squares.",
                    but(_line_2, 2, lambda c, X: np.sum(X)),
                ),
                Mistake(
                    "t is the square of the sum of all coordinates. They are squared first, then added up.",
                    but(_line_2, 2, lambda c, X: np.sum(X) ** 2),
                ),
                Mistake(
                    "t is divided by the number of points: line 1 is a sum over them, not a mean.",
                    but(_line_2, 2, lambda c, X: np.sum(X**2) / len(X)),
                ),
                Mistake(
                    "The points of t have their mean subtracted: multiplied out, the free term is the sum of the "
                    "‖xᵢ‖².",
                    but(_line_2, 2, lambda c, X: np.sum((X - X.mean(axis=0)) ** 2)),
                ),
                Mistake(
                    "q counts the coordinates: ‖c‖² is there once for each point.",
                    but(_line_2, 0, lambda c, X: X.shape[1]),
                ),
                Mistake(
                    "q counts all entries of X: ‖c‖² is there once for each point, and has all coordinates in it.",
                    but(_line_2, 0, lambda c, X: X.size),
                ),
            ],
        ),
        Line(
            does="complete the square: factor·‖c − m‖² + rest, with c in none of the three",
            parts=("factor", "m", "rest"),
            reference=_line_3,
            undo=lambda here, c, X: (here[0], here[0] * here[1], here[2] + here[0] * here[1] @ here[1]),
            mistakes=[
                Mistake(
                    "The square brings factor·‖m‖² with it, which line 2 does not have: the rest has to take it away.",
                    but(_line_3, 2, lambda c, X: np.sum(X**2)),
                ),
                Mistake(
                    "The square brings factor·‖m‖² with it, and the rest takes ‖m‖² away only once.",
                    but(_line_3, 2, lambda c, X: np.sum(X**2) - np.sum(X.mean(axis=0) ** 2)),
                ),
                Mistake(
                    "factor·‖m‖² has the wrong sign in the rest: the square adds it, so the rest takes it away.",
                    but(_line_3, 2, lambda c, X: np.sum(X**2) + len(X) * np.sum(X.mean(axis=0) ** 2)),
                ),
                Mistake(
                    "m is not divided by the factor: −2·factor·cᵀm has to be the −2cᵀs of line 2.",
                    but(_line_3, 1, lambda c, X: X.sum(axis=0)),
                ),
                Mistake(
                    "The rest is 0 only if all points are the same: line 2 has a t, and the square takes "
                    "factor·‖m‖² of it.",
                    but(_line_3, 2, lambda c, X: 0.0),
                ),
                Mistake(
                    "The rest is divided by the number of points: line 2 is a sum over them, not a mean.",
                    but(_line_3, 2, lambda c, X: np.sum((X - X.mean(axis=0)) ** 2) / len(X)),
                ),
                Mistake(
                    "This is the whole of line 1, and holds c. The rest is what it has besides the square.",
                    but(_line_3, 2, lambda c, X: np.sum((X - c) ** 2)),
                ),
                Mistake(
                    "The factor is lost: ‖c‖² stands in line 2 q times, and the square has to bring all of it.",
                    but(_line_3, 0, lambda c, X: 1),
                ),
            ],
        ),
        Line(
            does="differentiate line 3 with respect to c: a number in front, times a bracket that holds c once, with "
            "no number in front of it",
            parts=("number", "bracket"),
            reference=_line_4,
            follows=lambda before, c, X: (2 * before[0], c - before[1]),
            whole=lambda here, c, X: here[0] * here[1],
            mistakes=[
                Mistake(
                    "The 2 is missing: the derivative of ‖c − m‖² is 2(c − m).",
                    but(_line_4, 0, lambda c, X: len(X)),
                ),
                Mistake(
                    "The factor of the square is lost: a factor stays when you differentiate.",
                    but(_line_4, 0, lambda c, X: 2),
                ),
                Mistake(
                    "The bracket is turned round: ‖c − m‖² grows when c moves away from m.",
                    but(_line_4, 1, lambda c, X: X.mean(axis=0) - c),
                ),
                Mistake(
                    "The number is missing: in front of the bracket stands twice the factor of line 3.",
                    but(_line_4, 0, lambda c, X: 1),
                ),
                Mistake(
                    "The factor was squared: the derivative of factor·‖c − m‖² is 2·factor·(c − m).",
                    but(_line_4, 0, lambda c, X: len(X) ** 2),
                ),
            ],
        ),
    ],
    cases=_sums,
    forbids=(kmeans.objective, kmeans.squared_distances),
    alternatives=[
        Alternative(lambda c, X: (X.shape[0], np.ones(len(X)) @ X, np.trace(X @ X.T)), part=0),
        Alternative(lambda c, X: (len(X), X.mean(axis=0), np.sum((X - X.mean(axis=0)) ** 2)), part=1),
        Alternative(
            lambda c, X: (len(X), X.sum(axis=0) / len(X), np.sum(X**2) - np.sum(X.sum(axis=0) ** 2) / len(X)), 1
        ),
        Alternative(lambda c, X: (2 * X.shape[0], np.mean(c - X, axis=0)), part=2),
    ],
    hints=(
        Hint(
            "How do I multiply out?",
            r"$\lVert x_i-c\rVert^2=\lVert x_i\rVert^2-2c^\top x_i+\lVert c\rVert^2$, once for each point.",
        ),
        Hint(
            "Which square has these two terms?",
            r"$q\lVert c-m\rVert^2=q\lVert c\rVert^2-2q\,c^\top m+q\lVert m\rVert^2$. Compare the first two terms with "
            "those of line 2; the third is too much.",
        ),
        Hint(
            "How do I differentiate a squared length?",
            r"Entry by entry: the derivative of $\sum_j(c_j-m_j)^2$ by $c_j$ sees one summand only.",
        ),
    ),
    see="Equation (21.3): completing the square splits the sum into what c cannot change and a distance.",
)


def _per_group(X, z, C, of_points, of_none):
    return np.array([of_points(X[z == k]) if np.any(z == k) else of_none(C[k]) for k in range(len(C))])


kmeans_refit = Function(
    "kmeans_refit",
    asks="The centre of every group",
    points=1,
    reference=kmeans.refit,
    cases=_groups,
    forbids=(kmeans.lloyd, kmeans.accelerated, kmeans.fit),
    mistakes=[
        Mistake(
            "An empty group has no mean: 0/0 gives nan. Say what becomes of its centre; here it stays where it is.",
            lambda X, z, C: _per_group(X, z, C, lambda x: x.mean(axis=0), lambda c: np.nan * c),
        ),
        Mistake(
            "An empty group was sent to the origin, where no point need be: its centre stays where it is.",
            lambda X, z, C: _per_group(X, z, C, lambda x: x.mean(axis=0), lambda c: 0 * c),
        ),
        Mistake(
            "This is the median of each coordinate. It minimises the sum of |·|; the sum of squares asks for the mean.",
            lambda X, z, C: _per_group(X, z, C, lambda x: np.median(x, axis=0), lambda c: c),
        ),
        Mistake(
            "These are the sums of the groups: divide each by its own number of points.",
            lambda X, z, C: _per_group(X, z, C, lambda x: x.sum(axis=0), lambda c: c),
        ),
        Mistake(
            "The sums are divided by n, the number of all points: a group has its own number.",
            lambda X, z, C: _per_group(X, z, C, lambda x: x.sum(axis=0) / len(X), lambda c: c),
        ),
        Mistake(
            "The old centre is counted as one more point of its group.",
            lambda X, z, C: np.array([np.vstack([X[z == k], C[k]]).mean(axis=0) for k in range(len(C))]),
        ),
    ],
    alternatives=[
        Alternative(lambda X, z, C: _per_group(X, z, C, lambda x: x.mean(axis=0), lambda c: c)),
        Alternative(lambda X, z, C: _one_hot_refit(X, z, C)),
    ],
    hints=(
        Hint("How do I pick the points of group k?", "`X[z == k]` has one row for each of them."),
        Hint("What if there are none?", "Start from `C.copy()` and change only the rows of groups that have points."),
    ),
    see="Equation (21.4): by (21.3) the mean is best, and a group without points puts no demand on its centre.",
)


def _one_hot_refit(X, z, C):
    r = z[:, None] == np.arange(len(C))
    N = r.sum(axis=0)[:, None]
    return np.where(N > 0, r.T @ X / np.maximum(N, 1), C)


def _trace(X, C, rounds, assign=kmeans.assign, refit=kmeans.refit, J=kmeans.objective):
    values = []
    for _ in range(rounds):
        z = assign(X, C)
        values.append(J(X, z, C))
        C = refit(X, z, C)
        values.append(J(X, z, C))
    return np.array(values)


def _stale(X, C, rounds):
    """The labels of the first centres, kept."""
    z = kmeans.assign(X, C)
    return _trace(X, C, rounds, assign=lambda X, C: z)


lloyd_trace = Function(
    "lloyd_trace",
    asks="J after each half step",
    points=2,
    reference=lambda X, C, rounds: _trace(X, C, rounds),
    cases=_walks,
    forbids=(kmeans.lloyd, kmeans.accelerated, kmeans.fit),
    mistakes=[
        Mistake(
            "J is recorded once a round. Each round has two half steps, and J is asked for after both.",
            lambda X, C, rounds: _trace(X, C, rounds)[1::2],
        ),
        Mistake(
            "The labels are those of the first centres in every round: the assignment belongs inside the loop.",
            _stale,
        ),
        Mistake(
            "The centres never move: the refit has to replace C before the next round.",
            lambda X, C, rounds: _trace(X, C, rounds, refit=lambda X, z, C: C),
        ),
        Mistake(
            "J sums squared distances; these are distances.",
            lambda X, C, rounds: _trace(X, C, rounds, J=lambda X, z, C: np.sum(np.linalg.norm(X - C[z], axis=1))),
        ),
        Mistake(
            "The two numbers of each round are exchanged: first the assignment, then the refit.",
            lambda X, C, rounds: _trace(X, C, rounds).reshape(-1, 2)[:, ::-1].reshape(-1),
        ),
    ],
    alternatives=[
        Alternative(
            lambda X, C, rounds: _trace(
                X, C, rounds, J=lambda X, z, C: sum(np.sum((X[z == k] - C[k]) ** 2) for k in range(len(C)))
            ).tolist()
        ),
    ],
    hints=(
        Hint("What is one round?", "`z = kmeans_assign(X, C)`, then J; `C = kmeans_refit(X, z, C)`, then J again."),
        Hint("How do I compute J?", "`C[z]` has one row for each point: its centre. `np.sum((X - C[z])**2)`."),
    ),
    see="The section *Lloyd's algorithm*: each half step minimises J over one of its two arguments.",
)


# --- how many groups ---


def _best_J(X, C):
    return kmeans.squared_distances(X, C).min(axis=1).sum()


_NOT_LESS = "For some input J does not fall: the new centre must be nearer to some point than every old centre is."
_NOT_ZERO = (
    "Where the old centres are all points but one, n centres are enough for J = 0: the new one belongs on the point "
    "that has none."
)


def _one_is_nearest(X, C):
    """One point is nearest to its centre, or some lie on theirs."""
    nearest, next_to_it = np.sort(kmeans.squared_distances(X, C).min(axis=1))[:2]
    return nearest == 0 or next_to_it > nearest * (1 + 1e-6)


one_more_centre = Property(
    "one_more_centre",
    asks="One centre more",
    points=1,
    cases=_crowded,
    clear=_one_is_nearest,
    laws=[
        Law(
            "The answer must have one row more than C: the shape (K + 1, d).",
            lambda X, C, new: new.shape == (len(C) + 1, C.shape[1]),
        ),
        Law(_NOT_LESS, lambda X, C, new: _best_J(X, new) < _best_J(X, C) * (1 - 1e-9)),
        Law(_NOT_ZERO, lambda X, C, new: len(C) < len(X) - 1 or _best_J(X, new) < 1e-9 * _best_J(X, C)),
    ],
    mistakes=[
        Mistake("The answer must have one row more than C: the shape (K + 1, d).", lambda X, C: C.copy()),
        Mistake(
            "The new centre is a copy of an old one: no point comes nearer to a centre.",
            lambda X, C: np.vstack([C, C[0]]),
        ),
        Mistake(
            "The mean of all points is a good place for the first centre. For one more, look at the points that are "
            "served worst.",
            lambda X, C: np.vstack([C, X.mean(axis=0)]),
        ),
        Mistake(
            "The new centre sits on the point that is served best already. Which point adds most to J?",
            lambda X, C: np.vstack([C, X[kmeans.squared_distances(X, C).min(axis=1).argmin()]]),
        ),
    ],
    alternatives=[
        Alternative(lambda X, C: np.vstack([X[kmeans.squared_distances(X, C).min(axis=1).argmax()], C])),
        Alternative(  # the first point whose share is not zero
            lambda X, C: np.vstack([C, X[np.argmax(kmeans.squared_distances(X, C).min(axis=1) > 1e-9)]])
        ),
    ],
    hints=(
        Hint(
            "What can a new centre do?", "Put on a point, it makes that point's share of J zero, and raises nobody's."
        ),
        Hint("Which point?", "Any whose share is not zero yet; the one with the largest share is a safe choice."),
    ),
    see="The section *How many groups?*: a centre on the point that is farthest from all centres.",
)


# --- fuzzy c-means ---


def _lagrangian(r, alpha, d2, m):
    return np.sum(r**m * d2) + alpha * (1 - np.sum(r))


def _slope(r, alpha, d2, m):
    return m * d2, m - 1, alpha


def _stationary(r, alpha, d2, m):
    return alpha / (m * d2), 1 / (m - 1)


def _weights(r, alpha, d2, m):
    return 1 / (m - 1), (1 / (m * d2)) ** (1 / (m - 1))


def _multiplier(r, alpha, d2, m):
    return np.sum((1 / (m * d2)) ** (1 / (m - 1))), -(m - 1)


def _pulled_out(own, r, alpha, d2, m):
    """Line 4, made of a line 3 with α in its base: of a negative base it is nan, which tells nothing backwards."""
    base, power = own[1]
    return power, (base / alpha) ** power


fuzzy_kkt = Chain(
    "fuzzy_kkt",
    asks="From the Lagrangian to its multiplier",
    first=_lagrangian,
    lines=[
        Line(
            does="differentiate with respect to rₖ, and write the result as factorₖ·rₖ^exponent − constant, with r in "
            "none of the three; shapes (K,), a number, a number",
            parts=("factor", "exponent", "constant"),
            reference=_slope,
            whole=lambda here, r, alpha, d2, m: here[0] * r ** here[1] - here[2],
            mistakes=[
                Mistake(
                    "The factor lacks the old exponent: the derivative of rᵐ is m rᵐ⁻¹.",
                    but(_slope, 0, lambda r, alpha, d2, m: d2),
                ),
                Mistake(
                    "The factor is the old exponent of r, not the new one: the derivative of rᵐ is m rᵐ⁻¹.",
                    but(_slope, 0, lambda r, alpha, d2, m: (m - 1) * d2),
                ),
                Mistake(
                    "The exponent is still m: the derivative of rᵐ is m rᵐ⁻¹.",
                    but(_slope, 1, lambda r, alpha, d2, m: m),
                ),
                Mistake(
                    "The constant comes once for each centre: of Σr, entry k of the derivative sees only rₖ.",
                    but(_slope, 2, lambda r, alpha, d2, m: len(d2) * alpha),
                ),
                Mistake(
                    "The constant has lost its α: entry k of the derivative of α(1 − Σr) is −α.",
                    but(_slope, 2, lambda r, alpha, d2, m: 1.0),
                ),
                Mistake(
                    "The r is still in the factor: it stands behind it, as rₖ^exponent.",
                    but(_slope, 0, lambda r, alpha, d2, m: m * d2 * r ** (m - 1)),
                ),
                Mistake(
                    "d2 holds the squared distances already: this takes the root of them.",
                    but(_slope, 0, lambda r, alpha, d2, m: m * np.sqrt(d2)),
                ),
                Mistake(
                    "d2 holds the squared distances already: this squares them again.",
                    but(_slope, 0, lambda r, alpha, d2, m: m * d2**2),
                ),
            ],
        ),
        Line(
            does="solve “line 2 = 0” for rₖ, with α still unknown: rₖ = baseₖ^power, with a positive power; "
            "shape (K,) and a number",
            parts=("base", "power"),
            reference=_stationary,
            follows=lambda before, r, alpha, d2, m: (before[2] / before[0], 1 / before[1]),
            whole=lambda here, r, alpha, d2, m: here[0] ** here[1],
            mistakes=[
                Mistake(
                    "The power is not inverted: r^e = … gives r = (…)^(1/e), not (…)^e.",
                    but(_stationary, 1, lambda r, alpha, d2, m: m - 1),
                ),
                Mistake(
                    "This undoes the power m, which stands in line 1; in line 2 it is one less.",
                    but(_stationary, 1, lambda r, alpha, d2, m: 1 / m),
                ),
                Mistake(
                    "The m of line 2 is lost: the constant is divided by the whole factor.",
                    but(_stationary, 0, lambda r, alpha, d2, m: alpha / d2),
                ),
                Mistake(
                    "The fraction is upside down: far centres would get the larger share.",
                    but(_stationary, 0, lambda r, alpha, d2, m: m * d2 / alpha),
                ),
                Mistake(
                    "The power is carried out already: rₖ = baseₖ^power, and the base is what stands under it.",
                    lambda r, alpha, d2, m: ((alpha / (m * d2)) ** (1 / (m - 1)), 1.0),
                ),
                Mistake(
                    "The power is asked for with a plus: turn the fraction instead.",
                    lambda r, alpha, d2, m: (m * d2 / alpha, -1 / (m - 1)),
                ),
                Mistake(
                    "The constant was multiplied by the factor: factor·r^e = constant is divided by it.",
                    but(_stationary, 0, lambda r, alpha, d2, m: alpha * m * d2),
                ),
                Mistake(
                    "The factor was subtracted: factor·r^e = constant is divided by it.",
                    but(_stationary, 0, lambda r, alpha, d2, m: alpha - m * d2),
                ),
                Mistake(
                    "α is lost: the constant of line 2 is divided by the factor.",
                    but(_stationary, 0, lambda r, alpha, d2, m: 1 / (m * d2)),
                ),
            ],
        ),
        Line(
            does="pull α out: rₖ = α^power·weightₖ, with α in no weight; a number and shape (K,)",
            parts=("power", "weight"),
            reference=_weights,
            undo=lambda here, r, alpha, d2, m: ((alpha ** here[0] * here[1]) ** (1 / np.abs(here[0])), np.abs(here[0])),
            since=_pulled_out,
            whole=lambda here, r, alpha, d2, m: alpha ** here[0] * here[1],
            mistakes=[
                Mistake(
                    "The power is not that of line 3: this is the exponent of line 2, which was inverted there.",
                    but(_weights, 0, lambda r, alpha, d2, m: m - 1),
                ),
                Mistake(
                    "The weights have lost the power: (αb)^p = α^p·b^p, both factors are raised.",
                    but(_weights, 1, lambda r, alpha, d2, m: 1 / (m * d2)),
                ),
                Mistake(
                    "The power was applied to d² alone: the m beside it stands under the same power.",
                    but(_weights, 1, lambda r, alpha, d2, m: (1 / d2) ** (1 / (m - 1)) / m),
                ),
                Mistake(
                    "α is still in the weights: what is pulled out is gone from the bracket.",
                    but(_weights, 1, lambda r, alpha, d2, m: (alpha / (m * d2)) ** (1 / (m - 1))),
                ),
                Mistake(
                    "α is pulled out of the bracket without its power: (αb)^p = α^p·b^p.",
                    but(_weights, 0, lambda r, alpha, d2, m: 1.0),
                ),
                Mistake(
                    "This is α^power: the power alone is asked for.",
                    but(_weights, 0, lambda r, alpha, d2, m: alpha ** (1 / (m - 1))),
                ),
                Mistake(
                    "The weights are upside down: far centres would get the larger share.",
                    but(_weights, 1, lambda r, alpha, d2, m: (m * d2) ** (1 / (m - 1))),
                ),
                Mistake(
                    "The m is lost: it stands beside d² under the power.",
                    but(_weights, 1, lambda r, alpha, d2, m: (1 / d2) ** (1 / (m - 1))),
                ),
                Mistake(
                    "The m has come to the other side of the fraction line: it stands beside d².",
                    but(_weights, 1, lambda r, alpha, d2, m: (m / d2) ** (1 / (m - 1))),
                ),
                Mistake(
                    "These weights are divided by their sum. In line 3 nothing is: the α of line 5 will do that.",
                    but(_weights, 1, lambda r, alpha, d2, m: (w := (1 / d2) ** (1 / (m - 1))) / np.sum(w)),
                ),
            ],
        ),
        Line(
            does="let the memberships sum to 1 and solve for α: α = S^exponent, with S the sum of the weights",
            parts=("S", "exponent"),
            reference=_multiplier,
            follows=lambda before, r, alpha, d2, m: (np.sum(before[1]), -1 / before[0]),
            whole=lambda here, r, alpha, d2, m: here[0] ** here[1],
            mistakes=[
                Mistake(
                    "The exponent has the wrong sign: the larger the weights, the smaller α has to be.",
                    but(_multiplier, 1, lambda r, alpha, d2, m: m - 1),
                ),
                Mistake(
                    "The power of α is not undone: α^p·S = 1 gives α = S^(−1/p).",
                    but(_multiplier, 1, lambda r, alpha, d2, m: -1 / (m - 1)),
                ),
                Mistake(
                    "This divides by S, as if α stood there without its power: α^p·S = 1 gives α = S^(−1/p).",
                    but(_multiplier, 1, lambda r, alpha, d2, m: -1.0),
                ),
                Mistake(
                    "Each summand is to be raised to its power before the sum, not after it.",
                    but(_multiplier, 0, lambda r, alpha, d2, m: np.sum(1 / (m * d2)) ** (1 / (m - 1))),
                ),
                Mistake(
                    "The power is carried out already: α = S^exponent, and S is the sum of the weights alone.",
                    lambda r, alpha, d2, m: (np.sum(_weights(r, alpha, d2, m)[1]) ** (1 - m), 1.0),
                ),
                Mistake(
                    "S is upside down, and the exponent makes up for it: S is the sum of the weights itself.",
                    lambda r, alpha, d2, m: (1 / np.sum(_weights(r, alpha, d2, m)[1]), m - 1),
                ),
                Mistake(
                    "S is upside down: it is the sum of the weights, and the minus of the exponent turns it.",
                    but(_multiplier, 0, lambda r, alpha, d2, m: 1 / np.sum(_weights(r, alpha, d2, m)[1])),
                ),
                Mistake(
                    "S is the sum of the weights. This is their mean.",
                    but(_multiplier, 0, lambda r, alpha, d2, m: np.mean(_weights(r, alpha, d2, m)[1])),
                ),
                Mistake(
                    "α is in S: it was pulled out of the weights, and stands in front of their sum.",
                    but(_multiplier, 0, lambda r, alpha, d2, m: np.sum((alpha / (m * d2)) ** (1 / (m - 1)))),
                ),
                Mistake(
                    "S adds up the weights, and these are the 1/d².",
                    but(_multiplier, 0, lambda r, alpha, d2, m: np.sum(1 / d2)),
                ),
                Mistake(
                    "This is the power of α: α^p·S = 1 gives α = S^(−1/p).",
                    but(_multiplier, 1, lambda r, alpha, d2, m: 1 / (m - 1)),
                ),
            ],
        ),
    ],
    cases=_multipliers,
    forbids=(kmeans.memberships, kmeans.fuzzy_objective),
    alternatives=[
        Alternative(lambda r, alpha, d2, m: ([m * b for b in d2], m - 1, alpha)),
        Alternative(lambda r, alpha, d2, m: (alpha / d2 / m, (m - 1) ** -1.0), part=1),
        Alternative(lambda r, alpha, d2, m: (np.exp(np.log(alpha) - np.log(m * d2)), 1 / (m - 1)), part=1),
        Alternative(lambda r, alpha, d2, m: (1 / (m - 1), (m * d2) ** (-1 / (m - 1))), part=2),
        Alternative(lambda r, alpha, d2, m: (1 / (m - 1), np.exp(-np.log(m * d2) / (m - 1))), part=2),
        Alternative(lambda r, alpha, d2, m: (np.sum((m * d2) ** (-1 / (m - 1))), 1 - m), part=3),
        Alternative(lambda r, alpha, d2, m: (m ** (1 / (1 - m)) * np.sum(d2 ** (1 / (1 - m))), 1 - m), part=3),
    ],
    hints=(
        Hint("How do I differentiate a sum?", "Entry $k$ of the derivative sees only the summands with $r_k$."),
        Hint("How do I undo a power?", r"$r^e=a$ gives $r=a^{1/e}$ for $r>0$."),
        Hint("How do I pull α out?", r"A product under a power is a product of powers: $(ab)^p=a^pb^p$."),
        Hint(
            "How do I find α?",
            r"All memberships have the same power of $\alpha$ in front, so it comes out of their sum, which is 1.",
        ),
    ),
    see="The section *Groups with blurred borders*: stationary in r, then feasible.",
)


def _shares_of(D2, share):
    """Normalised rows, with the whole point to a centre on which it sits."""
    on = (D2 == 0).any(axis=1, keepdims=True)
    share = np.where(on, D2 == 0, share(np.where(D2 == 0, 1.0, D2)))
    return share / share.sum(axis=1, keepdims=True)


def _raw_shares(D2, m):
    on = (D2 == 0).any(axis=1, keepdims=True)
    return np.where(on, D2 == 0, np.where(D2 == 0, 1.0, D2) ** (-1 / (m - 1)))


def _no_care(D2, m):
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (1 / D2) ** (1 / (m - 1))
        return share / share.sum(axis=1, keepdims=True)


fuzzy_memberships = Function(
    "fuzzy_memberships",
    asks="Memberships",
    points=2,
    reference=kmeans.memberships,
    cases=_squares,
    mistakes=[
        Mistake(
            "d² is already squared: the exponent is 1/(m − 1), not 2/(m − 1).",
            lambda D2, m: _shares_of(D2, lambda d2: d2 ** (-2 / (m - 1))),
        ),
        Mistake("The memberships of a point sum to 1: divide each row by its sum.", _raw_shares),
        Mistake(
            "These shares fall like exp(−d²): that is a Gaussian mixture, not fuzzy c-means.",
            lambda D2, m: _shares_of(D2, lambda d2: np.exp(-d2)),
        ),
        Mistake(
            "A point that sits on a centre has d = 0, and 0/0 is nan: it belongs to that centre alone.",
            _no_care,
        ),
        Mistake(
            "The columns sum to 1. Each point, a row, has one membership to give away.",
            lambda D2, m: (raw := _raw_shares(D2, m)) / raw.sum(axis=0),
        ),
        Mistake(
            "The exponent is upside down: 1/(m − 1), so that m close to 1 decides sharply.",
            lambda D2, m: _shares_of(D2, lambda d2: d2 ** (1 - m)),
        ),
    ],
    alternatives=[
        Alternative(lambda D2, m: _shares_of(D2, lambda d2: d2 ** (-1 / (m - 1)))),
        Alternative(lambda D2, m: _as_printed(D2, m)),
    ],
    hints=(
        Hint("What do I do with α?", "Put the α of line 5 into line 4. Only ratios of distances are left."),
        Hint("Is there a short way?", r"Line 4 says $r_k\propto(1/d_k^2)^{1/(m-1)}$; then divide each row by its sum."),
        Hint("What about d = 0?", "Look for rows with a zero first: their answer is 1 at the zero and 0 elsewhere."),
    ),
    see="Equation (21.6): lines 4 and 5 of the chain together.",
)


def _as_printed(D2, m):
    rows = []
    for d2 in D2:
        if np.any(d2 == 0):
            rows.append((d2 == 0) / np.sum(d2 == 0))
        else:
            rows.append([1 / sum((a / b) ** (1 / (m - 1)) for b in d2) for a in d2])
    return np.array(rows, dtype=float)


fuzzy_centre = Function(
    "fuzzy_centre",
    asks="The centres of blurred groups",
    points=1,
    reference=kmeans.fuzzy_centres,
    cases=_shares,
    mistakes=[
        Mistake("The weights are rᵐ, as in J; these are r.", lambda X, R, m: R.T @ X / R.sum(axis=0)[:, None]),
        Mistake(
            "Above the line stands rᵐ, below it r: the weights must sum to 1, so both need the power.",
            lambda X, R, m: (R**m).T @ X / R.sum(axis=0)[:, None],
        ),
        Mistake("The weighted sums still have to be divided by the sum of the weights.", lambda X, R, m: (R**m).T @ X),
        Mistake(
            "The sums are divided by n: divide by the sum of the weights.",
            lambda X, R, m: (R**m).T @ X / len(X),
        ),
        Mistake(
            "The power was taken after the sum: (Σr)ᵐ is not Σrᵐ.",
            lambda X, R, m: (R**m).T @ X / (R.sum(axis=0) ** m)[:, None],
        ),
    ],
    alternatives=[
        Alternative(lambda X, R, m: np.array([np.average(X, axis=0, weights=r**m) for r in R.T])),
        Alternative(lambda X, R, m: np.einsum("nk,nd->kd", R**m / np.sum(R**m, axis=0), X)),
    ],
    hints=(
        Hint("What changes in the refit?", r"Each square has a weight: $\sum_ir_{ik}^m\lVert x_i-c_k\rVert^2$."),
        Hint("Where is it smallest?", r"$\sum_ir_{ik}^m(x_i-c_k)=0$: a mean with the weights $r_{ik}^m$."),
    ),
    see="Equation (21.7): set the derivative of (21.5) with respect to each centre to zero.",
)


# --- fewer distances ---

triangle_lemma = Choice(
    "triangle_lemma",
    asks="What a far centre cannot do",
    points=1,
    options={
        "a": Option(
            "$d(x,c)>d(x,b)$",
            wrong="On a line, take b = 0, c = 2 and x = 1: d(b, c) = 2d(x, b), and x is as near to c as to b.",
        ),
        "b": Option("$d(x,c)\\ge d(x,b)$"),
        "c": Option(
            "$d(x,c)\\ge2d(x,b)$",
            wrong="On a line, take b = 0, c = 2 and x = 1: d(b, c) = 2d(x, b), but d(x, c) = 1 is not 2.",
        ),
        "d": Option(
            "$d(x,c)\\ge d(b,c)$",
            wrong="On a line, take b = 0, c = 4 and x = 1: x lies between them, and d(x, c) = 3 is less than 4.",
        ),
    },
    reasons={
        "i": Option(
            "$d(x,c)=d(b,c)-d(x,b)\\ge2d(x,b)-d(x,b)$",
            wrong="The equality holds only if x lies between b and c. For other x an inequality is needed: which one?",
        ),
        "ii": Option(
            "$d(x,c)^2=d(b,c)^2-d(x,b)^2\\ge3d(x,b)^2$",
            wrong="That is Pythagoras, for a right angle at x. Nothing is known about the angle.",
        ),
        "iii": Option("$d(b,c)\\le d(b,x)+d(x,c)$, so $d(x,c)\\ge d(b,c)-d(x,b)\\ge2d(x,b)-d(x,b)$"),
        "iv": Option(
            "$d(x,c)\\le d(x,b)+d(b,c)\\le\\frac32d(b,c)$",
            wrong="This bounds d(x, c) from above. To rule c out, a bound from below is needed.",
        ),
    },
    hints=(
        Hint(
            "Where do I start?",
            "Write the triangle inequality with $d(b,c)$ on its left, the path through $x$ on its right.",
        ),
    ),
    see="Equation (21.8): the triangle inequality for the detour from b to c by way of x.",
)

moved_bounds = Function(
    "moved_bounds",
    asks="Bounds after the centres have moved",
    points=2,
    reference=kmeans.moved_bounds,
    returns=("u", "L"),
    cases=_moves,
    mistakes=[
        Mistake(
            "Some lower bounds are negative. They are true, and worse than what we know without them: a distance is at "
            "least 0.",
            lambda u, L, z, C, new: (u + _steps(C, new)[z], L - _steps(C, new)),
        ),
        Mistake(
            "The lower bounds rise. A centre may have come nearer, so they have to fall by its move.",
            lambda u, L, z, C, new: (u + _steps(C, new)[z], L + _steps(C, new)),
        ),
        Mistake(
            "The upper bound falls. The own centre may have gone away, so it has to rise by the move.",
            lambda u, L, z, C, new: (np.maximum(0, u - _steps(C, new)[z]), np.maximum(0, L - _steps(C, new))),
        ),
        Mistake(
            "The moves are squared: the triangle inequality holds for distances.",
            lambda u, L, z, C, new: (u + _steps(C, new)[z] ** 2, np.maximum(0, L - _steps(C, new) ** 2)),
        ),
        Mistake(
            "u rises by the largest move of any centre. That is true, but u belongs to the own centre: its own move is "
            "enough.",
            lambda u, L, z, C, new: (u + _steps(C, new).max(), np.maximum(0, L - _steps(C, new))),
        ),
        Mistake(
            "Every lower bound falls by the move of the point's own centre: each column has its own centre.",
            lambda u, L, z, C, new: (u + _steps(C, new)[z], np.maximum(0, L - _steps(C, new)[z][:, None])),
        ),
    ],
    alternatives=[
        Alternative(lambda u, L, z, C, new: (u + _steps(C, new)[z], np.clip(L - _steps(C, new), 0, None))),
        Alternative(
            lambda u, L, z, C, new: (
                [a + np.sqrt(np.sum((new[k] - C[k]) ** 2)) for a, k in zip(u, z, strict=True)],
                [[max(0.0, v - s) for v, s in zip(row, _steps(C, new), strict=True)] for row in L],
            )
        ),
    ],
    hints=(
        Hint("How far did each centre move?", "`np.linalg.norm(new - C, axis=1)`: shape $(K,)$."),
        Hint(
            "What does the triangle inequality say?", r"$d(x,c')\le d(x,c)+d(c,c')$, and $d(x,c')\ge d(x,c)-d(c,c')$."
        ),
    ),
    see="Equation (21.9): the triangle inequality for x, the old and the new place of a centre.",
)


def _steps(C, new):
    return np.linalg.norm(new - C, axis=1)


# --- constraints ---


def _greedy(X, C, must, cannot, both_ways=True, on_failure="fail"):
    """The rule with its variants: what the mistakes differ in."""
    D2 = kmeans.squared_distances(X, C)
    z = np.full(len(X), -1)
    for i in range(len(X)):
        together = {z[b] for a, b in must if a == i} | ({z[a] for a, b in must if b == i} if both_ways else set())
        apart = {z[b] for a, b in cannot if a == i} | ({z[a] for a, b in cannot if b == i} if both_ways else set())
        together.discard(-1)
        legal = [k for k in np.argsort(D2[i], kind="stable") if together <= {k} and k not in apart]
        if not legal and on_failure == "fail":
            return np.full(len(X), -1)
        z[i] = legal[0] if legal else (np.argmin(D2[i]) if on_failure == "nearest" else -1)
    return z


linked_assign = Function(
    "linked_assign",
    asks="Assignment with links, which may fail",
    points=2,
    reference=kmeans.linked_assign,
    cases=_links,
    compare=exactly,
    mistakes=[
        Mistake(
            "The links do not come in: this is the plain assignment.",
            lambda X, C, must, cannot: kmeans.squared_distances(X, C).argmin(axis=1),
        ),
        Mistake(
            "Only the cannot-links are kept: points with a must-link part.",
            lambda X, C, must, cannot: _greedy(X, C, [], cannot),
        ),
        Mistake(
            "Only the must-links are kept: points with a cannot-link share a group.",
            lambda X, C, must, cannot: _greedy(X, C, must, []),
        ),
        Mistake(
            "A link is a pair without an order: (1, 0) binds point 1 to point 0, and point 0 to point 1.",
            lambda X, C, must, cannot: _greedy(X, C, must, cannot, both_ways=False),
        ),
        Mistake(
            "Where no group is legal, this takes the nearest and breaks a link without a word: the assignment has "
            "failed, so all labels are −1.",
            lambda X, C, must, cannot: _greedy(X, C, must, cannot, on_failure="nearest"),
        ),
        Mistake(
            "Only the point without a legal group gets −1. The others are no clustering either: all labels are −1.",
            lambda X, C, must, cannot: _greedy(X, C, must, cannot, on_failure="skip"),
        ),
    ],
    alternatives=[Alternative(lambda X, C, must, cannot: _greedy(X, C, must, cannot))],
    hints=(
        Hint(
            "In what order do I try the centres?",
            "`np.argsort(np.sum((X[i] - C)**2, axis=1))` lists them from near to far. Take the first legal one.",
        ),
        Hint(
            "When is a label k legal for point i?",
            "For every link that contains $i$ and a point $j<i$: a must-link asks for $z_j=k$, a cannot-link for "
            "$z_j\\neq k$.",
        ),
        Hint("How do I report failure?", "`return np.full(len(X), -1)` as soon as no label is legal."),
    ),
    see="The section *Groups with conditions* states the rule; a link counts when the second of its points is placed.",
)


# --- scores ---


def _silhouette(X, z, power=0.5, own=0, rest=False, lone=0.0):
    """The definition with its variants: what the mistakes differ in."""
    D = kmeans.squared_distances(X, X) ** power
    s = []
    for i in range(len(X)):
        mine = z == z[i]
        n_own = mine.sum()
        if n_own == 1:
            s.append(lone)
            continue
        a = D[i, mine].sum() / (n_own - 1 + own)
        b = D[i, ~mine].mean() if rest else min(D[i, z == k].mean() for k in np.unique(z) if k != z[i])
        with np.errstate(invalid="ignore"):  # two groups on one spot
            s.append((b - a) / max(a, b))
    return np.array(s)


def _apart(X, z):
    """No two groups lie on one spot: there a and b are both 0."""
    return bool(np.isfinite(_silhouette(X, z)).all())


lone_silhouette = Slip(
    "lone_silhouette",
    asks="The silhouette of every point",
    points=2,
    printed=lambda X, z: _silhouette(X, z, lone=np.nan),
    reference=kmeans.silhouette,
    cases=_alone,
    clear=lambda X, z: _apart(X, z),
    admits=lambda X, z: np.ndim(X) == 2 and np.shape(z) == (len(X),) and len(np.unique(z)) > 1 and _apart(X, z),
    domain="X of shape (n, d), z of shape (n,) and at least two groups, no two of them on one spot",
    mistakes=[
        Mistake(
            "This is still the printed formula: for a point that is alone, a is 0/0.",
            lambda X, z: _silhouette(X, z, lone=np.nan),
        ),
        Mistake(
            "A point that is alone gets the best score here. Its group says nothing: the convention is 0.",
            lambda X, z: _silhouette(X, z, lone=1.0),
        ),
        Mistake(
            "The point itself is not among the other points of its group: divide by their number, one less.",
            lambda X, z: _silhouette(X, z, own=1),
        ),
        Mistake(
            "These are squared distances: a and b are means of plain ones.", lambda X, z: _silhouette(X, z, power=1)
        ),
        Mistake(
            "b takes all other groups together: it is the mean distance to the nearest one of them.",
            lambda X, z: _silhouette(X, z, rest=True),
        ),
        Mistake(SAME_THERE, ([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), part=1),
    ],
    alternatives=[
        Alternative(lambda X, z: _silhouette(X, z)),
        Alternative(lambda X, z: _silhouette(X, z).tolist()),
        Alternative(([[0.0, 0.0], [3.0, 4.0]], [0, 1]), part=1),
    ],
    hints=(
        Hint(
            "How do I get all distances?",
            "`np.linalg.norm(X[:, None] - X, axis=2)`: shape $(n,n)$, zero on the diagonal.",
        ),
        Hint(
            "How do I leave the point itself out?",
            "Its distance to itself is 0: sum over the group, divide by its size less 1.",
        ),
        Hint("Where does the printed definition stop working?", "Where there is no other point to take the mean over."),
    ),
    see="Equation (21.10), with 0 for a group of one.",
)


def _pairs(z, w):
    """For every unordered pair: together in z, together in w."""
    i, j = np.triu_indices(len(z), 1)
    return z[i] == z[j], w[i] == w[j]


def _adjusted(z, w):
    S, T = _pairs(z, w)
    both, in_z, in_w, pairs = np.sum(S & T), S.sum(), T.sum(), len(S)
    chance = in_z * in_w / pairs
    return (both - chance) / ((in_z + in_w) / 2 - chance)


rand_score = Function(
    "rand_score",
    asks="The Rand index",
    points=1,
    reference=kmeans.rand_index,
    cases=_groupings,
    mistakes=[
        Mistake(
            "This counts the points with equal labels. The numbers of groups are arbitrary: compare pairs of points.",
            lambda z, w: np.mean(z == w),
        ),
        Mistake("This is the adjusted Rand index, which subtracts what chance would give.", _adjusted),
        Mistake(
            "n² counts every pair twice and each point with itself: there are n(n − 1)/2 pairs.",
            lambda z, w: np.sum(np.equal(*_pairs(z, w))) / len(z) ** 2,
        ),
        Mistake(
            "Each point is paired with itself, and agrees: leave the diagonal out.",
            lambda z, w: np.mean((z[:, None] == z) == (w[:, None] == w)),
        ),
        Mistake(
            "Only pairs that are together in both are counted: pairs that are apart in both agree as well.",
            lambda z, w: np.mean(np.logical_and(*_pairs(z, w))),
        ),
        Mistake(
            "This is the share of pairs about which the groupings disagree.",
            lambda z, w: np.mean(np.not_equal(*_pairs(z, w))),
        ),
    ],
    alternatives=[
        Alternative(lambda z, w: np.mean(np.equal(*_pairs(z, w)))),
        Alternative(lambda z, w: (np.sum((z[:, None] == z) == (w[:, None] == w)) - len(z)) / (len(z) * (len(z) - 1))),
    ],
    hints=(
        Hint("What is compared?", "For each pair of points, whether `z[i] == z[j]` and whether `w[i] == w[j]`."),
        Hint("How do I list the pairs?", "`i, j = np.triu_indices(n, 1)` gives every pair once."),
    ),
    see="Equation (21.11): the share of pairs about which both groupings say the same.",
)

ten_groups = Explanation(
    "ten_groups",
    asks="What a clustering proves",
    points=3,
    rubric=(
        "1 point: different starts end at different local minima (each half step lowers J, none looks further), so "
        "several starts, and the smallest J. 1 point: the best J falls with K down to 0 at K = n, so a smaller J at a "
        "larger K proves nothing; elbow or silhouette instead. 1 point: 0.82 is what shuffled labels get with ten "
        "groups, because most pairs are apart in both; 0.94 has to be compared with that, not with 0."
    ),
)

topic = Topic(
    number=21,
    slug="kmeans",
    title="k-means",
    question="Which points belong together when nobody has named the groups?",
    part="Unsupervised",
    minutes=90,
    before={
        "gradient_descent": "coordinate descent",
        "svm": "multipliers",
    },
    exercises=[
        kmeans_assign,
        best_centre,
        kmeans_refit,
        lloyd_trace,
        one_more_centre,
        fuzzy_kkt,
        fuzzy_memberships,
        fuzzy_centre,
        triangle_lemma,
        moved_bounds,
        linked_assign,
        lone_silhouette,
        rand_score,
        ten_groups,
    ],
)
check = Checks(topic)
