"""The exercises of 16 kernels."""

import math

import numpy as np

from mlcore import kernels
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
    Value,
    but,
    exactly,
)

# --- data to be tried on: Gram matrices of a narrow Gaussian and of a linear kernel, with invertible K ---


def _gaussian(X, Z, h):
    return np.exp(-np.sum((X[:, None] - Z[None]) ** 2, axis=2) / (2 * h**2))


def _pairs(rng):
    """Two sets of points of different sizes, the first with whole numbers."""
    small = rng.integers(1, 3, size=(2, 2)) * rng.choice([-1.0, 1.0], size=(2, 2))
    return [
        (small, rng.integers(1, 4, size=(3, 2)) * rng.choice([-1.0, 1.0], size=(3, 2))),
        (rng.normal(size=(5, 3)), rng.normal(size=(4, 3))),
    ]


def _grams(rng):
    """(K, y): three points on a line, then a Gaussian kernel, and a linear one, which has negative entries."""
    line = np.array([[0.0], [1.0], [2.5]]) * rng.uniform(0.8, 1.2)
    square, wide = rng.normal(size=(6, 2)), rng.normal(size=(8, 16)) / 2
    return [
        (_gaussian(line, line, 1.0), rng.integers(1, 6, size=3).astype(float)),
        (_gaussian(square, square, 0.8), rng.normal(size=6) + 2),
        (wide @ wide.T, rng.normal(size=8) - 1),
    ]


def _steps(rng):
    """(K, y, η, T) with a step that converges; few steps and many."""
    cases = []
    for (K, y), T in zip(_grams(rng), (2, 1, 50), strict=True):
        cases += [(K, y, rng.uniform(0.3, 0.9) / np.linalg.eigvalsh(K)[-1], T)]
    return cases


def _ridges(rng):
    return [(K, y, rng.uniform(0.3, 0.8) if i % 2 else rng.uniform(1.5, 3)) for i, (K, y) in enumerate(_grams(rng))]


def _lines(rng):
    return [(rng.normal(size=len(y)), K, y, lam) for K, y, lam in _ridges(rng)]


def _fitted(rng):
    """(y, f, λ) of kernel ridge."""
    return [(y, K @ np.linalg.solve(K + lam * np.eye(len(y)), y), lam) for K, y, lam in _ridges(rng)]


def _on_a_line(rng):
    """(x, g, m), with x on both sides of 0, and 0 itself."""
    return [
        (np.array([0.5, -1.0]) * rng.uniform(0.8, 1.5), rng.uniform(0.6, 0.9), 3),
        (np.append(rng.normal(size=4), 0.0), rng.uniform(1.2, 2), 6),
        (rng.normal(size=3), rng.uniform(0.2, 0.4), 40),
        (rng.normal(size=3), rng.uniform(0.2, 2), 1),
    ]


def _truncated(rng):
    """(x, y, at, g, m) with few features, and more than points; y on either side of 0."""
    cases = []
    for n, m, level in ((4, 2, 1.5), (5, 9, -2.0), (7, 12, 1.0)):
        x, at = rng.uniform(-1.2, 1.2, size=n), rng.uniform(-1.2, 1.2, size=3)
        cases.append((x, np.sin(2 * x) / 2 + rng.normal(size=n) / 3 + level, at, rng.uniform(0.4, 1.2), m))
    return cases


