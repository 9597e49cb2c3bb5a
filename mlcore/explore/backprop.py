"""The figures of 19 backprop."""

import functools
from types import SimpleNamespace

import numpy as np
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Text

from mlcore import backprop
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style, tell

WHITE = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2}


# --- see: a sum of sigmoids that learns ---


def _wave(rng, n):
    """Points on a wave with a little noise: x and y of shape (n, 1)."""
    x = np.sort(rng.uniform(-1, 1, n))[:, None]
    return x, np.sin(4 * x) + 0.5 * x + 0.1 * rng.normal(size=(n, 1))


@functools.cache
def _trained(etas, steps):
    """The states of a 1-8-1 net at these steps of gradient descent on the mean squared error, for all η at once."""
    x, y = _wave(np.random.default_rng(1), 40)
    rng = np.random.default_rng(3)
    Ws, bs = backprop.initial((1, 8, 1), rng)
    Ws[0], bs[0] = 4 * Ws[0], 2 * rng.normal(size=8)
    eta = np.array(etas)[:, None] / len(x)
    Ws, bs = [W + 0 * eta[..., None] for W in Ws], [b + 0 * eta for b in bs]
    states = {}
    for t in range(max(steps) + 1):
        if t in steps:
            states[t] = (Ws, bs)
        dWs, dbs = backprop.gradients(Ws, bs, x, y)
        Ws = [W - eta[..., None] * G for W, G in zip(Ws, dWs, strict=True)]
        bs = [b - eta * g for b, g in zip(bs, dbs, strict=True)]
    return states


