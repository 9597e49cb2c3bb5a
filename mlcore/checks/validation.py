"""The exercises of 08 validation."""

import itertools

import numpy as np

from mlcore import ridge, validation
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
)

# --- data to be tried on: off centre, folds of different sizes, scores with ties, unbalanced classes ---


def _data(rng, n, d):
    """One y is below 0."""
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    y = X @ rng.normal(size=d) + rng.normal(size=n) + 5
    y[0] = -1 - abs(y[0])
    return X, y


def _small(rng):
    """Five points with whole numbers, one y below 0.

    Two rows have like signs and three unlike ones, so the columns are independent also without any one point.
    """
    signs = rng.permutation([[1.0, 1.0]] * 2 + [[1.0, -1.0]] * 3) * rng.choice([-1, 1], size=2)
    return rng.integers(1, 5, size=(5, 2)) * signs, rng.integers(1, 9, size=5) * rng.permutation([-1.0, 1, 1, 1, 1])


def _fits(rng):
    return [(*data, rng.uniform(0.5, 3)) for data in (_small(rng), _data(rng, 12, 4), _data(rng, 15, 3))]


def _left_out(rng):
    """A point above the fit in a row with an even number, then one below it in an odd one, and so on."""
    cases = []
    for (X, y, lam), odd in zip(_fits(rng), itertools.cycle((0, 1)), strict=False):
        w = np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ y)
        cases.append((X, y, lam, 2 * int(np.argmax((-1) ** odd * (y - X @ w)[odd::2])) + odd))
    return cases


def _folded(rng):
    """Five points in 2 folds, 12 in 5, 15 in 4: never of one size."""
    return [(*fit, validation.fold_labels(len(fit[1]), k, rng)) for fit, k in zip(_fits(rng), (2, 5, 4), strict=True)]


def _splits(rng):
    """k does not divide n, with at least two points over, under two seeds; and k = n."""
    k, seed = int(rng.integers(5, 8)), int(rng.integers(1000))
    n = k * int(rng.integers(9, 14)) + k - 1
    return [(11, 3, seed), (n, k, seed), (n, k, seed + 1), (7, 7, 1)]


def _counts(rng):
    """Odd and even ones."""
    counts = (np.array([5, 5, 89, 1]), rng.permutation(40)[:4] + 1, 2 * rng.permutation(20)[:4] + 2)
    return [tuple(map(int, c)) for c in counts]


def _scored(rng):
    """Whole scores, fewer positives than negatives, ties between the classes, also at the top, and scores below 0."""
    cases = []
    for positives, negatives, high in ((3, 4, 6), (7, 12, 10), (9, 25, 15)):
        s = np.concatenate([rng.integers(3, high + 3, size=positives), rng.integers(2, high + 1, size=negatives)])
        y = np.repeat([1, 0], [positives, negatives])
        s[0] = s[-1] = rng.integers(3, high)
        s[1], s[-2], s[-3] = -1, -2 * high, s.max()
        order = rng.permutation(len(s))
        cases.append((s[order].astype(float), y[order]))
    return cases


def _with_threshold(rng):
    """The threshold is a score that both classes have, or one below 0."""
    cases = []
    for s, y in _scored(rng):
        shared = np.intersect1d(s[y == 1], s[y == 0])
        cases.append((s, y, float(rng.choice(shared))))
    return [*cases, (*cases[0][:2], -1.0)]


# --- a: folds ---

_NOT_MIXED = (
    "The folds follow the order of the points. Files are often sorted, by date or by class: mix before you cut."
)
_SEED_IGNORED = "Another seed gives the same folds: the order has to come from `seed`."
_NOT_AGAIN = "The same seed gives other folds the second time: let `seed` decide all that is random."
_UNEQUAL = "The sizes of the folds differ by more than 1."
_LABELS = "Every point needs one of the labels 0, …, k − 1, and no other."


def _sizes(k, folds):
    return np.bincount(folds.astype(int), minlength=k)


def _mixed(n, k, seed, folds):
    """Neither blocks nor 0, 1, 2, 0, 1, 2, …: at no small distance most labels repeat. Few points are not judged."""
    return n < 20 or max(np.mean(folds[p:] == folds[:-p]) for p in range(1, 2 * k + 1)) < 0.7


def _again(args, folds, others, other_folds):
    return args != others or np.array_equal(folds, other_folds)


def _seeded(args, folds, others, other_folds):
    """n and k as before under another seed. Few points are not judged: two seeds may deal them alike."""
    return args[:2] != others[:2] or args == others or args[0] < 20 or not np.array_equal(folds, other_folds)


def _permuted(seed, labels):
    return np.random.default_rng(seed).permutation(labels)


def _dropped(n, k, seed):
    folds = np.full(n, -1)
    full = n // k * k
    folds[:full] = _permuted(seed, np.arange(full) % k)
    return folds


def _by_cutting(n, k, seed):
    folds = np.empty(n)
    for j, part in enumerate(np.array_split(_permuted(seed, np.arange(n)), k)):
        folds[part] = j
    return folds


