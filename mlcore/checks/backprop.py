"""The exercises of 19 backprop."""

from itertools import pairwise

import numpy as np

from mlcore import backprop
from mlcore.backprop import sigmoid
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
    but,
    exactly,
)

# --- graphs ---


def _inputs(rng):
    """J falls at the first, and rises at the second."""
    return [(rng.uniform(0.3, 0.85),), (-rng.uniform(0.3, 0.85),), (rng.uniform(0.9, 1.4),)]


def _nodes(x):
    t = x**2
    return t, np.sin(t) + 3 * t


graph_slope = Function(
    "graph_slope",
    asks="Backwards through one graph",
    points=1,
    reference=backprop.graph_slope,
    cases=_inputs,
    forbids=(backprop.graph_backward, backprop.graph_local),
    mistakes=[
        Mistake(
            "t feeds two nodes: gradients of both paths add. Here the path by 3t overwrote the one by sin t.",
            lambda x: -np.sin(_nodes(x)[1]) * 3 * 2 * x,
        ),
        Mistake(
            "t feeds two nodes: gradients of both paths add. The path by 3t is missing.",
            lambda x: -np.sin(_nodes(x)[1]) * np.cos(_nodes(x)[0]) * 2 * x,
        ),
        Mistake(
            "The two paths from t were multiplied: along a path derivatives multiply, over paths they add.",
            lambda x: -np.sin(_nodes(x)[1]) * np.cos(_nodes(x)[0]) * 3 * 2 * x,
        ),
        Mistake(
            "This is ∂J/∂t. Multiply by dt/dx = 2x.",
            lambda x: -np.sin(_nodes(x)[1]) * (np.cos(_nodes(x)[0]) + 3),
        ),
        Mistake(
            "The derivative of cos is −sin.",
            lambda x: np.sin(_nodes(x)[1]) * (np.cos(_nodes(x)[0]) + 3) * 2 * x,
        ),
        Mistake(
            "dt/dx is 2x, not x.",
            lambda x: -np.sin(_nodes(x)[1]) * (np.cos(_nodes(x)[0]) + 3) * x,
        ),
    ],
    alternatives=[
        Alternative(lambda x: -np.sin(np.sin(x**2) + 3 * x**2) * (2 * x * np.cos(x**2) + 6 * x)),
        Alternative(lambda x: np.imag(np.cos(np.sin((x + 1e-30j) ** 2) + 3 * (x + 1e-30j) ** 2)) / 1e-30),
    ],
    hints=(
        Hint(
            "Where do I start?",
            r"At the end: $\partial J/\partial u=-\sin u$. Then come $\partial J/\partial u_1$ and "
            r"$\partial J/\partial u_2$, which are equal, then $\partial J/\partial t$, then $\mathrm dJ/\mathrm dx$.",
        ),
        Hint(
            "What arrives at t?",
            r"$\frac{\partial J}{\partial u_1}\cos t$ from one side and $\frac{\partial J}{\partial u_2}\cdot3$ from "
            "the other. A node that is used twice collects from both.",
        ),
    ),
    see="Equation (19.2) on the graph of (19.1): the figure shows what arrives at every node.",
)


def _graph(rng, m):
    """Every node uses the one before it and some others; the node before the last but one is a dead end."""
    D = np.tril(rng.uniform(0.4, 1.6, size=(m, m)) * rng.choice([-1.0, 1.0], size=(m, m)), -1)
    D *= np.tril(rng.random((m, m)) < 0.4, -1) | np.eye(m, k=-1, dtype=bool)
    D[m - 2, 0] = 0.5
    D[m - 1] = 0.0
    D[m - 1, m - 3], D[m - 1, 0] = rng.uniform(0.5, 1.5), -0.8
    return D


def _graphs(rng):
    return [(_graph(rng, m),) for m in (4, 6, 8)]


def _overwritten(D):
    bar = np.zeros(len(D))
    bar[-1] = 1.0
    for i in range(len(D) - 1, 0, -1):
        bar = np.where(D[i] != 0, bar[i] * D[i], bar)
    return bar


def _wrong_order(D):
    bar = np.zeros(len(D))
    bar[-1] = 1.0
    for i in range(1, len(D)):
        bar += bar[i] * D[i]
    return bar


_DIRECT = (
    "Only the edges that end at the last node count here. Visit the nodes from the last to the first: a node must have "
    "collected its derivative before it hands it on."
)

graph_backward = Function(
    "graph_backward",
    asks="Backwards through any graph",
    points=2,
    reference=backprop.graph_backward,
    cases=_graphs,
    mistakes=[
        Mistake("A node that is used twice loses what came first: add with `+=`, do not assign.", _overwritten),
        Mistake(_DIRECT, _wrong_order),
        Mistake(
            "These are the derivatives of every node by the first. Asked are those of the last node by every node: "
            "D[i, j] leads from v̄ᵢ to v̄ⱼ.",
            lambda D: np.linalg.solve(np.eye(len(D)) - D, np.eye(len(D))[0]),
        ),
        Mistake(_DIRECT, lambda D: D[-1] + np.eye(len(D))[-1]),
        Mistake(
            "The last entry is 0: the derivative of the last node by itself is 1.",
            lambda D: np.linalg.solve(np.eye(len(D)) - D.T, np.eye(len(D))[-1]) - np.eye(len(D))[-1],
        ),
    ],
    alternatives=[
        Alternative(lambda D: np.linalg.solve(np.eye(len(D)) - D.T, np.eye(len(D))[-1])),
        Alternative(lambda D: sum(np.linalg.matrix_power(D, k)[-1] for k in range(len(D)))),
        Alternative(lambda D: _by_columns(D)),
    ],
    hints=(
        Hint(
            "What do I know at the start?",
            r"$\bar v_m=1$, and of the others nothing yet: put zeros there. Go through the nodes from the last to the "
            "first.",
        ),
        Hint(
            "What does node i hand on?",
            r"To every $j$ that it was computed from, $\bar v_i\cdot$ `D[i, j]`. The whole row at once: "
            r"$\bar v_i\cdot$ `D[i]`.",
        ),
        Hint("Why in this order?", "When you come to $i$, every node that uses $v_i$ has handed on its share already."),
    ),
    see="Equation (19.2): start with 1 at the last node and let every node hand on its share, last node first.",
)


