"""The figures of 14 surrogate_losses."""

import itertools
from types import SimpleNamespace

import numpy as np

from mlcore import surrogate_losses as sl
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style, tell

_NAMES = ("zero-one", "hinge", "logistic", "exponential")
_COLOURS = (style.DATA, style.MODEL, style.REFERENCE, style.ERROR)
_DASHES = ("-", "-", (0, (6, 1.5)), "-.")
_MARKS = ("—", "—", "- -", "- ·")


def _legend(axes, x, width, names, marks, colours):
    """Names that stay, and beside them the texts that move, one for each: few letters are drawn anew."""
    numbers = []
    for i, (name, mark, colour) in enumerate(zip(names, marks, colours, strict=True)):
        place = {"y": 0.93 - 0.075 * i, "color": colour, "transform": axes.transAxes}
        axes.text(x, s=f"{mark} {name}", fontweight="bold", **place)
        numbers.append(axes.text(x + width, s="", ha="right", **place))
    return numbers


class Staircase(Explorer):
    """The mistakes of one threshold on the petals of versicolor and virginica."""

    height = 370
    b = Slider("b", "boundary, cm", 2.95, 6.95, 4.25, step=0.1)

    def prepare(self):
        iris = load("iris")
        chosen = iris.y > 0
        self.x, self.s = iris.X[chosen][:, 2], np.where(iris.y[chosen] == 2, 1.0, -1.0)
        self.levels = np.unique(self.x)
        self.edges = np.concatenate([[2.6], self.levels, [7.3]])  # between two neighbours the count is constant
        middles = (self.edges[1:] + self.edges[:-1]) / 2
        self.counts = np.array([sl.boundary_mistakes(middle, self.x, self.s) for middle in middles])

    def compute(self, b):
        z = self.s * (self.x - b)
        return SimpleNamespace(
            b=b,
            wrong=z <= 0,
            mistakes=sl.boundary_mistakes(b, self.x, self.s),
            missed=np.sum((z <= 0) & (self.s > 0)),
            near=[sl.boundary_mistakes(b + shift, self.x, self.s) for shift in (-0.04, 0.04)],
        )

    def draw(self, figure):
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.7))
        rng = np.random.default_rng(0)
        self.up = np.where(self.s > 0, 1.0, 0.0) + rng.uniform(-0.27, 0.27, size=len(self.s))
        for label, marker, colour in ((-1, "o", "#a6a6a6"), (1, "^", style.DATA)):
            own = self.s == label
            top.plot(self.x[own], self.up[own], marker, color=colour, markersize=4.5, linestyle="none")
        top.set_ylim(-0.55, 1.55)
        top.set_yticks([0, 1], ["versicolor", "virginica"])
        top.grid(visible=False)
        top.set_title("The count of mistakes is a staircase: no slope says where to go")
        (self.marked,) = top.plot([], [], "x", color=style.ERROR, markersize=7, markeredgewidth=1.6, linestyle="none")
        bottom.set_xlim(2.6, 7.3)
        bottom.set_ylim(0, 58)
        bottom.set_xlabel("petal length, cm")
        bottom.set_ylabel("mistakes")
        bottom.stairs(self.counts, self.edges, color=style.MODEL, linewidth=2, baseline=None)
        (self.dot,) = bottom.plot([], [], "o", color=style.ERROR, markersize=8)
        self.lines = [axes.axvline(4, color=style.ERROR, linewidth=1.3) for axes in (top, bottom)]
        self.readout = bottom.text(0.02, 0.08, "", transform=bottom.transAxes)
        for artist in (self.marked, self.dot, *self.lines, self.readout):
            self.moving(artist)

    def update(self, state):
        self.marked.set_data(self.x[state.wrong], self.up[state.wrong])
        self.dot.set_data([state.b], [state.mistakes])
        for line in self.lines:
            line.set_xdata([state.b, state.b])
        self.readout.set_text(f"{state.mistakes} mistakes (×), slope 0")

    def describe(self, state):
        return (
            f"The boundary at a petal length of {state.b:.2f} cm makes {state.mistakes} mistakes on 100 flowers: "
            f"{state.missed} virginica below it and {state.mistakes - state.missed} versicolor above it. A little to "
            f"the left or right the count is the same; over all boundaries it is at least {self.counts.min()}."
        )

    @invariant("the slope is 0: a small move changes nothing")
    def _flat(self, state):
        return state.near == [state.mistakes, state.mistakes]

    @invariant("no boundary makes fewer mistakes than the lowest step")
    def _least(self, state):
        return state.mistakes >= self.counts.min()

    @invariant("the count changes by the flowers that the boundary passes, and by no more", along="b")
    def _steps(self, before, after):
        passed = np.sum((self.x > before.b) & (self.x < after.b))
        return abs(int(after.mistakes) - int(before.mistakes)) <= passed


