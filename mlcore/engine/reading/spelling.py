"""The many spellings of an operation: numpy's functions, its methods, math and the builtins.

Each entry of `SPELLINGS` makes an expression of the arguments of a call: `np.square(x)` is x to the power of 2,
`np.average(x, weights=w)` is the sum of w·x over the sum of w.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mlcore.engine.reading.expression import Expression, Number, Op, Symbol, Text
from mlcore.engine.reading.source import Definition, Dotted

MAX_INTEGER = 2**53
MAX_POWER = 8  # of a matrix, written out


class Unreadable(Exception):
    """Why a function could not be read, in a few words that follow its name: "it has a loop"."""


class Valueless(Unreadable):
    """It gives no value at all, as an untouched stub."""


@dataclass(frozen=True, eq=False)
class Items(Expression):
    """A tuple or a list of known length, while it is read."""

    values: tuple[Value, ...]
    kind: str  # "tuple" or "array"


@dataclass(frozen=True, eq=False)
class Listed(Expression):
    """A list of unknown length, while it is read: it adds up as a list, not as an array."""

    expression: Expression


@dataclass(frozen=True, eq=False)
class Lost(Expression):
    """A value that could not be read, and why."""

    why: str


Value = Expression | Definition | Dotted

NONE = Op("none", ())
PLAIN_TYPES = ("float", "np.float64", "np.double", "np.longdouble")
WHOLE_TYPES = ("int", "bool", "np.int64", "np.intp", "np.bool_")


@dataclass(frozen=True, eq=False)
class Call:
    """The arguments of a call, and the name of what is called."""

    name: str
    positional: Sequence[Value]
    keywords: Mapping[str, Value]

    def bind(self, signature: str) -> dict[str, Value]:
        """The arguments by name. A name with = may be left out; those after * go by keyword only."""
        places, _, keywords = signature.partition("*")
        names = [name.rstrip("=") for name in places.split()]
        known = {name.rstrip("=") for name in signature.replace("*", " ").split()}
        if len(self.positional) > len(names):
            raise Unreadable(f"it calls `{self.name}` with {len(self.positional)} arguments")
        bound = dict(zip(names, self.positional, strict=False))
        for name, value in self.keywords.items():
            if name not in known or name in bound:
                raise Unreadable(f"it calls `{self.name}` with `{name}`")
            bound[name] = value
        missing = [name for name in (*places.split(), *keywords.split()) if name[-1] != "=" and name not in bound]
        if missing:
            raise Unreadable(f"it calls `{self.name}` without `{missing[0]}`")
        return {name: value for name, value in bound.items() if name != "out" and value is not NONE}


Spelling = Callable[[Call], Value]


def plain(value: Value) -> Expression:
    """A value as an expression."""
    if isinstance(value, Items):
        return Op(value.kind, tuple(plain(item) for item in value.values))
    if isinstance(value, Listed):
        return value.expression
    if isinstance(value, Lost):
        raise Unreadable(value.why)
    if isinstance(value, Definition | Dotted):
        raise Unreadable(f"it hands on the function `{value.name}`")
    return value


def array(value: Value) -> Expression:
    """A value as numpy sees it: a tuple is an array."""
    if isinstance(value, Items):
        return Op("array", tuple(array(item) for item in value.values))
    if isinstance(value, Text) or value is NONE:
        raise Unreadable("it computes with something that is no number")
    return plain(value)


def static(value: Value) -> int | float | bool | str | None:
    """A value that must stand in the source: an axis, say. Several of them as '0,1'."""
    if isinstance(value, Number | Text):
        return value.value
    if value is NONE:
        return None
    if isinstance(value, Items):
        return ",".join(str(static(item)) for item in value.values)
    raise Unreadable("an option of it, such as an axis, is not written as a number")


def whole(value: Value) -> int:
    number = static(value)
    if not isinstance(number, int):
        raise Unreadable("it has an option that is no whole number")
    return int(number)


def op(name: str, *args: Expression, **options: int | float | bool | str | None) -> Op:
    """An operation; an option that is None or False is not there."""
    kept = ((key, value) for key, value in sorted(options.items()) if value is not None and value is not False)
    return Op(name, args, tuple(kept))


def negative(a: Expression) -> Expression:
    if isinstance(a, Number) and not isinstance(a.value, bool) and a.value > 0:
        return Number(-a.value)
    return op("neg", a)


def is_true_or_false(a: Expression) -> bool:
    return (isinstance(a, Op) and a.name in TRUE_OR_FALSE) or (isinstance(a, Number) and isinstance(a.value, bool))


COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
TRUE_OR_FALSE = {*COMPARISONS, "and", "or", "not", "any", "all"}
FULL = Op("slice", (NONE, NONE, NONE))
NEWAXIS = Op("newaxis", ())
ELLIPSIS = Op("ellipsis", ())
ZERO, ONE, TWO = Number(0), Number(1), Number(2)


def items_of(value: Value) -> list[Expression]:
    """The arrays of a list of them, as np.concatenate takes it."""
    if isinstance(value, Items):
        return [array(item) for item in value.values]
    if isinstance(value, Listed | Op) and isinstance(plain(value), Op) and plain(value) != NONE:
        return [plain(value)]
    raise Unreadable("it puts arrays together that are not listed")


# --- the ways in which an entry is made ---


def simple(name: str, arity: int = 1) -> Spelling:
    """An operation whose arguments are those of the call."""
    names = "abc"[:arity]

    def spelt(call: Call) -> Expression:
        bound = call.bind(" ".join(names))
        return op(name, *(array(bound[a]) for a in names))

    return spelt


def along(name: str, signature: str = "a") -> Spelling:
    """An operation along an axis, if one is given."""

    def spelt(call: Call) -> Expression:
        bound = call.bind(f"{signature} axis=")
        axis = static(bound.pop("axis", NONE))
        return op(name, *map(array, bound.values()), axis=axis)

    return spelt


def reduction(name: str) -> Spelling:
    def spelt(call: Call) -> Expression:
        spread = "ddof=" if name in ("var", "std") else ""
        bound = call.bind(f"a axis= dtype= out= {spread} * keepdims=")
        _typed(bound.get("dtype"))
        options = {o: static(bound[o]) for o in ("axis", "ddof", "keepdims") if o in bound}
        if options.get("ddof") == 0:
            del options["ddof"]
        return op(name, array(bound["a"]), **options)

    return spelt


def made(signature: str, make: Callable[..., Expression]) -> Spelling:
    """Anything else: what `make` makes of the arguments as arrays."""

    def spelt(call: Call) -> Expression:
        bound = call.bind(signature)
        return make(**{name: array(value) for name, value in bound.items()})

    return spelt


def same(call: Call) -> Value:
    """np.asarray, float, .copy(): the thing itself."""
    bound = call.bind("a dtype= * copy= order= ndmin=")
    _typed(bound.get("dtype"))
    return array(bound["a"])


def _typed(dtype: Value | None, also: Sequence[str] = ()) -> None:
    """A dtype changes nothing if it is that of real numbers."""
    if dtype is not None and not (isinstance(dtype, Dotted) and dtype.name in (*PLAIN_TYPES, *also)):
        raise Unreadable("it asks for numbers of another type")


# --- what has an entry of its own ---


def _filled(make: Callable[[Expression], Expression]) -> Spelling:
    def spelt(call: Call) -> Expression:
        bound = call.bind("shape dtype= order=")
        _typed(bound.get("dtype"), WHOLE_TYPES)
        return make(plain(bound["shape"]))

    return spelt


def _full(call: Call) -> Expression:
    bound = call.bind("shape a dtype=")
    _typed(bound.get("dtype"))
    return op("full", plain(bound["shape"]), array(bound["a"]))


def _like(value: Expression | None) -> Spelling:
    def spelt(call: Call) -> Expression:
        bound = call.bind("a dtype=" if value is not None else "a b dtype=")
        _typed(bound.get("dtype"))
        return op("like", array(bound["a"]), array(bound["b"]) if value is None else value)

    return spelt


def _eye(call: Call) -> Expression:
    bound = call.bind("n * dtype=")
    _typed(bound.get("dtype"), WHOLE_TYPES)
    return op("eye", array(bound["n"]))


def steps(call: Call) -> Expression:
    """From, to and step of range and np.arange."""
    if call.name == "range" and call.keywords:
        raise Unreadable("it calls `range` with a keyword")
    bound = call.bind("a b= c= dtype=" if call.name != "range" else "a b= c=")
    _typed(bound.get("dtype"), WHOLE_TYPES)
    first, second, step = (array(bound[name]) if name in bound else None for name in "abc")
    start, stop = (ZERO, first) if second is None else (first, second)
    assert start is not None and stop is not None
    return op("range" if call.name == "range" else "arange", start, stop, step or ONE)


def _linspace(call: Call) -> Expression:
    bound = call.bind("a b n=")
    return op("linspace", array(bound["a"]), array(bound["b"]), array(bound.get("n", Number(50))))


def _together(name: str, default: int | None) -> Spelling:
    def spelt(call: Call) -> Expression:
        bound = call.bind("arrays axis=" if default is not None else "arrays")
        axis = static(bound.get("axis", Number(default or 0)))
        return op(name, *items_of(bound["arrays"]), axis=axis if axis != default and default is not None else None)

    return spelt


def _append(call: Call) -> Expression:
    bound = call.bind("a b axis=")
    axis = static(bound["axis"]) if "axis" in bound else None
    return op("append", array(bound["a"]), array(bound["b"]), axis=axis)


def _block(call: Call) -> Expression:
    return op("block", array(call.bind("rows")["rows"]))


def reshaped(call: Call) -> Expression:
    """np.reshape(a, shape), a.reshape(shape) and a.reshape(n, d)."""
    if call.keywords:
        raise Unreadable(f"it calls `{call.name}` with a keyword")
    a, *shape = call.positional
    if not shape:
        raise Unreadable(f"it calls `{call.name}` without a shape")
    return op("reshape", array(a), plain(shape[0] if len(shape) == 1 else Items(tuple(shape), "tuple")))


def transposed(call: Call) -> Expression:
    """np.transpose(a), with or without axes; a.transpose(1, 0, 2)."""
    if call.keywords.keys() - {"axes"} or not call.positional:
        raise Unreadable(f"it calls `{call.name}` with a keyword")
    a, *axes = [*call.positional, *call.keywords.values()]
    if not axes or axes[0] is NONE:
        return op("T", array(a))
    return op("transpose", array(a), axes=static(axes[0] if len(axes) == 1 else Items(tuple(axes), "tuple")))


def product(a: Expression, b: Expression) -> Expression:
    """np.dot; with a number it is a multiple."""
    return op("mul" if isinstance(a, Number) or isinstance(b, Number) else "matmul", a, b)


def _tensordot(call: Call) -> Expression:
    bound = call.bind("a b axes")
    if not isinstance(bound["axes"], Number) or bound["axes"].value != 1:
        raise Unreadable("it uses `np.tensordot` over several axes")
    return op("matmul", array(bound["a"]), array(bound["b"]))


def _chain(call: Call) -> Expression:
    return functools.reduce(product, items_of(call.bind("arrays")["arrays"]))


def _matrix_power(call: Call) -> Expression:
    bound = call.bind("a n")
    n, a = whole(bound["n"]), array(bound["a"])
    if not 1 <= n <= MAX_POWER:
        raise Unreadable("it takes a high power of a matrix")
    return functools.reduce(product, [a] * n)


def _einsum(call: Call) -> Expression:
    if not call.positional or not isinstance(call.positional[0], Text) or call.keywords.keys() - {"optimize"}:
        raise Unreadable("it calls `np.einsum` without plain letters")
    letters = call.positional[0].value.replace(" ", "")
    if "->" not in letters and "." not in letters:
        once = sorted(x for x in set(letters) - {","} if letters.count(x) == 1)
        letters += "->" + "".join(once)
    if not re.fullmatch(r"[A-Za-z.,]*->[A-Za-z.]*", letters):
        raise Unreadable("it calls `np.einsum` without plain letters")
    return op("einsum", Text(letters), *(array(a) for a in call.positional[1:]))


def _average(call: Call) -> Expression:
    bound = call.bind("a axis= weights= * keepdims=")
    options = {o: static(bound[o]) for o in ("axis", "keepdims") if o in bound}
    a = array(bound["a"])
    if "weights" not in bound:
        return op("mean", a, **options)
    w = array(bound["weights"])
    if not options:
        return op("div", op("sum", op("mul", w, a)), op("sum", w))
    if options.keys() != {"axis"} or options["axis"] not in (0, 1, -1):
        raise Unreadable("it uses `np.average` along an unusual axis")
    return op("div", op("matmul", w, a) if options["axis"] == 0 else op("matmul", a, w), op("sum", w))


def _cov(call: Call) -> Expression:
    """The mean of (x − x̄)(x − x̄)ᵀ over the columns, or over the rows if `rowvar` is False."""
    bound = call.bind("a * rowvar= bias= ddof=")
    a, by_columns = array(bound["a"]), bool(static(bound.get("rowvar", ONE)))
    less = whole(bound["ddof"]) if "ddof" in bound else int(not static(bound.get("bias", ZERO)))
    if by_columns and isinstance(a, Op) and a.name == "T":
        a, by_columns = a.args[0], False
    if by_columns:
        n: Expression = op("index", op("shape", a), ONE)
        centred: Expression = op("sub", a, op("mean", a, axis=1, keepdims=True))
        squares = op("matmul", centred, op("T", centred))
    else:
        n = op("len", a)
        centred = op("sub", a, op("mean", a, axis=0))
        squares = op("matmul", op("T", centred), centred)
    return op("div", squares, op("sub", n, Number(less)) if less else n)


def _slogdet(call: Call) -> Value:
    a = array(call.bind("a")["a"])
    return Items((op("sign", op("det", a)), op("logdet", a)), "tuple")


def _eigh(call: Call) -> Value:
    vectors = Lost("it uses the eigenvectors of `np.linalg.eigh`")
    return Items((op("eigvalsh", array(call.bind("a")["a"])), vectors), "tuple")


def _lstsq(call: Call) -> Value:
    """The first of its results; the others are seldom asked for."""
    bound = call.bind("a b rcond=")
    return Items((op("matmul", op("pinv", array(bound["a"])), array(bound["b"])),), "tuple")


def _clip(call: Call) -> Expression:
    bound = call.bind("a low= high=")
    a = array(bound["a"])
    if "low" in bound and "high" in bound:
        return op("clip", a, array(bound["low"]), array(bound["high"]))
    if "low" in bound:
        return op("maximum", a, array(bound["low"]))
    return op("minimum", a, array(bound["high"])) if "high" in bound else a


def _expand(call: Call) -> Expression:
    bound = call.bind("a axis")
    axis = static(bound["axis"])
    places: dict[object, tuple[Expression, ...]] = {0: (NEWAXIS,), 1: (FULL, NEWAXIS), -1: (ELLIPSIS, NEWAXIS)}
    if axis not in places:
        raise Unreadable("it uses `np.expand_dims` at an unusual axis")
    return op("index", array(bound["a"]), *places[axis])


def _diff(a: Expression) -> Expression:
    later = op("index", a, Op("slice", (ONE, NONE, NONE)))
    return op("sub", later, op("index", a, Op("slice", (NONE, Number(-1), NONE))))


def _polyval(call: Call) -> Expression:
    bound = call.bind("p x")
    coefficients, x = bound["p"], array(bound["x"])
    if not isinstance(coefficients, Items) or not 1 <= len(coefficients.values) <= MAX_POWER:
        raise Unreadable("it uses `np.polyval` with coefficients that are not listed")
    highest = len(coefficients.values) - 1
    powers = [op("pow", x, Number(k)) if k > 1 else x for k in range(highest, 0, -1)]
    *higher, constant = map(array, coefficients.values)
    terms = [op("mul", c, power) for c, power in zip(higher, powers, strict=True)]
    return functools.reduce(lambda a, b: op("add", a, b), [*terms, constant])


def _correlated(name: str, default: str) -> Spelling:
    def spelt(call: Call) -> Expression:
        bound = call.bind("a b mode=")
        mode = static(bound.get("mode", Text(default)))
        if mode not in ("full", "same", "valid"):
            raise Unreadable(f"it calls `{call.name}` with an unknown mode")
        return op(name, array(bound["a"]), array(bound["b"]), mode=mode)

    return spelt


def _norm(call: Call) -> Expression:
    bound = call.bind("a ord= axis= keepdims=")
    options = {o: static(bound[o]) for o in ("ord", "axis", "keepdims") if o in bound}
    return op("norm", array(bound["a"]), **options)


def _sum_of_items(call: Call) -> Expression:
    """The builtin: over the first axis, or term by term where the terms are listed."""
    bound = call.bind("a start=")
    start = array(bound["start"]) if "start" in bound else ZERO
    terms = [] if start == ZERO else [start]
    a = bound["a"]
    terms += map(array, a.values) if isinstance(a, Items) else [op("sum", plain(a), axis=0)]
    return functools.reduce(lambda x, y: op("add", x, y), terms or [ZERO])


def _largest(name: str, of_two: str) -> Spelling:
    """The builtins max and min: of two or more numbers, or of the entries of a vector."""

    def spelt(call: Call) -> Expression:
        if call.keywords:
            raise Unreadable(f"it calls `{call.name}` with a keyword")
        if len(call.positional) == 1:
            return op(name, array(call.positional[0]))
        return functools.reduce(lambda x, y: op(of_two, x, y), map(array, call.positional))

    return spelt


def _whole_number(call: Call) -> Expression:
    a = array(call.bind("a")["a"])
    if not _is_whole(a):
        raise Unreadable("it rounds with `int`")
    return a


def _is_whole(a: Expression) -> bool:
    """Is it whole if the variables are? Of those nothing is known."""
    if not isinstance(a, Op):
        return isinstance(a, Symbol) or (isinstance(a, Number) and isinstance(a.value, int))
    if a.name in ("add", "sub", "mul", "neg", "floordiv", "mod", "sum", "prod", "max", "min", "abs"):
        return all(map(_is_whole, a.args))
    if a.name == "index":
        return _is_whole(a.args[0])
    return a.name in ("len", "size", "shape", "floor", "ceil", "argmax", "argmin", *TRUE_OR_FALSE)


def _as_type(call: Call) -> Expression:
    """Of what is true or false, 1 and 0."""
    bound = call.bind("a dtype * copy=")
    a = array(bound["a"])
    if is_true_or_false(a):
        _typed(bound["dtype"], ("int", "np.int64"))
        return op("where", a, ONE, ZERO)
    _typed(bound["dtype"])
    return a


def as_float(call: Call) -> Value:
    a = same(call)
    return op("where", a, ONE, ZERO) if isinstance(a, Op) and is_true_or_false(a) else a


def _where(call: Call) -> Expression:
    bound = call.bind("condition a b")
    return op("where", *(array(bound[name]) for name in ("condition", "a", "b")))


def _each_pair(name: str) -> Spelling:
    def spelt(call: Call) -> Expression:
        if call.keywords.keys() - {"strict"}:
            raise Unreadable(f"it calls `{call.name}` with a keyword")
        return op(name, *map(array, call.positional))

    return spelt


def _log(call: Call) -> Expression:
    bound = call.bind("a base=")
    log = op("log", array(bound["a"]))
    return op("div", log, op("log", array(bound["base"]))) if "base" in bound else log


def _reduced(make: Callable[..., Expression]) -> Spelling:
    def spelt(call: Call) -> Expression:
        bound = call.bind("a axis= dtype= out= keepdims=")
        axis = 0 if "axis" not in bound else static(bound["axis"])
        return make(array(bound["a"]), axis=axis, keepdims=static(bound.get("keepdims", NONE)))

    return spelt


def _outer_difference(name: str) -> Spelling:
    return made("a b", lambda a, b: op(name, op("index", a, FULL, NEWAXIS), b))


def _log_sum_exp(a: Expression, **options: int | float | bool | str | None) -> Expression:
    return op("log", op("sum", op("exp", a), **options))


def _arctanh(a: Expression) -> Expression:
    return op("div", op("log", op("div", op("add", ONE, a), op("sub", ONE, a))), TWO)


def _of_exponentials(name: str) -> Spelling:
    """sinh and cosh."""
    return made("a", lambda a: op("div", op(name, op("exp", a), op("exp", negative(a))), TWO))


def logistic(t: Expression) -> Expression:
    return op("div", ONE, op("add", ONE, op("exp", negative(t))))


_ENTRYWISE = {
    **{name: name for name in ("exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "abs", "sign", "sin", "cos")},
    **{name: name for name in ("tanh", "floor", "ceil")},
    "absolute": "abs",
    "fabs": "abs",
    "logical_not": "not",
    "real": "real",
}
_OF_TWO = {
    **dict.fromkeys(("add",), "add"),
    "subtract": "sub",
    "multiply": "mul",
    **dict.fromkeys(("divide", "true_divide"), "div"),
    "floor_divide": "floordiv",
    **dict.fromkeys(("mod", "remainder"), "mod"),
    **dict.fromkeys(("power", "pow", "float_power"), "pow"),
    **dict.fromkeys(("maximum", "fmax"), "maximum"),
    **dict.fromkeys(("minimum", "fmin"), "minimum"),
    "logaddexp": "logaddexp",
    **{name: name for name in COMPARISONS},
    "logical_and": "and",
    "logical_or": "or",
    "outer": "outer",
}
_REDUCTIONS = {
    **{name: name for name in ("sum", "mean", "prod", "max", "min", "var", "std", "any", "all")},
    "amax": "max",
    "amin": "min",
    "count_nonzero": "sum",
}

_NUMPY: dict[str, Spelling] = {
    **{name: simple(operation) for name, operation in _ENTRYWISE.items()},
    **{name: simple(operation, 2) for name, operation in _OF_TWO.items()},
    **{name: reduction(operation) for name, operation in _REDUCTIONS.items()},
    "negative": made("a", negative),
    "positive": made("a", lambda a: a),
    "square": made("a", lambda a: op("pow", a, TWO)),
    "reciprocal": made("a", lambda a: op("div", ONE, a)),
    "exp2": made("a", lambda a: op("pow", TWO, a)),
    "tan": made("a", lambda a: op("div", op("sin", a), op("cos", a))),
    "arctanh": made("a", _arctanh),
    "sinh": _of_exponentials("sub"),
    "cosh": _of_exponentials("add"),
    "where": _where,
    "clip": _clip,
    **{name: along(name) for name in ("argmax", "argmin", "cumsum", "cumprod", "sort", "argsort")},
    "diff": made("a", _diff),
    "dot": made("a b", product),
    "matmul": made("a b", product),
    "inner": made("a b", lambda a, b: product(a, b if isinstance(b, Number) else op("T", b))),
    "vdot": made("a b", lambda a, b: product(op("ravel", a), op("ravel", b))),
    "vecdot": made("a b", lambda a, b: op("sum", op("mul", a, b), axis=-1)),
    "tensordot": _tensordot,
    "einsum": _einsum,
    "transpose": transposed,
    "matrix_transpose": made("a", lambda a: op("T", a)),
    "trace": simple("trace"),
    **{name: simple("diag") for name in ("diag", "diagonal", "diagflat")},
    "shape": simple("shape"),
    "size": simple("size"),
    "ndim": made("a", lambda a: op("len", op("shape", a))),
    **dict.fromkeys(("eye", "identity"), _eye),
    **{name: _filled(lambda shape: op("zeros", shape)) for name in ("zeros", "empty")},
    "ones": _filled(lambda shape: op("ones", shape)),
    "full": _full,
    **{name: _like(ZERO) for name in ("zeros_like", "empty_like")},
    "ones_like": _like(ONE),
    "full_like": _like(None),
    "arange": steps,
    "linspace": _linspace,
    **dict.fromkeys(("array", "asarray", "asanyarray", "ascontiguousarray", "copy"), same),
    **dict.fromkeys(("float64", "double"), as_float),
    "concatenate": _together("concatenate", 0),
    "stack": _together("stack", 0),
    "hstack": _together("hstack", None),
    "vstack": _together("vstack", None),
    "column_stack": _together("column_stack", None),
    "append": _append,
    "block": _block,
    "delete": along("delete", "a i"),
    "reshape": reshaped,
    "ravel": simple("ravel"),
    "expand_dims": _expand,
    "broadcast_to": lambda call: op("broadcast_to", array(call.bind("a b")["a"]), plain(call.bind("a b")["b"])),
    "repeat": along("repeat", "a n"),
    "tile": lambda call: op("tile", array(call.bind("a n")["a"]), plain(call.bind("a n")["n"])),
    "average": _average,
    "cov": _cov,
    "polyval": _polyval,
    "convolve": _correlated("convolve", "full"),
    "correlate": _correlated("correlate", "valid"),
    "add.reduce": _reduced(functools.partial(op, "sum")),
    "multiply.reduce": _reduced(functools.partial(op, "prod")),
    "maximum.reduce": _reduced(functools.partial(op, "max")),
    "minimum.reduce": _reduced(functools.partial(op, "min")),
    "logaddexp.reduce": _reduced(_log_sum_exp),
    "add.outer": _outer_difference("add"),
    "subtract.outer": _outer_difference("sub"),
    "multiply.outer": simple("outer", 2),
    "linalg.norm": _norm,
    "linalg.solve": simple("solve", 2),
    **{f"linalg.{name}": simple(name) for name in ("inv", "det", "trace", "eigvalsh")},
    "linalg.pinv": simple("pinv"),
    "linalg.eigh": _eigh,
    "linalg.slogdet": _slogdet,
    "linalg.lstsq": _lstsq,
    "linalg.multi_dot": _chain,
    "linalg.matrix_power": _matrix_power,
    "linalg.outer": simple("outer", 2),
    "linalg.matmul": made("a b", product),
    "linalg.vector_norm": simple("norm"),
}

_MATH: dict[str, Spelling] = {
    **{name: _NUMPY[name] for name in ("exp", "log2", "log10", "log1p", "expm1", "sqrt", "fabs", "sin", "cos", "tan")},
    **{name: _NUMPY[name] for name in ("tanh", "floor", "ceil", "pow", "prod")},
    "log": _log,
    "fsum": _sum_of_items,
}

_BUILTINS: dict[str, Spelling] = {
    "abs": _NUMPY["abs"],
    "pow": _NUMPY["pow"],
    "len": lambda call: op("len", array(call.bind("a")["a"])),
    "sum": _sum_of_items,
    "max": _largest("max", "maximum"),
    "min": _largest("min", "minimum"),
    "any": simple("any"),
    "all": simple("all"),
    "sorted": simple("sort"),
    "reversed": made("a", lambda a: op("index", a, Op("slice", (NONE, NONE, Number(-1))))),
    "range": steps,
    "zip": _each_pair("zip"),
    "enumerate": simple("enumerate"),
    "float": as_float,
    "int": _whole_number,
}

SPELLINGS: dict[str, Spelling] = {
    **{f"np.{name}": spelling for name, spelling in _NUMPY.items()},
    **{f"math.{name}": spelling for name, spelling in _MATH.items()},
    **_BUILTINS,
}

# x.sum(axis=0) is np.sum(x, axis=0)
METHODS: dict[str, Spelling] = {
    **{name: _NUMPY[name] for name in ("sum", "mean", "prod", "max", "min", "var", "std", "any", "all")},
    **{name: _NUMPY[name] for name in ("argmax", "argmin", "argsort", "cumsum", "cumprod", "dot", "clip", "trace")},
    **{name: _NUMPY[name] for name in ("ravel", "diagonal", "repeat", "copy", "reshape", "transpose")},
    "flatten": _NUMPY["ravel"],
    "item": made("a", lambda a: a),
    "tolist": made("a", lambda a: a),
    "astype": _as_type,
}

ATTRIBUTES: dict[str, Callable[[Expression], Expression]] = {
    "T": lambda a: op("T", a),
    "mT": lambda a: op("T", a),
    "shape": lambda a: op("shape", a),
    "size": lambda a: op("size", a),
    "ndim": lambda a: op("len", op("shape", a)),
    "real": lambda a: op("real", a),
    "flat": lambda a: op("ravel", a),
}

CONSTANTS: dict[str, Expression] = {
    **{f"{module}.pi": Number(math.pi) for module in ("np", "math")},
    **{f"{module}.e": Number(math.e) for module in ("np", "math")},
    **{f"{module}.inf": Number(math.inf) for module in ("np", "math")},
    **{f"{module}.nan": Number(math.nan) for module in ("np", "math")},
    "np.newaxis": NEWAXIS,
}
