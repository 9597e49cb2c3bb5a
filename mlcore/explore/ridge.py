"""The figures of 05 ridge."""

from types import SimpleNamespace

import numpy as np

from mlcore import ridge
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Slider, invariant, style, tell


def _halves(X, y, count=200, seed=0):
    """Random halves of the patients, each centred on its own mean."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        half = rng.permutation(len(y))[: len(y) // 2]
        yield X[half] - X[half].mean(axis=0), y[half] - y[half].mean()


class Halves(Explorer):
    """The least squares weights of 200 random halves of the patients, feature by feature."""

    height = 360

    def prepare(self):
        self.features = load("diabetes").features
        X, y = load("diabetes").standardised()
        self.weights = np.array([ridge.fit(X_half, y_half, 0.0) for X_half, y_half in _halves(X, y)])

    def compute(self):
        W = self.weights
        return SimpleNamespace(mean=W.mean(axis=0), spread=W.std(axis=0), positive=np.mean(W > 0, axis=0))

    def draw(self, figure):
        axes = figure.subplots()
        rng = np.random.default_rng(1)
        for j, column in enumerate(self.weights.T):
            unsure = 0.05 < np.mean(column > 0) < 0.95
            across = j + rng.uniform(-0.28, 0.28, size=len(column))
            colour, marker = (style.ERROR, "x") if unsure else (style.MODEL, "o")
            axes.scatter(across, column, s=9, alpha=0.55, color=colour, marker=marker, linewidths=0.8)
        axes.axhline(0, color=style.TRUTH, linewidth=1)
        axes.set_xticks(range(len(self.features)), self.features)
        axes.set_ylabel("weight of the standardised feature")
        axes.set_ylim(-95, 99)
        axes.grid(axis="x", visible=False)
        axes.set_title("Two halves of the same patients can disagree about the sign of an effect")
        axes.text(4.7, 84, "× the sign depends on which half you ask", color=style.ERROR)
        axes.text(-0.4, 84, "• the same sign in at least 95% of them", color=style.MODEL)

    def describe(self, state):
        swings = [f"{f} {tell(m)} ± {tell(s)}" for f, m, s in zip(self.features, state.mean, state.spread, strict=True)]
        share = state.positive[self.features.index("hdl")]
        return (
            f"Weights of ten features, fitted by least squares to 200 random halves of the patients; mean ± spread: "
            f"{', '.join(swings)}. The weight of hdl is positive in {share:.0%} of the halves and negative in the rest."
        )

    @invariant("for some feature the halves disagree about the sign")
    def _disagree(self, state):
        return np.any((state.positive > 0.05) & (state.positive < 0.95))


class Paths(Explorer):
    """All weights of the diabetes fit against λ, pulled towards the guess w₀."""

    height = 400
    lam = LogSlider("λ", "penalty", 1e-6, 1e6, 100.0)
    w0 = Slider("w₀", "guess for every weight", -20.0, 20.0, 0.0, step=1.0)

    def prepare(self):
        self.features = load("diabetes").features
        self.X, self.y = load("diabetes").standardised()
        self.lams = np.geomspace(self.lam.low, self.lam.high, 160)
        self.w_ols = ridge.fit(self.X, self.y, 0.0)
        self.sum_of_squares = np.sum(self.y**2)

    def _path(self, lams, w0):
        """ŵ(λ) = w₀ + the path of what w₀ leaves unexplained, since J depends on w − w₀."""
        guess = np.full(self.X.shape[1], w0)
        return guess + ridge.path(self.X, self.y - self.X @ guess, lams)

    def compute(self, lam, w0):
        w = self._path([lam], w0)[0]
        loss = np.sum((self.X @ w - self.y) ** 2)
        return SimpleNamespace(
            lam=lam,
            w0=w0,
            w=w,
            path=self._path(self.lams, w0),
            loss=loss,
            explained=1 - loss / self.sum_of_squares,
            distance=np.sum((w - w0) ** 2),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.set_xlim(self.lam.low, self.lam.high * 1.5)
        axes.set_ylim(-42, 42)
        axes.set_xticks(np.geomspace(self.lam.low, self.lam.high, 7))
        axes.set_xlabel("λ, penalty")
        axes.set_ylabel("weight")
        self.guess = self.moving(axes.axhline(0, color=style.TRUTH, linewidth=1, linestyle="--"))
        axes.set_title("Every weight is drawn smoothly to the guess, and none ever stops at 0")
        loud = {"tc": style.ERROR, "ldl": style.SECOND, "hdl": style.REFERENCE, "ltg": style.MODEL, "bmi": style.DATA}
        self.curves, self.dots = [], []
        for feature in self.features:
            colour = loud.get(feature, "#b5b5b5")
            (curve,) = axes.plot([], [], color=colour, linewidth=2.2 if feature in loud else 1.2)
            (dot,) = axes.plot([], [], "o", color=colour, markersize=5)
            self.curves.append(self.moving(curve))
            self.dots.append(self.moving(dot))
            if feature in loud:
                at = self.w_ols[self.features.index(feature)]
                at += -3.2 if feature == "ldl" else 1  # below its curve: bmi is just above
                axes.text(1.5e-6, at, feature, color=colour, fontsize=9, fontweight="bold")
        self.now = self.moving(axes.axvline(1, color=style.DATA, linewidth=1))
        self.readout = self.moving(
            axes.text(0.985, 0.97, "", transform=axes.transAxes, ha="right", va="top", fontsize=10)
        )

    def update(self, state):
        self.guess.set_ydata([state.w0, state.w0])
        self.now.set_xdata([state.lam, state.lam])
        for j, (curve, dot) in enumerate(zip(self.curves, self.dots, strict=True)):
            curve.set_data(self.lams, state.path[:, j])
            dot.set_data([state.lam], [state.w[j]])
        self.readout.set_text(f"explained variance {state.explained:.0%}\n‖ŵ − w₀‖ = {np.sqrt(state.distance):.3g}")

    def describe(self, state):
        weights = ", ".join(f"{f} {tell(w, 1)}" for f, w in zip(self.features, state.w, strict=True))
        return (
            f"At λ = {state.lam:.4g} with the guess {tell(state.w0)} for every weight: {weights}. "
            f"The fit explains {state.explained:.0%} of the variance."
        )

    @invariant("the training loss never falls as λ grows", along="lam")
    def _loss_rises(self, before, after):
        return after.loss >= before.loss * (1 - 1e-9)

    @invariant("the distance to the guess never grows with λ", along="lam")
    def _comes_closer(self, before, after):
        return after.distance <= before.distance * (1 + 1e-9)

    @invariant("the gradient of J vanishes at ŵ")
    def _stationary(self, state):
        slope = ridge.gradient(state.w, self.X, self.y, state.lam, state.w0)
        return np.abs(slope).max() <= 1e-8 * (1 + state.lam) * np.abs(self.X.T @ self.y).max()

    @invariant("no weight is exactly 0 without a guess of 0")
    def _never_zero(self, state):
        return np.all(state.w != 0)


class Curve(Explorer):
    """A polynomial of degree 12 through 16 points, with a free bias."""

    height = 360
    degree = 12
    lam = LogSlider("λ", "penalty", 1e-6, 1e6, 1e-3)

    def prepare(self):
        rng = np.random.default_rng(3)
        self.x = np.sort(rng.uniform(-1, 1, 16))
        self.y = self._truth(self.x) + 0.35 * rng.normal(size=16)
        self.at = np.linspace(-1, 1, 300)
        self.X, self.grid = self._powers(self.x), self._powers(self.at)

    def _truth(self, x):
        return 1 + np.sin(3 * x)

    def _powers(self, x):
        """x, x², … without the constant, which is the bias."""
        return x[:, None] ** np.arange(1, self.degree + 1)

    def compute(self, lam):
        w, b = ridge.fit_free_bias(self.X, self.y, lam)
        curve = self.grid @ w + b
        return SimpleNamespace(
            lam=lam,
            curve=curve,
            loss=np.mean((self.X @ w + b - self.y) ** 2),
            error=np.mean((curve - self._truth(self.at)) ** 2),
            freedom=1 + ridge.degrees_of_freedom(self.X - self.X.mean(axis=0), lam),
            slopes=np.sum(w**2),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-1.02, 1.02)
        axes.set_ylim(-1.2, 3.2)
        axes.set_xlabel("x")
        axes.set_title("The larger the penalty, the smoother the curve, down to the mean of y")
        axes.plot(self.at, self._truth(self.at), color=style.TRUTH, linestyle="--", linewidth=1.5)
        axes.text(-0.98, self._truth(-1) + 0.25, "truth", color=style.TRUTH, fontweight="bold")
        axes.scatter(self.x, self.y, color=style.DATA, s=26, zorder=3)
        (self.line,) = axes.plot([], [], color=style.MODEL)
        self.moving(self.line)
        self.readout = self.moving(axes.text(0.02, 0.97, "", transform=axes.transAxes, va="top"))

    def update(self, state):
        self.line.set_data(self.at, np.clip(state.curve, -3, 5))
        self.readout.set_text(
            f"degrees of freedom {state.freedom:.1f}\nmean squared error on the points {state.loss:.3f}\n"
            f"against the truth {state.error:.3f}"
        )

    def describe(self, state):
        return (
            f"At λ = {state.lam:.4g} the polynomial of degree {self.degree} has {state.freedom:.1f} effective degrees "
            f"of freedom; its mean squared error is {state.loss:.3f} on the 16 points and {state.error:.3f} against "
            f"the truth."
        )

    @invariant("the training error never falls as λ grows", along="lam")
    def _loss_rises(self, before, after):
        return after.loss >= before.loss * (1 - 1e-7)

    @invariant("the degrees of freedom never grow with λ", along="lam")
    def _freedom_falls(self, before, after):
        return after.freedom <= before.freedom + 1e-9

    @invariant("at the largest penalty the curve is the constant ȳ")
    def _constant(self, state):
        return state.lam < 1e6 or np.abs(state.curve - self.y.mean()).max() < 1e-3


class Collinearity(Explorer):
    """300 data sets with two correlated features: where the fitted weights land."""

    height = 420
    rho = Slider("ρ", "correlation of the features", 0.0, 0.999, 0.95, step=0.001)
    lam = LogSlider("λ", "penalty", 1e-2, 1e3, 10.0)

    truth = np.array([1.0, 1.0])
    runs, n = 300, 30

    def prepare(self):
        rng = np.random.default_rng(5)
        self.base = rng.normal(size=(self.runs, self.n, 2))
        self.noise = rng.normal(size=(self.runs, self.n))

    def compute(self, rho, lam):
        X = self.base.copy()
        X[:, :, 1] = rho * X[:, :, 0] + np.sqrt(1 - rho**2) * X[:, :, 1]
        gram = X.transpose(0, 2, 1) @ X
        c = (X.transpose(0, 2, 1) @ (X @ self.truth + self.noise)[:, :, None])[:, :, 0]
        ols, shrunk = _solve_pairs(gram, c, 0.0), _solve_pairs(gram, c, lam)
        return SimpleNamespace(
            rho=rho,
            lam=lam,
            ols=ols,
            ridge=shrunk,
            ols_error=np.mean(np.sum((ols - self.truth) ** 2, axis=1)),
            ridge_error=np.mean(np.sum((shrunk - self.truth) ** 2, axis=1)),
            ols_spread=np.sqrt(np.trace(np.cov(ols.T))),
            ridge_spread=np.sqrt(np.trace(np.cov(shrunk.T))),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, title in ((left, "Least squares: scattered"), (right, "Ridge: held together")):
            axes.set_xlim(-4, 6)
            axes.set_ylim(-4, 6)
            axes.set_aspect("equal")
            axes.set_xlabel("weight of feature 1")
            axes.set_title(title)
        left.set_ylabel("weight of feature 2")
        (self.ols,) = left.plot([], [], "x", color=style.ERROR, markersize=4, alpha=0.6)
        (self.shrunk,) = right.plot([], [], "o", color=style.MODEL, markersize=3.5, alpha=0.5)
        for artist in (self.ols, self.shrunk):
            self.moving(artist)
        self.readouts = []
        for axes in (left, right):
            (truth,) = axes.plot(*self.truth, "+", color="black", markersize=14, markeredgewidth=2)
            self.moving(truth)
            label = axes.text(*(self.truth + 0.25), "truth", fontweight="bold")
            self.moving(label)
            self.readouts.append(self.moving(axes.text(0.97, 0.96, "", transform=axes.transAxes, ha="right", va="top")))

    def update(self, state):
        self.ols.set_data(*state.ols.T)
        self.shrunk.set_data(*state.ridge.T)
        for readout, error in zip(self.readouts, (state.ols_error, state.ridge_error), strict=True):
            readout.set_text(f"mean squared distance {error:.3g}")

    def describe(self, state):
        return (
            f"300 data sets of 30 points with features of correlation {state.rho:.3g} and true weights (1, 1). "
            f"Mean squared distance of the fitted weights from the truth: least squares {state.ols_error:.3g}, "
            f"ridge with λ = {state.lam:.4g}: {state.ridge_error:.3g}."
        )

    @invariant("ridge spreads less than least squares")
    def _calmer(self, state):
        return state.ridge_spread <= state.ols_spread * (1 + 1e-9)

    @invariant("least squares never gets calmer as the features align", along="rho")
    def _explodes(self, before, after):
        return after.ols_error >= before.ols_error * 0.999

    @invariant("every ridge weight vector is shorter than its least squares one")
    def _shorter(self, state):
        return np.all(np.sum(state.ridge**2, axis=1) <= np.sum(state.ols**2, axis=1) * (1 + 1e-9))


def _solve_pairs(gram, c, lam):
    """(5.3) for many problems with two features at once."""
    return np.linalg.solve(gram + lam * np.eye(2), c[:, :, None])[:, :, 0]
