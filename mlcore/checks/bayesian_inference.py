"""The exercises of 25 bayesian_inference."""

import math

import numpy as np

from mlcore import bayesian_inference as bayes
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

# --- data to be tried on: unequal counts, priors off centre, few and many measurements ---


def _coins(rng):
    """a, b, m₁ and m₀, all different, in either order, even and odd; the first is the one that the text works out."""
    made = [(2.0, 5.0, 4, 2)]
    for most, odd in ((9, (1, 0)), (30, (0, 1))):
        m1, m0 = 2 * rng.integers(1, most // 2, size=2) + odd
        b, a = np.sort(rng.choice(np.arange(2, 9), size=2, replace=False)) + rng.choice([0.25, 0.5, 0.75], size=2)
        made.append((float(a), float(b), int(m1), int(m0)))
    return made


def _measured(rng):
    """Measurements, the mean and the spread of the prior, the spread of the noise; negative and positive."""
    made = [(np.array([1.0, 2.0, 1.5]), 0.5, 2.0, 1.0)]
    for n, side in ((2, -1), (7, 1)):
        theta, sigma = side * rng.uniform(1, 3), rng.uniform(0.4, 0.9)
        x = rng.normal(theta, sigma, size=n).round(2)
        made.append((x, round(theta + 2 * side, 1), round(rng.uniform(1.2, 2), 2), round(sigma, 2)))
    return made


def _exponents(rng):
    return [(round(rng.uniform(-2, 2), 1) + 0.05, *args) for args in _measured(rng)]


def _counted(rng):
    """Counts with a mean unlike that of the prior, one of them 0, a and the rate b."""
    made = [(np.array([2, 4, 1, 3, 2]), 3.0, 2.0)]
    for n in (3, 8):
        x = rng.permutation(np.append(rng.poisson(rng.uniform(4, 7), size=n - 1) + 1, 0))
        made.append((x, round(rng.uniform(1.5, 4), 1), round(rng.uniform(2.5, 4), 1)))
    return made


def _kinds(rng):
    made = [(np.array([1.0, 2.0, 3.0]), np.array([4, 0, 2]))]
    for K in (2, 5):
        made.append((rng.uniform(0.5, 4, size=K).round(1), rng.permutation(np.arange(K) * 3)))
    return made


# --- a coin ---


def _printed_posterior(a, b, m1, m0):
    return a + m0, b + m1


coin_posterior = Slip(
    "coin_posterior",
    asks="The posterior of a coin",
    points=2,
    printed=_printed_posterior,
    reference=bayes.coin_posterior,
    cases=_coins,
    admits=lambda a, b, m1, m0: all(np.ndim(v) == 0 for v in (a, b, m1, m0)) and min(a, b) > 0 and min(m1, m0) >= 0,
    domain="four numbers: a, b > 0 and m₁, m₀ ≥ 0",
    mistakes=[
        Mistake("This is still the printed formula: it adds the tails to a.", _printed_posterior),
        Mistake(
            "Both lost 1. The exponents are a + m₁ − 1 and b + m₀ − 1, and the exponents of Beta(a, b) already are "
            "a − 1 and b − 1.",
            lambda a, b, m1, m0: (a + m1 - 1, b + m0 - 1),
        ),
        Mistake("The prior is gone: a and b hold the belief before the tosses.", lambda a, b, m1, m0: (m1, m0)),
        Mistake(
            "The tosses count, not their shares: six thousand tosses must weigh more than six.",
            lambda a, b, m1, m0: (a + m1 / (m1 + m0), b + m0 / (m1 + m0)),
        ),
        Mistake(
            "b grows by all tosses here: only the tails carry the factor 1 − θ.",
            lambda a, b, m1, m0: (a + m1, b + m1 + m0),
        ),
        Mistake(
            "The parameters are multiplied by the counts: exponents add when powers are multiplied.",
            lambda a, b, m1, m0: (a * m1, b * m0),
        ),
        Mistake(SAME_THERE, (2.0, 5.0, 3, 3), part=1),
        Mistake(SAME_THERE, (1.0, 1.0, 0, 0), part=1),
    ],
    alternatives=[
        Alternative(lambda a, b, m1, m0: [a - 1 + m1 + 1, b - 1 + m0 + 1]),
        Alternative((1.0, 1.0, 6, 0), part=1),
        Alternative([2, 2, 0, 1], part=1),
    ],
    hints=(
        Hint(
            "What do I multiply?",
            r"The likelihood $\theta^{m_1}(1-\theta)^{m_0}$ and the prior $\theta^{a-1}(1-\theta)^{b-1}$. "
            "The factors without $\\theta$ can wait: they only make the area 1.",
        ),
        Hint(
            "I have one power of θ and one of 1 − θ. Which Beta is it?",
            "Compare the exponents with those of (25.2), the $-1$ included.",
        ),
        Hint("For which counts is the printed version right?", "For as many heads as tails. So take any others."),
    ),
    see="Equation (25.3): likelihood times prior, with the exponents of θ and of 1 − θ compared with (25.2).",
)

posterior_mean = Function(
    "posterior_mean",
    asks="The mean of the posterior",
    points=1,
    reference=bayes.posterior_mean,
    cases=_coins,
    mistakes=[
        Mistake(
            "Heads and tails are exchanged: heads go with a, the exponent of θ.",
            lambda a, b, m1, m0: (a + m0) / (a + b + m1 + m0),
        ),
        Mistake(
            "This is m₁/n, the maximum likelihood estimate: the prior is missing.",
            lambda a, b, m1, m0: m1 / (m1 + m0),
        ),
        Mistake(
            "This is the mode, where the density is highest: the mean is asked for.",
            lambda a, b, m1, m0: (a + m1 - 1) / (a + b + m1 + m0 - 2),
        ),
        Mistake(
            "This is the mean of the prior: the tosses do not come in.",
            lambda a, b, m1, m0: a / (a + b),
        ),
        Mistake(
            "Numerator and denominator do not belong to the same Beta: a alone below, where a + b should stand.",
            lambda a, b, m1, m0: (a + m1) / (a + m1 + m0),
        ),
        Mistake(
            "This is the average of the prior mean and of m₁/n, with equal weights: more tosses must weigh more.",
            lambda a, b, m1, m0: (a / (a + b) + m1 / (m1 + m0)) / 2,
        ),
        Mistake(
            "This is the ratio of the two parameters, the odds: divide by their sum.",
            lambda a, b, m1, m0: (a + m1) / (b + m0),
        ),
    ],
    alternatives=[
        Alternative(
            lambda a, b, m1, m0: (
                (a + b) / (a + b + m1 + m0) * a / (a + b) + (m1 + m0) / (a + b + m1 + m0) * m1 / (m1 + m0)
            )
        ),
        Alternative(lambda a, b, m1, m0: math.exp(bayes.log_beta(a + m1 + 1, b + m0) - bayes.log_beta(a + m1, b + m0))),
    ],
    hints=(
        Hint(
            "Which integral is the mean of Beta(a, b)?",
            r"$\int_0^1\theta\,\frac{\theta^{a-1}(1-\theta)^{b-1}}{B(a,b)}d\theta$, and $\theta\cdot\theta^{a-1}$ "
            r"is the power of a Beta with $a+1$: the integral is $B(a+1,b)/B(a,b)$.",
        ),
        Hint(
            "How do I get rid of Γ?",
            r"$\Gamma(a+1)=a\,\Gamma(a)$ above, $\Gamma(a+b+1)=(a+b)\,\Gamma(a+b)$ below; everything else cancels.",
        ),
        Hint("And with data?", "The posterior is a Beta too: put its parameters into the mean."),
    ),
    see="Equation (25.4): B(a + 1, b)/B(a, b) = a/(a + b), for the parameters of the posterior.",
)

posterior_mode = Function(
    "posterior_mode",
    asks="The most probable coin",
    points=1,
    reference=bayes.posterior_mode,
    cases=_coins,
    mistakes=[
        Mistake("This is the mean: the maximum of the density lies elsewhere.", bayes.posterior_mean),
        Mistake(
            "This is m₁/n, where the likelihood is largest: maximise likelihood times prior.",
            lambda a, b, m1, m0: m1 / (m1 + m0),
        ),
        Mistake(
            "Both exponents have their −1, so the sum below loses 2, not 1.",
            lambda a, b, m1, m0: (a + m1 - 1) / (a + b + m1 + m0 - 1),
        ),
        Mistake(
            "The denominator kept its full sum: it is the sum of both exponents, each with its −1.",
            lambda a, b, m1, m0: (a + m1 - 1) / (a + b + m1 + m0),
        ),
        Mistake(
            "This is where the prior is highest: the tosses do not come in.",
            lambda a, b, m1, m0: (a - 1) / (a + b - 2),
        ),
        Mistake(
            "Heads and tails are exchanged: the exponent of θ is a + m₁ − 1.",
            lambda a, b, m1, m0: (a + m0 - 1) / (a + b + m1 + m0 - 2),
        ),
        Mistake(
            "The sign of the 1 is reversed: the exponents are a + m₁ − 1 and b + m₀ − 1.",
            lambda a, b, m1, m0: (a + m1 + 1) / (a + b + m1 + m0 + 2),
        ),
    ],
    alternatives=[
        Alternative(lambda a, b, m1, m0: 1 / (1 + (b + m0 - 1) / (a + m1 - 1))),
        Alternative(lambda a, b, m1, m0: 1 - (b + m0 - 1) / ((a + m1 - 1) + (b + m0 - 1))),
    ],
    hints=(
        Hint("What do I maximise?", r"The logarithm: $(a+m_1-1)\log\theta+(b+m_0-1)\log(1-\theta)$."),
        Hint(
            "Have I seen this before?",
            "It is the log-likelihood (3.2) of notebook 03 with other counts. Which counts, and where was its maximum?",
        ),
    ),
    see="Equation (25.6): set the derivative of the log of the posterior to zero.",
)

two_more_heads = Function(
    "two_more_heads",
    asks="Two more heads",
    points=2,
    reference=bayes.two_more_heads,
    cases=_coins,
    mistakes=[
        Mistake(
            "This inserts the posterior mean: E[θ]² is not E[θ²]. After the first head the belief moves up, and the "
            "second is more probable.",
            lambda a, b, m1, m0: bayes.posterior_mean(a, b, m1, m0) ** 2,
        ),
        Mistake(
            "This is the probability of one head: two are asked for.",
            bayes.posterior_mean,
        ),
        Mistake(
            "This inserts m₁/n: the prior does not come in.",
            lambda a, b, m1, m0: (m1 / (m1 + m0)) ** 2,
        ),
        Mistake(
            "This inserts the mode: average θ² over all coins that are still possible.",
            lambda a, b, m1, m0: bayes.posterior_mode(a, b, m1, m0) ** 2,
        ),
        Mistake(
            "After the first head there is one toss more as well: the denominator of the second factor grows by 1.",
            lambda a, b, m1, m0: (a + m1) * (a + m1 + 1) / (a + b + m1 + m0) ** 2,
        ),
        Mistake(
            "This is the variance of θ. E[θ²] is the variance plus the square of the mean.",
            lambda a, b, m1, m0: (a + m1) * (b + m0) / ((a + b + m1 + m0) ** 2 * (a + b + m1 + m0 + 1)),
        ),
        Mistake(
            "This is E[θ²] under the prior: the tosses do not come in.",
            lambda a, b, m1, m0: a * (a + 1) / ((a + b) * (a + b + 1)),
        ),
    ],
    alternatives=[
        Alternative(lambda a, b, m1, m0: math.exp(bayes.log_beta(a + m1 + 2, b + m0) - bayes.log_beta(a + m1, b + m0))),
        Alternative(
            lambda a, b, m1, m0: (
                bayes.posterior_mean(a, b, m1, m0) ** 2
                + (a + m1) * (b + m0) / ((a + b + m1 + m0) ** 2 * (a + b + m1 + m0 + 1))
            )
        ),
    ],
    hints=(
        Hint(
            "What is the probability of two heads if I know θ?",
            r"$\theta^2$. We do not know θ, so average $\theta^2$ over the posterior.",
        ),
        Hint(
            "Can I do without an integral?",
            "Toss by toss: the first head has probability $E[\\theta|D]$. Having seen it, you have $m_1+1$ heads. "
            "What is the probability of the second?",
        ),
    ),
    see="Equation (25.7): the mean with m₁ heads times the mean with m₁ + 1.",
)


def _evidence(a, b, m1, m0):
    return bayes.log_beta(a + m1, b + m0) - bayes.log_beta(a, b)


coin_evidence = Function(
    "coin_evidence",
    asks="The evidence of a sequence",
    points=2,
    reference=bayes.coin_log_evidence,
    cases=_coins,
    mistakes=[
        Mistake(
            "This is the likelihood of the best θ, m₁/n. The evidence is an average over the prior, and no average "
            "exceeds the maximum.",
            lambda a, b, m1, m0: m1 * math.log(m1 / (m1 + m0)) + m0 * math.log(m0 / (m1 + m0)),
        ),
        Mistake(
            "This inserts the prior mean into the likelihood: average the likelihood, do not insert the average θ.",
            lambda a, b, m1, m0: m1 * math.log(a / (a + b)) + m0 * math.log(b / (a + b)),
        ),
        Mistake(
            "The constant of the prior is missing: divide by B(a, b).",
            lambda a, b, m1, m0: bayes.log_beta(a + m1, b + m0),
        ),
        Mistake(
            "Upside down: B of the posterior stands above, B of the prior below.",
            lambda a, b, m1, m0: bayes.log_beta(a, b) - bayes.log_beta(a + m1, b + m0),
        ),
        Mistake(
            "This is the probability of m₁ heads in any order: one sequence is asked for, without the binomial "
            "coefficient.",
            lambda a, b, m1, m0: _evidence(a, b, m1, m0) + math.log(math.comb(m1 + m0, m1)),
        ),
        Mistake(
            "This is the evidence itself: its logarithm is asked for.",
            lambda a, b, m1, m0: math.exp(_evidence(a, b, m1, m0)),
        ),
        Mistake(
            "Heads and tails are exchanged: heads go with a.",
            lambda a, b, m1, m0: _evidence(a, b, m0, m1),
        ),
    ],
    alternatives=[
        Alternative(  # toss by toss: each with the probability that the belief of the moment gives it
            lambda a, b, m1, m0: (
                sum(math.log((a + i) / (a + b + i)) for i in range(m1))
                + sum(math.log((b + i) / (a + b + m1 + i)) for i in range(m0))
            )
        ),
        Alternative(
            lambda a, b, m1, m0: (
                sum(math.lgamma(v) for v in (a + m1, b + m0, a + b))
                - sum(math.lgamma(v) for v in (a + b + m1 + m0, a, b))
            )
        ),
    ],
    hints=(
        Hint(
            "Which integral is it?",
            r"$\int_0^1\theta^{m_1}(1-\theta)^{m_0}\,\frac{\theta^{a-1}(1-\theta)^{b-1}}{B(a,b)}\,d\theta$.",
        ),
        Hint(
            "I cannot integrate that.",
            "You need not. Collect the exponents: which Beta has this density, and by which constant must it be "
            "divided to have the area 1?",
        ),
    ),
    see="Equation (25.8): the integral of likelihood times prior is the B of the posterior over the B of the prior.",
)


# --- a measured quantity ---


def _line_1(theta, x, mu0, sigma0, sigma):
    return -np.sum((x - theta) ** 2) / (2 * sigma**2) - (theta - mu0) ** 2 / (2 * sigma0**2)


def _line_2(theta, x, mu0, sigma0, sigma):
    return (
        -len(x) * theta**2 / (2 * sigma**2) - theta**2 / (2 * sigma0**2),
        theta * np.sum(x) / sigma**2 + theta * mu0 / sigma0**2,
        -np.sum(x**2) / (2 * sigma**2) - mu0**2 / (2 * sigma0**2),
    )


def _line_3(theta, x, mu0, sigma0, sigma):
    return (
        len(x) / sigma**2 + 1 / sigma0**2,
        np.sum(x) / sigma**2 + mu0 / sigma0**2,
        -np.sum(x**2) / (2 * sigma**2) - mu0**2 / (2 * sigma0**2),
    )


def _line_4(theta, x, mu0, sigma0, sigma):
    A = len(x) / sigma**2 + 1 / sigma0**2
    B = np.sum(x) / sigma**2 + mu0 / sigma0**2
    return B / A, B**2 / (2 * A)


def _A(x, sigma0, sigma):
    return len(x) / sigma**2 + 1 / sigma0**2


def _B(x, mu0, sigma0, sigma):
    return np.sum(x) / sigma**2 + mu0 / sigma0**2


complete_square = Chain(
    "complete_square",
    asks="Completing the square",
    first=_line_1,
    lines=[
        Line(
            does="multiply out all squares and sort the terms: quadratic in θ, linear in θ, free of θ",
            parts=("quadratic", "linear", "constant"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "θ² stands only once over −2σ²: every measurement brings its own, n in all.",
                    but(
                        _line_2,
                        0,
                        lambda theta, x, mu0, sigma0, sigma: -(theta**2) / (2 * sigma**2) - theta**2 / (2 * sigma0**2),
                    ),
                ),
                Mistake(
                    "Both cross terms are half of what they should be: −(x − θ)²/2 = −x²/2 + xθ − θ²/2.",
                    but(
                        _line_2,
                        1,
                        lambda theta, x, mu0, sigma0, sigma: theta * _B(x, mu0, sigma0, sigma) / 2,
                    ),
                ),
                Mistake(
                    "The signs of both cross terms are reversed: minus times minus is plus.",
                    but(_line_2, 1, lambda theta, x, mu0, sigma0, sigma: -theta * _B(x, mu0, sigma0, sigma)),
                ),
                Mistake(
                    "The linear term has the mean of the measurements: every xᵢ brings its own xᵢθ/σ².",
                    but(
                        _line_2,
                        1,
                        lambda theta, x, mu0, sigma0, sigma: theta * np.mean(x) / sigma**2 + theta * mu0 / sigma0**2,
                    ),
                ),
                Mistake(
                    "(Σxᵢ)² is not Σxᵢ²: square first, then add up.",
                    but(
                        _line_2,
                        2,
                        lambda theta, x, mu0, sigma0, sigma: (
                            -(np.sum(x) ** 2) / (2 * sigma**2) - mu0**2 / (2 * sigma0**2)
                        ),
                    ),
                ),
                Mistake(
                    "The terms without θ have a plus: line 1 has a minus before both squares.",
                    but(
                        _line_2,
                        2,
                        lambda theta, x, mu0, sigma0, sigma: np.sum(x**2) / (2 * sigma**2) + mu0**2 / (2 * sigma0**2),
                    ),
                ),
                Mistake(
                    "The three are in reverse: the quadratic term comes first, the constant last.",
                    lambda theta, x, mu0, sigma0, sigma: _line_2(theta, x, mu0, sigma0, sigma)[::-1],
                ),
                Mistake(
                    "σ and σ₀ are exchanged: σ is the spread of the measurements, σ₀ that of the prior.",
                    lambda theta, x, mu0, sigma0, sigma: _line_2(theta, x, mu0, sigma, sigma0),
                ),
                Mistake(
                    "σ and σ₀ have lost their squares.",
                    lambda theta, x, mu0, sigma0, sigma: _line_2(theta, x, mu0, np.sqrt(sigma0), np.sqrt(sigma)),
                ),
                Mistake(
                    "These are the numbers beside θ² and θ, not the terms: the sum of the three has to be line 1.",
                    lambda theta, x, mu0, sigma0, sigma: (
                        -_A(x, sigma0, sigma) / 2,
                        _B(x, mu0, sigma0, sigma),
                        _line_2(theta, x, mu0, sigma0, sigma)[2],
                    ),
                ),
            ],
        ),
        Line(
            does="write line 2 as −½Aθ² + Bθ + C, with θ in none of the three",
            parts=("A", "B", "C"),
            reference=_line_3,
            undo=lambda here, theta, x, mu0, sigma0, sigma: (-here[0] * theta**2 / 2, here[1] * theta, here[2]),
            mistakes=[
                Mistake(
                    "The ½ stands in the formula already, in −½Aθ²: it is not in A once more.",
                    but(_line_3, 0, lambda theta, x, mu0, sigma0, sigma: _A(x, sigma0, sigma) / 2),
                ),
                Mistake(
                    "The minus stands in the formula already, in −½Aθ²: A is positive.",
                    but(_line_3, 0, lambda theta, x, mu0, sigma0, sigma: -_A(x, sigma0, sigma)),
                ),
                Mistake(
                    "A is the inverse of a sum of variances here: 1/σ² and 1/σ₀² multiply θ² as they are, and add up.",
                    but(_line_3, 0, lambda theta, x, mu0, sigma0, sigma: 1 / (sigma0**2 + sigma**2 / len(x))),
                ),
                Mistake(
                    "μ₀ has lost its 1/σ₀²: what stands before a square stands before its cross term too.",
                    but(_line_3, 1, lambda theta, x, mu0, sigma0, sigma: np.sum(x) / sigma**2 + mu0),
                ),
                Mistake(
                    "These are the terms of line 2: A and B are what stands beside θ² and θ.",
                    lambda theta, x, mu0, sigma0, sigma: _line_2(theta, x, mu0, sigma0, sigma),
                ),
                Mistake(
                    "A and B still hold θ, which stands in the formula already.",
                    lambda theta, x, mu0, sigma0, sigma: (
                        _A(x, sigma0, sigma) * theta**2,
                        _B(x, mu0, sigma0, sigma) * theta,
                        _line_2(theta, x, mu0, sigma0, sigma)[2],
                    ),
                ),
                Mistake(
                    "−½ stands in the formula already, in −½Aθ²: neither the minus nor the ½ is in A.",
                    but(_line_3, 0, lambda theta, x, mu0, sigma0, sigma: -_A(x, sigma0, sigma) / 2),
                ),
                Mistake(
                    "This is 1/A: n/σ² + 1/σ₀² multiplies θ² as it is.",
                    but(_line_3, 0, lambda theta, x, mu0, sigma0, sigma: 1 / _A(x, sigma0, sigma)),
                ),
                Mistake(
                    "A and B are exchanged: A stands beside θ².",
                    lambda theta, x, mu0, sigma0, sigma: (
                        _B(x, mu0, sigma0, sigma),
                        _A(x, sigma0, sigma),
                        _line_2(theta, x, mu0, sigma0, sigma)[2],
                    ),
                ),
                Mistake(
                    "C is gone. It holds no θ, but the line before has it: it goes into the evidence.",
                    but(_line_3, 2, lambda theta, x, mu0, sigma0, sigma: 0.0),
                ),
            ],
        ),
        Line(
            does="complete the square: −½A(θ − m)² + extra + C, with A and C as before, and θ in neither of the two",
            parts=("m", "extra"),
            reference=_line_4,
            follows=lambda before, theta, x, mu0, sigma0, sigma: (
                before[1] / before[0],
                before[1] ** 2 / (2 * before[0]),
            ),
            mistakes=[
                Mistake(
                    "The extra term has the wrong sign: the square brings −½Am² along, and a plus makes up for it.",
                    but(
                        _line_4,
                        1,
                        lambda theta, x, mu0, sigma0, sigma: (
                            -(_B(x, mu0, sigma0, sigma) ** 2) / (2 * _A(x, sigma0, sigma))
                        ),
                    ),
                ),
                Mistake(
                    "The extra term has lost its ½: −½A stands before the whole square, before m² too.",
                    but(
                        _line_4,
                        1,
                        lambda theta, x, mu0, sigma0, sigma: _B(x, mu0, sigma0, sigma) ** 2 / _A(x, sigma0, sigma),
                    ),
                ),
                Mistake(
                    "m has the wrong sign: multiply out −½A(θ + m)², and the linear term is −Amθ.",
                    but(
                        _line_4,
                        0,
                        lambda theta, x, mu0, sigma0, sigma: -_B(x, mu0, sigma0, sigma) / _A(x, sigma0, sigma),
                    ),
                ),
                Mistake(
                    "m is B here: A stands before the bracket and multiplies m too.",
                    but(_line_4, 0, lambda theta, x, mu0, sigma0, sigma: _B(x, mu0, sigma0, sigma)),
                ),
                Mistake(
                    "m is twice too large, B/(½A): 2 · ½A · m is what multiplies θ.",
                    but(
                        _line_4,
                        0,
                        lambda theta, x, mu0, sigma0, sigma: 2 * _B(x, mu0, sigma0, sigma) / _A(x, sigma0, sigma),
                    ),
                ),
                Mistake(
                    "m is upside down: Am has to be B.",
                    but(
                        _line_4,
                        0,
                        lambda theta, x, mu0, sigma0, sigma: _A(x, sigma0, sigma) / _B(x, mu0, sigma0, sigma),
                    ),
                ),
                Mistake(
                    "m is the mean of the measurements: the prior pulls at it too.",
                    but(_line_4, 0, lambda theta, x, mu0, sigma0, sigma: np.mean(x)),
                ),
                Mistake(
                    "The extra term is gone: the square brings −½Am² along, and something has to make up for it.",
                    but(_line_4, 1, lambda theta, x, mu0, sigma0, sigma: 0.0),
                ),
                Mistake(
                    "C is in the extra term too: it stands in the formula already.",
                    but(
                        _line_4,
                        1,
                        lambda theta, x, mu0, sigma0, sigma: (
                            _line_4(theta, x, mu0, sigma0, sigma)[1] + _line_3(theta, x, mu0, sigma0, sigma)[2]
                        ),
                    ),
                ),
                Mistake(
                    "The extra term is m² here: ½A stands before the square, before m² too.",
                    but(_line_4, 1, lambda theta, x, mu0, sigma0, sigma: _line_4(theta, x, mu0, sigma0, sigma)[0] ** 2),
                ),
                Mistake(
                    "The extra term is ½m² here: A stands before the square, before m² too.",
                    but(
                        _line_4,
                        1,
                        lambda theta, x, mu0, sigma0, sigma: _line_4(theta, x, mu0, sigma0, sigma)[0] ** 2 / 2,
                    ),
                ),
                Mistake(
                    "B is not squared in the extra term: ½Am² with m = B/A is B²/(2A).",
                    but(_line_4, 1, lambda theta, x, mu0, sigma0, sigma: _line_4(theta, x, mu0, sigma0, sigma)[0] / 2),
                ),
                Mistake(
                    "m and the extra term are exchanged: m comes first.",
                    lambda theta, x, mu0, sigma0, sigma: _line_4(theta, x, mu0, sigma0, sigma)[::-1],
                ),
            ],
        ),
    ],
    cases=_exponents,
    forbids=(bayes.gaussian_posterior, bayes.one_at_a_time),
    alternatives=[
        Alternative(
            lambda theta, x, mu0, sigma0, sigma: (
                -(theta**2) / 2 * (len(x) / sigma**2 + sigma0**-2),
                np.sum(x * theta) / sigma**2 + mu0 * theta / sigma0**2,
                -(x @ x / sigma**2 + (mu0 / sigma0) ** 2) / 2,
            ),
            part=0,
        ),
        Alternative(  # the prior as one more value, with a spread of its own
            lambda theta, x, mu0, sigma0, sigma: (
                np.sum(weights := np.append(np.full(len(x), sigma**-2), sigma0**-2)),
                weights @ np.append(x, mu0),
                -weights @ np.append(x, mu0) ** 2 / 2,
            ),
            part=1,
        ),
        Alternative(  # the centre as a weighted average; A m² is the square of mB over B
            lambda theta, x, mu0, sigma0, sigma: (
                m := np.average(np.append(x, mu0), weights=np.append(np.full(len(x), sigma**-2), sigma0**-2)),
                (len(x) / sigma**2 + 1 / sigma0**2) * m**2 / 2,
            ),
            part=2,
        ),
        Alternative(
            lambda theta, x, mu0, sigma0, sigma: (
                (sigma0**2 * np.sum(x) + sigma**2 * mu0) / (len(x) * sigma0**2 + sigma**2),
                (sigma0**2 * np.sum(x) + sigma**2 * mu0) ** 2
                / (2 * sigma0**2 * sigma**2 * (len(x) * sigma0**2 + sigma**2)),
            ),
            part=2,
        ),
    ],
    hints=(
        Hint(
            "How do I multiply out a sum of squares?",
            r"Multiply out one of them, $(a_i-b)^2=a_i^2-2a_ib+b^2$, and then sum each term over $i$. What "
            "does the sum make of a term that has no $i$?",
        ),
        Hint(
            "What are A, B and C?",
            r"$-\frac12A$ is all that multiplies $\theta^2$, $B$ all that multiplies $\theta$, $C$ the rest.",
        ),
        Hint(
            "How do I complete a square?",
            r"Multiply out $-\frac12A(\theta-m)^2$ and compare with line 3: which $m$ gives its linear term? Then "
            "see what is too much.",
        ),
    ),
    see="The section *A measured quantity* lists what each line does. Each line has the value of the one before it.",
)


