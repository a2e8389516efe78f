"""What is dragged: sliders of pictures, words. The server hears of the release alone."""

import pytest
from playwright.sync_api import expect

from attention_core.experiments.scaling.train_head import train_head
from attention_core.experiments.scaling.untrained_row import row_over_widths
from pages.scaling.collapse import FRAMES, frames
from pages.scaling.scene import SENTENCE
from tests.browser.screen import (
    PHONE,
    complaints,
    drag_slider,
    frames_sent,
    press,
    said_in_link,
    settle,
    too_wide,
    visit,
)

SEED = 895
COLLAPSE = "/scaling?scaling_ask=no"
NUMBERS = ".panel .number"
WORDS = ".st-key-causal_mask_dragged li"


def weights_at(d_k, named="nothing"):
    dragged = row_over_widths(SENTENCE, SENTENCE.index("it"), FRAMES, SEED)
    return [f"{weight:.2f}" for weight in frames(named, dragged)[FRAMES.index(d_k)]]


def drag(page, to, release=True):
    """Drag the slider of a picture to a fraction of its length, once it can be used and stands still."""
    page.locator(".slider input").hover()
    drag_slider(page, page.locator(".slider input"), to, release)


def drag_word(page, word, other, past):
    """Drag a word over another one, to a part of its width."""
    word.scroll_into_view_if_needed()
    start, end = word.bounding_box(), other.bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + past * end["width"], end["y"] + end["height"] / 2, steps=12)
    page.mouse.up()


def test_a_guess_frees_the_slider_and_the_bars_move_while_it_is_dragged(page):
    errors, sent = complaints(page), frames_sent(page)
    visit(page, "/scaling")
    assert page.locator(".slider input").is_disabled()
    expect(page.locator(NUMBERS)).to_have_text(weights_at(4))
    page.get_by_role("button", name="One word gets nearly all").click()
    expect(page.get_by_text("You predicted")).to_be_visible()
    settle(page)
    before = len(sent)
    drag(page, 1.0, release=False)
    expect(page.locator(NUMBERS)).to_have_text(weights_at(512))
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["scaling_collapse_d_k"] == "512"
    drag(page, 0.47)  # at 34 of 72 frames; 16 is the one at 32
    expect(page.locator(NUMBERS)).to_have_text(weights_at(16))
    assert said_in_link(page)["scaling_collapse_d_k"] == "16"
    assert errors == []


def test_a_word_is_dragged_past_others_or_moved_by_its_keys_and_the_link_says_the_order(page):
    page.set_viewport_size(PHONE)
    visit(page, "/causal_mask?causal_mask_ask=no&causal_mask_step=shuffle&causal_mask_order=abcdefg")
    line = page.locator(WORDS)
    drag_word(page, line.nth(1), line.nth(3), 0.9)
    expect(line).to_have_text(["the₁", "sat", "on", "cat", "the₅", "warm", "mat"])
    page.wait_for_url("**causal_mask_order=acdbefg**")
    line.nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**causal_mask_order=cdabefg**")
    settle(page)
    expect(line).to_have_text(["sat", "on", "the₁", "cat", "the₅", "warm", "mat"])
    assert too_wide(page) == []


@pytest.mark.nightly
def test_sliders_stay_where_they_were_left_and_obey_keys_and_locks(page):
    visit(page, COLLAPSE)
    page.locator(".slider input").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_url("**scaling_collapse_d_k=32**")
    settle(page)
    expect(page.locator(NUMBERS)).to_have_text(weights_at(32))
    page.keyboard.press("Tab")  # the name of the choice, which says what it means
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**scaling_collapse_divide=**")
    settle(page)
    expect(page.locator(NUMBERS)).to_have_text(weights_at(32, "√d_k"))
    press(page, "scaling_next")
    press(page, "scaling_back")
    expect(page.locator(NUMBERS)).to_have_text(weights_at(4))  # what was tried ends with its step
    for name in ("d_k", "divide"):
        visit(page, f"{COLLAPSE}&scaling_lock=collapse_{name}")
        assert page.locator(".slider input").is_disabled() == (name == "d_k")
        assert page.locator("fieldset input").first.is_disabled() == (name == "divide")
        visit(page, f"{COLLAPSE}&scaling_hide=collapse_{name}")
        assert page.locator(".slider").is_visible() == (name != "d_k")
        assert page.locator("fieldset").is_visible() == (name != "divide")
    visit(page, f"{COLLAPSE}&scaling_step=train")
    heads = [train_head(SENTENCE, 256, named, 0.3, 300, SEED) for named in ("√d_k", "nothing")]
    drag(page, 0.5)
    expected = [f"{weight:.2f}" for head in heads for weight in head.weights[150, SENTENCE.index("it")]]
    expect(page.locator(NUMBERS)).to_have_text(expected)
    assert said_in_link(page)["scaling_train_step"] == "150"
