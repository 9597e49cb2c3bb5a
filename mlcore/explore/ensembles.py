"""The figures of 18 ensembles."""

from types import SimpleNamespace

import numpy as np
from matplotlib.colors import ListedColormap, NoNorm
from matplotlib.image import PcolorImage

from mlcore import decision_trees as trees
from mlcore import ensembles
from mlcore.engine.explorers import Explorer, Pick, Slider, invariant, style, tell

_ON_WHITE = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 2}


class Crowd(Explorer):
    """The mean of k deep regression trees, each grown on its own bootstrap sample of the same 60 points."""

    height = 380
    k = Slider("k", "trees", 1, 100, 30, step=1, play=True)

    def prepare(self):
        rng = np.random.default_rng(4)
        self.x = np.sort(rng.uniform(0, 1, 60))
        self.y = self._truth(self.x) + 0.3 * rng.normal(size=60)
        self.at = np.linspace(0, 1, 401)
        bags = ensembles.bag(trees.grow, self.x[:, None], self.y, int(self.k.high), np.random.default_rng(0))
        self.steps = np.array([trees.predict(tree, self.at[:, None]) for _, tree in bags])
        self.means = np.cumsum(self.steps, axis=0) / np.arange(1, len(self.steps) + 1)[:, None]
        truth = self._truth(self.at)
        self.single = np.mean((self.steps - truth) ** 2, axis=1)
        self.errors = np.mean((self.means - truth) ** 2, axis=1)

    def _truth(self, x):
        return np.sin(2 * np.pi * x) + (x > 0.6)

    def compute(self, k):
        return SimpleNamespace(k=k, mean=self.means[k - 1], error=self.errors[k - 1], single=self.single[:k].mean())

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
        left.set_xlim(-0.01, 1.01)
        left.set_ylim(-1.5, 2.1)
        left.set_xlabel("x")
        left.set_title("The mean is calmer than its members")
        left.plot(self.at, self.steps[:10].T, color=style.SECOND, linewidth=0.6, alpha=0.35)
        gap = np.where(np.abs(self.at - 0.6) < 2e-3, np.nan, self._truth(self.at))
        left.plot(self.at, gap, color=style.TRUTH, linestyle="--", linewidth=1.5)
        left.scatter(self.x, self.y, color=style.DATA, s=14)
        left.text(0.01, -0.75, "thin: ten single trees", color="#a0527d")
        left.text(0.01, -1.0, "dashed: the truth", color="#6f6f6f")
        left.text(0.01, -1.25, "thick: the mean of k", color=style.MODEL, fontweight="bold")
        (self.line,) = left.plot([], [], color=style.MODEL, linewidth=2.2)
        self.moving(self.line)
        right.set_xlim(0, self.k.high + 2)
        right.set_ylim(0, 0.115)
        right.set_xlabel("k, trees")
        right.set_ylabel("mean squared error against the truth")
        right.set_title("The error falls, then stays")
        right.plot(np.arange(1, len(self.errors) + 1), self.errors, color=style.MODEL)
        right.axhline(self.single.mean(), color=style.SECOND, linestyle="--")
        right.text(self.k.high, self.single.mean() + 0.002, "one tree, on average", color="#a0527d", ha="right")
        (self.now,) = right.plot([], [], "o", color=style.ERROR, markersize=8, linestyle="none")
        self.moving(self.now)
        self.readout = self.moving(right.text(0.97, 0.05, "", transform=right.transAxes, ha="right"))

    def update(self, state):
        self.line.set_data(self.at, state.mean)
        self.now.set_data([state.k], [state.error])
        self.readout.set_text(f"k = {state.k}: {state.error:.3f}")

    def describe(self, state):
        return (
            f"The mean of {_number(state.k, 'deep regression tree')}, each grown on a bootstrap sample of the same 60 "
            f"points, has a mean squared error of {state.error:.3f} against the truth; alone they have "
            f"{state.single:.3f} on average."
        )

    @invariant("the mean is never worse than its members on average")
    def _convex(self, state):
        return state.error <= state.single + 1e-12


