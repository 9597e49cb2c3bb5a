"""The figures of 24 gaussian_mixtures."""

import contextlib
import functools
import itertools
from types import SimpleNamespace

import numpy as np
from matplotlib.colors import to_rgb

from mlcore import gaussian_mixtures as gm
from mlcore.data import load
from mlcore.engine.explorers import Explorer, LogSlider, Pick, Slider, invariant, style, tell

PARTS = (style.MODEL, style.SECOND, style.REFERENCE)
RULER = 0.03  # cm: what is narrower than the rounding of the measurements, 0.1/√12, is no group

STARTS = {
    "along the cloud": ((1.5, 0.3), (4.0, 1.2), (6.0, 2.2)),
    "one above another": ((4.0, 0.5), (4.0, 1.5), (4.0, 2.4)),
    "all the same": ((3.0, 1.0), (3.0, 1.0), (3.0, 1.0)),
}


def petals():
    """Length and width of 150 petals in cm: shape (150, 2)."""
    return load("iris").X[:, 2:]


def begin(X, means):
    """Parts of equal weight, each as broad as all the points."""
    K = len(means)
    return np.full(K, 1 / K), np.array(means, dtype=float), np.stack([np.diag(X.var(axis=0))] * K)


@functools.cache
def runs(steps=41):
    """The states of EM on the petals, for each start."""
    X = petals()
    return {name: list(itertools.islice(gm.em(X, begin(X, means)), steps + 1)) for name, means in STARTS.items()}


def agreement(state):
    """How many flowers the parts sort as the botanist does, under the best naming of the parts."""
    species, part = load("iris").y.astype(int), state.gamma.argmax(axis=1)
    return max(np.sum(np.array(names)[part] == species) for names in itertools.permutations(range(3)))


@functools.cache
def best_of(K, starts=8):
    """The highest ℓ that EM reaches with K parts from random flowers, and how many starts collapsed."""
    X, rng = petals(), np.random.default_rng(K)
    ends = [_climb(X, begin(X, X[rng.choice(len(X), K, replace=False)])) for _ in range(starts)]
    return max((s for s in ends if s), key=lambda s: s.loglik), ends.count(None)


def _climb(X, start):
    """The last state of EM, or None if a part becomes thinner than the ruler can tell."""
    before = -np.inf
    with contextlib.suppress(np.linalg.LinAlgError):  # it may collapse within one step
        for state in gm.em(X, start):
            if np.linalg.eigvalsh(state.Sigma).min() < RULER**2:
                return None
            if state.loglik - before < 1e-4:
                return state
            before = state.loglik
    return None


def _ellipse(mu, Sigma):
    """Two standard deviations around μ."""
    at = np.linspace(0, 2 * np.pi, 80)
    return mu[:, None] + 2 * np.linalg.cholesky(Sigma) @ np.stack([np.cos(at), np.sin(at)])


def _petal_axes(axes):
    axes.set_xlim(0.2, 7.4)
    axes.set_ylim(-0.35, 3.0)
    axes.set_xlabel("length of the petals in cm")
    axes.set_ylabel("width in cm")


class Flowers(Explorer):
    """The petals of 150 irises without their names; crossed, those between two groups."""

    height = 360

    def prepare(self):
        self.X = petals()
        self.state = runs()["along the cloud"][40]

    def compute(self):
        sure = self.state.gamma.max(axis=1)
        return SimpleNamespace(gamma=self.state.gamma, unsure=sure < 0.9, low=np.sum(self.X[:, 0] < 2.5))

    def draw(self, figure):
        axes = figure.subplots()
        _petal_axes(axes)
        unsure = self.compute().unsure
        axes.scatter(*self.X[~unsure].T, s=22, color=style.DATA, alpha=0.6, linewidths=0)
        axes.scatter(*self.X[unsure].T, s=42, color=style.ERROR, marker="x", linewidths=1.6)
        axes.set_title("Two groups are plain to see; whether there is a third, no single flower can say")
        axes.text(0.4, 1.0, "one group", color=style.DATA, fontweight="bold")
        axes.text(2.6, 2.35, "one group, or two?", color=style.DATA, fontweight="bold")
        axes.text(5.5, 0.95, "× the flowers in doubt", color=style.ERROR)

    def describe(self, state):
        return (
            f"Length and width of the petals of 150 irises. {state.low} flowers have short, narrow petals and lie "
            f"apart; the other {150 - state.low} form one long cloud. {np.sum(state.unsure)} flowers in the middle of "
            f"that cloud are crossed: if it is two groups, they belong to neither for certain."
        )

    @invariant("responsibilities sum to 1")
    def _shared(self, state):
        return np.allclose(state.gamma.sum(axis=1), 1)


