"""The exercises of 23 pca."""

import numpy as np

from mlcore import pca
from mlcore.data import load
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
    up_to_sign,
)

# --- data to be tried on: off centre, and with eigenvalues far apart, so that every axis is determined ---


def _orthonormal(rng, n, k):
    return np.linalg.qr(rng.normal(size=(n, k)))[0]


def _cloud(rng, n, d):
    """n points with standard deviations of about 4, 2, 1, … along random orthogonal directions."""
    rank = min(n - 1, d)
    A = rng.normal(size=(n, rank))
    A = np.linalg.qr(A - A.mean(axis=0))[0]
    spread = 4 * rng.uniform(0.9, 1.1, size=rank) / 2 ** np.arange(rank)
    offset = rng.uniform(2, 6, size=d) * rng.choice([-1, 1], size=d)
    return np.sqrt(n) * (A * spread) @ _orthonormal(rng, d, rank).T + offset


def _small(rng, n=4):
    """Points in the plane with one decimal."""
    return _cloud(rng, n, 2).round(1)


def _tables(rng):
    return [(X,) for X in (rng.integers(-4, 9, size=(3, 2)).astype(float), _cloud(rng, 12, 3), _cloud(rng, 4, 6))]


def _tall(rng):
    return [(_small(rng),), (_cloud(rng, 9, 3),), (_cloud(rng, 20, 5),)]


def _with_U(rng):
    sizes = [(_small(rng), 1), (_cloud(rng, 12, 4), 2), (_cloud(rng, 5, 6), 3)]
    return [(X, _orthonormal(rng, X.shape[1], K)) for X, K in sizes]


def _with_K(rng):
    return [(_small(rng), 1), (_cloud(rng, 12, 5), 2), (_cloud(rng, 20, 4), 3)]


def _directions(rng):
    """A direction of length 1, a multiplier, and a table."""
    tables = [_small(rng), _cloud(rng, 9, 3), _cloud(rng, 12, 5)]
    return [((u := rng.normal(size=X.shape[1])) / np.linalg.norm(u), rng.uniform(0.5, 4), X) for X in tables]


def _around(X):
    """Moved so that 0 lies halfway between the mean and the farthest point: some products are negative."""
    return X - (X.mean(axis=0) + X[_farthest(X)]) / 2


def _farthest(X):
    return np.argmax(np.sum(_centre(X) ** 2, axis=1))


def _grams(rng):
    """Gram matrices of a linear, a quadratic and a Gaussian kernel."""
    X, Y, Z = _around(_small(rng)).round(1), _cloud(rng, 7, 3), _cloud(rng, 9, 2)
    return [(X @ X.T, 1), ((1 + Y @ Y.T / 10) ** 2, 2), (pca.gaussian(Z, Z, 4.0), 2)]


def _new_points(rng):
    """Near the farthest point."""
    cases = []
    for X, K in ((_around(_small(rng)).round(1), 1), (_around(_cloud(rng, 7, 3)), 2), (_cloud(rng, 9, 4), 3)):
        x = X[_farthest(X)] + rng.normal(size=X.shape[1]) / 4
        G, kappa = (X @ X.T, X @ x) if K < 3 else (pca.gaussian(X, X, 4.0), pca.gaussian(x[None], X, 4.0)[0])
        cases.append((kappa, G, pca.kernel_axes(G, K)))
    return cases


def _codes(rng):
    return [(X, U, rng.normal(size=(len(X), U.shape[1])) + 1) for X, U in _with_U(rng)]


def _centre(X):
    return X - X.mean(axis=0)


def _falling(X):
    """All eigenvalues of S, largest first."""
    return np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]


# --- from the data to S ---

pca_covariance = Function(
    "pca_covariance",
    asks="The covariance of a table",
    points=1,
    reference=pca.covariance,
    cases=_tables,
    forbids=(pca.error,),
    mistakes=[
        Mistake(
            "The mean was not subtracted: XᵀX/n measures the distance from 0, not from x̄.",
            lambda X: X.T @ X / len(X),
        ),
        Mistake(
            "This divides by n − 1. In this notebook S is a mean over the points, with 1/n.",
            lambda X: np.cov(X.T),
        ),
        Mistake(
            "This is n × n: it compares points. The variables stand in the columns, so S is d × d.",
            lambda X: np.cov(X, bias=True),
        ),
        Mistake(
            "From every row its own mean was subtracted. The centre of the points is the mean row: "
            "average over the points, one number for each column.",
            lambda X: (R := X - X.mean(axis=1, keepdims=True)).T @ R / len(X),
        ),
        Mistake(
            "One number was subtracted from the whole table: `X.mean()` needs an `axis`.",
            lambda X: (R := X - X.mean()).T @ R / len(X),
        ),
        Mistake(
            "This is the sum over the points: S is their mean, so divide by n.",
            lambda X: _centre(X).T @ _centre(X),
        ),
    ],
    alternatives=[
        Alternative(lambda X: np.cov(X.T, bias=True)),
        Alternative(lambda X: X.T @ X / len(X) - np.outer(X.mean(axis=0), X.mean(axis=0))),
        Alternative(lambda X: np.mean([np.outer(x, x) for x in _centre(X)], axis=0)),
    ],
    hints=(
        Hint("Which mean?", "The mean of the points: `X.mean(axis=0)`, one number for each column."),
        Hint(
            "How do I add up the outer products?",
            r"$\sum_i(x_i-\bar x)(x_i-\bar x)^\top=X_c^\top X_c$ with the centred table $X_c$.",
        ),
    ),
    see="Equation (23.2): centre the columns, then XcᵀXc/n.",
)


# --- the error is the variance that is not kept ---


def _line_1(X, U):
    Xc = X - X.mean(axis=0)
    return np.sum((Xc - Xc @ U @ U.T) ** 2) / len(X)


def _line_2(X, U):
    Xc = X - X.mean(axis=0)
    R = Xc @ U @ U.T
    return np.sum(Xc * Xc) / len(X), -2 * np.sum(Xc * R) / len(X), np.sum(R * R) / len(X)


def _line_3(X, U):
    Xc = X - X.mean(axis=0)
    S = Xc.T @ Xc / len(X)
    return S, -2 * U.T @ S @ U, U.T @ S @ U


def _line_4(X, U):
    return X.var(axis=0), (X @ U).var(axis=0)


def _total(X):
    return np.sum(_centre(X) ** 2) / len(X)


def _kept(X, U):
    return np.sum((_centre(X) @ U) ** 2) / len(X)


def _inside(X, U):
    """The covariance of the codes."""
    return U.T @ np.cov(X.T, bias=True) @ U