def _precisions(x, mu0, sigma0, sigma):
    return 1 / sigma0**2, len(x) / sigma**2


def _weighted(one, two, u, v):
    return (u * one + v * two) / (u + v)


def _gaussian(x, mu0, sigma0, sigma):
    """The right mean and the right variance."""
    u, v = _precisions(x, mu0, sigma0, sigma)
    return _weighted(mu0, np.mean(x), u, v), 1 / (u + v)


gaussian_posterior = Function(
    "gaussian_posterior",
    asks="Mean and variance of the posterior",
    points=2,
    reference=bayes.gaussian_posterior,
    returns=("mean", "var"),
    cases=_measured,
    forbids=(bayes.one_at_a_time,),
    mistakes=[
        Mistake(
            "The mean is right. The variances were added: a sum of variances is larger than each, and data must make "
            "the posterior narrower. Precisions add.",
            lambda x, mu0, sigma0, sigma: (
                _gaussian(x, mu0, sigma0, sigma)[0],
                sigma0**2 + sigma**2 / len(x),
            ),
        ),
        Mistake(
            "n is forgotten in both: each observation adds its precision 1/σ².",
            lambda x, mu0, sigma0, sigma: (
                _weighted(mu0, np.mean(x), 1 / sigma0**2, 1 / sigma**2),
                1 / (1 / sigma0**2 + 1 / sigma**2),
            ),
        ),
        Mistake(
            "The variance is that of a single measurement: each of the n adds a precision 1/σ².",
            lambda x, mu0, sigma0, sigma: (
                (mu0 / sigma0**2 + np.sum(x) / sigma**2) / (1 / sigma0**2 + 1 / sigma**2),
                1 / (1 / sigma0**2 + 1 / sigma**2),
            ),
        ),
        Mistake(
            "This is the plain average of μ₀ and the measurements, as if the prior were one more of them: the weights "
            "are precisions.",
            lambda x, mu0, sigma0, sigma: (
                np.mean(np.append(x, mu0)),
                _gaussian(x, mu0, sigma0, sigma)[1],
            ),
        ),
        Mistake(
            "The variance is right. The mean has x̄/σ² where Σxᵢ/σ² belongs: every measurement brings its own xᵢ/σ².",
            lambda x, mu0, sigma0, sigma: (
                (var := _gaussian(x, mu0, sigma0, sigma)[1]) * (mu0 / sigma0**2 + np.mean(x) / sigma**2),
                var,
            ),
        ),
        Mistake(
            "These are x̄ and σ²/n, what the data say alone: the prior does not come in.",
            lambda x, mu0, sigma0, sigma: (np.mean(x), sigma**2 / len(x)),
        ),
        Mistake(
            "The spreads were not squared: precision is 1/σ², not 1/σ.",
            lambda x, mu0, sigma0, sigma: (
                _weighted(mu0, np.mean(x), 1 / sigma0, len(x) / sigma),
                1 / (1 / sigma0 + len(x) / sigma),
            ),
        ),
        Mistake(
            "The mean is right; this is the standard deviation, and the variance is asked for.",
            lambda x, mu0, sigma0, sigma: (
                (m := _gaussian(x, mu0, sigma0, sigma))[0],
                np.sqrt(m[1]),
            ),
        ),
        Mistake(
            "The mean is right; this is the precision A, and the variance is its inverse.",
            lambda x, mu0, sigma0, sigma: (
                (m := _gaussian(x, mu0, sigma0, sigma))[0],
                1 / m[1],
            ),
        ),
        Mistake(
            "The weights are exchanged: the vaguer of the two, the one with the larger variance, must count less.",
            lambda x, mu0, sigma0, sigma: (
                _weighted(mu0, np.mean(x), *reversed(_precisions(x, mu0, sigma0, sigma))),
                _gaussian(x, mu0, sigma0, sigma)[1],
            ),
        ),
    ],
    alternatives=[
        Alternative(  # the data pull the prior mean towards x̄ by a share
            lambda x, mu0, sigma0, sigma: (
                mu0 + (share := sigma0**2 / (sigma0**2 + sigma**2 / len(x))) * (np.mean(x) - mu0),
                (1 - share) * sigma0**2,
            )
        ),
        Alternative(
            lambda x, mu0, sigma0, sigma: (
                (sigma**2 * mu0 + sigma0**2 * sum(x)) / (sigma**2 + len(x) * sigma0**2),
                sigma**2 * sigma0**2 / (sigma**2 + len(x) * sigma0**2),
            )
        ),
    ],
    hints=(
        Hint(
            "How do I recognise a Gaussian in line 4?",
            r"$N(\mu_n,\sigma_n^2)$ has the exponent $-\frac1{2\sigma_n^2}(\theta-\mu_n)^2$. Compare.",
        ),
        Hint("What is the variance, then?", "The inverse of what stands before the square, without its $\\frac12$."),
    ),
    see="Equations (25.9) and (25.10): the exponent of line 4 against that of N(μₙ, σₙ²).",
)


