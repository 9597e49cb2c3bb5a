"""What `mlcore topic check` proves of a topic: stages, each in pieces that can run side by side.

A stage says what it finds wrong, a line each, that begins with the file and the line where an author would mend it.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

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
    try:
        return [kind.__name__ for kind in _kinds(topic)]
    except Problem:
        return [""]  # the sweep says why


def _kinds(topic: Topic) -> list[type[Explorer]]:
    path = catalogue.source(topic.slug).parents[1] / "explore" / f"{topic.slug}.py"
    if not path.is_file():
        return []
    try:
        return search.find(importlib.import_module(f"mlcore.explore.{topic.slug}"))
    except (Exception, SystemExit) as error:
        raise Problem(catalogue.trouble(error, f"mlcore/explore/{topic.slug}.py:1")) from error


def _exercise(topic: Topic, name: str) -> Exercise:
    return next(exercise for exercise in topic.exercises if exercise.name == name)


def _there(topic: Topic, *rooms: str) -> list[str]:
    """The topic's files of these rooms that exist."""
    known = rules.files(topic)
    return [known[room] for room in rooms or known if (places.root() / known[room]).is_file()]


def place(topic: Topic, piece: str) -> str:
    """The line to begin at, for what has no other: that of the exercise, if the piece is one."""
    return where.exercise(topic, _exercise(topic, piece)) if piece in _exercises(topic) else where.topic(topic)


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    """A tool, without what its user prefers: its words are read here."""
    own = ("FORCE_COLOR", "MYPY_FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "PYTEST_ADDOPTS")
    env = {name: value for name, value in os.environ.items() if name not in own} | {"NO_COLOR": "1"}
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=places.root(), env=env, capture_output=True, text=True)


def _failed(topic: Topic, done: subprocess.CompletedProcess[str]) -> str:
    """What to say of a tool that found nothing and did not succeed either."""
    said = (done.stdout + done.stderr).strip().splitlines() or ["it says nothing"]
    return f"{where.topic(topic)}: {done.args[2]} ended with status {done.returncode}: {said[-1][:200]}"


def lint(topic: Topic, piece: str) -> Iterator[str]:
    done = _run("ruff", "check", "--quiet", "--output-format", "concise", *_there(topic))
    found = [re.sub(r"^(\S+:\d+):\d+:", r"\1:", line) for line in done.stdout.splitlines() if line.strip()]
    if done.returncode and not found:
        yield _failed(topic, done)
        return
    yield from found
    for at in _laid_out_otherwise(_run("ruff", "format", "--diff", *_there(topic)).stdout):
        yield f"{at}: not as `ruff format` lays it out: run `ruff format {at.partition(':')[0]}`"


def _laid_out_otherwise(diff: str) -> Iterator[str]:
    """The first line of each file that ruff would change."""
    path, line = "", 0
    for text in diff.splitlines():
        if text.startswith("--- "):
            path, line = text[4:], 0
        elif hunk := re.match(r"@@ -(\d+)", text):
            line = int(hunk[1])
        elif path and line and text[:1] in ("-", "+"):
            yield f"{path}:{line}"
            path = ""
        else:
            line += 1 if line else 0


def types(topic: Topic, piece: str) -> Iterator[str]:
    done = _run("mypy", "--no-error-summary", "--no-pretty", *_there(topic, "mathematics", "exercises", "figures"))
    found = [line for line in done.stdout.splitlines() if ": error:" in line]
    if done.returncode and not found:
        yield _failed(topic, done)
    yield from found


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
        try:
            runner.execute(made, Path(folder), home=Path(folder))  # a proof is no student's progress
        except Problem as problem:
            yield f"solutions/{path.name}:1: in the {piece} notebook, {problem}"
            return
    lines = source.lines_of_cells(topic, path)
    if piece == "solved":
        yield from _unsolved(made, lines)
    for number, error in runner.failures(made):
        yield f"{lines[number - 1]}: in the {piece} notebook this cell raises {error}"


def _unsolved(made: NotebookNode, lines: Sequence[str]) -> Iterator[str]:
    """The checks that do not find the solution right, and the cells that show what a student should not see."""
    begins = {c.metadata.get("nbgrader", {}).get("grade_id"): line for c, line in zip(made.cells, lines, strict=True)}
    for row in runner.verdicts(made):
        if not row.right:
            yield f"{begins[row.name]}: the solution of {row.name} is not right: {row.says}"
    for cell, line in zip(made.cells, lines, strict=True):
        for output in cell.get("outputs", ()):
            shown = output.get("text", "") or output.get("data", {}).get("text/plain", "")
            if found := re.search(r"np\.(float64|int64|True_|False_)", shown):
                yield f"{line}: this cell shows {found[0]}(…): show plain numbers"


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
    done = _run("pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "-rfE", "--color=no", *paths)
    if done.returncode == 0:
        return
    told = _raised(done.stdout, paths[0])
    for at, says in told.items():
        yield f"{at} fails: {' '.join(filter(None, says[:2]))[:200]}"
    if not told:
        names = re.findall(r"^(?:FAILED|ERROR) (.*)$", done.stdout, re.M)
        yield from (f"{paths[0]}:1: {name.removeprefix(paths[0]).strip(': ') or 'it'} fails" for name in names)
        if not names:
            yield _failed(topic, done)


def _raised(report: str, path: str) -> dict[str, list[str]]:
    """Each line of the file at which a test failed, with its function, and what pytest says of the first of them."""
    told: dict[str, list[str]] = {}
    says: list[str] | None = None
    for line in report.splitlines():
        if found := re.match(rf"({re.escape(path)}:\d+): in (\S+)", line):
            says, at = [], f"{found[1]}: {found[2]}"
        elif line.startswith("____"):
            says = None
        elif says is not None and line.startswith("E   "):
            says.append(line[4:].strip())
            told.setdefault(at, says)
    return told


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
    """What one piece of a stage finds wrong, each line with its place. Runs in a process of its own."""
    told: list[str] = []
    try:
        topic = catalogue.load(slug)
        stage = next(stage for stage in STAGES if stage.name == name)
        look = QUICKLY.get(name, stage.find) if quick else stage.find
        for line in look(topic, piece):
            told.append(line)  # before it raises, if it does
    except Problem as problem:
        told.append(str(problem))
    except (Exception, SystemExit) as error:
        about = f"{name} of {piece}" if piece else name
        at, says = catalogue.trouble(error, place(topic, piece)).split(": ", 1)
        told.append(f"{at}: {about} could not go on: {says}")
    return [" ".join(line.split()) for line in told]
