"""The picture of a lesson's steps in a browser: a click, the keyboard, a phone, dark, print."""

import pytest

from tests.browser.accessibility import violations
from tests.browser.screen import PHONE, complaints, press, said_in_link, settle, tab_to, too_wide, visit

LESSONS = ["qkv", "scaling", "multi_head", "causal_mask", "positional_encoding", "tiny_lm"]
TALLEST = 122  # pixels
# How many buttons reach out of the strip, or over one another: their labels are never cut.
CUT = """strip => {
    const root = [...strip.querySelectorAll('*')].find(element => element.shadowRoot)
    const room = strip.getBoundingClientRect()
    const buttons = [...root.shadowRoot.querySelectorAll('button')].map(button => button.getBoundingClientRect())
    const apart = (a, b) => a.right < b.left + 1 || b.right < a.left + 1 || a.bottom < b.top + 1 || b.bottom < a.top + 1
    return buttons.filter((box, i) => box.left < room.left - .5 || box.right > room.right + .5
        || buttons.some((other, j) => j < i && !apart(box, other))).length
}"""


def strip(page, lesson="qkv"):
    return page.locator(f".st-key-{lesson}_strip")


def node(page, name, lesson="qkv"):
    return strip(page, lesson).get_by_role("button", name=name, exact=True)


def wires(page, lesson="qkv"):
    return strip(page, lesson).locator("path").count()


def test_a_click_on_a_step_leads_there_and_its_name_is_said(page):
    errors = complaints(page)
    visit(page, "/qkv?qkv_step=x&qkv_ask=no&qkv_v=2")
    assert node(page, "X").get_attribute("aria-current") == "step"
    node(page, "softmax").click()
    settle(page)
    assert said_in_link(page)["qkv_step"] == "softmax"
    assert node(page, "softmax").get_attribute("aria-current") == "step"
    assert node(page, "X").get_attribute("aria-current") is None
    assert node(page, "÷ √dk").is_visible()
    press(page, "qkv_next")
    assert node(page, "WQ ≠ WK").get_attribute("aria-current") == "step"
    assert errors == []


def test_the_keyboard_leads_to_a_step_and_stays_on_it(page):
    visit(page, "/qkv?qkv_step=x&qkv_ask=no&qkv_v=2")
    tab_to(page, strip(page))
    for _ in range(3):
        page.keyboard.press("Tab")  # past it, a · b and X
    page.keyboard.press("Enter")
    settle(page)
    assert said_in_link(page)["qkv_step"] == "projections"
    assert node(page, "Q, K, V").evaluate("node => node.getRootNode().activeElement === node")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    settle(page)
    assert said_in_link(page)["qkv_step"] == "scores"


def test_a_locked_step_says_so_and_cannot_be_left(page):
    visit(page, "/qkv?qkv_step=softmax&qkv_ask=no&qkv_lock=step")
    assert node(page, "X").get_attribute("aria-disabled") == "true"
    node(page, "X").click(force=True)
    settle(page)
    assert said_in_link(page)["qkv_step"] == "softmax"


@pytest.mark.parametrize("lesson", LESSONS)
def test_it_fits_into_one_row_of_a_laptop_and_into_a_phone(page, lesson):
    page.set_viewport_size({"width": 1280, "height": 900})
    visit(page, f"/{lesson}?{lesson}_ask=no")
    assert strip(page, lesson).bounding_box()["height"] <= TALLEST
    assert strip(page, lesson).evaluate(CUT) == 0
    in_one_row = wires(page, lesson)
    page.set_viewport_size(PHONE)
    settle(page)
    assert strip(page, lesson).evaluate(CUT) == 0
    assert strip(page, lesson).bounding_box()["height"] > TALLEST
    assert 0 < wires(page, lesson) < in_one_row
    assert too_wide(page) == []


def test_every_wire_of_lesson_1_is_drawn(page):
    visit(page, "/qkv?qkv_step=softmax&qkv_ask=no")
    assert wires(page) == 9
    assert strip(page).locator("path.lit").count() == 1  # what the step in view is computed from


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("more", ["&qkv_ask=no", "", "&qkv_lock=step"])
def test_it_can_be_read_in_light_and_in_dark(page, scheme, more):
    page.emulate_media(color_scheme=scheme)
    visit(page, f"/qkv?qkv_step=projections{more}")
    assert violations(page, within=".st-key-qkv_strip") == []


def test_it_is_not_printed(page):
    visit(page, "/qkv?qkv_ask=no")
    page.emulate_media(media="print")
    assert not strip(page).is_visible()
