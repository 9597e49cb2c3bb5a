"""Topics and the shelf they stand on: letters, numbers, parts, and what a user may call them."""

from __future__ import annotations

import itertools

import pytest

from mlcore.course import catalogue
from mlcore.engine.errors import Problem
from mlcore.engine.exercises import Explanation
from mlcore.engine.exercises.topic import lettering
from tests import toys


def text(name: str) -> Explanation:
    return Explanation(name, asks="Why?", points=1, rubric="Because.")


class TestLetters:
    def test_after_z_comes_aa_and_after_zz_aaa(self):
        letters = list(itertools.islice(lettering(), 26 + 26**2 + 1))
        assert letters[:2] == ["a", "b"]
        assert letters[25:28] == ["z", "aa", "ab"]
        assert letters[51:53] == ["az", "ba"]
        assert letters[701:] == ["zz", "aaa"]
        assert len(set(letters)) == len(letters)

    def test_every_exercise_of_a_topic_gets_its_own(self):
        topic = toys.topic(*(text(f"exercise_{i}") for i in range(703)))
        assert [topic.exercises[i].number for i in (0, 25, 26, 702)] == ["99a", "99z", "99aa", "99aaa"]

    def test_an_exercise_twice(self):
        one = text("one")
        with pytest.raises(ValueError, match=r"^one is in the list of exercises twice, or in two topics$"):
            toys.topic(one, text("two"), one)

    def test_an_exercise_in_two_topics(self):
        topic = toys.topic(text("one"))
        with pytest.raises(ValueError, match=r"^one is in the list of exercises twice, or in two topics$"):
            toys.topic(text("two"), *topic.exercises, number=98)
        assert topic.exercises[0].number == "99a"

    def test_two_of_one_name(self):
        with pytest.raises(ValueError, match=r"^two exercises are called one$"):
            toys.topic(text("one"), text("two"), text("one"))


@pytest.fixture
def shelf(monkeypatch):
    """A course of topics made up: each a name, a number and a part; or a line for one that is broken."""

    def stand(*made: tuple[str, int, str], broken: dict[str, str] | None = None):
        broken = broken or {}
        there = {slug: toys.topic(number=number, slug=slug, part=part) for slug, number, part in made}

        def load(slug):
            if slug in broken:
                raise Problem(broken[slug])
            return there[slug]

        monkeypatch.setattr(catalogue, "slugs", lambda: tuple(sorted([*there, *broken])))
        monkeypatch.setattr(catalogue, "load", load)
        monkeypatch.setattr(catalogue, "at", lambda slug, variable: f"{slug}.py:7")
        made_shelf = catalogue.shelf.__wrapped__()
        monkeypatch.setattr(catalogue, "shelf", lambda: made_shelf)
        return made_shelf

    return stand


class TestShelf:
    def test_parts_stand_where_their_first_topic_does(self, shelf):
        found = shelf(("start", 0, ""), ("b", 2, "Two"), ("a", 1, "One"), ("c", 3, "One"), ("d", 4, "Two"))
        assert [topic.slug for topic in found.topics] == ["start", "a", "c", "b", "d"]
        assert {part: [t.slug for t in inside] for part, inside in catalogue.parts().items()} == {
            "": ["start"],
            "I One": ["a", "c"],
            "II Two": ["b", "d"],
        }

    def test_a_topic_that_is_broken_does_not_touch_the_others(self, shelf):
        found = shelf(("a", 1, "One"), ("c", 3, "One"), broken={"b": "b.py:3: NameError: no"})
        assert [topic.slug for topic in found.topics] == ["a", "c"]
        assert found.broken == ("b.py:3: NameError: no",)

    def test_two_topics_with_one_number_are_both_there_and_told(self, shelf):
        found = shelf(("b", 1, "One"), ("a", 1, "Two"), ("c", 1, "One"), ("d", 2, "One"))
        assert {topic.slug for topic in found.topics} == {"a", "b", "c", "d"}
        assert found.clashes == ("b.py:7: the number 1 is that of a, too", "c.py:7: the number 1 is that of b, too")
        assert found.broken == ()

    @pytest.mark.parametrize("text", ["7", "07", "a", "A", " a ", "07_a", "07_A"])
    def test_is_found_by_its_number_slug_or_folder(self, text, shelf):
        shelf(("a", 7, "One"), ("b", 8, "One"))
        assert catalogue.find(text).slug == "a"

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("rigde", "no topic 'rigde': did you mean ridge? (`mlcore progress` lists them)"),
            ("05_rigde", "no topic '05_rigde': did you mean 05_ridge? (`mlcore progress` lists them)"),
            ("6", "no topic '6': there are 01_start to 05_ridge (`mlcore progress` lists them)"),
            ("06_ridge", "no topic '06_ridge': did you mean 05_ridge? (`mlcore progress` lists them)"),
            ("", "no topic '': there are 01_start to 05_ridge (`mlcore progress` lists them)"),
            ("ridge.py", "no topic 'ridge.py': did you mean ridge? (`mlcore progress` lists them)"),
        ],
    )
    def test_a_near_miss_is_told_what_is_near(self, text, says, shelf):
        shelf(("ridge", 5, "One"), ("start", 1, "Two"))
        with pytest.raises(Problem) as problem:
            catalogue.find(text)
        assert str(problem.value) == says

    def test_a_number_of_two_topics_asks_which(self, shelf):
        shelf(("a", 1, "One"), ("b", 1, "One"))
        with pytest.raises(Problem, match=r"^'1' is the number of a and of b: say which$"):
            catalogue.find("1")
        assert catalogue.find("b").slug == "b"

    @pytest.mark.parametrize("text", ["b", "02_b"])
    def test_a_broken_topic_is_told_where_it_is_broken(self, text, shelf):
        shelf(("a", 1, "One"), broken={"b": "mlcore/checks/b.py:3: NameError: no"})
        with pytest.raises(Problem, match=r"^mlcore/checks/b.py:3: NameError: no$"):
            catalogue.find(text)

    def test_the_number_of_a_broken_topic_is_not_known_but_that_one_is_broken_is(self, shelf):
        shelf(("a", 1, "One"), broken={"b": "b.py:3: NameError: no"})
        with pytest.raises(
            Problem, match=r"^no topic '2': there are 01_a to 01_a .*; not loaded: b.py:3: NameError: no$"
        ):
            catalogue.find("2")

    def test_where_no_topic_can_be_loaded(self, shelf):
        shelf(broken={"b": "b.py:3: NameError: no"})
        assert catalogue.parts() == {}
        with pytest.raises(Problem, match=r"^no topic '2': there is none; not loaded: b.py:3: NameError: no$"):
            catalogue.find("2")


def test_numerals():
    assert [catalogue.numeral(i) for i in range(13)] == [
        *("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
    ]


def test_a_line_number_is_no_emoji_and_no_bracket_is_lost(capsys):
    from mlcore.course.terminal import Console, literal

    console = Console(emoji=False, width=200)
    for said in ("mlcore/checks/ridge.py:100: [red] x", r"a \[x\] of [0], \\[bold]b[/] and [/bold]"):
        console.print(f"[red]First:[/] {literal(said)}", highlight=False, soft_wrap=True)
        assert capsys.readouterr().out == f"First: {said}\n"
