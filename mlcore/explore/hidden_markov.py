"""The figures of 28 hidden_markov."""

from itertools import islice
from types import SimpleNamespace

import numpy as np

from mlcore import hidden_markov as hm
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style

ADDRESS = """
Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in Liberty, and
dedicated to the proposition that all men are created equal. Now we are engaged in a great civil war, testing whether
that nation, or any nation so conceived and so dedicated, can long endure. We are met on a great battle-field of that
war. We have come to dedicate a portion of that field, as a final resting place for those who here gave their lives
that that nation might live. It is altogether fitting and proper that we should do this. But, in a larger sense, we
can not dedicate -- we can not consecrate -- we can not hallow -- this ground. The brave men, living and dead, who
struggled here, have consecrated it, far above our poor power to add or detract. The world will little note, nor long
remember what we say here, but it can never forget what they did here. It is for us the living, rather, to be
dedicated here to the unfinished work which they who fought here have thus far so nobly advanced. It is rather for us
to be here dedicated to the great task remaining before us -- that from these honored dead we take increased devotion
to that cause for which they gave the last full measure of devotion -- that we here highly resolve that these dead
shall not have died in vain -- that this nation, under God, shall have a new birth of freedom -- and that government
of the people, by the people, for the people, shall not perish from the earth.
"""  # A. Lincoln, 1863

STAY, SIX = 0.95, 0.5


def letters():
    """The letters of the address as numbers, a = 0."""
    return np.array([ord(x) - ord("a") for x in ADDRESS.lower() if x.isalpha()])


def dice(six=SIX):
    """B of the casino: a fair die, and one that shows six with probability `six` and the others equally often."""
    return np.array([np.full(6, 1 / 6), [*np.full(5, (1 - six) / 5), six]])


def switching(stay):
    """A for two states that are kept with probability `stay`."""
    return np.array([[stay, 1 - stay], [1 - stay, stay]])


HALF = np.array([0.5, 0.5])


def _night(T=150):
    """The dice of one night, and the numbers from which the rolls are made."""
    rng = np.random.default_rng(5)
    return hm.sample(T, HALF, switching(STAY), dice(), rng)[0], rng.random(T)


def _rolls(q, luck, six):
    """The rolls of the dice q, by where luck falls: more sixes as `six` grows, with the same luck."""
    return 5 - np.sum(luck[:, None] > dice(six)[q, ::-1].cumsum(axis=1)[:, :-1], axis=1)


class Casino(Explorer):
    """150 rolls of a die that is sometimes exchanged."""

    height = 300
    width = 15

    def prepare(self):
        self.q, luck = _night()
        self.o = _rolls(self.q, luck, SIX)

    def compute(self):
        window = np.convolve(self.o == 5, np.ones(self.width) / self.width, mode="valid")
        return SimpleNamespace(o=self.o, window=window, sixes=np.mean(self.o == 5))

    def draw(self, figure):
        state = self.compute()
        T = len(self.o)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(1.2, 1))
        six = state.o == 5
        at = np.arange(1, T + 1)
        top.plot(at[~six], state.o[~six] + 1, ".", color=style.TRUTH, markersize=5)
        top.plot(at[six], state.o[six] + 1, "s", color=style.MODEL, markersize=4)
        top.set_yticks(range(1, 7))
        top.set_ylabel("roll")
        top.set_ylim(0.4, 6.6)
        middle = np.arange(len(state.window)) + 1 + self.width // 2
        bottom.plot(middle, state.window, color=style.MODEL)
        bottom.plot([0, T], [1 / 6, 1 / 6], color=style.TRUTH, linestyle="--", linewidth=1.2)
        bottom.text(T + 1, 1 / 6, "fair", color=style.TRUTH, va="center")
        bottom.set_ylim(0, 0.85)
        bottom.set_ylabel(f"sixes in {self.width}")
        bottom.set_xlabel("t")
        bottom.set_xlim(0, T + 9)
        top.set_title("Sixes come in bunches: sometimes another die is on the table")

    def describe(self, state):
        return (
            f"{len(state.o)} rolls of a die; {np.sum(state.o == 5)} are sixes, a share of {state.sixes:.2f}. In "
            f"windows of {self.width} rolls the share of sixes lies between {state.window.min():.2f} and "
            f"{state.window.max():.2f}; a fair die has 0.17."
        )

    @invariant("the share of sixes wanders far above that of a fair die")
    def _bunches(self, state):
        return state.window.max() > 0.5 > 0.2 > state.window.min()


