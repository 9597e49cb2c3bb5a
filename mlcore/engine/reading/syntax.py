"""Questions to a syntax tree that reading and counting calls have in common."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mlcore.engine.reading.spelling import Unreadable

SAYINGS: dict[type[ast.AST], str] = {
    ast.While: "it has a while loop",
    ast.Try: "it has a try",
    ast.With: "it has a with",
    ast.Global: "it changes a global name",
    ast.Nonlocal: "it changes a name of another function",
    ast.ClassDef: "it defines a class",
    ast.Delete: "it deletes a name",
    ast.Match: "it has a match",
    ast.Yield: "it is a generator",
    ast.YieldFrom: "it is a generator",
    ast.Await: "it is asynchronous",
    ast.AsyncFunctionDef: "it is asynchronous",
    ast.Dict: "it has a dictionary",
    ast.DictComp: "it has a dictionary",
    ast.Set: "it has a set",
    ast.SetComp: "it has a set",
    ast.JoinedStr: "it makes a text",
}


def says(node: ast.AST) -> str:
    return SAYINGS.get(type(node), f"it has a statement that cannot be read ({type(node).__name__})")


def bound(statements: Sequence[ast.AST]) -> list[str]:
    """The names that statements bind, but those of the functions and comprehensions in them."""
    return list(dict.fromkeys(filter(None, map(_binds, _nodes(statements)))))


def assigned(statements: Sequence[ast.AST]) -> list[str]:
    """The names that statements bind, and the arrays and lists into which they write."""
    return list(dict.fromkeys(name for node in _nodes(statements) if (name := _binds(node) or _writes_into(node))))


def _nodes(statements: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All nodes in order, without the bodies of functions; a comprehension's targets are its own."""
    waiting = list(reversed(statements))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.comprehension):
            waiting += [*reversed(node.ifs), node.iter]
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _binds(node: ast.AST) -> str | None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    return node.id if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) else None


def _writes_into(node: ast.AST) -> str | None:
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return None if isinstance(node.ctx, ast.Load) else node.value.id
    return appending(node)


def appending(node: ast.AST) -> str | None:
    """The list of `parts.append(…)`."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and isinstance(node.func.value, ast.Name)
        and len(node.args) == 1
        and not node.keywords
    ):
        return node.func.value.id
    return None


def bound_in(target: ast.expr) -> list[str]:
    """The names of a loop's target, from left to right."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Tuple | ast.List):
        return [name for part in target.elts for name in bound_in(part)]
    raise Unreadable("it has a loop that writes into something")


def loaded(target: ast.expr) -> ast.expr:
    """What stands left of `+=`, as something to be read."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    raise Unreadable("it writes into a part of something")


def returns(statement: ast.stmt) -> bool:
    """Does a branch of it return?"""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            return True
        if not isinstance(node, ast.FunctionDef | ast.expr):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def is_none_test(node: ast.expr) -> bool:
    """`x is None`, `x is not None`."""
    return (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.Is | ast.IsNot)
        and isinstance(node.comparators[0], ast.Constant)
        and node.comparators[0].value is None
    )