class Training(Explorer):
    """Eight sigmoids and their sum, at a step of gradient descent."""

    height = 380
    eta = LogSlider("η", "step size", 0.01, 1.0, 0.1, step=0.25)
    t = LogSlider("t", "steps taken", 1.0, 10**3.5, 10**3.5, step=0.25)

    def prepare(self):
        self.x, self.y = _wave(np.random.default_rng(1), 40)
        self.at = np.linspace(-1, 1, 200)[:, None]
        self.etas, self.steps = tuple(self.eta.grid(9)), tuple(round(t) for t in self.t.grid(15))
        self.states = _trained(self.etas, self.steps)

    def compute(self, eta, t):
        t = min(self.steps, key=lambda step: abs(step - t))
        run = int(np.argmin(np.abs(np.array(self.etas) - eta)))
        Ws, bs = ([layer[run] for layer in layers] for layers in self.states[t])
        _, hidden, curve = backprop.forward(Ws, bs, self.at)
        layers = backprop.forward(Ws, bs, self.x)
        return SimpleNamespace(
            eta=eta,
            t=t,
            units=hidden * Ws[1],
            bias=bs[1][0],
            curve=curve[:, 0],
            error=backprop.loss(layers[-1], self.y) / len(self.y),
            flat=np.mean(layers[1] * (1 - layers[1]) < 0.01),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        style.headline(figure, "Eight sigmoids learn a wave, unless the steps are so long that all of them go flat")
        for axes in (left, right):
            axes.set_xlim(-1.02, 1.02)
            axes.set_xlabel("x")
        left.set_ylim(-1.9, 1.9)
        right.set_ylim(-6, 6)
        left.set_title("the output f", fontweight="normal")
        right.set_title("its eight summands", fontweight="normal")
        left.scatter(self.x, self.y, s=16, color=style.DATA, zorder=3)
        (self.curve,) = left.plot([], [], color=style.MODEL)
        self.units = [right.plot([], [], color=style.SECOND, linewidth=1.3)[0] for _ in range(8)]
        self.readout = left.text(0.03, 0.97, "", transform=left.transAxes, va="top", bbox=WHITE)
        for artist in (*self.units, self.curve, self.readout):
            self.moving(artist)

    def update(self, state):
        self.curve.set_data(self.at[:, 0], np.clip(state.curve, -9, 9))
        for line, unit in zip(self.units, state.units.T, strict=True):
            line.set_data(self.at[:, 0], np.clip(unit, -99, 99))
        self.readout.set_text(f"step {state.t}\nmean squared error {state.error:.3g}")

    def describe(self, state):
        return (
            f"At step {state.t} with the step size η = {state.eta:.3g} the sum of eight sigmoids and a constant has a "
            f"mean squared error of {state.error:.3g} on 40 points of a wave. {state.flat:.0%} of the activations lie "
            f"where the sigmoid is flat (slope below 0.01)."
        )

    @invariant("the output is the sum of the summands and the bias")
    def _adds_up(self, state):
        return np.allclose(state.units.sum(axis=1) + state.bias, state.curve)

    @invariant("small steps never raise the error", along="t")
    def _falls(self, before, after):
        return after.eta > 0.11 or after.error <= before.error * (1 + 1e-9)


# --- the graph of cos(sin x² + 3x²) ---

PLACES = {"x": (0.2, 1.0), "t": (2.2, 1.0), "u₁": (4.0, 1.8), "u₂": (4.0, 0.2), "u": (5.8, 1.0), "J": (8.3, 1.0)}
FORMULAS = {"x": "x", "t": "t = x²", "u₁": "u₁ = sin t", "u₂": "u₂ = 3t", "u": "u = u₁ + u₂", "J": "J = cos u"}
ARROW = {"arrowstyle": "-|>", "color": style.TRUTH, "linewidth": 1.2}
EDGES = {(0, 1): "2x", (1, 2): "cos t", (1, 3): "3", (2, 4): "1", (3, 4): "1", (4, 5): "−sin u"}


class Graph(Explorer):
    """The graph of J: values on the way forwards, derivatives on the way back."""

    height = 330
    x = Slider("x", "input", -2.0, 2.0, 0.5, step=0.05)

    def compute(self, x):
        v = backprop.graph_forward(x)
        D = backprop.graph_local(v)
        return SimpleNamespace(x=x, v=v, D=D, bar=backprop.graph_backward(D), closed=self._closed(x))

    def _closed(self, x):
        t = x**2
        return -np.sin(np.sin(t) + 3 * t) * (np.cos(t) + 3) * 2 * x

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-0.35, 8.9)
        axes.set_ylim(-0.45, 2.45)
        axes.axis("off")
        axes.set_title("t feeds two nodes, so two derivatives arrive there, and they add")
        self.values: list[Text] = []
        self.bars: list[Text] = []
        self.locals: list[tuple[int, int, str, Text]] = []
        centres = list(PLACES.values())
        for (start, end), name in EDGES.items():
            (x0, y0), (x1, y1) = centres[start], centres[end]
            lift = 0.3 * np.sign(y1 - y0)
            axes.annotate("", (x1 - 0.54, y1 - lift), (x0 + 0.54, y0 + lift), arrowprops=ARROW)
            up = 0.16 if y0 == y1 else 0.28 * np.sign((y0 + y1) / 2 - 1)
            where = ((x0 + x1) / 2 - 0.22 * (end == 2), (y0 + y1) / 2 + up)
            text = axes.text(*where, "", ha="center", va="center", color=style.DATA, fontsize=9)
            if name in ("1", "3"):
                text.set_text(name)
            else:
                self.locals.append((start, end, name, self.moving(text)))
        for name, (x, y) in PLACES.items():
            box = FancyBboxPatch((x - 0.5, y - 0.36), 1.0, 0.72, boxstyle="round,pad=0.02", fc="white", ec=style.TRUTH)
            axes.add_patch(box)
            axes.text(x, y + 0.22, FORMULAS[name], ha="center", va="center", fontsize=9)
            for shift, colour, kept in ((0.0, style.MODEL, self.values), (-0.23, style.ERROR, self.bars)):
                text = axes.text(x, y + shift, "", ha="center", va="center", color=colour, fontweight="bold")
                kept.append(self.moving(text))
        axes.text(-0.1, 2.25, "→ value", color=style.MODEL, fontweight="bold")
        axes.text(-0.1, 2.0, "← ∂J/∂node", color=style.ERROR, fontweight="bold")
        self.sum = self.moving(axes.text(2.2, 0.42, "", ha="center", va="center", color=style.ERROR, fontsize=9))

    def update(self, state):
        for text, value in zip(self.values, state.v, strict=True):
            text.set_text(tell(value, 3))
        for text, value in zip(self.bars, state.bar, strict=True):
            text.set_text(tell(value, 3))
        for start, end, name, text in self.locals:
            text.set_text(f"{name} = {tell(state.D[end, start], 2)}")
        first, second = self._arriving(state)
        self.sum.set_text(f"{tell(first, 3)} {'+' if second >= 0 else '−'} {tell(abs(second), 3)}")

    def _arriving(self, state):
        return state.bar[2] * state.D[2, 1], state.bar[3] * state.D[3, 1]

    def describe(self, state):
        first, second = self._arriving(state)
        return (
            f"At x = {tell(state.x, 2)} the pass forwards gives t = {tell(state.v[1], 3)}, u = {tell(state.v[4], 3)} "
            f"and J = {tell(state.v[5], 4)}. Backwards, {tell(first, 3)} arrives at t by way of sin t and "
            f"{tell(second, 3)} by way of 3t; they add up to {tell(state.bar[1], 3)}, and "
            f"dJ/dx = {tell(state.bar[0], 4)}."
        )

    @invariant("the pass backwards gives the derivative of the formula")
    def _is_the_derivative(self, state):
        return np.isclose(state.bar[0], state.closed)

    @invariant("what arrives at t adds up to its derivative")
    def _adds(self, state):
        return np.isclose(sum(self._arriving(state)), state.bar[1])


