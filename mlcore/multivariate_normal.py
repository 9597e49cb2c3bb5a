"""The multivariate normal: what marginals and conditionals read from Σ and from its inverse Q.

x and μ are (d,), Σ and Q are (d, d); α and β are lists of coordinates without a common one.

(22.1)   X = AZ + μ                                  Z₁, …, Z_d independent N(0, 1)
(22.2)   AX + c ~ N(Aμ + c, AΣAᵀ)                    X ~ N(μ, Σ)
(22.3)   log p(x) = −½(x − μ)ᵀΣ⁻¹(x − μ) − ½ log det Σ − (d/2) log 2π
(22.4)   X_α ~ N(μ_α, Σ_αα)
(22.5)   log p(x) = −½xᵀQx + bᵀx − log C             the natural form
(22.6)   Q = Σ⁻¹,  b = Σ⁻¹μ,  log C = ½μᵀΣ⁻¹μ + ½ log det Σ + (d/2) log 2π
(22.7)   Σ = Q⁻¹,  μ = Q⁻¹b
(22.8)   E[X_α | x_β]   = μ_α + Σ_αβ Σ_ββ⁻¹(x_β − μ_β)
(22.9)   Cov[X_α | x_β] = Σ_αα − Σ_αβ Σ_ββ⁻¹Σ_βα     = Q_αα⁻¹ if β is all the rest
(22.10)  ρ_ij·rest = −q_ij/√(q_ii q_jj)              the correlation of X_i and X_j given all the others
(22.11)  X_i ⊥ X_j ⇔ σ_ij = 0,  X_i ⊥ X_j | rest ⇔ q_ij = 0
"""

import numpy as np

from mlcore.numerics import need_shapes


def sample(n, mu, Sigma, rng):
    """n draws of AZ + μ (22.1), with A the Cholesky factor of Σ: shape (n, d)."""
    need_shapes("multivariate_normal.sample: mu (d,), Sigma (d, d)", mu, Sigma)
    return mu + rng.normal(size=(n, len(mu))) @ np.linalg.cholesky(Sigma).T


def affine(A, c, mu, Sigma):
    """Mean and covariance of AX + c (22.2): A is (k, d), c is (k,)."""
    need_shapes("multivariate_normal.affine: mu (d,), Sigma (d, d)", mu, Sigma)
    return A @ mu + c, A @ Sigma @ A.T


def logpdf(x, mu, Sigma):
    """log p(x) (22.3) for one x of shape (d,), or for the rows of an (n, d) array."""
    need_shapes("multivariate_normal.logpdf: mu (d,), Sigma (d, d)", mu, Sigma)
    L = np.linalg.cholesky(Sigma)
    z = (x - mu) @ np.linalg.solve(L, np.eye(len(mu))).T  # L⁻¹ is small, and one product with it is fast for many x
    return -np.sum(z**2, axis=-1) / 2 - np.sum(np.log(np.diag(L))) - len(mu) / 2 * np.log(2 * np.pi)


def marginal(mu, Sigma, alpha):
    """Mean and covariance of X_α (22.4)."""
    need_shapes("multivariate_normal.marginal: mu (d,), Sigma (d, d)", mu, Sigma)
    return mu[alpha], Sigma[np.ix_(alpha, alpha)]


def natural_logpdf(x, b, Q, log_C):
    """log p(x) from the natural form (22.5)."""
    need_shapes("multivariate_normal.natural_logpdf: b (d,), Q (d, d)", b, Q)
    return -x @ Q @ x / 2 + b @ x - log_C


def natural(mu, Sigma):
    """b, Q and log C of the natural form (22.6)."""
    need_shapes("multivariate_normal.natural: mu (d,), Sigma (d, d)", mu, Sigma)
    b = np.linalg.solve(Sigma, mu)
    log_C = mu @ b / 2 + np.linalg.slogdet(Sigma)[1] / 2 + len(mu) / 2 * np.log(2 * np.pi)
    return b, precision(Sigma), log_C


def precision(Sigma):
    """Q = Σ⁻¹ (22.6)."""
    return np.linalg.solve(Sigma, np.eye(len(Sigma)))


def standard(b, Q):
    """μ and Σ from the natural parameters (22.7)."""
    need_shapes("multivariate_normal.standard: b (d,), Q (d, d)", b, Q)
    return np.linalg.solve(Q, b), np.linalg.solve(Q, np.eye(len(b)))


def conditional(x_beta, mu, Sigma, alpha, beta):
    """Mean (22.8) and covariance (22.9) of X_α given X_β = x_β."""
    need_shapes("multivariate_normal.conditional: mu (d,), Sigma (d, d)", mu, Sigma)
    S_ba = Sigma[np.ix_(beta, alpha)]
    K = np.linalg.solve(Sigma[np.ix_(beta, beta)], S_ba).T
    return mu[alpha] + K @ (x_beta - mu[beta]), Sigma[np.ix_(alpha, alpha)] - K @ S_ba


def correlation(Sigma):
    """σ_ij/√(σ_ii σ_jj): shape (d, d)."""
    spread = np.sqrt(np.diag(Sigma))
    return Sigma / np.outer(spread, spread)


def partial_correlation(Sigma):
    """The correlation of every pair given all the others (22.10), with ones on the diagonal: shape (d, d)."""
    return 2 * np.eye(len(Sigma)) - correlation(precision(Sigma))


def covariance_graph(Sigma):
    """Which pairs are dependent (22.11): (d, d), True where σ_ij ≠ 0, False on the diagonal."""
    return _edges(Sigma)


def markov_graph(Sigma):
    """Which pairs are dependent given all the others (22.11): (d, d), True where q_ij ≠ 0."""
    return _edges(precision(Sigma))


def _edges(M):
    """What is 0 up to rounding counts as 0."""
    return (np.abs(correlation(M)) > 1e-9) & ~np.eye(len(M), dtype=bool)
