"""The figures of 26 bayesian_regression."""

from types import SimpleNamespace

import numpy as np
from matplotlib.collections import LineCollection

from mlcore import bayesian_regression as bayes
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Slider, invariant, style, tell

DOUBLING = float(np.log10(2))  # one step of a slider for a spread


def patients(seed=4):
    """Body mass index and progress of the disease of the 442 patients, both standardised, in a random order."""
    data = load("diabetes")
    X, y = data.standardised()
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order, data.features.index("bmi")], y[order] / y.std()


def line_features(x):
    """A column of ones and x: the weights are height and slope of a line."""
    return np.column_stack([np.ones(len(x)), x])


def _many(n, one, more):
    """A number with its noun."""
    return f"{n} {one if n == 1 else more}"


class Groups(Explorer):
    """Least squares lines through different groups of patients."""

    height = 380
    n = Slider("n", "patients in a group", 5, 80, 10, step=5)
    groups, far = 60, 5.0

    def prepare(self):
        self.x, self.y = patients()
        rng = np.random.default_rng(1)
        self.chosen = np.array([rng.permutation(len(self.x))[:80] for _ in range(self.groups)])
        self.ends = np.array([-4.0, 6.0])

    def compute(self, n):
        x, y = self.x[self.chosen[:, :n]], self.y[self.chosen[:, :n]]
        dx = x - x.mean(axis=1, keepdims=True)
        slope = np.sum(dx * y, axis=1) / np.sum(dx**2, axis=1)
        height = y.mean(axis=1) - slope * x.mean(axis=1)
        return SimpleNamespace(
            n=n,
            lines=height[:, None] + slope[:, None] * self.ends,
            middle=np.std(height),
            edge=np.std(height + slope * self.far),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-4, 6)
        axes.set_ylim(-4, 6)
        axes.set_xlabel("body mass index, standardised")
        axes.set_ylabel("progress, standardised")
        axes.set_title("Lines through different patients agree in the middle and part at the edges")
        axes.scatter(self.x, self.y, s=9, color=style.TRUTH, alpha=0.45, linewidths=0)
        self.lines = LineCollection([], colors=style.MODEL, linewidths=1, alpha=0.4)
        axes.add_collection(self.lines)
        self.moving(self.lines)
        self.says = self.moving(axes.text(0.015, 0.97, "", transform=axes.transAxes, va="top", linespacing=1.4))

    def update(self, state):
        self.lines.set_segments([np.column_stack([self.ends, line]) for line in state.lines])
        self.says.set_text(
            f"{self.groups} groups of {state.n} patients; spread of the lines\n"
            f"at index 0: {state.middle:.2f},  at index {self.far:.0f}: {state.edge:.2f}"
        )

    def describe(self, state):
        return (
            f"Least squares lines through {self.groups} random groups of {state.n} of the 442 patients. In the middle, "
            f"at a standardised index of 0, the lines have a spread of {state.middle:.2f}; at {self.far:.0f}, beyond "
            f"the patients, of {state.edge:.2f}."
        )

    @invariant("the lines differ more at the edge than in the middle")
    def _fan(self, state):
        return state.edge > 2 * state.middle

    @invariant("the spread falls roughly like one over the root of n")
    def _shrinks(self, state):
        return 0.6 < state.middle * np.sqrt(state.n) < 1.6


