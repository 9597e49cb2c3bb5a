"""The figures of 02 matrix_calculus."""

from itertools import islice
from types import SimpleNamespace
from typing import ClassVar

import numpy as np

from mlcore import matrix_calculus as mc
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style, tell, tell_error

HERE = np.array([0.5, 1.0])  # where we stand on the ground


def _unit(degrees):
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def _arrow(axes, colour, label):
    """An arrow and its name, to be moved by `_point`."""
    (shape,) = axes.fill([0, 1, 1], [0, 0, 1], color=colour, linewidth=0)
    return shape, axes.text(0, 0, label, color=colour, fontweight="bold", ha="center", va="center")


def _point(arrow, along, width, aside=0.0, start=(0.0, 0.0)):
    """Let an arrow point from `start` along a vector; its name stands beyond the tip, or `aside` to its left."""
    shape, name = arrow
    length = max(np.linalg.norm(along), 1e-9)
    forward = along / length
    left = np.array([-forward[1], forward[0]])
    head = max(length - 4 * width, 0)
    ends = ((0, 0.5), (head, 0.5), (head, 1.6), (length, 0), (head, -1.6), (head, -0.5), (0, -0.5))
    shape.set_xy([start + far * forward + wide * width * left for far, wide in ends])
    name.set_position(start + (length + 4 * width * (aside == 0)) * forward + aside * left)


class Ground(Explorer):
    """A hilly ground seen from above, and its profile along the direction in which we walk."""

    height = 380
    phi = Slider("φ", "direction, degrees", -180, 180, 60, step=1)

    def prepare(self):
        self.eps = np.linspace(-1, 1, 121)
        self.gradient = mc.ground_gradient(HERE)

    def compute(self, phi):
        delta = _unit(phi)
        return SimpleNamespace(
            phi=phi,
            delta=delta,
            profile=mc.ground(HERE + self.eps[:, None] * delta),
            slope=self.gradient @ delta,
            bend=delta @ mc.ground_hessian(HERE) @ delta,
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.15])
        style.headline(figure, "How steep it is depends on the direction")
        ticks = np.linspace(-1.1, 1.1, 80)
        plane = HERE + np.stack(np.meshgrid(ticks, ticks), axis=-1)
        lines = left.contour(
            plane[..., 0], plane[..., 1], mc.ground(plane), np.arange(-2, 10, 0.75), colors=style.TRUTH, linewidths=1
        )
        left.clabel(lines, fontsize=7)
        left.set_aspect("equal")
        left.grid(visible=False)
        left.set_xlabel("$x_1$")
        left.set_ylabel("$x_2$")
        left.set_title("Lines of equal height", fontweight="normal")
        self.arrow = _arrow(left, style.MODEL, "δ")
        for artist in self.arrow:
            self.moving(artist)
        self.moving(left.plot(*HERE, "o", color="black", markersize=7)[0])
        right.set_xlim(-1, 1)
        right.set_ylim(-1.5, 6.5)
        right.set_xticks([-1, -0.5, 0, 0.5, 1])
        right.set_xlabel("ε, how far we walk along δ")
        right.set_ylabel("height f(x + εδ)")
        right.set_title("The way, from the side", fontweight="normal")
        (self.line,) = right.plot([], [], "--", color=style.ERROR)
        (self.profile,) = right.plot([], [], color=style.MODEL)
        for artist in (self.line, self.profile):
            self.moving(artist)
        self.moving(right.plot(0, mc.ground(HERE), "o", color="black", markersize=7)[0])
        self.readout = self.moving(right.text(0.03, 0.97, "", transform=right.transAxes, va="top", color=style.ERROR))

    def update(self, state):
        _point(self.arrow, 0.7 * state.delta, 0.03, start=HERE)
        self.profile.set_data(self.eps, state.profile)
        self.line.set_data(self.eps, mc.ground(HERE) + self.eps * state.slope)
        self.readout.set_text(f"- - slope {tell(state.slope, 2)}")

    def describe(self, state):
        way = "upwards" if state.bend > 0 else "downwards"
        return (
            f"We stand at (0.5, 1), where the ground is {mc.ground(HERE):.2f} high. In the direction "
            f"{tell(state.phi)}° its slope is {tell(state.slope, 2)}, and the way bends {way}: its second "
            f"derivative is {tell(state.bend, 2)}."
        )

    @invariant("the opposite direction has the opposite slope and the same bend")
    def _opposite(self, state):
        other = self.compute(state.phi + 180)
        return np.isclose(other.slope, -state.slope) and np.isclose(other.bend, state.bend)

    @invariant("no direction is steeper than the length of the gradient")
    def _steepest(self, state):
        return abs(state.slope) <= np.linalg.norm(self.gradient) + 1e-12


