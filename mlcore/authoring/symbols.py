"""Are the symbols of the glossary where it says that they are? In the notebook, in the code, and once in a section."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from mlcore.course import catalogue, glossary, places
from mlcore.engine.exercises import Topic

# How a symbol starts: \hat y, \lambda, TP, w.
HEAD = r"\\(?:hat|bar|tilde|mathrm)[ {]*\w+|\\[a-zA-Z]+|[A-Z]{2}|[A-Za-z]"


def astray(topic: Topic, root: Path) -> Iterator[str]:
    """What the rows that a topic gives the glossary say, and the topic does not bear out."""
    for _section, row in glossary.given(topic, root):
        at = f"solutions/{topic.folder}.py:{_line(topic, root, row.symbol)}"
        text = "\n".join(_said(catalogue.load(slug), root) for slug in row.topics)
        heads = list(_heads(row.symbol))
        if not heads:
            yield f"{at}: {row.symbol} is no symbol: write it as $…$"
        for head in heads:
            if not re.search(rf"(?<![A-Za-z\\]){re.escape(head)}(?![A-Za-z])", text):
                yield f"{at}: {head} stands neither in the notebook nor in its module"
        for name in re.findall(r"`([^`]+)`", row.code):
            if not name.startswith("(") and name.rpartition(".")[2] not in names_in_code(root):
                yield f"{at}: `{name}` is no name in the code"


def _heads(symbol: str) -> Iterator[str]:
    for math in re.findall(r"\$([^$]+)\$", symbol):
        for piece in re.split(r"[,;]", math.split("=")[0]):
            if match := re.match(HEAD, piece.strip()):
                yield match[0]


def _line(topic: Topic, root: Path, symbol: str) -> int:
    lines = places.solution(topic, root).read_text(encoding="utf-8").splitlines()
    return next((i for i, line in enumerate(lines, 1) if line.startswith(f"# | {symbol} |")), 1)


def _said(topic: Topic, root: Path) -> str:
    """What a notebook and its module say, as text; not the rows that it gives the glossary."""
    files = (places.solution(topic, root), root / "mlcore" / f"{topic.slug}.py")
    return "\n".join(path.read_text(encoding="utf-8").partition("# %% symbols")[0] for path in files if path.is_file())


@functools.cache
def names_in_code(root: Path) -> frozenset[str]:
    """Every name in the mathematics and in the notebooks."""
    found = set()
    for path in [*(root / "solutions").glob("*.py"), *(root / "mlcore").glob("*.py")]:
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError:
            continue  # a draft: its own check says so
        for node in ast.walk(tree):
            found |= {getattr(node, kind) for kind in ("id", "arg", "attr", "name") if hasattr(node, kind)}
    return frozenset(found)
