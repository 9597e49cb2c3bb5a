"""Look at a notebook: `python -m tests.browser.look FILE.ipynb`.

Runs it in JupyterLab and takes a picture of every screen: build/screenshots/<name>-NN.png.
"""

import sys
import tempfile
from pathlib import Path

from tests.browser.jupyter import Notebook, browsing, serving


def look(source: Path) -> list[Path]:
    pictures = []
    with tempfile.TemporaryDirectory() as scratch:
        folder, profile = Path(scratch, "course"), Path(scratch, "profile")
        folder.mkdir()
        with serving(folder) as address, browsing(profile) as context:
            notebook = Notebook.open(context, folder, address, source)
            notebook.page.keyboard.press("Control+b")  # the page without the list of files
            notebook.run_all()
            panel = notebook.page.locator(".jp-WindowedPanel-outer").first
            panel.evaluate("e => e.scrollTo(0, 0)")
            bottom, top = panel.evaluate("e => [e.scrollHeight - e.clientHeight, 0]")
            while True:
                notebook.page.wait_for_timeout(300)
                pictures.append(notebook.shoot(f"{source.stem}-{len(pictures):02d}"))
                if top >= bottom:
                    return pictures
                top += 720
                panel.evaluate("(e, top) => e.scrollTo(0, top)", top)
    return pictures


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    print(*look(Path(sys.argv[1]).resolve()), sep="\n")
