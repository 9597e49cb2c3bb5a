"""Two lines have one normal form if only the spelling differs, and only if they are equal."""

import contextlib
import random
import time

import numpy as np
import pytest

from mlcore.engine.reading.evaluate import CannotEvaluate, evaluate
from mlcore.engine.reading.expression import Expression, Number, Op, Symbol, Text
from mlcore.engine.reading.normal import TooLarge, contains, degrees, expanded, normal
from tests.engine.reading.written import expression


def _draw(seed):
    rng = np.random.default_rng(seed)
    n, d = 7, 3
    return {
        "X": rng.normal(size=(n, d)),
        "A": rng.normal(size=(d, d)),
        "B": rng.normal(size=(d, d)),
        "U": rng.normal(size=(d, 2)),
        "w": rng.normal(size=d),
        "w0": rng.normal(size=d),
        "x": rng.normal(size=d),
        "z": rng.normal(size=d),
        "y": rng.normal(size=n),
        "r": rng.normal(size=n),
        "p": rng.uniform(0.1, 1, n),
        "q": rng.uniform(0.1, 1, n),
        "lam": rng.uniform(0.3, 2),
        "s": rng.uniform(0.3, 2),
        "i": 2,
        "t": 5,
    }


VARIABLES = _draw(0)


def of(text):
    return normal(expression(text, VARIABLES), VARIABLES)


SAME = [
    [
        "x @ A @ z",
        "np.dot(np.dot(x, A), z)",
        "x.dot(A).dot(z)",
        'np.einsum("i,ij,j", x, A, z)',
        'np.einsum("i,ij,j->", x, A, z)',
        "np.sum(x[:, None] * A * z)",
        "z @ A.T @ x",
        "np.sum(np.outer(x, z) * A)",
        "np.trace(np.outer(x, z).T @ A)",
        "np.inner(x, A @ z)",
        "sum(x[k] * A[k, l] * z[l] for k in range(len(x)) for l in range(len(z)))",
        "sum(a * (row @ z) for a, row in zip(x, A))",
        "1.0 * x @ A @ z + 0",
    ],
    [
        "np.sum(r**2)",
        "r @ r",
        "np.linalg.norm(r) ** 2",
        "(r * r).sum()",
        "np.sum(np.square(r))",
        "np.einsum('i,i->', r, r)",
        "np.trace(np.outer(r, r))",
        "sum(a**2 for a in r)",
        "sum(r[k] * r[k] for k in range(len(r)))",
        "np.mean(r**2) * len(r)",
    ],
    [
        "X.T @ (X @ w - y)",
        "(X @ w - y) @ X",
        "-X.T @ (y - X @ w)",
        "np.einsum('ij,i->j', X, X @ w - y)",
        "np.sum(X * (X @ w - y)[:, None], axis=0)",
        "sum(X[k] * (X[k] @ w - y[k]) for k in range(len(y)))",
        "sum(a * (a @ w - b) for a, b in zip(X, y))",
        "np.array([X[:, j] @ (X @ w - y) for j in range(X.shape[1])])",
    ],
    [
        "(X @ w - y) @ (X @ w - y)",
        "(y - X @ w) @ (y - X @ w)",
        "np.sum((y - X @ w) ** 2)",
        "np.linalg.norm(X @ w - y) ** 2",
        "sum((X[k] @ w - y[k]) ** 2 for k in range(len(y)))",
    ],
    ["w @ X.T @ X @ w", "(X @ w) @ (X @ w)", "np.sum((X @ w) ** 2)", "w @ (X.T @ X) @ w", "np.linalg.norm(X @ w) ** 2"],
    ["np.sum((X @ U @ U.T) ** 2)", "np.trace(X @ U @ U.T @ U @ U.T @ X.T)"],
    ["np.diag(x) @ z", "x * z", "z * x"],
    [
        "np.eye(3) @ x",
        "x",
        "x / 1",
        "x + 0",
        "0 + x",
        "x.T",
        "2 * x / 2",
        "np.eye(len(x)) @ x",
        "x + z - z",
        "x * s / s",
    ],
    ["np.mean(r)", "np.sum(r) / len(r)", "r.mean()", "sum(r) / r.shape[0]", "np.ones(7) @ r / 7"],
    ["np.linalg.inv(A) @ x", "np.linalg.solve(A, x)", "x @ np.linalg.inv(A.T)", "np.linalg.solve(2 * A, 2 * x)"],
    [
        "np.linalg.solve(X.T @ X + lam * np.eye(3), X.T @ y)",
        "np.linalg.inv(lam * np.identity(3) + X.T @ X) @ (y @ X)",
        "(y @ X) @ np.linalg.inv((X.T @ X + lam * np.eye(3)).T)",
    ],
    ["np.sqrt(s)", "s**0.5"],
    ["np.sqrt(s) ** 2", "s"],
    ["0.5 * x", "x / 2", "x - x / 2"],
    ["2 * (x + z)", "2 * x + 2 * z", "z + x + (z + x)"],
    ["-(x - z)", "z - x"],
    ["(A @ B).T", "B.T @ A.T"],
    ["(A @ B) @ x", "A @ (B @ x)"],
    ["A.T.T", "A", "A + np.zeros((3, 3))"],
    ["x * x", "x**2", "np.power(x, 2)"],
    ["lam * (A @ x)", "A @ (lam * x)", "(lam * A) @ x"],
    ["(1 - s) ** 2", "(s - 1) ** 2"],
    ["x[i] * z[i]", "(x * z)[i]"],
    ["(x - z)[i] ** 2", "(x[i] - z[i]) ** 2"],
    ["X[i] @ w", "(X @ w)[i]", "w @ X.T[:, i]"],
    ["np.exp(x)[i]", "np.exp(x[i])"],
    ["A[:, 1]", "A.T[1]", "A[:, -2]"],
    ["np.trace(A @ B)", "np.sum(A * B.T)", "np.einsum('ij,ji', A, B)"],
    ["np.trace(A)", "np.sum(np.diag(A))", "np.einsum('ii', A)"],
    ["np.abs(x - z)", "np.abs(z - x)"],
    ["np.max(A, axis=0)", "np.max(A.T, axis=1)"],
    ["np.exp(A).T", "np.exp(A.T)"],
    ["np.outer(x, z)", "x[:, None] * z", "np.einsum('i,j->ij', x, z)", "x[:, None] @ z[None, :]", "np.outer(z, x).T"],
    ["np.maximum(x, z)", "np.maximum(z, x)"],
    ["np.where(x < z, x, z)", "np.where(z > x, x, z)"],
    ["np.array([X[k] @ w for k in range(len(X))])", "X @ w", "np.array([row @ w for row in X])"],
    ["(x @ x) ** 2", "np.sum(x**2) ** 2"],
    ["1 / (x @ x)", "(x @ x) ** -1"],
    ["sum(s**k for k in range(t))", "np.sum(s ** np.arange(t))"],
    ["np.sum(p * np.log(p / q))", "p @ np.log(p / q)", "sum(a * np.log(a / b) for a, b in zip(p, q))"],
    ["(x + z, s)", "(z + x, 1.0 * s)"],
]

