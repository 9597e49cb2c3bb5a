"""mlcore.backprop against independent oracles: complex steps, finite differences, scikit-learn, brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.neural_network import MLPRegressor

from mlcore import backprop
from mlcore.authoring import recorded
from mlcore.checks import backprop as checks
from mlcore.engine.exercises import but
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.values import components
from mlcore.explore import backprop as explore
from tests.strangers import tried

SMOOTH = ("sigmoid", "tanh", "linear")


def net(sizes, seed=0):
    rng = np.random.default_rng(seed)
    Ws, bs = backprop.initial(sizes, rng)
    return Ws, [rng.normal(size=len(b)) for b in bs], rng.normal(size=(7, sizes[0])), rng.normal(size=(7, sizes[-1]))


# --- graphs ---


@given(x=st.floats(-3, 3))
def test_graph_slope_is_the_complex_step(x):
    """(19.1) and (19.2)."""
    t = (x + 1e-30j) ** 2
    J = np.cos(np.sin(t) + 3 * t)
    np.testing.assert_allclose(backprop.graph_forward(x)[-1], J.real)
    np.testing.assert_allclose(backprop.graph_slope(x), J.imag / 1e-30, atol=1e-12)


def test_backward_sums_over_all_paths():
    """(19.2), by listing every path."""
    rng = np.random.default_rng(0)
    D = np.tril(rng.normal(size=(7, 7)) * (rng.random((7, 7)) < 0.6), -1)

    def paths(j):
        total = 0.0
        for size in range(6):
            for between in itertools.combinations(range(j + 1, 6), size):
                stops = [j, *between, 6]
                total += np.prod([D[b, a] for a, b in itertools.pairwise(stops)])
        return total

    np.testing.assert_allclose(backprop.graph_backward(D), [*(paths(j) for j in range(6)), 1.0])


# --- networks ---


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "ReLU", "linear"])
def test_forward_is_scikit_learns(activation):
    """(19.3)."""
    Ws, bs, X, y = net((3, 5, 4, 2))
    names = {"sigmoid": "logistic", "tanh": "tanh", "ReLU": "relu", "linear": "identity"}
    peer = MLPRegressor(hidden_layer_sizes=(5, 4), activation=names[activation], solver="sgd").partial_fit(X, y)
    peer.coefs_, peer.intercepts_ = [W.T for W in Ws], bs
    np.testing.assert_allclose(backprop.forward(Ws, bs, X, activation)[-1], peer.predict(X))


def test_a_step_with_decay_is_scikit_learns():
    """(19.6) and (19.11): its loss is (C + α‖W‖²)/(2n), without a penalty for the biases."""
    Ws, bs, X, y = net((3, 5, 1))
    peer = MLPRegressor(
        hidden_layer_sizes=(5,), activation="logistic", solver="sgd", momentum=0, alpha=0.7, learning_rate_init=0.1
    ).partial_fit(X, y[:, 0])
    for theirs, ours in ((peer.coefs_, [W.T for W in Ws]), (peer.intercepts_, bs)):
        for a, b in zip(theirs, ours, strict=True):
            a[:] = b
    peer.partial_fit(X, y[:, 0])
    (_, (W_new, b_new)) = itertools.islice(backprop.descent(Ws, bs, X, y, 0.1 / (2 * len(X)), 0.7), 2)
    for theirs, ours in ((peer.coefs_, [W.T for W in W_new]), (peer.intercepts_, b_new)):
        for a, b in zip(theirs, ours, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10)


def test_sigmoid_does_not_overflow():
    np.testing.assert_allclose(backprop.sigmoid(np.array([-1e4, -1.0, 0.0, 1e4])), [0, 1 / (1 + np.e), 0.5, 1])


@pytest.mark.parametrize("activation", SMOOTH)
@pytest.mark.parametrize("sizes", [(3, 1), (3, 5, 1), (2, 4, 3, 2)])
def test_gradients_are_complex_steps(sizes, activation):
    """(19.4), (19.5) and (19.6), to the last digit."""
    Ws, bs, X, y = net(sizes)
    dWs, dbs = backprop.gradients(Ws, bs, X, y, activation)
    for params, grads in ((Ws, dWs), (bs, dbs)):
        for k, G in enumerate(grads):
            for at in np.ndindex(G.shape):
                changed = [p.astype(complex) for p in params]
                changed[k][at] += 1e-30j
                both = (changed, bs) if params is Ws else (Ws, changed)
                C = backprop.loss(backprop.forward(*both, X, activation)[-1], y)
                np.testing.assert_allclose(G[at], C.imag / 1e-30, rtol=1e-10, atol=1e-12)


def test_relu_gradients_are_differences():
    Ws, bs, X, y = net((3, 6, 1), seed=1)
    dWs, _ = backprop.gradients(Ws, bs, X, y, "ReLU")

    def C(w):
        return backprop.loss(backprop.forward([w.reshape(6, 3), Ws[1]], bs, X, "ReLU")[-1], y)

    np.testing.assert_allclose(dWs[0].ravel(), approx_fprime(Ws[0].ravel(), C, 1e-7), rtol=1e-4, atol=1e-4)


def test_stacked_nets_are_trained_side_by_side():
    nets = [net((3, 5, 1), seed) for seed in (1, 2)]
    X, y = nets[0][2:]
    Ws, bs = ([np.stack([n[k][layer] for n in nets]) for layer in (0, 1)] for k in (0, 1))
    stacked = backprop.gradients(Ws, bs, X, y)
    for r, (W, b, *_) in enumerate(nets):
        for ours, alone in zip(stacked, backprop.gradients(W, b, X, y), strict=True):
            for a, o in zip(alone, ours, strict=True):
                np.testing.assert_allclose(o[r], a)


def test_parameters_are_counted():
    """(19.7): 140 weights and 21 biases in the net 3-10-10-1, as scikit-learn has them."""
    Ws, bs, *_ = net((3, 10, 10, 1))
    assert sum(W.size for W in Ws) == 140
    assert backprop.parameters((3, 10, 10, 1)) == 161 == sum(p.size for p in (*Ws, *bs))


def test_staircase_follows_any_curve():
    """(19.8): the error falls with the number of steps."""
    x = np.linspace(0, 1, 1001)

    def g(x):
        return np.exp(x) * np.cos(8 * x)

    off = []
    for m in (50, 200, 800):
        w, b, a = backprop.staircase(g, m, 3.0 * m)
        off.append(np.abs(backprop.sigmoid(np.outer(x, w) + b) @ a - g(x)).max())
    assert off[0] > 3 * off[1] > 9 * off[2]
    assert off[2] < 0.01


@pytest.mark.parametrize("activation", ["sigmoid", "ReLU", "step"])
def test_exchanged_neurons_have_the_same_loss(activation):
    """(19.9), against a loop; and the teacher's weights are in a valley."""
    x, y = backprop.neuron_data(activation, np.random.default_rng(0))
    sigma = backprop.ACTIVATIONS[activation][0]
    slow = sum((sigma(xi + 1.0) + sigma(xi - 2.0) - yi) ** 2 for xi, yi in zip(x, y, strict=True))
    np.testing.assert_allclose(backprop.two_neurons(-1.0, 2.0, x, y, activation), slow)
    np.testing.assert_allclose(backprop.two_neurons(2.0, -1.0, x, y, activation), slow)


