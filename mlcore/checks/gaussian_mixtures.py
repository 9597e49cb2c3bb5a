"""The exercises of 24 gaussian_mixtures."""

import itertools

import numpy as np

from mlcore import gaussian_mixtures as gm
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
)

# --- data to be tried on: unequal weights, slanted covariances, points in the overlap ---


def _mixture(rng, K, d):
    """The first weight is the largest, and the others rise."""
    pi = rng.uniform(0.6, 1, size=K) * np.roll(np.arange(1, K + 1), 1)
    A = rng.normal(size=(K, d, d))
    return pi / pi.sum(), 1.5 * rng.normal(size=(K, d)), A @ A.transpose(0, 2, 1) + 0.4 * np.eye(d)


def _points(rng, n, d):
    return 1.5 * rng.normal(size=(n, d)) + rng.normal(size=d)


def _mixtures(rng):
    return [(_points(rng, n, d), *_mixture(rng, K, d)) for n, K, d in ((4, 2, 1), (12, 3, 2), (15, 2, 3))]


def _mixtures_and_far(rng):
    """With points around ±300, where every density is 0 in floating point."""
    far = rng.uniform(300, 350, size=(4, 1)) * np.array([[-1.0], [1.0], [1.0], [-1.0]])
    pi, mu, _ = _mixture(rng, 2, 1)
    return [*_mixtures(rng), (far, pi, mu, np.ones((2, 1, 1)))]


def _shares(rng, n, K):
    """Rows that sum to 1; in turn every part gets the largest share of some point."""
    gamma = rng.uniform(0.1, 1, size=(n, K)) + np.eye(K)[np.arange(n) % K]
    return gamma / gamma.sum(axis=1, keepdims=True)


def _one_part(rng):
    """A mean, a variance, points on a line off 0, and their shares in one part."""
    return [
        (rng.normal(), rng.uniform(0.5, 2), 1.5 * rng.normal(size=n) + rng.uniform(1, 2), rng.uniform(0.2, 0.9, size=n))
        for n in (3, 8, 15)
    ]


def _runs(rng):
    """Broad parts at the start, and enough points, so that none collapses; covariances below 0 in the plane."""
    runs = []
    for n, K, d, steps in ((12, 2, 1, 2), (40, 2, 2, 3)):
        X = 2 * _points(rng, n, d)
        X[:, 1:] -= X[:, :-1]
        pi, mu, _ = _mixture(rng, K, d)
        mu = mu[np.argsort(-mu[:, 0])]
        runs.append(
            (X, pi, X.mean(axis=0) + 2 * mu, np.stack([k * np.cov(X.T).reshape(d, d) for k in (1.5, 1.0)]), steps)
        )
    return runs


def _nearly(rng, K):
    """A distribution q over K parts, and a joint density p(x, z = k)."""
    q = rng.uniform(0.2, 1, size=K) * np.arange(1, K + 1)
    return q / q.sum(), rng.uniform(0.02, 0.3, size=K)


def _gamma(X, pi, mu, Sigma):
    return gm.responsibilities(gm.log_joint(X, pi, mu, Sigma))


def _one_hot(gamma):
    return np.eye(gamma.shape[1])[gamma.argmax(axis=1)]


# --- who made this point? ---

_first, _second = 0.2 * np.exp(1), 0.8 * np.exp(-1)

mixture_posterior = Value(
    "mixture_posterior",
    asks="Which part made the point?",
    points=1,
    reference=_first / (_first + _second),
    mistakes=[
        Mistake(
            "The weights do not come in: multiply the two densities by 0.2 and 0.8 before you compare them.",
            np.exp(1) / (np.exp(1) + np.exp(-1)),
        ),
        Mistake("This is the probability of the second part: the first was asked for.", _second / (_first + _second)),
        Mistake(
            "This is the joint density p(x, z = 1): divide it by its sum over both parts.", 0.2 / np.sqrt(2 * np.pi)
        ),
        Mistake("This is the weight, the probability before x was seen: it still has to meet the densities.", 0.2),
        Mistake(
            "These are the odds of the first part against the second: o to 1 is the probability o/(1 + o).",
            _first / _second,
        ),
    ],
    hints=(
        Hint(
            "Which rule turns p(x | z) into P(z | x)?",
            r"Bayes: $P(z{=}1\mid x)=\dfrac{p(x,z{=}1)}{p(x,z{=}1)+p(x,z{=}2)}$, and $p(x,z{=}k)=\pi_kN(x;\mu_k,1)$.",
        ),
        Hint(
            "Can I avoid the densities?",
            r"$1/\sqrt{2\pi}$ and $e^{-(x^2+1)/2}$ are in both terms and cancel: what is left is $0.2\,e^{-x}$ against "
            r"$0.8\,e^{x}$.",
        ),
    ),
    see="Equation (24.2) for K = 2 and n = 1: a joint density divided by the sum of both.",
)

gmm_e_step = Function(
    "gmm_e_step",
    asks="Responsibilities that never underflow",
    points=2,
    reference=_gamma,
    cases=_mixtures_and_far,
    forbids=(gm.responsibilities, gm.log_joint, gm.log_density),
    mistakes=[
        Mistake(
            "Far from every mean the answer is nan: exp(−45000) is 0 in floating point, and then you divide 0 by 0. "
            "Stay with the logarithms, and subtract the largest of each row before you take exp.",
            lambda X, pi, mu, Sigma: _divide(np.exp(_table(X, pi, mu, Sigma))),
        ),
        Mistake(
            "One maximum is subtracted from the whole table, so that rows far below it still underflow: "
            "each row needs its own.",
            lambda X, pi, mu, Sigma: _divide(np.exp((L := _table(X, pi, mu, Sigma)) - L.max())),
        ),
        Mistake(
            "A small number in the denominator hides 0/0 behind a 0: such a row sums to 0, and its point belongs to "
            "nobody.",
            lambda X, pi, mu, Sigma: (p := np.exp(_table(X, pi, mu, Sigma))) / (p.sum(axis=1)[:, None] + 1e-300),
        ),
        Mistake(
            "The weights π do not come in: a part that is rare needs better evidence.",
            lambda X, pi, mu, Sigma: _shared(_table(X, np.ones(len(pi)), mu, Sigma)),
        ),
        Mistake(
            "The columns sum to 1, not the rows: for each point the parts share what there is.",
            lambda X, pi, mu, Sigma: _shared(_table(X, pi, mu, Sigma).T).T,
        ),
        Mistake(
            "Each point goes wholly to its most probable part: the probabilities are asked for, not the decision.",
            lambda X, pi, mu, Sigma: _one_hot(_table(X, pi, mu, Sigma)),
        ),
        Mistake(
            "These are the logarithms of the responsibilities: take exp at the very end.",
            lambda X, pi, mu, Sigma: (L := _table(X, pi, mu, Sigma)) - np.logaddexp.reduce(L, axis=1)[:, None],
        ),
    ],
    alternatives=[
        Alternative(  # the log-sum-exp that numpy has
            lambda X, pi, mu, Sigma: np.exp(
                (L := _table(X, pi, mu, Sigma)) - np.logaddexp.reduce(L, axis=1, keepdims=True)
            )
        ),
        Alternative(lambda X, pi, mu, Sigma: _by_differences(_table(X, pi, mu, Sigma))),
    ],
    hints=(
        Hint(
            "How do I start?",
            r"With a table of logarithms, $L_{ik}=\log\pi_k+\log N(x_i;\mu_k,\Sigma_k)$, of shape `(n, K)`: one column "
            "for each part, from `gm.log_normal(X, mu[k], Sigma[k])`.",
        ),
        Hint(
            "How do I get rid of the zeros?",
            r"$\dfrac{e^{a}}{e^{a}+e^{b}}=\dfrac{e^{a-m}}{e^{a-m}+e^{b-m}}$ for every $m$. With $m=\max(a,b)$ one of "
            "the terms below is 1.",
        ),
        Hint(
            "How do I do that row by row?", "`L - L.max(axis=1, keepdims=True)`, then `exp`, then divide by row sums."
        ),
    ),
    see="Equation (24.2), and the paragraph after it on the largest term.",
)


