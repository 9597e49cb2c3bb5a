"""The shared numerics against exact arithmetic, scipy, and the lines as they are written out."""

import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import special

from mlcore.numerics import log_sum_exp, need_shapes, sigmoid, softmax

SMALLEST = Decimal("4.94e-324")
scores = hnp.arrays(float, hnp.array_shapes(max_dims=3, max_side=5), elements=st.floats(-1e6, 1e6))


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings(), np.errstate(over="raise", divide="raise", invalid="raise"):
        warnings.simplefilter("error")
        yield


def exact_sigmoid(t: float) -> Decimal:
    with localcontext() as context:
        context.prec = 50
        return 1 / (1 + (-Decimal(t)).exp())


def off_by(value: float, exact: Decimal) -> float:
    """The error relative to the value, or in steps of the smallest number where digits are lost by format."""
    error = abs(Decimal(float(value)) - exact)
    return float(error / exact) / 2.0**-52 if exact > Decimal("2.3e-308") else float(error / SMALLEST)


class TestSigmoid:
    @given(st.floats(-745, 745))
    def test_has_all_digits(self, t):
        assert off_by(sigmoid(t), exact_sigmoid(t)) < 2

    def test_has_all_digits_on_a_fine_grid_and_where_exponents_change(self):
        t = np.concatenate([np.linspace(-745, 745, 2981), [-708.5, -708.3, -37, 36.7, 37, -1e-17, 1e-300, -0.0]])
        assert max(off_by(p, exact_sigmoid(x)) for p, x in zip(sigmoid(t), t, strict=True)) < 2

    def test_tends_to_0_and_1(self):
        np.testing.assert_array_equal(
            sigmoid(np.array([-np.inf, -1e308, -746, 0, 746, 1e308, np.inf])), [0] * 3 + [0.5] + [1] * 3
        )
        assert np.isnan(sigmoid(np.nan))

    def test_takes_numbers_lists_and_arrays_of_any_shape(self):
        assert np.shape(sigmoid(3)) == ()
        assert isinstance(sigmoid(3.0), float)
        assert sigmoid([0, 0]).tolist() == [0.5, 0.5]
        assert sigmoid(np.zeros((2, 0, 3))).shape == (2, 0, 3)
        assert sigmoid(np.zeros(2, dtype=np.float32)).dtype == np.float32

    def test_takes_whole_numbers_that_have_no_negative(self):
        assert sigmoid(np.array([0, 3], dtype=np.uint8)).tolist() == sigmoid([0.0, 3.0]).tolist()
        assert sigmoid(np.array([False, True])).tolist() == sigmoid([0.0, 1.0]).tolist()

    @given(st.floats(-700, 700))
    def test_a_complex_step_gives_the_slope(self, t):
        assert sigmoid(t + 1e-30j).imag / 1e-30 == pytest.approx(sigmoid(t) * sigmoid(-t), rel=1e-13)

    @given(st.floats(-40, 40), st.floats(-40, 40))
    def test_is_symmetric_and_rises(self, s, t):
        assert sigmoid(t) + sigmoid(-t) == pytest.approx(1, rel=1e-15)
        assert s <= t or sigmoid(s) >= sigmoid(t) * (1 - 1e-15)


class TestLogSumExp:
    @given(scores)
    def test_is_scipys(self, t):
        np.testing.assert_allclose(log_sum_exp(t), special.logsumexp(t, axis=-1), rtol=1e-14, atol=1e-14)

    @given(scores)
    def test_softmax_is_scipys_and_its_exponential(self, t):
        np.testing.assert_allclose(softmax(t), special.softmax(t, axis=-1), rtol=1e-13, atol=1e-300)
        np.testing.assert_allclose(softmax(t), np.exp(t - log_sum_exp(t)[..., None]), rtol=1e-9, atol=1e-300)

    def test_keeps_what_a_plain_sum_loses(self):
        assert log_sum_exp(np.array([1000.0, 1000.0])) == 1000 + np.log(2)
        assert log_sum_exp(np.array([-1000.0, -1000.0])) == -1000 + np.log(2)
        np.testing.assert_array_equal(softmax(np.array([[1e308, 0.0], [-1e308, -1e308]])), [[1, 0], [0.5, 0.5]])

    def test_a_part_that_cannot_be_is_left_out(self):
        t = np.array([-np.inf, 3.0])
        assert log_sum_exp(t) == 3
        assert softmax(t).tolist() == [0, 1]

    def test_reduces_the_last_axis_only(self):
        t = np.arange(24.0).reshape(2, 3, 4)
        assert log_sum_exp(t).shape == (2, 3)
        assert softmax(t).shape == (2, 3, 4)
        assert isinstance(log_sum_exp(t[0, 0]), float)


