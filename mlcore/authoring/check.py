"""`mlcore topic check`: the stages of the proof side by side, in one table."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mlcore.authoring import crew, proof
from mlcore.authoring.proof import Stage
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
    pieces = _heavy_first([(row, piece) for row in rows for piece in row.stage.pieces(topic)])
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes share the cores
    told: dict[tuple[str, str], list[str]] = {}
    tick(0, len(pieces))
    asked = [(row.stage.name, topic.slug, piece, quick) for row, piece in pieces]
    for done, (i, answer) in enumerate(crew.work(_timed, asked, workers or os.cpu_count() or 1), start=1):
        row, piece = pieces[i]
        if answer is crew.DIED:
            name = f"{row.stage.name} of {piece}" if piece else row.stage.name
            told[row.stage.name, piece] = [f"{proof.place(topic, piece)}: the process of {name} died"]
        else:
            told[row.stage.name, piece], seconds = answer
            row.seconds += seconds
        tick(done, len(pieces))
    for row in rows:  # in the order of the topic, whichever was done first; what stops several pieces is told once
        findings = [line for piece in row.stage.pieces(topic) for line in told[row.stage.name, piece]]
        row.findings = list(dict.fromkeys(findings))
    return rows


def _heavy_first(pieces: list[tuple[Row, str]]) -> list[tuple[Row, str]]:
    """What is one long piece begins early, so that no core waits for it at the end."""
    return sorted(pieces, key=lambda piece: piece[1] != "" and piece[1] not in proof.NOTEBOOKS)


def _timed(name: str, slug: str, piece: str, quick: bool) -> tuple[list[str], float]:
    began = time.perf_counter()
    return proof.find(name, slug, piece, quick), time.perf_counter() - began
