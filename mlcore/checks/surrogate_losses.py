"""The exercises of 14 surrogate_losses."""

import itertools
from fractions import Fraction

import numpy as np

from mlcore import surrogate_losses as sl
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
    Value,
    but,
    exactly,
)

# --- data to be tried on: where z is 0 or 1, it is so in whole numbers; all other z are far from both ---


def _boundaries(rng):
    """(b, x, s): between the points, exactly at one of them, left and right of 0, many points with unequal classes."""
    x = rng.integers(-4, 5, size=6).astype(float)[[0, 0, 1, 2, 3, 4, 5]]  # at x₀ there is one of each class
    s, order = np.array([-1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0]), rng.permutation(7)
    spread = rng.normal(size=14)
    unequal = np.where(np.arange(14) < 4, -1.0, 1.0)
    line = rng.permutation(np.arange(-2.0, 3.0))
    return [
        (rng.choice([-0.5, 0.5, 1.5, 2.5]), np.array([0.0, 1.0, 2.0]), np.array([-1.0, 1.0, 1.0])),
        (x[0], x[order], s[order]),
        (rng.choice(spread), spread, unequal),
        (rng.normal() / 2, spread, unequal),
        *((1.5 * side, line, np.sign(line - 1.5 * side)) for side in (-1, 1)),
    ]


def _scores(rng):
    """z with 0 and 1 among them, on both sides of each."""
    return [
        (np.array([-1.0, 0.0, 1.0, 2.0]) + np.array([0.0, 0.0, 0.0, rng.integers(0, 3)]),),
        (rng.permutation([*np.arange(-3, 7) / 4, *rng.uniform(-6, -1.2, size=3), *rng.uniform(1.6, 6, size=3)]),),
    ]


def _softened(rng):
    """(z, a) with z on both sides of 1."""
    return [
        (np.round(rng.uniform([-3, 1.3], [0.7, 4]), 1), rng.uniform(0.3, 0.8)),
        (rng.uniform([-4, -2, -1, 0, 1.2, 1.5, 2], [-2, -1, 0, 0.8, 1.5, 2, 5]), rng.uniform(1.2, 2)),
    ]


_MET = np.array([-3, -1, 0, 0, 1, 1, 2, 4])
_BETWEEN = np.array([-2.5, -1.25, -0.5, 0.25, 0.5, 0.75, 1.25, 1.5, 3.25])


