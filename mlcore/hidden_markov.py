"""Hidden Markov models, the Kalman filter and linear-chain conditional random fields: one chain, three readings.

A hidden Markov model has K states and M symbols: π is (K,), A is (K, K) with Aᵢⱼ = P(qₜ₊₁ = j | qₜ = i), B is (K, M)
with Bₖₘ = P(oₜ = m | qₜ = k). The observations o are (T,), whole numbers from 0; bₜ is the column of B that belongs to
oₜ, of shape (K,). ⊙ multiplies entry by entry.

(28.1)   p(q, o)  = π(q₁) b₁(q₁) Π_{t≥2} A(qₜ₋₁, qₜ) bₜ(qₜ)
(28.2)   α₁ = π ⊙ b₁,  αₜ = (αₜ₋₁A) ⊙ bₜ,  p(o) = Σₖ α_T(k)
(28.3)   α̂ₜ = αₜ/Σₖαₜ(k) = P(qₜ = · | o₁ … oₜ),  log p(o) = Σₜ log cₜ      cₜ = Σₖ [(α̂ₜ₋₁A) ⊙ bₜ](k)
(28.4)   β_T = 1,  βₜ = A(bₜ₊₁ ⊙ βₜ₊₁)/cₜ₊₁
(28.5)   γₜ = α̂ₜ ⊙ βₜ = P(qₜ = · | o)
(28.6)   δ₁ = log π + log b₁,  δₜ(j) = maxᵢ [δₜ₋₁(i) + log Aᵢⱼ] + log bₜ(j),  max log p(q, o) = maxₖ δ_T(k)
(28.7)   ξₜ(i, j) = α̂ₜ(i) Aᵢⱼ bₜ₊₁(j) βₜ₊₁(j)/cₜ₊₁ = P(qₜ = i, qₜ₊₁ = j | o)
(28.8)   π = γ₁,  Aᵢⱼ = Σₜ ξₜ(i, j)/Σ_{t<T} γₜ(i),  Bₖₘ = Σ_{t: oₜ=m} γₜ(k)/Σₜ γₜ(k)
(28.9)   xₜ = F xₜ₋₁ + N(0, Q),  zₜ = H xₜ + N(0, R)
(28.10)  m⁻ = Fm,  P⁻ = FPFᵀ + Q
(28.11)  K = P⁻Hᵀ(HP⁻Hᵀ + R)⁻¹,  m = m⁻ + K(z − Hm⁻),  P = (I − KH)P⁻
(28.12)  K = (√(ρ² + 4ρ) − ρ)/2        ρ = q/r: the gain of a random walk in the long run
(28.13)  p(q | o) = exp S(q)/Z(o),  S(q) = Σₜ Uₜ(qₜ) + Σ_{t≥2} V(qₜ₋₁, qₜ)        U is (T, K), V is (K, K)
(28.14)  a₁ = U₁,  aₜ(j) = Uₜ(j) + log Σᵢ exp(aₜ₋₁(i) + Vᵢⱼ),  log Z = log Σₖ exp a_T(k)
(28.15)  ∂ log p(q | o)/∂Uₜ(k) = [qₜ = k] − P(qₜ = k | o),  the same for V with the number of steps i → j
"""

from dataclasses import dataclass

import numpy as np

from mlcore.numerics import need_shapes


@dataclass(frozen=True, eq=False)
class Model:
    """A hidden Markov model, and log p(o) under it."""

    pi: np.ndarray
    A: np.ndarray
    B: np.ndarray
    loglik: float


def sample(T, pi, A, B, rng):
    """T states and observations drawn from the model (28.1)."""
    q = np.empty(T, dtype=int)
    p = pi
    for t in range(T):
        q[t] = rng.choice(len(pi), p=p)
        p = A[q[t]]
    return q, np.array([rng.choice(B.shape[1], p=B[k]) for k in q])


def log_joint(q, o, pi, A, B):
    """log p(q, o) (28.1) of one path q."""
    with np.errstate(divide="ignore"):
        return np.log(pi[q[0]]) + np.log(A[q[:-1], q[1:]]).sum() + np.log(B[q, o]).sum()


def forward(o, pi, A, B):
    """α̂ of shape (T, K) and c of shape (T,) (28.3): α (28.2) divided by its sum in every step, so never 0."""
    b = _emissions("forward", o, pi, A, B)
    alpha, c = np.empty(b.shape), np.empty(len(b))
    ones = np.ones(len(pi))
    a = pi * b[0]
    c[0] = total = a.dot(ones)
    alpha[0] = a = a / total
    for t in range(1, len(b)):
        a = a.dot(A) * b[t]
        c[t] = total = a.dot(ones)
        alpha[t] = a = a / total
    return alpha, c


def loglik(o, pi, A, B):
    """log p(o) (28.3)."""
    return np.log(forward(o, pi, A, B)[1]).sum()


