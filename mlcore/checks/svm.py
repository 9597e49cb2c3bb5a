"""The exercises of 15 svm."""

import functools

import numpy as np

from mlcore import svm
from mlcore.engine.exercises import (
    SAME_THERE,
    Alternative,
    Chain,
    Checks,
    Explanation,
    Function,
    Hint,
    Law,
    Line,
    Mistake,
    Property,
    Slip,
    Topic,
    but,
    exactly,
    up_to_sign,
)

# --- data to be tried on: off centre, classes of unequal size that overlap ---


def _points(rng, n, d):
    """Two overlapping classes, the first of them smaller."""
    s = np.where(np.arange(n) < max(2, n // 3), 1.0, -1.0)
    shift = rng.normal(size=d)
    return rng.normal(size=(n, d)) + s[:, None] * shift / np.linalg.norm(shift) + rng.normal(size=d), s


def _small(rng):
    """Five points with whole numbers, two of them +1."""
    s = np.array([1.0, 1.0, -1.0, -1.0, -1.0])
    return rng.integers(-3, 4, size=(5, 2)) + s[:, None] + 1, s


def _free(alpha, C):
    return (alpha > 0) & (alpha < C)


@functools.cache
def _solved(seed, n, edge):
    """A solved problem (α, X, s, C) whose α are clearly 0, free or C. With `edge`, some are free; without, none is."""
    rng = np.random.default_rng(seed)
    while True:
        X, s = _small(rng) if n == 5 else _points(rng, n, 2)
        C = round(rng.uniform(0.1, 2), 2) if edge else round(rng.uniform(0.02, 0.2), 2)
        found = svm.fit(X, s, C)
        alpha, z, free = found.alpha, s * (X @ found.w + found.b), _free(found.alpha, C)
        settled = alpha[free] / C
        clear = np.all((settled > 0.02) & (settled < 0.98)) and np.all(np.abs(z - 1)[~free] > 0.02)
        if clear and free.any() == edge and (alpha == C).any() and (alpha == 0).any() and abs(found.b) > 0.05:
            return alpha, X, s, C


def _solutions(rng):
    """In the last, every free α belongs to a point of class −1."""

    def solved(n):
        return _solved(int(rng.integers(200)), n, edge=True)

    found = iter(lambda: solved(14), None)
    return [solved(5), solved(9), next((a, X, s, C) for a, X, s, C in found if (s[_free(a, C)] < 0).all())]


def _all_solutions(rng):
    """Solutions with and without free α; the smallest is the pair of points of *Break it*, stretched and moved.

    Exchanging the labels leaves α a solution, with −b for b: so b of the pair is once above 1 and once below −1, and in
    the last case the larger class is +1.
    """
    x, b, s = rng.uniform(0.5, 2), rng.uniform(1.2, 2), np.array([1.0, -1.0])
    alpha, X = np.full(2, 0.5 / x**2), x * (s - b)[:, None]
    free, tight, other = (_solved(int(rng.integers(200)), n, edge=n == 9) for n in (9, 12, 12))
    return [
        (alpha, X, s, alpha[0]),
        (alpha, X, -s, alpha[0]),
        free,
        tight,
        (other[0], other[1], -other[2], other[3]),
    ]


def _allowed(rng):
    """(α, b, X, s, C) with 0 ≤ α ≤ C and Σ αs = 0, at the solution and away from it; b below 0, above C and between."""
    found = []
    for (X, s), lowest in ((_small(rng), -1.5), (_points(rng, 9, 3), 2.0), (_points(rng, 14, 2), 0.1)):
        C = rng.uniform(0.5, 2)
        alpha = rng.uniform(0, C, size=len(s))
        plus, minus = alpha[s > 0].sum(), alpha[s < 0].sum()
        alpha = np.where(s > 0, alpha * min(1, minus / plus), alpha * min(1, plus / minus))
        found.append((alpha, rng.uniform(lowest, lowest + 1), X, s, C))
    alpha, X, s, C = _solved(int(rng.integers(200)), 9, edge=True)
    edge = s - X @ (X.T @ (alpha * s))
    return [*found, (alpha, edge[_free(alpha, C)].mean(), X, s, C)]


# --- 15a: how far a point is from a line ---

svm_distance = Function(
    "svm_distance",
    asks="How far a point is from a line",
    points=1,
    reference=svm.distance,
    cases=lambda rng: [
        (
            rng.normal(size=(n, d)) * 3,
            rng.integers(1, 4, size=d) * rng.choice([-1.0, 1.0], size=d),
            side * rng.uniform(1, 3),
        )
        for n, d, side in ((3, 2, 1), (6, 2, -1), (4, 5, 1))
    ],
    mistakes=[
        Mistake(
            "Some of these are negative: (wᵀx + b)/‖w‖ tells the side as well. A distance has no sign.",
            lambda X, w, b: (X @ w + b) / np.linalg.norm(w),
        ),
        Mistake(
            "Divided by ‖w‖² instead of ‖w‖. Double w and b: the line stays, and your distances halve.",
            lambda X, w, b: np.abs(X @ w + b) / (w @ w),
        ),
        Mistake(
            "This is |wᵀx + b|. Double w and b: the line stays, and your distances double. Divide by ‖w‖.",
            lambda X, w, b: np.abs(X @ w + b),
        ),
        Mistake(
            "This is the distance from the line through the origin: b moves the line and has to come in.",
            lambda X, w, b: np.abs(X @ w) / np.linalg.norm(w),
        ),
        Mistake(
            "b was added after the division: it belongs to wᵀx + b, and all of that is divided by ‖w‖.",
            lambda X, w, b: np.abs(X @ w / np.linalg.norm(w) + b),
        ),
    ],
    alternatives=[
        Alternative(  # the length of the way to the foot of the perpendicular
            lambda X, w, b: np.linalg.norm(np.outer((X @ w + b) / (w @ w), w), axis=1)
        ),
        Alternative(lambda X, w, b: [abs(float(x @ w + b)) / float(np.sqrt(np.sum(w**2))) for x in X]),
    ],
    hints=(
        Hint(
            "Which point of the line is nearest?",
            "The way to it is perpendicular to the line, so it runs along $w$: the point is $x-tw$ for some $t$.",
        ),
        Hint(
            "How long is that way?",
            r"$x-tw$ is on the line if $w^\top(x-tw)+b=0$. Solve for $t$; the way has the length $\lVert tw\rVert$.",
        ),
    ),
    see="Equation (15.1): the length of tw, where x − tw is on the line.",
)


# --- the widest street between four points ---

_FOUR = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 0.5]])
_SIGNS = np.array([1.0, 1.0, -1.0, -1.0])
_NUMBERS = "Four numbers are asked for: w₁, w₂, b and the margin."
_NO_LINE = "This line does not have the two classes on its two sides: sᵢ(wᵀxᵢ + b) is not positive for every point."
_ORIGIN = "b = 0 puts the line through the origin. It need not pass there: leave b free, and the street gets wider."
_SCALE = "The smallest sᵢ(wᵀxᵢ + b) is not 1. Divide w and b by it: the line stays, and the scale is fixed."
_NARROW = "This line separates, with the right scale, but there is a wider street: which three points must touch it?"
_SLAB = "2/‖w‖ is the width of the whole street. The margin is from the line to the nearest point: half of it."
_NORM = "w and b are right. The margin is the distance of a point with sf = 1 from the line, by (15.1)."


