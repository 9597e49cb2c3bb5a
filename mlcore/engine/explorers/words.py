"""Numbers in a sentence."""


def tell(value: float, digits: int = 0) -> str:
    """A number for a sentence: with a real minus sign, and no minus zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def tell_error(error: float, floor: float = 1e-13) -> str:
    """An error for a sentence: two digits, or one near the floor, below which each machine's rounding decides."""
    if error < floor:
        return f"less than {tell_error(floor, floor)}"
    if error >= 1e-4:
        return f"{error:.2g}"
    return f"{error:.{int(error >= 100 * floor)}e}".replace("-", "−")
