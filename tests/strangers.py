"""The verdict on an answer that is made of mlcore's own functions, which a student's may not call."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from mlcore.checks._answers import collect
from mlcore.checks._exercises import Exercise
from mlcore.checks._verdict import Verdict


def verdict(exercise: Exercise, *answers: Any, seed: int = 0) -> Verdict:
    """As `assess` gives it on these draws, whatever the answer calls."""
    plan = exercise.plan(np.random.default_rng([zlib.crc32(exercise.name.encode()), seed]))
    return exercise.judge(plan, collect(answers, plan))
