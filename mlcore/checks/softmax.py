"""The exercises of 13 softmax."""

import numpy as np

from mlcore import softmax
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
    close,
    exactly,
    without,
)


def _softmax(T):
    """Probabilities over the last axis; finite for all scores, in the wrong answers too."""
    return np.exp(T - np.logaddexp.reduce(T, axis=-1, keepdims=True))


# --- data to be tried on: n, d and C are always three different numbers ---


def _data(rng, n, d, C):
    """W, X and Y: columns off centre, every class present, in unequal numbers."""
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    y = np.concatenate([np.arange(C), rng.integers(0, C - 1, size=n - C)])
    return rng.normal(size=(d, C)) * 0.7, X, softmax.one_hot(rng.permutation(y), C)


def _fits(rng):
    return [_data(rng, 4, 2, 3), _data(rng, 9, 3, 4), _data(rng, 12, 4, 2)]


def _for_logarithms(rng):
    """Weights of moderate size, so that no exponential hides the others."""
    return [(0.8 * W, X, Y) for W, X, Y in _fits(rng)]


def _gentle(rng, n, d, C):
    """As `_data`, but every point leaves all classes probable and the columns are off centre by 1.

    So H stands far above the rounding in its zeros: the tolerance of any solver tells the two apart.
    """
    X = rng.uniform(-1, 1, size=(n, d)) + rng.choice([-1.0, 1.0], size=d)
    return rng.uniform(-0.4, 0.4, size=(d, C)), X, _data(rng, n, d, C)[2]


def _gentle_fits(rng):
    return [_gentle(rng, 6, 2, 3), _gentle(rng, 9, 3, 4), _gentle(rng, 12, 4, 2)]


def _weights(rng):
    return [(rng.integers(1, 6, size=(2, 3)).astype(float),), (rng.normal(size=(4, 2)),), (rng.normal(size=(3, 5)),)]


def _scores(rng):
    return [
        (np.array([1000.0, 1001.0, 999.0]),),
        (rng.normal(size=4) + rng.uniform(1, 2),),
        (np.insert(rng.permutation([-1000.0, rng.uniform(0, 1)]), 1, 1000.0),),  # the largest neither first nor last
        (np.array([800.0, -800.0, 800.0]),),  # nor in the middle, and it is there twice
        (-1000 + rng.normal(size=2),),
    ]


def _directions(rng):
    """(t, a): a positive, a negative, and with both signs; the first t so low that the value is negative."""
    mixed = np.append(rng.normal(size=3), rng.uniform([-3, 1], [-1, 3]))
    directions = rng.uniform(0.5, 3, size=2), -rng.uniform(0.5, 3, size=3), rng.permutation(mixed)
    return [(rng.normal(size=len(a)) - low, a) for a, low in zip(directions, (6, 0, 0), strict=True)]


def _tempered(rng):
    return [
        (rng.uniform(-1, 1, size=3), rng.uniform(1.5, 3)),
        (rng.normal(size=4), rng.uniform(0.3, 0.7)),
        (1000 + rng.normal(size=3), rng.uniform(1.5, 3)),
        (-1000 + rng.normal(size=2), rng.uniform(0.3, 0.7)),
    ]


def _predictions(rng):
    """Moderate scores, and rows of large ones: up, down, and spread, with the largest in any column."""
    rows = np.array(
        [
            [1000.0, 1001.0, 999.0],
            [-1000.0, -1002.0, -1001.0],
            [-1000.0, 1000.0, 0.0],
            [800.0, -800.0, 800.0],
            [0.5, -0.3, 1.0],
        ]
    )
    return [
        (rng.normal(size=(2, 3)), rng.normal(size=(4, 2))),
        (rng.normal(size=(3, 4)), rng.normal(size=(6, 3)) + 1),
        (np.eye(3)[rng.choice([[0, 1, 2], [2, 1, 0]])] / 2, 2 * rows[rng.permutation(5)]),
    ]


def _designs(rng):
    """X and C: independent columns, one that depends on others exactly, fewer points than features."""
    tall = np.vstack([4 * np.eye(3, dtype=int), np.zeros((3, 3), dtype=int)]) + rng.integers(-1, 2, size=(6, 3))
    return [
        (rng.integers(-1, 2, size=(4, 2)) + np.array([[4, 0], [0, 4], [0, 0], [0, 0]]), 3),
        (np.column_stack([tall, tall[:, 0] - 2 * tall[:, 1]]), int(rng.integers(3, 6))),
        (rng.normal(size=(2, 5)), 4),
        (rng.normal(size=(9, 4)), 2),
    ]


# --- log-sum-exp ---

_SPREAD = (
    "Right as long as the scores are close together. With (−1000, 0, 1000) the largest exponential overflows: what is "
    "subtracted has to be the largest score."
)

stable_lse = Function(
    "stable_lse",
    asks="The logarithm of a sum of exponentials",
    points=1,
    reference=softmax.log_sum_exp,
    cases=_scores,
    compare=close(rtol=1e-12, atol=1e-9),
    mistakes=[
        Mistake(
            "This is the maximum. LSE exceeds it by the logarithm of Σ exp(tₖ − m), which is positive.",
            lambda t: np.max(t),
        ),
        Mistake(
            "The maximum that was taken out of the exponentials is not added back after the logarithm.",
            lambda t: np.logaddexp.reduce(t - np.max(t)),
        ),
        Mistake(
            "Right for small scores, but e¹⁰⁰⁰ is inf and the logarithm of e⁻¹⁰⁰⁰ = 0 is −inf: take out the largest "
            "score first.",
            lambda t: np.log(np.sum(np.exp(t))),
        ),
        Mistake(_SPREAD, lambda t: np.mean(t) + np.log(np.sum(np.exp(t - np.mean(t))))),
        Mistake(
            "This is the logarithm of the mean of the exponentials: their sum is asked for.",
            lambda t: np.logaddexp.reduce(t) - np.log(len(t)),
        ),
    ],
    alternatives=[
        Alternative(lambda t: np.logaddexp.reduce(t)),
        Alternative(lambda t: np.max(t) + np.log1p(np.sum(np.exp(np.sort(t)[:-1] - np.max(t))))),
    ],
    hints=(
        Hint(
            "What can I take out of the sum?",
            r"$\sum_ke^{t_k}=e^m\sum_ke^{t_k-m}$ for any $m$. What is the logarithm of the right side?",
        ),
        Hint(
            "Which m is best?",
            "With the largest score, every exponent is at most 0 and one of them is 0: nothing overflows, and the sum "
            "is at least 1.",
        ),
    ),
    see="Equation (13.1): a factor eᵐ is taken out of the sum.",
)

