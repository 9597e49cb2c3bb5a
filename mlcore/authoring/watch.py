"""Waits for an author to change a file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from mlcore.authoring import rules
from mlcore.course import places
from mlcore.engine.exercises import Topic


def changes(topic: Topic, pause: float = 0.5) -> Iterator[str]:
    """Waits, and yields the name of a file of the topic each time that one has changed since this was called."""
    paths = [places.root() / path for path in rules.files(topic).values()]
    return _changes(paths, _stamps(paths), pause)


def _changes(paths: list[Path], before: dict[Path, int], pause: float) -> Iterator[str]:
    while True:
        now = _stamps(paths)
        if changed := [path for path in paths if now[path] != before[path]]:
            before = now
            yield str(changed[0].relative_to(places.root()))
        time.sleep(pause)


def _stamps(paths: list[Path]) -> dict[Path, int]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0  # an editor may put another file in its place just now
