"""The figures of 23 pca."""

from types import SimpleNamespace

import numpy as np
from matplotlib.collections import LineCollection

from mlcore import pca
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Slider, invariant, style, tell


def _strip(images):
    """Digits side by side as one picture, a white column between them: (8, 9 · count − 1)."""
    page = np.zeros((8, 9 * len(images)))
    page.reshape(8, len(images), 9)[:, :, :8] = np.reshape(images, (-1, 8, 8)).transpose(1, 0, 2)
    return page[:, :-1]


def _show_strip(axes, page):
    image = axes.imshow(page, cmap="Greys", vmin=0, vmax=16, interpolation="nearest")
    axes.set_axis_off()
    return image


class Digits(Explorer):
    """Four kinds of digits, seen through two of their pixels and through their first two scores."""

    height = 470
    kinds = (0, 3, 4, 6)
    hues = (style.MODEL, style.ERROR, style.REFERENCE, style.SECOND)
    shown = 70  # of each kind

    def prepare(self):
        data = load("digits")
        X, y = data.X, data.y
        rows = np.concatenate([np.flatnonzero(y == kind)[: self.shown] for kind in self.kinds])
        self.label = y[rows]
        self.sample = X[[np.flatnonzero(y == digit)[0] for digit in range(10)]]
        busiest = np.sort(np.argsort(X.var(axis=0))[-2:])
        self.names = [data.features[j].removeprefix("pixel_").replace("_", ", ") for j in busiest]
        self.pixels = X[rows][:, busiest]
        self.scores = pca.encode(X, pca.axes(X, 2), X.mean(axis=0))[rows]

    def compute(self):
        return SimpleNamespace(pixels=self._told_apart(self.pixels), scores=self._told_apart(self.scores))

    def _told_apart(self, Z):
        """The share of the points that are nearest to the centre of their own kind."""
        centres = np.array([Z[self.label == kind].mean(axis=0) for kind in self.kinds])
        nearest = np.argmin(np.sum((Z[:, None] - centres) ** 2, axis=2), axis=1)
        return np.mean(np.array(self.kinds)[nearest] == self.label)

    def draw(self, figure):
        grid = figure.add_gridspec(2, 2, height_ratios=[1, 4.2])
        strip = figure.add_subplot(grid[0, :])
        _show_strip(strip, _strip(self.sample))
        strip.set_title("Sixty-four numbers make a digit")
        rng = np.random.default_rng(0)
        left, right = (figure.add_subplot(grid[1, j]) for j in (0, 1))
        scattered = self.pixels + rng.uniform(-0.4, 0.4, size=self.pixels.shape)
        for axes, Z in ((left, scattered), (right, self.scores)):
            for kind, hue in zip(self.kinds, self.hues, strict=True):
                own = Z[self.label == kind]
                axes.scatter(*own.T, marker=f"${kind}$", s=34, color=hue, linewidths=0.3)
        left.set_title("Two of the pixels mix them up")
        left.set_yticks([0, 5, 10, 15])
        left.set_xlabel(f"ink in pixel {self.names[0]}")
        left.set_ylabel(f"ink in pixel {self.names[1]}")
        right.set_title("Two chosen numbers part them")
        right.set_xlabel("first number")
        right.set_ylabel("second number")

    def describe(self, state):
        return (
            f"Ten handwritten digits of 8 by 8 pixels. Below them zeros, threes, fours and sixes, 70 each, as points. "
            f"By the two pixels that vary most, {state.pixels:.0%} of them are nearest to the centre of their own "
            f"kind; by two well-chosen numbers, {state.scores:.0%}."
        )

    @invariant("two scores tell the digits apart better than two pixels")
    def _better(self, state):
        return state.scores > state.pixels + 0.1