error_and_variance = Chain(
    "error_and_variance",
    asks="From the error to the variance",
    first=_line_1,
    lines=[
        Line(
            does=(
                "multiply out the square of $(x-\\bar x)-UU^\\top(x-\\bar x)$: the mean of the square of the first, "
                "of the cross term with its factor, and of the square of the second"
            ),
            parts=("whole", "cross", "projected"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The cross term comes only once: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda X, U: -_kept(X, U)),
                ),
                Mistake(
                    "The cross term has a plus: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda X, U: 2 * _kept(X, U)),
                ),
                Mistake(
                    "The square of the second has a minus: (−b)² is b².",
                    but(_line_2, 2, lambda X, U: -_kept(X, U)),
                ),
                Mistake(
                    "The first square has no mean subtracted: it is ‖x − x̄‖², not ‖x‖².",
                    but(_line_2, 0, lambda X, U: np.sum(X**2) / len(X)),
                ),
                Mistake(
                    "All three are sums over the points: line 1 is their mean, with 1/n.",
                    lambda X, U: (len(X) * _total(X), -2 * len(X) * _kept(X, U), len(X) * _kept(X, U)),
                ),
                Mistake(
                    "The cross term has lost its −2: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda X, U: _kept(X, U)),
                ),
                Mistake(
                    "The cross term is missing: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda X, U: 0.0),
                ),
                Mistake(
                    "Cross and projected are added up here already: that comes in line 4.",
                    lambda X, U: (_total(X), 0.0, -_kept(X, U)),
                ),
                Mistake(
                    "All three are divided by n − 1: line 1 is a mean over n points.",
                    lambda X, U: tuple(part * len(X) / (len(X) - 1) for part in _line_2(X, U)),
                ),
                Mistake(
                    "All three are divided by d as well: line 1 is a mean over the n points, not over all entries.",
                    lambda X, U: tuple(part / X.shape[1] for part in _line_2(X, U)),
                ),
                Mistake(
                    "This is the square of the whole bracket, line 1. Asked is the square of its second term, UUᵀ(x "
                    "− x̄).",
                    but(_line_2, 2, lambda X, U: _total(X) - _kept(X, U)),
                ),
                Mistake(
                    "The second term is UUᵀ(x − x̄). This is the square of the reconstruction, which has x̄ in it.",
                    but(_line_2, 2, lambda X, U: _kept(X, U) + np.sum(X.mean(axis=0) ** 2)),
                ),
            ],
        ),
        Line(
            does=(
                "take the mean inside, and use $U^\\top U=I$: each of the three is the trace of a matrix, the first "
                "of $d\\times d$, the others of $K\\times K$"
            ),
            parts=("whole", "cross", "projected"),
            reference=_line_3,
            undo=lambda here, X, U: (np.trace(here[0]), np.trace(here[1]), np.trace(here[2])),
            mistakes=[
                Mistake(
                    "The cross term has lost its −2: only the mean went inside.",
                    but(_line_3, 1, _inside),
                ),
                Mistake(
                    "The last matrix is a square: it holds S only once, and UᵀU stands beside it.",
                    but(_line_3, 2, lambda X, U: _inside(X, U) @ _inside(X, U)),
                ),
                Mistake(
                    "The first matrix has no mean subtracted: XᵀX/n measures the distance from 0.",
                    but(_line_3, 0, lambda X, U: X.T @ X / len(X)),
                ),
                Mistake(
                    "All three matrices divide by n − 1: line 2 is a mean over n points.",
                    lambda X, U: ((S := np.cov(X.T)), -2 * U.T @ S @ U, U.T @ S @ U),
                ),
                Mistake(
                    "All three matrices have lost their 1/n: they are sums over the points.",
                    lambda X, U: (
                        len(X) * np.cov(X.T, bias=True),
                        -2 * len(X) * _inside(X, U),
                        len(X) * _inside(X, U),
                    ),
                ),
                Mistake(
                    "The cross term has a plus: its factor in line 2 is −2.",
                    but(_line_3, 1, lambda X, U: 2 * _inside(X, U)),
                ),
                Mistake(
                    "The factor of the cross term is −2; here it is −1.",
                    but(_line_3, 1, lambda X, U: -_inside(X, U)),
                ),
                Mistake(
                    "The square of the second has a minus: (−b)² is b².",
                    but(_line_3, 2, lambda X, U: -_inside(X, U)),
                ),
                Mistake(
                    "The square of the second is missing: UᵀU = I makes UᵀUUᵀSU smaller, and does not make it zero.",
                    but(_line_3, 2, lambda X, U: 0 * _inside(X, U)),
                ),
                Mistake(
                    "The square of the second comes once: it is the trace of UᵀSU.",
                    but(_line_3, 2, lambda X, U: 2 * _inside(X, U)),
                ),
                Mistake(
                    "This has zeros beside the diagonal. The trace is the same, but the mean of the (x − x̄)(x − "
                    "x̄)ᵀ has covariances there.",
                    but(_line_3, 0, lambda X, U: np.diag(X.var(axis=0))),
                ),
                Mistake(
                    "S is lost between Uᵀ and U: UᵀU is only the identity.",
                    lambda X, U: (np.cov(X.T, bias=True), -2 * U.T @ U, U.T @ U),
                ),
                Mistake(
                    "Cross and projected are added up here already: that comes in line 4.",
                    lambda X, U: (np.cov(X.T, bias=True), 0 * _inside(X, U), -_inside(X, U)),
                ),
            ],
        ),
        Line(
            does=(
                "add what belongs together, and read both diagonals as variances: the error is a sum over the $d$ "
                "variables minus a sum over the $K$ axes"
            ),
            parts=("variables", "axes"),
            reference=_line_4,
            follows=lambda before, X, U: (np.diag(before[0]), -np.diag(before[1] + before[2])),
            mistakes=[
                Mistake(
                    "The minus stands between the two sums already: the terms of the second are positive.",
                    but(_line_4, 1, lambda X, U: -np.diag(_inside(X, U))),
                ),
                Mistake(
                    "The last matrix is forgotten: it gives back half of what the cross term takes.",
                    but(_line_4, 1, lambda X, U: 2 * np.diag(_inside(X, U))),
                ),
                Mistake(
                    "The last matrix was subtracted: it has a plus, and −2 + 1 = −1.",
                    but(_line_4, 1, lambda X, U: 3 * np.diag(_inside(X, U))),
                ),
                Mistake(
                    "These variances divide by n − 1: line 1 is a mean over n points.",
                    lambda X, U: (X.var(axis=0, ddof=1), (X @ U).var(axis=0, ddof=1)),
                ),
                Mistake(
                    "These are standard deviations: squares add up, lengths do not.",
                    lambda X, U: (X.std(axis=0), (X @ U).std(axis=0)),
                ),
                Mistake(
                    "These are the eigenvalues of S. They have the same sum, but the terms asked for are the "
                    "variances of the columns of X.",
                    but(_line_4, 0, lambda X, U: np.linalg.eigvalsh(np.cov(X.T, bias=True))),
                ),
                Mistake(
                    "These are the mean squares of the columns: a variance is about the mean.",
                    lambda X, U: (np.mean(X**2, axis=0), np.mean((X @ U) ** 2, axis=0)),
                ),
                Mistake(
                    "These are variances of columns of X: the axes are those of the codes, XU.",
                    but(_line_4, 1, lambda X, U: X.var(axis=0)[: U.shape[1]]),
                ),
                Mistake(
                    "These are the sums of the rows. The trace adds up the diagonal.",
                    lambda X, U: (np.cov(X.T, bias=True).sum(axis=1), _inside(X, U).sum(axis=1)),
                ),
            ],
        ),
    ],
    cases=_with_U,
    forbids=(pca.error,),
    alternatives=[
        Alternative(  # point by point
            lambda X, U: (
                np.mean([x @ x for x in X - X.mean(axis=0)]),
                np.mean([-2 * x @ U @ U.T @ x for x in X - X.mean(axis=0)]),
                np.mean([x @ U @ (U.T @ U) @ U.T @ x for x in X - X.mean(axis=0)]),
            ),
            part=0,
        ),
        Alternative(
            lambda X, U: (
                np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=1)),
                -2 * np.mean(np.sum((X - X.mean(axis=0)) * ((X - X.mean(axis=0)) @ U @ U.T), axis=1)),
                np.mean(np.sum(((X - X.mean(axis=0)) @ U @ U.T) ** 2, axis=1)),
            ),
            part=0,
        ),
        Alternative(  # from the codes
            lambda X, U: (
                np.cov(X.T, bias=True),
                -2 * (Z := (X - X.mean(axis=0)) @ U).T @ Z / len(X),
                Z.T @ Z / len(X),
            ),
            part=1,
        ),
        Alternative(
            lambda X, U: (np.diag(S := np.cov(X.T, bias=True)), np.array([u @ S @ u for u in U.T])),
            part=2,
        ),
        Alternative(
            lambda X, U: (
                np.mean((X - X.mean(axis=0)) ** 2, axis=0),
                np.mean(((X - X.mean(axis=0)) @ U) ** 2, axis=0),
            ),
            part=2,
        ),
    ],
    hints=(
        Hint(
            "How do I write a sum of products for all points at once?",
            r"For two tables $A$ and $B$ with one row for each point, $\sum_ia_i^\top b_i$ is `np.sum(A * B)`. Which "
            "two tables are multiplied in each of the three terms?",
        ),
        Hint(
            "How does a number become a trace?",
            r"$a^\top a=\operatorname{tr}aa^\top$, for a centred point $a$ and for $K$ numbers such as $U^\top a$. "
            "Take the mean of these matrices over the points.",
        ),
        Hint(
            "Where does UᵀU come in?",
            r"The square of the second is $x^\top UU^\top UU^\top x$, with a centred $x$. Look at its middle.",
        ),
        Hint(
            "Which variances are these?",
            "The diagonal of a covariance holds the variances of the columns. Of which two tables?",
        ),
    ),
    see="The section *Derive*. Line 2 is (a − b)², line 3 uses xᵀx = tr xxᵀ, line 4 adds up −2 and 1.",
)


