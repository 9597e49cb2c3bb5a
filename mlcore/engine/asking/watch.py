"""What an answer must not lean on, and the spy that notices it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any


@dataclass(frozen=True)
class Watch:
    """What an answer must not call. Plain data, so that it can cross into a sandbox.

    `functions` are names as `name_of` gives them. `lines` are the lines of a derivation that are given: the name of the
    function in the notebook, what to call it, and the names of its arguments.
    """

    functions: tuple[str, ...] = ()
    lines: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


class Spy:
    """Notices calls of watched code, whatever alias they are made by."""

    def __init__(self, watch: Watch) -> None:
        self._functions = set(watch.functions)
        self._lines = {(name, *arguments): label for name, label, arguments in watch.lines}
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
        return self._lines.get((code.co_qualname, *code.co_varnames[: code.co_argcount]), "")


def spy_for(watch: Watch) -> Spy | None:
    return Spy(watch) if watch.functions or watch.lines else None


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
