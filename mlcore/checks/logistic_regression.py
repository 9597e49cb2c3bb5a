"""The exercises of 12 logistic_regression."""

import numpy as np

from mlcore import logistic_regression as lr
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
)


def _sigmoid(t):
    return np.exp(-np.logaddexp(0, -t))


# --- data to be tried on: a small one to look at, then taller ones, off centre and with unequal classes ---


def _labels(rng, n):
    """More zeros than ones, and at least two of each from four points on."""
    y = (rng.random(n) < 0.35).astype(float)
    y[:4] = 1, 0, 0, 1
    return y


def _data(rng, n, d):
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, _labels(rng, n)


def _small(rng):
    X = rng.integers(1, 4, size=(4, 2)) * rng.choice([-1.0, 1.0], size=(4, 2))
    X[0], X[1] = (1, 2), (2, -1)  # independent columns
    return X, _labels(rng, 4)


def _points(rng):
    """w, X and y; no |z| so large that a probability is 0 or 1."""
    sets = (_small(rng), _data(rng, 7, 3), _data(rng, 12, 4))
    return [(rng.uniform(0.2, 0.6, size=X.shape[1]) * rng.choice([-1, 1], size=X.shape[1]), X, y) for X, y in sets]


def _without_labels(rng):
    return [(w, X) for w, X, _ in _points(rng)]


def _one_column(rng, low, high, y):
    return rng.uniform(0.2, 0.4, size=1), rng.uniform(low, high, size=(len(y), 1)), np.array(y, dtype=float)


def _newton_points(rng):
    """With one on which the step leads above 1."""
    return [*_points(rng), _one_column(rng, 0.2, 0.4, [1, 0, 1, 1])]


def _mean_points(rng):
    """With one on which the gradient of the mean is above 1."""
    return [*_points(rng), _one_column(rng, 3, 4, [0, 0, 1, 0])]


def _with_penalty(rng):
    """b of either sign, larger than λ and smaller."""
    biases = rng.uniform((1, -1.5, 0.3), (1.5, -0.3, 1.5))
    lams = rng.uniform((0.5, 0.5, 0.5), (0.9, 3, 3))
    return [(w, b, X, y, lam) for (w, X, y), b, lam in zip(_points(rng), biases, lams, strict=True)]


def _sizes(rng):
    """(n, lam): n even and odd, λ above 1 and below."""
    halves = rng.integers(3, 100, size=3)
    lams = rng.uniform((0.05, 1.5, 0.5), (0.5, 4, 4))
    return [(2 * int(half) + odd, lam) for half, odd, lam in zip(halves, (0, 1, 1), lams, strict=True)]


def _logits(rng):
    return [
        (rng.uniform(0.5, 3, size=3) * [1, -1, 1], np.array([1.0, 1.0, 0.0])),
        (rng.normal(size=9) * 3, _labels(rng, 9)),
        (np.array([-800.0, 800.0, 30.0, -2.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0, 1.0])),
    ]


def _times(rng):
    far = np.array([-800.0, rng.uniform(-3, -1), 0.0, rng.uniform(1, 3), 800.0])
    return [(rng.uniform(0.3, 2, size=3) * [1, -1, 1],), (rng.normal(size=6) * 2 + 0.5,), (far,)]


def _parts(w, X):
    """z, p and v at w."""
    z = X @ w
    return z, _sigmoid(z), _sigmoid(z) * _sigmoid(-z)


# --- the sigmoid ---


def _naive_ratio(t):
    p = np.exp(t) / (1 + np.exp(t))
    return p, p * (1 - p)


sigmoid_slope = Function(
    "sigmoid_slope",
    asks="The logistic function and its slope",
    points=2,
    reference=lr.sigmoid_slope,
    returns=("sigma", "slope"),
    cases=_times,
    forbids=(lr.sigmoid,),
    mistakes=[
        Mistake(
            "Your slope is 1 − σ, one factor only. At t = −800 the curve is flat, and yours is as steep as 1.",
            lambda t: (_sigmoid(t), _sigmoid(-t)),
        ),
        Mistake(
            "σ(1 + σ) is up to 2, and the curve is never steeper than ¼: check the sign in the bracket.",
            lambda t: (_sigmoid(t), _sigmoid(t) * (1 + _sigmoid(t))),
        ),
        Mistake(
            "Your slope is negative, but the curve rises everywhere: the inner derivative of −t brings a second minus.",
            lambda t: (_sigmoid(t), -_sigmoid(t) * _sigmoid(-t)),
        ),
        Mistake(
            "This is σ(−t) = 1 − σ(t), which falls: it is the probability of the other class.",
            lambda t: (_sigmoid(-t), _sigmoid(t) * _sigmoid(-t)),
        ),
        Mistake(
            "For t = 800, eᵗ overflows and inf/inf is not a number. Divide by eᵗ: 1/(1 + e⁻ᵗ).",
            _naive_ratio,
        ),
        Mistake(
            "σ is right, but for t = −800 the slope is inf/inf: take the exponential of −|t|, or write it with σ.",
            lambda t: (1 / (1 + np.exp(-t)), np.exp(-t) / (1 + np.exp(-t)) ** 2),
        ),
    ],
    alternatives=[
        Alternative(lambda t: (s := 1 / (1 + np.exp(-t)), s * (1 - s))),
        Alternative(lambda t: ((1 + np.tanh(t / 2)) / 2, (1 - np.tanh(t / 2) ** 2) / 4)),
        Alternative(lambda t: (np.exp(-np.logaddexp(0, -t)), np.exp(-np.logaddexp(0, -t) - np.logaddexp(0, t)))),
    ],
    hints=(
        Hint(
            "How do I differentiate 1/(1 + e⁻ᵗ)?",
            r"$\sigma'=e^{-t}/(1+e^{-t})^2$. Split it into two factors, one of which is $\sigma$.",
        ),
        Hint(
            "What goes wrong at 800?",
            r"$e^{800}$ is larger than any float. $e^{-|t|}$ never overflows: write both branches of $\sigma$ with it.",
        ),
        Hint(
            "How do I write σ with e⁻|t|?",
            r"For $t\ge0$ it is $1/(1+e^{-|t|})$, for $t<0$ it is $e^{-|t|}/(1+e^{-|t|})$. "
            r"The numerator is $e^{\min(t,0)}$ both times.",
        ),
    ),
    see="Equation (12.1), and the paragraph before it: σ(−t) = 1 − σ(t).",
)


