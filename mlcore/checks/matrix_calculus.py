"""The exercises of 02 matrix_calculus."""

import numpy as np

from mlcore import matrix_calculus as mc
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

# --- inputs to be tried on: a small one to look at, then larger ones ---


def _whole(rng, *shape):
    """Whole numbers, never 0."""
    return rng.integers(1, 5, size=shape) * rng.choice([-1.0, 1.0], size=shape)


def _forms(rng):
    """A vector and a matrix that is not symmetric."""
    small = _whole(rng, 2, 2)
    small[0, 1] = small[1, 0] + 1
    return [(_whole(rng, 2), small), *((rng.normal(size=d), 5 * rng.normal(size=(d, d))) for d in (3, 5))]


def _problems(rng):
    """w, X, y for least squares: tall and wide, never square; the loss rises with the first weight."""
    cases = [(_whole(rng, 2), _whole(rng, 3, 2), _whole(rng, 3))]
    for n, d, level in ((8, 3, 3), (3, 5, -3)):
        cases.append((rng.normal(size=d), rng.normal(size=(n, d)) + 1, rng.normal(size=n) + level))
    for w, X, y in cases:
        sign = np.copysign(1, X[:, 0] @ (X @ w - y))
        w[0], X[:, 0] = sign * w[0], sign * X[:, 0]  # the residuals stay
    return cases


def _steps(rng):
    """Steps ε along δ from x, forwards and backwards, and symmetric matrices, with R > 0 and with R < 0."""
    while True:
        eps, x, A = rng.choice([0.5, 2.0]), _whole(rng, 2), _whole(rng, 2, 2)
        delta = np.copysign(_whole(rng, 2), x)  # δᵀx = 0 would hide a quotient
        if _shows(eps, x, delta, A + A.T):
            break
    cases = [(eps, x, delta, A + A.T)]
    for sign, d in ((1, 3), (-1, 4)):
        while True:
            eps, (x, delta), A = rng.uniform(0.3, 1.5), rng.normal(size=(2, d)), rng.normal(size=(d, d))
            A = sign * np.sign(x @ A @ x) * (A + A.T)
            if _shows(eps, x, delta, A):
                break
        cases += [(eps, x, delta, A), (-eps, x, -delta, A)]
    return cases


def _shows(eps, x, delta, A):
    """Is no product so near 0 that a lost one would not be seen, and none of the vectors an eigenvector?"""
    places = (x, x + eps * delta, delta)
    products = [abs(product) for z in places for product in (delta @ A @ z, delta @ z, z @ A @ z)]
    turned = [np.linalg.norm(A @ z - _R(z, A) * z) for z in places]
    return min(*products, *turned) > 0.05


# --- gradients and a Hessian from the definition ---

quadratic_gradient = Function(
    "quadratic_gradient",
    asks="The gradient of xᵀAx",
    points=2,
    reference=mc.quadratic_gradient,
    cases=_forms,
    mistakes=[
        Mistake(
            "2Ax is right for a symmetric A only. There are two terms with one δ, δᵀAx and xᵀAδ, and they differ.",
            lambda x, A: 2 * A @ x,
        ),
        Mistake(
            "2Aᵀx is right for a symmetric A only: xᵀAδ gives Aᵀx, but δᵀAx gives Ax.",
            lambda x, A: 2 * A.T @ x,
        ),
        Mistake(
            "Only one of the two terms is there: x stands in xᵀAx twice, and the left one changes too.",
            lambda x, A: A @ x,
        ),
        Mistake(
            "Only one of the two terms is there: x stands in xᵀAx twice, and the right one changes as well.",
            lambda x, A: A.T @ x,
        ),
        Mistake("This is xᵀAx itself, a number. Its gradient has one entry for each xᵢ.", lambda x, A: x @ A @ x),
        Mistake(
            "A + Aᵀ is the matrix of the second derivatives: the gradient is that matrix times x.",
            lambda x, A: A + A.T,
        ),
    ],
    alternatives=[
        Alternative(lambda x, A: A @ x + x @ A),
        Alternative(lambda x, A: np.array([A[i] @ x + A[:, i] @ x for i in range(len(x))])),
    ],
    hints=(
        Hint("Where do I start?", r"Multiply out $(x+\epsilon\delta)^\top A(x+\epsilon\delta)$: four terms."),
        Hint(
            "Which of the four matter?",
            r"Those with one $\epsilon$: $\delta^\top Ax$ and $x^\top A\delta$. Both are numbers.",
        ),
        Hint(
            "How do I read the gradient off?",
            r"Write each as (a vector)$^\top\delta$. A number is its own transpose: "
            r"$\delta^\top Ax=(Ax)^\top\delta$ and $x^\top A\delta=(A^\top x)^\top\delta$.",
        ),
    ),
    see="Equation (2.1) with f(x) = xᵀAx: compare the terms with one ε. The result is equation (2.2).",
)

