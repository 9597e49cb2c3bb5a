"""The exercises of 26 bayesian_regression."""

import math

import numpy as np

from mlcore import bayesian_regression as bayes
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

# --- data to be tried on: columns off centre, noise and prior spread never 1 ---


def _problem(rng, n, d, vague=True):
    """With a vague prior, τ > σ, or with a firm one."""
    X = (rng.normal(size=(n, d)) + rng.normal(size=d)).round(2)
    y = (X @ rng.normal(size=d) + rng.normal(size=n) + 1).round(2)
    small, large = round(rng.uniform(0.4, 0.8), 2), round(rng.uniform(1.3, 2.5), 2)
    return X, y, *((small, large) if vague else (large, small))


def _small(rng):
    """Three points with whole numbers, never a zero column."""
    X = rng.integers(1, 5, size=(3, 2)) * rng.choice([-1.0, 1.0], size=(3, 2))
    return X, rng.integers(1, 9, size=3).astype(float), 0.5, 2.0


def _problems(rng):
    return [_small(rng), _problem(rng, 9, 3), _problem(rng, 14, 4, vague=False)]


def _exponents(rng):
    return [(rng.normal(size=args[0].shape[1]).round(2), *args) for args in _problems(rng)]


def _covariance(rng, d):
    """A covariance with clear correlations."""
    A = rng.normal(size=(d, d)) + 0.5
    return (A @ A.T / d + 0.3 * np.eye(d)).round(2)


def _forecasts(rng):
    made = [(np.array([[1.0, 2.0], [1.0, -3.0]]), np.array([[0.5, -0.2], [-0.2, 0.3]]), 0.5)]
    for k, d in ((4, 3), (6, 2)):
        made.append((rng.normal(size=(k, d)).round(2) + 0.5, _covariance(rng, d), round(rng.uniform(0.4, 1.6), 2)))
    return made


def _gains(rng):
    made = [(np.array([[0.5, -0.2], [-0.2, 0.3]]), np.array([1.0, -2.0]), 0.5)]
    for d in (3, 4):
        made.append((_covariance(rng, d), rng.normal(size=d).round(2) + 0.5, round(rng.uniform(0.4, 1.6), 2)))
    return made


def _handfuls(rng):
    """The mean is above 0 in the second and below 0 in the third."""
    made = []
    for S, d, side in ((4, 2, 0), (30, 3, 1), (50, 2, -1)):
        W = (rng.normal(size=(S, d)) + rng.normal(size=d)).round(2)
        x = (rng.uniform(0.5, 2, size=d) * np.where(np.arange(d) % 2, -1, 1)).round(2)
        W = -W if np.mean(W @ x) * side < 0 else W
        made.append((W, x, rng.normal(size=S).round(2), round(rng.uniform(1.3, 2), 2)))
    return made


def _classified(rng):
    """Features, weights under which no probability is near 0 or 1, and τ."""
    made = [(np.array([[1.0, 2.0], [1.0, -1.0], [1.0, 0.0]]), np.array([0.5, -1.0]), 2.0)]
    for n, d in ((9, 3), (15, 2)):
        X = (rng.normal(size=(n, d)) + 0.4).round(2)
        made.append((X, rng.normal(size=d).round(2), round(rng.uniform(1.3, 2.5), 2)))
    return made


def _scores(rng):
    return [
        (2.0, 3.0),
        (round(rng.uniform(-3, -0.5), 2), round(rng.uniform(2, 6), 2)),
        (round(rng.uniform(3, 5), 2), round(rng.uniform(0.5, 2), 2)),
        (rng.normal(size=5).round(2) * 2, rng.uniform(0.5, 8, size=5).round(2)),
    ]


def _A(X, sigma, tau):
    return X.T @ X / sigma**2 + np.eye(X.shape[1]) / tau**2


def _inv(A):
    return np.linalg.solve(A, np.eye(len(A)))


def _right(X, y, sigma, tau):
    """The right mean and the right covariance."""
    V = _inv(_A(X, sigma, tau))
    return V @ X.T @ y / sigma**2, V


# --- the posterior of the weights ---


def _line_1(w, X, y, sigma, tau):
    return -(y - X @ w) @ (y - X @ w) / (2 * sigma**2) - w @ w / (2 * tau**2)


def _line_2(w, X, y, sigma, tau):
    return (
        -w @ X.T @ X @ w / (2 * sigma**2) - w @ w / (2 * tau**2),
        w @ X.T @ y / sigma**2,
        -y @ y / (2 * sigma**2),
    )


def _line_3(w, X, y, sigma, tau):
    return X.T @ X / sigma**2 + np.eye(len(w)) / tau**2, X.T @ y / sigma**2, -y @ y / (2 * sigma**2)


def _line_4(w, X, y, sigma, tau):
    A = X.T @ X / sigma**2 + np.eye(len(w)) / tau**2
    c = X.T @ y / sigma**2
    return np.linalg.solve(A, c), c @ np.linalg.solve(A, c) / 2


def _line_5(w, X, y, sigma, tau):
    A = X.T @ X / sigma**2 + np.eye(len(w)) / tau**2
    return np.linalg.solve(A, X.T) / sigma**2, X @ np.linalg.solve(A, X.T) / sigma**4