def _stream(x, mu0, sigma0, sigma, step):
    """`step(i, mu, var)` gives the next mean and variance; the rows are what it gave."""
    mu, var, rows = mu0, sigma0**2, []
    for i in range(len(x)):
        mu, var = step(i, mu, var)
        rows.append((mu, var))
    return np.array(rows)


def _combine(mu, var, value, noise):
    new = 1 / (1 / var + 1 / noise)
    return new * (mu / var + value / noise), new


def _prior_every_time(x, mu0, sigma0, sigma):
    def step(i, mu, var):
        if i:
            mu, var = _combine(mu, var, mu0, sigma0**2)
        return _combine(mu, var, x[i], sigma**2)

    return step


def _right_stream(x, mu0, sigma0, sigma):
    return _stream(x, mu0, sigma0, sigma, lambda i, mu, var: _combine(mu, var, x[i], sigma**2))


measurement_stream = Function(
    "measurement_stream",
    asks="One measurement at a time",
    points=2,
    reference=lambda x, mu0, sigma0, sigma: np.array(list(bayes.one_at_a_time(x, mu0, sigma0, sigma))),
    cases=_measured,
    forbids=(bayes.one_at_a_time, bayes.gaussian_posterior),
    mistakes=[
        Mistake(
            "Every row starts from N(μ₀, σ₀²) again, and each measurement is alone with the prior: the posterior of "
            "one step is the prior of the next.",
            lambda x, mu0, sigma0, sigma: _stream(
                x, mu0, sigma0, sigma, lambda i, mu, var: _combine(mu0, sigma0**2, x[i], sigma**2)
            ),
        ),
        Mistake(
            "The variance stays at σ₀²: it is updated too, or late measurements count too much.",
            lambda x, mu0, sigma0, sigma: _stream(
                x, mu0, sigma0, sigma, lambda i, mu, var: (_combine(mu, sigma0**2, x[i], sigma**2)[0], sigma0**2)
            ),
        ),
        Mistake(
            "The prior N(μ₀, σ₀²) is multiplied in at every step: it was in the first one, and may not be counted "
            "again.",
            lambda x, mu0, sigma0, sigma: _stream(x, mu0, sigma0, sigma, _prior_every_time(x, mu0, sigma0, sigma)),
        ),
        Mistake(
            "The old measurements are counted again: each step may use only the new one, the others are in the prior.",
            lambda x, mu0, sigma0, sigma: _stream(
                x,
                mu0,
                sigma0,
                sigma,
                lambda i, mu, var: _combine(mu, var, np.mean(x[: i + 1]), sigma**2 / (i + 1)),
            ),
        ),
        Mistake(
            "The new variance has taken the place of the old one too early: the old mean is weighted with the old "
            "precision.",
            lambda x, mu0, sigma0, sigma: _stream(
                x,
                mu0,
                sigma0,
                sigma,
                lambda i, mu, var: ((v := 1 / (1 / var + 1 / sigma**2)) * (mu / v + x[i] / sigma**2), v),
            ),
        ),
        Mistake(
            "The second column holds standard deviations: variances are asked for.",
            lambda x, mu0, sigma0, sigma: (
                _right_stream(x, mu0, sigma0, sigma) * [1, 0]
                + np.sqrt(_right_stream(x, mu0, sigma0, sigma)[:, 1:]) * [0, 1]
            ),
        ),
        Mistake(
            "Only the last row came back: one row for each measurement is asked for.",
            lambda x, mu0, sigma0, sigma: _right_stream(x, mu0, sigma0, sigma)[-1],
        ),
    ],
    alternatives=[
        Alternative(  # all at once: precisions and sums add up
            lambda x, mu0, sigma0, sigma: np.column_stack(
                [
                    (mu0 / sigma0**2 + np.cumsum(x) / sigma**2)
                    / (precision := 1 / sigma0**2 + np.arange(1, len(x) + 1) / sigma**2),
                    1 / precision,
                ]
            )
        ),
        Alternative(  # the mean moves towards each measurement by a share
            lambda x, mu0, sigma0, sigma: _stream(
                x,
                mu0,
                sigma0,
                sigma,
                lambda i, mu, var: (mu + (k := var / (var + sigma**2)) * (x[i] - mu), (1 - k) * var),
            )
        ),
    ],
    hints=(
        Hint("What is one step?", "(25.9) and (25.10) with $n=1$, and with the current mean and variance as prior."),
        Hint(
            "What do I keep?",
            "Two numbers, `mu` and `var`. Start with $\\mu_0$ and $\\sigma_0^2$, and append `(mu, var)` to a list.",
        ),
    ),
    see="Equation (25.12): the posterior of x₁, …, xₙ₋₁ is the prior of xₙ.",
)