kfold_labels = Property(
    "kfold_labels",
    asks="A fold for every point",
    points=1,
    cases=_splits,
    laws=[
        Law("One label for each of the n points is asked for: shape (n,).", lambda n, k, seed, f: f.shape == (n,)),
        Law(_LABELS, lambda n, k, seed, f: bool(np.all(np.isin(f, np.arange(k))))),
        Law(_UNEQUAL, lambda n, k, seed, f: np.ptp(_sizes(k, f)) <= 1),
        Law(_NOT_MIXED, _mixed),
    ],
    between=[Law(_NOT_AGAIN, _again), Law(_SEED_IGNORED, _seeded)],
    forbids=(validation.fold_labels,),
    mistakes=[
        Mistake(
            "For k = n one fold has two points and one has none: leave-one-out has n folds, not n − 1.",
            lambda n, k, seed: _permuted(seed, np.arange(n) % (k - 1 if k == n else k)),
        ),
        Mistake(
            "n // k points in each fold leave n mod k over, and here these form one fold more.",
            lambda n, k, seed: _permuted(seed, np.arange(n) // (n // k)),
        ),
        Mistake("The last n mod k points are in no fold, so they are never tested.", _dropped),
        Mistake(
            "All n mod k points that are left over go to the last fold: spread them, one to a fold.",
            lambda n, k, seed: _permuted(seed, np.minimum(np.arange(n) // (n // k), k - 1)),
        ),
        Mistake(
            "Each point draws its fold on its own, so the sizes are left to chance: mix a list with the right sizes.",
            lambda n, k, seed: np.random.default_rng(seed).integers(k, size=n),
        ),
        Mistake("The labels run from 1 to k: count from 0.", lambda n, k, seed: _permuted(seed, np.arange(n) % k) + 1),
        Mistake(_SEED_IGNORED, lambda n, k, seed: _permuted(0, np.arange(n) % k)),
        Mistake(_NOT_MIXED, lambda n, k, seed: np.arange(n) % k),
        Mistake(_NOT_MIXED, lambda n, k, seed: np.sort(np.arange(n) % k)),
    ],
    alternatives=[
        Alternative(_by_cutting),
        Alternative(lambda n, k, seed: _permuted(seed, np.arange(n)) % k),
    ],
    hints=(
        Hint(
            "How do I get sizes that differ by at most 1?",
            "Deal the points out like cards: 0, 1, …, k − 1, 0, 1, …. In numpy this is `np.arange(n) % k`.",
        ),
        Hint("How do I mix?", "`np.random.default_rng(seed).permutation(a)` is `a` in a random order."),
    ),
    see="The paragraph after exercise 8a: deal the labels out in turn, then mix them.",
)


# --- b: the average over the folds ---


def _cv(X, y, lam, folds):
    return validation.fold_errors(X, y, [lam], folds)[:, 0].mean()


def _over_folds(X, y, lam, folds, error):
    """The mean over the folds of error(train, test)."""
    return np.mean([error(folds != j, folds == j) for j in range(folds.max() + 1)])


def _residuals(X, y, lam, train, test):
    w, b = ridge.fit_free_bias(X[train], y[train], lam)
    return X[test] @ w + b - y[test]


def _no_bias(X, y, lam, train, test):
    return X[test] @ ridge.fit(X[train], y[train], lam) - y[test]


fold_average = Function(
    "fold_average",
    asks="The cross-validation error",
    points=2,
    reference=_cv,
    cases=_folded,
    forbids=(validation.fold_errors,),
    mistakes=[
        Mistake(
            "The tested points took part in the fit, so this is a training error: fit to the other folds only.",
            lambda X, y, lam, folds: _over_folds(
                X, y, lam, folds, lambda a, b: np.mean(_residuals(X, y, lam, a | b, b) ** 2)
            ),
        ),
        Mistake(
            "The roles are exchanged: this fits to one fold and tests on the others.",
            lambda X, y, lam, folds: _over_folds(
                X, y, lam, folds, lambda a, b: np.mean(_residuals(X, y, lam, b, a) ** 2)
            ),
        ),
        Mistake(
            "These are sums of squares: MSEⱼ is a mean over the points of fold j.",
            lambda X, y, lam, folds: _over_folds(
                X, y, lam, folds, lambda a, b: np.sum(_residuals(X, y, lam, a, b) ** 2)
            ),
        ),
        Mistake(
            "MSEⱼ is a mean already: dividing by the size of the fold once more makes it that many times too small.",
            lambda X, y, lam, folds: _over_folds(
                X, y, lam, folds, lambda a, b: np.mean(_residuals(X, y, lam, a, b) ** 2) / b.sum()
            ),
        ),
        Mistake(
            "This is one mean over all points. Here every fold counts the same, also the smaller ones.",
            lambda X, y, lam, folds: (
                len(np.unique(folds))
                * _over_folds(X, y, lam, folds, lambda a, b: np.sum(_residuals(X, y, lam, a, b) ** 2))
                / len(y)
            ),
        ),
        Mistake(
            "Ridge was fitted without its bias: `ridge.fit_free_bias` returns w and b.",
            lambda X, y, lam, folds: _over_folds(
                X, y, lam, folds, lambda a, b: np.mean(_no_bias(X, y, lam, a, b) ** 2)
            ),
        ),
        Mistake(
            "Absolute values in the place of squares: this is the mean of the MAEⱼ.",
            lambda X, y, lam, folds: _over_folds(
                X, y, lam, folds, lambda a, b: np.mean(np.abs(_residuals(X, y, lam, a, b)))
            ),
        ),
    ],
    alternatives=[
        Alternative(
            lambda X, y, lam, folds: _over_folds(
                X, y, lam, folds, lambda a, b: np.mean(_residuals(X, y, lam, a, b) ** 2)
            )
        )
    ],
    hints=(
        Hint("How do I pick the points of a fold?", "`test = folds == j` is a mask: `X[test]`, and `X[~test]`."),
        Hint(
            "What do I do in each round?",
            "`w, b = ridge.fit_free_bias(X[~test], y[~test], lam)`, then the mean of the squared residuals of "
            "`X[test] @ w + b`.",
        ),
    ),
    see="Equation (8.2): for each fold, fit to the others, take the MSE on the fold, and average the k numbers.",
)


# --- c: leaving one out without leaving it out ---


def _line_1(X, y, lam, i):
    X_rest, y_rest = np.delete(X, i, axis=0), np.delete(y, i)
    A_rest = X_rest.T @ X_rest + lam * np.eye(X.shape[1])
    return y[i] - X[i] @ np.linalg.solve(A_rest, X_rest.T @ y_rest)


def _line_2(X, y, lam, i):
    return np.outer(X[i], X[i])


def _line_3(X, y, lam, i):
    A = X.T @ X + lam * np.eye(X.shape[1])
    return np.linalg.solve(A, X[i]), np.linalg.solve(A, np.outer(X[i], X[i]))


def _line_4(X, y, lam, i):
    A = X.T @ X + lam * np.eye(X.shape[1])
    q = np.linalg.solve(A, X[i])
    return q, 1 - X[i] @ q


def _line_5(X, y, lam, i):
    A = X.T @ X + lam * np.eye(X.shape[1])
    q = np.linalg.solve(A, X[i])
    return q @ X.T @ y, X[i] @ q * y[i], 1 - X[i] @ q


def _line_6(X, y, lam, i):
    A = X.T @ X + lam * np.eye(X.shape[1])
    q = np.linalg.solve(A, X[i])
    return y[i] - q @ X.T @ y, 1 - X[i] @ q


def _solved(before, X, y, lam, i):
    """Line 4 from v = q + Rv, where Rq is a multiple of q: how large a multiple, x shows."""
    q, R = before
    return q, 1 - X[i] @ R @ q / (X[i] @ q)


def _A(X, lam):
    return X.T @ X + lam * np.eye(X.shape[1])


def _q(X, lam, i):
    return np.linalg.solve(_A(X, lam), X[i])


def _h(X, lam, i):
    return X[i] @ _q(X, lam, i)


def _y_hat(X, y, lam, i):
    return _q(X, lam, i) @ X.T @ y


loo_shortcut = Chain(
    "loo_shortcut",
    asks="The fit without point i, from the fit with it",
    first=_line_1,
    lines=[
        Line(
            does="write the matrix of line 1 as A − P, with A over all points: P is what point i brings to A",
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The sign: P is subtracted from A already, so it is what point i adds.",
                    lambda X, y, lam, i: -np.outer(X[i], X[i]),
                ),
                Mistake(
                    "This is what the other points bring: P belongs to point i alone.",
                    lambda X, y, lam, i: np.delete(X, i, axis=0).T @ np.delete(X, i, axis=0),
                ),
                Mistake(
                    "Only the diagonal: the product of a column and a row has all entries xⱼxₖ.",
                    lambda X, y, lam, i: np.diag(X[i] ** 2),
                ),
                Mistake(
                    "λI is in it: the penalty belongs to no point, and stays when one goes.",
                    lambda X, y, lam, i: np.outer(X[i], X[i]) + lam * np.eye(X.shape[1]),
                ),
                Mistake(
                    "This is the matrix of line 1: P is what has to be taken from A to get it.",
                    lambda X, y, lam, i: _A(X, lam) - np.outer(X[i], X[i]),
                ),
                Mistake("This is what all points bring: P belongs to point i alone.", lambda X, y, lam, i: X.T @ X),
            ],
        ),
        Line(
            does="line 1 is yᵢ − vᵀc, where v solves (A − P)v = x and c is the sum over the other points. "
            "Write this equation as v = q + Rv, with A⁻¹ as the only inverse, and v in neither q nor R",
            parts=("q", "R"),
            reference=_line_3,
            follows=lambda before, X, y, lam, i: (
                np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X[i]),
                np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), before),
            ),
            mistakes=[
                Mistake(
                    "R has the wrong sign: −Pv comes to the other side with a plus.",
                    but(_line_3, 1, lambda X, y, lam, i: -np.linalg.solve(_A(X, lam), np.outer(X[i], X[i]))),
                ),
                Mistake(
                    "A⁻¹ stands on the wrong side of P in R: the equation is multiplied by A⁻¹ from the left.",
                    but(_line_3, 1, lambda X, y, lam, i: np.outer(X[i], X[i]) @ np.linalg.inv(_A(X, lam))),
                ),
                Mistake(
                    "q is still x: A⁻¹ multiplies every term of the equation.",
                    but(_line_3, 0, lambda X, y, lam, i: X[i]),
                ),
                Mistake(
                    "R is still P: A⁻¹ multiplies every term of the equation.",
                    but(_line_3, 1, lambda X, y, lam, i: np.outer(X[i], X[i])),
                ),
                Mistake(
                    "The penalty is missing: A is XᵀX + λI.",
                    lambda X, y, lam, i: (
                        np.linalg.solve(X.T @ X, X[i]),
                        np.linalg.solve(X.T @ X, np.outer(X[i], X[i])),
                    ),
                ),
                Mistake(
                    "The inverse is that of the other points: A⁻¹, with A over all points, is the only one here.",
                    lambda X, y, lam, i: tuple(
                        np.linalg.solve(_A(np.delete(X, i, axis=0), lam), part) for part in (X[i], np.outer(X[i], X[i]))
                    ),
                ),
                Mistake(
                    "q is the fit to all points here: on the right of (A − P)v = x stands x.",
                    but(_line_3, 0, lambda X, y, lam, i: np.linalg.solve(_A(X, lam), X.T @ y)),
                ),
            ],
        ),
        Line(
            does="solve line 3 for v, which is a multiple of q: v = q/k, with a number k",
            parts=("q", "k"),
            reference=_line_4,
            follows=_solved,
            mistakes=[
                Mistake(
                    "In k the sign is reversed. That belongs to a point that is added; here one leaves.",
                    but(_line_4, 1, lambda X, y, lam, i: 1 + _h(X, lam, i)),
                ),
                Mistake(
                    "k is the number by which R multiplies q. In v = q + Rv there is a v on the left as well.",
                    but(_line_4, 1, lambda X, y, lam, i: _h(X, lam, i)),
                ),
                Mistake(
                    "k is upside down: v is q divided by it.",
                    but(_line_4, 1, lambda X, y, lam, i: 1 / (1 - _h(X, lam, i))),
                ),
                Mistake(
                    "This is v itself: asked for is the q of line 3, and the number by which it is divided.",
                    but(_line_4, 0, lambda X, y, lam, i: _q(X, lam, i) / (1 - _h(X, lam, i))),
                ),
                Mistake("q is x here: it is the q of line 3.", but(_line_4, 0, lambda X, y, lam, i: X[i])),
                Mistake(
                    "q is multiplied by itself in k: Rq is a multiple of q, and xᵀ is in it.",
                    but(_line_4, 1, lambda X, y, lam, i: 1 - _q(X, lam, i) @ _q(X, lam, i)),
                ),
                Mistake(
                    "x is multiplied by itself in k: A⁻¹ stands between the two.",
                    but(_line_4, 1, lambda X, y, lam, i: 1 - X[i] @ X[i]),
                ),
            ],
        ),
        Line(
            does="put v into yᵢ − vᵀc, with c as the sum over all points less what point i brings, and multiply out: "
            "yᵢ − (fitted − own)/k",
            parts=("fitted", "own", "k"),
            reference=_line_5,
            follows=lambda before, X, y, lam, i: (before[0] @ X.T @ y, before[0] @ X[i] * y[i], before[1]),
            mistakes=[
                Mistake(
                    "In own xᵢ is multiplied by itself: qᵀ multiplies what point i brings to Xᵀy.",
                    but(_line_5, 1, lambda X, y, lam, i: X[i] @ X[i] * y[i]),
                ),
                Mistake(
                    "own lost its yᵢ: point i brings xᵢyᵢ to Xᵀy.",
                    but(_line_5, 1, lambda X, y, lam, i: _h(X, lam, i)),
                ),
                Mistake(
                    "own has a minus, and in the formula it is subtracted already.",
                    but(_line_5, 1, lambda X, y, lam, i: -_h(X, lam, i) * y[i]),
                ),
                Mistake(
                    "own has the fitted value of point i where its label belongs.",
                    but(_line_5, 1, lambda X, y, lam, i: _h(X, lam, i) * _y_hat(X, y, lam, i)),
                ),
                Mistake(
                    "fitted is the sum over the other points: own is subtracted from it, so it runs over all.",
                    but(_line_5, 0, lambda X, y, lam, i: _q(X, lam, i) @ (X.T @ y - X[i] * y[i])),
                ),
                Mistake(
                    "fitted and own have changed places.",
                    lambda X, y, lam, i: ((p := _line_5(X, y, lam, i))[1], p[0], p[2]),
                ),
                Mistake(
                    "fitted and own are divided by k: it stands below them already.",
                    lambda X, y, lam, i: ((p := _line_5(X, y, lam, i))[0] / p[2], p[1] / p[2], p[2]),
                ),
                Mistake(
                    "own has the labels of all points: point i brings its own.",
                    but(_line_5, 1, lambda X, y, lam, i: _h(X, lam, i) * np.sum(y)),
                ),
                Mistake(
                    "own is the label alone: it is qᵀ times what point i brings to Xᵀy.",
                    but(_line_5, 1, lambda X, y, lam, i: y[i]),
                ),
            ],
        ),
        Line(
            does="one fraction: bring yᵢ on the denominator k, and simplify",
            parts=("numerator", "denominator"),
            reference=_line_6,
            follows=lambda before, X, y, lam, i: (y[i] * before[2] - before[0] + before[1], before[2]),
            mistakes=[
                Mistake(
                    "yᵢ came onto the fraction without being multiplied by its denominator.",
                    but(_line_6, 0, lambda X, y, lam, i: y[i] - _y_hat(X, y, lam, i) + _h(X, lam, i) * y[i]),
                ),
                Mistake(
                    "The minus before the fraction reaches only fitted: own comes with a plus.",
                    but(_line_6, 0, lambda X, y, lam, i: y[i] - _y_hat(X, y, lam, i) - 2 * _h(X, lam, i) * y[i]),
                ),
                Mistake(
                    "own is lost: then the two terms with yᵢ cannot cancel.",
                    but(_line_6, 0, lambda X, y, lam, i: (1 - _h(X, lam, i)) * y[i] - _y_hat(X, y, lam, i)),
                ),
                Mistake(
                    "The numerator is turned round: line 5 begins with yᵢ, and the fraction is subtracted.",
                    but(_line_6, 0, lambda X, y, lam, i: _y_hat(X, y, lam, i) - y[i]),
                ),
                Mistake(
                    "The division is done: asked for is what stands above and what stands below.",
                    lambda X, y, lam, i: ((p := _line_6(X, y, lam, i))[0] / p[1], 1.0),
                ),
                Mistake(
                    "Both have the wrong sign: the fraction is the same, and its denominator is k.",
                    lambda X, y, lam, i: tuple(-part for part in _line_6(X, y, lam, i)),
                ),
            ],
        ),
    ],
    cases=_left_out,
    forbids=(validation.loo_residuals, validation.hat_matrix),
    alternatives=[
        Alternative(lambda X, y, lam, i: X.T @ X - np.delete(X, i, axis=0).T @ np.delete(X, i, axis=0)),
        Alternative(lambda X, y, lam, i: X[i][:, None] * X[i]),
        Alternative(
            lambda X, y, lam, i: (
                np.linalg.inv(_A(X, lam)) @ X[i],
                np.outer(np.linalg.inv(_A(X, lam)) @ X[i], X[i]),
            ),
            part=1,
        ),
        Alternative(  # what remains of the volume when a point goes
            lambda X, y, lam, i: (
                X[i] @ np.linalg.inv(_A(X, lam)),
                np.linalg.det(_A(np.delete(X, i, axis=0), lam)) / np.linalg.det(_A(X, lam)),
            ),
            part=2,
        ),
        Alternative(
            lambda X, y, lam, i: (
                np.linalg.lstsq(_A(X, lam), X[i], rcond=None)[0],
                1 - np.trace(np.linalg.solve(_A(X, lam), np.outer(X[i], X[i]))),
            ),
            part=2,
        ),
        Alternative(  # by the matrix that takes y to ŷ
            lambda X, y, lam, i: (
                (H := X @ np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T))[i] @ y,
                H[i, i] * y[i],
                1 - H[i, i],
            ),
            part=3,
        ),
        Alternative(
            lambda X, y, lam, i: (
                (1 - _h(X, lam, i)) * y[i] - (_y_hat(X, y, lam, i) - _h(X, lam, i) * y[i]),
                1 - _h(X, lam, i),
            ),
            part=4,
        ),
    ],
    hints=(
        Hint(
            "How do I write a sum without point i?",
            r"$X^\top X=\sum_jx_jx_j^\top$ and $X^\top y=\sum_jx_jy_j$. Take away the summand with $j=i$. "
            "`np.outer(a, b)` is the matrix $ab^\\top$.",
        ),
        Hint(
            "How do I get v alone on the left?",
            r"Write $(A-P)v=x$ as $Av=\ldots$, then multiply both sides by $A^{-1}$ from the left. A $v$ stays on the "
            "right.",
        ),
        Hint(
            "Which multiple of q is v?",
            r"The number $t=x_i^\top v$ is unknown, and $Pv=t\,x_i$, so $v=q+t\,q$. Multiply by $x_i^\top$: one "
            "equation for one number.",
        ),
        Hint(
            "What is left on one fraction?",
            r"$k$ contains $x_i^\top A^{-1}x_i$, and so does *own*: two terms with $y_i$ cancel.",
        ),
    ),
    see="The task says what each line does, and the third hint how v becomes a multiple of q. Line 6 is (8.4).",
)


