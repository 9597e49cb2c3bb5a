"""The exercises of 03 maximum_likelihood."""

import math

import numpy as np

from mlcore import maximum_likelihood as ml
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
    Value,
    but,
)

# --- data to be tried on: unbalanced tosses, samples off centre, designs with and without a column of ones ---


def _tosses(rng):
    """More heads, more tails, and a sequence so long that its likelihood is smaller than any float."""
    samples = [np.repeat([1, 0], counts) for counts in ((3, 1), (4, 10), (2400, 800))]
    return [(rng.uniform(0.25, 0.7), rng.permutation(x)) for x in samples]


def _counts(rng):
    """Even and odd numbers of heads and of tails, and either in the majority."""
    few, many = rng.integers(2, 6), rng.integers(20, 60)
    return [(few + 2, few), (few + 1, few + 5), (many + 15, many)]


def _samples(rng):
    """Skewed and far from 0: the mean, the median and the origin are three places."""
    few = rng.choice(12, size=4, replace=False) + 1.0
    around = np.append(rng.exponential(2.0, size=14) - 5, rng.uniform(1, 3))  # 0, with numbers on both sides of it
    return [(few,), (around,), (rng.exponential(0.5, size=40) + 3,)]


def _symmetric_intervals(rng):
    """One sample whose farthest point is negative, one whose farthest is positive."""
    left = np.array([rng.uniform(0.5, 2), -rng.uniform(2.5, 3.5), rng.uniform(0, 1)]).round(2)
    right = np.append(rng.uniform(-1, 1, size=9), 1.3)
    return [(left,), (rng.permutation(right),), (rng.uniform(-0.5, 0.2, size=20),)]


def _designs(rng):
    """Tall ones; without a column of ones y lies far from 0, so that a mean that is not taken out shows."""
    cases = []
    for n, d, ones in ((5, 2, True), (12, 3, False), (30, 4, True)):
        X = rng.normal(size=(n, d)) + rng.normal(size=d)
        if ones:
            X[:, 0] = 1
        y = X @ rng.normal(size=d) + rng.normal(size=n)
        cases.append((X.round(1), (y - y.mean() if ones else y + 4).round(1)))
    return cases


def _gaussians(rng):
    """Wide curves beside their samples, and one so narrow that its densities multiply to more than 1."""
    wide = [(x, np.mean(x) + rng.uniform(0.5, 1), rng.uniform(1.5, 3)) for (x,) in _samples(rng)]
    return [*wide, (rng.normal(2, 0.05, size=6), 2.0, rng.uniform(0.08, 0.12))]


def _squares(x, mu):
    return np.sum((x - mu) ** 2)


def _residuals(X, y):
    return y - X @ np.linalg.lstsq(X, y, rcond=None)[0]


# --- two coins ---

coin_likelihoods = Value(
    "coin_likelihoods",
    asks="How probable is a sequence?",
    points=1,
    reference=np.array([0.5**6, 0.9**4 * 0.1**2, 0.9**5 * 0.1]),
    mistakes=[
        Mistake(
            "These carry the factors 15 and 6, the number of orders in which the heads can fall. The sequence was "
            "seen, not the count. The factor is the same for both coins and cancels when you compare them.",
            np.array([15 * 0.5**6, 15 * 0.9**4 * 0.1**2, 6 * 0.9**5 * 0.1]),
        ),
        Mistake(
            "For coin B the exponents are exchanged: 0.9 belongs to the heads, 0.1 to the tails.",
            np.array([0.5**6, 0.9**2 * 0.1**4, 0.9 * 0.1**5]),
        ),
        Mistake(
            "Only the heads are counted: every tail has a probability too, and it multiplies the others.",
            np.array([0.5**4, 0.9**4, 0.9**5]),
        ),
        Mistake(
            "The probabilities of the tosses are added. For independent tosses they multiply.",
            np.array([3.0, 3.8, 4.6]),
        ),
        Mistake(
            "These are logarithms of the likelihoods: the probabilities themselves are asked for.",
            np.log([0.5**6, 0.9**4 * 0.1**2, 0.9**5 * 0.1]),
        ),
    ],
    hints=(
        Hint("Where do I start?", "The tosses are independent: one factor for each of the six, multiplied."),
        Hint(
            "What are the factors of coin B?",
            "0.9 for a head and 0.1 for a tail. Four heads and two tails make $0.9^4\\cdot0.1^2$.",
        ),
    ),
    see="The paragraph above the exercise: independent tosses, so the probabilities multiply.",
)


def _line_1(theta, x):
    return np.prod(theta**x * (1 - theta) ** (1 - x))


def _line_2(theta, x):
    return x * np.log(theta), (1 - x) * np.log(1 - theta)


def _line_3(theta, x):
    return np.sum(x), np.sum(1 - x)


def _line_4(theta, x):
    return np.sum(x) / theta, np.sum(1 - x) / (1 - theta), -1.0


def _line_5(theta, x):
    return np.sum(x), np.sum(x) + np.sum(1 - x)


def _collected(before, theta, x):
    """Line 3 from a line 2 whose arrays are multiples of log θ and of log(1 − θ)."""
    heads, tails = before
    return np.sum(heads) / np.log(theta), np.sum(tails) / np.log(1 - theta)


def _all_over_theta(term, theta):
    """What m/θ makes of c and k: m − mθ."""
    return term * theta * np.ones(2)


def _all_over_the_rest(term, theta):
    """What m/(1 − θ) makes of c and k: mθ."""
    return term * (1 - theta) * np.array([0.0, -1.0])


def _over_one_denominator(of_first, of_second):
    """Line 5 from a line 4 whose terms are over θ or over 1 − θ."""

    def step(before, theta, x):
        first, outer, inner = before
        return tuple(of_first(first, theta) + of_second(outer * inner, theta))

    return step