# --- which axis, and which K of them ---


def _axis_line_1(u, lam, X):
    Xc = X - X.mean(axis=0)
    return np.sum((Xc @ u) ** 2) / len(X) + lam * (1 - u @ u)


def _axis_line_2(u, lam, X):
    Xc = X - X.mean(axis=0)
    return Xc.T @ Xc / len(X) - lam * np.eye(len(u)), lam


def _axis_line_3(u, lam, X):
    Xc = X - X.mean(axis=0)
    return 2 * Xc.T @ Xc / len(X) - 2 * lam * np.eye(len(u))


def _axis_line_4(u, lam, X):
    Xc = X - X.mean(axis=0)
    S = Xc.T @ Xc / len(X)
    return 2 * (u @ S @ u - lam), 2 * S @ u - 2 * (u @ S @ u) * u


axis_slope = Chain(
    "axis_slope",
    asks="From the largest variance to the axes",
    first=_axis_line_1,
    lines=[
        Line(
            does="sort line 1 by u: uᵀAu + constant, with A symmetric, and u in neither of the two",
            parts=("A", "constant"),
            reference=_axis_line_2,
            mistakes=[
                Mistake(
                    "λ is taken from every entry of the matrix: λuᵀu = uᵀ(λI)u needs the identity.",
                    but(_axis_line_2, 0, lambda u, lam, X: np.cov(X.T, bias=True) - lam),
                ),
                Mistake(
                    "λI has a plus: the constraint holds −λuᵀu.",
                    but(_axis_line_2, 0, lambda u, lam, X: np.cov(X.T, bias=True) + lam * np.eye(len(u))),
                ),
                Mistake(
                    "A lacks the constraint: λ(1 − uᵀu) has a term that is quadratic in u.",
                    but(_axis_line_2, 0, lambda u, lam, X: np.cov(X.T, bias=True)),
                ),
                Mistake(
                    "The mean was not subtracted: the variance of uᵀx is about uᵀx̄.",
                    but(_axis_line_2, 0, lambda u, lam, X: X.T @ X / len(X) - lam * np.eye(len(u))),
                ),
                Mistake(
                    "The variance has lost its 1/n: line 1 is a mean over the points.",
                    but(_axis_line_2, 0, lambda u, lam, X: len(X) * np.cov(X.T, bias=True) - lam * np.eye(len(u))),
                ),
                Mistake(
                    "The constant has the wrong sign: it is the 1 of 1 − uᵀu, times λ.",
                    but(_axis_line_2, 1, lambda u, lam, X: -lam),
                ),
                Mistake(
                    "The constant is missing: λ(1 − uᵀu) has a λ that stands free of u.",
                    but(_axis_line_2, 1, lambda u, lam, X: 0 * lam),
                ),
                Mistake(
                    "The constant has lost its λ: it is the 1 of 1 − uᵀu, times λ.",
                    but(_axis_line_2, 1, lambda u, lam, X: lam / lam),
                ),
                Mistake(
                    "The constraint is there once, not once for each point.",
                    but(_axis_line_2, 1, lambda u, lam, X: len(X) * lam),
                ),
                Mistake(
                    "The variance is divided by n − 1: line 1 has 1/n.",
                    but(_axis_line_2, 0, lambda u, lam, X: np.cov(X.T) - lam * np.eye(len(u))),
                ),
                Mistake(
                    "λ multiplies S here: in line 1 it stands beside the variance, with uᵀu.",
                    but(_axis_line_2, 0, lambda u, lam, X: (1 - lam) * np.cov(X.T, bias=True)),
                ),
                Mistake(
                    "λuᵀu is uᵀ(λI)u: with uuᵀ in the place of I it would be of fourth order, and u is in A.",
                    but(_axis_line_2, 0, lambda u, lam, X: np.cov(X.T, bias=True) - lam * np.outer(u, u)),
                ),
            ],
        ),
        Line(
            does="differentiate line 2 with respect to u: the slope is Hu, with u not in H",
            reference=_axis_line_3,
            follows=lambda before, u, lam, X: before[0] + before[0].T,
            mistakes=[
                Mistake(
                    "H is half of what it should be: the derivative of uᵀAu is 2Au for a symmetric A.",
                    lambda u, lam, X: np.cov(X.T, bias=True) - lam * np.eye(len(u)),
                ),
                Mistake(
                    "The constraint was not differentiated: −λuᵀu has the derivative −2λu.",
                    lambda u, lam, X: 2 * np.cov(X.T, bias=True),
                ),
                Mistake(
                    "The multiplier's term has lost its 2: uᵀu is a square too.",
                    lambda u, lam, X: 2 * np.cov(X.T, bias=True) - lam * np.eye(len(u)),
                ),
                Mistake(
                    "The multiplier's term has the wrong sign: 1 − uᵀu has the derivative −2u.",
                    lambda u, lam, X: 2 * np.cov(X.T, bias=True) + 2 * lam * np.eye(len(u)),
                ),
                Mistake(
                    "λ is taken from every entry of the matrix: λu = (λI)u needs the identity.",
                    lambda u, lam, X: 2 * np.cov(X.T, bias=True) - 2 * lam,
                ),
                Mistake(
                    "The halves are the wrong way: the derivative of uᵀAu is 2Au, and this is a half of A.",
                    lambda u, lam, X: (np.cov(X.T, bias=True) - lam * np.eye(len(u))) / 2,
                ),
                Mistake(
                    "The matrix was multiplied by its transpose: the derivative of uᵀAu is (A + Aᵀ)u.",
                    lambda u, lam, X: _axis_line_2(u, lam, X)[0] @ _axis_line_2(u, lam, X)[0].T,
                ),
                Mistake(
                    "u is still in H: with uᵀ and u behind it, Hu is the part along u alone.",
                    lambda u, lam, X: _axis_line_3(u, lam, X) @ np.outer(u, u),
                ),
            ],
        ),
        Line(
            does=(
                "split the slope for a unit vector u: along · u + across, where along is a number "
                "and across is orthogonal to u"
            ),
            parts=("along", "across"),
            reference=_axis_line_4,
            follows=lambda before, u, lam, X: (
                u @ before @ u,
                before @ u - (u @ before @ u) * u,
            ),
            mistakes=[
                Mistake(
                    "The multiplier does not come in: it pulls along u, with −2λuᵀu = −2λ.",
                    but(_axis_line_4, 0, lambda u, lam, X: 2 * u @ np.cov(X.T, bias=True) @ u),
                ),
                Mistake(
                    "‖Hu‖ is the length of the slope: its part along u is uᵀHu.",
                    but(_axis_line_4, 0, lambda u, lam, X: np.linalg.norm(_axis_line_3(u, lam, X) @ u)),
                ),
                Mistake(
                    "The whole slope stands in across: its part along u has to be taken off.",
                    but(_axis_line_4, 1, lambda u, lam, X: _axis_line_3(u, lam, X) @ u),
                ),
                Mistake(
                    "Only the variance's pull is in across, with its part along u: uᵀ times it is not 0.",
                    but(_axis_line_4, 1, lambda u, lam, X: 2 * np.cov(X.T, bias=True) @ u),
                ),
                Mistake(
                    "The part along u was added, not taken off: uᵀ times across is not 0.",
                    but(
                        _axis_line_4,
                        1,
                        lambda u, lam, X: (g := _axis_line_3(u, lam, X) @ u) + (u @ g) * u,
                    ),
                ),
                Mistake(
                    "Both are half of what they should be: 2Su has a 2, and so has 2λu.",
                    lambda u, lam, X: (
                        u @ (S := np.cov(X.T, bias=True)) @ u - lam,
                        S @ u - (u @ S @ u) * u,
                    ),
                ),
                Mistake(
                    "Nothing is left across u only if Su is a multiple of u: u is any unit vector here.",
                    but(_axis_line_4, 1, lambda u, lam, X: 0 * u),
                ),
                Mistake(
                    "uᵀSu is taken from every entry: what is taken off is uᵀSu times u.",
                    but(_axis_line_4, 1, lambda u, lam, X: 2 * ((S := np.cov(X.T, bias=True)) @ u - u @ S @ u)),
                ),
                Mistake(
                    "This is the squared length of the slope: its part along u is uᵀHu.",
                    but(_axis_line_4, 0, lambda u, lam, X: np.sum((_axis_line_3(u, lam, X) @ u) ** 2)),
                ),
                Mistake(
                    "These are the two terms of the slope, not its two parts: 2Su has a part along u, too.",
                    lambda u, lam, X: (-2 * lam, 2 * np.cov(X.T, bias=True) @ u),
                ),
            ],
        ),
    ],
    cases=_directions,
    forbids=(pca.slope,),
    alternatives=[
        Alternative(lambda u, lam, X: (np.cov(X.T, bias=True) - np.diag(np.full(len(u), lam)), lam), part=0),
        Alternative(
            lambda u, lam, X: (
                np.mean([np.outer(x, x) for x in X - X.mean(axis=0)], axis=0) - lam * np.identity(X.shape[1]),
                lam,
            ),
            part=0,
        ),
        Alternative(lambda u, lam, X: 2 * (np.cov(X.T, bias=True) - lam * np.identity(X.shape[1])), part=1),
        Alternative(  # by the projection onto what is orthogonal to u
            lambda u, lam, X: (
                2 * (np.var(X @ u) - lam),
                2 * (np.eye(len(u)) - np.outer(u, u)) @ np.cov(X.T, bias=True) @ u,
            ),
            part=2,
        ),
        Alternative(
            lambda u, lam, X: (
                (slope := 2 * (np.cov(X.T, bias=True) @ u - lam * u)) @ u,
                slope - np.outer(u, u) @ slope,
            ),
            part=2,
        ),
    ],
    hints=(
        Hint(
            "How do I find the matrix?",
            r"$\sum_i(u^\top a_i)^2=\sum_iu^\top a_ia_i^\top u$, and $u$ comes out on both sides. A number times "
            r"$u^\top u$ is $u^\top(\ldots)u$ with a multiple of $I$.",
        ),
        Hint(
            "How do I differentiate a quadratic form?",
            r"$\nabla(u^\top Au)=(A+A^\top)u$, and line 2 has a symmetric $A$.",
        ),
        Hint(
            "How do I split a vector?",
            r"Multiply $Hu=\text{along}\cdot u+\text{across}$ by $u^\top$ from the left: $u^\top u=1$, and "
            r"$u^\top\text{across}=0$.",
        ),
    ),
    see="The slope vanishes only if both of its parts do: that gives λ, and equation (23.4).",
)

