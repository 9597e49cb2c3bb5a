"""Every machine says the same: verdicts, marks and printed numbers do not depend on the processor's kernels.

OpenBLAS and numpy choose their routines by processor, and each rounds in its own way. `tests/machine.py` runs the
course as another processor would: every solved notebook, the certificate, every explorer, and a class in the sandbox.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import mlcore.explore
from mlcore.course import catalogue
from mlcore.engine.explorers.search import find_all
from mlcore.grading.sandbox import MISSING
from tests.conftest import ROOT

CORES = ("PRESCOTT", "HASWELL", "SKYLAKEX", "ZEN")
PLAIN, NO_DISPATCH = "plain", "numpy without dispatch"
SLUGS = [topic.slug for topic in catalogue.topics()]
# Where a computed zero once differed between a mistake and its copy in the sandbox.
CLASS = ["graded", "--topics", "multivariate_normal"]
PARTS = {"one half": ["course", "--topics", *SLUGS[::2]], "other half": ["course", "--topics", *SLUGS[1::2]]}


class Machines:
    """What was found on each, kept in a folder that the processes of pytest share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def kernels(self, name: str) -> dict[str, list[str]]:
        return self._once(f"kernels {name}", lambda out: self._probe(name, out))

    def said(self, name: str, part: str, words: list[str]) -> dict[str, tuple[bool, str]]:
        return self._once(f"{part} {name}", lambda out: self._speak(name, words, out))

    def _once(self, name: str, make: Callable[[Path], None]) -> dict:
        out = self.folder / f"{name}.json"
        with open(self.folder / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not out.exists():
                make(out)
        return json.loads(out.read_text(encoding="utf-8"))

    def _probe(self, name: str, out: Path) -> None:
        done = self._run(name, "tests.kernels", out)
        if -done.returncode == signal.SIGILL:
            out.write_text("{}")
        else:
            assert done.returncode == 0, done.stderr

    def _speak(self, name: str, words: list[str], out: Path) -> None:
        part, *rest = words
        done = self._run(name, "tests.machine", part, out, *rest)
        assert done.returncode == 0, done.stderr

    def _run(self, name: str, *words: object) -> subprocess.CompletedProcess:
        settings = {"OPENBLAS_CORETYPE": name} if name in CORES else {}
        if name == NO_DISPATCH:
            settings = {"NPY_DISABLE_CPU_FEATURES": " ".join(self.kernels(PLAIN)["numpy"])}
        home = {"MLCORE_HOME": str(self.folder / "nobody")}  # the map of the course shows what has been done
        command, env = [sys.executable, "-m", *map(str, words)], {**os.environ, **home, **settings}
        return subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=ROOT, env=env)

    def why_not(self, name: str) -> str:
        """Why running on this machine would show nothing new."""
        taken, plain = self.kernels(name), self.kernels(PLAIN)
        if not taken:
            return "this processor lacks its instructions"
        if name in CORES and not plain["blas"]:
            return "numpy's BLAS is not OpenBLAS here"
        if taken == plain:
            return f"the plain run has the same kernels, {_told(plain)}"
        for earlier in CORES[: CORES.index(name)] if name in CORES else ():
            if self.kernels(earlier) == taken:
                return f"{earlier} has the same kernels, {_told(taken)}"
        return ""


def _told(kernels: dict[str, list[str]]) -> str:
    return f"{', '.join(kernels['blas'])} of OpenBLAS, {', '.join(kernels['numpy']) or 'the baseline'} of numpy"


@pytest.fixture(scope="session")
def machines(tmp_path_factory) -> Machines:
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "machines"
    folder.mkdir(exist_ok=True)
    return Machines(folder)


@pytest.mark.parametrize("name", [*CORES, NO_DISPATCH])
@pytest.mark.parametrize("part", PARTS)
def test_every_machine_says_the_same(machines, name, part):
    compare(machines, name, part, PARTS[part])


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("name", [*CORES, NO_DISPATCH])
def test_every_machine_gives_the_same_marks(machines, name):
    if not shutil.which("bwrap"):
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    compare(machines, name, "class", CLASS)


def compare(machines: Machines, name: str, part: str, words: list[str]) -> None:
    if why := machines.why_not(name):
        pytest.skip(f"{name}: {why}")
    here, plain = machines.said(name, part, words), machines.said(PLAIN, part, words)
    assert here.keys() == plain.keys()
    assert [where for where, (due, _) in plain.items() if not due] == []
    assert [where for where, (due, _) in here.items() if not due] == []
    differs = [where for where, (_, text) in here.items() if text != plain[where][1]]
    assert not differs, "\n".join(f"{where}\n{here[where][1]}\nand plainly\n{plain[where][1]}" for where in differs)


def test_some_machine_is_not_the_plain_one(machines):
    """Or else all of the above is skipped, and nothing is shown."""
    if platform.machine() != "x86_64" or not machines.kernels(PLAIN)["blas"]:
        pytest.skip("this is not OpenBLAS on x86-64: its kernels have other names")
    assert [name for name in CORES if not machines.why_not(name)] != []


def test_every_explorer_is_in_its_notebook():
    """Where the machines look for it."""
    missing = []
    for kind in find_all(mlcore.explore):
        (source,) = (ROOT / "solutions").glob(f"[0-9][0-9]_{kind.__module__.rpartition('.')[2]}.py")
        if f"\nexplore.{kind.__name__}()\n" not in source.read_text(encoding="utf-8"):
            missing.append(kind)
    assert missing == []


def test_what_differs_is_seen(machines, monkeypatch):
    """A verdict, a number or a law: each is told by its place."""
    found = {"cell 1": [True, "0.5"], "cell 2": [True, "-0.0"]}
    said = {PLAIN: found, NO_DISPATCH: found | {"cell 2": [True, "0.0"]}}
    monkeypatch.setattr(machines, "why_not", lambda name: "")
    monkeypatch.setattr(machines, "said", lambda name, part, words: said[name])
    with pytest.raises(AssertionError, match="cell 2"):
        compare(machines, NO_DISPATCH, "one half", [])
    said[NO_DISPATCH] = found | {"cell 1": [False, "0.5"]}
    with pytest.raises(AssertionError, match="cell 1"):
        compare(machines, NO_DISPATCH, "one half", [])
