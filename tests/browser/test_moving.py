"""Pictures that move under the hand: their formulas are those of the core, and a release is in the link."""

import json
import math
from itertools import product

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_core as core
from attention_core.equations.positions import frequencies
from attention_core.experiments.language.next_token import nucleus_sizes
from attention_core.experiments.positions.position_kinds import added_positions, explain_rope_score, look_back_head
from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.experiments.qkv.perturb import dot_products, mix_values, rotate_in_plane, softmax_at
from attention_core.model.generate import choose, decisions
from attention_core.shipped.models import model_at
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.heads.matrices import SENTENCE
from pages.look.html import number, quoted
from pages.look.modules import joined
from pages.look.sentences import brightest_cell
from pages.motion.sliders import HERE
from tests.browser.screen import complaints, drag_slider, said_in_link, settle, visit
from tests.tiers import first

TEMPERATURES = {"0": 0, "0.1": 0.1, "0.3": 0.3, "1": 1, "√2": math.sqrt(2), "3": 3, "10": 10, "∞": math.inf}
ANGLES = range(-180, 181, 5)
WORDS = ["the", "cat", "sat"]
MIX = "/qkv?qkv_step=mix"
CLOCKS = "/positional_encoding?positional_encoding_step=clocks"
ROPE = "/positional_encoding?positional_encoding_step=rope&positional_encoding_ask=no"
BACK = "/positional_encoding?positional_encoding_step=look_back&positional_encoding_ask=no"
CUTS = "/tiny_lm?tiny_lm_step=draw&tiny_lm_ask=no&tiny_lm_look=Top-k+and+top-p"
BARS = ".panel .number"
HEAD = "path => path.getAttribute('d').match(/M(\\S+) (\\S+?)L/).slice(1).map(Number)"  # the tip of an arrow
COVERED = """squares => squares.flatMap(square => {
    const boxes = [...square.querySelectorAll('.name')].map(name => name.getBoundingClientRect())
    const frame = square.getBoundingClientRect()
    const covers = (a, b) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom
    return boxes.flatMap((a, i) => [
        ...boxes.slice(i + 1).filter(b => covers(a, b)),
        ...[a].filter(a => a.left < frame.left - 2 || a.right > frame.right + 2),
    ])
}).length"""


def slider(page, name):
    return page.locator(f".slider input[data-name={name}]")


def drag(page, name, to, release=True):
    """Drag a slider to a fraction of its length."""
    drag_slider(page, slider(page, name), to, release)


def hold(page, name, place):
    """Hold a slider at one of its stops, as a drag does."""
    move = "(range, place) => { range.value = place; range.dispatchEvent(new Event('input')) }"
    slider(page, name).evaluate(move, place)


def frames_of(page):
    """Return a list into which every frame goes that the page sends from now on."""
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    return sent


def in_browser(page, files, expression, cases):
    """Return what an expression with the functions of some scripts gives in the browser, for each case `c`."""
    code = "\n".join(joined(HERE / f"{file}.js") for file in files).replace("export default", "void")
    return page.evaluate(f"cases => {{ {code}\nreturn cases.map(c => {expression}) }}", cases)


def looked_up(seed, asks, angle, temperature):
    """Return the weights and the output of the core, in the plane of the first words."""
    flat = attend(word_vectors(WORDS, 2, seed), random_head(2, 2, seed))
    weights = softmax_at(dot_products(flat.q, rotate_in_plane(flat.k, angle)), temperature)
    return weights[asks], mix_values(weights, flat.v)[asks]


# Formulas


@pytest.mark.parametrize(("seed", "words"), [(20, WORDS), (3, WORDS), (5, ["same", "same", "cat"]), (8, ["alone"])])
def test_the_look_up_in_the_browser_is_that_of_the_core_at_every_setting(page, seed, words):
    flat = attend(word_vectors(words, 2, seed), random_head(2, 2, seed))
    labels = position_labels(words)
    marked = [quoted(label) for label in labels]
    settings = [(asks, angle, name) for asks in range(len(words)) for angle in ANGLES for name in TEMPERATURES]
    cases = [
        {"query": flat.q[asks].tolist(), "angle": angle, "at": name, "asks": marked[asks]}
        for asks, angle, name in settings
    ]
    given = json.dumps({"keys": flat.k.tolist(), "values": flat.v.tolist()})
    found = in_browser(
        page,
        ["planes"],
        f"(({{ turned, weights, output }}) => "
        f"[turned, weights, output, brightest(weights, c.asks, {json.dumps(marked)})])"
        f"(lookUp({{ ...{given}, query: c.query }}, c.angle, NUMBERS[c.at] ?? Number(c.at)))",
        cases,
    )
    for (asks, angle, name), (turned, weights, output, told) in zip(settings, found, strict=True):
        keys = rotate_in_plane(flat.k, angle)
        expected = softmax_at(dot_products(flat.q, keys), TEMPERATURES[name])
        np.testing.assert_allclose(turned, keys, rtol=0, atol=1e-6)
        np.testing.assert_allclose(weights, expected[asks], rtol=0, atol=1e-6)
        np.testing.assert_allclose(output, mix_values(expected, flat.v)[asks], rtol=0, atol=1e-6)
        assert told == brightest_cell(expected, labels, asks)


