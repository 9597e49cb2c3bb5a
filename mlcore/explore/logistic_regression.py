"""The figures of 12 logistic_regression."""

from types import SimpleNamespace

import numpy as np

from mlcore import logistic_regression as lr
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style, tell, tell_error


def _species(first, second, columns):
    """Some measurements of two species of iris, with the labels 0 and 1."""
    iris = load("iris")
    chosen = (iris.y == first) | (iris.y == second)
    return iris.X[chosen][:, columns], (iris.y[chosen] == second).astype(float)


_ON_WHITE = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 2}  # words stay legible over lines


class TwoFits(Explorer):
    """A straight line and a logistic curve through labels 0 and 1, with ten more flowers far to the right."""

    height = 370
    far = Slider("x", "petal length of ten more virginica, cm", 6.0, 15.0, 15.0, step=0.5)
    extra = 10

    def prepare(self):
        X, self.y = _species(1, 2, [2])
        self.x = X[:, 0]
        self.at = np.linspace(2.8, 15.4, 300)
        rng = np.random.default_rng(0)
        self.jitter = rng.uniform(-0.03, 0.03, len(self.x))

    def compute(self, far):
        x, y = np.append(self.x, np.full(self.extra, far)), np.append(self.y, np.ones(self.extra))
        A = np.column_stack([np.ones_like(x), x])
        intercept, slope = np.linalg.lstsq(A, y, rcond=None)[0]
        (w,), b = lr.fit(x[:, None], y, 0.0)
        line, curve = (0.5 - intercept) / slope, -b / w
        return SimpleNamespace(
            far=far,
            straight=intercept + slope * self.at,
            curve=lr.sigmoid(w * self.at + b),
            borders=(line, curve),
            misses=tuple(int(np.sum((self.x > border) != (self.y == 1))) for border in (line, curve)),
            largest=intercept + slope * x.max(),
            calibrated=np.sum(lr.sigmoid(w * x + b) - y),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(2.8, 15.4)
        axes.set_ylim(-0.4, 1.95)
        axes.set_yticks([0, 0.5, 1, 1.5])
        axes.set_xlabel("petal length, cm")
        axes.set_ylabel("label, and what is fitted to it")
        axes.set_title("Far flowers on the right side tilt the straight line, not the curve")
        for level in (0, 1):
            axes.axhline(level, color=style.TRUTH, linewidth=1)
        axes.plot(self.x, self.y + self.jitter, "|", color=style.DATA, markersize=9, linestyle="none")
        axes.text(2.95, -0.2, "0 versicolor", color=style.DATA)
        axes.text(2.95, 1.07, "1 virginica", color=style.DATA)
        (self.line,) = axes.plot([], [], color=style.ERROR, linestyle="--")
        (self.curve,) = axes.plot([], [], color=style.MODEL)
        (self.more,) = axes.plot([], [], "|", color=style.DATA, markersize=12, markeredgewidth=3, linestyle="none")
        (self.dots,) = axes.plot([], [], "o", color="black", markersize=6, linestyle="none")
        for artist in (self.line, self.curve, self.more, self.dots):
            self.moving(artist)
        self.words = [
            self.moving(axes.text(0.015, height, "", color=colour, transform=axes.transAxes, va="top", bbox=_ON_WHITE))
            for height, colour in ((0.97, style.ERROR), (0.89, style.MODEL))
        ]

    def update(self, state):
        self.line.set_data(self.at, state.straight)
        self.curve.set_data(self.at, state.curve)
        self.more.set_data([state.far], [1.0])
        self.dots.set_data(state.borders, [0.5, 0.5])
        for words, name, border, misses in zip(
            self.words, ("--  least squares", "—  logistic curve"), state.borders, state.misses, strict=True
        ):
            words.set_text(f"{name}: ½ at {border:.2f} cm, {misses} of 100 flowers on the wrong side")

    def describe(self, state):
        return (
            f"Ten more virginica flowers at {tell(state.far, 1)} cm. The straight line reaches ½ at "
            f"{state.borders[0]:.2f} cm and puts {state.misses[0]} of 100 flowers on the wrong side; at the longest "
            f"petal it predicts {tell(state.largest, 2)}. The logistic curve reaches ½ at {state.borders[1]:.2f} cm "
            f"and misses {state.misses[1]}."
        )

    @invariant("the curve stays between 0 and 1")
    def _a_probability(self, state):
        return np.all((state.curve >= 0) & (state.curve <= 1))

    @invariant("with a free bias the probabilities sum to the number of ones")
    def _base_rate(self, state):
        return abs(state.calibrated) < 1e-6

    @invariant("far flowers push the straight line's border to the right", along="far")
    def _tilts(self, before, after):
        return after.borders[0] >= before.borders[0] - 1e-9

    @invariant("the curve's border stays where it is")
    def _stays(self, state):
        return abs(state.borders[1] - 4.863) < 2e-3


class Losses(Explorer):
    """The mean log loss and the mean squared error after the sigmoid, as functions of one weight."""

    height = 360
    w = Slider("w", "weight", -8.0, 16.0, -6.0, step=0.25)
    centre = 4.9

    def prepare(self):
        X, self.y = _species(1, 2, [2])
        self.x = X[:, 0] - self.centre
        self.grid = np.linspace(self.w.low, self.w.high, 241)
        self.curves = np.array([self._losses(w) for w in self.grid])

    def _losses(self, w):
        p = lr.sigmoid(w * self.x)
        return lr.nll(w * self.x, self.y) / len(self.y), np.mean((p - self.y) ** 2)

    def compute(self, w):
        p, v = lr.sigmoid_slope(w * self.x)
        log_loss, squared = self._losses(w)
        return SimpleNamespace(
            w=w,
            values=(log_loss, squared),
            slopes=(
                lr.mean_gradient(np.array([w]), self.x[:, None], self.y)[0],
                np.mean(2 * (p - self.y) * v * self.x),
            ),
            bends=(
                lr.hessian(np.array([w]), self.x[:, None])[0, 0] / len(self.y),
                np.mean(2 * (v**2 + (p - self.y) * v * (1 - 2 * p)) * self.x**2),
            ),
        )

    def draw(self, figure):
        self.dots, self.tangents, self.words = [], [], []
        titles = ("Log loss: steep where it is wrong", "Squared error: flat where it is wrong")
        for k, (axes, title, top) in enumerate(zip(figure.subplots(1, 2), titles, (6.2, 1.24), strict=True)):
            colour = (style.MODEL, style.ERROR)[k]
            axes.set_xlim(self.w.low - 0.5, self.w.high + 0.5)
            axes.set_ylim(0, top)
            axes.set_xlabel("w, weight")
            axes.set_title(title)
            axes.plot(self.grid, self.curves[:, k], color=colour, linestyle=("-", "--")[k])
            (tangent,) = axes.plot([], [], color="black", linewidth=1.2)
            (dot,) = axes.plot([], [], "o", color="black", markersize=7)
            self.tangents.append(self.moving(tangent))
            self.dots.append(self.moving(dot))
            self.words.append(
                self.moving(axes.text(0.97, 0.97, "", transform=axes.transAxes, ha="right", va="top", bbox=_ON_WHITE))
            )
            if k == 0:
                axes.set_ylabel("mean over 100 flowers")

    def update(self, state):
        for k, (dot, tangent, words) in enumerate(zip(self.dots, self.tangents, self.words, strict=True)):
            value, slope = state.values[k], state.slopes[k]
            ends = np.array([state.w - 3, state.w + 3])
            dot.set_data([state.w], [value])
            tangent.set_data(ends, value + slope * (ends - state.w))
            words.set_text(f"value {value:.3f}\nslope {tell(slope, 4)}\ncurvature {tell(state.bends[k], 4)}")

    def describe(self, state):
        (log_loss, squared), (steep, flat), (up, bend) = state.values, state.slopes, state.bends
        return (
            f"At w = {tell(state.w, 2)} the mean log loss is {log_loss:.3f} with slope {tell(steep, 4)} and curvature "
            f"{tell(up, 4)}; the mean squared error after the sigmoid is {squared:.3f} with slope {tell(flat, 4)} and "
            f"curvature {tell(bend, 4)}."
        )

    @invariant("the log loss bends upwards everywhere")
    def _convex(self, state):
        return state.bends[0] > 0

    @invariant("the slopes are those of the curves")
    def _slopes(self, state):
        h = 1e-5
        steps = (np.array(self._losses(state.w + h)) - self._losses(state.w - h)) / (2 * h)
        return np.allclose(steps, state.slopes, atol=1e-7)

    @invariant("the curvatures are those of the curves")
    def _bends(self, state):
        h = 1e-3
        steps = (np.array(self._losses(state.w + h)) - 2 * np.array(state.values) + self._losses(state.w - h)) / h**2
        return np.allclose(steps, state.bends, atol=1e-5)

    @invariant("far on the wrong side the squared error bends downwards")
    def _not_convex(self, state):
        return state.w > -2 or state.bends[1] < 0


class Steps(Explorer):
    """Newton's method and gradient descent on the same loss, step by step."""

    height = 390
    step = Slider("t", "step", 0, 6, 3, step=1, play=True)

    def prepare(self):
        X, self.y = _species(1, 2, [0])
        Z = np.column_stack([X - 5, np.ones(len(self.y))])
        self.best = self._newton(Z, 12)[-1]
        self.paths = (self._newton(Z, self.step.high), self._descent(Z, self.step.high))
        self.errors = [np.linalg.norm(path - self.best, axis=1) for path in self.paths]
        self.floor = lr.nll(Z @ self.best, self.y)
        self.excess = [np.array([lr.nll(Z @ w, self.y) - self.floor for w in path]) for path in self.paths]
        self.wide, self.high = np.linspace(-0.4, 3.4, 60), np.linspace(-3.6, 1.2, 60)
        self.surface = np.array([[lr.nll(Z @ (w, b), self.y) for w in self.wide] for b in self.high]) - self.floor

    def _newton(self, Z, T):
        states = [np.zeros(2)]
        for _ in range(T):
            states.append(lr.newton_step(states[-1], Z, self.y))
        return np.array(states)

    def _descent(self, Z, T):
        eta = 4 / np.linalg.eigvalsh(Z.T @ Z)[-1]  # 1/M: no v exceeds ¼
        return np.array(list(lr.descent(Z, self.y, 0.0, eta, T)))

    def compute(self, step):
        return SimpleNamespace(
            step=step,
            paths=[path[: step + 1] for path in self.paths],
            errors=[errors[step] for errors in self.errors],
            excess=[excess[step] for excess in self.excess],
        )

    def draw(self, figure):
        style.headline(figure, "Newton's method doubles its right digits with every step")
        left, right = figure.subplots(1, 2, width_ratios=(1.05, 1))
        left.set_xlim(self.wide[0], self.wide[-1])
        left.set_ylim(self.high[0], self.high[-1])
        left.set_xlabel("w")
        left.set_ylabel("b")
        left.contour(
            self.wide, self.high, self.surface, levels=(0.05, 0.3, 1, 3, 7, 14, 25, 45), colors="#c9c9c9", linewidths=1
        )
        left.plot(*self.best, "+", color="black", markersize=13, markeredgewidth=2)
        right.set_xlim(-0.3, self.step.high + 0.3)
        right.set_ylim(1e-17, 40)
        right.set_yscale("log")
        right.set_yticks([1, 1e-4, 1e-8, 1e-12, 1e-16])
        right.set_xlabel("t, step")
        right.set_ylabel("distance from the minimum")
        right.axhspan(1e-17, 3e-16, color="#eeeeee")
        right.text(0, 4e-17, "rounding", color=style.TRUTH)
        self.trails, self.curves = [], []
        for marker, line, colour in (("o", "-", style.MODEL), ("s", "--", style.ERROR)):
            (trail,) = left.plot([], [], marker=marker, linestyle=line, color=colour, markersize=5, linewidth=1.5)
            (curve,) = right.plot([], [], marker=marker, linestyle=line, color=colour, markersize=6)
            self.trails.append(self.moving(trail))
            self.curves.append(self.moving(curve))
        for height, name, colour in ((0.30, "● Newton", style.MODEL), (0.22, "■ gradient descent", style.ERROR)):
            label = right.text(0.03, height, name, color=colour, fontweight="bold", transform=right.transAxes)
            self.moving(label)
        self.readout = self.moving(left.text(0.03, 0.97, "", transform=left.transAxes, va="top", bbox=_ON_WHITE))

    def update(self, state):
        for trail, path in zip(self.trails, state.paths, strict=True):
            trail.set_data(*path.T)
        for curve, errors in zip(self.curves, self.errors, strict=True):
            curve.set_data(np.arange(state.step + 1), np.maximum(errors[: state.step + 1], 1e-16))
        newton, descent = map(tell_error, state.errors)
        self.readout.set_text(f"t = {state.step}\nNewton {newton}\ndescent {descent}")

    def describe(self, state):
        newton, descent = map(tell_error, state.errors)
        w, b = state.paths[0][-1]
        return (
            f"After {state.step} steps Newton's method is at w = {tell(w, 4)}, b = {tell(b, 4)}, "
            f"{newton} from the minimum; gradient descent with η = 1/M is {descent} from it."
        )

    @invariant("the loss falls with every step of both methods", along="step")
    def _falls(self, before, after):
        return all(a <= b + 1e-12 for a, b in zip(after.excess, before.excess, strict=True))

    @invariant("Newton's error is at most the square of the one before, up to rounding", along="step")
    def _squares(self, before, after):
        return after.errors[0] <= max(before.errors[0] ** 2, 1e-14)

    @invariant("gradient descent keeps at least nine tenths of its error in every step", along="step")
    def _crawls(self, before, after):
        return after.errors[1] >= 0.9 * before.errors[1]


class Boundary(Explorer):
    """The fitted probabilities of two species against the penalty."""

    height = 400
    lam = LogSlider("λ", "penalty", 1e-6, 1e4, 1.0)
    pair = Pick("", "species", ("versicolor and virginica", "setosa and versicolor"))
    _pairs = ((1, 2), (0, 1))

    def prepare(self):
        self.lams = np.geomspace(self.lam.low, self.lam.high, 101)
        self.sets = [_species(*pair, [2, 3]) for pair in self._pairs]
        self.lengths = [[np.linalg.norm(lr.fit(X, y, lam)[0]) for lam in self.lams] for X, y in self.sets]

    def compute(self, lam, pair):
        which = self.pair.options.index(pair)
        X, y = self.sets[which]
        w, b = lr.fit(X, y, lam)
        z = X @ w + b
        g_w, g_b = lr.penalised_gradient(w, b, X, y, lam)
        return SimpleNamespace(
            lam=lam,
            pair=pair,
            which=which,
            w=w,
            b=b,
            length=np.linalg.norm(w),
            loss=lr.nll(z, y),
            misses=int(np.sum((z > 0) != (y == 1))),
            range=(lr.sigmoid(z.min()), lr.sigmoid(z.max())),
            mean=np.mean(lr.sigmoid(z)),
            slope=max(np.abs(g_w).max(), abs(g_b)),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        left.set_xlim(0.7, 7.2)
        left.set_ylim(-0.1, 2.7)
        left.set_xlabel("petal length, cm")
        left.set_ylabel("petal width, cm")
        left.set_title("The boundary is straight")
        (self.zeros,) = left.plot([], [], "o", color="#a6a6a6", markersize=5, linestyle="none")
        (self.ones,) = left.plot([], [], "^", color=style.DATA, markersize=5.5, linestyle="none")
        self.borders = []
        for line, width in (("--", 1.2), ("-", 2.2), ("--", 1.2)):
            (border,) = left.plot([], [], color=style.MODEL, linestyle=line, linewidth=width)
            self.borders.append(self.moving(border))
        self.moving(self.zeros)
        self.moving(self.ones)
        self.readout = self.moving(left.text(0.02, 0.97, "", transform=left.transAxes, va="top", bbox=_ON_WHITE))
        legend = "— p = ½    -- p = 0.1 and 0.9"
        corner = {"transform": left.transAxes, "ha": "right", "bbox": _ON_WHITE}
        self.moving(left.text(0.98, 0.03, legend, color=style.MODEL, **corner))
        right.set_xscale("log")
        right.set_xlim(self.lam.low, self.lam.high)
        right.set_xticks([1e-6, 1e-4, 1e-2, 1, 1e2, 1e4])
        right.set_ylim(0, 19)
        right.set_xlabel("λ, penalty")
        right.set_ylabel("‖ŵ‖")
        right.set_title("Only overlap stops the weights")
        for lengths, name, colour, line, at in zip(
            self.lengths,
            ("versicolor and virginica", "setosa and versicolor"),
            (style.MODEL, style.ERROR),
            ("-", "--"),
            ((3e-2, 10.8), (1.6e-6, 4.4)),
            strict=True,
        ):
            right.plot(self.lams, lengths, color=colour, linestyle=line)
            right.text(*at, name.replace(" and ", "\nand "), color=colour, fontweight="bold", fontsize=9)
        (self.dot,) = right.plot([], [], "o", color="black", markersize=7)
        self.moving(self.dot)

    def update(self, state):
        X, y = self.sets[state.which]
        self.zeros.set_data(*X[y == 0].T)
        self.ones.set_data(*X[y == 1].T)
        across = np.array([0.0, 8.0])
        for border, level in zip(self.borders, (-np.log(9), 0.0, np.log(9)), strict=True):
            border.set_data(across, (level - state.b - state.w[0] * across) / state.w[1])
        self.dot.set_data([state.lam], [state.length])
        self.readout.set_text(f"‖ŵ‖ = {state.length:.3g}\nloss {state.loss:.3g}\n{state.misses} misclassified")

    def describe(self, state):
        low, high = state.range
        return (
            f"{state.pair.capitalize()} at λ = {state.lam:.4g}: ‖ŵ‖ = {state.length:.3g}, loss {state.loss:.3g}, "
            f"{state.misses} of 100 flowers misclassified. The probabilities go from {low:.2g} to {high:.4g}, "
            f"their mean is {state.mean:.3f}."
        )

    @invariant("the gradient of J vanishes at (ŵ, b̂)")
    def _stationary(self, state):
        return state.slope <= 1e-4

    @invariant("the weights never get longer as λ grows", along="lam")
    def _shrinks(self, before, after):
        return after.length <= before.length * (1 + 1e-9)

    @invariant("the loss never falls as λ grows", along="lam")
    def _loss_rises(self, before, after):
        return after.loss >= before.loss - 1e-9

    @invariant("‖ŵ‖ keeps to its bound (12.11)")
    def _bounded(self, state):
        return state.length <= lr.length_bound(100, state.lam)

    @invariant("the free bias keeps the mean probability at the share of ones")
    def _base_rate(self, state):
        return abs(state.mean - 0.5) < 1e-6
