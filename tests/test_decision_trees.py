"""mlcore.decision_trees against independent oracles: brute force, scipy, scikit-learn."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from mlcore import decision_trees as trees
from mlcore.authoring import recorded
from mlcore.authoring.audit.desk import Desk
from mlcore.checks import decision_trees as checks
from mlcore.data import load
from mlcore.engine.exercises import but
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.verdict import Outcome
from mlcore.explore import decision_trees as explore
from tests.strangers import outcome, tried

COUNTS = [np.array([3, 1]), np.array([0, 2, 5]), np.array([7, 1, 4, 4])]


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_impurities(counts):
    """(17.1), (17.2) and (17.3)."""
    points = np.repeat(np.arange(len(counts)), counts)
    pairs = list(itertools.product(points, points))
    assert trees.error(counts) == pytest.approx(np.mean(points != np.argmax(counts)))
    assert trees.entropy(counts) == pytest.approx(scipy.stats.entropy(counts, base=2))
    assert trees.gini(counts) == pytest.approx(np.mean([a != b for a, b in pairs]))


def test_impurities_of_many_nodes_at_once():
    table = np.array([[3, 1], [0, 4], [2, 2]])
    for impurity in (trees.error, trees.entropy, trees.gini):
        np.testing.assert_allclose(impurity(table), [impurity(row) for row in table])


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(sum), min_size=1, max_size=4))
def test_no_gain_is_negative(children):
    """(17.4): all three impurities are concave."""
    for impurity in (trees.error, trees.entropy, trees.gini):
        assert trees.gain(children, impurity) >= -1e-12


def test_gain_is_mutual_information():
    """(17.4) and (17.5), against scikit-learn's mutual information in nats."""
    rng = np.random.default_rng(0)
    A, y = rng.integers(0, 4, size=(60, 3)), rng.integers(0, 3, size=60)
    expected = [mutual_info_score(y, a) / np.log(2) for a in A.T]
    np.testing.assert_allclose(trees.attribute_gains(A, y), expected)
    table = [[np.sum((A[:, 0] == v) & (y == k)) for k in range(3)] for v in range(4)]
    assert trees.gain(table) == pytest.approx(expected[0])


def test_scan_is_the_drop_of_the_squared_error():
    """(17.6), by adding squares."""
    rng = np.random.default_rng(1)
    x, y = rng.permutation(20).astype(float), rng.normal(3, 1, size=20)

    def sse(v):
        return np.sum((v - v.mean()) ** 2)

    expected = [sse(y) - sse(y[x <= t]) - sse(y[x > t]) for t in range(19)]
    np.testing.assert_allclose(trees.scan(x, y), expected)


def sloppy(times=lambda k, n: k, cross=2, product=-1, factor=lambda p, q: p * q / (p + q)):
    """The derivation by someone who makes one slip, and goes on from there."""

    def line_2(left, right):
        p, q = len(left), len(right)
        mean = np.concatenate([left, right]).mean()
        return times(p + q, p + q) * mean**2, times(p, p + q) * left.mean() ** 2, times(q, p + q) * right.mean() ** 2

    def line_3(left, right):
        _, on_left, on_right = line_2(left, right)
        p, q, a, b = len(left), len(right), left.mean(), right.mean()
        inside = times(p + q, p + q) / (p + q) ** 2
        return on_left, on_right, inside * p**2 * a**2, inside * cross * p * q * a * b, inside * q**2 * b**2

    def line_4(left, right):
        on_left, on_right, left_square, between, right_square = line_3(left, right)
        return on_left - left_square, product * between, on_right - right_square

    def line_5(left, right):
        p, q = len(left), len(right)
        sign = np.sign(product * cross)
        return factor(p, q) * times(p, p + q) / p, left.mean() + sign * right.mean()

    def line_6(left, right):
        p, q = len(left), len(right)
        S = np.sum(left - np.concatenate([left, right]).mean())
        return line_5(left, right)[0] * ((p + q) / (p * q)) ** 2, S

    return line_2, line_3, line_4, line_5, line_6


