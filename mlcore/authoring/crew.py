"""Processes that work side by side. One that dies loses the piece that it was at, and no other."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

SPAWN = multiprocessing.get_context("spawn")  # numpy and its threads are loaded anew in each
DIED = object()  # in the place of an answer: the process ended before it had one
Piece = tuple[Any, ...]


def work(task: Callable[..., Any], pieces: Sequence[Piece], workers: int) -> Iterator[tuple[int, Any]]:
    """The number of each piece and what `task` makes of it, or `DIED`, whichever is done first."""
    waiting = deque(enumerate(pieces))
    at: dict[Connection, tuple[BaseProcess, int]] = {}
    try:
        while waiting or at:
            while waiting and len(at) < workers:
                _give(_hire(task), waiting, at)
            for line in [line for line in wait(list(at)) if isinstance(line, Connection)]:
                process, number = at.pop(line)
                try:
                    answer = line.recv()
                except (EOFError, ConnectionError):
                    answer = DIED
                if waiting and answer is not DIED:
                    _give((process, line), waiting, at)
                else:
                    _end(process)
                yield number, answer
    finally:
        for process, _ in at.values():
            _end(process)


def _hire(task: Callable[..., Any]) -> tuple[BaseProcess, Connection]:
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=_serve, args=(task, theirs), daemon=True)
    with _deaf():
        process.start()
    theirs.close()  # or we would not hear that the other end is gone
    return process, ours


def _give(
    hand: tuple[BaseProcess, Connection],
    waiting: deque[tuple[int, Piece]],
    at: dict[Connection, tuple[BaseProcess, int]],
) -> None:
    process, line = hand
    number, piece = waiting.popleft()
    at[line] = process, number
    with contextlib.suppress(ConnectionError):  # it died: `recv` says so
        line.send(piece)


def _end(process: BaseProcess) -> None:
    """With all that it has started."""
    with contextlib.suppress(OSError, AttributeError):
        os.killpg(process.pid or 0, signal.SIGKILL)
    process.kill()
    process.join()


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """A process that is started here does not hear Ctrl-C: who started it ends it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(task: Callable[..., Any], line: Connection) -> None:
    """In the process: one piece after the other, until nobody asks any more."""
    if hasattr(os, "setsid"):
        os.setsid()  # a group of our own, that ends with us
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with open(os.devnull, "wb") as nowhere:  # LAPACK complains of wild mutants on its own
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
    with contextlib.suppress(EOFError):
        while True:
            line.send(task(*line.recv()))


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
