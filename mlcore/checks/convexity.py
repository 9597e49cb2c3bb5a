"""The exercises of 09 convexity."""

import decimal
import itertools
from decimal import Decimal

import numpy as np

from mlcore import convexity
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
)

_sigmoid = convexity.sigmoid


# --- a chord below the curve: any real one is right, however short ---

_DIGITS = 250  # so that the square of 1e-100 counts beside 1


def _gap(f, u, v, theta):
    """The chord minus the curve, in so many digits that rounding cannot feign its sign: −1, 0 or 1."""
    with decimal.localcontext(decimal.Context(prec=_DIGITS, traps=[])):
        gap = convexity.chord_gap(f, *(np.vectorize(Decimal, otypes=[object])(x)[()] for x in (u, v, theta)))
        return 0 if abs(gap) < Decimal(10) ** (20 - _DIGITS) else int(gap.compare(0))


def _well(x):
    return (x**2 - 1) ** 2


def _exact_sigmoid(x):
    return 1 / (1 + (-x).exp())


def _square_after_sigmoid(x):
    return (_exact_sigmoid(x) - 1) ** 2


_ROWS = "Two rows of three numbers are asked for: (u, v, θ) for (x² − 1)², then (u, v, θ) for (σ(x) − 1)²."
_STRICTLY = (
    "θ must lie strictly between 0 and 1: at 0 and at 1 the chord meets the curve, and beyond them it is no longer the "
    "chord."
)
_ONE_POINT = "u and v are the same point, and a chord needs two."
_WELL_ABOVE = (
    "The first triple: the chord of (x² − 1)² is not below the curve there. The curve has two wells and a hump between "
    "them: which chord has to pass under the hump?"
)
_SIGMOID_ABOVE = (
    "The second triple: the chord of (σ(x) − 1)² is not below the curve there. Far to the left the curve is flat near "
    "1 and then bends down: put both ends where it still bends down."
)
_FLAT = f"There the chord and the curve agree to {_DIGITS - 20} digits: choose u and v where they part."


violating_triples = Property(
    "violating_triples",
    asks="Two chords that pass below their curves",
    points=2,
    laws=[
        Law(_ROWS, lambda T: T.shape == (2, 3)),
        Law(_STRICTLY, lambda T: bool(np.all((T[:, 2] > 0) & (T[:, 2] < 1)))),
        Law(_ONE_POINT, lambda T: bool(np.all(T[:, 0] != T[:, 1]))),
        Law(_WELL_ABOVE, lambda T: _gap(_well, *T[0]) < 0),
        Law(_SIGMOID_ABOVE, lambda T: _gap(_square_after_sigmoid, *T[1]) <= 0),
        Law(_FLAT, lambda T: _gap(_square_after_sigmoid, *T[1]) < 0),
    ],
    mistakes=[
        Mistake(_ROWS, [-1, 1, 0.5]),
        Mistake(_STRICTLY, [[-1, 1, 2.0], [-4, -1, 0.5]]),
        Mistake(_STRICTLY, [[-1, 1, 0.5], [-4, -1, 1]]),
        Mistake(_ONE_POINT, [[0, 0, 0.5], [-4, -1, 0.5]]),
        Mistake(_WELL_ABOVE, [[-2, 2, 0.5], [-4, -1, 0.5]]),
        Mistake(_WELL_ABOVE, [[1, 2, 0.5], [-4, -1, 0.5]]),
        Mistake(_SIGMOID_ABOVE, [[-1, 1, 0.5], [-1, 1, 0.5]]),
        Mistake(_SIGMOID_ABOVE, [[-1, 1, 0.5], [0, 4, 0.5]]),
        Mistake(_FLAT, [[-1, 1, 0.5], [-9000, -8000, 0.5]]),
    ],
    alternatives=[
        Alternative([[0.5, -0.5, 0.25], [-2, -1, 0.5]]),
        Alternative(np.array([[-1.2, 0.9, 0.6], [0, -6, 0.4]])),
        Alternative([[-0.01, 0.01, 0.5], [-3, -2.9, 0.5]]),
        Alternative([[-1e-9, 1e-9, 0.5], [-60, -50, 0.999]]),
    ],
    hints=(
        Hint("Where do I look?", "Plot the curve and lay a ruler on it. The chord must pass *below* the curve."),
        Hint(
            "How do I compute it?",
            "`convexity.chord_gap(f, u, v, theta)` is the chord minus the curve. You need a negative one.",
        ),
        Hint(
            "I cannot find one for the second.",
            r"For $x\to-\infty$ the curve tends to 1 from below. Between $-4$ and $-1$ it bends like a hilltop.",
        ),
    ),
    see="The figure of the chord: the curve is above it where the function bends downwards.",
)


def _bent(rng):
    """Functions that are not convex, each with an interval on which it shows, and of which it is not the middle."""
    a, b = rng.uniform(-1, 1), rng.uniform(0.8, 1.3)
    return [
        (lambda x: _well((x - a) / b), a - 3 * b, a + 2.7 * b),
        (lambda x: (_sigmoid((x - a) / b) - 1) ** 2, a - 4 * b, a + 8 * b),
        (lambda x: np.minimum(np.abs(x - a), 0.5 + np.abs(x - a - 2)) + 0.05 * (x - a) ** 2, a - 3.0, a + 5.0),
        (lambda x: (x - a) ** 2 + 2 * np.cos(4 * (x - a) + 1), a - 4.0, a + 4.0),
    ]


