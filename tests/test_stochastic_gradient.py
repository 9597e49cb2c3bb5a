"""mlcore.stochastic_gradient against independent oracles: simulation, enumeration, scikit-learn, exact fractions."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.signal import lfilter
from sklearn.linear_model import SGDRegressor

from mlcore import stochastic_gradient as sg
from mlcore.checks import stochastic_gradient as checks
from mlcore.data import load
from mlcore.engine.exercises.assess import assess
from mlcore.explore import stochastic_gradient as explore
from tests.derivations import KeepsItsPromises

RUNS = 100_000


def simulate(etas, b0, sigma0, sigma, seed=0):
    """Bias and variance after the steps, from many runs about θ* = 1 with draws that are not normal."""
    rng = np.random.default_rng(seed)
    theta = 1 + b0 + sigma0 * rng.normal(size=RUNS)

    def gradient(theta, rng):
        return theta - (1 + sigma * (rng.exponential(size=theta.shape) - 1))

    *_, theta = sg.sgd(theta, gradient, etas, rng)
    return theta.mean() - 1, theta.var()


def agrees(simulated, exact, kurtosis=9):
    """Five standard errors, for the mean and for the variance."""
    (mean, variance), (exact_mean, exact_variance) = simulated, exact
    assert abs(mean - exact_mean) < 5 * np.sqrt(exact_variance / RUNS)
    assert abs(variance - exact_variance) < 5 * exact_variance * np.sqrt((kurtosis - 1) / RUNS)


def test_sgd_follows_a_gradient_without_noise():
    """(11.1), against the closed form for a quadratic with the curvatures 1 and 3."""
    states = list(sg.sgd(np.array([2.0, -1.0]), lambda w, rng: np.array([1.0, 3.0]) * w, [0.1] * 5, None))
    assert len(states) == 6
    np.testing.assert_allclose(states[-1], [2 * 0.9**5, -(0.7**5)])


def test_track_is_sgd_on_the_mean():
    """(11.2)."""
    rng = np.random.default_rng(1)
    draws, etas = rng.normal(size=(20, 4)), rng.uniform(0.1, 0.9, size=20)
    at = iter(draws)
    other = list(sg.sgd(np.full(4, 3.0), lambda theta, rng: theta - next(at), etas, None))
    np.testing.assert_allclose(list(sg.track(np.full(4, 3.0), draws, etas)), other)


@given(start=st.integers(-9, 9), draws=st.lists(st.integers(-9, 9), min_size=0, max_size=12))
def test_decaying_steps_average(start, draws):
    """(11.3), in exact fractions."""
    theta = Fraction(start)
    for t, y in enumerate(draws):
        theta = theta - Fraction(1, t + 2) * (theta - y)
    assert float(theta) == pytest.approx(sg.running_average(start, np.array(draws, dtype=float)))


@pytest.mark.parametrize("t", [1, 4, 25])
def test_parts_of_decaying_steps_are_those_of_simulated_runs(t):
    """(11.4) and (11.5)."""
    exact = sg.decaying_parts(t, 3.0, 0.5, 2.0)
    simulated = simulate(1 / np.arange(2, t + 2), 3.0, 0.5, 2.0)
    agrees(simulated, exact)
    assert sg.decaying_mse(t, 3.0, 0.5, 2.0) == pytest.approx(simulated[1] + simulated[0] ** 2, rel=0.02)


def test_decaying_error_by_enumeration():
    """(11.5), over every sequence of four tosses of a coin and two starts."""
    errors = []
    for start, *tosses in product((2.0, 5.0), *[(0.0, 2.0)] * 4):  # θ* = 1, σ = 1; b₀ = 2.5, σ₀ = 1.5
        *_, theta = sg.track(start, tosses, 1 / np.arange(2, 6))
        errors.append((theta - 1) ** 2)
    assert np.mean(errors) == pytest.approx(sg.decaying_mse(4, 2.5, 1.5, 1.0))


def test_chebyshev_bounds_the_share_of_runs_that_are_far_away():
    theta = np.array(
        list(sg.track(np.full(5000, 4.0), np.random.default_rng(8).normal(size=(50, 5000)), 1 / np.arange(2, 52)))
    )
    for t in (10, 50):
        assert np.mean(np.abs(theta[t]) >= 0.4) <= sg.decaying_mse(t, 4.0, 0.0, 1.0) / 0.4**2


def test_constant_steps_are_an_exponential_filter():
    """(11.6), against scipy's recursive filter."""
    rng = np.random.default_rng(2)
    y, c, theta0 = rng.normal(size=15), 0.3, 4.0
    filtered, _ = lfilter([c], [1, c - 1], y, zi=[(1 - c) * theta0])
    weights = sg.forgetting_weights(c, 15)
    np.testing.assert_allclose(weights @ y[::-1] + (1 - c) ** 15 * theta0, filtered[-1])
    assert weights.sum() + (1 - c) ** 15 == pytest.approx(1)


