"""The figures of 13 softmax."""

from types import SimpleNamespace

import numpy as np

from mlcore import softmax
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style, tell, tell_error

_SPECIES = ("setosa", "versicolor", "virginica")
_COLOURS = (style.REFERENCE, style.MODEL, style.ERROR)
_MARKS = ("o", "^", "s")
_SIGNS = ("●", "▲", "■")
_ON_WHITE = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 2}  # words stay legible over lines


def _iris(columns):
    iris = load("iris")
    return iris.X[:, columns], iris.y.astype(int)


class Regions(Explorer):
    """The probabilities of three species over the plane of two measurements."""

    height = 400
    lam = LogSlider("λ", "penalty", 1e-3, 1e4, 1.0)

    def prepare(self):
        self.X, self.y = _iris([2, 3])
        self.wide, self.high = np.linspace(0.5, 7.3, 41), np.linspace(-0.1, 2.8, 59)
        a, b = np.meshgrid(self.wide, self.high)
        self.grid = np.column_stack([a.ravel(), b.ravel()])

    def compute(self, lam):
        W, b = softmax.fit(self.X, self.y, lam)
        P = softmax.probabilities(self.X @ W + b)
        scores = (self.grid @ W + b).reshape(len(self.high), len(self.wide), 3)
        others = [np.delete(scores, k, axis=2) for k in range(3)]
        ahead = [scores[:, :, k] - rest.max(axis=2) for k, rest in enumerate(others)]
        odds = [scores[:, :, k] - softmax.log_sum_exp(rest) for k, rest in enumerate(others)]
        return SimpleNamespace(
            lam=lam,
            W=W,
            b=b,
            P=P,
            outlines=[self._outline(margin) for margin in (*ahead, *(o - np.log(9) for o in odds))],
            misses=int(np.sum(np.argmax(P, axis=1) != self.y)),
            sure=np.mean(np.max(P, axis=1)),
            length=np.linalg.norm(W),
            slope=np.abs(self.X.T @ (P - softmax.one_hot(self.y, 3)) + lam * W).max(),
        )

    def _outline(self, margin):
        """Where a concave function is positive, as a polygon: from its first to its last place in every row."""
        inside = margin > 0
        rows = np.flatnonzero(inside.any(axis=1))
        if not len(rows):
            return np.zeros((0, 2))
        first, last = inside[rows].argmax(axis=1), len(self.wide) - 1 - inside[rows, ::-1].argmax(axis=1)
        left, right = (self._crossing(margin, rows, i, i + way) for i, way in ((first, -1), (last, 1)))
        return np.vstack([np.column_stack([left, self.high[rows]]), np.column_stack([right, self.high[rows]])[::-1]])

    def _crossing(self, margin, rows, inside, outside):
        """Between two neighbours in a row, by a straight line; the last inside where there is no neighbour."""
        there = (outside >= 0) & (outside < len(self.wide))
        outside = np.where(there, outside, inside)
        m, gap = margin[rows, inside], margin[rows, inside] - margin[rows, outside]
        share = np.where(there, m / np.where(there, gap, 1.0), 0.0)
        return self.wide[inside] + share * (self.wide[outside] - self.wide[inside])

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(self.wide[0], self.wide[-1])
        axes.set_ylim(self.high[0], self.high[-1])
        axes.set_xlabel("petal length, cm")
        axes.set_ylabel("petal width, cm")
        axes.set_title("Three scores share the plane, and every border is straight")
        axes.text(1, -0.14, "dark: largest p above 0.9", transform=axes.transAxes, ha="right", color=style.DATA)
        axes.grid(visible=False)
        self.areas = []
        for strength in (0.2, 0.3):
            for colour in _COLOURS:
                (area,) = axes.fill([], [], color=colour, alpha=strength, linewidth=0)
                self.areas.append(self.moving(area))
        (self.borders,) = axes.plot([], [], color="black", linewidth=1.5)
        self.moving(self.borders)
        for k, at in enumerate(((1.0, 0.95), (3.1, 1.75), (6.2, 1.45))):
            points = self.X[self.y == k].T
            (marks,) = axes.plot(*points, _MARKS[k], color=_COLOURS[k], markersize=5, linestyle="none", alpha=0.9)
            self.moving(marks)
            words = axes.text(*at, f"{_SIGNS[k]} {_SPECIES[k]}", color=_COLOURS[k], fontweight="bold")
            self.moving(words)
        self.readout = self.moving(axes.text(0.015, 0.97, "", transform=axes.transAxes, va="top", bbox=_ON_WHITE))

    def _border(self, state, k, j):
        """Where classes k and j tie and no other has a larger score: a piece of a straight line."""
        w, b = state.W[:, k] - state.W[:, j], state.b[k] - state.b[j]
        heights = np.linspace(self.high[0], self.high[-1], 150)
        points = np.column_stack([-(b + w[1] * heights) / w[0], heights])
        scores = points @ state.W + state.b
        points[scores.max(axis=1) > scores[:, k] + 1e-9] = np.nan
        return points

    def update(self, state):
        for area, outline in zip(self.areas, state.outlines, strict=True):
            area.set_xy(outline)
        gap = [[np.nan, np.nan]]
        pieces = [piece for k, j in ((0, 1), (1, 2), (0, 2)) for piece in (self._border(state, k, j), gap)]
        self.borders.set_data(*np.vstack(pieces).T)
        self.readout.set_text(f"{state.misses} of 150 misclassified\nmean of the largest p {state.sure:.2f}")

    def describe(self, state):
        return (
            f"At λ = {state.lam:.4g} the three weight vectors have the length {state.length:.3g} together; "
            f"{state.misses} of 150 flowers are misclassified, and the largest probability of a flower is "
            f"{state.sure:.2f} on average."
        )

    @invariant("the probabilities of every flower sum to 1")
    def _sum(self, state):
        return np.allclose(state.P.sum(axis=1), 1)

    @invariant("the gradient of J vanishes at the fit")
    def _stationary(self, state):
        return state.slope < 1e-4

    @invariant("the weights of the classes sum to 0, feature by feature")
    def _centred(self, state):
        return np.allclose(state.W.sum(axis=1), 0, atol=1e-9) and abs(state.b.sum()) < 1e-9

    @invariant("free biases keep the mean probability of each species at a third")
    def _base_rate(self, state):
        return np.allclose(state.P.mean(axis=0), 1 / 3, atol=1e-6)

    @invariant("the weights never get longer as λ grows", along="lam")
    def _shrinks(self, before, after):
        return after.length <= before.length * (1 + 1e-9)


