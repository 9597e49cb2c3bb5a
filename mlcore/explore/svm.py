"""The figures of 15 svm."""

from types import SimpleNamespace

import numpy as np

from mlcore import svm
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Slider, invariant, style, tell


def _petals(first, second):
    """Petal length and width of two species of iris, with the labels −1 and +1."""
    iris = load("iris")
    chosen = (iris.y == first) | (iris.y == second)
    return iris.X[chosen][:, 2:], np.where(iris.y[chosen] == second, 1.0, -1.0)


_ON_WHITE = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 2}  # words stay legible over lines


def _classes(axes, X, s):
    """The points of both classes, told apart by their marks; returns the two artists."""
    (minus,) = axes.plot(*X[s < 0].T, "o", color="#a6a6a6", markersize=5, linestyle="none")
    (plus,) = axes.plot(*X[s > 0].T, "^", color=style.DATA, markersize=5.5, linestyle="none")
    return minus, plus


class _Street:
    """The line f = 0, the edges f = ±1 and the street between them."""

    def __init__(self, explorer, axes, centre):
        self.centre = np.asarray(centre)
        (self.slab,) = axes.fill([], [], color=style.MODEL, alpha=0.1, linewidth=0)
        (self.edges,) = axes.plot([], [], color=style.MODEL, linewidth=1.2, linestyle="--")
        (self.line,) = axes.plot([], [], color=style.MODEL, linewidth=2)
        for artist in (self.slab, self.edges, self.line):
            explorer.moving(artist)

    def move(self, w, b):
        normal = w / (w @ w)
        foot = self.centre - (w @ self.centre + b) * normal
        along = 50 * np.array([-w[1], w[0]]) / np.linalg.norm(w)
        ends = [foot - along, foot + along]
        low, high = ([end + side * normal for end in ends] for side in (-1, 1))
        self.line.set_data(*np.transpose(ends))
        self.edges.set_data(*np.transpose([*low, [np.nan, np.nan], *high]))
        self.slab.set_xy([*low, *high[::-1]])


def _tally(alpha, C):
    return np.sum(alpha == 0), np.sum((alpha > 0) & (alpha < C)), np.sum(alpha == C)


