"""What every answer that we have written down is worth on one seed.

As `assess` would say it, but each function is asked once for each input: an exercise with six mistakes compares every
answer with every mistake.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from mlcore.engine.asking.answers import Call, Reply, Trouble, ask, untouched
from mlcore.engine.asking.plain import plain
from mlcore.engine.exercises import Chain, Function, Mistake, Slip, diagnosis, judging
from mlcore.engine.exercises.assess import drawing
from mlcore.engine.exercises.compare import Compare
from mlcore.engine.exercises.draws import DRAWS, truth
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.values import Unusable, tidy
from mlcore.engine.exercises.verdict import Finding


class Desk:
    """One exercise with its solution, on one seed after the other."""

    def __init__(self, exercise: Exercise, solution: tuple[Any, ...]) -> None:
        self.exercise = exercise
        self.solution = solution
        self.plan: list[Call] = []
        self.drawn = 0  # draws that the plan took, of which it keeps DRAWS
        self.warned: set[str] = set()  # what the references said beside their numbers
        self._replies: dict[tuple[int, int], Reply] = {}
        self._truths: dict[tuple[int, int], Any] = {}
        self._tidied: dict[tuple[int, int], tuple[np.ndarray, ...] | Unusable] = {}

    def sit(self, seed: int) -> None:
        """Draw the plan of this seed. `NotJudged` if there is none."""
        self._replies, self._truths, self._tidied, self.drawn, self.warned = {}, {}, {}, 0, set()
        cases = getattr(self.exercise, "cases", None)
        if cases:
            self.exercise.cases = self._counting(cases)  # type: ignore[attr-defined]
        try:
            self.plan = self.exercise.plan(drawing(self.exercise, seed))
        finally:
            if cases:
                self.exercise.cases = cases  # type: ignore[attr-defined]

    @property
    def again(self) -> int:
        return max(self.drawn - DRAWS, 0)

    def _counting(self, cases: Any) -> Any:
        def counted(rng: np.random.Generator) -> Any:
            self.drawn += 1
            return cases(rng)

        return counted

    def reply(self, answer: Any, call: Call) -> Reply:
        """As `ask` gives it, once for each function and input."""
        key = id(answer), id(call.args)
        if key not in self._replies:
            self._replies[key] = _asked(answer, call)
        return self._replies[key]

    def truth(self, reference: Any, args: Any) -> Any:
        key = id(reference), id(args)
        if args == () or key not in self._truths:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self._truths[key] = truth(reference, args)
            self.warned.update(str(w.message) for w in caught)
        return self._truths[key]

    def tidy(self, value: Any, asked: Any, names: tuple[str, ...] = ()) -> tuple[np.ndarray, ...]:
        key = id(value), id(asked)
        if key not in self._tidied:
            try:
                self._tidied[key] = tidy(value, asked, names)
            except Unusable as complaint:
                self._tidied[key] = complaint
        found = self._tidied[key]
        if isinstance(found, Unusable):
            raise found
        return found

    def finding(self, answer: Any, part: int) -> Finding:
        """On the solution with this in the place of one part."""
        with _remembered(self):
            if isinstance(self.exercise, Chain):  # its other lines are judged by themselves
                line = self.exercise.lines[part]
                calls = [call for call in self.plan if call.part == part and not call.probe]
                replies = [self.reply(answer, call) for call in calls]
                return judging.examine(line.reference, calls, replies, line.compare, line.mistakes, line.parts)
            answers = [*self.solution[:part], answer, *self.solution[part + 1 :]]
            replies = [self.reply(answers[call.part], call) for call in self.plan]
            return self.exercise.judge(self.plan, replies).finding

    def asks(self, part: int) -> bool:
        """Does a draw decide on this part? A counter-example is judged the same on every seed."""
        return any(call.part == part and call.args is not None for call in self.plan)

    def told_apart(self, mistake: Mistake) -> bool:
        """Does it differ from the truth on some call, and from every other mistake?

        Then judging gives it its own sentence, and need not be asked: one call is nearly always enough to see it.
        """
        asked = self._asked_in(mistake.part)
        if asked is None:
            return False
        reference, compare, names = asked
        calls = [call for call in self.plan if call.part == mistake.part and call.args is not None and not call.probe]
        others = [m for m in self.exercise.mistakes if m.part == mistake.part and m.says != mistake.says]
        with _remembered(self):
            if not any(self._is_wrong(mistake.answer, call, reference, compare, names) for call in calls):
                return False
            return not any(self._alike(mistake, other, calls, compare) for other in others)

    def _alike(self, mistake: Mistake, other: Mistake, calls: list[Call], compare: Compare) -> bool:
        pairs = ((self.reply(mistake.answer, call), self.reply(other.answer, call)) for call in calls)
        return all(diagnosis.agree(one, two, compare) for one, two in pairs)

    def _asked_in(self, part: int) -> tuple[Any, Compare, tuple[str, ...]] | None:
        """What a part is compared with, if it is compared with something."""
        match self.exercise:
            case Chain(lines=lines):
                return lines[part].reference, lines[part].compare, lines[part].parts
            case Function(reference=reference, compare=compare, returns=names):
                return reference, compare, names
            case Slip(reference=reference, compare=compare):
                return (reference, compare, ()) if part == 0 else None
        return None

    def _is_wrong(self, answer: Any, call: Call, reference: Any, compare: Compare, names: tuple[str, ...]) -> bool:
        reply, right = self.reply(answer, call), self.truth(reference, call.args)
        try:
            return reply.trouble is not None or not judging.all_same(
                self.tidy(reply.value, right, names), right, compare
            )
        except Unusable:
            return True


def _asked(answer: Any, call: Call) -> Reply:
    """`ask` without what guards against students: an answer of ours prints nothing and leaves its inputs alone."""
    if call.args is None or not callable(answer) or _is_stub(answer):
        return ask(answer, call)
    try:
        return Reply(value=plain(answer(*call.args)))
    except Exception as error:
        return Reply(trouble=Trouble(type(error).__name__, str(error)))


@functools.cache
def _is_stub(answer: Any) -> bool:
    return untouched(answer)


class _remembered:
    """While this lasts, judging asks the desk, and makes no card."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def __enter__(self) -> None:
        ours = {"ask": self.desk.reply, "tidy": self.desk.tidy, "truth": self.desk.truth, "evidence": lambda *_: ()}
        self.before = [
            (module, name, getattr(module, name))
            for module in (diagnosis, judging)
            for name in ours
            if hasattr(module, name)
        ]
        for module, name, _ in self.before:
            setattr(module, name, ours[name])

    def __exit__(self, *_: object) -> None:
        for module, name, function in self.before:
            setattr(module, name, function)