def backward(o, c, A, B):
    """β of shape (T, K) (28.4), scaled with the c of `forward`."""
    b = B.T[o] / c[:, None]
    beta = np.ones(b.shape)
    for t in range(len(b) - 2, -1, -1):
        beta[t] = A.dot(b[t + 1] * beta[t + 1])
    return beta


def posteriors(o, pi, A, B):
    """γ of shape (T, K) (28.5): what all observations say about every state."""
    alpha, c = forward(o, pi, A, B)
    return alpha * backward(o, c, A, B)


def viterbi(o, pi, A, B):
    """The most probable path, of shape (T,), and its log p(q, o) (28.6)."""
    b = _emissions("viterbi", o, pi, A, B)
    with np.errstate(divide="ignore"):
        log_pi, log_A, log_b = np.log(pi), np.log(A), np.log(b)
    from_ = np.empty(b.shape, dtype=int)
    delta = log_pi + log_b[0]
    for t in range(1, len(b)):
        steps = delta[:, None] + log_A
        from_[t] = steps.argmax(axis=0)
        delta = steps.max(axis=0) + log_b[t]
    path = np.empty(len(b), dtype=int)
    path[-1] = delta.argmax()
    for t in range(len(b) - 1, 0, -1):
        path[t - 1] = from_[t, path[t]]
    return path, delta.max()


def baum_welch(o, pi, A, B):
    """EM from a first model: each Model is one step (28.8) after the last, and log p(o) never falls. It has no end."""
    symbols = (np.asarray(o)[:, None] == np.arange(B.shape[1])).astype(float)
    while True:
        alpha, c = forward(o, pi, A, B)
        yield Model(pi, A, B, np.log(c).sum())
        beta = backward(o, c, A, B)
        gamma = alpha * beta
        pairs = A * (alpha[:-1].T @ ((B.T[o] * beta)[1:] / c[1:, None]))  # Σₜ ξₜ (28.7)
        pi, A = gamma[0], pairs / pairs.sum(axis=1, keepdims=True)
        B = gamma.T @ symbols / gamma.sum(axis=0)[:, None]


def predict(m, P, F, Q):
    """Mean and covariance of the next state (28.10)."""
    return F @ m, F @ P @ F.T + Q


def update(m, P, z, H, R):
    """Mean and covariance of the state once z has been seen (28.11): a Gaussian, conditioned."""
    HP = H @ P
    K = np.linalg.solve(HP @ H.T + R, HP).T
    return m + K @ (z - H @ m), P - K @ HP


def kalman(z, F, Q, H, R, m, P):
    """The filter: m of shape (T, d) and P of shape (T, d, d) after each row of z, from a belief (m, P) before them."""
    need_shapes("hidden_markov.kalman: z (T, k)", z)
    means, covariances = np.empty((len(z), len(m))), np.empty((len(z), len(m), len(m)))
    for t, seen in enumerate(z):
        m, P = predict(m, P, F, Q)
        m, P = update(m, P, seen, H, R)
        means[t], covariances[t] = m, P
    return means, covariances


def steady_gain(q, r):
    """The gain of a random walk in the long run (28.12)."""
    rho = q / r
    return (np.sqrt(rho**2 + 4 * rho) - rho) / 2


def crf_score(q, U, V):
    """S(q) (28.13)."""
    return U[np.arange(len(q)), q].sum() + V[q[:-1], q[1:]].sum()


def crf_forward(U, V):
    """a of shape (T, K) (28.14), in logarithms."""
    a = np.array(U, dtype=float)
    for t in range(1, len(a)):
        a[t] += np.logaddexp.reduce(a[t - 1][:, None] + V, axis=0)
    return a


def crf_log_partition(U, V):
    """log Z (28.14)."""
    return np.logaddexp.reduce(crf_forward(U, V)[-1])


def crf_marginals(U, V):
    """P(qₜ = k | o), of shape (T, K), and P(qₜ = i, qₜ₊₁ = j | o), of shape (T − 1, K, K)."""
    a = crf_forward(U, V)
    back = crf_forward(U[::-1], V.T)[::-1]  # the same from the right, with Uₜ inside
    log_Z = np.logaddexp.reduce(a[-1])
    return np.exp(a + back - U - log_Z), np.exp(a[:-1, :, None] + V + back[1:, None, :] - log_Z)


def crf_gradient(q, U, V):
    """The derivatives of log p(q | o) with respect to U and V (28.15): what happened minus what was expected."""
    states, pairs = crf_marginals(U, V)
    dU, dV = -states, -pairs.sum(axis=0)
    dU[np.arange(len(q)), q] += 1
    np.add.at(dV, (q[:-1], q[1:]), 1)
    return dU, dV


def _emissions(name, o, pi, A, B):
    """bₜ for every t: shape (T, K)."""
    K = len(pi)
    if np.shape(A) != (K, K) or np.ndim(B) != 2 or len(B) != K:
        got = f"{np.shape(A)} and {np.shape(B)}"
        raise ValueError(f"hidden_markov.{name}: A and B must have shapes (K, K) and (K, M) with K = {K}, got {got}")
    return np.ascontiguousarray(B.T[o])
