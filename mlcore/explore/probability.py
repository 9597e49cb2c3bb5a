"""The figures of 01 probability."""

from types import SimpleNamespace

import numpy as np

from mlcore import probability
from mlcore.data import load
from mlcore.engine.explorers import Explorer, Slider, invariant, style, tell

SPECIES = ("setosa", "versicolor", "virginica")
LENGTHS = ("short", "medium", "long")


class TwoQuestions(Explorer):
    """150 irises by species and length of the sepal: the share of each row, and the share of each column."""

    height = 320

    def prepare(self):
        iris = load("iris")
        length = np.digitize(iris.X[:, 0], [5.5, 6.5])
        self.P = probability.joint(iris.y.astype(int), length)

    def compute(self):
        return SimpleNamespace(
            length_given_species=probability.conditional(self.P.T).T,
            species_given_length=probability.conditional(self.P),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "The same flowers give two different answers to two different questions")
        state = self.compute()
        self._shares(left, state.length_given_species, style.MODEL)
        self._shares(right, state.species_given_length, style.REFERENCE)
        left.set_title("Of one species: how long are the sepals?\nevery row adds up to 100%", fontweight="normal")
        right.set_title("Of one length: which species is it?\nevery column adds up to 100%", fontweight="normal")

    def _shares(self, axes, shares, colour):
        """A table in which the shade of a cell is its number."""
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.set_xticks(range(3), LENGTHS)
        axes.set_yticks(range(3), SPECIES)
        axes.set_xlim(-0.5, 2.5)
        axes.set_ylim(2.5, -0.5)
        for i, j in np.ndindex(shares.shape):
            size = {"width": 0.96, "height": 0.94}
            axes.add_patch(_cell(j, i, colour, 0.08 + 0.6 * shares[i, j], **size))
            axes.text(j, i, f"{shares[i, j]:.0%}", ha="center", va="center", fontsize=12)
        for spine in axes.spines.values():
            spine.set_visible(False)

    def describe(self, state):
        return (
            f"Irises by species and length of the sepal, short below 5.5 cm, long from 6.5 cm on. "
            f"{self._told(state.length_given_species, SPECIES, LENGTHS)} "
            f"{self._told(state.species_given_length.T, LENGTHS, SPECIES)}"
        )

    def _told(self, shares, given, asked):
        return " ".join(
            f"Of the {g} ones " + ", ".join(f"{share:.0%} are {a}" for a, share in zip(asked, row, strict=True)) + "."
            for g, row in zip(given, shares, strict=True)
        )

    @invariant("every row of the one and every column of the other adds up to 1")
    def _sums(self, state):
        return np.allclose(state.length_given_species.sum(axis=1), 1) and np.allclose(
            state.species_given_length.sum(axis=0), 1
        )

    @invariant("the two tables differ")
    def _differ(self, state):
        return np.abs(state.length_given_species - state.species_given_length).max() > 0.1


def _cell(x, y, colour, alpha, width, height):
    from matplotlib.patches import Rectangle

    return Rectangle((x - width / 2, y - height / 2), width, height, facecolor=colour, alpha=alpha, linewidth=0)


