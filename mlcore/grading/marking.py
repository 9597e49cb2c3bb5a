"""One submission: a task in, a result out. Pure, so that it can be run again anywhere with the same marks."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import re
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from mlcore.course import catalogue
from mlcore.course.build import NOTEBOOK_METADATA
from mlcore.engine.asking.answers import Call, Reply, Trouble
from mlcore.engine.asking.watch import Watch
from mlcore.engine.exercises.assess import failed, judged, reason, undrawn, without_draws
from mlcore.engine.exercises.card import card
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.verdict import MIME, Finding, Outcome, Verdict
from mlcore.engine.reading import source
from mlcore.grading import submission, wire
from mlcore.grading.sandbox import Ended, Lost, Sandbox
from mlcore.grading.submission import CHECK, Cell, Release, Unreadable

PLAN_SECONDS = 20  # for the draws of one exercise
JUDGE_SECONDS = 20  # for the comparison of one exercise
MOST_SHOWN = 1_000_000  # characters that the cells of a notebook show, together
ATTEMPTS = 4  # starts of a notebook whose cells kill their process; each start leaves out one more of them
# formgrader shows a student's text as HTML, scripts and all, to a person who can give marks: a space behind each of
# these, and there are no tags and no links in it.
MARKUP = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(\[:])|\\(?=href)")


@dataclass(frozen=True)
class Task:
    """All that is needed to grade one submission, wherever that is done."""

    student: str
    assignment: str  # the topic's folder
    notebook: bytes
    release: str
    key: bytes
    edition: str = ""  # of the exercises
    unreadable: str = ""  # why there is no notebook

    @property
    def fingerprint(self) -> str:
        """What the result depends on: a second run skips what has not changed."""
        parts = (self.notebook, self.key, *(t.encode() for t in (self.release, self.edition, self.unreadable)))
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@dataclass
class Result:
    student: str
    assignment: str
    fingerprint: str
    verdicts: list[Verdict]
    untouched: set[str]  # answers that are still as released
    by_hand: dict[str, bool]  # explanations: is there an answer for a person to mark?
    cells: list[dict[str, Any]]  # of the executed notebook
    notes: list[str] = field(default_factory=list)
    problem: str = ""  # what kept the notebook from being graded as it should

    @property
    def points(self) -> float:
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def judged_out_of(self) -> float:
        """What these points are out of: an exercise that failed itself is not among it."""
        return sum(verdict.out_of for verdict in self.verdicts if verdict.outcome is not Outcome.NOT_JUDGED)


def draws(task: Task, exercise: str) -> np.random.Generator:
    """Inputs that no student has seen: the same again in a regrade, others for another student or another notebook.

    So a notebook that tells its inputs, in an error's message say, tells nothing about those of the next hand-in.
    """
    digest = hmac.digest(task.key, f"{task.student}/{exercise}/".encode() + task.notebook, "sha256")
    return np.random.default_rng(int.from_bytes(digest, "big"))


def grade(task: Task, sandbox: Sandbox) -> Result:
    module = catalogue.module(task.assignment.partition("_")[2])
    exercises = {exercise.name: exercise for exercise in module.topic.exercises}
    release = Release(task.release)
    notes: list[str] = []
    try:
        if task.unreadable:
            raise Unreadable(task.unreadable)
        cells, notes = submission.mend(submission.parse(task.notebook), release)
    except Unreadable as error:
        problem = str(error)
        cells = [submission.plain(cell) for cell in release.cells]
        run = Run()
    else:
        # Before the student's clock starts: an exercise that takes long over its draws costs nobody's time.
        questions = {name: _question(exercises[name], module, task) for name in _checked(release)}
        run = _run(cells, release, questions, sandbox)
        notes += run.notes
        problem = run.problem
    verdicts = {
        name: _verdict(exercises[name], run.asked.get(name), _above(cells, name), release.answers(name))
        for name in _checked(release)
    }
    written = {cell["grade_id"]: cell["source"] for cell in cells if cell["grade_id"]}
    answers = {name: place.cell for name, place in release.places.items() if not place.is_check}
    untouched = {name for name, cell in answers.items() if written[name].strip() == cell["source"].strip()}
    graded = (name for name, cell in answers.items() if cell["metadata"]["nbgrader"]["grade"])
    by_hand = {name: name not in untouched for name in graded}
    executed = [_executed(cell, release, run.outputs.get(i, []), verdicts) for i, cell in enumerate(cells)]
    if problem:
        executed.insert(0, {"cell_type": "markdown", "id": "problem", "metadata": {}, "source": f"**{problem}**"})
    return Result(
        student=task.student,
        assignment=task.assignment,
        fingerprint=task.fingerprint,
        verdicts=list(verdicts.values()),
        untouched=untouched,
        by_hand=by_hand,
        cells=executed,
        notes=notes,
        problem=problem,
    )


def _checked(release: Release) -> list[str]:
    return [name.removeprefix(CHECK) for name in release.places if name.startswith(CHECK)]


@dataclass(frozen=True)
class Question:
    """What a check asks, and its form for the journey."""

    plan: Sequence[Call]
    packed: str
    failure: str = ""  # why there are no draws to ask about


def _question(exercise: Exercise, module: ModuleType, task: Task) -> Question:
    try:
        with _patience(PLAN_SECONDS), np.errstate(all="ignore"):
            plan = exercise.plan(draws(task, exercise.name))
        return Question(plan, wire.packed_question(plan, exercise.watch(), module))
    except (Exception, OutOfTime) as failure:  # ours: the student's code is still to be run
        plan = without_draws(exercise)
        return Question(plan, wire.packed_question(plan, Watch(), module), reason(failure))


@dataclass
class Run:
    """What running a notebook gave: outputs by cell, replies by exercise."""

    outputs: dict[int, list[dict[str, str]]] = field(default_factory=dict)
    asked: dict[str, tuple[Question, Sequence[Reply]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problem: str = ""
    shown: int = 0

    def show(self, at: int, outputs: list[dict[str, str]]) -> None:
        """Keep what a cell showed, unless the notebook has shown too much already."""
        self.shown += sum(len(text) for output in outputs for text in output.values())
        left_out = {"kind": "stream", "text": "(The notebook shows too much: this is left out.)\n"}
        self.outputs[at] = outputs if self.shown <= MOST_SHOWN else [left_out]


def _run(cells: list[Cell], release: Release, questions: dict[str, Question], sandbox: Sandbox) -> Run:
    """Run the cells in order; one that kills its process is left out of the next start."""
    run = Run()
    fatal: dict[int, str] = {}
    deadline = time.monotonic() + sandbox.limits.seconds
    at, lost = 0, False
    for _ in range(ATTEMPTS):
        run.shown = 0
        try:
            with sandbox.child() as child:
                for at, cell in enumerate(cells):
                    name = cell["grade_id"] or ""
                    if name.startswith(CHECK):
                        exercise = name.removeprefix(CHECK)
                        question = questions[exercise]
                        count = len(question.plan)
                        replies = [_dead(fatal[at])] * count if at in fatal else None
                        if replies is None:
                            replies = child.ask(question.packed, release.answers(exercise), count)
                        run.asked[exercise] = question, replies
                    elif at in fatal:
                        run.outputs[at] = [{"kind": "error", "name": "Stopped", "message": fatal[at], "trace": ""}]
                    elif cell["cell_type"] == "code" and not _idle(cell, release):
                        run.show(at, child.run(cell["source"]))
            return run
        except Ended as ended:
            if isinstance(ended, Lost) and not lost:
                lost = True  # blame no cell the first time: a machine, too, kills processes
                continue
            fatal[at] = str(ended)
            run.notes.append(f"Cell {at + 1} was left out: {ended}.")
            if time.monotonic() > deadline:
                break
    run.problem = f"The notebook could not be run to its end: in cell {at + 1} {fatal.get(at, 'the sandbox died')}."
    return run


def _idle(cell: Cell, release: Release) -> bool:
    """A cell of the course's own that only shows something: nobody looks when a notebook is graded."""
    return cell["source"] in release.given and submission.only_shows(cell["source"])


