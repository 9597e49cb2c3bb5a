"""`mlcore topic check` as an author types it, and the other commands beside a topic that is broken."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time

import psutil
import pytest

from mlcore.authoring import proof, watch
from tests.authoring.planted import PLACES

CHECKS, MATHEMATICS, START = "mlcore/checks/ridge.py", "mlcore/ridge.py", "mlcore/checks/start_here.py"
QUICK = [stage.name for stage in proof.STAGES if stage.quick]


def stages(printed: str) -> list[str]:
    """The stages of the table."""
    return re.findall(r"^│ [✓✗] │ (\w+)", printed, re.M)


class TestVerdict:
    """Of a sound topic: see `TestBesideABrokenTopic`."""

    FAULTS = (
        *(START, "missing: outer derivative times inner derivative.", "missing: inner times outer"),
        *(START, "This is (3x − 1)² itself, not its derivative.", "This is (3x − 1)² itself"),
    )

    def sentences(self, project) -> list[str]:
        """What the rules say of the faults."""
        at = (project.line(START, f'Mistake("{says}') for says in ("Both 2 and 3", "This is (3x − 1)²"))
        said = ("Both 2 and 3 are missing: inner times outer", "This is (3x − 1)² itself")
        return [f"{place}: not a sentence: {says!r}" for place, says in zip(at, said, strict=True)]

    def test_the_first_failure_stands_in_one_line(self, project):
        with project.damaged(*self.FAULTS):
            done = project.mlcore("topic", "check", "0", "--quick", "--workers", "1")
            first, _ = self.sentences(project)
        assert (done.returncode, done.stderr) == (1, "")
        assert stages(done.stdout) == ["written", *QUICK]
        assert done.stdout.splitlines()[-2:] == [f"First: {first}", "  … and 1 more: --all lists them"]

    def test_a_process_that_dies_is_told_and_no_other_is_lost_and_all_lists_every_line(self, project):
        """It dies in the reference of an exercise."""
        with project.damaged(
            "mlcore/start_here.py", "    return ", "    import os; os._exit(3)\n    return ", *self.FAULTS
        ):
            done = project.mlcore("topic", "check", "0", "--quick", "--workers", "2", "--all")
            first, second = self.sentences(project)
            exercise = project.line(START, "slope = ")
        assert (done.returncode, done.stderr) == (1, "")
        assert stages(done.stdout) == ["written", *QUICK]
        told = [line.strip() for line in done.stdout.partition("First: ")[2].splitlines()]
        assert told[-3:] == [first, second, f"{exercise}: the process of certificate of slope died"]
        assert all(line.startswith("mlcore/start_here.py:") for line in told[:-3])  # ruff's


BROKEN = [
    (CHECKS, "budget = Slip(\n", "budget = = Slip(\n", CHECKS, "budget = = ", "SyntaxError: invalid syntax"),
    (
        MATHEMATICS,
        "import numpy as np\n",
        "import numpy as np\nimport no_such\n",
        MATHEMATICS,
        "import no_such",
        "ModuleNotFoundError: No module named 'no_such'",
    ),
    (
        MATHEMATICS,
        "def budget(X, y, lam):\n",
        "def budget(X, y, lam)\n",
        MATHEMATICS,
        "def budget",
        "SyntaxError: expected ':'",
    ),
    (MATHEMATICS, "def budget(", "exit()\n\n\ndef budget(", MATHEMATICS, "exit()", "SystemExit: the file ends Python"),
    (CHECKS, "        budget,\n", "", CHECKS, "budget = ", "budget is not in the topic's list of exercises"),
    (
        CHECKS,
        'asks="The penalty that belongs to a prior",\n    points=2',
        'asks="The penalty that belongs to a prior",\n    points=3',
        CHECKS,
        "map_penalty = ",
        "ValueError: a slip has two halves: points must be even, got 3",
    ),
    (
        CHECKS,
        '    "map_penalty",\n',
        '    "map_penalties",\n',
        CHECKS,
        "map_penalty = ",
        "the exercise map_penalty is called 'map_penalties': let both be one",
    ),
]


@pytest.mark.parametrize(
    ("path", "old", "new", "told", "start", "says"),
    BROKEN,
    ids=["syntax", "import", "mathematics", "exit", "unlisted", "odd", "name"],
)
def test_a_topic_that_cannot_be_loaded_is_told_in_one_line(project, path, old, new, told, start, says):
    with project.damaged(path, old, new):
        done = project.mlcore("topic", "check", "ridge", "--quick")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"mlcore: {project.line(told, start)}: {says}\n"


class TestBesideABrokenTopic:
    """A draft of ridge that cannot be loaded: the others go on, and what lists topics says what is left out."""

    @pytest.fixture(autouse=True)
    def left_out(self, project):
        with project.damaged(CHECKS, "budget = Slip(\n", "budget = = Slip(\n"):
            yield f"{project.line(CHECKS, 'budget = = ')}: SyntaxError: invalid syntax"

    @pytest.mark.parametrize("command", ["progress", "catalogue"])
    def test_what_lists_topics(self, project, command, left_out):
        done = project.mlcore(command)
        assert done.returncode == 0
        assert all(slug in done.stdout for slug in ("start_here", "linear_regression")) and "ridge" not in done.stdout
        assert done.stderr == f"left out: {left_out}\n"

    def test_the_checks_of_another_topic(self, project):
        done = project.mlcore("check", "0")
        assert (done.returncode, done.stderr) == (1, "")
        assert "slope" in done.stdout and "not attempted" in done.stdout

    def test_its_own(self, project, left_out):
        done = project.mlcore("check", "ridge")
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mlcore: {left_out}\n")

    def test_another_is_built_and_the_glossary_keeps_its_rows(self, project, left_out):
        project.write("notebooks/glossary.ipynb", "as it was")
        done = project.mlcore("build", "start_here")
        assert (done.returncode, done.stdout) == (0, "The notebook is up to date.\n")
        assert done.stderr == f"left out: {left_out}\n"
        assert project.read("notebooks/glossary.ipynb") == "as it was"

    def test_one_that_builds_on_it_is_built(self, project, left_out):
        """Its head links to the broken one, by the name of that one's source."""
        path = "notebooks/00_start_here/start_here.ipynb"
        before = project.read(path)
        with project.damaged(START, "    minutes=5,\n", '    minutes=5,\n    before={"ridge": "what is broken"},\n'):
            done = project.mlcore("build", "start_here")
        built = project.read(path)
        project.write(path, before)
        assert (done.returncode, done.stderr) == (0, f"left out: {left_out}\n")
        assert "Before: what is broken ([notebook 05](../05_ridge/ridge.ipynb))" in built

    def test_all_are_built_but_this_one(self, project, left_out):
        path = "notebooks/00_start_here/start_here.ipynb"
        before = project.read(path)
        project.write(path, "{}")
        done = project.mlcore("build")
        assert (done.returncode, done.stderr) == (2, f"mlcore: {left_out}\n")
        assert project.read(path) == before

    def test_the_proof_of_another(self, project):
        done = project.mlcore("topic", "check", "start_here", "--quick", "--workers", "1")
        assert (done.returncode, done.stderr) == (0, "")
        assert stages(done.stdout) == ["written", *QUICK]
        assert "✗" not in done.stdout and done.stdout.splitlines()[-1] == "All of it holds."


