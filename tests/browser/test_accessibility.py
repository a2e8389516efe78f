import pytest

from tests.browser.accessibility import contrast, faint_texts, violations
from tests.browser.screen import CHART, choose, nudge, press, reveal, settle, to_step, unfold, visit

TALL = {"width": 1280, "height": 4500}  # axe sees no colours where it would have to scroll
BUT_CHARTS = {"exclude": [[CHART]]}
QKV_STATES = {
    "/qkv": lambda page: visit(page, "/qkv"),
    "a question": lambda page: to_step(page, "qkv", "softmax"),
    "softmax, closely": reveal,
    "sliders of a vector": lambda page: to_step(page, "qkv", "dot"),
    "a choice of maps": lambda page: to_step(page, "qkv", "two"),
    "one matrix beside two": lambda page: [reveal(page), nudge(page, "qkv_same")],
    "a soft look-up": lambda page: to_step(page, "qkv", "mix"),
    "change one number": lambda page: [choose(page, "qkv_closer", "Change one number"), reveal(page)],
    "what to keep": lambda page: unfold(page, "qkv_keep"),
    "the link to share": lambda page: press(page, "qkv_share"),
}


def barriers(page) -> list[str]:
    """Return what keeps the page from some of its readers, wherever the mouse is not.

    In dark nothing differs but colours, and those in charts axe cannot see.
    """
    found = []
    page.mouse.move(0, 0)
    for scheme, rules, within in (("light", [], "body"), ("dark", ["color-contrast"], BUT_CHARTS)):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        found += [f"{scheme}: {barrier}" for barrier in violations(page, *rules, within=within) + faint_texts(page)]
    return found


@pytest.mark.nightly
def test_nothing_keeps_the_home_page_from_any_of_its_readers(page):
    page.set_viewport_size(TALL)
    visit(page)
    assert barriers(page) == []


@pytest.mark.nightly
@pytest.mark.promise("page 8")
def test_nothing_keeps_the_first_lesson_from_any_of_its_readers(page):
    page.set_viewport_size(TALL)
    found = {}
    for state, reach in QKV_STATES.items():
        reach(page)
        found[state] = barriers(page)
    assert {state: barriers for state, barriers in found.items() if barriers} == {}


@pytest.mark.nightly
def test_nothing_keeps_the_code_from_any_of_its_readers(page):
    page.set_viewport_size(TALL)
    visit(page, "/qkv")
    unfold(page, "qkv_code")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        assert violations(page, "color-contrast", "scrollable-region-focusable", within=".st-key-qkv_code") == []


def test_what_would_keep_readers_out_is_found(page):
    visit(page)
    page.locator("h1").evaluate("title => { title.style.color = '#eee' }")
    page.locator("[data-testid=stVegaLiteChart] text").last.evaluate("text => { text.style.fill = '#ddd' }")
    assert [found.partition(":")[0] for found in violations(page)] == ["color-contrast"]
    assert len(faint_texts(page)) == 1


def test_contrast_is_that_of_wcag():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.01)
