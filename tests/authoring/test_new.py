"""`mlcore topic new`, in a copy of the project: with no other edit the new topics are everywhere and whole."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from tests.conftest import ROOT

COPIED = ("mlcore", "solutions", "notebooks/00_start_here", "notebooks/glossary.ipynb", "docs", "pyproject.toml")
OLD, NEW = "gaussian_processes", "a_slug_" + 33 * "x"  # the longest one
FILES = ("mlcore/{0}.py", "mlcore/checks/{0}.py", "mlcore/explore/{0}.py", "solutions/{1}_{0}.py", "tests/test_{0}.py")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the project, and what runs in it."""
    root = tmp_path_factory.mktemp("clone")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        else:
            shutil.copy2(ROOT / name, root / name)
    env = os.environ | {"PYTHONPATH": str(root), "COLUMNS": "140", "NO_COLOR": "1", "MLCORE_HOME": str(root / "home")}

    def run(*words, cwd=root, **options):
        command = [sys.executable, *map(str, words)]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, **options)

    def mlcore(*words, **options):
        return run("-c", "from mlcore.__main__ import main; main()", *words, **options)

    def python(code, *words):
        done = run("-c", textwrap.dedent(code), *words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return SimpleNamespace(root=root, run=run, mlcore=mlcore, python=python)


@pytest.fixture(scope="module")
def grown(clone):
    """The copy with a topic more in a part that was there, and one in a part that is new."""
    before = everything(clone.root)
    clone.told = clone.mlcore("topic", "new", OLD, "--part", "Bayesian and graphical")
    second = clone.mlcore("topic", "new", NEW, "--part", "Sequences of steps", "--title", "Steps & 'leaps'")
    assert [clone.told.returncode, second.returncode] == [0, 0], clone.told.stderr + second.stderr
    clone.new = sorted(set(everything(clone.root)) - set(before))
    clone.changed = [name for name, content in before.items() if everything(clone.root)[name] != content]
    return clone


@pytest.fixture(scope="module")
def built(grown):
    """Their notebooks."""
    done = grown.mlcore("build", OLD, NEW)
    assert done.returncode == 0, done.stderr
    return grown


def everything(root: Path) -> dict[str, bytes]:
    paths = (p for p in root.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {str(p.relative_to(root)): p.read_bytes() for p in paths}


def test_five_files_and_no_other(grown):
    assert grown.new == sorted(name.format(*topic) for topic in ((OLD, 30), (NEW, 31)) for name in FILES)
    assert grown.changed == []


def test_it_says_what_it_wrote_and_what_comes_next(grown):
    lines = grown.told.stdout.splitlines()
    assert [f"written: {name.format(OLD, 30)}" for name in FILES] == lines[:5]
    for command in (f"topic check {OLD} --quick", f"topic check {OLD}", f"build {OLD}", "lab"):
        assert any(line.startswith(f"  mlcore {command}  ") for line in lines)


def test_they_stand_in_their_parts(grown):
    said = grown.mlcore("progress").stdout
    names = re.findall(r"^(?:  )?(\d\d_\w+|[IVX]+ [\w ]+?)  ", said.replace(" ░", "  ░"), re.M)
    at = names.index("30_gaussian_processes")
    assert names[at - 1 : at + 2] == ["28_hidden_markov", "30_gaussian_processes", "VIII Decisions"]
    assert names[-2:] == ["IX Sequences of steps", f"31_{NEW}"]


def test_they_stand_in_the_catalogue_and_on_the_map(grown):
    entries = [e for e in json.loads(grown.mlcore("catalogue", "--json").stdout) if e["topic"][:2] in ("30", "31")]
    assert [e["number"] for e in entries] == [f"{n}{letter}" for n in (30, 31) for letter in "abcd"]
    assert entries[0]["name"] == f"{OLD}_slope" and entries[0]["kind"] == "derivation"
    page = grown.python(
        "import json; from mlcore.course.map import Map; print(json.dumps([repr(Map()), Map()._repr_html_()]))"
    )
    assert "30 Gaussian processes: 0 of 3 exercises\n29 " in page[0]
    assert "<a href='../31_" in page[1] and "31 · Steps &amp; &#x27;leaps&#x27;" in page[1]
    assert page[1].index("VII Bayesian and graphical") < page[1].index("30 · ") < page[1].index("VIII Decisions")
    assert page[1].index("IX Sequences of steps") < page[1].index("31 · ")


def test_their_notebooks_have_letters_prerequisites_and_symbols(built):
    notebook = nbformat.read(built.root / "notebooks" / f"30_{OLD}" / f"{OLD}.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells)
    assert re.findall(r"^### (30[a-z]) · ", text, re.M) == ["30a", "30b", "30c", "30d"]
    assert "([notebook 28](../28_hidden_markov/hidden_markov.ipynb))" in notebook.cells[0].source
    assert [int(n) for n in re.findall(r"\\tag\{30\.(\d)\}", text)] == [1, 2, 3]
    glossary = (built.root / "notebooks" / "glossary.ipynb").read_text(encoding="utf-8")
    assert f"](30_{OLD}/{OLD}.ipynb)" in glossary and f"](31_{NEW}/{NEW}.ipynb)" in glossary


def test_all_holds_and_only_the_words_are_left_to_write(built):
    """What `topic check` asks, but for types, kernels and the topic's own tests, which take longer."""
    found, left = built.python(
        """
        import importlib, json, sys
        from mlcore.authoring import certificate, mutation, recorded, rules, symbols, todo
        from mlcore.authoring.audit.__main__ import examine, findings
        from mlcore.course import catalogue, places
        from mlcore.engine.explorers import search, sweep

        found, left = [], []
        for slug in sys.argv[1:]:
            topic = catalogue.load(slug)
            found += [*rules.broken(topic), *symbols.astray(topic, places.root())]
            found += map(str, sweep.findings(search.find(importlib.import_module(f"mlcore.explore.{slug}"))))
            left += todo.left_to_write(topic, places.root())
            for exercise in (e for e in topic.exercises if e.parts):
                found += certificate.examine(topic, exercise, range(4 if slug == sys.argv[1] else 1))
                if slug != sys.argv[1]:
                    continue  # the same exercises, on other draws
                solution = recorded.solutions(topic)[exercise.name]
                found += findings([examine(slug, exercise, solution, range(20))])
                tally = mutation.examine(mutation.stages(topic)[exercise.name], 4)
                found += [*tally.accepted, *tally.misled, *tally.wronged]
        print(json.dumps([found, left]))
        """,
        OLD,
        NEW,
    )
    assert found == []
    for file in (name.format(*topic) for topic in ((OLD, 30), (NEW, 31)) for name in FILES):
        marked = [f"{file}:{i}" for i, line in enumerate(read(built, file), start=1) if "TODO" in line]
        assert marked == [":".join(line.split(":")[:2]) for line in left if line.startswith(f"{file}:")] != []
    question = next(i for i, line in enumerate(read(built, f"mlcore/checks/{OLD}.py"), start=1) if "question=" in line)
    told = f"mlcore/checks/{OLD}.py:{question}: TODO the question that this notebook answers, of ten words or so"
    assert told in left


def read(clone, path: str) -> list[str]:
    return (clone.root / path).read_text(encoding="utf-8").splitlines()


def test_ruff_finds_nothing_in_short_names_and_in_long_ones(grown):
    for words in (("check",), ("format", "--check")):
        done = grown.run("-m", "ruff", *words, "--no-cache", *grown.new)
        assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def broken(built):
    path = built.root / "mlcore" / "checks" / f"{NEW}.py"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("topic = Topic(", "topic = = Topic("), encoding="utf-8")
    line = next(i for i, text in enumerate(whole.splitlines(), start=1) if text.startswith("topic = "))
    yield SimpleNamespace(clone=built, told=f"mlcore/checks/{NEW}.py:{line}: SyntaxError: invalid syntax")
    path.write_text(whole, encoding="utf-8")


class TestADraftThatIsBroken:
    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (["progress"], "30_gaussian_processes"),
            (["catalogue"], "ridge_fit"),
            (["build", OLD], "The notebook is up to date."),
        ],
        ids=lambda words: words[0] if isinstance(words, list) else "",
    )
    def test_leaves_the_others_working(self, broken, words, says):
        done = broken.clone.mlcore(*words)
        assert done.returncode == 0 and says in done.stdout
        assert done.stderr.count(broken.told) == 1

    def test_can_be_checked_no_more_but_others_can(self, broken):
        done = broken.clone.mlcore("check", "start_here")
        assert "0 of 1 points" in done.stdout and done.stderr.strip() == ""
        done = broken.clone.mlcore("topic", "check", NEW)
        assert (done.returncode, done.stderr) == (2, f"mlcore: {broken.told}\n")

    def test_keeps_its_number(self, broken):
        done = broken.clone.mlcore("topic", "new", "third", "--part", "Decisions", "--number", "31")
        assert done.stderr == f"mlcore: number 31 is taken by {NEW}: the next free one is 32\n"


