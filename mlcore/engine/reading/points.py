"""At which points does a line evaluate the formula of another line?

A formula occurs where its tree stands with something else in the place of its variables. `(X @ -w - y) @ (X @ -w - y)`
is `(X @ w - y) @ (X @ w - y)` at the point −w: whoever writes that takes the formula apart by numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mlcore.engine.reading.evaluate import CannotEvaluate, evaluate
from mlcore.engine.reading.expression import Expression, Number, Op, Symbol, summands, symbols, walk

LONG = 8  # nodes: a shorter formula may well stand in another by chance
MAX_TRIES = 50_000
WRAPPERS = {"sum", "mean", "index", "log"}
EITHER_WAY = {"add", "mul", "maximum", "minimum", "equal"}

Binding = dict[str, Expression]


def moved(formula: Expression, names: Sequence[str], expression: Expression, example: Mapping[str, Any]) -> bool:
    """Does the formula, or a long term of it, occur at another point than at the variables themselves?

    A point is another one if a variable is moved by numbers or has become one: w + h, −w, 0·w, 1. What has another
    variable in its place is another formula, and one row of X is a part of it. Where the formula has the same value
    there, but for its sign, it is only spelt so: −y·log p is −(y·log p).
    """
    loops = _loops(expression)

    def moves(pattern: Expression, binding: Binding) -> bool:
        elsewhere = any(_is_elsewhere(name, value, names, loops) for name, value in binding.items())
        return elsewhere and not _is_spelling(pattern, binding, example)

    return any(
        moves(pattern, binding)
        for pattern in {term for term in terms(formula) if _is_long(term)}
        if not any(moves(pattern, there) for there in _occurrences(pattern, names, formula))
        for binding in _occurrences(pattern, names, expression)
    )


def _is_spelling(pattern: Expression, binding: Binding, example: Mapping[str, Any]) -> bool:
    """Has the formula at a point the value that it has at the variables, or that with a minus?"""
    try:
        point = {name: evaluate(value, example) for name, value in binding.items()}
        here, there = (np.asarray(evaluate(pattern, at), dtype=float) for at in (example, {**example, **point}))
    except (CannotEvaluate, TypeError, ValueError):
        return False
    return here.shape == there.shape and (np.allclose(here, there) or np.allclose(here, -there))


def terms(formula: Expression) -> Iterator[Expression]:
    """A formula, its summands, and what a sum, a mean or a logarithm around it is of."""
    yield formula
    if isinstance(formula, Op) and formula.name in (*WRAPPERS, "neg"):
        yield from terms(formula.args[0])
    if len(parts := summands(formula)) > 1:
        for _, part in parts:
            yield from terms(part)


def _is_long(formula: Expression) -> bool:
    return sum(1 for _ in walk(formula)) >= LONG


def _is_elsewhere(name: str, value: Expression, names: Sequence[str], loops: Mapping[str, set[str]]) -> bool:
    told = {real for symbol in symbols(value) for real in loops.get(symbol, {symbol})}
    return value != Symbol(name) and told & set(names) <= {name} and _is_moved(name, value)


def _is_moved(name: str, value: Expression) -> bool:
    """Is it the variable in sums with numbers and products with them, or a number? Its mean is something else."""
    if isinstance(value, Op) and value.name in ("add", "sub", "neg", "mul", "div"):
        return all(_is_moved(name, arg) for arg in value.args)
    return value == Symbol(name) or name not in symbols(value)


def _loops(expression: Expression) -> dict[str, set[str]]:
    """What the variables of loops run over."""
    return {
        target: symbols(node.args[1])
        for node in walk(expression)
        if isinstance(node, Op) and node.name == "each"
        for target in str(node.option("targets")).split(",")
    }


def _occurrences(formula: Expression, names: Sequence[str], expression: Expression) -> Iterator[Binding]:
    """What stands in the place of the variables, wherever the formula occurs."""
    tries = iter(range(MAX_TRIES))
    seen: set[int] = set()
    for node in walk(expression):
        if id(node) not in seen:
            seen.add(id(node))
            yield from _matches(formula, node, {}, frozenset(names), tries)


def _matches(
    formula: Expression, node: Expression, binding: Binding, names: frozenset[str], tries: Iterator[int]
) -> Iterator[Binding]:
    if next(tries, None) is None:
        return
    if isinstance(formula, Symbol) and formula.name in names:
        if formula.name not in binding:
            yield {**binding, formula.name: node}
        elif binding[formula.name] == node:
            yield binding
    elif isinstance(formula, Op):
        if isinstance(node, Op) and (node.name, node.options) == (formula.name, formula.options):
            orders = [node.args, node.args[::-1]] if node.name in EITHER_WAY else [node.args]
            for args in orders if len(node.args) == len(formula.args) else ():
                yield from _all_match(formula.args, args, binding, names, tries)
    elif formula == node or (isinstance(formula, Number) and isinstance(node, Number) and formula.value == node.value):
        yield binding


def _all_match(
    formulas: Sequence[Expression],
    nodes: Sequence[Expression],
    binding: Binding,
    names: frozenset[str],
    tries: Iterator[int],
) -> Iterator[Binding]:
    if not formulas:
        yield binding
        return
    for more in _matches(formulas[0], nodes[0], binding, names, tries):
        yield from _all_match(formulas[1:], nodes[1:], more, names, tries)


# --- in code that cannot be read ---


def stands_in(formula: ast.FunctionDef | ast.Lambda, node: ast.AST, elsewhere: bool) -> bool:
    """Does the one expression that a function returns occur in a piece of code, whatever its variables are called?

    With `elsewhere`, only where they are not called as they are.
    """
    body = formula.body if isinstance(formula, ast.Lambda) else _returned(formula)
    if body is None or sum(isinstance(n, ast.expr) for n in ast.walk(body)) < LONG:
        return False
    names = {arg.arg for arg in formula.args.args}
    return any(_occurs(body, n, names, elsewhere) for n in ast.walk(node))


def _occurs(body: ast.expr, node: ast.AST, names: set[str], elsewhere: bool) -> bool:
    binding: dict[str, str] = {}
    if not _alike(body, node, names, binding):
        return False
    return not elsewhere or any(value != ast.dump(ast.Name(name, ast.Load())) for name, value in binding.items())


def _returned(function: ast.FunctionDef) -> ast.expr | None:
    statements = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return statements[0].value if len(statements) == 1 and isinstance(statements[0], ast.Return) else None


def _alike(formula: ast.AST, node: ast.AST, names: set[str], binding: dict[str, str]) -> bool:
    if isinstance(formula, ast.Name) and formula.id in names:
        return binding.setdefault(formula.id, ast.dump(node)) == ast.dump(node)
    if type(formula) is not type(node):
        return False
    pairs = [(getattr(formula, field, None), getattr(node, field, None)) for field in formula._fields if field != "ctx"]
    return all(_alike_field(a, b, names, binding) for a, b in pairs)


def _alike_field(a: object, b: object, names: set[str], binding: dict[str, str]) -> bool:
    if isinstance(a, ast.AST):
        return isinstance(b, ast.AST) and _alike(a, b, names, binding)
    if isinstance(a, list):
        return (
            isinstance(b, list)
            and len(a) == len(b)
            and all(_alike_field(x, y, names, binding) for x, y in zip(a, b, strict=True))
        )
    return a == b
