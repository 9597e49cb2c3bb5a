"""The figures of 04 linear_regression."""

from types import SimpleNamespace

import numpy as np

from mlcore import linear_regression as lr
from mlcore.data import load
from mlcore.engine.explorers import Explorer, Pick, Slider, invariant, style, tell


class Slope(Explorer):
    """Body mass index and progression, both measured from their means: one slope, and what it misses."""

    height = 380
    a = Slider("a", "slope", -5.0, 25.0, 2.0, step=0.1)

    def prepare(self):
        patients = load("diabetes")
        bmi = patients.X[:, patients.features.index("bmi")]
        self.x, self.y = bmi - bmi.mean(), patients.y - patients.y.mean()
        self.slopes = np.linspace(self.a.low, self.a.high, 121)
        self.losses = np.array([self._loss(a) for a in self.slopes])
        self.best = lr.slope(self.x, self.y)

    def _loss(self, a):
        return lr.loss(np.array([a]), self.x[:, None], self.y)

    def compute(self, a):
        return SimpleNamespace(a=a, loss=self._loss(a))

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        left.set_xlim(-10, 17)
        left.set_ylim(-200, 260)
        left.set_xlabel("body mass index, from its mean")
        left.set_ylabel("progression, from its mean")
        left.set_title("No slope meets them all")
        left.scatter(self.x, self.y, s=7, color=style.DATA)
        (self.misses,) = left.plot([], [], color=style.ERROR, linewidth=0.7, alpha=0.4)
        (self.line,) = left.plot([], [], color=style.MODEL)
        right.set_xlim(self.a.low - 1, self.a.high + 1)
        right.set_ylim(1.4, 5.2)
        right.set_xlabel("a, slope")
        right.set_ylabel("sum of the squared misses, in millions")
        right.set_title("One slope misses least")
        right.plot(self.slopes, self.losses / 1e6, color=style.TRUTH)
        (self.dot,) = right.plot([], [], "o", color=style.ERROR, markersize=8)
        self.readout = right.text(0.5, 0.96, "", transform=right.transAxes, ha="center", va="top")
        for artist in (self.misses, self.line, self.dot, self.readout):
            self.moving(artist)

    def update(self, state):
        gap = np.full(len(self.x), np.nan)  # lifts the pen between two patients
        self.misses.set_data(
            np.column_stack([self.x, self.x, gap]).ravel(), np.column_stack([state.a * self.x, self.y, gap]).ravel()
        )
        ends = np.array([-10.0, 17.0])
        self.line.set_data(ends, state.a * ends)
        self.dot.set_data([state.a], [state.loss / 1e6])
        self.readout.set_text(f"a = {tell(state.a, 1)}: {state.loss / 1e6:.3f} million")

    def describe(self, state):
        return (
            f"The line with slope {tell(state.a, 1)} through 442 patients, body mass index against progression, both "
            f"from their means. Its squared misses add up to {state.loss / 1e6:.3f} million. As a function of the "
            f"slope this sum is a parabola, lowest at {self.best:.1f} with {self._loss(self.best) / 1e6:.3f} million."
        )

    @invariant("no slope has a smaller loss than (4.2)")
    def _least(self, state):
        return state.loss >= self._loss(self.best)

    @invariant("the loss grows with the square of the distance from the best slope, (4.7)")
    def _parabola(self, state):
        grown = np.sum(((state.a - self.best) * self.x) ** 2)
        return np.isclose(state.loss, self._loss(self.best) + grown)