coin_score = Chain(
    "coin_score",
    asks="From the likelihood to the score",
    first=_line_1,
    lines=[
        Line(
            does="take the logarithm of each factor: what a head contributes, and what a tail does",
            parts=("heads", "tails"),
            reference=_line_2,
            whole=lambda here, theta, x: here[0] + here[1],
            mistakes=[
                Mistake(
                    "A minus has come in: log aᵇ = b log a. The logarithms are negative by themselves, because θ and "
                    "1 − θ are below 1.",
                    lambda theta, x: (-x * np.log(theta), (x - 1) * np.log(1 - theta)),
                ),
                Mistake(
                    "Every toss contributes to both here: the exponent says which of the two a toss has.",
                    lambda theta, x: (np.log(theta) + 0 * x, np.log(1 - theta) + 0 * x),
                ),
                Mistake(
                    "Heads and tails are exchanged: the factor is θ where x is 1.",
                    lambda theta, x: ((1 - x) * np.log(theta), x * np.log(1 - theta)),
                ),
                Mistake(
                    "The logarithm of 1 − θ is not 1 − log θ: it does not go into a difference.",
                    but(_line_2, 1, lambda theta, x: (1 - x) * (1 - np.log(theta))),
                ),
                Mistake(
                    "The tails have the exponent 1 − x: x log(1 − θ) stands where there is a head.",
                    but(_line_2, 1, lambda theta, x: x * np.log(1 - theta)),
                ),
                Mistake(
                    "A tail has the factor 1 − θ: log θ belongs to the heads.",
                    but(_line_2, 1, lambda theta, x: (1 - x) * np.log(theta)),
                ),
                Mistake(
                    "These are the factors themselves: their logarithms are asked for.",
                    lambda theta, x: (theta**x, (1 - theta) ** (1 - x)),
                ),
                Mistake(
                    "This is the logarithm to the base 10. The natural one is meant.",
                    lambda theta, x: (x * np.log10(theta), (1 - x) * np.log10(1 - theta)),
                ),
                Mistake(
                    "The two arrays are in the opposite order: heads come first.",
                    lambda theta, x: ((1 - x) * np.log(1 - theta), x * np.log(theta)),
                ),
                Mistake(
                    "All logarithms stand with the heads: those of the tails make an array of their own.",
                    lambda theta, x: (np.log(theta**x * (1 - theta) ** (1 - x)), 0 * theta**x),
                ),
            ],
        ),
        Line(
            does="add up over the tosses and collect equal summands: a log θ + b log(1 − θ), with θ in neither a nor b",
            parts=("a", "b"),
            reference=_line_3,
            follows=[
                _collected,
                lambda before, theta, x: (np.sum(before[0] + before[1]) / np.log(theta), 0.0),
                lambda before, theta, x: (0.0, np.sum(before[0] + before[1]) / np.log(1 - theta)),
            ],
            mistakes=[
                Mistake(
                    "a and b are exchanged: log θ comes once for every head.",
                    lambda theta, x: (np.sum(1 - x), np.sum(x)),
                ),
                Mistake(
                    "All n tosses stand before log(1 − θ): only the tails do.",
                    but(_line_3, 1, lambda theta, x: len(x)),
                ),
                Mistake(
                    "These are shares of the tosses: the sum is asked for, not the mean.",
                    lambda theta, x: (np.mean(x), np.mean(1 - x)),
                ),
                Mistake(
                    "b has a minus: both summands are added.",
                    but(_line_3, 1, lambda theta, x: -np.sum(1 - x)),
                ),
                Mistake(
                    "log θ and log(1 − θ) are still there: a and b are what stands before them.",
                    lambda theta, x: (np.sum(x) * np.log(theta), np.sum(1 - x) * np.log(1 - theta)),
                ),
                Mistake(
                    "All n tosses stand before log θ: only the heads do.",
                    but(_line_3, 0, lambda theta, x: len(x)),
                ),
                Mistake(
                    "b counts the heads: log(1 − θ) comes once for every tail.",
                    but(_line_3, 1, lambda theta, x: np.sum(x)),
                ),
            ],
        ),
        Line(
            does="differentiate both summands with respect to θ, the second by the chain rule: first + outer · inner",
            parts=("first", "outer", "inner"),
            reference=_line_4,
            follows=lambda before, theta, x: (before[0] / theta, before[1] / (1 - theta), -1.0),
            whole=lambda here, theta, x: here[0] + here[1] * here[2],
            mistakes=[
                Mistake(
                    "The inner function is 1 − θ, not θ: what is its derivative with respect to θ?",
                    but(_line_4, 2, lambda theta, x: 1.0),
                ),
                Mistake(
                    "The inner derivative is not 0: 1 − θ changes with θ.",
                    but(_line_4, 2, lambda theta, x: 0.0),
                ),
                Mistake(
                    "The sign of the inner derivative is in the outer one too: it comes only once.",
                    but(_line_4, 1, lambda theta, x: -np.sum(1 - x) / (1 - theta)),
                ),
                Mistake(
                    "The numbers of heads and of tails are gone: as factors they stay when you differentiate.",
                    lambda theta, x: (1 / theta, 1 / (1 - theta), -1.0),
                ),
                Mistake(
                    "The product is right, but its minus belongs to the inner derivative: that of 1 − θ is −1.",
                    lambda theta, x: (np.sum(x) / theta, -np.sum(1 - x) / (1 - theta), 1.0),
                ),
                Mistake(
                    "The outer derivative is b/u at u = 1 − θ, not at u = θ.",
                    but(_line_4, 1, lambda theta, x: np.sum(1 - x) / theta),
                ),
                Mistake(
                    "inner is 1 − θ itself: its derivative with respect to θ is asked for.",
                    but(_line_4, 2, lambda theta, x: 1 - theta),
                ),
                Mistake(
                    "The derivative of −θ with respect to θ is −1, and holds no θ.",
                    but(_line_4, 2, lambda theta, x: -theta),
                ),
                Mistake(
                    "b stands with the inner derivative. It multiplies the logarithm, so it belongs to the outer one.",
                    lambda theta, x: (np.sum(x) / theta, 1 / (1 - theta), -np.sum(1 - x)),
                ),
                Mistake(
                    "The logarithms are not differentiated yet: log u has the derivative 1/u.",
                    lambda theta, x: (np.sum(x) * np.log(theta), np.sum(1 - x) * np.log(1 - theta), -1.0),
                ),
            ],
        ),
        Line(
            does="bring line 4 to the common denominator θ(1 − θ) and sort the numerator: c − kθ, with θ in neither",
            parts=("c", "k"),
            reference=_line_5,
            follows=[
                _over_one_denominator(of_first, of_second)
                for of_first in (_all_over_theta, _all_over_the_rest)
                for of_second in (_all_over_the_rest, _all_over_theta)
            ],
            whole=lambda here, theta, x: here[0] - here[1] * theta,
            mistakes=[
                Mistake(
                    "A sign was lost in multiplying out: from the first term you get −θ for every head, and from the "
                    "second −θ for every tail.",
                    but(_line_5, 1, lambda theta, x: np.sum(x) - np.sum(1 - x)),
                ),
                Mistake(
                    "Each numerator was multiplied with its own denominator. It takes the other one.",
                    lambda theta, x: (-np.sum(1 - x), -len(x)),
                ),
                Mistake(
                    "k has the wrong sign: the numerator is c minus kθ.",
                    but(_line_5, 1, lambda theta, x: -len(x)),
                ),
                Mistake(
                    "The numerator of the second term took no θ with it.",
                    lambda theta, x: (np.sum(x) - np.sum(1 - x), np.sum(x)),
                ),
                Mistake(
                    "k counts the tails only. The heads bring −θ too: their number is multiplied with 1 − θ.",
                    but(_line_5, 1, lambda theta, x: np.sum(1 - x)),
                ),
                Mistake(
                    "Both are divided by θ(1 − θ), which stands in the formula already.",
                    lambda theta, x: (np.sum(x) / (theta * (1 - theta)), len(x) / (theta * (1 - theta))),
                ),
                Mistake(
                    "Both signs are reversed: the numerator is c − kθ, and the heads have a plus in it.",
                    lambda theta, x: (-np.sum(x), -len(x)),
                ),
                Mistake(
                    "c and k are exchanged: k is what stands with θ.",
                    lambda theta, x: (len(x), np.sum(x)),
                ),
                Mistake(
                    "Both are divided by n. The zero stays where it is, but this is no longer the score.",
                    lambda theta, x: (np.mean(x), 1.0),
                ),
            ],
        ),
    ],
    cases=_tosses,
    forbids=(ml.likelihood, ml.log_likelihood, ml.score),
    alternatives=[
        Alternative(
            lambda theta, x: (np.where(x == 1, np.log(theta), 0), np.where(x == 0, np.log(1 - theta), 0)), part=0
        ),
        Alternative(lambda theta, x: (np.log(theta**x), np.log1p(-theta * (1 - x))), part=0),
        Alternative(lambda theta, x: (x.sum(), len(x) - x.sum()), part=1),
        Alternative(lambda theta, x: (np.count_nonzero(x == 1), np.count_nonzero(x == 0)), part=1),
        Alternative(lambda theta, x: np.bincount(x)[::-1], part=1),
        Alternative(
            lambda theta, x: (len(x) * np.mean(x) / theta, (len(x) - np.sum(x)) * (1 - theta) ** -1, -1), part=2
        ),
        Alternative(lambda theta, x: (np.sum(x / theta), np.sum((1 - x) / (1 - theta)), -(theta**0)), part=2),
        Alternative(lambda theta, x: (x.sum(), len(x)), part=3),
        Alternative(lambda theta, x: (len(x) * np.mean(x), x.size), part=3),
    ],
    hints=(
        Hint(
            "How does a logarithm go into a power?",
            "$\\log a^b=b\\log a$, and the logarithm of a product is the sum of the logarithms.",
        ),
        Hint("How do I count?", "Add up what is 1 for those that you want to count, and 0 for the others."),
        Hint(
            "How does the chain rule go here?",
            "$\\frac d{d\\theta}\\log u(\\theta)=\\frac1u\\,u'(\\theta)$: the outer derivative, at $u=1-\\theta$, "
            "times the inner one.",
        ),
        Hint(
            "How do I add two fractions?",
            "$\\frac p\\theta+\\frac q{1-\\theta}=\\frac{p(1-\\theta)+q\\theta}{\\theta(1-\\theta)}$. Then collect "
            "what holds θ, and what does not.",
        ),
    ),
    see="Lines 3 and 4 are the pieces of equations (3.2) and (3.3); line 5 is the latter over one denominator.",
)


