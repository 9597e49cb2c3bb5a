"""The exercises of 07 bias and variance."""

import numpy as np

from mlcore import bias_variance
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
    gradient_of,
)

# --- data to be tried on ---


def _estimates(rng):
    """Estimates that miss the truth on average, upwards and downwards: a forgotten bias shows. A truth is below 0."""
    few = rng.integers(1, 9, size=4) * rng.permutation([1.0, 1.0, 1.0, -1.0])
    some, many = rng.normal(1, 1.5, size=7), rng.gamma(2, 2, size=12)
    return [
        (few, few.mean() + rng.choice([-1.0, 1.0]) * rng.uniform(1.5, 3)),
        (some, min(some.mean(), 0.0) - rng.uniform(1.5, 3)),
        (many, many.mean() + rng.uniform(1.5, 3)),
    ]


def _inputs(rng, n):
    return rng.uniform(0.8, 2.0, size=n) * rng.choice([-1.0, 1.0], size=n)


def _weights(rng):
    """(lam, x, w_true, w0, sigma): the guess below, above and beyond 0 from the truth, the best λ above and below 1."""
    low, high, beyond = rng.uniform(1.3, 2, size=3)
    weights = [
        (low + rng.uniform(0.4, 0.9), low, rng.uniform(1.2, 1.6)),
        (-high - rng.uniform(1, 2.5), -high, rng.uniform(0.4, 0.9)),
        (-rng.uniform(0.5, 2), beyond, rng.uniform(0.4, 0.9)),
    ]
    return [(rng.uniform(0.5, 1.9), _inputs(rng, n), *weight) for n, weight in zip((3, 6, 10), weights, strict=True)]


def _without_penalty(rng):
    return [case[1:] for case in _weights(rng)]


def _slopes(rng):
    """(lam, s2, delta, sigma): downhill, uphill, and the guess on either side of the truth."""
    cases = []
    for side, low, high in ((1, 0.2, 0.7), (-1, 1.5, 3), (-1, 0.2, 0.7)):
        delta, sigma = side * rng.uniform(0.7, 2), rng.uniform(0.6, 1.6)
        cases.append((rng.uniform(low, high) * sigma**2 / delta**2, rng.uniform(2, 12), delta, sigma))
    return cases


def _predictions(rng):
    """(H, Y, t), the fits off the truth by more at some points than at others."""
    cases = []
    for m, k in ((2, 3), (6, 4), (5, 9)):
        t = rng.normal(size=k)
        H = t + rng.uniform(0.5, 1.5, size=k) * rng.choice([-1, 1], size=k) + 0.6 * rng.normal(size=(m, k))
        cases.append((H.round(1), (t + 0.5 * rng.normal(size=(m, k))).round(1), t.round(1)))
    return cases


def _designs(rng):
    """(X, t, sigma), with t outside the span of the columns."""
    return [
        (rng.integers(1, 6, size=(n, d)) + rng.normal(size=(n, d)).round(1), 3 * rng.normal(size=n).round(1), sigma)
        for n, d, sigma in ((4, 2, 1.5), (12, 3, rng.uniform(1.2, 2.5)), (15, 6, rng.uniform(0.4, 0.8)))
    ]


# --- 7a: the decomposition, line by line ---


def _line_1(e, theta):
    return np.mean((e - theta) ** 2)


def _line_4(e, theta):
    return np.var(e) + (np.mean(e) - theta) ** 2


_VARIANCE_AND_BIAS = {
    "mean of (e − ē)²": lambda e, theta: np.var(e),
    "(ē − θ)²": lambda e, theta: (np.mean(e) - theta) ** 2,
}

