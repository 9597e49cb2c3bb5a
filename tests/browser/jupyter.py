"""JupyterLab and a browser, as context managers: for the tests and for `python -m tests.browser.look`."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import BrowserContext, Locator, Page, expect, sync_playwright

from tests.ports import free_port
from tests.programs import CHROMIUM

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "build" / "screenshots"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
QUIET += ["--disable-sync", "--no-first-run", "--disable-quic"]
expect.set_options(timeout=60_000)  # a busy machine


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A JupyterLab server on `folder`: its address."""
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
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--IdentityProvider.token="]
    options += ["--LabApp.expose_app_in_browser=True"]
    with (folder / ".lab.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options, f"--port={port}", f"--ServerApp.root_dir={folder}"],
            stdout=log,
            stderr=log,
            env=environment,
            cwd=folder,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_for(f"{address}/api", server)
            yield address
        finally:
            server.terminate()
            server.wait(20)


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


@contextlib.contextmanager
def browsing(profile: Path) -> Iterator[BrowserContext]:
    """The system's Chromium with a profile of its own."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(profile), executable_path=CHROMIUM.find(), args=QUIET, viewport={"width": 1280, "height": 900}
        )
        yield context
        context.close()


class Notebook:
    """A notebook in the browser, as a student uses it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @classmethod
    def open(cls, context: BrowserContext, folder: Path, address: str, source: Path) -> Notebook:
        """Copy a notebook into the server's folder, under a name of its own, and open it."""
        name = f"{source.stem}-{time.time_ns()}"
        shutil.copy(source, folder / f"{name}.ipynb")
        page = context.new_page()
        page.goto(f"{address}/lab/workspaces/{name}/tree/{name}.ipynb")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
        page.locator("#jp-bottom-panel").get_by_text("| Idle").wait_for(timeout=90_000)  # the kernel is there
        return cls(page)

    def cell(self, text: str) -> Locator:
        """The first cell with this text in it."""
        return self.page.locator(".jp-Notebook .jp-Cell", has_text=text).first

    def run_all(self) -> None:
        self._command("notebook:run-all-cells")

    def replace(self, old: str, new: str) -> None:
        """Replace all of a code cell's text and run it."""
        self.cell(old).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(new)
        self._command("notebook:run-cell")

    def run(self, text: str) -> None:
        self.cell(text).locator(".cm-content").click()
        self._command("notebook:run-cell")

    def _command(self, name: str) -> None:
        """What the menu does, until it is done: the page alone does not say which cells still wait."""
        self.page.evaluate("name => jupyterapp.commands.execute(name)", name)

    def shoot(self, name: str) -> Path:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path
