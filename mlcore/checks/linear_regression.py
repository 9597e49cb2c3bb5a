"""The exercises of 04 linear_regression."""

import numpy as np

from mlcore import linear_regression as lr
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

# --- data to be tried on: far from the origin, never square, columns that are not orthogonal ---


def _data(rng, n, d, level):
    """Columns with an offset, and y around a level that is not 0: a bias that crept in shows."""
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n) + level


def _small(rng):
    """Three points, two columns, whole numbers; the columns are independent and not orthogonal."""
    X = np.column_stack([rng.permutation([1.0, 2.0, 4.0]), np.ones(3)])
    return X, rng.integers(1, 9, size=3).astype(float)


def _tall(rng):
    return [_small(rng), _data(rng, 12, 4, level=5), _data(rng, 20, 3, level=-5)]


def _wide(rng):
    return [(np.array([[1.0, 2.0, rng.integers(3, 6)], [0.0, 1.0, 1.0]]), np.array([3.0, rng.integers(2, 5)]))] + [
        _data(rng, n, d, level) for n, d, level in ((3, 7, 5), (4, 9, -5))
    ]


def _pairs(rng):
    """x and y of one feature, both with an offset; y above x and below it, rising and falling."""
    small = rng.permutation([1.0, 2.0, 4.0]), rng.integers(4, 20, size=3).astype(float)
    x, z, u = rng.normal(size=12) + 3, rng.normal(size=7) - 1, rng.normal(size=9) + 2
    above, below = (z, 4 - z + rng.normal(size=7)), (u, -8 - u + rng.normal(size=9))
    return [small, (x, 2 * x + 5 + rng.normal(size=12)), above, below]


def _noisy(rng):
    """w, X, y and σ on both sides of 1, with few points: their likelihood is a product that does not underflow."""
    cases = []
    for (X, _), sigma in zip(_tall(rng), rng.uniform([0.6, 1.2, 0.6], [0.9, 2, 2]), strict=True):
        w = rng.normal(size=X.shape[1])
        X = X * np.where(np.arange(len(X)) % 2, 1, -1)[:, None]  # a row below 0
        cases.append((w, X, X @ w + rng.normal(size=len(X)) + 1, sigma))
    return cases


def _at_some_w(rng):
    return [(rng.normal(size=X.shape[1]), X, y) for X, y in _tall(rng)]


# --- one number ---


def _centred(x):
    return x - x.mean()


ols_slope = Function(
    "ols_slope",
    asks="The best slope of a line through the origin",
    points=2,
    reference=lr.slope,
    cases=_pairs,
    mistakes=[
        Mistake(
            "This is the mean of the slopes yᵢ/xᵢ, in which all points count the same. In L(a) a point far from the "
            "origin counts more: its vote has the weight xᵢ².",
            lambda x, y: np.mean(y / x),
        ),
        Mistake(
            "ȳ/x̄ makes the misses add up to 0. That is not the same as making their squares least.",
            lambda x, y: y.mean() / x.mean(),
        ),
        Mistake(
            "This is the slope of a line with a bias. The model here is ax: it goes through the origin, so nothing is "
            "centred.",
            lambda x, y: _centred(x) @ y / (_centred(x) @ _centred(x)),
        ),
        Mistake(
            "This divides by Σyᵢ²: it is the slope for x from y. The coefficient of a² in L(a) is Σxᵢ².",
            lambda x, y: x @ y / (y @ y),
        ),
        Mistake(
            "Σxᵢyᵢ is one side of aΣxᵢ² = Σxᵢyᵢ: divide by what multiplies a.",
            lambda x, y: x @ y,
        ),
    ],
    alternatives=[
        Alternative(lambda x, y: np.average(y / x, weights=x**2)),
        Alternative(lambda x, y: np.linalg.lstsq(x[:, None], y, rcond=None)[0][0]),
    ],
    hints=(
        Hint(
            "How does L depend on a?",
            r"Multiply out: $L(a)=a^2\sum x_i^2-2a\sum x_iy_i+\sum y_i^2$, a parabola that opens upwards.",
        ),
        Hint("Where is it lowest?", r"Where $L'(a)=2a\sum x_i^2-2\sum x_iy_i$ is zero."),
        Hint(
            "How do I test my formula?",
            r"Without noise, $y_i=a^*x_i$, it must return $a^*$. Try `x = np.array([1., 2., 4.])` and `y = 3 * x`.",
        ),
    ),
    see="Equation (4.2): multiply (4.1) out and set its derivative with respect to a to zero.",
)