class Steps(Explorer):
    """EM on the petals, step by step: the parts, ℓ, and the bound that the next step climbs."""

    height = 430
    t = Slider("t", "steps of EM", 0, 40, 1, step=1, play=True)
    start_at = Pick("", "first means", tuple(STARTS))

    def prepare(self):
        self.X, self.runs = petals(), runs()
        self.colours = np.array([to_rgb(colour) for colour in PARTS])
        self.way = np.linspace(-0.4, 1.8, 45)  # 0 is this mixture, 1 the next
        self.here, self.next = 8, 28

    def compute(self, t, start_at):
        old, new = self.runs[start_at][int(t)], self.runs[start_at][int(t) + 1]
        L = gm.log_joint(self.X, *_between(old, new, self.way))
        ell, bound = gm.loglik(L), gm.elbo(old.gamma, L)
        return SimpleNamespace(
            t=int(t),
            start_at=start_at,
            state=old,
            loglik=old.loglik,
            ell=ell,
            bound=bound,
            gain=bound[self.next] - old.loglik,
            rise=new.loglik - old.loglik,
            agree=agreement(old),
        )

    def draw(self, figure):
        grid = figure.add_gridspec(2, 2, width_ratios=(1.55, 1))
        cloud, climb, touch = (figure.add_subplot(place) for place in (grid[:, 0], grid[0, 1], grid[1, 1]))
        _petal_axes(cloud)
        cloud.set_title("Every step moves all parts")
        self.points = self.moving(cloud.scatter(*self.X.T, s=20, linewidths=0))
        self.ellipses, self.names = [], []
        for k, colour in enumerate(PARTS):
            self.ellipses.append(self.moving(cloud.plot([], [], color=colour)[0]))
            name = cloud.text(0, 0, str(k + 1), color="white", fontweight="bold", ha="center", va="center", fontsize=9)
            name.set_bbox({"boxstyle": "circle,pad=0.25", "facecolor": colour, "edgecolor": "white"})
            self.names.append(self.moving(name))
        self.readout = self.moving(cloud.text(0.03, 0.97, "", transform=cloud.transAxes, va="top"))
        self.readout.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2})

        climb.set_title("ℓ never falls")
        climb.set_xlim(-1, 41)
        climb.set_ylim(-540, -95)
        climb.set_xlabel("step t")
        for run in self.runs.values():
            climb.plot([s.loglik for s in run[:-1]], color="#c4c4c4", linewidth=1.2)
        self.trace = self.moving(climb.plot([], [], color=style.MODEL)[0])
        self.now = self.moving(climb.plot([], [], "o", color=style.MODEL, markersize=6)[0])

        touch.set_title("It rises with its bound")
        touch.set_xlim(-0.4, 1.8)
        touch.set_ylim(-1.3, 2.7)
        touch.set_xticks([0, 1], ["now", "next step"])
        touch.set_yticks([0, 1, 2])
        touch.set_ylabel("gain, bound = 1")
        self.bound = self.moving(touch.plot([], [], color=style.ERROR, linestyle="--", linewidth=1.6)[0])
        self.ell = self.moving(touch.plot([], [], color=style.MODEL)[0])
        self.touch = self.moving(touch.plot([], [], "o", color=style.DATA, markersize=6)[0])
        self.gains = self.moving(touch.text(0.03, 0.05, "", transform=touch.transAxes))
        touch.text(-0.36, 2.2, "— ℓ", color=style.MODEL)
        touch.text(-0.36, 1.6, "- - bound", color=style.ERROR)

    def update(self, state):
        s = state.state
        self.points.set_facecolor(np.clip(s.gamma @ self.colours, 0, 1))
        for k in range(3):
            self.ellipses[k].set_data(*_ellipse(s.mu[k], s.Sigma[k]))
            self.names[k].set_position(s.mu[k])
        self.readout.set_text(f"step {state.t}: ℓ = {tell(state.loglik, 2)}\n{state.agree} of 150 as the botanist")
        self.trace.set_data(range(41), [each.loglik for each in self.runs[state.start_at][:41]])
        self.now.set_data([state.t], [state.loglik])
        unit = max(state.gain, 1e-8)
        self.ell.set_data(self.way, np.clip((state.ell - state.loglik) / unit, -9, 9))
        self.bound.set_data(self.way, np.clip((state.bound - state.loglik) / unit, -9, 9))
        self.touch.set_data([0, 1], [0, (state.bound[self.next] - state.loglik) / unit])
        self.gains.set_text(self._gains(state))

    def _gains(self, state):
        if state.gain < 1e-8:
            return "no gain left"
        return f"bound +{state.gain:.3g}, ℓ +{state.rise:.3g}"

    def describe(self, state):
        parts = "; ".join(
            f"part {k + 1} has weight {p:.2f} and mean ({m[0]:.2f}, {m[1]:.2f})"
            for k, (p, m) in enumerate(zip(state.state.pi, state.state.mu, strict=True))
        )
        return (
            f"First means {state.start_at}, step {state.t}: {parts}. The log-likelihood is {tell(state.loglik, 2)}; "
            f"{state.agree} of 150 flowers are sorted as the botanist sorted them. The bound touches ℓ here and is "
            f"highest at the next step: {self._gains(state)}."
        )

    @invariant("ℓ never falls from step to step", along="t")
    def _climbs(self, before, after):
        return after.loglik >= before.loglik - 1e-9 * abs(before.loglik)

    @invariant("the bound lies below ℓ and touches it at the current mixture")
    def _below(self, state):
        touches = np.isclose(state.bound[self.here], state.loglik, rtol=1e-12)
        return touches and np.all(state.bound <= state.ell + 1e-9)

    @invariant("on the way to the next mixture the bound is highest at its end")
    def _highest(self, state):
        return np.all(state.bound <= state.bound[self.next] + 1e-9)

    @invariant("responsibilities and weights sum to 1")
    def _shared(self, state):
        return np.allclose(state.state.gamma.sum(axis=1), 1) and np.isclose(state.state.pi.sum(), 1)