def _table(X, pi, mu, Sigma):
    """L, part by part."""
    return np.stack([np.log(p) + gm.log_normal(X, m, S) for p, m, S in zip(pi, mu, Sigma, strict=True)], axis=1)


def _divide(p):
    return p / p.sum(axis=1, keepdims=True)


def _shared(L):
    return _divide(np.exp(L - L.max(axis=1, keepdims=True)))


def _by_differences(L):
    """γₖ = 1/Σⱼ exp(Lⱼ − Lₖ), where a term that overflows makes γₖ zero, as it should."""
    with np.errstate(over="ignore"):
        return 1 / np.sum(np.exp(L[:, None, :] - L[:, :, None]), axis=2)


# --- the bound ---


def _line_1(q, p):
    return np.log(np.sum(p))


def _line_2(q, p):
    return q * np.log(np.sum(p))


def _line_3(q, p):
    return p, p / np.sum(p)


def _line_4(q, p):
    return p / q, q / (p / np.sum(p))


def _line_5(q, p):
    return np.sum(q * np.log(p / q)), np.sum(q * np.log(q / (p / np.sum(p))))


evidence_bound = Chain(
    "evidence_bound",
    asks="From log p(x) to a bound and its gap",
    first=_line_1,
    lines=[
        Line(
            does="write the constant log p(x) as its mean over the parts, with the weights q: the terms of the mean",
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The weights went inside the logarithm: qₖ stands in front of it.",
                    lambda q, p: np.log(q * np.sum(p)),
                ),
                Mistake(
                    "The weights are missing: these terms add up to K times log p(x).",
                    lambda q, p: np.full(len(p), np.log(np.sum(p))),
                ),
                Mistake(
                    "Inside stands p(x, z = k), not p(x): it is the constant log p(x) that is averaged.",
                    lambda q, p: q * np.log(p),
                ),
                Mistake(
                    "The joint densities p stand in the place of the weights: the mean is taken with q.",
                    lambda q, p: p * np.log(np.sum(p)),
                ),
                Mistake(
                    "The posterior stands in the place of the weights: here q is any distribution.",
                    lambda q, p: p / np.sum(p) * np.log(np.sum(p)),
                ),
                Mistake(
                    "Every part has the weight 1/K here: the weights are q.",
                    lambda q, p: np.full(len(p), np.log(np.sum(p)) / len(p)),
                ),
                Mistake(
                    "q stands inside the logarithm too: p(x) is the sum of the p(x, z = k) without weights.",
                    lambda q, p: q * np.log(np.sum(q * p)),
                ),
            ],
        ),
        Line(
            does=(
                "replace p(x) in the term k by a ratio, from p(x, z) = p(z | x) p(x): top and bottom of the ratio "
                "inside the logarithm"
            ),
            parts=("top", "bottom"),
            reference=_line_3,
            undo=lambda here, q, p: q * np.log(here[0] / here[1]),
            mistakes=[
                Mistake(
                    "The ratio is upside down: p(z | x) p(x) = p(x, z), so divide by the posterior.",
                    lambda q, p: (p / np.sum(p), p),
                ),
                Mistake(
                    "q stands in the place of the posterior. The two are equal only where the bound is tight; "
                    "here q is any distribution.",
                    but(_line_3, 1, lambda q, p: q),
                ),
                Mistake(
                    "p(x) is still on top: p(x, z = k) takes its place, over the posterior.",
                    but(_line_3, 0, lambda q, p: np.full(len(p), np.sum(p))),
                ),
                Mistake(
                    "The bottom is p(x)/p(x, z = k), the posterior's inverse.",
                    but(_line_3, 1, lambda q, p: np.sum(p) / p),
                ),
                Mistake(
                    "The bottom is p(x, z = k) times p(x): the posterior is p(x, z = k) divided by p(x).",
                    but(_line_3, 1, lambda q, p: p * np.sum(p)),
                ),
                Mistake(
                    "This ratio is the posterior itself: p(x) is p(x, z = k) over the posterior.",
                    but(_line_3, 1, lambda q, p: np.full(len(p), np.sum(p))),
                ),
                Mistake(
                    "The bottom is divided by the mean of all pⱼ: p(x) is their sum.",
                    but(_line_3, 1, lambda q, p: p / np.mean(p)),
                ),
                Mistake(
                    "The weights q are in the ratio too: they stay in front of the logarithm.",
                    but(_line_3, 0, lambda q, p: q * p),
                ),
                Mistake("q is on top: the joint density p(x, z = k) belongs there.", but(_line_3, 0, lambda q, p: q)),
                Mistake(
                    "These are the logarithms of top and bottom: the ratio inside the logarithm is asked for.",
                    lambda q, p: (np.log(p), np.log(p / np.sum(p))),
                ),
            ],
        ),
        Line(
            does=(
                "multiply and divide by q inside the logarithm: the ratio becomes a product of two, first the joint "
                "density against q, then q against the posterior"
            ),
            parts=("first", "second"),
            reference=_line_4,
            undo=lambda here, q, p: (here[0] * q, q / here[1]),
            mistakes=[
                Mistake(
                    "The second ratio is upside down: q has to cancel in the product.",
                    but(_line_4, 1, lambda q, p: (p / np.sum(p)) / q),
                ),
                Mistake(
                    "The first ratio is upside down: the joint density is on top, as in line 3.",
                    but(_line_4, 0, lambda q, p: q / p),
                ),
                Mistake(
                    "q is multiplied in twice: it has to be divided out in the first ratio.",
                    but(_line_4, 0, lambda q, p: p * q),
                ),
                Mistake(
                    "q is not multiplied in: 1/p(z | x) stands in the second ratio, and q cancels no more.",
                    but(_line_4, 1, lambda q, p: np.sum(p) / p),
                ),
                Mistake(
                    "The two ratios are exchanged: the joint density against q comes first.",
                    lambda q, p: _line_4(q, p)[::-1],
                ),
                Mistake(
                    "The posterior is not divided by p(x) in the second ratio: q stands over the joint density there.",
                    but(_line_4, 1, lambda q, p: q / p),
                ),
                Mistake(
                    "The posterior is not divided by p(x) in the second ratio: q stands over the joint density there.",
                    but(_line_4, 1, lambda q, p: q / (p / np.sum(q))),
                ),
                Mistake(
                    "The posterior and the joint density are exchanged: the first ratio has the joint density.",
                    lambda q, p: (p / np.sum(p) / q, q / p),
                ),
                Mistake(
                    "q stands over itself in the second ratio: one of them belongs below the joint density.",
                    lambda q, p: (np.full(len(p), np.sum(p)), np.ones(len(p))),
                ),
                Mistake(
                    "These are the logarithms of the two ratios: they come with line 5.",
                    lambda q, p: (np.log(p / q), np.log(q / (p / np.sum(p)))),
                ),
                Mistake(
                    "The weights q are in the ratios too: they stay in front of the logarithm.",
                    lambda q, p: (p, q * q / (p / np.sum(p))),
                ),
            ],
        ),
        Line(
            does="split the logarithm of the product, and add up: two sums, the bound and its gap to log p(x)",
            parts=("bound", "gap"),
            reference=_line_5,
            follows=lambda before, q, p: (np.sum(q * np.log(before[0])), np.sum(q * np.log(before[1]))),
            mistakes=[
                Mistake(
                    "The gap has the wrong sign: the bound lies below log p(x), and what is missing is added.",
                    but(_line_5, 1, lambda q, p: -_gap(q, p)),
                ),
                Mistake(
                    "The bound has lost the logarithm of q: the first ratio has q below.",
                    but(_line_5, 0, lambda q, p: np.sum(q * np.log(p))),
                ),
                Mistake(
                    "The mean is taken with q in both sums, not with the posterior.",
                    but(_line_5, 1, lambda q, p: np.sum(p / np.sum(p) * np.log(q / (p / np.sum(p))))),
                ),
                Mistake(
                    "The bound has lost its weights q.",
                    but(_line_5, 0, lambda q, p: np.sum(np.log(p / q))),
                ),
                Mistake(
                    "The bound is the logarithm of the mean here: the mean of the logarithms is asked for.",
                    but(_line_5, 0, lambda q, p: np.log(np.sum(q * (p / q)))),
                ),
                Mistake("The two sums are exchanged: the bound comes first.", lambda q, p: _line_5(q, p)[::-1]),
                Mistake(
                    "The bound is a mean in which all parts count alike: part k counts with qₖ.",
                    but(_line_5, 0, lambda q, p: np.mean(np.log(p / q))),
                ),
                Mistake(
                    "The joint densities p stand in the place of the weights q in the bound.",
                    but(_line_5, 0, lambda q, p: np.sum(p * np.log(p / q))),
                ),
                Mistake(
                    "The gap is turned round: the weights are q, and q is on top.",
                    but(_line_5, 1, lambda q, p: np.sum(p / np.sum(p) * np.log(p / np.sum(p) / q))),
                ),
            ],
        ),
    ],
    cases=lambda rng: [(np.full(2, 0.5), rng.uniform(0.02, 0.3, size=2)), _nearly(rng, 3), _nearly(rng, 4)],
    forbids=(gm.elbo, gm.kl, gm.loglik, gm.log_density),
    alternatives=[
        Alternative(lambda q, p: np.log(p.sum()) * q / q.sum(), part=0),
        Alternative(lambda q, p: np.array([weight * np.log(np.sum(p)) for weight in q]), part=0),
        Alternative(lambda q, p: (p, np.exp(np.log(p) - np.log(p.sum()))), part=1),
        Alternative(lambda q, p: (p / q, q * np.sum(p) / p), part=2),
        Alternative(lambda q, p: (np.exp(np.log(p) - np.log(q)), np.exp(np.log(q) - np.log(p / p.sum()))), part=2),
        Alternative(  # the gap is what is left
            lambda q, p: ((bound := q @ np.log(p) - q @ np.log(q)), np.log(p.sum()) - bound), part=3
        ),
    ],
    hints=(
        Hint(
            "How can a constant be a mean?",
            r"$c=\sum_kq_k\,c$, because the $q_k$ sum to 1. What is the constant here?",
        ),
        Hint(
            "Where do I get the posterior from?",
            r"The task says it: $p_k$ over the sum of all $p_j$. Solve $p(x,z)=p(z\mid x)\,p(x)$ for $p(x)$.",
        ),
        Hint(
            "How do I bring in q without changing the value?",
            r"$\dfrac ab=\dfrac aq\cdot\dfrac qb$. Line 5 then uses $\log cd=\log c+\log d$.",
        ),
    ),
    see="The section *Derive a bound* lists what each line does; line 5, summed over the points, is equation (24.5).",
)