class TestTheDerivationOfTheDrop:
    """Each line, put together, against the one before."""

    cases = tuple(args for seed in range(4) for args in checks._parts(np.random.default_rng(seed)))

    @pytest.mark.parametrize("args", cases)
    def test_every_line_is_the_drop(self, args):
        drop = pytest.approx(checks._line_1(*args))
        whole, on_left, on_right = checks._line_2(*args)
        assert on_left + on_right - whole == drop
        on_left, on_right, left_square, cross, right_square = checks._line_3(*args)
        assert on_left + on_right - left_square - cross - right_square == drop
        assert left_square + cross + right_square == pytest.approx(whole)
        assert sum(checks._line_4(*args)) == drop
        for line in (checks._line_5, checks._line_6):
            factor, base = line(*args)
            assert factor * base**2 == drop

    @pytest.mark.parametrize("args", cases)
    def test_lines_3_to_5_hold_for_any_means(self, args):
        """The coefficients of line 4 are those of the square of line 5, whatever the means are."""
        left, right = args
        for up, down in ((3.0, -2.0), (0.5, 4.0)):
            moved = left - left.mean() + up, right - right.mean() + down
            factor, difference = checks._line_5(*moved)
            other = difference - up
            expected = factor * up**2, 2 * factor * up * other, factor * other**2
            np.testing.assert_allclose(checks._line_4(*moved), expected)

    def test_every_step_holds_for_the_right_lines(self):
        """`follows` and `undo`."""
        for args in self.cases:
            for before, here in itertools.pairwise(checks.tree_drop_chain.lines):
                there, now = before.reference(*args), here.reference(*args)
                steps = here.follows if isinstance(here.follows, list) else [here.follows]
                ways = [(here.undo(now, *args), there)] if here.undo else [(now, step(there, *args)) for step in steps]
                for found, wanted in ways:
                    for one, other in zip(found, wanted, strict=True):
                        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize(
        "slip",
        [
            {"times": lambda k, n: -k},
            {"times": lambda k, n: k / n},
            {"times": lambda k, n: 2 * k},
            {"cross": -2},
        ],
        ids=["signs", "shares", "twice", "cross"],
    )
    def test_one_slip_costs_one_point(self, slip):
        assert assess(checks.tree_drop_chain, sloppy(**slip)).points == 4

    @pytest.mark.parametrize(
        ("part", "slip"),
        [
            (1, {"cross": -2}),
            (2, {"product": 1}),
            (3, {"factor": lambda p, q: p * q}),
            (3, {"factor": lambda p, q: p * q / (p + q) ** 2}),
            (3, {"factor": lambda p, q: (p + q) / (p * q)}),
        ],
    )
    def test_one_slip_on_the_way_costs_one_point(self, part, slip):
        assert assess(checks.tree_drop_chain, (*sloppy()[:part], *sloppy(**slip)[part:])).points == 4

    def test_a_difference_turned_round_costs_one_point(self):
        """S_L, taken for factor × difference, has its sign then."""

        def line_5(left, right):
            return checks._line_5(left, right)[0], right.mean() - left.mean()

        def line_6(left, right):
            factor, difference = line_5(left, right)
            return 1 / factor, factor * difference

        seen = assess(checks.tree_drop_chain, (*sloppy()[:3], line_5, line_6))
        assert "".join(step.shown for step in seen.steps) == "✓✓✓✗↳"

    @pytest.mark.parametrize(
        "line_5",
        [
            lambda left, right: (
                (len(left) + len(right)) * len(left) / len(right),
                left.mean() - np.concatenate([left, right]).mean(),
            ),
            lambda left, right: (
                len(left) * len(right) / (len(left) + len(right)) / 4,
                2 * left.mean() - 2 * right.mean(),
            ),
            lambda left, right: (
                1 / (len(left) * len(right) * (len(left) + len(right))),
                len(right) * np.sum(left) - len(left) * np.sum(right),
            ),
        ],
        ids=["from the mean of all", "doubled", "sums"],
    )
    def test_another_factor_and_difference_are_told_to_be_right_together(self, line_5):
        """They were told that they do not follow, and line 5 did not fix them: ȳ_L is once in each of them."""
        lines = sloppy()
        seen = assess(checks.tree_drop_chain, (*lines[:3], line_5, lines[4]))
        assert "all together it is right" in seen.finding.says
        assert "made of ȳ_L and ȳ_R alone" in seen.finding.says
        assert seen.points == 4

    def test_given_and_own_lines_again_earn_nothing(self):
        again = [checks._line_1, *(line.reference for line in checks.tree_drop_chain.lines[:-1])]
        assert assess(checks.tree_drop_chain, (checks._line_1,) * 5).points == 0
        assert assess(checks.tree_drop_chain, tuple(again)).points == 0


