from urllib.parse import urlencode

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.experiments.qkv.perturb import dot_products
from attention_core.text.word_vectors import word_vectors
from pages.look.colours import SCORES, WEIGHTS, mix
from tests.browser.screen import (
    CHART,
    PHONE,
    cell_texts,
    cells,
    chart,
    choose,
    click_cell,
    complaints,
    enter,
    exceptions,
    field,
    go,
    in_rows,
    is_locked,
    nudge,
    outlined,
    pick,
    press,
    reading,
    reveal,
    rgb,
    said_in_link,
    settle,
    step_button,
    strangers,
    style,
    tab_to,
    to_step,
    too_wide,
    unfold,
    visit,
)

SENTENCE = "the cat sat on the warm mat"
STAGES = ["it", "dot", "x", "projections", "scores", "scaled", "softmax", "two", "mix"]
SEED = 20
BLANK = "qkv_Score_asked_chart"
SCORE, WEIGHT, OUTPUT = (f"qkv_{name}_chart" for name in ("Score", "Weight", "Entry_of_the_output"))


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


def cross(row: int, column: int, size: int = 7) -> list[set[tuple[int, int]]]:
    """Return what is outlined where a cell is chosen: its row, its column, and twice itself, on paper and in ink."""
    across, down = {(row, j) for j in range(size)}, {(i, column) for i in range(size)}
    return [across, down, {(row, column)}, {(row, column)}]


def card(page) -> str:
    """Return the title of the card that says where a number comes from."""
    return page.locator(".course .title").inner_text()


def answered(page) -> str:
    """Return how the menu names the lesson: with the count of questions that were answered."""
    return page.get_by_test_id("stSidebar").get_by_role("link", name="Q/K/V").inner_text()


def shared_link(page, *locks: str) -> str:
    press(page, "qkv_share")
    for label in locks:
        pick(page, "_qkv_lock", label)
    page.keyboard.press("Escape")  # closes the list
    return page.get_by_role("dialog").locator("code").first.inner_text()


def chosen(page) -> list[str]:
    """Return the row and the column in the link."""
    return [value for key, value in sorted(said_in_link(page).items()) if key in ("qkv_q", "qkv_k", "qkv_d")]


def keep(page, ending: str):
    """Press a button under “Download” and return the file that comes."""
    with page.expect_download() as download:
        page.locator(f".st-key-qkv_keep_{ending} button").click()
    return download.value


def test_the_very_first_request_may_be_a_link_to_a_stage_in_the_middle(visitor, cold_server):
    page = visitor(cold_server)
    errors = complaints(page)
    visit(page, link(step="softmax", seed=3, text="tea is hot"))
    assert page.title().startswith("Q/K/V")
    assert page.locator("h1").inner_text() == "Softmax converts scores into weights"
    assert style(page.get_by_role("link", name="Q/K/V").locator("p"), "fontWeight") > "400"
    assert field(page, "qkv_text").input_value() == "tea is hot"
    assert field(page, "qkv_seed").input_value() == "3"
    asked = [text for row in cell_texts(page, 0) for text in row]
    assert sorted(set(asked)) == ["", "?"]  # the map is blank before the answer
    reveal(page)
    assert cell_texts(page, WEIGHT) == written(attention("tea is hot", seed=3).weights)
    assert errors == []
    assert "Traceback" not in cold_server.said()


@pytest.mark.promise("page 3")
def test_a_click_on_a_cell_moves_the_outlines_the_card_and_the_link(page):
    visit(page, link(step="softmax"))
    reveal(page)
    weights = attention(SENTENCE, seed=SEED).weights
    assert outlined(page, WEIGHT) == cross(2, 1)
    assert card(page) == f"How sat → cat became {weights[2, 1]:.2f}"

    click_cell(page, 3, 5, WEIGHT)
    assert outlined(page, WEIGHT) == cross(3, 5)
    assert card(page) == f"How on → warm became {weights[3, 5]:.2f}"
    assert chosen(page) == ["warm", "on"]
    assert [field(page, key).input_value() for key in ("qkv_q", "qkv_k")] == ["on", "warm"]

    pick(page, "qkv_q", "mat")
    assert outlined(page, WEIGHT) == cross(6, 5)

    click_cell(page, 3, 5, WEIGHT)  # the same cell as before
    assert outlined(page, WEIGHT) == cross(3, 5)
    assert card(page) == f"How on → warm became {weights[3, 5]:.2f}"