def _gap(q, p):
    return np.sum(q * np.log(q / (p / np.sum(p))))


# --- the two steps, and the run ---

mixture_gradient = Function(
    "mixture_gradient",
    asks="The slope of ℓ in a mean",
    points=2,
    reference=gm.mean_gradient,
    cases=_mixtures,
    mistakes=[
        Mistake(
            "Each point counts only for its most probable part. Indicators would be right if z were known; "
            "ℓ sums over z, and its derivative weights each point with γᵢₖ.",
            lambda X, pi, mu, Sigma: _pull(X, mu, Sigma, _one_hot(_gamma(X, pi, mu, Sigma))),
        ),
        Mistake(
            "Every point counts fully for every part: the derivative of log Σₖ brings in the responsibility γᵢₖ.",
            lambda X, pi, mu, Sigma: _pull(X, mu, Sigma, np.ones((len(X), len(pi)))),
        ),
        Mistake(
            "This is the derivative of p, not of log p: each point still has to be divided by its p(xᵢ).",
            lambda X, pi, mu, Sigma: _pull(X, mu, Sigma, np.exp(gm.log_joint(X, pi, mu, Sigma))),
        ),
        Mistake(
            "Σₖ⁻¹ is missing: a point pulls harder at a narrow part.",
            lambda X, pi, mu, Sigma: _pull(X, mu, [np.eye(X.shape[1])] * len(pi), _gamma(X, pi, mu, Sigma)),
        ),
        Mistake(
            "Multiplied by Σₖ in place of its inverse: the exponent is −½(x − μ)ᵀΣ⁻¹(x − μ).",
            lambda X, pi, mu, Sigma: _pull(X, mu, np.linalg.inv(Sigma), _gamma(X, pi, mu, Sigma)),
        ),
        Mistake(
            "Divided by Nₖ: ℓ is a sum over the points, and so is its slope.",
            lambda X, pi, mu, Sigma: _pull(X, mu, Sigma, g := _gamma(X, pi, mu, Sigma)) / g.sum(axis=0)[:, None],
        ),
        Mistake(
            "The sign is reversed: ℓ rises when μₖ moves towards the points, so the slope contains xᵢ − μₖ.",
            lambda X, pi, mu, Sigma: -_pull(X, mu, Sigma, _gamma(X, pi, mu, Sigma)),
        ),
    ],
    alternatives=[
        Alternative(
            lambda X, pi, mu, Sigma: np.einsum(
                "kab,ik,ikb->ka", np.linalg.inv(Sigma), _gamma(X, pi, mu, Sigma), X[:, None, :] - mu
            )
        ),
        Alternative(  # towards the weighted means
            lambda X, pi, mu, Sigma: np.stack(
                [
                    np.linalg.solve(S, g.sum() * (g @ X / g.sum() - m))
                    for g, m, S in zip(_gamma(X, pi, mu, Sigma).T, mu, Sigma, strict=True)
                ]
            )
        ),
    ],
    hints=(
        Hint(
            "How do I differentiate the logarithm of a sum?",
            r"$\dfrac{\partial}{\partial\mu_k}\log\sum_je^{L_{ij}}=\dfrac{e^{L_{ik}}}{\sum_je^{L_{ij}}}\cdot"
            r"\dfrac{\partial L_{ik}}{\partial\mu_k}$. The fraction has a name.",
        ),
        Hint(
            "And the derivative of L?",
            r"Only $-\frac12(x_i-\mu_k)^\top\Sigma_k^{-1}(x_i-\mu_k)$ depends on $\mu_k$; its derivative is "
            r"$\Sigma_k^{-1}(x_i-\mu_k)$.",
        ),
        Hint(
            "How do I get γ?",
            "Call your `gmm_e_step(X, pi, mu, Sigma)`. Then one part after the other: `gamma[:, k] @ (X - mu[k])`.",
        ),
    ),
    see="Equation (24.6): the derivative of a log-sum-exp, times the derivative of the exponent.",
)


