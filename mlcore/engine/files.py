"""Files that are whole or not there at all, whatever is killed or full."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write(path: Path, content: str | bytes) -> None:
    """All of it or nothing: a temporary file beside it takes its place."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        error.filename = str(path)  # the user has not heard of the temporary file
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def create(contents: Mapping[Path, str]) -> None:
    """All of these files, or none of them. One that is there already is left alone, and then nothing is made."""
    made: list[Path] = []
    folders: list[Path] = []
    try:
        for path, content in contents.items():
            for folder in reversed([f for f in path.parents if not f.exists()]):
                folder.mkdir()
                folders.append(folder)
            with path.open("xb") as file:
                made.append(path)
                try:
                    file.write(content.encode())
                    file.flush()
                except OSError as error:
                    error.filename = str(path)  # a full disk does not say which file it was
                    raise
    except BaseException:
        for path in made:
            with contextlib.suppress(OSError):
                path.unlink()
        for folder in reversed(folders):
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
