"""The command: every exercise on many seeds, on all cores, with a table at the end."""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import hashlib
import inspect
import json
import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from mlcore import course
from mlcore.checks import Topic, _catalogue, close
from mlcore.checks._draws import NotJudged
from mlcore.checks._exercises import Chain, Exercise
from mlcore.checks._verdict import Outcome
from mlcore.errors import Problem
from tests import recorded
from tests.audit.answers import Desk
from tests.audit.luck import unnoticed
from tests.audit.rounding import margin, wavers

SEEDS = 2000
CHUNK = 50  # seeds of one exercise in one task
NEAR = 40  # on every so many seeds margins are measured
LUCK = 10  # on every so many seeds careless answers are tried
KEPT = recorded.ROOT / "build" / "audit"


@dataclass
class Tally:
    """What was found in one exercise on some seeds."""

    topic: str
    exercise: str
    seeds: int = 0
    seconds: float = 0.0
    again: int = 0  # draws that were drawn again
    margin: float = 1.0  # the smallest of the reference
    faults: dict[str, list[int]] = field(default_factory=dict)  # what went wrong, and the seeds
    careless: dict[str, list[int]] = field(default_factory=dict)  # a careless answer: how often it passed, of how many

    def fault(self, what: str, seed: int) -> None:
        self.faults.setdefault(what, []).append(seed)

    def add(self, other: Tally) -> None:
        self.seeds += other.seeds
        self.seconds += other.seconds
        self.again += other.again
        self.margin = min(self.margin, other.margin)
        for what, seeds in other.faults.items():
            self.faults.setdefault(what, []).extend(seeds)
        for what, (passed, tried) in other.careless.items():
            before = self.careless.setdefault(what, [0, 0])
            before[0], before[1] = before[0] + passed, before[1] + tried

    @property
    def lucky(self) -> dict[str, list[int]]:
        """Careless answers that pass on some seeds only."""
        return {what: counts for what, counts in self.careless.items() if 0 < counts[0] < counts[1]}


def examine(slug: str, exercise: Exercise, solution: tuple[Any, ...], seeds: Sequence[int]) -> Tally:
    """One exercise on some seeds."""
    tally = Tally(slug, exercise.name)
    began = time.process_time()
    desk = Desk(exercise, solution)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds if getattr(exercise, "cases", None) else seeds[:1]:
            tally.seeds += 1
            try:
                desk.sit(seed)
                _judge(desk, tally, seed)
                if seed % NEAR == 0:
                    _round(desk, tally, seed)
                if seed % LUCK == 0:
                    _gamble(desk, tally)
            except NotJudged as failure:
                tally.fault(f"not judged: {failure}", seed)
            tally.again += desk.again
    tally.seconds = time.process_time() - began
    return tally


def _judge(desk: Desk, tally: Tally, seed: int) -> None:
    for part, answer in enumerate(desk.solution):
        if (found := desk.finding(answer, part)).outcome is not Outcome.RIGHT:
            tally.fault(f"the solution is refused: {found.says}", seed)
    judged = {part for part in range(desk.exercise.parts) if desk.asks(part) or seed % CHUNK == 0}
    for i, alternative in enumerate(desk.exercise.alternatives):
        if alternative.part not in judged:
            continue
        if (found := desk.finding(alternative.answer, alternative.part)).outcome is not Outcome.RIGHT:
            tally.fault(f"alternative {i + 1} is refused: {found.says}", seed)
    for i, mistake in enumerate(desk.exercise.mistakes):
        if mistake.part not in judged or desk.told_apart(mistake):
            continue
        found = desk.finding(mistake.answer, mistake.part)
        if found.outcome is Outcome.RIGHT:
            tally.fault(f"mistake {i + 1} is accepted: {mistake.says}", seed)
        elif found.mistake != mistake.says:
            tally.fault(f"mistake {i + 1} is told {found.says!r}, not {mistake.says!r}", seed)
    for says in desk.warned:
        tally.fault(f"the reference warns: {says}", seed)


