"""The exercises of 06 lasso."""

import itertools

import numpy as np

from mlcore import lasso
from mlcore.engine.exercises import (
    SAME_THERE,
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
    exactly,
)

# --- data to be tried on: a small one to look at, then tall and wide, with columns of unequal length ---


def _data(rng, n, d):
    X = (rng.normal(size=(n, d)) + rng.normal(size=d)) * rng.uniform(0.6, 2, size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n) + 3


def _small(rng):
    """Three points with whole numbers, columns of unequal length."""
    X = np.column_stack([rng.integers(1, 3, size=3), rng.integers(3, 6, size=3)]) * rng.choice([-1.0, 1.0], size=2)
    return X, rng.integers(4, 9, size=3).astype(float)


def _problems(rng):
    """The largest |xⱼᵀy| belongs to a negative one in every other problem; the last y has both signs."""
    problems = [_small(rng), _data(rng, 12, 4), _data(rng, 5, 8), _data(rng, 20, 3)]
    problems[-1][1][:] -= np.mean(problems[-1][1])
    turned = []
    for i, (X, y) in enumerate(problems):
        c = X.T @ y
        wanted = 1 if i % 2 else -1
        turned.append((X, y * wanted * np.sign(c[np.argmax(np.abs(c))])))
    return turned


def _sweeps(rng):
    """A penalty that removes some weights and leaves some, from a start that is no solution."""
    return [
        (rng.uniform(-2, 2, size=X.shape[1]), X, y, rng.uniform(0.05, 0.3) * lasso.lambda_max(X, y))
        for X, y in _problems(rng)
    ]


def _one_weights(rng):
    """v far enough from 0 to have a derivative, of both signs."""
    cases = []
    for i, n in enumerate((2, 5, 8, 6)):
        x, r = rng.integers(1, 5, size=n) * 1.0, rng.integers(-6, 7, size=n) * 1.0
        x[0], r[:2] = -x[0], (3.0, -rng.integers(1, 7))
        cases.append(((-1) ** i * rng.uniform(0.5, 2), x, r, rng.uniform(1, 4)))
    return cases


def _around_zero(rng):
    """Some z inside the threshold, some outside, of both signs."""
    cases = []
    for n, lam in ((1, rng.uniform(0.5, 1)), (1, rng.uniform(1, 3)), (4, rng.uniform(10, 20))):
        inside, between, outside = (rng.uniform(low, high, size=n) for low, high in ((0.1, 0.4), (0.6, 0.9), (1.2, 4)))
        cases.append((lam * np.concatenate([inside, -inside, between, -between, outside, -outside]), lam))
    return cases


# --- one weight: from the objective to its slope ---


def _line_1(v, x, r, lam):
    return (r - x * v) @ (r - x * v) + lam * np.abs(v)


def _line_2(v, x, r, lam):
    return v**2 * (x @ x), -2 * v * (x @ r), r @ r


def _line_3(v, x, r, lam):
    return x @ x, x @ r - np.sign(v) * lam / 2, r @ r


def _line_4(v, x, r, lam):
    return 2 * x @ x, 2 * x @ r - np.sign(v) * lam


def _line_5(v, x, r, lam):
    return 2 * x @ x, (x @ r - np.sign(v) * lam / 2) / (x @ x)


def _sorted(before, v, x, r, lam):
    quadratic, linear, constant = before
    return quadratic / v**2, -(linear + lam * np.abs(v)) / (2 * v), constant


def _sorted_without_a_square(before, v, x, r, lam):
    """Line 3 from a line 2 whose first term is linear in v, too."""
    quadratic, linear, constant = before
    return 0.0, -(quadratic + linear + lam * np.abs(v)) / (2 * v), constant


