"""The figures of 03 maximum_likelihood."""

from types import SimpleNamespace

import numpy as np

from mlcore import maximum_likelihood as ml
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Slider, invariant, style


def petals():
    """Petal lengths of the 50 versicolor, in centimetres."""
    iris = load("iris")
    return iris.X[iris.y == 1, iris.features.index("petal_length")]


class Flowers(Explorer):
    """Fifty petals and three Gaussians that might have made them."""

    height = 340
    curves = ((4.0, 0.5), (4.3, 0.45), (4.3, 0.8))

    def compute(self):
        x = petals()
        return SimpleNamespace(x=x, logs=[ml.gaussian_log_likelihood(x, mu, sigma) for mu, sigma in self.curves])

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(1.9, 6.7)
        axes.set_ylim(0, 1.08)
        axes.set_xlabel("petal length in cm")
        axes.set_ylabel("share of flowers per cm")
        axes.set_title("Three bell curves claim the same fifty flowers")
        x, at = petals(), np.linspace(1.9, 6.7, 300)
        axes.hist(x, bins=np.arange(2.85, 5.3, 0.3), density=True, color="#d9d9d9", edgecolor="white")
        axes.plot(x, np.full(len(x), 0.02), "|", color=style.DATA, markersize=9)
        looks = ((style.SECOND, "--"), (style.MODEL, "-"), (style.ERROR, ":"))
        places = ((3.5, 0.62, "right"), (4.72, 0.72, "left"), (5.4, 0.24, "left"))
        for i, ((mu, sigma), (colour, line), (left, up, side)) in enumerate(
            zip(self.curves, looks, places, strict=True), start=1
        ):
            height = [np.exp(ml.gaussian_log_likelihood(np.array([v]), mu, sigma)) for v in at]
            axes.plot(at, height, line, color=colour)
            says = f"curve {i}\nmean {mu}, spread {sigma}"
            axes.text(left, up, says, color=colour, ha=side, fontweight="bold")

    def describe(self, state):
        told = ", ".join(f"curve {i} has mean {m} and spread {s}" for i, (m, s) in enumerate(self.curves, start=1))
        return (
            f"Petal lengths of 50 flowers between {state.x.min():.1f} and {state.x.max():.1f} cm, most of them between "
            f"4 and 4.8, and three bell curves: {told}."
        )

    @invariant("the second curve has the largest likelihood of the three")
    def _second(self, state):
        return np.argmax(state.logs) == 1