class Axis(Explorer):
    """Two measurements of 150 flowers and an axis at an angle: variance along it, error across it."""

    height = 400
    theta = Slider("θ", "angle of the axis in degrees", 0.0, 180.0, 15.0, step=1.0)

    def prepare(self):
        data = load("iris")
        self.names = ("sepal_length", "petal_length")
        self.X = data.X[:, [data.features.index(name) for name in self.names]]
        self.mean = self.X.mean(axis=0)
        self.total = np.trace(pca.covariance(self.X))
        self.lam = pca.spectrum(self.X)
        self.angles = np.arange(0.0, 181.0)
        self.curve = np.array([self._numbers(theta)[1] for theta in self.angles])

    def _numbers(self, theta):
        u = np.array([np.cos(np.radians(theta)), np.sin(np.radians(theta))])
        Z = pca.encode(self.X, u[:, None], self.mean)
        foot = pca.decode(Z, u[:, None], self.mean)
        return foot, np.mean(Z**2), np.mean(np.sum((self.X - foot) ** 2, axis=1)), u

    def compute(self, theta):
        foot, variance, error, u = self._numbers(theta)
        return SimpleNamespace(theta=theta, foot=foot, variance=variance, error=error, u=u)

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])
        left.set_xlim(2.6, 9.2)
        left.set_ylim(0.4, 7.4)
        left.set_aspect("equal")
        left.set_xlabel("sepal length, cm")
        left.set_ylabel("petal length, cm")
        left.set_title("An axis through the mean")
        self.feet = self.moving(LineCollection([], colors=style.ERROR, linewidths=0.8, alpha=0.6))
        left.add_collection(self.feet)
        (self.line,) = left.plot([], [], color=style.MODEL)
        self.moving(self.line)
        (dots,) = left.plot(*self.X.T, "o", color=style.DATA, markersize=3.2)
        self.moving(dots)
        right.set_xlim(0, 180)
        right.set_ylim(0, self.total * 1.22)
        right.set_xticks([0, 45, 90, 135, 180])
        right.set_xlabel("θ, angle in degrees")
        right.set_ylabel("cm²")
        right.set_title("What variance gains, error loses")
        right.axhline(self.total, color=style.TRUTH, linewidth=1.2, linestyle="--")
        right.text(178, self.total * 1.025, "total variance", color=style.TRUTH, ha="right")
        right.plot(self.angles, self.curve, color=style.MODEL)
        right.plot(self.angles, self.total - self.curve, color=style.ERROR, linestyle="-.")
        right.text(92, 3.35, "variance", color=style.MODEL, fontweight="bold")
        right.text(92, 0.27, "error", color=style.ERROR, fontweight="bold")
        (self.at_variance,) = right.plot([], [], "o", color=style.MODEL, markersize=8)
        (self.at_error,) = right.plot([], [], "s", color=style.ERROR, markersize=7)
        self.now = self.moving(right.axvline(0, ymax=1 / 1.22, color=style.DATA, linewidth=1))
        for artist in (self.at_variance, self.at_error):
            self.moving(artist)
        self.readout = self.moving(right.text(0.03, 0.97, "", transform=right.transAxes, va="top"))

    def update(self, state):
        self.feet.set_segments(np.stack([self.X, state.foot], axis=1))
        self.line.set_data(*(self.mean + np.array([[-9], [9]]) * state.u).T)
        self.now.set_xdata([state.theta, state.theta])
        self.at_variance.set_data([state.theta], [state.variance])
        self.at_error.set_data([state.theta], [state.error])
        self.readout.set_text(f"{state.variance:.2f} + {state.error:.2f} = {state.variance + state.error:.2f}")

    def describe(self, state):
        return (
            f"Sepal and petal lengths of 150 flowers and an axis at {state.theta:.0f}° through their mean. The "
            f"variance along the axis is {state.variance:.2f}, the mean squared distance from it {state.error:.2f}; "
            f"together {state.variance + state.error:.2f}, the total variance."
        )

    @invariant("variance and error add up to the total variance")
    def _pythagoras(self, state):
        return np.isclose(state.variance + state.error, self.total)

    @invariant("the variance lies between the eigenvalues of S")
    def _between(self, state):
        return self.lam[1] - 1e-9 <= state.variance <= self.lam[0] + 1e-9

    @invariant("what is left is orthogonal to the axis")
    def _orthogonal(self, state):
        return np.abs((self.X - state.foot) @ state.u).max() < 1e-9