class ThreePoints(Explorer):
    """The losses of three points against the boundary of f(x) = w(x − b)."""

    height = 430
    b = Slider("b", "boundary", -1.0, 2.5, 0.2, step=0.05)
    w = Slider("w", "steepness", 0.5, 3.0, 1.0, step=0.1)
    x = np.array([0.0, 1.0, 2.0])
    s = np.array([-1.0, 1.0, 1.0])

    def prepare(self):
        self.at = np.linspace(self.b.low, self.b.high, 351)

    def _totals(self, b, w):
        """The four losses summed over the points, for each b: shape (4, len(b))."""
        z = self.s[:, None] * w * (self.x[:, None] - np.atleast_1d(b))
        return np.array([loss.sum(axis=0) for loss in sl.four_losses(z)])

    def compute(self, b, w):
        curves = self._totals(self.at, w)
        lowest = curves[1] <= curves[1].min() + 1e-9
        return SimpleNamespace(
            b=b,
            w=w,
            curves=curves,
            now=self._totals(b, w)[:, 0],
            plateau=(self.at[lowest][0], self.at[lowest][-1]),
            least=curves.min(axis=1),
            best=self.at[curves.argmin(axis=1)],
        )

    def draw(self, figure):
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(1, 3.2))
        top.set_yticks([])
        top.set_ylim(-1, 1)
        top.set_title("Every surrogate is above the count, and each prefers boundaries of its own")
        top.plot([0], [0], "o", color="#7a7a7a", markersize=11)
        top.plot([1, 2], [0, 0], "^", color=style.DATA, markersize=11)
        for x, label in zip(self.x, ("s = −1", "s = +1", "s = +1"), strict=True):
            top.text(x + 0.07, -0.12, label, color=style.DATA)
        bottom.set_xlim(self.b.low - 0.05, self.b.high + 0.05)
        bottom.set_ylim(0, 6.5)
        bottom.set_xlabel("$b$, boundary")
        bottom.set_ylabel("loss, summed over the points")
        self.lines = [axes.axvline(0, color=style.TRUTH, linewidth=1.5, linestyle=":") for axes in (top, bottom)]
        self.curves = [
            bottom.plot([], [], color=colour, linestyle=dash)[0] for colour, dash in zip(_COLOURS, _DASHES, strict=True)
        ]
        self.dots = [bottom.plot([], [], "o", color=colour, markersize=6)[0] for colour in _COLOURS]
        self.labels = _legend(bottom, 0.355, 0.28, _NAMES, _MARKS, _COLOURS)
        for artist in (*self.lines, *self.curves, *self.dots, *self.labels):
            self.moving(artist)

    def update(self, state):
        for line in self.lines:
            line.set_xdata([state.b, state.b])
        for i in range(4):
            self.curves[i].set_data(self.at, np.where(state.curves[i] < 7, state.curves[i], np.nan))
            self.dots[i].set_data([state.b], [min(state.now[i], 7)])
            self.labels[i].set_text(f"{state.now[i]:.3f}")

    def describe(self, state):
        told = ", ".join(f"{name} {value:.3f}" for name, value in zip(_NAMES, state.now, strict=True))
        low, high = state.plateau
        where = f"from b = {tell(low, 2)} to {tell(high, 2)}" if high - low > 0.015 else f"at b = {tell(low, 2)} only"
        return (
            f"Three points at 0, 1 and 2 with labels −1, +1, +1 and the score {state.w:.1f}(x − b). At b = "
            f"{tell(state.b, 2)} the total losses are: {told}. The hinge loss is least, {state.least[1]:.3f}, {where}; "
            f"the logistic at b = {tell(state.best[2], 2)}, the exponential at b = {tell(state.best[3], 2)}."
        )

    @invariant("no surrogate is below the number of mistakes")
    def _above(self, state):
        return np.all(state.curves[1:] >= state.curves[0] - 1e-12)

    @invariant("every surrogate is convex in b")
    def _convex(self, state):
        return np.all(np.diff(state.curves[1:], n=2, axis=1) >= -1e-9)

    @invariant("from w = 2 on a hinge loss of 0 can be had, and before it cannot")
    def _zero(self, state):
        return (state.least[1] < 1e-9) == (state.w >= 2 - 1e-9)

    @invariant("the steeper the score, the less the best boundary loses", along="w")
    def _steeper(self, before, after):
        return np.all(after.least <= before.least + 1e-9)