REFUSED = {
    "no part": ({"part": ""}, "--part is missing: 'Foundations', 'Regression', "),
    "a part misspelt": ({"part": "Bayesian and grafical"}, "did you mean 'Bayesian and graphical'? With --new-part"),
    "a part in capitals": ({"part": "DECISIONS"}, "no part 'DECISIONS': did you mean 'Decisions'?"),
    "a part with a quote": ({"part": '"Odds"'}, "the part '\"Odds\"' must be 1 to 60 characters on one line"),
    "capitals": ({"slug": "Gaussian-Processes"}, "is no slug: a name in lower case of 2 to 40"),
    "a number first": ({"slug": "3d"}, "'3d' is no slug"),
    "one letter": ({"slug": "x"}, "'x' is no slug"),
    "too long": ({"slug": 41 * "x"}, "of 2 to 40 letters"),
    "a path": ({"slug": "../ridge"}, "is no slug"),
    "a keyword": ({"slug": "lambda"}, "'lambda' is a word of Python"),
    "a builtin": ({"slug": "sum"}, "'sum' is a word of Python"),
    "of the standard library": ({"slug": "random"}, "`import random` finds another module"),
    "a package": ({"slug": "numpy"}, "`import numpy` finds another module"),
    "a topic": ({"slug": "ridge"}, "'ridge' is taken: mlcore/checks/ridge.py is there"),
    "a module": ({"slug": "numerics"}, "'numerics' is taken: mlcore.numerics is there, and is no topic"),
    "a room": ({"slug": "engine"}, "'engine' is taken: mlcore.engine is there, and is no topic"),
    "the glossary": ({"slug": "glossary"}, "'glossary' is taken: "),
    "a name of the notebook": ({"slug": "check"}, "'check' is a name that the files of a topic use themselves"),
    "a name of numpy": ({"slug": "np"}, "'np' is a name that the files of a topic use themselves"),
    "a function of the template": ({"slug": "objective"}, "'objective' is a name that the files"),
    "an exercise": ({"slug": "graph"}, "would have an exercise graph_slope, and so has backprop already"),
    "no title": ({"title": "  "}, "the title '' must be 1 to 60 characters"),
    "a long title": ({"title": 61 * "x"}, "must be 1 to 60 characters on one line"),
    "two lines": ({"title": "One\ntwo"}, r"the title 'One\ntwo' must be"),
    "a number that is taken": ({"number": 5}, "number 5 is taken by ridge: the next free one is "),
    "the start": ({"number": 0}, "number 0 is taken by start_here"),
    "a negative number": ({"number": -1}, "the number of a topic is 1 to 99, got -1"),
    "three digits": ({"number": 100}, "the number of a topic is 1 to 99, got 100"),
}


