"""The picture of a lesson's steps in a browser: a click, the keyboard, a phone, dark, print."""

import re

import pytest

from tests.browser.accessibility import violations
from tests.browser.screen import PHONE, complaints, press, said_in_link, settle, tab_to, too_wide, visit
from tests.tiers import first

TOUCH = """svg => {
    const room = svg.getBoundingClientRect()
    const texts = [...svg.querySelectorAll('text')].map(text => text.getBoundingClientRect())
    const apart = (a, b) => a.right < b.left || b.right < a.left || a.bottom < b.top + 4 || b.bottom < a.top + 4
    return texts.filter((box, i) => box.left < room.left || box.right > room.right
        || texts.some((other, j) => j < i && !apart(box, other))).length
}"""
LESSONS = ["qkv", "scaling", "multi_head", "causal_mask", "positional_encoding", "tiny_lm"]
TALLEST = 190  # pixels, the transformer with the steps
WHOLE = 60  # pixels, the transformer alone
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
    return strip(page, lesson).locator(".flow > svg path").count()


def part(page, name, lesson="qkv"):
    """Return a part of the transformer in the form that is shown."""
    return strip(page, lesson).locator(".whole svg:visible .part").filter(has_text=re.compile(f"{name}$"))


def parts_that_touch(page, lesson):
    """Return how many texts of the transformer reach over another one, or out of the drawing."""
    return strip(page, lesson).locator(".whole svg:visible").evaluate(TOUCH)


def test_a_click_on_a_step_leads_there_and_its_name_is_said(page):
    errors = complaints(page)
    visit(page, "/qkv?qkv_step=x&qkv_ask=no")
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
    visit(page, "/qkv?qkv_step=x&qkv_ask=no")
    tab_to(page, strip(page))
    for _ in range(8):
        page.keyboard.press("Tab")  # past five lessons, it, a · b and X
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


@pytest.mark.parametrize("lesson", first(3, ["tiny_lm", "qkv", "causal_mask", *LESSONS[1:3], "positional_encoding"]))
def test_it_fits_into_one_row_of_a_laptop_and_into_a_phone(page, lesson):
    page.set_viewport_size({"width": 1280, "height": 900})
    visit(page, f"/{lesson}?{lesson}_ask=no")
    assert strip(page, lesson).bounding_box()["height"] <= TALLEST
    assert strip(page, lesson).evaluate(CUT) == 0
    assert strip(page, lesson).locator(".whole").bounding_box()["height"] <= WHOLE + 1
    assert parts_that_touch(page, lesson) == 0
    in_one_row = wires(page, lesson)
    page.set_viewport_size(PHONE)
    settle(page)
    assert strip(page, lesson).evaluate(CUT) == 0
    assert strip(page, lesson).bounding_box()["height"] > TALLEST
    assert parts_that_touch(page, lesson) == 0
    assert 0 < wires(page, lesson) < in_one_row or in_one_row == 0  # steps that stand in parts have none
    assert too_wide(page) == []


def test_every_wire_of_lesson_1_is_drawn(page):
    visit(page, "/qkv?qkv_step=softmax&qkv_ask=no")
    assert wires(page) == 9
    assert strip(page).locator(".flow > svg path.lit").count() == 1  # what the step in view is computed from


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("more", first(1, ["&qkv_ask=no", "", "&qkv_lock=step"]))
def test_it_can_be_read_in_light_and_in_dark(page, scheme, more):
    page.emulate_media(color_scheme=scheme)
    visit(page, f"/qkv?qkv_step=projections{more}")
    assert violations(page, within=".st-key-qkv_strip") == []


def test_a_part_of_the_transformer_leads_to_its_lesson_by_click_and_back_by_keyboard(page):
    errors = complaints(page)
    visit(page, "/qkv?qkv_step=x&qkv_ask=no&qkv_text=the+small+dog+ran&embed=true")
    part(page, "mask").click()
    page.wait_for_url("**/causal_mask?**")
    settle(page)
    assert said_in_link(page)["causal_mask_text"] == "the small dog ran"
    assert said_in_link(page)["embed"] == "true"
    assert part(page, "mask", "causal_mask").get_attribute("class") == "part lit"
    part(page, "Q K V", "causal_mask").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/qkv?**")
    settle(page)
    assert said_in_link(page)["qkv_step"] == "x"
    assert node(page, "X").get_attribute("aria-current") == "step"
    assert errors == []


def test_a_lock_leaves_only_what_is_offered(page):
    visit(page, "/qkv?qkv_lock=step")
    assert strip(page).locator("[data-lesson]").count() == 0
    assert part(page, "mask").is_visible()


def test_only_the_transformer_is_printed_of_it(page):
    visit(page, "/qkv?qkv_ask=no")
    page.emulate_media(media="print")
    assert part(page, "mask").is_visible()
    assert not node(page, "X").is_visible()