ols_shift = Function(
    "ols_shift",
    asks="The best shift, when the slope is known",
    points=1,
    reference=lr.shift,
    cases=_pairs,
    mistakes=[
        Mistake(
            "This is the sum of the differences: the derivative is 2Σ(xᵢ + a − yᵢ), in which a is counted n times.",
            lambda x, y: np.sum(y - x),
        ),
        Mistake(
            "The median of the differences makes Σ|xᵢ + a − yᵢ| least. For squares it is another average.",
            lambda x, y: np.median(y - x),
        ),
        Mistake(
            "The sign is reversed: if every y lies above its x, the shift must be positive.",
            lambda x, y: np.mean(x - y),
        ),
        Mistake(
            "This is ȳ, the best constant. The model already gives x: only y − x is left to explain.",
            lambda x, y: y.mean(),
        ),
        Mistake(
            "This is the bias of a line whose slope is fitted too. Here the slope is 1.",
            lambda x, y: y.mean() - _centred(x) @ y / (_centred(x) @ _centred(x)) * x.mean(),
        ),
    ],
    alternatives=[
        Alternative(lambda x, y: y.mean() - x.mean()),
        Alternative(lambda x, y: np.linalg.lstsq(np.ones((len(x), 1)), y - x, rcond=None)[0][0]),
    ],
    hints=(
        Hint("What is the loss now?", r"$L(a)=\sum_i(x_i+a-y_i)^2$. Differentiate it with respect to $a$."),
        Hint("The derivative is zero. And now?", r"$\sum_i(x_i+a-y_i)=0$, and $\sum_ia=na$."),
    ),
    see="Equation (4.3): the derivative of Σ(xᵢ + a − yᵢ)² is zero where the misses add up to 0.",
)


# --- by what right: from the likelihood to the normal equations ---