class Floor(Explorer):
    """The variance of a mean of k learners against k, for a correlation ρ."""

    height = 350
    rho = Slider("ρ", "correlation of two learners", 0.0, 1.0, 0.4, step=0.02)
    k = Slider("k", "learners", 1, 100, 25, step=1)

    def compute(self, rho, k):
        at = np.arange(1, 101)
        return SimpleNamespace(
            rho=rho,
            k=k,
            at=at,
            curve=ensembles.average_variance(rho, 1.0, at),
            value=ensembles.average_variance(rho, 1.0, k),
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(0, 102)
        axes.set_ylim(0, 1.2)
        axes.set_yticks(np.linspace(0, 1, 6))
        axes.set_xlabel("k, learners")
        axes.set_ylabel("variance of the mean, in units of σ²")
        axes.set_title("Averaging removes only what the learners do not share")
        axes.plot(np.arange(1, 101), 1 / np.arange(1, 101), color=style.TRUTH, linestyle="--", linewidth=1.5)
        axes.text(0.02, 0.97, "- - independent learners: 1/k", transform=axes.transAxes, color="#6f6f6f", va="top")
        (self.curve,) = axes.plot([], [], color=style.MODEL)
        self.floor = axes.axhline(0, color=style.ERROR, linewidth=1.5, linestyle=":")
        (self.now,) = axes.plot([], [], "o", color=style.MODEL, markersize=8, linestyle="none")
        self.word = axes.text(101, 0, "", color=style.ERROR, ha="right", va="top", fontweight="bold")
        self.readout = axes.text(0.98, 0.97, "", transform=axes.transAxes, ha="right", va="top")
        for artist in (self.curve, self.floor, self.now, self.word, self.readout):
            self.moving(artist)

    def update(self, state):
        self.curve.set_data(state.at, state.curve)
        self.floor.set_ydata([state.rho, state.rho])
        self.now.set_data([state.k], [state.value])
        self.word.set_text("the floor ρσ²")
        self.word.set_y(state.rho - 0.035 if state.rho > 0.1 else state.rho + 0.16)
        self.readout.set_text(f"ρ = {state.rho:.2f}, k = {state.k}: variance {state.value:.3f} σ²")

    def describe(self, state):
        return (
            f"The mean of {_number(state.k, 'learner')} with correlation {state.rho:.2f} has {state.value:.3f} of the "
            f"variance of one learner; however many there are, {state.rho:.2f} remains. Independent learners would "
            f"have {1 / state.k:.3f}."
        )

    @invariant("the variance is between the floor ρσ² and σ²")
    def _between(self, state):
        return state.rho - 1e-12 <= state.value <= 1 + 1e-12

    @invariant("another learner never raises the variance", along="k")
    def _falls(self, before, after):
        return after.value <= before.value + 1e-12

    @invariant("more correlation never lowers it", along="rho")
    def _rises(self, before, after):
        return after.value >= before.value - 1e-12


class LeftOut(Explorer):
    """One bootstrap sample of n points, and the share of points that it misses."""

    height = 340
    n = Slider("n", "points", 2, 100, 40, step=1)

    def prepare(self):
        self.draws = np.random.default_rng(6).random(int(self.n.high))

    def compute(self, n):
        counts = np.bincount((self.draws[:n] * n).astype(int), minlength=n)
        return SimpleNamespace(n=n, counts=counts, missed=np.mean(counts == 0), expected=ensembles.left_out(n))

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.3, 1))
        left.set_xlim(-1, 100)
        left.set_ylim(-0.6, 6.3)
        left.set_xlabel("point")
        left.set_ylabel("times drawn")
        left.set_title("A bootstrap sample misses some points")
        (self.drawn,) = left.plot([], [], "o", color=style.MODEL, markersize=4, linestyle="none")
        (self.never,) = left.plot([], [], "x", color=style.ERROR, markersize=6, linestyle="none")
        right.set_xlim(0, 102)
        right.set_ylim(0.2, 0.45)
        right.set_xlabel("n, points")
        right.set_ylabel("probability to be missed")
        right.set_title("Soon it is 36.8%")
        at = np.arange(2, 101)
        right.plot(at, ensembles.left_out(at), color=style.MODEL)
        right.axhline(np.exp(-1), color=style.TRUTH, linestyle="--")
        right.text(100, np.exp(-1) + 0.006, "1/e", color="#6f6f6f", ha="right")
        (self.now,) = right.plot([], [], "o", color=style.ERROR, markersize=8, linestyle="none")
        self.word = left.text(0.98, 0.97, "", transform=left.transAxes, ha="right", va="top", bbox=_ON_WHITE)
        self.readout = right.text(0.97, 0.05, "", transform=right.transAxes, ha="right")
        for artist in (self.drawn, self.never, self.now, self.word, self.readout):
            self.moving(artist)

    def update(self, state):
        at = np.arange(state.n)
        seen = state.counts > 0
        self.drawn.set_data(at[seen], state.counts[seen])
        self.never.set_data(at[~seen], state.counts[~seen])
        self.now.set_data([state.n], [state.expected])
        self.word.set_text(f"× never drawn: {np.sum(~seen)} of {state.n}")
        self.readout.set_text(f"n = {state.n}: {state.expected:.4f}")

    def describe(self, state):
        return (
            f"A bootstrap sample of {state.n} points misses {np.sum(state.counts == 0)} of them, {state.missed:.0%}. "
            f"The probability to be missed is {state.expected:.4f}; its limit is 0.3679."
        )

    @invariant("as many draws as points")
    def _all(self, state):
        return state.counts.sum() == state.n

    @invariant("the probability grows towards 1/e", along="n")
    def _grows(self, before, after):
        return before.expected <= after.expected < np.exp(-1)