why_top_axes = Choice(
    "why_top_axes",
    asks="Why the first K eigenvectors?",
    points=1,
    options={
        "a": Option(
            "$K\\lambda_1$",
            wrong="That needs c₁ = K. But q₁ has length 1, and no projection of it is longer: c₁ ≤ 1.",
        ),
        "b": Option("$\\lambda_1+\\dots+\\lambda_K$"),
        "c": Option(
            "$\\lambda_1+\\dots+\\lambda_d$, if $U$ is turned well",
            wrong="That needs every cᵢ = 1, so that they add up to d. They add up to the sum of all squares in U.",
        ),
    },
    reasons={
        "i": Option(
            "every $c_i$ is 0 or 1, and $K$ of them are 1",
            wrong="Only if the columns of U are eigenvectors. An axis halfway between q₁ and q₂ has c = (½, ½): "
            "the reason must cover every U.",
        ),
        "ii": Option(
            "each column of $U$ is best placed on $q_1$, one after the other",
            wrong="Then all columns are equal, and UᵀU is not I.",
        ),
        "iii": Option(
            "$0\\le c_i\\le1$ and $\\sum_ic_i=K$, so weight moved to a larger $\\lambda_i$ never lowers the sum"
        ),
    },
    hints=(
        Hint(
            "How large can one cᵢ be?",
            r"$\lVert U^\top q_i\rVert$ is the length of the projection of $q_i$, and $q_i$ has length 1.",
        ),
        Hint(
            "How large are they together?",
            r"$\sum_i\lVert U^\top q_i\rVert^2$ is the sum of the squares of all entries of $U$, in other coordinates. "
            "Each of its $K$ columns has length 1.",
        ),
    ),
    see="The paragraph after exercise 23d: a budget of K, with at most 1 for each eigenvalue.",
)


