"""Which functions a line calls, at how many points, and what it uses that is not the student's."""

import textwrap
import time

import numpy as np
import pytest

from mlcore.engine.reading.calls import called, foreign
from mlcore.engine.reading.evaluate import evaluate
from mlcore.engine.reading.reader import Unreadable, read
from mlcore.engine.reading.source import of_cells, of_function

GIVEN = """
import numpy as np
import scipy.optimize
from scipy.optimize import approx_fprime
def line_1(w, X):
    return w @ X @ w
def slope(f, w):
    return (f(w + 1e-5) - f(w)) / 1e-5
H = 1e-5
"""


def line(text):
    (definition,) = of_cells([GIVEN, textwrap.dedent(text)], ["line_2"])
    return definition


def found(text):
    """The functions that are called, as name: (points, handed on)."""
    return {one.name: (one.points, one.handed_on) for one in called(line(text))}


def body(*statements, parameters="w, X"):
    return f"def line_2({parameters}):\n" + "".join(f"    {s}\n" for s in "\n".join(statements).split("\n"))


HONEST = {
    "itself once": body("return line_1(w, X)"),
    "twice at one point": body("return line_1(w, X) / line_1(w, X)"),
    "by keyword": body("return line_1(w, X) + line_1(X=X, w=w) + line_1(w=w, X=X)"),
    "through an alias": "J = line_1\n" + body("f = J", "return f(w, X) + J(w, X)"),
    "through a local": body("v = w", "a = line_1(v, X)", "return a + line_1(w, X)"),
    "through a helper": "def g(v, Z):\n    u = v\n    return line_1(u, Z)\n" + body("return g(w, X) + line_1(w, X)"),
    "in a loop, at one point": body("return sum(line_1(w, X) * x for x in w)"),
    "in a list": body("g = []", "g.append(line_1(w, X))", "g.append(line_1(w, X))", "print(w)", "return g"),
    "after a loop": body("t = 0", "for x in X:\n    t += x @ w", "return t * line_1(w, X)"),
    "bound to an argument": "def g(f, *args):\n    return f(w, X)\n".replace("*args", "w, X")
    + body("return g(line_1, w, X)"),
}

SEVERAL = {
    "differences": body("return (line_1(w + H, X) - line_1(w - H, X)) / (2 * H)"),
    "with names": body("up, down = w + H, w - H", "return line_1(up, X) - line_1(down, X)"),
    "with one name": body("z = w + H", "a = line_1(z, X)", "z = w - H", "return a - line_1(z, X)"),
    "with one name changed": body("z = w + H", "a = line_1(z, X)", "z -= 2 * H", "return a - line_1(z, X)"),
    "in a comprehension": body("return np.array([line_1(w + e, X) for e in np.eye(len(w))])"),
    "in a comprehension with a local": body("return [line_1((z := w + e), X) for e in np.eye(len(w))]"),
    "in a loop": body("g = []", "for e in np.eye(len(w)):\n    z = w + e\n    g.append(line_1(z, X))", "return g"),
    "in a while loop": body("while H:\n    w = w + H\n    a = line_1(w, X)", "return a"),
    "through a helper": "def g(v, X):\n    return line_1(v, X)\n" + body("return g(w + H, X) - g(w, X)"),
    "through the locals of a helper": "def g(v, X):\n    u = 2 * v\n    return line_1(u, X)\n"
    + body("return g(w + H, X) - g(w, X)"),
    "through a helper that takes the function": body("return slope(lambda v: line_1(v, X), w)"),
    "through a nested function": body("def g(s):\n    return line_1(w + s * H, X)", "return g(1) - g(-1)"),
    "through what a nested function sees": body(
        "v = w", "def g():\n    return line_1(v, X)", "a = g()", "v = w + H", "return g() - a"
    ),
    "through an alias": "J = line_1\n" + body("return J(w + H, X) - line_1(w, X)"),
    "by a lambda that is handed on": body("return approx_fprime(w, lambda v: line_1(v, X))"),
    "by a nested function that is handed on": body("def g(v):\n    return line_1(v, X)", "return approx_fprime(w, g)"),
    "under a condition": body("if w[0] > 0:\n    return line_1(w + H, X)", "return line_1(w, X)"),
    "in a default": body("def g(a=line_1(w + H, X)):\n    return a", "return g() - line_1(w, X)"),
    "behind the variable of a comprehension": body("[0 for line_1 in w]", "return line_1(w + H, X) - line_1(w, X)"),
    "with an entry changed": body(
        "z = w.copy()", "z[0] += H", "a = line_1(z, X)", "z[0] -= 2 * H", "return a - line_1(z, X)"
    ),
    "with an entry written": body("z = w.copy()", "a = line_1(z, X)", "z[0] = H", "return a - line_1(z, X)"),
    "with an array filled": body("z = w.copy()", "a = line_1(z, X)", "np.add(w, H, out=z)", "return a - line_1(z, X)"),
    "behind what is never written": body(
        "if 0:\n    line_1[0] = 1\n    line_1.append(1)", "return line_1(w + H, X) - line_1(w, X)"
    ),
    "behind a global name": body("global line_1", "if 0:\n    line_1 = w", "return line_1(w + H, X) - line_1(w, X)"),
    "by a matrix of points": body("return [line_1(v, X) for v in w + H * np.eye(len(w))]"),
}

