"""What is new comes into view: the title of a step, the verdict on an answer; and what was in view stands still."""

import re

from playwright.sync_api import expect

from pages.look.colours import RIGHT, WRONG
from tests.browser.screen import PHONE, chart, field, pick, press, rgb, said_in_link, settle, step_button, style, visit

SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"


def expect_title(page, text):
    """Wait for a title that is not scrolled away."""
    expect(page.locator("h1")).to_have_text(text)
    settle(page)
    expect(page.locator("h1")).to_be_in_viewport(ratio=1)
    assert page.evaluate(SCROLLED) == 0


def test_a_new_step_begins_at_its_title_and_a_change_within_it_moves_nothing(page):
    page.set_viewport_size(PHONE)
    visit(page, "/qkv?qkv_ask=no&qkv_step=projections")
    press(page, "qkv_on")  # at the end of the step
    assert said_in_link(page)["qkv_step"] == "match"
    expect_title(page, "A query asks, and every key answers")
    expect(page.locator("h1")).to_be_focused()  # and the next Tab goes on from there
    pick(page, "qkv_k", "sat")
    scrolled = page.evaluate(f"{SCROLLED} = 40")
    pick(page, "qkv_k", "mat")
    assert page.evaluate(SCROLLED) == scrolled
    page.keyboard.press("Shift+ArrowRight")
    expect_title(page, "Softmax computes weights from scaled scores")
    page.go_back()  # at once, though the key was set back as the step was left
    expect_title(page, "A query asks, and every key answers")
    page.go_forward()
    expect_title(page, "Softmax computes weights from scaled scores")
    page.mouse.wheel(0, 200)
    step_button(page, "qkv", "now").click()
    expect_title(page, "You can now compute attention by hand")
    page.locator(".st-key-qkv_way_on a").click()
    expect_title(page, "What does a wider key do to a row?")


def test_rows_stand_in_the_order_of_words_that_are_typed_after_others(page):
    visit(page, "/positional_encoding?positional_encoding_ask=no")
    words = field(page, "positional_encoding_three")
    for typed in ("dog bites man", "man dog bites"):
        words.fill(typed)
        words.press("Enter")
        settle(page)
    labels = chart(page).locator(".role-axis-label text").filter(has_text=re.compile("[a-z]")).all()
    tops = {label.bounding_box()["y"]: label.text_content() for label in labels}
    assert [tops[top] for top in sorted(tops)] == ["man", "dog", "bites"]


def test_a_verdict_is_in_view_has_the_focus_and_says_by_colour_which_is_right(page):
    page.set_viewport_size(PHONE)
    visit(page, "/qkv?qkv_step=softmax")
    verdict, question = page.locator(".verdict"), page.locator(".ask")
    options = page.get_by_test_id("stForm").locator("label", has=page.get_by_role("radio"))
    for tried, wrong in enumerate(("equally large", "about 1.3"), start=1):
        options.filter(has_text=wrong).click()
        page.get_by_role("button", name="Check").click()
        settle(page)
        expect(verdict).to_be_in_viewport(ratio=1)
        assert verdict.bounding_box()["y"] > 60  # below Streamlit's head of the page
        expect(verdict).to_be_focused()
        assert verdict.locator("b").count() == tried  # at first only what is wrong
    colours = [rgb(style(verdict.locator("b").nth(i), "color")) for i in range(2)]
    assert colours == [rgb(WRONG.light), rgb(RIGHT.light)]
    page.get_by_role("button", name="Another question").click()
    settle(page)
    expect(question).to_be_focused()
    page.get_by_role("button", name="Just show me").focus()
    page.keyboard.press("Enter")
    settle(page)
    expect(verdict).to_be_focused()
    expect(verdict).to_be_in_viewport(ratio=1)