def _both(m1, m0):
    return ml.coin_fit(m1, m0), ml.log_odds(m1, m0)


_SMOOTHED = (
    "One head and one tail are added to the counts. That gives the mean of a posterior with a flat prior "
    "(notebook 25), not the maximum of the likelihood."
)

coin_estimate = Function(
    "coin_estimate",
    asks="The most likely coin",
    points=2,
    reference=_both,
    returns=("theta", "vartheta"),
    cases=_counts,
    forbids=(ml.coin_fit, ml.log_odds),
    mistakes=[
        Mistake(
            "The second is the logarithm of θ̂, the log-probability. The log-odds are log(θ̂/(1 − θ̂)).",
            lambda m1, m0: (m1 / (m1 + m0), np.log(m1 / (m1 + m0))),
        ),
        Mistake(
            "The second is the odds m₁/m₀. Their logarithm is asked for.",
            lambda m1, m0: (m1 / (m1 + m0), m1 / m0),
        ),
        Mistake(_SMOOTHED, lambda m1, m0: ((m1 + 1) / (m1 + m0 + 2), np.log((m1 + 1) / (m0 + 1)))),
        Mistake(_SMOOTHED, lambda m1, m0: ((m1 + 1) / (m1 + m0 + 2), np.log(m1 / m0))),
        Mistake(
            "Heads and tails are exchanged: θ is the probability of heads.",
            lambda m1, m0: (m0 / (m1 + m0), np.log(m0 / m1)),
        ),
        Mistake(
            "ϑ has the wrong sign: it must be positive when heads are in the majority.",
            lambda m1, m0: (m1 / (m1 + m0), np.log(m0 / m1)),
        ),
        Mistake(
            "The first is the odds m₁/m₀, which can exceed 1. A probability divides by all tosses.",
            lambda m1, m0: (m1 / m0, np.log(m1 / m0)),
        ),
    ],
    alternatives=[
        Alternative(lambda m1, m0: (1 / (1 + m0 / m1), np.log(m1) - np.log(m0))),
        Alternative(lambda m1, m0: (1 - m0 / (m1 + m0), 2 * np.arctanh((m1 - m0) / (m1 + m0)))),
    ],
    hints=(
        Hint("Where is the maximum?", "Where the score is zero: the numerator of line 5 must vanish."),
        Hint(
            "How do I get ϑ?",
            "Solve $\\theta=1/(1+e^{-\\vartheta})$ for $\\vartheta$: $e^{\\vartheta}=\\theta/(1-\\theta)$. "
            "Then put in $\\hat\\theta$.",
        ),
    ),
    see="Equations (3.4) and (3.5): the zero of line 5, and the same coin under its other name.",
)

