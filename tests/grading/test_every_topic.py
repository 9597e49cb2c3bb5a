"""Every topic through the grader: a solved, a blank and a mistaken notebook get exactly what they are worth."""

from __future__ import annotations

import pytest

from mlcore.course import source
from mlcore.engine.exercises.verdict import Outcome
from mlcore.grading.inside import Limits
from mlcore.grading.marking import Task, grade
from mlcore.grading.sandbox import Sandbox
from mlcore.grading.simulate import Answers, fill
from mlcore.grading.submission import Release
from tests.conftest import ROOT

TOPICS = [pytest.param(topic, path, id=topic.slug) for topic, path in source.sources(ROOT)]


@pytest.fixture(scope="module")
def sandbox(bubblewrap):
    sandbox = Sandbox(Limits(seconds=120, cell_seconds=30), number=2)
    yield sandbox
    sandbox.close()


@pytest.mark.parametrize(("topic", "path"), TOPICS)
def test_solved_blank_and_mistaken(topic, path, sandbox):
    text = (ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb").read_text(encoding="utf-8")
    answers = Answers(topic, path, Release(text))

    def graded(chosen):
        notebook = fill(text, {name: answer.source for name, answer in chosen.items()})
        result = grade(Task("ada", topic.folder, notebook.encode(), text, b"key"), sandbox)
        assert result.problem == "" and result.notes == []
        return {v.name: (v.points, str(v.outcome), v.finding.mistake) for v in result.verdicts}

    def truth(chosen):
        return {name: (answer.points, str(answer.outcome), answer.mistake) for name, answer in chosen.items()}

    solved = {e.name: answers.solved(e) for e in answers.exercises}
    blank = {e.name: answers.blank(e) for e in answers.exercises}
    mistaken = dict(solved)
    for e in answers.exercises:
        wrong = list(answers.mistakes(e))
        # An answer that calls another exercise's is right only if that one is.
        needed = any(e.name in answers.needs(other, solved[other.name]) for other in answers.exercises)
        if wrong and not needed:
            mistaken[e.name] = wrong[len(e.name) % len(wrong)]
    assert graded(solved) == truth(solved)
    assert graded(blank) == truth(blank)
    assert graded(mistaken) == truth(mistaken)
    assert any(answer.outcome is not Outcome.RIGHT for answer in mistaken.values())