weight_square = Chain(
    "weight_square",
    asks="Completing the square, with vectors",
    first=_line_1,
    lines=[
        Line(
            does="multiply out the first square and sort the terms: quadratic in w, linear in w, free of w",
            parts=("quadratic", "linear", "constant"),
            reference=_line_2,
            mistakes=[
                Mistake(
                    "The cross term comes only once: ‖a − b‖² = aᵀa − 2aᵀb + bᵀb, and the ½ takes the 2 away.",
                    but(_line_2, 1, lambda w, X, y, sigma, tau: w @ X.T @ y / (2 * sigma**2)),
                ),
                Mistake(
                    "The linear term has the wrong sign: minus times minus is plus.",
                    but(_line_2, 1, lambda w, X, y, sigma, tau: -w @ X.T @ y / sigma**2),
                ),
                Mistake(
                    "The linear term is twice too large: its 2 cancels with the 2 of 2σ².",
                    but(_line_2, 1, lambda w, X, y, sigma, tau: 2 * w @ X.T @ y / sigma**2),
                ),
                Mistake(
                    "The prior's term has become wᵀXᵀXw: X stands in the first square only.",
                    but(
                        _line_2,
                        0,
                        lambda w, X, y, sigma, tau: -w @ X.T @ X @ w * (1 / (2 * sigma**2) + 1 / (2 * tau**2)),
                    ),
                ),
                Mistake(
                    "The prior's term has a plus: line 1 has a minus before both squares.",
                    but(
                        _line_2,
                        0,
                        lambda w, X, y, sigma, tau: -w @ X.T @ X @ w / (2 * sigma**2) + w @ w / (2 * tau**2),
                    ),
                ),
                Mistake(
                    "yᵀy has a plus: line 1 has a minus before the square.",
                    but(_line_2, 2, lambda w, X, y, sigma, tau: y @ y / (2 * sigma**2)),
                ),
                Mistake(
                    "X is lost in the quadratic term: the first square has (Xw)ᵀXw.",
                    but(_line_2, 0, lambda w, X, y, sigma, tau: -w @ w / (2 * sigma**2) - w @ w / (2 * tau**2)),
                ),
                Mistake(
                    "σ and τ are exchanged: σ is the spread of the noise, τ that of the weights.",
                    lambda w, X, y, sigma, tau: _line_2(w, X, y, tau, sigma),
                ),
                Mistake(
                    "σ and τ have lost their squares.",
                    lambda w, X, y, sigma, tau: _line_2(w, X, y, np.sqrt(sigma), np.sqrt(tau)),
                ),
                Mistake(
                    "The three are in reverse: the quadratic term comes first, the constant last.",
                    lambda w, X, y, sigma, tau: _line_2(w, X, y, sigma, tau)[::-1],
                ),
            ],
        ),
        Line(
            does="write line 2 as −½wᵀAw + wᵀc + constant, with A symmetric, and w in none of the three",
            parts=("A", "c", "constant"),
            reference=_line_3,
            undo=lambda here, w, X, y, sigma, tau: (-w @ here[0] @ w / 2, w @ here[1], here[2]),
            mistakes=[
                Mistake(
                    "1/τ² is added to every entry of the matrix: wᵀw = wᵀIw needs the identity.",
                    but(_line_3, 0, lambda w, X, y, sigma, tau: X.T @ X / sigma**2 + 1 / tau**2),
                ),
                Mistake(
                    "The ½ stands in the formula already, in −½wᵀAw: it is not in A once more.",
                    but(_line_3, 0, lambda w, X, y, sigma, tau: _A(X, sigma, tau) / 2),
                ),
                Mistake(
                    "The minus stands in the formula already, in −½wᵀAw: A is positive definite.",
                    but(_line_3, 0, lambda w, X, y, sigma, tau: -_A(X, sigma, tau)),
                ),
                Mistake(
                    "c has lost its 1/σ²: what stands before the square stands before its cross term too.",
                    but(_line_3, 1, lambda w, X, y, sigma, tau: X.T @ y),
                ),
                Mistake(
                    "The constant is gone. It holds no w, but the line before has it: it goes into the evidence.",
                    but(_line_3, 2, lambda w, X, y, sigma, tau: 0.0),
                ),
                Mistake(
                    "−½ stands in the formula already, in −½wᵀAw: neither the minus nor the ½ is in A.",
                    but(_line_3, 0, lambda w, X, y, sigma, tau: -_A(X, sigma, tau) / 2),
                ),
                Mistake(
                    "A is multiplied by σ² here, as in ridge regression: line 2 has 1/σ² before wᵀXᵀXw.",
                    but(_line_3, 0, lambda w, X, y, sigma, tau: X.T @ X + (sigma / tau) ** 2 * np.eye(len(w))),
                ),
                Mistake(
                    "τ² multiplies I: line 2 divides wᵀw by it.",
                    but(_line_3, 0, lambda w, X, y, sigma, tau: X.T @ X / sigma**2 + tau**2 * np.eye(len(w))),
                ),
                Mistake(
                    "This is the inverse of A.",
                    but(_line_3, 0, lambda w, X, y, sigma, tau: np.linalg.inv(_A(X, sigma, tau))),
                ),
                Mistake(
                    "A is not symmetric: the two entries that belong to wᵢwⱼ share its coefficient, one half each.",
                    but(
                        _line_3,
                        0,
                        lambda w, X, y, sigma, tau: np.triu(_A(X, sigma, tau)) + np.triu(_A(X, sigma, tau), 1),
                    ),
                ),
            ],
        ),
        Line(
            does=(
                "complete the square: −½(w − m)ᵀA(w − m) + extra + constant, with A and the constant as before, "
                "and w in neither of the two"
            ),
            parts=("m", "extra"),
            reference=_line_4,
            follows=lambda before, w, X, y, sigma, tau: (
                np.linalg.solve(before[0], before[1]),
                before[1] @ np.linalg.solve(before[0], before[1]) / 2,
            ),
            mistakes=[
                Mistake(
                    "The extra term has the wrong sign: the square brings −½mᵀAm along, and a plus makes up for it.",
                    but(
                        _line_4, 1, lambda w, X, y, sigma, tau: -_right(X, y, sigma, tau)[0] @ X.T @ y / (2 * sigma**2)
                    ),
                ),
                Mistake(
                    "The extra term has lost its ½: it stands before the whole square, before mᵀAm too.",
                    but(_line_4, 1, lambda w, X, y, sigma, tau: _right(X, y, sigma, tau)[0] @ X.T @ y / sigma**2),
                ),
                Mistake(
                    "m has the wrong sign: multiply out the square of w + m, and the linear term is −wᵀAm.",
                    but(_line_4, 0, lambda w, X, y, sigma, tau: -_right(X, y, sigma, tau)[0]),
                ),
                Mistake(
                    "m is c here: A stands in the middle of the square and multiplies m too.",
                    but(_line_4, 0, lambda w, X, y, sigma, tau: X.T @ y / sigma**2),
                ),
                Mistake(
                    "m is Ac here: Am = c has to hold, so solve for m.",
                    but(_line_4, 0, lambda w, X, y, sigma, tau: _A(X, sigma, tau) @ X.T @ y / sigma**2),
                ),
                Mistake(
                    "m is the least-squares solution: A holds the prior too.",
                    but(_line_4, 0, lambda w, X, y, sigma, tau: np.linalg.solve(X.T @ X, X.T @ y)),
                ),
                Mistake(
                    "m is c divided by the diagonal of A: Am = c is a system of equations.",
                    but(_line_4, 0, lambda w, X, y, sigma, tau: X.T @ y / sigma**2 / np.diag(_A(X, sigma, tau))),
                ),
                Mistake(
                    "m is ridge regression with λ = τ²/σ²: dividing A by 1/σ² gives λ = σ²/τ².",
                    but(
                        _line_4,
                        0,
                        lambda w, X, y, sigma, tau: np.linalg.solve(
                            X.T @ X + (tau / sigma) ** 2 * np.eye(len(w)), X.T @ y
                        ),
                    ),
                ),
                Mistake(
                    "The extra term is ½mᵀm here: A stands in the middle of the square.",
                    but(
                        _line_4,
                        1,
                        lambda w, X, y, sigma, tau: (
                            _line_4(w, X, y, sigma, tau)[0] @ _line_4(w, X, y, sigma, tau)[0] / 2
                        ),
                    ),
                ),
                Mistake(
                    "The extra term has lost A: with m = A⁻¹c, ½mᵀAm is ½cᵀA⁻¹c.",
                    but(_line_4, 1, lambda w, X, y, sigma, tau: y @ X @ X.T @ y / (2 * sigma**4)),
                ),
                Mistake(
                    "A stands in the extra term in the place of its inverse: ½mᵀAm with m = A⁻¹c.",
                    but(_line_4, 1, lambda w, X, y, sigma, tau: y @ X @ _A(X, sigma, tau) @ X.T @ y / (2 * sigma**4)),
                ),
            ],
        ),
        Line(
            does="find y in both: write m as Ky and extra as ½yᵀGy, with G symmetric, and neither w nor y in the two",
            parts=("K", "G"),
            reference=_line_5,
            undo=lambda here, w, X, y, sigma, tau: (here[0] @ y, y @ here[1] @ y / 2),
            mistakes=[
                Mistake(
                    "K has lost its 1/σ²: c is Xᵀy/σ².",
                    but(_line_5, 0, lambda w, X, y, sigma, tau: np.linalg.solve(_A(X, sigma, tau), X.T)),
                ),
                Mistake(
                    "c stands twice in the extra term, each time with 1/σ²: G has only one of the two.",
                    but(_line_5, 1, lambda w, X, y, sigma, tau: X @ np.linalg.solve(_A(X, sigma, tau), X.T) / sigma**2),
                ),
                Mistake(
                    "The ½ stands in the formula already, in ½yᵀGy: it is not in G once more.",
                    but(
                        _line_5,
                        1,
                        lambda w, X, y, sigma, tau: X @ np.linalg.solve(_A(X, sigma, tau), X.T) / (2 * sigma**4),
                    ),
                ),
                Mistake(
                    "A stands in G in the place of its inverse.",
                    but(_line_5, 1, lambda w, X, y, sigma, tau: X @ _A(X, sigma, tau) @ X.T / sigma**4),
                ),
                Mistake(
                    "K is divided by σ⁴: c holds 1/σ² once.",
                    but(_line_5, 0, lambda w, X, y, sigma, tau: _line_5(w, X, y, sigma, tau)[0] / sigma**2),
                ),
                Mistake(
                    "K is the pseudo-inverse of X: A holds the prior too.",
                    but(_line_5, 0, lambda w, X, y, sigma, tau: np.linalg.solve(X.T @ X, X.T)),
                ),
                Mistake(
                    "G is KᵀK here: mᵀAm has A in the middle.",
                    but(
                        _line_5,
                        1,
                        lambda w, X, y, sigma, tau: _line_5(w, X, y, sigma, tau)[0].T @ _line_5(w, X, y, sigma, tau)[0],
                    ),
                ),
            ],
        ),
    ],
    cases=_exponents,
    forbids=(
        bayes.posterior,
        bayes.surprise,
        bayes.precision,
        bayes.stream,
        bayes.update,
        ridge.fit,
        ridge.fit_diagonal,
        ridge.fit_svd,
        ridge.fit_tikhonov,
        ridge.path,
    ),
    alternatives=[
        Alternative(
            lambda w, X, y, sigma, tau: (
                -np.sum((X @ w) ** 2) / (2 * sigma**2) - np.linalg.norm(w) ** 2 / (2 * tau**2),
                y @ (X @ w) / sigma**2,
                -np.sum(y**2) / (2 * sigma**2),
            ),
            part=0,
        ),
        Alternative(  # the prior as d more points, each of which says that a weight is 0
            lambda w, X, y, sigma, tau: (
                (Z := np.vstack([X / sigma, np.eye(len(w)) / tau])).T @ Z,
                Z.T @ np.append(y / sigma, np.zeros(len(w))),
                -(y / sigma) @ (y / sigma) / 2,
            ),
            part=1,
        ),
        Alternative(
            lambda w, X, y, sigma, tau: (
                np.einsum("ni,nj->ij", X, X) / sigma**2 + np.diag(np.full(X.shape[1], tau**-2.0)),
                y @ X / sigma**2,
                -0.5 * np.linalg.norm(y / sigma) ** 2,
            ),
            part=1,
        ),
        Alternative(  # ridge with λ = σ²/τ²
            lambda w, X, y, sigma, tau: (
                m := np.linalg.solve(X.T @ X + (sigma / tau) ** 2 * np.eye(len(w)), X.T @ y),
                y @ X @ m / (2 * sigma**2),
            ),
            part=2,
        ),
        Alternative(
            lambda w, X, y, sigma, tau: (
                np.linalg.inv(A := _A(X, sigma, tau)) @ (c := X.T @ y / sigma**2),
                0.5 * c.T @ np.linalg.inv(A) @ c,
            ),
            part=2,
        ),
        Alternative(  # the n × n system instead of the d × d one
            lambda w, X, y, sigma, tau: (
                K := tau**2 * X.T @ _inv(sigma**2 * np.eye(len(y)) + tau**2 * X @ X.T),
                X @ K / sigma**2,
            ),
            part=3,
        ),
    ],
    hints=(
        Hint(
            "How do I multiply out a squared norm?",
            r"$\lVert a-b\rVert^2=(a-b)^\top(a-b)=a^\top a-2a^\top b+b^\top b$. Which $a$ and $b$ are there, and what "
            "stands before the square?",
        ),
        Hint(
            "What are A and c?",
            r"A number times $w^\top w$ is $w^\top(\ldots)w$ with a multiple of $I$: then both quadratic terms share "
            r"one matrix, $-\frac12A$. $c$ is what multiplies $w^\top$ in the linear term.",
        ),
        Hint(
            "How do I complete a square with a matrix?",
            r"Multiply out: $(w-m)^\top A(w-m)=w^\top Aw-2w^\top Am+m^\top Am$ for a symmetric $A$. Which $m$ gives "
            "the linear term of line 3, and what is then too much?",
        ),
        Hint(
            "Where is y in line 4?",
            r"Only in $c$. Put $c$ in, and collect what stands before $y$, and between $y^\top$ and $y$. "
            "`np.linalg.solve(A, B)` takes a matrix $B$ too.",
        ),
    ),
    see="The section *Derive* lists what each line does. Put together, each line has the value of the one before it.",
)

