"""Every explorer at every position: its laws hold, nothing raises or warns, the axes stay, the words change."""

import pytest

import mlcore.explore
from mlcore.engine.explorers import sweep
from mlcore.engine.explorers.search import find_all

EXPLORERS = [pytest.param(k, id=f"{k.__module__.rpartition('.')[2]}-{k.__name__}") for k in find_all(mlcore.explore)]


@pytest.mark.parametrize("check", sweep.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", EXPLORERS)
def test_the_sweep_finds_nothing(kind, check):
    assert [str(finding) for finding in check(kind)] == []