# --- from the cross-entropy to the gradient ---


def _line_1(w, X, y):
    p = 1 / (1 + np.exp(-X @ w))
    return -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))


def _line_2(w, X, y):
    z = X @ w
    L = np.log(1 + np.exp(z))
    return -y * z, y * L, (1 - y) * L


def _line_3(w, X, y):
    return np.log(1 + np.exp(X @ w)), y


def _line_4(w, X, y):
    z = X @ w
    return 1 / (1 + np.exp(z)), np.exp(z), -y


def _line_5(w, X, y):
    p = 1 / (1 + np.exp(-X @ w))
    return (p - y)[:, None] * X


def _collected(before, w, X, y):
    """All that is a multiple of L, and what is multiplied by z in the rest."""
    yz, yL, rest = before
    return yL + rest, -yz / (X @ w)


def _collected_after_all(before, w, X, y):
    """The same, where some of what is made of L was left with z, or the other way round: A is L."""
    z = X @ w
    L = np.log(1 + np.exp(z))
    return L, (L - sum(before)) / z


def _differentiated(A_of, outer, inner):
    """Line 4 from a line 3 whose A is a multiple of this function of z, with its outer and its inner derivative."""

    def step(before, w, X, y):
        A, B = before
        z = X @ w
        return A / A_of(z) * outer(z), inner(z), -B

    return step


def _differentiated_with_rest(before, w, X, y):
    """Line 4 from a line 3 whose A is L and a multiple of z: this goes to the rest."""
    A, B = before
    z = X @ w
    return 1 / (1 + np.exp(z)), np.exp(z), (A - np.log(1 + np.exp(z))) / z - B


_DIFFERENTIATED = (
    _differentiated(lambda z: np.log(1 + np.exp(z)), lambda z: 1 / (1 + np.exp(z)), np.exp),
    # log(1 + e⁻ᶻ) by u = 1 + e⁻ᶻ, and by the u of the task, as log u − log(u − 1)
    _differentiated(lambda z: np.log(1 + np.exp(-z)), lambda z: 1 / (1 + np.exp(-z)), lambda z: -np.exp(-z)),
    _differentiated(lambda z: np.log(1 + np.exp(-z)), lambda z: 1 / (1 + np.exp(z)) - np.exp(-z), np.exp),
    # u and u − 1, without a logarithm
    _differentiated(lambda z: 1 + np.exp(z), lambda z: 1.0 + 0 * z, np.exp),
    _differentiated(np.exp, lambda z: 1.0 + 0 * z, np.exp),
    # log eᶻ, which is z
    _differentiated(lambda z: z, lambda z: np.exp(-z), np.exp),
    _differentiated_with_rest,
)