def test_two_topics_of_one_number(project):
    with project.damaged(CHECKS, "    number=5,\n", "    number=0,\n"):
        done = project.mlcore("progress")
        place = project.line(CHECKS, "topic = ")
        (told,) = done.stderr.splitlines()
        assert done.returncode == 0 and "00_ridge" in done.stdout and "00_start_here" in done.stdout
        assert told in (
            f"twice: {place}: the number 0 is that of start_here, too",
            f"twice: {project.line(START, 'topic = ')}: the number 0 is that of ridge, too",
        )


def _heeding_ctrl_c() -> None:
    """A shell's job in the background ignores it, and so would what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Watched:
    """A command that goes on, and what it has printed so far."""

    def __init__(self, project, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mlcore", *words],
            cwd=project.root,
            env=project.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_heeding_ctrl_c,
        )

    def until(self, text: str) -> str:
        """What it prints up to a line with this text. It ends, or is ended, in good time."""
        printed = ""
        for line in self.process.stdout:
            printed += line
            if text in line:
                return printed
        raise AssertionError(printed + self.process.stderr.read())

    def processes(self) -> list[psutil.Process]:
        """Those that it has started, as soon as one of them is there to do its work."""
        while self.process.poll() is None:
            found = psutil.Process(self.process.pid).children(recursive=True)
            with contextlib.suppress(psutil.NoSuchProcess):
                if any("spawn_main" in " ".join(process.cmdline()) for process in found):
                    return found
            time.sleep(0.05)
        raise AssertionError(self.process.stderr.read())

    def interrupt(self, everyone: bool) -> tuple[int, str]:
        """Ctrl-C in a terminal reaches everyone; a signal from elsewhere, the command alone."""
        (os.killpg if everyone else os.kill)(self.process.pid, signal.SIGINT)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@pytest.fixture
def watched(project):
    running = []

    def start(*words: str) -> Watched:
        running.append(Watched(project, *words))
        return running[-1]

    yield start
    for made in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(made.process.pid, signal.SIGKILL)
        made.process.communicate()


class TestWatch:
    COMMAND = ("topic", "check", "start_here", "--quick", "--watch", "--workers", "1")

    def test_runs_again_when_a_file_changes_and_ends_with_ctrl_c(self, project, watched):
        running = watched(*self.COMMAND)
        first = running.until("Waiting for a change; Ctrl-C ends it.")
        assert stages(first) == ["written", *QUICK] and "All of it holds." in first
        with project.damaged(START, "This is (3x − 1)² itself, not its derivative.", "This is (3x − 1)² itself"):
            second = running.until("Waiting for a change; Ctrl-C ends it.")
        assert second.splitlines()[1] == f"{START} has changed."
        assert stages(second) == ["written", *QUICK] and "First: " in second
        assert running.interrupt(everyone=True) == (130, "mlcore: interrupted\n")

    @pytest.mark.parametrize("options", [[], ["--watch"]], ids=["once", "watch"])
    def test_ctrl_c_in_the_middle_of_a_run_ends_all_of_it(self, options, watched):
        running = watched("topic", "check", "ridge", *options)
        started = running.processes()
        assert running.interrupt(everyone=not options) == (130, "mlcore: interrupted\n")
        _, alive = psutil.wait_procs(started, timeout=60)
        assert not alive


def test_a_change_counts_from_when_it_was_asked_for(plot, monkeypatch):
    """So that one during the first run is not missed."""
    monkeypatch.setattr(watch.places, "root", lambda: plot.root)
    changed = watch.changes(plot.topic(), pause=0.01)
    os.utime(plot.root / PLACES["figures"], (1, 1))
    assert next(changed) == PLACES["figures"]
    plot.remove("tests")
    assert next(changed) == PLACES["tests"]
