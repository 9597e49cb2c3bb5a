"""The exercises of 05 ridge."""

import numpy as np

from mlcore import ridge
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

# --- data to be tried on: a small one to look at, then tall, wide, and off centre ---


def _data(rng, n, d):
    """Columns with an offset, y shifted by 5: a forgotten bias or centring shows. One y below 0, one weight of 4."""
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    y = X @ [4, *rng.normal(size=d - 1)] + rng.normal(size=n) + 5
    y[0] = -1 - abs(y[0])
    return X, y


def _small(rng):
    """Three points with whole numbers, one y below 0. Two rows differ in one sign, so the columns are independent."""
    signs = rng.permutation([[1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]) * rng.choice([-1, 1], size=2)
    return rng.integers(1, 5, size=(3, 2)) * signs, rng.integers(1, 9, size=3) * rng.permutation([1.0, 1.0, -1.0])


def _guess(rng, d):
    """Whole numbers of both signs."""
    return rng.integers(1, 4, size=d) * rng.permutation([-1.0, *np.ones(d - 1)])


def _fits(rng):
    """The wide one has one column more than rows: there λ on every entry of XᵀX is wrong, but no singular matrix."""
    return [
        (X, y, rng.uniform(0.5, 3), _guess(rng, X.shape[1]))
        for X, y in (_small(rng), _data(rng, 12, 4), _data(rng, 4, 5))
    ]


def _lines(rng):
    return [(rng.normal(size=X.shape[1]), X, y, lam, w0) for X, y, lam, w0 in _fits(rng)]


def _without_guess(rng):
    return [(X, y, lam) for X, y, lam, _ in _fits(rng)]


def _with_lams(rng):
    tall = (_small(rng), _data(rng, 12, 4), _data(rng, 20, 3))
    return [(X, y, rng.uniform(0.5, 5, size=X.shape[1])) for X, y in tall]


def _with_Gamma(rng):
    """Differences of neighbours, and a matrix of another shape."""
    return [
        (*_data(rng, 5, 3), rng.uniform(1, 3) * ridge.first_differences(3)),
        (*_data(rng, 12, 4), rng.uniform(1, 3) * ridge.first_differences(4)),
        (*_data(rng, 20, 6), rng.normal(size=(8, 6))),
    ]


def _spreads(rng):
    return [(rng.uniform(0.3, 3), rng.uniform(0.3, 3)) for _ in range(3)]


def _solve(X, y, penalty, w0=0.0):
    return np.linalg.solve(X.T @ X + penalty, X.T @ y + w0)


def _eye(X):
    return np.eye(X.shape[1])


# --- 5a: from J to the normal equations ---


def _line_1(w, X, y, lam, w0):
    return (X @ w - y) @ (X @ w - y) + lam * (w - w0) @ (w - w0)


def _line_2(w, X, y, lam, w0):
    return w @ X.T @ X @ w + lam * w @ w, -2 * w @ X.T @ y - 2 * lam * w @ w0, y @ y + lam * w0 @ w0


def _line_3(w, X, y, lam, w0):
    return X.T @ X + lam * np.eye(len(w)), X.T @ y + lam * w0, y @ y + lam * w0 @ w0


def _line_4(w, X, y, lam, w0):
    return 2 * X.T @ X + 2 * lam * np.eye(len(w)), 2 * X.T @ y + 2 * lam * w0


normal_equations = Chain(
    "normal_equations",
    asks="From J to the normal equations",
    first=_line_1,
    lines=[
        Line(
            does="multiply out both squares and sort the terms: quadratic in w, linear in w, free of w",
            parts=("quadratic", "linear", "constant"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "Both cross terms come only once: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda w, X, y, lam, w0: -w @ X.T @ y - lam * w @ w0),
                ),
                Mistake(
                    "Both cross terms are missing: the square of a difference is not the difference of squares.",
                    but(_line_2, 1, lambda w, X, y, lam, w0: 0.0),
                ),
                Mistake(
                    "λ multiplies only the first term of the second square: it belongs to all three.",
                    lambda w, X, y, lam, w0: (
                        w @ X.T @ X @ w + lam * w @ w,
                        -2 * w @ X.T @ y - 2 * w @ w0,
                        y @ y + w0 @ w0,
                    ),
                ),
                Mistake(
                    "Both cross terms have a plus: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda w, X, y, lam, w0: 2 * w @ X.T @ y + 2 * lam * w @ w0),
                ),
                Mistake(
                    "The last terms of both squares have a minus: (−b)² is b².",
                    but(_line_2, 2, lambda w, X, y, lam, w0: -y @ y - lam * w0 @ w0),
                ),
                Mistake(
                    "The three are in the opposite order: what is quadratic in w comes first.",
                    lambda w, X, y, lam, w0: _line_2(w, X, y, lam, w0)[::-1],
                ),
                Mistake(
                    "The cross term of the penalty has lost w: −2λwᵀw₀ is linear in w.",
                    but(_line_2, 1, lambda w, X, y, lam, w0: -2 * w @ X.T @ y - 2 * lam * w0 @ w0),
                ),
                Mistake(
                    "The penalty is gone: both squares are multiplied out.",
                    lambda w, X, y, lam, w0: (w @ X.T @ X @ w, -2 * w @ X.T @ y, y @ y),
                ),
                Mistake(
                    "w₀ is gone: ‖w − w₀‖² has three terms, and two of them hold it.",
                    lambda w, X, y, lam, w0: (w @ X.T @ X @ w + lam * w @ w, -2 * w @ X.T @ y, y @ y),
                ),
            ],
        ),
        Line(
            does="write line 2 as wᵀAw − 2wᵀc + constant, with A symmetric, and w in none of the three",
            parts=("A", "c", "constant"),
            reference=_line_3,
            undo=lambda here, w, X, y, lam, w0: (w @ here[0] @ w, -2 * w @ here[1], here[2]),
            mistakes=[
                Mistake(
                    "XᵀX + λ adds λ to every entry of the matrix: λwᵀw = wᵀ(λI)w needs the identity.",
                    but(_line_3, 0, lambda w, X, y, lam, w0: X.T @ X + lam),
                ),
                Mistake(
                    "c is Xᵀy + λw₀, with a plus: both cross terms carry the same −2.",
                    but(_line_3, 1, lambda w, X, y, lam, w0: X.T @ y - lam * w0),
                ),
                Mistake(
                    "The −2 stands in the formula already, in −2wᵀc: it is not in c once more.",
                    but(_line_3, 1, lambda w, X, y, lam, w0: -2 * X.T @ y - 2 * lam * w0),
                ),
                Mistake(
                    "The constants are gone: they drop out in the next line, when you differentiate, not before.",
                    but(_line_3, 2, lambda w, X, y, lam, w0: 0.0),
                ),
                Mistake(
                    "The penalty is gone: it gives A a λI, c a λw₀ and the constant a λw₀ᵀw₀.",
                    lambda w, X, y, lam, w0: (X.T @ X, X.T @ y, y @ y),
                ),
                Mistake(
                    "w₀ is gone: it stands in c and in the constant.",
                    lambda w, X, y, lam, w0: (X.T @ X + lam * _eye(X), X.T @ y, y @ y),
                ),
            ],
        ),
        Line(
            does="differentiate line 3 with respect to w, and sort: Hw − b, with w in neither of the two",
            parts=("H", "b"),
            reference=_line_4,
            follows=lambda before, w, X, y, lam, w0: (before[0] + before[0].T, 2 * before[1]),
            mistakes=[
                Mistake(
                    "Every entry is half of the gradient: the derivative of r² is 2r.",
                    lambda w, X, y, lam, w0: (X.T @ X + lam * _eye(X), X.T @ y + lam * w0),
                ),
                Mistake(
                    "The quadratic term lost its 2: the derivative of wᵀAw is 2Aw for a symmetric A.",
                    but(_line_4, 0, lambda w, X, y, lam, w0: X.T @ X + lam * _eye(X)),
                ),
                Mistake(
                    "The linear term lost its 2: the derivative of −2wᵀc is −2c.",
                    but(_line_4, 1, lambda w, X, y, lam, w0: X.T @ y + lam * w0),
                ),
                Mistake(
                    "The penalty was not differentiated: λ‖w − w₀‖² contributes 2λ(w − w₀).",
                    lambda w, X, y, lam, w0: (2 * X.T @ X, 2 * X.T @ y),
                ),
                Mistake(
                    "b has the wrong sign: the gradient is Hw minus b.",
                    but(_line_4, 1, lambda w, X, y, lam, w0: -2 * X.T @ y - 2 * lam * w0),
                ),
                Mistake(
                    "b holds w: the cross term of the penalty is −2λwᵀw₀, and its derivative is −2λw₀.",
                    but(_line_4, 1, lambda w, X, y, lam, w0: 2 * X.T @ y + 2 * lam * w),
                ),
                Mistake(
                    "w₀ is gone: the derivative of −2λwᵀw₀ is −2λw₀.",
                    but(_line_4, 1, lambda w, X, y, lam, w0: 2 * X.T @ y),
                ),
            ],
        ),
    ],
    cases=_lines,
    forbids=(ridge.objective, ridge.gradient),
    alternatives=[
        Alternative(
            lambda w, X, y, lam, w0: (
                np.sum((X @ w) ** 2) + lam * np.sum(w**2),
                -2 * (y @ (X @ w) + lam * np.sum(w * w0)),
                np.sum(y**2) + lam * np.sum(w0**2),
            ),
            part=0,
        ),
        Alternative(
            lambda w, X, y, lam, w0: (
                np.einsum("ni,nj->ij", X, X) + np.diag(np.full(len(w), lam)),
                y @ X + lam * w0,
                np.linalg.norm(y) ** 2 + lam * np.linalg.norm(w0) ** 2,
            ),
            part=1,
        ),
        Alternative(
            lambda w, X, y, lam, w0: (2 * (X.T @ X + lam * np.identity(X.shape[1])), 2 * (X.T @ y + lam * w0)), part=2
        ),
    ],
    hints=(
        Hint(
            "How do I multiply out a squared norm?",
            r"$\lVert a-b\rVert^2=(a-b)^\top(a-b)=a^\top a-2a^\top b+b^\top b$. Which $a$ and $b$ are there?",
        ),
        Hint(
            "I have six terms. Which belong together?",
            r"Two are quadratic in $w$, two are linear, two do not contain $w$.",
        ),
        Hint(
            "How do two quadratic terms share one matrix?",
            r"$w^\top w=w^\top Iw$: a number times $w^\top w$ is $w^\top(\ldots)w$ with a multiple of $I$.",
        ),
        Hint(
            "How do I differentiate with respect to a vector?",
            r"$\nabla(w^\top Aw)=2Aw$ for a symmetric $A$, and $\nabla(w^\top c)=c$.",
        ),
    ),
    see="The section *Derive* lists what each line does. Line 4 is equation (5.2), sorted by w.",
)


