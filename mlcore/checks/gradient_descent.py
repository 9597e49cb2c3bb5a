"""The exercises of 10 gradient_descent."""

from fractions import Fraction

import numpy as np

from mlcore import gradient_descent as gd
from mlcore.engine.exercises import (
    Alternative,
    Chain,
    Checks,
    Explanation,
    Function,
    Hint,
    Law,
    Line,
    Mistake,
    Property,
    Slip,
    Topic,
    but,
)

# --- data to be tried on ---


def _data(rng, n, d):
    """Columns with an offset and of different widths: a large condition number, as real data have."""
    X = (rng.normal(size=(n, d)) + rng.normal(size=d)) * rng.uniform(0.5, 3, size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def _small(rng):
    """Three points with whole numbers, columns never parallel."""
    X = rng.integers(1, 5, size=(3, 2)).astype(float)
    X[0] = [1, -2]
    X[1] = [2, 1]
    return X, rng.integers(1, 9, size=3).astype(float)


def _designs(rng):
    return [_small(rng), _data(rng, 12, 4), _data(rng, 20, 3)]


def _top(X):
    """The largest eigenvalue of XᵀX."""
    return np.linalg.eigvalsh(X.T @ X)[-1]


def _quadratics(rng):
    """A with whole numbers for the card, where a sweep leads above 1, then larger ones; never diagonal."""
    small = np.array([[rng.integers(3, 6), rng.choice([-1, 1])], [0, rng.integers(1, 3)]], dtype=float)
    small[1, 0] = small[0, 1]
    found = [
        (
            rng.integers(1, 5, size=2).astype(float),
            small,
            np.array([rng.integers(-5, 0), rng.integers(6, 10)], dtype=float),
        )
    ]
    for d in (3, 5):
        B = rng.normal(size=(d + 2, d))
        found.append((rng.normal(size=d), B.T @ B + 0.1 * np.eye(d), rng.normal(size=d)))
    return found


def _steps(rng):
    return [(w, A, c, rng.uniform(0.4, 1.6) / np.linalg.eigvalsh(A)[-1]) for w, A, c in _quadratics(rng)]


def _parabolas(rng):
    """Flat and steep, so that the step is above 1 and below; b of either sign."""
    return [
        (rng.uniform(0.2, 0.4), rng.uniform(1, 5)),
        (rng.uniform(3, 4), -rng.uniform(1, 5)),
        (rng.uniform(0.6, 0.9), rng.uniform(2, 5)),
    ]


def _starts(rng):
    return [(rng.normal(size=X.shape[1]), X, y) for X, y in _designs(rng)]


def _starts_and_steps(rng):
    """Steps within the stable range, and one beyond it: its promise is negative."""
    shares = rng.uniform((0.2, 1.2, 0.2), (0.8, 1.6, 0.8))
    return [(w, X, y, share / _top(X)) for (w, X, y), share in zip(_starts(rng), shares, strict=True)]


def _diagonals(rng):
    """A step that overshoots in the steepest direction, t odd and even: the sign of (1 − ηλ)ᵗ shows.

    Start and minimum on either side of 0.
    """
    found = []
    for d, t in ((2, 3), (3, 4), (4, 7)):
        side = np.where(np.arange(d) % 2, -1, 1)
        lams = rng.permutation(np.linspace(0.5, 3, d)) * rng.uniform(0.8, 1.2)
        eta = rng.uniform(1.3, 1.8) / lams.max()
        found.append((-side * (rng.integers(1, 5, size=d) + 0.5), lams, side * rng.uniform(1, 3, size=d), eta, t))
    return found


def _slow_and_fast(rng):
    return [
        (X, share / (2 * _top(X)))
        for X, _ in (_small(rng), _data(rng, 12, 4))
        for share in (rng.uniform(0.1, 0.5), rng.uniform(2.2, 3.5))
    ]


def _roots(rng):
    """Starts so far away that the last step still shows."""
    far = [(a := rng.uniform(2, 30), np.sqrt(a) * rng.uniform(3, 6), T) for T in (1, 3)]
    return [(2.0, 1.0, 2), *far]


# --- a parabola ---

gd_best_step = Function(
    "gd_best_step",
    asks="One step on a parabola",
    points=1,
    reference=gd.best_step,
    cases=_parabolas,
    mistakes=[
        Mistake(
            "With 1/a you land on the mirror image of the start, at the same height, and then back again, for ever.",
            lambda a, b: 1 / a,
        ),
        Mistake(
            "1/(4a) converges, but each step goes only half of the way: the second derivative is 2a.",
            lambda a, b: 1 / (4 * a),
        ),
        Mistake(
            "2a is the second derivative: a strongly curved parabola asks for a short step, so divide by it.",
            lambda a, b: 2 * a,
        ),
        Mistake(
            "−b/(2a) is the place of the minimum. The step size that leads there is asked for.",
            lambda a, b: -b / (2 * a),
        ),
    ],
    alternatives=[
        Alternative(lambda a, b: (1 + b / (2 * a)) / (2 * a + b)),  # from w = 1: the way divided by the slope
        Alternative(lambda a, b: 0.5 / a),
    ],
    hints=(
        Hint("Where do I want to land?", "At the zero of the derivative, $w^*=-b/(2a)$."),
        Hint(
            "I have w − η(2aw + b). And now?",
            r"Set it equal to $-b/(2a)$. Both sides contain $w+\frac b{2a}$, and the start cancels.",
        ),
    ),
    see="Equation (10.2): w − η(2aw + b) = −b/(2a), solved for η.",
)


# --- the descent lemma ---


def _line_1(w, A, c, eta):
    g = A @ w - c
    v = w - eta * g
    return v @ A @ v / 2 - c @ v


def _line_2(w, A, c, eta):
    g = A @ w - c
    return w @ A @ w / 2, -w @ A @ g, g @ A @ g / 2, -c @ w, c @ g


def _line_3(w, A, c, eta):
    g = A @ w - c
    M = np.linalg.eigvalsh(A)[-1]
    return w @ A @ w / 2 - c @ w, -g @ g, M * g @ g / 2, M * g @ g / 2 - g @ A @ g / 2


def _line_4(w, A, c, eta):
    M = np.linalg.eigvalsh(A)[-1]
    return w @ A @ w / 2 - c @ w, eta - M * eta**2 / 2


def _split(bound_of):
    """Line 3 from the five coefficients, where a₂ has this bound; the slack is what the bound has more."""

    def step(before, w, A, c, eta):
        a0, a1, a2, b0, b1 = before
        g = A @ w - c
        bound = bound_of(a2, A, g)
        return a0 + b0, a1 + b1, bound, bound - a2

    return step


def _in_place_of_A(eigenvalue):
    """The bound with a number in the place of A; whatever stands before gᵀAg stays there."""
    return lambda a2, A, g: (number := a2 / (g @ A @ g)) * eigenvalue(np.linalg.eigvalsh(A), number) * (g @ g)


def _in_halves(number):
    return abs(2 * number - round(2 * number)) < 1e-9


def _itself(a2, A, g):
    """Where A is lost, or M in its place already, a₂ is its own bound."""
    of_square = a2 / (g @ g)
    return a2 if _in_halves(of_square) or _in_halves(of_square / np.linalg.eigvalsh(A)[-1]) else np.nan


def _with_M(a2, A, g):
    """Where A is lost and M is not."""
    return a2 * np.linalg.eigvalsh(A)[-1] if _in_halves(a2 / (g @ g)) else np.nan


_BOUNDS = (
    _in_place_of_A(lambda lam, number: lam[-1]),
    _itself,
    _with_M,
    # where a₂ has a minus: the smallest bound, 0, and that of a₂ without its minus
    _in_place_of_A(lambda lam, number: lam[0 if number < 0 else -1]),
    _in_place_of_A(lambda lam, number: 0.0 if number < 0 else lam[-1]),
    _in_place_of_A(lambda lam, number: np.sign(number) * lam[-1]),
)


def _bounded(before, w, A, c, eta):
    """Line 4 from line 3 without its slack."""
    value, slope, bound, _ = before
    g = A @ w - c
    return value, -(slope * eta + bound * eta**2) / (g @ g)


def _with_g(formula):
    """A piece that is written with the gradient g."""
    return lambda w, A, c, eta: formula(w, A, c, A @ w - c)


def _with_bound(number):
    """Line 3 with another number in the place of M."""
    return _with_g(
        lambda w, A, c, g: (
            w @ A @ w / 2 - c @ w,
            -g @ g,
            number(A) * g @ g / 2,
            number(A) * g @ g / 2 - g @ A @ g / 2,
        )
    )


def _with_factor(k):
    """Line 4 with another factor of ‖g‖², made of η and M."""
    return but(_line_4, 1, lambda w, A, c, eta: k(eta, np.linalg.eigvalsh(A)[-1]))


descent_lemma = Chain(
    "descent_lemma",
    asks="What one step is worth",
    first=_line_1,
    lines=[
        Line(
            does="multiply out the two terms of f, each by itself, with v = w − ηg: ½vᵀAv = a₀ + a₁η + a₂η² and "
            "−cᵀv = b₀ + b₁η, with g kept as it is, and η in none of the five",
            parts=("a₀", "a₁", "a₂", "b₀", "b₁"),
            reference=_line_2,
            whole=lambda here, w, A, c, eta: np.dot(here, [1, eta, eta**2, 1, eta]),
            mistakes=[
                Mistake(
                    "½(w − ηg)ᵀA(w − ηg) has two equal cross terms: the ½ cancels against their number.",
                    but(_line_2, 1, _with_g(lambda w, A, c, g: -w @ A @ g / 2)),
                ),
                Mistake(
                    "The ½ before the whole square is lost in a₁: it halves the two cross terms to one.",
                    but(_line_2, 1, _with_g(lambda w, A, c, g: -2 * w @ A @ g)),
                ),
                Mistake(
                    "The ½ before the whole square is lost in a₂: it belongs to all of its terms.",
                    but(_line_2, 2, _with_g(lambda w, A, c, g: g @ A @ g)),
                ),
                Mistake(
                    "a₂ has a minus: (−ηg)ᵀA(−ηg) is a square.",
                    but(_line_2, 2, _with_g(lambda w, A, c, g: -g @ A @ g / 2)),
                ),
                Mistake(
                    "b₁ has the wrong sign: −cᵀ(w − ηg) has minus times minus.",
                    but(_line_2, 4, _with_g(lambda w, A, c, g: -c @ g)),
                ),
                Mistake(
                    "The ½ before the whole square is lost: it belongs to a₀, a₁ and a₂.",
                    _with_g(lambda w, A, c, g: (w @ A @ w, -2 * w @ A @ g, g @ A @ g, -c @ w, c @ g)),
                ),
                Mistake(
                    "A is lost in a₂: it stands between the two g.",
                    but(_line_2, 2, _with_g(lambda w, A, c, g: g @ g / 2)),
                ),
                Mistake(
                    "A is lost in a₁: it stands between w and g.", but(_line_2, 1, _with_g(lambda w, A, c, g: -w @ g))
                ),
                Mistake(
                    "Aw was taken for g in a₁, and Aw = g + c.", but(_line_2, 1, _with_g(lambda w, A, c, g: -g @ g))
                ),
                Mistake(
                    "η is in a₁, a₂ and b₁: asked for is what stands before η and η².",
                    lambda w, A, c, eta: tuple(
                        part * eta**k for part, k in zip(_line_2(w, A, c, eta), (0, 1, 2, 0, 1), strict=True)
                    ),
                ),
            ],
        ),
        Line(
            does="collect by powers of η, with g in the place of Aw − c, and write a₂ as bound − slack: the bound is "
            "the smallest multiple of ‖g‖² that your a₂ never exceeds, whatever g is, made with M, the largest "
            "eigenvalue of A, if a₂ holds A; the slack is what the bound has more. So f(w − ηg) = value + slope·η + "
            "(bound − slack)·η²",
            parts=("value", "slope", "bound", "slack"),
            reference=_line_3,
            follows=[_split(bound_of) for bound_of in _BOUNDS],
            whole=lambda here, w, A, c, eta: here[0] + here[1] * eta + (here[2] - here[3]) * eta**2,
            mistakes=[
                Mistake(
                    "The slope has a plus: a₁ + b₁ is −(Aw − c)ᵀg. Descent goes down.",
                    but(_line_3, 1, _with_g(lambda w, A, c, g: g @ g)),
                ),
                Mistake(
                    "The slope has the length of g, not its square: (Aw − c)ᵀg is gᵀg.",
                    but(_line_3, 1, _with_g(lambda w, A, c, g: -np.linalg.norm(g))),
                ),
                Mistake(
                    "This uses the smallest eigenvalue: then the slack is negative, and the bound is none.",
                    _with_bound(lambda A: np.linalg.eigvalsh(A)[0]),
                ),
                Mistake(
                    "This uses the trace, the sum of all eigenvalues: a true bound, but a looser one than with M.",
                    _with_bound(np.trace),
                ),
                Mistake(
                    "The ½ is lost: it stands before gᵀAg, and stays before both of its pieces.",
                    _with_g(
                        lambda w, A, c, g: (
                            w @ A @ w / 2 - c @ w,
                            -g @ g,
                            (M := np.linalg.eigvalsh(A)[-1]) * g @ g,
                            M * g @ g - g @ A @ g,
                        )
                    ),
                ),
                Mistake(
                    "The slack has the wrong sign: bound − slack must be ½gᵀAg, and the bound is the larger one.",
                    but(_line_3, 3, _with_g(lambda w, A, c, g: g @ A @ g / 2 - np.linalg.eigvalsh(A)[-1] * g @ g / 2)),
                ),
                Mistake(
                    "b₁ is forgotten in the slope: it collects a₁ and b₁.",
                    but(_line_3, 1, _with_g(lambda w, A, c, g: -w @ A @ g)),
                ),
                Mistake(
                    "The slack is a₂ itself here: it is what the bound has more than a₂.",
                    but(_line_3, 3, _with_g(lambda w, A, c, g: g @ A @ g / 2)),
                ),
                Mistake(
                    "The bound is twice as large as it has to be: gᵀAg is at most M‖g‖², and a₂ has a ½.",
                    _with_g(
                        lambda w, A, c, g: (
                            w @ A @ w / 2 - c @ w,
                            -g @ g,
                            (b := np.linalg.eigvalsh(A)[-1] * g @ g),
                            b - g @ A @ g / 2,
                        )
                    ),
                ),
                Mistake(
                    "M is squared in the bound: gᵀAg has one A.", _with_bound(lambda A: np.linalg.eigvalsh(A)[-1] ** 2)
                ),
                Mistake(
                    "‖g‖² is lost in the bound: M is the largest value of gᵀAg/‖g‖².",
                    _with_g(
                        lambda w, A, c, g: (
                            w @ A @ w / 2 - c @ w,
                            -g @ g,
                            (b := np.linalg.eigvalsh(A)[-1] / 2),
                            b - g @ A @ g / (2 * g @ g),
                        )
                    ),
                ),
                Mistake(
                    "η is in slope, bound and slack: asked for is what stands before η and η².",
                    lambda w, A, c, eta: tuple(
                        part * eta**k for part, k in zip(_line_3(w, A, c, eta), (0, 1, 2, 2), strict=True)
                    ),
                ),
            ],
        ),
        Line(
            does="leave the slack out: what is left is no smaller. Write it as value − k‖g‖²",
            parts=("value", "k"),
            reference=_line_4,
            follows=_bounded,
            whole=lambda here, w, A, c, eta: here[0] - here[1] * np.sum((A @ w - c) ** 2),
            mistakes=[
                Mistake(
                    "Both terms of k have a plus. The slope takes off, the bound puts on: one of them needs a minus.",
                    _with_factor(lambda eta, M: eta + M * eta**2 / 2),
                ),
                Mistake(
                    "k has the wrong sign: k‖g‖² is subtracted.",
                    _with_factor(lambda eta, M: M * eta**2 / 2 - eta),
                ),
                Mistake(
                    "One η is missing in both terms of k: everything that multiplies ‖g‖² belongs to it.",
                    _with_factor(lambda eta, M: 1 - M * eta / 2),
                ),
                Mistake(
                    "The bound has η² in line 3, and only η here.",
                    _with_factor(lambda eta, M: eta - M * eta / 2),
                ),
                Mistake("The ½ of the bound is lost.", _with_factor(lambda eta, M: eta - M * eta**2)),
                Mistake(
                    "‖g‖² is in k: it stands behind k already.",
                    but(_line_4, 1, lambda w, A, c, eta: _line_4(w, A, c, eta)[1] * np.sum((A @ w - c) ** 2)),
                ),
                Mistake(
                    "‖g‖ is in k, as if the slope and the bound were divided by ‖g‖: they are divided by ‖g‖².",
                    but(_line_4, 1, lambda w, A, c, eta: _line_4(w, A, c, eta)[1] * np.linalg.norm(A @ w - c)),
                ),
                Mistake(
                    "The slack is still in k: line 4 is what is left without it.",
                    but(_line_4, 1, lambda w, A, c, eta: eta - eta**2 * (g := A @ w - c) @ A @ g / (2 * g @ g)),
                ),
                Mistake(
                    "This k is right for η = 1/M only: asked for is that of every η.",
                    _with_factor(lambda eta, M: eta / 2),
                ),
                Mistake(
                    "η = 1/M is put in here: asked for is the k of every η.", _with_factor(lambda eta, M: 1 / (2 * M))
                ),
            ],
        ),
    ],
    cases=_steps,
    forbids=(gd.guaranteed_decrease,),
    alternatives=[
        Alternative(
            _with_g(
                lambda w, A, c, g: (
                    0.5 * np.dot(w, A @ w),
                    -(w @ A @ g + g @ A @ w) / 2,
                    0.5 * np.sum(g[:, None] * A * g),
                    -np.sum(c * w),
                    np.sum(c * g),
                )
            )
        ),
        Alternative(  # Aw = g + c
            _with_g(
                lambda w, A, c, g: (w @ (g + c) / 2, -(g + c) @ g, (g @ A @ g) / 2, -w @ c, g @ c),
            )
        ),
        Alternative(  # in the eigenvectors of A, where every λⱼ is M less something
            lambda w, A, c, eta: (
                (w @ (A @ w) - 2 * c @ w) / 2,
                -np.sum((A @ w - c) ** 2),
                np.linalg.norm(A, 2) * np.linalg.norm(A @ w - c) ** 2 / 2,
                np.sum(((L := np.linalg.eigh(A))[0][-1] - L[0]) * (L[1].T @ (A @ w - c)) ** 2) / 2,
            ),
            part=1,
        ),
        Alternative(
            _with_g(
                lambda w, A, c, g: (
                    w @ (g - c) / 2,
                    -(np.linalg.norm(g) ** 2),
                    np.linalg.eigvalsh(A).max() / 2 * g @ g,
                    g @ (np.linalg.eigvalsh(A).max() * np.eye(len(g)) - A) @ g / 2,
                )
            ),
            part=1,
        ),
        Alternative(
            lambda w, A, c, eta: (w @ (A @ w / 2 - c), eta * (1 - eta * np.linalg.norm(A, 2) / 2)),
            part=2,
        ),
    ],
    hints=(
        Hint(
            "How do I multiply out (w − ηg)ᵀA(w − ηg)?",
            r"$A$ is symmetric, so the two cross terms are equal: $w^\top Aw-2\eta\,w^\top Ag+\eta^2g^\top Ag$. "
            r"The $\frac12$ is still to come.",
        ),
        Hint(
            "What do a₁ and b₁ have in common?",
            r"Both are scalar products with $g$. Add what stands on their other side.",
        ),
        Hint(
            "How large can gᵀAg be?",
            "Notebook 02: the Rayleigh quotient $g^\\top Ag/g^\\top g$ lies between the smallest and the largest "
            "eigenvalue. `np.linalg.eigvalsh(A)` returns the eigenvalues in ascending order.",
        ),
        Hint("What goes into k?", "The slope with its η and the bound with its η², each divided by −‖g‖²."),
    ),
    see="The section *Derive* lists what each line does. Line 4 is the right side of (10.3).",
)

gd_stable_step = Function(
    "gd_stable_step",
    asks="The largest stable step of least squares",
    points=2,
    reference=gd.stable_step,
    cases=lambda rng: [(X,) for X, _ in (*_designs(rng), _data(rng, 4, 5))],
    mistakes=[
        Mistake(
            "This takes XᵀX for the Hessian. The Hessian of ‖Xw − y‖² is 2XᵀX, so M is twice as large.",
            lambda X: 2 / _top(X),
        ),
        Mistake(
            "1/M is the step with the best guarantee. The loss falls in every step up to 2/M.",
            lambda X: 1 / (2 * _top(X)),
        ),
        Mistake(
            "An n has come in: that would be the mean of the squares. The loss here is their sum.",
            lambda X: len(X) / _top(X),
        ),
        Mistake(
            "This uses the trace, the sum of all eigenvalues. It is safe, but a longer step is stable too.",
            lambda X: 1 / np.trace(X.T @ X),
        ),
        Mistake(
            "This uses a singular value of X: the eigenvalues of XᵀX are their squares.",
            lambda X: 1 / np.sqrt(_top(X)),
        ),
    ],
    alternatives=[
        Alternative(lambda X: 1 / np.linalg.norm(X, 2) ** 2),
        Alternative(lambda X: 1 / np.linalg.eigvalsh(X @ X.T)[-1]),
    ],
    hints=(
        Hint("What is M here?", r"The largest eigenvalue of the Hessian of $\lVert Xw-y\rVert^2$ (notebook 02)."),
        Hint(
            "For which η does the lemma promise a decrease?",
            r"For $\eta-\frac12M\eta^2>0$. Where does this parabola in $\eta$ come back to 0?",
        ),
    ),
    see="Equation (10.4): η − ½Mη² is positive up to 2/M, and the Hessian is 2XᵀX.",
)


def _promised(w, X, y, eta):
    return gd.guaranteed_decrease(eta, 2 / gd.stable_step(X), gd.gradient(w, X, y))


def _loss(w, X, y):
    return np.sum((X @ w - y) ** 2)


def _squared(w, X, y):
    return np.sum(gd.gradient(w, X, y) ** 2)


gd_decrease = Function(
    "gd_decrease",
    asks="The guaranteed decrease",
    points=2,
    reference=_promised,
    cases=_starts_and_steps,
    forbids=(gd.guaranteed_decrease,),
    mistakes=[
        Mistake(
            "η‖g‖² is the first order only: it promises more the longer the step. Subtract ½Mη²‖g‖².",
            lambda w, X, y, eta: eta * _squared(w, X, y),
        ),
        Mistake(
            "The squared length of the gradient is asked for: ‖g‖², not ‖g‖.",
            lambda w, X, y, eta: (eta - _top(X) * eta**2) * np.sqrt(_squared(w, X, y)),
        ),
        Mistake(
            "M is the largest eigenvalue of the Hessian 2XᵀX. With XᵀX the promise is too high and can be broken.",
            lambda w, X, y, eta: (eta - _top(X) * eta**2 / 2) * _squared(w, X, y),
        ),
        Mistake(
            "The ½ is missing: the lemma has η − ½Mη².",
            lambda w, X, y, eta: (eta - 2 * _top(X) * eta**2) * _squared(w, X, y),
        ),
        Mistake(
            "The gradient belongs to ½‖Xw − y‖²: that of the loss is 2Xᵀ(Xw − y).",
            lambda w, X, y, eta: (eta - _top(X) * eta**2) * _squared(w, X, y) / 4,
        ),
        Mistake(
            "This is what the step really takes off. The lemma's promise, which knows only η, M and ‖g‖, is asked for.",
            lambda w, X, y, eta: _loss(w, X, y) - _loss(w - eta * gd.gradient(w, X, y), X, y),
        ),
    ],
    alternatives=[
        Alternative(
            lambda w, X, y, eta: (
                4 * eta * (1 - eta * np.linalg.norm(X, 2) ** 2) * np.linalg.norm(X.T @ (X @ w - y)) ** 2
            )
        ),
        Alternative(lambda w, X, y, eta: _squared(w, X, y) * (eta - np.linalg.eigvalsh(2 * X.T @ X)[-1] * eta**2 / 2)),
    ],
    hints=(
        Hint("What do I need?", r"The gradient $g=2X^\top(Xw-y)$ and $M$ from the exercise before."),
        Hint("And then?", r"(10.3): $(\eta-\frac12M\eta^2)\lVert g\rVert^2$."),
    ),
    see="Equation (10.3), with the gradient and the Hessian of ‖Xw − y‖².",
)


# --- many steps at once ---

gd_after = Function(
    "gd_after",
    asks="Many steps in one formula",
    points=2,
    reference=gd.after,
    cases=_diagonals,
    mistakes=[
        Mistake(
            "e^(−ηλt) is the limit of infinitely many infinitely short steps. Steps of length η give (1 − ηλ)ᵗ.",
            lambda w, lams, c, eta, t: c / lams + np.exp(-eta * lams * t) * (w - c / lams),
        ),
        Mistake(
            "1 − tηλ adds up the steps. Each one multiplies the error that the one before has left.",
            lambda w, lams, c, eta, t: c / lams + (1 - t * eta * lams) * (w - c / lams),
        ),
        Mistake(
            "Here w itself shrinks to 0. What shrinks is the error w − w*, with w* = c/λ.",
            lambda w, lams, c, eta, t: (1 - eta * lams) ** t * w,
        ),
        Mistake(
            "This is the error wₜ − w*: add w* to come back to wₜ.",
            lambda w, lams, c, eta, t: (1 - eta * lams) ** t * (w - c / lams),
        ),
        Mistake(
            "|1 − ηλ| has lost its sign: a coordinate that overshoots is on the other side after every odd step.",
            lambda w, lams, c, eta, t: c / lams + np.abs(1 - eta * lams) ** t * (w - c / lams),
        ),
        Mistake(
            "The sign of 1 − ηλ stays for every t here: after an even number of steps the error is on its old side.",
            lambda w, lams, c, eta, t: (
                c / lams + np.sign(1 - eta * lams) * np.abs(1 - eta * lams) ** t * (w - c / lams)
            ),
        ),
        Mistake(
            "The minimum of ½λw² − cw is at c/λ, not at c.",
            lambda w, lams, c, eta, t: c + (1 - eta * lams) ** t * (w - c),
        ),
    ],
    alternatives=[
        Alternative(lambda w, lams, c, eta, t: list(gd.descent(lambda v: lams * v - c, w, eta, t))[-1]),
        Alternative(
            lambda w, lams, c, eta, t: (
                np.linalg.matrix_power(np.diag(1 - eta * lams), t) @ (w - c / lams) + np.linalg.solve(np.diag(lams), c)
            )
        ),
    ],
    hints=(
        Hint("Where do I start?", r"One coordinate, one step: $w^+=w-\eta(\lambda w-c)$. Subtract $w^*=c/\lambda$."),
        Hint(
            "What happens to the error?",
            r"$w^+-w^*=w-w^*-\eta\lambda(w-w^*)=(1-\eta\lambda)(w-w^*)$. And after $t$ steps?",
        ),
    ),
    see="Equation (10.5): every step multiplies each coordinate of the error by 1 − ηλ.",
)


# --- other steps ---


def _offdiagonal(A):
    return A - np.diag(np.diag(A))


def _coordinate_loop(w, A, c):
    w = np.array(w, dtype=float)
    for j in range(len(w)):
        w[j] = (c[j] - A[j, :j] @ w[:j] - A[j, j + 1 :] @ w[j + 1 :]) / A[j, j]
    return w


def _own_not_left_out(w, A, c):
    w = np.array(w, dtype=float)
    for j in range(len(w)):
        w[j] = (c[j] - A[j] @ w) / A[j, j]
    return w


gd_sweep = Function(
    "gd_sweep",
    asks="One sweep of coordinate descent",
    points=2,
    reference=gd.sweep,
    cases=_quadratics,
    forbids=(gd.coordinate_descent,),
    mistakes=[
        Mistake(
            "Every coordinate was computed from the old ones. Use those that this sweep has already renewed.",
            lambda w, A, c: (c - _offdiagonal(A) @ w) / np.diag(A),
        ),
        Mistake(
            "The other coordinates do not come in: they are held fixed, not at zero.",
            lambda w, A, c: c / np.diag(A),
        ),
        Mistake(
            "The division by Aⱼⱼ is missing: it is the curvature along coordinate j.",
            lambda w, A, c: np.linalg.solve(np.tril(A, -1) + np.eye(len(c)), c - np.triu(A, 1) @ w),
        ),
        Mistake(
            "Aⱼw contains Aⱼⱼwⱼ too. Leave it out of the sum, or add the quotient to wⱼ instead of replacing wⱼ by it.",
            _own_not_left_out,
        ),
        Mistake(
            "This sweep runs from the last coordinate to the first. It converges too; the first one first is asked.",
            lambda w, A, c: np.linalg.solve(np.triu(A), c - np.tril(A, -1) @ w),
        ),
        Mistake(
            "This is the sweep from w = 0: the coordinates that are not yet renewed have to come in.",
            lambda w, A, c: np.linalg.solve(np.tril(A), c),
        ),
    ],
    alternatives=[
        Alternative(_coordinate_loop),
        Alternative(lambda w, A, c: w - np.linalg.solve(np.tril(A), A @ w - c)),
    ],
    hints=(
        Hint(
            "What is the best wⱼ for fixed others?",
            r"$\partial f/\partial w_j=\sum_kA_{jk}w_k-c_j=0$, solved for $w_j$ alone.",
        ),
        Hint(
            "How do I write the loop?",
            "Copy `w`. For `j` from 0 to d − 1, `w[j] += (c[j] - A[j] @ w) / A[j, j]`: "
            "the other coordinates are then already new where they can be.",
        ),
    ),
    see="Equation (10.8), for j = 1, …, d in turn.",
)


def _newton_point(w, X, y):
    return w - np.linalg.solve(gd.hessian(X), gd.gradient(w, X, y))


def _newton_like(step):
    """w plus a step made of the gradient g and of XᵀX."""
    return lambda w, X, y: w + step(gd.gradient(w, X, y), X.T @ X)


gd_newton_step = Function(
    "gd_newton_step",
    asks="One step of Newton's method",
    points=2,
    reference=_newton_point,
    cases=_starts,
    forbids=(gd.newton,),
    mistakes=[
        Mistake(
            "The sign is reversed: Newton's step goes against the gradient, δ = −H⁻¹g.",
            _newton_like(lambda g, G: np.linalg.solve(2 * G, g)),
        ),
        Mistake(
            "H was multiplied with the gradient. The system Hδ = −g has to be solved.",
            _newton_like(lambda g, G: -2 * G @ g),
        ),
        Mistake(
            "XᵀX is half of the Hessian: the step is twice too long and lands on the mirror image of the start.",
            _newton_like(lambda g, G: -np.linalg.solve(G, g)),
        ),
        Mistake(
            "Half of the gradient with the whole Hessian: the step stops half-way. Both must belong to ‖Xw − y‖².",
            _newton_like(lambda g, G: -np.linalg.solve(4 * G, g)),
        ),
        Mistake(
            "This is the step δ alone: the point w + δ is asked for.",
            lambda w, X, y: -np.linalg.solve(X.T @ X, X.T @ (X @ w - y)),
        ),
        Mistake(
            "This divides by the diagonal of H only, as if the coordinates did not see each other.",
            _newton_like(lambda g, G: -g / (2 * np.diag(G))),
        ),
    ],
    alternatives=[
        Alternative(lambda w, X, y: np.linalg.lstsq(X, y, rcond=None)[0]),
        Alternative(lambda w, X, y: w - np.linalg.inv(X.T @ X) @ (X.T @ (X @ w - y))),
    ],
    hints=(
        Hint(
            "Where does the parabola that fits f at w have its minimum?",
            r"$f(w)+g^\top\delta+\frac12\delta^\top H\delta$ has the gradient $g+H\delta$ in $\delta$. Set it to zero.",
        ),
        Hint("What are g and H here?", r"$g=2X^\top(Xw-y)$ and $H=2X^\top X$. `np.linalg.solve(H, g)` is $H^{-1}g$."),
    ),
    see="Equation (10.10), with the gradient and the Hessian of ‖Xw − y‖².",
)


def _newton_sqrt(a, x, T):
    return list(gd.newton_root(lambda v: v**2 - a, lambda v: 2 * v, x, T))[-1]


def _walk(step):
    """T steps x ← step(a, x)."""

    def walked(a, x, T):
        for _ in range(T):
            x = step(a, x)
        return x

    return walked


def _mean(a, x):
    """Newton's step for x² = a, as the Babylonians took it."""
    return (x + a / x) / 2


gd_newton_sqrt = Function(
    "gd_newton_sqrt",
    asks="A root by Newton's method",
    points=1,
    reference=_newton_sqrt,
    cases=_roots,
    forbids=(gd.newton_root,),
    mistakes=[
        Mistake(
            "The sign is reversed: the tangent meets zero at x − f(x)/f′(x).",
            _walk(lambda a, x: x + (x**2 - a) / (2 * x)),
        ),
        Mistake(
            "The derivative of x² − a is 2x: with x alone you get a/x, and then x again, for ever.",
            _walk(lambda a, x: a / x),
        ),
        Mistake(
            "This minimises x² − a and lands on 0. A root is asked for: divide f by f′, not f′ by f″.",
            _walk(lambda a, x: 0.0),
        ),
        Mistake(
            "f(x) was multiplied by the slope: the tangent's zero is f(x)/f′(x) away.",
            _walk(lambda a, x: x - (x**2 - a) * 2 * x),
        ),
        Mistake("This is one step too many: T = 1 is the first step.", lambda a, x, T: _walk(_mean)(a, x, T + 1)),
        Mistake("This is one step too few: T = 1 is the first step.", lambda a, x, T: _walk(_mean)(a, x, T - 1)),
    ],
    alternatives=[
        Alternative(_walk(_mean)),
        Alternative(_walk(lambda a, x: x / 2 + a / (2 * x))),
    ],
    hints=(
        Hint("Which function has the root √a?", "$f(x)=x^2-a$, with $f'(x)=2x$."),
        Hint("Where does the tangent meet zero?", "$f(x)+f'(x)\\,h=0$ gives $h=-f(x)/f'(x)$, and $x^+=x+h$."),
    ),
    see="Equation (10.11), for f(x) = x² − a.",
)


# --- where it fails ---

_CONVERGES = "From this start the descent converges. The step ηw³ must be longer than twice the way to 0."
_EDGE = "This is the edge: the descent jumps between w and −w for ever. To run away it has to start further out."

runaway_start = Property(
    "runaway_start",
    asks="A start from which the descent runs away",
    points=1,
    laws=[
        Law("A single number is asked for: one start.", lambda w: w.ndim == 0),
        Law(_EDGE, lambda w: abs(w) != np.sqrt(20)),
        Law(_CONVERGES, lambda w: Fraction(float(w)) ** 2 > 20),  # w² > 2/η, without rounding
    ],
    mistakes=[
        Mistake(_CONVERGES, 1.0),
        Mistake(_CONVERGES, -4.0),
        Mistake(_EDGE, np.sqrt(20)),
        Mistake(_EDGE, -np.sqrt(20)),
        Mistake(
            "At 3w² = 2/η the lemma's guarantee ends. It is sufficient, not necessary: the descent still converges.",
            np.sqrt(20 / 3),
        ),
        Mistake("A single number is asked for: one start.", [5.0, 6.0]),
    ],
    alternatives=[Alternative(4.5), Alternative(-10), Alternative(1e3), Alternative(4.472136)],
    hints=(
        Hint("What does one step do?", r"$w^+=w-\eta w^3=(1-\eta w^2)\,w$. When is $\lvert w^+\rvert>\lvert w\rvert$?"),
        Hint("And then?", r"If $1-\eta w^2<-1$ the next $w$ is further out, and the factor is even worse there."),
    ),
    see="The section *Break it*: the factor 1 − ηw² of a step is below −1 for w² > 2/η.",
)

# --- a printed formula, wrong in one place ---


def _printed_factor(X, eta):
    return gd.contraction(X.T @ X, eta)


def _factor(X, eta):
    return gd.contraction(gd.hessian(X), eta)


def _factors(X, eta):
    return 1 - 2 * eta * np.linalg.eigvalsh(X.T @ X)


descent_factor = Slip(
    "descent_factor",
    asks="The factor of a step",
    points=2,
    printed=_printed_factor,
    reference=_factor,
    cases=_slow_and_fast,
    forbids=(gd.contraction,),
    admits=lambda X, eta: (
        np.ndim(X) == 2
        and np.ndim(eta) == 0
        and eta > 0
        and _printed_factor(X, eta) < 1 - 1e-12
        and _factor(X, eta) > 1
    ),
    domain="X of shape (n, d) and a step η > 0 at which the printed ρ is below 1 − 10⁻¹² and the descent diverges",
    mistakes=[
        Mistake(
            "This is still the printed formula. Differentiate ‖Xw − y‖² twice.",
            lambda X, eta: np.max(np.abs(1 - eta * np.linalg.eigvalsh(X.T @ X))),
        ),
        Mistake(
            "Without the absolute value an overshoot counts as progress: a factor of −3 triples the error.",
            lambda X, eta: np.max(_factors(X, eta)),
        ),
        Mistake(
            "This looks only at the steepest direction. With a short step the flattest one is the slowest.",
            lambda X, eta: np.abs(_factors(X, eta)[-1]),
        ),
        Mistake(
            "This is the factor of the best direction: the error is as large as its worst one.",
            lambda X, eta: np.min(np.abs(_factors(X, eta))),
        ),
        Mistake(
            "The 2 went to the wrong side: the Hessian is 2XᵀX, not ½XᵀX.",
            lambda X, eta: np.max(np.abs(1 - eta * np.linalg.eigvalsh(X.T @ X) / 2)),
        ),
    ],
    alternatives=[
        Alternative(lambda X, eta: np.linalg.norm(np.eye(X.shape[1]) - 2 * eta * X.T @ X, 2)),
        Alternative(lambda X, eta: max(1 - 2 * eta * (s := np.linalg.eigvalsh(X.T @ X))[0], 2 * eta * s[-1] - 1)),
        Alternative(([[1.0]], 1.2), part=1),
        Alternative(([[1.0, 0.0], [0.0, 2.0]], 0.4), part=1),
    ],
    hints=(
        Hint(
            "What is the error's factor along an eigenvector?",
            r"(10.5): $1-\eta\lambda$, with $\lambda$ of the Hessian.",
        ),
        Hint(
            "What is the smallest counter-example?",
            "One point, one feature: $X=(1)$, the loss $(w-y)^2$ has the second derivative 2. "
            "Take a step between $1$ and $2$.",
        ),
    ),
    see="Equation (10.6), with A = 2XᵀX, the Hessian of ‖Xw − y‖².",
)

small_step = Explanation(
    "small_step",
    asks="Small, and converged?",
    points=3,
    rubric=(
        "1 point: small means small against 2/M; with the raw features M is about 1.8 million, so 2/M is about 1.1e-6 "
        "and 1e-5 lies beyond it: the steepest direction is multiplied by 1 − ηM = −17 in every step. 1 point: along a "
        "flat direction the factor is 1 − ηλmin with κ = 76 000, so the loss hardly moves although the error there is "
        "still large; a small change of the loss is no sign of the minimum. 1 point: a remedy with its reason: "
        "standardise (κ falls to 470), or coordinate descent or Newton, which do not depend on the units; "
        "or a test that means something, such as the norm of the gradient against λmin or the comparison with lstsq."
    ),
)

topic = Topic(
    number=10,
    slug="gradient_descent",
    title="Gradient descent",
    question="How long may a step downhill be?",
    part="Optimisation",
    minutes=75,
    before={
        "matrix_calculus": "gradients, Hessians and the Rayleigh quotient",
        "convexity": "convex functions",
    },
    exercises=[
        gd_best_step,
        descent_lemma,
        gd_stable_step,
        gd_decrease,
        gd_after,
        gd_sweep,
        gd_newton_step,
        gd_newton_sqrt,
        runaway_start,
        descent_factor,
        small_step,
    ],
)
check = Checks(topic)
