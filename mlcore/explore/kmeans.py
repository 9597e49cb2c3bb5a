"""The figures of 21 kmeans."""

import functools
import itertools
from types import SimpleNamespace

import numpy as np

from mlcore import kmeans
from mlcore.engine.explorers import Explorer, Slider, invariant, style, tell

LOOKS = [(c, m) for m in "os^D" for c in (style.MODEL, style.ERROR, style.REFERENCE, style.SECOND)]
STARTS = 30


@functools.cache
def houses():
    """240 houses in five villages, in km: shape (240, 2)."""
    rng = np.random.default_rng(21)
    middles = [[1.5, 1.6], [2.6, 7.2], [5.2, 4.6], [8.2, 7.4], [8.0, 1.8]]
    villages = zip(middles, (70, 50, 40, 45, 35), (0.75, 0.7, 0.55, 0.65, 0.6), strict=True)
    return np.concatenate([middle + spread * rng.normal(size=(n, 2)) for middle, n, spread in villages]).round(2)


@functools.cache
def run(K, start):
    """The half steps of Lloyd's algorithm on the houses, from the first centres number `start`, with their J."""
    X = houses()
    states = list(kmeans.lloyd(X, kmeans.random_points(X, K, np.random.default_rng([K, start]))))
    return states, [float(kmeans.objective(X, s.z, s.C)) for s in states]


@functools.cache
def ends(K):
    """J at the end of each start, shape (30,), and which of the first 1, 2, … starts is the best."""
    J = np.array([run(K, start)[1][-1] for start in range(STARTS)])
    return J, [int(np.argmin(J[: r + 1])) for r in range(STARTS)]


@functools.cache
def mean_silhouette(K, start):
    """The mean of s over the houses; 0 for one group."""
    return float(kmeans.silhouette(houses(), run(K, start)[0][-1].z).mean()) if K > 1 else 0.0


def _map(axes):
    axes.set_xlim(-0.4, 10.2)
    axes.set_ylim(-0.9, 9.4)
    axes.set_aspect("equal")
    axes.set_xlabel("km to the east")
    axes.set_ylabel("km to the north")


class Groups:
    """Points in up to sixteen looks, each group with the number of its centre."""

    def __init__(self, explorer, axes, most, size=3.5):
        self.dots, self.names = [], []
        for k in range(most):
            colour, marker = LOOKS[k]
            dots = axes.plot([], [], marker, color=colour, markersize=size, alpha=0.6, markeredgewidth=0)[0]
            name = axes.text(0, 0, str(k + 1), color="white", fontweight="bold", ha="center", va="center", fontsize=9)
            name.set_bbox({"boxstyle": "circle,pad=0.25", "facecolor": colour, "edgecolor": "white"})
            self.dots.append(explorer.moving(dots))
            self.names.append(explorer.moving(name))

    def show(self, X, z, C):
        for k, (dots, name) in enumerate(zip(self.dots, self.names, strict=True)):
            dots.set_data(*X[z == k].T)
            name.set_visible(k < len(C))
            if k < len(C):
                name.set_position(C[k])


class TwoAnswers(Explorer):
    """The same houses, the same algorithm, two starts."""

    height = 400
    starts = (1, 0)

    def compute(self):
        runs = [run(5, start) for start in self.starts]
        return SimpleNamespace(last=[states[-1] for states, _ in runs], J=[J[-1] for _, J in runs])

    def draw(self, figure):
        self.groups = []
        for axes, J in zip(figure.subplots(1, 2, sharey=True), self.compute().J, strict=True):
            _map(axes)
            axes.set_title(f"sum of squares {J:.0f} km²", fontweight="normal")
            self.groups.append(Groups(self, axes, 5))
        figure.axes[1].set_ylabel("")
        style.headline(figure, "Nobody can improve either answer by a small step, and one is far better")

    def update(self, state):
        for groups, last in zip(self.groups, state.last, strict=True):
            groups.show(houses(), last.z, last.C)

    def describe(self, state):
        sizes = [", ".join(map(str, np.bincount(s.z, minlength=5))) for s in state.last]
        return (
            f"240 houses in five villages, sorted into five groups twice. On the left the groups are the villages, "
            f"with {sizes[0]} houses, and the squared distances to the centres add up to {state.J[0]:.0f} km². On the "
            f"right, from other first centres, one village is cut in two and two share a centre: {sizes[1]} houses, "
            f"{state.J[1]:.0f} km²."
        )

    @invariant("in both answers every house is with its nearest centre, and every centre is the mean of its houses")
    def _settled(self, state):
        X = houses()
        return all(
            np.array_equal(kmeans.assign(X, s.C), s.z) and np.allclose(kmeans.refit(X, s.z, s.C), s.C)
            for s in state.last
        )