def _pull(X, mu, Sigma, weights):
    """Σ⁻¹ times the weighted sum of the deviations, part by part."""
    return np.stack([np.linalg.solve(S, w @ (X - m)) for w, m, S in zip(weights.T, mu, Sigma, strict=True)])


def _part_line_1(mu, v, x, gamma):
    return np.sum(gamma * (-np.log(2 * np.pi * v) / 2 - (x - mu) ** 2 / (2 * v)))


def _part_line_2(mu, v, x, gamma):
    return np.sum(gamma), np.sum(gamma * x), np.sum(gamma * x**2)


def _part_line_3(mu, v, x, gamma):
    m = np.sum(gamma * x) / np.sum(gamma)
    return np.sum(gamma), m, np.sum(gamma * x**2) - np.sum(gamma) * m**2


def _part_line_4(mu, v, x, gamma):
    m = np.sum(gamma * x) / np.sum(gamma)
    return -np.sum(gamma) / 2, np.sum(gamma * (x - m) ** 2) / 2


def _part_line_5(mu, v, x, gamma):
    m = np.sum(gamma * x) / np.sum(gamma)
    return np.sum(gamma * (x - m) ** 2) / np.sum(gamma)


def _rest(x, gamma):
    """The weighted sum of squares about the weighted mean."""
    return gamma @ (x - gamma @ x / gamma.sum()) ** 2


part_fit = Chain(
    "part_fit",
    asks="The best mean and variance of one part",
    first=_part_line_1,
    lines=[
        Line(
            does=(
                "multiply out the square and take the sum inside: −½N log(2πv) − (S₂ − 2μS₁ + Nμ²)/2v, where N, S₁ "
                "and S₂ hold neither μ nor v"
            ),
            parts=("N", "S1", "S2"),
            reference=_part_line_2,
            mistakes=[
                Mistake(
                    "N counts every point fully: point i counts γᵢ times.",
                    but(_part_line_2, 0, lambda mu, v, x, gamma: float(len(x))),
                ),
                Mistake(
                    "S₁ is a mean here: the sum is asked for, and N comes in with the square.",
                    but(_part_line_2, 1, lambda mu, v, x, gamma: gamma @ x / gamma.sum()),
                ),
                Mistake(
                    "S₁ has lost its weights.",
                    but(_part_line_2, 1, lambda mu, v, x, gamma: np.sum(x)),
                ),
                Mistake(
                    "The weights were squared with the points: γᵢ stands before the square.",
                    but(_part_line_2, 2, lambda mu, v, x, gamma: np.sum((gamma * x) ** 2)),
                ),
                Mistake(
                    "S₂ is the square of a sum: square first, then add up.",
                    but(_part_line_2, 2, lambda mu, v, x, gamma: (gamma @ x) ** 2),
                ),
                Mistake(
                    "S₁ and S₂ are exchanged: S₁ is the sum of γᵢxᵢ.",
                    lambda mu, v, x, gamma: (gamma.sum(), gamma @ x**2, gamma @ x),
                ),
                Mistake(
                    "S₂ is taken about μ: it is a sum of squares about 0, and holds no μ.",
                    but(_part_line_2, 2, lambda mu, v, x, gamma: gamma @ (x - mu) ** 2),
                ),
                Mistake("S₂ has lost its weights.", but(_part_line_2, 2, lambda mu, v, x, gamma: np.sum(x**2))),
                Mistake(
                    "μ² stands beside N in the formula already: it is not in N once more.",
                    but(_part_line_2, 0, lambda mu, v, x, gamma: gamma.sum() * mu**2),
                ),
            ],
        ),
        Line(
            does="complete the square: write S₂ − 2μS₁ + Nμ² as N(μ − m)² + R, with μ in none of the three",
            parts=("N", "m", "R"),
            reference=_part_line_3,
            follows=lambda before, mu, v, x, gamma: (
                before[0],
                before[1] / before[0],
                before[2] - before[1] ** 2 / before[0],
            ),
            mistakes=[
                Mistake(
                    "m has the wrong sign: multiply out N(μ + m)², and the linear term is 2Nmμ.",
                    but(_part_line_3, 1, lambda mu, v, x, gamma: -gamma @ x / gamma.sum()),
                ),
                Mistake(
                    "m is S₁ here: N stands before the bracket and multiplies m too.",
                    but(_part_line_3, 1, lambda mu, v, x, gamma: gamma @ x),
                ),
                Mistake(
                    "m divides by the number of points: N stands before the bracket, and N is the sum of the weights.",
                    but(_part_line_3, 1, lambda mu, v, x, gamma: gamma @ x / len(x)),
                ),
                Mistake(
                    "R is S₂ here: the square brings Nm² along, which has to be taken off.",
                    but(_part_line_3, 2, lambda mu, v, x, gamma: gamma @ x**2),
                ),
                Mistake(
                    "Nm² was added to S₂: the square brings it along with a plus, so it has to be taken off.",
                    but(_part_line_3, 2, lambda mu, v, x, gamma: gamma @ x**2 + (gamma @ x) ** 2 / gamma.sum()),
                ),
                Mistake(
                    "m² was taken off S₂, but the square brings Nm² along.",
                    but(_part_line_3, 2, lambda mu, v, x, gamma: gamma @ x**2 - (gamma @ x / gamma.sum()) ** 2),
                ),
                Mistake(
                    "S₁² was taken off S₂, but the square brings Nm² along, which is S₁²/N.",
                    but(_part_line_3, 2, lambda mu, v, x, gamma: gamma @ x**2 - (gamma @ x) ** 2),
                ),
                Mistake(
                    "R is divided by N here: N stands before the bracket alone, and R is what is left beside it.",
                    but(_part_line_3, 2, lambda mu, v, x, gamma: _rest(x, gamma) / gamma.sum()),
                ),
                Mistake(
                    "R has lost its weights.",
                    but(_part_line_3, 2, lambda mu, v, x, gamma: np.sum((x - gamma @ x / gamma.sum()) ** 2)),
                ),
                Mistake(
                    "m is the plain mean of the points: point i counts γᵢ times.",
                    but(_part_line_3, 1, lambda mu, v, x, gamma: np.mean(x)),
                ),
                Mistake(
                    "m is μ here: μ is to be in none of the three.", but(_part_line_3, 1, lambda mu, v, x, gamma: mu)
                ),
            ],
        ),
        Line(
            does=(
                "line 2 is largest at μ = m, whatever v is: go there, and differentiate with respect to v. The slope "
                "is α/v + β/v², with v in neither of the two"
            ),
            parts=("alpha", "beta"),
            reference=_part_line_4,
            follows=lambda before, mu, v, x, gamma: (-before[0] / 2, before[2] / 2),
            mistakes=[
                Mistake(
                    "α has lost its minus: the logarithm comes with −½N.",
                    but(_part_line_4, 0, lambda mu, v, x, gamma: gamma.sum() / 2),
                ),
                Mistake(
                    "α has lost its ½.",
                    but(_part_line_4, 0, lambda mu, v, x, gamma: -gamma.sum()),
                ),
                Mistake(
                    "The derivative of log(2πv) is 1/v: the inner 2π cancels.",
                    but(_part_line_4, 0, lambda mu, v, x, gamma: -gamma.sum() / (4 * np.pi)),
                ),
                Mistake(
                    "β has the wrong sign: the derivative of −1/v is +1/v².",
                    but(_part_line_4, 1, lambda mu, v, x, gamma: -_rest(x, gamma) / 2),
                ),
                Mistake(
                    "β has lost its ½: R stands over 2v.",
                    but(_part_line_4, 1, lambda mu, v, x, gamma: _rest(x, gamma)),
                ),
                Mistake(
                    "This is not at μ = m: there the square N(μ − m)² is gone.",
                    but(_part_line_4, 1, lambda mu, v, x, gamma: gamma @ (x - mu) ** 2 / 2),
                ),
                Mistake(
                    "α and β are exchanged: α stands over v.",
                    lambda mu, v, x, gamma: _part_line_4(mu, v, x, gamma)[::-1],
                ),
                Mistake(
                    "α is divided by v: that v stands in the formula already.",
                    but(_part_line_4, 0, lambda mu, v, x, gamma: -gamma.sum() / (2 * v)),
                ),
                Mistake(
                    "α counts every point fully: N is the sum of the weights.",
                    but(_part_line_4, 0, lambda mu, v, x, gamma: -len(x) / 2),
                ),
                Mistake(
                    "β has S₂ in the place of R: at μ = m the bracket of line 3 is R.",
                    but(_part_line_4, 1, lambda mu, v, x, gamma: gamma @ x**2 / 2),
                ),
            ],
        ),
        Line(
            does="the v at which the slope of line 4 is zero",
            reference=_part_line_5,
            follows=lambda before, mu, v, x, gamma: -before[1] / before[0],
            mistakes=[
                Mistake(
                    "The ratio is upside down: multiply α/v + β/v² = 0 by v².",
                    lambda mu, v, x, gamma: gamma.sum() / _rest(x, gamma),
                ),
                Mistake(
                    "The sign is lost: α/v = −β/v², so v = −β/α. A variance is positive.",
                    lambda mu, v, x, gamma: -_rest(x, gamma) / gamma.sum(),
                ),
                Mistake(
                    "This is the standard deviation: v is the variance.",
                    lambda mu, v, x, gamma: np.sqrt(_rest(x, gamma) / gamma.sum()),
                ),
                Mistake(
                    "This divides by the number of points: N is the sum of their weights.",
                    lambda mu, v, x, gamma: _rest(x, gamma) / len(x),
                ),
                Mistake(
                    "This divides by N − 1: that makes a sample's variance unbiased, but the maximum has N.",
                    lambda mu, v, x, gamma: _rest(x, gamma) / (gamma.sum() - 1),
                ),
                Mistake("This is R: the slope is zero at R divided by N.", lambda mu, v, x, gamma: _rest(x, gamma)),
                Mistake(
                    "This is taken about μ, wherever it is: line 4 is at μ = m.",
                    lambda mu, v, x, gamma: gamma @ (x - mu) ** 2 / gamma.sum(),
                ),
                Mistake(
                    "This is the mean of the squares, taken about 0: in line 3 they are taken about m.",
                    lambda mu, v, x, gamma: gamma @ x**2 / gamma.sum(),
                ),
                Mistake(
                    "The weights are gone: this is the variance of points that all count alike.",
                    lambda mu, v, x, gamma: np.var(x),
                ),
            ],
        ),
    ],
    cases=_one_part,
    forbids=(gm.m_step,),
    alternatives=[
        Alternative(lambda mu, v, x, gamma: (gamma.sum(), gamma @ x, x @ np.diag(gamma) @ x), part=0),
        Alternative(
            lambda mu, v, x, gamma: (
                sum(gamma),
                sum(g * point for g, point in zip(gamma, x, strict=True)),
                sum(g * point**2 for g, point in zip(gamma, x, strict=True)),
            ),
            part=0,
        ),
        Alternative(  # R is what is left about m
            lambda mu, v, x, gamma: (
                gamma.sum(),
                (m := np.average(x, weights=gamma)),
                gamma @ (x - m) ** 2,
            ),
            part=1,
        ),
        Alternative(
            lambda mu, v, x, gamma: (-0.5 * gamma.sum(), 0.5 * (gamma @ x**2 - (gamma @ x) ** 2 / gamma.sum())),
            part=2,
        ),
        Alternative(  # the mean of the squares minus the square of the mean
            lambda mu, v, x, gamma: np.average(x**2, weights=gamma) - np.average(x, weights=gamma) ** 2, part=3
        ),
        Alternative(lambda mu, v, x, gamma: np.cov(x, aweights=gamma, bias=True), part=3),
    ],
    hints=(
        Hint(
            "How do I take the sum inside?",
            r"$(x_i-\mu)^2$ has three terms; multiply each by $\gamma_i$ and sum. What has no $i$ comes out.",
        ),
        Hint(
            "How do I complete the square?",
            r"Multiply out $N(\mu-m)^2$. Which $m$ gives the term that is linear in μ, and what is then too much?",
        ),
        Hint(
            "Why is the maximum at μ = m?",
            r"In $-\dfrac{N(\mu-m)^2+R}{2v}$ only a square holds μ, with a minus before it.",
        ),
        Hint(
            "How do I differentiate with respect to v?",
            r"The derivative of $\log cv$ is $1/v$ for every constant $c$, that of $1/v$ is $-1/v^2$.",
        ),
    ),
    see="The section *The two steps*: line 5 and the m of line 3 are (24.7) for points on a line.",
)

