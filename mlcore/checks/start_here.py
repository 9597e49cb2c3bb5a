"""The one exercise of 00 start_here."""

from mlcore import start_here
from mlcore.engine.exercises import Alternative, Checks, Function, Hint, Mistake, Topic

slope = Function(
    "slope",
    asks="The derivative of (3x − 1)²",
    points=1,
    reference=start_here.slope,
    cases=lambda rng: [(1.0,), (float(rng.integers(2, 9)),), (-rng.uniform(0.2, 3),)],
    mistakes=[
        Mistake(
            "This is a third of it: the inner derivative of 3x − 1 is 3, and it is missing.",
            lambda x: 2 * (3 * x - 1),
        ),
        Mistake("The outer derivative of r² is 2r: the 2 is missing.", lambda x: 3 * (3 * x - 1)),
        Mistake("Both 2 and 3 are missing: outer derivative times inner derivative.", lambda x: 3 * x - 1),
        Mistake("This is (3x − 1)² itself, not its derivative.", lambda x: (3 * x - 1) ** 2),
    ],
    alternatives=[Alternative(lambda x: 18 * x - 6), Alternative(lambda x: 2 * (9 * x - 3))],
    hints=(
        Hint("Which rule is this?", "The chain rule: the derivative of $r^2$ times the derivative of $r=3x-1$."),
        Hint("And what are they?", "$2r$ and $3$."),
    ),
    see="Equation (0.2), below the hints.",
)

topic = Topic(
    number=0,
    slug="start_here",
    title="Start here",
    question="How does a page check a derivation?",
    part="Start",
    minutes=5,
    exercises=[slope],
)
check = Checks(topic)