class Losses(Explorer):
    """Five losses of one margin, and how hard each of them pulls."""

    height = 390
    z = Slider("z", "margin", -4.0, 4.0, -2.0, step=0.1)

    names = ("zero-one", "hinge", "logistic", "exponential", "sigmoid")
    colours = (*_COLOURS, style.SECOND)
    dashes = (*_DASHES, ":")

    def prepare(self):
        self.at = np.linspace(-4, 4, 801)
        self.curves = self._losses(self.at)
        self.slopes = self._pulls(self.at)

    def _losses(self, z):
        return np.array([*sl.four_losses(z), sl.sigmoid_loss(z)])

    def _pulls(self, z):
        return np.array([np.zeros_like(z), *sl.pulls(z)])

    def compute(self, z):
        z = np.array(z)
        return SimpleNamespace(z=float(z), losses=self._losses(z), pulls=self._pulls(z))

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "All fall with the margin, but they pull at a gross mistake very differently")
        for axes, curves in ((left, self.curves), (right, self.slopes)):
            for curve, colour, dash in list(zip(curves, self.colours, self.dashes, strict=True)):
                inside = np.where(curve < 6, curve, np.nan)
                axes.plot(self.at, inside, color=colour, linestyle=dash, linewidth=2)
            axes.set_xlim(-4, 4)
            axes.set_xlabel("$z$, margin")
        left.set_ylim(-0.1, 5.6)
        right.set_ylim(-0.07, 3.92)
        left.set_ylabel("loss")
        right.set_ylabel("pull, −φ′(z)")
        self.lines = [axes.axvline(0, color=style.TRUTH, linewidth=1.3) for axes in (left, right)]
        self.dots = [
            [axes.plot([], [], "o", color=colour, markersize=6, clip_on=True)[0] for colour in self.colours]
            for axes in (left, right)
        ]
        marks = (*_MARKS, "···")
        self.numbers = [_legend(axes, 0.46, 0.52, self.names, marks, self.colours) for axes in (left, right)]
        for artist in (*self.lines, *itertools.chain(*self.dots, *self.numbers)):
            self.moving(artist)

    def update(self, state):
        for line in self.lines:
            line.set_xdata([state.z, state.z])
        for dots, numbers, values in zip(self.dots, self.numbers, (state.losses, state.pulls), strict=True):
            for i, value in enumerate(values):
                dots[i].set_data([state.z], [value])
                numbers[i].set_text(f"{value:.3g}")

    def describe(self, state):
        losses = ", ".join(f"{name} {value:.3g}" for name, value in zip(self.names, state.losses, strict=True))
        pulls = ", ".join(f"{name} {value:.3g}" for name, value in zip(self.names, state.pulls, strict=True))
        return f"A point with margin z = {tell(state.z, 1)}. Losses: {losses}. Pulls: {pulls}."

    @invariant("hinge, logistic and exponential loss are never below the zero-one loss")
    def _above(self, state):
        return np.all(state.losses[1:4] >= state.losses[0] - 1e-12)

    @invariant("no loss grows with the margin", along="z")
    def _fall(self, before, after):
        return np.all(after.losses <= before.losses + 1e-12)

    @invariant("the pulls of the convex losses never grow with the margin", along="z")
    def _convex(self, before, after):
        return np.all(after.pulls[:4] <= before.pulls[:4] + 1e-12)

    @invariant("the sigmoid loss never pulls harder than 1/4, the hinge than 1, the logistic than 1/log 2")
    def _bounded(self, state):
        return state.pulls[4] <= 0.25 + 1e-12 and state.pulls[1] <= 1 and state.pulls[2] <= 1 / np.log(2)