class Scree(Explorer):
    """Ten digits redrawn from K numbers each, the eigenvalues, and the error that is left."""

    height = 440
    K = Slider("K", "numbers for each digit", 0, 64, 5, step=1, play=True)

    def prepare(self):
        data = load("digits")
        self.X, self.mean = data.X, data.X.mean(axis=0)
        self.sample = data.X[[np.flatnonzero(data.y == digit)[0] for digit in range(10)]]
        self.U = pca.axes(self.X, 64)
        self.Z = pca.encode(self.sample, self.U, self.mean)
        self.lam = pca.spectrum(self.X)
        self.left = np.append(np.cumsum(self.lam[::-1])[::-1], 0.0)  # the error after 0, 1, …, 64 axes

    def compute(self, K):
        return SimpleNamespace(
            K=K,
            redrawn=pca.decode(self.Z[:, :K], self.U[:, :K], self.mean),
            error=self.left[K],
            kept=1 - self.left[K] / self.left[0],
        )

    def draw(self, figure):
        grid = figure.add_gridspec(3, 2, height_ratios=[1, 1, 3.1])
        top, middle = (figure.add_subplot(grid[row, :]) for row in (0, 1))
        _show_strip(top, _strip(self.sample))
        top.set_title("A few axes are enough to read most digits")
        self.image = self.moving(_show_strip(middle, _strip(self.sample)))
        for axes, word in ((top, "64 numbers"), (middle, "K numbers")):
            axes.text(-0.01, 0.5, word, transform=axes.transAxes, ha="right", va="center")
        scree, rest = (figure.add_subplot(grid[2, j]) for j in (0, 1))
        index = np.arange(1, 65)
        scree.plot(index, self.lam, "o", color="#c4c4c4", markersize=4)
        scree.set_xlabel("k")
        scree.set_ylabel("eigenvalue, variance along axis k")
        scree.set_xlim(0, 65)
        scree.set_ylim(-6, 195)
        scree.set_title("Kept: the first K eigenvalues")
        (self.kept,) = scree.plot([], [], "o", color=style.MODEL, markersize=5)
        rest.plot(np.arange(65), self.left, color=style.ERROR)
        rest.set_xlabel("K")
        rest.set_ylabel("mean squared error")
        rest.set_xlim(-1, 65)
        rest.set_ylim(-40, 1280)
        rest.set_title("Error: the sum of the others")
        (self.dot,) = rest.plot([], [], "o", color=style.ERROR, markersize=8)
        for artist in (self.kept, self.dot):
            self.moving(artist)
        self.readout = self.moving(rest.text(0.97, 0.95, "", transform=rest.transAxes, ha="right", va="top"))

    def update(self, state):
        self.image.set_data(_strip(state.redrawn))
        self.kept.set_data(np.arange(1, state.K + 1), self.lam[: state.K])
        self.dot.set_data([state.K], [state.error])
        self.readout.set_text(
            f"K = {state.K} keeps {state.kept:.1%} of the variance\nerror {tell(state.error)} of {tell(self.left[0])}"
        )

    def describe(self, state):
        return (
            f"Ten handwritten digits, redrawn from {state.K} numbers each. The {state.K} largest of 64 eigenvalues "
            f"keep {state.kept:.1%} of the variance; the mean squared error is {tell(state.error, 1)} of "
            f"{tell(self.left[0], 1)}."
        )

    @invariant("the error is the mean squared distance between the digits and their redrawings")
    def _is_distance(self, state):
        U = self.U[:, : state.K]
        redrawn = pca.decode(pca.encode(self.X, U, self.mean), U, self.mean)
        return np.isclose(state.error, np.mean(np.sum((self.X - redrawn) ** 2, axis=1)), atol=1e-8)

    @invariant("one more axis never makes the error larger", along="K")
    def _falls(self, before, after):
        return after.error <= before.error + 1e-9

    @invariant("sixty-four numbers give the digit back")
    def _complete(self, state):
        return state.K < 64 or np.allclose(state.redrawn, self.sample)


