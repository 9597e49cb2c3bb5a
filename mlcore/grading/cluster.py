"""The same tasks on many machines: a Dask cluster, started with the ordinary `dask` commands.

A submission travels with its task and its result comes back whole, so the workers share no files. On a Dask worker
the grading happens in a process of its own, as on the grader's machine: judging needs the main thread for its clock.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mlcore.engine.errors import Problem
from mlcore.grading.classroom import Runner
from mlcore.grading.marking import Task
from mlcore.grading.workers import TRIES, GivenUp, Outcome, Rules, Worker

PATIENCE = 15  # seconds to wait for the scheduler, and for a first worker

_local = threading.local()


def grade_apart(task: Task, rules: Rules) -> Outcome:
    """Runs on a Dask worker: one process beside it for each of its threads, replaced when it dies."""
    for _ in range(TRIES):
        worker: Worker | None = getattr(_local, "worker", None)
        if worker is None or _local.rules != rules:
            worker = _local.worker = Worker(rules, threading.get_ident())
            _local.rules = rules
        worker.give(task)
        try:
            outcome = worker.take()
        except Problem as problem:
            worker.end()
            _local.worker = None
            return GivenUp(str(problem))
        if outcome is not None:
            return outcome
        worker.end()
        _local.worker = None
    return GivenUp(f"its worker died {TRIES} times")


@contextlib.contextmanager
def there(address: str, rules: Rules, work: Callable[[Task, Rules], Outcome] = grade_apart) -> Iterator[Runner]:
    """Tasks run by the workers of a cluster."""
    from distributed import Client

    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise Problem(f"no scheduler answers at {address}: {str(error).splitlines()[0]}") from None
    try:
        with contextlib.suppress(Exception):
            client.wait_for_workers(1, timeout=PATIENCE)
        if not client.scheduler_info()["workers"]:
            raise Problem(f"the scheduler at {address} has no workers: start one with `dask worker {address}`")
        yield lambda tasks: _run(client, tasks, rules, work)
    finally:
        client.close(timeout=5)


def _run(client: Any, tasks: Iterable[Task], rules: Rules, work: Callable) -> Iterator[tuple[Task, Outcome]]:
    from distributed import as_completed

    def submit(task: Task) -> Any:
        future = client.submit(work, task, rules, pure=False)
        given[future.key] = task
        return future

    given: dict[str, Task] = {}
    accused: list[Task] = []
    waiting = iter(tasks)
    width = 2 + 2 * sum(w["nthreads"] for w in client.scheduler_info()["workers"].values())
    first = [submit(task) for _, task in zip(range(width), waiting, strict=False)]
    running = as_completed(first, loop=client.loop)
    for future in running:
        task = given.pop(future.key)
        outcome = _outcome(future)
        if outcome is None:
            accused.append(task)
        else:
            yield task, outcome
        if (another := next(waiting, None)) is not None:
            running.add(submit(another))
    # A worker's death accuses all that it had in hand: each of them again, alone.
    for task in accused:
        outcome = _outcome(submit(task))
        yield task, outcome or GivenUp("it killed every worker that tried it")


def _outcome(future: Any) -> Outcome | None:
    """What came back; nothing, if its workers died once too often."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    try:
        return future.result()
    except KilledWorker:
        return None
    except (CancelledError, CommClosedError, TimeoutError):
        raise Problem("the scheduler is gone. What has been graded is recorded: run this again") from None
    except Exception as error:  # a worker without mlcore, or another version of it
        return GivenUp(f"a worker could not grade it: {type(error).__name__}: {str(error)[:200]}")
