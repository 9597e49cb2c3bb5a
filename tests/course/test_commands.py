"""The command line as a user types it."""

import json
import os
import subprocess
import sys

import nbformat
import pytest

from mlcore import __main__ as cli
from mlcore.course import catalogue
from mlcore.course import map as course_map
from tests.conftest import ROOT


def mlcore(*arguments, cwd=ROOT, **environment):
    command = [sys.executable, "-c", "from mlcore.__main__ import main; main()", *map(str, arguments)]
    env = os.environ | {"COLUMNS": "140", "NO_COLOR": "1", "PYTHONPATH": str(ROOT)} | environment
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False)


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["nope"], "No such command 'nope'"),
            (["check", "rigde"], "no topic 'rigde': did you mean ridge?"),
            (["check", "99"], "no topic '99': there are 00_start_here to 29_bandits"),
            (["check", "notebooks/05_ridge"], "notebooks/05_ridge cannot be read: Is a directory"),
            (["check", "notebooks/glossary.ipynb"], "has no checks: is it a notebook of the course?"),
            (["submit", "pyproject.toml"], "pyproject.toml is not a readable notebook"),
            (["submit", "notebooks/glossary.ipynb"], "has no checks: is it a notebook of the course?"),
            (["feedback", "nope"], "there is no feedback page and no course folder nope"),
            (["check", "missing.ipynb"], "there is no notebook missing.ipynb"),
            (["check", "pyproject.toml"], "pyproject.toml is not a readable notebook"),
            (["check", "5", "6"], "unexpected extra argument"),
            (["lab", "--port", "many"], "Invalid value for '--port'"),
            (["catalogue", "--xml"], "No such option: --xml"),
        ],
    )
    def test_one_helpful_line(self, arguments, says):
        done = mlcore(*arguments)
        assert done.returncode == 2
        assert says in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stdout == ""

    @pytest.mark.parametrize("content", [b"", b"{", b'{"cells": 3}', b"\xff\xfe\x00", b'{"nbformat": 4}'])
    def test_damaged_notebook(self, tmp_path, content):
        path = tmp_path / "damaged.ipynb"
        path.write_bytes(content)
        done = mlcore("check", path)
        assert done.returncode == 2
        assert "is not a readable notebook" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("arguments", [[], ["course"]])
def test_without_a_command_the_help_is_shown_and_nothing_else(arguments):
    done = mlcore(*arguments)
    assert done.returncode == 2
    assert "Commands" in done.stdout and done.stderr == ""


def test_interrupted_is_said(monkeypatch, capsys):
    def stop():
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["mlcore", "progress"])
    monkeypatch.setattr(course_map, "standings", stop)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 130
    assert capsys.readouterr().err.strip() == "mlcore: interrupted"


def test_help_lists_the_commands():
    done = mlcore("--help")
    assert done.returncode == 0
    for command in ("lab", "check", "progress", "catalogue", "build"):
        assert command in done.stdout
        assert mlcore(command, "--help").returncode == 0


def test_catalogue_counts_every_exercise():
    entries = json.loads(mlcore("catalogue", "--json").stdout)
    expected = [e for topic in catalogue.topics() for e in topic.exercises]
    assert [e["name"] for e in entries] == [e.name for e in expected]
    fit = next(e for e in entries if e["name"] == "ridge_fit")
    assert (fit["number"], fit["topic"], fit["kind"], fit["points"]) == ("5b", "05_ridge", "function", 2)
    assert fit["mistakes"] == 6 and fit["alternatives"] == 3
    assert "ridge_fit" in mlcore("catalogue").stdout


def test_check_tells_each_exercise_and_progress_remembers(solved, tmp_path):
    path = solved("00_start_here")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace("return 6 * (3 * x - 1)", "return 3 * (3 * x - 1)")
    wrong = tmp_path / "wrong.ipynb"
    nbformat.write(notebook, wrong)

    home = str(tmp_path / "home")
    done = mlcore("check", wrong, MLCORE_HOME=home)
    assert done.returncode == 1
    assert "known mistake" in done.stdout and "the 2 is missing" in done.stdout
    assert "0 of 1 exercises" in mlcore("progress", MLCORE_HOME=home).stdout

    done = mlcore("check", path, MLCORE_HOME=home)
    assert done.returncode == 0
    assert "1 of 1 points" in done.stdout
    assert "1 of 1 exercises" in mlcore("progress", MLCORE_HOME=home).stdout


def test_check_names_cells_that_fail_and_checks_that_could_not_run(tmp_path):
    notebook = nbformat.read(ROOT / "notebooks" / "00_start_here" / "start_here.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace("def slope(x):", "def slope(x:")
    path = tmp_path / "broken.ipynb"
    nbformat.write(notebook, path)
    done = mlcore("check", path)
    assert done.returncode == 1
    assert "The check did not run. NameError: name 'slope' is not defined" in done.stdout
    assert "raised SyntaxError" in done.stdout


def test_catalogue_cuts_nothing_in_a_narrow_terminal():
    told = mlcore("catalogue", COLUMNS="60").stdout
    longest = max((e for topic in catalogue.topics() for e in topic.exercises), key=lambda e: len(e.name))
    row = next(line for line in told.splitlines() if longest.name in line)
    for value in (longest.number, longest.kind, str(longest.points), str(len(longest.mistakes))):
        assert value in row


@pytest.mark.parametrize(
    ("words", "extra"),
    [(["build", "0"], "instructor"), (["topic", "check", "0"], "dev"), (["grade", "x"], "instructor")],
)
def test_a_student_has_not_all_packages_and_is_told_in_one_line(words, extra):
    """None of these comes with the course itself."""
    code = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name.split('.')[0] in {'jupytext', 'nbgrader', 'sqlalchemy', 'ruff', 'mypy', 'pytest'}:\n"
        "            raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Missing)\n"
        f"sys.argv = ['mlcore', *{words!r}]\n"
        "from mlcore.__main__ import main; main()\n"
    )
    env = os.environ | {"COLUMNS": "140", "NO_COLOR": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("mlcore: ") and line.endswith(f" is missing: pip install --editable '.[{extra}]'")


def test_outside_a_course_the_installed_one_is_used(tmp_path):
    assert mlcore("catalogue", cwd=tmp_path).returncode == 0


def test_build_check_is_clean():
    done = mlcore("build", "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "up to date" in done.stdout