squares_gradient = Function(
    "squares_gradient",
    asks="The gradient of ‖Xw − y‖²",
    points=2,
    reference=mc.squares_gradient,
    cases=_problems,
    mistakes=[
        Mistake(
            "A factor 2 is missing: this is the gradient of ½‖Xw − y‖². The cross term of the square comes twice.",
            lambda w, X, y: X.T @ (X @ w - y),
        ),
        Mistake(
            "The sign is reversed, so whoever walks against this vector climbs: a step δ changes Xw − y by +εXδ.",
            lambda w, X, y: 2 * X.T @ (y - X @ w),
        ),
        Mistake(
            "This is divided by n: it is the gradient of the mean of the squares, and the sum is asked for.",
            lambda w, X, y: 2 / len(y) * X.T @ (X @ w - y),
        ),
        Mistake(
            "This has one entry for each point. Xᵀ is missing, which takes it back to one entry for each weight.",
            lambda w, X, y: 2 * (X @ w - y),
        ),
        Mistake(
            "X times the residual: the shapes (n, d) and (n,) do not fit. (Xδ)ᵀr = δᵀXᵀr, so it is Xᵀ.",
            lambda w, X, y: 2 * X @ (X @ w - y),
        ),
        Mistake(
            "y is lost: this is the gradient of ‖Xw‖² alone.",
            lambda w, X, y: 2 * X.T @ X @ w,
        ),
    ],
    alternatives=[
        Alternative(lambda w, X, y: 2 * (X.T @ X @ w - X.T @ y)),
        Alternative(lambda w, X, y: sum(2 * (row @ w - target) * row for row, target in zip(X, y, strict=True))),
        Alternative(lambda w, X, y: (X @ w - y) @ X * 2),
    ],
    hints=(
        Hint(
            "What does a step do to the residual?",
            r"With $r=Xw-y$ it becomes $X(w+\epsilon\delta)-y=r+\epsilon X\delta$.",
        ),
        Hint(
            "And to its square?",
            r"$\lVert r+\epsilon X\delta\rVert^2=r^\top r+2\epsilon\,r^\top X\delta+\epsilon^2\lVert X\delta\rVert^2$. "
            r"Write $r^\top X\delta$ as (a vector)$^\top\delta$.",
        ),
    ),
    see="Equation (2.1) with the step w + εδ. The result is equation (2.3).",
)

squares_hessian = Function(
    "squares_hessian",
    asks="The Hessian of ‖Xw − y‖²",
    points=1,
    reference=mc.squares_hessian,
    cases=_problems,
    mistakes=[
        Mistake(
            "The factor 2 of the gradient is lost. The derivative of 2XᵀXw is 2XᵀX.",
            lambda w, X, y: X.T @ X,
        ),
        Mistake(
            "XXᵀ is n × n, one row for each point. The Hessian has one row for each weight, d × d.",
            lambda w, X, y: 2 * X @ X.T,
        ),
        Mistake(
            "This is still a gradient, with w in it: differentiate once more.",
            lambda w, X, y: 2 * X.T @ X @ w,
        ),
        Mistake(
            "Only the diagonal is there: the mixed derivatives ∂²/∂wᵢ∂wⱼ are missing.",
            lambda w, X, y: 2 * np.diag(np.sum(X**2, axis=0)),
        ),
        Mistake(
            "This is divided by n: it belongs to the mean of the squares, and the sum is asked for.",
            lambda w, X, y: 2 / len(y) * X.T @ X,
        ),
    ],
    alternatives=[
        Alternative(lambda w, X, y: 2 * sum(np.outer(row, row) for row in X)),
        Alternative(lambda w, X, y: 2 * np.einsum("ki,kj->ij", X, X)),
    ],
    hints=(
        Hint(
            "What do I differentiate?",
            "Entry $j$ of the gradient (2.3) is a function of $w$. Its gradient is row $j$ of the Hessian.",
        ),
        Hint("Which part of (2.3) contains w?", r"$2X^\top Xw-2X^\top y$: a matrix times $w$, and a constant."),
    ),
    see="Equation (2.4): the derivative of (2.3).",
)


# --- the second order ---

_EPS = np.array([1.0, 0.1, 0.01, 0.001])


def _places(rng):
    """Points and directions of all signs, with δ₁ ≠ 0, so that the third order of the ground does not vanish.

    Along the first the ground falls, along the last it bends downwards.
    """
    points = rng.uniform([(0.2, -1), (-1, 0.2), (-1, -0.2)], [(1, -0.2), (-0.2, 1), (-0.6, -0.05)])
    ways = rng.uniform([(-1.5, 0.5), (0.5, -1.5), (0.5, 1.2)], [(-0.5, 1.5), (1.5, -0.5), (0.8, 1.5)])
    return [(x, delta, _EPS.copy()) for x, delta in zip(points, ways, strict=True)]


def _miss(x, delta, eps, value):
    return np.abs(value - mc.ground(x + eps[:, None] * delta))


def _third(x, delta):
    """A bound on |f(x + εδ) − second order| / ε³ for ε ≤ 0.1."""
    return 2 * (np.exp(x[0] + 1) * abs(delta[0]) ** 3 + abs(delta[0]) * delta[1] ** 2)


def _quadratic(x, delta, eps, value):
    """Is the value a polynomial of degree 2 in ε? Then its third divided difference vanishes."""
    table = value
    for order in (1, 2, 3):
        table = np.diff(table) / (eps[order:] - eps[:-order])
    return abs(table[0]) < 1e-6 * (1 + np.abs(value).max())


def _taylor(x, delta, eps, half=0.5, mixed=2.0, slope=1.0, power=2):
    rise = (np.exp(x[0]) + x[1] ** 2) * delta[0] + 2 * x[0] * x[1] * delta[1]
    bend = np.exp(x[0]) * delta[0] ** 2 + mixed * 2 * x[1] * delta[0] * delta[1] + 2 * x[0] * delta[1] ** 2
    return mc.ground(x) + slope * eps * rise + half * (eps**power) * bend


_NO_HALF = (
    "The ½ in front of δᵀHδ is missing, so the error falls only like ε². Differentiate your answer twice with respect "
    "to ε: you get 2δᵀHδ."
)
_ONE_ORDER = "The error falls like ε², not like ε³: something is wrong in the term with δᵀHδ."