error_split = Chain(
    "error_split",
    asks="Two reasons to be wrong",
    first=_line_1,
    lines=[
        Line(
            does="add and subtract the mean ē inside the square",
            reference=_line_1,
            terms=_VARIANCE_AND_BIAS,
            mistakes=[
                Mistake(
                    "The mean is taken before the square: the misses cancel, and only the squared bias is left.",
                    lambda e, theta: np.mean((e - e.mean()) + (e.mean() - theta)) ** 2,
                ),
                Mistake(
                    "ē was subtracted and not added again: the line before has e − θ inside the square.",
                    lambda e, theta: np.mean((e - e.mean() - theta) ** 2),
                ),
                Mistake(
                    "θ is gone: the square of e − ē alone says how the estimates scatter, wherever the truth is.",
                    lambda e, theta: np.mean((e - e.mean()) ** 2),
                ),
            ],
        ),
        Line(
            does="multiply the square out and take the mean of each term",
            reference=_line_1,
            terms=_VARIANCE_AND_BIAS,
            mistakes=[
                Mistake(
                    "The bias comes in without its square: (a + b)² ends in b².",
                    lambda e, theta: np.var(e) + (e.mean() - theta),
                ),
                Mistake(
                    "|ē − θ| in place of (ē − θ)²: a square, not a modulus.",
                    lambda e, theta: np.var(e) + abs(e.mean() - theta),
                ),
                Mistake(
                    "Only the squared bias is left: the mean of (e − ē)² does not vanish, the mean of e − ē does.",
                    lambda e, theta: (e.mean() - theta) ** 2,
                ),
                Mistake(
                    "The standard deviation stands where the variance belongs: nobody takes a root here.",
                    lambda e, theta: np.std(e) + (e.mean() - theta) ** 2,
                ),
                Mistake(
                    "np.var(e, ddof=1) divides by one less than the number of estimates: the mean of all squares is "
                    "meant.",
                    lambda e, theta: np.var(e, ddof=1) + (e.mean() - theta) ** 2,
                ),
            ],
        ),
    ],
    last=_line_4,
    cases=_estimates,
    forbids=(bias_variance.split,),
    alternatives=[
        Alternative(lambda e, theta: np.sum(((e - e.mean()) + (e.mean() - theta)) ** 2) / len(e), part=0),
        Alternative(lambda e, theta: np.mean(((e - np.mean(e)) - (theta - np.mean(e))) ** 2), part=0),
        Alternative(
            lambda e, theta: (
                np.mean((e - e.mean()) ** 2) + 2 * (e.mean() - theta) * np.mean(e - e.mean()) + (e.mean() - theta) ** 2
            ),
            part=1,
        ),
        Alternative(lambda e, theta: np.mean((e - e.mean()) ** 2) + (e.mean() - theta) ** 2, part=1),
    ],
    hints=(
        Hint("What do I add and subtract?", r"$e-\theta=(e-\bar e)+(\bar e-\theta)$, with `e_mean = np.mean(e)`."),
        Hint(
            "I have three terms. What is the mean of the middle one?",
            r"$\bar e-\theta$ is the same for every estimate, so it leaves the mean: "
            r"$2(\bar e-\theta)\cdot\mathrm{mean}(e-\bar e)$. What is the mean of the deviations from a mean?",
        ),
        Hint("May I leave a zero out?", "Yes: a line has to have the same value as the line before it."),
    ),
    see="Equation (7.1): line 4, with the mean over the estimates written as E.",
)


# --- one weight ---


def _parts(bias, variance):
    """An answer to `shrunk_weight` from two functions of (lam, s2, delta, sigma)."""

    def answer(lam, x, w_true, w0, sigma):
        args = (lam, x @ x, w_true - w0, sigma)
        return bias(*args), variance(*args)

    return answer


def _bias(lam, s2, delta, sigma):
    return -lam * delta / (s2 + lam)


def _variance(lam, s2, delta, sigma):
    return s2 * sigma**2 / (s2 + lam) ** 2


