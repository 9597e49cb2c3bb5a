"""Exercises as data, and the checks that follow from them.

A topic's file `mlcore/checks/<slug>.py` declares its exercises; its notebook says
`from mlcore.checks.<slug> import check`.
"""

from mlcore.checks._diagnosis import Mistake
from mlcore.checks._exercises import (
    SAME_THERE,
    Alternative,
    Chain,
    Choice,
    Explanation,
    Function,
    Hint,
    Law,
    Line,
    Option,
    Property,
    Slip,
    Value,
    gradient_of,
)
from mlcore.checks._topic import Checks, NotYet, Topic
from mlcore.checks._values import close, exactly, up_to_sign

__all__ = [
    "SAME_THERE",
    "Alternative",
    "Chain",
    "Checks",
    "Choice",
    "Explanation",
    "Function",
    "Hint",
    "Law",
    "Line",
    "Mistake",
    "NotYet",
    "Option",
    "Property",
    "Slip",
    "Topic",
    "Value",
    "close",
    "exactly",
    "gradient_of",
    "up_to_sign",
]
