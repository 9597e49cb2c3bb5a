"""The exercises of 11 stochastic gradient descent."""

from itertools import combinations

import numpy as np

from mlcore import stochastic_gradient as sg
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
    without,
)

# --- data to be tried on ---


def _draws(rng):
    """(theta0, y): a start far from the draws, so that a forgotten θ₀ shows; averages on either side of 0."""
    return [
        (float(rng.integers(-9, -3)), rng.integers(1, 9, size=3).astype(float)),
        (rng.uniform(-8, -6), np.r_[rng.uniform(1, 3), rng.normal(-3, 0.5, size=4)]),
        (rng.uniform(8, 12), rng.normal(2, 1, size=9)),
    ]


def _starts(rng):
    """(t, b0, sigma0, sigma): the start more certain than a draw, and less; b₀ of either sign, t even and odd."""
    return [
        (2, float(rng.integers(2, 5)), 0.5, 3.0),
        (int(rng.choice([5, 7])), -rng.uniform(1.5, 4), rng.uniform(1.6, 2.5), rng.uniform(0.5, 1.2)),
        (int(rng.integers(9, 15)), rng.uniform(2.6, 4), rng.uniform(0.3, 0.8), rng.uniform(1.2, 2.5)),
    ]


def _steps(rng):
    """(c, t), never c = ½, where c and 1 − c cannot be told apart."""
    return [
        (0.2, 3),
        (rng.uniform(0.1, 0.4), int(rng.choice([4, 6]))),
        (rng.uniform(0.6, 0.9), int(rng.integers(3, 6))),
    ]


def _constant(rng):
    """(c, t, sigma0, sigma)."""
    spreads = [(1.5, 2.0), (rng.uniform(1.5, 3), rng.uniform(0.5, 1.2)), (rng.uniform(2, 4), rng.uniform(1.2, 2.5))]
    return [(c, t, *spread) for (c, t), spread in zip(_steps(rng), spreads, strict=True)]


def _floors(rng):
    """(c, sigma): floors above 1 and below, σ larger than c and smaller."""
    return [(0.4, 5.0), (rng.uniform(0.3, 0.45), rng.uniform(1.5, 3)), (rng.uniform(0.6, 0.9), rng.uniform(0.3, 0.5))]


def _biases(rng):
    """(t, b0): even and odd, of either sign."""
    return [(2, 3.0), (int(rng.choice([3, 5])), rng.uniform(2, 5)), (int(rng.integers(7, 12)), -rng.uniform(2, 5))]


def _batches(rng):
    """(w, X, y, batch): never half of the rows, where 1/n for 1/m looks like a lost 2.

    Every second column of X is negative, and one y of the batch, so that the gradient has entries of either sign.
    """
    cases = []
    for n, d, m in ((5, 2, 2), (9, 3, 4), (12, 4, 5)):
        X = (rng.integers(2, 5, size=(n, d)) + rng.normal(size=(n, d)).round(1)) * np.where(np.arange(d) % 2, -1, 1)
        w, y = rng.uniform(-1, 1, size=d).round(1), rng.uniform(9, 15, size=n).round(1)
        batch = np.r_[n - 1, rng.permutation(n - 1)[: m - 1]]  # the last row, so not the first m
        y[batch[1]] -= 16
        cases.append((w, X, y, batch))
    return cases


def _numbers(rng):
    """(v, m), with numbers of either sign."""
    return [
        (rng.permutation([-3.0, 2.0, 4.0, 9.0, 11.0]), 2),
        (rng.normal(3, 2, size=7), 3),
        (rng.gamma(2, 2, size=9), 5),
    ]


# --- 11a: the average ---


def _loop(theta0, y, eta):
    for t, draw in enumerate(y):
        theta0 = theta0 - eta(t, len(y)) * (theta0 - draw)
    return theta0


sgd_average = Function(
    "sgd_average",
    asks="Where the steps 1/2, 1/3, … lead",
    points=2,
    reference=sg.running_average,
    cases=_draws,
    forbids=(sg.sgd, sg.track),
    mistakes=[
        Mistake(
            "This is the mean of the draws alone: θ₀ is left out, as if the first step were 1 and not ½.",
            lambda theta0, y: np.mean(y),
        ),
        Mistake(
            "t + 1 numbers are added up, and t divides them: θ₀ counts too.",
            lambda theta0, y: (theta0 + np.sum(y)) / len(y),
        ),
        Mistake(
            "The t + 1 in the denominator counts θ₀, but the sum above it does not contain it.",
            lambda theta0, y: np.sum(y) / (len(y) + 1),
        ),
        Mistake(
            "Divided by t + 2: that is the denominator of η_t, the step that comes next.",
            lambda theta0, y: (theta0 + np.sum(y)) / (len(y) + 2),
        ),
        Mistake(
            "The step was computed once, from the number of draws: it is 1/2 first, then 1/3, then 1/4.",
            lambda theta0, y: _loop(theta0, y, lambda t, n: 1 / (n + 2)),
        ),
        Mistake(
            "Half of θ₀ and half of the mean of the draws: write θ₂ out, and θ₀ has the weight ⅔ · ½ = ⅓ there.",
            lambda theta0, y: (theta0 + np.mean(y)) / 2,
        ),
    ],
    alternatives=[
        Alternative(lambda theta0, y: np.mean(np.append(y, theta0))),
        Alternative(lambda theta0, y: _loop(theta0, y, lambda t, n: 1 / (t + 2))),
    ],
    hints=(
        Hint(
            "Where do I start?", r"With $t=0$: $\theta_1=\frac12\theta_0+\frac12y_0$. Then $\theta_2$, with $\frac13$."
        ),
        Hint(
            "I have θ₂. What is the pattern?",
            r"$\theta_2=\frac23\cdot\frac{\theta_0+y_0}2+\frac13y_1=\frac{\theta_0+y_0+y_1}3$. "
            r"How many numbers are averaged in $\theta_t$?",
        ),
    ),
    see="Equation (11.3), and the line of algebra below it.",
)