class_probabilities = Function(
    "class_probabilities",
    asks="The probabilities of all classes",
    points=1,
    reference=softmax.class_probabilities,
    cases=_predictions,
    forbids=(softmax.probabilities,),
    mistakes=[
        Mistake(
            "The columns sum to 1, and the rows should: a row belongs to one point, whose classes share the "
            "probability 1.",
            lambda W, X: _softmax((X @ W).T).T,
        ),
        Mistake(
            "All entries together sum to 1: every row has to do so for itself.",
            lambda W, X: _softmax((X @ W).ravel()).reshape(len(X), -1),
        ),
        Mistake(
            "Each class has its own logistic function here, and a row does not sum to 1: divide by the sum over all "
            "classes.",
            lambda W, X: np.exp(-np.logaddexp(0, -X @ W)),
        ),
        Mistake(
            "Right for small scores. For large ones all exponentials of a row overflow or vanish, and inf/inf or 0/0 "
            "is not a number: take each row's largest score out first.",
            lambda W, X: (E := np.exp(X @ W)) / E.sum(axis=1, keepdims=True),
        ),
        Mistake(
            "Right until one row's scores are far below another's: then all its exponentials vanish, and 0/0 is not a "
            "number. Every row needs its own maximum.",
            lambda W, X: (E := np.exp(X @ W - np.max(X @ W))) / E.sum(axis=1, keepdims=True),
        ),
        Mistake(
            "These are the logarithms of the probabilities.",
            lambda W, X: (T := X @ W) - np.logaddexp.reduce(T, axis=1, keepdims=True),
        ),
    ],
    alternatives=[
        Alternative(lambda W, X: np.exp((T := X @ W) - np.logaddexp.reduce(T, axis=1, keepdims=True))),
        Alternative(
            lambda W, X: np.array([(e := np.exp(W.T @ x - np.max(W.T @ x))) / np.sum(e) for x in X]),
        ),
    ],
    hints=(
        Hint("What is the score of point i for class k?", "$x_i^\\top w_k$, the entry $(i,k)$ of $XW$."),
        Hint(
            "How do I divide each row by its own sum?",
            "`E.sum(axis=1, keepdims=True)` has the shape $(n,1)$ and divides row by row.",
        ),
        Hint(
            "How do I keep it finite?",
            "Subtract from every row its maximum before the exponential: numerator and denominator lose the same "
            "factor.",
        ),
    ),
    see="Equations (13.2) and (13.3).",
)


# --- the curvature of log-sum-exp ---


def _line_1(t, a):
    return np.log(np.sum(np.exp(t)))


def _line_2(t, a):
    return a * np.exp(t), np.exp(t)


def _line_3(t, a):
    p = np.exp(t) / np.sum(np.exp(t))
    return np.outer(a**2 * p, p), np.outer(a * p, a * p)


def _line_4(t, a):
    p = np.exp(t) / np.sum(np.exp(t))
    return np.outer(p, p) * (a[:, None] - a[None, :]) ** 2 / 2


def _of_exponentials(terms, above, t, a):
    """Multiples of exp(tₖ + saₖ): the derivative is aₖ times the term."""
    return a * terms


def _of_probabilities(terms, above, t, a):
    """Multiples of pₖ: divided by S too early, and S depends on s."""
    return terms * (a - a @ _softmax(t))


def _with_t_before(terms, above, t, a):
    """Multiples of (tₖ + saₖ) exp(tₖ + saₖ)."""
    return a * terms * (1 + 1 / t)


def _of_scores(terms, above, t, a):
    """Multiples of tₖ + saₖ."""
    return a * terms / t


def _as_in_line_2(terms, above, t, a):
    """The derivative of S is what the student's line 2 has for it, be it right or wrong."""
    return above


def _slope_of_quotient(of_above, of_below):
    """Line 3 by the derivatives of the terms in line 2."""

    def step(before, t, a):
        above, below = before
        S = np.sum(below)
        up, down = of_above(above, above, t, a), of_below(below, above, t, a)
        return np.outer(up, below) / S**2, np.outer(above, down) / S**2

    return step


def _symmetric(before, t, a):
    difference = before[0] - before[1]
    return (difference + difference.T) / 2


def _pairs(formula):
    """A matrix with an entry for each pair of classes, from p and from a as a column and as a row."""
    return lambda t, a: formula(_softmax(t), a[:, None], a[None, :])


