"""What every command of `mlcore` shares: where it prints, and how it says that a package is missing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from rich.console import Console

from mlcore.engine.errors import Problem

out = Console()
err = Console(stderr=True)


def literal(text: str) -> str:
    """Text in which square brackets are brackets, not styles."""
    return text.replace("[", r"\[")


@contextlib.contextmanager
def needs(extra: str) -> Iterator[None]:
    """Turns a missing package of an extra into one line."""
    try:
        yield
    except ModuleNotFoundError as error:
        if str(error.name).startswith("mlcore"):
            raise
        raise Problem(f"{error.name} is missing: pip install --editable '.[{extra}]'") from None