# --- two neurons that can be exchanged ---


class TwoNeurons(Explorer):
    """The loss of σ(x − w₁) + σ(x − w₂): a point, its mirror image, and the way between."""

    height = 400
    activation = Pick("σ", "activation", ("sigmoid", "ReLU", "step"))
    w1 = Slider("w₁", "first neuron", -5.0, 5.0, -3.0, step=0.5)
    w2 = Slider("w₂", "second neuron", -5.0, 5.0, 2.0, step=0.5)

    def prepare(self):
        self.data = {name: backprop.neuron_data(name, np.random.default_rng(0)) for name in self.activation.options}
        self.grid = np.linspace(-5.5, 5.5, 90)
        across, up = np.meshgrid(self.grid, self.grid)
        self.maps = {name: np.sqrt(self._mean(name, across, up)) for name in self.data}
        self.share = np.linspace(0, 1, 101)

    def _mean(self, name, w1, w2):
        x, y = self.data[name]
        return backprop.two_neurons(w1, w2, x, y, name) / len(x)

    def compute(self, activation, w1, w2):
        along = self._mean(activation, w1 + (w2 - w1) * self.share, w2 + (w1 - w2) * self.share)
        return SimpleNamespace(name=activation, w=(w1, w2), along=along, here=along[0], there=along[-1], mid=along[50])

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.1, 1))
        style.headline(figure, "Exchange the neurons: the same loss, and on the way between a hill")
        left.set_xlim(-5.5, 5.5)
        left.set_ylim(-5.5, 5.5)
        left.set_aspect("equal")
        left.grid(visible=False)
        left.set_xlabel("w₁")
        left.set_ylabel("w₂")
        left.set_title("root of the mean squared error", fontweight="normal")
        levels = {
            "sigmoid": np.linspace(0.1, 1, 14),
            "ReLU": np.linspace(0.1, 8, 22),
            "step": np.linspace(0.1, 1.1, 10),
        }
        self.contours = {
            name: self.moving(
                left.contour(self.grid, self.grid, self.maps[name], levels[name], cmap="Greys_r", linewidths=1)
            )
            for name in self.data
        }
        left.plot([-5.5, 5.5], [-5.5, 5.5], color=style.TRUTH, linewidth=1, linestyle=":")
        (self.way,) = left.plot([], [], color=style.ERROR, linestyle="--")
        (self.point,) = left.plot([], [], "o", color=style.MODEL, markersize=8)
        (self.mirror,) = left.plot([], [], "s", color=style.SECOND, markersize=7)
        (self.middle,) = left.plot([], [], "X", color=style.ERROR, markersize=9)
        right.set_xlim(0, 1)
        right.set_ylim(-0.05, 1.05)
        right.set_xticks([0, 0.5, 1], ["(w₁, w₂)", "midpoint", "(w₂, w₁)"])
        right.set_yticks([0, 1], ["0", "largest\non the way"])
        right.set_title("mean squared error on the way", fontweight="normal")
        (self.profile,) = right.plot([], [], color=style.ERROR, linestyle="--")
        (self.ends,) = right.plot([], [], "o", color=style.MODEL, markersize=8)
        (self.top,) = right.plot([], [], "X", color=style.ERROR, markersize=9)
        self.readout = right.text(0.5, 0.05, "", transform=right.transAxes, ha="center", bbox=WHITE)
        artists = (self.way, self.point, self.mirror, self.middle, self.profile, self.ends, self.top, self.readout)
        for artist in artists:
            self.moving(artist)

    def update(self, state):
        for name, contours in self.contours.items():
            contours.set_visible(name == state.name)
        w1, w2 = state.w
        self.way.set_data([w1, w2], [w2, w1])
        self.point.set_data([w1], [w2])
        self.mirror.set_data([w2], [w1])
        self.middle.set_data([(w1 + w2) / 2], [(w1 + w2) / 2])
        scale = state.along.max()
        self.profile.set_data(self.share, state.along / scale)
        self.ends.set_data([0, 1], [state.here / scale, state.there / scale])
        self.top.set_data([0.5], [state.mid / scale])
        self.readout.set_text(f"ends {state.here:.3g}, midpoint {state.mid:.3g}")

    def describe(self, state):
        compared = "more than" if state.mid > state.here * (1 + 1e-9) else "not more than"
        return (
            f"With {state.name} neurons at w = ({tell(state.w[0], 1)}, {tell(state.w[1], 1)}) the mean squared error "
            f"is {state.here:.3g}, and the same with the neurons exchanged. At the midpoint it is {state.mid:.3g}, "
            f"{compared} at the ends."
        )

    @invariant("exchanging the neurons changes nothing")
    def _mirror(self, state):
        return np.isclose(state.here, state.there)

    @invariant("the way back is the way there")
    def _palindrome(self, state):
        return np.allclose(state.along, state.along[::-1])