lse_chain = Chain(
    "lse_chain",
    asks="Log-sum-exp is convex",
    first=_line_1,
    lines=[
        Line(
            does="the slope of line 1 in the direction a is S′/S, where S is the sum in line 1 at t + sa, and S′ its "
            "derivative with respect to s, at s = 0: name the terms of the two sums, class by class",
            parts=("terms of S′", "terms of S"),
            reference=_line_2,
            whole=lambda here, t, a: np.sum(here[0]) / np.sum(here[1]),
            mistakes=[
                Mistake(
                    "The inner derivative is missing: tₖ + saₖ is differentiated with respect to s.",
                    but(_line_2, 0, lambda t, a: np.exp(t)),
                ),
                Mistake(
                    "This has aₖ twice: it is the second derivative.",
                    but(_line_2, 0, lambda t, a: a**2 * np.exp(t)),
                ),
                Mistake(
                    "This is the slope at t + a: differentiate first, then put s = 0.",
                    lambda t, a: (a * np.exp(t + a), np.exp(t + a)),
                ),
                Mistake(
                    "The terms of S′ are divided by S: they are those of the derivative of the sum, and not of the "
                    "quotient.",
                    but(_line_2, 0, lambda t, a: a * _softmax(t)),
                ),
                Mistake(
                    "Both are divided by S: the terms of S are those of the sum in line 1, and S′ is its derivative.",
                    lambda t, a: (a * _softmax(t), _softmax(t)),
                ),
                Mistake("The two have changed places: the terms of S′ come first.", lambda t, a: _line_2(t, a)[::-1]),
                Mistake(
                    "t stands before the exponential: tₖ + saₖ has the derivative aₖ with respect to s.",
                    but(_line_2, 0, lambda t, a: a * t * np.exp(t)),
                ),
                Mistake(
                    "The exponent is aₖtₖ here: in line 1 at t + sa it is tₖ + saₖ, and s = 0.",
                    but(_line_2, 0, lambda t, a: a * np.exp(a * t)),
                ),
                Mistake(
                    "The terms of S are still t: S is the sum of the exponentials.", but(_line_2, 1, lambda t, a: t)
                ),
            ],
        ),
        Line(
            does="differentiate S′/S once more, by the quotient rule: product 1 comes from the numerator, product 2, "
            "which is subtracted, from the denominator. Write each as a sum over all pairs of classes, divided by all "
            "that stands below: in entry (k, j), k is the class in the numerator S′ and j that in the denominator S",
            parts=("product 1", "product 2"),
            reference=_line_3,
            follows=[
                _slope_of_quotient(of_above, of_below)
                for of_above in (_of_exponentials, _of_probabilities, _with_t_before)
                for of_below in (_of_exponentials, _as_in_line_2, _of_probabilities, _of_scores)
            ],
            whole=lambda here, t, a: np.sum(here[0] - here[1]),
            mistakes=[
                Mistake(
                    "The derivative of the numerator brings aₖ once more: it was there already.",
                    but(_line_3, 0, _pairs(lambda p, a, b: np.outer(p, p) * a)),
                ),
                Mistake(
                    "The derivative of the denominator is missing its a: S depends on s too.",
                    but(_line_3, 1, _pairs(lambda p, a, b: np.outer(p, p) * a)),
                ),
                Mistake(
                    "In a product of two sums every term meets every other, and not only itself.",
                    but(_line_3, 1, lambda t, a: np.diag((_softmax(t) * a) ** 2)),
                ),
                Mistake(
                    "The minus of the quotient rule is in it already: product 2 is subtracted.",
                    but(_line_3, 1, _pairs(lambda p, a, b: -np.outer(p, p) * a * b)),
                ),
                Mistake(
                    "Rows and columns are exchanged: k, the row, is the class in the numerator S′.",
                    but(_line_3, 0, _pairs(lambda p, a, b: np.outer(p, p) * b**2)),
                ),
                Mistake(
                    "The two products have changed places: product 1 comes from the numerator.",
                    lambda t, a: _line_3(t, a)[::-1],
                ),
                Mistake(
                    "S² is missing below: the quotient rule divides by the square of the denominator.",
                    lambda t, a: tuple(part * np.sum(np.exp(t)) ** 2 for part in _line_3(t, a)),
                ),
                Mistake(
                    "Only S stands below: the quotient rule divides by the square of the denominator.",
                    lambda t, a: tuple(part * np.sum(np.exp(t)) for part in _line_3(t, a)),
                ),
                Mistake(
                    "Only S stands below in product 2: the quotient rule divides by the square of the denominator.",
                    but(_line_3, 1, lambda t, a: _line_3(t, a)[1] * np.sum(np.exp(t))),
                ),
                Mistake(
                    "Product 1 has only its diagonal: the sum S, too, runs over all classes.",
                    but(_line_3, 0, lambda t, a: np.diag(a**2 * _softmax(t))),
                ),
                Mistake(
                    "Product 1 is the mean of (k, j) and (j, k) here: in entry (k, j), k is the class in S′.",
                    but(_line_3, 0, _pairs(lambda p, a, b: np.outer(p, p) * (a**2 + b**2) / 2)),
                ),
            ],
        ),
        Line(
            does="product 1 minus product 2 as one sum over all pairs, with a term that stays the same when k and j "
            "change places, and whose sign is plain",
            reference=_line_4,
            follows=_symmetric,
            mistakes=[
                Mistake(
                    "The sum is right, but the terms are not the same for (k, j) and (j, k): take the mean of the two.",
                    _pairs(lambda p, a, b: np.outer(p, p) * a * (a - b)),
                ),
                Mistake(
                    "Twice what it should be: the terms of (k, j) and (j, k) were added, and each pair comes in twice.",
                    _pairs(lambda p, a, b: np.outer(p, p) * (a - b) ** 2),
                ),
                Mistake(
                    "a² − 2ab + b² is the square of a difference: the minus of product 2 is lost.",
                    _pairs(lambda p, a, b: np.outer(p, p) * (a + b) ** 2 / 2),
                ),
                Mistake(
                    "The terms with aₖaⱼ are gone: product 2 is subtracted.",
                    _pairs(lambda p, a, b: np.outer(p, p) * (a**2 + b**2) / 2),
                ),
                Mistake(
                    "The difference is not squared: its sign changes when k and j change places.",
                    _pairs(lambda p, a, b: np.outer(p, p) * (a - b) / 2),
                ),
                Mistake(
                    "This is the size of the difference: product 1 and product 2 have two factors a.",
                    _pairs(lambda p, a, b: np.outer(p, p) * np.abs(a - b) / 2),
                ),
                Mistake(
                    "S² is missing below: each exponential is divided by S.",
                    lambda t, a: _line_4(t, a) * np.sum(np.exp(t)) ** 2,
                ),
                Mistake(
                    "S stands below once: each of the two exponentials is divided by it.",
                    lambda t, a: _line_4(t, a) * np.sum(np.exp(t)),
                ),
                Mistake(
                    "This is the difference of the squares: its sign changes when k and j change places.",
                    _pairs(lambda p, a, b: np.outer(p, p) * (a**2 - b**2) / 2),
                ),
                Mistake("This is product 2 alone.", _pairs(lambda p, a, b: np.outer(p, p) * a * b)),
            ],
        ),
    ],
    cases=_directions,
    forbids=(softmax.curvature, softmax.jacobian),
    alternatives=[
        Alternative(lambda t, a: ([ak * np.exp(tk) for tk, ak in zip(t, a, strict=True)], np.e**t), part=0),
        Alternative(
            lambda t, a: (
                np.exp(t[:, None] + t[None, :]) * a[:, None] ** 2 / np.sum(np.exp(t)) ** 2,
                np.einsum("k,j,k,j->kj", np.exp(t), np.exp(t), a, a) / np.sum(np.exp(t)) ** 2,
            ),
            part=1,
        ),
        Alternative(lambda t, a: np.diag(_softmax(t)) @ (a[:, None] - a) ** 2 @ np.diag(_softmax(t)) / 2, part=2),
        Alternative(
            lambda t, a: (
                ((D := np.outer(p := np.exp(t - np.logaddexp.reduce(t)), p) * a[:, None] * (a[:, None] - a)) + D.T) / 2
            ),
            part=2,
        ),
    ],
    hints=(
        Hint(
            "What is the slope in a direction?",
            r"Put $t_k+sa_k$ in for $t_k$ and differentiate with respect to the number $s$. Then put $s=0$.",
        ),
        Hint(
            "How do I get from line 2 to line 3?",
            r"By the quotient rule $\left(\frac uv\right)'=\frac{u'v}{v^2}-\frac{u\,v'}{v^2}$. A product of two sums "
            r"is a sum over pairs, $\sum_kb_k\sum_jc_j=\sum_{k,j}b_kc_j$: the matrix `np.outer(b, c)`.",
        ),
        Hint(
            "How do I make the terms symmetric?",
            r"$\sum_{k,j}D_{kj}=\sum_{k,j}D_{jk}$, so the sum does not change if every term becomes "
            r"$\frac12(D_{kj}+D_{jk})$.",
        ),
    ),
    see="Equation (13.4), and the line above it.",
)


# --- the Jacobian ---


def _jacobian(formula, scale=lambda tau: 1 / tau, inside=lambda t, tau: t / tau):
    return lambda t, tau: scale(tau) * formula(_softmax(inside(t, tau)))


def _minus_outer(p):
    return np.diag(p) - np.outer(p, p)


softmax_jacobian = Function(
    "softmax_jacobian",
    asks="How the probabilities answer to the scores",
    points=2,
    reference=softmax.jacobian,
    cases=_tempered,
    mistakes=[
        Mistake(
            "Only the diagonal is there: raising one score lowers the probabilities of all other classes.",
            _jacobian(lambda p: np.diag(p * (1 - p))),
        ),
        Mistake(
            "With a plus all entries are positive. The probabilities sum to 1, so every row of the Jacobian sums to 0.",
            _jacobian(lambda p: np.diag(p) + np.outer(p, p)),
        ),
        Mistake(
            "p is right, but the inner derivative of t/τ is missing: 1/τ.",
            _jacobian(_minus_outer, scale=lambda tau: 1.0),
        ),
        Mistake(
            "τ multiplies where it should divide: a high temperature makes p answer less.",
            _jacobian(_minus_outer, scale=lambda tau: tau),
        ),
        Mistake(
            "This is the Jacobian of softmax(t): τ does not come in.",
            _jacobian(_minus_outer, scale=lambda tau: 1.0, inside=lambda t, tau: t),
        ),
        Mistake(
            "The factor 1/τ is there, but p is softmax(t): the scores have to be divided too.",
            _jacobian(_minus_outer, inside=lambda t, tau: t),
        ),
    ],
    alternatives=[
        Alternative(lambda t, tau: (p := _softmax(t / tau))[:, None] * (np.eye(len(p)) - p) / tau),
        Alternative(
            lambda t, tau: (
                p := _softmax(t / tau),
                np.array([[p[k] * ((k == j) - p[j]) / tau for j in range(len(t))] for k in range(len(t))]),
            )[1]
        ),
    ],
    hints=(
        Hint(
            "How does pₖ depend on its own score?",
            r"As $\sigma$ did: $\partial p_k/\partial t_k=p_k(1-p_k)$ for $\tau=1$, by the quotient rule.",
        ),
        Hint(
            "And on another class's score?",
            r"$t_j$ occurs in the denominator only: $\partial p_k/\partial t_j=-p_kp_j$ for $\tau=1$.",
        ),
        Hint("Where does τ come in?", r"$p$ is a function of $t/\tau$: the chain rule brings one more factor."),
    ),
    see="Equation (13.5): the quotient rule for k = j and for k ≠ j, and the chain rule for τ.",
)


