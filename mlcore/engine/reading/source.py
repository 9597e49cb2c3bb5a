"""Where a function was written: its node in the syntax tree, and what the names in it stand for.

Nothing of a student's is executed. Of live objects only functions, modules and plain numbers are looked at, by their
exact types; of the cells of a notebook, only their text.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import linecache
import math
import re
import sys
import warnings
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from mlcore.engine.reading.expression import Expression, Number

MAX_TEXT = 400_000  # characters of a cell or a file; nobody writes more
MAX_WRAPPED = 20
HOSTILE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)  # what the parser raises for bad text
CELL_MAGICS_IN_PYTHON = ("time", "capture", "prun")  # the rest of such a cell runs in the notebook's own namespace


class Scope:
    """What names stand for, at one place of a source."""

    def look_up(self, name: str) -> Found:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Definition:
    """A function as it was written, and the scope that its names are looked up in."""

    node: ast.FunctionDef | ast.Lambda
    scope: Scope
    name: str = "<lambda>"

    @property
    def parameters(self) -> list[str]:
        """The names of the arguments that can be given by position."""
        return [arg.arg for arg in (*self.node.args.posonlyargs, *self.node.args.args)]


@dataclass(frozen=True)
class Dotted:
    """Something of a module, or a module, or a builtin: `np.linalg.solve`, `np`, `sum`. numpy is always `np`."""

    name: str

    def of(self, attribute: str) -> Dotted:
        return Dotted(f"{self.name}.{attribute}")


@dataclass(frozen=True, eq=False)
class Written:
    """An expression that a name was assigned at top level, to be read where it is needed."""

    node: ast.expr
    scope: Scope


@dataclass(frozen=True, eq=False)
class Holder:
    """What has functions of the student's in it: a class, an object of one, a list, a function made of another."""

    functions: tuple[Definition, ...]


Found = Definition | Expression | Dotted | Written | Holder | None


def dotted(module: str, *attributes: str) -> Dotted:
    """A module's name, with numpy as `np`, and what is asked of it."""
    first, *rest = module.split(".")
    return Dotted(".".join(["np" if first == "numpy" else first, *rest, *attributes]))


def imported(statement: ast.Import | ast.ImportFrom) -> dict[str, Dotted]:
    """What an import binds."""
    names: dict[str, Dotted] = {}
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            first = alias.name.split(".")[0]
            names[alias.asname or first] = dotted(alias.name if alias.asname else first)
        elif alias.name == "*":
            for name in _public(statement.module or ""):
                names[name] = dotted(statement.module or "", name)
        else:
            names[alias.asname or alias.name] = dotted(statement.module or "", alias.name)
    return names


def methods(node: ast.ClassDef, scope: Scope) -> tuple[Definition, ...]:
    """The functions of a class, and of the classes in it."""
    return tuple(Definition(n, scope, n.name) for n in ast.walk(node) if isinstance(n, ast.FunctionDef))


def builtin(name: str) -> Dotted | None:
    return Dotted(name) if name in vars(builtins) else None


def _public(module: str) -> list[str]:
    known = {"numpy": list(np.__all__), "math": dir(math), "numpy.linalg": list(np.linalg.__all__)}
    return [name for name in known.get(module, []) if not name.startswith("_")]


# --- a live function ---


def of_function(function: object) -> Definition | None:
    """Where a live function was written; None where there is no source."""
    if type(function) is not FunctionType:
        return None
    for _ in range(MAX_WRAPPED):
        inner = function.__dict__.get("__wrapped__")
        if type(inner) is not FunctionType or not _is_decorated(inner):
            break
        function = inner
    return _of_plain(function, function.__code__.co_name)


def _is_decorated(function: FunctionType) -> bool:
    """Does its text say that something is put around it? A `__wrapped__` that was set by hand is a decoy."""
    node = _node_of(function.__code__)
    return isinstance(node, ast.FunctionDef) and bool(node.decorator_list)


def of_answer(answer: object) -> Definition | None:
    """Where an answer was written: beside the function, or among the cells of the shell, as after `%%time`."""
    if found := of_function(answer):
        return found
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if type(answer) is not FunctionType or shell is None:
        return None
    cells = [cell for cell in shell.user_ns.get("In", ()) if type(cell) is str]
    code = answer.__code__
    found = of_cells(cells, [code.co_name])[0]
    return found if found is not None and any(_compiles_to(cell, code) for cell in reversed(cells)) else None