class Lloyd(Explorer):
    """Lloyd's algorithm on the houses, half step by half step."""

    height = 430
    t = Slider("t", "half steps", 0, 40, 3, step=1, play=True)
    K = Slider("K", "groups", 1, 8, 5, step=1)
    first = Slider("", "start number", 0, STARTS - 1, 3, step=1)

    def compute(self, t, K, first):
        states, J = run(int(K), int(first))
        now = min(int(t), len(states) - 1)
        return SimpleNamespace(
            t=int(t),
            K=int(K),
            first=int(first),
            now=now,
            z=states[now].z,
            C=states[now].C,
            J=J,
            value=J[now],
            done=int(t) >= len(states) - 1,
            sizes=np.bincount(states[now].z, minlength=int(K)),
        )

    def draw(self, figure):
        cloud, fall = figure.subplots(1, 2, width_ratios=(1.25, 1))
        _map(cloud)
        self.groups = Groups(self, cloud, 8)
        cloud.set_title("Points choose centres, centres follow")
        fall.set_title("No half step raises J")
        fall.set_xlim(-1.2, 41.5)
        fall.set_yscale("log")
        fall.set_ylim(100, 12000)
        fall.set_yticks([100, 1000, 10000], ["100", "1000", "10000"])
        fall.set_xlabel("half step t")
        fall.set_ylabel("J in km²")
        self.line = self.moving(fall.plot([], [], color="#b5b5b5", linewidth=1.4)[0])
        self.assigned = self.moving(fall.plot([], [], "o", color=style.MODEL, markersize=5)[0])
        self.refitted = self.moving(fall.plot([], [], "s", color=style.ERROR, markersize=5)[0])
        self.ring = self.moving(fall.plot([], [], "o", color=style.DATA, markersize=11, fillstyle="none")[0])
        fall.text(
            0.97, 0.95, "● after an assignment", color=style.MODEL, transform=fall.transAxes, ha="right", va="top"
        )
        fall.text(0.97, 0.88, "■ after a refit", color=style.ERROR, transform=fall.transAxes, ha="right", va="top")
        self.readout = self.moving(fall.text(0.97, 0.79, "", transform=fall.transAxes, ha="right", va="top"))

    def update(self, state):
        self.groups.show(houses(), state.z, state.C)
        at, J = np.arange(state.now + 1), np.array(state.J[: state.now + 1])
        self.line.set_data(at, J)
        self.assigned.set_data(at[::2], J[::2])
        self.refitted.set_data(at[1::2], J[1::2])
        self.ring.set_data([state.now], [state.value])
        self.readout.set_text(f"J = {state.value:.1f}" + ("\nno label changes any more" if state.done else ""))

    def describe(self, state):
        what = "a refit" if state.now % 2 else "an assignment"
        end = " No label changes any more." if state.done else ""
        return (
            f"K = {state.K}, start number {state.first}, half step {state.now}, {what}: J = {state.value:.1f} km². The "
            f"groups have {', '.join(map(str, state.sizes))} houses.{end}"
        )

    @invariant("J never rises from one half step to the next", along="t")
    def _falls(self, before, after):
        return after.value <= before.value * (1 + 1e-12)

    @invariant("after an assignment every house is with its nearest centre, after a refit every centre is the mean")
    def _half_steps(self, state):
        X = houses()
        if state.now % 2:
            return np.allclose(kmeans.refit(X, state.z, state.C), state.C)
        return np.array_equal(kmeans.assign(X, state.C), state.z)