# --- the minimiser, and why there is exactly one ---

ridge_fit = Function(
    "ridge_fit",
    asks="The minimiser of J",
    points=2,
    reference=ridge.fit,
    cases=_fits,
    clear=lambda X, y, lam, w0: np.linalg.cond(X.T @ X + lam) < 1e6,  # a mistake's matrix
    forbids=(ridge.fit_diagonal, ridge.fit_tikhonov, ridge.fit_svd, ridge.path),
    mistakes=[
        Mistake(
            "w₀ comes in without its λ. Let λ → ∞: the answer must tend to w₀, and yours tends to 0.",
            lambda X, y, lam, w0: _solve(X, y, lam * _eye(X), w0),
        ),
        Mistake(
            "w₀ does not come in: this shrinks towards 0, not towards the guess w₀.",
            lambda X, y, lam, w0: _solve(X, y, lam * _eye(X)),
        ),
        Mistake(
            "This is the answer for nλ. The loss is a sum here, not a mean, so λ stands alone.",
            lambda X, y, lam, w0: _solve(X, y, len(y) * lam * _eye(X), len(y) * lam * w0),
        ),
        Mistake(
            "This is the answer for λ/2. Both squares are differentiated, so the 2 cancels everywhere.",
            lambda X, y, lam, w0: _solve(X, y, lam / 2 * _eye(X), lam / 2 * w0),
        ),
        Mistake(
            "XᵀX + λ adds λ to every entry of the matrix; λI adds it to the diagonal.",
            lambda X, y, lam, w0: _solve(X, y, lam, lam * w0),
        ),
        Mistake(
            "The penalty's sign is reversed: (XᵀX − λI) rewards weights that are far from w₀.",
            lambda X, y, lam, w0: _solve(X, y, -lam * _eye(X), -lam * w0),
        ),
    ],
    alternatives=[
        Alternative(  # least squares on d more points, which say w = w₀
            lambda X, y, lam, w0: np.linalg.lstsq(
                np.vstack([X, np.sqrt(lam) * _eye(X)]), np.concatenate([y, np.sqrt(lam) * w0]), rcond=None
            )[0]
        ),
        Alternative(  # the n × n system instead of the d × d one
            lambda X, y, lam, w0: w0 + X.T @ np.linalg.solve(X @ X.T + lam * np.eye(len(y)), y - X @ w0)
        ),
        Alternative(lambda X, y, lam, w0: np.linalg.inv(X.T @ X + lam * _eye(X)) @ (X.T @ y + lam * w0)),
    ],
    hints=(
        Hint("Where do I start?", "Line 5 of the chain is the gradient. At the minimum it is zero."),
        Hint(
            "It is zero. And now?",
            r"Then $(X^\top X+\lambda I)\,w=X^\top y+\lambda w_0$: a system of $d$ linear equations for $w$.",
        ),
        Hint("How do I solve it in numpy?", "`np.linalg.solve(A, c)` gives the $w$ with $Aw=c$; `np.eye(d)` is $I$."),
    ),
    see="Equation (5.3): set line 5 of exercise 5a to zero and solve for w.",
)