def _compiles_to(cell: str, code: CodeType) -> bool:
    """Is it the code of a function of this cell?"""
    tree = _parsed(cell) or _parsed(_without_magics(cell))
    try:
        waiting = [compile(tree, "<cell>", "exec")] if tree else []
    except HOSTILE:
        return False
    while waiting:
        one = waiting.pop()
        if (one.co_name, one.co_code, one.co_names) == (code.co_name, code.co_code, code.co_names):
            return True
        waiting += [const for const in one.co_consts if isinstance(const, CodeType)]
    return False


def _of_plain(function: FunctionType, name: str) -> Definition | None:
    node = _node_of(function.__code__)
    return None if node is None else Definition(node, _Live(function), name)


class _Live(Scope):
    """The names that a live function sees: in its closure, its globals and the builtins."""

    def __init__(self, function: FunctionType) -> None:
        self._globals = function.__globals__
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    def look_up(self, name: str) -> Found:
        if name in self._cells:
            try:
                return self._found(self._cells[name].cell_contents, name)
            except ValueError:  # nothing is in it yet
                return None
        if name in self._globals:
            return self._found(self._globals[name], name)
        return builtin(name)

    def _found(self, value: Any, name: str) -> Found:
        kind = type(value)
        if kind is FunctionType:
            if value.__globals__ is self._globals:
                return _of_plain(value, name) if "__wrapped__" not in value.__dict__ else of_function(value)
            module = value.__module__
            return dotted(module, value.__name__) if type(module) is str else None
        if kind is ModuleType:
            module = value.__dict__.get("__name__")
            return dotted(module) if type(module) is str else None
        if kind in (bool, int, float):
            return Number(value)
        if kind in (np.float64, np.int64, np.bool_):
            return Number(value.item())
        if kind in (list, tuple, np.ndarray) and (node := _numbers(value.tolist() if kind is np.ndarray else value)):
            return Written(node if kind is not np.ndarray else _array_of(node), _NUMPY)
        return _known_functions().get(id(value)) or self._held(value)

    def _held(self, value: Any) -> Holder | None:
        """The student's functions that are in an object. Nothing of it is asked that could run code of its own."""
        inside = [function for thing in (value, *_items(value)) for function in _inside(thing)]
        own = [_of_plain(function, function.__name__) for function in inside if function.__globals__ is self._globals]
        found = tuple(definition for definition in own if definition is not None)
        return Holder(found) if found else None


class _OnlyNumpy(Scope):
    def look_up(self, name: str) -> Found:
        return Dotted("np") if name == "np" else None


_NUMPY = _OnlyNumpy()


def _numbers(value: Any) -> ast.expr | None:
    """A number, or a list or tuple of them, as it would be written."""
    if type(value) in (bool, int, float):
        return ast.Constant(value)
    if type(value) not in (list, tuple) or not 0 < len(value) <= MAX_HELD:
        return None
    parts = [part for part in map(_numbers, value) if part is not None]
    if len(parts) < len(value):
        return None
    return ast.List(parts, ast.Load()) if type(value) is list else ast.Tuple(parts, ast.Load())


def _array_of(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), "array", ast.Load()), [node], [])


MAX_HELD = 50  # entries of a list


def _items(value: Any) -> list[Any]:
    kind = type(value)
    if kind in (list, tuple):
        return list(value[:MAX_HELD])
    if kind is SimpleNamespace:
        value, kind = value.__dict__, dict
    return list(itertools.islice(value.values(), MAX_HELD)) if kind is dict else []


def _inside(value: Any) -> list[FunctionType]:
    """The functions that a value is made of, if it is a function, a class of a notebook, or an object of one."""
    kind = type(value)
    if kind is FunctionType:
        return [value]
    if kind is np.vectorize:
        return _inside(value.__dict__.get("pyfunc"))
    if kind is functools.partial:
        return _inside(value.func)
    if kind is MethodType:
        return _inside(value.__func__)
    if type(kind) is type and kind is not type and kind.__flags__ & _HEAP:
        return _methods(kind)
    return _methods(value) if kind is type and value.__flags__ & _HEAP else []


_HEAP = 1 << 9  # the flag of a class that was written in Python: not numpy's own