shrunk_weight = Function(
    "shrunk_weight",
    asks="Bias and variance of a shrunken weight",
    points=2,
    reference=lambda lam, x, w_true, w0, sigma: (
        bias_variance.bias(lam, x, w_true, w0),
        bias_variance.variance(lam, x, sigma),
    ),
    returns=("bias", "variance"),
    cases=_weights,
    forbids=(bias_variance.bias, bias_variance.variance),
    mistakes=[
        Mistake(
            "The bias has the wrong sign: ŵ is pulled towards w₀, so its mean misses w* on the side of w₀.",
            _parts(lambda *args: -_bias(*args), _variance),
        ),
        Mistake(
            "The variance lacks s²: the noise enters as Σxᵢξᵢ, whose variance is σ²Σxᵢ².",
            _parts(_bias, lambda lam, s2, delta, sigma: sigma**2 / (s2 + lam) ** 2),
        ),
        Mistake(
            "σ²/s² is the variance at λ = 0: the penalty makes it smaller.",
            _parts(_bias, lambda lam, s2, delta, sigma: sigma**2 / s2),
        ),
        Mistake(
            "The variance has s² + λ once: a constant leaves a variance squared, Var(cZ) = c² Var Z.",
            _parts(_bias, lambda lam, s2, delta, sigma: s2 * sigma**2 / (s2 + lam)),
        ),
        Mistake(
            "σ comes in without its square: the variance of each ξᵢ is σ².",
            _parts(_bias, lambda lam, s2, delta, sigma: s2 * sigma / (s2 + lam) ** 2),
        ),
        Mistake(
            "This is the bias for the guess 0: the pull is towards w₀.",
            lambda lam, x, w_true, w0, sigma: (
                _bias(lam, x @ x, w_true, sigma),
                _variance(lam, x @ x, w_true, sigma),
            ),
        ),
        Mistake(
            "The first number is the mean of ŵ itself: the bias is its distance from w*.",
            lambda lam, x, w_true, w0, sigma: (
                w_true + _bias(lam, x @ x, w_true - w0, sigma),
                _variance(lam, x @ x, w_true - w0, sigma),
            ),
        ),
        Mistake(
            "The mean of the xᵢ² stands where their sum belongs: s² = Σxᵢ².",
            lambda lam, x, w_true, w0, sigma: (
                _bias(lam, np.mean(x**2), w_true - w0, sigma),
                _variance(lam, np.mean(x**2), w_true - w0, sigma),
            ),
        ),
    ],
    alternatives=[
        Alternative(  # ŵ is linear in y: put the mean of y in, and add the squared coefficients of the noise
            lambda lam, x, w_true, w0, sigma: (
                (x @ (w_true * x) + lam * w0) / (x @ x + lam) - w_true,
                np.sum((sigma * x / (x @ x + lam)) ** 2),
            )
        ),
        Alternative(
            lambda lam, x, w_true, w0, sigma: (
                (w0 - w_true) / (1 + x @ x / lam),
                (sigma * np.linalg.norm(x) / (x @ x + lam)) ** 2,
            )
        ),
    ],
    hints=(
        Hint("Where do I start?", r"Put $y_i=w^*x_i+\xi_i$ into (7.2): $\sum_ix_iy_i=w^*s^2+\sum_ix_i\xi_i$."),
        Hint(
            "And the bias?",
            r"Subtract $w^*=w^*\frac{s^2+\lambda}{s^2+\lambda}$. One term has no noise in it, that is the bias; "
            r"the other has mean 0.",
        ),
        Hint(
            "And the variance?",
            r"Only $\frac{\sum_ix_i\xi_i}{s^2+\lambda}$ is random. The $\xi_i$ are independent, so the variances of "
            r"$x_i\xi_i$ add up.",
        ),
    ),
    see="Equations (7.3) and (7.4): the two terms of ŵ − w*, one without noise and one with mean 0.",
)


# --- from MSE(λ) to the best λ ---


def _mse_1(lam, s2, delta, sigma):
    return (lam**2 * delta**2 + s2 * sigma**2) / (s2 + lam) ** 2


def _mse_4(lam, s2, delta, sigma):
    return 2 * s2 * (lam * delta**2 - sigma**2) / (s2 + lam) ** 3


