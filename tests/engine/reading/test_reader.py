"""What is read has the value of what was run: every spelling, and every line of the course's derivations."""

import ast
import inspect
import textwrap
import time
import warnings
from functools import cache

import numpy as np
import pytest

from mlcore.course import build, catalogue, places
from mlcore.engine.reading.evaluate import CannotEvaluate, evaluate, values
from mlcore.engine.reading.expression import OPERATIONS, Number, Op, Symbol, Text, symbols, walk
from mlcore.engine.reading.reader import MAX_NODES, Unreadable, read
from mlcore.engine.reading.source import of_cells, of_function

rng = np.random.default_rng(3)
INPUTS = {
    "w": rng.normal(size=3),
    "X": rng.normal(size=(5, 3)),
    "y": rng.normal(size=5),
    "lam": 0.7,
    "n": 4,
}
NAMES = list(INPUTS)
HELPERS = """
import math
import numpy as np
import numpy.linalg as la
from numpy import exp, sum as total
EPS = 1e-3
TWICE = EPS * 2
A = lambda X, lam=1.0: X.T @ X + lam * np.eye(X.shape[1])
def residual(X, w, y, *, scale=1):
    r = X @ w - y
    return scale * r
def apply(f, *args):
    return f(*args)
def compose(f, g):
    return lambda v: f(g(v))
square_of_exp = compose(lambda v: v**2, np.exp)
"""


def run(text, name="f"):
    """The function, read and as it is."""
    namespace = {}
    exec(HELPERS, namespace)
    exec(textwrap.dedent(text), namespace)
    (definition,) = of_cells([HELPERS, textwrap.dedent(text)], [name])
    return definition, namespace[name]


def agree(read_value, true_value):
    if isinstance(true_value, tuple):
        return len(read_value) == len(true_value) and all(map(agree, read_value, true_value))
    return np.shape(read_value) == np.shape(true_value) and np.allclose(read_value, true_value, rtol=1e-10, atol=1e-12)


