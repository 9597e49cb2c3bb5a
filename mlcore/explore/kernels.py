"""The figures of 16 kernels."""

from types import SimpleNamespace

import numpy as np
from contourpy import contour_generator

from mlcore import kernels, svm
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style, tell, tell_error


def _rings(count=44, seed=5):
    """Points around 0, and points on a ring around them, with labels −1 and +1."""
    rng = np.random.default_rng(seed)
    s = np.where(np.arange(count) % 2 == 0, -1.0, 1.0)
    radius = np.where(s < 0, 0.55, 1.45) + 0.2 * rng.normal(size=count)
    angle = 2.4 * np.arange(count) + 0.3 * rng.normal(size=count)  # a turn of 2.4 spreads them evenly
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), s


def _marks(axes, X, s):
    """The points of both classes, told apart by their marks; returns the two artists."""
    (minus,) = axes.plot(*X[s < 0].T, "o", color="#8a8a8a", markersize=6, linestyle="none")
    (plus,) = axes.plot(*X[s > 0].T, "^", color=style.DATA, markersize=6.5, linestyle="none")
    return minus, plus


def _joined(lines):
    """Several lines as one, with gaps between them."""
    gap = np.full((1, 2), np.nan)
    return np.vstack([piece for line in lines for piece in (line, gap)] or [gap]).T


class Lifted(Explorer):
    """Points that no line separates, and the squares of their coordinates, which one does."""

    height = 350

    def prepare(self):
        self.X, self.s = _rings()

    def compute(self):
        line, lifted = (svm.fit(X, self.s, C) for X, C in ((self.X, 1.0), (self.X**2, 100.0)))
        return SimpleNamespace(
            lifted=lifted,
            straight=np.sum(self.s * (self.X @ line.w + line.b) <= 0),
            wrong=np.sum(self.s * (self.X**2 @ lifted.w + lifted.b) <= 0),
        )

    def draw(self, figure):
        state = self.compute()
        left, right = figure.subplots(1, 2)
        style.headline(figure, "No line separates the points, but a line separates their squares")
        left.set_aspect("equal")
        left.set_xlim(-2.3, 2.3)
        left.set_ylim(-2.15, 2.15)
        left.set_xlabel("$x_1$")
        left.set_ylabel("$x_2$", rotation=0)
        _marks(left, self.X, self.s)
        w, b = state.lifted.w, state.lifted.b
        grid = np.linspace(-2.3, 2.3, 201)
        left.contour(
            grid, grid, w[0] * grid[None, :] ** 2 + w[1] * grid[:, None] ** 2 + b, levels=[0], colors=[style.MODEL]
        )
        right.set_xlim(-0.15, 4.4)
        right.set_ylim(-0.15, 4.4)
        right.set_aspect("equal")
        right.set_xlabel("$x_1^2$")
        right.set_ylabel("$x_2^2$", rotation=0, labelpad=10)
        _marks(right, self.X**2, self.s)
        right.axline((0, -b / w[1]), slope=-w[0] / w[1], color=style.MODEL)
        right.text(4.3, 4.0, "— one boundary", color=style.MODEL, fontweight="bold", ha="right")

    def describe(self, state):
        return (
            f"44 points, half of them on a ring around the other half. A straight line in the plane, fitted at C = 1, "
            f"gets {state.straight} of them wrong. Drawn by the squares of their coordinates, a straight line gets "
            f"{state.wrong} wrong; back in the plane that line is an ellipse."
        )

    @invariant("the squares are separated better than the points")
    def _better(self, state):
        return state.wrong == 0 < state.straight