weight_posterior = Function(
    "weight_posterior",
    asks="Mean and covariance of the weights",
    points=2,
    reference=bayes.posterior,
    returns=("mean", "cov"),
    cases=_problems,
    forbids=(bayes.precision, bayes.stream, bayes.update),
    mistakes=[
        Mistake(
            "The mean is right, the covariance has lost its σ²: it must have the unit of w², and (XᵀX + λI)⁻¹ alone "
            "has not.",
            lambda X, y, sigma, tau: (
                _right(X, y, sigma, tau)[0],
                _inv(X.T @ X + sigma**2 / tau**2 * np.eye(X.shape[1])),
            ),
        ),
        Mistake(
            "This is the posterior for λ = 1/τ: the exponents give λ = σ²/τ².",
            lambda X, y, sigma, tau: (
                (V := sigma**2 * _inv(X.T @ X + np.eye(X.shape[1]) / tau)) @ X.T @ y / sigma**2,
                V,
            ),
        ),
        Mistake(
            "The prior's precision is 1/τ², not 1/τ: τ is a standard deviation.",
            lambda X, y, sigma, tau: (
                (V := _inv(X.T @ X / sigma**2 + np.eye(X.shape[1]) / tau)) @ X.T @ y / sigma**2,
                V,
            ),
        ),
        Mistake(
            "The noise's precision is 1/σ², not 1/σ: σ is a standard deviation.",
            lambda X, y, sigma, tau: (
                (V := _inv(X.T @ X / sigma + np.eye(X.shape[1]) / tau**2)) @ X.T @ y / sigma,
                V,
            ),
        ),
        Mistake(
            "The covariance is right, the mean has lost its 1/σ²: c is Xᵀy/σ².",
            lambda X, y, sigma, tau: ((V := _right(X, y, sigma, tau)[1]) @ X.T @ y, V),
        ),
        Mistake(
            "The mean is right; the matrix is A, the precision: the covariance is its inverse.",
            lambda X, y, sigma, tau: (_right(X, y, sigma, tau)[0], _A(X, sigma, tau)),
        ),
        Mistake(
            "This is least squares with its covariance σ²(XᵀX)⁻¹: the prior does not come in.",
            lambda X, y, sigma, tau: ((V := sigma**2 * _inv(X.T @ X)) @ X.T @ y / sigma**2, V),
        ),
        Mistake(
            "1/τ² is added to every entry: the prior's precision is I/τ², on the diagonal.",
            lambda X, y, sigma, tau: ((V := _inv(X.T @ X / sigma**2 + 1 / tau**2)) @ X.T @ y / sigma**2, V),
        ),
    ],
    alternatives=[
        Alternative(  # ridge, and its matrix times σ²
            lambda X, y, sigma, tau: (
                (R := _inv(X.T @ X + (sigma / tau) ** 2 * np.eye(X.shape[1]))) @ X.T @ y,
                sigma**2 * R,
            )
        ),
        Alternative(  # the n × n system: condition the joint normal of w and y on y
            lambda X, y, sigma, tau: (
                (K := tau**2 * X.T @ _inv(sigma**2 * np.eye(len(y)) + tau**2 * X @ X.T)) @ y,
                tau**2 * (np.eye(X.shape[1]) - K @ X),
            )
        ),
        Alternative(
            lambda X, y, sigma, tau: (
                np.linalg.lstsq(
                    np.vstack([X / sigma, np.eye(X.shape[1]) / tau]),
                    np.append(y / sigma, np.zeros(X.shape[1])),
                    rcond=None,
                )[0],
                np.linalg.inv(X.T @ X / sigma**2 + np.diag(np.full(X.shape[1], tau**-2.0))),
            )
        ),
    ],
    hints=(
        Hint(
            "How do I recognise a Gaussian in line 4?",
            r"$N(w_n,V_n)$ has the exponent $-\frac12(w-w_n)^\top V_n^{-1}(w-w_n)$. Compare.",
        ),
        Hint("What is its covariance, then?", "The inverse of $A$. `np.linalg.solve(A, np.eye(d))` computes it."),
    ),
    see="Equations (26.2) and (26.3): line 4 against the exponent of N(wₙ, Vₙ).",
)