# --- from the cross-entropy to the gradient, class by class ---


def _first(W, X, Y):
    E = np.exp(X @ W)
    return np.sum(-Y * np.log(E / np.sum(E, axis=1, keepdims=True)))


def _logarithms(W, X, Y):
    T = X @ W
    return -Y * T, Y * np.log(np.sum(np.exp(T), axis=1, keepdims=True))


def _by_scores(W, X, Y):
    E = np.exp(X @ W)
    P = E / np.sum(E, axis=1, keepdims=True)
    return -Y[:, :, None] * np.eye(W.shape[1]), Y[:, :, None] * P[:, None, :]


def _collected(W, X, Y):
    E = np.exp(X @ W)
    return -Y, E / np.sum(E, axis=1, keepdims=True)


def _by_weights(W, X, Y):
    E = np.exp(X @ W)
    return X[:, :, None] * (E / np.sum(E, axis=1, keepdims=True) - Y)[:, None, :]


def _differentiated(before, W, X, Y):
    """Each of the two is a multiple of some function of the scores: of which, its values tell."""
    in_numerators, in_denominators = _functions_of(X @ W)
    return _slope(before[0], in_numerators), _slope(before[1], in_denominators)


def _slope(terms, functions):
    g, dg = next(((g, dg) for g, dg in functions if _is_multiple(terms, g)), functions[0])
    return np.divide(terms, g, out=np.zeros_like(terms), where=g != 0)[:, :, None] * dg


def _functions_of(T):
    """What may stand in line 2, entry (i, k), with its derivatives with respect to the scores j of point i."""
    own, one = np.eye(T.shape[1]), np.ones_like(T)
    E, P, top = np.exp(T), _softmax(T), np.max(T, axis=1, keepdims=True)
    S, by_class, all_in_all = np.sum(E, axis=1, keepdims=True), np.sum(E, axis=0), np.sum(E)
    p, to_all = P[:, None, :], one[:, :, None]
    is_top = (top == T).astype(float)[:, None, :]
    numerators = [
        (T, own * to_all),
        (E, E[:, :, None] * own),
        (np.log(P), own - p),
        (P, P[:, :, None] * (own - p)),
        (T - top, own - is_top),
    ]
    denominators = [
        (one * np.log(S), to_all * p),
        (one * S, to_all * E[:, None, :]),
        (one * np.sum(T, axis=1, keepdims=True), to_all * one[:, None, :]),
        (one * np.log(S) - top, to_all * (p - is_top)),
        (one * np.log(all_in_all), to_all * E[:, None, :] / all_in_all),
        (one * np.log(by_class), (E / by_class)[:, :, None] * own),
        (np.log(1 + E), (E / (1 + E))[:, :, None] * own),
    ]
    return numerators, denominators


def _is_multiple(terms, g):
    """c g with one number c, but for its sign, wherever the terms are not zero."""
    there = terms != 0
    if not np.any(there) or not np.all(g[there]):
        return False
    times = np.abs(terms[there] / g[there])
    return np.allclose(times, times[0], rtol=1e-7)


def _pairs_of_classes(formula):
    """An array (n, C, C), from Y as terms (n, C, 1), P as scores (n, 1, C), the identity, and T as scores."""
    return lambda W, X, Y: formula(Y[:, :, None], _softmax(X @ W)[:, None, :], np.eye(W.shape[1]), (X @ W)[:, None, :])


def _each(formula):
    """An array (n, C) from Y, P and T."""
    return lambda W, X, Y: formula(Y, _softmax(X @ W), X @ W)


def _rows_times(formula):
    """An array (n, d, C): each point times what Y, P and T give it."""
    return lambda W, X, Y: X[:, :, None] * formula(Y, _softmax(X @ W), X @ W)[:, None, :]


def _lse(T, **axes):
    return np.log(np.sum(np.exp(T), **axes))


def _sums(W, X):
    """S, one for each point: shape (n, 1)."""
    return np.sum(np.exp(X @ W), axis=1, keepdims=True)


