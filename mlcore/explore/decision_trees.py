"""The figures of 17 decision_trees."""

from types import SimpleNamespace

import numpy as np
from matplotlib.collections import PolyCollection

from mlcore import decision_trees as trees
from mlcore.data import load
from mlcore.engine.explorers import Explorer, Pick, Slider, invariant, style, tell

_ON_WHITE = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 2}
_PALE = ("#cfe3f1", "#f6d9c6", "#cdeadf")
_LOUD = (style.MODEL, style.ERROR, style.REFERENCE)
_MARKS = ("o", "^", "s")
_SPECIES = ("setosa", "versicolor", "virginica")


def _level_by_level(tree, X, most):
    """The node of every row of X after 0, 1, …, most questions: shape (most + 1, n)."""
    node = np.zeros(len(X), dtype=int)
    passed = [node]
    for _ in range(most):
        step = tree.left[node] + (X[np.arange(len(X)), tree.feature[node]] > tree.threshold[node])
        node = np.where(tree.feature[node] >= 0, step, node)
        passed.append(node)
    return np.array(passed)


def _boxes(tree, low, high):
    """The rectangle of every node, as its four corners (nodes, 4, 2), and how many questions lead there."""
    ends = np.tile(np.array([low, high], dtype=float), (len(tree.left), 1, 1))
    depth = np.zeros(len(tree.left), dtype=int)
    for m in np.flatnonzero(tree.feature >= 0):
        j, children = tree.feature[m], slice(tree.left[m], tree.left[m] + 2)
        ends[children], depth[children] = ends[m], depth[m] + 1
        ends[tree.left[m], 1, j] = ends[tree.left[m] + 1, 0, j] = np.clip(tree.threshold[m], *ends[m, :, j])
    corners = np.stack([ends[:, [0, 1, 1, 0], 0], ends[:, [0, 0, 1, 1], 1]], axis=2)
    return corners, depth


