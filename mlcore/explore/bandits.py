"""The figures of 29 bandits."""

import functools
from types import SimpleNamespace

import numpy as np

from mlcore import bandits
from mlcore.engine.explorers import Explorer, LogSlider, Slider, invariant, style, tell

MU = np.array([0.5, 0.6, 0.7])
NAMES = ("A", "B", "C")
RULES = ("UCB", "ε-greedy")


def _plays(rewards, rounds, index=bandits.greedy, **how):
    """N after the given rounds of `bandits.play`: shape (len(rounds), runs, K)."""
    wanted = set(rounds)
    return np.array([N for t, (N, _) in enumerate(bandits.play(rewards, index, **how), 1) if t in wanted])


def _strands(x, curves):
    """Many curves over the same x as one line with gaps: curves is (len(x), count)."""
    gap = np.full(curves.shape[1], np.nan)
    return np.tile([*x, np.nan], curves.shape[1]), np.vstack([curves, gap]).T.ravel()


class Hospitals(Explorer):
    """200 hospitals that try every treatment once and then always give the one that looks best."""

    height = 360
    runs, T = 200, 1000

    def prepare(self):
        rewards = bandits.draw(MU, self.T, self.runs, np.random.default_rng(0))
        self.rounds = np.arange(20, self.T + 1, 20)
        self.N = _plays(rewards, self.rounds, Q0=2.0)

    def compute(self):
        regret = bandits.regret_of_plays(self.N, MU)
        favourite = self.N[-1].argmax(axis=1)
        share = [np.mean(favourite == i) for i in range(3)]
        return SimpleNamespace(N=self.N, regret=regret, favourite=favourite, share=share)

    def draw(self, figure):
        state = self.compute()
        axes = figure.subplots()
        axes.set_xlim(0, self.T * 1.22)
        axes.set_ylim(-5, 208)
        axes.set_xticks(range(0, self.T + 1, 200))
        axes.set_xlabel("patients")
        axes.set_ylabel("cures lost against treatment C")
        axes.set_title("After a few patients most hospitals never change their minds, right or wrong")
        for i, colour, marker in ((0, style.ERROR, "x"), (1, style.SECOND, "s"), (2, style.MODEL, "o")):
            lost = state.regret[:, state.favourite == i]
            axes.plot(*_strands(self.rounds, lost), color=colour, linewidth=0.9, alpha=0.5)
            axes.plot(np.full(lost.shape[1], self.T), lost[-1], marker, color=colour, markersize=4, alpha=0.5)
            where = (0.2, 0.1, 0.0)[i] * self.T
            axes.text(
                self.T * 1.02, where, f"{state.share[i]:.0%} settle on {NAMES[i]}", color=colour, fontweight="bold"
            )

    def describe(self, state):
        parts = ", ".join(f"{share:.0%} on {name}" for share, name in zip(state.share, NAMES, strict=True))
        return (
            f"Cures lost in {self.runs} hospitals with {self.T} patients each: nearly straight lines of slope 0, 0.1 "
            f"or 0.2. The hospitals settle on one treatment, {parts}; the last is the best. "
            f"On average a hospital loses {tell(state.regret[-1].mean())} cures."
        )

    @invariant("regret never falls along t")
    def _rises(self, state):
        return np.all(np.diff(state.regret, axis=0) >= 0)

    @invariant("the plays of a hospital sum to its patients")
    def _sums(self, state):
        return np.all(state.N.sum(axis=2) == self.rounds[:, None])


