"""The rules of the house for one topic, each a function that says in words where it is broken.

CONTRIBUTING lists them; `mlcore topic check` tells them; the tests hold every topic to them.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from mlcore.authoring import where
from mlcore.course import catalogue, places
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic

Rule = Callable[[Topic, Path], Iterator[str]]

LEAST_MISTAKES = 3
KINDS = ("derivation", "slip", "explanation")  # of these every topic has one
START = 0  # the notebook that shows how the others work: no figures, one exercise


def files(topic: Topic) -> dict[str, str]:
    """The files of a topic, by what they are."""
    return {
        "mathematics": f"mlcore/{topic.slug}.py",
        "exercises": f"mlcore/checks/{topic.slug}.py",
        "figures": f"mlcore/explore/{topic.slug}.py",
        "notebook": f"solutions/{topic.folder}.py",
        "tests": f"tests/test_{topic.slug}.py",
    }


def one_slug_in_every_room(topic: Topic, root: Path) -> Iterator[str]:
    for room, path in files(topic).items():
        if not (root / path).is_file() and (topic.number != START or room != "figures"):
            yield f"{where.topic(topic)}: {path} is missing: the {room} of {topic.slug}"


def mathematics_imports_numpy_only(topic: Topic, root: Path) -> Iterator[str]:
    """numpy, the standard library and `mlcore.numerics`."""
    path = files(topic)["mathematics"]
    for line, name in _imports(root, path):
        if name.partition(".")[0] not in {"numpy", *sys.stdlib_module_names} and not _is_numerics(name):
            yield f"{path}:{line}: the mathematics imports {name}: numpy and mlcore.numerics are all it may"


def _is_numerics(name: str) -> bool:
    return name == "mlcore.numerics" or name.startswith("mlcore.numerics.")


def exercises_and_figures_do_not_know_each_other(topic: Topic, root: Path) -> Iterator[str]:
    for room, other in (("exercises", "mlcore.explore"), ("figures", "mlcore.checks")):
        path = files(topic)[room]
        for line, name in _imports(root, path):
            if name.startswith(other):
                yield f"{path}:{line}: the {room} import {name}"


def every_equation_is_numbered_and_in_the_notebook(topic: Topic, root: Path) -> Iterator[str]:
    path, notebook = files(topic)["mathematics"], files(topic)["notebook"]
    if not (root / path).is_file() or not (root / notebook).is_file():
        return
    lines = _text(root, path).splitlines()
    tags = [(i, m[1]) for i, line in enumerate(lines, 1) if (m := re.match(rf"\(({topic.number}\.\d+)\)", line))]
    text = _text(root, notebook)
    if not tags:
        yield f"{path}:1: the module numbers no equation: ({topic.number}.1) begins the line of the first"
    for line, tag in tags:
        if f"{{{tag}}}" not in text and f"({tag})" not in text:
            yield f"{path}:{line}: equation ({tag}) is not in {notebook}"
    for (_, before), (line, tag) in itertools.pairwise(tags):
        if int(tag.split(".")[1]) <= int(before.split(".")[1]):
            yield f"{path}:{line}: equation ({tag}) comes after ({before})"


def a_quotation_breaks_no_formula(topic: Topic, root: Path) -> Iterator[str]:
    """A formula that goes over two lines of a quotation would have the second line's > inside it."""
    for line, text in _notebook_lines(topic, root):
        if text.startswith("# >") and text.count("$") % 2:
            yield f"{files(topic)['notebook']}:{line}: a formula breaks over two lines of a quotation"


def a_percentage_has_no_space(topic: Topic, root: Path) -> Iterator[str]:
    for line, text in _notebook_lines(topic, root):
        if text.startswith("# ") and re.search(r"\d %(?!%)", text):
            yield f"{files(topic)['notebook']}:{line}: a percentage is written 83%, with no space before the sign"