one_coordinate = Chain(
    "one_coordinate",
    asks="One weight, the others held",
    first=_line_1,
    lines=[
        Line(
            does="multiply out the square: quadratic in v, linear in v, free of v; λ|v| stays as it is, and is none of "
            "the three",
            parts=("quadratic", "linear", "constant"),
            reference=_line_2,
            whole=lambda here, v, x, r, lam: sum(here),
            mistakes=[
                Mistake(
                    "The cross term comes only once: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda v, x, r, lam: -v * (x @ r)),
                ),
                Mistake(
                    "The cross term has a plus: (a − b)² = a² − 2ab + b².",
                    but(_line_2, 1, lambda v, x, r, lam: 2 * v * (x @ r)),
                ),
                Mistake(
                    "The last square is (xv)ᵀ(xv): v comes in twice.",
                    but(_line_2, 0, lambda v, x, r, lam: v * (x @ x)),
                ),
                Mistake(
                    "λ|v| was put to the linear term. It is linear on each side of 0 only, and waits for line 3.",
                    but(_line_2, 1, lambda v, x, r, lam: -2 * v * (x @ r) + lam * abs(v)),
                ),
                Mistake(
                    "The three are in the opposite order: what is quadratic in v comes first.",
                    lambda v, x, r, lam: _line_2(v, x, r, lam)[::-1],
                ),
                Mistake(
                    "These are the coefficients of v² and of v: v is still to be multiplied in.",
                    lambda v, x, r, lam: (x @ x, -2 * (x @ r), r @ r),
                ),
                Mistake(
                    "The entries of x were added and then squared: xᵀx is a sum of squares.",
                    but(_line_2, 0, lambda v, x, r, lam: v**2 * np.sum(x) ** 2),
                ),
                Mistake(
                    "The constant is gone: rᵀr is free of v, and drops out only when you differentiate.",
                    but(_line_2, 2, lambda v, x, r, lam: 0.0),
                ),
                Mistake(
                    "The cross term is missing: the square of a difference is not the difference of squares.",
                    but(_line_2, 1, lambda v, x, r, lam: 0.0),
                ),
            ],
        ),
        Line(
            does="write |v| as sv with s = sign v, and sort everything: av² − 2bv + constant, where b holds s, and "
            "none of the three holds v itself",
            parts=("a", "b", "constant"),
            reference=_line_3,
            follows=[_sorted, _sorted_without_a_square],
            whole=lambda here, v, x, r, lam: here[0] * v**2 - 2 * here[1] * v + here[2],
            mistakes=[
                Mistake(
                    "Under the common factor −2v the penalty must leave half of λ behind: b holds too much of it.",
                    but(_line_3, 1, lambda v, x, r, lam: x @ r - np.sign(v) * lam),
                ),
                Mistake(
                    "The sign of the penalty in b is reversed: multiply −2bv out, and −λ|v| comes back.",
                    but(_line_3, 1, lambda v, x, r, lam: x @ r + np.sign(v) * lam / 2),
                ),
                Mistake(
                    "Without s = sign v this holds for positive v only.",
                    but(_line_3, 1, lambda v, x, r, lam: x @ r - lam / 2),
                ),
                Mistake(
                    "The penalty is gone: λ|v| is linear in v as soon as s is written for the sign.",
                    but(_line_3, 1, lambda v, x, r, lam: x @ r),
                ),
                Mistake(
                    "|v| has become v²: this is the penalty of ridge.",
                    lambda v, x, r, lam: (x @ x + lam, x @ r, r @ r),
                ),
                Mistake(
                    "The constant is gone: it drops out in the next line, when you differentiate, not before.",
                    but(_line_3, 2, lambda v, x, r, lam: 0.0),
                ),
                Mistake(
                    "The −2 stands in the formula already, in −2bv: it is not in b once more.",
                    but(_line_3, 1, lambda v, x, r, lam: -2 * x @ r + np.sign(v) * lam),
                ),
                Mistake(
                    "v² is still in a: it stands beside a in the formula already.",
                    but(_line_3, 0, lambda v, x, r, lam: v**2 * (x @ x)),
                ),
                Mistake(
                    "s is the sign of v. The sign of xᵀr is another one.",
                    but(_line_3, 1, lambda v, x, r, lam: x @ r - np.sign(x @ r) * lam / 2),
                ),
                Mistake(
                    "|v| is still in b. It is sv, and its v stands beside b in the formula already.",
                    but(_line_3, 1, lambda v, x, r, lam: x @ r - np.abs(v) * lam / 2),
                ),
            ],
        ),
        Line(
            does="differentiate with respect to v, for v ≠ 0, a, b and s being constants: hv − g, where h and g hold v "
            "by its sign at most",
            parts=("h", "g"),
            reference=_line_4,
            whole=lambda here, v, x, r, lam: here[0] * v - here[1],
            follows=lambda before, v, x, r, lam: (2 * before[0], 2 * before[1]),
            mistakes=[
                Mistake(
                    "Both are half of what they should be: the derivative of v² is 2v, and the 2 of −2bv stays.",
                    lambda v, x, r, lam: (x @ x, x @ r - np.sign(v) * lam / 2),
                ),
                Mistake(
                    "The square lost its 2: the derivative of av² is 2av.",
                    but(_line_4, 0, lambda v, x, r, lam: x @ x),
                ),
                Mistake(
                    "g lost its 2: the derivative of −2bv is −2b.",
                    but(_line_4, 1, lambda v, x, r, lam: x @ r - np.sign(v) * lam / 2),
                ),
                Mistake(
                    "The derivative of |v| is 1 only on the right of 0. On the left it is −1: sign v.",
                    but(_line_4, 1, lambda v, x, r, lam: 2 * x @ r - lam),
                ),
                Mistake(
                    "g has the wrong sign: the derivative is hv minus g.",
                    but(_line_4, 1, lambda v, x, r, lam: np.sign(v) * lam - 2 * x @ r),
                ),
                Mistake(
                    "v is still in h: it stands beside h in the formula already.",
                    but(_line_4, 0, lambda v, x, r, lam: 2 * x @ x * v),
                ),
                Mistake(
                    "All of the derivative is in g. What multiplies v in it is h.",
                    lambda v, x, r, lam: (0.0, 2 * x @ (r - x * v) - np.sign(v) * lam),
                ),
                Mistake(
                    "g holds |v|, and v may stand in it by its sign only. a and b are constants: they are not "
                    "differentiated.",
                    but(_line_4, 1, lambda v, x, r, lam: 2 * x @ r - 2 * np.abs(v) * lam),
                ),
            ],
        ),
        Line(
            does="take h out: h(v − m), a distance from a point that depends on the sign of v",
            parts=("h", "m"),
            reference=_line_5,
            follows=lambda before, v, x, r, lam: (before[0], before[1] / before[0]),
            whole=lambda here, v, x, r, lam: here[0] * (v - here[1]),
            mistakes=[
                Mistake(
                    "The penalty was not divided: h is taken out of every term.",
                    but(_line_5, 1, lambda v, x, r, lam: x @ r / (x @ x) - np.sign(v) * lam / 2),
                ),
                Mistake(
                    "The 2 of h was taken out of the first term only: the penalty has to be halved too.",
                    but(_line_5, 1, lambda v, x, r, lam: (x @ r - np.sign(v) * lam) / (x @ x)),
                ),
                Mistake(
                    "m is twice too large: h has a 2, and it is taken out of g too.",
                    but(_line_5, 1, lambda v, x, r, lam: (2 * x @ r - np.sign(v) * lam) / (x @ x)),
                ),
                Mistake(
                    "m has the wrong sign: h(v − m) is hv minus hm.",
                    but(_line_5, 1, lambda v, x, r, lam: (np.sign(v) * lam / 2 - x @ r) / (x @ x)),
                ),
                Mistake(
                    "This is g: h(v − m) is hv − hm, so h is still to be taken out of it.",
                    but(_line_5, 1, lambda v, x, r, lam: 2 * x @ r - np.sign(v) * lam),
                ),
                Mistake(
                    "The sign of xᵀr stands where the sign of v belongs: line 4 is the slope at any v.",
                    but(_line_5, 1, lambda v, x, r, lam: (x @ r - np.sign(x @ r) * lam / 2) / (x @ x)),
                ),
            ],
        ),
    ],
    cases=_one_weights,
    forbids=(lasso.objective, lasso.slope),
    alternatives=[
        Alternative(lambda v, x, r, lam: (np.sum((x * v) ** 2), -2 * r @ (x * v), np.linalg.norm(r) ** 2), part=0),
        Alternative(
            lambda v, x, r, lam: (
                v * v * np.dot(x, x),
                -np.sum(r * (x * v)) - np.sum((x * v) * r),
                sum(r_i**2 for r_i in r),
            ),
            part=0,
        ),
        Alternative(lambda v, x, r, lam: (np.sum(x**2), np.sum(x * r) - lam * v / (2 * abs(v)), np.sum(r**2)), part=1),
        Alternative(lambda v, x, r, lam: (x @ x, x @ r - lam / 2 if v > 0 else x @ r + lam / 2, r @ r), part=1),
        Alternative(lambda v, x, r, lam: (2 * np.sum(x**2), 2 * x @ r - lam * v / abs(v)), part=2),
        Alternative(lambda v, x, r, lam: (x @ (2 * x), -(np.where(v > 0, lam, -lam) - 2 * np.dot(x, r))), part=2),
        Alternative(
            lambda v, x, r, lam: (
                2 * np.linalg.norm(x) ** 2,
                x @ r / (x @ x) - lam / (2 * x @ x) * (1 if v > 0 else -1),
            ),
            part=3,
        ),
        Alternative(  # the line through the column, and the threshold after it
            lambda v, x, r, lam: (
                2 * np.sum(x**2),
                np.linalg.lstsq(x[:, None], r, rcond=None)[0][0] - np.sign(v) * lam / np.sum(2 * x**2),
            ),
            part=3,
        ),
    ],
    hints=(
        Hint(
            "How do I multiply out a squared norm?",
            r"$\lVert a-b\rVert^2=a^\top a-2a^\top b+b^\top b$ with $a=r$ and $b=xv$. The number $v$ comes out of "
            r"every product.",
        ),
        Hint(
            "How does |v| get under −2v?",
            r"$\lambda|v|=\lambda sv$, and $\lambda sv=-2v\cdot(\dots)$. What stands in the bracket?",
        ),
        Hint(
            "How do I differentiate |v|?",
            "As long as $v$ stays on one side of 0, $s$ is a constant: `np.sign(v)`.",
        ),
    ),
    see="The section *Derive* lists what each line does. Line 4 is equation (6.2), sorted by v.",
)