def _triples(f, low, high, count=13):
    """Every chord between points of a grid, with its gap at the middle."""
    x = np.linspace(low, high, count)
    u, v = (ends.ravel() for ends in np.meshgrid(x, x))
    return u, v, convexity.chord_gap(f, u, v, 0.5)


def _extreme(f, low, high, pick):
    u, v, gap = _triples(f, low, high)
    return u[pick(gap)], v[pick(gap)], 0.5


def _one_segment(f, low, high):
    """Many θ, but one pair of ends."""
    theta = np.linspace(0, 1, 103)[1:-1]
    return low, high, theta[np.argmin(convexity.chord_gap(f, low, high, theta))]


def _random_search(f, low, high):
    rng = np.random.default_rng(7)
    u, v, theta = rng.uniform(low, high, 1000), rng.uniform(low, high, 1000), rng.uniform(0.05, 0.95, 1000)
    worst = np.argmin(convexity.chord_gap(f, u, v, theta))
    return u[worst], v[worst], theta[worst]


def _by_curvature(f, low, high):
    """Where the second difference is most negative, a short chord."""
    h = (high - low) / 200
    x = np.linspace(low + h, high - h, 197)
    at = x[np.argmin(f(x + h) - 2 * f(x) + f(x - h))]
    return at - h, at + h, 0.5


def _below(f, u, v, theta):
    """How far the chord is below f, counted in what rounding could feign: above 1 it is real."""
    return -convexity.chord_gap(f, u, v, theta) / (1e-12 * (1 + abs(f(u)) + abs(f(v))))


def _in(low, high, x):
    """Is x in the interval? `high - n*h` may pass `low` by the last digit."""
    return low - 1e-9 * (high - low) <= x <= high + 1e-9 * (high - low)


def _short_chord(f, low, high):
    """The right place, and a chord of which rounding leaves nothing."""
    u, v, theta = _by_curvature(f, low, high)
    return (u + v) / 2 - 1e-9, (u + v) / 2 + 1e-9, theta


_TRIPLE = "Three numbers (u, v, θ) are asked for."
_INSIDE = "u and v must be two different points of the interval [low, high]."
_TOO_SHORT = (
    "For at least one f the chord is below the curve by no more than rounding can feign, 10⁻¹²(1 + |f(u)| + |f(v)|): "
    "of all chords return the one with the most negative gap."
)
_NOT_BELOW = (
    "For at least one f the chord that you return is not below the curve. One pair of ends proves nothing: try many "
    "pairs, and return the triple whose gap is the most negative."
)

find_violation = Property(
    "find_violation",
    asks="A search for a chord below the curve",
    points=2,
    cases=_bent,
    laws=[
        Law(_TRIPLE, lambda f, low, high, T: T.shape == (3,)),
        Law(_STRICTLY, lambda f, low, high, T: 0 < T[2] < 1),
        Law(_INSIDE, lambda f, low, high, T: _in(low, high, T[0]) and _in(low, high, T[1]) and T[0] != T[1]),
        Law(_NOT_BELOW, lambda f, low, high, T: _below(f, *T) > -1),
        Law(_TOO_SHORT, lambda f, low, high, T: _below(f, *T) > 1),
    ],
    mistakes=[
        Mistake(_TRIPLE, lambda f, low, high: _extreme(f, low, high, np.argmin)[:2]),
        Mistake(_TRIPLE, lambda f, low, high: 0.0),
        Mistake(_STRICTLY, lambda f, low, high: (low, high, 0.0)),
        Mistake(_INSIDE, lambda f, low, high: _extreme(f, low - 9, high + 9, np.argmax)),
        Mistake(_NOT_BELOW, lambda f, low, high: (low, high, 0.5)),
        Mistake(_NOT_BELOW, _one_segment),
        Mistake(_NOT_BELOW, lambda f, low, high: _extreme(f, low, high, np.argmax)),
        Mistake(_TOO_SHORT, _short_chord),
    ],
    alternatives=[
        Alternative(lambda f, low, high: _extreme(f, low, high, np.argmin)),
        Alternative(_random_search),
        Alternative(_by_curvature),
    ],
    hints=(
        Hint(
            "Which triples do I try?",
            "All pairs from a grid of the interval, say 20 points, and θ = ½ for each. "
            "Keep the pair with the smallest gap.",
        ),
        Hint(
            "Is θ = ½ enough?",
            "For a continuous function it is: wherever some chord passes below the curve, a shorter one does so at its "
            "middle.",
        ),
        Hint(
            "How do I try all pairs at once?",
            "`u, v = np.meshgrid(x, x)`, flattened with `.ravel()`. `f` accepts arrays, and `np.argmin` finds the "
            "worst.",
        ),
    ),
    see="Equation (9.1): it has to hold for every pair of points, so one bad pair, once found, is enough.",
)


# --- least squares: the gap between chord and curve ---


def _designs(rng):
    """Two points of the weight space, neither above the other, θ, and data: small, tall, wide."""
    small = rng.integers(1, 4, size=(2, 2)) * rng.choice([-1.0, 1.0], size=(2, 2))
    others = [rng.normal(size=shape) + 0.5 for shape in ((6, 3), (3, 5))]
    return [_design(rng, X) for X in (small, *others)]