def _dead(why: str) -> Reply:
    return Reply(trouble=Trouble("ProcessEnded", why))


def _verdict(
    exercise: Exercise,
    asked: tuple[Question, Sequence[Reply]] | None,
    above: Sequence[str] = (),
    names: Sequence[str] = (),
) -> Verdict:
    """The verdict on replies that have crossed the border: whatever they are, this ends and says something.

    How the answers of these names were written is read from the cells above their check. Nothing of them runs here.
    """
    if asked is None:
        return exercise.verdict(Finding(Outcome.NOT_ATTEMPTED, "It was not reached."), ())
    question, replies = asked
    if question.failure:
        return undrawn(exercise, replies, question.failure)
    try:
        with _patience(JUDGE_SECONDS), np.errstate(all="ignore"):
            written = source.of_cells(above, names) if exercise.reads_source else []
            return judged(exercise, question.plan, replies, written).without_evidence()
    except OutOfTime as failure:
        return failed(exercise, replies, failure)


def _above(cells: Sequence[Cell], name: str) -> list[str]:
    """The code above the check of an exercise."""
    place = next(i for i, cell in enumerate(cells) if cell["grade_id"] == CHECK + name)
    return [cell["source"] for cell in cells[:place] if cell["cell_type"] == "code"]


class OutOfTime(BaseException):
    """Our own code takes too long. Not an `Exception`: nothing on the way may take it for one of its own."""


