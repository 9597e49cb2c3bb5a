"""mlcore.ensembles against independent oracles: simulation, brute force, scipy, scikit-learn."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

from mlcore import decision_trees as trees
from mlcore import ensembles
from mlcore.checks import ensembles as checks
from mlcore.data import load
from mlcore.engine.exercises import but
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.values import components
from mlcore.engine.exercises.verdict import Outcome
from mlcore.explore import ensembles as explore
from tests.strangers import outcome, tried


@pytest.mark.parametrize(("rho", "k"), [(0.4, 25), (0.0, 5), (1.0, 8), (0.7, 1)])
def test_variance_of_a_correlated_average(rho, k):
    """(18.1), against simulation."""
    rng = np.random.default_rng(0)
    shared, own = rng.normal(size=(200_000, 1)), rng.normal(size=(200_000, k))
    f = 2.0 * (np.sqrt(rho) * shared + np.sqrt(1 - rho) * own)
    assert np.var(f.mean(axis=1)) == pytest.approx(ensembles.average_variance(rho, 2.0, k), rel=0.02)


def test_left_out():
    """(18.2), by counting all samples of 4, and by simulation."""
    missed = [0 not in sample for sample in itertools.product(range(4), repeat=4)]
    assert ensembles.left_out(4) == np.mean(missed)
    rng = np.random.default_rng(1)
    shares = [np.mean(np.bincount(rng.integers(200, size=200), minlength=200) == 0) for _ in range(400)]
    assert np.mean(shares) == pytest.approx(ensembles.left_out(200), abs=0.005)


def test_bag_says_what_it_drew():
    rng = np.random.default_rng(2)
    X = np.arange(20.0)[:, None]
    for counts, rows in ensembles.bag(lambda X, y: X[:, 0].astype(int), X, X[:, 0], 5, rng):
        np.testing.assert_array_equal(counts, np.bincount(rows, minlength=20))
        assert counts.sum() == 20


def test_vote_is_the_most_frequent_label():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, size=(9, 50))
    mode = scipy.stats.mode(labels, axis=0).mode  # of equal counts the smallest, as ours
    np.testing.assert_array_equal(ensembles.vote(labels), mode)
    counted = rng.random((9, 50)) < 0.5
    counted[0] = True
    expected = [scipy.stats.mode(labels[counted[:, i], i]).mode for i in range(50)]
    np.testing.assert_array_equal(ensembles.vote(labels, counted), expected)


class TestOutOfBag:
    """(18.3)."""

    def test_numbers_of_the_erratum(self):
        """scikit-learn's trees: the mean of their errors 0.319, their vote 0.207, on new points 0.220."""
        rng = np.random.default_rng(0)
        n = 400
        X = rng.normal(size=(n, 6))
        y = ((X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * rng.normal(size=n)) > 0) * 1
        new = rng.normal(size=(4000, 6))
        y_new = ((new[:, 0] + new[:, 1] * new[:, 2] + 0.7 * rng.normal(size=4000)) > 0) * 1
        labels, bags, votes = [], [], []
        for b in range(100):
            rows = rng.integers(0, n, n)
            tree = DecisionTreeClassifier(max_features=2, random_state=b).fit(X[rows], y[rows])
            labels.append(tree.predict(X))
            bags.append(np.bincount(rows, minlength=n))
            votes.append(tree.predict(new))
        labels, bags = np.array(labels), np.array(bags)
        single = np.mean([np.mean(a[b == 0] != y[b == 0]) for a, b in zip(labels, bags, strict=True)])
        assert single == pytest.approx(0.319, abs=5e-4)
        assert ensembles.oob_error(labels, bags, y) == pytest.approx(0.207, abs=6e-4)
        assert np.mean(ensembles.vote(votes) != y_new) == pytest.approx(0.220, abs=6e-4)

    def test_points_that_all_have_seen_do_not_count(self):
        labels, bags, y = np.array([[1, 0, 1], [0, 0, 1]]), np.array([[1, 0, 2], [2, 1, 0]]), np.array([1, 1, 1])
        assert ensembles.oob_error(labels, bags, y) == 0.5

    def test_without_unseen_points_there_is_one_line(self):
        with pytest.raises(ValueError, match=r"ensembles.oob_error: every learner has seen every point"):
            ensembles.oob_error(np.zeros((2, 2), int), np.ones((2, 2)), np.zeros(2))