def _design(rng, X):
    side = np.array([-1, 1, 1, 1, 1])[: X.shape[1]]
    while True:
        u, v = side * rng.uniform(0.2, 2, size=len(side)), side * rng.uniform(-2, -0.2, size=len(side))
        y = rng.normal(size=len(X)) + 2
        if _askew(X @ u - y, X @ v - y):
            return u, v, rng.choice([0.2, 0.3, 0.4, 0.7, 0.8]), X, y


def _askew(r, s):
    """Are two residuals far from a right angle, so that the term with rᵀs shows?"""
    return abs(r @ s) > 0.1 * np.linalg.norm(r) * np.linalg.norm(s)


def _line_1(u, v, theta, X, y):
    w = (1 - theta) * u + theta * v
    return (1 - theta) * (X @ u - y) @ (X @ u - y) + theta * (X @ v - y) @ (X @ v - y) - (X @ w - y) @ (X @ w - y)


def _line_2(u, v, theta, X, y):
    return (1 - theta) * (X @ u - y), theta * (X @ v - y)


def _line_3(u, v, theta, X, y):
    return (
        (1 - theta) ** 2 * (X @ u - y) @ (X @ u - y),
        2 * theta * (1 - theta) * (X @ u - y) @ (X @ v - y),
        theta**2 * (X @ v - y) @ (X @ v - y),
    )


def _line_4(u, v, theta, X, y):
    return 1 - theta - (1 - theta) ** 2, -2 * theta * (1 - theta), theta - theta**2


def _line_5(u, v, theta, X, y):
    return theta * (1 - theta), X @ u - X @ v, 0.0


def _collected(before, u, v, theta, X, y):
    """Line 4 from the three terms of the square."""
    first, second, third = before
    r, s = X @ u - y, X @ v - y
    return 1 - theta - first / (r @ r), -second / (r @ s), theta - third / (s @ s)


def _completed(before, u, v, theta, X, y):
    """Line 5 from the three coefficients: α‖r + (β/2α)s‖² + (γ − β²/4α)‖s‖²."""
    alpha, beta, gamma = before
    r, s = X @ u - y, X @ v - y
    return alpha, r + beta / (2 * alpha) * s, gamma - beta**2 / (4 * alpha)


def _in_residuals(formula):
    """A line that is written with r = Xu − y and s = Xv − y."""
    return lambda u, v, theta, X, y: formula(X @ u - y, X @ v - y, theta)