softmax_chain = Chain(
    "softmax_chain",
    asks="From the cross-entropy to its gradient, class by class",
    first=_first,
    lines=[
        Line(
            does="take the logarithm of the quotient apart, with numerator and denominator as they stand in line 1: "
            "what −yᵢₖ log(…) gives for point i and class k, from the numerator and from the denominator, with their "
            "signs, so that line 1 is the sum of all entries of the two",
            parts=("numerators", "denominators"),
            forms=[without("div", "There is still a quotient in it: its logarithm is a difference.")],
            reference=_logarithms,
            mistakes=[
                Mistake(
                    "The minus of line 1 is gone: this is the log-likelihood, which is to be made large.",
                    lambda W, X, Y: tuple(-part for part in _logarithms(W, X, Y)),
                ),
                Mistake(
                    "The sign of the numerators is reversed: line 1 has a minus, and in the logarithm of a quotient "
                    "that of the numerator has a plus.",
                    but(_logarithms, 0, _each(lambda Y, P, T: Y * T)),
                ),
                Mistake(
                    "The sign of the denominators is reversed: the logarithm of a quotient has a minus there, and "
                    "line 1 has one more.",
                    but(_logarithms, 1, _each(lambda Y, P, T: -Y * _lse(T, axis=1, keepdims=True))),
                ),
                Mistake(
                    "The logarithm of the denominator is gone: this is the sum itself.",
                    but(_logarithms, 1, _each(lambda Y, P, T: Y * np.sum(np.exp(T), axis=1, keepdims=True))),
                ),
                Mistake(
                    "The logarithm of a sum is not the sum of the logarithms: the sum in the denominator stays.",
                    but(_logarithms, 1, _each(lambda Y, P, T: Y * np.sum(T, axis=1, keepdims=True))),
                ),
                Mistake(
                    "The numerators are still exponentials: they are inside a logarithm.",
                    but(_logarithms, 0, _each(lambda Y, P, T: -Y * np.exp(T))),
                ),
                Mistake(
                    "The labels are gone: each term has the factor yᵢₖ.",
                    _each(lambda Y, P, T: (-T, _lse(T, axis=1, keepdims=True) + 0 * Y)),
                ),
                Mistake(
                    "The labels are gone from the denominators: yᵢₖ is a factor of the whole logarithm.",
                    but(_logarithms, 1, _each(lambda Y, P, T: _lse(T, axis=1, keepdims=True) + 0 * Y)),
                ),
                Mistake(
                    "The denominators sum over all points: each point has its own, the sum over its classes.",
                    but(_logarithms, 1, _each(lambda Y, P, T: Y * _lse(T))),
                ),
                Mistake(
                    "The denominators sum over the points, class by class: each point has its own, the sum over its "
                    "classes.",
                    but(_logarithms, 1, _each(lambda Y, P, T: Y * _lse(T, axis=0))),
                ),
                Mistake(
                    "The logarithms are not taken apart: all of −yᵢₖ log pᵢₖ stands in the first of the two.",
                    _each(lambda Y, P, T: (-Y * np.log(P), 0 * Y)),
                ),
                Mistake(
                    "The logarithm is gone: this is −yᵢₖ times the quotient itself.",
                    _each(lambda Y, P, T: (-Y * P, 0 * Y)),
                ),
                Mistake(
                    "This is log(1 + eᵗ), as with two classes: the denominator is the sum over all classes.",
                    but(_logarithms, 1, _each(lambda Y, P, T: Y * np.log(1 + np.exp(T)))),
                ),
                Mistake(
                    "Both hold the largest score of each point, which was taken out of numerator and denominator: they "
                    "are asked for as they stand in line 1.",
                    _each(
                        lambda Y, P, T: (
                            -Y * (U := T - np.max(T, axis=1, keepdims=True)),
                            Y * _lse(U, axis=1, keepdims=True),
                        )
                    ),
                ),
                Mistake(
                    "The terms are divided by n: line 1 is a sum over the points, not a mean.",
                    lambda W, X, Y: tuple(part / len(X) for part in _logarithms(W, X, Y)),
                ),
            ],
        ),
        Line(
            does="differentiate each of the two with respect to each score tᵢⱼ of its point, still with their signs: "
            "in entry (i, k, j), k is the class of the term in line 2, and j that of the score",
            parts=("numerators", "denominators"),
            reference=_by_scores,
            follows=_differentiated,
            mistakes=[
                Mistake(
                    "The numerators have an entry for every j: tᵢₖ is differentiated with respect to tᵢⱼ, which is "
                    "another score if j ≠ k.",
                    but(_by_scores, 0, _pairs_of_classes(lambda y, p, one, t: -y + 0 * p)),
                ),
                Mistake(
                    "The numerators still hold the score: it is differentiated.",
                    but(_by_scores, 0, _pairs_of_classes(lambda y, p, one, t: -y * t * one)),
                ),
                Mistake(
                    "The numerators have lost their minus.",
                    but(_by_scores, 0, _pairs_of_classes(lambda y, p, one, t: y * one)),
                ),
                Mistake(
                    "The denominators have entries for j = k only: the sum in the logarithm holds the scores of all "
                    "classes.",
                    but(_by_scores, 1, _pairs_of_classes(lambda y, p, one, t: y * p * one)),
                ),
                Mistake(
                    "The probability is that of class k: the derivative with respect to tᵢⱼ has the exponential of "
                    "tᵢⱼ.",
                    but(_by_scores, 1, _pairs_of_classes(lambda y, p, one, t: y * np.swapaxes(p, 1, 2) + 0 * p)),
                ),
                Mistake(
                    "The label is that of class j: term k of line 2 has yᵢₖ.",
                    but(_by_scores, 1, _pairs_of_classes(lambda y, p, one, t: np.swapaxes(y, 1, 2) * p + 0 * y)),
                ),
                Mistake(
                    "k and j have changed places: the term k comes first.",
                    lambda W, X, Y: tuple(np.swapaxes(part, 1, 2) for part in _by_scores(W, X, Y)),
                ),
                Mistake(
                    "The inner derivative is missing: log S has the derivative S′/S.",
                    but(_by_scores, 1, lambda W, X, Y: Y[:, :, None] / _sums(W, X)[:, :, None] + 0 * Y[:, None, :]),
                ),
                Mistake(
                    "The denominators hold no scores: the derivative of log S is S′/S.",
                    but(_by_scores, 1, _pairs_of_classes(lambda y, p, one, t: y + 0 * p)),
                ),
                Mistake(
                    "The two are put together in the first: asked for is the derivative of each.",
                    _pairs_of_classes(lambda y, p, one, t: (y * (p - one), 0 * y * one)),
                ),
                Mistake(
                    "The denominators have the derivative of the sum, and not that of its logarithm: log S has the "
                    "derivative S′/S.",
                    but(_by_scores, 1, _pairs_of_classes(lambda y, p, one, t: y * np.exp(t))),
                ),
                Mistake(
                    "The denominators have the sign of the numerators: in line 2 their signs are opposite.",
                    but(_by_scores, 1, _pairs_of_classes(lambda y, p, one, t: -y * p)),
                ),
                Mistake(
                    "The denominators have the derivative of the quotient pᵢₖ: line 2 has the logarithm of a sum.",
                    but(
                        _by_scores,
                        1,
                        _pairs_of_classes(lambda y, p, one, t: y * np.swapaxes(p, 1, 2) * (one - p)),
                    ),
                ),
                Mistake(
                    "The labels are gone: they do not depend on the scores, and stay as factors.",
                    _pairs_of_classes(lambda y, p, one, t: (-one + 0 * y, p + 0 * y)),
                ),
                Mistake(
                    "The labels are gone from the denominators: they stay as factors.",
                    but(_by_scores, 1, _pairs_of_classes(lambda y, p, one, t: p + 0 * y)),
                ),
            ],
        ),
        Line(
            does="add up over the terms k: the derivative of the loss with respect to the score tᵢⱼ is then the sum of "
            "what is left of the two in entry (i, j)",
            parts=("numerators", "denominators"),
            reference=_collected,
            follows=lambda before, W, X, Y: (np.sum(before[0], axis=1), np.sum(before[1], axis=1)),
            mistakes=[
                Mistake(
                    "The denominators are the labels: that is the sum of line 3 over the scores j, and that over the "
                    "terms k is asked for.",
                    but(_collected, 1, _each(lambda Y, P, T: Y)),
                ),
                Mistake(
                    "The denominators still hold the label of class j: this is the term k = j alone, and the other "
                    "terms hold tᵢⱼ too.",
                    but(_collected, 1, _each(lambda Y, P, T: Y * P)),
                ),
                Mistake(
                    "The denominators have a factor C: each point has one label that is 1, not C of them.",
                    but(_collected, 1, _each(lambda Y, P, T: Y.shape[1] * P)),
                ),
                Mistake(
                    "Both are divided by C: it is the sum over the terms that is asked for, not the mean.",
                    _each(lambda Y, P, T: (-Y / Y.shape[1], P / Y.shape[1])),
                ),
                Mistake(
                    "Both are divided by n: line 1 is a sum over the points, not a mean.",
                    _each(lambda Y, P, T: (-Y / len(Y), P / len(Y))),
                ),
                Mistake("The numerators have lost their minus.", but(_collected, 0, _each(lambda Y, P, T: Y))),
                Mistake(
                    "Both signs are reversed: this is the derivative of the log-likelihood.",
                    _each(lambda Y, P, T: (Y, -P)),
                ),
                Mistake(
                    "The numerators are −1 for every class: of the terms k only that with k = j holds tᵢⱼ, and its "
                    "factor is its label.",
                    but(_collected, 0, _each(lambda Y, P, T: -1 + 0 * Y)),
                ),
                Mistake(
                    "The denominators give 1 − p, the probability of all other classes together: log S has the "
                    "derivative S′/S.",
                    but(_collected, 1, _each(lambda Y, P, T: 1 - P)),
                ),
                Mistake(
                    "The denominators give p(1 − p), the slope of a probability: it is the logarithm of S that was "
                    "differentiated.",
                    but(_collected, 1, _each(lambda Y, P, T: P * (1 - P))),
                ),
                Mistake(
                    "The denominators give the scores themselves: log S has the derivative S′/S.",
                    but(_collected, 1, _each(lambda Y, P, T: T)),
                ),
                Mistake(
                    "The exponentials are not divided by their sum: log S has the derivative S′/S.",
                    but(_collected, 1, _each(lambda Y, P, T: np.exp(T))),
                ),
                Mistake(
                    "Each class has its own logistic function here: the denominator is the sum over all classes.",
                    but(_collected, 1, _each(lambda Y, P, T: 1 / (1 + np.exp(-T)))),
                ),
                Mistake(
                    "The two are put together in the first: asked for is what is left of each.",
                    _each(lambda Y, P, T: (P - Y, 0 * Y)),
                ),
            ],
        ),
        Line(
            does="the chain rule with tᵢⱼ = xᵢᵀwⱼ: the derivative of the loss with respect to W, point by point; entry "
            "(i, a, j) belongs to point i and to the weight of feature a for class j",
            reference=_by_weights,
            follows=lambda before, W, X, Y: X[:, :, None] * (before[0] + before[1])[:, None, :],
            mistakes=[
                Mistake(
                    "The sign is reversed: the sum over the points is then the gradient of the log-likelihood.",
                    _rows_times(lambda Y, P, T: Y - P),
                ),
                Mistake(
                    "This is divided by n: line 1 is a sum over the points, not a mean.",
                    _rows_times(lambda Y, P, T: (P - Y) / len(Y)),
                ),
                Mistake(
                    "The labels are gone: where are the numerators of line 4?",
                    _rows_times(lambda Y, P, T: P),
                ),
                Mistake(
                    "The probabilities are gone: where are the denominators of line 4?",
                    _rows_times(lambda Y, P, T: -Y),
                ),
                Mistake(
                    "The label has a plus here, as the probability has: the numerators of line 4 are negative.",
                    _rows_times(lambda Y, P, T: P + Y),
                ),
                Mistake(
                    "xᵢᵀwⱼ is differentiated with respect to wⱼ, which leaves xᵢ: W itself does not come in as a "
                    "factor.",
                    lambda W, X, Y: W * (_softmax(X @ W) - Y)[:, None, :],
                ),
                Mistake(
                    "The factor p(1 − p) belongs to the squared loss of a probability, not to the cross-entropy.",
                    _rows_times(lambda Y, P, T: P * (1 - P) * (P - Y)),
                ),
                Mistake(
                    "The scores stand where the probabilities belong.",
                    _rows_times(lambda Y, P, T: T - Y),
                ),
                Mistake(
                    "A point counts for the weights of its own class only: its scores for the other classes stand in "
                    "its denominator.",
                    _rows_times(lambda Y, P, T: Y * (P - Y)),
                ),
                Mistake(
                    "Each class has its own logistic function here: the denominator is the sum over all classes.",
                    _rows_times(lambda Y, P, T: 1 / (1 + np.exp(-T)) - Y),
                ),
                Mistake(
                    "The rows of X are not there: tᵢⱼ depends on each weight of class j by the entry of xᵢ that "
                    "multiplies it.",
                    lambda W, X, Y: 0 * X[:, :, None] + (_softmax(X @ W) - Y)[:, None, :],
                ),
            ],
        ),
    ],
    cases=_for_logarithms,
    clear=lambda W, X, Y: np.min(np.abs(X @ W)) > 1e-3 < np.min(np.abs(_lse(X @ W, axis=1))),
    forbids=(softmax.nll, softmax.gradient),
    alternatives=[
        Alternative(
            lambda W, X, Y: (-np.einsum("id,dk,ik->ik", X, W, Y), Y * np.logaddexp.reduce(X @ W, axis=1)[:, None]),
            part=0,
        ),
        Alternative(
            lambda W, X, Y: (
                np.array([y * np.log(np.exp(-W.T @ x)) for x, y in zip(X, Y, strict=True)]),
                np.array([y * np.log(np.sum(np.exp(W.T @ x))) for x, y in zip(X, Y, strict=True)]),
            ),
            part=0,
        ),
        Alternative(
            lambda W, X, Y: (
                np.array([-np.diag(y) for y in Y]),
                np.array([np.outer(y, p) for y, p in zip(Y, _softmax(X @ W), strict=True)]),
            ),
            part=1,
        ),
        Alternative(lambda W, X, Y: (-Y, np.exp((T := X @ W) - np.logaddexp.reduce(T, axis=1)[:, None])), part=2),
        Alternative(
            lambda W, X, Y: (
                np.sum([-np.diag(y) for y in Y], axis=1),
                np.einsum("ik,ij->ij", Y, np.exp(T := X @ W) / np.sum(np.exp(T), axis=1)[:, None]),
            ),
            part=2,
        ),
        Alternative(
            lambda W, X, Y: np.array([np.outer(x, _softmax(W.T @ x) - y) for x, y in zip(X, Y, strict=True)]), part=3
        ),
        Alternative(lambda W, X, Y: np.einsum("ia,ij->iaj", X, _softmax(X @ W) - Y), part=3),
    ],
    hints=(
        Hint(
            "What is the logarithm of a quotient?",
            r"$\log\frac uv=\log u-\log v$, and $\log e^t=t$. The logarithm of a sum stays as it is.",
        ),
        Hint(
            "Which terms hold the score of class j?",
            r"Of the numerators only one, that of class $j$ itself. Of the denominators all, for their sum runs over "
            r"all classes: $\frac{\partial}{\partial t_j}\log S=\frac1S\frac{\partial S}{\partial t_j}$.",
        ),
        Hint(
            "How do I write an array with three indices?",
            "`A[:, :, None] * B[:, None, :]` has the entry $a_{ik}b_{ij}$ at $(i,k,j)$. `np.eye(C)` is 1 for $k=j$ and "
            "0 otherwise.",
        ),
        Hint(
            "What becomes of the labels in the sum over k?",
            r"What does not depend on $k$ comes out of the sum. What do the entries of a row of $Y$ add up to?",
        ),
    ),
    see="Equations (13.6) and (13.7): line 2 added up over the classes, and line 5 added up over the points.",
)