@given(seed=st.integers(0, 1000))
def test_no_sigmoid_layer_exceeds_its_bound(seed):
    """(19.10)."""
    rng = np.random.default_rng(seed)
    Ws, bs, X, y = net((4, 6, 5, 3, 2), seed)
    Ws = [W * rng.uniform(0.3, 3) for W in Ws]
    errors = backprop.deltas(Ws, backprop.forward(Ws, bs, X[:1]), y[:1])
    bound = backprop.depth_bound([np.linalg.norm(W, 2) for W in Ws[1:]])
    assert np.linalg.norm(errors[0]) <= bound * np.linalg.norm(errors[-1])


# --- training ---


def test_decay_step_descends_on_the_penalised_loss():
    """(19.11), against differences of C + λΣ‖W‖²; the bias is free."""
    Ws, bs, X, y = net((3, 4, 1))
    lam, eta = 0.7, 1e-3
    (_, (W_new, b_new)) = itertools.islice(backprop.descent(Ws, bs, X, y, eta, lam), 2)

    def objective(w, b):
        first, second = w[:12].reshape(4, 3), w[12:].reshape(1, 4)
        f = backprop.forward([first, second], [b[:4], b[4:]], X)[-1]
        return backprop.loss(f, y) + lam * np.sum(w**2)

    w, b = np.concatenate([W.ravel() for W in Ws]), np.concatenate(bs)
    by_w, by_b = (
        approx_fprime(p, f, 1e-7) for p, f in ((w, lambda w: objective(w, b)), (b, lambda b: objective(w, b)))
    )
    np.testing.assert_allclose(np.concatenate([W.ravel() for W in W_new]), w - eta * by_w, atol=1e-7)
    np.testing.assert_allclose(np.concatenate(b_new), b - eta * by_b, atol=1e-7)


