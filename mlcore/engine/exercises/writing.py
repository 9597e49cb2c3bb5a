"""A derivation as the student wrote it: each line read, and typeset.

What was read counts only if it is what answered: evaluated at the same inputs, by our own evaluator, it must give the
numbers that the student's function gave.
"""

from __future__ import annotations

import functools
import inspect
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlcore.engine.exercises import terms
from mlcore.engine.exercises.compare import close
from mlcore.engine.exercises.values import Unusable, tidy
from mlcore.engine.exercises.verdict import Formula, Step
from mlcore.engine.reading import normal, source, typeset
from mlcore.engine.reading.evaluate import CannotEvaluate, evaluate
from mlcore.engine.reading.expression import Expression, Op
from mlcore.engine.reading.reader import Unreadable, Valueless, read
from mlcore.engine.reading.source import Definition

if TYPE_CHECKING:
    from mlcore.engine.exercises.chain import Chain
    from mlcore.engine.exercises.following import Own

_same = close()
_INPUTS = 4  # the smallest, at which what was read is compared with what answered


FAILURES: deque[Exception] = deque(maxlen=20)  # what went wrong and was passed over; the certificate looks


def helping(otherwise: Any) -> Callable:
    """What only helps must not cost the verdict: whatever goes wrong in it is as if nothing had been found."""

    def decorate(method: Callable) -> Callable:
        @functools.wraps(method)
        def guarded(*args: Any) -> Any:
            try:
                return method(*args)
            except Exception as failure:
                FAILURES.append(failure)
                return otherwise

        return guarded

    return decorate


class Writing:
    """The lines of one derivation, given ones and the student's, as expressions."""

    def __init__(self, chain: Chain, own: Sequence[Own], written: Sequence[Definition | None]) -> None:
        self.chain = chain
        self.own = own
        self.is_known = bool(written)  # else nobody said how the answer was written
        self.written = written or [None] * len(own)
        self.given = [(f"line {k}", line) for k, line in chain.given]
        self.names = names_of(chain.first)
        self.inputs = [self.named(call.args or ()) for call in own[0].calls]
        self._read: dict[int, Expression | None] = {}
        self._open: set[int] = set()

    @property
    def example(self) -> Mapping[str, Any]:
        return self.inputs[0]

    def named(self, args: Sequence[Any]) -> Mapping[str, Any]:
        return dict(zip(self.names, args, strict=True))

    def read(self, part: int) -> Expression | None:
        """What the student's line says; None if it cannot be read, or something else answered."""
        if part not in self._read:
            self._read[part] = self._checked(part)
        return self._read[part]

    def is_open(self, part: int) -> bool:
        """Does its text give no value at all, as an untouched stub? Then it is something else that answered."""
        self.read(part)
        return part in self._open

    def _checked(self, part: int) -> Expression | None:
        definition = self.written[part]
        own = self.own[part]
        if definition is None or any(reply.untouched or reply.trouble for reply in own.replies):
            return None
        try:
            expression = read(definition, self.names)
            pairs = sorted(zip(own.calls, own.replies, strict=True), key=lambda pair: pair[0].size)
            for call, reply in pairs[:_INPUTS]:
                if not is_value(evaluate(expression, self.named(call.args or ())), reply.value):
                    return None
        except Valueless:
            self._open.add(part)
            return None
        except (Unreadable, CannotEvaluate):
            return None
        return expression

    def normal(self, expression: Expression) -> normal.Normal | None:
        try:
            return normal.normal(expression, self.example)
        except normal.TooLarge:
            return None

    @helping(None)
    def blame(self, part: int, values: Sequence[tuple[np.ndarray, ...]]) -> terms.Blame | None:
        """The one term by which a line is wrong; no sum of terms is nan."""
        if not all(np.isfinite(part).all() for value in values for part in value):
            return None
        line = self.chain.lines[part]
        return terms.blame(line, self.own[part].calls, values, self.read(part), model(line.reference), self.names)

    # --- the card ---

    @helping(())
    def typeset(self, part: int, mark: tuple[int, ...] | None, off: Sequence[int]) -> tuple[Formula, ...]:
        """The line, one formula for each of its parts; those that are off are marked."""
        return self._set(self.read(part), self.chain.lines[part].parts, mark, off)

    @helping(())
    def typeset_given(self) -> tuple[Step, ...]:
        """The lines that are given, as the card shows them."""
        return tuple(Step(label, True, "given", "·", self._set(model(line), (), None)) for label, line in self.given)

    def _set(
        self,
        expression: Expression | None,
        parts: tuple[str, ...],
        mark: tuple[int, ...] | None,
        off: Sequence[int] = (),
    ) -> tuple[Formula, ...]:
        if expression is None:
            return ()
        if not parts or len(items(expression)) != len(parts):
            return (self._formula(expression, "", mark),)
        marks = [mark[1:] if mark and mark[0] == i else None for i in range(len(parts))]
        wrong = [i in off and not marks[i] for i in range(len(parts))]
        return tuple(map(self._formula, items(expression), parts, marks, wrong))

    def _formula(
        self, expression: Expression, part: str, mark: tuple[int, ...] | None, is_off: bool = False
    ) -> Formula:
        tex = typeset.latex(expression, self.example, mark)
        return Formula(tex, typeset.plain(expression, self.example, mark), part, is_off)


def items(expression: Expression) -> Sequence[Expression]:
    """The parts of a line that is a tuple, else the line."""
    return expression.args if isinstance(expression, Op) and expression.name == "tuple" else (expression,)


def names_of(line: Callable) -> list[str]:
    return list(inspect.signature(line).parameters)


@functools.cache
def model(line: Callable) -> Expression | None:
    """One of our own lines, read."""
    definition = source.of_function(line)
    try:
        return read(definition, names_of(line)) if definition else None
    except Unreadable:
        return None


def is_value(mine: Any, theirs: Any) -> bool:
    """Did something give what an expression evaluates to?"""
    try:
        right = tidy(mine, mine)
        given = tidy(theirs, mine)
    except (Unusable, TypeError, ValueError):
        return False
    return all(np.shape(a) == np.shape(b) and _same(a, b) for a, b in zip(given, right, strict=True))
