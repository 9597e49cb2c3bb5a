"""mlcore.convolution against independent oracles: scipy, finite differences, loops, scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import maximum_filter
from scipy.optimize import approx_fprime
from scipy.signal import convolve2d, correlate2d
from sklearn.decomposition import PCA

from mlcore import backprop, convolution
from mlcore.checks import convolution as checks
from mlcore.data import load
from mlcore.engine.exercises import but
from mlcore.engine.exercises.assess import assess
from mlcore.explore import convolution as explore
from tests.strangers import tried

sides = st.integers(1, 9)


@given(H=st.integers(4, 12), W=st.integers(4, 12), F=st.integers(1, 4), E=st.integers(1, 4), seed=st.integers(0, 99))
def test_correlate_is_scipys(H, W, F, E, seed):
    """(20.1)."""
    rng = np.random.default_rng(seed)
    X, k = rng.normal(size=(H, W)), rng.normal(size=(F, E))
    np.testing.assert_allclose(convolution.correlate(X, k), correlate2d(X, k, "valid"), atol=1e-12)


def test_padding_and_stride_are_scipys():
    rng = np.random.default_rng(0)
    X, k = rng.normal(size=(9, 7)), rng.normal(size=(3, 3))
    np.testing.assert_allclose(convolution.correlate(X, k, S=2, P=2), correlate2d(X, k, "full")[::2, ::2])
    np.testing.assert_allclose(convolution.correlate(X, k, P=1), correlate2d(X, k, "same"))


@given(W=st.integers(1, 40), F=sides, P=st.integers(0, 4), S=st.integers(1, 5))
def test_output_size_counts_the_places(W, F, P, S):
    """(20.2)."""
    if W + 2 * P >= F:
        places = [at for at in range(0, W + 2 * P, S) if at + F <= W + 2 * P]
        assert convolution.output_size(W, F, P, S) == len(places)


def test_parameters_are_the_sizes_of_the_arrays():
    """(20.3)."""
    conv, dense = convolution.parameters(W=7, H=5, C=3, F=2, K=4)
    assert conv == np.zeros((4, 3, 2, 2)).size + 4
    assert dense == backprop.parameters((7 * 5 * 3, 4))


@pytest.fixture
def layer():
    rng = np.random.default_rng(1)
    return rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(4, 3, 3, 2)), rng.normal(size=4)


def test_layer_is_a_sum_over_channels(layer):
    """(20.4), against scipy."""
    X, k, b = layer
    slow = [[sum(correlate2d(x, kc, "valid") for x, kc in zip(image, ks, strict=True)) for ks in k] for image in X]
    np.testing.assert_allclose(convolution.conv(X, k, b), np.array(slow) + b[:, None, None])


@pytest.mark.parametrize("S", [1, 2, 3])
def test_max_pool_is_scipys(S):
    """(20.5); a rest is left out."""
    X = np.random.default_rng(2).normal(size=(2, 3, 7, 8))
    h, w = 7 // S, 8 // S
    filtered = maximum_filter(X, size=(1, 1, S, S), origin=(0, 0, -((S - 1) // 2), -((S - 1) // 2)))
    begin = 0 if S != 2 else 1  # scipy's window of 2 reaches backwards
    expected = filtered[..., begin : h * S : S, begin : w * S : S]
    np.testing.assert_allclose(convolution.max_pool(X, S), expected[..., :h, :w])


def test_gradients_of_a_layer_are_differences(layer):
    """(20.6) and (20.7)."""
    X, k, b = layer
    G = np.random.default_rng(3).normal(size=convolution.conv(X, k, b).shape)
    by_k = approx_fprime(k.ravel(), lambda v: np.sum(G * convolution.conv(X, v.reshape(k.shape), b)), 1e-6)
    by_X = approx_fprime(X.ravel(), lambda v: np.sum(G * convolution.conv(v.reshape(X.shape), k, b)), 1e-6)
    np.testing.assert_allclose(convolution.kernel_gradient(X, k, G).ravel(), by_k, atol=1e-6)
    np.testing.assert_allclose(convolution.input_gradient(X, k, G).ravel(), by_X, atol=1e-6)


def test_input_gradient_is_a_full_convolution():
    """(20.7), against scipy's convolution."""
    rng = np.random.default_rng(4)
    X, k = rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(4, 3, 3, 3))
    G = rng.normal(size=(2, 4, 4, 3))
    slow = [[sum(convolve2d(g, ks[c]) for g, ks in zip(image, k, strict=True)) for c in range(3)] for image in G]
    np.testing.assert_allclose(convolution.input_gradient(X, k, G), slow)