# --- the gradient, as printed ---


def _printed_gradient(W, X, Y):
    """Both sums with the indicator of class j: −Σᵢ yᵢⱼ[(1 − pⱼ) − Σ_{c≠j} pⱼ] xᵢ."""
    return X.T @ (Y * (W.shape[1] * _softmax(X @ W) - 1))


softmax_gradient = Slip(
    "softmax_gradient",
    asks="The gradient as printed",
    points=2,
    printed=_printed_gradient,
    reference=softmax.gradient,
    cases=_fits,
    admits=lambda W, X, Y: (
        np.ndim(W) == np.ndim(X) == np.ndim(Y) == 2
        and np.shape(X)[1] == np.shape(W)[0]
        and np.shape(Y) == (np.shape(X)[0], np.shape(W)[1])
        and bool(np.all((np.sum(Y == 1, axis=1) == 1) & (np.sum(Y == 0, axis=1) == np.shape(Y)[1] - 1)))
    ),
    domain="W of shape (d, C), X of shape (n, d) and Y of shape (n, C) with a single 1 in every row, else 0",
    mistakes=[
        Mistake(
            "This is still the printed formula: points of other classes contribute nothing to column j.",
            _printed_gradient,
        ),
        Mistake(
            "This is the direction of ascent, the gradient of the log-likelihood.",
            lambda W, X, Y: X.T @ (Y - _softmax(X @ W)),
        ),
        Mistake(
            "This is divided by n: the loss is a sum here.",
            lambda W, X, Y: X.T @ (_softmax(X @ W) - Y) / len(X),
        ),
        Mistake(
            "The shape is (C, d): the gradient has the shape of W, which is (d, C).",
            lambda W, X, Y: (_softmax(X @ W) - Y).T @ X,
        ),
        Mistake(
            "Only the points of class j contribute to column j. The others do too: their pⱼ should be 0.",
            lambda W, X, Y: X.T @ (Y * (_softmax(X @ W) - Y)),
        ),
        Mistake(
            "There is a factor p(1 − p) too many: it cancels against the 1/p of the logarithm.",
            lambda W, X, Y: X.T @ ((P := _softmax(X @ W)) * (1 - P) * (P - Y)),
        ),
        Mistake(SAME_THERE, ([[1.0, 2.0]], [[0.0]], [[1, 0]]), part=1),
        Mistake(SAME_THERE, ([[1.0], [2.0]], [[3.0, 4.0]], [[1]]), part=1),
    ],
    alternatives=[
        Alternative(lambda W, X, Y: sum(np.outer(x, _softmax(W.T @ x) - y) for x, y in zip(X, Y, strict=True))),
        Alternative(
            lambda W, X, Y: np.column_stack([(_softmax(X @ W)[:, k] - Y[:, k]) @ X for k in range(W.shape[1])])
        ),
        Alternative(([[0.0, 0.0]], [[1.0]], [[0, 1]]), part=1),
        Alternative((np.zeros((2, 3)), np.array([[1, 2], [3, -1]]), np.eye(3)[[2, 0]]), part=1),
    ],
    hints=(
        Hint(
            "Where is the slip?",
            "$-\\log f_c$ counts for a point of class $c$. Look at the second sum: for which points does its term $c$ "
            "count?",
        ),
        Hint(
            "Is there a shorter way?",
            r"Differentiate (13.6): LSE has the gradient $p$, and $x_i^\top w_{y_i}$ contains one column of $W$ only.",
        ),
        Hint(
            "How do I write it as one product?",
            "Column $k$ is $\\sum_i(p_{ik}-y_{ik})x_i$. A sum over the rows of $X$ with weights is a product with "
            "$X^\\top$, and the result is $d\\times C$.",
        ),
    ),
    see="Equation (13.7): ∇LSE = p for the first term of (13.6), a single column for the second.",
)