class Band(Explorer):
    """The posterior line through n patients, with the band of the line and of a new patient."""

    height = 430
    n = Slider("n", "patients", 0, 30, 8, step=1, play=True)
    tau = LogSlider("τ", "spread of the prior", 0.125, 8.0, 1.0, step=DOUBLING)
    sigma = LogSlider("σ", "noise", 0.2, 1.6, 0.8, step=DOUBLING)

    def prepare(self):
        x, y = patients()
        self.x, self.y = x[:30], y[:30]
        self.at = np.linspace(-6, 8, 141)
        self.grid = line_features(self.at)

    def compute(self, n, tau, sigma):
        w, V = bayes.posterior(line_features(self.x[:n]), self.y[:n], sigma, tau)
        mean, var = bayes.predictive(self.grid, w, V, sigma)
        return SimpleNamespace(
            n=n,
            tau=tau,
            sigma=sigma,
            w=w,
            mean=mean,
            line=np.sqrt(var - sigma**2),
            new=np.sqrt(var),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-6, 8)
        axes.set_ylim(-8, 10.5)
        axes.set_xlabel("body mass index, standardised")
        axes.set_ylabel("progress, standardised")
        axes.set_title("Away from the patients the line itself is in doubt")
        (self.flat_low,) = axes.plot([], [], color=style.ERROR, linestyle=":", linewidth=1.5)
        (self.flat_high,) = axes.plot([], [], color=style.ERROR, linestyle=":", linewidth=1.5)
        (self.low,) = axes.plot([], [], color=style.SECOND, linestyle="--", linewidth=1.6)
        (self.high,) = axes.plot([], [], color=style.SECOND, linestyle="--", linewidth=1.6)
        (self.line_low,) = axes.plot([], [], color=style.MODEL, linewidth=1)
        (self.line_high,) = axes.plot([], [], color=style.MODEL, linewidth=1)
        (self.mean,) = axes.plot([], [], color=style.MODEL, linewidth=2.4)
        (self.dots,) = axes.plot([], [], "o", color=style.DATA, markersize=4.5)
        self.says = axes.text(0.985, 0.04, "", transform=axes.transAxes, ha="right")
        for artist in (
            self.flat_low,
            self.flat_high,
            self.low,
            self.high,
            self.line_low,
            self.line_high,
            self.mean,
            self.dots,
            self.says,
        ):
            self.moving(artist)
        for y, text, colour in (
            (9.6, "— posterior mean, with ± 2 spreads of the line", style.MODEL),
            (8.6, "- - ± 2 spreads of a new patient", "#8e4a75"),
            (7.6, "··· ± 2σ, what a single line would say", style.ERROR),
        ):
            axes.text(-5.8, y, text, color=colour, fontweight="bold")

    def update(self, state):
        at = self.at
        self.mean.set_data(at, state.mean)
        self.line_low.set_data(at, state.mean - 2 * state.line)
        self.line_high.set_data(at, state.mean + 2 * state.line)
        self.low.set_data(at, state.mean - 2 * state.new)
        self.high.set_data(at, state.mean + 2 * state.new)
        self.flat_low.set_data(at, state.mean - 2 * state.sigma)
        self.flat_high.set_data(at, state.mean + 2 * state.sigma)
        self.dots.set_data(self.x[: state.n], self.y[: state.n])
        self.says.set_text(
            f"{_many(state.n, 'patient', 'patients')}, slope {tell(state.w[1], 2)}\nspread for a new patient "
            f"at 0: {self._spread(state, 0):.2f}, at 6: {self._spread(state, 6):.2f}"
        )

    def _spread(self, state, x):
        return np.interp(x, self.at, state.new)

    def describe(self, state):
        return (
            f"Line through {_many(state.n, 'patient', 'patients')} with σ = {state.sigma:.3g} and "
            f"τ = {state.tau:.3g}: height "
            f"{tell(state.w[0], 2)}, slope {tell(state.w[1], 2)}. The spread for a new patient is "
            f"{self._spread(state, 0):.2f} at index 0 and {self._spread(state, 6):.2f} at index 6, far from the "
            f"patients; a single line would say {state.sigma:.3g} everywhere."
        )

    @invariant("a new patient is never more certain than the noise")
    def _noise(self, state):
        return np.all(state.new >= state.sigma)

    @invariant("the band widens away from its narrowest place on both sides")
    def _widens(self, state):
        narrow = np.argmin(state.new)
        steps = np.diff(state.new)
        return np.all(steps[:narrow] < 1e-12) and np.all(steps[narrow:] > -1e-12)

    @invariant("another patient never widens the band anywhere", along="n")
    def _collapses(self, before, after):
        return np.all(after.line <= before.line + 1e-9)

    @invariant("a vaguer prior never narrows the band", along="tau")
    def _prior(self, before, after):
        return np.all(after.line >= before.line - 1e-9)


