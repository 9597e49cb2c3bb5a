"""Principal components: the few directions in which data vary most.

X is (n, d), x̄ the mean of its rows, X_c = X − x̄. U is (d, K): its columns are orthonormal axes. S has a factor 1/n.
K counts axes, so the Gram matrix is G here: Gᵢⱼ = k(xᵢ, xⱼ), of shape (n, n).

(23.1)   z = Uᵀ(x − μ),  x̃ = μ + Uz                 code and reconstruction, UᵀU = I
(23.2)   S = (1/n) Σᵢ (xᵢ − x̄)(xᵢ − x̄)ᵀ
(23.3)   (1/n) Σᵢ ‖xᵢ − x̃ᵢ‖² = tr S − tr UᵀSU       at μ = x̄
(23.4)   slope of uᵀSu on the sphere = 2(Su − (uᵀSu)u), zero where Su = λu
(23.5)   max tr UᵀSU = λ₁ + … + λ_K                 at the eigenvectors of S with the K largest eigenvalues
(23.6)   min (1/n) Σᵢ ‖xᵢ − x̃ᵢ‖² = λ_{K+1} + … + λ_d
(23.7)   λⱼ = sⱼ²/n                                 X_c = Σⱼ sⱼ aⱼuⱼᵀ
(23.8)   G_c = HGH                                  H = I − 11ᵀ/n
(23.9)   scores sⱼaⱼ = G_cαⱼ,  αⱼ = aⱼ/sⱼ           G_caⱼ = sⱼ²aⱼ, ‖aⱼ‖ = 1
(23.10)  zⱼ(x) = αⱼᵀH(κ − G1/n)                     κᵢ = k(xᵢ, x)
(23.11)  (1/n)‖X_c − X_cED‖² ≥ λ_{K+1} + … + λ_d    E is (d, K), D is (K, d)
(23.12)  argmin over μ of Σᵢ ‖μ + Uzᵢ − xᵢ‖² = x̄ − Uz̄   for given codes zᵢ
"""

import numpy as np

from mlcore.numerics import need_shapes


def encode(X, U, mu):
    """The codes of all points (23.1): shape (n, K)."""
    return (X - mu) @ U


def decode(Z, U, mu):
    """The reconstructions of all points (23.1): shape (n, d)."""
    return mu + Z @ U.T


def covariance(X):
    """S (23.2): shape (d, d)."""
    need_shapes("pca.covariance: X (n, d)", X)
    Xc = X - np.full(len(X), 1 / len(X)) @ X  # x̄ as a product: twice as fast as X.mean(axis=0)
    return Xc.T @ Xc / len(X)


def error(X, U):
    """The mean squared error of the reconstruction (23.3)."""
    S = covariance(X)
    return np.trace(S) - np.trace(U.T @ S @ U)


def slope(u, S):
    """How uᵀSu grows on the unit sphere (23.4): shape (d,), orthogonal to u."""
    return 2 * (S @ u - (u @ S @ u) * u)


def axes(X, K):
    """The K principal axes (23.5): shape (d, K)."""
    need_shapes("pca.axes: X (n, d)", X)
    _count("axes", K, X.shape[1])
    if K <= len(X) < X.shape[1]:  # the smaller matrix X_cX_cᵀ has the eigenvectors aⱼ of (23.7), and X_cᵀaⱼ = sⱼuⱼ
        Xc = X - X.mean(axis=0)
        _, A = np.linalg.eigh(Xc @ Xc.T)
        return np.linalg.qr(Xc.T @ A[:, ::-1][:, :K])[0]
    _, Q = np.linalg.eigh(covariance(X))
    return Q[:, ::-1][:, :K]


def dropped(X, K):
    """The smallest mean squared error that K axes allow (23.6)."""
    need_shapes("pca.dropped: X (n, d)", X)
    _count("dropped", K, X.shape[1])
    return np.sum(spectrum(X)[K:])


def spectrum(X):
    """The eigenvalues of S from the singular values of X_c (23.7), largest first: shape (min(n, d),)."""
    need_shapes("pca.spectrum: X (n, d)", X)
    return np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2 / len(X)


def gaussian(A, B, h):
    """The Gaussian kernel of width h between the rows of A and those of B: shape (len(A), len(B))."""
    squares = np.sum(A**2, axis=1)[:, None] + np.sum(B**2, axis=1) - 2 * A @ B.T
    return np.exp(-squares / (2 * h**2))


def centred_gram(G):
    """G_c (23.8): the inner products after the mean has been subtracted in feature space."""
    need_shapes("pca.centred_gram: G (n, n)", G)
    means = G.mean(axis=0)
    return G - means - means[:, None] + means.mean()


def kernel_scores(G, K):
    """The scores of the n points along K axes in feature space (23.9): shape (n, K)."""
    s, A = _leading(centred_gram(G), K)
    return s * A


def kernel_axes(G, K):
    """The coefficients α of K axes of length 1 in feature space (23.9): shape (n, K)."""
    s, A = _leading(centred_gram(G), K)
    return A / s


def kernel_new(kappa, G, alpha):
    """The scores of a new point, or of many (23.10): kappa is (n,) or (m, n), the scores are (K,) or (m, K)."""
    need_shapes("pca.kernel_new: G (n, n)", G)
    if np.shape(kappa)[-1] != len(G):
        raise ValueError(f"pca.kernel_new: kappa must have n = {len(G)} entries a point, got {np.shape(kappa)}")
    kappa = kappa - G.mean(axis=0)
    return (kappa - kappa.mean(axis=-1, keepdims=True)) @ alpha


def autoencoder_loss(X, E, D):
    """The mean squared error of decoding what was encoded (23.11)."""
    Xc = X - X.mean(axis=0)
    return np.sum((Xc - Xc @ E @ D) ** 2) / len(X)


def autoencoder(X, E, D, eta, steps):
    """Gradient descent on (23.11) from (E, D): yields every (E, D)."""
    S = covariance(X)
    for _ in range(steps):
        yield E, D
        R = S @ (E @ D - np.eye(len(S)))
        E, D = E - 2 * eta * R @ D.T, D - 2 * eta * E.T @ R
    yield E, D


def optimal_centre(X, U, Z):
    """The best μ for given codes (23.12): shape (d,)."""
    return X.mean(axis=0) - U @ Z.mean(axis=0)


def _leading(Gc, K):
    """The roots s of the K largest eigenvalues of G_c, and their eigenvectors of length 1."""
    _count("kernel_scores", K, len(Gc) - 1)
    eigenvalues, A = np.linalg.eigh(Gc)
    return np.sqrt(eigenvalues[::-1][:K]), A[:, ::-1][:, :K]


def _count(name, K, most):
    if not 0 <= K <= most:
        raise ValueError(f"pca.{name}: K must be between 0 and {most}, got {K}")
