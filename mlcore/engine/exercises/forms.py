"""Was the step done? Rules that a line's source is held to, where its value cannot show it.

A line that the reader cannot read is held only to those that its syntax can show: a right answer is never refused
because it is unusual.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.engine.reading import calls, normal
from mlcore.engine.reading.evaluate import CannotEvaluate, evaluate
from mlcore.engine.reading.expression import Expression, Op, Symbol, symbols, walk
from mlcore.engine.reading.source import Definition

# Functions that find a derivative or a coefficient from values, by the last part of their name.
_BY_NUMBERS = {
    "approx_fprime", "approx_derivative", "derivative", "gradient", "jacobian", "hessian", "grad", "jacfwd", "jacrev",
    "polyfit", "fit", "chebfit", "interp", "interp1d", "lagrange", "curve_fit", "CubicSpline",
}  # fmt: skip
# Whole libraries that do so.
_LIBRARIES = ("scipy.optimize.", "scipy.interpolate.", "scipy.differentiate.", "scipy.misc.", "autograd.", "jax.")
# What makes code out of text, or takes it out of sight; the modules by their names.
_OUT_OF_SIGHT = {"eval", "exec", "compile", "__import__", "globals", "locals", "vars", "yield"}
_OUT_OF_SIGHT |= {
    "inspect",
    "gc",
    "types",
    "sys",
    "threading",
    "multiprocessing",
    "concurrent",
    "ctypes",
    "importlib",
    "contextlib",
}


_LONG = 8  # nodes: shorter expressions may well be alike


@dataclass(frozen=True, eq=False)
class Form:
    """What the expression of a line must be like, and what to say if it is not."""

    says: str
    holds: Callable[[Expression, Mapping[str, Any]], bool]


def expanded(name: str, says: str) -> Form:
    """No bracket that holds `name` is left to be multiplied out."""
    return Form(says, lambda expression, variables: normal.expanded(normal.normal(expression, variables), name))


def without(operation: str, says: str) -> Form:
    """The operation does not occur."""
    return Form(says, lambda expression, variables: all(_name(part) != operation for part in walk(expression)))


def _name(expression: Expression) -> str:
    return expression.name if isinstance(expression, Op) else ""


def out_of_sight(definition: Definition) -> str:
    """What it uses that makes code out of text or takes it out of sight, or ''."""
    used = sorted(calls.foreign(definition))
    return next((n for n in used if n.startswith(".__") or n.partition(".")[0] in _OUT_OF_SIGHT), "").lstrip(".")


def found_by_numbers(definition: Definition, expression: Expression | None, names: Sequence[str]) -> bool:
    """Does it call a function that differentiates, fits or searches, step aside by an imaginary number, or subtract a
    formula from itself?"""
    if any(_is_by_numbers(name) for name in calls.foreign(definition)):
        return True
    own = [definition.node, *(one.definition.node for one in calls.called(definition))]
    if any(_steps_into_the_imaginary(node) or _steps_aside(node) for one in own for node in ast.walk(one)):
        return True
    if expression is None:
        return any(_lists_points(node) for one in own for node in ast.walk(one))
    return any(_is_difference(part, names) or _is_at_points(part, names) for part in walk(expression))


def _is_by_numbers(name: str) -> bool:
    """Of a function that is not the student's; a name without a dot may well be."""
    return "." in name and (name.rpartition(".")[2] in _BY_NUMBERS or name.startswith(_LIBRARIES))


def _is_at_points(expression: Expression, names: Sequence[str]) -> bool:
    """`w + h * [-1, 0, 1]`, `[-1, 0, 1] * w`, `[-1, 1] @ values`: a variable together with a list of numbers; or
    `I[:, None] + I`, the sums of unit vectors."""
    if not (isinstance(expression, Op) and expression.name in ("add", "sub", "mul", "matmul", "outer")):
        return False
    sides = expression.args
    if expression.name in ("add", "sub") and all(_is_of_units(side, names) for side in sides):
        return True
    return any(_is_a_list(a) and symbols(b) & set(names) for a, b in (sides, sides[::-1]))


def _is_of_units(expression: Expression, names: Sequence[str]) -> bool:
    return _is_number(expression, names) and any(_name(part) == "eye" for part in walk(expression))


def _is_a_list(expression: Expression) -> bool:
    """Different numbers that somebody chose; a unit matrix is none, nor is what is as long as a variable."""
    if symbols(expression) or not any(_name(part) in _CHOSEN for part in walk(expression)):
        return False
    try:
        value = evaluate(expression, {})
    except CannotEvaluate:
        return False
    return np.ndim(value) > 0 and np.unique(value).size > 1