def _number(count, what):
    return f"one {what}" if count == 1 else f"{count} {what}s"


def problem(n, rng):
    """Six features, of which three matter, and a class that is noisy."""
    X = rng.normal(size=(n, 6))
    return X, ((X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * rng.normal(size=n)) > 0).astype(int)


class Forest(Explorer):
    """Errors of a forest against its size: of one tree, of the out-of-bag vote, and on new points."""

    height = 370
    tries = Pick("m", "features tried at each split", ("2 of 6", "1 of 6", "6 of 6"))
    k = Slider("k", "trees", 1, 50, 50, step=1)

    def prepare(self):
        rng = np.random.default_rng(0)
        (X, y), (X_new, y_new) = problem(400, rng), problem(1000, rng)
        self.results = {}
        for name in self.tries.options:
            m = int(name[0])

            def learn(X, Y, m=m):
                return trees.grow(X, Y, tries=m, rng=rng)

            grown = list(ensembles.bag(learn, X, trees.one_hot(y, 2), int(self.k.high), rng))
            out = np.array([counts == 0 for counts, _ in grown])
            old, new = (np.array([trees.classify(tree, Z) for _, tree in grown]) for Z in (X, X_new))
            self.results[name] = SimpleNamespace(
                single=np.array([np.mean(a[o] != y[o]) for a, o in zip(old, out, strict=True)]),
                oob=self._vote_errors(old, out, y),
                test=self._vote_errors(new, np.ones(new.shape, dtype=bool), y_new),
                alike=np.mean(np.corrcoef(new)[np.triu_indices(len(new), 1)]),
            )

    def _vote_errors(self, labels, counted, y):
        """The error of the vote of the first 1, 2, … trees, over the points that have a vote."""
        ones, all_ = np.cumsum(counted * labels, axis=0), np.cumsum(counted, axis=0)
        return np.sum(((2 * ones > all_) != y) & (all_ > 0), axis=1) / np.sum(all_ > 0, axis=1)

    def compute(self, tries, k):
        r = self.results[tries]
        return SimpleNamespace(
            tries=tries, k=k, r=r, single=r.single.mean(), oob=r.oob[k - 1], test=r.test[k - 1], alike=r.alike
        )

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_xlim(0, 51)
        axes.set_ylim(0.15, 0.45)
        axes.set_xlabel("k, trees")
        axes.set_ylabel("share of wrong labels")
        axes.set_title("The out-of-bag vote tells the error of the forest, not that of its trees")
        at = np.arange(1, int(self.k.high) + 1)
        self.at = at
        (self.oob,) = axes.plot([], [], color=style.MODEL)
        (self.test,) = axes.plot([], [], color=style.REFERENCE, linestyle="--")
        self.single = axes.axhline(0.3, color=style.ERROR, linestyle=":")
        (self.dots,) = axes.plot([], [], "o", color="black", markersize=6, linestyle="none")
        self.word = axes.text(50.5, 0.3, "one tree, out of bag: the mean", color=style.ERROR, ha="right", va="top")
        axes.text(0.03, 0.05, "— vote out of bag", color=style.MODEL, transform=axes.transAxes, fontweight="bold")
        axes.text(0.3, 0.05, "- - vote on new points", color=style.REFERENCE, transform=axes.transAxes)
        self.readout = axes.text(0.98, 0.97, "", transform=axes.transAxes, ha="right", va="top", bbox=_ON_WHITE)
        for artist in (self.oob, self.test, self.single, self.dots, self.word, self.readout):
            self.moving(artist)

    def update(self, state):
        self.oob.set_data(self.at, state.r.oob)
        self.test.set_data(self.at, state.r.test)
        self.single.set_ydata([state.single, state.single])
        self.word.set_y(state.single - 0.004)
        self.dots.set_data([state.k, state.k], [state.oob, state.test])
        self.readout.set_text(
            f"one tree {state.single:.3f}\nvote out of bag {state.oob:.3f}\nvote on new points {state.test:.3f}\n"
            f"correlation of two trees {state.alike:.2f}"
        )

    def describe(self, state):
        return (
            f"A forest of {_number(state.k, 'tree')}, {state.tries} features tried at each split: one tree errs on "
            f"{state.single:.3f} of its out-of-bag points on average, the out-of-bag vote on {state.oob:.3f}, and the "
            f"vote on {state.test:.3f} of new points. Two trees have a correlation of {state.alike:.2f} on new points."
        )

    @invariant("a full forest errs less than one of its trees")
    def _helps(self, state):
        return state.k < 50 or max(state.oob, state.test) < state.single

    @invariant("with 50 trees the out-of-bag vote is near the error on new points")
    def _honest(self, state):
        return state.k < 50 or abs(state.oob - state.test) < 0.05

    @invariant("fewer features at a split make the trees less alike")
    def _apart(self, state):
        alike = [self.results[name].alike for name in ("1 of 6", "2 of 6", "6 of 6")]
        return alike == sorted(alike)


