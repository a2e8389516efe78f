"""Where things stand on the screen, from a phone to a projector, with the menu open where it opens by itself."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.browser.screen import CHART, rgb, style, visit

PLACES = (
    "all => all.map(one => one.getBoundingClientRect()).map(({left, right, top}) => [Math.round(top), left, right])"
)
SOFTMAX = "/qkv?qkv_step=softmax&qkv_ask=no"

# Every text of a derivation that reaches out of its card, and every two of one line that touch.
CROWDED = """all => all.flatMap(list => {
    const card = list.closest('[data-testid=stElementContainer]').getBoundingClientRect()
    const texts = [...list.children].filter(part => part.textContent && part.checkVisibility()).map(part => {
        const range = document.createRange()
        range.selectNodeContents(part)
        const {left, right} = range.getBoundingClientRect()
        return {left, right, line: Math.round(part.getBoundingClientRect().bottom / 8), text: part.textContent}
    })
    const out = texts.filter(one => one.left < card.left - 1 || one.right > card.right + 1)
    const touching = texts.filter((one, i) => i && one.line === texts[i - 1].line && one.left < texts[i - 1].right - 1)
    return [...out, ...touching].map(one => one.text)
})"""


@pytest.mark.parametrize("width", [320, 820, 1024])
def test_a_derivation_stays_inside_its_card_at_every_width(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, SOFTMAX)
    lists = page.locator(".ledger, .chain")
    assert lists.count() >= 2
    assert lists.evaluate_all(CROWDED) == []


@pytest.mark.parametrize(("width", "stacked"), [(1024, True), (1280, False)])
def test_a_map_and_its_derivation_stand_one_above_the_other_where_the_menu_leaves_little(page, width, stacked):
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, SOFTMAX)
    left, right = (page.get_by_test_id("stColumn").nth(i).bounding_box() for i in (0, 1))
    assert (right["y"] >= left["y"] + left["height"]) is stacked
    assert (right["x"] == left["x"]) is stacked


def test_the_tools_of_a_picture_cover_nothing_above_it_and_close_the_full_screen(page):
    page.set_viewport_size({"width": 1280, "height": 900})
    visit(page, "/scaling?scaling_step=scores&scaling_ask=no")
    picture = page.locator(CHART).nth(1)
    picture.hover()
    tools = page.get_by_test_id("stElementToolbar").nth(1)
    expect(tools).to_have_css("opacity", "1")
    under, above = tools.bounding_box(), picture.bounding_box()
    assert under["y"] >= above["y"] + above["height"] - 1
    tools.get_by_role("button", name="Fullscreen").click()
    tools.get_by_role("button", name="Close fullscreen").click()
    expect(tools.get_by_role("button", name="Fullscreen")).to_be_attached()
    picture.hover()
    page.locator(".st-key-scaling_next").get_by_role("button").click(timeout=5000)
    expect(page).to_have_url(re.compile("scaling_step=largest"))


def test_what_can_be_pressed_has_a_border_and_only_the_way_on_is_filled(page):
    page.set_viewport_size({"width": 1280, "height": 900})
    visit(page, "/qkv?qkv_exercise=task2&qkv_ask=no")
    tasks = page.locator("[class*='st-key-qkv_exercises_'] button")
    assert {style(tasks.nth(i), "borderTopStyle") for i in range(tasks.count())} == {"solid"}
    assert "rgba(0, 0, 0, 0)" not in {style(tasks.nth(i), "borderTopColor") for i in range(tasks.count())}
    gaps = {
        round(right[1] - left[2]) for left, right in pairwise(sorted(tasks.evaluate_all(PLACES))) if left[0] == right[0]
    }
    assert len(gaps) == 1
    chosen, other = (tasks.filter(has_text=f"Task {i}") for i in (2, 1))
    assert style(chosen, "backgroundColor") != style(other, "backgroundColor")
    way_on = page.get_by_test_id("stMain").get_by_test_id("stBaseButton-primary")
    assert way_on.count() == 1
    assert rgb(style(way_on, "backgroundColor")) == rgb("#5b3fc0")
    assert page.get_by_test_id("stMain").get_by_test_id("stPageLink-NavLink").count() == 0


def test_the_column_stands_in_the_middle_of_what_the_menu_leaves(page):
    page.set_viewport_size({"width": 1920, "height": 900})
    for link in ("/", "/scaling?scaling_ask=no"):
        visit(page, link)
        main = page.get_by_test_id("stMain").bounding_box()
        column = page.locator("[data-testid=stMainBlockContainer] > * > [data-testid=stLayoutWrapper]").bounding_box()
        assert column["width"] == 1080
        assert abs(column["x"] + 540 - main["x"] - main["width"] / 2) < 12  # half a scroll bar


@pytest.mark.parametrize("touch", [False, True])
def test_keys_are_named_where_there_is_a_keyboard(visitor, server, touch):
    page = visitor(server, has_touch=touch, is_mobile=touch)
    visit(page, SOFTMAX)
    keys = page.locator("[class*=_walk] kbd")
    assert keys.count() == 2
    assert [keys.nth(i).is_visible() for i in range(2)] == [not touch] * 2


def test_a_caption_below_a_table_is_as_small_as_below_a_chart(page):
    visit(page, SOFTMAX)
    caption, note = page.locator(".wide + p").first, page.locator(".course.note").first
    assert [style(caption, name) for name in ("fontSize", "color")] == [
        style(note, name) for name in ("fontSize", "color")
    ]
