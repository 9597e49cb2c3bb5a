"""Hand grading in formgrader, on a course that `mlcore` made and graded."""

from __future__ import annotations

import pytest
from nbgrader.api import Gradebook

from mlcore.course import catalogue
from mlcore.grading import classroom
from mlcore.grading.simulate import simulate
from mlcore.grading.workers import Rules
from tests.browser.jupyter import SCREENSHOTS, serving

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formgrader") / "course"
    simulate(folder, catalogue.find("ridge"), 3, seed=2)
    with classroom.Course(folder) as open_course, classroom.here(1, Rules(protected=False)) as run:
        open_course.grade(classroom.find(folder), run)
    return folder


def test_an_explanation_is_marked_by_hand(graded, browser):
    url = f"sqlite:///{graded / 'gradebook.db'}"
    with Gradebook(url, "mlcore") as book:
        waiting = [s for s in book.notebook_submissions("ridge", "05_ridge") if s.needs_manual_grade]
        submission, student = waiting[0].id, waiting[0].student.id
    with serving(graded) as address:
        page = browser.new_page()
        page.goto(f"{address}/formgrader/gradebook/05_ridge/ridge")
        page.get_by_text("Submission #1", exact=False).first.wait_for(timeout=60_000)
        page.goto(f"{address}/formgrader/submissions/{submission}/")
        score = page.locator("input.score").last
        score.wait_for(timeout=60_000)
        assert page.locator(".mlc").count() >= 1, "our cards are in formgrader's page"
        score.fill("2")
        score.press("Tab")
        comment = page.locator("textarea.comment").last
        comment.fill("Where does the sign settle?")
        comment.press("Tab")
        page.wait_for_timeout(1500)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        score.scroll_into_view_if_needed()
        page.screenshot(path=SCREENSHOTS / "formgrader.png")
        page.close()
    with Gradebook(url, "mlcore") as book:
        (notebook,) = book.find_submission("05_ridge", student).notebooks
        written = [g for g in notebook.grades if not g.name.startswith("check_")]
        assert [(g.manual_score, g.needs_manual_grade) for g in written] == [(2.0, False)]
    with classroom.Course(graded) as open_course:
        assert open_course.give_back() == 3
        (record,) = [r for r in open_course.ledger.records() if r.student == student]
        assert list(record.by_hand.values()) == [2.0]
    assert "Where does the sign settle?" in (graded / "feedback" / student / "05_ridge" / "ridge.html").read_text()