# --- depth ---


class Depth(Explorer):
    """The length of Δ_l in every layer of a deep net, against the bound."""

    height = 380
    L = Slider("L", "layers of weights", 2, 30, 20, step=1)
    activation = Pick("σ", "activation", ("sigmoid", "tanh", "ReLU"))
    gain = Slider("g", "scale of the weights", 0.5, 4.0, 1.0, step=0.1)

    width, n = 30, 20

    def prepare(self):
        rng = np.random.default_rng(0)
        self.base = rng.normal(size=(int(self.L.high), self.width, self.width)) / np.sqrt(self.width)
        self.norms = np.linalg.norm(self.base, 2, axis=(1, 2))
        self.X = rng.normal(size=(self.n, self.width))
        self.noise = rng.normal(size=(self.n, self.width))

    def compute(self, L, activation, gain):
        """The output layer gets unit weights in all cases, and an error of length 1 for each point."""
        Ws = [*(gain * self.base[: L - 1]), self.base[-1]]
        bs = [np.zeros(self.width)] * L
        layers = backprop.forward(Ws, bs, self.X, activation)
        errors = backprop.deltas(Ws, layers, layers[-1] - self.noise, activation)
        lengths = np.array([np.linalg.norm(error) for error in errors])
        norms = np.append(gain * self.norms[1 : L - 1], self.norms[-1])
        bound = np.append(np.cumprod(norms[::-1] / 4)[::-1], 1.0)
        share = np.maximum(lengths / lengths[-1], 1e-30)
        return SimpleNamespace(L=L, name=activation, gain=gain, share=share, bound=bound)

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_yscale("log")
        axes.set_ylim(1e-22, 1e16)
        axes.set_yticks([1e-20, 1e-15, 1e-10, 1e-5, 1, 1e5, 1e10, 1e15])
        axes.set_xlabel("distance from the output, in layers")
        axes.set_xlim(-0.6, 30)
        axes.set_ylabel("‖Δ‖, as a share of the output's")
        axes.set_title("Every sigmoid layer takes its factor: the first layers hardly learn")
        axes.axhline(1, color=style.TRUTH, linewidth=1)
        (self.bound,) = axes.plot([], [], color=style.ERROR, linestyle="--")
        (self.line,) = axes.plot([], [], "o-", color=style.MODEL, markersize=4, linewidth=1.4)
        self.label = axes.text(0, 0, "bound for the sigmoid", color=style.ERROR, fontweight="bold", fontsize=9)
        self.readout = axes.text(0.02, 0.05, "", transform=axes.transAxes, bbox=WHITE)
        for artist in (self.bound, self.line, self.label, self.readout):
            self.moving(artist)

    def update(self, state):
        back = np.arange(len(state.share))
        self.line.set_data(back, state.share[::-1])
        self.bound.set_data(back, state.bound[::-1])
        sigmoid = state.name == "sigmoid"
        self.bound.set_visible(sigmoid)
        self.label.set_visible(sigmoid)
        self.label.set_position((back[-1] / 2, 30 * max(1.0, state.bound[0])))
        self.readout.set_text(f"first layer: {state.share[0]:.1e}, a factor {self._factor(state):.2g} a layer")

    def _factor(self, state):
        return state.share[0] ** (1 / (len(state.share) - 1))

    def describe(self, state):
        tail = f" The bound for sigmoids allows {state.bound[0]:.1e}." if state.name == "sigmoid" else ""
        return (
            f"{state.L} layers of weights with {state.name} units, weights scaled by {state.gain:.1f}: in the first "
            f"layer the back-propagated error is {state.share[0]:.1e} of the output's, a factor of "
            f"{self._factor(state):.2g} for each layer.{tail}"
        )

    @invariant("no sigmoid layer exceeds the bound")
    def _bounded(self, state):
        return state.name != "sigmoid" or np.all(state.share <= state.bound * (1 + 1e-9))


