"""The figures of 27 graphical_models."""

import itertools
from types import SimpleNamespace

import numpy as np

from mlcore import graphical_models as gm
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style

NODES = "hfags"
WORDS = {
    "h": "core too hot",
    "f": "gauge faulty",
    "a": "alarm faulty",
    "g": "gauge reads high",
    "s": "alarm sounds",
}
PLACES = {"h": (0.0, 2.0), "f": (2.0, 2.0), "g": (1.0, 1.0), "a": (3.0, 1.0), "s": (2.0, 0.0)}
ARROWS = (("h", "g"), ("f", "g"), ("g", "s"), ("a", "s"))

PAIRS = ("ab", "bc", "ad", "cd", "df", "cf", "de")  # the undirected graph of the notebook


def beliefs(factors, evidence):
    """P(v = 1 | evidence) for every variable v that is not observed, by elimination."""
    hidden = [v for v in NODES if v not in evidence]
    return {
        v: gm.posterior(factors, v, evidence, "".join(u for u in "agfhs" if u in hidden and u != v))[1] for v in hidden
    }


def square():
    """The edges of the undirected graph on a, …, f: shape (6, 6)."""
    edges = np.zeros((6, 6), dtype=int)
    for pair in PAIRS:
        i, j = map("abcdef".index, pair)
        edges[i, j] = edges[j, i] = 1
    return edges


def _network(axes, size=2500):
    """The five nodes, their arrows and their words."""
    axes.set_xlim(-0.75, 3.75)
    axes.set_ylim(-0.55, 2.5)
    axes.axis("off")
    for tail, head in ARROWS:
        (x0, y0), (x1, y1) = PLACES[tail], PLACES[head]
        arrow = {"arrowstyle": "-|>", "color": style.DATA, "shrinkA": 25, "shrinkB": 25, "linewidth": 1.4}
        axes.annotate("", (x1, y1), (x0, y0), arrowprops=arrow)
    for v, (x, y) in PLACES.items():
        axes.scatter([x], [y], s=size, facecolor="white", edgecolor=style.DATA, linewidth=1.4, zorder=3)
        first, second = WORDS[v].split(" ", 1)
        axes.text(x, y, f"$\\mathbf{{{v}}}$\n{first}\n{second}", ha="center", va="center", fontsize=7.5, zorder=4)


class Alarm(Explorer):
    """Five yes-or-no variables, and what three pieces of news do to the belief in a hot core."""

    height = 330
    news: tuple[tuple[str, dict], ...] = (
        ("no news", {}),
        ("the alarm sounds", {"s": 1}),
        ("the alarm sounds, the gauge reads high", {"s": 1, "g": 1}),
        ("the alarm sounds, the gauge is faulty", {"s": 1, "f": 1}),
    )

    def compute(self):
        factors = gm.alarm()
        return SimpleNamespace(
            hot=[beliefs(factors, evidence)["h"] for _, evidence in self.news],
            sounds=gm.product(factors, "s")[1],
        )

    def draw(self, figure):
        state = self.compute()
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
        _network(left)
        right.set_xlim(0, 0.78)
        right.set_ylim(3.7, -0.75)
        right.set_xticks([0, 0.2, 0.4, 0.6])
        right.set_yticks([])
        right.set_xlabel("belief that the core is too hot")
        right.grid(axis="y", visible=False)
        for i, ((label, _), p) in enumerate(zip(self.news, state.hot, strict=True)):
            colour = style.ERROR if i == 3 else style.MODEL
            right.barh(i + 0.12, p, color=colour, height=0.42, hatch="//" if i == 3 else "", edgecolor="white")
            right.text(0.004, i - 0.26, label, fontsize=9.5)
            right.text(p + 0.01, i + 0.12, f"{p:.4f}", va="center", fontweight="bold", color=colour)
        style.headline(figure, "The alarm makes a hot core likely, and a faulty gauge takes this back")

    def describe(self, state):
        told = ", ".join(f"{label} {p:.4f}" for (label, _), p in zip(self.news, state.hot, strict=True))
        return (
            "A network of five variables: core too hot and gauge faulty point to gauge reads high; gauge reads high "
            f"and alarm faulty point to alarm sounds. Belief that the core is too hot: {told}."
        )

    @invariant("the alarm raises the belief, and a faulty gauge takes all of it back")
    def _explained_away(self, state):
        return state.hot[1] > state.hot[0] and np.isclose(state.hot[3], state.hot[0])


