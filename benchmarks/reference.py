"""How fast mlcore is against scikit-learn: the same data, the same answer, one thread, in turn.

A row is a function that makes a problem of size n and returns two functions, ours and theirs, with the same answer.
Each is timed at three sizes, ours and theirs alternately, and the median counts. The figure is the ratio at the largest
size; the exponent is the slope of log time against log n, beside that which theory gives.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table
from threadpoolctl import threadpool_limits

Pair = tuple[Callable[[], Any], Callable[[], Any]]


@dataclass(frozen=True)
class Row:
    """What is measured: the problem, the peer, three sizes, the growth that theory gives, and the ratio wanted."""

    task: str
    module: str
    peer: str
    sizes: tuple[int, int, int]
    growth: str
    goal: float
    agree: float  # how far apart the answers may be
    apart: Callable[[Any, Any], float]
    why: str  # the reason, where the goal is missed
    pair: Callable[[int], Pair]

    @property
    def available(self) -> bool:
        return all(importlib.util.find_spec(name) for name in (f"mlcore.{self.module}", self.peer.split(".")[0]))


def difference(a: Any, b: Any) -> float:
    """The largest difference, relative to the size of the answer."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return float(np.max(np.abs(a - b)) / np.max(np.abs(b)))


def disagreement(a: Any, b: Any) -> float:
    """The share of labels that differ: for learners that break ties, or draw, in their own way."""
    return float(np.mean(np.asarray(a) != np.asarray(b)))


ROWS: list[Row] = []


def row(
    task: str,
    module: str,
    peer: str,
    sizes: tuple[int, int, int],
    growth: str,
    goal: float = 1.0,
    agree: float = 1e-6,
    apart: Callable[[Any, Any], float] = difference,
    why: str = "",
) -> Callable:
    def add(pair: Callable[[int], Pair]) -> Callable[[int], Pair]:
        ROWS.append(Row(task, module, peer, sizes, growth, goal, agree, apart, why, pair))
        return pair

    return add


