"""The rows of benchmarks/reference.py at a small size: both sides give the same answer. Times are not tested.

And the README tells the headlines of the last measurement.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import reference, results

SMALL = {"mixture, 10 rounds of EM": 800, "PCA, 200 points in d = n": 300}


@pytest.mark.parametrize("row", [pytest.param(r, id=r.task) for r in reference.ROWS])
def test_both_sides_give_the_same_answer(row):
    if not row.available:
        pytest.skip(f"mlcore.{row.module} or {row.peer} is not there")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # EM is stopped before it has converged, on purpose
        ours, theirs = row.pair(SMALL.get(row.task, 150))
        assert row.apart(ours(), theirs()) <= max(row.agree, 0.3 if row.apart is reference.disagreement else 0)


def test_a_row_is_measured_and_told():
    row = next(r for r in reference.ROWS if r.task == "ridge")
    found = reference.measure_row(row, budget=0)
    assert found["agree"]
    assert len(found["ours"]) == len(found["theirs"]) == len(found["ratios"]) == 3
    assert reference.summary([found])["rows"] == 1
    assert any("| ridge |" in line for line in reference.told([found]))


def test_difference_is_relative_to_the_answer():
    assert reference.difference([1e6, 2e6], [1e6, 2e6 + 2]) == pytest.approx(1e-6, rel=1e-5)
    assert reference.disagreement([1, 0, 1, 1], [1, 1, 1, 1]) == 0.25


def test_the_readme_tells_the_headlines_of_the_last_measurement():
    root = Path(__file__).resolve().parents[1]
    results, readme = ((root / name).read_text(encoding="utf-8") for name in ("benchmarks/RESULTS.md", "README.md"))
    headlines = [line for line in results.partition("\n## ")[0].splitlines() if line.startswith("- ")]
    assert len(headlines) == 5
    assert [line for line in headlines if line not in " ".join(readme.split())] == []


def test_results_are_written_only_when_every_part_was_measured(tmp_path, monkeypatch, capsys):
    course = {"when": "today", "machine": "mine", "data": {"nbval_seconds": 9, "cells": 3, "cold": 8, "warm": 2}}
    (tmp_path / "course.json").write_text(json.dumps(course))
    target = tmp_path / "RESULTS.md"
    target.write_text("what was measured before")
    monkeypatch.setattr(results, "KEPT", tmp_path)
    monkeypatch.setattr(results, "TARGET", target)
    results.write(Console(width=200))
    assert "not measured yet: reference, grading, explorers, checks" in capsys.readouterr().out
    assert target.read_text() == "what was measured before"
