"""mlcore.validation against independent oracles: scikit-learn, n refits, counting."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import sem
from sklearn import metrics
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, LeaveOneOut, PredefinedSplit, cross_val_score
from sklearn.preprocessing import PolynomialFeatures

from mlcore import ridge, validation
from mlcore.checks import validation as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import validation as explore


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(23, 4)) + rng.normal(size=4)
    return X, X @ rng.normal(size=4) + rng.normal(size=23) + 5


@pytest.fixture(params=range(5))
def scored(request):
    """Scores with many ties, and unbalanced classes."""
    rng = np.random.default_rng(request.param)
    y = (rng.uniform(size=60) < 0.3).astype(int)
    return np.round(2 * rng.normal(size=60) + 1.5 * y), y


def refit(X, y, fit):
    """The residual of each point under the fit to the others."""
    found = []
    for train, test in LeaveOneOut().split(X):
        found.append(y[test] - fit().fit(X[train], y[train]).predict(X[test]))
    return np.concatenate(found)


def test_errors_are_scikit_learns(data):
    """(8.1)."""
    X, y = data
    np.testing.assert_allclose(validation.mse(y, X[:, 0]), metrics.mean_squared_error(y, X[:, 0]))
    np.testing.assert_allclose(validation.mae(y, X[:, 0]), metrics.mean_absolute_error(y, X[:, 0]))


@given(n=st.integers(2, 60), k=st.integers(2, 60))
def test_folds_have_the_sizes_of_scikit_learns(n, k):
    if k > n:
        with pytest.raises(ValueError, match=f"k must be between 2 and n = {n}, got {k}"):
            validation.fold_labels(n, k, np.random.default_rng(0))
        return
    sizes = np.bincount(validation.fold_labels(n, k, np.random.default_rng(0)))
    peer = [len(test) for _, test in KFold(k).split(np.zeros(n))]
    assert sorted(sizes) == sorted(peer)


def test_products_are_the_polynomial_features_of_degree_2(data):
    X, _ = data
    peer = PolynomialFeatures(2, include_bias=False).fit_transform(X)
    np.testing.assert_allclose(validation.with_products(X), peer)


def test_path_is_ridge_with_a_free_bias(data):
    X, y = data
    W, b = validation.ridge_path(X, y, [0.1, 3.0])
    for i, lam in enumerate((0.1, 3.0)):
        peer = Ridge(alpha=lam).fit(X, y)
        np.testing.assert_allclose(W[i], peer.coef_)
        np.testing.assert_allclose(b[i], peer.intercept_)


def test_fold_errors_are_scikit_learns(data):
    """(8.2)."""
    X, y = data
    folds = validation.fold_labels(23, 5, np.random.default_rng(1))
    ours = validation.fold_errors(X, y, [0.1, 3.0], folds)
    for i, lam in enumerate((0.1, 3.0)):
        peer = cross_val_score(Ridge(alpha=lam), X, y, cv=PredefinedSplit(folds), scoring="neg_mean_squared_error")
        np.testing.assert_allclose(ours[:, i], -peer)


def test_standard_error_is_scipys(data):
    """(8.3)."""
    X, _ = data
    np.testing.assert_allclose(validation.standard_error(X), sem(X, axis=0))


@pytest.mark.parametrize("lam", [0.3, 5.0])
def test_shortcut_equals_n_refits(data, lam):
    """(8.4), without a bias and with a free one."""
    X, y = data
    alone = refit(X, y, lambda: Ridge(alpha=lam, fit_intercept=False))
    np.testing.assert_allclose(validation.loo_residuals(X, y, lam), alone)
    with_bias = refit(X, y, lambda: Ridge(alpha=lam))
    np.testing.assert_allclose(validation.loo_residuals(X, y, lam, free_bias=True), with_bias)
    folds = np.arange(len(y))
    np.testing.assert_allclose(validation.fold_errors(X, y, [lam], folds)[:, 0], with_bias**2)


@pytest.mark.parametrize("free_bias", [False, True])
def test_hat_matrix_makes_the_fitted_values(data, free_bias):
    X, y = data
    peer = Ridge(alpha=2.0, fit_intercept=free_bias).fit(X, y).predict(X)
    np.testing.assert_allclose(validation.hat_matrix(X, 2.0, free_bias) @ y, peer)


def test_confusion_and_scores_are_scikit_learns(scored):
    """(8.5)."""
    s, y = scored
    for t in (-1.0, 0.0, 2.0):
        said = (s >= t).astype(int)
        TP, FN, TN, FP = validation.confusion(s, y, t)
        np.testing.assert_array_equal([[TN, FP], [FN, TP]], metrics.confusion_matrix(y, said))
        peer = [f(y, said) for f in (metrics.precision_score, metrics.recall_score)]
        peer += [f(y, said) for f in (metrics.accuracy_score, metrics.f1_score)]
        np.testing.assert_allclose(validation.scores(TP, FN, TN, FP), peer)


def test_roc_is_scikit_learns(scored):
    """(8.6): the whole curve, and its points one by one."""
    s, y = scored
    t, fpr, tpr = validation.roc_curve(s, y)
    peer_fpr, peer_tpr, peer_t = metrics.roc_curve(y, s, drop_intermediate=False)
    np.testing.assert_allclose(t, peer_t)
    np.testing.assert_allclose(fpr, peer_fpr, atol=1e-15)
    np.testing.assert_allclose(tpr, peer_tpr, atol=1e-15)
    np.testing.assert_allclose([validation.roc_point(s, y, u) for u in t], np.column_stack([fpr, tpr]), atol=1e-15)


def test_auc_is_the_area_and_scikit_learns(scored):
    """(8.7)."""
    s, y = scored
    _, fpr, tpr = validation.roc_curve(s, y)
    np.testing.assert_allclose(validation.auc(s, y), metrics.roc_auc_score(y, s))
    np.testing.assert_allclose(validation.auc(s, y), np.trapezoid(tpr, fpr))
    np.testing.assert_allclose(validation.auc(np.exp(s), y), validation.auc(s, y))


def test_equal_error_rate_is_where_the_curve_meets_the_other_diagonal(scored):
    """(8.8), on scikit-learn's curve by bisection."""
    s, y = scored
    fpr, tpr, _ = metrics.roc_curve(y, s, drop_intermediate=False)
    low, high = 0.0, len(fpr) - 1.0
    for _ in range(80):
        middle = (low + high) / 2
        at = [np.interp(middle, np.arange(len(fpr)), rate) for rate in (fpr, tpr)]
        low, high = (middle, high) if at[0] < 1 - at[1] else (low, middle)
    np.testing.assert_allclose(validation.equal_error_rate(s, y), at[0], atol=1e-9)