def _one_weight(z, lam):
    return lasso.soft_threshold(z, lam / 2)


lasso_one_weight = Function(
    "lasso_one_weight",
    asks="The best single weight",
    points=2,
    reference=_one_weight,
    cases=_around_zero,
    forbids=(lasso.soft_threshold,),
    mistakes=[
        Mistake(
            "The threshold is λ here. The squared loss is not halved: its slope is 2(v − z), so λ/2 is enough.",
            lambda z, lam: np.sign(z) * np.maximum(np.abs(z) - lam, 0),
        ),
        Mistake(
            "The survivors must be shrunk as well. Keeping them whole is what a price for each weight ≠ 0 would do, "
            "whatever its size.",
            lambda z, lam: np.where(np.abs(z) > lam / 2, z, 0.0),
        ),
        Mistake(
            "This is the answer of ridge: it shrinks everything by one factor and never gives an exact 0.",
            lambda z, lam: z / (1 + lam),
        ),
        Mistake(
            "The sign is lost: for a negative z the best v is negative too.",
            lambda z, lam: np.maximum(np.abs(z) - lam / 2, 0),
        ),
        Mistake(
            "Some weights have gone through 0 to the other side. There the slope points back: stop at 0.",
            lambda z, lam: z - np.sign(z) * lam / 2,
        ),
        Mistake(
            "This is the answer for the penalty λv without the absolute value: it drives every weight down, "
            "also those that are below 0 already.",
            lambda z, lam: z - lam / 2,
        ),
        Mistake(
            "Negative z are cut off: the case v < 0 is still to be done.",
            lambda z, lam: np.maximum(z - lam / 2, 0),
        ),
    ],
    alternatives=[
        Alternative(lambda z, lam: z - np.clip(z, -lam / 2, lam / 2)),
        Alternative(lambda z, lam: np.maximum(z - lam / 2, 0) - np.maximum(-z - lam / 2, 0)),
        Alternative(lambda z, lam: np.where(z > lam / 2, z - lam / 2, np.where(z < -lam / 2, z + lam / 2, 0.0))),
    ],
    hints=(
        Hint(
            "Where do I start?",
            r"(6.2) with $x^\top x=1$ and $x^\top r=z$ is $2(v-z)+\lambda\,\mathrm{sign}\,v$. Suppose $v>0$ and "
            "set it to zero. For which $z$ is the $v$ that you find positive?",
        ),
        Hint(
            "And if neither sign works?",
            "Then the slope is negative on the left of 0 and positive on the right. Where is the minimum?",
        ),
        Hint("How do I do this for a whole array?", "`np.where`, or `np.sign` together with `np.maximum(…, 0)`."),
    ),
    see="Equation (6.3): the cases v > 0, v < 0 and neither.",
)