@pytest.fixture(scope="module")
def said(clone):
    """What is said in each case. Nothing is written."""
    before = everything(clone.root)
    found = clone.python(
        """
        import json, pathlib, sys
        from mlcore.authoring import new
        from mlcore.engine.errors import Problem

        said = {}
        for name, what in json.loads(sys.argv[1]).items():
            try:
                new.write(pathlib.Path.cwd(), **({"slug": "fine", "part": "Decisions"} | what))
            except Problem as problem:
                said[name] = str(problem)
        print(json.dumps(said))
        """,
        json.dumps({name: what for name, (what, _) in REFUSED.items()}),
    )
    assert everything(clone.root) == before
    return found


class TestRefusals:
    @pytest.mark.parametrize("name", REFUSED)
    def test_are_one_line(self, said, name):
        assert REFUSED[name][1] in said[name]
        assert "\n" not in said[name]

    @pytest.mark.parametrize(
        "path", ["mlcore/fine.py", "mlcore/explore/fine.py", "solutions/07_fine.py", "tests/test_fine.py"]
    )
    def test_a_file_in_the_way_stays_as_it_is(self, clone, path):
        there = clone.root / path
        there.parent.mkdir(exist_ok=True)
        there.write_text("mine = 1\n")
        before = everything(clone.root)
        done = clone.mlcore("topic", "new", "fine", "--part", "Decisions")
        after = everything(clone.root)
        there.unlink()
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
        assert done.stderr.startswith(
            "mlcore: 'fine' is taken: mlcore.fine is"
            if path == "mlcore/fine.py"
            else f"mlcore: 'fine' is taken: {path} is"
        )
        assert after == before

    def test_a_full_disk_leaves_nothing_behind(self, clone):
        """No file may be longer than the first of the five."""
        before = everything(clone.root)
        limit = (2000, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
        done = clone.mlcore(
            "topic", "new", "fine", "--part", "Decisions",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
        )  # fmt: skip
        assert done.stderr == f"mlcore: {clone.root}/mlcore/checks/fine.py: File too large\n"
        assert everything(clone.root) == before

    def test_outside_a_clone(self, clone, tmp_path):
        (tmp_path / "notebooks" / "00_start_here").mkdir(parents=True)
        done = clone.mlcore("topic", "new", "fine", "--part", "Decisions", cwd=tmp_path)
        assert done.stderr == (
            f"mlcore: a topic is written in a clone of the repository: there is no solutions/ in {tmp_path}\n"
        )
        (tmp_path / "solutions").mkdir()
        done = clone.mlcore("topic", "new", "fine", "--part", "Decisions", cwd=tmp_path)
        assert f"the mlcore that runs is that of {clone.root}: in {tmp_path}, `pip install" in done.stderr
