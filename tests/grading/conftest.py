"""What the tests of the grader share: one notebook, one sandbox, and a way to grade what a student might hand in."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from mlcore.course import catalogue
from mlcore.grading.inside import Limits
from mlcore.grading.marking import Result, Task, grade
from mlcore.grading.sandbox import Sandbox
from mlcore.grading.simulate import Answers, fill
from mlcore.grading.submission import Release
from tests.conftest import ROOT

KEY = b"a course's secret"
QUICK = Limits(seconds=30, cell_seconds=2.5, memory=256, processes=32, file_size=8, scratch=16)


@dataclass
class Bench:
    """The ridge notebook on the grader's bench."""

    sandbox: Sandbox
    text: str
    answers: Answers

    @property
    def solved(self) -> dict[str, str]:
        return {e.name: self.answers.solved(e).source for e in self.answers.exercises}

    def notebook(self, answers: dict[str, str]) -> dict:
        """A submission with these answers; the rest is blank."""
        return json.loads(fill(self.text, answers))

    def grade(self, notebook: dict | bytes | str, student: str = "ada") -> Result:
        data = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
        return grade(self.task(data, student), self.sandbox)

    def task(self, notebook: bytes, student: str = "ada") -> Task:
        return Task(student, "05_ridge", notebook, self.text, KEY)


@pytest.fixture(scope="session")
def ridge() -> tuple[str, Answers]:
    topic = catalogue.find("ridge")
    text = (ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb").read_text(encoding="utf-8")
    return text, Answers(topic, ROOT / "solutions" / f"{topic.folder}.py", Release(text))


@pytest.fixture(scope="session")
def bench(bubblewrap, ridge):
    sandbox = Sandbox(QUICK, number=1)
    yield Bench(sandbox, *ridge)
    sandbox.close()


def marks(result: Result) -> dict[str, float]:
    return {verdict.name: verdict.points for verdict in result.verdicts}


def insert(notebook: dict, code: str, before: str = "normal_equations") -> dict:
    """The notebook with a cell of the student's own in front of an exercise's answer."""
    index = next(i for i, cell in enumerate(notebook["cells"]) if grade_id(cell) == before)
    cell = {"cell_type": "code", "metadata": {}, "source": code, "outputs": [], "execution_count": None}
    notebook["cells"].insert(index, cell)
    return notebook


def grade_id(cell: dict) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")