# --- 11b, 11c: bias, variance and their sum ---


def _with_bias(variance):
    return lambda t, b0, sigma0, sigma: (b0 / (t + 1), variance(t, sigma0, sigma))


def _with_variance(bias):
    return lambda t, b0, sigma0, sigma: (bias(t, b0), (sigma0**2 + t * sigma**2) / (t + 1) ** 2)


sgd_decaying_parts = Function(
    "sgd_decaying_parts",
    asks="Bias and variance of the average",
    points=2,
    reference=sg.decaying_parts,
    returns=("bias", "variance"),
    cases=_starts,
    forbids=(sg.parts, sg.decaying_mse),
    mistakes=[
        Mistake(
            "Both are divided by powers of t: the average is over t + 1 numbers.",
            lambda t, b0, sigma0, sigma: (b0 / t, (sigma0**2 + t * sigma**2) / t**2),
        ),
        Mistake(
            "The variance has t + 1 once: a constant leaves a variance squared, Var(aZ) = a² Var Z.",
            _with_bias(lambda t, sigma0, sigma: (sigma0**2 + t * sigma**2) / (t + 1)),
        ),
        Mistake(
            "This counts t + 1 draws: there are t, and the start with its own σ₀².",
            _with_bias(lambda t, sigma0, sigma: (sigma0**2 + (t + 1) * sigma**2) / (t + 1) ** 2),
        ),
        Mistake(
            "σ² stands there once: t independent draws bring it t times.",
            _with_bias(lambda t, sigma0, sigma: (sigma0**2 + sigma**2) / (t + 1) ** 2),
        ),
        Mistake(
            "The start's own variance σ₀² is missing: θ₀ is random too.",
            _with_bias(lambda t, sigma0, sigma: t * sigma**2 / (t + 1) ** 2),
        ),
        Mistake(
            "The standard deviations were added and then squared: for independent numbers the variances add up.",
            _with_bias(lambda t, sigma0, sigma: (sigma0 + t * sigma) ** 2 / (t + 1) ** 2),
        ),
        Mistake(
            "t²σ² is the variance of one draw taken t times: these are t different draws.",
            _with_bias(lambda t, sigma0, sigma: (sigma0**2 + t**2 * sigma**2) / (t + 1) ** 2),
        ),
        Mistake(
            "The bias is still b₀: only one of the t + 1 numbers has it.",
            _with_variance(lambda t, b0: b0),
        ),
        Mistake(
            "The first number is the square of the bias: the bias itself is asked for, with its sign.",
            _with_variance(lambda t, b0: (b0 / (t + 1)) ** 2),
        ),
    ],
    alternatives=[
        Alternative(  # the weights of the t + 1 numbers, and their squares
            lambda t, b0, sigma0, sigma: (
                np.full(t + 1, 1 / (t + 1)) @ np.r_[b0, np.zeros(t)],
                np.full(t + 1, 1 / (t + 1) ** 2) @ np.r_[sigma0**2, np.full(t, sigma**2)],
            )
        ),
        Alternative(lambda t, b0, sigma0, sigma: (b0 / (1 + t), (sigma0 / (t + 1)) ** 2 + t * (sigma / (t + 1)) ** 2)),
    ],
    hints=(
        Hint(
            "What is the mean of θ_t?",
            r"Each $y$ has mean $\theta^*$, $\theta_0$ has $\theta^*+b_0$. Average the means.",
        ),
        Hint("And its variance?", r"Take $\frac1{t+1}$ out, squared. The variances of independent numbers add up."),
    ),
    see="Equation (11.4): the mean and the variance of (11.3).",
)

