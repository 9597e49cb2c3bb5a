"""The exercises of 01 probability."""

import numpy as np

from mlcore import probability
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

# --- tables to be tried on: a small one with whole percents, then others, none square, none symmetric ---


def _table(rng, *shape):
    """A joint table in whole hundredths: no zero, and far from independent."""
    cells = np.prod(shape)
    return (rng.multinomial(100 - 2 * cells, rng.dirichlet(np.full(cells, 0.7))) + 2).reshape(shape) / 100


def _tables(rng):
    return [(_table(rng, *shape),) for shape in ((3, 2), (2, 4), (4, 3))]


def _with_values(rng):
    """Tables with the values of X and of Y, some negative: first X and Y rise together, then the one falls."""
    cases = []
    for sign, (P,) in zip((1, -1, 1, -1), (*_tables(rng), (_table(rng, 2, 3),)), strict=True):
        x, y = (rng.choice(9, size=size, replace=False) - 4.0 for size in P.shape)
        cases.append((P, sign * np.sign(_cov(P, x, y)) * x, y))
    return cases


def _pairs(rng):
    """Two distributions that are no permutations of each other: a skewed p, a q without an order."""
    pairs = []
    for m in (2, 3, 5):
        p, q = rng.permutation(np.arange(1, m + 1) ** 2), rng.uniform(0.5, 2.5, size=m)
        pairs.append((p / p.sum(), q / q.sum()))
    return pairs


# --- tables ---

conditional_table = Function(
    "conditional_table",
    asks="From a joint table to a conditional one",
    points=1,
    reference=probability.conditional,
    cases=_tables,
    mistakes=[
        Mistake(
            "Each row adds up to 1, so this is P(Y | X). For P(X | Y) every column must: divide by the sum over i.",
            lambda P: P / P.sum(axis=1, keepdims=True),
        ),
        Mistake(
            "This is the joint table itself. Conditioning renormalises: divide by the probability of what is known.",
            lambda P: P,
        ),
        Mistake(
            "The chain rule runs the other way here: the joint table is divided by P(Y = yⱼ), not multiplied.",
            lambda P: P * P.sum(axis=0),
        ),
        Mistake(
            "Both marginals were divided out. Y is known, so only P(Y = yⱼ) belongs into the denominator.",
            lambda P: P / P.sum(axis=0) / P.sum(axis=1, keepdims=True),
        ),
        Mistake(
            "P has the shape (k, l), and its row sums the shape (k,): numpy does not divide the one by the other. "
            "And ask whether the sum should run along a row at all.",
            lambda P: P / P.sum(axis=1),
        ),
    ],
    alternatives=[
        Alternative(lambda P: np.column_stack([column / column.sum() for column in P.T])),
        Alternative(lambda P: P @ np.diag(1 / P.sum(axis=0))),
        Alternative(lambda P: (P.T / P.sum(axis=0)[:, None]).T),
    ],
    hints=(
        Hint("What is known, and what is asked?", "$Y=y_j$ is known: only column $j$ of the table is still possible."),
        Hint(
            "Why is the column not yet the answer?",
            "Its entries add up to $P(Y=y_j)$. A distribution adds up to 1: divide by that sum.",
        ),
        Hint("How do I sum the columns in numpy?", "`P.sum(axis=0)` runs down every column and has shape `(l,)`."),
    ),
    see="Equation (1.2): column j of the table, divided by its own sum.",
)


def _weather(rng):
    """Whole percents in three orders: rain common or rare, and jams that rain brings or that it prevents."""
    orders = ((2, 0, 1), (1, 2, 0), (0, 1, 2))
    drawn = [np.sort(rng.choice(np.arange(5, 96) / 100, size=3, replace=False)) for _ in orders]
    return [(0.3, 0.8, 0.2), *(tuple(p[list(order)]) for p, order in zip(drawn, orders, strict=True))]