logistic_chain = Chain(
    "logistic_chain",
    asks="From the cross-entropy to its gradient",
    first=_line_1,
    lines=[
        Line(
            does="write log p and log(1 − p) with z = Xw and L = log(1 + eᶻ), and multiply out: the terms with yz, "
            "those with yL and those with (1 − y)L, with their signs and before the sum over the points",
            parts=("yz", "yL", "(1 − y)L"),
            reference=_line_2,
            whole=lambda here, w, X, y: sum(here),
            mistakes=[
                Mistake(
                    "The term of (1 − p) has the wrong sign: 1 − p is below 1, its logarithm is negative, and a minus "
                    "stands in front of the sum.",
                    but(_line_2, 2, lambda w, X, y: -(1 - y) * np.log(1 + np.exp(X @ w))),
                ),
                Mistake(
                    "The minus in front of the sum is gone: this is the log-likelihood, which is to be made large.",
                    lambda w, X, y: tuple(-part for part in _line_2(w, X, y)),
                ),
                Mistake(
                    "The logarithm of a quotient is a difference: in log p the logarithm of the denominator, L, is "
                    "subtracted.",
                    but(_line_2, 1, lambda w, X, y: -y * np.log(1 + np.exp(X @ w))),
                ),
                Mistake(
                    "The sign of yz is reversed: p = eᶻ/(1 + eᶻ) grows with z, so with y = 1 the loss falls.",
                    but(_line_2, 0, lambda w, X, y: y * (X @ w)),
                ),
                Mistake(
                    "z stands with 1 − y here: it comes from log p, which has the factor y.",
                    but(_line_2, 0, lambda w, X, y: -(1 - y) * (X @ w)),
                ),
                Mistake(
                    "The logarithms are not written with z and L: these are the two terms of line 1 as they "
                    "stand there.",
                    lambda w, X, y: (-y * np.log(p := _sigmoid(X @ w)), -(1 - y) * np.log(1 - p), 0 * y),
                ),
                Mistake(
                    "log p was taken for z, and p is a quotient: the logarithm of its denominator is lost.",
                    but(_line_2, 1, lambda w, X, y: 0 * y),
                ),
                Mistake(
                    "In log(1 − p) the logarithm of 1 has become z: 1 − p is 1/(1 + eᶻ).",
                    but(_line_2, 2, lambda w, X, y: (1 - y) * (np.log(1 + np.exp(X @ w)) - X @ w)),
                ),
                Mistake(
                    "This L is log(1 + e⁻ᶻ): in the task it is log(1 + eᶻ).",
                    lambda w, X, y: (-y * (X @ w), y * (L := np.log(1 + np.exp(-X @ w))), (1 - y) * L),
                ),
                Mistake(
                    "y and 1 − y are lost: asked for are the terms with these weights.",
                    lambda w, X, y: (-X @ w, L := np.log(1 + np.exp(X @ w)), L),
                ),
                Mistake(
                    "The terms are divided by n: line 1 is a sum, not a mean.",
                    lambda w, X, y: tuple(part / len(y) for part in _line_2(w, X, y)),
                ),
                Mistake(
                    "The terms with yz and with yL have changed places.",
                    lambda w, X, y: ((p := _line_2(w, X, y))[1], p[0], p[2]),
                ),
            ],
        ),
        Line(
            does="collect: the loss is Σᵢ (Aᵢ − zᵢBᵢ), A being all that is made of L and B what z meets, with no y in "
            "A and no w in B",
            parts=("A", "B"),
            reference=_line_3,
            follows=[_collected, _collected_after_all],
            whole=lambda here, w, X, y: here[0] - X @ w * here[1],
            mistakes=[
                Mistake(
                    "A counts only the points with y = 1: what have the terms with yL and with (1 − y)L in common?",
                    but(_line_3, 0, lambda w, X, y: y * np.log(1 + np.exp(X @ w))),
                ),
                Mistake(
                    "A has L twice: its two weights are y and 1 − y.",
                    but(_line_3, 0, lambda w, X, y: 2 * np.log(1 + np.exp(X @ w))),
                ),
                Mistake(
                    "The sign of B is reversed: the minus stands in the formula already, in Aᵢ − zᵢBᵢ.",
                    but(_line_3, 1, lambda w, X, y: -y),
                ),
                Mistake(
                    "B is that of the other class: z belongs to the points with y = 1.",
                    but(_line_3, 1, lambda w, X, y: 1 - y),
                ),
                Mistake("A and B have changed places.", lambda w, X, y: _line_3(w, X, y)[::-1]),
                Mistake("z is still in B: it stands before it already.", but(_line_3, 1, lambda w, X, y: y * (X @ w))),
                Mistake(
                    "A counts only the points with y = 0: the terms with yL belong to it too.",
                    but(_line_3, 0, lambda w, X, y: (1 - y) * np.log(1 + np.exp(X @ w))),
                ),
                Mistake(
                    "The terms with yL were subtracted: they have a plus, as those with (1 − y)L have.",
                    but(_line_3, 0, lambda w, X, y: (1 - 2 * y) * np.log(1 + np.exp(X @ w))),
                ),
                Mistake(
                    "This A is log(1 + e⁻ᶻ): collected is what is made of L, and L is log(1 + eᶻ).",
                    lambda w, X, y: (np.log(1 + np.exp(-X @ w)), y - 1),
                ),
            ],
        ),
        Line(
            does="differentiate Aᵢ − zᵢBᵢ with respect to zᵢ, Bᵢ being a constant: outer · inner + rest, where "
            "outer is the derivative of A with respect to u = 1 + eᶻ, and inner that of u",
            parts=("outer", "inner", "rest"),
            reference=_line_4,
            follows=_DIFFERENTIATED,
            whole=lambda here, w, X, y: here[0] * here[1] + here[2],
            mistakes=[
                Mistake(
                    "The inner derivative is that of 1 + eᶻ: the 1 is a constant.",
                    but(_line_4, 1, lambda w, X, y: 1 + np.exp(X @ w)),
                ),
                Mistake(
                    "This is the derivative of 1/u: that of log u is 1/u.",
                    but(_line_4, 0, lambda w, X, y: -1 / (1 + np.exp(X @ w)) ** 2),
                ),
                Mistake(
                    "outer is p here: p is outer times inner, and the derivative of log u with respect to u is outer "
                    "alone.",
                    but(_line_4, 0, lambda w, X, y: np.exp(X @ w) / (1 + np.exp(X @ w))),
                ),
                Mistake(
                    "The rest has lost its minus: −zB is differentiated.",
                    but(_line_4, 2, lambda w, X, y: y),
                ),
                Mistake(
                    "The rest still contains z: it is differentiated with respect to z.",
                    but(_line_4, 2, lambda w, X, y: -y * (X @ w)),
                ),
                Mistake(
                    "outer is still log u: what is its derivative with respect to u?",
                    but(_line_4, 0, lambda w, X, y: np.log(1 + np.exp(X @ w))),
                ),
                Mistake(
                    "The inner derivative is 1 here: u = 1 + eᶻ is differentiated with respect to z.",
                    but(_line_4, 1, lambda w, X, y: 1 + 0 * y),
                ),
                Mistake(
                    "The derivative of eᶻ with respect to z has no z before it.",
                    but(_line_4, 1, lambda w, X, y: (X @ w) * np.exp(X @ w)),
                ),
                Mistake(
                    "outer and inner have changed places.", lambda w, X, y: ((p := _line_4(w, X, y))[1], p[0], p[2])
                ),
                Mistake(
                    "The rest is 0 here: zB has the derivative B with respect to z.",
                    but(_line_4, 2, lambda w, X, y: 0 * y),
                ),
                Mistake(
                    "outer · inner is put together: asked for are the two factors.",
                    lambda w, X, y: (_sigmoid(X @ w), 1 + 0 * y, -y),
                ),
            ],
        ),
        Line(
            does="multiply line 4 by the derivative of zᵢ with respect to w, with p again: one row for each point, "
            "before the sum over the points that makes the gradient",
            reference=_line_5,
            follows=lambda before, w, X, y: (before[0] * before[1] + before[2])[:, None] * X,
            mistakes=[
                Mistake(
                    "The sign is reversed: these rows add up to the gradient of the log-likelihood.",
                    lambda w, X, y: (y - _sigmoid(X @ w))[:, None] * X,
                ),
                Mistake(
                    "The factor p(1 − p) belongs to the squared loss after the sigmoid, not to the cross-entropy.",
                    lambda w, X, y: ((p := _sigmoid(X @ w)) * (1 - p) * (p - y))[:, None] * X,
                ),
                Mistake(
                    "1/(1 + eᶻ) is 1 − p: how do you write eᶻ/(1 + eᶻ) with p?",
                    lambda w, X, y: (1 - _sigmoid(X @ w) - y)[:, None] * X,
                ),
                Mistake(
                    "The labels are gone: where is the rest of line 4?",
                    lambda w, X, y: _sigmoid(X @ w)[:, None] * X,
                ),
                Mistake(
                    "The rows are divided by n: line 1 is a sum, not a mean.", lambda w, X, y: _line_5(w, X, y) / len(y)
                ),
                Mistake(
                    "The derivative of xᵢᵀw with respect to w is xᵢ, and not w.",
                    lambda w, X, y: (_sigmoid(X @ w) - y)[:, None] * w,
                ),
                Mistake("z stands where p belongs: eᶻ/(1 + eᶻ) is p.", lambda w, X, y: (X @ w - y)[:, None] * X),
            ],
        ),
    ],
    cases=_points,
    forbids=(lr.nll, lr.signed_nll, lr.gradient, lr.mean_gradient, lr.objective, lr.penalised_gradient),
    alternatives=[
        Alternative(  # by log p = −log(1 + e⁻ᶻ), and log p − log(1 − p) = z
            lambda w, X, y: (
                y * np.log(np.exp(-X @ w)),
                y * np.log1p(np.exp(X @ w)),
                (y - 1) * np.log(1 / (1 + np.exp(X @ w))),
            ),
            part=0,
        ),
        Alternative(lambda w, X, y: (np.logaddexp(0, X @ w), 1.0 * y), part=1),
        Alternative(
            lambda w, X, y: (np.maximum(X @ w, 0) + np.log1p(np.exp(-np.abs(X @ w))), 1 - (1 - y)),
            part=1,
        ),
        Alternative(
            lambda w, X, y: ((1 + np.exp(X @ w)) ** -1, (p := 1 / (1 + np.exp(-X @ w))) / (1 - p), 0 - y),
            part=2,
        ),
        Alternative(
            lambda w, X, y: [x * (np.exp(x @ w) / (1 + np.exp(x @ w)) - t) for x, t in zip(X, y, strict=True)],
            part=3,
        ),
        Alternative(lambda w, X, y: np.diag((1 + np.tanh(X @ w / 2)) / 2 - y) @ X, part=3),
    ],
    hints=(
        Hint(
            "What is log p in terms of z?",
            r"$p=\frac{e^z}{1+e^z}$ and $1-p=\frac1{1+e^z}$. Take logarithms: a quotient becomes a difference.",
        ),
        Hint(
            "How do the terms collect?",
            "The same logarithm stands there twice, with weights that sum to 1.",
        ),
        Hint(
            "How do I differentiate a logarithm?",
            r"$\frac{\mathrm d}{\mathrm dz}\log u(z)=\frac1u\cdot u'(z)$: the first factor is the outer derivative.",
        ),
        Hint(
            "How do I differentiate with respect to a vector?",
            r"Point by point, by the chain rule: $\nabla_w\,g(x_i^\top w)=g'(z_i)\,x_i$. "
            "Each row is a number times $x_i$: `c[:, None] * X`.",
        ),
    ),
    see="The section *Derive*: (12.2) gives p and 1 − p in terms of z. Line 3 is (12.3), the sum of the rows of "
    "line 5 is (12.4).",
)


