"""What all tests share. Records and settings go to folders that are thrown away."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.programs import PROGRAMS, strict

ROOT = Path(__file__).resolve().parents[1]
# The user's own folders may hold settings that matter, and may not be writable.
OWN = ("MLCORE_HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR")


@pytest.fixture(autouse=True, scope="session")
def _own_home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for name in OWN:
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


@pytest.fixture(scope="session")
def solved(tmp_path_factory):
    """The solved notebook of a topic, as a file."""
    import nbformat

    from mlcore.course import build, source

    folder = tmp_path_factory.mktemp("solved")

    def make(name: str) -> Path:
        topic, path = next((t, p) for t, p in source.sources(ROOT) if t.folder == name)
        target = folder / f"{topic.slug}.ipynb"
        nbformat.write(build.solved(topic, path), target)
        return target

    return make


@pytest.fixture(scope="session")
def browser(chromium, tmp_path_factory):
    """The system's Chromium, one for each process: playwright allows no second."""
    from tests.browser.jupyter import browsing

    with browsing(tmp_path_factory.mktemp("profile")) as context:
        yield context


@pytest.fixture(scope="session")
def bubblewrap():
    """Asked for by a test that starts a sandbox."""


@pytest.fixture(scope="session")
def chromium():
    """Asked for by a test that opens a page."""


@pytest.fixture(scope="session")
def postgresql():
    """Asked for by a test that starts a database server."""


def pytest_collection_modifyitems(items):
    """Skip what needs a program that is missing. The reason travels with the report, out of xdist's workers too."""
    for program in PROGRAMS:
        in_need = [item for item in items if program.package in getattr(item, "fixturenames", ())]
        if in_need and (trouble := program.trouble()):
            for item in in_need:
                item.add_marker(pytest.mark.skip(reason=f"{program.name} {trouble}"))
                item.user_properties.append((LACKS, f"{program.name} {trouble}"))


LACKS = "lacks a program"


def lacking(terminalreporter) -> Counter[str]:
    """How many tests were skipped for want of each program."""
    reports = terminalreporter.stats.get("skipped", ())
    return Counter(why for report in reports for key, why in getattr(report, "user_properties", ()) if key == LACKS)


def pytest_terminal_summary(terminalreporter):
    for why, count in lacking(terminalreporter).items():
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.write_line(f"{tests} {'did not run' if strict() else 'skipped'}: {why}", yellow=True)


def pytest_sessionfinish(session):
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")  # a worker of xdist has none
    if strict() and terminal and lacking(terminal):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