# --- d: all of them at once ---


def _ridge_residuals(X, y, lam):
    H = validation.hat_matrix(X, lam)
    return y - H @ y, np.diag(H)


def _refits(X, y, lam):
    return np.array([_line_1(X, y, lam, i) for i in range(len(y))])


loo_residuals = Function(
    "loo_residuals",
    asks="All leave-one-out residuals from one fit",
    points=2,
    reference=validation.loo_residuals,
    cases=_fits,
    mistakes=[
        Mistake(
            "These are the training residuals: every point still took part in its own fit.",
            lambda X, y, lam: _ridge_residuals(X, y, lam)[0],
        ),
        Mistake(
            "The H in the denominator has no λ in it: it is the same matrix that makes ŷ.",
            lambda X, y, lam: _ridge_residuals(X, y, lam)[0] / (1 - np.diag(validation.hat_matrix(X, 0.0))),
        ),
        Mistake(
            "1 + Hᵢᵢ makes the residuals smaller. A point that did not take part is predicted worse.",
            lambda X, y, lam: (r := _ridge_residuals(X, y, lam))[0] / (1 + r[1]),
        ),
        Mistake(
            "One denominator for all, 1 minus the mean of the Hᵢᵢ. That is known as generalised cross-validation; "
            "here each point has its own Hᵢᵢ.",
            lambda X, y, lam: (r := _ridge_residuals(X, y, lam))[0] / (1 - r[1].mean()),
        ),
        Mistake(
            "The denominator is squared: that belongs to the squared residual.",
            lambda X, y, lam: (r := _ridge_residuals(X, y, lam))[0] / (1 - r[1]) ** 2,
        ),
        Mistake(
            "(I − H)⁻¹e is y itself. Divide by the diagonal entries 1 − Hᵢᵢ, one by one.",
            lambda X, y, lam: y,
        ),
    ],
    alternatives=[
        Alternative(_refits),
        Alternative(
            lambda X, y, lam: (
                (y - X @ np.linalg.solve(_A(X, lam), X.T @ y))
                / (1 - np.sum(X * np.linalg.solve(_A(X, lam), X.T).T, axis=1))
            )
        ),
    ],
    hints=(
        Hint(
            "Which matrix holds all the h?",
            r"$h=x_i^\top A^{-1}x_i$ is entry $(i,i)$ of $H=XA^{-1}X^\top$, and $\hat y=Hy$.",
        ),
        Hint("How do I take the diagonal?", "`np.diag(H)` of a matrix is the vector of its diagonal entries."),
    ),
    see="Equation (8.4): line 6 of exercise 8c for every i, with H = X(XᵀX + λI)⁻¹Xᵀ.",
)