always_invertible = Choice(
    "always_invertible",
    asks="When is XᵀX + λI invertible?",
    points=1,
    options={
        "a": Option("for every $X$, as soon as $\\lambda>0$"),
        "b": Option(
            "only if there are at least as many points as features",
            wrong="Try it on one point and two features: XᵀX + λI has a determinant > 0 although n < d.",
        ),
        "c": Option(
            "only if no column of $X$ is a combination of the others",
            wrong="That is the condition at λ = 0. Try two equal columns with λ = 1: the matrix is invertible.",
        ),
    },
    reasons={
        "i": Option(
            "$\\lambda I$ is invertible, and adding a matrix to an invertible one keeps it so",
            wrong="I is invertible, and so is −I, yet I + (−I) = 0. What does XᵀX have that −I has not?",
        ),
        "ii": Option("$v^\\top(X^\\top X+\\lambda I)v=\\lVert Xv\\rVert^2+\\lambda\\lVert v\\rVert^2>0$ for $v\\neq0$"),
        "iii": Option(
            "$\\det(X^\\top X+\\lambda I)=\\det X^\\top X+\\lambda^d$",
            wrong="Determinants do not add: compare det(A + B) with det A + det B for A = B = I in two dimensions.",
        ),
    },
    alternatives=[],
    hints=(Hint("How do I test it?", "A matrix that sends no $v\\neq0$ to zero is invertible. Look at $v^\\top Av$."),),
    see="A matrix that sends no v ≠ 0 to zero is invertible: look at vᵀ(XᵀX + λI)v.",
)