class Softened(Explorer):
    """The family Γₐ on its way to the hinge."""

    height = 370
    a = LogSlider("a", "softness", 1e-2, 10**0.5, 1.0)

    def prepare(self):
        self.at = np.linspace(-2, 4, 601)

    def compute(self, a):
        curve, gap = sl.soft_hinge(self.at, a), sl.soft_hinge_gap(self.at, a)
        return SimpleNamespace(a=a, curve=curve, gap=gap, largest=sl.largest_gap(a), top=float(gap.max()))

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "The softened hinge is nowhere farther from the hinge than a log 2")
        left.set_xlim(-2, 4)
        left.set_ylim(-0.1, 5)
        left.set_xlabel("$z$, margin")
        left.set_ylabel("loss")
        left.plot(self.at, sl.hinge(self.at), color=style.REFERENCE, linestyle="--")
        left.text(-1.9, 1.35, "- - hinge", color=style.REFERENCE, fontweight="bold")
        left.text(1.0, 4.55, "— softened hinge $Γ_a(z)$", color=style.MODEL, fontweight="bold")
        (self.curve,) = left.plot([], [], color=style.MODEL)
        right.set_xlim(-2, 4)
        right.set_ylim(-0.05, 2.4)
        right.set_xlabel("$z$, margin")
        right.set_ylabel("gap between the two")
        (self.gap,) = right.plot([], [], color=style.MODEL)
        (self.top,) = right.plot([], [], "o", color=style.ERROR, markersize=7)
        self.level = right.axhline(0, color=style.ERROR, linewidth=1.2, linestyle="--")
        self.readout = right.text(0.97, 0.96, "", color=style.ERROR, transform=right.transAxes, ha="right", va="top")
        for artist in (self.curve, self.gap, self.level, self.top, self.readout):
            self.moving(artist)

    def update(self, state):
        self.curve.set_data(self.at, state.curve)
        self.gap.set_data(self.at, state.gap)
        self.top.set_data([1], [state.largest])
        self.level.set_ydata([state.largest, state.largest])
        self.readout.set_text(f"a log 2 = {state.largest:.3g}")

    def describe(self, state):
        at_0 = sl.soft_hinge(0.0, state.a)
        return (
            f"The softened hinge with a = {state.a:.3g}: at z = 0 it is {at_0:.3f} where the hinge is 1, at z = 1 it "
            f"is {state.largest:.3g} where the hinge is 0. This is the largest gap, a log 2."
        )

    @invariant("the gap lies between 0 and a log 2, and reaches it at z = 1")
    def _between(self, state):
        return np.all((state.gap >= 0) & (state.gap <= state.largest + 1e-12)) and np.isclose(state.top, state.largest)

    @invariant("the curve is the hinge plus the gap")
    def _sum(self, state):
        return np.allclose(state.curve, sl.hinge(self.at) + state.gap, atol=1e-9)

    @invariant("the curve falls with a, at every margin", along="a")
    def _monotone(self, before, after):
        return np.all(after.curve >= before.curve - 1e-12)


