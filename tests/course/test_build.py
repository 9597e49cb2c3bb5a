"""From solutions/ to notebooks/: nothing leaks, nothing drifts, a rebuild gives the same bytes."""

import nbformat
import pytest

from mlcore.course import build, catalogue, source
from mlcore.engine.errors import Problem
from tests.conftest import ROOT

SOURCES = [pytest.param(topic, path, id=topic.slug) for topic, path in source.sources(ROOT)]


def test_every_topic_has_a_source_and_every_source_a_topic():
    assert [topic for topic, _ in source.sources(ROOT)] == list(catalogue.topics())


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
        assert asked == [e.name for e in topic.exercises]
        assert [i for i in ids if i.startswith("check_")] == [f"check_{e.name}" for e in topic.exercises if e.parts]

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
    """The source of ridge, damaged: each time one line, with the file and the line."""

    def told(self, tmp_path, old="", new="", name="05_ridge.py"):
        """What the build says, and the lines of the damaged source."""
        text = (ROOT / "solutions" / "05_ridge.py").read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / "solutions" / name
        path.parent.mkdir()
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(Problem) as problem:
            build.build(tmp_path)
        assert "\n" not in str(problem.value)
        return str(problem.value), ["", *path.read_text(encoding="utf-8").splitlines()]

    def line(self, told, lines, start):
        """The line that is told begins so."""
        file, number, says = told.split(":", 2)
        assert file in ("solutions/05_ridge.py", "mlcore/checks/ridge.py")
        assert lines[int(number)].startswith(start)
        return says.strip()

    @pytest.mark.parametrize(
        ("old", "new", "at", "says"),
        [
            (
                "# %% exercise budget\n",
                "# %% exercise nothing\n",
                "# %% exercise nothing",
                "there is no exercise 'nothing'",
            ),
            ("# %% exercise ridge_fit\n", "# %% riddle ridge_fit\n", "# %% riddle", "unknown kind of cell 'riddle'"),
            ("check.budget(", "check.ridge_fit(", "# %% check", "the check cell after budget does not check it"),
            ("    ### END SOLUTION\n", "", "# %% exercise", "must stand in pairs"),
            ("    ### BEGIN SOLUTION\n", "", "# %% exercise", "must stand in pairs"),
            ("import numpy as np\n", "import numpy as as np\n", "import numpy as as", "SyntaxError: invalid syntax"),
            ("# %% hint [markdown]\n", "# %% [markdown]\n", "# %% check", "normal_equations has no 'hint' cell"),
            ("# %% title [markdown]\n", "# %% [markdown]\n", "# %% [markdown]", "begins with its one `# %% title"),
            ("# %% task budget [markdown]\n", "# %% task budget\n", "# %% task budget", "a 'task' cell is text"),
            (
                "# %% task ridge_fit [mark",
                "# %% task ridge_svd [mark",
                "# %% task ridge_svd",
                "ridge_svd has no 'exercise' cell",
            ),
            ("# %% title [markdown]\n", "# %% check\n", "# %% check", "a 'check' cell before the first exercise"),
        ],
    )
    def test_is_told_with_its_line(self, tmp_path, old, new, at, says):
        assert says in self.line(*self.told(tmp_path, old, new), at)

    def test_an_exercise_in_another_place(self, tmp_path):
        """The cells of two neighbours exchanged: the letters would be in disorder."""
        text = (ROOT / "solutions" / "05_ridge.py").read_text(encoding="utf-8")
        cells = [text.index(f"# %% task {name} ") for name in ("ridge_svd", "ridge_freedom", "map_penalty")]
        one, two = text[cells[0] : cells[1]], text[cells[1] : cells[2]]
        says = self.line(*self.told(tmp_path, one + two, two + one), "# %% task ridge_freedom")
        assert says == "ridge_freedom stands where the list in mlcore/checks/ridge.py has ridge_svd"

    def test_an_exercise_without_a_cell(self, tmp_path):
        text = (ROOT / "solutions" / "05_ridge.py").read_text(encoding="utf-8")
        one, two = (text.index(f"# %% task {name} ") for name in ("ridge_svd", "ridge_freedom"))
        told, _ = self.told(tmp_path, text[one:two], "")
        declared = ["", *(ROOT / "mlcore" / "checks" / "ridge.py").read_text(encoding="utf-8").splitlines()]
        assert self.line(told, declared, "ridge_svd = ") == "ridge_svd has no cells in solutions/05_ridge.py"

    def test_an_exercise_twice(self, tmp_path):
        text = (ROOT / "solutions" / "05_ridge.py").read_text(encoding="utf-8")
        one, two, end = (text.index(f"# %% task {name} ") for name in ("ridge_svd", "ridge_freedom", "map_penalty"))
        says = self.line(*self.told(tmp_path, text[two:end], text[two:end] + text[one:two]), "# %% task ridge_svd")
        assert says.startswith("ridge_svd is here twice")

    def test_a_wrong_number(self, tmp_path):
        told, _ = self.told(tmp_path, name="06_ridge.py")
        assert told == "solutions/06_ridge.py:1: ridge has the number 5: call the file 05_ridge.py"

    def test_no_topic(self, tmp_path):
        told, _ = self.told(tmp_path, name="05_fridge.py")
        assert told == "solutions/05_fridge.py:1: there is no topic 'fridge': mlcore/checks/fridge.py is missing"

    def test_the_others_are_built_all_the_same(self, tmp_path):
        (tmp_path / "solutions").mkdir()
        for name, text in (("00_start_here.py", None), ("05_ridge.py", "x = (")):
            text = text or (ROOT / "solutions" / name).read_text(encoding="utf-8")
            (tmp_path / "solutions" / name).write_text(text, encoding="utf-8")
        with pytest.raises(Problem, match=r"solutions/05_ridge.py:1: SyntaxError: '\(' was never closed"):
            build.build(tmp_path)
        assert (tmp_path / "notebooks" / "00_start_here" / "start_here.ipynb").is_file()

    def test_a_row_of_the_glossary(self, tmp_path):
        (tmp_path / "solutions").mkdir()
        text = (ROOT / "solutions" / "05_ridge.py").read_text(encoding="utf-8")
        (tmp_path / "solutions" / "05_ridge.py").write_text(text.replace("# | $J$ | what", "# | $J$ what", 1))
        (tmp_path / "solutions" / "glossary.md").write_text("# Glossary\n\n## Models of regression\n")
        with pytest.raises(Problem, match=r"solutions/05_ridge.py:\d+: a row of the glossary is `\| symbol"):
            build.build(tmp_path)
