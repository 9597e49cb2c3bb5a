"""A topic of the course: what is known about it, stated once, and its exercises in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

from mlcore.engine.exercises.exercise import Exercise


@dataclass(frozen=True, eq=False, kw_only=True)
class Topic:
    """One notebook. Its headings, the map, the catalogue, the build and the marks all follow from this.

    Topics with the same `part` stand together, in the order of their numbers; a part stands where its first topic does.
    """

    number: int
    slug: str
    title: str
    question: str  # the one that the notebook answers
    part: str
    minutes: int
    before: Mapping[str, str] = field(default_factory=dict)  # slug of an earlier topic: what of it is needed
    exercises: Sequence[Exercise]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for letters, exercise in zip(lettering(), self.exercises, strict=False):
            if exercise.number:
                raise ValueError(f"{exercise.name} is in the list of exercises twice, or in two topics")
            if exercise.name in seen:
                raise ValueError(f"two exercises are called {exercise.name}")
            seen.add(exercise.name)
            exercise.number = f"{self.number}{letters}"

    @property
    def folder(self) -> str:
        return f"{self.number:02d}_{self.slug}"

    @property
    def path(self) -> str:
        """The notebook's place below `notebooks/`."""
        return f"{self.folder}/{self.slug}.ipynb"

    @property
    def points(self) -> int:
        return sum(exercise.points for exercise in self.exercises)


def lettering() -> Iterator[str]:
    """a to z, then aa, ab, …: there is always another one."""
    so_far = [""]
    while True:
        so_far = [first + letter for first in so_far for letter in ascii_lowercase]
        yield from so_far
