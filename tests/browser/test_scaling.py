"""The bars that move under the hand, and what of a drag comes back to the server."""

import pytest

from attention_core.experiments.scaling.train_head import train_head
from pages.scaling.collapse import FRAMES, LABELS, frames
from pages.scaling.scene import ASKS, SENTENCE
from tests.browser.screen import complaints, drag_slider, press, said_in_link, settle, visit

SEED = 895
ANSWERED = "/scaling?scaling_ask=no"
NUMBERS = ".panel .number"


def weights_at(d_k, named="nothing"):
    return [f"{weight:.2f}" for weight in frames(named, SEED)[FRAMES.index(d_k)]]


def drag(page, to, release=True):
    """Drag the slider to a fraction of its length."""
    drag_slider(page, page.locator(".slider input"), to, release)


def test_a_guess_frees_the_slider_and_the_bars_move_while_it_is_dragged(page):
    errors, sent = complaints(page), []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    visit(page, "/scaling")
    assert page.locator(".slider input").is_disabled()
    assert page.locator(NUMBERS).all_text_contents() == weights_at(4)
    page.get_by_role("button", name="One word gets nearly all").click()
    settle(page)
    assert page.get_by_text("You predicted").is_visible()
    before = len(sent)
    drag(page, 1.0, release=False)
    assert page.locator(NUMBERS).all_text_contents() == weights_at(512)
    assert page.locator(".slider output").text_content() == "512"
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["scaling_collapse_d_k"] == "512"
    assert errors == []


def test_what_is_dragged_in_a_step_stays_there_and_in_the_link(page):
    visit(page, ANSWERED)
    drag(page, 1.0)
    press(page, "scaling_next")
    field = page.locator(".st-key-scaling_spread_d_k")
    assert field.get_by_role("slider").get_attribute("aria-valuetext") == "4"
    field.get_by_role("slider").press("ArrowRight")
    page.wait_for_function("location.search.includes('scaling_spread_d_k=8')")
    press(page, "scaling_back")
    assert page.locator(NUMBERS).all_text_contents() == weights_at(512)
    press(page, "scaling_next")
    assert field.get_by_role("slider").get_attribute("aria-valuetext") == "8"


def test_a_release_between_two_widths_rests_on_the_nearest(page):
    visit(page, ANSWERED)
    drag(page, 0.47)  # at 34 of 72 frames; 16 is the one at 32
    assert page.locator(NUMBERS).all_text_contents() == weights_at(16)
    assert said_in_link(page)["scaling_collapse_d_k"] == "16"


def test_keys_move_the_slider_and_choose_the_divisor(page):
    visit(page, ANSWERED)
    page.locator(".slider input").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search.includes('scaling_collapse_d_k=32')")
    settle(page)
    assert page.locator(NUMBERS).all_text_contents() == weights_at(32)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search.includes('scaling_collapse_divide=')")
    settle(page)
    assert page.locator(NUMBERS).all_text_contents() == weights_at(32, "√d_k")
    assert page.locator(".panel .label").all_text_contents() == LABELS


@pytest.mark.parametrize("locked", ["d_k", "divide"])
def test_what_a_teacher_locked_cannot_be_moved(page, locked):
    visit(page, f"{ANSWERED}&scaling_lock=collapse_{locked}")
    assert page.locator(".slider input").is_disabled() == (locked == "d_k")
    assert page.locator("fieldset input").first.is_disabled() == (locked == "divide")


@pytest.mark.parametrize("hidden", ["d_k", "divide"])
def test_what_a_teacher_hid_is_not_shown(page, hidden):
    visit(page, f"{ANSWERED}&scaling_hide=collapse_{hidden}")
    assert page.locator(".slider").is_visible() == (hidden != "d_k")
    assert page.locator("fieldset").is_visible() == (hidden != "divide")
    assert page.locator(NUMBERS).all_text_contents() == weights_at(4)


def test_the_training_slider_moves_the_rows_of_both_heads(page):
    visit(page, f"{ANSWERED}&scaling_step=train")
    heads = [train_head(SENTENCE, 256, named, 0.3, 300, SEED) for named in ("√d_k", "nothing")]
    for to, at in ((0.5, 150), (1.0, 300)):
        drag(page, to, release=False)
        expected = [f"{weight:.2f}" for head in heads for weight in head.weights[at, ASKS]]
        assert page.locator(NUMBERS).all_text_contents() == expected
        page.mouse.up()
        settle(page)
        assert said_in_link(page)["scaling_train_step"] == str(at)