@pytest.mark.parametrize("kind", ["constant", "1/t", "1/√t"])
def test_parts_are_those_of_simulated_runs(kind):
    """(11.7) and (11.10)."""
    etas = sg.schedule(kind, 0.4, 12)
    bias, variance = sg.parts(etas, -2.0, 1.5, 1.0)
    agrees(simulate(etas, -2.0, 1.5, 1.0, seed=3), (bias[-1], variance[-1]))


@pytest.mark.parametrize("t", [1, 3, 20])
def test_parts_of_constant_steps_are_those_of_simulated_runs(t):
    """(11.8)."""
    agrees(simulate(np.full(t, 0.3), 3.0, 2.0, 1.5, seed=4), sg.constant_parts(0.3, t, 3.0, 2.0, 1.5))


@given(c=st.floats(0.01, 0.99), t=st.integers(0, 60))
def test_closed_forms_are_the_recursion(c, t):
    """(11.8) and (11.4), against (11.7)."""
    constant = [part[-1] for part in sg.parts(np.full(t, c), 2.0, 1.5, 0.7)]
    np.testing.assert_allclose(sg.constant_parts(c, t, 2.0, 1.5, 0.7), constant, atol=1e-12)
    decaying = [part[-1] for part in sg.parts(1 / np.arange(2, t + 2), 2.0, 1.5, 0.7)]
    np.testing.assert_allclose(sg.decaying_parts(t, 2.0, 1.5, 0.7), decaying)


@pytest.mark.parametrize("c", [0.1, 0.5, 0.9])
def test_noise_floor_is_the_variance_along_one_long_run(c):
    """(11.9), from the time average of a single run."""
    y = 2 * np.random.default_rng(5).normal(size=400_000)
    theta = lfilter([c], [1, c - 1], y)[1000:]
    assert theta.var() == pytest.approx(sg.noise_floor(c, 2.0), rel=0.02)


def test_schedules_begin_with_c_and_averaging_is_one_of_them():
    """(11.10)."""
    for kind in ("constant", "1/t", "1/√t"):
        assert sg.schedule(kind, 0.3, 5)[0] == pytest.approx(0.3)
    np.testing.assert_allclose(sg.schedule("1/t", 0.5, 30), 1 / np.arange(2, 32))
    np.testing.assert_allclose(sg.schedule("1/√t", 0.3, 4) ** 2, [0.09, 0.045, 0.03, 0.0225])


@given(t=st.integers(0, 40))
def test_stuck_bias_is_the_product(t):
    """(11.11), in exact fractions."""
    left = Fraction(1)
    for k in range(t):
        left *= 1 - Fraction(1, (k + 2) ** 2)
    assert float(4 * left) == pytest.approx(sg.stuck_bias(t, 4.0))
    assert sg.stuck_bias(t, 4.0) > 2


@pytest.fixture
def data():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(7, 3)) + 1
    return rng.normal(size=3), X, X @ [1, -2, 0.5] + rng.normal(size=7) + 3


def test_minibatch_gradient_is_the_slope_on_the_batch(data):
    """(11.12), by finite differences."""
    w, X, y = data
    batch = np.array([5, 0, 3])
    slope = approx_fprime(w, lambda w: np.mean((X[batch] @ w - y[batch]) ** 2), 1e-7)
    np.testing.assert_allclose(sg.minibatch_gradient(w, X, y, batch), slope, atol=1e-4)


def test_minibatch_gradient_is_right_on_average(data):
    """(11.12) has the mean that (11.1) asks for; many batches at once."""
    w, X, y = data
    batches = np.array(list(combinations(range(7), 3)))
    all_of_them = sg.minibatch_gradient(np.tile(w, (len(batches), 1)), X, y, batches)
    np.testing.assert_allclose(all_of_them.mean(axis=0), 2 * X.T @ (X @ w - y) / 7)
    np.testing.assert_allclose(all_of_them[4], sg.minibatch_gradient(w, X, y, batches[4]))


