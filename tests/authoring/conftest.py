"""What the tests of the author's tools share."""

from tests.authoring.planted import plot
from tests.authoring.project import project

__all__ = ["plot", "project"]