def _by_columns(D):
    bar = np.zeros(len(D))
    bar[-1] = 1.0
    for j in range(len(D) - 2, -1, -1):
        bar[j] = bar @ D[:, j]
    return bar


# --- the chain rule through one hidden layer ---


def _line_1(W, b, a, x, y):
    h = sigmoid(W @ x + b)
    return (a @ h - y) ** 2


def _line_2(W, b, a, x, y):
    h = sigmoid(W @ x + b)
    return 2 * (a @ h - y)


def _line_3(W, b, a, x, y):
    h = sigmoid(W @ x + b)
    return 2 * (a @ h - y) * a


def _line_4(W, b, a, x, y):
    h = sigmoid(W @ x + b)
    return 2 * (a @ h - y) * a, h * (1 - h)


def _line_5(W, b, a, x, y):
    h = sigmoid(W @ x + b)
    return 2 * (a @ h - y) * a, h * (1 - h), x


def _line_6(W, b, a, x, y):
    h = sigmoid(W @ x + b)
    return (2 * (a @ h - y) * a * h * (1 - h))[:, None] * W


def _one_point(rng):
    cases = []
    for m, d, side in ((2, 3, 1), (5, 3, -1), (3, 4, 1)):
        W, b, a = rng.normal(size=(m, d)), rng.normal(size=m), rng.uniform(0.5, 2, m) * rng.choice([-1, 1], m)
        y = side * (np.sum(np.abs(a)) + rng.uniform(1, 2))  # above every output, and below
        cases.append((W, b, a, rng.uniform(0.5, 2, d) * rng.choice([-1, 1], d), y))
    return cases


def _h(W, b, x):
    return sigmoid(W @ x + b)


def _slope(W, b, x):
    return _h(W, b, x) * (1 - _h(W, b, x))


def _delta(W, b, a, x, y):
    return _line_3(W, b, a, x, y) * _slope(W, b, x)


def _as_in_line_2(there, W, b, a, x, y):
    """The weights and the b with which line 2 was made: what it has forgotten, later lines have, too."""
    ones = np.ones(len(a))
    for weights, shift in ((ones, b), (a, 0)):
        if np.isclose(there, 2 * (weights @ _h(W, shift, x) - y)):
            return weights, shift
    return a, b


def _by_units(own, *args):
    """Line 3 of a line 2 that has something forgotten."""
    weights, _ = _as_in_line_2(own[0], *args)
    return own[0] * weights


def _by_sums(own, W, b, a, x, y):
    """Line 4 of a line 2 that has something forgotten."""
    _, shift = _as_in_line_2(own[0], W, b, a, x, y)
    return own[1], _slope(W, shift, x)


