"""The figures of 06 lasso."""

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np

from mlcore import lasso, ridge
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Slider, invariant, style, tell

ON_WHITE: dict[str, Any] = {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1.5}}


def _explained(w, X, y):
    return 1 - np.sum((X @ w - y) ** 2) / np.sum(y**2)


class TwoFits(Explorer):
    """Ridge and lasso on the diabetes data, with penalties that let both explain the same."""

    height = 340
    lam = 10_000.0

    def prepare(self):
        self.features = load("diabetes").features
        self.X, self.y = load("diabetes").standardised()

    def compute(self):
        sparse = lasso.fit(self.X, self.y, self.lam)
        explained = _explained(sparse, self.X, self.y)
        low, high = 0.0, 1e5
        for _ in range(60):  # ridge explains less and less as its λ grows
            middle = (low + high) / 2
            more = _explained(ridge.fit(self.X, self.y, middle), self.X, self.y) > explained
            low, high = (middle, high) if more else (low, middle)
        return SimpleNamespace(lasso=sparse, ridge=ridge.fit(self.X, self.y, low), ridge_lam=low, explained=explained)

    def draw(self, figure):
        state = self.compute()
        axes = figure.subplots()
        at = np.arange(len(self.features))
        axes.axhline(0, color=style.TRUTH, linewidth=1)
        axes.vlines(at - 0.14, 0, state.ridge, color=style.SECOND, linewidth=2)
        axes.plot(at - 0.14, state.ridge, "o", color=style.SECOND, markersize=7)
        kept = state.lasso != 0
        axes.vlines(at[kept] + 0.14, 0, state.lasso[kept], color=style.MODEL, linewidth=2)
        axes.plot(at[kept] + 0.14, state.lasso[kept], "s", color=style.MODEL, markersize=7)
        axes.plot(at[~kept] + 0.14, state.lasso[~kept], "s", color=style.MODEL, markerfacecolor="white", markersize=7)
        axes.set_xticks(at, self.features)
        axes.set_ylim(-11, 31)
        axes.set_ylabel("weight of the standardised feature")
        axes.grid(axis="x", visible=False)
        axes.set_title("The same share explained, with ten measurements or with four")
        axes.text(3.6, 28, "● squares as the price (ridge)", color=style.SECOND)
        axes.text(3.6, 25, "■ absolute values as the price    □ exactly 0", color=style.MODEL)

    def describe(self, state):
        weights = [
            f"{f} {tell(r, 1)} and {tell(s, 1) if s else 'exactly 0'}"
            for f, r, s in zip(self.features, state.ridge, state.lasso, strict=True)
        ]
        return (
            f"Weights of ten features in two fits that both explain {state.explained:.0%} of the variance, first with "
            f"squares as the price, then with absolute values: {', '.join(weights)}."
        )

    @invariant("both fits explain the same")
    def _alike(self, state):
        return abs(_explained(state.ridge, self.X, self.y) - state.explained) < 1e-6

    @invariant("four weights of one fit are not 0, and all ten of the other")
    def _four(self, state):
        return np.count_nonzero(state.lasso) == 4 and np.count_nonzero(state.ridge) == 10