new_name = Choice(
    "new_name",
    asks="Does the name of the parameter matter?",
    points=1,
    options={
        "a": Option("both describe the same coin, for every sequence with at least one head and one tail"),
        "b": Option(
            "they describe different coins: a change of variable brings in the factor $d\\theta/d\\vartheta$",
            wrong="That factor belongs to densities of θ. L is a probability of the tosses, and no density of θ: "
            "put θ(ϑ) into L and nothing else changes.",
        ),
        "c": Option(
            "they describe the same coin only if heads and tails are equally many",
            wrong="Try four heads and two tails: ϑ̂ = log 2 gives 1/(1 + e^(−log 2)) = 2/3, which is θ̂.",
        ),
    },
    reasons={
        "i": Option(
            "the logarithm is an increasing function, so it does not move the maximum",
            wrong="True, and it is why ℓ has the same maximum as L. But that is a logarithm of the likelihood, "
            "and here the parameter was changed.",
        ),
        "ii": Option(
            "the slope of the log-likelihood is the same in both",
            wrong="The slopes differ by the factor dθ/dϑ = θ(1 − θ). They only vanish together.",
        ),
        "iii": Option("every $\\vartheta$ names one coin, and the likelihood of a coin does not depend on its name"),
    },
    hints=(
        Hint(
            "How can I test it?",
            "Write $\\ell(\\vartheta)=m_1\\vartheta-(m_1+m_0)\\log(1+e^\\vartheta)$ and set its derivative to zero.",
        ),
    ),
    see="The paragraph after equation (3.5): a one-to-one change of parameter renames the coins.",
)


# --- measurements ---

gaussian_density = Slip(
    "gaussian_density",
    asks="The log-likelihood of a Gaussian sample",
    points=2,
    printed=lambda x, mu, sigma: -len(x) * np.log(np.sqrt(2 * np.pi) * sigma**2) - _squares(x, mu) / (2 * sigma**2),
    reference=ml.gaussian_log_likelihood,
    cases=_gaussians,
    admits=lambda x, mu, sigma: np.ndim(x) == 1 and len(x) > 0 and np.ndim(mu) == np.ndim(sigma) == 0 and sigma > 0,
    domain="x of shape (n,) with n ≥ 1, a number μ and a number σ > 0",
    mistakes=[
        Mistake(
            "This is still the printed formula.",
            lambda x, mu, sigma: -len(x) * np.log(np.sqrt(2 * np.pi) * sigma**2) - _squares(x, mu) / (2 * sigma**2),
        ),
        Mistake(
            "Here σ is taken for the variance: the variance is σ², also in the exponent.",
            lambda x, mu, sigma: -len(x) / 2 * np.log(2 * np.pi * sigma) - _squares(x, mu) / (2 * sigma),
        ),
        Mistake(
            "The ½ in the exponent is lost: it was right as printed.",
            lambda x, mu, sigma: -len(x) * np.log(np.sqrt(2 * np.pi) * sigma) - _squares(x, mu) / sigma**2,
        ),
        Mistake(
            "The constant stands there once: each of the n points brings its own factor 1/(√(2π)σ).",
            lambda x, mu, sigma: -np.log(np.sqrt(2 * np.pi) * sigma) - _squares(x, mu) / (2 * sigma**2),
        ),
        Mistake(
            "The term −n log √(2π) is missing. The maximum is where it was, but the value is another.",
            lambda x, mu, sigma: -len(x) * np.log(sigma) - _squares(x, mu) / (2 * sigma**2),
        ),
        Mistake(SAME_THERE, (np.array([1.0, 2.0, 4.0]), 2.0, 1.0), part=1),
    ],
    alternatives=[
        Alternative(
            lambda x, mu, sigma: np.sum(-np.log(2 * np.pi * sigma**2) / 2 - ((x - mu) / sigma) ** 2 / 2),
        ),
        Alternative(
            lambda x, mu, sigma: sum(
                math.log(math.exp(-(((v - mu) / sigma) ** 2) / 2) / (math.sqrt(2 * math.pi) * sigma)) for v in x
            ),
        ),
        Alternative(([0.0], 0.0, 2.0), part=1),
    ],
    hints=(
        Hint(
            "Which factor is wrong?",
            "A density must have the area 1. Stretch a curve to twice its width: what must happen to its height?",
        ),
        Hint(
            "How do I find a counter-example?",
            "The two differ by $n\\log\\sigma$. For which $\\sigma$ is that not zero?",
        ),
    ),
    see="Equation (3.6): the height of a bell curve is 1/(√(2π)σ), and the area under it is 1.",
)

