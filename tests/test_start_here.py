"""mlcore.start_here against finite differences."""

import numpy as np

from mlcore import start_here


def test_slope_is_the_derivative():
    """(0.2) from (0.1)."""
    x = np.linspace(-2, 2, 9)
    slopes = ((3 * (x + 1e-6) - 1) ** 2 - (3 * (x - 1e-6) - 1) ** 2) / 2e-6
    np.testing.assert_allclose(start_here.slope(x), slopes, atol=1e-6)
