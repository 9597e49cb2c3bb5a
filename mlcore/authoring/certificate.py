"""The certificate: what the course promises of every exercise, each promise a function that tells how it is broken.

The solution is right; the untouched stub is "not attempted"; every catalogued mistake is rejected with its own sentence
and no other; every alternative is right; warnings cost nothing. All of them go the way that a student's answer takes;
the audit takes a shorter way, on many more seeds.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mlcore.authoring import chains, recorded, where
from mlcore.engine.asking.answers import Call, ask
from mlcore.engine.exercises import Function, Slip, Topic, close, diagnosis
from mlcore.engine.exercises.assess import assess, drawing
from mlcore.engine.exercises.evidence import argument_names
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.verdict import Outcome, Verdict

Seeds = Sequence[int]
Promise = Callable[[Topic, Exercise, Seeds], Iterator[str]]


def solution_is_right(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    at = where.solution(topic, exercise)
    answers = recorded.solutions(topic)[exercise.name]
    for seed in seeds:
        verdict = assess(exercise, answers, seed)
        if not verdict.right or verdict.points != exercise.points:
            yield f"{at}: the solution of {exercise.name} is refused on seed {seed}: {_told(verdict)}"
            return


def stub_is_not_attempted(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    verdict = assess(exercise, recorded.stubs(topic)[exercise.name])
    if verdict.outcome is not Outcome.NOT_ATTEMPTED or verdict.points:
        yield (
            f"{where.exercise(topic, exercise)}: the untouched stub of {exercise.name} is told {_told(verdict)}, "
            f"with {verdict.points:g} points"
        )


def card_names_the_arguments_as_the_stub_does(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    if not isinstance(exercise, Function | Slip):
        return  # its card shows no arguments
    args = exercise.plan(drawing(exercise))[0].args or ()
    shown = argument_names(inspect.signature(exercise.reference).parameters, args)
    given = [*inspect.signature(recorded.stubs(topic)[exercise.name][0]).parameters]
    if shown != given:
        yield (
            f"{where.exercise(topic, exercise)}: the stub of {exercise.name} takes ({', '.join(given)}), "
            f"its reference ({', '.join(shown)}): a card would name what the student does not have"
        )


def every_mistake_is_told_its_own_sentence(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    answers = recorded.solutions(topic)[exercise.name]
    for i, mistake in enumerate(exercise.mistakes):
        for seed in seeds:
            verdict = assess(exercise, put(answers, mistake.part, mistake.answer), seed)
            if verdict.finding.mistake == mistake.says and mistake.says in verdict.finding.says and not verdict.right:
                continue
            at = f"{where.mistake(topic, exercise, i)}: mistake {i + 1} of {exercise.name}"
            if verdict.right:
                yield f"{at} is accepted on seed {seed}: no case shows it"
            elif twin := _twin(exercise, i, seed):
                yield f"{at} and mistake {twin} agree on every draw: add a case on which they differ, or drop one"
            else:
                yield f"{at} is not told its own sentence on seed {seed}, but {_told(verdict)}"
            break


def every_alternative_is_right(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    answers = recorded.solutions(topic)[exercise.name]
    for i, other in enumerate(exercise.alternatives):
        for seed in seeds:
            verdict = assess(exercise, put(answers, other.part, other.answer), seed)
            if not verdict.right:
                at = f"{where.alternative(topic, exercise, i)}: alternative {i + 1} of {exercise.name}"
                yield f"{at} is refused on seed {seed}: {_told(verdict)}"
                break


def warnings_cost_nothing_and_are_shown(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    answers = recorded.solutions(topic)[exercise.name]
    if not any(map(callable, answers)):
        return  # a value cannot warn
    verdict = assess(exercise, tuple(_warning(a) if callable(a) else a for a in answers))
    if not verdict.right or not any("brittle" in note for note in verdict.notes):
        yield f"{where.exercise(topic, exercise)}: a warning in {exercise.name} costs points or is not shown"


PROMISES: tuple[Promise, ...] = (
    solution_is_right,
    stub_is_not_attempted,
    card_names_the_arguments_as_the_stub_does,
    every_mistake_is_told_its_own_sentence,
    every_alternative_is_right,
    warnings_cost_nothing_and_are_shown,
    *chains.PROMISES,
)


def examine(topic: Topic, exercise: Exercise, seeds: Seeds) -> Iterator[str]:
    """Every broken promise about an exercise, a line each."""
    for promise in PROMISES:
        yield from promise(topic, exercise, seeds)


def put(answers: tuple, part: int, answer: object) -> tuple:
    """The answers with another in one place."""
    return (*answers[:part], answer, *answers[part + 1 :])


def _told(verdict: Verdict) -> str:
    return f"{verdict.finding.says!r}"


def _twin(exercise: Exercise, index: int, seed: int) -> int:
    """The number of another mistake that gives the same numbers, or 0."""
    mine = exercise.mistakes[index]
    plan = exercise.plan(drawing(exercise, seed))
    calls = [call for call in plan if call.part == mine.part and call.args is not None]
    for i, other in enumerate(exercise.mistakes):
        rival = i != index and other.part == mine.part and other.says != mine.says
        if calls and rival and all(_agree(mine.answer, other.answer, call) for call in calls):
            return i + 1
    return 0


def _agree(one: Any, other: Any, call: Call) -> bool:
    return diagnosis.agree(ask(one, call), ask(other, call), close())


def _warning(answer: Callable) -> Callable:
    """The same answer from code that warns."""

    @functools.wraps(answer)
    def warned(*args: Any) -> Any:
        warnings.warn("this is brittle", UserWarning, stacklevel=1)
        return answer(*args)

    return warned