rain_given_jam = Function(
    "rain_given_jam",
    asks="Rain, seen from the traffic jam",
    points=2,
    reference=lambda a1, a2, a3: probability.bayes(a1, a2, a3),
    forbids=(probability.bayes,),
    cases=_weather,
    mistakes=[
        Mistake(
            "You gave P(jam | rain). The jam is what is known here: turn the condition round.",
            lambda a1, a2, a3: a2,
        ),
        Mistake(
            "This is the probability of rain and jam together. Divide it by P(jam).",
            lambda a1, a2, a3: a1 * a2,
        ),
        Mistake(
            "In the denominator the dry days count with weight 1. They happen with probability 1 − a1.",
            lambda a1, a2, a3: a1 * a2 / (a1 * a2 + a3),
        ),
        Mistake("This is P(rain) before you saw the jam. Seeing it must change the number.", lambda a1, a2, a3: a1),
        Mistake(
            "This is P(jam), the sum over both kinds of weather: it is the denominator.",
            lambda a1, a2, a3: a1 * a2 + (1 - a1) * a3,
        ),
        Mistake(
            "Rain and no rain came in with equal weight. How often it rains, a1, has to enter.",
            lambda a1, a2, a3: a2 / (a2 + a3),
        ),
    ],
    alternatives=[
        Alternative(lambda a1, a2, a3: 1 / (1 + (1 - a1) / a1 * a3 / a2)),
        Alternative(lambda a1, a2, a3: (jam := np.array([a1 * a2, (1 - a1) * a3]))[0] / jam.sum()),
    ],
    hints=(
        Hint(
            "Where do I start?",
            "Write down the joint table: rows rain and no rain, columns jam and no jam. "
            "The entry for rain and jam is $a_1a_2$.",
        ),
        Hint("And the entry below it?", "No rain and jam: $(1-a_1)\\,a_3$."),
        Hint("Which entries do I divide?", "The jam is known, so (1.2) is applied to the column of the jam."),
    ),
    see="Equation (1.3): the column *jam* of the joint table, divided by its sum.",
)


# --- averages and densities ---

uniform_variance = Function(
    "uniform_variance",
    asks="The variance of a uniform number",
    points=1,
    reference=probability.uniform_variance,
    cases=lambda rng: [(2.0,), (float(rng.integers(4, 10)),), (rng.uniform(0.2, 5),)],
    mistakes=[
        Mistake("This is E[X²]. Subtract (EX)².", lambda a: a**2 / 3),
        Mistake("This is (EX)², the part that is subtracted.", lambda a: a**2 / 4),
        Mistake("This is the standard deviation, the root of the variance.", lambda a: a / np.sqrt(12)),
        Mistake("This is the mean.", lambda a: a / 2),
        Mistake(
            "Here the mean was subtracted without its square: E[X²] − EX. The units do not agree.",
            lambda a: a**2 / 3 - a / 2,
        ),
        Mistake(
            "The integral of (x − a/2)² is still to be weighted with the density, 1/a.",
            lambda a: a**3 / 12,
        ),
    ],
    alternatives=[
        Alternative(lambda a: a**2 / 3 - (a / 2) ** 2),
        Alternative(lambda a: np.mean((a * (np.arange(20_000) + 0.5) / 20_000 - a / 2) ** 2)),
    ],
    hints=(
        Hint("Which integrals do I need?", r"$EX=\int_0^a x\,\frac1a\,dx$ and $E[X^2]=\int_0^a x^2\,\frac1a\,dx$."),
        Hint("I have both. And now?", "Equation (1.5): the second minus the square of the first."),
    ),
    see="Equation (1.6): EX = a/2 and E[X²] = a²/3, put into (1.5).",
)


def _p_X(x):
    return probability.exponential_density(x)


def _stretched(y, a, b):
    return probability.affine_density(y, a, b, _p_X)


def _stretches(rng):
    """y = ax + b in the support, a and b of both signs, narrow curves that exceed 1 and wide ones; one y outside."""
    wide, b = rng.uniform(1.5, 4, size=2), rng.uniform(0.5, 3, size=4)
    a = np.array([wide[0], -wide[1], 1 / rng.uniform(2.5, 4), -1 / rng.uniform(2.5, 4)])
    b, x = b * [-1, 1, 1, -1], rng.uniform(0.2, 0.8, size=4)
    return [(1.0, -2.0, 2.0), *zip((a * x + b).tolist(), a.tolist(), b.tolist(), strict=True), (3.0, -2.0, 1.0)]


