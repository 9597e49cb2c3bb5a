"""What a loop leaves: a sum, a product, an array that it fills or a list that it appends to.

A round of the loop is read once, with a symbol for the value that a name has at its begin. What the round makes of
that symbol tells what the loop gathers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlcore.engine.reading.expression import Expression, Number, Op, Symbol
from mlcore.engine.reading.spelling import FULL, ONE, ZERO, Items, Listed, Lost, Unreadable, Value, negative, op, plain


@dataclass(frozen=True, eq=False)
class Stored(Expression):
    """An array into one place of which something was written."""

    base: Expression
    place: tuple[Expression, ...]
    value: Expression


@dataclass(frozen=True, eq=False)
class Appended(Expression):
    """A list to which something was appended."""

    base: Expression
    value: Expression


def parts(expression: Expression) -> Sequence[Expression]:
    match expression:
        case Op():
            return expression.args
        case Items():
            return [value for value in expression.values if isinstance(value, Expression)]
        case Listed():
            return [expression.expression]
        case Stored():
            return [expression.base, *expression.place, expression.value]
        case Appended():
            return [expression.base, expression.value]
    return ()


def at_start(value: Value) -> Expression:
    try:
        return value if isinstance(value, Stored | Lost | Items) else plain(value)
    except Unreadable as error:
        return Lost(str(error))


def gathered(after: Value, before: Symbol, start: Expression, targets: str, over: Expression) -> Expression | None:
    """The value of a name after a loop, from what a round makes of its value before. None if that is no plain sum."""
    if after is before:
        return start
    if isinstance(after, Appended):
        if after.base is not before or not isinstance(start, Items) or start.values or mentions(after.value, before):
            return None
        return Listed(op("each", after.value, over, targets=targets))
    if isinstance(after, Stored):
        return _filled(after, before, start, targets, over)
    if not isinstance(after, Expression) or isinstance(after, Items | Listed | Lost) or isinstance(start, Items | Lost):
        return None
    if isinstance(start, Stored):
        return None
    for join, gather in (("add", "sum"), ("mul", "prod")):
        found = _share(after, before, join)
        if found is not None:
            share, conditions = found
            total = op(gather, op("each", share, over, *conditions, targets=targets), axis=0)
            neutral = start == (ZERO if join == "add" else ONE) or start == Number(0.0 if join == "add" else 1.0)
            return total if neutral else op(join, start, total)
    return None


def _share(after: Expression, before: Symbol, join: str) -> tuple[Expression, tuple[Expression, ...]] | None:
    """What a round adds to the value before, and under which conditions."""
    if not isinstance(after, Op):
        return None
    if after.name == "where" and before in after.args[1:]:
        changed = after.args[1] if after.args[2] == before else after.args[2]
        holds = after.args[0] if after.args[2] == before else op("not", after.args[0])
        found = _share(changed, before, join)
        return found and (found[0], (holds, *found[1]))
    if after.name not in (join, "sub" if join == "add" else join):
        return None
    a, b = after.args
    if mentions(a, before) == mentions(b, before) or (after.name == "sub" and mentions(b, before)):
        return None
    kept, other = (a, b) if mentions(a, before) else (b, a)
    if kept == before:
        return (negative(other) if after.name == "sub" else other), ()
    found = _share(kept, before, join)
    if found is None:
        return None
    share, conditions = found
    for holds in conditions:
        share = op("where", holds, share, ZERO if join == "add" else ONE)
    return (op(after.name, share, other) if kept is a else op(after.name, other, share)), ()


def _filled(after: Stored, before: Symbol, start: Expression, targets: str, over: Expression) -> Expression | None:
    """An array of zeros whose entries are written one by one, along its first index that is still open."""
    base, outer = (start.base, start.place) if isinstance(start, Stored) else (start, ())
    if after.base is not before or isinstance(base, Items | Listed | Lost | Appended):
        return None
    variable = Symbol(targets.split(",")[0])
    zeros = isinstance(base, Op) and (base.name == "zeros" or (base.name == "like" and base.args[1] == ZERO))
    marked = isinstance(base, Symbol) and base.name.startswith("#")
    if outer or not _counts(over) or not (zeros or marked) or not after.place or after.place[-1] != variable:
        return _added_up(after, before, start, targets, over)
    entry = op("index", before, *after.place)
    value = _replaced(after.value, entry, ZERO if zeros else op("index", base, *after.place))
    if mentions(value, before):
        return None
    if isinstance(value, Op) and value.name == "add" and value.args[0] == ZERO:
        value = value.args[1]
    filled = op("each", value, over, targets=targets)
    rest = after.place[:-1]
    if zeros and rest in ((), (FULL,)):
        return op("T", filled) if rest else filled
    return Stored(base, rest, filled) if marked else None


def _counts(over: Expression) -> bool:
    """Does the loop's first variable count from 0?"""
    if not isinstance(over, Op):
        return False
    if over.name == "zip":
        return _counts(over.args[0])
    return over.name == "enumerate" or (over.name in ("range", "arange") and over.args[0::2] == (ZERO, ONE))


def _added_up(after: Stored, before: Symbol, start: Expression, targets: str, over: Expression) -> Expression | None:
    """An entry that a loop adds to: `g[i] += …` in a loop over j."""
    names = {Symbol(name) for name in targets.split(",")}
    if any(mentions(place, name) for place in after.place for name in names):
        return None
    base = start.base if isinstance(start, Stored) else start
    if isinstance(start, Stored) and start.place != after.place:
        return None
    first = start.value if isinstance(start, Stored) else op("index", start, *after.place)
    entry = Symbol(f"{before.name}[]")
    value = _replaced(after.value, op("index", before, *after.place), entry)
    total = gathered(value, entry, first, targets, over)
    return None if total is None or mentions(total, before) else Stored(base, after.place, total)


def mentions(expression: Expression, symbol: Symbol) -> bool:
    waiting, seen = [expression], set()
    while waiting:
        e = waiting.pop()
        if id(e) in seen:
            continue
        seen.add(id(e))
        if isinstance(e, Symbol) and e == symbol:
            return True
        waiting.extend(parts(e))
    return False


def _replaced(expression: Expression, old: Expression, new: Expression) -> Expression:
    if expression == old:
        return new
    if not isinstance(expression, Op):
        return expression
    args = tuple(_replaced(arg, old, new) for arg in expression.args)
    unchanged = all(a is b for a, b in zip(args, expression.args, strict=True))
    return expression if unchanged else Op(expression.name, args, expression.options)