# --- when to stop ---

ETA = 0.002  # for the sum over a batch of four
EVERY = 10  # steps between two looks at the validation error


@functools.cache
def _runs(lams, steps, seed=8):
    """A 1-30-1 tanh net on 16 noisy points by steps on four of them, for all λ at once.

    At every tenth step: the training errors, the validation errors, and the states. Seed 8 shows the effect clearly;
    the tests look at the seeds 10 to 19.
    """
    rng = np.random.default_rng(seed)
    (x, y), (x_new, y_new) = _noisy(rng, 16), _noisy(rng, 200)
    rng = np.random.default_rng(5)
    lam = np.array(lams)[:, None, None]
    slopes = 6 * rng.choice([-1.0, 1.0], size=(30, 1))
    Ws = [slopes + 0 * lam, 0.1 * rng.normal(size=(1, 30)) + 0 * lam]
    bs = [-slopes[:, 0] * rng.uniform(-1, 1, 30) + 0 * lam[:, 0], 0 * lam[:, 0]]
    errors, fresh, states = [], [], []
    for t in range(steps + 1):
        if t % EVERY == 0:
            errors.append(backprop.loss(backprop.forward(Ws, bs, x, "tanh")[-1], y) / 16)
            fresh.append(backprop.loss(backprop.forward(Ws, bs, x_new, "tanh")[-1], y_new) / 200)
            states.append((Ws, bs))
        batch = rng.permutation(16)[:4]
        dWs, dbs = backprop.gradients(Ws, bs, x[batch], y[batch], "tanh")
        layers = [backprop.decay_step(*layer, ETA, lam / 4) for layer in zip(Ws, bs, dWs, dbs, strict=True)]
        Ws, bs = [W for W, _ in layers], [b for _, b in layers]
    return np.array(errors), np.array(fresh), states


def _noisy(rng, n):
    x = np.sort(rng.uniform(-1, 1, n))[:, None]
    return x, np.sin(3 * x) + 0.4 * rng.normal(size=(n, 1))