mse_slope = Chain(
    "mse_slope",
    asks="Downhill or uphill?",
    first=_mse_1,
    lines=[
        Line(
            does="differentiate with respect to λ, by the quotient rule",
            reference=gradient_of(_mse_1),
            mistakes=[
                Mistake(
                    "Numerator and denominator are differentiated each on its own: (f/g)′ = (f′g − fg′)/g².",
                    lambda lam, s2, delta, sigma: 2 * lam * delta**2 / (2 * (s2 + lam)),
                ),
                Mistake(
                    "The two products of the quotient rule are added: (f/g)′ = (f′g − fg′)/g², with a minus.",
                    lambda lam, s2, delta, sigma: (
                        (2 * lam * delta**2 * (s2 + lam) ** 2 + 2 * (lam**2 * delta**2 + s2 * sigma**2) * (s2 + lam))
                        / (s2 + lam) ** 4
                    ),
                ),
                Mistake(
                    "The denominator was held fixed: it contains λ too.",
                    lambda lam, s2, delta, sigma: 2 * lam * delta**2 / (s2 + lam) ** 2,
                ),
                Mistake(
                    "The denominator is not squared: (f/g)′ = (f′g − fg′)/g², and g is (s² + λ)².",
                    lambda lam, s2, delta, sigma: (
                        (2 * lam * delta**2 * (s2 + lam) ** 2 - 2 * (lam**2 * delta**2 + s2 * sigma**2) * (s2 + lam))
                        / (s2 + lam) ** 2
                    ),
                ),
            ],
        ),
        Line(
            does="cancel one factor s² + λ",
            reference=gradient_of(_mse_1),
            mistakes=[
                Mistake(
                    "The factor was cancelled in one of the two products: both have it.",
                    lambda lam, s2, delta, sigma: (
                        (2 * lam * delta**2 * (s2 + lam) - 2 * (lam**2 * delta**2 + s2 * sigma**2) * (s2 + lam))
                        / (s2 + lam) ** 3
                    ),
                ),
                Mistake(
                    "The factor was cancelled above and not below: (s² + λ)³ is left there.",
                    lambda lam, s2, delta, sigma: (
                        (2 * lam * delta**2 * (s2 + lam) - 2 * (lam**2 * delta**2 + s2 * sigma**2)) / (s2 + lam) ** 4
                    ),
                ),
                Mistake(
                    "The second product lost its 2: the derivative of (s² + λ)² is 2(s² + λ).",
                    lambda lam, s2, delta, sigma: (
                        (2 * lam * delta**2 * (s2 + lam) - (lam**2 * delta**2 + s2 * sigma**2)) / (s2 + lam) ** 3
                    ),
                ),
            ],
        ),
    ],
    last=_mse_4,
    cases=_slopes,
    alternatives=[
        Alternative(  # the product rule
            lambda lam, s2, delta, sigma: (
                2 * lam * delta**2 / (s2 + lam) ** 2 - 2 * (lam**2 * delta**2 + s2 * sigma**2) / (s2 + lam) ** 3
            ),
            part=0,
        ),
        Alternative(
            lambda lam, s2, delta, sigma: (
                (2 * lam * delta**2 * s2 + 2 * lam**2 * delta**2 - 2 * lam**2 * delta**2 - 2 * s2 * sigma**2)
                / (s2 + lam) ** 3
            ),
            part=1,
        ),
    ],
    hints=(
        Hint(
            "What are f and g?",
            r"$f=\lambda^2\Delta^2+s^2\sigma^2$ and $g=(s^2+\lambda)^2$, so $f'=2\lambda\Delta^2$ "
            r"and $g'=2(s^2+\lambda)$.",
        ),
        Hint("Do I have to simplify line 2?", "No. It has to be the derivative, in any form."),
        Hint(
            "How do I get from line 3 to line 4?",
            r"Multiply out above: $2\lambda\Delta^2(s^2+\lambda)-2\lambda^2\Delta^2-2s^2\sigma^2$. Two terms cancel.",
        ),
    ),
    see="The list of lines above the cell: line 2 is (f′g − fg′)/g² for (7.5), line 4 is line 3 with s² in front.",
)

best_lam = Function(
    "best_lam",
    asks="The penalty with the smallest error",
    points=1,
    reference=lambda x, w_true, w0, sigma: bias_variance.best_penalty(w_true, w0, sigma),
    cases=_without_penalty,
    forbids=(bias_variance.best_penalty, bias_variance.best_mse),
    mistakes=[
        Mistake(
            "Upside down: noisier data must want more regularisation, and a worse guess less.",
            lambda x, w_true, w0, sigma: (w_true - w0) ** 2 / sigma**2,
        ),
        Mistake(
            "The squares are missing: line 4 has Δ² and σ², and λ must have the unit of Σxᵢ².",
            lambda x, w_true, w0, sigma: sigma / abs(w_true - w0),
        ),
        Mistake(
            "s² does not stay: it multiplies the whole slope, so it has no say in where the slope is 0.",
            lambda x, w_true, w0, sigma: x @ x * sigma**2 / (w_true - w0) ** 2,
        ),
        Mistake(
            "This is the answer for the guess 0: Δ is w* − w₀.",
            lambda x, w_true, w0, sigma: sigma**2 / w_true**2,
        ),
        Mistake(
            "This balances the two parts, bias² = variance. The sum is smallest where their slopes cancel.",
            lambda x, w_true, w0, sigma: np.sqrt(x @ x) * sigma / abs(w_true - w0),
        ),
    ],
    alternatives=[
        Alternative(lambda x, w_true, w0, sigma: (sigma / (w0 - w_true)) ** 2),
        Alternative(lambda x, w_true, w0, sigma: _by_bisection(x, w_true, w0, sigma)),
    ],
    hints=(
        Hint("Where is the minimum?", "Line 4 is the slope. Where is it 0, and what is its sign on either side?"),
        Hint("It is a fraction. When is it 0?", r"When $\lambda\Delta^2-\sigma^2=0$; here $\Delta=w^*-w_0$."),
    ),
    see="Equation (7.6): the zero of line 4 of exercise 7c.",
)