@pytest.mark.parametrize("S", [1, 2, 3])
def test_pool_gradient_is_a_difference(S):
    """(20.8); the rest that fills no window receives nothing."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2, 7, 8))
    G = rng.normal(size=(2, 7 // S, 8 // S))
    by_X = approx_fprime(X.ravel(), lambda v: np.sum(G * convolution.max_pool(v.reshape(X.shape), S)), 1e-7)
    np.testing.assert_allclose(convolution.pool_gradient(X, G, S).ravel(), by_X, atol=1e-6)


def test_a_tie_goes_to_the_first():
    X = np.array([[1.0, 2.0], [2.0, 0.0]])
    np.testing.assert_array_equal(convolution.pool_gradient(X, np.array([[5.0]]), 2), [[0, 5], [0, 0]])


def test_gradients_of_the_net_are_differences():
    """(20.9) and the whole way back."""
    rng = np.random.default_rng(6)
    X, y = rng.random((5, 1, 8, 8)), np.array([0, 3, 3, 7, 9])
    net = convolution.initial(rng, K=2)
    ours = convolution.gradients(net, X, y)
    for name in ("k", "b", "V", "c"):
        part = getattr(net, name)

        def loss(v, name=name, part=part):
            parts = {field: getattr(net, field) for field in ("k", "b", "V", "c")} | {name: v.reshape(part.shape)}
            return convolution.loss(convolution.Net(**parts), X, y)

        slopes = [(loss(part.ravel() + h) - loss(part.ravel() - h)) / 2e-6 for h in 1e-6 * np.eye(part.size)]
        np.testing.assert_allclose(getattr(ours, name).ravel(), slopes, atol=2e-6)


def test_softmax_does_not_overflow():
    np.testing.assert_allclose(convolution.softmax(np.array([[1e4, 1e4, -1e4]])), [[0.5, 0.5, 0]])


def test_train_takes_steps_on_the_mean():
    X, y = explore._digits()
    net = convolution.initial(np.random.default_rng(0), K=2)
    batch = np.arange(10)
    first, second = convolution.train(net, X, y, 0.3, [batch])
    assert first is net
    np.testing.assert_allclose(second.V, net.V - 0.03 * convolution.gradients(net, X[batch], y[batch]).V)


# --- autoencoders ---


def test_autoencoder_gradient_is_a_difference():
    """(20.10) and (20.11)."""
    rng = np.random.default_rng(7)
    X, E, D = rng.normal(size=(6, 5)), rng.normal(size=(5, 2)), rng.normal(size=(2, 5))
    dE, dD = convolution.autoencoder_gradient(X, E, D)
    by_E = approx_fprime(E.ravel(), lambda v: convolution.autoencoder_loss(X, v.reshape(5, 2), D), 1e-7)
    by_D = approx_fprime(D.ravel(), lambda v: convolution.autoencoder_loss(X, E, v.reshape(2, 5)), 1e-7)
    np.testing.assert_allclose(dE.ravel(), by_E, atol=1e-4)
    np.testing.assert_allclose(dD.ravel(), by_D, atol=1e-4)


def test_floor_is_the_error_of_scikit_learns_pca():
    """(20.12)."""
    X = load("digits").X / 16
    X = X - X.mean(axis=0)
    pca = PCA(4, svd_solver="full").fit(X)
    lost = np.sum((X - pca.inverse_transform(pca.transform(X))) ** 2) / len(X)
    np.testing.assert_allclose(convolution.code_floor(X, 4), lost)


@given(seed=st.integers(0, 200))
def test_no_code_with_a_linear_decoder_beats_the_floor(seed):
    """Whatever the codes: the best decoder for them is least squares, and still above the floor."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 5)) * [3, 2, 1, 0.5, 0.2]
    X = X - X.mean(axis=0)
    H = np.tanh(X @ rng.normal(size=(5, 2)) * rng.uniform(0.05, 3))
    D = np.linalg.lstsq(H, X, rcond=None)[0]
    assert np.sum((X - H @ D) ** 2) / len(X) >= convolution.code_floor(X, 2) - 1e-12


