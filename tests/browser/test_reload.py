"""A reload: what was answered and earned is still there, and where storage is forbidden the page works without.

And a link of an earlier version, which opens another page today.
"""

import json
import re

from playwright.sync_api import expect

from tests.browser.screen import complaints, field, settle, visit

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


def test_a_link_to_a_step_that_moved_opens_it_with_what_it_says(page):
    found = complaints(page)
    visit(page, "/multi_head?multi_head_step=cost&multi_head_n=4096&multi_head_layers=96&multi_head_ask=no")
    expect(page).to_have_url(re.compile(r"/tiny_lm\?.*tiny_lm_step=cost"))
    for name, value in (("n", "4096"), ("n_layers", "96"), ("h", "12")):
        expect(field(page, f"tiny_lm_{name}")).to_have_value(value)
    assert not found
