import tomllib

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core.experiments.qkv.one_head import one_head
from tests.bench.timing import ROOT
from tests.browser.screen import (
    cell_texts,
    field,
    frames_sent,
    settle,
    tab_to,
    visit,
)

THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
SENTENCE = "a fluffy blue creature roamed the verdant forest"


def weights(sentence: str, seed: int) -> np.ndarray:
    return one_head(sentence.split(), None, seed).weights


RANDOM = "/?home_weights=random"


def written(numbers: np.ndarray) -> list[list[str]]:
    return [[f"{number:.2f}" for number in row] for row in numbers]


@pytest.mark.nightly
@pytest.mark.promise("home 1")
def test_the_keyboard_alone_is_enough_to_type_another_sentence(page):
    visit(page, RANDOM)
    tab_to(page, field(page, "home_text"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("tea is hot")
    page.keyboard.press("Enter")
    settle(page)
    assert cell_texts(page) == written(weights("tea is hot", seed=7))


def test_pointer_and_keys_choose_the_word_that_asks_and_terms_say_what_they_mean_and_nothing_runs_for_it(page):
    sent = frames_sent(page)
    visit(page)
    words, told = page.locator(".arcs .word"), page.locator(".told")
    texts = words.all_text_contents()
    assert "“\u2068it\u2069” attends most to “\u2068cat\u2069”" in told.text_content()
    before = len(sent)
    words.nth(texts.index("river")).hover()
    assert told.text_content().startswith("“\u2068river\u2069” attends")
    assert words.locator("xpath=self::*[@aria-pressed='true']").text_content() == "river"
    words.nth(texts.index("river")).click()
    page.keyboard.press("ArrowRight")
    settle(page)  # the pointer still rests over "river"
    assert told.text_content().startswith("“\u2068because\u2069” attends")
    assert len(sent) == before
    term = page.locator("dfn").filter(has_text="attention weight")
    meaning = term.get_by_role("tooltip")
    assert not meaning.is_visible()
    term.hover()
    expect(meaning).to_contain_text("from 0 to 1")
    page.mouse.move(0, 0)
    expect(meaning).not_to_be_visible()
    term.focus()
    expect(meaning).to_be_visible()


@pytest.mark.promise("home 1")
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