def _reaching(rng, z, d, b=0):
    """w, b, X and s with exactly these z, in whole numbers if z is: the first weight is ±1, so x₁ can be solved for."""
    n = len(z)
    w = np.append(1, rng.integers(1, 4, size=d - 1)) * rng.choice([-1, 1], size=d)
    s = np.where(np.arange(n) < max(1, n // 3), 1, -1)[rng.permutation(n)]
    rest = rng.integers(-3, 4, size=(n, d - 1))
    first = (s * z - b - rest @ w[1:]) * w[0]
    return w.astype(z.dtype), b, np.column_stack([first, rest]), s


def _lines(rng):
    odd, even = rng.choice([1, 3]), rng.choice([2, 4])
    drawn = ((_MET[[1, 3, 4, 6]], 2, odd), (rng.permutation(_BETWEEN), 2, -even), (rng.permutation(_MET), 4, -odd))
    return [_reaching(rng, z, d, int(b)) for z, d, b in drawn]


def _steps(rng):
    """(w, x, s) with z on both sides of 0 and of 1, near and far, and z = 0 with w = 0 and without."""
    cases = []
    for z in (-2, -0.5, -0.25, 0, 0.25, 0.75, 1, 2):
        w, _, X, s = _reaching(rng, np.array([z, z]), 2)
        cases += [(w, X[0], s[0]), (w, X[1], s[1])]
    return [*cases, (np.zeros(3), rng.integers(1, 5, size=3).astype(float), rng.choice([-1, 1]))]


def _seen(w, X, s):
    """The z that a pass of the perceptron meets, one for each row."""
    met = []
    for x, label in zip(X, s, strict=True):
        met.append(label * (w @ x))
        w = sl.perceptron_step(w, x, label)
    return np.array(met)


def _passes(rng):
    """(w, X, s): from w = 0, and from another w such that every kind of z is met on the way.

    In whole numbers, z = 0 and z = 1 too; otherwise nothing near them.
    """
    small = np.zeros(2, dtype=int), rng.integers(1, 4, size=(3, 2)) * rng.choice([-1, 1], size=(3, 2))
    cases = [(*small, np.array([1, -1, 1]))]
    for n, d, whole in ((14, 2, True), (20, 3, False)):
        while True:
            w = rng.integers(-2, 3, size=d) if whole else rng.normal(size=d)
            X = rng.integers(-2, 3, size=(n, d)) if whole else rng.normal(size=(n, d))
            s = np.where(np.arange(n) < n // 3, 1, -1)[rng.permutation(n)]
            z = _seen(w, X, s)
            if whole:
                kinds, near = [z < 0, (z == 0) & X.any(axis=1), z == 1, z > 1], False
            else:
                kinds = [z <= -1, (z > -1) & (z < 0), (z > 0) & (z < 1), z > 1]
                near = np.min(np.abs([z, z - 1])) < 0.01
            if w.any() and not near and all(kind[1:-1].any() for kind in kinds):
                cases.append((w, X, s))
                break
    return cases


def _separated(rng):
    """(X, s, u) with s = sign(Xu), u of any length; the nearest point is not the longest nor the first."""
    cases = []
    for n, d in ((4, 2), (9, 3), (15, 5)):
        while True:
            u = rng.normal(size=d) * rng.uniform(0.3, 3)
            X = rng.normal(size=(n, d)) + rng.normal(size=d) / 2
            z = np.abs(X @ u) / np.linalg.norm(u)
            unequal = 0 < np.sum(X @ u > 0) < n and not 0.8 < np.linalg.norm(u) < 1.2
            if 0.05 < z.min() < 0.5 and unequal and np.argmin(z) != np.argmin(np.linalg.norm(X, axis=1)):
                cases.append((X, np.sign(X @ u), u))
                break
    return cases


# --- counting mistakes ---

boundary_mistakes = Function(
    "boundary_mistakes",
    asks="Count the mistakes of a boundary",
    points=1,
    reference=sl.boundary_mistakes,
    cases=_boundaries,
    compare=exactly,
    forbids=(sl.zero_one,),
    mistakes=[
        Mistake(
            "You count the points that are predicted negative, not the mistakes: the label has to come in.",
            lambda b, x, s: np.sum(x - b <= 0),
        ),
        Mistake(
            "A point with x = b has the score 0, which decides nothing: it counts as a mistake whatever its label.",
            lambda b, x, s: np.sum(s * (x - b) < 0),
        ),
        Mistake(
            "These are the points that are classified rightly: the mistakes are the others.",
            lambda b, x, s: np.sum(s * (x - b) > 0),
        ),
        Mistake("This is the share of mistakes: their number is asked for.", lambda b, x, s: np.mean(s * (x - b) <= 0)),
    ],
    alternatives=[
        Alternative(lambda b, x, s: len(x) - np.sum(np.sign(x - b) == s)),
        Alternative(lambda b, x, s: sum(1 for xi, si in zip(x, s, strict=True) if (xi - b) * si <= 0)),
        Alternative(lambda b, x, s: np.sum(x[s < 0] >= b) + np.sum(x[s > 0] <= b)),
    ],
    hints=(
        Hint("When is a point classified rightly?", "When its score $x-b$ has the sign of its label $s$."),
        Hint("How do I write that in one product?", "$z=s(x-b)$ is positive exactly then. Count the others."),
    ),
    see="Equations (14.1) and (14.2): a mistake is z ≤ 0.",
)

# --- three losses with a slope ---


def _losses(z):
    """All four, for the mistakes to start from."""
    return np.where(z <= 0, 1.0, 0.0), np.maximum(0, 1 - z), np.logaddexp(0, -z) / np.log(2), np.exp(-z)


four_losses = Function(
    "four_losses",
    asks="Four losses of one margin",
    points=2,
    reference=sl.four_losses,
    returns=("zero_one", "hinge", "logistic", "exponential"),
    cases=_scores,
    forbids=(sl.zero_one, sl.hinge, sl.logistic, sl.exponential),
    mistakes=[
        Mistake(
            "hinge: max(0, −z) starts at 0, and is the loss of the perceptron. The hinge asks for a margin of 1.",
            lambda z: (_losses(z)[0], np.maximum(0, -z), *_losses(z)[2:]),
        ),
        Mistake(
            "The sign of z is reversed: a loss has to fall as the margin grows.",
            lambda z: _losses(-z),
        ),
        Mistake(
            "logistic: this is the logarithm to base e. At z = 0 it gives 0.69, below the zero-one loss; "
            "base 2 gives 1.",
            lambda z: (*_losses(z)[:2], np.logaddexp(0, -z), _losses(z)[3]),
        ),
        Mistake(
            "logistic: this is log₂(1 + eᶻ), which grows with the margin.",
            lambda z: (*_losses(z)[:2], _losses(-z)[2], _losses(z)[3]),
        ),
        Mistake(
            "zero_one: z = 0 is on the boundary and counts as a mistake.",
            lambda z: (np.where(z < 0, 1.0, 0.0), *_losses(z)[1:]),
        ),
        Mistake(
            "hinge: 1 − z goes below 0 for z > 1. Beyond the margin the hinge stays at 0.",
            lambda z: (_losses(z)[0], 1 - z, *_losses(z)[2:]),
        ),
    ],
    alternatives=[
        Alternative(lambda z: ((z <= 0) * 1, np.where(z < 1, 1 - z, 0), np.log2(1 + np.exp(-z)), 1 / np.exp(z))),
        Alternative(
            lambda z: (
                1 - np.heaviside(z, 0),
                (np.abs(1 - z) + 1 - z) / 2,
                -np.log(1 / (1 + np.exp(-z))) / np.log(2),
                np.e**-z,
            )
        ),
    ],
    hints=(
        Hint("How do I write I(z ≤ 0)?", "`np.where(z <= 0, 1.0, 0.0)`, for a whole array at once."),
        Hint("And the maximum?", "`np.maximum(0, 1 - z)` compares entry by entry; `np.max` gives one number."),
        Hint("And base 2?", "`np.log2`, or divide the natural logarithm by `np.log(2)`."),
    ),
    see="Equations (14.2) and (14.3).",
)

three_boundaries = Value(
    "three_boundaries",
    asks="Where each loss puts the boundary",
    points=2,
    reference=np.array([0.0, 1.0, 0.197066, 0.343369]),
    digits=2,  # what a grid of a few hundred points gives
    mistakes=[
        Mistake(
            "The middle of the gap, 0.5, is one minimiser of the hinge loss, but not the only one: try b = 0.3.",
            [0.5, 0.5, 0.1971, 0.3434],
        ),
        Mistake("These are the least values. The places b are asked for.", [1.0, 1.0, 1.619013, 1.418753]),
        Mistake(
            "These are the boundaries of f(x) = x + b: here f(x) = x − b, and the boundary is at b itself.",
            [-1.0, 0.0, -0.1971, -0.3434],
        ),
        Mistake("The last two are exchanged: logistic first, then exponential.", [0.0, 1.0, 0.3434, 0.1971]),
        Mistake(
            "The ends of the interval are exchanged: the lower one comes first.",
            [1.0, 0.0, 0.1971, 0.3434],
        ),
    ],
    hints=(
        Hint(
            "How do I begin?",
            "The margins are $b$, $1-b$ and $2-b$. Write each total loss as a function of $b$, and look at its values "
            "on a fine grid between $-1$ and 2.",
        ),
        Hint(
            "The hinge by hand?",
            "Between 0 and 1 the three terms are $\\max(0,1-b)=1-b$, $\\max(0,b)=b$ and $\\max(0,b-1)=0$.",
        ),
        Hint(
            "The exponential by hand?",
            "The total is $e^{-b}+(e^{-1}+e^{-2})\\,e^{b}$. Set its derivative to zero and solve for $e^{2b}$.",
        ),
    ),
    see="The figure after this exercise: each curve against b, and where it is least.",
)

# --- a family that tends to the hinge ---


def _hinge(z):
    return np.maximum(0, 1 - z)


def _line_1(z, a):
    return a * np.log(1 + np.exp((1 - z) / a)) - np.maximum(0, 1 - z)


def _line_2(z, a):
    return 1 + np.exp((1 - z) / a), np.exp(-np.maximum(0, 1 - z) / a)


def _line_3(z, a):
    m = np.maximum(0, 1 - z)
    return -m / a, (1 - z - m) / a


def _line_4(z, a):
    return 0 * z, -np.abs(1 - z) / a


soft_hinge_chain = Chain(
    "soft_hinge_chain",
    asks="How far Γₐ is from the hinge",
    first=_line_1,
    lines=[
        Line(
            does="bring the hinge m = max(0, 1 − z) into the logarithm, a · log(bracket · factor), "
            "where the bracket is that of line 1",
            parts=("bracket", "factor"),
            reference=_line_2,
            whole=lambda here, z, a: here[0] * here[1],
            mistakes=[
                Mistake(
                    "Your factor is exp(m/a): a minus in front of m becomes a minus in the exponent.",
                    but(_line_2, 1, lambda z, a: np.exp(_hinge(z) / a)),
                ),
                Mistake(
                    "Your factor is exp(−m). The logarithm is multiplied by a, and −m = a · (−m/a).",
                    but(_line_2, 1, lambda z, a: np.exp(-_hinge(z))),
                ),
                Mistake(
                    "You put m = 1 − z, which holds only for z ≤ 1. Beyond 1 the hinge is 0.",
                    but(_line_2, 1, lambda z, a: np.exp(-(1 - z) / a)),
                ),
                Mistake(
                    "Your factor is exp(−am): in front of the logarithm a multiplies, so in it a has to divide.",
                    but(_line_2, 1, lambda z, a: np.exp(-a * _hinge(z))),
                ),
                Mistake(
                    "The factor is −m here: a times its logarithm has to be −m.",
                    but(_line_2, 1, lambda z, a: -_hinge(z)),
                ),
                Mistake(
                    "The factor is −m/a here: that is its logarithm.", but(_line_2, 1, lambda z, a: -_hinge(z) / a)
                ),
                Mistake(
                    "The factor is m here: a times its logarithm has to be −m.", but(_line_2, 1, lambda z, a: _hinge(z))
                ),
                Mistake(
                    "The factor has an a before it: a stands in front of the logarithm already.",
                    but(_line_2, 1, lambda z, a: a * np.exp(-_hinge(z) / a)),
                ),
                Mistake(
                    "The bracket is a logarithm here: the logarithm stands before it already.",
                    but(_line_2, 0, lambda z, a: np.log(1 + np.exp((1 - z) / a))),
                ),
                Mistake("bracket and factor have changed places.", lambda z, a: _line_2(z, a)[::-1]),
            ],
        ),
        Line(
            does="multiply the bracket out: the logarithm of a sum of two exponentials, whose exponents are asked for",
            parts=("exponent 1", "exponent 2"),
            reference=_line_3,
            follows=lambda before, z, a: (np.log(before[1]), np.log((before[0] - 1) * before[1])),
            mistakes=[
                Mistake(
                    "Only the 1 was multiplied by the factor: both summands are.",
                    but(_line_3, 1, lambda z, a: (1 - z) / a),
                ),
                Mistake(
                    "Only the exponential was multiplied by the factor: the 1 is, too.",
                    but(_line_3, 0, lambda z, a: 0 * z),
                ),
                Mistake(
                    "The exponents were multiplied: in a product of two exponentials they add up.",
                    but(_line_3, 1, lambda z, a: -(1 - z) / a * _hinge(z) / a),
                ),
                Mistake(
                    "The exponent of the factor has a minus in both summands: it is the same factor.",
                    but(_line_3, 1, lambda z, a: (1 - z + _hinge(z)) / a),
                ),
                Mistake(
                    "These are the two exponentials: asked for are their exponents.",
                    lambda z, a: tuple(map(np.exp, _line_3(z, a))),
                ),
                Mistake(
                    "The exponents have lost their a: they are divided by it.",
                    lambda z, a: (-(m := _hinge(z)), 1 - z - m),
                ),
                Mistake(
                    "The exponents are multiplied by a: they are divided by it.",
                    lambda z, a: (-a * (m := _hinge(z)), a * (1 - z - m)),
                ),
                Mistake(
                    "m has a plus in both exponents: it is subtracted.",
                    lambda z, a: ((m := _hinge(z)) / a, (1 - z + m) / a),
                ),
                Mistake(
                    "The two have changed places: the exponent of the 1 comes first.", lambda z, a: _line_3(z, a)[::-1]
                ),
                Mistake(
                    "Exponent 2 is 0 only for z ≤ 1: beyond 1 the hinge is 0.", but(_line_3, 1, lambda z, a: 0 * z)
                ),
            ],
        ),
        Line(
            does="take the larger of the two exponentials out of the logarithm: line 3 is out + a · log(1 + exp(E)) "
            "with E ≤ 0. Write both without m, in the shape of z",
            parts=("out", "E"),
            reference=_line_4,
            follows=lambda before, z, a: (a * np.maximum(before[0], before[1]), -np.abs(before[0] - before[1])),
            whole=lambda here, z, a: here[0] + a * np.log(1 + np.exp(here[1])),
            mistakes=[
                Mistake(
                    "E has to be negative on both sides of z = 1: it is the smaller exponent minus the larger one.",
                    but(_line_4, 1, lambda z, a: np.abs(1 - z) / a),
                ),
                Mistake(
                    "This E is right for z < 1 only. Put z = 2 in: which of the two exponents is smaller there?",
                    but(_line_4, 1, lambda z, a: -(1 - z) / a),
                ),
                Mistake(
                    "E has lost its a: both exponents of line 3 are divided by it.",
                    but(_line_4, 1, lambda z, a: -np.abs(1 - z)),
                ),
                Mistake(
                    "|z| is the distance from 0. The two exponents are equal at z = 1.",
                    but(_line_4, 1, lambda z, a: -np.abs(z) / a),
                ),
                Mistake(
                    "What you took out is −m. Look at line 3 for z ≤ 1 and for z > 1: which exponent is larger?",
                    but(_line_4, 0, lambda z, a: -_hinge(z)),
                ),
                Mistake(
                    "This E is right for z > 1 only. Put z = 0 in: which of the two exponents is smaller there?",
                    but(_line_4, 1, lambda z, a: (1 - z) / a),
                ),
                Mistake(
                    "This is exp(E): asked for is the exponent.",
                    but(_line_4, 1, lambda z, a: np.exp(-np.abs(1 - z) / a)),
                ),
                Mistake(
                    "E is exponent 1 here: it is the smaller of the two exponents minus the larger one.",
                    but(_line_4, 1, lambda z, a: -_hinge(z) / a),
                ),
                Mistake(
                    "What you took out is m: it is a times the larger exponent of line 3.",
                    but(_line_4, 0, lambda z, a: _hinge(z)),
                ),
                Mistake(
                    "The smaller of the two exponentials is taken out: E is not negative then.",
                    lambda z, a: (-np.abs(1 - z), np.abs(1 - z) / a),
                ),
                Mistake("out and E have changed places.", lambda z, a: _line_4(z, a)[::-1]),
            ],
        ),
    ],
    cases=_softened,
    forbids=(sl.soft_hinge, sl.soft_hinge_gap),
    alternatives=[
        Alternative(lambda z, a: (1 + np.exp(1 / a) / np.exp(z / a), 1 / np.exp(_hinge(z) / a)), part=0),
        Alternative(lambda z, a: (1 + np.exp(-(z - 1) / a), np.minimum(1, np.exp((z - 1) / a))), part=0),
        Alternative(  # (1 − z) − max(0, 1 − z) = min(0, 1 − z)
            lambda z, a: (np.minimum(0, z - 1) / a, np.minimum(0, 1 - z) / a), part=1
        ),
        Alternative(  # case by case
            lambda z, a: (np.where(z <= 1, (z - 1) / a, 0), np.where(z <= 1, 0, (1 - z) / a)), part=1
        ),
        Alternative(lambda z, a: (np.zeros_like(z), np.where(z < 1, (z - 1) / a, (1 - z) / a)), part=2),
        Alternative(lambda z, a: (0.0 * z, -np.sqrt((z - 1) ** 2) / a), part=2),
    ],
    hints=(
        Hint("How can a summand become a factor?", "$-m=a\\log(\\ldots)$, and the sum of two logarithms is one."),
        Hint(
            "What is a product of two exponentials?",
            "$e^ue^v=e^{u+v}$, and $1=e^0$.",
        ),
        Hint(
            "Which exponential is the larger one?",
            "Put $m=1-z$ for $z\\le1$, and $m=0$ for $z>1$. In both cases one of the exponents is the same number.",
        ),
    ),
    see="Equation (14.5) is line 4.",
)

largest_gap = Function(
    "largest_gap",
    asks="The largest gap",
    points=1,
    reference=sl.largest_gap,
    cases=lambda rng: [(rng.uniform(0.1, 0.6),), (rng.uniform(1.3, 3),), (rng.uniform(4, 9),)],
    forbids=(sl.soft_hinge, sl.soft_hinge_gap),
    mistakes=[
        Mistake("This does not shrink with a: the logarithm is multiplied by a.", lambda a: np.log(2)),
        Mistake(
            "This is a alone. At z = 1 the exponential in line 4 is e⁰ = 1: what is the logarithm there?",
            lambda a: a,
        ),
        Mistake("This is the gap at z = 0. Where is E of line 4 largest?", lambda a: a * np.log(1 + np.exp(-1 / a))),
        Mistake(
            "This is log(2a): a stands in front of the logarithm, not in it.",
            lambda a: np.log(2 * a),
        ),
    ],
    alternatives=[
        Alternative(lambda a: np.log(2.0**a)),
        Alternative(lambda a: a * np.logaddexp(0, 0)),
        Alternative(lambda a: np.max(a * np.log1p(np.exp(-np.abs(np.linspace(-1, 1, 2001)) / a)))),
    ],
    hints=(
        Hint("Where is it largest?", "Where $E$ of line 4 is: the exponential and the logarithm grow with it."),
        Hint("What is it there?", "Put $z=1$ into line 4."),
    ),
    see="Equation (14.6): line 4 at z = 1.",
)

# --- how hard a point pulls ---


def _pull(z):
    """All four, for the mistakes to start from."""
    p = 1 / (1 + np.exp(z))
    return np.where(z < 1, 1.0, 0.0), p / np.log(2), np.exp(-z), p * (1 - p)


loss_pulls = Function(
    "loss_pulls",
    asks="How hard a point pulls",
    points=2,
    reference=sl.pulls,
    returns=("hinge", "logistic", "exponential", "sigmoid"),
    cases=_scores,
    mistakes=[
        Mistake(
            "These are the slopes φ′, which are never positive. The pull is −φ′.",
            lambda z: tuple(-pull for pull in _pull(z)),
        ),
        Mistake(
            "logistic: with log₂ the slope carries the factor 1/log 2.",
            lambda z: (_pull(z)[0], _pull(z)[1] * np.log(2), *_pull(z)[2:]),
        ),
        Mistake(
            "logistic: this is 1/(log 2 · (1 + e⁻ᶻ)), which grows with the margin. Differentiate log(1 + e⁻ᶻ) again.",
            lambda z: (_pull(z)[0], (1 - np.log(2) * _pull(z)[1]) / np.log(2), *_pull(z)[2:]),
        ),
        Mistake(
            "hinge: only points with z ≤ 0 pull here. The hinge slopes down to z = 1.",
            lambda z: (np.where(z <= 0, 1.0, 0.0), *_pull(z)[1:]),
        ),
        Mistake(
            "hinge: the task takes 0 at z = 1, where the slope jumps.",
            lambda z: (np.where(z <= 1, 1.0, 0.0), *_pull(z)[1:]),
        ),
        Mistake(
            "sigmoid: this is the loss itself. Its slope has one factor more.",
            lambda z: (*_pull(z)[:3], 1 / (1 + np.exp(z))),
        ),
        Mistake(
            "hinge: 1 − z is the loss. Its slope is constant where it is not 0.",
            lambda z: (np.maximum(0, 1 - z), *_pull(z)[1:]),
        ),
    ],
    alternatives=[
        Alternative(
            lambda z: (
                (z < 1) * 1.0,
                np.exp(-z) / (1 + np.exp(-z)) / np.log(2),
                1 / np.exp(z),
                np.exp(z) / (1 + np.exp(z)) ** 2,
            )
        ),
        Alternative(
            lambda z: (
                np.where(z < 1, 1, 0),
                (1 - np.tanh(z / 2)) / (2 * np.log(2)),
                np.e**-z,
                1 / (4 * np.cosh(z / 2) ** 2),
            )
        ),
    ],
    hints=(
        Hint("The logistic loss?", "$\\frac{d}{dz}\\log(1+e^{-z})=-e^{-z}/(1+e^{-z})=-1/(1+e^{z})$."),
        Hint(
            "The sigmoid loss?",
            "Differentiate $p=(1+e^{z})^{-1}$ by the chain rule. The result is a product of $p$ and $1-p$.",
        ),
    ),
    see="Equation (14.8): the four derivatives.",
)


def _against(weight, X, s):
    """The gradient in which every point has a weight."""
    return -X.T @ (weight * s), -np.sum(weight * s)


hinge_subgradient = Function(
    "hinge_subgradient",
    asks="A subgradient of the hinge loss",
    points=2,
    reference=sl.hinge_subgradient,
    returns=("for w", "for b"),
    cases=_lines,
    mistakes=[
        Mistake(
            "All points are in your sum. Those beyond the margin, z ≥ 1, have loss 0 and slope 0.",
            lambda w, b, X, s: _against(np.ones(len(s)), X, s),
        ),
        Mistake(
            "Only the misclassified points are in your sum: that is the perceptron. The hinge slopes wherever z < 1.",
            lambda w, b, X, s: _against(s * (X @ w + b) < 0, X, s),
        ),
        Mistake(
            "Your sum ends at z = 0: that is the perceptron. The hinge slopes wherever z < 1.",
            lambda w, b, X, s: _against(s * (X @ w + b) <= 0, X, s),
        ),
        Mistake(
            "The sign is reversed: each point adds −s x, for its loss is 1 − s(wᵀx + b).",
            lambda w, b, X, s: tuple(-part for part in _against(s * (X @ w + b) < 1, X, s)),
        ),
        Mistake(
            "A point exactly at z = 1 is counted: there the task takes the slope 0.",
            lambda w, b, X, s: _against(s * (X @ w + b) <= 1, X, s),
        ),
        Mistake(
            "The labels are missing in the sum: the derivative of −s wᵀx is −s x.",
            lambda w, b, X, s: (-X.T @ (s * (X @ w + b) < 1), -np.sum(s * (X @ w + b) < 1)),
        ),
        Mistake(
            "b is missing in the margin: z = s(wᵀx + b).",
            lambda w, b, X, s: _against(s * (X @ w) < 1, X, s),
        ),
        Mistake(
            "This is the mean over the points: the loss is a sum here.",
            lambda w, b, X, s: tuple(part / len(s) for part in _against(s * (X @ w + b) < 1, X, s)),
        ),
    ],
    alternatives=[
        Alternative(
            lambda w, b, X, s: (
                -np.sum((on := s * (X @ w + b) < 1)[:, None] * s[:, None] * X, axis=0),
                s[on].sum() * -1,
            )
        ),
        Alternative(
            lambda w, b, X, s: (
                sum((-si * x for x, si in zip(X, s, strict=True) if si * (x @ w + b) < 1), np.zeros(len(w))),
                -sum(si for x, si in zip(X, s, strict=True) if si * (x @ w + b) < 1),
            )
        ),
    ],
    hints=(
        Hint(
            "What does one point contribute?",
            "Where $z<1$ its loss is $1-s(w^\\top x+b)$. Differentiate by $w$ and by $b$.",
        ),
        Hint("How do I add up the right ones?", "A mask `z < 1` is 0 or 1: multiply the labels by it before the sum."),
    ),
    see="Equation (14.9): the chain rule with the pulls of (14.8).",
)

# --- a bounded loss ---


def _above_chord(value):
    z1, z2, t = value
    return sl.sigmoid_loss(t * z1 + (1 - t) * z2) - t * sl.sigmoid_loss(z1) - (1 - t) * sl.sigmoid_loss(z2)


_BELOW = (
    "At your point between the two, the curve is not above the chord by 0.05 or more. Where does the curve bend down?"
)

sigmoid_bump = Property(
    "sigmoid_bump",
    asks="The sigmoid loss is not convex",
    points=1,
    laws=[
        Law("Three numbers (z₁, z₂, t) are asked for.", lambda value: value.shape == (3,)),
        Law("t must lie between 0 and 1: only then is the point between z₁ and z₂.", lambda value: 0 < value[2] < 1),
        Law(_BELOW, lambda value: _above_chord(value) >= 0.05 - 1e-12),
    ],
    mistakes=[
        Mistake("t must lie between 0 and 1: only then is the point between z₁ and z₂.", (-4.0, 0.0, 1.5)),
        Mistake("Three numbers (z₁, z₂, t) are asked for.", (-4.0, 0.0)),
        Mistake(_BELOW, (0.0, 4.0, 0.5)),
        Mistake(_BELOW, (-3.0, 3.0, 0.5)),
    ],
    alternatives=[Alternative((-6.0, 0.0, 0.3)), Alternative([-10, 1, 0.25]), Alternative((0.5, -5.0, 0.6))],
    hints=(
        Hint("What does convex forbid?", "Between two points of a convex curve, the curve is never above their chord."),
        Hint(
            "Where do I look?", "The loss is nearly flat near 1 for very negative $z$, and then bends down towards 0."
        ),
    ),
    see="Convexity, notebook 09: φ(tz₁ + (1−t)z₂) ≤ tφ(z₁) + (1−t)φ(z₂) for all z₁, z₂ and 0 ≤ t ≤ 1.",
)

# --- the perceptron ---


def _margin(w, x, s):
    """z, and 0 where it is 0 but for rounding: 0.6 · 0.1 − 0.2 · 0.3 is 0 to whoever writes it down."""
    return s * (w @ x) if abs(w @ x) > 1e-14 * np.sum(np.abs(w * x)) else 0.0


def _printed_step(w, x, s):
    return w + s * x if _margin(w, x, s) < 0 else w


def _mended_step(w, x, s):
    """(14.10)."""
    return w + s * x if _margin(w, x, s) <= 0 else w


perceptron_test = Slip(
    "perceptron_test",
    asks="When the perceptron learns",
    points=2,
    printed=_printed_step,
    reference=_mended_step,
    cases=_steps,
    admits=lambda w, x, s: np.ndim(w) == 1 and np.shape(w) == np.shape(x) and np.ndim(s) == 0 and abs(s) == 1,
    domain="w and x of the same shape (d,) and a label s that is −1 or +1",
    forbids=(sl.perceptron_step, sl.perceptron_pass),
    mistakes=[
        Mistake("This is still the printed rule.", _printed_step),
        Mistake(
            "This moves w at every point, right or wrong: only mistakes teach the perceptron.",
            lambda w, x, s: w + s * x,
        ),
        Mistake(
            "This moves w as long as z < 1. The perceptron is content with the right side of the line.",
            lambda w, x, s: w + s * x if s * (w @ x) < 1 else w,
        ),
        Mistake("The test is mended, but w goes the wrong way.", lambda w, x, s: w - s * x if s * (w @ x) <= 0 else w),
        Mistake("The label is missing in the test.", lambda w, x, s: w + s * x if w @ x <= 0 else w),
        Mistake("The label is missing in the step.", lambda w, x, s: w + x if s * (w @ x) <= 0 else w),
        Mistake(SAME_THERE, ((1.0, 1.0), (1.0, 2.0), 1.0), part=1),
        Mistake(SAME_THERE, ((1.0, 1.0), (1.0, 2.0), -1.0), part=1),
    ],
    alternatives=[
        Alternative(lambda w, x, s: w if np.sign(w @ x) == s else w + s * x),
        Alternative(lambda w, x, s: w + s * x * (s * (w @ x) <= 0)),
        Alternative((np.zeros(3), [1.0, 2.0, 3.0], -1), part=1),
        Alternative(([1.0, -1.0], [2.0, 2.0], 1), part=1),
    ],
    hints=(
        Hint("Where would the printed rule fail?", "Carry it out by hand, from the start that it names."),
        Hint("What happens at w = 0?", "Every score is 0. Is one of the points classified rightly?"),
    ),
    see="Equation (14.10): a mistake is z ≤ 0, as in (14.2).",
)


def _run(w, X, s, wrong, step=1.0):
    mistakes = 0
    for x, label in zip(X, s, strict=True):
        if wrong(label * (w @ x)):
            w, mistakes = w + step * label * x, mistakes + 1
    return w, mistakes


perceptron_pass = Function(
    "perceptron_pass",
    asks="One pass of the perceptron",
    points=2,
    reference=sl.perceptron_pass,
    returns=("w", "mistakes"),
    cases=_passes,
    forbids=(sl.perceptron_step, sl.perceptron),
    mistakes=[
        Mistake(
            "z = 0 is a mistake, too. With the strict test a w of zeros never moves.",
            lambda w, X, s: _run(w, X, s, lambda z: z < 0),
        ),
        Mistake(
            "All points are tested with the first w. Each has to be tested with the w that the points before it left.",
            lambda w, X, s: (w + X.T @ np.where(s * (X @ w) <= 0, s, 0.0), np.sum(s * (X @ w) <= 0)),
        ),
        Mistake(
            "w goes the wrong way: add s x, so that this point's z grows by ‖x‖².",
            lambda w, X, s: _run(w, X, s, lambda z: z <= 0, step=-1.0),
        ),
        Mistake(
            "These are updates wherever z < 1, as for the hinge: the perceptron is content with z > 0.",
            lambda w, X, s: _run(w, X, s, lambda z: z < 1),
        ),
        Mistake(
            "mistakes: these are the points that the last w gets wrong. Count the steps that moved w.",
            lambda w, X, s: ((v := _run(w, X, s, lambda z: z <= 0)[0]), np.sum(s * (X @ v) <= 0)),
        ),
        Mistake(
            "The pass stops at the first mistake: go on with the new w, to the last row.",
            lambda w, X, s: _stop_early(w, X, s),
        ),
    ],
    alternatives=[
        Alternative(lambda w, X, s: _by_rows(w, X, s)),
        Alternative(lambda w, X, s: _by_gram(w, X, s)),
    ],
    hints=(
        Hint("What is the loop over?", "`for i in range(len(s)):`, in the order of the rows, with `X[i]` and `s[i]`."),
        Hint("My w seems to change outside, too.", "Write `w = w + label * x`. `w += ...` changes the caller's array."),
    ),
    see="Equation (14.10), once for each row.",
)


def _stop_early(w, X, s):
    for x, label in zip(X, s, strict=True):
        if label * (w @ x) <= 0:
            return w + label * x, 1
    return w, 0


def _by_rows(w, X, s):
    count = 0
    w = np.array(w, dtype=float)
    for i in range(len(s)):
        if np.sign(np.dot(w, X[i])) != s[i]:
            w += s[i] * X[i]
            count += 1
    return w, count


def _by_gram(w, X, s):
    """With a multiplier for each row, which counts its mistakes: w is only put together at the end."""
    alpha, start, G = np.zeros(len(s)), X @ w, X @ X.T
    for i in range(len(s)):
        alpha[i] += s[i] * (start[i] + G[i] @ (alpha * s)) <= 0
    return w + X.T @ (alpha * s), alpha.sum()


def _norms(X):
    return np.linalg.norm(X, axis=1)


mistake_bound = Function(
    "mistake_bound",
    asks="A bound on the number of mistakes",
    points=2,
    reference=sl.mistake_bound,
    cases=_separated,
    mistakes=[
        Mistake(
            "This is R/γ: from kγ ≤ √k R follows √k ≤ R/γ, so the bound is the square.",
            lambda X, s, u: _norms(X).max() * np.linalg.norm(u) / np.min(s * (X @ u)),
        ),
        Mistake(
            "u is not a unit vector here. The margin is a length: divide by ‖u‖.",
            lambda X, s, u: (_norms(X).max() / np.min(s * (X @ u))) ** 2,
        ),
        Mistake(
            "The labels are missing in γ: points of class −1 have uᵀx < 0.",
            lambda X, s, u: (_norms(X).max() * np.linalg.norm(u) / np.min(X @ u)) ** 2,
        ),
        Mistake(
            "γ is the mean margin here. Each mistake has to add at least γ, so it is the smallest.",
            lambda X, s, u: (_norms(X).max() * np.linalg.norm(u) / np.mean(s * (X @ u))) ** 2,
        ),
        Mistake(
            "R is the mean length here. No mistake may add more than R², so it is the largest.",
            lambda X, s, u: (_norms(X).mean() * np.linalg.norm(u) / np.min(s * (X @ u))) ** 2,
        ),
        Mistake(
            "This is R²/γ: γ is squared as well.",
            lambda X, s, u: _norms(X).max() ** 2 * np.linalg.norm(u) / np.min(s * (X @ u)),
        ),
    ],
    alternatives=[
        Alternative(lambda X, s, u: (_norms(X).max() / np.min(np.abs(X @ (u / np.linalg.norm(u))))) ** 2),
        Alternative(lambda X, s, u: np.max(np.sum(X**2, axis=1)) * (u @ u) / np.min(s * (X @ u)) ** 2),
    ],
    hints=(
        Hint(
            "Which two numbers do I need?",
            "The longest point, $R=\\max\\lVert x_i\\rVert$, and the smallest margin $\\gamma$.",
        ),
        Hint(
            "How do the two growths meet?",
            "With $\\lVert u\\rVert=1$ no projection is longer than the vector: "
            "$k\\gamma\\le u^\\top w\\le\\lVert w\\rVert\\le\\sqrt k\\,R$. Solve for $k$.",
        ),
        Hint("u is not of length 1. And now?", "Replace $u$ by $u/\\lVert u\\rVert$: the line stays the same."),
    ),
    see="Equations (14.11) and (14.12): kγ ≤ ‖w‖ ≤ √k R.",
)

# --- break it ---

_PATIENCE = 100
_QUICK = (
    "The perceptron is done before its 100th mistake. The margin has to be much smaller than the points are long; "
    "and two points of the same length are told apart quickly however close they are."
)
_INSEPARABLE = "No line through 0 separates these two points: one is a multiple of the other, on the same side of 0."
_LABELS = np.array([1.0, -1.0])


def _simplest(value):
    """The fraction that was meant: 0.9 is 9/10, and 1/3 is a third, though both are rounded."""
    short = Fraction(value).limit_denominator(10**6)
    return short if float(short) == value else Fraction(value)


def _exact(X):
    return [[_simplest(float(entry)) for entry in row] for row in X]


def _separable(X):
    """Can uᵀx₁ > 0 > uᵀx₂ be had? Unless x₂ is 0 or on the same ray as x₁, but for rounding, yes."""
    (a, b), (c, d) = _exact(X)
    return abs(a * d - b * c) > 1e-15 * (abs(a * d) + abs(b * c)) or a * c + b * d < 0


def _slow(X):
    """Are there so many mistakes, in exact arithmetic or in that of the machine? A tie is a mistake."""
    (a, b), (c, d) = _exact(X)
    rows, w, mistakes = ((a, b), (-c, -d)), (0, 0), 0
    while mistakes < _PATIENCE:
        before = mistakes
        for x in rows:
            if w[0] * x[0] + w[1] * x[1] <= 0:
                w, mistakes = (w[0] + x[0], w[1] + x[1]), mistakes + 1
        if mistakes == before:
            break
    rounded = itertools.islice(sl.perceptron(X, _LABELS), 1, _PATIENCE + 1)
    return mistakes >= _PATIENCE or sum(1 for _ in rounded) >= _PATIENCE


slow_pair = Property(
    "slow_pair",
    asks="Two points that cost a hundred mistakes",
    points=2,
    laws=[
        Law("X must have two rows and two columns.", lambda X: X.shape == (2, 2)),
        Law("Both points must lie in the unit disc, ‖x‖ ≤ 1.", lambda X: bool(np.all(_norms(X) <= 1 + 1e-12))),
        Law(_INSEPARABLE, _separable),
        Law(_QUICK, _slow),
    ],
    mistakes=[
        Mistake("X must have two rows and two columns.", [[1.0, 0.0, 0.0], [0.5, 0.01, 0.0]]),
        Mistake("Both points must lie in the unit disc, ‖x‖ ≤ 1.", [[10.0, 0.0], [5.0, 0.1]]),
        Mistake(_INSEPARABLE, [[1.0, 0.0], [0.5, 0.0]]),
        Mistake(_QUICK, [[1.0, 0.0], [np.cos(0.001), np.sin(0.001)]]),
        Mistake(_QUICK, [[1.0, 0.0], [-1.0, 0.0]]),
    ],
    alternatives=[
        Alternative([[1.0, 0.0], [0.5, 0.01]]),
        Alternative([[0.0, 1.0], [0.02, 0.5]]),
        Alternative([[0.5, 0.02], [1.0, 0.0]]),
    ],
    hints=(
        Hint(
            "What does the bound say?",
            "It must be at least 100, so the margin has to be at most $R/10$: nearly one direction.",
        ),
        Hint("Mine stops after two or three mistakes.", "Give the points different lengths, such as 1 and $\\frac12$."),
        Hint(
            "Why does that help?",
            "Each round adds the long point once and takes the short one away twice. What is left is a tiny step "
            "across, in the one direction that matters.",
        ),
    ),
    see="Equation (14.12): the smaller γ, the weaker the promise. The slider above shows two such points.",
)

bounded_loss = Explanation(
    "bounded_loss",
    asks="Is a bounded loss a good idea?",
    points=3,
    rubric=(
        "1 point: what speaks for it: the sigmoid loss is close to the zero-one loss and bounded by 1, so one wrong "
        "label cannot dominate the sum, as it does with e⁻ᶻ. 1 point: what speaks against it: it is not convex, so "
        "descent may stop in a local minimum and the start decides. 1 point: its pull p(1 − p) vanishes for gross "
        "mistakes (4.5e−5 at z = −10), so a bad start is hardly ever corrected, whereas hinge and logistic loss go on "
        "pulling."
    ),
)

topic = Topic(
    number=14,
    slug="surrogate_losses",
    title="Surrogate losses and the perceptron",
    question="What can we minimise when counting mistakes has no slope?",
    part="Classification",
    minutes=90,
    before={
        "convexity": "convex functions",
        "gradient_descent": "gradient descent",
        "logistic_regression": "the logistic loss",
    },
    exercises=[
        boundary_mistakes,
        four_losses,
        three_boundaries,
        soft_hinge_chain,
        largest_gap,
        loss_pulls,
        hinge_subgradient,
        sigmoid_bump,
        perceptron_test,
        perceptron_pass,
        mistake_bound,
        slow_pair,
        bounded_loss,
    ],
)
check = Checks(topic)