class Features(Explorer):
    """Sixteen points, and a curve that is linear in its weights: powers of x, or bumps."""

    height = 380
    p = Slider("p", "degree or bumps", 0, 15, 12, step=1)
    kind = Pick("", "features", ("powers", "bumps"))
    floor, ceiling = 1e-5, 1e4

    def prepare(self):
        rng = np.random.default_rng(12)
        self.x = -1 + 2 * (np.arange(16) + rng.uniform(0.1, 0.9, size=16)) / 16
        self.y = self._truth(self.x) + 0.3 * rng.normal(size=16)
        self.x_new = rng.uniform(-1, 1, size=500)
        self.y_new = self._truth(self.x_new) + 0.3 * rng.normal(size=500)
        self.at = np.linspace(-1, 1, 400)
        degrees = range(16)
        self.fits = {kind: [self._fit(p, kind) for p in degrees] for kind in self.kind.options}

    def _truth(self, x):
        return np.sin(4 * x) + 0.5 * x

    def _columns(self, x, p, kind):
        if kind == "powers":
            return lr.powers(x, p)
        centres = np.linspace(-1, 1, p) if p > 1 else np.zeros(p)
        return lr.bumps(x, centres, h=2 / max(p, 2))

    def _fit(self, p, kind):
        X, X_new = self._columns(self.x, p, kind), self._columns(self.x_new, p, kind)
        w = lr.fit(X, self.y)
        return SimpleNamespace(
            p=p,
            kind=kind,
            w=w,
            slope=lr.gradient(w, X, self.y),
            train=lr.loss(w, X, self.y) / len(self.y),
            test=lr.loss(w, X_new, self.y_new) / len(self.y_new),
            curve=self._columns(self.at, p, kind) @ w,
        )

    def compute(self, p, kind):
        return self.fits[kind][p]

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        left.set_xlim(-1.02, 1.02)
        left.set_ylim(-2.4, 2.4)
        left.set_xlabel("x")
        left.set_title("More weights, more wiggles")
        left.plot(self.at, self._truth(self.at), color=style.TRUTH, linestyle="--", linewidth=1.5)
        left.text(-0.45, -1.6, "truth", color=style.TRUTH, fontweight="bold")
        left.scatter(self.x, self.y, color=style.DATA, s=26, zorder=3)
        (self.line,) = left.plot([], [], color=style.MODEL)
        right.set_xlim(-0.5, 15.5)
        right.set_xticks(range(0, 16, 3))
        right.set_ylim(self.floor, self.ceiling)
        right.set_yscale("log")
        right.set_xlabel("p")
        right.set_ylabel("mean squared error")
        right.set_title("Fitting better, predicting worse")
        (self.train,) = right.plot([], [], "o-", color=style.MODEL, markersize=3.5, linewidth=1.4)
        (self.test,) = right.plot([], [], "s-", color=style.ERROR, markersize=3.5, linewidth=1.4)
        right.text(0.1, 2.2, "on 500 new points", color=style.ERROR, fontweight="bold")
        right.text(0.1, 4e-3, "on the 16 points", color=style.MODEL, fontweight="bold")
        self.now = right.axvline(0, color=style.DATA, linewidth=1)
        self.readout = right.text(0.03, 0.97, "", transform=right.transAxes, va="top", backgroundcolor="white")
        for artist in (self.line, self.now, self.train, self.test, self.readout):
            self.moving(artist)

    def update(self, state):
        self.line.set_data(self.at, np.clip(state.curve, -5, 5))
        p = range(len(self.fits[state.kind]))
        self.train.set_data(p, [max(fit.train, 1e-9) for fit in self.fits[state.kind]])  # 16 weights: 0
        self.test.set_data(p, [fit.test for fit in self.fits[state.kind]])
        self.now.set_xdata([state.p, state.p])
        self.readout.set_text(
            f"{_weights(state.p)}\non the points {_short(state.train)}\non new ones {_short(state.test)}"
        )

    def describe(self, state):
        what = f"a polynomial of degree {state.p}" if state.kind == "powers" else f"a constant and {state.p} bumps"
        best = min(self.fits[state.kind], key=lambda fit: fit.test)
        return (
            f"16 points and {what}, that is {_weights(state.p)}. Mean squared error on the points "
            f"{_short(state.train)}, on 500 new ones {_short(state.test)}; the error on new points is smallest, "
            f"{_short(best.test)}, at p = {best.p}."
        )

    @invariant("the error on the points never rises with the degree", along="p")
    def _nested(self, before, after):
        return before.kind == "bumps" or after.train <= before.train * (1 + 1e-9)

    @invariant("sixteen weights meet sixteen points")
    def _interpolates(self, state):
        return state.p < 15 or state.train < 1e-18

    @invariant("the gradient vanishes at the fit")
    def _stationary(self, state):
        return np.abs(state.slope).max() < 1e-8 * (1 + np.abs(state.w).max())

    @invariant("the error on new points is neither smallest at p = 0 nor at p = 15")
    def _in_between(self, state):
        tests = [fit.test for fit in self.fits[state.kind]]
        return 0 < np.argmin(tests) < 15


def _weights(p):
    return "1 weight" if p == 0 else f"{p + 1} weights"


def _short(error):
    """Two digits, without an exponent; 0 for what is only rounding."""
    return "0" if error < 1e-15 else np.format_float_positional(error, precision=2, fractional=False, trim="-")


