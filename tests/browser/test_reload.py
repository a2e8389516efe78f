"""A reload: what was answered and earned is still there, and where storage is forbidden the page works without."""

import json

from tests.browser.screen import complaints, settle, visit

WAVES = "/positional_encoding?positional_encoding_step=waves"
FORBIDDEN = """Object.defineProperty(window, "sessionStorage", {  // as in a frame on a page of another site
    get() { throw new DOMException("forbidden", "SecurityError") } })"""


def answer(page):
    """Answer the question of a step; return the verdict."""
    visit(page, WAVES)
    page.get_by_test_id("stMain").locator("label", has=page.get_by_role("radio")).first.click()
    page.get_by_role("button", name="Check").click()
    settle(page)
    return page.locator(".verdict").inner_text()


def test_answers_survive_a_reload(page):
    verdict = answer(page)
    page.reload()
    settle(page, 1000)
    assert page.locator(".verdict").inner_text() == verdict
    assert "1 of" in page.get_by_test_id("stSidebar").get_by_role("link", name="Positional").inner_text()


def test_points_survive_a_reload(page):
    visit(page)
    assert page.get_by_text("Your points: 0 of").count() == 1
    kept = {"given": {}, "answered": [], "variants": {}, "solved": [["softmax", 9, 12345]]}
    page.evaluate("text => sessionStorage.setItem('attention-progress', text)", json.dumps(kept))
    page.reload()
    settle(page, 1000)
    assert page.get_by_text("Your points: 9 of").count() == 1


def test_without_storage_a_page_works_and_forgets(page):
    page.add_init_script(FORBIDDEN)
    found = complaints(page)
    answer(page)
    page.reload()
    settle(page, 1000)
    assert page.locator(".verdict").count() == 0
    assert not found