def _scores(v):
    return _SIGNS * (_FOUR @ v[:2] + v[2])


svm_four_points = Property(
    "svm_four_points",
    asks="The widest street between four points",
    points=2,
    laws=[
        Law(_NUMBERS, lambda v: v.shape == (4,)),
        Law(_NO_LINE, lambda v: np.min(_scores(v)) > 0),
        Law(_ORIGIN, lambda v: v[2] != 0),
        Law(_SCALE, lambda v: abs(np.min(_scores(v)) - 1) < 5e-3),
        Law(_NARROW, lambda v: np.linalg.norm(v[:2]) < np.sqrt(13) / 6 * 1.005),
        Law(_SLAB, lambda v: abs(v[3] - 12 / np.sqrt(13)) > 0.02),
        Law(_NORM, lambda v: abs(v[3] - 6 / np.sqrt(13)) < 0.01),
    ],
    digits=3,
    reference=np.array([1 / 2, 1 / 3, -1 / 6, 6 / np.sqrt(13)]),
    mistakes=[
        Mistake(_NUMBERS, [1 / 2, 1 / 3, -1 / 6]),
        Mistake(_NO_LINE, [-1 / 2, -1 / 3, 1 / 6, 1.664]),
        Mistake(_ORIGIN, [0.4, 0.3, 0, 2]),
        Mistake(_SCALE, [3, 2, -1, 1.664]),
        Mistake(_NARROW, [4 / 9, 4 / 9, -1 / 3, 1.591]),
        Mistake(_SLAB, [1 / 2, 1 / 3, -1 / 6, 3.328]),
        Mistake(_NORM, [1 / 2, 1 / 3, -1 / 6, 0.601]),
    ],
    alternatives=[
        Alternative((0.5, 0.3333, -0.1667, 1.664)),
        Alternative(np.array([3, 2, -1, 6 * 6 / np.sqrt(13)]) / 6),
    ],
    hints=(
        Hint(
            "Where do I start?",
            "Sketch the points. Two of them carry one edge of the street, a third one carries the other edge.",
        ),
        Hint(
            "Which three touch?",
            r"$(1,2)$ on its side, $(-1,-1)$ and $(-2,\tfrac12)$ on the other. "
            "An edge through two points fixes the direction.",
        ),
        Hint(
            "What are the equations?",
            r"$w_1+2w_2+b=1$, $-w_1-w_2+b=-1$ and $-2w_1+\tfrac12w_2+b=-1$: three unknowns. "
            "Then test the fourth point.",
        ),
    ),
    see="Equation (15.2): of all w and b with sf(x) ≥ 1 for each point, the one with the shortest w.",
)


# --- C as a penalty ---

svm_penalty = Function(
    "svm_penalty",
    asks="C as a penalty",
    points=1,
    reference=svm.penalty,
    cases=lambda rng: [(rng.uniform(2, 9),), (rng.uniform(0.1, 0.4),), (rng.uniform(10, 90),)],
    mistakes=[
        Mistake("The ½ of ½‖w‖² is lost: dividing P by C leaves ‖w‖²/(2C).", lambda C: 1 / C),
        Mistake("Upside down: a large C makes slack dear, and so w cheap. λ must fall as C grows.", lambda C: 2 * C),
        Mistake("Divide all of P by C, so that Σξ stands alone: C goes into the denominator.", lambda C: C / 2),
        Mistake(
            "The 2 has moved to the other side: 2/C is four times too large. ½ divided by C is 1/(2C).",
            lambda C: 2 / C,
        ),
    ],
    alternatives=[Alternative(lambda C: 0.5 / C), Alternative(lambda C: (C + C) ** -1)],
    hints=(
        Hint(
            "When do two objectives have the same minimiser?",
            "When one is a positive multiple of the other. Which multiple of $P$ has the sum of slacks alone?",
        ),
    ),
    see="Equation (15.4): P divided by C.",
)


# --- the dual, line by line ---


def _line_1(w, b, xi, alpha, mu, X, s, C):
    return w @ w / 2 + C * np.sum(xi) + alpha @ (1 - xi - s * (X @ w + b)) - mu @ xi


def _line_2(w, b, xi, alpha, mu, X, s, C):
    return alpha, -alpha * xi, -alpha * s * (X @ w), -b * alpha * s


def _line_3(w, b, xi, alpha, mu, X, s, C):
    in_w = w @ w / 2 - (alpha * s) @ (X @ w)
    return in_w, -b * (alpha @ s), C * np.sum(xi) - alpha @ xi - mu @ xi, np.sum(alpha)


def _line_4(w, b, xi, alpha, mu, X, s, C):
    return (alpha * s)[:, None] * X, alpha * s, C - alpha - mu, np.sum(alpha)


def _line_5(w, b, xi, alpha, mu, X, s, C):
    v = X.T @ (alpha * s)
    return v @ v / 2, -v @ v, -b * (alpha @ s), (C - alpha - mu) @ xi, np.sum(alpha)


def _line_6(w, b, xi, alpha, mu, X, s, C):
    v = X.T @ (alpha * s)
    return np.sum(alpha), -v @ v / 2


def _line_7(w, b, xi, alpha, mu, X, s, C):
    return np.ones(len(s)), np.outer(s, s) * (X @ X.T)


def _sorted(before, w, b, xi, alpha, mu, X, s, C):
    """Line 3, made of a line 2."""
    from_1, from_xi, from_w, from_b = before
    return w @ w / 2 + np.sum(from_w), np.sum(from_b), C * np.sum(xi) + np.sum(from_xi) - mu @ xi, np.sum(from_1)


def _with_variables(here, w, b, xi, alpha, mu, X, s, C):
    """Line 3, put together again from a line 4."""
    rows, signed, slopes, rest = here
    return w @ w / 2 - np.sum(rows @ w), -b * np.sum(signed), slopes @ xi, rest


def _w_put_in(before, w, b, xi, alpha, mu, X, s, C):
    """Line 5, made of a line 4."""
    rows, signed, slopes, rest = before
    v = np.sum(rows, axis=0)
    return v @ v / 2, -v @ v, -b * np.sum(signed), slopes @ xi, rest