DIFFERENT = [
    ("x / s + z / s", "(x + z) / s"),
    ("s * (x + z)", "s * x + s * z"),
    ("(x - z) @ (x - z)", "x @ x - 2 * x @ z + z @ z"),
    ("X.T @ (X @ w - y)", "X.T @ X @ w - X.T @ y"),
    ("np.sum(p + q)", "np.sum(p) + np.sum(q)"),
    ("np.exp(x + z)", "np.exp(x) * np.exp(z)"),
    ("np.log(p * q)", "np.log(p) + np.log(q)"),
    ("np.log(p**2)", "2 * np.log(p)"),
    ("np.abs(s)", "s"),
    ("x @ A @ z", "z @ A @ x"),
    ("A @ B", "B @ A"),
    ("A - A.T", "A.T - A"),
    ("np.sum(A, axis=0)", "np.sum(A, axis=1)"),
    ("np.linalg.inv(A)", "np.linalg.inv(A.T)"),
    ("np.sqrt(x**2)", "x"),
    ("x[0]", "x[1]"),
    ("p[:-1]", "p[1:]"),
    ("np.cumsum(p)", "p"),
    ("x", "s * np.ones(3)"),
    ("s", "s + np.zeros(3)"),
    ("np.outer(x, z)", "np.outer(z, x)"),
    ("x[:, None] - z", "x - z[:, None]"),
    ("(r > 0) + (p > 0.5)", "1.0 * (r > 0) + 1.0 * (p > 0.5)"),
]


@pytest.mark.parametrize("spellings", SAME, ids=lambda spellings: spellings[0])
def test_spellings_of_one_thing_have_one_normal_form(spellings):
    first = of(spellings[0])
    assert [text for text in spellings if of(text) != first] == []
    assert hash(of(spellings[-1])) == hash(first)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_is_a_step_stays_visible(one, other):
    assert of(one) != of(other)


def test_different_things_differ():
    found = {}
    for spellings in SAME:
        found.setdefault(of(spellings[0]), []).append(spellings[0])
    assert [texts for texts in found.values() if len(texts) > 1] == []


