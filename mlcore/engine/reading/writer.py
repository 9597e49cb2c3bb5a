"""The walk over an expression that sets it: what stands where, and what needs brackets.

Shapes decide what the signs are: of `a @ b` the left vector gets a ⊤, `a * b` of two arrays is ⊙, and a sum over the
entries of an array has indices. How the signs look is the business of `typeset`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.engine.reading.expression import Expression, Number, Op, Symbol, Text, walk

Path = tuple[int, ...]

# How tightly a piece holds together. OPEN takes in what follows, as Σ x or log x do; ENTRIES is a ⊙ b; RATIO is a/b.
LIST, RELATION, SUM, OPEN, ENTRIES, RATIO, PRODUCT, POWER, ATOM = range(9)


@dataclass(frozen=True)
class Piece:
    """Something set: its text without a leading minus, and how tightly it holds together."""

    text: str
    level: int
    minus: bool = False
    indexed: bool = False  # does it end with indices of its own?


LETTER = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "iota": "ι",
    "kappa": "κ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}
GREEK = {
    **{word: (f"\\{word}", letter) for word, letter in LETTER.items()},
    "lam": ("\\lambda", "λ"),
    "lambda_": ("\\lambda", "λ"),
    "lmbda": ("\\lambda", "λ"),
    "Lam": ("\\Lambda", "Λ"),
    "eps": ("\\epsilon", "ε"),
    "sig": ("\\sigma", "σ"),
}
ACCENTS = {"hat": ("\\hat", "\u0302"), "bar": ("\\bar", "\u0304"), "tilde": ("\\tilde", "\u0303")}
RELATIONS = {
    "less": ("<", "<"),
    "less_equal": ("\\le ", "≤"),
    "greater": (">", ">"),
    "greater_equal": ("\\ge ", "≥"),
    "equal": ("=", "="),
    "not_equal": ("\\ne ", "≠"),
    "and": ("\\wedge ", "∧"),
    "or": ("\\vee ", "∨"),
}
KNOWN_FUNCTIONS = {"log", "sin", "cos", "tanh", "exp", "max", "min", "det"}
FUNCTIONS = {
    **{name: name for name in ("log", "sin", "cos", "tanh", "sign", "det", "var", "std", "diag", "argmax", "argmin")},
    "maximum": "max",
    "minimum": "min",
    "trace": "tr",
    "log1p": "log1p",
    "expm1": "expm1",
    "logdet": "log det",
    "concatenate": "concat",
    "max": "max",
    "min": "min",
    "prod": "prod",
    "mean": "mean",
    "cumsum": "cumsum",
}
ENTRYWISE = {
    *("add", "sub", "neg", "mul", "div", "pow", "exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "abs", "sign"),
    *("sin", "cos", "tanh", "maximum", "minimum", "where", "clip", *RELATIONS, "not"),
}
TRANSPARENT = {"reshape", "ravel", "broadcast_to", "real", "full", "like"}
LETTERS = "ijklmnpqrstuv"
MAX_EXPONENT = 30  # nodes
MAX_NAME = 30


def name_parts(name: str) -> tuple[str, str, list[str]]:
    """The letter or word, its accent, and its subscripts: y_hat_0 is y, hat and 0."""
    name = name[:MAX_NAME]
    if name.rstrip("_") and name not in GREEK:
        name = name.strip("_")
    if name in GREEK:
        return name, "", []
    head, *rest = [part for part in name.split("_") if part] or ["·"]
    accent = ""
    if rest and rest[0] in ACCENTS:
        accent = rest.pop(0)
    for known in ACCENTS:
        if not accent and head.endswith(known) and (len(head) == len(known) + 1 or head[: -len(known)] in GREEK):
            head, accent = head[: -len(known)], known
    found = re.fullmatch(r"(\D+?)(\d+)", head)
    if found is None and head not in GREEK:
        found = re.fullmatch(r"([A-Z])([a-z]{1,2})", head)
    if found is not None:
        head, rest = found[1], [found[2], *rest]
    return head, accent, rest


class Writer(ABC):
    """Walks over an expression; how signs look is the business of the two kinds."""

    def __init__(
        self, known: Mapping[int, Any], symbols: Iterable[str], mark: Path | None, beside: Iterable[str] = ()
    ) -> None:
        self.known = known
        self.bound = set(symbols)  # names that have a meaning here: of symbols, and of the indices around
        self.beside = set(beside)  # other variables of the derivation, of which no index should have the name
        self.mark = mark
        self.marked = False
        self.depth = 0  # of fractions and exponents around
        self.long: set[str] = set()  # words that do not stand side by side with a letter

    # --- the signs ---

    minus: str
    plus: str

    @abstractmethod
    def name(self, name: str, subs: Sequence[str]) -> str: ...

    @abstractmethod
    def words(self, text: str) -> str: ...

    @abstractmethod
    def brackets(self, text: str) -> str: ...

    @abstractmethod
    def side_by_side(self, left: str, right: str) -> str: ...

    @abstractmethod
    def sign(self, name: str) -> str:
        """A relation, or `dot`, `odot`, `not`."""

    @abstractmethod
    def subscript(self, base: str, subs: Sequence[str]) -> str: ...

    @abstractmethod
    def superscript(self, base: str, text: str) -> str: ...

    @abstractmethod
    def constant(self, name: str) -> str:
        """`pi`, `inf`, `unit`, `ones`, `top`, `inverse`, `pseudo`, `all`."""

    @abstractmethod
    def quotient(self, above: Piece, below: Piece) -> Piece: ...

    @abstractmethod
    def root(self, inner: Piece) -> Piece: ...

    @abstractmethod
    def fence(self, kind: str, text: str) -> str:
        """|…|, ‖…‖ and ⌊…⌋ by the names `abs`, `norm`, `floor` and `ceil`."""

    @abstractmethod
    def function(self, name: str, under: str = "") -> str: ...

    @abstractmethod
    def big(self, name: str, under: str, over: str) -> str: ...

    @abstractmethod
    def cases(self, condition: str, yes: str, no: str) -> Piece: ...

    @abstractmethod
    def matrix(self, rows: Sequence[Sequence[str]]) -> str: ...

    @abstractmethod
    def power_of_ten(self, mantissa: str, exponent: int) -> Piece: ...

    @abstractmethod
    def crossed(self, text: str) -> str: ...

    @abstractmethod
    def short(self, text: str) -> bool:
        """May it stand in an exponent?"""

    comma: str

    # --- pieces ---

    def signed(self, piece: Piece) -> str:
        return (self.minus.strip() if piece.minus else "") + piece.text

    def at_least(self, piece: Piece, level: int) -> str:
        """The text, in brackets if it does not hold together well enough."""
        if piece.level < level or (piece.minus and level > SUM):
            return self.brackets(self.signed(piece))
        return self.signed(piece)

    def indexed(self, piece: Piece, subs: Sequence[str]) -> Piece:
        """With indices; what has some already stands in brackets."""
        bare = self.at_least(replace(piece, minus=False), ATOM)
        return Piece(self.subscript(self.brackets(bare) if piece.indexed else bare, subs), ATOM, piece.minus, True)

    def dimensions(self, node: Expression) -> int | None:
        try:
            return len(np.shape(self.known[id(node)]))
        except (KeyError, ValueError):
            return None

    def piece(self, node: Expression, path: Path, letters: Sequence[str] = ()) -> Piece:
        """The node; with `letters`, its entry with these indices: `:` is an axis that stays, '' one of one entry."""
        piece = self._piece(node, path, letters)
        if path == self.mark and path:
            self.marked = True
            return replace(piece, text=self.crossed(piece.text))
        return piece

    def _piece(self, node: Expression, path: Path, letters: Sequence[str]) -> Piece:
        if isinstance(node, Number):
            return self.number(node.value)
        if isinstance(node, Symbol):
            return Piece(self.name(node.name, [x for x in letters if x]), ATOM)
        if not isinstance(node, Op):
            return Piece(self.words(node.value if isinstance(node, Text) else "?"), ATOM)
        if set(letters) <= {":", ""}:
            letters = ()
        if not letters and node.name in ENTRYWISE and self.dimensions(node) == 2 and _has_new_axis(node):
            free = self.free_letters(2)
            return self.indexed(Piece(self.brackets(self.signed(self._piece(node, path, free))), ATOM), free)
        depth = self.depth
        taken = set(letters) - self.bound  # by an index from outside: no sum inside may run over it
        self.bound |= taken
        try:
            return self.operation(node, path, letters)
        except (LookupError, TypeError, ValueError, AttributeError):  # arguments that no reader gives it
            self.depth = depth
            return self.called(node, path)
        finally:
            self.bound -= taken

    def operation(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        if letters and node.name not in ENTRYWISE:
            return self.entry_of(node, path, letters)
        method = getattr(self, f"set_{node.name}", None)
        if method is not None:
            result: Piece = method(node, path, letters)
            return result
        if node.name in RELATIONS:
            return self.relation(node, path, letters)
        if node.name in TRANSPARENT and node.args:
            k = 1 if node.name in ("full", "like") and len(node.args) > 1 else 0
            return self.piece(node.args[k], (*path, k))
        return self.called(node, path, letters)

    def arg(self, node: Op, path: Path, k: int, letters: Sequence[str] = ()) -> Piece:
        """An argument, with the indices that it has of those of the node."""
        inner = node.args[k]
        shape, whole = (self.shape(inner), self.shape(node)) if letters else ((), ())
        if len(shape) > len(letters):
            return self.piece(inner, (*path, k))
        own = letters[len(letters) - len(shape) :]
        if node.name in ENTRYWISE and len(whole) >= len(shape):  # an axis of one entry that meets a longer one
            sizes = zip(own, shape, whole[len(whole) - len(shape) :], strict=True)
            own = ["" if size == 1 < longer else letter for letter, size, longer in sizes]
        return self.piece(inner, (*path, k), own)

    def shape(self, node: Expression) -> tuple[int, ...]:
        try:
            return np.shape(self.known[id(node)])
        except (KeyError, ValueError):
            return ()

    def extent(self, node: Expression, letters: Sequence[str]) -> int | None:
        """Of how many axes a piece is that is set with these indices; `:` is an axis that is left."""
        if not letters:
            return self.dimensions(node)
        try:
            shape = np.shape(self.known[id(node)])
        except (KeyError, ValueError):
            return None
        own = letters[-len(shape) :] if shape else ()
        return sum(letter == ":" and size != 1 for letter, size in zip(own, shape, strict=False))

    def free_letters(self, count: int) -> list[str]:
        return [letter for letter in LETTERS if letter not in self.bound | self.beside][:count]

    def number(self, value: float | int | bool) -> Piece:
        if isinstance(value, bool):
            return Piece(self.words(str(value)), ATOM)
        if math.isnan(value):
            return Piece(self.words("nan"), ATOM)
        minus, size = value < 0, abs(value)
        if math.isinf(size):
            return Piece(self.constant("inf"), ATOM, minus)
        for known, sign in ((math.pi, "pi"), (math.e, "e")):
            if math.isclose(size, known, rel_tol=1e-15):
                return Piece(self.constant(sign), ATOM, minus)
        if isinstance(size, int) and size < 10**7:
            return Piece(str(size), ATOM, minus)
        mantissa, _, exponent = f"{size:.6g}".partition("e")
        if not exponent and not 0 < size < 1e-3:
            return Piece(mantissa, ATOM, minus)
        if not exponent:
            mantissa, _, exponent = f"{size:.5e}".partition("e")
            mantissa = mantissa.rstrip("0").rstrip(".")
        return replace(self.power_of_ten(mantissa if mantissa != "1" else "", int(exponent)), minus=minus)

    def called(self, node: Op, path: Path, letters: Sequence[str] = (), name: str = "") -> Piece:
        """name(…), with the axis under it."""
        shown = [k for k, arg in enumerate(node.args) if not isinstance(arg, Text)]
        args = [self.signed(self.arg(node, path, k, letters)) for k in shown]
        name = name or FUNCTIONS.get(node.name, node.name)
        level = POWER if name in KNOWN_FUNCTIONS - {"max", "min"} else ATOM
        return Piece(self.function(name, self.along(node)) + self.brackets(self.comma.join(args)), level)

    def along(self, node: Op) -> str:
        """What an operation over one axis runs over."""
        dimensions = self.dimensions(node.args[0]) if node.args else None
        axis = node.option("axis")
        if isinstance(axis, bool) or not isinstance(axis, int) or dimensions != 2:
            return ""
        return self.words("rows" if axis % 2 == 0 else "columns")

    def entry_of(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        """One entry of what has no formula for its entries."""
        if node.name in ("arange", "range") and _counts(node) and len(letters) == 1:
            return Piece(letters[0], ATOM)
        if node.name == "T" and len(letters) == 2:
            return self.piece(node.args[0], (*path, 0), letters[::-1])
        if node.name == "index":
            inner = [arg for arg in node.args[1:] if not (isinstance(arg, Op) and arg.name == "newaxis")]
            if all(_is_whole(arg) for arg in inner) and len(node.args) - 1 == len(letters):
                kept = [x for x, arg in zip(letters, node.args[1:], strict=True) if arg in inner]
                return self.piece(node.args[0], (*path, 0), kept)
            if isinstance(node.args[0], Symbol):
                return self.set_index(node, path, letters)
            if places := self.places(node, path, letters):
                return self.piece(node.args[0], (*path, 0), places)
        if node.name == "outer" and len(letters) == 2:
            left, right = (self.piece(node.args[k], (*path, k), [letters[k]]) for k in (0, 1))
            return self.times(left, right)
        if node.name == "sum" and len(letters) == 1 and self.dimensions(node.args[0]) == 2:
            return self.over_axis(node, path, letters)
        if node.name == "einsum" and "" not in letters and ":" not in letters:
            return self.set_einsum(node, path, letters)
        if node.name in ("full", "like", "zeros", "ones", "broadcast_to"):
            return self._piece(node, path, ())
        inside = self._piece(node, path, ())
        return self.indexed(inside, [x for x in letters if x])

    def places(self, node: Op, path: Path, letters: Sequence[str]) -> list[str]:
        """The indices of an entry of `of[:, k]` in `of`; [] where that is not plain."""
        open_, places = list(letters), []
        for k, arg in enumerate(node.args[1:], start=1):
            if _is_whole(arg) and open_:
                places.append(open_.pop(0))
            elif isinstance(arg, Symbol | Number) and self.dimensions(arg) == 0:
                places.append(self.index_text(arg, (*path, k)))
            else:
                return []
        return places if not open_ and len(places) == self.dimensions(node.args[0]) else []

    # --- arithmetic ---

    def set_add(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        left, right = (self.arg(node, path, k, letters) for k in (0, 1))
        sign = self.minus if node.name == "sub" else self.plus
        before = self.at_least(replace(left, minus=False), SUM)
        after = self.at_least(right, OPEN)
        return Piece(before + sign + after, SUM, left.minus)

    set_sub = set_add

    def set_neg(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        inner = self.arg(node, path, 0, letters)
        return Piece(self.at_least(inner, OPEN), inner.level if inner.level >= OPEN and not inner.minus else ATOM, True)

    def set_mul(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        left, right = (self.arg(node, path, k, letters) for k in (0, 1))
        sizes = [self.extent(arg, letters) for arg in node.args]
        if all(sizes):
            text = self.first(left, ENTRIES, but=RATIO) + self.sign("odot") + self.at_least(right, PRODUCT)
            return Piece(text, ENTRIES, left.minus)
        if self.is_product_of_vectors(node.args[1]) and not letters:
            simple = sizes[0] == 0 and not any(isinstance(x, Op) and x.name == "matmul" for x in walk(node.args[0]))
            right = right if simple else Piece(self.brackets(self.signed(right)), ATOM)
        elif self.is_product_of_vectors(node.args[0]) and sizes[1]:
            left = Piece(self.brackets(self.first(left, SUM)), ATOM, left.minus)
        return self.times(left, right)

    def first(self, piece: Piece, level: int, but: int | None = None) -> str:
        """A piece as a first factor; its minus goes before the product."""
        bare = replace(piece, minus=False)
        return self.at_least(bare, ATOM if piece.level == but else level)

    def times(self, left: Piece, right: Piece) -> Piece:
        """A product in which one factor is a number."""
        level = min(left.level, right.level, PRODUCT) if right.level in (OPEN, ENTRIES, RATIO) else PRODUCT
        level = PRODUCT if right.minus else level
        level = ENTRIES if left.level == ENTRIES else max(level, OPEN)
        before = self.first(left, ENTRIES, but=RATIO)
        return Piece(self.side_by_side(before, self.at_least(right, OPEN)), level, left.minus)

    def set_div(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        self.depth += 1
        above, below = (self.arg(node, path, k, letters) for k in (0, 1))
        self.depth -= 1
        minus = above.minus and above.level > SUM
        quotient = self.quotient(replace(above, minus=above.minus and not minus), below)
        return replace(quotient, minus=minus)

    def set_pow(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        base = self.arg(node, path, 0, letters)
        self.depth += 1
        exponent = self.signed(self.arg(node, path, 1, letters))
        self.depth -= 1
        if self.extent(node.args[0], letters):
            exponent = self.sign("odot").strip() + " " * (exponent[:1].isalpha()) + exponent
        return Piece(self.superscript(self.at_least(base, ATOM), exponent), POWER)

    def set_sqrt(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return self.root(self.arg(node, path, 0, letters))

    def set_exp(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        if sum(1 for _ in walk(node.args[0])) > MAX_EXPONENT:
            return self.called(node, path, letters)
        self.depth += 1
        inner = self.signed(self.arg(node, path, 0, letters))
        self.depth -= 1
        if self.short(inner):
            return Piece(self.superscript(self.constant("e"), inner), POWER)
        return self.called(node, path, letters)

    def set_log(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        inner = self.arg(node, path, 0, letters)
        plainly = inner.level >= POWER and not inner.minus and not inner.text[:1].isdigit()
        if plainly and not inner.text.endswith((")", "}")):
            return Piece(self.side_by_side(self.function("log"), inner.text), OPEN)
        return Piece(self.function("log") + self.brackets(self.signed(inner)), POWER)

    def set_abs(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return Piece(self.fence(node.name, self.signed(self.arg(node, path, 0, letters))), ATOM)

    set_floor = set_ceil = set_abs

    def set_norm(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        text = self.fence("norm", self.signed(self.arg(node, path, 0)))
        order, axis = node.option("ord"), self.along(node)
        told = [self.signed(self.number(order))] if isinstance(order, int | float) and order != 2 else []
        subs = told + ([axis] if axis else [])
        return self.indexed(Piece(text, ATOM), subs) if subs else Piece(text, ATOM)

    def relation(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        left, right = (self.at_least(self.arg(node, path, k, letters), SUM) for k in (0, 1))
        return Piece(left + self.sign(node.name) + right, RELATION)

    def set_not(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return Piece(self.sign("not") + self.at_least(self.arg(node, path, 0, letters), ATOM), PRODUCT)

    def set_where(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return self.cases(*(self.signed(self.arg(node, path, k, letters)) for k in (0, 1, 2)))

    # --- products of vectors and matrices ---

    def is_product_of_vectors(self, node: Expression) -> bool:
        return isinstance(node, Op) and node.name == "matmul" and self.dimensions(node) == 0

    def set_matmul(self, node: Op, path: Path, letters: Sequence[str] = ()) -> Piece:
        left, right = (self.dimensions(arg) for arg in node.args)
        if 0 in (left, right):
            return self.set_mul(node, path, ())
        if left == 1 and right == 2:  # a column is what stands alone: r @ X is Xᵀr
            return self.product(self.transposed(node.args[1], (*path, 1)), self.piece(node.args[0], (*path, 0)))
        before = self.row(node.args[0], (*path, 0)) if left == 1 else self.piece(node.args[0], (*path, 0))
        return self.product(before, self.piece(node.args[1], (*path, 1)))

    def product(self, left: Piece, right: Piece) -> Piece:
        """A matrix product; ⊙ within it stands in brackets, and so does what has a sign."""
        return Piece(self.side_by_side(self.first(left, PRODUCT), self.at_least(right, PRODUCT)), PRODUCT, left.minus)

    def row(self, node: Expression, path: Path) -> Piece:
        """A vector as a row: xᵀ, (Xw − y)ᵀ, 2wᵀ, wᵀXᵀ."""
        if isinstance(node, Op) and path != self.mark:
            sizes = [self.dimensions(arg) for arg in node.args]
            if node.name == "matmul" and sizes == [1, 2]:
                return self.product(self.row(node.args[0], (*path, 0)), self.piece(node.args[1], (*path, 1)))
            if node.name == "mul" and sizes == [0, 1]:
                return self.times(self.piece(node.args[0], (*path, 0)), self.row(node.args[1], (*path, 1)))
            if node.name == "neg":
                inner = self.row(node.args[0], (*path, 0))
                return (
                    replace(inner, minus=True)
                    if not inner.minus
                    else Piece(self.brackets(self.signed(inner)), ATOM, True)
                )
        return self.transposed(node, path)

    def transposed(self, node: Expression, path: Path) -> Piece:
        if isinstance(node, Op) and node.name in ("T", "transpose") and path != self.mark:
            again = self.transposed if self.dimensions(node.args[0]) == 1 else self.piece
            return again(node.args[0], (*path, 0))
        return self.with_top(self.piece(node, path))

    def with_top(self, piece: Piece) -> Piece:
        return Piece(self.superscript(self.at_least(piece, ATOM), self.constant("top")), POWER)

    def set_T(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        inner = self.arg(node, path, 0)
        return inner if self.dimensions(node.args[0]) in (0, 1) else self.with_top(inner)

    set_transpose = set_T

    def set_outer(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return self.product(self.arg(node, path, 0), self.row(node.args[1], (*path, 1)))

    def inverted(self, node: Op, path: Path, how: str) -> Piece:
        return Piece(self.superscript(self.at_least(self.arg(node, path, 0), ATOM), self.constant(how)), POWER)

    def set_inv(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return self.inverted(node, path, "inverse")

    def set_pinv(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return self.inverted(node, path, "pseudo")

    def set_solve(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return self.product(self.inverted(node, path, "inverse"), self.arg(node, path, 1))

    def set_eye(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return Piece(self.constant("unit"), ATOM)

    def set_zeros(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        return Piece("0", ATOM)

    def set_ones(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        one = Piece(self.constant("ones"), ATOM)
        return self.product(one, self.with_top(one)) if self.dimensions(node) == 2 and not letters else one

    def set_einsum(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        spec = node.args[0]
        if not isinstance(spec, Text) or not re.fullmatch(r"[A-Za-z, ]+(->[A-Za-z ]*)?", spec.value):
            return self.called(node, path)
        inputs, arrow, output = spec.value.replace(" ", "").partition("->")
        every = inputs.replace(",", "")
        if not arrow:
            output = "".join(sorted(x for x in set(every) if every.count(x) == 1))
        if len(letters) not in (0, len(output)) or inputs.count(",") + 2 > len(node.args):
            return self.called(node, path)
        letter = self.renamed(dict.fromkeys(every), dict(zip(output, letters, strict=False)))
        taken = set(letter.values()) - self.bound
        self.bound |= taken
        entries = [
            self.piece(node.args[k], (*path, k), [letter[x] for x in own])
            for k, own in enumerate(inputs.split(","), start=1)
        ]
        self.bound -= taken
        result = entries[0]
        for entry in entries[1:]:
            result = self.times(result, Piece(self.at_least(entry, PRODUCT), PRODUCT))
        if over := [letter[x] for x in letter if x not in output]:
            result = self.summed("sum", ",".join(over), "", result)
        if output and not letters:
            return self.indexed(Piece(self.brackets(self.signed(result)), ATOM), [letter[x] for x in output])
        return result

    def renamed(self, indices: Iterable[str], told: Mapping[str, str]) -> dict[str, str]:
        """A letter for every index: the one that is told, its own, or another where its own has a meaning around it."""
        others = (x for x in self.free_letters(len(LETTERS)) if x not in (*indices, *told.values()))
        around = self.bound | set(told.values())
        return {x: told[x] if x in told else next(others, x) if x in around else x for x in indices}

    # --- sums over entries ---

    def summed(self, name: str, under: str, over: str, body: Piece) -> Piece:
        text = self.at_least(body, OPEN)
        return Piece(self.side_by_side(self.big(name, under, over), text), OPEN)

    def set_sum(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        inner = node.args[0]
        dimensions, axis = self.dimensions(inner), node.option("axis")
        if isinstance(inner, Op) and inner.name == "each" and (dimensions == 1 or axis == 0):
            return self.over_loop(node, inner, path)
        if dimensions in (2, 3) and isinstance(axis, int) and -dimensions <= axis < dimensions:
            return self.over_axis(node, path, [":"] * (dimensions - 1))
        if (node.option("axis") is None or dimensions == 1) and dimensions and dimensions <= 3:
            counted = _counted(inner) if dimensions == 1 else []
            bounds = self.bounds(counted[0], (*path, 0)) if len(counted) == 1 else ("", "")
            free = self.free_letters(dimensions)
            return self.over_indices(node, path, free, free, bounds)
        return self.summed(node.name, self.along(node), "", self.arg(node, path, 0))

    def over_axis(self, node: Op, path: Path, kept: Sequence[str]) -> Piece:
        """A sum over one axis; the others have the indices `kept`."""
        (free,) = self.free_letters(1)
        axis = node.option("axis")
        assert isinstance(axis, int)
        letters = list(kept)
        letters.insert(axis if axis >= 0 else axis + len(kept) + 1, free)
        return self.over_indices(node, path, [free], letters)

    def over_indices(
        self, node: Op, path: Path, over: list[str], letters: list[str], bounds: tuple[str, str] = ("", "")
    ) -> Piece:
        self.bound |= set(over)
        body = self.arg(node, path, 0, letters)
        self.bound -= set(over)
        return self.summed(node.name, ",".join(over) + bounds[0], bounds[1], body)

    set_prod = set_sum

    def bounds(self, counted: Op, path: Path) -> tuple[str, str]:
        """From where to where a counted index runs: =0 and t−1."""
        first, last = counted.args[0], counted.args[1]
        self.depth += 1
        if isinstance(last, Number) and not isinstance(last.value, bool):
            over = str(last.value - 1)
        elif isinstance(last, Op) and last.name == "add" and last.args[1] == Number(1):
            over = self.signed(self.piece(last.args[0], ()))
        else:
            over = self.at_least(self.piece(last, ()), SUM) + self.minus.strip() + "1"
        under = "=" + self.signed(self.piece(first, ()))
        self.depth -= 1
        return under, over

    def over_loop(self, node: Op, each: Op, path: Path) -> Piece:
        under, over = self.loop(each, (*path, 0))
        body = self.piece(each.args[0], (*path, 0, 0))
        return self.summed(node.name, under, over, body)

    def loop(self, each: Op, path: Path) -> tuple[str, str]:
        """What stands under and over the sign of a sum over a loop."""
        iterable, names = each.args[1], str(each.option("targets", "i")).split(",")
        shown = ",".join(self.name(name, []) for name in names)
        under, over = shown, ""
        if isinstance(iterable, Op) and iterable.name in ("range", "arange") and len(iterable.args) == 3:
            start, stop = iterable.args[0], iterable.args[1]
            if not (isinstance(stop, Op) and stop.name in ("len", "index", "size") and start == Number(0)):
                more, over = self.bounds(iterable, path)
                under += more
        elif isinstance(iterable, Op) and iterable.name in ("zip", "enumerate"):
            under = self.walked(names, iterable, (*path, 1))
        else:
            under += self.sign("in") + self.signed(self.piece(iterable, (*path, 1)))
        for k, condition in enumerate(each.args[2:], start=2):
            if condition != Number(True):
                under += self.sign("such") + self.signed(self.piece(condition, (*path, k)))
        return under, over

    def walked(self, names: Sequence[str], iterable: Op, path: Path) -> str:
        """What the variables of a loop run over: x in xs and y in ys, side by side."""
        counted = [None] if iterable.name == "enumerate" else []
        arrays = [*counted, *iterable.args]
        if len(arrays) != len(names):
            return ",".join(self.name(name, []) for name in names)
        shown = []
        for k, (name, array) in enumerate(zip(names, arrays, strict=True), start=-len(counted)):
            over = self.sign("in") + self.signed(self.piece(array, (*path, k))) if array is not None else ""
            shown.append(self.name(name, []) + over)
        return self.comma.join(shown)

    def range_of(self, each: Op, path: Path) -> str:
        """What a list runs over: i, or i=0…t."""
        under, over = self.loop(each, path)
        return f"{under}…{over}" if over else under

    def set_each(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        under = [self.range_of(node, path)]
        while isinstance(node.args[0], Op) and node.args[0].name == "each":
            node, path = node.args[0], (*path, 0)
            under.append(self.range_of(node, path))
        body = self.signed(self.piece(node.args[0], (*path, 0)))
        return self.indexed(Piece(self.brackets(body), ATOM), under)

    def reduction(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        """mean, max and the like, of an array or over a loop."""
        inner = node.args[0]
        if isinstance(inner, Op) and inner.name == "each":
            under, _ = self.loop(inner, (*path, 0))
            body = self.signed(self.piece(inner.args[0], (*path, 0, 0)))
            return Piece(self.function(FUNCTIONS.get(node.name, node.name), under) + self.brackets(body), ATOM)
        return self.called(node, path)

    set_mean = set_max = set_min = set_any = set_all = set_var = set_std = reduction

    # --- shapes and pieces ---

    def set_delete(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        """X without row i is X₋ᵢ."""
        of, gone, axis = node.args[0], self.dimensions(node.args[1]), node.option("axis")
        if not isinstance(of, Symbol) or gone != 0 or axis not in (None, 0) or (*path, 0) == self.mark:
            return self.called(node, path)
        self.depth += 1
        index = self.at_least(self.piece(node.args[1], (*path, 1)), POWER)
        self.depth -= 1
        without = self.sign("without") if index.isdigit() else "-"  # w₋₁ is the last entry
        return Piece(self.name(of.name, [without + index]), ATOM)

    def set_index(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        of, told = node.args[0], node.args[1:]
        if isinstance(of, Op) and of.name == "shape" and told in ((Number(0),), (Number(1),)):
            name = "len" if told == (Number(0),) else "columns"
            return Piece(self.function(name) + self.brackets(self.signed(self.piece(of.args[0], (*path, 0, 0)))), ATOM)
        if (
            isinstance(of, Op)
            and of.name == "tuple"
            and len(told) == 1
            and (k := _constant(told[0])) in range(len(of.args))
        ):
            return self.piece(of.args[k], (*path, 0, k), letters)
        kept = [(k, arg) for k, arg in enumerate(told, start=1) if not (isinstance(arg, Op) and arg.name == "newaxis")]
        if all(_is_whole(arg) for _, arg in kept):
            inner = self.arg(node, path, 0)
            is_row = isinstance(told[0], Op) and told[0].name == "newaxis" and self.dimensions(of) == 1
            return self.with_top(inner) if is_row else inner
        self.depth += 1
        subs, open_ = [], [x for x in letters if x]
        for k, arg in kept:
            whole = _is_whole(arg)
            subs.append(open_.pop(0) if whole and open_ else self.index_text(arg, (*path, k)))
        self.depth -= 1
        missing = (self.dimensions(of) or len(kept)) - len(kept)
        if not any(isinstance(arg, Op) and arg.name == "ellipsis" for _, arg in kept):
            subs += [open_.pop(0) if open_ else self.constant("all") for _ in range(missing)]
        if isinstance(of, Symbol) and (*path, 0) != self.mark:
            return Piece(self.name(of.name, subs), ATOM)
        return self.indexed(self.arg(node, path, 0), subs)

    def index_text(self, arg: Expression, path: Path) -> str:
        if isinstance(arg, Op) and arg.name == "ellipsis":
            return "…"
        if not (isinstance(arg, Op) and arg.name == "slice"):
            return self.signed(self.piece(arg, path))
        ends = [
            "" if isinstance(end, Op) and end.name == "none" else self.signed(self.piece(end, (*path, k)))
            for k, end in enumerate(arg.args)
        ]
        return ":".join(ends[:2] if not ends[2:] or not ends[2] else ends)

    def set_arange(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        if not _counts(node):
            return self.called(node, path)
        under, over = self.bounds(node, path)
        return Piece(self.brackets(under[1:] + self.comma + "…" + self.comma + over), ATOM)

    set_range = set_arange

    def listed(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        args = [self.signed(self.arg(node, path, k)) for k in range(len(node.args))]
        return Piece(self.brackets(self.comma.join(args)), ATOM)

    set_tuple = set_array = listed

    def set_block(self, node: Op, path: Path, letters: Sequence[str]) -> Piece:
        of, rows = node, []
        if len(node.args) == 1 and isinstance(node.args[0], Op):
            of, path = node.args[0], (*path, 0)
        for k, row in enumerate(of.args):
            if not isinstance(row, Op) or row.name not in ("array", "tuple"):
                return self.called(node, path)
            rows.append([self.signed(self.arg(row, (*path, k), j)) for j in range(len(row.args))])
        return Piece(self.matrix(rows), ATOM)


def _constant(arg: Expression) -> int:
    """The number that an index is, or −1."""
    return arg.value if isinstance(arg, Number) and type(arg.value) is int else -1


def _has_new_axis(node: Expression) -> bool:
    """Is one of the arrays that an entrywise expression is made of a column by `[:, None]`?"""
    if not isinstance(node, Op):
        return False
    if node.name in ENTRYWISE:
        return any(_has_new_axis(arg) for arg in node.args)
    return node.name == "reshape" or (
        node.name == "index" and any(isinstance(arg, Op) and arg.name == "newaxis" for arg in node.args[1:])
    )


def _is_whole(arg: Expression) -> bool:
    """Is it `:`?"""
    none = Op("none", ())
    return isinstance(arg, Op) and arg.name == "slice" and all(end == none for end in arg.args)


def _counts(node: Op) -> bool:
    return len(node.args) == 3 and node.args[2] == Number(1) and isinstance(node.args[0], Number)


def _counted(node: Expression) -> list[Op]:
    """The different 0, 1, … that an entrywise expression is made of."""
    if isinstance(node, Op) and node.name in ("arange", "range") and _counts(node):
        return [node]
    if isinstance(node, Op) and node.name in ENTRYWISE:
        return list(dict.fromkeys(x for arg in node.args for x in _counted(arg)))
    return []
