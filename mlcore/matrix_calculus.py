"""Matrix calculus: what a function of many variables does when we take a small step.

x and the direction δ of the step are (d,), ε is a number, A is (d, d). In least squares X is (n, d), y (n,) and w (d,).
A symmetric A has the eigenvalues λᵢ and the orthonormal eigenvectors vᵢ; V holds the vᵢ as columns, Λ = diag(λᵢ).

(2.1)   f(x + εδ) = f(x) + ε∇f(x)ᵀδ + o(ε)
(2.2)   ∇(xᵀAx) = (A + Aᵀ)x
(2.3)   ∇‖Xw − y‖² = 2Xᵀ(Xw − y)
(2.4)   ∇²‖Xw − y‖² = 2XᵀX
(2.5)   f(x + εδ) = f(x) + ε∇f(x)ᵀδ + ½ε²δᵀH(x)δ + o(ε²)    H = ∇²f
(2.6)   xᵀAx = Σᵢ λᵢ(vᵢᵀx)²                                A = Aᵀ
(2.7)   A = ΦᵀΦ,  Φ = Λ^½Vᵀ                                A = Aᵀ, all λᵢ ≥ 0
(2.8)   R(x) = xᵀAx / xᵀx
(2.9)   ∇R(x) = (2/xᵀx)(Ax − R(x)x)                        A = Aᵀ
(2.10)  λ_min ≤ R(x) ≤ λ_max                               A = Aᵀ
(2.11)  xₖ₊₁ = Axₖ/‖Axₖ‖
(2.12)  ∇R(x) = (2/xᵀx)(½(A + Aᵀ)x − R(x)x)                for every A
"""

import numpy as np

from mlcore.numerics import need_shapes


def taylor_1(value, gradient, delta, eps):
    """f(x + εδ) to first order (2.1), from f(x) and ∇f(x)."""
    return value + eps * (gradient @ delta)


def quadratic_gradient(x, A):
    """∇(xᵀAx) (2.2): shape (d,)."""
    return (A + A.T) @ x


def squares_gradient(w, X, y):
    """∇‖Xw − y‖² (2.3): shape (d,)."""
    need_shapes("matrix_calculus.squares_gradient: X (n, d), w (d,), y (n,)", X, w, y)
    return 2 * X.T @ (X @ w - y)


def squares_hessian(w, X, y):
    """∇²‖Xw − y‖² (2.4): shape (d, d), the same for every w and y."""
    need_shapes("matrix_calculus.squares_hessian: X (n, d), w (d,), y (n,)", X, w, y)
    return 2 * X.T @ X


def taylor_2(value, gradient, hessian, delta, eps):
    """f(x + εδ) to second order (2.5), from f(x), ∇f(x) and H(x)."""
    return taylor_1(value, gradient, delta, eps) + eps**2 / 2 * (delta @ hessian @ delta)


def ground(x):
    """The hilly ground of the notebook, f(x) = exp(x₁) + x₁x₂²; x may be a stack of points, (..., 2)."""
    return np.exp(x[..., 0]) + x[..., 0] * x[..., 1] ** 2


def ground_gradient(x):
    """∇f of the ground: shape (2,)."""
    return np.array([np.exp(x[0]) + x[1] ** 2, 2 * x[0] * x[1]])


def ground_hessian(x):
    """∇²f of the ground: shape (2, 2)."""
    return np.array([[np.exp(x[0]), 2 * x[1]], [2 * x[1], 2 * x[0]]])


def spectral_form(x, A):
    """xᵀAx as a sum over the eigenvectors of a symmetric A (2.6)."""
    _symmetric("spectral_form", A)
    lam, V = np.linalg.eigh(A)
    return np.sum(lam * (V.T @ x) ** 2)


def factor(A):
    """A Φ with ΦᵀΦ = A (2.7), for a positive semi-definite A: shape (d, d)."""
    _symmetric("factor", A)
    lam, V = np.linalg.eigh(A)
    if lam[0] < -1e-9 * max(lam[-1], 0):
        raise ValueError(f"matrix_calculus.factor: A must have no negative eigenvalue, got {lam[0]:.3g}")
    return np.sqrt(np.maximum(lam, 0))[:, None] * V.T  # rounding makes an eigenvalue 0 slightly negative


def rayleigh(x, A):
    """R(x) (2.8): between the smallest and the largest eigenvalue of a symmetric A (2.10)."""
    return (x @ A @ x) / (x @ x)


def rayleigh_gradient(x, A):
    """∇R(x) for every square A (2.12), which is (2.9) for a symmetric one: shape (d,)."""
    return 2 / (x @ x) * ((A + A.T) @ x / 2 - rayleigh(x, A) * x)


def power_iteration(A, x):
    """The unit vectors x₀, x₁, … of (2.11), without end; x₀ is x/‖x‖."""
    while True:
        x = x / np.linalg.norm(x)
        yield x
        x = A @ x


def _symmetric(name, A):
    need_shapes(f"matrix_calculus.{name}: A (d, d)", A)
    if not np.allclose(A, A.T):
        raise ValueError(
            f"matrix_calculus.{name}: A must be symmetric, got entries that differ from their mirror image"
        )