def test_one_patient_a_step_is_scikit_learns(data):
    """One pass in order, against SGDRegressor, whose loss is half of ours."""
    _, X, y = data
    peer = SGDRegressor(
        penalty=None, learning_rate="constant", eta0=0.02, fit_intercept=False, shuffle=False, max_iter=1, tol=None
    ).fit(X, y)
    rows = iter(range(7))
    *_, w = sg.sgd(np.zeros(3), lambda w, rng: sg.minibatch_gradient(w, X, y, np.array([next(rows)])), [0.01] * 7, None)
    np.testing.assert_allclose(w, peer.coef_)


@pytest.mark.parametrize("m", [1, 2, 4, 6])
def test_batch_variance_by_enumeration(m):
    """(11.13), over every batch."""
    v = np.array([1.0, 2.0, 4.0, 9.0, 11.0, 3.5])
    assert sg.batch_variance(v, m) == pytest.approx(np.var([np.mean(b) for b in combinations(v, m)]))
    if m < 6:
        repeated = np.var([np.mean(b) for b in product(v, repeat=m)])
        assert sg.batch_variance(v, m, replacement=True) == pytest.approx(repeated)


def test_batch_variance_of_real_gradients_by_60_000_draws():
    rng = np.random.default_rng(7)
    v = explore.Batches().v[:40]
    means = rng.permuted(np.tile(v, (60_000, 1)), axis=1)[:, :10].mean(axis=1)
    assert means.var() == pytest.approx(sg.batch_variance(v, 10), rel=0.05)


def test_wrong_arguments_get_one_line():
    with pytest.raises(ValueError, match=r"minibatch_gradient: X must have shape .* got \(30, 2\) and \(30, 1\)"):
        sg.minibatch_gradient(np.ones(2), np.ones((30, 2)), np.ones((30, 1)), np.array([0]))
    with pytest.raises(ValueError, match="batch_variance: m must be from 1 to n = 3, got 4"):
        sg.batch_variance(np.ones(3), 4)
    with pytest.raises(ValueError, match="schedule: name must be one of constant, 1/t, 1/√t; got '1/x'"):
        sg.schedule("1/x", 0.1, 3)


def _as_powers(before, c, t, sigma0, sigma):
    start, draws = before
    a = draws[1] / draws[0]
    return start, draws[0] / (1 - a), np.append(draws, a * draws[-1]) / draws[0]


def _two_powers(before, c, t, sigma0, sigma):
    start, factor, powers = before
    return start, factor, powers[0], powers[t]


class TestTheChain(KeepsItsPromises):
    """From the loop (11.7) to the closed form (11.8)."""

    CHAIN = checks.constant_variance
    CASES = checks._constant(np.random.default_rng(0))
    STEPS = (_as_powers, _two_powers)
    NOTHING_FOLLOWS = (  # 1 − a is 0, or a part is a constant
        "The draws do not fade: every later step multiplies a draw's variance by (1 − c)².",
        "The powers stand in the reverse order: they begin with 1.",
        "The start is lost: it stays before the sum as it is.",
    )

    def test_every_line_put_together_has_the_value_of_the_one_before(self):
        for args in self.CASES:
            loop = checks._line_1(*args)
            start, draws = checks._line_2(*args)
            np.testing.assert_allclose(start + np.sum(draws), loop)
            start, factor, powers = checks._line_3(*args)
            np.testing.assert_allclose(start + factor * np.sum(powers[:-1] - powers[1:]), loop)
            start, factor, first, last = checks._line_4(*args)
            np.testing.assert_allclose(start + factor * (first - last), loop)
            c, t, sigma0, sigma = args
            np.testing.assert_allclose(sg.parts(np.full(t, c), 1.0, sigma0, sigma)[1][-1], loop)

    def test_draws_that_do_not_fade_are_differences_too(self):
        def line_2(c, t, sigma0, sigma):
            return (1 - c) ** (2 * t) * sigma0**2, c**2 * sigma**2 * np.ones(t)

        def line_3(c, t, sigma0, sigma):
            return (1 - c) ** (2 * t) * sigma0**2, c**2 * sigma**2, 1 - np.arange(t + 1)

        def line_4(c, t, sigma0, sigma):
            return (1 - c) ** (2 * t) * sigma0**2, c**2 * sigma**2, 1, 1 - t

        verdict = assess(self.CHAIN, (line_2, line_3, line_4))
        assert [step.right for step in verdict.steps] == [False, True, True]

    @pytest.mark.parametrize(
        ("part", "answer"),
        [
            (1, lambda c, t, sigma0, sigma: ((p := checks._line_3(c, t, sigma0, sigma))[0], -p[1], -p[2])),
            (2, lambda c, t, sigma0, sigma: (checks._line_1(c, t, sigma0, sigma), 0, 1, (1 - c) ** (2 * t))),
        ],
    )
    def test_the_whole_is_right_and_the_parts_are_not(self, part, answer):
        lines = [answer if i == part else ... for i in range(3)]
        assert "not divided up as it is asked for" in assess(self.CHAIN, lines).steps[part].says


