"""One JupyterLab for all browser tests."""

import pytest

from tests.browser.jupyter import Notebook, serving


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The folder and the address of a JupyterLab server."""
    folder = tmp_path_factory.mktemp("course")
    with serving(folder) as address:
        yield folder, address


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
