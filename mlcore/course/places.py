"""Where the course lies on this machine."""

from __future__ import annotations

from pathlib import Path

from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic


def root() -> Path:
    """The course's folder: the one above us, or the one that mlcore was installed from, that has the notebooks."""
    for folder in (Path.cwd(), *Path.cwd().parents, Path(__file__).resolve().parents[2]):
        if (folder / "notebooks" / "00_start_here").is_dir():
            return folder
    raise Problem("no course here: run this inside the folder that holds notebooks/00_start_here")


def notebook(topic: Topic) -> Path:
    """Where the student's notebook of a topic lies."""
    return root() / "notebooks" / topic.path


def solution(topic: Topic, root: Path) -> Path:
    """Where the source of its notebook lies: written by hand, with the solutions."""
    return root / "solutions" / f"{topic.folder}.py"