sgd_mse = Slip(
    "sgd_mse",
    asks="The error of the average",
    points=2,
    printed=lambda t, b0, sigma0, sigma: sigma**2 / (t + 1) + (b0**2 + sigma0**2) / (t + 1) ** 2,
    reference=sg.decaying_mse,
    cases=_starts,
    admits=lambda t, b0, sigma0, sigma: t >= 0 and t == int(t) and sigma0 >= 0 and sigma >= 0,
    domain="a whole number t ≥ 0, and σ₀ and σ that are not negative",
    forbids=(sg.decaying_parts, sg.parts),
    mistakes=[
        Mistake(
            "This is the printed line. Put t = 0 in: no draw has been made, and σ² is already there.",
            lambda t, b0, sigma0, sigma: sigma**2 / (t + 1) + (b0**2 + sigma0**2) / (t + 1) ** 2,
        ),
        Mistake(
            "The larger of the two variances for both gives an upper bound, not the error itself.",
            lambda t, b0, sigma0, sigma: max(sigma0, sigma) ** 2 / (t + 1) + b0**2 / (t + 1) ** 2,
        ),
        Mistake(
            "t² in the denominator: the average is over t + 1 numbers, and at t = 0 the error is finite.",
            lambda t, b0, sigma0, sigma: (t * sigma**2 + sigma0**2 + b0**2) / t**2,
        ),
        Mistake(
            "The bias was added without its square: MSE = Var + bias².",
            lambda t, b0, sigma0, sigma: (t * sigma**2 + sigma0**2) / (t + 1) ** 2 + b0 / (t + 1),
        ),
        Mistake(
            "This is the variance alone: the squared bias of (11.4) belongs to the error too.",
            lambda t, b0, sigma0, sigma: (t * sigma**2 + sigma0**2) / (t + 1) ** 2,
        ),
        Mistake(SAME_THERE, (3, 1.0, 1.0, 0.0), part=1),
    ],
    alternatives=[
        Alternative(
            lambda t, b0, sigma0, sigma: sigma**2 / (t + 1) + (b0**2 + sigma0**2 - sigma**2) / (t + 1) ** 2,
        ),
        Alternative((4, 0.0, 0.0, 1.0), part=1),
    ],
    hints=(
        Hint(
            "Where do I start?", r"Notebook 07: $\mathrm{MSE}=\mathrm{Var}+\mathrm{bias}^2$. You have both in (11.4)."
        ),
        Hint(
            "How do I find an input?",
            r"At $t=0$ nothing has happened, and the error is that of the start, $\sigma_0^2+b_0^2$. What is printed?",
        ),
    ),
    see="Equation (11.5): the sum of the variance and the squared bias in (11.4).",
)


# --- 11d: the constant step forgets ---

sgd_weights = Slip(
    "sgd_weights",
    asks="What a constant step remembers",
    points=2,
    printed=lambda c, t: c * (1.0 - t) ** np.arange(t),
    reference=sg.forgetting_weights,
    cases=_steps,
    admits=lambda c, t: 0 < c < 1 and 1 <= t <= 100 and t == int(t),
    domain="0 < c < 1 and a whole number t from 1 to 100",
    mistakes=[
        Mistake(
            "This is the printed line: its weights change sign from t = 2 on. What does one step leave of the last θ?",
            lambda c, t: c * (1.0 - t) ** np.arange(t),
        ),
        Mistake(
            "The factor c is missing: a draw enters with the weight c before it fades.",
            lambda c, t: (1 - c) ** np.arange(t),
        ),
        Mistake(
            "The order is reversed: the latest draw comes first, and it has faded least.",
            lambda c, t: c * (1 - c) ** np.arange(t)[::-1],
        ),
        Mistake(
            "Each draw has faded once too often: the latest one, i = 0, still has the full weight c.",
            lambda c, t: c * (1 - c) ** np.arange(1, t + 1),
        ),
        Mistake(
            "c and 1 − c have changed places: a draw enters with c, and each later step leaves 1 − c of it.",
            lambda c, t: (1 - c) * c ** np.arange(t),
        ),
        Mistake(
            "These weights are scaled to add up to 1: the rest, (1 − c)ᵗ, belongs to θ₀.",
            lambda c, t: c * (1 - c) ** np.arange(t) / (1 - (1 - c) ** t),
        ),
        Mistake(SAME_THERE, (0.4, 1), part=1),
    ],
    alternatives=[
        Alternative(lambda c, t: [c * (1 - c) ** i for i in range(int(t))]),
        Alternative(lambda c, t: np.cumprod(np.r_[c, np.full(int(t) - 1, 1 - c)])),
        Alternative((0.2, 6), part=1),
    ],
    hints=(
        Hint(
            "Where do I start?",
            r"$\theta_1=(1-c)\theta_0+cy_0$ and $\theta_2=(1-c)\theta_1+cy_1$. Put the first into the second.",
        ),
        Hint(
            "How do I test a line of weights?",
            r"If $\theta_0$ and all draws are equal, $\theta_t$ is equal to them too. "
            r"So the weights and $(1-c)^t$ add up to 1.",
        ),
    ),
    see="Equation (11.6): each later step multiplies what is there by 1 − c.",
)