predictive_variance = Function(
    "predictive_variance",
    asks="The variance of a forecast",
    points=2,
    reference=lambda X_new, V, sigma: bayes.predictive(X_new, np.zeros(X_new.shape[1]), V, sigma)[1],
    cases=_forecasts,
    forbids=(bayes.predictive,),
    mistakes=[
        Mistake(
            "The noise is left out: this is the variance of the line, not of a measurement.",
            lambda X_new, V, sigma: np.sum(X_new @ V * X_new, axis=1),
        ),
        Mistake(
            "This is the noise alone, as if the weights were known: w is uncertain too.",
            lambda X_new, V, sigma: np.full(len(X_new), sigma**2),
        ),
        Mistake(
            "The standard deviations were added and then squared: for independent parts the variances add.",
            lambda X_new, V, sigma: (sigma + np.sqrt(np.sum(X_new @ V * X_new, axis=1))) ** 2,
        ),
        Mistake(
            "σ is a standard deviation: its square is added.",
            lambda X_new, V, sigma: sigma + np.sum(X_new @ V * X_new, axis=1),
        ),
        Mistake(
            "Only the diagonal of V is used: the weights are correlated, so the whole quadratic form xᵀVx is needed.",
            lambda X_new, V, sigma: sigma**2 + X_new**2 @ np.diag(V),
        ),
        Mistake(
            "This is the whole covariance matrix of the forecasts: one variance for each row is asked for, its "
            "diagonal.",
            lambda X_new, V, sigma: sigma**2 * np.eye(len(X_new)) + X_new @ V @ X_new.T,
        ),
        Mistake(
            "These are standard deviations: the variances are asked for.",
            lambda X_new, V, sigma: np.sqrt(sigma**2 + np.sum(X_new @ V * X_new, axis=1)),
        ),
        Mistake(
            "V is a covariance already, and is inverted here: xᵀVx, not xᵀV⁻¹x.",
            lambda X_new, V, sigma: sigma**2 + np.sum(X_new @ _inv(V) * X_new, axis=1),
        ),
    ],
    alternatives=[
        Alternative(lambda X_new, V, sigma: sigma**2 + np.diag(X_new @ V @ X_new.T)),
        Alternative(lambda X_new, V, sigma: np.array([sigma**2 + x @ V @ x for x in X_new])),
        Alternative(lambda X_new, V, sigma: sigma**2 + np.sum((X_new @ np.linalg.cholesky(V)) ** 2, axis=1)),
    ],
    hints=(
        Hint(
            "What is random in a new measurement?",
            r"$y_+=x_+^\top w+\varepsilon$: the weights, with covariance $V$, and the noise, with variance $\sigma^2$. "
            "They are independent.",
        ),
        Hint("What is the variance of $x^\\top w$?", "Notebook 22, equation (22.2): $x^\\top Vx$."),
        Hint("How do I do it for all rows at once?", "`np.sum(X_new @ V * X_new, axis=1)`, or a loop over the rows."),
    ),
    see="Equation (26.4): the variance of x₊ᵀw plus that of the noise.",
)


