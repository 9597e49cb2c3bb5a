"""The figures of 11 stochastic gradient descent."""

from types import SimpleNamespace

import numpy as np

from mlcore import stochastic_gradient as sg
from mlcore.data import load
from mlcore.engine.explorers import Explorer, Pick, Slider, invariant, style, tell


class Passes(Explorer):
    """Least squares on the diabetes data: all patients for every step, or one."""

    height = 380
    runs, passes, drop = 40, 20, 10
    eta, every = 0.005, 17  # 442 = 26 · 17: a record falls on the end of every pass

    def prepare(self):
        self.X, self.y = load("diabetes").standardised()
        n, d = self.X.shape
        self.hessian = 2 * self.X.T @ self.X / n
        self.w_best = np.linalg.solve(self.hessian, 2 * self.X.T @ self.y / n)
        self.seen = np.arange(0, self.passes * n + 1, self.every) / n

        def everyone(w, rng):
            return sg.minibatch_gradient(w, self.X, self.y, np.arange(n))

        def one_patient(w, rng):
            return sg.minibatch_gradient(w, self.X, self.y, rng.integers(n, size=(len(w), 1)))

        full = np.full(self.passes, 1 / np.linalg.eigvalsh(self.hessian)[-1])
        same = np.full(self.passes * n, self.eta)
        smaller = np.where(np.arange(self.passes * n) < self.drop * n, self.eta, self.eta / 10)
        start, rng = np.zeros((self.runs, d)), np.random.default_rng
        self.full = np.array([self._excess(w) for w in sg.sgd(np.zeros(d), everyone, full, rng(0))])
        self.same, self.smaller = (
            np.array(
                [self._excess(w) for t, w in enumerate(sg.sgd(start, one_patient, etas, rng(0))) if not t % self.every]
            )
            for etas in (same, smaller)
        )

    def _excess(self, w):
        """L(w) − min L, for one w or for many."""
        gap = w - self.w_best
        return np.sum(gap @ self.hessian * gap, axis=-1) / 2

    def compute(self):
        def at(passes):
            return round(passes * 26)

        same, smaller = self.same.mean(axis=1), self.smaller.mean(axis=1)
        return SimpleNamespace(
            full=self.full,
            quarter=same[at(0.25)],
            one=same[at(1)],
            end=same[at(10) :].mean(),
            end_smaller=smaller[at(15) :].mean(),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(0.036, 21)
        axes.set_ylim(7, 4000)
        axes.set_xticks([0.1, 1, 10, 20], ["0.1", "1", "10", "20"])
        axes.set_yticks([10, 100, 1000], ["10", "100", "1000"])
        axes.set_xlabel("passes through the 442 patients")
        axes.set_ylabel("mean squared error above the minimum")
        axes.set_title("One patient a step is ahead for three passes, and then gets no further")
        first = self.seen > 0
        after = self.seen >= self.drop
        axes.plot(self.seen[first], self.same[first, 0], color=style.ERROR, linewidth=0.6, alpha=0.5)
        axes.plot(self.seen[first], self.same[first].mean(axis=1), color=style.ERROR)
        axes.plot(self.seen[after], self.smaller[after].mean(axis=1), color=style.SECOND, linestyle="--")
        axes.plot(range(1, self.passes + 1), self.full[1:], "o-", color=style.MODEL, markersize=4)
        axes.text(1.25, 800, "• all patients\n   for one step", color=style.MODEL, fontweight="bold")
        axes.text(
            0.04, 90, "one patient a step\n(mean of 40 runs;\nthin: one run)", color=style.ERROR, fontweight="bold"
        )
        axes.text(
            19.5,
            9,
            "one patient, step divided\nby 10 after ten passes",
            color=style.SECOND,
            ha="right",
            fontweight="bold",
        )

    def describe(self, state):
        return (
            f"Error above the minimum on the diabetes data, where the start has {tell(state.full[0])}. "
            f"All patients for one step: {tell(state.full[1])} after one pass, {tell(state.full[5])} after five, "
            f"{tell(state.full[20])} after twenty. One patient a step, mean of 40 runs: {tell(state.quarter)} after "
            f"a quarter of a pass, {tell(state.one)} after one, {tell(state.end)} on average from the tenth pass on. "
            f"With a step ten times smaller from the tenth pass on: {tell(state.end_smaller)}."
        )

    @invariant("one patient a step is ahead after one pass and behind after twenty")
    def _overtaken(self, state):
        return state.one < state.full[1] and state.end > state.full[20]

    @invariant("a smaller step leaves less noise")
    def _quieter(self, state):
        return state.end_smaller < state.end / 2


class Steps(Explorer):
    """400 runs that track a mean: what a schedule forgets, and what noise it keeps."""

    height = 370
    c = Slider("c", "first step", 0.02, 0.98, 0.3, step=0.02)
    kind = Pick("η", "schedule", ("constant", "1/t", "1/√t"))

    runs, steps, shown = 400, 200, 4
    b0, sigma = 4.0, 1.0

    def prepare(self):
        rng = np.random.default_rng(4)
        self.draws = self.sigma * rng.normal(size=(self.steps, self.runs))
        self.t = np.arange(self.steps + 1)
        self.marks = np.unique(np.geomspace(1, self.steps, 12).astype(int))

    def compute(self, c, kind):
        etas = sg.schedule(kind, c, self.steps)
        theta = np.array(list(sg.track(np.full(self.runs, self.b0), self.draws, etas)))
        bias, variance = sg.parts(etas, self.b0, 0.0, self.sigma)
        return SimpleNamespace(
            c=c,
            kind=kind,
            theta=theta,
            bias=bias,
            variance=variance,
            mse=bias**2 + variance,
            simulated=np.mean(theta[self.marks] ** 2, axis=1),
            spread=np.var(theta[self.marks], axis=1, ddof=1),
            within=int(np.argmax(bias < 0.1 * self.b0)) if bias[-1] < 0.1 * self.b0 else None,
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.05))
        style.headline(figure, "A larger step forgets the start sooner and keeps more noise")
        left.set_xlim(0, self.steps)
        left.set_ylim(-3, 5)
        left.set_xlabel("t, steps")
        left.set_ylabel("θ, four of 400 runs")
        left.axhline(0, color=style.TRUTH, linewidth=1, linestyle="--")
        self.paths = []
        for _ in range(self.shown):
            (path,) = left.plot([], [], color=style.DATA, linewidth=0.6, alpha=0.6)
            self.paths.append(self.moving(path))
        self.edges = []
        for _ in range(2):
            (edge,) = left.plot([], [], color=style.MODEL, linewidth=2)
            self.edges.append(self.moving(edge))
        left.set_title("mean ± standard deviation, by formula", color=style.MODEL, fontsize=9)
        self.readout = self.moving(left.text(198, 4.85, "", va="top", ha="right"))
        right.set_xscale("log")
        right.set_yscale("log")
        right.set_xlim(0.9, 1.1 * self.steps)
        right.set_ylim(1e-4, 40)
        right.set_xticks([1, 10, 100], ["1", "10", "100"])
        right.set_xlabel("t, steps")
        right.set_ylabel("squared error")
        self.curves = {}
        for name, colour, line in (
            ("bias", style.ERROR, "--"),
            ("variance", style.SECOND, "-."),
            ("mse", style.MODEL, "-"),
        ):
            (curve,) = right.plot([], [], color=colour, linestyle=line)
            self.curves[name] = self.moving(curve)
        (self.dots,) = right.plot([], [], "o", color=style.DATA, markersize=4)
        self.moving(self.dots)
        right.set_title(" ", fontsize=9)
        for at, text, colour in (
            (0, "─ MSE", style.MODEL),
            (0.15, "╌ bias²", style.ERROR),
            (0.33, "─ · variance", style.SECOND),
            (0.64, "• MSE of 400 runs", style.DATA),
        ):
            right.text(at, 1.03, text, color=colour, transform=right.transAxes, fontweight="bold", fontsize=9)

    def update(self, state):
        for path, theta in zip(self.paths, state.theta.T, strict=False):
            path.set_data(self.t, theta)
        for edge, sign in zip(self.edges, (-1, 1), strict=True):
            edge.set_data(self.t, state.bias + sign * np.sqrt(state.variance))
        for name, values in (("bias", state.bias**2), ("variance", state.variance), ("mse", state.mse)):
            self.curves[name].set_data(self.t[1:], np.maximum(values[1:], 1e-9))
        self.dots.set_data(self.marks, state.simulated)
        deviation, mse = np.sqrt(state.variance[-1]), state.mse[-1]
        self.readout.set_text(f"at t = 200: standard deviation {deviation:.3f}\nMSE {mse:.2g}")

    def describe(self, state):
        gone = (
            f"falls below a tenth after {state.within} step{'s' * (state.within > 1)}"
            if state.within
            else f"is still {state.bias[-1] / self.b0:.0%} after 200 steps"
        )
        return (
            f"Schedule {state.kind} with first step c = {state.c:.2f}, start {tell(self.b0)} standard deviations off. "
            f"The share of the start's error {gone}. After 200 steps bias² is {tell(state.bias[-1] ** 2, 4)}, the "
            f"variance {state.variance[-1]:.3f}, and the mean squared error of 400 runs {state.simulated[-1]:.3f}."
            + f" The floor of a constant step is {sg.noise_floor(state.c, self.sigma):.3f}."
            * (state.kind == "constant")
        )

    @invariant("the simulated variance is the exact one, within Monte-Carlo error")
    def _as_computed(self, state):
        exact = state.variance[self.marks]
        return np.all(np.abs(state.spread - exact) <= 5 * exact * np.sqrt(2 / self.runs))

    @invariant("the simulated mean is the exact one, within Monte-Carlo error")
    def _on_course(self, state):
        error = state.theta.mean(axis=1) - state.bias
        return np.all(np.abs(error) <= 5 * np.sqrt(state.variance / self.runs) + 1e-12)

    @invariant("the bias falls at every step")
    def _forgets(self, state):
        return np.all(np.diff(state.bias) <= 0) and np.all(state.bias >= 0)

    @invariant("a constant step's variance rises towards its floor and never above it")
    def _floor(self, state):
        limit = sg.noise_floor(state.c, self.sigma)
        rising = np.all(np.diff(state.variance) >= -1e-12) and state.variance[-1] <= limit * (1 + 1e-9)
        return state.kind != "constant" or rising

    @invariant("a larger c leaves less of the start", along="c")
    def _sooner(self, before, after):
        return np.all(after.bias <= before.bias + 1e-12)

    @invariant("a larger c leaves more noise in the end", along="c")
    def _noisier(self, before, after):
        return after.variance[-1] >= before.variance[-1] * (1 - 1e-9)