def _of_all_pairs(own, w, b, xi, alpha, mu, X, s, C):
    """Line 7, made of a line 6: its quadratic part is a number times ‖v‖², the rows of line 4 added up."""
    (rows, *_), (linear, quadratic) = own[2], own[4]
    z, v = rows / alpha[:, None], np.sum(rows, axis=0)
    return np.full(len(s), linear / np.sum(alpha)), -2 * quadratic / (v @ v) * z @ z.T


def _anywhere(rng):
    """No condition holds by accident: w, b, ξ and μ are arbitrary, and Σ αs is not 0; b and Σ αs have both signs."""
    found = []
    for (X, s), side in ((_small(rng), -1), (_points(rng, 7, 3), -1), (_points(rng, 4, 6), 1)):
        n, d = X.shape
        C = rng.uniform(1, 3)
        xi, alpha, mu = rng.uniform(0.1, C, size=(3, n))
        b = (-1) ** n * rng.uniform(1, 2)
        found.append((rng.normal(size=d), b, xi, alpha + C * (s == side), mu, X, s, C))
    return found


def _at(times):
    """The two terms of line 5 that come from w, for w = times · Σαsx."""

    def answer(w, b, xi, alpha, mu, X, s, C):
        v = X.T @ (alpha * s)
        return times**2 * (v @ v) / 2, -times * (v @ v), *_line_5(w, b, xi, alpha, mu, X, s, C)[2:]

    return answer


def _quadratic(times):
    """Line 6 with another number in front of ‖Σαsx‖²."""
    return but(_line_6, 1, lambda w, b, xi, alpha, mu, X, s, C: times * np.sum((X.T @ (alpha * s)) ** 2))