def _linear(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def _classes(n: int, d: int, K: int = 2, apart: float = 1.5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """K overlapping clouds."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.normal(size=(n, d)) + apart * rng.normal(size=(K, d))[y], y


# --- linear models ---


@row("least squares", "linear_regression", "sklearn.LinearRegression", (5_000, 20_000, 80_000), "n")
def least_squares(n: int) -> Pair:
    from sklearn.linear_model import LinearRegression

    from mlcore import linear_regression

    X, y = _linear(n, 30)
    peer = LinearRegression(fit_intercept=False)
    return lambda: linear_regression.fit(X, y), lambda: peer.fit(X, y).coef_


@row("ridge", "ridge", "sklearn.Ridge", (5_000, 20_000, 80_000), "n")
def ridge_regression(n: int) -> Pair:
    from sklearn.linear_model import Ridge

    from mlcore import ridge

    X, y = _linear(n, 30)
    peer = Ridge(alpha=3.0, fit_intercept=False, solver="cholesky")
    return lambda: ridge.fit(X, y, 3.0), lambda: peer.fit(X, y).coef_


@row("lasso path, 50 λ", "lasso", "sklearn.lasso_path", (1_000, 4_000, 16_000), "n", agree=1e-4)
def lasso_path(n: int) -> Pair:
    from sklearn.linear_model import lasso_path

    from mlcore import lasso

    X, y = _linear(n, 30)
    X, y = X - X.mean(axis=0), y - y.mean()
    lams = np.geomspace(1, 1e-3, 50) * lasso.lambda_max(X, y)
    theirs = partial(lasso_path, X, y, alphas=lams / (2 * n), tol=1e-8, max_iter=100_000)
    return lambda: lasso.path(X, y, lams), lambda: theirs()[1].T


@row(
    "logistic regression", "logistic_regression", "sklearn.LogisticRegression", (2_000, 8_000, 32_000), "n", agree=1e-4
)
def logistic(n: int) -> Pair:
    from sklearn.linear_model import LogisticRegression

    from mlcore import logistic_regression

    X, y = _classes(n, 20, apart=0.4)
    peer = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-6)

    def theirs() -> np.ndarray:
        peer.fit(X, y)
        return np.append(peer.coef_[0], peer.intercept_)

    return lambda: np.append(*logistic_regression.fit(X, y, 1.0)), theirs


@row("softmax, 5 classes", "softmax", "sklearn.LogisticRegression", (2_000, 8_000, 32_000), "n", agree=1e-3)
def softmax_regression(n: int) -> Pair:
    from sklearn.linear_model import LogisticRegression

    from mlcore import softmax

    X, y = _classes(n, 10, K=5, apart=0.6)
    peer = LogisticRegression(C=1.0, solver="lbfgs", tol=1e-6, max_iter=1_000)

    def ours() -> np.ndarray:
        W, b = softmax.fit(X, y, 1.0)
        return np.vstack([W, b])

    def theirs() -> np.ndarray:
        peer.fit(X, y)
        return np.vstack([peer.coef_.T, peer.intercept_])

    return ours, theirs


# --- kernels ---


@row(
    "SVM, linear",
    "svm",
    "sklearn.SVC",
    (200, 500, 1_000),
    "n² to n³",
    goal=5.0,
    agree=1e-4,
    why="a step moves one pair of α and costs ten numpy calls on n numbers; the peer's C++ also leaves out the points "
    "that are settled (shrinking).",
)
def svm_linear(n: int) -> Pair:
    from sklearn.svm import SVC

    from mlcore import svm

    X, y = _classes(n, 10, apart=0.5)
    s = np.where(y > 0, 1.0, -1.0)
    peer = SVC(kernel="linear", C=1.0, tol=1e-6)

    def ours() -> np.ndarray:
        found = svm.fit(X, s, 1.0)
        return np.append(found.w, found.b)

    def theirs() -> np.ndarray:
        peer.fit(X, s)
        return np.append(peer.coef_[0], peer.intercept_)

    return ours, theirs


@row("SVM, Gaussian kernel", "kernels", "sklearn.SVC", (200, 500, 1_000), "n² to n³", goal=5.0, agree=1e-4)
def svm_rbf(n: int) -> Pair:
    from sklearn.svm import SVC

    from mlcore import kernels, svm

    X, y = _classes(n, 10, apart=0.5)
    s = np.where(y > 0, 1.0, -1.0)
    h = 3.0
    peer = SVC(kernel="rbf", gamma=1 / (2 * h**2), C=1.0, tol=1e-6)

    def ours() -> np.ndarray:
        alpha, b = svm.fit_gram(kernels.rbf(X, X, h), s, 1.0)
        return np.append(alpha * s, b)

    def theirs() -> np.ndarray:
        peer.fit(X, s)
        answer = np.zeros(n + 1)
        answer[peer.support_], answer[-1] = peer.dual_coef_[0], peer.intercept_[0]
        return answer

    return ours, theirs


@row("kernel ridge", "kernels", "sklearn.KernelRidge", (500, 1_000, 2_000), "n² to n³")
def kernel_ridge(n: int) -> Pair:
    from sklearn.kernel_ridge import KernelRidge

    from mlcore import kernels

    X, y = _linear(n, 5)
    h = 2.0
    peer = KernelRidge(alpha=1.0, kernel="rbf", gamma=1 / (2 * h**2))
    return lambda: kernels.fit(kernels.rbf(X, X, h), y, 1.0), lambda: peer.fit(X, y).dual_coef_


# --- groups and densities ---


@row(
    "k-means, 16 groups",
    "kmeans",
    "sklearn.KMeans",
    (10_000, 30_000, 100_000),
    "n a round",
    why="the clouds overlap, so the bounds leave 23% of the distances to compute, and numpy passes over each block of "
    "them again and again (product, sum, nearest, its label, next, distance) where the peer's C does it in one.",
)
def k_means(n: int) -> Pair:
    from sklearn.cluster import KMeans

    from mlcore import kmeans

    X, _ = _classes(n, 8, K=16, apart=1.0)
    start = X[:16]
    peer = KMeans(16, init=start, n_init=1, tol=0.0, max_iter=1_000)
    return lambda: kmeans.fit(X, start).C, lambda: peer.fit(X).cluster_centers_


@row("mixture, 10 rounds of EM", "gaussian_mixtures", "sklearn.GaussianMixture", (2_500, 5_000, 10_000), "n")
def gaussian_mixture(n: int) -> Pair:
    from sklearn.mixture import GaussianMixture

    from mlcore import gaussian_mixtures as gm

    d, K = 10, 5
    X, _ = _classes(n, d, K=K, apart=1.0)
    start = np.full(K, 1 / K), X[:K], np.stack([np.eye(d)] * K)
    peer = GaussianMixture(
        K,
        tol=0.0,
        max_iter=10,
        reg_covar=0.0,
        init_params="random_from_data",
        weights_init=start[0],
        means_init=start[1],
        precisions_init=start[2],
        random_state=0,
    )

    def ours() -> np.ndarray:
        states = gm.em(X, start)
        for _ in range(10):
            next(states)
        return next(states).mu

    return ours, lambda: peer.fit(X).means_


@row("kernel density at n places", "gaussian_mixtures", "sklearn.KernelDensity", (500, 1_000, 2_000), "n²")
def density(n: int) -> Pair:
    from sklearn.neighbors import KernelDensity

    from mlcore import gaussian_mixtures as gm

    x, at = np.random.default_rng(0).normal(size=(2, n))
    peer = KernelDensity(bandwidth=0.3)
    return lambda: gm.kde(at, x, 0.3), lambda: np.exp(peer.fit(x[:, None]).score_samples(at[:, None]))


@row("PCA, tall", "pca", "sklearn.PCA", (5_000, 20_000, 80_000), "n")
def pca_tall(n: int) -> Pair:
    return _pca(n, 30)


@row("PCA, 200 points in d = n", "pca", "sklearn.PCA", (1_000, 2_000, 4_000), "n")
def pca_wide(n: int) -> Pair:
    return _pca(200, n)


def _pca(n: int, d: int) -> Pair:
    """Five axes as projections, which have no sign: the answer is what they leave of one point."""
    from sklearn.decomposition import PCA

    from mlcore import pca

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 8)) * np.arange(9, 1, -1) @ rng.normal(size=(8, d)) + rng.normal(size=(n, d))
    peer = PCA(5, svd_solver="full" if n < d else "auto")

    def ours() -> np.ndarray:
        U = pca.axes(X, 5)
        return U @ (U.T @ X[0])

    def theirs() -> np.ndarray:
        U = peer.fit(X).components_.T
        return U @ (U.T @ X[0])

    return ours, theirs


@row("log density of a normal", "multivariate_normal", "scipy.stats", (5_000, 20_000, 80_000), "n")
def normal(n: int) -> Pair:
    from scipy.stats import multivariate_normal as peer

    from mlcore import multivariate_normal

    X, _ = _linear(n, 10)
    mu, Sigma = X.mean(axis=0), np.cov(X.T)
    return lambda: multivariate_normal.logpdf(X, mu, Sigma), lambda: peer(mu, Sigma).logpdf(X)


# --- trees and ensembles ---

TREES = (2_500, 5_000, 10_000)


def _labelled(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points with a label that no single question tells, and others to predict."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + 1_000, 10))
    y = ((X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=len(X))) > 0).astype(int)
    return X[:n], y[:n], X[n:]


@row("decision tree", "decision_trees", "sklearn.DecisionTreeClassifier", TREES, "n log² n", 5.0, 0.1, disagreement)
def tree(n: int) -> Pair:
    """Thresholds halfway between points are rounded to 32 bits by the peer, and ties are broken at random."""
    from sklearn.tree import DecisionTreeClassifier

    from mlcore import decision_trees as trees

    X, y, new = _labelled(n)
    Y = trees.one_hot(y, 2)
    peer = DecisionTreeClassifier(random_state=0)
    return lambda: trees.classify(trees.grow(X, Y), new), lambda: peer.fit(X, y).predict(new)


@row("forest of 20 trees", "ensembles", "sklearn.RandomForestClassifier", TREES, "n log² n", 5.0, 0.15, disagreement)
def forest(n: int) -> Pair:
    """The draws differ, so the labels agree as those of two forests do."""
    from sklearn.ensemble import RandomForestClassifier

    from mlcore import decision_trees as trees
    from mlcore import ensembles

    X, y, new = _labelled(n)
    peer = RandomForestClassifier(20, max_features=3, random_state=0)

    def ours() -> np.ndarray:
        rng = np.random.default_rng(0)
        grown = ensembles.bag(lambda x, t: trees.grow(x, trees.one_hot(t, 2), tries=3, rng=rng), X, y, 20, rng)
        return np.mean([trees.predict(tree, new)[:, 1] for _, tree in grown], axis=0) > 0.5

    return ours, lambda: peer.fit(X, y).predict(new) == 1


@row("AdaBoost, 50 stumps", "ensembles", "sklearn.AdaBoostClassifier", TREES, "n", 5.0, 0.1, disagreement)
def boosting(n: int) -> Pair:
    """The peer's stumps have the least Gini impurity, ours the least error."""
    from sklearn.ensemble import AdaBoostClassifier

    from mlcore import ensembles

    X, y, new = _labelled(n)
    s = np.where(y > 0, 1, -1)
    peer = AdaBoostClassifier(n_estimators=50, random_state=0)
    return (
        lambda: np.sign(ensembles.scores(list(ensembles.adaboost(X, s, 50)), new).sum(axis=0)),
        lambda: peer.fit(X, s).predict(new),
    )


# --- counting, ranking, chains ---


@row("naive Bayes", "graphical_models", "sklearn.BernoulliNB", (5_000, 20_000, 80_000), "n")
def naive_bayes(n: int) -> Pair:
    from sklearn.naive_bayes import BernoulliNB

    from mlcore import graphical_models as models

    X, y = _classes(n, 20, K=3)
    X = (X > 0).astype(float)
    peer = BernoulliNB(alpha=1.0)
    return (
        lambda: models.log_posterior(X, *models.naive_bayes(X, y, 1.0)),
        lambda: peer.fit(X, y).predict_log_proba(X),
    )


@row("area under the ROC curve", "validation", "sklearn.roc_auc_score", (10_000, 40_000, 160_000), "n log n")
def auc(n: int) -> Pair:
    from sklearn.metrics import roc_auc_score

    from mlcore import validation

    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    s = np.round(rng.normal(size=n) + y, 2)
    return lambda: validation.auc(s, y), lambda: roc_auc_score(y, s)


@row(
    "HMM, forward",
    "hidden_markov",
    "hmmlearn.CategoricalHMM",
    (1_000, 4_000, 16_000),
    "n",
    why="a step is one product with an 8 by 8 matrix and waits for the step before, so the four numpy calls of a step, "
    "about 3 µs, are the whole difference to a loop in C++. Multiplying the matrices of neighbouring steps first, in "
    "pairs, was measured at 1.2 times the peer; it hides the recursion that the notebook teaches, and was left out.",
)
def hmm_forward(n: int) -> Pair:
    from hmmlearn.hmm import CategoricalHMM

    from mlcore import hidden_markov

    rng = np.random.default_rng(0)
    pi, A, B = rng.dirichlet(np.ones(8)), rng.dirichlet(np.ones(8), size=8), rng.dirichlet(np.ones(12), size=8)
    o = rng.integers(12, size=n)
    peer = CategoricalHMM(8)
    peer.n_features = 12
    peer.startprob_, peer.transmat_, peer.emissionprob_ = pi, A, B
    return lambda: hidden_markov.loglik(o, pi, A, B), lambda: peer.score(o[:, None])


@row("Kalman filter", "hidden_markov", "filterpy.KalmanFilter", (500, 2_000, 8_000), "n")
def kalman(n: int) -> Pair:
    from filterpy.kalman import KalmanFilter

    from mlcore import hidden_markov

    rng = np.random.default_rng(0)
    F, H = np.eye(4) + 0.1 * np.eye(4, k=2), np.eye(2, 4)
    Q, R, P0 = 0.01 * np.eye(4), np.eye(2), np.eye(4)
    z = np.cumsum(rng.normal(size=(n, 2)), axis=0)

    def theirs() -> np.ndarray:
        peer = KalmanFilter(dim_x=4, dim_z=2)
        peer.x, peer.P, peer.F, peer.H, peer.Q, peer.R = np.zeros(4), P0, F, H, Q, R
        return peer.batch_filter(z)[0]

    return lambda: hidden_markov.kalman(z, F, Q, H, R, np.zeros(4), P0)[0], theirs


# --- measuring ---


def seconds(pair: Pair, budget: float) -> tuple[float, float]:
    """The medians of both, called in turn until the budget is spent, at least three times each."""
    times: list[list[float]] = [[], []]
    until = time.perf_counter() + budget
    while len(times[0]) < 3 or (time.perf_counter() < until and len(times[0]) < 200):
        for action, own in zip(pair, times, strict=True):
            start = time.process_time()  # one thread: what other programs take does not count
            action()
            own.append(time.process_time() - start)
    return float(np.median(times[0])), float(np.median(times[1]))


def measure_row(each: Row, budget: float) -> dict[str, Any]:
    """One row: times, ratios, the difference between the answers, and the exponents."""
    ours, theirs, apart = [], [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # EM is stopped before it has converged, on purpose
        for n in each.sizes:
            pair = each.pair(n)
            apart.append(each.apart(pair[0](), pair[1]()))
            with threadpool_limits(1):  # once both have run: a library that is loaded later would not be bound by it
                mine, peer = seconds(pair, budget)
            ours.append(mine)
            theirs.append(peer)
    logs = np.log(each.sizes)
    return {
        "task": each.task,
        "peer": each.peer,
        "sizes": list(each.sizes),
        "ours": ours,
        "theirs": theirs,
        "ratios": [a / b for a, b in zip(ours, theirs, strict=True)],
        "ratio": ours[-1] / theirs[-1],
        "goal": each.goal,
        "difference": max(apart),
        "agree": max(apart) <= each.agree,
        "exponent": float(np.polyfit(logs, np.log(ours), 1)[0]),
        "peer_exponent": float(np.polyfit(logs, np.log(theirs), 1)[0]),
        "growth": each.growth,
    }


def measure(only: Sequence[str] = (), budget: float = 2.0) -> list[dict[str, Any]]:
    """Every row whose topic is there, or those whose task contains one of the words in `only`."""
    rows = [r for r in ROWS if r.available and (not only or any(word in r.task for word in only))]
    return [measure_row(r, budget) for r in _tracked(rows)]


def _tracked(rows: Sequence[Row]) -> Iterator[Row]:
    yield from track(rows, description="measuring", transient=True, console=Console(stderr=True))


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many rows there are, how many agree and meet their goal, the middle ratio, and what misses."""
    return {
        "rows": len(rows),
        "agree": sum(r["agree"] for r in rows),
        "met": sum(r["ratio"] <= r["goal"] for r in rows),
        "median_ratio": float(np.median([r["ratio"] for r in rows])) if rows else float("nan"),
        "missed": {r["task"]: r["ratio"] for r in rows if r["ratio"] > r["goal"]},
    }


def told(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The rows as Markdown, for benchmarks/RESULTS.md."""
    counts = summary(rows)
    yield (
        f"One thread, the same data, the same answer for {counts['agree']} of {counts['rows']}; "
        f"{counts['met']} of {counts['rows']} stay below their goal, and the middle ratio is "
        f"{counts['median_ratio']:.2f}. A ratio below 1 means that mlcore is faster. Answers differ by the largest "
        "difference relative to their size; for trees, forest and boosting, which break ties or draw in their own way, "
        "by the share of new points that are labelled differently. An exponent below that of theory says that calls "
        "and parts which do not grow with n still count at these sizes."
    )
    yield ""
    yield "| task | peer | n | ours / peer | goal | at smaller n | answers differ by | growth: ours, peer, theory |"
    yield "|---|---|---:|---:|---:|---:|---:|---|"
    for r in rows:
        mark = "**" if r["task"] in counts["missed"] else ""
        smaller = ", ".join(f"{ratio:.2f}" for ratio in r["ratios"][:-1])
        yield (
            f"| {r['task']} | {r['peer']} | {r['sizes'][-1]:,} | {mark}{r['ratio']:.2f}{mark} "
            f"| {r['goal']:g} | {smaller} | {r['difference']:.0e} "
            f"| n^{r['exponent']:.1f}, n^{r['peer_exponent']:.1f}, {r['growth']} |"
        )
    for each in ROWS:
        if each.task in counts["missed"] and each.why:
            yield ""
            yield f"*{each.task}* misses its goal: {each.why}"


def table(rows: Sequence[dict[str, Any]]) -> Table:
    shown = Table(title="mlcore and, below it, its peer: one thread", box=box.SIMPLE_HEAD)
    shown.add_column("task, at its largest n", no_wrap=True)
    for heading in ("n", "time", "ratio", "differ", "growth"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for r in rows:
        shown.add_row(
            f"{r['task']}\n[dim]{r['peer']}[/dim]",
            f"{r['sizes'][-1]:,}",
            f"{1e3 * r['ours'][-1]:.1f} ms\n[dim]{1e3 * r['theirs'][-1]:.1f} ms[/dim]",
            f"{r['ratio']:.2f}{'*' if r['ratio'] > r['goal'] else ''}\n[dim]≤ {r['goal']:g}[/dim]",
            f"{r['difference']:.0e}{'' if r['agree'] else '!'}",
            f"n^{r['exponent']:.2f}\n[dim]{r['growth']}[/dim]",
        )
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], help="only tasks whose name contains this (repeatable)")
    parser.add_argument("--budget", type=float, default=2.0, help="seconds for each size of each row (default: 2)")
    options = parser.parse_args()
    rows = measure(options.only, options.budget)
    console = Console()
    console.print(table(rows))
    counts = summary(rows)
    console.print(
        f"{counts['met']} of {counts['rows']} meet their goal (* does not), {counts['agree']} agree (! does not); "
        f"the middle ratio is {counts['median_ratio']:.2f}."
    )


if __name__ == "__main__":
    main()