class Greedy(Explorer):
    """ε-greedy with the start value Q₀: regret and plays of 200 runs."""

    height = 380
    eps = Slider("ε", "exploration", 0.0, 0.5, 0.1, step=0.01)
    Q0 = Slider("Q₀", "value before the first play", -0.5, 1.5, 1.5, step=0.05)
    runs, T = 200, 1000

    def prepare(self):
        self.rewards = bandits.draw(MU, self.T, self.runs, np.random.default_rng(0))
        self.rounds = np.arange(25, self.T + 1, 25)

    def compute(self, eps, Q0):
        N = _plays(self.rewards, self.rounds, eps=eps, rng=np.random.default_rng(1), Q0=Q0)
        regret = bandits.regret_of_plays(N, MU)
        return SimpleNamespace(
            eps=eps,
            Q0=Q0,
            N=N,
            regret=regret,
            mean=regret.mean(axis=1),
            floor=bandits.regret_slope(MU, eps) * self.rounds,
            settled=np.mean(N[-1].argmax(axis=1) == 2),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(2.2, 1))
        left.set_xlim(0, self.T)
        left.set_ylim(-4, 210)
        left.set_xlabel("t, patients")
        left.set_ylabel("regret")
        left.set_title("Exploring forever costs a straight line, never exploring a steeper one")
        (self.strands,) = left.plot([], [], color="#a9cfe6", linewidth=0.8)
        (self.floor,) = left.plot([], [], color=style.REFERENCE, linestyle="--")
        (self.mean,) = left.plot([], [], color=style.MODEL, linewidth=3)
        words = (
            (0.97, f"mean regret of {self.runs} runs", style.MODEL),
            (0.91, "exploring alone  – –", style.REFERENCE),
            (0.85, "of the runs play C most often", style.DATA),
        )
        self.numbers = []
        for y, word, colour in words:
            left.text(0.12, y, word, transform=left.transAxes, va="top", color=colour)
            self.numbers.append(left.text(0.1, y, "", transform=left.transAxes, va="top", ha="right", color=colour))
        right.set_xlim(0, self.T * 1.28)
        right.set_ylim(2.6, -0.6)
        right.set_xticks([0, 500, 1000])
        right.set_yticks(range(3), [f"{name}  Δ = {0.7 - m:.1g}" for name, m in zip(NAMES, MU, strict=True)])
        right.set_xlabel("mean plays of each arm")
        right.grid(axis="y", visible=False)
        self.bars = right.barh(range(3), [0, 0, 0], color=[style.TRUTH, style.TRUTH, style.MODEL], height=0.6)
        self.counts = [right.text(0, i, "", va="center") for i in range(3)]
        for artist in (self.strands, self.floor, self.mean, *self.numbers, *self.bars, *self.counts):
            self.moving(artist)

    def update(self, state):
        self.strands.set_data(*_strands(self.rounds, state.regret[:, :40]))
        self.mean.set_data(self.rounds, state.mean)
        self.floor.set_data(self.rounds, state.floor)
        told = f"{state.mean[-1]:.0f}", f"{state.floor[-1]:.0f}", f"{state.settled:.0%}"
        for number, text in zip(self.numbers, told, strict=True):
            number.set_text(text)
        for bar, count, plays in zip(self.bars, self.counts, state.N[-1].mean(axis=0), strict=True):
            bar.set_width(plays)
            count.set_text(f"{plays:.0f}")
            count.set_x(plays + 20)

    def describe(self, state):
        plays = ", ".join(f"{name} {tell(n)}" for name, n in zip(NAMES, state.N[-1].mean(axis=0), strict=True))
        return (
            f"ε = {state.eps:.2g}, Q₀ = {tell(state.Q0, 2)}: after {self.T} patients the mean regret of {self.runs} "
            f"runs is {state.mean[-1]:.1f}, of which exploring alone costs {state.floor[-1]:.1f}. "
            f"Mean plays: {plays}. In {state.settled:.0%} of the runs the best arm C is played most often."
        )

    @invariant("regret never falls along t")
    def _rises(self, state):
        return np.all(np.diff(state.regret, axis=0) >= 0)

    @invariant("the plays of a run sum to t")
    def _sums(self, state):
        return np.all(state.N.sum(axis=2) == self.rounds[:, None])

    @invariant("the mean regret is not below what exploring alone costs")
    def _floor(self, state):
        return np.all(state.mean >= state.floor - 1)

    @invariant("with much exploration the slope of the second half is that of exploring alone")
    def _slope(self, state):
        half = len(self.rounds) // 2
        slope = (state.mean[-1] - state.mean[half - 1]) / (self.T / 2)
        return state.eps < 0.2 or abs(slope - bandits.regret_slope(MU, state.eps)) < 0.006

    @invariant("the greedy rule with Q₀ below all rewards never leaves the first arm")
    def _locked(self, state):
        return state.eps > 0 or state.Q0 >= 0 or np.all(state.N[-1, :, 0] == self.T)


