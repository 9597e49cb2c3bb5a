"""The figures of 07 bias and variance."""

from types import SimpleNamespace

import numpy as np

from mlcore import bias_variance
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Slider, invariant, style, tell


def _strands(at, curves):
    """Many curves as one line, with a gap after each."""
    gap = np.full((len(curves), 1), np.nan)
    return np.tile(np.append(at, np.nan), len(curves)), np.hstack([curves, gap]).ravel()


_PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2}  # behind words that curves may cross


class Samples(Explorer):
    """Progression against body mass index: fits to 50 random samples of 60 patients."""

    height = 360
    degrees = (1, 5)

    def prepare(self):
        data = load("diabetes")
        self.x, self.y = data.X[:, data.features.index("bmi")], data.y
        self.at = np.linspace(20, 34, 90)
        rng = np.random.default_rng(0)
        samples = [rng.permutation(len(self.y))[:60] for _ in range(50)]
        self.fits = {p: np.array([self._fit(p, sample) for sample in samples]) for p in self.degrees}

    def _fit(self, degree, sample):
        X, at = (bias_variance.powers((x - 27) / 12, degree) for x in (self.x[sample], self.at))
        return bias_variance.predictions(X, self.y[None, sample], at)[0]

    def compute(self):
        return SimpleNamespace(
            mean={p: H.mean(axis=0) for p, H in self.fits.items()},
            spread={p: np.sqrt(np.mean(H.var(axis=0))) for p, H in self.fits.items()},
        )

    def draw(self, figure):
        state = self.compute()
        titles = ("Straight lines: much alike", "Degree 5: alike only on average")
        panels = zip(figure.subplots(1, 2, sharey=True), self.degrees, titles, strict=True)
        for axes, degree, title in panels:
            axes.scatter(self.x, self.y, s=5, color="#c9c9c9", linewidths=0)
            axes.plot(*_strands(self.at, self.fits[degree]), color=style.MODEL, linewidth=0.7, alpha=0.45)
            axes.plot(self.at, state.mean[degree], color="black", linewidth=2.2)
            axes.set_xlim(19, 35)
            axes.set_ylim(20, 350)
            axes.set_xticks(range(20, 36, 5))
            axes.set_xlabel("body mass index")
            axes.set_title(title)
            axes.text(19.4, 330, f"spread of the fits ± {state.spread[degree]:.0f}", color=style.MODEL)
            axes.text(19.4, 310, "black: their mean")
        figure.axes[0].set_ylabel("progression after one year")

    def describe(self, state):
        line, curve = self.degrees
        low, high = (np.interp(bmi, self.at, state.mean[line]) for bmi in (22, 32))
        return (
            f"Fits to 50 random samples of 60 patients, progression against body mass index. Straight lines: mean "
            f"{tell(low)} at index 22 and {tell(high)} at 32, spread ± {tell(state.spread[line])}. Polynomials of "
            f"degree {curve}: mean {tell(np.interp(22, self.at, state.mean[curve]))} and "
            f"{tell(np.interp(32, self.at, state.mean[curve]))}, spread ± {tell(state.spread[curve])}."
        )

    @invariant("the polynomials spread more than the lines")
    def _wilder(self, state):
        line, curve = self.degrees
        return state.spread[curve] > state.spread[line]