class Flowers(Explorer):
    """A tree grown on half of the irises, by the size of their sepals, and judged by the other half."""

    height = 380
    depth = Slider("D", "questions in a row", 0, 10, 10, step=1)
    low, high = (4.0, 1.8), (8.2, 4.6)

    def prepare(self):
        iris = load("iris")
        X, y = iris.X[:, :2], iris.y.astype(int)
        most = int(self.depth.high)
        self.curves = np.zeros((2, most + 1))
        halves = 100
        for seed in range(halves):
            mixed = np.random.default_rng(seed).permutation(len(y))
            half, other = mixed[: len(y) // 2], mixed[len(y) // 2 :]
            tree = trees.grow(X[half], trees.one_hot(y[half], 3))
            label = np.argmax(tree.value, axis=1)
            for row, which in enumerate((half, other)):
                hits = label[_level_by_level(tree, X[which], most)] == y[which]
                self.curves[row] += hits.mean(axis=1) / halves
            if seed == 0:
                self.tree, self.label, self.X, self.y = tree, label, X[half], y[half]
        self.corners, self.level = _boxes(self.tree, self.low, self.high)

    def compute(self, depth):
        shown = (self.level == depth) | (self.level < depth) & (self.tree.feature < 0)
        return SimpleNamespace(
            depth=depth,
            corners=self.corners[shown],
            labels=self.label[shown],
            sizes=self.tree.size[shown],
            own=self.curves[0, depth],
            new=self.curves[1, depth],
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        self.regions = self.moving(PolyCollection([], antialiased=False, linewidth=0))
        left.add_collection(self.regions)
        left.set_xlim(self.low[0], self.high[0])
        left.set_ylim(self.low[1], self.high[1])
        for k, (mark, colour) in enumerate(zip(_MARKS, _LOUD, strict=True)):
            (dots,) = left.plot(*self.X[self.y == k].T, mark, color=colour, markersize=4.5, linestyle="none")
            self.moving(dots)
        for k, (x, y) in enumerate(((4.05, 4.4), (4.9, 1.95), (6.9, 4.25))):
            symbol = {"o": "●", "^": "▲", "s": "■"}[_MARKS[k]]
            self.moving(left.text(x, y, f"{symbol} {_SPECIES[k]}", color=_LOUD[k], fontweight="bold", bbox=_ON_WHITE))
        left.grid(visible=False)
        left.set_xlabel("sepal length, cm")
        left.set_ylabel("sepal width, cm")
        left.set_title("Each question cuts a rectangle in two")
        right.set_xlim(-0.3, 10.3)
        right.set_ylim(0.2, 1.02)
        right.set_xlabel("D, questions in a row")
        right.set_ylabel("share named rightly")
        right.set_title("Three questions are enough")
        at = np.arange(self.curves.shape[1])
        right.plot(at, self.curves[0], color=style.TRUTH, linestyle="--")
        right.plot(at, self.curves[1], color=style.MODEL)
        right.text(0.2, 0.95, "flowers it was grown on", color="#6f6f6f")
        right.text(6.4, 0.62, "the other flowers", color=style.MODEL, ha="center", fontweight="bold")
        (self.now,) = right.plot([], [], "o", color=style.ERROR, markersize=7, linestyle="none")
        self.moving(self.now)
        self.readout = self.moving(right.text(0.97, 0.03, "", transform=right.transAxes, ha="right", va="bottom"))

    def update(self, state):
        self.regions.set_verts(state.corners)
        self.regions.set_facecolor([_PALE[k] for k in state.labels])
        self.now.set_data([state.depth, state.depth], [state.own, state.new])
        self.readout.set_text(f"{state.own:.0%} of the old,\n{state.new:.0%} of the other flowers")

    def describe(self, state):
        return (
            f"A tree with at most {state.depth} questions in a row, grown on 75 irises by the length and width of "
            f"their sepals, has {_leaves(len(state.labels))}. Mean over 100 random halves: it names {state.own:.0%} of "
            f"the flowers it was grown on rightly, and {state.new:.0%} of the others."
        )

    @invariant("more questions never name fewer of the old flowers rightly", along="depth")
    def _learns(self, before, after):
        return after.own >= before.own - 1e-12

    @invariant("the rectangles share the plane and the flowers out")
    def _partition(self, state):
        sides = state.corners[:, 2] - state.corners[:, 0]
        whole = np.prod(np.subtract(self.high, self.low))
        return np.isclose(np.prod(sides, axis=1).sum(), whole) and state.sizes.sum() == len(self.y)


def _leaves(count):
    return "one leaf" if count == 1 else f"{count} leaves"


class Chord(Explorer):
    """Three impurities against p; two children on each curve, and their mean on the chord below it."""

    height = 390
    p_left = Slider("p₁", "share of class 1 in the first child", 0.0, 1.0, 0.25, step=0.01)
    p_right = Slider("p₂", "in the second child", 0.0, 1.0, 0.75, step=0.01)
    share = Slider("q", "share of points in the first child", 0.05, 0.95, 0.5, step=0.05)

    kinds = ("entropy", "Gini", "error")
    colours = (style.MODEL, style.REFERENCE, style.ERROR)

    def prepare(self):
        self.at = np.linspace(0, 1, 201)
        self.curves = self._impurities(self.at)

    def _impurities(self, p):
        counts = np.stack([p, 1 - p], axis=-1)
        return np.array([f(counts) for f in (trees.entropy, trees.gini, trees.error)])

    def compute(self, p_left, p_right, share):
        ends = np.array([p_left, p_right])
        p = share * p_left + (1 - share) * p_right
        heights = self._impurities(ends)
        after = heights @ [share, 1 - share]
        before = self._impurities(np.array([p]))[:, 0]
        return SimpleNamespace(ends=ends, p=p, heights=heights, before=before, after=after, gains=before - after)

    def draw(self, figure):
        panels = figure.subplots(1, 3, sharey=True)
        style.headline(figure, "The gain is the height of the curve above its chord")
        drawn = []
        for axes, kind, curve, colour in zip(panels, self.kinds, self.curves, self.colours, strict=True):
            axes.set_xlim(-0.03, 1.03)
            axes.set_ylim(-0.03, 1.2)
            axes.set_xticks([0, 0.5, 1])
            axes.set_xlabel("p, share of class 1")
            axes.set_title(kind)
            axes.plot(self.at, curve, color=colour)
            (chord,) = axes.plot([], [], "o--", color=style.DATA, linewidth=1.2, markersize=6)
            (gap,) = axes.plot([], [], color=colour, linewidth=5, alpha=0.5, solid_capstyle="butt")
            (dots,) = axes.plot([], [], "D", color="black", markersize=5, linestyle="none")
            word = axes.text(0.5, 0.985, "", transform=axes.transAxes, ha="center", va="top")
            drawn.append([self.moving(artist) for artist in (chord, gap, dots, word)])
        self.chords, self.gaps, self.dots, self.words = zip(*drawn, strict=True)
        panels[0].set_ylabel("impurity")

    def update(self, state):
        for k in range(3):
            self.chords[k].set_data(state.ends, state.heights[k])
            self.gaps[k].set_data([state.p, state.p], [state.after[k], state.before[k]])
            self.dots[k].set_data([state.p, state.p], [state.after[k], state.before[k]])
            self.words[k].set_text(f"gain {tell(state.gains[k], 4)}")

    def describe(self, state):
        gains = ", ".join(f"{kind} {tell(g, 4)}" for kind, g in zip(self.kinds, state.gains, strict=True))
        return (
            f"A parent with a share {state.p:.3f} of class 1 is split into children with the shares "
            f"{state.ends[0]:.2f} and {state.ends[1]:.2f}. Gain by {gains}."
        )

    @invariant("no gain is negative")
    def _concave(self, state):
        return np.all(state.gains >= -1e-12)

    @invariant("the error gains nothing while both children have the same majority")
    def _straight(self, state):
        return (state.ends[0] - 0.5) * (state.ends[1] - 0.5) < 0 or abs(state.gains[2]) < 1e-12

    @invariant("entropy and Gini gain whenever the children differ")
    def _strict(self, state):
        return state.ends[0] == state.ends[1] or np.all(state.gains[:2] > 0)


class Threshold(Explorer):
    """The gain of asking whether a measurement is at most t, for versicolor and virginica."""

    height = 400
    t = Slider("t", "threshold, cm", 3.0, 8.0, 5.5, step=0.05)
    feature = Pick("", "measurement", ("petal length", "sepal length"))

    def prepare(self):
        iris = load("iris")
        self.y = iris.y[50:].astype(int) - 1
        self.columns = {name: iris.X[50:, j] for name, j in (("petal length", 2), ("sepal length", 0))}
        self.at = np.round(np.arange(3.0, 8.0001, 0.05), 2)
        self.curves = {name: np.array([self._gain(x, t) for t in self.at]) for name, x in self.columns.items()}
        self.jitter = np.random.default_rng(0).uniform(-0.3, 0.3, size=100)
        X = np.column_stack(list(self.columns.values()))
        tree = trees.grow(X, trees.one_hot(self.y, 2), depth=1)
        self.first = tuple(self.columns)[tree.feature[0]], tree.threshold[0]

    def _counts(self, x, t):
        return np.array([[np.sum(side & (self.y == k)) for k in (0, 1)] for side in (x <= t + 1e-9, x > t + 1e-9)])

    def _gain(self, x, t):
        counts = self._counts(x, t)
        return trees.gain(counts, trees.gini) if np.all(counts.sum(axis=1)) else 0.0

    def compute(self, t, feature):
        x = self.columns[feature]
        curve = self.curves[feature]
        return SimpleNamespace(
            t=t, feature=feature, x=x, counts=self._counts(x, t), gain=self._gain(x, t), curve=curve, best=curve.max()
        )

    def draw(self, figure):
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.3))
        style.headline(figure, "The best threshold is where the curve of gains is highest")
        for axes in (top, bottom):
            axes.set_xlim(2.9, 8.1)
        top.set_ylim(-0.7, 2.0)
        top.set_yticks([0, 1], _SPECIES[1:])
        top.grid(axis="y", visible=False)
        (self.low,) = top.plot([], [], "^", color=_LOUD[1], markersize=5, alpha=0.7, linestyle="none")
        (self.top,) = top.plot([], [], "s", color=_LOUD[2], markersize=4.5, alpha=0.7, linestyle="none")
        bottom.set_ylim(0, 0.46)
        bottom.set_xlabel("threshold t, cm")
        bottom.set_ylabel("gain, Gini")
        (self.curve,) = bottom.plot([], [], color=style.MODEL)
        (self.now,) = bottom.plot([], [], "o", color=style.ERROR, markersize=8, linestyle="none")
        self.lines = [axes.axvline(5, ymax=0.82, color=style.ERROR, linewidth=1.5) for axes in (top, bottom)]
        top.text(5.5, 1.65, "versicolor + virginica", color="#6f6f6f", ha="center")
        top.text(2.95, 1.65, "at most t:")
        top.text(7.45, 1.65, "above t:", ha="right")
        self.left = top.text(3.6, 1.65, "")
        self.right = top.text(7.55, 1.65, "")
        self.word = bottom.text(0.985, 0.95, "", transform=bottom.transAxes, ha="right", va="top")
        for artist in (self.low, self.top, self.curve, *self.lines, self.now, self.left, self.right, self.word):
            self.moving(artist)

    def update(self, state):
        self.low.set_data(state.x[self.y == 0], self.jitter[self.y == 0])
        self.top.set_data(state.x[self.y == 1], 1 + self.jitter[self.y == 1])
        self.curve.set_data(self.at, state.curve)
        self.now.set_data([state.t], [state.gain])
        for line in self.lines:
            line.set_xdata([state.t, state.t])
        (a, b), (c, d) = state.counts
        self.left.set_text(f"{a} + {b}")
        self.right.set_text(f"{c} + {d}")
        self.word.set_text(f"gain {state.gain:.3f}, the best is {state.best:.3f}")

    def describe(self, state):
        (a, b), (c, d) = state.counts
        return (
            f"Is the {state.feature} at most {state.t:.2f} cm? Yes: {a} versicolor and {b} virginica; no: {c} and {d}. "
            f"The gain by Gini is {state.gain:.3f}; the best threshold of this measurement gains {state.best:.3f}."
        )

    @invariant("no threshold gains more than the best one, and none less than nothing")
    def _bounded(self, state):
        return -1e-12 <= state.gain <= state.best + 1e-12

    @invariant("the tree asks the question with the highest gain of all")
    def _greedy(self, state):
        name, t = self.first
        return self._gain(self.columns[name], t) >= state.best - 1e-12