class TestWhatTheNotebookSays:
    """Numbers in the prose."""

    def test_passes(self):
        explorer = explore.Passes()
        state, same = explorer.compute(), explorer.same.mean(axis=1)
        assert state.quarter < state.full[1]
        by_pass = same[26::26]  # at the end of each pass
        assert np.all((by_pass > 110) & (by_pass < 180))  # "near 150"
        assert 140 < by_pass.mean() < 160
        ahead = by_pass < state.full[1:]
        assert list(ahead[:4]) == [True, True, True, False]  # "in the fourth pass"
        assert not ahead[3:].any()
        assert state.end_smaller < 30

    def test_single_patients(self):
        X, y = load("diabetes").standardised()
        single = -2 * X[:, load("diabetes").features.index("bmi")] * y
        np.testing.assert_allclose(single, explore.Batches().v)
        assert 1.8 < single.std() / -single.mean() < 2  # "almost twice"
        assert np.mean(single > 0) == pytest.approx(0.3, abs=0.005)

    def test_floors(self):
        assert sg.noise_floor(0.1, 1) == pytest.approx(0.0526, abs=5e-5)
        assert sg.noise_floor(0.5, 1) == pytest.approx(1 / 3)

    def test_the_printed_error_is_refuted_by_the_listed_simulation(self):
        rng = np.random.default_rng(0)
        start = 1 + 3 + 0.5 * rng.normal(size=100_000)
        runs = sg.sgd(start, lambda th, rng: th - (1 + 2 * rng.normal(size=th.shape)), [1 / 2, 1 / 3, 1 / 4], rng)
        for t, theta in enumerate(runs):
            error = np.mean((theta - 1) ** 2)
            printed = 4 / (t + 1) + 9.25 / (t + 1) ** 2
            assert error == pytest.approx(sg.decaying_mse(t, 3, 0.5, 2), rel=0.02)
            assert printed > 1.15 * error

    def test_steps(self):
        explorer = explore.Steps()
        at = {(c, k): explorer.compute(c, k) for c in (0.02, 0.1, 0.3) for k in explorer.kind.options}
        assert (at[0.3, "constant"].within, at[0.02, "constant"].within) == (7, 114)
        assert np.sqrt(at[0.02, "constant"].variance[-1]) == pytest.approx(0.1, abs=5e-3)
        assert np.sqrt(at[0.3, "constant"].variance[-1]) == pytest.approx(0.42, abs=5e-3)
        error = {key: state.mse[-1] for key, state in at.items()}
        assert error[0.1, "1/t"] == pytest.approx(0.034, abs=5e-4)
        assert error[0.1, "constant"] == pytest.approx(0.053, abs=5e-4)
        assert error[0.1, "1/t"] < error[0.1, "constant"] < error[0.1, "1/√t"]
        assert error[0.02, "constant"] == pytest.approx(0.015, abs=5e-4)
        assert error[0.02, "1/t"] == pytest.approx(0.62, abs=5e-3)
        assert error[0.02, "1/√t"] == pytest.approx(5.5, abs=0.05)

    def test_steps_that_shrink_too_fast(self):
        assert np.pi**2 / 6 - 1 < 0.65  # what they add up to
        bias, _ = sg.parts(1 / np.arange(2, 1002) ** 2.0, 4.0, 0.0, 1.0)
        assert bias[-1] == pytest.approx(2, abs=0.01)

    def test_batches(self):
        explorer = explore.Batches()
        assert explorer.compute(44).kept == pytest.approx(0.9, abs=0.005)
        assert explorer.compute(221).kept == pytest.approx(0.5, abs=0.005)
        assert explorer.compute(442).exact[1] == 0
        v = explorer.v
        for m, share in ((4, 1 / 2), (16, 1 / 4)):
            assert np.sqrt(explorer.compute(m).exact / np.var(v)) == pytest.approx(share, rel=0.02)