# --- e: the protocol ---

honest_protocol = Choice(
    "honest_protocol",
    asks="Which error may be reported?",
    points=1,
    options={
        "a": Option(
            "cross-validate every λ on all patients, report the smallest of these errors",
            wrong="The smallest of many noisy numbers is too small on average: the patients that chose λ also judge.",
        ),
        "b": Option(
            "fit every λ to the training patients, take the λ with the smallest error on the test patients, report "
            "that error",
            wrong="Here the test patients choose λ. To the λ they are training data.",
        ),
        "c": Option(
            "keep the columns that correlate most with $y$ among all patients; then split, cross-validate on the "
            "training patients, choose λ, refit, test once",
            wrong="The columns were chosen with the labels of the test patients: the split comes before every choice.",
        ),
        "d": Option(
            "split; cross-validate every λ on the training patients; choose; refit to all training patients; test once"
        ),
    },
    reasons={
        "i": Option(
            "the error on a fold is never smaller than the error on test data",
            wrong="It can be either: both are means over a few patients, and both scatter.",
        ),
        "ii": Option("data that have taken part in a choice cannot judge what was chosen"),
        "iii": Option(
            "the final model must not see the folds again",
            wrong="It may and it should: once λ is chosen, all training patients help to fit the weights.",
        ),
    },
    hints=(
        Hint(
            "How do I test a procedure?",
            "Ask of every choice in it, of columns, of λ, of the model: which labels did it look at? Then ask whether "
            "the reported error uses the same labels.",
        ),
    ),
    see="The section *Break it*: the columns were chosen with labels that were tested afterwards.",
)