# --- the best curve: from (3.6) to where its slopes vanish ---


def _gauss_1(x, mu, sigma):
    return -len(x) * np.log(np.sqrt(2 * np.pi) * sigma) - np.sum((x - mu) ** 2) / (2 * sigma**2)


def _gauss_2(x, mu, sigma):
    return np.sum(x**2), np.sum(x)


def _gauss_3(x, mu, sigma):
    return np.sum(x) / len(x), np.sum((x - np.mean(x)) ** 2)


def _gauss_4(x, mu, sigma):
    return -len(x) / sigma, np.sum((x - np.mean(x)) ** 2) / sigma**3


def _gauss_5(x, mu, sigma):
    return len(x) / sigma**3, np.sum((x - np.mean(x)) ** 2) / len(x)


gaussian_slopes = Chain(
    "gaussian_slopes",
    asks="From the log-likelihood to the best curve",
    first=_gauss_1,
    lines=[
        Line(
            does="multiply out the squares and add up, sorted by μ: Σᵢ(xᵢ − μ)² = q − 2pμ + nμ²",
            parts=("q", "p"),
            reference=_gauss_2,
            mistakes=[
                Mistake(
                    "p is twice too large: the 2 of the cross term stands in the formula already.",
                    but(_gauss_2, 1, lambda x, mu, sigma: 2 * np.sum(x)),
                ),
                Mistake(
                    "p has the wrong sign: the minus stands in the formula already.",
                    but(_gauss_2, 1, lambda x, mu, sigma: -np.sum(x)),
                ),
                Mistake(
                    "q is the square of the sum. Each xᵢ is squared by itself, and then they are added.",
                    but(_gauss_2, 0, lambda x, mu, sigma: np.sum(x) ** 2),
                ),
                Mistake(
                    "These are means over the points: (3.6) has a sum.",
                    lambda x, mu, sigma: (np.mean(x**2), np.mean(x)),
                ),
                Mistake(
                    "q and p are exchanged: q holds the squares.",
                    lambda x, mu, sigma: (np.sum(x), np.sum(x**2)),
                ),
                Mistake(
                    "μ is still in p: it stands beside p in the formula already.",
                    but(_gauss_2, 1, lambda x, mu, sigma: mu * np.sum(x)),
                ),
            ],
        ),
        Line(
            does="complete the square in μ: n(m − μ)² + S, with μ in neither m nor S",
            parts=("m", "S"),
            reference=_gauss_3,
            follows=lambda before, x, mu, sigma: (before[1] / len(x), before[0] - before[1] ** 2 / len(x)),
            mistakes=[
                Mistake(
                    "m is a sum: multiply n(m − μ)² out, and compare with −2pμ.",
                    but(_gauss_3, 0, lambda x, mu, sigma: np.sum(x)),
                ),
                Mistake(
                    "Completing the square has added nm², which must be taken off again: S is less than q.",
                    but(_gauss_3, 1, lambda x, mu, sigma: np.sum(x**2)),
                ),
                Mistake(
                    "Only m² was taken off. The n in front of the bracket multiplies it too.",
                    but(_gauss_3, 1, lambda x, mu, sigma: np.sum(x**2) - np.mean(x) ** 2),
                ),
                Mistake(
                    "S was divided by n: it is what is left of a sum.",
                    but(_gauss_3, 1, lambda x, mu, sigma: np.var(x)),
                ),
                Mistake(
                    "μ is still there: with m = μ the square is 0, and nothing was completed.",
                    lambda x, mu, sigma: (mu, np.sum((x - mu) ** 2)),
                ),
                Mistake(
                    "The n before the bracket is forgotten in both: nm is p, and what was added is nm².",
                    lambda x, mu, sigma: (np.sum(x), np.sum(x**2) - np.sum(x) ** 2),
                ),
                Mistake(
                    "This is all of n(m − μ)²: m alone is asked for.",
                    but(_gauss_3, 0, lambda x, mu, sigma: len(x) * (np.mean(x) - mu) ** 2),
                ),
            ],
        ),
        Line(
            does="put line 3 with μ = m into line 1, and differentiate with respect to σ: the term from the logarithm, "
            "and the one from the squares, each with its sign",
            parts=("logarithm", "squares"),
            reference=_gauss_4,
            follows=lambda before, x, mu, sigma: (-len(x) / sigma, before[1] / sigma**3),
            mistakes=[
                Mistake(
                    "√(2π) came along. log(√(2π)σ) is a constant plus log σ, and the constant has no derivative.",
                    but(_gauss_4, 0, lambda x, mu, sigma: -len(x) / (np.sqrt(2 * np.pi) * sigma)),
                ),
                Mistake(
                    "n is lost: every point brings a log σ.",
                    but(_gauss_4, 0, lambda x, mu, sigma: -1 / sigma),
                ),
                Mistake(
                    "The second term has the wrong sign: the derivative of σ⁻² has a minus, and −S/2 has one.",
                    but(_gauss_4, 1, lambda x, mu, sigma: -np.sum((x - np.mean(x)) ** 2) / sigma**3),
                ),
                Mistake(
                    "The second term is half of it: the derivative of σ⁻² is −2σ⁻³, and its 2 cancels the one below.",
                    but(_gauss_4, 1, lambda x, mu, sigma: np.sum((x - np.mean(x)) ** 2) / (2 * sigma**3)),
                ),
                Mistake(
                    "This is the derivative with respect to σ²: the one with respect to σ is 2σ times as large.",
                    lambda x, mu, sigma: (-len(x) / (2 * sigma**2), np.sum((x - np.mean(x)) ** 2) / (2 * sigma**4)),
                ),
                Mistake(
                    "A power of σ is lost in the second term: the derivative of σ⁻² holds σ⁻³.",
                    but(_gauss_4, 1, lambda x, mu, sigma: np.sum((x - np.mean(x)) ** 2) / sigma**2),
                ),
                Mistake(
                    "log σ is not differentiated yet: its derivative is 1/σ.",
                    but(_gauss_4, 0, lambda x, mu, sigma: -len(x) * np.log(sigma)),
                ),
                Mistake(
                    "μ is still there: line 3 is taken at μ = m, and S is left of it.",
                    but(_gauss_4, 1, lambda x, mu, sigma: np.sum((x - mu) ** 2) / sigma**3),
                ),
                Mistake(
                    "Both signs are reversed: in line 1 the logarithm has a minus.",
                    lambda x, mu, sigma: (len(x) / sigma, -np.sum((x - np.mean(x)) ** 2) / sigma**3),
                ),
            ],
        ),
        Line(
            does="take out what stands with σ²: c(v − σ²), with σ not in v",
            parts=("c", "v"),
            reference=_gauss_5,
            follows=lambda before, x, mu, sigma: (-before[0] / sigma**2, -before[1] / before[0] * sigma**2),
            mistakes=[
                Mistake(
                    "n − 1 does not come out of this derivative: there are n points, and each brings one log σ.",
                    but(_gauss_5, 1, lambda x, mu, sigma: np.var(x, ddof=1)),
                ),
                Mistake(
                    "n was taken out of the first term only: v has to be divided by it.",
                    but(_gauss_5, 1, lambda x, mu, sigma: np.sum((x - np.mean(x)) ** 2)),
                ),
                Mistake(
                    "v is compared with σ², so it is not a root.",
                    but(_gauss_5, 1, lambda x, mu, sigma: np.std(x)),
                ),
                Mistake(
                    "c is what stands before σ² once σ² is taken out: n/σ is nσ²/σ³.",
                    but(_gauss_5, 0, lambda x, mu, sigma: len(x) / sigma),
                ),
                Mistake(
                    "c is 1/σ³ here: then σ² comes once, and line 4 has it for each of the n points.",
                    lambda x, mu, sigma: (sigma**-3, np.sum((x - np.mean(x)) ** 2)),
                ),
                Mistake(
                    "μ is still in v: line 4 holds S, the squares around m.",
                    but(_gauss_5, 1, lambda x, mu, sigma: np.mean((x - mu) ** 2)),
                ),
            ],
        ),
    ],
    cases=_gaussians,
    forbids=(ml.gaussian_log_likelihood, ml.gaussian_fit, ml.residual_variance),
    alternatives=[
        Alternative(lambda x, mu, sigma: (x @ x, x.sum()), part=0),
        Alternative(lambda x, mu, sigma: (np.linalg.norm(x) ** 2, len(x) * np.mean(x)), part=0),
        Alternative(lambda x, mu, sigma: (x.mean(), np.sum(x**2) - np.sum(x) ** 2 / len(x)), part=1),
        Alternative(lambda x, mu, sigma: (np.mean(x), np.sum((x[:, None] - x) ** 2) / (2 * len(x))), part=1),
        Alternative(lambda x, mu, sigma: (-len(x) * sigma**-1, len(x) * np.var(x) * sigma**-3), part=2),
        Alternative(
            lambda x, mu, sigma: (-np.sum(x**0 / sigma), np.sum(((x - x.mean()) / sigma) ** 2) / sigma), part=2
        ),
        Alternative(lambda x, mu, sigma: (len(x) * sigma**-3, np.mean((x - x.mean()) ** 2)), part=3),
        Alternative(lambda x, mu, sigma: (len(x) / sigma**3, np.mean(x**2) - np.mean(x) ** 2), part=3),
    ],
    hints=(
        Hint("What becomes of the sum?", r"$\sum_i$ goes to every term: that of a constant is $n$ times the constant."),
        Hint(
            "How do I complete a square?",
            r"Multiply $n(m-\mu)^2$ out: $nm^2-2nm\mu+n\mu^2$. Compare the terms with $\mu$, then see what is left.",
        ),
        Hint("What is the derivative of 1/σ²?", r"$\sigma^{-2}$ has the derivative $-2\sigma^{-3}$."),
    ),
    see="Equation (3.6) is line 1. The text after the check says what lines 3 and 5 mean.",
)

