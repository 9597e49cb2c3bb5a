"""The figures of 10 gradient_descent."""

from types import SimpleNamespace
from typing import ClassVar

import numpy as np

from mlcore import gradient_descent as gd
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style, tell

TINY = 1e-30  # stands for 0 where a logarithm is taken


class Crawl(Explorer):
    """Least squares on the diabetes data by gradient descent: raw features against standardised ones."""

    height = 350

    def prepare(self):
        data = load("diabetes")
        self.y = data.y - data.y.mean()
        self.steps = np.unique(np.geomspace(1, 1e6, 3000).astype(int))
        self.raw = self._excess(data.X - data.X.mean(axis=0))
        self.standardised = self._excess(data.standardised()[0])

    def _excess(self, X):
        """The share of the loss above its minimum that is left after t steps of 1/M from w = 0, by (10.5)."""
        lams, V = np.linalg.eigh(gd.hessian(X))
        c = V.T @ (2 * X.T @ self.y)
        w = gd.after(np.zeros_like(c), lams, c, 1 / lams[-1], self.steps[:, None])
        return np.sum(lams * (w - c / lams) ** 2, axis=1) / np.sum(c**2 / lams)

    def compute(self):
        steps = {name: self.steps[np.argmax(getattr(self, name) < 0.01)] for name in ("raw", "standardised")}
        return SimpleNamespace(raw=self.raw, standardised=self.standardised, steps=steps)

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(1, 1e6)
        axes.set_ylim(1e-4, 1.2)
        axes.set_yticks([1, 0.1, 0.01, 1e-3, 1e-4], ["100%", "10%", "1%", "0.1%", "0.01%"])
        axes.set_xlabel("steps")
        axes.set_ylabel("avoidable loss that is left")
        axes.set_title("The same patients in other units: ten steps, or fifty-four thousand")
        axes.axhline(0.01, color=style.TRUTH, linewidth=1, linestyle="--")
        axes.plot(self.steps, self.raw, color=style.ERROR, linestyle="-.")
        axes.plot(self.steps, self.standardised, color=style.MODEL)
        axes.text(600, 0.11, "features as measured", color=style.ERROR, fontweight="bold")
        axes.text(4, 0.0013, "features\nstandardised", color=style.MODEL, fontweight="bold")

    def describe(self, state):
        return (
            "Least squares on the diabetes data by gradient descent. To come within 1% of the way to the minimum it "
            f"takes about {state.steps['standardised']} steps with standardised features and about "
            f"{round(state.steps['raw'], -3)} with the features as they were measured."
        )

    @invariant("neither loss ever rises")
    def _falls(self, state):
        return np.all(np.diff(state.raw) <= 0) and np.all(np.diff(state.standardised) <= 0)

    @invariant("standardised features are ahead all the way")
    def _ahead(self, state):
        return np.all(state.standardised <= state.raw)


def _ellipses(A, heights):
    """The level sets of ½wᵀAw through `heights` on its steepest axis, as one line with gaps."""
    lams, V = np.linalg.eigh(A)
    angle = np.append(np.linspace(0, 2 * np.pi, 90), np.nan)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    radii = np.sqrt(lams[-1] / lams)[:, None] * np.asarray(heights)[:, None, None]
    return np.concatenate(list(V @ (radii * circle)), axis=1)


def _values(A, path):
    return np.sum(path @ A * path, axis=1) / 2


def _valley(figure):
    """The axes of the map on the left and of the loss on the right."""
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1))
    left.set_xlim(-1.35, 1.35)
    left.set_ylim(-1.05, 1.05)
    left.set_aspect("equal")
    left.grid(visible=False)
    left.set_xlabel("$w_1$")
    left.set_ylabel("$w_2$")
    figure.get_layout_engine().set(wspace=0.06)
    left.plot(0, 0, "+", color="black", markersize=11, markeredgewidth=2)
    right.set_yscale("log")
    right.set_ylabel("f, as a share of its start")
    return left, right