taylor_second = Property(
    "taylor_second",
    asks="The ground to second order",
    points=2,
    cases=_places,
    forbids=(mc.taylor_1, mc.taylor_2, mc.ground_gradient, mc.ground_hessian),
    laws=[
        Law("One value is asked for each entry of eps.", lambda x, delta, eps, value: value.shape == eps.shape),
        Law(
            "For ε → 0 the value must tend to f(x).",
            lambda x, delta, eps, value: _miss(x, delta, eps, value)[-1] < 0.05 * (1 + np.abs(delta).sum()),
        ),
        Law(
            "The error falls only like ε, not like ε³: something is wrong in the term with ∇fᵀδ.",
            lambda x, delta, eps, value: bool(np.all(_miss(x, delta, eps, value)[2:] <= 60 * eps[2:] ** 2)),
        ),
        Law(
            _ONE_ORDER,
            lambda x, delta, eps, value: bool(
                np.all(_miss(x, delta, eps, value)[1:] <= _third(x, delta) * eps[1:] ** 3 + 1e-13)
            ),
        ),
        Law("This is not a parabola in ε: the second order stops at ε².", _quadratic),
    ],
    mistakes=[
        Mistake(_NO_HALF, lambda x, delta, eps: _taylor(x, delta, eps, half=1.0)),
        Mistake(
            "This is the first order, a line: its error falls like ε². The term with δᵀHδ is missing.",
            lambda x, delta, eps: _taylor(x, delta, eps, half=0.0),
        ),
        Mistake(
            "The mixed derivative comes once. H has it twice, above and below the diagonal.",
            lambda x, delta, eps: _taylor(x, delta, eps, mixed=1.0),
        ),
        Mistake(
            "The mixed derivative is missing: ∂²f/∂x₁∂x₂ = 2x₂ is not zero.",
            lambda x, delta, eps: _taylor(x, delta, eps, mixed=0.0),
        ),
        Mistake(
            "The slope is missing: this is f(x) and the term with δᵀHδ.",
            lambda x, delta, eps: _taylor(x, delta, eps, slope=0.0),
        ),
        Mistake(
            "The term with δᵀHδ carries ε, and it must carry ε²: each of the two δ brings one ε.",
            lambda x, delta, eps: _taylor(x, delta, eps, power=1),
        ),
        Mistake(
            "This is the ground itself. Its second order is asked for, a parabola in ε.",
            lambda x, delta, eps: mc.ground(x + eps[:, None] * delta),
        ),
    ],
    alternatives=[
        Alternative(_taylor),
        Alternative(  # x₁x₂² by hand, eˣ by its own series
            lambda x, delta, eps: (
                np.exp(x[0]) * (1 + eps * delta[0] + (eps * delta[0]) ** 2 / 2)
                + x[0] * x[1] ** 2
                + eps * (delta[0] * x[1] ** 2 + 2 * x[0] * x[1] * delta[1])
                + eps**2 * (2 * x[1] * delta[0] * delta[1] + x[0] * delta[1] ** 2)
            )
        ),
    ],
    hints=(
        Hint(
            "Which numbers do I need?",
            r"$f(x)$, the two entries of $\nabla f$, and the three different entries of $H$: "
            r"$\partial_{11}f$, $\partial_{12}f=\partial_{21}f$ and $\partial_{22}f$.",
        ),
        Hint(
            "What are the first derivatives?",
            r"$\partial_1f=e^{x_1}+x_2^2$ and $\partial_2f=2x_1x_2$. Differentiate each by $x_1$ and by $x_2$.",
        ),
        Hint(
            "How do they enter?",
            r"As a function of ε alone, $g(\epsilon)=f(x+\epsilon\delta)$ has $g'(0)=\nabla f^\top\delta$ and "
            r"$g''(0)=\delta^\top H\delta$. Its parabola is $g(0)+\epsilon g'(0)+\frac12\epsilon^2g''(0)$.",
        ),
    ),
    see="Equation (2.5): the parabola of g(ε) = f(x + εδ).",
)


# --- definiteness ---

psd_test = Choice(
    "psd_test",
    asks="Which symmetric matrices never give a negative xᵀAx?",
    points=1,
    options={
        "a": Option(
            "those without a negative entry",
            wrong="Try A with the rows (1, 2) and (2, 1) at x = (1, −1): xᵀAx = −2.",
        ),
        "b": Option(
            "those with a determinant that is not negative",
            wrong="−I in two dimensions has the determinant 1, and xᵀ(−I)x = −‖x‖².",
        ),
        "c": Option("those without a negative eigenvalue"),
        "d": Option(
            "those without a negative number on the diagonal",
            wrong="The diagonal says what happens along the coordinate axes only. Try the rows (1, 2) and (2, 1) "
            "between the axes, at x = (1, −1).",
        ),
    },
    reasons={
        "i": Option(
            r"$x^\top Ax=\sum_iA_{ii}x_i^2$",
            wrong="That is so for a diagonal A only: the terms Aᵢⱼxᵢxⱼ are missing.",
        ),
        "ii": Option(
            r"$\det A$ is the product of the eigenvalues",
            wrong="It is, but a product does not show the signs of its factors: two negative ones make it positive.",
        ),
        "iii": Option(r"$x^\top Ax$ is a sum of squares, each times an eigenvalue"),
    },
    alternatives=[],
    hints=(
        Hint(
            "How do I test a statement?",
            "Look for a two by two matrix that has the property, and an $x$ with $x^\\top Ax<0$.",
        ),
        Hint(
            "What do the eigenvectors have to do with it?",
            r"They are orthonormal, so $x=\sum_ic_iv_i$ with $c_i=v_i^\top x$. Put this into $x^\top Ax$.",
        ),
    ),
    see="Equation (2.6): put x = Σ (vᵢᵀx)vᵢ into xᵀAx.",
)


