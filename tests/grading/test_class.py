"""A class, graded by the command: the true marks, those of stock nbgrader, and the same after any accident."""

from __future__ import annotations

import contextlib
import html
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mlcore.course import catalogue
from mlcore.grading.gradebook import Ledger
from mlcore.grading.simulate import simulate
from tests.conftest import ROOT

pytestmark = [pytest.mark.xdist_group("class"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]

STUDENTS = 10
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}


def mlcore(*words: object, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "mlcore", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=ENVIRONMENT, cwd=ROOT, **options)


def start(*words: object) -> subprocess.Popen:
    command = [sys.executable, "-m", "mlcore", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT, cwd=ROOT
    )


def stored(folder: Path) -> dict[str, dict]:
    """What the gradebook holds: per student the verdicts."""
    with Ledger(f"sqlite:///{folder / 'gradebook.db'}", "mlcore") as ledger:
        return {
            r.student: {
                v["name"]: {"points": v["points"], "outcome": v["outcome"], "mistake": v["mistake"]} for v in r.verdicts
            }
            for r in ledger.records()
        }


def truth(folder: Path) -> dict[str, dict]:
    told = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["students"]
    return {student: entry["exercises"] for student, entry in told.items()}


@pytest.fixture(scope="module")
def pristine(tmp_path_factory) -> Path:
    """A class that nobody has graded."""
    folder = tmp_path_factory.mktemp("pristine") / "course"
    simulate(folder, catalogue.find("ridge"), STUDENTS, seed=7)
    return folder


@pytest.fixture
def fresh(pristine, tmp_path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "course"))