class Temperature(Explorer):
    """Four scores and their probabilities, against the temperature and a shift of all scores."""

    height = 340
    tau = LogSlider("τ", "temperature", 0.1, 10.0, 1.0, step=0.05)
    shift = Slider("c", "added to all scores", -1000.0, 1000.0, 0.0, step=50.0)
    scores = np.array([2.0, 1.0, 0.0, -1.0])

    def compute(self, tau, shift):
        t = self.scores + shift
        p = softmax.probabilities(t / tau)
        with np.errstate(over="ignore", invalid="ignore"):
            naive = np.exp(t / tau) / np.sum(np.exp(t / tau))
        return SimpleNamespace(
            tau=tau,
            shift=shift,
            p=p,
            still=softmax.probabilities(self.scores / tau),
            naive=bool(np.isfinite(naive).all()),
            lse=softmax.log_sum_exp(t / tau),
            entropy=-np.sum(p * np.log(np.maximum(p, 1e-300))),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-0.6, 3.6)
        axes.set_ylim(0, 1.3)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.set_xticks(range(4), [f"class {k}\nscore {tell(t)} + c" for k, t in enumerate(self.scores)])
        axes.grid(axis="x", visible=False)
        axes.set_ylabel("probability")
        axes.set_title("Temperature sharpens or levels, a common shift does nothing")
        axes.axhline(0.25, color=style.TRUTH, linewidth=1, linestyle="--")
        axes.text(3.58, 0.265, "all equal", color=style.TRUTH, ha="right")
        self.bars = [self.moving(bar) for bar in axes.bar(range(4), np.zeros(4), width=0.6, color=style.MODEL)]
        self.labels = [self.moving(axes.text(k, 0, "", ha="center", va="bottom", fontweight="bold")) for k in range(4)]
        self.readout = self.moving(axes.text(0.985, 0.97, "", transform=axes.transAxes, ha="right", va="top"))

    def update(self, state):
        for bar, label, p in zip(self.bars, self.labels, state.p, strict=True):
            bar.set_height(p)
            label.set_text(f"{p:.3f}")
            label.set_y(p + 0.01)
        verdict = "the same numbers" if state.naive else "not a number"
        self.readout.set_text(f"LSE(t/τ) = {tell(state.lse, 3)}\n$e^{{t/τ}}/\\sum e^{{t/τ}}$, as written: {verdict}")

    def describe(self, state):
        shown = ", ".join(f"{p:.3f}" for p in state.p)
        verdict = "gives the same" if state.naive else "gives inf/inf or 0/0, not a number"
        return (
            f"At temperature {state.tau:.3g} with {tell(state.shift)} added to the scores 2, 1, 0, −1 the "
            f"probabilities are {shown}, with an entropy of {state.entropy:.3f}. The formula as written, with plain "
            f"exponentials, {verdict}."
        )

    @invariant("the probabilities sum to 1, and the shift does not move them")
    def _unmoved(self, state):
        return np.isclose(state.p.sum(), 1) and np.allclose(state.p, state.still, atol=1e-9)

    @invariant("LSE moves with the shift")
    def _moves(self, state):
        return np.isclose(state.lse, softmax.log_sum_exp(self.scores / state.tau) + state.shift / state.tau)

    @invariant("the entropy never falls as the temperature rises", along="tau")
    def _levels(self, before, after):
        return after.entropy >= before.entropy - 1e-9


