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
    but,
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


def _split_1(e, theta):
    return np.mean((e - theta) ** 2)


def _split_2(e, theta):
    return e - np.mean(e), np.mean(e) - theta


def _split_3(e, theta):
    return (e - np.mean(e)) ** 2, 2 * (e - np.mean(e)) * (np.mean(e) - theta), (np.mean(e) - theta) ** 2


def _split_4(e, theta):
    return np.mean((e - np.mean(e)) ** 2), 2 * np.mean(e - np.mean(e)) * (np.mean(e) - theta), (np.mean(e) - theta) ** 2


error_split = Chain(
    "error_split",
    asks="Two reasons to be wrong",
    first=_split_1,
    lines=[
        Line(
            does="add and subtract ē inside the bracket, and make a sum a + b of it: a has the mean 0, and b is the "
            "same for every estimate",
            parts=("a", "b"),
            reference=_split_2,
            mistakes=[
                Mistake(
                    "b has the wrong sign: a + b must be the bracket of line 1, where θ is subtracted.",
                    but(_split_2, 1, lambda e, theta: theta - np.mean(e)),
                ),
                Mistake(
                    "a has the wrong sign: a + b must be the bracket of line 1, where the estimate has a plus.",
                    but(_split_2, 0, lambda e, theta: np.mean(e) - e),
                ),
                Mistake(
                    "ē was subtracted and not added again: a + b must still be the bracket of line 1.",
                    but(_split_2, 1, lambda e, theta: -theta),
                ),
                Mistake(
                    "a does not have the mean 0: its mean is ē, which is still to be subtracted.",
                    but(_split_2, 0, lambda e, theta: e),
                ),
                Mistake(
                    "Nothing was added and subtracted: a + b is the bracket, but the mean of a is ē, not 0.",
                    lambda e, theta: (e, -theta),
                ),
                Mistake(
                    "a is the whole bracket: its mean is ē − θ, not 0, and nothing is left for b.",
                    lambda e, theta: (e - theta, 0.0),
                ),
            ],
        ),
        Line(
            does="multiply out the square of a + b; no mean is taken yet",
            parts=("square of a", "cross term", "square of b"),
            reference=_split_3,
            follows=lambda before, e, theta: (before[0] ** 2, 2 * before[0] * before[1], before[1] ** 2),
            mistakes=[
                Mistake(
                    "The cross term comes only once: (a + b)² = a² + 2ab + b².",
                    but(_split_3, 1, lambda e, theta: (e - np.mean(e)) * (np.mean(e) - theta)),
                ),
                Mistake(
                    "The cross term has a minus, and the bracket is a sum. Its mean may hide that: look at one entry.",
                    but(_split_3, 1, lambda e, theta: -2 * (e - np.mean(e)) * (np.mean(e) - theta)),
                ),
                Mistake(
                    "The cross term is missing: for a single estimate it is not 0.",
                    but(_split_3, 1, lambda e, theta: np.zeros(len(e))),
                ),
                Mistake(
                    "b comes in without its square: (a + b)² ends in b².",
                    but(_split_3, 2, lambda e, theta: np.mean(e) - theta),
                ),
                Mistake(
                    "a comes in without its square: (a + b)² begins with a².",
                    but(_split_3, 0, lambda e, theta: e - np.mean(e)),
                ),
                Mistake(
                    "a and b come in without their squares: (a + b)² = a² + 2ab + b².",
                    lambda e, theta: (e - np.mean(e), _split_3(e, theta)[1], np.mean(e) - theta),
                ),
                Mistake(
                    "Nothing was multiplied out: the first is the whole square of line 1.",
                    lambda e, theta: ((e - theta) ** 2, 0 * e, 0.0),
                ),
            ],
        ),
        Line(
            does="take the mean over the estimates of each of the three",
            parts=("first", "second", "third"),
            reference=_split_4,
            follows=lambda before, e, theta: (np.mean(before[0]), np.mean(before[1]), np.mean(before[2])),
            mistakes=[
                Mistake(
                    "The third was divided by the number of estimates: the mean of a number that is the same for all "
                    "is this number.",
                    but(_split_4, 2, lambda e, theta: (np.mean(e) - theta) ** 2 / len(e)),
                ),
                Mistake(
                    "The second has the mean of the estimates themselves. Which mean do their distances from ē have?",
                    but(_split_4, 1, lambda e, theta: 2 * np.mean(e) * (np.mean(e) - theta)),
                ),
                Mistake(
                    "The first was divided by one less than the number of estimates: the mean of all squares is meant.",
                    but(_split_4, 0, lambda e, theta: np.var(e, ddof=1)),
                ),
                Mistake(
                    "The first is the standard deviation: nobody takes a root here.",
                    but(_split_4, 0, lambda e, theta: np.std(e)),
                ),
                Mistake(
                    "These are sums over the estimates: line 1 is a mean.",
                    lambda e, theta: (len(e) * np.var(e), 0.0, len(e) * (np.mean(e) - theta) ** 2),
                ),
                Mistake(
                    "The first is the square of a mean, which is 0. The mean of the squares is asked for.",
                    but(_split_4, 0, lambda e, theta: np.mean(e - np.mean(e)) ** 2),
                ),
                Mistake(
                    "The third has lost its square: it is the mean of b².",
                    but(_split_4, 2, lambda e, theta: np.mean(e) - theta),
                ),
                Mistake(
                    "The first and the third are exchanged: the square of a comes first.",
                    lambda e, theta: ((np.mean(e) - theta) ** 2, 0.0, np.var(e)),
                ),
                Mistake(
                    "The first is all of line 1: each of the three terms has a mean of its own.",
                    lambda e, theta: (np.mean((e - theta) ** 2), 0.0, 0.0),
                ),
            ],
        ),
    ],
    cases=_estimates,
    forbids=(bias_variance.split,),
    alternatives=[
        Alternative(  # the misses, and their mean
            lambda e, theta: ((e - theta) - np.mean(e - theta), np.mean(e - theta)), part=0
        ),
        Alternative(lambda e, theta: (e - e.sum() / len(e), -(theta - e.mean())), part=0),
        Alternative(  # the cross term as what is left of the square
            lambda e, theta: (
                np.square(e - e.mean()),
                (e - theta) ** 2 - (e - e.mean()) ** 2 - (e.mean() - theta) ** 2,
                np.square(theta - e.mean()),
            ),
            part=1,
        ),
        Alternative(lambda e, theta: (np.mean(e**2) - np.mean(e) ** 2, 0.0, np.mean(e - theta) ** 2), part=2),
        Alternative(lambda e, theta: (np.var(e), np.mean(e) - e.mean(), (theta - e.mean()) ** 2), part=2),
    ],
    hints=(
        Hint(
            "What do I add and subtract?",
            r"A zero, written as $-\bar e+\bar e$. Which of the two belongs to $e$, if this bracket has the mean 0?",
        ),
        Hint(
            "Which shapes do the three terms have?",
            "Two of them have an entry for each estimate. One is the same for every estimate, and is a number.",
        ),
        Hint(
            "What is the mean of the middle one?",
            r"$2b$ is the same for every estimate, so it leaves the mean. What is the mean of the deviations from a "
            "mean?",
        ),
    ),
    see="Equation (7.1): the three numbers of line 4 added up, with the mean over the estimates written as E.",
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


def _mse_2(lam, s2, delta, sigma):
    return (
        2 * lam * delta**2 * (s2 + lam) ** 2,
        2 * (lam**2 * delta**2 + s2 * sigma**2) * (s2 + lam),
        (s2 + lam) ** 4,
    )


def _mse_3(lam, s2, delta, sigma):
    return (
        np.array([2 * delta**2, 2 * s2 * delta**2, 0.0]),
        np.array([2 * delta**2, 0.0, 2 * s2 * sigma**2]),
        (s2 + lam) ** 3,
    )


def _mse_4(lam, s2, delta, sigma):
    return np.array([0.0, 2 * s2 * delta**2, -2 * s2 * sigma**2]), (s2 + lam) ** 3


def _before_cancelling(here, lam, s2, delta, sigma):
    """Line 2 from the coefficients of line 3."""
    first, second, denominator = here
    powers = np.array([lam**2, lam, 1.0])
    return first @ powers * (s2 + lam), second @ powers * (s2 + lam), denominator * (s2 + lam)


def _slope(lam, s2, delta, sigma):
    return 2 * s2 * (lam * delta**2 - sigma**2) / (s2 + lam) ** 3


mse_slope = Chain(
    "mse_slope",
    asks="Downhill or uphill?",
    first=_mse_1,
    lines=[
        Line(
            does="differentiate with respect to λ by the quotient rule, as (first − second)/denominator, with "
            "numerator and denominator as they stand in line 1",
            parts=("first", "second", "denominator"),
            reference=_mse_2,
            mistakes=[
                Mistake(
                    "The two products are exchanged: (f/g)′ = (f′g − fg′)/g², so f′g comes first.",
                    lambda lam, s2, delta, sigma: (
                        2 * (lam**2 * delta**2 + s2 * sigma**2) * (s2 + lam),
                        2 * lam * delta**2 * (s2 + lam) ** 2,
                        (s2 + lam) ** 4,
                    ),
                ),
                Mistake(
                    "The first product lost a 2: the derivative of λ² is 2λ.",
                    but(_mse_2, 0, lambda lam, s2, delta, sigma: lam * delta**2 * (s2 + lam) ** 2),
                ),
                Mistake(
                    "In the first product s²σ² was kept: there is no λ in it, so its derivative is 0.",
                    but(
                        _mse_2, 0, lambda lam, s2, delta, sigma: (2 * lam * delta**2 + s2 * sigma**2) * (s2 + lam) ** 2
                    ),
                ),
                Mistake(
                    "The second product lost a 2: the derivative of (s² + λ)² is 2(s² + λ).",
                    but(_mse_2, 1, lambda lam, s2, delta, sigma: (lam**2 * delta**2 + s2 * sigma**2) * (s2 + lam)),
                ),
                Mistake(
                    "The denominator is not squared: (f/g)′ = (f′g − fg′)/g², and g is a square already.",
                    but(_mse_2, 2, lambda lam, s2, delta, sigma: (s2 + lam) ** 2),
                ),
                Mistake(
                    "The second has a minus, and a minus stands before it already: first − second.",
                    but(_mse_2, 1, lambda lam, s2, delta, sigma: -2 * (lam**2 * delta**2 + s2 * sigma**2) * (s2 + lam)),
                ),
                Mistake(
                    "In the second product (s² + λ)² lost its bracket: its derivative is 2(s² + λ), not 2.",
                    but(_mse_2, 1, lambda lam, s2, delta, sigma: 2 * (lam**2 * delta**2 + s2 * sigma**2)),
                ),
                Mistake(
                    "Both products lost a 2: λ² has the derivative 2λ, and (s² + λ)² has 2(s² + λ).",
                    lambda lam, s2, delta, sigma: (
                        lam * delta**2 * (s2 + lam) ** 2,
                        (lam**2 * delta**2 + s2 * sigma**2) * (s2 + lam),
                        (s2 + lam) ** 4,
                    ),
                ),
                Mistake(
                    "The first is f′ alone: the quotient rule multiplies it with g = (s² + λ)².",
                    but(_mse_2, 0, lambda lam, s2, delta, sigma: 2 * lam * delta**2),
                ),
                Mistake(
                    "The second is g′ alone: the quotient rule multiplies it with f.",
                    but(_mse_2, 1, lambda lam, s2, delta, sigma: 2 * (s2 + lam)),
                ),
                Mistake(
                    "Δ lost its square in the first product.",
                    but(_mse_2, 0, lambda lam, s2, delta, sigma: 2 * lam * delta * (s2 + lam) ** 2),
                ),
                Mistake(
                    "A factor s² + λ is missing below: the denominator is the square of (s² + λ)².",
                    but(_mse_2, 2, lambda lam, s2, delta, sigma: (s2 + lam) ** 3),
                ),
                Mistake(
                    "One factor s² + λ is cancelled already: that is for line 3.",
                    lambda lam, s2, delta, sigma: (
                        2 * lam * delta**2 * (s2 + lam),
                        2 * (lam**2 * delta**2 + s2 * sigma**2),
                        (s2 + lam) ** 3,
                    ),
                ),
            ],
        ),
        Line(
            does="cancel one factor s² + λ in all three, and multiply out the first two: each as an array with its "
            "coefficients of λ², of λ and of 1",
            parts=("first", "second", "denominator"),
            reference=_mse_3,
            undo=_before_cancelling,
            mistakes=[
                Mistake(
                    "The factor was cancelled above and not below: the denominator has one s² + λ less, too.",
                    but(_mse_3, 2, lambda lam, s2, delta, sigma: (s2 + lam) ** 4),
                ),
                Mistake(
                    "Two factors were cancelled below: one s² + λ is cancelled above, and one below.",
                    but(_mse_3, 2, lambda lam, s2, delta, sigma: (s2 + lam) ** 2),
                ),
                Mistake(
                    "In the first array 2λΔ² met only the λ of s² + λ: it multiplies s² as well.",
                    but(_mse_3, 0, lambda lam, s2, delta, sigma: np.array([2 * delta**2, 0.0, 0.0])),
                ),
                Mistake(
                    "In the second array the 2 reaches only the first term of the bracket.",
                    but(_mse_3, 1, lambda lam, s2, delta, sigma: np.array([2 * delta**2, 0.0, s2 * sigma**2])),
                ),
                Mistake(
                    "The coefficients are in the opposite order: that of λ² comes first.",
                    lambda lam, s2, delta, sigma: (
                        np.array([0.0, 2 * s2 * delta**2, 2 * delta**2]),
                        np.array([2 * s2 * sigma**2, 0.0, 2 * delta**2]),
                        (s2 + lam) ** 3,
                    ),
                ),
                Mistake(
                    "The powers of λ are multiplied in: the coefficients alone are asked for.",
                    lambda lam, s2, delta, sigma: (
                        np.array([2 * delta**2 * lam**2, 2 * s2 * delta**2 * lam, 0.0]),
                        np.array([2 * delta**2 * lam**2, 0.0, 2 * s2 * sigma**2]),
                        (s2 + lam) ** 3,
                    ),
                ),
                Mistake(
                    "The second array lost its 2: that of the derivative of (s² + λ)².",
                    but(_mse_3, 1, lambda lam, s2, delta, sigma: np.array([delta**2, 0.0, s2 * sigma**2])),
                ),
                Mistake(
                    "In the first array s² is lost: λ times s² + λ is λ² + s²λ.",
                    but(_mse_3, 0, lambda lam, s2, delta, sigma: np.array([2 * delta**2, 2 * delta**2, 0.0])),
                ),
                Mistake(
                    "In the second array s² is lost before σ².",
                    but(_mse_3, 1, lambda lam, s2, delta, sigma: np.array([2 * delta**2, 0.0, 2 * sigma**2])),
                ),
            ],
        ),
        Line(
            does="one fraction: the numerator, again as its coefficients of λ², of λ and of 1, and the denominator of "
            "line 3",
            parts=("numerator", "denominator"),
            reference=_mse_4,
            follows=lambda before, lam, s2, delta, sigma: (before[0] - before[1], before[2]),
            mistakes=[
                Mistake(
                    "The two were added: the quotient rule subtracts the second.",
                    but(
                        _mse_4,
                        0,
                        lambda lam, s2, delta, sigma: np.array([4 * delta**2, 2 * s2 * delta**2, 2 * s2 * sigma**2]),
                    ),
                ),
                Mistake(
                    "The minus reaches only the first term of second: every coefficient of it is subtracted.",
                    but(_mse_4, 0, lambda lam, s2, delta, sigma: np.array([0.0, 2 * s2 * delta**2, 2 * s2 * sigma**2])),
                ),
                Mistake(
                    "The first was subtracted from the second: the slope has the wrong sign.",
                    but(
                        _mse_4, 0, lambda lam, s2, delta, sigma: np.array([0.0, -2 * s2 * delta**2, 2 * s2 * sigma**2])
                    ),
                ),
                Mistake(
                    "A common factor is gone from the numerator. It may be put in front, but it does not disappear.",
                    but(_mse_4, 0, lambda lam, s2, delta, sigma: np.array([0.0, delta**2, -(sigma**2)])),
                ),
                Mistake(
                    "λ is multiplied in: the coefficients alone are asked for.",
                    but(
                        _mse_4,
                        0,
                        lambda lam, s2, delta, sigma: np.array([0.0, 2 * s2 * delta**2 * lam, -2 * s2 * sigma**2]),
                    ),
                ),
                Mistake(
                    "The fraction is right, but a factor was cancelled: the denominator of line 3 is asked for.",
                    lambda lam, s2, delta, sigma: (np.array([0.0, delta**2, -(sigma**2)]), (s2 + lam) ** 3 / (2 * s2)),
                ),
            ],
        ),
    ],
    cases=_slopes,
    alternatives=[
        Alternative(
            lambda lam, s2, delta, sigma: (
                2 * lam * delta**2 * (s2**2 + 2 * s2 * lam + lam**2),
                (lam**2 * delta**2 + s2 * sigma**2) * (2 * s2 + 2 * lam),
                ((s2 + lam) ** 2) ** 2,
            ),
            part=0,
        ),
        Alternative(  # products of polynomials
            lambda lam, s2, delta, sigma: (
                np.convolve([2 * delta**2, 0], [1, s2]),
                2 * np.array([delta**2, 0, s2 * sigma**2]),
                (lam + s2) * (lam + s2) ** 2,
            ),
            part=1,
        ),
        Alternative(
            lambda lam, s2, delta, sigma: (2 * s2 * np.array([0, delta**2, -(sigma**2)]), (s2 + lam) ** 3), part=2
        ),
        Alternative(
            lambda lam, s2, delta, sigma: (
                [2 * delta**2 - 2 * delta**2, 2 * s2 * delta**2, -2 * s2 * sigma**2],
                s2**3 + 3 * s2**2 * lam + 3 * s2 * lam**2 + lam**3,
            ),
            part=2,
        ),
    ],
    hints=(
        Hint(
            "How does the quotient rule go?",
            r"$(f/g)'=(f'g-fg')/g^2$. Here $f=\lambda^2\Delta^2+s^2\sigma^2$ and $g=(s^2+\lambda)^2$; "
            r"$\Delta$, $s$ and $\sigma$ do not depend on λ.",
        ),
        Hint(
            "What is an array of coefficients?",
            r"$3\lambda^2-5$ has the coefficients `np.array([3, 0, -5])`: a power that does not occur has a 0.",
        ),
        Hint(
            "What do I do with the two arrays?",
            "Subtract the second from the first, power by power. Does every power of λ survive?",
        ),
    ),
    see="The list of lines above the cell: line 2 is (f′g − fg′)/g² for (7.5), line 4 is line 3 on one fraction.",
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
        low, high = (low, middle) if _slope(middle, x @ x, w_true - w0, sigma) > 0 else (middle, high)
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


# 7g: the decomposition again, now in three, line by line


def _pairs(rng):
    """(h, y, t): more fits than labels and fewer, on both sides of a truth of either sign; the labels' mean is t."""
    t = float(rng.integers(1, 5) * rng.choice([-1, 1]))
    off = float(rng.integers(2, 4) * rng.choice([-1, 1]))
    few = t + off + rng.permutation([-2.0, -1.0, 0.0, 3.0]) * rng.choice([-1, 1])
    cases = [(few, t + rng.permutation([-2.0, -1.0, 3.0]) * rng.choice([-1, 1]), t)]
    for fits, labels, side in ((7, 5, 1), (5, 9, -1)):
        t, off = side * rng.uniform(2, 4), side * rng.uniform(0.6, 1.4)
        a, noise = 1.5 * rng.normal(size=fits), rng.gamma(2, 0.7, size=labels) * rng.choice([-1, 1])
        cases.append((t + off + a - a.mean(), t + noise - noise.mean(), t))
    return cases


def _three_1(h, y, t):
    return np.mean((h[:, None] - y) ** 2)


def _three_2(h, y, t):
    return h - np.mean(h), np.mean(h) - t, t - y


def _three_3(h, y, t):
    a, b, c = h - np.mean(h), np.mean(h) - t, t - y
    return a**2, b**2, c**2, 2 * a * b, 2 * a[:, None] * c, 2 * b * c


def _three_4(h, y, t):
    a, b, c = h - np.mean(h), np.mean(h) - t, t - y
    return np.mean(a**2), b**2, c**2, 2 * np.mean(a) * b, 2 * np.mean(a) * c, 2 * b * c


def _three_5(h, y, t):
    a, b, c = h - np.mean(h), np.mean(h) - t, t - y
    rest = 2 * np.mean(a) * b + 2 * np.mean(a) * np.mean(c) + 2 * b * np.mean(c)
    return np.mean(a**2), b**2, np.mean(c**2), rest


def _crosses(times_ab, times_ac, times_bc):
    """Line 3 with its cross terms times a number each."""

    def answer(h, y, t):
        *squares, ab, ac, bc = _three_3(h, y, t)
        return (*squares, times_ab * ab, times_ac * ac, times_bc * bc)

    return answer


def _over_labels(h, y, t):
    """The mean of each of the six terms of line 3 as one of many products, entry by entry."""
    a, b, c = _three_2(h, y, t)
    return a @ a / len(h), b * b, c @ c / len(y), 2 * np.mean(np.outer(a, c) + b * a[:, None] + b * c)


_SIX = ("a alone", "b alone", "c alone", "a with b", "a with c", "b with c")

three_parts = Chain(
    "three_parts",
    asks="Three reasons to be wrong",
    first=_three_1,
    lines=[
        Line(
            does="write the bracket of line 1 as a sum a + b + c: a has an entry for each fit, and their mean is 0; "
            "b is one number; c has an entry for each label, and their mean is 0",
            parts=("a", "b", "c"),
            reference=_three_2,
            mistakes=[
                Mistake(
                    "c has the wrong sign: a + b + c must be the bracket of line 1, where the label is subtracted.",
                    but(_three_2, 2, lambda h, y, t: y - t),
                ),
                Mistake(
                    "b has the wrong sign: a + b + c must be the bracket of line 1, so h̄ has to cancel.",
                    but(_three_2, 1, lambda h, y, t: t - np.mean(h)),
                ),
                Mistake(
                    "a has the wrong sign: a + b + c must be the bracket of line 1, where the fit has a plus.",
                    but(_three_2, 0, lambda h, y, t: np.mean(h) - h),
                ),
                Mistake(
                    "All three signs are reversed: these add up to y − h, and the bracket of line 1 is h − y.",
                    lambda h, y, t: (np.mean(h) - h, t - np.mean(h), y - t),
                ),
                Mistake(
                    "These add up to the bracket, but the mean of a is h̄, and that of c is −t: both should be 0.",
                    lambda h, y, t: (h, 0.0, -y),
                ),
                Mistake(
                    "These add up to the bracket, but the mean of a is h̄ − t, not 0: that is what b is for.",
                    lambda h, y, t: (h - t, 0.0, t - y),
                ),
                Mistake(  # the same, by the mean of the labels in the place of h̄
                    "These add up to the bracket, but the mean of a is h̄ − t, not 0: that is what b is for.",
                    lambda h, y, t: (h - np.mean(y), np.mean(y) - t, t - y),
                ),
                Mistake(
                    "These add up to the bracket, but the mean of c is h̄ − t, not 0: that is what b is for.",
                    lambda h, y, t: (h - np.mean(h), 0.0, np.mean(h) - y),
                ),
                Mistake(
                    "These add up to the bracket, but the mean of c is −t, not 0: t is added in c and subtracted in b.",
                    lambda h, y, t: (h - np.mean(h), np.mean(h), -y),
                ),
                Mistake(
                    "These add up to the bracket, but the mean of a is h̄, not 0: h̄ is subtracted in a and added in b.",
                    lambda h, y, t: (h, -t, t - y),
                ),
                Mistake(
                    "The mean of a is h̄ − t, not 0: what is the same for every fit belongs in b.",
                    but(_three_2, 0, lambda h, y, t: h - t),
                ),
                Mistake(
                    "h̄ − t is in the sum twice: it is b, and it is the mean of c.",
                    but(_three_2, 2, lambda h, y, t: np.mean(h) - y),
                ),
                Mistake(
                    "b leads from h̄ to t: this is −t, and h̄ is still to be added.",
                    but(_three_2, 1, lambda h, y, t: -t),
                ),
                Mistake(
                    "b leads from h̄ to t: this is h̄, and t is still to be subtracted.",
                    but(_three_2, 1, lambda h, y, t: np.mean(h)),
                ),
                Mistake(
                    "a does not have the mean 0: its mean is h̄, which is still to be subtracted.",
                    but(_three_2, 0, lambda h, y, t: h),
                ),
                Mistake(
                    "c does not have the mean 0: its mean is −t, so t is still to be added.",
                    but(_three_2, 2, lambda h, y, t: -y),
                ),
                Mistake(
                    "b is 0: what leads from h̄ to t is missing.",
                    but(_three_2, 1, lambda h, y, t: 0.0),
                ),
                Mistake(
                    "c is 0: then a + b + c is h − t, and no label is in it.",
                    but(_three_2, 2, lambda h, y, t: 0 * y),
                ),
            ],
        ),
        Line(
            does="multiply out the square of a + b + c, into the six terms that differ in the letters they hold; a "
            "term has only the indices of its letters, and no mean is taken yet",
            parts=_SIX,
            reference=_three_3,
            follows=lambda before, h, y, t: (
                before[0] ** 2,
                before[1] ** 2,
                before[2] ** 2,
                2 * before[0] * before[1],
                2 * before[0][:, None] * before[2],
                2 * before[1] * before[2],
            ),
            mistakes=[
                Mistake(
                    "Every cross term comes only once: (a + b + c)(a + b + c) holds a times b and b times a.",
                    _crosses(0.5, 0.5, 0.5),
                ),
                Mistake(
                    "The cross terms are 0. Means of them may be 0, but no mean is taken yet.",
                    _crosses(0, 0, 0),
                ),
                Mistake(
                    "a with c and b with c are 0: c multiplies a and b, too, and no mean is taken yet.",
                    _crosses(1, 0, 0),
                ),
                Mistake(
                    "a with b is 0: for a single fit it is not.",
                    _crosses(0, 1, 1),
                ),
                Mistake(
                    "a with c is 0: for a single pair of fit and label it is not.",
                    _crosses(1, 0, 1),
                ),
                Mistake(
                    "b with c is 0: for a single label it is not.",
                    _crosses(1, 1, 0),
                ),
                Mistake(
                    "a with b and a with c are 0. The mean of a is 0, but no mean is taken yet.",
                    _crosses(0, 0, 1),
                ),
                Mistake(
                    "a with c and b with c have a minus, and c has a plus in a + b + c: its minus is inside it.",
                    _crosses(1, -1, -1),
                ),
                Mistake(
                    "All cross terms have a minus, and a + b + c has none.",
                    _crosses(-1, -1, -1),
                ),
                Mistake(
                    "The first three have lost their squares: a times a is a².",
                    lambda h, y, t: (*_three_2(h, y, t), *_three_3(h, y, t)[3:]),
                ),
                Mistake("a alone has lost its square.", but(_three_3, 0, lambda h, y, t: h - np.mean(h))),
                Mistake("b alone has lost its square.", but(_three_3, 1, lambda h, y, t: np.mean(h) - t)),
                Mistake("c alone has lost its square.", but(_three_3, 2, lambda h, y, t: t - y)),
                Mistake(
                    "a with c holds b with c once more: a is the distance of a fit from h̄, not from t.",
                    but(_three_3, 4, lambda h, y, t: 2 * (h - t)[:, None] * (t - y)),
                ),
                Mistake(
                    "c alone has a minus: c times c is positive, whatever the sign of c.",
                    but(_three_3, 2, lambda h, y, t: -((t - y) ** 2)),
                ),
                Mistake(
                    "a with c multiplies the fits and the labels themselves, not their distances a and c.",
                    but(_three_3, 4, lambda h, y, t: 2 * h[:, None] * y),
                ),
            ],
        ),
        Line(
            does="take the mean over the fits of each of the six terms, the label held fixed",
            parts=_SIX,
            reference=_three_4,
            follows=lambda before, h, y, t: (
                np.mean(before[0]),
                before[1],
                before[2],
                np.mean(before[3]),
                np.mean(before[4], axis=0),
                before[5],
            ),
            mistakes=[
                Mistake(
                    "b with c is not 0 yet: it is the same for every fit, so its mean over the fits is itself. The "
                    "mean over the labels is line 5.",
                    but(_three_4, 5, lambda h, y, t: 0 * y),
                ),
                Mistake(
                    "a with b has the mean of the fits in it. Which mean do their distances from h̄ have?",
                    but(_three_4, 3, lambda h, y, t: 2 * np.mean(h) * (np.mean(h) - t)),
                ),
                Mistake(
                    "a with c has the mean of the fits in it. Which mean do their distances from h̄ have?",
                    but(_three_4, 4, lambda h, y, t: 2 * np.mean(h) * (t - y)),
                ),
                Mistake(
                    "a with b and a with c have the mean of the fits in them. Which mean do their distances from h̄ "
                    "have?",
                    lambda h, y, t: (
                        *_three_4(h, y, t)[:3],
                        2 * np.mean(h) * (np.mean(h) - t),
                        2 * np.mean(h) * (t - y),
                        _three_4(h, y, t)[5],
                    ),
                ),
                Mistake(
                    "a alone is 0, as the square of the mean of a is. The mean of the squares is asked for.",
                    but(_three_4, 0, lambda h, y, t: 0.0),
                ),
                Mistake(
                    "a alone is the mean distance from h̄: the mean of the squares is asked for.",
                    but(_three_4, 0, lambda h, y, t: np.mean(np.abs(h - np.mean(h)))),
                ),
                Mistake(
                    "a alone was divided by one less than the number of fits: the mean of all squares is meant.",
                    but(_three_4, 0, lambda h, y, t: np.var(h, ddof=1)),
                ),
                Mistake(
                    "a alone is the standard deviation: nobody takes a root here.",
                    but(_three_4, 0, lambda h, y, t: np.std(h)),
                ),
                Mistake(
                    "a alone holds b² once more: a is the distance of a fit from h̄, and this is the mean square of its "
                    "distance from t.",
                    but(_three_4, 0, lambda h, y, t: np.mean((h - t) ** 2)),
                ),
                Mistake(
                    "These are sums over the fits: line 1 is a mean.",
                    lambda h, y, t: tuple(len(h) * term for term in _three_4(h, y, t)),
                ),
                Mistake(
                    "The terms without a were divided by the number of fits: what is the same for every fit is its "
                    "own mean.",
                    lambda h, y, t: tuple(
                        term / (1 if i in (0, 3, 4) else len(h)) for i, term in enumerate(_three_4(h, y, t))
                    ),
                ),
                Mistake(
                    "c alone and b with c were divided by the number of fits: what is the same for every fit is its "
                    "own mean.",
                    lambda h, y, t: tuple(
                        term / (len(h) if i in (2, 5) else 1) for i, term in enumerate(_three_4(h, y, t))
                    ),
                ),
            ],
        ),
        Line(
            does="take the mean over the labels of each of the six; return the first three, and the sum of the others",
            parts=("a alone", "b alone", "c alone", "cross terms"),
            reference=_three_5,
            follows=lambda before, h, y, t: (
                before[0],
                before[1],
                np.mean(before[2]),
                before[3] + np.mean(before[4]) + np.mean(before[5]),
            ),
            mistakes=[
                Mistake(
                    "c alone is the standard deviation of the labels: nobody takes a root here.",
                    but(_three_5, 2, lambda h, y, t: np.std(y)),
                ),
                Mistake(
                    "c alone was divided by one less than the number of labels: the mean of all squares is meant.",
                    but(_three_5, 2, lambda h, y, t: np.var(y, ddof=1)),
                ),
                Mistake(
                    "c alone is 0, as the square of the mean of c is. The mean of the squares is asked for.",
                    but(_three_5, 2, lambda h, y, t: 0.0),
                ),
                Mistake(  # the same, with t for every label
                    "c alone is 0, as the square of the mean of c is. The mean of the squares is asked for.",
                    lambda h, y, t: (np.var(h), (np.mean(h) - t) ** 2, 0.0, 0.0),
                ),
                Mistake(
                    "c alone is a sum over the labels: line 1 is a mean.",
                    but(_three_5, 2, lambda h, y, t: np.sum((t - y) ** 2)),
                ),
                Mistake(
                    "c alone was divided by the number of fits: c has an entry for each label.",
                    but(_three_5, 2, lambda h, y, t: np.sum((t - y) ** 2) / len(h)),
                ),
                Mistake(
                    "These are sums over the labels: line 1 is a mean.",
                    lambda h, y, t: tuple(len(y) * term for term in _three_5(h, y, t)),
                ),
                Mistake(
                    "The first two were divided by the number of labels: what is the same for every label is its own "
                    "mean.",
                    lambda h, y, t: (
                        np.var(h) / len(y),
                        (np.mean(h) - t) ** 2 / len(y),
                        *_three_5(h, y, t)[2:],
                    ),
                ),
                Mistake(
                    "b alone has lost its square.",
                    but(_three_5, 1, lambda h, y, t: np.mean(h) - t),
                ),
                Mistake(
                    "b alone holds c² once more: b is the distance of h̄ from t, and this is the mean square of its "
                    "distance from the labels.",
                    but(_three_5, 1, lambda h, y, t: np.mean((np.mean(h) - y) ** 2)),
                ),
                Mistake(
                    "a alone holds b² once more: a is the distance of a fit from h̄, and this is the mean square of its "
                    "distance from t.",
                    but(_three_5, 0, lambda h, y, t: np.mean((h - t) ** 2)),
                ),
                Mistake(
                    "c alone is all of line 1: a and b have nothing to do with it.",
                    but(_three_5, 2, lambda h, y, t: np.mean((h[:, None] - y) ** 2)),
                ),
                Mistake(
                    "The cross terms hold the mean of the labels. Which mean do their distances from t have?",
                    but(_three_5, 3, lambda h, y, t: 2 * (np.mean(h) - t) * np.mean(y)),
                ),
            ],
        ),
    ],
    cases=_pairs,
    forbids=(bias_variance.prediction_parts, bias_variance.cross_terms, bias_variance.split),
    alternatives=[
        Alternative(lambda h, y, t: (h - h.sum() / len(h), np.mean(h - t), -(y - t)), part=0),
        Alternative(  # t as what it is, the mean of the labels
            lambda h, y, t: (h - h.mean(), h.mean() - y.mean(), y.mean() - y), part=0
        ),
        Alternative(  # the cross terms as what is left of three squares
            lambda h, y, t: (
                np.square(h - h.mean()),
                np.square(t - h.mean()),
                np.square(y - t),
                (h - t) ** 2 - (h - h.mean()) ** 2 - (h.mean() - t) ** 2,
                2 * np.outer(h - h.mean(), t - y),
                (h.mean() - y) ** 2 - (h.mean() - t) ** 2 - (t - y) ** 2,
            ),
            part=1,
        ),
        Alternative(
            lambda h, y, t: (np.var(h), (t - h.mean()) ** 2, (y - t) ** 2, 0.0, 0 * y, 2 * (h.mean() - t) * (t - y)),
            part=2,
        ),
        Alternative(  # the mean over the rows of the table
            lambda h, y, t: (
                np.mean(h**2) - np.mean(h) ** 2,
                np.mean(h - t) ** 2,
                (t - y) * (t - y),
                2 * np.mean((h - np.mean(h)) * (np.mean(h) - t)),
                2 * np.mean(np.outer(h - np.mean(h), t - y), axis=0),
                2 * np.mean(h - t) * t - 2 * np.mean(h - t) * y,
            ),
            part=2,
        ),
        Alternative(lambda h, y, t: (np.var(h), np.mean(h - t) ** 2, np.var(y), 0.0), part=3),
        Alternative(_over_labels, part=3),
    ],
    hints=(
        Hint(
            "Where do three summands come from?",
            r"Two means stand between a fit and a label: that of the fits, and that of the labels. Add and subtract "
            "both. Which bracket is the same for all fits and all labels?",
        ),
        Hint(
            "Why six terms?",
            r"$(a+b+c)(a+b+c)$ has nine products, and some of them are equal. With an index for the fits in $a$ and "
            r"one for the labels in $c$, only one of the six terms is a table. In numpy, `a[:, None]` is a column, and "
            "a column times `c` is a table.",
        ),
        Hint(
            "What does the mean over the fits do to a term?",
            r"Every label meets all $m$ fits. So for a fixed label, whatever is not $a$ is the same for all fits and "
            r"leaves the mean. What is the mean of $a$, and what is that of $a^2$?",
        ),
        Hint(
            "Why is there still a cross term in line 4?",
            "It is the same for every fit: a mean over the fits leaves it as it is. Which mean of line 2 has not "
            "been used yet?",
        ),
    ),
    see="Equation (7.9): line 5 added up, with the mean over all fits and labels written as E.",
)


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
    minutes=65,
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
        three_parts,
        prediction_parts,
        cross_terms,
        memorised_labels,
        complex_test_error,
        spread_of_fits,
    ],
)
check = Checks(topic)
