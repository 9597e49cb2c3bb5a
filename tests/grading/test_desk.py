"""The instructor's desk: a cluster, a real database, other systems' columns, a new course, the student's side of it."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pytest

from mlcore.course import catalogue
from mlcore.engine.errors import Problem
from mlcore.grading import classroom, cluster, courses, export
from mlcore.grading.gradebook import Ledger
from mlcore.grading.inside import Limits
from mlcore.grading.simulate import simulate
from mlcore.grading.workers import Rules
from tests.conftest import ROOT
from tests.grading.test_class import ENVIRONMENT, mlcore, stored, truth
from tests.grading.test_unjudged import BROKEN, answered, copied, expected
from tests.ports import free_port
from tests.programs import POSTGRESQL

pytestmark = [pytest.mark.xdist_group("desk"), pytest.mark.filterwarnings("ignore")]

STUDENTS = 10
WORTH = sum(e.points for e in catalogue.find("ridge").exercises)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pristine") / "course"
    simulate(folder, catalogue.find("ridge"), STUDENTS, seed=11)
    return folder


@pytest.fixture
def fresh(pristine, tmp_path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "course"))


@pytest.fixture(scope="module")
def graded(pristine, tmp_path_factory) -> Path:
    folder = Path(shutil.copytree(pristine, tmp_path_factory.mktemp("graded") / "course"))
    done = mlcore("grade", folder, "--no-sandbox")  # what follows needs the marks, not the walls
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class TestCluster:
    """A scheduler and two workers, started with the ordinary commands."""

    @pytest.fixture(scope="class")
    def address(self, tmp_path_factory):
        folder = tmp_path_factory.mktemp("dask")
        address = f"tcp://127.0.0.1:{free_port()}"
        with contextlib.ExitStack() as stack:
            log = stack.enter_context((folder / "log").open("w"))
            dask = [sys.executable, "-m", "dask"]
            commands = [
                [*dask, "scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--no-dashboard"]
            ]
            worker = [*dask, "worker", address, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
            commands += [[*worker, "--local-directory", str(folder)]] * 2
            for command in commands:
                process = subprocess.Popen(command, stdout=log, stderr=log, env=ENVIRONMENT, cwd=folder)
                stack.callback(process.wait)
                stack.callback(process.terminate)
            yield address

    @pytest.mark.usefixtures("bubblewrap")
    def test_marks_are_those_of_the_local_run(self, address, fresh):
        done = mlcore("grade", fresh, "--scheduler", address)
        assert done.returncode == 0, done.stdout + done.stderr
        assert stored(fresh) == truth(fresh)

    @pytest.mark.usefixtures("bubblewrap")
    def test_dead_worker_s_submissions_are_graded_by_the_others(self, address, fresh):
        from distributed import Client

        process = subprocess.Popen(
            [sys.executable, "-m", "mlcore", "grade", str(fresh), "--scheduler", address, "--force"],
            env=ENVIRONMENT, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        deadline = time.monotonic() + 90
        while not list((fresh / "autograded").glob("*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        with Client(address, set_as_default=False) as client:
            victim = next(iter(client.run(os.getpid).values()))
        os.kill(victim, signal.SIGKILL)
        said, _ = process.communicate(timeout=200)
        assert process.returncode == 0, said
        assert stored(fresh) == truth(fresh)

    @pytest.mark.usefixtures("bubblewrap")
    def test_poison_is_given_up_and_named(self, address, fresh):
        handed = classroom.find(fresh)
        poison = handed[0].student

        def work(task, rules):
            import os
            import signal

            if task.student == poison:
                os.kill(os.getpid(), signal.SIGKILL)
            from mlcore.grading.cluster import grade_apart

            return grade_apart(task, rules)

        with classroom.Course(fresh) as open_course, cluster.there(address, Rules(), work) as run:
            summary = open_course.grade(handed[:4], run)
        assert list(summary.given_up) == [("05_ridge", poison)]
        assert "killed every worker" in summary.given_up["05_ridge", poison]
        assert {s: marks for s, marks in truth(fresh).items() if s in stored(fresh)} == stored(fresh)
        assert len(stored(fresh)) == 3

    def test_an_exercise_that_fails_there_waits_for_a_person(self, address, fresh, tmp_path):
        home = str(copied(tmp_path / "broken", BROKEN))

        def work(task, rules):
            import sys

            from mlcore.grading.cluster import grade_apart

            sys.path.insert(0, home)  # for the process beside it, which is a new one: these rules are
            try:
                return grade_apart(task, rules)
            finally:
                sys.path.remove(home)

        with classroom.Course(fresh) as open_course, cluster.there(address, Rules(Limits(seconds=59)), work) as run:
            handed = classroom.find(fresh)
            summary = open_course.grade(handed, run)
            ((exercise, said),) = open_course.unjudged(handed).items()
        assert not summary.problems and len(summary.graded) == STUDENTS
        assert exercise == ("05_ridge", "ridge_fit") and len(said) == len(answered(fresh)) > 1
        assert stored(fresh) == expected(fresh)

    def test_no_scheduler(self, fresh, monkeypatch):
        monkeypatch.setattr(cluster, "PATIENCE", 1)
        with pytest.raises(Exception, match="no scheduler answers at"), cluster.there("tcp://127.0.0.1:1", Rules()):
            pass


class TestPostgres:
    """A real server from Debian's packages on a port of its own."""

    @pytest.fixture(scope="class")
    def url(self, postgresql):
        initdb = Path(POSTGRESQL.find())
        folder = Path(tempfile.mkdtemp(prefix="mlcore-postgres-"))
        as_user = []
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
            as_user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        port, data = free_port(), folder / "data"
        run = {"check": True, "capture_output": True, "cwd": "/"}
        subprocess.run([*as_user, initdb, "-D", data, "-U", "teacher", "--auth=trust"], **run)
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        control = [*as_user, initdb.with_name("pg_ctl"), "-D", data, "-w", "-l", folder / "log"]
        subprocess.run([*control, "-o", options, "start"], **run)
        try:
            yield f"postgresql://teacher@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **run)
            shutil.rmtree(folder, ignore_errors=True)

    def test_marks_are_those_of_the_local_run(self, url, fresh):
        done = mlcore("grade", fresh, "--db", url, "--no-sandbox")
        assert done.returncode == 0, done.stdout + done.stderr
        with Ledger(url, "mlcore") as ledger:
            marks = {r.student: {v["name"]: v["points"] for v in r.verdicts} for r in ledger.records()}
        assert marks == {s: {n: e["points"] for n, e in a.items()} for s, a in truth(fresh).items()}
        again = mlcore("grade", fresh, "--db", url, "--no-sandbox")
        assert f"{STUDENTS} unchanged" in again.stdout
        exported = mlcore("export", fresh, "--db", url)
        assert len(exported.stdout.splitlines()) == STUDENTS + 1
        assert mlcore("report", fresh, "--db", url).returncode == 0

    def test_wrong_address_is_one_line_without_the_password(self, url, fresh):
        wrong = url.replace("teacher@", "nobody:secret@")
        done = mlcore("grade", fresh, "--db", wrong, "--no-sandbox")
        assert done.returncode == 2
        assert "cannot be used" in done.stderr and "secret" not in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