stretched_density = Slip(
    "stretched_density",
    asks="The density of aX + b",
    points=2,
    printed=lambda y, a, b: _p_X((y - b) / a) / a,
    reference=_stretched,
    cases=_stretches,
    admits=lambda y, a, b: np.ndim(y) == np.ndim(a) == np.ndim(b) == 0 and a != 0 and (y - b) / a < 700,
    domain="numbers y, a ≠ 0 and b, and (y − b)/a < 700",
    forbids=(probability.affine_density,),
    mistakes=[
        Mistake("This is still the printed formula.", lambda y, a, b: _p_X((y - b) / a) / a),
        Mistake(
            "Without a factor the area under the curve is |a|, not 1.",
            lambda y, a, b: _p_X((y - b) / a),
        ),
        Mistake(
            "Stretching by |a| spreads the same mass over more room: divide by |a|, do not multiply.",
            lambda y, a, b: _p_X((y - b) / a) * abs(a),
        ),
        Mistake(
            "The |a| belongs in front only. Inside, (y − b)/a is the x that is sent to y, sign and all.",
            lambda y, a, b: _p_X((y - b) / abs(a)) / abs(a),
        ),
        Mistake(
            "Solve y = ax + b for x: b is subtracted, not added.",
            lambda y, a, b: _p_X((y + b) / a) / abs(a),
        ),
        Mistake(
            "1/a² is positive, but too small or too large: the length of an interval grows by |a|, not by a².",
            lambda y, a, b: _p_X((y - b) / a) / a**2,
        ),
        Mistake(SAME_THERE, (2.0, 2.0, 1.0), part=1),
        Mistake(SAME_THERE, (3.0, -2.0, 1.0), part=1),
    ],
    alternatives=[
        Alternative(lambda y, a, b: _p_X((y - b) / a) / np.sqrt(a**2)),
        Alternative(lambda y, a, b: np.sign(a) * _p_X((y - b) / a) / a),
        Alternative((-1.0, -1.0, 0.0), part=1),
        Alternative([0, -3, 1], part=1),
    ],
    hints=(
        Hint(
            "Which values of a are suspicious?",
            "A density is never negative, and the area under it is 1. Look at the sign of the printed formula.",
        ),
        Hint(
            "Where does the factor come from?",
            r"$X$ in a small interval of length $h$ means $Y$ in an interval of length $|a|h$. The probability is the "
            r"same, so the density is $|a|$ times smaller.",
        ),
        Hint(
            "My counter-example is refused.",
            "With $a<0$ the values of $Y=aX+b$ lie below $b$. Above it both formulas give 0.",
        ),
    ),
    see="Equation (1.8): the same probability on an interval that is |a| times as long.",
)


# --- sums ---


def _means(P, x, y):
    return P.sum(axis=1) @ x, P.sum(axis=0) @ y


def _cov(P, x, y):
    ex, ey = _means(P, x, y)
    return (x - ex) @ P @ (y - ey)


def _line_1(P, x, y):
    s = x[:, None] + y
    return np.sum(P * (s - np.sum(P * s)) ** 2)


def _line_2(P, x, y):
    return x - P.sum(axis=1) @ x, y - P.sum(axis=0) @ y


def _line_3(P, x, y):
    u = x - P.sum(axis=1) @ x
    v = y - P.sum(axis=0) @ y
    return u**2, 2 * u[:, None] * v, v**2


def _line_4(P, x, y):
    u = x - P.sum(axis=1) @ x
    v = y - P.sum(axis=0) @ y
    return P.sum(axis=1) * u**2, 2 * P * u[:, None] * v, P.sum(axis=0) * v**2


def _by_polarisation(P, x, y):
    """uᵢ and vⱼ spread over the table, and 2uv as the square of the sum less the two squares."""
    ones = np.ones(P.shape)
    u, v = (x[:, None] - np.sum(P * x[:, None])) * ones, (y - np.sum(P * y)) * ones
    return (u**2)[:, 0], (u + v) ** 2 - u**2 - v**2, (v**2)[0]