SPELLINGS = """
X @ w - y
np.dot(X, w)
X.dot(w)
np.matmul(X, w)
np.inner(w, w)
np.inner(X, X)
np.vdot(w, w)
np.tensordot(X, w, axes=1)
np.dot(2, w)
la.multi_dot([w, X.T, X, w])
la.matrix_power(X.T @ X, 3)
np.einsum("ij,j->i", X, w)
np.einsum("ij,j", X, w)
np.einsum("ij, ik", X, X)
np.einsum("ij->", X, optimize=True)
np.einsum("...j,j->...", X, w)
np.outer(w, y)
np.multiply.outer(w, y)
np.subtract.outer(w, y)
np.add.outer(w, y)
X.T
X.transpose()
np.transpose(X, (1, 0))
np.transpose(X)
-w + +w * 2
np.negative(w)
w / 2 // 0.3 % 2
np.add(w, 1) * np.subtract(1, w) / np.multiply(2, w) - np.divide(w, 3)
w**2 + np.square(w) + np.power(w, 2) + pow(w, 2) + np.float_power(2, w)
np.reciprocal(w) + np.exp2(w) + np.tan(w)
exp(w) + np.log(np.abs(w)) + np.sqrt(abs(w)) + np.log1p(w**2) + np.expm1(w)
np.absolute(w) + np.fabs(w) + np.sign(w) + np.tanh(w) + np.sin(w) * np.cos(w)
np.log2(np.abs(w)) + np.log10(np.abs(w)) + np.floor(w) + np.ceil(w)
math.exp(lam) + math.log(lam) + math.log(lam, 2) + math.sqrt(lam) + math.fabs(-lam) + math.pi + math.e
np.pi * np.e * w
np.where(w > 0, w, 0)
w if lam > 0 else -w
np.arctanh(lam) + np.sinh(w) + np.cosh(w)
np.linalg.eigh(X.T @ X)[0]
np.average(X, axis=0, weights=y)
w if not lam < 0 and n == 4 else -w
np.maximum(w, 0) + np.minimum(w, 0) + np.fmax(w, 0.1)
max(lam, 0, 1) + min(lam, -lam) + max(w) + min(w) + max([lam, 2])
np.clip(w, -1, 1) + w.clip(0, 1) + np.clip(w, None, 0)
np.logaddexp(w, 0) + np.logaddexp.reduce(w) + np.add.reduce(w) + np.multiply.reduce(w)
np.maximum.reduce(X) + np.minimum.reduce(X, axis=0)
np.logaddexp.reduce(X, axis=1, keepdims=True)
np.sum(X) + X.sum() + total(X) + np.sum(a=X)
np.sum(X, axis=0) + X.sum(0) + np.sum(X, 0) + X.sum(axis=-2)
X - X.mean(axis=1, keepdims=True)
X.sum(axis=(0, 1))
np.mean(X, axis=0) + X.max(axis=0) - X.min(0) + np.amax(X, axis=0) + np.prod(X, axis=0)
np.var(X, axis=0) + X.std(0, ddof=1) + np.var(X, ddof=0) + np.std(X)
np.any(w > 0) + np.all(w > 0) + (w > 0).any()
np.argmax(w) + w.argmin() + np.argmax(X, axis=1)
np.cumsum(w) + np.cumprod(w) + w.cumsum()
np.sort(w) + w[np.argsort(w)] + sorted(w)
np.sort(X, axis=0)
np.diff(y)
np.average(w) + np.average(w, weights=w**2) + np.average(X, axis=1, weights=w**2).sum()
np.cov(X.T)
np.cov(X.T, bias=True)
np.cov(X, rowvar=False)
np.cov(X, ddof=0)
np.trace(X.T @ X) + (X.T @ X).trace() + np.diag(X.T @ X).sum() + (X.T @ X).diagonal()
np.diag(w)
np.linalg.norm(w) + np.linalg.norm(X) + la.norm(w, 1) + la.norm(w, ord=np.inf) + la.norm(X, "fro") + la.norm(X, 2)
np.linalg.norm(X, axis=1)
np.linalg.norm(X, axis=1, keepdims=True)
np.linalg.solve(X.T @ X, w) + np.linalg.inv(X.T @ X) @ w + np.linalg.pinv(X) @ y
np.linalg.lstsq(X, y, rcond=None)[0]
np.linalg.det(X.T @ X) + np.linalg.slogdet(X.T @ X)[1]
np.linalg.eigvalsh(X.T @ X)[-1]
len(X) + X.shape[1] + X.size + np.size(w) + np.shape(X)[0] + X.ndim + np.ndim(X)
w[0] + w[-1] + X[0, 1] + X[0][1] + w[n - 2]
X[:, 0]
X[1:3, ::-1]
X[..., 0]
w[:, None] * y
w[:, np.newaxis] * y[None, :]
w[w > 0]
X[:, w > 0]
w[[0, 2]]
X[[0, 1], [1, 2]]
w[::-1] + list(reversed(w))
np.eye(3) + np.identity(3)
np.zeros(3) + np.ones(3) + np.zeros((2, 3)) + np.ones(X.shape[1]) + np.zeros(3, dtype=int)
np.full(3, 2.0) + np.full((2, 3), lam)
np.zeros_like(w) + np.ones_like(w) + np.full_like(w, 3.0)
np.arange(3) + np.arange(1, 4) + np.arange(0, 6, 2)
np.linspace(0, 1, 3)
np.array([1, 2, 3]) * w + np.array([w, w]) + np.array((1, lam, n))
np.asarray(w) + np.array(w, dtype=float) + w.copy() + np.copy(w) + w.astype(float) + float(lam) + np.float64(lam)
(w > 0).astype(int) + (w > 0).astype(float)
int(n) + int(len(w))
lam.real + np.real(w)
np.concatenate([w, y])
np.concatenate((X, X), axis=1)
np.append(w, lam)
np.stack([w, w])
np.stack([w, w], axis=1)
np.hstack([w, y])
np.vstack([X, w])
np.column_stack([y, X])
np.block([[X.T @ X, w[:, None]], [w[None, :], np.eye(1)]])
np.r_[w, lam, y]
np.c_[y, X]
np.delete(X, 1, axis=0)
np.delete(w, 0)
w.reshape(-1, 1)
X.reshape((3, 5))
np.reshape(X, -1)
X.ravel() + X.flatten()
np.expand_dims(w, 1) + np.expand_dims(w, 0)
np.broadcast_to(w, (5, 3))
np.repeat(w, 2)
w.repeat(2)
np.repeat(X, 2, axis=1)
np.tile(w, 2)
np.tile(w, (2, 2))
np.convolve(w, y) + np.correlate(y, w, "full")
np.correlate(y, w) + np.convolve(y, w, mode="valid")
np.polyval([1.0, lam, 2], w)
np.count_nonzero(w > 0)
np.logical_and(w > 0, w < 1) | ~(w > 0) & (w != 2) ^ (w >= 1)
(w > 0) * (w <= 1) * (w == w[0])
0 < lam < 1 < n
(X @ w).item(0) if False else w.sum().item()
sum(w)
sum(X)
sum(w, 1.0)
sum([w, 2 * w])
sum(x_i @ w for x_i in X)
sum((t - x @ w) * x for x, t in zip(X, y, strict=True))
sum(X[i, j] * w[j] for i in range(len(X)) for j in range(len(w)) if i > j)
sum(i * v for i, v in enumerate(w))
sum(i * (t - x @ w) for i, (x, t) in enumerate(zip(X, y)))
sum(i * sum(j * w[i] for j in range(i)) for i in range(3))
sum(s * lam for s in (1, -1))
sum(map(np.exp, w))
sum(map(lambda a, b: a * b, w, w))
np.sum([x @ w for x in X])
np.sum([x * w for x in X])
np.sum([a * b for a in w for b in y])
np.mean([x @ w for x in X])
np.mean([x * w for x in X], axis=0)
np.array([x @ w for x in X if x[0] > 0])
np.array([[a * b for a in w] for b in y])
[x @ w for x in X]
[a for a in w] + [b for b in y]
np.array([*w[:2].tolist(), 1.0]) if False else w
np.prod([a for a in w])
np.max([a for a in w]) + max(a for a in w)
any(a > 0 for a in w) + all([a > 0 for a in w])
np.concatenate([[1.0], w, [lam, n]])
np.array([np.sum(X[:, j]) for j in range(X.shape[1])])
(r := X @ w - y) @ r
np.mean([(z := x @ w) * z for x in X])
(lambda v: v @ v)(w)
(w, lam)[1] * w
residual(X, w, y) @ residual(X, y=y, w=w, scale=2)
A(X) @ w + A(X, lam=lam) @ w
apply(lambda a, b: a + b, w, lam)
square_of_exp(w)
EPS * w + TWICE
np.linalg.norm(list(w)) + np.sum((w, w, w), axis=0)
w, X.T @ y, lam
[w, w]
True * w + (w > 0) * 1
"""