signed_loss = Function(
    "signed_loss",
    asks="The same loss with labels ±1",
    points=1,
    reference=lr.signed_nll,
    cases=_logits,
    forbids=(lr.nll, lr.objective),
    mistakes=[
        Mistake(
            "The exponent has the wrong sign: a point on the right side, sz > 0, must have a small loss.",
            lambda z, y: np.sum(np.logaddexp(0, (2 * y - 1) * z)),
        ),
        Mistake(
            "y stands where s belongs: for y = 0 the exponent vanishes and the loss no longer depends on z.",
            lambda z, y: np.sum(np.logaddexp(0, -y * z)),
        ),
        Mistake(
            "For sz = −800 the exponential overflows and the loss is inf; it should be 800. Look at np.logaddexp.",
            lambda z, y: np.sum(np.log(1 + np.exp(-(2 * y - 1) * z))),
        ),
        Mistake(
            "The 1 inside the logarithm is missing: log exp(−sz) is −sz, and the loss would be negative.",
            lambda z, y: np.sum(-(2 * y - 1) * z),
        ),
    ],
    alternatives=[
        Alternative(lambda z, y: np.sum(np.logaddexp(0, z) - y * z)),
        Alternative(lambda z, y: np.sum(np.logaddexp(0, np.where(y == 1, -z, z)))),
        Alternative(lambda z, y: np.sum(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - y * z)),
    ],
    hints=(
        Hint(
            "Where do I start?",
            r"Take $y=1$ and $y=0$ in turn: $\log(1+e^z)-z=\log(1+e^{-z})$, and the other one is there already.",
        ),
        Hint("How do I get s from y?", "$s=2y-1$ is $+1$ for $y=1$ and $-1$ for $y=0$."),
        Hint(
            "How do I keep it finite?",
            "`np.logaddexp(0, a)` is $\\log(e^0+e^a)$ without an overflow.",
        ),
    ),
    see="Equation (12.5): one expression for both cases of (12.3).",
)


# --- curvature ---


def _curved(weights, sign=1.0):
    """±Xᵀ diag(weights) X with the weights made of p."""
    return lambda w, X: sign * X.T @ (weights(_sigmoid(X @ w))[:, None] * X)


