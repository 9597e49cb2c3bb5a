"""Which functions a line calls, at how many points, and which it hands on: from the syntax alone.

A derivation may use its own lines; it may not take differences of one. That shows in the calls: `J(w + h)` and
`J(w - h)` are two points. Arguments are compared as they are written, in the terms of the line that is looked at: the
locals and the helper functions between are followed, so that `z = w + h` and then `J(z)` is the point `w + h`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mlcore.engine.reading.expression import Expression
from mlcore.engine.reading.reader import Within
from mlcore.engine.reading.source import Definition, Dotted, Holder, Scope, Written, imported, methods
from mlcore.engine.reading.syntax import appending, assigned, bound

MAX_CONTEXTS = 300  # calls that are followed, each with its arguments
MAX_DEPTH = 25  # calls within calls
MAX_SPELLING = 400  # characters of an argument; a longer one is told by its hash

VARIES = "~"  # marks what a loop changes: a call with it is one at several points
ROWS = re.compile(r"Subscript\(value=\w+, ")
NAME = re.compile(r"Name\(id='(\w+)', ctx=\w+\(\)\)")


@dataclass(frozen=True, eq=False)
class Called:
    """A function of the student's that a line calls, directly or through others."""

    name: str
    definition: Definition
    points: int  # how many different arguments others call it with; those of a loop count as two
    recursive: bool
    elsewhere: bool  # is one of them more than a name?
    numeric: bool  # is one of them made with a number, a minus or a loop? f(f(x)) is not
    handed_on: bool  # is the function itself an argument of something that is not the student's, or kept in a list?


def called(definition: Definition) -> list[Called]:
    """The student's functions that a function reaches, in the order in which it reaches them."""
    survey = _Survey(definition)
    return [
        Called(
            seen.own.definition.name,
            seen.own.definition,
            seen.points(),
            bool(seen.by_itself),
            seen.elsewhere(),
            seen.numeric(),
            seen.handed_on,
        )
        for seen in survey.seen.values()
    ]


def foreign(definition: Definition) -> set[str]:
    """What it uses that is not the student's, called or not, directly or through others: 'np.gradient', 'eval', …

    A name that stands for nothing that could be found is told as it is written.
    """
    return _Survey(definition).foreign


@dataclass(frozen=True, eq=False)
class _Own:
    """A function as a value: where it was written, and the names around it if it stands in another function."""

    definition: Definition
    around: _Context | None = None


_Meaning = _Own | Dotted | Written | Holder | Expression | None


def _found(scope: Scope, name: str) -> _Meaning:
    found = scope.look_up(name)
    return _Own(found) if isinstance(found, Definition) else found


def _but_rows(place: tuple[tuple[str, str], ...]) -> list[str]:
    """The arguments that are no piece of a variable, as `X[i:i+1]` is."""
    return [text for _, text in place if not ROWS.match(text)]


@dataclass(eq=False)
class _Seen:
    own: _Own
    places: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    by_itself: set[tuple[tuple[str, str], ...]] = field(default_factory=set)  # where it calls itself
    handed_on: bool = False

    def points(self) -> int:
        """At how many places it is called; one that a loop changes counts twice, but not one row after the other."""
        return sum(2 if any(VARIES in text for text in _but_rows(place)) else 1 for place in self.places)

    def elsewhere(self) -> bool:
        return any(not text.isidentifier() for place in self.places | self.by_itself for _, text in place)

    def numeric(self) -> bool:
        texts = [text for place in self.places for text in _but_rows(place)]
        return any(sign in text for text in texts for sign in (VARIES, "Constant(", "USub(", "#"))


@dataclass(eq=False)
class _Context:
    """The names within one call: how their values are spelt, and which of them are functions or of a module."""

    definition: Definition
    scope: Scope
    outer: _Context | None
    depth: int
    local: set[str]
    spelt: dict[str, str] = field(default_factory=dict)
    functions: dict[str, _Own] = field(default_factory=dict)
    modules: dict[str, Dotted] = field(default_factory=dict)

    def bind(self, name: str, spelling: str) -> None:
        self.functions.pop(name, None)
        self.modules.pop(name, None)
        self.spelt[name] = spelling

    def spelling(self, name: str) -> str | None:
        """How the value of a local name is spelt, here or in the functions around."""
        if name in self.local:
            return self.spelt.get(name)
        return self.outer.spelling(name) if self.outer else None

    def find(self, name: str) -> _Meaning:
        """What a name stands for; a local that is no function stands for an expression."""
        if name in self.functions:
            return self.functions[name]
        if name in self.modules:
            return self.modules[name]
        if name in self.local:
            return Expression()
        if self.outer:
            return self.outer.find(name)
        return _found(self.scope, name)