class Draws(Explorer):
    """Draws of the weights, and the lines that they are."""

    height = 400
    n = Slider("n", "patients", 0, 30, 3, step=1, play=True)
    place = Slider("x₊", "index of a new patient", -5.0, 6.0, 4.0, step=0.5)
    handful = Slider("k", "another handful of draws", 1, 20, 1, step=1)
    sigma, tau, count = 0.8, 1.0, 40

    def prepare(self):
        x, y = patients()
        self.x, self.y = x[:30], y[:30]
        self.noise = [np.random.default_rng(k).normal(size=(self.count, 2)) for k in range(1, 21)]
        self.circle = np.array([np.cos(t := np.linspace(0, 2 * np.pi, 90)), np.sin(t)])
        self.ends = np.array([-5.5, 6.5])

    def compute(self, n, place, handful):
        w, V = bayes.posterior(line_features(self.x[:n]), self.y[:n], self.sigma, self.tau)
        root = np.linalg.cholesky(V)
        W = w + self.noise[handful - 1] @ root.T
        at_place = np.array([1.0, place])
        return SimpleNamespace(
            n=n,
            place=place,
            w=w,
            V=V,
            W=W,
            ellipse=w[:, None] + 2 * root @ self.circle,
            mean=at_place @ w,
            spread=np.sqrt(at_place @ V @ at_place),
            drawn=(W @ at_place).mean(),
            drawn_spread=(W @ at_place).std(),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.35))
        style.headline(figure, "Every point of the ellipse is a line; the data shrink both")
        left.set_xlim(-3, 3)
        left.set_ylim(-3, 3.1)
        left.set_aspect("equal")
        left.set_xlabel("height of the line")
        left.set_ylabel("slope of the line")
        (self.ellipse,) = left.plot([], [], color=style.MODEL)
        (self.points,) = left.plot([], [], "o", color=style.SECOND, markersize=3.5, alpha=0.8)
        (self.centre,) = left.plot([], [], "+", color=style.MODEL, markersize=13, markeredgewidth=2.2)
        left.text(-2.9, 2.6, "● drawn weights", color="#8e4a75", fontweight="bold")
        left.text(-2.9, 2.15, "+ mean, — 2 spreads", color=style.MODEL, fontweight="bold")
        right.set_xlim(-5.5, 6.5)
        right.set_ylim(-9, 13)
        right.set_xlabel("body mass index, standardised")
        right.set_ylabel("progress, standardised")
        self.lines = LineCollection([], colors=style.SECOND, linewidths=1, alpha=0.45)
        right.add_collection(self.lines)
        (self.mean,) = right.plot([], [], color=style.MODEL)
        (self.dots,) = right.plot([], [], "o", color=style.DATA, markersize=5)
        (self.bar,) = right.plot([], [], color=style.REFERENCE, linewidth=4)
        self.says = right.text(0.02, 0.97, "", transform=right.transAxes, va="top", linespacing=1.4)
        for artist in (self.ellipse, self.points, self.centre, self.lines, self.mean, self.dots, self.bar, self.says):
            self.moving(artist)

    def update(self, state):
        self.ellipse.set_data(*state.ellipse)
        self.points.set_data(*state.W.T)
        self.centre.set_data(*state.w[:, None])
        lines = state.W @ np.array([[1.0, 1.0], self.ends])
        self.lines.set_segments([np.column_stack([self.ends, line]) for line in lines])
        self.mean.set_data(self.ends, state.w @ np.array([[1.0, 1.0], self.ends]))
        self.dots.set_data(self.x[: state.n], self.y[: state.n])
        self.bar.set_data([state.place, state.place], [state.mean - 2 * state.spread, state.mean + 2 * state.spread])
        self.says.set_text(
            f"the line at x₊ = {tell(state.place, 1)}\n"
            f"▬ exact: {tell(state.mean, 2)} ± {state.spread:.2f}\n"
            f"{self.count} draws: {tell(state.drawn, 2)} ± {state.drawn_spread:.2f}"
        )

    def describe(self, state):
        return (
            f"After {_many(state.n, 'patient', 'patients')} the line has height "
            f"{tell(state.w[0], 2)} ± {np.sqrt(state.V[0, 0]):.2f} and "
            f"slope {tell(state.w[1], 2)} ± {np.sqrt(state.V[1, 1]):.2f}. At x₊ = {tell(state.place, 1)} it is exactly "
            f"{tell(state.mean, 2)} ± {state.spread:.2f}; the {self.count} drawn lines give {tell(state.drawn, 2)} ± "
            f"{state.drawn_spread:.2f}."
        )

    @invariant("the draws agree with the exact mean as far as forty can")
    def _close(self, state):
        return abs(state.drawn - state.mean) < 4 * state.spread / np.sqrt(self.count)

    @invariant("the ellipse is where the exponent has fallen by 2")
    def _level(self, state):
        off = state.ellipse - state.w[:, None]
        return np.allclose(np.sum(off * np.linalg.solve(state.V, off), axis=0), 4)

    @invariant("another patient never grows the ellipse", along="n")
    def _shrinks(self, before, after):
        return np.linalg.det(after.V) <= np.linalg.det(before.V) * (1 + 1e-9)