class Orders(Explorer):
    """The ground under a magnifying glass of width ε, and the errors of the line and of the parabola."""

    height = 400
    eps = LogSlider("ε", "length of the step", 1e-7, 1.0, 10**-0.5)
    delta = _unit(60)

    def prepare(self):
        self.t = np.linspace(-1, 1, 101)
        self.steps = np.geomspace(self.eps.low, self.eps.high, 141)
        self.facts = mc.ground(HERE), mc.ground_gradient(HERE), mc.ground_hessian(HERE)
        self.slope = self.facts[1] @ self.delta
        self.curves = self._errors(self.steps)

    def _orders(self, eps):
        value, gradient, hessian = self.facts
        return mc.taylor_1(value, gradient, self.delta, eps), mc.taylor_2(value, gradient, hessian, self.delta, eps)

    def _errors(self, eps):
        truth = mc.ground(HERE + np.asarray(eps)[..., None] * self.delta)
        return [np.maximum(np.abs(guess - truth), 3e-17) for guess in self._orders(eps)]  # 0 has no place on a log axis

    def compute(self, eps):
        shown = [mc.ground(HERE + eps * self.t[:, None] * self.delta), *self._orders(eps * self.t)]
        line, parabola = self._errors(eps)
        scaled = [(curve - self.facts[0]) / (eps * self.slope) for curve in shown]
        return SimpleNamespace(eps=eps, scaled=scaled, line=line, parabola=parabola)

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "Ten times closer: the line is 100 times better, the parabola 1000 times")
        left.set_xlim(-1, 1)
        left.set_ylim(-1.6, 2.2)
        left.set_xticks([-1, 0, 1], ["−ε", "0", "ε"])
        left.set_yticks([])
        left.set_title("The ground between −ε and ε", fontweight="normal")
        looks = ((style.DATA, "-", 3.4), (style.ERROR, "--", 1.8), (style.MODEL, ":", 2.4))
        self.views = [self.moving(left.plot([], [], s, color=c, linewidth=w)[0]) for c, s, w in looks]
        for at, (colour, _, _), text in zip(
            (0.96, 0.89, 0.82), looks, ("— ground", "- - line", "··· parabola"), strict=True
        ):
            left.text(0.04, at, text, color=colour, fontweight="bold", va="top", transform=left.transAxes)
        right.set_xscale("log")
        right.set_yscale("log")
        right.set_xlim(self.eps.low, 1.3)
        right.set_ylim(1e-17, 30)
        right.set_yticks([1e-16, 1e-12, 1e-8, 1e-4, 1])
        right.set_xlabel("ε, length of the step")
        right.set_title("The error at ε", fontweight="normal")
        right.plot(self.steps, self.curves[0], "--", color=style.ERROR, linewidth=1.8)
        right.plot(self.steps, self.curves[1], ".", color=style.MODEL, markersize=3)
        right.text(5e-7, 6e-15, "rounding", color=style.MODEL, fontsize=9)
        right.text(1e-4, 1e-6, "line", color=style.ERROR, fontweight="bold", ha="right")
        right.text(4e-3, 3e-11, "parabola", color=style.MODEL, fontweight="bold", ha="left")
        self.dots = [
            self.moving(right.plot([], [], mark, color=colour, markersize=8)[0])
            for mark, colour in (("s", style.ERROR), ("o", style.MODEL))
        ]

    def update(self, state):
        for view, curve in zip(self.views, state.scaled, strict=True):
            view.set_data(self.t, curve)
        for dot, error in zip(self.dots, (state.line, state.parabola), strict=True):
            dot.set_data([state.eps], [error])

    def describe(self, state):
        return (
            f"A step of length ε = {state.eps:.1e}. The first order, a line, misses the height of the ground by "
            f"{tell_error(state.line)}; the second order, a parabola, by {tell_error(state.parabola)}."
        )

    @invariant("the line's error is of the order ε², until rounding takes over")
    def _second(self, state):
        return state.eps < 1e-5 or 0.5 < state.line / state.eps**2 < 5

    @invariant("the parabola's error is of the order ε³, until rounding takes over")
    def _third(self, state):
        return state.eps < 1e-4 or 0.1 < state.parabola / state.eps**3 < 2

    @invariant("the parabola is never worse than the line, up to rounding")
    def _better(self, state):
        return state.parabola <= state.line + 1e-14


