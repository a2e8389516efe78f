import re

import pytest
from playwright.sync_api import expect

from pages.look.glossary import MEANINGS
from tests.browser.screen import PHONE, chart, frames_sent, settle, visit


def test_pointer_and_keys_choose_the_word_that_asks_and_nothing_runs_for_it(page):
    sent = frames_sent(page)
    visit(page)
    words, told = page.locator(".arcs .word"), page.locator(".told")
    texts = words.all_text_contents()
    assert "“\u2068it\u2069” attends most to “\u2068cat\u2069”" in told.text_content()
    before, place = len(sent), told.bounding_box()
    words.nth(texts.index("mat")).hover()
    expect(told).to_have_text(re.compile("^“\u2068mat\u2069” attends"))
    words.nth(texts.index("mat")).click()
    page.keyboard.press("ArrowRight")
    settle(page)  # the pointer still rests over "mat"
    expect(told).to_have_text(re.compile("^“\u2068and\u2069” attends"))
    assert len(sent) == before
    assert told.bounding_box()["y"] == place["y"]  # below the arcs, however high they are


@pytest.mark.nightly
def test_the_first_lesson_is_one_click_away_and_a_card_is_a_link_as_a_whole(page):
    visit(page)
    page.locator(".st-key-home_way_on a").click()
    settle(page)
    assert "/qkv" in page.url
    page.go_back()
    settle(page)
    page.locator(".st-key-home_card_scaling p.soft").click(force=True)  # the link lies over it
    settle(page)
    assert "/scaling" in page.url
    visit(page, "/qkv?qkv_text=it")  # a loop alone over a word is not cut
    assert page.locator("path.arc").evaluate("arc => arc.getBBox().y - arc.getAttribute('stroke-width') / 2") >= 0


@pytest.mark.nightly
def test_a_label_and_a_term_say_their_meaning_to_pointer_keyboard_and_touch(page, visitor, server):
    phone = visitor(server, PHONE["width"], PHONE["height"], has_touch=True)
    for screen, reach in ((page, "hover"), (page, "focus"), (phone, "tap")):
        visit(screen, "/qkv?qkv_ask=no&qkv_step=match")
        label, term = screen.locator("[data-meaning][tabindex]", has_text="score").first, screen.locator("dfn").first
        for said, tip in ((label, screen.locator(".meaning")), (term, term.get_by_role("tooltip"))):
            expect(tip).to_be_hidden()
            getattr(said, reach)()
            expect(tip).to_contain_text(MEANINGS["score"])
            expect(tip).to_be_in_viewport(ratio=1)
            screen.keyboard.press("Escape")
        expect(screen.locator(".meaning")).to_be_hidden()
    visit(page, "/qkv?qkv_ask=no&qkv_step=softmax&qkv_text=it+lost+the+key")  # a word, and the title of an axis
    meant = page.locator("[data-meaning]").filter(has_text=re.compile("^key"))
    expect(meant).to_have_text(["key →"])
    visit(phone, "/scaling?scaling_step=train")  # where the terms of a question stand before it, also on a phone
    assert phone.get_by_test_id("stForm").bounding_box()["y"] > chart(phone).bounding_box()["y"]
