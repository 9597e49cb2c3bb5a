"""What an answer must not lean on, and the spy that notices it."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

Words = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Watch:
    """What an answer must not lean on. Plain data, so that it can cross into a sandbox.

    `functions` are names as `name_of` gives them. In a derivation `lines` are the words of the lines that are
    given, by label; a line may neither call nor repeat one of them or an earlier line of the student's.
    """

    functions: tuple[str, ...] = ()
    lines: tuple[tuple[str, Words], ...] = ()


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


def spies(answers: Sequence[Any], watch: Watch) -> list[Spy | None]:
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
