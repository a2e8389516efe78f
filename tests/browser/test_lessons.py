"""What the first lesson promises holds in the others: for every eye, on a phone, without a network."""

import re

import pytest

from pages.shared.course import LESSONS
from tests.browser.accessibility import faint_texts, violations
from tests.browser.screen import PHONE, complaints, settle, strangers, too_wide, visit

TALL = {"width": 1280, "height": 4500}


def stages(page, lesson):
    """Return the words by which a link calls the stages of a lesson."""
    classes = page.locator(f"[class*='st-key-{lesson}_to_']").evaluate_all("all => all.map(one => one.className)")
    return [re.search(rf"st-key-{lesson}_to_(\w+)", name).group(1) for name in classes]


@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS if lesson.name != "qkv"])
def test_every_second_stage_is_for_every_reader_on_any_screen_and_asks_nobody_else(page, lesson):
    foreign, complained = strangers(page), complaints(page)
    link = f"/{lesson}?{lesson}_ask=no"
    visit(page, link)
    found = {}
    for number, stage in enumerate(stages(page, lesson)[::2]):  # each second one: all of them take three minutes
        page.emulate_media(color_scheme=("light", "dark")[number % 2])
        page.set_viewport_size(TALL)
        visit(page, f"{link}&{lesson}_step={stage}")
        page.mouse.move(0, 0)
        found[stage] = violations(page) + faint_texts(page)
        page.set_viewport_size(PHONE)
        settle(page)
        found[stage] += too_wide(page)
    assert found
    assert {stage: wrong for stage, wrong in found.items() if wrong} == {}
    assert foreign == []
    assert complained == []
