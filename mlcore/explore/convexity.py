"""The figures of 09 convexity."""

from types import SimpleNamespace

import numpy as np

from mlcore import convexity
from mlcore.data import load
from mlcore.engine.explorers import Explorer, Pick, Slider, invariant, style, tell

_PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2}  # behind words that curves may cross


class TwoLosses(Explorer):
    """One weight, ten points, two losses: where nine descents end."""

    height = 340
    x = np.array([-9.0, -8.0, -2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0])
    y = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    starts = np.linspace(-1.2, 3.2, 9)
    step, steps = 0.03, 2000

    def _losses(self, w):
        z = np.multiply.outer(w, self.x)
        squared = np.sum((convexity.sigmoid(z) - self.y) ** 2, axis=-1)
        return squared, np.sum(convexity.softplus(z) - self.y * z, axis=-1)

    def _slopes(self, w):
        p = convexity.sigmoid(np.multiply.outer(w, self.x))
        return np.sum(2 * (p - self.y) * p * (1 - p) * self.x, axis=-1), np.sum((p - self.y) * self.x, axis=-1)

    def prepare(self):
        self.ends = []
        for k in range(2):
            w = self.starts
            for _ in range(self.steps):
                w = w - self.step * self._slopes(w)[k]
            self.ends.append(w)

    def compute(self):
        return SimpleNamespace(ends=self.ends, losses=[self._losses(w)[k] for k, w in enumerate(self.ends)])

    def draw(self, figure):
        state = self.compute()
        at = np.linspace(-1.4, 3.4, 300)
        titles = ("Squared error after σ: two valleys", "Log loss: one valley")
        for k, axes in enumerate(figure.subplots(1, 2)):
            axes.plot(at, self._losses(at)[k], color=style.MODEL)
            axes.plot(self.starts, self._losses(self.starts)[k], "o", color=style.DATA, markersize=5, fillstyle="none")
            axes.plot(state.ends[k], state.losses[k], "o", color=style.ERROR, markersize=9)
            axes.set_xlim(-1.5, 3.5)
            axes.set_xlabel("weight w")
            axes.set_title(titles[k])
            for end in np.unique(state.ends[k].round(2)):
                low = self._losses(end)[k]
                lift = (0.32, 3.4)[k]
                axes.text(end, low - lift, f"loss {low:.2f}", color=style.ERROR, ha="center", va="top", fontsize=9)
        left, right = figure.axes
        left.set_ylabel("loss")
        left.set_ylim(1.2, 5.8)
        right.set_ylim(-8, 65)
        right.text(-1.35, 61, "○ starts   ● ends of the descents", fontsize=9, va="top")

    def describe(self, state):
        told = [
            " and ".join(f"w = {tell(w, 2)} with loss {tell(self._losses(w)[k], 2)}" for w in np.unique(ends.round(2)))
            for k, ends in enumerate(state.ends)
        ]
        return (
            f"Ten points, one weight, nine descents from starts between −1.2 and 3.2. On the squared error after a "
            f"sigmoid they end at {told[0]}. On the log loss they all end at {told[1]}."
        )

    @invariant("the log loss has one end, the squared error after the sigmoid two")
    def _ends(self, state):
        squared, log = (len(np.unique(ends.round(2))) for ends in state.ends)
        return squared == 2 and log == 1


