"""Every stage of the proof finds what it is for, and tells it with its file and line."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from mlcore.authoring import proof

CHECKS, SOLUTION, TESTS = "mlcore/checks/ridge.py", "solutions/05_ridge.py", "tests/test_ridge.py"
START = "solutions/00_start_here.py"


def found(project, *asked, quick=False):
    told = project.find(*asked, quick=quick)
    for line in (line for lines in told for line in lines):
        assert re.match(r"\S+\.(py|ipynb):\d+: \S", line) and "\n" not in line
    return told


def test_a_sound_topic(project):
    pieces = [("lint", ""), ("types", ""), ("rules", ""), ("order", ""), ("glossary", ""), ("build", "")]
    pieces += [
        ("certificate", "map_penalty"),
        ("draws", "map_penalty"),
        ("mutants", "map_penalty"),
        ("sweeps", "Curve"),
    ]
    asked = [(stage, "ridge", piece) for stage, piece in pieces]
    asked += [
        ("notebook", "start_here", "solved"),
        ("notebook", "start_here", "untouched"),
        ("tests", "start_here", ""),
    ]
    assert {stage for stage, *_ in asked} == {stage.name for stage in proof.STAGES}
    assert found(project, *asked) == [[] for _ in asked]


def test_lint_and_types(project):
    with project.damaged(
        "mlcore/ridge.py",
        "\n\ndef budget(X, y, lam):\n",
        "\n\nimport os\n\n\ndef length(w) -> str:\n    return len( w )\n\n\ndef budget(X, y, lam):\n",
    ):
        lint, types = found(project, ("lint", "ridge", ""), ("types", "ridge", ""))
        place = project.line("mlcore/ridge.py", "return len( w )")
        assert lint == [
            f"{project.line('mlcore/ridge.py', 'import os')}: E402 Module level import not at top of file",
            f"{project.line('mlcore/ridge.py', 'import os')}: F401 [*] `os` imported but unused",
            f"{place}: not as `ruff format` lays it out: run `ruff format mlcore/ridge.py`",
        ]
        (told,) = types
        assert told.startswith(f"{place}: error: Incompatible return value type")


def test_rules_order_and_glossary(project):
    """Two exercises in each other's place, a space before a percent sign, and a symbol that is nowhere."""
    text = project.read(SOLUTION)
    cells = [text.index(f"# %% task {name} ") for name in ("ridge_svd", "ridge_freedom", "map_penalty")]
    one, two = text[cells[0] : cells[1]], text[cells[1] : cells[2]]
    with project.damaged(
        *(SOLUTION, one + two, two + one),
        *(SOLUTION, "# thirds of the halves its weight", "# thirds, 67 %, of the halves its weight"),
        *(SOLUTION, "# | $w_0$ |", "# | $\\Omega_0$ |"),
    ):
        rules, order, glossary = found(project, *((stage, "ridge", "") for stage in ("rules", "order", "glossary")))
        place = project.line(SOLUTION, "# thirds, 67 %")
        assert rules == [f"{place}: a percentage is written 83%, with no space before the sign"]
        place = project.line(SOLUTION, "# %% task ridge_freedom")
        assert order == [f"{place}: ridge_freedom stands where the list in {CHECKS} has ridge_svd"]
        place = project.line(SOLUTION, "# | $\\Omega_0$")
        assert glossary == [f"{place}: \\Omega stands neither in the notebook nor in its module"]


def test_a_notebook_that_is_not_up_to_date(project):
    path = "notebooks/05_ridge/ridge.ipynb"
    with project.damaged(path, "We are about to make large weights expensive.", "We shall see."):
        (told,) = found(project, ("build", "ridge", ""))
        assert told == [f"{path}:1: not what {SOLUTION} gives: run `mlcore build ridge`"]