class Beliefs(Explorer):
    """What the alarm tells about every hidden variable."""

    height = 360
    hot = Slider("p(h)", "core too hot, before any news", 0.01, 0.5, 0.1, step=0.01)
    reliable = Slider("r", "a sound gauge is right", 0.5, 1.0, 0.95, step=0.01)
    news = Pick("", "we know", ("the alarm sounds", "it sounds, gauge faulty", "nothing"))

    evidence = {"nothing": {}, "the alarm sounds": {"s": 1}, "it sounds, gauge faulty": {"s": 1, "f": 1}}  # noqa: RUF012

    def compute(self, hot, reliable, news):
        factors = gm.alarm(hot, reliable)
        evidence = self.evidence[news]
        joint = gm.product(gm.observe(factors, evidence), "".join(v for v in NODES if v not in evidence))
        return SimpleNamespace(
            hot=hot,
            reliable=reliable,
            news=news,
            before=beliefs(factors, {}),
            after=beliefs(factors, evidence) | {v: float(value) for v, value in evidence.items()},
            chance=joint.sum(),
            by_table=joint[1].sum() / joint.sum(),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(0, 1.12)
        axes.set_ylim(4.6, -1.1)
        axes.set_xticks(np.linspace(0, 1, 6))
        axes.set_yticks(range(5), [f"{v}  {WORDS[v]}" for v in NODES])
        axes.tick_params(axis="y", length=0, labelcolor="#333333")
        axes.set_xlabel("probability")
        axes.grid(axis="y", visible=False)
        axes.set_title("The better the gauge, the more the alarm says about the core")
        colours = [style.MODEL, style.SECOND, style.SECOND, style.TRUTH, style.TRUTH]
        self.bars = axes.barh(range(5), np.zeros(5), color=colours, height=0.5)
        (self.ticks,) = axes.plot([], [], "|", color="black", markersize=22, markeredgewidth=2)
        self.numbers = [axes.text(0, i, "", va="center", fontweight="bold") for i in range(5)]
        axes.text(0.0, -0.72, "bars: what we believe now     | before any news", color=style.DATA)
        for artist in (*self.bars, self.ticks, *self.numbers):
            self.moving(artist)

    def update(self, state):
        for i, (v, bar, number) in enumerate(zip(NODES, self.bars, self.numbers, strict=True)):
            bar.set_width(state.after[v])
            number.set_text("known" if v in self.evidence[state.news] else f"{state.after[v]:.3f}")
            number.set_position((max(state.after[v], state.before[v]) + 0.015, i))
        self.ticks.set_data([state.before[v] for v in NODES], range(5))

    def describe(self, state):
        known = self.evidence[state.news]
        told = ", ".join(
            f"{WORDS[v]} {state.after[v]:.3f} (before {state.before[v]:.3f})" for v in NODES if v not in known
        )
        return (
            f"A core that is too hot with probability {state.hot:.2f}, and a gauge that is right with probability "
            f"{state.reliable:.2f}. We know: {state.news}. Beliefs: {told}."
        )

    @invariant("elimination gives what the sum over the whole table gives")
    def _same(self, state):
        return np.isclose(state.after["h"], state.by_table)

    @invariant("with a faulty gauge the alarm says nothing about the core")
    def _silent(self, state):
        return state.news != "it sounds, gauge faulty" or np.isclose(state.after["h"], state.hot)

    @invariant("the alarm tells more through a better gauge", along="reliable")
    def _more(self, before, after):
        return after.after["h"] >= before.after["h"] - 1e-12

    @invariant("who believed it more before believes it more afterwards", along="hot")
    def _keeps_order(self, before, after):
        return after.after["h"] > before.after["h"]

    @invariant("an alarm never makes a hot core less likely than it was")
    def _raises(self, state):
        return state.after["h"] >= state.hot - 1e-12


class Orders(Explorer):
    """Eliminating the six variables of an undirected graph, in three orders."""

    height = 390
    order = Pick("", "order", ("d first", "c first", "smallest table first"))
    t = Slider("", "variables eliminated", 0, 6, 1, step=1, play=True)
    k = Slider("k", "values of every variable", 2, 10, 2, step=1)

    places = np.array([[0, 1], [0, 2], [1.1, 2], [1.1, 1], [0.5, 0], [2.1, 1.5]])

    def prepare(self):
        self.edges = square()
        greedy = "".join("abcdef"[v] for v in gm.greedy_order(self.edges, np.full(6, 2)))
        self.orders = {"d first": "dcafbe", "c first": "ceabdf", "smallest table first": greedy}
        rng = np.random.default_rng(0)
        scopes = [*PAIRS[:3], "cdf", "de"]
        self.factors = [(scope, rng.uniform(0.5, 2, size=(2,) * len(scope))) for scope in scopes]
        self.Z = gm.product(self.factors, "")

    def compute(self, order, t, k):
        letters, t, k = self.orders[order], int(t), int(k)
        numbers = ["abcdef".index(v) for v in letters]
        steps = list(gm.eliminate(self.factors, letters))
        joined = {frozenset(pair) for pair in PAIRS}
        gone: set[str] = set()
        for step in steps[:t]:
            gone.add(step.variable)
            joined |= {frozenset(pair) for pair in itertools.combinations(step.scope, 2)}
        return SimpleNamespace(
            order=order,
            letters=letters,
            t=t,
            k=k,
            sizes=gm.table_sizes(self.edges, numbers, np.full(6, k)),
            scopes=[step.scope for step in steps],
            joined=joined,
            gone=gone,
            Z=np.prod([table for _, table in steps[-1].factors]),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.2))
        left.set_xlim(-0.45, 2.6)
        left.set_ylim(-0.6, 2.55)
        left.axis("off")
        (self.given,) = left.plot([], [], color=style.DATA, linewidth=1.5)
        (self.fill,) = left.plot([], [], "--", color=style.ERROR, linewidth=1.8)
        self.moving(self.given)
        self.moving(self.fill)
        self.nodes = [
            self.moving(left.plot(*at, "o", markersize=25, markeredgewidth=1.6, color="white")[0]) for at in self.places
        ]
        for v, at in zip("abcdef", self.places, strict=True):
            self.moving(left.plot(*at, marker=f"$\\mathbf{{{v}}}$", markersize=9, markeredgewidth=0, color="black")[0])
        self.caption = self.moving(left.text(-0.4, -0.55, ""))
        right.set_yscale("log")
        right.set_xlim(-0.6, 5.6)
        right.set_ylim(1, 4e6)
        right.set_xticks(range(6), range(1, 7))
        right.set_xlabel("step")
        right.set_ylabel("entries of the table")
        right.grid(axis="x", visible=False)
        self.bars = right.bar(range(6), np.ones(6), color=style.MODEL, width=0.62)
        self.readout = self.moving(right.text(0.98, 0.97, "", transform=right.transAxes, ha="right", va="top"))
        for bar in self.bars:
            self.moving(bar)
        style.headline(figure, "Every elimination joins the neighbours, and the order decides how many there are")

    def update(self, state):
        now = set(state.scopes[state.t - 1]) if state.t else set()
        shown = [pair for pair in state.joined if pair <= now or not pair & state.gone]
        original = {frozenset(pair) for pair in PAIRS}
        self.given.set_data(*self._segments(pair for pair in shown if pair in original))
        self.fill.set_data(*self._segments(pair for pair in shown if pair not in original))
        for v, node in zip("abcdef", self.nodes, strict=True):
            last = bool(state.t) and v == state.letters[state.t - 1]
            node.set_markerfacecolor("#7fb8dc" if last else "#d6e8f4" if v in now else "white")
            node.set_markeredgecolor("#cccccc" if v in state.gone and not last else style.DATA)
        if state.t:
            others = ", ".join(sorted(now - {state.letters[state.t - 1]})) or "nothing else"
            self.caption.set_text(f"sum over {state.letters[state.t - 1]}; its table also holds {others}")
        else:
            self.caption.set_text("nothing eliminated yet")
        top = state.sizes.max()
        for i, bar in enumerate(self.bars):
            bar.set_height(state.sizes[i])
            bar.set_color(style.ERROR if state.sizes[i] == top else style.MODEL)
            bar.set_alpha(1.0 if i < state.t else 0.3)
        self.readout.set_text(
            f"order {', '.join(state.letters)}\nlargest table {top:,} entries\nall six at once {state.k**6:,}"
        )

    def _segments(self, pairs):
        """The lines between the nodes of each pair, as one curve with gaps."""
        at = [[*self.places[["abcdef".index(v) for v in sorted(pair)]], (np.nan, np.nan)] for pair in pairs]
        return np.reshape(at, (-1, 2)).T

    def describe(self, state):
        steps = ", ".join(f"{v} {size}" for v, size in zip(state.letters, state.sizes, strict=True))
        return (
            f"Order {', '.join(state.letters)} ({state.order}), {state.t} eliminated, {state.k} values each. Entries "
            f"of the tables: {steps}; the largest has {state.sizes.max()}, the table of all six {state.k**6}."
        )

    @invariant("every order gives the same Z")
    def _same_Z(self, state):
        return np.isclose(state.Z, self.Z)

    @invariant("the sizes counted on the graph are those of the tables that were made")
    def _counted(self, state):
        return np.array_equal(state.sizes, [state.k ** len(scope) for scope in state.scopes])

    @invariant("no order gets by with less than three variables in a table")
    def _at_least(self, state):
        return state.sizes.max() >= state.k**3

    @invariant("tables grow with k", along="k")
    def _grow(self, before, after):
        return np.all(after.sizes >= before.sizes)