def _machines(rng):
    """(alpha, s, b, X, X_new, h), with some α = 0, unequal classes, and b below 0, below h and above it."""
    cases = []
    for n, m, d, lowest in ((3, 2, 1, -1.5), (6, 4, 2, 0.3), (9, 3, 3, 2.0)):
        s = np.where(np.arange(n) < max(1, n // 3), 1.0, -1.0)
        alpha = rng.uniform(0.2, 2, size=n)
        alpha[-1] = 0.0 if n > 3 else alpha[-1]
        h = rng.uniform(0.5, 0.8) if d == 1 else rng.uniform(1.3, 2)
        b = rng.uniform(lowest, lowest + 1)
        cases.append((alpha, s, b, rng.normal(size=(n, d)), rng.normal(size=(m, d)), h))
    return cases


# --- features that are never computed ---

cubic_gram = Function(
    "cubic_gram",
    asks="A cubic kernel",
    points=1,
    reference=kernels.cubic,
    cases=_pairs,
    forbids=(kernels.cubic_features,),
    mistakes=[
        Mistake(
            "The products of two coordinates are missing: they contribute t².",
            lambda X, Z: 1 + (t := X @ Z.T) + t**3,
        ),
        Mistake(
            "(1 + t)³ is another kernel: multiplied out it has 3t and 3t², so its features carry weights.",
            lambda X, Z: (1 + X @ Z.T) ** 3,
        ),
        Mistake("The constant feature is missing: it contributes 1.", lambda X, Z: (t := X @ Z.T) + t**2 + t**3),
        Mistake(
            "t³ alone belongs to the products of three coordinates. The shorter ones are features as well.",
            lambda X, Z: (X @ Z.T) ** 3,
        ),
        Mistake(
            "The rows belong to X and the columns to Z: this is the transpose.",
            lambda X, Z: (1 + (t := X @ Z.T) + t**2 + t**3).T,
        ),
    ],
    alternatives=[
        Alternative(lambda X, Z: [[sum((x @ z) ** k for k in range(4)) for z in Z] for x in X]),
        Alternative(lambda X, Z: _all_products(X) @ _all_products(Z).T),
    ],
    hints=(
        Hint(
            "What is the inner product of the features of degree 2?",
            r"$\sum_{i,j}(x_ix_j)(z_iz_j)=\bigl(\sum_ix_iz_i\bigr)\bigl(\sum_jx_jz_j\bigr)=t^2$ with $t=x^\top z$.",
        ),
        Hint("And all together?", "Degree 0 gives 1, degree 1 gives $t$, degree 3 gives one more factor $t$. Add up."),
        Hint("How do I get t for all pairs?", "`X @ Z.T` has $x_i^\\top z_j$ in row $i$ and column $j$."),
    ),
    see="Equation (16.1): each degree contributes a power of t = xᵀz.",
)


def _all_products(X):
    """The features themselves, one product after the other."""
    rows = []
    for x in X:
        two = np.outer(x, x).ravel()
        rows.append(np.concatenate([[1.0], x, two, np.outer(two, x).ravel()]))
    return np.array(rows)


feature_count = Slip(
    "feature_count",
    asks="How many features there are",
    points=2,
    printed=lambda d: 1 + d + d**3,
    reference=kernels.feature_count,
    cases=lambda rng: [(int(rng.choice([3, 5])),), (2 * int(rng.integers(3, 20)),), (1000,)],  # odd and even
    compare=exactly,
    admits=lambda d: np.ndim(d) == 0 and d >= 1 and d == np.round(d),
    domain="one whole number d ≥ 1",
    mistakes=[
        Mistake("This is still the printed count.", lambda d: 1 + d + d**3),
        Mistake(
            "This counts each product once, whatever the order of its factors. The feature map above lists x₁x₂ "
            "and x₂x₁.",
            lambda d: math.comb(d + 3, 3),
        ),
        Mistake("(1 + d)³ is more: it would count each degree several times.", lambda d: (1 + d) ** 3),
        Mistake("These are the products of three only: the shorter ones count as well.", lambda d: d**3),
        Mistake("The constant feature 1 is missing.", lambda d: d + d**2 + d**3),
    ],
    alternatives=[
        Alternative(lambda d: sum(d**k for k in range(4))),
        Alternative(lambda d: (d**4 - 1) // (d - 1)),
        Alternative((3,), part=1),
        Alternative([1], part=1),
    ],
    hints=(
        Hint("How many products of two coordinates are there?", "$d$ choices for the first, $d$ for the second."),
        Hint("Which d should I give?", "A small one. At $d=1000$ the missing summand is a thousandth of the whole."),
    ),
    see="Equation (16.2): one summand for each degree.",
)

# --- gradient descent without features ---


def _walk(K, y, eta, T, move):
    beta = np.zeros(len(y))
    for _ in range(T):
        beta = beta + eta * move(K, y, beta)
    return beta


kernel_gd = Function(
    "kernel_gd",
    asks="Gradient descent without features",
    points=2,
    reference=lambda K, y, eta, T: _walk(K, y, eta, T, lambda K, y, beta: y - K @ beta),
    cases=_steps,
    forbids=(kernels.descend,),
    mistakes=[
        Mistake(
            "The sign is reversed: β collects the residuals y − Kβ with a plus.",
            lambda K, y, eta, T: _walk(K, y, eta, T, lambda K, y, beta: K @ beta - y),
        ),
        Mistake(
            "Every step uses the first residual, y. After the first step the residual is y − Kβ.",
            lambda K, y, eta, T: T * eta * y,
        ),
        Mistake(
            "One K too many: K(y − Kβ) is the descent direction in β. We descend in θ = Φᵀβ, and Φᵀ is already out.",
            lambda K, y, eta, T: _walk(K, y, eta, T, lambda K, y, beta: K @ (y - K @ beta)),
        ),
        Mistake(
            "The prediction is Kβ, not β: K is missing in the residual.",
            lambda K, y, eta, T: _walk(K, y, eta, T, lambda K, y, beta: y - beta),
        ),
    ],
    alternatives=[
        Alternative(lambda K, y, eta, T: _spectral(K, y, eta, T)),
        Alternative(lambda K, y, eta, T: _power_series(K, y, eta, T)),
    ],
    hints=(
        Hint(
            "How do I get rid of θ?",
            r"Put $\theta=\Phi^\top\beta$ into the step: $\Phi^\top\beta+\eta\,\Phi^\top(y-\Phi\Phi^\top\beta)$. "
            r"Take $\Phi^\top$ out to the left.",
        ),
        Hint("What is ΦΦᵀ?", r"Its entries are $\varphi(x_i)^\top\varphi(x_j)=k(x_i,x_j)$: it is $K$."),
        Hint("And the start?", "$\\theta=0$ is $\\beta=0$."),
    ),
    see="Equation (16.3): what stands behind Φᵀ is the new β.",
)


def _spectral(K, y, eta, T):
    """In the eigenvectors of K each coordinate is a geometric series."""
    eigenvalues, V = np.linalg.eigh(K)
    return V @ ((1 - (1 - eta * eigenvalues) ** T) / eigenvalues * (V.T @ y))


def _power_series(K, y, eta, T):
    residual, beta = y, 0 * y
    for _ in range(T):
        beta, residual = beta + eta * residual, residual - eta * K @ residual
    return beta


# --- kernel ridge ---


def _line_1(beta, K, y, lam):
    return (y - K @ beta) @ (y - K @ beta) + lam * beta @ K @ beta


def _line_2(beta, K, y, lam):
    return beta @ K @ K @ beta + lam * beta @ K @ beta, -2 * beta @ K @ y, y @ y


def _line_3(beta, K, y, lam):
    return K @ K + lam * K, K @ y, y @ y


def _line_4(beta, K, y, lam):
    return 2 * K @ K + 2 * lam * K, 2 * K @ y


def _line_5(beta, K, y, lam):
    return K + lam * np.eye(len(y)), y


kernel_ridge_chain = Chain(
    "kernel_ridge_chain",
    asks="From the objective to its gradient",
    first=_line_1,
    lines=[
        Line(
            does="multiply out the square and sort the terms: quadratic in $\\beta$, linear in $\\beta$, free of it",
            parts=("quadratic", "linear", "constant"),
            reference=_line_2,
            whole=lambda here, beta, K, y, lam: sum(here),
            mistakes=[
                Mistake(
                    "The cross term comes only once: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda beta, K, y, lam: -beta @ K @ y),
                ),
                Mistake(
                    "The cross term has a plus: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda beta, K, y, lam: 2 * beta @ K @ y),
                ),
                Mistake(
                    "(Kβ)ᵀ(Kβ) has K twice: one got lost.",
                    but(_line_2, 0, lambda beta, K, y, lam: beta @ K @ beta + lam * beta @ K @ beta),
                ),
                Mistake(
                    "The penalty is λβᵀKβ, not λβᵀβ.",
                    but(_line_2, 0, lambda beta, K, y, lam: beta @ K @ K @ beta + lam * beta @ beta),
                ),
                Mistake(
                    "The penalty is missing: it is quadratic in β too.",
                    but(_line_2, 0, lambda beta, K, y, lam: beta @ K @ K @ beta),
                ),
                Mistake(
                    "The −2 of the cross term is missing: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda beta, K, y, lam: beta @ K @ y),
                ),
                Mistake(
                    "The cross term has lost its K: y meets Kβ, not β.",
                    but(_line_2, 1, lambda beta, K, y, lam: -2 * beta @ y),
                ),
                Mistake(
                    "The constant is yᵀy, the sum of the squares. This is the sum of y.",
                    but(_line_2, 2, lambda beta, K, y, lam: np.sum(y)),
                ),
            ],
        ),
        Line(
            does="write line 2 as $\\beta^\\top A\\beta-2\\beta^\\top c+\\text{constant}$, with $A$ symmetric, and "
            "$\\beta$ in none of the three",
            parts=("A", "c", "constant"),
            reference=_line_3,
            undo=lambda here, beta, K, y, lam: (beta @ here[0] @ beta, -2 * beta @ here[1], here[2]),
            mistakes=[
                Mistake(
                    "λ stands on the diagonal: that is λβᵀβ, and the penalty has K between its two β.",
                    but(_line_3, 0, lambda beta, K, y, lam: K @ K + lam * np.eye(len(y))),
                ),
                Mistake(
                    "K * K multiplies entry by entry: between the two β stands the product of matrices.",
                    but(_line_3, 0, lambda beta, K, y, lam: K * K + lam * K),
                ),
                Mistake(
                    "The −2 stands in the formula already, in −2βᵀc: it is not in c once more.",
                    but(_line_3, 1, lambda beta, K, y, lam: -2 * K @ y),
                ),
                Mistake(
                    "c has lost its K: y meets Kβ, not β.",
                    but(_line_3, 1, lambda beta, K, y, lam: y),
                ),
                Mistake(
                    "(Kβ)ᵀ(Kβ) has K twice: in A one got lost.",
                    but(_line_3, 0, lambda beta, K, y, lam: K + lam * K),
                ),
                Mistake(
                    "Between the two β stands KK from the square and λK from the penalty: one K got lost in each.",
                    but(_line_3, 0, lambda beta, K, y, lam: K + lam * np.eye(len(y))),
                ),
                Mistake(
                    "λ is added to every entry of KK: the penalty has λK between its two β.",
                    but(_line_3, 0, lambda beta, K, y, lam: K @ K + lam),
                ),
            ],
        ),
        Line(
            does="differentiate line 3 with respect to $\\beta$, and sort: $H\\beta-b$, with $\\beta$ in neither of "
            "the two",
            parts=("H", "b"),
            reference=_line_4,
            follows=lambda before, beta, K, y, lam: (before[0] + before[0].T, 2 * before[1]),
            whole=lambda here, beta, K, y, lam: here[0] @ beta - here[1],
            mistakes=[
                Mistake(
                    "The quadratic term lost its 2: the derivative of βᵀAβ is 2Aβ for a symmetric A.",
                    but(_line_4, 0, lambda beta, K, y, lam: K @ K + lam * K),
                ),
                Mistake(
                    "The linear term lost its 2: the derivative of −2βᵀc is −2c.",
                    but(_line_4, 1, lambda beta, K, y, lam: K @ y),
                ),
                Mistake(
                    "b has the wrong sign: the gradient is Hβ minus b.",
                    but(_line_4, 1, lambda beta, K, y, lam: -2 * K @ y),
                ),
                Mistake(
                    "Only the square was doubled: the derivative of the penalty has a 2 as well.",
                    but(_line_4, 0, lambda beta, K, y, lam: 2 * K @ K + lam * K),
                ),
                Mistake(
                    "b has lost its K: the derivative of −2βᵀc is −2c, and c holds a K.",
                    but(_line_4, 1, lambda beta, K, y, lam: 2 * y),
                ),
                Mistake(
                    "The penalty has lost its K: the derivative of λβᵀKβ is 2λKβ.",
                    but(_line_4, 0, lambda beta, K, y, lam: 2 * K @ K + 2 * lam * np.eye(len(y))),
                ),
            ],
        ),
        Line(
            does="take $2K$ out to the left: $2K\\,(M\\beta-z)$, with $\\beta$ in neither of the two",
            parts=("M", "z"),
            reference=_line_5,
            undo=lambda here, beta, K, y, lam: (2 * K @ here[0], 2 * K @ here[1]),
            mistakes=[
                Mistake(
                    "Behind 2K the penalty's K is used up: what is left of it is λ times the identity, not λK.",
                    but(_line_5, 0, lambda beta, K, y, lam: K + lam * K),
                ),
                Mistake(
                    "M has λ in every entry: λβ is a matrix times β with λ on the diagonal only.",
                    but(_line_5, 0, lambda beta, K, y, lam: K + lam),
                ),
                Mistake(
                    "One K was taken out of KK and the other one is gone too: it stays in the bracket.",
                    but(_line_5, 0, lambda beta, K, y, lam: (1 + lam) * np.eye(len(y))),
                ),
                Mistake(
                    "The K of 2Ky is the one that is taken out: it is not in the bracket once more.",
                    but(_line_5, 1, lambda beta, K, y, lam: K @ y),
                ),
                Mistake(
                    "M is still the H of line 4: 2K is to be taken out of it.",
                    but(_line_5, 0, lambda beta, K, y, lam: 2 * K @ K + 2 * lam * K),
                ),
                Mistake(
                    "Only the 2 is taken out of H: one K comes out to the left as well.",
                    but(_line_5, 0, lambda beta, K, y, lam: K @ K + lam * K),
                ),
                Mistake(
                    "H was divided by K entry by entry: K is taken out of a product of matrices.",
                    but(_line_5, 0, lambda beta, K, y, lam: (K @ K + lam * K) / K),
                ),
            ],
        ),
    ],
    cases=_lines,
    forbids=(kernels.objective, kernels.gradient),
    alternatives=[
        Alternative(
            lambda beta, K, y, lam: (
                np.linalg.norm(K @ beta) ** 2 + lam * np.dot(beta, K @ beta),
                -2 * y @ (K @ beta),
                np.sum(y**2),
            ),
            part=0,
        ),
        Alternative(
            lambda beta, K, y, lam: (K.T @ K + lam * (K + K.T) / 2, np.einsum("ij,i->j", K, y), np.dot(y, y)), part=1
        ),
        Alternative(lambda beta, K, y, lam: (2 * K @ (K + lam * np.identity(len(y))), y @ (2 * K)), part=2),
        Alternative(  # divided by 2K from the left
            lambda beta, K, y, lam: (
                np.linalg.solve(2 * K, 2 * K @ K + 2 * lam * K),
                np.linalg.solve(2 * K, 2 * K @ y),
            ),
            part=3,
        ),
        Alternative(lambda beta, K, y, lam: (K + np.diag(np.full(len(y), lam)), 1 * y), part=3),
    ],
    hints=(
        Hint(
            "How do I multiply out a square of vectors?",
            r"$(a-b)^\top(a-b)=a^\top a-2a^\top b+b^\top b$, and $(K\beta)^\top=\beta^\top K$, since $K^\top=K$.",
        ),
        Hint(
            "How do two quadratic terms share one matrix?",
            r"$\beta^\top A_1\beta+\lambda\beta^\top A_2\beta=\beta^\top(A_1+\lambda A_2)\beta$. What stands between "
            "the two β in each of them?",
        ),
        Hint(
            "Which rules do I need?",
            r"$\nabla(\beta^\top A\beta)=2A\beta$ for a symmetric $A$; $\nabla(\beta^\top c)=c$.",
        ),
        Hint("What is left in the bracket?", "Each of the three terms begins with $2K$. Write what follows it."),
    ),
    see="Equation (16.7) is line 5 with its factor 2K.",
)


def _solve(A, y):
    return np.linalg.solve(A, y)


kernel_ridge_fit = Function(
    "kernel_ridge_fit",
    asks="The coefficients of kernel ridge",
    points=2,
    reference=kernels.fit,
    cases=_ridges,
    mistakes=[
        Mistake(
            "λ does not come in: K⁻¹y passes through every point, noise included.",
            lambda K, y, lam: _solve(K, y),
        ),
        Mistake(
            "(K² + λI)⁻¹Ky belongs to the penalty ‖β‖². Here the penalty is βᵀKβ, and a K cancels.",
            lambda K, y, lam: _solve(K @ K + lam * np.eye(len(y)), K @ y),
        ),
        Mistake(
            "This is the answer for nλ. The loss is a sum here, not a mean, so λ stands alone.",
            lambda K, y, lam: _solve(K + len(y) * lam * np.eye(len(y)), y),
        ),
        Mistake("K + λ adds λ to every entry; λI adds it to the diagonal.", lambda K, y, lam: _solve(K + lam, y)),
        Mistake(
            "This is (K + λI)⁻¹Ky = Kβ, the fitted values. The K in front of the bracket multiplies y too, and goes.",
            lambda K, y, lam: K @ _solve(K + lam * np.eye(len(y)), y),
        ),
    ],
    alternatives=[
        Alternative(lambda K, y, lam: np.linalg.inv(K + lam * np.eye(len(y))) @ y),
        Alternative(lambda K, y, lam: _by_eigenvectors(K, y, lam)),
        Alternative(  # the normal equations before the K is cancelled, for an invertible K
            lambda K, y, lam: np.linalg.lstsq(K @ K + lam * K, K @ y, rcond=1e-15)[0]
        ),
    ],
    hints=(
        Hint("When is the gradient zero?", "Whenever the bracket in line 5 is: $(K+\\lambda I)\\beta=y$."),
        Hint("How do I solve that?", "`np.linalg.solve(A, y)`, with `np.eye(len(y))` for $I$."),
    ),
    see="Equation (16.8): the bracket of line 5 set to zero.",
)


def _by_eigenvectors(K, y, lam):
    eigenvalues, V = np.linalg.eigh(K)
    return V @ ((V.T @ y) / (eigenvalues + lam))


residual_coefficients = Function(
    "residual_coefficients",
    asks="The coefficients from the residuals",
    points=1,
    reference=kernels.coefficients,
    cases=_fitted,
    mistakes=[
        Mistake("The residuals are still to be divided by λ: they are β only if λ = 1.", lambda y, f, lam: y - f),
        Mistake("Multiplied by λ instead of divided: λβ = y − f̂.", lambda y, f, lam: lam * (y - f)),
        Mistake("The sign is reversed: the residual is y − f̂.", lambda y, f, lam: (f - y) / lam),
        Mistake("f̂/λ is left when y is forgotten: λβ = y − f̂.", lambda y, f, lam: f / lam),
    ],
    alternatives=[
        Alternative(lambda y, f, lam: y / lam - f / lam),
        Alternative(lambda y, f, lam: [(a - b) / lam for a, b in zip(y, f, strict=True)]),
    ],
    hints=(
        Hint("Where do I find f̂?", r"The fitted values are $\hat f=K\beta$, and $(K+\lambda I)\beta=y$."),
        Hint("And then?", r"Write $(K+\lambda I)\beta=\hat f+\lambda\beta$ and solve for $\beta$."),
    ),
    see="Equation (16.9): (K + λI)β = y with Kβ = f̂.",
)

duplicate_points = Choice(
    "duplicate_points",
    asks="Which penalty does not mind a copy?",
    points=1,
    options={
        "a": Option("$\\beta^\\top K\\beta$"),
        "b": Option(
            "$\\lVert\\beta\\rVert^2$",
            wrong="Take β = (1, 1, 0) and β = (2, 0, 0): the same function f, and ‖β‖² is 2 and 4.",
        ),
        "c": Option(
            "both",
            wrong="Take β = (1, 1, 0) and β = (2, 0, 0), which give the same f: one of the two penalties differs.",
        ),
    },
    reasons={
        "i": Option(
            "$K$ is positive semi-definite, so the penalty is never negative",
            wrong="True, but ‖β‖² is never negative either. What do two β have in common that give the same f?",
        ),
        "ii": Option(
            "it is $\\lVert\\Phi^\\top\\beta\\rVert^2$, so it depends on $f$ alone and not on how $f$ is written"
        ),
        "iii": Option(
            "it has fewer terms, since the entries of $K$ between distant points are nearly 0",
            wrong="Here it has more terms: (β₁ + β₂)² + β₃² has 2β₁β₂ as well. Put θ = Φᵀβ into the penalty.",
        ),
    },
    hints=(
        Hint("What is βᵀKβ here?", r"Multiply it out for the matrix above: $(\beta_1+\beta_2)^2+\beta_3^2$."),
        Hint("Which β give the same f?", r"$f=(\beta_1+\beta_2)\,k(x_1,\cdot)+\beta_3\,k(x_3,\cdot)$."),
    ),
    see="Equation (16.6): βᵀKβ = ‖θ‖² with θ = Φᵀβ.",
)

# --- which functions are kernels ---

mercer_verdicts = Value(
    "mercer_verdicts",
    asks="Which candidates are kernels?",
    points=2,
    reference=np.array([True, True, False, False, False, False]),
    digits=None,
    mistakes=[
        Mistake(
            "You let all of them pass. Compute the smallest eigenvalue of each Gram matrix: some are clearly negative.",
            [True] * 6,
        ),
        Mistake(
            "The distance is no kernel: its Gram matrix has zeros on the diagonal, so its eigenvalues sum to 0, and "
            "one is negative.",
            [True, True, False, True, False, False],
        ),
        Mistake(
            "The shifted Gaussian is no kernel: k(x, z) exceeds k(x, x) for points at distance 1.",
            [True, True, True, False, False, False],
        ),
        Mistake(
            "The root of 1 + xz is no kernel: only whole powers of it are.",
            [True, True, False, False, True, False],
        ),
        Mistake(
            "The sigmoid is no kernel. Its smallest eigenvalue is small, but ten orders of magnitude beyond rounding.",
            [True, True, False, False, False, True],
        ),
        Mistake(
            "Sums and products of kernels are kernels. An eigenvalue of −1e−16 is rounding: compare it with the "
            "largest.",
            [False] * 6,
        ),
        Mistake("These are exactly reversed: True is for a kernel.", [False, False, True, True, True, True]),
    ],
    hints=(
        Hint("How do I make a Gram matrix?", "`k(points[:, None], points)`: numpy pairs every point with every other."),
        Hint("How do I test it?", "`np.linalg.eigvalsh(K)` gives all eigenvalues, the smallest first."),
        Hint("When is it negative?", "When it is far below the rounding error, about $10^{-15}$ of the largest one."),
    ),
    see="Equation (16.10): no eigenvalue of any Gram matrix is negative.",
)

_BOTTOMLESS = (
    "J is not below −100 there. βᵀKβ = 2β₁β₂: for which signs is it negative, and for which λ does ‖y − Kβ‖² not make "
    "up for it?"
)


def _distance_objective(value):
    lam, *beta = value
    return kernels.objective(np.array(beta), np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones(2), lam)


bottomless = Property(
    "bottomless",
    asks="A penalty that pays",
    points=1,
    laws=[
        Law("Three numbers (λ, β₁, β₂) are asked for.", lambda value: value.shape == (3,)),
        Law("λ must be greater than 0: a negative λ would reward any kernel.", lambda value: value[0] > 0),
        Law(_BOTTOMLESS, lambda value: _distance_objective(value) < -100),
    ],
    mistakes=[
        Mistake("Three numbers (λ, β₁, β₂) are asked for.", (10.0, -10.0)),
        Mistake("λ must be greater than 0: a negative λ would reward any kernel.", (-2.0, 20.0, 20.0)),
        Mistake(_BOTTOMLESS, (0.5, 20.0, -20.0)),
        Mistake(_BOTTOMLESS, (2.0, 20.0, 20.0)),
    ],
    alternatives=[Alternative((2.0, 10.0, -10.0)), Alternative([3, -40, 30]), Alternative((1.1, 100.0, -100.0))],
    hints=(
        Hint(
            "What are the two terms?",
            r"$\lVert y-K\beta\rVert^2=(1-\beta_2)^2+(1-\beta_1)^2$, and $2\lambda\beta_1\beta_2$.",
        ),
        Hint("Which β?", r"Try $\beta=(t,-t)$: $J=2+2t^2-2\lambda t^2$."),
    ),
    see="The section *Break it*: along v with vᵀKv < 0 the penalty falls without end.",
)

# --- infinitely many features ---


def _columns(x, weight, m, first=0):
    """e^{−gx²} is left to the caller: the columns weight(l)·xˡ."""
    return np.column_stack([weight(k) * x**k for k in range(first, first + m)])


def _bell(x, g):
    return np.exp(-g * x**2)[:, None]


def _root(g):
    return lambda k: math.sqrt((2 * g) ** k / math.factorial(k))


rbf_taylor = Function(
    "rbf_taylor",
    asks="The features of a Gaussian",
    points=2,
    reference=kernels.rbf_features,
    cases=_on_a_line,
    mistakes=[
        Mistake(
            "gˡ in place of (2g)ˡ: the cross term of −g(x − z)² is 2gxz.",
            lambda x, g, m: _bell(x, g) * _columns(x, lambda k: math.sqrt(g**k / math.factorial(k)), m),
        ),
        Mistake(
            "The factorial is missing: the Taylor coefficients of the exponential are 1/l!.",
            lambda x, g, m: _bell(x, g) * _columns(x, lambda k: math.sqrt((2 * g) ** k), m),
        ),
        Mistake(
            "λₗ itself, not its root, multiplies these: in ΦΦᵀ it would appear squared.",
            lambda x, g, m: _bell(x, g) * _columns(x, lambda k: (2 * g) ** k / math.factorial(k), m),
        ),
        Mistake(
            "The factor exp(−gx²) is missing: it stays outside the series.",
            lambda x, g, m: _columns(x, _root(g), m),
        ),
        Mistake(
            "Without √λₗ these are the ψₗ: their inner product is not the kernel.",
            lambda x, g, m: _bell(x, g) * _columns(x, lambda k: 1.0, m),
        ),
        Mistake(
            "These start at l = 1: the first feature is the one with x⁰ = 1.",
            lambda x, g, m: _bell(x, g) * _columns(x, _root(g), m, first=1),
        ),
        Mistake(
            "This is the transpose: one row for each point, one column for each feature.",
            lambda x, g, m: (_bell(x, g) * _columns(x, _root(g), m)).T,
        ),
    ],
    alternatives=[
        Alternative(lambda x, g, m: _bell(x, g) * _columns(x, _root(g), m)),
        Alternative(lambda x, g, m: _one_by_one(x, g, m)),
    ],
    hints=(
        Hint(
            "How do I split the Gaussian?",
            r"$-g(x-z)^2=-gx^2-gz^2+2gxz$: two factors that belong to one point each, and $e^{2gxz}$.",
        ),
        Hint("And exp(2gxz)?", r"$e^u=\sum_lu^l/l!$ with $u=2gxz$, so $\lambda_l=(2g)^l/l!$ multiplies $x^lz^l$."),
        Hint(
            "How do I compute the columns?",
            "`math.factorial(l)` and `x**l` for each `l` in `range(m)`, then `np.column_stack`. Or start with "
            "$e^{-gx^2}$ and multiply by $x\\sqrt{2g/l}$ from column to column.",
        ),
    ),
    see="Equation (16.11): the Taylor series of exp(2gxz).",
)


def _one_by_one(x, g, m):
    columns = [np.exp(-g * x**2)]
    for k in range(1, m):
        columns.append(columns[-1] * x * np.sqrt(2 * g / k))
    return np.column_stack(columns)


def _with_weights(x, y, at, g, m, weight, penalty=1.0):
    """Ridge on e^{−gx²}·weight(l)·xˡ, all with the same penalty."""
    Phi, new = (_bell(v, g) * _columns(v, weight, m) for v in (x, at))
    return (
        new
        @ np.linalg.lstsq(
            np.vstack([Phi, math.sqrt(penalty) * np.eye(m)]), np.concatenate([y, np.zeros(m)]), rcond=None
        )[0]
    )


truncated_ridge = Function(
    "truncated_ridge",
    asks="Ridge with the first m of infinitely many features",
    points=2,
    reference=kernels.truncated_ridge,
    cases=_truncated,
    forbids=(kernels.rbf_features, kernels.fit),
    mistakes=[
        Mistake(
            "Every wₗ costs the same here. Its price is 1/λₗ, so that the high powers are dear.",
            lambda x, y, at, g, m: _with_weights(x, y, at, g, m, lambda k: 1.0),
        ),
        Mistake(
            "The price of wₗ is λₗ here: it is 1/λₗ, the other way round.",
            lambda x, y, at, g, m: _with_weights(x, y, at, g, m, lambda k: 1 / _root(g)(k)),
        ),
        Mistake(
            "Nothing is penalised: this is least squares on the features.",
            lambda x, y, at, g, m: _with_weights(x, y, at, g, m, _root(g), penalty=0.0),
        ),
        Mistake(
            "These are the fitted values at x: the values at the new places are asked for.",
            lambda x, y, at, g, m: _with_weights(x, y, x, g, m, _root(g)),
        ),
    ],
    alternatives=[
        Alternative(lambda x, y, at, g, m: _with_weights(x, y, at, g, m, _root(g))),
        Alternative(lambda x, y, at, g, m: _by_truncated_kernel(x, y, at, g, m)),
        Alternative(lambda x, y, at, g, m: _by_prices(x, y, at, g, m)),
    ],
    hints=(
        Hint(
            "How do I deal with the prices 1/λₗ?",
            r"Put $v_l=w_l/\sqrt{\lambda_l}$: then $w_l\psi_l=v_l\sqrt{\lambda_l}\psi_l$ and $w_l^2/\lambda_l=v_l^2$. "
            "That is plain ridge, on the features of the exercise before.",
        ),
        Hint(
            "And plain ridge was?",
            r"$v=(\Phi^\top\Phi+\lambda I)^{-1}\Phi^\top y$, here with $\lambda=1$ (notebook 05).",
        ),
        Hint("My numbers overflow.", "Do not divide by $\\lambda_l$, which is tiny for large $l$. Scale the features."),
    ),
    see="Equation (16.12), with wₗ = vₗ√λₗ.",
)


def _by_truncated_kernel(x, y, at, g, m):
    Phi, new = _one_by_one(x, g, m), _one_by_one(at, g, m)
    return new @ Phi.T @ np.linalg.solve(Phi @ Phi.T + np.eye(len(x)), y)


def _by_prices(x, y, at, g, m):
    """With the weights as they are printed; prices beyond 1e30 are as good as infinite."""
    powers = [k for k in range(m) if _root(g)(k) > 1e-15]
    Psi, new = (_bell(v, g) * np.column_stack([v**k for k in powers]) for v in (x, at))
    scale = np.array([_root(g)(k) for k in powers])
    A = scale[:, None] * (Psi.T @ Psi) * scale + np.eye(len(powers))
    return new @ (scale * np.linalg.solve(A, scale * (Psi.T @ y)))


# --- the support vector machine with a kernel ---


def _printed_score(alpha, s, b, X, X_new, h):
    return np.full(len(X_new), np.sum(alpha * s * np.diag(_gaussian(X, X, h))) + b)


def _score(alpha, s, b, X, X_new, h):
    """(16.14) with the Gaussian kernel."""
    return kernels.svm_score(alpha, s, b, kernels.rbf(X_new, X, h))


def _fits(alpha, s, b, X, X_new, h):
    return (
        np.ndim(X) == np.ndim(X_new) == 2
        and X.shape[1] == X_new.shape[1]
        and np.shape(alpha) == np.shape(s) == (len(X),)
        and np.ndim(b) == np.ndim(h) == 0
        and h > 0
    )


kernel_score = Slip(
    "kernel_score",
    asks="The score of a new point",
    points=2,
    printed=_printed_score,
    reference=_score,
    cases=_machines,
    admits=_fits,
    domain="alpha and s of shape (n,), a number b, X of shape (n, d), X_new of shape (m, d) and a number h > 0",
    forbids=(kernels.svm_score,),
    mistakes=[
        Mistake(
            "This is still the printed score: it does not depend on the new point.",
            _printed_score,
        ),
        Mistake(
            "The bias is missing: add b.",
            lambda alpha, s, b, X, X_new, h: _gaussian(X_new, X, h) @ (alpha * s),
        ),
        Mistake(
            "The labels are missing: without them all points pull to the same side.",
            lambda alpha, s, b, X, X_new, h: _gaussian(X_new, X, h) @ alpha + b,
        ),
        Mistake(
            "The multipliers are missing: αᵢ says how much point i counts.",
            lambda alpha, s, b, X, X_new, h: _gaussian(X_new, X, h) @ s + b,
        ),
        Mistake(
            "The exponent is −‖x − z‖²/(2h²): a 2 is missing.",
            lambda alpha, s, b, X, X_new, h: _gaussian(X_new, X, h / np.sqrt(2)) @ (alpha * s) + b,
        ),
        Mistake(
            "The distance is not squared in the exponent.",
            lambda alpha, s, b, X, X_new, h: (
                np.exp(-np.linalg.norm(X_new[:, None] - X, axis=2) / (2 * h**2)) @ (alpha * s) + b
            ),
        ),
        Mistake(
            "This is xᵢᵀx in place of the kernel: the score of a straight line.",
            lambda alpha, s, b, X, X_new, h: X_new @ X.T @ (alpha * s) + b,
        ),
        Mistake(SAME_THERE, ([1.0, 1.0], [1.0, 1.0], 0.0, [[0.0], [0.0]], [[0.0]], 1.0), part=1),
    ],
    alternatives=[
        Alternative(
            lambda alpha, s, b, X, X_new, h: [
                sum(a * si * np.exp(-(x - xi) @ (x - xi) / 2 / h**2) for a, si, xi in zip(alpha, s, X, strict=True)) + b
                for x in X_new
            ]
        ),
        Alternative(lambda alpha, s, b, X, X_new, h: (alpha * s) @ _gaussian(X, X_new, h) + b),
        Alternative(([1, 1], [1, -1], 0, [[0.0], [2.0]], [[0.0], [2.0]], 1), part=1),
    ],
    hints=(
        Hint(
            "Where is the new point in the printed formula?", "Nowhere. Compare it with $w^\\top x+b$ in notebook 15."
        ),
        Hint(
            "How do I compute all squared distances?",
            "`np.sum((X_new[:, None] - X) ** 2, axis=2)`: row for the new point, column for the old one.",
        ),
    ),
    see="Equation (16.14): w = Σ αᵢsᵢφ(xᵢ), so wᵀφ(x) = Σ αᵢsᵢk(xᵢ, x).",
)

why_similarity = Explanation(
    "why_similarity",
    asks="Similarity, not distance",
    points=3,
    rubric=(
        "1 point: k(x, z) = φ(x)ᵀφ(z) is an inner product, large for points that are alike; f = Σ βᵢk(xᵢ, x) then lets "
        "near points vote most, whereas with a distance the farthest ones would. 1 point: a distance is no inner "
        "product: k(x, x) = ‖φ(x)‖² = 0 would make all features 0; its Gram matrix has trace 0 and so a negative "
        "eigenvalue. 1 point: the consequence: βᵀKβ can be negative, the penalty rewards instead of restraining, and J "
        "may have no minimum (the duality of the SVM fails likewise)."
    ),
)

topic = Topic(
    number=16,
    slug="kernels",
    title="Kernels",
    question="How can a billion features cost no more than the points?",
    part="Classification",
    minutes=90,
    before={
        "ridge": "ridge",
        "svm": "the dual of the support vector machine",
    },
    exercises=[
        cubic_gram,
        feature_count,
        kernel_gd,
        kernel_ridge_chain,
        kernel_ridge_fit,
        residual_coefficients,
        duplicate_points,
        mercer_verdicts,
        bottomless,
        rbf_taylor,
        truncated_ridge,
        kernel_score,
        why_similarity,
    ],
)
check = Checks(topic)
