"""How this course works, on one small derivative.

(0.1)  f(x)  = (3x − 1)²
(0.2)  f′(x) = 6(3x − 1)
"""


def slope(x):
    """f′(x) (0.2)."""
    return 6 * (3 * x - 1)