@pytest.mark.parametrize("seed", range(5))
def test_best_split_is_scikit_learns(seed):
    """(17.7), with ties in x."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 9, size=30).astype(float), rng.normal(size=30)
    peer = DecisionTreeRegressor(max_depth=1).fit(x[:, None], y)
    threshold, mse = trees.best_split(x, y)
    assert threshold == pytest.approx(peer.tree_.threshold[0])
    assert mse == pytest.approx(np.mean((peer.predict(x[:, None]) - y) ** 2))


def drop(Y, yes):
    """How much a question lowers the SSE of Y, by adding squares."""
    return sum(np.sum((y - y.mean()) ** 2) - sum(np.sum((v - v.mean()) ** 2) for v in (y[yes], y[~yes])) for y in Y.T)


def same_questions(ours, peer, X, Y):
    """Walk both trees: every node asks the same, or asks something with exactly the same gain. Returns both numbers."""
    Y = Y.reshape(len(X), -1)
    places, asked, ties = [(0, 0, np.arange(len(X)))], 0, 0
    for m, k, points in places:  # grows while we walk
        assert (ours.feature[m] < 0) == (peer.feature[k] < 0)
        np.testing.assert_allclose(ours.value[m], np.squeeze(peer.value[k]), rtol=1e-9)
        assert ours.size[m] == peer.n_node_samples[k] == len(points)
        if ours.feature[m] < 0:
            continue
        yes = X[points, ours.feature[m]] <= ours.threshold[m]
        if ours.feature[m] == peer.feature[k] and ours.threshold[m] == pytest.approx(peer.threshold[k], rel=1e-6):
            asked += 1
            left = peer.children_left[k], peer.children_right[k]
            places += [(ours.left[m], left[0], points[yes]), (ours.left[m] + 1, left[1], points[~yes])]
        else:
            ties += 1
            other = X[points, peer.feature[k]] <= peer.threshold[k]
            assert drop(Y[points], yes) == pytest.approx(drop(Y[points], other), rel=1e-9)
    return asked, ties


def continuous(seed, n=600, d=5):
    """Features without ties, in single precision, in which scikit-learn keeps them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(float)
    return X, X[:, 0] + X[:, d // 2] * X[:, d // 3] + 0.5 * rng.normal(size=n)


class TestSplitsAreScikitLearns:
    """Continuous data: the same questions, but where two have the same gain, of which scikit-learn draws one."""

    @pytest.mark.parametrize("seed", range(4))
    def test_regression(self, seed):
        """Equal gains occur only where two questions part the points in the same way."""
        X, y = continuous(seed)
        large = DecisionTreeRegressor(min_samples_leaf=20).fit(X, y)
        assert same_questions(trees.grow(X, y, least=20), large.tree_, X, y)[1] == 0
        asked, ties = same_questions(trees.grow(X, y), DecisionTreeRegressor().fit(X, y).tree_, X, y)
        assert asked > 200
        assert ties < asked

    @pytest.mark.parametrize("seed", range(4))
    def test_one_feature_to_the_end(self, seed):
        X, y = continuous(seed, n=200, d=1)
        assert same_questions(trees.grow(X, y), DecisionTreeRegressor().fit(X, y).tree_, X, y) == (199, 0)

    @pytest.mark.parametrize("depth", [1, 3])
    def test_to_a_depth(self, depth):
        X, y = continuous(7)
        peer = DecisionTreeRegressor(max_depth=depth).fit(X, y)
        assert same_questions(trees.grow(X, y, depth), peer.tree_, X, y) == (2**depth - 1, 0)
        assert len(trees.grow(X, y, 0).left) == 1

    @pytest.mark.parametrize("K", [2, 3])
    def test_classification(self, K):
        X, y = continuous(8, n=2000)
        y = np.digitize(y, np.quantile(y, np.arange(1, K) / K))
        Y = trees.one_hot(y, K)
        peer = DecisionTreeClassifier(min_samples_leaf=40).fit(X, y)
        asked, ties = same_questions(trees.grow(X, Y, least=40), peer.tree_, X, Y)
        assert asked > 25
        assert ties < asked / 5

    def test_to_the_end_the_training_points_are_right(self):
        X, y = continuous(9, n=1000)
        y = (y > 0).astype(int)
        tree = trees.grow(X, trees.one_hot(y, 2))
        np.testing.assert_array_equal(trees.classify(tree, X), y)
        peers = [DecisionTreeClassifier(random_state=s).fit(X, y).tree_.n_leaves for s in range(10)]
        assert min(peers) - 10 <= len(tree.leaves) <= max(peers) + 10


def naive(X, Y, least, n_all):
    """A recursive tree, one threshold at a time: the leaf value of every point, and the questions in order."""
    values = np.tile(Y.mean(axis=0), (len(Y), 1))
    best, question = -1, None
    if np.ptp(Y, axis=0).any():
        for j in range(X.shape[1]):
            for low, high in itertools.pairwise(np.unique(X[:, j])):
                yes = X[:, j] <= low
                if min(yes.sum(), (~yes).sum()) < least:
                    continue
                n, n_yes = len(Y), int(yes.sum())
                D = n * Y[yes].sum(axis=0) - n_yes * Y.sum(axis=0)
                drop = np.sum(D**2) / (n * n_yes * (n - n_yes))
                if drop > best * (1 + 1e-12):
                    best, question = drop, (j, (low + high) / 2)
    if question is None:
        return values, []
    yes = X[:, question[0]] <= question[1]
    asked = [question]
    for side in (yes, ~yes):
        values[side], more = naive(X[side], Y[side], least, n_all)
        asked += more
    return values, asked


def in_order(tree, m=0):
    """The questions of a tree: a node, then its left part, then its right."""
    if tree.feature[m] < 0:
        return []
    return [(tree.feature[m], tree.threshold[m]), *in_order(tree, tree.left[m]), *in_order(tree, tree.left[m] + 1)]


@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_grow_is_the_naive_tree_even_with_ties(seed, K, least):
    """Whole levels at once give the questions of the recursive search, ties in x and in the gain included."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, size=(60, 3)).astype(float), rng.integers(0, K, size=60)
    Y = trees.one_hot(y, K)
    tree = trees.grow(X, Y, least=least)
    values, asked = naive(X, Y, least, len(Y))
    np.testing.assert_allclose(trees.predict(tree, X), values)
    np.testing.assert_allclose(in_order(tree), asked)


def test_nodes_hold_the_means_of_their_points():
    """(17.8)."""
    X, y = continuous(3)
    tree = trees.grow(X, y, depth=5)
    leaf = trees.apply(tree, X)
    assert set(leaf) == set(tree.leaves)
    for m in tree.leaves:
        assert tree.value[m] == pytest.approx(y[leaf == m].mean())
        assert tree.size[m] == np.sum(leaf == m)
    assert np.mean((trees.predict(tree, X) - y) ** 2) == pytest.approx(trees.tree_mse(y, leaf))


def test_every_node_draws_its_own_features():
    X, y = continuous(4)
    drawn = [trees.grow(X, y, depth=1, tries=1, rng=np.random.default_rng(s)).feature[0] for s in range(200)]
    np.testing.assert_allclose(np.bincount(drawn, minlength=5) / 200, 0.2, atol=0.08)
    tree = trees.grow(X, y, tries=2, rng=np.random.default_rng(0))
    np.testing.assert_allclose(trees.predict(tree, X), y)
    all_of_them = trees.grow(X, y, tries=5, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(all_of_them.feature, trees.grow(X, y).feature)


def test_nothing_to_ask():
    constant = trees.grow(np.ones((5, 2)), np.arange(5.0))
    assert len(constant.left) == 1
    assert trees.predict(constant, np.zeros((2, 2))).tolist() == [2.0, 2.0]
    assert len(trees.grow(np.arange(5.0)[:, None], np.ones(5)).left) == 1


def prunings(tree, m=0):
    """Every set of leaves that a pruning of the tree below m can have."""
    yield [m]
    if tree.feature[m] >= 0:
        for a in prunings(tree, tree.left[m]):
            for b in prunings(tree, tree.left[m] + 1):
                yield a + b


@pytest.mark.parametrize("seed", range(8))
def test_pruning_is_the_smallest_of_the_best(seed):
    """(17.9), against every pruning that there is."""
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(2, 40, 2))
    y, y_new = ((P[:, 0] > 0).astype(int) ^ (rng.random(40) < 0.25) for P in (X, new))
    tree = trees.grow(X, trees.one_hot(y, 2), depth=4)
    e = trees.validation_errors(tree, new, y_new)
    scores = [(e[leaves].sum(), len(leaves)) for leaves in prunings(tree)]
    pruned = trees.prune(tree, new, y_new)
    assert (np.sum(trees.classify(pruned, new) != y_new), len(pruned.leaves)) == min(scores)
    assert trees.best_errors(tree.left, e)[0] == min(scores)[0]
    assert np.sum(trees.classify(tree, new) != y_new) == e[tree.leaves].sum()


@pytest.mark.parametrize("seed", range(5))
def test_on_the_training_points_pruning_changes_no_prediction(seed):
    """No split raises the training errors, so e* is what the full tree has; only splits without effect go."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, size=80)
    tree = trees.grow(X, trees.one_hot(y, 3))
    np.testing.assert_array_equal(trees.classify(trees.prune(tree, X, y), X), y)
    assert len(trees.prune(tree, X, y).leaves) == len(tree.leaves)


def test_tree_mse_weights_the_leaves():
    """(17.10), the numbers of the erratum."""
    rng = np.random.default_rng(0)
    y, leaf = np.r_[rng.normal(0, 1, 90), rng.normal(5, 3, 10)], np.repeat([4, 2], [90, 10])
    assert trees.tree_mse(y, leaf) == pytest.approx(1.5771, abs=5e-5)
    assert np.var(y[:90]) + np.var(y[90:]) == pytest.approx(8.3407, abs=5e-5)


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"decision_trees.grow: X must have shape \(n, d\), got \(5,\)"):
        trees.grow(np.ones(5), np.ones(5))
    with pytest.raises(ValueError, match=r"decision_trees.grow: Y must have n = 5 rows, got shape \(4,\)"):
        trees.grow(np.ones((5, 2)), np.ones(4))
    with pytest.raises(ValueError, match=r"decision_trees.best_split: x must hold at least two different values"):
        trees.best_split(np.ones(5), np.arange(5.0))


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_flowers(self):
        old, new = explore.Flowers().curves
        assert [round(old[10], 2), round(new[10], 2), round(new[3], 2)] == [0.95, 0.69, 0.73]
        assert np.argmax(new) == 3
        deep = explore.Flowers().compute(10)
        strip = (deep.corners[:, 0, 0] < 7) & (deep.corners[:, 1, 0] > 7)
        assert deep.sizes[strip].tolist() == [1]
        assert trees.grow(explore.Flowers().X, trees.one_hot(explore.Flowers().y, 3), 1).threshold[0] == 5.45

    def test_impurities_and_gains(self):
        found = [trees.error([3, 1]), trees.entropy([3, 1]), trees.gini([3, 1])]
        np.testing.assert_allclose(found, [0.25, 0.8113, 0.375], atol=5e-5)
        assert trees.gain([[2, 3], [4, 0], [3, 2]]) == pytest.approx(0.2467, abs=5e-5)
        assert trees.entropy([9, 5]) == pytest.approx(0.940, abs=5e-4)

    def test_two_splits(self):
        A, B = np.array([[300, 100], [100, 300]]), np.array([[200, 400], [200, 0]])
        after = [
            impurity([400, 400]) - trees.gain(s, impurity) for impurity in (trees.error, trees.gini) for s in (A, B)
        ]
        np.testing.assert_allclose(after, [0.25, 0.25, 0.375, 1 / 3])
        shown = [explore.Chord().compute(*position).gains for position in ((0.25, 0.75, 0.5), (0.33, 1.0, 0.75))]
        np.testing.assert_allclose(shown, [[0.19, 0.125, 0.25], [0.31, 0.17, 0.25]], atol=0.005)
        for impurity, gains in zip((trees.entropy, trees.gini, trees.error), np.transpose(shown), strict=True):
            np.testing.assert_allclose([trees.gain(A, impurity), trees.gain(B, impurity)], gains, atol=0.005)

    def test_gini_is_the_squared_error_of_the_indicators(self):
        y = np.repeat([0, 1, 2], [3, 5, 2])
        assert trees.one_hot(y, 3).var(axis=0).sum() == pytest.approx(trees.gini([3, 5, 2]))

    def test_thresholds(self):
        explorer = explore.Threshold()
        assert explorer.first == ("petal length", 4.75)
        np.testing.assert_array_equal(explorer.compute(4.75, "petal length").counts, [[44, 1], [6, 49]])
        bests = [explorer.compute(5.0, name).best for name in ("petal length", "sepal length")]
        np.testing.assert_allclose(bests, [0.374, 0.107], atol=5e-4)

    def test_staircase(self):
        explorer = explore.Staircase()
        by_depth = [explorer.compute(depth, 1).error for depth in range(11)]
        assert np.round(by_depth[3:6], 3).tolist() == [0.054] * 3 == [round(min(by_depth), 3)] * 3
        assert round(by_depth[10], 3) == 0.079
        assert round(explorer.compute(10, 3).error, 3) == 0.046
        assert explorer.compute(10, 1).loss == pytest.approx(0)

    def test_pruning(self):
        explorer = explore.Pruning()
        assert explorer.compute(0.2, 200).leaves == [81, 9]
        assert np.round(explorer.compute(0.2, 200).test, 2).tolist() == [0.25, 0.13]
        clean = explorer.compute(0.0, 10)
        assert clean.leaves[0] == 21 == 81 - 60
        assert np.round(clean.test, 3).tolist() == [0.059, 0.092]
        for points in range(10, 401, 10):
            full, pruned = explorer.compute(0.0, points).test
            assert pruned > full - 0.002

    def test_exclusive_or(self):
        X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
        tree = trees.grow(X, trees.one_hot(y, 2))
        np.testing.assert_array_equal(trees.classify(tree, X), y)
        assert len(tree.leaves) == 4
        product = (X[:, :1] - 0.5) * (X[:, 1:] - 0.5)
        assert len(trees.grow(product, trees.one_hot(y, 2)).leaves) == 2
        many, label = np.repeat(X, 5, axis=0), np.repeat(y, 5)
        useless = np.random.default_rng(0).normal(size=(20, 1))
        assert trees.grow(np.hstack([many, useless]), trees.one_hot(label, 2)).feature[0] == 2

    def test_days(self):
        assert load("iris").X.shape == (150, 4)
        outlook = np.array([0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2])
        others = [
            [2, 2, 2, 1, 0, 0, 0, 1, 0, 1, 1, 1, 2, 1],
            [1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1],
            [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1],
        ]
        played = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0])
        counts = [[int(np.sum((outlook == v) & (played == k))) for k in (1, 0)] for v in (0, 1, 2)]
        assert counts == [[2, 3], [4, 0], [3, 2]]
        assert np.argmax(trees.attribute_gains(np.column_stack([outlook, *others]), played)) == 0

    def test_without_weights_one_point_cut_off_looks_twice_as_good(self):
        y = np.random.default_rng(0).normal(size=1000)
        printed = [np.var(y[:n]) + np.var(y[n:]) for n in (1, 500)]
        right = [trees.tree_mse(y, np.arange(1000) < n) for n in (1, 500)]
        assert printed[1] / printed[0] == pytest.approx(2, rel=0.02)
        assert right[1] / right[0] == pytest.approx(1, rel=0.02)