# --- one point at a time ---


def _is_covariance(V, x, sigma):
    d = np.size(x)
    if np.ndim(x) != 1 or np.shape(V) != (d, d) or np.ndim(sigma) != 0 or sigma <= 0:
        return False
    rounding = 1e-9 * np.abs(V).max(initial=0.0)
    return bool(np.all(np.abs(V - V.T) <= rounding) and np.all(np.linalg.eigvalsh(V) >= -rounding))


def _printed_gain(V, x, sigma):
    return V @ x / sigma**2


update_gain = Slip(
    "update_gain",
    asks="The gain of one more point",
    points=2,
    printed=_printed_gain,
    reference=bayes.gain,
    cases=_gains,
    admits=_is_covariance,
    domain="a symmetric V of shape (d, d) without negative eigenvalues, an x of shape (d,) and a number σ > 0",
    forbids=(bayes.update,),
    mistakes=[
        Mistake(
            "This is still the printed formula. It would be right with the new V, which the point has already shrunk.",
            _printed_gain,
        ),
        Mistake(
            "The noise is gone: this moves w until the new point is met exactly.",
            lambda V, x, sigma: V @ x / (x @ V @ x),
        ),
        Mistake(
            "σ is a standard deviation: the variance of the forecast is σ² + xᵀVx.",
            lambda V, x, sigma: V @ x / (sigma + x @ V @ x),
        ),
        Mistake(
            "The denominator should be the variance of the forecast, σ² + xᵀVx: this is its square root.",
            lambda V, x, sigma: V @ x / np.sqrt(sigma**2 + x @ V @ x),
        ),
        Mistake(
            "V is missing below: the denominator is σ² + xᵀVx, not σ² + xᵀx.",
            lambda V, x, sigma: V @ x / (sigma**2 + x @ x),
        ),
        Mistake(
            "V is missing above: which weights move, and how far, depends on how uncertain they are.",
            lambda V, x, sigma: x / (sigma**2 + x @ V @ x),
        ),
        Mistake(SAME_THERE, (1e-7 * np.eye(2), [1.0, 1.0], 1.0), part=1),
        Mistake(SAME_THERE, (np.eye(2), [0.0, 0.0], 1.0), part=1),
    ],
    alternatives=[
        Alternative(lambda V, x, sigma: _inv(_inv(V) + np.outer(x, x) / sigma**2) @ x / sigma**2),
        Alternative(lambda V, x, sigma: (V @ x / sigma**2) / (1 + x @ V @ x / sigma**2)),
        Alternative(([[4.0]], [1.0], 1.0), part=1),
        Alternative((np.eye(2), np.array([1, 1]), 0.5), part=1),
    ],
    hints=(
        Hint(
            "What is the smallest case?",
            "One weight, $x=1$: then (25.9) and (25.10) of notebook 25 with $n=1$ say where the mean goes.",
        ),
        Hint(
            "And with V in general?",
            r"(26.3) for the new point gives $k=V_{\text{new}}x/\sigma^2$. Multiply "
            r"$V_{\text{new}}^{-1}=V^{-1}+xx^\top/\sigma^2$ by $Vx$ from the right: "
            r"$V_{\text{new}}^{-1}Vx=x(1+x^\top Vx/\sigma^2)$.",
        ),
    ),
    see="Equation (26.6): the old V, over the variance of the forecast for the new point.",
)


def _walk(X, y, sigma, tau, step):
    """`step(w, V, x, y)` gives the next mean and covariance; the rows are the means."""
    w, V, rows = np.zeros(X.shape[1]), tau**2 * np.eye(X.shape[1]), []
    for x, target in zip(X, y, strict=True):
        w, V = step(w, V, x, target)
        rows.append(w)
    return np.array(rows)


def _step(w, V, x, y, noise):
    k = V @ x / (noise + x @ V @ x)
    return w + k * (y - x @ w), V - np.outer(k, V @ x)


def _step_with_prior(w, V, x, y, sigma, tau):
    """Adds I/τ² to the precision again."""
    A = _inv(V) + np.outer(x, x) / sigma**2 + np.eye(len(x)) / tau**2
    return np.linalg.solve(A, _inv(V) @ w + x * y / sigma**2), _inv(A)


