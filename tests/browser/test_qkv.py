from urllib.parse import urlencode

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.text.word_vectors import word_vectors
from pages.look.colours import SCORES, WEIGHTS, mix
from tests.browser.screen import (
    CHART,
    PHONE,
    cell_texts,
    cells,
    click_cell,
    complaints,
    downloaded,
    field,
    in_rows,
    outlined,
    pick,
    reveal,
    rgb,
    said_in_link,
    settle,
    style,
    tab_to,
    unfold,
    visit,
)

SENTENCE = "the cat sat on the warm mat"
SEED = 20
WORKED, ENTRY = (f"qkv_{name}_chart" for name in ("weights", "Entry_of_X"))


def attention(sentence: str, seed: int):
    words = sentence.split()
    return attend(word_vectors(words, 8, seed), random_head(8, 4, seed, 4))


def written(numbers: np.ndarray) -> list[list[str]]:
    return [[f"{number:.2f}".replace("-", "−") for number in row] for row in numbers]


def link(**values) -> str:
    """Return a link to random matrices, where it does not name others."""
    return "/qkv?" + urlencode(
        {f"qkv_{name}": value for name, value in {"weights": "random", "text": SENTENCE, **values}.items()}
    )


def cross(row: int, column: int, height: int, width: int) -> list[set[tuple[int, int]]]:
    """Return what is outlined where a cell is chosen: its row, its column, and twice itself, on paper and in ink."""
    across, down = {(row, j) for j in range(width)}, {(i, column) for i in range(height)}
    return [across, down, {(row, column)}, {(row, column)}]


def card(page) -> str:
    """Return the title of the card that says where a number comes from."""
    return page.locator(".course .title").inner_text()


def answered(page) -> str:
    """Return how the menu names the lesson: with the count of questions that were answered."""
    return page.get_by_test_id("stSidebar").get_by_role("link", name="Q/K/V").inner_text()


def chosen(page) -> list[str]:
    return [value for key, value in sorted(said_in_link(page).items()) if key in ("qkv_q", "qkv_k", "qkv_d")]


def test_a_click_on_a_cell_moves_the_outlines_the_card_and_the_link(page):
    visit(page, link(step="x", ask="no"))
    x = word_vectors(SENTENCE.split(), 8, SEED)
    assert outlined(page, ENTRY) == cross(2, 0, 7, 8)
    assert card(page) == f"Entry 1 of sat is {written(x)[2][0]}"

    click_cell(page, 3, 5, ENTRY)
    assert outlined(page, ENTRY) == cross(3, 5, 7, 8)
    assert card(page) == f"Entry 6 of on is {written(x)[3][5]}"
    assert chosen(page) == ["6", "on"]
    assert [field(page, key).input_value() for key in ("qkv_q", "qkv_d")] == ["on", "6"]

    pick(page, "qkv_q", "mat")
    assert outlined(page, ENTRY) == cross(6, 5, 7, 8)


def test_a_click_in_a_worked_row_chooses_the_key_and_its_stages_are_those_of_the_core(page):
    visit(page, link(step="softmax", ask="no"))
    head = attention(SENTENCE, seed=SEED)
    click_cell(page, 2, 5, WORKED)
    assert said_in_link(page)["qkv_k"] == "warm"
    assert page.locator(".chain .result").inner_text() == written(head.weights)[2][5]
    scores, _, weights = cell_texts(page, WORKED)
    assert weights == written(head.weights)[2]
    assert scores == written(head.scores)[2]


def test_the_keyboard_alone_is_enough_to_walk_to_choose_and_to_answer(page):
    visit(page, link(step="softmax"))
    tab_to(page, page.locator(".st-key-qkv_strip"))  # Streamlit puts the focus on the first label
    for key in (*["ArrowRight"] * 3, "Space"):
        page.keyboard.press(key)
    settle(page)
    assert said_in_link(page)["qkv_step"] == "match"
    words = "no bananas in new boxes"
    for key, typed in (("qkv_text", words), ("qkv_q", "new")):
        tab_to(page, field(page, key))
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        settle(page)
    assert said_in_link(page) == {"qkv_step": "match", "qkv_weights": "random", "qkv_text": words, "qkv_q": "new"}
    for _ in range(2):
        tab_to(page, page.locator(".st-key-qkv_best_key_given"))
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Space")
        tab_to(page, page.get_by_role("button", name="Check"))
        page.keyboard.press("Enter")
        settle(page)
        if not page.get_by_test_id("stForm").count():
            break
    assert page.get_by_role("status").inner_text()[0] in "✓✕"
    assert "1 of 12" in answered(page)


@pytest.mark.nightly
def test_both_colour_ramps_follow_light_and_dark_while_the_page_is_open(page):
    visit(page, link(step="detail", ask="no"))
    head = attention(SENTENCE, seed=SEED)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        shown = [[rgb(style(cell, "fill")) for cell in row] for row in cells(page)]
        expected = [[rgb(getattr(mix(WEIGHTS, weight), scheme)) for weight in row] for row in head.weights]
        np.testing.assert_allclose(shown, expected, atol=1)
    visit(page, link(step="x", ask="no"))
    shown = [[rgb(style(cell, "fill")) for cell in row] for row in cells(page, ENTRY)]
    x = word_vectors(SENTENCE.split(), 8, SEED)
    expected = [[rgb(mix(SCORES, (number / 4 + 1) / 2).dark) for number in row] for row in x]
    np.testing.assert_allclose(shown, expected, atol=1)
    assert cell_texts(page, ENTRY) == written(x)


@pytest.mark.nightly
def test_a_kept_page_is_alive_without_network_and_server(page, visitor, server, tmp_path):
    visit(page, link(step="x", text="tea is hot"))
    reveal(page)
    unfold(page, "qkv_keep")
    names = page.locator(CHART).evaluate_all("charts => charts.map(chart => chart.ariaLabel)")
    kept, file = downloaded(page, page.locator(".st-key-qkv_keep_html button")), tmp_path / "kept.html"
    assert kept.suggested_filename == "attention-qkv-x.html"
    kept.save_as(file)

    reader = visitor(server, width=PHONE["width"], offline=True)
    errors, asked = complaints(reader), []
    reader.on("request", lambda request: asked.append(request.url))
    reader.goto(file.as_uri())
    reader.wait_for_selector(f"#chart-{len(names) - 1} svg")
    assert card(reader) == card(page)
    first = reader.locator("#chart-0")
    shown = first.locator(".mark-text.role-mark").first.locator("text").all_text_contents()
    assert in_rows(shown, 8) == written(word_vectors(["tea", "is", "hot"], 8, SEED))
    assert reader.evaluate("document.documentElement.scrollWidth") == PHONE["width"]  # whose footer has the whole link
    assert asked == [file.as_uri()]
    assert errors == []