class Degrees(Explorer):
    """Polynomials of every degree through the same points: training error and evidence."""

    height = 400
    degree = Slider("p", "degree", 0, 9, 3, step=1)
    tau = LogSlider("τ", "spread of the prior", 1.0, 64.0, 2.0, step=DOUBLING)
    sigma, n, degrees = 0.3, 24, 10

    def prepare(self):
        rng = np.random.default_rng(12)
        self.x = np.sort(rng.uniform(-1, 1, self.n))
        self.y = self._truth(self.x) + self.sigma * rng.normal(size=self.n)
        self.at = np.linspace(-1, 1, 200)
        self.least = np.array(
            [np.sum((self.y - np.polyval(np.polyfit(self.x, self.y, p), self.x)) ** 2) for p in range(self.degrees)]
        )

    def _truth(self, x):
        return 4 * x**3 - 3 * x + 0.4

    def _powers(self, x, degree):
        return x[:, None] ** np.arange(degree + 1)

    def compute(self, degree, tau):
        w, V = bayes.posterior(self._powers(self.x, degree), self.y, self.sigma, tau)
        mean, var = bayes.predictive(self._powers(self.at, degree), w, V, self.sigma)
        logs = [bayes.log_evidence(self._powers(self.x, p), self.y, self.sigma, tau) for p in range(self.degrees)]
        return SimpleNamespace(
            degree=degree,
            tau=tau,
            mean=mean,
            spread=np.sqrt(var - self.sigma**2),
            logs=np.array(logs),
            best=int(np.argmax(logs)),
            error=self.least / self.n,
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        style.headline(figure, "The likelihood always rises with the degree; the evidence has a maximum")
        left.set_xlim(-1.02, 1.02)
        left.set_ylim(-2.2, 3.2)
        left.set_xlabel("x")
        left.plot(self.at, self._truth(self.at), color=style.TRUTH, linestyle="--", linewidth=1.4)
        left.scatter(self.x, self.y, color=style.DATA, s=18, zorder=3)
        (self.mean,) = left.plot([], [], color=style.MODEL)
        (self.low,) = left.plot([], [], color=style.MODEL, linewidth=1)
        (self.high,) = left.plot([], [], color=style.MODEL, linewidth=1)
        self.says = left.text(0.02, 0.97, "", transform=left.transAxes, va="top", linespacing=1.4)
        left.text(-0.98, -2.05, "- - truth, degree 3   — posterior mean ± 2 spreads", fontsize=9, color="#555555")
        right.set_xlim(-0.6, 9.6)
        right.set_ylim(-72, 32)
        right.set_yticks([-60, -40, -20, 0])
        right.set_xticks(range(10))
        right.set_xlabel("degree")
        (self.logs,) = right.plot([], [], "o-", color=style.MODEL)
        (self.fit,) = right.plot([], [], "s:", color=style.ERROR, markersize=4.5)
        (self.here,) = right.plot([], [], "o", color="white", markeredgecolor=style.MODEL, markersize=11)
        right.text(0.0, 26, "● log evidence", color=style.MODEL, fontweight="bold")
        right.text(0.0, 19, "■ largest log-likelihood", color=style.ERROR, fontweight="bold")
        for artist in (self.mean, self.low, self.high, self.says, self.here, self.logs, self.fit):
            self.moving(artist)

    def update(self, state):
        self.mean.set_data(self.at, state.mean)
        self.low.set_data(self.at, state.mean - 2 * state.spread)
        self.high.set_data(self.at, state.mean + 2 * state.spread)
        self.logs.set_data(range(10), state.logs)
        self.fit.set_data(range(10), self._top(state))
        self.here.set_data([state.degree], [state.logs[state.degree]])
        self.says.set_text(
            f"degree {state.degree}, τ = {state.tau:.3g}\nmean squared error {state.error[state.degree]:.3f}\n"
            f"log evidence {tell(state.logs[state.degree], 1)},  largest at degree {state.best}"
        )

    def _top(self, state):
        """The log-likelihood of the least squares fit."""
        return -state.error * self.n / (2 * self.sigma**2) - self.n * np.log(np.sqrt(2 * np.pi) * self.sigma)

    def describe(self, state):
        return (
            f"A polynomial of degree {state.degree} with τ = {state.tau:.3g} through {self.n} points of a cubic: least "
            f"squares leaves a mean squared error of {state.error[state.degree]:.3f}, the log evidence is "
            f"{tell(state.logs[state.degree], 1)}. It is largest at degree {state.best}, "
            f"{tell(state.logs[state.best], 1)}."
        )

    @invariant("the training error never rises with the degree")
    def _falls(self, state):
        return np.all(np.diff(state.error) <= 1e-12)

    @invariant("an average of likelihoods is below their maximum")
    def _below(self, state):
        return np.all(state.logs < self._top(state))

    @invariant("the evidence is largest inside, and at the true degree unless the prior is too narrow for it")
    def _occam(self, state):
        return state.best == (3 if state.tau > 1.5 else 5)


class Chance(Explorer):
    """The probability of virginica from the length of a petal: one ŵ, and the average over all w."""

    height = 400
    n = Slider("n", "flowers of each species", 2, 50, 4, step=1)
    tau = LogSlider("τ", "spread of the prior", 0.5, 32.0, 4.0, step=DOUBLING)

    def prepare(self):
        iris = load("iris")
        rng = np.random.default_rng(2)
        column = iris.features.index("petal_length")
        self.kinds = [rng.permutation(iris.X[iris.y == kind, column]) for kind in (1, 2)]
        self.at = np.linspace(2.5, 8.5, 121)
        self.grid = self._features(self.at)
        self.marks = slice(None, None, 5)

    def _features(self, length):
        return line_features((length - 4.9) / 0.8)

    def compute(self, n, tau):
        length = np.concatenate([kind[:n] for kind in self.kinds])
        y = np.repeat([0.0, 1.0], n)
        X = self._features(length)
        w = bayes.logistic_map(X, y, tau)
        V = bayes.laplace(X, w, tau)
        m, v = self.grid @ w, np.sum(self.grid @ V * self.grid, axis=1)
        return SimpleNamespace(
            n=n,
            tau=tau,
            length=length,
            y=y,
            w=w,
            slope=np.abs(X.T @ (bayes.sigmoid(X @ w) - y) + w / tau**2).max(),
            one=bayes.sigmoid(m),
            average=bayes.averaged_chance(m, v),
            integral=bayes.chance(m[self.marks], v[self.marks]),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(2.5, 8.5)
        axes.set_ylim(-0.06, 1.22)
        axes.set_yticks(np.linspace(0, 1, 5))
        axes.set_xlabel("petal length in cm")
        axes.set_ylabel("probability of virginica")
        axes.set_title("Averaged over all weights, the forecast is less sure than the best weights are")
        axes.axhline(0.5, color=style.TRUTH, linewidth=1)
        (self.one,) = axes.plot([], [], color=style.ERROR, linestyle=":")
        (self.average,) = axes.plot([], [], color=style.MODEL)
        (self.integral,) = axes.plot([], [], "o", color=style.REFERENCE, markersize=5, markerfacecolor="white")
        (self.zeros,) = axes.plot([], [], "|", color=style.DATA, markersize=10)
        (self.ones,) = axes.plot([], [], "|", color=style.DATA, markersize=10)
        self.says = axes.text(8.45, 0.1, "", ha="right", linespacing=1.4)
        for artist in (self.one, self.average, self.integral, self.zeros, self.ones, self.says):
            self.moving(artist)
        for x, text, colour in (
            (2.55, "··· the best weights ŵ alone", style.ERROR),
            (4.68, "— averaged, by the formula", style.MODEL),
            (6.7, "○ averaged, the integral", style.REFERENCE),
        ):
            axes.text(x, 1.13, text, color=colour, fontweight="bold")

    def update(self, state):
        self.one.set_data(self.at, state.one)
        self.average.set_data(self.at, state.average)
        self.integral.set_data(self.at[self.marks], state.integral)
        self.zeros.set_data(state.length[state.y == 0], np.full(state.n, -0.03))
        self.ones.set_data(state.length[state.y == 1], np.full(state.n, 1.03))
        self.says.set_text(
            f"a petal of 7 cm: {self._at(state.one, 7):.3f} by ŵ alone,\n"
            f"{self._at(state.average, 7):.3f} by the formula, {self._integral(state, 7):.3f} by the integral"
        )

    def _at(self, curve, length):
        return np.interp(length, self.at, curve)

    def _integral(self, state, length):
        return np.interp(length, self.at[self.marks], state.integral)

    def describe(self, state):
        return (
            f"Logistic regression on {state.n} flowers of each species with τ = {state.tau:.3g}. For a petal of 7 cm "
            f"the best weights alone give virginica the probability {self._at(state.one, 7):.3f}; averaged over the "
            f"Laplace posterior it is {self._integral(state, 7):.3f}, by the formula "
            f"{self._at(state.average, 7):.3f}."
        )

    @invariant("averaging brings every probability nearer to one half")
    def _calmer(self, state):
        return np.all(np.abs(state.average - 0.5) <= np.abs(state.one - 0.5) + 1e-12)

    @invariant("the formula is within 0.02 of the integral")
    def _close(self, state):
        return np.abs(state.average[self.marks] - state.integral).max() < 0.02

    @invariant("the slope of J vanishes at ŵ")
    def _stationary(self, state):
        return state.slope < 1e-7