class Bandwidth(Explorer):
    """Kernel ridge with a Gaussian kernel on thirty points of a noisy curve."""

    height = 400
    h = LogSlider("h", "bandwidth", 1e-2, 10**1.5, 10**-0.5)
    lam = LogSlider("λ", "penalty", 1e-6, 1e2, 1e-2)

    def prepare(self):
        rng = np.random.default_rng(2)
        self.x = np.sort(rng.uniform(-2, 2, size=30))[:, None]
        self.y = self._truth(self.x[:, 0]) + 0.3 * rng.normal(size=30)
        self.at = np.linspace(-2.2, 2.2, 400)[:, None]

    def _truth(self, x):
        return np.sin(2.5 * x) + 0.4 * x

    def compute(self, h, lam):
        K = kernels.rbf(self.x, self.x, h)
        beta = kernels.fit(K, self.y, lam)
        curve, fitted = kernels.predict(beta, kernels.rbf(self.at, self.x, h)), K @ beta
        return SimpleNamespace(
            h=h,
            lam=lam,
            K=K,
            beta=beta,
            curve=curve,
            fitted=fitted,
            loss=np.mean((self.y - fitted) ** 2),
            error=np.mean((curve - self._truth(self.at[:, 0]))[np.abs(self.at[:, 0]) <= 2] ** 2),
            penalty=beta @ fitted,
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-2.2, 2.2)
        axes.set_ylim(-2.6, 2.6)
        axes.set_xlabel("x")
        axes.set_title("One bandwidth spans everything from spikes at the points to a nearly straight line")
        axes.plot(self.at[:, 0], self._truth(self.at[:, 0]), color=style.TRUTH, linestyle="--", linewidth=1.5)
        axes.text(-2.12, -0.75, "- - truth", color=style.TRUTH, fontweight="bold")
        axes.plot(self.x[:, 0], self.y, "o", color=style.DATA, markersize=5, linestyle="none")
        (self.line,) = axes.plot([], [], color=style.MODEL)
        self.readout = axes.text(0.98, 0.04, "", transform=axes.transAxes, ha="right", va="bottom")
        self.moving(self.line)
        self.moving(self.readout)

    def update(self, state):
        self.line.set_data(self.at[:, 0], np.clip(state.curve, -4, 4))
        self.readout.set_text(f"mean squared error on the points {state.loss:.3f}\nagainst the truth {state.error:.3f}")

    def describe(self, state):
        return (
            f"Kernel ridge with bandwidth h = {state.h:.3g} and penalty λ = {state.lam:.3g} on 30 points: mean squared "
            f"error {state.loss:.3f} on the points and {state.error:.3f} against the truth; the largest coefficient is "
            f"{np.abs(state.beta).max():.3g}."
        )

    @invariant("the training error never falls as λ grows", along="lam")
    def _loss_rises(self, before, after):
        return after.loss >= before.loss * (1 - 1e-6) - 1e-12

    @invariant("the penalty βᵀKβ never grows with λ, and is never negative", along="lam")
    def _penalty_falls(self, before, after):
        return -1e-9 <= after.penalty <= before.penalty * (1 + 1e-6) + 1e-12

    @invariant("(16.9): the coefficients are the residuals divided by λ")
    def _residuals(self, state):
        return np.allclose(state.lam * state.beta, self.y - state.fitted, atol=1e-7)

    @invariant("every Gram matrix passes Mercer's test")
    def _mercer(self, state):
        return kernels.smallest_eigenvalue(state.K) > -1e-12 * len(self.y)