hidden_chain = Chain(
    "hidden_chain",
    asks="From the loss to a weight",
    first=_line_1,
    lines=[
        Line(
            does="∂c/∂f, how the loss depends on the output: a number",
            reference=_line_2,
            mistakes=[
                Mistake("c = (f − y)² has derivative 2(f − y).", lambda W, b, a, x, y: a @ _h(W, b, x) - y),
                Mistake(
                    "The sign is reversed: c grows with f where f is above y.",
                    lambda W, b, a, x, y: 2 * (y - a @ _h(W, b, x)),
                ),
                Mistake(
                    "The output has no activation here: f = aᵀh, so nothing like f(1 − f) comes in.",
                    lambda W, b, a, x, y: 2 * ((f := a @ _h(W, b, x)) - y) * f * (1 - f),
                ),
                Mistake(
                    "c = (f − y)² has derivative 2(f − y): the sign is reversed, and the 2 is missing.",
                    lambda W, b, a, x, y: y - a @ _h(W, b, x),
                ),
                Mistake(
                    "This is c itself: (f − y)² has derivative 2(f − y).",
                    lambda W, b, a, x, y: (a @ _h(W, b, x) - y) ** 2,
                ),
                Mistake(
                    "The square is still there: (f − y)² has derivative 2(f − y).",
                    lambda W, b, a, x, y: 2 * (a @ _h(W, b, x) - y) ** 2,
                ),
                Mistake(
                    "f is the sum of the aᵢhᵢ: the weights a are missing in it.",
                    lambda W, b, a, x, y: 2 * (np.sum(_h(W, b, x)) - y),
                ),
                Mistake(
                    "f = aᵀh with h = σ(z): here z stands in its place, without the activation.",
                    lambda W, b, a, x, y: 2 * (a @ (W @ x + b) - y),
                ),
                Mistake(
                    "z = Wx + b: the b is missing in it.",
                    lambda W, b, a, x, y: 2 * (a @ sigmoid(W @ x) - y),
                ),
            ],
        ),
        Line(
            does="∂c/∂h, how it depends on every hidden unit: shape (m,)",
            reference=_line_3,
            follows=lambda before, W, b, a, x, y: before * a,
            since=_by_units,
            mistakes=[
                Mistake(
                    "f = aᵀh, so ∂f/∂h is a, not h: h is the derivative by a.",
                    lambda W, b, a, x, y: _line_2(W, b, a, x, y) * _h(W, b, x),
                ),
                Mistake(
                    "h is still there: the derivative of aᵢhᵢ by hᵢ is aᵢ alone.",
                    lambda W, b, a, x, y: _line_3(W, b, a, x, y) * _h(W, b, x),
                ),
                Mistake(
                    "Here the activation comes too early: σ′ belongs to the step from h to z.",
                    lambda W, b, a, x, y: _line_3(W, b, a, x, y) * _slope(W, b, x),
                ),
                Mistake(
                    "∂c/∂f is missing: this is ∂f/∂h alone.",
                    lambda W, b, a, x, y: a,
                ),
                Mistake(
                    "f − y is missing: the derivative of c by f is 2(f − y), not 2.",
                    lambda W, b, a, x, y: 2 * a,
                ),
                Mistake(
                    "a was squared: the derivative of aᵢhᵢ by hᵢ is aᵢ.",
                    lambda W, b, a, x, y: _line_3(W, b, a, x, y) * a,
                ),
                Mistake(
                    "Each unit has its own error here: f adds up all the aᵢhᵢ before y is subtracted.",
                    lambda W, b, a, x, y: 2 * (a * _h(W, b, x) - y) * a,
                ),
                Mistake(
                    "∂f/∂h is missing: this is ∂c/∂f for every unit.",
                    lambda W, b, a, x, y: _line_2(W, b, a, x, y) * np.ones(len(a)),
                ),
                Mistake(
                    "This is divided by the number of units: f is the sum of the aᵢhᵢ, not their mean.",
                    lambda W, b, a, x, y: _line_3(W, b, a, x, y) / len(a),
                ),
            ],
        ),
        Line(
            does="∂c/∂z for what goes into every unit, z = Wx + b, as two factors that are multiplied entry by entry: "
            "what arrives at h, and the slope of h; shapes (m,) and (m,)",
            parts=("∂c/∂h", "∂h/∂z"),
            reference=_line_4,
            follows=lambda before, W, b, a, x, y: (before, _slope(W, b, x)),
            since=_by_sums,
            whole=lambda here, W, b, a, x, y: here[0] * here[1],
            mistakes=[
                Mistake(
                    "1 − h² is tanh′. For the sigmoid σ′ = h(1 − h).",
                    but(_line_4, 1, lambda W, b, a, x, y: 1 - _h(W, b, x) ** 2),
                ),
                Mistake(
                    "σ is not its own derivative: σ′ = h(1 − h), and h alone stands here.",
                    but(_line_4, 1, lambda W, b, a, x, y: _h(W, b, x)),
                ),
                Mistake(
                    "σ′(z) was taken at h instead of z: with h = σ(z) already there, it is h(1 − h).",
                    but(_line_4, 1, lambda W, b, a, x, y: (s := sigmoid(_h(W, b, x))) * (1 - s)),
                ),
                Mistake(
                    "σ′ = h(1 − h): the factor h is missing.",
                    but(_line_4, 1, lambda W, b, a, x, y: 1 - _h(W, b, x)),
                ),
                Mistake(
                    "σ′ = h(1 − h), and this is h².",
                    but(_line_4, 1, lambda W, b, a, x, y: _h(W, b, x) ** 2),
                ),
                Mistake(
                    "σ′ = h(1 − h) with h = σ(z): here z stands in the place of h.",
                    but(_line_4, 1, lambda W, b, a, x, y: (z := W @ x + b) * (1 - z)),
                ),
                Mistake(
                    "This is the derivative of the exponential alone: σ′ = h(1 − h).",
                    but(_line_4, 1, lambda W, b, a, x, y: np.exp(-W @ x - b)),
                ),
                Mistake(
                    "z = Wx + b: the b is missing in it.",
                    but(_line_4, 1, lambda W, b, a, x, y: _slope(W, 0, x)),
                ),
                Mistake(
                    "The activation is left out: h depends on z by σ, with the slope h(1 − h).",
                    but(_line_4, 1, lambda W, b, a, x, y: np.ones(len(a))),
                ),
                Mistake(
                    "The slope of h is in the first factor already: that one is ∂c/∂h, and the two are multiplied "
                    "later.",
                    but(_line_4, 0, lambda W, b, a, x, y: _delta(W, b, a, x, y)),
                ),
                Mistake(
                    "What arrives at h is the whole of line 3: here ∂c/∂f is missing.",
                    but(_line_4, 0, lambda W, b, a, x, y: a),
                ),
                Mistake(
                    "The two factors have changed places: (∂c/∂h, ∂h/∂z).",
                    lambda W, b, a, x, y: _line_4(W, b, a, x, y)[::-1],
                ),
            ],
        ),
        Line(
            does="∂c/∂W, whose entry (i, j) is a product of three: what arrives at hᵢ, the slope of hᵢ, and the "
            "derivative of zᵢ by Wᵢⱼ, which is the same for every i; shapes (m,), (m,) and (d,)",
            parts=("∂c/∂h", "∂h/∂z", "∂z/∂W"),
            reference=_line_5,
            follows=lambda before, W, b, a, x, y: (*before, x),
            whole=lambda here, W, b, a, x, y: np.outer(here[0] * here[1], here[2]),
            mistakes=[
                Mistake(
                    "The input is missing: zᵢ contains Wᵢⱼ multiplied by something.",
                    but(_line_5, 2, lambda W, b, a, x, y: np.ones_like(x)),
                ),
                Mistake(
                    "The derivative by a weight is what the weight is multiplied by: not W itself.",
                    but(_line_5, 2, lambda W, b, a, x, y: W.sum(axis=0)),
                ),
                Mistake(
                    "The weights a came in a second time: they are in ∂c/∂h already.",
                    but(_line_5, 0, lambda W, b, a, x, y: _line_3(W, b, a, x, y) * a),
                ),
                Mistake(
                    "The slope of h is in the first factor already: that one is ∂c/∂h, and the three are multiplied "
                    "later.",
                    but(_line_5, 0, lambda W, b, a, x, y: _delta(W, b, a, x, y)),
                ),
                Mistake(
                    "This is a row of W. The derivative of Wᵢⱼxⱼ by Wᵢⱼ is what the weight is multiplied by.",
                    but(_line_5, 2, lambda W, b, a, x, y: W[0]),
                ),
                Mistake(
                    "The weight is still there: the derivative of Wᵢⱼxⱼ by Wᵢⱼ is what the weight is multiplied by.",
                    but(_line_5, 2, lambda W, b, a, x, y: W[0] * x),
                ),
                Mistake(
                    "The first two factors have changed places: (∂c/∂h, ∂h/∂z, ∂z/∂W).",
                    lambda W, b, a, x, y: (*_line_4(W, b, a, x, y)[::-1], x),
                ),
            ],
        ),
        Line(
            does="∂c/∂x, which a layer below would need, before the sum over the units: entry (i, j) is what arrives "
            "at xⱼ through unit i; shape (m, d)",
            reference=_line_6,
            follows=lambda before, W, b, a, x, y: (before[0] * before[1])[:, None] * W,
            mistakes=[
                Mistake(
                    "This is ∂c/∂W. By x it is the other way round: the derivative of Wᵢⱼxⱼ by xⱼ is Wᵢⱼ.",
                    lambda W, b, a, x, y: np.outer(_delta(W, b, a, x, y), x),
                ),
                Mistake(
                    "The sum over the units is done already: asked is what it adds up, one row for each unit.",
                    lambda W, b, a, x, y: _delta(W, b, a, x, y) @ W,
                ),
                Mistake(
                    "What starts at unit i is ∂c/∂z. This is ∂c/∂h, without the slope of h.",
                    lambda W, b, a, x, y: _line_3(W, b, a, x, y)[:, None] * W,
                ),
                Mistake(
                    "∂c/∂h and the slope were added: along a path derivatives multiply, over paths they add.",
                    lambda W, b, a, x, y: (_line_3(W, b, a, x, y) + _slope(W, b, x))[:, None] * W,
                ),
                Mistake(
                    "a is missing: what starts at unit i is ∂c/∂z, and ∂c/∂h has a in it.",
                    lambda W, b, a, x, y: (_line_2(W, b, a, x, y) * _slope(W, b, x))[:, None] * W,
                ),
                Mistake(
                    "∂c/∂f is missing: what starts at unit i is ∂c/∂z, and that begins with the loss.",
                    lambda W, b, a, x, y: (a * _slope(W, b, x))[:, None] * W,
                ),
                Mistake(
                    "This is W alone: it is multiplied by what starts at unit i, ∂c/∂z.",
                    lambda W, b, a, x, y: 1.0 * W,
                ),
                Mistake(
                    "The input is still there: the derivative of Wᵢⱼxⱼ by xⱼ is Wᵢⱼ alone.",
                    lambda W, b, a, x, y: _delta(W, b, a, x, y)[:, None] * W * x,
                ),
                Mistake(
                    "The slope of h came in twice: on the way from h to z there is one activation.",
                    lambda W, b, a, x, y: (_delta(W, b, a, x, y) * _slope(W, b, x))[:, None] * W,
                ),
                Mistake(
                    "W is missing: this is ∂c/∂z for every input, and zᵢ holds xⱼ with the factor Wᵢⱼ.",
                    lambda W, b, a, x, y: np.outer(_delta(W, b, a, x, y), np.ones(len(x))),
                ),
                Mistake(
                    "The factor is h, not its slope: σ′ = h(1 − h).",
                    lambda W, b, a, x, y: (_line_3(W, b, a, x, y) * _h(W, b, x))[:, None] * W,
                ),
                Mistake(
                    "This is divided by the number of units: its rows are what the units add up, not what they "
                    "average.",
                    lambda W, b, a, x, y: _line_6(W, b, a, x, y) / len(a),
                ),
            ],
        ),
    ],
    cases=_one_point,
    forbids=(backprop.deltas, backprop.gradients, backprop.forward),
    alternatives=[
        Alternative(lambda W, b, a, x, y: -2 * y + 2 * np.sum(a / (1 + np.exp(-W @ x - b))), part=0),
        Alternative(lambda W, b, a, x, y: [2 * (a @ sigmoid(W @ x + b) - y) * ai for ai in a], part=1),
        Alternative(lambda W, b, a, x, y: 2 * a * np.dot(a, sigmoid(W @ x + b)) - 2 * y * a, part=1),
        Alternative(
            lambda W, b, a, x, y: (
                2 * (a @ sigmoid(W @ x + b) - y) * a,
                np.exp(-W @ x - b) / (1 + np.exp(-W @ x - b)) ** 2,
            ),
            part=2,
        ),
        Alternative(
            lambda W, b, a, x, y: (
                2 * (a @ sigmoid(W @ x + b) - y) * a,
                sigmoid(W @ x + b) * sigmoid(-W @ x - b),
                x,
            ),
            part=3,
        ),
        Alternative(lambda W, b, a, x, y: np.diag(_delta(W, b, a, x, y)) @ W, part=4),
        Alternative(lambda W, b, a, x, y: np.einsum("i,ij->ij", _delta(W, b, a, x, y), W), part=4),
    ],
    hints=(
        Hint(
            "How do the lines follow from each other?",
            r"By the chain rule, one step at a time: what has arrived at a node, times the derivative of this node by "
            r"the next one. You may call your own lines: line 3 is `line_2(W, b, a, x, y)` times "
            r"$\partial f/\partial h$.",
        ),
        Hint(
            "What is the derivative of σ?",
            r"Each $h_i$ depends on its own $z_i$ only, so one slope for each unit is enough. "
            r"$\sigma(z)=1/(1+e^{-z})$: differentiate, and write the result with $h$.",
        ),
        Hint(
            "How does z depend on W and on x?",
            r"$z_i=\sum_jW_{ij}x_j+b_i$. The weight $W_{ij}$ occurs in $z_i$ only, the input $x_j$ in every $z_i$: "
            "there as many paths begin as there are units.",
        ),
    ),
    see="The section *A network*: c → f → h → z → W, one factor for each arrow; and from z to x through every unit.",
)