def test_an_unknown_value_is_compared_as_it_is_written():
    one, other = (normal(Op("nonsense", (Symbol("x"),)), {"x": 1.0}) for _ in range(2))
    assert one == other != normal(Op("nonsense", (Symbol("y"),)), {"y": 1.0})


@pytest.mark.parametrize(
    ("text", "name", "yes"),
    [
        ("w @ X.T @ X @ w - 2 * w @ X.T @ y + y @ y", "w", True),
        ("lam * (w @ w - 2 * w @ w0)", "w", True),
        ("w @ (X.T @ X + lam * np.eye(3)) @ w", "w", True),
        ("w @ (X.T @ X + lam * np.eye(3)) @ w", "lam", False),
        ("np.sum(r**2 + r)", "r", True),
        ("np.log(1 + s)", "s", True),
        ("1 / (1 + s)", "s", True),
        ("(X @ w - y) @ (X @ w - y)", "w", False),
        ("X.T @ (X @ w - y)", "w", False),
        ("(w - w0) @ A @ (w - w0)", "w", False),
        ("s * (s + lam)", "s", False),
        ("1 / (1 + s) ** 2", "s", False),
        ("np.sum((x - s) ** 2)", "s", False),
        ("np.linalg.norm(w - w0)", "w", False),
    ],
)
def test_expanded(text, name, yes):
    assert expanded(of(text), name) is yes


def test_degrees_are_those_of_the_terms():
    assert sorted(degrees(of("w @ A @ w - 2 * w @ x + s"), "w")) == [0, 1, 2]
    assert degrees(of("np.exp(w)"), "w") == [None]
    assert degrees(of("s**3 / lam"), "lam") == [-1]


def test_contains():
    line = of("x @ np.exp(z) + np.sum(A[i])")
    assert [name for name in VARIABLES if contains(line, name)] == ["A", "x", "z", "i"]
    assert not contains(of("x + 0 * z"), "z")


# --- equal normal forms have equal values ---

SHAPES = {"a": (), "b": (), "u": (3,), "v": (3,), "M": (3, 3), "N": (3, 3), "K": (4, 3)}


def _random(rng: random.Random, shape: tuple[int, ...], depth: int) -> Expression:
    """A random expression of that shape."""
    leaves: list[Expression] = [Symbol(name) for name, own in SHAPES.items() if own == shape]
    if depth == 0:
        return rng.choice([*leaves, Number(rng.choice([2, 0.5, -1, 3]))]) if shape == () else rng.choice(leaves)

    def some(own: tuple[int, ...]) -> Expression:
        return _random(rng, own, depth - 1)

    same = [
        lambda: Op("add", (some(shape), some(shape))),
        lambda: Op("sub", (some(shape), some(shape))),
        lambda: Op("mul", (some(shape), some(shape))),
        lambda: Op("mul", (some(()), some(shape))),
        lambda: Op("div", (some(shape), some(()))),
        lambda: Op("neg", (some(shape),)),
        lambda: Op("pow", (some(shape), Number(rng.choice([2, 3, -1, 0.5])))),
        lambda: Op(rng.choice(["exp", "abs", "sign", "tanh"]), (some(shape),)),
        lambda: Op("maximum", (some(shape), some(shape))),
    ]
    more = {
        (): [
            lambda: Op("matmul", (some((3,)), some((3,)))),
            lambda: Op("sum", (some((3,)),)),
            lambda: Op("sum", (some((3, 3)),)),
            lambda: Op("mean", (some((3,)),)),
            lambda: Op("max", (some((3,)),)),
            lambda: Op("trace", (some((3, 3)),)),
            lambda: Op("norm", (some((3,)),)),
            lambda: Op("index", (some((3,)), Number(rng.randrange(3)))),
            lambda: Op("einsum", (Text("i,ij,j->"), some((3,)), some((3, 3)), some((3,)))),
            lambda: Op("einsum", (Text("ij,ij"), some((3, 3)), some((3, 3)))),
        ],
        (3,): [
            lambda: Op("matmul", (some((3, 3)), some((3,)))),
            lambda: Op("matmul", (some((3,)), some((3, 3)))),
            lambda: Op("matmul", (Op("T", (Symbol("K"),)), Op("matmul", (Symbol("K"), some((3,)))))),
            lambda: Op("solve", (some((3, 3)), some((3,)))),
            lambda: Op("sum", (some((3, 3)),), (("axis", rng.randrange(2)),)),
            lambda: Op("diag", (some((3, 3)),)),
            lambda: Op("index", (some((3, 3)), Number(rng.randrange(3)))),
            lambda: Op("sort", (some((3,)),)),
        ],
        (3, 3): [
            lambda: Op("matmul", (some((3, 3)), some((3, 3)))),
            lambda: Op("T", (some((3, 3)),)),
            lambda: Op("outer", (some((3,)), some((3,)))),
            lambda: Op("diag", (some((3,)),)),
            lambda: Op("eye", (Number(3),)),
            lambda: Op("inv", (some((3, 3)),)),
            lambda: Op("add", (some((3, 3)), some((3,)))),
            lambda: Op("cumsum", (some((3, 3)),), (("axis", rng.randrange(2)),)),
        ],
    }
    return rng.choice(same + more[shape] * 2)()