# --- 11e: the variance of a constant step, with the geometric sum ---


def _line_1(c, t, sigma0, sigma):
    V = sigma0**2
    for _ in range(t):
        V = (1 - c) ** 2 * V + c**2 * sigma**2
    return V


def _line_2(c, t, sigma0, sigma):
    return (1 - c) ** (2 * t) * sigma0**2, c**2 * sigma**2 * (1 - c) ** (2 * np.arange(t))


def _line_3(c, t, sigma0, sigma):
    a = (1 - c) ** 2
    return a**t * sigma0**2, c**2 * sigma**2 / (1 - a), a ** np.arange(t + 1)


def _line_4(c, t, sigma0, sigma):
    a = (1 - c) ** 2
    return a**t * sigma0**2, c**2 * sigma**2 / (1 - a), 1.0, a**t


def _as_differences(before, c, t, sigma0, sigma):
    """Any geometric sum: its ratio and its first term are read off the terms."""
    start, draws = before
    ratio = draws[1] / draws[0]
    return start, draws[0] / (1 - ratio), ratio ** np.arange(t + 1)


def _as_differences_of_sums(before, c, t, sigma0, sigma):
    """Any sum: equal draws have no ratio but 1, and then the powers fall by one from draw to draw."""
    start, draws = before
    return start, draws[0], 1 - np.append(0, np.cumsum(draws / draws[0]))