def test_colour_bars_keep_their_gradient_when_the_link_changes(page):
    visit(page, link(step="mix"))
    click_cell(page, 1, 3, OUTPUT)
    assert said_in_link(page)["qkv_d"] == "4"
    fills = page.locator(".role-legend-gradient path").evaluate_all(
        "bars => bars.map(bar => bar.getAttribute('fill').match(/^url\\((#gradient_\\d+)\\)$/)?.[1])"
    )
    assert len(set(fills)) == len(fills) == 2
    assert all(fill and page.locator(f"svg linearGradient{fill}").count() == 1 for fill in fills)


@pytest.mark.nightly
def test_a_click_counts_anywhere_in_a_cell_and_on_its_number_too(page):
    visit(page, link(step="mix"))
    cells(page, OUTPUT)[1][3].click(position={"x": 4, "y": 4})
    settle(page)
    assert outlined(page, OUTPUT)[-1] == {(1, 3)}
    numbers = chart(page, OUTPUT).locator(".mark-text.role-mark").first.locator("text")
    numbers.nth(5 * 4 + 2).click(force=True)
    settle(page)
    assert outlined(page, OUTPUT)[-1] == {(5, 2)}
    assert chosen(page) == ["3", "warm"]


@pytest.mark.promise("page 3")
def test_the_keyboard_alone_is_enough_to_walk_to_choose_and_to_answer(page):
    visit(page, link(step="projections"))
    tab_to(page, page.locator(".st-key-qkv_strip"))
    for _ in range(7):
        page.keyboard.press("Tab")  # past five lessons, it and a · b, to X
    page.keyboard.press("Enter")
    settle(page)
    words = "no bananas in new boxes"
    for key, typed in (("qkv_text", words), ("qkv_q", "new"), ("qkv_d", "7")):
        tab_to(page, field(page, key))
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(typed)
        if key == "qkv_text":
            page.keyboard.press("ArrowLeft")
            page.keyboard.press("Shift+ArrowRight")  # goes to the next step, but not where it marks a letter
        page.keyboard.press("Enter")
        settle(page)
    then = {"qkv_step": "x", "qkv_weights": "random"}
    assert said_in_link(page) == then | {"qkv_text": words, "qkv_q": "new", "qkv_d": "7"}
    assert outlined(page)[-1] == {(3, 6)}

    tab_to(page, page.locator("summary").first)
    for arrow, stage in (("Right", "projections"), ("Left", "x"), ("Right", "projections")):
        page.keyboard.press(f"Shift+Arrow{arrow}")
        settle(page)
        assert said_in_link(page)["qkv_step"] == stage

    tab_to(page, page.locator(".st-key-qkv_shape_given"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    tab_to(page, page.get_by_role("button", name="Check"))
    page.keyboard.press("Enter")
    settle(page)
    assert page.get_by_role("status").inner_text()[0] in "✓✕"
    assert "1 of 7" in answered(page)


def test_a_click_in_another_of_the_three_maps_chooses_its_matrix_and_keeps_a_word_outlined_in_all(page):
    visit(page, "/qkv?qkv_step=projections&qkv_ask=no")
    for letter, row, column in (("V", 1, 2), ("K", 6, 1), ("V", 1, 2)):
        click_cell(page, row, column, f"qkv_{letter}_chart")
        assert said_in_link(page)["qkv_matrix"] == letter
        assert outlined(page, f"qkv_{letter}_chart")[-1] == {(row, column)}
        width = {"Q": 2, "K": 2, "V": 4}
        for other in "QKV":
            assert outlined(page, f"qkv_{other}_chart")[0] == {(row, j) for j in range(width[other])}


def test_a_click_on_a_cell_of_the_blank_map_is_the_answer_and_stands_beside_the_right_one(page):
    visit(page, "/qkv?qkv_step=scores")
    assert page.locator(CHART).count() == 1
    assert not any("".join(row) for row in cell_texts(page, BLANK))
    click_cell(page, 1, 8, BLANK)
    assert page.get_by_role("status").inner_text().startswith("✕ Not row “cat”, column “it”.")
    assert outlined(page, SCORE) == [{(1, 8)}, *cross(8, 1, 10)]
    assert card(page) == "How it → cat became 9.00"
    assert "1 of 7" in answered(page)


def test_the_blank_map_is_answered_by_keyboard_too(page):
    visit(page, "/qkv?qkv_step=scores")
    for field_name, times in (("row", 9), ("column", 2)):
        tab_to(page, page.locator(f".st-key-qkv_cell_{field_name} input"))
        for _ in range(times):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        settle(page)
    tab_to(page, page.get_by_role("button", name="Check"))
    page.keyboard.press("Enter")
    settle(page)
    assert "row “it”, column “cat”" in page.get_by_role("status").inner_text()
    assert outlined(page, SCORE)[-1] == {(8, 1)}


VIEWS = {  # what the link says first, the controls of the scene and the stage, and those of a closer look
    "dot": ({"step": "dot"}, "cat sat mat a b", ""),
    "softmax": (
        {"step": "softmax", "weights": "hand-made", "ask": "no"},
        "text seed job same q k",
        "experiment amount times",
    ),
    "mix": ({"step": "mix", "weights": "trained"}, "head same q d", "asks"),
    "mix, changed": (
        {"step": "mix", "closer": "Change one number"},
        "text seed d_model d_k d_v same q d",
        "change change_row change_column change_by",
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("view", VIEWS)
def test_the_stage_and_every_control_come_back_from_the_link_after_a_reload(page, view):
    said_first, *names = VIEWS[view]
    first, closer = ([f"qkv_{name}" for name in part.split()] for part in names)
    keys = first + closer
    visit(page, link(**said_first))
    reveal(page)
    before = [reading(page, key) for key in keys]
    nudge(page, *first)
    nudge(page, *closer)
    said = [reading(page, key) for key in keys]
    assert [key for key, old, new in zip(keys, before, said, strict=True) if old == new] == []
    assert set(said_in_link(page)) >= set(keys)
    title = page.locator("h1").inner_text()
    page.reload()
    settle(page)
    reveal(page)
    assert [reading(page, key) for key in keys] == said
    assert page.locator("h1").inner_text() == title


@pytest.mark.nightly
def test_the_link_follows_a_field_that_stands_elsewhere_on_the_next_stage(page):
    visit(page, link(step="x", q="on"))
    to_step(page, "qkv", "projections")
    pick(page, "qkv_q", "mat")
    assert outlined(page)[-1] == {(6, 0)}
    assert chosen(page) == ["mat"]


def test_a_shared_link_shows_the_same_numbers_and_keeps_what_the_teacher_locked(page, visitor, server):
    visit(page, link(step="softmax", text="tea is hot", d_k=16))
    enter(page, "qkv_seed", 11)
    reveal(page)
    student = visitor(server)
    visit(student, shared_link(page, "Seed", "d_k (width of Q, K)"))
    reveal(student)
    assert cell_texts(student, WEIGHT) == cell_texts(page, WEIGHT)
    assert "Set by your teacher: d_k (width of Q, K), Seed." in student.get_by_test_id("stMain").inner_text()
    assert is_locked(student, "qkv_seed")
    assert is_locked(student, "qkv_d_k")
    assert not is_locked(student, "qkv_d_model")
    enter(student, "qkv_text", "the cat saw the dog")
    press(student, "qkv_reset")
    to_step(student, "qkv", "x")
    assert field(student, "qkv_text").input_value() == "tea is hot"
    assert field(student, "qkv_seed").input_value() == "11"


@pytest.mark.nightly
def test_a_teacher_can_lock_the_step_and_the_cell(page):
    visit(page, link(step="softmax", q="cat", k="the₅"))
    reveal(page)
    visit(page, shared_link(page, "Step", "Query · row", "Key · column"))
    assert all(is_locked(page, f"qkv_{name}") for name in ["back", "next"])
    assert {step_button(page, "qkv", stage).get_attribute("aria-disabled") for stage in STAGES} == {"true"}
    page.keyboard.press("Shift+ArrowRight")
    reveal(page)
    click_cell(page, 5, 0, WEIGHT)
    assert outlined(page, WEIGHT) == cross(1, 4)
    assert card(page).startswith("How cat → the₅ became")
    assert page.locator("h1").inner_text() == "Softmax converts scores into weights"


@pytest.mark.nightly
def test_a_trip_to_the_home_page_and_back_keeps_sentence_seed_stage_and_answers(page):
    visit(page, link(step="x"))
    enter(page, "qkv_text", "tea is hot")
    enter(page, "qkv_seed", 3)
    to_step(page, "qkv", "projections")
    page.locator(".st-key-qkv_shape_given label", has=page.get_by_role("radio")).first.click()
    page.get_by_role("button", name="Check").click()
    settle(page)
    verdict = page.get_by_role("status").inner_text()
    assert "1 of 7" in answered(page)
    go(page, "Attention, from scratch")
    assert field(page, "home_text").input_value() == "tea is hot"
    assert said_in_link(page)["home_seed"] == "3"  # its matrices are trained, so no field shows it
    assert "1 of 7" in answered(page)
    go(page, "Q/K/V")
    assert page.locator("h1").inner_text() == "Each word gets a query, a key and a value"
    assert page.get_by_role("status").inner_text() == verdict
    assert field(page, "qkv_text").input_value() == "tea is hot"
    assert field(page, "qkv_seed").input_value() == "3"
    assert "1 of 7" in answered(page)


@pytest.mark.nightly
def test_two_tabs_of_one_browser_do_not_influence_each_other(page):
    visit(page, link(step="mix", text="tea is hot"))
    with page.context.new_page() as other:
        visit(other, link(step="projections"))
        before = cell_texts(page)
        enter(other, "qkv_seed", 99)
        reveal(other)
        click_cell(other, 6, 3)
        settle(page)
        assert cell_texts(page) == before
        enter(page, "qkv_seed", 98)
        then = {"qkv_weights": "random", "qkv_text": "tea is hot"}
        assert said_in_link(page) == then | {"qkv_step": "mix", "qkv_seed": "98"}
        assert {*said_in_link(other)} == {*then, "qkv_step", "qkv_seed", "qkv_q", "qkv_d"}
        assert chosen(other) == ["4", "mat"]
        other.reload()
        settle(other)
        assert field(other, "qkv_seed").input_value() == "99"


@pytest.mark.nightly
def test_both_colour_ramps_follow_light_and_dark_while_the_page_is_open(page):
    head = attention(SENTENCE, seed=SEED)
    visit(page, link(step="softmax"))
    reveal(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        shown = [[rgb(style(cell, "fill")) for cell in row] for row in cells(page, WEIGHT)]
        expected = [[rgb(getattr(mix(WEIGHTS, weight), scheme)) for weight in row] for row in head.weights]
        np.testing.assert_allclose(shown, expected, atol=1)
    to_step(page, "qkv", "mix")
    shown = [[rgb(style(cell, "fill")) for cell in row] for row in cells(page, OUTPUT)]
    expected = [[rgb(mix(SCORES, (number / 4 + 1) / 2).dark) for number in row] for row in head.output]
    np.testing.assert_allclose(shown, expected, atol=1)
    assert cell_texts(page, OUTPUT) == written(head.output)


@pytest.mark.nightly
@pytest.mark.promise("page 8")
def test_a_phone_needs_no_sideways_scrolling_on_any_stage(page):
    page.set_viewport_size(PHONE)
    visit(page, "/qkv")
    found = {}
    for stage in STAGES:
        reveal(page)
        found[stage] = too_wide(page)
        if stage != STAGES[-1]:
            press(page, "qkv_next")
    choose(page, "qkv_closer", "Change one number")
    reveal(page)
    found["change one number"] = too_wide(page)
    assert {place: widths for place, widths in found.items() if widths} == {}


@pytest.mark.nightly
@pytest.mark.promise("page 6")
def test_embedded_in_another_page_there_is_the_picture_and_the_scene_is_folded_away(page):
    visit(page, link(step="x") + "&embed=true")
    assert chart(page).is_visible()
    assert page.get_by_test_id("stSidebar").bounding_box()["x"] < -200
    assert page.get_by_role("button", name="Main menu").count() == 0
    page.get_by_role("button", name="Expand sidebar").click()
    settle(page)
    enter(page, "qkv_seed", 3)
    assert cell_texts(page) == written(word_vectors(SENTENCE.split(), 8, 3))


@pytest.mark.nightly
def test_without_a_network_nothing_is_missing_and_nothing_is_asked_for(page):
    asked, errors = strangers(page), complaints(page)
    visit(page, link(step="scores"))
    reveal(page)
    head = attention(SENTENCE, seed=SEED)
    assert cell_texts(page, SCORE) == written(dot_products(head.q, head.k))
    to_step(page, "qkv", "mix")
    choose(page, "qkv_closer", "Change one number")
    reveal(page)
    unfold(page, "qkv_code", "qkv_keep")
    assert asked == []
    assert errors == []


@pytest.mark.nightly
def test_a_kept_page_is_alive_without_network_and_server(page, visitor, server, tmp_path):
    visit(page, link(step="softmax", text="tea is hot"))
    reveal(page)
    unfold(page, "qkv_keep")
    names = page.locator(CHART).evaluate_all("charts => charts.map(chart => chart.ariaLabel)")
    kept, file = keep(page, "html"), tmp_path / "kept.html"
    assert kept.suggested_filename == "attention-qkv-softmax.html"
    kept.save_as(file)

    reader = visitor(server, offline=True)
    errors, asked = complaints(reader), []
    reader.on("request", lambda request: asked.append(request.url))
    reader.goto(file.as_uri())
    reader.wait_for_selector(f"#chart-{len(names) - 1} svg")
    captions = reader.locator("figcaption").all_inner_texts()  # a name, and perhaps whose matrices it shows
    assert [caption.startswith(name) for caption, name in zip(captions, names, strict=True)] == [True] * len(names)
    assert reader.locator("h1").inner_text().startswith("Q/K/V")
    assert card(reader) == card(page)
    drawn = reader.locator("figure svg.marks").evaluate_all(
        "charts => charts.map(chart => chart.querySelectorAll('.mark-rect path').length)"
    )
    assert len(drawn) == len(names) == 3
    assert min(drawn) >= 9
    first = reader.locator("#chart-0")
    shown = first.locator(".mark-text.role-mark").first.locator("text").all_text_contents()
    assert in_rows(shown, 3) == written(attention("tea is hot", seed=SEED).weights)
    first.locator(".mark-rect.role-mark").first.locator("path").nth(5).hover(force=True)
    tooltip = reader.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    weight = attention("tea is hot", seed=SEED).weights[1, 2]
    assert tooltip.inner_text().replace(":", "").split() == ["query", "is", "key", "hot", "weight", f"{weight:.4f}"]
    assert asked == [file.as_uri()]
    assert errors == []


@pytest.mark.nightly
@pytest.mark.promise("page 7")
def test_every_file_of_a_view_arrives_under_its_name(page):
    visit(page, link(step="mix"))
    unfold(page, "qkv_keep")
    begins = {
        "attention-qkv-mix.py": b'"""Q/K/V',
        "attention-qkv-mix.ipynb": b"{",
        "attention-qkv-mix.npz": b"PK",
        "attention-qkv-mix-Entry-of-the-output.png": b"\x89PNG",
        "attention-qkv-mix-Entry-of-the-output.svg": b"<svg",
        "attention-qkv-mix-Entry-of-the-output.csv": "\ufeffquery,dimension,output".encode(),
    }
    for name, beginning in begins.items():
        file = keep(page, name.rpartition(".")[2])
        assert file.suggested_filename == name
        assert file.path().read_bytes().startswith(beginning)
    assert exceptions(page) == []


def test_a_word_that_is_clicked_or_entered_in_the_arcs_asks_in_the_next_steps_too(page):
    visit(page, "/qkv")
    words, asks = page.locator(".arcs .word"), page.locator(".arcs .word.asks")
    assert asks.text_content() == "it"
    words.nth(2).click()
    settle(page)
    assert said_in_link(page)["qkv_q"] == "sat"
    page.mouse.move(0, 0)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_url("**qkv_q=cat*")
    settle(page)
    assert asks.text_content() == "cat"
    to_step(page, "qkv", "softmax")
    reveal(page)
    assert asks.text_content() == "cat"
    assert outlined(page, WEIGHT)[0] == {(1, column) for column in range(10)}