def _semidefinite(rng):
    """Two by two of rank 1, then of full and of lower rank; no negative entries, so that the root of each exists."""
    u = np.abs(_whole(rng, 2)) + np.array([4.0, 0.0])
    low, full = rng.uniform(0.2, 2, size=(2, 4)), rng.uniform(0.2, 2, size=(5, 3))
    return [(np.outer(u, u),), (full.T @ full,), (low.T @ low,)]


def _eigen(A):
    """What rounding leaves of an eigenvalue 0 is 0: its root would be far above rounding."""
    lam, V = np.linalg.eigh(A)
    return np.where(lam > 1e-9 * lam[-1], lam, 0), V


def _by_rank(A):
    """One row for each eigenvalue that is not 0."""
    lam, V = _eigen(A)
    return np.sqrt(lam[lam > 0])[:, None] * V[:, lam > 0].T


_OTHER_SIDE = "Your matrix gives ΦΦᵀ = A. ΦᵀΦ = A is asked for: transpose it."
_NOT_A = "ΦᵀΦ is not A."

psd_factor = Property(
    "psd_factor",
    asks="A Φ with ΦᵀΦ = A",
    points=2,
    cases=_semidefinite,
    forbids=(mc.factor,),
    laws=[
        Law(
            "Φ must have as many columns as A: shape (k, d).",
            lambda A, Phi: Phi.ndim == 2 and Phi.shape[1] == len(A),
        ),
        Law(_NOT_A, lambda A, Phi: np.allclose(Phi.T @ Phi, A, rtol=1e-6, atol=1e-7 * np.trace(A))),
    ],
    mistakes=[
        Mistake(_OTHER_SIDE, lambda A: _eigen(A)[1] * np.sqrt(_eigen(A)[0])),
        Mistake(
            "This takes the root of every entry. The roots that are needed are those of the eigenvalues.",
            lambda A: np.sqrt(A),
        ),
        Mistake(
            "ΛVᵀ has the eigenvalues without their roots: ΦᵀΦ = VΛ²Vᵀ = A².",
            lambda A: _eigen(A)[0][:, None] * _eigen(A)[1].T,
        ),
        Mistake("This is A itself: AᵀA is A², not A.", lambda A: A),
        Mistake(
            "Only the roots of the eigenvalues are there: the eigenvectors say along which directions they act.",
            lambda A: np.diag(np.sqrt(_eigen(A)[0])),
        ),
    ],
    alternatives=[
        Alternative(lambda A: _eigen(A)[1] @ np.diag(np.sqrt(_eigen(A)[0])) @ _eigen(A)[1].T),
        Alternative(lambda A: (svd := np.linalg.svd(A))[0] * np.sqrt(svd[1].round(9)) @ svd[2]),
        Alternative(lambda A: _by_rank(A)),
    ],
    hints=(
        Hint(
            "What do I know about A?",
            r"$A=V\Lambda V^\top$ with orthonormal eigenvectors in the columns of $V$, and "
            r"$\Lambda=\mathrm{diag}(\lambda_1,\dots,\lambda_d)$ without a negative entry.",
        ),
        Hint(
            "How do I split it?",
            r"$\Lambda=\Lambda^{1/2}\Lambda^{1/2}$. Which half of $V\Lambda^{1/2}\Lambda^{1/2}V^\top$ is $\Phi$?",
        ),
        Hint(
            "Why do I get nan, or an error from cholesky?",
            "Some of the matrices have an eigenvalue 0. Rounding can make it slightly negative, and "
            "`np.maximum(lam, 0)` mends that. `np.linalg.cholesky` needs all eigenvalues to be positive.",
        ),
    ),
    see="Equation (2.7): take the root of Λ in A = VΛVᵀ.",
)


# --- the Rayleigh quotient ---


def _line_1(eps, x, delta, A):
    z = x + eps * delta
    return (z @ A @ z) / (z @ z)


def _line_2(eps, x, delta, A):
    return (
        np.array([x @ A @ x, 2 * delta @ A @ x, delta @ A @ delta]),
        np.array([x @ x, 2 * delta @ x, delta @ delta]),
    )


def _line_3(eps, x, delta, A):
    return (2 * delta @ A @ x) * (x @ x), -(x @ A @ x) * (2 * delta @ x), (x @ x) ** 2


def _line_4(eps, x, delta, A):
    return 2 / (x @ x) * A @ x, 2 * (x @ A @ x) / (x @ x) ** 2 * x


def _line_5(eps, x, delta, A):
    return 2 / (x @ x) * A - 2 * (x @ A @ x) / (x @ x) ** 2 * np.eye(len(x))


def _beside_delta(eps, x, delta, A):
    """What δᵀ may meet in a line 3, right or wrong: x, x with ε left in it, or δ once more; with A and without."""
    z = x + eps * delta
    return A @ x, x, A @ z, z, A @ delta, delta


def _without_delta(i, j):
    """Line 4 from a line 3 in which p′ has δᵀa and q′ has δᵀb, for two of these vectors."""

    def step(before, eps, x, delta, A):
        with_p, with_q, denominator = before
        beside = _beside_delta(eps, x, delta, A)
        a, b = beside[i], beside[j]
        return with_p / denominator / (delta @ a) * a, -with_q / denominator / (delta @ b) * b

    return step


def _without_x(i):
    """Line 5 from a line 4 in which u − v is made of Az and z, for one pair of these vectors."""

    def step(before, eps, x, delta, A):
        u, v = before
        pair = _beside_delta(eps, x, delta, A)[i : i + 2]
        of_A, of_I = np.linalg.lstsq(np.transpose(pair), u - v, rcond=None)[0]
        return of_A * A + of_I * np.eye(len(x))

    return step