class Stretch(Explorer):
    """The density of Y = aX + b, for an X with density e⁻ˣ on the positive numbers."""

    height = 340
    a = Slider("a", "stretch", -3.0, 3.0, -0.5, step=0.1)
    b = Slider("b", "shift", -1.0, 3.0, 1.0, step=0.1)

    def prepare(self):
        self.x = np.concatenate([[0.0], np.linspace(0, 14, 281)])
        self.heights = np.concatenate([[0.0], probability.exponential_density(self.x[1:])])

    def compute(self, a, b):
        mean, variance = probability.affine_moments(a, b, 1.0, 1.0)
        certain = abs(a) < 1e-9
        y = a * self.x + b
        inside = np.zeros(0) if certain else probability.affine_density(y[1:], a, b, probability.exponential_density)
        return SimpleNamespace(
            a=a,
            b=b,
            certain=certain,
            y=np.full(2, b) if certain else y,
            density=np.array([0.0, 3.0]) if certain else np.concatenate([[0.0], inside]),
            mean=mean,
            variance=variance,
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-6, 6)
        axes.set_ylim(-0.05, 3)
        axes.set_xlabel("value")
        axes.set_ylabel("density")
        axes.set_title("A negative a turns the density round, and it stays positive")
        axes.axhline(0, color=style.TRUTH, linewidth=1)
        axes.plot(self.x, self.heights, color=style.TRUTH, linestyle="--", linewidth=1.5)
        axes.text(0.98, 0.96, "- - density of X", transform=axes.transAxes, ha="right", va="top", color="#6b6b6b")
        (self.curve,) = axes.plot([], [], color=style.MODEL)
        (self.centre,) = axes.plot([], [], "^", color=style.MODEL, markersize=8, clip_on=False)
        style_of = {"transform": axes.transAxes, "va": "top", "color": style.MODEL}
        self.readout = axes.text(0.02, 0.96, "", **style_of)
        for artist in (self.curve, self.centre, self.readout):
            self.moving(artist)

    def update(self, state):
        self.curve.set_data(state.y, state.density)
        self.centre.set_data([state.mean], [0])
        self.readout.set_text(self._says(state))

    def _says(self, state):
        a, b = tell(state.a, 1), tell(abs(state.b), 1)
        sign = "−" if state.b < 0 else "+"
        top = "no density" if state.certain else f"highest density {tell(1 / abs(state.a), 2)}"
        y = f"{tell(state.b, 1)} for certain" if state.certain else f"{a}X {sign} {b}"
        return f"Y = {y}\n{top}\nmean {tell(state.mean, 1)} (▲)\nvariance {tell(state.variance, 2)}"

    def describe(self, state):
        if state.certain:
            return f"At a = 0 the variable Y is {tell(state.b, 1)} for certain: variance 0, and no density."
        side = "above" if state.a > 0 else "below"
        return (
            f"X has the density e⁻ˣ on the positive numbers, with mean 1 and variance 1. Y = {tell(state.a, 1)}X + "
            f"({tell(state.b, 1)}) lies {side} {tell(state.b, 1)}, its density is highest there with "
            f"{tell(1 / abs(state.a), 2)}, its mean is {tell(state.mean, 1)}, its variance {tell(state.variance, 2)}."
        )

    @invariant("the density is never negative")
    def _positive(self, state):
        return np.all(state.density >= 0)

    @invariant("the area under it is 1, wherever there is one")
    def _area(self, state):
        steps = np.abs(np.diff(state.y[1:]))
        return state.certain or abs(steps @ (state.density[1:-1] + state.density[2:]) / 2 - 1) < 1e-3

    @invariant("the mean moves up with a", along="a")
    def _moves(self, before, after):
        return after.mean >= before.mean


