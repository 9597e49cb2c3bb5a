"""Topics made up for a test."""

from __future__ import annotations

from mlcore.engine.exercises import Topic
from mlcore.engine.exercises.exercise import Exercise


def topic(*exercises: Exercise, number: int = 99, slug: str = "made_up", part: str = "Toys") -> Topic:
    return Topic(
        number=number, slug=slug, title="Made up", question="What if?", part=part, minutes=1, exercises=exercises
    )