def test_features_seen():
    """(18.4), against simulation, with the numbers of the erratum."""
    rng = np.random.default_rng(0)
    seen = [len({j for _ in range(15) for j in rng.choice(10, 3, replace=False)}) for _ in range(2000)]
    assert ensembles.features_seen(10, 3, 15) == pytest.approx(np.mean(seen), abs=0.02)
    assert ensembles.features_seen(10, 3, 1) == pytest.approx(3)
    assert ensembles.features_seen(4, 4, 7) == 4


def weighted_problem(seed, n=12):
    rng = np.random.default_rng(seed)
    P = rng.uniform(0.2, 1, size=n)
    s = rng.choice([-1, 1], size=n)
    h = np.where(rng.random(n) < 0.3, -s, s)
    h[0], h[1] = -s[0], s[1]
    return P / P.sum(), s, h


@pytest.mark.parametrize("seed", range(5))
def test_alpha_minimises_the_loss(seed):
    """(18.6), (18.7) and (18.9), against an optimiser."""
    P, s, h = weighted_problem(seed)
    found = minimize_scalar(lambda a: np.sum(P * np.exp(-a * s * h)), bounds=(-5, 5), method="bounded")
    alpha, new = ensembles.step(P, s, h)
    assert alpha == pytest.approx(found.x, abs=1e-4)
    assert ensembles.normaliser(ensembles.weighted_error(P, s, h)) == pytest.approx(found.fun)
    np.testing.assert_allclose(new, P * np.exp(-alpha * s * h) / found.fun)
    assert ensembles.weighted_error(new, s, h) == pytest.approx(0.5)