# --- f: four counts ---


def _from(precision, recall, accuracy, f1=None):
    return precision, recall, accuracy, 2 * precision * recall / (precision + recall) if f1 is None else f1


confusion_scores = Function(
    "confusion_scores",
    asks="Precision, recall, accuracy and F₁",
    points=2,
    reference=validation.scores,
    returns=("precision", "recall", "accuracy", "F1"),
    cases=_counts,
    mistakes=[
        Mistake(
            "Precision and recall are exchanged: recall divides by the actual positives, TP + FN.",
            lambda TP, FN, TN, FP: _from(TP / (TP + FN), TP / (TP + FP), (TP + TN) / (TP + FN + TN + FP)),
        ),
        Mistake(
            "This accuracy is the mean of the two rates TPR and TNR, the balanced accuracy: count the right answers "
            "among all.",
            lambda TP, FN, TN, FP: _from(TP / (TP + FP), TP / (TP + FN), (TP / (TP + FN) + TN / (TN + FP)) / 2),
        ),
        Mistake(
            "F₁ is the harmonic mean of precision and recall, not (precision + recall)/2.",
            lambda TP, FN, TN, FP: _from(
                p := TP / (TP + FP), r := TP / (TP + FN), (TP + TN) / (TP + FN + TN + FP), (p + r) / 2
            ),
        ),
        Mistake(
            "In the place of precision stands TNR = TN/(TN + FP), the share of the negatives that are found.",
            lambda TP, FN, TN, FP: _from(TN / (TN + FP), TP / (TP + FN), (TP + TN) / (TP + FN + TN + FP)),
        ),
        Mistake(
            "The accuracy counts only TP: the true negatives are right answers too.",
            lambda TP, FN, TN, FP: _from(TP / (TP + FP), TP / (TP + FN), TP / (TP + FN + TN + FP)),
        ),
        Mistake(
            "This F₁ has lost its factor 2: for equal precision and recall it must be equal to both.",
            lambda TP, FN, TN, FP: _from(
                p := TP / (TP + FP), r := TP / (TP + FN), (TP + TN) / (TP + FN + TN + FP), p * r / (p + r)
            ),
        ),
    ],
    alternatives=[
        Alternative(
            lambda TP, FN, TN, FP: (
                1 - FP / (TP + FP),
                1 - FN / (TP + FN),
                1 - (FP + FN) / (TP + FN + TN + FP),
                2 * TP / (2 * TP + FP + FN),
            )
        )
    ],
    hints=(
        Hint(
            "Which denominator belongs to which?",
            "Precision looks at all for which positive was *said*, TP + FP. Recall looks at all that *are* positive, "
            "TP + FN. Accuracy looks at all.",
        ),
        Hint("What is a harmonic mean?", r"$1/F_1$ is the mean of $1/\text{precision}$ and $1/\text{recall}$."),
    ),
    see="Equation (8.5), from the table of the four counts.",
)