squares_gap = Chain(
    "squares_gap",
    asks="How far the chord is above the squared error",
    first=_line_1,
    lines=[
        Line(
            does="write the residual at w, Xw − y, as a sum a + b: a is a multiple of the residual r = Xu − y, and b "
            "one of s = Xv − y",
            parts=("a", "b"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The weights are exchanged: w is (1−θ)u + θv.",
                    _in_residuals(lambda r, s, a: (a * r, (1 - a) * s)),
                ),
                Mistake(
                    "b has lost its weight: a + b must be Xw − y, and w is (1−θ)u + θv.",
                    _in_residuals(lambda r, s, a: ((1 - a) * r, s)),
                ),
                Mistake(
                    "All of y is in b, so neither is a multiple of a residual: y = (1−θ)y + θy.",
                    lambda u, v, theta, X, y: ((1 - theta) * X @ u, theta * X @ v - y),
                ),
                Mistake(
                    "y is subtracted twice, once in a and once in b: y = (1−θ)y + θy.",
                    lambda u, v, theta, X, y: ((1 - theta) * X @ u - y, theta * X @ v - y),
                ),
                Mistake(
                    "Both weights are lost: a + b must be Xw − y, and w is (1−θ)u + θv.",
                    _in_residuals(lambda r, s, a: (r, s)),
                ),
                Mistake(
                    "a has lost its weight: a + b must be Xw − y, and w is (1−θ)u + θv.",
                    _in_residuals(lambda r, s, a: (r, a * s)),
                ),
                Mistake("Both weights are ½ here: w is (1−θ)u + θv.", _in_residuals(lambda r, s, a: (r / 2, s / 2))),
                Mistake(
                    "a and b have changed places: a is the multiple of r.",
                    _in_residuals(lambda r, s, a: (a * s, (1 - a) * r)),
                ),
            ],
        ),
        Line(
            does="multiply out ‖a + b‖², the last of the three terms of line 1",
            parts=("first", "second", "third"),
            reference=_line_3,
            follows=lambda before, u, v, theta, X, y: (
                before[0] @ before[0],
                2 * before[0] @ before[1],
                before[1] @ before[1],
            ),
            mistakes=[
                Mistake(
                    "The middle term comes twice: ‖a + b‖² = ‖a‖² + 2aᵀb + ‖b‖².",
                    but(_line_3, 1, _in_residuals(lambda r, s, a: a * (1 - a) * r @ s)),
                ),
                Mistake(
                    "The middle term has a plus: ‖a + b‖² = ‖a‖² + 2aᵀb + ‖b‖².",
                    but(_line_3, 1, _in_residuals(lambda r, s, a: -2 * a * (1 - a) * r @ s)),
                ),
                Mistake(
                    "In the first term the weight is squared wrongly: (1−θ)² is not 1 − θ².",
                    but(_line_3, 0, _in_residuals(lambda r, s, a: (1 - a**2) * r @ r)),
                ),
                Mistake(
                    "The middle term has lost the weight of a: it is 2aᵀb, and both have one.",
                    but(_line_3, 1, _in_residuals(lambda r, s, a: 2 * a * r @ s)),
                ),
                Mistake(
                    "The middle term is missing: ‖a + b‖² = ‖a‖² + 2aᵀb + ‖b‖².",
                    but(_line_3, 1, _in_residuals(lambda r, s, a: 0.0)),
                ),
                Mistake(
                    "The middle term has lost both weights: it is 2aᵀb.",
                    but(_line_3, 1, _in_residuals(lambda r, s, a: 2 * r @ s)),
                ),
                Mistake(
                    "The weights are not squared: ‖a‖² has the square of what stands before r.",
                    _in_residuals(lambda r, s, a: ((1 - a) * r @ r, 2 * a * (1 - a) * r @ s, a * s @ s)),
                ),
                Mistake(
                    "‖a‖ and ‖b‖ are not squared.",
                    _in_residuals(
                        lambda r, s, a: ((1 - a) * np.linalg.norm(r), 2 * a * (1 - a) * r @ s, a * np.linalg.norm(s))
                    ),
                ),
                Mistake(
                    "The middle term comes second.",
                    _in_residuals(lambda r, s, a: ((1 - a) ** 2 * r @ r, a**2 * s @ s, 2 * a * (1 - a) * r @ s)),
                ),
            ],
        ),
        Line(
            does="put line 3 into line 1 and collect: α‖r‖² + β rᵀs + γ‖s‖²",
            parts=("α", "β", "γ"),
            reference=_line_4,
            follows=_collected,
            mistakes=[
                Mistake(
                    "The square is added: in line 1 it is subtracted from the chord.",
                    lambda u, v, theta, X, y: (1 - theta + (1 - theta) ** 2, 2 * theta * (1 - theta), theta + theta**2),
                ),
                Mistake(
                    "The minus reaches only the first term of the square: it belongs to all three.",
                    lambda u, v, theta, X, y: (theta * (1 - theta), 2 * theta * (1 - theta), theta + theta**2),
                ),
                Mistake(
                    "This is minus the square alone: the chord's own ‖r‖² and ‖s‖² belong to the gap too.",
                    lambda u, v, theta, X, y: (-((1 - theta) ** 2), -2 * theta * (1 - theta), -(theta**2)),
                ),
                Mistake(
                    "This is the curve minus the chord: the chord comes first.",
                    lambda u, v, theta, X, y: (-theta * (1 - theta), 2 * theta * (1 - theta), -theta * (1 - theta)),
                ),
                Mistake(
                    "These are the three terms: asked for are the numbers before ‖r‖², rᵀs and ‖s‖².",
                    _in_residuals(lambda r, s, a: (a * (1 - a) * r @ r, -2 * a * (1 - a) * r @ s, a * (1 - a) * s @ s)),
                ),
                Mistake(
                    "This is the chord alone: the square of line 3 is subtracted from it.",
                    lambda u, v, theta, X, y: (1 - theta, 0.0, theta),
                ),
            ],
        ),
        Line(
            does="complete the square: front·‖d‖² + rest·‖s‖², where d is r plus a multiple of s",
            parts=("front", "d", "rest"),
            reference=_line_5,
            follows=_completed,
            mistakes=[
                Mistake(
                    "r and s are added in d: look at the sign of β.",
                    but(_line_5, 1, _in_residuals(lambda r, s, a: r + s)),
                ),
                Mistake(
                    "d has twice the multiple of s: the square of d brings a 2 of its own.",
                    but(_line_5, 1, _in_residuals(lambda r, s, a: r - 2 * s)),
                ),
                Mistake(
                    "A factor is missing in front: there stands all of α.",
                    but(_line_5, 0, lambda u, v, theta, X, y: theta),
                ),
                Mistake(
                    "The rest is all of γ: front·‖d‖² holds a ‖s‖² already, so this counts it twice.",
                    but(_line_5, 2, lambda u, v, theta, X, y: theta * (1 - theta)),
                ),
                Mistake(
                    "The front went into d: d is r plus a multiple of s.",
                    _in_residuals(lambda r, s, a: (1.0, np.sqrt(a * (1 - a)) * (r - s), 0.0)),
                ),
                Mistake(
                    "d is r alone: the square of such a d has no term with rᵀs.",
                    but(_line_5, 1, _in_residuals(lambda r, s, a: r)),
                ),
                Mistake(
                    "α is left out of the multiple of s: the term with rᵀs in α‖r + κs‖² is 2ακ rᵀs.",
                    but(_line_5, 1, _in_residuals(lambda r, s, a: r - a * (1 - a) * s)),
                ),
                Mistake(
                    "What front·‖d‖² holds of ‖s‖² is added to γ: it has to be subtracted.",
                    but(_line_5, 2, _in_residuals(lambda r, s, a: 2 * a * (1 - a))),
                ),
                Mistake(
                    "β²/4 is taken from γ as it is: front·‖d‖² holds ακ²‖s‖² with κ = β/(2α).",
                    but(_line_5, 2, _in_residuals(lambda r, s, a: a * (1 - a) - (a * (1 - a)) ** 2)),
                ),
            ],
        ),
    ],
    cases=_designs,
    forbids=(convexity.squares_gap, convexity.chord_gap),
    alternatives=[
        Alternative(lambda u, v, theta, X, y: (X @ u - y - theta * (X @ u - y), theta * (X @ v) - theta * y)),
        Alternative(
            _in_residuals(
                lambda r, s, a: (
                    np.sum(((1 - a) * r) ** 2),
                    np.sum(((1 - a) * r + a * s) ** 2) - np.sum(((1 - a) * r) ** 2) - np.sum((a * s) ** 2),
                    np.linalg.norm(a * s) ** 2,
                )
            ),
            part=1,
        ),
        Alternative(
            lambda u, v, theta, X, y: (
                (1 - theta) * (1 - (1 - theta)),
                2 * theta * (theta - 1),
                theta * (1 - theta),
            ),
            part=2,
        ),
        Alternative(lambda u, v, theta, X, y: (theta - theta**2, X @ (u - v), 0), part=3),
        Alternative(  # from u to v on a straight line the gap is that of a parabola
            lambda u, v, theta, X, y: (
                0.25 - (theta - 0.5) ** 2,
                X @ u - y - (X @ v - y),
                theta * (1 - theta) - (2 * theta * (1 - theta)) ** 2 / (4 * theta * (1 - theta)),
            ),
            part=3,
        ),
    ],
    hints=(
        Hint(
            "How do I bring y into both?",
            r"$Xw=(1-\theta)Xu+\theta Xv$ has two terms, $y$ is one: write it as $y=(1-\theta)y+\theta y$, and sort.",
        ),
        Hint("How do I multiply out the square?", r"$\lVert a+b\rVert^2=\lVert a\rVert^2+2a^\top b+\lVert b\rVert^2$."),
        Hint(
            "Where else does ‖r‖² stand?",
            r"In the chord, with the weight $1-\theta$. From it the square takes away what line 3 says.",
        ),
        Hint(
            "How do I complete the square?",
            r"$\alpha\lVert r+\kappa s\rVert^2=\alpha\lVert r\rVert^2+2\alpha\kappa\,r^\top s+\alpha\kappa^2"
            r"\lVert s\rVert^2$. Choose $\kappa$ so that the middle term is right, and see what is left of $\gamma$. "
            r"Take $1-\theta$ out of $(1-\theta)-(1-\theta)^2$ first.",
        ),
    ),
    see="Equation (9.3): line 5, with r − s = X(u − v).",
)