@given(W=st.integers(1, 30), F=sides, S=st.integers(1, 4))
def test_same_padding_keeps_the_width(W, F, S):
    """(20.13)."""
    P = convolution.same_padding(W, F, S)
    assert pytest.approx(W) == (W - F + 2 * P) / S + 1
    if P == int(P) >= 0:
        assert convolution.output_size(W, F, int(P), S) == W


def test_wrong_shapes_get_one_line():
    with pytest.raises(ValueError, match=r"convolution.conv: X must have shape \(n, 3, H, W\), got \(3, 6, 6\)"):
        convolution.conv(np.ones((3, 6, 6)), np.ones((2, 3, 2, 2)), np.zeros(2))
    with pytest.raises(ValueError, match=r"a kernel of shape \(4, 2\) does not fit into an image of shape \(3, 6\)"):
        convolution.correlate(np.ones((3, 6)), np.ones((4, 2)))


class TestWhatTheNotebookSays:
    """Numbers in the prose and in the sources."""

    def test_worked_sizes(self):
        sizes = [convolution.output_size(*args) for args in ((32, 5, 2, 1), (32, 5, 0, 1), (227, 11, 0, 4))]
        assert sizes == [32, 28, 55]
        assert convolution.parameters(32, 32, 3, 5, 10) == (760, 30730)
        assert [convolution.output_size(32, F, (F - 1) // 2, 1) for F in (3, 5, 7)] == [32, 32, 32]
        assert [convolution.output_size(32, 4, P, 1) for P in (1, 2)] == [31, 33]

    def test_worked_pooling(self):
        X = np.array([[1, 1, 2, 4], [5, 6, 7, 8], [3, 2, 1, 0], [1, 2, 3, 4]])
        np.testing.assert_array_equal(convolution.max_pool(X, 2), [[6, 8], [3, 4]])

    def test_pooled_digits_move_by_two_rows_only(self):
        pool = explore.Pool()
        first, one, two = (pool.compute("2", 3, shift).pooled for shift in (0, 1, 2))
        np.testing.assert_array_equal(two[1:], first[:-1])
        assert not np.array_equal(one, first)
        assert not np.array_equal(one[1:], first[:-1])
        assert [pool.compute(S, 3, 0).chosen.sum() for S in ("2", "4", "8")] == [16, 4, 1]

    def test_a_shift_by_the_window_passes_through(self):
        X = np.random.default_rng(0).random((8, 8))
        moved = np.pad(X, ((2, 0), (2, 0)))[:8, :8]
        np.testing.assert_array_equal(convolution.max_pool(moved, 2)[1:, 1:], convolution.max_pool(X, 2)[:3, :3])

    def test_purple_is_right_of_a_stroke(self):
        stroke = np.zeros((5, 7))
        stroke[:, 3] = 1
        answer = convolution.correlate(stroke, explore.KERNELS["vertical edges"])[1]
        np.testing.assert_array_equal(answer, [0, -3, 0, 3, 0])

    def test_the_net(self):
        net = convolution.initial(np.random.default_rng(0))
        assert sum(part.size for part in (net.k, net.b, net.V, net.c)) == 810
        assert net.V.shape == (10, 72)
        assert backprop.parameters((64, 10)) == 650
        last = explore.Learned().compute(10)
        assert [round(100 * a) for a in (last.accuracy, last.linear, last.scrambled)] == [97, 95, 94]
        assert last.scrambled < last.linear < last.accuracy

    def test_five_splits(self):
        """The order of the three classifiers on the split and start of the figure and on four more."""
        right = [
            [round(797 * explore._learning(seed)[1][name][-1]) for name in ("accuracy", "linear", "scrambled")]
            for seed in range(5)
        ]
        assert sum(net > linear for net, linear, _ in right) == 4
        assert sum(net == linear for net, linear, _ in right) == 1
        assert all(scrambled < linear for _, linear, scrambled in right)

    @pytest.mark.parametrize(("eta", "ahead"), [(0.1, "accuracy"), (0.3, "accuracy"), (0.6, "linear")])
    def test_who_is_ahead_depends_on_the_step(self, eta, ahead):
        _, curves = explore._learning(eta=eta)
        assert max(curves, key=lambda name: curves[name][-1]) == ahead

    def test_three_filters_are_mainly_edges(self):
        """The share of a filter's variation that is a ramp in one direction."""
        down, right = np.mgrid[-1:2, -1:2]
        shares, angles = [], []
        for k in explore.Learned().compute(10).kernels:
            slopes = [np.sum(k * right) / 6, np.sum(k * down) / 6]
            ramp = slopes[0] * right + slopes[1] * down
            shares.append(np.sum(ramp**2) / np.sum((k - k.mean()) ** 2))
            angles.append(np.degrees(np.arctan2(*slopes)))
        edges = sorted(angle for angle, share in zip(angles, shares, strict=True) if share > 0.6)
        assert len(edges) == 3
        assert min(np.diff(edges)) > 20

    def test_softmax_does_not_notice_a_permutation(self):
        X, y = explore._digits()
        flat, order = X.reshape(-1, 64)[:200], np.random.default_rng(0).permutation(64)
        batches = [np.arange(20 * k, 20 * k + 20) for k in range(10)]
        (*_, (V, _)), (*_, (W, _)) = (explore._softmax_regression(Z, y, batches, 0.3) for Z in (flat, flat[:, order]))
        np.testing.assert_allclose(W, V[:, order])

    def test_descent_reaches_the_floor(self):
        X = load("digits").X / 16
        X = X - X.mean(axis=0)
        rng = np.random.default_rng(0)
        E, D = 0.1 * rng.normal(size=(64, 4)), 0.1 * rng.normal(size=(4, 64))
        for _ in range(2000):
            dE, dD = convolution.autoencoder_gradient(X, E, D)
            E, D = E - 0.1 * dE, D - 0.1 * dD
        floor = convolution.code_floor(X, 4)
        assert 0 <= convolution.autoencoder_loss(X, E, D) - floor < 1e-3 * floor

    def test_codes(self):
        codes = explore.Codes()
        assert 0.72 < codes.compute(10, 0).share < 0.78
        assert round(codes.compute(0, 0).error, 2) == 4.69
        np.testing.assert_allclose(codes.compute(0, 0).back[0], load("digits").X.mean(axis=0) / 16)


class TestTheChains:
    """The derivatives of shared weights and inputs: arrays before their sums, against differences and numpy."""

    signals = checks._signals(np.random.default_rng(0))

    def test_the_products_add_up_to_c(self):
        for k, x, g in self.signals:
            c = g @ np.correlate(x, k, "valid")
            for line in (checks._line_1, checks._line_2, checks._input_2):
                np.testing.assert_allclose(np.sum(line(k, x, g)), c)

    def test_the_derivatives_are_differences(self):
        for k, x, g in self.signals:
            by_k = approx_fprime(k, lambda k, x=x, g=g: checks._line_1(k, x, g), 1e-7)
            by_x = approx_fprime(x, lambda x, k=k, g=g: checks._line_1(k, x, g), 1e-7)
            np.testing.assert_allclose(checks._line_3(k, x, g).sum(axis=0), by_k, atol=1e-5)
            np.testing.assert_allclose(checks._input_3(k, x, g).sum(axis=1), by_x, atol=1e-5)

    def test_line_3_taken_back_is_line_2(self):
        for chain in (checks.shared_chain, checks.input_chain):
            before, line = chain.lines
            for args in self.signals:
                np.testing.assert_allclose(line.undo(line.reference(*args), *args), before.reference(*args))

    def test_products_sorted_by_places_are_differentiated_there(self):
        """The derivative by the inputs, in the places that line 2 has, cost a second point."""

        def line_2(k, x, g):
            return np.pad(
                g[:, None] * k * np.stack([x[i : i + len(k)] for i in range(len(g))]), ((0, len(k) - 1), (0, 0))
            )

        def line_3(k, x, g):
            return np.pad(g[:, None] * k, ((0, len(k) - 1), (0, 0)))

        seen = assess(checks.input_chain, (line_2, line_3))
        assert "".join(step.shown for step in seen.steps) == "✗↳"

    @pytest.mark.parametrize("chain", [checks.shared_chain, checks.input_chain])
    def test_what_came_too_early_costs_one_point(self, chain):
        """A derivative in line 2 already, and then called in line 3, earned nothing there either."""
        early = chain.lines[1].reference
        seen = assess(chain, (early, lambda k, x, g: early(k, x, g)))
        assert "".join(step.shown for step in seen.steps) == "✗✓"


def _pool_back(X, G, S, begin=-np.inf, seen=lambda pixel: pixel):
    """The gradient goes to the first pixel that is larger than all before it and than `begin`."""
    dX = np.zeros(X.shape)
    for i, j in np.ndindex(G.shape):
        largest, place = begin, None
        for a, b in np.ndindex(S, S):
            if seen(X[i * S + a, j * S + b]) > largest:
                largest, place = seen(X[i * S + a, j * S + b]), (i * S + a, j * S + b)
        if place:
            dX[place] = G[i, j]
    return dX


SEEDS = (0, 9, 10)

WRONG = {
    "|k|": ("correlate_image", lambda X, k: correlate2d(X, np.abs(k), "valid")),
    "an odd kernel": ("conv_size", lambda W, F, P, S: (W - 2 * (F // 2) - 1 + 2 * P) // S + 1),
    "|b|": ("conv_layer", lambda X, k, b: convolution.conv(X[None], k, np.abs(b))[0]),
    "a search from 0": ("max_pool_gradient", lambda X, G, S: _pool_back(X, G, S, begin=0)),
    "a search from −1": ("max_pool_gradient", lambda X, G, S: _pool_back(X, G, S, begin=-1)),
    "a search for |x|": ("max_pool_gradient", lambda X, G, S: _pool_back(X, G, S, seen=abs)),
    "rounded": ("same_width_padding", lambda W, F, S: round(((S - 1) * W + F - S) / 2)),
    "rounded down": ("same_width_padding", lambda W, F, S: ((S - 1) * W + F - S) // 2),
    "rounded up": ("same_width_padding", lambda W, F, S: ((S - 1) * W + F - S + 1) // 2),
}

RIGHT = {
    "by scipy": ("correlate_image", lambda X, k: correlate2d(X, k, "valid")),
    "by counting": ("conv_size", lambda W, F, P, S: len([i for i in range(0, W + 2 * P, S) if i + F <= W + 2 * P])),
    "a search from −∞": ("max_pool_gradient", _pool_back),
    "steps": ("same_width_padding", lambda W, F, S: (S * (W - 1) + F - W) / 2),
}


class TestAnswersOfStrangers(tried(checks, WRONG, RIGHT, SEEDS)):
    """Answers that nobody catalogued. The wrong ones passed, on some draws or on all."""

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, None, lambda k, x, g: g[:, None] * checks._windows(k, x, g), "factor k is missing"),
            (2, None, lambda k, x, g: np.outer(g, k), "factor x is missing"),
            (2, None, lambda k, x, g: g[:, None] * k[::-1] * checks._windows(k, x, g), "turned round"),
            (3, None, lambda k, x, g: k * checks._windows(k, x, g), "derivative by g"),
            (3, None, lambda k, x, g: np.outer(g, k**0), "factor x is missing"),
            (3, None, lambda k, x, g: g[:, None] * checks._windows(k, x, g)[:, ::-1], "flipped"),
            (3, None, lambda k, x, g: g[:, None] * checks._windows(k, x, g) * len(k), "number of weights"),
        ],
    )
    def test_a_slip_with_shared_weights_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.shared_chain.lines]
        right = lines[line - 2]
        lines[line - 2] = slip if part is None else but(right, part, slip)
        assert told in assess(checks.shared_chain, tuple(lines)).finding.says

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, None, lambda k, x, g: checks._input_2(k**0, x, g), "factor k is missing"),
            (2, None, lambda k, x, g: checks._input_3(k, x, g), "factor x is missing"),
            (
                2,
                None,
                lambda k, x, g: np.vstack([checks._line_2(k, x, g), np.zeros((len(k) - 1, len(k)))]),
                "sorted by their places",
            ),
            (3, None, lambda k, x, g: checks._input_3(k**0, x, g), "factor k is missing"),
            (3, None, lambda k, x, g: checks._input_3(k, x, g) / k * k[::-1], "turned round"),
        ],
    )
    def test_a_slip_with_shared_inputs_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.input_chain.lines]
        right = lines[line - 2]
        lines[line - 2] = slip if part is None else but(right, part, slip)
        assert told in assess(checks.input_chain, tuple(lines)).finding.says