class Offset(Explorer):
    """A cloud that moves away from 0, its first axis with centring and without."""

    height = 400
    b = Slider("b", "distance of the mean from 0", 0.0, 6.0, 2.0, step=0.05)
    long, across = 15.0, 85.0  # directions in degrees: of the cloud, and of its mean

    def prepare(self):
        rng = np.random.default_rng(2)
        A = rng.normal(size=(80, 2))
        A = np.sqrt(80) * np.linalg.qr(A - A.mean(axis=0))[0]  # S is the identity
        self.u, self.m = self._direction(self.long), self._direction(self.across)
        self.cloud = A * [2.0, 0.7] @ np.array([self.u, [-self.u[1], self.u[0]]])
        self.offsets = np.linspace(self.b.low, self.b.high, 121)
        self.curve = np.array([self._to_mean(self._uncentred(self.cloud + b * self.m)) for b in self.offsets])

    def _direction(self, degrees):
        return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])

    def _uncentred(self, X):
        v = np.linalg.eigh(X.T @ X)[1][:, -1]
        return v if v @ self.u > 0 else -v

    def _to_mean(self, v):
        return np.degrees(np.arccos(min(abs(v @ self.m), 1.0)))

    def compute(self, b):
        X = self.cloud + b * self.m
        v = self._uncentred(X)
        return SimpleNamespace(b=b, X=X, mean=b * self.m, v=v, centred=pca.axes(X, 1)[:, 0], to_mean=self._to_mean(v))

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])
        left.set_xlim(-5.6, 6.2)
        left.set_ylim(-3.2, 8.6)
        left.set_aspect("equal")
        left.set_title("A long cloud, away from 0")
        (self.dots,) = left.plot([], [], "o", color=style.DATA, markersize=3, alpha=0.6)
        (self.right_axis,) = left.plot([], [], color=style.MODEL)
        (self.wrong_axis,) = left.plot([], [], color=style.ERROR, linestyle="--")
        (origin,) = left.plot(0, 0, "+", color="black", markersize=13, markeredgewidth=2)
        (self.mean,) = left.plot([], [], "D", color="white", markeredgecolor="black", markersize=6)
        for artist in (self.dots, self.right_axis, self.wrong_axis, origin, self.mean):
            self.moving(artist)
        key = {"transform": left.transAxes, "fontweight": "bold"}
        left.text(0.57, 0.16, "— centred", color=style.MODEL, **key)
        left.text(0.57, 0.1, "- - not centred", color=style.ERROR, **key)
        left.text(0.57, 0.04, "+ zero   ◇ mean", **key)
        right.set_xlim(self.b.low - 0.15, self.b.high + 0.15)
        right.set_ylim(-4, 90)
        right.set_yticks([0, 15, 30, 45, 60, 75, 90])
        right.set_xlabel("b, distance of the mean from 0")
        right.set_ylabel("angle to the mean, degrees")
        right.set_title("Not centred, it turns to the mean")
        right.axhline(self.across - self.long, color=style.MODEL, linewidth=1.5)
        right.text(5.9, 72, "centred", color=style.MODEL, ha="right", fontweight="bold")
        right.plot(self.offsets, self.curve, color=style.ERROR, linestyle="--")
        right.text(5.9, 8, "not centred", color=style.ERROR, ha="right", fontweight="bold")
        (self.dot,) = right.plot([], [], "o", color=style.ERROR, markersize=8)
        self.moving(self.dot)

    def update(self, state):
        reach = np.array([[-20.0], [20.0]])
        self.dots.set_data(*state.X.T)
        self.mean.set_data(*state.mean[:, None])
        self.right_axis.set_data(*(state.mean + reach * state.centred).T)
        self.wrong_axis.set_data(*(reach * state.v).T)
        self.dot.set_data([state.b], [state.to_mean])

    def describe(self, state):
        return (
            f"A long cloud of 80 points whose mean is {state.b:.2f} away from 0, {self.across - self.long:.0f}° off "
            f"its own direction. With centring the first axis follows the cloud. Without centring it is "
            f"{state.to_mean:.0f}° away from the direction of the mean."
        )

    @invariant("the centred axis follows the cloud wherever it is")
    def _stays(self, state):
        return np.isclose(abs(state.centred @ self.u), 1)

    @invariant("the axis without centring comes closer to the mean as the mean moves away", along="b")
    def _turns(self, before, after):
        return after.to_mean <= before.to_mean + 1e-9

    @invariant("at 0 both axes are the same")
    def _same_at_zero(self, state):
        return state.b > 0 or np.isclose(state.to_mean, self.across - self.long)


