"""The report: its numbers against a count by hand, its words, and the page in a real browser."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from mlcore.course import catalogue
from mlcore.grading import commands, report
from mlcore.grading.gradebook import Record
from tests.grading.test_class import mlcore

pytestmark = pytest.mark.xdist_group("browser")

TOPIC = catalogue.find("ridge")
EXERCISES = [e for e in TOPIC.exercises if e.parts]
STUDENTS = 24


def records(seed: int = 0) -> list[Record]:
    """A class whose answers are drawn: abler students are right more often, but for one exercise at random."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(STUDENTS):
        ability = i / STUDENTS
        verdicts = []
        for k, e in enumerate(EXERCISES):
            right = rng.random() < (0.5 if k == 3 else 0.1 + 0.8 * ability)
            mistake = "" if right else e.mistakes[int(rng.integers(2))].says
            outcome = "right" if right else "known mistake"
            points = e.points if right else 0
            verdicts.append(
                {
                    "name": e.name,
                    "points": points,
                    "out_of": e.points,
                    "outcome": outcome,
                    "says": mistake,
                    "mistake": mistake,
                }
            )
        found.append(Record(TOPIC.folder, f"s{i:02d}", "f", datetime(2026, 11, 16), "", verdicts))
    return found


def test_counts_are_those_of_the_class():
    drawn = records()
    for item in report.items(TOPIC, drawn):
        verdicts = [v for r in drawn for v in r.verdicts if v["name"] == item.exercise.name]
        assert item.right == np.mean([v["outcome"] == "right" for v in verdicts])
        assert item.mistakes == Counter(v["mistake"] for v in verdicts if v["mistake"])
        assert item.students == STUDENTS


def test_the_hardest_come_first():
    rights = [item.right for item in report.items(TOPIC, records())]
    assert rights == sorted(rights)


def test_discrimination_is_the_correlation_with_the_rest():
    drawn = records()
    points = np.array([[v["points"] for v in r.verdicts] for r in drawn], dtype=float)
    for item in report.items(TOPIC, drawn):
        k = EXERCISES.index(item.exercise)
        own, rest = points[:, k], np.delete(points, k, axis=1).sum(axis=1)
        assert item.discrimination == pytest.approx(np.corrcoef(own, rest)[0, 1])


def test_few_students_say_nothing_about_an_exercise():
    assert all(item.discrimination is None for item in report.items(TOPIC, records()[:5]))


@pytest.mark.parametrize(
    ("count", "of", "words"),
    [
        (8, 24, "a third of you"), (12, 24, "half of you"), (24, 24, "all of you"), (7, 24, "7 of 24 of you"),
        (99, 300, "about a third of you"), (1, 3, "1 of 3 of you"), (60, 300, "a fifth of you"),
    ],
)  # fmt: skip
def test_shares_in_words(count, of, words):
    assert report.in_words(count, of) == words


def test_page_needs_no_network_and_names_can_be_hidden():
    drawn = records()
    page = report.page("Title", [(TOPIC, drawn)], {r.student: f"student {i}" for i, r in enumerate(drawn)})
    assert not re.search(r"(src|href)='?(https?:)?//", page)
    assert "s07" not in page and "student 7" in page


def test_numbers_do_not_follow_the_alphabet():
    students = [f"s{i:02d}" for i in range(STUDENTS)]
    numbers = commands._numbers(students, b"secret")
    assert numbers == commands._numbers(reversed(students), b"secret")
    assert list(numbers) != students and list(numbers) != list(commands._numbers(students, b"another"))
    assert list(numbers.values())[:2] == ["student 1", "student 2"]


def test_hostile_names_are_text():
    drawn = records()
    names = {r.student: "<script>alert(1)</script>" for r in drawn}
    assert "<script>alert" not in report.page("Title", [(TOPIC, drawn)], names)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    drawn = records()
    path = tmp_path_factory.mktemp("report") / "report.html"
    names = {r.student: f"Student {r.student}" for r in drawn}
    path.write_text(report.page("What the class misunderstood", [(TOPIC, drawn)], names), encoding="utf-8")
    return path


@pytest.mark.browser
def test_in_a_browser(written, browser):
    page = browser.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: troubles.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(written.as_uri())
    table = page.locator(".sortable tbody tr")
    assert table.count() == STUDENTS
    page.get_by_role("button", name="points").click()
    points = [float(text) for text in page.locator(".sortable tbody td:nth-child(2)").all_inner_texts()]
    assert points == sorted(points)
    page.get_by_role("button", name="points").click()
    points = [float(text) for text in page.locator(".sortable tbody td:nth-child(2)").all_inner_texts()]
    assert points == sorted(points, reverse=True)
    page.get_by_label("Filter by name").fill("s07")
    assert page.locator(".sortable tbody tr:visible").count() == 1
    assert page.locator("svg[role=img][aria-label]").count() == 1
    assert page.locator(".bar[role=img][aria-label]").count() == len(EXERCISES)
    page.emulate_media(media="print")
    assert not page.locator(".filter").is_visible()
    assert troubles == []
    page.close()


def test_empty_class_is_one_line(tmp_path):
    from mlcore.grading.simulate import simulate

    simulate(tmp_path / "course", TOPIC, 1, seed=1)
    for command in ("report", "feedback"):
        done = mlcore(command, tmp_path / "course")
        assert done.returncode == 2
        assert "nothing is graded" in done.stderr and len(done.stderr.strip().splitlines()) == 1
    shutil.rmtree(tmp_path / "course" / "submitted")
    done = mlcore("grade", tmp_path / "course", "--no-sandbox")
    assert done.returncode == 2 and "there is nothing to grade" in done.stderr
