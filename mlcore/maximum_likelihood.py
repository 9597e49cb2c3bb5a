"""Maximum likelihood: believe the parameter under which the data were most probable.

A coin falls heads with probability θ; m₁ heads and m₀ tails were seen, n = m₁ + m₀. Measurements x are (n,).

(3.1)   L(θ)     = θ^m₁ (1 − θ)^m₀                          the probability of one sequence of tosses
(3.2)   ℓ(θ)     = log L(θ) = m₁ log θ + m₀ log(1 − θ)
(3.3)   ℓ′(θ)    = m₁/θ − m₀/(1 − θ)                        the score
(3.4)   θ̂        = m₁/(m₁ + m₀)
(3.5)   ϑ̂        = log(m₁/m₀)                               θ = 1/(1 + e^(−ϑ))
(3.6)   ℓ(μ, σ)  = −n log(√(2π) σ) − Σᵢ (xᵢ − μ)²/2σ²       x₁, …, xₙ ~ N(μ, σ²)
(3.7)   μ̂, σ̂²    = x̄, (1/n) Σᵢ (xᵢ − x̄)²
(3.8)   E[σ̂²]    = (n − 1)/n · σ²
(3.9)   σ̂²       = ‖Xŵ − y‖²/n                              y ~ N(Xw, σ²I), ŵ by least squares
(3.10)  L(θ)     = (2θ)^(−n) if θ ≥ maxᵢ |xᵢ|, else 0       x₁, …, xₙ uniform on [−θ, θ]
(3.11)  θ̂        = maxᵢ |xᵢ|
(3.12)  I(θ)     = E[(∂ log p(x|θ)/∂θ)²] = 1/(θ(1 − θ))     one toss
(3.13)  I(μ)     = 1/σ²                                     one draw from N(μ, σ²)
(3.14)  se(θ̂)    ≈ 1/√(n I(θ))                              the standard deviation of θ̂
"""

import numpy as np

from mlcore.numerics import need_shapes


def likelihood(theta, m1, m0):
    """L(θ) of a sequence with m₁ heads and m₀ tails (3.1)."""
    return theta**m1 * (1 - theta) ** m0


def log_likelihood(theta, m1, m0):
    """ℓ(θ) (3.2), for 0 < θ < 1."""
    return m1 * np.log(theta) + m0 * np.log1p(-theta)


def score(theta, m1, m0):
    """ℓ′(θ) (3.3), for 0 < θ < 1."""
    return m1 / theta - m0 / (1 - theta)


def coin_fit(m1, m0):
    """θ̂ (3.4)."""
    return m1 / (m1 + m0)


def log_odds(m1, m0):
    """ϑ̂ (3.5), for m₁, m₀ > 0."""
    return np.log(m1 / m0)


def gaussian_log_likelihood(x, mu, sigma):
    """ℓ(μ, σ) (3.6)."""
    return -len(x) * np.log(np.sqrt(2 * np.pi) * sigma) - np.sum((x - mu) ** 2) / (2 * sigma**2)


def gaussian_fit(x):
    """μ̂ and σ̂² (3.7)."""
    need_shapes("maximum_likelihood.gaussian_fit: x (n,)", x)
    return np.mean(x), np.mean((x - np.mean(x)) ** 2)


def expected_variance(sigma2, n):
    """E[σ̂²] for n draws of variance σ² (3.8)."""
    return (n - 1) / n * sigma2


def residual_variance(X, y):
    """σ̂² of a regression (3.9)."""
    if np.shape(y) != (len(X),):
        raise ValueError(
            f"maximum_likelihood.residual_variance: y must have shape (n,) = ({len(X)},), got {np.shape(y)}"
        )
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    return np.mean((X @ w - y) ** 2)


def uniform_likelihood(theta, x):
    """L(θ) for draws from [−θ, θ] (3.10), for θ > 0: a number or an array like θ."""
    return np.where(theta >= np.max(np.abs(x)), (2.0 * theta) ** -len(x), 0.0)


def uniform_fit(x):
    """θ̂ (3.11)."""
    return np.max(np.abs(x))


def coin_information(theta):
    """I(θ) of one toss (3.12), for 0 < θ < 1."""
    return 1 / (theta * (1 - theta))


def mean_information(sigma):
    """I(μ) of one draw from N(μ, σ²) (3.13): the same for every μ."""
    return 1 / sigma**2


def standard_error(n, information):
    """How far an estimate from n observations typically lies from the truth (3.14)."""
    return 1 / np.sqrt(n * information)