# --- curvature ---


def _places(rng):
    return [(rng.normal(size=size) * 1.5 + 0.5,) for size in (2, 5, 7)]


softplus_curvature = Function(
    "softplus_curvature",
    asks="The curvature of log(1 + eᵗ)",
    points=1,
    reference=convexity.softplus_curvature,
    cases=_places,
    mistakes=[
        Mistake("This is σ(t), the first derivative: differentiate once more.", _sigmoid),
        Mistake(
            "1 − σ² belongs to tanh, whose derivative is 1 − tanh². For σ it is something else.",
            lambda t: 1 - _sigmoid(t) ** 2,
        ),
        Mistake(
            "This is σ², and the inner derivative, a factor e⁻ᵗ, is missing: differentiate 1/(1 + e⁻ᵗ) by the "
            "chain rule.",
            lambda t: _sigmoid(t) ** 2,
        ),
        Mistake(
            "This is the third derivative, σ(1 − σ)(1 − 2σ): it changes its sign at 0, the second does not.",
            lambda t: _sigmoid(t) * (1 - _sigmoid(t)) * (1 - 2 * _sigmoid(t)),
        ),
        Mistake(
            "This is 1 − σ(t): σ′ has one more factor.",
            lambda t: 1 - _sigmoid(t),
        ),
    ],
    alternatives=[
        Alternative(lambda t: np.exp(t) / (1 + np.exp(t)) ** 2),
        Alternative(lambda t: 0.25 / np.cosh(t / 2) ** 2),
        Alternative(lambda t: _sigmoid(t) * _sigmoid(-t)),
    ],
    hints=(
        Hint("What is the first derivative?", r"$e^t/(1+e^t)=1/(1+e^{-t})=\sigma(t)$."),
        Hint(
            "And its derivative?",
            r"The quotient rule gives $e^{-t}/(1+e^{-t})^2$. Write it with $\sigma$ and $1-\sigma=e^{-t}/(1+e^{-t})$.",
        ),
    ),
    see="Equation (9.4): differentiate σ(t) = 1/(1 + e⁻ᵗ).",
)


def _bell(factor, r=1.0):
    return lambda t: (factor(t) * np.exp(-(t**2) / 2), r)