def _R(x, A):
    return (x @ A @ x) / (x @ x)


def _by_one_matrix(eps, x, delta, A):
    """Both polynomials from the 2 × 2 matrices of the products of x and δ."""
    both = np.array([x, delta])
    return [[G[0, 0], G[0, 1] + G[1, 0], G[1, 1]] for G in (both @ A @ both.T, both @ both.T)]


rayleigh_slope = Chain(
    "rayleigh_slope",
    asks="The slope of the Rayleigh quotient",
    first=_line_1,
    lines=[
        Line(
            does="multiply out above and below, and collect what stands with 1, with ε and with ε²",
            parts=("above", "below"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The terms with one ε come twice, above and below: once from each side of the product.",
                    lambda eps, x, delta, A: (
                        np.array([x @ A @ x, delta @ A @ x, delta @ A @ delta]),
                        np.array([x @ x, delta @ x, delta @ delta]),
                    ),
                ),
                Mistake(
                    "Above, the term with one ε has to come twice: xᵀAδ is there too, and equals δᵀAx.",
                    but(_line_2, 0, lambda eps, x, delta, A: np.array([x @ A @ x, delta @ A @ x, delta @ A @ delta])),
                ),
                Mistake(
                    "Below, the term with one ε comes twice: ‖a + b‖² = ‖a‖² + 2aᵀb + ‖b‖².",
                    but(_line_2, 1, lambda eps, x, delta, A: np.array([x @ x, delta @ x, delta @ delta])),
                ),
                Mistake(
                    "The coefficients of ε² are gone. They leave in line 3, where ε becomes 0, not before.",
                    lambda eps, x, delta, A: (
                        np.array([x @ A @ x, 2 * delta @ A @ x, 0]),
                        np.array([x @ x, 2 * delta @ x, 0]),
                    ),
                ),
                Mistake(
                    "The coefficients alone are asked for: ε and ε² are not multiplied in.",
                    lambda eps, x, delta, A: (
                        _line_2(eps, x, delta, A)[0] * [1, eps, eps**2],
                        _line_2(eps, x, delta, A)[1] * [1, eps, eps**2],
                    ),
                ),
                Mistake(
                    "The coefficients are in the opposite order: what stands with 1 comes first, with ε² last.",
                    lambda eps, x, delta, A: [part[::-1] for part in _line_2(eps, x, delta, A)],
                ),
                Mistake(
                    "Above and below are exchanged: A is above, in line 1 too.",
                    lambda eps, x, delta, A: _line_2(eps, x, delta, A)[::-1],
                ),
                Mistake(
                    "The terms with ε² are doubled: εδ meets εδ only once.",
                    lambda eps, x, delta, A: [part * [1, 1, 2] for part in _line_2(eps, x, delta, A)],
                ),
            ],
        ),
        Line(
            does="differentiate with respect to ε by the quotient rule, set ε = 0 and cancel nothing: the product "
            "with p′, the one with q′, each with its sign, and what they are divided by",
            parts=("p′ product", "q′ product", "denominator"),
            reference=_line_3,
            follows=lambda before, eps, x, delta, A: (
                before[0][1] * before[1][0],
                -before[0][0] * before[1][1],
                before[1][0] ** 2,
            ),
            whole=lambda here, eps, x, delta, A: (here[0] + here[1]) / here[2],
            mistakes=[
                Mistake(
                    "The quotient rule has a minus: the two products are subtracted.",
                    but(_line_3, 1, lambda eps, x, delta, A: 2 * x @ A @ x * (delta @ x)),
                ),
                Mistake(
                    "Both signs are reversed: the product with p′ comes first, and the other is subtracted from it.",
                    lambda eps, x, delta, A: (
                        -2 * delta @ A @ x * (x @ x),
                        2 * x @ A @ x * (delta @ x),
                        (x @ x) ** 2,
                    ),
                ),
                Mistake(
                    "The denominator of the quotient rule is squared.",
                    but(_line_3, 2, lambda eps, x, delta, A: x @ x),
                ),
                Mistake(
                    "Both derivatives are halved: that of a + bε + cε² at ε = 0 is all of b.",
                    lambda eps, x, delta, A: (delta @ A @ x * (x @ x), -x @ A @ x * (delta @ x), (x @ x) ** 2),
                ),
                Mistake(
                    "A factor q was cancelled in all three. The fraction is the same, but the quotient rule divides "
                    "by q².",
                    lambda eps, x, delta, A: (2 * delta @ A @ x, -2 * _R(x, A) * (delta @ x), x @ x),
                ),
                Mistake(
                    "A factor 2 was cancelled in all three. The fraction is the same, but the quotient rule divides "
                    "by q².",
                    lambda eps, x, delta, A: tuple(part / 2 for part in _line_3(eps, x, delta, A)),
                ),
                Mistake(
                    "p′ and q′ stand alone: the quotient rule multiplies p′ with q, and q′ with p.",
                    lambda eps, x, delta, A: (2 * delta @ A @ x, -2 * delta @ x, (x @ x) ** 2),
                ),
                Mistake(
                    "ε is still there. The derivative is asked for at ε = 0.",
                    lambda eps, x, delta, A: _line_3(eps, x + eps * delta, delta, A),
                ),
                Mistake(
                    "The product with q′ is missing: what stands below holds ε too.",
                    but(_line_3, 1, lambda eps, x, delta, A: 0.0),
                ),
                Mistake(
                    "q′ stands alone: the quotient rule multiplies it with p.",
                    but(_line_3, 1, lambda eps, x, delta, A: -2 * delta @ x),
                ),
                Mistake(
                    "The division is done already: the two products, and what divides them, are asked for.",
                    lambda eps, x, delta, A: (*(part / (x @ x) ** 2 for part in _line_3(eps, x, delta, A)[:2]), 1.0),
                ),
            ],
        ),
        Line(
            does="take δ out: δᵀ(u − v), where u comes from the product with p′ and v from the one with q′",
            parts=("u", "v"),
            reference=_line_4,
            follows=[_without_delta(i, j) for i in range(6) for j in (1, 0, 2, 3, 4, 5)],
            whole=lambda here, eps, x, delta, A: here[0] - here[1],
            mistakes=[
                Mistake(
                    "v has 1/xᵀx only once: the denominator is (xᵀx)², and nothing in xᵀAx cancels it.",
                    but(_line_4, 1, lambda eps, x, delta, A: 2 * (x @ A @ x) / (x @ x) * x),
                ),
                Mistake(
                    "A factor 1/xᵀx is lost in both. It is 1 for a unit vector only.",
                    lambda eps, x, delta, A: (2 * A @ x, 2 * _R(x, A) * x),
                ),
                Mistake(
                    "The 2 is lost in both: each product in line 3 has one.",
                    lambda eps, x, delta, A: (A @ x / (x @ x), _R(x, A) / (x @ x) * x),
                ),
                Mistake(
                    "v has a minus, and a minus stands before it already: δᵀ(u − v).",
                    but(_line_4, 1, lambda eps, x, delta, A: -2 * _R(x, A) / (x @ x) * x),
                ),
                Mistake(
                    "Neither of the two is divided: the denominator of line 3 belongs to both.",
                    lambda eps, x, delta, A: (2 * (x @ x) * A @ x, 2 * (x @ A @ x) * x),
                ),
                Mistake(
                    "u and v are exchanged: u comes from the product with p′, and there A stands between δ and x.",
                    lambda eps, x, delta, A: _line_4(eps, x, delta, A)[::-1],
                ),
                Mistake(
                    "ε is in it. Line 3 is asked for at ε = 0, and then x stands in it without εδ.",
                    lambda eps, x, delta, A: _line_4(eps, x + eps * delta, delta, A),
                ),
                Mistake(
                    "v is missing: the product with q′ holds δ too.",
                    but(_line_4, 1, lambda eps, x, delta, A: 0 * x),
                ),
                Mistake(
                    "R(x) is missing in v: in line 3 q′ is multiplied with xᵀAx.",
                    but(_line_4, 1, lambda eps, x, delta, A: 2 * x / (x @ x)),
                ),
                Mistake(
                    "v is not divided: the denominator of line 3 belongs to both.",
                    but(_line_4, 1, lambda eps, x, delta, A: 2 * (x @ A @ x) * x),
                ),
            ],
        ),
        Line(
            does="take x out too: δᵀMx, where M is a multiple of A plus a multiple of the identity",
            reference=_line_5,
            follows=[_without_x(i) for i in (0, 2, 4)],
            mistakes=[
                Mistake(
                    "A number was subtracted from every entry of A: a number times x is that number times Ix.",
                    lambda eps, x, delta, A: 2 / (x @ x) * (A - _R(x, A)),
                ),
                Mistake(
                    "The two are added. In line 4 they are subtracted.",
                    lambda eps, x, delta, A: 2 / (x @ x) * (A + _R(x, A) * np.eye(len(x))),
                ),
                Mistake(
                    "The factor of u is not in front of A: 2/xᵀx belongs to both.",
                    lambda eps, x, delta, A: A - 2 * _R(x, A) / (x @ x) * np.eye(len(x)),
                ),
                Mistake(
                    "R is missing before the identity: v is more than a multiple of x with the factor of u.",
                    lambda eps, x, delta, A: 2 / (x @ x) * (A - np.eye(len(x))),
                ),
                Mistake(
                    "Mx is right, but this M holds xxᵀA: (xᵀAx)x is xᵀAx times Ix, a multiple of the identity.",
                    lambda eps, x, delta, A: 2 / (x @ x) * (A - np.outer(x, x) @ A / (x @ x)),
                ),
                Mistake(
                    "Mx is right, but this M has x in every row: A and the identity are to stand in it by themselves.",
                    lambda eps, x, delta, A: np.outer(_line_5(eps, x, delta, A) @ x, x) / (x @ x),
                ),
                Mistake(
                    "A factor 1/xᵀx is lost in both. It is 1 for a unit vector only.",
                    lambda eps, x, delta, A: 2 * A - 2 * _R(x, A) * np.eye(len(x)),
                ),
                Mistake(
                    "Neither of the two is divided: the denominator of line 3 belongs to both.",
                    lambda eps, x, delta, A: 2 * (x @ x) * A - 2 * (x @ A @ x) * np.eye(len(x)),
                ),
                Mistake(
                    "ε is in it. Line 3 is asked for at ε = 0, and then x stands in it without εδ.",
                    lambda eps, x, delta, A: _line_5(eps, x + eps * delta, delta, A),
                ),
            ],
        ),
    ],
    cases=_steps,
    forbids=(mc.rayleigh_gradient,),
    alternatives=[
        Alternative(
            lambda eps, x, delta, A: (
                [x @ A @ x, x @ A @ delta + delta @ A @ x, delta @ A @ delta],
                [np.sum(x**2), 2 * np.sum(x * delta), np.sum(delta**2)],
            ),
            part=0,
        ),
        Alternative(_by_one_matrix, part=0),
        Alternative(
            lambda eps, x, delta, A: (
                (delta @ A @ x + x @ A @ delta) * np.sum(x**2),
                -2 * np.sum(x * (A @ x)) * np.sum(delta * x),
                np.linalg.norm(x) ** 4,
            ),
            part=1,
        ),
        Alternative(lambda eps, x, delta, A: (2 * A @ x / (x @ x), 2 * mc.rayleigh(x, A) * x / np.sum(x**2)), part=2),
        Alternative(
            lambda eps, x, delta, A: (
                (A + A.T) @ x / np.linalg.norm(x) ** 2,
                2 * np.outer(x, x) @ (A @ x) / np.linalg.norm(x) ** 4,
            ),
            part=2,
        ),
        Alternative(lambda eps, x, delta, A: 2 * (A - mc.rayleigh(x, A) * np.identity(len(x))) / (x @ x), part=3),
        Alternative(
            lambda eps, x, delta, A: (2 * A * (x @ x) - np.diag(np.full(len(x), 2 * x @ A @ x))) / np.sum(x**2) ** 2,
            part=3,
        ),
    ],
    hints=(
        Hint(
            "What is above and below the line after the step?",
            r"Above $(x+\epsilon\delta)^\top A(x+\epsilon\delta)$, as in exercise 2a, now with $x^\top A\delta="
            r"\delta^\top Ax$. Below the same with $I$ in the place of $A$.",
        ),
        Hint(
            "How does the quotient rule go?",
            r"$(p/q)'=(p'q-pq')/q^2$, where $p$ and $q$ are the two polynomials in $\epsilon$. At $\epsilon=0$ a "
            r"polynomial is its first coefficient; which one is its derivative there?",
        ),
        Hint(
            "How does x come out of two terms?",
            r"$Ax-tx=(A-tI)x$ for a number $t$. `np.eye(len(x))` is $I$.",
        ),
    ),
    see="The list above line 1. The gradient is what δ is multiplied with: Mx.",
)


