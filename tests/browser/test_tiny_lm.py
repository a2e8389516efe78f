"""The lesson on a small language model: it is trained while one watches, and it can be taken along."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_core
from attention_core.experiments.language.next_token import decisions
from attention_core.text.corpora import source_of
from tests.browser.screen import chart, complaints, go, is_locked, press, said_in_link, settle, to_step, unfold, visit

SENTENCE = "the big cat saw a red ball near the hat and it"
TRAIN = "/tiny_lm?tiny_lm_step=train&tiny_lm_learn=Pronouns"
LONG_RUN = f"{TRAIN}&tiny_lm_ask=no&tiny_lm_sizes=true&tiny_lm_width=64&tiny_lm_steps=2000"
PROGRESS = "[data-testid=stProgress]"
LATER = """step => {
    const said = document.querySelector('[data-testid=stProgress]')?.innerText.match(/step ([0-9,]+) of/)
    return said && Number(said[1].replace(',', '')) > step
}"""


def bars(page) -> tuple[list[str], list[str]]:
    """Return the words of the bars of the prediction, and their numbers."""
    shown = chart(page).locator(".mark-text.role-mark")
    return shown.nth(1).locator("text").all_text_contents(), shown.nth(0).locator("text").all_text_contents()


def prediction(model, vocabulary) -> tuple[list[str], list[str]]:
    """Return the words that the bars should have after the sentence, and their numbers."""
    shares = decisions(model, vocabulary.encode(SENTENCE.split()), 1, 0.8, seed=3).bets[0]
    order = np.argsort(-shares, kind="stable")[:5]
    return vocabulary.decode(order), [f"{share:.2f}" for share in shares[order]]


def moves(page) -> int:
    """Wait until the run on the page, which never settles, is further than it was; return the step then."""
    page.locator(PROGRESS).wait_for()
    page.wait_for_function(LATER, arg=step(page))
    return step(page)


def step(page) -> int:
    return int(re.search(r"step ([\d,]+) of", page.locator(PROGRESS).inner_text())[1].replace(",", ""))


def hand_over(page, name: str, content: bytes) -> str:
    """Bring a file with a model; return what is said of it."""
    place = page.locator(".st-key-tiny_lm_bring")
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    place.locator("input[type=file]").set_input_files(file)
    place.get_by_text(name).wait_for()
    settle(page)
    return place.locator(".course.note").inner_text()


@pytest.mark.nightly
def test_a_model_is_trained_looked_into_kept_and_brought_again(page, tmp_path):
    errors = complaints(page)
    visit(page, TRAIN)
    page.locator(".st-key-tiny_lm_train button").click()
    assert moves(page) > 0
    page.locator(PROGRESS, has_text="step 300 of 300").wait_for()
    settle(page)
    assert is_locked(page, "tiny_lm_pause")

    with page.expect_download() as download:
        page.locator(".st-key-tiny_lm_save button").click()
    name = download.value.suggested_filename
    file = tmp_path / name
    download.value.save_as(file)
    model, tokens = attention_core.load(file)
    vocabulary = source_of("pronoun").vocabulary
    assert tuple(tokens) == vocabulary.tokens
    press(page, "tiny_lm_put_open_own")
    expect(page.locator("h1")).to_be_in_viewport(ratio=1)
    assert said_in_link(page)["tiny_lm_model"] == "your own"
    assert bars(page) == prediction(model, vocabulary)

    visit(page, f"{TRAIN}&tiny_lm_ask=no")  # a new visit: nothing is left of the run but the file
    unfold(page, "tiny_lm_bring")
    assert hand_over(page, f"nonsense{file.suffix}", b"nothing").startswith("This file cannot be used: ")
    assert page.get_by_role("button", name="Open the loaded model").count() == 0
    assert "15,984 parameters" in hand_over(page, name, file.read_bytes())
    page.get_by_role("button", name="Open the loaded model").click()
    settle(page)
    assert said_in_link(page)["tiny_lm_step"] == "lens"  # of one layer: the steps before need two
    page.locator(".st-key-tiny_lm_strip").get_by_role("radio", name="Writes", exact=True).click()
    settle(page)
    to_step(page, "tiny_lm", "bet")
    assert bars(page) == prediction(model, vocabulary)
    assert errors == []


@pytest.mark.nightly
def test_a_run_goes_on_through_other_controls_and_other_pages_and_can_be_paused(page):
    errors = complaints(page)
    visit(page, LONG_RUN)
    page.locator(".st-key-tiny_lm_train button").click()
    reached = moves(page)
    field = page.locator(".st-key-tiny_lm_train_seed input")
    field.fill("7")
    field.press("Enter")  # without waiting for the page to rest, which it does when the run is over
    moves(page)
    go(page, "Scaling")
    page.get_by_test_id("stSidebar").get_by_role("link", name="Tiny LM").click()
    assert moves(page) > reached
    page.get_by_role("button", name="Pause").click()
    page.locator(PROGRESS, has_text="paused").wait_for()
    settle(page)
    reached = step(page)
    page.get_by_role("button", name="Resume").click()
    assert moves(page) > reached
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("The last run").click()  # its settings are others than those in view
    page.locator(PROGRESS, has_text="stopped").wait_for()
    settle(page)
    press(page, "tiny_lm_put_open_own")
    assert said_in_link(page)["tiny_lm_model"] == "your own"
    assert errors == []
