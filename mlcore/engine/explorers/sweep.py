"""An explorer at every position of its controls."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from mlcore.engine.explorers.explorer import Explorer


def positions(explorer: Explorer, rng: np.random.Generator, count: int = 12) -> Iterator[dict[str, Any]]:
    """Where to look: the start, both ends and a grid of every control, all corners, random places."""
    controls, start = explorer.controls, explorer.start
    yield start
    for name, control in controls.items():
        for value in control.grid(count):
            yield start | {name: value}
    for corner in itertools.product(*({c.grid(count)[0], c.grid(count)[-1]} for c in controls.values())):
        yield dict(zip(controls, corner, strict=True))
    for _ in range(count):
        yield {name: rng.choice(np.array(c.grid(101), dtype=object)) for name, c in controls.items()}