def _stretches(rng):
    """Positive definite matrices with eigenvalues in the hundreds.

    The second is 0.8 of the first, and x is halfway between the two: 27 steps are too few on every draw.
    """
    cases = []
    for d in (2, 3, 6):
        lam = rng.uniform(200, 900) * np.array([1.0, 0.8, *rng.uniform(0.1, 0.7, size=d - 2)])
        V = np.linalg.qr(rng.normal(size=(d, d)))[0]
        A = V * lam @ V.T
        x = V @ np.array([1.0, 1.0, *rng.uniform(0.3, 1, size=d - 2)])
        cases.append(((A + A.T) / 2, x))
    return cases


def _largest(A, x):
    return np.linalg.eigvalsh(A)[-1]


def _iterate(A, x, steps):
    for _ in range(steps):
        x = A @ x
        x = x / np.linalg.norm(x)
    return x


def _no_norm(A, x):
    with np.errstate(all="ignore"):
        for _ in range(200):
            x = A @ x
        return (x @ A @ x) / (x @ x)


def _ascent(A, x):
    """Gradient ascent on R, with a step that shrinks as R grows."""
    for _ in range(150):
        x = x / np.linalg.norm(x)
        x = x + mc.rayleigh_gradient(x, A) / (2 * mc.rayleigh(x, A))
    return mc.rayleigh(x, A)