@given(errors=st.lists(st.integers(0, 9), min_size=1, max_size=20), patience=st.integers(1, 6))
def test_stop_early_is_the_first_time_the_best_is_old(errors, patience):
    """(19.12), by its definition."""
    stops = [t for t in range(len(errors)) if t - int(np.argmin(errors[: t + 1])) == patience]
    seen = errors[: stops[0] + 1] if stops else errors
    assert backprop.stop_early(errors, patience) == int(np.argmin(seen))


def test_linear_network_is_not_convex():
    """(19.13), against differences; a negative eigenvalue at 0."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=5), rng.normal(size=5)

    def slope(p):
        return approx_fprime(p, lambda q: np.sum((q[0] * q[1] * x - y) ** 2), 1e-6)

    at = np.array([0.4, -1.3])
    H = np.array([(slope(at + h) - slope(at - h)) / 2e-3 for h in 1e-3 * np.eye(2)])
    np.testing.assert_allclose(backprop.linear_hessian(*at, x, y), H, atol=1e-3)
    assert np.linalg.eigvalsh(backprop.linear_hessian(0.0, 0.0, x, y))[0] < 0


def test_wrong_shapes_get_one_line():
    Ws, bs, X, y = net((3, 4, 1))
    with pytest.raises(ValueError, match=r"backprop.forward: X must have shape \(n, 3\), got \(7, 2\)"):
        backprop.forward(Ws, bs, X[:, :2])
    with pytest.raises(ValueError, match=r"backprop.gradients: y must have shape \(7, 1\), got \(7,\)"):
        backprop.gradients(Ws, bs, X, y[:, 0])


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_the_wave_is_learnt_and_lost(self):
        wave = explore.Training()
        assert backprop.parameters((1, 8, 1)) == 25
        assert round(wave.compute(0.1, 1).error, 1) == 1.0
        assert round(wave.compute(0.1, 3162).error, 2) == 0.01
        ruined = wave.compute(1.0, 10)
        assert ruined.error > 2000
        assert ruined.flat == wave.compute(1.0, 3162).flat == 1
        np.testing.assert_allclose(wave.compute(1.0, 3162).error, ruined.error, rtol=0.01)
        even, odd = (explore._trained(wave.etas, (t,))[t] for t in (10, 11))
        assert even[1][1][-1, 0] > 50
        assert odd[1][1][-1, 0] < -49
        np.testing.assert_allclose(odd[0][0][-1], even[0][0][-1], rtol=0.02)  # "hardly move"

    def test_worked_example(self):
        values = [(backprop.graph_forward(x)[-1], backprop.graph_slope(x)) for x in (0.5, 1.0)]
        np.testing.assert_allclose(values, [(0.542485, -3.334146), (-0.764921, 4.560792)], atol=5e-7)
        graph = explore.Graph()
        np.testing.assert_allclose(graph._arriving(graph.compute(2.0)), (-0.634, 2.908), atol=5e-4)

    def test_twenty_diamonds(self):
        D = np.zeros((61, 61))
        for k in range(0, 60, 3):
            D[[k + 1, k + 2], k] = D[k + 3, [k + 1, k + 2]] = 1
        assert (D.sum(), backprop.graph_backward(D)[0]) == (80, 2**20)

    def test_equal_units_stay_equal(self):
        Ws, bs = [np.ones((3, 1)), np.ones((1, 3))], [np.zeros(3), np.zeros(1)]
        X = np.linspace(-1, 1, 20)[:, None]
        Ws, _ = next(itertools.islice(backprop.descent(Ws, bs, X, np.sin(3 * X), 0.002), 1000, None))
        assert np.ptp(Ws[0]) < 1e-12
        assert abs(Ws[0][0, 0] - 1) > 0.1

    def test_depth(self):
        depth = explore.Depth()
        assert f"{backprop.depth_bound(np.ones(10)):.1e}" == "9.5e-07"
        factor = {
            (name, gain): depth._factor(depth.compute(20, name, gain))
            for name, gain in (("sigmoid", 1.0), ("sigmoid", 4.0), ("ReLU", 1.4))
        }
        assert [round(f, 2) for f in factor.values()] == [0.23, 0.56, 0.97]
        assert 5e-13 < depth.compute(20, "sigmoid", 1.0).share[0] < 5e-12
        assert 5e7 < depth.compute(20, "ReLU", 4.0).share[0] < 5e8
        assert 4.0**-12 < 1e-7

    def test_stopping(self):
        stopping = explore.Stopping()
        start = stopping.compute(1e-3, 200)
        assert [round(start.end, 2), round(start.stopped, 3)] == [0.39, 0.175]
        assert start.stopped == start.least
        assert round(stopping.compute(1e-3, 50).stopped, 2) == 0.24
        ends = {lam: stopping.compute(lam, 50).end for lam in stopping.lams}
        assert min(ends, key=lambda lam: ends[lam]) == pytest.approx(0.1)
        assert round(min(ends.values()), 2) == 0.29
        assert len(start.fresh) == 401

    def test_stopping_on_data_that_nobody_chose(self):
        """The seeds 10 to 19 (the figure has 8), judged on points that neither training nor stopping has seen."""
        stopped, ended, decayed = [], [], []
        for seed in range(10, 20):
            x, y = explore._noisy(np.random.default_rng(10_000 + seed), 2000)
            _, fresh, states = explore._runs((1e-3, 0.1), 4000, seed)
            best = backprop.stop_early(fresh[:, 0], 20)
            at = [backprop.loss(backprop.forward(*states[k], x, "tanh")[-1], y) / 2000 for k in (best, -1)]
            stopped.append(at[0][0])
            ended.append(at[1][0])
            decayed.append(at[1][1])
        assert np.all(np.array(stopped) < ended)
        assert [round(np.mean(errors), 2) for errors in (stopped, ended)] == [0.20, 0.26]
        assert np.sum(np.array(decayed) < ended) == 8


def _slopes(X, y, W1, b1, w2, b2):
    dWs, dbs = backprop.gradients([W1, w2[None, :]], [b1, np.array([b2])], X, y[:, None])
    return dWs[0], dbs[0], dWs[1][0], dbs[1][0]


def _followed_by_no_better(errors, patience):
    """The first step that the next `patience` steps do not beat."""
    for t in range(len(errors) - patience):
        if np.all(errors[t + 1 : t + 1 + patience] >= errors[t]):
            return t
    return np.argmin(errors)


class TestTheChain:
    """From the loss to a weight: each derivative against differences of the loss as a function of its own node."""

    points = checks._one_point(np.random.default_rng(0))

    def test_by_output_and_units(self):
        for W, b, a, x, y in self.points:
            h = backprop.sigmoid(W @ x + b)
            slope = (((a @ h + 1e-5 - y) ** 2) - ((a @ h - 1e-5 - y) ** 2)) / 2e-5
            np.testing.assert_allclose(checks._line_2(W, b, a, x, y), slope, rtol=1e-6)
            by_h = approx_fprime(h, lambda h, a=a, y=y: (a @ h - y) ** 2, 1e-7)
            np.testing.assert_allclose(checks._line_3(W, b, a, x, y), by_h, rtol=1e-4)

    def test_by_sums_weights_and_inputs(self):
        """By z is by b: both are added to the same sum."""
        for W, b, a, x, y in self.points:
            arrives, slope = checks._line_4(W, b, a, x, y)
            by_z = approx_fprime(b, lambda b, W=W, a=a, x=x, y=y: checks._line_1(W, b, a, x, y), 1e-7)
            np.testing.assert_allclose(arrives * slope, by_z, atol=1e-4)
            by_W = approx_fprime(
                W.ravel(), lambda v, W=W, b=b, a=a, x=x, y=y: checks._line_1(v.reshape(W.shape), b, a, x, y), 1e-7
            )
            arrives, slope, signal = checks._line_5(W, b, a, x, y)
            np.testing.assert_allclose(np.outer(arrives * slope, signal).ravel(), by_W, atol=1e-4)
            by_x = approx_fprime(x, lambda x, W=W, b=b, a=a, y=y: checks._line_1(W, b, a, x, y), 1e-7)
            np.testing.assert_allclose(checks._line_6(W, b, a, x, y).sum(axis=0), by_x, atol=1e-4)

    def test_the_right_lines_follow_from_each_other(self):
        for before, line in itertools.pairwise(checks.hidden_chain.lines):
            for args in self.points:
                there, here = before.reference(*args), line.reference(*args)
                got, asked = (line.undo(here, *args), there) if line.undo else (here, line.follows(there, *args))
                for one, other in zip(components(got), components(asked), strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize(("by_a", "by_b"), [(1, 0), (0, 1)], ids=["b", "a"])
    def test_what_line_2_has_forgotten_later_lines_have_too(self, by_a, by_b):
        """Without b in z, the slope of line 4 cost a second point; without a in f, line 3 did."""

        def f_and_slope(W, b, a, x):
            h = 1 / (1 + np.exp(-(W @ x + by_b * b)))
            return a**by_a @ h, h * (1 - h)

        def line_2(W, b, a, x, y):
            return 2 * (f_and_slope(W, b, a, x)[0] - y)

        def line_3(W, b, a, x, y):
            return line_2(W, b, a, x, y) * a**by_a

        def line_4(W, b, a, x, y):
            return line_3(W, b, a, x, y), f_and_slope(W, b, a, x)[1]

        def line_5(W, b, a, x, y):
            return *line_4(W, b, a, x, y), x

        def line_6(W, b, a, x, y):
            arrives, slope = line_4(W, b, a, x, y)
            return (arrives * slope)[:, None] * W

        seen = assess(checks.hidden_chain, (line_2, line_3, line_4, line_5, line_6))
        assert "".join(step.shown for step in seen.steps) == "✗↳↳↳↳"

    def test_factors_that_are_divided_up_otherwise_are_told_so(self):
        lines = [line.reference for line in checks.hidden_chain.lines]

        def line_5(W, b, a, x, y):
            arrives, slope, signal = checks._line_5(W, b, a, x, y)
            return arrives / a, a * slope, signal

        assert "all together it is right" in assess(checks.hidden_chain, (*lines[:3], line_5, lines[4])).finding.says

    def test_what_came_too_early_costs_one_point(self):
        """∂c/∂h in line 2 already earned nothing in line 3 either."""
        lines = [line.reference for line in checks.hidden_chain.lines]
        early = lambda W, b, a, x, y: 2 * (a @ (1 / (1 + np.exp(-(W @ x + b)))) - y) * a  # noqa: E731
        seen = assess(checks.hidden_chain, (early, lambda W, b, a, x, y: early(W, b, a, x, y), *lines[2:]))
        assert "".join(step.shown for step in seen.steps) == "✗✓✓✓✓"

    def test_an_own_line_may_be_used(self):
        two, _, *rest = recorded.solutions(checks.topic)["hidden_chain"]
        assert assess(checks.hidden_chain, (two, lambda W, b, a, x, y: two(W, b, a, x, y) * a, *rest)).points == 5


SEEDS = (0, 1, 28)

WRONG = {
    "|dJ/dx|": ("graph_slope", lambda x: abs(backprop.graph_slope(x))),
    "|y|": ("mlp_gradient", lambda X, y, W1, b1, w2, b2: _slopes(X, np.abs(y), W1, b1, w2, b2)),
    "f below y": ("hidden_chain", lambda W, b, a, x, y: -2 * abs(a @ backprop.sigmoid(W @ x + b) - y)),
    "η and λ in order": (
        "decay_step",
        lambda W, b, G, g, eta, lam: backprop.decay_step(W, b, G, g, min(eta, lam), max(eta, lam)),
    ),
    "|a|": ("linear_hessian", lambda a, w, x, y: backprop.linear_hessian(abs(a), w, x, y)),
    "w below 0": ("linear_hessian", lambda a, w, x, y: backprop.linear_hessian(a, -abs(w), x, y)),
}

RIGHT = {
    "by inverse": ("graph_backward", lambda D: np.linalg.inv(np.eye(len(D)) - D)[-1]),
    "by looking ahead": ("stop_early", _followed_by_no_better),
    "a step as a float": ("stop_early", lambda errors, patience: float(_followed_by_no_better(errors, patience))),
}


class TestAnswersOfStrangers(tried(checks, WRONG, RIGHT, SEEDS)):
    """Answers that nobody catalogued. The wrong ones passed, on some draws or on all."""

    @pytest.mark.parametrize(
        ("line", "part", "slip", "told"),
        [
            (2, None, lambda W, b, a, x, y: y - a @ backprop.sigmoid(W @ x + b), "and the 2 is missing"),
            (2, None, lambda W, b, a, x, y: (a @ backprop.sigmoid(W @ x + b) - y) ** 2, "c itself"),
            (2, None, lambda W, b, a, x, y: 2 * (backprop.sigmoid(W @ x + b).sum() - y), "weights a are missing"),
            (2, None, lambda W, b, a, x, y: 2 * (a @ backprop.sigmoid(W @ x) - y), "the b is missing"),
            (3, None, lambda W, b, a, x, y: a, "∂f/∂h alone"),
            (3, None, lambda W, b, a, x, y: 2 * (a * backprop.sigmoid(W @ x + b) - y) * a, "its own error"),
            (4, 1, lambda W, b, a, x, y: 1 - backprop.sigmoid(W @ x + b), "the factor h is missing"),
            (4, 1, lambda W, b, a, x, y: (W @ x + b) * (1 - W @ x - b), "in the place of h"),
            (4, 0, lambda W, b, a, x, y: a, "∂c/∂f is missing"),
            (4, None, lambda W, b, a, x, y: checks._line_4(W, b, a, x, y)[::-1], "changed places"),
            (4, 0, lambda W, b, a, x, y: checks._delta(W, b, a, x, y), "in the first factor already"),
            (5, 0, lambda W, b, a, x, y: checks._delta(W, b, a, x, y), "in the first factor already"),
            (5, 2, lambda W, b, a, x, y: W[0], "a row of W"),
            (
                6,
                None,
                lambda W, b, a, x, y: (
                    checks._line_2(W, b, a, x, y) * (lambda h: h * (1 - h))(backprop.sigmoid(W @ x + b))[:, None] * W
                ),
                "a is missing",
            ),
            (6, None, lambda W, b, a, x, y: W, "W alone"),
            (6, None, lambda W, b, a, x, y: checks._line_6(W, b, a, x, y) * x, "input is still there"),
            (6, None, lambda W, b, a, x, y: np.outer(checks._delta(W, b, a, x, y), np.ones(len(x))), "W is missing"),
        ],
    )
    def test_a_slip_in_a_line_is_told(self, line, part, slip, told):
        lines = [one.reference for one in checks.hidden_chain.lines]
        right = lines[line - 2]
        lines[line - 2] = slip if part is None else but(right, part, slip)
        assert told in assess(checks.hidden_chain, tuple(lines)).finding.says