weight_stream = Function(
    "weight_stream",
    asks="Weights that follow the points",
    points=2,
    reference=lambda X, y, sigma, tau: np.array([w for w, _ in bayes.stream(X, y, sigma, tau)]),
    cases=_problems,
    forbids=(bayes.stream, bayes.update, bayes.gain, bayes.posterior, bayes.precision),
    mistakes=[
        Mistake(
            "The prior's precision I/τ² is added at every point: it is in V from the start, and may be counted once.",
            lambda X, y, sigma, tau: _walk(
                X, y, sigma, tau, lambda w, V, x, t: _step_with_prior(w, V, x, t, sigma, tau)
            ),
        ),
        Mistake(
            "V never changes: every point must shrink it, or the last points count as much as if they were the first.",
            lambda X, y, sigma, tau: _walk(X, y, sigma, tau, lambda w, V, x, t: (_step(w, V, x, t, sigma**2)[0], V)),
        ),
        Mistake(
            "y itself moves the weights here: only the surprise does, y minus the forecast xᵀw.",
            lambda X, y, sigma, tau: _walk(
                X,
                y,
                sigma,
                tau,
                lambda w, V, x, t: (
                    w + V @ x / (sigma**2 + x @ V @ x) * t,
                    _step(w, V, x, t, sigma**2)[1],
                ),
            ),
        ),
        Mistake(
            "σ enters without its square.",
            lambda X, y, sigma, tau: _walk(X, y, sigma, tau, lambda w, V, x, t: _step(w, V, x, t, sigma)),
        ),
        Mistake(
            "V starts at τI: the prior's covariance is τ²I.",
            lambda X, y, sigma, tau: _walk(X, y, sigma, np.sqrt(tau), lambda w, V, x, t: _step(w, V, x, t, sigma**2)),
        ),
        Mistake(
            "Only the last row came back: one row for each point is asked for.",
            lambda X, y, sigma, tau: _walk(X, y, sigma, tau, lambda w, V, x, t: _step(w, V, x, t, sigma**2))[-1],
        ),
        Mistake(
            "V is updated before the weights, and k computed from the new V with σ² + xᵀVx: use the old V for both.",
            lambda X, y, sigma, tau: _walk(
                X,
                y,
                sigma,
                tau,
                lambda w, V, x, t: (
                    w + (U := _step(w, V, x, t, sigma**2)[1]) @ x / (sigma**2 + x @ U @ x) * (t - x @ w),
                    U,
                ),
            ),
        ),
    ],
    alternatives=[
        Alternative(  # precisions and information vectors add up
            lambda X, y, sigma, tau: np.array(
                [np.linalg.solve(_A(X[:i], sigma, tau), X[:i].T @ y[:i] / sigma**2) for i in range(1, len(y) + 1)]
            )
        ),
        Alternative(
            lambda X, y, sigma, tau: _walk(
                X,
                y,
                sigma,
                tau,
                lambda w, V, x, t: (
                    (U := _inv(_inv(V) + np.outer(x, x) / sigma**2)) @ (np.linalg.solve(V, w) + x * t / sigma**2),
                    U,
                ),
            )
        ),
    ],
    hints=(
        Hint("Where do I start?", r"With the prior: `w` zeros, `V` $=\tau^2I$."),
        Hint(
            "What is one step?",
            "(26.6) for the gain, then (26.5) for both, with the old `V` everywhere on the right-hand side.",
        ),
        Hint("How do I make k(Vx)ᵀ?", "`np.outer(k, V @ x)`."),
    ),
    see="Equation (26.5), used in a loop over the rows of X.",
)


# --- averages by drawing ---

predictive_draws = Function(
    "predictive_draws",
    asks="A forecast by drawing",
    points=1,
    reference=bayes.monte_carlo,
    returns=("mean", "var"),
    cases=_handfuls,
    mistakes=[
        Mistake(
            "The noise is not added to the draws: this is the variance of the line, not of a measurement.",
            lambda W, x, noise, sigma: (np.mean(W @ x), np.var(W @ x)),
        ),
        Mistake(
            "The weights are averaged first, and their spread is lost: predict with each draw, then average.",
            lambda W, x, noise, sigma: (np.mean(y := W.mean(axis=0) @ x + sigma * noise), np.var(y)),
        ),
        Mistake(
            "The noise has the standard deviation σ: it is multiplied by σ, not by σ².",
            lambda W, x, noise, sigma: (np.mean(y := W @ x + sigma**2 * noise), np.var(y)),
        ),
        Mistake(
            "The noise is added without σ: the given draws have the variance 1.",
            lambda W, x, noise, sigma: (np.mean(y := W @ x + noise), np.var(y)),
        ),
        Mistake(
            "This adds σ² to the variance of the lines. In the long run that is the same, and steadier; here the given "
            "noise is to be added to the draws.",
            lambda W, x, noise, sigma: (np.mean(W @ x), np.var(W @ x) + sigma**2),
        ),
        Mistake(
            "The variance is divided by S − 1: the task asks for 1/S.",
            lambda W, x, noise, sigma: (np.mean(y := W @ x + sigma * noise), np.var(y, ddof=1)),
        ),
        Mistake(
            "The mean is right; this is the standard deviation, and the variance is asked for.",
            lambda W, x, noise, sigma: (np.mean(y := W @ x + sigma * noise), np.std(y)),
        ),
    ],
    alternatives=[
        Alternative(
            lambda W, x, noise, sigma: (
                (y := np.array([w @ x + sigma * e for w, e in zip(W, noise, strict=True)])).mean(),
                np.mean(y**2) - np.mean(y) ** 2,
            )
        ),
    ],
    hints=(
        Hint("What is one drawn measurement?", r"$y^{(s)}=x^\top w^{(s)}+\sigma e^{(s)}$ with row $s$ of `W`."),
        Hint("And for all at once?", "`W @ x` has $S$ entries; add `sigma * noise` to it."),
    ),
    see="Equation (26.7), with f the mean and the squared deviation of a drawn measurement.",
)


# --- the denominator ---


def _normal_log(residual, spread):
    """The log-density of independent normals with mean 0."""
    return -np.sum(residual**2) / (2 * spread**2) - np.size(residual) * math.log(math.sqrt(2 * math.pi) * spread)


def _by_covariance(X, y, C):
    return -(y @ np.linalg.solve(C, y) + np.linalg.slogdet(C)[1] + len(y) * math.log(2 * math.pi)) / 2


def _spread(X, y, sigma, tau):
    return sigma**2 * np.eye(len(y)) + tau**2 * X @ X.T