def _by_bisection(x, w_true, w0, sigma):
    """λ* by halving an interval until the slope of the error changes sign in it."""
    low, high = 0.0, 1e4
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if _mse_4(middle, x @ x, w_true - w0, sigma) > 0 else (middle, high)
    return middle


best_error = Function(
    "best_error",
    asks="The smallest error",
    points=1,
    reference=bias_variance.best_mse,
    cases=_without_penalty,
    forbids=(bias_variance.best_penalty, bias_variance.mse),
    mistakes=[
        Mistake(
            "This is MSE(0), the error without a penalty.",
            lambda x, w_true, w0, sigma: sigma**2 / (x @ x),
        ),
        Mistake(
            "This is MSE(∞), the error of the guess w₀ itself.",
            lambda x, w_true, w0, sigma: (w_true - w0) ** 2,
        ),
        Mistake(
            "This is the variance at λ*: the squared bias is still to be added.",
            lambda x, w_true, w0, sigma: _variance(sigma**2 / (w_true - w0) ** 2, x @ x, w_true - w0, sigma),
        ),
        Mistake(
            "This is the squared bias at λ*: the variance is still to be added.",
            lambda x, w_true, w0, sigma: _bias(sigma**2 / (w_true - w0) ** 2, x @ x, w_true - w0, sigma) ** 2,
        ),
        Mistake(
            "This is the smallest error with Σxᵢ² replaced by the mean of the xᵢ².",
            lambda x, w_true, w0, sigma: sigma**2 / (np.mean(x**2) + sigma**2 / (w_true - w0) ** 2),
        ),
        Mistake(
            "This is λ*: put it into (7.5).",
            lambda x, w_true, w0, sigma: sigma**2 / (w_true - w0) ** 2,
        ),
    ],
    alternatives=[
        Alternative(lambda x, w_true, w0, sigma: _mse_1(sigma**2 / (w_true - w0) ** 2, x @ x, w_true - w0, sigma)),
        Alternative(lambda x, w_true, w0, sigma: 1 / (x @ x / sigma**2 + 1 / (w_true - w0) ** 2)),
    ],
    hints=(
        Hint("What do I put in where?", r"$\lambda^*=\sigma^2/\Delta^2$ for every λ in (7.5)."),
        Hint(
            "Does it become simpler?",
            r"$\lambda^{*2}\Delta^2=\lambda^*\sigma^2$, so above stands $\sigma^2(s^2+\lambda^*)$: one factor cancels.",
        ),
    ),
    see="Equation (7.7): (7.6) put into (7.5).",
)

lam_with_more_data = Choice(
    "lam_with_more_data",
    asks="Four times as many points",
    points=1,
    options={
        "a": Option(
            "it becomes four times smaller",
            wrong="Put 4s² for s² into the slope, line 4: does its zero move?",
        ),
        "b": Option(
            "it becomes four times larger",
            wrong="That would keep the guess as influential as before, however many points speak against it.",
        ),
        "c": Option("it stays where it is"),
    },
    reasons={
        "i": Option(
            "more data deserve more trust, so the guess should count less",
            wrong="The guess does count less: its share of ŵ is λ/(s² + λ), and s² has grown. Does λ have to change?",
        ),
        "ii": Option(
            "the number of points enters the slope only through $s^2$, and the zero is the same for every $s^2$"
        ),
        "iii": Option(
            "the error does not depend on the number of points",
            wrong="MSE(0) = σ²/s² falls as points are added: the error does depend on it. Look at the slope.",
        ),
    },
    hints=(Hint("What changes?", "$s^2=\\sum_ix_i^2$ becomes four times as large. Where does line 4 contain it?"),),
    see="Equation (7.6), which has no s² in it.",
)


# --- prediction functions ---

