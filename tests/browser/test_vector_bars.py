"""Vectors that are dragged: their products follow in the browser, and only a released bar goes to the server."""

import numpy as np
import pytest

from attention_core.experiments.qkv.perturb import dot_products
from attention_core.rows import row_cosines, row_norms
from pages.look.html import number
from pages.motion.vector_bars import JS, product_told
from pages.qkv.dot import NAMES, PAIRS
from tests.app.qkv.scene import VECTORS
from tests.browser.screen import PHONE, cell_texts, complaints, field, said_in_link, settle, visit

DOT = "/qkv?qkv_step=dot"
ROWS = np.array(list(VECTORS.values()))
COMPUTED = """async ([source, pairs]) => {
    const { product } = await import(URL.createObjectURL(new Blob([source], {type: "text/javascript"})))
    return pairs.map(([a, b]) => { const { dot, lengths, cos } = product(a, b); return [dot, ...lengths, cos] })
}"""


def bar(page, name, entry):
    return page.get_by_role("slider", name=f"{name}, entry {entry}")


def drag(page, name, entry, to, release=True):
    """Drag a bar from its middle to a value on the scale from -1 to 1."""
    bar(page, name, entry).scroll_into_view_if_needed()
    box = bar(page, name, entry).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * (to + 1) / 2, y, steps=7)
    if release:
        page.mouse.up()
        settle(page)


def lines(page):
    """Return the products as they are written, and as the browser has them."""
    texts = [line.inner_text().split("\n") for line in page.locator(".products .line").all()]
    values = page.locator(".products [data-value]").evaluate_all("all => all.map(one => Number(one.dataset.value))")
    return ["".join(text) for text in texts], values


def assert_shown(page, vectors):
    """Require that bars, numbers and products show these vectors."""
    shown = [float(word) for word in page.get_by_role("slider").evaluate_all("all => all.map(one => one.ariaValueNow)")]
    np.testing.assert_allclose(shown, vectors.ravel(), atol=1e-12)
    texts, values = lines(page)
    np.testing.assert_allclose(values, [vectors[i] @ vectors[j] for i, j in PAIRS], atol=1e-9)
    for text, pair in zip(texts, PAIRS, strict=True):
        told = product_told(NAMES, vectors, pair)
        assert "".join(text.split()) == "".join(told.partition(" =")[0].split()) + "".join(
            told.partition("= ")[2].split()
        )


def done(page):
    return [text == "Done." for text in page.locator(".tasks b").all_inner_texts()]


def test_the_browser_computes_what_the_core_computes(page):
    visit(page, DOT)
    rng = np.random.default_rng(7)
    pairs = [rng.uniform(-99, 99, (2, width)) for width in (1, 3, 4, 8) for _ in range(97)]
    pairs += [np.zeros((2, 4)), np.array([[0.0, 0, 0], [1, 2, 3]]), ROWS[[0, 2]], -ROWS[[0, 0]]]
    found = page.evaluate(COMPUTED, [JS, [pair.tolist() for pair in pairs]])
    for pair, (dot, first, second, cosine) in zip(pairs, found, strict=True):
        np.testing.assert_allclose(dot, dot_products(pair[:1], pair[1:])[0, 0], atol=1e-6)
        np.testing.assert_allclose([first, second], row_norms(pair), atol=1e-6)
        np.testing.assert_allclose(cosine, row_cosines(pair[:1], pair[1:])[0], atol=1e-6)


