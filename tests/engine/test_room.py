"""The explorers' engine and their content keep to their rooms."""

import ast
import subprocess
import sys

import pytest

from tests.conftest import ROOT

ENGINE = sorted((ROOT / "mlcore" / "engine" / "explorers").glob("*.py"))
CONTENT = sorted((ROOT / "mlcore" / "explore").glob("[!_]*.py"))


def imported(path) -> dict[str, list[str]]:
    """Which names come from which module of ours."""
    found = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] == "mlcore":
            found[node.module] = [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            found |= {alias.name: [] for alias in node.names if alias.name.partition(".")[0] == "mlcore"}
    return found


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.name)
def test_the_engine_knows_no_topic_and_shares_nothing_private(path):
    assert path.stem == "__init__" or not path.stem.startswith("_")
    for module, names in imported(path).items():
        assert module.startswith("mlcore.engine")
        assert [name for name in names if name.startswith("_")] == []


@pytest.mark.parametrize("path", CONTENT, ids=lambda path: path.stem)
def test_content_uses_the_vocabulary_and_the_mathematics(path):
    mathematics = {p.stem for p in CONTENT}
    for module, names in imported(path).items():
        assert module.removeprefix("mlcore.") in {"mlcore", "data", "numerics", "engine.explorers"} | mathematics
        if module == "mlcore":
            assert set(names) <= {"data", "numerics"} | mathematics


def test_the_room_of_the_content_holds_nothing_else():
    assert [p.name for p in (ROOT / "mlcore" / "explore").glob("_*.py")] == ["__init__.py"]
    (only,) = ast.parse((ROOT / "mlcore" / "explore" / "__init__.py").read_text(encoding="utf-8")).body
    assert isinstance(only, ast.Expr), "a docstring"


def test_the_engine_alone_loads_no_figures():
    code = "import sys, mlcore.engine; print(sorted({'matplotlib', 'ipywidgets', 'IPython'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