any_order = Choice(
    "any_order",
    asks="The same values in another order",
    points=1,
    options={
        "a": Option("exactly the same"),
        "b": Option(
            "almost the same; the difference dies out with many measurements",
            wrong="Try it on two measurements: compute the last row for (1, 2) and for (2, 1).",
        ),
        "c": Option(
            "another one: the late measurements meet a sharper prior and move it less",
            wrong="They do move it less, and yet each measurement has the same weight 1/σ² in (25.10). "
            "The first ones have their influence diluted by all that follow.",
        ),
    },
    reasons={
        "i": Option(
            "the Gaussian prior is conjugate",
            wrong="Conjugacy keeps the form of the belief simple. With any other prior on a grid the order would not "
            "matter either: what does the posterior consist of?",
        ),
        "ii": Option("the posterior is the prior times one factor for each measurement, and a product has no order"),
        "iii": Option(
            "every step takes an average, and averages forget the order",
            wrong="Average with equal weights in every step, (old + new)/2: the last value then counts half. "
            "It is not the averaging that makes the order vanish.",
        ),
    },
    hints=(
        Hint("Can I try it?", "Call your function on `x` and on `x[::-1]` and compare the last rows."),
        Hint("What is multiplied?", "Write (25.12) for three measurements, and put each posterior into the next line."),
    ),
    see="Equation (25.12), applied n times: p(θ) p(x₁|θ) … p(xₙ|θ), up to a constant.",
)