sum_variance = Chain(
    "sum_variance",
    asks="The variance of a sum",
    first=_line_1,
    lines=[
        Line(
            does="split E[X + Y], and write every bracket of line 1 as uᵢ + vⱼ, where u and v both have mean 0",
            parts=("u", "v"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "Nothing was subtracted from y: E[X + Y] has two summands, and each goes to its own variable.",
                    but(_line_2, 1, lambda P, x, y: y),
                ),
                Mistake(
                    "The plain average of the values is their mean only if all are equally likely: weight with P.",
                    lambda P, x, y: (x - x.mean(), y - y.mean()),
                ),
                Mistake(
                    "All of E[X + Y] was subtracted from x: then u has the mean −EY, not 0.",
                    but(_line_2, 0, lambda P, x, y: x - np.sum(_means(P, x, y))),
                ),
                Mistake(
                    "The means are added. A deviation is a value minus its mean.",
                    lambda P, x, y: (x + _means(P, x, y)[0], y + _means(P, x, y)[1]),
                ),
                Mistake(
                    "v has the wrong sign: uᵢ − vⱼ is what X − Y deviates by.",
                    but(_line_2, 1, lambda P, x, y: _means(P, x, y)[1] - y),
                ),
                Mistake(
                    "Both signs are reversed: in line 1 the values xᵢ and yⱼ have a plus, and the mean a minus.",
                    lambda P, x, y: (_means(P, x, y)[0] - x, _means(P, x, y)[1] - y),
                ),
                Mistake(
                    "Half of E[X + Y] was subtracted from each. Then u has mean 0 only if EX = EY.",
                    lambda P, x, y: (x - np.sum(_means(P, x, y)) / 2, y - np.sum(_means(P, x, y)) / 2),
                ),
                Mistake(
                    "The values are weighted, not centred: pᵢxᵢ is a summand of EX, and uᵢ is xᵢ − EX.",
                    lambda P, x, y: (P.sum(axis=1) * x, P.sum(axis=0) * y),
                ),
            ],
        ),
        Line(
            does="multiply out the square (uᵢ + vⱼ)² in every cell: what holds u alone, both, and v alone",
            parts=("first", "cross", "last"),
            reference=_line_3,
            follows=lambda before, P, x, y: (before[0] ** 2, 2 * before[0][:, None] * before[1], before[1] ** 2),
            mistakes=[
                Mistake(
                    "The cross term is missing: (u + v)² is more than u² + v².",
                    but(_line_3, 1, lambda P, x, y: 0 * P),
                ),
                Mistake(
                    "The cross term comes only once: (uᵢ + vⱼ)² holds uᵢvⱼ and vⱼuᵢ.",
                    but(_line_3, 1, lambda P, x, y: np.outer(*_line_2(P, x, y))),
                ),
                Mistake(
                    "The cross term has a minus: that is the square of u − v.",
                    but(_line_3, 1, lambda P, x, y: -2 * np.outer(*_line_2(P, x, y))),
                ),
                Mistake(
                    "The cross term multiplies the values, not their deviations u and v.",
                    but(_line_3, 1, lambda P, x, y: 2 * np.outer(x, y)),
                ),
                Mistake(
                    "The outer terms lost their squares: (u + v)² begins with u² and ends with v².",
                    lambda P, x, y: (_line_2(P, x, y)[0], _line_3(P, x, y)[1], _line_2(P, x, y)[1]),
                ),
                Mistake(
                    "The weights are in already. Line 3 is the square in one cell, and the weights come in line 4.",
                    _line_4,
                ),
            ],
        ),
        Line(
            does="put in the weights of the three sums, where a sum runs only over the indices that its term has",
            parts=("first", "cross", "last"),
            reference=_line_4,
            follows=lambda before, P, x, y: (P.sum(axis=1) * before[0], P * before[1], P.sum(axis=0) * before[2]),
            mistakes=[
                Mistake(
                    "The cross term is weighted with pᵢqⱼ in place of Pᵢⱼ: that is right only for independent "
                    "variables.",
                    but(_line_4, 1, lambda P, x, y: np.outer(P.sum(axis=1), P.sum(axis=0)) * _line_3(P, x, y)[1]),
                ),
                Mistake(
                    "The factor 2 of the cross term is lost.",
                    but(_line_4, 1, lambda P, x, y: P * np.outer(*_line_2(P, x, y))),
                ),
                Mistake(
                    "The marginals came in squared: only the deviations are.",
                    lambda P, x, y: (
                        P.sum(axis=1) ** 2 * _line_3(P, x, y)[0],
                        P * _line_3(P, x, y)[1],
                        P.sum(axis=0) ** 2 * _line_3(P, x, y)[2],
                    ),
                ),
                Mistake(
                    "All cells of a row were given the same weight in the outer sums: 1/k and 1/l are the "
                    "probabilities only if all values are equally likely.",
                    lambda P, x, y: (
                        _line_3(P, x, y)[0] / len(x),
                        P * _line_3(P, x, y)[1],
                        _line_3(P, x, y)[2] / len(y),
                    ),
                ),
                Mistake(
                    "The outer sums have no weights yet.",
                    lambda P, x, y: (_line_3(P, x, y)[0], P * _line_3(P, x, y)[1], _line_3(P, x, y)[2]),
                ),
                Mistake(
                    "The cross term has no weights yet: in every cell it is multiplied with Pᵢⱼ.",
                    but(_line_4, 1, lambda P, x, y: _line_3(P, x, y)[1]),
                ),
                Mistake(
                    "These are the terms of line 3: no sum has its weights yet.",
                    _line_3,
                ),
            ],
        ),
    ],
    cases=_with_values,
    clear=lambda P, x, y: abs(_cov(P, x, y)) > 1e-3,
    forbids=(probability.variance, probability.covariance, probability.combination_variance),
    alternatives=[
        Alternative(lambda P, x, y: (x - np.sum(P * x[:, None]), y - np.sum(P * y)), part=0),
        Alternative(lambda P, x, y: (x - sum(P @ np.ones(len(y)) * x), y - np.sum(x**0 @ P * y)), part=0),
        Alternative(
            lambda P, x, y: (
                (x - P.sum(axis=1) @ x) ** 2,
                2 * np.outer(x - P.sum(axis=1) @ x, y - P.sum(axis=0) @ y),
                (y - P.sum(axis=0) @ y) ** 2,
            ),
            part=1,
        ),
        Alternative(_by_polarisation, part=1),
        Alternative(
            lambda P, x, y: (
                np.sum(P * (x - P.sum(axis=1) @ x)[:, None] ** 2, axis=1),
                2 * np.diag(x - P.sum(axis=1) @ x) @ P @ np.diag(y - P.sum(axis=0) @ y),
                np.sum(P * (y - P.sum(axis=0) @ y) ** 2, axis=0),
            ),
            part=2,
        ),
    ],
    hints=(
        Hint(
            "Which number goes to which variable?",
            "$E[X+Y]=EX+EY$. From the marginal: `p = P.sum(axis=1)` and `EX = p @ x`; for $Y$ take "
            "`q = P.sum(axis=0)`.",
        ),
        Hint(
            "How do I write a table of products in numpy?",
            "`u[:, None]` is a column, `v` a row: `u[:, None] * v` is the table of all $u_iv_j$.",
        ),
        Hint(
            "What happens in line 4?",
            r"In $\sum_{ij}P_{ij}u_i^2$ the square does not depend on $j$, so $P_{ij}$ can be summed over $j$: "
            r"what is left is $\sum_ip_iu_i^2$. The cross term has both indices.",
        ),
    ),
    see="The section *Sums* lists what each line does. The three sums over line 4 are equation (1.10).",
)