_CHOSEN = {"array", "arange", "linspace", "tuple", "range", "each"}


def _lists_points(node: ast.AST) -> bool:
    """`[-1, 0, 1]` in code that cannot be read: several numbers, and not only 0, 1, 2, … as an index would be."""
    if not isinstance(node, ast.List | ast.Tuple):
        return False
    try:
        value = np.asarray(ast.literal_eval(node), dtype=float)
    except (ValueError, TypeError):
        return False
    return np.unique(value).size > 1 and bool(np.any((value < 0) | (value % 1 != 0)))


def _steps_aside(node: ast.AST) -> bool:
    """`f(v + h) - f(v - h)` or `f(v + h) - f(v)`, with a function of the student's."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)):
        return False
    left, right = node.left, node.right
    if not (isinstance(left, ast.Call) and isinstance(right, ast.Call) and isinstance(left.func, ast.Name)):
        return False
    if ast.dump(left.func) != ast.dump(right.func) or len(left.args) != len(right.args):
        return False
    others = [(a, b) for a, b in zip(left.args, right.args, strict=True) if ast.dump(a) != ast.dump(b)]
    return len(others) == 1 and _is_aside(*others[0])


def _is_aside(a: ast.expr, b: ast.expr) -> bool:
    """v + h and v − h, or v + h and v."""
    (v, h), (u, g) = _shift(a), _shift(b)
    return (v == u and h == g) or (v == ast.dump(b) and not g) or (u == ast.dump(a) and not h)


def _shift(node: ast.expr) -> tuple[str, str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return ast.dump(node.left), ast.dump(node.right)
    return ast.dump(node), ""


def _steps_into_the_imaginary(node: ast.AST) -> bool:
    """`v + 1j * h`, `1j * v`: an imaginary number that is more than 0, together with a name."""
    if not isinstance(node, ast.BinOp):
        return False
    inside = list(ast.walk(node))
    imaginary = any(isinstance(n, ast.Constant) and isinstance(n.value, complex) and n.value.imag for n in inside)
    return imaginary and any(isinstance(n, ast.Name) for n in inside)


def _is_difference(expression: Expression, names: Sequence[str]) -> bool:
    """f(v + h) − f(v − h), written out: two sides that are alike but that a variable is moved in one of them."""
    if not (isinstance(expression, Op) and expression.name == "sub"):
        return False
    left, right = expression.args
    if left == right or sum(1 for _ in walk(left)) < _LONG or _is_shift(left, right, names):
        return False
    return _differ_by_a_shift(left, right, names)


def _differ_by_a_shift(a: Expression, b: Expression, names: Sequence[str]) -> bool:
    if a == b or _is_shift(a, b, names):
        return True
    if (v := _unmoved(a, names)) is not None and v == _unmoved(b, names):
        return True
    if not (isinstance(a, Op) and isinstance(b, Op) and len(a.args) == len(b.args)):
        return False
    if (a.name, a.options) != (b.name, b.options):
        return False
    return all(_differ_by_a_shift(x, y, names) for x, y in zip(a.args, b.args, strict=True))


def _is_shift(a: Expression, b: Expression, names: Sequence[str]) -> bool:
    """u + h and u − h, or u + h and u, with a number h."""
    return a != b and _unshifted(a, names) == _unshifted(b, names)


def _unshifted(expression: Expression, names: Sequence[str]) -> Expression:
    if isinstance(expression, Op) and expression.name in ("add", "sub"):
        left, right = expression.args
        if _is_number(right, names):
            return left
        if expression.name == "add" and _is_number(left, names):
            return right
    return expression


def _is_number(expression: Expression, names: Sequence[str]) -> bool:
    """Is there no variable in it, but for its length?"""
    if isinstance(expression, Op):
        return expression.name in ("len", "shape", "size") or all(_is_number(arg, names) for arg in expression.args)
    return not (isinstance(expression, Symbol) and expression.name in names)


def _unmoved(expression: Expression, names: Sequence[str]) -> Symbol | None:
    """v, if this is v + h, v − h, −v or h·v with an h in which there is no other variable."""
    if isinstance(expression, Symbol):
        return expression if expression.name in names else None
    if isinstance(expression, Op) and expression.name in ("add", "sub", "neg", "mul"):
        sides = expression.args if expression.name == "mul" else expression.args[:1]
        for side in sides:
            v = _unmoved(side, names)
            if v is not None and symbols(expression) & set(names) == {v.name}:
                return v
    return None
