"""Numerics that several topics share: functions without overflow, and the one line that a wrong shape gets.

No equation is at home here. The mathematics of every topic may import this module, and of mlcore it alone. A topic
whose equation one of these functions is imports it beside its tag: σ is (12.1), LSE is (13.1), softmax is (13.2).
"""

import re
from functools import lru_cache

import numpy as np


def sigmoid(t):
    """σ(t) = 1/(1 + e⁻ᵗ), with all digits for every t: no exponent is positive, and nothing is subtracted.

    The smaller of t and −t is −|t|, and keeps the derivative of a complex step.
    """
    return np.exp(np.minimum(t, 0)) / (1 + np.exp(np.minimum(t, np.multiply(t, -1.0))))


def log_sum_exp(t):
    """log Σₖ exp tₖ over the last axis. The largest term stands outside the sum, which is therefore never 0."""
    m = np.max(t, axis=-1, keepdims=True)
    return np.squeeze(m, -1) + np.log(np.sum(np.exp(t - m), axis=-1))


def softmax(t):
    """exp tₖ / Σⱼ exp tⱼ over the last axis: the shape of t."""
    e = np.exp(t - np.max(t, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def need_shapes(wanted, *values):
    """Raise one line unless the values have the shapes in `wanted`, such as "ridge.fit: X (n, d), y (n,)".

    A letter stands for one size wherever it comes, and a number for itself. The line tells the sizes that are settled
    by earlier values: "y must have shape (n,) = (30,)", or "C must have shape (K, d) with d = 2".
    """
    where, shapes, numbers = _read(wanted)
    sizes = dict(numbers)
    for (name, text, axes), value in zip(shapes, values, strict=True):
        got, settled = np.shape(value), dict(sizes)
        if len(got) != len(axes) or tuple(map(sizes.setdefault, axes, got)) != got:
            raise ValueError(f"{where}: {name} must have shape {text}{_told(axes, settled)}, got {got}")


@lru_cache
def _read(wanted):
    """Where it is said; the name, the shape as written and the axes of each value; and the axes that are numbers."""
    where, _, rest = wanted.partition(": ")
    shapes = [(name, text, re.findall(r"\w+", text)) for name, text in re.findall(r"(\w+) (\(.*?\))", rest)]
    return where, shapes, {axis: int(axis) for _, _, axes in shapes for axis in axes if axis.isdigit()}


def _told(axes, settled):
    """The sizes of the letters that are settled."""
    letters = [axis for axis in dict.fromkeys(axes) if not axis.isdigit()]
    known = [axis for axis in letters if axis in settled]
    if not known:
        return ""
    if known == letters:
        return f" = {tuple(settled[axis] for axis in axes)}"
    return " with " + ", ".join(f"{axis} = {settled[axis]}" for axis in known)