HANDED_ON = {
    "to another's function": body("return approx_fprime(w, line_1, 1e-5, X)"),
    "in a list": body("fs = [line_1]", "return fs[0](w, X)"),
    "in a dictionary": body("return {'a': line_1}['a'](w, X)"),
    "as a choice": body("return (line_1 if w[0] else len)(w, X)"),
    "to map": body("return sum(map(line_1, [w, w + H], [X, X]))"),
    "by return": "def make():\n    return line_1\n" + body("return make()(w, X)"),
    "in a list outside": "fs = [line_1]\n" + body("return fs[0](w, X)"),
    "through an attribute": body("return line_1.__call__(w, X)"),
    "bound to an argument and kept": "def g(f):\n    return [f]\n" + body("return g(line_1)[0](w, X)"),
}


@pytest.mark.parametrize("how", HONEST)
def test_a_line_that_is_used_at_one_point(how):
    assert found(HONEST[how])["line_1"] == (1, False)


@pytest.mark.parametrize("how", SEVERAL)
def test_a_line_that_is_used_at_several_points(how):
    assert found(SEVERAL[how])["line_1"][0] >= 2


@pytest.mark.parametrize("how", HANDED_ON)
def test_a_line_that_is_handed_on(how):
    assert found(HANDED_ON[how])["line_1"][1]


def test_what_is_not_called_is_not_there():
    assert found(body("def g(v):\n    return line_1(v, X)", "return w @ X @ w")) == {}
    assert found(body("line_1 = w", "return line_1")) == {}
    assert found(body("return sum(line_1 for line_1 in w)")) == {}


def test_own_copies_are_there_too():
    assert found(body("J = lambda v: v @ X @ v", "return J(w + H) - J(w)")) == {"J": (2, False)}
    assert found(body("def J(v):\n    return v @ X @ v", "return (J(w + H) - J(w)) / H")) == {"J": (2, False)}


def test_recursion_ends():
    (one,) = called(line(body("return line_2(w / 2, X) if w[0] > 1 else w")))
    assert one.recursive and one.points == 0
    assert found("def g(w):\n    return h(w)\ndef h(w):\n    return g(w)\n" + body("return g(w)")) == {
        "g": (1, False),
        "h": (1, False),
    }


@pytest.mark.parametrize(
    ("argument", "points"), [("X[i]", 1), ("X[i:i + 1]", 1), ("w + i", 2), ("np.stack([w, -w])[i]", 2)]
)
def test_one_row_after_the_other_is_no_other_point(argument, points):
    text = body(f"return sum(J({argument}) for i in range(2))")
    assert found("def J(v):\n    return v @ v\n" + text)["J"][0] == points


def test_a_nested_function_is_read_with_the_names_around_it():
    text = body("n = len(w)", "B = X + X.T", "def J(v):\n    return v @ B @ v / n", "return J(w + H) - J(w)")
    (one,) = called(line(text))
    expression = read(one.definition, ["v"])
    X = np.array([[2.0, 1.0], [0.0, 3.0]])
    inputs = {"w": np.array([1.0, 2.0]), "X": X, "v": np.array([3.0, -1.0])}
    assert evaluate(expression, inputs) == pytest.approx(inputs["v"] @ (X + X.T) @ inputs["v"] / 2)


def test_what_cannot_be_read_around_a_nested_function_is_told():
    text = body(
        "s = 1", "while s < w[0]:\n    s = 2 * s", "J = lambda v: v * s", "K = lambda v: v", "return J(w) + K(w)"
    )
    one, other = called(line(text))
    with pytest.raises(Unreadable, match="while loop"):
        read(one.definition, ["v"])
    assert evaluate(read(other.definition, ["v"]), {"v": 2.0}) == 2.0


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("return np.gradient(w)", {"np.gradient"}),
        ("return np.linalg.norm(w) * np.pi", {"np.linalg.norm", "np.pi"}),
        ("return approx_fprime(w, len)", {"scipy.optimize.approx_fprime", "len"}),
        ("return scipy.optimize.minimize(w).x", {"scipy.optimize.minimize"}),
        ("f = np.gradient\nreturn f(w)", {"np.gradient"}),
        ("from scipy.misc import derivative as d\nreturn d(w)", {"scipy.misc.derivative"}),
        ("return eval('w') + globals()['w'] + getattr(np, 'exp')(w)", {"eval", "globals", "getattr", "np"}),
        ("return nobody(w)", {"nobody"}),
        ("return slope(lambda v: np.exp(v), w)", {"np.exp"}),
        ("return w @ X", set()),
        ("w.sort()\nreturn w", set()),
    ],
)
def test_what_is_not_the_students(text, names):
    assert foreign(line(body(text))) == names


def test_a_live_line_is_walked_as_well():
    def J(v, X):
        return v @ X @ v

    def line_2(w, X):
        return J(w + 1e-5, X) - J(w, X)

    (one,) = called(of_function(line_2))
    assert (one.name, one.points, one.handed_on) == ("J", 2, False)
    assert read(one.definition, ["v", "X"])


@pytest.mark.parametrize(
    "text",
    [
        "f0 = lambda x: x\n"
        + "".join(f"f{i + 1} = lambda x: f{i}(x + 1) + f{i}(x + 2)\n" for i in range(30))
        + "return f30(w)",
        "v = w\n" + "".join("v = v + v\n" for _ in range(300)) + "return line_1(v, X)",
        "return line_1(" + "-" * 800 + "w, X)",
        "return line_2(line_2(w, X), X) + line_2(line_2(w + 1, X), w)",
        "return " + " + ".join(f"line_1(w + {i}, X)" for i in range(800)),
    ],
    ids=["calls", "doubling", "depth", "recursion", "many"],
)
def test_hostile_lines_end(text):
    before = time.perf_counter()
    assert called(line(body(text)))
    foreign(line(body(text)))
    assert time.perf_counter() - before < 5
