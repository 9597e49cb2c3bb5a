"""Compares what came back with what the reference gives, and says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.asking.stopping import Stopped
from mlcore.engine.exercises import diagnosis
from mlcore.engine.exercises.compare import Compare
from mlcore.engine.exercises.diagnosis import Mistake
from mlcore.engine.exercises.draws import truth
from mlcore.engine.exercises.evidence import evidence, how_far
from mlcore.engine.exercises.values import Unusable, components, tidy
from mlcore.engine.exercises.verdict import Finding, Outcome


def examine(
    reference: Callable,
    calls: Sequence[Call],
    replies: Sequence[Reply],
    compare: Compare,
    mistakes: Sequence[Mistake] = (),
    names: tuple[str, ...] = (),
) -> Finding:
    """Compare what came back with what the reference gives, and say what is wrong."""
    if finding := early(replies):
        return finding
    asked = [truth(reference, call.args or ()) for call in calls]
    wrong: list[int] = []
    unusable = ""
    for i, (reply, right) in enumerate(zip(replies, asked, strict=True)):
        try:
            if reply.trouble:
                raise Unusable
            if not all_same(tidy(reply.value, right, names), right, compare):
                wrong.append(i)
        except Unusable as complaint:
            wrong.append(i)
            unusable = unusable or str(complaint)
    if not wrong:
        drawn = calls[0].args is not None
        return Finding(Outcome.RIGHT, "It agrees with the reference on every draw." if drawn else "That is it.")
    if says := diagnosis.named(mistakes, calls, replies, compare):
        return Finding(Outcome.MISTAKE, says, says, evidence(reference, calls, replies, asked, wrong, compare, names))
    if finding := raised(calls, replies):
        return finding
    if unusable:
        return Finding(Outcome.UNUSABLE, unusable)
    if _wavers(calls, replies, asked, compare, names):
        return Finding(Outcome.WRONG, "Two calls with the same input gave two different answers: is it random?")
    shown = evidence(reference, calls, replies, asked, wrong, compare, names)
    if says := diagnosis.generic(reference, names, calls, replies, compare):
        says = says if says.startswith(tuple(f"{name}: " for name in names)) else says[0].upper() + says[1:]
        return Finding(Outcome.MISTAKE, says, "", shown)
    return Finding(Outcome.WRONG, how_far(calls, replies, asked, wrong, names), "", shown)


def early(replies: Sequence[Reply]) -> Finding | None:
    """What is decided before any number is looked at."""
    if all(reply.untouched for reply in replies):
        return Finding(Outcome.NOT_ATTEMPTED, "Write your answer in the cell above, run it, then run this check again.")
    for reply in replies:
        if reply.calls.startswith("line"):
            return Finding(Outcome.BORROWED, f"It calls {reply.calls}, which is given: write down what it says.")
        if reply.calls:
            return Finding(Outcome.BORROWED, f"This calls {reply.calls}: derive it.")
        if reply.trouble and reply.trouble.kind == Stopped.__name__:
            says = f"It did not finish: {reply.trouble.message}. Is there a loop that never ends?"
            return Finding(Outcome.RAISED, says)
    return None


def raised(calls: Sequence[Call], replies: Sequence[Reply]) -> Finding | None:
    failed = [(call.size, i) for i, call in enumerate(calls) if replies[i].trouble or replies[i].untouched]
    if not failed:
        return None
    trouble = replies[min(failed)[1]].trouble
    if trouble is None:
        return Finding(Outcome.RAISED, "For some inputs it raises NotImplementedError.")
    if not trouble.kind:
        return Finding(Outcome.UNUSABLE, trouble.message)
    where = (("your line", trouble.line),) if trouble.line else ()
    return Finding(Outcome.RAISED, f"Your code raised {trouble}", "", where)


def all_same(value: tuple[np.ndarray, ...], asked: Any, compare: Compare) -> bool:
    return all(compare(v, np.asarray(a, dtype=float)) for v, a in zip(value, components(asked), strict=True))


def _wavers(
    calls: Sequence[Call], replies: Sequence[Reply], asked: Sequence[Any], compare: Compare, names: tuple[str, ...]
) -> bool:
    """Did the call that was made twice give two answers?"""
    again = len(calls) - 1
    first = next(i for i, call in enumerate(calls) if call.args is calls[again].args)
    one, two = (tidy(replies[i].value, asked[i], names) for i in (first, again))
    return not all(compare(a, b) for a, b in zip(one, two, strict=True))