# --- many weights, one at a time ---


def _swept(w, X, y, lam, step):
    """A sweep with another step: `step(j, w, x, z)` gives the new weight, z = xⱼᵀ(y − Σ_{k≠j} xₖwₖ)."""
    w = w.copy()
    for j, x in enumerate(X.T):
        w[j] = step(j, w, x, x @ (y - X @ w + x * w[j]))
    return w


lasso_sweep = Function(
    "lasso_sweep",
    asks="One sweep over all weights",
    points=2,
    reference=lasso.sweep,
    cases=_sweeps,
    forbids=(lasso.coordinate_descent, lasso.fit, lasso.path),
    mistakes=[
        Mistake(
            "The residual still has xⱼwⱼ taken off: put it back before you choose the new wⱼ.",
            lambda w, X, y, lam: _swept(w, X, y, lam, lambda j, w, x, z: _one_weight(z - x @ x * w[j], lam) / (x @ x)),
        ),
        Mistake(
            "Each weight is fitted to y alone, as if the others were 0: keep the other features in the residual.",
            lambda w, X, y, lam: _one_weight(X.T @ y, lam) / np.sum(X**2, axis=0),
        ),
        Mistake(
            "The threshold is λ here: for the sum of squares it is λ/2.",
            lambda w, X, y, lam: _swept(w, X, y, lam, lambda j, w, x, z: _one_weight(z, 2 * lam) / (x @ x)),
        ),
        Mistake(
            "The division by ‖xⱼ‖² is missing: it can be left out only for columns of length 1.",
            lambda w, X, y, lam: _swept(w, X, y, lam, lambda j, w, x, z: _one_weight(z, lam)),
        ),
        Mistake(
            "The division by ‖xⱼ‖² comes before the threshold: λ/2 has to be divided too.",
            lambda w, X, y, lam: _swept(w, X, y, lam, lambda j, w, x, z: _one_weight(z / (x @ x), lam)),
        ),
        Mistake(
            "All weights were computed from the old w. Each step has to see what the steps before it in this sweep "
            "have changed, or J may rise.",
            lambda w, X, y, lam: _one_weight(X.T @ (y - X @ w) + np.sum(X**2, axis=0) * w, lam) / np.sum(X**2, axis=0),
        ),
        Mistake(
            "This is a sweep for ridge: wⱼ = xⱼᵀr/(‖xⱼ‖² + λ) never becomes 0.",
            lambda w, X, y, lam: _swept(w, X, y, lam, lambda j, w, x, z: z / (x @ x + lam)),
        ),
    ],
    alternatives=[
        Alternative(lambda w, X, y, lam: _sweep_by_gram(w, X, y, lam)),
        Alternative(lambda w, X, y, lam: _swept(w, X, y, lam, lambda j, w, x, z: _one_weight(z, lam) / (x @ x))),
    ],
    hints=(
        Hint(
            "What are x and r now?",
            r"$x$ is the column $x_j$, and $r=y-\sum_{k\neq j}x_kw_k$ is what the other weights leave of $y$: "
            "`y - X @ w + X[:, j] * w[j]`.",
        ),
        Hint(
            "My columns do not have length 1.",
            r"Divide $f(v)$ by $\lVert x\rVert^2$: it is $(v-z)^2+\frac{\lambda}{\lVert x\rVert^2}|v|$ plus a "
            r"constant, with $z=x^\top r/\lVert x\rVert^2$.",
        ),
        Hint("Which w do I use for the next weight?", "The one that you have just changed: work on one copy of `w`."),
    ),
    see="Equation (6.4): line 5 of exercise 6a set to zero, for one column after the other.",
)


def _sweep_by_gram(w, X, y, lam):
    """The same from XᵀX and Xᵀy alone."""
    G, c, w = X.T @ X, X.T @ y, w.copy()
    for j in range(len(w)):
        z = c[j] - G[j] @ w + G[j, j] * w[j]
        w[j] = (z - np.clip(z, -lam / 2, lam / 2)) / G[j, j]
    return w