class Boosting(Explorer):
    """AdaBoost with stumps on a disc: the weights of the points, the errors with their bound, the margins."""

    height = 400
    T = Slider("T", "rounds", 1, 150, 20, step=1, play=True)
    wrong = Pick("", "wrong labels", ("none", "10%"))

    def prepare(self):
        rng = np.random.default_rng(2)
        most = int(self.T.high)
        X, X_new = rng.uniform(-1, 1, size=(160, 2)), rng.uniform(-1, 1, size=(1000, 2))
        luck = rng.permutation(160) / 160  # the share of wrong labels is exact
        side = 60
        middle = (np.arange(side) + 0.5) / side * 2 - 1
        cells = np.column_stack([a.ravel() for a in np.meshgrid(middle, middle)])
        self.X, self.results = X, {}
        for name, share in (("none", 0.0), ("10%", 0.1)):
            s = self._side(X) * np.where(luck < share, -1, 1)
            rounds = list(ensembles.adaboost(X, s, most))
            F, F_new, F_cells = (np.cumsum(ensembles.scores(rounds, Z), axis=0) for Z in (X, X_new, cells))
            alpha = np.cumsum([r.alpha for r in rounds])
            self.results[name] = SimpleNamespace(
                s=s,
                flipped=luck < share,
                P=np.array([r.P for r in rounds]),
                margins=s * F / alpha[:, None],
                train=np.mean(s * F <= 0, axis=1),
                bound=np.cumprod([ensembles.normaliser(r.eps) for r in rounds]),
                loss=np.mean(np.exp(-s * F), axis=1),
                test=np.mean(self._side(X_new) * F_new <= 0, axis=1),
                cells=(F_cells > 0).reshape(-1, side, side).astype(int),
            )

    def _side(self, X):
        return np.where(np.sum(X**2, axis=1) < 0.6, 1, -1)

    def compute(self, T, wrong):
        r = self.results[wrong]
        return SimpleNamespace(
            T=T,
            wrong=wrong,
            r=r,
            P=r.P[T - 1],
            margins=np.sort(r.margins[T - 1]),
            train=r.train[T - 1],
            bound=r.bound[T - 1],
            test=r.test[T - 1],
            heavy=np.sum(r.P[T - 1][r.flipped]),
        )

    def draw(self, figure):
        panels = figure.subplot_mosaic([["points", "errors"], ["points", "margins"]], height_ratios=(1.7, 1))
        left, right, below = panels["points"], panels["errors"], panels["margins"]
        left.set_xlim(-1, 1)
        left.set_ylim(-1, 1)
        left.set_xticks([])
        left.set_yticks([])
        left.set_xlabel("● class +1, ■ class −1; size: weight of the point")
        left.set_title("Hard points become heavy")
        self.edges = np.linspace(-1, 1, 61)
        colours = ListedColormap(["white", "#cfe3f1"])
        self.cells = self.moving(left.add_image(PcolorImage(left, norm=NoNorm(), cmap=colours, in_layout=False)))
        angle = np.linspace(0, 2 * np.pi, 200)
        circle = np.sqrt(0.6) * np.array([np.cos(angle), np.sin(angle)])
        (edge,) = left.plot(*circle, "--", color=style.TRUTH, zorder=1)  # below the points
        self.plus = left.scatter([], [], marker="o", color=style.MODEL, alpha=0.75, linewidths=0)
        self.minus = left.scatter([], [], marker="s", color=style.ERROR, alpha=0.75, linewidths=0)
        for artist in (edge, self.plus, self.minus):
            self.moving(artist)
        right.set_xlim(0, self.T.high + 2)
        right.set_ylim(-0.02, 1.02)
        right.set_xlabel("T, rounds")
        right.set_title("The bound caps the training error")
        (self.bound,) = right.plot([], [], color=style.TRUTH, linestyle="--")
        (self.train,) = right.plot([], [], color=style.MODEL)
        (self.test,) = right.plot([], [], color=style.REFERENCE, linestyle=":")
        (self.dots,) = right.plot([], [], "o", color="black", markersize=5, linestyle="none")
        below.set_xlim(-1, 1)
        below.set_ylim(0, 1.03)
        below.set_xticks([-1, -0.5, 0, 0.5, 1])
        below.set_xlabel("margin sF/Σα")
        below.set_ylabel("share below")
        below.axvline(0, color=style.TRUTH, linewidth=1)
        (self.margins,) = below.plot([], [], color=style.SECOND)
        self.readout = right.text(0.98, 0.98, "", transform=right.transAxes, ha="right", va="top", bbox=_ON_WHITE)
        for artist in (self.bound, self.train, self.test, self.dots, self.margins, self.readout):
            self.moving(artist)

    def update(self, state):
        r = state.r
        self.cells.set_data(self.edges, self.edges, r.cells[state.T - 1])
        for dots, sign in ((self.plus, 1), (self.minus, -1)):
            dots.set_offsets(self.X[r.s == sign])
            dots.set_sizes(6 + 18 * len(self.X) * state.P[r.s == sign])
        at = np.arange(1, len(r.train) + 1)
        for curve, values in ((self.bound, r.bound), (self.train, r.train), (self.test, r.test)):
            curve.set_data(at, values)
        self.dots.set_data([state.T] * 3, [state.bound, state.train, state.test])
        self.margins.set_data(state.margins, np.arange(1, len(self.X) + 1) / len(self.X))
        self.readout.set_text(
            f"- - bound {state.bound:.3f}\n— training error {state.train:.3f}\n··· error on new points {state.test:.3f}"
        )

    def describe(self, state):
        heavy = f" The wrong labels carry {state.heavy:.0%} of the weight." if state.wrong != "none" else ""
        return (
            f"AdaBoost with stumps on 160 points in and around a disc, wrong labels: {state.wrong}. After "
            f"{_number(state.T, 'round')} the training error is {state.train:.3f}, its bound {state.bound:.3f}, the "
            f"error on new points {state.test:.3f}, the smallest margin {tell(state.margins[0], 3)}.{heavy}"
        )

    @invariant("the training error is at most the bound")
    def _bounded(self, state):
        return state.train <= state.bound + 1e-12

    @invariant("the bound never rises", along="T")
    def _falls(self, before, after):
        return after.bound <= before.bound + 1e-12

    @invariant("the bound is the mean exponential loss, and the weights sum to 1")
    def _loss(self, state):
        return np.isclose(state.bound, state.r.loss[state.T - 1]) and np.isclose(state.P.sum(), 1)