def _round(desk: Desk, tally: Tally, seed: int) -> None:
    exercise = desk.exercise
    lines = getattr(exercise, "lines", ())
    compare = getattr(exercise, "compare", None) or close()
    inputs = list({id(call.args): call.args for call in desk.plan if call.args is not None}.values())
    if callable(reference := getattr(exercise, "reference", None)):
        tally.margin = min([tally.margin, *(margin(reference, args, compare) for args in inputs)])
    known = [("the solution", part, answer) for part, answer in enumerate(desk.solution)]
    known += [(f"alternative {i + 1}", a.part, a.answer) for i, a in enumerate(exercise.alternatives)]
    known += [(f"mistake {i + 1}", m.part, m.answer) for i, m in enumerate(exercise.mistakes)]
    asked = {call.part for call in desk.plan if call.args is not None}
    for label, part, answer in known:
        if part not in asked or not callable(answer):
            continue
        fits = lines[part].compare if lines else compare
        if any(wavers(answer, args, fits) for args in inputs):
            tally.fault(f"rounding decides: {label}", seed)


def _gamble(desk: Desk, tally: Tally) -> None:
    exercise = desk.exercise
    reference = exercise.first if isinstance(exercise, Chain) else getattr(exercise, "reference", None)
    if not callable(reference):
        return
    names = [p.name for p in inspect.signature(reference).parameters.values()]
    for label, passed in unnoticed(reference, names, desk.plan, getattr(exercise, "compare", close())).items():
        if isinstance(exercise, Chain) and (label.endswith("in order") or "result" in label):
            continue  # its variables are of different kinds, and its lines may be derivatives of the first
        counts = tally.careless.setdefault(label, [0, 0])
        counts[0], counts[1] = counts[0] + passed, counts[1] + 1


# --- the whole course, in pieces that are kept ---


def tasks(topics: Sequence[Topic], only: Sequence[str], seeds: int) -> list[tuple[Topic, str, int, int]]:
    """The first seeds of every exercise come first: a run that is stopped has seen something of each."""
    found = []
    for topic in topics:
        for exercise in _catalogue.exercises(topic):
            if exercise.parts and (not only or exercise.name in only):
                last = seeds if getattr(exercise, "cases", None) else 1
                found += [(topic, exercise.name, start, min(start + CHUNK, last)) for start in range(0, last, CHUNK)]
    return sorted(found, key=lambda task: task[2])


@functools.cache
def edition(slug: str) -> str:
    """What the result for a topic depends on."""
    root = recorded.ROOT
    files = [*sorted((root / "mlcore" / "checks").glob("_*.py")), *sorted((root / "tests" / "audit").glob("*.py"))]
    files += [root / "mlcore" / name for name in ("numerics.py", f"{slug}.py", f"checks/{slug}.py")]
    files += sorted((root / "solutions").glob(f"*_{slug}.py"))
    kernel = os.environ.get("OPENBLAS_CORETYPE", "").encode()
    return hashlib.sha256(kernel + b"".join(path.read_bytes() for path in files if path.exists())).hexdigest()[:16]


def _kept(slug: str) -> Path:
    return KEPT / f"{slug}-{edition(slug)}.jsonl"


def remembered(topics: Sequence[Topic]) -> dict[tuple[str, str, int, int], Tally]:
    """What an earlier run has done, as long as nothing has changed since."""
    found = {}
    for topic in topics:
        path = _kept(topic.slug)
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # the last line of a run that was killed
            found[(topic.slug, *entry["task"])] = Tally(**entry["tally"])
    return found


def _work(slug: str, name: str, start: int, stop: int) -> Tally:
    topic = course.find(slug)
    exercise = next(e for e in _catalogue.exercises(topic) if e.name == name)
    return examine(slug, exercise, recorded.solutions(topic)[name], range(start, stop))


