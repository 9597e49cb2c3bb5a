"""A student's function as an expression, from its syntax tree: nothing is run.

Locals are inlined, own helper functions and own earlier lines followed, numpy's many spellings brought to one. What
cannot be read raises `Unreadable` with the reason; a right answer may well be unreadable.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from mlcore.engine.reading.expression import Expression, Number, Op, Symbol, Text
from mlcore.engine.reading.rounds import Appended, Stored, at_start, gathered, mentions, parts
from mlcore.engine.reading.source import Definition, Dotted, Found, Holder, Scope, Written, imported
from mlcore.engine.reading.spelling import (
    ATTRIBUTES,
    CONSTANTS,
    ELLIPSIS,
    FULL,
    MAX_INTEGER,
    METHODS,
    NEWAXIS,
    NONE,
    ONE,
    SPELLINGS,
    ZERO,
    Call,
    Items,
    Listed,
    Lost,
    Unreadable,
    Value,
    Valueless,
    array,
    is_true_or_false,
    logistic,
    negative,
    op,
    plain,
    product,
)
from mlcore.engine.reading.syntax import appending, assigned, bound_in, is_none_test, loaded, returns, says

MAX_NODES = 4_000  # of the expression, a part that comes twice counted twice
MAX_DEPTH = 120  # of the expression
MAX_INLINED = 30  # helper functions within helper functions
MAX_STEPS = 20_000  # nodes of syntax trees that are looked at
MAX_FRAGMENTS = 60
MAX_UNROLLED = 20  # rounds of a loop over what is listed


def read(definition: Definition, parameters: Sequence[str]) -> Expression:
    """The function's value as an expression in `parameters`, whatever it calls its own. Raises `Unreadable`."""
    try:
        reader = _Reader(parameters)
        symbols = [Symbol(name) for name in parameters]
        return reader.finished(plain(reader.apply(definition, symbols, {})))
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None


def fragments(definition: Definition, parameters: Sequence[str]) -> list[Expression]:
    """What can be read of a function that cannot be read as a whole: every piece of it that stands for a value."""
    own = definition.parameters
    if own != list(parameters):
        return []
    frame = _inside(definition)
    found: list[Expression] = []
    for node in ast.walk(definition.node):
        if isinstance(node, ast.BinOp | ast.Call | ast.UnaryOp) and len(found) < MAX_FRAGMENTS:
            reader = _Reader(parameters)
            try:
                found.append(reader.finished(plain(reader.value(node, frame))))
            except (Unreadable, RecursionError):
                continue
    return found


def _is_list(*nodes: ast.expr) -> bool:
    return any(isinstance(node, ast.List | ast.ListComp) for node in nodes)