logistic_hessian = Function(
    "logistic_hessian",
    asks="The Hessian that was left to the reader",
    points=2,
    reference=lr.hessian,
    cases=_without_labels,
    mistakes=[
        Mistake(
            "This is negative: it belongs to the log-likelihood. The loss is convex, its Hessian has no negative "
            "eigenvalue.",
            _curved(lambda p: p * (1 - p), -1.0),
        ),
        Mistake(
            "XᵀX counts every point in full: the derivative of pᵢ brings a weight for each point.",
            _curved(np.ones_like),
        ),
        Mistake(
            "The weight is p, not its derivative: a point with p = 1 should weigh as little as one with p = 0.",
            _curved(lambda p: p),
        ),
        Mistake(
            "The weights come in squared: scale the rows of one of the two X, or both by the root.",
            _curved(lambda p: (p * (1 - p)) ** 2),
        ),
        Mistake(
            "The weight is the root of what it should be: both factors X together need the weight once.",
            _curved(lambda p: np.sqrt(p * (1 - p))),
        ),
    ],
    alternatives=[
        Alternative(lambda w, X: X.T @ np.diag(_sigmoid(X @ w) * (1 - _sigmoid(X @ w))) @ X),
        Alternative(lambda w, X: sum(_sigmoid(x @ w) * _sigmoid(-x @ w) * np.outer(x, x) for x in X)),
        Alternative(lambda w, X: np.einsum("ni,n,nj->ij", X, 1 / (2 + 2 * np.cosh(X @ w)), X)),
    ],
    hints=(
        Hint(
            "What do I differentiate?",
            r"The gradient $X^\top(p-y)=\sum_i(p_i-y_i)x_i$. Only $p_i=\sigma(x_i^\top w)$ depends on $w$.",
        ),
        Hint(
            "What is the derivative of one entry?",
            r"$\partial p_i/\partial w_k=\sigma'(z_i)\,x_{ik}$, so the entry $(j,k)$ is "
            r"$\sum_i\sigma'(z_i)x_{ij}x_{ik}$.",
        ),
        Hint("How do I write it with matrices?", "`v[:, None] * X` multiplies row $i$ of $X$ by $v_i$."),
    ),
    see="Equation (12.6): the derivative of (12.4), with (12.1) for each p.",
)

strictly_convex = Choice(
    "strictly_convex",
    asks="When is the loss strictly convex?",
    points=1,
    options={
        "a": Option(
            "for every $X$",
            wrong="Take two equal columns: w = (1, −1) and w = (0, 0) give the same z, and so does every w between.",
        ),
        "b": Option("exactly if no column of $X$ is a combination of the others"),
        "c": Option(
            "exactly if no line separates the two classes",
            wrong="Overlap decides whether a minimum is reached, not whether the loss bends. Repeat a column of "
            "overlapping data, and the loss is flat along (1, −1).",
        ),
    },
    reasons={
        "i": Option(
            "every term $\\log(1+e^{z_i})-y_iz_i$ is strictly convex, and so is their sum",
            wrong="Each term is strictly convex in zᵢ, not in w: it does not notice a step that is orthogonal to xᵢ.",
        ),
        "ii": Option("$a^\\top Ha=\\sum_iv_i(x_i^\\top a)^2$ with all $v_i>0$ is zero only where $Xa=0$"),
        "iii": Option(
            "the diagonal of $H$ is positive",
            wrong="The matrix of four ones has a positive diagonal too, and it sends (1, −1) to 0.",
        ),
    },
    hints=(
        Hint(
            "How do I test it?",
            "A direction $a\\neq0$ with $a^\\top Ha=0$ is flat. Which $a$ can that be, if no $v_i$ is 0?",
        ),
    ),
    see="Equation (12.6): write aᵀHa as a sum over the points.",
)


# --- Newton, twice ---


def _newton(w, X, y, factor):
    return w + factor(lr.hessian(w, X), lr.gradient(w, X, y))


logistic_newton = Function(
    "logistic_newton",
    asks="Newton's step",
    points=1,
    reference=lr.newton_step,
    cases=_newton_points,
    forbids=(lr.irls_step, lr.newton, lr.fit),
    mistakes=[
        Mistake(
            "The step goes uphill: H⁻¹∇ is to be subtracted.",
            lambda w, X, y: _newton(w, X, y, np.linalg.solve),
        ),
        Mistake(
            "H times the gradient: where the loss bends much the step should be short. Solve, do not multiply.",
            lambda w, X, y: _newton(w, X, y, lambda H, g: -H @ g),
        ),
        Mistake(
            "The step is divided by n. With means n would stand in the gradient and in the Hessian, and cancel.",
            lambda w, X, y: _newton(w, X, y, lambda H, g: -np.linalg.solve(H, g) / len(y)),
        ),
        Mistake(
            "This is the step, not the place that it leads to: w is missing.",
            lambda w, X, y: -np.linalg.solve(lr.hessian(w, X), lr.gradient(w, X, y)),
        ),
        Mistake(
            "This is a step of gradient descent with η = 1: the curvature does not come in.",
            lambda w, X, y: w - lr.gradient(w, X, y),
        ),
    ],
    alternatives=[
        Alternative(lambda w, X, y: w - np.linalg.inv(lr.hessian(w, X)) @ lr.gradient(w, X, y)),
        Alternative(lambda w, X, y: np.linalg.solve(H := lr.hessian(w, X), H @ w - lr.gradient(w, X, y))),
        Alternative(lambda w, X, y: w - np.linalg.lstsq(lr.hessian(w, X), lr.gradient(w, X, y), rcond=None)[0]),
    ],
    hints=(
        Hint("Which formula?", r"(10.10) of notebook 10, with $\nabla$ from (12.4) and $H$ from (12.6)."),
        Hint("How do I apply H⁻¹?", "`np.linalg.solve(H, g)`. You may use `lr.gradient` and `lr.hessian`."),
    ),
    see="Equation (12.7): Newton's step of notebook 10 with this gradient and this Hessian.",
)


def _irls(response, weight=lambda p, v: v, fit_to=None):
    """A response made of (z, p, v, y), and the weighted least squares fit to it."""

    def step(w, X, y):
        z, p, v = _parts(w, X)
        u, c = response(z, p, v, y), weight(p, v)
        target = u if fit_to is None else fit_to(z, p, v, y)
        return u, np.linalg.solve(X.T @ (c[:, None] * X), X.T @ (c * target))

    return step


def _working(z, p, v, y):
    return z + (y - p) / v