def _line_1(w, X, y, sigma):
    return np.prod(np.exp(-((y - X @ w) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2))


def _line_2(w, X, y, sigma):
    return -np.log(2 * np.pi * sigma**2) / 2, -1 / (2 * sigma**2), (y - X @ w) ** 2


def _line_3(w, X, y, sigma):
    return -len(y) * np.log(2 * np.pi * sigma**2) / 2, -1 / (2 * sigma**2), (y - X @ w) @ (y - X @ w)


def _line_4(w, X, y, sigma):
    return (
        X.T @ X / (2 * sigma**2),
        X.T @ y / (2 * sigma**2),
        -len(y) * np.log(2 * np.pi * sigma**2) / 2 - y @ y / (2 * sigma**2),
    )


def _line_5(w, X, y, sigma):
    return X.T @ y / sigma**2, X.T @ X / sigma**2


def _multiplied_out(before, w, X, y, sigma):
    """Line 4 from a line 3 that may be off in its constant, in its factor, or in what multiplies the squares."""
    constant, factor, loss = before
    times = factor * loss / np.sum((y - X @ w) ** 2)
    return -times * X.T @ X, -times * X.T @ y, constant + times * y @ y


ols_likelihood = Chain(
    "ols_likelihood",
    asks="From the likelihood to the normal equations",
    first=_line_1,
    lines=[
        Line(
            does="take the logarithm of one density: front + factor · square, with one square without σ for each point",
            parts=("front", "factor", "squares"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "What stands in front is divided by √(2πσ²): its logarithm has a minus.",
                    but(_line_2, 0, lambda w, X, y, sigma: np.log(2 * np.pi * sigma**2) / 2),
                ),
                Mistake(
                    "The root was lost: log √a is half of log a.",
                    but(_line_2, 0, lambda w, X, y, sigma: -np.log(2 * np.pi * sigma**2)),
                ),
                Mistake(
                    "The exponent lost its minus: log e⁻ᵘ is −u.",
                    but(_line_2, 1, lambda w, X, y, sigma: 1 / (2 * sigma**2)),
                ),
                Mistake(
                    "The 2 below the square is gone: the exponent has 2σ² there, not σ².",
                    but(_line_2, 1, lambda w, X, y, sigma: -1 / sigma**2),
                ),
                Mistake(
                    "σ in the exponent lost its square.",
                    but(_line_2, 1, lambda w, X, y, sigma: -1 / (2 * sigma)),
                ),
                Mistake(
                    "σ² is in the squares here. It belongs to the factor: the squares hold no σ.",
                    lambda w, X, y, sigma: (-np.log(2 * np.pi * sigma**2) / 2, -0.5, ((y - X @ w) / sigma) ** 2),
                ),
                Mistake(
                    "What stands in front has no logarithm yet: log(ab) = log a + log b.",
                    but(_line_2, 0, lambda w, X, y, sigma: 1 / np.sqrt(2 * np.pi * sigma**2)),
                ),
                Mistake(
                    "σ in front lost its square.",
                    but(_line_2, 0, lambda w, X, y, sigma: -np.log(2 * np.pi * sigma) / 2),
                ),
                Mistake(
                    "σ² is above in the factor: the exponent is divided by it.",
                    but(_line_2, 1, lambda w, X, y, sigma: -(sigma**2) / 2),
                ),
                Mistake(
                    "These are the residuals: their squares are asked for.",
                    but(_line_2, 2, lambda w, X, y, sigma: y - X @ w),
                ),
                Mistake(
                    "The prediction was added: a residual is y minus Xw.",
                    but(_line_2, 2, lambda w, X, y, sigma: (y + X @ w) ** 2),
                ),
                Mistake(
                    "The factor is in the squares already: here it comes twice.",
                    but(_line_2, 2, lambda w, X, y, sigma: -((y - X @ w) ** 2) / (2 * sigma**2)),
                ),
                Mistake(
                    "Nothing is left in front: the density is divided by √(2πσ²), and that has a logarithm too.",
                    but(_line_2, 0, lambda w, X, y, sigma: 0.0),
                ),
                Mistake(
                    "σ is gone. The two are these numbers only if σ is 1.",
                    lambda w, X, y, sigma: (-np.log(2 * np.pi) / 2, -0.5, (y - X @ w) ** 2),
                ),
            ],
        ),
        Line(
            does="add up over the points: constant + factor · loss, with the loss L(w) of (4.4)",
            parts=("constant", "factor", "loss"),
            reference=_line_3,
            follows=lambda before, w, X, y, sigma: (len(y) * before[0], before[1], np.sum(before[2])),
            mistakes=[
                Mistake(
                    "The constant is counted once: every one of the n densities has its factor 1/√(2πσ²).",
                    but(_line_3, 0, lambda w, X, y, sigma: -np.log(2 * np.pi * sigma**2) / 2),
                ),
                Mistake(
                    "The loss is divided by n: the likelihood has a sum over the points, not a mean.",
                    but(_line_3, 2, lambda w, X, y, sigma: np.mean((y - X @ w) ** 2)),
                ),
                Mistake(
                    "The factor was multiplied by n: it is the same for all points and comes out of the sum as it is.",
                    but(_line_3, 1, lambda w, X, y, sigma: -len(y) / (2 * sigma**2)),
                ),
                Mistake(
                    "The factor is in the loss already: it would come twice, and (4.4) has none.",
                    but(_line_3, 2, lambda w, X, y, sigma: -np.sum((y - X @ w) ** 2) / (2 * sigma**2)),
                ),
                Mistake(
                    "The constant was raised to the power n: n equal logarithms are added, so it is n times as large.",
                    but(_line_3, 0, lambda w, X, y, sigma: (-np.log(2 * np.pi * sigma**2) / 2) ** len(y)),
                ),
                Mistake(
                    "The residuals were added and then squared: L(w) is a sum of squares.",
                    but(_line_3, 2, lambda w, X, y, sigma: np.sum(y - X @ w) ** 2),
                ),
                Mistake(
                    "The factor is gone: only its minus is left.",
                    but(_line_3, 1, lambda w, X, y, sigma: -1.0),
                ),
                Mistake(
                    "Nothing is left in front: each of the n densities is divided by √(2πσ²).",
                    but(_line_3, 0, lambda w, X, y, sigma: 0.0),
                ),
                Mistake(
                    "σ is gone. The two numbers are these only if σ is 1.",
                    lambda w, X, y, sigma: (len(y) * -np.log(2 * np.pi) / 2, -0.5, (y - X @ w) @ (y - X @ w)),
                ),
            ],
        ),
        Line(
            does="multiply out the square, and sort: −wᵀAw + 2wᵀc + rest, with A symmetric, and w in none of the three",
            parts=("A", "c", "rest"),
            reference=_line_4,
            follows=_multiplied_out,
            mistakes=[
                Mistake(
                    "c is twice too large: the 2 of the cross term stands in the formula already.",
                    but(_line_4, 1, lambda w, X, y, sigma: X.T @ y / sigma**2),
                ),
                Mistake(
                    "A has the wrong sign: the minus stands in the formula already.",
                    but(_line_4, 0, lambda w, X, y, sigma: -X.T @ X / (2 * sigma**2)),
                ),
                Mistake(
                    "c has the wrong sign: two minus signs meet, that of the factor and that of the cross term.",
                    but(_line_4, 1, lambda w, X, y, sigma: -X.T @ y / (2 * sigma**2)),
                ),
                Mistake(
                    "The factor multiplies only the first term of the square: it belongs to all three.",
                    lambda w, X, y, sigma: (
                        X.T @ X / (2 * sigma**2),
                        X.T @ y,
                        -len(y) * np.log(2 * np.pi * sigma**2) / 2 - y @ y,
                    ),
                ),
                Mistake(
                    "yᵀy is gone from the rest: it drops out in the next line, when you differentiate, not before.",
                    but(_line_4, 2, lambda w, X, y, sigma: -len(y) * np.log(2 * np.pi * sigma**2) / 2),
                ),
                Mistake(
                    "The factor 1/(2σ²) is missing in A and in c: it multiplies all three terms of the square.",
                    lambda w, X, y, sigma: (X.T @ X, X.T @ y, _line_4(w, X, y, sigma)[2]),
                ),
                Mistake(
                    "This is L(w) multiplied out. In line 3 it has a factor, and the constant stands before it.",
                    lambda w, X, y, sigma: (X.T @ X, X.T @ y, y @ y),
                ),
                Mistake(
                    "The constant of line 3 is gone: it is free of w, and belongs to the rest.",
                    but(_line_4, 2, lambda w, X, y, sigma: -y @ y / (2 * sigma**2)),
                ),
                Mistake(
                    "The factor 1/(2σ²) is gone from all three terms of the square: they are those of L(w).",
                    lambda w, X, y, sigma: (X.T @ X, X.T @ y, -len(y) * np.log(2 * np.pi * sigma**2) / 2 - y @ y),
                ),
                Mistake(
                    "σ is gone. The three are these only if σ is 1.",
                    lambda w, X, y, sigma: (X.T @ X / 2, X.T @ y / 2, len(y) * -np.log(2 * np.pi) / 2 - y @ y / 2),
                ),
            ],
        ),
        Line(
            does="differentiate line 4 with respect to w: b − Hw, with w in neither of the two",
            parts=("b", "H"),
            reference=_line_5,
            follows=lambda before, w, X, y, sigma: (2 * before[1], before[0] + before[0].T),
            mistakes=[
                Mistake(
                    "Both are half of what they should be: the derivative of wᵀAw is 2Aw, and the 2 of 2wᵀc stays.",
                    lambda w, X, y, sigma: (X.T @ y / (2 * sigma**2), X.T @ X / (2 * sigma**2)),
                ),
                Mistake(
                    "H lost its 2: the derivative of wᵀAw is 2Aw for a symmetric A.",
                    but(_line_5, 1, lambda w, X, y, sigma: X.T @ X / (2 * sigma**2)),
                ),
                Mistake(
                    "The sign is reversed in both: this is the slope of the loss. The likelihood has the other one.",
                    lambda w, X, y, sigma: (-X.T @ y / sigma**2, -X.T @ X / sigma**2),
                ),
                Mistake(
                    "H has the wrong sign: the gradient is b minus Hw.",
                    but(_line_5, 1, lambda w, X, y, sigma: -X.T @ X / sigma**2),
                ),
                Mistake(
                    "1/σ² is missing: it is a constant factor, and differentiating keeps it.",
                    lambda w, X, y, sigma: (X.T @ y, X.T @ X),
                ),
                Mistake(
                    "b has the wrong sign: the derivative of 2wᵀc is 2c.",
                    but(_line_5, 0, lambda w, X, y, sigma: -X.T @ y / sigma**2),
                ),
            ],
        ),
    ],
    cases=_noisy,
    forbids=(lr.log_likelihood, lr.loss, lr.gradient),
    alternatives=[
        Alternative(
            lambda w, X, y, sigma: (-np.log(sigma * np.sqrt(2 * np.pi)), -0.5 / sigma**2, (X @ w - y) ** 2), part=0
        ),
        Alternative(
            lambda w, X, y, sigma: (
                -np.log(sigma) - np.log(2 * np.pi) / 2,
                -((np.sqrt(2) * sigma) ** -2),
                np.square(y - np.dot(X, w)),
            ),
            part=0,
        ),
        Alternative(
            lambda w, X, y, sigma: (
                len(y) * np.log(1 / np.sqrt(2 * np.pi * sigma**2)),
                -1 / 2 / sigma**2,
                np.linalg.norm(y - X @ w) ** 2,
            ),
            part=1,
        ),
        Alternative(
            lambda w, X, y, sigma: (
                -0.5 * X.shape[0] * (np.log(2 * np.pi) + 2 * np.log(sigma)),
                -0.5 * sigma**-2,
                sum((t - x @ w) ** 2 for x, t in zip(X, y, strict=True)),
            ),
            part=1,
        ),
        Alternative(
            lambda w, X, y, sigma: (
                np.einsum("ni,nj->ij", X, X) / 2 / sigma**2,
                0.5 * (y @ X) / sigma**2,
                -(len(y) * np.log(2 * np.pi * sigma**2) + np.sum((y / sigma) ** 2)) / 2,
            ),
            part=2,
        ),
        Alternative(  # the data in units of σ
            lambda w, X, y, sigma: (
                0.5 * (X / sigma).T @ (X / sigma),
                0.5 * (X / sigma).T @ (y / sigma),
                -0.5 * (y / sigma) @ (y / sigma) - len(y) * np.log(np.sqrt(2 * np.pi) * sigma),
            ),
            part=2,
        ),
        Alternative(lambda w, X, y, sigma: (y @ X / sigma**2, X.T @ X / sigma**2), part=3),
        Alternative(  # one point at a time
            lambda w, X, y, sigma: (
                sum(t * x for x, t in zip(X, y, strict=True)) / sigma**2,
                sum(np.outer(x, x) for x in X) / sigma**2,
            ),
            part=3,
        ),
    ],
    hints=(
        Hint(
            "What is the logarithm of a density like this one?",
            r"$\log(ab)=\log a+\log b$, $\log e^{-u}=-u$ and $\log\frac1{\sqrt a}=-\frac12\log a$.",
        ),
        Hint("What does the sum do to a constant?", "It adds the same number $n$ times; `len(y)` is $n$."),
        Hint(
            "How do I multiply out a squared norm?",
            r"$\lVert a-b\rVert^2=a^\top a-2a^\top b+b^\top b$. The factor multiplies all three terms.",
        ),
        Hint(
            "How do I differentiate with respect to a vector?",
            r"$\nabla(w^\top Aw)=2Aw$ for a symmetric $A$, and $\nabla(w^\top c)=c$.",
        ),
    ),
    see="The section *By what right* lists what each line does. Line 3 is equation (4.5).",
)