class Touching(Explorer):
    """Two weights: where the contours of the loss touch the diamond and the disc."""

    height = 400
    lam = LogSlider("λ", "penalty", 1.0, 100.0, 10**1.5, step=0.05)

    def prepare(self):
        self.X = np.sqrt(10) * np.linalg.cholesky(np.array([[1, 0.5], [0.5, 1]])).T  # XᵀX = 10 (1, ½; ½, 1)
        self.w_ols = np.array([2.0, 1.0])
        self.y = self.X @ self.w_ols
        turn = np.linspace(0, 2 * np.pi, 200)
        self.circle = np.array([np.cos(turn), np.sin(turn)])
        self.ellipse = np.linalg.solve(self.X, self.circle)  # where the loss is 1, around ŵ of least squares

    def compute(self, lam):
        fits = lasso.fit(self.X, self.y, lam), ridge.fit(self.X, self.y, lam)
        return SimpleNamespace(
            lam=lam,
            lasso=fits[0],
            ridge=fits[1],
            losses=[np.sum((self.X @ w - self.y) ** 2) for w in fits],
            budgets=(np.sum(np.abs(fits[0])), np.sqrt(np.sum(fits[1] ** 2))),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, sharey=True)
        style.headline(figure, "A contour of the loss can stay in a corner of the diamond; a disc has no corners")
        self.parts = []
        for axes, colour, name in ((left, style.MODEL, "lasso: ‖w‖₁ ≤ t"), (right, style.SECOND, "ridge: ‖w‖ ≤ t")):
            axes.set_xlim(-1.7, 3.1)
            axes.set_ylim(-1.6, 2.4)
            axes.set_aspect("equal")
            axes.set_xlabel("w₁")
            axes.axhline(0, color=style.TRUTH, linewidth=1)
            axes.axvline(0, color=style.TRUTH, linewidth=1)
            for loss in (0.5, 2.5, 6, 11, 18):
                points = self.w_ols[:, None] + np.sqrt(loss) * self.ellipse
                axes.plot(*points, color="#d0d0d0", linewidth=1, zorder=1)
            axes.plot(*self.w_ols, "+", color=style.DATA, markersize=11, markeredgewidth=2)
            axes.text(2.05, 1.14, "least squares", color=style.DATA, fontsize=9, ha="center", va="bottom")
            (area,) = axes.fill([], [], color=colour, alpha=0.25)
            (edge,) = axes.plot([], [], color=style.DATA, linewidth=1.6)
            (dot,) = axes.plot([], [], "o", color=colour, markersize=8, markeredgecolor="white")
            readout = axes.text(0.98, 0.02, "", transform=axes.transAxes, ha="right", va="bottom", **ON_WHITE)
            axes.set_title(name, color=colour)
            self.parts.append([self.moving(artist) for artist in (area, edge, dot, readout)])
        left.set_ylabel("w₂")

    def update(self, state):
        diamond = state.budgets[0] * np.array([[1, 0, -1, 0, 1], [0, 1, 0, -1, 0]])
        disc = state.budgets[1] * self.circle
        for (area, edge, dot, readout), shape, w, loss in zip(
            self.parts, (diamond, disc), (state.lasso, state.ridge), state.losses, strict=True
        ):
            area.set_xy(shape.T)
            edge.set_data(*(self.w_ols[:, None] + np.sqrt(loss) * self.ellipse))
            dot.set_data([w[0]], [w[1]])
            readout.set_text(f"ŵ = ({tell(w[0], 2)}, {tell(w[1], 2) if w[1] else '0 exactly'})")

    def describe(self, state):
        corner = "in a corner, so the second weight is exactly 0" if state.lasso[1] == 0 else "on an edge"
        if not state.lasso.any():
            corner = "at the point 0, to which it has shrunk"
        return (
            f"At λ = {state.lam:.3g} the contour of the loss touches the diamond of size {state.budgets[0]:.2f} "
            f"{corner}: ŵ = ({tell(state.lasso[0], 2)}, {tell(state.lasso[1], 2)}). It touches the disc of radius "
            f"{state.budgets[1]:.2f} at ({tell(state.ridge[0], 2)}, {tell(state.ridge[1], 2)})."
        )

    @invariant("the conditions (6.5) hold")
    def _optimal(self, state):
        return lasso.violation(state.lasso, self.X, self.y, state.lam) < 1e-8

    @invariant("no point of the diamond's edge has a smaller loss")
    def _touches(self, state):
        t = state.budgets[0]
        share = np.linspace(-1, 1, 401)
        edge = t * np.concatenate([[share, 1 - np.abs(share)], [share, np.abs(share) - 1]], axis=1)
        return np.min(np.sum((self.X @ edge - self.y[:, None]) ** 2, axis=0)) >= state.losses[0] - 1e-9

    @invariant("ridge has no weight that is 0")
    def _never_zero(self, state):
        return np.all(state.ridge != 0)