prediction_parts = Function(
    "prediction_parts",
    asks="Variance, bias² and noise of predictions",
    points=2,
    reference=bias_variance.prediction_parts,
    returns=("variance", "bias²", "noise"),
    cases=_predictions,
    mistakes=[
        Mistake(
            "The variance is taken over the points: how much a fit changes from point to point. Over the data "
            "sets, axis 0, is asked for.",
            lambda H, Y, t: (np.mean(H.var(axis=1)), np.mean((H.mean(axis=0) - t) ** 2), np.mean((t - Y) ** 2)),
        ),
        Mistake(
            "The variance is taken over all numbers at once: it mixes how the fits differ with how each of them "
            "changes along x.",
            lambda H, Y, t: (H.var(), np.mean((H.mean(axis=0) - t) ** 2), np.mean((t - Y) ** 2)),
        ),
        Mistake(
            "The bias comes from the first data set alone: one fit cannot tell its bias from its luck.",
            lambda H, Y, t: (np.mean(H.var(axis=0)), np.mean((H[0] - t) ** 2), np.mean((t - Y) ** 2)),
        ),
        Mistake(
            "bias² is taken for every fit and then averaged: that contains the variance once more.",
            lambda H, Y, t: (np.mean(H.var(axis=0)), np.mean((H - t) ** 2), np.mean((t - Y) ** 2)),
        ),
        Mistake(
            "The bias is averaged over the points before it is squared: misses up and down cancel.",
            lambda H, Y, t: (np.mean(H.var(axis=0)), np.mean(H - t) ** 2, np.mean((t - Y) ** 2)),
        ),
        Mistake(
            "The bias is measured against the labels Y: the noise is in it, and then counted a second time.",
            lambda H, Y, t: (np.mean(H.var(axis=0)), np.mean((H.mean(axis=0) - Y) ** 2), np.mean((t - Y) ** 2)),
        ),
        Mistake(
            "The last number is the whole test error: the noise is the distance of the labels from t.",
            lambda H, Y, t: (np.mean(H.var(axis=0)), np.mean((H.mean(axis=0) - t) ** 2), np.mean((H - Y) ** 2)),
        ),
        Mistake(
            "The variance is divided by one less than the number of data sets: the mean of the squares is asked for.",
            lambda H, Y, t: (np.mean(H.var(axis=0, ddof=1)), np.mean((H.mean(axis=0) - t) ** 2), np.mean((t - Y) ** 2)),
        ),
    ],
    alternatives=[
        Alternative(
            lambda H, Y, t: (np.mean(H.var(axis=0)), np.mean((H.mean(axis=0) - t) ** 2), np.mean((Y - t) ** 2))
        ),
        Alternative(lambda H, Y, t: _parts_by_loops(H, Y, t)),
        Alternative(  # what the fits are off in total, less the variance
            lambda H, Y, t: (v := np.mean(H.var(axis=0)), np.mean((H - t) ** 2) - v, np.sum((Y - t) ** 2) / Y.size)
        ),
    ],
    hints=(
        Hint("Which axis is which?", "Row D of `H` is one fit, column j one point. `H.mean(axis=0)` is $\\bar h$."),
        Hint(
            "Three squares, and then?",
            "`np.mean` over everything: over the data sets and over the points. $\\bar h$ and $t$ have shape (k,), and "
            "numpy puts them beside every row.",
        ),
    ),
    see="Equation (7.9), averaged over the points; h̄ is the mean over the data sets.",
)


def _parts_by_loops(H, Y, t):
    m, k = H.shape
    h_mean = [sum(H[i, j] for i in range(m)) / m for j in range(k)]
    every = [(i, j) for i in range(m) for j in range(k)]
    return (
        sum((H[i, j] - h_mean[j]) ** 2 for i, j in every) / (m * k),
        sum((h_mean[j] - t[j]) ** 2 for j in range(k)) / k,
        sum((Y[i, j] - t[j]) ** 2 for i, j in every) / (m * k),
    )


