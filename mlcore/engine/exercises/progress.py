"""What the student has done so far, kept in one small file of theirs."""

from __future__ import annotations

import contextlib
import json
import math
import os
from pathlib import Path
from typing import Any

from mlcore.engine import files
from mlcore.engine.exercises.verdict import Outcome, Verdict


def home() -> Path:
    """The folder of the student's own records: $MLCORE_HOME, or ~/.mlcore."""
    return Path(os.environ.get("MLCORE_HOME") or Path.home() / ".mlcore")


def read() -> dict[str, dict[str, Any]]:
    """Per exercise: the best points, the last outcome, the number of attempts. What is damaged is left out."""
    try:
        records = json.loads((home() / "progress.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: entry for name, entry in records.items() if _whole(entry)} if isinstance(records, dict) else {}


def _whole(entry: Any) -> bool:
    numbers = [entry.get(key) for key in ("points", "attempts")] if isinstance(entry, dict) else [None]
    return all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)


def record(verdict: Verdict) -> None:
    """Remember a verdict. A full or read-only disk must not cost the student the verdict itself."""
    if verdict.outcome in (Outcome.NOT_ATTEMPTED, Outcome.NOT_JUDGED):
        return
    with contextlib.suppress(OSError):
        records = read()
        entry = records.get(verdict.name, {})
        records[verdict.name] = {
            "points": max(verdict.points, entry.get("points", 0)),
            "out_of": verdict.out_of,
            "outcome": str(verdict.outcome),
            "attempts": entry.get("attempts", 0) + 1,
        }
        files.write(home() / "progress.json", json.dumps(records, indent=1, ensure_ascii=False))
