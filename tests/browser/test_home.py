import tomllib

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import one_head
from pages.look.colours import WEIGHTS, mix
from tests.bench.timing import ROOT
from tests.browser.screen import (
    PHONE,
    cell_texts,
    cells,
    chart,
    complaints,
    enter,
    field,
    rgb,
    settle,
    strangers,
    style,
    tab_to,
    too_wide,
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
def test_the_very_first_request_may_be_a_link_into_the_middle(visitor, cold_server):
    page = visitor(cold_server)
    errors = complaints(page)
    visit(page, "/?home_text=tea+is+hot&home_seed=3")
    assert field(page, "home_text").input_value() == "tea is hot"
    assert field(page, "home_seed").input_value() == "3"
    assert cell_texts(page) == written(weights("tea is hot", seed=3))
    assert page.get_by_role("dialog").count() == 0
    assert errors == []
    assert "Traceback" not in cold_server.said()


@pytest.mark.nightly
def test_page_and_heatmap_follow_light_and_dark(page):
    visit(page, "/?home_seed=7")  # as such a link was meant: random matrices, and this sentence
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        paper, ink = rgb(THEME[scheme]["backgroundColor"]), rgb(THEME[scheme]["textColor"])
        assert rgb(style(page.locator("[data-testid=stApp]"), "backgroundColor")) == paper
        assert rgb(style(page.locator("h1"), "color")) == ink
        assert rgb(style(chart(page).locator("svg"), "backgroundColor")) == paper
        shown = [[rgb(style(cell, "fill")) for cell in row] for row in cells(page)]
        expected = [[rgb(getattr(mix(WEIGHTS, weight), scheme)) for weight in row] for row in weights(SENTENCE, seed=7)]
        np.testing.assert_allclose(shown, expected, atol=1)


@pytest.mark.nightly
def test_a_phone_needs_no_sideways_scrolling(page):
    page.set_viewport_size(PHONE)
    visit(page)
    assert too_wide(page) == []


@pytest.mark.nightly
def test_embedded_in_another_page_there_is_the_picture_and_no_menu_of_streamlit(page):
    visit(page, "/?embed=true")
    assert chart(page).is_visible()
    assert page.get_by_role("button", name="Main menu").count() == 0
    assert page.get_by_role("button", name="Expand sidebar").is_visible()


@pytest.mark.nightly
def test_without_a_network_nothing_is_missing_and_nothing_is_asked_for(page):
    asked = strangers(page)
    errors = complaints(page)
    visit(page, RANDOM)
    enter(page, "home_text", "tea is hot")
    assert cell_texts(page) == written(weights("tea is hot", seed=7))
    assert asked == []
    assert errors == []


@pytest.mark.promise("home 1")
def test_the_keyboard_alone_is_enough_to_type_another_sentence(page):
    visit(page, RANDOM)
    tab_to(page, field(page, "home_text"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("tea is hot")
    page.keyboard.press("Enter")
    settle(page)
    assert cell_texts(page) == written(weights("tea is hot", seed=7))


@pytest.mark.nightly
def test_a_link_shows_another_visitor_the_same_numbers(visitor, server):
    teacher, student = visitor(server), visitor(server)
    visit(teacher, RANDOM)
    enter(teacher, "home_text", "the cat saw the dog")
    enter(teacher, "home_seed", 11)
    visit(student, teacher.url)
    assert cell_texts(student) == cell_texts(teacher) == written(weights("the cat saw the dog", seed=11))


def test_pointer_and_keys_choose_the_word_that_asks_and_nothing_runs_for_it(page):
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
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
    assert (
        page.evaluate(
            "document.activeElement.shadowRoot?.activeElement?.textContent ?? document.activeElement.textContent"
        )
        == "because"
    )
    assert len(page.locator(".arcs .arc").all()) >= 1
    assert len(sent) == before


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


def test_a_term_shows_its_meaning_under_the_pointer_and_with_the_focus(page):
    visit(page)
    term = page.locator("dfn").filter(has_text="attention weight")
    meaning = term.get_by_role("tooltip")
    assert not meaning.is_visible()
    term.hover()
    assert "from 0 to 1" in meaning.inner_text()
    page.mouse.move(0, 0)
    assert not meaning.is_visible()
    term.focus()
    assert meaning.is_visible()