def _average(theta0, y):
    return (theta0 + sum(y)) / (len(y) + 1)


def _parts(t, b0, sigma0, sigma):
    return b0 / (t + 1), (sigma0**2 + t * sigma**2) / (t + 1) ** 2


def _batch_gradient(w, X, y, batch):
    return 2 * X[batch].T @ (X[batch] @ w - y[batch]) / len(batch)


def _noise(v, m):
    return np.var(v) / m * (len(v) - m) / (len(v) - 1)


class TestAnswersOfStrangers:
    """Wrong answers that were accepted, on seeds that were drawn so: with a sign or a parity that no draw had."""

    @pytest.mark.parametrize(
        ("name", "answer", "seeds"),
        [
            ("sgd_average", lambda theta0, y: _average(theta0, abs(y)), range(5)),
            ("sgd_average", lambda theta0, y: abs(_average(theta0, y)), range(5)),
            ("sgd_decaying_parts", lambda t, *rest: _parts(t - t % 2, *rest), [5064]),
            ("sgd_decaying_parts", lambda *args: (_parts(*args)[0], min(_parts(*args)[1], 1)), range(3)),
            ("sgd_floor", lambda c, sigma: min(c * sigma**2 / (2 - c), 1), [2]),
            ("batch_gradient", lambda w, X, y, batch: _batch_gradient(w, abs(X), y, batch), [30]),
            ("batch_gradient", lambda w, X, y, batch: _batch_gradient(w, X, abs(y), batch), [1, 4, 11]),
            ("batch_gradient", lambda *args: np.minimum(_batch_gradient(*args), 1), [20, 35, 36]),
            ("batch_noise", lambda v, m: _noise(abs(v), m), range(5)),
        ],
    )
    def test_careless_answers(self, name, answer, seeds):
        exercise = getattr(checks, name)
        assert not any(assess(exercise, (answer,), seed).points for seed in seeds)

    @pytest.mark.parametrize("seed", range(3))
    def test_their_right_parts_pass(self, seed):
        """So that it is the sign that is refused, and not these functions."""
        for name, answer in (
            ("sgd_average", lambda *args: _average(*args)),
            ("sgd_decaying_parts", lambda *args: _parts(*args)),
            ("batch_gradient", lambda *args: _batch_gradient(*args)),
            ("batch_noise", lambda *args: _noise(*args)),
        ):
            exercise = getattr(checks, name)
            assert assess(exercise, (answer,), seed).points == exercise.points

    @pytest.mark.parametrize(
        ("part", "answer", "says"),
        [
            (
                0,
                lambda c, t, sigma0, sigma: (
                    checks._line_2(c, t, sigma0, sigma)[0],
                    c**2 * sigma**2 * (1 - c) ** np.arange(t),
                ),
                "The draws fade with 1 − c",
            ),
            (
                1,
                lambda c, t, sigma0, sigma: (
                    checks._line_3(c, t, sigma0, sigma)[0],
                    c * sigma**2,
                    (1 - c) ** np.arange(t + 1),
                ),
                "Factor and powers are those of 1 − c",
            ),
            (
                2,
                lambda c, t, sigma0, sigma: (*checks._line_4(c, t, sigma0, sigma)[:3], 0.0),
                "The last power is 0 only for",
            ),
        ],
    )
    def test_a_line_of_the_derivation_is_told_what_is_wrong_with_it(self, part, answer, says):
        lines = [lambda *args, own=line.reference: own(*args) for line in checks.constant_variance.lines]
        lines[part] = answer
        verdict = assess(checks.constant_variance, tuple(lines))
        assert not verdict.steps[part].right
        assert says in verdict.finding.says

    def test_a_sum_that_is_still_there_has_not_cancelled(self):
        """The last of the powers was earned as 1 minus the sum of all the differences."""

        def line_4(c, t, sigma0, sigma):
            a = (1 - c) ** 2
            powers = a ** np.arange(t + 1)
            return a**t * sigma0**2, c * sigma**2 / (2 - c), 1.0, 1.0 - np.sum(powers[:-1] - powers[1:])

        lines = [lambda *args, own=line.reference: own(*args) for line in checks.constant_variance.lines]
        verdict = assess(checks.constant_variance, (lines[0], lines[1], line_4))
        assert [step.right for step in verdict.steps] == [True, True, False]
        assert "There is still a sum in it" in verdict.finding.says