ridge_diagonal = Function(
    "ridge_diagonal",
    asks="One penalty for each weight",
    points=1,
    reference=ridge.fit_diagonal,
    cases=_with_lams,
    forbids=(ridge.fit_tikhonov,),
    mistakes=[
        Mistake(
            "Λ comes in squared: that is the penalty ‖Λw‖², not wᵀΛw.",
            lambda X, y, lams: _solve(X, y, np.diag(lams**2)),
        ),
        Mistake(
            "One λ for all, the mean of the given ones: every weight has its own here.",
            lambda X, y, lams: _solve(X, y, lams.mean() * _eye(X)),
        ),
        Mistake(
            "This shrinks the least squares weights after the fit, which is right only for orthonormal columns: "
            "when one weight gives way, the others take over its work.",
            lambda X, y, lams: _solve(X, y, 0 * _eye(X)) / (1 + lams),
        ),
        Mistake(
            "XᵀX + lams adds the vector to every row of the matrix: Λ = diag(λ₁, …, λ_d) is asked for.",
            lambda X, y, lams: _solve(X, y, lams),
        ),
    ],
    alternatives=[
        Alternative(  # rescale the features, and one penalty of 1 is enough
            lambda X, y, lams: _solve(X / np.sqrt(lams), y, _eye(X)) / np.sqrt(lams)
        ),
    ],
    hints=(
        Hint("What changes in (5.3)?", r"$\lambda\lVert w\rVert^2=w^\top(\lambda I)w$ becomes $w^\top\Lambda w$."),
        Hint("How do I make Λ?", "`np.diag(lams)` puts a vector on the diagonal."),
    ),
    see="Equation (5.4): replace λI by Λ in the derivation of (5.3), with w₀ = 0.",
)

