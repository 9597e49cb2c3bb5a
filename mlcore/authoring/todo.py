"""What an author still has to write: every place of a topic that says TODO, and what belongs there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mlcore.authoring import rules
from mlcore.engine.exercises import Topic


def left_to_write(topic: Topic, root: Path) -> Iterator[str]:
    """A line for each: `mlcore/checks/ridge.py:12: TODO the question that this notebook answers`."""
    for path in rules.files(topic).values():
        text = (root / path).read_text(encoding="utf-8") if (root / path).is_file() else ""
        for number, line in enumerate(text.splitlines(), start=1):
            if found := re.search(r"\bTODO\b:?\s*(.*)", line):
                what = re.sub(r'"[,)]*$| \|.*$', "", found[1])  # where a string ends, or a column of a table
                yield f"{path}:{number}: TODO {what.strip()[:160]}".rstrip()