constant_variance = Chain(
    "constant_variance",
    asks="The variance of a constant step",
    first=_line_1,
    lines=[
        Line(
            does="unroll the loop: what is left of the start's variance, and of that of each draw, the latest first",
            parts=("start", "draws"),
            reference=_line_2,
            whole=lambda here, c, t, sigma0, sigma: here[0] + np.sum(here[1]),
            mistakes=[
                Mistake(
                    "The powers are those of (11.6) itself: in a variance every weight is squared, that of θ₀ too.",
                    lambda c, t, sigma0, sigma: (
                        (1 - c) ** t * sigma0**2,
                        c**2 * sigma**2 * (1 - c) ** np.arange(t),
                    ),
                ),
                Mistake(
                    "The start's variance does not fade: every step multiplies it by (1 − c)².",
                    but(_line_2, 0, lambda c, t, sigma0, sigma: sigma0**2),
                ),
                Mistake(
                    "Each draw enters with c here: its weight is c, so its variance enters with c².",
                    but(_line_2, 1, lambda c, t, sigma0, sigma: c * sigma**2 * (1 - c) ** (2 * np.arange(t))),
                ),
                Mistake(
                    "Each draw has faded once too often: no step has come after the latest one.",
                    but(_line_2, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 * (1 - c) ** (2 * np.arange(1, t + 1))),
                ),
                Mistake(
                    "The order of the draws is reversed: the latest comes first, and it has faded least.",
                    but(_line_2, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 * (1 - c) ** (2 * np.arange(t)[::-1])),
                ),
                Mistake(
                    "The draws fade with 1 − c here: in a variance every weight is squared.",
                    but(_line_2, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 * (1 - c) ** np.arange(t)),
                ),
                Mistake(
                    "The start fades with 1 − c here: in a variance every weight is squared.",
                    but(_line_2, 0, lambda c, t, sigma0, sigma: (1 - c) ** t * sigma0**2),
                ),
                Mistake(
                    "sigma is not squared in the draws: the variance of a draw is σ².",
                    but(_line_2, 1, lambda c, t, sigma0, sigma: c**2 * sigma * (1 - c) ** (2 * np.arange(t))),
                ),
                Mistake(
                    "sigma0 is not squared in the start: its variance is σ₀².",
                    but(_line_2, 0, lambda c, t, sigma0, sigma: (1 - c) ** (2 * t) * sigma0),
                ),
                Mistake(
                    "The draws do not fade: every later step multiplies a draw's variance by (1 − c)².",
                    but(_line_2, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 * np.ones(t)),
                ),
                Mistake(
                    "The start has faded once too seldom: t steps multiply its variance.",
                    but(_line_2, 0, lambda c, t, sigma0, sigma: (1 - c) ** (2 * t - 2) * sigma0**2),
                ),
                Mistake(
                    "σ and σ₀ have changed places: the start is of variance σ₀², each draw of σ².",
                    lambda c, t, sigma0, sigma: _line_2(c, t, sigma, sigma0),
                ),
                Mistake(
                    "The step adds to what is there: every step multiplies it by (1 − c)², and not by (1 + c)².",
                    lambda c, t, sigma0, sigma: (
                        (1 + c) ** (2 * t) * sigma0**2,
                        c**2 * sigma**2 * (1 + c) ** (2 * np.arange(t)),
                    ),
                ),
            ],
        ),
        Line(
            does="write the sum of the draws as factor · Σᵢ (powersᵢ − powersᵢ₊₁), where the powers begin with 1",
            parts=("start", "factor", "powers"),
            reference=_line_3,
            follows=[_as_differences, _as_differences_of_sums],
            whole=lambda here, c, t, sigma0, sigma: (here[0], -here[1] * np.diff(here[2])),
            mistakes=[
                Mistake(
                    "A difference of neighbours is not yet a power: aⁱ − aⁱ⁺¹ = aⁱ(1 − a). What has to divide it?",
                    but(_line_3, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2),
                ),
                Mistake(
                    "1 − a was taken as 1 − (1 − c) = c: the draws fade by a = (1 − c)², so 1 − a = 1 − (1 − c)².",
                    but(_line_3, 1, lambda c, t, sigma0, sigma: c * sigma**2),
                ),
                Mistake(
                    "The factor is negative: aⁱ − aⁱ⁺¹ = aⁱ(1 − a), and 1 − a is positive.",
                    but(_line_3, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 / ((1 - c) ** 2 - 1)),
                ),
                Mistake(
                    "The powers begin with a: the latest draw has not faded, so they begin with a⁰.",
                    but(_line_3, 2, lambda c, t, sigma0, sigma: (1 - c) ** (2 * np.arange(1, t + 2))),
                ),
                Mistake(
                    "The powers are those of 1 − c: two neighbouring draws of line 2 have the ratio (1 − c)².",
                    but(_line_3, 2, lambda c, t, sigma0, sigma: (1 - c) ** np.arange(t + 1)),
                ),
                Mistake(
                    "1 + a divides here: aⁱ − aⁱ⁺¹ = aⁱ(1 − a).",
                    but(_line_3, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 / (1 + (1 - c) ** 2)),
                ),
                Mistake(
                    "a divides here: aⁱ − aⁱ⁺¹ = aⁱ(1 − a).",
                    but(_line_3, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 / (1 - c) ** 2),
                ),
                Mistake(
                    "1 − a multiplies: aⁱ is the difference aⁱ − aⁱ⁺¹ divided by 1 − a.",
                    but(_line_3, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 * (1 - (1 - c) ** 2)),
                ),
                Mistake(
                    "σ² is lost in the factor.", but(_line_3, 1, lambda c, t, sigma0, sigma: c**2 / (1 - (1 - c) ** 2))
                ),
                Mistake(
                    "1 − c² divides here: 1 − a is 1 − (1 − c)².",
                    but(_line_3, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 / (1 - c**2)),
                ),
                Mistake(
                    "The start is lost: it stays before the sum as it is.",
                    but(_line_3, 0, lambda c, t, sigma0, sigma: 0.0),
                ),
                Mistake(
                    "Factor and powers are those of 1 − c: two neighbouring draws of line 2 have the ratio (1 − c)².",
                    lambda c, t, sigma0, sigma: (
                        _line_3(c, t, sigma0, sigma)[0],
                        c * sigma**2,
                        (1 - c) ** np.arange(t + 1),
                    ),
                ),
                Mistake(
                    "c²σ² is in the powers, and they begin with 1: it belongs to the factor.",
                    lambda c, t, sigma0, sigma: (
                        _line_3(c, t, sigma0, sigma)[0],
                        1 / (1 - (a := (1 - c) ** 2)),
                        c**2 * sigma**2 * a ** np.arange(t + 1),
                    ),
                ),
                Mistake(
                    "The powers stand in the reverse order: they begin with 1.",
                    but(_line_3, 2, lambda c, t, sigma0, sigma: (1 - c) ** (2 * np.arange(t + 1)[::-1])),
                ),
            ],
        ),
        Line(
            does="cancel what cancels: two powers are left of the sum, and no sum, factor · (first − last)",
            parts=("start", "factor", "first", "last"),
            forms=[without("sum", "There is still a sum in it: what cancels is left out.")],
            reference=_line_4,
            follows=lambda before, c, t, sigma0, sigma: (before[0], before[1], before[2][0], before[2][-1]),
            whole=lambda here, c, t, sigma0, sigma: here[0] + here[1] * (here[2] - here[3]),
            mistakes=[
                Mistake(
                    "The last difference is that of i = t − 1: which power does it subtract?",
                    but(_line_4, 3, lambda c, t, sigma0, sigma: (1 - c) ** (2 * (t - 1))),
                ),
                Mistake(
                    "The two are exchanged: the first power stands with a plus and the last one with a minus.",
                    lambda c, t, sigma0, sigma: (*_line_4(c, t, sigma0, sigma)[:2], (1 - c) ** (2 * t), 1.0),
                ),
                Mistake(
                    "The first power does not cancel with a later one: it is that of the latest draw, a⁰.",
                    but(_line_4, 2, lambda c, t, sigma0, sigma: (1 - c) ** 2),
                ),
                Mistake(
                    "This is a power of 1 − c: the powers are those of a = (1 − c)².",
                    but(_line_4, 3, lambda c, t, sigma0, sigma: (1 - c) ** t),
                ),
                Mistake(
                    "The sum stops one power too late: the last difference is that of i = t − 1.",
                    but(_line_4, 3, lambda c, t, sigma0, sigma: (1 - c) ** (2 * t + 2)),
                ),
                Mistake(
                    "The last power is 0 only for infinitely many draws: it is that of line 3.",
                    but(_line_4, 3, lambda c, t, sigma0, sigma: 0.0),
                ),
                Mistake(
                    "The first power is 0 here: the powers begin with 1, and nothing cancels the first of them.",
                    but(_line_4, 2, lambda c, t, sigma0, sigma: 0.0),
                ),
                Mistake(
                    "first − last is in the factor already: it is that of line 3.",
                    but(
                        _line_4, 1, lambda c, t, sigma0, sigma: c**2 * sigma**2 / (1 - (a := (1 - c) ** 2)) * (1 - a**t)
                    ),
                ),
                Mistake(
                    "The factor is multiplied into first and last: it stands before their difference.",
                    lambda c, t, sigma0, sigma: (
                        _line_4(c, t, sigma0, sigma)[0],
                        1.0,
                        (q := _line_4(c, t, sigma0, sigma)[1]),
                        q * (1 - c) ** (2 * t),
                    ),
                ),
            ],
        ),
    ],
    cases=_constant,
    forbids=(sg.parts, sg.constant_parts, sg.forgetting_weights, sg.noise_floor),
    alternatives=[
        Alternative(  # the variance of (11.6), weight by weight
            lambda c, t, sigma0, sigma: (
                (sigma0 * (1 - c) ** t) ** 2,
                [(c * (1 - c) ** i * sigma) ** 2 for i in range(t)],
            ),
            part=0,
        ),
        Alternative(
            lambda c, t, sigma0, sigma: (
                (1 - 2 * c + c**2) ** t * sigma0**2,
                c * sigma**2 / (2 - c),
                np.cumprod(np.append(1.0, np.full(t, (1 - c) * (1 - c)))),
            ),
            part=1,
        ),
        Alternative(
            lambda c, t, sigma0, sigma: (
                np.exp(2 * t * np.log(1 - c)) * sigma0**2,
                sigma**2 / (2 / c - 1),
                1,
                (1 - c) ** (2 * t),
            ),
            part=2,
        ),
    ],
    hints=(
        Hint(
            "How do I unroll it?",
            "Write $V_1$, $V_2$ and $V_3$ out, without brackets. Or take the variance of (11.6), weight by weight.",
        ),
        Hint(
            "How does a power become a difference?",
            r"Compare $a^i-a^{i+1}$ with $a^i$: they differ by a factor that does not depend on $i$.",
        ),
        Hint(
            "What is the difference good for?",
            "Each power but two comes once with plus and once with minus.",
        ),
    ),
    see="Line 1 is equation (11.7), line 4 is equation (11.8). Line 3 is the proof of the geometric sum.",
)


