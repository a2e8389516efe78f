"""Pictures that move under the hand: their formulas are those of the core, and a release is in the link."""

import json
import math
from itertools import product

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_core as core
from attention_core.equations.positions import frequencies
from attention_core.experiments.positions.position_kinds import explain_rope_score
from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.experiments.qkv.perturb import dot_products, mix_values, rotate_in_plane, softmax_at
from attention_core.text.word_vectors import word_vectors
from pages.heads.matrices import SENTENCE
from pages.look.html import number
from pages.look.modules import joined
from pages.motion.sliders import HERE
from tests.browser.screen import complaints, drag_slider, frames_sent, said_in_link, settle, visit

TEMPERATURES = {"0": 0, "0.1": 0.1, "0.3": 0.3, "1": 1, "√2": math.sqrt(2), "3": 3, "10": 10, "∞": math.inf}
WORDS = ["the", "cat", "sat"]
MIX = "/qkv?qkv_step=lookup"
CLOCKS = "/positional_encoding?positional_encoding_step=clocks&positional_encoding_ask=no"
ROPE = "/positional_encoding?positional_encoding_step=rope&positional_encoding_ask=no"
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
    drag_slider(page, slider(page, name), to, release)


def hold(page, name, place):
    """Hold a slider at one of its stops, as a drag does."""
    move = "(range, place) => { range.value = place; range.dispatchEvent(new Event('input')) }"
    slider(page, name).evaluate(move, place)


def tips(page, within=".square"):
    return page.locator(f"{within} path").evaluate_all(f"paths => paths.map({HEAD})")


def in_browser(page, file, expression, cases):
    """Return what an expression with the functions of a script gives in the browser, for each case `c`."""
    code = joined(HERE / f"{file}.js").replace("export default", "void")
    return page.evaluate(f"cases => {{ {code}\nreturn cases.map(c => {expression}) }}", cases)


def test_the_formulas_in_the_browser_are_those_of_the_core(page):
    flat = attend(word_vectors(WORDS, 2, 20), random_head(2, 2, 20))
    given = json.dumps({"keys": flat.k.tolist(), "values": flat.v.tolist()})
    settings = [*product(range(3), (-180, -55, 0, 5, 90), TEMPERATURES)]
    cases = [{"query": flat.q[asks].tolist(), "angle": angle, "at": name} for asks, angle, name in settings]
    call = f"lookUp({{ ...{given}, query: c.query }}, c.angle, NUMBERS[c.at] ?? Number(c.at))"
    for (asks, angle, name), seen in zip(settings, in_browser(page, "planes", call, cases), strict=True):
        keys = rotate_in_plane(flat.k, angle)
        expected = softmax_at(dot_products(flat.q, keys), TEMPERATURES[name])
        np.testing.assert_allclose(seen["turned"], keys, rtol=0, atol=1e-6)
        np.testing.assert_allclose(seen["weights"], expected[asks], rtol=0, atol=1e-6)
        np.testing.assert_allclose(seen["output"], mix_values(expected, flat.v)[asks], rtol=0, atol=1e-6)

    width, base = 16, 100.0
    turns = frequencies(width, base)
    vector = np.random.default_rng(0).standard_normal(width)
    hands = np.array([[*vector[2 * i : 2 * i + 2], at * turns[i]] for at in (-12, 7) for i in range(width // 2)])
    found = in_browser(page, "clocks", "rotated(c.slice(0, 2), c[2])", hands.tolist())
    expected = [core.rotate(vector[None], base, at)[0] for at in (-12, 7)]
    np.testing.assert_allclose(np.reshape(found, (2, width)), expected, rtol=0, atol=1e-9)


@pytest.mark.nightly
def test_both_planes_and_the_weights_move_while_a_slider_is_dragged_and_the_server_hears_of_the_release(page):
    sent, errors = frames_sent(page), complaints(page)
    visit(page, MIX)
    before, then = len(sent), tips(page)
    drag(page, "angle", 1.0, release=False)
    turned = tips(page)
    assert [old == new for old, new in zip(then, turned, strict=True)] == [False] * 3 + [True] * 4  # keys alone
    assert np.add(turned[:3], then[:3]) == pytest.approx(260)  # by half a round, about the middle of 130
    flat = attend(word_vectors(WORDS, 2, 20), random_head(2, 2, 20))
    weights = softmax_at(dot_products(flat.q, rotate_in_plane(flat.k, 180)), math.sqrt(2))[2]
    expect(page.locator(".panel .number")).to_have_text([f"{weight:.2f}" for weight in weights])
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["qkv_angle"] == "180"
    assert errors == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("link", "stops"),
    [
        (MIX, [("angle", place) for place in range(len(range(-180, 181, 5)))]),
        (MIX, [("temperature", place) for place in range(len(TEMPERATURES))]),
        (CLOCKS, [*(("here", here) for here in range(48)), *(("steps", steps) for steps in range(25))]),
        (ROPE, [*(("q_at", at) for at in range(31)), *(("k_at", at) for at in range(31))]),
    ],
    ids=["angles", "temperatures", "clocks", "RoPE"],
)
def test_no_name_covers_another_at_any_stop(page, link, stops):
    visit(page, link)
    covered = []
    for name, place in stops:
        hold(page, name, place)
        covered += [(name, place)] * page.locator(".square").evaluate_all(COVERED)
    assert covered == []


def test_hands_turn_while_positions_are_dragged_and_the_score_of_rope_stands_still_where_both_are_shifted(page):
    sent = frames_sent(page)
    visit(page, ROPE)
    before, score = len(sent), page.locator(".score .marked .number")
    head, x = random_head(64, 6, 18), word_vectors(SENTENCE.split(), 64, 18)

    def expected(q_at, k_at):
        return number(explain_rope_score(x[1] @ head.w_q, x[2] @ head.w_k, q_at, k_at).score, 4)

    expect(score).to_have_text(expected(5, 2))
    then = tips(page, ".square >> nth=0 >> g")
    drag(page, "slide", 1.0, release=False)
    expect(score).to_have_text(expected(5, 2))
    moved = tips(page, ".square >> nth=0 >> g")
    assert [old == new for old, new in zip(then, moved, strict=True)] == [True, *[False] * (len(then) - 1)]  # v first
    hold(page, "k_at", 30)
    expect(score).to_have_text(expected(5, 30))
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    page.get_by_role("radio", name="q, k and v").press("Space")
    settle(page)
    assert said_in_link(page)["positional_encoding_rotates"] == "q, k and v"
