"""The instructor's commands of `mlcore`. Heavy imports wait until a command is called."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from mlcore.course import catalogue
from mlcore.course.terminal import err, needs, out
from mlcore.engine import files
from mlcore.engine.errors import Problem

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="The course folder, in nbgrader's layout.", show_default=False)
]
Topic = Annotated[str | None, typer.Option("--topic", help="Only this topic (5, ridge, 05_ridge).")]
Database = Annotated[
    str | None,
    typer.Option("--db", metavar="URL", help="The gradebook: sqlite:///PATH or postgresql://USER@HOST/NAME."),
]

classes = typer.Typer(help="A class to try things on.", no_args_is_help=True)
courses_app = typer.Typer(help="Course folders.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands to `mlcore`."""
    panel = "For instructors"
    app.command(rich_help_panel=panel)(grade)
    app.command(rich_help_panel=panel)(report)
    app.command(rich_help_panel=panel)(export)
    app.command(rich_help_panel=panel)(feedback)
    app.add_typer(courses_app, name="course", rich_help_panel=panel)
    app.add_typer(classes, name="class", rich_help_panel=panel)


def grade(
    folder: Folder,
    topic: Topic = None,
    student: Annotated[str, typer.Option(metavar="GLOB", help="Only students whose id matches.")] = "*",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: one for each core.")] = None,
    db: Database = None,
    timeout: Annotated[float, typer.Option(min=5, metavar="S", help="Seconds for one notebook.")] = 60,
    memory: Annotated[int, typer.Option(min=64, metavar="MB", help="Memory for one notebook.")] = 512,
    force: Annotated[bool, typer.Option("--force", help="Grade again what is graded and unchanged.")] = False,
    scheduler: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:8786", help="Grade on a Dask cluster; see docs/instructors.md.")
    ] = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run students' code with your own rights. Only if you trust it.")
    ] = False,
) -> None:
    """Grade a class: fast, safely, and the same twice.

    Results go into nbgrader's gradebook, autograded/ and feedback/. A run that was interrupted goes on where it
    stopped. Exit status: 0 all graded, 1 some submissions had a problem or some exercises could not be judged (each
    is named), 2 nothing could be done.
    """
    with needs("instructor"):
        from mlcore.grading import classroom, cluster, desk
        from mlcore.grading.inside import Limits
        from mlcore.grading.workers import Rules
    rules = Rules(Limits(seconds=timeout, cell_seconds=min(10.0, timeout / 2), memory=memory), not no_sandbox)
    if not scheduler:
        require_sandbox(rules.protected)
    with classroom.Course(folder, db) as open_course:
        handed = classroom.find(folder, catalogue.find(topic) if topic else None, student)
        if not handed:
            raise Problem(f"there is nothing to grade in {folder / 'submitted'}" + _filters(topic, student))
        todo = handed if force else open_course.todo(handed)
        count = min(workers or os.cpu_count() or 1, max(1, len(todo)))
        view = desk.Desk(err, len(todo))
        place = cluster.there(scheduler, rules) if scheduler else classroom.here(count, rules)
        with place as run, view.watching():
            summary = open_course.grade(todo, run, view.tick)
        summary.skipped = len(handed) - len(todo)
        summary.unjudged = open_course.unjudged(handed)
    desk.print_summary(out, summary)
    out.print(f"\nFeedback pages: {folder / 'feedback'}", highlight=False, soft_wrap=True)
    raise typer.Exit(1 if summary.problems or summary.unjudged else 0)


def _filters(topic: str | None, student: str) -> str:
    words = [f"topic {topic}"] if topic else []
    words += [f"students {student}"] if student != "*" else []
    return f" for {' and '.join(words)}" if words else ""


def require_sandbox(protected: bool) -> None:
    """Say at once what is missing, before any process is started."""
    import shutil

    from mlcore.grading.sandbox import MISSING

    if protected and not shutil.which("bwrap"):
        raise Problem(MISSING)


def report(
    folder: Folder,
    topic: Topic = None,
    to: Annotated[Path | None, typer.Option(help="The page to write. Default: DIR/report.html.")] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Numbers in place of names, to project it.")] = False,
    db: Database = None,
) -> None:
    """Write what the class misunderstood: one HTML page with shares, named mistakes and who needs help."""
    with needs("instructor"):
        from mlcore.grading import classroom, courses
        from mlcore.grading.gradebook import Ledger
        from mlcore.grading.report import page
    settings = courses.settings(folder, db)
    with Ledger(settings.database, settings.course_id) as ledger:
        records = ledger.records(catalogue.find(topic).folder if topic else None)
        people = ledger.students()
    if not records:
        raise Problem(f"nothing is graded in {folder} yet: run `mlcore grade {folder}` first")
    students = {r.student for r in records}
    if anonymous:
        names = _numbers(students, classroom.secret(folder))
        places = {student: place for place, student in enumerate(names)}
        records.sort(key=lambda r: places[r.student])
    else:
        names = {s: _name(people[s]) for s in students}
    groups = [(t, [r for r in records if r.assignment == t.folder]) for t in catalogue.topics()]
    target = to or folder / "report.html"
    files.write(target, page("What the class misunderstood", [(t, rs) for t, rs in groups if rs], names))
    out.print(f"{target}: {_many(len(students), 'student')}.", highlight=False, soft_wrap=True)


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _numbers(students: Iterable[str], secret: bytes) -> dict[str, str]:
    """A number for each, the same in every report of a course. Not by the alphabet, in which anyone can count."""
    order = sorted(students, key=lambda student: hashlib.sha256(secret + student.encode()).digest())
    return {student: f"student {i}" for i, student in enumerate(order, 1)}