# --- g, h, i: thresholds, pairs, the crossing ---

roc_point = Function(
    "roc_point",
    asks="A point of the ROC curve",
    points=1,
    reference=validation.roc_point,
    returns=("FPR", "TPR"),
    cases=_with_threshold,
    forbids=(validation.roc_curve, validation.confusion),
    mistakes=[
        Mistake(
            "FPR and TPR are exchanged: the horizontal axis, FPR, comes first.",
            lambda s, y, t: (np.mean(s[y == 1] >= t), np.mean(s[y == 0] >= t)),
        ),
        Mistake(
            "A score equal to t counts as negative here: positive is said for s ≥ t.",
            lambda s, y, t: (np.mean(s[y == 0] > t), np.mean(s[y == 1] > t)),
        ),
        Mistake(
            "These are shares of all points: FPR is a share of the negatives, TPR a share of the positives.",
            lambda s, y, t: (np.mean((s >= t) & (y == 0)), np.mean((s >= t) & (y == 1))),
        ),
        Mistake(
            "These are shares of the points for which positive was said: divide by the class, not by what was said.",
            lambda s, y, t: (np.mean(y[s >= t] == 0), np.mean(y[s >= t] == 1)),
        ),
        Mistake(
            "These are the shares below t: high scores speak for positive.",
            lambda s, y, t: (np.mean(s[y == 0] <= t), np.mean(s[y == 1] <= t)),
        ),
    ],
    alternatives=[
        Alternative(lambda s, y, t: (np.sum((s >= t) * (1 - y)) / np.sum(1 - y), np.sum((s >= t) * y) / np.sum(y))),
    ],
    hints=(
        Hint("Which points belong to FPR?", "Only the negatives, `s[y == 0]`. How many of them score at least $t$?"),
        Hint("How do I take a share?", "The mean of a mask is the share of its True entries: `np.mean(a >= t)`."),
    ),
    see="Equation (8.6): each rate is a share of its own class.",
)