class Pair(Explorer):
    """Two normal variables with correlation ρ, and the variances of their sum and difference."""

    height = 380
    rho = Slider("ρ", "correlation", -1.0, 1.0, 0.7, step=0.05)
    sd = Slider("σ", "standard deviation of Y", 0.5, 2.0, 1.5, step=0.1)

    def prepare(self):
        rng = np.random.default_rng(1)
        Z = rng.normal(size=(400, 2))
        Z = (Z - Z.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(Z.T, bias=True))).T
        self.Z = Z  # mean 0, variances 1 and covariance 0, exactly
        angle = np.linspace(0, 2 * np.pi, 120)
        self.circle = 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self.rhos = np.linspace(-1, 1, 3)

    def compute(self, rho, sd):
        cov = rho * sd
        Sigma = np.array([[1.0, cov], [cov, sd**2]])
        A = np.array([[1.0, 0.0], [cov, sd * np.sqrt(max(0.0, 1 - rho**2))]])
        return SimpleNamespace(
            rho=rho,
            sd=sd,
            cov=cov,
            points=self.Z @ A.T,
            ellipse=self.circle @ A.T,
            plus=probability.combination_variance(1, 1, Sigma),
            minus=probability.combination_variance(1, -1, Sigma),
            corr=probability.correlation(Sigma),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "What moves together varies more when added, and less when subtracted")
        left.set_xlim(-5.2, 5.2)
        left.set_ylim(-5.2, 5.2)
        left.set_aspect("equal")
        left.set_xlabel("X, variance 1")
        left.set_ylabel("Y")
        right.set_xlim(-1.05, 1.05)
        right.set_ylim(0, 13)
        right.set_xlabel("ρ, correlation of X and Y")
        right.set_ylabel("variance")
        (self.dots,) = left.plot([], [], "o", color=style.DATA, markersize=3, alpha=0.35, markeredgewidth=0)
        (self.ring,) = left.plot([], [], color=style.MODEL)
        (self.level,) = right.plot([], [], color=style.TRUTH, linestyle="--", linewidth=1.5)
        (self.sum_line,) = right.plot([], [], color=style.MODEL)
        (self.difference_line,) = right.plot([], [], color=style.ERROR)
        (self.sum_dot,) = right.plot([], [], "o", color=style.MODEL, markersize=8)
        (self.difference_dot,) = right.plot([], [], "s", color=style.ERROR, markersize=7)
        words = {"transform": right.transAxes, "va": "top", "fontweight": "bold"}
        self.readout = right.text(0.03, 0.99, "", color=style.DATA, **words)
        self.plus = right.text(0.03, 0.92, "", color=style.MODEL, **words)
        self.minus = right.text(0.03, 0.85, "", color=style.ERROR, **words)
        self.apart = right.text(0.03, 0.78, "", color="#6b6b6b", **words)
        for artist in (self.dots, self.ring, self.level, self.sum_line, self.difference_line, self.sum_dot):
            self.moving(artist)
        for artist in (self.difference_dot, self.plus, self.minus, self.apart, self.readout):
            self.moving(artist)

    def update(self, state):
        self.dots.set_data(*state.points.T)
        self.ring.set_data(*state.ellipse.T)
        level = 1 + state.sd**2
        self.level.set_data([-1, 1], [level, level])
        self.sum_line.set_data(self.rhos, level + 2 * self.rhos * state.sd)
        self.difference_line.set_data(self.rhos, level - 2 * self.rhos * state.sd)
        self.sum_dot.set_data([state.rho], [state.plus])
        self.difference_dot.set_data([state.rho], [state.minus])
        self.plus.set_text(f"● Var(X + Y) = {tell(state.plus, 2)}")
        self.minus.set_text(f"■ Var(X − Y) = {tell(state.minus, 2)}")
        self.apart.set_text(f"- - VarX + VarY = {tell(level, 2)}")
        self.readout.set_text(f"Cov = {tell(state.cov, 2)}, Corr = {tell(state.corr, 2)}")

    def describe(self, state):
        return (
            f"400 points and the ellipse at two standard deviations of a normal pair with VarX = 1, "
            f"VarY = {tell(state.sd**2, 2)} and correlation {tell(state.rho, 2)}, so that the covariance is "
            f"{tell(state.cov, 2)}. Var(X + Y) = {tell(state.plus, 2)} and Var(X − Y) = {tell(state.minus, 2)}; "
            f"the variances alone add up to {tell(1 + state.sd**2, 2)}."
        )

    @invariant("the points have the variances that are told")
    def _sampled(self, state):
        sums = state.points.sum(axis=1)
        return np.isclose(sums.var(), state.plus) and np.isclose((state.points @ [1, -1]).var(), state.minus)

    @invariant("sum and difference share what the two variances add up to")
    def _shared(self, state):
        return np.isclose(state.plus + state.minus, 2 * (1 + state.sd**2))

    @invariant("the correlation does not depend on the scale of Y", along="sd")
    def _scale_free(self, before, after):
        return np.isclose(before.corr, after.corr)

    @invariant("no variance is negative")
    def _positive(self, state):
        return min(state.plus, state.minus) >= -1e-12