class Within(Scope):
    """What names stand for inside a function: its arguments are symbols, its locals what can be read of them."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._inside: Scope | None = None

    def look_up(self, name: str) -> Found:
        if self._inside is None:
            self._inside = _Frame(self._definition.scope)  # what is looked up meanwhile comes from outside
            self._inside = _inside(self._definition)
        return self._inside.look_up(name)


def _inside(definition: Definition) -> _Frame:
    args = definition.node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    frame = _Frame(definition.scope)
    frame.names.update({arg.arg: Symbol(arg.arg) for arg in every})
    reader = _Reader([arg.arg for arg in every])
    for statement in definition.node.body if isinstance(definition.node, ast.FunctionDef) else ():
        try:
            if isinstance(statement, ast.Return):
                reader.value(statement.value or ast.Constant(None), frame)
            else:
                reader.block([statement], frame)
        except (Unreadable, RecursionError) as error:
            why = str(error) if isinstance(error, Unreadable) else "it is nested too deeply"
            frame.names.update({name: Lost(why) for name in assigned([statement])})
    return frame


class _Frame(Scope):
    """The names of a call."""

    def __init__(self, outer: Scope) -> None:
        self.outer = outer
        self.names: dict[str, Value] = {}

    def look_up(self, name: str) -> Found:
        return self.names[name] if name in self.names else self.outer.look_up(name)

    def copy(self) -> _Frame:
        new = _Frame(self.outer)
        new.names.update(self.names)
        return new


FELL = Op("none", (), (("fell", True),))  # a block that came to its end without a return
RAISED = Op("none", (), (("raised", True),))  # a block that raises


class _Reader:
    """One reading, with its limits."""

    def __init__(self, parameters: Sequence[str]) -> None:
        self._steps = 0
        self._depth = 0
        self._measured: dict[int, tuple[Expression, int, int]] = {}
        self._taken = list(parameters)  # names of symbols that a loop variable must not have
        self._markers = 0

    # --- limits ---

    def finished(self, expression: Expression) -> Expression:
        """The expression, if it is within the limits and nothing is left in it that only the reader knows."""
        self._measure(expression)
        waiting, seen = [expression], set()
        while waiting:
            e = waiting.pop()
            if id(e) in seen:
                continue
            seen.add(id(e))
            if isinstance(e, Op):
                waiting.extend(e.args)
                allowed = TEXT_IN if any(isinstance(a, Text) for a in e.args) else NONE_IN
                if e.name not in allowed and any(isinstance(a, Text) or a == NONE for a in e.args):
                    raise Unreadable("it computes with something that is no number")
            elif not isinstance(e, Symbol | Number | Text) or (isinstance(e, Symbol) and not e.name.isidentifier()):
                raise Unreadable("it has a loop")
        if expression == NONE or isinstance(expression, Text):
            raise Valueless("it returns no number")
        return expression

    def _measure(self, expression: Expression) -> tuple[int, int]:
        known = self._measured.get(id(expression))
        if known is not None:
            return known[1:]
        measured = [self._measure(part) for part in parts(expression)]
        size = 1 + sum(size for size, _ in measured)
        depth = 1 + max((depth for _, depth in measured), default=0)
        if size > MAX_NODES:
            raise Unreadable("it is too long")
        if depth > MAX_DEPTH:
            raise Unreadable("it is nested too deeply")
        self._measured[id(expression)] = expression, size, depth
        return size, depth

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise Unreadable("it is too long")

    # --- calls ---

    def apply(self, definition: Definition, positional: Sequence[Value], keywords: dict[str, Value]) -> Value:
        """The value of a call of a function of the student's."""
        node, args = definition.node, definition.node.args
        if args.kwarg:
            raise Unreadable(f"`{definition.name}` takes any keywords")
        names = definition.parameters
        if len(positional) > len(names) and not args.vararg:
            raise Unreadable(f"`{definition.name}` takes {len(names)} arguments and gets {len(positional)}")
        frame = _Frame(definition.scope)
        frame.names.update(zip(names, positional, strict=False))
        if args.vararg:
            frame.names[args.vararg.arg] = Items(tuple(positional[len(names) :]), "tuple")
        by_keyword = {*(arg.arg for arg in args.args), *(arg.arg for arg in args.kwonlyargs)}
        for name, value in keywords.items():
            if name not in by_keyword or name in frame.names:
                raise Unreadable(f"`{definition.name}` does not take `{name}`")
            frame.names[name] = value
        defaults = dict(zip(reversed(names), reversed(args.defaults), strict=False))
        defaults |= {a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None}
        for name in [*names, *(arg.arg for arg in args.kwonlyargs)]:
            if name not in frame.names:
                if name not in defaults:
                    raise Unreadable(f"`{definition.name}` is not given its `{name}`")
                frame.names[name] = self.value(defaults[name], definition.scope)
        self._depth += 1
        try:
            if self._depth > MAX_INLINED:
                raise Unreadable("its functions call one another too deeply")
            if isinstance(node, ast.Lambda):
                return self.value(node.body, frame)
            value = self.block(node.body, frame)
        finally:
            self._depth -= 1
        if value is FELL or value is RAISED:
            if self._depth:
                raise Unreadable(f"`{definition.name}` returns nothing")
            raise Valueless("it returns nothing")
        return value

    # --- statements ---

    def block(self, statements: Sequence[ast.stmt], frame: _Frame) -> Value:
        """What statements return, or FELL, or RAISED."""
        for i, statement in enumerate(statements):
            self._step()
            rest = statements[i + 1 :]
            match statement:
                case ast.Return():
                    if statement.value is None:
                        raise Unreadable("it returns nothing")
                    return self.value(statement.value, frame)
                case ast.Raise():
                    return RAISED
                case ast.If():
                    value = self._if(statement, rest, frame)
                    if value is not FELL or returns(statement):
                        return value
                case ast.For():
                    self._for(statement, frame)
                case _:
                    self._simple(statement, frame)
        return FELL

    def _simple(self, statement: ast.stmt, frame: _Frame) -> None:
        match statement:
            case ast.Assign():
                value = self.value(statement.value, frame)
                for target in statement.targets:
                    self._bind(target, value, frame)
            case ast.AnnAssign():
                if statement.value is not None:
                    self._bind(statement.target, self.value(statement.value, frame), frame)
            case ast.AugAssign():
                before = self.value(loaded(statement.target), frame)
                after = self._binary(statement.op, before, self.value(statement.value, frame))
                self._bind(statement.target, after, frame)
            case ast.FunctionDef():
                if statement.decorator_list:
                    raise Unreadable("it decorates a function")
                frame.names[statement.name] = Definition(statement, frame, statement.name)
            case ast.Import() | ast.ImportFrom():
                frame.names.update(imported(statement))
            case ast.Pass() | ast.Assert():
                pass
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Call() as call):
                self._called_for_effect(call, frame)
            case ast.For():
                self._for(statement, frame)
            case ast.Expr():
                raise Unreadable(says(statement.value))
            case _:
                raise Unreadable(says(statement))

    def _called_for_effect(self, call: ast.Call, frame: _Frame) -> None:
        name = appending(call)
        if name is not None:
            base = self._name(name, frame)
            value = self.value(call.args[0], frame)
            if isinstance(base, Items) and base.kind == "array":
                frame.names[name] = Items((*base.values, value), "array")
            elif isinstance(base, Symbol):
                frame.names[name] = Appended(base, plain(value))
            else:
                raise Unreadable("it appends to something that is no list of its own")
        elif not (isinstance(call.func, ast.Name) and frame.look_up(call.func.id) == Dotted("print")):
            raise Unreadable("it calls a function for what that changes")

    def _if(self, statement: ast.If, rest: Sequence[ast.stmt], frame: _Frame) -> Value:
        condition = self._condition(statement.test, frame)
        yes, no = frame.copy(), frame.copy()
        if returns(statement):
            branches = [(statement.body, yes), (statement.orelse, no)]
            if isinstance(condition, Number):
                branches = [branches[0 if condition.value else 1]]
            values = [self.block([*body, *rest], scope) for body, scope in branches]
            return values[0] if len(values) == 1 else self._either(condition, *values)
        if isinstance(condition, Number):
            return self.block(statement.body if condition.value else statement.orelse, frame)
        ends = self.block(statement.body, yes), self.block(statement.orelse, no)
        if RAISED in ends:
            frame.names.update((no if ends[0] is RAISED else yes).names)
            return RAISED if ends[0] is ends[1] else FELL
        for name in yes.names.keys() | no.names.keys():
            a, b = yes.names.get(name), no.names.get(name)
            if a is None or b is None:
                frame.names[name] = Lost(f"`{name}` is assigned under a condition")
            elif a is not b:
                frame.names[name] = self._either(condition, a, b)
        return FELL

    def _either(self, condition: Expression, a: Value, b: Value) -> Value:
        if a is RAISED or a is b:
            return b
        if b is RAISED:
            return a
        if a is FELL or b is FELL:
            raise Unreadable("it returns nothing in one of its cases")
        if isinstance(a, Items) and isinstance(b, Items) and (a.kind, len(a.values)) == (b.kind, len(b.values)):
            pairs = zip(a.values, b.values, strict=True)
            return Items(tuple(self._either(condition, x, y) for x, y in pairs), a.kind)
        if isinstance(a, Lost | Stored | Appended) or isinstance(b, Lost | Stored | Appended):
            return self._conditional_store(condition, a, b)
        if isinstance(a, Definition | Dotted) or isinstance(b, Definition | Dotted):
            return Lost("it chooses between functions")
        return op("where", condition, plain(a), plain(b))

    def _conditional_store(self, condition: Expression, a: Value, b: Value) -> Value:
        """An entry that is written under a condition, and is what it was otherwise."""
        for new, old, holds in ((a, b, condition), (b, a, op("not", condition))):
            if isinstance(new, Stored) and new.base is old:
                return Stored(new.base, new.place, op("where", holds, new.value, op("index", new.base, *new.place)))
        if isinstance(a, Stored) and isinstance(b, Stored) and a.base is b.base and a.place == b.place:
            return Stored(a.base, a.place, op("where", condition, a.value, b.value))
        return Lost("it changes an array under a condition")

    def _bind(self, target: ast.expr, value: Value, frame: _Frame) -> None:
        match target:
            case ast.Name():
                frame.names[target.id] = value
            case ast.Tuple() | ast.List():
                for part, item in zip(target.elts, self._unpacked(value, target.elts), strict=True):
                    self._bind(part, item, frame)
            case ast.Subscript(value=ast.Name() as name):
                base = frame.look_up(name.id)
                if not isinstance(base, Expression) or isinstance(base, Items | Listed | Lost):
                    raise Unreadable("it writes into a list or an array that is not its own")
                place = self._places(target.slice, frame)
                while len(place) > 1 and place[-1] == FULL:
                    place = place[:-1]
                if isinstance(base, Stored):
                    if base.place != place:
                        raise Unreadable("it writes into an array at several places")
                    base = base.base
                frame.names[name.id] = Stored(base, place, plain(value))
            case _:
                raise Unreadable("it writes into a part of something")

    def _unpacked(self, value: Value, targets: Sequence[ast.expr]) -> list[Value]:
        if any(isinstance(target, ast.Starred) for target in targets):
            raise Unreadable("it unpacks with a star")
        if isinstance(value, Items):
            if len(value.values) != len(targets):
                raise Unreadable("it unpacks another number of values than there are")
            return list(value.values)
        whole = plain(value)
        return [op("index", whole, Number(i)) for i in range(len(targets))]

    # --- loops ---

    def _for(self, loop: ast.For, frame: _Frame) -> None:
        """A loop over what is listed, round by round; or one that adds up, fills an array or appends to a list."""
        if loop.orelse or any(isinstance(n, ast.Break | ast.Continue | ast.Return) for n in ast.walk(loop)):
            raise Unreadable("it has a loop that ends early")
        iterable = self.value(loop.iter, frame)
        listed = _listed(iterable)
        if listed is not None:
            for item in listed:
                self._bind(loop.target, item, frame)
                self.block(loop.body, frame)
            return
        with self._loop_variables(loop.target, plain(iterable), frame) as (inner, targets, over):
            names = [name for name in assigned(loop.body) if name in frame.names and name not in bound_in(loop.target)]
            markers = {name: self._marker() for name in names}
            inner.names.update(markers)
            if self.block(loop.body, inner) is RAISED:
                raise Unreadable("it raises in a loop")
            for name in assigned([loop.target, *loop.body]):
                if name not in markers:
                    frame.names[name] = Lost("it uses what the last round of a loop leaves")
            for name, marker in markers.items():
                left = gathered(inner.names[name], marker, at_start(frame.names[name]), targets, over)
                if left is None or any(mentions(left, other) for other in markers.values()):
                    left = Lost("it has a loop whose rounds build on one another")
                frame.names[name] = left

    def _marker(self) -> Symbol:
        """A symbol for the value of a name at the begin of a round. No name of a student's is like it."""
        self._markers += 1
        return Symbol(f"#{self._markers}")

    @contextmanager
    def _loop_variables(
        self, target: ast.expr, iterable: Expression, frame: Scope
    ) -> Iterator[tuple[_Frame, str, Expression]]:
        """A frame in which the loop's variables are symbols; their names, and what they run over."""
        inner = frame.copy() if isinstance(frame, _Frame) else _Frame(frame)
        nested = isinstance(target, ast.Tuple) and any(isinstance(part, ast.Tuple) for part in target.elts)
        if nested and isinstance(iterable, Op) and iterable.name == "enumerate":
            counted = iterable.args[0]
            zipped = counted.args if isinstance(counted, Op) and counted.name == "zip" else None
            if zipped is None:
                raise Unreadable("it has a loop over nested tuples")
            iterable = op("zip", op("range", ZERO, op("len", zipped[0]), ONE), *zipped)
        names = bound_in(target)
        fresh = [self._fresh(name) for name in names]
        if len(set(names)) < len(names) and set(names) != {"_"}:
            raise Unreadable("it has a loop with one variable twice")
        if nested and not (isinstance(iterable, Op) and iterable.name == "zip" and len(iterable.args) == len(names)):
            raise Unreadable("it has a loop over nested tuples")
        self._taken.extend(fresh)
        inner.names.update({name: Symbol(symbol) for name, symbol in zip(names, fresh, strict=True)})
        try:
            yield inner, ",".join(fresh), iterable
        finally:
            del self._taken[len(self._taken) - len(fresh) :]

    def _fresh(self, name: str) -> str:
        count, fresh = 1, name
        while fresh in self._taken:
            count, fresh = count + 1, f"{name}_{count}"
        return fresh

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Scope, summed: bool = False) -> Value:
        """A list over a loop's variable. Where it is summed, a second `for` is a sum within the sum."""
        return self._clauses(node.generators, node.elt, frame, summed)

    def _clauses(self, clauses: Sequence[ast.comprehension], element: ast.expr, frame: Scope, summed: bool) -> Value:
        if not clauses:
            return self.value(element, frame)
        clause, *rest = clauses
        if clause.is_async or (rest and not summed):
            raise Unreadable("it has a list over several loops at once")
        iterable = self.value(clause.iter, frame)
        listed = _listed(iterable)
        if listed is not None and not clause.ifs:
            values: list[Value] = []
            for item in listed:
                inner = frame.copy() if isinstance(frame, _Frame) else _Frame(frame)
                self._bind(clause.target, item, inner)
                values.append(self._summed(self._clauses(rest, element, inner, summed), bool(rest)))
            return Items(tuple(values), "array")
        with self._loop_variables(clause.target, plain(iterable), frame) as (inner, targets, over):
            conditions = [self._condition(test, inner) for test in clause.ifs]
            body = self._summed(self._clauses(rest, element, inner, summed), bool(rest))
            return Listed(op("each", plain(body), over, *conditions, targets=targets))

    def _summed(self, value: Value, wanted: bool) -> Value:
        return SPELLINGS["sum"](Call("sum", [value], {})) if wanted else value

    # --- expressions ---

    def value(self, node: ast.expr, scope: Scope) -> Value:
        self._step()
        value = self._value(node, scope)
        if isinstance(value, Expression):
            self._measure(value)
        return value

    def expression(self, node: ast.expr, scope: Scope) -> Expression:
        return array(self.value(node, scope))

    def _value(self, node: ast.expr, scope: Scope) -> Value:
        match node:
            case ast.Constant():
                return _constant(node.value)
            case ast.Name():
                return self._name(node.id, scope)
            case ast.BinOp(op=ast.Mult()) if _is_list(node.left, node.right):
                raise Unreadable("it repeats a list")
            case ast.BinOp():
                return self._binary(node.op, self.value(node.left, scope), self.value(node.right, scope))
            case ast.UnaryOp():
                return self._unary(node, scope)
            case ast.Compare():
                return self._compare(node, scope)
            case ast.BoolOp():
                conditions = [self._condition(part, scope) for part in node.values]
                return _joined("and" if isinstance(node.op, ast.And) else "or", conditions)
            case ast.IfExp():
                condition = self._condition(node.test, scope)
                if isinstance(condition, Number):
                    return self.value(node.body if condition.value else node.orelse, scope)
                return self._either(condition, self.value(node.body, scope), self.value(node.orelse, scope))
            case ast.Tuple() | ast.List():
                values: list[Value] = []
                for element in node.elts:
                    if isinstance(element, ast.Starred):
                        values.extend(_starred(self.value(element.value, scope)))
                    else:
                        values.append(self.value(element, scope))
                return Items(tuple(values), "tuple" if isinstance(node, ast.Tuple) else "array")
            case ast.Lambda():
                return Definition(node, scope)
            case ast.NamedExpr():
                value = self.value(node.value, scope)
                if not isinstance(scope, _Frame):
                    raise Unreadable("it assigns within an expression")
                scope.names[node.target.id] = value
                return value
            case ast.Attribute():
                return self._attribute(node, scope)
            case ast.Subscript():
                return self._subscript(node, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(node, scope)
        raise Unreadable(says(node))

    def _name(self, name: str, scope: Scope) -> Value:
        found = scope.look_up(name)
        if isinstance(found, Written):
            self._depth += 1
            try:
                if self._depth > MAX_INLINED:
                    raise Unreadable("its names are assigned in a circle")
                return self.value(found.node, _Frame(found.scope))
            finally:
                self._depth -= 1
        if found is None:
            raise Unreadable(f"it uses `{name}`, which is not a function of yours")
        if isinstance(found, Holder):
            raise Unreadable(f"it uses `{name}`, a class or an object")
        if isinstance(found, Lost):
            raise Unreadable(found.why)
        if isinstance(found, Stored | Appended):
            raise Unreadable("it reads an array that is not filled yet")
        return CONSTANTS.get(found.name, found) if isinstance(found, Dotted) else found

    def _condition(self, node: ast.expr, scope: Scope) -> Expression:
        """A condition, as Python decides it: a Number where it is known."""
        value = array(self.value(node, scope)) if not is_none_test(node) else self._none_test(node, scope)
        if isinstance(value, Number):
            return Number(bool(value.value))
        return value if is_true_or_false(value) else op("not_equal", value, ZERO)

    def _none_test(self, node: ast.expr, scope: Scope) -> Expression:
        assert isinstance(node, ast.Compare)
        is_none = self.value(node.left, scope) == NONE
        return Number(is_none == isinstance(node.ops[0], ast.Is))

    def _binary(self, sign: ast.operator, a: Value, b: Value) -> Value:
        lists = [isinstance(x, Listed | Items) for x in (a, b)]
        if isinstance(sign, ast.Add) and all(lists):
            if isinstance(a, Items) and isinstance(b, Items) and a.kind == b.kind:
                return Items((*a.values, *b.values), a.kind)
            return Listed(op("concatenate", array(a), array(b)))
        if all(lists) or (any(lists) and isinstance(sign, ast.Mult) and _may_be_whole(b if lists[0] else a)):
            raise Unreadable("it computes with a list as with an array")
        x, y = array(a), array(b)
        name = BINARY.get(type(sign))
        if name == "matmul":
            return product(x, y)
        if isinstance(sign, ast.BitXor) and is_true_or_false(x) and is_true_or_false(y):
            name = "not_equal"
        if name is None:
            raise Unreadable("it uses an sign on the bits of numbers")
        return op(name, x, y)

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Expression:
        if isinstance(node.op, ast.Not):
            return _negated(self._condition(node.operand, scope))
        a = self.expression(node.operand, scope)
        if isinstance(node.op, ast.Invert):
            return op("not", a)
        return negative(a) if isinstance(node.op, ast.USub) else a

    def _compare(self, node: ast.Compare, scope: Scope) -> Expression:
        if is_none_test(node):
            return self._none_test(node, scope)
        sides = [self.value(side, scope) for side in (node.left, *node.comparators)]
        if all(isinstance(side, Text) for side in sides) and len(sides) == 2 and isinstance(node.ops[0], ast.Eq):
            return Number(sides[0] == sides[1])
        terms = [array(side) for side in sides]
        compared: list[Expression] = []
        for sign, a, b in zip(node.ops, terms, terms[1:], strict=False):
            if type(sign) not in COMPARED:
                raise Unreadable("it asks whether one thing is in or is another")
            compared.append(_compared(COMPARED[type(sign)], a, b))
        return _joined("and", compared)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        base = self.value(node.value, scope)
        if isinstance(base, Dotted):
            found = base.of(node.attr)
            return CONSTANTS.get(found.name, found)
        if isinstance(base, Definition) or node.attr not in ATTRIBUTES:
            raise Unreadable(f"it uses `.{node.attr}`")
        return ATTRIBUTES[node.attr](array(base))

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        if isinstance(node.value, ast.Name):
            stored = scope.look_up(node.value.id)
            if isinstance(stored, Stored):
                if self._places(node.slice, scope) == stored.place:
                    return stored.value
                raise Unreadable("it reads an array that is not filled yet")
        base = self.value(node.value, scope)
        if base in (Dotted("np.r_"), Dotted("np.c_")):
            return op("hstack" if base == Dotted("np.r_") else "column_stack", *self._places(node.slice, scope))
        places = self._places(node.slice, scope)
        if isinstance(base, Items) and len(places) == 1:
            return _item(base, places[0])
        return op("index", array(base), *places)

    def _places(self, node: ast.expr, scope: Scope) -> tuple[Expression, ...]:
        if isinstance(node, ast.Tuple):
            return tuple(place for part in node.elts for place in self._places(part, scope))
        if isinstance(node, ast.Slice):
            ends = (self.expression(end, scope) if end else NONE for end in (node.lower, node.upper, node.step))
            return (Op("slice", tuple(ends)),)
        value = self.value(node, scope)
        if value == NONE:
            return (NEWAXIS,)
        if isinstance(value, Items) and value.kind == "tuple":
            return tuple(NEWAXIS if item == NONE else array(item) for item in value.values)
        return (array(value),)

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        if isinstance(node.func, ast.Attribute):
            base = self.value(node.func.value, scope)
            called: Value = base.of(node.func.attr) if isinstance(base, Dotted) else base
            method = None if isinstance(base, Dotted) else node.func.attr
        else:
            called, method = self.value(node.func, scope), None
        summed = isinstance(called, Dotted) and called.name in SUMS
        positional: list[Value] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                positional.extend(_starred(self.value(arg.value, scope)))
            elif summed and isinstance(arg, ast.ListComp | ast.GeneratorExp):
                positional.append(self._comprehension(arg, scope, summed=True))
            else:
                positional.append(self.value(arg, scope))
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise Unreadable("it hands on arguments with two stars")
            keywords[keyword.arg] = self.value(keyword.value, scope)
        if method is not None:
            if isinstance(called, Definition) or method not in METHODS:
                raise Unreadable(f"it calls `.{method}`")
            return METHODS[method](Call(method, [array(called), *positional], keywords))
        if isinstance(called, Definition):
            return self.apply(called, positional, keywords)
        if isinstance(called, Dotted):
            return self._known(Call(called.name, positional, keywords))
        raise Unreadable("it calls something that is no function")

    def _known(self, call: Call) -> Value:
        name = call.name
        if name in ("tuple", "list") and len(call.positional) == 1:
            (value,) = call.positional
            kind = "tuple" if name == "tuple" else "array"
            if isinstance(value, Items):
                return Items(value.values, kind)
            return Listed(plain(value)) if kind == "array" else plain(value)
        if name == "map" and len(call.positional) > 1 and not call.keywords:
            return self._mapped(*call.positional)
        if name.startswith("mlcore.") and name.endswith(".sigmoid") and len(call.positional) == 1:
            return logistic(array(call.positional[0]))
        if name not in SPELLINGS:
            raise Unreadable(f"it calls `{name}`, which is not a function of yours")
        return SPELLINGS[name](call)

    def _mapped(self, function: Value, *over: Value) -> Value:
        """map(f, x): f of each entry."""
        iterable = plain(over[0]) if len(over) == 1 else op("zip", *map(plain, over))
        names = [self._fresh(f"x{i}" if len(over) > 1 else "x") for i in range(len(over))]
        self._taken.extend(names)
        try:
            symbols = [Symbol(name) for name in names]
            if isinstance(function, Definition):
                body = self.apply(function, symbols, {})
            elif isinstance(function, Dotted):
                body = self._known(Call(function.name, symbols, {}))
            else:
                raise Unreadable("it calls something that is no function")
        finally:
            del self._taken[len(self._taken) - len(names) :]
        return Listed(op("each", plain(body), iterable, targets=",".join(names)))


BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
}
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
DECIDED: dict[str, Callable[[float, float], bool]] = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
SUMS = ("sum", "np.sum", "math.fsum")
NONE_IN = ("slice",)
TEXT_IN = ("einsum",)