def _pairs(s, y):
    """The shares of right, tied and wrong pairs."""
    gap = s[y == 1][:, None] - s[y == 0]
    return np.mean(gap > 0), np.mean(gap == 0), np.mean(gap < 0)


def _by_area(s, y):
    _, fpr, tpr = validation.roc_curve(s, y)
    return np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2)


def _by_ranks(s, y):
    rank = np.array([np.sum(s < a) + (np.sum(s == a) + 1) / 2 for a in s])
    m = np.sum(y == 1)
    return (rank[y == 1].sum() - m * (m + 1) / 2) / (m * np.sum(y == 0))


auc_pairs = Function(
    "auc_pairs",
    asks="The area under the curve",
    points=2,
    reference=validation.auc,
    cases=_scored,
    mistakes=[
        Mistake(
            "Ties count 0 here, as if every tied pair were wrong: a tie is a slope of the curve, and half of it lies "
            "below.",
            lambda s, y: _pairs(s, y)[0],
        ),
        Mistake(
            "Ties count 1 here, as if every tied pair were right: a tie is a slope of the curve, and half of it lies "
            "below.",
            lambda s, y: 1 - _pairs(s, y)[2],
        ),
        Mistake(
            "This is 1 − AUC: a pair is right if the positive has the higher score.",
            lambda s, y: (p := _pairs(s, y))[2] + p[1] / 2,
        ),
        Mistake(
            "This is 2·AUC − 1, right pairs minus wrong pairs, which is 0 for guessing. The area is ½ for guessing.",
            lambda s, y: (p := _pairs(s, y))[0] - p[2],
        ),
        Mistake(
            "Pairs of the same class are counted too: one point must be positive, the other negative.",
            lambda s, y: np.mean((gap := s[y == 1][:, None] - s) > 0) + np.mean(gap == 0) / 2,
        ),
    ],
    alternatives=[Alternative(_by_area), Alternative(_by_ranks)],
    hints=(
        Hint(
            "How do I get the area from the curve?",
            "`t, fpr, tpr = validation.roc_curve(s, y)` gives its corners. Between two corners lies a trapezium: "
            "width times mean height.",
        ),
        Hint(
            "Is there a way without the curve?",
            "Compare every positive with every negative. Each pair in the right order covers a small rectangle of the "
            "square; a tied pair covers half of one.",
        ),
        Hint("How do I make all pairs?", "`s[y == 1][:, None] - s[y == 0]` is the table of all differences."),
    ),
    see="Equation (8.7) and the paragraph below it.",
)


def _rates(s, y):
    """Thresholds, FPR and FNR, from the highest threshold down."""
    t, fpr, tpr = validation.roc_curve(s, y)
    return t, fpr, 1 - tpr


def _crossing(s, y):
    """FPR as a function of FPR − FNR, at 0."""
    _, fpr, fnr = _rates(s, y)
    return np.interp(0.0, fpr - fnr, fpr)


_NEAREST = (
    "This is a rate at the threshold where FPR and FNR are nearest, and there they still differ: go along the line "
    "to the neighbouring threshold until they are equal."
)
_DIAGONAL = (
    "This is an end of the curve; if you use np.interp, its second argument must increase. "
    "Equal errors are asked for: FNR = 1 − TPR = FPR."
)