class Paths(Explorer):
    """All ten weights of the diabetes data against λ: lasso beside ridge."""

    height = 400
    lam = LogSlider("λ", "penalty", 100.0, 1e5, 10_000.0, step=0.05)

    def prepare(self):
        self.features = load("diabetes").features
        self.X, self.y = load("diabetes").standardised()
        Q, R = np.linalg.qr(self.X)  # the same XᵀX and Xᵀy in ten rows instead of 442
        self.lams = np.array(list(dict.fromkeys(self.lam.grid(61))))
        self.lasso = lasso.path(R, Q.T @ self.y, self.lams[::-1])[::-1]  # from no weight to all of them
        self.ridge = ridge.path(self.X, self.y, self.lams)
        self.lam_max = lasso.lambda_max(self.X, self.y)

    def compute(self, lam):
        i = np.argmin(np.abs(np.log(self.lams / lam)))  # every place of the slider has been computed
        return SimpleNamespace(
            lam=lam,
            lasso=self.lasso[i],
            ridge=self.ridge[i],
            alive=np.count_nonzero(self.lasso[i]),
            size=np.sum(np.abs(self.lasso[i])),
            explained=[_explained(w, self.X, self.y) for w in (self.lasso[i], self.ridge[i])],
        )

    def draw(self, figure):
        axes = figure.subplots(1, 2, sharey=True)
        style.headline(figure, "The lasso lets its weights go one by one, ridge keeps all ten")
        loud = {"bmi": style.MODEL, "ltg": style.REFERENCE, "hdl": style.SECOND, "tc": style.ERROR, "bp": style.DATA}
        self.parts = []
        for one, name, path in zip(axes, ("lasso", "ridge"), (self.lasso, self.ridge), strict=True):
            one.set_xscale("log")
            one.set_xlim(self.lam.low * 0.9, self.lam.high * 1.1)
            one.set_ylim(-28, 41)
            one.set_xlabel("λ, penalty")
            one.set_title(name)
            one.axhline(0, color=style.TRUTH, linewidth=1)
            for feature, column in zip(self.features, path.T, strict=True):
                colour = loud.get(feature, "#b5b5b5")
                one.plot(self.lams, column, color=colour, linewidth=2 if feature in loud else 1.2)
            colours = [loud.get(f, "#b5b5b5") for f in self.features]
            now = self.moving(one.axvline(1, color=style.DATA, linewidth=1))
            living = self.moving(one.scatter(np.ones(10), np.zeros(10), s=26, color=colours, zorder=4))
            zeros = self.moving(one.plot([], [], "o", color=style.DATA, markerfacecolor="white", zorder=5)[0])
            readout = self.moving(one.text(0.97, 0.99, "", transform=one.transAxes, ha="right", va="top", **ON_WHITE))
            self.parts.append((now, living, zeros, readout))
        places = {"bmi": (420, 25.6), "ltg": (420, 31), "hdl": (1500, -14.5), "tc": (260, -22), "bp": (420, 11)}
        for feature, place in places.items():
            axes[0].text(*place, feature, color=loud[feature], fontsize=9, fontweight="bold")
        axes[0].axvline(self.lam_max, ymax=0.85, color=style.TRUTH, linewidth=1, linestyle="--")
        axes[0].text(self.lam_max * 0.93, -26, r"$\lambda_{\max}$", color="#555555", ha="right")
        axes[0].set_ylabel("weight")

    def update(self, state):
        for (now, living, zeros, readout), w, explained in zip(
            self.parts, (state.lasso, state.ridge), state.explained, strict=True
        ):
            now.set_xdata([state.lam, state.lam])
            living.set_offsets(np.column_stack([np.full(len(w), state.lam), w]))
            zeros.set_data([state.lam] * int(np.any(w == 0)), [0] * int(np.any(w == 0)))
            readout.set_text(f"{np.count_nonzero(w)} weights ≠ 0\nexplained variance {explained:.0%}")

    def describe(self, state):
        kept = [f"{f} {tell(w, 1)}" for f, w in zip(self.features, state.lasso, strict=True) if w]
        all_ten = [f"{f} {tell(w, 1)}" for f, w in zip(self.features, state.ridge, strict=True)]
        return (
            f"At λ = {state.lam:.3g} the lasso has {state.alive} of ten weights that are not 0"
            f"{': ' + ', '.join(kept) if kept else ''}. It explains {state.explained[0]:.0%} of the variance. "
            f"Ridge with the same λ has {', '.join(all_ten)} and explains {state.explained[1]:.0%}."
        )

    @invariant("the conditions (6.5) hold")
    def _optimal(self, state):
        return lasso.violation(state.lasso, self.X, self.y, state.lam) < 1e-6 * self.lam_max

    @invariant("all weights are 0 exactly from λ_max on")
    def _none_left(self, state):
        return (state.alive == 0) == (state.lam >= self.lam_max)

    @invariant("‖ŵ‖₁ never grows with λ", along="lam")
    def _shrinks(self, before, after):
        return after.size <= before.size * (1 + 1e-9)

    @invariant("no weight of ridge is exactly 0")
    def _never_zero(self, state):
        return np.all(state.ridge != 0)


