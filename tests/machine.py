"""What the course says on this machine, as data: `python -m tests.machine PART OUT`, see PARTS.

tests/test_machines.py runs it as other processors would, and compares. `--topic` and `--seeds` are for looking closer.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import itertools
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from IPython.lib.pretty import pretty
from numpy._core import _multiarray_umath

from mlcore import build
from mlcore.checks import Topic, _catalogue
from mlcore.checks._topic import assess
from mlcore.explore import Explorer
from mlcore.explore._engine import positions
from tests.recorded import ROOT, Recorder
from tests.test_certificate import put

SETTINGS = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
FEW = 6  # places of each control


def kernels() -> dict[str, Any]:
    """Which routines numpy takes here: OpenBLAS's by its own word, and numpy's own beyond its baseline."""
    from threadpoolctl import threadpool_info

    np.eye(64) @ np.eye(64)  # a processor that lacks them ends here
    features = _multiarray_umath.__cpu_features__
    return {
        "blas": [lib.get("architecture", "") for lib in threadpool_info() if lib["internal_api"] == "openblas"],
        "numpy": [name for name in _multiarray_umath.__cpu_dispatch__ if features[name]],
    }


def course(topics: list[Topic], seeds: range) -> dict[str, Any]:
    """What every cell of the solved notebooks shows, and every verdict of the certificate."""
    found: dict[str, Any] = {}
    for topic in topics:
        shown, answers = _notebook(topic)
        found |= {f"{topic.folder} cell {i}": text for i, text in shown.items()}
        for e in _catalogue.exercises(topic):
            if not e.parts:
                continue
            ways = {"the solution": (answers[e.name], "right")}
            for i, other in enumerate(e.alternatives):
                ways[f"alternative {i}"] = put(answers[e.name], other.part, other.answer), "right"
            for i, wrong in enumerate(e.mistakes):
                ways[f"mistake {i}"] = put(answers[e.name], wrong.part, wrong.answer), wrong.says
            for (way, (answer, due)), seed in itertools.product(ways.items(), seeds):
                verdict = assess(e, answer, seed)
                told = "right" if verdict.right else verdict.finding.mistake
                found[f"{topic.folder} {e.name}, {way}, seed {seed}"] = {
                    "as it should be": told == due,
                    "points": verdict.points,
                    "card": str(verdict),
                }
    return found


def _notebook(topic: Topic) -> tuple[dict[int, str], dict[str, tuple]]:
    """The text that each cell shows, by its number, and the answers that the checks get."""
    notebook = build.solved(topic, ROOT / "solutions" / f"{topic.folder}.py")
    recorder, shown, namespace = Recorder(), {}, {"__name__": "notebook"}
    for i, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = _run(cell.source, namespace)
        namespace["check"] = recorder
        if isinstance(value, Explorer):
            value = value.describe(value.compute(**value.start))
        shown[i] = printed.getvalue() + ("" if value is None else pretty(value))
    return {i: text for i, text in shown.items() if text}, recorder.answers


def _run(source: str, namespace: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace) if last else None


def explorers(topics: list[Topic], seeds: range) -> dict[str, Any]:
    """Every explorer in a few places: its laws, and what it says."""
    from tests.test_explorers import explorers

    slugs, found = {topic.slug for topic in topics}, {}
    for parameter in explorers():
        kind = parameter.values[0]
        if kind.__module__.rpartition(".")[2] not in slugs:
            continue
        explorer = kind()
        for position in positions(explorer, np.random.default_rng(0), FEW):
            state = explorer.compute(**position)
            broken = [law.says for law in explorer.invariants if not law.along and not law.holds(explorer, state)]
            found[f"{parameter.id} at {position}"] = {"as it should be": not broken, "says": explorer.describe(state)}
        for law in explorer.invariants:
            if law.along:
                values = dict.fromkeys(explorer.controls[law.along].grid(FEW))
                states = [explorer.compute(**(explorer.start | {law.along: value})) for value in values]
                holds = all(law.holds(explorer, *pair) for pair in itertools.pairwise(states))
                found[f"{parameter.id}: {law.says}"] = {"as it should be": holds}
    return found


def graded(topics: list[Topic], seeds: range) -> dict[str, Any]:
    """A class in the sandbox, once with this machine's kernels and once with those of the plain machine."""
    from mlcore.grading import sandbox
    from mlcore.grading.inside import Limits
    from mlcore.grading.marking import Task, grade
    from mlcore.grading.simulate import Answers, _student, fill
    from mlcore.grading.submission import Release

    found: dict[str, Any] = {}
    plain, settings = sandbox._environment, {name: os.environ[name] for name in SETTINGS if name in os.environ}
    for topic, (where, own) in itertools.product(topics, (("here", settings), ("elsewhere", {}))):
        sandbox._environment = lambda scratch, own=own: plain(scratch) | own
        text = (ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb").read_text(encoding="utf-8")
        answers = Answers(topic, ROOT / "solutions" / f"{topic.folder}.py", Release(text))
        room = sandbox.Sandbox(Limits(seconds=120, cell_seconds=30), number=3)
        with room.child() as child:
            found[f"the sandbox {where}"] = child.run(_KERNELS)[0]["text"]
        for seed in seeds:
            chosen = _student(np.random.default_rng(seed), answers)
            notebook = fill(text, {name: answer.source for name, answer in chosen.items()}).encode()
            result = grade(Task(f"student {seed}", topic.folder, notebook, text, b"key"), room)
            for v in result.verdicts:
                due = chosen[v.name]
                found[f"{topic.folder} {v.name}, student {seed}, sandbox {where}"] = {
                    "as it should be": (v.points, str(v.outcome), v.finding.mistake)
                    == (due.points, str(due.outcome), due.mistake),
                    "points": v.points,
                    "card": str(v),
                }
        room.close()
    return found


_KERNELS = "import threadpoolctl\nprint([lib.get('architecture') for lib in threadpoolctl.threadpool_info()])"

PARTS = {"course": course, "explorers": explorers, "graded": graded}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["kernels", *PARTS])
    parser.add_argument("out", type=Path)
    parser.add_argument("--topic", action="append")
    parser.add_argument("--seeds", type=int, default=2)
    words = parser.parse_args()
    if words.part == "kernels":
        found = kernels()
    else:
        topics = [t for t in _catalogue.topics() if not words.topic or t.slug in words.topic]
        found = PARTS[words.part](topics, range(words.seeds))
    words.out.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