# --- many numbers ---

ols_fit = Function(
    "ols_fit",
    asks="The least squares weights",
    points=2,
    reference=lr.fit,
    cases=_tall,
    forbids=(lr.minimum_norm, lr.hat),
    mistakes=[
        Mistake(
            "Xᵀy is the answer only if the columns of X are orthonormal, XᵀX = I. Divide out XᵀX.",
            lambda X, y: X.T @ y,
        ),
        Mistake(
            "This fits every feature as if it were alone, xⱼᵀy/‖xⱼ‖². Where the columns overlap, they explain the same "
            "part of y twice.",
            lambda X, y: X.T @ y / np.sum(X**2, axis=0),
        ),
        Mistake(
            "This is ŵ/n: in XᵀXw = Xᵀy both sides are sums over the points, so 1/n would cancel.",
            lambda X, y: np.linalg.solve(X.T @ X, X.T @ y) / len(y),
        ),
        Mistake(
            "y was centred before the fit. The model is Xw, without a bias, unless X has a column of ones.",
            lambda X, y: np.linalg.solve(X.T @ X, X.T @ _centred(y)),
        ),
        Mistake(
            "XᵀX was multiplied instead of divided out: solve XᵀXw = Xᵀy for w.",
            lambda X, y: X.T @ X @ X.T @ y,
        ),
    ],
    alternatives=[
        Alternative(lambda X, y: np.linalg.solve(X.T @ X, X.T @ y)),
        Alternative(lambda X, y: np.linalg.inv(X.T @ X) @ X.T @ y),
        Alternative(lambda X, y: np.linalg.lstsq(X, y, rcond=None)[0]),
        Alternative(lambda X, y: np.linalg.pinv(X) @ y),
    ],
    hints=(
        Hint("Where do I start?", "Line 5 of the chain is the slope of the log-likelihood. At the top it is zero."),
        Hint(
            "It is zero. And now?", r"$X^\top Xw=X^\top y$: a system of $d$ equations for $w$. $\sigma$ has cancelled."
        ),
        Hint("How do I solve it in numpy?", "`np.linalg.solve(A, c)` gives the $w$ with $Aw=c$."),
    ),
    see="Equation (4.6): set line 5 of exercise 4c to zero and solve for w.",
)

