"""Is a part of a line what a given line leaves: the line, or a term of it, less or divided by something else?

`line 1 − a − b` is worth as much as the third of three parts, and nothing was taken apart. A given line is known by its
value, in whatever spelling; what stands in its brackets, by its normal form. What our own answers have is let pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mlcore.engine.exercises.writing import Writing, is_value, items, model
from mlcore.engine.reading import points
from mlcore.engine.reading.evaluate import CannotEvaluate, evaluate, values
from mlcore.engine.reading.expression import Expression, Op, summands, walk
from mlcore.engine.reading.reader import fragments

SHORTEST = 5  # nodes of a formula that is looked for: log Σp may well stand in another
_INPUTS = 3  # at which values are compared


def of_a_line(writing: Writing, part: int, expression: Expression | None, before: Expression | None = None) -> str:
    """The given line that is in a part, as a sentence, or ''. `expression` is the student's line, if it can be read.

    What is in the line `before` may come along.
    """
    line = writing.chain.lines[part]
    if not line.parts:
        return ""
    if expression is None:
        definition = writing.written[part]
        pieces = fragments(definition, writing.names) if definition else []
        named = [("A part", piece) for piece in pieces]
    elif len(items(expression)) == len(line.parts):
        named = list(zip(line.parts, items(expression), strict=True))
    else:
        named = [("A part", expression)]
    for label, given in writing.given:
        if not _is_told_by_its_value(writing, given):
            continue
        right = [*_right(writing, part), *([before] if before else [])]
        for nodes in (_summands, walk):
            if any(_holds(writing, ours, given, nodes) for ours in right):
                continue
            for name, own in named:
                if _holds(writing, own, given, nodes):
                    return f"{name} has {label} in it: the step is to take that apart."
    return ""


def of_a_bracket(writing: Writing, part: int, expression: Expression) -> str:
    """The same, for a bracket of a given line among several summands of a part."""
    line = writing.chain.lines[part]
    if not line.parts or len(items(expression)) != len(line.parts):
        return ""
    for label, given in writing.given:
        formulas = [b for b in _brackets(given) if not any(_has(writing, o, b) for o in _right(writing, part))]
        for name, own in zip(line.parts, items(expression), strict=True):
            if any(_has(writing, own, formula) for formula in formulas):
                return f"{name} has the formula of {label} in it: the step is to take that apart."
    return ""


def terms(given: Any) -> list[Expression]:
    formula = model(given)
    return [term for term in points.terms(formula) if sum(1 for _ in walk(term)) >= SHORTEST] if formula else []


def _right(writing: Writing, part: int) -> Iterator[Expression]:
    """What we write there ourselves."""
    ours = [writing.chain.lines[part].reference]
    ours += [other.answer for other in writing.chain.alternatives if other.part == part]
    yield from filter(None, map(model, ours))


# --- a line, by its value ---


def _is_told_by_its_value(writing: Writing, given: Callable) -> bool:
    """Not if it is the same everywhere, or that of a variable: others may well have it."""
    shown = [np.asarray(given(*at.values()), dtype=float) for at in writing.inputs[:_INPUTS]]
    plain = all(any(is_value(value, v) for value in at.values()) for at, v in zip(writing.inputs, shown, strict=False))
    return not plain and not all(v.shape == shown[0].shape and np.allclose(v, shown[0]) for v in shown[1:])


def _summands(expression: Expression) -> list[Expression]:
    terms = [term for item in items(expression) for _, term in summands(item)]
    return terms if len(terms) > len(items(expression)) else []


def _holds(writing: Writing, expression: Expression, given: Callable, nodes: Callable) -> bool:
    """Has one of these nodes of the expression, on all inputs, the value of the line, or that with a minus?"""
    left = [(sign, id(node)) for node in nodes(expression) if isinstance(node, Op) for sign in (1, -1)]
    for at in writing.inputs[:_INPUTS]:
        right = np.asarray(given(*at.values()), dtype=float)
        try:
            known = values(expression, at)
        except CannotEvaluate:
            return False
        left = [(sign, key) for sign, key in left if key in known and _same(known[key], sign * right)]
        if not left:
            return False
    return True


def _same(value: Any, right: np.ndarray) -> bool:
    return not isinstance(value, tuple | list) and np.shape(value) == right.shape and is_value(right, value)


# --- a bracket, by its formula ---


def _brackets(given: Callable) -> list[Expression]:
    """The long terms of a line, and the squares and products of sums in it, alone and in what is made of them."""
    formula = model(given)
    return [*dict.fromkeys([*terms(given), *(n for n in walk(formula) if _is_bracket(n))])] if formula else []


def _is_bracket(node: Expression) -> bool:
    if not isinstance(node, Op) or node.name in ("add", "sub", "neg") or sum(1 for _ in walk(node)) < SHORTEST:
        return False
    return any(_is_product_of_sums(inner) for inner in walk(node))


def _is_product_of_sums(node: Expression) -> bool:
    if not isinstance(node, Op) or node.name not in ("pow", "norm", "mul", "matmul"):
        return False
    factors = node.args[:1] if node.name in ("pow", "norm") else node.args
    return all(any(isinstance(n, Op) and n.name in ("add", "sub") for n in walk(factor)) for factor in factors)


def _has(writing: Writing, expression: Expression, formula: Expression) -> bool:
    """Is the formula one of several summands in the expression, however it is spelt?"""
    either = [(signed, writing.normal(signed)) for signed in (formula, Op("neg", (formula,)))]
    return any(
        _have_one_value(writing, one, signed) and writing.normal(one) == whole
        for one in _summands_in(expression)
        for signed, whole in either
    )


def _summands_in(expression: Expression) -> Iterator[Expression]:
    """The terms of all sums, and what stands within an |…| or the like among them."""
    for node in walk(expression):
        if isinstance(node, Op) and node.name in ("add", "sub"):
            for _, term in summands(node):
                yield term
                if isinstance(term, Op) and term.name in _WRAPS:
                    yield from term.args


_WRAPS = ("abs", "clip", "maximum", "minimum", "where", "max", "min", "sort")


def _have_one_value(writing: Writing, one: Expression, other: Expression) -> bool:
    try:
        return is_value(evaluate(one, writing.example), evaluate(other, writing.example))
    except CannotEvaluate:
        return False
