"""The student's commands of `mlcore`, and `build`. Heavy imports wait until a command is called."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import TextColumn
from rich.table import Table

from mlcore.course import catalogue, places
from mlcore.course import map as standing
from mlcore.course.terminal import counting, err, literal, needs, out, print_whole
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Topic
from mlcore.engine.exercises.exercise import Exercise
from mlcore.engine.exercises.verdict import Outcome


def register(app: typer.Typer) -> None:
    """Add these commands to `mlcore`."""
    for command in (lab, check, submit, progress):
        app.command()(command)
    app.command("catalogue")(list_exercises)
    app.command(rich_help_panel="For authors")(build)


def lab(
    port: Annotated[
        int, typer.Option(help="Where JupyterLab listens; the next free port is taken if it is in use.")
    ] = 8888,
    browser: Annotated[bool | None, typer.Option(help="Open a browser. Default: only where there is a screen.")] = None,
) -> None:
    """Open the course in JupyterLab, at the start notebook."""
    start = places.notebook(catalogue.find("start_here"))
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


def check(
    what: Annotated[
        str | None, typer.Argument(metavar="TOPIC|PATH", help="A topic (5, ridge, 05_ridge) or a notebook file.")
    ] = None,
) -> None:
    """Run the checks of a notebook without a browser and show what they say. Without an argument: all notebooks."""
    from mlcore.course import runner

    rows: list[runner.Row] = []
    for path in _notebooks(what):
        notebook = _executed(path)
        found = runner.verdicts(notebook)
        if not found:
            raise Problem(f"{path} has no checks: is it a notebook of the course?")
        rows += found
        _print_verdicts(path.stem, found)
        for trouble in runner.troubles(notebook):
            out.print(f"[red]{literal(trouble)}[/]", highlight=False)
    raise typer.Exit(0 if all(row.right or row.outcome == Outcome.NOT_JUDGED for row in rows) else 1)


def _executed(path: Path) -> Any:
    """The notebook after a run, with a bar while it runs."""
    from mlcore.course import runner

    notebook = runner.read(path)
    with counting(TextColumn("{task.description}")) as progress:
        task = progress.add_task(f"running {path.stem}", total=len(notebook.cells))
        runner.execute(notebook, path.parent, tick=functools.partial(progress.update, task))
    return notebook


def submit(
    what: Annotated[str, typer.Argument(metavar="TOPIC|PATH", help="A topic (5, ridge, 05_ridge) or a notebook file.")],
    to: Annotated[Path, typer.Option(help="The folder for the file to hand in.")] = Path("handin"),
) -> None:
    """Make the file to hand in, after showing what would be graded and what is still missing."""
    from mlcore.course import handin, runner

    (path,) = _notebooks(what)
    topic = handin.topic_of(runner.read(path), path)
    notebook = _executed(path)
    rows, texts = runner.verdicts(notebook), handin.explanations(notebook)
    _print_verdicts(path.stem, rows)
    missing = [f"{r.number} {r.name}" for r in rows if r.outcome == Outcome.NOT_ATTEMPTED]
    missing += [f"{t.name} ({t.points:g} points, marked by a person)" for t in texts if not t.written]
    for trouble in runner.troubles(notebook):
        out.print(f"[red]{literal(trouble)}[/]", highlight=False)
    out.print(f"Still missing: {', '.join(missing)}." if missing else "Nothing is missing.", highlight=False)
    target = handin.write(notebook, topic, to)
    out.print(f"To hand in: {target}", highlight=False, soft_wrap=True)


def _notebooks(what: str | None) -> list[Path]:
    if what is None:
        return [places.notebook(topic) for topic in told_topics()]
    if what.endswith(".ipynb") or os.path.sep in what or Path(what).is_file():
        return [Path(what)]
    return [places.notebook(catalogue.find(what))]


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
        table.add_row(r.number, r.name, f"[{colour}]{r.outcome}[/]", f"{mark}/{r.out_of:g}", literal(says))
    out.print(table)


def progress() -> None:
    """Show what you have done so far, part by part."""
    warn_of_broken()
    parts = standing.standings()
    for part, inside in parts.items():
        points, out_of = _sum(inside)
        out.print(f"[bold]{part:<28}[/] {_bar(points, out_of)} {points:g} of {out_of:g} points")
        for s in inside:
            out.print(f"  {s.topic.folder:<26} {_bar(s.points, s.out_of)} {s.done} of {s.exercises} exercises")
    points, out_of = _sum([s for inside in parts.values() for s in inside])
    out.print(f"\n[bold]{'The course':<28}[/] {_bar(points, out_of)} {points:g} of {out_of:g} points")


def _sum(standings: list[standing.Standing]) -> tuple[float, float]:
    return sum(s.points for s in standings), sum(s.out_of for s in standings)


def _bar(points: float, out_of: float, width: int = 20) -> str:
    full = round(width * points / out_of) if out_of else 0
    return f"[green]{'█' * full}[/][bright_black]{'░' * (width - full)}[/]"


def list_exercises(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """List every exercise: number, name, topic, kind, points, and how many mistakes and right ways it knows."""
    entries = [_entry(topic.folder, e) for topic in told_topics() for e in topic.exercises]
    if as_json:
        typer.echo(json.dumps(entries, ensure_ascii=False, indent=1))
        return
    total = {key: sum(e[key] for e in entries) for key in ("points", "mistakes", "alternatives")}
    table = Table(show_footer=True)
    table.add_column("", f"{len(entries)}")
    for heading in ("exercise", "topic", "kind"):
        table.add_column(heading, no_wrap=True)
    for key in ("points", "mistakes", "alternatives"):
        table.add_column(key, str(total[key]), justify="right")
    for e in entries:
        table.add_row(*(str(e[key]) for key in e))
    print_whole(table)


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


def build(
    what: Annotated[list[str] | None, typer.Argument(metavar="[TOPIC]...", help="Topics. Default: all.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a notebook is not up to date.")
    ] = False,
) -> None:
    """Make the students' notebooks from solutions/ (needs the `instructor` extra)."""
    with needs("instructor", "jupytext", "nbgrader"):
        from mlcore.course import build as builder
        from mlcore.course import source
    root = places.root()
    topics = [catalogue.find(name) for name in what or ()]
    if topics:
        warn_of_broken()
    with counting(TextColumn("building")) as bar:
        task = bar.add_task("building", total=len(topics or source.paths(root)))
        changed = builder.build(root, check, topics, tick=lambda: bar.advance(task))
    for path in changed:
        out.print(f"{'differs' if check else 'written'}: {path}", highlight=False, soft_wrap=True)
    if check and changed:
        err.print("[red]The notebooks are not what solutions/ gives: run `mlcore build`.[/]")
        raise typer.Exit(1)
    if not changed:
        out.print("The notebook is up to date." if len(topics) == 1 else "The notebooks are up to date.")


def told_topics() -> tuple[Topic, ...]:
    """All topics, after a line for each that could not be loaded or has the number of another."""
    warn_of_broken()
    return catalogue.topics()


def warn_of_broken() -> None:
    for line in catalogue.shelf().broken:
        err.print(f"[yellow]left out:[/] {literal(line)}", highlight=False, soft_wrap=True)
    for line in catalogue.shelf().clashes:
        err.print(f"[yellow]twice:[/] {literal(line)}", highlight=False, soft_wrap=True)
