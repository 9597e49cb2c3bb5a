"""The released notebook under stock nbgrader's autograde: solved it has full marks, untouched it has none."""

import os
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from mlcore.course import build, source
from tests.conftest import ROOT

TOPICS = [pytest.param(topic, path, id=topic.slug) for topic, path in source.sources(ROOT)]


@pytest.fixture(scope="session")
def course(tmp_path_factory):
    """An empty course folder with nbgrader's own defaults, but for our stubs."""
    config = Config()
    config.CourseDirectory.root = str(tmp_path_factory.mktemp("nbgrader"))
    config.ClearSolutions.code_stub = {"python": build.CODE_STUB}
    config.ClearSolutions.text_stub = build.TEXT_STUB
    with pytest.MonkeyPatch.context() as patch:  # nbgrader looks for alembic on the path
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        yield Path(config.CourseDirectory.root), NbGraderAPI(config=config)


def succeed(result: dict) -> None:
    assert result["success"], result["log"][-3000:] + (result.get("error") or "")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("topic", "path"), TOPICS)
def test_stock_nbgrader_gives_full_marks_and_none(topic, path, course, monkeypatch):
    folder, nbgrader = course
    monkeypatch.chdir(folder)
    solved = build.solved(topic, path)
    write(solved, folder / "source" / topic.folder / f"{topic.slug}.ipynb")
    succeed(nbgrader.generate_assignment(topic.folder))

    # The student's side: the committed notebook, untouched, and with the solutions typed into its cells.
    committed = ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb"
    answers = {c.id: c.source for c in solved.cells if c.metadata.get("nbgrader", {}).get("solution")}
    filled = nbformat.read(committed, as_version=4)
    for cell in filled.cells:
        cell.source = answers.get(cell.id, cell.source)
    marks = {}
    for student, notebook in (("blank", nbformat.read(committed, as_version=4)), ("solved", filled)):
        write(notebook, folder / "submitted" / student / topic.folder / f"{topic.slug}.ipynb")
        succeed(nbgrader.autograde(topic.folder, student))
        with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
            (graded,) = gradebook.find_submission(topic.folder, student).notebooks
            marks[student] = {grade.name: grade.auto_score for grade in graded.grades}

    exercises = topic.exercises
    by_check = {f"check_{e.name}": e.points for e in exercises if e.parts}
    by_hand = {e.name: None for e in exercises if not e.parts}
    assert marks["solved"] == by_check | by_hand, "full marks, and the explanation waits for a person"
    assert set(marks["blank"].values()) == {0}, "nothing done, nothing earned, not even for the untouched explanation"


def write(notebook, path: Path) -> None:
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