class TestExport:
    def rows(self, text: str) -> list[dict]:
        return list(csv.DictReader(io.StringIO(text)))

    def test_csv_is_nbgrader_s_own(self, graded, tmp_path, monkeypatch):
        from nbgrader.api import Gradebook
        from nbgrader.plugins import CsvExportPlugin

        theirs = tmp_path / "theirs.csv"
        with Gradebook(f"sqlite:///{graded / 'gradebook.db'}", "mlcore") as book:
            CsvExportPlugin(to=str(theirs)).export(book)
        ours = mlcore("export", graded)
        assert ours.returncode == 0, ours.stderr
        rows = self.rows(ours.stdout)
        missing = [int(row.pop("waiting")) for row in rows]
        assert rows == self.rows(theirs.read_text())
        assert set(missing) == {0, 1}, "explanations that nobody has marked yet, where there are any"
        assert f"{sum(missing)} answers wait for a person" in ours.stderr

    @pytest.mark.parametrize(
        ("form", "key", "column"), [("canvas", "SIS Login ID", "05_ridge"), ("moodle", "ID number", "05_ridge (Real)")]
    )
    def test_other_systems_have_the_same_marks(self, graded, tmp_path, form, key, column):
        target = tmp_path / "out.csv"
        assert mlcore("export", graded, "--format", form, "--to", target).returncode == 0
        marks = {row[key]: float(row[column]) for row in self.rows(target.read_text()) if row[key]}
        own = {row["student_id"]: float(row["score"]) for row in self.rows(mlcore("export", graded).stdout)}
        assert marks == own
        assert own == {s: sum(e["points"] for e in a.values()) for s, a in truth(graded).items()}

    def test_canvas_says_what_it_is_worth(self, graded):
        second = mlcore("export", graded, "--format", "canvas").stdout.splitlines()[1]
        assert second.startswith("    Points Possible,") and second.endswith(f",{WORTH}.0")

    def test_a_name_is_no_formula(self):
        assert [export._plain(cell) for cell in ("=1+1", "@x", "Ada", 5.0, -1.0)] == ["'=1+1", "'@x", "Ada", 5.0, -1.0]

    def test_unknown_format(self, graded):
        done = mlcore("export", graded, "--format", "stone")
        assert done.returncode == 2 and "there are csv, canvas, moodle" in done.stderr