bell_curvature = Function(
    "bell_curvature",
    asks="The curvature of the bell curve",
    points=2,
    reference=convexity.bell_curvature,
    returns=("curvature", "r"),
    cases=_places,
    mistakes=[
        Mistake(
            "The sign of f″ is reversed: at t = 0 the bell has its top, so f″(0) must be negative.",
            _bell(lambda t: 1 - t**2),
        ),
        Mistake(
            "The term with t² is missing: f′ = −t·f is a product, and f has a derivative too.",
            _bell(lambda t: -np.ones_like(t)),
        ),
        Mistake("The term −1 is missing: f′ = −t·f is a product, and −t has a derivative too.", _bell(lambda t: t**2)),
        Mistake("This is the second derivative of log f. Differentiate f itself.", lambda t: (-np.ones_like(t), 1.0)),
        Mistake(
            "r is where f has fallen to one half. The bell stops being concave where f″ changes its sign.",
            _bell(lambda t: t**2 - 1, np.sqrt(2 * np.log(2))),
        ),
        Mistake("2 is the length of the interval −r ≤ t ≤ r: r is half of it.", _bell(lambda t: t**2 - 1, 2.0)),
        Mistake("r = √2 does not solve t² − 1 = 0.", _bell(lambda t: t**2 - 1, np.sqrt(2))),
    ],
    alternatives=[
        Alternative(lambda t: (t**2 * np.exp(-(t**2) / 2) - np.exp(-(t**2) / 2), 1)),
        Alternative(lambda t: (np.exp(-0.5 * t * t) * (t - 1) * (t + 1), 1.0)),
    ],
    hints=(
        Hint("Where do I start?", r"The chain rule gives $f'(t)=-t\,e^{-t^2/2}$. This is a product of two factors."),
        Hint(
            "How do I find r?",
            r"A curve is concave where $f''\le0$. The exponential is positive: only its factor counts.",
        ),
    ),
    see="Equation (9.5): the product rule on f′(t) = −t·f(t).",
)


def _scores(rng):
    return [(rng.normal(size=K) * 1.5,) for K in (3, 4, 6)]


def _shares(z):
    return np.exp(z) / np.sum(np.exp(z))


softmax_curvature = Function(
    "softmax_curvature",
    asks="The Hessian of log-sum-exp",
    points=2,
    reference=convexity.log_sum_exp_hessian,
    cases=_scores,
    mistakes=[
        Mistake(
            "The diagonal is right, but p₁ also changes when z₂ does: the other entries are −pⱼpₖ, not 0.",
            lambda z: np.diag(_shares(z) * (1 - _shares(z))),
        ),
        Mistake(
            "diag(p) forgets that the sum in the denominator depends on z too: −ppᵀ is missing.",
            lambda z: np.diag(_shares(z)),
        ),
        Mistake(
            "The sign of ppᵀ is reversed: with a plus, the rows do not add up to 0.",
            lambda z: np.diag(_shares(z)) + np.outer(_shares(z), _shares(z)),
        ),
        Mistake(
            "`np.diag(p) - p**2`, or `p * p`, subtracts a vector from every row: ppᵀ is `np.outer(p, p)`.",
            lambda z: np.diag(_shares(z)) - _shares(z) ** 2,
        ),
        Mistake("This is the gradient p. The Hessian is its derivative: shape (K, K).", _shares),
        Mistake(
            "exp(z) stands in the place of p: divide by the sum first.",
            lambda z: np.diag(np.exp(z)) - np.outer(np.exp(z), np.exp(z)),
        ),
    ],
    alternatives=[
        Alternative(lambda z: _shares(z)[:, None] * (np.eye(len(z)) - _shares(z))),
        Alternative(  # the covariance of the unit vectors, drawn with probabilities p
            lambda z: (np.eye(len(z)) - _shares(z)).T @ np.diag(_shares(z)) @ (np.eye(len(z)) - _shares(z))
        ),
    ],
    hints=(
        Hint("What is the gradient?", r"$\partial f/\partial z_k=e^{z_k}/\sum_je^{z_j}=p_k$."),
        Hint(
            "How does p change with z?",
            r"By the quotient rule $\partial p_k/\partial z_k=p_k-p_k^2$, and for $j\neq k$ "
            r"$\partial p_k/\partial z_j=-p_kp_j$.",
        ),
    ),
    see="Equation (9.6): differentiate p, the gradient, by the quotient rule.",
)


# --- strong convexity ---


def _penalised(rng):
    """Small, tall, wide: with one eigenvalue 0 and not two, which `eigvals` would make a complex pair."""
    small = rng.integers(1, 5, size=(3, 2)) * rng.choice([-1.0, 1.0], size=(3, 2)) + np.array(
        [[0.5, 0], [0, 0], [0, 0]]
    )
    others = [rng.normal(size=shape) * rng.uniform(0.7, 2, size=shape[1]) for shape in ((12, 3), (4, 5))]
    return [(X, rng.uniform(0.5, 3)) for X in (small, *others)]


def _eigenvalues(X):
    return np.linalg.eigvalsh(X.T @ X)


