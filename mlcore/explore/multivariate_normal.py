"""The figures of 22 multivariate_normal."""

from types import SimpleNamespace

import numpy as np

from mlcore import multivariate_normal as mvn
from mlcore.data import load
from mlcore.engine.explorers import Explorer, Slider, invariant, style, tell


class Flowers(Explorer):
    """Length and width of 150 sepals: as they are, and with the petals held fixed."""

    height = 360

    def prepare(self):
        self.X = load("iris").X
        self.sepals = self.X[:, :2]
        petals = np.column_stack([np.ones(len(self.X)), self.X[:, 2:]])
        self.left_over = self.sepals - petals @ np.linalg.lstsq(petals, self.sepals, rcond=None)[0]

    def compute(self):
        return SimpleNamespace(
            marginal=np.corrcoef(self.sepals.T)[0, 1],
            partial=np.corrcoef(self.left_over.T)[0, 1],
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        style.headline(figure, "The same sepals: hardly related, and closely related once the petals are known")
        state = self.compute()
        for axes, points, colour, marker, r in (
            (left, self.sepals, style.DATA, "o", state.marginal),
            (right, self.left_over, style.MODEL, "s", state.partial),
        ):
            axes.plot(*points.T, marker, color=colour, markersize=4, alpha=0.6, markeredgewidth=0)
            slope = r * points[:, 1].std() / points[:, 0].std()
            ends = np.array([points[:, 0].min(), points[:, 0].max()])
            axes.plot(ends, points[:, 1].mean() + slope * (ends - points[:, 0].mean()), color=colour, linewidth=1.5)
            says = {"ha": "right", "va": "top", "color": colour, "fontweight": "bold"}
            axes.text(0.98, 0.97, f"correlation {tell(r, 2)}", transform=axes.transAxes, **says)
        left.set_xlim(4, 8.2)
        left.set_ylim(1.8, 4.8)
        left.set_xlabel("sepal length in cm")
        left.set_ylabel("sepal width in cm")
        right.set_xlim(-1.3, 1.3)
        right.set_ylim(-1.2, 1.4)
        right.set_xlabel("what the petals leave over of the length")
        right.set_ylabel("… and of the width")

    def describe(self, state):
        return (
            f"Left: length and width of the sepals of 150 irises, with a correlation of {tell(state.marginal, 2)}. "
            f"Right: what is left of both after a linear fit on the length and the width of the petals, with a "
            f"correlation of {tell(state.partial, 2)}."
        )

    @invariant("the correlation of what is left over is the partial correlation")
    def _partial(self, state):
        return np.isclose(state.partial, mvn.partial_correlation(np.cov(self.X.T))[0, 1])

    @invariant("the sign changes")
    def _turns(self, state):
        return state.marginal < 0 < state.partial


class Conditional(Explorer):
    """Two standardised coordinates: the joint, the marginal, and the conditional at x_β."""

    height = 400
    rho = Slider("ρ", "correlation", -0.96, 0.96, 0.8, step=0.02)
    x_beta = Slider("x_β", "observed", -2.5, 2.5, 1.5, step=0.1)

    def prepare(self):
        angle = np.linspace(0, 2 * np.pi, 120)
        self.circle = np.stack([np.cos(angle), np.sin(angle)])
        self.at = np.linspace(-3.5, 3.5, 281)
        self.marginal = np.exp(mvn.logpdf(self.at[:, None], np.zeros(1), np.eye(1)))

    def compute(self, rho, x_beta):
        Sigma = np.array([[1.0, rho], [rho, 1.0]])  # x_β comes first: it is on the horizontal axis
        mean, covariance = mvn.conditional(np.array([x_beta]), np.zeros(2), Sigma, [1], [0])
        return SimpleNamespace(
            rho=rho,
            x_beta=x_beta,
            mean=mean[0],
            variance=covariance[0, 0],
            ellipse=np.linalg.cholesky(Sigma) @ self.circle,
            density=np.exp(mvn.logpdf(self.at[:, None], mean, covariance)),
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2, sharey=True)
        style.headline(figure, "What we observe moves what we do not, and narrows it")
        left.set_xlim(-3.5, 3.5)
        left.set_ylim(-3.5, 4.8)
        left.set_aspect("equal")
        left.set_xlabel(r"$x_\beta$, observed")
        left.set_ylabel(r"$x_\alpha$, not observed")
        right.set_xlim(0, 1.5)
        right.set_xlabel(r"density of $x_\alpha$")
        right.plot(self.marginal, self.at, color=style.TRUTH, linestyle="--", linewidth=1.5)
        right.text(0.05, 3.65, "- - before: mean 0.00, variance 1.00", color="#6b6b6b")
        self.rings = []
        for radius in (1, 2):
            (ring,) = left.plot([], [], color=style.DATA, linewidth=1.2)
            self.rings.append((radius, self.moving(ring)))
        (self.means,) = left.plot([], [], color=style.MODEL, linewidth=1, linestyle=":")
        (self.cut,) = left.plot([], [], color=style.ERROR, linewidth=1)
        (self.spread,) = left.plot([], [], color=style.MODEL, linewidth=5, alpha=0.6, solid_capstyle="butt")
        (self.dot,) = left.plot([], [], "o", color=style.MODEL, markersize=7)
        (self.curve,) = right.plot([], [], color=style.MODEL)
        self.readout = right.text(0.05, 4.2, "", color=style.MODEL)
        for artist in (self.means, self.cut, self.spread, self.dot, self.curve, self.readout):
            self.moving(artist)

    def update(self, state):
        for radius, ring in self.rings:
            ring.set_data(*(radius * state.ellipse))
        self.means.set_data([-3.5, 3.5], [-3.5 * state.rho, 3.5 * state.rho])
        self.cut.set_data([state.x_beta, state.x_beta], [-3.5, 4.8])
        sd = np.sqrt(state.variance)
        self.spread.set_data([state.x_beta, state.x_beta], [state.mean - sd, state.mean + sd])
        self.dot.set_data([state.x_beta], [state.mean])
        self.curve.set_data(state.density, self.at)
        self.readout.set_text(f"— after: mean {tell(state.mean, 2)}, variance {tell(state.variance, 2)}")

    def describe(self, state):
        return (
            f"Two coordinates with mean 0, variance 1 and correlation {tell(state.rho, 2)}, as ellipses at distance 1 "
            f"and 2. After observing x_β = {tell(state.x_beta, 1)}, x_α has the mean {tell(state.mean, 2)} and the "
            f"variance {tell(state.variance, 2)}; before, it had the mean 0 and the variance 1."
        )

    @invariant("the conditional mean is ρ times x_β, the conditional variance 1 − ρ²")
    def _moments(self, state):
        return np.isclose(state.mean, state.rho * state.x_beta) and np.isclose(state.variance, 1 - state.rho**2)

    @invariant("the conditional variance does not depend on what is observed", along="x_beta")
    def _same_variance(self, before, after):
        return np.isclose(before.variance, after.variance)

    @invariant("an observation never widens")
    def _narrows(self, state):
        return 0 < state.variance <= 1

    @invariant("joint = marginal of x_β times conditional")
    def _product(self, state):
        joint = mvn.logpdf(
            np.column_stack([np.full(len(self.at), state.x_beta), self.at]),
            np.zeros(2),
            np.array([[1.0, state.rho], [state.rho, 1.0]]),
        )
        here = mvn.logpdf(np.array([state.x_beta]), np.zeros(1), np.eye(1))
        return np.allclose(np.exp(joint - here), state.density)


class Graphs(Explorer):
    """Three coordinates with a precision Q: the Markov graph and the covariance graph."""

    height = 340
    q12 = Slider("q₁₂", "precision", -1.0, 1.0, -1.0, step=0.1)
    q13 = Slider("q₁₃", "precision", -0.9, 0.9, 0.0, step=0.1)
    q23 = Slider("q₂₃", "precision", -1.0, 1.0, -1.0, step=0.1)

    pairs = ((0, 1), (0, 2), (1, 2))
    nodes = np.array([[-1.2, -0.75], [0.0, 1.15], [1.2, -0.75]])

    def compute(self, q12, q13, q23):
        Q = np.round([[2, q12, q13], [q12, 2, q23], [q13, q23, 2]], 6)  # what the slider shows: 0, not 1e-17
        Sigma = mvn.standard(np.zeros(3), Q)[1]
        return SimpleNamespace(
            Q=Q,
            Sigma=Sigma,
            partial=mvn.partial_correlation(Sigma),
            correlation=mvn.correlation(Sigma),
            markov=mvn.markov_graph(Sigma),
            covariance=mvn.covariance_graph(Sigma),
        )

    def draw(self, figure):
        style.headline(figure, "A pair can be linked in one graph and not in the other")
        words = ("Markov graph, with partial correlations", "Covariance graph, with correlations")
        self.edges, self.numbers = [], []
        for axes, word in zip(figure.subplots(1, 2), words, strict=True):
            axes.set_xlim(-2.1, 2.1)
            axes.set_ylim(-1.75, 1.55)
            axes.set_axis_off()
            axes.set_title(word, fontweight="normal", loc="center")
            edges = []
            for i, j in self.pairs:
                ends, middle = self.nodes[[i, j]], self.nodes[[i, j]].mean(axis=0)
                (line,) = axes.plot(*(middle + 0.72 * (ends - middle)).T, solid_capstyle="butt")  # short of the circles
                at = middle + 0.45 * middle / np.linalg.norm(middle)
                label = axes.text(*at, "", ha="center", va="center", fontweight="bold")
                edges.append((i, j, self.moving(line), self.moving(label)))
            for i, node in enumerate(self.nodes):
                axes.plot(*node, "o", color="white", markeredgecolor=style.DATA, markersize=26)
                axes.text(*node, f"$X_{i + 1}$", ha="center", va="center_baseline", fontsize=12)
            self.edges.append(edges)
            self.numbers.append(self.moving(axes.text(0, -1.6, "", ha="center", va="center")))

    def update(self, state):
        sides = ((self.edges[0], state.markov, state.partial), (self.edges[1], state.covariance, state.correlation))
        for edges, graph, numbers in sides:
            for i, j, line, label in edges:
                r = numbers[i, j]
                colour = style.MODEL if r > 0 else style.ERROR
                line.set(visible=bool(graph[i, j]), linewidth=1.5 + 8 * abs(r), color=colour)
                label.set(text=tell(r, 2) if graph[i, j] else "no edge", color=colour if graph[i, j] else "#6b6b6b")
        for text, letter, M in zip(self.numbers, "qσ", (state.Q, state.Sigma), strict=True):
            text.set_text(",   ".join(f"{letter}{'₁₂₃'[i]}{'₁₂₃'[j]} = {tell(M[i, j], 2)}" for i, j in self.pairs))

    def describe(self, state):
        def told(graph, numbers):
            edges = [f"{i + 1}–{j + 1} ({tell(numbers[i, j], 2)})" for i, j in self.pairs if graph[i, j]]
            return ", ".join(edges) or "none"

        return (
            f"Q has 2 on its diagonal and q₁₂ = {tell(state.Q[0, 1], 1)}, q₁₃ = {tell(state.Q[0, 2], 1)}, "
            f"q₂₃ = {tell(state.Q[1, 2], 1)}. Edges of the Markov graph, with partial correlations: "
            f"{told(state.markov, state.partial)}. Edges of the covariance graph, with correlations: "
            f"{told(state.covariance, state.correlation)}."
        )

    @invariant("ΣQ = I")
    def _inverse(self, state):
        return np.allclose(state.Sigma @ state.Q, np.eye(3))

    @invariant("the partial correlation of a pair is 0 exactly where q_ij is, and there the Markov graph has no edge")
    def _zeros(self, state):
        apart = ~np.eye(3, dtype=bool)
        zero = (state.Q == 0)[apart]
        return np.array_equal(zero, np.isclose(state.partial, 0)[apart]) and np.array_equal(zero, ~state.markov[apart])

    @invariant("σ₁₃ vanishes exactly where the direct and the indirect path cancel")
    def _cancels(self, state):
        Q = state.Q
        return state.covariance[0, 2] == (abs(Q[0, 1] * Q[1, 2] - Q[0, 2] * Q[1, 1]) > 1e-9)

    @invariant("a coordinate without an edge in one graph has none in the other")
    def _alone(self, state):
        return np.array_equal(state.markov.any(axis=0), state.covariance.any(axis=0))