def run(topics: Sequence[Topic], only: Sequence[str], seeds: int, workers: int, console: Console) -> list[Tally]:
    done = remembered(topics)
    wanted = tasks(topics, only, seeds)
    open_tasks = [task for task in wanted if (task[0].slug, *task[1:]) not in done]
    if len(open_tasks) < len(wanted):
        console.print(f"{len(wanted) - len(open_tasks)} of {len(wanted)} pieces are known from an earlier run")
    KEPT.mkdir(parents=True, exist_ok=True)
    columns = (TextColumn("auditing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    pool = concurrent.futures.ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork"))
    with pool, Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("auditing", total=len(open_tasks))
        futures = {pool.submit(_work, task[0].slug, *task[1:]): task for task in open_tasks}
        for future in concurrent.futures.as_completed(futures):
            topic, *rest = futures[future]
            tally = future.result()
            done[(topic.slug, *rest)] = tally
            with _kept(topic.slug).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"task": rest, "tally": asdict(tally)}, ensure_ascii=False) + "\n")
            progress.advance(bar)
    together: dict[str, Tally] = {}
    for topic, *rest in wanted:
        together.setdefault(rest[0], Tally(topic.slug, rest[0])).add(done[(topic.slug, *rest)])
    return list(together.values())


# --- what it prints ---


def table(tallies: Sequence[Tally]) -> Table:
    shown = Table(title="The audit", box=box.SIMPLE_HEAD)
    shown.add_column("topic")
    for heading in ("exercises", "seeds", "drawn again", "margin", "faults", "luck", "seconds"):
        shown.add_column(heading, justify="right")
    for slug in dict.fromkeys(t.topic for t in tallies):
        _row(shown, slug, [t for t in tallies if t.topic == slug])
    shown.add_section()
    _row(shown, "all", tallies)
    return shown


def _row(shown: Table, label: str, tallies: Sequence[Tally]) -> None:
    seeds = sum(t.seeds for t in tallies)
    shown.add_row(
        label,
        str(len(tallies)),
        f"{seeds:,}",
        f"{sum(t.again for t in tallies):,}",
        f"{min(t.margin for t in tallies):.0e}",
        str(sum(len(t.faults) for t in tallies)),
        str(sum(len(t.lucky) for t in tallies)),
        f"{sum(t.seconds for t in tallies):.0f}",
    )


def findings(tallies: Sequence[Tally], everything: bool = False) -> Iterator[str]:
    for tally in tallies:
        where = f"{tally.topic} {tally.exercise}"
        for what, seeds in tally.faults.items():
            yield f"{where}: {what} ({len(seeds)} of {tally.seeds} seeds, first {min(seeds)})"
        for what, (passed, tried) in tally.careless.items():
            if 0 < passed < tried:
                yield f"{where}: luck decides: with {what} it passes on {passed} of {tried} seeds"
            elif everything and passed == tried:
                yield f"{where}: never shown: {what}"
        if tally.again > 0.5 * tally.seeds:
            yield f"{where}: {tally.again} draws were drawn again for {tally.seeds} seeds"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.audit", description=__doc__)
    parser.add_argument("--topic", action="append", help="number or slug of a topic (may be repeated; default: all)")
    parser.add_argument("--exercise", action="append", default=[], help="name of an exercise (may be repeated)")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"for each exercise (default: {SEEDS:,})")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one for each core)"
    )
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has done")
    parser.add_argument("--all", action="store_true", help="list also the careless answers that pass on every seed")
    parser.add_argument("--json", type=Path, help="write every tally to this file")
    options = parser.parse_args(words)
    for name in ("seeds", "workers"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(options, name)}")
    try:
        topics = [course.find(name) for name in options.topic or ()] or list(_catalogue.topics())
    except Problem as problem:
        parser.error(str(problem))
    names = Counter(e.name for t in topics for e in _catalogue.exercises(t) if e.parts)
    if unknown := [name for name in options.exercise if name not in names]:
        parser.error(f"there is no exercise {unknown[0]!r} to audit in {', '.join(t.slug for t in topics)}")
    if options.exercise:
        topics = [t for t in topics if {e.name for e in _catalogue.exercises(t)} & set(options.exercise)]
    if options.fresh:
        for topic in topics:
            _kept(topic.slug).unlink(missing_ok=True)
    progress = Console(stderr=True)
    tallies = run(topics, options.exercise, options.seeds, options.workers, progress)
    console = Console()
    console.print(table(tallies))
    found = list(findings(tallies, options.all))
    for line in found:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if options.json:
        told: list[dict[str, Any]] = [asdict(t) for t in tallies]
        options.json.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
    clean = not any(t.faults or t.lucky for t in tallies)
    console.print("Nothing found." if clean else f"{len(found)} findings.")
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