def _near(a, b, scale):
    return abs(a - b) <= 1e-6 * scale


def _variance(X, U):
    return np.trace(U.T @ np.cov(X.T, bias=True) @ U)


def _is_best(X, K, U):
    return _near(_variance(X, U), np.sum(_falling(X)[:K]), _total(X))


def _not_smallest(X, K, U):
    return _is_best(X, K, U) or not _near(_variance(X, U), np.sum(_falling(X)[::-1][:K]), _total(X))


def _not_uncentred(X, K, U):
    V = _first(X.T @ X, K)
    return _is_best(X, K, U) or np.abs(U @ U.T - V @ V.T).max() > 1e-6


def _uncorrelated(X, K, U):
    C = U.T @ np.cov(X.T, bias=True) @ U
    return np.abs(C - np.diag(np.diag(C))).max() <= 1e-6 * _total(X)


def _first(A, K):
    """The eigenvectors of the K largest eigenvalues."""
    return np.linalg.eigh(A)[1][:, ::-1][:, :K]


def _turned(X, K):
    """The right subspace with other axes in it."""
    U = _first(np.cov(X.T, bias=True), K)
    U[:, :2] = U[:, :2] @ np.array([[0.8, -0.6], [0.6, 0.8]]) if K > 1 else U[:, :2]
    return U


def _scaled(X, K):
    """Axes as long as the data are wide."""
    return _first(np.cov(X.T, bias=True), K) * np.sqrt(_falling(X)[:K])


_SHAPE = "U must have shape (d, K): one column for each axis."
_NOT_ORTHONORMAL = (
    "The columns must be orthonormal, UᵀU = I. Otherwise Uᵀ(x − x̃) is not 0 and (23.3) does not hold. "
    "The eigenvalue is the variance along an axis, not its length."
)
_SMALLEST = "These are the axes of the smallest variance: `eigh` sorts the eigenvalues in ascending order."
_UNCENTRED = "These are the axes of XᵀX without centring: S is the covariance, and x̄ has to go first."
_NOT_BEST = (
    "Other axes keep more variance. The eigenvectors are the columns of what `eigh` returns, not the rows, "
    "and those of the K largest eigenvalues are asked for."
)
_CORRELATED = (
    "The subspace is right, and the error is the smallest. But the scores along these axes are correlated: "
    "UᵀSU is diagonal only for eigenvectors."
)
_ORDER = "The variance has to fall from column to column: the first axis is that of the largest eigenvalue."

pca_axes = Property(
    "pca_axes",
    asks="The principal axes",
    points=2,
    cases=_with_K,
    laws=[
        Law(_SHAPE, lambda X, K, U: U.shape == (X.shape[1], K)),
        Law(_NOT_ORTHONORMAL, lambda X, K, U: np.abs(U.T @ U - np.eye(K)).max() <= 1e-6),
        Law(_SMALLEST, _not_smallest),
        Law(_UNCENTRED, _not_uncentred),
        Law(_NOT_BEST, _is_best),
        Law(_CORRELATED, _uncorrelated),
        Law(_ORDER, lambda X, K, U: bool(np.all(np.diff(np.var(X @ U, axis=0)) <= 1e-9))),
    ],
    forbids=(pca.axes,),
    mistakes=[
        Mistake(_SHAPE, lambda X, K: _first(np.cov(X.T), K).T),
        Mistake(_SHAPE, lambda X, K: np.linalg.svd(_centre(X), full_matrices=False)[2][:K]),
        Mistake(_NOT_ORTHONORMAL, _scaled),
        Mistake(_SMALLEST, lambda X, K: np.linalg.eigh(np.cov(X.T))[1][:, :K]),
        Mistake(_UNCENTRED, lambda X, K: _first(X.T @ X / len(X), K)),
        Mistake(_NOT_BEST, lambda X, K: np.linalg.eigh(np.cov(X.T))[1][::-1][:K].T),
        Mistake(_NOT_BEST, lambda X, K: np.eye(X.shape[1])[:, :K]),
        Mistake(_CORRELATED, _turned),
        Mistake(_ORDER, lambda X, K: _first(np.cov(X.T), K)[:, ::-1]),
    ],
    alternatives=[
        Alternative(lambda X, K: -_first(np.cov(X.T), K)),
        Alternative(lambda X, K: np.linalg.svd(_centre(X), full_matrices=False)[2][:K].T),
        Alternative(lambda X, K: np.linalg.svd(np.cov(X.T))[0][:, :K]),
    ],
    hints=(
        Hint(
            "Which numpy function?",
            "`np.linalg.eigh(S)` is for symmetric matrices. It returns the eigenvalues and a matrix whose "
            "*columns* are the eigenvectors.",
        ),
        Hint("Which columns do I take?", "The eigenvalues come in ascending order. Turn the columns round, take K."),
    ),
    see="Equation (23.5): the eigenvectors of S that belong to its K largest eigenvalues.",
)