FUNCTIONS = {
    "docstring and locals": """
        def f(w, X, y, lam, n):
            '''Says something.'''
            n, d = X.shape
            a = X.T @ X / n
            b = c = a * 2
            k: float = lam
            a += k * np.eye(d)
            return a @ w - b @ w + c @ w
    """,
    "early return": """
        def f(w, X, y, lam, n):
            if lam > 10:
                return w
            if lam < 0:
                raise ValueError
            elif n == 4:
                s = 2
            else:
                s = 3
            if n > 100:
                s = s + 1
            return s * w
    """,
    "defaults and None": """
        def g(w, start=None):
            if start is None:
                start = 0.0
            return w + start
        def f(w, X, y, lam, n, *, k=3):
            return g(w) + g(w, start=k)
    """,
    "nested functions": """
        def f(w, X, y, lam, n):
            def r(v, sign=1):
                return sign * (X @ v - y)
            s = lambda v: r(v) @ r(v)
            return s(w) + s(2 * w) + r(w, -1).sum()
    """,
    "imports inside": """
        def f(w, X, y, lam, n):
            import numpy as numpy_
            from numpy import tanh
            return numpy_.exp(w) + tanh(w)
    """,
    "a sum by a loop": """
        def f(w, X, y, lam, n):
            total = 0
            for i in range(len(y)):
                r = X[i] @ w - y[i]
                total += r**2
            return total + lam * w @ w
    """,
    "a sum under a condition": """
        def f(w, X, y, lam, n):
            total = lam
            for x, t in zip(X, y):
                if t > 0:
                    total = total + x @ w
                total -= 0.5
            return total
    """,
    "a sum under one condition": """
        def f(w, X, y, lam, n):
            total, count = np.zeros(3), 0.0
            for x, t in zip(X, y):
                if t > 0:
                    total += x * t
                    count += 1
            return total / count
    """,
    "a product by a loop": """
        def f(w, X, y, lam, n):
            p = 1.0
            for a in w:
                p *= a - lam
            return p
    """,
    "two loops": """
        def f(w, X, y, lam, n):
            total = 0.0
            for i in range(len(y)):
                for j in range(len(w)):
                    total += X[i, j] * w[j]
            return total
    """,
    "an array by a loop": """
        def f(w, X, y, lam, n):
            g = np.zeros(len(w))
            for j in range(len(w)):
                g[j] = X[:, j] @ y
            return g
    """,
    "an array of sums": """
        def f(w, X, y, lam, n):
            g = np.zeros_like(w)
            for j in range(len(w)):
                for i in range(len(y)):
                    g[j] += X[i, j] * y[i]
            return g
    """,
    "a matrix by loops": """
        def f(w, X, y, lam, n):
            d = X.shape[1]
            G = np.empty((d, d))
            for i in range(d):
                for j in range(d):
                    G[i, j] = w[i] * w[j] - (lam if i == j else 0)
            return G
    """,
    "rows and columns by a loop": """
        def f(w, X, y, lam, n):
            G, H = np.zeros(X.shape), np.zeros(X.shape)
            for i in range(len(X)):
                G[i, :] = X[i] * w
            for j in range(X.shape[1]):
                H[:, j] = X[:, j] * w[j]
            return G + H
    """,
    "entries under a condition": """
        def f(w, X, y, lam, n):
            g = np.zeros(len(w))
            for j, v in enumerate(w):
                if v > 0:
                    g[j] = v
                else:
                    g[j] = lam
            return g
    """,
    "a list by a loop": """
        def f(w, X, y, lam, n):
            found = []
            for x in X:
                found.append(x @ w)
            return np.array(found)
    """,
    "a loop with cases that are known": """
        def f(w, X, y, lam, n):
            v = 0
            for k in range(4):
                if k == 0 or k >= 3:
                    v = v + w[0]
                else:
                    v = 2 * v
            return v
    """,
    "a listed loop, round by round": """
        def f(w, X, y, lam, n):
            v = w
            for k in range(3):
                v = v * lam + k
            for s, t in ((1, 2), (3, 4)):
                v = v * s - t
            return v
    """,
    "loop variables of one name": """
        def g(x):
            return sum(x[i] for i in range(len(x)))
        def f(w, X, y, lam, n):
            return sum(g(X[i]) * sum(w[i] for i in range(3)) for i in range(len(X)))
    """,
    "a loop variable called as a parameter": """
        def f(a, X, y, lam, n):
            return sum(w @ a for w in X) + a.sum()
    """,
    "several values": """
        def f(w, X, y, lam, n):
            A = X.T @ X
            return A, X.T @ y, float(y @ y)
    """,
    "unpacking": """
        def f(w, X, y, lam, n):
            a, b, c = w
            (d, e), g = (a, b), c
            return d * e + g
    """,
    "own parameter names": """
        def f(beta, Z, t, alpha=3, m=2):
            return Z @ beta - t * alpha + m
    """,
}