class Decoder(Explorer):
    """What the rolls say about the die, roll by roll and as a whole."""

    height = 400
    stay = Slider("a", "the die is kept", 0.5, 0.99, 0.95, step=0.01)
    six = Slider("s", "the loaded die shows six", 0.17, 0.9, 0.5, step=0.01)

    def prepare(self):
        self.q, self.luck = _night()

    def compute(self, stay, six):
        o = _rolls(self.q, self.luck, six)
        model = HALF, switching(stay), dice(six)
        gamma = hm.posteriors(o, *model)
        path, best = hm.viterbi(o, *model)
        likeliest = gamma.argmax(axis=1)
        return SimpleNamespace(
            stay=stay,
            six=six,
            o=o,
            gamma=gamma,
            path=path,
            best=best,
            others=[hm.log_joint(other, o, *model) for other in (self.q, likeliest)],
            right=[np.mean(found == self.q) for found in (likeliest, path)],
            switches=[int(np.sum(np.diff(found) != 0)) for found in (likeliest, path)],
        )

    def draw(self, figure):
        T = len(self.q)
        axes = figure.subplots()
        axes.set_xlim(0, T + 1)
        axes.set_ylim(-0.86, 1.75)
        axes.set_yticks([0, 0.5, 1])
        axes.set_xlabel("t")
        axes.set_ylabel("P(loaded | all rolls)")
        axes.set_title("Sticky dice make neighbours speak for each other")
        at = np.arange(1, T + 1)
        axes.fill_between(at, 0, self.q, step="mid", color="#e9e9e9", linewidth=0)
        axes.text(1, 1.07, "grey: the loaded die was on the table", color=style.DATA, fontsize=9)
        axes.text(1, -0.3, "most probable path, up: the loaded die", color=style.SECOND, fontsize=9, va="bottom")
        axes.text(1, 1.38, "sixes", color=style.DATA, fontsize=9, va="center")
        (self.dots,) = axes.plot([], [], "s", color=style.DATA, markersize=3)
        (self.curve,) = axes.plot([], [], color=style.MODEL)
        (self.steps,) = axes.plot([], [], color=style.SECOND, drawstyle="steps-mid", linewidth=1.8)
        self.readout = axes.text(0.99, 0.985, "", transform=axes.transAxes, ha="right", va="top")
        for artist in (self.dots, self.curve, self.steps, self.readout):
            self.moving(artist)

    def update(self, state):
        at = np.arange(1, len(state.o) + 1)
        sixes = at[state.o == 5]
        self.dots.set_data(sixes, np.full(len(sixes), 1.28))
        self.curve.set_data(at, state.gamma[:, 1])
        self.steps.set_data(at, -0.72 + 0.38 * state.path)
        self.readout.set_text(
            f"most probable states: {state.right[0]:.0%} right, {state.switches[0]} changes\n"
            f"most probable path: {state.right[1]:.0%} right, {state.switches[1]} changes"
        )

    def describe(self, state):
        return (
            f"A decoder that expects each die to be kept with probability {state.stay:.2f}, and six from the loaded "
            f"one with {state.six:.2f}. The most probable state is right for {state.right[0]:.0%} of the rolls and "
            f"changes {state.switches[0]} times; the most probable path is right for {state.right[1]:.0%} and changes "
            f"{state.switches[1]} times."
        )

    @invariant("no path that we know of is more probable than Viterbi's")
    def _best(self, state):
        return state.best >= max(state.others) - 1e-9

    @invariant("posteriors add up to 1")
    def _adds_up(self, state):
        return np.allclose(state.gamma.sum(axis=1), 1)

    @invariant("the stickier the dice, the fewer changes in the most probable path", along="stay")
    def _calmer(self, before, after):
        return after.switches[1] <= before.switches[1]


STARTS = ("random", "random too", "two equal rows")
LAST = 60  # steps of Baum–Welch