class _Survey:
    """One walk through a function and all that it calls."""

    def __init__(self, definition: Definition) -> None:
        self.seen: dict[int, _Seen] = {}
        self.foreign: set[str] = set()
        self._contexts: set[tuple[int, tuple[tuple[str, str], ...]]] = set()
        self._entered: set[int] = set()
        self._written: set[int] = set()
        self._count = 0
        names = [arg.arg for arg in _arguments(definition)]
        try:
            self._enter(_Own(definition), {name: name for name in names}, {}, 0)
        except RecursionError:
            self._suspect(_Own(definition))

    # --- functions ---

    def _enter(self, own: _Own, spelt: Mapping[str, str], functions: Mapping[str, _Own], depth: int) -> None:
        """The body of a function, called with these arguments."""
        node = own.definition.node
        key = id(node), _place(own, spelt) + tuple((n, str(id(f.definition.node))) for n, f in functions.items())
        if len(self._contexts) >= MAX_CONTEXTS or depth > MAX_DEPTH:
            if id(node) not in self._entered:
                self._suspect(own)
            return
        if key in self._contexts:
            return
        self._contexts.add(key)
        self._entered.add(id(node))
        parameters = {arg.arg for arg in _arguments(own.definition)}
        body: Sequence[ast.stmt] = node.body if isinstance(node, ast.FunctionDef) else ()
        local = (parameters | set(bound(body))) - _declared(body)
        context = _Context(own.definition, own.definition.scope, own.around, depth, local)
        context.spelt.update(spelt)
        context.functions.update(functions)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self._expression(default, context)
        if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(node)):
            self.foreign.add("yield")  # what it gives is not what it returns
        if isinstance(node, ast.Lambda):
            self._expression(node.body, context)
        else:
            self._block(body, context)

    def _hand_on(self, own: _Own, depth: int) -> None:
        """A function that goes where it cannot be followed: it may be called with anything."""
        seen = self._note(own)
        if not seen.handed_on:
            seen.handed_on = True
            arguments = {arg.arg: f"{VARIES}{arg.arg}" for arg in _arguments(own.definition)}
            self._enter(own, arguments, {}, depth + 1)

    def _suspect(self, own: _Own) -> None:
        """A function that is too deep or too long to be followed: all that it names is as good as handed on."""
        waiting = [own]
        while waiting:
            own = waiting.pop()
            self._entered.add(id(own.definition.node))
            for node in ast.walk(own.definition.node):
                if isinstance(node, ast.FunctionDef) and node is not own.definition.node:
                    nested: _Meaning = _Own(Definition(node, Within(own.definition), node.name))
                elif isinstance(node, ast.Name):
                    nested = own.around.find(node.id) if own.around else _found(own.definition.scope, node.id)
                else:
                    continue
                if isinstance(nested, _Own) and not self._note(nested).handed_on:
                    self._note(nested).handed_on = True
                    waiting.append(nested)

    def _note(self, own: _Own) -> _Seen:
        return self.seen.setdefault(id(own.definition.node), _Seen(own))

    # --- statements ---

    def _block(self, statements: Sequence[ast.stmt], context: _Context) -> None:
        for statement in statements:
            self._statement(statement, context)

    def _statement(self, statement: ast.stmt, context: _Context) -> None:
        match statement:
            case ast.FunctionDef():
                for part in (*statement.decorator_list, *statement.args.defaults):
                    self._expression(part, context)
                nested = Definition(statement, Within(context.definition), statement.name)
                context.bind(statement.name, statement.name)
                context.functions[statement.name] = _Own(nested, context)
            case ast.ClassDef():
                context.bind(statement.name, statement.name)
                for method in methods(statement, Within(context.definition)):
                    self._hand_on(_Own(method, context), context.depth)
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                        self._name(node, context)
            case ast.Import() | ast.ImportFrom():
                context.modules.update(imported(statement))
            case ast.Assign():
                for target in statement.targets:
                    self._assign(target, statement.value, context)
            case ast.AnnAssign(value=ast.expr() as value):
                self._assign(statement.target, value, context)
            case ast.AugAssign():
                self._expression(statement.value, context)
                self._expression(statement.target, context)
                for name in assigned([statement.target]):
                    self._change(name, f"{ast.dump(statement.op)}{self._spell(statement.value, context)}", context)
            case ast.Expr(value=ast.Call() as call):
                self._expression(call, context)
                self._called_for_effect(call, context)
            case ast.For() | ast.While() | ast.AsyncFor():
                self._loop(statement, context)
            case _:
                for child in ast.iter_child_nodes(statement):
                    self._any(child, context)

    def _called_for_effect(self, call: ast.Call, context: _Context) -> None:
        """`np.copyto(v, w)`, `v.fill(0)`: what it may change is something else from then on."""
        if isinstance(call.func, ast.Name) and context.find(call.func.id) == Dotted("print"):
            return
        names = [node.id for node in ast.walk(call) if isinstance(node, ast.Name)]
        for name in dict.fromkeys(names if appending(call) is None else [appending(call) or ""]):
            if name in context.local and name not in context.functions:
                self._count += 1
                self._change(name, f"#{self._count}", context)

    def _change(self, name: str, how: str, context: _Context) -> None:
        """A name whose value is changed in a way that depends on what it was."""
        context.bind(name, _short(f"{context.spelling(name) or name}<{how}>"))

    def _any(self, node: ast.AST, context: _Context) -> None:
        if isinstance(node, ast.stmt):
            self._statement(node, context)
        elif isinstance(node, ast.expr):
            self._expression(node, context)
        else:
            for child in ast.iter_child_nodes(node):
                self._any(child, context)

    def _loop(self, loop: ast.For | ast.While | ast.AsyncFor, context: _Context) -> None:
        """What a loop binds varies within it."""
        varying = assigned([*([] if isinstance(loop, ast.While) else [loop.target]), *loop.body])
        if isinstance(loop, ast.While):
            self._expression(loop.test, context)
        else:
            self._expression(loop.iter, context)
        for name in varying:
            context.bind(name, f"{VARIES}{name}")
        self._block(loop.body, context)
        self._block(loop.orelse, context)
        for name in varying:
            if name not in context.functions:
                self._count += 1
                context.bind(name, f"{name}#{self._count}")

    def _assign(self, target: ast.expr, value: ast.expr, context: _Context) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            spellings = [self._spell(part, context) for part in value.elts]
            for one, part, spelling in zip(target.elts, value.elts, spellings, strict=True):
                self._assign_one(one, part, spelling, context)
        else:
            self._assign_one(target, value, self._spell(value, context), context)

    def _assign_one(self, target: ast.expr, value: ast.expr, spelling: str, context: _Context) -> None:
        own = self._function(value, context)
        if own is None or not isinstance(target, ast.Name):
            self._expression(value, context)
            for i, name in enumerate(bound([target])):
                context.bind(name, spelling if isinstance(target, ast.Name) else f"{spelling}[{i}]")
            for name in set(assigned([target])) - set(bound([target])):
                self._change(name, f"{ast.dump(target)}{spelling}", context)
            return
        context.bind(target.id, spelling)
        if isinstance(value, ast.Lambda):
            own = _Own(Definition(value, Within(context.definition), target.id), context)
        context.functions[target.id] = own

    # --- expressions ---

    def _function(self, node: ast.expr, context: _Context) -> _Own | None:
        """The student's function that an expression is, if it is one."""
        if isinstance(node, ast.Lambda):
            return _Own(Definition(node, Within(context.definition)), context)
        if isinstance(node, ast.Name):
            found = context.find(node.id)
            return found if isinstance(found, _Own) else None
        return None

    def _expression(self, node: ast.expr, context: _Context) -> None:
        match node:
            case ast.Call():
                self._call(node, context)
            case ast.Name():
                self._name(node, context)
            case ast.Attribute() if (name := self._dotted(node, context)) is not None:
                self.foreign.add(name.name)
            case ast.Attribute():
                if node.attr.startswith("__"):
                    self.foreign.add(f".{node.attr}")
                self._expression(node.value, context)
            case ast.Lambda():
                self._hand_on(_Own(Definition(node, Within(context.definition)), context), context.depth)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._comprehension(node, context)
            case ast.NamedExpr():
                self._assign_one(node.target, node.value, self._spell(node.value, context), context)
            case _:
                for child in ast.iter_child_nodes(node):
                    self._any(child, context)

    def _name(self, node: ast.Name, context: _Context) -> None:
        found = context.find(node.id)
        if isinstance(found, _Own):
            self._hand_on(found, context.depth)
        elif isinstance(found, Dotted):
            self.foreign.add(found.name)
        elif isinstance(found, Written):
            self._global(found)
        elif isinstance(found, Holder):
            for function in found.functions:
                self._hand_on(_Own(function), context.depth)
        elif found is None:
            self.foreign.add(node.id)

    def _global(self, found: Written) -> None:
        """What stands right of a global name."""
        if id(found.node) not in self._written:
            self._written.add(id(found.node))
            made = ast.Lambda(ast.arguments([], [], None, [], [], None, []), found.node)
            self._enter(_Own(Definition(made, found.scope)), {}, {}, 0)

    def _dotted(self, node: ast.expr, context: _Context) -> Dotted | None:
        """`np.linalg.norm`, if `np` is a module."""
        if isinstance(node, ast.Name):
            found = context.find(node.id)
            return found if isinstance(found, Dotted) else None
        if isinstance(node, ast.Attribute):
            base = self._dotted(node.value, context)
            return base.of(node.attr) if base else None
        return None

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, context: _Context
    ) -> None:
        """Its variables are its own, and vary."""
        names = bound([clause.target for clause in node.generators])
        inner = _Context(context.definition, context.scope, context, context.depth, set(names))
        for name in names:
            inner.bind(name, f"{VARIES}{name}")
        for clause in node.generators:
            self._expression(clause.iter, inner)
            for test in clause.ifs:
                self._expression(test, inner)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self._expression(part, inner)

    def _call(self, node: ast.Call, context: _Context) -> None:
        own = self._function(node.func, context)
        if own is None:
            self._expression(node.func, context)
            for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                self._expression(part, context)
            return
        names = own.definition.parameters
        given = [(names[i] if i < len(names) else f"*{i}", arg) for i, arg in enumerate(node.args)]
        given += [(keyword.arg or "**", keyword.value) for keyword in node.keywords]
        functions = {name: f for name, arg in given if (f := self._function(arg, context)) is not None}
        for name, arg in given:
            if name not in functions or name not in names:
                self._expression(arg, context)
        spelt = {name: self._spell(arg, context) for name, arg in given}
        starred = any(isinstance(arg, ast.Starred) for arg in node.args) and not any(
            VARIES in s for s in spelt.values()
        )
        if not isinstance(node.func, ast.Lambda) and not starred:
            seen = self._note(own)
            places = seen.by_itself if own.definition.node is context.definition.node else seen.places
            places.add(_place(own, spelt))
        self._enter(own, spelt, {name: f for name, f in functions.items() if name in names}, context.depth + 1)

    def _spell(self, node: ast.expr, context: _Context) -> str:
        """An argument, in the terms of the function that the walk began with."""
        return _short(NAME.sub(lambda name: context.spelling(name[1]) or name[1], ast.dump(_bare(node))))


SAME = {"asarray", "array", "asanyarray", "float", "float64", "copy", "astype"}


def _bare(node: ast.expr) -> ast.expr:
    """What `np.asarray(w, float)`, `float(w)` and `w.copy()` are of: the same point."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in SAME and node.args and isinstance(node.args[0], ast.Name):
            return node.args[0]
        if name in SAME and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            return node.func.value
    return node


def _arguments(definition: Definition) -> list[ast.arg]:
    args = definition.node.args
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]


def _declared(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that are said to be global, or of a function around."""
    nodes = (node for statement in statements for node in ast.walk(statement))
    return {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}


def _place(own: _Own, spelt: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Where a function is called: its arguments, and what it takes from the function around it."""
    place = sorted(spelt.items())
    if own.around:
        free = sorted({n.id for n in ast.walk(own.definition.node) if isinstance(n, ast.Name)} - spelt.keys())
        place += [(name, text) for name in free if (text := own.around.spelling(name))]
    return tuple(place)


def _short(text: str) -> str:
    if len(text) <= MAX_SPELLING:
        return text
    return f"{VARIES if VARIES in text else ''}{hash(text)}"