class Coins(Explorer):
    """The likelihood of every coin after six tosses, with the coins A and B marked."""

    height = 400
    tosses = 6
    heads = Slider("m₁", "heads in six tosses", 0, 6, 4, step=1)
    theta = Slider("θ", "another coin", 0.01, 0.99, 0.75, step=0.01)
    A, B = 0.5, 0.9

    def prepare(self):
        self.at = np.linspace(0.002, 0.998, 499)

    def compute(self, heads, theta):
        tails = self.tosses - heads
        return SimpleNamespace(
            heads=heads,
            theta=theta,
            curve=ml.likelihood(self.at, heads, tails),
            here=ml.likelihood(theta, heads, tails),
            A=ml.likelihood(self.A, heads, tails),
            B=ml.likelihood(self.B, heads, tails),
            best=ml.coin_fit(heads, tails),
            top=ml.likelihood(ml.coin_fit(heads, tails), heads, tails),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_yscale("log")
        axes.set_xlim(0, 1)
        axes.set_ylim(3e-7, 500)
        axes.set_yticks(10.0 ** np.arange(-6, 1))
        axes.set_xlabel("θ, probability of heads")
        axes.set_ylabel("likelihood L(θ)")
        axes.set_title("Six tosses: coin B overtakes coin A only from five heads on")
        (self.curve,) = axes.plot([], [], color=style.MODEL)
        self.moving(self.curve)
        self.stems, self.dots, self.names = [], [], []
        for place, name, colour, marker in ((self.A, "A", style.REFERENCE, "s"), (self.B, "B", style.ERROR, "D")):
            self.stems.append(self.moving(axes.plot([], [], color=colour, linewidth=1.2)[0]))
            self.dots.append(self.moving(axes.plot([], [], marker, color=colour, markersize=8)[0]))
            self.names.append(
                self.moving(axes.text(place - 0.025, 6e-7, f"coin {name}", color=colour, ha="right", fontweight="bold"))
            )
        (self.best,) = axes.plot([], [], "^", color=style.DATA, markersize=8, clip_on=False)
        self.moving(self.best)
        (self.here,) = axes.plot([], [], "o", color=style.SECOND, markersize=8)
        self.moving(self.here)
        self.readout = self.moving(
            axes.text(0.015, 0.97, "", transform=axes.transAxes, va="top", fontsize=9.5, linespacing=1.35)
        )

    def update(self, state):
        self.curve.set_data(self.at, state.curve)
        for place, value, stem, dot in zip((self.A, self.B), (state.A, state.B), self.stems, self.dots, strict=True):
            stem.set_data([place, place], [1e-9, value])
            dot.set_data([place], [value])
        self.best.set_data([state.best], [state.top])
        self.here.set_data([state.theta], [state.here])
        better, worse = ("A", "B") if state.A > state.B else ("B", "A")
        ratio = max(state.A, state.B) / min(state.A, state.B)
        times = f"{ratio:.3g}" if ratio < 1000 else f"{ratio:,.0f}"
        self.readout.set_text(
            f"{self._sequence(state.heads)}: {better} is {times} times as likely as {worse}\n"
            f"▲ largest at θ = {state.best:.3g}: {state.top:.3g}\n● at θ = {state.theta:.2f}: {state.here:.3g}"
        )

    def _sequence(self, heads):
        return "H" * heads + "T" * (self.tosses - heads)

    def describe(self, state):
        return (
            f"After {self._sequence(state.heads)} the likelihood is {state.A:.3g} for coin A (θ = 0.5), {state.B:.3g} "
            f"for coin B (θ = 0.9) and {state.here:.3g} for θ = {state.theta:.2f}. It is largest, {state.top:.3g}, at "
            f"θ = {state.best:.3g}."
        )

    @invariant("no coin is more likely than the share of heads")
    def _largest(self, state):
        return max(state.curve.max(), state.A, state.B, state.here) <= state.top * (1 + 1e-12)

    @invariant("coin B wins from five heads on")
    def _winner(self, state):
        return (state.B > state.A) == (state.heads >= 5)

    @invariant("coin B gains with every head", along="heads")
    def _gains(self, before, after):
        return after.B / after.A >= before.B / before.A * (1 - 1e-12)


class Cliff(Explorer):
    """Draws from [−θ, θ]: which θ are possible, and how likely each of them is."""

    height = 420
    theta = Slider("θ", "half-width", 0.5, 6.0, 2.3, step=0.02)
    n = Slider("n", "points", 2, 30, 8, step=1)

    def prepare(self):
        self.x = np.random.default_rng(120).uniform(-3, 3, 30)
        self.at = np.linspace(0.5, 6.0, 800)

    def compute(self, theta, n):
        x = self.x[:n]
        best = ml.uniform_fit(x)
        top = ml.uniform_likelihood(best, x)
        return SimpleNamespace(
            theta=theta,
            x=x,
            best=best,
            curve=ml.uniform_likelihood(self.at, x) / top,
            here=float(ml.uniform_likelihood(theta, x) / top),
            outside=int(np.sum(np.abs(x) > theta)),
        )

    def draw(self, figure):
        above, below = figure.subplots(2, 1, height_ratios=(1, 2.4))
        above.set_xlim(-6.2, 6.2)
        above.set_ylim(-1, 1.3)
        above.set_yticks([])
        above.set_xlabel("x")
        above.set_title("The likelihood is largest at the edge of a cliff, not where a slope is zero")
        (self.bar,) = above.plot([], [], color=style.SECOND, linewidth=9, alpha=0.35, solid_capstyle="butt")
        (self.inside,) = above.plot([], [], "o", color=style.DATA, markersize=5)
        (self.out,) = above.plot([], [], "x", color=style.ERROR, markersize=8, markeredgewidth=2)
        self.span = above.text(0, 0.55, "", color="#8e4a75", ha="center", fontweight="bold")
        below.set_xlim(0.5, 6.0)
        below.set_ylim(-0.04, 1.15)
        below.set_xlabel("θ, half-width of the interval")
        below.set_ylabel("L(θ) / largest L")
        (self.curve,) = below.plot([], [], color=style.MODEL)
        (self.best,) = below.plot([], [], "^", color=style.MODEL, markersize=9)
        (self.here,) = below.plot([], [], "o", color=style.SECOND, markersize=9, clip_on=False)
        self.readout = below.text(0.985, 0.95, "", transform=below.transAxes, ha="right", va="top")
        for artist in (
            self.bar,
            self.inside,
            self.out,
            self.span,
            self.curve,
            self.best,
            self.here,
            self.readout,
        ):
            self.moving(artist)

    def update(self, state):
        self.bar.set_data([-state.theta, state.theta], [0, 0])
        far = np.abs(state.x) > state.theta
        self.inside.set_data(state.x[~far], np.zeros(np.sum(~far)))
        self.out.set_data(state.x[far], np.zeros(np.sum(far)))
        self.span.set_text(f"[−{state.theta:.2f}, {state.theta:.2f}]")
        self.curve.set_data(self.at, state.curve)
        self.best.set_data([state.best], [1])
        self.here.set_data([state.theta], [state.here])
        self.readout.set_text(
            f"▲ edge of the cliff at θ = {state.best:.2f}\n"
            f"● θ = {state.theta:.2f}: L is {state.here:.3g} of the largest\n"
            f"points outside: {state.outside}"
        )

    def describe(self, state):
        return (
            f"{len(state.x)} draws; the one farthest from 0 lies at a distance of {state.best:.2f}, and there the "
            f"likelihood is largest. Outside the interval with θ = {state.theta:.2f}: {state.outside} of the points. "
            f"Its likelihood divided by the largest: {state.here:.3g}."
        )

    @invariant("the likelihood is zero exactly where a point lies outside")
    def _cliff(self, state):
        return (state.here == 0) == (state.outside > 0)

    @invariant("the most likely interval never exceeds the true one")
    def _too_short(self, state):
        return state.best <= 3

    @invariant("the most likely interval never shrinks with more points", along="n")
    def _grows(self, before, after):
        return after.best >= before.best


class Sharper(Explorer):
    """The log-likelihood of n tosses, and how far θ̂ lies from the truth when the tosses are repeated."""

    height = 400
    n = LogSlider("n", "tosses", 10.0, 1000.0, 100.0)
    theta = Slider("θ", "the coin that is thrown", 0.1, 0.9, 0.3, step=0.05)
    repeats = 2000

    def prepare(self):
        self.luck = np.random.default_rng(53).random(1000)
        self.at = np.linspace(0.002, 0.998, 499)
        self.sizes = np.array([10, 20, 40, 80, 160, 320, 640, 1000])

    def compute(self, n, theta):
        n = round(n)
        m1 = int(np.sum(self.luck[:n] < theta))
        best = ml.coin_fit(m1, n - m1)
        rng = np.random.default_rng(1)
        found = [rng.binomial(k, theta, self.repeats) / k for k in (*self.sizes, n)]
        top = ml.log_likelihood(best, m1, n - m1)
        return SimpleNamespace(
            n=n,
            theta=theta,
            m1=m1,
            best=best,
            drop=ml.log_likelihood(self.at, m1, n - m1) - top,
            width=ml.standard_error(n, ml.coin_information(best)),
            spreads=np.array([np.std(estimates) for estimates in found]),
            law=ml.standard_error(n, ml.coin_information(theta)),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.35, 1))
        style.headline(figure, "A hundred times the tosses, a tenth of the width")
        left.set_xlim(0, 1)
        left.set_ylim(-5, 2.6)
        left.set_yticks(range(-5, 1))
        left.set_xlabel("θ, probability of heads")
        left.set_ylabel("log-likelihood below its maximum")
        (self.truth,) = left.plot([], [], color=style.TRUTH, linestyle="--", linewidth=1.2)
        (self.curve,) = left.plot([], [], color=style.MODEL)
        (self.parabola,) = left.plot([], [], color=style.SECOND, linestyle=":", linewidth=2)
        (self.bar,) = left.plot([], [], color=style.ERROR, linewidth=3)
        self.readout = left.text(0.02, 0.975, "", transform=left.transAxes, va="top", fontsize=9.5)
        for x, y, says, colour in (
            (0.02, 1.35, "— log-likelihood", style.MODEL),
            (0.47, 1.35, "··· −nI(θ − θ̂)²/2", "#8e4a75"),
            (0.02, 0.75, "▬ one standard error", style.ERROR),
            (0.47, 0.75, "- - true θ", "#6b6b6b"),
        ):
            left.text(x, y, says, color=colour, fontsize=9.5)
        right.set_xscale("log")
        right.set_yscale("log")
        right.set_xlim(8, 1300)
        right.set_ylim(0.007, 0.3)
        right.set_xticks([10, 100, 1000], ["10", "100", "1000"])
        right.set_yticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
        right.set_xlabel("n, tosses")
        right.set_ylabel("spread of θ̂")
        (self.line,) = right.plot([], [], color=style.MODEL, linewidth=1.5)
        (self.dots,) = right.plot([], [], "o", color=style.DATA, markersize=5)
        (self.now,) = right.plot([], [], "D", color=style.ERROR, markersize=8)
        right.text(0.04, 0.1, "● 2000 repetitions", transform=right.transAxes, color=style.DATA, fontsize=9.5)
        right.text(0.04, 0.03, "— 1/√(nI)", transform=right.transAxes, color=style.MODEL, fontsize=9.5)
        for artist in (
            self.truth,
            self.curve,
            self.parabola,
            self.bar,
            self.readout,
            self.line,
            self.dots,
            self.now,
        ):
            self.moving(artist)

    def update(self, state):
        self.truth.set_data([state.theta, state.theta], [-5, 0])
        self.curve.set_data(self.at, state.drop)
        self.parabola.set_data(self.at, -(((self.at - state.best) / state.width) ** 2) / 2)
        self.bar.set_data([state.best - state.width, state.best + state.width], [-0.5, -0.5])
        self.readout.set_text(f"θ̂ = {state.m1}/{state.n} = {state.best:.3f},  1/√(nI) = {state.width:.3f}")
        sizes = self.sizes
        self.line.set_data(sizes, ml.standard_error(sizes, ml.coin_information(state.theta)))
        self.dots.set_data(sizes, state.spreads[:-1])
        self.now.set_data([state.n], [state.spreads[-1]])

    def describe(self, state):
        return (
            f"A coin with θ = {state.theta:.2f} (dashed) is thrown {state.n} times; heads: {state.m1}. The "
            f"log-likelihood is largest at {state.best:.3f}; at a distance of 1/√(nI) = {state.width:.3f} (bar) its "
            f"parabola has fallen by ½. "
            f"In 2000 repetitions θ̂ spreads by {state.spreads[-1]:.4f}; 1/√(nI) at the true θ is {state.law:.4f}."
        )

    @invariant("the spread of the repetitions is 1/√(nI)")
    def _efficient(self, state):
        sizes = np.append(self.sizes, state.n)
        law = ml.standard_error(sizes, ml.coin_information(state.theta))
        return np.all(np.abs(state.spreads / law - 1) < 0.08)

    @invariant("no θ has a larger log-likelihood than the share of heads")
    def _largest(self, state):
        return state.drop.max() <= 1e-9

    @invariant("more tosses never widen the spread", along="n")
    def _sharpens(self, before, after):
        return after.law <= before.law