pca_error = Function(
    "pca_error",
    asks="The error of K axes",
    points=1,
    reference=pca.dropped,
    cases=_with_K,
    forbids=(pca.error, pca.spectrum),
    mistakes=[
        Mistake(
            "This is the variance that is kept: the error is made of the eigenvalues that are dropped.",
            lambda X, K: np.sum(_falling(X)[:K]),
        ),
        Mistake(
            "Here the axes of the smallest variance are kept: `eigvalsh` sorts in ascending order.",
            lambda X, K: np.sum(_falling(X)[::-1][K:]),
        ),
        Mistake(
            "This is only the first eigenvalue that is dropped: each of the d − K leaves its share.",
            lambda X, K: _falling(X)[K],
        ),
        Mistake(
            "The Kth eigenvalue is counted as dropped. Python counts from 0: `[K:]` begins after the first K.",
            lambda X, K: np.sum(_falling(X)[K - 1 :]),
        ),
        Mistake(
            "This is the root of the error: eigenvalues are squares already, and so is the error.",
            lambda X, K: np.sqrt(np.sum(_falling(X)[K:])),
        ),
        Mistake(
            "This is the share of the variance that is lost. The error itself is asked for.",
            lambda X, K: np.sum(_falling(X)[K:]) / np.sum(_falling(X)),
        ),
        Mistake(
            "These eigenvalues are those of a covariance with n − 1: the error is a mean over n points.",
            lambda X, K: np.sum(_falling(X)[K:]) * len(X) / (len(X) - 1),
        ),
    ],
    alternatives=[
        Alternative(lambda X, K: np.sum((R := _centre(X)) ** 2 - (R @ (U := _first(R.T @ R, K)) @ U.T) ** 2) / len(X)),
        Alternative(lambda X, K: _line_1(X, _first(np.cov(X.T), K))),
        Alternative(lambda X, K: np.trace(np.cov(X.T, bias=True)) - np.sum(_falling(X)[:K])),
    ],
    hints=(
        Hint("What is tr S in terms of eigenvalues?", "Their sum. Put it and (23.5) into (23.3)."),
        Hint("How do I compute them?", "`np.linalg.eigvalsh(S)`, in ascending order. `[::-1]` puts the largest first."),
    ),
    see="Equation (23.6): (23.5) put into (23.3).",
)


# --- break it: without centring ---


def _axis(A):
    """The eigenvector of the larger eigenvalue, or None if rounding decides which one that is."""
    (small, large), Q = np.linalg.eigh(A)
    return Q[:, 1] if large - small > 1e-6 * large else None


def _axes(X):
    """The first axis, the first axis without centring, the mean: in a unit in which no square overflows."""
    X = X / (np.abs(X).max() or 1.0)
    return _axis(np.cov(X.T, bias=True)), _axis(X.T @ X), X.mean(axis=0)


def _turns(X):
    u, v, _ = _axes(X)
    return v is not None and abs(u @ v) <= np.cos(np.radians(85))


def _across(X):
    """Does the mean point to another place than the first axis?"""
    u, _, mean = _axes(X)
    return abs(mean @ u) < 0.999 * np.linalg.norm(mean)


_TABLE = "X must have two columns and at least two rows."
_ROUND = (
    "The points spread equally in all directions, or not at all, so there is no first axis to miss: make the cloud "
    "longer one way."
)
_AT_ZERO = "The points are centred already: then XᵀX/n is S, and both axes are the same. Move them away from 0."
_ALONG = (
    "The mean lies in the direction of the first axis: pulling it there changes nothing. Move the points across it."
)
_TOO_NEAR = "The axis has not turned by 85° yet. Move the points further from 0, at a right angle to the cloud."

wrong_axis = Property(
    "wrong_axis",
    asks="A cloud with a wrong first axis",
    points=1,
    laws=[
        Law(_TABLE, lambda X: X.ndim == 2 and X.shape[1] == 2 and len(X) >= 2),
        Law(_ROUND, lambda X: _axes(X)[0] is not None),
        Law(_AT_ZERO, lambda X: _turns(X) or np.abs(X.mean(axis=0)).max() > 1e-9 * np.abs(X).max()),
        Law(_ALONG, lambda X: _turns(X) or _across(X)),
        Law(_TOO_NEAR, _turns),
    ],
    mistakes=[
        Mistake(_TABLE, [[2, 0, 1], [-2, 0, 1], [0, 1, 1]]),
        Mistake(_TABLE, [[3.0, 4.0]]),
        Mistake(_ROUND, [[1, 9], [-1, 9], [0, 10], [0, 8]]),
        Mistake(_AT_ZERO, [[2, 0], [-2, 0], [0, 1], [0, -1]]),
        Mistake(_ALONG, [[12, 0], [8, 0], [10, 1], [10, -1]]),
        Mistake(_TOO_NEAR, [[2, 1], [-2, 1], [0, 2], [0, 0]]),
        Mistake(_TOO_NEAR, [[7, 5], [3, 5], [5, 6], [5, 4]]),
        Mistake(_TOO_NEAR, [[2, 1], [-2, 1], [1, 2], [-1, 2], [0, 0]]),  # without centring no axis is the first
    ],
    alternatives=[
        Alternative([[2, -9], [-2, -9], [0, -8], [0, -10]]),
        Alternative(np.array([[20.0, -22.0], [21.0, -21.0], [22.0, -20.0]])),
    ],
    hints=(
        Hint(
            "What does the uncentred matrix contain?",
            r"$\frac1nX^\top X=S+\bar x\bar x^\top$. The second part is large in one direction: that of the mean.",
        ),
        Hint(
            "Is there a simple example?",
            r"The cross $(\pm2,0),(0,\pm1)$, moved up by $b$: then $\frac1nX^\top X=\mathrm{diag}(2,\frac12+b^2)$.",
        ),
    ),
    see="The section *Break it*: without centring, x̄x̄ᵀ is added to S, and it wins if x̄ is long.",
)