gmm_m_step = Function(
    "gmm_m_step",
    asks="The best mixture for given responsibilities",
    points=2,
    reference=gm.m_step,
    returns=("pi", "mu", "Sigma"),
    cases=lambda rng: [(_points(rng, n, d), _shares(rng, n, K)) for n, K, d in ((5, 2, 1), (12, 3, 2), (15, 2, 3))],
    mistakes=[
        Mistake(
            "Means and covariances are divided by n: the shares of part k sum to Nₖ, so a weighted mean divides by Nₖ.",
            lambda X, gamma: _fit(X, gamma, N_mu=len(X), N_Sigma=len(X)),
        ),
        Mistake(
            "Each point went wholly to its largest share: use the probabilities, not the argmax.",
            lambda X, gamma: _fit(X, _one_hot(gamma)),
        ),
        Mistake(
            "Divided by Nₖ − 1: that makes a sample's covariance unbiased, but the maximum has Nₖ.",
            lambda X, gamma: _fit(X, gamma, N_Sigma=gamma.sum(axis=0) - 1),
        ),
        Mistake(
            "The weights are the Nₖ themselves, and they sum to n: divide by n.",
            lambda X, gamma: (gamma.sum(axis=0), *_fit(X, gamma)[1:]),
        ),
        Mistake(
            "The covariance is not centred: Σᵢγᵢₖxᵢxᵢᵀ/Nₖ still contains μₖμₖᵀ.",
            lambda X, gamma: _fit(X, gamma, about=np.zeros(X.shape[1])),
        ),
        Mistake(
            "All covariances are taken about the mean of all points: each part has its own mean.",
            lambda X, gamma: _fit(X, gamma, about=X.mean(axis=0)),
        ),
        Mistake(
            "Every part has the same covariance, that of all points: weight the products with γᵢₖ.",
            lambda X, gamma: (*_fit(X, gamma)[:2], _fit(X, np.ones_like(gamma))[2]),
        ),
    ],
    alternatives=[
        Alternative(lambda X, gamma: _by_numpy(X, gamma)),
        Alternative(lambda X, gamma: _by_second_moments(X, gamma)),
    ],
    hints=(
        Hint(
            "Why is this easier than ℓ?",
            r"The logarithm now stands inside the sum, $\sum_i\gamma_{ik}\log N(x_i;\mu_k,\Sigma_k)$, so each part is "
            "an ordinary Gaussian fit in which point $i$ counts $\\gamma_{ik}$ times.",
        ),
        Hint(
            "What is a Gaussian fit with weights?",
            "Replace $n$ by $N_k$ and every sum over the points by a sum with the weights $\\gamma_{ik}$: first the "
            "mean, then the covariance about that mean.",
        ),
        Hint(
            "And the weights π?",
            r"Maximise $\sum_kN_k\log\pi_k$ with $\sum_k\pi_k=1$: a multiplier makes all $N_k/\pi_k$ equal.",
        ),
    ),
    see="Equation (24.7): set the gradients of the bound to zero, with γ fixed.",
)