svm_dual_chain = Chain(
    "svm_dual_chain",
    asks="From the Lagrangian to the dual",
    first=_line_1,
    lines=[
        Line(
            does="multiply $\\alpha_i$ into the bracket behind it, for each point: what comes of the 1, of $\\xi_i$, "
            "of $w$ and of $b$",
            parts=("from_1", "from_xi", "from_w", "from_b"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The label does not multiply b: s stands before the whole of wᵀx + b.",
                    but(_line_2, 3, lambda w, b, xi, alpha, mu, X, s, C: -b * alpha),
                ),
                Mistake(
                    "The label does not multiply wᵀx: s stands before the whole of wᵀx + b.",
                    but(_line_2, 2, lambda w, b, xi, alpha, mu, X, s, C: -alpha * (X @ w)),
                ),
                Mistake(
                    "The minus before s stops at wᵀx: it stands before the whole of wᵀx + b.",
                    but(_line_2, 3, lambda w, b, xi, alpha, mu, X, s, C: b * alpha * s),
                ),
                Mistake(
                    "The price multiplies only the 1: α stands before the bracket, so each of the four has it.",
                    lambda w, b, xi, alpha, mu, X, s, C: (alpha, -xi, -s * (X @ w), -b * s),
                ),
                Mistake(
                    "ξ comes with a plus: in the bracket it is subtracted, for slack makes the constraint easier.",
                    but(_line_2, 1, lambda w, b, xi, alpha, mu, X, s, C: alpha * xi),
                ),
                Mistake(
                    "α is in none of the four: it stands before the bracket, so each of them has it.",
                    lambda w, b, xi, alpha, mu, X, s, C: (np.ones(len(s)), -xi, -s * (X @ w), -b * s),
                ),
                Mistake(
                    "ξ and w have changed places: the order is 1, ξ, w, b.",
                    lambda w, b, xi, alpha, mu, X, s, C: (alpha, -alpha * s * (X @ w), -alpha * xi, -b * alpha * s),
                ),
            ],
        ),
        Line(
            does="add up over the points, with the terms of line 1 that stand outside that bracket, and sort: "
            "everything with $w$, everything with $b$, everything with $\\xi$, the rest",
            parts=("in_w", "in_b", "in_xi", "rest"),
            reference=_line_3,
            follows=_sorted,
            whole=lambda here, *_: sum(here),
            mistakes=[
                Mistake(
                    "The prices μ are forgotten: −Σμξ of line 1 has ξ in it too.",
                    but(_line_3, 2, lambda w, b, xi, alpha, mu, X, s, C: (C - alpha) @ xi),
                ),
                Mistake(
                    "The cost C is forgotten: CΣξ of line 1 has ξ in it too.",
                    but(_line_3, 2, lambda w, b, xi, alpha, mu, X, s, C: -(alpha + mu) @ xi),
                ),
                Mistake(
                    "−Σμξ came in with a plus: line 1 subtracts it.",
                    but(_line_3, 2, lambda w, b, xi, alpha, mu, X, s, C: (C - alpha + mu) @ xi),
                ),
                Mistake(
                    "½wᵀw of line 1 is forgotten: it is the other term with w.",
                    but(_line_3, 0, lambda w, b, xi, alpha, mu, X, s, C: -(alpha * s) @ (X @ w)),
                ),
                Mistake(
                    "The ½ of ½wᵀw is lost.",
                    but(_line_3, 0, lambda w, b, xi, alpha, mu, X, s, C: w @ w - (alpha * s) @ (X @ w)),
                ),
                Mistake(
                    "The prices are lost in the term with b: each point brings −αsb.",
                    but(_line_3, 1, lambda w, b, xi, alpha, mu, X, s, C: -b * np.sum(s)),
                ),
                Mistake(
                    "The prices are lost in the term with w: each point brings −αswᵀx.",
                    but(_line_3, 0, lambda w, b, xi, alpha, mu, X, s, C: w @ w / 2 - s @ (X @ w)),
                ),
                Mistake(
                    "Only CΣξ is in the term with ξ: the brackets bring −Σαξ, and −Σμξ of line 1 has ξ in it too.",
                    but(_line_3, 2, lambda w, b, xi, alpha, mu, X, s, C: C * np.sum(xi)),
                ),
                Mistake(
                    "The rest counts the points: each 1 stands in a bracket behind its α.",
                    but(_line_3, 3, lambda w, b, xi, alpha, mu, X, s, C: float(len(s))),
                ),
            ],
        ),
        Line(
            does="write line 3 as $\\tfrac12w^\\top w-w^\\top\\sum_i\\text{rows}_i-b\\sum_i\\text{signed}_i"
            "+\\sum_i\\text{slopes}_i\\,\\xi_i+\\text{rest}$, with neither $w$ nor $b$ nor $\\xi$ in the four",
            parts=("rows", "signed", "slopes", "rest"),
            reference=_line_4,
            undo=_with_variables,
            mistakes=[
                Mistake(
                    "The labels are lost in the rows: wᵀx comes with αs, not with α.",
                    but(_line_4, 0, lambda w, b, xi, alpha, mu, X, s, C: alpha[:, None] * X),
                ),
                Mistake(
                    "The minus stands before wᵀΣ already: it is not in the rows once more.",
                    but(_line_4, 0, lambda w, b, xi, alpha, mu, X, s, C: -(alpha * s)[:, None] * X),
                ),
                Mistake(
                    "The minus stands before b already: it is not in what b meets once more.",
                    but(_line_4, 1, lambda w, b, xi, alpha, mu, X, s, C: -alpha * s),
                ),
                Mistake(
                    "b is still there: line 4 has it before the sum.",
                    but(_line_4, 1, lambda w, b, xi, alpha, mu, X, s, C: b * alpha * s),
                ),
                Mistake(
                    "α and μ have lost their minus: ξ meets +C once, and two prices that are subtracted.",
                    but(_line_4, 2, lambda w, b, xi, alpha, mu, X, s, C: C + alpha + mu),
                ),
                Mistake(
                    "ξ is still there: line 4 has it behind the slopes.",
                    but(_line_4, 2, lambda w, b, xi, alpha, mu, X, s, C: (C - alpha - mu) * xi),
                ),
                Mistake(
                    "The prices are lost in the rows: wᵀx comes with αs, not with s.",
                    but(_line_4, 0, lambda w, b, xi, alpha, mu, X, s, C: s[:, None] * X),
                ),
                Mistake(
                    "The prices are lost in what b meets: b comes with αs, not with s.",
                    but(_line_4, 1, lambda w, b, xi, alpha, mu, X, s, C: s),
                ),
                Mistake(
                    "The prices are lost: both wᵀx and b come with αs, not with s.",
                    lambda w, b, xi, alpha, mu, X, s, C: (
                        s[:, None] * X,
                        s,
                        *_line_4(w, b, xi, alpha, mu, X, s, C)[2:],
                    ),
                ),
                Mistake(
                    "The labels are lost: both wᵀx and b come with αs, not with α.",
                    lambda w, b, xi, alpha, mu, X, s, C: (
                        alpha[:, None] * X,
                        alpha,
                        *_line_4(w, b, xi, alpha, mu, X, s, C)[2:],
                    ),
                ),
            ],
        ),
        Line(
            does="differentiate line 4 with respect to $w$, and put the $w$ at which that is zero into line 4: what "
            "becomes of $\\tfrac12w^\\top w$, what becomes of the other term with $w$, then the terms with $b$, "
            "with $\\xi$, and the rest",
            parts=("square", "cross", "in_b", "in_xi", "rest"),
            reference=_line_5,
            follows=_w_put_in,
            whole=lambda here, *_: sum(here),
            mistakes=[
                Mistake(
                    "The other term has a plus. Line 4 subtracts it, and the w at which the derivative is zero is plus "
                    "the sum of the rows.",
                    _at(-1),
                ),
                Mistake(
                    "Your w is half of what it should be: the derivative of ½wᵀw is w, the ½ and the 2 cancel.",
                    _at(1 / 2),
                ),
                Mistake(
                    "The ½ is lost in square: ½wᵀw keeps it when w is put in.",
                    but(_line_5, 0, lambda w, b, xi, alpha, mu, X, s, C: np.sum((X.T @ (alpha * s)) ** 2)),
                ),
                Mistake(
                    "cross has a ½: line 4 has none before that term, and the w that is put in has none either.",
                    but(_line_5, 1, lambda w, b, xi, alpha, mu, X, s, C: -np.sum((X.T @ (alpha * s)) ** 2) / 2),
                ),
                Mistake(
                    "The other term still has w: the w at which the derivative is zero goes into both terms.",
                    but(_line_5, 1, lambda w, b, xi, alpha, mu, X, s, C: -w @ (X.T @ (alpha * s))),
                ),
                Mistake(
                    "The term with b changed its sign on the way: it is not touched here.",
                    but(_line_5, 2, lambda w, b, xi, alpha, mu, X, s, C: b * (alpha @ s)),
                ),
                Mistake(
                    "w is still in both terms: the w at which the derivative is zero is the sum of the rows, and "
                    "goes into both.",
                    lambda w, b, xi, alpha, mu, X, s, C: (
                        w @ w / 2,
                        -w @ (X.T @ (alpha * s)),
                        *_line_5(w, b, xi, alpha, mu, X, s, C)[2:],
                    ),
                ),
                Mistake(
                    "The terms with b and with ξ are gone: line 5 puts in w alone. What becomes of the two is "
                    "asked in line 6.",
                    lambda w, b, xi, alpha, mu, X, s, C: (
                        *_line_5(w, b, xi, alpha, mu, X, s, C)[:2],
                        0.0,
                        0.0,
                        np.sum(alpha),
                    ),
                ),
                Mistake(
                    "The sum of the squares is not the square of the sum: add the rows up first.",
                    lambda w, b, xi, alpha, mu, X, s, C: (
                        (q := np.sum(((alpha * s)[:, None] * X) ** 2)) / 2,
                        -q,
                        *_line_5(w, b, xi, alpha, mu, X, s, C)[2:],
                    ),
                ),
                Mistake(
                    "The labels are lost in w: it is the sum of the rows αsx.",
                    lambda w, b, xi, alpha, mu, X, s, C: (
                        (v := X.T @ alpha) @ v / 2,
                        -v @ v,
                        *_line_5(w, b, xi, alpha, mu, X, s, C)[2:],
                    ),
                ),
                Mistake(
                    "square and cross have changed places: what becomes of ½wᵀw comes first.",
                    lambda w, b, xi, alpha, mu, X, s, C: (
                        (p := _line_5(w, b, xi, alpha, mu, X, s, C))[1],
                        p[0],
                        *p[2:],
                    ),
                ),
            ],
        ),
        Line(
            does="let α and μ be such that the derivatives with respect to $b$ and to $\\xi$ are zero too, and "
            "collect: what is linear in α, what is quadratic in α",
            parts=("linear", "quadratic"),
            reference=_line_6,
            follows=lambda before, w, b, xi, alpha, mu, X, s, C: (before[4], before[0] + before[1]),
            mistakes=[
                Mistake("The two terms that came from w do not add up to +½ of one: it is ½ − 1.", _quadratic(1 / 2)),
                Mistake("The ½ is lost: ½ − 1 is not −1.", _quadratic(-1)),
                Mistake("The two terms that came from w have different signs: ½ − 1, not −½ − 1.", _quadratic(-3 / 2)),
                Mistake(
                    "−Σαξ is still there: it is part of the term with ξ, and all of that term vanishes with its slope.",
                    but(_line_6, 0, lambda w, b, xi, alpha, mu, X, s, C: np.sum(alpha) - alpha @ xi),
                ),
                Mistake(
                    "linear and quadratic have changed places.",
                    lambda w, b, xi, alpha, mu, X, s, C: _line_6(w, b, xi, alpha, mu, X, s, C)[::-1],
                ),
                Mistake(
                    "The number of points holds no α: the rest of line 5 is Σα.",
                    but(_line_6, 0, lambda w, b, xi, alpha, mu, X, s, C: float(len(s))),
                ),
            ],
        ),
        Line(
            does="write line 6 as $p^\\top\\alpha-\\tfrac12\\alpha^\\top Q\\alpha$, with $Q$ symmetric, and α in "
            "neither of the two",
            parts=("p", "Q"),
            reference=_line_7,
            undo=lambda here, w, b, xi, alpha, mu, X, s, C: (here[0] @ alpha, -alpha @ here[1] @ alpha / 2),
            since=_of_all_pairs,
            mistakes=[
                Mistake(
                    "The labels are lost: each of the two x comes with its own s.",
                    but(_line_7, 1, lambda w, b, xi, alpha, mu, X, s, C: X @ X.T),
                ),
                Mistake(
                    "The ½ stands before αᵀQα already: it is not in Q once more.",
                    but(_line_7, 1, lambda w, b, xi, alpha, mu, X, s, C: np.outer(s, s) * (X @ X.T) / 2),
                ),
                Mistake(
                    "The minus stands before ½αᵀQα already: it is not in Q once more.",
                    but(_line_7, 1, lambda w, b, xi, alpha, mu, X, s, C: -np.outer(s, s) * (X @ X.T)),
                ),
                Mistake(
                    "α is still in Q: line 7 has it on both sides.",
                    but(_line_7, 1, lambda w, b, xi, alpha, mu, X, s, C: np.outer(alpha * s, alpha * s) * (X @ X.T)),
                ),
                Mistake(
                    "α is still in p: line 7 has it behind p.",
                    but(_line_7, 0, lambda w, b, xi, alpha, mu, X, s, C: alpha),
                ),
                Mistake(
                    "One label is missing in Q: each of the two x comes with its own s.",
                    but(_line_7, 1, lambda w, b, xi, alpha, mu, X, s, C: s[:, None] * (X @ X.T)),
                ),
                Mistake(
                    "One label is missing in Q: each of the two x comes with its own s, and Q is symmetric.",
                    but(_line_7, 1, lambda w, b, xi, alpha, mu, X, s, C: s * (X @ X.T)),
                ),
                Mistake(
                    "Only the diagonal is left in Q: the double sum runs over all pairs of points.",
                    but(_line_7, 1, lambda w, b, xi, alpha, mu, X, s, C: np.diag(np.sum(X**2, axis=1))),
                ),
                Mistake(
                    "Two matrices were multiplied: entry (i, j) of Q is sᵢsⱼ times xᵢᵀxⱼ.",
                    but(_line_7, 1, lambda w, b, xi, alpha, mu, X, s, C: np.outer(s, s) @ (X @ X.T)),
                ),
                Mistake(
                    "The labels are in p: in the linear part of line 6, α comes without s.",
                    but(_line_7, 0, lambda w, b, xi, alpha, mu, X, s, C: s),
                ),
            ],
        ),
    ],
    cases=_anywhere,
    forbids=(svm.lagrangian, svm.dual, svm.weights),
    alternatives=[
        Alternative(
            lambda w, b, xi, alpha, mu, X, s, C: (
                1.0 * alpha,
                -np.multiply(alpha, xi),
                -np.array([a * t * (x @ w) for a, t, x in zip(alpha, s, X, strict=True)]),
                np.where(s > 0, -alpha * b, alpha * b),
            ),
            part=0,
        ),
        Alternative(
            lambda w, b, xi, alpha, mu, X, s, C: (
                w @ (w / 2 - X.T @ (alpha * s)),
                b * (alpha[s < 0].sum() - alpha[s > 0].sum()),
                np.sum((C - alpha - mu) * xi),
                alpha.sum(),
            ),
            part=1,
        ),
        Alternative(
            lambda w, b, xi, alpha, mu, X, s, C: (np.diag(alpha * s) @ X, s * alpha, C - (alpha + mu), sum(alpha)),
            part=2,
        ),
        Alternative(
            lambda w, b, xi, alpha, mu, X, s, C: (
                alpha @ (np.outer(s, s) * (X @ X.T)) @ alpha / 2,
                -(alpha * s) @ X @ X.T @ (alpha * s),
                -b * np.sum(alpha * s),
                C * np.sum(xi) - np.sum((alpha + mu) * xi),
                np.sum(alpha),
            ),
            part=3,
        ),
        Alternative(
            lambda w, b, xi, alpha, mu, X, s, C: (alpha.sum(), -(np.linalg.norm((alpha * s) @ X) ** 2) / 2), part=4
        ),
        Alternative(
            lambda w, b, xi, alpha, mu, X, s, C: (np.ones_like(alpha), (s[:, None] * X) @ (s[:, None] * X).T), part=5
        ),
    ],
    hints=(
        Hint(
            "What does line 2 return?",
            "Four arrays, one entry for each point. Added up over the points and over the four, they are the third "
            "term of $L$.",
        ),
        Hint(
            "How do I bring line 3 into the form of line 4?",
            "Take $w$, $b$ and $\\xi$ out of the sums. What is left behind them for point $i$ is the entry, or the "
            "row, of that point.",
        ),
        Hint(
            "How do I differentiate with respect to w?",
            r"$\nabla(\tfrac12w^\top w)=w$ and $\nabla(w^\top v)=v$. Where is the difference zero?",
        ),
        Hint(
            "Why may I choose α and μ in line 6?",
            "$L$ is linear in $b$ and in $\\xi$. A linear function has a minimum only if its slope is zero, and then "
            "its term is zero too.",
        ),
        Hint(
            "Where does Q come from?",
            r"$\lVert\sum_iu_i\rVert^2=\sum_i\sum_ju_i^\top u_j$: a square of a sum is a double sum.",
        ),
    ),
    see="The section *The dual* lists what each line does. Line 4 leads to (15.6), line 7 is (15.7).",
)


