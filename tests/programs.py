"""The programs that some tests need and that pip does not have: where each is, whether it works, how to get it.

A test that needs one asks for the fixture of its package: `bubblewrap`, `chromium`, `postgresql`. Where it is missing
the test is skipped, and the run ends with one line for each missing program; under CI that is a failure.
`python -m tests.programs --install` installs what is missing, where it may; `make test` begins with it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

POSTGRESQL_HOME = Path("/usr/lib/postgresql")  # Debian keeps the server's programs here, off the PATH
APT = ("apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30")
PATIENCE = 1800  # a slow network


@dataclass(frozen=True)
class Program:
    name: str
    find: Callable[[], str | None]
    try_out: Callable[[str], str]  # what it says if it does not work, or nothing

    @property
    def package(self) -> str:
        """Debian's package, and the fixture that a test asks for."""
        return self.name.lower()

    def trouble(self) -> str:
        """Why the tests cannot have it, and what to do; or nothing."""
        path = self.find()
        if path is None:
            return f"is not installed: {' '.join([*_rights('sudo'), 'apt-get install', self.package])}"
        said = self.try_out(path)
        return f"is installed but does not work here: {said}" if said else ""


def complaint(command: Sequence[str], seconds: float = 60) -> str:
    """The last line that a command says if it fails; nothing if it does not."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    try:
        done = subprocess.run(command, **quiet, timeout=seconds)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stdout.decode(errors="replace").strip().splitlines()
    return (said[-1] if said else f"{command[0]} ended with status {done.returncode}") if done.returncode else ""


def _first(*names: str) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


def _starts_a_sandbox(path: str) -> str:
    """Ubuntu's AppArmor and many containers forbid it, and an old bubblewrap lacks an option: only a trial tells."""
    from mlcore.grading.inside import Limits
    from mlcore.grading.sandbox import Sandbox

    for mode in ("namespaces", "alone"):
        sandbox = Sandbox(Limits(), mode=mode)
        try:
            if said := complaint([*sandbox._walls(), "true"]):
                return said
        finally:
            sandbox.close()
    return ""


def _says_its_version(path: str) -> str:
    """Ubuntu's chromium-browser may be a script that asks for a snap."""
    return complaint([path, "--version"])


def _postgresql() -> str | None:
    """The newest server's initdb; its other programs lie beside it."""
    found = POSTGRESQL_HOME.glob("*/bin/initdb")
    newest = max(found, key=lambda path: [int(n) for n in path.parts[-3].split(".") if n.isdigit()], default=None)
    return str(newest) if newest else shutil.which("initdb")


def _has_a_user(path: str) -> str:
    """The server refuses to run as root."""
    if os.geteuid() == 0 and "postgres" not in (user.pw_name for user in pwd.getpwall()):
        return "there is no user postgres, and root may not run it"
    return complaint([path, "--version"])


BUBBLEWRAP = Program("bubblewrap", lambda: _first("bwrap"), _starts_a_sandbox)
CHROMIUM = Program("Chromium", lambda: _first("chromium", "chromium-browser", "google-chrome"), _says_its_version)
POSTGRESQL = Program("PostgreSQL", _postgresql, _has_a_user)
PROGRAMS = (BUBBLEWRAP, CHROMIUM, POSTGRESQL)


def missing() -> dict[Program, str]:
    """What the tests cannot have here, and why."""
    return {program: trouble for program in PROGRAMS if (trouble := program.trouble())}


def strict() -> bool:
    """A machine that is there for the tests must run all of them."""
    return os.environ.get("CI", "") not in ("", "0", "false")


def install() -> None:
    """Install what is not there: as root, or as somebody whom sudo asks no password. A failure is told, no more."""
    absent = [program for program in PROGRAMS if program.find() is None]
    rights = _rights("sudo", "-n")
    if not absent or not shutil.which("apt-get") or (rights and complaint([*rights, "true"])):
        return
    apt = [*rights, "env", "DEBIAN_FRONTEND=noninteractive", *APT]
    print("installing", ", ".join(program.package for program in absent), flush=True)
    if said := complaint([*apt, "update"], PATIENCE):
        print(f"apt-get update: {said}")
    for program in absent:
        if said := complaint([*apt, "install", "-y", program.package], PATIENCE):
            print(f"apt-get install {program.package}: {said}")


def _rights(*become_root: str) -> list[str]:
    return [] if os.geteuid() == 0 else [*become_root]


def main(words: list[str]) -> int:
    """Install, and say what is missing still. Under CI that is the end."""
    if words not in ([], ["--install"]):
        print("usage: python -m tests.programs [--install]", file=sys.stderr)
        return 2
    if words:
        install()
    troubles = missing()
    for program, trouble in troubles.items():
        print(f"{program.name} {trouble}", file=sys.stderr)
    return 1 if troubles and strict() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