# --- the gradient of a network with one hidden layer ---


def _mlp(X, y, W1, b1, w2, b2):
    dWs, dbs = backprop.gradients([W1, w2[None, :]], [b1, np.array([b2])], X, y[:, None])
    return dWs[0], dbs[0], dWs[1][0], dbs[1][0]


def _nets(rng):
    return [
        (
            rng.normal(size=(n, d)) + 0.5,
            rng.normal(size=n) + y,
            rng.normal(size=(m, d)),
            rng.normal(size=m),
            rng.uniform(0.5, 2, m) * rng.choice([-1, 1], m),
            -y / 4,
        )
        for n, d, m, y in ((2, 2, 3, 3.0), (6, 3, 5, -3.0), (4, 5, 2, 3.0))
    ]


def _mlp_wrong(slope=lambda h: h * (1 - h), factor=2.0, hand_back=True, flip=False, mean=False, by_w=False):
    """The gradients, with one thing changed."""

    def answer(X, y, W1, b1, w2, b2):
        H = sigmoid(X @ W1.T + b1)
        delta3 = factor * (H @ w2 + b2 - y) / (len(y) if mean else 1)
        delta2 = delta3[:, None] * (w2 if hand_back else 1.0) * slope(H)
        dW1 = delta2.T @ X
        dw2 = delta3.sum() * w2 if by_w else H.T @ delta3
        return (dW1.T if flip else dW1), delta2.sum(axis=0), dw2, delta3.sum()

    return answer


def _one_by_one(X, y, W1, b1, w2, b2):
    total = [np.zeros_like(W1), np.zeros_like(b1), np.zeros_like(w2), 0.0]
    for x, target in zip(X, y, strict=True):
        h = 1 / (1 + np.exp(-(W1 @ x + b1)))
        delta3 = 2 * (w2 @ h + b2 - target)
        delta2 = delta3 * w2 * h * (1 - h)
        for k, part in enumerate((np.outer(delta2, x), delta2, delta3 * h, delta3)):
            total[k] = total[k] + part
    return tuple(total)