cross_terms = Function(
    "cross_terms",
    asks="What happened to the cross terms?",
    points=1,
    reference=bias_variance.cross_terms,
    returns=("first", "second"),
    cases=_predictions,
    mistakes=[
        Mistake(
            "These are products of means: the mean of h_D − h̄ is 0, so the first is 0 whatever the labels do. "
            "The mean of the product is asked for.",
            lambda H, Y, t: (
                np.mean(H - H.mean(axis=0)) * np.mean(H.mean(axis=0) - Y),
                np.mean(H.mean(axis=0) - t) * np.mean(t - Y),
            ),
        ),
        Mistake(
            "The first has t where y belongs: with t it is 0 for every sample, and says nothing about the labels.",
            lambda H, Y, t: (
                np.mean((H - H.mean(axis=0)) * (H.mean(axis=0) - t)),
                np.mean((H.mean(axis=0) - t) * (t - Y)),
            ),
        ),
        Mistake(
            "The 2 of the square is included: the mean of the product alone is asked for.",
            lambda H, Y, t: tuple(2 * c for c in _crossed(H, Y, t)),
        ),
        Mistake(
            "y − t in place of t − y: the second comes out with the wrong sign.",
            lambda H, Y, t: (_crossed(H, Y, t)[0], -_crossed(H, Y, t)[1]),
        ),
        Mistake(
            "The second has the single fits h_D where their mean h̄ belongs.",
            lambda H, Y, t: (_crossed(H, Y, t)[0], np.mean((H - t) * (t - Y))),
        ),
        Mistake(
            "h̄ is the mean over the data sets, axis 0; here it is the mean over the points.",
            lambda H, Y, t: (
                np.mean((H - (over := H.mean(axis=1, keepdims=True))) * (over - Y)),
                np.mean((over - t) * (t - Y)),
            ),
        ),
    ],
    alternatives=[
        Alternative(lambda H, Y, t: _crossed(H, Y, t)),
        Alternative(  # h̄ drops out of the first, the mean label is enough for the second
            lambda H, Y, t: (
                -np.mean((H - H.mean(axis=0)) * Y),
                np.mean((H.mean(axis=0) - t) * (t - Y.mean(axis=0))),
            )
        ),
    ],
    hints=(
        Hint(
            "How do I multiply them in numpy?",
            "`(H - h_mean) * (h_mean - Y)` has shape (m, k): one product for every data set and every point.",
        ),
        Hint("And then?", "`np.mean` of the products, for each of the two. Return both."),
    ),
    see="The task itself gives both products; equation (7.10) says what they are in the long run.",
)


def _crossed(H, Y, t):
    h_mean = H.mean(axis=0)
    return np.mean((H - h_mean) * (h_mean - Y)), np.mean((h_mean - t) * (t - Y))


_PAIRS = "Give at least two rows (h, y): an array of shape (m, 2)."
_SAME_FIT = "The predictions are all the same: the variance is 0. Every data set must be able to give another fit."
_APART = "The mean of (h − y)² is not 0: what must each prediction be, compared with its own label?"