class TestNeedShapes:
    RIDGE = "ridge.fit: X (n, d), y (n,)"

    def said(self, wanted, *shapes):
        with pytest.raises(ValueError) as caught:
            need_shapes(wanted, *map(np.zeros, shapes))
        return str(caught.value)

    def test_right_shapes_pass_in_silence(self):
        assert need_shapes(self.RIDGE, np.zeros((30, 2)), np.zeros(30)) is None
        need_shapes(self.RIDGE, [[1, 2], [3, 4], [5, 6]], (1, 2, 3))
        need_shapes(self.RIDGE, np.zeros((0, 2)), [])
        need_shapes("mvn.logpdf: mu (d,), Sigma (d, d)", np.zeros(2), np.eye(2))
        need_shapes("convolution.conv: X (n, 3, H, W)", np.zeros((1, 3, 8, 8)))

    def test_nothing_is_settled_by_the_first_value(self):
        assert self.said(self.RIDGE, (30,), (30,)) == "ridge.fit: X must have shape (n, d), got (30,)"
        assert self.said("pca.axes: G (n, n)", (3, 2)) == "pca.axes: G must have shape (n, n), got (3, 2)"
        assert self.said("bandits.draw: mu (K,)", ()) == "bandits.draw: mu must have shape (K,), got ()"

    def test_all_letters_are_settled(self):
        assert self.said(self.RIDGE, (30, 2), (30, 1)) == "ridge.fit: y must have shape (n,) = (30,), got (30, 1)"
        assert self.said(self.RIDGE, (30, 2), (2,)) == "ridge.fit: y must have shape (n,) = (30,), got (2,)"
        told = self.said("kernels.fit: y (n,), K (n, n)", (4,), (4, 3))
        assert told == "kernels.fit: K must have shape (n, n) = (4, 4), got (4, 3)"
        told = self.said("mc.slope: X (n, d), w (d,), y (n,)", (4, 2), (3,), (5,))
        assert told == "mc.slope: w must have shape (d,) = (2,), got (3,)"

    def test_some_letters_are_settled(self):
        told = self.said("kmeans.refit: X (n, d), C (K, d)", (3, 2), (2, 3))
        assert told == "kmeans.refit: C must have shape (K, d) with d = 2, got (2, 3)"
        told = self.said("a.b: A (k, l, m), B (l, j, k)", (1, 2, 3), (1, 2))
        assert told == "a.b: B must have shape (l, j, k) with l = 2, k = 1, got (1, 2)"

    def test_a_number_stands_for_itself(self):
        assert self.said("a.b: X (n, 3, H, W)", (3, 6, 6)) == "a.b: X must have shape (n, 3, H, W), got (3, 6, 6)"
        assert self.said("a.b: y (7, 1)", (7,)) == "a.b: y must have shape (7, 1), got (7,)"
        assert self.said("a.b: x (n,), y (n, 2)", (4,), (4, 3)) == "a.b: y must have shape (n, 2) = (4, 2), got (4, 3)"

    @given(hnp.array_shapes(min_dims=0, max_dims=3, max_side=3), hnp.array_shapes(min_dims=0, max_dims=3, max_side=3))
    def test_passes_exactly_what_the_rule_in_full_passes(self, X, y):
        right = len(X) == 2 and y == (X[0],)
        try:
            need_shapes(self.RIDGE, np.zeros(X), np.zeros(y))
        except ValueError:
            assert not right
        else:
            assert right

    def test_a_value_too_few_is_an_error_of_ours(self):
        with pytest.raises(ValueError, match="zip"):
            need_shapes(self.RIDGE, np.zeros((30, 2)))