def every_exercise_is_well_catalogued(topic: Topic, root: Path) -> Iterator[str]:
    for exercise in topic.exercises:
        if not exercise.parts:
            continue
        at = f"{where.exercise(topic, exercise)}: {exercise.name}"
        sentences = [mistake.says for mistake in exercise.mistakes]
        if (count := len(set(sentences))) < LEAST_MISTAKES:
            yield f"{at} has {count} of at least {LEAST_MISTAKES} mistakes, each with a sentence of its own"
        if not exercise.alternatives and exercise.kind not in ("choice", "value"):
            yield f"{at} has no alternative: another right answer must pass, too"
        if not exercise.hints:
            yield f"{at} has no hint"
        if not exercise.see:
            yield f"{at} does not say in `see` where the text derives it"
        for i, says in enumerate(sentences):
            if not says or says[-1] not in ".?!":
                yield f"{where.mistake(topic, exercise, i)}: not a sentence: {says!r}"


def a_number_is_that_of_one_topic(topic: Topic, root: Path) -> Iterator[str]:
    for other in catalogue.topics():
        if other.number == topic.number and other.slug != topic.slug:
            free = max(t.number for t in catalogue.topics()) + 1
            yield f"{where.topic(topic)}: the number {topic.number} is that of {other.slug}, too: {free} is free"


def names_are_unique_over_the_course(topic: Topic, root: Path) -> Iterator[str]:
    taken = {e.name: t.slug for t in catalogue.topics() if t.slug != topic.slug for e in t.exercises}
    for exercise in topic.exercises:
        if exercise.name in taken:
            yield f"{where.exercise(topic, exercise)}: {taken[exercise.name]} has an exercise {exercise.name} already"


def a_topic_has_a_derivation_a_slip_and_an_explanation(topic: Topic, root: Path) -> Iterator[str]:
    kinds = {exercise.kind for exercise in topic.exercises}
    for kind in KINDS if topic.number != START else ():
        if kind not in kinds:
            yield f"{where.topic(topic)}: {topic.slug} has no {kind}"


def what_comes_before_is_before(topic: Topic, root: Path) -> Iterator[str]:
    for slug in topic.before:
        if slug not in catalogue.slugs():
            yield f"{where.topic(topic)}: `before` names {slug!r}, which is no topic"


def it_gives_the_glossary_a_symbol(topic: Topic, root: Path) -> Iterator[str]:
    text = "\n".join(line for _, line in _notebook_lines(topic, root))
    if topic.number != START and text and not re.search(r"^# %% symbols ", text, re.M):
        yield f"{files(topic)['notebook']}:1: no `# %% symbols SECTION [markdown]`: a notebook names its new symbols"


RULES: tuple[Rule, ...] = (
    a_number_is_that_of_one_topic,
    one_slug_in_every_room,
    mathematics_imports_numpy_only,
    exercises_and_figures_do_not_know_each_other,
    every_equation_is_numbered_and_in_the_notebook,
    a_quotation_breaks_no_formula,
    a_percentage_has_no_space,
    every_exercise_is_well_catalogued,
    names_are_unique_over_the_course,
    a_topic_has_a_derivation_a_slip_and_an_explanation,
    what_comes_before_is_before,
    it_gives_the_glossary_a_symbol,
)


def broken(topic: Topic) -> Iterator[str]:
    """A line for every rule that the topic breaks, and for every place."""
    for rule in RULES:
        try:
            yield from rule(topic, places.root())
        except Problem as problem:
            yield str(problem)  # the other rules have their say, too


def imports(path: Path) -> list[tuple[int, str]]:
    """Every name that a file imports, with its line."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def _imports(root: Path, path: str) -> list[tuple[int, str]]:
    """Those of a topic's file, if it is there."""
    try:
        return imports(root / path) if (root / path).is_file() else []
    except SyntaxError as error:
        raise Problem(f"{path}:{error.lineno}: SyntaxError: {error.msg}") from None


def _notebook_lines(topic: Topic, root: Path) -> list[tuple[int, str]]:
    path = root / files(topic)["notebook"]
    return list(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)) if path.is_file() else []


def _text(root: Path, path: str) -> str:
    return (root / path).read_text(encoding="utf-8")
