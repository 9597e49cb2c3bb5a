"""Why the step of a line is not done although its value is right.

A line may say once more what stood there, it may have a given line in it, or find by numbers what is to be found with
symbols. What cannot be read is held only to what its syntax shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mlcore.engine.exercises import forms, left_over
from mlcore.engine.exercises.writing import Writing, helping, is_value, items, model
from mlcore.engine.reading import calls, points, source
from mlcore.engine.reading.evaluate import CannotEvaluate, evaluate
from mlcore.engine.reading.expression import Expression
from mlcore.engine.reading.reader import Unreadable, read
from mlcore.engine.reading.source import Definition

_WITH_SYMBOLS = "a derivation does the step with symbols, not with numbers."
_MOST_HELPERS = 12  # that are looked at, of one line
_INPUTS = 2  # at which a helper's value is compared


@helping("")
def complaint(writing: Writing, part: int, asked: Sequence[forms.Form], earlier: Sequence[int]) -> str:
    """What to say of a line whose step is not done, or ''. `earlier` are the lines that it may not say again."""
    if says := _by_other_means(writing, part):
        return says
    expression = writing.read(part)
    if expression is None:
        return left_over.of_a_line(writing, part, None) if writing.is_known else ""
    if label := _repeats(writing, part, expression, [i for i in earlier if i < part], writing.given):
        return f"It says what {label} says: a derivation has to move on."
    if says := left_over.of_a_line(writing, part, expression) or left_over.of_a_bracket(writing, part, expression):
        return says
    return next((form.says for form in asked if not form.holds(expression, writing.example)), "")


@helping("")
def complaint_of_what_follows(writing: Writing, part: int) -> str:
    """The same, for a line that is wrong and may follow from the one before it.

    Honestly followed, a mistake may lead back to what a given line says, and carry a term of one along.
    """
    if says := _by_other_means(writing, part):
        return says
    expression = writing.read(part)
    if expression is None:
        return left_over.of_a_line(writing, part, None) if writing.is_known else ""
    given = [] if part and _reaches(writing, part, part - 1) else writing.given
    if label := _repeats(writing, part, expression, [part - 1] if part else [], given):
        return f"It says what {label} says: a derivation has to move on."
    return left_over.of_a_line(writing, part, expression, writing.read(part - 1) if part else None)


def _by_other_means(writing: Writing, part: int) -> str:
    """What shows whether or not the line can be read."""
    if not writing.is_known:
        return ""
    definition, expression = writing.written[part], writing.read(part)
    if definition is None or writing.is_open(part):
        return "Its source cannot be found, so its step does not show: write the line with def or lambda in a cell."
    says = _by_numbers(writing, definition, expression)
    return "" if says and _inherited(writing, part, says) else says


# --- saying it once more ---


def _repeats(
    writing: Writing,
    part: int,
    expression: Expression,
    earlier: Sequence[int],
    given: Sequence[tuple[str, Any]],
) -> str:
    """The line, or the part of one if this one has no parts, that it says once more, or ''."""
    others = [(label, model(line)) for label, line in given]
    for i in earlier:
        if before := writing.read(i):
            pieces = [before] if writing.chain.lines[part].parts else [before, *items(before)]
            others += [(f"your line {i + 2}", piece) for piece in pieces]
    here = writing.normal(expression)
    return next((label for label, there in others if there and here and here == writing.normal(there)), "")


def _reaches(writing: Writing, part: int, other: int) -> bool:
    """Does a line call another one of the student's?"""
    definition, before = writing.written[part], writing.written[other]
    if definition is None or before is None:
        return False
    return any(one.definition.node is before.node for one in calls.called(definition))


# --- numbers in the place of symbols ---


def _by_numbers(writing: Writing, definition: Definition, expression: Expression | None) -> str:
    """What was done by numbers in the place of the step, or ''."""
    if name := forms.out_of_sight(definition):
        return f"It uses `{name}`: write the formula down."
    if label := _taken_apart(writing, definition):
        return f"It evaluates {label} at several points: {_WITH_SYMBOLS}"
    if expression is not None and (label := _at_another_point(writing, expression)):
        return f"It evaluates {label} at another point: {_WITH_SYMBOLS}"
    if forms.found_by_numbers(definition, expression, writing.names):
        return f"It takes differences of values, or has a search or a fit find them: {_WITH_SYMBOLS}"
    if expression is None and (label := _stands_in(writing, definition, elsewhere=True)):
        return f"It evaluates {label} at another point: {_WITH_SYMBOLS}"
    return ""