class TestNewCourse:
    @pytest.fixture(scope="class")
    def made(self, tmp_path_factory):
        folder = tmp_path_factory.mktemp("new")
        (folder / "roster.csv").write_text("id,first_name,last_name,email\nada,Ada,Bayes,ada@example.org\nemmy,,,\n")
        done = mlcore(
            "course", "new", folder / "course", "--topics", "5,start_here", "--id", "ml-2026",
            "--roster", folder / "roster.csv", "--due", "5=2026-12-01",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return folder / "course"

    def test_release_is_the_student_s_notebook(self, made):
        for folder, slug in (("05_ridge", "ridge"), ("00_start_here", "start_here")):
            ours = (ROOT / "notebooks" / folder / f"{slug}.ipynb").read_text(encoding="utf-8")
            assert (made / "release" / folder / f"{slug}.ipynb").read_text(encoding="utf-8") == ours

    def test_nbgrader_knows_assignments_students_and_dates(self, made, monkeypatch):
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{made / 'gradebook.db'}", "ml-2026") as book:
            assert {s.id for s in book.students} == {"ada", "emmy"}
            assert book.find_student("ada").email == "ada@example.org"
            assert str(book.find_assignment("05_ridge").duedate) == "2026-12-01 23:59:00"
            assert book.find_assignment("05_ridge").max_score == WORTH

    def test_stock_nbgrader_reads_the_configuration(self, made):
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", "db", "student", "list"],
            cwd=made, capture_output=True, text=True, timeout=120, env=ENVIRONMENT,
        )  # fmt: skip
        assert "ada" in done.stdout + done.stderr

    @pytest.mark.usefixtures("bubblewrap")
    def test_a_submission_is_graded(self, made, tmp_path):
        target = made / "submitted" / "ada" / "05_ridge"
        target.mkdir(parents=True)
        shutil.copy(made / "release" / "05_ridge" / "ridge.ipynb", target)
        done = mlcore("grade", made)
        assert done.returncode == 0, done.stderr
        assert "1 graded" in done.stdout

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (["--topics", "5,magic"], "no topic 'magic'"),
            (["--topics", ","], "at least one topic"),
            (["--topics", "5", "--id", "my course"], "a course id is a word"),
            (["--topics", "5", "--due", "5"], "a due date is written as"),
            (["--topics", "5", "--due", "5=soon"], "is not a date"),
            (["--topics", "5", "--due", "6=2026-12-01"], "06_lasso has a due date and is not among the topics"),
            (["--topics", "5", "--roster", "/no/such.csv"], "there is no roster"),
        ],
    )
    def test_bad_input_is_one_line(self, tmp_path, words, says):
        done = mlcore("course", "new", tmp_path / "course", *words)
        assert done.returncode == 2
        assert says in done.stderr and len(done.stderr.strip().splitlines()) == 1

    def test_a_database_that_fails_leaves_an_empty_folder(self, tmp_path):
        done = mlcore("course", "new", tmp_path / "course", "--topics", "0", "--db", "nonsense")
        assert done.returncode == 2
        assert not list((tmp_path / "course").iterdir())

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            (b"", "got nothing"),
            (b"name\nx\n", "one of them `id`"),
            (b"id\na\na\n", "is there twice"),
            (b"id\na/b\n", "cannot be"),
            (b"id\n..\n", "cannot be"),
            (b"id\nm\xfcller\n", "save it as CSV UTF-8"),
        ],
    )
    def test_bad_roster_is_one_line(self, tmp_path, text, says):
        (tmp_path / "roster.csv").write_bytes(text)
        with pytest.raises(Problem, match=re.escape(says)):
            courses.read_roster(tmp_path / "roster.csv")

    @pytest.mark.parametrize(
        "text",
        [
            "\ufeffid,first_name\nada,Änne\n",
            "id;first_name\r\nada;Änne\r\n",
            "ID\tFirst_Name\nada\tÄnne\n",
            " id , first_name\nada , Änne\n,\n\n",
        ],
    )
    def test_roster_as_spreadsheets_write_it(self, tmp_path, text):
        (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
        assert courses.read_roster(tmp_path / "roster.csv") == [{"id": "ada", "first_name": "Änne"}]


class TestStudentSide:
    def test_submit_says_what_is_missing_and_writes_the_file(self, tmp_path):
        done = mlcore("submit", "start_here", "--to", tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Still missing:" in done.stdout
        handed = nbformat.read(tmp_path / "00_start_here" / "start_here.ipynb", as_version=4)
        assert not any(cell.get("outputs") for cell in handed.cells)

    def test_submit_of_something_else(self, tmp_path):
        (tmp_path / "x.ipynb").write_text("{")
        done = mlcore("submit", tmp_path / "x.ipynb")
        assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1

    def test_feedback_page_in_the_terminal(self, graded):
        page = next((graded / "feedback").rglob("*.html"))
        done = mlcore("feedback", page)
        assert done.returncode == 0, done.stderr
        assert "05_ridge:" in done.stdout and "ridge_fit" in done.stdout

    @pytest.mark.parametrize(
        ("text", "says"), [(None, "there is no feedback page"), ("<html>", "is not a feedback page")]
    )
    def test_no_feedback_page(self, tmp_path, text, says):
        if text:
            (tmp_path / "x.html").write_text(text)
        done = mlcore("feedback", tmp_path / "x.html")
        assert done.returncode == 2 and says in done.stderr

    def test_marks_by_hand_come_back(self, graded, tmp_path):
        from nbgrader.api import Gradebook

        folder = Path(shutil.copytree(graded, tmp_path / "course"))
        student = sorted(truth(folder))[0]
        with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "mlcore") as book:
            (notebook,) = book.find_submission("05_ridge", student).notebooks
            grade = next(g for g in notebook.grades if not g.name.startswith("check_"))
            grade.manual_score, grade.needs_manual_grade = 1.0, False
            comment = next(c for c in notebook.comments if c.name == grade.name)
            comment.manual_comment = "Say <why> the sign settles."
            book.db.commit()
        assert mlcore("feedback", folder).returncode == 0
        page = (folder / "feedback" / student / "05_ridge" / "ridge.html").read_text(encoding="utf-8")
        assert "1 of 3 points" in page and "Say &lt;why&gt; the sign settles." in page
        data = json.loads(page.partition("id='mlcore'>")[2].partition("</script>")[0])
        assert data["waiting"] == []