class Chord(Explorer):
    """A curve, one of its chords and one of its tangents."""

    height = 370
    shape = Pick("f", "", ("(x² − 1)²", "log(1 + eˣ)"))
    theta = Slider("θ", "place on the chord", 0.0, 1.0, 0.5, step=0.02)
    t = Slider("t", "place of the tangent", -2.0, 2.0, -0.4, step=0.05)

    def prepare(self):
        self.at = np.linspace(-2.1, 2.1, 211)
        self.curves = {  # the function, its slope, the ends of the chord
            "(x² − 1)²": (lambda x: (x**2 - 1) ** 2, lambda x: 4 * x * (x**2 - 1), (-1.15, 0.85)),
            "log(1 + eˣ)": (convexity.softplus, convexity.sigmoid, (-1.9, 1.9)),
        }

    def compute(self, shape, theta, t):
        f, slope, (u, v) = self.curves[shape]
        below = convexity.tangent_gap(f, slope, t, self.at)
        return SimpleNamespace(
            shape=shape,
            theta=theta,
            t=t,
            ends=(u, v),
            x=(1 - theta) * u + theta * v,
            gap=convexity.chord_gap(f, u, v, theta),
            gaps=convexity.chord_gap(f, u, v, np.linspace(0, 1, 101)),
            below=below,
            cut=np.mean(below < -1e-9),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-2.1, 2.1)
        axes.set_ylim(-0.8, 2.8)
        axes.set_xlabel("x")
        axes.set_title("A convex function lies below all its chords and above all its tangents")
        (self.curve,) = axes.plot([], [], color=style.MODEL, linewidth=2.6)
        (self.tangent,) = axes.plot([], [], color=style.SECOND, linestyle="--", linewidth=1.6)
        (self.touch,) = axes.plot([], [], "s", color=style.SECOND, markersize=7)
        (self.chord,) = axes.plot([], [], "o-", color=style.DATA, linewidth=1.6, markersize=6)
        (self.between,) = axes.plot([], [], color=style.REFERENCE, linewidth=3.5)
        (self.place,) = axes.plot([], [], "o", color=style.DATA, markersize=9)
        self.names = [axes.text(0, 0, name, color=style.DATA, ha="center", va="top") for name in "uv"]
        self.words = [
            axes.text(0.5, height, "", transform=axes.transAxes, va="top", ha="center", bbox=_PAPER)
            for height in (0.97, 0.9)
        ]
        for artist in (self.curve, self.tangent, self.touch, self.chord, self.between, self.place):
            self.moving(artist)
        for artist in (*self.names, *self.words):
            self.moving(artist)

    def update(self, state):
        f, slope, _ = self.curves[state.shape]
        ends = np.array(state.ends)
        self.curve.set_data(self.at, f(self.at))
        self.tangent.set_data(self.at, f(state.t) + slope(state.t) * (self.at - state.t))
        self.touch.set_data([state.t], [f(state.t)])
        self.chord.set_data(ends, f(ends))
        on_curve = f(state.x)
        self.between.set_data([state.x, state.x], [on_curve, on_curve + state.gap])
        self.place.set_data([state.x], [on_curve + state.gap])
        for name, end in zip(self.names, ends, strict=True):
            name.set_position((end, f(end) - 0.1))
        good, bad = (style.REFERENCE, style.ERROR)
        self.between.set_color(good if state.gap >= -1e-12 else bad)
        self.words[0].set_color(good if state.gap >= -1e-12 else bad)
        self.words[0].set_text(f"at θ the chord is {self._chord(state)}")
        self.words[1].set_color(style.SECOND)
        self.words[1].set_text(f"the tangent is above the curve {self._tangent(state)}")

    def _chord(self, state):
        if abs(state.gap) < 5e-3:
            return "on the curve"
        return f"{abs(state.gap):.2f} {'above' if state.gap > 0 else 'below'} the curve"

    def _tangent(self, state):
        return f"on {state.cut:.0%} of the picture" if state.cut else "nowhere"

    def describe(self, state):
        u, v = (tell(end, 2) for end in state.ends)
        return (
            f"f(x) = {state.shape}. At θ = {state.theta:.2g} the chord from {u} to {v} is {self._chord(state)}. "
            f"The tangent at {tell(state.t, 2)} is above the curve {self._tangent(state)}."
        )

    @invariant("a convex function is never above its chord")
    def _chord_above(self, state):
        return state.shape != "log(1 + eˣ)" or np.all(state.gaps >= -1e-12)

    @invariant("a convex function is never below its tangent")
    def _tangent_below(self, state):
        return state.shape != "log(1 + eˣ)" or np.all(state.below >= -1e-12)

    @invariant("the chord of the two wells passes below the curve")
    def _violated(self, state):
        return state.shape != "(x² − 1)²" or np.min(state.gaps) < -0.5

    @invariant("at both ends chord and curve meet")
    def _meet(self, state):
        return np.abs(state.gaps[[0, -1]]).max() < 1e-12


