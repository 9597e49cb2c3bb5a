"""Sums of products of arrays: what is left of a line when order, brackets and spelling are taken away.

An array is a sum of terms. A term is a coefficient and factors; a factor is an atom with a label for each of its axes,
and a power. xᵀAy is one term: Σᵢⱼ xᵢ Aᵢⱼ yⱼ. A label is

    0, 1, …   an axis of the whole array
    Summed    an axis that is summed over, or the variable of a loop
    At        one entry, as in x[3]

Atoms are symbols, sums that are factors (they are not multiplied out), nets (factors that share a label which is summed
over), unit matrices, and operations on arrays. The axes of an atom are numbered by what is in it, so that equal arrays
have equal keys, and a transpose is the same atom with its labels exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import count, permutations

MAX_FACTORS = 40  # in one term
MAX_TERMS = 400
MAX_UNFOLDED = 4  # (Ax)ᵢ⁴ is written out as a product where i is summed over, a higher power is not
MAX_NUMBERINGS = 48  # of the labels of one net


# The order of the arguments does not matter to these.
COMMUTATIVE = {"maximum", "minimum", "logaddexp", "equal", "not_equal", "and", "or", "add"}


class TooLarge(Exception):
    """The expression is larger than any line of a derivation."""


class Beyond(Exception):
    """What has no form as a sum of products, such as a division by the number 0."""


@dataclass(frozen=True)
class Summed:
    """A label of its own; in an atom they are numbered from 0."""

    number: int
    size: int

    @property
    def key(self) -> str:
        return f"~{self.number}"


@dataclass(frozen=True, eq=False)
class Keyed:
    """Compared by its key alone."""

    key: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keyed) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, eq=False)
class At(Keyed):
    symbols: frozenset[str] = frozenset()


Label = int | Summed | At
Rename = Callable[[Label], Label]


@dataclass(frozen=True, eq=False)
class Atom(Keyed):
    """What is not taken apart: `kind` is symbol, sum, net, eye or op.

    The first `batch` labels of its factor are the labels of `parts`; those after them are axes that an operation makes.
    """

    kind: str
    parts: tuple[tuple[Term, ...], ...] = ()
    batch: int = 0
    symmetric: bool = False
    name: str = ""
    told: str = ""  # what else tells two operations of one name apart
    named: frozenset[str] = frozenset()  # symbols that are not in the parts

    @cached_property
    def symbols(self) -> frozenset[str]:
        return self.named.union(*(f.symbols for part in self.parts for t in part for f in t.factors))


@dataclass(frozen=True, eq=False)
class Factor(Keyed):
    atom: Atom
    labels: tuple[Label, ...]
    power: float

    @property
    def symbols(self) -> frozenset[str]:
        return self.atom.symbols.union(*(label.symbols for label in self.labels if isinstance(label, At)))


@dataclass(frozen=True, eq=False)
class Term(Keyed):
    """The key is that of the factors, without the coefficient."""

    coefficient: float
    factors: tuple[Factor, ...]


Terms = tuple[Term, ...]
Product = tuple[float, list[Factor]]

_numbers = count(10**12)


def fresh(size: int) -> Summed:
    return Summed(next(_numbers), size)


def digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=10).hexdigest()


def key_of(terms: Iterable[Term], lead: float = 1.0) -> str:
    """Coefficients are compared to 12 digits, divided by that of the leading term."""
    return "+".join(f"{t.coefficient / lead:.11e}*{t.key}" for t in terms)


def whole(power: float) -> bool:
    return float(power).is_integer()


def _token(label: Label) -> str:
    return str(label) if isinstance(label, int) else label.key


def _key(keyed: Keyed) -> str:
    return keyed.key


def symbol(name: str) -> Atom:
    return Atom(digest("symbol", name), "symbol", name=name, named=frozenset({name}))


UNIT = Atom(digest("eye"), "eye", symmetric=True)


# --- factors, products and terms ---


def factor(atom: Atom, labels: Sequence[Label], power: float = 1) -> Factor:
    if atom.symmetric:
        labels = sorted(labels, key=_token)
    return Factor(f"{atom.key}^{power:.12g}[{','.join(map(_token, labels))}]", atom, tuple(labels), power)


def term(number: float, factors: Iterable[Factor]) -> Term:
    ordered = tuple(sorted(factors, key=_key))
    if len(ordered) > MAX_FACTORS:
        raise TooLarge("a term has too many factors")
    return Term("*".join(f.key for f in ordered), _finite(number), ordered)


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise Beyond
    return number


def merged(factors: Iterable[Factor]) -> Product:
    """Equal factors as one, their powers added."""
    found: dict[tuple[str, tuple[Label, ...]], Factor] = {}
    number, waiting = 1.0, list(factors)
    while waiting:
        f = waiting.pop()
        place = (f.atom.key, f.labels)
        before = found.pop(place, None)
        if f.atom.kind == "eye":
            f = factor(f.atom, f.labels)
        elif before is not None:
            f = factor(f.atom, f.labels, before.power + f.power)
        if f.power == 0:
            continue
        if f.atom.kind == "sum" and _splits(f.atom.parts[0], f.power):
            more, inside = power_of(inside_of(f), f.power)
            number *= more
            waiting += inside
        else:
            found[place] = f
        if len(found) + len(waiting) > 4 * MAX_FACTORS:
            raise TooLarge("a term has too many factors")
    return number, list(found.values())


def product(factors: Iterable[Factor]) -> Product:
    number, kept = merged(factors)
    if any(f.atom.kind == "eye" for f in kept):
        return _times(number, _without_units(kept, set()))
    return number, kept


def _times(number: float, more: Product) -> Product:
    """A number and a product as one, with equal factors as one."""
    again, factors = merged(more[1])
    return number * more[0] * again, factors


def collected(terms: Iterable[Term]) -> Terms:
    """Like terms as one, in the order of their keys; a bracket that is a term is taken off."""
    flat: list[Term] = []
    for t in terms:
        if len(t.factors) == 1 and t.factors[0].atom.kind == "sum" and t.factors[0].power == 1:
            flat += scaled(inside_of(t.factors[0]), t.coefficient)
        else:
            flat.append(t)
    if len(flat) > MAX_TERMS:
        raise TooLarge("a sum has too many terms")
    found: dict[str, list[Term]] = {}
    for t in flat:
        found.setdefault(t.key, []).append(t)
    kept = []
    for key, like in sorted(found.items()):
        total = math.fsum(t.coefficient for t in like)
        if abs(total) > 1e-12 * max(abs(t.coefficient) for t in like):
            kept.append(Term(key, total, like[0].factors))
    return tuple(kept)


def scaled(terms: Iterable[Term], number: float) -> Terms:
    return tuple(Term(t.key, _finite(t.coefficient * number), t.factors) for t in terms if t.coefficient * number)


def inside_of(f: Factor) -> Terms:
    """The terms of a sum that is a factor, in the labels of the factor."""
    return relabelled(f.atom.parts[0], dict(enumerate(f.labels)))


def relabelled(terms: Iterable[Term], names: Mapping[int, Label] | Rename) -> Terms:
    """The terms with other labels. Two labels may become one, or an entry."""

    def rename(label: Label) -> Label:
        if callable(names):
            return names(label)
        return names.get(label, label) if isinstance(label, int) else label

    result = []
    for t in terms:
        number, factors = _all_renamed(t.factors, rename)
        more, factors = product(factors)
        result.append(term(t.coefficient * number * more, factors))
    return collected(result)


def _by(names: Mapping[Label, Label]) -> Rename:
    return lambda label: names.get(label, label)


def _all_renamed(factors: Iterable[Factor], rename: Rename) -> Product:
    number, result = 1.0, []
    for f in factors:
        more, now = _renamed(f, rename)
        number *= more
        result += now
    return number, result


def _renamed(f: Factor, rename: Rename) -> Product:
    labels = [rename(label) for label in f.labels]
    batch = labels[: f.atom.batch]
    if len(set(batch)) == len(batch) and not any(isinstance(label, At) for label in batch):
        return 1.0, [factor(f.atom, labels, f.power)]
    # Two axes have become one, or one an entry. Whatever is inside is told.
    if f.atom.kind == "net":
        number, inside, over = _unfolded(f.atom, labels)
        more, factors = summed(inside, over)
        return power_of((term(number * more, factors),), f.power)
    if f.atom.kind == "sum":
        return power_of(relabelled(f.atom.parts[0], dict(enumerate(labels))), f.power)
    own: dict[int, Label] = {}

    def within(label: Label) -> Label:
        if not isinstance(label, int):
            return label
        return labels[label] if label < len(batch) else own.setdefault(label, fresh(0))

    parts = [relabelled(part, within) for part in f.atom.parts]
    places = {label: place - len(batch) for place, label in own.items()}
    now = operation(f.atom.name, f.atom.told, parts, places, labels[f.atom.batch :], named=f.atom.named)
    return 1.0, [factor(now.atom, now.labels, f.power)]


def _splits(terms: Terms, power: float) -> bool:
    """Is (…)^power the product of the powers of its factors? Not 1/δᵢⱼ, which is infinite off the diagonal."""
    return len(terms) == 1 and whole(power) and (power > 0 or all(f.atom.kind != "eye" for f in terms[0].factors))


def power_of(terms: Terms, power: float) -> Product:
    """(a sum) ** power as a product; a power of one term is the powers of its factors where that holds."""
    if not terms:
        if power <= 0:
            raise Beyond
        return 0.0, []
    first = terms[0]
    if len(terms) == 1 and not first.factors:
        return _number_to(first.coefficient, power), []
    if _splits(terms, power):
        number, factors = merged(factor(f.atom, f.labels, f.power * power) for f in first.factors)
        return number * _number_to(first.coefficient, power), factors
    if len(terms) == 1 and len(first.factors) == 1 and first.coefficient > 0 and first.factors[0].atom.kind != "eye":
        (f,) = first.factors
        if f.power == 1 or not whole(f.power):
            return _number_to(first.coefficient, power), [factor(f.atom, f.labels, f.power * power)]
    lead, bracket = _bracket(terms)
    if lead < 0 and not whole(power):  # (−a)^½ has no real number in front
        lead, bracket = -lead, _bracket((term(-1.0, [bracket]),), exact=True)[1]
    return _number_to(lead, power), [factor(bracket.atom, bracket.labels, power)]


def _number_to(number: float, power: float) -> float:
    try:
        result = float(number) ** power
    except (OverflowError, ZeroDivisionError):
        raise Beyond from None
    if isinstance(result, complex):
        raise Beyond
    return _finite(result)


# --- sums over labels ---


def summed(factors: Iterable[Factor], over: set[Label]) -> Product:
    """The product of the factors, summed over some labels."""
    number, waiting = merged(factors)
    over, kept = set(over), list[Factor]()
    number, waiting = _times(number, _without_units(waiting, over))
    while waiting:
        f = waiting.pop()
        unfolds = f.atom.kind == "net" and whole(f.power) and 0 < f.power <= MAX_UNFOLDED
        if unfolds and over.intersection(f.labels):
            for _ in range(int(f.power)):
                more, inside, inner = _unfolded(f.atom, f.labels)
                number *= more
                waiting += inside
                over |= inner
        else:
            kept.append(f)
        if len(kept) + len(waiting) > 2 * MAX_FACTORS:
            raise TooLarge("a term has too many factors")
    number, kept = _times(number, (1.0, kept))
    for label in over.difference(*(f.labels for f in kept)):
        number *= label.size if isinstance(label, Summed) else 1
    result: list[Factor] = []
    for component, inner in _components(kept, over):
        result += [_net(component, inner)] if inner else component
    more, result = product(result)
    return number * more, result


def _unfolded(atom: Atom, labels: Sequence[Label]) -> tuple[float, list[Factor], set[Label]]:
    """The factors of a net in the labels of its factor, and the labels that are summed over."""
    (inside,) = atom.parts[0]
    names: dict[Label, Label] = dict(enumerate(labels))
    over: set[Label] = set()
    for f in inside.factors:
        for label in f.labels:
            if isinstance(label, Summed) and label not in names:
                names[label] = fresh(label.size)
                over.add(names[label])
    number, factors = _all_renamed(inside.factors, _by(names))
    return number, factors, over


def _without_units(factors: list[Factor], over: set[Label]) -> Product:
    """δᵢⱼ makes i and j one label; it stays where both are labels of the result."""
    groups: list[set[Label]] = []
    for f in factors:
        if f.atom.kind == "eye":
            group = set(f.labels)
            apart = []
            for other in groups:
                if group & other:
                    group |= other
                else:
                    apart.append(other)
            groups = [*apart, group]
    if not groups:
        return 1.0, factors
    names: dict[Label, Label] = {}
    units = []
    for group in groups:
        lasting = sorted((label for label in group if label not in over), key=_token)
        entries = [label for label in lasting if isinstance(label, At)]
        first = (entries or lasting or sorted(group, key=_token))[0]
        names |= dict.fromkeys(group, first)
        if len(lasting) > 1:
            units.append(factor(UNIT, lasting))
    over -= {label for label, now in names.items() if label != now}
    others = [f for f in factors if f.atom.kind != "eye"]
    number, result = _all_renamed(others, _by(names))
    return number, result + units


def _components(factors: list[Factor], over: set[Label]) -> Iterator[tuple[list[Factor], set[Label]]]:
    """The factors in groups that share no label which is summed over."""
    groups: list[tuple[list[Factor], set[Label]]] = []
    for f in factors:
        together, inner = [f], over.intersection(f.labels)
        apart = []
        for others, labels in groups:
            if inner & labels:
                together, inner = others + together, inner | labels
            else:
                apart.append((others, labels))
        groups = [*apart, (together, inner)]
    yield from groups


def _net(factors: list[Factor], inner: set[Label]) -> Factor:
    outer = _outer(factors, inner)
    found = []
    for order in _orders(outer):
        names: dict[Label, Label] = dict(zip(order, range(len(order)), strict=True))
        numbered = _numbered(factors, inner, names)
        found.append((numbered[0], order, numbered[1]))
    key, order, best = min(found, key=lambda each: each[0])
    symmetric = len(found) == math.factorial(len(outer)) > 1 and all(each[0] == key for each in found)
    atom = Atom(digest("net", key), "net", ((term(1.0, best),),), len(outer), symmetric)
    return factor(atom, order)


def _outer(factors: Iterable[Factor], inner: set[Label]) -> list[Label]:
    found = {label for f in factors for label in f.labels if not isinstance(label, At) and label not in inner}
    return sorted(found, key=_token)


def _orders(labels: list[Label]) -> list[tuple[Label, ...]]:
    return list(permutations(labels)) if len(labels) <= 3 else [tuple(labels)]


def _numbered(factors: list[Factor], inner: set[Label], outer: dict[Label, Label]) -> tuple[str, list[Factor]]:
    """The factors with the inner labels numbered by their role alone, and the key of that."""
    best: tuple[str, list[Factor]] | None = None
    open_ = [_refined(factors, outer, dict.fromkeys(inner, ""))]
    leaves = 0
    while open_ and leaves < MAX_NUMBERINGS:
        colours = open_.pop()
        alike: dict[str, list[Label]] = {}
        for label, colour in colours.items():
            alike.setdefault(colour, []).append(label)
        tied = [(colour, labels) for colour, labels in sorted(alike.items()) if len(labels) > 1]
        if tied:
            colour, labels = tied[0]
            open_ += [_refined(factors, outer, colours | {label: colour + "'"}) for label in labels]
            continue
        leaves += 1
        ordered = sorted(colours, key=lambda label: colours[label])
        names = dict(outer)
        for number, label in enumerate(ordered):
            names[label] = Summed(number, label.size if isinstance(label, Summed) else 0)
        now = sorted(
            (factor(f.atom, [names.get(label, label) for label in f.labels], f.power) for f in factors), key=_key
        )
        key = "*".join(f.key for f in now) + "".join(f"~{_size(label)}" for label in ordered)
        if best is None or key < best[0]:
            best = key, now
    assert best is not None
    return best


def _size(label: Label) -> int:
    return label.size if isinstance(label, Summed) else 0


def _refined(factors: list[Factor], outer: Mapping[Label, Label], colours: dict[Label, str]) -> dict[Label, str]:
    """Labels told apart by where they stand and by what stands beside them."""
    classes = len(set(colours.values()))
    while True:
        seen: dict[Label, list[str]] = {label: [] for label in colours}
        for f in factors:
            names = [colours[x] if x in colours else _token(outer.get(x, x)) for x in f.labels]
            told = f"{f.atom.key}^{f.power:.12g}"
            for place, label in enumerate(f.labels):
                if label in seen:
                    here = "s" if f.atom.symmetric else str(place)
                    around = sorted(names) if f.atom.symmetric else names
                    seen[label].append(f"{told}@{here}[{','.join(around)}]")
        colours = {label: digest(colours[label], *sorted(places)) for label, places in seen.items()}
        now = len(set(colours.values()))
        if now <= classes:
            return colours
        classes = now


# --- sums and operations as one factor ---


def _bracket(terms: Terms, exact: bool = False) -> tuple[float, Factor]:
    """A sum as one factor, and the number before it: the leading coefficient inside is 1, unless it is kept exactly."""
    found = []
    for order in _orders(_outer((f for t in terms for f in t.factors), set())):
        names: dict[Label, Label] = dict(zip(order, range(len(order)), strict=True))
        inside = relabelled(terms, _by(names))
        if not inside:
            raise Beyond
        lead = 1.0 if exact else inside[0].coefficient
        found.append((key_of(inside, lead), -lead, order, inside))
    key, turned, order, inside = min(found, key=lambda each: each[:2])
    symmetric = len(order) > 1 and len(found) > 1
    symmetric = symmetric and all(each[0] == key and math.isclose(each[1], turned) for each in found)
    parts = (tuple(Term(t.key, t.coefficient / -turned, t.factors) for t in inside),)
    return -turned, factor(Atom(digest("sum", key), "sum", parts, len(order), symmetric), order)


def operation(
    name: str,
    told: str,
    parts: Sequence[Terms],
    own: Mapping[Label, int],
    made: Sequence[Label] = (),
    *,
    named: frozenset[str] = frozenset(),
    symmetric: bool = False,
) -> Factor:
    """An operation on arrays as a factor.

    It works entry by entry on the labels of its parts, but for its `own`, which it takes in: they are told apart by
    their places. `made` are the axes that it gives; `symmetric` says that their order does not matter.
    """
    batch = _outer((f for part in parts for t in part for f in t.factors), set(own))
    found = []
    for order in _orders(batch):
        names: dict[Label, Label] = {label: place for place, label in enumerate(order)}
        names |= {label: len(batch) + place for label, place in own.items()}
        now = [relabelled(part, _by(names)) for part in parts]
        if name in COMMUTATIVE:
            now.sort(key=key_of)
        key = digest("op", name, told, str(len(batch)), ",".join(sorted(named)), *(key_of(part) for part in now))
        found.append((key, order, now))
    key, order, now = min(found, key=lambda each: each[0])
    if not made:
        symmetric = len(found) > 1 and all(each[0] == key for each in found)
    atom = Atom(key, "op", tuple(now), len(batch), symmetric and not (made and batch), name, told, named)
    return factor(atom, [*order, *made])
