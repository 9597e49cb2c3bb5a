"""Every solved notebook in a kernel: full points, no cell that fails, no number that shows its type."""

import re

import pytest

from mlcore.course import runner, source
from tests.conftest import ROOT

FOLDERS = [topic.folder for topic, _ in source.sources(ROOT)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_solved_notebook_is_right_and_reads_well(folder, solved):
    path = solved(folder)
    notebook = runner.read(path)
    runner.execute(notebook, path.parent)
    assert [row.name for row in runner.verdicts(notebook) if not row.right] == []
    assert runner.troubles(notebook) == []
    shown = [
        output.get("text", "") or output.get("data", {}).get("text/plain", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    assert [text for text in shown if re.search(r"np\.(float64|int64|True_|False_)", text)] == []
