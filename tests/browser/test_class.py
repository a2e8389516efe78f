"""Links as a class meets them: in a frame of a course page, with parts hidden, and on paper."""

import http.server
import re
import threading
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from urllib.parse import parse_qsl, quote

import numpy as np
import pytest
from PIL import Image

from tests.browser.screen import CHART, enter, field, is_locked, press, reveal, said_in_link, settle, visit

pytestmark = pytest.mark.nightly
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


@pytest.mark.promise("page 6")
def test_a_lesson_works_in_a_frame_of_a_course_page(page, server, tmp_path):
    link = f"{server.url}/qkv?qkv_step=softmax&qkv_ask=no&qkv_hide=step&embed=true"
    with course_page(tmp_path, link) as address:
        page.goto(address)
        lesson, frame = page.frame_locator("iframe"), page.frames[1]
        lesson.locator(CHART).first.locator("path").first.wait_for(state="attached")
        settle(frame)
        cell = lesson.locator(CHART).first.locator(".mark-rect.role-mark").first.locator("path").first
        cell.click(force=True)
        lesson.locator(".course .title", has_text="it → the₁").wait_for()
        assert lesson.get_by_test_id("stMainMenu").count() == 0
        assert not lesson.locator(".st-key-qkv_walk").is_visible()
        assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth")


QUERY = "qkv_step=x&qkv_text=caf%C3%A9%20au%20lait&qkv_seed=5&qkv_lock=text"


def test_a_link_that_was_encoded_too_often_shows_its_scene_at_once(page):
    for query in (QUERY.replace("&", "&amp;"), QUERY.replace("%", "%25"), quote(QUERY, safe="")):
        visit(page, f"/qkv?{query}")
        assert field(page, "qkv_text").input_value() == "café au lait"
        assert is_locked(page, "qkv_text")
        assert said_in_link(page) == dict(parse_qsl(QUERY))
        enter(page, "qkv_seed", 6)
        assert said_in_link(page) == dict(parse_qsl(QUERY)) | {"qkv_seed": "6"}


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


@pytest.mark.parametrize("link", ["/", "/qkv?qkv_step=softmax", "/multi_head", "/tiny_lm?tiny_lm_step=bet"])
def test_a_page_fits_on_a4_and_says_where_it_came_from(page, link):
    visit(page, link)
    reveal(page)
    settle(page)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 690, "height": 980})  # A4 within its margins, in pixels of the page
    settle(page)
    wide = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stMain] *')].filter(part => {
            const {right, width, height} = part.getBoundingClientRect()
            const scrolls = part.closest('.wide, .decision, pre, [data-testid=stVegaLiteChart]')
            return width && height && right > 691 && !scrolls
        }).map(part => part.outerHTML.slice(0, 120))"""
    )
    assert wide == []
    pictures = page.locator(f"{CHART}, .arcs").locator("svg, canvas")
    assert pictures.count() > 0
    for picture in pictures.all():
        box = picture.bounding_box()
        assert box["x"] + box["width"] <= 691
    assert page.locator(".course.printed").inner_text().startswith("http")
    assert not page.get_by_test_id("stSidebar").is_visible()
    pages = page.pdf(prefer_css_page_size=True)
    sizes = {tuple(round(float(part)) for part in box.split()[2:]) for box in media_boxes(pages)}
    assert sizes == {A4}
    page.emulate_media(media="screen")


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