ridge_free_bias = Function(
    "ridge_free_bias",
    asks="Weights penalised, bias free",
    points=2,
    reference=ridge.fit_free_bias,
    returns=("w", "b"),
    cases=_without_guess,
    mistakes=[
        Mistake(
            "The bias is penalised too. Shift y by a constant: only b may change, and here w changes with it.",
            lambda X, y, lam: _with_ones(X, y, lam, free=False),
        ),
        Mistake(
            "b = ȳ holds only if the columns of X have mean 0: in general b = ȳ − x̄ᵀw.",
            lambda X, y, lam: (ridge.fit(X - X.mean(axis=0), y - y.mean(), lam), y.mean()),
        ),
        Mistake(
            "X was not centred, only y: the minimising b is ȳ − x̄ᵀw, so both means leave.",
            lambda X, y, lam: (w := ridge.fit(X, y - y.mean(), lam), y.mean() - X.mean(axis=0) @ w),
        ),
        Mistake(
            "Here w is fitted without a bias, and b comes afterwards: the two have to be minimised together.",
            lambda X, y, lam: (w := ridge.fit(X, y, lam), y.mean() - X.mean(axis=0) @ w),
        ),
    ],
    alternatives=[Alternative(lambda X, y, lam: _with_ones(X, y, lam, free=True))],
    hints=(
        Hint("Which b is best for a given w?", r"Set $\partial/\partial b$ to zero: $b=\bar y-\bar x^\top w$."),
        Hint(
            "I have put that b back in. What now?",
            "What remains is (5.1) for $X-\\bar x$ and $y-\\bar y$: no bias, and `ridge_fit` with $w_0=0$ solves it.",
        ),
        Hint(
            "Is there another way?",
            r"A column of ones in front of $X$ makes $b$ a weight; then penalise with $\mathrm{diag}(0,1,\dots,1)$.",
        ),
    ),
    see="Equation (5.5): minimise over b first, then over w.",
)


def _with_ones(X, y, lam, free):
    """Ridge with a column of ones, whose weight is free or not."""
    Z = np.column_stack([np.ones(len(y)), X])
    penalty = lam * np.diag([0.0 if free else 1.0, *np.ones(X.shape[1])])
    b, *w = np.linalg.solve(Z.T @ Z + penalty, Z.T @ y)
    return np.array(w), b


_STILL_DEFINITE = (
    "XᵀX + λÎ is still positive definite for this X. Which direction v does Î not penalise, "
    "and what must Xv be for the sum to vanish?"
)


singular_design = Property(
    "singular_design",
    asks="An X for which XᵀX + λÎ is singular",
    points=1,
    laws=[
        Law(
            "X must have three columns and at least two rows.", lambda X: X.ndim == 2 and X.shape[1] == 3 <= len(X) + 1
        ),
        Law("X must not be all zero.", lambda X: bool(np.any(X))),
        Law(_STILL_DEFINITE, lambda X: not np.any(X[:, 0])),  # Î leaves out (1, 0, 0) alone, however small X is
    ],
    mistakes=[
        Mistake(_STILL_DEFINITE, [[1, 2, 2], [1, 3, 3], [1, 5, 5]]),
        Mistake(_STILL_DEFINITE, [[1, 0, 0], [1, 0, 0]]),
        Mistake(_STILL_DEFINITE, [[1e-6, 1, 2], [0, 3, 1]]),
        Mistake("X must not be all zero.", np.zeros((4, 3))),
        Mistake("X must have three columns and at least two rows.", np.array([0.0, 1.0, 2.0])),
    ],
    alternatives=[
        Alternative([[0, 1, 2], [0, 3, 4]]),
        Alternative(np.column_stack([np.zeros(5), np.arange(5.0), np.ones(5)])),
    ],
    hints=(
        Hint("What does Î leave out?", r"$v^\top\hat Iv=v_2^2+v_3^2$ is zero for $v=(1,0,0)$."),
        Hint(
            "And the other summand?", r"$v^\top X^\top Xv=\lVert Xv\rVert^2$, and $X(1,0,0)^\top$ is a column of $X$."
        ),
    ),
    see="The section *Break it*: the sum is singular where both summands vanish in the same direction.",
)