class Letters(Explorer):
    """Baum–Welch with two states on the letters of an English text."""

    height = 400
    t = Slider("", "steps", 0, LAST, LAST, step=1, play=True)
    start_at = Pick("", "first B", STARTS)

    def prepare(self):
        self.o = letters()
        self.runs = {start_at: self._run(start_at) for start_at in STARTS}

    def _run(self, start_at):
        rng = np.random.default_rng(STARTS.index(start_at))
        B = rng.uniform(0.9, 1.1, size=(2, 26))
        if start_at == "two equal rows":
            B[1] = B[0]
        A = np.array([[0.45, 0.55], [0.55, 0.45]])
        models = list(islice(hm.baum_welch(self.o, HALF, A, B / B.sum(axis=1, keepdims=True)), LAST + 1))
        if models[-1].B[0, 4] < models[-1].B[1, 4]:  # the state that speaks e comes first
            models = [hm.Model(m.pi[::-1], m.A[::-1, ::-1], m.B[::-1], m.loglik) for m in models]
        return models

    def compute(self, t, start_at):
        models = self.runs[start_at]
        model = models[int(t)]
        first = "".join(chr(ord("a") + m) for m in np.argsort(-model.B[0]) if model.B[0, m] > model.B[1, m])
        return SimpleNamespace(
            t=int(t),
            start_at=start_at,
            model=model,
            loglik=model.loglik,
            trace=[m.loglik / len(self.o) for m in models],
            first=" ".join(first) or "no letter",
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(2.1, 1))
        left.set_xlim(-0.7, 25.7)
        left.set_ylim(-0.22, 0.46)
        left.set_xticks(range(26), "abcdefghijklmnopqrstuvwxyz", fontsize=9)
        left.set_yticks([-0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4], ["0.2", "0.1", "0", "0.1", "0.2", "0.3", "0.4"])
        left.set_ylabel("state 2    probability of the letter    state 1", fontsize=9)
        left.grid(axis="x", visible=False)
        left.axhline(0, color=style.DATA, linewidth=0.8)
        (self.up,) = left.plot([], [], color=style.MODEL, linewidth=11, solid_capstyle="butt")
        (self.down,) = left.plot([], [], color=style.SECOND, linewidth=11, solid_capstyle="butt")
        self.moving(self.up)
        self.moving(self.down)
        self.caption = self.moving(left.text(0.99, 0.97, "", transform=left.transAxes, ha="right", va="top"))
        right.set_xlim(-1, LAST + 1)
        right.set_ylim(-2.84, -2.67)
        right.set_xlabel("step")
        right.set_title("log p(o) per letter", fontweight="normal", fontsize=10)
        (self.trace,) = right.plot([], [], color=style.MODEL)
        (self.dot,) = right.plot([], [], "o", color=style.MODEL)
        self.moving(self.trace)
        self.moving(self.dot)
        style.headline(figure, "Nobody said what a vowel is, and the model finds out")

    def update(self, state):
        at, gap = np.arange(26), np.full(26, np.nan)
        for bars, heights in ((self.up, state.model.B[0]), (self.down, -state.model.B[1])):
            bars.set_data(np.column_stack([at, at, gap]).ravel(), np.column_stack([0 * at, heights, gap]).ravel())
        self.trace.set_data(range(len(state.trace)), state.trace)
        self.dot.set_data([state.t], [state.trace[state.t]])
        a = state.model.A
        self.caption.set_text(
            f"more at home in state 1: {state.first}\nstate 1 is followed by state 2 in {a[0, 1]:.0%}, "
            f"state 2 by 1 in {a[1, 0]:.0%}"
        )

    def describe(self, state):
        a = state.model.A
        return (
            f"{len(self.o)} letters, two states, start {state.start_at}, step {state.t}: log p(o) per letter is "
            f"{state.loglik / len(self.o):.4f}. Letters that state 1 prefers: {state.first}. State "
            f"1 is followed by state 2 with probability {a[0, 1]:.2f}, state 2 by state 1 with {a[1, 0]:.2f}."
        )

    @invariant("log p(o) never falls from step to step", along="t")
    def _climbs(self, before, after):
        return after.loglik >= before.loglik - 1e-9 * abs(before.loglik)

    @invariant("every row of A and B adds up to 1")
    def _rows(self, state):
        return np.allclose(state.model.A.sum(axis=1), 1) and np.allclose(state.model.B.sum(axis=1), 1)

    @invariant("two equal rows stay equal")
    def _stuck(self, state):
        return state.start_at != "two equal rows" or np.allclose(state.model.B[0], state.model.B[1])


