"""The sandbox in its other modes: as an ordinary user, one bubblewrap for each submission, and none at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from mlcore.engine.errors import Problem
from mlcore.grading import sandbox as module
from mlcore.grading.sandbox import Ended, Sandbox
from mlcore.grading.workers import Pool, Rules
from tests.conftest import ROOT
from tests.grading.conftest import QUICK, Bench, insert, marks
from tests.grading.test_attacks import LOOK, LOOKS

HARM = {
    "an end of its own": "import os\nos._exit(0)",
    "an endless loop": "while True:\n    pass",
}


@pytest.fixture(scope="module")
def alone(bubblewrap, ridge):
    sandbox = Sandbox(QUICK, number=3, mode="alone")
    yield Bench(sandbox, *ridge)
    sandbox.close()


def worth(bench: Bench) -> dict[str, float]:
    return {e.name: float(e.points) for e in bench.answers.exercises}


class TestAlone:
    """Where namespaces in namespaces are not allowed."""

    def test_solved_has_full_marks(self, alone):
        assert marks(alone.grade(alone.notebook(alone.solved))) == worth(alone)

    @pytest.mark.parametrize("code", HARM.values(), ids=HARM)
    def test_harm_costs_only_itself(self, alone, code):
        assert marks(alone.grade(insert(alone.notebook(alone.solved), code))) == worth(alone)

    def test_a_kill_of_all_hurts_nobody_else(self, alone):
        """The server is in reach here: such a notebook loses its own marks."""
        suicide = "import os\ntry:\n    os.kill(-1, 9)\nexcept OSError:\n    pass"
        assert alone.grade(insert(alone.notebook(alone.solved), suicide)).points <= sum(worth(alone).values())
        assert marks(alone.grade(alone.notebook(alone.solved))) == worth(alone)

    @pytest.mark.parametrize(
        "name", ["the exercises", "a privilege", "a new namespace", "the network", "what another left"]
    )
    def test_cannot_see(self, alone, name):
        result = alone.grade(insert(alone.notebook({}), LOOK % LOOKS[name]))
        cell = next(c for c in result.cells if c["source"].startswith("\nimport ctypes"))
        assert cell["outputs"][0]["text"] == "seen False False\n", cell["outputs"]

    def test_scratch_is_limited(self, alone):
        with alone.sandbox.child() as child:
            code = "import shutil\n[shutil.disk_usage(path).total >> 20 for path in ('.', '/dev/shm')]"
            assert child.run(code) == [{"kind": "result", "text": f"[{QUICK.scratch}, {QUICK.scratch}]"}]


@pytest.mark.usefixtures("bubblewrap")
def test_an_installed_mlcore_is_hidden(ridge, monkeypatch):
    """Installed beside numpy, the exercises lie in a folder that the interpreter needs."""
    folders = [f for f in module._interpreter() if not f.startswith(str(ROOT))]
    monkeypatch.setattr(module, "_interpreter", lambda: [*folders, str(ROOT)])
    sandbox = Sandbox(QUICK, number=6)
    with sandbox.child() as child:
        assert child.run(f"import os\nos.listdir({str(ROOT / 'mlcore')!r})") == [{"kind": "result", "text": "[]"}]
        assert child.run("from mlcore import ridge\nridge.__file__.startswith('/course')")[0]["text"] == "True"
    sandbox.close()


def test_namespaces_are_used_where_they_can_be(bench):
    bench.grade(bench.notebook({}))
    assert bench.sandbox.mode == "namespaces"


@pytest.mark.usefixtures("bubblewrap")
def test_refusal_of_namespaces_falls_back(ridge, monkeypatch):
    monkeypatch.setattr(Sandbox, "_probe", lambda self: False)
    sandbox = Sandbox(QUICK, number=4)
    bench = Bench(sandbox, *ridge)
    assert marks(bench.grade(bench.notebook(bench.solved))) == worth(bench)
    assert sandbox.mode == "alone"
    sandbox.close()


def test_a_dead_server_is_replaced(bench):
    import signal

    with bench.sandbox.child() as child:
        child.run("1")
    os.killpg(bench.sandbox.pid, signal.SIGKILL)
    assert marks(bench.grade(bench.notebook(bench.solved))) == worth(bench)


@pytest.mark.usefixtures("bubblewrap")
def test_death_of_the_server_in_mid_run_is_told(ridge):
    import signal

    sandbox = Sandbox(QUICK, number=5)
    with pytest.raises(Ended), sandbox.child() as child:
        os.killpg(sandbox.pid, signal.SIGKILL)
        child.run("1")
        child.run("2")
    with sandbox.child() as child:
        assert child.run("40 + 2") == [{"kind": "result", "text": "42"}]
    sandbox.close()


def test_no_bubblewrap_is_one_line(monkeypatch):
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    with pytest.raises(Problem, match="apt-get install bubblewrap"):
        Sandbox(QUICK)


AS_A_USER = """
import os, sys
sys.path[:] = {path!r}
from tests.grading.conftest import QUICK, Bench, marks
from mlcore.course import catalogue
from mlcore.grading.sandbox import Sandbox
from mlcore.grading.simulate import Answers
from mlcore.grading.submission import Release
topic = catalogue.find("ridge")
text = open("notebooks/05_ridge/ridge.ipynb", encoding="utf-8").read()
from pathlib import Path
sandbox = Sandbox(QUICK)
bench = Bench(sandbox, text, Answers(topic, Path("solutions/05_ridge.py"), Release(text)))
print(os.geteuid(), bench.grade(bench.notebook(bench.solved)).points, sandbox.mode)
sandbox.close()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else; otherwise all tests here are it")
def test_started_as_an_ordinary_user(bench):
    user = "61999"
    drop = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs", "--bounding-set", "-all"]
    capabilities = [word for name in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{name}")]
    parents = [w for p in reversed(ROOT.parents[:-1]) for w in ("--perms", "0755", "--dir", str(p))]
    walls = ["bwrap", "--perms", "1777", "--tmpfs", "/tmp", *parents, "--ro-bind", str(ROOT), str(ROOT)]
    walls += [*bench.sandbox._rooms(), "--bind", "/proc", "/proc", "--dev", "/dev", *capabilities]
    done = subprocess.run(
        [*walls, *drop, "--inh-caps", "-all", sys.executable, "-c", AS_A_USER.format(path=[str(ROOT), *sys.path])],
        cwd=ROOT, capture_output=True, text=True, timeout=120, env={"PATH": os.environ["PATH"], "HOME": "/tmp"},
    )  # fmt: skip
    full = sum(worth(bench).values())
    assert done.stdout.split() == [user, str(full), "namespaces"], done.stdout + done.stderr[-2000:]


def test_workers_leave_no_files(bench, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = json.dumps(bench.notebook({})).encode()
    with Pool(1, Rules(QUICK)) as pool:
        ((_, result),) = pool.run([bench.task(notebook)])
        assert marks(result) == dict.fromkeys(worth(bench), 0)
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


def test_without_a_sandbox_the_rest_of_the_machine_keeps_its_priority(ridge):
    before = os.nice(0)
    if before == 19:
        pytest.skip("nothing has a lower priority than these tests")
    bystander = subprocess.Popen(["sleep", "60"])
    sandbox = Sandbox(QUICK, protected=False, number=6)
    with sandbox.child() as child:
        child.run("import threading, time\nthreading.Thread(target=time.sleep, args=(0.5,)).start()\ntime.sleep(0.5)")
    sandbox.close()
    now = os.getpriority(os.PRIO_PROCESS, bystander.pid)
    bystander.kill()
    bystander.wait()
    assert now == before
