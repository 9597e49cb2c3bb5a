"""`mlcore grade` against stock `nbgrader autograde`, on the same simulated class in one run.

Prints submissions per second of both, their ratio, whether the marks agree, the memory of a worker with its sandbox,
and how the time grows with the class: `python benchmarks/grading.py [--sizes 100,300,1000] [--stock 6]`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from mlcore.course import catalogue
from mlcore.grading.gradebook import Ledger
from mlcore.grading.simulate import simulate


@dataclass(frozen=True)
class Row:
    """One class."""

    students: int
    per_second: float
    ratio: float  # to stock nbgrader
    agree: bool  # with stock, on those that it graded
    true: bool  # equal to truth.json
    worker_mb: float


def measure(
    topic: str = "05_ridge", sizes: tuple[int, ...] = (100, 300, 1000), stock: int = 6
) -> tuple[float, list[Row]]:
    """Stock nbgrader's submissions per second on `stock` students, and a row for each class size."""
    with tempfile.TemporaryDirectory(prefix="mlcore-bench-") as scratch:
        theirs, ours = Path(scratch, "stock"), Path(scratch, "ours")
        simulate(theirs, catalogue.find(topic), stock, seed=1)
        began = time.perf_counter()
        _run(theirs, sys.executable, "-m", "nbgrader", "autograde", topic)
        rate = stock / (time.perf_counter() - began)
        known = _marks(theirs)
        rows = []
        for size in sizes:
            shutil.rmtree(ours, ignore_errors=True)
            simulate(ours, catalogue.find(topic), size, seed=1)
            memory = _Memory()
            began = time.perf_counter()
            with memory:
                _run(ours, sys.executable, "-m", "mlcore", "grade", str(ours))
            seconds = time.perf_counter() - began
            marks = _marks(ours)
            truth = json.loads((ours / "truth.json").read_text(encoding="utf-8"))["students"]
            true = _points(ours) == {s: {n: e["points"] for n, e in t["exercises"].items()} for s, t in truth.items()}
            agree = all(marks[student] == known[student] for student in known)
            rows.append(Row(size, size / seconds, size / seconds / rate, agree, true, memory.per_worker))
        return rate, rows


def _run(folder: Path, *command: str) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[2:])} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def _marks(folder: Path) -> dict[str, dict[str, float]]:
    """What nbgrader's own tables say."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "mlcore") as book:
        return {
            s.student.id: {g.name: g.auto_score for notebook in s.notebooks for g in notebook.grades}
            for s in book.assignment_submissions(book.assignments[0].name)
        }


def _points(folder: Path) -> dict[str, dict[str, float]]:
    with Ledger(f"sqlite:///{folder / 'gradebook.db'}", "mlcore") as ledger:
        return {r.student: {v["name"]: v["points"] for v in r.verdicts} for r in ledger.records()}


class _Memory:
    """The largest private memory of a worker with its sandbox, read while it works."""

    def __enter__(self) -> None:
        self._peak, self._stop = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def per_worker(self) -> float:
        return self._peak

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            workers, total = 0, 0.0
            for entry in Path("/proc").glob("[0-9]*"):
                try:
                    command = (entry / "cmdline").read_bytes()
                    worker, server = b"workers import serve" in command, b"inside import Limits" in command
                    if worker or server:
                        total += _proportional_mb(entry)
                        workers += worker
                except OSError:
                    continue
            if workers:
                self._peak = max(self._peak, total / workers)


def _proportional_mb(process: Path) -> float:
    for line in (process / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def show(rate: float, rows: list[Row], console: Console) -> None:
    table = Table(title=f"stock nbgrader: {rate:.2f} submissions per second", title_justify="left")
    for heading in ("students", "per second", "times stock", "marks agree", "are true", "MB per worker"):
        table.add_column(heading, justify="right")
    for row in rows:
        agree, true = ("yes" if value else "NO" for value in (row.agree, row.true))
        table.add_row(
            f"{row.students}", f"{row.per_second:.1f}", f"{row.ratio:.1f}", agree, true, f"{row.worker_mb:.0f}"
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--topic", default="05_ridge")
    parser.add_argument("--sizes", default="100,300,1000", help="class sizes, with commas")
    parser.add_argument("--stock", type=int, default=6, help="students that stock nbgrader grades")
    chosen = parser.parse_args()
    sizes = tuple(int(size) for size in chosen.sizes.split(","))
    show(*measure(chosen.topic, sizes, chosen.stock), Console())


if __name__ == "__main__":
    main()