def _fit(X, gamma, N_mu=None, N_Sigma=None, about=None):
    """(24.7), or the same with another divisor, or about another point."""
    N = gamma.sum(axis=0)
    mu = gamma.T @ X / np.broadcast_to(N if N_mu is None else N_mu, N.shape)[:, None]
    divisors = np.broadcast_to(N if N_Sigma is None else N_Sigma, N.shape)
    centres = np.broadcast_to(mu if about is None else about, mu.shape)
    Sigma = [(g * (X - c).T) @ (X - c) / by for g, c, by in zip(gamma.T, centres, divisors, strict=True)]
    return N / len(X), mu, np.stack(Sigma)


def _by_numpy(X, gamma):
    d = X.shape[1]
    mu = np.stack([np.average(X, axis=0, weights=g) for g in gamma.T])
    return gamma.mean(axis=0), mu, np.stack([np.cov(X.T, aweights=g, ddof=0).reshape(d, d) for g in gamma.T])


def _by_second_moments(X, gamma):
    N = gamma.sum(axis=0)
    mu = gamma.T @ X / N[:, None]
    second = np.einsum("ik,ia,ib->kab", gamma, X, X) / N[:, None, None]
    return N / N.sum(), mu, second - np.einsum("ka,kb->kab", mu, mu)


def _trace(X, pi, mu, Sigma, steps):
    return np.array([state.loglik for state in itertools.islice(gm.em(X, (pi, mu, Sigma)), steps + 1)])


def _stays_broad(X, pi, mu, Sigma, steps):
    """No part comes near to a collapse, which would magnify every difference."""
    states = itertools.islice(gm.em(X, (pi, mu, Sigma)), steps + 1)
    try:
        return all(np.linalg.eigvalsh(state.Sigma).min() > 0.1 for state in states)
    except np.linalg.LinAlgError:
        return False


def _walk(X, theta, steps, step):
    """ℓ along θ ← step(θ)."""
    trace = [gm.loglik(gm.log_joint(X, *theta))]
    for _ in range(steps):
        theta = step(theta)
        trace.append(gm.loglik(gm.log_joint(X, *theta)))
    return np.array(trace)


def _stale(X, theta, steps, gamma):
    """An M-step with the responsibilities of the step before."""

    def step(theta):
        nonlocal gamma
        fresh, gamma_before = _gamma(X, *theta), gamma
        gamma = fresh
        return gm.m_step(X, gamma_before)

    return _walk(X, theta, steps, step)


_STALE = (
    "The M-step works with the responsibilities of the step before. Then two runs take turns, and ℓ can fall from one "
    "step to the next: use the γ that was just computed."
)

em_loglik = Function(
    "em_loglik",
    asks="A run of EM",
    points=2,
    reference=_trace,
    cases=_runs,
    clear=lambda *run: _stays_broad(*run),
    forbids=(gm.em,),
    mistakes=[
        Mistake(_STALE, lambda X, pi, mu, Sigma, steps: _stale(X, (pi, mu, Sigma), steps, np.full((len(X), 2), 1 / 2))),
        Mistake(
            _STALE,
            lambda X, pi, mu, Sigma, steps: _stale(X, (pi, mu, Sigma), steps, _gamma(X, pi, mu, Sigma)),
        ),
        Mistake(
            "The trace begins after the first step: its first entry is ℓ at the start.",
            lambda X, pi, mu, Sigma, steps: _walk(
                X, (pi, mu, Sigma), steps + 1, lambda theta: gm.m_step(X, _gamma(X, *theta))
            )[1:],
        ),
        Mistake(
            "The weights π stay where they started: the M-step renews all three.",
            lambda X, pi, mu, Sigma, steps: _walk(
                X, (pi, mu, Sigma), steps, lambda theta: (pi, *gm.m_step(X, _gamma(X, *theta))[1:])
            ),
        ),
        Mistake(
            "The covariances stay where they started: the M-step renews all three.",
            lambda X, pi, mu, Sigma, steps: _walk(
                X, (pi, mu, Sigma), steps, lambda theta: (*gm.m_step(X, _gamma(X, *theta))[:2], Sigma)
            ),
        ),
        Mistake(
            "Every entry is the start: the new mixture has to be carried into the next round.",
            lambda X, pi, mu, Sigma, steps: np.full(steps + 1, gm.loglik(gm.log_joint(X, pi, mu, Sigma))),
        ),
        Mistake(
            "This is the bound at the responsibilities of the step before, not ℓ: the next E-step closes the gap.",
            lambda X, pi, mu, Sigma, steps: _bounds(X, (pi, mu, Sigma), steps),
        ),
    ],
    alternatives=[
        Alternative(  # the bound after each E-step, which touches ℓ
            lambda X, pi, mu, Sigma, steps: np.array(
                [gm.elbo(gamma, L) for gamma, L in _states(X, (pi, mu, Sigma), steps + 1)]
            )
        ),
        Alternative(
            lambda X, pi, mu, Sigma, steps: _walk(
                X, (pi, mu, Sigma), steps, lambda theta: _by_numpy(X, _gamma(X, *theta))
            )
        ),
    ],
    hints=(
        Hint(
            "What happens in one round?",
            "Responsibilities from the current mixture, then a new mixture from these responsibilities. "
            "Both are functions that you have written.",
        ),
        Hint(
            "Where does ℓ come from?",
            "`gm.loglik(gm.log_joint(X, pi, mu, Sigma))`: once before the first round, and once after each.",
        ),
    ),
    see="The section *EM*: (24.2) and (24.7) in turn, and (24.3) after each round.",
)


def _states(X, theta, count):
    """γ and L of every mixture on the way, made with the two steps."""
    for _ in range(count):
        gamma = _gamma(X, *theta)
        yield gamma, gm.log_joint(X, *theta)
        theta = gm.m_step(X, gamma)


def _bounds(X, theta, steps):
    walk = list(_states(X, theta, steps + 1))
    return np.array([gm.elbo(*walk[0]), *(gm.elbo(old[0], new[1]) for old, new in itertools.pairwise(walk))])


# --- what can go wrong ---

COLLAPSE = (-1.2, -0.4, 0.1, 0.9, 1.3, 2.5)

_FIVE = "Five numbers are asked for: π₁, μ₁, σ₁, μ₂, σ₂."
_WEIGHT = "π₁ must lie strictly between 0 and 1: both parts are there."
_POSITIVE = "Both σ must be positive. In floating point 1e-400 is 0, and in float32 already 1e-50."
_UNCOVERED = (
    "Some point has next to no density: if both parts are narrow, nobody covers the other points. Keep one broad."
)
_FINITE = (
    "ℓ is not above 100. A narrow part helps only a point that its mean is exactly on: how high is N(x; μ, σ²) at "
    "x = μ, and how small may σ become?"
)


def _log_densities(theta):
    pi, mu_1, sigma_1, mu_2, sigma_2 = theta
    x = np.array(COLLAPSE)
    with np.errstate(over="ignore"):
        parts = [
            np.log(p) - np.log(s) - 0.5 * np.log(2 * np.pi) - 0.5 * ((x - m) / s) ** 2
            for p, m, s in ((pi, mu_1, sigma_1), (1 - pi, mu_2, sigma_2))
        ]
    return np.logaddexp(*parts)


def _is_high(theta):
    return bool(np.sum(_log_densities(theta)) > 100)