REFUSED = {
    "it has a while loop": "def f(w):\n    while w > 1:\n        w = w / 2\n    return w",
    "it has a try": "def f(w):\n    try:\n        return w\n    except ValueError:\n        return 0",
    "it has a with": "def f(w):\n    with open('x') as g:\n        return w",
    "it changes a global name": "def f(w):\n    global g\n    g = w\n    return w",
    "it is a generator": "def f(w):\n    yield w",
    "it has a loop whose rounds build on one another": (
        "def f(w):\n    v = 1.0\n    for i in range(len(w)):\n        v = v / 2 + w[i] * v\n    return v"
    ),
    "it has a loop that ends early": (
        "def f(w):\n    for v in w:\n        if v > 0:\n            return v\n    return 0"
    ),
    "it uses what the last round of a loop leaves": "def f(w):\n    for v in w:\n        u = v\n    return u",
    "it uses `foo`, which is not a function of yours": "def f(w):\n    return foo(w)",
    "it calls `np.gradient`, which is not a function of yours": (
        "import numpy as np\ndef f(w):\n    return np.gradient(w)"
    ),
    "it calls `mlcore.ridge.fit`, which is not a function of yours": (
        "from mlcore.ridge import fit\ndef f(w):\n    return fit(w)"
    ),
    "it calls `eval`, which is not a function of yours": "def f(w):\n    return eval('w')",
    "its functions call one another too deeply": "def f(w):\n    return f(w - 1) if w > 1 else w",
    "it returns nothing": "def f(w):\n    w = 2 * w",
    "it returns nothing in one of its cases": "def f(w):\n    if w > 0:\n        return w",
    "it uses `.__class__`": "def f(w):\n    return w.__class__",
    "it calls `.sort`": "def f(w):\n    return w.sort()",
    "it calls a function for what that changes": "def f(w):\n    w.sort()\n    return w",
    "it has a complex number": "def f(w):\n    return w + 1j",
    "it has a very large number": "def f(w):\n    return w + 10**5 * 99999999999999999999",
    "it computes with something that is no number": "def f(w):\n    return w + 'a'",
    "it returns no number": "def f(w):\n    return None",
    "it has a dictionary": "def f(w):\n    return {'w': w}",
    "`f` is not given its `X`": "def f(w, X):\n    return w",
    "`f` takes 0 arguments and gets 1": "def f():\n    return 1",
    "it hands on the function `f`": "def f(w):\n    return f",
    "it writes into an array at several places": (
        "import numpy as np\ndef f(w):\n    g = np.zeros(2)\n    g[0] = 1\n    g[1] = 2\n    return g"
    ),
    "it decorates a function": "def f(w):\n    @f\n    def g(x): return x\n    return g(w)",
}


