"""Marks in the columns that other systems import."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from mlcore.engine.errors import Problem
from mlcore.grading.courses import Settings
from mlcore.grading.gradebook import Ledger


@dataclass(frozen=True)
class Mark:
    """One student's mark for one assignment, as nbgrader's gradebook has it."""

    assignment: Any
    student: Any
    submission: Any  # none, if nothing was handed in

    @property
    def raw(self) -> float:
        return float(self.submission.score) if self.submission else 0.0

    @property
    def penalty(self) -> float:
        return float(self.submission.late_submission_penalty or 0.0) if self.submission else 0.0

    @property
    def score(self) -> float:
        return max(0.0, self.raw - self.penalty)

    @property
    def waiting(self) -> int:
        """How many answers have no mark yet: explanations, and exercises that could not be judged."""
        grades = (
            [grade for notebook in self.submission.notebooks for grade in notebook.grades] if self.submission else []
        )
        return sum(grade.auto_score is None and grade.manual_score is None for grade in grades)


def text(settings: Settings, form: str, assignment: str | None = None) -> tuple[str, int]:
    """The whole file, and how many answers in it have no mark yet."""
    if form not in FORMS:
        raise Problem(f"there is no format {form!r}; there are {', '.join(FORMS)}")
    from nbgrader.api import Gradebook, MissingEntry

    with Ledger(settings.database, settings.course_id) as ledger, Gradebook(ledger.address, settings.course_id) as book:
        chosen = [a for a in book.assignments if assignment in (None, a.name)]
        if not chosen:
            raise Problem(f"the gradebook does not know {assignment}" if assignment else "the gradebook is empty")
        people = list(book.students)
        if not people:
            raise Problem("the gradebook has no students")
        marks = []
        for a in chosen:
            for person in people:
                try:
                    marks.append(Mark(a, person, book.find_submission(a.name, person.id)))
                except MissingEntry:
                    marks.append(Mark(a, person, None))
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([_plain(cell) for cell in row] for row in FORMS[form](marks))
        return out.getvalue(), sum(mark.waiting for mark in marks)


def _plain(cell: Any) -> Any:
    """A name that a spreadsheet would take for a formula, as text. People choose their own names on some platforms."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _csv(marks: Iterable[Mark]) -> Iterable[list]:
    """nbgrader's own columns and ours, `waiting`, a row for each student and assignment."""
    yield [
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
        "raw_score", "late_submission_penalty", "score", "max_score", "waiting",
    ]  # fmt: skip
    for m in marks:
        person = (m.student.id, m.student.last_name, m.student.first_name, m.student.email)
        when = (m.assignment.duedate, m.submission.timestamp if m.submission else "")
        yield [m.assignment.name, *when, *person, m.raw, m.penalty, m.score, m.assignment.max_score, m.waiting]


def _canvas(marks: Iterable[Mark]) -> Iterable[list]:
    """Canvas: a column for each assignment, what it is worth in the second row."""
    table, assignments, people = _by_student(marks)
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(a.name for a in assignments)]
    yield ["    Points Possible", "", "", "", "", *(a.max_score for a in assignments)]
    for person in people:
        name = ", ".join(filter(None, (person.last_name, person.first_name))) or person.id
        yield [name, person.lms_user_id or "", person.id, person.id, "", *table[person.id]]


def _moodle(marks: Iterable[Mark]) -> Iterable[list]:
    """Moodle: the columns of its own export; map by ID number or by email address."""
    table, assignments, people = _by_student(marks)
    yield ["First name", "Last name", "ID number", "Email address", *(f"{a.name} (Real)" for a in assignments)]
    for person in people:
        yield [person.first_name or "", person.last_name or "", person.id, person.email or "", *table[person.id]]


def _by_student(marks: Iterable[Mark]) -> tuple[dict[str, list[float]], list, list]:
    table: dict[str, list[float]] = {}
    assignments, people = {}, {}
    for m in marks:
        assignments[m.assignment.name], people[m.student.id] = m.assignment, m.student
        table.setdefault(m.student.id, []).append(m.score)
    return table, list(assignments.values()), list(people.values())


FORMS: dict[str, Callable[[Iterable[Mark]], Iterable[list]]] = {"csv": _csv, "canvas": _canvas, "moodle": _moodle}
