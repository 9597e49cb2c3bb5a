"""The core of the suite in environments other than .venv: `python -m tests.core pythons`, or `lowest`.

`pythons`: on every Python from 3.11 on that is installed here. `lowest`: with the oldest version of each package that
pyproject.toml allows, as a student, as an instructor, and as a developer. Each has an environment of its own below
build/, with its log beside it. The core: the mathematics, the checks, the certificate on 2 seeds, the commands, and no
drift of notebooks/.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KNOWN = range(11, 15)  # Python 3.11 to 3.14: one of these that is not here is named
TOPICS = sorted(path.name for path in (ROOT / "mlcore" / "checks").glob("[!_]*.py"))
MATHEMATICS = ["tests/test_numerics.py", *(f"tests/test_{name}" for name in TOPICS)]
CORE = [*MATHEMATICS, "tests/engine/exercises", "tests/authoring/test_certificate.py", "tests/course"]

Steps = list[list[str]]  # commands, the first word being a program of the environment


def interpreters() -> dict[int, Path]:
    """One interpreter for each minor version from 3.11 on: on the PATH, or of pyenv or uv."""
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv"), "versions")
    places = [Path(p) for p in os.environ["PATH"].split(os.pathsep) if p]
    for folder in (pyenv, home / ".local/share/uv/python"):
        places += sorted(folder.glob("*/bin"), reverse=True)
    found: dict[int, Path] = {}
    for path in (path for place in places for path in sorted(place.glob("python3.*"))):
        name = re.fullmatch(r"python3\.(\d+)", path.name)
        if name and (minor := int(name[1])) >= KNOWN[0] and minor not in found and version(path):
            found[minor] = path
    return dict(sorted(found.items()))


def version(python: Path) -> str:
    """As it says itself: a shim of pyenv may stand for nothing."""
    asked = subprocess.run([python, "-c", "import platform; print(platform.python_version())"], capture_output=True)
    return asked.stdout.decode().strip() if asked.returncode == 0 else ""


def attempt(folder: Path, python: Path, install: list[str], steps: Steps) -> str:
    """Make an environment and take the steps in it: what pytest counted, or which step failed."""
    uv, bin_ = Path(sys.executable).with_name("uv"), folder / "bin"
    folder.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    commands = [[uv, "venv", "--clear", "--python", python, folder]]
    commands += [[uv, "pip", "install", "--system-certs", *install]]
    commands += [[bin_ / program, *words] for program, *words in steps]
    environment = os.environ | {"VIRTUAL_ENV": str(folder), "MLCORE_SEEDS": "2"}
    log = folder.with_name(f"{folder.name}.log")
    with log.open("w") as file:
        for command in commands:
            done = subprocess.run(command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT)
            if done.returncode:
                words = " ".join(str(word) for word in (Path(command[0]).name, *command[1:4]))
                return f"FAILED at `{words} …`: {log.relative_to(ROOT)}"
    counted = re.findall(r"(\d+) passed", log.read_text(errors="replace"))
    return f"{f'{counted[-1]} tests passed' if counted else 'works'}, {time.monotonic() - start:.0f} s"


def core() -> Steps:
    return [
        ["mlcore", "--help"],
        ["mlcore", "build", "--check"],
        ["python", "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *CORE],
    ]


def a_class(folder: Path) -> Steps:
    course = str(folder / "class")
    return [
        ["mlcore", "--help"],
        ["mlcore", "class", "simulate", course, "--students", "3"],
        ["mlcore", "grade", course, "--no-sandbox"],
        ["mlcore", "report", course],
    ]


def on_pythons() -> list[bool]:
    found = interpreters()
    pinned = ["--constraint", "requirements.txt", "--editable", ".[dev]"]
    passed = []
    for minor in sorted({*KNOWN, *found}):
        if python := found.get(minor):
            outcome = attempt(ROOT / "build" / "pythons" / f"3.{minor}", python, pinned, core())
            passed.append(told(f"Python {version(python)}", outcome))
        else:
            print(f"Python 3.{minor}: not found here", flush=True)
    return passed


def with_lowest() -> list[bool]:
    """On the oldest Python: newer ones have no wheels of packages as old as these."""
    python = next(iter(interpreters().values()))
    folder = ROOT / "build" / "lowest"
    ways = {
        "student": (".", [["mlcore", "--help"], ["mlcore", "catalogue"]]),
        "instructor": (".[instructor]", a_class(folder / "instructor")),
        "developer": (".[dev]", core()),
    }
    passed = []
    for who, (what, steps) in ways.items():
        outcome = attempt(folder / who, python, ["--resolution", "lowest-direct", "--editable", what], steps)
        passed.append(told(f"oldest packages, {who}, Python {version(python)}", outcome))
    return passed


def told(what: str, outcome: str) -> bool:
    print(f"{what}: {outcome}", flush=True)
    return not outcome.startswith("FAILED")


if __name__ == "__main__":
    parts = {"pythons": on_pythons, "lowest": with_lowest}
    if len(sys.argv) != 2 or sys.argv[1] not in parts:
        sys.exit(__doc__)
    sys.exit(0 if all(parts[sys.argv[1]]()) else 1)
