"""What all tests share. Records of progress go to a folder that is thrown away."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True, scope="session")
def _own_home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLCORE_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def solved(tmp_path_factory):
    """The solved notebook of a topic, as a file."""
    import nbformat

    from mlcore import build

    folder = tmp_path_factory.mktemp("solved")

    def make(name: str) -> Path:
        topic, path = next((t, p) for t, p in build.sources(ROOT) if t.folder == name)
        target = folder / f"{topic.slug}.ipynb"
        nbformat.write(build.solved(topic, path), target)
        return target

    return make


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """The system's Chromium, one for each process: playwright allows no second."""
    from tests.browser.jupyter import CHROMIUM, browsing

    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium: apt-get install chromium")
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with browsing(tmp_path_factory.mktemp("profile")) as context:
        yield context