@pytest.mark.parametrize("every", first(1, [7, 1]))  # the seventh setting from end to end, or each
def test_the_cut_in_the_browser_is_that_of_the_core_at_every_setting(page, every):
    rng = np.random.default_rng(0)
    predictions = [decisions(model_at(name, 0), [1, 2, 3], 1, 1.0, seed=0).logits[0] for name in ("english", "recall")]
    predictions += [4 * rng.standard_normal(113), np.zeros(20)]
    heats = [round(0.1 + 0.05 * step, 2) for step in range(39)]
    settings = [(t, k, round(0.05 * p, 2)) for t in heats for k in (0, 1, 2, 3, 7, 20) for p in range(1, 21)]
    settings = settings[::every]
    for logits in predictions:
        ordered = np.sort(logits.astype(float))[::-1]
        found = in_browser(page, ["cut"], f"cut({json.dumps(ordered.tolist())}, ...c)", settings)
        for (heat, top_k, top_p), seen in zip(settings, found, strict=True):
            expected = choose(ordered, heat, top_k or None, top_p if top_p < 1 else None, 0.0, 1)
            assert seen["kept"] == expected.n_kept, (heat, top_k, top_p)
            np.testing.assert_allclose(seen["after"], expected.probabilities, rtol=0, atol=1e-6)
            whole = choose(ordered, heat, None, None, 0.0, 1)
            np.testing.assert_allclose(seen["before"], whole.probabilities, rtol=0, atol=1e-6)
        cuts = [(0, 1), (0, 0.6), (3, 1), (3, 0.9)]
        sizes = in_browser(page, ["cut"], f"sizesOf({json.dumps(ordered.tolist())}, {heats}, ...c).sizes", cuts)
        for (top_k, top_p), seen in zip(cuts, sizes, strict=True):
            limit = top_p if top_p < 1 else None if top_k else 0.9  # where nothing is cut, an example
            assert seen == nucleus_sizes(ordered, heats, limit, top_k or None).tolist()