class Tracker(Explorer):
    """A Kalman filter on a random walk that is measured with noise."""

    height = 370
    ratio = LogSlider("q/r", "believed drift against believed noise", 1e-4, 1e3, 1e-4 * 10**3.2)
    noise = Slider("r", "true variance of the noise", 0.1, 2.0, 1.0, step=0.1)
    T, drift = 120, 0.16

    def prepare(self):
        rng = np.random.default_rng(8)
        self.x = np.cumsum(np.sqrt(self.drift) * rng.normal(size=self.T))
        self.normal = rng.normal(size=self.T)
        self.one = np.eye(1)

    def compute(self, ratio, noise):
        z = self.x + np.sqrt(noise) * self.normal
        r = noise
        m, P = hm.kalman(z[:, None], self.one, ratio * r * self.one, self.one, r * self.one, np.zeros(1), self.one)
        m, P = m[:, 0], P[:, 0, 0]
        return SimpleNamespace(
            ratio=ratio,
            noise=noise,
            z=z,
            m=m,
            spread=np.sqrt(P),
            gain=P[-1] / r,
            error=np.mean((m - self.x) ** 2),
            raw=np.mean((z - self.x) ** 2),
            roughness=np.sum(np.abs(np.diff(m))),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(0, self.T + 1)
        axes.set_ylim(-9.5, 11)
        axes.set_xlabel("t")
        axes.set_ylabel("position")
        axes.set_title("Who expects little drift is smooth and late, who expects much is nervous")
        at = np.arange(1, self.T + 1)
        (self.band,) = axes.fill([], [], color="#d5e6f2", linewidth=0)
        (self.dots,) = axes.plot([], [], ".", color=style.DATA, markersize=5)
        (truth,) = axes.plot(at, self.x, color=style.TRUTH, linestyle="--", linewidth=1.6)
        (self.line,) = axes.plot([], [], color=style.MODEL)
        for artist in (self.band, self.dots, truth, self.line):
            self.moving(artist)
        self.readout = self.moving(axes.text(0.015, 0.97, "", transform=axes.transAxes, va="top"))
        axes.text(0.985, 0.97, "• measured", transform=axes.transAxes, ha="right", va="top", color=style.DATA)
        axes.text(0.985, 0.9, "– – truth", transform=axes.transAxes, ha="right", va="top", color=style.TRUTH)
        axes.text(
            0.985, 0.83, "— filter, ± 2 spreads", transform=axes.transAxes, ha="right", va="top", color=style.MODEL
        )

    def update(self, state):
        at = np.arange(1, self.T + 1)
        self.dots.set_data(at, state.z)
        self.line.set_data(at, state.m)
        edge = np.concatenate([state.m + 2 * state.spread, (state.m - 2 * state.spread)[::-1]])
        self.band.set_xy(np.column_stack([np.concatenate([at, at[::-1]]), edge]))
        self.readout.set_text(
            f"gain at the end {state.gain:.3f}\nmean squared error {state.error:.3f}, of the measurements "
            f"{state.raw:.3f}"
        )

    def describe(self, state):
        return (
            f"{self.T} measurements of a random walk with noise of variance {state.noise:.1f}. The filter believes "
            f"q/r = {state.ratio:.3g}, and its gain at the end is {state.gain:.3f}. Its mean squared error is "
            f"{state.error:.3f}, that of the measurements themselves {state.raw:.3f}."
        )

    @invariant("the gain lies between 0 and 1, and comes near where the formula says that it settles")
    def _gain(self, state):
        return 0 < state.gain < 1 and abs(state.gain - hm.steady_gain(state.ratio, 1.0)) < 0.003

    @invariant("who expects more drift listens more to each measurement", along="ratio")
    def _listens(self, before, after):
        return after.gain >= before.gain

    @invariant("who expects more drift moves more", along="ratio")
    def _rougher(self, before, after):
        return after.roughness >= before.roughness * (1 - 1e-6)