class Streets(Explorer):
    """Every straight street between setosa and versicolor, by the direction in which we cross it."""

    height = 350
    angle = Slider("θ", "direction across, degrees", -60.0, 120.0, 75.0, step=0.5)

    def prepare(self):
        self.X, self.s = _petals(0, 1)
        self.angles = np.linspace(self.angle.low, self.angle.high, 361)
        self.widths = np.array([self._street(angle)[0] for angle in self.angles])
        self.best = svm.fit(self.X, self.s)

    def _street(self, angle):
        """Width between the classes along a direction, the direction, and the places of the edges."""
        across = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        place = self.X @ across
        low, high = place[self.s < 0].max(), place[self.s > 0].min()
        return high - low, across, low, high

    def compute(self, angle):
        width, across, low, high = self._street(angle)
        place = self.X @ across
        touching = (place == low) & (self.s < 0) | (place == high) & (self.s > 0)
        return SimpleNamespace(
            angle=angle, width=width, w=2 * across / width, b=-(high + low) / width, touch=self.X[touching]
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        left.set_aspect("equal", anchor="N")
        left.set_xlim(0.6, 5.4)
        left.set_ylim(-0.6, 2.6)
        left.set_xlabel("petal length, cm")
        left.set_ylabel("petal width, cm")
        left.set_title("Many streets separate the flowers")
        self.street = _Street(self, left, (2.6, 0.9))
        for artist in _classes(left, self.X, self.s):
            self.moving(artist)
        (self.touch,) = left.plot([], [], "o", color=style.ERROR, markersize=11, fillstyle="none", markeredgewidth=1.8)
        self.moving(self.touch)
        self.moving(left.text(0.75, -0.25, "• setosa", color="#7a7a7a", fontweight="bold"))
        self.moving(left.text(3.5, 2.3, "▲ versicolor", color=style.DATA, fontweight="bold"))
        right.set_xlim(self.angle.low - 4, self.angle.high + 4)
        right.set_ylim(-1.5, 1.7)
        right.set_xticks([-60, -30, 0, 30, 60, 90, 120])
        right.set_xlabel("θ, direction across")
        right.set_ylabel("width of the street, cm")
        right.set_title("One of them is the widest")
        right.axhline(0, color=style.TRUTH, linewidth=1)
        right.plot(self.angles, self.widths, color=style.MODEL)
        right.text(32, -1.35, "below 0: the classes overlap", color=style.TRUTH, ha="center")
        (self.now,) = right.plot([], [], "o", color=style.ERROR, markersize=8)
        self.moving(self.now)
        self.readout = self.moving(right.text(0.97, 0.97, "", transform=right.transAxes, ha="right", va="top"))

    def update(self, state):
        separates = state.width > 0
        for artist in (self.street.slab, self.street.edges, self.street.line, self.touch):
            artist.set_visible(separates)
        if separates:
            self.street.move(state.w, state.b)
            self.touch.set_data(*state.touch.T)
        self.now.set_data([state.angle], [state.width])
        self.readout.set_text(f"width {tell(state.width, 2)} cm" if separates else "no street")

    def describe(self, state):
        if state.width <= 0:
            return (
                f"Across the direction of {tell(state.angle, 1)} degrees the two species overlap by "
                f"{tell(-state.width, 2)} cm: no street."
            )
        return (
            f"Across the direction of {tell(state.angle, 1)} degrees there is a street of {tell(state.width, 2)} cm "
            f"between setosa and versicolor; {len(state.touch)} of 100 flowers touch it. The widest street there is "
            f"has {tell(self.widths.max(), 2)} cm."
        )

    @invariant("no street is wider than 2/‖w‖ of the hard margin")
    def _bounded(self, state):
        return state.width <= 2 / np.linalg.norm(self.best.w) + 1e-9

    @invariant("where there is a street, every flower is on its side of it")
    def _separates(self, state):
        return state.width <= 0 or np.min(self.s * (self.X @ state.w + state.b)) >= 1 - 1e-9

    @invariant("(15.1): the flowers that touch are half a width from the line")
    def _touches(self, state):
        return np.allclose(svm.distance(state.touch, state.w, state.b), np.abs(state.width) / 2)


class Slab(Explorer):
    """The soft margin between versicolor and virginica, with some labels exchanged."""

    height = 420
    C = LogSlider("C", "price of slack", 1e-2, 1e2, 1.0)
    noise = Slider("", "wrong labels", 0, 20, 0, step=1)

    def prepare(self):
        self.X, self.truth = _petals(1, 2)
        self.order = np.random.default_rng(0).permutation(len(self.truth))

    def compute(self, C, noise):
        wrong = self.order[:noise]
        s = self.truth.copy()
        s[wrong] *= -1
        found = svm.fit(self.X, s, C)
        f = self.X @ found.w + found.b
        return SimpleNamespace(
            C=C,
            noise=noise,
            s=s,
            w=found.w,
            b=found.b,
            alpha=found.alpha,
            z=s * f,
            width=2 / np.linalg.norm(found.w),
            slack=np.sum(np.maximum(0, 1 - s * f)),
            gap=svm.gap(found.alpha, found.b, self.X, s, C),
            tally=_tally(found.alpha, C),
            errors=np.sum(self.truth * f <= 1e-9),  # a flower on the line is missed, however it is rounded
            caught=np.sum(found.alpha[wrong] == C),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_aspect("equal")
        axes.set_xlim(2.7, 7.3)
        axes.set_ylim(0.65, 2.85)
        axes.set_xlabel("petal length, cm")
        axes.set_ylabel("petal width, cm")
        axes.set_title("The dearer the slack, the narrower the street", pad=24)
        self.street = _Street(self, axes, (5.0, 1.7))
        self.minus, self.plus = (self.moving(artist) for artist in _classes(axes, self.X, self.truth))
        (self.free,) = axes.plot([], [], "s", color=style.MODEL, markersize=12, fillstyle="none", markeredgewidth=2)
        (self.bound,) = axes.plot([], [], "x", color=style.ERROR, markersize=8, markeredgewidth=1.5, linestyle="none")
        self.moving(self.free)
        self.moving(self.bound)
        for x, label, colour in (
            (0, "• versicolor   ▲ virginica", style.DATA),
            (0.31, "□ 0 < α < C", style.MODEL),
            (0.47, "× α = C", style.ERROR),
            (0.58, "unmarked: α = 0", style.DATA),
        ):
            axes.text(x, 1.025, label, color=colour, fontweight="bold", transform=axes.transAxes)
        self.readout = self.moving(
            axes.text(0.985, 0.03, "", transform=axes.transAxes, ha="right", va="bottom", bbox=_ON_WHITE)
        )

    def update(self, state):
        self.street.move(state.w, state.b)
        self.minus.set_data(*self.X[state.s < 0].T)
        self.plus.set_data(*self.X[state.s > 0].T)
        self.free.set_data(*self.X[(state.alpha > 0) & (state.alpha < state.C)].T)
        self.bound.set_data(*self.X[state.alpha == state.C].T)
        zero, free, bound = state.tally
        self.readout.set_text(
            f"width {state.width:.2f} cm\nα = 0: {zero}   free: {free}   α = C: {bound}\n"
            f"true species missed: {state.errors} of 100"
        )

    def describe(self, state):
        zero, free, bound = state.tally
        told = (
            f" All {state.noise} flowers with exchanged labels are among these."
            if state.noise and state.caught == state.noise
            else ""
        )
        return (
            f"At C = {state.C:.3g} with {state.noise} exchanged labels the street between versicolor and virginica is "
            f"{state.width:.2f} cm wide. {zero} flowers have α = 0, {free} are free, {bound} have α = C.{told} "
            f"The line is wrong about the true species of {state.errors} of 100 flowers; the slacks sum to "
            f"{state.slack:.1f}."
        )

    @invariant("the street never gets wider as C grows", along="C")
    def _narrows(self, before, after):
        return after.width <= before.width * (1 + 1e-9)

    @invariant("the slacks never grow with C", along="C")
    def _slack_falls(self, before, after):
        return after.slack <= before.slack * (1 + 1e-9) + 1e-9

    @invariant("the duality gap is closed")
    def _closed(self, state):
        return abs(state.gap) <= 1e-9 * (1 + state.C) * len(state.s)

    @invariant("(15.8) and the constraints of the dual hold")
    def _kkt(self, state):
        products = svm.slackness(state.alpha, state.z, state.C)
        inside = np.all((state.alpha >= 0) & (state.alpha <= state.C))
        return inside and abs(state.alpha @ state.s) <= 1e-9 * state.C and np.abs(products).max() <= 1e-8 * state.C

    @invariant("every flower on the wrong side of the line has α = C")
    def _wrong_side(self, state):
        return np.all(state.alpha[state.z < 0] == state.C)


class OnePoint(Explorer):
    """Twelve points, one of which you move: which α change, and does the line?"""

    height = 390
    x = Slider("x", "of the ringed point", -4.0, 4.0, 2.4, step=0.1)
    y = Slider("y", "of the ringed point", -3.0, 3.0, -1.0, step=0.1)
    C = LogSlider("C", "price of slack", 1e-2, 1e2, 1.0)

    rest = np.array(
        [
            [1.3, 0.6], [2.4, 1.5], [0.7, 1.9], [2.9, 0.1], [1.9, 2.4],
            [-0.9, -0.7], [-1.6, 0.6], [-0.3, -1.7], [-2.6, -0.4], [-1.7, -2.0], [-3.0, 1.1],
        ]
    )  # fmt: skip
    labels = np.array([1.0] * 5 + [-1.0] * 6)

    def prepare(self):
        self.s = np.append(self.labels, 1.0)

    def compute(self, x, y, C):
        X = np.vstack([self.rest, [x, y]])
        found = svm.fit(X, self.s, C)
        without = svm.fit(self.rest, self.labels, C)
        return SimpleNamespace(
            X=X,
            C=C,
            alpha=found.alpha,
            w=found.w,
            b=found.b,
            without=without,
            z=self.s * (X @ found.w + found.b),
            gap=svm.gap(found.alpha, found.b, X, self.s, C),
            changed=np.sum(np.abs(found.alpha[:-1] - without.alpha) > 1e-6 * C),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
        left.set_aspect("equal")
        left.set_xlim(-4.2, 4.2)
        left.set_ylim(-3.2, 3.2)
        left.set_xlabel("$x$")
        left.set_ylabel("$y$", rotation=0)
        left.set_title("A point that is outside leaves the line alone")
        self.street = _Street(self, left, (0, 0))
        (self.ghost,) = left.plot([], [], color=style.REFERENCE, linewidth=1.6, linestyle=":")
        self.moving(self.ghost)
        self.minus, self.plus = (self.moving(artist) for artist in _classes(left, self.rest, self.labels))
        (self.ring,) = left.plot([], [], "o", color=style.SECOND, markersize=14, fillstyle="none", markeredgewidth=2.2)
        (self.free,) = left.plot([], [], "s", color=style.MODEL, markersize=10, fillstyle="none", markeredgewidth=1.8)
        (self.bound,) = left.plot([], [], "x", color=style.ERROR, markersize=8, markeredgewidth=1.6, linestyle="none")
        for artist in (self.ring, self.free, self.bound):
            self.moving(artist)
        note = "⋯ the line without the ringed point"
        self.moving(left.text(-4.05, 2.75, note, color=style.REFERENCE, fontweight="bold", bbox=_ON_WHITE))
        for number, (x, y) in enumerate(self.rest, start=1):
            left.text(x + 0.22, y - 0.38, number, color=style.DATA, fontsize=8)
        right.set_xlim(-0.7, 11.7)
        right.set_ylim(-0.04, 1.12)
        right.set_xticks(range(12), [*"123456789", "10", "11", "◯"])
        right.set_yticks([0, 0.5, 1], ["0", "C/2", "C"])
        right.set_xlabel("number of the point")
        right.set_title("Its α and the others’")
        right.text(-0.5, 1.06, "– without the ringed point", color=style.REFERENCE, fontweight="bold")
        right.grid(axis="x", visible=False)
        self.stems = self.moving(right.vlines(range(12), 0, 0, color=style.TRUTH, linewidth=2))
        (self.before,) = right.plot([], [], "_", color=style.REFERENCE, markersize=13, markeredgewidth=2)
        (self.zero,) = right.plot([], [], "o", color=style.TRUTH, markersize=5, linestyle="none")
        (self.some,) = right.plot([], [], "s", color=style.MODEL, markersize=8, fillstyle="none", markeredgewidth=1.8)
        (self.full,) = right.plot([], [], "x", color=style.ERROR, markersize=8, markeredgewidth=1.8, linestyle="none")
        for artist in (self.before, self.zero, self.some, self.full):
            self.moving(artist)

    def update(self, state):
        kinds = state.alpha == 0, (state.alpha > 0) & (state.alpha < state.C), state.alpha == state.C
        share, at = state.alpha / state.C, np.arange(12)
        self.street.move(state.w, state.b)
        w, b = state.without.w, state.without.b
        foot, along = -b * w / (w @ w), 20 * np.array([-w[1], w[0]]) / np.linalg.norm(w)
        self.ghost.set_data(*np.transpose([foot - along, foot + along]))
        self.plus.set_data(*state.X[self.s > 0].T)
        self.ring.set_data(*state.X[-1:].T)
        self.free.set_data(*state.X[kinds[1]].T)
        self.bound.set_data(*state.X[kinds[2]].T)
        self.stems.set_segments([[(i, 0), (i, a)] for i, a in enumerate(share)])
        self.before.set_data(at[:-1], state.without.alpha / state.C)
        for artist, kind in zip((self.zero, self.some, self.full), kinds, strict=True):
            artist.set_data(at[kind], share[kind])

    def describe(self, state):
        zero, free, bound = _tally(state.alpha, state.C)
        own, z = state.alpha[-1] / state.C, state.z[-1]
        if abs(z - 1) < 1e-6:
            place = "on the edge of the street"
        else:
            place = "outside the street" if z > 1 else "inside the street" if z > 0 else "on the wrong side of the line"
        return (
            f"The ringed point of class +1 is at ({tell(state.X[-1, 0], 1)}, {tell(state.X[-1, 1], 1)}), {place}: its "
            f"α is {own:.2f} C. Of the other eleven α, {state.changed} differ from what they are without it. In all, "
            f"{zero} are 0, {free} are free and {bound} are C = {state.C:.3g}. "
            f"The street is {2 / np.linalg.norm(state.w):.2f} wide."
        )

    @invariant("where the moved point has α = 0, the line is that of the other points")
    def _leaves_alone(self, state):
        same = np.allclose(np.append(state.w, state.b), np.append(state.without.w, state.without.b), atol=1e-6)
        return state.alpha[-1] > 0 or same

    @invariant("no point pulls harder than C, wherever it is")
    def _bounded_pull(self, state):
        return np.all((state.alpha >= 0) & (state.alpha <= state.C))

    @invariant("the duality gap is closed")
    def _closed(self, state):
        return abs(state.gap) <= 1e-9 * (1 + state.C)

    @invariant("0 < α < C is on the edge, α = 0 not inside, α = C not outside")
    def _kinds(self, state):
        zero, full = state.alpha == 0, state.alpha == state.C
        free = ~zero & ~full
        return (
            np.all(state.z[zero] > 1 - 1e-8)
            and np.all(state.z[full] < 1 + 1e-8)
            and np.allclose(state.z[free], 1, atol=1e-8)
        )
