"""Files as they really arrive: cells deleted, copied, moved, retyped and edited, and files that are no notebooks."""

from __future__ import annotations

import json
import os

import nbformat
import pytest

from mlcore.course import catalogue
from mlcore.grading import submission
from mlcore.grading.classroom import Handed
from mlcore.grading.sandbox import Sandbox
from mlcore.grading.submission import Release, Unreadable
from tests.grading.conftest import QUICK, Bench, grade_id, marks


@pytest.fixture
def solved(bench) -> dict:
    return bench.notebook(bench.solved)


@pytest.fixture
def full(bench) -> dict[str, float]:
    return {e.name: float(e.points) for e in bench.answers.exercises}


def at(notebook: dict, name: str) -> int:
    return next(i for i, cell in enumerate(notebook["cells"]) if grade_id(cell) == name)


# Each mangles a solved notebook; the honest work is all there, so the marks are full.


def delete_check(n):
    del n["cells"][at(n, "check_ridge_fit")]


def delete_every_check(n):
    n["cells"] = [c for c in n["cells"] if not grade_id(c).startswith("check_")]


def copy_check(n):
    n["cells"].insert(0, json.loads(json.dumps(n["cells"][at(n, "check_ridge_fit")])))


def copy_answer(n):
    n["cells"].insert(at(n, "ridge_fit"), json.loads(json.dumps(n["cells"][at(n, "ridge_fit")])))


def check_first(n):
    n["cells"].insert(1, n["cells"].pop(at(n, "check_ridge_fit")))


def edit_check(n):
    n["cells"][at(n, "check_ridge_fit")]["source"] = "assert True"


def empty_check(n):
    n["cells"][at(n, "check_ridge_fit")]["source"] = []


def unlock_check(n):
    n["cells"][at(n, "check_ridge_fit")]["metadata"]["nbgrader"] |= {"locked": False, "grade": False}


def raise_points(n):
    for cell in n["cells"]:
        if "points" in cell["metadata"].get("nbgrader", {}):
            cell["metadata"]["nbgrader"]["points"] = 1000


def retype_answer(n):
    n["cells"][at(n, "ridge_fit")]["cell_type"] = "markdown"


def retype_check(n):
    n["cells"][at(n, "check_ridge_fit")]["cell_type"] = "raw"


def lose_metadata(n):
    for cell in n["cells"]:
        cell["metadata"] = {}


def lose_metadata_and_ids(n):
    for i, cell in enumerate(n["cells"]):
        if cell["cell_type"] == "code":
            cell["metadata"], cell["id"] = {}, f"c{i}"


def lose_all_metadata(n):
    n["metadata"] = {}


def rename_checks(n):
    for cell in n["cells"]:
        if grade_id(cell).startswith("check_"):
            cell["metadata"]["nbgrader"]["grade_id"] += "_x"


def odd_types(n):
    n["cells"] += [None, 5, {"cell_type": 7, "source": {"a": 1}}, {"metadata": [], "source": [1, "x"]}, {}]


def absurd_metadata(n):
    n["cells"][0]["metadata"] = {"nbgrader": {"grade_id": ["ridge_fit"]}}