def _name(person: dict) -> str:
    full = " ".join(filter(None, (person.get("first_name"), person.get("last_name"))))
    return f"{full} ({person['id']})" if full else person["id"]


def export(
    folder: Folder,
    form: Annotated[str, typer.Option("--format", metavar="csv|canvas|moodle", help="Whose columns.")] = "csv",
    topic: Topic = None,
    to: Annotated[Path | None, typer.Option(help="The file to write. Default: the terminal.")] = None,
    db: Database = None,
) -> None:
    """Write the marks as CSV: nbgrader's own columns, or those that Canvas or Moodle import."""
    with needs("instructor"):
        from mlcore.grading import courses
        from mlcore.grading.export import text
    content, waiting = text(courses.settings(folder, db), form, catalogue.find(topic).folder if topic else None)
    if waiting:
        wait = "answer waits" if waiting == 1 else "answers wait"
        says = f"[yellow]{waiting}[/] {wait} for a person: what has no mark yet counts as 0 here."
        err.print(says, highlight=False, soft_wrap=True)
    if to is None:
        typer.echo(content, nl=False)
    else:
        files.write(to, content)
        out.print(f"{to}: {content.count(chr(10)) - 1} rows.", highlight=False, soft_wrap=True)


def feedback(
    path: Annotated[Path, typer.Argument(metavar="DIR|PAGE", help="A course folder, or a feedback page.")],
    topic: Topic = None,
    db: Database = None,
) -> None:
    """Show a returned feedback page (students), or write all pages anew with the marks by hand (instructors)."""
    if path.is_file() or path.suffix == ".html":
        from mlcore.grading.feedback import read

        return _show_feedback(read(path))
    if not path.is_dir():
        raise Problem(f"there is no feedback page and no course folder {path}")
    with needs("instructor"):
        from mlcore.grading import classroom
    with classroom.Course(path, db) as open_course:
        count = open_course.give_back(catalogue.find(topic).folder if topic else None)
    pages = f"{_many(count, 'page')} in {path / 'feedback'}"
    out.print(f"{pages}, with the marks by hand.", highlight=False, soft_wrap=True)


def _show_feedback(data: dict) -> None:
    table = Table(title=f"{data['assignment']}: {data['points']:g} of {data['out_of']:g} points", title_justify="left")
    for heading in ("", "exercise", "verdict", "points", "what to know"):
        table.add_column(heading)
    for e in data["exercises"]:
        says = "" if e["outcome"] in ("right", "not attempted") else e["says"]
        points = "–" if e["name"] in data["waiting"] else f"{e['points']:g}"
        table.add_row(e["number"], e["name"], e["outcome"], f"{points}/{e['out_of']:g}", escape(says))
    out.print(table)
    if data["waiting"]:
        out.print(f"Still to be marked by a person: {', '.join(data['waiting'])}.", highlight=False)


@courses_app.command("new")
def new_course(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.", show_default=False)],
    topics: Annotated[str, typer.Option(help="Numbers or names with commas: 04,05,ridge; or all.")] = "all",
    course_id: Annotated[str, typer.Option("--id", help="The course's id, as in nbgrader and JupyterHub.")] = "mlcore",
    roster: Annotated[
        Path | None, typer.Option(help="CSV with the columns id, first_name, last_name, email, lms_user_id.")
    ] = None,
    due: Annotated[
        list[str] | None, typer.Option(metavar="TOPIC=DATE", help="A due date in UTC, 2026-12-01 or ...T18:00.")
    ] = None,
    db: Database = None,
) -> None:
    """Make a course folder that nbgrader, formgrader and `mlcore grade` open: source, release, roster, due dates."""
    with needs("instructor"):
        from mlcore.grading import courses
    names = [name for name in topics.split(",") if name.strip()]
    chosen = list(catalogue.topics()) if topics.strip() == "all" else [catalogue.find(name) for name in names]
    if not chosen:
        raise Problem("a course has at least one topic: --topics 04,05,07")
    students = courses.read_roster(roster) if roster else []
    with Progress(TextColumn("releasing"), BarColumn(), MofNCompleteColumn(), console=err, transient=True) as bar:
        task = bar.add_task("releasing", total=len(chosen))
        courses.new(
            folder, chosen, course_id, students, courses.read_due(due or []), db, tick=lambda: bar.advance(task)
        )
    counts = f"{_many(len(chosen), 'assignment')} released, {_many(len(students), 'student')}"
    out.print(f"{folder}: {counts}.", highlight=False, soft_wrap=True)
    out.print("Students find the notebooks in release/; their work goes to submitted/<id>/<assignment>/.")


@classes.command("simulate")
def simulate_class(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder for the course.", show_default=False)],
    topic: Annotated[str, typer.Option(help="The topic (5, ridge, 05_ridge).")] = "05_ridge",
    students: Annotated[int, typer.Option(min=1, help="How many.")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another class.")] = 1,
) -> None:
    """Write a course with plausible submissions made from the catalogue, and truth.json with their true marks."""
    with needs("instructor"):
        from mlcore.grading.simulate import simulate
    truth = simulate(folder, catalogue.find(topic), students, seed)
    out.print(f"{_many(len(truth['students']), 'student')} handed in {truth['topic']} in {folder}.", highlight=False)
