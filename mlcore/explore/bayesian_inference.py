"""The figures of 25 bayesian_inference."""

from types import SimpleNamespace

import numpy as np

from mlcore import bayesian_inference as bayes
from mlcore.engine.explorers import Explorer, LogSlider, Slider, invariant, style

# The density of the Earth in units of that of water: Cavendish's 29 values of 1798, in his order.
CAVENDISH = np.array(
    [
        *(5.50, 5.61, 4.88, 5.07, 5.26, 5.55, 5.36, 5.29, 5.58, 5.65, 5.57, 5.53, 5.62, 5.29, 5.44),
        *(5.34, 5.79, 5.10, 5.27, 5.39, 5.42, 5.47, 5.63, 5.34, 5.46, 5.30, 5.75, 5.68, 5.85),
    ]
)
CAVENDISH.setflags(write=False)
NOISE = 0.22  # the spread of one value, taken as known
MODERN = 5.51
DOUBLING = float(np.log10(2))  # one step of a slider for a spread


def _many(n, one, more):
    """A number with its noun."""
    return f"{n} {one if n == 1 else more}"


class Mint(Explorer):
    """Coins from a mint, six tosses of each, and where the coins lie that fell alike."""

    height = 380
    heads = Slider("m₁", "heads in six tosses", 0, 6, 6, step=1)
    tosses, made, a, b = 6, 40_000, 10, 10

    def prepare(self):
        rng = np.random.default_rng(0)
        self.theta = rng.beta(self.a, self.b, self.made)
        self.fell = rng.binomial(self.tosses, self.theta)
        self.edges = np.linspace(0, 1, 41)
        self.all = np.histogram(self.theta, self.edges, density=True)[0]

    def compute(self, heads):
        chosen = self.theta[self.fell == heads]
        return SimpleNamespace(
            heads=heads,
            count=len(chosen),
            bars=np.histogram(chosen, self.edges, density=True)[0],
            mean=chosen.mean(),
            share=heads / self.tosses,
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(0, 5.4)
        axes.set_xlabel("θ, probability of heads")
        axes.set_ylabel("share of coins per unit of θ")
        axes.set_title("Where coins come from says more about them than six tosses")
        axes.stairs(self.all, self.edges, color=style.TRUTH, linewidth=1.8)
        self.bars = self.moving(axes.stairs(np.zeros(40), self.edges, fill=True, color=style.MODEL, alpha=0.55))
        self.line = self.moving(axes.axvline(1, color=style.ERROR, linestyle="--"))
        axes.text(0.015, 5.05, "┌┐ all coins of the mint", color="#6b6b6b", fontweight="bold")
        self.told = self.moving(axes.text(0.015, 4.7, "", color=style.MODEL, fontweight="bold"))
        self.guess = self.moving(axes.text(0.015, 4.35, "", color=style.ERROR, fontweight="bold"))

    def update(self, state):
        self.bars.set_data(state.bars)
        self.line.set_xdata([state.share, state.share])
        self.told.set_text(
            f"■ the {state.count} coins with {_many(state.heads, 'head', 'heads')}: mean θ = {state.mean:.2f}"
        )
        self.guess.set_text(f"- - maximum likelihood: θ = {state.share:.2f}")

    def describe(self, state):
        return (
            f"{self.made:,} coins, most of them with θ between 0.3 and 0.7, were thrown six times each. "
            f"{state.count} of them fell heads {_many(state.heads, 'time', 'times')}. "
            f"Their θ have the mean {state.mean:.2f}; the share of heads is {state.share:.2f}."
        )

    @invariant("the chosen coins have the mean of the posterior")
    def _mean(self, state):
        want = bayes.posterior_mean(self.a, self.b, state.heads, self.tosses - state.heads)
        return abs(state.mean - want) < 0.4 / np.sqrt(state.count)

    @invariant("the chosen coins lie nearer to one half than their share of heads")
    def _fairer(self, state):
        return state.share == 0.5 or abs(state.mean - 0.5) < abs(state.share - 0.5)

    @invariant("more heads, a larger mean", along="heads")
    def _rises(self, before, after):
        return after.mean > before.mean


class Belief(Explorer):
    """Prior, likelihood and posterior of a coin, toss by toss."""

    height = 420
    a = Slider("a", "prior heads", 1.0, 20.0, 2.0, step=0.5)
    b = Slider("b", "prior tails", 1.0, 20.0, 2.0, step=0.5)
    n = Slider("n", "tosses", 0, 50, 6, step=1, play=True)
    truth = 0.7

    def prepare(self):
        later = np.random.default_rng(4).random(44) < self.truth
        self.x = np.concatenate([[1, 1, 1, 1, 0, 0], later]).astype(int)
        self.at = np.linspace(0, 1, 1201)[1:-1]

    def compute(self, a, b, n):
        m1 = int(self.x[:n].sum())
        m0 = n - m1
        posterior = bayes.beta_density(self.at, *bayes.coin_posterior(a, b, m1, m0))
        return SimpleNamespace(
            a=a,
            b=b,
            n=n,
            m1=m1,
            m0=m0,
            prior=bayes.beta_density(self.at, a, b),
            likelihood=bayes.beta_density(self.at, m1 + 1, m0 + 1),  # the likelihood, with the area 1
            posterior=posterior,
            mean=bayes.posterior_mean(a, b, m1, m0),
            weight=bayes.prior_weight(a, b, n),
            ends=bayes.central_interval(self.at, posterior),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(0, 1)
        axes.set_ylim(-0.35, 8.7)
        axes.set_yticks(range(0, 8, 2))
        axes.set_xlabel("θ, probability of heads")
        axes.set_ylabel("density")
        axes.set_title("The prior steers a few tosses and drowns in many")
        (self.prior,) = axes.plot([], [], color=style.TRUTH, linestyle="--")
        (self.likelihood,) = axes.plot([], [], color=style.ERROR, linestyle=":")
        (self.posterior,) = axes.plot([], [], color=style.MODEL)
        (self.bar,) = axes.plot([], [], color=style.MODEL, linewidth=5, solid_capstyle="butt")
        (self.dot,) = axes.plot([], [], "o", color="white", markeredgecolor=style.MODEL, markersize=7)
        self.says = axes.text(0.055, 8.25, "")
        for artist in (self.prior, self.likelihood, self.posterior, self.bar, self.dot, self.says):
            self.moving(artist)
        for x, text, colour in (
            (0.055, "- - prior", "#6b6b6b"),
            (0.175, "··· likelihood, scaled", style.ERROR),
            (0.425, "— posterior", style.MODEL),
            (0.58, "○ its mean, ▬ 95% of it", style.MODEL),
        ):
            axes.text(x, 7.75, text, color=colour, fontweight="bold")

    def update(self, state):
        self.prior.set_data(self.at, state.prior)
        self.likelihood.set_data(self.at, state.likelihood if state.n else np.full(len(self.at), np.nan))
        self.posterior.set_data(self.at, state.posterior)
        self.bar.set_data(state.ends, [-0.17, -0.17])
        self.dot.set_data([state.mean], [-0.17])
        low, high = state.ends
        self.says.set_text(
            f"{_many(state.m1, 'head', 'heads')}, {_many(state.m0, 'tail', 'tails')}: "
            f"Beta({state.a + state.m1:g}, {state.b + state.m0:g}), "
            f"mean {state.mean:.3f}, 95% in ({low:.3f}, {high:.3f}), weight of the prior {state.weight:.2f}"
        )

    def describe(self, state):
        low, high = state.ends
        return (
            f"Prior Beta({state.a:g}, {state.b:g}), then {_many(state.n, 'toss', 'tosses')} with "
            f"{_many(state.m1, 'head', 'heads')}: the posterior is "
            f"Beta({state.a + state.m1:g}, {state.b + state.m0:g}) with mean {state.mean:.3f}, and θ lies between "
            f"{low:.3f} and {high:.3f} with probability 95%. The prior has the weight {state.weight:.2f} in the mean."
        )

    @invariant("the posterior mean lies between the prior mean and the share of heads")
    def _between(self, state):
        prior = state.a / (state.a + state.b)
        share = state.m1 / state.n if state.n else prior
        return min(prior, share) - 1e-12 <= state.mean <= max(prior, share) + 1e-12

    @invariant("prior times likelihood, scaled to the area 1, is the posterior")
    def _bayes(self, state):
        product = bayes.bayes(state.prior, state.likelihood)
        return np.abs(product - state.posterior / state.posterior.sum()).max() < 1e-9

    @invariant("the weight of the prior falls with every toss", along="n")
    def _drowns(self, before, after):
        return after.weight < before.weight

    @invariant("a larger a never lowers the mean", along="a")
    def _raises(self, before, after):
        return after.mean > before.mean


class Earth(Explorer):
    """The density of the Earth: a prior, Cavendish's first n values, and the posterior."""

    height = 420
    mu0 = Slider("μ₀", "mean of the prior", 4.0, 6.5, 4.5, step=0.05)
    sigma0 = LogSlider("σ₀", "its spread", 0.05, 3.2, 0.2, step=DOUBLING)
    n = Slider("n", "measurements", 0, 29, 5, step=1, play=True)

    def prepare(self):
        self.at = np.linspace(3.8, 6.6, 900)

    def _bell(self, mu, var):
        return np.exp(-((self.at - mu) ** 2) / (2 * var)) / np.sqrt(2 * np.pi * var)

    def compute(self, mu0, sigma0, n):
        x = CAVENDISH[:n]
        mean, var = bayes.gaussian_posterior(x, mu0, sigma0, NOISE)
        return SimpleNamespace(
            mu0=mu0,
            sigma0=sigma0,
            x=x,
            mean=mean,
            spread=np.sqrt(var),
            weight=var / sigma0**2,
            prior=self._bell(mu0, sigma0**2),
            data=self._bell(x.mean(), NOISE**2 / n) if n else np.full(len(self.at), np.nan),
            posterior=self._bell(mean, var),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(3.8, 6.6)
        axes.set_ylim(-0.6, 15.6)
        axes.set_yticks(range(0, 13, 3))
        axes.set_xlabel("density of the Earth, water = 1")
        axes.set_ylabel("density of belief")
        axes.set_title("Every measurement adds the same precision, and the prior's share fades")
        axes.plot([MODERN, MODERN], [-0.6, 13.4], color=style.REFERENCE, linewidth=1.2)
        axes.text(MODERN + 0.02, 12.9, f"today {MODERN}", color=style.REFERENCE, fontweight="bold")
        (self.prior,) = axes.plot([], [], color=style.TRUTH, linestyle="--")
        (self.data,) = axes.plot([], [], color=style.ERROR, linestyle=":")
        (self.posterior,) = axes.plot([], [], color=style.MODEL)
        (self.ticks,) = axes.plot([], [], "|", color=style.DATA, markersize=10)
        self.says = axes.text(3.84, 14.8, "")
        for artist in (self.prior, self.data, self.posterior, self.ticks, self.says):
            self.moving(artist)
        for x, text, colour in (
            (3.84, "- - prior", "#6b6b6b"),
            (4.17, "··· the data alone", style.ERROR),
            (4.77, "— posterior", style.MODEL),
            (5.2, "| the measurements", style.DATA),
        ):
            axes.text(x, 13.9, text, color=colour, fontweight="bold")

    def update(self, state):
        self.prior.set_data(self.at, state.prior)
        self.data.set_data(self.at, state.data)
        self.posterior.set_data(self.at, state.posterior)
        self.ticks.set_data(state.x, np.full(len(state.x), -0.3))
        self.says.set_text(
            f"n = {len(state.x)}: posterior {state.mean:.3f} ± {state.spread:.3f}, "
            f"weight of the prior {state.weight:.3f}"
        )

    def describe(self, state):
        seen = "no measurement yet"
        if len(state.x):
            seen = f"{_many(len(state.x), 'measurement', 'measurements')} with mean {state.x.mean():.3f}"
        return (
            f"Prior N({state.mu0:.2f}, {state.sigma0:.3g}²), {seen}: the posterior has mean {state.mean:.3f} and "
            f"spread {state.spread:.3f}. The prior's share of the precision is {state.weight:.3f}."
        )

    @invariant("precision is the prior's plus one over σ² for each measurement")
    def _adds(self, state):
        return np.isclose(1 / state.spread**2, 1 / state.sigma0**2 + len(state.x) / NOISE**2)

    @invariant("the posterior mean is the average of μ₀ and x̄, weighted by precision")
    def _between(self, state):
        x_mean = state.x.mean() if len(state.x) else state.mu0
        return np.isclose(state.mean, state.weight * state.mu0 + (1 - state.weight) * x_mean)

    @invariant("each measurement narrows the posterior", along="n")
    def _narrows(self, before, after):
        return after.spread < before.spread

    @invariant("a vaguer prior counts less, if there are measurements", along="sigma0")
    def _fades(self, before, after):
        return len(after.x) == 0 or after.weight < before.weight


class Orders(Explorer):
    """Cavendish's values one at a time, in different orders."""

    height = 400
    order = Slider("k", "order of the values", 1, 30, 2, step=1)
    sigma0 = LogSlider("σ₀", "spread of the prior", 0.05, 3.2, 0.2, step=DOUBLING)
    mu0 = 4.5

    def prepare(self):
        rng = np.random.default_rng(7)
        self.orders = [np.arange(29), *(rng.permutation(29) for _ in range(29))]

    def _walk(self, order, sigma0):
        states = [(self.mu0, sigma0**2), *bayes.one_at_a_time(CAVENDISH[order], self.mu0, sigma0, NOISE)]
        return np.array(states).T

    def compute(self, order, sigma0):
        mean, var = self._walk(self.orders[order - 1], sigma0)
        first, _ = self._walk(self.orders[0], sigma0)
        return SimpleNamespace(
            order=order,
            sigma0=sigma0,
            mean=mean,
            spread=np.sqrt(var),
            first=first,
            batch=bayes.gaussian_posterior(CAVENDISH, self.mu0, sigma0, NOISE),
            apart=np.abs(mean - first).max(),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-0.5, 30.5)
        axes.set_ylim(4.3, 6.0)
        axes.set_xlabel("measurements seen")
        axes.set_ylabel("density of the Earth, water = 1")
        axes.set_title("The way depends on the order, the belief at the end does not")
        (self.first,) = axes.plot([], [], color=style.TRUTH, linewidth=1.5, linestyle="--")
        (self.low,) = axes.plot([], [], color=style.MODEL, linewidth=1, alpha=0.6)
        (self.high,) = axes.plot([], [], color=style.MODEL, linewidth=1, alpha=0.6)
        (self.mean,) = axes.plot([], [], "o-", color=style.MODEL, markersize=4)
        (self.batch,) = axes.plot([], [], "D", color=style.REFERENCE, markersize=8)
        self.says = axes.text(0.985, 0.05, "", transform=axes.transAxes, ha="right", linespacing=1.4)
        for artist in (self.first, self.low, self.high, self.mean, self.batch, self.says):
            self.moving(artist)
        for x, text, colour in (
            (1.5, "● this order, with ± one spread", style.MODEL),
            (13.3, "- - Cavendish's order", "#6b6b6b"),
            (21.8, "◆ all 29 at once", style.REFERENCE),
        ):
            axes.text(x, 5.9, text, color=colour, fontweight="bold")

    def update(self, state):
        steps = np.arange(30)
        self.first.set_data(steps, state.first)
        self.mean.set_data(steps, state.mean)
        self.low.set_data(steps, state.mean - state.spread)
        self.high.set_data(steps, state.mean + state.spread)
        self.batch.set_data([29.8], [state.batch[0]])
        self.says.set_text(
            f"at the end {state.mean[-1]:.4f} ± {state.spread[-1]:.4f}\nfarthest apart on the way: {state.apart:.3f}"
        )

    def describe(self, state):
        return (
            f"Order {state.order} of the 29 values, from the prior N(4.5, {state.sigma0:.3g}²): on the way the mean "
            f"differs from that in Cavendish's order by up to {state.apart:.3f}; at the end it is "
            f"{state.mean[-1]:.4f} ± {state.spread[-1]:.4f} in both, as with all values at once."
        )

    @invariant("the last belief is that of all values at once")
    def _same_end(self, state):
        return np.allclose([state.mean[-1], state.spread[-1] ** 2], state.batch, rtol=1e-12)

    @invariant("the spread falls with every value")
    def _narrows(self, state):
        return np.all(np.diff(state.spread) < 0)

    @invariant("the end is the same for neighbouring orders", along="order")
    def _no_order(self, before, after):
        return np.isclose(before.mean[-1], after.mean[-1], rtol=1e-12)
