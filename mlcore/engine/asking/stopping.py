"""Ends a student's code that does not end: the stop button, and a limit on time."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any


class Stopped(BaseException):
    """The time is up, or the student pressed the stop button."""


@contextlib.contextmanager
def stoppable(limit: float, below: CodeType) -> Iterator[None]:
    """The stop button and a time limit that a bare `except:` in a loop cannot swallow.

    After the signal, the next line of the student's code raises once more: an exception that
    was swallowed comes back inside the handler that swallowed it, and gets out of the loop.
    The student's code is what runs `below` the given code.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        pressed = number == signal.SIGINT
        reason = "you interrupted it" if pressed else f"it was still running after {limit:g} s"

        def again(frame: FrameType, event: str, arg: Any) -> Any:
            if event == "line":
                raise Stopped(reason)
            return again

        inside = []
        while frame is not None and frame.f_code is not below:
            inside.append(frame)
            frame = frame.f_back
        if frame is None:  # our own code is running, not the student's
            if pressed:
                raise KeyboardInterrupt
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            return
        sys.settrace(again)
        for each in inside:
            each.f_trace = again
        raise Stopped(reason)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
