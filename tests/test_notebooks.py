"""Every solved notebook in a kernel: full points, no cell that fails, no number that shows its type."""

import pytest

from mlcore.authoring import proof
from mlcore.course import catalogue


@pytest.mark.parametrize("topic", catalogue.topics(), ids=lambda topic: topic.folder)
def test_solved_notebook_is_right_and_reads_well(topic):
    assert list(proof.notebook(topic, "solved")) == []
