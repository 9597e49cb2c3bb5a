"""What `mlcore topic check` proves of a topic: stages, each in pieces that can run side by side.

A stage says what it finds wrong, a line each, that begins with the file and the line where an author would mend it.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlcore.authoring import certificate, mutation, recorded, rules, symbols, where
from mlcore.course import build, catalogue, places, runner, source
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.explorers import Explorer, search, sweep

CERTIFIED = range(4)  # seeds of the certificate; one of them in a quick check
AUDITED = range(60)  # seeds of the audit: `make audit` takes 2,000
MUTANTS = 40  # of each exercise
NOTEBOOKS = ("solved", "untouched")


@dataclass(frozen=True)
class Stage:
    """A row of the table. `find` gets the topic and the piece, which is an exercise's name or an explorer's, or ''."""

    name: str
    proves: str
    find: Callable[[Topic, str], Iterator[str]]
    pieces: Callable[[Topic], Sequence[str]] = lambda topic: ("",)
    quick: bool = False  # is it part of a quick check?


def _exercises(topic: Topic) -> Sequence[str]:
    return [exercise.name for exercise in topic.exercises if exercise.parts]


def _mutable(topic: Topic) -> Sequence[str]:
    return [exercise.name for exercise in topic.exercises if exercise.kind not in ("choice", "explanation")]


def _explorers(topic: Topic) -> Sequence[str]:
    return [kind.__name__ for kind in _kinds(topic)]


def _kinds(topic: Topic) -> list[type[Explorer]]:
    if not (catalogue.source(topic.slug).parents[1] / "explore" / f"{topic.slug}.py").is_file():
        return []
    return search.find(importlib.import_module(f"mlcore.explore.{topic.slug}"))


def _exercise(topic: Topic, name: str) -> Exercise:
    return next(exercise for exercise in topic.exercises if exercise.name == name)


def _there(topic: Topic, *rooms: str) -> list[str]:
    """The topic's files of these rooms that exist."""
    known = rules.files(topic)
    return [known[room] for room in rooms or known if (places.root() / known[room]).is_file()]


def _run(*words: str) -> str:
    done = subprocess.run([sys.executable, "-m", *words], cwd=places.root(), capture_output=True, text=True)
    return done.stdout + (done.stderr if done.returncode else "")


def lint(topic: Topic, piece: str) -> Iterator[str]:
    said = _run("ruff", "check", "--quiet", "--output-format", "concise", *_there(topic))
    yield from (re.sub(r"^(\S+:\d+):\d+:", r"\1:", line) for line in said.splitlines() if line.strip())
    said = _run("ruff", "format", "--check", *_there(topic))
    for path in re.findall(r"^Would reformat: (\S+)", said, re.M):
        yield f"{path}:1: not as `ruff format` lays it out: run `ruff format {path}`"


def types(topic: Topic, piece: str) -> Iterator[str]:
    said = _run("mypy", "--no-error-summary", *_there(topic, "mathematics", "exercises", "figures"))
    yield from (line for line in said.splitlines() if ": error:" in line)


def house_rules(topic: Topic, piece: str) -> Iterator[str]:
    yield from rules.broken(topic)


def order(topic: Topic, piece: str) -> Iterator[str]:
    source.read(topic, source.solution(topic, places.root()))
    return iter(())


def glossary(topic: Topic, piece: str) -> Iterator[str]:
    yield from symbols.astray(topic, places.root())


def builds(topic: Topic, piece: str) -> Iterator[str]:
    path = source.solution(topic, places.root())
    with tempfile.TemporaryDirectory() as folder:
        text = build.release(topic, path, Path(folder))
        if build.release(topic, path, Path(folder)) != text:
            yield f"solutions/{path.name}:1: a rebuild gives other bytes"
    target = places.notebook(topic)
    if not target.is_file() or target.read_text(encoding="utf-8") != text:
        shown = target.relative_to(places.root())
        yield f"{shown}:1: not what solutions/{path.name} gives: run `mlcore build {topic.slug}`"


def notebook(topic: Topic, piece: str) -> Iterator[str]:
    """In a kernel: solved it has all points, and untouched it runs to its end."""
    import nbformat

    path = source.solution(topic, places.root())
    with tempfile.TemporaryDirectory() as folder:
        if piece == "solved":
            made = build.solved(topic, path)
        else:
            made = nbformat.reads(build.release(topic, path, Path(folder)), as_version=4)
        runner.execute(made, Path(folder))
    at = f"solutions/{path.name}:1"
    if piece == "solved":
        for row in runner.verdicts(made):
            if not row.right:
                yield f"{where.exercise(topic, _exercise(topic, row.name))}: {row.name} is not right: {row.says}"
        for cell in made.cells:
            for output in cell.get("outputs", ()) if cell.cell_type == "code" else ():
                shown = output.get("text", "") or output.get("data", {}).get("text/plain", "")
                if found := re.search(r"np\.(float64|int64|True_|False_)", shown):
                    yield f"{at}: a cell shows {found[0]}(…): show plain numbers"
    for trouble in runner.troubles(made):
        yield f"{at}: in the {piece} notebook, {trouble}"


