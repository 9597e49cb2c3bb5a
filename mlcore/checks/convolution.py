"""The exercises of 20 convolution."""

import numpy as np

from mlcore import convolution
from mlcore.engine.exercises import (
    SAME_THERE,
    Alternative,
    Chain,
    Checks,
    Choice,
    Explanation,
    Function,
    Hint,
    Law,
    Line,
    Mistake,
    Option,
    Property,
    Slip,
    Topic,
    exactly,
)

# --- one kernel, one image ---


def _patches(rng):
    """Oblong images and oblong kernels, so that an exchanged axis shows; the corners of a kernel differ in sign."""
    made = []
    for X, k in (((3, 4), (2, 3)), ((6, 5), (3, 2)), ((5, 7), (3, 3))):
        kernel = rng.integers(1, 6, k).astype(float)
        kernel[0, 0] *= -1
        made.append((rng.integers(-4, 5, X).astype(float), kernel))
    return made


def _loops(X, k):
    rows, columns = X.shape[0] - k.shape[0] + 1, X.shape[1] - k.shape[1] + 1
    Y = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            Y[i, j] = np.sum(k * X[i : i + k.shape[0], j : j + k.shape[1]])
    return Y


def _by_taps(X, k):
    rows, columns = X.shape[0] - k.shape[0] + 1, X.shape[1] - k.shape[1] + 1
    return sum(k[a, b] * X[a : a + rows, b : b + columns] for a, b in np.ndindex(k.shape))