def _changed(rng: random.Random, e: Expression) -> Expression:
    """The expression with one place changed: most changes are no step, some are."""
    if not isinstance(e, Op) or not e.args:
        return e
    if rng.random() < 0.6:
        k = rng.randrange(len(e.args))
        return Op(e.name, (*e.args[:k], _changed(rng, e.args[k]), *e.args[k + 1 :]), e.options)
    if e.name in ("add", "mul", "maximum"):
        return Op(e.name, e.args[::-1])
    if e.name in ("sub", "matmul") and rng.random() < 0.5:
        return Op(e.name, e.args[::-1])
    if e.name == "T":
        return e.args[0]
    if e.name == "neg" and isinstance(e.args[0], Op) and e.args[0].name in ("add", "sub"):
        return Op("add", (Op("neg", (e.args[0].args[0],)), Op("neg", (e.args[0].args[1],))))
    return Op("mul", (Number(1), e)) if rng.random() < 0.5 else Op("neg", (e,))


def _inputs(seed):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=shape) if shape else float(rng.normal()) for name, shape in SHAPES.items()}


def _agree(one, other):
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    both = np.isfinite(one) & np.isfinite(other)
    scale = 1 + np.max(np.abs(one[both]), initial=0)
    return one.shape == other.shape and np.all(np.abs(one - other)[both] <= 1e-6 * scale)


@pytest.mark.parametrize("seed", range(8))
def test_equal_normal_forms_have_equal_values(seed):
    rng = random.Random(seed)
    example, others = _inputs(0), [_inputs(k) for k in range(1, 4)]
    equal = 0
    for _ in range(60):
        shape = rng.choice([(), (), (3,), (3, 3)])
        one = _random(rng, shape, rng.choice([2, 3]))
        other = _changed(rng, _changed(rng, one)) if rng.random() < 0.7 else _random(rng, shape, 2)
        try:
            forms = normal(one, example), normal(other, example)
        except TooLarge:
            continue
        if forms[0] != forms[1]:
            continue
        equal += 1
        for variables in others:
            try:
                assert _agree(evaluate(one, variables), evaluate(other, variables)), (one, other)
            except CannotEvaluate:
                continue
    assert equal > 10


# --- limits ---


def test_a_hostile_tree_is_refused_and_nothing_else_is_raised():
    deep: Expression = Symbol("x")
    for _ in range(2000):
        deep = Op("exp", (deep,))
    wide: Expression = Symbol("s")
    for k in range(2000):
        wide = Op("add", (wide, Op("exp", (Op("mul", (Number(k), Symbol("s"))),))))
    doubled: Expression = Op("add", (Symbol("s"), Symbol("lam")))
    for _ in range(40):
        doubled = Op("mul", (doubled, doubled))
    tower: Expression = Symbol("A")
    for _ in range(60):
        tower = Op("matmul", (tower, Symbol("A")))
    for tree in (deep, wide, doubled, tower):
        start = time.perf_counter()
        with contextlib.suppress(TooLarge):
            normal(tree, VARIABLES)
        assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    "tree",
    [
        Op("div", (Number(1), Number(0))),
        Op("div", (Number(1), Op("mul", (Op("eye", (Number(3),)), Symbol("A"))))),
        Op("pow", (Number(0), Number(-1))),
        Op("mul", (Number(1e308), Number(1e308))),
        Number(float("nan")),
        Number(10**400),
        Op("inv", (Op("zeros", (Op("tuple", (Number(3), Number(3))),)),)),
        Op("einsum", (Text("ij"), Symbol("x"))),
        Op("index", (Symbol("x"), Number(99))),
        Op("sum", ()),
        Op("each", (Symbol("k"), Symbol("s"))),
        Symbol("nowhere"),
    ],
)
def test_what_has_no_value_is_compared_as_it_is_written(tree):
    assert normal(tree, VARIABLES) == normal(tree, VARIABLES)


def test_it_is_quick():
    line = expression("w @ X.T @ X @ w - 2 * w @ X.T @ y + y @ y + lam * (w @ w - 2 * w @ w0 + w0 @ w0)", VARIABLES)
    normal(line, VARIABLES)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        normal(line, VARIABLES)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05