ols_hat = Function(
    "ols_hat",
    asks="The matrix that puts the hat on y",
    points=2,
    reference=lr.hat,
    cases=lambda rng: [(X,) for X, _ in _tall(rng)],
    mistakes=[
        Mistake(
            "(XᵀX)⁻¹Xᵀ takes y to ŵ. One more factor X takes ŵ to ŷ = Xŵ.",
            lambda X: np.linalg.pinv(X),
        ),
        Mistake(
            "This takes y to what is left over, y − ŷ: it is I − H.",
            lambda X: np.eye(len(X)) - X @ np.linalg.pinv(X),
        ),
        Mistake(
            "XXᵀ projects only if the columns are orthonormal. Apply it twice: a projection must not change again.",
            lambda X: X @ X.T,
        ),
        Mistake(
            "This projects on each column alone and adds up. Where columns overlap, a part of y is counted twice.",
            lambda X: (X / np.sum(X**2, axis=0)) @ X.T,
        ),
        Mistake(
            "This is XᵀX, which is (d, d): the matrix asked for takes a y of n entries to a ŷ of n entries.",
            lambda X: X.T @ X,
        ),
    ],
    alternatives=[
        Alternative(lambda X: X @ np.linalg.solve(X.T @ X, X.T)),
        Alternative(lambda X: X @ np.linalg.pinv(X)),
        Alternative(lambda X: (U := np.linalg.svd(X, full_matrices=False)[0]) @ U.T),
    ],
    hints=(
        Hint("What is ŷ?", r"The fitted values, $\hat y=X\hat w$. Put (4.6) in, and read off what stands before $y$."),
        Hint(
            "How do I do it without an inverse?", "`np.linalg.solve(A, B)` takes a matrix `B` too: it gives $A^{-1}B$."
        ),
        Hint("How do I test my H?", r"$HX=X$: what is in the columns already is left alone. And $HH=H$."),
    ),
    see="Equation (4.8): put (4.6) into ŷ = Xŵ.",
)