def _gains_of_values(A, y, values):
    def left(a):
        return sum(np.mean(a == v) * trees.entropy(np.bincount(y[a == v])) for v in values(a) if np.any(a == v))

    return [trees.entropy(np.bincount(y)) - left(a) for a in A.T]


def _split_above(x, y, least):
    cuts = [t for t in (np.unique(x)[1:] + np.unique(x)[:-1]) / 2 if t > least]
    errors = [trees.tree_mse(y, x <= t) for t in cuts]
    return cuts[np.argmin(errors)], np.min(errors)


def _mse_of_leaves(y, leaf, leaves):
    return sum(np.var(y[leaf == m]) * np.mean(leaf == m) for m in leaves(leaf) if np.any(leaf == m))


WRONG = {
    "categories 0, 1, …": ("tree_attributes", lambda A, y: _gains_of_values(A, y, lambda a: range(len(set(a))))),
    "scan by |x|": ("tree_scan", lambda x, y: trees.scan(np.abs(x), y)),
    "scan of |y|": ("tree_scan", lambda x, y: trees.scan(x, np.abs(y))),
    "thresholds above 0": ("tree_split", lambda x, y: _split_above(x, y, 0)),
    "|threshold|": ("tree_split", lambda x, y: tuple(np.abs(trees.best_split(x, y)))),
    "the last of a tie": (
        "tree_prune",
        lambda left, counts, seen: trees.best_errors(
            left, np.sum(seen, axis=1) - seen[np.arange(len(left)), counts.shape[1] - 1 - np.argmax(counts[:, ::-1], 1)]
        ),
    ),
    "|y|": ("tree_mse", lambda y, leaf: trees.tree_mse(np.abs(y), leaf)),
    "leaves 0, 1, …": ("tree_mse", lambda y, leaf: _mse_of_leaves(y, leaf, lambda leaf: range(len(set(leaf))))),
}

