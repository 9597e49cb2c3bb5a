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
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from mlcore.engine.asking.plain import plain
from mlcore.engine.asking.stopping import Stopped, stoppable
from mlcore.engine.asking.watch import Spy, Watch, spy_for

TIME_LIMIT = 30.0  # seconds for one check in a notebook


@dataclass(frozen=True, eq=False)
class Call:
    """One question to the student's code: part `part` of the answer at `args` (None: a plain value)."""

    part: int
    args: tuple[Any, ...] | None = None
    probe: bool = False  # asked to see what the answer depends on; not compared with anything

    @property
    def size(self) -> int:
        return sum(np.size(a) for a in self.args or ())


@dataclass(frozen=True)
class Trouble:
    """An exception, with the student's own line."""

    kind: str  # empty: there was nothing to call
    message: str
    line: str = ""

    def __str__(self) -> str:
        return quoted(f"{self.kind}: {self.message}" if self.message else self.kind)


@dataclass
class Reply:
    """What came back from one call."""

    value: Any = None  # made plain
    trouble: Trouble | None = None
    untouched: bool = False
    calls: str = ""  # the reference that the answer called
    changed: tuple[int, ...] = ()  # positions of the arguments that it changed in place
    warnings: list[str] = field(default_factory=list)
    printed: str = ""


def quoted(words: str) -> str:
    """A student's words within a sentence of ours: no page that shows it takes them for LaTeX."""
    return words.replace("$", "＄").replace("\\", "＼")


def public(error: str) -> str:
    """The name of an error as a student knows it: Python 3.13 has a private one for code that is not complete."""
    return "SyntaxError" if error == "_IncompleteInputError" else error


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
    answers: Sequence[Any], plan: Sequence[Call], watch: Watch | None = None, limit: float = TIME_LIMIT
) -> list[Reply]:
    """The reply of the student's code to every call of the plan, in order. After a stop, the rest is not run."""
    replies: list[Reply] = []
    listening = spy_for(watch or Watch())
    with stoppable(limit, below=_run.__code__):
        for call in plan:
            if replies and (trouble := replies[-1].trouble) and trouble.kind == Stopped.__name__:
                replies.append(replies[-1])
            else:
                replies.append(ask(answers[call.part], call, listening))
    return replies


def ask(answer: Any, call: Call, spy: Spy | None = None) -> Reply:
    if untouched(answer):
        return Reply(untouched=True)
    if call.args is None:
        return Reply(value=plain(answer))
    if not callable(answer):
        return Reply(trouble=Trouble("", f"A function is asked for, got a value of type {type(answer).__name__}."))
    reply = Reply()
    args = copy.deepcopy(call.args)
    out = io.StringIO()
    catch = warnings.catch_warnings(record=True)
    with catch as caught, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        warnings.simplefilter("always")
        _run(answer, args, reply, spy)
    reply.warnings = list(dict.fromkeys(str(w.message) for w in caught))
    reply.printed = out.getvalue()
    reply.changed = tuple(i for i, (now, was) in enumerate(zip(args, call.args, strict=True)) if _differs(now, was))
    return reply


def _run(answer: Callable, args: tuple, reply: Reply, spy: Spy | None) -> None:
    def listen(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and (name := spy(frame)):  # type: ignore[misc]
            reply.calls = name

    profiler, elsewhere = sys.getprofile(), threading.getprofile()
    tracer = sys.gettrace()
    try:
        if spy:
            threading.setprofile(listen)
            sys.setprofile(listen)
        reply.value = plain(answer(*args))
        if spy and sys.getprofile() is not listen:
            reply.calls = "sys.setprofile"
    except Stopped as stopped:
        sys.settrace(tracer)  # first of all: see stoppable
        reply.trouble = Trouble(Stopped.__name__, str(stopped))
    except NotImplementedError:
        reply.untouched = True
    except (Exception, SystemExit, GeneratorExit) as error:
        reply.trouble = Trouble(type(error).__name__, str(error), _own_line(error, answer))
    finally:
        if profiler is None or callable(profiler):  # that of `%prun` is an object that cannot be set again
            sys.setprofile(profiler)
        threading.setprofile(elsewhere)


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