def _constant(value: object) -> Expression:
    if value is None:
        return NONE
    if value is Ellipsis:
        return ELLIPSIS
    if isinstance(value, str):
        return Text(value)
    if isinstance(value, bool | float):
        return Number(value)
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise Unreadable("it has a very large number")
        return Number(value)
    raise Unreadable("it has a complex number" if isinstance(value, complex) else "it has a constant that is no number")


def _listed(value: Value) -> list[Value] | None:
    """The items that a loop runs over, where they are few and stand in the source."""
    if isinstance(value, Items):
        return list(value.values) if len(value.values) <= MAX_UNROLLED else None
    if not isinstance(value, Op):
        return None
    if value.name == "range":
        ends = [arg.value for arg in value.args if isinstance(arg, Number) and isinstance(arg.value, int)]
        if len(ends) == 3 and ends[2] and len(rounds := range(*ends)) <= MAX_UNROLLED:
            return [Number(i) for i in rounds]
    if value.name in ("zip", "enumerate") and all(isinstance(arg, Op) and arg.name == "array" for arg in value.args):
        columns = [arg.args for arg in value.args if isinstance(arg, Op)]
        if value.name == "enumerate":
            columns = [tuple(Number(i) for i in range(len(columns[0]))), *columns]
        if all(len(column) <= MAX_UNROLLED for column in columns):
            return [Items(row, "tuple") for row in zip(*columns, strict=False)]
    return None


