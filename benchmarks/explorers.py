"""How fast a slider moves the picture, against the same figure redrawn by `ipywidgets.interact`.

For every explorer: median and 95th percentile of one update over the places of its controls, and the ratio of
`interact`'s median to ours. Every place is measured three times, each time by a new explorer that remembers nothing,
and its median counts: what the machine does meanwhile falls out. Both are measured in this process in turn. `interact`
makes the figure anew for every move and encodes it as the inline backend does; what the front end and the messages cost
is the same for both and not measured.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from functools import partial

import matplotlib
import numpy as np
from IPython.core.pylabtools import print_figure
from rich.console import Console
from rich.progress import track
from rich.table import Table

import mlcore.explore
from mlcore.engine.explorers import Explorer, style
from mlcore.engine.explorers.picture import blank
from mlcore.engine.explorers.search import find_all
from mlcore.engine.explorers.sweep import positions

# Why some need more than a frame of 33 ms at their 95th percentile.
REASONS = {
    "bandits.Regret": "1,000 rounds of two players, each of which waits for the one before: a loop in Python.",
    "bandits.Greedy": "1,000 rounds of 200 players: a loop in Python.",
    "decision_trees.Pruning": "at every move a tree of about 80 leaves is grown and pruned, under two captions.",
    "softmax.Regions": "Newton's method to convergence, and six areas that shine through each other.",
    "svm.Slab": "the dual is solved to the last digit at every move, and takes longest at large C with wrong labels.",
    "kmeans.Savings": "the first look at another K runs the whole algorithm; the looks after it do not.",
    "graphical_models.Digits": "the first look at another n computes the whole curve; the looks after it do not.",
    "validation.Folds": "the first look at another split fits all its folds; the looks after it do not.",
    "ensembles.Boosting": "a map of 60 by 60 labels is scaled to the page, 7 ms, before anything else is drawn.",
    "bayesian_regression.Groups": "sixty lines that shine through each other, 5 ms, and a PNG full of them, 3 ms.",
    "multivariate_normal.Graphs": "a hundred letters move, and each is drawn anew.",
    "backprop.Graph": "sixteen numbers move, and each is a text of its own.",
}
DRAWING = (
    "drawing takes the time, 0.6 ms for a text and 0.15 ms for each of its letters, 0.2 ms for a curve, 2 to 4 ms for "
    "the PNG. This close to the goal one run misses it and the next one meets it."
)


def explorers() -> list[type[Explorer]]:
    """Those with something to move."""
    return [kind for kind in find_all(mlcore.explore) if kind.controls]


def redraw(explorer: Explorer, position: dict) -> None:
    """What `interact` does at every move: a new figure, drawn and encoded."""
    explorer.moving = lambda artist: artist  # what moves is drawn with the rest
    with matplotlib.rc_context(style.RC):
        figure, _ = blank(explorer.height)
        explorer.draw(figure)
        explorer.update(explorer.compute(**position))
        print_figure(figure, fmt="png")


def _move(explorer: Explorer, place: dict) -> None:
    explorer.picture(**place)


def seconds(action, arguments) -> list[float]:
    times = []
    for argument in arguments:
        start = time.perf_counter()
        action(argument)
        times.append(time.perf_counter() - start)
    return times


def fresh(kind: type[Explorer]) -> Explorer:
    """An explorer with its figure made, and nothing remembered of earlier ones."""
    for value in vars(sys.modules[kind.__module__]).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()
    explorer = kind()
    explorer.picture()
    return explorer


def measure(kind: type[Explorer], moves: int) -> tuple[float, float, float]:
    """Median and 95th percentile of our update, and the median of `interact`'s, in milliseconds."""
    theirs = kind()
    places = list(itertools.islice(itertools.cycle(positions(theirs, np.random.default_rng(0))), moves))
    rounds = [seconds(partial(_move, fresh(kind)), places) for _ in range(3)]
    mine = np.median(rounds, axis=0)
    peer = seconds(lambda place: redraw(theirs, place), places[: max(3, moves // 8)])
    return 1e3 * np.median(mine), 1e3 * np.quantile(mine, 0.95), 1e3 * np.median(peer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=40, help="slider moves for each explorer (default: 40)")
    moves = parser.parse_args().moves
    if moves < 1:
        parser.error(f"--moves must be at least 1, got {moves}")
    table = Table("explorer", title="One slider update")
    for heading in ("median, ms", "95%, ms", "interact, ms", "interact / ours"):
        table.add_column(heading, justify="right")
    for kind in track(explorers(), description="measuring", transient=True):
        median, late, peer = measure(kind, moves)
        name = f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"
        table.add_row(name, f"{median:.1f}", f"{late:.1f}", f"{peer:.0f}", f"{peer / median:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