ridge_tikhonov = Function(
    "ridge_tikhonov",
    asks="A penalty on Γw",
    points=1,
    reference=ridge.fit_tikhonov,
    cases=_with_Gamma,
    forbids=(ridge.fit_diagonal,),
    mistakes=[
        Mistake(
            "Γ itself was added to XᵀX, and the shapes do not fit: ‖Γw‖² = wᵀ(ΓᵀΓ)w, a d × d matrix.",
            lambda X, y, Gamma: _solve(X, y, Gamma),
        ),
        Mistake(
            "ΓΓᵀ is (d−1) × (d−1): the transpose belongs to the left one, ΓᵀΓ.",
            lambda X, y, Gamma: _solve(X, y, Gamma @ Gamma.T),
        ),
        Mistake(
            "This is plain ridge with λ = 1: Γ does not come in.",
            lambda X, y, Gamma: _solve(X, y, _eye(X)),
        ),
        Mistake(
            "This is least squares: Γ does not come in.",
            lambda X, y, Gamma: _solve(X, y, 0 * _eye(X)),
        ),
    ],
    alternatives=[
        Alternative(
            lambda X, y, Gamma: np.linalg.lstsq(
                np.vstack([X, Gamma]), np.concatenate([y, np.zeros(len(Gamma))]), rcond=None
            )[0]
        )
    ],
    hints=(
        Hint(
            "What does the penalty look like, multiplied out?", r"$\lVert\Gamma w\rVert^2=w^\top\Gamma^\top\Gamma w$."
        ),
    ),
    see="Equation (5.6): (5.4) with ΓᵀΓ in the place of Λ.",
)


# --- what λ does to each direction ---

ridge_svd = Function(
    "ridge_svd",
    asks="ŵ along the singular directions",
    points=2,
    reference=ridge.fit_svd,
    cases=_without_guess,
    clear=lambda X, y, lam: abs(X[:, 0] @ X[:, 1]) > 0.1,  # at right angles, rounding would choose the sign of vⱼ
    forbids=(ridge.fit, ridge.path, ridge.fit_diagonal, ridge.fit_tikhonov),
    mistakes=[
        Mistake(
            "1/(s + λ) in place of s/(s² + λ): the s comes from X once, the s² from XᵀX.",
            lambda X, y, lam: _along(X, y, lambda s: 1 / (s + lam)),
        ),
        Mistake(
            "1/s is least squares: λ does not come in, and nothing shrinks.",
            lambda X, y, lam: _along(X, y, lambda s: 1 / s),
        ),
        Mistake(
            "s²/(s² + λ) is the share that survives; the least squares weight uᵀy/s is still to be multiplied.",
            lambda X, y, lam: _along(X, y, lambda s: s**2 / (s**2 + lam)),
        ),
        Mistake(
            "1/(s² + λ) forgets that Xᵀy contributes one more s.",
            lambda X, y, lam: _along(X, y, lambda s: 1 / (s**2 + lam)),
        ),
        Mistake(
            "These are the coordinates along the directions vⱼ: add up Σⱼ cⱼvⱼ to come back to w.",
            lambda X, y, lam: _coordinates(X, y, lambda s: s / (s**2 + lam)),
        ),
        Mistake(
            "numpy's svd returns Vᵀ, its rows are the vⱼ: multiply by its transpose.",
            lambda X, y, lam: np.linalg.svd(X, full_matrices=False)[2] @ _coordinates(X, y, lambda s: s / (s**2 + lam)),
        ),
    ],
    alternatives=[
        Alternative(lambda X, y, lam: _by_eigenvectors(X, y, lam)),
        Alternative(lambda X, y, lam: _solve(X, y, lam * _eye(X))),
    ],
    hints=(
        Hint(
            "What happens to (5.3) when I put X = USVᵀ in?",
            r"$X^\top X+\lambda I=V(S^2+\lambda I)V^\top$ on the span of $V$, "
            r"and $X^\top y=VSU^\top y$.",
        ),
        Hint(
            "How do I call it?", "`U, s, Vt = np.linalg.svd(X, full_matrices=False)`; `Vt` is $V^\\top$, `s` a vector."
        ),
    ),
    see="Equation (5.7): the decomposition put into (5.3).",
)