class Mercer(Explorer):
    """The eigenvalues of the Gram matrix of a Gaussian that is shifted away from distance 0."""

    height = 370
    mu = Slider("μ", "shift", 0.0, 2.0, 1.0, step=0.05)

    def prepare(self):
        self.points = np.linspace(0, 3, 8)
        self.mus = np.linspace(0, 2, 81)
        self.least = np.array([kernels.smallest_eigenvalue(self._gram(mu)) for mu in self.mus])

    def _gram(self, mu):
        return np.exp(-((np.abs(self.points[:, None] - self.points) - mu) ** 2) / 2)

    def compute(self, mu):
        K = self._gram(mu)
        eigenvalues = np.linalg.eigvalsh(K)
        return SimpleNamespace(mu=mu, K=K, eigenvalues=eigenvalues, least=eigenvalues[0])

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "Only the unshifted Gaussian has no negative eigenvalue")
        left.set_xlim(0.4, 8.6)
        left.set_ylim(-2.7, 6.6)
        left.set_xticks(range(1, 9))
        left.set_xlabel("number of the eigenvalue")
        left.set_ylabel("eigenvalue")
        left.axhline(0, color=style.TRUTH, linewidth=1)
        left.text(0.6, 6.0, "▲ positive", color=style.MODEL, fontweight="bold")
        left.text(0.6, 5.4, "▼ negative", color=style.ERROR, fontweight="bold")
        self.stems = left.vlines(range(1, 9), 0, 0, color=style.TRUTH, linewidth=2)
        (self.good,) = left.plot([], [], "^", color=style.MODEL, markersize=7, linestyle="none")
        (self.bad,) = left.plot([], [], "v", color=style.ERROR, markersize=8, linestyle="none")
        right.set_xlim(-0.05, 2.05)
        right.set_ylim(-2.7, 0.4)
        right.set_xlabel("μ, shift")
        right.set_ylabel("smallest eigenvalue")
        right.axhline(0, color=style.TRUTH, linewidth=1)
        right.plot(self.mus, self.least, color=style.MODEL)
        (self.now,) = right.plot([], [], "o", color=style.ERROR, markersize=8)
        self.readout = right.text(0.97, 0.95, "", transform=right.transAxes, ha="right", va="top")
        for artist in (self.stems, self.good, self.bad, self.now, self.readout):
            self.moving(artist)

    def update(self, state):
        at, values = np.arange(1, 9), state.eigenvalues
        self.stems.set_segments([[(i, 0), (i, v)] for i, v in zip(at, values, strict=True)])
        negative = values < -1e-9
        self.good.set_data(at[~negative], values[~negative])
        self.bad.set_data(at[negative], values[negative])
        self.now.set_data([state.mu], [state.least])
        self.readout.set_text(f"smallest {tell(state.least, 3)}")

    def describe(self, state):
        negative = np.sum(state.eigenvalues < -1e-9)
        return (
            f"The Gram matrix of exp(−(|x − z| − μ)²/2) at eight points, for μ = {state.mu:.2f}: {negative} of 8 "
            f"eigenvalues are negative, the smallest is {tell(state.least, 3)} and the largest "
            f"{tell(state.eigenvalues[-1], 3)}."
        )

    @invariant("for μ = 0 no eigenvalue is negative, for every other μ at least one is")
    def _only_zero(self, state):
        return state.least > 0 if state.mu == 0 else state.least < -1e-2

    @invariant("the eigenvalues add up to the diagonal")
    def _trace(self, state):
        return np.isclose(state.eigenvalues.sum(), 8 * np.exp(-(state.mu**2) / 2))

    @invariant("no two points give a smaller vᵀKv than the smallest eigenvalue")
    def _witness(self, state):
        pairs = np.diag(state.K)[:, None] - state.K  # v = (1, −1)/√2 at two points
        return pairs[~np.eye(8, dtype=bool)].min() >= state.least - 1e-9


