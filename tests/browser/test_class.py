"""Links as a class meets them: in a frame of a course page, with parts hidden, and on paper."""

import http.server
import re
import threading
from contextlib import contextmanager
from functools import partial, reduce
from io import BytesIO
from urllib.parse import parse_qsl, quote

import numpy as np
import pytest
from markupsafe import Markup
from PIL import Image

from pages.reproduce.files import document
from tests.browser.accessibility import contrast
from tests.browser.screen import CHART, click_cell, enter, field, is_locked, press, reveal, said_in_link, settle, visit
from tests.tiers import first

A4 = (595, 842)  # points
COURSE_PAGE = """<!doctype html><title>Week 3</title><h1>Week 3</h1><p>Read this, then try it.</p>
<iframe src="{address}" width="100%" height="900" style="border:0" title="Q/K/V"></iframe>"""


@contextmanager
def course_page(folder, address):
    """Serve a page of somebody else's, on a host of its own, that shows a lesson in a frame."""
    (folder / "index.html").write_text(COURSE_PAGE.format(address=address), encoding="utf-8")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{site.server_port}/"
        finally:
            site.shutdown()


def test_a_lesson_works_in_a_frame_of_a_course_page(page, server, tmp_path):
    link = f"{server.url}/qkv?qkv_step=softmax&qkv_ask=no&qkv_hide=step&embed=true"
    with course_page(tmp_path, link) as address:
        page.goto(address)
        lesson, frame = page.frame_locator("iframe"), page.frames[1]
        lesson.locator(CHART).first.locator("path").first.wait_for(state="attached", timeout=60_000)
        settle(frame)
        cell = lesson.locator(CHART).first.locator(".mark-rect.role-mark").first.locator("path").nth(1)
        cell.click(force=True, timeout=30_000)
        lesson.locator(".course .title", has_text="the₁ → cat").wait_for()
        assert lesson.get_by_test_id("stMainMenu").count() == 0
        assert not lesson.locator(".st-key-qkv_walk").is_visible()
        assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth")


QUERY = "qkv_step=x&qkv_text=caf%C3%A9%20au%20lait&qkv_seed=5&qkv_lock=text"
ENCODED = {
    "HTML, once too often": QUERY.replace("&", "&amp;"),
    "values twice": QUERY.replace("%", "%25"),
    "all of it twice": quote(QUERY, safe=""),
}


@pytest.mark.parametrize("query", first(1, ENCODED.values()))
def test_a_link_that_was_encoded_too_often_shows_its_scene_at_once(page, query):
    visit(page, f"/qkv?{query}")
    assert field(page, "qkv_text").input_value() == "café au lait"
    assert is_locked(page, "qkv_text")
    assert field(page, "qkv_seed").input_value() == "5"
    words = said_in_link(page)
    assert words == dict(parse_qsl(QUERY))
    enter(page, "qkv_seed", 6)
    assert said_in_link(page) == words | {"qkv_seed": "6"}
    assert field(page, "qkv_text").input_value() == "café au lait"
    page.reload()
    settle(page)
    assert field(page, "qkv_seed").input_value() == "6"
    assert field(page, "qkv_text").input_value() == "café au lait"


@pytest.mark.nightly
def test_what_is_hidden_is_not_to_be_seen_nor_reached(page):
    visit(page, "/qkv?qkv_step=softmax&qkv_ask=no&qkv_hide=seed.step.exercise.code&qkv_seed=5")
    for key in ("qkv_seed", "qkv_strip", "qkv_walk", "qkv_practice", "qkv_code"):
        assert not page.locator(f".st-key-{key}").first.is_visible()
    assert page.locator(".st-key-qkv_keep").is_visible()
    title = page.locator("h1").inner_text()
    page.keyboard.press("Shift+ArrowRight")
    settle(page)
    assert page.locator("h1").inner_text() == title
    assert "seed 5" in page.get_by_test_id("stMain").inner_text()
    click_cell(page, 0, 1, "qkv_Weight_chart")


@pytest.mark.promise("home 4")
def test_the_code_of_a_link_is_drawn_and_a_plan_keeps_its_views_through_reloads_and_opens_them(page):
    visit(page, "/qkv?qkv_step=x&qkv_seed=9")
    press(page, "qkv_share")
    image = page.get_by_role("dialog").get_by_role("img", name="QR code")
    assert image.evaluate("image => image.complete && image.naturalWidth > 0")
    press(page, "_qkv_plan")
    press(page, "qkv_next")
    press(page, "qkv_share")
    press(page, "_qkv_plan")
    views = page.get_by_role("listitem").get_by_role("link")
    names = [view.inner_text() for view in views.all()]
    assert len(names) == len({*names}) == 2
    page.reload()
    settle(page, 1000)
    assert views.all_inner_texts() == names
    visit(page)  # a new session, whose address says nothing of the plan
    settle(page, 1000)
    page.locator(".st-key-home_teachers summary").click()
    settle(page)
    link = page.locator(".st-key-home_teachers code").inner_text()
    assert page.url == link
    page.evaluate("sessionStorage.clear()")
    visit(page, link)
    assert views.all_inner_texts() == names
    views.first.click()
    settle(page, 1000)
    assert field(page, "qkv_seed").input_value() == "9"
    assert page.get_by_test_id("stSidebar").get_by_role("listitem").all_inner_texts() == names


