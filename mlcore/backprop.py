"""Backpropagation: every derivative of a composed function, for the price of one pass backwards.

A graph has nodes v₁, …, v_m, each computed from earlier ones; D[i, j] = ∂vᵢ/∂vⱼ is 0 where no edge leads from j to i.
A network has sizes d₁, …, d_{L+1}. W_l is (d_{l+1}, d_l): its second dimension is the input. Points are rows of X, y is
(n, d_{L+1}), and row i of Z_l, X_l, Δ_l belongs to point i. The loss is a sum over the points. Leading axes of all W_l
and b_l are separate nets, trained side by side.

(19.1)   J       = cos u,  u = u₁ + u₂,  u₁ = sin t,  u₂ = 3t,  t = x²
(19.2)   v̄ⱼ      = Σᵢ v̄ᵢ ∂vᵢ/∂vⱼ,  v̄_m = 1                    v̄ⱼ = ∂v_m/∂vⱼ, over all nodes i that use vⱼ
(19.3)   z_{l+1} = W_l x_l + b_l,  x_l = σ(z_l),  x₁ = x       f = z_{L+1}, without an activation
(19.4)   C       = Σᵢ c(f(xᵢ), yᵢ),  c = ‖f − y‖²
(19.5)   δ_{L+1} = 2(f − y),  δ_l = (W_lᵀδ_{l+1}) ⊙ σ′(z_l)    δ_l = ∂c/∂z_l
(19.6)   ∂c/∂W_l = δ_{l+1}x_lᵀ,  ∂c/∂b_l = δ_{l+1}             summed over the points: Δ_{l+1}ᵀX_l
(19.7)   p       = Σ_l d_{l+1}(d_l + 1)                        weights and biases together
(19.8)   f(x)    = g(t₀) + Σₖ (g(tₖ) − g(tₖ₋₁)) σ(s(x − mₖ))   tₖ equidistant, mₖ between tₖ₋₁ and tₖ
(19.9)   L(w)    = Σᵢ (σ(xᵢ − w₁) + σ(xᵢ − w₂) − yᵢ)²          L(w₁, w₂) = L(w₂, w₁)
(19.10)  ‖δ₂‖    ≤ ‖δ_{L+1}‖ Π_{l=2}^{L} ‖W_l‖/4               the sigmoid's slope is at most ¼
(19.11)  W       ← (1 − 2ηλ)W − η∂C/∂W,  b ← b − η∂C/∂b        a step on C + λΣ‖W_l‖²
(19.12)  t*      = argmin_{t ≤ T} e_t                          T: the first t with t − argmin_{s ≤ t} e_s = patience
(19.13)  H       = 2 Σᵢ [[w²xᵢ², rᵢxᵢ + awxᵢ²], [·, a²xᵢ²]]    of Σᵢ rᵢ² in (a, w), r = awx − y
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from mlcore.numerics import need_shapes, sigmoid

# σ, and its slope written with the activation h = σ(z): nothing has to be computed twice.
ACTIVATIONS: dict[str, tuple[Callable, Callable]] = {
    "sigmoid": (sigmoid, lambda h: h * (1 - h)),
    "tanh": (np.tanh, lambda h: 1 - h * h),
    "ReLU": (lambda z: np.maximum(z, 0), lambda h: (h > 0) * 1.0),
    "step": (lambda z: np.where(z >= 0, 1.0, 0.0), np.zeros_like),
    "linear": (lambda z: z, np.ones_like),
}


# --- graphs ---


def graph_forward(x):
    """The nodes (x, t, u₁, u₂, u, J) of (19.1): shape (6,)."""
    t = x**2
    u = np.sin(t) + 3 * t
    return np.array([x, t, np.sin(t), 3 * t, u, np.cos(u)])


def graph_local(v):
    """The derivative of each node of (19.1) by each node that it is computed from: shape (6, 6)."""
    x, t, _, _, u, _ = v
    D = np.zeros((6, 6))
    D[1, 0], D[2, 1], D[3, 1], D[4, 2], D[4, 3], D[5, 4] = 2 * x, np.cos(t), 3, 1, 1, -np.sin(u)
    return D


def graph_backward(D):
    """v̄ (19.2): the derivatives of the last node by all nodes, shape (m,)."""
    bar = np.zeros(len(D))
    bar[-1] = 1.0
    for i in range(len(D) - 1, 0, -1):
        bar += bar[i] * D[i]
    return bar


def graph_slope(x):
    """dJ/dx of (19.1)."""
    return graph_backward(graph_local(graph_forward(x)))[0]


# --- networks ---


def initial(sizes, rng):
    """Weights with variance 1/d_l, so that z keeps its scale from layer to layer; biases 0."""
    Ws = [rng.normal(size=(out, into)) / np.sqrt(into) for into, out in pairwise(sizes)]
    return Ws, [np.zeros(len(W)) for W in Ws]


def forward(Ws, bs, X, activation="sigmoid"):
    """The activations X₁ = X, X₂, …, X_L and the output f (19.3): a list of L + 1 arrays."""
    need_shapes(f"backprop.forward: X (n, {Ws[0].shape[-1]})", X)
    sigma, _ = ACTIVATIONS[activation]
    layers = [X]
    for W, b in zip(Ws[:-1], bs[:-1], strict=True):
        layers.append(sigma(layers[-1] @ W.mT + b[..., None, :]))
    return [*layers, layers[-1] @ Ws[-1].mT + bs[-1][..., None, :]]


def loss(f, y):
    """C (19.4)."""
    return np.sum((f - y) ** 2, axis=(-2, -1))


def deltas(Ws, layers, y, activation="sigmoid"):
    """Δ₂, …, Δ_{L+1} (19.5) from the layers of `forward`: Δ_l has the shape of X_l."""
    _, slope = ACTIVATIONS[activation]
    found = [2 * (layers[-1] - y)]
    for W, h in zip(Ws[:0:-1], layers[-2:0:-1], strict=True):
        found.append(found[-1] @ W * slope(h))
    return found[::-1]


def gradients(Ws, bs, X, y, activation="sigmoid"):
    """∂C/∂W_l and ∂C/∂b_l (19.6): two lists."""
    layers = forward(Ws, bs, X, activation)
    need_shapes(f"backprop.gradients: y {layers[-1].shape[-2:]}", y)
    errors = deltas(Ws, layers, y, activation)
    return [d.mT @ h for d, h in zip(errors, layers[:-1], strict=True)], [d.sum(axis=-2) for d in errors]


def parameters(sizes):
    """p (19.7)."""
    return sum(out * (into + 1) for into, out in pairwise(sizes))


def staircase(g, m, s):
    """Rows w, b, a of a net Σₖ aₖσ(wₖx + bₖ) that follows g on [0, 1] (19.8): shape (3, m + 1)."""
    t = np.linspace(0, 1, m + 1)
    middle = np.append(-1.0, (t[1:] + t[:-1]) / 2)  # the first step is done long before 0: it makes g(0)
    return np.array([np.full(m + 1, s), -s * middle, np.append(g(0.0), np.diff(g(t)))])


def two_neurons(w1, w2, x, y, activation="sigmoid"):
    """L(w₁, w₂) (19.9); w₁ and w₂ may be grids."""
    sigma, _ = ACTIVATIONS[activation]
    f = sigma(x - np.asarray(w1)[..., None]) + sigma(x - np.asarray(w2)[..., None])
    return np.sum((f - y) ** 2, axis=-1)


def neuron_data(activation, rng, n=60):
    """Points for (19.9), made by two neurons of this activation, with noise: x and y, each of shape (n,)."""
    sigma, _ = ACTIVATIONS[activation]
    w1, w2 = {"ReLU": (-2.5, 1.0), "sigmoid": (-3.0, 2.0), "step": (-1.5, 3.0)}[activation]
    x = np.sort(rng.uniform(-6, 6, n))
    return x, sigma(x - w1) + sigma(x - w2) + 0.1 * rng.normal(size=n)


def depth_bound(norms):
    """What is left of ‖δ_{L+1}‖ at most after sigmoid layers with these spectral norms ‖W_l‖ (19.10)."""
    return np.prod(np.asarray(norms) / 4)


# --- training ---


def decay_step(W, b, G, g, eta, lam):
    """One step on C + λ‖W‖² (19.11); G = ∂C/∂W, g = ∂C/∂b. The bias is not decayed."""
    return (1 - 2 * eta * lam) * W - eta * G, b - eta * g


def descent(Ws, bs, X, y, eta, lam=0.0, activation="sigmoid"):
    """The states (Ws, bs) of gradient descent on C + λΣ‖W_l‖², without end (19.11)."""
    while True:
        yield Ws, bs
        layers = zip(Ws, bs, *gradients(Ws, bs, X, y, activation), strict=True)
        stepped = [decay_step(W, b, G, g, eta, lam) for W, b, G, g in layers]
        Ws, bs = [W for W, _ in stepped], [b for _, b in stepped]


def stop_early(errors, patience):
    """The step with the smallest validation error until `patience` steps have brought no better one (19.12)."""
    best = 0
    for t, error in enumerate(errors):
        if error < errors[best]:
            best = t
        if t - best == patience:
            break
    return best


def linear_hessian(a, w, x, y):
    """The Hessian of Σ(awxᵢ − yᵢ)² in (a, w) (19.13): shape (2, 2)."""
    r = a * w * x - y
    cross = r @ x + a * w * x @ x
    return 2 * np.array([[w**2 * x @ x, cross], [cross, a**2 * x @ x]])
