"""The instructor's commands of `mlcore`. Heavy imports wait until a command is called."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from mlcore import course
from mlcore.errors import Problem

out = Console()
err = Console(stderr=True)

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
    stopped. Exit status: 0 all graded, 1 some submissions had a problem (each is named), 2 nothing could be done.
    """
    with needs_instructor():
        from mlcore.grading import classroom, cluster, desk
        from mlcore.grading.inside import Limits
        from mlcore.grading.workers import Rules
    rules = Rules(Limits(seconds=timeout, cell_seconds=min(10.0, timeout / 2), memory=memory), not no_sandbox)
    if not scheduler:
        require_sandbox(rules.protected)
    with classroom.Course(folder, db) as open_course:
        handed = classroom.find(folder, course.find(topic) if topic else None, student)
        if not handed:
            raise Problem(f"there is nothing to grade in {folder / 'submitted'}" + _filters(topic, student))
        todo = handed if force else open_course.todo(handed)
        count = min(workers or os.cpu_count() or 1, max(1, len(todo)))
        view = desk.Desk(err, len(todo))
        place = cluster.there(scheduler, rules) if scheduler else classroom.here(count, rules)
        with place as run, view.watching():
            summary = open_course.grade(todo, run, view.tick)
        summary.skipped = len(handed) - len(todo)
    desk.print_summary(out, summary)
    out.print(f"\nFeedback pages: {folder / 'feedback'}", highlight=False, soft_wrap=True)
    raise typer.Exit(1 if summary.problems else 0)


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


@classes.command("simulate")
def simulate_class(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder for the course.", show_default=False)],
    topic: Annotated[str, typer.Option(help="The topic (5, ridge, 05_ridge).")] = "05_ridge",
    students: Annotated[int, typer.Option(min=1, help="How many.")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another class.")] = 1,
) -> None:
    """Write a course with plausible submissions made from the catalogue, and truth.json with their true marks."""
    with needs_instructor():
        from mlcore.grading.simulate import simulate
    truth = simulate(folder, course.find(topic), students, seed)
    out.print(f"{len(truth['students'])} students handed in {truth['topic']} in {folder}.", highlight=False)


class needs_instructor:
    """Turns a missing package of the `instructor` extra into one line."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ModuleNotFoundError):
            raise Problem(f"{error.name} is missing: pip install --editable '.[instructor]'") from None
