"""What holds on every page: for every eye, on a phone, without a network."""

import pytest

from pages.links.course import LESSONS
from tests.browser.accessibility import contrast, faint_texts, violations
from tests.browser.screen import PHONE, complaints, press, reveal, settle, strangers, too_wide, unfold, visit
from tests.lessons import names_of
from tests.tiers import first

TALL = {"width": 1280, "height": 4500}  # axe sees no colours where it would have to scroll
PAGES = ["", *(lesson.name for lesson in LESSONS)]
QKV_STATES = {
    "a question": lambda page: visit(page, "/qkv?qkv_step=softmax"),
    "a choice of maps": lambda page: visit(page, "/qkv?qkv_step=two"),
    "one matrix beside two": lambda page: [reveal(page), page.locator(".st-key-qkv_same label").click()],
    "change one number": lambda page: visit(page, "/qkv?qkv_step=change"),
    "the code": lambda page: unfold(page, "qkv_code"),
    "what to keep": lambda page: unfold(page, "qkv_keep"),
    "the link to share": lambda page: press(page, "qkv_share"),
}


def barriers(page) -> list[str]:
    """Return what keeps a page from some of its readers: on a large screen, and on a phone."""
    page.set_viewport_size(TALL)
    page.mouse.move(0, 0)
    settle(page)
    found = violations(page) + faint_texts(page)
    page.set_viewport_size(PHONE)
    settle(page)
    return found + too_wide(page)


@pytest.mark.parametrize("lesson", first(2, PAGES))
def test_every_page_opens_without_a_complaint_and_asks_nobody_else(page, lesson):
    foreign, complained = strangers(page), complaints(page)
    visit(page, f"/{lesson}")
    assert page.locator("h1").is_visible()
    assert (foreign, complained) == ([], [])


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lesson", PAGES)
def test_every_step_is_for_every_reader_on_any_screen_and_asks_nobody_else(page, lesson, scheme):
    foreign, complained = strangers(page), complaints(page)
    page.emulate_media(color_scheme=scheme)
    visit(page, f"/{lesson}")
    found = {"": barriers(page)}
    for step in names_of(lesson) if lesson else ():
        visit(page, f"/{lesson}?{lesson}_ask=no&{lesson}_step={step}")
        found[step] = barriers(page)
    assert {step: wrong for step, wrong in found.items() if wrong} == {}
    assert (foreign, complained) == ([], [])


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_what_is_opened_in_the_first_lesson_from_any_of_its_readers(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(TALL)
    visit(page, "/qkv")
    found = {}
    for state, reach in QKV_STATES.items():
        reach(page)
        page.mouse.move(0, 0)
        found[state] = violations(page) + faint_texts(page)
    assert {state: wrong for state, wrong in found.items() if wrong} == {}


@pytest.mark.nightly
def test_what_would_keep_readers_out_is_found(page):
    visit(page, "/qkv?qkv_step=match&qkv_ask=no")
    page.locator("h1").evaluate("title => { title.style.color = '#eee' }")
    page.locator("[data-testid=stVegaLiteChart] text").last.evaluate("text => { text.style.fill = '#ddd' }")
    assert [found.partition(":")[0] for found in violations(page)] == ["color-contrast"]
    assert len(faint_texts(page)) == 1
    assert contrast((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.01)


@pytest.mark.nightly
def test_a_keyboard_reaches_the_question_within_eight_stops(page):
    visit(page, "/qkv?qkv_step=softmax")
    for _ in range(7):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText") == "To the question":
            break
    assert page.get_by_role("button", name="To the question").is_visible()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('[data-testid=stForm]') !== null")
    visit(page, "/qkv?qkv_step=softmax&qkv_ask=no")
    assert not page.get_by_role("button", name="To the question").is_visible()