class TradeOff(Explorer):
    """One weight: 300 estimates, and the three curves of λ."""

    height = 380
    lam = LogSlider("λ", "penalty", 1e-2, 1e3, 1.0)
    w0 = Slider("w₀", "guess", 0.0, 2.0, 1.5, step=0.05)
    n = Slider("n", "points", 5, 40, 10, step=1)

    w_true, sigma = 2.0, 1.0

    def prepare(self):
        rng = np.random.default_rng(0)
        self.noise, self.across = rng.normal(size=300), rng.uniform(-1, 1, size=300)
        self.lams = np.geomspace(self.lam.low, self.lam.high, 200)

    def compute(self, lam, w0, n):
        x = np.array([np.sqrt(n)])  # one point as good as n points with x = ±1: the same s² = n
        bias = bias_variance.bias(self.lams, x, self.w_true, w0)
        off = not np.isclose(w0, self.w_true)
        best = bias_variance.best_penalty(self.w_true, w0, self.sigma) if off else np.inf
        return SimpleNamespace(
            lam=lam,
            w0=w0,
            n=n,
            estimates=bias_variance.estimate(x, (self.w_true * x + self.sigma * self.noise[:, None]), lam, w0),
            curves=(
                bias_variance.variance(self.lams, x, self.sigma),
                bias**2,
                bias_variance.mse(self.lams, x, self.w_true, w0, self.sigma),
            ),
            variance=bias_variance.variance(lam, x, self.sigma),
            bias=bias_variance.bias(lam, x, self.w_true, w0),
            mse=bias_variance.mse(lam, x, self.w_true, w0, self.sigma),
            best=best,
            best_mse=bias_variance.best_mse(x, self.w_true, w0, self.sigma) if off else 0.0,
            free=self.sigma**2 / n,
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1, 2.6))
        left.set_xlim(-1.3, 1.3)
        left.set_ylim(-0.1, 3.9)
        left.set_xticks([])
        left.set_ylabel("estimate of the weight")
        left.set_title("300 data sets")
        left.axhline(self.w_true, color=style.TRUTH, linewidth=1.5)
        left.text(-1.25, 3.7, "grey: the truth w*", color=style.DATA, fontsize=9)
        left.text(-1.25, 3.48, "dashed: the guess w₀", color=style.REFERENCE, fontsize=9)
        (self.dots,) = left.plot([], [], "o", color=style.MODEL, markersize=3, alpha=0.5)
        self.guess = left.axhline(1, color=style.REFERENCE, linewidth=1.5, linestyle="--")
        right.set_xscale("log")
        right.set_xlim(self.lam.low, self.lam.high)
        right.set_ylim(0, 0.3)
        right.set_xlabel("λ, penalty")
        right.set_title("What the penalty saves in variance it pays in bias²")
        self.best = right.axvline(1, color=style.REFERENCE, linewidth=1.5, linestyle="--")
        looks = ((style.MODEL, "-"), (style.ERROR, "-"), ("black", "-"))
        self.lines, self.marks = [], []
        for colour, dash in looks:
            (line,) = right.plot([], [], color=colour, linestyle=dash)
            (mark,) = right.plot([], [], "o", color=colour, markersize=6)
            self.lines.append(line)
            self.marks.append(mark)
        self.words = [
            right.text(0, 0, word, color=colour, fontweight="bold", fontsize=9, ha=ha, va="bottom")
            for word, colour, ha in (
                ("variance", style.MODEL, "left"),
                ("bias²", style.ERROR, "left"),
                ("sum: MSE", "black", "left"),
            )
        ]
        self.readout = right.text(0.03, 0.97, "", transform=right.transAxes, va="top", bbox=_PAPER)
        for artist in (self.dots, self.guess, self.best, *self.lines, *self.marks, *self.words, self.readout):
            self.moving(artist)

    def update(self, state):
        self.dots.set_data(self.across, state.estimates)
        self.guess.set_ydata([state.w0, state.w0])
        self.best.set_xdata([state.best, state.best] if self._on_axis(state.best) else [np.nan, np.nan])
        for line, curve in zip(self.lines, state.curves, strict=True):
            line.set_data(self.lams, curve)
        for mark, value in zip(self.marks, (state.variance, state.bias**2, state.mse), strict=True):
            mark.set_data([state.lam], [value])
        self._place_words(state)
        best = f"best λ* = {state.best:.3g}, dashed" if self._on_axis(state.best) else f"best λ* = {_far(state.best)}"
        self.readout.set_text(f"{best}\nMSE here {state.mse:.3f}, at λ* {state.best_mse:.3f}, at 0 {state.free:.3f}")

    def _on_axis(self, lam):
        return self.lam.low <= lam <= self.lam.high

    def _place_words(self, state):
        variance, bias2, total = self.words
        variance.set_position((self.lams[4], state.curves[0][0] - 0.017))
        height = min(0.15, 0.7 * state.curves[1][-1])
        bias2.set_visible(height > 0.02)
        bias2.set_position((1.15 * self.lams[np.searchsorted(state.curves[1], height)], height - 0.012))
        total.set_position((self.lams[4], state.curves[2][0] + 0.004))

    def describe(self, state):
        return (
            f"True weight {self.w_true:g}, guess {state.w0:.3g}, {state.n} points, λ = {state.lam:.4g}: variance "
            f"{state.variance:.4f}, bias² {state.bias**2:.4f}, mean squared error {state.mse:.4f}. Without a penalty "
            f"it is {state.free:.4f}; the best λ is {_far(state.best)}, with {state.best_mse:.4f}."
        )

    @invariant("the variance never grows with λ", along="lam")
    def _calmer(self, before, after):
        return after.variance <= before.variance

    @invariant("the squared bias never falls as λ grows", along="lam")
    def _more_biased(self, before, after):
        return after.bias**2 >= before.bias**2

    @invariant("no λ has a smaller error than λ*")
    def _least(self, state):
        return state.best_mse <= state.curves[2].min() * (1 + 1e-12)

    @invariant("λ* does not depend on n", along="n")
    def _whatever_n(self, before, after):
        return before.best == after.best

    @invariant("λ* grows as the guess comes closer to the truth", along="w0")
    def _trusts_a_good_guess(self, before, after):
        return after.best >= before.best

    @invariant("the 300 estimates have the mean and spread of the formulas")
    def _as_computed(self, state):
        found, sd = state.estimates - self.w_true, np.sqrt(state.variance)
        return abs(found.mean() - state.bias) < 0.2 * sd + 1e-12 and abs(found.std() - sd) < 0.1 * sd + 1e-12


