"""Probability: tables, averages, densities, and how many bits one measurement tells about another.

A joint table P is (k, l): Pᵢⱼ is the probability of X = xᵢ and Y = yⱼ. Distributions p, q are vectors that add up to 1.
Logarithms are natural and entropies in nats, except where bits are named; 0 · log 0 = 0.

(1.1)   P(X = xᵢ)         = Σⱼ Pᵢⱼ ,  P(Y = yⱼ) = Σᵢ Pᵢⱼ
(1.2)   P(X = xᵢ | Y = yⱼ) = Pᵢⱼ / Σᵢ Pᵢⱼ
(1.3)   P(A | B)          = P(A)P(B | A) / [P(A)P(B | A) + P(not A)P(B | not A)]
(1.4)   EX                = Σᵢ pᵢxᵢ
(1.5)   VarX              = E[(X − EX)²] = E[X²] − (EX)²
(1.6)   VarX              = a²/12                     X uniform on [0, a]
(1.7)   E[aX + b]         = aEX + b ,  Var(aX + b) = a²VarX
(1.8)   p_Y(y)            = p_X((y − b)/a) / |a|      Y = aX + b
(1.9)   Cov(X, Y)         = E[(X − EX)(Y − EY)] = E[XY] − EX·EY
(1.10)  Var(X + Y)        = VarX + 2Cov(X, Y) + VarY
(1.11)  Var(aX + bY)      = a²VarX + 2ab Cov(X, Y) + b²VarY
(1.12)  Corr(X, Y)        = Cov(X, Y)/√(VarX VarY),   between −1 and 1
(1.13)  H(p)              = −Σᵢ pᵢ log pᵢ
(1.14)  H(p, q)           = −Σᵢ pᵢ log qᵢ
(1.15)  KL(p‖q)           = Σᵢ pᵢ log(pᵢ/qᵢ) = H(p, q) − H(p)
(1.16)  f(EX)             ≤ E[f(X)]                   f convex; hence KL ≥ 0
(1.17)  I(X; Y)           = H(X) + H(Y) − H(X, Y) = H(X) − H(X | Y)
"""

import numpy as np

from mlcore.numerics import need_shapes


def joint(i, j):
    """The table of relative frequencies of the pairs (iₙ, jₙ), counted from 0: shape (k, l)."""
    counts = np.zeros((np.max(i) + 1, np.max(j) + 1))
    np.add.at(counts, (i, j), 1)
    return counts / len(i)


def marginals(P):
    """The distributions of X and of Y (1.1): shapes (k,) and (l,)."""
    _table("marginals", P)
    return P.sum(axis=1), P.sum(axis=0)


def conditional(P):
    """The distribution of X for each value of Y (1.2): shape (k, l), every column adds up to 1."""
    _table("conditional", P)
    return P / P.sum(axis=0)


def bayes(prior, if_true, if_false):
    """P(A | B) (1.3) from P(A), P(B | A) and P(B | not A)."""
    return prior * if_true / (prior * if_true + (1 - prior) * if_false)


def mean(p, x):
    """EX (1.4)."""
    return p @ x


def variance(p, x):
    """VarX (1.5)."""
    return p @ (x - mean(p, x)) ** 2


def uniform_variance(a):
    """The variance of a number that is uniform on [0, a] (1.6)."""
    return a**2 / 12


def affine_moments(a, b, mean, variance):
    """Mean and variance of aX + b (1.7)."""
    return a * mean + b, a**2 * variance


def exponential_density(x):
    """e⁻ˣ for x ≥ 0, else 0: mean 1, variance 1."""
    return np.where(np.asarray(x) >= 0, np.exp(-np.abs(x)), 0.0)


def affine_density(y, a, b, density):
    """The density of aX + b at y (1.8); `density` is that of X, and a ≠ 0."""
    return density((y - b) / a) / np.abs(a)


def covariance(P, x, y):
    """Cov(X, Y) (1.9)."""
    p, q = marginals(P)
    return x @ P @ y - mean(p, x) * mean(q, y)


def combination_variance(a, b, Sigma):
    """Var(aX + bY) (1.11), with a = b = 1 Var(X + Y) (1.10); Σ = [[VarX, Cov], [Cov, VarY]]."""
    return a**2 * Sigma[0, 0] + 2 * a * b * Sigma[0, 1] + b**2 * Sigma[1, 1]


def correlation(Sigma):
    """Corr(X, Y) (1.12) from [[VarX, Cov], [Cov, VarY]]."""
    return Sigma[0, 1] / np.sqrt(Sigma[0, 0] * Sigma[1, 1])


def entropy(p):
    """H(p) (1.13) in nats; a table counts as one distribution over its cells."""
    return cross_entropy(p, p)


def cross_entropy(p, q):
    """H(p, q) (1.14) in nats: infinite if q rules out what p allows."""
    p, q = np.broadcast_arrays(p, q)
    possible = p > 0
    with np.errstate(divide="ignore"):
        return -np.sum(p[possible] * np.log(q[possible]))


def kl(p, q):
    """KL(p‖q) (1.15) in nats."""
    return cross_entropy(p, q) - entropy(p)


def mutual_information(P):
    """I(X; Y) (1.17) in bits."""
    p, q = marginals(P)
    return (entropy(p) + entropy(q) - entropy(P)) / np.log(2)


def _table(name, P):
    need_shapes(f"probability.{name}: P (k, l)", P)
    if not np.isclose(np.sum(P), 1):
        raise ValueError(f"probability.{name}: the entries of P must add up to 1, got {np.sum(P):.4g}")
