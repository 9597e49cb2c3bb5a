"""The certificate, for every exercise of the course: on four seeds, or on as many as MLCORE_SEEDS says."""

from __future__ import annotations

import os

import pytest

from mlcore.authoring import certificate
from mlcore.course import catalogue
from mlcore.engine.exercises import Alternative, Checks, Function, Mistake
from tests import toys

SEEDS = range(int(os.environ.get("MLCORE_SEEDS", 4)))
CHECKED = [pytest.param(t, e, id=f"{t.slug}-{e.name}") for t in catalogue.topics() for e in t.exercises if e.parts]


@pytest.mark.parametrize(("topic", "exercise"), CHECKED)
@pytest.mark.parametrize("promise", certificate.PROMISES, ids=lambda promise: promise.__name__)
def test_the_course_keeps_what_it_promises(promise, topic, exercise):
    assert list(promise(topic, exercise, SEEDS)) == []


def _cases(rng):
    return [(rng.uniform(1, 2),), (-rng.uniform(1, 2),)]


class TestEveryPromiseCanBeBroken:
    """By an exercise made up for it: x²."""

    def told(self, monkeypatch, solution=lambda x: x * x, stub=..., **options):
        exercise = Function("square", asks="x²", points=1, reference=lambda x: x**2, cases=_cases, **options)
        topic = toys.topic(exercise)
        for name, answer in (("solutions", solution), ("stubs", stub)):
            monkeypatch.setattr(certificate.recorded, name, lambda topic, answer=answer: {"square": (answer,)})
        for what in ("exercise", "solution", "mistake", "alternative"):
            monkeypatch.setattr(certificate.where, what, lambda *_: "here:1")
        seeds = range(2)
        return [line for promise in self.without_the_stub() for line in promise(topic, exercise, seeds)] + list(
            certificate.stub_is_not_attempted(topic, exercise, seeds)
        )

    def without_the_stub(self):
        names = [p for p in certificate.PROMISES if "stub" not in p.__name__]
        assert len(names) == len(certificate.PROMISES) - 2
        return names

    def test_a_sound_one_keeps_all(self, monkeypatch):
        mistakes = [Mistake("This is x.", lambda x: x), Mistake("This is x³.", lambda x: x**3)]
        assert self.told(monkeypatch, mistakes=mistakes, alternatives=[Alternative(lambda x: abs(x) ** 2)]) == []

    def test_a_solution_that_is_wrong(self, monkeypatch):
        told = self.told(monkeypatch, solution=lambda x: 2 * x)
        assert told[0].startswith("here:1: the solution of square is refused on seed 0: ")
        assert any("a warning in square costs points" in line for line in told)

    def test_a_stub_that_answers(self, monkeypatch):
        (told,) = self.told(monkeypatch, stub=lambda x: x * x)
        assert "the untouched stub of square is told" in told and told.endswith("with 1 points")

    def test_a_mistake_that_is_none(self, monkeypatch):
        (told,) = self.told(monkeypatch, mistakes=[Mistake("This is |x|².", lambda x: abs(x) ** 2)])
        assert told == "here:1: mistake 1 of square is accepted on seed 0: no case shows it"

    def test_two_mistakes_that_agree(self, monkeypatch):
        mistakes = [Mistake("This is x.", lambda x: x), Mistake("This is 2x/2.", lambda x: 2 * x / 2)]
        first, second = self.told(monkeypatch, mistakes=mistakes)
        assert first.startswith(
            "here:1: mistake 1 of square and mistake 2 agree on every draw: add a case on which they "
        )
        assert second.startswith("here:1: mistake 2 of square and mistake 1 agree")

    def test_an_alternative_that_is_refused(self, monkeypatch):
        (told,) = self.told(monkeypatch, alternatives=[Alternative(lambda x: x * abs(x))])
        assert told.startswith("here:1: alternative 1 of square is refused on seed 0: ")

    def test_other_names_in_the_stub(self, monkeypatch):
        exercise = Function("square", asks="x²", points=1, reference=lambda x: x**2, cases=_cases)
        monkeypatch.setattr(certificate.recorded, "stubs", lambda topic: {"square": (lambda t: None,)})
        monkeypatch.setattr(certificate.where, "exercise", lambda *_: "here:1")
        (told,) = certificate.card_names_the_arguments_as_the_stub_does(toys.topic(exercise), exercise, range(1))
        assert "the stub of square takes (t), its reference (x)" in told


def test_a_check_without_answers_says_so():
    with pytest.raises(AttributeError, match="99_made_up has no exercise 'circle'"):
        Checks(toys.topic(Function("square", asks="x²", points=1, reference=abs, cases=_cases))).circle(1)
