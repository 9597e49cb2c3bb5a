"""Files that are whole or not there at all, whatever is killed or full."""

from __future__ import annotations

import contextlib
import os
import tempfile
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