def _inherited(writing: Writing, part: int, says: str) -> bool:
    """Is it the fault of an earlier line, which this one calls and which is told it already?"""
    definition = writing.written[part]
    called = {id(one.definition.node) for one in calls.called(definition)} if definition else set()
    return any(
        other is not None and id(other.node) in called and says == _by_numbers(writing, other, writing.read(i))
        for i, other in enumerate(writing.written[:part])
    )


def _at_another_point(writing: Writing, expression: Expression) -> str:
    models = ((label, model(line)) for label, line in writing.given)
    return next(
        (label for label, there in models if there and points.moved(there, writing.names, expression, writing.example)),
        "",
    )


def _stands_in(writing: Writing, definition: Definition, elsewhere: bool = False) -> str:
    """The given line whose formula occurs in what cannot be read, or ''. With `elsewhere`: at another point."""
    nodes = [definition.node, *(one.definition.node for one in calls.called(definition))]
    for label, line in writing.given:
        formula = source.of_function(line)
        if formula and any(points.stands_in(formula.node, node, elsewhere) for node in nodes):
            return label
    return ""


def _taken_apart(writing: Writing, definition: Definition) -> str:
    """The line, given or the student's, of which a function takes differences or sums at several points, or ''."""
    reached = calls.called(definition)
    lines = {id(line.node): f"your line {i + 2}" for i, line in enumerate(writing.written) if line}
    own = [one for one in reached if id(one.definition.node) in lines and one.definition.node is not definition.node]
    if label := next((lines[id(one.definition.node)] for one in own if one.points > 1 and one.numeric), ""):
        return label
    others = [one for one in reached if one not in own and (one.points > 1 or one.recursive or one.handed_on)]
    values = list(_values(writing)) if others else []
    return next(filter(None, (_is_line(writing, one, values) for one in others[:_MOST_HELPERS])), "")


Values = tuple[str, bool, list[Any]]  # a line's label, whether this is the whole of it, its value at the first inputs


def _values(writing: Writing) -> Iterator[Values]:
    """The values of the lines; of those that are given, also those of their long terms."""
    for label, line in writing.given:
        yield label, True, [line(*args.values()) for args in writing.inputs[:_INPUTS]]
    for own in writing.own:
        if not any(reply.untouched or reply.trouble for reply in own.replies):
            yield f"your line {own.part + 2}", True, [reply.value for reply in own.replies[:_INPUTS]]
    for label, line in writing.given:
        for term in left_over.terms(line):
            try:
                yield label, False, [evaluate(term, args) for args in writing.inputs[:_INPUTS]]
            except CannotEvaluate:
                continue


def _is_line(writing: Writing, one: calls.Called, values: Sequence[Values]) -> str:
    """The line whose value a function of the student's has, at the variables themselves, or whose formula.

    The value of a term counts if the function is called at more than the variables: J(u) and J(v) may be terms.
    """
    own = [argument.arg for argument in one.definition.node.args.args]
    try:
        expression = read(one.definition, own)
    except Unreadable:
        return _stands_in(writing, one.definition)
    for names in _places(writing, own):
        for label, whole, there in values:
            if (whole or one.elsewhere or one.handed_on) and _gives(writing, expression, own, names, there):
                return label
    return _stands_in(writing, one.definition)


def _places(writing: Writing, own: Sequence[str]) -> list[Sequence[str]]:
    """Which variables of the derivation the parameters of a function may stand for."""
    if set(own) <= set(writing.names):
        return [own]
    if len(own) == 1:
        return [[name] for name in writing.names]
    return [writing.names[: len(own)]] if len(own) <= len(writing.names) else []


def _gives(
    writing: Writing, expression: Expression, own: Sequence[str], names: Sequence[str], values: Sequence[Any]
) -> bool:
    try:
        for args, value in zip(writing.inputs, values, strict=False):
            at: Mapping[str, Any] = dict(zip(own, (args[name] for name in names), strict=True))
            if not is_value(evaluate(expression, {**args, **at}), value):
                return False
    except CannotEvaluate:
        return False
    return True