ols_powers = Function(
    "ols_powers",
    asks="A polynomial as a matrix",
    points=1,
    reference=lr.powers,
    cases=lambda rng: [
        (np.array([2.0, 3.0]), 2),
        (rng.normal(size=6) + 1, 3),
        (rng.normal(size=9), 5),
    ],
    mistakes=[
        Mistake(
            "The constant column x⁰ = 1 is missing: every curve would have to go through the origin.",
            lambda x, p: x[:, None] ** np.arange(1, p + 1),
        ),
        Mistake(
            "The powers descend. Here they ascend, so that wⱼ belongs to xʲ.",
            lambda x, p: np.vander(x, p + 1),
        ),
        Mistake(
            "The highest power is missing: degree p has p + 1 columns, from x⁰ to xᵖ.",
            lambda x, p: x[:, None] ** np.arange(p),
        ),
        Mistake(
            "These are the multiples 0x, x, 2x, …: a column for each power is asked for.",
            lambda x, p: x[:, None] * np.arange(p + 1),
        ),
        Mistake(
            "There is a row for each power and a column for each point. X has it the other way round.",
            lambda x, p: x ** np.arange(p + 1)[:, None],
        ),
    ],
    alternatives=[
        Alternative(lambda x, p: np.vander(x, p + 1, increasing=True)),
        Alternative(lambda x, p: np.column_stack([x**k for k in range(p + 1)])),
    ],
    hints=(
        Hint("What is one row?", r"Everything that point $x_i$ brings along: $(1,x_i,x_i^2,\dots,x_i^p)$."),
        Hint("How do I build the columns?", "`np.column_stack([...])` takes a list of columns, one for each power."),
    ),
    see="Equation (4.9): row i is φ(xᵢ).",
)


# --- fewer points than weights ---

ols_singular = Choice(
    "ols_singular",
    asks="Fewer points than weights",
    points=1,
    options={
        "a": Option(
            "some $w$ meets every point exactly",
            wrong="Take two equal rows of X with different targets: no w gives both. It is true if the rows are "
            "independent.",
        ),
        "b": Option("$X^\\top X$ has no inverse"),
        "c": Option(
            "the loss has exactly one minimiser",
            wrong="One point x = (1, 1), y = 2: w = (2, 0) and w = (0, 2) both have the loss 0.",
        ),
    },
    reasons={
        "i": Option(
            "$\\det(X^\\top X)=(\\det X)^2$, and $\\det X=0$",
            wrong="Only a square matrix has a determinant: X is (n, d) with n < d.",
        ),
        "ii": Option(
            "a column of $X$ must be zero",
            wrong="One point x = (1, 2): no column is zero. What does XᵀX do to v = (2, −1)?",
        ),
        "iii": Option(
            "$Xv=0$ is $n$ equations for $d>n$ unknowns, so it has a solution $v\\neq0$, and then $X^\\top Xv=0$"
        ),
        "iv": Option(
            "every $v$ with $X^\\top v=0$ gives $X^\\top Xv=0$",
            wrong="The sizes do not fit: if Xᵀv makes sense, v has n entries, and then Xv does not.",
        ),
    },
    hints=(
        Hint("How do I test a claim?", "Try the smallest case: one point, two features. Then two equal points."),
        Hint("When has a square matrix no inverse?", r"When it sends some $v\neq0$ to zero."),
    ),
    see="The section *Break it*: a direction v with Xv = 0 is one that the points do not see.",
)

_NOT_MET = "Xw is not y: with fewer points than weights and independent rows, every point can be met exactly."
_FEW = (
    "This uses only some of the columns and leaves the other weights at 0. It meets every point, but a w that uses all "
    "columns is shorter."
)
_LONGER = (
    "It meets every point, but it is longer than it has to be: it contains a direction v with Xv = 0, which changes no "
    "fitted value. The shortest w is orthogonal to all of these."
)
_ONE_EACH = "w has one entry for each column of X: shape (d,)."


def _met(X, y, w):
    return np.allclose(X @ w, y, rtol=1e-6, atol=1e-8)


def _shortest(X, y, w):
    return np.allclose(w, np.linalg.pinv(X) @ (X @ w), rtol=1e-6, atol=1e-8)


def _detour(X, y):
    """Another exact solution: the shortest one, plus a direction that X does not see."""
    d = X.shape[1]
    return np.linalg.pinv(X) @ y + (np.eye(d) - np.linalg.pinv(X) @ X) @ np.sqrt(np.arange(1, d + 1))


def _first_columns(X, y):
    n, d = X.shape
    return np.concatenate([np.linalg.solve(X[:, :n], y), np.zeros(d - n)])


