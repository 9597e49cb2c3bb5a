"""From an answer to its verdict, in this process; and what to say where the exercise itself failed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mlcore.engine.asking.answers import Call, Reply, collect
from mlcore.engine.exercises.draws import NotJudged
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.verdict import Finding, Outcome, Verdict
from mlcore.engine.reading import source
from mlcore.engine.reading.source import Definition

# What no answer of the course comes near: beyond them it is the value that our own code chokes on.
MOST_NUMBERS = 10_000
MOST_AXES = 8
LARGEST = 1e50


def assess(exercise: Exercise, answers: tuple[Any, ...], seed: int = 0) -> Verdict:
    """The verdict on an answer in this process, on the draws of `seed`."""
    try:
        plan = exercise.plan(drawing(exercise, seed))
    except Exception as failure:
        return undrawn(exercise, collect(answers, without_draws(exercise)), reason(failure))
    written = [source.of_answer(answer) for answer in answers] if exercise.reads_source else []
    return judged(exercise, plan, collect(answers, plan, exercise.watch()), written)


def drawing(exercise: Exercise, seed: int = 0) -> np.random.Generator:
    """Where the draws of a seed come from: the student's own is 0."""
    return np.random.default_rng([zlib.crc32(exercise.name.encode()), seed])


def judged(
    exercise: Exercise, plan: Sequence[Call], replies: Sequence[Reply], written: Sequence[Definition | None] = ()
) -> Verdict:
    """The verdict on these replies, whatever they are."""
    try:
        return exercise.judge(plan, replies, written)
    except Exception as failure:
        return failed(exercise, replies, failure)


def failed(exercise: Exercise, replies: Sequence[Reply], failure: BaseException) -> Verdict:
    """Judging itself failed. Only a value out of all bounds is the answer's own trouble; else a person looks."""
    values = [reply.value for reply in replies if not (reply.untouched or reply.trouble)]
    if not isinstance(failure, NotJudged) and (excess := next(filter(None, map(_excess, values)), "")):
        return exercise.verdict(Finding(Outcome.UNUSABLE, f"Your answer cannot be compared: {excess}."), ())
    return exercise.not_judged(reason(failure))


def without_draws(exercise: Exercise) -> list[Call]:
    """What can be asked where the exercise has nothing to ask: is there an answer at all?"""
    return [Call(part) for part in range(exercise.parts)]


def undrawn(exercise: Exercise, replies: Sequence[Reply], why: str) -> Verdict:
    """The verdict where there is nothing to ask. No answer is no answer all the same."""
    if all(reply.untouched for reply in replies):
        return exercise.verdict(Finding(Outcome.NOT_ATTEMPTED, "There is no answer in the cell above."), ())
    return exercise.not_judged(why)


def reason(failure: BaseException) -> str:
    """Why the exercise failed, in half a line."""
    said = str(failure) if isinstance(failure, NotJudged) else f"{type(failure).__name__}: {failure}"
    return said[:200].strip().rstrip(".:")


def _excess(value: Any) -> str:
    """What is out of all bounds in a value, or ''."""
    try:
        arrays = [np.asarray(leaf) for leaf in _leaves(value)]
    except Exception:  # an object of the student's own making
        return "it is not made of numbers"
    if any(array.dtype.kind not in "buifcU" for array in arrays):
        return "it is not made of numbers"
    if (size := sum(array.size for array in arrays)) > MOST_NUMBERS:
        return f"it has {size:,} numbers"
    if any(array.ndim > MOST_AXES for array in arrays):
        return f"it has more than {MOST_AXES} axes"
    if any(np.any(np.isfinite(a) & (np.abs(a) > LARGEST)) for a in arrays if a.dtype.kind in "fc"):
        return f"it has a number beyond {LARGEST:g}"
    return ""


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value
