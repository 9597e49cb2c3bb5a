"""Exercises as data, and the checks that follow from them: what a topic's exercises are written with.

`mlcore/checks/<slug>.py` declares a topic with its exercises; its notebook says
`from mlcore.checks.<slug> import check`.
"""

from mlcore.engine.exercises.chain import Chain, Line, but
from mlcore.engine.exercises.checks import Checks
from mlcore.engine.exercises.choice import Choice, Explanation, Option
from mlcore.engine.exercises.compare import close, exactly, up_to_sign
from mlcore.engine.exercises.diagnosis import Mistake
from mlcore.engine.exercises.exercise import Alternative, Hint
from mlcore.engine.exercises.forms import expanded, without
from mlcore.engine.exercises.function import Function, Value
from mlcore.engine.exercises.property import Law, Property
from mlcore.engine.exercises.slip import SAME_THERE, Slip
from mlcore.engine.exercises.topic import Topic

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
    "Option",
    "Property",
    "Slip",
    "Topic",
    "Value",
    "but",
    "close",
    "exactly",
    "expanded",
    "up_to_sign",
    "without",
]
