"""The notebooks as a student sees them: JupyterLab in headless Chromium."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ROOT = Path(__file__).resolve().parents[2]
STUDENT = ROOT / "notebooks" / "05_ridge" / "ridge.ipynb"

HALF = '''def ridge_fit(X, y, lam, w0):
    """The minimiser of J."""
    d = X.shape[1]
    return np.linalg.solve(X.T @ X + lam * np.eye(d), X.T @ y + w0)
'''
RIGHT = HALF.replace("+ w0)", "+ lam * w0)")


def test_solved_notebook_runs_and_the_slider_moves_the_picture(open_notebook, solved):
    notebook = open_notebook(solved("05_ridge"))
    notebook.run_all()
    page = notebook.page
    expect(page.locator(".mlc-yes")).to_have_count(11)  # every exercise shows its card
    expect(page.locator(".mlc-no, .mlc-open")).to_have_count(0)

    explorer = page.locator(".mlx-ridge-paths")
    handle = explorer.locator(".noUi-handle").first
    handle.scroll_into_view_if_needed()
    picture = explorer.locator("img")
    caption = explorer.locator("[role=status]")
    before = picture.get_attribute("src")
    expect(caption).to_contain_text("λ = 100")
    handle.focus()
    for _ in range(15):
        page.keyboard.press("ArrowLeft")
    expect(caption).to_contain_text("λ = 3.16")  # fifteen steps of a tenth of a decade
    page.wait_for_function("([img, src]) => img.src !== src", arg=[picture.element_handle(), before])
    notebook.shoot("slider")
    assert not page.locator(".mlx-ridge-paths-still").first.is_visible(), "the still picture hides beside the live one"


def test_wrong_answer_is_told_its_sentence_and_the_right_one_passes(open_notebook):
    notebook = open_notebook(STUDENT)
    page = notebook.page
    notebook.run_all()
    expect(page.locator(".mlc-open")).to_have_count(11)  # not attempted, and Run All goes on

    notebook.replace("def ridge_fit", HALF)
    notebook.run("check.ridge_fit(ridge_fit)")
    card = notebook.cell("check.ridge_fit(ridge_fit)").locator(".mlc")
    expect(card).to_contain_text("w₀ comes in without its λ")
    card.scroll_into_view_if_needed()
    notebook.shoot("wrong")

    notebook.replace("def ridge_fit", RIGHT)
    notebook.run("check.ridge_fit(ridge_fit)")
    card = notebook.cell("check.ridge_fit(ridge_fit)").locator(".mlc")
    expect(card).to_contain_text("Right · 2 of 2 points")
    card.scroll_into_view_if_needed()
    notebook.shoot("right")


def test_start_notebook_teaches_and_shows_the_map(open_notebook):
    notebook = open_notebook(ROOT / "notebooks" / "00_start_here" / "start_here.ipynb")
    notebook.run_all()
    page = notebook.page
    expect(page.locator(".mlc-no")).to_contain_text("the inner derivative of 3x − 1 is 3")
    notebook.shoot("start")
    table = page.locator(".mlmap")
    table.scroll_into_view_if_needed()
    expect(table).to_contain_text("How much should we distrust our own coefficients?")
    notebook.shoot("map")