class Truncation(Explorer):
    """The Gaussian kernel as a sum of its first m features."""

    height = 380
    m = Slider("m", "features", 1, 20, 3, step=1, play=True)
    z = Slider("z", "second point", -2.0, 2.0, -0.5, step=0.1)
    g = 0.7

    def prepare(self):
        self.at = np.linspace(-3, 3, 241)
        self.Phi = kernels.rbf_features(self.at, self.g, self.m.high)

    def compute(self, m, z):
        exact = np.exp(-self.g * (self.at - z) ** 2)
        terms = self.Phi * kernels.rbf_features(np.array([z]), self.g, self.m.high)
        sums = np.cumsum(terms, axis=1)
        one = np.exp(-self.g * (0.8 - z) ** 2)
        pair = kernels.rbf_features(np.array([0.8, z]), self.g, self.m.high)
        errors = np.abs(np.cumsum(pair[0] * pair[1]) - one)
        worst = np.abs(sums - exact[:, None]).max(axis=0)
        return SimpleNamespace(m=m, z=z, exact=exact, curve=sums[:, m - 1], errors=errors, worst=worst)

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        style.headline(figure, "A few of the infinitely many features are enough, near 0 first")
        left.set_xlim(-3, 3)
        left.set_ylim(-0.55, 1.45)
        left.set_xlabel("$x$")
        left.text(-2.9, 1.32, "- - $k(x,z)$", color=style.REFERENCE, fontweight="bold")
        left.text(-2.9, 1.17, "— sum of $m$ terms", color=style.MODEL, fontweight="bold")
        (self.exact,) = left.plot([], [], color=style.REFERENCE, linestyle="--")
        (self.curve,) = left.plot([], [], color=style.MODEL)
        (self.point,) = left.plot([], [], "o", color=style.DATA, markersize=6)
        right.set_yscale("log")
        right.set_xlim(0.3, 20.7)
        right.set_ylim(1e-17, 3)
        right.set_xticks([1, 5, 10, 15, 20])
        right.set_xlabel("$m$, features")
        right.set_title("error at $x=0.8$")
        (self.errors,) = right.plot([], [], "o-", color=style.MODEL, markersize=4, linewidth=1.3)
        (self.now,) = right.plot([], [], "o", color=style.ERROR, markersize=9)
        self.readout = right.text(0.97, 0.95, "", transform=right.transAxes, ha="right", va="top")
        for artist in (self.exact, self.curve, self.point, self.errors, self.now, self.readout):
            self.moving(artist)

    def update(self, state):
        self.exact.set_data(self.at, state.exact)
        self.curve.set_data(self.at, np.clip(state.curve, -2, 3))
        self.point.set_data([state.z], [0])
        shown = np.maximum(state.errors, 2e-17)
        self.errors.set_data(np.arange(1, 21), shown)
        self.now.set_data([state.m], [shown[state.m - 1]])
        self.readout.set_text(f"error {tell_error(state.errors[state.m - 1])}")

    def describe(self, state):
        return (
            f"The Gaussian kernel with g = 0.7 between x and z = {tell(state.z, 1)}, as the sum of {state.m} "
            f"feature{'s' if state.m > 1 else ''}. At x = 0.8 the sum is off by "
            f"{tell_error(state.errors[state.m - 1])}, over −3 to 3 by up to {tell_error(state.worst[state.m - 1])}."
        )

    @invariant("the largest error over the interval never grows with m, from the point on where the terms fall")
    def _converges(self, state):
        falling = int(np.ceil(2 * self.g * 3 * abs(state.z))) + 1
        return np.all(np.diff(state.worst[falling:]) <= 1e-12)

    @invariant("at x = 0 one feature is exact")
    def _exact_at_zero(self, state):
        middle = len(self.at) // 2
        return np.isclose(state.curve[middle], state.exact[middle])

    @invariant("the error is at most that of the exponential series, with its remainder")
    def _remainder(self, state):
        u = 2 * self.g * 0.8 * abs(state.z)
        terms = np.cumprod(np.append(1.0, u / np.arange(1, 21)))[1:]  # the first term that is left out
        return np.all(state.errors <= terms * np.exp(u) + 1e-15)


