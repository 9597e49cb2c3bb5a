"""The exercises of 18 ensembles."""

from math import comb

import numpy as np

from mlcore import ensembles
from mlcore.engine.exercises import (
    SAME_THERE,
    Alternative,
    Chain,
    Checks,
    Choice,
    Explanation,
    Function,
    Hint,
    Line,
    Mistake,
    Option,
    Slip,
    Topic,
    but,
)

# --- data to be tried on ---


def _averages(rng):
    return [
        (0.25, 2.0, int(rng.integers(3, 6))),
        (-0.2, rng.uniform(1, 2), int(rng.integers(2, 6))),  # five can have correlations down to −1/4
        (rng.uniform(0.1, 0.4), rng.uniform(1.5, 3), int(rng.integers(6, 20))),
        (rng.uniform(0.6, 0.9), rng.uniform(0.2, 0.8), int(rng.integers(20, 90))),
    ]


def _sizes(rng):
    return [(int(rng.choice([3, 5])),), (2 * int(rng.integers(5, 20)),), (int(rng.integers(800, 3000)),)]


def _bagged(rng):
    """Labels of k learners, how often each point was in each bag, and the truth; some points were in every bag."""
    made = []
    for k, n, K in ((4, 8, 2), (6, 12, 2), (8, 18, 3)):
        while True:
            y = rng.permutation(np.arange(n) % K)
            labels = np.where(rng.random((k, n)) < 0.6, y, rng.integers(0, K, size=(k, n)))
            bags = np.array([np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(k)])
            bags[:, : n // 6] += 1  # never out of bag, and of every class
            y[: n // 6] = K - 1
            labels[:2, -2:], bags[:2, -2:], bags[2:, -2:], y[-2:] = [[0, 1], [1, 0]], 0, 1, 0  # ties, in both orders
            labels[:, -3], bags[:, -3], y[-3] = 0, 0, 0
            labels[-1, -3], bags[-1, -3] = 1, 1  # one tree has seen it, and is alone with what it says
            if (bags == 0).any(axis=1).all():
                break
        made.append((labels, bags, y))
    return made


def _forests(rng):
    return [
        (4, 2, 3),
        (2 * int(rng.integers(4, 7)) + 1, 3, 2 * int(rng.integers(2, 5))),
        (int(rng.integers(20, 40)), int(rng.integers(4, 7)), int(rng.integers(10, 20))),
    ]


def _weighted(rng):
    """Weights that sum to 1, labels, and what a learner says; the second one is worse than chance."""
    made = []
    for n, wrong in ((4, 1), (9, 6), (12, 4)):
        s = rng.permutation(np.where(np.arange(n) % 3 == 0, -1, 1))
        h = np.where(rng.permutation(n) < wrong, -s, s)
        P = rng.integers(1, 9, size=n) + 4.0 * (h != s) * (wrong > n / 2)
        made.append((P / P.sum(), s, h))
    return made


def _chained(rng):
    return [(sign * rng.uniform(0.3, 1.2), *case) for sign, case in zip((1, -1, 1), _weighted(rng), strict=True)]


def _ballots(rng):
    """The labels of T learners, their α, and the truth; some α are negative."""
    made = []
    for T, n in ((3, 5), (6, 12), (9, 20)):
        s = rng.permutation(np.where(np.arange(n) % 3 == 0, -1, 1))
        H = np.where(rng.random((T, n)) < 0.65, s, -s)
        alpha = rng.uniform(0.05, 1.5, size=T) * np.where(np.arange(T) % 3 == 2, -1, 1)
        if T == 3:  # one learner against the others, and louder than they are
            H[:, 0], alpha[0] = [-s[0], s[0], s[0]], 1 + alpha[1]
        made.append((H, alpha, s))
    return made


def _stumps(rng):
    """A small sample; one where the left side is +1; one with equal x between which the labels change."""

    def drawn(make, sign=0):
        while True:
            x, s, P = make()
            P = P / P.sum()
            stumps = _all_stumps(x, s, P)
            best = _chosen(x, s, P, P)
            decided = _one_is_best(stumps) and _one_is_best([stump for stump in stumps if stump[1] > 0])
            if decided and best[1] != -sign and best[:2] != _chosen(x, s, P, np.full(len(s), 1 / len(s)))[:2]:
                return x, s, P

    def small():
        s = np.array([1, -1, 1, -1, 1])
        return rng.permutation([1.0, 2.0, 4.0, 7.0, 8.0]), s, rng.integers(1, 9, size=5).astype(float)

    def falling():
        x = rng.permutation(10) / 2 - 1
        s = np.where(x < 1, 1, -1) * np.where(rng.random(10) < 0.3, -1, 1)
        return x, s, rng.integers(1, 9, size=10).astype(float)

    def tied():
        x = np.array([-4.0, -3.0, -2.0, -2.0, -2.0, -2.0, -1.0, 1.0, 1.0, 2.0])  # the best threshold is negative
        s = np.array([-1, -1, -1, -1, 1, 1, 1, 1, 1, -1])
        return x, s, rng.integers(1, 9, size=10).astype(float)

    return [drawn(small), drawn(falling, sign=-1), drawn(tied, sign=1)]


def _one_is_best(stumps):
    least, second = np.sort([error for *_, error in stumps])[:2]
    return second - least > 1e-3


def _all_stumps(x, s, P, ties=False):
    """Every threshold and sign with its weighted error; with `ties`, cuts between equal x too."""
    rank = np.argsort(x, kind="stable")
    x, s, P = x[rank], s[rank], P[rank]
    right = np.tri(len(x), k=-1).T[:-1] > 0  # row i: the points right of cut i
    cuts, wrong = (x[1:] + x[:-1]) / 2, (np.where(right, 1, -1) != s) @ P
    return [
        stump
        for t, error, usable in zip(cuts, wrong, ties | (x[1:] > x[:-1]), strict=True)
        if usable
        for stump in ((t, 1, error), (t, -1, 1 - error))
    ]


def _folded(rng):
    """Different x, y off a line, both of both signs, and folds of different sizes with at least two points each."""
    made = []
    for sizes, first in (((2, 3), 0), ((3, 2, 4), 1), ((2, 4, 3, 2), 0)):
        n = sum(sizes)
        x = rng.permutation(n) - n // 2 + rng.uniform(-0.3, 0.3, size=n)
        fold = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        made.append((x, 3 * x - 1 + rng.normal(size=n), fold + first))
    return made


def _juries(rng):
    return [(0.25, 3), (rng.uniform(0.3, 0.45), 2 * int(rng.integers(3, 9)) + 1), (rng.uniform(0.55, 0.7), 11)]


# --- bagging ---

bag_variance = Function(
    "bag_variance",
    asks="The variance of a mean of relatives",
    points=2,
    reference=ensembles.average_variance,
    cases=_averages,
    mistakes=[
        Mistake(
            "σ²/k holds only for independent learners: these have a covariance of ρσ², k(k − 1) times.",
            lambda rho, sigma, k: sigma**2 / k,
        ),
        Mistake(
            "ρσ² is the limit k → ∞: with one learner it must be σ².",
            lambda rho, sigma, k: rho * sigma**2,
        ),
        Mistake(
            "The roles are exchanged: the part that averaging removes is 1 − ρ.",
            lambda rho, sigma, k: (1 - rho) * sigma**2 + rho * sigma**2 / k,
        ),
        Mistake(
            "ρσ² + σ²/k counts the diagonal twice: there are k(k − 1) pairs of different learners, not k².",
            lambda rho, sigma, k: rho * sigma**2 + sigma**2 / k,
        ),
        Mistake(
            "This is the variance of the sum: the mean has a factor 1/k, and its variance the square of that.",
            lambda rho, sigma, k: k * sigma**2 + k * (k - 1) * rho * sigma**2,
        ),
        Mistake(
            "The sum over all pairs is divided by k: a factor 1/k comes out of a variance as 1/k².",
            lambda rho, sigma, k: sigma**2 + (k - 1) * rho * sigma**2,
        ),
        Mistake(
            "ρ is a correlation: the covariance of two learners is ρσ².",
            lambda rho, sigma, k: rho + (sigma**2 - rho) / k,
        ),
        Mistake(
            "σ is a standard deviation: variances and covariances have its square.",
            lambda rho, sigma, k: rho * sigma + (1 - rho) * sigma / k,
        ),
        Mistake(
            "Each pair of different learners occurs twice in the double sum, as (b, c) and as (c, b).",
            lambda rho, sigma, k: sigma**2 / k + (k - 1) / (2 * k) * rho * sigma**2,
        ),
    ],
    alternatives=[
        Alternative(lambda rho, sigma, k: sigma**2 / k + (k - 1) / k * rho * sigma**2),
        Alternative(lambda rho, sigma, k: np.mean(sigma**2 * (rho * np.ones((k, k)) + (1 - rho) * np.eye(k)))),
    ],
    hints=(
        Hint(
            "Where do I start?",
            r"$\mathrm{Var}\frac1k\sum_bf_b=\frac1{k^2}\sum_{b,c}\mathrm{Cov}(f_b,f_c)$: add up a $k\times k$ table.",
        ),
        Hint("What is in the table?", r"$\sigma^2$ on the diagonal, $k$ times; $\rho\sigma^2$ in the other places."),
    ),
    see="Equation (18.1): the k × k table of covariances, added up and divided by k².",
)

bag_left_out = Function(
    "bag_left_out",
    asks="Who is not in the bag?",
    points=1,
    reference=ensembles.left_out,
    cases=_sizes,
    mistakes=[
        Mistake(
            "1/n is the probability of being hit by one draw: being missed by all n of them is asked for.",
            lambda n: 1 / n,
        ),
        Mistake(
            "That is the probability of being in the sample: the complement is asked for.",
            lambda n: 1 - (1 - 1 / n) ** n,
        ),
        Mistake(
            "1/e is the limit n → ∞: for a given n it is a little less.",
            lambda n: np.exp(-1),
        ),
        Mistake("This is one draw: there are n of them.", lambda n: 1 - 1 / n),
        Mistake("(1/n)ⁿ is the probability of being drawn every time.", lambda n: (1 / n) ** n),
    ],
    alternatives=[
        Alternative(lambda n: np.exp(n * np.log1p(-1 / n))),
        Alternative(lambda n: ((n - 1) / n) ** n),
    ],
    hints=(
        Hint("What happens in one draw?", "A point is missed with the probability $1-\\frac1n$."),
        Hint("And in n draws?", "They are independent: multiply."),
    ),
    see="Equation (18.2).",
)


def _oob(labels, bags, y):
    """By the ranks of the labels, which may be large."""
    _, ranks = np.unique(np.append(labels, y), return_inverse=True)
    return ensembles.oob_error(ranks[: -len(y)].reshape(np.shape(labels)), bags, ranks[-len(y) :])


def _tree_errors(labels, bags, y):
    """The out-of-bag error of each learner by itself."""
    return [np.mean(a[b == 0] != y[b == 0]) for a, b in zip(labels, bags, strict=True)]


def _votes(labels, counted, y):
    """For each point: is the vote of the learners that count wrong? And does any count?"""
    tally = [np.sum(counted & (labels == c), axis=0) for c in range(int(np.max(labels)) + 1)]
    return np.argmax(tally, axis=0) != y, counted.any(axis=0)


def _error_of_those_asked(labels, counted, y):
    wrong, asked = _votes(labels, counted, y)
    return np.mean(wrong[asked])


def _ballot_is_usable(labels, bags, y):
    whole = all(np.all((a >= 0) & (a == np.round(a))) for a in (labels, bags, y))
    shapes = np.ndim(labels) == 2 and np.shape(labels) == np.shape(bags) and np.shape(y) == np.shape(labels)[1:]
    return bool(shapes and whole and np.size(y) and (bags == 0).any(axis=1).all())


oob_error = Slip(
    "oob_error",
    asks="The error of a forest, out of the bag",
    points=4,
    printed=lambda labels, bags, y: np.mean(_tree_errors(labels, bags, y)),
    reference=_oob,
    cases=_bagged,
    forbids=(ensembles.oob_error, ensembles.vote),
    admits=_ballot_is_usable,
    domain="labels and bags of shape (k, n) and y of shape (n,), all whole numbers ≥ 0, and a 0 in every row of bags",
    mistakes=[
        Mistake(
            "This is still the printed rule: it estimates the error of one tree. Let the trees vote first.",
            lambda labels, bags, y: np.mean(_tree_errors(labels, bags, y)),
        ),
        Mistake(
            "All trees vote here, also those that have seen the point: they know its label by heart.",
            lambda labels, bags, y: np.mean(_votes(labels, np.ones(bags.shape, dtype=bool), y)[0]),
        ),
        Mistake(
            "The trees that have seen the point vote here: those with bags = 0 should.",
            lambda labels, bags, y: _error_of_those_asked(labels, bags > 0, y),
        ),
        Mistake(
            "A point that every tree has seen has no vote; here it is counted all the same. Leave it out.",
            lambda labels, bags, y: np.mean(_votes(labels, bags == 0, y)[0]),
        ),
        Mistake(
            "The points that every tree has seen are still in the number that you divide by: count those with a vote.",
            lambda labels, bags, y: np.sum(np.logical_and(*_votes(labels, bags == 0, y))) / len(y),
        ),
        Mistake(
            "The trees are judged one by one, point by point: let them vote first, then judge the vote.",
            lambda labels, bags, y: np.mean(
                [np.mean(a[b == 0] != c) for a, b, c in zip(labels.T, bags.T, y, strict=True) if np.any(b == 0)]
            ),
        ),
        Mistake(
            "Of equal counts the largest label wins here: the smallest is asked for.",
            lambda labels, bags, y: _error_of_those_asked(9 - labels, bags == 0, 9 - y),
        ),
        Mistake(
            "All pairs of a tree and a point it has not seen are thrown together: that is still the error of one tree.",
            lambda labels, bags, y: np.sum((labels != y) & (bags == 0)) / np.sum(bags == 0),
        ),
        Mistake(
            "This is the share of points whose vote is right: the errors are asked for.",
            lambda labels, bags, y: 1 - _error_of_those_asked(labels, bags == 0, y),
        ),
        Mistake(SAME_THERE, ([[0, 1]], [[0, 0]], [0, 0]), part=1),
        Mistake(SAME_THERE, ([[0, 1], [0, 1]], [[0, 1], [1, 0]], [0, 0]), part=1),
    ],
    alternatives=[
        Alternative(lambda labels, bags, y: _error_of_those_asked(labels, bags == 0, y)),
        Alternative(([[1, 0], [0, 0], [0, 0]], [[0, 0], [0, 0], [0, 0]], [0, 0]), part=1),
    ],
    hints=(
        Hint("Who votes on point i?", "The trees with `bags[b, i] == 0`: column $i$ of `labels`, at those rows."),
        Hint("How do I count?", "`np.argmax(np.bincount(votes))` is the most frequent label, the smallest of equals."),
        Hint(
            "And a counter-example?",
            "Three trees, one point, all bags 0: let one tree err. How often does the vote err?",
        ),
    ),
    see="Equation (18.3): first the vote of those that have not seen the point, then the mean over the points.",
)


def _seen(d, m, N):
    """(18.4) without cancellation: with one split it is m, however large d is."""
    with np.errstate(divide="ignore"):
        return -d * np.expm1(N * np.log1p(-m / d))


forest_features = Slip(
    "forest_features",
    asks="How many features a tree gets to see",
    points=2,
    printed=lambda d, m, N: m + 0 * d,
    reference=_seen,
    cases=_forests,
    forbids=(ensembles.features_seen,),
    admits=lambda d, m, N: all(np.ndim(v) == 0 and v == np.round(v) for v in (d, m, N)) and 1 <= m <= d and N >= 1,
    domain="whole numbers with 1 ≤ m ≤ d and N ≥ 1",
    mistakes=[
        Mistake("This is still the printed number: one draw for the whole tree.", lambda d, m, N: m),
        Mistake(
            "N·m counts a feature as often as it is drawn, and can be more than d.",
            lambda d, m, N: N * m,
        ),
        Mistake(
            "This says that all d are seen: draws repeat each other, and a feature may be missed by all of them.",
            lambda d, m, N: d,
        ),
        Mistake(
            "This is one feature for each split: a split draws m, and misses a feature with probability 1 − m/d.",
            lambda d, m, N: d * (1 - (1 - 1 / d) ** N),
        ),
        Mistake("This is the share of the features: multiply by d.", lambda d, m, N: 1 - (1 - m / d) ** N),
        Mistake(
            "These are the features that are never drawn: subtract them from d.", lambda d, m, N: d * (1 - m / d) ** N
        ),
        Mistake(
            "The m features of one split are different from each other: it misses a feature with probability 1 − m/d.",
            lambda d, m, N: d * (1 - (1 - 1 / d) ** (m * N)),
        ),
        Mistake(SAME_THERE, (10, 3, 1), part=1),
        Mistake(SAME_THERE, (5, 5, 4), part=1),
    ],
    alternatives=[
        Alternative(lambda d, m, N: d - (d - m) ** N / d ** (N - 1)),
        Alternative((4, 1, 2), part=1),
    ],
    hints=(
        Hint("Where do I start?", "With one feature: a split misses it with probability $1-\\frac md$. And $N$?"),
        Hint("How many features are seen?", "Add up the probabilities of being seen over all $d$ features."),
    ),
    see="Equation (18.4): the expected number is the sum of the probabilities.",
)


# --- boosting ---

boost_stump = Function(
    "boost_stump",
    asks="The best weighted stump",
    points=2,
    reference=ensembles.stump,
    returns=("threshold", "sign", "error"),
    cases=_stumps,
    mistakes=[
        Mistake(
            "The stump is chosen by counting errors: each point counts with its weight P.",
            lambda x, s, P: _chosen(x, s, P, np.full(len(s), 1 / len(s))),
        ),
        Mistake(
            "Only stumps that say +1 on the right are tried: the sign may be −1.",
            lambda x, s, P: min((a for a in _all_stumps(x, s, P) if a[1] > 0), key=lambda a: a[2]),
        ),
        Mistake(
            "The cut runs between points of equal x: no threshold can tell them apart.",
            lambda x, s, P: min(_all_stumps(x, s, P, ties=True), key=lambda a: a[2]),
        ),
        Mistake(
            "The threshold is the last point on the left: halfway to the next point is asked for.",
            lambda x, s, P: ((best := _chosen(x, s, P, P)) and np.max(x[x <= best[0]]), best[1], best[2]),
        ),
        Mistake(
            "The sign belongs to the right side: h(x) = sign where x > t.",
            lambda x, s, P: ((best := _chosen(x, s, P, P))[0], -best[1], best[2]),
        ),
        Mistake(
            "The stump is right, but its error is the share of wrong points: add up their weights.",
            lambda x, s, P: (
                (best := _chosen(x, s, P, P))[0],
                best[1],
                np.mean(np.where(x > best[0], best[1], -best[1]) != s),
            ),
        ),
    ],
    alternatives=[Alternative(lambda x, s, P: _chosen(x, s, P, P))],
    hints=(
        Hint("How many stumps are there?", "Two signs for each cut between different values of $x$. Try them all."),
        Hint("What is the error?", "`np.sum(P[h != s])`, with `h = np.where(x > t, sign, -sign)`."),
    ),
    see="Equation (18.5), for every threshold halfway between neighbours and both signs.",
)


def _chosen(x, s, P, weights):
    """The best stump by one set of weights, with its error by another."""
    t, a, _ = min(_all_stumps(x, s, weights), key=lambda stump: stump[2])
    return t, a, np.sum(P[np.where(x > t, a, -a) != s])


def _line_1(alpha, P, s, h):
    return np.sum(P * np.exp(-alpha * s * h))


def _line_2(alpha, P, s, h):
    eps = np.sum(P[h != s])
    return (1 - eps) * np.exp(-alpha), eps * np.exp(alpha)


def _line_3(alpha, P, s, h):
    eps = np.sum(P[h != s])
    return -(1 - eps), eps


def _line_4(alpha, P, s, h):
    eps = np.sum(P[h != s])
    return (1 - eps) / eps


def _line_5(alpha, P, s, h):
    eps = np.sum(P[h != s])
    return np.log((1 - eps) / eps) / 2


def _derived(times):
    """Line 3, made of a line 2 that has e^(−times·α) in its first part, and the other sign in the second."""

    def step(before, alpha, P, s, h):
        numbers = -times * before[0] * np.exp(times * alpha), times * before[1] * np.exp(-times * alpha)
        return numbers if times > 0 else numbers[::-1]

    return step


def _with_eps(f):
    def line(alpha, P, s, h):
        return f(alpha, np.sum(P[h != s]))

    return line


boost_chain = Chain(
    "boost_chain",
    asks="The best weight for a learner",
    first=_line_1,
    lines=[
        Line(
            does="the exponent takes two values: what all points with $e^{-\\alpha}$ add, what all points with "
            "$e^\\alpha$ add",
            parts=("falling", "rising"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The two groups are exchanged: where h is right, sh = 1 and the exponent is −α.",
                    _with_eps(lambda a, e: (e * np.exp(-a), (1 - e) * np.exp(a))),
                ),
                Mistake(
                    "ε is a sum of weights, not a share of the number of points: each point comes with its P.",
                    lambda alpha, P, s, h: (np.mean(h == s) * np.exp(-alpha), np.mean(h != s) * np.exp(alpha)),
                ),
                Mistake(
                    "These are the mean weights of the two groups: add the weights P up.",
                    lambda alpha, P, s, h: (np.mean(P[h == s]) * np.exp(-alpha), np.mean(P[h != s]) * np.exp(alpha)),
                ),
                Mistake(
                    "Both are divided by n: line 1 is a sum over the points, and the weights P take care of the rest.",
                    lambda alpha, P, s, h: tuple(part / len(P) for part in _line_2(alpha, P, s, h)),
                ),
                Mistake(
                    "The exponents are exchanged: where h is right, sh = 1 and the exponent is −α.",
                    _with_eps(lambda a, e: ((1 - e) * np.exp(a), e * np.exp(-a))),
                ),
                Mistake(
                    "The parts have changed places: what comes with e^(−α) is asked for first.",
                    _with_eps(lambda a, e: (e * np.exp(a), (1 - e) * np.exp(-a))),
                ),
                Mistake(
                    "These are the weights of the two groups: each of them is still to be multiplied by its e^(−α) "
                    "or e^α.",
                    _with_eps(lambda a, e: (1 - e, e)),
                ),
                Mistake(
                    "Every point counts as 1 here: it comes with its weight P.",
                    lambda alpha, P, s, h: (np.sum(h == s) * np.exp(-alpha), np.sum(h != s) * np.exp(alpha)),
                ),
                Mistake(
                    "The exponent is doubled: in line 1 it is −αsh, and sh is 1 or −1.",
                    _with_eps(lambda a, e: ((1 - e) * np.exp(-2 * a), e * np.exp(2 * a))),
                ),
                Mistake(
                    "rising has a minus: all summands of line 1 are positive.",
                    but(_line_2, 1, _with_eps(lambda a, e: -e * np.exp(a))),
                ),
                Mistake(
                    "The groups are made by the label s alone: the exponent holds the product sh.",
                    lambda alpha, P, s, h: (np.sum(P[s == 1]) * np.exp(-alpha), np.sum(P[s == -1]) * np.exp(alpha)),
                ),
                Mistake(
                    "The groups are made by what h says alone: the exponent holds the product sh.",
                    lambda alpha, P, s, h: (np.sum(P[h == 1]) * np.exp(-alpha), np.sum(P[h == -1]) * np.exp(alpha)),
                ),
            ],
        ),
        Line(
            does="differentiate line 2 with respect to α, and sort: down $e^{-\\alpha}$ + up $e^\\alpha$, with α in "
            "neither of the two",
            parts=("down", "up"),
            reference=_line_3,
            follows=[_derived(1), _derived(-1), _derived(2)],
            mistakes=[
                Mistake(
                    "The inner derivative of e^(−α) is −1: the first number is negative.",
                    _with_eps(lambda a, e: (1 - e, e)),
                ),
                Mistake(
                    "The signs are reversed: e^α grows with α, e^(−α) falls.",
                    _with_eps(lambda a, e: (1 - e, -e)),
                ),
                Mistake(
                    "e^α stays e^α: there is no α in front of it.",
                    _with_eps(lambda a, e: (-a * (1 - e), a * e)),
                ),
                Mistake(
                    "The exponentials are still in it: line 3 has them behind the two numbers.",
                    _with_eps(lambda a, e: (-(1 - e) * np.exp(-a), e * np.exp(a))),
                ),
                Mistake(
                    "The parts have changed places: what stands before e^(−α) is asked for first.",
                    _with_eps(lambda a, e: (e, e - 1)),
                ),
                Mistake(
                    "The two groups are exchanged: e^(−α) comes from the points that h gets right, which weigh 1 − ε.",
                    _with_eps(lambda a, e: (-e, 1 - e)),
                ),
                Mistake(
                    "The points are counted: line 2 has their weights P.",
                    lambda alpha, P, s, h: (-np.sum(h == s), np.sum(h != s)),
                ),
                Mistake(
                    "Both signs are negative: e^α grows with α, e^(−α) falls.",
                    _with_eps(lambda a, e: (e - 1, -e)),
                ),
                Mistake(
                    "The e^α is still in up: line 3 has it behind the number.",
                    but(_line_3, 1, _with_eps(lambda a, e: e * np.exp(a))),
                ),
            ],
        ),
        Line(
            does="the value of $e^{2\\alpha}$ at which line 3 is zero",
            reference=_line_4,
            follows=lambda before, alpha, P, s, h: -before[0] / before[1],
            mistakes=[
                Mistake(
                    "Upside down: a learner that errs less must get a larger α.",
                    _with_eps(lambda a, e: e / (1 - e)),
                ),
                Mistake(
                    "This is e^α: multiply line 3 by e^α, and e^(2α) stands alone.",
                    _with_eps(lambda a, e: np.sqrt((1 - e) / e)),
                ),
                Mistake("This is 2α: its exponential is asked for.", _with_eps(lambda a, e: np.log((1 - e) / e))),
                Mistake(
                    "The number behind e^α was not divided by: both numbers of line 3 count.",
                    _with_eps(lambda a, e: 1 - e),
                ),
                Mistake(
                    "The sign is reversed: at the zero, up · e^(2α) is −down, and down is negative.",
                    _with_eps(lambda a, e: (e - 1) / e),
                ),
                Mistake(
                    "The given α is still in it: where line 3 is zero, e^(2α) is a number that does not depend on it.",
                    _with_eps(lambda a, e: (1 - e) / e * np.exp(-2 * a)),
                ),
                Mistake(
                    "This is e^(2α) for the α that is given. Asked is its value where line 3 is zero.",
                    lambda alpha, P, s, h: np.exp(2 * alpha),
                ),
                Mistake(
                    "Both numbers are multiplied: one of them is divided by the other.",
                    _with_eps(lambda a, e: e * (1 - e)),
                ),
                Mistake(
                    "The points are counted: line 3 has their weights P.",
                    lambda alpha, P, s, h: np.sum(h == s) / np.sum(h != s),
                ),
                Mistake(
                    "This is −down − up. Divide: in down + up · e^(2α) = 0 only one term has e^(2α).",
                    _with_eps(lambda a, e: 1 - 2 * e),
                ),
            ],
        ),
        Line(
            does="the α at which line 3 is zero, out of line 4",
            reference=_line_5,
            follows=lambda before, alpha, P, s, h: np.log(before) / 2,
            mistakes=[
                Mistake(
                    "This is 2α: line 4 is e^(2α), and its logarithm has both.",
                    _with_eps(lambda a, e: np.log((1 - e) / e)),
                ),
                Mistake(
                    "This is e^α, the root of line 4: its logarithm is asked for.",
                    _with_eps(lambda a, e: np.sqrt((1 - e) / e)),
                ),
                Mistake(
                    "The sign is reversed: a learner that errs less than a coin must get a positive α.",
                    _with_eps(lambda a, e: -np.log((1 - e) / e) / 2),
                ),
                Mistake(
                    "The logarithm is to base 2: the inverse of e^x is the natural one.",
                    _with_eps(lambda a, e: np.log2((1 - e) / e) / 2),
                ),
                Mistake(
                    "The logarithm is to base 10: the inverse of e^x is the natural one.",
                    _with_eps(lambda a, e: np.log10((1 - e) / e) / 2),
                ),
                Mistake(
                    "This is the α that is given. Asked is the one at which line 3 is zero.",
                    lambda alpha, P, s, h: alpha,
                ),
                Mistake(
                    "This is line 4, e^(2α): its logarithm is asked for.",
                    _with_eps(lambda a, e: (1 - e) / e),
                ),
                Mistake(
                    "This is half of line 4. From e^(2α) to 2α goes the logarithm, and then comes the half.",
                    _with_eps(lambda a, e: (1 - e) / e / 2),
                ),
                Mistake(
                    "The logarithm of line 4 is 2α: divide it by 2, do not multiply.",
                    _with_eps(lambda a, e: 2 * np.log((1 - e) / e)),
                ),
                Mistake(
                    "The 2 is divided by inside the logarithm: ln e^(2α) is 2α, and that is halved.",
                    _with_eps(lambda a, e: np.log((1 - e) / e / 2)),
                ),
                Mistake(
                    "The points are counted: ε is the sum of the weights of the wrong ones.",
                    lambda alpha, P, s, h: np.log(np.sum(h == s) / np.sum(h != s)) / 2,
                ),
            ],
        ),
    ],
    cases=_chained,
    forbids=(ensembles.step, ensembles.weighted_error),
    alternatives=[
        Alternative(
            lambda alpha, P, s, h: (np.sum(P[s == h]) / np.exp(alpha), (1 - np.sum(P[s == h])) * np.exp(alpha)), part=0
        ),
        Alternative(  # by the products, without ε: sh is 1 or −1
            lambda alpha, P, s, h: (
                np.sum(P * (1 + s * h) / 2) * np.exp(-alpha),
                np.sum(P * (1 - s * h) / 2) * np.exp(alpha),
            ),
            part=0,
        ),
        Alternative(lambda alpha, P, s, h: (-np.sum(P[s == h]), 1 - np.sum(P[s == h])), part=1),
        Alternative(lambda alpha, P, s, h: np.sum(P[s == h]) / np.sum(P[s != h]), part=2),
        Alternative(lambda alpha, P, s, h: 1 / np.sum(P[s != h]) - 1, part=2),
        Alternative(lambda alpha, P, s, h: np.arctanh(np.sum(P * s * h)), part=3),
        Alternative(lambda alpha, P, s, h: (np.log(np.sum(P[s == h])) - np.log(np.sum(P[s != h]))) / 2, part=3),
    ],
    hints=(
        Hint("What is sh?", "$s$ and $h$ are ±1, so $sh=1$ where the learner is right and $-1$ where it is wrong."),
        Hint(
            "How much do the points weigh that the learner gets right?",
            r"All weights together are 1, and (18.5) says what the others weigh.",
        ),
        Hint(
            "How do I solve for α?",
            r"Multiply line 3 by $e^\alpha$: then one of the two terms has no α, and the other one has $e^{2\alpha}$.",
        ),
    ),
    see="The section *Boosting* lists what each line does. Line 5 is (18.7).",
)


def _update(P, s, h, factor=0.5, sign=1, weights=None):
    eps = np.sum((P if weights is None else weights)[h != s])
    alpha = factor * np.log((1 - eps) / eps)
    grown = P * np.exp(-sign * alpha * s * h)
    return alpha, grown / np.sum(grown)


boost_step = Function(
    "boost_step",
    asks="One round of AdaBoost",
    points=2,
    reference=ensembles.step,
    returns=("alpha", "P"),
    cases=_weighted,
    forbids=(ensembles.weighted_error,),
    mistakes=[
        Mistake("The ½ is missing: α is half the log-odds.", lambda P, s, h: _update(P, s, h, factor=1)),
        Mistake(
            "The right ones gain weight here: mistakes must gain it, so the exponent is −αsh.",
            lambda P, s, h: _update(P, s, h, sign=-1),
        ),
        Mistake(
            "The weights do not sum to 1: divide by Z.",
            lambda P, s, h: ((alpha := _update(P, s, h)[0]), P * np.exp(-alpha * s * h)),
        ),
        Mistake(
            "ε is the share of wrong points: add up their weights P.",
            lambda P, s, h: _update(P, s, h, weights=np.full(len(P), 1 / len(P))),
        ),
        Mistake(
            "α is upside down, ½ ln(ε/(1 − ε)): a good learner would get a negative weight.",
            lambda P, s, h: _update(P, s, h, factor=-0.5),
        ),
        Mistake(
            "The old weights are gone: multiply them by the factor, do not start from equal ones.",
            lambda P, s, h: (
                (alpha := _update(P, s, h)[0]),
                np.exp(-alpha * s * h) / np.sum(np.exp(-alpha * s * h)),
            ),
        ),
    ],
    alternatives=[
        Alternative(  # wrong points share one half of the weight, right ones the other
            lambda P, s, h: (
                np.arctanh(np.sum(P * s * h)),
                np.where(h == s, P / np.sum(P[h == s]), P / np.sum(P[h != s])) / 2,
            )
        ),
    ],
    hints=(
        Hint("What is ε here?", "The weights of the wrong points, added up: `np.sum(P[h != s])`."),
        Hint("And Z?", "Whatever makes the new weights sum to 1: their sum before you divide."),
    ),
    see="Equations (18.7) and (18.8).",
)

boost_half = Choice(
    "boost_half",
    asks="The same learner once more",
    points=1,
    options={
        "a": Option(
            "ε, as before: the learner has not changed",
            wrong="The learner has not changed, the weights have: add up the new weights of its mistakes.",
        ),
        "b": Option("½, whatever ε was"),
        "c": Option(
            "1 − ε: right and wrong have changed places",
            wrong="That needs weights e^(±2α). Add up the new weights of its mistakes for ε = 0.3.",
        ),
    },
    reasons={
        "i": Option(
            "the weights of the wrong points are doubled",
            wrong="They are multiplied by e^α/Z, which is 1/(2ε), and that depends on ε.",
        ),
        "ii": Option(
            r"$\varepsilon e^\alpha=(1-\varepsilon)e^{-\alpha}$: both groups weigh the same before dividing by $Z$"
        ),
        "iii": Option(
            "the new weights sum to 1",
            wrong="They do, and so did the old ones, under which the error was ε.",
        ),
    },
    hints=(Hint("How do I see it?", "Look at your line 3 of the chain at the α that was chosen."),),
    see="Line 3 of exercise boost_chain is zero at α: the two groups have equal weights.",
)

boost_normaliser = Function(
    "boost_normaliser",
    asks="How much weight is left",
    points=1,
    reference=ensembles.normaliser,
    cases=lambda rng: [(0.2,), (rng.uniform(0.55, 0.9),), (rng.uniform(0.05, 0.45, size=5),)],
    mistakes=[
        Mistake("The root is missing: Z = 2√(ε(1 − ε)).", lambda eps: 2 * eps * (1 - eps)),
        Mistake("The 2 is missing: two groups contribute equally.", lambda eps: np.sqrt(eps * (1 - eps))),
        Mistake(
            "Z = 1 belongs to α without the ½: with it e^α is the root of the odds, √((1 − ε)/ε).",
            lambda eps: np.ones(np.shape(eps)),
        ),
        Mistake(
            "e^(−α) belongs to the right ones, of weight 1 − ε: the groups are exchanged.",
            lambda eps: eps * np.sqrt(eps / (1 - eps)) + (1 - eps) * np.sqrt((1 - eps) / eps),
        ),
    ],
    alternatives=[
        Alternative(lambda eps: (1 - eps) * np.sqrt(eps / (1 - eps)) + eps * np.sqrt((1 - eps) / eps)),
        Alternative(lambda eps: np.sqrt(1 - (1 - 2 * eps) ** 2)),
    ],
    hints=(
        Hint("Where do I start?", "Put $e^\\alpha=\\sqrt{(1-\\varepsilon)/\\varepsilon}$ into line 2 of the chain."),
    ),
    see="Equation (18.9): α of (18.7) put into (18.6).",
)

boost_bound = Function(
    "boost_bound",
    asks="The training error and its bound",
    points=2,
    reference=ensembles.error_and_bound,
    returns=("error", "bound"),
    cases=_ballots,
    mistakes=[
        Mistake(
            "The vote is unweighted: learner t has the weight αₜ.",
            lambda H, alpha, s: (np.mean(s * np.sum(H, axis=0) <= 0), np.mean(np.exp(-s * (alpha @ H)))),
        ),
        Mistake(
            "exp(+sF) is large where F is right: the loss has −sF in the exponent.",
            lambda H, alpha, s: (np.mean(s * (alpha @ H) < 0), np.mean(np.exp(s * (alpha @ H)))),
        ),
        Mistake(
            "Both are sums over the points: means are asked for.",
            lambda H, alpha, s: (np.sum(s * (alpha @ H) < 0), np.sum(np.exp(-s * (alpha @ H)))),
        ),
        Mistake(
            "The bound uses the sign of F: F itself, with its size, stands in the exponent.",
            lambda H, alpha, s: (np.mean(s * (alpha @ H) < 0), np.mean(np.exp(-s * np.sign(alpha @ H)))),
        ),
        Mistake(
            "2√(ε(1 − ε)) is the factor of a round only for the α of (18.7), and these α are others.",
            lambda H, alpha, s: (np.mean(s * (alpha @ H) < 0), _product_of_minima(H, alpha, s)),
        ),
        Mistake(
            "F is hardly ever ±1: its sign is the label to compare with s.",
            lambda H, alpha, s: (np.mean(alpha @ H != s), np.mean(np.exp(-s * (alpha @ H)))),
        ),
        Mistake(
            "The first number is the share of right labels: the errors are asked for.",
            lambda H, alpha, s: (np.mean(s * (alpha @ H) > 0), np.mean(np.exp(-s * (alpha @ H)))),
        ),
    ],
    alternatives=[Alternative(lambda H, alpha, s: _product_of_normalisers(H, alpha, s))],
    hints=(
        Hint("What is F?", "`alpha @ H`: for each point the sum of $\\alpha_th_t$, shape $(n,)$."),
        Hint("Which points are wrong?", "Those whose `np.sign(F)` is not `s`."),
    ),
    see="Equation (18.10).",
)


def _product_of_normalisers(H, alpha, s):
    """The bound as Π Z: the weights are updated round by round, for any α."""
    P, bound = np.full(len(s), 1 / len(s)), 1.0
    for h, a in zip(H, alpha, strict=True):
        grown = P * np.exp(-a * s * h)
        P, bound = grown / grown.sum(), bound * grown.sum()
    return np.mean(np.sign(np.sum(alpha[:, None] * H, axis=0)) != s), bound


def _product_of_minima(H, alpha, s):
    """Π 2√(ε(1 − ε)), with weights that follow the given α."""
    P, product = np.full(len(s), 1 / len(s)), 1.0
    for h, a in zip(H, alpha, strict=True):
        product *= ensembles.normaliser(np.sum(P[h != s]))
        P = P * np.exp(-a * s * h)
        P /= P.sum()
    return product


# --- stacking ---


def _stacked(x, y, fold):
    return ensembles.out_of_fold((ensembles.nearest, ensembles.line), x, y, fold)


def _columns(x, y, x_new):
    return np.column_stack([ensembles.nearest(x, y)(x_new), ensembles.line(x, y)(x_new)])


def _by_fold(x, y, fold, trained):
    """What both learners say of each fold, trained on the points `trained(inside)`."""
    Z = np.empty((len(y), 2))
    for v in np.unique(fold):
        inside = fold == v
        Z[inside] = _columns(x[trained(inside)], y[trained(inside)], x[inside])
    return Z


def _one_at_a_time(x, y, fold):
    return np.array([_columns(np.delete(x, i), np.delete(y, i), x[i : i + 1])[0] for i in range(len(x))])


stack_out_of_fold = Function(
    "stack_out_of_fold",
    asks="What the second level may see",
    points=2,
    reference=_stacked,
    cases=_folded,
    forbids=(ensembles.out_of_fold,),
    mistakes=[
        Mistake(
            "Every point was seen by the learner that predicts it, and the nearest neighbour repeats its y: "
            "keep the point's fold away.",
            lambda x, y, fold: _columns(x, y, x),
        ),
        Mistake(
            "Each learner was trained on the fold that it predicts: train on all the others.",
            lambda x, y, fold: _by_fold(x, y, fold, lambda inside: inside),
        ),
        Mistake(
            "Only the point itself is kept away: keep its whole fold away.",
            _one_at_a_time,
        ),
        Mistake(
            "The columns are exchanged: first the nearest neighbour, then the line.",
            lambda x, y, fold: _by_fold(x, y, fold, lambda inside: ~inside)[:, ::-1],
        ),
        Mistake(
            "The rows are in the order of the folds: row i belongs to point i.",
            lambda x, y, fold: _by_fold(x, y, fold, lambda inside: ~inside)[np.argsort(fold, kind="stable")],
        ),
    ],
    alternatives=[Alternative(lambda x, y, fold: _by_fold(x, y, fold, lambda inside: ~inside))],
    hints=(
        Hint("How do I use a learner?", "`ensembles.line(x_train, y_train)` is a function: call it with the new $x$."),
        Hint(
            "How do I fill the table?",
            "For each value $v$ in `np.unique(fold)`: train on `fold != v`, fill the rows `fold == v`.",
        ),
    ),
    see="Equation (18.11).",
)


# --- where votes fail ---

vote_wrong = Function(
    "vote_wrong",
    asks="A jury",
    points=2,
    reference=ensembles.vote_wrong,
    cases=_juries,
    mistakes=[
        Mistake("This is the probability that all of them err: a majority is enough.", lambda p, k: p**k),
        Mistake(
            "The number of ways is missing: j of k learners can be chosen in C(k, j) ways.",
            lambda p, k: sum(p**j * (1 - p) ** (k - j) for j in range((k + 1) // 2, k + 1)),
        ),
        Mistake(
            "This is the probability that the vote is right.",
            lambda p, k: _at_least(1 - p, k, (k + 1) // 2),
        ),
        Mistake(
            "The sum starts one too early: (k − 1)/2 errors are not yet a majority.",
            lambda p, k: _at_least(p, k, k // 2),
        ),
        Mistake(
            "This is the probability of exactly the smallest majority: add the larger ones.",
            lambda p, k: _at_least(p, k, (k + 1) // 2) - _at_least(p, k, (k + 1) // 2 + 1),
        ),
        Mistake("The sum stops one too early: all k may err.", lambda p, k: _at_least(p, k, (k + 1) // 2) - p**k),
    ],
    alternatives=[
        Alternative(lambda p, k: 1 - sum(comb(k, j) * p**j * (1 - p) ** (k - j) for j in range((k + 1) // 2))),
    ],
    hints=(
        Hint(
            "How likely are exactly j errors?",
            r"$\binom kjp^j(1-p)^{k-j}$; `math.comb(k, j)` is the number of ways.",
        ),
        Hint("When is the vote wrong?", "When $j>k/2$: from $(k+1)/2$ to $k$, since $k$ is odd."),
    ),
    see="Equation (18.12).",
)


def _at_least(p, k, few):
    return sum(comb(k, j) * p**j * (1 - p) ** (k - j) for j in range(few, k + 1))


stack_compared = Explanation(
    "stack_compared",
    asks="Stacking, basis expansion, networks",
    points=3,
    rubric=(
        "1 point: all three are a linear (or simple) model of computed features: f(x) = Σ wⱼφⱼ(x); the base learners "
        "are the φⱼ, or the hidden units. 1 point: what differs: in a basis expansion the φⱼ are fixed beforehand, in "
        "stacking they are learnt first, each for itself and from y, and then frozen, in a network they are learnt "
        "together with w. 1 point: because the φⱼ of stacking have seen y, w must be learnt from out-of-fold values "
        "(or held-out data); fixed basis functions have not seen y and need none."
    ),
)

topic = Topic(
    number=18,
    slug="ensembles",
    title="Ensembles",
    question="When do many opinions beat the best one?",
    part="Trees and networks",
    minutes=90,
    before={
        "bias_variance": "bias and variance",
        "decision_trees": "decision trees",
    },
    exercises=[
        bag_variance,
        bag_left_out,
        oob_error,
        forest_features,
        boost_stump,
        boost_chain,
        boost_step,
        boost_half,
        boost_normaliser,
        boost_bound,
        stack_out_of_fold,
        vote_wrong,
        stack_compared,
    ],
)
check = Checks(topic)