# --- a printed condition, wrong in one place ---


def _equal(a, b):
    return np.isclose(a, b, rtol=1e-12, atol=0)


def _unrounded(z):
    """The array z, with 1 where it is 1 but for rounding."""
    return np.where(_equal(z, 1), 1.0, np.atleast_1d(z))


def _as_in_a_solution(alpha, z):
    alpha, z = np.atleast_1d(alpha), _unrounded(z)
    if alpha.shape != z.shape or np.any(alpha < 0) or np.any(alpha[z > 1] > 0):
        return False
    inside = alpha[z < 1]
    return not inside.size or (inside.min() > 0 and np.all(_equal(inside, alpha.max())))


_KINDS = np.array([[-3, -0.9, 1.2], [-1.5, 0.8, 3]])  # z far beyond the line, inside or a little beyond it, outside

svm_slackness = Slip(
    "svm_slackness",
    asks="Slackness, with slack",
    points=2,
    printed=lambda alpha, z: alpha * (z - 1),
    reference=lambda alpha, z: alpha * (z - 1 + np.maximum(0, 1 - z)),
    compare=up_to_sign(),
    cases=lambda rng: [
        (rng.uniform(0.2, 2, size=n), rng.permutation(rng.uniform(*np.repeat(_KINDS, (1, n - 3, 2), axis=1))))
        for n in (4, 7, 10)
    ],
    forbids=(svm.slackness,),
    admits=_as_in_a_solution,
    domain="α ≥ 0 and z of the same shape, as a solution can have them: α = 0 where z > 1, "
    "and one largest value α = C > 0 wherever z < 1",
    mistakes=[
        Mistake("This is still the printed condition.", lambda alpha, z: alpha * (z - 1)),
        Mistake(
            "The slack has the wrong sign: the constraint is z ≥ 1 − ξ, and what it leaves over is z − 1 + ξ.",
            lambda alpha, z: alpha * (z - 1 - np.maximum(0, 1 - z)),
        ),
        Mistake(
            "The multiplier is missing: a point far outside leaves z − 1 over, and α = 0 makes the product zero.",
            lambda alpha, z: z - 1 + np.maximum(0, 1 - z),
        ),
        Mistake(
            "αξ is not zero for a point with slack, there it is Cξ: α multiplies all that its constraint leaves over.",
            lambda alpha, z: alpha * np.maximum(0, 1 - z),
        ),
        Mistake(SAME_THERE, ([0.7, 0.0], [1.0, 2.0]), part=1),
        Mistake(SAME_THERE, (0.0, 3.0), part=1),
    ],
    alternatives=[
        Alternative(lambda alpha, z: alpha * np.maximum(0, z - 1)),
        Alternative(lambda alpha, z: alpha * (1 - np.maximum(0, 1 - z) - z)),
        Alternative((2.0, -1.0), part=1),
        Alternative(([0.3, 0.0], [0.2, 1.5]), part=1),
    ],
    hints=(
        Hint("Where is the printed condition right?", "In the hard margin, where every constraint is $z\\ge1$."),
        Hint(
            "What does α multiply?",
            "In (15.5): $1-\\xi-z$. At the solution either the price $\\alpha$ is zero, or its constraint is tight.",
        ),
        Hint("How do I write ξ?", "`xi = np.maximum(0, 1 - z)`."),
    ),
    see="Equation (15.8): the multiplier times what its own constraint in (15.5) leaves over.",
)


