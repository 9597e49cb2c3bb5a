"""All figures in one document: `make bench` measures everything and writes benchmarks/RESULTS.md.

Each part is measured by a module of its own, kept in build/bench/, and may be measured again alone:
`python -m benchmarks.results checks course`. Times are compared within one run, as ratios: on another machine the
seconds differ, the ratios hardly.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import track

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "bench"
TARGET = ROOT / "benchmarks" / "RESULTS.md"
FRAME = 33  # milliseconds: a picture that follows the hand


# --- what is measured ---


def reference() -> dict[str, Any]:
    """mlcore against scikit-learn and its like."""
    from benchmarks import reference

    return {"rows": reference.measure()}


def grading() -> dict[str, Any]:
    """A class under stock nbgrader and under `mlcore grade`."""
    from benchmarks import grading

    stock, rows = grading.measure()
    return {"stock": stock, "rows": [asdict(row) for row in rows]}


def explorers() -> dict[str, Any]:
    """One slider update of every explorer, against ipywidgets.interact."""
    from benchmarks import explorers

    rows = []
    for kind in track(explorers.explorers(), description="explorers", transient=True):
        median, late, peer = explorers.measure(kind, moves=40)
        name = f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"
        rows.append({"name": name, "median": median, "p95": late, "interact": peer})
    return {"rows": rows}


def checks() -> dict[str, Any]:
    """Every catalogued mistake and alternative on two seeds, and every mutant of every solution."""
    from mlcore.authoring import mutation, recorded
    from mlcore.authoring.certificate import put
    from mlcore.course import catalogue
    from mlcore.engine.exercises.assess import assess

    found = {"exercises": 0, "mistakes": 0, "own_sentence": 0, "alternatives": 0, "accepted": 0}
    for topic in track(list(catalogue.topics()), description="catalogue", transient=True):
        for exercise in topic.exercises:
            found["exercises"] += 1
            if not exercise.parts:
                continue
            answers = recorded.solutions(topic)[exercise.name]
            for mistake in exercise.mistakes:
                verdicts = [assess(exercise, put(answers, mistake.part, mistake.answer), seed) for seed in (0, 1)]
                found["mistakes"] += 1
                found["own_sentence"] += all(v.finding.mistake == mistake.says and not v.right for v in verdicts)
            for other in exercise.alternatives:
                verdicts = [assess(exercise, put(answers, other.part, other.answer), seed) for seed in (0, 1)]
                found["alternatives"] += 1
                found["accepted"] += all(v.right for v in verdicts)
    tallies = mutation.measure()
    totals = mutation.summary(tallies)
    lists = {
        kind: [f"{t.topic}.{t.exercise}: {label}" for t in tallies for label in getattr(t, kind)]
        for kind in ("accepted", "misled", "wronged")
    }
    return found | {"mutation": totals, "lists": lists}


def course() -> dict[str, Any]:
    """All notebooks under nbval on two cores; from `make lab` to a usable notebook, cold and warm."""
    subprocess.run([sys.executable, "-m", "mlcore", "build"], cwd=ROOT, check=True, capture_output=True)
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "--nbval-lax", "-p", "no:cacheprovider"]
    began = time.perf_counter()
    done = subprocess.run([*command, "-q", "build/source", "notebooks"], cwd=ROOT, capture_output=True, text=True)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(f"nbval failed:\n{done.stdout[-2000:]}")
    cells = int(re.findall(r"(\d+) passed", done.stdout)[-1])
    with tempfile.TemporaryDirectory(prefix="mlcore-lab-") as scratch:
        clone = Path(scratch, "clone")
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        cold, warm = (_until_usable(clone, Path(scratch, name)) for name in ("cold", "warm"))
    return {"nbval_seconds": seconds, "cells": cells, "cold": cold, "warm": warm}


def _until_usable(clone: Path, profile: Path) -> float:
    """Seconds from `make lab` to the start notebook with its kernel idle, in a browser."""
    from tests.browser.jupyter import browsing
    from tests.ports import free_port

    port = free_port()
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as log:
        server = subprocess.Popen(
            ["make", "lab", f"PORT={port}"], cwd=clone, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            with browsing(profile) as context:
                page = context.new_page()
                page.goto(_address(server, log, port))
                page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=120_000)
                page.locator("#jp-bottom-panel").get_by_text("| Idle").wait_for(timeout=120_000)
            return time.perf_counter() - began
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGTERM)
            server.wait()


def _address(server: subprocess.Popen, log: Any, port: int) -> str:
    """The address with its token, as the server prints it."""
    while server.poll() is None:
        log.seek(0)
        if found := re.search(rf"http://127\.0\.0\.1:{port}/\S*token=\w+", log.read()):
            return found[0]
        time.sleep(0.1)
    log.seek(0)
    raise SystemExit(f"make lab failed:\n{log.read()[-2000:]}")


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    part.__name__: part for part in (reference, grading, explorers, checks, course)
}


# --- how it is told ---


def told_reference(data: dict) -> Iterator[str]:
    from benchmarks import reference

    yield from reference.told(data["rows"])


def told_grading(data: dict) -> Iterator[str]:
    yield "A simulated class on `05_ridge`, the sandbox on, start-up included."
    yield f"Stock nbgrader: {data['stock']:.2f} submissions per second."
    yield ""
    yield "| students | times stock | per second | marks agree with stock | are the truth | MB per worker |"
    yield "|---:|---:|---:|---|---|---:|"
    for row in data["rows"]:
        agree, true = ("yes" if row[key] else "**no**" for key in ("agree", "true"))
        yield (
            f"| {row['students']} | **{row['ratio']:.1f}** | {row['per_second']:.1f} | {agree} | {true} "
            f"| {row['worker_mb']:.0f} |"
        )
    first, last = data["rows"][0], data["rows"][-1]
    growth = (last["students"] / last["per_second"]) / (first["students"] / first["per_second"])
    times = last["students"] / first["students"]
    yield ""
    yield f"{times:g} times the students take {growth:.1f} times as long."


def told_explorers(data: dict) -> Iterator[str]:
    from benchmarks.explorers import DRAWING, REASONS

    rows = sorted(data["rows"], key=lambda row: -row["p95"])
    late = [row for row in rows if row["p95"] > FRAME]
    yield (
        f"{len(rows) - len(late)} of {len(rows)} explorers have a 95th percentile under {FRAME} ms. "
        "`interact` draws the same figure anew at every move."
    )
    yield ""
    for row in late:
        if row["name"] in REASONS:
            yield f"- *{row['name']}* misses the goal: {REASONS[row['name']]}"
    if others := [f"*{row['name']}*" for row in late if row["name"] not in REASONS]:
        yield f"- {', '.join(others)}: {DRAWING}"
    yield ""
    yield "| explorer | median, ms | 95%, ms | `interact` takes × as long |"
    yield "|---|---:|---:|---:|"
    for row in rows:
        mark = f"**{row['p95']:.0f}**" if row["p95"] > FRAME else f"{row['p95']:.0f}"
        yield f"| {row['name']} | {row['median']:.0f} | {mark} | {row['interact'] / row['median']:.1f} |"


def told_checks(data: dict) -> Iterator[str]:
    m = data["mutation"]
    yield f"- {data['exercises']} exercises."
    yield f"- Catalogued mistakes rejected with their own sentence: **{data['own_sentence']} of {data['mistakes']}**."
    yield f"- Alternative right answers accepted: **{data['accepted']} of {data['alternatives']}**."
    yield (
        f"- Mutated solutions, wrong answers that nobody thought of: {m['mutants']:,} run, {m['changed']:,} change the "
        f"numbers, **{m['rejected']:,} of these are rejected ({_share(m['rejected'], m['changed'])})**."
    )
    yield (
        f"- Of those, {m['diagnosed']:,} are told a mistake, **{m['misled']} of them "
        f"({_share(m['misled'], m['diagnosed'])}) one that they are not**: on other draws the numbers differ."
    )
    for kind, title in (("accepted", "Accepted"), ("misled", "Wrongly diagnosed"), ("wronged", "Right, yet rejected")):
        for entry in data["lists"][kind]:
            yield f"  - {title}: `{entry}`"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "none"


def told_course(data: dict) -> Iterator[str]:
    yield (
        "- All notebooks, solved and student's, under nbval on two cores: "
        f"{data['cells']} cells in {data['nbval_seconds']:.0f} s."
    )
    yield (
        f"- From `make lab` to a notebook with an idle kernel in the browser: {data['cold']:.0f} s on a fresh clone, "
        f"{data['warm']:.1f} s the second time, **{data['cold'] / data['warm']:.1f} times** faster."
    )


TITLES = {
    "reference": "mlcore against scikit-learn",
    "grading": "Grading against stock nbgrader",
    "explorers": "Explorers",
    "checks": "Checks",
    "course": "The course",
}


def headlines(data: dict[str, dict]) -> Iterator[str]:
    """The five that the README carries."""
    from benchmarks import reference

    counts = reference.summary(data["reference"]["rows"])
    yield (
        f"- **{counts['median_ratio']:.2f} times** the time of scikit-learn and its like: the middle of "
        f"{counts['rows']} tasks, in plain numpy, with the same answers (trees: up to ties and draws)."
    )
    largest = data["grading"]["rows"][-1]
    yield (
        f"- **{largest['ratio']:.0f} times** as fast as stock nbgrader: `mlcore grade` on {largest['students']:,} "
        "submissions, each in a sandbox, with the same marks."
    )
    rows = data["explorers"]["rows"]
    ratio = statistics.median(row["interact"] / row["median"] for row in rows)
    on_time = sum(row["p95"] <= FRAME for row in rows)
    yield (
        f"- **{ratio:.0f} times** as fast as `interact`: a slider's picture, the middle of {len(rows)} explorers. "
        f"{on_time} of them draw 95% of their pictures within {FRAME} ms."
    )
    m = data["checks"]["mutation"]
    yield (
        f"- **{_share(m['rejected'], m['changed'])}** of {m['changed']:,} wrong answers that nobody catalogued are "
        f"rejected, and {m['misled']} of the {m['diagnosed']:,} that are told a mistake are told a wrong one."
    )
    lab = data["course"]
    yield (
        f"- **{lab['cold'] / lab['warm']:.1f} times** as fast the second time: from `make lab` to a notebook that can "
        "be used."
    )


def kept() -> dict[str, dict]:
    """What has been measured so far, part by part."""
    paths = {name: KEPT / f"{name}.json" for name in TITLES}
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.exists()}


def document(parts: dict[str, dict]) -> str:
    """RESULTS.md from what has been measured."""
    lines = ["# Results", "", "Made by `make bench`; every comparison is a ratio of times in one run.", ""]
    if len(parts) == len(TITLES):
        lines += [*headlines({name: part["data"] for name, part in parts.items()}), ""]
    for name, part in parts.items():
        told = globals()[f"told_{name}"](part["data"])
        lines += [f"## {TITLES[name]}", "", f"*{part['when']}, {part['machine']}*", "", *told, ""]
    return "\n".join(lines)


def write(console: Console) -> None:
    """Show what there is. RESULTS.md is written once nothing is missing, so that no figure is lost."""
    parts = kept()
    console.print(Markdown(document(parts)))
    if missing := [name for name in TITLES if name not in parts]:
        console.print(f"{TARGET.name} stays as it is: not measured yet: {', '.join(missing)}.")
    else:
        TARGET.write_text(document(parts), encoding="utf-8")


def _machine() -> str:
    model = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), ": ")
    names = ("numpy", "scipy", "scikit-learn", "nbgrader", "ipywidgets")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    return f"{os.cpu_count()} cores of {model.partition(': ')[2]}, Python {platform.python_version()}, {packages}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what to measure; default: everything")
    parser.add_argument("--tell", action="store_true", help="measure nothing, write what is kept in build/bench again")
    options = parser.parse_args()
    console = Console()
    for name in () if options.tell else options.parts or PARTS:
        console.print(f"measuring: {TITLES[name]}")
        part = {"when": date.today().isoformat(), "machine": _machine(), "data": PARTS[name]()}
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / f"{name}.json").write_text(json.dumps(part, indent=1), encoding="utf-8")
    write(console)


if __name__ == "__main__":
    main()