class Confidence(Explorer):
    """One run of UCB, round by round: the mean of each arm and the upper end of its interval."""

    height = 360
    t = Slider("t", "round", 10, 150, 45, step=1, play=True)
    rho = LogSlider("ρ", "width of the intervals", 0.05, 2.0, 0.5)
    mu = np.array([0.3, 0.5, 0.7])

    def prepare(self):
        self.rewards = bandits.draw(self.mu, self.t.high, 1, np.random.default_rng(8))

    def compute(self, t, rho):
        index = functools.partial(bandits.ucb, rho=rho)
        *_, (N, Q) = bandits.play(self.rewards[: t - 1], index)
        upper = index(Q, N, t)[0]
        return SimpleNamespace(t=t, rho=rho, N=N[0], Q=Q[0], upper=upper, arm=int(upper.argmax()))

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(-0.6, 2.6)
        axes.set_ylim(-0.3, 2.3)
        axes.set_xticks(range(3), [f"arm {name}" for name in NAMES])
        axes.set_ylabel("value of an arm")
        axes.grid(axis="x", visible=False)
        axes.set_title("The arm with the highest upper end is played, and its interval shrinks")
        for i, mean in enumerate(self.mu):
            axes.plot([i - 0.25, i + 0.25], [mean, mean], color=style.TRUTH, linestyle="--", linewidth=1.5)
        axes.text(0.27, self.mu[0], "true mean", color=style.TRUTH, va="center")
        self.arms = []
        for i in range(3):
            (stem,) = axes.plot([i, i], [0, 0], color=style.MODEL, linewidth=3)
            (mean,) = axes.plot([i], [0], "o", color=style.MODEL, markersize=8)
            (top,) = axes.plot([i], [0], "^", color=style.MODEL, markersize=9)
            label = axes.text(i, -0.22, "", ha="center")
            name = axes.text(i, 0, "", ha="center", va="bottom")
            self.arms.append([self.moving(artist) for artist in (stem, mean, top, label, name)])

    def update(self, state):
        for i, (stem, mean, top, label, name) in enumerate(self.arms):
            chosen = i == state.arm
            colour = style.ERROR if chosen else style.MODEL
            stem.set_data([i, i], [state.Q[i], state.upper[i]])
            mean.set_data([i], [state.Q[i]])
            top.set_data([i], [state.upper[i]])
            for artist in (stem, mean, top, name):
                artist.set_color(colour)
            label.set_text(f"N = {state.N[i]:.0f}")
            name.set_position((i, state.upper[i] + 0.07))
            name.set_text(f"{state.upper[i]:.2f}" + (" is played next" if chosen else ""))
            name.set_fontweight("bold" if chosen else "normal")

    def describe(self, state):
        arms = "; ".join(
            f"arm {NAMES[i]} has N = {state.N[i]:.0f}, mean {tell(state.Q[i], 2)}, upper end {state.upper[i]:.2f}"
            for i in range(3)
        )
        return f"Round {state.t} with ρ = {state.rho:.2g}: {arms}. Arm {NAMES[state.arm]} is played next."

    @invariant("the plays sum to the rounds played")
    def _sums(self, state):
        return state.N.sum() == state.t - 1

    @invariant("every arm has been played")
    def _all(self, state):
        return np.all(state.N >= 1)

    @invariant("the upper end of an arm that is not played rises", along="t")
    def _waiting(self, before, after):
        waits = after.N == before.N
        return np.all(after.upper[waits] > before.upper[waits])


RUNS, EPS = 200, 0.1
ROUNDS = np.unique(np.geomspace(1, 1000, 50).round()).astype(int)


def _arms(gap):
    return np.array([0.7 - gap, 0.7 - gap / 2, 0.7])


@functools.lru_cache(maxsize=4)
def _rewards(gap):
    return bandits.draw(_arms(gap), ROUNDS[-1], RUNS, np.random.default_rng(2))


@functools.lru_cache(maxsize=32)
def _simulate(gap, rho):
    """N at the rounds of the grid, by UCB or, where ρ is None, by ε-greedy: what the other controls leave alone."""
    rewards = _rewards(gap)
    if rho is None:
        return _plays(rewards, ROUNDS, eps=EPS, rng=np.random.default_rng(3), Q0=2.0)
    return _plays(rewards, ROUNDS, functools.partial(bandits.ucb, rho=rho))