power_eigenvalue = Function(
    "power_eigenvalue",
    asks="The largest eigenvalue by power iteration",
    points=2,
    reference=_largest,
    cases=_stretches,
    forbids=(mc.power_iteration,),
    mistakes=[
        Mistake(
            "A number overflowed, and inf/inf is not a number: x grows by the factor λ in every step. "
            "Normalise x in every step.",
            _no_norm,
        ),
        Mistake(
            "This is the smallest eigenvalue. Multiplying by A favours the direction that A stretches most.",
            lambda A, x: np.linalg.eigvalsh(A)[0],
        ),
        Mistake("This is the trace, the sum of all eigenvalues.", lambda A, x: np.trace(A)),
        Mistake("This is the eigenvector. Its quotient R(x) is the eigenvalue.", lambda A, x: _iterate(A, x, 150)),
        Mistake("This is R at the start: no step was taken.", lambda A, x: (x @ A @ x) / (x @ x)),
        Mistake(
            "One step is not enough: x has turned towards the eigenvector, but is not there yet.",
            lambda A, x: mc.rayleigh(_iterate(A, x, 1), A),
        ),
        Mistake(
            "This is the root of the eigenvalue: for a unit vector λ is ‖Ax‖, not its root.",
            lambda A, x: np.sqrt(np.linalg.eigvalsh(A)[-1]),
        ),
    ],
    alternatives=[
        Alternative(lambda A, x: np.linalg.norm(A @ _iterate(A, x, 100))),
        Alternative(_ascent),
        Alternative(lambda A, x: np.max(np.linalg.eigvalsh(A))),
    ],
    hints=(
        Hint(
            "What does multiplying by A do to x?",
            r"$x=\sum_ic_iv_i$ becomes $Ax=\sum_i\lambda_ic_iv_i$: the share of the largest eigenvalue grows most.",
        ),
        Hint(
            "How many steps?",
            "The other shares shrink by $\\lambda_i/\\lambda_{\\max}$ in every step, here at most 0.8. A hundred steps "
            "are enough.",
        ),
        Hint("And the eigenvalue?", "When $x$ stands still, $Ax=\\lambda x$, so $R(x)=\\lambda$."),
    ),
    see="Equation (2.11): repeat it, then take R of the last x.",
)


_SHAPE = "A must have two rows and two columns."
_NOT_SYMMETRIC = "A must be symmetric: this one is not, and then the eigenvalues need not even be real."
_ONE_EIGENVALUE = "Both eigenvalues are the same, so every x is an eigenvector, and R is right at the start."
_STILL_RIGHT = (
    "The largest eigenvalue of this A is also the largest in size, so power iteration finds it. "
    "Which share of x does a step enlarge most?"
)