class Elbow(Explorer):
    """The best of R starts for every K: the sum of squares, and the mean silhouette."""

    height = 430
    K = Slider("K", "groups", 1, 10, 5, step=1)
    R = Slider("R", "starts", 1, STARTS, 1, step=1)
    orders = np.arange(1, 11)

    def prepare(self):
        for K in self.orders:
            ends(int(K))

    def compute(self, K, R):
        best = [ends(int(k))[1][int(R) - 1] for k in self.orders]
        J = np.array([ends(int(k))[0][start] for k, start in zip(self.orders, best, strict=True)])
        last = run(int(K), best[int(K) - 1])[0][-1]
        return SimpleNamespace(
            K=int(K),
            R=int(R),
            J=J,
            value=J[int(K) - 1],
            s=mean_silhouette(int(K), best[int(K) - 1]),
            curve=np.array([mean_silhouette(int(k), start) for k, start in zip(self.orders, best, strict=True)]),
            z=last.z,
            C=last.C,
        )

    def draw(self, figure):
        grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1))
        cloud, fall, score = (figure.add_subplot(place) for place in (grid[:, 0], grid[0, 1], grid[1, 1]))
        _map(cloud)
        cloud.set_title("The best of R starts")
        self.groups = Groups(self, cloud, 10)
        self.curves, self.dots = [], []
        for axes, colour, title, label in (
            (fall, style.MODEL, "J falls and falls", "J in km²"),
            (score, style.SECOND, "The silhouette has a peak", "mean s"),
        ):
            axes.set_title(title)
            axes.set_ylabel(label)
            axes.set_xlim(0.6, 10.4)
            axes.set_xticks(self.orders)
            self.curves.append(self.moving(axes.plot([], [], "-o", color=colour, markersize=4, linewidth=1.6)[0]))
            self.dots.append(self.moving(axes.plot([], [], "o", color=style.DATA, markersize=11, fillstyle="none")[0]))
        fall.set_yscale("log")
        fall.set_ylim(70, 6000)
        fall.set_yticks([100, 300, 1000, 3000], ["100", "300", "1000", "3000"])
        score.set_ylim(-0.05, 0.85)
        score.set_xlabel("K, groups")
        self.readout = self.moving(cloud.text(0.03, 0.98, "", transform=cloud.transAxes, va="top"))
        self.readout.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2})

    def update(self, state):
        self.groups.show(houses(), state.z, state.C)
        self.curves[0].set_data(self.orders, state.J)
        self.curves[1].set_data(self.orders[1:], state.curve[1:])
        self.dots[0].set_data([state.K], [state.value])
        self.dots[1].set_data([state.K] if state.K > 1 else [], [state.s] if state.K > 1 else [])
        self.readout.set_text(f"J = {state.value:.1f}" + (f", mean s = {state.s:.2f}" if state.K > 1 else ""))

    def describe(self, state):
        rises = np.flatnonzero(np.diff(state.J) > 0) + 2
        also = f" It rises at K = {', '.join(map(str, rises))}: more starts would help there." if len(rises) else ""
        score = f" and the mean silhouette {state.s:.2f}" if state.K > 1 else ""
        return (
            f"The best of {state.R} start{'s' if state.R > 1 else ''} with K = {state.K}: J = {state.value:.1f} km²"
            f"{score}. For K from 1 to 10, J is {', '.join(f'{J:.0f}' for J in state.J)}; the mean silhouette is "
            f"largest at K = {state.curve.argmax() + 1}.{also}"
        )

    @invariant("more starts never make the best J worse", along="R")
    def _better(self, before, after):
        return np.all(after.J <= before.J)

    @invariant("silhouettes lie between −1 and 1")
    def _bounded(self, state):
        return np.all(np.abs(state.curve) <= 1)

    @invariant("with all starts J never rises with K")
    def _falls(self, state):
        return state.R < STARTS or np.all(np.diff(state.J) < 0)


