"""Convolution: a layer that looks everywhere for the same small thing.

X is an image (H, W), or a batch (n, C, H, W) of images with C channels; k is a kernel (F, F), or (K, C, F, F) for K
filters. G always has the shape of a layer's output and holds ∂c/∂Y. Strides S are 1 where no S is named.

(20.1)   Yᵢⱼ      = Σₐ Σ_b k_ab X_{i+a, j+b}                  cross-correlation, where k fits into X
(20.2)   W₂       = ⌊(W₁ − F + 2P)/S⌋ + 1                     padding P on both sides
(20.3)   p        = K(F²C + 1),  K(WHC + 1)                   convolutional, fully connected
(20.4)   Y_nk     = b_k + Σ_c k_kc ⋆ X_nc                     ⋆ is (20.1): a layer
(20.5)   Yᵢⱼ      = max_{a, b < S} X_{iS+a, jS+b}             max-pooling
(20.6)   ∂c/∂k_ab = Σᵢ Σⱼ Gᵢⱼ X_{i+a, j+b}                    X correlated with G
(20.7)   ∂c/∂X_pq = Σₐ Σ_b k_ab G_{p−a, q−b}                  G is 0 outside: the flipped kernel
(20.8)   ∂c/∂X_pq = G_{⌊p/S⌋, ⌊q/S⌋}                          where X_pq is its window's first maximum, otherwise 0
(20.9)   ∂c/∂z    = softmax(z) − e_y                          c = −log softmax(z)_y, e_y the unit vector of class y
(20.10)  J(E, D)  = (1/n)‖X − XED‖²                           X centred, E (d, K) encodes, D (K, d) decodes
(20.11)  ∂J/∂E    = (2/n)Xᵀ(XED − X)Dᵀ,  ∂J/∂D = (2/n)EᵀXᵀ(XED − X)
(20.12)  min J    = Σ_{k>K} λ_k                               λ₁ ≥ λ₂ ≥ … the eigenvalues of S = XᵀX/n
(20.13)  P        = ((S − 1)W + F − S)/2                      the width stays W; (F − 1)/2 only for S = 1
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from mlcore.numerics import need_shapes, softmax


def correlate(X, k, S=1, P=0):
    """Y (20.1) of the image X, padded with P zeros on every side, at every S-th place."""
    _fits("correlate", np.shape(X), np.shape(k), P)
    windows = sliding_window_view(np.pad(X, P), k.shape)[::S, ::S]
    return np.tensordot(windows, k, 2)


def output_size(W, F, P, S):
    """W₂ (20.2)."""
    return (W - F + 2 * P) // S + 1


def parameters(W, H, C, F, K):
    """Parameters of a convolutional and of a fully connected layer with K outputs (20.3)."""
    return K * (F**2 * C + 1), K * (W * H * C + 1)


def conv(X, k, b):
    """A layer (20.4): (n, C, H, W) to (n, K, H − F + 1, W − F + 1)."""
    need_shapes(f"convolution.conv: X (n, {k.shape[1]}, H, W)", X)
    _fits("conv", X.shape[2:], k.shape[2:], 0)
    return np.moveaxis(np.tensordot(_windows(X, k), k, ([1, 4, 5], [1, 2, 3])), -1, 1) + b[:, None, None]


def max_pool(X, S):
    """The maximum of every S × S window (20.5), in the last two axes; a rest that fills no window is left out."""
    return _blocks(X, S).max(axis=(-3, -1))


def kernel_gradient(X, k, G):
    """∂c/∂k (20.6) of a layer: the shape of k."""
    return np.tensordot(G, _windows(X, k), ([0, 2, 3], [0, 2, 3]))


def input_gradient(X, k, G):
    """∂c/∂X (20.7) of a layer: the shape of X."""
    around = [(F - 1, F - 1) for F in k.shape[2:]]
    padded, flipped = np.pad(G, [(0, 0), (0, 0), *around]), k[:, :, ::-1, ::-1]
    return np.moveaxis(np.tensordot(_windows(padded, k), flipped, ([1, 4, 5], [0, 2, 3])), -1, 1)


def pool_gradient(X, G, S):
    """∂c/∂X (20.8) of max-pooling: the shape of X."""
    blocks = np.moveaxis(_blocks(X, S), -3, -2)  # (…, h, w, S, S)
    flat = blocks.reshape(*blocks.shape[:-2], S * S)
    found = np.zeros_like(flat, dtype=float)
    np.put_along_axis(found, flat.argmax(axis=-1)[..., None], G[..., None], axis=-1)
    back = np.zeros(np.shape(X))
    h, w = G.shape[-2:]
    back[..., : h * S, : w * S] = np.moveaxis(found.reshape(blocks.shape), -2, -3).reshape(*X.shape[:-2], h * S, w * S)
    return back


# --- a small network: convolution, ReLU, 2 × 2 max-pooling, softmax ---


@dataclass(frozen=True, eq=False)
class Net:
    """Filters k (K, 1, F, F) with biases b (K,), and the last layer V (10, K·h·w) with biases c (10,)."""

    k: np.ndarray
    b: np.ndarray
    V: np.ndarray
    c: np.ndarray


def initial(rng, K=8, F=3, size=8):
    """A net for images of size × size and ten classes."""
    features = K * ((size - F + 1) // 2) ** 2
    k = rng.normal(size=(K, 1, F, F)) * np.sqrt(2) / F
    return Net(k, np.zeros(K), rng.normal(size=(10, features)) / np.sqrt(features), np.zeros(10))


def scores(net, X):
    """z of (20.9) for images (n, 1, H, W): shape (n, 10)."""
    return _layers(net, X)[-1]


def loss(net, X, y):
    """The sum of −log softmax(z)_y over the images."""
    return -np.sum(np.log(softmax(scores(net, X))[np.arange(len(y)), y]))


def gradients(net, X, y):
    """The gradient of the loss by every part of the net: a Net, by (20.9), (20.8) and (20.6)."""
    Z, pooled, features, z = _layers(net, X)
    delta = softmax(z)
    delta[np.arange(len(y)), y] -= 1
    G = pool_gradient(np.maximum(Z, 0), (delta @ net.V).reshape(pooled.shape), 2) * (Z > 0)
    return Net(kernel_gradient(X, net.k, G), G.sum(axis=(0, 2, 3)), delta.T @ features, delta.sum(axis=0))


def train(net, X, y, eta, batches):
    """The states of stochastic gradient descent on the mean loss; every batch holds row numbers."""
    yield net
    for batch in batches:
        g = gradients(net, X[batch], y[batch])
        step = eta / len(batch)
        net = Net(net.k - step * g.k, net.b - step * g.b, net.V - step * g.V, net.c - step * g.c)
        yield net


# --- autoencoders ---


def autoencoder_loss(X, E, D):
    """J (20.10) for centred X."""
    return np.sum((X - X @ E @ D) ** 2) / len(X)


def autoencoder_gradient(X, E, D):
    """∂J/∂E and ∂J/∂D (20.11): the shapes of E and D."""
    H = X @ E
    R = 2 / len(X) * (H @ D - X)
    return X.T @ (R @ D.T), H.T @ R


def code_floor(X, K):
    """The smallest J with K numbers for each point (20.12)."""
    return np.sum(np.linalg.eigvalsh(X.T @ X / len(X))[: X.shape[1] - K])


def same_padding(W, F, S):
    """The P that keeps the width W at stride S (20.13)."""
    return ((S - 1) * W + F - S) / 2


def _layers(net, X):
    Z = conv(X, net.k, net.b)
    pooled = max_pool(np.maximum(Z, 0), 2)
    features = pooled.reshape(len(X), -1)
    return Z, pooled, features, features @ net.V.T + net.c


def _windows(X, k):
    """Every window of the size of k: (n, C, H − F + 1, W − F + 1, F, F), without a copy."""
    return sliding_window_view(X, k.shape[-2:], axis=(-2, -1))


def _blocks(X, S):
    """(…, H, W) as (…, h, S, w, S): blocks that do not overlap."""
    h, w = np.shape(X)[-2] // S, np.shape(X)[-1] // S
    return X[..., : h * S, : w * S].reshape(*X.shape[:-2], h, S, w, S)


def _fits(name, image, kernel, P):
    if len(image) != len(kernel) or any(side + 2 * P < F for side, F in zip(image, kernel, strict=True)):
        raise ValueError(f"convolution.{name}: a kernel of shape {kernel} does not fit into an image of shape {image}")