def _covariances(rng):
    """Two different variances, a correlation of either sign that is far from 0, and weights of any sign."""
    cases = []
    weights = ((1.0, 1.0), (2.0, 3.0), (rng.uniform(0.5, 3), -rng.uniform(0.5, 3)), (-rng.uniform(2, 3), 0.5))
    for sign, (a, b) in zip((1, -1, 1, -1), weights, strict=True):
        sd = rng.choice(np.arange(1, 6), size=2, replace=False) + rng.choice([0.0, 0.5])
        cov = sign * rng.uniform(0.3, 0.9) * sd[0] * sd[1]
        cases.append((a, b, np.array([[sd[0] ** 2, cov], [cov, sd[1] ** 2]]).round(2)))
    return cases


combination_variance = Function(
    "combination_variance",
    asks="What if they are not independent?",
    points=1,
    reference=probability.combination_variance,
    cases=_covariances,
    mistakes=[
        Mistake(
            "This holds only for uncorrelated variables: 2ab Cov(X, Y) is missing.",
            lambda a, b, Sigma: a**2 * Sigma[0, 0] + b**2 * Sigma[1, 1],
        ),
        Mistake(
            "The cross term appears twice when the square is multiplied out: 2ab Cov(X, Y).",
            lambda a, b, Sigma: a**2 * Sigma[0, 0] + a * b * Sigma[0, 1] + b**2 * Sigma[1, 1],
        ),
        Mistake(
            "This is the variance of aX − bY.",
            lambda a, b, Sigma: a**2 * Sigma[0, 0] - 2 * a * b * Sigma[0, 1] + b**2 * Sigma[1, 1],
        ),
        Mistake(
            "a and b have to be squared in front of the variances: Var(aX) = a²VarX.",
            lambda a, b, Sigma: a * Sigma[0, 0] + 2 * a * b * Sigma[0, 1] + b * Sigma[1, 1],
        ),
        Mistake(
            "The cross term lost its weights: Cov(aX, bY) = ab Cov(X, Y).",
            lambda a, b, Sigma: a**2 * Sigma[0, 0] + 2 * Sigma[0, 1] + b**2 * Sigma[1, 1],
        ),
        Mistake(
            "This is Var(X + Y): a and b do not come in.",
            lambda a, b, Sigma: Sigma.sum(),
        ),
    ],
    alternatives=[
        Alternative(lambda a, b, Sigma: np.array([a, b]) @ Sigma @ np.array([a, b])),
        Alternative(lambda a, b, Sigma: np.sum(np.outer([a, b], [a, b]) * Sigma)),
    ],
    hints=(
        Hint(
            "How do I use (1.10)?",
            "Take $aX$ and $bY$ as the two variables. What are their variances and their covariance?",
        ),
        Hint(
            "And what is the covariance of aX and bY?",
            "$a$ and $b$ can be pulled out of the mean of the product: $ab\\,\\mathrm{Cov}(X,Y)$.",
        ),
    ),
    see="Equation (1.11): (1.10) for aX and bY, with (1.7).",
)

