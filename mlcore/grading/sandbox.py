"""The grader's side of the border: bubblewrap around `inside.py`, and what it may see.

What the student's process sees of the machine: the system's libraries, the interpreter and its packages, and a copy
of the mathematics (`mlcore/<topic>.py` and the data). The exercises, their references, the solutions, the tests, the
course folder and the gradebook are not there.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from mlcore.errors import Problem
from mlcore.grading import wire
from mlcore.grading.inside import Limits

MISSING = "grading needs bubblewrap: apt-get install bubblewrap (or --no-sandbox, if you trust every student)"
START_SECONDS = 180.0
FIRST_USER = 61_000  # as root each worker's sandbox runs under an unprivileged user of its own
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/fonts")
VIEW = "/course"


class Ended(Exception):
    """The student's process is no more; the message says why."""


class Lost(Ended):
    """It went with its sandbox, perhaps through no fault of its own."""


class Child:
    """A submission's process: runs cells, answers questions."""

    def __init__(self, channel: socket.socket, limits: Limits, deadline: float) -> None:
        self._channel, self._limits, self._deadline = channel, limits, deadline

    def run(self, source: str) -> list[dict[str, str]]:
        reply = self._say({"cell": source, "limit": self._limits.cell_seconds})
        if not isinstance(reply, dict) or not isinstance(outputs := reply.get("outputs"), list):
            raise wire.Garbled("no outputs")
        return [_output(output) for output in outputs[:22]]

    def ask(self, question: str, answers: Sequence[str], count: int) -> list:
        reply = self._say({"ask": question, "answers": list(answers), "limit": self._limits.cell_seconds})
        return wire.unpacked_replies(reply.get("replies") if isinstance(reply, dict) else None, count)

    def _say(self, message: dict) -> Any:
        # Past its own limit a cell is stopped from inside; what resists that is stopped from here.
        patience = min(self._deadline - time.monotonic(), self._limits.cell_seconds + 2)
        self._channel.settimeout(max(patience, 0.01))
        try:
            wire.send(self._channel, message)
            return wire.receive(self._channel)
        except TimeoutError:
            raise Ended("it ran out of time") from None


def _output(data: Any) -> dict[str, str]:
    """One output of a cell: a few known words, each a short text."""
    if not isinstance(data, dict) or data.get("kind") not in ("stream", "result", "error"):
        raise wire.Garbled("an output of no known kind")
    return {
        key: wire.writable(str(data[key])[:20_000])
        for key in ("kind", "text", "name", "message", "trace")
        if key in data
    }


