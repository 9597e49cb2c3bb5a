"""What the course says on this machine, as data: `python -m tests.machine PART OUT.json`, with the parts below.

tests/test_machines.py runs it on the kernels of other processors and compares. To look closer, run it by hand under
OPENBLAS_CORETYPE with `--topics`, `--seeds` and `--places`.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import itertools
import json
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mlcore.authoring import chains
from mlcore.authoring.recorded import Recorder
from mlcore.course import build, catalogue
from mlcore.engine.asking.answers import collect
from mlcore.engine.exercises import Topic
from mlcore.engine.exercises.assess import drawing
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.verdict import Verdict
from tests.conftest import ROOT
from tests.kernels import BLAS, kernels

SETTINGS = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
STUDENTS = 6

Said = tuple[str, bool, str]  # where, is it as it should be, and the text


def course(topics: list[Topic], seeds: int, places: int) -> Iterator[Said]:
    """What the cells of the solved notebooks show, what their explorers say, and every verdict of the certificate."""
    for topic in topics:
        answers = yield from _notebook(topic, places)
        for e in topic.exercises:
            if e.parts:
                yield from _certificate(topic, e, answers[e.name], seeds)


def _notebook(topic: Topic, places: int) -> Iterator[Said]:
    """Run the cells; returns the answers that its checks get."""
    from IPython.lib.pretty import pretty

    from mlcore.engine.explorers import Explorer

    recorder, namespace = Recorder(), {"__name__": "notebook"}
    notebook = build.solved(topic, ROOT / "solutions" / f"{topic.folder}.py")
    for i, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = _run(cell.source, namespace)
        namespace["check"] = recorder
        if isinstance(value, Explorer):
            yield from _explorer(f"{topic.folder} {type(value).__name__}", value, places)
        elif value is not None:
            printed.write(pretty(value))
        if printed.getvalue():
            yield f"{topic.folder} cell {i}", True, printed.getvalue()
    return recorder.answers


def _run(source: str, namespace: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace) if last else None


def _explorer(where: str, explorer: Any, places: int) -> Iterator[Said]:
    """Its laws and its words, at the start, at the ends of every control and in a few places between."""
    from mlcore.engine.explorers.sweep import broken_along, positions

    for position in positions(explorer, np.random.default_rng(0), places):
        state = explorer.compute(**position)
        lawful = all(law.along or law.holds(explorer, state) for law in explorer.invariants)
        yield f"{where} at {position}", lawful, explorer.describe(state)
    for law in explorer.invariants:
        if law.along:
            yield f"{where}: {law.says}", not broken_along(explorer, law, explorer.start, places), ""


def _certificate(topic: Topic, e: Exercise, solution: tuple, seeds: int) -> Iterator[Said]:
    """The verdicts on the solution, on every alternative and on every mistake."""
    ways = [("the solution", 0, solution[0], "")]
    ways += [(f"alternative {i}", other.part, other.answer, "") for i, other in enumerate(e.alternatives)]
    ways += [(f"mistake {i}", wrong.part, wrong.answer, wrong.says) for i, wrong in enumerate(e.mistakes)]
    for seed in range(seeds):
        plan = e.plan(drawing(e, seed))
        for way, part, answer, says in ways:
            answers = (*solution[:part], answer, *solution[part + 1 :])
            verdict = e.judge(plan, collect(answers, plan, e.watch()))
            due = verdict.finding.mistake == says if says else verdict.right
            yield f"{topic.folder} {e.name}, {way}, seed {seed}", due, _card(verdict)
    for promise in chains.PROMISES:
        for i, broken in enumerate(promise(topic, e, range(1))):
            yield f"{topic.folder} {e.name}, {promise.__name__}, {i}", False, broken


def _card(verdict: Verdict) -> str:
    """The verdict as it is shown, without numpy's warnings; what rounding leaves of a student's own 0 may differ."""
    return re.sub(r"-?\d(\.\d+)?e-1\d", "0", str(replace(verdict, notes=())))


def graded(topics: list[Topic], seeds: int, places: int) -> Iterator[Said]:
    """A class in the sandbox: there it has these kernels too, and then those of the plain machine.

    Its first student hands in the solution, the others one mistake after the other.
    """
    from mlcore.grading import sandbox
    from mlcore.grading.inside import Limits
    from mlcore.grading.marking import Task, grade
    from mlcore.grading.simulate import Answers, fill
    from mlcore.grading.submission import Release

    outside = sandbox._environment
    ours = {name: os.environ[name] for name in SETTINGS if name in os.environ}
    for topic, (where, settings) in itertools.product(topics, (("here", ours), ("elsewhere", {}))):
        sandbox._environment = lambda scratch, settings=settings: outside(scratch) | settings
        text = (ROOT / "notebooks" / topic.folder / f"{topic.slug}.ipynb").read_text(encoding="utf-8")
        answers = Answers(topic, ROOT / "solutions" / f"{topic.folder}.py", Release(text))
        with contextlib.closing(sandbox.Sandbox(Limits(seconds=120, cell_seconds=30), number=os.getpid())) as room:
            with room.child() as child:
                taken = ast.literal_eval(child.run(BLAS)[0]["text"])
            yield f"the kernels of the sandbox {where}", where == "elsewhere" or taken == kernels()["blas"], ""
            for student in range(STUDENTS):
                chosen = {e.name: _handed_in(answers, e, student) for e in answers.exercises}
                notebook = fill(text, {name: answer.source for name, answer in chosen.items()}).encode()
                for v in grade(Task(f"student {student}", topic.folder, notebook, text, b"key"), room).verdicts:
                    due = chosen[v.name]
                    told = v.points, v.outcome, v.finding.mistake
                    right = told == (due.points, due.outcome, due.mistake)
                    yield f"{topic.folder} {v.name}, student {student}, sandbox {where}", right, _card(v)


def _handed_in(answers: Any, e: Exercise, student: int) -> Any:
    solved, wrong = answers.solved(e), list(answers.mistakes(e))
    # An answer that calls another exercise's is right only if that one is.
    needed = any(e.name in answers.needs(other, answers.solved(other)) for other in answers.exercises)
    return solved if student == 0 or needed or not wrong else wrong[(student - 1) % len(wrong)]


PARTS = {"course": course, "graded": graded}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("out", type=Path)
    parser.add_argument("--topics", nargs="+", type=catalogue.find, default=list(catalogue.topics()))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--places", type=int, default=4, help="of each control of an explorer")
    words = parser.parse_args()
    said = PARTS[words.part](words.topics, words.seeds, words.places)
    found = {where: [due, text] for where, due, text in said}
    words.out.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