correlate_image = Function(
    "correlate_image",
    asks="Slide the kernel",
    points=2,
    reference=lambda X, k: convolution.correlate(X, k),
    cases=_patches,
    forbids=(convolution.correlate, convolution.conv),
    mistakes=[
        Mistake(
            "Networks correlate; the flip belongs to signal processing. Here the kernel was turned by 180°.",
            lambda X, k: _loops(X, k[::-1, ::-1]),
        ),
        Mistake(
            "No padding is asked for: only places where the whole kernel lies inside X count.",
            lambda X, k: _loops(
                np.pad(X, [((F - 1) // 2, F // 2) for F in k.shape]),
                k,
            ),
        ),
        Mistake(
            "The last row and column are missing: the kernel fits at H − F + 1 places, not H − F.",
            lambda X, k: _loops(X, k)[:-1, :-1],
        ),
        Mistake("This is the mean over the window. The sum is asked for.", lambda X, k: _loops(X, k) / k.size),
        Mistake(
            "The windows were added up without their weights: multiply each by the kernel first.",
            lambda X, k: _loops(X, np.ones_like(k)),
        ),
        Mistake(
            "Rows and columns of the answer are exchanged: i counts rows, j columns.",
            lambda X, k: _loops(X, k).T,
        ),
    ],
    alternatives=[
        Alternative(_loops),
        Alternative(_by_taps),
        Alternative(lambda X, k: np.einsum("ijab,ab", np.lib.stride_tricks.sliding_window_view(X, k.shape), k)),
    ],
    hints=(
        Hint("How many places are there?", "A kernel of height $F$ fits at $H-F+1$ rows: try $H=F$ first."),
        Hint(
            "What happens at one place?",
            "Cut out `X[i : i + F, j : j + F]`, multiply it by `k` entry by entry, add up.",
        ),
        Hint("The kernel is not square.", "`k.shape` has two numbers: one for the rows, one for the columns."),
    ),
    see="Equation (20.1): at every place the sum of kernel times window.",
)

conv_size = Function(
    "conv_size",
    asks="How wide is the output?",
    points=1,
    reference=convolution.output_size,
    cases=lambda rng: [
        (int(rng.integers(8, 14)) * 2, 3, 1, 2),
        (int(rng.integers(8, 14)) * 2 + 1, 3, 1, 2),
        (int(rng.integers(20, 40)), 6, 2, 1),
        (int(rng.integers(10, 30)) * 3, 4, 3, 3),
        (int(rng.integers(10, 30)) * 4 + 1, 7, 0, 4),
    ],
    compare=exactly,
    mistakes=[
        Mistake(
            "Count positions, not steps: the first window is there before any step.",
            lambda W, F, P, S: (W - F + 2 * P) // S,
        ),
        Mistake("Padding is added on both sides.", lambda W, F, P, S: (W - F + P) // S + 1),
        Mistake(
            "A window that does not fit is left out: round down, the number of places is whole.",
            lambda W, F, P, S: (W - F + 2 * P) / S + 1,
        ),
        Mistake(
            "The last step may not reach the edge: round down, not up.",
            lambda W, F, P, S: -((F - W - 2 * P) // S) + 1,
        ),
        Mistake(
            "The stride does not come in: this is the number of places for S = 1.", lambda W, F, P, S: W - F + 2 * P + 1
        ),
        Mistake(
            "The 1 was added before the division: (steps)/S + 1, in this order.",
            lambda W, F, P, S: (W - F + 2 * P + 1) // S,
        ),
    ],
    alternatives=[
        Alternative(lambda W, F, P, S: len(range(0, W + 2 * P - F + 1, S))),
        Alternative(lambda W, F, P, S: int(np.floor((W + 2 * P - F) / S)) + 1),
        Alternative(lambda W, F, P, S: convolution.correlate(np.ones((W, W)), np.ones((F, F)), S, P).shape[0]),
    ],
    hints=(
        Hint("How wide is the padded row?", "$W+2P$: zeros on the left and on the right."),
        Hint(
            "Where can the window begin?",
            "At 0, S, 2S, … as long as its end, F further on, is still inside. How many such places are there?",
        ),
    ),
    see="Equation (20.2): the steps that fit into W + 2P − F, and one more for the start.",
)


# --- parameters ---


def _volumes(rng):
    """All sizes even, all odd, and some of either; C and F differ."""

    def sizes(odd):
        W, H, K = rng.integers([3, 3, 1], [20, 20, 3])
        C, F = rng.permutation([1, 2])
        return tuple(int(v) for v in 2 * np.array([W, H, C, F, K]) + odd)

    return [sizes(0), sizes(1), sizes(rng.integers(0, 2, 5))]


def _count(conv=lambda C, F, K: F**2 * C * K + K, dense=lambda W, H, C, F, K: W * H * C * K + K):
    return lambda W, H, C, F, K: (conv(C, F, K), dense(W, H, C, F, K))


layer_parameters = Function(
    "layer_parameters",
    asks="What sharing saves",
    points=1,
    reference=convolution.parameters,
    returns=("conv", "dense"),
    cases=_volumes,
    compare=exactly,
    mistakes=[
        Mistake("conv: One bias per filter. None is counted.", _count(conv=lambda C, F, K: F**2 * C * K)),
        Mistake("conv: One bias per filter, not per layer.", _count(conv=lambda C, F, K: F**2 * C * K + 1)),
        Mistake("conv: A filter extends over all input channels.", _count(conv=lambda C, F, K: F**2 * K + K)),
        Mistake("conv: A filter has F² weights for each channel, not F.", _count(conv=lambda C, F, K: F * C * K + K)),
        Mistake("dense: Add K biases.", _count(dense=lambda W, H, C, F, K: W * H * C * K)),
        Mistake(
            "dense: A fully connected layer does not share weights: this is the convolutional layer once more.",
            _count(dense=lambda W, H, C, F, K: F**2 * C * K + K),
        ),
        Mistake("dense: Every pixel has C channels.", _count(dense=lambda W, H, C, F, K: W * H * K + K)),
    ],
    alternatives=[
        Alternative(lambda W, H, C, F, K: (K * (F * F * C + 1), K * (W * H * C + 1))),
        Alternative(lambda W, H, C, F, K: (np.zeros((K, C, F, F)).size + K, np.zeros((K, C, H, W)).size + K)),
    ],
    hints=(
        Hint("What does one filter look at?", "A window of F × F pixels in all C channels, plus one bias."),
        Hint("And one unit of the fully connected layer?", "At the whole image: W × H × C numbers, plus one bias."),
    ),
    see="Equation (20.3): one filter has F²C weights, one unit WHC, and each has a bias.",
)


# --- a layer with channels ---


def _layers(rng):
    shapes = (((1, 3, 4), (2, 1, 2, 2)), ((2, 4, 5), (3, 2, 3, 3)), ((3, 5, 4), (2, 3, 2, 2)))
    return [
        (rng.normal(size=X), rng.normal(size=k), rng.uniform(1, 3, k[0]) * np.where(np.arange(k[0]) % 2, -1, 1))
        for X, k in shapes
    ]


def _layer(X, k, b):
    return np.array([sum(_loops(x, kc) for x, kc in zip(X, ks, strict=True)) + bk for ks, bk in zip(k, b, strict=True)])


conv_layer = Function(
    "conv_layer",
    asks="A layer with channels",
    points=2,
    reference=lambda X, k, b: convolution.conv(X[None], k, b)[0],
    cases=_layers,
    forbids=(convolution.conv,),
    mistakes=[
        Mistake("The biases are missing: every filter adds its own.", lambda X, k, b: _layer(X, k, 0 * b)),
        Mistake(
            "The bias was added once for each channel. A filter has one.",
            lambda X, k, b: _layer(X, k, len(X) * b),
        ),
        Mistake(
            "This is the mean over the channels: their answers are added.",
            lambda X, k, b: _layer(X, k / len(X), b),
        ),
        Mistake(
            "Every filter used the first channel only.",
            lambda X, k, b: np.array([_loops(X[0], ks[0]) + bk for ks, bk in zip(k, b, strict=True)]),
        ),
        Mistake(
            "Every filter used its first kernel for all channels: it has one for each.",
            lambda X, k, b: np.array([_loops(X.sum(axis=0), ks[0]) + bk for ks, bk in zip(k, b, strict=True)]),
        ),
        Mistake(
            "Networks correlate; the flip belongs to signal processing.",
            lambda X, k, b: _layer(X, k[:, :, ::-1, ::-1], b),
        ),
    ],
    alternatives=[
        Alternative(_layer),
        Alternative(
            lambda X, k, b: (
                np.einsum("cijab,kcab->kij", np.lib.stride_tricks.sliding_window_view(X, k.shape[2:], axis=(1, 2)), k)
                + b[:, None, None]
            )
        ),
    ],
    hints=(
        Hint(
            "What does filter k do?",
            "It correlates every channel with its own kernel, adds the answers, adds its bias.",
        ),
        Hint("What do I loop over?", "Filters and channels. For each pair, your `correlate_image` does the rest."),
    ),
    see="Equation (20.4): a sum over the channels of (20.1), plus the filter's bias.",
)


# --- pooling ---


def _pooled(rng):
    """Negative entries too: a maximum that starts at 0 shows."""
    return [
        (rng.permutation(H * W).reshape(H, W) - shift, S)
        for H, W, S, shift in ((2, 6, 2, 9.0), (6, 12, 3, 60.0), (8, 10, 2, 90.0))
    ]


def _pool(X, S, f):
    return f(X.reshape(X.shape[0] // S, S, X.shape[1] // S, S), axis=(1, 3))


max_pooling = Function(
    "max_pooling",
    asks="Max-pooling",
    points=1,
    reference=convolution.max_pool,
    cases=_pooled,
    mistakes=[
        Mistake("Take the maximum. This is the average of every window.", lambda X, S: _pool(X, S, np.mean)),
        Mistake(
            "Windows must not overlap: the next one begins S further on.",
            lambda X, S: np.lib.stride_tricks.sliding_window_view(X, (S, S)).max(axis=(2, 3)),
        ),
        Mistake("This is the minimum.", lambda X, S: _pool(X, S, np.min)),
        Mistake(
            "The search for the maximum began at 0: a window of negative numbers has a negative maximum.",
            lambda X, S: np.maximum(_pool(X, S, np.max), 0),
        ),
        Mistake(
            "This keeps the first pixel of every window, not the largest.",
            lambda X, S: X[::S, ::S],
        ),
        Mistake(
            "Only the rows were pooled: the window is S × S.",
            lambda X, S: X.reshape(X.shape[0] // S, S, X.shape[1]).max(axis=1),
        ),
    ],
    alternatives=[
        Alternative(lambda X, S: _pool(X, S, np.max)),
        Alternative(
            lambda X, S: [
                [X[i : i + S, j : j + S].max() for j in range(0, X.shape[1], S)] for i in range(0, X.shape[0], S)
            ]
        ),
    ],
    hints=(
        Hint("Where do the windows begin?", "In row 0, S, 2S, … and column 0, S, 2S, …"),
        Hint("Is there a way without loops?", "`X.reshape(H // S, S, W // S, S)` has the windows in axes 1 and 3."),
    ),
    see="Equation (20.5): the maximum of every S × S window.",
)


def _moved(X):
    """One pixel to the right and one down; zeros come in."""
    return np.pad(X, ((1, 0), (1, 0)))[:-1, :-1]


def _ink(X):
    return convolution.max_pool(X, 2).sum()


_BINARY = "A 6 × 6 image of zeros and ones is asked for."
_BLANK = "The pooled image is empty before the shift: there has to be some ink."
_LOST = "The shift pushes ink over the edge: keep the last row and column empty."
_FEW = (
    "After the shift the pooled image has fewer than four times as many ones. Let the ink fill one window, so that "
    "the shift spreads it over four."
)

pooled_shift = Property(
    "pooled_shift",
    asks="A small step, a large change",
    points=1,
    laws=[
        Law(_BINARY, lambda X: X.shape == (6, 6) and bool(np.isin(X, (0, 1)).all())),
        Law(_BLANK, lambda X: _ink(X) > 0),
        Law(_LOST, lambda X: not X[-1].any() and not X[:, -1].any()),
        Law(_FEW, lambda X: _ink(_moved(X)) >= 4 * _ink(X)),
    ],
    mistakes=[
        Mistake(_BINARY, np.eye(4)),
        Mistake(_BINARY, np.full((6, 6), 0.5)),
        Mistake(_BLANK, np.zeros((6, 6))),
        Mistake(_LOST, np.ones((6, 6))),
        Mistake(_FEW, np.pad([[1.0]], ((2, 3), (2, 3)))),
        Mistake(_FEW, np.pad(np.ones((2, 2)), ((1, 3), (1, 3)))),
        Mistake(_FEW, np.pad(np.ones((1, 4)), ((2, 3), (0, 2)))),
    ],
    alternatives=[
        Alternative(np.pad(np.ones((2, 2)), ((2, 2), (2, 2)))),
        Alternative(np.pad(np.eye(2)[::-1] + np.eye(2), ((0, 4), (2, 2))).tolist()),
        Alternative(np.array([[int({i // 2, j // 2} <= {0} and i < 5) for j in range(6)] for i in range(6)])),
    ],
    hints=(
        Hint(
            "Where do the windows lie?",
            "Rows 0–1, 2–3, 4–5, and the same for the columns. They do not move with the ink.",
        ),
        Hint(
            "What is spread by the shift?",
            "A block of 2 × 2 ones that fills one window has a corner in four afterwards.",
        ),
    ),
    see="The section *Break it*: a block that fills one window before the shift touches four after it.",
)


# --- derivatives of a convolution ---


def _line_1(k, x, g):
    return sum(g[i] * sum(k[a] * x[i + a] for a in range(len(k))) for i in range(len(g)))


def _line_2(k, x, g):
    return np.array([[g[i] * k[a] * x[i + a] for a in range(len(k))] for i in range(len(g))])


def _line_3(k, x, g):
    return np.array([[g[i] * x[i + a] for a in range(len(k))] for i in range(len(g))])


def _signals(rng):
    cases = []
    for n, F in ((4, 2), (7, 3), (9, 4)):
        k, x, g = (rng.uniform(0.5, 2, size) * rng.choice([-1, 1], size) for size in (F, n, n - F + 1))
        x[0], g[-1] = -abs(x[0]), -abs(g[-1])
        cases.append((k, x, g))
    return cases


def _windows(k, x, g):
    return np.lib.stride_tricks.sliding_window_view(x, len(k))


shared_chain = Chain(
    "shared_chain",
    asks="Derivatives of shared weights",
    first=_line_1,
    lines=[
        Line(
            does="write out all products that c adds up: row i holds those of place i, column a those of weight kₐ; "
            "shape (len g, F)",
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The kernel is flipped: kₐ meets x at i + a.",
                    lambda k, x, g: g[:, None] * k * _windows(k, x, g)[:, ::-1],
                ),
                Mistake(
                    "The factor g is missing: every output comes with its own gᵢ.",
                    lambda k, x, g: k * _windows(k, x, g),
                ),
                Mistake(
                    "At each place all weights meet the same input: kₐ is a steps further on, at i + a.",
                    lambda k, x, g: np.outer(g * x[: len(g)], k),
                ),
                Mistake(
                    "All places see the first window: the window of place i begins at xᵢ.",
                    lambda k, x, g: np.outer(g, k * x[: len(k)]),
                ),
                Mistake(
                    "The factor k is missing: the product of place i and weight a holds kₐ.",
                    lambda k, x, g: g[:, None] * _windows(k, x, g),
                ),
                Mistake(
                    "The factor x is missing: the product of place i and weight a holds xᵢ₊ₐ.",
                    lambda k, x, g: np.outer(g, k),
                ),
                Mistake(
                    "The weights are turned round: the column of kₐ holds kₐ, and x at i + a.",
                    lambda k, x, g: g[:, None] * k[::-1] * _windows(k, x, g),
                ),
            ],
        ),
        Line(
            does="differentiate by the weights, before anything is added up: entry (i, a) is what kₐ gets from place "
            "i; shape (len g, F)",
            reference=_line_3,
            undo=lambda here, k, x, g: here * k,
            mistakes=[
                Mistake(
                    "The weight itself is still there: the derivative of kₐ·s by kₐ is s.",
                    _line_2,
                ),
                Mistake(
                    "This is the derivative by the inputs: kₐ goes, and x stays.",
                    lambda k, x, g: np.outer(g, k),
                ),
                Mistake(
                    "The factor g is missing: every output comes with its own gᵢ.",
                    lambda k, x, g: 1.0 * _windows(k, x, g),
                ),
                Mistake(
                    "This is the derivative by g: kₐ goes, and gᵢ stays.",
                    lambda k, x, g: k * _windows(k, x, g),
                ),
                Mistake(
                    "The factor x is missing: what stands beside kₐ in its product is gᵢ and xᵢ₊ₐ.",
                    lambda k, x, g: np.outer(g, np.ones(len(k))),
                ),
                Mistake(
                    "The kernel is flipped: kₐ meets x at i + a.",
                    lambda k, x, g: g[:, None] * _windows(k, x, g)[:, ::-1],
                ),
                Mistake(
                    "At each place all weights meet the same input: kₐ is a steps further on, at i + a.",
                    lambda k, x, g: np.outer(g * x[: len(g)], np.ones(len(k))),
                ),
                Mistake(
                    "Every row has the sum over all places already. Asked is what is added up, one row for each place.",
                    lambda k, x, g: np.ones((len(g), 1)) * (g @ _windows(k, x, g)),
                ),
                Mistake(
                    "This is divided by the number of places: c is a sum over them, not a mean.",
                    lambda k, x, g: g[:, None] * _windows(k, x, g) / len(g),
                ),
                Mistake(
                    "This is multiplied by the number of weights: each product holds one of them, once.",
                    lambda k, x, g: g[:, None] * _windows(k, x, g) * len(k),
                ),
            ],
        ),
    ],
    cases=_signals,
    forbids=(convolution.kernel_gradient, convolution.input_gradient),
    alternatives=[
        Alternative(lambda k, x, g: [g[i] * k * x[i : i + len(k)] for i in range(len(g))], part=0),
        Alternative(lambda k, x, g: np.diag(g) @ _windows(k, x, g) @ np.diag(k), part=0),
        Alternative(lambda k, x, g: g[:, None] * _windows(k, x, g), part=1),
        Alternative(lambda k, x, g: np.stack([g * x[a : a + len(g)] for a in range(len(k))], axis=1), part=1),
    ],
    hints=(
        Hint(
            "Which products are there?",
            r"$\sum_ig_i\sum_ak_ax_{i+a}=\sum_i\sum_ag_ik_ax_{i+a}$: one for each pair of a place $i$ and a weight "
            "$a$. `x[i : i + len(k)]` is the window of place $i$.",
        ),
        Hint(
            "How do I differentiate so many terms?",
            "One by one: each product contains one weight only, that of its column.",
        ),
    ),
    see="The section *Backwards*: a weight is used at many places, and gets something back from each of them.",
)


# The other way: one input lies in many windows.


def _input_2(k, x, g):
    padded = np.concatenate([np.zeros(len(k) - 1), g, np.zeros(len(k) - 1)])
    return np.array([[k[a] * padded[len(k) - 1 + j - a] * x[j] for a in range(len(k))] for j in range(len(x))])


def _input_3(k, x, g):
    padded = np.concatenate([np.zeros(len(k) - 1), g, np.zeros(len(k) - 1)])
    return np.array([[k[a] * padded[len(k) - 1 + j - a] for a in range(len(k))] for j in range(len(x))])


def _by_inputs(k, x, g, place):
    """k[a] in row j and column a, times the g of the place that meets them there, if there is one."""
    found = np.zeros((len(x), len(k)))
    for j, a in np.ndindex(found.shape):
        if -len(g) <= place(j, a) < len(g):
            found[j, a] = k[a] * g[place(j, a)]
    return found


def _diagonals(k, x, g):
    """The products of g and k, each column one step lower than the one before it."""
    products = np.vstack([np.outer(g, k), np.zeros((len(k) - 1, len(k)))])
    return np.stack([np.roll(products[:, a], a) for a in range(len(k))], axis=1)


def _derived_in_their_places(own, k, x, g):
    """Line 3 by the inputs, made of a line 2 that is sorted by places: row i has the window of place i."""
    windows = np.pad(_windows(k, x, g), ((0, len(k) - 1), (0, 0)), constant_values=1)
    return own[0] / windows


def _filled(products, x):
    """What belongs to place i and weight a, in row i + a."""
    found = np.zeros((len(x), products.shape[1]))
    for i, a in np.ndindex(products.shape):
        found[i + a, a] = products[i, a]
    return found


def _only_inside(j, a, F):
    """j − a, but no place at all for the first inputs, which lie in fewer than F windows."""
    return j - a if j >= F - 1 else 10**9


def _turned(k, x, g):
    """Line 3 with the weights in the other order, and every g where it was."""
    return _input_3(np.ones_like(k), x, g) * k[::-1]


def _nearest(k, x, g):
    """Line 3, with the g of the first or the last window where there is none."""
    return k * g[np.clip(np.arange(len(x))[:, None] - np.arange(len(k)), 0, len(g) - 1)]


input_chain = Chain(
    "input_chain",
    asks="Derivatives of shared inputs",
    first=_line_1,
    lines=[
        Line(
            does="sort the same products by their inputs: entry (j, a) is the one that holds xⱼ and kₐ, and 0 if there "
            "is none; shape (len x, F)",
            reference=_input_2,
            mistakes=[
                Mistake(
                    "The g belongs to another window: xⱼ meets kₐ in the window that begins at j − a, not at j + a.",
                    lambda k, x, g: x[:, None] * _by_inputs(k, x, g, lambda j, a: j + a),
                ),
                Mistake(
                    "g[j − a] with a negative index is taken from the end of g: before the first window there is none.",
                    lambda k, x, g: x[:, None] * _by_inputs(k, x, g, lambda j, a: j - a),
                ),
                Mistake(
                    "The first inputs are missing: they lie in fewer windows, but they do lie in some.",
                    lambda k, x, g: x[:, None] * _by_inputs(k, x, g, lambda j, a: _only_inside(j, a, len(k))),
                ),
                Mistake(
                    "The factor g is missing: every window comes with its own gᵢ.",
                    lambda k, x, g: _input_2(k, x, np.ones_like(g)),
                ),
                Mistake(
                    "The factor k is missing: entry (j, a) holds kₐ.",
                    lambda k, x, g: _input_2(np.ones_like(k), x, g),
                ),
                Mistake(
                    "The factor x is missing: entry (j, a) holds xⱼ.",
                    lambda k, x, g: _input_3(k, x, g),
                ),
                Mistake(
                    "The weights are turned round: column a holds kₐ, and the g of the window that begins at j − a.",
                    lambda k, x, g: x[:, None] * _turned(k, x, g),
                ),
                Mistake(
                    "These are sorted by their places, as in 20g: the product of place i and weight a holds xᵢ₊ₐ, "
                    "and belongs to row i + a.",
                    lambda k, x, g: np.pad(_line_2(k, x, g), ((0, len(k) - 1), (0, 0))),
                ),
                Mistake(
                    "Before the first window and after the last one there is none: there the entry is 0, not the g "
                    "of the nearest window.",
                    lambda k, x, g: x[:, None] * _nearest(k, x, g),
                ),
            ],
        ),
        Line(
            does="differentiate by the inputs, before anything is added up: entry (j, a) is what xⱼ gets through kₐ; "
            "shape (len x, F)",
            reference=_input_3,
            undo=lambda here, k, x, g: here * x[:, None],
            since=_derived_in_their_places,
            mistakes=[
                Mistake(
                    "The input itself is still there: the derivative of xⱼ·s by xⱼ is s.",
                    _input_2,
                ),
                Mistake(
                    "This is the derivative by the weights: xⱼ goes, and kₐ stays.",
                    lambda k, x, g: _input_2(np.ones_like(k), x, g),
                ),
                Mistake(
                    "The factor g is missing: every window comes with its own gᵢ.",
                    lambda k, x, g: _input_3(k, x, np.ones_like(g)),
                ),
                Mistake(
                    "The factor k is missing: what stands beside xⱼ in its product is kₐ and a g.",
                    lambda k, x, g: _input_3(np.ones_like(k), x, g),
                ),
                Mistake(
                    "The weights are turned round: column a holds kₐ, and the g of the window that begins at j − a.",
                    lambda k, x, g: _turned(k, x, g),
                ),
                Mistake(
                    "Before the first window and after the last one there is none: there the entry is 0, not the g "
                    "of the nearest window.",
                    lambda k, x, g: _nearest(k, x, g),
                ),
                Mistake(
                    "The g belongs to another window: xⱼ meets kₐ in the window that begins at j − a, not at j + a.",
                    lambda k, x, g: _by_inputs(k, x, g, lambda j, a: j + a),
                ),
            ],
        ),
    ],
    cases=_signals,
    forbids=(convolution.kernel_gradient, convolution.input_gradient),
    alternatives=[
        Alternative(lambda k, x, g: x[:, None] * _diagonals(k, x, g), part=0),
        Alternative(lambda k, x, g: _filled(g[:, None] * k * _windows(k, x, g), x), part=0),
        Alternative(
            lambda k, x, g: np.stack(
                [np.concatenate([np.zeros(a), k[a] * g, np.zeros(len(k) - 1 - a)]) * x for a in range(len(k))], axis=1
            ),
            part=0,
        ),
        Alternative(_diagonals, part=1),
        Alternative(lambda k, x, g: _filled(np.outer(g, k), x), part=1),
        Alternative(lambda k, x, g: _by_padding(k, x, g), part=1),
    ],
    hints=(
        Hint(
            "Which windows contain xⱼ?",
            r"$x_j$ is $x_{i+a}$ for $i=j-a$: one window for each $a$, as long as this $i$ is a place of the kernel, "
            r"$0\le i<$ `len(g)`.",
        ),
        Hint(
            "How do I fill the array?",
            "Start from zeros. Go through all places $i$ and weights $a$, and write each product into row $i+a$.",
        ),
    ),
    see="The section *Backwards*: an input lies in many windows, and gets something back from each of them.",
)


def _by_padding(k, x, g):
    """Windows of g between zeros, read backwards."""
    padded = np.pad(g, len(k) - 1)
    return np.lib.stride_tricks.sliding_window_view(padded, len(k))[:, ::-1] * k


def _conv_back(X, k, G):
    X4, k4, G4 = X[None, None], k[None, None], G[None, None]
    return convolution.kernel_gradient(X4, k4, G4)[0, 0], convolution.input_gradient(X4, k4, G4)[0, 0]


def _backward_cases(rng):
    cases = []
    for X, k in (((3, 3), (2, 2)), ((5, 6), (3, 2)), ((6, 4), (2, 3))):
        out = (X[0] - k[0] + 1, X[1] - k[1] + 1)
        cases.append((rng.normal(size=X), rng.normal(size=k), rng.normal(size=out)))
    return cases


def _full(G, k):
    return _loops(np.pad(G, [(F - 1, F - 1) for F in k.shape]), k[::-1, ::-1])


def _by_windows(X, k, G):
    dk, dX = np.zeros_like(k), np.zeros_like(X)
    for i, j in np.ndindex(G.shape):
        here = np.s_[i : i + k.shape[0], j : j + k.shape[1]]
        dk += G[i, j] * X[here]
        dX[here] += G[i, j] * k
    return dk, dX


conv_gradient = Function(
    "conv_gradient",
    asks="Backwards through a convolution",
    points=2,
    reference=_conv_back,
    returns=("dk", "dX"),
    cases=_backward_cases,
    forbids=(convolution.kernel_gradient, convolution.input_gradient),
    mistakes=[
        Mistake(
            "dX: the kernel has to be flipped on the way back: pixel (p, q) met k_ab in the window at (p − a, q − b).",
            lambda X, k, G: (_loops(X, G), _full(G, k[::-1, ::-1])),
        ),
        Mistake(
            "dk: this is turned by 180°. The weight k_ab collects from the pixels that are a down and b to the right.",
            lambda X, k, G: (_loops(X, G)[::-1, ::-1], _full(G, k)),
        ),
        Mistake(
            "dX: windows overlap, and a later one overwrote the earlier. Use +=.",
            lambda X, k, G: (_loops(X, G), _overwrite(X, k, G)),
        ),
        Mistake(
            "dk: this is the mean over the places. A shared weight collects the sum.",
            lambda X, k, G: (_loops(X, G) / G.size, _full(G, k)),
        ),
        Mistake(
            "dk: G is missing. Every window of X comes with the G of its place.",
            lambda X, k, G: (_loops(X, np.ones_like(G)), _full(G, k)),
        ),
        Mistake(
            "The two results are in the wrong order: first the kernel's, then the image's.",
            lambda X, k, G: (_full(G, k), _loops(X, G)),
        ),
    ],
    alternatives=[
        Alternative(_by_windows),
        Alternative(lambda X, k, G: (_loops(X, G), _full(G, k))),
    ],
    hints=(
        Hint(
            "Is there a way without thinking about indices?",
            "Loop over the places (i, j). The output there is the sum of `k` times the window, so the window gets "
            "`G[i, j] * k`, and `k` gets `G[i, j]` times the window. Add with `+=`.",
        ),
        Hint("How do I cut out the window?", "`X[i : i + F, j : j + F]`, and the same slice of the array for dX."),
    ),
    see="Equations (20.6) and (20.7): two dimensions of exercise 20g.",
)


def _overwrite(X, k, G):
    dX = np.zeros_like(X)
    for i, j in np.ndindex(G.shape):
        dX[i : i + k.shape[0], j : j + k.shape[1]] = G[i, j] * k
    return dX


def _with_ties(rng):
    """Windows of negative numbers, of numbers of both signs, and one that holds its maximum twice."""
    cases = []
    for H, W, S, shift, tied in ((2, 4, 2, 8, 50.0), (6, 3, 3, 18, -0.5), (4, 8, 2, 16, 50.0)):
        X = rng.permutation(H * W).reshape(H, W).astype(float) - shift
        X[0, 1] = X[1, 0] = tied  # the first in reading order counts
        cases.append((X, rng.uniform(1, 3, (H // S, W // S)) * rng.choice([-1.0, 1.0], (H // S, W // S)), S))
    return cases


def _spread(G, S):
    return np.kron(G, np.ones((S, S)))


def _by_hand(X, G, S):
    dX = np.zeros_like(X)
    for i, j in np.ndindex(G.shape):
        window = X[i * S : (i + 1) * S, j * S : (j + 1) * S]
        a, b = divmod(int(window.argmax()), S)
        dX[i * S + a, j * S + b] = G[i, j]
    return dX


max_pool_gradient = Function(
    "max_pool_gradient",
    asks="Backwards through max-pooling",
    points=2,
    reference=convolution.pool_gradient,
    cases=_with_ties,
    mistakes=[
        Mistake(
            "Every pixel of the window received the gradient: only the maximum changes the output.",
            lambda X, G, S: _spread(G, S),
        ),
        Mistake(
            "The gradient was shared equally: that is average pooling.",
            lambda X, G, S: _spread(G, S) / S**2,
        ),
        Mistake(
            "With a tie both pixels received the whole gradient. The first in reading order gets it.",
            lambda X, G, S: (_spread(convolution.max_pool(X, S), S) == X) * _spread(G, S),
        ),
        Mistake(
            "With a tie the last pixel received the gradient. The first in reading order gets it.",
            lambda X, G, S: _by_hand(X[::-1, ::-1], G[::-1, ::-1], S)[::-1, ::-1],
        ),
        Mistake(
            "The gradient was multiplied by the pixel's value: the maximum passes through with the factor 1.",
            lambda X, G, S: _by_hand(X, G, S) * X,
        ),
        Mistake(
            "The first pixel of every window received the gradient, whatever its value.",
            lambda X, G, S: np.kron(G, np.pad([[1.0]], ((0, S - 1), (0, S - 1)))),
        ),
        Mistake(
            "The search for the maximum began at 0: a window of negative numbers has a maximum too.",
            lambda X, G, S: _by_hand(X, np.where(convolution.max_pool(X, S) > 0, G, 0.0), S),
        ),
    ],
    alternatives=[
        Alternative(_by_hand),
        Alternative(lambda X, G, S: _by_argmax(X, G, S)),
    ],
    hints=(
        Hint(
            "Which pixels matter?", "Wiggle one pixel a little: the output changes only if this pixel is the maximum."
        ),
        Hint(
            "How do I find the place of the maximum?",
            "`window.argmax()` counts through the window in reading order and takes the first of equal ones; "
            "`divmod(…, S)` gives row and column inside the window.",
        ),
    ),
    see="Equation (20.8): the whole gradient goes to the window's first maximum.",
)


def _by_argmax(X, G, S):
    H, W = X.shape
    blocks = X.reshape(H // S, S, W // S, S).transpose(0, 2, 1, 3).reshape(-1, S * S)
    back = np.zeros(blocks.shape)
    back[np.arange(len(blocks)), blocks.argmax(axis=1)] = G.ravel()
    return back.reshape(H // S, W // S, S, S).transpose(0, 2, 1, 3).reshape(H, W)


# --- autoencoders ---


def _coders(rng):
    return [
        (rng.normal(size=(n, d)), rng.normal(size=(d, K)), rng.normal(size=(K, d)))
        for n, d, K in ((2, 3, 1), (7, 4, 2), (5, 6, 3))
    ]


def _coder(factor=2.0, mean=True, sign=1.0):
    def answer(X, E, D):
        R = sign * factor * (X @ E @ D - X) / (len(X) if mean else 1)
        return X.T @ R @ D.T, (X @ E).T @ R

    return answer


autoencoder_slopes = Function(
    "autoencoder_slopes",
    asks="The gradient of an autoencoder",
    points=2,
    reference=convolution.autoencoder_gradient,
    returns=("dE", "dD"),
    cases=_coders,
    mistakes=[
        Mistake("Both are half of it: the derivative of r² is 2r.", _coder(factor=1.0)),
        Mistake("J is a mean: both gradients lack the 1/n.", _coder(mean=False)),
        Mistake("The sign is reversed in both: the residual is XED − X.", _coder(sign=-1.0)),
        Mistake(
            "dE: the residual was not carried back through the decoder: multiply by Dᵀ from the right, here E stands "
            "in its place.",
            lambda X, E, D: (X.T @ (2 / len(X) * (X @ E @ D - X)) @ E, _coder()(X, E, D)[1]),
        ),
        Mistake(
            "dD: the derivative by a weight is its input, and the decoder's input is the code XE. Here Dᵀ stands in "
            "the place of E.",
            lambda X, E, D: (_coder()(X, E, D)[0], (X @ D.T).T @ (2 / len(X) * (X @ E @ D - X))),
        ),
    ],
    alternatives=[
        Alternative(_coder()),
        Alternative(
            lambda X, E, D: (
                2 * (S := X.T @ X / len(X)) @ (E @ D - np.eye(len(S))) @ D.T,
                2 * E.T @ (S @ (E @ D - np.eye(len(S)))),
            )
        ),
    ],
    hints=(
        Hint(
            "What kind of network is this?",
            "One hidden layer without activation and biases: code $H=XE$, output $HD$, and the target is $X$ itself.",
        ),
        Hint(
            "What does (19.6) say?",
            r"With $\Delta=\frac2n(XED-X)$ at the output: the decoder collects $H^\top\Delta$. The error at the code "
            r"is $\Delta D^\top$, and the encoder collects from it with its own input $X$.",
        ),
    ),
    see="Equation (20.11): backpropagation through two linear layers.",
)

nonlinear_code = Choice(
    "nonlinear_code",
    asks="A bent code, a flat decoder",
    points=1,
    options={
        "a": Option(
            "yes, for a suitable σ and enough training",
            wrong="Training cannot leave what the decoder can say. What do all decoded images HD have in common?",
        ),
        "b": Option("no, for no σ and no training"),
        "c": Option(
            "only if σ is invertible, so that no information is lost",
            wrong="The code may keep all information that it likes: the decoder can still only mix K fixed images.",
        ),
    },
    reasons={
        "i": Option(
            "whatever the codes, the decoded images lie in a K-dimensional space, and PCA's is the best of all"
        ),
        "ii": Option(
            "an activation makes the loss non-convex, and gradient descent stops in a local minimum",
            wrong="The loss is non-convex with and without σ. The question is how small it can be, not what is found.",
        ),
        "iii": Option(
            "a sigmoid squeezes the code into (0, 1), which loses scale",
            wrong="The decoder can undo any scale. Try tanh of a tiny code: it is nearly linear.",
        ),
    },
    hints=(
        Hint(
            "What can the decoder produce?",
            "$hD$ is a mixture of the $K$ rows of $D$, whatever the numbers in $h$ are.",
        ),
    ),
    see="Equation (20.12), and what a decoder can produce: mixtures of the K rows of D.",
)


# --- a formula as printed ---

same_width_padding = Slip(
    "same_width_padding",
    asks="The padding that keeps the width",
    points=2,
    printed=lambda W, F, S: (F - 1) / 2,
    reference=convolution.same_padding,
    cases=lambda rng: [  # half of an odd number and of an even one
        (2 * int(rng.integers(3, 15)) + w, 2 * int(rng.integers(1, 5)) + f, S)
        for w, f, S in ((0, 0, 1), (1, 1, 1), (0, 1, 2), (1, 0, 3))
    ],
    admits=lambda W, F, S: np.ndim(W) == np.ndim(F) == np.ndim(S) == 0 and min(W, F, S) >= 1,
    domain="three numbers W, F and S, each at least 1",
    mistakes=[
        Mistake(
            "This is still the printed formula, and it knows nothing of the stride.",
            lambda W, F, S: (F - 1) / 2,
        ),
        Mistake(
            "This is the padding of both sides together: P is that of one.",
            lambda W, F, S: (S - 1) * W + F - S,
        ),
        Mistake(
            "The output has one window more than there are steps: put W − 1 steps into the padded width.",
            lambda W, F, S: (S * W + F - W) / 2,
        ),
        Mistake(
            "The formula was multiplied by the stride: set (20.2) equal to W and solve for P.",
            lambda W, F, S: S * (F - 1) / 2,
        ),
        Mistake(
            "P is rounded: where it is not whole, no padding keeps the width, and the formula should say so.",
            lambda W, F, S: ((S - 1) * W + F - S) // 2,
        ),
        Mistake(SAME_THERE, (32, 5, 1), part=1),
        Mistake(SAME_THERE, (7, 1, 1), part=1),
    ],
    alternatives=[
        Alternative(lambda W, F, S: ((W - 1) * S + F - W) / 2),
        Alternative(lambda W, F, S: (F - 1) / 2 + (S - 1) * (W - 1) / 2),
        Alternative((5, 3, 2), part=1),
    ],
    hints=(
        Hint("Where do I start?", r"With (20.2) and $W_2=W_1=W$, without rounding: $W=\frac{W-F+2P}S+1$."),
        Hint("How do I test it?", "`conv_size(W, F, P, S)` must give W back where P is whole."),
    ),
    see="Equation (20.13): (20.2) with the same width on both sides, solved for P.",
)

scrambled_digits = Explanation(
    "scrambled_digits",
    asks="What the filters assume",
    points=3,
    rubric=(
        "1 point: softmax has one weight for each pixel and class, a permutation of pixels permutes the weights, so it "
        "fits and generalises exactly as before. 1 point: a filter assumes that neighbouring pixels belong together "
        "and that the same pattern means the same everywhere; scrambling destroys both, and pooling then merges pixels "
        "that have nothing to do with each other. 1 point: what follows: sharing is an assumption that saves "
        "parameters and data where it holds and costs accuracy where it does not; an example of data without such an "
        "order (a table of patients) or with it (sound, images)."
    ),
)

topic = Topic(
    number=20,
    slug="convolution",
    title="Convolution",
    question="How can a network see a digit without learning it anew at every place?",
    part="Trees and networks",
    minutes=90,
    before={
        "backprop": "backpropagation",
        "softmax": "softmax",
        "pca": "for the last part, principal components",
    },
    exercises=[
        correlate_image,
        conv_size,
        layer_parameters,
        conv_layer,
        max_pooling,
        pooled_shift,
        shared_chain,
        input_chain,
        conv_gradient,
        max_pool_gradient,
        autoencoder_slopes,
        nonlinear_code,
        same_width_padding,
        scrambled_digits,
    ],
)
check = Checks(topic)
