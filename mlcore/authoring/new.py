"""A new topic: its five files, a small complete topic in the place of what the author will write.

The templates lie beside this module. They are the weighted mean, in the form that the house asks for: it builds, runs
and passes every check, and `TODO` marks each place that the author has to write.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import keyword
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import mlcore
from mlcore.authoring import rules
from mlcore.course import catalogue
from mlcore.engine import files
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic

LONGEST_SLUG = 40  # the lines of the templates hold one of this length
LONGEST_TEXT = 60
NUMBERS = range(1, 100)  # two digits in the name of a folder
PACKAGES = {"matplotlib", "mlcore", "numpy", "pytest", "scipy", "sklearn", "tests"}  # what a topic's files import
LIKE = 0.8  # two names of parts that agree so far are taken for one


def write(
    root: Path, slug: str, part: str, title: str | None = None, number: int | None = None, new_part: bool = False
) -> list[Path]:
    """Write the files of a new topic, all or none, and return them."""
    _need_clone(root)
    _need_free_slug(slug, root)
    title = slug.replace("_", " ").capitalize() if title is None else title.strip()
    topic = Topic(
        number=_free_number(number, root),
        slug=slug,
        title=_need_text("title", title),
        question="",
        part=_known_part(part.strip(), new_part),
        minutes=0,
        exercises=[],
    )
    contents = {room: _filled(room, topic) for room in rules.files(topic)}
    _need_no_clash(slug, contents)
    paths = [root / path for path in rules.files(topic).values()]
    try:
        files.create(dict(zip(paths, contents.values(), strict=True)))
    except FileExistsError as error:
        raise Problem(f"{error.filename} is there already: nothing was written") from None
    return paths


def _filled(room: str, topic: Topic) -> str:
    """The template of a room, with the topic's own names in it."""
    template = (Path(__file__).parent / "templates" / f"{room}.py.txt").read_text(encoding="utf-8")
    values = {
        "slug": topic.slug,
        "number": str(topic.number),
        "NN": f"{topic.number:02d}",
        "title": topic.title,
        "part": topic.part,
        "before": _before(topic),
    }
    return re.sub(rf"<({'|'.join(values)})>", lambda name: values[name[1]], template)


def _before(topic: Topic) -> str:
    """The topic that a reader may have come from: the last one of the part, or else of the course."""
    earlier = [t for t in catalogue.topics() if t.number < topic.number]
    return max(earlier, key=lambda t: (t.part == topic.part, t.number)).slug


# --- what is refused ---


def _need_clone(root: Path) -> None:
    if not (root / "solutions").is_dir():
        raise Problem(f"a topic is written in a clone of the repository: there is no solutions/ in {root}")
    running = Path(mlcore.__path__[0]).resolve().parent
    if running != root.resolve():
        raise Problem(
            f"the mlcore that runs is that of {running}: in {root}, `pip install --editable .` makes it yours"
        )


def _need_free_slug(slug: str, root: Path) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", slug) or not 1 < len(slug) <= LONGEST_SLUG:
        near = re.sub(r"[^a-z0-9]+", "_", slug.lower()).strip("_")
        hint = f": did you mean {near}?" if near != slug and re.match(r"[a-z]\w", near) else ", such as hidden_markov"
        raise Problem(f"{slug!r} is no slug: a name in lower case of 2 to {LONGEST_SLUG} letters, digits and _{hint}")
    if keyword.iskeyword(slug) or keyword.issoftkeyword(slug) or slug in dir(builtins):
        raise Problem(f"{slug!r} is a word of Python: choose another slug")
    if slug in sys.stdlib_module_names or slug in PACKAGES:
        raise Problem(f"`import {slug}` finds another module: choose another slug")
    if slug in {module.name for module in pkgutil.iter_modules(mlcore.__path__)} - set(catalogue.slugs()):
        raise Problem(f"{slug!r} is taken: mlcore.{slug} is there, and is no topic")
    for pattern in (
        f"mlcore/checks/{slug}.py",  # every topic has one
        f"mlcore/explore/{slug}.py",
        f"solutions/[0-9][0-9]_{slug}.py",
        f"notebooks/[0-9][0-9]_{slug}",
        f"notebooks/{slug}.ipynb",
        f"tests/test_{slug}.py",
    ):
        for path in root.glob(pattern):
            raise Problem(f"{slug!r} is taken: {path.relative_to(root)} is there")


def _need_no_clash(slug: str, contents: Mapping[str, str]) -> None:
    """`from mlcore import check` would hide what the notebook calls so. Names of exercises are one for the course."""
    trees = {room: ast.parse(content) for room, content in contents.items()}
    if slug in {name for tree in trees.values() for name in _bound(tree)}:
        raise Problem(f"{slug!r} is a name that the files of a topic use themselves: choose another slug")
    taken = {exercise.name: topic.slug for topic in catalogue.topics() for exercise in topic.exercises}
    for name in re.findall(r"^(\w+) = \w+\($", contents["exercises"], re.M):
        if name in taken:
            raise Problem(
                f"{slug!r} would have an exercise {name}, and so has {taken[name]} already: choose another slug"
            )


def _bound(tree: ast.AST) -> Iterator[str]:
    """Every name that a file gives a meaning, but for the topic's own module."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(name) | ast.Name(name, ast.Store()) | ast.FunctionDef(name) | ast.ClassDef(name):
                yield name
            case ast.ImportFrom(module, names) if module in ("mlcore", "mlcore.explore"):
                yield from (alias.asname for alias in names if alias.asname)
            case ast.Import(names) | ast.ImportFrom(_, names):
                yield from (alias.asname or alias.name for alias in names)


def _need_text(what: str, text: str) -> str:
    if not text or len(text) > LONGEST_TEXT or not text.isprintable() or set(text) & set('"\\'):
        raise Problem(f'the {what} {text!r} must be 1 to {LONGEST_TEXT} characters on one line, without " and \\')
    return text


def _free_number(number: int | None, root: Path) -> int:
    taken = {int(p.stem[:2]): p.stem[3:] for p in (root / "solutions").glob("[0-9][0-9]_*.py")}  # broken ones too
    taken |= {topic.number: topic.slug for topic in catalogue.topics()}
    if number is None:
        number = max(taken, default=0) + 1
    if number in taken:
        raise Problem(f"number {number} is taken by {taken[number]}: the next free one is {max(taken) + 1}")
    if number not in NUMBERS:
        raise Problem(f"the number of a topic is {NUMBERS[0]} to {NUMBERS[-1]}, got {number}")
    return number


def _known_part(part: str, new_part: bool) -> str:
    """The part, if it is there, or if it cannot be one of these with a slip of the pen."""
    there = list(dict.fromkeys(topic.part for topic in catalogue.topics() if topic.number != rules.START))
    if not part:
        raise Problem(f"--part is missing: {', '.join(map(repr, there))}; any other name makes a new part")
    if part in there or new_part:
        return part if part in there else _need_text("part", part)
    names = {name.casefold(): name for name in there}
    if near := difflib.get_close_matches(part.casefold(), names, n=1, cutoff=LIKE):
        raise Problem(f"no part {part!r}: did you mean {names[near[0]]!r}? With --new-part it is a new one")
    return _need_text("part", part)