mlp_gradient = Function(
    "mlp_gradient",
    asks="All gradients of a network, for all points",
    points=2,
    reference=_mlp,
    returns=("dW1", "db1", "dw2", "db2"),
    cases=_nets,
    forbids=(backprop.gradients, backprop.deltas),
    mistakes=[
        Mistake("Pass through the activation: multiply by h(1 − h).", _mlp_wrong(slope=lambda h: 1.0)),
        Mistake("1 − h² is tanh′. For the sigmoid σ′ = h(1 − h).", _mlp_wrong(slope=lambda h: 1 - h**2)),
        Mistake("c = (f − y)² has derivative 2(f − y): all four gradients lack the 2.", _mlp_wrong(factor=1.0)),
        Mistake("The sign is reversed in all four: δ is 2(f − y).", _mlp_wrong(factor=-2.0)),
        Mistake("The gradient has the shape of W1: (m, d).", _mlp_wrong(flip=True)),
        Mistake(
            "The derivative by a weight is its input: for w2 that is the hidden activation, not w2.",
            _mlp_wrong(by_w=True),
        ),
        Mistake("The error was handed back without the weight w2 on which it travels.", _mlp_wrong(hand_back=False)),
        Mistake("The loss is a sum over the points, and this is the gradient of the mean.", _mlp_wrong(mean=True)),
    ],
    alternatives=[
        Alternative(_one_by_one),
        Alternative(
            lambda X, y, W1, b1, w2, b2: (
                (H := sigmoid(X @ W1.T + b1)),
                (e := 2 * (H @ w2 + b2 - y)),
                (E := np.outer(e, w2) * H * (1 - H)),
                (np.einsum("ni,nj->ij", E, X), E.sum(0), e @ H, e.sum()),
            )[-1]
        ),
    ],
    hints=(
        Hint(
            "How do I carry many points at once?",
            "Points are rows: `H = sigmoid(X @ W1.T + b1)` is (n, m), `f = H @ w2 + b2` is (n,).",
        ),
        Hint(
            "What are the two δ?",
            r"$\delta_3=2(f-y)$, one for each point, and $\Delta_2$, which is (n, m): row $i$ is "
            r"$\delta_{3,i}\,w_2\odot h_i\odot(1-h_i)$.",
        ),
        Hint(
            "How do I sum the outer products?",
            r"$\sum_i\delta_i x_i^\top=\Delta^\top X$. The bias collects the column sums of $\Delta$.",
        ),
    ),
    see="Equations (19.5) and (19.6): Δ₃ = 2(f − y), Δ₂ = Δ₃w₂ᵀ ⊙ H ⊙ (1 − H), then ΔᵀX and the column sums.",
)

network_size = Function(
    "network_size",
    asks="How many numbers are there to learn?",
    points=1,
    reference=backprop.parameters,
    cases=lambda rng: [
        (rng.integers(2, 5, size=2),),
        (rng.integers(3, 12, size=3),),
        (rng.integers(3, 30, size=5),),
    ],
    compare=exactly,
    mistakes=[
        Mistake("Each unit has one more parameter: its bias.", lambda sizes: int(np.sum(sizes[1:] * sizes[:-1]))),
        Mistake("These are the units. Count matrix entries: W_l is (d_{l+1}, d_l).", lambda sizes: int(np.sum(sizes))),
        Mistake(
            "The inputs got a bias as well: they are given, not computed.",
            lambda sizes: int(np.sum(sizes[1:] * sizes[:-1]) + np.sum(sizes)),
        ),
        Mistake(
            "There is one bias for each unit, not one for each layer.",
            lambda sizes: int(np.sum(sizes[1:] * sizes[:-1]) + len(sizes) - 1),
        ),
        Mistake(
            "The biases were counted at the wrong end: b_l has as many entries as the layer that it feeds.",
            lambda sizes: int(np.sum(sizes[:-1] * (sizes[1:] + 1))),
        ),
    ],
    alternatives=[
        Alternative(lambda sizes: int(np.sum((sizes[:-1] + 1) * sizes[1:]))),
        Alternative(lambda sizes: sum(np.zeros((o, i)).size + o for i, o in pairwise(sizes))),
    ],
    hints=(
        Hint(
            "What belongs to one step?", "From $d_l$ to $d_{l+1}$ units: a matrix $W_l$ and a bias for each new unit."
        ),
        Hint("How do I test it?", "From 2 inputs to 3 units: six weights and three biases."),
    ),
    see="Equation (19.7): every unit of layer l + 1 has d_l weights and one bias.",
)


# --- what one hidden layer can do ---


def _target(x):
    return np.cos(3 * x) + 0.5 * np.sin(9 * x)


_AT = np.linspace(0, 1, 2001)


def _off(net):
    w, b, a = net
    return sigmoid(np.outer(_AT, w) + b) @ a - _target(_AT)


_ROWS = "Three rows are asked for, w, b and a, with one column for each hidden unit."
_START = "At x = 0 the net is not yet at g(0) = 1: one step has to lie left of 0, so that it is done there."
_HEIGHTS = "At x = 1 the net is far off: the steps add up, so each is as high as g rises there, not as high as g."
_COARSE = (
    "Somewhere on [0, 1] the net is more than 0.01 away from g. Take more steps; too steep ones make visible stairs, "
    "too gentle ones smear g out."
)


def _stairs(m, s, first=True):
    w, b, a = backprop.staircase(_target, m, s)
    return np.array([w, b, a])[:, 0 if first else 1 :]