@contextlib.contextmanager
def _patience(seconds: int) -> Iterator[None]:
    def late(number: int, frame: Any) -> None:
        raise OutOfTime(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# The executed notebook.


def _executed(cell: Cell, release: Release, outputs: list[dict[str, str]], verdicts: dict[str, Verdict]) -> dict:
    place = release.places.get(cell["grade_id"] or "")
    new = {
        "cell_type": cell["cell_type"],
        "metadata": place.cell["metadata"] if place else {"mlcore": {"given": cell["source"] in release.given}},
        "source": cell["source"],
    }
    if cell["cell_type"] != "code" and cell["source"] not in release.given:
        new["source"] = MARKUP.sub(r"\g<0> ", cell["source"])
    if cell["id"]:
        new["id"] = cell["id"]
    if cell["cell_type"] == "code":
        shown = [_shown(output) for output in outputs]
        if place and place.is_check:
            shown = [_card(verdicts[place.grade_id.removeprefix(CHECK)])]
        new |= {"execution_count": None, "outputs": shown}
    return new


def _shown(output: dict[str, str]) -> dict:
    match output["kind"]:
        case "stream":
            return {"output_type": "stream", "name": "stdout", "text": output.get("text", "")}
        case "result":
            data = {"text/plain": output.get("text", "")}
            return {"output_type": "display_data", "data": data, "metadata": {}}
    name, message = output.get("name", ""), output.get("message", "")
    trace = [line for line in (output.get("trace", ""), f"{name}: {message}") if line]
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": trace}


def _card(verdict: Verdict) -> dict:
    data = {"text/html": card(verdict), "text/plain": str(verdict), MIME: verdict.data()}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def notebook(result: Result) -> str:
    """The executed notebook as a file, with ids that are unique."""
    seen: set[str] = set()
    cells = []
    for i, cell in enumerate(result.cells):
        name = str(cell.get("id", ""))
        if not name or name in seen or not all(c.isascii() and (c.isalnum() or c in "-_") for c in name):
            name = f"cell-{i}"
        seen.add(name)
        cells.append({**cell, "id": name})
    return (
        json.dumps({"cells": cells, "metadata": NOTEBOOK_METADATA, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"
    )