def test_accuracy_from_rates_is_that_from_counts(scored):
    """(8.9), and balanced accuracy is something else."""
    s, y = scored
    fpr, tpr = validation.roc_point(s, y, 1.0)
    said = (s >= 1.0).astype(int)
    np.testing.assert_allclose(validation.accuracy(tpr, 1 - fpr, y.mean()), metrics.accuracy_score(y, said))
    np.testing.assert_allclose((tpr + 1 - fpr) / 2, metrics.balanced_accuracy_score(y, said))


def test_wrong_shape_gets_one_line(data):
    X, y = data
    with pytest.raises(ValueError, match=r"fold_errors: folds must have shape \(n,\) = \(23,\), got \(5,\)"):
        validation.fold_errors(X, y, [1.0], np.arange(5))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_patients(self):
        X, y, X_test, y_test = explore.patients()
        assert X.shape == (300, 65)
        assert X_test.shape == (142, 65)
        assert sorted([*y, *y_test]) == sorted(load("diabetes").y)

    def test_other_patients_are_served_best_near_80(self):
        state = explore.Unseen().compute()
        assert 75 < state.best < 85
        assert np.argmin(state.train) == 0

    def test_six_folds_of_seven_points(self):
        assert sorted(np.bincount(validation.fold_labels(7, 6, np.random.default_rng(0)))) == [1, 1, 1, 1, 1, 2]
        assert sorted(len(test) for _, test in KFold(6).split(np.zeros(7))) == [1, 1, 1, 1, 1, 2]
        assert LeaveOneOut().get_n_splits(np.zeros(7)) == 7

    def test_half_of_a_residual_is_hidden(self):
        """H = ½ for two equal points: the mean leaves each half of its leave-one-out residual."""
        X, y = np.ones((2, 1)), np.array([1.0, 3.0])
        np.testing.assert_allclose(np.diag(validation.hat_matrix(X, 0.0)), 0.5)
        np.testing.assert_allclose(y - y.mean(), validation.loo_residuals(X, y, 0.0) / 2)

    def test_trace_is_the_degrees_of_freedom(self):
        X, *_ = explore.patients()
        np.testing.assert_allclose(np.trace(validation.hat_matrix(X, 100.0)), ridge.degrees_of_freedom(X, 100.0))

    def test_best_penalties_over_the_splits(self):
        folds = explore.Folds()
        best = {k: [round(folds.compute(1.0, k, split).best) for split in range(10)] for k in ("2", "10", "n")}
        assert (min(best["2"]), max(best["2"])) == (50, 126)
        assert (min(best["10"]), max(best["10"])) == (63, 100)
        assert set(best["n"]) == {79}
        state = folds.compute(100.0, "10", 0)
        i = np.argmin(state.curve)
        within = explore.LAMS[state.curve <= state.curve[i] + state.spread[i]]
        assert [round(v) for v in (within[0], within[-1])] == [10, 398]
        two, ten = (np.mean([folds.compute(1.0, k, s).curve[0] for s in range(10)]) for k in ("2", "10"))
        assert two > 1.3 * ten

    def test_protocol(self):
        X, y, X_test, y_test = explore.patients()
        state = explore.Folds().compute(100.0, "10", 0)
        assert round(state.best) == 100
        assert (round(state.error), round(state.spread_now)) == (3239, 266)
        w, b = ridge.fit_free_bias(X, y, 100.0)
        assert round(validation.mse(y, X @ w + b)) == 2556
        assert abs(validation.mse(y_test, X_test @ w + b) - state.error) < state.spread_now

    def test_columns_chosen_before_the_split(self):
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(100, 1000)), rng.normal(size=100)
        folds = validation.fold_labels(100, 10, rng)
        best = np.argsort(np.abs((y - y.mean()) @ X))[-10:]
        assert round(1 - validation.fold_errors(X[:, best], y, [1.0], folds).mean() / y.var(), 2) == 0.42

    def test_hundred_people(self):
        np.testing.assert_allclose(validation.scores(5, 5, 89, 1), [0.8333, 0.5, 0.94, 0.625], atol=5e-5)
        assert round((5 / 10 + 89 / 90) / 2, 4) == 0.7444

    def test_sepals_and_petals(self):
        s, y = explore.flowers("sepal_length")
        assert len(s) == 100
        assert y.sum() == 50
        np.testing.assert_allclose(validation.roc_point(s, y, 6.3), [0.28, 1 - 0.26])
        np.testing.assert_allclose(validation.roc_point(s, y, 6.4), [0.22, 1 - 0.38])
        assert round(validation.equal_error_rate(s, y), 4) == 0.2733
        assert round(validation.equal_error_rate(*explore.flowers("petal_length")), 2) == 0.07
        gap = s[y == 1][:, None] - s[y == 0]
        assert (np.sum(gap > 0), np.sum(gap == 0), gap.size) == (1927, 94, 2500)
        assert round(validation.auc(s, y), 4) == 0.7896 == 1974 / 2500

    def test_counts_that_grow_with_the_threshold(self):
        s, y = explore.flowers("sepal_length")
        counts = np.array([validation.confusion(s, y, t) for t in np.unique(s)])
        TP, FN, TN, FP = np.diff(counts, axis=0).T
        assert (FN >= 0).all()
        assert (TN >= 0).all()
        assert TP.min() < 0
        assert FP.min() < 0

    def test_a_field_with_few_virginica(self):
        state = explore.Balance().compute(**explore.Balance().start)
        assert (state.share, state.t) == (0.06, 6.9)
        assert round(state.accuracy, 2) == 0.92
        assert round(1 - state.share, 2) == 0.94