gaussian_mle = Function(
    "gaussian_mle",
    asks="The most likely Gaussian",
    points=2,
    reference=ml.gaussian_fit,
    returns=("mu", "var"),
    cases=_samples,
    forbids=(ml.residual_variance,),
    mistakes=[
        Mistake(
            "The variance is divided by n − 1. That estimate has no bias, but it is not the maximum of the likelihood.",
            lambda x: (np.mean(x), np.var(x, ddof=1)),
        ),
        Mistake(
            "The second is σ̂, the standard deviation: σ̂² is asked for.",
            lambda x: (np.mean(x), np.std(x)),
        ),
        Mistake(
            "The second is the mean of x², the spread around 0: take the spread around μ̂.",
            lambda x: (np.mean(x), np.mean(x**2)),
        ),
        Mistake(
            "The squares are added and not divided: from n/σ = Σ(xᵢ − μ)²/σ³ follows a factor 1/n.",
            lambda x: (np.mean(x), _squares(x, np.mean(x))),
        ),
        Mistake(
            "The variance is half as large as it should be: it is the maximum of the printed formula with σ² "
            "in place of σ.",
            lambda x: (np.mean(x), np.var(x) / 2),
        ),
        Mistake(
            "μ̂ is the median here. It makes Σ|xᵢ − μ| smallest; the exponent of a Gaussian holds squares.",
            lambda x: (np.median(x), np.mean((x - np.median(x)) ** 2)),
        ),
    ],
    alternatives=[
        Alternative(lambda x: (np.sum(x) / len(x), np.mean(x**2) - np.mean(x) ** 2)),
        Alternative(lambda x: (x.mean(), np.var(x))),
        Alternative(lambda x: (x.mean(), np.mean((x[:, None] - x) ** 2) / 2)),
    ],
    hints=(
        Hint(
            "Two unknowns. Which first?",
            "Line 3 of the derivation is smallest at one $\\mu$, whatever $\\sigma$ is.",
        ),
        Hint(
            "And σ?",
            "Line 5 is the slope of $\\ell$ in $\\sigma$ at this $\\mu$. For which $\\sigma^2$ is it zero?",
        ),
    ),
    see="Equation (3.7): the m of line 3 and the v of line 5.",
)