@pytest.fixture(scope="module")
def graded(bubblewrap, pristine, tmp_path_factory) -> Path:
    folder = Path(shutil.copytree(pristine, tmp_path_factory.mktemp("graded") / "course"))
    done = mlcore("grade", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_simulated_class_has_all_sorts(pristine):
    outcomes = {entry["outcome"] for student in truth(pristine).values() for entry in student.values()}
    assert {"right", "known mistake", "not attempted", "partly right"} <= outcomes


def test_marks_and_mistakes_are_the_truth(graded):
    assert stored(graded) == truth(graded)


def test_second_run_has_nothing_to_do(graded):
    before = {p: p.stat().st_mtime_ns for p in (graded / "feedback").rglob("*.html")}
    done = mlcore("grade", graded)
    assert done.returncode == 0
    assert f"{STUDENTS} unchanged since the last run" in done.stdout
    assert {p: p.stat().st_mtime_ns for p in (graded / "feedback").rglob("*.html")} == before


@pytest.mark.usefixtures("bubblewrap")
def test_changed_submission_is_graded_again_and_only_that(fresh):
    assert mlcore("grade", fresh).returncode == 0
    students = sorted(truth(fresh))
    source, target = (fresh / "submitted" / s / "05_ridge" / "ridge.ipynb" for s in students[:2])
    target.write_bytes(source.read_bytes())
    done = mlcore("grade", fresh)
    assert "1 graded" in done.stdout
    assert stored(fresh)[students[1]] == truth(fresh)[students[0]]


@pytest.mark.filterwarnings("ignore")
def test_same_marks_as_stock_nbgrader(graded, fresh, monkeypatch):
    from nbgrader.api import Gradebook
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

    config = Config()
    config.CourseDirectory.root = str(fresh)
    config.CourseDirectory.course_id = "mlcore"
    config.Autograde.log_level = 50
    monkeypatch.chdir(fresh)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    api = NbGraderAPI(config=config)
    for student in sorted(truth(fresh))[:4]:
        result = api.autograde("05_ridge", student)
        assert result["success"], result["log"][-2000:]
    urls = [f"sqlite:///{folder / 'gradebook.db'}" for folder in (graded, fresh)]
    with Gradebook(urls[0], "mlcore") as ours, Gradebook(urls[1], "mlcore") as theirs:
        for student in sorted(truth(fresh))[:4]:
            mine, peer = (
                {g.name: (g.auto_score, g.max_score, g.needs_manual_grade) for g in notebook.grades}
                for book in (ours, theirs)
                for notebook in book.find_submission("05_ridge", student).notebooks
            )
            assert mine == peer, student


@pytest.mark.filterwarnings("ignore")
def test_stock_nbgrader_goes_on_from_there(graded, monkeypatch, tmp_path):
    """Its own feedback and its own export work on what we wrote."""
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

    folder = Path(shutil.copytree(graded, tmp_path / "course"))
    shutil.rmtree(folder / "feedback")
    config = Config()
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.course_id = "mlcore"
    monkeypatch.chdir(folder)
    student = sorted(truth(folder))[0]
    result = NbGraderAPI(config=config).generate_feedback("05_ridge", student)
    assert result["success"], result["log"][-2000:]
    assert (folder / "feedback" / student / "05_ridge" / "ridge.html").stat().st_size > 10_000


def test_feedback_page_shows_the_work_and_the_cards(graded):
    student, answers = next((s, a) for s, a in truth(graded).items() if any(e["mistake"] for e in a.values()))
    page = (graded / "feedback" / student / "05_ridge" / "ridge.html").read_text(encoding="utf-8")
    assert "def ridge_fit" in page
    for entry in answers.values():
        if entry["mistake"]:
            assert html.escape(entry["mistake"]) in page
    assert "BEGIN SOLUTION" not in page and "HIDDEN TESTS" not in page and "seed=" not in page


class TestProblems:
    """One bad submission is named, and the others are graded."""

    @pytest.fixture(scope="class")
    def troubled(self, bubblewrap, pristine, tmp_path_factory):
        folder = Path(shutil.copytree(pristine, tmp_path_factory.mktemp("troubled") / "course"))
        names = sorted(truth(folder))
        work = [folder / "submitted" / name / "05_ridge" for name in names]
        (work[0] / "ridge.ipynb").write_text("{")
        (work[1] / "ridge.ipynb").unlink()
        (work[2] / "ridge.ipynb").unlink()
        (work[2] / "ridge.ipynb").symlink_to(work[3] / "ridge.ipynb")
        shutil.rmtree(folder / "submitted" / names[4])
        (folder / "submitted" / names[4]).symlink_to(folder / "submitted" / names[3])
        (folder / "submitted" / "stray.txt").write_text("x")
        (folder / "submitted" / "empty").mkdir()
        return folder, names, mlcore("grade", folder)

    def test_each_is_named_with_its_reason(self, troubled):
        _, names, done = troubled
        assert done.returncode == 1
        lines = done.stderr.splitlines()
        for name, reason in zip(
            names, ("not a notebook", "is missing", "is a link", None, "folder is a link"), strict=False
        ):
            if reason:
                assert any(name in line and reason in line for line in lines), done.stderr
        assert "4 with a problem" in done.stdout

    def test_the_others_have_their_marks(self, troubled):
        folder, names, _ = troubled
        marks, true = stored(folder), truth(folder)
        assert {n: marks[n] for n in names[5:]} == {n: true[n] for n in names[5:]}
        for name in (*names[:3], names[4]):
            assert sum(e["points"] for e in marks[name].values()) == 0


@pytest.mark.usefixtures("bubblewrap")
class TestAccidents:
    """After any of these a second run ends as if nothing had happened."""

    def finish(self, folder: Path) -> None:
        done = mlcore("grade", folder)
        assert done.returncode == 0, done.stdout + done.stderr
        assert stored(folder) == truth(folder)
        pages = sorted(p.parts[-3] for p in (folder / "feedback").rglob("*.html"))
        assert pages == sorted(truth(folder)), "a page for each, once"
        with contextlib.closing(sqlite3.connect(folder / "gradebook.db")) as db:
            assert db.execute("select count(*) from submitted_assignment").fetchone() == (STUDENTS,)
            assert db.execute("select count(*) from submitted_notebook").fetchone() == (STUDENTS,)
        strays = [p for p in folder.rglob(".*") if p.is_file() and ".mlcore" not in p.parts and p.suffix != ".tmp"]
        assert len(strays) <= 2, strays

    def test_grader_killed_at_random_moments(self, fresh):
        moments = random.Random(3)
        for _ in range(3):
            process = start("grade", fresh)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(moments.uniform(1.5, 6))
            process.kill()
            process.communicate()
        self.finish(fresh)

    def test_worker_and_sandbox_killed(self, fresh):
        process = start("grade", fresh)
        killed = set()
        deadline = time.monotonic() + 60
        while process.poll() is None and len(killed) < 2 and time.monotonic() < deadline:
            for pid, command in children(process.pid):
                kind = "worker" if "workers import serve" in command else "sandbox" if "bwrap" in command else None
                if kind and kind not in killed and (fresh / "autograded").is_dir():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        killed.add(kind)
            time.sleep(0.02)
        process.communicate(timeout=200)
        assert killed, "nothing was there to be killed"
        self.finish(fresh)

    def test_locked_gradebook(self, fresh, monkeypatch):
        with contextlib.closing(sqlite3.connect(fresh / "gradebook.db", isolation_level=None)) as db:
            db.execute("begin exclusive")
            done = mlcore("grade", fresh, "--student", "b*")
            assert done.returncode == 2
            assert "locked by another program" in done.stderr
            assert len(done.stderr.strip().splitlines()) == 1
            db.execute("rollback")
        self.finish(fresh)

    def test_two_graders(self, fresh):
        first, second = start("grade", fresh), start("grade", fresh)
        said = [process.communicate(timeout=250)[0] for process in (first, second)]
        codes = sorted(process.returncode for process in (first, second))
        assert codes in ([0, 0], [0, 2])
        if codes == [0, 2]:
            assert any("another mlcore is at work" in text for text in said)
        self.finish(fresh)

    @pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
    def test_full_disk(self, pristine, tmp_path):
        small = tmp_path / "small"
        small.mkdir()
        size = sum(p.stat().st_size for p in pristine.rglob("*") if p.is_file())
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size // 1024 + 900}k", "tmpfs", small], capture_output=True
        )
        if mounted.returncode:
            pytest.skip("no tmpfs can be mounted here")
        try:
            folder = Path(shutil.copytree(pristine, small / "course"))
            done = mlcore("grade", folder)
            assert done.returncode == 2
            assert "disk" in done.stderr.lower() or "space" in done.stderr.lower(), done.stderr
            subprocess.run(["mount", "-o", "remount,size=100m", small], check=True)
            self.finish(folder)
        finally:
            subprocess.run(["umount", "-l", small], check=True)

    def test_marks_by_hand_survive_a_regrade(self, fresh):
        from nbgrader.api import Gradebook

        self.finish(fresh)
        student = sorted(truth(fresh))[0]
        url = f"sqlite:///{fresh / 'gradebook.db'}"
        with Gradebook(url, "mlcore") as book:
            (notebook,) = book.find_submission("05_ridge", student).notebooks
            grade = next(g for g in notebook.grades if not g.name.startswith("check_"))
            grade.manual_score = 1.5
            book.db.commit()
            name = grade.name
        assert mlcore("grade", fresh, "--force", "--student", student).returncode == 0
        with Gradebook(url, "mlcore") as book:
            grade = book.find_grade(name, "ridge", "05_ridge", student)
            assert (grade.manual_score, grade.needs_manual_grade) == (1.5, True)