def certified(topic: Topic, piece: str) -> Iterator[str]:
    yield from certificate.examine(topic, _exercise(topic, piece), CERTIFIED)


def certified_once(topic: Topic, piece: str) -> Iterator[str]:
    yield from certificate.examine(topic, _exercise(topic, piece), CERTIFIED[:1])


def draws(topic: Topic, piece: str) -> Iterator[str]:
    from mlcore.authoring.audit import __main__ as audit

    exercise = _exercise(topic, piece)
    tally = audit.examine(topic.slug, exercise, recorded.solutions(topic)[piece], AUDITED)
    for line in audit.findings([tally]):
        yield f"{where.exercise(topic, exercise)}: {line.partition(' ')[2]}"


def swept(topic: Topic, piece: str) -> Iterator[str]:
    kinds = [kind for kind in _kinds(topic) if kind.__name__ == piece]
    for finding in sweep.findings(kinds):
        yield f"{where.explorer(finding.explorer)}: {finding}"


def mutants(topic: Topic, piece: str) -> Iterator[str]:
    tally = mutation.examine(mutation.stages(topic)[piece], MUTANTS)
    at = f"{where.exercise(topic, _exercise(topic, piece))}: a mutant of {piece}"
    for verdict in ("accepted", "misled", "wronged"):
        for label in getattr(tally, verdict):
            yield f"{at} is {verdict}: {label}"


def own_tests(topic: Topic, piece: str) -> Iterator[str]:
    paths = _there(topic, "tests")
    if not paths:
        return
    said = _run("pytest", "-q", "-p", "no:cacheprovider", "--tb=line", *paths)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)(?: - (.*))?$", said, re.M)
    lines = dict(re.findall(rf"^\S*({re.escape(paths[0])}:\d+): (.*)$", said, re.M))
    for at, says in lines.items():
        yield f"{at}: {says}"
    if failed and not lines:
        for name, says in failed:
            yield f"{paths[0]}:1: {name.partition('::')[2] or name} fails{f': {says}' if says else ''}"
    elif not failed and " passed" not in said:
        yield f"{paths[0]}:1: no test ran: {(said.strip().splitlines() or ['nothing'])[-1][:200]}"


STAGES = (
    Stage("lint", "ruff finds nothing, and the layout is ruff's", lint, quick=True),
    Stage("types", "mypy finds nothing", types),
    Stage("rules", "the rules of the house", house_rules, quick=True),
    Stage("order", "the notebook has every exercise, once, in the order of the list", order, quick=True),
    Stage("glossary", "its symbols stand where they are said to come first", glossary, quick=True),
    Stage("build", "the notebook is what the source gives, byte for byte", builds),
    Stage("certificate", "solution, stub, mistakes, alternatives, warnings", certified, _exercises, quick=True),
    Stage("notebook", "in a kernel: solved it is right, untouched it runs", notebook, lambda _: NOTEBOOKS),
    Stage("draws", f"margins and luck on {len(AUDITED)} seeds", draws, _exercises),
    Stage("sweeps", "explorers obey their laws at every position", swept, _explorers, quick=True),
    Stage("mutants", f"wrong answers nobody thought of, {MUTANTS} an exercise", mutants, _mutable),
    Stage("tests", "the topic's own tests", own_tests),
)
QUICKLY = {"certificate": certified_once}  # stages that have a shorter form


def find(name: str, slug: str, piece: str, quick: bool) -> list[str]:
    """What one piece of a stage finds wrong. Runs in a process of its own."""
    stage = next(stage for stage in STAGES if stage.name == name)
    topic = catalogue.load(slug)
    look = QUICKLY.get(name, stage.find) if quick else stage.find
    try:
        return list(look(topic, piece))
    except Problem as problem:
        return [str(problem)]
    except Exception as error:
        about = _exercise(topic, piece) if piece in _exercises(topic) else None
        at = where.exercise(topic, about) if about else where.topic(topic)
        says = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return [f"{at}: {name}{f' of {piece}' if piece else ''} could not go on: {says}"]