def _far(lam):
    return "infinite" if np.isinf(lam) else f"{lam:.3g}"


class Guess(Explorer):
    """The error against the guess: no penalty, a fixed one, the best one, and an estimate of the best."""

    height = 360
    lam = LogSlider("λ", "fixed penalty", 0.1, 100.0, 10**0.5)

    w_true, sigma = 2.0, 1.0
    x = np.full(10, 1.0)

    def prepare(self):
        rng = np.random.default_rng(1)
        half = rng.normal(size=(4000, 1))
        s = np.sqrt(self.x @ self.x)
        y = s * self.w_true + self.sigma * np.vstack([half, -half])  # one point of weight s stands for all ten
        self.guesses = np.linspace(0.5, 3.5, 151)
        off = np.where(self.guesses == self.w_true, np.nan, self.guesses)
        self.free = self.sigma**2 / s**2
        self.best = np.nan_to_num(bias_variance.best_mse(self.x, self.w_true, off, self.sigma))
        self.estimated = np.array(
            [
                np.mean(
                    (bias_variance.estimate_with_estimated_penalty(np.array([s]), y, w0, self.sigma) - self.w_true) ** 2
                )
                for w0 in self.guesses
            ]
        )

    def compute(self, lam):
        fixed = bias_variance.mse(lam, self.x, self.w_true, self.guesses, self.sigma)
        return SimpleNamespace(
            lam=lam,
            fixed=fixed,
            reach=self.sigma * np.sqrt(1 / (self.x @ self.x) + 2 / lam),  # how wrong a guess may be and still help
            at_truth=bias_variance.mse(lam, self.x, self.w_true, self.w_true, self.sigma),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(0.5, 3.5)
        axes.set_ylim(0, 0.2)
        axes.set_xlabel("w₀, guess (the truth is 2)")
        axes.set_ylabel("mean squared error")
        axes.set_title("A small penalty forgives a guess that is far off")
        axes.axhline(self.free, color=style.TRUTH, linewidth=1.5)
        axes.text(0.52, self.free + 0.002, "no penalty", color=style.DATA, fontsize=9)
        axes.plot(self.guesses, self.best, color=style.REFERENCE, linestyle="--")
        axes.text(2.2, 0.004, "best λ*, which knows the truth", color=style.REFERENCE, fontsize=9)
        axes.plot(self.guesses, self.estimated, color=style.ERROR, linestyle="-.")
        axes.text(2.72, 0.1295, "λ̂, estimated", color=style.ERROR, fontsize=9)
        (self.line,) = axes.plot([], [], color=style.MODEL)
        self.span = axes.plot([], [], "|-", color=style.MODEL, linewidth=1, markersize=12)[0]
        self.readout = axes.text(
            0.5, 0.97, "", transform=axes.transAxes, ha="center", va="top", color=style.MODEL, bbox=_PAPER
        )
        for artist in (self.line, self.span, self.readout):
            self.moving(artist)

    def update(self, state):
        self.line.set_data(self.guesses, state.fixed)
        self.span.set_data([self.w_true - state.reach, self.w_true + state.reach], [self.free, self.free])
        self.readout.set_text(f"λ = {state.lam:.3g} helps while |w₀ − w*| < {state.reach:.2f}")

    def describe(self, state):
        worst = self.guesses[np.argmax(self.estimated)]
        return (
            f"Mean squared error of one weight from ten points, true weight 2. Without a penalty {self.free:.3f}. With "
            f"λ = {state.lam:.3g} it is {state.at_truth:.3f} for a perfect guess and below that of no penalty while "
            f"the guess is off by less than {state.reach:.2f}. The best λ is never worse than no penalty; the "
            f"estimated one is at worst {self.estimated.max():.3f}, for a guess of {worst:.2f}."
        )

    @invariant("no penalty and no fixed penalty beats the best one")
    def _best(self, state):
        return np.all(self.best <= np.minimum(state.fixed, self.free) * (1 + 1e-12))

    @invariant("the fixed penalty helps exactly as far as its reach")
    def _reach(self, state):
        return np.all((state.fixed < self.free) == (np.abs(self.guesses - self.w_true) < state.reach))

    @invariant("the reach shrinks as λ grows", along="lam")
    def _narrower(self, before, after):
        return after.reach < before.reach

    @invariant("an estimated penalty helps near the truth and hurts further off")
    def _estimated(self, state):
        return self.estimated[75] < self.free < self.estimated.max()


class Spaghetti(Explorer):
    """Polynomials fitted to 50 data sets, and the three parts of their error for every degree."""

    height = 360
    degree = Slider("p", "degree", 0, 12, 9, step=1)
    n = Slider("n", "points", 20, 200, 20, step=10)

    sigma = 0.6

    @staticmethod
    def truth(x):
        return np.exp(-8 * (x - 0.2) ** 2) + x / 2

    def prepare(self):
        self.noise = self.sigma * np.random.default_rng(2).normal(size=(50, int(self.n.high)))
        self.at = np.linspace(-1, 1, 60)
        self.degrees = np.arange(self.degree.high + 1)

    def compute(self, degree, n):
        x = np.linspace(-1, 1, n)
        t = self.truth(x)
        X = bias_variance.powers(x, degree)
        fits = bias_variance.predictions(X, t + self.noise[:, :n], bias_variance.powers(self.at, degree))
        parts = np.array(
            [bias_variance.expected_parts(bias_variance.powers(x, p), t, self.sigma) for p in self.degrees]
        )
        return SimpleNamespace(
            degree=degree,
            n=n,
            fits=fits,
            variance=parts[:, 0],
            bias2=parts[:, 1],
            total=parts.sum(axis=1),
            best=int(np.argmin(parts.sum(axis=1))),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        left.set_xlim(-1, 1)
        left.set_ylim(-2, 2.8)
        left.set_xlabel("x")
        left.set_xticks([-1, -0.5, 0, 0.5, 1])
        left.set_title("50 data sets give 50 fits")
        (self.strands,) = left.plot([], [], color="#8fbfdc", linewidth=0.7)
        (self.mean,) = left.plot([], [], color="black", linewidth=2.2)
        (self.true,) = left.plot(self.at, self.truth(self.at), color=style.ERROR, linewidth=2.2, linestyle="--")
        left.text(-0.96, 2.56, "thin: one fit each", color=style.MODEL, fontsize=9)
        left.text(-0.96, 2.35, "black: their mean", fontsize=9)
        left.text(-0.96, 2.14, "dashed: the truth", color=style.ERROR, fontsize=9)
        right.set_xlim(-0.5, 12.5)
        right.set_ylim(0, 0.75)
        right.set_xticks(range(0, 13, 2))
        right.set_xlabel("p, degree")
        right.set_title("Variance rises as bias² falls")
        right.axhline(self.sigma**2, color=style.TRUTH, linewidth=1)
        right.text(7, self.sigma**2 - 0.01, "noise σ²", color=style.DATA, fontsize=9, ha="center", va="top")
        self.curves, self.marks = [], []
        for colour, marker in ((style.MODEL, "o"), (style.ERROR, "x"), ("black", "s")):
            (curve,) = right.plot([], [], marker=marker, color=colour, markersize=4, linewidth=1.3)
            (mark,) = right.plot([], [], marker=marker, color=colour, markersize=10, linestyle="")
            self.curves.append(curve)
            self.marks.append(mark)
        for y, text, colour in (
            (0.97, "■ test error, the sum", "black"),
            (0.915, "× bias²", style.ERROR),
            (0.86, "● variance", style.MODEL),
        ):
            right.text(0.97, y, text, color=colour, transform=right.transAxes, ha="right", va="top", fontsize=9)
        self.readout = left.text(0.97, 0.03, "", transform=left.transAxes, ha="right", va="bottom", fontsize=9)
        for artist in (self.strands, self.mean, self.true, *self.curves, *self.marks, self.readout):
            self.moving(artist)

    def update(self, state):
        self.strands.set_data(*_strands(self.at, np.clip(state.fits, -4, 4)))
        self.mean.set_data(self.at, np.clip(state.fits.mean(axis=0), -4, 4))
        for curve, mark, part in zip(self.curves, self.marks, (state.variance, state.bias2, state.total), strict=True):
            curve.set_data(self.degrees, part)
            mark.set_data([state.degree], [part[state.degree]])
        p = state.degree
        self.readout.set_text(
            f"variance {state.variance[p]:.3f}   bias² {state.bias2[p]:.3f}   test error {state.total[p]:.3f}"
        )

    def describe(self, state):
        p = state.degree
        return (
            f"Polynomials of degree {p} fitted to {state.n} points, for 50 data sets. At the points: variance "
            f"{state.variance[p]:.3f}, bias² {state.bias2[p]:.3f}, noise {self.sigma**2:.2f}, expected test error "
            f"{state.total[p]:.3f}. "
            f"With {state.n} points the test error is smallest at degree {state.best}, {state.total[state.best]:.3f}."
        )

    @invariant("the variance grows with the degree")
    def _wilder(self, state):
        return np.all(np.diff(state.variance) > 0)

    @invariant("the squared bias never grows with the degree")
    def _nearer(self, state):
        return np.all(np.diff(state.bias2) <= 1e-12)

    @invariant("the variance falls as n grows", along="n")
    def _calmer(self, before, after):
        return np.all(after.variance < before.variance)

    @invariant("the best degree never falls as n grows", along="n")
    def _affords_more(self, before, after):
        return after.best >= before.best

    @invariant("the mean of the 50 fits is near the fit to the truth")
    def _mean(self, state):
        x = np.linspace(-1, 1, state.n)
        X, at = (bias_variance.powers(v, state.degree) for v in (x, self.at))
        exact = bias_variance.predictions(X, self.truth(x)[None], at)[0]
        spread = state.fits.std(axis=0) / np.sqrt(50)
        return np.all(np.abs(state.fits.mean(axis=0) - exact) < 4 * spread)