class StepSize(Explorer):
    """Gradient descent in a valley whose steepest curvature is M = 1."""

    height = 370
    ratio = Slider("ηM", "step in units of 1/M", 0.0, 2.2, 1.8, step=0.02)
    kappa = LogSlider("κ", "condition number", 1.0, 100.0, 10.0)

    T = 40
    begin = np.array([-1.15, 0.6])

    def compute(self, ratio, kappa):
        A = np.diag([1 / kappa, 1.0])
        path = np.array(list(gd.descent(lambda w: A @ w, self.begin, ratio, self.T)))
        values = _values(A, path)
        return SimpleNamespace(
            ratio=ratio,
            kappa=kappa,
            A=A,
            path=path,
            values=values,
            share=values / values[0],
            factors=1 - ratio * np.diag(A),
            rho=gd.contraction(A, ratio),
            verdict=self._verdict(ratio),
        )

    def _verdict(self, ratio):
        if ratio == 0:
            return "no step at all"
        if np.isclose(ratio, 1):
            return "on the floor of the valley at once"
        if np.isclose(ratio, 2):
            return "to and fro for ever"
        if ratio > 2:
            return "diverges"
        return "crosses the valley in every step" if ratio > 1 else "stays on its side of the valley"

    def draw(self, figure):
        left, right = _valley(figure)
        style.headline(figure, "Beyond 1/M the path zig-zags, beyond 2/M it leaves")
        (self.contours,) = left.plot([], [], color=style.TRUTH, linewidth=0.8)
        (self.path,) = left.plot([], [], "o-", color=style.MODEL, linewidth=1.3, markersize=3.5)
        (self.loss,) = right.plot([], [], "o-", color=style.MODEL, linewidth=1.3, markersize=3)
        right.axhline(1, color=style.TRUTH, linewidth=1, linestyle="--")
        right.set_xlim(0, self.T)
        right.set_ylim(1e-10, 1e5)
        right.set_xlabel("steps")
        self.says = left.text(0.02, 0.97, "", transform=left.transAxes, va="top", fontweight="bold")
        self.readout = left.text(0.02, 0.03, "", transform=left.transAxes)
        for text in (self.says, self.readout):
            text.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2})
        for artist in (self.contours, self.path, self.loss, self.says, self.readout):
            self.moving(artist)

    def update(self, state):
        self.contours.set_data(*_ellipses(state.A, np.linspace(0.15, 1.05, 7)))
        self.path.set_data(*state.path.T)
        self.loss.set_data(range(self.T + 1), np.maximum(state.share, TINY))
        self.says.set_text(state.verdict)
        flat, steep = state.factors
        self.readout.set_text(f"a step: steep error × {tell(steep, 2)}, flat × {tell(flat, 2)}")

    def describe(self, state):
        flat, steep = state.factors
        return (
            f"Gradient descent with ηM = {state.ratio:.2f} in a valley of condition number {state.kappa:.3g}: "
            f"{state.verdict}. Each step multiplies the error by {tell(steep, 2)} in the steep direction and by "
            f"{tell(flat, 2)} in the flat one. After {self.T} steps f is {state.share[-1]:.2g} times its start."
        )

    @invariant("up to 2/M the loss never rises")
    def _falls(self, state):
        return state.ratio > 2 or np.all(np.diff(state.values) <= 1e-12 * state.values[0])

    @invariant("beyond 2/M it ends above its start")
    def _leaves(self, state):
        return state.ratio <= 2 + 1e-9 or state.share[-1] > 1

    @invariant("every step takes off at least what the lemma promises")
    def _lemma(self, state):
        promised = [gd.guaranteed_decrease(state.ratio, 1.0, state.A @ w) for w in state.path[:-1]]
        return np.all(-np.diff(state.values) >= np.array(promised) - 1e-9 * state.values.max())

    @invariant("the path is where the closed form says")
    def _closed(self, state):
        end = gd.after(self.begin, np.diag(state.A), np.zeros(2), state.ratio, self.T)
        return np.allclose(state.path[-1], end, rtol=1e-9)

    @invariant("the smallest factor for a condition number is (κ − 1)/(κ + 1)")
    def _no_faster(self, state):
        return state.rho >= (state.kappa - 1) / (state.kappa + 1) - 1e-12


