"""Which term of a line is wrong, and by what factor.

The terms of a sum are evaluated one by one. If one of them, taken κ times, makes the line right on every draw, then it
is the one; if a term of the right line is what the student's lacks, that one is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from mlcore.engine.asking.answers import Call
from mlcore.engine.exercises.compare import close
from mlcore.engine.reading import typeset
from mlcore.engine.reading.evaluate import Budget, CannotEvaluate, evaluate
from mlcore.engine.reading.expression import Expression, Number, Op

if TYPE_CHECKING:
    from mlcore.engine.exercises.chain import Line

_same = close()
_MOST_TERMS = 24
_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

Path = tuple[int, ...]


@dataclass(frozen=True)
class Blame:
    says: str
    path: Path | None


@dataclass(frozen=True)
class _Term:
    """A summand of an expression: where it stands, its sign, its place in its sum, and where that stands."""

    path: Path
    sign: int
    place: int
    bracket: Path


def blame(
    line: Line,
    calls: Sequence[Call],
    values: Sequence[tuple[np.ndarray, ...]],
    reading: Expression | None,
    right: Expression | None,
    names: Sequence[str],
) -> Blame | None:
    """The one term by which a line is wrong, or None. `reading` is the student's line, `right` is ours."""
    inputs = [dict(zip(names, call.args or (), strict=True)) for call in calls]
    asked = [_several(line.reference(*at.values())) for at in inputs]
    values = [_several(value) for value in values]
    parts = len(values[0])
    off = [i for i in range(parts) if not all(_same(v[i], a[i]) for v, a in zip(values, asked, strict=True))]
    if len(off) != 1:
        return None
    i = off[0]
    gaps = [(v[i], a[i] - v[i]) for v, a in zip(values, asked, strict=True)]
    label = line.parts[i] if line.parts else ""
    prefix: Path = (i,) if parts > 1 else ()
    if reading is not None and (mine := _own_term(_part(reading, prefix), inputs, gaps, label)):
        return Blame(mine.says, None if mine.path is None else (*prefix, *mine.path))
    if right is not None and (theirs := _term_of_ours(_part(right, prefix), inputs, gaps, label)):
        return Blame(theirs, None)
    return None


def _several(value: Any) -> tuple[np.ndarray, ...]:
    return tuple(np.asarray(v, dtype=float) for v in (value if isinstance(value, tuple) else (value,)))


def _part(expression: Expression, prefix: Path) -> Expression:
    return expression.args[prefix[0]] if prefix and isinstance(expression, Op) else expression


Gaps = Sequence[tuple[np.ndarray, np.ndarray]]


def _own_term(expression: Expression, inputs: Sequence[Mapping[str, Any]], gaps: Gaps, label: str) -> Blame | None:
    """A term of the student's that has to be taken κ times."""
    found: list[tuple[_Term, str]] = []
    budget = Budget()
    for term in _terms(expression):
        effects = _effects(expression, term.path, inputs, budget)
        inside = any(term.path[: len(other.path)] == other.path for other, _ in found)
        if effects and not inside and (needs := _needs(effects, gaps, inputs)):
            found.append((term, needs))
    if len(found) != 1:
        return None
    (term, needs) = found[0]
    which = f"the {_ORDER[term.place]} term" if term.place < len(_ORDER) else "a term"
    within = [f"in {label}"] if label else []
    if term.bracket:
        within.append(f"in the bracket ({typeset.plain(at(expression, term.bracket), inputs[0])})")
    says = ", ".join([*within, f"{which} is {_shown(expression, term, inputs[0])}: {needs}"])
    return Blame(says[0].upper() + says[1:], term.path)


def _shown(expression: Expression, term: _Term, variables: Mapping[str, Any]) -> str:
    return ("−" if term.sign < 0 else "") + typeset.plain(at(expression, term.path), variables)


def _term_of_ours(expression: Expression, inputs: Sequence[Mapping[str, Any]], gaps: Gaps, label: str) -> str:
    """A term of the right line that is missing, halved, or there too often."""
    told = {1: "is missing", -1: "is there once too often", 2: "has the wrong sign"}
    whole = [value + gap for value, gap in gaps]
    found = set()
    budget = Budget()
    for term in _terms(expression):
        effects = _effects(expression, term.path, inputs, budget)
        if all(_same(e, right) for e, right in zip(effects, whole, strict=False)):
            continue  # what comes with all of the line is no term of it
        for times, says in told.items():
            if effects and all(_same(times * e, gap) for e, (_, gap) in zip(effects, gaps, strict=True)):
                shown = _shown(expression, term, inputs[0])
                found.add(f"{f'In {label}, the' if label else 'The'} term {shown} {says}.")
    return found.pop() if len(found) == 1 else ""


def _terms(expression: Expression) -> Iterator[_Term]:
    """Every summand of every sum on which the expression depends linearly, the outer ones first."""
    waiting: list[tuple[Expression, Path]] = [(expression, ())]
    count = 0
    while waiting and count < _MOST_TERMS:
        node, path = waiting.pop(0)
        flat = list(_summands(node, path))
        for place, (part, where, sign) in enumerate(flat):
            if len(flat) > 1:
                count += 1
                yield _Term(where, sign, place, path)
            waiting += [(part.args[k], (*where, k)) for k in _linear_in(part) if isinstance(part, Op)]


