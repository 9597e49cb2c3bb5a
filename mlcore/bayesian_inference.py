"""Bayesian inference: belief as a distribution, and how data change it.

A coin falls heads with probability θ; m₁ heads and m₀ tails were seen, n = m₁ + m₀. Measurements and counts x are
(n,). D stands for the data, whichever they are.

(25.1)   p(θ|D) = p(D|θ) p(θ) / p(D)                      posterior = likelihood · prior / evidence
(25.2)   p(θ) = θ^(a−1) (1 − θ)^(b−1) / B(a, b)           Beta(a, b), with B(a, b) = Γ(a) Γ(b)/Γ(a + b)
(25.3)   θ|D ~ Beta(a + m₁, b + m₀)
(25.4)   E[θ|D] = (a + m₁)/(a + b + n)
(25.5)   E[θ|D] = ω a/(a + b) + (1 − ω) m₁/n              ω = (a + b)/(a + b + n)
(25.6)   argmax p(θ|D) = (a + m₁ − 1)/(a + b + n − 2)     a + m₁ > 1 and b + m₀ > 1
(25.7)   E[θ²|D] = E[θ|D] (a + m₁ + 1)/(a + b + n + 1)    the next two tosses are heads
(25.8)   p(D) = B(a + m₁, b + m₀)/B(a, b)                 the evidence of one sequence
(25.9)   1/σₙ² = 1/σ₀² + n/σ²                             x₁, …, xₙ ~ N(θ, σ²), θ ~ N(μ₀, σ₀²)
(25.10)  μₙ = σₙ² (μ₀/σ₀² + Σᵢ xᵢ/σ²)
(25.11)  x̄ ~ N(μ₀, σ₀² + σ²/n)                            what the prior expects of the mean
(25.12)  p(θ|x₁, …, xₙ) ∝ p(xₙ|θ) p(θ|x₁, …, xₙ₋₁)
(25.13)  λ|x ~ Gamma(a + Σᵢ xᵢ, b + n)                    counts x ~ Poisson(λ), λ ~ Gamma(a, rate b)
(25.14)  E[θ_k|m] = (a_k + m_k)/Σⱼ (aⱼ + mⱼ)              θ ~ Dirichlet(a₁, …, a_K), m_k draws of kind k
"""

import math

import numpy as np

from mlcore.numerics import need_shapes


def bayes(prior, likelihood):
    """The posterior of finitely many θ (25.1); both arguments and the result have one entry for each."""
    if np.shape(prior) != np.shape(likelihood):
        raise ValueError(
            f"bayesian_inference.bayes: likelihood must have the shape of prior, {np.shape(prior)}, "
            f"got {np.shape(likelihood)}"
        )
    joint = np.multiply(prior, likelihood)
    return joint / np.sum(joint)


def log_beta(a, b):
    """log B(a, b) (25.2), for a, b > 0."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def beta_density(theta, a, b):
    """The density of Beta(a, b) (25.2), for 0 < θ < 1: a number or an array like θ."""
    return np.exp((a - 1) * np.log(theta) + (b - 1) * np.log1p(-theta) - log_beta(a, b))


def coin_posterior(a, b, m1, m0):
    """The a and b of the posterior (25.3)."""
    return a + m1, b + m0


def posterior_mean(a, b, m1, m0):
    """E[θ|D] (25.4); without tosses the mean of Beta(a, b)."""
    return (a + m1) / (a + b + m1 + m0)


def prior_weight(a, b, n):
    """ω, the prior's share in the posterior mean (25.5)."""
    return (a + b) / (a + b + n)


def posterior_mode(a, b, m1, m0):
    """The most probable θ (25.6)."""
    return (a + m1 - 1) / (a + b + m1 + m0 - 2)


def two_more_heads(a, b, m1, m0):
    """E[θ²|D] (25.7)."""
    return posterior_mean(a, b, m1, m0) * posterior_mean(a + 1, b, m1, m0)


def coin_log_evidence(a, b, m1, m0):
    """log p(D) of one sequence (25.8)."""
    return log_beta(a + m1, b + m0) - log_beta(a, b)


def gaussian_posterior(x, mu0, sigma0, sigma):
    """Mean μₙ (25.10) and variance σₙ² (25.9) of θ after the measurements x."""
    need_shapes("bayesian_inference.gaussian_posterior: x (n,)", x)
    var = 1 / (1 / sigma0**2 + len(x) / sigma**2)
    return var * (mu0 / sigma0**2 + np.sum(x) / sigma**2), var


def mean_log_evidence(x, mu0, sigma0, sigma):
    """The logarithm of the density of x̄ before it is seen (25.11)."""
    need_shapes("bayesian_inference.mean_log_evidence: x (n,)", x)
    var = sigma0**2 + sigma**2 / len(x)
    return -((np.mean(x) - mu0) ** 2) / (2 * var) - np.log(2 * np.pi * var) / 2


def one_at_a_time(x, mu0, sigma0, sigma):
    """Yield mean and variance of θ after each measurement: the posterior is the next prior (25.12)."""
    mu, var = mu0, sigma0**2
    for value in x:
        new = 1 / (1 / var + 1 / sigma**2)
        mu, var = new * (mu / var + value / sigma**2), new
        yield mu, var


def count_posterior(x, a, b):
    """The a and the rate b of the posterior of a Poisson mean (25.13)."""
    need_shapes("bayesian_inference.count_posterior: x (n,)", x)
    return a + np.sum(x), b + len(x)


def count_mean(x, a, b):
    """E[λ|x] (25.13): the mean of Gamma(a, rate b) is a/b."""
    shape, rate = count_posterior(x, a, b)
    return shape / rate


def dirichlet_mean(a, m):
    """E[θ|m] (25.14): shape (K,)."""
    if np.shape(a) != np.shape(m):
        raise ValueError(
            f"bayesian_inference.dirichlet_mean: m must have the shape of a, {np.shape(a)}, got {np.shape(m)}"
        )
    return (a + m) / np.sum(a + m)


def central_interval(at, density, mass=0.95):
    """The ends between which a density lies with probability `mass`, as much of the rest on either side.

    `at` is an increasing grid that covers the density; the area is summed by trapezia.
    """
    area = np.concatenate([[0.0], np.cumsum(np.diff(at) * (density[1:] + density[:-1]) / 2)])
    low, high = np.interp([(1 - mass) / 2, (1 + mass) / 2], area / area[-1], at)
    return low, high