def test_a_mistake_that_agrees_with_another(project):
    with project.damaged(CHECKS, "_along(X, y, lambda s: 1 / s),", "_along(X, y, lambda s: 2 / (2 * s + 2 * lam)),"):
        (told,) = found(project, ("certificate", "ridge", "ridge_svd"))
        assert found(project, ("certificate", "ridge", "ridge_svd"), quick=True) == [told]
        places = [project.line(CHECKS, says) for says in ('"1/(s + λ) in place of', '"1/s is least squares')]
        above = [f"{CHECKS}:{int(place.rpartition(':')[2]) - 1}" for place in places]  # the call begins there
        says = "agree on every draw: add a case on which they differ, or drop one"
        assert told == [
            f"{above[0]}: mistake 1 of ridge_svd and mistake 2 {says}",
            f"{above[1]}: mistake 2 of ridge_svd and mistake 1 {says}",
        ]


def test_cells_of_a_notebook(project):
    """A solution that is wrong, a cell that fails, and one that shows too much."""
    cells = "# %%\nsloppe(1.0)\n\n# %%\nimport numpy as np\n\nnp.float64(1.0)\n\n# %% [markdown]\n"
    with project.damaged(
        *(START, "# %% [markdown]\n# $$f'(x)=2(3x-1)", f"{cells}# $$f'(x)=2(3x-1)"),
        *(START, "    return 6 * (3 * x - 1)\n", "    return 5 * (3 * x - 1)\n"),
    ):
        solved, untouched = found(project, *(("notebook", "start_here", piece) for piece in proof.NOTEBOOKS))
        cell = int(project.line(START, "sloppe(1.0)").rpartition(":")[2]) - 1
        exercise = project.line(START, "# %% exercise slope")
        assert solved[0].startswith(f"{exercise}: the solution of slope is not right: ")
        says = "notebook this cell raises NameError: name 'sloppe' is not defined"
        assert solved[1:] == [
            f"{START}:{cell + 3}: this cell shows np.float64(…): show plain numbers",
            f"{START}:{cell}: in the solved {says}",
        ]
        assert untouched == [f"{START}:{cell}: in the untouched {says}"]


def test_a_proof_is_no_progress_of_a_student(project):
    path = Path(os.environ["MLCORE_HOME"]) / "progress.json"
    before = path.read_bytes() if path.exists() else b""
    assert found(project, ("notebook", "start_here", "solved")) == [[]]
    assert (path.read_bytes() if path.exists() else b"") == before


def test_a_later_cell_uses_the_students_function(project):
    text = "# %% [markdown]\n# $$f'(x)=2(3x-1)"
    with project.damaged(START, text, f"# %%\nslope(1.0) + 1\n\n{text}"):
        solved, untouched = found(project, *(("notebook", "start_here", piece) for piece in proof.NOTEBOOKS))
        cell = int(project.line(START, "slope(1.0) + 1").rpartition(":")[2]) - 1
        assert solved == []
        (told,) = untouched
        assert told.startswith(f"{START}:{cell}: in the untouched notebook this cell raises TypeError: unsupported")


def test_cases_that_are_blind(project):
    """σ is always 1: what forgets it passes."""
    with project.damaged(CHECKS, "(rng.uniform(0.3, 3), rng.uniform(0.3, 3))", "(1.0, rng.uniform(0.3, 3))"):
        certificate, draws = found(project, *((stage, "ridge", "map_penalty") for stage in ("certificate", "draws")))
        exercise = project.line(CHECKS, "map_penalty = ")
        mistake = int(project.line(CHECKS, '"This is right only for σ = 1').rpartition(":")[2]) - 1
        assert f"{CHECKS}:{mistake}: mistake 2 of map_penalty is accepted on seed 0: no case shows it" in certificate
        assert any(line.startswith(f"{exercise}: map_penalty: mistake 2 is accepted: ") for line in draws)


def test_a_comparison_that_is_blind(project):
    with project.damaged(CHECKS, "    cases=_spreads,\n", "    cases=_spreads,\n    compare=lambda a, b: True,\n"):
        (mutants,) = found(project, ("mutants", "ridge", "map_penalty"))
        exercise = project.line(CHECKS, "map_penalty = ")
        assert mutants
        assert all(line.startswith(f"{exercise}: a mutant of map_penalty is accepted: line ") for line in mutants)


