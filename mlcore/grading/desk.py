"""What the instructor sees in the terminal while a class is graded, and at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Task as Bar
from rich.table import Table
from rich.text import Text

from mlcore.grading.classroom import Summary
from mlcore.grading.marking import Task
from mlcore.grading.workers import GivenUp, Outcome


class _Rate(ProgressColumn):
    def render(self, task: Bar) -> Text:
        return Text(f"{task.finished_speed or task.speed or 0:.1f}/s")


class Desk:
    """A progress bar with rate and time left, and a line for every problem."""

    def __init__(self, console: Console, total: int) -> None:
        columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True)
        self._bar = self._progress.add_task("grading", total=total)

    @contextmanager
    def watching(self) -> Iterator[Desk]:
        with self._progress:
            yield self

    def tick(self, task: Task, outcome: Outcome) -> None:
        problem = outcome.why if isinstance(outcome, GivenUp) else outcome.problem
        if problem:
            line = f"[yellow]{escape(task.student)}[/] {task.assignment}: {escape(problem)}"
            self._progress.console.print(line, highlight=False, soft_wrap=True)
        elif not isinstance(outcome, GivenUp) and outcome.notes:
            more = f" (and {len(outcome.notes) - 1} more)" if len(outcome.notes) > 1 else ""
            line = f"[bright_black]{escape(task.student)}[/] {task.assignment}: {escape(outcome.notes[0])}{more}"
            self._progress.console.print(line, highlight=False, soft_wrap=True)
        self._progress.advance(self._bar)


def print_summary(console: Console, summary: Summary) -> None:
    """How many were graded, how they did, what was found most."""
    words = [f"[bold]{len(summary.graded)}[/] graded"]
    if summary.skipped:
        words.append(f"{summary.skipped} unchanged since the last run")
    if summary.problems:
        words.append(f"[yellow]{len(summary.problems)} with a problem[/]")
    console.print(", ".join(words) + ".")
    for (assignment, exercise), said in sorted(summary.unjudged.items()):
        students = "1 student" if len(said) == 1 else f"{len(said)} students"
        why, _ = Counter(said).most_common(1)[0]
        line = f"[yellow]{assignment} {exercise}[/] waits for a person, for {students}: {escape(why)}"
        console.print(line, highlight=False, soft_wrap=True)
    if not summary.graded:
        return
    for assignment in sorted({r.assignment for r in summary.graded}):
        results = [r for r in summary.graded if r.assignment == assignment]
        _print_histogram(console, assignment, [(r.points, r.judged_out_of) for r in results])
        found = Counter(v.finding.mistake for r in results for v in r.verdicts if v.finding.mistake)
        if found:
            table = Table(title="the most common mistakes", title_justify="left", show_header=False, box=None)
            for says, count in found.most_common(5):
                table.add_row(f"[bold]{count}[/]", escape(says))
            console.print(table)


def _print_histogram(console: Console, assignment: str, marks: list[tuple[float, float]]) -> None:
    tenths = Counter(min(9, int(10 * points / out_of)) if out_of else 0 for points, out_of in marks)
    most = max(tenths.values())
    mean = sum(points for points, _ in marks) / len(marks)
    worth = max(out_of for _, out_of in marks)
    console.print(f"\n[bold]{assignment}[/]: {mean:.1f} of {worth:g} points on average, before marks by hand")
    for tenth in range(10):
        count = tenths[tenth]
        bar = "█" * round(30 * count / most) if count else ""
        console.print(f"  {10 * tenth:3d}–{10 * tenth + 10:3d}%  [blue]{bar}[/] {count or ''}", highlight=False)
