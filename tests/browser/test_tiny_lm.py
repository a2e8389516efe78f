"""The lesson on a small language model: it writes, it is trained while one watches, and it can be taken along."""

import re
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_core
from attention_core.model.activations import insides
from attention_core.model.generate import Decisions, decisions
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from pages.look.colours import WEIGHTS, mix
from tests.browser.accessibility import faint_texts
from tests.browser.screen import (
    CHART,
    PHONE,
    chart,
    complaints,
    field,
    is_locked,
    pick,
    press,
    rgb,
    said_in_link,
    settle,
    too_wide,
    unfold,
    visit,
)

SENTENCE = "the big cat saw a red ball near the hat and it"
LETTERS = "a3c7b1e4a"
PROGRESS = "[data-testid=stProgress]"
LATER = """step => {
    const said = document.querySelector('[data-testid=stProgress]')?.innerText.match(/step ([0-9,]+) of/)
    return said && Number(said[1].replace(',', '')) > step
}"""
FILLS = "cells => cells.map(cell => getComputedStyle(cell).fill)"
LONG_RUN = {"step": "train", "ask": "no", "sizes": "true", "width": 64, "steps": 2000}  # half a minute, if it may end
PREDICTED = 8  # bars
AT_BET = {"tiny_lm_step": "bet", "tiny_lm_model": "Toy English"}
BET = f"/tiny_lm?{urlencode(AT_BET)}"


def link(**values) -> str:
    return "/tiny_lm?" + urlencode({f"tiny_lm_{name}": value for name, value in values.items()})


def finished(name: str):
    """Return a model that ships, as it was after its training, and its vocabulary."""
    model = MODELS[name]
    return model_at(name, model.stops[-1]), source_of(model.source).vocabulary


def decided(model, vocabulary, words, n_new: int = 1) -> Decisions:
    """Return what decides the next tokens where nothing in the sidebar was touched."""
    return decisions(model, vocabulary.encode(words), n_new, 0.8, seed=3)


def text(page) -> str:
    """Return what stands on the page as the text so far; a question mark stands for what is to come."""
    return " ".join(page.locator(".spoken").text_content().split())


def bars(page) -> tuple[list[str], list[str]]:
    """Return the words of the bars of the prediction, and their numbers."""
    shown = chart(page).locator(".mark-text.role-mark")
    return shown.nth(1).locator("text").all_text_contents(), shown.nth(0).locator("text").all_text_contents()


def prediction(model, vocabulary, words) -> tuple[list[str], list[str]]:
    """Return the words that the bars should have, and their numbers."""
    shares = decided(model, vocabulary, words).bets[0]
    order = np.argsort(-shares, kind="stable")[:PREDICTED]
    return vocabulary.decode(order), [f"{share:.2f}" for share in shares[order]]


def step(page) -> int:
    """Return the step at which the run on the page stands."""
    return int(re.search(r"step ([\d,]+) of", page.locator(PROGRESS).inner_text())[1].replace(",", ""))


def moves(page) -> int:
    """Wait until the run on the page, if there is one, is further than it was; return the step then.

    A page with a run never settles: it changes twice a second.
    """
    page.locator(PROGRESS).wait_for()
    page.wait_for_function(LATER, arg=step(page))
    return step(page)


def says(page, words: str) -> None:
    """Wait until it says beside the progress how a run stands."""
    page.locator(PROGRESS, has_text=words).wait_for(timeout=90_000)


def hand_over(page, **file) -> str:
    """Bring a file with a model; return what is said of it."""
    place = page.locator(".st-key-tiny_lm_bring")
    place.locator("input[type=file]").set_input_files({"mimeType": "application/octet-stream", **file})
    place.get_by_text(file["name"]).wait_for()
    settle(page)
    return place.locator(".course.note").inner_text()


@pytest.mark.nightly
def test_the_very_first_request_may_be_a_link_to_the_lesson(visitor, cold_server):
    page = visitor(cold_server)
    errors = complaints(page)
    visit(page, BET)
    model, vocabulary = finished("english")
    assert page.title().startswith("Tiny LM")
    assert text(page) == f"{SENTENCE} ?"
    assert bars(page) == prediction(model, vocabulary, SENTENCE.split())
    weights = insides(model, vocabulary.encode(SENTENCE.split())).weights[0]
    maps = [chart(page, 2 + head).locator(".mark-rect.role-mark path").evaluate_all(FILLS) for head in range(4)]
    expected = [[rgb(mix(WEIGHTS, weight).light) for weight in head.ravel()] for head in weights]
    np.testing.assert_allclose([[rgb(fill) for fill in head] for head in maps], expected, atol=1)
    assert page.locator(CHART).count() == 2 + 4
    assert errors == []
    assert "Traceback" not in cold_server.said()


@pytest.mark.nightly
@pytest.mark.promise("tiny_lm 1")
def test_it_writes_word_by_word_and_the_link_tells_how_far_for_every_model(page):
    errors = complaints(page)
    visit(page, BET)
    model, vocabulary = finished("english")
    words = vocabulary.decode(decided(model, vocabulary, SENTENCE.split(), 3).tokens)
    for n_new in (1, 2, 3):
        press(page, "tiny_lm_put_new_1")
        assert text(page) == " ".join([SENTENCE, *words[:n_new], "?"])
        assert said_in_link(page) == {**AT_BET, "tiny_lm_new": str(n_new)}
    assert bars(page) == prediction(model, vocabulary, [*SENTENCE.split(), *words])
    page.reload()
    settle(page)
    assert text(page) == " ".join([SENTENCE, *words, "?"])

    pick(page, "tiny_lm_model", "Copy task")
    model, vocabulary = finished("recall")
    digits = vocabulary.decode(decided(model, vocabulary, list(LETTERS), 3).tokens)
    assert text(page) == "".join([LETTERS, *digits, "?"])
    assert bars(page) == prediction(model, vocabulary, [*LETTERS, *digits])
    pick(page, "tiny_lm_model", "Toy English")
    assert text(page) == " ".join([SENTENCE, *words, "?"])
    assert said_in_link(page) == {**AT_BET, "tiny_lm_new": "3"}
    assert errors == []