class Coin(Explorer):
    """A coin with probability p of heads, and a belief q about it: entropy, cross-entropy and the gap between them."""

    height = 380
    p = Slider("p", "heads in truth", 0.0, 1.0, 0.75, step=0.01)
    q = Slider("q", "heads in our belief", 0.02, 0.98, 0.3, step=0.01)

    top = 2.6  # bits; what is above is cut off, so that the numbers can be read

    def prepare(self):
        self.at = np.linspace(0, 1, 201)
        self.beliefs = np.linspace(0.005, 0.995, 199)
        self.entropies = np.array([_bits(probability.entropy(_coin(t))) for t in self.at])

    def compute(self, p, q):
        return SimpleNamespace(
            p=p,
            q=q,
            entropy=_bits(probability.entropy(_coin(p))),
            cross=_bits(probability.cross_entropy(_coin(p), _coin(q))),
            kl=_bits(probability.kl(_coin(p), _coin(q))),
            line=-np.log2([1 - q, q]),  # H(p, q) at p = 0 and at p = 1: it is linear in p
            curve=-p * np.log2(self.beliefs) - (1 - p) * np.log2(1 - self.beliefs),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, sharey=True)
        style.headline(figure, "A wrong belief costs extra bits, and the extra is the divergence")
        for axes in (left, right):
            axes.set_xlim(-0.02, 1.02)
            axes.set_ylim(-0.06, 3.3)
        left.set_xlabel("p, heads in truth")
        right.set_xlabel("q, heads in our belief")
        left.set_ylabel("bits per toss")
        left.plot(self.at, self.entropies, color=style.MODEL)
        (self.tangent,) = left.plot([], [], color=style.ERROR, linewidth=1.5, linestyle="--")
        (self.level,) = right.plot([], [], color=style.MODEL)
        (self.bowl,) = right.plot([], [], color=style.ERROR, linestyle="--")
        moving = [self.tangent, self.level, self.bowl]
        self.gaps, self.lower, self.upper = [], [], []
        for axes in (left, right):
            (gap,) = axes.plot([], [], color=style.SECOND, linewidth=5, alpha=0.7, solid_capstyle="butt")
            (lower,) = axes.plot([], [], "o", color=style.MODEL, markersize=7)
            (upper,) = axes.plot([], [], "s", color=style.ERROR, markersize=7)
            self.gaps.append(gap)
            self.lower.append(lower)
            self.upper.append(upper)
            moving += [gap, lower, upper]
        words = {"transform": left.transAxes, "va": "top", "fontweight": "bold"}
        self.says = [
            left.text(0.03, 0.98, "", color=style.ERROR, **words),
            left.text(0.03, 0.91, "", color=style.MODEL, **words),
            left.text(0.03, 0.84, "", color="#a8568a", **words),
        ]
        for artist in (*moving, *self.says):
            self.moving(artist)

    def update(self, state):
        self.tangent.set_data(self.at, self._below(state.line[0] + self.at * (state.line[1] - state.line[0])))
        self.level.set_data([0, 1], [state.entropy, state.entropy])
        self.bowl.set_data(self.beliefs, self._below(state.curve))
        for at, gap, lower, upper in zip((state.p, state.q), self.gaps, self.lower, self.upper, strict=True):
            gap.set_data([at, at], [state.entropy, min(state.cross, self.top)])
            lower.set_data([at], [state.entropy])
            upper.set_data([at], [self._below(state.cross)])
        for text, says in zip(self.says, self._numbers(state), strict=True):
            text.set_text(says)

    def _below(self, values):
        return np.where(values <= self.top, values, np.nan)

    def _numbers(self, state):
        beyond = "" if state.cross <= self.top else " ↑"
        return (
            f"■ cross-entropy H(p, q) = {tell(state.cross, 3)}{beyond}",
            f"● entropy H(p) = {tell(state.entropy, 3)}",
            f"▌ the gap, KL(p‖q) = {tell(state.kl, 3)}",
        )

    def describe(self, state):
        return (
            f"A coin that shows heads with probability {tell(state.p, 2)}, and a belief of {tell(state.q, 2)}: entropy "
            f"{tell(state.entropy, 3)} bits, cross-entropy {tell(state.cross, 3)} bits, divergence {tell(state.kl, 3)} "
            f"bits. Left: the entropy against p, and the cross-entropy, a straight line that touches it at q. "
            f"Right: the cross-entropy against q is lowest at p."
        )

    @invariant("the cross-entropy is the entropy plus the divergence")
    def _gap(self, state):
        return np.isclose(state.cross, state.entropy + state.kl)

    @invariant("the divergence is never negative")
    def _positive(self, state):
        return state.kl >= -1e-12

    @invariant("the entropy is at most 1 bit, its value at p = ½")
    def _peak(self, state):
        return state.entropy <= 1 + 1e-12 and (not np.isclose(state.p, 0.5) or np.isclose(state.entropy, 1))

    @invariant("the nearer q is to p, the lower the cross-entropy", along="q")
    def _bowl(self, before, after):
        if after.q <= before.p:
            return after.cross <= before.cross + 1e-12
        return before.q < before.p or after.cross >= before.cross - 1e-12

    @invariant("the straight line is the cross-entropy")
    def _straight(self, state):
        return np.isclose((1 - state.p) * state.line[0] + state.p * state.line[1], state.cross)


def _coin(t):
    """The distribution of a coin that shows heads with probability t."""
    return np.array([t, 1 - t])


def _bits(nats):
    return nats / np.log(2)