# --- counts of several kinds ---

count_mean = Function(
    "count_mean",
    asks="The mean of a rate",
    points=1,
    reference=bayes.count_mean,
    cases=_counted,
    forbids=(bayes.count_posterior,),
    mistakes=[
        Mistake(
            "b is used as a scale here: it is a rate, and the density falls like e^(−bλ).",
            lambda x, a, b: (a + np.sum(x)) / (1 / b + len(x)),
        ),
        Mistake(
            "The rate grows by 1 here: every one of the n counts brings a factor e^(−λ), so it grows by n.",
            lambda x, a, b: (a + np.sum(x)) / (b + 1),
        ),
        Mistake("This is the mean of the counts: the prior does not come in.", lambda x, a, b: np.mean(x)),
        Mistake(
            "This is the mode, with a − 1: the mean is asked for.",
            lambda x, a, b: (a + np.sum(x) - 1) / (b + len(x)),
        ),
        Mistake(
            "The counts enter by their mean here: every count brings its own power of λ, so their sum is added to a.",
            lambda x, a, b: (a + np.mean(x)) / (b + len(x)),
        ),
        Mistake(
            "The mean of a Gamma with a rate is a/b, not a·b.",
            lambda x, a, b: (a + np.sum(x)) * (b + len(x)),
        ),
        Mistake("This is the mean of the prior: the counts do not come in.", lambda x, a, b: a / b),
    ],
    alternatives=[
        Alternative(lambda x, a, b: b / (b + len(x)) * a / b + len(x) / (b + len(x)) * np.mean(x)),
        Alternative(lambda x, a, b: (a + sum(x)) * (1 / b) / (1 + len(x) / b)),
    ],
    hints=(
        Hint(
            "What is the likelihood?",
            r"$\prod_i\lambda^{x_i}e^{-\lambda}/x_i!$: a power of $\lambda$, a power of $e$, and a constant.",
        ),
        Hint("And likelihood times prior?", r"$\lambda^{a-1+\dots}\,e^{-(b+\dots)\lambda}$: another Gamma. Which?"),
    ),
    see="Equation (25.13): the exponents of λ and of e compared with those of the prior.",
)