# --- 11f, 11g: the floor ---

sgd_floor = Function(
    "sgd_floor",
    asks="What noise stays for ever",
    points=1,
    reference=sg.noise_floor,
    cases=_floors,
    forbids=(sg.constant_parts, sg.parts),
    mistakes=[
        Mistake(
            "cσ²/2 is what it looks like for small c: keep the c in the denominator, at c = 1 the answer is σ².",
            lambda c, sigma: c * sigma**2 / 2,
        ),
        Mistake(
            "c²σ² is the noise of the latest draw alone: what is left of the earlier ones comes on top.",
            lambda c, sigma: c**2 * sigma**2,
        ),
        Mistake(
            "σ² is the variance of a single draw: θ_t averages over many of them as soon as c < 1.",
            lambda c, sigma: sigma**2 + 0 * c,
        ),
        Mistake(
            "Here 1 − a was taken as 1 − (1 − c) = c: the geometric sum runs over powers of (1 − c)².",
            lambda c, sigma: c * sigma**2,
        ),
        Mistake(
            "One c too many: 1 − (1 − c)² = c(2 − c), and its c cancels one of c².",
            lambda c, sigma: c**2 * sigma**2 / (2 - c),
        ),
        Mistake(
            "1 − (1 − c)² = 2c − c², with a minus: the denominator is not 2 + c.",
            lambda c, sigma: c * sigma**2 / (2 + c),
        ),
        Mistake(
            "Both factors c are gone: 1 − (1 − c)² = c(2 − c) has one of them, c² has two.",
            lambda c, sigma: sigma**2 / (2 - c),
        ),
    ],
    alternatives=[
        Alternative(lambda c, sigma: c**2 * sigma**2 / (1 - (1 - c) ** 2)),
        Alternative(lambda c, sigma: sigma**2 * np.sum((c * (1 - c) ** np.arange(2000)) ** 2)),
        Alternative(lambda c, sigma: sigma**2 / (2 / c - 1)),
    ],
    hints=(
        Hint("What goes to 0?", r"$(1-c)^{2t}$, for $0<c<1$. It stands in (11.8) twice."),
        Hint("How do I simplify the rest?", r"Multiply $1-(1-c)^2$ out. One $c$ cancels."),
    ),
    see="Equation (11.9): (11.8) with every power of 1 − c set to 0.",
)