ols_minimum_norm = Property(
    "ols_minimum_norm",
    asks="The shortest of all exact solutions",
    points=2,
    cases=_wide,
    laws=[
        Law(_ONE_EACH, lambda X, y, w: w.shape == (X.shape[1],)),
        Law(_NOT_MET, _met),
        Law(_FEW, lambda X, y, w: _shortest(X, y, w) or bool(np.sum(np.abs(w) > 1e-12) > len(y))),
        Law(_LONGER, _shortest),
    ],
    forbids=(lr.minimum_norm, lr.fit),
    mistakes=[
        Mistake(_NOT_MET, lambda X, y: X.T @ y),
        Mistake(_NOT_MET, lambda X, y: np.linalg.solve(X.T @ X + 0.1 * np.eye(X.shape[1]), X.T @ y)),
        Mistake(_ONE_EACH, lambda X, y: np.linalg.solve(X @ X.T, y)),
        Mistake(_FEW, _first_columns),
        Mistake(_LONGER, _detour),
    ],
    alternatives=[
        Alternative(lambda X, y: X.T @ np.linalg.solve(X @ X.T, y)),
        Alternative(lambda X, y: np.linalg.pinv(X) @ y),
        Alternative(lambda X, y: np.linalg.lstsq(X, y, rcond=None)[0]),
    ],
    hints=(
        Hint(
            "What do two exact solutions have in common?",
            r"They differ by a $v$ with $Xv=0$. The shortest one contains no such $v$: it is orthogonal to all.",
        ),
        Hint(
            "Which vectors are those?",
            r"$Xv=0$ says that $v$ is orthogonal to every row. What is orthogonal to all such $v$ is a combination of "
            r"the rows, $w=X^\top c$ with $c$ of shape $(n,)$.",
        ),
        Hint("How do I find c?", r"Put $w=X^\top c$ into $Xw=y$: $n$ equations for the $n$ entries of $c$."),
    ),
    see="Equation (4.11): put w = Xᵀc into Xw = y.",
)


# --- three sentences as printed ---

ols_gradient = Slip(
    "ols_gradient",
    asks="The gradient of the mean squared error",
    points=2,
    printed=lambda w, X, y: 2 / len(y) * X.T @ (y - X @ w),
    reference=lr.gradient,
    cases=_at_some_w,
    admits=lambda w, X, y: np.ndim(X) == 2 and np.shape(y) == (len(X),) and np.shape(w) == (X.shape[1],),
    domain="w of shape (d,), X of shape (n, d) and y of shape (n,)",
    mistakes=[
        Mistake(
            "This is still the printed formula. Step along its negative: the error grows.",
            lambda w, X, y: 2 / len(y) * X.T @ (y - X @ w),
        ),
        Mistake(
            "This is the gradient of the sum. A mean has 1/n before it.",
            lambda w, X, y: 2 * X.T @ (X @ w - y),
        ),
        Mistake(
            "A 2 is missing: the derivative of r² is 2r.",
            lambda w, X, y: X.T @ (X @ w - y) / len(y),
        ),
        Mistake(
            "This divides by d, the number of weights: the mean is over the n points.",
            lambda w, X, y: 2 / len(w) * X.T @ (X @ w - y),
        ),
        Mistake(
            "There is an entry for each point here. The gradient has one for each weight: Xᵀ is missing.",
            lambda w, X, y: 2 / len(y) * (X @ w - y),
        ),
        Mistake(SAME_THERE, ([2.0], [[1.0], [1.0]], [1.0, 3.0]), part=1),
    ],
    alternatives=[
        Alternative(lambda w, X, y: 2 / len(y) * (X.T @ X @ w - X.T @ y)),
        Alternative(lambda w, X, y: np.mean([2 * (x @ w - t) * x for x, t in zip(X, y, strict=True)], axis=0)),
        Alternative((np.zeros(2), np.eye(2), np.ones(2)), part=1),
    ],
    hints=(
        Hint(
            "Where do I look?",
            "Let everything be a number: what is the derivative of $(y-xw)^2$ with respect to $w$? "
            "The inner derivative has a sign.",
        ),
        Hint(
            "Why is the printed ŵ right all the same?",
            "A formula and its negative are zero at the same place. So which $w$ cannot be your counter-example?",
        ),
    ),
    see="Equation (4.12): line 5 of exercise 4c, times −2σ²/n.",
)

