"""mlcore.start_here against finite differences."""

import numpy as np
import pytest

from mlcore import start_here
from mlcore.checks import start_here as checks
from mlcore.engine.exercises.assess import assess


def test_slope_is_the_derivative():
    """(0.2) from (0.1)."""
    x = np.linspace(-2, 2, 9)
    slopes = ((3 * (x + 1e-6) - 1) ** 2 - (3 * (x - 1e-6) - 1) ** 2) / 2e-6
    np.testing.assert_allclose(start_here.slope(x), slopes, atol=1e-6)


@pytest.mark.parametrize("answer", [lambda x: abs(18 * x - 6), lambda x: 18 * abs(x) - 6, lambda x: max(18 * x - 6, 0)])
def test_a_slope_that_is_never_negative_is_refused(answer):
    """No negative x was drawn on seed 27."""
    assert not assess(checks.slope, (answer,), seed=27).right