correlation_bound = Choice(
    "correlation_bound",
    asks="Half a proof",
    points=1,
    options={
        "a": Option(
            "nothing",
            wrong="Try Corr = −7: it satisfies Corr ≤ 1, and that is all that was shown.",
        ),
        "b": Option("the lower bound, which the sum $X/\\sigma_X+Y/\\sigma_Y$ gives"),
        "c": Option(
            "that $X$ and $Y$ are independent",
            wrong="(1.11) holds for any two variables. For independent ones Corr would be 0 and nothing left to prove.",
        ),
    },
    reasons={
        "i": Option(
            "if $\\mathrm{Corr}\\le1$ for all pairs, then $|\\mathrm{Corr}|\\le1$ by taking the absolute value",
            wrong="From t ≤ 1 it does not follow that |t| ≤ 1: take t = −7. Use another pair of variables instead.",
        ),
        "ii": Option("its variance is $2+2\\,\\mathrm{Corr}(X,Y)$, and no variance is negative"),
        "iii": Option(
            "its variance is $1+1$, and $\\mathrm{Corr}$ is at most half of it",
            wrong="1 + 1 leaves out the covariance of the two summands: use (1.11).",
        ),
    },
    alternatives=[],
    hints=(
        Hint("What exactly was shown?", "One inequality. Which of the two bounds does it say something about?"),
        Hint("How do I get the other one?", "Do the same with $b=+1/\\sigma_Y$ in (1.11)."),
    ),
    see="The paragraph before *Information*: the difference gives one bound of (1.12), the sum the other.",
)


# --- information ---


def _cross(p, q):
    """H(p, q) in nats, for positive entries."""
    return -np.sum(p * np.log(q))


def _costs(p, q, **wrong):
    """The right (entropy, cross-entropy, KL), except for what is given."""
    right = {"H": _cross(p, p), "Hpq": _cross(p, q), "KL": _cross(p, q) - _cross(p, p)}
    return tuple((right | wrong).values())


def _three_means(p, q):
    return probability.entropy(p), probability.cross_entropy(p, q), probability.kl(p, q)


