"""The `check` object: cards, exceptions, hints, progress."""

import contextlib
import json

import numpy as np
import pytest

from mlcore.checks.ridge import check, normal_equations, ridge_fit, topic
from mlcore.course import map as course_map
from mlcore.engine.exercises import progress
from mlcore.engine.exercises.assess import assess
from mlcore.engine.exercises.card import card
from mlcore.engine.exercises.checks import NotYet, Partly


def wrong(X, y, lam, w0):
    return np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ y + w0)


def right(X, y, lam, w0):
    return np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ y + lam * w0)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MLCORE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_wrong_answer_raises_its_card():
    with pytest.raises(NotYet, match="w₀ comes in without its λ") as raised:
        check.ridge_fit(wrong)
    assert "asked for" in str(raised.value)


def test_right_answer_returns_nothing_and_shows_its_card(capsys):
    assert check.ridge_fit(right) is None
    assert "✓ 5b ridge_fit: Right · 2 of 2 points" in capsys.readouterr().out


def test_hidden_draws_are_not_shown(capsys):
    with pytest.raises(NotYet) as raised:
        check.ridge_fit(wrong, seed=1)
    assert "w₀ comes in without its λ" in str(raised.value)
    assert "asked for" not in str(raised.value)
    check.ridge_fit(right, seed=1)
    assert capsys.readouterr().out == ""


def test_partly_right_chain_gives_nbgrader_its_number():
    def line_2(w, X, y, lam, w0):
        return w @ X.T @ X @ w + lam * w @ w, -2 * w @ X.T @ y - 2 * lam * w @ w0, y @ y + lam * w0 @ w0

    result = check.normal_equations(line_2, ..., ...)
    assert isinstance(result, Partly)
    assert repr(result) == "1"
    card = result._repr_mimebundle_()["text/html"]
    assert "line 2" in card
    assert "still open" in card and "Write your answer" not in card


def test_card_says_nothing_twice():
    verdict = assess(normal_equations, (lambda w, X, y, lam, w0: (w.sum() ** 3, y.sum() ** 3, lam**3), ..., ...))
    assert card(verdict).count("off; on the smallest") == 1
    assert str(verdict).count("off; on the smallest") == 1


def test_card_escapes_what_the_student_wrote():
    verdict = assess(ridge_fit, (lambda X, y, lam, w0: exec("raise ValueError('<script>alert(1)</script>')"),))
    assert "<script>" not in card(verdict)
    assert "&lt;script&gt;" in card(verdict)


def test_unknown_exercise_is_told_the_nearest():
    with pytest.raises(AttributeError, match=r"05_ridge has no exercise 'rigde_fit'\. Did you mean 'ridge_fit'\?"):
        check.rigde_fit(right)
    with pytest.raises(AttributeError, match="There are: normal_equations"):
        check.xyz(right)


def test_wrong_number_of_answers():
    with pytest.raises(TypeError, match=r"check\.budget takes 2 answers, got 1"):
        check.budget(right)


def test_hints_come_one_by_one_and_end(capsys):
    for hint in ridge_fit.hints:
        check.hint("ridge_fit")
        assert hint.text in capsys.readouterr().out
    check.hint("ridge_fit")
    assert "That was the last hint" in capsys.readouterr().out


def test_solution_only_after_an_attempt(home, capsys):
    check.solution("ridge_svd")
    assert "Try it first" in capsys.readouterr().out
    with pytest.raises(NotYet):
        check.ridge_svd(lambda X, y, lam: X.T @ y)
    check.solution("ridge_svd")
    assert "(5.7)" in capsys.readouterr().out


class TestProgress:
    def test_best_points_and_attempts_are_kept(self, home, capsys):
        for answer in (wrong, right, wrong):
            with contextlib.suppress(NotYet):
                check.ridge_fit(answer)
        record = json.loads((home / "progress.json").read_text())["ridge_fit"]
        assert record["points"] == 2 and record["attempts"] == 3 and record["outcome"] == "known mistake"
        standing = next(s for inside in course_map.standings().values() for s in inside if s.topic is topic)
        assert (standing.done, standing.points) == (1, 2)

    def test_stub_leaves_no_record(self, home):
        with pytest.raises(NotYet):
            check.ridge_fit(...)
        assert not home.exists()

    @pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", '{"ridge_fit": 3}', '{"ridge_fit": {"points": NaN}}'])
    def test_damaged_file_counts_as_empty_and_is_mended(self, home, text, capsys):
        home.mkdir()
        (home / "progress.json").write_text(text)
        assert all(s.done == 0 for inside in course_map.standings().values() for s in inside)
        check.ridge_fit(right)
        assert progress.read()["ridge_fit"]["points"] == 2

    def test_damaged_record_does_not_cost_the_others(self, home, capsys):
        check.ridge_fit(right)
        records = json.loads((home / "progress.json").read_text()) | {"ridge_chain": {"points": "many"}}
        (home / "progress.json").write_text(json.dumps(records))
        assert list(progress.read()) == ["ridge_fit"]

    def test_unwritable_disk_does_not_cost_the_verdict(self, tmp_path, monkeypatch, capsys):
        blocked = tmp_path / "a file"
        blocked.write_text("")
        monkeypatch.setenv("MLCORE_HOME", str(blocked))
        assert check.ridge_fit(right) is None

    def test_map_shows_it(self, home, capsys):
        check.ridge_fit(right)
        assert "05 Ridge regression: 1 of 11 exercises" in repr(course_map.Map())
        assert "1 of 11" in course_map.Map()._repr_html_()