def _ends(A):
    low, high = np.linalg.eigvalsh(A)
    return low, high


power_breaks = Property(
    "power_breaks",
    asks="An A for which power iteration misses the largest eigenvalue",
    points=1,
    laws=[
        Law(_SHAPE, lambda A: A.shape == (2, 2)),
        Law(_NOT_SYMMETRIC, lambda A: bool(np.abs(A - A.T).max() <= 1e-9 * np.abs(A).max())),
        Law(_ONE_EIGENVALUE, lambda A: _ends(A)[1] - _ends(A)[0] > 1e-6 * np.abs(A).max()),
        Law(_STILL_RIGHT, lambda A: -_ends(A)[0] >= _ends(A)[1] * (1 - 1e-9)),
    ],
    mistakes=[
        Mistake(_SHAPE, np.diag([1.0, 0.0, -3.0])),
        Mistake(_NOT_SYMMETRIC, np.array([[0.0, -1.0], [1.0, 0.0]])),
        Mistake(_ONE_EIGENVALUE, -np.eye(2)),
        Mistake(_STILL_RIGHT, np.array([[2.0, 1.0], [1.0, 2.0]])),
        Mistake(_STILL_RIGHT, np.diag([3.0, -2.0])),
        Mistake(_STILL_RIGHT, np.ones((2, 2))),
    ],
    alternatives=[
        Alternative([[1, 0], [0, -1]]),
        Alternative(np.array([[0.0, 1.0], [1.0, -1.0]])),
        Alternative(np.array([[-5.0, 1.0], [1.0, -2.0]])),
    ],
    hints=(
        Hint(
            "What does a step do to the shares?",
            r"The share of $v_i$ is multiplied by $\lambda_i$. After many steps the largest $|\lambda_i|$ wins.",
        ),
        Hint("What is the easiest matrix to try?", "A diagonal one: its eigenvalues stand on the diagonal."),
    ),
    see="The explorer of power iteration, left of λ₂ = −1.",
)


# --- a formula as printed ---

rayleigh_gradient = Slip(
    "rayleigh_gradient",
    asks="The gradient of R for every square A",
    points=2,
    printed=lambda x, A: 2 / (x @ x) * (A @ x - (x @ A @ x) / (x @ x) * x),
    reference=mc.rayleigh_gradient,
    cases=_forms,
    admits=lambda x, A: np.ndim(x) == 1 and np.shape(A) == (len(x), len(x)) and bool(np.any(x)),
    domain="x of shape (d,), not zero, and A of shape (d, d)",
    mistakes=[
        Mistake(
            "This is the printed formula: it took 2Ax for the gradient of xᵀAx, which holds for a symmetric A only.",
            lambda x, A: 2 / (x @ x) * (A @ x - mc.rayleigh(x, A) * x),
        ),
        Mistake(
            "A was replaced by its transpose. That is no better: both belong in, with half the weight each.",
            lambda x, A: 2 / (x @ x) * (A.T @ x - mc.rayleigh(x, A) * x),
        ),
        Mistake(
            "A + Aᵀ in the place of A is twice too much: for a symmetric A it must be (2.9) again.",
            lambda x, A: 2 / (x @ x) * ((A + A.T) @ x - mc.rayleigh(x, A) * x),
        ),
        Mistake(
            "The factor 1/xᵀx is lost: R does not change when x is doubled, so its gradient has to be halved.",
            lambda x, A: 2 * ((A + A.T) @ x / 2 - mc.rayleigh(x, A) * x),
        ),
        Mistake(SAME_THERE, (np.array([1.0, 2.0]), np.array([[2.0, 1.0], [1.0, 3.0]])), part=1),
    ],
    alternatives=[
        Alternative(lambda x, A: (A + A.T) @ x / (x @ x) - 2 * (x @ A @ x) * x / (x @ x) ** 2),
        Alternative(([1.0, 0.5], [[1.0, 4.0], [0.0, 2.0]]), part=1),
    ],
    hints=(
        Hint("Which line of the chain used the symmetry?", r"Line 2, where $x^\top A\delta=\delta^\top Ax$."),
        Hint(
            "What stands there without it?",
            r"Exercise 2a: the term with one $\epsilon$ is $\epsilon\,\delta^\top(A+A^\top)x$.",
        ),
    ),
    see="Equation (2.12): the chain with (2.2) in the place of 2Ax.",
)


flat_point = Explanation(
    "flat_point",
    asks="Is a flat point a minimum?",
    points=3,
    rubric=(
        "1 point: with ∇f = 0 the second order is f + ½ε²δᵀHδ, and along the eigenvector vᵢ it is f + ½λᵢε². 1 point: "
        "along the third eigenvector the loss falls by 0.005ε², in both directions, so the point is a saddle; a step "
        "goes along ±v₃. 1 point: were the third eigenvalue exactly 0, the second order would be silent in that "
        "direction, and the third or a higher order decides (or an example, such as x³ or x⁴)."
    ),
)

topic = Topic(
    number=2,
    slug="matrix_calculus",
    title="Matrix calculus",
    question="What happens to a function of many variables when we take a small step?",
    part="Foundations",
    minutes=75,
    before={
        "probability": "derivatives of functions of one variable, products of matrices and vectors, covariance",
    },
    exercises=[
        quadratic_gradient,
        squares_gradient,
        squares_hessian,
        taylor_second,
        psd_test,
        psd_factor,
        rayleigh_slope,
        power_eigenvalue,
        power_breaks,
        rayleigh_gradient,
        flat_point,
    ],
)
check = Checks(topic)
