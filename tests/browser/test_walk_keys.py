"""Shift with an arrow goes to the next step or back, whatever has the focus; only what marks text keeps the key."""

import pytest
from playwright.sync_api import expect

from tests.browser.screen import field, said_in_link, settle, step_button, visit

LISTENS = "window.attentionWalk"  # the script comes a moment after the page


def at_step(page, name):
    """Wait until a step is in view and drawn."""
    expect(step_button(page, "qkv", name)).to_have_attribute("aria-current", "step")
    settle(page)


@pytest.mark.parametrize(
    ("step", "held", "arrow", "then"),
    [
        ("dot", "[role=slider]", "Right", "x"),  # a bar that is dragged
        ("scaled", ".st-key-qkv_d_k input", "Right", "softmax"),  # a slider of Streamlit
        ("mix", ".slider input", "Left", "two"),  # a slider of a picture that moves
        ("projections", ".st-key-qkv_weights [role=radio]", "Left", "x"),  # a choice of one
    ],
)
def test_shift_with_an_arrow_walks_on_from_what_takes_arrows_itself(page, step, held, arrow, then):
    visit(page, f"/qkv?qkv_ask=no&qkv_weights=random&qkv_step={step}")
    page.wait_for_function(LISTENS)
    before = said_in_link(page)
    page.locator(held).first.focus()
    page.keyboard.press(f"Shift+Arrow{arrow}")
    at_step(page, then)
    assert said_in_link(page) == before | {"qkv_step": then}  # and nothing else moved


def test_a_line_of_text_keeps_shift_with_an_arrow_while_there_is_something_to_mark(page):
    visit(page, "/qkv?qkv_ask=no&qkv_step=x")
    page.wait_for_function(LISTENS)
    text = field(page, "qkv_text")
    text.fill("tea is hot")
    text.press("Shift+ArrowLeft")
    assert text.evaluate("field => [field.selectionStart, field.selectionEnd]") == [9, 10]
    text.press("Shift+ArrowRight")  # which ends the marking, with the caret at the end
    text.press("Shift+ArrowRight")
    at_step(page, "projections")
    assert said_in_link(page)["qkv_text"] == "tea is hot"  # leaving the field reports it
    page.keyboard.press("Shift+ArrowLeft")
    at_step(page, "x")
    expect(field(page, "qkv_text")).to_have_value("tea is hot")