regression_evidence = Function(
    "regression_evidence",
    asks="The logarithm of the evidence",
    points=2,
    reference=bayes.log_evidence,
    cases=_problems,
    mistakes=[
        Mistake(
            "This is the log-likelihood at wₙ, the most probable weights: integrate over all w.",
            lambda X, y, sigma, tau: _normal_log(y - X @ _right(X, y, sigma, tau)[0], sigma),
        ),
        Mistake(
            "This is likelihood times prior at wₙ, the height of the hill: the evidence is its volume.",
            lambda X, y, sigma, tau: (
                _normal_log(y - X @ (w := _right(X, y, sigma, tau)[0]), sigma) + _normal_log(w, tau)
            ),
        ),
        Mistake(
            "This is the log-likelihood of least squares, the largest there is: the evidence is an average.",
            lambda X, y, sigma, tau: _normal_log(y - X @ np.linalg.lstsq(X, y, rcond=None)[0], sigma),
        ),
        Mistake(
            "This is the log-likelihood at the mean of the prior, w = 0: average the likelihood, do not insert the "
            "average w.",
            lambda X, y, sigma, tau: _normal_log(y, sigma),
        ),
        Mistake(
            "The determinant is missing: a wide prior spreads its probability over many y, and −½ log det charges for "
            "it.",
            lambda X, y, sigma, tau: (
                -(y @ np.linalg.solve(C := _spread(X, y, sigma, tau), y) + len(C) * math.log(2 * math.pi)) / 2
            ),
        ),
        Mistake(
            "σ and τ enter without their squares: the covariance of y is σ²I + τ²XXᵀ.",
            lambda X, y, sigma, tau: _by_covariance(X, y, sigma * np.eye(len(y)) + tau * X @ X.T),
        ),
        Mistake(
            "The constant −(n/2) log 2π is missing.",
            lambda X, y, sigma, tau: (
                _by_covariance(X, y, _spread(X, y, sigma, tau)) + len(y) / 2 * math.log(2 * math.pi)
            ),
        ),
        Mistake(
            "This is the evidence itself: its logarithm is asked for.",
            lambda X, y, sigma, tau: math.exp(_by_covariance(X, y, _spread(X, y, sigma, tau))),
        ),
    ],
    alternatives=[
        Alternative(lambda X, y, sigma, tau: _by_covariance(X, y, _spread(X, y, sigma, tau))),
        Alternative(  # point by point: each forecast before it is seen
            lambda X, y, sigma, tau: sum(
                _normal_log(
                    y[i] - X[i] @ (post := _right(X[:i], y[:i], sigma, tau))[0],
                    math.sqrt(sigma**2 + X[i] @ post[1] @ X[i]),
                )
                for i in range(len(y))
            )
        ),
        Alternative(  # height times volume
            lambda X, y, sigma, tau: (
                _normal_log(y - X @ (post := _right(X, y, sigma, tau))[0], sigma)
                + _normal_log(post[0], tau)
                + np.linalg.slogdet(2 * math.pi * post[1])[1] / 2
            )
        ),
    ],
    hints=(
        Hint(
            "Do I have to integrate?",
            r"No. $y=Xw+\varepsilon$ is a sum of two independent Gaussians. Which mean and which covariance has it?",
        ),
        Hint(
            "What is the covariance of y?",
            r"By (22.2) that of $Xw$ is $\tau^2XX^\top$; the noise adds $\sigma^2I$. Then it is the density (22.3) of "
            "notebook 22.",
        ),
        Hint("How do I get the determinant?", "`np.linalg.slogdet(C)[1]` is $\\log\\det C$."),
    ),
    see="Equation (26.8): the log-density of N(0, σ²I + τ²XXᵀ) at y.",
)


# --- classes ---

which_denominator = Choice(
    "which_denominator",
    asks="Can we compute the denominator?",
    points=1,
    options={
        "a": Option("exactly for linear regression; for logistic regression it has to be approximated"),
        "b": Option(
            "exactly for both: the prior is Gaussian both times",
            wrong="The prior is the same, the likelihood is not. Try to complete the square in log(1 + e^z) − yz.",
        ),
        "c": Option(
            "for neither: an integral over all weights can only be approximated",
            wrong="You have computed one: (26.8) is exact. What made that possible?",
        ),
    },
    reasons={
        "i": Option(
            "the logistic likelihood is a product of numbers below 1, which underflows",
            wrong="So does the Gaussian one, and logarithms cure it. The difficulty is the integral, not the size.",
        ),
        "ii": Option(
            "the exponent is a quadratic in $w$ only for Gaussian noise, and only there can the square be completed"
        ),
        "iii": Option(
            "the EM algorithm is needed for such integrals",
            wrong="EM climbs to a maximum where something is hidden (notebook 24). It gives no area. What do you see "
            "in the exponent itself?",
        ),
    },
    hints=(Hint("What is integrated?", "Likelihood times prior, $e$ to an exponent in $w$. Compare the exponents."),),
    see="Line 4 of exercise 26a has a square; the exponent of (26.9) has log(1 + e^z) and is no polynomial.",
)


def _hessian(X, w, tau, weight=None):
    p = 1 / (1 + np.exp(-X @ w))
    return (X.T * (p * (1 - p) if weight is None else weight(p))) @ X + np.eye(len(w)) / tau**2


laplace_covariance = Function(
    "laplace_covariance",
    asks="The covariance of Laplace",
    points=2,
    reference=bayes.laplace,
    cases=_classified,
    mistakes=[
        Mistake(
            "The prior is left out: its part of the Hessian is I/τ².",
            lambda X, w, tau: _inv(_hessian(X, w, tau) - np.eye(len(w)) / tau**2),
        ),
        Mistake(
            "This is the Hessian, how sharply J rises: the covariance is its inverse.",
            lambda X, w, tau: _hessian(X, w, tau),
        ),
        Mistake(
            "W is missing: each point counts with pᵢ(1 − pᵢ), the slope of σ at its score.",
            lambda X, w, tau: _inv(_hessian(X, w, tau, lambda p: np.ones(len(p)))),
        ),
        Mistake(
            "W holds pᵢ here: the derivative of σ is p(1 − p).",
            lambda X, w, tau: _inv(_hessian(X, w, tau, lambda p: p)),
        ),
        Mistake(
            "The prior's precision is 1/τ², not 1/τ.",
            lambda X, w, tau: _inv(_hessian(X, w, np.sqrt(tau))),
        ),
        Mistake(
            "Two covariances were added: precisions add, and the inverse comes last.",
            lambda X, w, tau: _inv(_hessian(X, w, tau) - np.eye(len(w)) / tau**2) + tau**2 * np.eye(len(w)),
        ),
        Mistake(
            "1/τ² is added to every entry of the Hessian: it belongs on the diagonal.",
            lambda X, w, tau: _inv(_hessian(X, w, tau) - np.eye(len(w)) / tau**2 + 1 / tau**2),
        ),
    ],
    alternatives=[
        Alternative(
            lambda X, w, tau: np.linalg.inv(
                X.T @ np.diag((p := 1 / (1 + np.exp(-X @ w))) * (1 - p)) @ X + np.diag(np.full(len(w), tau**-2.0))
            )
        ),
        Alternative(
            lambda X, w, tau: _inv(
                sum(np.outer(x, x) / (2 + np.exp(x @ w) + np.exp(-x @ w)) for x in X) + np.eye(len(w)) / tau**2
            )
        ),
    ],
    hints=(
        Hint(
            "What do I differentiate?", "$J$ of (26.9), twice. Notebook 12 does the first part, the prior is a square."
        ),
        Hint(
            "What is the second derivative of log(1 + e^z)?",
            r"The first is $\sigma(z)$, the second $\sigma(z)(1-\sigma(z))$, and $z_i=x_i^\top w$ brings "
            r"$x_ix_i^\top$.",
        ),
    ),
    see="Equation (26.10): the inverse of the Hessian XᵀWX + I/τ².",
)