class Stopping(Explorer):
    """Training and validation error of a net with far too many units, and the curve where training stops."""

    height = 380
    lam = LogSlider("λ", "weight decay", 1e-3, 10**-0.5, 1e-3, step=0.5)
    patience = Slider("p", "patience, in steps", 10, 4000, 200, step=10)

    steps = 4000

    def prepare(self):
        self.x, self.y = _noisy(np.random.default_rng(8), 16)
        self.at = np.linspace(-1, 1, 200)[:, None]
        self.ts = EVERY * np.arange(self.steps // EVERY + 1)
        self.lams = tuple(self.lam.grid(6))
        self.runs = _runs(self.lams, self.steps)

    def compute(self, lam, patience):
        run = int(np.argmin(np.abs(np.array(self.lams) - lam)))
        (train, fresh), states = (errors[:, run] for errors in self.runs[:2]), self.runs[2]
        best = backprop.stop_early(fresh, patience // EVERY)
        nets = [[[layer[run] for layer in layers] for layers in states[k]] for k in (best, -1)]
        curves = [backprop.forward(Ws, bs, self.at, "tanh")[-1][:, 0] for Ws, bs in nets]
        return SimpleNamespace(
            lam=lam,
            patience=patience,
            train=train,
            fresh=fresh,
            best=best,
            step=best * EVERY,
            least=fresh.min(),
            stopped=fresh[best],
            end=fresh[-1],
            curves=curves,
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
        style.headline(figure, "With ever more steps the net learns the noise, unless something stops it")
        left.set_xlim(-1.02, 1.02)
        left.set_ylim(-1.9, 1.9)
        left.set_xlabel("x")
        left.plot(self.at, np.sin(3 * self.at), color=style.TRUTH, linestyle=":", linewidth=1.5)
        left.scatter(self.x, self.y, s=22, color=style.DATA, zorder=3)
        (self.late,) = left.plot([], [], color=style.ERROR, linestyle="--", linewidth=1.5)
        (self.early,) = left.plot([], [], color=style.MODEL)
        left.text(0.03, 0.95, "stopped", color=style.MODEL, fontweight="bold", transform=left.transAxes)
        left.text(0.03, 0.88, "after 4000 steps", color=style.ERROR, fontweight="bold", transform=left.transAxes)
        left.text(0.03, 0.81, "truth", color=style.TRUTH, fontweight="bold", transform=left.transAxes)
        right.set_xscale("log")
        right.set_xlim(EVERY, self.ts[-1])
        right.set_ylim(0, 0.7)
        right.set_xticks([10, 100, 1000], ["10", "100", "1000"])
        right.set_xlabel("steps")
        right.set_ylabel("mean squared error")
        (self.fresh,) = right.plot([], [], color=style.MODEL)
        (self.train,) = right.plot([], [], color=style.DATA, linestyle="-.", linewidth=1.5)
        (self.dot,) = right.plot([], [], "o", color=style.MODEL, markersize=8)
        self.readout = right.text(0.03, 0.97, "", transform=right.transAxes, va="top", bbox=WHITE)
        right.text(
            0.97, 0.62, "new points", color=style.MODEL, fontweight="bold", ha="right", transform=right.transAxes
        )
        right.text(
            0.97, 0.07, "training points", color=style.DATA, fontweight="bold", ha="right", transform=right.transAxes
        )
        for artist in (self.late, self.early, self.fresh, self.train, self.dot, self.readout):
            self.moving(artist)

    def update(self, state):
        for line, curve in zip((self.early, self.late), state.curves, strict=True):
            line.set_data(self.at[:, 0], curve)
        self.fresh.set_data(self.ts, state.fresh)
        self.train.set_data(self.ts, state.train)
        self.dot.set_data([self.ts[state.best]], [state.stopped])
        self.readout.set_text(f"stopped: {state.stopped:.3f} at step {state.step}\nafter 4000 steps: {state.end:.3f}")

    def describe(self, state):
        return (
            f"A net of 30 tanh units on 16 noisy points, weight decay λ = {state.lam:.2g}. With a patience of "
            f"{state.patience} steps the weights of step {state.step} are kept: mean squared error "
            f"{state.stopped:.3f} on new points. After 4000 steps it is {state.end:.3f} there and "
            f"{state.train[-1]:.3f} on the training points."
        )

    @invariant("the training error ends below where it began")
    def _learns(self, state):
        return state.train[-1] < state.train[0]

    @invariant("more patience never ends with a worse network", along="patience")
    def _patient(self, before, after):
        return after.stopped <= before.stopped

    @invariant("stopping is never better than the best step in hindsight")
    def _hindsight(self, state):
        return state.least <= state.stopped <= state.fresh[0]
