"""Wrong answers that nobody thought of: the solutions, mutated, as answers to their own exercises.

`mutants.py` changes a solution in one place at a time, and each mutant answers the exercise in the student's place.
Whether it changes the numbers is decided here, by comparing its replies with the solution's on the same draws.

- A mutant that changes the numbers must be rejected. One that is not is `accepted`: the cases are too weak.
- A mutant that is told a mistake's sentence must give that mistake's numbers on other draws too. One that does not is
  `misled`: a wrong diagnosis.
- A mutant that leaves the numbers alone is `equivalent`, and must not be rejected. One that is, is `wronged`.
- Where more than one answer is right (a property, a counter-example, a line judged by what it satisfies, a value that
  may be rounded), a mutant that passes is `lawful`.

Whether the draws themselves are blind to a difference, no comparison on them can tell: the file of --json lists the
equivalent and the lawful mutants for a person to look at.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import functools
import io
import json
import multiprocessing
import os
import random
import resource
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from mlcore.authoring import recorded
from mlcore.authoring.mutants import mutants
from mlcore.authoring.recorded import Recorder
from mlcore.course import build, catalogue, places
from mlcore.engine.asking.answers import Call, Reply, collect
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import SAME_THERE, Chain, Checks, Law, Line, Mistake, Property, Slip, Topic
from mlcore.engine.exercises.assess import drawing
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.values import Unusable, tidy
from mlcore.engine.exercises.verdict import Outcome, Verdict
from mlcore.engine.reading import source
from mlcore.engine.reading.source import Definition

SEEDS = (0, 1, 2)  # the student's, the hidden tests', and one more: accepted on one is accepted
FRESH = (3, 4, 5)  # the draws on which a diagnosis has to stay true
SECONDS = 2.0  # for one mutant on the draws of one seed
MEMORY = 2 * 2**30  # bytes that a mutant may ask for


# --- a mutant in the student's place ---


@dataclass(frozen=True, eq=False)
class Stage:
    """An exercise in its notebook: what is defined before it, its cell, and the cell of its check."""

    topic: Topic
    exercise: Exercise
    before: dict[str, Any]
    cell: str
    check: str

    def answers(self, cell: str) -> tuple[Any, ...] | None:
        """What the cell hands to the check; None if it cannot even be run."""

        handed_in: list[tuple[Any, ...]] = []

        def run() -> None:
            namespace = self.before | {"check": (recorder := Recorder())}
            recorded.run(cell, namespace)
            exec(self.check, namespace)
            handed_in.append(recorder.answers[self.exercise.name])

        collect([run], [Call(0, ())], limit=SECONDS)
        return handed_in[0] if handed_in else None


@functools.cache
def stages(topic: Topic) -> dict[str, Stage]:
    """The exercises of a topic in which something can be mutated."""
    exercises = {e.name: e for e in topic.exercises if e.kind not in ("choice", "explanation")}
    cells = [c for c in build.solved(topic, places.solution(topic, places.root())).cells if c.cell_type == "code"]
    found: dict[str, Stage] = {}
    namespace: dict[str, Any] = {"__name__": "notebook"}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for cell, following in zip(cells, [*cells[1:], None], strict=True):
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in exercises:
                found[name] = Stage(topic, exercises[name], dict(namespace), cell.source, following.source)
            recorded.run(cell.source, namespace)
            if isinstance(namespace.get("check"), Checks):
                namespace["check"] = Recorder()
    return found


@dataclass
class Tally:
    """What became of the mutants of one exercise."""

    topic: str
    exercise: str
    mutants: int = 0
    changed: int = 0
    rejected: int = 0
    diagnosed: int = 0
    accepted: list[str] = field(default_factory=list)
    misled: list[str] = field(default_factory=list)
    wronged: list[str] = field(default_factory=list)
    equivalent: list[str] = field(default_factory=list)
    lawful: list[str] = field(default_factory=list)


def examine(stage: Stage, sample: int | None = None) -> Tally:
    """Every mutant of an exercise, or a sample of them that is always the same."""
    solution = stage.answers(stage.cell)
    assert solution is not None, f"the solution of {stage.exercise.name} does not run"
    chosen = list(mutants(stage.cell))
    if sample is not None:
        random.Random(stage.exercise.name).shuffle(chosen)
    tally = Tally(stage.topic.slug, stage.exercise.name)
    with _bounded_memory(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = {seed: _replies(stage.exercise, solution, seed) for seed in SEEDS}
        for label, cell in chosen:
            if tally.mutants == sample:
                break
            if (answers := stage.answers(cell)) is not None:
                _examine_one(tally, stage.exercise, answers, label, truth)
    return tally


Replies = tuple[list[Call], list[Reply]]


def _examine_one(
    tally: Tally, exercise: Exercise, answers: tuple[Any, ...], label: str, truth: dict[int, Replies]
) -> None:
    tally.mutants += 1
    given = {seed: _replies(exercise, answers, seed) for seed in SEEDS}
    written = [source.of_function(answer) for answer in answers] if exercise.reads_source else []
    verdicts = {seed: exercise.judge(*given[seed], written) for seed in SEEDS}
    differing = [
        call
        for seed in SEEDS
        for call, mine, right in zip(*given[seed], truth[seed][1], strict=True)
        if not _same(mine, right, exercise)
    ]
    right = [verdict.right for verdict in verdicts.values()]
    if not differing:
        if exercise.reads_source:  # the value is right, and yet a mutant may undo the step
            right = [exercise.judge(*given[seed]).right for seed in SEEDS]
        if not all(right) and exercise.kind != "property":  # a law may ask for more digits than we compare
            tally.wronged.append(f"{label}: {next(v for v in verdicts.values() if not v.right).finding.says}")
        tally.equivalent.append(label)
        return
    if any(right) and all(_free(exercise, call) for call in differing):
        tally.lawful.append(label)
        return
    tally.changed += 1
    if any(right):
        tally.accepted.append(f"{label} (seeds {[seed for seed in SEEDS if verdicts[seed].right]})")
        return
    tally.rejected += 1
    verdict = verdicts[SEEDS[0]]
    if said := verdict.finding.mistake or (verdict.outcome is Outcome.MISTAKE and verdict.finding.says):
        tally.diagnosed += 1
        if not _true_elsewhere(exercise, answers, verdict, written):
            tally.misled.append(f"{label}: told {said!r}")


def _replies(exercise: Exercise, answers: tuple[Any, ...], seed: int) -> Replies:
    """As `assess` asks, with a shorter limit."""
    plan = exercise.plan(drawing(exercise, seed))
    return plan, collect(answers, plan, exercise.watch(), limit=SECONDS)


def _same(mine: Reply, other: Reply, exercise: Exercise) -> bool:
    """The same numbers up to rounding, or the same trouble."""
    if mine.trouble or other.trouble:
        return mine.trouble is not None and other.trouble is not None and mine.trouble.kind == other.trouble.kind
    either_sign = "up_to_sign" in getattr(getattr(exercise, "compare", None), "__qualname__", "")
    return _equal(mine.value, other.value, either_sign)


def _equal(mine: Any, other: Any, either_sign: bool = False) -> bool:
    if isinstance(mine, tuple) and isinstance(other, tuple):
        return len(mine) == len(other) and all(_equal(a, b, either_sign) for a, b in zip(mine, other, strict=True))
    try:
        a, b = np.asarray(mine), np.asarray(other)
        if a.shape != b.shape or (a.dtype.kind == "c") != (b.dtype.kind == "c"):
            return False
        a, b = a.astype(float), b.astype(float)
    except (TypeError, ValueError, OverflowError):
        return mine is other
    if either_sign:
        a = a * np.where(np.sum(a * b, axis=0) < 0, -1, 1)
    size = np.max(np.abs(b), initial=0, where=np.isfinite(b))
    return bool(np.allclose(a, b, rtol=0, atol=1e-9 + 1e-6 * size, equal_nan=True))


def _free(exercise: Exercise, call: Call) -> bool:
    """May this answer be right and yet differ from the solution?"""
    if isinstance(exercise, Chain):
        return call.probe
    return exercise.kind in ("property", "value") or (isinstance(exercise, Slip) and call.part == 1)


def _true_elsewhere(
    exercise: Exercise, answers: tuple[Any, ...], verdict: Verdict, written: Sequence[Definition | None]
) -> bool:
    """Does the mutant give the numbers of the mistake that it was told of, on fresh draws?"""
    said = verdict.finding.mistake
    if said == SAME_THERE or any(said == law.says for law in _laws(exercise)):
        return True  # the sentence says what was measured, whatever the answer
    for seed in FRESH:
        plan, given = _replies(exercise, answers, seed)
        if not said:  # an everyday slip (sign, factor, transpose): it has no answer of its own to compare with
            found = exercise.judge(plan, given, written).finding
            raises = found.outcome is Outcome.RAISED  # a matrix without its λ is singular on some draws only
            if not raises and found.says != verdict.finding.says:
                return False
            continue
        told = [m for m in exercise.mistakes if m.says == said]
        if not any(_gives(exercise, mistake, plan, given) for mistake in told):
            return False
    return True


def _laws(exercise: Exercise) -> Sequence[Law]:
    return (*exercise.laws, *exercise.between) if isinstance(exercise, Property) else ()


def _gives(exercise: Exercise, mistake: Mistake, plan: Sequence[Call], given: Sequence[Reply]) -> bool:
    own = [i for i, call in enumerate(plan) if call.part == mistake.part and not call.probe]
    theirs = collect([mistake.answer], [Call(0, plan[i].args) for i in own])
    pairs = [(given[i], other, plan[i].args) for i, other in zip(own, theirs, strict=True)]
    if isinstance(exercise, Chain) and exercise.lines[mistake.part].parts:
        return _gives_in_its_parts(exercise.lines[mistake.part], pairs)
    return all(_same(mine, other, exercise) for mine, other, _ in pairs)


def _gives_in_its_parts(line: Line, pairs: Sequence[tuple[Reply, Reply, tuple | None]]) -> bool:
    """Of a line with parts, a mistake is told where the others are wrong, too: its own have to agree."""
    for mine, other, args in pairs:
        right = line.reference(*(args or ()))
        try:
            wrong, told = tidy(other.value, right), tidy(mine.value, right)
        except Unusable:
            return mine.trouble == other.trouble and _equal(mine.value, other.value)
        asked = [np.asarray(part, dtype=float) for part in right]
        its = [i for i, part in enumerate(asked) if not line.compare(wrong[i], part)]
        if not all(line.compare(told[i], wrong[i]) for i in its):
            return False
    return True


@contextlib.contextmanager
def _bounded_memory() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


# --- the whole course ---


def measure(topics: Sequence[Topic] | None = None, sample: int | None = None, workers: int = 2) -> list[Tally]:
    """The tallies of every exercise, with a progress bar."""
    tasks = [(topic, name) for topic in topics or list(catalogue.topics()) for name in stages(topic)]
    forked = multiprocessing.get_context("fork")  # the notebooks have been run: a fork inherits them
    with concurrent.futures.ProcessPoolExecutor(workers, mp_context=forked) as pool:
        futures = [pool.submit(_examine_named, topic.slug, name, sample) for topic, name in tasks]
        waiting = track(futures, description="mutating", transient=True, console=Console(stderr=True))
        return [future.result() for future in waiting]


def _examine_named(slug: str, name: str, sample: int | None) -> Tally:
    """By its slug: a topic holds functions, which do not cross to another process."""
    return examine(stages(catalogue.load(slug))[name], sample)


def summary(tallies: Sequence[Tally]) -> dict[str, int]:
    """The counts of several tallies together."""
    counts = [{k: len(v) if isinstance(v, list) else v for k, v in asdict(t).items()} for t in tallies]
    return {key: sum(c[key] for c in counts) for key in list(asdict(Tally("", "")))[2:]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topic", action="append", help="number or slug of a topic (may be repeated; default: all)")
    parser.add_argument("--sample", type=int, help="mutants for each exercise (default: all)")
    parser.add_argument("--json", type=Path, help="write every tally to this file, with the mutants by name")
    options = parser.parse_args()
    if options.sample is not None and options.sample < 1:
        parser.error(f"--sample must be at least 1, got {options.sample}")
    try:
        topics = [catalogue.find(name) for name in options.topic or ()]
    except Problem as problem:
        parser.error(str(problem))
    tallies = measure(topics, options.sample)
    console = Console()
    console.print(_table(tallies))
    for kind in ("accepted", "misled", "wronged"):
        for tally in tallies:
            for text in getattr(tally, kind):
                console.print(f"{kind}: {tally.topic} {tally.exercise}, {text}", markup=False, highlight=False)
    if options.json:
        everything = {"all": summary(tallies), "exercises": [asdict(t) for t in tallies]}
        options.json.write_text(json.dumps(everything, indent=1, ensure_ascii=False), encoding="utf-8")


def _table(tallies: Sequence[Tally]) -> Table:
    shown = ("mutants", "changed", "rejected", "accepted", "diagnosed", "misled")
    table = Table("topic", title="Mutated solutions as answers", box=box.SIMPLE_HEAD)
    for heading in shown:
        table.add_column(heading, justify="right")
    for slug in dict.fromkeys(t.topic for t in tallies):
        counts = summary([t for t in tallies if t.topic == slug])
        table.add_row(slug, *(str(counts[key]) for key in shown))
    table.add_section()
    table.add_row("all", *(str(summary(tallies)[key]) for key in shown))
    return table


if __name__ == "__main__":
    main()
