"""Local processes that grade: each with a sandbox of its own, each replaced when it dies."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from mlcore.engine.errors import Problem
from mlcore.grading.inside import Limits
from mlcore.grading.marking import Result, Task, grade
from mlcore.grading.sandbox import Sandbox

TRIES = 3  # of a submission whose worker dies
SPARE_MEMORY = 2 << 30  # bytes that judging one answer may take beyond what is loaded


@dataclass(frozen=True)
class GivenUp:
    """A submission that nobody could grade."""

    why: str


Outcome = Result | GivenUp


@dataclass(frozen=True)
class Rules:
    """How submissions are run: the limits of each, and whether there is a sandbox."""

    limits: Limits = field(default_factory=Limits)
    protected: bool = True


def die_with_parent() -> None:
    """No grader, no workers: the kernel sees to it, however the grader ends."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def serve(descriptor: int) -> None:
    """What a worker's process does: grade what comes until nothing comes any more."""
    die_with_parent()
    connection: Connection = Connection(descriptor)
    number, rules = connection.recv()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader hears it and ends us
    with open("/proc/self/statm", encoding="ascii") as file:
        loaded = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (loaded + SPARE_MEMORY,) * 2)
    try:
        sandbox = Sandbox(rules.limits, rules.protected, number)
    except Problem as problem:
        connection.send(problem)
        return
    try:
        while task := connection.recv():
            try:
                connection.send(grade(task, sandbox))
            except Problem as problem:
                connection.send(problem)
                return
            except Exception as error:  # ours, not the student's: the others are graded all the same
                connection.send(GivenUp(f"the grader failed: {type(error).__name__}: {error}"))
    except (EOFError, ConnectionError):
        pass
    finally:
        sandbox.close()


class Worker:
    """One process that grades one submission at a time."""

    def __init__(self, rules: Rules, number: int = 0) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        program = f"import sys; sys.path[:] = {sys.path!r}; from mlcore.grading.workers import serve; serve"
        command = [sys.executable, "-c", f"{program}({theirs.fileno()})"]
        with theirs:
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        self.connection.send((number, rules))
        self.number = number
        self.task: Task | None = None
        self.since = 0.0

    def give(self, task: Task) -> None:
        self.task, self.since = task, time.monotonic()
        with contextlib.suppress(BrokenPipeError):  # dead already: `take` says so
            self.connection.send(task)

    def take(self) -> Outcome | None:
        """What came back; nothing, if the process died of it."""
        try:
            answer: Any = self.connection.recv()
        except (EOFError, ConnectionResetError):
            return None
        if isinstance(answer, Problem):
            raise answer
        self.task = None
        return answer

    def end(self) -> None:
        """An idle worker leaves by itself and takes its sandbox's files with it; one at work is stopped."""
        self.connection.close()
        if self.task is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        self.process.kill()
        self.process.wait()


class Pool:
    """As many workers as asked for. Every task comes back: graded, or given up with a reason."""

    def __init__(self, workers: int, rules: Rules) -> None:
        self.rules = rules
        self._workers = [Worker(rules, number) for number in range(workers)]
        self._longest = rules.limits.seconds * 2 + 120

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Outcome]]:
        waiting = iter(tasks)
        again: list[Task] = []
        tries: dict[tuple[str, str], int] = {}
        while True:
            for worker in self._workers:
                task = None if worker.task else (again.pop() if again else next(waiting, None))
                if task:
                    worker.give(task)
            busy = {worker.connection: worker for worker in self._workers if worker.task}
            if not busy:
                return
            for connection in wait(list(busy), timeout=1.0):
                worker = busy[connection]  # type: ignore[index]
                task = worker.task
                assert task
                outcome = worker.take()
                if outcome is None:
                    outcome = self._died(worker, task, tries, again)
                if outcome:
                    yield task, outcome
            for worker in busy.values():
                if worker.task and time.monotonic() - worker.since > self._longest:
                    worker.process.kill()

    def _died(self, worker: Worker, task: Task, tries: dict, again: list[Task]) -> GivenUp | None:
        """Another worker in its place, and another try for what it had in hand."""
        worker.end()
        self._workers[self._workers.index(worker)] = Worker(self.rules, worker.number)
        key = (task.assignment, task.student)
        tries[key] = tries.get(key, 0) + 1
        if tries[key] >= TRIES:
            return GivenUp(f"its worker died {TRIES} times")
        again.append(task)
        return None
