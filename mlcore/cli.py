"""The command `mlcore`."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from mlcore import course
from mlcore.checks import _catalogue
from mlcore.checks._exercises import Exercise
from mlcore.checks._verdict import Outcome
from mlcore.errors import Problem
from mlcore.grading import commands

app = typer.Typer(
    help="Machine learning by checked derivation: open the course, check your answers, see how far you are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
out = Console()
err = Console(stderr=True)
commands.register(app)


@app.command()
def lab(
    port: Annotated[
        int, typer.Option(help="Where JupyterLab listens; the next free port is taken if it is in use.")
    ] = 8888,
    browser: Annotated[bool | None, typer.Option(help="Open a browser. Default: only where there is a screen.")] = None,
) -> None:
    """Open the course in JupyterLab, at the start notebook."""
    start = course.notebook(course.find("start_here"))
    if browser is None:
        browser = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    command = [sys.executable, "-m", "jupyterlab", f"--port={port}", f"--ServerApp.root_dir={start.parent.parent}"]
    command += [f"--LabApp.default_url=/lab/tree/{start.parent.name}/{start.name}"]
    if not browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    try:
        raise typer.Exit(subprocess.run(command, check=False).returncode)
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


@app.command()
def check(
    what: Annotated[
        str | None, typer.Argument(metavar="TOPIC|PATH", help="A topic (5, ridge, 05_ridge) or a notebook file.")
    ] = None,
) -> None:
    """Run the checks of a notebook without a browser and show what they say. Without an argument: all notebooks."""
    from mlcore import runner

    rows: list[runner.Row] = []
    for path in _notebooks(what):
        notebook = _executed(path)
        found = runner.verdicts(notebook)
        if not found:
            raise Problem(f"{path} has no checks: is it a notebook of the course?")
        rows += found
        _print_verdicts(path.stem, found)
        for trouble in runner.troubles(notebook):
            out.print(f"[red]{_literal(trouble)}[/]", highlight=False)
    raise typer.Exit(0 if all(row.right or row.outcome == Outcome.NOT_JUDGED for row in rows) else 1)


def _executed(path: Path) -> Any:
    """The notebook after a run, with a bar while it runs."""
    from mlcore import runner

    notebook = runner.read(path)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=err, transient=True
    ) as progress:
        task = progress.add_task(f"running {path.stem}", total=len(notebook.cells))
        runner.execute(notebook, path.parent, tick=functools.partial(progress.update, task))
    return notebook


@app.command()
def submit(
    what: Annotated[str, typer.Argument(metavar="TOPIC|PATH", help="A topic (5, ridge, 05_ridge) or a notebook file.")],
    to: Annotated[Path, typer.Option(help="The folder for the file to hand in.")] = Path("handin"),
) -> None:
    """Make the file to hand in, after showing what would be graded and what is still missing."""
    from mlcore import handin, runner

    (path,) = _notebooks(what)
    topic = handin.topic_of(runner.read(path), path)
    notebook = _executed(path)
    rows, texts = runner.verdicts(notebook), handin.explanations(notebook)
    _print_verdicts(path.stem, rows)
    missing = [f"{r.number} {r.name}" for r in rows if r.outcome == Outcome.NOT_ATTEMPTED]
    missing += [f"{t.name} ({t.points:g} points, marked by a person)" for t in texts if not t.written]
    for trouble in runner.troubles(notebook):
        out.print(f"[red]{_literal(trouble)}[/]", highlight=False)
    out.print(f"Still missing: {', '.join(missing)}." if missing else "Nothing is missing.", highlight=False)
    target = handin.write(notebook, topic, to)
    out.print(f"To hand in: {target}", highlight=False, soft_wrap=True)


def _notebooks(what: str | None) -> list[Path]:
    if what is None:
        return [course.notebook(topic) for topic in _catalogue.topics()]
    if what.endswith(".ipynb") or os.path.sep in what or Path(what).is_file():
        return [Path(what)]
    return [course.notebook(course.find(what))]


_COLOURS = {
    str(Outcome.RIGHT): "green",
    str(Outcome.NOT_ATTEMPTED): "bright_black",
    str(Outcome.NOT_JUDGED): "yellow",
    str(Outcome.PARTLY): "blue",
}


def _print_verdicts(title: str, rows: list) -> None:
    judged = [r for r in rows if r.outcome != Outcome.NOT_JUDGED]
    points, out_of = sum(r.points for r in judged), sum(r.out_of for r in judged)
    table = Table(title=f"{title}: {points:g} of {out_of:g} points", title_justify="left", show_lines=False)
    for heading in ("", "exercise", "verdict"):
        table.add_column(heading, no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("what to know", overflow="fold")
    for r in rows:
        colour = _COLOURS.get(r.outcome, "red")
        says = "" if r.outcome in (Outcome.RIGHT, Outcome.NOT_ATTEMPTED) else r.says
        mark = f"{r.points:g}" if r in judged else "–"
        table.add_row(r.number, r.name, f"[{colour}]{r.outcome}[/]", f"{mark}/{r.out_of:g}", _literal(says))
    out.print(table)


@app.command()
def progress() -> None:
    """Show what you have done so far, part by part."""
    standings = course.standings()
    for part, numbers in course.PARTS.items():
        inside = [s for s in standings if s.topic.number in numbers]
        if not inside:
            continue
        points, out_of = sum(s.points for s in inside), sum(s.out_of for s in inside)
        out.print(f"[bold]{part:<28}[/] {_bar(points, out_of)} {points:g} of {out_of:g} points")
        for s in inside:
            out.print(f"  {s.topic.folder:<26} {_bar(s.points, s.out_of)} {s.done} of {s.exercises} exercises")
    points, out_of = sum(s.points for s in standings), sum(s.out_of for s in standings)
    out.print(f"\n[bold]{'The course':<28}[/] {_bar(points, out_of)} {points:g} of {out_of:g} points")


def _bar(points: float, out_of: float, width: int = 20) -> str:
    full = round(width * points / out_of) if out_of else 0
    return f"[green]{'█' * full}[/][bright_black]{'░' * (width - full)}[/]"


@app.command()
def catalogue(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """List every exercise: number, name, topic, kind, points, and how many mistakes and right ways it knows."""
    entries = [_entry(topic.folder, e) for topic in _catalogue.topics() for e in _catalogue.exercises(topic)]
    if as_json:
        typer.echo(json.dumps(entries, ensure_ascii=False, indent=1))
        return
    total = {key: sum(e[key] for e in entries) for key in ("points", "mistakes", "alternatives")}
    table = Table(show_footer=True)
    table.add_column("", f"{len(entries)}")
    for heading in ("exercise", "topic", "kind"):
        table.add_column(heading)
    for key in ("points", "mistakes", "alternatives"):
        table.add_column(key, str(total[key]), justify="right")
    for e in entries:
        table.add_row(*(str(e[key]) for key in e))
    out.print(table)


def _entry(topic: str, exercise: Exercise) -> dict:
    return {
        "number": exercise.number,
        "name": exercise.name,
        "topic": topic,
        "kind": exercise.kind,
        "points": exercise.points,
        "mistakes": len(exercise.mistakes),
        "alternatives": len(exercise.alternatives),
    }


@app.command()
def build(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a notebook is not up to date.")
    ] = False,
) -> None:
    """Make the students' notebooks from solutions/ (for authors; needs the `instructor` extra)."""
    try:
        from mlcore import build as builder

        changed = builder.build(course.root(), check=check)
    except ModuleNotFoundError as missing:
        raise Problem(f"{missing.name} is missing: pip install --editable '.[instructor]'") from None
    for path in changed:
        out.print(f"{'differs' if check else 'written'}: {path}", highlight=False, soft_wrap=True)
    if check and changed:
        err.print("[red]The notebooks are not what solutions/ gives: run `mlcore build`.[/]")
        raise typer.Exit(1)
    if not changed:
        out.print("The notebooks are up to date.")


def _literal(text: str) -> str:
    """Text in which square brackets are brackets, not styles."""
    return text.replace("[", r"\[")


INTERRUPTED = 130  # what typer makes of Ctrl-C

_UsageError: Any = typer.BadParameter.__base__  # typer has no public name for it


def main() -> None:
    """Run the command; what the user got wrong is told in one line."""
    try:
        status = app(prog_name="mlcore", standalone_mode=False)
    except _UsageError as error:
        about = error.ctx.command_path if error.ctx else "mlcore"
        if not (message := error.format_message()):
            raise SystemExit(2) from None  # no command: the help has been shown
        _complain(f"{message.rstrip('.')}. Try `{about} --help`.")
    except Problem as problem:
        _complain(str(problem))
    except OSError as error:
        _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    if status == INTERRUPTED:
        err.print("mlcore: interrupted", highlight=False)
    raise SystemExit(status)


def _complain(message: str) -> NoReturn:
    err.print(f"[red]mlcore:[/] {_literal(message)}", highlight=False, soft_wrap=True)
    raise SystemExit(2)
