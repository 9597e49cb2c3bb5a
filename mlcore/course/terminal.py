"""What every command of `mlcore` shares: where it prints, and how it says that a package is missing."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn

from mlcore.engine.errors import Problem

out = Console(emoji=False)  # ridge.py:100: is a line, not a hundred points
err = Console(stderr=True, emoji=False)


def literal(text: str) -> str:
    """Text in which square brackets are brackets, not styles."""

    def escaped(found: re.Match) -> str:
        backslashes, bracket = found.groups()
        return (backslashes if bracket == "[" else 2 * backslashes) + "\\" + bracket  # rich reads a style's in pairs

    return re.sub(r"(\\*)(\[(?:[a-z#/@][^[]*?\])?)", escaped, text)


def counting(what: ProgressColumn, *more: ProgressColumn) -> Progress:
    """A bar that is gone at the end. A file or a pipe gets none, and no empty line for it."""
    columns = (what, BarColumn(), MofNCompleteColumn(), *more)
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


@contextlib.contextmanager
def needs(extra: str) -> Iterator[None]:
    """Turns a missing package of an extra into one line."""
    try:
        yield
    except ModuleNotFoundError as error:
        if str(error.name).startswith("mlcore"):
            raise
        raise Problem(f"{error.name} is missing: pip install --editable '.[{extra}]'") from None
