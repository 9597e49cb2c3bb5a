"""The mutation engine, and a small sample of its mutants for every exercise of the course."""

from __future__ import annotations

import textwrap
import time

import numpy as np
import pytest

from mlcore.authoring import mutation
from mlcore.authoring.mutants import mutants
from mlcore.course import catalogue
from mlcore.engine.exercises import Function, Mistake, close
from tests import toys

SAMPLE = 2  # mutants for each exercise; `python -m mlcore.authoring.mutation` tries all
EXERCISES = [
    pytest.param(topic, exercise.name, id=f"{topic.slug}-{exercise.name}")
    for topic in catalogue.topics()
    for exercise in topic.exercises
    if exercise.kind not in ("choice", "explanation")
]


@pytest.mark.parametrize(("topic", "name"), EXERCISES)
def test_a_sample_of_wrong_answers_is_rejected_and_none_is_misled(topic, name):
    tally = mutation.examine(mutation.stages(topic)[name], SAMPLE)
    assert tally.mutants
    assert tally.accepted == tally.misled == tally.wronged == []


def cell(body: str) -> str:
    return f"def f(x, y):\n    ### BEGIN SOLUTION\n{textwrap.indent(body, '    ')}\n    ### END SOLUTION\n"


def bodies(body: str) -> set[str]:
    """The mutated bodies, without the line that never changes."""
    return {textwrap.dedent(text.partition("\n")[2]).strip() for _, text in mutants(cell(body))}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x + 1", {"return x - 1", "return x", "return 1", "return x + 2", "return x + 0", "return y + 1"}),
        ("return x / y", {"return x * y", "return y / x"}),
        ("return x @ y", {"return x * y", "return y @ x"}),
        ("return -x", {"return x"}),
        ("return x.T", {"return x"}),
        ("return x < y", {"return x <= y", "return x > y"}),
        ("return np.dot(x, y)", {"return np.dot(y, x)"}),
        ("return x.sum(axis=0)", {"return x.mean(axis=0)", "return x.sum()", "return x.sum(axis=1)"}),
        ("return [i for i in range(x)]", {"return [i for i in range(x + 1)]", "return [i for i in range(x - 1)]"}),
        ("return x[1:]", {"return x[:]", "return x[2:]", "return x[0:]"}),
        ("return x[:, None]", {"return x"}),
        ("return x and y", {"return x or y", "return x", "return y"}),
        ("return 0.5 * x", {"return 1.0 * x", "return 1.5 * x"}),
        ("return x if y else 1", {"return x", "return 1"}),
    ],
)
def test_what_is_mutated(body, expected):
    assert expected <= bodies(body)


def test_only_the_solution_is_mutated():
    given = "def given(x):\n    return x + 1\n\n"
    found = [text for _, text in mutants(given + cell("return x * y"))]
    assert found
    assert all(text.startswith(given) for text in found)


def test_mutants_are_distinct_and_say_what_was_changed():
    found = list(mutants(cell("return x * x - 2 * y")))
    assert len({text for _, text in found}) == len(found)
    assert ("line 3: x * x → x / x", "def f(x, y):\n    return x / x - 2 * y") in found


def stage(body: str, reference, **options) -> mutation.Stage:
    """An exercise made up for the engine, with `body` as its solution."""

    def cases(rng):
        return [(rng.uniform(1, 2), int(rng.integers(2, 9))) for _ in range(3)]

    exercise = Function("made_up", asks="", points=1, reference=reference, cases=cases, **options)
    return mutation.Stage(toys.topic(exercise), exercise, {"np": np}, cell(body), "check.made_up(f)")


def test_a_sharp_exercise_rejects_every_mutant():
    tally = mutation.examine(stage("return x + y * 3", lambda x, y: x + 3 * y))
    assert tally.changed == tally.rejected > 5
    assert tally.accepted == tally.misled == tally.wronged == []


def test_a_blunt_exercise_accepts_some():
    tally = mutation.examine(stage("return x + 100", lambda x, y: x + 100, compare=close(rtol=0.015)))
    assert any("100 → 101" in text for text in tally.accepted)


def test_an_equivalent_mutant_is_not_counted_as_changed():
    tally = mutation.examine(stage("return y * max(x, 0)", lambda x, y: x * y))  # x is positive: max(x, 0) is x
    assert tally.mutants > tally.changed == tally.rejected


def test_a_wrong_diagnosis_is_found():
    """The tolerance is so wide that x/y is taken for the mistake, which it is not."""
    mistake = Mistake("This is the ratio, made a little larger.", lambda x, y: 1.01 * x / y)
    tally = mutation.examine(stage("return x * y", lambda x, y: x * y, mistakes=[mistake], compare=close(rtol=0.05)))
    assert any("x * y → x / y" in text for text in tally.misled)
    mistake = Mistake("This is the ratio.", lambda x, y: x / y)
    tally = mutation.examine(stage("return x * y", lambda x, y: x * y, mistakes=[mistake]))
    assert tally.diagnosed
    assert tally.misled == []


def test_endless_loops_and_endless_memory_are_stopped(monkeypatch):
    monkeypatch.setattr(mutation, "SECONDS", 0.2)
    start = time.perf_counter()
    tally = mutation.examine(stage("while y > 0:\n    y -= 1\nreturn x", lambda x, y: x))
    assert time.perf_counter() - start < 10
    assert tally.changed == tally.rejected > 1
    tally = mutation.examine(stage("return x + 0 * len(np.zeros(1 * 10**12 // 10**12))", lambda x, y: x))
    assert tally.changed == tally.rejected > 1


def test_a_topic_is_measured_in_other_processes():
    (tally,) = mutation.measure([catalogue.find("start_here")], sample=1)
    assert (tally.exercise, tally.mutants, tally.rejected) == ("slope", 1, 1)