# Of each text in a locked control: what it says, its colour, and the colours it stands on, from the next to the last.
TEXTS = """() => [...document.querySelectorAll('[class*=st-key-]:has(:disabled)')].flatMap(control => {
    const walker = document.createTreeWalker(control, NodeFilter.SHOW_TEXT), found = []
    while (walker.nextNode()) found.push([walker.currentNode.data, walker.currentNode.parentElement])
    for (const input of control.querySelectorAll('input:not([type=checkbox], [type=range])'))
        found.push([input.value, input])
    const seen = element => element.checkVisibility({opacityProperty: true, visibilityProperty: true})
    return found.filter(([text, element]) => text.trim() && seen(element)).map(([text, element]) => {
        const {top} = element.getBoundingClientRect(), below = []
        for (let one = element; one; one = one.parentElement)  // the value of a slider hangs over its handle
            if (one.getBoundingClientRect().top <= top) below.push(getComputedStyle(one).backgroundColor)
        return [text, getComputedStyle(element).webkitTextFillColor, below]
    })
})"""


def over(colour, below):
    """Return what a colour of CSS, perhaps transparent, looks like on another colour."""
    *own, alpha = ([float(part) for part in re.findall(r"[\d.]+", colour)] + [1])[:4]
    return [alpha * part + (1 - alpha) * other for part, other in zip(own, below, strict=True)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_a_teacher_locked_can_be_read(page, scheme):
    page.emulate_media(color_scheme=scheme)
    visit(page, "/qkv?qkv_step=two&qkv_weights=random&qkv_text=a+sat&qkv_q=sat&qkv_lock=text.seed.weights.d_k.q.same")
    found = {}
    for text, ink, grounds in page.evaluate(TEXTS):
        ground = reduce(lambda below, colour: over(colour, below), reversed(grounds), [255, 255, 255])
        found[text] = contrast(over(ink, ground), ground)
    assert {"a sat", "random", "4", "20", "sat", "Same matrix: W_K = W_Q"} <= {*found}
    assert {text: ratio for text, ratio in found.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("width", [1280, 1920])
def test_the_arcs_and_the_formula_are_printed_whole_from_a_wide_window(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, "/qkv?qkv_step=softmax&qkv_ask=no")
    page.emulate_media(media="print")
    settle(page)
    overhang = """main => {
        main.style.width = '690px'  // as a printer does, which waits for no script that draws anew
        const host = main.querySelector('[class*=_arcs]'), room = host.getBoundingClientRect()
        const inside = [...host.querySelectorAll('*')].find(element => element.shadowRoot).shadowRoot
        const { right, left, height } = inside.querySelector('svg').getBoundingClientRect()
        return [right - room.right, room.left - left, 40 - height]
    }"""
    assert max(page.get_by_test_id("stMainBlockContainer").evaluate(overhang)) < 1
    formula = page.locator(".st-key-qkv_formula")
    assert all(button.is_visible() for button in formula.get_by_role("button").all())
    assert re.sub(r"\s", "", formula.inner_text()) == "output=softmax(Q·Kᵀ/√dₖ)V"


@pytest.mark.nightly
@pytest.mark.parametrize("link", ["/", "/qkv?qkv_step=softmax", "/multi_head", "/tiny_lm?tiny_lm_step=bet"])
def test_a_page_fits_on_a4_and_says_where_it_came_from(page, link):
    visit(page, link)
    reveal(page)
    settle(page)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 690, "height": 980})  # A4 within its margins, in pixels of the page
    page.wait_for_timeout(500)
    wide = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stMain] *')].filter(part => {
            const {right, width, height} = part.getBoundingClientRect()
            const scrolls = part.closest('.wide, .decision, pre, [data-testid=stVegaLiteChart]')
            return width && height && right > 691 && !scrolls
        }).map(part => part.outerHTML.slice(0, 120))"""
    )
    assert wide == []
    charts = page.locator(CHART)
    assert charts.count() > 0
    for number in range(charts.count()):
        box = charts.nth(number).locator("svg, canvas").first.bounding_box()
        assert box["x"] + box["width"] <= 691
    assert page.locator(".course.printed").inner_text().startswith("http")
    assert not page.get_by_test_id("stSidebar").is_visible()
    pages = page.pdf(prefer_css_page_size=True)
    sizes = {tuple(round(float(part)) for part in box.split()[2:]) for box in media_boxes(pages)}
    assert sizes == {A4}
    page.emulate_media(media="screen")


@pytest.mark.nightly
@pytest.mark.promise("home 4")
def test_a_page_in_the_dark_theme_is_printed_on_white_paper(visitor, server):
    page = visitor(server, color_scheme="dark")
    visit(page, "/qkv?qkv_step=softmax&qkv_ask=no")
    chart = page.locator(CHART).first
    assert np.median(brightness(page)) < 40
    assert np.median(brightness(chart)) < 100
    page.emulate_media(media="print", color_scheme="dark")
    for part in (page, page.locator("h1"), chart, page.locator(".course.lead").first):
        seen = brightness(part)
        assert seen[0, 0] == 255
        assert seen.min() < 120
    assert np.median(brightness(page)) == 255


def brightness(part):
    """Return how bright each point of a page, or of a part of it, is."""
    return np.asarray(Image.open(BytesIO(part.screenshot())).convert("L"))


def media_boxes(pdf):
    return re.findall(r"/MediaBox ?\[([^\]]+)\]", pdf.decode("latin-1"))


@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_as_one_file_does_not_scroll_sideways_however_long_its_address(page, width, tmp_path):
    file = tmp_path / "kept.html"
    file.write_text(
        document("Q/K/V", [Markup("<p>text</p>")], Markup("From http://localhost/qkv?qkv_text={}").format("é" * 999))
    )
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(file.as_uri())
    assert page.locator("footer").inner_text().startswith("From")
    assert page.evaluate("document.documentElement.scrollWidth") == width