def _s(t):
    return 1 / (1 + np.exp(-t))


averaged_chance = Function(
    "averaged_chance",
    asks="A formula for the averaged probability",
    points=1,
    reference=bayes.averaged_chance,
    cases=_scores,
    mistakes=[
        Mistake("This is σ(m), the forecast of the best weights alone: v does not come in.", lambda m, v: _s(m)),
        Mistake(
            "The root is missing: κ is one over a root.",
            lambda m, v: _s(m / (1 + np.pi * v / 8)),
        ),
        Mistake(
            "v is a variance already, and is squared here.",
            lambda m, v: _s(m / np.sqrt(1 + np.pi * v**2 / 8)),
        ),
        Mistake(
            "κ multiplies the probability here: it belongs inside σ, at the score m. A score of 0 must give one half.",
            lambda m, v: _s(m) / np.sqrt(1 + np.pi * v / 8),
        ),
        Mistake(
            "π/8 is missing: this takes N(0, 1) as the twin, which is steeper than σ at 0. The twin is N(0, 8/π).",
            lambda m, v: _s(m / np.sqrt(1 + v)),
        ),
        Mistake(
            "8/π is upside down: κ = 1/√(1 + πv/8).",
            lambda m, v: _s(m / np.sqrt(1 + 8 * v / np.pi)),
        ),
        Mistake(
            "The root is multiplied, not divided by: this makes the forecast surer than the best weights are.",
            lambda m, v: _s(m * np.sqrt(1 + np.pi * v / 8)),
        ),
    ],
    alternatives=[
        Alternative(lambda m, v: 1 / (1 + np.exp(-m * np.sqrt(8 / np.pi) / np.sqrt(8 / np.pi + v)))),
        Alternative(lambda m, v: (1 + np.tanh(m / np.sqrt(4 + np.pi * v / 2))) / 2),
    ],
    hints=(
        Hint(
            "How do I integrate the twin?",
            r"$P(s\le t)$ with $s\sim N(0,8/\pi)$ and $t\sim N(m,v)$ is $P(s-t\le0)$, and $s-t\sim N(-m,8/\pi+v)$.",
        ),
        Hint(
            "How do I get back to σ?",
            r"$\Phi\big(m/\sqrt{8/\pi+v}\big)$ is $\Phi\big(m'/\sqrt{8/\pi}\big)\approx\sigma(m')$ for one $m'$. "
            "Solve for it.",
        ),
    ),
    see="Equation (26.12): the twin of σ, its variance 8/π widened by v, turned back into a σ.",
)


# --- a band that does not look ---

_X_GRID = np.column_stack([np.ones(10), np.linspace(-0.9, 0.9, 10)])
_INSIDE = (
    "Fewer than eight of your ten points lie outside. The band is as wide for every y: which y does no line come near?"
)


def _outside(y):
    w, V = bayes.posterior(_X_GRID, y, 0.3, 1.0)
    mean, var = bayes.predictive(_X_GRID, w, V, 0.3)
    return np.sum(np.abs(y - mean) > 1.96 * np.sqrt(var))


outside_band = Property(
    "outside_band",
    asks="Data that the band does not notice",
    points=1,
    laws=[
        Law("Ten numbers are asked for, one for each x.", lambda y: y.shape == (10,)),
        Law("Every number must lie between −3 and 3.", lambda y: bool(np.all(np.abs(y) <= 3))),
        Law(_INSIDE, lambda y: _outside(y) >= 8),
    ],
    mistakes=[
        Mistake(_INSIDE, 2 * np.linspace(-0.9, 0.9, 10)),
        Mistake(_INSIDE, [0, 0, 0, 0, 3, 0, 0, 0, 0, 0]),
        Mistake(_INSIDE, np.full(10, 2.5)),
        Mistake("Every number must lie between −3 and 3.", 9 * (-1.0) ** np.arange(10)),
        Mistake("Ten numbers are asked for, one for each x.", [3.0, -3.0, 3.0]),
    ],
    alternatives=[
        Alternative(2 * (-1.0) ** np.arange(10)),
        Alternative([3, 3, 3, -3, -3, -3, -3, 3, 3, 3]),
    ],
    hints=(
        Hint("Which y would be inside?", "All that lie near some line: then the posterior mean runs through them."),
        Hint("How wide is the band?", "About $\\pm0.65$ here, for every $y$: in (26.2) there is no $y$."),
    ),
    see="Equation (26.2): the covariance does not hold y.",
)

two_forecasters = Explanation(
    "two_forecasters",
    asks="Two forecasters and a new customer",
    points=3,
    rubric=(
        "1 point: the variance of a forecast is σ² + xᵀVx, noise plus doubt about the weights; the first forecaster "
        "quotes only σ², the same everywhere. 1 point: xᵀVx grows with the distance from the data and falls with more "
        "of them; among the incomes seen the two nearly agree, at 300 the second is far less sure; σ² stays however "
        "much data there are. 1 point: both assume that the line holds beyond the data, and V does not depend on y, so "
        "neither band shows that the model is wrong; residuals or evidence would."
    ),
)

topic = Topic(
    number=26,
    slug="bayesian_regression",
    title="Bayesian regression",
    question="How sure may a regression be of its forecast?",
    part="Bayesian and graphical",
    minutes=85,
    before={
        "ridge": "ridge regression",
        "multivariate_normal": "the multivariate normal",
        "bayesian_inference": "Bayesian inference",
    },
    exercises=[
        weight_square,
        weight_posterior,
        predictive_variance,
        update_gain,
        weight_stream,
        predictive_draws,
        regression_evidence,
        which_denominator,
        laplace_covariance,
        averaged_chance,
        outside_band,
        two_forecasters,
    ],
)
check = Checks(topic)
