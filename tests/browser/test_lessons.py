"""What holds on every page: for every eye, on a phone, without a network."""

from itertools import pairwise

import pytest

from pages.page.links.course import LESSONS
from tests.browser.accessibility import faint_texts, violations
from tests.browser.screen import PHONE, chart, complaints, settle, strangers, too_wide, visit
from tests.tiers import first

TALL = {"width": 1280, "height": 4500}
LECTURE = {"width": 853, "height": 480}  # a projector of 1280 × 720 at 150 %
PLACES = (
    "all => all.map(one => one.getBoundingClientRect()).map(({left, right, top}) => [Math.round(top), left, right])"
)


def steps(page, lesson):
    """Return the words by which a link calls the steps of a lesson."""
    nodes = page.locator(f".st-key-{lesson}_strip [data-step]")
    return nodes.evaluate_all("all => all.map(one => one.dataset.step)")


def barriers(page, link, scheme):
    """Return what keeps a page from some of its readers: on a large screen in one colour scheme, and on a phone."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(TALL)
    visit(page, link)
    page.mouse.move(0, 0)
    found = violations(page) + faint_texts(page)
    page.set_viewport_size(PHONE)
    settle(page)
    return found + too_wide(page)


@pytest.mark.promise("pitfall 12", "page 8")
@pytest.mark.parametrize("number", first(3, [0, 1, len(LESSONS), *range(2, len(LESSONS))]))
def test_every_page_is_for_every_reader_on_any_screen_and_asks_nobody_else(page, number):
    foreign, complained = strangers(page), complaints(page)
    link = f"/{LESSONS[number].name}" if number < len(LESSONS) else "/"
    assert barriers(page, link, ("light", "dark")[number % 2]) == []
    assert foreign == []
    assert complained == []


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
def test_every_step_is_for_every_reader_on_any_screen_and_asks_nobody_else(page, lesson, scheme):
    foreign, complained = strangers(page), complaints(page)
    link = f"/{lesson}?{lesson}_ask=no"
    visit(page, link)
    found = {step: barriers(page, f"{link}&{lesson}_step={step}", scheme) for step in steps(page, lesson)}
    assert found
    assert {step: wrong for step, wrong in found.items() if wrong} == {}
    assert foreign == []
    assert complained == []


def test_numbers_in_cells_keep_apart_in_a_lecture_hall(page):
    page.set_viewport_size(LECTURE)
    visit(page, "/causal_mask?causal_mask_step=see&causal_mask_ask=no")
    numbers = chart(page, 0).locator(".mark-text.role-mark").first.locator("text")
    places = sorted(numbers.evaluate_all(PLACES))
    assert len(places) == 49
    assert all(right > left for _, left, right in places)
    beside = [(one, other) for one, other in pairwise(places) if one[0] == other[0]]
    assert len(beside) == 42
    assert [(one, other) for one, other in beside if one[2] > other[1]] == []