class Blur(Explorer):
    """Two centres at 0 and 3 on a line: the share of each in a point, for a fuzzifier m."""

    height = 340
    m = Slider("m", "fuzzifier", 1.1, 10.0, 2.0, step=0.1)
    x = Slider("x", "place of the point", -2.0, 5.0, 1.0, step=0.05)
    centres = np.array([[0.0], [3.0]])

    def prepare(self):
        self.at = np.linspace(-2, 5, 701)

    def _shares(self, at, m):
        return kmeans.memberships(kmeans.squared_distances(np.atleast_1d(at)[:, None], self.centres), m)

    def compute(self, m, x):
        return SimpleNamespace(m=m, x=x, curves=self._shares(self.at, m), r=self._shares(x, m)[0])

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-2, 5)
        axes.set_ylim(-0.05, 1.22)
        axes.set_yticks([0, 0.5, 1])
        axes.set_xlabel("x")
        axes.set_ylabel("membership")
        axes.set_title("The fuzzifier blurs the border, and pulls far points back to one half")
        self.lines, self.dots = [], []
        for k, (centre, colour, dash) in enumerate(zip((0, 3), (style.MODEL, style.ERROR), ("-", "--"), strict=True)):
            axes.plot([centre], [1.06], "v", color=colour, markersize=7)
            axes.text(centre, 1.12, f"centre {k + 1}", color=colour, ha="center", fontweight="bold")
            self.lines.append(self.moving(axes.plot([], [], color=colour, linestyle=dash)[0]))
            self.dots.append(self.moving(axes.plot([], [], "o", color=colour, markersize=7)[0]))
        self.place = self.moving(axes.axvline(1, color=style.TRUTH, linewidth=1))
        self.readout = self.moving(axes.text(1.5, 1.12, "", ha="center"))

    def update(self, state):
        for k in range(2):
            self.lines[k].set_data(self.at, state.curves[:, k])
            self.dots[k].set_data([state.x], [state.r[k]])
        self.place.set_xdata([state.x, state.x])
        self.readout.set_text(f"r = ({state.r[0]:.3f}, {state.r[1]:.3f})")

    def describe(self, state):
        return (
            f"Centres at 0 and 3, fuzzifier m = {state.m:.3g}: the point at x = {tell(state.x, 2)} belongs to the "
            f"first with {state.r[0]:.3f} and to the second with {state.r[1]:.3f}. At the left end of the figure the "
            f"first has {state.curves[0, 0]:.3f}."
        )

    @invariant("memberships sum to 1")
    def _shared(self, state):
        return np.allclose(state.curves.sum(axis=1), 1) and np.isclose(state.r.sum(), 1)

    @invariant("the nearer centre has the larger share")
    def _nearer(self, state):
        first = np.where(self.at < 1.5, state.curves[:, 0], state.curves[:, 1])
        return np.all(first >= 0.5 - 1e-12)

    @invariant("no share gets sharper as m grows", along="m")
    def _softer(self, before, after):
        return np.all(after.curves.max(axis=1) <= before.curves.max(axis=1) + 1e-12)


@functools.cache
def savings(K):
    """2,000 points of five broad clouds, the first centres, and the rounds of the accelerated algorithm."""
    rng = np.random.default_rng(5)
    middles = np.array([[1.5, 1.6], [2.6, 7.2], [5.2, 4.6], [8.2, 7.4], [8.0, 1.8]])
    X = middles[rng.integers(5, size=2000)] + 0.95 * rng.normal(size=(2000, 2))
    C = kmeans.random_points(X, K, np.random.default_rng([K, 3]))
    return X, C, list(kmeans.accelerated(X, C))


