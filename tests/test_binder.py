"""binder/ as repo2docker reads it (no Docker engine needed)."""

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def test_repo2docker_accepts_binder(tmp_path):
    """A copy of what a clone would hold: repo2docker reads the whole folder."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, files):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            target.write_bytes((ROOT / name).read_bytes())
    command = [str(Path(sys.executable).parent / "jupyter-repo2docker"), "--no-build", "--debug", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "python=3.12" in done.stdout + done.stderr
    assert '-r "binder/requirements.txt"' in done.stdout + done.stderr
