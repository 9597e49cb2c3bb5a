"""An exercise that fails itself is never the student's fault: a person is asked, and no points are lost on the way."""

from __future__ import annotations

import csv
import html
import io
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mlcore.checks import ridge
from mlcore.course import catalogue
from mlcore.engine.asking.answers import Call, Reply
from mlcore.engine.exercises import Function, Law, Property
from mlcore.engine.exercises.card import card
from mlcore.engine.exercises.checks import NotYet
from mlcore.engine.exercises.verdict import Outcome
from mlcore.grading import feedback, marking
from mlcore.grading.gradebook import Ledger
from mlcore.grading.simulate import fill, simulate
from tests.conftest import ROOT
from tests.grading.conftest import insert, marks
from tests.grading.test_class import stored, truth

pytestmark = [pytest.mark.xdist_group("unjudged"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]

TOPIC = catalogue.find("ridge")
STUDENTS = 6
WHY = "the reference raised LinAlgError: it collapses"
SAYS = f"This exercise could not be judged, which is not the answer's fault: {WHY}."


def outcomes(result: marking.Result) -> dict[str, Outcome]:
    return {v.name: v.outcome for v in result.verdicts}


class TestOneSubmission:
    """Graded in the real sandbox, with an exercise that has been broken."""

    @pytest.fixture
    def worth(self, bench) -> dict[str, float]:
        return {e.name: float(e.points) for e in bench.answers.exercises}

    def test_a_reference_that_raises_on_some_draws_is_drawn_again(self, bench, worth, monkeypatch):
        whole, refused = ridge.ridge_fit.reference, []

        def moody(X, y, lam, w0):
            if len(y) > 3 and (y[0] > 5 or lam > 2.5):
                refused.append(1)
                raise ArithmeticError("it collapses")
            return whole(X, y, lam, w0)

        monkeypatch.setattr(ridge.ridge_fit, "reference", moody)
        assert marks(bench.grade(bench.notebook(bench.solved))) == worth
        assert refused

    def not_judged(self, bench, worth, why: str) -> None:
        result = bench.grade(bench.notebook(bench.solved))
        assert outcomes(result) == dict.fromkeys(worth, Outcome.RIGHT) | {"ridge_fit": Outcome.NOT_JUDGED}
        assert marks(result) == worth | {"ridge_fit": 0.0}, "the others keep their marks"
        assert result.problem == "" and result.notes == []
        assert result.judged_out_of == sum(worth.values()) - worth["ridge_fit"]
        assert why in next(v.finding.says for v in result.verdicts if v.name == "ridge_fit")

    def test_a_reference_that_always_raises(self, bench, worth, monkeypatch):
        monkeypatch.setattr(ridge.ridge_fit, "reference", lambda X, y, lam, w0: 1 / 0)
        self.not_judged(bench, worth, "the reference raised ZeroDivisionError: division by zero")
        blank = bench.grade(bench.notebook({}))
        assert set(outcomes(blank).values()) == {Outcome.NOT_ATTEMPTED}, "where there is no answer nobody has to look"

    def test_an_answer_in_a_cell_of_one_s_own_is_an_answer(self, bench, monkeypatch):
        monkeypatch.setattr(ridge.ridge_fit, "reference", lambda X, y, lam, w0: 1 / 0)
        own = insert(bench.notebook({}), f"import numpy as np\n{bench.solved['ridge_fit']}", before="check_ridge_fit")
        assert outcomes(bench.grade(own))["ridge_fit"] is Outcome.NOT_JUDGED

    def test_a_reference_that_raises_only_when_answers_are_compared(self, bench, worth, monkeypatch):
        whole, calm = ridge.ridge_fit.reference, []

        def tires(X, y, lam, w0):
            if len(calm) == at_most:
                raise RuntimeError("enough")
            calm.append(1)
            return whole(X, y, lam, w0)

        at_most = 10**6
        monkeypatch.setattr(ridge.ridge_fit, "reference", tires)
        ridge.ridge_fit.plan(marking.draws(bench.task(b""), "ridge_fit"))
        at_most = 2 * len(calm)
        self.not_judged(bench, worth, "the reference raised RuntimeError: enough")

    def test_cases_that_cannot_be_drawn(self, bench, worth, monkeypatch):
        monkeypatch.setattr(ridge.ridge_fit, "cases", lambda rng: rng.normal(size=3).reshape(2, 2))
        self.not_judged(bench, worth, "ValueError: cannot reshape")

    def test_a_reference_that_never_ends(self, bench, worth, monkeypatch):
        """It swallows no alarm, and takes none of the student's time."""
        monkeypatch.setattr(marking, "PLAN_SECONDS", 1)
        monkeypatch.setattr(ridge.ridge_fit, "reference", lambda X, y, lam, w0: time.sleep(600))
        self.not_judged(bench, worth, "OutOfTime: more than 1 s")

    def test_the_page_and_the_card_say_that_a_person_looks(self, bench, monkeypatch):
        monkeypatch.setattr(ridge.ridge_fit, "reference", lambda X, y, lam, w0: 1 / 0)
        result = bench.grade(bench.notebook(bench.solved))
        page = feedback.page(TOPIC, "ada", result.cells, {"two_halves": 3.0})
        assert "so far; 1 answer waits for a person" in page
        assert "aria-label='5b ridge_fit: could not be judged, a person looks'" in page
        assert "Could not be judged · not your fault" in page
        assert "It costs no points: a person looks at your answer." in page
        assert "mlc-no" not in page.partition("id='ridge_fit'")[2].partition("</section>")[0].partition("</style>")[2]
        marked = feedback.page(
            TOPIC, "ada", result.cells, {"two_halves": 3.0}, {"ridge_fit": "<b>"}, {"ridge_fit": 1.5}
        )
        total = sum(e.points for e in bench.answers.exercises) + 3
        assert f"<b>{total - 0.5:g} of {total:g} points</b></p>" in marked
        assert "1.5 of 2 points, marked by a person</b> &lt;b&gt;" in marked


class TestWhoseFault:
    """A student's value that our own code chokes on: theirs if it is out of all bounds, else a person looks."""

    def verdict(self, law, value, exercise=None):
        exercise = exercise or Property("made_up", asks="a value", points=2, laws=[Law("It does not hold.", law)])
        return marking._verdict(exercise, (marking.Question([Call(0)], ""), [Reply(value=value)]))

    @pytest.mark.parametrize("value", [1.0, np.ones(3), np.ones((9_000,)), np.ones((2, 3, 4)), -1e40])
    def test_a_law_that_raises_on_an_ordinary_value(self, value):
        verdict = self.verdict(lambda v: 1 / 0, value)
        assert verdict.outcome is Outcome.NOT_JUDGED and verdict.points == 0
        assert "ZeroDivisionError: division by zero" in verdict.finding.says

    @pytest.mark.parametrize(
        ("value", "says"),
        [
            (np.ones(20_000), "it has 20,000 numbers"),
            (np.ones((1,) * 12), "it has more than 8 axes"),
            (np.array([1.0, 1e80]), "it has a number beyond 1e+50"),
        ],
    )
    @pytest.mark.parametrize("fails", ["raises", "hangs", "hoards"])
    def test_on_a_value_out_of_all_bounds(self, value, says, fails, monkeypatch):
        monkeypatch.setattr(marking, "JUDGE_SECONDS", 1)

        def law(v):
            if fails == "hangs":
                time.sleep(60)
            raise MemoryError if fails == "hoards" else IndexError

        verdict = self.verdict(law, value)
        assert verdict.outcome is Outcome.UNUSABLE and verdict.points == 0
        assert says in verdict.finding.says

    def test_a_comparison_that_never_ends_on_an_ordinary_value(self, monkeypatch):
        monkeypatch.setattr(marking, "JUDGE_SECONDS", 1)
        verdict = self.verdict(lambda v: time.sleep(60), 1.0)
        assert verdict.outcome is Outcome.NOT_JUDGED and "OutOfTime: more than 1 s" in verdict.finding.says

    def test_a_slow_reference_is_not_taken_for_one_that_raises(self, monkeypatch):
        """The alarm passes through whoever catches exceptions, and rings once."""
        monkeypatch.setattr(marking, "JUDGE_SECONDS", 1)
        slow = Function("slow", asks="x", points=1, reference=lambda: time.sleep(60), cases=lambda rng: [])
        began = time.monotonic()
        assert self.verdict(None, 1.0, slow).outcome is Outcome.NOT_JUDGED
        assert time.monotonic() - began < 5


# The whole way, by the commands: a copy of mlcore whose exercise is broken, and the same class.

BROKEN = """

def _collapses(X, y, lam, w0):
    raise np.linalg.LinAlgError("it collapses")


ridge_fit.reference = _collapses
"""


def copied(folder: Path, more: str = "") -> Path:
    """A course's folder with an mlcore of its own, whose exercises on ridge end with `more`."""
    shutil.copytree(ROOT / "mlcore", folder / "mlcore", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("notebooks", "solutions"):
        (folder / name).symlink_to(ROOT / name)
    exercises = folder / "mlcore" / "checks" / "ridge.py"
    exercises.write_text(exercises.read_text(encoding="utf-8") + more, encoding="utf-8")
    return folder


def mlcore(home: Path, *words: object, **more: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(home), "PYTHONWARNINGS": "ignore", "COLUMNS": "200", **more}
    command = [sys.executable, "-m", "mlcore", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, cwd=home)


@pytest.fixture(scope="module")
def broken(tmp_path_factory) -> Path:
    return copied(tmp_path_factory.mktemp("broken"), BROKEN)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pristine") / "course"
    simulate(folder, TOPIC, STUDENTS, seed=7)
    return folder


@pytest.fixture(scope="module")
def run(bubblewrap, broken, pristine, tmp_path_factory):
    folder = Path(shutil.copytree(pristine, tmp_path_factory.mktemp("unjudged") / "course"))
    return folder, mlcore(broken, "grade", folder)


@pytest.fixture
def graded(run, tmp_path) -> Path:
    return Path(shutil.copytree(run[0], tmp_path / "course"))


def answered(folder: Path) -> list[str]:
    """Who wrote something for ridge_fit."""
    return sorted(s for s, entries in truth(folder).items() if entries["ridge_fit"]["outcome"] != "not attempted")


def expected(folder: Path) -> dict[str, dict]:
    """The truth, but for what could not be judged."""
    nothing = {"points": 0, "outcome": "could not be judged", "mistake": ""}
    return {
        student: entries | ({"ridge_fit": nothing} if student in answered(folder) else {})
        for student, entries in truth(folder).items()
    }


def mark_by_hand(folder: Path, students: list[str], score: float) -> None:
    """As formgrader does it."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "mlcore") as book:
        for student in students:
            grade = book.find_grade("check_ridge_fit", "ridge", "05_ridge", student)
            grade.manual_score, grade.needs_manual_grade = score, False
        book.db.commit()


class TestClass:
    def test_summary_and_exit_status(self, run):
        folder, done = run
        assert done.returncode == 1, done.stdout + done.stderr
        count = len(answered(folder))
        assert 1 < count <= STUDENTS
        assert f"05_ridge ridge_fit waits for a person, for {count} students: {SAYS}" in done.stdout.splitlines()
        assert f"{STUDENTS} graded." in done.stdout and "with a problem" not in done.stdout

    def test_everything_else_has_its_marks(self, run):
        assert stored(run[0]) == expected(run[0])

    def test_gradebook_asks_a_person(self, run):
        from nbgrader.api import Gradebook

        folder = run[0]
        with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "mlcore") as book:
            for student in truth(folder):
                grade = book.find_grade("check_ridge_fit", "ridge", "05_ridge", student)
                waits = student in answered(folder)
                assert (grade.auto_score, grade.needs_manual_grade) == ((None, True) if waits else (0.0, False))
                (notebook,) = book.find_submission("05_ridge", student).notebooks
                assert notebook.needs_manual_grade or not waits

    def test_a_second_run_still_says_so(self, broken, graded):
        done = mlcore(broken, "grade", graded)
        assert done.returncode == 1
        assert f"{STUDENTS} unchanged since the last run" in done.stdout and SAYS in done.stdout
        alone = mlcore(broken, "grade", graded, "--student", answered(graded)[0])
        assert "waits for a person, for 1 student:" in alone.stdout

    def test_a_repaired_exercise_is_graded_again(self, graded):
        done = mlcore(ROOT, "grade", graded)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{STUDENTS} graded." in done.stdout
        assert stored(graded) == truth(graded)

    def test_a_person_s_mark_settles_it(self, broken, graded):
        students = answered(graded)
        mark_by_hand(graded, students, 1.5)
        done = mlcore(broken, "grade", graded)
        assert done.returncode == 0 and "waits for a person" not in done.stdout
        with Ledger(f"sqlite:///{graded / 'gradebook.db'}", "mlcore") as ledger:
            for record in ledger.records():
                rest = sum(e["points"] for name, e in truth(graded)[record.student].items() if name != "ridge_fit")
                assert record.points == rest + 1.5 * (record.student in students)
        assert mlcore(broken, "feedback", graded).returncode == 0
        page = graded / "feedback" / students[0] / "05_ridge" / "ridge.html"
        assert "1.5 of 2 points, marked by a person" in page.read_text(encoding="utf-8")
        assert "ridge_fit" not in feedback.read(page)["waiting"]

    def test_report(self, broken, graded):
        assert mlcore(broken, "report", graded).returncode == 0
        page = (graded / "report.html").read_text(encoding="utf-8")
        count = len(answered(graded))
        assert f"</a>, {count} students. {html.escape(SAYS)}</li>" in page
        assert f"could not be judged {count}'>" in page, "the bar"
        assert page.count("<td class='open' title='could not be judged'>?</td>") == count
        mark_by_hand(graded, answered(graded), 2.0)
        assert mlcore(broken, "report", graded).returncode == 0
        assert "class='unjudged'" not in (graded / "report.html").read_text(encoding="utf-8")

    def test_exports_tell_what_is_missing(self, broken, graded):
        def exported(*words):
            done = mlcore(broken, "export", graded, *words)
            assert done.returncode == 0, done.stderr
            return {row["student_id"]: int(row["waiting"]) for row in csv.DictReader(io.StringIO(done.stdout))}, done

        before, done = exported()
        assert (
            f"{sum(before.values())} answers wait for a person: what has no mark yet counts as 0 here." in done.stderr
        )
        mark_by_hand(graded, answered(graded), 2.0)
        after, _ = exported()
        assert {s: before[s] - after[s] for s in before} == {s: int(s in answered(graded)) for s in before}
        for form in ("canvas", "moodle"):
            assert "wait for a person" in mlcore(broken, "export", graded, "--format", form).stderr

    def test_feedback_page_in_the_terminal(self, broken, run):
        folder, _ = run
        student = answered(folder)[0]
        page = folder / "feedback" / student / "05_ridge" / "ridge.html"
        assert "ridge_fit" in feedback.read(page)["waiting"]
        done = mlcore(broken, "feedback", page)
        assert "could not be judged" in done.stdout and "–/2" in done.stdout

    def test_a_simulated_class_is_the_same_again(self, pristine, tmp_path):
        """What a simulated class is asked follows from its seed: no run of the tests is luckier than another."""
        simulate(tmp_path / "course", TOPIC, STUDENTS, seed=7)
        names = ("truth.json", ".mlcore/key", *(f"submitted/{s}/05_ridge/ridge.ipynb" for s in truth(pristine)))
        for name in names:
            assert (tmp_path / "course" / name).read_bytes() == (pristine / name).read_bytes(), name
        simulate(tmp_path / "another", TOPIC, 1, seed=8)
        assert (tmp_path / "another/.mlcore/key").read_bytes() != (pristine / ".mlcore/key").read_bytes()
        assert (pristine / ".mlcore/key").stat().st_mode & 0o777 == 0o600


class TestStudentSide:
    @pytest.fixture
    def failing(self, monkeypatch, tmp_path):
        monkeypatch.setenv("MLCORE_HOME", str(tmp_path / "home"))
        monkeypatch.setattr(ridge.ridge_fit, "reference", lambda X, y, lam, w0: 1 / 0)
        return tmp_path / "home" / "progress.json"

    def test_the_card_accuses_nobody(self, failing):
        with pytest.raises(NotYet) as raised:
            ridge.check.ridge_fit(lambda X, y, lam, w0: w0)
        assert str(raised.value).startswith("? 5b ridge_fit: Could not be judged · not your fault\n")
        assert "a person looks at your answer" in str(raised.value)
        shown = card(raised.value.verdict)
        assert "class='mlc mlc-open'" in shown and "✗" not in shown and "0 of 2" not in shown
        assert not failing.exists(), "no attempt is counted"

    def test_no_answer_is_no_answer(self, failing):
        with pytest.raises(NotYet, match="Not attempted yet"):
            ridge.check.ridge_fit(...)

    def test_what_was_right_before_stays_right(self, failing, monkeypatch):
        with monkeypatch.context() as mended:
            mended.setattr(ridge.ridge_fit, "reference", lambda X, y, lam, w0: w0)
            ridge.check.ridge_fit(lambda X, y, lam, w0: w0)
        before = failing.read_text(encoding="utf-8")
        with pytest.raises(NotYet):
            ridge.check.ridge_fit(lambda X, y, lam, w0: w0)
        assert failing.read_text(encoding="utf-8") == before

    def test_check_does_not_count_it_as_wrong(self, broken, bench, tmp_path):
        path, home = tmp_path / "ridge.ipynb", str(tmp_path / "home")
        path.write_text(fill(bench.text, bench.solved), encoding="utf-8")
        done = mlcore(broken, "check", path, MLCORE_HOME=home)
        assert done.returncode == 0, done.stdout + done.stderr
        worth = sum(e.points for e in bench.answers.exercises if e.name != "ridge_fit")
        assert f"ridge: {worth} of {worth} points" in done.stdout
        assert "could not be judged" in done.stdout and "–/2" in done.stdout
        assert "ridge_fit" not in (tmp_path / "home" / "progress.json").read_text(encoding="utf-8")
        handed = mlcore(broken, "submit", path, "--to", tmp_path, MLCORE_HOME=home)
        assert handed.returncode == 0
        assert "ridge_fit" not in handed.stdout.partition("Still missing:")[2].partition("\n")[0]