def with_outputs(n):
    for cell in n["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 10_000}]


def half_a_character(n):
    n["cells"][0]["source"] = "x\ud800"


HONEST = [
    delete_check, delete_every_check, copy_check, copy_answer, check_first, edit_check, empty_check, unlock_check,
    raise_points, retype_answer, retype_check, lose_metadata, lose_metadata_and_ids, lose_all_metadata, rename_checks,
    odd_types, absurd_metadata, with_outputs, half_a_character,
]  # fmt: skip


@pytest.mark.parametrize("mangle", HONEST, ids=lambda f: f.__name__)
def test_honest_work_keeps_its_marks(bench, solved, full, mangle):
    mangle(solved)
    result = bench.grade(solved)
    assert marks(result) == full
    assert result.problem == ""
    graded = [grade_id(cell) for cell in result.cells if grade_id(cell)]
    assert sorted(graded) == sorted(Release(bench.text).places), "every graded cell is there, once"
    worth = {grade_id(c): c["metadata"]["nbgrader"].get("points") for c in result.cells if grade_id(c)}
    assert worth["check_ridge_fit"] == 2
    assert json.dumps(result.cells, ensure_ascii=False).encode()


@pytest.mark.parametrize("mangle", [delete_check, check_first, edit_check, retype_answer, copy_check])
def test_repair_is_told(bench, solved, mangle):
    mangle(solved)
    assert bench.grade(solved).notes


def test_deleted_answer_is_not_attempted_and_costs_only_itself(bench, solved, full):
    del solved["cells"][at(solved, "ridge_fit")]
    assert marks(bench.grade(solved)) == full | {"ridge_fit": 0}


def test_executed_notebook_is_a_valid_one(bench, solved):
    from mlcore.grading import marking

    copy_answer(solved)
    notebook = nbformat.reads(marking.notebook(bench.grade(solved)), as_version=4)
    nbformat.validate(notebook)


def test_old_format_is_converted(bench, solved, full):
    old = nbformat.convert(nbformat.reads(json.dumps(solved), as_version=4), 3)
    assert marks(bench.grade(nbformat.writes(old, version=3).encode())) == full


def test_byte_order_mark_is_no_matter(bench, solved, full):
    assert marks(bench.grade(b"\xef\xbb\xbf" + json.dumps(solved).encode())) == full


NOT_NOTEBOOKS = {
    b"": "The file is empty.",
    b"  \n": "The file is empty.",
    b"{": "The file is not a notebook",
    b"[]": "it has no cells",
    b"{}": "it has no cells",
    b'{"cells": 5}': "it has no cells",
    b"\xff\xfe\x00": "not text in UTF-8",
    b"[" * 100_000: "The file is not a notebook",
    b'{"nbformat": 3}': "The file is an old notebook that cannot be converted",
    json.dumps({"cells": [{}] * 3000}).encode(): "3,000 cells; the limit is 2,000",
    json.dumps({"cells": [{"cell_type": "code", "source": "x = 1", "metadata": {}}]}).encode(): "not the notebook",
}


@pytest.mark.parametrize("data", NOT_NOTEBOOKS, ids=lambda d: repr(d[:12]))
def test_what_is_no_notebook_earns_nothing_and_says_why(ridge, data):
    nothing_runs = Sandbox(QUICK, protected=False)
    result = Bench(nothing_runs, *ridge).grade(data)
    nothing_runs.close()
    assert nothing_runs.pid == 0
    assert result.points == 0
    assert NOT_NOTEBOOKS[data] in result.problem
    assert NOT_NOTEBOOKS[data] in result.cells[0]["source"]


STAMPS = ["", "soon", "0001-01-01 00:00 +14:00", "2026-11-01 12:00 +99:00", "9" * 400]


class TestReading:
    @pytest.mark.parametrize("stamp", STAMPS)
    def test_a_moment_that_is_none(self, tmp_path, stamp):
        (tmp_path / "timestamp.txt").write_text(stamp)
        assert Handed(catalogue.find("ridge"), "ada", tmp_path / "ridge.ipynb").moment is None

    def test_a_moment_in_a_pipe_does_not_hang(self, tmp_path):
        os.mkfifo(tmp_path / "timestamp.txt")
        assert Handed(catalogue.find("ridge"), "ada", tmp_path / "ridge.ipynb").moment is None

    def test_missing(self, tmp_path):
        with pytest.raises(Unreadable, match=r"ridge\.ipynb is missing\."):
            submission.read_file(tmp_path / "ridge.ipynb")

    def test_link(self, tmp_path):
        (tmp_path / "other").write_text("secret")
        (tmp_path / "ridge.ipynb").symlink_to(tmp_path / "other")
        with pytest.raises(Unreadable, match="is a link"):
            submission.read_file(tmp_path / "ridge.ipynb")

    def test_folder(self, tmp_path):
        (tmp_path / "ridge.ipynb").mkdir()
        with pytest.raises(Unreadable, match="is not a file"):
            submission.read_file(tmp_path / "ridge.ipynb")

    def test_pipe_does_not_hang(self, tmp_path):
        os.mkfifo(tmp_path / "ridge.ipynb")
        with pytest.raises(Unreadable, match="is not a file"):
            submission.read_file(tmp_path / "ridge.ipynb")

    def test_200_megabytes(self, tmp_path):
        with (tmp_path / "ridge.ipynb").open("wb") as file:
            file.truncate(200 << 20)
        with pytest.raises(Unreadable, match="has 200 MB; the limit is 20 MB"):
            submission.read_file(tmp_path / "ridge.ipynb")