irls_step = Function(
    "irls_step",
    asks="The same step as weighted least squares",
    points=2,
    reference=lr.irls_step,
    returns=("u", "w"),
    cases=_points,
    forbids=(lr.newton_step, lr.newton, lr.fit),
    mistakes=[
        Mistake(
            "u is not divided by v: sort Hw − ∇ as XᵀVu and see what y − p is multiplied by.",
            _irls(lambda z, p, v, y: z + (y - p)),
        ),
        Mistake(
            "The correction to z has the wrong sign in u: v is positive, and a point with y = 1 pulls z upwards.",
            _irls(lambda z, p, v, y: z - (y - p) / v),
        ),
        Mistake(
            "u is right, but every point counts the same here: the fit has to be weighted with v.",
            _irls(_working, lambda p, v: np.ones_like(v)),
        ),
        Mistake(
            "u is right, but its fit is weighted with √v: the weighted squares are vᵢ(uᵢ − xᵢᵀw)².",
            _irls(_working, lambda p, v: np.sqrt(v)),
        ),
        Mistake(
            "u is right, but the fit is to y: the labels 0 and 1 are not on the scale of z.",
            _irls(_working, fit_to=lambda z, p, v, y: y),
        ),
        Mistake(
            "z is missing from u: what is left is the step alone, and it leads from 0 instead of from w.",
            _irls(lambda z, p, v, y: (y - p) / v),
        ),
    ],
    alternatives=[
        Alternative(lambda w, X, y: _irls_by_roots(w, X, y)),
        Alternative(
            lambda w, X, y: (
                X @ w + np.where(y == 1, 1 + np.exp(-X @ w), -1 - np.exp(X @ w)),
                w - np.linalg.solve(lr.hessian(w, X), lr.gradient(w, X, y)),
            )
        ),
    ],
    hints=(
        Hint(
            "Where does u come from?",
            r"$w^+=H^{-1}(Hw-\nabla)$ with $H=X^\top VX$, $V=\mathrm{diag}(v)$. "
            r"Write $Hw-\nabla$ as $X^\top V(\dots)$; what stands in the bracket is $u$.",
        ),
        Hint(
            "I have u. How do I fit it?",
            r"The normal equations of $\sum_iv_i(u_i-x_i^\top w)^2$ are $X^\top VX\,w=X^\top Vu$.",
        ),
    ),
    see="Equation (12.8): sort Newton's step so that it reads as normal equations.",
)


def _irls_by_roots(w, X, y):
    """Rows and responses scaled by √v, then plain least squares."""
    z, p, v = _parts(w, X)
    u = _working(z, p, v, y)
    return u, np.linalg.lstsq(np.sqrt(v)[:, None] * X, np.sqrt(v) * u, rcond=None)[0]


# --- the penalty, and the bias that it does not see ---


def _penalised(g_w=lambda g, w, lam, n: g + lam * w, g_b=lambda g, b, lam, n: g, bias=1.0):
    def gradient(w, b, X, y, lam):
        r = _sigmoid(X @ w + bias * b) - y
        return g_w(X.T @ r, w, lam, len(y)), g_b(np.sum(r), b, lam, len(y))

    return gradient


logistic_penalised = Function(
    "logistic_penalised",
    asks="The gradient with a penalty and a free bias",
    points=2,
    reference=lr.penalised_gradient,
    returns=("g_w", "g_b"),
    cases=_with_penalty,
    mistakes=[
        Mistake(
            "The bias is penalised too: λb does not belong to ∂J/∂b, since b is not in ‖w‖².",
            _penalised(g_b=lambda g, b, lam, n: g + lam * b),
        ),
        Mistake(
            "2λw is twice too much: the penalty is ½λ‖w‖², and the ½ takes the 2.",
            _penalised(lambda g, w, lam, n: g + 2 * lam * w),
        ),
        Mistake(
            "The data are divided by n and the penalty is not: scale both terms or neither. Here J is a sum.",
            _penalised(lambda g, w, lam, n: g / n + lam * w, lambda g, b, lam, n: g / n),
        ),
        Mistake(
            "Everything is divided by n: this is the gradient of J/n.",
            _penalised(lambda g, w, lam, n: (g + lam * w) / n, lambda g, b, lam, n: g / n),
        ),
        Mistake(
            "b does not come into the probabilities: p = σ(Xw + b).",
            _penalised(bias=0.0),
        ),
        Mistake(
            "∂J/∂b is the mean of p − y here: the loss is a sum.",
            _penalised(g_b=lambda g, b, lam, n: g / n),
        ),
    ],
    alternatives=[
        Alternative(
            lambda w, b, X, y, lam: (
                g := np.column_stack([X, np.ones(len(y))]).T @ (_sigmoid(X @ w + b) - y),
                (g[:-1] + lam * w, g[-1]),
            )[1]
        ),
        Alternative(
            lambda w, b, X, y, lam: (
                lam * w - X.T @ (y - 1 / (1 + np.exp(-b - X @ w))),
                np.sum(1 / (1 + np.exp(-b - X @ w))) - np.sum(y),
            )
        ),
    ],
    hints=(
        Hint(
            "What changes against (12.4)?",
            r"$z=Xw+b$, and the penalty adds its own derivative to $\partial J/\partial w$.",
        ),
        Hint(
            "How do I differentiate with respect to b?",
            r"$\partial z_i/\partial b=1$ for every point, so $b$ is the weight of a column of ones.",
        ),
    ),
    see="Equation (12.10): (12.4) with a bias, and the derivative of the penalty.",
)


# --- Break it: data without a minimum ---

_ROWS = "Rows (x, y) are asked for, at least four of them: an array of shape (n, 2)."
_LABELS = "Every y must be 0 or 1."
_BOTH = "Each of the two classes must have at least two points."
_ALL_EQUAL = "All x are equal. Then only w·x + b counts, and a finite one is best. Spread the points."
_OVERLAP = (
    "These classes overlap: a point of one lies among the points of the other, a large |w| makes it expensive, and so "
    "there is a minimum. Can a line be drawn that leaves no point on the wrong side?"
)


