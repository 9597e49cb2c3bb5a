"""nbgrader's gradebook, written in whole submissions, and one table of ours beside its own.

nbgrader's tables hold the marks, so that formgrader, hand grading and `nbgrader export` go on from there. Ours,
`mlcore_record`, holds what they have no place for: each verdict with the mistake that it names, and a fingerprint of
what was graded, so that a second run knows what is done.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from mlcore.engine.errors import Problem
from mlcore.engine.exercises.verdict import Outcome
from mlcore.grading.marking import Result
from mlcore.grading.submission import CHECK

PATIENCE = 30  # seconds to wait for a gradebook that another program has locked

_METADATA = sa.MetaData()
RECORD = sa.Table(
    "mlcore_record",
    _METADATA,
    sa.Column("assignment", sa.String(128), primary_key=True),
    sa.Column("student", sa.String(128), primary_key=True),
    sa.Column("fingerprint", sa.String(64), nullable=False),
    sa.Column("graded_at", sa.DateTime, nullable=False),
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("verdicts", sa.Text, nullable=False),
)


@dataclass(frozen=True)
class Record:
    """What is known of one graded submission."""

    assignment: str
    student: str
    fingerprint: str
    graded_at: datetime
    problem: str
    verdicts: list[dict[str, Any]]  # name, points, out_of, outcome, says, mistake
    by_hand: dict[str, float | None] = field(default_factory=dict)  # explanations: a person's mark, or none yet
    overruled: dict[str, float] = field(default_factory=dict)  # exercises: a person's mark in place of the check's
    extra: float = 0.0  # what a person added to the checks' marks, or took from them

    @property
    def points(self) -> float:
        return sum(v["points"] for v in self.verdicts) + sum(p or 0 for p in self.by_hand.values()) + self.extra

    @property
    def unjudged(self) -> dict[str, str]:
        """The exercises that failed themselves and that no person has marked yet, each with the reason."""
        failed = (v for v in self.verdicts if v["outcome"] == Outcome.NOT_JUDGED)
        return {v["name"]: v["says"] for v in failed if v["name"] not in self.overruled}


class Ledger:
    """The gradebook, open. Errors of the database come as one line."""

    def __init__(self, url: str, course_id: str) -> None:
        self._course = course_id
        with _in_one_line(url):
            address = sa.make_url(url)
            if address.drivername == "postgresql":
                address = address.set(drivername="postgresql+psycopg")
            timeout = {"timeout": PATIENCE} if address.drivername == "sqlite" else {"connect_timeout": PATIENCE}
            self.address = address.render_as_string(hide_password=False)
            self._create(self.address, course_id)
            self.engine = sa.create_engine(address, connect_args=timeout)
            _METADATA.create_all(self.engine)
        from nbgrader import api

        self._t = {name: api.Base.metadata.tables[name] for name in api.Base.metadata.tables}
        self.url = url

    @staticmethod
    def _create(url: str, course_id: str) -> None:
        """nbgrader makes its own tables; for that it calls alembic, which may not be on the path."""
        from nbgrader.api import Gradebook

        with alembic_on_path():
            Gradebook(url, course_id).close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.dispose()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with _in_one_line(self.url), self.engine.begin() as connection:
            yield connection

    def enrol(self, roster: Sequence[dict[str, str]]) -> None:
        students = self._t["student"]
        with self._transaction() as db:
            there = set(db.scalars(sa.select(students.c.id)))
            for person in roster:
                values = {key: value for key, value in person.items() if key != "id"}
                if person["id"] not in there:
                    db.execute(students.insert().values(id=person["id"], **values))
                elif values:
                    db.execute(students.update().where(students.c.id == person["id"]).values(**values))

    def announce(self, assignment: str, notebook: str, release: str, due: datetime | None = None) -> None:
        """Make an assignment known, with its graded cells, unless it is."""
        t = self._t
        with self._transaction() as db:
            found = db.scalar(sa.select(t["assignment"].c.id).where(t["assignment"].c.name == assignment))
            if found is None:
                found = _new_id()
                db.execute(
                    t["assignment"].insert().values(id=found, name=assignment, course_id=self._course, duedate=due)
                )
            elif due:
                db.execute(t["assignment"].update().where(t["assignment"].c.id == found).values(duedate=due))
            at = t["notebook"].c
            if db.scalar(sa.select(at.id).where(at.assignment_id == found, at.name == notebook)):
                return
            content, own = json.loads(release), _new_id()
            kernel = json.dumps(content["metadata"].get("kernelspec", {}))
            db.execute(t["notebook"].insert().values(id=own, name=notebook, assignment_id=found, kernelspec=kernel))
            for cell in content["cells"]:
                if grading := cell["metadata"].get("nbgrader"):
                    self._add_cell(db, own, cell, grading)

    def _add_cell(self, db: sa.Connection, notebook: str, cell: dict, grading: dict) -> None:
        t, name, source = self._t, grading["grade_id"], cell["source"]
        kinds: list[tuple[str, str, dict]] = []
        if grading["grade"]:
            worth = {"max_score": float(grading["points"]), "cell_type": cell["cell_type"]}
            kinds.append(("GradeCell", "grade_cells", worth))
        if grading["solution"]:
            kinds.append(("SolutionCell", "solution_cells", {}))
        for kind, table, values in kinds:
            own = _new_id()
            db.execute(t["base_cell"].insert().values(id=own, name=name, notebook_id=notebook, type=kind))
            db.execute(t[table].insert().values(id=own, **values))
        db.execute(
            t["source_cell"]
            .insert()
            .values(
                id=_new_id(),
                name=name,
                notebook_id=notebook,
                cell_type=cell["cell_type"],
                locked=bool(grading.get("locked")),
                source="".join(source) if isinstance(source, list) else source,
                checksum=grading.get("checksum"),
            )
        )

    def done(self, assignment: str) -> dict[str, str]:
        """The students whose submission is recorded, with its fingerprint."""
        with self._transaction() as db:
            rows = db.execute(
                sa.select(RECORD.c.student, RECORD.c.fingerprint).where(RECORD.c.assignment == assignment)
            )
            return {row.student: row.fingerprint for row in rows}

    def record(self, results: Sequence[Result], handed_in: dict[tuple[str, str], datetime | None]) -> None:
        """All of these or none of them: marks, comments and verdicts in one transaction."""
        with self._transaction() as db:
            cells: dict[str, _Cells] = {}
            for result in results:
                if result.assignment not in cells:
                    cells[result.assignment] = self._cells(db, result.assignment)
                moment = handed_in.get((result.assignment, result.student))
                self._record(db, result, cells[result.assignment], moment)

    def _cells(self, db: sa.Connection, assignment: str) -> _Cells:
        a, n, b = (self._t[name].c for name in ("assignment", "notebook", "base_cell"))
        found = db.execute(
            sa.select(a.id, n.id.label("notebook")).join_from(a.id.table, n.id.table).where(a.name == assignment)
        ).first()
        if found is None:
            raise Problem(f"the gradebook does not know {assignment}")
        rows = db.execute(sa.select(b.id, b.name, b.type).where(b.notebook_id == found.notebook))
        kinds: dict[str, dict[str, str]] = {"GradeCell": {}, "SolutionCell": {}}
        for row in rows:
            kinds.setdefault(row.type, {})[row.name] = row.id
        return _Cells(found.id, found.notebook, kinds["GradeCell"], kinds["SolutionCell"])

    def _record(self, db: sa.Connection, result: Result, cells: _Cells, moment: datetime | None) -> None:
        t = self._t
        if db.scalar(sa.select(t["student"].c.id).where(t["student"].c.id == result.student)) is None:
            db.execute(t["student"].insert().values(id=result.student))
        submission = _upsert(
            db, t["submitted_assignment"], {"assignment_id": cells.assignment, "student_id": result.student},
            {"timestamp": moment},
        )  # fmt: skip
        notebook = _upsert(
            db, t["submitted_notebook"], {"notebook_id": cells.notebook, "assignment_id": submission}, {}
        )
        scores: dict[str, float | None] = {
            f"{CHECK}{v.name}": None if v.outcome is Outcome.NOT_JUDGED else v.points for v in result.verdicts
        }
        scores |= {name: None if answered else 0.0 for name, answered in result.by_hand.items()}
        grades = t["grade"]
        earlier = sa.select(grades.c.cell_id, grades.c.manual_score).where(grades.c.notebook_id == notebook)
        marked = {row.cell_id: row.manual_score for row in db.execute(earlier)}
        for name, cell in cells.grades.items():
            score = scores.get(name)
            review = score is None or marked.get(cell) is not None  # a person's mark on older work: look again
            new = {"auto_score": score, "needs_manual_grade": review}
            _upsert(db, grades, {"cell_id": cell, "notebook_id": notebook}, new)
        for name, cell in cells.solutions.items():
            comment = "No response." if name in result.untouched else None
            _upsert(db, t["comment"], {"cell_id": cell, "notebook_id": notebook}, {"auto_comment": comment})
        verdicts = [
            {
                "name": v.name,
                "points": v.points,
                "out_of": v.out_of,
                "outcome": str(v.outcome),
                "says": v.finding.says,
                "mistake": v.finding.mistake,
            }
            for v in result.verdicts
        ]
        key = {"assignment": result.assignment, "student": result.student}
        values: dict[str, Any] = {
            "fingerprint": result.fingerprint,
            "graded_at": datetime.now(UTC).replace(tzinfo=None),
        }
        values |= {"problem": result.problem, "verdicts": json.dumps(verdicts, ensure_ascii=False)}
        at = [RECORD.c[name] == value for name, value in key.items()]
        if db.execute(RECORD.update().where(*at).values(**values)).rowcount == 0:
            db.execute(RECORD.insert().values(**key, **values))

    def records(self, assignment: str | None = None) -> list[Record]:
        """Every graded submission, with the marks that a person gave."""
        t = self._t
        chosen = sa.select(RECORD).order_by(RECORD.c.assignment, RECORD.c.student)
        hand = (
            sa.select(
                t["assignment"].c.name.label("assignment"),
                t["submitted_assignment"].c.student_id.label("student"),
                t["base_cell"].c.name.label("cell"),
                t["grade"].c.auto_score,
                t["grade"].c.manual_score,
                t["grade"].c.extra_credit,
            )
            .select_from(t["grade"])
            .join(t["submitted_notebook"], t["submitted_notebook"].c.id == t["grade"].c.notebook_id)
            .join(t["submitted_assignment"], t["submitted_assignment"].c.id == t["submitted_notebook"].c.assignment_id)
            .join(t["assignment"], t["assignment"].c.id == t["submitted_assignment"].c.assignment_id)
            .join(t["base_cell"], t["base_cell"].c.id == t["grade"].c.cell_id)
            .where(sa.not_(t["base_cell"].c.name.startswith(CHECK)) | t["grade"].c.manual_score.is_not(None)
                   | t["grade"].c.extra_credit.is_not(None))
        )  # fmt: skip
        if assignment:
            chosen = chosen.where(RECORD.c.assignment == assignment)
            hand = hand.where(t["assignment"].c.name == assignment)
        with self._transaction() as db:
            rows, marks = db.execute(chosen).all(), db.execute(hand).all()
        by_hand: dict[tuple[str, str], dict[str, float | None]] = {}
        overruled: dict[tuple[str, str], dict[str, float]] = {}
        extra: dict[tuple[str, str], float] = {}
        for m in marks:
            key = (m.assignment, m.student)
            extra[key] = extra.get(key, 0.0) + (m.extra_credit or 0.0)
            if not m.cell.startswith(CHECK):
                by_hand.setdefault(key, {})[m.cell] = m.auto_score if m.manual_score is None else m.manual_score
            elif m.manual_score is not None:
                overruled.setdefault(key, {})[m.cell.removeprefix(CHECK)] = m.manual_score
                extra[key] += m.manual_score - (m.auto_score or 0.0)
        return [
            Record(
                row.assignment, row.student, row.fingerprint, row.graded_at, row.problem, json.loads(row.verdicts),
                by_hand.get((row.assignment, row.student), {}), overruled.get((row.assignment, row.student), {}),
                extra.get((row.assignment, row.student), 0.0),
            )
            for row in rows
        ]  # fmt: skip

    def comments(self) -> dict[tuple[str, str], dict[str, str]]:
        """What people wrote beside the answers, by assignment and student."""
        t = self._t
        query = (
            sa.select(
                t["assignment"].c.name.label("assignment"),
                t["submitted_assignment"].c.student_id.label("student"),
                t["base_cell"].c.name.label("cell"),
                t["comment"].c.manual_comment,
            )
            .select_from(t["comment"])
            .join(t["submitted_notebook"], t["submitted_notebook"].c.id == t["comment"].c.notebook_id)
            .join(t["submitted_assignment"], t["submitted_assignment"].c.id == t["submitted_notebook"].c.assignment_id)
            .join(t["assignment"], t["assignment"].c.id == t["submitted_assignment"].c.assignment_id)
            .join(t["base_cell"], t["base_cell"].c.id == t["comment"].c.cell_id)
            .where(t["comment"].c.manual_comment.is_not(None))
        )
        found: dict[tuple[str, str], dict[str, str]] = {}
        with self._transaction() as db:
            for row in db.execute(query):
                found.setdefault((row.assignment, row.student), {})[row.cell] = row.manual_comment
        return found

    def students(self) -> dict[str, dict[str, str]]:
        """Everyone on the roster: first and last name, email, the number in the learning platform."""
        with self._transaction() as db:
            return {row.id: dict(row._mapping) for row in db.execute(sa.select(self._t["student"]))}

    def written_out_of(self, assignment: str) -> dict[str, float]:
        """The explanations of an assignment and what each is worth."""
        t = self._t
        query = (
            sa.select(t["base_cell"].c.name, t["grade_cells"].c.max_score)
            .join_from(t["grade_cells"], t["base_cell"], t["base_cell"].c.id == t["grade_cells"].c.id)
            .join(t["notebook"], t["notebook"].c.id == t["base_cell"].c.notebook_id)
            .join(t["assignment"], t["assignment"].c.id == t["notebook"].c.assignment_id)
            .where(t["assignment"].c.name == assignment, sa.not_(t["base_cell"].c.name.startswith(CHECK)))
        )
        with self._transaction() as db:
            return {row.name: row.max_score for row in db.execute(query)}


@dataclass(frozen=True)
class _Cells:
    assignment: str
    notebook: str
    grades: dict[str, str]
    solutions: dict[str, str]


def _new_id() -> str:
    return uuid4().hex


def _upsert(db: sa.Connection, table: sa.Table, key: dict[str, str], values: dict[str, Any]) -> str:
    """The id of the row with this key, which has these values now."""
    found = db.scalar(sa.select(table.c.id).where(*(table.c[name] == value for name, value in key.items())))
    if found is None:
        found = _new_id()
        db.execute(table.insert().values(id=found, **key, **values))
    elif values:
        db.execute(table.update().where(table.c.id == found).values(**values))
    return found


@contextlib.contextmanager
def alembic_on_path() -> Iterator[None]:
    """nbgrader calls `alembic` from PATH; it is beside the interpreter."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + before
    try:
        yield
    finally:
        os.environ["PATH"] = before


@contextlib.contextmanager
def _in_one_line(url: str) -> Iterator[None]:
    try:
        yield
    except (ArgumentError, NoSuchModuleError):
        raise Problem(f"{url!r} is not a database; write sqlite:///PATH or postgresql://USER@HOST/NAME") from None
    except OperationalError as error:
        text = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no answer"
        if "locked" in text:
            raise Problem(
                f"the gradebook is locked by another program for more than {PATIENCE} s. "
                "Nothing is lost: close that program and run this again"
            ) from None
        if "full" in text:
            raise Problem("the disk is full. Nothing is lost: make room and run this again") from None
        raise Problem(f"the gradebook {_without_password(url)} cannot be used: {text}") from None
    except DBAPIError as error:
        raise Problem(
            f"the gradebook {_without_password(url)} cannot be used: {str(error.orig).splitlines()[0]}"
        ) from None


def _without_password(url: str) -> str:
    with contextlib.suppress(ArgumentError):
        return sa.make_url(url).render_as_string(hide_password=True)
    return url
