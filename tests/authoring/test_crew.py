"""Processes side by side: every piece is done once, and one that dies takes no other with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from mlcore.authoring import crew
from tests.conftest import ROOT


def square(x: int) -> int:
    if x == 3:
        os._exit(7)
    return x * x


def whose(x: int) -> int:
    return os.getpid()


def test_every_piece_is_done_and_the_one_that_dies_is_the_only_one_lost():
    told = dict(crew.work(square, [(x,) for x in range(6)], workers=2))
    assert told.pop(3) is crew.DIED
    assert told == {0: 0, 1: 1, 2: 4, 4: 16, 5: 25}


def test_no_more_processes_than_workers_and_none_is_left():
    pids = {pid for _, pid in crew.work(whose, [(x,) for x in range(8)], workers=2)}
    assert len(pids) <= 2 and os.getpid() not in pids
    assert not any(alive(pid) for pid in pids)


def test_nothing_to_do():
    assert list(crew.work(square, [], workers=2)) == []


def test_who_stops_listening_ends_them():
    working = crew.work(whose, [(x,) for x in range(8)], workers=1)
    _, pid = next(working)
    working.close()
    assert not alive(pid)


def test_they_do_not_outlive_who_started_them():
    code = (
        "import os, time\nfrom mlcore.authoring import crew\nfrom tests.authoring import test_crew\n"
        "if __name__ == '__main__':\n    work = crew.work(test_crew.whose, [(i,) for i in range(9)], workers=1)\n"
        "    print(next(work)[1], flush=True)\n    time.sleep(60)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True) as parent:
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 30
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")  # init may take its time to bury it
    return "\nState:\tZ" not in status.read_text() if status.exists() else True
