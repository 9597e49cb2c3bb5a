"""Small real data sets, shipped with the course: `load("diabetes")`. Beside each file: its source and licence."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib.resources import files

import numpy as np


@dataclass(frozen=True, eq=False)
class Data:
    """Rows are cases: X is (n, d), y is (n,)."""

    X: np.ndarray
    y: np.ndarray
    features: tuple[str, ...]
    target: str
    about: str

    def standardised(self) -> tuple[np.ndarray, np.ndarray]:
        """X with columns of mean 0 and variance 1 (1/n), and y with mean 0."""
        return (self.X - self.X.mean(axis=0)) / self.X.std(axis=0), self.y - self.y.mean()


@functools.cache
def load(name: str) -> Data:
    """The data set `mlcore/data/<name>.csv`: its last column is the target y. Its arrays are read-only."""
    folder = files(__name__)
    table = folder / f"{name}.csv"
    if not table.is_file():
        there = sorted(f.name.removesuffix(".csv") for f in folder.iterdir() if f.name.endswith(".csv"))
        raise ValueError(f"data.load: there is no data set {name!r}; there are {', '.join(there)}")
    header, *rows = table.read_text(encoding="utf-8").splitlines()
    *features, target = header.split(",")
    numbers = np.array([row.split(",") for row in rows], dtype=float)
    numbers.setflags(write=False)
    about = (folder / f"{name}.md").read_text(encoding="utf-8")
    return Data(numbers[:, :-1], numbers[:, -1], tuple(features), target, about)