class Bound(Explorer):
    """Least squares on the diabetes data: the parabola of curvature m on a tangent."""

    height = 380
    m = Slider("m", "curvature of the bound", 0.0, 40.0, 5.0, step=0.5)
    lam = Slider("λ", "ridge penalty", 0.0, 15.0, 0.0, step=0.5)

    far = 9.0  # the tangent touches this far from the minimum

    def prepare(self):
        self.X, self.y = load("diabetes").standardised()
        eigenvalues, V = np.linalg.eigh(self.X.T @ self.X)
        self.curvatures, self.flattest = 2 * eigenvalues, V[:, 0]
        self.t = np.linspace(-16, 16, 129)

    def compute(self, m, lam):
        w = np.linalg.solve(self.X.T @ self.X + lam * np.eye(10), self.X.T @ self.y)
        W = w + self.t[:, None] * self.flattest
        f = np.sum((W @ self.X.T - self.y) ** 2, axis=1) + lam * np.sum(W**2, axis=1)
        lowest = np.sum((self.X @ w - self.y) ** 2) + lam * w @ w
        u = w + self.far * self.flattest
        slope = 2 * self.flattest @ (self.X.T @ (self.X @ u - self.y) + lam * u)
        height = np.sum((self.X @ u - self.y) ** 2) + lam * u @ u - lowest
        step = self.t - self.far
        bound = height + slope * step + m / 2 * step**2
        return SimpleNamespace(
            m=m,
            lam=lam,
            f=f - lowest,
            bound=bound,
            height=height,
            curvatures=self.curvatures + 2 * lam,
            largest=convexity.strong_constant(self.X, lam),
            holds=np.all(bound <= f - lowest + 1e-6 * height),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
        style.headline(figure, "The bound holds until m reaches the curvature of the flattest direction")
        left.set_xlim(-16, 16)
        left.set_ylim(-900, 3300)
        left.set_xlabel("distance from the minimum, flattest direction")
        left.set_ylabel("loss above its minimum")
        (self.curve,) = left.plot([], [], color=style.MODEL, linewidth=2.8)
        (self.bound,) = left.plot([], [], color=style.REFERENCE, linestyle="--")
        (self.touch,) = left.plot([], [], "s", color=style.DATA, markersize=7)
        left.text(15.5, -480, "solid: loss", color=style.MODEL, fontweight="bold", fontsize=9, ha="right")
        self.name = left.text(15.5, -760, "dashed: bound", fontweight="bold", fontsize=9, ha="right")
        self.readout = left.text(0.5, 0.97, "", transform=left.transAxes, va="top", ha="center", bbox=_PAPER)
        right.set_yscale("log")
        right.set_xlim(0, 11)
        right.set_ylim(1, 9000)
        right.set_xticks(range(1, 11))
        right.grid(axis="x", visible=False)
        right.set_xlabel("direction, flattest first")
        right.set_ylabel("curvature")
        (self.above,) = right.plot([], [], "o", color=style.MODEL, markersize=7)
        (self.under,) = right.plot([], [], "X", color=style.ERROR, markersize=9)
        self.level = right.axhline(1, color=style.REFERENCE, linestyle="--", linewidth=1.6)
        self.m_name = right.text(10.9, 1, "m", color=style.DATA, ha="right", va="bottom", fontweight="bold")
        for artist in (self.curve, self.bound, self.touch, self.name, self.readout, self.above, self.under):
            self.moving(artist)
        self.moving(self.level)
        self.moving(self.m_name)

    def update(self, state):
        colour = style.REFERENCE if state.holds else style.ERROR
        self.curve.set_data(self.t, state.f)
        self.bound.set_data(self.t, state.bound)
        self.touch.set_data([self.far], [state.height])
        for artist in (self.bound, self.name, self.level):
            artist.set_color(colour)
        self.readout.set_text(
            f"m = {state.m:.1f}, smallest curvature {state.largest:.1f}\n"
            f"the bound {'holds' if state.holds else 'fails: it is above the loss'}"
        )
        direction, good = np.arange(1, 11), state.curvatures >= state.m
        self.above.set_data(direction[good], state.curvatures[good])
        self.under.set_data(direction[~good], state.curvatures[~good])
        height = max(state.m, 1e-3)
        self.level.set_ydata([height, height])
        self.m_name.set_position((10.9, max(height, 1.0)))

    def describe(self, state):
        return (
            f"Squared error on the diabetes data with the ridge penalty λ = {state.lam:.1f}. The curvatures of its ten "
            f"directions run from {state.largest:.1f} to {state.curvatures[-1]:.0f}. The lower bound of curvature "
            f"m = {state.m:.1f} {'holds' if state.holds else 'fails in the flattest direction'}."
        )

    @invariant("the bound holds up to the smallest curvature and fails above it")
    def _up_to_the_smallest(self, state):
        return state.holds == (state.m <= state.largest)

    @invariant("the penalty lifts every curvature by 2λ")
    def _lifted(self, state):
        return np.allclose(state.curvatures - 2 * state.lam, self.curvatures)

    @invariant("the bound only rises with m", along="m")
    def _rises(self, before, after):
        return np.all(after.bound >= before.bound)


class Ball(Explorer):
    """The points with ‖x‖ₚ ≤ r in the plane, and a segment between two of them."""

    height = 380
    p = Slider("p", "exponent", 0.3, 4.0, 0.6, step=0.1)
    r = Slider("r", "radius", 0.4, 1.2, 1.0, step=0.1)

    def prepare(self):
        angle = np.linspace(0, 2 * np.pi, 721)
        self.around = np.column_stack([np.cos(angle), np.sin(angle)])
        self.p_axis = np.geomspace(0.3, 4, 120)

    def _middle(self, p, r):
        return convexity.p_norm(np.array([r, r]) / 2, p)

    def compute(self, p, r):
        rim = r * self.around / convexity.p_norm(self.around, p)[:, None]
        x, y = rim.T
        return SimpleNamespace(
            p=p,
            r=r,
            rim=rim,
            middle=self._middle(p, r),
            inside=self._middle(p, r) <= r * (1 + 1e-9),
            area=abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2,
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "For p < 1 a segment leaves the ball between two of its points")
        left.set_xlim(-1.35, 1.35)
        left.set_ylim(-1.35, 1.35)
        left.set_aspect("equal")
        left.set_xlabel("x₁")
        left.set_ylabel("x₂")
        (self.ball,) = left.fill([0, 1, 1], [0, 0, 1], color=style.MODEL, alpha=0.25, linewidth=0)
        (self.rim,) = left.plot([], [], color=style.MODEL)
        (self.segment,) = left.plot([], [], "o-", color=style.DATA, linewidth=1.6, markersize=6)
        (self.centre,) = left.plot([], [], "D", color=style.REFERENCE, markersize=8)
        right.plot(self.p_axis, [self._middle(p, 1.0) for p in self.p_axis], color=style.MODEL)
        right.axhline(1, color=style.TRUTH, linewidth=1.5, linestyle="--")
        right.text(4.0, 1.1, "the rim of the ball", color=style.DATA, ha="right", fontsize=9)
        right.set_xlim(0.2, 4.1)
        right.set_ylim(0, 5.4)
        right.set_xlabel("p, exponent")
        right.set_ylabel("‖midpoint‖ₚ / r")
        (self.now,) = right.plot([], [], "D", color=style.REFERENCE, markersize=8)
        self.readout = right.text(0.97, 0.96, "", transform=right.transAxes, ha="right", va="top")
        for artist in (self.ball, self.rim, self.segment, self.centre, self.now, self.readout):
            self.moving(artist)

    def update(self, state):
        colour = style.REFERENCE if state.inside else style.ERROR
        self.ball.set_xy(state.rim)
        self.rim.set_data(*state.rim.T)
        self.segment.set_data([state.r, 0], [0, state.r])
        self.centre.set_data([state.r / 2], [state.r / 2])
        self.now.set_data([state.p], [state.middle / state.r])
        for artist in (self.centre, self.now, self.readout):
            artist.set_color(colour)
        self.readout.set_text(
            f"the midpoint has p-norm {state.middle:.2f}\n"
            f"{'inside' if state.inside else 'outside'} the ball of radius {state.r:.1f}"
        )

    def describe(self, state):
        return (
            f"The set ‖x‖ₚ ≤ {state.r:.1f} for p = {state.p:.1f}. The midpoint of the segment from ({state.r:.1f}, 0) "
            f"to (0, {state.r:.1f}) has p-norm {state.middle:.2f}: it is {'inside' if state.inside else 'outside'}."
        )

    @invariant("the midpoint is inside exactly for p ≥ 1")
    def _convex_from_one(self, state):
        return state.inside == (state.p > 1 - 1e-9)

    @invariant("the ball never shrinks as p grows", along="p")
    def _grows(self, before, after):
        return after.area >= before.area - 1e-9

    @invariant("the radius decides nothing: the midpoint's share of it depends on p alone", along="r")
    def _same_share(self, before, after):
        return np.isclose(before.middle / before.r, after.middle / after.r)
