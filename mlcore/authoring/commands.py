"""The author's commands of `mlcore`. Heavy imports wait until a command is called."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Annotated

import typer
from rich.progress import TextColumn, TimeElapsedColumn
from rich.table import Table

from mlcore.course import catalogue, places
from mlcore.course.terminal import counting, literal, needs, out

topics = typer.Typer(help="Topics: make one, prove one.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands to `mlcore`."""
    app.add_typer(topics, name="topic", rich_help_panel="For authors")


@topics.command("new")
def new_topic(
    slug: Annotated[str, typer.Argument(help="Its name in code and in files, such as hidden_markov.")],
    part: Annotated[
        str, typer.Option(help="The part of the course that it belongs to; a new name makes a new part.")
    ] = "",
    title: Annotated[str | None, typer.Option(help="Default: the slug in words.")] = None,
    number: Annotated[int | None, typer.Option(help="Default: the next free one.")] = None,
    new_part: Annotated[
        bool, typer.Option("--new-part", help="It is a new part, although its name is like one that there is.")
    ] = False,
) -> None:
    """Write the files of a new topic: a small one that works, with a TODO at each place that you have to write."""
    from mlcore.authoring import new

    root = places.root()
    for path in new.write(root, slug, part, title, number, new_part):
        out.print(f"written: {literal(str(path.relative_to(root)))}", highlight=False, soft_wrap=True)
    out.print("\nEach TODO in them says what belongs there. Then:")
    for command, what in (
        (f"mlcore topic check {slug} --quick", "while you write"),
        (f"mlcore build {slug}", "make the notebook"),
        ("mlcore lab", "read it as a student does"),
        (f"mlcore topic check {slug}", "at the end"),
    ):
        out.print(f"  {command:<{len(slug) + 30}}{what}", highlight=False, soft_wrap=True)


@topics.command("check")
def check_topic(
    what: Annotated[str, typer.Argument(metavar="TOPIC", help="A topic (5, ridge, 05_ridge).", show_default=False)],
    quick: Annotated[bool, typer.Option("--quick", help="While writing: what takes seconds.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Run again whenever a file of the topic changes.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="List every finding, not the first of each row.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: one for each core.")] = None,
) -> None:
    """Prove a topic: lint, types, rules, order, build, notebook, certificate, draws, sweeps, mutants and tests.

    One table, and under it where to begin: the first failure with its file and line. Exit status: 0 if all holds.
    """
    if watch:
        options = [word for word, meant in (("--quick", quick), ("--all", everything)) if meant]
        return _watch(what, [*options, *(["--workers", str(workers)] if workers else [])])
    topic = catalogue.find(what)
    with needs("dev", "jupytext", "nbgrader", "ruff", "mypy", "pytest"):
        from mlcore.authoring.check import check
        from mlcore.authoring.todo import left_to_write
    began = time.perf_counter()
    with counting(TextColumn("checking"), TimeElapsedColumn()) as bar:
        task = bar.add_task("checking", total=None)
        rows = check(topic, quick, workers, lambda done, total: bar.update(task, completed=done, total=total))
    unwritten = list(left_to_write(topic, places.root()))
    _print(topic.folder, rows, unwritten, time.perf_counter() - began)
    findings = [line for row in rows for line in row.findings]
    _tell(unwritten, findings, [row.findings[0] for row in rows if row.findings], everything)
    raise typer.Exit(1 if unwritten or findings else 0)


def _print(title: str, rows: list, unwritten: list[str], seconds: float) -> None:
    table = Table(title=f"{title}, in {seconds:.0f} s", title_justify="left")
    table.add_column("")
    table.add_column("stage", no_wrap=True)
    table.add_column("what it proves")
    table.add_column("found", justify="right")
    table.add_column("work, s", justify="right")
    table.add_row(_mark(unwritten), "written", "no place is left that says TODO", _count(unwritten), "")
    for row in rows:
        proves = row.stage.proves
        table.add_row(_mark(row.findings), row.stage.name, proves, _count(row.findings), f"{row.seconds:.1f}")
    out.print(table)


def _mark(findings: list[str]) -> str:
    return "[red]✗[/]" if findings else "[green]✓[/]"


def _count(findings: list[str]) -> str:
    return str(len(findings)) if findings else ""


def _tell(unwritten: list[str], findings: list[str], firsts: list[str], everything: bool) -> None:
    """The first failure in one line; then the first of every other row, or all of them."""
    begin = (findings or unwritten)[:1]
    if not begin:
        out.print("[green]All of it holds.[/]")
        return
    out.print(f"[red]First:[/] {literal(begin[0])}", highlight=False, soft_wrap=True)
    shown = [*findings, *unwritten] if everything else [*firsts, *unwritten[:1]]
    for line in shown:
        if line != begin[0]:
            out.print(f"  {literal(line)}", highlight=False, soft_wrap=True)
    if (rest := len(findings) + len(unwritten) - len(shown)) > 0:
        out.print(f"  … and {rest} more: --all lists them")


def _watch(what: str, options: list[str]) -> None:
    """Each run is a process of its own, which sees the files as they are now."""
    from mlcore.authoring.watch import changes

    topic = catalogue.find(what)
    command = [sys.executable, "-m", "mlcore", "topic", "check", topic.slug, *options]
    changed = changes(topic)
    while True:
        # In a session of its own it does not hear Ctrl-C: we do, and end it.
        subprocess.run(command, check=False, start_new_session=True)
        out.print("Waiting for a change; Ctrl-C ends it.")
        out.print(f"\n{next(changed)} has changed.", highlight=False)