class Margin(Explorer):
    """The perceptron on separable points of a given margin: its mistakes and their bound."""

    height = 400
    gamma = LogSlider("γ", "margin", 1e-2, 10**-0.5, 0.1)
    data = Pick("", "points", ("two points", "forty points"))

    def prepare(self):
        rng = np.random.default_rng(4)
        self.along, self.deep = rng.uniform(-0.8, 0.8, size=40), rng.uniform(0, 1, size=40)
        self.deep[[3, 20]] = 0  # one point of each class is at the margin
        self.gammas = self.gamma.grid(16)
        self.runs = {(g, data): self._run(g, data) for data in self.data.options for g in self.gammas}

    def _points(self, gamma, data):
        """X, s and a unit vector u that separates them with exactly this margin."""
        if data == "two points":
            u = np.array([gamma, np.sqrt(1 - gamma**2)])
            return np.array([[1.0, 0.0], [0.5, -1.5 * gamma / u[1]]]), np.array([1.0, -1.0]), u
        s = np.where(np.arange(40) % 2 == 0, 1.0, -1.0)
        return np.column_stack([self.along, s * (gamma + (0.6 - gamma) * self.deep)]), s, np.array([0.0, 1.0])

    def _run(self, gamma, data):
        X, s, u = self._points(gamma, data)
        states = list(sl.perceptron(X, s))  # the start, and one after each mistake
        bound = sl.mistake_bound(X, s, u)
        return SimpleNamespace(
            gamma=gamma, data=data, X=X, s=s, u=u, w=states[-1], mistakes=len(states) - 1, bound=bound
        )

    def compute(self, gamma, data):
        return self.runs.get((gamma, data)) or self._run(gamma, data)

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "Half the margin allows four times the mistakes, and two points do make them")
        left.set_xlim(-1.1, 1.15)
        left.set_ylim(-0.85, 0.85)
        left.set_aspect("equal")
        left.set_xlabel("$x_1$")
        left.set_ylabel("$x_2$", rotation=0)
        (self.line,) = left.plot([], [], color=style.MODEL)
        (self.minus,) = left.plot([], [], "o", color="#7a7a7a", markersize=6, linestyle="none")
        (self.plus,) = left.plot([], [], "^", color=style.DATA, markersize=6.5, linestyle="none")
        left.set_title("▲ s = +1   • s = −1   — found", color=style.DATA, fontsize=10)
        right.set_xscale("log")
        right.set_yscale("log")
        right.set_xlim(0.008, 0.4)
        right.set_ylim(0.7, 4e4)
        right.set_xticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
        right.set_xlabel("γ, margin")
        right.set_ylabel("mistakes")
        (self.bound,) = right.plot([], [], color=style.REFERENCE, linestyle="--")
        (self.count,) = right.plot([], [], "-o", color=style.MODEL, markersize=4, linewidth=1.5)
        (self.now,) = right.plot([], [], "o", color=style.ERROR, markersize=9)
        right.text(0.33, 1.9e4, "- - bound $(R/γ)^2$", color=style.REFERENCE, fontweight="bold", ha="right")
        right.text(0.33, 1.05e4, "—• mistakes made", color=style.MODEL, fontweight="bold", ha="right")
        self.readout = right.text(0.33, 5.5e3, "", color=style.ERROR, ha="right")
        for artist in (self.line, self.minus, self.plus, self.bound, self.count, self.now, self.readout):
            self.moving(artist)

    def update(self, state):
        across = np.array([-state.w[1], state.w[0]]) / np.linalg.norm(state.w)
        self.line.set_data(*np.transpose([-3 * across, 3 * across]))
        self.minus.set_data(*state.X[state.s < 0].T)
        self.plus.set_data(*state.X[state.s > 0].T)
        runs = [self.runs[g, state.data] for g in self.gammas]
        self.bound.set_data(self.gammas, [run.bound for run in runs])
        self.count.set_data(self.gammas, [run.mistakes for run in runs])
        self.now.set_data([state.gamma], [state.mistakes])
        self.readout.set_text(f"{state.mistakes} of at most {int(state.bound + 1e-6)}")

    def describe(self, state):
        return (
            f"The perceptron separates {state.data} with margin γ = {state.gamma:.3g} after {state.mistakes} mistakes; "
            f"the bound (R/γ)² allows {int(state.bound + 1e-6)}."
        )

    @invariant("the number of mistakes is at most (R/γ)²")
    def _theorem(self, state):
        return state.mistakes <= state.bound + 1e-9

    @invariant("the direction u has exactly the margin of the slider")
    def _margin(self, state):
        return np.isclose(np.min(state.s * (state.X @ state.u)), state.gamma) and np.isclose(state.u @ state.u, 1)

    @invariant("the line that is found separates the points")
    def _separates(self, state):
        return np.all(state.s * (state.X @ state.w) > 0)

    @invariant("both growths of the proof: ‖w‖² ≤ kR² and uᵀw ≥ kγ")
    def _growths(self, state):
        k, longest = state.mistakes, np.max(np.sum(state.X**2, axis=1))
        return state.w @ state.w <= k * longest + 1e-9 and state.u @ state.w >= k * state.gamma - 1e-9