@pytest.mark.parametrize(("length", "width", "base"), [(1, 8, 10.0), (7, 64, 10000.0), (24, 16, 100.0)])
def test_the_head_that_looks_back_in_the_browser_is_that_of_the_core(page, length, width, base):
    settings = [*product((-3, 0, 2, 6), (0, 60), (0, 16), (0, 1))]
    cases = [dict(zip(("back", "start", "sharp", "placed"), setting, strict=True)) for setting in settings]
    turns = json.dumps(frequencies(width, base).tolist())
    found = in_browser(page, ["back"], f"lookBack({turns}, {length}, c)", cases)
    for (back, start, sharp, placed), weights in zip(settings, found, strict=True):
        positions = added_positions("sinusoidal" if placed else "none", length, width, base, start)
        expected = attend(positions, look_back_head(back, width, sharp, base)).weights
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("width", "base"), [(6, 10000.0), (8, 10.0)])
def test_the_hands_of_clocks_in_the_browser_rotate_as_the_core_rotates(page, width, base):
    vector = np.random.default_rng(0).standard_normal(width)
    turns = frequencies(width, base)
    cases = [[*vector[2 * i : 2 * i + 2], at * turns[i]] for at in (-12, 0, 1, 7, 130) for i in range(width // 2)]
    found = in_browser(page, ["clocks"], "rotated(c.slice(0, 2), c[2])", np.array(cases).tolist())
    expected = [core.rotate(vector[None], base, at)[0] for at in (-12, 0, 1, 7, 130)]
    np.testing.assert_allclose(np.reshape(found, (5, width)), expected, rtol=0, atol=1e-9)


# Planes


def test_both_planes_and_the_weights_move_while_a_slider_is_dragged_and_the_server_hears_of_the_release(page):
    sent, errors = frames_of(page), complaints(page)
    visit(page, MIX)
    heads = page.locator(".square path")
    tips, dot = heads.evaluate_all(f"paths => paths.map({HEAD})"), page.locator(".dot").get_attribute("cx")
    before = len(sent)
    drag(page, "angle", 1.0, release=False)
    turned = heads.evaluate_all(f"paths => paths.map({HEAD})")
    assert [old == new for old, new in zip(tips, turned, strict=True)] == [False] * 3 + [True] * 4  # keys alone
    assert np.add(turned[:3], tips[:3]) == pytest.approx(260)  # by half a round, about the middle of 130
    assert page.locator(".dot").get_attribute("cx") != dot
    seed, asks = 20, 2
    weights, _ = looked_up(seed, asks, 180, math.sqrt(2))
    assert page.locator(BARS).all_text_contents() == [f"{weight:.2f}" for weight in weights]
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["qkv_angle"] == "180"
    assert page.get_by_role("status").last.text_content().startswith("“\u2068sat\u2069” attends most")
    drag(page, "temperature", 0.0, release=False)
    weights, _ = looked_up(seed, asks, 180, 0)
    assert page.locator(BARS).all_text_contents() == [f"{weight:.2f}" for weight in weights]
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["qkv_temperature"] == "0"
    assert errors == []


def test_keys_move_the_sliders_of_the_planes_one_after_the_other(page):
    visit(page, MIX)
    slider(page, "angle").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    page.wait_for_function("location.search.includes('qkv_temperature=')")
    settle(page)
    link = said_in_link(page)
    assert (link["qkv_angle"], link["qkv_temperature"]) == ("-15", "∞")
    assert slider(page, "angle").get_attribute("aria-valuetext") == "−15"
    assert page.locator(BARS).all_text_contents() == ["0.33"] * 3
    page.reload()
    settle(page)
    assert slider(page, "angle").get_attribute("aria-valuetext") == "−15"
    assert page.locator(BARS).all_text_contents() == ["0.33"] * 3


@pytest.mark.parametrize("seed", first(1, [20, 3, 7]))
def test_no_name_covers_another_at_any_angle_and_temperature(page, seed):
    visit(page, f"{MIX}&qkv_weights=random&qkv_seed={seed}")
    covered = []
    for place in range(len(ANGLES)):
        hold(page, "angle", place)
        covered += [("angle", place)] * page.locator(".square").evaluate_all(COVERED)
    for place in range(len(TEMPERATURES)):
        hold(page, "temperature", place)
        covered += [("temperature", place)] * page.locator(".square").evaluate_all(COVERED)
    assert covered == []


@pytest.mark.parametrize("locked", ["angle", "temperature"])
def test_a_locked_slider_cannot_be_moved_and_a_hidden_one_is_not_shown(page, locked):
    visit(page, f"{MIX}&qkv_lock={locked}")
    for name in ("angle", "temperature"):
        assert slider(page, name).is_disabled() == (name == locked)
    visit(page, f"{MIX}&qkv_hide={locked}")
    for name in ("angle", "temperature"):
        assert slider(page, name).is_visible() == (name != locked)


# Clocks, cuts and constants


def test_the_hands_turn_while_position_and_steps_are_dragged(page):
    sent = frames_of(page)
    visit(page, CLOCKS)
    before = len(sent)
    drag(page, "here", 1.0, release=False)
    row = core.sinusoidal_positions(51, 64)[[50, 47]]  # t + k is drawn first
    tips = page.locator(".square").first.locator("g path").evaluate_all(f"paths => paths.map({HEAD})")
    radius = 130 / 1.45
    np.testing.assert_allclose(tips, np.stack([130 + radius * row[:, 1], 130 - radius * row[:, 0]], axis=1), atol=1e-3)
    assert page.locator(".told").first.text_content() == "Pair 0 at position 47 and 3 steps later: 171.9°."
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    drag(page, "steps", 0.0)
    link = said_in_link(page)
    assert (link["positional_encoding_here"], link["positional_encoding_steps"]) == ("47", "-12")
    assert page.get_by_text("gives position 35").is_visible()


def test_no_name_covers_another_on_the_clocks(page):
    visit(page, CLOCKS)
    covered = []
    for here, steps in [*((here, 12) for here in range(48)), *((47, steps) for steps in range(25))]:
        hold(page, "here", here)
        hold(page, "steps", steps)
        covered += [(here, steps)] * page.locator(".square").evaluate_all(COVERED)
    assert covered == []


def test_the_score_of_rope_stands_still_while_both_are_shifted_and_v_does_too_unless_it_rotates(page):
    sent = frames_of(page)
    visit(page, ROPE)
    before, score = len(sent), page.locator(".score .marked .number")
    head, x = random_head(64, 6, 18), word_vectors(SENTENCE.split(), 64, 18)

    def expected(q_at, k_at):
        return number(explain_rope_score(x[1] @ head.w_q, x[2] @ head.w_k, q_at, k_at).score, 4)

    expect(score).to_have_text(expected(2, 5))
    tips = page.locator(".square").first.locator("g path").evaluate_all(f"paths => paths.map({HEAD})")
    drag(page, "slide", 1.0, release=False)
    expect(score).to_have_text(expected(2, 5))
    expect(page.locator(".told").last).to_contain_text("The shift does not change v.")
    moved = page.locator(".square").first.locator("g path").evaluate_all(f"paths => paths.map({HEAD})")
    assert moved[0] == tips[0]  # v, which is drawn first
    assert all(now != then for now, then in zip(moved[1:], tips[1:], strict=True))
    hold(page, "k_at", 30)
    expect(score).to_have_text(expected(2, 30))
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    page.get_by_role("radio", name="q, k and v").press("Space")
    settle(page)
    expect(page.locator(".told").last).to_contain_text("The shift changes v by")
    assert said_in_link(page)["positional_encoding_rotates"] == "q, k and v"


def test_no_name_covers_another_on_the_clocks_of_rope(page):
    visit(page, ROPE)
    covered = []
    for q_at, k_at in [*((q_at, 0) for q_at in range(31)), *((30, k_at) for k_at in range(31))]:
        hold(page, "q_at", q_at)
        hold(page, "k_at", k_at)
        covered += [(q_at, k_at)] * page.locator(".square").evaluate_all(COVERED)
    assert covered == []


def test_the_diagonal_walks_with_k_and_stays_with_the_first_position(page):
    sent = frames_of(page)
    visit(page, BACK)
    before = len(sent)
    cells, places = page.locator(".cell"), page.locator(".place")
    first = cells.all_text_contents()
    drag(page, "start", 1.0, release=False)
    assert places.all_text_contents() == [str(60 + i) for i in range(7)]
    assert cells.all_text_contents() == first
    hold(page, "ago", 3 + 4)  # the stops begin at −3
    aims = cells.evaluate_all("cells => cells.flatMap((cell, i) => cell.classList.contains('aim') ? [i] : [])")
    assert aims == [7 * row + row - 4 for row in (4, 5, 6)]
    assert all(cells.nth(i).text_content() > ".80" for i in aims)
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["positional_encoding_start"] == "60"
    page.get_by_role("radio", name="without").press("Space")
    settle(page)
    assert set(cells.all_text_contents()) == {".14"}
    assert said_in_link(page)["positional_encoding_placed"] == "without"


def test_a_long_word_beside_the_map_keeps_its_beginning_and_end_and_the_chosen_row_has_a_frame(page):
    visit(
        page,
        f"{BACK}&positional_encoding_text=supercalifragilistic+cat+antidisestablishmentarianism&positional_encoding_ago_row=cat",
    )
    named = page.locator(".above bdi, .side bdi")
    assert named.all_text_contents() == ["super…stic", "cat", "antid…nism"] * 2
    assert named.evaluate_all("names => names.filter(name => name.scrollWidth > name.clientWidth).length") == 0
    frame = page.locator(".frame").bounding_box()
    for place in (3, 5):  # the first and the last cell of the second row
        cell = page.locator(".cell").nth(place).bounding_box()
        assert frame["x"] <= cell["x"] < cell["x"] + cell["width"] <= frame["x"] + frame["width"]
        assert frame["y"] <= cell["y"] < cell["y"] + cell["height"] <= frame["y"] + frame["height"]
    assert frame["height"] < 2 * cell["height"]


def test_the_cut_moves_while_top_p_is_dragged_and_the_table_follows_on_release(page):
    sent = frames_of(page)
    visit(page, CUTS)
    assert page.locator(".cut").is_hidden()
    before, table = len(sent), page.locator(".decision").inner_text()
    curve, dot = page.locator(".sizes polyline"), page.locator(".sizes circle")
    assert "For example, top-p = 0.9 would keep" in page.locator(".told").nth(1).text_content()
    heights, high = curve.get_attribute("points"), float(dot.get_attribute("cy"))
    drag(page, "top_p", 0.0, release=False)
    assert curve.get_attribute("points") != heights
    assert float(dot.get_attribute("cy")) > high  # it keeps a single token
    assert page.locator(".cuts .row:not(.out)").count() == 2  # the head and one token
    assert "Before the cut it has probability" in page.locator(".told").first.text_content()
    assert page.locator(".cut").is_visible()
    assert page.locator(".decision").inner_text() == table
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["tiny_lm_top_p"] == "0.05"
    assert page.locator(".decision").inner_text().count("✓") == 1
    sidebar = page.locator(".st-key-tiny_lm_top_p").get_by_role("slider")
    assert float(sidebar.get_attribute("aria-valuetext")) == 0.05


def test_a_row_does_not_move_with_a_constant_and_its_key_does(page):
    visit(page, "/scaling?scaling_step=constant&scaling_ask=no")
    before = page.locator(BARS).all_text_contents()
    drag(page, "amount", 1.0)
    assert page.locator(BARS).all_text_contents() == before
    assert said_in_link(page)["scaling_amount"] == "4.0"
    page.get_by_role("radio", name="add to a column").click()
    settle(page)
    drag(page, "amount", 0.0, release=False)
    assert float(page.locator(BARS).first.text_content()) < float(before[0])
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["scaling_amount"] == "-4.0"
