"""Every topic that is there, found by looking and loaded one by one: a broken one does not touch the others."""

from __future__ import annotations

import ast
import difflib
import functools
import importlib
import importlib.util
import itertools
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
        raise Problem(trouble(error, f"{_shown(slug)}:1")) from error
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
    for exercise in topic.exercises:
        if vars(loaded).get(exercise.name) is not exercise:
            raise Problem(f"{at(slug, 'topic')}: the exercise {exercise.name} of the list has no variable of its name")
    return loaded


def load(slug: str) -> Topic:
    topic: Topic = module(slug).topic
    return topic


@dataclass(frozen=True)
class Shelf:
    """All topics in the order of the course; a line for each that could not be loaded, and for a number given twice."""

    topics: tuple[Topic, ...]
    broken: tuple[str, ...]
    clashes: tuple[str, ...]


@functools.cache
def shelf() -> Shelf:
    found, broken, clashes = [], [], []
    for slug in slugs():
        try:
            found.append(load(slug))
        except Problem as problem:
            broken.append(str(problem))
    found.sort(key=lambda topic: (topic.number, topic.slug))
    for one, other in itertools.pairwise(found):
        if one.number == other.number:
            clashes.append(f"{at(other.slug, 'topic')}: the number {one.number} is that of {one.slug}, too")
    rank: dict[str, int] = {}
    for topic in found:
        rank.setdefault(topic.part, len(rank))
    found.sort(key=lambda topic: rank[topic.part])
    return Shelf(tuple(found), tuple(broken), tuple(clashes))


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
    unread = f"; not loaded: {' · '.join(shelf().broken)}" if shelf().broken else ""
    if not there:
        raise Problem(f"no topic {text!r}: there is none{unread}")
    near = difflib.get_close_matches(wanted, [name for t in there for name in (t.slug, t.folder)], n=1)
    by_number = sorted(there, key=lambda t: t.number)
    rest = f"did you mean {near[0]}?" if near else f"there are {by_number[0].folder} to {by_number[-1].folder}"
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
    found: dict[str, int] = {}
    for node in parsed(source(slug)).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id: node.lineno for target in targets if isinstance(target, ast.Name)}
    return found


def parsed(path: Path) -> ast.Module:
    """A file of ours as it is now."""
    return _parsed(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _parsed(path: Path, changed: int) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _shown(slug: str) -> str:
    """The file as a person would name it."""
    path = source(slug)
    return str(path.relative_to(path.parents[2]))


def trouble(error: BaseException, at: str) -> str:
    """What was raised while our files were imported or used, with the line of the content that it comes from.

    `at` is told where it comes from none.
    """
    folder = Path(mlcore.checks.__path__[0]).parents[1]
    says = "the file ends Python" if isinstance(error, SystemExit) else str(error)
    path, line = None, 1
    if isinstance(error, SyntaxError):
        says = error.msg
        path, line = Path(error.filename or ""), error.lineno or 1
    elif own := [f for f in traceback.extract_tb(error.__traceback__) if _is_content(Path(f.filename), folder)]:
        path, line = Path(own[-1].filename), own[-1].lineno or 1
    if path and path.is_file():
        at = f"{path.relative_to(folder) if path.is_relative_to(folder) else path}:{line}"
    return f"{at}: {' '.join(f'{type(error).__name__}: {says}'.split())[:200]}"


def _is_content(path: Path, folder: Path) -> bool:
    """Is it the mathematics, the exercises or the figures of a topic?"""
    rooms = (folder / "mlcore", folder / "mlcore" / "checks", folder / "mlcore" / "explore")
    return path.parent in rooms and path.stem not in ("numerics", "__main__", "__init__")