memorised_labels = Property(
    "memorised_labels",
    asks="An error of 0 with a positive variance",
    points=1,
    laws=[
        Law(_PAIRS, lambda pairs: pairs.ndim == 2 and pairs.shape[1] == 2 and len(pairs) >= 2),
        Law(_SAME_FIT, lambda pairs: np.ptp(pairs[:, 0]) > 0),
        Law(_APART, lambda pairs: np.max(np.abs(pairs[:, 0] - pairs[:, 1])) <= 1e-12 * np.ptp(pairs[:, 0])),
    ],
    mistakes=[
        Mistake(_PAIRS, [1.0, 2.0, 3.0]),
        Mistake(_PAIRS, [[1.0, 1.0]]),
        Mistake(_SAME_FIT, [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
        Mistake(_APART, [[1.0, 2.0], [2.0, 1.0]]),
        Mistake(_APART, [[1, 1], [1, 2], [2, 1], [2, 2]]),
    ],
    alternatives=[
        Alternative([[0, 0], [1, 1]]),
        Alternative(np.repeat(np.array([[-1.0], [0.5], [4.0]]), 2, axis=1)),
    ],
    hints=(
        Hint("When is a mean of squares 0?", "When every square is 0."),
        Hint(
            "Which fit does that?",
            "One that has seen the label and repeats it: a polynomial through all points of its own data set.",
        ),
    ),
    see="The section *Break it*: (7.9) needs a label that is independent of the fit.",
)


# --- a printed claim ---

complex_test_error = Slip(
    "complex_test_error",
    asks="The test error of a complex model",
    points=2,
    printed=lambda X, t, sigma: _missed(X, t) + sigma**2 * (1 - X.shape[1] / X.shape[0]),
    reference=bias_variance.expected_test_error,
    cases=_designs,
    forbids=(bias_variance.expected_parts,),
    admits=lambda X, t, sigma: (
        np.ndim(X) == 2
        and np.shape(t) == (len(X),)
        and np.ndim(sigma) == 0
        and sigma > 0
        and np.linalg.matrix_rank(X) == X.shape[1]
    ),
    domain="X of shape (n, d) with independent columns, t of shape (n,) and a number σ > 0",
    mistakes=[
        Mistake(
            "This is still the printed formula: the error on the labels that the fit has seen.",
            lambda X, t, sigma: _missed(X, t) + sigma**2 * (1 - X.shape[1] / X.shape[0]),
        ),
        Mistake(
            "The variance is missing: every weight that is fitted adds its share.",
            lambda X, t, sigma: _missed(X, t) + sigma**2,
        ),
        Mistake(
            "This is the distance from t. A new label has noise of its own, σ².",
            lambda X, t, sigma: _missed(X, t) + sigma**2 * X.shape[1] / X.shape[0],
        ),
        Mistake(
            "The variances of the n fitted values add up to σ²d: their mean is asked for.",
            lambda X, t, sigma: _missed(X, t) + sigma**2 * (1 + X.shape[1]),
        ),
        Mistake(
            "2d/n is the gap between the two errors: the test error lies above the noise by half of it.",
            lambda X, t, sigma: _missed(X, t) + sigma**2 * (1 + 2 * X.shape[1] / X.shape[0]),
        ),
        Mistake(
            "σ stands without its square.",
            lambda X, t, sigma: _missed(X, t) + sigma * (1 + X.shape[1] / X.shape[0]),
        ),
        Mistake(SAME_THERE, (np.ones((50, 1)), np.linspace(0, 10, 50), 0.001), part=1),
    ],
    alternatives=[
        Alternative(lambda X, t, sigma: _with_hat_matrix(X, t, sigma)),
        Alternative(lambda X, t, sigma: _missed(X, t) + sigma**2 * sum(X.shape) / len(X)),
        Alternative((np.eye(2), np.array([1.0, 2.0]), 1.0), part=1),
        Alternative(([[1.0], [1.0]], [0.0, 0.0], 3.0), part=1),
    ],
    hints=(
        Hint(
            "Which of the three parts is wrong?",
            "The first term is bias². Then come variance and noise of (7.9), both of them positive.",
        ),
        Hint(
            "What is the variance of a fitted value?",
            r"$\hat y=Py$ with $P=X(X^\top X)^{-1}X^\top$, the $H$ of (4.8), so the variance of $\hat y_i$ is "
            r"$\sigma^2\sum_jP_{ij}^2=\sigma^2P_{ii}$, since $PP^\top=P$. "
            r"Their sum is $\sigma^2$ times the trace of $P$.",
        ),
        Hint("What is the trace of P?", "$d$, the number of columns: equation (5.8) at $\\lambda=0$."),
    ),
    see="Equation (7.11): the cross term of (7.10) with the fit's own labels has turned the sign of σ²d/n.",
)


def _missed(X, t):
    return np.mean((t - X @ np.linalg.lstsq(X, t, rcond=None)[0]) ** 2)


def _with_hat_matrix(X, t, sigma):
    H = X @ np.linalg.solve(X.T @ X, X.T)
    return np.mean((t - H @ t) ** 2) + sigma**2 * np.mean(np.sum(H**2, axis=1)) + sigma**2


spread_of_fits = Explanation(
    "spread_of_fits",
    asks="Which curve for the patients?",
    points=3,
    rubric=(
        "1 point: the spread of the fits is the variance alone; how far the mean fit is from the truth cannot be seen, "
        "because nobody knows t. 1 point: the error on its own patients always falls with the degree, because the fit "
        "has seen those labels: the cross term does not vanish, the error is too small by 2σ²d/n on average. "
        "1 point: the sum is what counts and it can be measured without t, as the squared error on patients that "
        "took no part in the fit."
    ),
)

topic = Topic(
    number=7,
    slug="bias_variance",
    title="Bias and variance",
    question="When does it pay to be wrong on average?",
    part="Regression",
    minutes=60,
    before={
        "ridge": "ridge regression",
        "probability": "means and variances of random variables",
    },
    exercises=[
        error_split,
        shrunk_weight,
        mse_slope,
        best_lam,
        best_error,
        lam_with_more_data,
        prediction_parts,
        cross_terms,
        memorised_labels,
        complex_test_error,
        spread_of_fits,
    ],
)
check = Checks(topic)
