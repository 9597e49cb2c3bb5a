"""The house rules: which way imports go, that the same slug names every room, that data say where they come from."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets

from mlcore import data
from mlcore.checks import _catalogue

ROOT = Path(__file__).resolve().parents[1]
TOPICS = list(_catalogue.topics())
DATA = sorted(path.stem for path in (ROOT / "mlcore" / "data").glob("*.csv"))


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return found


def foreign(names: Iterable[str]) -> set[str]:
    """The packages among them that are neither numpy nor of the standard library."""
    return {name.partition(".")[0] for name in names} - {"numpy", *sys.stdlib_module_names}


@pytest.mark.parametrize("topic", TOPICS, ids=lambda t: t.slug)
class TestTopic:
    def test_mathematics_imports_numpy_the_standard_library_and_of_ours_numerics_only(self, topic):
        names = imports(ROOT / "mlcore" / f"{topic.slug}.py")
        assert foreign(name for name in names if not f"{name}.".startswith("mlcore.numerics.")) == set()

    def test_exercises_do_not_import_figures_and_figures_no_exercises(self, topic):
        assert not any(n.startswith("mlcore.explore") for n in imports(ROOT / "mlcore" / "checks" / f"{topic.slug}.py"))
        explore = ROOT / "mlcore" / "explore" / f"{topic.slug}.py"
        if explore.exists():
            assert not any(n.startswith("mlcore.checks") for n in imports(explore))

    def test_one_slug_in_every_room(self, topic):
        rooms = [f"mlcore/{topic.slug}.py", f"mlcore/checks/{topic.slug}.py", f"solutions/{topic.folder}.py"]
        rooms += [f"notebooks/{topic.folder}/{topic.slug}.ipynb", f"tests/test_{topic.slug}.py"]
        if topic.number:
            rooms.append(f"mlcore/explore/{topic.slug}.py")
        assert [room for room in rooms if not (ROOT / room).exists()] == []

    def test_no_formula_breaks_over_two_lines_of_a_quotation(self, topic):
        """The second line's > would stand inside it."""
        lines = (ROOT / f"solutions/{topic.folder}.py").read_text().splitlines()
        assert [line for line in lines if line.startswith("# >") and line.count("$") % 2] == []

    def test_a_percentage_is_written_in_one_way(self, topic):
        """83%, with no space before the sign."""
        lines = (ROOT / f"solutions/{topic.folder}.py").read_text().splitlines()
        assert [line for line in lines if line.startswith("# ") and re.search(r"\d %(?!%)", line)] == []

    def test_every_equation_of_the_module_is_in_the_notebook(self, topic):
        tags = re.findall(rf"^\(({topic.number}\.\d+)\)", (ROOT / f"mlcore/{topic.slug}.py").read_text(), re.MULTILINE)
        text = (ROOT / f"solutions/{topic.folder}.py").read_text()
        assert tags, "the module numbers its equations"
        assert [tag for tag in tags if f"{{{tag}}}" not in text and f"({tag})" not in text] == []
        assert tags == sorted(tags, key=lambda t: [int(part) for part in t.split(".")])


def test_numerics_imports_numpy_and_the_standard_library_only():
    assert foreign(imports(ROOT / "mlcore" / "numerics.py")) == set()


def test_checking_does_not_load_figures():
    code = "import sys, mlcore.checks.ridge; print(sorted({'matplotlib', 'ipywidgets', 'IPython'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", DATA)
class TestData:
    def test_says_its_source_and_licence(self, name):
        about = data.load(name).about
        assert "**Source.**" in about
        assert "licence" in about

    def test_is_what_scikit_learn_has(self, name):
        peer = getattr(sklearn.datasets, f"load_{name}")(**({"scaled": False} if name == "diabetes" else {}))
        ours = data.load(name)
        np.testing.assert_allclose(ours.X, peer.data)
        np.testing.assert_allclose(ours.y, peer.target)

    def test_cannot_be_changed_by_accident(self, name):
        with pytest.raises(ValueError, match="read-only"):
            data.load(name).X[0, 0] = 1


def test_standardised():
    X, y = data.load("diabetes").standardised()
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.var(axis=0), 1)
    np.testing.assert_allclose(y.mean(), 0, atol=1e-12)


def test_unknown_data_set_gets_one_line():
    with pytest.raises(ValueError, match=r"there is no data set 'moons'; there are diabetes, digits, iris"):
        data.load("moons")
