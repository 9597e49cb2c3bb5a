"""JupyterLab and a browser to look at it with."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
QUIET += ["--disable-sync", "--no-first-run", "--disable-quic"]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab server on a folder of its own: yields (folder, address)."""
    folder = tmp_path_factory.mktemp("course")
    port = free_port()
    environment = os.environ | {
        "MLCORE_HOME": str(folder / ".mlcore"),
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / ".settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / ".workspaces"),
    }
    # No question about news over the page, and every cell in the page, not only those in view.
    _settings(folder, "apputils-extension/notification", '{"fetchNews": "false", "checkForUpdates": false}')
    _settings(folder, "notebook-extension/tracker", '{"windowingMode": "none"}')
    log = (folder / "lab.log").open("w")
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--IdentityProvider.token="]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options, f"--port={port}", f"--ServerApp.root_dir={folder}"],
        stdout=log,
        stderr=log,
        env=environment,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/api", server)
        yield folder, address
    finally:
        server.terminate()
        server.wait(20)
        log.close()


def _settings(folder: Path, plugin: str, text: str) -> None:
    path = folder / ".settings" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _wait_for(url: str, server: subprocess.Popen) -> None:
    for _ in range(300):
        if server.poll() is not None:
            raise RuntimeError("JupyterLab did not start")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("JupyterLab did not answer")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium: apt-get install chromium")
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")),
            executable_path=CHROMIUM,
            args=QUIET,
            viewport={"width": 1280, "height": 900},
        )
        yield context
        context.close()


class Notebook:
    """A notebook in the browser, as a student uses it."""

    def __init__(self, page):
        self.page = page

    def cell(self, id_: str):
        """A cell by something in its text."""
        return self.page.locator(".jp-Notebook .jp-Cell", has_text=id_).first

    def run_all(self) -> None:
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.wait()

    def wait(self) -> None:
        """Until no cell is waiting or running."""
        self.page.wait_for_timeout(300)
        busy = "[...document.querySelectorAll('.jp-InputPrompt')].some(e => e.textContent.includes('*'))"
        self.page.wait_for_function(f"!{busy}", timeout=120_000)
        self.page.wait_for_timeout(500)

    def replace(self, old: str, new: str) -> None:
        """Replace all of a code cell's text and run it."""
        editor = self.cell(old).locator(".cm-content")
        editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(new)
        self.page.keyboard.press("Shift+Enter")

    def run(self, text: str) -> None:
        self.cell(text).locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        self.wait()

    def shoot(self, name: str) -> Path:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path


@pytest.fixture
def open_notebook(lab, browser):
    """Copy a notebook to the course's folder and open it."""
    folder, address = lab
    pages = []

    def open_(source: Path) -> Notebook:
        name = f"{source.stem}-{time.time_ns()}"  # a file, a kernel and a workspace of its own
        shutil.copy(source, folder / f"{name}.ipynb")
        page = browser.new_page()
        pages.append(page)
        page.goto(f"{address}/lab/workspaces/{name}/tree/{name}.ipynb")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
        page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]', timeout=90_000)
        return Notebook(page)

    yield open_
    for page in pages:
        page.close()