def _loo(X, y, lam):
    H = X @ np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T)
    return (y - H @ y) / (1 - np.diag(H))


def _auc(s, y):
    gap = s[y == 1][:, None] - s[y == 0]
    return np.mean(gap > 0) + np.mean(gap == 0) / 2


def _shuffled(n, k, seed):
    labels = [i % k for i in range(n)]
    random.Random(seed).shuffle(labels)
    return labels


def _follow_from_each_other(chain, args):
    """`follows` and `undo`, on the right lines."""
    for before, here in itertools.pairwise(chain.lines):
        now, there = here.reference(*args), before.reference(*args)
        given, wanted = (here.undo(now, *args), there) if here.undo else (now, here.follows(there, *args))
        for one, other in zip(given, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


class TestTheShortcut:
    """Each line of the derivation, put together, is the residual of point i under the fit to the others."""

    cases = tuple(args for seed in range(5) for args in checks._left_out(np.random.default_rng(seed)))

    @pytest.mark.parametrize("args", cases)
    def test_every_line_is_the_residual(self, args):
        X, y, lam, i = args
        peer = Ridge(alpha=lam, fit_intercept=False).fit(np.delete(X, i, axis=0), np.delete(y, i))
        residual = pytest.approx(y[i] - peer.predict(X[[i]])[0])
        c = sum(X[j] * y[j] for j in range(len(y)) if j != i)
        without = X.T @ X + lam * np.eye(X.shape[1]) - checks._line_2(*args)
        assert y[i] - X[i] @ np.linalg.inv(without) @ c == residual
        q, R = checks._line_3(*args)
        v = np.linalg.inv(without) @ X[i]
        np.testing.assert_allclose(v, q + R @ v)
        q, k = checks._line_4(*args)
        np.testing.assert_allclose(v, q / k)
        fitted, own, k = checks._line_5(*args)
        assert y[i] - (fitted - own) / k == residual
        numerator, denominator = checks._line_6(*args)
        assert numerator / denominator == residual
        assert checks._line_1(*args) == residual

    @pytest.mark.parametrize("args", cases)
    def test_lines_follow_from_each_other(self, args):
        _follow_from_each_other(checks.loo_shortcut, args)

    def test_a_slip_costs_its_own_line_only(self):
        def line_2(X, y, lam, i):
            return -np.outer(X[i], X[i])

        def line_3(X, y, lam, i):
            A = X.T @ X + lam * np.eye(X.shape[1])
            return np.linalg.solve(A, X[i]), np.linalg.solve(A, line_2(X, y, lam, i))

        def line_4(X, y, lam, i):
            q, _ = line_3(X, y, lam, i)
            return q, 1 + X[i] @ q

        def line_5(X, y, lam, i):
            q, k = line_4(X, y, lam, i)
            return q @ X.T @ y, q @ X[i] * y[i], k

        def line_6(X, y, lam, i):
            fitted, own, k = line_5(X, y, lam, i)
            return y[i] + 2 * own - fitted, k

        verdict = assess(checks.loo_shortcut, (line_2, line_3, line_4, line_5, line_6))
        assert [step.right for step in verdict.steps] == [False, True, True, True, True]


class TestAnswersOfStrangers:
    """Wrong answers that some draws or all of them accepted."""

    @pytest.mark.parametrize(
        ("exercise", "answer"),
        [
            (checks.kfold_labels, lambda n, k, seed: np.arange(n)[::-1] % k),
            (checks.kfold_labels, lambda n, k, seed: (np.arange(n) + seed) % k),
            (checks.kfold_labels, lambda n, k, seed: np.sort(np.arange(n) % k)[::-1]),
            (checks.kfold_labels, lambda n, k, seed: np.random.default_rng(42).permutation(np.arange(n) % k)),
            (checks.kfold_labels, lambda n, k, seed: np.random.default_rng().permutation(np.arange(n) % k)),
            (checks.loo_residuals, lambda X, y, lam: _loo(X, np.abs(y), lam)),
            (checks.roc_point, lambda s, y, t: (np.mean(abs(s[y == 0]) >= t), np.mean(abs(s[y == 1]) >= t))),
            (checks.roc_point, lambda s, y, t: (np.mean(s[y == 0] >= abs(t)), np.mean(s[y == 1] >= abs(t)))),
            (checks.auc_pairs, lambda s, y: _auc(np.abs(s), y)),
            (checks.auc_pairs, lambda s, y: _auc(np.maximum(s, 0), y)),
            (
                checks.auc_pairs,
                lambda s, y: _auc(s, y) - np.mean(s[y == 0] == s.max()) * np.mean(s[y == 1] == s.max()) / 2,
            ),
        ],
    )
    def test_is_noticed_on_every_seed(self, exercise, answer):
        assert not any(assess(exercise, (answer,), seed).right for seed in range(0, 80, 10))

    def test_labels_are_told_what_is_wrong_with_them(self):
        once = assess(
            checks.kfold_labels, (lambda n, k, seed: np.random.default_rng(42).permutation(np.arange(n) % k),)
        )
        assert once.finding.says == "Another seed gives the same folds: the order has to come from `seed`."
        chance = assess(
            checks.kfold_labels, (lambda n, k, seed: np.random.default_rng().permutation(np.arange(n) % k),)
        )
        assert chance.finding.says.startswith("The same seed gives other folds the second time")

    @pytest.mark.parametrize("answer", [_shuffled, lambda n, k, seed: np.random.RandomState(seed).permutation(n) % k])
    def test_any_generator_may_deal(self, answer):
        assert all(assess(checks.kfold_labels, (answer,), seed).right for seed in range(20))

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (
                0,
                lambda X, y, lam, i: X.T @ X + lam * np.eye(X.shape[1]) - np.outer(X[i], X[i]),
                "This is the matrix of line 1",
            ),
            (
                3,
                lambda X, y, lam, i: ((right := checks._line_5(X, y, lam, i))[1], right[0], right[2]),
                "fitted and own have changed places",
            ),
            (4, lambda X, y, lam, i: tuple(-part for part in checks._line_6(X, y, lam, i)), "the fraction is the same"),
        ],
    )
    def test_a_line_of_the_derivation_is_told_what_is_wrong_with_it(self, part, answer, says):
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.loo_shortcut.lines]
        lines[part] = answer
        verdict = assess(checks.loo_shortcut, tuple(lines))
        assert not verdict.steps[part].right
        assert says in verdict.finding.says