class Staircase(Explorer):
    """A regression tree on 60 points: steps, as many as the depth and the leaf size allow."""

    height = 370
    depth = Slider("D", "questions in a row", 0, 10, 10, step=1)
    least = Slider("", "points in a leaf, at least", 1, 20, 1, step=1)

    def prepare(self):
        rng = np.random.default_rng(4)
        self.x = np.sort(rng.uniform(0, 1, 60))
        self.y = self._truth(self.x) + 0.3 * rng.normal(size=60)
        self.at = np.linspace(0, 1, 601)

    def _truth(self, x):
        return np.sin(2 * np.pi * x) + (x > 0.6)

    def compute(self, depth, least):
        tree = trees.grow(self.x[:, None], self.y, depth, least)
        steps = trees.predict(tree, self.at[:, None])
        return SimpleNamespace(
            depth=depth,
            least=least,
            steps=steps,
            leaves=len(tree.leaves),
            smallest=tree.size[tree.leaves].min(),
            loss=np.mean((trees.predict(tree, self.x[:, None]) - self.y) ** 2),
            error=np.mean((steps - self._truth(self.at)) ** 2),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-0.01, 1.01)
        axes.set_ylim(-1.4, 2.1)
        axes.set_xlabel("x")
        axes.set_title("A regression tree is a staircase, and a deep one climbs over every point")
        axes.plot(
            self.at,
            np.where(np.abs(self.at - 0.6) < 1e-3, np.nan, self._truth(self.at)),
            color=style.TRUTH,
            linestyle="--",
            linewidth=1.5,
        )
        axes.text(0.685, -0.22, "truth", color="#6f6f6f", ha="center")
        axes.scatter(self.x, self.y, color=style.DATA, s=20, zorder=3)
        (self.line,) = axes.plot([], [], color=style.MODEL, linewidth=1.8)
        self.moving(self.line)
        self.readout = self.moving(axes.text(0.02, 0.04, "", transform=axes.transAxes, va="bottom"))

    def update(self, state):
        self.line.set_data(self.at, state.steps)
        self.readout.set_text(
            f"{_leaves(state.leaves)}\nmean squared error on the points {state.loss:.3f}\n"
            f"against the truth {state.error:.3f}"
        )

    def describe(self, state):
        return (
            f"A regression tree with at most {state.depth} questions in a row and at least {state.least} of the 60 "
            f"points in a leaf has {_leaves(state.leaves)}; its mean squared error is {state.loss:.3f} on the points "
            f"and {state.error:.3f} against the truth."
        )

    @invariant("more questions never raise the training error", along="depth")
    def _learns(self, before, after):
        return after.loss <= before.loss + 1e-12

    @invariant("no leaf is smaller than asked for")
    def _large_enough(self, state):
        return state.smallest >= state.least

    @invariant("there are at most 2^D leaves")
    def _few(self, state):
        return state.leaves <= min(2**state.depth, 60 // state.least)


class Pruning(Explorer):
    """A full tree and its pruned one on points in a disc, some with wrong labels."""

    height = 420
    wrong = Slider("", "wrong labels", 0.0, 0.4, 0.2, step=0.02)
    points = Slider("v", "validation points", 10, 400, 200, step=10)

    def prepare(self):
        rng = np.random.default_rng(1)
        self.X, self.X_val = (rng.uniform(-1, 1, size=(n, 2)) for n in (300, 400))
        self.luck = rng.permutation(300) / 300  # the share of wrong labels is exact
        self.luck_val = rng.random(400)
        self.X_test = rng.uniform(-1, 1, size=(2000, 2))

    def _inside(self, X):
        return (np.sum(X**2, axis=1) < 0.6).astype(int)

    def compute(self, wrong, points):
        y = self._inside(self.X) ^ (self.luck < wrong)
        X_val = self.X_val[:points]
        y_val = self._inside(X_val) ^ (self.luck_val[:points] < wrong)
        full = trees.grow(self.X, trees.one_hot(y, 2))
        both = full, trees.prune(full, X_val, y_val)
        corners, _ = _boxes(full, (-1, -1), (1, 1))
        named = np.argmax(full.value, axis=1) == 1
        return SimpleNamespace(
            wrong=wrong,
            points=points,
            y=y,
            regions=[corners[tree.leaves][named[tree.leaves]] for tree in both],
            leaves=[len(tree.leaves) for tree in both],
            train=[np.mean(trees.classify(tree, self.X) != y) for tree in both],
            val=[np.sum(trees.classify(tree, X_val) != y_val) for tree in both],
            test=[np.mean(trees.classify(tree, self.X_test) != self._inside(self.X_test)) for tree in both],
        )

    def draw(self, figure):
        panels = figure.subplots(1, 2, sharey=True)
        self.regions, self.dots, self.counts = [], [], []
        circle = np.sqrt(0.6) * np.array([np.cos(a := np.linspace(0, 2 * np.pi, 200)), np.sin(a)])
        titles = ("The full tree learns the wrong labels", "Pruning cuts most of them out again")
        for axes, title in zip(panels, titles, strict=True):
            axes.set_xlim(-1, 1)
            axes.set_ylim(-1, 1)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_title(title)
            axes.set_xlabel(" \n ")  # room for the numbers
            regions = axes.add_collection(PolyCollection([], facecolor=_PALE[0], antialiased=False, linewidth=0))
            (outside,) = axes.plot([], [], "x", color=style.DATA, markersize=4, linestyle="none")
            (inside,) = axes.plot([], [], "o", color=style.MODEL, markersize=3.5, linestyle="none")
            (edge,) = axes.plot(*circle, color=style.TRUTH, linestyle="--", linewidth=1.5)
            counts = []
            for x, heading in ((0.08, "leaves"), (0.4, "wrong in validation"), (0.8, "wrong on new points")):
                at = {"transform": axes.transAxes, "ha": "center", "va": "top"}
                axes.text(x, -0.03, heading, color=style.DATA, **at)
                counts.append(axes.text(x, -0.09, "", fontweight="bold", **at))
            for artist in (regions, outside, inside, edge, *counts):
                self.moving(artist)
            self.regions.append(regions)
            self.dots.append((outside, inside))
            self.counts.append(counts)

    def update(self, state):
        for k in range(2):
            self.regions[k].set_verts(state.regions[k])
            for label, dots in enumerate(self.dots[k]):
                dots.set_data(*self.X[state.y == label].T)
            told = str(state.leaves[k]), f"{state.val[k]} of {state.points}", f"{state.test[k]:.1%}"
            for count, number in zip(self.counts[k], told, strict=True):
                count.set_text(number)

    def describe(self, state):
        return (
            f"300 points, class 1 inside a circle, {state.wrong:.0%} of the labels wrong, {state.points} validation "
            f"points. Full tree: {_leaves(state.leaves[0])}, {state.val[0]} validation errors, {state.test[0]:.1%} of "
            f"new points on the wrong side. Pruned: {_leaves(state.leaves[1])}, {state.val[1]} validation errors, "
            f"{state.test[1]:.1%}."
        )

    @invariant("pruning never raises the validation errors")
    def _helps(self, state):
        return state.val[1] <= state.val[0]

    @invariant("pruning never adds a leaf, and never lowers the training error")
    def _smaller(self, state):
        return state.leaves[1] <= state.leaves[0] and state.train[1] >= state.train[0]

    @invariant("the full tree makes no training error")
    def _full(self, state):
        return state.train[0] == 0