strong_constant = Function(
    "strong_constant",
    asks="The constant of strong convexity",
    points=2,
    reference=convexity.strong_constant,
    cases=_penalised,
    mistakes=[
        Mistake(
            "Both factors 2 are missing: the Hessian of ‖Xw − y‖² is 2XᵀX, and that of λ‖w‖² is 2λI.",
            lambda X, lam: _eigenvalues(X)[0] + lam,
        ),
        Mistake(
            "The penalty has lost its 2: the Hessian of λ‖w‖² is 2λI.", lambda X, lam: 2 * _eigenvalues(X)[0] + lam
        ),
        Mistake(
            "This is the largest curvature. A lower bound has to hold in the direction of the smallest.",
            lambda X, lam: 2 * _eigenvalues(X)[-1] + 2 * lam,
        ),
        Mistake(
            "A singular value of X was taken: the eigenvalues of XᵀX are their squares.",
            lambda X, lam: 2 * np.linalg.svd(X, compute_uv=False)[-1] + 2 * lam,
        ),
        Mistake(
            "This is the average curvature, the trace divided by d. The flattest direction has less.",
            lambda X, lam: 2 * np.mean(_eigenvalues(X)) + 2 * lam,
        ),
        Mistake(
            "XXᵀ is (n, n). The curvature belongs to w, so the matrix is XᵀX, of shape (d, d).",
            lambda X, lam: 2 * np.linalg.eigvalsh(X @ X.T)[0] + 2 * lam,
        ),
    ],
    alternatives=[
        Alternative(lambda X, lam: np.linalg.eigvalsh(2 * X.T @ X + 2 * lam * np.eye(X.shape[1])).min()),
        Alternative(lambda X, lam: 2 * np.linalg.svd(np.vstack([X, np.sqrt(lam) * np.eye(X.shape[1])]))[1][-1] ** 2),
    ],
    hints=(
        Hint("Which matrix do I need?", r"The Hessian of $\lVert Xw-y\rVert^2+\lambda\lVert w\rVert^2$."),
        Hint(
            "What has m to do with it?",
            r"$\nabla^2f\succeq mI$ says that $\nabla^2f-mI$ has no negative eigenvalue. How large may $m$ be?",
        ),
        Hint("How do I compute it?", "`np.linalg.eigvalsh(A)` gives the eigenvalues of a symmetric A, smallest first."),
    ),
    see="Equation (9.8): the smallest eigenvalue of the Hessian 2XᵀX + 2λI.",
)


# --- two neurons ---

_PAIR = "Two rows of two numbers are asked for: w and w′, each with one weight for each neuron."
_EQUAL_ROWS = "The two rows are the same network: w and w′ must differ."
_NOT_WORSE = (
    "The midpoint is not worse than the average of the two. Take a network that fits well, with two different "
    "neurons: which other network gives the same outputs, and what is halfway between them?"
)


def _outputs(w):
    return [sum(_exact_sigmoid(x - Decimal(weight)) for weight in w) for x in range(-4, 5)]


def _network(w):
    """`network_loss` on `network_data`, in many digits."""
    return sum((a - b) ** 2 for a, b in zip(_outputs(w), _outputs((-2, 2)), strict=True))


network_swap = Property(
    "network_swap",
    asks="Two networks whose mean is worse",
    points=1,
    laws=[
        Law(_PAIR, lambda W: W.shape == (2, 2)),
        Law(_EQUAL_ROWS, lambda W: bool(np.any(W[0] != W[1]))),
        Law(_NOT_WORSE, lambda W: _gap(_network, W[0], W[1], 0.5) <= 0),
        Law(_FLAT, lambda W: _gap(_network, W[0], W[1], 0.5) < 0),
    ],
    mistakes=[
        Mistake(_PAIR, [-2.0, 2.0]),
        Mistake(_PAIR, [[-2.0, 2.0, 0.5], [2.0, -2.0, 0.5]]),
        Mistake(_EQUAL_ROWS, [[-2.0, 2.0], [-2.0, 2.0]]),
        Mistake(_NOT_WORSE, [[-2.0, 2.0], [-1.0, 1.0]]),
        Mistake(_NOT_WORSE, [[-2.0, 2.0], [2.0, 2.0]]),
        Mistake(_NOT_WORSE, [[0.0, 0.0], [1.0, 1.0]]),
    ],
    alternatives=[
        Alternative([[2, -2], [-2, 2]]),
        Alternative([[-1.5, 2.5], [2.5, -1.5]]),
        Alternative(np.array([[6.0, 6.0], [9.0, 9.0]])),
        Alternative([[-1e-7, 1e-7], [1e-7, -1e-7]]),
    ],
    hints=(
        Hint("Which networks fit best?", "The data were made with w = (−2, 2), so its loss is 0."),
        Hint(
            "Is there another one with loss 0?",
            "The two neurons are added: exchange them, and the output is the same.",
        ),
    ),
    see="The section *Break it*: exchanging the neurons gives a second minimum, and the way to it leads uphill.",
)


# --- minima on a set ---


def _intervals(rng):
    """c below, inside and above an interval; left of 0, around it and right of it."""
    cases = []
    for place, start in itertools.product((-0.7, 0.3, 1.6), (-9, -1, 2)):
        low, width = start + rng.uniform(-0.5, 0.5), rng.uniform(2, 4)
        cases.append((low + width * (place + rng.uniform(-0.1, 0.1)), low, low + width))
    return cases


