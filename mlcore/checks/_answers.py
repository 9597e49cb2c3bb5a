"""Runs the student's code and keeps what it gave back. Nothing here judges.

Collecting and judging are apart so that a grader can collect in a sandbox
and judge in a clean process: see `collect` here and `Exercise.judge`.
"""

from __future__ import annotations

import contextlib
import copy
import dis
import io
import linecache
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import numpy as np

TIME_LIMIT = 30.0  # seconds for one check in a notebook


@dataclass(frozen=True, eq=False)
class Call:
    """One question to the student's code: part `part` of the answer at `args` (None: a plain value)."""

    part: int
    args: tuple[Any, ...] | None = None

    @property
    def size(self) -> int:
        return sum(np.size(a) for a in self.args or ())


@dataclass(frozen=True)
class Trouble:
    """An exception, with the student's own line."""

    kind: str
    message: str
    line: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass
class Reply:
    """What came back from one call."""

    value: Any = None
    trouble: Trouble | None = None
    untouched: bool = False
    calls: str = ""  # the reference that the answer called
    changed: tuple[int, ...] = ()  # positions of the arguments that it changed in place
    warnings: list[str] = field(default_factory=list)
    printed: str = ""


class Stopped(BaseException):
    """The time is up, or the student pressed the stop button."""


def untouched(answer: Any) -> bool:
    """Is this still the stub: `...`, or a function that does nothing?"""
    if answer is ... or answer is None:
        return True
    if isinstance(answer, tuple) and answer:
        return all(untouched(part) for part in answer)
    code = getattr(answer, "__code__", None)
    if code is None:
        return False
    return all(
        step.opname in {"RESUME", "NOP", "RETURN_VALUE"}
        or (step.opname in {"LOAD_CONST", "RETURN_CONST"} and step.argval in (None, ...))
        for step in dis.get_instructions(code)
    )


def collect(
    answers: Sequence[Any],
    plan: Sequence[Call],
    watch: Sequence[Mapping[CodeType, str]] | None = None,
    limit: float = TIME_LIMIT,
) -> list[Reply]:
    """The reply of the student's code to every call of the plan, in order.

    `watch` names, for each part, the code that it must not lean on. After a stop, the rest is not run.
    """
    replies: list[Reply] = []
    with _stoppable(limit):
        for call in plan:
            if replies and (trouble := replies[-1].trouble) and trouble.kind == Stopped.__name__:
                replies.append(replies[-1])
            else:
                replies.append(ask(answers[call.part], call, watch[call.part] if watch else {}))
    return replies


def ask(answer: Any, call: Call, watch: Mapping[CodeType, str]) -> Reply:
    if untouched(answer):
        return Reply(untouched=True)
    if call.args is None:
        return Reply(value=answer)
    if not callable(answer):
        return Reply(trouble=Trouble("TypeError", f"a function is asked for, got {type(answer).__name__}"))
    reply = Reply()
    args = copy.deepcopy(call.args)
    out = io.StringIO()
    catch = warnings.catch_warnings(record=True)
    with catch as caught, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        warnings.simplefilter("always")
        _run(answer, args, reply, watch)
    reply.warnings = list(dict.fromkeys(str(w.message) for w in caught))
    reply.printed = out.getvalue()
    reply.changed = tuple(i for i, (now, was) in enumerate(zip(args, call.args, strict=True)) if _differs(now, was))
    return reply


def _run(answer: Callable, args: tuple, reply: Reply, watch: Mapping[CodeType, str]) -> None:
    def spy(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code in watch:
            reply.calls = watch[frame.f_code]

    profiler = sys.getprofile()
    tracer = sys.gettrace()
    try:
        if watch:
            sys.setprofile(spy)
        reply.value = answer(*args)
    except Stopped as stopped:
        sys.settrace(tracer)  # first of all: see _stoppable
        reply.trouble = Trouble(Stopped.__name__, str(stopped))
    except NotImplementedError:
        reply.untouched = True
    except (Exception, SystemExit, GeneratorExit) as error:
        reply.trouble = Trouble(type(error).__name__, str(error), _own_line(error, answer))
    finally:
        sys.setprofile(profiler)


def _differs(now: Any, was: Any) -> bool:
    try:
        return not np.array_equal(np.asarray(now), np.asarray(was), equal_nan=True)
    except (TypeError, ValueError):
        return False


def _own_line(error: BaseException, answer: Callable) -> str:
    """The line of the student's own code where it went wrong, as in `line 3: return X @ w`."""
    frames = traceback.extract_tb(error.__traceback__)
    home = getattr(getattr(answer, "__code__", None), "co_filename", None)
    own = [f for f in frames if f.filename == home]
    if isinstance(error, SyntaxError) or not own:
        return ""
    source = own[-1].line or linecache.getline(own[-1].filename, own[-1].lineno or 0).strip()
    return f"line {own[-1].lineno}: {source}" if source else f"line {own[-1].lineno}"


@contextlib.contextmanager
def _stoppable(limit: float) -> Iterator[None]:
    """The stop button and a time limit that a bare `except:` in a loop cannot swallow.

    After the signal, the next line of the student's code raises once more: an exception that
    was swallowed comes back inside the handler that swallowed it, and gets out of the loop.
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
        while frame is not None and frame.f_code is not _run.__code__:
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