class Digits(Explorer):
    """Naive Bayes on handwritten digits: what it has learnt about every pixel, and how often it is right."""

    height = 380
    alpha = LogSlider("α", "smoothing", 1e-9, 1e3, 1.0)
    n = Slider("n", "digits to learn from", 50, 1000, 100, step=50)

    def prepare(self):
        data = load("digits")
        self.X, self.y = (data.X > 7).astype(float), data.y.astype(int)
        self.X_test, self.y_test = self.X[1000:], self.y[1000:]
        self.alphas = np.geomspace(self.alpha.low, self.alpha.high, 25)
        self.curves = {}

    def _right(self, alpha, n):
        pi, theta = gm.naive_bayes(self.X[:n], self.y[:n], alpha)
        return np.mean(gm.log_joint(self.X_test, pi, theta).argmax(axis=1) == self.y_test)

    def compute(self, alpha, n):
        n = int(n)
        if n not in self.curves:
            self.curves[n] = [self._right(a, n) for a in self.alphas]
        pi, theta = gm.naive_bayes(self.X[:n], self.y[:n], alpha)
        log_p = gm.log_posterior(self.X_test, pi, theta)
        return SimpleNamespace(
            alpha=alpha,
            n=n,
            theta=theta,
            log_p=log_p,
            right=np.mean(log_p.argmax(axis=1) == self.y_test),
            claimed=np.mean(np.exp(log_p.max(axis=1))),
            curve=self.curves[n],
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        left.axis("off")
        self.image = self.moving(left.imshow(self._mosaic(np.zeros((10, 64))), cmap="Greys", vmin=0, vmax=1))
        for c in range(10):
            left.text(9 * (c % 5), 10 * (c // 5) + 0.9, str(c), fontsize=9, color=style.DATA)
        left.set_title("θ: probability of ink in each pixel", fontweight="normal", fontsize=10)
        right.set_xscale("log")
        right.set_xlim(self.alpha.low, self.alpha.high)
        right.set_xticks(np.geomspace(self.alpha.low, self.alpha.high, 5))
        right.set_ylim(0, 1.05)
        right.set_xlabel("α, smoothing")
        (self.curve,) = right.plot([], [], color=style.MODEL)
        (self.dot,) = right.plot([], [], "o", color=style.MODEL, markersize=8)
        (self.claim,) = right.plot([], [], "D", color=style.ERROR, markersize=7)
        self.readout = right.text(0.04, 0.05, "", transform=right.transAxes, va="bottom")
        for artist in (self.curve, self.dot, self.claim, self.readout):
            self.moving(artist)
        style.headline(figure, "Counted pixel by pixel, most digits are recognised; smoothing tempers the claims")

    def update(self, state):
        self.image.set_data(self._mosaic(state.theta))
        self.curve.set_data(self.alphas, state.curve)
        self.dot.set_data([state.alpha], [state.right])
        self.claim.set_data([state.alpha], [state.claimed])
        self.readout.set_text(f"● right on new digits {state.right:.3f}\n◆ mean of its own claim {state.claimed:.3f}")

    def _mosaic(self, theta):
        """The pixels of the ten digits in two rows, masked where there is no digit."""
        mosaic = np.ma.masked_array(np.zeros((20, 44)), mask=True)
        for c, pixels in enumerate(theta):
            row, column = 10 * (c // 5) + 2, 9 * (c % 5)
            mosaic[row : row + 8, column : column + 8] = pixels.reshape(8, 8)
        return mosaic

    def describe(self, state):
        return (
            f"Naive Bayes learnt from {state.n} digits with α = {state.alpha:.3g}: right on {state.right:.3f} of 797 "
            f"new digits, while the mean probability that it gives to its own answer is {state.claimed:.3f}. The pixel "
            f"probabilities lie between {state.theta.min():.2g} and {state.theta.max():.4g}."
        )

    @invariant("posteriors add up to 1")
    def _adds_up(self, state):
        return np.allclose(np.exp(state.log_p).sum(axis=1), 1)

    @invariant("smoothing keeps every probability away from 0 and 1")
    def _inside(self, state):
        return state.theta.min() > 0 and state.theta.max() < 1

    @invariant("more smoothing brings every probability closer to one half", along="alpha")
    def _closer(self, before, after):
        return np.all(np.abs(after.theta - 0.5) <= np.abs(before.theta - 0.5) + 1e-12)