coding_costs = Function(
    "coding_costs",
    asks="Entropy, cross-entropy, divergence",
    points=2,
    reference=_three_means,
    returns=("entropy", "cross_entropy", "kl"),
    cases=_pairs,
    forbids=(probability.entropy, probability.cross_entropy, probability.kl),
    mistakes=[
        Mistake(
            "These are bits: log₂ was used. Nats are asked for, the natural logarithm.",
            lambda p, q: tuple(cost / np.log(2) for cost in _costs(p, q)),
        ),
        Mistake(
            "In place of the divergence this gives the cross-entropy again. Subtract H(p): then it is 0 for p = q.",
            lambda p, q: _costs(p, q, KL=_cross(p, q)),
        ),
        Mistake(
            "p and q are exchanged in the divergence, and it is not symmetric: the mean is taken under p.",
            lambda p, q: _costs(p, q, KL=_cross(q, p) - _cross(q, q)),
        ),
        Mistake(
            "p and q are exchanged in the cross-entropy: p says what happens, q what we believed.",
            lambda p, q: _costs(p, q, Hpq=_cross(q, p)),
        ),
        Mistake(
            "p and q are exchanged in both the cross-entropy and the divergence: the outcomes happen with p.",
            lambda p, q: _costs(p, q, Hpq=_cross(q, p), KL=_cross(q, p) - _cross(q, q)),
        ),
        Mistake(
            "The divergence has its sign reversed: under the logarithm stands p/q, not q/p.",
            lambda p, q: _costs(p, q, KL=_cross(p, p) - _cross(p, q)),
        ),
        Mistake(
            "The minus signs are missing: the logarithm of a probability is negative, a surprise is positive.",
            lambda p, q: _costs(p, q, H=-_cross(p, p), Hpq=-_cross(p, q), KL=_cross(p, p) - _cross(p, q)),
        ),
        Mistake(
            "H(q) − H(p) is not the divergence: both means have to be taken under p.",
            lambda p, q: _costs(p, q, KL=_cross(q, q) - _cross(p, p)),
        ),
    ],
    alternatives=[
        Alternative(lambda p, q: (-p @ np.log(p), -p @ np.log(q), p @ np.log(p / q))),
        Alternative(
            lambda p, q: (np.sum(p * np.log(1 / p)), np.sum(p * np.log(1 / q)), np.sum(p * (np.log(p) - np.log(q))))
        ),
    ],
    hints=(
        Hint(
            "What is averaged?", "The surprise $-\\log p_i$ of each outcome, weighted with how often it happens: $p_i$."
        ),
        Hint("And in the cross-entropy?", "The outcomes still happen with $p_i$. Only the surprise is that of $q$."),
        Hint("Do I need a third sum?", "The divergence is the price of the wrong belief: $H(p,q)-H(p)$."),
    ),
    see="Equations (1.13) to (1.15): three means under p.",
)

_NOT_DISTRIBUTIONS = "Two rows of one length are asked for, p and q, positive, each with the sum 1 to six digits."
_TOO_CHEAP = "KL(p‖q) is at most 3 nats. Which outcome does q hold for nearly impossible although p does not?"
_BOTH_LARGE = "KL(q‖p) is 1 nat or more too: make sure that what q expects is likely under p as well."

lopsided_kl = Property(
    "lopsided_kl",
    asks="A divergence that depends on the direction",
    points=1,
    laws=[
        Law(
            _NOT_DISTRIBUTIONS,
            lambda pq: (
                pq.ndim == 2
                and len(pq) == 2
                and bool(np.all(pq > 0))
                and bool(np.allclose(pq.sum(axis=1), 1, atol=1e-6, rtol=0))
            ),
        ),
        Law(_TOO_CHEAP, lambda pq: probability.kl(*pq) > 3),
        Law(_BOTH_LARGE, lambda pq: probability.kl(*pq[::-1]) < 1),
    ],
    mistakes=[
        Mistake(_NOT_DISTRIBUTIONS, [[0.5, 0.5], [1.0, 0.0]]),
        Mistake(_NOT_DISTRIBUTIONS, [[5, 5], [9, 1]]),
        Mistake(_NOT_DISTRIBUTIONS, [0.5, 0.5]),
        Mistake(_TOO_CHEAP, [[0.5, 0.5], [0.9, 0.1]]),
        Mistake(_TOO_CHEAP, [[0.9999, 0.0001], [0.5, 0.5]]),
        Mistake(_BOTH_LARGE, [[0.999, 0.001], [0.001, 0.999]]),
    ],
    alternatives=[
        Alternative([[0.5, 0.5], [0.9999, 0.0001]]),
        Alternative(np.array([[0.4, 0.3, 0.3], [1 - 2e-6, 1e-6, 1e-6]])),
    ],
    hints=(
        Hint(
            "Which term can become large?",
            r"In $\sum_ip_i\log(p_i/q_i)$: one with a tiny $q_i$ and a $p_i$ that is not.",
        ),
        Hint(
            "How do I keep the other direction small?",
            r"In $\sum_iq_i\log(q_i/p_i)$ the tiny $q_i$ comes as a weight. "
            "What $q$ does expect should be likely under $p$.",
        ),
        Hint(
            "How tiny?",
            r"With $p=(\frac12,\frac12)$ and $q=(1-\epsilon,\epsilon)$, $KL(p\|q)\approx\frac12\log\frac1{4\epsilon}$.",
        ),
    ),
    see="The section *Break it*: a fair coin, and a belief that tails hardly ever happens.",
)