noise_variance = Function(
    "noise_variance",
    asks="The noise of a regression",
    points=1,
    reference=ml.residual_variance,
    cases=_designs,
    mistakes=[
        Mistake(
            "The squares are divided by n − d. That estimate has no bias, but it is not the maximum of the likelihood.",
            lambda X, y: np.sum(_residuals(X, y) ** 2) / (len(y) - X.shape[1]),
        ),
        Mistake(
            "This is the variance of y before any regression: what X explains is not noise.",
            lambda X, y: np.var(y),
        ),
        Mistake(
            "This is the sum of the squared residuals: σ̂² is their mean.",
            lambda X, y: np.sum(_residuals(X, y) ** 2),
        ),
        Mistake(
            "`np.var` takes the spread around the mean of the residuals, which is zero only if X can make a constant. "
            "The model says that the noise has mean 0.",
            lambda X, y: np.var(_residuals(X, y)),
        ),
        Mistake(
            "This is the mean of the absolute residuals, which belongs to another distribution of the noise.",
            lambda X, y: np.mean(np.abs(_residuals(X, y))),
        ),
    ],
    alternatives=[
        Alternative(lambda X, y: np.mean((y - X @ np.linalg.solve(X.T @ X, X.T @ y)) ** 2)),
        Alternative(lambda X, y: np.linalg.lstsq(X, y, rcond=None)[1][0] / len(y)),
        Alternative(lambda X, y: y @ _residuals(X, y) / len(y)),
    ],
    hints=(
        Hint(
            "What is new, compared with (3.7)?",
            "Each point has its own mean $x_i^\\top\\hat w$. The residuals $y_i-x_i^\\top\\hat w$ "
            "take the place of $x_i-\\bar x$.",
        ),
        Hint("How do I get ŵ?", "`np.linalg.lstsq(X, y, rcond=None)[0]` gives the least squares weights."),
    ),
    see="Equation (3.9): the derivative with respect to σ is that of a Gaussian sample with other means.",
)

# --- where the recipe fails ---

uniform_mle = Function(
    "uniform_mle",
    asks="The most likely interval",
    points=1,
    reference=ml.uniform_fit,
    cases=_symmetric_intervals,
    mistakes=[
        Mistake(
            "The negative points are forgotten. With θ = max xᵢ a negative point farther from 0 lies outside [−θ, θ], "
            "and then the likelihood is 0.",
            lambda x: np.max(x),
        ),
        Mistake(
            "This is half the range, for an interval that may lie anywhere. [−θ, θ] has its centre at 0, "
            "and the farther end can be left outside.",
            lambda x: (np.max(x) - np.min(x)) / 2,
        ),
        Mistake(
            "Twice the mean of |xᵢ| is a moment estimator: E|x| = θ/2. Some points may lie outside it.",
            lambda x: 2 * np.mean(np.abs(x)),
        ),
        Mistake(
            "This is the root of 3 times the second moment, a moment estimator: E x² = θ²/3. "
            "Its likelihood is not the largest.",
            lambda x: np.sqrt(3 * np.mean(x**2)),
        ),
        Mistake(
            "The factor (n + 1)/n takes the bias away, but a longer interval makes every point less probable.",
            lambda x: (len(x) + 1) / len(x) * np.max(np.abs(x)),
        ),
        Mistake(
            "This is the point nearest to 0: with that θ all the others are impossible.",
            lambda x: np.min(np.abs(x)),
        ),
    ],
    alternatives=[
        Alternative(lambda x: max(np.max(x), -np.min(x))),
        Alternative(lambda x: np.linalg.norm(x, np.inf)),
        Alternative(lambda x: np.sqrt(np.sort(x**2)[-1])),
    ],
    hints=(
        Hint("I differentiate and get −n/θ. And now?", "It is never zero: $L$ falls for ever. So how small may θ be?"),
        Hint("Which θ are possible?", "Every point must lie in $[-\\theta,\\theta]$, so $|x_i|\\le\\theta$ for all."),
    ),
    see="Equations (3.10) and (3.11): the maximum is at a jump, not at a zero of the derivative.",
)