def _coordinates(X, y, factor):
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return factor(s) * (U.T @ y)


def _along(X, y, factor):
    return np.linalg.svd(X, full_matrices=False)[2].T @ _coordinates(X, y, factor)


def _by_eigenvectors(X, y, lam):
    eigenvalues, V = np.linalg.eigh(X.T @ X)
    return V @ ((V.T @ (X.T @ y)) / (eigenvalues + lam))


ridge_freedom = Function(
    "ridge_freedom",
    asks="Effective degrees of freedom",
    points=1,
    reference=ridge.degrees_of_freedom,
    cases=lambda rng: [(X, lam) for X, _, lam in _without_guess(rng)],
    mistakes=[
        Mistake("This is d, the number at λ = 0: the penalty takes freedom away.", lambda X, lam: X.shape[1]),
        Mistake("This is n, the number of points: the weights are what is free.", lambda X, lam: X.shape[0]),
        Mistake(
            "s/(s + λ) has lost its squares: the eigenvalues of XᵀX are s².",
            lambda X, lam: np.sum((s := np.linalg.svd(X, compute_uv=False)) / (s + lam)),
        ),
        Mistake(
            "This is the trace of (XᵀX + λI)⁻¹: it still has to be multiplied by XᵀX.",
            lambda X, lam: np.trace(np.linalg.inv(X.T @ X + lam * _eye(X))),
        ),
        Mistake(
            "This sums λ/(s² + λ), the freedom that is lost: what is left is asked for.",
            lambda X, lam: np.sum(lam / (np.linalg.svd(X, compute_uv=False) ** 2 + lam)),
        ),
    ],
    alternatives=[
        Alternative(lambda X, lam: np.trace(X @ np.linalg.solve(X.T @ X + lam * _eye(X), X.T))),
        Alternative(lambda X, lam: X.shape[1] - lam * np.trace(np.linalg.inv(X.T @ X + lam * _eye(X)))),
    ],
    hints=(
        Hint(
            "Which matrix takes y to ŷ?",
            r"$\hat y=X\hat w=X(X^\top X+\lambda I)^{-1}X^\top y$. Its trace is asked for.",
        ),
        Hint(
            "Is there a shorter way?",
            r"Its eigenvalues are the shares $s_j^2/(s_j^2+\lambda)$, and a trace is their sum.",
        ),
    ),
    see="Equation (5.8): the trace of X(XᵀX + λI)⁻¹Xᵀ, written with singular values.",
)

# --- two printed formulas, each wrong in one place ---