def test_a_law_that_does_not_hold(project):
    path = "mlcore/explore/ridge.py"
    with project.damaged(path, "after.freedom <= before.freedom + 1e-9", "after.freedom >= before.freedom + 1e-9"):
        (told,) = found(project, ("sweeps", "ridge", "Curve"))
        (line,) = told
        place = project.line(path, "class Curve(")
        assert line.startswith(f"{place}: Curve: the degrees of freedom never grow with λ: not from lam = ")


def test_figures_that_cannot_be_loaded(project):
    path = "mlcore/explore/ridge.py"
    with project.damaged(path, "class Curve(Explorer):", "class Curve(Explorrer):"):
        (told,) = found(project, ("sweeps", "ridge", ""))
        assert told == [f"{project.line(path, 'class Curve(')}: NameError: name 'Explorrer' is not defined"]


def test_own_tests_that_fail(project):
    """In an assertion, in our own code below a test, and a test that is none."""
    path = "tests/test_start_here.py"
    text = (
        "import numpy as np\nimport pytest\n\nfrom mlcore import ridge\n\n\n"
        "@pytest.mark.parametrize('i', range(3))\ndef test_one(i):\n    assert 1 + i == 0\n\n\n"
        "def test_other():\n    np.testing.assert_allclose(1.0, 2.0)\n\n\n"
        "def test_third():\n    ridge.fit(np.ones(3), np.ones(3), 1.0)\n"
    )
    with project.damaged(path, project.read(path), text):
        (told,) = found(project, ("tests", "start_here", ""))
        assert told == [
            f"{path}:9: test_one fails: assert (1 + 0) == 0",
            f"{path}:13: test_other fails: AssertionError: Not equal to tolerance rtol=1e-07, atol=0",
            f"{path}:17: test_third fails: ValueError: ridge.fit: X must have shape (n, d), got (3,)",
        ]


def test_own_tests_that_cannot_run(project):
    path = "tests/test_start_here.py"
    with project.damaged(path, project.read(path), "x = 1\n"):
        (told,) = found(project, ("tests", "start_here", ""))
        place = project.line("mlcore/checks/start_here.py", "topic = ")
        (line,) = told
        assert line.startswith(f"{place}: pytest ended with status 5: no tests ran in ")


def test_a_stage_that_cannot_go_on(project):
    """It is told where the topic's own file failed; what was found before stays."""
    with project.damaged(
        *(CHECKS, "    return [(rng.uniform(0.3, 3), rng.uniform(0.3, 3)) for _ in range(3)]", "    return 1 / 0"),
        *(SOLUTION, "ridge.first_differences(5)\n", "ridge.first_difference(5)\n"),
    ):
        draws, certificate = found(project, ("draws", "ridge", "map_penalty"), ("certificate", "ridge", "ridge_fit"))
        cell = int(project.line(SOLUTION, "ridge.first_difference(5)").rpartition(":")[2]) - 1
        says = "the cell raises AttributeError: module 'mlcore.ridge' has no attribute 'first_difference'"
        assert draws == certificate
        assert draws[0].startswith(f"{SOLUTION}:{cell}: {says}")


def test_a_tool_that_is_not_there_is_no_tool_that_finds_nothing(project):
    """Python would find these before the tools."""
    for tool in ("ruff", "mypy"):
        (project.root / f"{tool}.py").write_text("raise SystemExit('no such tool')\n", encoding="utf-8")
    try:
        lint, types = found(project, ("lint", "ridge", ""), ("types", "ridge", ""))
    finally:
        for tool in ("ruff", "mypy"):
            (project.root / f"{tool}.py").unlink()
    place = project.line(CHECKS, "topic = ")
    assert lint == [f"{place}: ruff ended with status 1: no such tool"]
    assert types == [f"{place}: mypy ended with status 1: no such tool"]


@pytest.mark.parametrize("stage", proof.STAGES, ids=lambda stage: stage.name)
def test_every_stage_has_a_planted_fault(stage):
    """In a call of `found` that is told apart from the sound one by the damage around it."""
    source = Path(__file__).read_text(encoding="utf-8")
    assert source.count(f'"{stage.name}"') > 1