# --- from α back to the line ---


def _from_alpha(alpha, X, s, C):
    """(15.6) and (15.9)."""
    return svm.weights(alpha, X, s), svm.bias(alpha, X, s, C)


def _line_from(alpha, X, s, chosen, w=None):
    w = X.T @ (alpha * s) if w is None else w
    return w, np.mean((s - X @ w)[chosen])


svm_from_alpha = Function(
    "svm_from_alpha",
    asks="From α to the line",
    points=2,
    reference=_from_alpha,
    returns=("w", "b"),
    cases=_solutions,
    forbids=(svm.weights, svm.bias, svm.bias_interval, svm.fit),
    mistakes=[
        Mistake(
            "b is averaged over all support vectors. Those with α = C need not be on the edge: "
            "only 0 < α < C forces sf = 1.",
            lambda alpha, X, s, C: _line_from(alpha, X, s, alpha > 0),
        ),
        Mistake(
            "b is averaged over all points. Only those with 0 < α < C are known to be on the edge of the street.",
            lambda alpha, X, s, C: _line_from(alpha, X, s, alpha >= 0),
        ),
        Mistake(
            "The labels are forgotten in w: w = Σαsx.",
            lambda alpha, X, s, C: _line_from(alpha, X, s, _free(alpha, C), X.T @ alpha),
        ),
        Mistake(
            "b has the wrong sign: on the edge s(wᵀx + b) = 1, and since s² = 1 this is b = s − wᵀx.",
            lambda alpha, X, s, C: ((r := _line_from(alpha, X, s, _free(alpha, C)))[0], -r[1]),
        ),
        Mistake(
            "b = 1 − wᵀx is right on the edge of the class +1 only: on the other edge f is −1, so b = s − wᵀx.",
            lambda alpha, X, s, C: (
                w := X.T @ (alpha * s),
                np.mean((1 - X @ w)[_free(alpha, C)]),
            ),
        ),
    ],
    alternatives=[
        Alternative(  # one point of the edge is enough
            lambda alpha, X, s, C: (
                w := (alpha * s) @ X,
                (s - X @ w)[np.argmax((alpha > 1e-6) & (alpha < C - 1e-6))],
            )
        ),
        Alternative(  # by inner products only
            lambda alpha, X, s, C: (
                sum(a * t * x for a, t, x in zip(alpha, s, X, strict=True)),
                np.median((s - X @ X.T @ (alpha * s))[_free(alpha, C)]),
            )
        ),
    ],
    hints=(
        Hint("Where does w come from?", "Line 3 of the derivation is zero."),
        Hint(
            "Which points tell b?",
            "Those that are certainly on the edge of the street. The table above says for which α that is so.",
        ),
        Hint(
            "I have the points. What is b?",
            r"Multiply $s_j(w^\top x_j+b)=1$ by $s_j$ and use $s_j^2=1$. "
            "The mean over all such points is less sensitive to rounding than any single one.",
        ),
    ),
    see="Equations (15.6) and (15.9): w from the stationarity of L, b from the points with 0 < α < C.",
)


# --- the primal from above, the dual from below ---


def _gap(alpha, X, s, P):
    w = X.T @ (alpha * s)
    return P - np.sum(alpha) + w @ w / 2


def _hinges(alpha, b, X, s):
    return np.maximum(0, 1 - s * (X @ (X.T @ (alpha * s)) + b))


def _square(alpha, X, s):
    return np.sum((X.T @ (alpha * s)) ** 2)