constant_limit = Choice(
    "constant_limit",
    asks="Does a constant step converge?",
    points=1,
    options={
        "a": Option(
            "yes, since its bias tends to 0",
            wrong="The bias says where the runs are on average. How far is a single run from there?",
        ),
        "b": Option("no: it comes near $\\theta^*$ and keeps moving about it"),
        "c": Option(
            "yes, if $c$ is small enough",
            wrong="A smaller c makes the floor cσ²/(2 − c) smaller, but for no c > 0 is it 0.",
        ),
    },
    reasons={
        "i": Option(
            "the bound $\\mathrm{MSE}/\\varepsilon^2$ does not tend to 0",
            wrong="It is an upper bound. That a bound stays large does not show that the probability does.",
        ),
        "ii": Option(
            "each $\\theta_t$ is biased, and a biased estimate cannot converge",
            wrong="The average (11.3) is biased for every t, by b₀/(t + 1), and converges.",
        ),
        "iii": Option(
            "$\\theta_{t+1}-\\theta_t=c\\,(y_t-\\theta_t)$, where $y_t$ is independent of $\\theta_t$ and has variance "
            "$\\sigma^2$: the steps do not become small"
        ),
    },
    hints=(
        Hint(
            "What would convergence need?", "If $\\theta_t$ is close to a number from some $t$ on, its steps are small."
        ),
    ),
    see="The paragraph after the choice: a step of fixed size c follows every new draw.",
)


# --- 11h: steps that shrink too fast ---

sgd_stuck = Function(
    "sgd_stuck",
    asks="Steps that shrink too fast",
    points=1,
    reference=sg.stuck_bias,
    cases=_biases,
    forbids=(sg.parts, sg.decaying_parts),
    mistakes=[
        Mistake(
            "(1 − 1/(k + 2))² is not 1 − 1/(k + 2)²: the step is squared here, not what it leaves.",
            lambda t, b0: b0 / (t + 1) ** 2,
        ),
        Mistake(
            "The steps were added up: each one takes its share of what the others have left, so the factors multiply.",
            lambda t, b0: b0 * (1 - np.sum(1 / np.arange(2, t + 2) ** 2)),
        ),
        Mistake(
            "One factor too many: the t steps before θ_t are η₀, …, η_{t−1}.",
            lambda t, b0: b0 * (t + 3) / (2 * (t + 2)),
        ),
        Mistake(
            "The steps are 1/4, 1/9, …: this product begins with 1 − 1/9.",
            lambda t, b0: b0 * np.prod(1 - 1 / np.arange(3, t + 3) ** 2.0),
        ),
        Mistake("b₀/2 is the limit: after t steps a little more is left.", lambda t, b0: b0 / 2 + 0 * t),
    ],
    alternatives=[
        Alternative(lambda t, b0: b0 * np.prod(1 - 1 / np.arange(2, t + 2) ** 2)),
        Alternative(lambda t, b0: b0 / 2 * (1 + 1 / (t + 1))),
    ],
    hints=(
        Hint(
            "Which equation do I use?",
            r"(11.7): every step multiplies the bias by $1-\eta_k$, here for $k=0,\dots,t-1$.",
        ),
        Hint(
            "Is there a formula without a product?",
            r"$1-\frac1{(k+2)^2}=\frac{(k+1)(k+3)}{(k+2)^2}$: write out three factors and cancel. "
            "`np.prod` is right as well.",
        ),
    ),
    see="Equation (11.11): the product of all 1 − η_k, in which nearly everything cancels.",
)


# --- 11i, 11j: batches ---