@pytest.mark.promise("tiny_lm 5")
def test_a_model_is_trained_looked_into_kept_and_brought_again(page, tmp_path):
    errors = complaints(page)
    visit(page, link(step="train"))
    assert page.locator(".st-key-tiny_lm_train").count() == 0  # the question comes first
    page.locator(".st-key-tiny_lm_start_given label", has_text="about 4.7").click()
    page.get_by_role("button", name="Check").click()
    settle(page)
    assert page.get_by_role("status").inner_text().startswith("✓")
    page.locator(".st-key-tiny_lm_train button").click()
    assert moves(page) > 0
    says(page, "step 300 of 300 · done")
    settle(page)
    assert not is_locked(page, "tiny_lm_train")
    assert is_locked(page, "tiny_lm_pause")

    with page.expect_download() as download:
        page.locator(".st-key-tiny_lm_save button").click()
    assert download.value.suggested_filename == "tiny-lm.safetensors"
    file = tmp_path / "tiny-lm.safetensors"
    download.value.save_as(file)
    model, tokens = attention_core.load(file)
    vocabulary = source_of("pronoun").vocabulary
    assert tuple(tokens) == vocabulary.tokens
    page.set_viewport_size(PHONE)
    settle(page)
    assert too_wide(page) == []
    page.set_viewport_size({"width": 1280, "height": 900})

    press(page, "tiny_lm_put_open_own")
    assert page.locator("h1").inner_text() == "A language model predicts the next token"
    expect(page.locator("h1")).to_be_in_viewport(ratio=1)
    assert said_in_link(page)["tiny_lm_model"] == "your own"
    assert bars(page) == prediction(model, vocabulary, SENTENCE.split())

    visit(page, link(step="train", ask="no"))  # a new visit: nothing is left of the run but the file
    unfold(page, "tiny_lm_bring")
    said = hand_over(page, name="nonsense.safetensors", buffer=b"PK\3\4 but nothing else")
    assert said.startswith("This file cannot be used: ")
    assert page.get_by_role("button", name="Look inside it").count() == 0
    assert "15,984 parameters" in hand_over(page, name="kept.safetensors", buffer=file.read_bytes())
    page.get_by_role("button", name="Look inside it").click()
    settle(page)
    assert bars(page) == prediction(model, vocabulary, text(page).split()[:-1])
    assert errors == []


@pytest.mark.nightly
def test_a_run_goes_on_through_other_controls_and_other_pages_and_is_nobody_elses(page, visitor, server):
    errors = complaints(page)
    visit(page, link(**LONG_RUN))
    page.locator(".st-key-tiny_lm_train button").click()
    reached = moves(page)

    field(page, "tiny_lm_train_seed").fill("7")
    field(page, "tiny_lm_train_seed").press("Enter")
    settle(page)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Scaling").click()
    settle(page)
    assert field(page, "tiny_lm_train_seed").count() == 0
    page.get_by_test_id("stSidebar").get_by_role("link", name="Tiny LM").click()
    assert moves(page) > reached
    assert field(page, "tiny_lm_train_seed").input_value() == "7"

    other = visitor(server)
    visit(other, page.url)
    assert other.locator(PROGRESS).count() == 0

    page.get_by_role("button", name="Pause").click()
    says(page, "paused")
    settle(page)
    reached = step(page)
    page.wait_for_timeout(1000)
    assert step(page) == reached
    page.get_by_role("button", name="Resume").click()
    assert moves(page) > reached
    page.get_by_role("button", name="Stop").click()
    says(page, "stopped")
    settle(page)
    press(page, "tiny_lm_put_open_own")
    assert said_in_link(page)["tiny_lm_model"] == "your own"
    assert errors == []


@pytest.mark.nightly
def test_a_phone_needs_no_sideways_scrolling_on_any_stage_in_light_or_in_dark(page):
    errors = complaints(page)
    page.set_viewport_size(PHONE)
    visit(page, link(ask="no", step="tokens"))
    found, schemes = {}, ["light", "dark"]
    n_stages = page.locator(".st-key-tiny_lm_strip [data-step]").count()
    for stage in range(n_stages):
        page.emulate_media(color_scheme=schemes[stage % 2])
        settle(page)
        found[page.locator("h1").inner_text()] = too_wide(page) + faint_texts(page)
        if stage < n_stages - 1:
            press(page, "tiny_lm_next")
    assert len(found) == n_stages >= 13
    assert is_locked(page, "tiny_lm_next")
    assert {place: wrong for place, wrong in found.items() if wrong} == {}
    assert errors == []


def test_the_temperature_is_dragged_in_the_picture_and_the_slider_of_the_sidebar_follows(page):
    visit(page, "/tiny_lm?tiny_lm_step=draw&tiny_lm_ask=no")
    slider = page.locator(".slider input")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    before = page.locator(".panel .number").all_text_contents()
    page.mouse.move(box["x"] + 8 + (box["width"] - 16) * 14 / 38, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2, steps=5)
    assert page.locator(".slider output").text_content() == "2"
    assert page.locator(".panel .number").all_text_contents() != before
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["tiny_lm_temperature"] == "2"
    sidebar = page.locator(".st-key-tiny_lm_temperature").get_by_role("slider")
    assert float(sidebar.get_attribute("aria-valuetext")) == 2