RIGHT = {
    "any categories": ("tree_attributes", lambda A, y: _gains_of_values(A, y, set)),
    "any threshold": ("tree_split", lambda x, y: _split_above(x, y, -np.inf)),
    "any leaves": ("tree_mse", lambda y, leaf: _mse_of_leaves(y, leaf, set)),
}


def _mirrored(corner):
    """Points of one class in two opposite quadrants, of the other in the other two."""
    sides = [(a, b) for a in (1, -1) for b in (1, -1)]
    return np.vstack([np.column_stack([corner * side, np.full(len(corner), np.prod(side) > 0)]) for side in sides])


class TestAnswersOfStrangers(tried(checks, WRONG, RIGHT, [0, 1, 92])):
    """Answers that nobody catalogued. The wrong ones passed on some draws or on all."""

    @pytest.mark.parametrize("scale", [1e-300, 0.1, 1e300])
    def test_the_exclusive_or_of_any_size(self, scale):
        assert outcome(
            checks, "tree_xor", np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]) * [scale, scale, 1], 0
        ) is (Outcome.RIGHT)

    @pytest.mark.parametrize("seed", range(5))
    def test_the_left_mean_is_not_always_the_smaller_one(self, seed):
        def turned(left, right):
            return checks._line_5(left, right)[0], -abs(left.mean() - right.mean())

        lines = [line.reference for line in checks.tree_drop_chain.lines]
        assert not assess(checks.tree_drop_chain, (*lines[:3], turned, lines[4]), seed).right

    def test_the_exclusive_or_of_many_points(self):
        """It took minutes."""
        points = _mirrored(np.random.default_rng(0).uniform(size=(500, 2)))
        assert outcome(checks, "tree_xor", points, 0) is Outcome.RIGHT
        points[0, 2] = 1 - points[0, 2]
        assert outcome(checks, "tree_xor", points, 0) is not Outcome.RIGHT

    @pytest.mark.parametrize("seed", range(60))
    def test_a_row_on_a_threshold_is_there_exactly(self, seed):
        """Thresholds are halves of whole numbers: no draw has to be drawn again."""
        desk = Desk(checks.tree_predict, recorded.solutions(checks.topic)["tree_predict"])
        desk.sit(seed)
        assert not desk.again

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (
                2,
                0,
                lambda left, right: np.mean([left.mean(), right.mean()]) ** 2 * (len(left) + len(right)),
                "not the plain mean",
            ),
            (2, 0, lambda left, right: np.append(left, right).mean() ** 2, "whole has lost its number"),
            (
                2,
                None,
                lambda left, right: (np.append(left, right).sum() ** 2, left.sum() ** 2, right.sum() ** 2),
                "still to be divided",
            ),
            (2, None, lambda left, right: (np.append(left, right).sum(), left.sum(), right.sum()), "not squared"),
            (
                2,
                None,
                lambda left, right: tuple(len(y) * y.var() for y in (np.append(left, right), left, right)),
                "sums of squares themselves",
            ),
            (2, None, lambda left, right: tuple(y @ y for y in (np.append(left, right), left, right)), "which cancel"),
            (
                2,
                None,
                lambda left, right: (*checks._line_2(left, right)[1:], checks._line_2(left, right)[0]),
                "whole comes first",
            ),
            (3, 2, lambda left, right: left.sum() * left.mean() / (len(left) + len(right)), "n_L stands once"),
            (3, 2, lambda left, right: left.sum() * left.mean(), "on_left once more"),
            (3, 3, lambda left, right: 2 * left.mean() * right.mean() / (len(left) + len(right)), "sizes are missing"),
            (3, 3, lambda left, right: 2 * left.mean() * right.mean() * (len(left) + len(right)), "shares are missing"),
            (4, 1, lambda left, right: left.sum() * right.sum() / (len(left) + len(right)), "lost its −2"),
            (
                4,
                0,
                lambda left, right: (1 - len(left) / (len(left) + len(right))) * left.mean() ** 2,
                "One n_L is lost",
            ),
            (5, 1, lambda left, right: left.mean() - np.append(left, right).mean(), "from the mean of all"),
            (5, 1, lambda left, right: left.sum() - right.sum(), "not of sums"),
            (6, 1, lambda left, right: left.mean() - np.append(left, right).mean(), "This is its mean"),
            (6, 1, lambda left, right: np.sum(np.append(left, right).mean() - left), "of ȳ − y"),
            (6, 1, lambda left, right: np.sum(left - right.mean()), "the mean of the right part"),
        ],
    )
    def test_a_slip_in_a_line_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.tree_drop_chain.lines]
        right = lines[line - 2]
        lines[line - 2] = slip if part is None else but(right, part, slip)
        assert told in assess(checks.tree_drop_chain, tuple(lines)).finding.says
