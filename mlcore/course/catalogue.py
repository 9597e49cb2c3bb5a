"""Every topic that is there, found by looking and loaded one by one: a broken one does not touch the others."""

from __future__ import annotations

import ast
import difflib
import functools
import importlib
import importlib.util
import itertools
import linecache
import pkgutil
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import mlcore.checks
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic
from mlcore.engine.exercises.exercise import Exercise


@functools.cache
def slugs() -> tuple[str, ...]:
    """The names of all topics, broken ones too, by the alphabet."""
    return tuple(m.name for m in pkgutil.iter_modules(mlcore.checks.__path__))


def module(slug: str) -> ModuleType:
    """The module `mlcore.checks.<slug>`, or one line that says what is wrong with it and where."""
    name = f"mlcore.checks.{slug}"
    try:
        loaded = importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise Problem(_where(slug, error)) from error
    topic = getattr(loaded, "topic", None)
    if not isinstance(topic, Topic):
        raise Problem(f"{_shown(slug)}:1: there is no `topic = Topic(...)`")
    if topic.slug != slug:
        raise Problem(f"{at(slug, 'topic')}: the topic's slug is {topic.slug!r}, the file's {slug!r}")
    for variable, value in vars(loaded).items():
        if isinstance(value, Exercise) and value.name != variable:
            raise Problem(f"{at(slug, variable)}: the exercise {variable} is called {value.name!r}: let both be one")
        if isinstance(value, Exercise) and value not in topic.exercises:
            raise Problem(f"{at(slug, variable)}: {variable} is not in the topic's list of exercises")
    return loaded


def load(slug: str) -> Topic:
    topic: Topic = module(slug).topic
    return topic


@dataclass(frozen=True)
class Shelf:
    """All topics in the order of the course, and a line for each that could not be loaded."""

    topics: tuple[Topic, ...]
    broken: tuple[str, ...]


@functools.cache
def shelf() -> Shelf:
    found, broken = [], []
    for slug in slugs():
        try:
            found.append(load(slug))
        except Problem as problem:
            broken.append(str(problem))
    found.sort(key=lambda topic: (topic.number, topic.slug))
    for one, other in itertools.pairwise(found):
        if one.number == other.number:
            broken.append(f"{at(other.slug, 'topic')}: number {one.number} is taken by {one.slug}")
    rank: dict[str, int] = {}
    for topic in found:
        rank.setdefault(topic.part, len(rank))
    found.sort(key=lambda topic: rank[topic.part])
    return Shelf(tuple(found), tuple(broken))


def topics() -> tuple[Topic, ...]:
    return shelf().topics


def parts() -> dict[str, list[Topic]]:
    """The parts of the course and their topics. All but the first, which is no part of the subject, have a numeral."""
    found: dict[str, list[Topic]] = {}
    for topic in topics():
        found.setdefault(topic.part, []).append(topic)
    return {f"{numeral(i)} {part}".strip(): inside for i, (part, inside) in enumerate(found.items())}


def numeral(number: int) -> str:
    """A Roman numeral; 0 has none."""
    digits = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
    return next((letters + numeral(number - value) for value, letters in digits if number >= value), "")


def find(text: str) -> Topic:
    """The topic that `text` means: `5`, `05`, `ridge` or `05_ridge`. By its name it is loaded alone."""
    wanted = text.strip().lower()
    if wanted in slugs():
        return load(wanted)
    there = topics()
    meant = [t for t in there if wanted in (str(t.number), f"{t.number:02d}", t.folder)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise Problem(f"{text!r} is the number of {' and of '.join(t.slug for t in meant)}: say which")
    for line in shelf().broken:
        if wanted.partition("_")[2] and f"/{wanted.partition('_')[2]}.py:" in line:
            raise Problem(line)
    near = difflib.get_close_matches(wanted, [name for t in there for name in (t.slug, t.folder)], n=1)
    by_number = sorted(there, key=lambda t: t.number)
    rest = f"did you mean {near[0]}?" if near else f"there are {by_number[0].folder} to {by_number[-1].folder}"
    unread = f"; not loaded: {' · '.join(shelf().broken)}" if shelf().broken else ""
    raise Problem(f"no topic {text!r}: {rest} (`mlcore progress` lists them){unread}")


def source(slug: str) -> Path:
    """The file that declares the topic's exercises."""
    return Path(mlcore.checks.__path__[0]) / f"{slug}.py"


def at(slug: str, variable: str) -> str:
    """Where the topic's file gives `variable` its value, as `mlcore/checks/ridge.py:210`."""
    lines = assigned(slug)
    return f"{_shown(slug)}:{lines.get(variable, 1)}"


def assigned(slug: str) -> dict[str, int]:
    """The lines on which the topic's file gives values to its variables."""
    tree = ast.parse(source(slug).read_text(encoding="utf-8"))
    targets = [(target, node.lineno) for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return {target.id: line for target, line in targets if isinstance(target, ast.Name)}


def _shown(slug: str) -> str:
    """The file as a person would name it."""
    path = source(slug)
    return str(path.relative_to(path.parents[2]))


def _where(slug: str, error: BaseException) -> str:
    """What went wrong while a topic was loaded, and on which line of which of our files."""
    says = f"{type(error).__name__}: {error}"
    folder = source(slug).parents[2]
    if isinstance(error, SyntaxError) and error.filename:
        path, line, says = error.filename, error.lineno or 1, f"{type(error).__name__}: {error.msg}"
    else:
        ours = [
            f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(folder / "mlcore")
        ]
        own = [f for f in ours if "/engine/" not in f.filename and "/course/" not in f.filename]
        last = own[-1] if own else None
        path, line = (last.filename, last.lineno or 1) if last else (str(source(slug)), 1)
    linecache.checkcache(path)
    shown = Path(path).relative_to(folder) if Path(path).is_relative_to(folder) else path
    return f"{shown}:{line}: {' '.join(says.split())[:200]}"
