"""One JupyterLab and one browser for all browser tests."""

import os

import pytest

from tests.browser.jupyter import CHROMIUM, Notebook, browsing, serving


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The folder and the address of a JupyterLab server."""
    folder = tmp_path_factory.mktemp("course")
    with serving(folder) as address:
        yield folder, address


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium: apt-get install chromium")
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with browsing(tmp_path_factory.mktemp("profile")) as context:
        yield context


@pytest.fixture
def open_notebook(lab, browser):
    """Open a copy of a notebook."""
    opened = []

    def open_(source):
        opened.append(Notebook.open(browser, *lab, source))
        return opened[-1]

    yield open_
    for notebook in opened:
        notebook.page.close()