dirichlet_mean = Function(
    "dirichlet_mean",
    asks="More than two sides",
    points=1,
    reference=bayes.dirichlet_mean,
    cases=_kinds,
    mistakes=[
        Mistake("These are the shares of the counts: the prior does not come in.", lambda a, m: m / np.sum(m)),
        Mistake(
            "This adds 1 to every count, whatever a is: the prior brings its own aₖ.",
            lambda a, m: (m + 1) / np.sum(m + 1),
        ),
        Mistake(
            "These are the parameters of the posterior: divide by their sum, so that the probabilities add up to 1.",
            lambda a, m: a + m,
        ),
        Mistake(
            "The sum below counts the draws only: the aₖ belong to it too, or the probabilities exceed 1 together.",
            lambda a, m: (a + m) / np.sum(m),
        ),
        Mistake(
            "This is the mode, with aₖ − 1: the mean is asked for.",
            lambda a, m: (a + m - 1) / np.sum(a + m - 1),
        ),
        Mistake("This is the mean of the prior: the draws do not come in.", lambda a, m: a / np.sum(a)),
    ],
    alternatives=[
        Alternative(lambda a, m: np.array([(ak + mk) / (sum(a) + sum(m)) for ak, mk in zip(a, m, strict=True)])),
        Alternative(
            lambda a, m: (w := np.sum(a) / (np.sum(a) + np.sum(m))) * a / np.sum(a) + (1 - w) * m / max(np.sum(m), 1)
        ),
    ],
    hints=(
        Hint("What replaces a + m₁ and b + m₀?", "One sum for each side: $a_k+m_k$."),
        Hint("And the mean?", "For two sides it is (25.4). Each parameter over the sum of all."),
    ),
    see="Equation (25.14): (25.4) with K sides in the place of two.",
)