class Savings(Explorer):
    """The accelerated algorithm, round by round: whose distances had to be computed."""

    height = 430
    t = Slider("t", "round", 1, 30, 6, step=1, play=True)
    K = Slider("K", "centres", 2, 16, 8, step=1)

    def compute(self, t, K):
        X, first, states = savings(int(K))
        now = min(int(t), len(states)) - 1
        asked = np.array([s.asked.sum() for s in states])
        return SimpleNamespace(
            t=now + 1,
            K=int(K),
            X=X,
            first=first,
            z=states[now].z,
            C=states[now].C,
            doubt=states[now].asked > 0,
            asked=asked,
            rounds=len(states),
            done=now + 1 == len(states),
            saved=1 - asked[: now + 1].sum() / (len(X) * K * (now + 1)),
        )

    def draw(self, figure):
        cloud, bars = figure.subplots(1, 2, width_ratios=(1.25, 1))
        cloud.set_xlim(-1.6, 11.4)
        cloud.set_ylim(-1.9, 10.8)
        cloud.set_aspect("equal")
        cloud.set_xticks([])
        cloud.set_yticks([])
        cloud.set_title("Only the points near a border are asked")
        self.calm = self.moving(cloud.plot([], [], ".", color="#b5b5b5", markersize=3)[0])
        self.doubt = self.moving(cloud.plot([], [], "x", color=style.ERROR, markersize=3.5, markeredgewidth=0.9)[0])
        self.centres = self.moving(cloud.plot([], [], "o", color=style.MODEL, markersize=8, markeredgecolor="white")[0])
        self.readout = self.moving(cloud.text(0.02, 0.98, "", transform=cloud.transAxes, va="top"))
        self.readout.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2})
        bars.set_title("Later rounds are cheaper")
        bars.set_xlim(0.2, 30.8)
        bars.set_ylim(0, 1.12)
        bars.set_yticks([0, 0.5, 1], ["0", "½nK", "nK"])
        bars.set_xlabel("round t")
        bars.set_ylabel("distances computed")
        bars.axhline(1, color=style.TRUTH, linestyle="--", linewidth=1.2)
        bars.text(30.5, 1.03, "Lloyd", color=style.TRUTH, ha="right")
        self.counts = self.moving(bars.plot([], [], "o", color=style.MODEL, markersize=4)[0])
        self.stems = self.moving(bars.vlines([], [], [], color=style.MODEL, linewidth=2.5))
        self.ring = self.moving(bars.plot([], [], "o", color=style.DATA, markersize=11, fillstyle="none")[0])
        self.total = self.moving(bars.text(0.97, 0.82, "", transform=bars.transAxes, ha="right"))

    def update(self, state):
        self.calm.set_data(*state.X[~state.doubt].T)
        self.doubt.set_data(*state.X[state.doubt].T)
        self.centres.set_data(*state.C.T)
        share = state.asked[: state.t] / (len(state.X) * state.K)
        at = np.arange(1, state.t + 1)
        self.counts.set_data(at, share)
        self.stems.set_segments([[(a, 0), (a, s)] for a, s in zip(at, share, strict=True)])
        self.ring.set_data([state.t], [share[-1]])
        self.readout.set_text(f"round {state.t}: {state.doubt.sum()} of 2000 asked (×)" + (", the last" * state.done))
        self.total.set_text(f"saved so far: {state.saved:.0%}")

    def describe(self, state):
        return (
            f"Round {state.t} of {state.rounds} with K = {state.K}: {state.doubt.sum()} of 2000 points had their "
            f"distances computed, {state.asked[state.t - 1]} in place of {2000 * state.K}. So far {state.saved:.0%} of "
            f"Lloyd's distances are saved, and every label is the same."
        )

    @invariant("the labels are Lloyd's in every round")
    def _same(self, state):
        halves = kmeans.lloyd(state.X, state.first)  # a round is two of Lloyd's steps: labels, then centres
        return np.array_equal(state.z, next(itertools.islice(halves, 2 * (state.t - 1), None)).z)

    @invariant("the first round costs what it costs Lloyd, every later one less")
    def _cheaper(self, state):
        lloyd = len(state.X) * state.K
        return state.asked[0] == lloyd and np.all(state.asked[1:] < lloyd)

    @invariant("every point that is not asked is with its nearest centre")
    def _justified(self, state):
        before = savings(state.K)[2][state.t - 2].C if state.t > 1 else None
        return before is None or np.array_equal(kmeans.assign(state.X, before)[~state.doubt], state.z[~state.doubt])