def _between(old, new, way):
    """Mixtures on a way from the old one (0) to the new one (1) and beyond; every covariance stays positive."""
    pi = np.exp((1 - way[:, None]) * np.log(old.pi) + way[:, None] * np.log(new.pi))
    mu = old.mu + way[:, None, None] * (new.mu - old.mu)
    C = np.linalg.cholesky(old.Sigma)
    widths, axes = np.linalg.eigh(np.linalg.solve(C, np.swapaxes(np.linalg.solve(C, new.Sigma), 1, 2)))
    axes = C @ axes
    Sigma = (axes * widths[:, None, :] ** way[:, None, None, None]) @ np.swapaxes(axes, 1, 2)
    return pi / pi.sum(axis=1, keepdims=True), mu, Sigma


class Hardening(Explorer):
    """Three centres with the same σ on the lengths of the petals: who answers for which length."""

    height = 340
    sigma = LogSlider("σ", "width of the parts", 0.02, 5.0, 0.02 * 10**1.5, step=0.1)
    centres = np.array([1.5, 4.3, 5.6])

    def prepare(self):
        self.x = petals()[:, 0]
        self.at = np.linspace(0.5, 7.4, 500)

    def compute(self, sigma):
        gamma = gm.soft_assignment(self.x, self.centres, sigma)
        return SimpleNamespace(
            sigma=sigma,
            gamma=gamma,
            curves=gm.soft_assignment(self.at, self.centres, sigma),
            sure=gamma.max(axis=1),
            unsure=np.sum(gamma.max(axis=1) < 0.95),
            flower=gm.soft_assignment(4.9, self.centres, sigma),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(0.5, 7.4)
        axes.set_ylim(-0.16, 1.22)
        axes.set_yticks([0, 0.5, 1])
        axes.set_xlabel("length of the petals in cm")
        axes.set_ylabel("responsibility")
        axes.set_title("The narrower the parts, the less they share: in the end the nearest takes all")
        jitter = np.random.default_rng(0).uniform(-0.12, -0.05, size=len(self.x))
        axes.plot(self.x, jitter, ".", color=style.DATA, markersize=4, alpha=0.5)
        self.lines = []
        for k, (centre, colour) in enumerate(zip(self.centres, PARTS, strict=True)):
            axes.text(centre, 1.13, f"centre {k + 1}", color=colour, ha="center", fontweight="bold")
            axes.plot([centre], [1.06], "v", color=colour, markersize=7)
            self.lines.append(self.moving(axes.plot([], [], color=colour, linestyle=("-", "--", "-.")[k])[0]))
        self.readout = self.moving(axes.text(2.9, 1.13, "", ha="center"))

    def update(self, state):
        for line, curve in zip(self.lines, state.curves.T, strict=True):
            line.set_data(self.at, curve)
        self.readout.set_text(f"{state.unsure} of 150 in doubt")

    def describe(self, state):
        return (
            f"Responsibilities of three centres at 1.5, 4.3 and 5.6 cm, of equal weight and σ = {state.sigma:.2g} cm. "
            f"{state.unsure} of 150 flowers have no centre above 0.95. A petal of 4.9 cm is shared "
            f"{state.flower[0]:.2f}, {state.flower[1]:.2f}, {state.flower[2]:.2f}."
        )

    @invariant("responsibilities sum to 1")
    def _shared(self, state):
        return np.allclose(state.gamma.sum(axis=1), 1)

    @invariant("no decision becomes harder as σ grows", along="sigma")
    def _softer(self, before, after):
        return np.all(after.sure <= before.sure + 1e-12)

    @invariant("whatever σ is, the nearest centre has the largest share")
    def _nearest(self, state):
        nearest = np.abs(self.x[:, None] - self.centres).argmin(axis=1)
        own = state.gamma[np.arange(len(self.x)), nearest]
        return np.allclose(own, state.sure)


class Orders(Explorer):
    """Mixtures of one to six parts on the petals, and what two criteria think of them."""

    height = 400
    K = Slider("K", "parts", 1, 6, 3, step=1)
    orders = np.arange(1, 7)

    def prepare(self):
        self.X = petals()
        self.fits, self.collapsed = zip(*(best_of(K) for K in self.orders), strict=True)
        self.ell = np.array([fit.loglik for fit in self.fits])
        self.p = gm.parameters(self.orders, 2)
        self.aic, self.bic = gm.aic(self.ell, self.p), gm.bic(self.ell, self.p, len(self.X))

    def compute(self, K):
        i = int(K) - 1
        return SimpleNamespace(
            K=int(K),
            fit=self.fits[i],
            loglik=self.ell[i],
            collapsed=self.collapsed[i],
            p=self.p[i],
            aic=self.aic[i],
            bic=self.bic[i],
        )

    def draw(self, figure):
        cloud, score = figure.subplots(1, 2, width_ratios=(1.3, 1))
        _petal_axes(cloud)
        cloud.set_title("K parts, as ellipses of 2σ")
        cloud.scatter(*self.X.T, s=14, color=style.TRUTH, alpha=0.7, linewidths=0)
        self.ellipses = [self.moving(cloud.plot([], [], color=style.MODEL)[0]) for _ in self.orders]
        self.readout = self.moving(cloud.text(0.03, 0.97, "", transform=cloud.transAxes, va="top"))
        score.set_title("BIC stops earlier than AIC")
        score.set_xlim(0.7, 7.4)
        score.set_ylim(215, 420)
        score.set_xticks(self.orders)
        score.set_xlabel("K, parts")
        self.dots = []
        for values, label, colour, marker in (
            (self.bic, "BIC", style.MODEL, "o"),
            (self.aic, "AIC", style.SECOND, "s"),
            (-2 * self.ell, "−2ℓ", style.TRUTH, "^"),
        ):
            score.plot(self.orders, values, color=colour, linewidth=1.6, marker=marker, markersize=4)
            score.text(6.2, values[-1], label, color=colour, va="center", fontweight="bold")
            best = np.argmin(values)
            if self.orders[best] < 6:
                at, below = (self.orders[best], values[best]), (self.orders[best], values[best] - 22)
                line = {"arrowstyle": "-", "color": colour}
                score.annotate("smallest", at, below, color=colour, ha="center", arrowprops=line)
            self.dots.append((values, self.moving(score.plot([], [], marker, color=colour, markersize=10)[0])))

    def update(self, state):
        for k, ellipse in enumerate(self.ellipses):
            shown = k < state.K
            ellipse.set_data(*(_ellipse(state.fit.mu[k], state.fit.Sigma[k]) if shown else ([], [])))
        for values, dot in self.dots:
            dot.set_data([state.K], [values[state.K - 1]])
        self.readout.set_text(f"{state.p} parameters, ℓ = {tell(state.loglik, 1)}")

    def describe(self, state):
        return (
            f"K = {state.K}: {state.p} parameters, log-likelihood {tell(state.loglik, 1)}, AIC {tell(state.aic, 1)}, "
            f"BIC {tell(state.bic, 1)}; the best of eight starts, of which {state.collapsed} collapsed. AIC is "
            f"smallest at K = {np.argmin(self.aic) + 1}, BIC at K = {np.argmin(self.bic) + 1}."
        )

    @invariant("ℓ never falls with K", along="K")
    def _better(self, before, after):
        return after.loglik >= before.loglik - 1e-6

    @invariant("each part costs more under BIC than under AIC", along="K")
    def _dearer(self, before, after):
        return after.bic - before.bic > after.aic - before.aic

    @invariant("weights sum to 1")
    def _shared(self, state):
        return np.isclose(state.fit.pi.sum(), 1)


class Bandwidth(Explorer):
    """A kernel density estimate of the length of the petals."""

    height = 340
    h = LogSlider("h", "bandwidth", 0.02, 5.0, 0.2, step=0.1)

    def prepare(self):
        self.x = petals()[:, 0]
        self.at = np.linspace(-1.5, 9.5, 1101)

    def compute(self, h):
        density = gm.kde(self.at, self.x, h)
        wide = np.arange(self.x.min() - 8 * h, self.x.max() + 8 * h, h / 4)
        rises = np.diff(density) > 0
        return SimpleNamespace(
            h=h,
            density=density,
            area=np.sum(gm.kde(wide, self.x, h)) * h / 4,
            peaks=int(np.sum(rises[:-1] & ~rises[1:])),
            own=np.mean(np.log(gm.kde(self.x, self.x, h))),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-1, 9)
        axes.set_ylim(-0.045, 0.9)
        axes.set_xlabel("length of the petals in cm")
        axes.set_ylabel("density")
        axes.set_title("Nobody chose the number of groups, but h decides how many peaks there are")
        axes.hist(self.x, bins=np.arange(0.95, 7.3, 0.3), density=True, color="#e4e4e4")
        jitter = np.random.default_rng(0).uniform(-0.035, -0.012, size=len(self.x))
        axes.plot(self.x, jitter, ".", color=style.DATA, markersize=4, alpha=0.5)
        self.line = self.moving(axes.plot([], [], color=style.MODEL)[0])
        self.readout = self.moving(axes.text(0.98, 0.95, "", transform=axes.transAxes, va="top", ha="right"))

    def _peaks(self, state):
        return f"{state.peaks} peak{'s' if state.peaks > 1 else ''}"

    def update(self, state):
        self.line.set_data(self.at, np.minimum(state.density, 2))
        self.readout.set_text(f"{self._peaks(state)}\nmean of log p̂ at\nthe flowers: {tell(state.own, 2)}")

    def describe(self, state):
        return (
            f"Kernel density estimate of 150 petal lengths with h = {state.h:.2g} cm: {self._peaks(state)}, area "
            f"{state.area:.3f}; the mean of the log-density at the flowers themselves is {tell(state.own, 2)}."
        )

    @invariant("the area under the estimate is 1")
    def _area(self, state):
        return abs(state.area - 1) < 1e-3

    @invariant("peaks only vanish as h grows", along="h")
    def _smoother(self, before, after):
        return after.peaks <= before.peaks

    @invariant("the likelihood of the flowers themselves never grows with h", along="h")
    def _own(self, before, after):
        return after.own <= before.own + 1e-9
