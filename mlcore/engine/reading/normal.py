"""When do two lines say the same? A normal form in which what is no step of a derivation is gone.

Gone are the order and the brackets of sums and products, numbers that are moved (2(a + b) is 2a + 2b), transposes, the
spelling of products and of sums over an axis, and what is added and taken away, or multiplied and divided, at once. Not
gone are brackets that are factors: to multiply out is a step, and so is to factor out, to divide a sum by a symbol, to
take a sum over a sum apart, and any law of exp, log and the like.

Equal normal forms have equal values, whatever the numbers in arrays of these shapes are; a length is a number here.
Compare two lines on two draws of different shapes if a length may be mistaken for a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.engine.reading.evaluate import CannotEvaluate, values
from mlcore.engine.reading.expression import Expression, Number, Op, Symbol, Text, symbols
from mlcore.engine.reading.network import (
    UNIT,
    At,
    Beyond,
    Factor,
    Label,
    Summed,
    Term,
    Terms,
    TooLarge,
    collected,
    digest,
    factor,
    fresh,
    key_of,
    operation,
    power_of,
    relabelled,
    scaled,
    summed,
    symbol,
    term,
)

__all__ = ["Normal", "TooLarge", "contains", "degrees", "expanded", "normal"]

MAX_NODES = 3000
MAX_WORK = 20_000  # factors that are written down on the way

ENTRYWISE = {
    *("exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tanh", "floor", "ceil", "floordiv", "mod"),
    *("maximum", "minimum", "logaddexp", "less", "less_equal", "equal", "not_equal", "and", "or", "not"),
    *("where", "clip"),
}
REDUCTIONS = {"prod", "max", "min", "any", "all", "var", "std"}
# Their shape depends on what they are told; inside a loop they may have another one in each round.
SHAPING = {
    *("arange", "linspace", "zeros", "ones", "full", "eye", "repeat", "tile", "reshape", "broadcast_to", "range"),
    *("delete", "slice"),
}


@dataclass(frozen=True)
class Array:
    shape: tuple[int, ...]
    terms: Terms

    @property
    def number(self) -> float | None:
        """The number that every entry is, if it is one whatever the variables are."""
        if not self.terms:
            return 0.0
        return self.terms[0].coefficient if len(self.terms) == 1 and not self.terms[0].factors else None


@dataclass(frozen=True, eq=False)
class Normal:
    """Compared by its shape and key; `terms` are those of its sum."""

    shape: tuple[int, ...]
    key: str
    terms: Terms

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Normal) and (self.shape, self.key) == (other.shape, other.key)

    def __hash__(self) -> int:
        return hash((self.shape, self.key))


class _Changing(Exception):
    """A loop whose rounds differ in more than their numbers."""


def normal(expression: Expression, variables: Mapping[str, Any]) -> Normal:
    """The normal form; `variables` are an example, from which the shape of every piece is known."""
    try:
        known = values(expression, variables)
    except CannotEvaluate:
        known = {}
    builder = _Builder(known)
    try:
        array = builder.array(expression) if known else builder.closed(expression)
    except (RecursionError, MemoryError):
        raise TooLarge("it is nested too deeply") from None
    return Normal(array.shape, digest(key_of(array.terms)), array.terms)


def contains(normal: Normal, name: str) -> bool:
    return any(name in f.symbols for t in normal.terms for f in t.factors)


def expanded(normal: Normal, name: str) -> bool:
    """Is there no bracket with `name` left that is a factor of something else than numbers without `name`?

    Σ(a + b) and λ(wᵀw + wᵀc) are expanded in w, (w − c)ᵀw and Xᵀ(Xw − y) are not.
    """
    return all(_expanded(t.factors, name) for t in normal.terms)


def _expanded(factors: Sequence[Factor], name: str) -> bool:
    for f in factors:
        if name not in f.symbols:
            continue
        if f.atom.kind == "sum":
            others = [g for g in factors if g is not f]
            if f.power > 1 or f.power < -1:
                return False
            if f.power == 1 and any(name in g.symbols or set(g.labels) & set(f.labels) for g in others):
                return False
        if f.atom.kind in ("sum", "net") and not all(_expanded(t.factors, name) for t in f.atom.parts[0]):
            return False
    return True


def degrees(normal: Normal, name: str) -> list[float | None]:
    """Of each term, the power of `name` in it; None where `name` is in a bracket or in another operation."""
    return [_degree(t.factors, name) for t in normal.terms]


def _degree(factors: Iterable[Factor], name: str) -> float | None:
    total = 0.0
    for f in factors:
        if name not in f.symbols:
            continue
        if f.atom.kind == "symbol" and not any(isinstance(x, At) and name in x.symbols for x in f.labels):
            inside: float | None = 1.0
        else:
            inside = _degree(f.atom.parts[0][0].factors, name) if f.atom.kind == "net" else None
        if inside is None:
            return None
        total += inside * f.power
    return total


def _constant(number: float, shape: tuple[int, ...] = ()) -> Array:
    if not np.isfinite(number):
        raise Beyond
    return Array(shape, (term(float(number), []),) if number else ())


ENTRY_0 = At("@0")
NONE = Op("none", ())
WHOLE_AXIS = Op("slice", (NONE, NONE, NONE))


def _each_axis(told: Sequence[Expression], dimensions: int) -> list[Expression]:
    """The indices with an ellipsis written out."""
    found = [i for i, arg in enumerate(told) if isinstance(arg, Op) and arg.name == "ellipsis"]
    used = sum(not (isinstance(arg, Op) and arg.name in ("newaxis", "ellipsis")) for arg in told)
    at = found[0] if found else len(told)
    return [*told[:at], *[WHOLE_AXIS] * (dimensions - used), *told[at + 1 :]]


class _Builder:
    """Builds arrays from the tree, each node once; `loops` are the variables of the loops around."""

    def __init__(self, known: dict[int, Any]) -> None:
        self.known = known
        self.loops: dict[str, Array] = {}
        self.done: dict[int, Array] = {}
        self.written: dict[tuple[int, tuple[str, ...]], str] = {}
        self.nodes = 0
        self.work = 0

    def array(self, node: Expression) -> Array:
        if id(node) in self.done:
            return self.done[id(node)]
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooLarge("it has too many operations")
        try:
            result = self._array(node)
        except (Beyond, ArithmeticError, LookupError, TypeError, ValueError):
            result = self.closed(node)
        self.work += sum(1 + len(t.factors) for t in result.terms)
        if self.work > MAX_WORK:
            raise TooLarge("it has too many terms")
        self.done[id(node)] = result
        return result

    def _array(self, node: Expression) -> Array:
        if isinstance(node, Number):
            return _constant(float(node.value))
        if isinstance(node, Symbol):
            if node.name in self.loops:
                return self.loops[node.name]
            return self.made(symbol(node.name), self.shape(node))
        if not isinstance(node, Op) or id(node) not in self.known:
            raise Beyond
        if node.name == "tuple":
            return Array((), (term(1.0, [self.structure(node, [])]),))
        if self.static(node) and self.shape(node) == ():
            return _constant(float(self.known[id(node)]))
        if node.name in SHAPING and not self.loops.keys().isdisjoint(symbols(node)):
            raise _Changing
        return self._operation(node)

    def _operation(self, node: Op) -> Array:
        if node.name in ("add", "sub", "neg") and not self.is_bool(*node.args):
            return self.total(node)
        special = SPECIAL.get(node.name)
        if special is not None:
            try:
                return special(self, node)
            except Beyond:
                return self.structural(node)
        if node.name in REDUCTIONS:
            return self.reduction(node)
        if node.name in ENTRYWISE or node.name == "add":
            return self.entrywise(node.name, node, [self.array(arg) for arg in node.args])
        return self.structural(node)

    # --- what is known of a node ---

    def shape(self, node: Expression) -> tuple[int, ...]:
        try:
            return tuple(np.shape(self.known[id(node)]))
        except (KeyError, ValueError):
            raise Beyond from None

    def is_bool(self, *nodes: Expression) -> bool:
        """Is it True and False, which numpy adds as `or`?"""
        return all(np.asarray(self.known.get(id(node), 0.0)).dtype == np.bool_ for node in nodes)

    def static(self, node: Expression) -> bool:
        """Is it known from shapes alone?"""
        if isinstance(node, Op):
            return node.name in ("len", "shape", "size") or (
                node.name != "each" and all(self.static(arg) for arg in node.args)
            )
        return isinstance(node, Number)

    def closed(self, node: Expression) -> Array:
        """The node as it is written: nothing of it is taken apart."""
        if not self.loops.keys().isdisjoint(symbols(node)):
            raise _Changing
        try:
            shape = self.shape(node)
        except Beyond:
            shape = ()
        made, named = self.axes(shape), frozenset(symbols(node))
        return Array(shape, (term(1.0, [operation("written", self.text(node, ()), [], {}, made, named=named)]),))

    def text(self, node: Expression, bound: tuple[str, ...]) -> str:
        place = (id(node), bound)
        if place not in self.written:
            self.written[place] = digest(*self._words(node, bound))
        return self.written[place]

    def _words(self, node: Expression, bound: tuple[str, ...]) -> list[str]:
        if isinstance(node, Symbol):
            return ["bound", str(bound[::-1].index(node.name))] if node.name in bound else ["symbol", node.name]
        if isinstance(node, Op):
            inner, told = bound, [f"{name}={value!r}" for name, value in node.options]
            if node.name == "each":
                inner, told = (*bound, *str(node.option("targets")).split(",")), []
            words = [node.name, *told]
            for place, arg in enumerate(node.args):
                words.append(self.text(arg, bound if node.name == "each" and place == 1 else inner))
            return words
        return [repr(node)]

    @staticmethod
    def axes(shape: Sequence[int]) -> list[Label]:
        return [ENTRY_0 if size == 1 else axis for axis, size in enumerate(shape)]

    def made(self, atom: Any, shape: tuple[int, ...]) -> Array:
        return Array(shape, (term(1.0, [factor(atom, self.axes(shape))]),))

    # --- arithmetic ---

    def spread(self, array: Array, dimensions: int) -> list[Label]:
        """The axes of an array among those of a result that it is broadcast to."""
        return list(range(dimensions - len(array.shape), dimensions))

    def placed(self, array: Array, dimensions: int) -> Terms:
        return relabelled(array.terms, dict(enumerate(self.spread(array, dimensions))))

    def total(self, node: Op) -> Array:
        shape, terms = self.shape(node), list[Term]()
        waiting: list[tuple[float, Expression]] = [(1.0, node)]
        while waiting:
            sign, now = waiting.pop()
            inner = isinstance(now, Op) and id(now) not in self.done and now.name in ("add", "sub", "neg")
            if isinstance(now, Op) and inner and (now is node or not self.is_bool(*now.args)):
                self.nodes += 1
                waiting.append((-sign if now.name == "neg" else sign, now.args[0]))
                if now.name != "neg":
                    waiting.append((-sign if now.name == "sub" else sign, now.args[1]))
            else:
                terms += scaled(self.placed(self.array(now), len(shape)), sign)
            if self.nodes > MAX_NODES:
                raise TooLarge("it has too many operations")
        return Array(shape, collected(terms))

    def product(
        self, shape: tuple[int, ...], operands: Sequence[tuple[Array, Sequence[Label]]], over: Iterable[Summed] = ()
    ) -> Array:
        """The product of arrays whose axes have these labels, summed over some of them."""
        over = set(over)
        numbers = [array.number for array, _ in operands]
        open_ = [pair for pair, number in zip(operands, numbers, strict=True) if number is None]
        number = float(np.prod([x for x in numbers if x is not None], initial=1.0))
        if not open_:
            for label in over:
                number *= label.size
            return _constant(number, shape)
        if number == 0:
            return Array(shape, ())
        if len(open_) == 1 and not over:
            ((array, labels),) = open_
            return Array(shape, scaled(relabelled(array.terms, dict(enumerate(labels))), number))
        factors: list[Factor] = []
        for array, labels in open_:
            more, now = power_of(relabelled(array.terms, dict(enumerate(labels))), 1)
            number *= more
            factors += now
        more, factors = summed(factors, set(over))
        return Array(shape, collected([term(number * more, factors)]) if number * more else ())

    def times(self, node: Op) -> Array:
        shape, arrays = self.shape(node), [self.array(arg) for arg in node.args]
        return self.product(shape, [(array, self.spread(array, len(shape))) for array in arrays])

    def over(self, node: Op) -> Array:
        shape, (above, below) = self.shape(node), [self.array(arg) for arg in node.args]
        inverse = self.to(below, -1)
        return self.product(shape, [(above, self.spread(above, len(shape))), (inverse, self.spread(below, len(shape)))])

    @staticmethod
    def to(array: Array, power: float) -> Array:
        number, factors = power_of(array.terms, power)
        return Array(array.shape, collected([term(number, factors)]) if number else ())

    def power(self, node: Op) -> Array:
        base, exponent = (self.array(arg) for arg in node.args)
        number = exponent.number
        if number is None or self.is_bool(node.args[0]):
            return self.entrywise("pow", node, [base, exponent])
        if number == 0:
            return _constant(1.0, self.shape(node))
        return Array(self.shape(node), self.placed(self.to(base, number), len(self.shape(node))))

    def root(self, node: Op) -> Array:
        return self.to(self.array(node.args[0]), 0.5)

    def entrywise(self, name: str, node: Op, arrays: Sequence[Array]) -> Array:
        shape = self.shape(node)
        if shape == () and all(array.number is not None for array in arrays):
            return _constant(float(self.known[id(node)]))
        parts = [self.placed(array, len(shape)) for array in arrays]
        return Array(shape, (term(1.0, [operation(name, "", parts, {})]),))

    def turned(self, node: Op) -> Array:
        """a > b as b < a."""
        name = {"greater": "less", "greater_equal": "less_equal"}[node.name]
        return self.entrywise(name, node, [self.array(arg) for arg in reversed(node.args)])

    def size_or_sign(self, node: Op) -> Array:
        """|−2a| is 2|a|, and sign(−2a) is −sign(a)."""
        array = self.array(node.args[0])
        number, factors = power_of(array.terms, 1)
        if number == 0:
            return array
        inner = Array(array.shape, collected([term(1.0, factors)]))
        outer = abs(number) if node.name == "abs" else float(np.sign(number))
        if inner.number is not None:
            return _constant(outer, array.shape)
        return Array(array.shape, scaled(self.entrywise(node.name, node, [inner]).terms, outer))

    # --- products of vectors and matrices, and sums ---

    def matmul(self, node: Op) -> Array:
        a, b = (self.array(arg) for arg in node.args)
        if not a.shape or not b.shape:
            return self.times(node)
        shape, inner = self.shape(node), fresh(a.shape[-1])
        last = len(shape) - 1
        left: list[Label] = [inner]
        right: list[Label] = [inner]
        stacked = max(len(a.shape), len(b.shape)) - 2
        if len(a.shape) > 1:
            left = [*range(stacked - len(a.shape) + 2, stacked), last - (len(b.shape) > 1), inner]
        if len(b.shape) > 1:
            right = [*range(stacked - len(b.shape) + 2, stacked), inner, last]
        return self.product(shape, [(a, left), (b, right)], [inner])

    def outer(self, node: Op) -> Array:
        a, b = (self.array(arg) for arg in node.args)
        if len(a.shape) != 1 or len(b.shape) != 1:
            raise Beyond
        return self.product(self.shape(node), [(a, [0]), (b, [1])])

    def einsum(self, node: Op) -> Array:
        spec, arrays = node.args[0], [self.array(arg) for arg in node.args[1:]]
        if not isinstance(spec, Text) or "." in spec.value:
            raise Beyond
        inputs, arrow, output = spec.value.replace(" ", "").partition("->")
        letters = [list(part) for part in inputs.split(",")]
        if not arrow:
            every = "".join(inputs.split(","))
            output = "".join(sorted(x for x in set(every) if every.count(x) == 1))
        sizes: dict[str, int] = {}
        for part, array in zip(letters, arrays, strict=True):
            for letter, size in zip(part, array.shape, strict=True):
                sizes[letter] = max(size, sizes.get(letter, 1))
        names: dict[str, Label] = {letter: axis for axis, letter in enumerate(output)}
        inner = {letter: fresh(size) for letter, size in sizes.items() if letter not in names}
        labels = [[(names | inner)[letter] for letter in part] for part in letters]
        return self.product(self.shape(node), list(zip(arrays, labels, strict=True)), inner.values())

    def trace(self, node: Op) -> Array:
        array = self.array(node.args[0])
        if len(array.shape) != 2 or array.shape[0] != array.shape[1]:
            raise Beyond
        label = fresh(array.shape[0])
        return self.product((), [(array, [label, label])], [label])

    def diag(self, node: Op) -> Array:
        array, shape = self.array(node.args[0]), self.shape(node)
        if len(array.shape) == 1:
            return self.product(shape, [(array, [0]), (self.unit(shape), [0, 1])])
        if array.shape[0] != array.shape[1]:
            raise Beyond
        return Array(shape, relabelled(array.terms, {0: 0, 1: 0}))

    @staticmethod
    def unit(shape: tuple[int, ...]) -> Array:
        return Array(shape, (term(1.0, [factor(UNIT, [0, 1])] if shape[0] > 1 else []),))

    def eye(self, node: Op) -> Array:
        shape = self.shape(node)
        if len(shape) != 2 or shape[0] != shape[1]:
            raise Beyond
        return self.unit(shape)

    def transposed(self, node: Op) -> Array:
        array = self.array(node.args[0])
        if node.option("axes") is not None:
            raise Beyond
        names: dict[int, Label] = {axis: len(array.shape) - 1 - axis for axis in range(len(array.shape))}
        return Array(array.shape[::-1], relabelled(array.terms, names))

    def reduced_axes(self, node: Op, dimensions: int) -> list[int]:
        axis = node.option("axis")
        if axis is None:
            return list(range(dimensions))
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise Beyond
        return [axis % dimensions] if dimensions else []

    def reduced(self, node: Op, array: Array) -> tuple[list[Label], list[Summed]]:
        """Labels for the axes of the argument: those that stay as in the result, and others, that do not."""
        gone = self.reduced_axes(node, len(array.shape))
        inner = {axis: fresh(array.shape[axis]) for axis in gone}
        labels: list[Label] = []
        place = 0
        for axis in range(len(array.shape)):
            labels.append(inner.get(axis, place))
            place += axis not in inner or bool(node.option("keepdims"))
        return labels, list(inner.values())

    def sum(self, node: Op) -> Array:
        array = self.array(node.args[0])
        labels, inner = self.reduced(node, array)
        result = self.product(self.shape(node), [(array, labels)], inner)
        if node.name == "mean":
            number = 1 / np.prod([label.size for label in inner], initial=1.0)
            result = Array(result.shape, scaled(result.terms, float(number)))
        return result

    def norm(self, node: Op) -> Array:
        array = self.array(node.args[0])
        labels, inner = self.reduced(node, array)
        order = node.option("ord")
        if order is None or (len(inner) == 1 and order == 2) or (len(inner) == 2 and order == "fro"):
            square = self.product(self.shape(node), [(array, labels), (array, labels)], inner)
            return self.to(square, 0.5)
        raise Beyond

    def reduction(self, node: Op) -> Array:
        array = self.array(node.args[0])
        labels, inner = self.reduced(node, array)
        told = ",".join(f"{name}={value!r}" for name, value in node.options if name not in ("axis", "keepdims"))
        told += "x".join(str(label.size) for label in inner)
        terms = relabelled(array.terms, dict(enumerate(labels)))
        own: dict[Label, int] = {label: place for place, label in enumerate(inner)}
        return Array(self.shape(node), (term(1.0, [operation(node.name, told, [terms], own)]),))

    def inv(self, node: Op) -> Array:
        return self.inverse(self.array(node.args[0]))

    def inverse(self, array: Array) -> Array:
        """(cA)⁻¹ is A⁻¹/c, and (Aᵀ)⁻¹ is (A⁻¹)ᵀ."""
        if len(array.shape) != 2 or array.shape[0] != array.shape[1]:
            raise Beyond
        number, factors = power_of(array.terms, 1)
        if number == 0:
            raise Beyond
        row, column = fresh(array.shape[0]), fresh(array.shape[0])
        parts = [relabelled(collected([term(1.0, factors)]), {0: row, 1: column})]
        one = operation("inv", "", parts, {row: 0, column: 1}, [0, 1])
        other = operation("inv", "", parts, {row: 1, column: 0}, [1, 0])
        if one.atom.key == other.atom.key:
            one = other = operation("inv", "", parts, {row: 0, column: 1}, [0, 1], symmetric=True)
        return Array(array.shape, (term(1 / number, [min(one, other, key=lambda f: f.atom.key)]),))

    def solve(self, node: Op) -> Array:
        a, b = (self.array(arg) for arg in node.args)
        if len(b.shape) not in (1, 2):
            raise Beyond
        inner = fresh(a.shape[0])
        right: list[Label] = [inner] if len(b.shape) == 1 else [inner, 1]
        return self.product(self.shape(node), [(self.inverse(a), [0, inner]), (b, right)], [inner])

    # --- shapes and pieces ---

    def same(self, node: Op) -> Array:
        return self.array(node.args[0])

    def filled(self, node: Op) -> Array:
        number = {"zeros": 0.0, "ones": 1.0}.get(node.name)
        shape = self.shape(node)
        return _constant(number, shape) if number is not None else self.stretched(node.args[1], shape)

    def stretched(self, arg: Expression, shape: tuple[int, ...]) -> Array:
        return Array(shape, self.placed(self.array(arg), len(shape)))

    def broadcast(self, node: Op) -> Array:
        return self.stretched(node.args[0], self.shape(node))

    def reshaped(self, node: Op) -> Array:
        """Another shape that differs in axes of one entry only."""
        array, shape = self.array(node.args[0]), self.shape(node)
        before = [axis for axis, size in enumerate(array.shape) if size != 1]
        after = [axis for axis, size in enumerate(shape) if size != 1]
        if [array.shape[axis] for axis in before] != [shape[axis] for axis in after]:
            raise Beyond
        return Array(shape, relabelled(array.terms, dict(zip(before, after, strict=True))))

    def arange(self, node: Op) -> Array:
        (size,) = self.shape(node)
        return self.steps(node, size, 0)

    def steps(self, node: Op, size: int, label: Label) -> Array:
        """from, from + step, … along a label."""
        if all(self.static(arg) for arg in node.args) and size:
            numbers = [float(x) for x in self.known[id(node)]]
            counted = term(1.0, [self.counted(label, size)])
            first, step = numbers[0], (numbers[1] - numbers[0] if size > 1 else 0.0)
            return Array((size,), collected([*scaled([counted], step), *scaled([term(1.0, [])], first)]))
        parts = [self.array(arg).terms for arg in node.args]
        return Array((size,), (term(1.0, [operation("arange", "", parts, {}, [label])]),))

    def index(self, node: Op) -> Array:
        """x[i], A[:, j], x[:, None]; a slice, or an entry that moves with a loop, is an operation on its axis."""
        of, told = node.args[0], node.args[1:]
        if isinstance(of, Op) and of.name == "tuple" and len(told) == 1 and isinstance(told[0], Number):
            return self.array(of.args[int(told[0].value)])
        array, shape = self.array(of), self.shape(node)
        labels: list[Label] = []
        parts: list[Terms] = []
        own: dict[Label, int] = {}
        made: list[Label] = []
        pattern = ""
        place = 0
        for arg in _each_axis(told, len(array.shape)):
            name = arg.name if isinstance(arg, Op) else ""
            if name == "newaxis":
                place += 1
                continue
            size = array.shape[len(labels)]
            if arg == WHOLE_AXIS:
                labels.append(place)
                place += 1
                continue
            bounds = arg.args if isinstance(arg, Op) and name == "slice" else ()
            label = None if bounds else self.entry(arg, size)
            if label is not None:
                labels.append(label)
                continue
            own[fresh(size)] = len(own)
            labels.append(list(own)[-1])
            if not bounds:
                pattern += "at"
                parts.append(self.array(arg).terms)
                continue
            if not self.loops.keys().isdisjoint(symbols(arg)):
                raise _Changing
            pattern += f"{size}:" + "".join("-" if bound == NONE else "x" for bound in bounds)
            parts += [self.array(bound).terms for bound in bounds if bound != NONE]
            made.append(place if shape[place] != 1 else ENTRY_0)
            place += 1
        terms = relabelled(array.terms, dict(enumerate(labels)))
        if own:
            terms = (term(1.0, [operation("index", pattern, [terms, *parts], own, made)]),)
        return Array(shape, terms)

    def entry(self, arg: Expression, size: int) -> Label | None:
        """The label that an axis gets if it is asked for one entry, or runs with a loop; None if it moves otherwise."""
        value = np.asarray(self.known.get(id(arg), 0.5))
        if value.shape != () or not np.issubdtype(value.dtype, np.integer):
            raise Beyond
        index = self.array(arg)
        if index.number is not None:
            return At(f"@{int(index.number) % size}")
        factors = [f for t in index.terms for f in t.factors]
        running = {label for f in factors for label in f.labels if isinstance(label, Summed)}
        if not running:
            return At("@" + digest(key_of(index.terms)), frozenset[str]().union(*(f.symbols for f in factors)))
        for label in running:
            if label.size == size and index.terms == (term(1.0, [self.counted(label, size)]),):
                return label
        return None

    @staticmethod
    def counted(label: Label, size: int) -> Factor:
        """0, 1, 2, … along a label."""
        return operation("arange", str(size), [], {}, [label])

    def each(self, node: Op) -> Array:
        """A list over a loop variable: the variable is an axis."""
        try:
            return self.looped(node)
        except (_Changing, Beyond):
            return self.closed(node)

    def looped(self, node: Op) -> Array:
        body, iterable, *conditions = node.args
        if any(condition != Number(True) for condition in conditions):
            raise _Changing
        targets = str(node.option("targets")).split(",")
        sources: list[Expression | None] = [iterable]
        if isinstance(iterable, Op) and iterable.name == "zip":
            sources = list(iterable.args)
        if isinstance(iterable, Op) and iterable.name == "enumerate":
            sources = [None, iterable.args[0]]
        if len(sources) != len(targets) or id(node) not in self.known:
            raise _Changing
        label = fresh(len(self.known[id(node)]))
        around, done = self.loops, self.done
        bound = {}
        for name, source in zip(targets, sources, strict=True):
            bound[name] = self.round(source, label)
        try:
            self.loops, self.done = around | bound, {}
            inside = self.array(body)
        finally:
            self.loops, self.done = around, done
        names: dict[Label, Label] = {axis: axis + 1 for axis in range(len(inside.shape))}
        names[label] = 0
        shape = (label.size, *inside.shape)
        return Array(shape, relabelled(inside.terms, lambda x: names.get(x, x)))

    def round(self, source: Expression | None, label: Summed) -> Array:
        """What a loop variable is, with a label for the rounds."""
        if source is None:
            return Array((), (term(1.0, [self.counted(label, label.size)]),))
        if isinstance(source, Op) and source.name == "range":
            if not self.loops.keys().isdisjoint(symbols(source)):
                raise _Changing
            return Array((), self.steps(source, label.size, label).terms)
        array = self.array(source)
        if not array.shape or array.shape[0] != label.size:
            raise _Changing
        names: dict[int, Label] = {axis: axis - 1 for axis in range(1, len(array.shape))}
        return Array(array.shape[1:], relabelled(array.terms, names | {0: label}))

    def structural(self, node: Op) -> Array:
        """An operation of which only the arguments are normalised."""
        if node.name in ("index", "each") and not self.loops.keys().isdisjoint(symbols(node)):
            raise _Changing  # what a mask or a slice picks may have another shape in each round
        shape = self.shape(node)
        return Array(shape, (term(1.0, [self.structure(node, self.axes(shape))]),))

    def structure(self, node: Op, made: list[Label]) -> Factor:
        told = [f"{name}={value!r}" for name, value in node.options]
        parts, own = list[Terms](), dict[Label, int]()
        for arg in node.args:
            if isinstance(arg, Text) or (isinstance(arg, Op) and arg.name in ("none", "slice", "newaxis", "ellipsis")):
                told.append(self.text(arg, ()))
                if not self.loops.keys().isdisjoint(symbols(arg)):
                    raise _Changing
                continue
            array = self.array(arg)
            inner = [fresh(size) for size in array.shape]
            own |= {label: len(own) + place for place, label in enumerate(inner)}
            parts.append(relabelled(array.terms, dict(enumerate(inner))))
            told.append(str(array.shape))
        return operation(node.name, ";".join(told), parts, own, made)


SPECIAL: dict[str, Callable[[_Builder, Op], Array]] = {
    "mul": _Builder.times,
    "div": _Builder.over,
    "pow": _Builder.power,
    "sqrt": _Builder.root,
    "greater": _Builder.turned,
    "greater_equal": _Builder.turned,
    "abs": _Builder.size_or_sign,
    "sign": _Builder.size_or_sign,
    "matmul": _Builder.matmul,
    "outer": _Builder.outer,
    "einsum": _Builder.einsum,
    "trace": _Builder.trace,
    "diag": _Builder.diag,
    "eye": _Builder.eye,
    "T": _Builder.transposed,
    "transpose": _Builder.transposed,
    "sum": _Builder.sum,
    "mean": _Builder.sum,
    "norm": _Builder.norm,
    "inv": _Builder.inv,
    "solve": _Builder.solve,
    "real": _Builder.same,
    "zeros": _Builder.filled,
    "ones": _Builder.filled,
    "full": _Builder.filled,
    "like": _Builder.filled,
    "broadcast_to": _Builder.broadcast,
    "reshape": _Builder.reshaped,
    "ravel": _Builder.reshaped,
    "arange": _Builder.arange,
    "range": _Builder.arange,
    "index": _Builder.index,
    "each": _Builder.each,
}
