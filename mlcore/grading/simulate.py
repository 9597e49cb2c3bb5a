"""A class made from the catalogue: plausible submissions, and the truth about each of them.

The demonstration, the test bed and the benchmark of the grader. The truth is known by construction: whoever was
given a catalogued mistake makes it, and the certificate in the tests proves what it is worth.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mlcore.course import build, places
from mlcore.engine import files
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Chain, Slip, Topic
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.verdict import Outcome
from mlcore.grading import courses
from mlcore.grading.submission import Release
from mlcore.grading.typed import Untypable, names_bound, typed

FIRST = ("Ada", "Alan", "Carl", "Emmy", "Florence", "Grace", "Hedy", "Joan", "Leonhard", "Maria", "Niels", "Sofia")
LAST = ("Bayes", "Cauchy", "Euler", "Fisher", "Gauss", "Hopper", "Ito", "Kalman", "Markov", "Noether", "Rao")


@dataclass(frozen=True)
class Answer:
    """What a student wrote into a cell, and what it is worth."""

    source: str
    points: float
    outcome: str
    mistake: str = ""


class Answers:
    """The ways to answer each exercise of a topic."""

    def __init__(self, topic: Topic, solution: Path, release: Release) -> None:
        solved = build.solved(topic, solution)
        self._solved = {
            cell.metadata.nbgrader.grade_id: _without_marks(cell.source)
            for cell in solved.cells
            if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
        }
        self.release = release
        self.exercises = [e for e in topic.exercises if e.parts]
        self.explanations = [e for e in topic.exercises if not e.parts]
        self._names = {e.name: release.answers(e.name) for e in self.exercises}
        used = [name for names in self._names.values() for name in names]
        self._unique = {name for name in used if used.count(name) == 1}
        self._typed: dict[tuple[str, int, int], str] = {}

    def solved(self, exercise: Exercise) -> Answer:
        return Answer(self._solved[exercise.name], exercise.points, Outcome.RIGHT)

    def blank(self, exercise: Exercise) -> Answer:
        return Answer(self.release.places[exercise.name].cell["source"], 0, Outcome.NOT_ATTEMPTED)

    def alternatives(self, exercise: Exercise) -> Iterator[Answer]:
        for alternative in exercise.alternatives:
            if source := self._with(exercise, alternative.part, alternative.answer):
                yield Answer(source, exercise.points, Outcome.RIGHT)

    def mistakes(self, exercise: Exercise) -> Iterator[Answer]:
        """Each catalogued mistake. Where an answer has several parts, the others are right."""
        for mistake in exercise.mistakes:
            if source := self._with(exercise, mistake.part, mistake.answer):
                points = exercise.points * (exercise.parts - 1) / exercise.parts if _by_part(exercise) else 0
                outcome = Outcome.PARTLY if points else Outcome.MISTAKE
                yield Answer(source, points, outcome, mistake.says)

    def partial(self, exercise: Exercise) -> Iterator[Answer]:
        """A derivation that stops after some lines."""
        if not isinstance(exercise, Chain) or exercise.parts < 2:
            return
        stub = dict(_blocks(self.blank(exercise).source))
        for done in range(1, exercise.parts):
            source = self._solved[exercise.name]
            for name in self._names[exercise.name][done:]:
                source = _replaced(source, name, stub[name])
            yield Answer(source, done, Outcome.PARTLY)

    def broken(self, exercise: Exercise) -> Iterator[Answer]:
        """Code that is not Python. Nothing of the cell runs, so nothing is there to be checked."""
        if not set(self._names[exercise.name]) <= self._unique:
            return  # an earlier exercise may have left something under the same name
        before, bracket, after = self._solved[exercise.name].rpartition(")")
        if bracket and not _is_python(before + after):
            yield Answer(before + after, 0, Outcome.NOT_ATTEMPTED)

    def needs(self, exercise: Exercise, answer: Answer) -> set[str]:
        """The other exercises whose answers this one calls."""
        if not _is_python(answer.source):
            return set()
        used = {node.id for node in ast.walk(ast.parse(answer.source)) if isinstance(node, ast.Name)}
        return {e for e, names in self._names.items() if e != exercise.name and used & set(names) & self._unique}

    def _with(self, exercise: Exercise, part: int, answer: object) -> str:
        """The solved cell with one part of the answer replaced, or nothing if that cannot be written down."""
        key = exercise.name, part, id(answer)  # a class repeats itself, and the catalogue keeps its answers
        if key not in self._typed:
            name = self._names[exercise.name][part]
            try:
                solved = self._apart(exercise) if isinstance(exercise, Chain) else self._solved[exercise.name]
                self._typed[key] = _replaced(solved, name, typed(name, answer).rstrip())
            except (Untypable, KeyError):
                self._typed[key] = ""
        return self._typed[key]

    def _apart(self, chain: Chain) -> str:
        """The solved cell, in which no line calls another: a wrong one then costs its own point, whatever it is."""
        source = self._solved[chain.name]
        names = self._names[chain.name]
        for name, line in zip(names, chain.lines, strict=True):
            if any(other in dict(_blocks(source))[name] for other in names if other != name):
                source = _replaced(source, name, typed(name, line.reference).rstrip())
        return source


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def _by_part(exercise: Exercise) -> bool:
    return isinstance(exercise, Chain | Slip)


def _without_marks(source: str) -> str:
    """The solved cell as a student would have it: no marks, and `a, b = 1, 2` on two lines."""
    lines = [line for line in source.split("\n") if line.strip() not in ("### BEGIN SOLUTION", "### END SOLUTION")]
    for statement in reversed(ast.parse("\n".join(lines)).body):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = (f"{ast.unparse(n)} = {ast.unparse(v)}" for n, v in zip(names, values, strict=True))
                lines[statement.lineno - 1 : statement.end_lineno] = pairs
    return "\n".join(lines)


def _blocks(source: str) -> Iterator[tuple[str, str]]:
    """Every name that a cell binds, with the text of its statement."""
    lines = source.split("\n")
    for statement, names in names_bound(source):
        text = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
        for name in names:
            yield name, text


def _replaced(source: str, name: str, text: str) -> str:
    """The cell with the statements that bind `name` replaced."""
    lines = source.split("\n")
    bound = [(statement, names) for statement, names in names_bound(source) if name in names]
    if not bound or any(names != {name} for _, names in bound):
        raise KeyError(name)
    found = [statement for statement, _ in bound]
    for statement in reversed(found):
        new = text.split("\n") if statement is found[0] else []
        lines[statement.lineno - 1 : statement.end_lineno] = new
    return "\n".join(lines)


def fill(release_text: str, answers: dict[str, str]) -> str:
    """The released notebook with these answers typed into its cells."""
    notebook = json.loads(release_text)
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell["source"] = answers[name]
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def simulate(folder: Path, topic: Topic, students: int, seed: int) -> dict:
    """Write a course with a class's submissions and `truth.json`. Returns the truth."""
    if students < 1:
        raise Problem(f"a class has at least one student, got {students}")
    solution = places.solution(topic, places.root())
    if not solution.is_file():
        raise Problem(f"a class is simulated from the solutions, and {solution} is not there")
    courses.new(folder, [topic], roster=list(_roster(students)))
    # A real course's secret is random. This class is asked the same questions whenever it is made.
    courses.keep_secret(folder, hashlib.sha256(f"{topic.folder} {seed}".encode()).hexdigest())
    text = (folder / "release" / topic.folder / f"{topic.slug}.ipynb").read_text(encoding="utf-8")
    answers = Answers(topic, solution, Release(text))
    truth: dict[str, dict] = {}
    for number, person in enumerate(_roster(students)):
        rng = np.random.default_rng([seed, number])
        chosen = _student(rng, answers)
        target = folder / "submitted" / person["id"] / topic.folder
        files.write(target / f"{topic.slug}.ipynb", fill(text, {name: a.source for name, a in chosen.items()}))
        files.write(target / "timestamp.txt", f"2026-11-{1 + number % 28:02d} 12:00:00 UTC\n")
        checked = {e.name: chosen[e.name] for e in answers.exercises}
        truth[person["id"]] = {
            "points": sum(a.points for a in checked.values()),
            "exercises": {
                name: {"points": a.points, "outcome": str(a.outcome), "mistake": a.mistake}
                for name, a in checked.items()
            },
        }
    result = {"topic": topic.folder, "seed": seed, "students": truth}
    files.write(folder / "truth.json", json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    return result


def _roster(students: int) -> Iterator[dict[str, str]]:
    for number in range(students):
        first, last = FIRST[number % len(FIRST)], LAST[(number * 7 + number // len(FIRST)) % len(LAST)]
        name = f"{last.lower()}{number + 1:03d}"
        yield {"id": name, "first_name": first, "last_name": last, "email": f"{name}@example.org"}


def _student(rng: np.random.Generator, answers: Answers) -> dict[str, Answer]:
    """One student's answers: the abler, the more of them right. Mistakes that are listed first are the most common."""
    ability = rng.beta(3, 2)
    chosen: dict[str, Answer] = {}
    for exercise in answers.exercises:
        answer = _answer(rng, answers, exercise, ability)
        leans_on = answers.needs(exercise, answer)
        able = all(chosen[name].outcome == Outcome.RIGHT for name in leans_on & chosen.keys())
        chosen[exercise.name] = answer if able else answers.blank(exercise)
    for exercise in answers.explanations:
        stub = answers.blank(exercise)
        wrote = rng.random() < 0.5 + ability / 2
        chosen[exercise.name] = Answer("Because the derivation says so.", 0, "") if wrote else stub
    return chosen


def _answer(rng: np.random.Generator, answers: Answers, exercise: Exercise, ability: float) -> Answer:
    draw = rng.random()
    if draw < 0.25 + 0.65 * ability:
        ways = [answers.solved(exercise), *answers.alternatives(exercise)]
        return ways[0] if rng.random() < 0.6 else ways[rng.integers(len(ways))]
    left = (draw - 0.25 - 0.65 * ability) / (0.75 - 0.65 * ability)
    if left < 0.15:
        return answers.blank(exercise)
    if left < 0.25 and (ways := list(answers.partial(exercise))):
        return ways[rng.integers(len(ways))]
    if left < 0.30 and (ways := list(answers.broken(exercise))):
        return ways[0]
    ways = list(answers.mistakes(exercise)) or [answers.blank(exercise)]
    weights = 1.0 / (1 + np.arange(len(ways)))
    return ways[rng.choice(len(ways), p=weights / weights.sum())]
