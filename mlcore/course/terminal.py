"""What every command of `mlcore` shares: where it prints, and how it says that a package is missing."""

from __future__ import annotations

import contextlib
import importlib.util
import re
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn
from rich.table import Table

from mlcore.engine.errors import Problem

out = Console(emoji=False)  # ridge.py:100: is a line, not a hundred points
err = Console(stderr=True, emoji=False)


def literal(text: str) -> str:
    """Text in which square brackets are brackets, not styles."""

    def escaped(found: re.Match) -> str:
        backslashes, bracket = found.groups()
        return (backslashes if bracket == "[" else 2 * backslashes) + "\\" + bracket  # rich reads a style's in pairs

    return re.sub(r"(\\*)(\[(?:[a-z#/@][^[]*?\])?)", escaped, text)


def print_whole(table: Table) -> None:
    """A table in which nothing is cut, however narrow the terminal is; so that a pipe can be searched, too."""
    natural = out.measure(table, options=out.options.update(width=1000)).maximum
    Console(emoji=False, width=max(out.width, natural)).print(table)


def counting(what: ProgressColumn, *more: ProgressColumn) -> Progress:
    """A bar that is gone at the end. A file or a pipe gets none, and no empty line for it."""
    columns = (what, BarColumn(), MofNCompleteColumn(), *more)
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


@contextlib.contextmanager
def needs(extra: str, *packages: str) -> Iterator[None]:
    """Turns a missing package of an extra into one line; `packages` are looked for before anything is done."""
    try:
        for package in packages:
            if importlib.util.find_spec(package) is None:
                raise ModuleNotFoundError(name=package)
        yield
    except ModuleNotFoundError as error:
        if str(error.name).startswith("mlcore"):
            raise
        raise Problem(f"{error.name} is missing: pip install --editable '.[{extra}]'") from None