_TWO_POINTS = "One point always allows a spike. Give at least two numbers, as a list."
_KEEPS_SPREAD = (
    "These points keep a spread Σ(xᵢ − x̄)² > 0. For small σ the term −Σ(xᵢ − x̄)²/2σ² falls faster than "
    "−n log σ rises, so the likelihood has a maximum."
)

no_maximum = Property(
    "no_maximum",
    asks="A sample without a most likely Gaussian",
    points=1,
    laws=[
        Law(_TWO_POINTS, lambda x: x.ndim == 1 and len(x) >= 2),
        Law(_KEEPS_SPREAD, lambda x: bool(np.ptp(x) == 0)),
    ],
    mistakes=[
        Mistake(_TWO_POINTS, [3.0]),
        Mistake(_TWO_POINTS, 0.0),
        Mistake(_KEEPS_SPREAD, [1.0, 1.0, 2.0]),
        Mistake(_KEEPS_SPREAD, [0.0, 1e-3]),
        Mistake(
            "The mean of these is 0, but no point lies on it: both pay (xᵢ − x̄)²/2σ², which grows as σ → 0.",
            [-1.0, 1.0],
        ),
        Mistake(
            "Large numbers do not help: μ̂ moves with them. It is their distance from each other that counts.",
            [1e6, 2e6],
        ),
    ],
    alternatives=[Alternative([0, 0]), Alternative(np.full(5, -1.5))],
    hints=(
        Hint(
            "Which term could grow for ever?",
            "With $\\mu=\\bar x$: $-n\\log\\sigma$ grows without bound as $\\sigma\\to0$. What holds it back?",
        ),
        Hint("How can nothing hold it back?", "The second term is $-\\sum_i(x_i-\\bar x)^2/2\\sigma^2$. Make it zero."),
    ),
    see="The section *Break it*: without spread nothing opposes σ → 0.",
)

# --- how much a toss tells ---

toss_information = Function(
    "toss_information",
    asks="The information in one toss",
    points=2,
    reference=ml.coin_information,
    cases=lambda rng: [(0.3,), (rng.uniform(0.05, 0.4),), (rng.uniform(0.6, 0.95),)],
    mistakes=[
        Mistake(
            "θ(1 − θ) is the variance of one toss. Information is its inverse: the less tosses vary, the more one "
            "tells.",
            lambda theta: theta * (1 - theta),
        ),
        Mistake(
            "−log θ is the surprise at a head (notebook 01). Fisher's information is the mean square of a slope.",
            lambda theta: -np.log(theta),
        ),
        Mistake(
            "Both squares are there but not their weights: heads come with probability θ, tails with 1 − θ.",
            lambda theta: 1 / theta**2 + 1 / (1 - theta) ** 2,
        ),
        Mistake(
            "Only the heads contribute here: a tail has the score −1/(1 − θ).",
            lambda theta: 1 / theta,
        ),
        Mistake(
            "This is the mean of the score, which is 0 for every θ. Square it before you take the mean.",
            lambda theta: 0.0,
        ),
        Mistake(
            "This is the entropy of a toss: it averages −log p, not the square of the score.",
            lambda theta: -theta * np.log(theta) - (1 - theta) * np.log(1 - theta),
        ),
    ],
    alternatives=[
        Alternative(lambda theta: 1 / theta + 1 / (1 - theta)),
        Alternative(lambda theta: theta * (1 / theta) ** 2 + (1 - theta) * (-1 / (1 - theta)) ** 2),
        Alternative(
            lambda theta: sum(p * (v / theta - (1 - v) / (1 - theta)) ** 2 for v, p in ((1, theta), (0, 1 - theta)))
        ),
    ],
    hints=(
        Hint(
            "What is the score of one toss?",
            "(3.3) with one toss: $1/\\theta$ for a head, $-1/(1-\\theta)$ for a tail.",
        ),
        Hint(
            "How do I take the mean?",
            "Weight each square by how often it happens: $\\theta\\cdot(1/\\theta)^2+(1-\\theta)\\cdot(\\dots)^2$.",
        ),
    ),
    see="Equation (3.12): two possible scores, squared and weighted by their probabilities.",
)

not_a_probability = Explanation(
    "not_a_probability",
    asks="What a likelihood is not",
    points=3,
    rubric=(
        "1 point: 0.0156 is the probability of the sequence HHHHTT if coin A is thrown, not the probability of coin A; "
        "as a function of the coin, L need not add up to 1. 1 point: what can be compared is the ratio, 2.4 to 1 for "
        "A; the probability of A needs a prior, and with equal chances beforehand it is 0.0156/0.0222 = 0.70. "
        "1 point: for measurements L is a product of densities, which may exceed 1 because only their area is bounded."
    ),
)

topic = Topic(
    number=3,
    slug="maximum_likelihood",
    title="Maximum likelihood",
    question="Which parameter makes what we saw the least surprising?",
    part="Foundations",
    minutes=90,
    before={
        "probability": "independence, densities and expectations",
    },
    exercises=[
        coin_likelihoods,
        coin_score,
        coin_estimate,
        new_name,
        gaussian_density,
        gaussian_slopes,
        gaussian_mle,
        noise_variance,
        uniform_mle,
        no_maximum,
        toss_information,
        not_a_probability,
    ],
)
check = Checks(topic)