# --- what the probabilities do not see ---

pinned_weights = Function(
    "pinned_weights",
    asks="The same probabilities with one class at zero",
    points=1,
    reference=softmax.pinned,
    cases=_weights,
    mistakes=[
        Mistake(
            "The last class is set to zero and the others are not moved with it: the probabilities change.",
            lambda W: W * np.append(np.ones(W.shape[1] - 1), 0),
        ),
        Mistake(
            "The first class is at zero here: the last one is asked for.",
            lambda W: W - W[:, :1],
        ),
        Mistake(
            "The columns are centred: they sum to 0, and none of them is 0.",
            lambda W: W - W.mean(axis=1, keepdims=True),
        ),
        Mistake(
            "The last row was subtracted, which belongs to a feature: the classes are the columns.",
            lambda W: W - W[-1],
        ),
        Mistake(
            "The last class is added instead of subtracted.",
            lambda W: W + W[:, -1:],
        ),
    ],
    alternatives=[
        Alternative(lambda W: (W.T - W.T[-1]).T),
        Alternative(lambda W: W - np.outer(W[:, -1], np.ones(W.shape[1]))),
    ],
    hints=(
        Hint("What may I add to W?", "The same vector $c$ to every column. Which $c$ makes the last column zero?"),
        Hint("How do I keep the shape?", "`W[:, -1:]` is the last column with the shape $(d,1)$."),
    ),
    see="Equation (13.8), with c = −w of the last class.",
)

two_class_weights = Function(
    "two_class_weights",
    asks="Two classes are logistic regression",
    points=1,
    reference=softmax.two_class,
    cases=lambda rng: [(rng.integers(1, 9, size=(3, 2)).astype(float),), (rng.normal(size=(5, 2)),)],
    mistakes=[
        Mistake(
            "This is the sum. Only the difference of two scores matters.",
            lambda W: W[:, 0] + W[:, 1],
        ),
        Mistake(
            "This gives the probability of class 0: for class 1 its own weights come first.",
            lambda W: W[:, 0] - W[:, 1],
        ),
        Mistake(
            "The weights of class 1 alone are enough only if those of class 0 are zero.",
            lambda W: W[:, 1],
        ),
        Mistake(
            "Half the difference: divide numerator and denominator of the probability by one exponential, and no root "
            "appears.",
            lambda W: (W[:, 1] - W[:, 0]) / 2,
        ),
    ],
    alternatives=[
        Alternative(lambda W: np.diff(W, axis=1)[:, 0]),
        Alternative(lambda W: W @ [-1, 1]),
    ],
    hints=(
        Hint(
            "Where do I start?",
            r"$P(y=1\mid x)=\frac{e^{x^\top w_1}}{e^{x^\top w_0}+e^{x^\top w_1}}$. "
            r"Bring it to the form $\frac1{1+e^{-z}}$.",
        ),
    ),
    see="Equation (13.9): divide numerator and denominator by the exponential of class 1.",
)


# --- the Hessian ---


def _blocks(formula, order=lambda M, x: np.kron(M, np.outer(x, x))):
    return lambda W, X: sum(order(formula(p), x) for p, x in zip(_softmax(X @ W), X, strict=True))


softmax_hessian = Function(
    "softmax_hessian",
    asks="The Hessian, class after class",
    points=2,
    reference=softmax.hessian,
    cases=lambda rng: [(W, X) for W, X, _ in _fits(rng)],
    mistakes=[
        Mistake(
            "The factors of ⊗ are exchanged: this orders the weights feature after feature. With class after class the "
            "class matrix comes first.",
            _blocks(_minus_outer, lambda M, x: np.kron(np.outer(x, x), M)),
        ),
        Mistake(
            "The blocks beside the diagonal are zero here, as if each class were fitted alone: the classes share one "
            "denominator.",
            _blocks(lambda p: np.diag(p * (1 - p))),
        ),
        Mistake(
            "The sign of ppᵀ is reversed: this matrix does not vanish in the direction in which all classes move "
            "together.",
            _blocks(lambda p: np.diag(p) + np.outer(p, p)),
        ),
        Mistake(
            "This is negative: it belongs to the log-likelihood.",
            _blocks(lambda p: np.outer(p, p) - np.diag(p)),
        ),
        Mistake(
            "The probabilities were averaged over the points first: each xᵢxᵢᵀ belongs to its own pᵢ.",
            lambda W, X: np.kron(_minus_outer(_softmax(X @ W).mean(axis=0)), X.T @ X),
        ),
    ],
    alternatives=[
        Alternative(lambda W, X: _by_einsum(W, X)),
        Alternative(
            lambda W, X: np.block(
                [
                    [X.T @ ((P[:, k] * ((k == j) - P[:, j]))[:, None] * X) for j in range(W.shape[1])]
                    for P in [_softmax(X @ W)]
                    for k in range(W.shape[1])
                ]
            )
        ),
    ],
    hints=(
        Hint(
            "What do I differentiate?",
            r"Column $k$ of the gradient, $\sum_i(p_{ik}-y_{ik})x_i$, with respect to $w_j$. "
            r"The score of class $j$ is $x_i^\top w_j$, and (13.5) has the derivative of $p_{ik}$.",
        ),
        Hint(
            "What is one block?",
            r"The block $(k,j)$ is $\sum_ip_{ik}(\delta_{kj}-p_{ij})\,x_ix_i^\top$, with $\delta_{kj}=1$ for $k=j$ and "
            "0 otherwise.",
        ),
        Hint(
            "How do I put the blocks together?",
            "`np.kron(M, B)` replaces every entry $m$ of $M$ by the block $mB$.",
        ),
    ),
    see="Equation (13.10): the chain rule with (13.5), point by point.",
)


def _by_einsum(W, X):
    P = _softmax(X @ W)
    M = np.einsum("ik,kj->ikj", P, np.eye(P.shape[1])) - np.einsum("ik,ij->ikj", P, P)
    return np.einsum("ikj,ia,ib->kajb", M, X, X).reshape(W.size, W.size)