def _H(p):
    """H(p) in bits, for positive entries."""
    return _cross(p, p) / np.log(2)


def _given_columns(P):
    """H(X | Y = yⱼ) in bits, one for each column."""
    return np.array([_H(column / column.sum()) for column in P.T])


table_information = Function(
    "table_information",
    asks="How much one variable tells about the other",
    points=2,
    reference=probability.mutual_information,
    cases=_tables,
    mistakes=[
        Mistake(
            "The entropies of the columns were averaged without weights: column j counts with P(Y = yⱼ).",
            lambda P: _H(P.sum(axis=1)) - _given_columns(P).mean(),
        ),
        Mistake(
            "H(X) − H(X, Y) is negative: it is −H(Y | X). Add H(Y).",
            lambda P: _H(P.sum(axis=1)) - _H(P),
        ),
        Mistake(
            "H(Y) − H(X, Y) is negative: it is −H(X | Y). Add H(X).",
            lambda P: _H(P.sum(axis=0)) - _H(P),
        ),
        Mistake(
            "These are nats. Bits are asked for: divide by log 2.",
            lambda P: (_H(P.sum(axis=1)) + _H(P.sum(axis=0)) - _H(P)) * np.log(2),
        ),
        Mistake(
            "This is H(X | Y), the uncertainty that is left. The part that is gone is asked for.",
            lambda P: P.sum(axis=0) @ _given_columns(P),
        ),
        Mistake("This is the entropy of the pair, H(X, Y).", lambda P: _H(P)),
        Mistake(
            "The columns were not normalised: H(X | Y = yⱼ) is the entropy of a distribution, and the joint column "
            "does not add up to 1.",
            lambda P: _H(P.sum(axis=1)) - P.sum(axis=0) @ np.array([_H(column) for column in P.T]),
        ),
    ],
    alternatives=[
        Alternative(lambda P: np.sum(P * np.log2(P / np.outer(P.sum(axis=1), P.sum(axis=0))))),
        Alternative(
            lambda P: (
                -np.sum(P.sum(axis=0) * np.log2(P.sum(axis=0))) + np.sum(P * np.log2(P / P.sum(axis=1, keepdims=True)))
            )
        ),
    ],
    hints=(
        Hint("Where do I start?", "With $H(X)$: the marginal of $X$ is `P.sum(axis=1)`, and `np.log2` gives bits."),
        Hint(
            "What is H(X | Y)?",
            "Column $j$ of `P / P.sum(axis=0)` is a distribution with an entropy of its own. "
            "Average these entropies with the weights $P(Y=y_j)$.",
        ),
        Hint(
            "Is there a shorter way?", "$H(X|Y)=H(X,Y)-H(Y)$, where $H(X,Y)$ is the entropy of all cells of the table."
        ),
    ),
    see="Equation (1.17): the entropy before Y is known, minus the mean entropy after.",
)


medium_sepal = Explanation(
    "medium_sepal",
    asks="A flower in the garden",
    points=3,
    rubric=(
        "1 point: the 70% are P(medium | versicolor), not P(versicolor | medium). 1 point: in this garden Bayes' rule "
        "with the prior 0.1 gives 0.07/(0.07 + 0.414), about 14%. 1 point: the 56% of the table contain the shares of "
        "the table, one third each, and so do not carry over to the garden."
    ),
)

topic = Topic(
    number=1,
    slug="probability",
    title="Probability",
    question="What does one measurement tell us about another?",
    part="Foundations",
    minutes=75,
    before={
        "start_here": "school mathematics (sums, logarithms, a simple integral), and how this course works",
    },
    exercises=[
        conditional_table,
        rain_given_jam,
        uniform_variance,
        stretched_density,
        sum_variance,
        combination_variance,
        correlation_bound,
        coding_costs,
        lopsided_kl,
        table_information,
        medium_sepal,
    ],
)
check = Checks(topic)