def _no_minimum(rows):
    x, y = rows.T
    zeros, ones = x[y == 0], x[y == 1]
    return zeros.max() <= ones.min() or ones.max() <= zeros.min()


separable_set = Property(
    "separable_set",
    asks="Points without a best line",
    points=1,
    laws=[
        Law(_ROWS, lambda rows: rows.ndim == 2 and rows.shape[1] == 2 and len(rows) >= 4),
        Law(_LABELS, lambda rows: bool(np.isin(rows[:, 1], (0, 1)).all())),
        Law(_BOTH, lambda rows: 2 <= np.sum(rows[:, 1]) <= len(rows) - 2),
        Law(_ALL_EQUAL, lambda rows: np.ptp(rows[:, 0]) > 0),
        Law(_OVERLAP, _no_minimum),
    ],
    mistakes=[
        Mistake(_ROWS, [[-2, -1, 1, 2], [0, 0, 1, 1]]),
        Mistake(_ROWS, [[-1, 0], [1, 1]]),
        Mistake(_LABELS, [[-2, -1], [-1, -1], [1, 1], [2, 1]]),
        Mistake(_BOTH, [[-2, 1], [-1, 1], [1, 1], [2, 1]]),
        Mistake(_BOTH, [[-2, 0], [-1, 1], [1, 1], [2, 1]]),
        Mistake(_ALL_EQUAL, [[1, 0], [1, 0], [1, 1], [1, 1]]),
        Mistake(_OVERLAP, [[-2, 0], [-1, 1], [1, 0], [2, 1]]),
        Mistake(_OVERLAP, [[0, 0], [1, 1], [2, 0], [3, 1], [4, 1]]),
    ],
    alternatives=[
        Alternative([[1, 1], [2, 1], [3, 0], [4, 0]]),
        Alternative(np.array([[5.0, 1], [-3, 0], [-8, 0], [9, 1], [7, 1]])),
        Alternative([[0, 0], [1, 0], [1, 1], [2, 1]]),  # touching is enough: the loss still falls for ever
    ],
    hints=(
        Hint(
            "What makes the loss fall for ever?",
            "Take a $w$ and $b$ that put every point on its side, and multiply both by 10. What does every term of "
            "(12.5) do?",
        ),
        Hint("What do I write down?", "Rows `(x, y)`: all points with $y=0$ to the left of all points with $y=1$."),
    ),
    see="The section *Break it*: the terms of (12.5) when w and b are multiplied by a large number.",
)


def _separable(rng, n, d):
    """Labels by the sign of a fixed direction, with a gap."""
    X = rng.normal(size=(n, d))
    y = (X[:, 0] + 0.3 > 0).astype(float)
    y[:2] = 0, 1
    X[:, 0] = np.where(y == 1, 1, -1) * (np.abs(X[:, 0]) + 0.4)
    return X, y


def _walks(rng):
    """Separable without a penalty, and overlapping with one; steps that do not overshoot."""
    cases = []
    for (X, y), lam, T in (
        (_separable(rng, 3, 1), 0.0, 4),
        (_separable(rng, 8, 2), 0.0, 25),
        (_data(rng, 10, 3), rng.uniform(0.5, 2), 3),
        (_separable(rng, 6, 2), rng.uniform(0.5, 2), 7),
    ):
        eta = rng.uniform(0.4, 0.8) / (lam + np.linalg.norm(X, 2) ** 2 / 4)
        cases.append((X, y, lam, eta, T))
    return cases


def _descent_length(X, y, lam, eta, T):
    """‖w_T‖ of gradient descent on J without a bias, from w = 0."""
    *_, w = lr.descent(X, y, lam, eta, T)
    return np.linalg.norm(w)


def _walk(X, y, lam, eta, T, sign=1.0, scale=lambda n: 1.0):
    w = np.zeros(X.shape[1])
    for _ in range(T):
        w = w - sign * eta * (scale(len(y)) * lr.gradient(w, X, y) + lam * w)
    return w


descent_length = Function(
    "descent_length",
    asks="How long the weights get",
    points=1,
    reference=_descent_length,
    cases=_walks,
    forbids=(lr.descent,),
    mistakes=[
        Mistake(
            "These are the weights themselves: their length is asked for.",
            lambda X, y, lam, eta, T: _walk(X, y, lam, eta, T),
        ),
        Mistake(
            "This is the squared length.",
            lambda X, y, lam, eta, T: np.sum(_walk(X, y, lam, eta, T) ** 2),
        ),
        Mistake(
            "This is one step too many: after T steps the gradient has been used T times.",
            lambda X, y, lam, eta, T: np.linalg.norm(_walk(X, y, lam, eta, T + 1)),
        ),
        Mistake(
            "This is one step too few: after T steps the gradient has been used T times.",
            lambda X, y, lam, eta, T: np.linalg.norm(_walk(X, y, lam, eta, T - 1)),
        ),
        Mistake(
            "The steps go uphill: w − η∇J, not w + η∇J.",
            lambda X, y, lam, eta, T: np.linalg.norm(_walk(X, y, lam, eta, T, sign=-1.0)),
        ),
        Mistake(
            "The gradient of the data is divided by n: the loss is a sum.",
            lambda X, y, lam, eta, T: np.linalg.norm(_walk(X, y, lam, eta, T, scale=lambda n: 1 / n)),
        ),
    ],
    alternatives=[
        Alternative(lambda X, y, lam, eta, T: np.sqrt(np.sum(_walk(X, y, lam, eta, T) ** 2))),
    ],
    hints=(
        Hint("What is one step?", r"$w\leftarrow w-\eta\,(X^\top(p-y)+\lambda w)$, with $p=\sigma(Xw)$."),
        Hint("How do I count?", "`for _ in range(T)`, starting from `np.zeros(X.shape[1])`."),
    ),
    see="Equation (10.1) with the gradient (12.10), and b = 0.",
)