# --- a belief that data cannot move ---

_COINS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
_MOVED = (
    "After 50 heads in 50 tosses this prior gives the coin 0.9 a probability above one half. Its likelihood beats that "
    "of the coin 0.7 by the factor (9/7)^50: how small must its prior be against that?"
)
_SUM = "The five numbers must be probabilities that add up to 1."
_ALL = "Every coin must have a prior probability above 0: with a 0 it is easy, and the text comes to that."


def _after_heads(prior):
    return bayes.bayes(prior, _COINS**50)


closed_mind = Property(
    "closed_mind",
    asks="A belief that fifty heads do not move",
    points=1,
    laws=[
        Law("Five numbers are asked for, one for each coin.", lambda p: p.shape == (5,)),
        Law(_SUM, lambda p: bool(np.all(p >= 0)) and abs(np.sum(p) - 1) <= 1e-9),
        Law(_ALL, lambda p: bool(np.all(p > 0))),
        Law(_MOVED, lambda p: _after_heads(p)[-1] < 0.5),
    ],
    mistakes=[
        Mistake(_MOVED, [0.2] * 5),
        Mistake(_MOVED, [0.25, 0.25, 0.25, 0.2499, 0.0001]),
        Mistake(_MOVED, [0.5, 0.3, 0.2 - 2e-12, 1e-12, 1e-12]),
        Mistake(_ALL, [0.25, 0.25, 0.25, 0.25, 0.0]),
        Mistake(_SUM, [0.25, 0.25, 0.25, 0.25, 1e-7]),
        Mistake("Five numbers are asked for, one for each coin.", [0.9999999, 1e-7]),
    ],
    alternatives=[
        Alternative([1e-9, 1e-9, 1e-9, 1 - 4e-9, 1e-9]),
        Alternative([0.0001, 0.0001, 0.9998 - 2e-14, 1e-14, 1e-14]),
    ],
    hints=(
        Hint(
            "What is the posterior?",
            r"Prior times $\theta^{50}$, divided by the sum over the five coins. Only the coins near the top matter.",
        ),
        Hint(
            "How small is small enough?",
            r"$(0.9/0.7)^{50}\approx287\,000$. The coin 0.7 must be that many times more probable before.",
        ),
    ),
    see="Equation (25.1): the ratio of two posteriors is the ratio of the priors times that of the likelihoods.",
)