class Outlier(Explorer):
    """Nine points near a line and one that is not: the two lines that answer."""

    height = 400
    h = Slider("h", "height above the line", 0.0, 25.0, 15.0, step=0.5)
    x = Slider("x", "where the outlier stands", 0.0, 30.0, 7.5, step=0.5)

    def prepare(self):
        rng = np.random.default_rng(4)
        self.at = np.sort(rng.uniform(0, 8, size=9))
        self.values = self.at + 0.6 * rng.normal(size=9)

    def compute(self, h, x):
        X = np.column_stack([np.ones(10), np.append(self.at, x)])
        y = np.append(self.values, x + h)
        squares, robust = _lines(X, y)
        return SimpleNamespace(
            h=h,
            x=x,
            X=X,
            y=y,
            squares=squares,
            robust=robust,
            losses=[lasso.absolute_loss(w, X, y) for w in (squares, robust)],
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-1, 31)
        axes.set_ylim(-5, 57)
        axes.set_xlabel("x")
        axes.set_ylabel("y")
        axes.set_title("The height of an outlier turns only least squares; standing far out, it turns both")
        axes.plot(self.at, self.values, "o", color=style.DATA, markersize=6)
        (self.least,) = axes.plot([], [], color=style.ERROR, linestyle="--")
        (self.line,) = axes.plot([], [], color=style.MODEL)
        (self.point,) = axes.plot([], [], "D", color="black", markersize=8)
        self.labels = [
            axes.text(0.02, 0.97, "", transform=axes.transAxes, va="top", color=style.ERROR),
            axes.text(0.02, 0.90, "", transform=axes.transAxes, va="top", color=style.MODEL),
        ]
        for artist in (self.least, self.line, self.point, *self.labels):
            self.moving(artist)

    def update(self, state):
        ends = np.array([-1.0, 31.0])
        self.least.set_data(ends, state.squares[0] + state.squares[1] * ends)
        self.line.set_data(ends, state.robust[0] + state.robust[1] * ends)
        self.point.set_data([state.x], [state.x + state.h])
        for label, name, w, loss in zip(
            self.labels, ("- - least squares", "— L1"), (state.squares, state.robust), state.losses, strict=True
        ):
            label.set_text(f"{name}: slope {tell(w[1], 2)}, Σ|r| = {tell(loss, 1)}")

    def describe(self, state):
        return (
            f"Nine points near the line y = x and an outlier at x = {tell(state.x, 1)}, {tell(state.h, 1)} above it. "
            f"The slope of least squares is {tell(state.squares[1], 2)}, that of the L1 line "
            f"{tell(state.robust[1], 2)}; their sums of absolute residuals are {tell(state.losses[0], 1)} "
            f"and {tell(state.losses[1], 1)}."
        )

    @invariant("the L1 loss of the L1 line is not larger than that of least squares")
    def _least_absolute(self, state):
        return state.losses[1] <= state.losses[0] * (1 + 1e-9)

    @invariant("the squared loss of least squares is not larger than that of the L1 line")
    def _least_squares(self, state):
        losses = [np.sum((state.X @ w - state.y) ** 2) for w in (state.squares, state.robust)]
        return losses[0] <= losses[1] * (1 + 1e-9)

    @invariant("no line through two of the points has a smaller L1 loss, up to 1%")
    def _best_of_pairs(self, state):
        pairs = [[i, j] for i, j in itertools.combinations(range(10), 2) if state.X[i, 1] != state.X[j, 1]]
        through = [np.linalg.solve(state.X[pair], state.y[pair]) for pair in pairs]
        return state.losses[1] <= 1.01 * min(lasso.absolute_loss(w, state.X, state.y) for w in through)

    @invariant("least squares rises at the outlier with its height", along="h")
    def _gives_in(self, before, after):
        return np.array([1, after.x]) @ (after.squares - before.squares) > 0


def _lines(X, y):
    """The line of least squares, and where at most 300 steps of (6.11) take it."""
    steps = itertools.islice(lasso.reweighting(X, y), 301)
    squares = robust = next(steps)
    for following in steps:
        moved, robust = np.max(np.abs(following - robust)), following
        if moved < 1e-8:
            break
    return squares, robust
