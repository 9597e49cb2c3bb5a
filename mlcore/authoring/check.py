"""`mlcore topic check`: the stages of the proof side by side, in one table."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

from mlcore.authoring import proof, rules, where
from mlcore.authoring.proof import Stage
from mlcore.course import places
from mlcore.engine.exercises import Topic


@dataclass
class Row:
    """What a stage found, and how much computing it took."""

    stage: Stage
    findings: list[str] = field(default_factory=list)
    seconds: float = 0.0


def check(
    topic: Topic, quick: bool = False, workers: int | None = None, tick: Callable[[int, int], object] = lambda *_: None
) -> list[Row]:
    """Every stage, or the quick ones; `tick` hears how many pieces are done, and of how many."""
    rows = [Row(stage) for stage in proof.STAGES if stage.quick or not quick]
    pieces = [(row, piece) for row in rows for piece in row.stage.pieces(topic)]
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes share the cores
    forkless = multiprocessing.get_context("spawn")  # numpy and its threads are loaded anew in each
    tick(0, len(pieces))
    with concurrent.futures.ProcessPoolExecutor(workers or os.cpu_count(), mp_context=forkless) as pool:
        futures = {
            pool.submit(_timed, row.stage.name, topic.slug, piece, quick): (row, piece)
            for row, piece in _heavy_first(pieces)
        }
        told: dict[tuple[str, str], list[str]] = {}
        for done, future in enumerate(concurrent.futures.as_completed(futures), start=1):
            row, piece = futures[future]
            try:
                told[row.stage.name, piece], seconds = future.result()
                row.seconds += seconds
            except BrokenProcessPool:
                name = f"{row.stage.name} of {piece}" if piece else row.stage.name
                told[row.stage.name, piece] = [f"{where.topic(topic)}: the process of {name} died"]
            tick(done, len(pieces))
    for row, piece in pieces:  # in the order of the topic, whichever was done first
        row.findings += told[row.stage.name, piece]
    return rows


def _heavy_first(pieces: list[tuple[Row, str]]) -> list[tuple[Row, str]]:
    """What is one long piece begins early, so that no core waits for it at the end."""
    return sorted(pieces, key=lambda piece: piece[1] != "" and piece[1] not in proof.NOTEBOOKS)


def _timed(name: str, slug: str, piece: str, quick: bool) -> tuple[list[str], float]:
    began = time.perf_counter()
    return proof.find(name, slug, piece, quick), time.perf_counter() - began


def changes(topic: Topic, pause: float = 0.5) -> Iterator[str]:
    """Waits, and yields the name of a file of the topic each time that one has changed."""
    paths = [places.root() / path for path in rules.files(topic).values()]
    before = _stamps(paths)
    while True:
        time.sleep(pause)
        now = _stamps(paths)
        if changed := [path for path in paths if now[path] != before[path]]:
            before = now
            yield str(changed[0].relative_to(places.root()))


def _stamps(paths: list[Path]) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns if path.exists() else 0 for path in paths}
