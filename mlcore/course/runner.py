"""Runs a notebook without a browser and reads the verdicts of its checks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from mlcore.engine.asking.answers import public
from mlcore.engine.errors import Problem
from mlcore.engine.exercises.verdict import MIME, Outcome

CELL_TIMEOUT = 120  # seconds


@dataclass(frozen=True)
class Row:
    """What a check said."""

    number: str
    name: str
    outcome: str
    points: float
    out_of: float
    says: str

    @property
    def right(self) -> bool:
        return self.outcome == Outcome.RIGHT


def read(path: Path) -> NotebookNode:
    """A notebook from a file, or one line that says why not."""
    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise Problem(f"there is no notebook {path}") from None
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}") from None
    except Exception as error:  # nbformat raises many kinds for what is not a notebook
        first = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise Problem(f"{path} is not a readable notebook: {first}") from None


def is_check(cell: NotebookNode) -> bool:
    return cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("check_")


def execute(
    notebook: NotebookNode,
    folder: Path,
    tick: Callable[..., object] = lambda completed: None,
    home: Path | None = None,
) -> None:
    """Run all cells in a kernel of their own, errors included; `tick` hears how many are done.

    What the checks record goes to the student's own progress, or to `home`.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        allow_errors=True,
        extra_arguments=["--log-level=CRITICAL"],  # an interrupt at the kernel's end is an "error" to it
        resources={"metadata": {"path": str(folder)}},
        on_cell_complete=lambda cell, cell_index: tick(completed=cell_index + 1),
    )
    try:
        client.execute(env=os.environ | ({"MLCORE_HOME": str(home)} if home else {}))
    except CellTimeoutError:
        raise Problem(f"a cell ran for more than {CELL_TIMEOUT} s: is there a loop that never ends?") from None
    except DeadKernelError:
        raise Problem("the kernel died: did a cell use all memory?") from None


def verdicts(notebook: NotebookNode) -> list[Row]:
    """One row for each check cell of an executed notebook."""
    return [_row(cell) for cell in notebook.cells if is_check(cell)]


def troubles(notebook: NotebookNode) -> list[str]:
    """What other cells raised, apart from those that are meant to: a line each."""
    return [f"cell {i} raised {error}" for i, error in failures(notebook)]


def failures(notebook: NotebookNode) -> list[tuple[int, str]]:
    """The same, as the cell's number, from 1 on, and what it raised."""
    found = []
    for i, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code" or "raises-exception" in cell.metadata.get("tags", []) or is_check(cell):
            continue
        found += [(i, _error(out)) for out in cell.outputs if out.output_type == "error"]
    return found


def _row(cell: NotebookNode) -> Row:
    data = [out.data[MIME] for out in cell.outputs if "data" in out and MIME in out.data]
    if data:
        v = data[-1]
        return Row(v["number"], v["name"], v["outcome"], v["points"], v["out_of"], v["says"])
    name = cell.metadata.nbgrader.grade_id.removeprefix("check_")
    errors = [_error(out) for out in cell.outputs if out.output_type == "error"]
    says = " ".join(["The check did not run.", *errors[:1]])
    return Row("", name, str(Outcome.RAISED), 0, cell.metadata.nbgrader.points, says)


def _error(output: NotebookNode) -> str:
    text = f"{public(output.ename)}: {output.evalue}"
    return re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()[0][:200]