_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


class Triangle(Explorer):
    """The probabilities of three classes as a point in a triangle, and what each score does to it."""

    height = 430
    t0 = Slider("t₀", "score of class 0", -4.0, 4.0, 1.0, step=0.25)
    t1 = Slider("t₁", "score of class 1", -4.0, 4.0, 0.0, step=0.25)
    t2 = Slider("t₂", "score of class 2", -4.0, 4.0, -0.5, step=0.25)

    def compute(self, t0, t1, t2):
        t = np.array([t0, t1, t2])
        return SimpleNamespace(t=t, p=softmax.probabilities(t), J=softmax.jacobian(t))

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-0.75, 1.75)
        axes.set_ylim(-0.12, 1.02)
        axes.set_aspect("equal")
        axes.axis("off")
        axes.set_title("Each score pulls towards its own corner, and pulls less as it wins")
        axes.fill(*_CORNERS.T, facecolor="#f6f6f6", edgecolor=style.TRUTH)
        for share in (0.25, 0.5, 0.75):
            for k in range(3):
                ends = np.full((2, 3), 0.0)
                ends[:, k] = share
                ends[0, (k + 1) % 3] = ends[1, (k + 2) % 3] = 1 - share
                axes.plot(*(ends @ _CORNERS).T, color="#dcdcdc", linewidth=0.8)
        for k, (corner, side, place) in enumerate(
            zip(_CORNERS, ("right", "left", "left"), ((-0.03, -0.04), (0.03, -0.04), (0.04, 0.0)), strict=True)
        ):
            axes.text(*(corner + place), f"class {k}", ha=side, color=_COLOURS[k], fontweight="bold")
        self.arrows = []
        for colour in _COLOURS:
            (arrow,) = axes.plot([], [], color=colour, linewidth=2.5)
            self.arrows.append(self.moving(arrow))
        (self.dot,) = axes.plot([], [], "o", color="black", markersize=9)
        self.moving(self.dot)
        self.readout = self.moving(axes.text(0.0, 0.95, "", transform=axes.transAxes, va="top"))
        self.table = self.moving(
            axes.text(1.0, 0.95, "", transform=axes.transAxes, va="top", ha="right", family="monospace")
        )

    def update(self, state):
        at = state.p @ _CORNERS
        self.dot.set_data([at[0]], [at[1]])
        for arrow, column in zip(self.arrows, state.J.T, strict=True):
            arrow.set_data(*np.transpose([at, at + column @ _CORNERS]))
        self.readout.set_text("\n".join(f"p{'₀₁₂'[k]} = {p:.3f}" for k, p in enumerate(state.p)))
        self.table.set_text(
            "∂p/∂t\n" + "\n".join("  ".join(tell(entry, 3).rjust(6) for entry in row) for row in state.J)
        )

    def describe(self, state):
        shown = ", ".join(f"{p:.3f}" for p in state.p)
        diagonal = ", ".join(f"{entry:.3f}" for entry in np.diag(state.J))
        return (
            f"Scores {', '.join(tell(t, 2) for t in state.t)} give the probabilities {shown}. A small rise of one "
            f"score raises its own probability at the rates {diagonal} and lowers the other two; the row sums of the "
            f"Jacobian are zero."
        )

    @invariant("the probabilities sum to 1")
    def _sum(self, state):
        return np.isclose(state.p.sum(), 1)

    @invariant("the Jacobian's rows and columns sum to 0")
    def _rows(self, state):
        return np.allclose(state.J.sum(axis=0), 0) and np.allclose(state.J.sum(axis=1), 0)

    @invariant("no rate exceeds ¼, and every score helps its own class and harms the others")
    def _signs(self, state):
        own = np.diag(state.J)
        others = state.J[~np.eye(3, dtype=bool)]
        return np.all((own > 0) & (own <= 0.25 + 1e-12)) and np.all(others < 0)

    @invariant("raising a score raises its own probability", along="t0")
    def _rises(self, before, after):
        return after.p[0] >= before.p[0]