likelihood_collapse = Property(
    "likelihood_collapse",
    asks="A likelihood without a maximum",
    points=1,
    laws=[
        Law(_FIVE, lambda theta: theta.shape == (5,)),
        Law(_WEIGHT, lambda theta: 0 < theta[0] < 1),
        Law(_POSITIVE, lambda theta: bool(theta[2] > 0 and theta[4] > 0)),
        Law(_UNCOVERED, lambda theta: _is_high(theta) or bool(np.min(_log_densities(theta)) > -100)),
        Law(_FINITE, lambda theta: _is_high(theta)),
    ],
    mistakes=[
        Mistake(_FINITE, (0.5, -0.5, 0.7, 1.5, 0.7)),
        Mistake(_FINITE, (0.5, 0.1, 1e-3, 0.5, 1.2)),
        Mistake(_FINITE, (0.5, 0.5, 1e-80, 0.5, 1.2)),
        Mistake(_UNCOVERED, (0.5, -1.2, 1e-80, 2.5, 1e-80)),
        Mistake(_WEIGHT, (1.5, 0.1, 1e-80, 0.5, 1.2)),
        Mistake(_POSITIVE, (0.5, 0.1, -0.1, 0.5, 1.2)),  # not 0, to which a small σ is close
        Mistake(_FIVE, (0.5, 0.1, 1e-80)),
    ],
    alternatives=[
        Alternative((0.3, 0.5, 1.2, 2.5, 1e-70)),
        Alternative([0.01, -1.2, 1e-200, 1.0, 2.0]),
    ],
    hints=(
        Hint(
            "How high can a density be?",
            r"$N(\mu;\mu,\sigma^2)=\dfrac1{\sqrt{2\pi}\,\sigma}$: as high as you like, if $\sigma$ is small enough.",
        ),
        Hint(
            "But then the other points have density 0.",
            "In that part, yes. The other part is still there, and $p(x)$ is the sum of both.",
        ),
        Hint(
            "How small must σ be?",
            "The other five points cost about 12 together, so $-\\log\\sigma$ has to be well above 112. "
            "Floating point goes down to $10^{-308}$.",
        ),
    ),
    see="The section *Break it*: one part sits on a point and shrinks, the other covers the rest.",
)


# --- two printed formulas, each wrong in one place ---


def _variance(x, gamma, mu_old):
    return gm.m_step(x[:, None], gamma[:, None])[2][0, 0, 0]


variance_update = Slip(
    "variance_update",
    asks="The variance after an M-step",
    points=2,
    printed=lambda x, gamma, mu_old: gamma @ x**2 / gamma.sum() - mu_old**2,
    reference=_variance,
    cases=lambda rng: [
        (rng.normal(size=n) + 1 + 2 * (-1.0) ** np.arange(n), rng.uniform(0.1, 1, size=n), rng.uniform(-1, 1))
        for n in (3, 8, 15)
    ],
    admits=lambda x, gamma, mu_old: (
        np.ndim(x) == 1
        and np.shape(x) == np.shape(gamma)
        and np.ndim(mu_old) == 0
        and sum(gamma) > 0
        and min(gamma) >= 0
    ),
    domain="x and gamma of the same length, γ ≥ 0 and not all zero, and a number mu_old",
    forbids=(gm.m_step,),
    mistakes=[
        Mistake(
            "This is still the printed formula, with the mean from before the step.",
            lambda x, gamma, mu_old: gamma @ x**2 / gamma.sum() - mu_old**2,
        ),
        Mistake(
            "It cannot be negative now, but the deviations are still from the old mean: the variance is too large by "
            "(μ_new − μ_old)².",
            lambda x, gamma, mu_old: gamma @ (x - mu_old) ** 2 / gamma.sum(),
        ),
        Mistake(
            "Nothing is subtracted: this is the second moment, not the variance.",
            lambda x, gamma, mu_old: gamma @ x**2 / gamma.sum(),
        ),
        Mistake("The shares γ do not come in: this is the variance of all points.", lambda x, gamma, mu_old: np.var(x)),
        Mistake(
            "Divided by n: the shares sum to N, which is less.",
            lambda x, gamma, mu_old: gamma @ (x - gamma @ x / gamma.sum()) ** 2 / len(x),
        ),
        Mistake(SAME_THERE, ([0.0, 2.0], [1.0, 1.0], 1.0), part=1),
        Mistake(SAME_THERE, ([0.0, 3.0], [1.0, 0.5], -1.0), part=1),
    ],
    alternatives=[
        Alternative(lambda x, gamma, mu_old: gamma @ x**2 / gamma.sum() - (gamma @ x / gamma.sum()) ** 2),
        Alternative(lambda x, gamma, mu_old: np.cov(x, aweights=gamma, ddof=0)),
        Alternative(([1.0, 2.0, 3.0], [0.5, 0.5, 0.5], 0.0), part=1),
    ],
    hints=(
        Hint(
            "What does a variance have to satisfy?",
            "It is never negative. Try two points 0 and 2, both with $\\gamma=1$, and an old mean of 3.",
        ),
        Hint(
            "Which mean belongs there?",
            r"$\sum\gamma x^2/N-m^2=\sum\gamma(x-m)^2/N$ holds for $m=0$ and for one other $m$: multiply it out.",
        ),
    ),
    see="Equation (24.7): the covariance is taken about the mean that the same M-step has just found.",
)


def _nearest(x, mu, sigma):
    return np.eye(len(mu))[np.argmin(np.abs(x - mu))]


def _softly(log_weights):
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


soft_assignment = Slip(
    "soft_assignment",
    asks="Responsibilities of equal spheres",
    points=2,
    printed=_nearest,
    reference=gm.soft_assignment,
    cases=lambda rng: [
        (left + rng.uniform(2, 3), left + 3 * rng.permutation(K) + rng.uniform(-1, 1, size=K), rng.uniform(1.2, 2))
        for K, left in ((2, -3), (3, 0), (4, -3))
    ],
    admits=lambda x, mu, sigma: (
        np.ndim(x) == 0 and np.ndim(mu) == 1 and len(mu) > 1 and np.ndim(sigma) == 0 and sigma > 0
    ),
    domain="a number x, at least two means and σ > 0",
    mistakes=[
        Mistake("This is still the printed rule: the nearest mean gets all, whatever σ is.", _nearest),
        Mistake(
            "The exponent of a Gaussian is −(x − μ)²/2σ²: the 2 is missing.",
            lambda x, mu, sigma: _softly(-((x - mu) ** 2) / sigma**2),
        ),
        Mistake(
            "σ is the standard deviation: the exponent has σ².",
            lambda x, mu, sigma: _softly(-((x - mu) ** 2) / (2 * sigma)),
        ),
        Mistake(
            "The distances are not squared: the exponent has (x − μ)².",
            lambda x, mu, sigma: _softly(-np.abs(x - mu) / (2 * sigma**2)),
        ),
        Mistake(
            "These are not divided by their sum: the responsibilities of a point sum to 1.",
            lambda x, mu, sigma: np.exp(-((x - mu) ** 2) / (2 * sigma**2)),
        ),
        Mistake(SAME_THERE, (0.9, [0.0, 2.0], 0.05), part=1),
        Mistake(SAME_THERE, (0.0, [0.0, 10.0, 20.0], 1.0), part=1),
    ],
    alternatives=[
        Alternative(
            lambda x, mu, sigma: gm.responsibilities(
                gm.log_joint(
                    np.array([[x]]),
                    np.full(len(mu), 1 / len(mu)),
                    mu[:, None],
                    np.full((len(mu), 1, 1), sigma**2),
                )
            )[0]
        ),
        Alternative(lambda x, mu, sigma: _softly((x * mu - mu**2 / 2) / sigma**2)),
        Alternative((1.0, [0.0, 2.0], 0.01), part=1),
    ],
    hints=(
        Hint(
            "What is left of the E-step?",
            r"With $\pi_k=1/K$ and the same $\sigma$ everywhere, all that differs between the parts is "
            r"$e^{-(x-\mu_k)^2/2\sigma^2}$.",
        ),
        Hint("Where does the printed rule fail?", "Halfway between two means, or anywhere if σ is not small."),
    ),
    see="Equation (24.8): (24.2) with equal weights and Σ = σ²I.",
)