box_minimiser = Slip(
    "box_minimiser",
    asks="The minimiser on an interval",
    points=2,
    printed=lambda c, low, high: c,
    reference=convexity.box_minimiser,
    cases=_intervals,
    admits=lambda c, low, high: np.ndim(c) == np.ndim(low) == np.ndim(high) == 0 and low < high,
    domain="three numbers c, low and high with low < high",
    mistakes=[
        Mistake(
            "This is still the printed condition. It can give a point outside the interval: ∇f = 0 is "
            "the condition without a constraint.",
            lambda c, low, high: c,
        ),
        Mistake(
            "The lower end is right only if c is below it. Where is the minimum of (x − 1.7)² on [1, 2]?",
            lambda c, low, high: low,
        ),
        Mistake(
            "This always answers with an end. If c is inside the interval, then c itself is the minimiser.",
            lambda c, low, high: low if c < (low + high) / 2 else high,
        ),
        Mistake(
            "The upper end is forgotten: where is the minimum of (x − 5)² on [1, 2]?", lambda c, low, high: max(c, low)
        ),
        Mistake("The lower end is forgotten: where is the minimum of x² on [1, 2]?", lambda c, low, high: min(c, high)),
        Mistake(SAME_THERE, (1.5, 1.0, 2.0), part=1),
        Mistake(SAME_THERE, (2.0, 1.0, 2.0), part=1),
    ],
    alternatives=[
        Alternative(lambda c, low, high: min(max(c, low), high)),
        Alternative(lambda c, low, high: np.median([c, low, high])),
        Alternative((3.0, 1.0, 2.0), part=1),
        Alternative([-5, -1, 0], part=1),
    ],
    hints=(
        Hint(
            "What happens if c is not in the interval?",
            "Draw the parabola (x − c)² and the interval beside its bottom.",
        ),
        Hint("Which point of the interval is lowest?", "The one nearest to c. There are three cases."),
    ),
    see="Equation (9.11): the point of the interval that is nearest to c.",
)


def _boxes(rng):
    """Coordinates left of 0, around it and right of it, each with a slope of either sign."""
    cases = []
    for d in (2, 3, 6):
        low = np.array([-1, -5, -5, -1, 2, 2])[:d] + rng.uniform(-0.5, 0.5, size=d)
        high = low + rng.uniform(2, 3, size=d)
        g = rng.uniform(0.3, 2, size=d) * np.where(np.arange(d) % 2, 1, -1)
        cases.append((g, low + rng.uniform(0.2, 0.8, size=d) * (high - low), low, high))
    return cases


def _over_corners(g, x, low, high):
    return min(g @ (np.array(corner) - x) for corner in itertools.product(*zip(low, high, strict=True)))


box_certificate = Function(
    "box_certificate",
    asks="A certificate of optimality",
    points=2,
    reference=convexity.box_certificate,
    cases=_boxes,
    mistakes=[
        Mistake(
            "Only the corners low and high were tried. Every coordinate of z chooses its own end.",
            lambda g, x, low, high: min(g @ (low - x), g @ (high - x)),
        ),
        Mistake(
            "z = low was taken. Where g is negative, high gives the smaller product.",
            lambda g, x, low, high: g @ (low - x),
        ),
        Mistake(
            "This is the largest value. A single z with a negative one refutes x: find the smallest.",
            lambda g, x, low, high: np.sum(np.maximum(g * (low - x), g * (high - x))),
        ),
        Mistake(
            "This runs from one end of the box to the other. The step is z − x, and x stands inside.",
            lambda g, x, low, high: -np.sum(np.abs(g) * (high - low)),
        ),
        Mistake(
            "One number for each coordinate came back: gᵀ(z − x) is their sum.",
            lambda g, x, low, high: np.minimum(g * (low - x), g * (high - x)),
        ),
        Mistake("−‖g‖ asks for a gradient of 0: the box does not come in.", lambda g, x, low, high: -np.linalg.norm(g)),
    ],
    alternatives=[
        Alternative(lambda g, x, low, high: g @ (np.where(g > 0, low, high) - x)),
        Alternative(_over_corners),
    ],
    hints=(
        Hint(
            "There are infinitely many z. How do I try them all?",
            r"$g^\top(z-x)=\sum_jg_j(z_j-x_j)$: every coordinate can be made as small as possible on its own.",
        ),
        Hint(
            "Which zⱼ makes one summand smallest?", "If $g_j>0$, the smallest $z_j$ there is. If $g_j<0$, the largest."
        ),
    ),
    see="Equation (9.12): gᵀ(z − x) is a sum, and each summand is linear in its own zⱼ.",
)


ten_starts = Explanation(
    "ten_starts",
    asks="Ten starts, one answer or three",
    points=3,
    rubric=(
        "1 point: the log loss of a linear score is convex (softplus of an affine function minus a linear one), so "
        "every stationary point is a global minimum, and ten descents end at the same loss. 1 point: squared error "
        "after a sigmoid is not convex; a zero gradient then says only that the place is flat nearby, so the ends may "
        "have different losses. 1 point for one thing that convexity does not promise: that a minimiser exists (eˣ, "
        "separable data), that it is unique without strict convexity (a flat direction of X), that descent is fast, or "
        "that the model predicts well."
    ),
)

topic = Topic(
    number=9,
    slug="convexity",
    title="Convexity",
    question="When is the bottom that we reach the bottom there is?",
    part="Optimisation",
    minutes=75,
    before={
        "matrix_calculus": "gradients, Hessians and semi-definite matrices",
    },
    exercises=[
        violating_triples,
        find_violation,
        squares_gap,
        softplus_curvature,
        bell_curvature,
        softmax_curvature,
        strong_constant,
        network_swap,
        box_minimiser,
        box_certificate,
        ten_starts,
    ],
)
check = Checks(topic)
