"""Kernels: inner products of features that are never computed.

X is (n, d) with rows xᵢ, φ(x) are features, Φ has the rows φ(xᵢ), and K with Kᵢⱼ = k(xᵢ, xⱼ) is the Gram matrix.
K_new has the values k(x, xᵢ), one row for each new x and one column for each old point.

(16.1)   k(x, z) = φ(x)ᵀφ(z) = 1 + t + t² + t³,  t = xᵀz          all products of up to three coordinates
(16.2)   p = 1 + d + d² + d³                                     the number of these features
(16.3)   β ← β + η(y − Kβ)                                       gradient descent for θ = Φᵀβ
(16.4)   f(x) = θᵀφ(x) = Σᵢ βᵢ k(xᵢ, x)
(16.5)   k(x, z) = exp(−‖x − z‖²/(2h²))                          the Gaussian kernel
(16.6)   J(β) = ‖y − Kβ‖² + λ βᵀKβ                               kernel ridge: βᵀKβ = ‖θ‖²
(16.7)   ∇J = 2K((K + λI)β − y)
(16.8)   β = (K + λI)⁻¹y
(16.9)   β = (y − Kβ)/λ                                          the residuals, divided by λ
(16.10)  vᵀKv ≥ 0 for all points and all v                       Mercer's condition: exactly then k is a kernel
(16.11)  k(x, z) = Σₗ λₗψₗ(x)ψₗ(z),  ψₗ = e^{−gx²}xˡ,  λₗ = (2g)ˡ/l!,  l = 0, 1, …  and g = 1/(2h²), on a line
(16.12)  min over w of Σᵢ (yᵢ − Σₗ wₗψₗ(xᵢ))² + Σₗ wₗ²/λₗ         has the f of (16.8) at λ = 1
(16.13)  K = ΦΦᵀ with Φ = V√Λ                                    features of the n points, from K = VΛVᵀ
(16.14)  f(x) = Σᵢ αᵢsᵢ k(xᵢ, x) + b                             the score of a support vector machine
"""

import numpy as np

from mlcore.numerics import need_shapes


def cubic(X, Z):
    """k (16.1) between the rows of X and those of Z: shape (n, m)."""
    _points("cubic", X, Z)
    t = X @ Z.T
    return 1 + t * (1 + t * (1 + t))


def cubic_features(X):
    """φ (16.1): 1, all xᵢ, all xᵢxⱼ, all xᵢxⱼxₖ, in every order: shape (n, p)."""
    two = (X[:, :, None] * X[:, None, :]).reshape(len(X), -1)
    three = (two[:, :, None] * X[:, None, :]).reshape(len(X), -1)
    return np.column_stack([np.ones(len(X)), X, two, three])


def feature_count(d):
    """p (16.2)."""
    return 1 + d + d**2 + d**3


def descend(K, y, eta):
    """States β of gradient descent (16.3), from 0 and without end."""
    need_shapes("kernels.descend: y (n,), K (n, n)", y, K)
    beta = np.zeros(len(y))
    while True:
        yield beta
        beta = beta + eta * (y - K @ beta)


def predict(beta, K_new):
    """f (16.4) at the points of K_new: shape (m,)."""
    return K_new @ beta


def rbf(X, Z, h):
    """k (16.5) between the rows of X and those of Z: shape (n, m).

    One product gives all exponents, (x, −½‖x‖², 1)·(z, 1, −½‖z‖²) = −½‖x − z‖². Moving the origin does not
    change them, and into the middle of X it loses the fewest digits.
    """
    _points("rbf", X, Z)
    if not h > 0:
        raise ValueError(f"kernels.rbf: h must be greater than 0, got {h}")
    middle = X.mean(axis=0)
    A, B = (X - middle) / h, (Z - middle) / h
    left = np.column_stack([A, -0.5 * np.einsum("ij,ij->i", A, A), np.ones(len(A))])
    right = np.column_stack([B, np.ones(len(B)), -0.5 * np.einsum("ij,ij->i", B, B)])
    K = left @ right.T
    return np.exp(K, out=K)


def objective(beta, K, y, lam):
    """J(β) (16.6)."""
    return np.sum((y - K @ beta) ** 2) + lam * beta @ K @ beta


def gradient(beta, K, y, lam):
    """∇J(β) (16.7): shape (n,)."""
    return 2 * K @ (K @ beta + lam * beta - y)


def fit(K, y, lam):
    """The β of kernel ridge (16.8): shape (n,)."""
    need_shapes("kernels.fit: y (n,), K (n, n)", y, K)
    A = K.copy()
    A.flat[:: len(y) + 1] += lam
    try:
        return _substitute(np.linalg.cholesky(A), y)
    except np.linalg.LinAlgError:  # not positive definite: K is no Gram matrix of a kernel, or λ is lost in rounding
        return np.linalg.solve(A, y)


def coefficients(y, f, lam):
    """β from the fitted values f = Kβ (16.9): shape (n,)."""
    return (y - f) / lam


def smallest_eigenvalue(K):
    """The least of vᵀKv over all v of length 1 (16.10): K passes if it is not negative."""
    return np.linalg.eigvalsh(K)[0]


def rbf_features(x, g, m):
    """√λₗ ψₗ(x) (16.11), l = 0, …, m − 1, for x of shape (n,): shape (n, m). Each is the one before times x√(2g/l)."""
    ratios = np.outer(x, np.sqrt(2 * g / np.arange(1, m)))
    return np.cumprod(np.column_stack([np.exp(-g * x**2), ratios]), axis=1)


def truncated_ridge(x, y, at, g, m):
    """The f of (16.12) with the first m features, at the places `at`: shape (len(at),)."""
    Phi = rbf_features(x, g, m)
    weights = np.linalg.solve(Phi.T @ Phi + np.eye(m), Phi.T @ y)
    return rbf_features(at, g, m) @ weights


def gram_features(K):
    """Φ (16.13): shape (n, r), without the directions in which K is 0."""
    eigenvalues, V = np.linalg.eigh(K)
    if eigenvalues[0] < -1e-9 * eigenvalues[-1]:
        raise ValueError(f"kernels.gram_features: K must have no negative eigenvalue, got {eigenvalues[0]:.3g}")
    kept = eigenvalues > 1e-12 * eigenvalues[-1]
    return V[:, kept] * np.sqrt(eigenvalues[kept])


def svm_score(alpha, s, b, K_new):
    """f (16.14) at the points of K_new: shape (m,)."""
    return K_new @ (alpha * s) + b


def _substitute(L, y, width=64):
    """The solution of LLᵀβ = y, L lower triangular: forwards, then backwards, `width` unknowns at a time."""
    beta = np.array(y, dtype=float)
    blocks = [slice(at, at + width) for at in range(0, len(y), width)]
    for now in blocks:
        beta[now] = np.linalg.solve(L[now, now], beta[now] - L[now, : now.start] @ beta[: now.start])
    for now in reversed(blocks):
        beta[now] = np.linalg.solve(L[now, now].T, beta[now] - L[now.stop :, now].T @ beta[now.stop :])
    return beta


def _points(name, X, Z):
    if np.ndim(X) != 2 or np.ndim(Z) != 2 or X.shape[1] != Z.shape[1]:
        raise ValueError(
            f"kernels.{name}: X and Z must have shapes (n, d) and (m, d), got {np.shape(X)} and {np.shape(Z)}"
        )