step_network = Property(
    "step_network",
    asks="A network that follows a given curve",
    points=2,
    laws=[
        Law(_ROWS, lambda net: net.ndim == 2 and len(net) == 3 and net.shape[1] > 0),
        Law(_HEIGHTS, lambda net: abs(_off(net)[-1]) < 3),
        Law(_START, lambda net: abs(_off(net)[0]) < 0.25),
        Law(_COARSE, lambda net: np.abs(_off(net)).max() <= 0.01),
    ],
    mistakes=[
        Mistake(_ROWS, [1.0, 2.0, 3.0]),
        Mistake(_ROWS, np.ones((300, 3))),
        Mistake(_START, _stairs(300, 500.0, first=False)),
        Mistake(_HEIGHTS, [np.full(300, 500.0), -500 * np.linspace(0, 1, 300), _target(np.linspace(0, 1, 300))]),
        Mistake(_COARSE, _stairs(20, 60.0)),
        Mistake(_COARSE, _stairs(300, 40.0)),
        Mistake(_COARSE, _stairs(100, 1e5)),
    ],
    alternatives=[
        Alternative(_stairs(300, 500.0)),
        Alternative(_stairs(1000, 1e6)),
        Alternative(_stairs(150, 400.0).tolist()),
    ],
    hints=(
        Hint(
            "What does one sigmoid look like?",
            r"$a\,\sigma(s(x-m))$ is a step of height $a$ at $m$, and the larger $s$, the steeper. So $w=s$, $b=-sm$.",
        ),
        Hint(
            "How high is every step?",
            r"As high as $g$ rises from $t_{k-1}$ to $t_k$: $a_k=g(t_k)-g(t_{k-1})$, and the step stands between them.",
        ),
        Hint(
            "How do I begin at g(0)?",
            r"With one more step of height $g(0)$, far left of 0, for example at $-1$.",
        ),
        Hint(
            "It is still off by more than 0.01.",
            "The steps should just overlap: with $m$ steps of width $1/m$, try $s$ between $2m$ and $4m$.",
        ),
    ),
    see="Equation (19.8): steps at the midpoints, as high as g rises over each interval.",
)


# --- exchanging neurons ---

_DATA = {name: backprop.neuron_data(name, np.random.default_rng(0)) for name in ("sigmoid", "ReLU", "step")}


def _hill(name, w):
    """By how much the mean squared error at the midpoint of w and its mirror image exceeds the one at w."""
    x, y = _DATA[name]
    w1, w2 = np.transpose([[w.mean(), w.mean()], w])
    middle, here = backprop.two_neurons(w1, w2, x, y, name) / len(x)
    return middle - here


_THREE = "Three rows of two weights are asked for: one pair (w₁, w₂) for each activation."
_SAME = "A pair with w₁ = w₂ is its own mirror image: there is no way between to look at."
_SIGMOID, _RELU, _STEP = (
    f"With {name} neurons the midpoint is not clearly worse than your pair: find a pair in a valley of its own, "
    "with the diagonal between it and its mirror image."
    for name in ("sigmoid", "ReLU", "step")
)

valley_between = Property(
    "valley_between",
    asks="Three landscapes, none of them convex",
    points=1,
    laws=[
        Law(_THREE, lambda W: W.shape == (3, 2)),
        Law(_SAME, lambda W: bool(np.all(W[:, 0] != W[:, 1]))),
        Law(_SIGMOID, lambda W: _hill("sigmoid", W[0]) > 0.02),
        Law(_RELU, lambda W: _hill("ReLU", W[1]) > 0.02),
        Law(_STEP, lambda W: _hill("step", W[2]) > 0.02),
    ],
    mistakes=[
        Mistake(_THREE, [-3.0, 2.0]),
        Mistake(_THREE, [[-3, -2.5, -1.5], [2, 1, 3]]),
        Mistake(_SAME, [[-3, 2], [0, 0], [-1.5, 3]]),
        Mistake(_SIGMOID, [[-5, 5], [-2.5, 1], [-1.5, 3]]),
        Mistake(_RELU, [[-3, 2], [-5, 0], [-1.5, 3]]),
        Mistake(_STEP, [[-3, 2], [-2.5, 1], [-5, 5]]),
    ],
    alternatives=[
        Alternative([[2, -3], [1, -2.5], [3, -1.5]]),
        Alternative(np.array([[-3.5, 2.0], [-3.0, 1.5], [-2.0, 3.5]])),
    ],
    hints=(
        Hint("Where are the valleys?", "Choose an activation in the figure and move $w_1$ and $w_2$ to a dark centre."),
        Hint("What do I read off?", "The pair at which the error is small and the midpoint, the cross, is on a hill."),
    ),
    see="The figure: for every activation a pair in one valley, its mirror image in the other, and a hill between.",
)

swapped_neurons = Choice(
    "swapped_neurons",
    asks="What the mirror image proves",
    points=1,
    options={
        "a": Option("such a loss is not convex"),
        "b": Option(
            "such a loss is convex",
            wrong="Equal values at two points do not make a function convex: what counts is the way between them.",
        ),
        "c": Option(
            "nothing about convexity",
            wrong="A convex function is on the way between two points never above the higher of them. Is this one?",
        ),
    },
    reasons={
        "i": Option(
            "it has two minima, and a convex function has only one",
            wrong="A convex function may have many minimisers: f(w₁, w₂) = (w₁ + w₂)² has a whole line of them. "
            "What does it never have between two of them?",
        ),
        "ii": Option("the midpoint of two minimisers of a convex function is a minimiser too, and here it is worse"),
        "iii": Option(
            "the two points have the same loss, so the function is level between them",
            wrong="The same loss at both ends says nothing about the middle. Look at the figure's right half.",
        ),
    },
    hints=(
        Hint(
            "What does convexity say about the midpoint?",
            r"$L\bigl(\frac{w+w'}2\bigr)\le\frac12L(w)+\frac12L(w')$. Put in two points with the smallest loss.",
        ),
    ),
    see="The definition of convexity (notebook 09) at the midpoint of a minimiser and its mirror image.",
)


# --- depth ---