svm_gap = Function(
    "svm_gap",
    asks="How far from the solution?",
    points=2,
    reference=svm.gap,
    cases=_allowed,
    forbids=(svm.primal, svm.dual, svm.weights),
    mistakes=[
        Mistake(
            "D has lost its ½: putting w in leaves ½ − 1 = −½ of the double sum.",
            lambda alpha, b, X, s, C: 1.5 * _square(alpha, X, s) + C * np.sum(_hinges(alpha, b, X, s)) - np.sum(alpha),
        ),
        Mistake(
            "The double sum of D has no labels: the products are sᵢsⱼ xᵢᵀxⱼ.",
            lambda alpha, b, X, s, C: (
                _square(alpha, X, s) / 2
                + C * np.sum(_hinges(alpha, b, X, s))
                - np.sum(alpha)
                + _square(alpha, X, np.ones(len(s))) / 2
            ),
        ),
        Mistake(
            "The slacks come without C: it is their price in P.",
            lambda alpha, b, X, s, C: _square(alpha, X, s) + np.sum(_hinges(alpha, b, X, s)) - np.sum(alpha),
        ),
        Mistake(
            "Slacks below 0 are counted: a point far outside the street earns nothing, ξ = max(0, 1 − sf).",
            lambda alpha, b, X, s, C: (
                _square(alpha, X, s) + C * np.sum(1 - s * (X @ (X.T @ (alpha * s)) + b)) - np.sum(alpha)
            ),
        ),
        Mistake(
            "b is left out of f: the slacks need wᵀx + b.",
            lambda alpha, b, X, s, C: _square(alpha, X, s) + C * np.sum(_hinges(alpha, 0, X, s)) - np.sum(alpha),
        ),
        Mistake(
            "This is D − P. P is never below D: subtract the smaller from the larger.",
            lambda alpha, b, X, s, C: -(_square(alpha, X, s) + C * np.sum(_hinges(alpha, b, X, s)) - np.sum(alpha)),
        ),
    ],
    alternatives=[
        Alternative(
            lambda alpha, b, X, s, C: _gap(alpha, X, s, _square(alpha, X, s) / 2 + C * np.sum(_hinges(alpha, b, X, s)))
        ),
        Alternative(  # (15.10)
            lambda alpha, b, X, s, C: (
                alpha @ (s * (X @ (X.T @ (alpha * s)) + b) - 1) + C * np.sum(_hinges(alpha, b, X, s))
            )
        ),
    ],
    hints=(
        Hint("Which w belongs to α?", r"$w=\sum_i\alpha_is_ix_i$, as in `svm_from_alpha`. Here $b$ is given."),
        Hint("What is P at that w?", "(15.3): half the square of $w$, plus $C$ times the sum of the slacks."),
        Hint(
            "Do I need the double sum for D?",
            r"No: $\sum_{ij}\alpha_i\alpha_js_is_jx_i^\top x_j=\lVert w\rVert^2$, line 6 of the derivation.",
        ),
    ),
    see="Equations (15.3) and (15.7): the one at w = Σαsx and b, minus the other at α.",
)


# --- Break it: no point with 0 < α < C ---

_SIX = "Six numbers are asked for: α₁, α₂, w, b, ξ₁ and ξ₂."
_BALANCE = "Σαs = 0 here says α₁ − α₂ = 0: the two are equal."
_BOX = "α must stay between 0 and C = ½."
_NOT_BEST = "With α₁ = α₂ = a the dual is 2a − ½(2a)². Your a is not where it is largest on 0 ≤ a ≤ ½."
_SUM_W = "w = α₁·1·1 + α₂·(−1)·(−1): the two minus signs cancel."
_B_FORCED = (
    "This b breaks (15.8). Both α are positive, so neither point may have sf > 1: 1 + b ≤ 1 and 1 − b ≤ 1 leave one b."
)
_NOT_INSIDE = (
    "α = C does not put a point inside the street. It makes μ = 0, and μξ = 0 then says nothing about ξ: "
    "compute 1 − sf."
)

svm_two_points = Property(
    "svm_two_points",
    asks="Two points and a tight C",
    points=2,
    laws=[
        Law(_SIX, lambda v: v.shape == (6,)),
        Law(_BALANCE, lambda v: abs(v[0] - v[1]) < 1e-3),
        Law(_BOX, lambda v: v[:2].min() >= 0 and v[:2].max() < 0.5 + 1e-3),
        Law(_NOT_BEST, lambda v: abs(v[0] - 0.5) < 1e-3),
        Law(_SUM_W, lambda v: abs(v[2] - 1) < 1e-3),
        Law(_B_FORCED, lambda v: abs(v[3]) < 1e-3),
        Law(_NOT_INSIDE, lambda v: np.abs(v[4:]).max() < 1e-3),
    ],
    digits=3,
    reference=np.array([0.5, 0.5, 1, 0, 0, 0]),
    mistakes=[
        Mistake(_SIX, [0.5, 1, 0, 0]),
        Mistake(_BALANCE, [0.5, -0.5, 0, 0, 1, 1]),
        Mistake(_BOX, [1, 1, 2, 0, 0, 0]),
        Mistake(_NOT_BEST, [0.25, 0.25, 0.5, 0, 0.5, 0.5]),
        Mistake(_SUM_W, [0.5, 0.5, 0, 0, 1, 1]),
        Mistake(_B_FORCED, [0.5, 0.5, 1, 0.5, 0, 0.5]),
        Mistake(_NOT_INSIDE, [0.5, 0.5, 1, 0, 0.5, 0.5]),
        Mistake(_NOT_INSIDE, [0.5, 0.5, 1, 0, 1, 1]),
    ],
    alternatives=[Alternative(np.array([0.5, 0.5, 1, 0, 0, 0])), Alternative((1 / 2, 1 / 2, 1.0, 0.0, 0.0, 0.0))],
    hints=(
        Hint("Where do I start?", "With the dual: what does $\\sum_i\\alpha_is_i=0$ say about the two?"),
        Hint(
            "I have w. The mean of (15.9) is over nothing. What now?",
            "Go back to the table: $\\alpha>0$ says $sf(x)\\le1$. Write that down for both points.",
        ),
    ),
    see="The table under (15.8): α > 0 says sf(x) ≤ 1, for both points.",
)


def _interval(alpha, X, s, from_below, from_above):
    edge = s - X @ (X.T @ (alpha * s))
    return np.max(edge[from_below]), np.min(edge[from_above])


