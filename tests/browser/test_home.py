import re

import pytest
from playwright.sync_api import expect

from pages.look.glossary import NAMED
from tests.browser.screen import frames_sent, settle, visit


def test_pointer_and_keys_choose_the_word_that_asks_and_terms_say_what_they_mean_and_nothing_runs_for_it(page):
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
    term = page.locator("dfn").last
    meaning = term.get_by_role("tooltip")
    assert not meaning.is_visible()
    term.hover()
    expect(meaning).to_contain_text(NAMED["language model"].meaning)
    page.mouse.move(0, 0)
    expect(meaning).not_to_be_visible()
    term.focus()
    expect(meaning).to_be_visible()


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
