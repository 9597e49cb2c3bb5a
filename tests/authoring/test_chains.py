"""The certificate of chains can be broken, and most of what students write can be read."""

import pytest

from mlcore.authoring import chains
from mlcore.checks import ridge
from mlcore.course import catalogue
from mlcore.engine.exercises import Chain, chain

CHAINS = [(topic, e) for topic in catalogue.topics() for e in topic.exercises if isinstance(e, Chain)]
SEEDS = range(1)


def told(promise):
    return list(promise(ridge.topic, ridge.normal_equations, SEEDS))


class TestEveryPromiseCanBeBroken:
    def test_by_an_engine_that_does_not_ask_for_the_step(self, monkeypatch):
        monkeypatch.setattr(chain, "complaint", lambda *_: "")
        found = told(chains.nothing_is_earned_without_the_step)
        ways = {line.partition(" on seed 0 by ")[2].partition(":")[0] for line in found}
        assert "line 1, its even and odd parts in w" in ways
        assert "line 1, its even and odd parts in w, in a class" in ways
        assert "line 1, its even and odd parts in w, in a coroutine" in ways
        assert "line 1, three points in w, weighed" in ways
        assert "line 1 less the parts that are not linear" in ways

    def test_by_one_that_refuses_honest_ways(self, monkeypatch):
        monkeypatch.setattr(chain, "complaint", lambda *_: "No.")
        assert told(chains.honest_ways_earn_all_points)

    def test_by_one_that_lets_nothing_follow(self, monkeypatch):
        monkeypatch.setattr(chain, "following", lambda line, values, *_: [False] * len(values[0]))
        assert told(chains.a_mistake_costs_its_own_line_only)

    @pytest.mark.parametrize("promise", chains.PROMISES, ids=lambda promise: promise.__name__)
    def test_the_engine_keeps_them(self, promise):
        assert told(promise) == []


def test_each_chain_is_attacked_in_many_ways():
    fewest = min(sum(1 for _ in chains.attacks(chains.desk(topic, e))) for topic, e in CHAINS)
    assert fewest >= 50


def test_nearly_all_that_we_write_is_read():
    """A right answer may be unreadable; then it is judged by its value. That has to stay rare."""
    lines = [(topic.slug, e.name, *line) for topic, e in CHAINS for line in chains.readable(topic, e)]
    unread = [line for line in lines if not line[-1]]
    assert len(unread) < 0.05 * len(lines), unread