class Quotient(Explorer):
    """A unit vector x, where A sends it, and the Rayleigh quotient."""

    height = 430
    theta = Slider("θ", "angle of x, degrees", 0, 180, 70, step=1)
    kind = Pick("A", "matrix", ("definite", "indefinite", "not symmetric"))

    matrices: ClassVar = {
        "definite": np.array([[3.0, 1.0], [1.0, 2.0]]),
        "indefinite": np.array([[1.0, 2.0], [2.0, -1.0]]),
        "not symmetric": np.array([[2.0, -2.0], [1.0, 1.0]]),
    }

    def prepare(self):
        self.angles = np.arange(0, 181)
        circle = np.array([_unit(angle) for angle in self.angles])
        self.curves = {kind: np.sum(circle @ A * circle, axis=1) for kind, A in self.matrices.items()}

    def compute(self, theta, kind):
        A, x = self.matrices[kind], _unit(theta)
        Ax, R = A @ x, mc.rayleigh(x, A)
        return SimpleNamespace(
            theta=theta,
            kind=kind,
            A=A,
            x=x,
            Ax=Ax,
            R=R,
            apart=np.linalg.norm(Ax - R * x),
            ends=np.linalg.eigvalsh((A + A.T) / 2),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.1])
        style.headline(figure, "Where R is flat, a symmetric A only stretches x")
        left.set_xlim(-4.1, 4.1)
        left.set_ylim(-4.1, 4.1)
        left.set_aspect("equal")
        left.set_title("x on the unit circle, and where A sends it", fontweight="normal")
        left.plot(*np.array([_unit(a) for a in range(361)]).T, color=style.TRUTH, linewidth=1)
        (across,) = left.plot([], [], ":", color=style.TRUTH, linewidth=1.5, zorder=1)  # below the arrows
        self.across = self.moving(across)
        self.arrows = [_arrow(left, style.ERROR, "Ax"), _arrow(left, style.MODEL, "Rx"), _arrow(left, "black", "x")]
        for artist in (artist for arrow in self.arrows for artist in arrow):
            self.moving(artist)
        self.matrix = self.moving(left.text(0.02, 0.98, "", transform=left.transAxes, va="top", family="monospace"))
        right.set_xlim(0, 180)
        right.set_ylim(-3, 4.4)
        right.set_xticks(range(0, 181, 45))
        right.set_xlabel("θ, angle of x in degrees")
        right.set_title("R(x)", fontweight="normal")
        self.ends = [self.moving(right.axhline(0, color=style.REFERENCE, linestyle="--", linewidth=1.5)) for _ in "ab"]
        self.labels = [self.moving(right.text(178, 0, "", color=style.REFERENCE, ha="right")) for _ in "ab"]
        (self.curve,) = right.plot([], [], color=style.MODEL)
        (self.dot,) = right.plot([], [], "o", color=style.MODEL, markersize=8)
        for artist in (self.curve, self.dot):
            self.moving(artist)

    def update(self, state):
        side = 0.4 if state.R * (state.x[0] * state.Ax[1] - state.x[1] * state.Ax[0]) >= 0 else -0.4  # Ax left of Rx
        _point(self.arrows[0], state.Ax, 0.17, side)
        _point(self.arrows[1], state.R * state.x, 0.09, -side)
        _point(self.arrows[2], state.x, 0.09)
        if state.R > 1:  # Rx covers the tip of x
            self.arrows[2][1].set_position(0.45 * state.x + side * np.array([state.x[1], -state.x[0]]))
        self.across.set_data(*np.array([state.Ax, state.R * state.x]).T)
        (a, b), (c, d) = state.A.astype(int)
        self.matrix.set_text(f"A = {a:2d} {b:2d}\n    {c:2d} {d:2d}".replace("-", "−"))
        for line, label, end, shift in zip(self.ends, self.labels, state.ends, (-0.34, 0.12), strict=True):
            line.set_ydata([end, end])
            label.set_text(tell(end, 2))
            label.set_y(end + shift)
        self.curve.set_data(self.angles, self.curves[state.kind])
        self.dot.set_data([state.theta], [state.R])

    def describe(self, state):
        return (
            f"The matrix is {state.kind}. At θ = {state.theta:.0f}° the quotient R is {tell(state.R, 2)}; over all "
            f"angles it runs from {tell(state.ends[0], 2)} to {tell(state.ends[1], 2)}. The tips of Ax and Rx are "
            f"{state.apart:.2f} apart."
        )

    @invariant("R lies between the extreme eigenvalues of the symmetric part")
    def _between(self, state):
        return state.ends[0] - 1e-12 <= state.R <= state.ends[1] + 1e-12

    @invariant("Rx is the shadow of Ax on x")
    def _shadow(self, state):
        return abs((state.Ax - state.R * state.x) @ state.x) < 1e-12

    @invariant("for a symmetric A the tips are as far apart as R is steep")
    def _steep(self, state):
        across = np.array([-state.x[1], state.x[0]])
        steep = mc.rayleigh_gradient(state.x, state.A) @ across
        return state.kind == "not symmetric" or np.isclose(abs(steep), 2 * state.apart)

    @invariant("the matrix without symmetry never only stretches x")
    def _never(self, state):
        return state.kind != "not symmetric" or state.apart > 0.5


