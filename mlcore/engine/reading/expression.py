"""What a line of a derivation says, as a tree: symbols, numbers and operations.

A student's `X.T @ (X @ w - y)` becomes

    Op("matmul", (Op("T", (X,)), Op("sub", (Op("matmul", (X, w)), y))))

whichever of numpy's spellings it was written in. Nothing here has run, and nothing of it is the student's: a tree is
evaluated (`evaluate`), brought to its normal form (`normal`) and typeset (`typeset`) by our own code alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


class Expression:
    """A symbol, a number, a piece of text, or an operation on expressions."""


@dataclass(frozen=True)
class Symbol(Expression):
    """A variable of the derivation, or the variable of a sum (`Op("each", …)`)."""

    name: str


@dataclass(frozen=True)
class Number(Expression):
    value: float | int | bool


@dataclass(frozen=True)
class Text(Expression):
    """What einsum is told, and nothing else."""

    value: str


@dataclass(frozen=True)
class Op(Expression):
    """An operation on expressions.

    `name` is one of `OPERATIONS`; `options` are what is no expression, such as `axis`, by name and in order of name.
    """

    name: str
    args: tuple[Expression, ...] = ()
    options: tuple[tuple[str, int | float | bool | str | None], ...] = ()

    def option(self, name: str, default: int | float | bool | str | None = None) -> int | float | bool | str | None:
        return dict(self.options).get(name, default)


# The operations, with their arguments. Whoever evaluates, normalises or typesets has these in mind and no others.
OPERATIONS = {
    # arithmetic, entry by entry
    "add": "a, b",
    "sub": "a, b",
    "neg": "a",
    "mul": "a, b",
    "div": "a, b",
    "pow": "a, b",  # np.square is pow with 2
    "floordiv": "a, b",
    "mod": "a, b",
    **dict.fromkeys(
        ("exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "abs", "sign", "sin", "cos", "tanh", "floor", "ceil"),
        "a",
    ),
    **dict.fromkeys(("maximum", "minimum", "logaddexp"), "a, b"),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "and", "or"), "a, b"),
    "not": "a",
    "where": "condition, a, b",  # `a if condition else b` is where too
    "clip": "a, low, high",
    # over an axis: options axis (None: over all; several as '0,1'), keepdims; var and std have ddof
    **dict.fromkeys(("sum", "mean", "prod", "max", "min", "var", "std", "any", "all"), "a; axis, keepdims"),
    **dict.fromkeys(("argmax", "argmin", "cumsum", "cumprod", "sort", "argsort"), "a; axis"),
    # products of vectors and matrices
    "matmul": "a, b",  # `@`, np.dot, np.matmul, np.inner of vectors; with a number it is mul
    "outer": "a, b",
    "einsum": "Text, a, b, …",
    "T": "a",  # the transpose; of a vector it is the vector
    "transpose": "a; axes",
    "trace": "a",
    "diag": "a",
    "norm": "a; ord, axis",
    "solve": "A, b",
    "inv": "A",
    "pinv": "A",
    "det": "A",
    "logdet": "A",
    "eigvalsh": "A",
    **dict.fromkeys(("convolve", "correlate"), "a, b; mode"),
    # shapes and pieces
    "len": "a",
    "shape": "a",
    "size": "a",
    "index": "a, i, …",  # each i a number, an expression, or slice, newaxis, ellipsis
    "slice": "from, to, step",  # None is Op("none", ())
    "newaxis": "",
    "ellipsis": "",
    "none": "",
    "eye": "n",
    "zeros": "shape",
    "ones": "shape",
    "full": "shape, a",
    "like": "a, b",  # b in the shape of a: np.zeros_like(a) is like(a, 0)
    "arange": "from, to, step",
    "linspace": "from, to, n",
    "array": "a, b, …",  # np.array([a, b, …]), or a list
    "tuple": "a, b, …",
    **dict.fromkeys(("concatenate", "append", "stack", "hstack", "vstack", "column_stack"), "a, b, …; axis"),
    "block": "rows, each an array",
    "delete": "a, i; axis",
    "reshape": "a, shape",
    "ravel": "a",
    "broadcast_to": "a, shape",
    "repeat": "a, n; axis",
    "tile": "a, n",
    "real": "a",
    # a sum, a list or an array over a loop variable: `sum(f(i) for i in range(n))` is sum of each
    "each": "body, iterable, condition or Number(True), …; targets: the names of its Symbols, as 'i' or 'i,row'",
    "range": "from, to, step",
    "zip": "a, b, …",
    "enumerate": "a",
}


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all that is in it."""
    yield expression
    if isinstance(expression, Op):
        for arg in expression.args:
            yield from walk(arg)


def symbols(expression: Expression) -> set[str]:
    return {e.name for e in walk(expression) if isinstance(e, Symbol)}


def summands(expression: Expression) -> list[tuple[int, Expression]]:
    """The terms of a sum as it is written, each with its sign: a − (b − c) has three."""
    if isinstance(expression, Op):
        if expression.name == "add":
            return summands(expression.args[0]) + summands(expression.args[1])
        if expression.name == "sub":
            return summands(expression.args[0]) + _turned(summands(expression.args[1]))
        if expression.name == "neg":
            return _turned(summands(expression.args[0]))
    return [(1, expression)]


def _turned(terms: list[tuple[int, Expression]]) -> list[tuple[int, Expression]]:
    return [(-sign, term) for sign, term in terms]