def _methods(kind: type) -> list[FunctionType]:
    plain = (v.__func__ if type(v) in (staticmethod, classmethod) else v for v in kind.__dict__.values())
    return [function for function in plain if type(function) is FunctionType]


@functools.cache
def _known_functions() -> Mapping[int, Dotted]:
    """The functions of numpy and math, which `from numpy import exp` makes names of. They live as long as we do."""
    known: dict[int, Dotted] = {}
    for module in (np, np.linalg, math, builtins):
        for name in sorted(vars(module)):
            value = vars(module)[name]
            if callable(value) and not name.startswith("_"):
                found = Dotted(name) if module is builtins else dotted(module.__name__, name)
                known.setdefault(id(value), found)
    return MappingProxyType(known)


def _node_of(code: CodeType) -> ast.FunctionDef | ast.Lambda | None:
    """The node that was compiled to `code`, by its place in the text."""
    try:
        text = "".join(linecache.getlines(code.co_filename))
    except HOSTILE:
        return None
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    nodes = [
        node
        for node in _functions_of(text).get((code.co_firstlineno, code.co_name), ())
        if tuple(arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)) == names
    ]
    if len(nodes) > 1:
        places = set(code.co_positions())
        nodes = [node for node in nodes if isinstance(node, ast.Lambda) and _place(node.body) in places]
    return nodes[0] if len(nodes) == 1 else None


def _place(node: ast.expr) -> tuple[int | None, int | None, int | None, int | None]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