@pytest.mark.parametrize("spelling", SPELLINGS.strip().splitlines())
def test_a_spelling_has_its_value(spelling):
    definition, function = run(f"f = lambda w, X, y, lam, n: ({spelling})")
    expression = read(definition, NAMES)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert agree(evaluate(expression, INPUTS), function(*INPUTS.values()))
    check_form(expression)


@pytest.mark.parametrize("case", FUNCTIONS)
def test_a_function_has_its_value(case):
    definition, function = run(FUNCTIONS[case])
    expression = read(definition, NAMES)
    assert agree(evaluate(expression, INPUTS), function(*INPUTS.values()))
    check_form(expression)


def check_form(expression):
    """The tree keeps the contract: known operations, symbols that are bound, options in order, text for einsum only."""
    bound = {
        name
        for e in walk(expression)
        if isinstance(e, Op) and e.name == "each"
        for name in str(e.option("targets")).split(",")
    }
    assert symbols(expression) <= set(NAMES) | bound
    for e in walk(expression):
        assert isinstance(e, Symbol | Number | Text | Op)
        if isinstance(e, Op):
            assert e.name in OPERATIONS
            assert list(e.options) == sorted(e.options)
            assert e.name == "einsum" or not any(isinstance(arg, Text) for arg in e.args)


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_read_is_told(why):
    (definition,) = of_cells([REFUSED[why]], ["f"])
    with pytest.raises(Unreadable) as refused:
        read(definition, ["w"])
    assert str(refused.value) == why


def test_one_form_whatever_the_spelling():
    gradient = Op(
        "matmul", (Op("T", (Symbol("X"),)), Op("sub", (Op("matmul", (Symbol("X"), Symbol("w"))), Symbol("y"))))
    )
    for spelling in ("X.T @ (X @ w - y)", "np.dot(X.T, X.dot(w) - y)", "X.transpose().dot(np.subtract(X @ w, y))"):
        assert read(run(f"f = lambda w, X, y, lam, n: {spelling}")[0], NAMES) == gradient


@pytest.mark.parametrize(
    "text",
    [
        "a = w\n" + "".join(f"    a = a + a  # {i}\n" for i in range(40)) + "    return a",
        "f0 = lambda x: x\n"
        + "".join(f"    f{i + 1} = lambda x: f{i}(x) + f{i}(x)\n" for i in range(25))
        + "    return f25(w)",
        "f0 = lambda x: 0\n"
        + "".join(f"    f{i + 1} = lambda x: f{i}(x) if f{i}(x) is None else f{i}(x)\n" for i in range(25))
        + "    return f25(w)",
        "return " + " + ".join(["w"] * 900),
        "return " + "-" * 500 + "w",
        "return " + "w if w > 1 else " * 90 + "w",
        "".join(f"if w > {i}:\n        w = w + {i}\n    " for i in range(60)) + "return w",
        "".join(f"if w > {i}:\n        if w > 100: return {i}\n    " for i in range(60)) + "return w",
        "for a in range(20):\n"
        + "".join(" " * 4 * (i + 2) + f"for b{i} in range(20):\n" for i in range(6))
        + " " * 36
        + "w = w + 1\n    return w",
    ],
    ids=["doubling", "calls", "calls of nothing", "long", "signs", "cases", "ifs", "returns", "rounds"],
)
def test_hostile_functions_are_refused_at_once(text):
    (definition,) = of_cells([f"def f(w):\n    {text}"], ["f"])
    before = time.perf_counter()
    try:
        expression = read(definition, ["w"])
        assert sum(1 for _ in walk(expression)) <= MAX_NODES
    except Unreadable:
        pass
    assert time.perf_counter() - before < 3


