"""From solutions/ to notebooks/: nothing leaks, nothing drifts, a rebuild gives the same bytes."""

import nbformat
import pytest

from mlcore import build
from mlcore.checks import _catalogue
from mlcore.errors import Problem
from tests.conftest import ROOT

SOURCES = [pytest.param(topic, path, id=topic.slug) for topic, path in build.sources(ROOT)]


def test_every_topic_has_a_source_and_every_source_a_topic():
    assert [topic for topic, _ in build.sources(ROOT)] == list(_catalogue.topics())


@pytest.mark.parametrize(("topic", "path"), SOURCES)
class TestTopic:
    def test_committed_notebook_is_what_the_source_gives(self, topic, path, tmp_path):
        committed = (ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb").read_text(encoding="utf-8")
        assert build.release(topic, path, tmp_path) == committed, "run `make build`"
        assert build.release(topic, path, tmp_path) == committed, "a rebuild gives the same bytes"

    def test_no_solution_leaks(self, topic, path):
        text = (ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb").read_text(encoding="utf-8")
        for mark in ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS", "MARK SCHEME", "seed="):
            assert mark not in text
        released = nbformat.reads(text, as_version=4)
        stubs = {c.id: c.source for c in released.cells if c.metadata.get("nbgrader", {}).get("solution")}
        for cell in build.solved(topic, path).cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                inside = cell.source.split("### BEGIN SOLUTION")[1:]
                assert inside, f"{cell.id} has no solution region"
                for region in inside:
                    for line in region.split("### END SOLUTION")[0].strip().splitlines():
                        assert len(line.strip()) < 12 or line.strip() not in stubs[cell.id]

    def test_exercises_stand_in_the_order_of_their_letters(self, topic, path):
        ids = [c.metadata.nbgrader.grade_id for c in build.solved(topic, path).cells if "nbgrader" in c.metadata]
        asked = [i for i in ids if not i.startswith("check_")]
        assert asked == [e.name for e in _catalogue.exercises(topic)]
        assert [i for i in ids if i.startswith("check_")] == [
            f"check_{e.name}" for e in _catalogue.exercises(topic) if e.parts
        ]

    def test_notebook_is_valid_and_without_outputs(self, topic, path):
        notebook = nbformat.read(ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb", as_version=4)
        nbformat.validate(notebook)
        ids = [cell.id for cell in notebook.cells]
        assert len(ids) == len(set(ids))
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)


def test_check_sees_drift_and_strays_and_writes_nothing(tmp_path):
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "00_start_here.py").write_bytes((ROOT / "solutions" / "00_start_here.py").read_bytes())
    (notebook,) = build.build(tmp_path)
    assert build.build(tmp_path, check=True) == []
    stray = notebook.with_name("copy.ipynb")
    stray.write_text("{}")
    backup = tmp_path / "notebooks" / ".ipynb_checkpoints" / "glossary-checkpoint.ipynb"
    backup.parent.mkdir()
    backup.write_text("{}")  # JupyterLab's own, no stray
    notebook.write_text(notebook.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert build.build(tmp_path, check=True) == [notebook, stray]
    assert notebook.read_text(encoding="utf-8").endswith(" ")


def test_students_folders_hold_notebooks_only():
    """nbgrader publishes every file of an assignment's folder."""
    files = [p for p in (ROOT / "notebooks").rglob("*") if p.is_file() and ".ipynb_checkpoints" not in p.parts]
    assert {p.suffix for p in files} == {".ipynb"}


class TestBadSources:
    def write(self, tmp_path, text, name="05_ridge.py"):
        path = tmp_path / "solutions" / name
        path.parent.mkdir()
        path.write_text(text)
        return build.sources(tmp_path)[0]

    def test_unknown_exercise(self, tmp_path):
        topic, path = self.write(tmp_path, "# %% exercise nothing\nx = 1\n")
        with pytest.raises(Problem, match=r"05_ridge.py: there is no exercise 'nothing'"):
            build.solved(topic, path)

    def test_check_without_exercise(self, tmp_path):
        topic, path = self.write(tmp_path, "# %% check\ncheck.x(x)\n")
        with pytest.raises(Problem, match="a 'check' cell before the first exercise"):
            build.solved(topic, path)

    def test_check_of_another_exercise(self, tmp_path):
        topic, path = self.write(tmp_path, "# %% exercise ridge_fit\nx = 1\n# %% check\ncheck.budget(x)\n")
        with pytest.raises(Problem, match="does not check it"):
            build.solved(topic, path)

    def test_unknown_kind_of_cell(self, tmp_path):
        topic, path = self.write(tmp_path, "# %% riddle ridge_fit\nx = 1\n")
        with pytest.raises(Problem, match="unknown kind of cell 'riddle'"):
            build.solved(topic, path)

    def test_wrong_number(self, tmp_path):
        with pytest.raises(Problem, match="no topic '06_ridge'"):
            self.write(tmp_path, "", name="06_ridge.py")

    def test_unclosed_solution(self, tmp_path):
        topic, path = self.write(tmp_path, "# %% exercise ridge_fit\n### BEGIN SOLUTION\nx = 1\n")
        with pytest.raises(Problem, match="nbgrader could not make the release"):
            build.release(topic, path, tmp_path / "build")
