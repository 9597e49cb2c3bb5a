"""Where a function was written: live functions, functions of a shell, and the text of cells."""

import functools
import linecache
import math
import textwrap
from types import ModuleType

import numpy as np
import numpy.linalg as la
import pytest
from IPython.core.interactiveshell import InteractiveShell
from numpy import exp
from traitlets.config import Config

from mlcore.engine.reading.evaluate import evaluate
from mlcore.engine.reading.reader import read
from mlcore.engine.reading.source import Definition, Dotted, of_cells, of_function

EPS = 0.25


def helper(x):
    return x + EPS


def plain(x, w):
    return helper(x) * exp(w) + la.norm(x) + math.sqrt(4)


def decorated_by(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@decorated_by
def decorated(x, w):
    return x - w


def made(n, inner):
    return lambda x, w: inner(x) * n + w


pair = (lambda x, w: x + w, lambda x, w: x * w)  # two on one line
same_text = [lambda x, w: x - w, lambda x, w: x - w]
nested = lambda x, w: (lambda z: z + w)(x)  # noqa: E731


def value(function, *args):
    return evaluate(read(of_function(function), ["x", "w"]), {"x": args[0], "w": args[1]})


@pytest.mark.parametrize(
    "function",
    [plain, decorated, made(3, helper), *pair, *same_text, nested, lambda x, w: x / w],
)
def test_a_live_function_is_found(function):
    assert value(function, 3.0, 2.0) == pytest.approx(function(3.0, 2.0))


def test_what_has_no_source_is_none():
    namespace = {}
    exec("def f(x): return x", namespace)
    assert of_function(namespace["f"]) is None
    assert of_function(np.sum) is None
    assert of_function(len) is None
    assert of_function(functools.partial(plain, 1)) is None
    assert of_function(3) is None


def test_a_text_registered_in_linecache_is_read():
    text = "def f(x, w):\n    return x - 2 * w\n"
    name = "<a cell of ours>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    assert value(namespace["f"], 5.0, 1.0) == 3.0


def test_nothing_of_the_students_is_executed():
    class Trap:
        def __getattribute__(self, name):
            raise AssertionError("looked at")

    trap = Trap()

    def f(x, w):
        return trap + x

    (method,) = of_function(f).scope.look_up("trap").functions
    assert method.name == "__getattribute__"
    assert of_function(trap) is None


@pytest.fixture(scope="module")
def shell():
    config = Config()
    config.HistoryManager.enabled = False
    return InteractiveShell(config=config, user_module=ModuleType("cells"))  # `__main__` stays what it is


def test_functions_of_a_shell_are_found(shell):
    cells = [
        "import numpy as np\n%alias_magic q timeit\nEPS = 2.0",
        "def half(x):\n    return x / EPS",
        "def line_2(x, w):\n    return half(x) + np.exp(w)\nline_3 = lambda a, b: line_2(a, b) * b",
    ]
    for cell in cells:
        assert shell.run_cell(cell, silent=True).success
    for name in ("line_2", "line_3"):
        function = shell.user_ns[name]
        assert value(function, 3.0, 2.0) == pytest.approx(function(3.0, 2.0))
    live = shell.user_ns["line_3"]
    (text,) = of_cells(cells, ["line_3"])
    assert evaluate(read(text, ["x", "w"]), {"x": 3.0, "w": 2.0}) == pytest.approx(live(3.0, 2.0))


class TestCells:
    def found(self, *cells, name="f"):
        return of_cells([textwrap.dedent(cell) for cell in cells], [name])[0]

    def value(self, *cells, x=3.0):
        return evaluate(read(self.found(*cells), ["x"]), {"x": x})

    def test_the_last_definition_counts(self):
        assert self.value("def f(x): return x", "def f(x): return 2 * x") == 6
        assert self.value("def f(x): return x", "f = lambda x: x + 1") == 4

    def test_an_alias_is_what_it_was_when_it_was_made(self):
        assert self.value("def g(x): return x", "f = g", "def g(x): return 2 * x") == 3

    def test_a_function_sees_what_names_are_in_the_end(self):
        assert self.value("def f(x): return g(x)", "def g(x): return x", "def g(x): return 2 * x") == 6

    def test_a_global_sees_what_names_were(self):
        assert self.value("a = 2", "b = a + 1", "a = 10", "def f(x): return x * b") == 9

    @pytest.mark.parametrize(
        ("line", "call"),
        [
            ("import numpy as np", "np.exp"),
            ("import numpy", "numpy.exp"),
            ("from numpy import exp", "exp"),
            ("from numpy import exp as e", "e"),
            ("from numpy import *", "exp"),
            ("import math", "math.exp"),
            ("from math import exp", "exp"),
            ("from math import *", "exp"),
            ("import numpy as np\nmy = np.exp", "my"),
        ],
    )
    def test_imports(self, line, call):
        assert self.value(line, f"def f(x):\n    return {call}(x)") == pytest.approx(math.exp(3))

    def test_submodules(self):
        text = "def f(x):\n    return la.norm([x, 4])"
        assert self.value("import numpy.linalg as la", text) == 5
        assert self.value("from numpy import linalg as la", text) == 5

    def test_others_keep_their_names(self):
        f = self.found("from scipy.optimize import approx_fprime as d", "def f(x): return d(x)")
        assert f.scope.look_up("d") == Dotted("scipy.optimize.approx_fprime")
        assert f.scope.look_up("nobody") is None

    @pytest.mark.parametrize(
        "magic", ["%matplotlib inline", "!ls", "if 1:\n    %time 1", "f?", "x = !ls", "%%time", "\n%%capture"]
    )
    def test_magics_are_passed_over(self, magic):
        assert self.value(f"{magic}\ndef f(x):\n    return x") == 3

    def test_a_cell_of_another_language_binds_nothing(self):
        assert self.found("%%bash\ndef f(x): return x") is None

    def test_functions_may_be_assigned_side_by_side(self):
        assert self.value("def g(x):\n    return x + 1", "f, h = g, 2") == 4

    def test_a_function_under_an_if_is_found(self):
        assert self.value("if True:\n    def f(x):\n        return x + 1") == 4

    def test_a_cell_that_does_not_parse_leaves_the_others(self):
        assert self.value("def f(x): return x", "def f(x: return") == 3

    @pytest.mark.parametrize(
        "cell",
        [
            "f = 3",
            "f, g = 1, 2",
            "f, g = (1, 2)[::-1]",
            "for f in range(3): pass",
            "del f",
            "class f: pass",
            "import f",
        ],
    )
    def test_what_is_no_function_of_the_students_is_none(self, cell):
        assert self.found("def f(x): return x", cell) is None

    @pytest.mark.parametrize(
        "text",
        [
            "f = " + "(" * 5000 + "1" + ")" * 5000,
            "f = lambda x: " + "-" * 100_000 + "x",
            "f = lambda x: " + "+".join(["x"] * 60_000),
            "f = lambda x: x\0",
            "f = lambda x: x" + " " * 10_000_000,
            "\ud800",
            "f = 1 if x else " * 3000 + "2",
        ],
        ids=["brackets", "signs", "sum", "null", "huge", "surrogate", "conditions"],
    )
    def test_hostile_text_raises_nothing(self, text):
        found = self.found(text)
        assert found is None or isinstance(found, Definition)