class Power(Explorer):
    """Power iteration with the eigenvalues 1 and λ₂: the vectors, and how far R is from 1."""

    height = 420
    lam = Slider("λ₂", "second eigenvalue", -1.5, 0.95, 0.5, step=0.05)
    k = Slider("k", "steps", 0, 30, 8, step=1, play=True)
    v1, v2, x0 = _unit(30), _unit(120), _unit(105)

    def compute(self, lam, k):
        A = np.outer(self.v1, self.v1) + lam * np.outer(self.v2, self.v2)
        X = np.array(list(islice(mc.power_iteration(A, self.x0), k + 1)))
        R = np.sum(X @ A * X, axis=1)
        return SimpleNamespace(lam=lam, k=k, X=X, R=R, gap=np.maximum(1 - R, 1e-16))

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "While $|\\lambda_2|<1$, each late step multiplies the gap by about $\\lambda_2^2$")
        left.set_xlim(-1.3, 1.3)
        left.set_ylim(-1.3, 1.3)
        left.set_aspect("equal")
        left.set_title("$x_0, x_1, \\dots, x_k$ on the circle", fontweight="normal")
        left.plot(*np.array([_unit(a) for a in range(361)]).T, color=style.TRUTH, linewidth=1)
        for v, colour, text in ((self.v1, style.REFERENCE, "$v_1$"), (self.v2, style.SECOND, "$v_2$")):
            left.plot(*np.array([-v, v]).T, "--", color=colour, linewidth=1.5)
            left.text(*(1.17 * v), text, color=colour, fontweight="bold", ha="center", va="center")
        (self.way,) = left.plot([], [], "o-", color=style.MODEL, markersize=4, linewidth=0.6)
        (self.now,) = left.plot([], [], "o", color=style.MODEL, markersize=10)
        right.set_yscale("log")
        right.set_xlim(-0.7, self.k.high + 0.7)
        right.set_ylim(1e-17, 30)
        right.set_yticks([1e-16, 1e-12, 1e-8, 1e-4, 1])
        right.set_xlabel("k, steps")
        right.set_title("The gap $1-R(x_k)$", fontweight="normal")
        (self.gaps,) = right.plot([], [], "o-", color=style.MODEL, markersize=4, linewidth=1)
        for artist in (self.way, self.now, self.gaps):
            self.moving(artist)

    def update(self, state):
        self.way.set_data(*state.X.T)
        self.now.set_data(*state.X[-1:].T)
        self.gaps.set_data(range(state.k + 1), state.gap)

    def describe(self, state):
        return (
            f"Eigenvalues 1 and {tell(state.lam, 2)}. After {state.k} steps of power iteration the quotient R is "
            f"{tell(state.R[-1], 4)}, which is {tell_error(state.gap[-1])} below the largest eigenvalue."
        )

    @invariant("every vector has the length 1")
    def _length(self, state):
        return np.allclose(np.sum(state.X**2, axis=1), 1)

    @invariant("the gap is that of the closed form")
    def _closed_form(self, state):
        lost = (state.lam ** np.arange(state.k + 1) * (self.v2 @ self.x0)) ** 2
        share = lost / (lost + (self.v1 @ self.x0) ** 2)
        return np.allclose(state.gap, np.maximum((1 - state.lam) * share, 1e-16), rtol=1e-6, atol=1e-14)

    @invariant("with |λ₂| < 1 the gap never grows", along="k")
    def _falls(self, before, after):
        return abs(before.lam) > 1 or after.gap[-1] <= before.gap[-1] * (1 + 1e-9) + 1e-15