def _item(items: Items, place: Expression) -> Value:
    """An item of what is listed, or a slice of it."""
    count = len(items.values)
    if isinstance(place, Number) and isinstance(place.value, int) and -count <= place.value < count:
        return items.values[place.value]
    if isinstance(place, Op) and place.name == "slice":
        ends = [arg.value if isinstance(arg, Number) and isinstance(arg.value, int) else None for arg in place.args]
        known = all(end is not None or arg == NONE for end, arg in zip(ends, place.args, strict=True))
        if known and ends[2] != 0:
            return Items(items.values[ends[0] : ends[1] : ends[2]], items.kind)
    return op("index", array(items), place)


def _starred(value: Value) -> Sequence[Value]:
    if not isinstance(value, Items):
        raise Unreadable("it unpacks with a star")
    return value.values


def _compared(name: str, a: Expression, b: Expression) -> Expression:
    """A comparison; of two numbers it is known."""
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(DECIDED[name](a.value, b.value))
    return op(name, a, b)


def _joined(name: str, conditions: Sequence[Expression]) -> Expression:
    joined = conditions[0]
    for condition in conditions[1:]:
        joined = op(name, joined, condition)
    if all(isinstance(condition, Number) for condition in conditions):
        decide: Callable[..., bool] = all if name == "and" else any
        return Number(decide(condition.value for condition in conditions if isinstance(condition, Number)))
    return joined


def _negated(condition: Expression) -> Expression:
    return Number(not condition.value) if isinstance(condition, Number) else op("not", condition)


def _may_be_whole(value: Value) -> bool:
    """May this be a Python integer, by which a list is repeated?"""
    if isinstance(value, Number):
        return isinstance(value.value, int)
    return isinstance(value, Op) and value.name in ("len", "size")