depth_bound = Function(
    "depth_bound",
    asks="What is left of the error in the first layer",
    points=1,
    reference=backprop.depth_bound,
    cases=lambda rng: [(rng.uniform(0.5, 3, size=size),) for size in (2, 5, 10)],
    mistakes=[
        Mistake("The slope of the sigmoid is at most 1/4: 1 is the bound for tanh.", np.prod),
        Mistake("σ′(0) = σ(0)(1 − σ(0)) = 1/4, not 1/2.", lambda norms: np.prod(norms / 2)),
        Mistake("The weights are missing: every layer multiplies by ‖W_l‖ as well.", lambda norms: 0.25 ** len(norms)),
        Mistake("The factor 1/4 comes in once for every layer.", lambda norms: np.prod(norms) / 4),
        Mistake(
            "The layers' factors multiply: the chain rule has no sum along a path.", lambda norms: np.sum(norms / 4)
        ),
        Mistake(
            "Every layer is counted with the largest norm: correct as a bound, but each layer has its own.",
            lambda norms: (np.max(norms) / 4) ** len(norms),
        ),
    ],
    alternatives=[
        Alternative(lambda norms: np.prod(norms) / 4 ** len(norms)),
        Alternative(lambda norms: np.exp(np.sum(np.log(norms)) - 2 * len(norms) * np.log(2))),
    ],
    hints=(
        Hint(
            "What does one layer do to the length of δ?",
            r"$\lVert W^\top\delta\rVert\le\lVert W\rVert\lVert\delta\rVert$, and then every entry is multiplied by "
            r"some $\sigma'(z)$.",
        ),
        Hint("How large can σ′ be?", r"$\sigma'=h(1-h)$ with $0<h<1$. Where is this parabola highest?"),
    ),
    see="Equation (19.10): (19.5) with ‖Wᵀδ‖ ≤ ‖W‖‖δ‖ and the largest slope of the sigmoid, layer after layer.",
)


# --- weight decay and early stopping ---


def _steps(rng):
    return [
        (
            rng.normal(size=(m, d)) + 1,
            rng.uniform(0.5, 2, m) * np.where(np.arange(m) % 2, 1, -1),
            rng.normal(size=(m, d)),
            rng.normal(size=m),
            eta * rng.uniform(0.5, 1),
            lam * rng.uniform(0.5, 1),
        )
        for m, d, eta, lam in ((1, 2, 0.8, 0.3), (3, 2, 0.2, 0.9), (4, 5, 0.4, 1.0))
    ]


decay_step = Function(
    "decay_step",
    asks="A step with weight decay",
    points=1,
    reference=backprop.decay_step,
    returns=("W", "b"),
    cases=_steps,
    mistakes=[
        Mistake(
            "W: λ‖W‖² has the derivative 2λW, and here stands λW.",
            lambda W, b, G, g, eta, lam: (W - eta * (G + lam * W), b - eta * g),
        ),
        Mistake(
            "The bias is decayed as well: it says where the output lives and is not penalised.",
            lambda W, b, G, g, eta, lam: (W - eta * (G + 2 * lam * W), b - eta * (g + 2 * lam * b)),
        ),
        Mistake(
            "The weights grow: the gradient of the penalty is subtracted, as the other gradient is.",
            lambda W, b, G, g, eta, lam: (W - eta * (G - 2 * lam * W), b - eta * g),
        ),
        Mistake(
            "The decay has no step size: η multiplies the gradient of the penalty as well.",
            lambda W, b, G, g, eta, lam: (W - eta * G - 2 * lam * W, b - eta * g),
        ),
        Mistake(
            "Here the old step was taken first and its result decayed, so that G shrinks too: both gradients are taken "
            "at the old W.",
            lambda W, b, G, g, eta, lam: ((1 - 2 * eta * lam) * (W - eta * G), b - eta * g),
        ),
        Mistake(
            "Both W and b moved uphill: gradients are subtracted.",
            lambda W, b, G, g, eta, lam: (W + eta * (G + 2 * lam * W), b + eta * g),
        ),
        Mistake(
            "The penalty does not come in: this is the step on C alone.",
            lambda W, b, G, g, eta, lam: (W - eta * G, b - eta * g),
        ),
    ],
    alternatives=[
        Alternative(lambda W, b, G, g, eta, lam: (W - eta * (G + 2 * lam * W), b - eta * g)),
        Alternative(lambda W, b, G, g, eta, lam: (W - eta * G - 2 * eta * lam * W, b + -eta * g)),
    ],
    hints=(
        Hint(
            "What is the gradient of the penalty?",
            r"$\lVert W\rVert^2=\sum_{ij}W_{ij}^2$: by $W_{ij}$ it is $2W_{ij}$.",
        ),
        Hint("And for b?", "The penalty does not contain it."),
    ),
    see="Equation (19.11): W − η(∂C/∂W + 2λW), sorted.",
)


def _histories(rng):
    """After the best step so far: a better one just in time, a tie, a better one just too late, one far off."""
    cases = []
    for patience in (1, 3, 4):
        late = 1 + rng.random()
        tail = [late, *(late + 1 + rng.permutation(patience + 1)), 0.5]
        start = [9.0 + rng.random(), 8.0 + rng.random(), 6.0]
        worse = 6.5 + rng.permutation(patience - 1)  # never better than 6, in any order
        tied = [5.0, *(5.5 + rng.permutation(patience - 1))]
        cases.append((np.array([*start, *worse, 5.0, *tied, *([] if patience > 1 else [5.0]), *tail]), patience))
    first = rng.uniform(3, 4)  # the very first step is the best one, and the second ties with it
    cases.append((np.array([first, first, 5.0, 6.0, 1.0]), 3))
    cases.append((np.array([6.0, 5.0, 7.0, 6.5, 7.5, 1.0]) + rng.random(), 3))  # up and down, and never better
    falling = np.sort(rng.uniform(1, 9, 7))[::-1]
    cases.append((np.append(falling, falling[-1] + 1), 4))
    cases.append((falling, 2))  # the last step is the best one
    return cases


def _until(errors, patience):
    best = 0
    for t in range(len(errors)):
        if errors[t] < errors[best]:
            best = t
        if t - best == patience:
            return best, t
    return best, len(errors) - 1


def _in_a_row(errors, patience):
    rises = 0
    for t in range(1, len(errors)):
        rises = rises + 1 if errors[t] >= errors[t - 1] else 0
        if rises == patience:
            return int(np.argmin(errors[: t + 1]))
    return int(np.argmin(errors))


def _with_ties(errors, patience):
    best = 0
    for t in range(len(errors)):
        if errors[t] <= errors[best]:
            best = t
        if t - best == patience:
            break
    return best


