"""What `make test` does on a machine where a program is missing: fake programs on a PATH of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.conftest import ROOT
from tests.programs import BUBBLEWRAP, CHROMIUM, POSTGRESQL, PROGRAMS

REFUSED = "bwrap: Creating new namespace failed: Operation not permitted"
STUB = "Command '/usr/bin/chromium-browser' requires the chromium snap to be installed."


class Machine:
    """A PATH with nothing on it but what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.log = folder / "bin", folder / "log"
        self.bin.mkdir()
        for name in ("env", "true"):
            self.bin.joinpath(name).symlink_to(shutil.which(name))

    def has(self, name: str, script: str = "exit 0") -> None:
        program = self.bin / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    def has_apt(self) -> None:
        """It keeps what it was told, and installs programs that work."""
        add = f'for w in "$@"; do echo "$w"; done | /bin/grep -qx %s && /bin/cp {self.bin}/true {self.bin}/%s'
        adding = "\n".join(add % pair for pair in (("bubblewrap", "bwrap"), ("chromium", "chromium")))
        self.has("apt-get", f'echo "$DEBIAN_FRONTEND $*" >> {self.log}\n{adding}\nexit 0')

    @property
    def told(self) -> list[str]:
        """What apt-get was told, without its options."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line.replace(" ".join(programs.APT[1:]) + " ", "") for line in lines]


@pytest.fixture
def machine(tmp_path, monkeypatch):
    made = Machine(tmp_path)
    monkeypatch.setenv("PATH", str(made.bin))
    monkeypatch.setenv("CI", "")
    monkeypatch.setattr(programs, "POSTGRESQL_HOME", tmp_path / "postgresql")
    return made


def become(user: int, monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)


@pytest.mark.parametrize(("user", "command"), [(0, "apt-get install"), (1000, "sudo apt-get install")])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.package)
def test_what_is_not_there_is_told_with_the_command_that_installs_it(machine, monkeypatch, program, user, command):
    become(user, monkeypatch)
    assert program.trouble() == f"is not installed: {command} {program.package}"


def test_what_works_is_no_trouble(machine, monkeypatch):
    become(1000, monkeypatch)
    for name in ("bwrap", "google-chrome", "initdb"):
        machine.has(name)
    assert programs.missing() == {}


@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize("refused", ["unshare-all", "disable-userns"])
def test_bubblewrap_that_starts_no_sandbox_is_missing(machine, monkeypatch, user, refused):
    """AppArmor or a container refuses it all, or it is too old to know an option."""
    become(user, monkeypatch)
    machine.has("bwrap", f'case "$*" in *--{refused}*) echo "{REFUSED}" >&2; exit 1;; esac')
    assert BUBBLEWRAP.trouble() == f"is installed but does not work here: {REFUSED}"


def test_a_stub_is_no_browser(machine):
    machine.has("chromium-browser", f'echo; echo "{STUB}"; exit 10')
    assert CHROMIUM.trouble() == f"is installed but does not work here: {STUB}"


def test_the_newest_database_server_is_taken(machine):
    for number in ("9.6", "15", "8.4"):
        (programs.POSTGRESQL_HOME / number / "bin").mkdir(parents=True)
        (programs.POSTGRESQL_HOME / number / "bin" / "initdb").touch()
    assert POSTGRESQL.find() == str(programs.POSTGRESQL_HOME / "15" / "bin" / "initdb")


def test_root_without_a_user_for_the_database_is_told(machine, monkeypatch):
    become(0, monkeypatch)
    machine.has("initdb")
    monkeypatch.setattr(programs.pwd, "getpwall", list)
    assert "there is no user postgres" in POSTGRESQL.trouble()


INSTALLS = [f"noninteractive install -y {package}" for package in ("bubblewrap", "chromium", "postgresql")]


class TestInstall:
    def test_root_installs_what_is_missing_after_one_update(self, machine, monkeypatch):
        become(0, monkeypatch)
        machine.has_apt()
        programs.install()
        assert machine.told == ["noninteractive update", *INSTALLS]
        assert list(programs.missing()) == [POSTGRESQL], "the fake installs the other two"

    def test_what_is_there_is_not_installed(self, machine, monkeypatch):
        become(0, monkeypatch)
        machine.has_apt()
        machine.has("bwrap", f"echo {REFUSED}; exit 1")
        machine.has("initdb")
        programs.install()
        assert machine.told == ["noninteractive update", INSTALLS[1]]

    def test_nothing_missing_nothing_done(self, machine, monkeypatch, capsys):
        become(0, monkeypatch)
        machine.has_apt()
        for name in ("bwrap", "chromium", "initdb"):
            machine.has(name)
        programs.install()
        assert machine.told == [] and capsys.readouterr().out == ""

    def test_a_user_installs_by_sudo(self, machine, monkeypatch):
        become(1000, monkeypatch)
        machine.has_apt()
        machine.has("sudo", '[ "$1" = -n ] && shift && exec "$@"')
        programs.install()
        assert machine.told == ["noninteractive update", *INSTALLS]

    @pytest.mark.parametrize("sudo", [None, "echo sudo: a password is required >&2; exit 1"])
    def test_a_user_who_may_not_is_asked_nothing(self, machine, monkeypatch, sudo, capsys):
        become(1000, monkeypatch)
        machine.has_apt()
        if sudo:
            machine.has("sudo", sudo)
        programs.install()
        assert machine.told == [] and capsys.readouterr().out == ""

    def test_no_apt(self, machine, monkeypatch, capsys):
        become(0, monkeypatch)
        programs.install()
        assert capsys.readouterr().out == ""

    @pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
    def test_a_failure_stops_only_ci_with_one_line_for_each(self, machine, monkeypatch, capsys, ci, status):
        become(0, monkeypatch)
        monkeypatch.setenv("CI", ci)
        machine.has("apt-get", "echo 'E: Unable to locate package' >&2; exit 100")
        assert programs.main(["--install"]) == status
        said = capsys.readouterr()
        assert "apt-get install chromium: E: Unable to locate package" in said.out
        assert said.err.splitlines() == [f"{p.name} is not installed: apt-get install {p.package}" for p in PROGRAMS]

    def test_another_word_is_refused(self, capsys):
        assert programs.main(["--remove"]) == 2
        assert capsys.readouterr().err.startswith("usage:")


TESTS = """
import pytest

@pytest.fixture(scope="module")
def page(chromium):
    raise AssertionError("it is not there")

@pytest.mark.parametrize("i", range(3))
@pytest.mark.usefixtures("bubblewrap")
def test_sandbox(i):
    raise AssertionError("it cannot be started")

def test_both(bubblewrap, page):
    raise AssertionError("neither is there")

def test_page(page):
    pass

def test_sum():
    assert 1 + 1 == 2
"""


@pytest.mark.parametrize("ci", ["", "true"])
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_skips_what_it_must_and_says_so_at_the_end(machine, tmp_path, ci, workers):
    (tmp_path / "test_few.py").write_text(TESTS)
    machine.has("bwrap", f'echo "{REFUSED}" >&2; exit 1')
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-p", "tests.conftest", "-n", workers, "test_few.py"],
        cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT), "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    *_, first, second, counts = done.stdout.splitlines()
    verb = "did not run" if ci else "skipped"
    assert first == f"4 tests {verb}: bubblewrap is installed but does not work here: {REFUSED}"
    assert second.startswith(f"2 tests {verb}: Chromium is not installed: ")
    assert second.endswith("apt-get install chromium")
    assert counts.startswith("1 passed, 5 skipped")
    assert done.returncode == (1 if ci else 0), done.stdout + done.stderr