def children(pid: int) -> list[tuple[int, str]]:
    """All descendants of a process, with their commands."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError):
                status = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found.append((int(entry.name), int(status[1]), command))
    family, new = {pid}, {pid}
    while new:
        new = {p for p, parent, _ in found if parent in new} - family
        family |= new
    return [(p, command) for p, _, command in found if p in family and p != pid]


class TestBadInput:
    """One clear line, exit status 2."""

    def complaint(self, *words: object) -> str:
        done = mlcore(*words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        return done.stderr

    def refusal(self, *words: object) -> str:
        """What `mlcore grade` says before any sandbox is needed."""
        return self.complaint("grade", *words, "--no-sandbox")

    def test_no_such_course(self, tmp_path):
        assert "there is no course folder" in self.refusal(tmp_path / "nowhere")

    def test_no_course(self, tmp_path):
        assert "is not a course" in self.refusal(tmp_path)

    def test_nobody_there(self, pristine):
        said = self.refusal(pristine, "--student", "nobody*")
        assert "there is nothing to grade" in said and "for students nobody*" in said

    def test_no_such_topic(self, pristine):
        assert "no topic 'magic'" in self.refusal(pristine, "--topic", "magic")

    def test_no_release(self, pristine):
        assert "release it first" in self.refusal(pristine, "--topic", "lasso")

    @pytest.mark.parametrize("url", ["nonsense", "mysqll://x/y", "sqlite:////no/such/folder/x.db"])
    def test_wrong_database(self, pristine, url):
        said = self.refusal(pristine, "--db", url)
        assert "is not a database" in said or "cannot be used" in said

    def test_no_bubblewrap(self, pristine, monkeypatch):
        monkeypatch.setitem(ENVIRONMENT, "PATH", "/nowhere")
        assert "apt-get install bubblewrap" in self.complaint("grade", pristine)

    def test_folder_in_use(self, pristine):
        assert "is not empty" in self.complaint("class", "simulate", pristine)

    def test_no_students(self, tmp_path):
        assert "students" in self.complaint("class", "simulate", tmp_path / "new", "--students", "0")


def test_without_a_sandbox_the_marks_are_the_same(fresh):
    done = mlcore("grade", fresh, "--no-sandbox", "--student", "*[0-5]")
    assert done.returncode == 0, done.stdout + done.stderr
    true = truth(fresh)
    marks = stored(fresh)
    assert marks and marks == {student: true[student] for student in marks}