class Regret(Explorer):
    """UCB and ε-greedy on a logarithmic time axis: 200 runs of each."""

    height = 400
    rho = LogSlider("ρ", "width of the intervals", 0.05, 5.0, 0.5)
    gap = Slider("Δ", "gap of the worst arm", 0.02, 0.7, 0.6, step=0.02)
    T = Slider("T", "horizon", 10, 1000, 1000, step=10)

    def compute(self, rho, gap, T):
        mu = _arms(gap)
        N = {"UCB": _simulate(gap, rho), "ε-greedy": _simulate(gap, None)}
        regret = {name: bandits.regret_of_plays(plays, mu) for name, plays in N.items()}
        mean = {name: r.mean(axis=1) for name, r in regret.items()}
        at = {name: np.interp(np.log([T / 2, T]), np.log(ROUNDS), m) for name, m in mean.items()}
        return SimpleNamespace(
            rho=rho,
            gap=gap,
            T=T,
            mu=mu,
            N=N,
            regret=regret,
            mean=mean,
            half={name: a[0] for name, a in at.items()},
            now={name: a[1] for name, a in at.items()},
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.set_xlim(5, 2000)
        axes.set_ylim(0, 92)
        axes.set_xticks([10, 100, 1000], ["10", "100", "1000"])
        axes.set_xlabel("t, round")
        axes.set_ylabel("regret")
        axes.set_title("UCB pays the same for every doubling of the time, ε-greedy pays double")
        self.parts = {}
        for name, colour, line in zip(RULES, (style.MODEL, style.ERROR), ("-", "--"), strict=True):
            (mean,) = axes.plot([], [], line, color=colour, linewidth=3)
            (edges,) = axes.plot([], [], line, color=colour, linewidth=0.8, alpha=0.7)
            (dots,) = axes.plot([], [], "o", color=colour, markersize=6)
            label = axes.text(1080, 0, name, color=colour, fontweight="bold", va="center")
            self.parts[name] = [self.moving(artist) for artist in (mean, edges, dots, label)]
        self.now = self.moving(axes.axvline(10, ymax=0.72, color=style.DATA, linewidth=1))
        corner = {"transform": axes.transAxes, "va": "top", "ha": "right"}
        axes.text(0.27, 0.97, "regret at T", **corner)
        axes.text(0.4, 0.97, "since T/2", **corner)
        self.numbers = {}
        for y, name, colour in zip((0.9, 0.84), RULES, (style.MODEL, style.ERROR), strict=True):
            axes.text(0.02, y, name, color=colour, fontweight="bold", transform=axes.transAxes, va="top")
            self.numbers[name] = [self.moving(axes.text(x, y, "", **corner)) for x in (0.27, 0.4)]
        axes.text(0.02, 0.77, "thin: 10% and 90% of the runs", transform=axes.transAxes, va="top", color=style.TRUTH)

    def update(self, state):
        self.now.set_xdata([state.T, state.T])
        ends = {name: m[-1] for name, m in state.mean.items()}
        upper, apart = max(ends, key=ends.__getitem__), abs(ends["UCB"] - ends["ε-greedy"])
        for name, (mean, edges, dots, label) in self.parts.items():
            mean.set_data(ROUNDS, state.mean[name])
            edges.set_data(*_strands(ROUNDS, np.percentile(state.regret[name], [10, 90], axis=1).T))
            dots.set_data([state.T / 2, state.T], [state.half[name], state.now[name]])
            shift = max(0.0, 5 - apart) / 2 * (1 if name == upper else -1)  # the labels keep their distance
            label.set_y(min(max(ends[name] + shift, 3), 89))
            now, since = self.numbers[name]
            now.set_text(f"{state.now[name]:.1f}")
            since.set_text(f"{state.now[name] - state.half[name]:.1f}")

    def describe(self, state):
        told = "; ".join(
            f"{n} {state.now[n]:.1f}, of which {state.now[n] - state.half[n]:.1f} since T/2" for n in RULES
        )
        return (
            f"Three arms with means {', '.join(tell(m, 2) for m in state.mu)}. Mean regret of {RUNS} runs at "
            f"T = {state.T}: {told}. UCB has ρ = {state.rho:.2g}, ε-greedy has ε = {EPS}."
        )

    @invariant("regret never falls along t")
    def _rises(self, state):
        return all(np.all(np.diff(r, axis=0) >= -1e-9) for r in state.regret.values())

    @invariant("the plays of a run sum to t")
    def _sums(self, state):
        return all(np.all(N.sum(axis=2) == ROUNDS[:, None]) for N in state.N.values())

    @invariant("UCB stays below its bound where ρ is about 2")
    def _bound(self, state):
        if not 1 < state.rho < 2.1:
            return True
        return all(r <= bandits.ucb_bound(state.mu, t) for t, r in zip(ROUNDS, state.mean["UCB"], strict=True))

    @invariant("where the gap is wide, UCB's last doubling is a small part of its regret")
    def _logarithmic(self, state):
        if state.gap < 0.4 or not 0.3 < state.rho < 2.1 or state.T < 500:
            return True
        return state.now["UCB"] - state.half["UCB"] < 0.33 * state.now["UCB"]

    @invariant("where the gap is wide, ε-greedy's last doubling is a straight line of slope ε times the mean gap")
    def _linear(self, state):
        if state.gap < 0.4 or state.T < 900:
            return True
        slope = (state.now["ε-greedy"] - state.half["ε-greedy"]) / (state.T / 2)
        return abs(slope / bandits.regret_slope(state.mu, EPS) - 1) < 0.25