class Rings(Explorer):
    """Two rings and a Gaussian kernel: the first two scores, and one cut that sorts the plane."""

    height = 400
    h = LogSlider("h", "width of the kernel", 0.1, 10.0, 1.0)
    n = 60  # on each ring

    def prepare(self):
        rng = np.random.default_rng(0)
        angle = 2 * np.pi * (np.arange(2 * self.n) + rng.uniform(-0.8, 0.8, size=2 * self.n)) / self.n
        radius = np.repeat([1.0, 3.0], self.n) + 0.12 * rng.normal(size=2 * self.n)
        self.X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        self.inner = np.arange(2 * self.n) < self.n
        ticks = np.linspace(-3.9, 3.9, 34)
        self.plane = np.column_stack([g.ravel() for g in np.meshgrid(ticks, ticks)])

    def compute(self, h):
        G = pca.gaussian(self.X, self.X, h)
        alpha = pca.kernel_axes(G, 2)
        Z = pca.centred_gram(G) @ alpha
        signs = np.where([Z[self.inner, 0].mean() < 0, Z[:, 1] @ self.X[:, 0] < 0], -1.0, 1.0)
        Z, alpha = Z * signs, alpha * signs
        cut, told_apart = self._best_cut(Z[:, 0])
        new = pca.kernel_new(pca.gaussian(self.plane, self.X, h), G, alpha[:, 0])
        share = np.sum(Z**2) / np.trace(pca.centred_gram(G))
        return SimpleNamespace(h=h, Z=Z, cut=cut, told_apart=told_apart, share=share, above=self.plane[new > cut])

    def _best_cut(self, z):
        """Where to cut so that most of the inner ring is above and most of the outer one below, and their share."""
        order = np.argsort(z)
        right = self.n + np.cumsum(np.where(self.inner[order], -1, 1))[:-1]  # with 1, 2, … points below the cut
        k = np.argmax(right)
        return z[order[k : k + 2]].mean(), right[k] / (2 * self.n)

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        left.set_xlim(-4, 4)
        left.set_ylim(-4, 4)
        left.set_aspect("equal")
        left.set_title("Grey: a new point scores above the cut")
        (self.region,) = left.plot([], [], "s", color="#cfcfcf", markersize=3.4)
        right.set_xlim(-0.95, 0.95)
        right.set_ylim(-0.95, 0.95)
        right.set_aspect("equal")
        right.set_xlabel("first score")
        right.set_ylabel("second score")
        right.set_title("At a good width the rings part")
        self.line = right.axvline(0, ymax=0.84, color=style.TRUTH, linewidth=1.5, linestyle="--")
        for artist in (self.region, self.line):
            self.moving(artist)
        self.points = []
        for axes in (left, right):
            (inner,) = axes.plot([], [], "^", color=style.ERROR, markersize=4.5)
            (outer,) = axes.plot([], [], "o", color=style.MODEL, markersize=4)
            self.points.append((self.moving(inner), self.moving(outer)))
        self._place(0, self.X)
        self.readout = self.moving(right.text(0.03, 0.97, "", transform=right.transAxes, va="top"))

    def _place(self, panel, Z):
        inner, outer = self.points[panel]
        inner.set_data(*Z[self.inner].T)
        outer.set_data(*Z[~self.inner].T)

    def update(self, state):
        self.region.set_data(*state.above.T)
        self.line.set_xdata([state.cut, state.cut])
        self._place(1, state.Z)
        self.readout.set_text(f"one cut on the first score\nsorts {state.told_apart:.0%} of the points")

    def describe(self, state):
        return (
            f"Two rings of 60 points each, and kernel PCA with a Gaussian kernel of width h = {state.h:.2g}. One cut "
            f"on the first score puts {state.told_apart:.0%} of the points into the right ring. The first two axes "
            f"keep {state.share:.0%} of the variance in feature space."
        )

    @invariant("the scores have mean 0 and are uncorrelated")
    def _uncorrelated(self, state):
        C = state.Z.T @ state.Z
        return np.abs(state.Z.mean(axis=0)).max() < 1e-9 and abs(C[0, 1]) < 1e-8 * C[0, 0]

    @invariant("the first score varies at least as much as the second")
    def _sorted(self, state):
        return state.Z[:, 0].var() >= state.Z[:, 1].var() * (1 - 1e-9)

    @invariant("a very wide kernel does what PCA does")
    def _linear_limit(self, state):
        if state.h < 10 * (1 - 1e-9):
            return True
        plain = pca.encode(self.X, pca.axes(self.X, 2), self.X.mean(axis=0))
        return all(abs(np.corrcoef(state.Z[:, j], plain[:, j])[0, 1]) > 0.98 for j in range(2))