class Machine(Explorer):
    """The support vector machine on the ring, with one kernel after the other."""

    height = 430
    kernel = Pick("k", "kernel", ("h = 1", "h = 0.2", "p = 1", "p = 2", "p = 5"))
    C = LogSlider("C", "price of slack", 1e-1, 1e2, 1.0)

    def prepare(self):
        self.X, self.s = _rings()
        self.across, self.up = np.linspace(-3.5, 3.5, 106), np.linspace(-2.2, 2.2, 67)
        grid = np.stack(np.meshgrid(self.across, self.up), axis=-1).reshape(-1, 2)
        self.features, self.new, self.grams = {}, {}, {}
        for name in self.kernel.options:
            self.grams[name] = self._kernel(name, self.X)
            self.features[name] = kernels.gram_features(self.grams[name])
            self.new[name] = self._kernel(name, grid)

    def _kernel(self, name, Z):
        letter, value = name.split(" = ")
        return kernels.rbf(Z, self.X, float(value)) if letter == "h" else (1 + Z @ self.X.T) ** int(value)

    def compute(self, kernel, C):
        found = svm.fit(self.features[kernel], self.s, C)  # (16.13): the machine of notebook 15 on the rows of Φ
        score = kernels.svm_score(found.alpha, self.s, found.b, self.new[kernel])
        z = self.s * kernels.svm_score(found.alpha, self.s, found.b, self.grams[kernel])
        return SimpleNamespace(
            kernel=kernel,
            C=C,
            alpha=found.alpha,
            z=z,
            w=found.w,
            score=score.reshape(len(self.up), len(self.across)),
            support=np.sum(found.alpha > 0),
            wrong=np.sum(z <= 0),
            gap=svm.gap(found.alpha, found.b, self.features[kernel], self.s, C),
            quadratic=(found.alpha * self.s) @ self.grams[kernel] @ (found.alpha * self.s),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-3.5, 3.5)
        axes.set_ylim(-2.2, 2.2)
        axes.set_aspect("equal")
        axes.set_xlabel("$x_1$")
        axes.set_ylabel("$x_2$", rotation=0)
        axes.set_title("The kernel decides which boundaries can be drawn", pad=24)
        (self.edges,) = axes.plot([], [], color=style.MODEL, linewidth=1.2, linestyle="--")
        (self.line,) = axes.plot([], [], color=style.MODEL, linewidth=2)
        self.moving(self.edges)
        self.moving(self.line)
        for artist in _marks(axes, self.X, self.s):
            self.moving(artist)
        (self.held,) = axes.plot([], [], "o", color=style.ERROR, markersize=12, fillstyle="none", markeredgewidth=1.6)
        self.moving(self.held)
        notes = (
            (0, "• s = −1   ▲ s = +1", style.DATA),
            (0.3, "○ α > 0", style.ERROR),
            (0.43, "— f = 0   - - f = −1 and f = 1", style.MODEL),
        )
        for x, text, colour in notes:
            axes.text(x, 1.03, text, color=colour, fontweight="bold", transform=axes.transAxes)
        self.readout = axes.text(
            0.985,
            0.03,
            "",
            transform=axes.transAxes,
            ha="right",
            bbox={"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 2},
        )
        self.moving(self.readout)

    def update(self, state):
        contours = contour_generator(self.across, self.up, state.score)
        self.line.set_data(*_joined(contours.lines(0.0)))
        self.edges.set_data(*_joined([*contours.lines(-1.0), *contours.lines(1.0)]))
        self.held.set_data(*self.X[state.alpha > 0].T)
        self.readout.set_text(f"{state.wrong} wrong, {state.support} with α > 0")

    def describe(self, state):
        letter, value = state.kernel.split(" = ")
        name = (
            f"Gaussian kernel with h = {value}"
            if letter == "h"
            else f"polynomial kernel (1 + xᵀz) to the power {value}"
        )
        return (
            f"A support vector machine with the {name} and C = {state.C:.3g}: {state.wrong} of 44 points are on the "
            f"wrong side, {state.support} have α > 0. The score is positive in {np.mean(state.score > 0):.0%} of the "
            f"picture."
        )

    @invariant("the duality gap is closed")
    def _closed(self, state):
        return abs(state.gap) <= 1e-6 * (1 + state.C)

    @invariant("the prices are allowed: 0 ≤ α ≤ C and Σ αs = 0")
    def _allowed(self, state):
        inside = np.all((state.alpha >= 0) & (state.alpha <= state.C))
        return inside and abs(state.alpha @ self.s) <= 1e-9 * state.C * len(self.s)

    @invariant("‖w‖² in feature space is the quadratic form of the Gram matrix")
    def _length(self, state):
        return np.isclose(state.w @ state.w, state.quadratic, rtol=1e-6)

    @invariant("points with α = 0 are not inside the street, those with 0 < α < C are on its edge")
    def _kkt(self, state):
        free = (state.alpha > 0) & (state.alpha < state.C)
        return np.all(state.z[state.alpha == 0] > 1 - 1e-5) and np.allclose(state.z[free], 1, atol=1e-5)