def test_products_and_tasks_follow_the_pointer_and_a_release_goes_to_map_field_and_link(page):
    errors, sent = complaints(page), []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    visit(page, DOT)
    assert_shown(page, ROWS)
    assert done(page) == [False, False]
    vectors, before = ROWS.copy(), len(sent)
    drag(page, "mat", 2, 1.0, release=False)
    vectors[2, 1] = 1
    assert_shown(page, vectors)
    page.mouse.move(0, 0)  # far from the bar it is still held, at its end
    vectors[2, 1] = -1
    assert_shown(page, vectors)
    assert len(sent) == before
    page.mouse.up()
    settle(page)
    assert said_in_link(page)["qkv_mat"] == "0.8 -1 0.7 0.3"
    assert field(page, "qkv_mat").input_value() == "0.8 -1 0.7 0.3"
    assert cell_texts(page) == [[number(value) for value in row] for row in vectors @ vectors.T]
    for entry, value in ((2, 1.0), (3, 1.0), (4, 1.0)):
        drag(page, "mat", entry, value)
    assert done(page) == [True, True]
    assert said_in_link(page)["qkv_mat"] == "0.8 1 1 1"
    assert page.get_by_text("Length did it: mat has 1.91, cat 1.22.").is_visible()
    assert errors == []


def test_keys_move_a_bar_and_the_others_wait_their_turn(page):
    visit(page, DOT)
    bar(page, "mat", 1).focus()
    for key in ("ArrowLeft", "ArrowDown", "ArrowRight", "PageDown"):
        page.keyboard.press(key)
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")  # the last entry of the vector before
    page.keyboard.press("End")
    page.wait_for_function("location.search.includes('qkv_sat')")
    settle(page)
    assert said_in_link(page)["qkv_mat"] == "0.2 -1 0.7 0.3"
    assert said_in_link(page)["qkv_sat"] == "0.1 0.9 0.3 1"
    assert_shown(page, np.array([ROWS[0], [0.1, 0.9, 0.3, 1], [0.2, -1, 0.7, 0.3]]))
    assert bar(page, "sat", 4).evaluate("bar => bar === bar.getRootNode().activeElement")
    assert bar(page, "mat", 2).get_attribute("aria-valuetext") == "−1.00"


def test_a_number_beyond_the_scale_makes_the_scale_longer(page):
    visit(page, f"{DOT}&qkv_mat=9+9+9+9")
    assert_shown(page, np.array([*ROWS[:2], [9, 9, 9, 9]]))
    assert done(page) == [False, True]
    assert page.locator(".scale").first.inner_text().split() == ["−16", "0", "16"]
    bar(page, "mat", 1).press("ArrowLeft")
    page.wait_for_function("location.search.includes('=8+9+9+9')")


@pytest.mark.parametrize("word", ["lock", "hide"])
def test_a_locked_vector_cannot_be_moved_and_the_others_can(page, word):
    visit(page, f"{DOT}&qkv_{word}=mat")
    assert [bar(page, name, 1).get_attribute("aria-disabled") for name in NAMES] == ["false", "false", "true"]
    drag(page, "mat", 1, -1.0)
    bar(page, "mat", 1).press("ArrowLeft")
    assert_shown(page, ROWS)
    drag(page, "cat", 1, -1.0)
    assert said_in_link(page)["qkv_cat"] == "-1 0.1 0.8 0.2"


def test_a_finger_drags_along_a_bar_and_scrolls_across_it(visitor, server):
    page = visitor(server, **PHONE, has_touch=True, is_mobile=True)
    visit(page, DOT)
    bar(page, "mat", 2).scroll_into_view_if_needed()
    box = bar(page, "mat", 2).bounding_box()
    touch, x, y = page.context.new_cdp_session(page), box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2

    def gesture(*points):
        for kind, point in zip(("touchStart", *["touchMove"] * (len(points) - 1)), points, strict=True):
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": point[0], "y": point[1]}]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        settle(page)

    gesture(*((x, y - 30 * i) for i in range(7)))
    assert_shown(page, ROWS)
    bar(page, "mat", 2).click(trial=True)  # once the page has come to rest
    box = bar(page, "mat", 2).bounding_box()
    y, end = box["y"] + box["height"] / 2, box["x"] + box["width"]
    gesture(*((x + (end - x) * i / 4, y) for i in range(5)))
    page.wait_for_url("**qkv_mat=0.8*")
    settle(page)
    assert said_in_link(page)["qkv_mat"] == "0.8 1 0.7 0.3"