two_panels = Explanation(
    "two_panels",
    asks="Two panels, one trial",
    points=3,
    rubric=(
        "1 point: the posterior means are (a + 9)/(a + b + 10), that is 10/12 and 39/70, and the prior acts like a + b "
        "patients seen before: 2 against 60, with weights 1/6 and 6/7. 1 point: with more patients the weights of both "
        "priors, (a + b)/(a + b + n), tend to 0 and the panels agree, as long as neither prior rules the truth out. "
        "1 point: the Beta is chosen because the posterior is again a Beta, with exact sums in the place of integrals; "
        "that is a convenience and no reason to believe it; one can test other priors, or compare evidences."
    ),
)

topic = Topic(
    number=25,
    slug="bayesian_inference",
    title="Bayesian inference",
    question="How should a belief change when data arrive?",
    part="Bayesian and graphical",
    minutes=80,
    before={
        "probability": "Bayes' rule",
        "maximum_likelihood": "likelihoods",
    },
    exercises=[
        coin_posterior,
        posterior_mean,
        posterior_mode,
        two_more_heads,
        coin_evidence,
        complete_square,
        gaussian_posterior,
        measurement_stream,
        any_order,
        count_mean,
        dirichlet_mean,
        closed_mind,
        two_panels,
    ],
)
check = Checks(topic)