equal_error = Function(
    "equal_error",
    asks="The equal error rate",
    points=2,
    reference=validation.equal_error_rate,
    cases=_scored,
    mistakes=[
        Mistake(_DIAGONAL, lambda s, y: 0.0 * len(s)),
        Mistake(_DIAGONAL, lambda s, y: 1.0 + 0.0 * len(s)),
        Mistake(_NEAREST, lambda s, y: (r := _rates(s, y))[1][np.argmin(np.abs(r[1] - r[2]))]),
        Mistake(_NEAREST, lambda s, y: (r := _rates(s, y))[2][np.argmin(np.abs(r[1] - r[2]))]),
        Mistake(_NEAREST, lambda s, y: ((r := _rates(s, y))[1] + r[2])[np.argmin(np.abs(r[1] - r[2]))] / 2),
        Mistake(
            "This is the true positive rate at the crossing: the error is 1 minus it.",
            lambda s, y: 1 - _crossing(s, y),
        ),
        Mistake(
            "This is the smallest share of wrong answers over all thresholds. It weights the larger class more; "
            "the two rates need not be equal there.",
            lambda s, y: np.min((r := _rates(s, y))[1] * np.mean(y == 0) + r[2] * np.mean(y == 1)),
        ),
        Mistake(
            "This is a threshold, a score; the rate at the crossing is asked for.",
            lambda s, y: (r := _rates(s, y))[0][np.argmax(r[1] >= r[2])],
        ),
    ],
    alternatives=[
        Alternative(_crossing),
        Alternative(  # where the ROC curve meets the other diagonal
            lambda s, y: 1 - np.interp(0.0, (r := _rates(s, y))[1] - r[2], 1 - r[2])
        ),
    ],
    hints=(
        Hint(
            "Where do I look?",
            "With `t, fpr, tpr = validation.roc_curve(s, y)` the difference FPR − FNR rises from −1 to 1. "
            "Find the two neighbours between which it passes 0.",
        ),
        Hint(
            "How do I interpolate?",
            "If the difference is $a<0$ at one of them and $b\\ge0$ at the other, then 0 lies at the share "
            "$-a/(b-a)$ of the way. `np.interp(0, difference, fpr)` does this.",
        ),
    ),
    see="Equation (8.8): the ROC curve consists of straight pieces, and on one of them FPR = 1 − TPR.",
)


# --- j: a printed formula, wrong in one place ---

accuracy_of_rates = Slip(
    "accuracy_of_rates",
    asks="Accuracy from the two rates",
    points=2,
    printed=lambda tpr, tnr, share: (tpr + tnr) / 2,
    reference=validation.accuracy,
    cases=lambda rng: [(0.5, 0.99, 0.1), *(tuple(rng.uniform(0.1, 0.9, size=3)) for _ in range(3))],
    admits=lambda tpr, tnr, share: all(np.ndim(v) == 0 and 0 <= v <= 1 for v in (tpr, tnr, share)),
    domain="three numbers between 0 and 1",
    mistakes=[
        Mistake("This is still the printed formula, the balanced accuracy.", lambda tpr, tnr, share: (tpr + tnr) / 2),
        Mistake(
            "The shares are exchanged: TPR is a rate among the positives, and π is their share.",
            lambda tpr, tnr, share: (1 - share) * tpr + share * tnr,
        ),
        Mistake(
            "π multiplies both rates: the negatives have the share 1 − π.",
            lambda tpr, tnr, share: share * (tpr + tnr),
        ),
        Mistake(
            "This multiplies the two rates: that is the chance to get one positive and one negative both right.",
            lambda tpr, tnr, share: tpr * tnr,
        ),
        Mistake(SAME_THERE, (0.9, 0.4, 0.5), part=1),
        Mistake(SAME_THERE, (0.8, 0.8, 0.1), part=1),
    ],
    alternatives=[
        Alternative(lambda tpr, tnr, share: 1 - share * (1 - tpr) - (1 - share) * (1 - tnr)),
        Alternative((0.0, 1.0, 0.01), part=1),
        Alternative([1, 0, 0.9], part=1),
    ],
    hints=(
        Hint(
            "How many right answers are there?",
            r"Among $n$ points, $\pi n$ are positive, and of these the share TPR is found. "
            "Count the right ones among the negatives in the same way.",
        ),
        Hint("Where do I look for a counter-example?", "The rates must differ, and one class must be rarer."),
    ),
    see="Equation (8.9): TP = π n TPR and TN = (1 − π) n TNR, put into (TP + TN)/n.",
)


ninety_nine_percent = Explanation(
    "ninety_nine_percent",
    asks="A test that is right 99% of the time",
    points=3,
    rubric=(
        "1 point: with 1% ill, saying 'healthy' to everybody is right 99% of the time, so the accuracy says nothing "
        "about the ill; (8.9). 1 point: what to ask for instead: the recall and the false positive rate, or the "
        "ROC curve with its area, measured on people who took part in no choice. 1 point: the 20 markers were chosen "
        "with the labels of all people, so cross-validation tests on labels that were used; choose within each "
        "training part, or on people kept apart."
    ),
)

topic = Topic(
    number=8,
    slug="validation",
    title="Validation and model selection",
    question="How well will it do on data that it has never seen?",
    part="Regression",
    minutes=75,
    before={
        "ridge": "ridge regression",
        "bias_variance": "bias and variance",
    },
    exercises=[
        kfold_labels,
        fold_average,
        loo_shortcut,
        loo_residuals,
        honest_protocol,
        confusion_scores,
        roc_point,
        auc_pairs,
        equal_error,
        accuracy_of_rates,
        ninety_nine_percent,
    ],
)
check = Checks(topic)