hessian_rank = Function(
    "hessian_rank",
    asks="How many directions bend",
    points=1,
    reference=softmax.hessian_rank,
    cases=_designs,
    compare=exactly,
    mistakes=[
        Mistake(
            "Full rank: but adding one vector to all classes changes nothing, which is one flat direction for every "
            "feature.",
            lambda X, C: C * X.shape[1],
        ),
        Mistake(
            "This is right for independent columns only. Where a combination of columns is zero, more directions are "
            "flat.",
            lambda X, C: (C - 1) * X.shape[1],
        ),
        Mistake(
            "Dependent columns are accounted for, but not the vector that can be added to all classes.",
            lambda X, C: C * np.linalg.matrix_rank(X),
        ),
        Mistake(
            "More than one direction is flat: c in W + c1ᵀ is a vector.",
            lambda X, C: C * X.shape[1] - 1,
        ),
        Mistake(
            "(C − 1) bends for each of the n points is too many: several points share their directions.",
            lambda X, C: (C - 1) * len(X),
        ),
    ],
    alternatives=[
        Alternative(lambda X, C: np.linalg.matrix_rank(np.kron(np.eye(C) - 1 / C, X))),
        Alternative(lambda X, C: int(np.sum(np.linalg.svd(X, compute_uv=False) > 1e-9)) * (C - 1)),
    ],
    hints=(
        Hint(
            "Which directions are flat?",
            r"By (13.4) a direction $D$ of shape $(d,C)$ is flat if the scores $x_i^\top D$ change by the same number "
            "for all classes, at every point.",
        ),
        Hint(
            "How many are those?",
            r"$X(d_k-d_0)=0$ for all $k$: the first column is free, and each difference lies in the null space of $X$.",
        ),
    ),
    see="Equation (13.11): count the directions in which no probability moves.",
)


# --- Newton on a singular Hessian ---


def _vec(G):
    return G.T.ravel()


def _newton(change, sign=-1.0):
    """W plus a step that solves with a changed Hessian."""

    def step(W, X, Y):
        g = softmax.gradient(W, X, Y)
        return W + sign * change(softmax.hessian(W, X), _vec(g)).reshape(W.T.shape).T

    return step


def _shortest(H, g):
    return np.linalg.pinv(H, rcond=1e-10, hermitian=True) @ g


def _pinned_step(W, X, Y):
    """The last class stays where it is: a Newton step, and not the shortest."""
    d, C = W.shape
    kept = d * (C - 1)
    H, g = softmax.hessian(W, X), _vec(softmax.gradient(W, X, Y))
    step = np.append(np.linalg.solve(H[:kept, :kept], -g[:kept]), np.zeros(d))
    return step.reshape(C, d).T


def _row_major(W, X, Y):
    H, g = softmax.hessian(W, X), softmax.gradient(W, X, Y)
    return W - _shortest(H, g.ravel()).reshape(W.shape)


softmax_newton = Function(
    "softmax_newton",
    asks="Newton's step without an inverse",
    points=2,
    reference=softmax.newton_step,
    cases=_gentle_fits,
    forbids=(softmax.newton, softmax.fit),
    mistakes=[
        Mistake("The step goes uphill: it is to be subtracted.", _newton(_shortest, sign=1.0)),
        Mistake(
            "This is the step itself: W is missing.",
            lambda W, X, Y: _newton(_shortest)(W, X, Y) - W,
        ),
        Mistake(
            "The gradient is read row by row: H is ordered class after class, so stack the columns.",
            _row_major,
        ),
        Mistake(
            "This is a Newton step, with the last class kept fixed, but not the shortest one: subtract from each row "
            "of the step its mean.",
            lambda W, X, Y: W + _pinned_step(W, X, Y),
        ),
        Mistake(
            "The identity was added to the Hessian: it belongs to a penalty with λ = 1, and there is none here.",
            _newton(lambda H, g: np.linalg.solve(H + np.eye(len(H)), g)),
        ),
        Mistake(
            "H times the gradient: the pseudo-inverse of H is needed.",
            _newton(lambda H, g: H @ g),
        ),
    ],
    alternatives=[
        Alternative(_newton(lambda H, g: np.linalg.lstsq(H, g, rcond=1e-10)[0])),
        Alternative(lambda W, X, Y: W + (S := _pinned_step(W, X, Y)) - S.mean(axis=1, keepdims=True)),
        Alternative(  # a matrix that lifts the flat directions and does nothing else
            lambda W, X, Y: _newton(
                lambda H, g: np.linalg.solve(H + np.kron(np.ones((W.shape[1],) * 2), np.eye(W.shape[0])), g)
            )(W, X, Y)
        ),
    ],
    hints=(
        Hint(
            "Which system do I solve?",
            r"$H\,\delta=-\mathrm{vec}\,\nabla$, where vec stacks the columns: `g.T.ravel()` for a matrix `g`.",
        ),
        Hint(
            "H has no inverse. What now?",
            "The system has many solutions, which differ by flat directions. `np.linalg.pinv(H, rcond=1e-10)` gives "
            "the shortest; without `rcond` it may take rounding for curvature.",
        ),
        Hint(
            "How do I get back to the shape of W?",
            "`step.reshape(C, d).T` undoes `.T.ravel()`.",
        ),
    ),
    see="Equation (13.12): the pseudo-inverse gives the shortest solution of Hδ = −vec ∇.",
)

what_lam_leaves = Choice(
    "what_lam_leaves",
    asks="What the penalty does not cure",
    points=1,
    options={
        "a": Option(
            "none",
            wrong="Add 1 to all biases: do the probabilities change, or the penalty?",
        ),
        "b": Option("one"),
        "c": Option(
            "$C$, one for each bias",
            wrong="Raise one bias alone: its class becomes more probable everywhere, so this direction is not flat.",
        ),
    },
    reasons={
        "i": Option(
            "the penalty adds λ to every eigenvalue of the Hessian",
            wrong="It adds λ for the weights in W only. What does it add in the directions of the biases?",
        ),
        "ii": Option(
            "the biases are not in the penalty, so the loss alone decides about them, and it is flat in all of them",
            wrong="The loss bends when one bias moves against the others: the probabilities move.",
        ),
        "iii": Option("a vector added to all $w_k$ now costs something, and a number added to all $b_k$ does not"),
    },
    hints=(
        Hint(
            "Where do I look?",
            "Take the flat directions of (13.8) one by one, with the bias as the weight of a column of ones. Which of "
            "them does $\\lVert W\\rVert^2$ notice?",
        ),
    ),
    see="Equation (13.13): which of the directions in (13.8) change ‖W‖²?",
)

two_programs = Explanation(
    "two_programs",
    asks="Two programs, two sets of weights",
    points=3,
    rubric=(
        "1 point: adding one vector c to all columns of W adds the same number xᵀc to all scores of a point and "
        "changes no probability, so both sets are maximum likelihood estimates and a single weight has no meaning. "
        "1 point: along these directions the Hessian is zero, so its inverse does not exist (rank (C − 1)d for "
        "independent columns); a cure is named: pin a class, take the shortest step, or a penalty. 1 point: what can "
        "be compared: differences wₖ − wₗ, the slopes of the log-odds, or the probabilities."
    ),
)

topic = Topic(
    number=13,
    slug="softmax",
    title="Softmax regression",
    question="How do many scores become one set of probabilities?",
    part="Classification",
    minutes=100,
    before={
        "logistic_regression": "logistic regression",
        "convexity": "the Hessian of log-sum-exp",
    },
    exercises=[
        stable_lse,
        class_probabilities,
        lse_chain,
        softmax_jacobian,
        softmax_chain,
        softmax_gradient,
        pinned_weights,
        two_class_weights,
        softmax_hessian,
        hessian_rank,
        softmax_newton,
        what_lam_leaves,
        two_programs,
    ],
)
check = Checks(topic)