ols_multiplications = Function(
    "ols_multiplications",
    asks="What it costs",
    points=1,
    reference=lr.multiplications,
    returns=("gram", "step"),
    compare=exactly,
    cases=lambda rng: [(5, 3), (2000, 50), (int(rng.integers(20, 90)), int(rng.integers(5, 15)))],
    mistakes=[
        Mistake(
            "As printed: the two orders are exchanged. XᵀX has d² entries of n products each; Xw is one product for "
            "each entry of X.",
            lambda n, d: (n * d, n * d**2),
        ),
        Mistake(
            "step: two products are needed, Xw and then Xᵀ times what it misses. You counted one.",
            lambda n, d: (n * d**2, n * d),
        ),
        Mistake(
            "gram: this counts XXᵀ, which is (n, n). XᵀX has d² entries.",
            lambda n, d: (n**2 * d, 2 * n * d),
        ),
        Mistake(
            "gram: this counts only one half of the symmetric matrix: asked for are all d² entries.",
            lambda n, d: (n * d * (d + 1) // 2, 2 * n * d),
        ),
        Mistake(
            "step: this builds XᵀX first. The products from right to left, Xᵀ(Xw − y), need no matrix.",
            lambda n, d: (n * d**2, n * d**2 + d**2),
        ),
    ],
    alternatives=[
        Alternative(lambda n, d: (sum(n for _ in range(d) for _ in range(d)), n * d + d * n)),
        Alternative(lambda n, d: [n * d * d, n * (d + d)]),
    ],
    hints=(
        Hint("How many for one entry of XᵀX?", "It is a sum over the points, $\\sum_ix_{ij}x_{ik}$: $n$ products."),
        Hint("And for Xw?", "Every entry of $X$ is multiplied once. How many entries are there?"),
    ),
    see="Equation (4.13): count the products of one entry, then the entries.",
)


def _in_units(table):
    """The columns from their means, in units of their lengths: what is asked does not depend on either."""
    centred = table - table.mean(axis=0)
    centred[:, np.ptp(table, axis=0) == 0] = 0  # a constant, whatever rounding leaves of it
    return centred / np.maximum(np.linalg.norm(centred, axis=0), 1e-300)


def _weight(table):
    """That of x₂, in these units."""
    units = _in_units(table)
    return np.linalg.lstsq(units[:, :2], units[:, 2], rcond=None)[0][1]


def _independent(table):
    s = np.linalg.svd(_in_units(table)[:, :2], compute_uv=False)
    return s[-1] > 1e-6 * s[0]


def _correlation(table):
    return _in_units(table)[:, 1] @ _in_units(table)[:, 2]


_TABLE = "The table must have three columns, x₁, x₂ and y, and at least four rows."
_NO_FIT = "x₁, x₂ and the constant must be independent: here many weights have the same loss, and none is *the* weight."
_RISES = "In your table x₂ and y do not have a negative correlation: let y fall, on the whole, where x₂ rises."
_SAME_SIGN = (
    "The correlation is negative, but so is the fitted weight of x₂ (or it is zero). Let y = 3x₁ + x₂ in truth, and "
    "let x₁ fall when x₂ rises: then y falls too."
)

ols_sign = Property(
    "ols_sign",
    asks="A weight is not a correlation",
    points=2,
    laws=[
        Law(_TABLE, lambda table: table.ndim == 2 and table.shape[1] == 3 and len(table) >= 4),
        Law(_NO_FIT, _independent),
        Law(_RISES, lambda table: _correlation(table) < -1e-9),
        Law(_SAME_SIGN, lambda table: _weight(table) > 1e-9),
    ],
    mistakes=[
        Mistake(_TABLE, [[1.0, 2.0, 3.0], [2.0, 1.0, 4.0]]),
        Mistake(_NO_FIT, [[0.0, 0.0, 0.0], [1.0, -1.0, 2.0], [2.0, -2.0, 4.0], [3.0, -3.0, 6.0]]),
        Mistake(_RISES, [[1.0, 0.0, 1.0], [0.0, 1.0, 2.0], [1.0, 1.0, 3.0], [0.0, 0.0, 0.0]]),
        Mistake(_SAME_SIGN, [[1.0, 0.0, 1.0], [0.0, 1.0, -1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]),
    ],
    alternatives=[
        Alternative([[3.0, 0.0, 9.0], [2.0, 1.0, 7.0], [1.0, 1.0, 4.0], [0.0, 3.0, 3.0], [0.0, 2.0, 2.0]]),
        Alternative(np.array([[0.0, 0, 0], [1, -1, 2], [2, -2, 4], [3, -2, 7]])),
    ],
    hints=(
        Hint(
            "What does the weight of x₂ say?",
            "What happens to $y$ when $x_2$ rises *and $x_1$ stays*. The correlation lets $x_1$ go along.",
        ),
        Hint(
            "How do I build such a table?",
            "Take an $x_1$, and an $x_2$ that is nearly $-x_1$ but not quite. Then $y=3x_1+x_2$, without noise.",
        ),
    ),
    see="The paragraph after exercise 4k, with two measurements of the patients.",
)

exact_fit = Explanation(
    "exact_fit",
    asks="A perfect fit",
    points=3,
    rubric=(
        "1 point: with 20 independent rows and 30 columns Xw = y has a solution for every y, even for noise, so the "
        "zero is no evidence. 1 point: the solutions differ by the v with Xv = 0, agree on the 20 patients and "
        "disagree on others; the shortest is a choice that the data did not make. 1 point: the likelihood compares "
        "weights within a model and says nothing about new patients; patients that were left out do."
    ),
)

topic = Topic(
    number=4,
    slug="linear_regression",
    title="Linear regression",
    question="Which line is best, and by what right?",
    part="Regression",
    minutes=60,
    before={
        "matrix_calculus": "gradients of quadratic forms",
        "maximum_likelihood": "likelihoods",
    },
    exercises=[
        ols_slope,
        ols_shift,
        ols_likelihood,
        ols_fit,
        ols_hat,
        ols_powers,
        ols_singular,
        ols_minimum_norm,
        ols_gradient,
        ols_multiplications,
        ols_sign,
        exact_fit,
    ],
)
check = Checks(topic)