lasso_lambda_max = Function(
    "lasso_lambda_max",
    asks="Where the last weight goes",
    points=1,
    reference=lasso.lambda_max,
    cases=_problems,
    mistakes=[
        Mistake(
            "At this λ some weight is still alive: the slope of the squared loss has a factor 2.",
            lambda X, y: np.max(np.abs(X.T @ y)),
        ),
        Mistake("Divided by n: the loss is a sum here, so no n.", lambda X, y: 2 * np.max(np.abs(X.T @ y)) / len(y)),
        Mistake(
            "The largest xⱼᵀy, not the largest |xⱼᵀy|: a weight can also enter with a minus.",
            lambda X, y: 2 * np.max(X.T @ y),
        ),
        Mistake(
            "2‖Xᵀy‖ is too large: each weight has its own condition, and the strictest one counts, not their sum.",
            lambda X, y: 2 * np.linalg.norm(X.T @ y),
        ),
        Mistake(
            "With the smallest |xⱼᵀy| only one column meets its condition; all of them have to.",
            lambda X, y: 2 * np.min(np.abs(X.T @ y)),
        ),
        Mistake(
            "No division by ‖xⱼ‖²: whether S(z, λ/2) is 0 depends on z alone.",
            lambda X, y: 2 * np.max(np.abs(X.T @ y) / np.sum(X**2, axis=0)),
        ),
    ],
    alternatives=[
        Alternative(lambda X, y: np.linalg.norm(2 * y @ X, ord=np.inf)),
        Alternative(lambda X, y: max(2 * abs(x @ y) for x in X.T)),
    ],
    hints=(
        Hint("Where do I start?", "Put $w=0$ into (6.4). What is $r$, and when does no step move anything?"),
        Hint("How many conditions are there?", r"One for each column: $|x_j^\top y|\le\lambda/2$."),
    ),
    see="Equation (6.6): (6.5) at ŵ = 0.",
)


# --- an argument for sparsity, as printed ---


def _prefers(a, b):
    cost_a, cost_b = np.sum(np.abs(a)), np.sum(np.abs(b))
    return np.sign(cost_b - cost_a) * (not _same(cost_a, cost_b, cost_a + cost_b))


def _same(u, v, size):
    """But for rounding in sums of numbers of this size."""
    return abs(u - v) <= 1e-12 * size


def _sparser(a, b):
    return float(np.sign(np.count_nonzero(b) - np.count_nonzero(a)))


def _equal_sums(rng):
    """Pairs with one sum: equal costs, a sparse one that is cheaper, a sparse one that is dearer, both with a minus.

    Whole numbers: a tie is a tie in every order of summation.
    """
    one, spread, swinging = [4, 0, 0, 0], [1, 1, 1, 1], [6, -2, 2, -2]
    near, far = [8, -4, 0, 0], [10, -6, 0, 0]
    pairs = [([2, 0], [1, 1]), (spread, one), (one, swinging), (near, spread), (near, far), (far, near)]
    scales = rng.integers(1, 5, size=len(pairs))
    return [(c * rng.permutation(a), c * rng.permutation(b)) for c, (a, b) in zip(scales, pairs, strict=True)]


sparse_argument = Slip(
    "sparse_argument",
    asks="Why the lasso is sparse, as printed",
    points=2,
    printed=_sparser,
    reference=_prefers,
    compare=exactly,
    cases=_equal_sums,
    admits=lambda a, b: (
        a.ndim == b.ndim == 1 and a.shape == b.shape and _same(a.sum(), b.sum(), abs(a).sum() + abs(b).sum())
    ),
    domain="two vectors of the same length and with the same sum, so that both fit equally well",
    mistakes=[
        Mistake(
            "This is still the printed claim, that fewer weights are always cheaper: it counts weights, "
            "and ‖·‖₁ adds their sizes.",
            _sparser,
        ),
        Mistake(
            "These are the squares of ridge. They do decide between the two, for the spread one.",
            lambda a, b: np.sign(b @ b - a @ a),
        ),
        Mistake(
            "Σw without absolute values is the same for any two that fit equally well: "
            "some notes print it for the penalty, and it prefers nothing.",
            lambda a, b: np.sign(b.sum() - a.sum()),
        ),
        Mistake(
            "The sign is reversed: +1 is asked for where a is the cheaper one.",
            lambda a, b: np.sign(np.sum(np.abs(a)) - np.sum(np.abs(b))),
        ),
        Mistake(SAME_THERE, ([1.0, 0.0], [2.0, -1.0]), part=1),
        Mistake(SAME_THERE, ([1.0, 0.0], [0.0, 1.0]), part=1),
    ],
    alternatives=[
        Alternative(lambda a, b: np.sign(np.linalg.norm(b, 1) - np.linalg.norm(a, 1))),
        Alternative(lambda a, b: (A := sum(map(abs, a)), B := sum(map(abs, b)), (A < B) * 1.0 - (A > B) * 1.0)[2]),
        Alternative(([1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]), part=1),
        Alternative(([2.0, -1.0, 0.0], [0.5, 0.25, 0.25]), part=1),
    ],
    hints=(
        Hint("Where do I look?", r"Compute $\lVert a\rVert_1$ and $\lVert b\rVert_1$ for the two vectors of the text."),
        Hint(
            "How do I get −1, 0 or +1?",
            "`np.sign` of a difference. Which of the two norms has the minus, if a smaller one is better?",
        ),
    ),
    see="The paragraph after the check: all weights of one sign and one sum have the same ‖·‖₁.",
)


