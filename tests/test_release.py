"""The released notebook under a stock `nbgrader autograde`: solved it has full marks, untouched it has none."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from mlcore import build
from mlcore.checks import _catalogue
from tests.conftest import ROOT

TOPICS = [pytest.param(topic, path, id=topic.slug) for topic, path in build.sources(ROOT)]


def nbgrader(course: Path, *arguments: str) -> None:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def submit(course: Path, student: str, topic, notebook) -> None:
    target = course / "submitted" / student / topic.folder / f"{topic.slug}.ipynb"
    target.parent.mkdir(parents=True)
    nbformat.write(notebook, target)


@pytest.mark.parametrize(("topic", "path"), TOPICS)
def test_stock_nbgrader_gives_full_marks_and_none(topic, path, tmp_path):
    course = tmp_path
    (course / "nbgrader_config.py").write_text(
        "c = get_config()\n"
        f"c.ClearSolutions.code_stub = {{'python': {build.CODE_STUB!r}}}\n"
        f"c.ClearSolutions.text_stub = {build.TEXT_STUB!r}\n"
    )
    solved = build.solved(topic, path)
    source = course / "source" / topic.folder / f"{topic.slug}.ipynb"
    source.parent.mkdir(parents=True)
    nbformat.write(solved, source)
    nbgrader(course, "generate_assignment", topic.folder)

    # The student's side: the committed notebook, untouched, and with the solutions typed into its cells.
    committed = ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb"
    answers = {c.id: c.source for c in solved.cells if c.metadata.get("nbgrader", {}).get("solution")}
    submit(course, "blank", topic, nbformat.read(committed, as_version=4))
    filled = nbformat.read(committed, as_version=4)
    for cell in filled.cells:
        cell.source = answers.get(cell.id, cell.source)
    submit(course, "solved", topic, filled)
    nbgrader(course, "autograde", topic.folder)

    from nbgrader.api import Gradebook

    exercises = _catalogue.exercises(topic)
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        marks = {
            student: {
                g.name: g.auto_score for g in gradebook.find_submission(topic.folder, student).notebooks[0].grades
            }
            for student in ("blank", "solved")
        }
    assert marks["solved"] == {f"check_{e.name}": e.points for e in exercises if e.parts} | {
        e.name: None for e in exercises if not e.parts
    }, "full marks, and the explanation waits for a person"
    assert set(marks["blank"].values()) == {0}, "nothing done, nothing earned, not even for the untouched explanation"