def _summands(node: Expression, path: Path, sign: int = 1) -> Iterator[tuple[Expression, Path, int]]:
    if isinstance(node, Op) and node.name in ("add", "sub", "neg"):
        for k, arg in enumerate(node.args):
            minus = node.name == "neg" or (node.name == "sub" and k == 1)
            yield from _summands(arg, (*path, k), -sign if minus else sign)
    else:
        yield node, path, sign


def _linear_in(node: Expression) -> Sequence[int]:
    """The arguments in which an operation is linear: what is twice as large there makes the result so."""
    if not isinstance(node, Op):
        return ()
    if node.name in ("mul", "matmul", "outer"):
        return (0, 1)
    if node.name in ("div", "T", "sum", "mean", "trace", "index", "reshape", "ravel", "diag", "cumsum"):
        return (0,)
    return (1,) if node.name == "solve" else ()


def at(expression: Expression, path: Path) -> Expression:
    for k in path:
        assert isinstance(expression, Op)
        expression = expression.args[k]
    return expression


def _doubled(expression: Expression, path: Path) -> Expression:
    if not path:
        return Op("mul", (Number(2.0), expression))
    assert isinstance(expression, Op)
    k, *rest = path
    args = (*expression.args[:k], _doubled(expression.args[k], tuple(rest)), *expression.args[k + 1 :])
    return Op(expression.name, args, expression.options)


def _effects(
    expression: Expression, path: Path, inputs: Sequence[Mapping[str, Any]], budget: Budget
) -> list[np.ndarray]:
    """By how much the whole changes if the term comes once more; [] if that cannot be evaluated, or is nothing."""
    twice = _doubled(expression, path)
    try:
        effects = [
            np.asarray(evaluate(twice, variables, budget), dtype=float)
            - np.asarray(evaluate(expression, variables, budget), dtype=float)
            for variables in inputs
        ]
    except (CannotEvaluate, TypeError, ValueError):
        return []
    return effects if any(np.any(e != 0) for e in effects) else []


def _needs(effects: Sequence[np.ndarray], gaps: Gaps, inputs: Sequence[Mapping[str, Any]]) -> str:
    """What has to be done to a term with these effects, so that the gaps close; '' if nothing simple does."""
    factors = []
    for effect, (value, gap), variables in zip(effects, gaps, inputs, strict=True):
        if effect.shape != gap.shape:
            return ""
        size = float(np.sum(effect * effect))
        if size == 0:
            if np.any(np.abs(gap) > 1e-9 * (1 + np.abs(value))):
                return ""
            continue
        factor = float(np.sum(effect * gap)) / size
        scale = np.max(np.abs(value), initial=0.0) + np.max(np.abs(gap), initial=0.0)
        if np.max(np.abs(factor * effect - gap), initial=0.0) > 1e-7 * scale:
            return ""
        factors.append((factor + 1, variables))
    return _in_words(factors)


def _in_words(factors: Sequence[tuple[float, Mapping[str, Any]]]) -> str:
    if len(factors) < 2:
        return ""
    values = np.array([factor for factor, _ in factors])
    if np.allclose(values, values[0], rtol=1e-6, atol=1e-9):
        return _constant(values[0])
    for name, power, times in _scalars(factors[0][1]):
        if np.allclose(values, [times * _power(at, name, power) for _, at in factors], rtol=1e-6):
            return f"it needs the factor {_written(name, power, times)}."
    return ""


def _constant(factor: float) -> str:
    told = {
        0.0: "it does not belong there.",
        -1.0: "its sign is wrong.",
        2.0: "twice that is needed.",
        0.5: "half of that is needed.",
    }
    for known, says in told.items():
        if abs(factor - known) < 1e-6:
            return says
    simple = Fraction(factor).limit_denominator(12)
    if abs(float(simple) - factor) < 1e-6:
        sign, size = ("−" if simple < 0 else ""), abs(simple)
        return f"it needs the factor {sign}{size}."
    return ""


def _scalars(variables: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Factors that get lost: a scalar of the derivation or the length of an array, its square or its inverse."""
    names = [name for name, value in variables.items() if np.ndim(value) == 0]
    names += [f"len {name}" for name, value in variables.items() if np.ndim(value) > 0]
    for times in (1.0, 2.0, 0.5, -1.0, -2.0, -0.5):
        for name in names:
            for power in (1, -1, 2, -2):
                yield name, power, times


def _power(variables: Mapping[str, Any], name: str, power: float) -> float:
    value = len(variables[name[4:]]) if name.startswith("len ") else float(variables[name])
    return value**power if value else np.nan


def _written(name: str, power: float, times: float) -> str:
    symbol = f"len({name[4:]})" if name.startswith("len ") else typeset.plain_name(name)
    raised = symbol + ("²" if abs(power) == 2 else "")
    front = {1.0: "", -1.0: "−", 2.0: "2", -2.0: "−2", 0.5: "½", -0.5: "−½"}[times]
    if power < 0:
        return {"": "1", "−": "−1"}.get(front, front) + "/" + raised
    return front + raised