stop_early = Function(
    "stop_early",
    asks="When to stop, and what to keep",
    points=2,
    reference=backprop.stop_early,
    cases=_histories,
    mistakes=[
        Mistake(
            "This is the smallest error of all: it lies in a future that training never saw, as it had stopped.",
            lambda errors, patience: int(np.argmin(errors)),
        ),
        Mistake(
            "This is the step at which training stops. The weights of the best step so far are kept.",
            lambda errors, patience: _until(errors, patience)[1],
        ),
        Mistake(
            "An equal error is no improvement: it must not restart the clock.",
            _with_ties,
        ),
        Mistake(
            "Training stopped one step too soon: an improvement at step best + patience still counts.",
            lambda errors, patience: _until(errors, patience - 1)[0] if patience > 1 else 0,
        ),
        Mistake(
            "Training went on for one step too many: it stops as soon as `patience` steps have brought nothing better.",
            lambda errors, patience: _until(errors, patience + 1)[0],
        ),
        Mistake(
            "The error is compared with the one before it: compare it with the best so far.",
            _in_a_row,
        ),
        Mistake(
            "This is the error of the best step. Its number is asked for.",
            lambda errors, patience: errors[_until(errors, patience)[0]],
        ),
    ],
    alternatives=[
        Alternative(lambda errors, patience: _until(errors, patience)[0]),
        Alternative(lambda errors, patience: _by_argmin(errors, patience)),
    ],
    hints=(
        Hint(
            "What has to be remembered?", "The number of the best step so far. Update it first, then look at the clock."
        ),
        Hint("When does the clock ring?", "At step $t$, if `t - best` has reached `patience`. Return `best`."),
        Hint("And if it never rings?", "Then all errors were seen: the loop ends, and `best` is the answer."),
    ),
    see="Equation (19.12): walk through the errors, remember the best step, stop when it is `patience` steps old.",
)


def _by_argmin(errors, patience):
    for t in range(len(errors)):
        if t - np.argmin(errors[: t + 1]) >= patience:
            break
    return np.argmin(errors[: t + 1])


# --- a claim as printed ---


def _linear(rng):
    cases = []
    for n, a, w in ((1, 1, -1), (3, -1, 1), (6, -1, -1)):
        x = rng.uniform(0.5, 2, n) * np.where(rng.permutation(n) % 2, 1.0, -1.0)
        cases.append((a * rng.uniform(0.5, 2), w * rng.uniform(0.5, 2), x, -3 * a * w * x + rng.uniform(0.5, 1, n)))
    return cases


def _hessian(corner, scale=2.0, turned=False):
    def H(a, w, x, y):
        c = corner(a, w, x, y)
        D = [a**2 * x @ x, w**2 * x @ x] if turned else [w**2 * x @ x, a**2 * x @ x]
        return scale * np.array([[D[0], c], [c, D[1]]])

    return H


_PRINTED = _hessian(lambda a, w, x, y: a * w * x @ x)

linear_hessian = Slip(
    "linear_hessian",
    asks="The loss of a linear network",
    points=2,
    printed=_PRINTED,
    reference=backprop.linear_hessian,
    cases=_linear,
    admits=lambda a, w, x, y: np.ndim(a) == np.ndim(w) == 0 and np.ndim(x) == 1 and np.shape(x) == np.shape(y),
    domain="two numbers a and w, and x and y of the same shape (n,)",
    mistakes=[
        Mistake(
            "This is still the printed matrix. Differentiate 2Σ rᵢwxᵢ by w once more: the product has two factors "
            "that contain w.",
            _PRINTED,
        ),
        Mistake(
            "The corner lost the second part of the product rule: rᵢ depends on w as well.",
            _hessian(lambda a, w, x, y: (a * w * x - y) @ x),
        ),
        Mistake(
            "The residual has the wrong sign: r = awx − y.",
            _hessian(lambda a, w, x, y: a * w * x @ x - (a * w * x - y) @ x),
        ),
        Mistake(
            "Every entry is half of it: the square's 2 is missing.",
            _hessian(lambda a, w, x, y: (2 * a * w * x - y) @ x, scale=1.0),
        ),
        Mistake(
            "The diagonal is exchanged: the first row belongs to a, and ∂f/∂a = wx.",
            _hessian(lambda a, w, x, y: (2 * a * w * x - y) @ x, turned=True),
        ),
        Mistake(SAME_THERE, (1.0, 2.0, [1.0, -1.0], [2.0, -2.0]), part=1),
        Mistake(SAME_THERE, (2.0, 2.0, [1.0, 1.0], [3.0, 5.0]), part=1),
    ],
    alternatives=[
        Alternative(_hessian(lambda a, w, x, y: (2 * a * w * x - y) @ x)),
        Alternative(
            lambda a, w, x, y: [
                [2 * np.sum((w * x) ** 2), 2 * np.sum(x * (2 * a * w * x - y))],
                [2 * np.sum(x * (2 * a * w * x - y)), 2 * np.sum((a * x) ** 2)],
            ]
        ),
        Alternative((0.0, 0.0, [1.0], [1.0]), part=1),
    ],
    hints=(
        Hint(
            "Where do I start?",
            r"$\partial L/\partial a=2\sum_ir_iwx_i$ with $r_i=awx_i-y_i$. Differentiate it by $a$, and then by $w$.",
        ),
        Hint("Where does the printed one fail?", "Where the residuals are not small. What is it at $a=w=0$?"),
    ),
    see="Equation (19.13): the product rule on 2Σ rᵢwxᵢ, differentiated by w.",
)

silent_layers = Explanation(
    "silent_layers",
    asks="The layers that do not learn",
    points=3,
    rubric=(
        "1 point: δ₂ is a product of one factor Wᵀ·σ′ for each layer, σ′ ≤ 1/4, so at the first layers almost nothing "
        "arrives (4⁻¹² ≈ 6·10⁻⁸ for weights of norm 1). 1 point: it is no local minimum, as the gradient of the last "
        "layers is not small; a smaller step makes it worse, and a much larger one ruins the last layers. 1 point: a "
        "remedy that changes a factor (ReLU or tanh, a larger scale of the weights, fewer layers), with what it "
        "changes; early stopping or weight decay do not help, they are for a training error that is too good."
    ),
)

topic = Topic(
    number=19,
    slug="backprop",
    title="Backpropagation",
    question="How does a network know which of its thousand weights to blame?",
    part="Trees and networks",
    minutes=90,
    before={
        "gradient_descent": "gradient descent",
        "logistic_regression": "the sigmoid",
        "convexity": "convex functions",
    },
    exercises=[
        graph_slope,
        graph_backward,
        hidden_chain,
        mlp_gradient,
        network_size,
        step_network,
        valley_between,
        swapped_neurons,
        depth_bound,
        decay_step,
        stop_early,
        linear_hessian,
        silent_layers,
    ],
)
check = Checks(topic)