# --- the same from the singular values ---


def _singular(X):
    return np.linalg.svd(_centre(X), compute_uv=False)


pca_spectrum = Function(
    "pca_spectrum",
    asks="Eigenvalues from singular values",
    points=1,
    reference=pca.spectrum,
    cases=_tall,
    forbids=(pca.covariance,),
    mistakes=[
        Mistake("s/n forgets the square: XcᵀXc has s twice.", lambda X: _singular(X) / len(X)),
        Mistake("s² belongs to XcᵀXc: S has a 1/n before it.", lambda X: _singular(X) ** 2),
        Mistake(
            "These are the singular values of X itself: subtract the mean of every column first.",
            lambda X: np.linalg.svd(X, compute_uv=False) ** 2 / len(X),
        ),
        Mistake("This divides by n − 1: S is a mean over n points here.", lambda X: _singular(X) ** 2 / (len(X) - 1)),
        Mistake(
            "s/√n are the standard deviations along the axes: square them.", lambda X: _singular(X) / np.sqrt(len(X))
        ),
        Mistake("These are the singular values of Xc: what is the matrix S in terms of them?", _singular),
        Mistake(
            "The order is reversed: the largest eigenvalue comes first.", lambda X: (_singular(X) ** 2 / len(X))[::-1]
        ),
    ],
    alternatives=[
        Alternative(_falling),
        Alternative(lambda X: np.linalg.svd(_centre(X) / np.sqrt(len(X)))[1] ** 2),
    ],
    hints=(
        Hint(
            "What is S with the decomposition put in?",
            r"$X_c^\top X_c=\sum_js_j^2\,u_ju_j^\top$, because the $a_j$ are orthonormal.",
        ),
        Hint("How do I call it?", "`np.linalg.svd(Xc, compute_uv=False)` returns the $s_j$, the largest first."),
    ),
    see="Equation (23.7): S = XcᵀXc/n with the decomposition put in.",
)


# --- kernel PCA ---


def _of_gram(G, K):
    """Roots of the K largest eigenvalues, and the eigenvectors."""
    eigenvalues, A = np.linalg.eigh(G)
    return np.sqrt(eigenvalues[::-1][:K]), A[:, ::-1][:, :K]


def _HGH(G):
    H = np.eye(len(G)) - 1 / len(G)
    return H @ G @ H


def _scores_from(G, K, factor):
    s, A = _of_gram(_HGH(G), K)
    return factor(s) * A


kernel_pca_scores = Function(
    "kernel_pca_scores",
    asks="Scores from a Gram matrix",
    points=2,
    reference=pca.kernel_scores,
    cases=_grams,
    compare=up_to_sign(),
    forbids=(pca.centred_gram, pca.kernel_axes),
    mistakes=[
        Mistake(
            "The axis has length s here, not 1: with α = a instead of a/s every score is multiplied by its s once "
            "too often.",
            lambda G, K: _scores_from(G, K, lambda s: s**2),
        ),
        Mistake(
            "G was not centred: the first axis then looks for the mean in feature space. Use HGH.",
            lambda G, K: (p := _of_gram(G, K))[0] * p[1],
        ),
        Mistake(
            "These are the eigenvectors a, of length 1: a score is s times as long.",
            lambda G, K: _scores_from(G, K, lambda s: 1.0),
        ),
        Mistake(
            "This is α = a/s, the recipe for the axis. The score of a point is its row of HGH times α.",
            lambda G, K: _scores_from(G, K, lambda s: 1 / s),
        ),
        Mistake(
            "These scores are too small by √n: the eigenvalues of HGH are s², and λ = s²/n.",
            lambda G, K: _scores_from(G, K, lambda s: s / np.sqrt(len(G))),
        ),
        Mistake(
            "These scores do not have mean 0: α came from HGH, but it was applied to G.",
            lambda G, K: G @ _scores_from(G, K, lambda s: 1 / s),
        ),
    ],
    alternatives=[
        Alternative(lambda G, K: -_scores_from(G, K, lambda s: s)),
        Alternative(lambda G, K: _HGH(G) @ _scores_from(G, K, lambda s: 1 / s)),
        Alternative(lambda G, K: (d := np.linalg.svd(_HGH(G)))[0][:, :K] * np.sqrt(d[1][:K])),
    ],
    hints=(
        Hint(
            "How do I centre without the features?",
            r"$HX$ subtracts the mean row from every row, so $(HX)(HX)^\top=H(XX^\top)H$.",
        ),
        Hint(
            "What do the eigenvectors of HGH tell me?",
            r"$X_cX_c^\top=\sum_js_j^2\,a_ja_j^\top$: its eigenvectors are the $a_j$, its eigenvalues the $s_j^2$. "
            "`np.linalg.eigh` puts the largest last.",
        ),
        Hint(
            "And the scores?",
            r"$X_cu_j=s_ja_j$. Compare it with `X_c @ U` on a linear kernel: the same, up to signs.",
        ),
    ),
    see="Equations (23.8) and (23.9): eigenvectors of HGH, each times the root of its eigenvalue.",
)

kernel_pca_new = Function(
    "kernel_pca_new",
    asks="The scores of a new point",
    points=2,
    reference=pca.kernel_new,
    cases=_new_points,
    mistakes=[
        Mistake(
            "κ was not centred as the training points were. Its own mean is no help, as every α adds up to 0: "
            "the mean of each row of G has to go.",
            lambda kappa, G, alpha: kappa @ alpha,
        ),
        Mistake(
            "The means of the rows of G are subtracted, not added: φ(x) minus the mean of the φ(xᵢ).",
            lambda kappa, G, alpha: (kappa + G.mean(axis=0)) @ alpha,
        ),
        Mistake(
            "The rows of G were summed: φ̄ is a mean, so divide by n.",
            lambda kappa, G, alpha: (kappa - G.sum(axis=0)) @ alpha,
        ),
        Mistake(
            "α was scaled to length 1. It is a/s already, and this makes the axis in feature space s long.",
            lambda kappa, G, alpha: (kappa - G.mean(axis=0)) @ (alpha / np.linalg.norm(alpha, axis=0)),
        ),
    ],
    alternatives=[
        Alternative(lambda kappa, G, alpha: alpha.T @ (kappa - G.mean(axis=1))),
        Alternative(
            lambda kappa, G, alpha: alpha.T @ (np.eye(len(G)) - 1 / len(G)) @ (kappa - G @ np.ones(len(G)) / len(G))
        ),
        Alternative(
            lambda kappa, G, alpha: [
                sum(a[i] * (kappa[i] - kappa.mean() - G[i].mean() + G.mean()) for i in range(len(G))) for a in alpha.T
            ]
        ),
    ],
    hints=(
        Hint(
            "What has to be multiplied?",
            r"The axis $\sum_i\alpha_i(\varphi(x_i)-\bar\varphi)$ and the centred point $\varphi(x)-\bar\varphi$. "
            "Only inner products appear.",
        ),
        Hint(
            "Which inner products are these?",
            r"$\varphi(x_i)^\top\varphi(x)=\kappa_i$, and $\varphi(x_i)^\top\bar\varphi$ is the mean of row $i$ of G.",
        ),
        Hint(
            "How do I test it?",
            "Give it a row of $G$ as `kappa`: it must return the scores of that training point.",
        ),
    ),
    see="Equation (23.10): the centred kernel values times α.",
)