class Patients(Explorer):
    """Ten weights from n patients: what XᵀX knows, and how the fit does on all the others."""

    height = 380
    n = Slider("n", "patients", 2, 40, 10, step=1)
    runs, d = 100, 10

    def prepare(self):
        self.X, self.y = load("diabetes").standardised()
        rng = np.random.default_rng(0)
        orders = [rng.permutation(len(self.y)) for _ in range(self.runs)]
        self.shown = orders[0]
        self.counts = np.arange(self.n.low, self.n.high + 1)
        self.errors = np.array([np.median([self._error(order, n) for order in orders]) for n in self.counts])

    def _fit(self, order, n):
        solve = lr.minimum_norm if n < self.d else lr.fit
        return solve(self.X[order[:n]], self.y[order[:n]])

    def _error(self, order, n):
        """The mean squared error on the patients left out, in units of the variance of y."""
        left_out = order[n:]
        return lr.loss(self._fit(order, n), self.X[left_out], self.y[left_out]) / len(left_out) / np.var(self.y)

    def compute(self, n):
        X, y = self.X[self.shown[:n]], self.y[self.shown[:n]]
        eigenvalues = np.zeros(self.d)
        eigenvalues[: min(n, self.d)] = np.linalg.svd(X, compute_uv=False) ** 2
        return SimpleNamespace(
            n=n,
            eigenvalues=eigenvalues,
            rank=np.linalg.matrix_rank(X),
            condition=eigenvalues[0] / eigenvalues[-1] if n >= self.d else np.inf,
            train=lr.loss(self._fit(self.shown, n), X, y) / np.sum(y**2),
            error=self.errors[n - self.n.low],
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        left.set_xlim(0.3, 10.7)
        left.set_ylim(1e-3, 1e4)
        left.set_yscale("log")
        left.set_xticks(range(1, 11))
        left.set_xlabel("direction")
        left.set_ylabel("eigenvalue of XᵀX")
        left.set_title("n patients fill n directions")
        (self.known,) = left.plot([], [], "o", color=style.MODEL, markersize=6)
        (self.unknown,) = left.plot([], [], "x", color=style.ERROR, markersize=8, markeredgewidth=2)
        self.words = left.text(0.97, 0.96, "", transform=left.transAxes, ha="right", va="top")
        right.set_xlim(0, 41)
        right.set_ylim(0.4, 40)
        right.set_yscale("log")
        right.set_yticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
        right.set_xlabel("n, patients")
        right.set_ylabel("error on the others, in variances of y")
        right.set_title("As many points as weights is worst")
        right.plot(self.counts, self.errors, color=style.TRUTH)
        right.axhline(1, color=style.REFERENCE, linewidth=1.2, linestyle="--")
        right.text(40.5, 1.18, "the mean as a guess", color=style.REFERENCE, ha="right", fontweight="bold")
        (self.dot,) = right.plot([], [], "o", color=style.ERROR, markersize=8)
        self.readout = right.text(0.97, 0.96, "", transform=right.transAxes, ha="right", va="top")
        for artist in (self.known, self.unknown, self.words, self.dot, self.readout):
            self.moving(artist)

    def update(self, state):
        direction = np.arange(1, self.d + 1)
        zero = direction > state.rank
        self.known.set_data(direction[~zero], state.eigenvalues[~zero])
        self.unknown.set_data(direction[zero], np.full(zero.sum(), 1.6e-3))
        condition = "∞" if np.isinf(state.condition) else f"{state.condition:,.0f}"
        exactly = f"\n× {zero.sum()} eigenvalues are 0" if zero.any() else ""
        self.words.set_text(f"rank {state.rank}, condition number {condition}{exactly}")
        self.dot.set_data([state.n], [state.error])
        self.readout.set_text(f"n = {state.n}: error {state.error:.2f}")

    def describe(self, state):
        condition = "infinite" if np.isinf(state.condition) else f"{state.condition:,.0f}"
        return (
            f"Ten weights fitted to {state.n} patients. XᵀX has rank {state.rank}; its condition number is "
            f"{condition}. The mean squared error on the other patients is {state.error:.2f} times the variance of y, "
            f"where a guess of the mean has 1: the median of {self.runs} draws of the patients."
        )

    @invariant("the rank is the smaller of n and d")
    def _rank(self, state):
        return state.rank == min(state.n, self.d)

    @invariant("up to n = d every patient is met exactly")
    def _exact(self, state):
        return (state.train < 1e-12) == (state.n <= self.d)

    @invariant("one more patient lowers no eigenvalue", along="n")
    def _fills(self, before, after):
        return np.all(after.eigenvalues >= before.eigenvalues * (1 - 1e-9))

    @invariant("the error on the other patients is largest at n = d")
    def _peak(self, state):
        return self.counts[np.argmax(self.errors)] == self.d