class Batches(Explorer):
    """The first gradient of the diabetes fit, along body mass index, from m of the 442 patients."""

    height = 380
    m = Slider("m", "batch size", 1, 442, 221, step=1)
    runs = 600

    def prepare(self):
        X, y = load("diabetes").standardised()
        self.v = -2 * X[:, load("diabetes").features.index("bmi")] * y
        self.n = n = len(y)
        rng = np.random.default_rng(7)
        self.sizes = np.arange(1, n + 1)
        repeated = self.v[rng.integers(n, size=(self.runs, n))]
        once = rng.permuted(np.tile(self.v, (self.runs, 1)), axis=1)
        self.repeated, self.once = (np.cumsum(draws, axis=1) / self.sizes for draws in (repeated, once))
        self.curves = np.array([[sg.batch_variance(self.v, m, r) for m in self.sizes] for r in (True, False)])
        self.across = rng.uniform(-0.3, 0.3, size=self.runs)

    def compute(self, m):
        repeated, once = self.repeated[:, m - 1], self.once[:, m - 1]
        return SimpleNamespace(
            m=m,
            repeated=repeated,
            once=once,
            exact=self.curves[:, m - 1],
            simulated=np.array([np.mean((draws - self.v.mean()) ** 2) for draws in (repeated, once)]),
            kept=(self.n - m) / (self.n - 1),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "Without replacement the noise falls faster than 1/m, and ends at m = n")
        left.set_xlim(-0.6, 1.6)
        left.set_ylim(-260, 80)
        left.set_xticks([0, 1], ["with replacement", "without"])
        left.set_ylabel("gradient along bmi, 600 batches")
        left.grid(axis="x", visible=False)
        left.axhline(self.v.mean(), color=style.TRUTH, linewidth=1, linestyle="--")
        left.set_title("dashed: all patients (for small m some batches lie outside)", color=style.DATA, fontsize=9)
        (self.crosses,) = left.plot([], [], "x", color=style.ERROR, markersize=3.5, alpha=0.5)
        (self.points,) = left.plot([], [], "o", color=style.MODEL, markersize=3, alpha=0.4)
        right.set_xscale("log")
        right.set_yscale("log")
        right.set_xlim(0.9, 560)
        right.set_ylim(0.1, 6e4)
        right.set_xticks([1, 10, 100, 442], ["1", "10", "100", "442"])
        right.set_xlabel("m, batch size")
        right.set_ylabel("variance")
        right.plot(self.sizes, self.curves[0], color=style.ERROR, linestyle="--")
        right.plot(self.sizes[:-1], self.curves[1, :-1], color=style.MODEL)
        right.text(0.97, 0.95, "╌ × with replacement", color=style.ERROR, **_corner(right))
        right.text(0.97, 0.88, "─ • without", color=style.MODEL, **_corner(right))
        (self.cross,) = right.plot([], [], "x", color=style.ERROR, markersize=9, markeredgewidth=2)
        (self.point,) = right.plot([], [], "o", color=style.MODEL, markersize=7)
        self.readout = self.moving(right.text(0.03, 0.05, "", transform=right.transAxes, va="bottom"))
        for artist in (self.crosses, self.points, self.cross, self.point):
            self.moving(artist)

    def update(self, state):
        self.crosses.set_data(self.across, state.repeated)
        self.points.set_data(1 + self.across, state.once)
        self.cross.set_data([state.m], [state.simulated[0]])
        self.point.set_data([state.m], [max(state.simulated[1], 1e-9)])
        self.readout.set_text(f"with: {state.exact[0]:,.1f}\nwithout: {state.exact[1]:,.1f}\nshare {state.kept:.3f}")

    def describe(self, state):
        return (
            f"Batches of {state.m} of the 442 patients. The variance of the gradient along bmi is "
            f"{state.exact[0]:,.1f} with replacement and {state.exact[1]:,.1f} without, a share of {state.kept:.3f}; "
            f"600 simulated batches give {state.simulated[0]:,.1f} and {state.simulated[1]:,.1f}."
        )

    @invariant("600 batches agree with the formulas, within Monte-Carlo error")
    def _as_computed(self, state):
        excess = np.mean((self.v - self.v.mean()) ** 4) / np.var(self.v) ** 2 - 3
        spread = np.sqrt((2 + max(excess, 0) / state.m) / self.runs)
        return np.all(np.abs(state.simulated - state.exact) <= 5 * spread * state.exact + 1e-9)

    @invariant("without replacement is never noisier")
    def _less(self, state):
        return state.exact[1] <= state.exact[0]

    @invariant("with all patients and no replacement there is no noise")
    def _none(self, state):
        return state.m < self.n or (state.exact[1] == 0 and np.ptp(state.once) < 1e-9)

    @invariant("a larger batch is less noisy", along="m")
    def _calmer(self, before, after):
        return np.all(after.exact < before.exact)


def _corner(axes):
    return {"transform": axes.transAxes, "ha": "right", "va": "top", "fontweight": "bold", "fontsize": 9}
