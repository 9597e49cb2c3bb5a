"""Gaussian mixtures: densities made of simple parts, and EM, which fits them.

X is (n, d). A mixture of K parts is θ = (π, μ, Σ) with the shapes (K,), (K, d) and (K, d, d); zᵢ is the part that
point i came from. L is the logarithm of the joint density, Lᵢₖ = log p(xᵢ, zᵢ = k), of shape (n, K).

(24.1)   p(x)      = Σₖ πₖ N(x; μₖ, Σₖ)                       so Lᵢₖ = log πₖ + log N(xᵢ; μₖ, Σₖ)
(24.2)   γᵢₖ       = exp(Lᵢₖ − log Σⱼ exp Lᵢⱼ)                the posterior P(zᵢ = k | xᵢ)
(24.3)   ℓ(θ)      = Σᵢ log Σₖ exp Lᵢₖ
(24.4)   ELBO(q,θ) = Σᵢₖ qᵢₖ (Lᵢₖ − log qᵢₖ)                  the rows of q sum to 1
(24.5)   ℓ(θ)      = ELBO(q,θ) + KL(q‖γ)                      KL(q‖γ) = Σᵢₖ qᵢₖ log(qᵢₖ/γᵢₖ) ≥ 0
(24.6)   ∂ℓ/∂μₖ    = Σₖ⁻¹ Σᵢ γᵢₖ(xᵢ − μₖ)
(24.7)   πₖ = Nₖ/n,  μₖ = Σᵢγᵢₖxᵢ/Nₖ,  Σₖ = Σᵢγᵢₖ(xᵢ − μₖ)(xᵢ − μₖ)ᵀ/Nₖ        Nₖ = Σᵢγᵢₖ
(24.8)   γᵢₖ       ∝ exp(−‖xᵢ − μₖ‖²/2σ²)                     πₖ = 1/K and Σₖ = σ²I
(24.9)   p         = (K − 1) + Kd + Kd(d + 1)/2               the free parameters
(24.10)  AIC       = 2p − 2ℓ,  BIC = p log n − 2ℓ
(24.11)  p̂(x)      = 1/(nh) Σᵢ φ((x − xᵢ)/h)                  φ is the density of N(0, 1)
"""

from dataclasses import dataclass

import numpy as np

from mlcore.numerics import log_sum_exp, need_shapes, softmax

FLAT = 1e-8  # a part whose least variance is below this share of the data's largest has collapsed


@dataclass(frozen=True, eq=False)
class State:
    """Where EM is: a mixture, its responsibilities (24.2) and its log-likelihood (24.3)."""

    pi: np.ndarray
    mu: np.ndarray
    Sigma: np.ndarray
    gamma: np.ndarray
    loglik: float


def log_normal(X, mu, Sigma):
    """log N(x; μ, Σ) at the rows of X: shape (n,), or (K, n) for K means and covariances."""
    C = np.linalg.cholesky(Sigma)
    z = np.linalg.solve(C, np.eye(X.shape[1])) @ np.swapaxes(X - np.asarray(mu)[..., None, :], -1, -2)
    log_det = 2 * np.sum(np.log(np.diagonal(C, axis1=-2, axis2=-1)), axis=-1)
    return -0.5 * (np.sum(z**2, axis=-2) + log_det[..., None] + X.shape[1] * np.log(2 * np.pi))


def log_joint(X, pi, mu, Sigma):
    """Lᵢₖ = log πₖ + log N(xᵢ; μₖ, Σₖ) (24.1): shape (n, K). Axes in front of K count mixtures, here and below."""
    need_shapes("gaussian_mixtures.log_joint: X (n, d)", X)
    return np.swapaxes(np.log(pi)[..., None] + log_normal(X, mu, Sigma), -1, -2)


def log_density(L):
    """log p(xᵢ) = log Σₖ exp Lᵢₖ: shape (n,)."""
    return log_sum_exp(L)


def responsibilities(L):
    """γ (24.2): shape (n, K), and every row sums to 1."""
    return np.exp(L - log_density(L)[..., None])


def loglik(L):
    """ℓ(θ) (24.3)."""
    return np.sum(log_density(L), axis=-1)


def elbo(q, L):
    """The bound below ℓ that belongs to q (24.4)."""
    return np.sum(q * L, axis=(-2, -1)) - _plogp(q)


def kl(q, L):
    """KL(q‖γ), the gap between the bound and ℓ (24.5)."""
    return _plogp(q) - np.sum(q * (L - log_density(L)[..., None]), axis=(-2, -1))


def mean_gradient(X, pi, mu, Sigma):
    """∂ℓ/∂μₖ (24.6): shape (K, d)."""
    gamma = responsibilities(log_joint(X, pi, mu, Sigma))
    return np.stack([np.linalg.solve(S, g @ (X - m)) for g, m, S in zip(gamma.T, mu, Sigma, strict=True)])


def m_step(X, gamma):
    """The mixture (π, μ, Σ) that maximises the ELBO at q = γ (24.7)."""
    if np.ndim(gamma) != 2 or len(gamma) != len(X):
        raise ValueError(
            f"gaussian_mixtures.m_step: gamma must have shape (n, K) with n = {len(X)}, got {np.shape(gamma)}"
        )
    N = gamma.sum(axis=0)
    mu = np.sum(gamma.T[:, :, None] * X, axis=1) / N[:, None]  # not γᵀX, whose rows some machines round differently
    away = X - mu[:, None]  # (K, n, d)
    Sigma = np.swapaxes(gamma.T[:, :, None] * away, 1, 2) @ away / N[:, None, None]
    return N / len(X), mu, Sigma


def em(X, start):
    """EM from start = (π, μ, Σ): each state is one E-step (24.2) and one M-step (24.7) after the last.

    It has no end of its own, but a part that shrinks to no width raises a LinAlgError. That is decided by FLAT and not
    by rounding, so that every machine sees it at the same step.
    """
    pi, mu, Sigma = start
    floor = FLAT * X.var(axis=0).max()
    while True:
        L = log_joint(X, pi, mu, Sigma)
        log_p = log_density(L)
        gamma = np.exp(L - log_p[:, None])
        yield State(pi, mu, Sigma, gamma, np.sum(log_p))
        pi, mu, Sigma = m_step(X, gamma)
        least = np.linalg.eigvalsh(Sigma)[:, 0]
        if least.min() < floor:
            part = least.argmin() + 1
            raise np.linalg.LinAlgError(f"gaussian_mixtures.em: part {part} collapsed, it has no width left")


def soft_assignment(x, mu, sigma):
    """γ for equal weights and one variance σ² (24.8): x is a number or (n,), μ is (K,); shape (K,) or (n, K)."""
    return softmax(-((np.asarray(x)[..., None] - mu) ** 2) / (2 * sigma**2))


def parameters(K, d):
    """The number of free parameters (24.9)."""
    return K - 1 + K * d + K * d * (d + 1) // 2


def aic(ell, p):
    """Akaike's criterion (24.10): the smaller, the better."""
    return 2 * p - 2 * ell


def bic(ell, p, n):
    """The Bayesian criterion (24.10): the smaller, the better."""
    return p * np.log(n) - 2 * ell


def kde(at, x, h):
    """The kernel density estimate from the points x with bandwidth h (24.11): shape of `at`, which is (m,)."""
    z = (at[:, None] - x) / h
    return np.mean(np.exp(-0.5 * z**2), axis=1) / (h * np.sqrt(2 * np.pi))


def _plogp(q):
    """Σ q log q, where 0 log 0 = 0."""
    return np.sum(q * np.log(np.where(q > 0, q, 1.0)))