# --- the derivations of the course ---

CHAINS = [
    pytest.param(topic, exercise, id=f"{topic.slug}-{exercise.name}")
    for topic in catalogue.topics()
    for exercise in topic.exercises
    if exercise.kind == "derivation"
]


@cache
def cells_up_to(topic, name):
    cells = [
        c.source for c in build.solved(topic, places.solution(topic, places.root())).cells if c.cell_type == "code"
    ]
    check = next(i for i, cell in enumerate(cells) if f"check.{name}(" in cell)
    return cells[: check + 1]


def solved_lines(topic, exercise):
    """The lines of the solution, read from the cells and as functions; only imports and functions are run."""
    cells = cells_up_to(topic, exercise.name)
    call = next(n for n in ast.walk(ast.parse(cells[-1])) if isinstance(n, ast.Call) and n.args)
    names = [ast.unparse(arg) for arg in call.args]
    namespace = {}
    for cell in cells:
        tree = ast.parse(cell)
        tree.body = [s for s in tree.body if isinstance(s, ast.FunctionDef | ast.Import | ast.ImportFrom)]
        exec(compile(tree, "<cells>", "exec"), namespace)
    return zip(of_cells(cells, names), (namespace[name] for name in names), strict=True)


def lines_of(topic, exercise):
    """Every right line of a derivation: part (None for the given ones), where it was written, the function."""
    for line in filter(None, (exercise.first, exercise.last)):
        yield None, of_function(line), line
    for part, (definition, function) in enumerate(solved_lines(topic, exercise)):
        yield part, definition, function
    for alternative in exercise.alternatives:
        yield alternative.part, of_function(alternative.answer), alternative.answer


@pytest.mark.parametrize(("topic", "exercise"), CHAINS)
def test_the_lines_of_a_derivation_are_read(topic, exercise):
    names = list(inspect.signature(exercise.first).parameters)
    plan = exercise.plan(np.random.default_rng(0))
    for part, definition, function in lines_of(topic, exercise):
        assert definition is not None
        try:
            expression = read(definition, names)
        except Unreadable:
            continue  # counted below
        inputs = [call.args for call in plan if call.part == (part or 0) and call.args is not None]
        for args in inputs[:3]:
            variables = dict(zip(names, args, strict=True))
            assert agree(tidied(evaluate(expression, variables)), tidied(function(*args)))
        assert values(expression, variables)


def tidied(value):
    return tuple(np.asarray(part, float) for part in value) if isinstance(value, tuple) else np.asarray(value, float)


def test_nearly_all_lines_of_all_derivations_are_read():
    lines, unread = 0, []
    for topic, exercise in (chain.values for chain in CHAINS):
        names = list(inspect.signature(exercise.first).parameters)
        for _, definition, _ in lines_of(topic, exercise):
            lines += 1
            try:
                read(definition, names)
            except Unreadable as error:
                unread.append(f"{topic.slug} {exercise.name} {definition.name}: {error}")
    print(f"{len(unread)} of {lines} lines are not read:", *unread, sep="\n")
    assert len(unread) / lines < 0.05


def test_reading_and_evaluating_a_line_takes_milliseconds():
    topic, exercise = next(chain.values for chain in CHAINS if chain.values[1].name == "normal_equations")
    names = list(inspect.signature(exercise.first).parameters)
    args = exercise.plan(np.random.default_rng(0))[0].args
    taken = []
    for _, definition, _ in lines_of(topic, exercise):
        for _ in range(5):
            before = time.process_time()
            evaluate(read(definition, names), dict(zip(names, args, strict=True)))
            taken.append(time.process_time() - before)
    assert np.median(taken) < 0.005


def test_an_error_in_evaluation_is_ours():
    definition, _ = run("f = lambda w, X, y, lam, n: X @ y")
    with pytest.raises(CannotEvaluate):
        evaluate(read(definition, NAMES), INPUTS)
