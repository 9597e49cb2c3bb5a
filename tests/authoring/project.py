"""A small copy of the project, to be damaged: two topics, with their files."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

TOPICS = ("start_here", "ridge")
NAMED = ("matrix_calculus", "linear_regression")  # of these only the exercises: ridge says that they come before it

# A process that has loaded what is not ours, and forks for every question: what is ours is loaded anew each time.
_FINDER = """
import json, os, sys
import ipywidgets, jupytext, matplotlib.figure, nbclient, nbformat, nbgrader.converters
for line in sys.stdin:
    if os.fork() == 0:
        from mlcore.authoring import proof
        told = [proof.find(*words) for words in json.loads(line)]
        os.write(1, (json.dumps(told) + "\\n").encode())
        os._exit(0)
    if os.wait()[1]:
        print("null", flush=True)
"""


class Project:
    """Its files, what the proof finds in them, and what `mlcore` says there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._stamps = itertools.count(1_600_000_000)
        ours = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "mlcore", root / "mlcore", ignore=ours)
        for room in ("checks", "explore"):
            for path in (root / "mlcore" / room).glob("[!_]*.py"):
                if path.stem not in TOPICS + NAMED:
                    path.unlink()
        for slug in TOPICS:
            (solution,) = (ROOT / "solutions").glob(f"*_{slug}.py")
            shutil.copytree(ROOT / "notebooks" / solution.stem, root / "notebooks" / solution.stem)
            self._copy(f"solutions/{solution.name}", f"tests/test_{slug}.py")
        self._copy("solutions/glossary.md", "tests/__init__.py", "pyproject.toml")
        (root / "tests" / "test_start_here.py").write_text('"""None."""\n\n\ndef test_nothing():\n    pass\n')

    def _copy(self, *paths: str) -> None:
        for path in paths:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / path).is_file():
                shutil.copy(ROOT / path, self.root / path)

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, encoding="utf-8")
        stamp = next(self._stamps)  # two changes within a second would leave Python with the first one's bytecode
        os.utime(self.root / path, (stamp, stamp))

    @contextlib.contextmanager
    def damaged(self, *changes: str) -> Iterator[None]:
        """A file, what is there, and what comes in its place, in turn; all of it is as before at the end."""
        before: dict[str, str] = {}
        try:
            for path, old, new in zip(changes[::3], changes[1::3], changes[2::3], strict=True):
                text = self.read(path)
                before.setdefault(path, text)
                assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
                self.write(path, text.replace(old, new))
            yield
        finally:
            for path, text in before.items():
                self.write(path, text)

    def line(self, path: str, start: str) -> str:
        """The place of the only line that begins so, as it is told."""
        (number,) = [i for i, line in enumerate(self.read(path).splitlines(), 1) if line.strip().startswith(start)]
        return f"{path}:{number}"

    @property
    def environment(self) -> dict[str, str]:
        own = {"PYTHONPATH": str(self.root), "COLUMNS": "140", "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1"}
        return os.environ | own | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # half of the time of a small test

    def python(self, *words: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def mlcore(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "mlcore", *words)

    @functools.cached_property
    def _finder(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", _FINDER]
        return subprocess.Popen(
            command, cwd=self.root, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def find(self, *asked: tuple[str, str, str], quick: bool = False) -> list[list[str]]:
        """What each stage finds in a piece of a topic, all in one process."""
        assert self._finder.stdin and self._finder.stdout
        print(json.dumps([(*words, quick) for words in asked]), file=self._finder.stdin, flush=True)
        told: list[list[str]] | None = json.loads(self._finder.stdout.readline())
        assert told is not None, "the process has died: it has said why"
        return told

    def close(self) -> None:
        """Ends the process; nothing is asked of it any more."""
        if "_finder" in vars(self):
            self._finder.communicate(timeout=10)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = Project(tmp_path_factory.mktemp("project"))
    yield made
    made.close()