map_penalty = Slip(
    "map_penalty",
    asks="The penalty that belongs to a prior",
    points=2,
    printed=lambda sigma, tau: 1 / tau,
    reference=ridge.map_penalty,
    cases=_spreads,
    admits=lambda sigma, tau: np.ndim(sigma) == np.ndim(tau) == 0 and sigma > 0 and tau > 0,
    domain="numbers σ > 0 and τ > 0",
    mistakes=[
        Mistake("This is still the printed formula.", lambda sigma, tau: 1 / tau),
        Mistake(
            "This is right only for σ = 1. Noisier data deserve less trust: the noise must come in.",
            lambda sigma, tau: 1 / tau**2,
        ),
        Mistake(
            "Upside down: a vague prior (large τ) has to penalise less, not more.",
            lambda sigma, tau: tau**2 / sigma**2,
        ),
        Mistake("Both densities have squares in their exponents: square σ and τ.", lambda sigma, tau: sigma / tau),
        Mistake(SAME_THERE, (1.0, 1.0), part=1),
        Mistake(SAME_THERE, (2.0, 4.0), part=1),
    ],
    alternatives=[
        Alternative(lambda sigma, tau: (sigma / tau) ** 2),
        Alternative(lambda sigma, tau: np.exp(2 * (np.log(sigma) - np.log(tau)))),
        Alternative((0.5, 2.0), part=1),
        Alternative([1, 3], part=1),
    ],
    hints=(
        Hint(
            "What do I maximise?",
            r"The posterior is proportional to $\exp(-\lVert Xw-y\rVert^2/2\sigma^2)$ times "
            r"$\exp(-\lVert w\rVert^2/2\tau^2)$.",
        ),
        Hint(
            "I have the logarithm. Where is λ?",
            r"Multiply by $-2\sigma^2$, so that $\lVert Xw-y\rVert^2$ stands alone.",
        ),
    ),
    see="Equation (5.9): the negative logarithm of likelihood times prior, multiplied by 2σ².",
)

budget = Slip(
    "budget",
    asks="The budget that belongs to a penalty",
    points=2,
    printed=lambda X, y, lam: lam,
    reference=ridge.budget,
    cases=_without_guess,
    admits=lambda X, y, lam: np.ndim(X) == 2 and np.shape(y) == (len(X),) and np.ndim(lam) == 0 and lam > 0,
    domain="X of shape (n, d), y of shape (n,) and a number λ > 0",
    mistakes=[
        Mistake("This is still the printed formula: the penalty λ itself as the budget.", lambda X, y, lam: lam),
        Mistake(
            "This is ‖ŵ‖. The constraint is on ‖w‖², so square it.",
            lambda X, y, lam: np.linalg.norm(_solve(X, y, lam * _eye(X))),
        ),
        Mistake(
            "1/λ falls as λ grows, as it must, but it knows nothing of the data: the budget is the norm of a fit.",
            lambda X, y, lam: 1 / lam,
        ),
        Mistake(
            "This is the budget of λ = 0, at which the constraint stops binding.",
            lambda X, y, lam: np.sum(np.linalg.lstsq(X, y, rcond=None)[0] ** 2),
        ),
        Mistake(SAME_THERE, (np.array([[1.0]]), np.array([2.0]), 1.0), part=1),
    ],
    alternatives=[
        Alternative(lambda X, y, lam: (w := _solve(X, y, lam * _eye(X))) @ w),
        Alternative(([[1.0]], [2.0], 3.0), part=1),
    ],
    hints=(
        Hint(
            "When do both problems have the same solution?",
            r"$\hat w(\lambda)$ is the best of all $w$ that are no longer than itself. So which $t$ makes it the best?",
        ),
        Hint(
            "What is the smallest counter-example?",
            "One point, one feature: $X=(1)$, $y=(a)$, $\\hat w=a/(1+\\lambda)$.",
        ),
    ),
    see="Equation (5.10): the constraint is active, so the budget is the squared length of the solution.",
)


two_halves = Explanation(
    "two_halves",
    asks="Why two hospitals disagree",
    points=3,
    rubric=(
        "1 point: total cholesterol and ldl are almost the same measurement (correlation 0.9), so the data fix the "
        "sum of their effects but hardly the difference. 1 point: in that direction s is small, 1/s large, so noise "
        "is multiplied; the factor s/(s² + λ) is not. 1 point: what ridge costs: the estimate is biased towards 0, "
        "so a small ridge weight is no proof of a small effect."
    ),
)

topic = Topic(
    number=5,
    slug="ridge",
    title="Ridge regression",
    question="How much should we distrust our own coefficients?",
    part="Regression",
    minutes=75,
    before={
        "linear_regression": "least squares and its normal equations",
        "matrix_calculus": "gradients of quadratic forms",
    },
    exercises=[
        normal_equations,
        ridge_fit,
        always_invertible,
        ridge_diagonal,
        ridge_free_bias,
        singular_design,
        ridge_tikhonov,
        ridge_svd,
        ridge_freedom,
        map_penalty,
        budget,
        two_halves,
    ],
)
check = Checks(topic)