svm_bias_interval = Function(
    "svm_bias_interval",
    asks="The interval of b",
    points=2,
    reference=svm.bias_interval,
    returns=("low", "high"),
    cases=_all_solutions,
    forbids=(svm.bias, svm.fit, svm.weights),
    mistakes=[
        Mistake(
            "The mean over 0 < α < C again: where there is no such point, there is nothing to average. "
            "Use the inequalities of the points with α = 0 and α = C.",
            lambda alpha, X, s, C: (b := np.mean((s - X @ (X.T @ (alpha * s)))[_free(alpha, C)]), b),
        ),
        Mistake(
            "Every point +1 bounds b from below here, and every point −1 from above, as in the hard margin. "
            "A point with α = C may have sf < 1: it bounds b from the other side.",
            lambda alpha, X, s, C: _interval(alpha, X, s, s > 0, s < 0),
        ),
        Mistake(
            "The labels do not come in: sf ≥ 1 is a lower bound on b for s = +1, and an upper one for s = −1.",
            lambda alpha, X, s, C: _interval(alpha, X, s, alpha < C, alpha > 0),
        ),
        Mistake(
            "The two ends are exchanged: the largest of the lower bounds is the low end.",
            lambda alpha, X, s, C: _interval(
                alpha, X, s, np.where(s > 0, alpha < C, alpha > 0), np.where(s > 0, alpha > 0, alpha < C)
            )[::-1],
        ),
        Mistake(
            "The loosest bounds instead of the tightest: b must satisfy all of them, "
            "so low is the largest lower bound, high the smallest upper one.",
            lambda alpha, X, s, C: (
                np.min((e := s - X @ (X.T @ (alpha * s)))[np.where(s > 0, alpha < C, alpha > 0)]),
                np.max(e[np.where(s > 0, alpha > 0, alpha < C)]),
            ),
        ),
    ],
    alternatives=[
        Alternative(lambda alpha, X, s, C: _by_cases(alpha, X, s, C)),
        Alternative(
            lambda alpha, X, s, C: _interval(
                alpha,
                X,
                s,
                np.where(s > 0, alpha < C - 1e-8, alpha > 1e-8),
                np.where(s > 0, alpha > 1e-8, alpha < C - 1e-8),
            )
        ),
    ],
    hints=(
        Hint(
            "What does one point say about b?",
            "It is on the edge of its side if $b=s_i-w^\\top x_i$. A point $+1$ with $\\alpha<C$ has $f\\ge1$, "
            "so $b$ is at least that. With $\\alpha>0$ it has $f\\le1$, so $b$ is at most that.",
        ),
        Hint("And a point −1?", "There $sf\\ge1$ means $f\\le-1$: both inequalities turn round."),
        Hint(
            "How do I write that?",
            "`below = np.where(s > 0, alpha < C, alpha > 0)` are the points that bound $b$ from below.",
        ),
    ),
    see="Equation (15.11): the table of (15.8), read as bounds on b.",
)


def _by_cases(alpha, X, s, C):
    """Point by point: a free one says both."""
    low, high = -np.inf, np.inf
    for a, t, e in zip(alpha, s, s - X @ (X.T @ (alpha * s)), strict=True):
        if a < C:
            low, high = (max(low, e), high) if t > 0 else (low, min(high, e))
        if a > 0:
            low, high = (low, min(high, e)) if t > 0 else (max(low, e), high)
    return low, high


# --- a printed conclusion, wrong in one place ---


def _outcomes(rng):
    """(α, z, C) as solutions have them, with points exactly on the edge among α = 0 and among α = C."""
    found = []
    for zero, edge, free, tight, inside, wrong, far in ((1,) * 7, *rng.integers(1, 4, size=(2, 7))):
        C = round(rng.uniform(0.5, 2), 1)
        alpha = np.repeat([0.0, 0.0, C / 2, C, C, C, C], (zero, edge, free, tight, inside, wrong, far))
        z = np.concatenate(
            [
                rng.uniform(1.2, 3, zero).round(1),
                np.ones(edge + free + tight),
                rng.uniform(0.1, 0.9, inside).round(1),
                rng.uniform(-0.9, -0.1, wrong).round(1),
                rng.uniform(-3, -1.2, far).round(1),
            ]
        )
        order = rng.permutation(len(z))
        found.append((alpha[order], z[order], C))
    return found


def _fits_together(alpha, z, C):
    alpha, z = np.atleast_1d(alpha), _unrounded(z)
    if np.ndim(C) > 0 or alpha.shape != z.shape or C <= 0:
        return False
    tight = _equal(alpha, C)
    return bool(np.all((alpha >= 0) & ((alpha <= C) | tight) & ((z <= 1) | (alpha == 0)) & ((z >= 1) | tight)))


svm_inside = Slip(
    "svm_inside",
    asks="Who has slack?",
    points=2,
    printed=lambda alpha, z, C: np.sum(_equal(alpha, C)),
    reference=lambda alpha, z, C: np.sum(_unrounded(z) < 1),
    compare=exactly,
    cases=_outcomes,
    admits=_fits_together,
    domain="α and z of the same shape and a number C > 0, as a solution can have them: 0 ≤ α ≤ C, "
    "α = 0 where z > 1 and α = C where z < 1",
    mistakes=[
        Mistake("This still counts the points with α = C, as printed.", lambda alpha, z, C: np.sum(alpha == C)),
        Mistake(
            "These are all support vectors: the free ones are on the edge and have no slack.",
            lambda alpha, z, C: np.sum(alpha > 0),
        ),
        Mistake(
            "Points with z = 1 are on the edge: their slack is 0, and they are not inside.",
            lambda alpha, z, C: np.sum(z <= 1),
        ),
        Mistake(
            "These are the points on the wrong side of the line. Between 0 and 1 a point is inside the street as well.",
            lambda alpha, z, C: np.sum(z < 0),
        ),
        Mistake(SAME_THERE, ([1.0, 0.5, 0.5], [0.5, 1.0, 1.0], 1.0), part=1),
        Mistake(SAME_THERE, ([2.0, 0.0], [-1.0, 1.0], 2.0), part=1),
    ],
    alternatives=[
        Alternative(lambda alpha, z, C: np.count_nonzero(np.maximum(0, 1 - z))),
        Alternative(lambda alpha, z, C: sum(1 - t > 1e-9 for t in z)),
        Alternative((1.0, 1.0, 1.0), part=1),
        Alternative(([0.3, 0.3, 0.3], [1, 0.5, 1], 0.3), part=1),
    ],
    hints=(
        Hint("Which conclusion is right?", "$\\xi>0$ implies $\\mu=0$, and that implies $\\alpha=C$. And backwards?"),
        Hint("Do I know a counter-example?", "You worked one out in *Break it*: there $z=1$ for both points."),
    ),
    see="Equation (15.8): ξ > 0 forces α = C; α = C only leaves sf ≤ 1.",
)


svm_robust = Explanation(
    "svm_robust",
    asks="Twenty wrong labels",
    points=3,
    rubric=(
        "1 point: w = Σαsx contains no point with α = 0, and what is left still satisfies (15.8), so the line is "
        "optimal for the rest. 1 point: each point pulls with αsx, and α ≤ C (since μ ≥ 0) whatever its distance: a "
        "wrong label counts C and no more, and wrong labels on both sides nearly cancel. 1 point: a limit, such as: "
        "the point with α = 0 matters as soon as it moves past the edge of its side or C falls; wrong labels all of "
        "one class do not cancel; with the hard margin nothing bounds α."
    ),
)

topic = Topic(
    number=15,
    slug="svm",
    title="Support vector machines",
    question="Which points decide where the line goes?",
    part="Classification",
    minutes=90,
    before={
        "surrogate_losses": "the hinge loss",
        "convexity": "convex problems and their optima",
    },
    exercises=[
        svm_distance,
        svm_four_points,
        svm_penalty,
        svm_dual_chain,
        svm_slackness,
        svm_from_alpha,
        svm_gap,
        svm_two_points,
        svm_bias_interval,
        svm_inside,
        svm_robust,
    ],
)
check = Checks(topic)
