"""Runs the student's code and keeps what it gave back. Nothing here judges.

Collecting and judging are apart so that a grader can collect in a sandbox
and judge in a clean process: see `collect` here and `Exercise.judge`.
"""

from __future__ import annotations

import contextlib
import copy
import dis
import inspect
import io
import linecache
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import numpy as np

from mlcore.checks._values import plain

TIME_LIMIT = 30.0  # seconds for one check in a notebook

Words = tuple[tuple[str, str], ...]


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

    kind: str  # empty: there was nothing to call
    message: str
    line: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


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


@dataclass(frozen=True)
class Watch:
    """What an answer must not lean on. Plain data, so that it can cross into a sandbox.

    `functions` are names as `name_of` gives them. In a derivation `lines` are the words of the lines that are
    given, by label; a line may neither call nor repeat one of them or an earlier line of the student's.
    """

    functions: tuple[str, ...] = ()
    lines: tuple[tuple[str, Words], ...] = ()


def public(error: str) -> str:
    """The name of an error as a student knows it: Python 3.13 has a private one for code that is not complete."""
    return "SyntaxError" if error == "_IncompleteInputError" else error


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
    answers: Sequence[Any], plan: Sequence[Call], watch: Watch | None = None, limit: float = TIME_LIMIT
) -> list[Reply]:
    """The reply of the student's code to every call of the plan, in order. After a stop, the rest is not run."""
    replies: list[Reply] = []
    spies = _spies(answers, watch or Watch())
    with stoppable(limit):
        for call in plan:
            if replies and (trouble := replies[-1].trouble) and trouble.kind == Stopped.__name__:
                replies.append(replies[-1])
            else:
                replies.append(ask(answers[call.part], call, spies[call.part]))
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


class Spy:
    """Notices calls of watched code, whatever alias they are made by."""

    def __init__(self, functions: Sequence[str], lines: dict[Words, str]) -> None:
        self._functions = set(functions)
        self._lines = lines
        self._known: dict[CodeType, str] = {}

    def __call__(self, frame: FrameType) -> str:
        """The name of what is called, if it is watched, else nothing."""
        code = frame.f_code
        if code not in self._known:
            self._known[code] = self._find(code, _home(code) or frame.f_globals.get("__name__"))
        return self._known[code]

    def _find(self, code: CodeType, module: Any) -> str:
        name = _full_name(module, code)
        if name in self._functions:
            return name.partition(":")[0]
        ours = self._lines and not str(module).startswith("numpy")  # its code is long to read and never a line
        return self._lines.get(words_of(code), "") if ours else ""


def _spies(answers: Sequence[Any], watch: Watch) -> list[Spy | None]:
    """One for each part of the answer."""
    if not watch.lines:
        return [Spy(watch.functions, {}) if watch.functions else None] * len(answers)
    spies: list[Spy | None] = []
    seen = {words: label for label, words in watch.lines}
    for i, answer in enumerate(answers):
        spies.append(Spy(watch.functions, dict(seen)))
        code = _own_code(answer)
        if code:
            seen.setdefault(words_of(code), f"line {i + 2}")
    return spies


def name_of(function: Callable) -> str:
    """What `Watch` calls a function: module, name and line, so that two of one name differ."""
    code = getattr(function, "__code__", None)
    return _full_name(function.__globals__.get("__name__"), code) if code else ""


def _home(code: CodeType) -> str:
    """The topic's module that this was written in, under whatever name it was loaded again."""
    folder, _, file = code.co_filename.rpartition("/")
    return f"mlcore.{file.removesuffix('.py')}" if folder.endswith("/mlcore") else ""


def _full_name(module: Any, code: CodeType) -> str:
    return f"{module}.{code.co_qualname}:{code.co_firstlineno}"


def words_of(code: CodeType) -> Words:
    """What a function says, whatever its name and its docstring."""
    return tuple(
        (step.opname, repr(words_of(step.argval)) if isinstance(step.argval, CodeType) else step.argrepr)
        for step in dis.get_instructions(code)
    )


def _own_code(answer: Any) -> CodeType | None:
    """The code of a function under its decorators. A closure's code is not its own: others share it."""
    code = getattr(inspect.unwrap(answer), "__code__", None) if callable(answer) else None
    return code if code and not code.co_freevars else None


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


@contextlib.contextmanager
def stoppable(limit: float, below: CodeType | None = None) -> Iterator[None]:
    """The stop button and a time limit that a bare `except:` in a loop cannot swallow.

    After the signal, the next line of the student's code raises once more: an exception that
    was swallowed comes back inside the handler that swallowed it, and gets out of the loop.
    The student's code is what runs `below` the given code.
    """
    below = below or _run.__code__
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
