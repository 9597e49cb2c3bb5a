"""The mutants of a notebook cell: its solution with one place of its syntax tree changed.

Operators, constants, comparisons, names and arguments are exchanged; terms, factors, transposes, keywords and bounds
are dropped.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import Any

OPERATORS: dict[type, Any] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
COMPARISONS = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
PAIRS = (
    "sum mean, max min, argmax argmin, maximum minimum, any all, zeros ones, triu tril, floor ceil, var std, sin cos"
)
COUSINS = {a: b for pair in PAIRS.split(", ") for a, b in (pair.split(), pair.split()[::-1])}
COUSINS |= {"log": "log2", "exp": "expm1", "median": "mean", "cumsum": "cumprod", "eigh": "eig"}


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """What was changed, and the cell with this one change, for every change between BEGIN and END SOLUTION."""
    tree = ast.parse(source)
    theirs = _solution_lines(source)
    seen = {ast.unparse(tree)}
    for statement in tree.body:
        exchange = _neighbours(statement)
        for parent, place, child in _places(statement):
            if (line := getattr(child, "lineno", None)) not in theirs:
                continue
            for new in _variants(child, exchange):
                place(new)
                if (text := ast.unparse(tree)) not in seen:
                    seen.add(text)
                    yield f"line {line}: {_short(child, parent)} → {_short(new, parent)}", text
            place(child)


def _solution_lines(source: str) -> set[int]:
    inside, found = False, set()
    for number, line in enumerate(source.splitlines(), start=1):
        inside = "BEGIN SOLUTION" in line or (inside and "END SOLUTION" not in line)
        if inside:
            found.add(number)
    return found


def _places(root: ast.AST) -> Iterator[tuple[ast.AST, Any, ast.AST]]:
    """Every node below `root`, with its parent and a function that puts another in its place."""
    for parent in ast.walk(root):
        for name, value in list(ast.iter_fields(parent)):
            if isinstance(value, ast.AST):
                yield parent, functools.partial(setattr, parent, name), value
            elif isinstance(value, list):
                for i, child in enumerate(value):
                    if isinstance(child, ast.AST):
                        yield parent, functools.partial(value.__setitem__, i), child


def _neighbours(statement: ast.AST) -> dict[str, str]:
    """For each parameter the next one, and for each local variable the next one."""
    parameters = list(dict.fromkeys(n.arg for n in ast.walk(statement) if isinstance(n, ast.arg)))
    stored = (n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    local = [name for name in dict.fromkeys(stored) if name not in parameters]
    return {a: b for names in (parameters, local) for a, b in zip(names, [*names[1:], *names[:1]], strict=True)}


def _variants(node: ast.AST, exchange: dict[str, str]) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(left, op, right):
            yield ast.BinOp(left, OPERATORS[type(op)](), right)
            if not isinstance(op, ast.Add | ast.Mult):
                yield ast.BinOp(right, op, left)
            yield left
            yield right
        case ast.BoolOp(op, values):
            yield ast.BoolOp(OPERATORS[type(op)](), values)
            yield from values
        case ast.AugAssign(target, op, value):
            yield ast.AugAssign(target, OPERATORS[type(op)](), value)
            yield ast.Assign([target], value, lineno=node.lineno)
            yield ast.Pass()
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Compare(left, [op], [right]):
            yield from (ast.Compare(left, [other()], [right]) for other in COMPARISONS.get(type(op), ()))
        case ast.Constant(value):
            yield from map(ast.Constant, _other_constants(value))
        case ast.Name(name, ast.Load()) if name in exchange:
            yield ast.Name(exchange[name], ast.Load())
        case ast.Attribute(value, "T"):
            yield value
        case ast.Attribute(value, name) if name in COUSINS:
            yield ast.Attribute(value, COUSINS[name], ast.Load())
        case ast.Name(name) if name in COUSINS:
            yield ast.Name(COUSINS[name], ast.Load())
        case ast.Call(function, args, keywords):
            if len(args) > 1:
                yield ast.Call(function, [args[1], args[0], *args[2:]], keywords)
            yield from (ast.Call(function, args, [k for k in keywords if k is not gone]) for gone in keywords)
            if ast.unparse(function) == "range":
                yield from (
                    ast.Call(function, [*args[:-1], ast.BinOp(args[-1], op(), ast.Constant(1))], keywords)
                    for op in (ast.Add, ast.Sub)
                )
            elif len(args) == 1:
                yield args[0]
        case ast.Subscript(value, ast.Tuple(elts)) if any(
            isinstance(e, ast.Constant) and e.value is None for e in elts
        ):
            yield value
        case ast.Slice(lower, upper, step):
            for kept in ((None, upper, step), (lower, None, step), (lower, upper, None)):
                yield ast.Slice(*kept)
        case ast.IfExp(_, body, orelse):
            yield body
            yield orelse
        case ast.If(test, body, orelse) | ast.While(test, body, orelse):
            yield type(node)(ast.UnaryOp(ast.Not(), test), body, orelse)


def _other_constants(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    return [2 * value, value + 1] if isinstance(value, float) else []


def _short(node: ast.AST, parent: ast.AST) -> str:
    context = ast.unparse(node).splitlines()[0] or ast.unparse(parent)
    return context if len(context) <= 60 else context[:59] + "…"