class Sandbox:
    """One for each worker: started at the first submission, and again whenever it has died."""

    def __init__(self, limits: Limits, protected: bool = True, number: int = 0, mode: str = "") -> None:
        if protected and not shutil.which("bwrap"):
            raise Problem(MISSING)
        # A private /tmp, unless Python itself lies below it.
        scratch = "/scratch" if any(f.startswith("/tmp/") for f in _interpreter()) else "/tmp"
        self.limits = replace(limits, scratch_at=scratch)
        self.mode = mode or ("namespaces" if protected else "plain")
        self._user = FIRST_USER + number % 4000
        self._folder = Path(tempfile.mkdtemp(prefix="mlcore-view-"))
        self._folder.chmod(0o755)
        write_view(self._folder)
        self._server: subprocess.Popen | None = None
        self._control: socket.socket | None = None
        self._gone: str | None = None  # why the last submission's process ended, once that is known

    @property
    def pid(self) -> int:
        return self._server.pid if self._server else 0

    def close(self) -> None:
        self._stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _stop(self) -> None:
        if self._control:
            self._control.close()
            self._control = None
        if self._server:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()
            self._server = None

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """A fresh process for one submission. `Ended`, with the reason, if it does not live to the end."""
        control = self._running()
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(control, [b"r"], [theirs.fileno()])
            yield Child(ours, self.limits, time.monotonic() + self.limits.seconds)
        except wire.Gone:
            why = self._farewell(control) or "it ended its own process"
            raise (Lost if why == DIED else Ended)(why) from None
        except wire.Garbled as error:
            raise Ended(f"it sent the grader {error}") from None
        except OSError as error:
            self._stop()
            raise Lost(f"the sandbox failed ({error.strerror})") from None
        finally:
            ours.close()
            self._farewell(control)
            if self.mode == "alone":
                self._stop()

    def _farewell(self, control: socket.socket) -> str:
        """Make sure that the process is gone; why it went. A server that does not answer is replaced."""
        if control is not self._control:
            return ""
        if self._gone is not None:
            return self._gone
        try:
            control.settimeout(0.5)
            try:
                answer = wire.receive(control)
            except TimeoutError:
                control.settimeout(10)
                control.send(b"k")
                answer = wire.receive(control)
            ended = answer["ended"]
        except (OSError, wire.Gone, wire.Garbled, KeyError, TypeError):
            self._stop()
            ended = DIED
        self._gone = _REASONS.get(ended, "it ended its own process" if ended else "")
        return self._gone

    def _running(self) -> socket.socket:
        self._gone = None
        if self._server and self._server.poll() is None and self._control:
            return self._control
        self._stop()
        self._start()
        if self.mode == "namespaces" and not self._probe():
            self._stop()
            self.mode = "alone"
            self._start()
        self._gone = None
        assert self._control
        return self._control

    def _probe(self) -> bool:
        """Can a submission have namespaces of its own here?"""
        assert self._control
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [b"r"], [theirs.fileno()])
        try:
            with ours:
                Child(ours, self.limits, time.monotonic() + START_SECONDS).run("1")
            self._control.settimeout(START_SECONDS)
            return wire.receive(self._control).get("ended") in ("", "stopped")
        except (Ended, wire.Gone, wire.Garbled, OSError):
            self._stop()
            return False

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        program = (
            f"import sys; sys.path.insert(0, {self._view!r}); from mlcore.grading.inside import Limits, main; "
            f"main({theirs.fileno()}, {self.mode!r}, Limits(**{asdict(self.limits)!r}))"
        )
        errors = self._folder / "errors.txt"
        with theirs, errors.open("w") as log:
            self._server = subprocess.Popen(
                [*self._walls(), sys.executable, "-sc", program],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=_environment("/tmp" if self.mode == "plain" else self.limits.scratch_at),
                start_new_session=True,
            )
        self._control = ours
        ours.settimeout(START_SECONDS)
        try:
            wire.receive(ours)
        except (wire.Gone, wire.Garbled, TimeoutError):
            self._stop()
            said = errors.read_text(errors="replace").strip().splitlines()
            raise Problem(f"the sandbox did not start: {said[-1] if said else 'it said nothing'}") from None

    @property
    def _view(self) -> str:
        return str(self._folder) if self.mode == "plain" else VIEW

    def _walls(self) -> list[str]:
        """The command that shuts in what follows it."""
        if self.mode == "plain":
            return []
        rooms = self._rooms()
        scratch = self.limits.scratch_at
        size = ["--size", str(self.limits.scratch << 20)]
        last = ["--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev", *size, "--tmpfs", "/dev/shm"]
        last += [*size, "--tmpfs", scratch, "--remount-ro", "/dev", "--remount-ro", "/"]
        last += ["--chdir", scratch, *(["--unshare-user", "--disable-userns"] if self.mode == "alone" else [])]
        if os.geteuid() != 0:
            return ["bwrap", *rooms, *last]
        # As root: the first bubblewrap lays out the files, then the user is dropped for good, and the second one
        # shuts in an ordinary user.
        user = str(self._user)
        drop = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs"]
        drop += ["--bounding-set", "-all", "--inh-caps", "-all"]
        capabilities = [word for name in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{name}")]
        outer = ["bwrap", *rooms, "--bind", "/proc", "/proc", "--dev", "/dev", "--tmpfs", scratch, "--die-with-parent"]
        return [*outer, "--unshare-net", *capabilities, *drop, "bwrap", "--ro-bind", "/", "/", *last]

    def _rooms(self) -> list[str]:
        """The files that can be seen, all of them read-only."""
        words: list[str] = []
        for path in SYSTEM:
            if os.path.islink(path):
                words += ["--symlink", os.readlink(path), path]
            elif os.path.isdir(path):
                words += ["--ro-bind", path, path]
        words += ["--perms", "0755", "--dir", "/etc"]
        for path in SETTINGS:
            words += ["--ro-bind-try", path, path]
        made: set[str] = set()
        for path in (*_interpreter(), VIEW):
            for parent in reversed(Path(path).parents[:-1]):
                if str(parent) not in made and not str(parent).startswith("/usr"):
                    made.add(str(parent))
                    words += ["--perms", "0755", "--dir", str(parent)]
            words += ["--ro-bind", str(self._folder) if path == VIEW else path, path]
        if any(_ours().is_relative_to(path) for path in (*SYSTEM, *_interpreter())):  # installed, not editable
            words += ["--tmpfs", str(_ours()), "--remount-ro", str(_ours())]
        return words


DIED = "the sandbox died"
_REASONS = {
    "": "",
    "stopped": "it ran out of time",
    "time": "it used all its processor time",
    "memory": "it used too much memory",
    DIED: DIED,
}


def _interpreter() -> list[str]:
    """The folders that Python and its packages need, outermost first."""
    folders = {sys.prefix, sys.base_prefix, os.path.dirname(os.path.realpath(sys.executable))}
    folders = {os.path.realpath(f) for f in folders} | {sys.prefix}
    found = sorted(f for f in folders if not f.startswith(("/usr/", "/bin")) and f != "/usr")
    return [f for f in found if not any(f != other and f.startswith(other + "/") for other in found)]


def _environment(scratch: str) -> dict[str, str]:
    """Nothing of the grader's own environment crosses."""
    return {
        "HOME": scratch,
        "IPYTHONDIR": f"{scratch}/.ipython",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": f"{scratch}/.matplotlib",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "TMPDIR": scratch,
    }


def _ours() -> Path:
    """The folder of mlcore itself, exercises and all."""
    spec = importlib.util.find_spec("mlcore")
    assert spec and spec.origin
    return Path(spec.origin).parent


def write_view(folder: Path) -> None:
    """The `mlcore` that a student's process has: the mathematics, the data, and stand-ins for the rest."""
    ours, theirs = _ours(), folder / "mlcore"
    for name in ("checks", "explore", "grading"):
        (theirs / name).mkdir(parents=True)
    for module in ours.glob("*.py"):
        if (ours / "checks" / module.name).exists() or module.stem in ("__init__", "numerics"):
            shutil.copy(module, theirs)
    shutil.copytree(ours / "data", theirs / "data", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("_answers.py", "_values.py"):
        shutil.copy(ours / "checks" / name, theirs / "checks")
    for name in ("inside.py", "wire.py"):
        shutil.copy(ours / "grading" / name, theirs / "grading")
    (theirs / "course.py").write_text("class Map:\n    pass\n")
    for room in ("checks", "explore", "grading"):
        (theirs / room / "__init__.py").write_text("")
    for path in (ours / "checks").glob("[!_]*.py"):
        (theirs / "checks" / path.name).write_text("from mlcore.standin import Silent\n\ncheck = Silent()\n")
        explorers = "from mlcore.standin import Silent\n\n\ndef __getattr__(name):\n    return Silent()\n"
        (theirs / "explore" / path.name).write_text(explorers)
    (theirs / "standin.py").write_text(_SILENT)


# Checks and figures cost nothing when a notebook is graded: the checks are asked from outside, and nobody looks.
_SILENT = '''class Silent:
    """Takes any call and any name, and says nothing."""

    def __call__(self, *args, **options):
        return Silent()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Silent()

    def __repr__(self):
        return ""
'''
