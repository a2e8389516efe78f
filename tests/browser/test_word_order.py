"""Words of a sentence that are put in another order: dragged, dropped on one another, moved by the keyboard."""

from playwright.sync_api import expect

from tests.browser.screen import PHONE, settle, too_wide, visit

WORDS = ".st-key-causal_mask_dragged li", ".st-key-causal_mask_dropped li"


def words(page, which):
    return page.locator(WORDS[which])


def drag(page, word, other, past=0.5):
    """Drag a word over another one, to a part of its width."""
    start, end = word.bounding_box(), other.bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + past * end["width"], end["y"] + end["height"] / 2, steps=12)
    page.mouse.up()


def test_a_word_is_dragged_past_others_or_moved_by_its_keys_and_the_link_says_the_order(page):
    page.set_viewport_size(PHONE)
    visit(page, "/causal_mask?causal_mask_ask=no&causal_mask_step=shuffle&causal_mask_order=abcdefg")
    line = words(page, 0)
    line.nth(1).scroll_into_view_if_needed()
    drag(page, line.nth(1), line.nth(3), 0.9)
    expect(line).to_have_text(["the₁", "sat", "on", "cat", "the₅", "warm", "mat"])
    page.wait_for_url("**causal_mask_order=acdbefg**")
    line.nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(line).to_have_text(["sat", "on", "the₁", "cat", "the₅", "warm", "mat"])
    page.wait_for_url("**causal_mask_order=cdabefg**")
    settle(page)
    expect(line).to_have_text(["sat", "on", "the₁", "cat", "the₅", "warm", "mat"])
    assert too_wide(page) == []


def test_a_word_is_dropped_on_another_and_both_trade_places(page):
    visit(page, "/causal_mask?causal_mask_ask=no&causal_mask_step=swap")
    line = words(page, 1)
    expect(line).to_have_text(["the₁", "sat", "cat", "on", "the₅", "warm", "mat"])
    drag(page, line.nth(6), line.nth(3))
    swapped = ["the₁", "cat", "sat", "mat", "the₅", "warm", "on"]  # the swap before is undone
    expect(line).to_have_text(swapped)
    page.wait_for_url("**causal_mask_with=mat**")
    settle(page)
    expect(line).to_have_text(swapped)
    line.nth(3).focus()
    page.keyboard.press("ArrowLeft")
    expect(line).to_have_text(["the₁", "cat", "mat", "on", "the₅", "warm", "sat"])
    page.wait_for_url("**causal_mask_swap=sat**")
    page.keyboard.press("Escape")
    box = line.nth(0).bounding_box()
    drag(page, line.nth(0), line.nth(0), -0.4)  # dropped beside the words, it goes back
    expect(line.nth(0)).to_have_text("the₁")
    settle(page)
    assert line.nth(0).bounding_box() == box