class Methods(Explorer):
    """Three ways down the same valley, which may be turned against the axes."""

    height = 390
    method = Pick("", "method", ("gradient descent", "coordinate descent", "Newton"))
    angle = Slider("α", "turn of the valley (degrees)", 0, 90, 30, step=5)
    kappa = LogSlider("κ", "condition number", 1.0, 100.0, 10.0)

    T = 40
    begin = np.array([-1.1, -0.2])
    looks: ClassVar[dict[str, tuple[str, str, str]]] = {
        "gradient descent": (style.MODEL, "-", "o"),
        "coordinate descent": (style.ERROR, "-.", "s"),
        "Newton": (style.REFERENCE, "--", "^"),
    }

    def compute(self, method, angle, kappa):
        turn = np.deg2rad(angle)
        V = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        A = V @ np.diag([1 / kappa, 1.0]) @ V.T
        c = np.zeros(2)
        paths = {
            "gradient descent": gd.descent(lambda w: A @ w, self.begin, gd.fastest_step(A), self.T),
            "coordinate descent": gd.coordinate_descent(A, c, self.begin, 2 * self.T),
            "Newton": gd.newton(lambda w: A @ w, lambda w: A, self.begin, self.T),
        }
        paths = {name: np.array(list(path)) for name, path in paths.items()}
        values = {name: _values(A, path) for name, path in paths.items()}
        values["coordinate descent"] = values["coordinate descent"][::2]  # after whole sweeps
        shares = {name: v / v[0] for name, v in values.items()}
        needs = {name: int(np.argmax(s < 1e-6)) if s.min() < 1e-6 else None for name, s in shares.items()}
        return SimpleNamespace(method=method, angle=angle, kappa=kappa, A=A, paths=paths, shares=shares, needs=needs)

    def draw(self, figure):
        left, right = _valley(figure)
        style.headline(figure, "Newton needs one step in every valley, coordinate descent only in a straight one")
        (self.contours,) = left.plot([], [], color=style.TRUTH, linewidth=0.8)
        (self.path,) = left.plot([], [], linewidth=1.3, markersize=3.5)
        self.curves = {}
        for name, (colour, line, marker) in self.looks.items():
            (self.curves[name],) = right.plot([], [], color=colour, linestyle=line, marker=marker, markersize=3)
        right.set_xlim(0, self.T)
        right.set_ylim(1e-10, 1e4)
        right.axhline(1e-6, color=style.TRUTH, linewidth=1, linestyle=":")
        right.set_xlabel("steps or sweeps")
        self.labels = {}
        for i, (name, (colour, _, _)) in enumerate(self.looks.items()):
            label = right.text(0.97, 0.98 - 0.065 * i, "", transform=right.transAxes, va="top", ha="right")
            label.set(color=colour, fontsize=9)
            self.labels[name] = label
        for artist in (self.contours, self.path, *self.curves.values(), *self.labels.values()):
            self.moving(artist)

    def _need(self, state, name):
        unit = "sweep" if name == "coordinate descent" else "step"
        if state.needs[name] is None:
            return f"> {self.T} {unit}s"
        return f"{state.needs[name]} {unit}{'' if state.needs[name] == 1 else 's'}"

    def update(self, state):
        self.contours.set_data(*_ellipses(state.A, np.linspace(0.15, 1.05, 7)))
        colour, _, marker = self.looks[state.method]
        self.path.set_data(*state.paths[state.method].T)
        self.path.set(color=colour, marker=marker)
        for name, curve in self.curves.items():
            chosen = name == state.method
            curve.set_data(range(self.T + 1), np.maximum(state.shares[name], TINY))
            curve.set(linewidth=2.4 if chosen else 1.0, alpha=1.0 if chosen else 0.55)
            self.labels[name].set_text(f"{name}: {self._need(state, name)}")
            self.labels[name].set_fontweight("bold" if chosen else "normal")

    def describe(self, state):
        needs = ", ".join(f"{name} {self._need(state, name)}" for name in self.looks)
        return (
            f"A valley of condition number {state.kappa:.3g}, turned by {state.angle} degrees against the axes. "
            f"To bring f down to a millionth of its start: {needs}. The path on the map is that of {state.method}."
        )

    @invariant("Newton is there after one step")
    def _one_step(self, state):
        return state.shares["Newton"][1] < 1e-20

    @invariant("in a valley along the axes coordinate descent is there after one sweep")
    def _straight(self, state):
        return state.angle not in (0, 90) or state.shares["coordinate descent"][1] < 1e-20

    @invariant("none of the three ever climbs")
    def _falls(self, state):
        return all(np.all(np.diff(share) <= 1e-12) for share in state.shares.values())

    @invariant("coordinate descent takes the sweeps of Gauss and Seidel")
    def _gauss_seidel(self, state):
        w = gd.sweep(self.begin, state.A, np.zeros(2))
        return np.allclose(state.paths["coordinate descent"][2], w, atol=1e-12)