# --- the linear autoencoder ---

_LAMBDAS = pca.spectrum(load("iris").X)

autoencoder_floor = Value(
    "autoencoder_floor",
    asks="Where the autoencoder stops",
    points=1,
    reference=np.sum(_LAMBDAS[2:]),
    mistakes=[
        Mistake("This is the variance that the code keeps. The error is the rest.", np.sum(_LAMBDAS[:2])),
        Mistake("This is the root: the error is a mean of squares.", np.sqrt(np.sum(_LAMBDAS[2:]))),
        Mistake("This is only the third eigenvalue: the fourth is dropped as well.", _LAMBDAS[2]),
        Mistake("This is the error of an empty code, all of the variance.", np.sum(_LAMBDAS)),
        Mistake("This is the sum over all 150 flowers: the error is their mean.", 150 * np.sum(_LAMBDAS[2:])),
        Mistake("This covariance has n − 1: the error is a mean over 150 flowers.", 150 / 149 * np.sum(_LAMBDAS[2:])),
        Mistake("Zero needs a code as wide as the data: two numbers cannot carry four.", 0.0),
    ],
    hints=(
        Hint(
            "What can ED be?",
            "A matrix of rank 2: whatever it returns lies in a plane. Which plane loses least?",
        ),
        Hint("How do I compute it?", "Your `pca_error` does it, for the measurements `X` of the flowers."),
    ),
    see="The paragraph before equation (23.11), and (23.6) with K = 2.",
)


# --- a printed formula, wrong in one place ---

optimal_centre = Slip(
    "optimal_centre",
    asks="The best centre for given codes",
    points=2,
    printed=lambda X, U, Z: U @ Z.mean(axis=0) - X.mean(axis=0),
    reference=pca.optimal_centre,
    cases=_codes,
    admits=lambda X, U, Z: (
        np.ndim(X) == np.ndim(U) == np.ndim(Z) == 2
        and (X.shape[1], Z.shape[1]) == U.shape
        and len(X) == len(Z)
        and len(X) > 0
    ),
    domain="X of shape (n, d), U of shape (d, K) and Z of shape (n, K)",
    mistakes=[
        Mistake(
            "This is still the printed formula. With codes of mean 0 it says μ = −x̄.",
            lambda X, U, Z: U @ Z.mean(axis=0) - X.mean(axis=0),
        ),
        Mistake(
            "x̄ is right only for codes of mean 0: otherwise the mean of the Uz has to be taken off.",
            lambda X, U, Z: X.mean(axis=0),
        ),
        Mistake(
            "Both means were added: μ is what is left of x̄ after the mean of the Uz.",
            lambda X, U, Z: X.mean(axis=0) + U @ Z.mean(axis=0),
        ),
        Mistake(
            "These are sums over the points: the equation reads nμ = Σ(x − Uz), so divide by n.",
            lambda X, U, Z: np.sum(X - Z @ U.T, axis=0),
        ),
        Mistake(
            "UUᵀx̄ is the mean of the Uz only for the best codes. Here the codes are given.",
            lambda X, U, Z: X.mean(axis=0) - U @ U.T @ X.mean(axis=0),
        ),
        Mistake(SAME_THERE, ([[1.0, 2.0], [-1.0, -2.0]], [[1.0], [0.0]], [[3.0], [-3.0]]), part=1),
        Mistake(SAME_THERE, ([[2.0]], [[1.0]], [[2.0]]), part=1),
    ],
    alternatives=[
        Alternative(lambda X, U, Z: np.mean(X - Z @ U.T, axis=0)),
        Alternative(lambda X, U, Z: (X.sum(axis=0) - U @ Z.sum(axis=0)) / len(X)),
        Alternative(([[1.0, 0.0], [3.0, 2.0]], [[1.0], [0.0]], [[0.0], [0.0]]), part=1),
    ],
    hints=(
        Hint(
            "Where do I start?",
            r"Differentiate $\sum_i\lVert\mu+Uz_i-x_i\rVert^2$ with respect to $\mu$ and set it to zero.",
        ),
        Hint(
            "What does Σᵢ μ give?",
            r"$n\mu$. So $0=n\mu+\sum_i(Uz_i-x_i)$, with a plus.",
        ),
        Hint("What is the smallest counter-example?", "One point, one axis, and the code 0: μ must be the point."),
    ),
    see="Equation (23.12): the derivative with respect to μ, set to zero.",
)

one_number = Explanation(
    "one_number",
    asks="One number for every patient",
    points=3,
    rubric=(
        "1 point: without centring the matrix is S + x̄x̄ᵀ, so the first axis points at the mean, and the 99% measure "
        "the distance of the patients from 0. 1 point: the eigenvalues depend on the units; a height in millimetres "
        "has a variance 10⁶ times that in metres, so centre and choose common units or standardise. 1 point: the "
        "labels did not come in; variance is not relevance, a direction with little variance may separate ill and "
        "healthy, so the claim has to be tested on the labels."
    ),
)

topic = Topic(
    number=23,
    slug="pca",
    title="Principal components",
    question="How few numbers can stand for sixty-four?",
    part="Unsupervised",
    minutes=90,
    before={
        "matrix_calculus": "symmetric matrices and the Rayleigh quotient",
        "kernels": "kernels",
    },
    exercises=[
        pca_covariance,
        error_and_variance,
        axis_slope,
        why_top_axes,
        pca_axes,
        pca_error,
        wrong_axis,
        pca_spectrum,
        kernel_pca_scores,
        kernel_pca_new,
        autoencoder_floor,
        optimal_centre,
        one_number,
    ],
)
check = Checks(topic)