# --- the absolute value as a loss ---


def _skewed(rng):
    """Odd and even numbers of points, most of them low and below 0, some very high; the largest stands in the middle.

    They are whole numbers, all different: a cost that is reached twice is the same in every order of summation.
    """
    cases = []
    for low, high in ((2, 1), (4, 2), (6, 3)):
        y = np.concatenate([rng.choice(12, low, replace=False) - 14, rng.choice(20, high, replace=False) + 12])
        y, n = rng.permutation(y), len(y)
        cases.append((np.roll(y, n // 2 - np.argmax(y)),))
    return cases


def _cost(y, c):
    return np.sum(np.abs(y - c))


_UNBALANCED = "More points lie on one side of c than on the other: a step to that side makes Σ|yᵢ − c| smaller."

l1_constant = Property(
    "l1_constant",
    asks="The best constant",
    points=1,
    cases=_skewed,
    laws=[
        Law("A single number c is asked for.", lambda y, c: c.ndim == 0),
        Law(_UNBALANCED, lambda y, c: _cost(y, c) <= _cost(y, np.median(y)) * (1 + 1e-6)),
    ],
    mistakes=[
        Mistake(
            "The mean minimises the squares. Here a far point pulls no harder than a near one.",
            lambda y: np.mean(y),
        ),
        Mistake(
            "The middle between the smallest and the largest looks at two points only: count the points on each side.",
            lambda y: (np.min(y) + np.max(y)) / 2,
        ),
        Mistake(_UNBALANCED, lambda y: np.min(y)),
        Mistake(
            "This is the smallest value of Σ|yᵢ − c|: the c at which it is reached is asked for.",
            lambda y: _cost(y, np.median(y)),
        ),
        Mistake("A single number c is asked for.", lambda y: np.full(len(y), np.median(y))),
    ],
    alternatives=[
        Alternative(lambda y: np.median(y)),
        Alternative(lambda y: np.sort(y)[(len(y) - 1) // 2]),
        Alternative(lambda y: min(y, key=lambda c: _cost(y, c))),
    ],
    hints=(
        Hint("What is the slope of |y − c|?", "−1 for every point above $c$, and +1 for every point below it."),
        Hint("When do the slopes add up to zero?", "When as many points lie above $c$ as below it."),
    ),
    see="Equation (6.9): the slope of Σ|yᵢ − c| is the number of points below c minus the number above.",
)

irls_mu = Function(
    "irls_mu",
    asks="A square that touches |a|",
    points=1,
    reference=lasso.best_mu,
    cases=lambda rng: [(sign * rng.uniform(*range_),) for sign in (1, -1) for range_ in ((0.2, 0.8), (1.5, 5))],
    mistakes=[
        Mistake("a² does not do: the derivative ½(1 − a²/μ²) vanishes where μ² = a².", lambda a: a**2),
        Mistake("The ½ stands before both terms, so it drops out: half of |a| is too small.", lambda a: np.abs(a) / 2),
        Mistake("μ must be positive. Of the two roots of μ² = a² take the one that is, also for a < 0.", lambda a: a),
        Mistake("√|a| would solve μ² = |a|; the derivative says μ² = a².", lambda a: np.sqrt(np.abs(a))),
    ],
    alternatives=[
        Alternative(lambda a: np.sqrt(a**2)),
        Alternative(lambda a: max(a, -a)),
    ],
    hints=(
        Hint("Where do I start?", r"Differentiate with respect to $\mu$: the derivative of $1/\mu$ is $-1/\mu^2$."),
        Hint("I have two roots. Which one?", r"$\mu>0$ is asked for, and $a$ can be negative."),
    ),
    see="Equation (6.10): set the derivative with respect to μ to zero.",
)


# --- robust regression, as printed and mended ---


def _with_outliers(rng, n, bad=5):
    """A line with noise, and `bad` points far above it, off the middle."""
    x = rng.uniform(-2, 2, size=n)
    y = 1 + 2 * x + rng.normal(size=n)
    y[:bad] += 15
    return np.column_stack([np.ones(n), x]), y


def _any_start(rng):
    X = np.column_stack([np.ones(4), [0.0, 1, 2, 4]])
    return [
        (np.array([0.0, 1.0]), X, X[:, 1] + rng.choice([-3.0, -1, 2, 5], size=4)),
        (rng.normal(size=2), *_with_outliers(rng, 12, bad=2)),
        (rng.normal(size=4), *_data(rng, 15, 4)),
    ]


def _weighted(X, y, D):
    return np.linalg.solve(X.T @ (D[:, None] * X), X.T @ (D * y))


def _least_squares(w, X, y):
    return np.linalg.lstsq(X, y, rcond=None)[0]


def _reweighted(w, X, y):
    """(6.11) without a floor under μ: no residual is 0 here."""
    return _weighted(X, y, 1 / np.abs(X @ w - y))


def _well_posed(w, X, y):
    return (
        X.ndim == 2
        and y.shape == X.shape[:1]
        and w.shape == X.shape[1:]
        and np.linalg.matrix_rank(X) == X.shape[1]
        and bool(
            np.all(np.abs(X @ w - y) > 1e-12 * (np.abs(X) @ np.abs(w) + np.abs(y)))
        )  # not 0, nor 0 but for rounding
    )


reweighted_step = Slip(
    "reweighted_step",
    asks="The step of robust regression, as printed",
    points=2,
    printed=_least_squares,
    reference=_reweighted,
    cases=_any_start,
    admits=_well_posed,
    domain="w of shape (d,), X of shape (n, d) with independent columns, y of shape (n,), and no residual that is 0",
    forbids=(lasso.reweighted_step, lasso.reweighting, lasso.fit_robust),
    mistakes=[
        Mistake(
            "This is still the printed step, and it is least squares again: μ does not come in, "
            "so the second step repeats the first.",
            _least_squares,
        ),
        Mistake(
            "The weights are μᵢ in place of 1/μᵢ: outliers now count more than the others.",
            lambda w, X, y: _weighted(X, y, np.abs(X @ w - y)),
        ),
        Mistake(
            "The weights are squared: minimise Σ rᵢ²/μᵢ, so D has 1/μᵢ on its diagonal, not 1/μᵢ².",
            lambda w, X, y: _weighted(X, y, 1 / (X @ w - y) ** 2),
        ),
        Mistake(
            "1/μᵢ stands in the matrix XᵀDX but not beside y: the right-hand side is XᵀDy.",
            lambda w, X, y: np.linalg.solve(X.T @ (X / np.abs(X @ w - y)[:, None]), X.T @ y),
        ),
        Mistake(
            "μᵢ is |yᵢ| here: it has to be the size of the residual, |xᵢᵀw − yᵢ|.",
            lambda w, X, y: _weighted(X, y, 1 / np.abs(y)),
        ),
        Mistake(
            "The residuals came in without their absolute value: a weight 1/μᵢ is positive.",
            lambda w, X, y: _weighted(X, y, 1 / (X @ w - y)),
        ),
        Mistake(
            SAME_THERE,
            ([0.0, 0.0], [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 1.0, 1.0]),
            part=1,
        ),
        Mistake(SAME_THERE, ([0.0, 0.0], [[1.0, 0.0], [1.0, 1.0]], [5.0, 1.0]), part=1),
    ],
    alternatives=[
        Alternative(  # a step from w
            lambda w, X, y: w - np.linalg.solve(X.T @ (X / np.abs(X @ w - y)[:, None]), X.T @ np.sign(X @ w - y))
        ),
        Alternative(  # least squares on rows divided by √μ
            lambda w, X, y: (
                root := np.sqrt(np.abs(X @ w - y)),
                np.linalg.lstsq(X / root[:, None], y / root, rcond=None)[0],
            )[1]
        ),
        Alternative(([0.0], [[1.0], [1.0], [1.0]], [1.0, 2.0, 9.0]), part=1),
    ],
    hints=(
        Hint(
            "What is minimised over w?",
            r"$\sum_i\frac12\left(\frac{r_i^2}{\mu_i}+\mu_i\right)$ with $r=Xw-y$ and $\mu$ held fixed. "
            r"Which part depends on $w$?",
        ),
        Hint(
            "How do I solve a weighted problem?",
            r"Set $2X^\top D(Xw-y)$ to zero, with $D=\mathrm{diag}(1/\mu_1,\dots,1/\mu_n)$. "
            "`X / mu[:, None]` divides every row of $X$ by its own $\\mu_i$.",
        ),
        Hint(
            "What is the smallest counter-example?",
            "A constant: $X$ is one column of ones, $w=(0)$, and three numbers $y$ of unequal size.",
        ),
    ),
    see="Equation (6.11): the weighted normal equations, with the weights 1/μᵢ of the present w.",
)


def _lines_through_two(X, y):
    """The smallest ‖Xw − y‖₁ and its w, by trying all lines through two points: one of them is the best."""
    i, j = np.array(list(itertools.combinations(range(len(y)), 2))).T
    distinct = np.abs(X[i, 1] - X[j, 1]) > 1e-12
    i, j = i[distinct], j[distinct]
    b = (y[i] - y[j]) / (X[i, 1] - X[j, 1])
    a = y[i] - b * X[i, 1]
    losses = np.sum(np.abs(a[:, None] + b[:, None] * X[:, 1] - y), axis=1)
    best = np.argmin(losses)
    return losses[best], np.array([a[best], b[best]])


def _stepped(X, y, steps, weight):
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    for _ in range(steps):
        w = _weighted(X, y, weight(np.maximum(np.abs(X @ w - y), 1e-9)))
    return w


_NOT_LEAST = (
    "Another line has a smaller Σ|rᵢ|, by more than a thousandth. Are the weights 1/μᵢ computed anew in every step, "
    "and are there enough steps?"
)


def _least(X, y, w):
    return lasso.absolute_loss(w, X, y) <= 1.001 * _lines_through_two(X, y)[0]


robust_line = Property(
    "robust_line",
    asks="Robust regression by reweighting",
    points=2,
    cases=lambda rng: [_with_outliers(rng, n) for n in (16, 30)],
    clear=lambda X, y: _least(X, y, _stepped(X, y, 50, lambda mu: 1 / mu)),  # no two lines so near that steps creep
    laws=[
        Law("A vector w of shape (d,) is asked for.", lambda X, y, w: w.shape == X.shape[1:]),
        Law(_NOT_LEAST, _least),
    ],
    forbids=(lasso.reweighting, lasso.fit_robust),
    mistakes=[
        Mistake(
            "This is least squares: no step is taken, or the weights are missing in it, or they are μᵢ in place of "
            "1/μᵢ and every second step leads back here.",
            lambda X, y: _stepped(X, y, 0, np.sqrt),
        ),
        Mistake(
            "One step is not enough: the new w has new residuals, and these have new weights.",
            lambda X, y: _stepped(X, y, 1, lambda mu: 1 / mu),
        ),
        Mistake(
            "The five largest residuals were thrown out, and the rest is fitted by least squares: "
            "a line, but not the one that minimises Σ|rᵢ|.",
            lambda X, y: _trimmed(X, y),
        ),
        Mistake(
            "The weights are μᵢ in place of 1/μᵢ: outliers count more, and the line swings towards them.",
            lambda X, y: _stepped(X, y, 101, lambda mu: mu),
        ),
        Mistake("A vector w of shape (d,) is asked for.", lambda X, y: X @ _stepped(X, y, 100, lambda mu: 1 / mu)),
    ],
    alternatives=[
        Alternative(lambda X, y: _lines_through_two(X, y)[1]),
        Alternative(lambda X, y: _stepped(X, y, 150, lambda mu: 1 / np.maximum(mu, 1e-6))),
    ],
    hints=(
        Hint("Where do I start?", "At least squares: `np.linalg.lstsq(X, y, rcond=None)[0]`. Then a loop."),
        Hint(
            "A residual is 0, and I divide by it.",
            "`np.maximum(mu, 1e-9)`: the point counts enormously, and the line stays on it.",
        ),
        Hint("How many steps?", "The loss never rises. 200 steps take milliseconds, and are enough here."),
    ),
    see="Equation (6.11), repeated: first μ from w, then w from μ.",
)


def _trimmed(X, y):
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    kept = np.argsort(np.abs(X @ w - y))[:-5]
    return np.linalg.lstsq(X[kept], y[kept], rcond=None)[0]


_STAYS = (
    "The L1 line stays on the nine points and leaves yours aside. Height does not help: "
    "turning the line by a small angle must cost the nine together less than it saves at your point."
)
_ON_LINE = "Your point must be at least 10 above or below the line y = x."


def _captured(point):
    """Does the L1 line of the nine points on y = x and this one pass through it?

    With the height h above y = x, the line through it and (i, i) costs |h| Σⱼ|j − i|/|x − i|, and y = x costs |h|.
    The first is less for some i only if it is for i = 4, where Σⱼ|j − i| = 20 is smallest.
    """
    return abs(point[0] - 4) > 20


lever_point = Property(
    "lever_point",
    asks="A point that the L1 line cannot resist",
    points=1,
    laws=[
        Law("Two numbers are asked for: x and y of your point.", lambda point: point.shape == (2,)),
        Law(_ON_LINE, lambda point: abs(point[1] - point[0]) >= 10 - 1e-12 * np.max(np.abs(point))),
        Law(_STAYS, _captured),
    ],
    mistakes=[
        Mistake(_STAYS, (4.0, 1e6)),
        Mistake(_STAYS, (8.0, 100.0)),
        Mistake(_STAYS, (20.0, 0.0)),
        Mistake(_STAYS, (24.0, 0.0)),
        Mistake(_ON_LINE, (50.0, 50.0)),
        Mistake("Two numbers are asked for: x and y of your point.", 100.0),
    ],
    alternatives=[Alternative((100.0, 0.0)), Alternative((-40.0, 20.0)), Alternative([30.0, 45.0])],
    hints=(
        Hint("What did the second slider show?", "Far to the right the L1 line gives up the nine points."),
        Hint(
            "How far is far enough?",
            "Turn the line about $x=4$ by a slope $\\delta$: the nine points together pay "
            "$\\delta\\sum_i|x_i-4|=20\\delta$. What does a point at $x$ gain?",
        ),
    ),
    see="The section *Break it*: the lever of the point against the levers of the others together.",
)

two_kinks = Explanation(
    "two_kinks",
    asks="The same kink, twice",
    points=3,
    rubric=(
        "1 point: in the penalty the slope of λ|w| is −λ on the left of 0 and λ on the right, so a weight "
        "stays exactly "
        "at 0 unless the data pull harder than λ; the slope 2λw of ridge fades. 1 point: in the loss each point pulls "
        "with the same force whatever its distance, so height does not matter (and the kink holds the line on some "
        "points exactly). 1 point: a limit: a weight of 0 does not prove that a measurement has no effect (correlated "
        "ones stand in for each other), or: a point far out in x still turns the L1 line."
    ),
)

topic = Topic(
    number=6,
    slug="lasso",
    title="The lasso and robust regression",
    question="What does an absolute value do that a square cannot?",
    part="Regression",
    minutes=75,
    before={
        "ridge": "ridge regression, whose data and notation we keep",
    },
    exercises=[
        one_coordinate,
        lasso_one_weight,
        lasso_sweep,
        lasso_lambda_max,
        sparse_argument,
        l1_constant,
        irls_mu,
        reweighted_step,
        robust_line,
        lever_point,
        two_kinks,
    ],
)
check = Checks(topic)