# --- how many parts, and none at all ---


def _count_and_bic(ell, n, K, d):
    p = gm.parameters(K, d)
    return p, gm.bic(ell, p, n)


def _sizes(rng):
    """Even and odd n; the last ℓ is so high that the criterion is below 0."""
    n = 2 * rng.integers(25, 150, size=3) + [0, 1, 1]
    return [
        (rng.uniform(-400, -100), int(n[0]), 3, 2),
        (rng.uniform(-400, -100), int(n[1]), 2, 5),
        (rng.uniform(500, 900), int(n[2]), int(rng.integers(4, 8)), 3),
    ]


mixture_bic = Function(
    "mixture_bic",
    asks="The price of a part",
    points=2,
    reference=_count_and_bic,
    returns=("p", "bic"),
    cases=_sizes,
    forbids=(gm.parameters, gm.bic),
    mistakes=[
        Mistake(
            "All K weights are counted: they sum to 1, so K − 1 are free.",
            lambda ell, n, K, d: _priced(ell, n, _count(K, d) + 1),
        ),
        Mistake(
            "A covariance is counted as d² numbers: it is symmetric, so d(d + 1)/2 are free.",
            lambda ell, n, K, d: _priced(ell, n, K - 1 + K * d + K * d**2),
        ),
        Mistake(
            "Only the diagonals of the covariances are counted: full ones were asked for.",
            lambda ell, n, K, d: _priced(ell, n, K - 1 + 2 * K * d),
        ),
        Mistake(
            "The means are not counted: there are Kd more numbers.",
            lambda ell, n, K, d: _priced(ell, n, _count(K, d) - K * d),
        ),
        Mistake(
            "This is AIC: BIC charges log n for a parameter, not 2.",
            lambda ell, n, K, d: ((p := _count(K, d)), 2 * p - 2 * ell),
        ),
        Mistake(
            "ℓ comes in once: the criterion has −2ℓ.",
            lambda ell, n, K, d: ((p := _count(K, d)), p * np.log(n) - ell),
        ),
        Mistake(
            "ℓ comes in with a plus. A small BIC is good, so a large ℓ has to lower it.",
            lambda ell, n, K, d: ((p := _count(K, d)), p * np.log(n) + 2 * ell),
        ),
        Mistake(
            "This is ℓ − ½ p log n, which is −BIC/2: multiply by −2.",
            lambda ell, n, K, d: ((p := _count(K, d)), ell - p * np.log(n) / 2),
        ),
    ],
    alternatives=[
        Alternative(  # each part has 1 + d + d(d + 1)/2 numbers, and one is lost
            lambda ell, n, K, d: _priced(ell, n, K * (d + 1) * (d + 2) / 2 - 1)
        ),
    ],
    hints=(
        Hint("What is in a mixture?", "K weights, K means with d entries each, K symmetric d × d matrices."),
        Hint("How many entries of a symmetric matrix are free?", "The diagonal and one triangle: $d+d(d-1)/2$."),
    ),
    see="Equations (24.9) and (24.10).",
)


def _count(K, d):
    return K - 1 + K * (d + d * (d + 1) / 2)


def _priced(ell, n, p):
    return p, p * np.log(n) - 2 * ell


def _bump(at, x, h):
    return np.exp(-0.5 * ((at[:, None] - x) / h) ** 2) / np.sqrt(2 * np.pi)


kernel_density = Function(
    "kernel_density",
    asks="A bump on every point",
    points=1,
    reference=gm.kde,
    cases=lambda rng: [(rng.normal(size=m), rng.normal(size=n), rng.uniform(0.3, 0.7)) for m, n in ((2, 3), (6, 9))],
    mistakes=[
        Mistake(
            "1/h is missing: a bump that is stretched by h has to be lowered by h, so that its area stays 1.",
            lambda at, x, h: _bump(at, x, h).mean(axis=1),
        ),
        Mistake(
            "The bumps are added up: n of them have area n, so take their mean.",
            lambda at, x, h: _bump(at, x, h).sum(axis=1) / h,
        ),
        Mistake(
            "h was used as a variance: it is the width of the bump, and the exponent has h².",
            lambda at, x, h: _bump(at, x, np.sqrt(h)).mean(axis=1) / np.sqrt(h),
        ),
        Mistake(
            "1/h² is too much: in one dimension a bump is lowered by h once.",
            lambda at, x, h: _bump(at, x, h).mean(axis=1) / h**2,
        ),
        Mistake(
            "The constant 1/√(2π) of the Gaussian is missing: the area is 2.5 and not 1.",
            lambda at, x, h: _bump(at, x, h).mean(axis=1) / h * np.sqrt(2 * np.pi),
        ),
        Mistake(
            "The ½ in the exponent of φ is missing.",
            lambda at, x, h: _bump(at, x, h / np.sqrt(2)).mean(axis=1) / h,
        ),
    ],
    alternatives=[
        Alternative(
            lambda at, x, h: np.array(
                [sum(np.exp(-((a - b) ** 2) / (2 * h * h)) for b in x) / (len(x) * np.sqrt(2 * np.pi) * h) for a in at]
            )
        ),
        Alternative(  # a mixture with n equal parts
            lambda at, x, h: np.exp(
                gm.log_density(
                    gm.log_joint(at[:, None], np.full(len(x), 1 / len(x)), x[:, None], np.full((len(x), 1, 1), h**2))
                )
            )
        ),
    ],
    hints=(
        Hint(
            "Which mixture is this?",
            r"$K=n$ parts of weight $1/n$, with the means $x_i$ and the standard deviation $h$.",
        ),
        Hint("How do I avoid a loop?", "`at[:, None] - x` has shape `(m, n)`: one row for each place."),
    ),
    see="Equation (24.11): (24.1) with one part on every point.",
)


why_em_climbs = Explanation(
    "why_em_climbs",
    asks="Why EM climbs, and where it stops",
    points=3,
    rubric=(
        "1 point: after the E-step q = γ, KL = 0, so the bound equals ℓ at the old mixture. 1 point: the M-step raises "
        "the bound for this q, and ℓ at the new mixture is at least the bound there because KL ≥ 0. 1 point: what is "
        "not promised, with an example from the notebook: a local maximum or a saddle (equal means), a collapse in "
        "which ℓ has no maximum, or that the highest ℓ is the species."
    ),
)

topic = Topic(
    number=24,
    slug="gaussian_mixtures",
    title="Gaussian mixtures and EM",
    question="How do we find groups when no point says which group it belongs to?",
    part="Unsupervised",
    minutes=90,
    before={
        "maximum_likelihood": "maximum likelihood",
        "kmeans": "k-means",
        "multivariate_normal": "the multivariate normal",
    },
    exercises=[
        mixture_posterior,
        gmm_e_step,
        evidence_bound,
        mixture_gradient,
        part_fit,
        gmm_m_step,
        em_loglik,
        likelihood_collapse,
        variance_update,
        soft_assignment,
        mixture_bic,
        kernel_density,
        why_em_climbs,
    ],
)
check = Checks(topic)