class Routes(Explorer):
    """Newton's method on three species by one measurement: two ways around the singular Hessian."""

    height = 390
    step = Slider("t", "step", 0, 6, 2, step=1, play=True)
    route = Pick("", "route", ("shortest step", "last class pinned"))

    def prepare(self):
        X, y = _iris([0])
        self.Z = np.column_stack([X - 5.8, np.ones(len(y))])
        self.y, self.Y = y, softmax.one_hot(y, 3)
        self.at = np.linspace(4.0, 8.2, 200)
        self.grid = np.column_stack([self.at - 5.8, np.ones(200)])
        shortest, pinned = [np.zeros((2, 3))], [np.zeros((2, 3))]
        for _ in range(10):
            shortest.append(softmax.newton_step(shortest[-1], self.Z, self.Y))
            pinned.append(self._pinned_step(pinned[-1]))
        self.paths = dict(zip(self.route.options, (shortest, pinned), strict=True))
        self.floor = softmax.nll(shortest[-1], self.Z, y)

    def _pinned_step(self, W):
        """Newton's step for the first two classes, while the last keeps the weights 0."""
        H, g = softmax.hessian(W, self.Z)[:4, :4], softmax.gradient(W, self.Z, self.Y)[:, :2]
        return W - np.column_stack([np.linalg.solve(H, g.T.ravel()).reshape(2, 2).T, np.zeros(2)])

    def compute(self, step, route):
        W = self.paths[route][step]
        other = self.paths[self.route.options[route == self.route.options[0]]][step]
        return SimpleNamespace(
            step=step,
            route=route,
            W=W,
            P=softmax.class_probabilities(W, self.grid),
            other=softmax.class_probabilities(other, self.grid),
            eigenvalues=np.linalg.eigvalsh(softmax.hessian(W, self.Z)),
            excess=softmax.nll(W, self.Z, self.y) - self.floor,
        )

    def draw(self, figure):
        style.headline(figure, "Two routes, other weights, the same probabilities")
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))
        left.set_xlim(-7.8, 4)
        left.set_ylim(-1.5, 1.9)
        left.set_xlabel("weight of the sepal length")
        left.set_ylabel("bias")
        left.axhline(0, color=style.TRUTH, linewidth=1)
        left.axvline(0, color=style.TRUTH, linewidth=1)
        right.set_xlim(4.0, 8.2)
        right.set_ylim(0, 1.12)
        right.set_xlabel("sepal length, cm")
        right.set_ylabel("probability")
        self.marks, self.trails, self.curves = [], [], []
        for k, (colour, mark, line) in enumerate(zip(_COLOURS, _MARKS, ("-", "--", "-."), strict=True)):
            (trail,) = left.plot([], [], color=colour, linewidth=1.2, linestyle=line)
            (point,) = left.plot([], [], mark, color=colour, markersize=9, linestyle="none")
            (curve,) = right.plot([], [], color=colour, linestyle=line)
            self.trails.append(self.moving(trail))
            self.marks.append(self.moving(point))
            self.curves.append(self.moving(curve))
            place = {"transform": right.transAxes, "ha": ("left", "center", "right")[k], "va": "top"}
            right.text(
                (0.02, 0.5, 0.98)[k], 0.985, f"{_SIGNS[k]} {_SPECIES[k]}", color=colour, fontweight="bold", **place
            )
        self.readout = self.moving(left.text(0.03, 0.97, "", transform=left.transAxes, va="top", bbox=_ON_WHITE))

    def update(self, state):
        path = np.array(self.paths[state.route][: state.step + 1])
        for k in range(3):
            self.trails[k].set_data(path[:, 0, k], path[:, 1, k])
            self.marks[k].set_data([state.W[0, k]], [state.W[1, k]])
            self.curves[k].set_data(self.at, state.P[:, k])
        self.readout.set_text(f"t = {state.step}\nabove the minimum: {tell_error(state.excess, 1e-11)}")

    def describe(self, state):
        weights = ", ".join(tell(w, 2) for w in state.W[0])
        flat = int(np.sum(state.eigenvalues < 1e-9))
        return (
            f'After {state.step} steps by the route "{state.route}" the weights of the sepal length are {weights}; the '
            f"loss is {tell_error(state.excess, 1e-11)} above its minimum. {flat} of the 6 eigenvalues of the Hessian "
            f"are zero, the others go from {state.eigenvalues[flat]:.2g} to {state.eigenvalues[-1]:.2g}."
        )

    @invariant("both routes give the same probabilities at every step")
    def _same(self, state):
        return np.allclose(state.P, state.other, atol=1e-9)

    @invariant("two eigenvalues of the Hessian are zero, four are not (13.11)")
    def _rank(self, state):
        return np.sum(np.abs(state.eigenvalues) < 1e-9) == 2 and np.sum(state.eigenvalues > 1e-2) == 4

    @invariant("the shortest steps keep the weights centred, the pinned class stays at 0")
    def _gauge(self, state):
        if state.route == self.route.options[0]:
            return np.allclose(state.W.sum(axis=1), 0, atol=1e-9)
        return np.all(state.W[:, 2] == 0)

    @invariant("the loss falls with every step", along="step")
    def _falls(self, before, after):
        return after.excess <= before.excess + 1e-11