@functools.lru_cache(maxsize=256)
def _functions_of(text: str) -> Mapping[tuple[int, str], Sequence[ast.FunctionDef | ast.Lambda]]:
    """All functions of a text, by first line (that of a decorator, if there is one) and name."""
    found: dict[tuple[int, str], list[ast.FunctionDef | ast.Lambda]] = {}
    tree = _parsed(text)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.FunctionDef):
            line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.setdefault((line, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
    return MappingProxyType(found)


def _parsed(text: str) -> ast.Module | None:
    if len(text) > MAX_TEXT:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _without_async(ast.parse(text))
    except HOSTILE:
        return None


def _without_async(tree: ast.Module) -> ast.Module:
    """A coroutine is read as a function: it evaluates what stands in it."""
    for parent in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(parent, field, None)
            if isinstance(statements, list):
                statements[:] = [_plain_function(s) if isinstance(s, ast.AsyncFunctionDef) else s for s in statements]
    return tree


def _plain_function(node: ast.AsyncFunctionDef) -> ast.FunctionDef:
    return ast.copy_location(ast.FunctionDef(**{name: getattr(node, name) for name in node._fields}), node)


# --- the cells of a notebook ---


def of_cells(cells: Sequence[str], names: Sequence[str]) -> list[Definition | None]:
    """What the names stand for when the cells have run one after the other; None for what is no function."""
    history = _History()
    for text in cells:
        tree = _parsed(text) or _parsed(_without_magics(text))
        for statement in tree.body if tree else ():
            history.note(statement)
    scope = _Cells(history, None)
    return [
        found if isinstance(found := scope.look_up(name), Definition) and history.is_sure_of(name) else None
        for name in names
    ]


class _History:
    """What was bound to each name at top level, in order of time."""

    def __init__(self) -> None:
        self.time = 0
        self.bound: dict[str, list[tuple[int, Found]]] = {}
        self.blind = 0  # when code made out of text ran last: it may have bound any name

    def bind(self, name: str, found: Found) -> None:
        self.bound.setdefault(name, []).append((self.time, found))

    def is_sure_of(self, name: str) -> bool:
        return bool(self.bound.get(name)) and self.bound[name][-1][0] > self.blind

    def now(self) -> _Cells:
        return _Cells(self, self.time)

    def note(self, statement: ast.stmt) -> None:
        """What a statement at top level binds. What it binds in a way of its own, in a loop say, stands for nothing."""
        self.time += 1
        if _runs_text(statement):
            self.blind = self.time
        if isinstance(statement, ast.FunctionDef):
            self.bind(statement.name, Definition(statement, _Cells(self, None), statement.name))
        elif isinstance(statement, ast.ClassDef):
            used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
            named = [f for name in sorted(used) if isinstance(f := self.now().look_up(name), Definition)]
            self.bind(statement.name, Holder((*methods(statement, _Cells(self, None)), *named)))
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for name, found in imported(statement).items():
                self.bind(name, found)
        elif isinstance(statement, ast.Assign) and all(isinstance(target, ast.Name) for target in statement.targets):
            for name in _names(statement):
                self.bind(name, self._assigned(name, statement.value))
        elif isinstance(statement, ast.Assign) and (pairs := _pairs(statement)):
            for name, value in pairs:
                self.bind(name, self._assigned(name, value))
        elif isinstance(statement, ast.Assign) and isinstance(place := statement.targets[0], ast.Attribute):
            self._put_into(place, statement.value)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            self.bind(statement.target.id, self._assigned(statement.target.id, statement.value))
        else:
            for name in _names(statement):
                self.bind(name, None)
            for inner in _inner(statement):  # which of them ran is not known: it is the last, or its numbers differ
                self.note(inner)

    def _put_into(self, place: ast.Attribute, value: ast.expr) -> None:
        """`A.f = f`: what `A` is holds one function more."""
        if isinstance(place.value, ast.Name):
            name, new = place.value.id, self._assigned(place.attr, value)
            before = self.now().look_up(name)
            if isinstance(before, Holder) and isinstance(new, Definition):
                self.bind(name, Holder((*before.functions, new)))

    def _assigned(self, name: str, value: ast.expr) -> Found:
        if isinstance(value, ast.Lambda):
            return Definition(value, _Cells(self, None), name)
        if isinstance(value, ast.Name):
            return self.now().look_up(value.id)
        return Written(value, self.now())


class _Cells(Scope):
    """Names as they are before a moment of the history, or at its end."""

    def __init__(self, history: _History, before: int | None) -> None:
        self._history, self._before = history, before

    def look_up(self, name: str) -> Found:
        bound = self._history.bound.get(name, [])
        count = len(bound) if self._before is None else bisect_left(bound, self._before, key=lambda b: b[0])
        return bound[count - 1][1] if count else builtin(name)


BY_TEXT = {"exec", "globals", "vars", "setattr", "get_ipython"}  # what can bind a name whose text is nowhere
INNER = {"__code__", "__dict__", "__globals__"}  # of a function: who writes into them makes another one of it


def _runs_text(statement: ast.stmt) -> bool:
    """Does a statement at top level use one of these? What stands in a function runs when it is called."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Name) and node.id in BY_TEXT:
            return True
        if isinstance(node, ast.Attribute) and node.attr in INNER:
            return True
        waiting.extend(ast.iter_child_nodes(node))
    return False


def _pairs(statement: ast.Assign) -> list[tuple[str, ast.expr]]:
    """`a, b = 1, 2`, name by name; [] for any other assignment."""
    target, value = statement.targets[0], statement.value
    if not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)):
        return []
    pairs = list(zip(target.elts, value.elts, strict=True))
    return [(name.id, one) for name, one in pairs if isinstance(name, ast.Name)] if len(statement.targets) == 1 else []


def _inner(statement: ast.stmt | ast.ExceptHandler) -> Iterator[ast.stmt]:
    """The functions that a statement at top level defines within it: under an `if`, in a loop."""
    for field in ("body", "orelse", "handlers", "finalbody"):
        for part in getattr(statement, field, ()):
            if isinstance(part, ast.FunctionDef):
                yield part
            elif isinstance(part, ast.stmt | ast.ExceptHandler) and not isinstance(part, ast.ClassDef):
                yield from _inner(part)


def _names(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds or deletes, at whatever depth; those of functions in it are their own."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(node)
        waiting.extend(ast.iter_child_nodes(node))


def _without_magics(text: str) -> str:
    """The Python of a cell: `%time f()`, `!ls` and `f?` are taken out, line by line."""
    if len(text) > MAX_TEXT:
        return ""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if lines[first][2:].split(None, 1)[:1] not in ([magic] for magic in CELL_MAGICS_IN_PYTHON):
            return ""
        lines[first] = ""
    return "\n".join(_MAGIC.sub(r"\1pass", line) for line in lines)


_MAGIC = re.compile(r"^(\s*)(?:[%!?].*|\w[\w, ]*=\s*[%!].*|[\w.\[\]]+\?{1,2}\s*)$")
