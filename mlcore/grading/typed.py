"""Catalogued answers as a student would type them: from a function of the catalogue back to source code."""

from __future__ import annotations

import ast
import functools
import inspect
import math
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from mlcore.engine.exercises import but


class Untypable(Exception):
    """This answer cannot be written down, as it leans on something that is not code or numbers."""


def typed(name: str, answer: Any) -> str:
    """Source code that binds `name` to the answer, with the helpers that it needs before it."""
    if not callable(answer):
        return f"{name} = {literal(answer)}\n"
    writer = _Writer(name)
    code = writer.definition(name, answer)
    return "".join([*writer.imports.values(), *(f"{text}\n\n" for text in writer.helpers.values()), code])


def literal(value: Any) -> str:
    match value:
        case bool() | None | str():
            return repr(value)
        case int() | float() | np.integer() | np.floating():
            number = value.item() if isinstance(value, np.generic) else value
            return repr(number) if math.isfinite(number) else f'float("{number}")'
        case np.bool_():
            return repr(bool(value))
        case tuple():
            return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
        case list():
            return "[" + ", ".join(map(literal, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
        case np.ndarray() if value.dtype.kind in "buif" and np.isfinite(value).all():
            return f"np.array({value.tolist()!r})" if value.size else f"np.zeros({value.shape})"
    raise Untypable(type(value).__name__)


class _Writer:
    """Follows the names in a function to what they stand for."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.imports: dict[str, str] = {}
        self.helpers: dict[str, str] = {}

    def definition(self, name: str, function: Callable) -> str:
        """`def name(...)`, or `name = ...` for a function of mlcore or numpy's own."""
        function = inspect.unwrap(function)
        if not isinstance(function, FunctionType) or not _is_content(function):
            return f"{name} = {self._reference(function)}\n"
        node = _node(function.__code__)
        renamed = self._follow(function, node)
        node = _Rename(renamed).visit(_copy(node))
        if isinstance(node, ast.Lambda):
            new = ast.parse(f"def {name}():\n    return 0").body[0]
            assert isinstance(new, ast.FunctionDef)
            new.args, new.body = node.args, [ast.Return(node.body)]
            node = new
        node.name, node.decorator_list = name, []
        return ast.unparse(ast.fix_missing_locations(node)) + "\n"

    def _follow(self, function: FunctionType, node: ast.AST) -> dict[str, str]:
        """Write down what the function's free names stand for; returns their new names."""
        bound = {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
        bound |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        cells = inspect.getclosurevars(function).nonlocals
        renamed = {}
        for name in sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - bound):
            if name in cells:
                renamed[name] = self._helper(f"_{self.owner}_{name}", cells[name])
            elif name in function.__globals__:
                renamed[name] = self._global(name, function.__globals__[name])
        return renamed

    def _global(self, name: str, value: Any) -> str:
        if isinstance(value, ModuleType):
            package, _, module = value.__name__.rpartition(".")
            alias = "" if module == name else f" as {name}"
            source = f"from {package} import {module}{alias}\n" if package else f"import {module}{alias}\n"
            self.imports[name] = source
            return name
        return self._helper(f"_{name.lstrip('_')}", value)

    def _helper(self, name: str, value: Any) -> str:
        if name not in self.helpers:
            self.helpers[name] = ""  # a function may call itself
            text = self.definition(name, value) if callable(value) else f"{name} = {literal(value)}\n"
            self.helpers[name] = self.helpers.pop(name) + text  # behind what it needs
        return name

    def _reference(self, function: Any) -> str:
        module, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
        if isinstance(function, np.ufunc) or (module or "").startswith("numpy"):
            if getattr(np, name, None) is function:
                self.imports["np"] = "import numpy as np\n"
                return f"np.{name}"
        elif module and module.startswith("mlcore.") and isinstance(function, FunctionType):
            package, _, slug = module.rpartition(".")
            self.imports[slug] = f"from {package} import {slug}\n"
            return f"{slug}.{name}"
        raise Untypable(repr(function))


class _Rename(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _is_content(function: FunctionType) -> bool:
    """Is it written in a checks file, or made there by `but`?"""
    return function.__module__.startswith("mlcore.checks.") or function.__code__ in but.__code__.co_consts


def _copy(node: ast.AST) -> Any:
    return ast.parse(ast.unparse(node)).body[0] if isinstance(node, ast.FunctionDef) else _expression(node)


def _expression(node: ast.AST) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


@functools.cache
def _functions(file: str) -> list[ast.FunctionDef | ast.Lambda]:
    with open(file, encoding="utf-8") as source:
        tree = ast.parse(source.read())
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]


def _node(code: CodeType) -> ast.AST:
    """The function or lambda in the source that this code was compiled from."""
    here = [n for n in _functions(code.co_filename) if _first_line(n) == code.co_firstlineno]
    if code.co_name != "<lambda>":
        here = [n for n in here if isinstance(n, ast.FunctionDef) and n.name == code.co_name]
    else:
        here = [n for n in here if isinstance(n, ast.Lambda) and _covers(n, code)]
    if not here:
        raise Untypable(f"{code.co_name} in {code.co_filename}")
    return here[-1]  # the innermost


def _first_line(node: ast.FunctionDef | ast.Lambda) -> int:
    decorators = [d.lineno for d in node.decorator_list] if isinstance(node, ast.FunctionDef) else []
    return min([node.lineno, *decorators])


def _covers(node: ast.Lambda, code: CodeType) -> bool:
    """Several lambdas may begin on one line: the places of their instructions tell them apart."""
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    places = (p for p in code.co_positions() if None not in p and p[3])
    return all(begin <= (line, column) and (last, until) <= end for line, last, column, until in places)


def names_bound(source: str) -> Iterator[tuple[ast.stmt, set[str]]]:
    """The top-level statements of a cell with the names that each binds."""
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement, {statement.name}
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield statement, {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        else:
            yield statement, set()