class TestTheDerivationOfAlpha:
    """Each line, put together, against the one before."""

    cases = tuple(args for seed in range(4) for args in checks._chained(np.random.default_rng(seed)))

    @pytest.mark.parametrize("args", cases)
    def test_line_2_is_the_loss(self, args):
        assert sum(checks._line_2(*args)) == pytest.approx(checks._line_1(*args))

    @pytest.mark.parametrize("args", cases)
    def test_line_3_is_the_derivative_of_line_2(self, args):
        alpha, *rest = args
        slope = (sum(checks._line_2(alpha + 1e-6, *rest)) - sum(checks._line_2(alpha - 1e-6, *rest))) / 2e-6
        down, up = checks._line_3(*args)
        assert down * np.exp(-alpha) + up * np.exp(alpha) == pytest.approx(slope, rel=1e-6, abs=1e-8)

    @pytest.mark.parametrize("args", cases)
    def test_lines_4_and_5_are_where_it_vanishes(self, args):
        _, P, s, h = args
        best = checks._line_5(*args)
        assert np.exp(2 * best) == pytest.approx(checks._line_4(*args))
        down, up = checks._line_3(*args)
        assert down * np.exp(-best) + up * np.exp(best) == pytest.approx(0)
        assert ensembles.step(P, s, h)[0] == pytest.approx(best)

    def test_every_step_holds_for_the_right_lines(self):
        """`follows` and `undo`."""
        for args in self.cases:
            for before, here in itertools.pairwise(checks.boost_chain.lines):
                there, now = before.reference(*args), here.reference(*args)
                step = here.follows[0] if isinstance(here.follows, list) else here.follows
                for one, other in zip(components(now), components(step(there, *args)), strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize("times", [1, -1, 2], ids=["groups", "exponents", "doubled"])
    def test_wrong_exponents_cost_one_point(self, times):
        """Exchanged ones, differentiated and sorted, cost a second one, and line 3 was told what was untrue of it."""

        def eps(P, s, h):
            return np.sum(P[h == s]) if times == 1 else np.sum(P[h != s])

        def line_2(alpha, P, s, h):
            return (1 - eps(P, s, h)) * np.exp(-times * alpha), eps(P, s, h) * np.exp(times * alpha)

        def line_3(alpha, P, s, h):
            numbers = -times * (1 - eps(P, s, h)), times * eps(P, s, h)
            return numbers if times > 0 else numbers[::-1]

        def line_4(*args):
            return -line_3(*args)[0] / line_3(*args)[1]

        lines = (line_2, line_3, line_4, lambda *args: np.log(line_4(*args)) / 2)
        assert assess(checks.boost_chain, lines).points == 3

    def test_a_logarithm_of_nothing_follows_from_a_sign(self):
        """The α of e^(2α) = −(1 − ε)/ε is nan, and so is that of (1 − 2ε)/ε where ε is above ½."""

        def eps(P, s, h):
            return np.sum(P[h != s])

        right = [line.reference for line in checks.boost_chain.lines]
        for change in (lambda e: -(1 - e) / e, lambda e: (1 - 2 * e) / e):
            line_4 = lambda alpha, P, s, h, change=change: change(eps(P, s, h))  # noqa: E731
            lines = (*right[:2], line_4, lambda *args, four=line_4: np.log(four(*args)) / 2)
            assert assess(checks.boost_chain, lines).points == 3

    @pytest.mark.parametrize(
        ("right", "wrong"),
        [
            (lambda P, s, h: np.sum(P[h != s]), lambda P, s, h: np.sum(P[h == s])),
            (lambda P, s, h: np.mean(P[h == s]), lambda P, s, h: np.mean(P[h != s])),
            (lambda P, s, h: np.sum(P[h == s]) / len(P), lambda P, s, h: np.sum(P[h != s]) / len(P)),
        ],
        ids=["exchanged", "mean weights", "divided by n"],
    )
    def test_wrong_groups_cost_one_point(self, right, wrong):
        lines = (
            lambda alpha, P, s, h: (right(P, s, h) * np.exp(-alpha), wrong(P, s, h) * np.exp(alpha)),
            lambda alpha, P, s, h: (-right(P, s, h), wrong(P, s, h)),
            lambda alpha, P, s, h: right(P, s, h) / wrong(P, s, h),
            lambda alpha, P, s, h: np.log(right(P, s, h) / wrong(P, s, h)) / 2,
        )
        assert assess(checks.boost_chain, lines).points == 3

    @pytest.mark.parametrize("change", [np.sqrt, np.reciprocal], ids=["root", "upside down"])
    def test_a_wrong_line_4_costs_one_point(self, change):
        right = [line.reference for line in checks.boost_chain.lines]
        lines = (*right[:2], lambda *args: change(right[2](*args)), lambda *args: np.log(change(right[2](*args))) / 2)
        assert assess(checks.boost_chain, lines).points == 3

    def test_given_and_own_lines_again_earn_nothing(self):
        again = [checks._line_1, *(line.reference for line in checks.boost_chain.lines[:-1])]
        assert assess(checks.boost_chain, (checks._line_1,) * 4).points == 0
        assert assess(checks.boost_chain, tuple(again)).points == 0


@pytest.mark.parametrize("seed", range(10))
def test_stump_is_the_best_of_all(seed):
    """(18.5), by trying every threshold and sign, with ties in x."""
    rng = np.random.default_rng(seed)
    x, s, P = rng.integers(0, 6, size=15).astype(float), rng.choice([-1, 1], size=15), rng.dirichlet(np.ones(15))
    t, sign, eps = ensembles.stump(x, s, P)
    values = np.unique(x)
    middles = (values[1:] + values[:-1]) / 2
    every = [np.sum(P[np.where(x > m, a, -a) != s]) for m in middles for a in (-1, 1)]
    assert eps == pytest.approx(min(every))
    assert np.sum(P[np.where(x > t, sign, -sign) != s]) == pytest.approx(eps)
    assert np.any(np.isclose(middles, t))


def boosting_problem(seed, n=200, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 - 1 + 0.3 * rng.normal(size=n) > 0, 1, -1)


class TestAdaboost:
    @pytest.mark.parametrize("seed", range(4))
    def test_every_round_follows_the_equations(self, seed):
        """(18.5) to (18.8): each round takes the best stump of all features, and hands its weights on."""
        X, s = boosting_problem(seed)
        rounds = list(ensembles.adaboost(X, s, 12))
        P = np.full(200, 1 / 200)
        for r in rounds:
            np.testing.assert_allclose(r.P, P)
            h = np.where(X[:, r.feature] > r.threshold, r.sign, -r.sign)
            assert r.eps == pytest.approx(np.sum(P[h != s]))
            assert r.eps == pytest.approx(min(ensembles.stump(X[:, j], s, P)[2] for j in range(4)))
            alpha, P = ensembles.step(P, s, h)
            assert r.alpha == pytest.approx(alpha)

    @given(st.integers(0, 1000))
    def test_the_bound_is_the_product(self, seed):
        """(18.10)."""
        X, s = boosting_problem(seed, n=40)
        rounds = list(ensembles.adaboost(X, s, 15))
        signed = ensembles.scores(rounds, X)
        alpha = np.array([r.alpha for r in rounds])
        error, bound = ensembles.error_and_bound(np.sign(signed), alpha, s)
        assert error <= bound + 1e-12
        if rounds[-1].eps > 1e-9:
            assert bound == pytest.approx(np.prod([ensembles.normaliser(r.eps) for r in rounds]))
        assert error == np.mean(s * signed.sum(axis=0) <= 0)

    def test_is_as_good_as_scikit_learns(self):
        """The other's stumps minimise Gini, ours the weighted error: not the same, as good on new points."""
        X, s = boosting_problem(0, n=1000)
        new, s_new = boosting_problem(1, n=2000)
        rounds = list(ensembles.adaboost(X, s, 60))
        ours = np.mean(np.sign(ensembles.scores(rounds, new).sum(axis=0)) == s_new)
        peer = AdaBoostClassifier(n_estimators=60).fit(X, s).score(new, s_new)
        assert ours > peer - 0.02

    def test_stops_where_nothing_is_to_be_gained(self):
        perfect = list(ensembles.adaboost(np.array([[0.0], [1], [2], [3]]), np.array([-1, -1, 1, 1]), 5))
        assert len(perfect) == 1
        assert perfect[0].threshold == 1.5
        square = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
        assert list(ensembles.adaboost(square, np.array([1, -1, -1, 1]), 5)) == []

    def test_wrong_arguments_get_one_line(self):
        with pytest.raises(ValueError, match=r"ensembles.adaboost: X must have shape \(n, d\), got \(4,\)"):
            list(ensembles.adaboost(np.ones(4), np.ones(4), 3))
        with pytest.raises(ValueError, match=r"ensembles.adaboost: s must hold −1 and \+1, shape \(n,\) = \(4,\)"):
            list(ensembles.adaboost(np.ones((4, 1)), np.array([0, 1, 0, 1]), 3))
        with pytest.raises(ValueError, match=r"all points are equal, there is nothing to ask"):
            list(ensembles.adaboost(np.ones((4, 1)), np.array([-1, 1, -1, 1]), 3))
        with pytest.raises(ValueError, match=r"ensembles.stump: all points are equal"):
            ensembles.stump(np.ones(4), np.array([-1, 1, -1, 1]), np.full(4, 0.25))


def test_out_of_fold_is_scikit_learns():
    """(18.11)."""
    rng = np.random.default_rng(5)
    x, fold = rng.uniform(size=40), rng.permutation(np.arange(40) % 4)
    y = np.sin(5 * x) + rng.normal(size=40)
    peers = [KNeighborsRegressor(1), LinearRegression()]
    expected = [cross_val_predict(peer, x[:, None], y, cv=PredefinedSplit(fold)) for peer in peers]
    found = ensembles.out_of_fold((ensembles.nearest, ensembles.line), x, y, fold)
    np.testing.assert_allclose(found, np.transpose(expected))


@pytest.mark.parametrize("p", [0.1, 0.4, 0.5, 0.6])
@pytest.mark.parametrize("k", [1, 3, 11])
def test_vote_wrong_is_a_binomial_tail(p, k):
    """(18.12)."""
    assert ensembles.vote_wrong(p, k) == pytest.approx(scipy.stats.binom.sf(k // 2, k, p))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_crowd(self):
        explorer = explore.Crowd()
        assert round(explorer.single.mean(), 3) == 0.092
        whole = trees.predict(trees.grow(explorer.x[:, None], explorer.y), explorer.at[:, None])
        assert round(np.mean((whole - explorer._truth(explorer.at)) ** 2), 2) == 0.08
        assert [round(explorer.errors[k - 1], 3) for k in (10, 100)] == [0.047, 0.045]

    def test_floor(self):
        values = [ensembles.average_variance(rho, 1, k) for rho, k in ((0.4, 25), (0, 25), (0.4, 100), (0.2, 25))]
        np.testing.assert_allclose(values, [0.424, 0.040, 0.406, 0.232], atol=5e-4)

    def test_shares(self):
        np.testing.assert_allclose(ensembles.left_out(np.array([10, 1000])), [0.3487, 0.3677], atol=5e-5)
        rng = np.random.default_rng(0)
        shared = [len(set(rng.integers(0, 1000, 1000)) & set(rng.integers(0, 1000, 1000))) / 1000 for _ in range(100)]
        assert np.mean(shared) == pytest.approx((1 - np.exp(-1)) ** 2, abs=0.005)
        assert round(0.632**2, 2) == 0.40

    def test_features(self):
        assert round(ensembles.features_seen(10, 3, 15), 2) == 9.95

    def test_forest(self):
        results = explore.Forest().results
        found = [results[name] for name in ("6 of 6", "2 of 6", "1 of 6")]
        assert [round(r.single.mean(), 3) for r in found] == [0.281, 0.307, 0.355]
        assert [round(r.alike, 2) for r in found] == [0.45, 0.33, 0.22]
        assert f"{found[1].oob[-1]:.3f}" == "0.228"
        assert [round(r.test[-1], 3) for r in found] == [0.198, 0.212, 0.225]
        assert [round(np.sqrt(r.test[-1] * (1 - r.test[-1]) / 1000), 3) for r in found] == [0.013] * 3

    def test_digits(self):
        digits, rng = load("digits"), np.random.default_rng(0)
        X, y = digits.X, digits.y.astype(int)

        def learn(X, Y):
            return trees.grow(X, Y, tries=8, rng=rng)

        forest = list(ensembles.bag(learn, X, trees.one_hot(y, 10), 25, rng))
        bags, labels = np.array([b for b, _ in forest]), np.array([trees.classify(t, X) for _, t in forest])
        single = np.mean([np.mean(a[b == 0] != y[b == 0]) for a, b in zip(labels, bags, strict=True)])
        peer = RandomForestClassifier(25, max_features=8, oob_score=True, random_state=0).fit(X, y)
        assert ensembles.oob_error(labels, bags, y) == pytest.approx(1 - peer.oob_score_, abs=0.02)
        assert 1 / single == pytest.approx(5, abs=0.5)
        assert 1 / ensembles.oob_error(labels, bags, y) == pytest.approx(19, abs=0.5)

    def test_ten_points(self):
        alpha, P = ensembles.step(np.full(10, 0.1), np.ones(10), np.repeat([-1, 1], [3, 7]))
        assert alpha == pytest.approx(0.4236, abs=5e-5)
        np.testing.assert_allclose(P, np.repeat([1 / 6, 1 / 14], [3, 7]))
        assert ensembles.normaliser(0.3) == pytest.approx(0.9165, abs=5e-5)

    def test_boosting(self):
        explorer = explore.Boosting()
        clean, noisy = explorer.results["none"], explorer.results["10%"]
        assert np.argmax(clean.train == 0) + 1 == 31
        assert round(explorer.compute(150, "none").margins[0], 3) == 0.046
        assert np.all((clean.test[50:] > 0.09) & (clean.test[50:] < 0.12))
        assert noisy.flipped.mean() == 0.1
        late = explorer.compute(100, "10%")
        assert [round(late.heavy, 2), round(late.test, 3), round(noisy.test.min(), 3)] == [0.31, 0.191, 0.151]
        assert np.argmin(noisy.test) + 1 == 31

    @pytest.mark.parametrize("seed", range(10))
    def test_stacking_in_sample_is_worse(self, seed):
        rng = np.random.default_rng(seed)
        x, x_new = rng.uniform(size=60), rng.uniform(size=2000)
        y, y_new = 2 * x + 0.5 * rng.normal(size=60), 2 * x_new + 0.5 * rng.normal(size=2000)
        learners = (ensembles.nearest, ensembles.line)
        seen, new = (np.column_stack([learn(x, y)(at) for learn in learners]) for at in (x, x_new))
        unseen = ensembles.out_of_fold(learners, x, y, np.arange(60) % 5)
        inside, outside = ensembles.stack(seen, y), ensembles.stack(unseen, y)
        np.testing.assert_allclose(inside, [1, 0], atol=1e-9)
        assert outside[1] > 0.5
        errors = [np.mean((new @ w - y_new) ** 2) for w in (inside, outside)]
        assert errors[0] > 1.3 * errors[1]

    def test_juries(self):
        found = [ensembles.vote_wrong(p, 101) for p in (0.4, 0.5, 0.6)]
        np.testing.assert_allclose(found, [0.021, 0.5, 0.979], atol=5e-4)


def _votes_of(labels, bags, y, chosen):
    """The out-of-bag error, where `chosen` picks one of the labels with the most votes, in the order of the trees."""
    wrong = []
    for i in range(len(y)):
        votes = labels[bags[:, i] == 0, i].tolist()
        if votes:
            most = max(map(votes.count, votes))
            wrong.append(chosen([v for v in votes if votes.count(v) == most]) != y[i])
    return np.mean(wrong)


def _stepped(P, s, h, change):
    alpha = change(np.log(np.sum(P[h == s]) / np.sum(P[h != s])) / 2)
    grown = P * np.exp(-alpha * s * h)
    return alpha, grown / np.sum(grown)


def _by_folds(x, y, fold, folds):
    Z = np.zeros((len(x), 2))
    for v in folds(fold):
        train, test = fold != v, fold == v
        Z[test, 0] = [y[train][np.argmin((x[train] - at) ** 2)] for at in x[test]]
        Z[test, 1] = np.column_stack([np.ones(test.sum()), x[test]]) @ (
            np.linalg.pinv(np.column_stack([np.ones(train.sum()), x[train]])) @ y[train]
        )
    return Z


WRONG = {
    "|ρ|": ("bag_variance", lambda rho, sigma, k: ensembles.average_variance(abs(rho), sigma, k)),
    "the last of a tie": ("oob_error", lambda labels, bags, y: _votes_of(labels, bags, y, lambda tied: tied[-1])),
    "the first of a tie": ("oob_error", lambda labels, bags, y: _votes_of(labels, bags, y, lambda tied: tied[0])),
    "stump of |x|": ("boost_stump", lambda x, s, P: ensembles.stump(np.abs(x), s, P)),
    "|α|": ("boost_step", lambda P, s, h: _stepped(P, s, h, abs)),
    "α ≥ 0": ("boost_step", lambda P, s, h: _stepped(P, s, h, lambda alpha: max(alpha, 0.0))),
    "ε ≤ ½": ("boost_normaliser", lambda eps: ensembles.normaliser(np.minimum(eps, 0.5))),
    "a vote with |α|": ("boost_bound", lambda H, alpha, s: ensembles.error_and_bound(H, np.abs(alpha), s)),
    "an unweighted vote": (
        "boost_bound",
        lambda H, alpha, s: (np.mean(np.sign(H.sum(axis=0)) != s), ensembles.error_and_bound(H, alpha, s)[1]),
    ),
    "|z|": ("stack_out_of_fold", lambda x, y, fold: np.abs(_by_folds(x, y, fold, np.unique))),
    "folds 0, 1, …": (
        "stack_out_of_fold",
        lambda x, y, fold: _by_folds(x, y, fold, lambda fold: range(len(set(fold)))),
    ),
}

RIGHT = {
    "the smallest of a tie": ("oob_error", lambda labels, bags, y: _votes_of(labels, bags, y, min)),
    "log odds": ("boost_step", lambda P, s, h: _stepped(P, s, h, float)),
    "any folds": ("stack_out_of_fold", lambda x, y, fold: _by_folds(x, y, fold, np.unique)),
    "the upper tail": ("vote_wrong", lambda p, k: scipy.stats.binom.sf(k // 2, k, p)),
}


class TestAnswersOfStrangers(tried(checks, WRONG, RIGHT, [0, 4, 66])):
    """Answers that nobody catalogued. Each was judged wrongly, on some draws or on all."""

    @pytest.mark.parametrize("label", [150, 10**9])
    def test_a_label_may_be_any_whole_number(self, label):
        votes = ([[label], [2], [2]], [[0], [0], [0]], [2])
        assert outcome(checks, "oob_error", votes, part=1) is Outcome.RIGHT

    def test_a_point_may_have_been_drawn_any_number_of_times(self):
        votes = ([[1, 1], [0, 1], [0, 1]], [[0, 500], [0, 1], [0, 0]], [0, 1])
        assert outcome(checks, "oob_error", votes, part=1) is Outcome.RIGHT

    @pytest.mark.parametrize("d", [10, 10**12, 10**15])
    def test_one_split_shows_m_features_however_many_there_are(self, d):
        """1 − m/d loses the digits of m."""
        assert outcome(checks, "forest_features", (d, 3, 1), part=1) is not Outcome.RIGHT
        assert outcome(checks, "forest_features", (d, 3, 2), part=1) is Outcome.RIGHT

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, None, lambda alpha, P, s, h: checks._line_2(alpha, P, s, h)[::-1], "changed places"),
            (
                2,
                None,
                lambda alpha, P, s, h: (P @ (s == h) * np.exp(alpha), P @ (s != h) * np.exp(-alpha)),
                "exponents are exchanged",
            ),
            (2, None, lambda alpha, P, s, h: (P @ (s == h), P @ (s != h)), "still to be multiplied"),
            (
                2,
                None,
                lambda alpha, P, s, h: (np.sum(s == h) / np.exp(alpha), np.sum(s != h) * np.exp(alpha)),
                "counts as 1",
            ),
            (
                2,
                None,
                lambda alpha, P, s, h: (P @ (s > 0) * np.exp(-alpha), P @ (s < 0) * np.exp(alpha)),
                "the label s alone",
            ),
            (
                2,
                None,
                lambda alpha, P, s, h: (P @ (h > 0) * np.exp(-alpha), P @ (h < 0) * np.exp(alpha)),
                "what h says alone",
            ),
            (3, None, lambda alpha, P, s, h: checks._line_3(alpha, P, s, h)[::-1], "changed places"),
            (3, None, lambda alpha, P, s, h: (-(P @ (s != h)), P @ (s == h)), "groups are exchanged"),
            (3, 1, lambda alpha, P, s, h: P @ (s != h) * np.exp(alpha), "still in up"),
            (4, None, lambda alpha, P, s, h: np.exp(2 * alpha), "the α that is given"),
            (4, None, lambda alpha, P, s, h: -checks._line_4(alpha, P, s, h), "down is negative"),
            (4, None, lambda alpha, P, s, h: np.sum(s == h) / np.sum(s != h), "counted"),
            (5, None, lambda alpha, P, s, h: alpha, "the α that is given"),
            (5, None, lambda alpha, P, s, h: np.log10(checks._line_4(alpha, P, s, h)) / 2, "base 10"),
            (5, None, lambda alpha, P, s, h: checks._line_4(alpha, P, s, h), "its logarithm is asked for"),
            (5, None, lambda alpha, P, s, h: 2 * np.log(checks._line_4(alpha, P, s, h)), "do not multiply"),
        ],
    )
    def test_a_slip_in_a_line_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.boost_chain.lines]
        right = lines[line - 2]
        lines[line - 2] = slip if part is None else but(right, part, slip)
        assert told in assess(checks.boost_chain, tuple(lines)).finding.says