batch_gradient = Function(
    "batch_gradient",
    asks="The gradient on a batch",
    points=2,
    reference=sg.minibatch_gradient,
    cases=_batches,
    mistakes=[
        Mistake(
            "Divided by n, but only m rows were added up: on average this is m/n of the gradient.",
            lambda w, X, y, batch: 2 * X[batch].T @ (X[batch] @ w - y[batch]) / len(y),
        ),
        Mistake(
            "This is the sum over the batch: L is a mean, so divide by m, or the step grows with the batch.",
            lambda w, X, y, batch: 2 * X[batch].T @ (X[batch] @ w - y[batch]),
        ),
        Mistake(
            "Every entry is half of the gradient: the derivative of r² is 2r.",
            lambda w, X, y, batch: X[batch].T @ (X[batch] @ w - y[batch]) / len(batch),
        ),
        Mistake(
            "The sign is reversed: w − ηg would climb. The residual is Xw − y.",
            lambda w, X, y, batch: 2 * X[batch].T @ (y[batch] - X[batch] @ w) / len(batch),
        ),
        Mistake(
            "This is the gradient on all rows: batch does not come in.",
            lambda w, X, y, batch: 2 * X.T @ (X @ w - y) / len(y),
        ),
        Mistake(
            "These are the first m rows: batch holds the numbers of the rows to take, X[batch].",
            lambda w, X, y, batch: 2 * X[: len(batch)].T @ (X[: len(batch)] @ w - y[: len(batch)]) / len(batch),
        ),
    ],
    alternatives=[
        Alternative(lambda w, X, y, batch: np.mean([2 * X[i] * (X[i] @ w - y[i]) for i in batch], axis=0)),
        Alternative(lambda w, X, y, batch: 2 * X.T @ (np.bincount(batch, minlength=len(y)) * (X @ w - y)) / len(batch)),
    ],
    hints=(
        Hint(
            "What is the gradient for one patient?",
            r"$\nabla(x_i^\top w-y_i)^2=2x_i(x_i^\top w-y_i)$, of shape $(d,)$.",
        ),
        Hint("How do I take the rows?", "`X[batch]` has shape $(m,d)$, `y[batch]` shape $(m,)$."),
    ),
    see="Equation (11.12): the mean of the single gradients, over the batch.",
)


def _brute(v, m):
    return np.var([np.mean(chosen) for chosen in combinations(v, m)])


batch_noise = Function(
    "batch_noise",
    asks="The noise of a batch",
    points=2,
    reference=lambda v, m: sg.batch_variance(v, m),
    cases=_numbers,
    forbids=(sg.batch_variance,),
    mistakes=[
        Mistake(
            "s²/m holds with replacement: without it a batch of all n numbers has no noise left.",
            lambda v, m: np.var(v) / m,
        ),
        Mistake("s² is the variance of a single number: a mean of m is calmer.", lambda v, m: np.var(v)),
        Mistake(
            "s²/m with 1/(n − 1) in s² is an estimate for draws with replacement. Put m = n in: the noise must vanish.",
            lambda v, m: np.var(v, ddof=1) / m,
        ),
        Mistake(
            "n − 1 is used twice: with 1/(n − 1) in s² the factor is (n − m)/n.",
            lambda v, m: np.var(v, ddof=1) / m * (len(v) - m) / (len(v) - 1),
        ),
        Mistake(
            "(n − m)/n goes with 1/(n − 1) in s²; here s² has 1/n. At m = 1 the answer must be s².",
            lambda v, m: np.var(v) / m * (len(v) - m) / len(v),
        ),
        Mistake(
            "The 1/m is missing: the factor (n − m)/(n − 1) comes on top of it.",
            lambda v, m: np.var(v) * (len(v) - m) / (len(v) - 1),
        ),
        Mistake(
            "This is the variance of the sum of the batch: the mean has 1/m² of it.",
            lambda v, m: m * np.var(v) * (len(v) - m) / (len(v) - 1),
        ),
    ],
    alternatives=[
        Alternative(_brute),
        Alternative(lambda v, m: np.var(v, ddof=1) * (1 / m - 1 / len(v))),
    ],
    hints=(
        Hint(
            "Which two cases do I know?",
            "At $m=1$ the variance is $s^2$. At $m=n$ every batch is the whole, and it is 0.",
        ),
        Hint(
            "Why is it less than s²/m?",
            r"The $m$ numbers are not independent: who draws a large one cannot draw it again, so two of them have "
            r"covariance $-s^2/(n-1)$. Then $\mathrm{Var}=\frac1{m^2}\big(ms^2+m(m-1)\,\mathrm{Cov}\big)$.",
        ),
        Hint("Can I let the computer tell?", "`itertools.combinations(v, m)` lists all batches. Any right way counts."),
    ),
    see="Equation (11.13) and the paragraph before it.",
)


step_drop = Explanation(
    "step_drop",
    asks="Why the curve falls twice",
    points=3,
    rubric=(
        "1 point: the first fall is the bias, forgotten like (1 − c)ᵗ; the plateau is the noise floor cσ²/(2 − c), so "
        "waiting longer does not help. 1 point: dividing c by 10 lowers the floor about tenfold, and the variance "
        "above the new floor fades like (1 − c/10)²ᵗ: the second fall. 1 point: with the small step from the start the "
        "bias takes about ten times as many steps to fade."
    ),
)

topic = Topic(
    number=11,
    slug="stochastic_gradient",
    title="Stochastic gradient descent",
    question="How far can we go on a gradient that is wrong in every step?",
    part="Optimisation",
    minutes=75,
    before={
        "gradient_descent": "gradient descent",
        "bias_variance": "bias and variance of an estimate",
    },
    exercises=[
        sgd_average,
        sgd_decaying_parts,
        sgd_mse,
        sgd_weights,
        constant_variance,
        sgd_floor,
        constant_limit,
        sgd_stuck,
        batch_gradient,
        batch_noise,
        step_drop,
    ],
)
check = Checks(topic)