length_bound = Function(
    "length_bound",
    asks="How long ŵ can be at most",
    points=1,
    reference=lr.length_bound,
    cases=_sizes,
    mistakes=[
        Mistake("This bounds ‖ŵ‖²: take the root.", lambda n, lam: 2 * n * np.log(2) / lam),
        Mistake(
            "The 2 is missing: the penalty is ½λ‖w‖².",
            lambda n, lam: np.sqrt(n * np.log(2) / lam),
        ),
        Mistake(
            "This is the bound for one point: at w = 0 every point costs log 2.",
            lambda n, lam: np.sqrt(2 * np.log(2) / lam),
        ),
        Mistake(
            "A point with p = ½ costs log 2, not 1: the logarithm is the natural one.",
            lambda n, lam: np.sqrt(2 * n / lam),
        ),
        Mistake(
            "λ is in the wrong place: the larger the penalty, the shorter ŵ.",
            lambda n, lam: np.sqrt(2 * n * np.log(2) * lam),
        ),
    ],
    alternatives=[
        Alternative(lambda n, lam: np.sqrt(n * np.log(4) / lam)),
        Alternative(lambda n, lam: np.exp((np.log(2 * n / lam) + np.log(np.log(2))) / 2)),
    ],
    hints=(
        Hint("What is J at w = 0 and b = 0?", r"Every $p_i$ is $\frac12$, and the penalty is zero."),
        Hint(
            "And what does that say about ŵ?",
            r"The loss is never negative, so $\frac\lambda2\lVert\hat w\rVert^2\le J(\hat w,\hat b)\le J(0,0)$.",
        ),
    ),
    see="Equation (12.11): compare J at the minimum with J at 0.",
)


# --- a printed formula, wrong in one place ---


def _printed(w, X, y):
    return X.T @ (y * (_sigmoid(X @ w) - 1)) / len(y)


def _weighted(formula):
    """A derivative that is Xᵀ times a vector of p and y."""
    return lambda w, X, y: X.T @ formula(_sigmoid(X @ w), y)


def _mean(formula):
    return lambda w, X, y: _weighted(formula)(w, X, y) / len(y)


_SQUARED = "p(1 − p) comes from the squared loss after the sigmoid, which is not convex."

mean_gradient = Slip(
    "mean_gradient",
    asks="The gradient as printed",
    points=2,
    printed=_printed,
    reference=lr.mean_gradient,
    cases=_mean_points,
    forbids=(lr.gradient,),
    admits=lambda w, X, y: (
        np.ndim(X) == 2
        and np.shape(w) == (np.shape(X)[1],)
        and np.shape(y) == (len(X),)
        and bool(np.isin(y, (0, 1)).all())
    ),
    domain="w of shape (d,), X of shape (n, d) and y of shape (n,) with entries 0 or 1",
    mistakes=[
        Mistake(
            "This is still the printed formula: points with y = 0 contribute nothing to it, and they should.", _printed
        ),
        Mistake(
            "The sign is reversed: this is the gradient of the mean log-likelihood.",
            _mean(lambda p, y: y - p),
        ),
        Mistake(_SQUARED, _mean(lambda p, y: (p - y) * p * (1 - p))),
        Mistake(_SQUARED, _mean(lambda p, y: 2 * (p - y) * p * (1 - p))),
        Mistake("This is the gradient of the sum: the mean loss is asked for.", _weighted(lambda p, y: p - y)),
        Mistake(
            "With labels s = ±1 the argument of σ needs its sign too: σ(sz) − 1.",
            lambda w, X, y: X.T @ ((2 * y - 1) * (_sigmoid(X @ w) - 1)) / len(y),
        ),
        Mistake(SAME_THERE, ([0.5], [[1.0], [2.0]], [1.0, 1.0]), part=1),
        Mistake(SAME_THERE, ([1.0, 2.0], [[1.0, 0.0]], [1.0]), part=1),
    ],
    alternatives=[
        Alternative(lambda w, X, y: np.mean((_sigmoid(X @ w) - y)[:, None] * X, axis=0)),
        Alternative(lambda w, X, y: X.T @ ((s := 2 * y - 1) * (_sigmoid(s * (X @ w)) - 1)) / len(y)),
        Alternative(([0.0], [[1.0]], [0.0]), part=1),
        Alternative(([1, -1], [[1, 2], [3, 4]], [0, 1]), part=1),
    ],
    hints=(
        Hint("What do I compare it with?", "(12.4), divided by $n$. For which labels do the two agree?"),
        Hint("What is the smallest counter-example?", "One point with $y=0$: its printed contribution is zero."),
    ),
    see="Equation (12.12): (12.4) divided by n. With labels ±1 the printed form would be y(σ(yz) − 1)x.",
)


perfect_predictor = Explanation(
    "perfect_predictor",
    asks="A perfect predictor",
    points=3,
    rubric=(
        "1 point: some line separates the 300 patients, so multiplying w and b by a number above 1 lowers every term "
        "log(1 + exp(−sz)); the loss tends to 0, no finite w is best, and the weight reported is where the program "
        "happened to stop. 1 point: with λ > 0 the penalty grows as w does, ½λ‖ŵ‖² ≤ J(0) = n log 2, so there is a "
        "minimum (and one only, since J is then strictly convex in w). 1 point: b carries the base rate; at the free "
        "minimum Σp = Σy, so the mean probability is the share of ill patients, and a penalty on b would pull it "
        "towards ½."
    ),
)

topic = Topic(
    number=12,
    slug="logistic_regression",
    title="Logistic regression",
    question="How does a straight line become a probability?",
    part="Classification",
    minutes=90,
    before={
        "maximum_likelihood": "maximum likelihood",
        "convexity": "convexity",
        "gradient_descent": "Newton's method",
    },
    exercises=[
        sigmoid_slope,
        logistic_chain,
        signed_loss,
        logistic_hessian,
        strictly_convex,
        logistic_newton,
        irls_step,
        logistic_penalised,
        separable_set,
        descent_length,
        length_bound,
        mean_gradient,
        perfect_predictor,
    ],
)
check = Checks(topic)
