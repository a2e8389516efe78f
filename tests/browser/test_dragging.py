"""What is dragged: sliders of pictures, bars of vectors, words. The server hears of the release alone."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core.experiments.scaling.train_head import train_head
from pages.look.html import number
from pages.qkv.dot import PAIRS
from pages.scaling.collapse import FRAMES, frames
from pages.scaling.scene import ASKS, SENTENCE
from tests.app.qkv.scene import VECTORS
from tests.browser.screen import (
    PHONE,
    cell_texts,
    complaints,
    drag_slider,
    field,
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
DOT = "/qkv?qkv_step=dot"
ROWS = np.array(list(VECTORS.values()))
WORDS = ".st-key-causal_mask_dragged li", ".st-key-causal_mask_dropped li"


def weights_at(d_k, named="nothing"):
    return [f"{weight:.2f}" for weight in frames(named, SEED)[FRAMES.index(d_k)]]


def drag(page, to, release=True):
    """Drag the slider of a picture to a fraction of its length."""
    drag_slider(page, page.locator(".slider input"), to, release)


def bar(page, name, entry):
    return page.get_by_role("slider", name=f"{name}, entry {entry}")


def drag_bar(page, name, entry, to, release=True):
    """Drag a bar from its middle to a value on the scale from -1 to 1."""
    bar(page, name, entry).scroll_into_view_if_needed()
    box = bar(page, name, entry).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * (to + 1) / 2, y, steps=7)
    if release:
        page.mouse.up()
        settle(page)


def assert_shown(page, vectors):
    """Require that bars and products show these vectors."""
    shown = [float(word) for word in page.get_by_role("slider").evaluate_all("all => all.map(one => one.ariaValueNow)")]
    np.testing.assert_allclose(shown, vectors.ravel(), atol=1e-12)
    values = page.locator(".products [data-value]").evaluate_all("all => all.map(one => Number(one.dataset.value))")
    np.testing.assert_allclose(values, [vectors[i] @ vectors[j] for i, j in PAIRS], atol=1e-9)


def drag_word(page, word, other, past=0.5):
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


def test_products_follow_the_pointer_and_a_release_goes_to_map_field_and_link(page):
    errors, sent = complaints(page), frames_sent(page)
    visit(page, DOT)
    assert_shown(page, ROWS)
    vectors, before = ROWS.copy(), len(sent)
    drag_bar(page, "mat", 2, 1.0, release=False)
    vectors[2, 1] = 1
    assert_shown(page, vectors)
    page.mouse.move(0, 0)  # far from the bar it is still held, at its end
    vectors[2, 1] = -1
    assert_shown(page, vectors)
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["qkv_mat"] == "0.8 -1 0.7 0.3"
    assert field(page, "qkv_mat").input_value() == "0.8 -1 0.7 0.3"
    assert cell_texts(page) == [[number(value) for value in row] for row in vectors @ vectors.T]
    bar(page, "mat", 1).focus()
    for key in ("ArrowLeft", "Tab", "Home", "Shift+Tab", "Shift+Tab", "End"):
        page.keyboard.press(key)
    page.wait_for_url("**qkv_sat=**")
    settle(page)
    assert_shown(page, np.array([ROWS[0], [*ROWS[1, :3], 1], [0.7, -1, 0.7, 0.3]]))
    assert errors == []


def test_a_word_is_dragged_past_others_or_moved_by_its_keys_and_the_link_says_the_order(page):
    page.set_viewport_size(PHONE)
    visit(page, "/causal_mask?causal_mask_ask=no&causal_mask_step=shuffle&causal_mask_order=abcdefg")
    line = page.locator(WORDS[0])
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
def test_a_word_is_dropped_on_another_and_both_trade_places(page):
    visit(page, "/causal_mask?causal_mask_ask=no&causal_mask_step=swap")
    line = page.locator(WORDS[1])
    expect(line).to_have_text(["the₁", "sat", "cat", "on", "the₅", "warm", "mat"])
    drag_word(page, line.nth(6), line.nth(3))
    page.wait_for_url("**causal_mask_with=mat**")
    settle(page)
    expect(line).to_have_text(["the₁", "cat", "sat", "mat", "the₅", "warm", "on"])  # the swap before is undone
    box = line.nth(0).bounding_box()
    drag_word(page, line.nth(0), line.nth(0), -0.4)  # dropped beside the words, it goes back
    settle(page)
    assert line.nth(0).bounding_box() == box


@pytest.mark.nightly
def test_sliders_stay_where_they_were_left_and_obey_keys_and_locks(page):
    visit(page, COLLAPSE)
    page.locator(".slider input").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_url("**scaling_collapse_d_k=32**")
    settle(page)
    expect(page.locator(NUMBERS)).to_have_text(weights_at(32))
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**scaling_collapse_divide=**")
    settle(page)
    expect(page.locator(NUMBERS)).to_have_text(weights_at(32, "√d_k"))
    press(page, "scaling_next")
    press(page, "scaling_back")
    expect(page.locator(NUMBERS)).to_have_text(weights_at(32, "√d_k"))
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
    expected = [f"{weight:.2f}" for head in heads for weight in head.weights[150, ASKS]]
    expect(page.locator(NUMBERS)).to_have_text(expected)
    assert said_in_link(page)["scaling_train_step"] == "150"
    visit(page, f"{DOT}&qkv_lock=mat")
    drag_bar(page, "mat", 1, -1.0)
    bar(page, "mat", 1).press("ArrowLeft")
    assert_shown(page, ROWS)
