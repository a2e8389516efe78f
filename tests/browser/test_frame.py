"""What the lessons have around their pictures: the strip of steps, keys, places on the screen, what is kept."""

import json
import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import contrast
from tests.browser.screen import (
    chart,
    complaints,
    field,
    rgb,
    said_in_link,
    settle,
    step_button,
    style,
    tab_to,
    to_step,
    visit,
)

SOFTMAX = "/qkv?qkv_step=softmax&qkv_ask=no"
WAVES = "/positional_encoding?positional_encoding_step=waves"
FORBIDDEN = """Object.defineProperty(window, "sessionStorage", {  // as in a frame on a page of another site
    get() { throw new DOMException("forbidden", "SecurityError") } })"""
PLACES = (
    "all => all.map(one => one.getBoundingClientRect()).map(({left, right, top}) => [Math.round(top), left, right])"
)
BEHIND = """element => {
    const clear = /^(transparent|rgba.*, 0\\))$/
    while (clear.test(getComputedStyle(element).backgroundColor)) element = element.parentElement
    return getComputedStyle(element).backgroundColor
}"""
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


def strip(page, lesson="qkv"):
    return page.locator(f".st-key-{lesson}_strip")


def at_step(page, name):
    """Wait until a step is in view and drawn."""
    expect(step_button(page, "qkv", name)).to_have_attribute("aria-checked", "true")
    settle(page)


def test_a_step_is_reached_by_its_label_and_a_lesson_by_the_end_of_the_one_before(page):
    errors = complaints(page)
    visit(page, "/?home_text=the+small+dog+ran")
    page.get_by_test_id("stMain").get_by_role("link", name="Start").first.click()
    page.wait_for_url("**/qkv?**")
    settle(page)
    assert strip(page).count() == 0  # before the first picture names mean nothing
    page.locator(".st-key-qkv_on button").click()
    settle(page)
    at_step(page, "x")
    to_step(page, "qkv", "now")
    at_step(page, "now")
    page.locator(".st-key-qkv_way_on a").click()
    page.wait_for_url("**/scaling**")
    settle(page)
    page.go_back()
    page.wait_for_url("**/qkv?**")
    settle(page)
    page.locator(".st-key-qkv_back button").click()
    at_step(page, "mix")
    assert said_in_link(page)["qkv_text"] == "the small dog ran"
    assert errors == []


@pytest.mark.nightly
def test_shift_with_an_arrow_walks_on_and_a_line_of_text_keeps_it_while_there_is_something_to_mark(page):
    visit(page, "/qkv?qkv_ask=no&qkv_step=x&qkv_weights=random")
    page.wait_for_function("window.attentionWalk")  # the script comes a moment after the page
    text = field(page, "qkv_text")
    text.fill("tea is hot")
    text.press("Shift+ArrowLeft")
    assert text.evaluate("field => [field.selectionStart, field.selectionEnd]") == [9, 10]
    text.press("Shift+ArrowRight")  # which ends the marking, with the caret at the end
    text.press("Shift+ArrowRight")
    at_step(page, "projections")
    assert said_in_link(page)["qkv_text"] == "tea is hot"  # leaving the field reports it
    page.locator(".st-key-qkv_weights [role=radio]").first.focus()
    page.keyboard.press("Shift+ArrowLeft")
    at_step(page, "x")
    visit(page, "/qkv?qkv_step=dot")
    page.wait_for_function("window.attentionWalk")
    page.get_by_test_id("stMain").get_by_role("slider").first.focus()
    page.keyboard.press("Shift+ArrowRight")
    at_step(page, "softmax")  # the step after the one at which the door is offered


@pytest.mark.nightly
def test_from_the_home_page_three_clicks_lead_to_numbers_that_fit_on_paper(page):
    visit(page)
    expect(page.get_by_text(re.compile("it.*attends most to.*cat.*0\\.94")).first).to_be_visible()
    main = page.get_by_test_id("stMain")
    main.get_by_role("link", name="Start").first.click()
    expect(page.locator(".st-key-qkv_line_softmax_lines .n").last).to_have_text("0.73")
    settle(page)
    assert page.get_by_test_id("stForm").count() == 0  # no question comes first
    visit(page, "/qkv?qkv_step=softmax")
    pressed = main.locator("button, input:not([type=radio]), textarea, [role=slider]").filter(visible=True)
    assert pressed.count() > 5
    page.emulate_media(media="print")
    assert pressed.count() == 0
    page.emulate_media(media="screen")
    main.get_by_role("button", name="Just show me").first.click()
    expect(page.locator(".chain .result")).to_have_text("0.73")
    page.emulate_media(media="print")
    assert not page.get_by_test_id("stSidebar").is_visible()
    assert page.locator(".course.printed").is_visible()


def test_answers_survive_a_reload(page):
    visit(page, WAVES)
    page.get_by_test_id("stMain").locator("label", has_text=re.compile("^column [01]$")).click()  # of the first pair
    page.get_by_role("button", name="Check").click()
    settle(page)
    verdict = page.locator(".verdict").inner_text()
    page.reload()
    expect(page.locator(".verdict")).to_have_text(re.compile(re.escape(verdict[:20])))
    link = page.get_by_test_id("stSidebar").get_by_role("link", name="Positional")
    expect(link).to_contain_text("1 of")


@pytest.mark.nightly
def test_points_survive_a_reload_and_without_storage_a_page_says_that_none_will(page):
    visit(page)
    lost = page.get_by_text("a reload loses your answers")
    assert not lost.is_visible()
    kept = {"given": {}, "answered": {}, "variants": {}, "solved": {"softmax": 9}}
    page.evaluate("text => sessionStorage.setItem('attention-progress', text)", json.dumps(kept))
    page.reload()
    expect(page.get_by_text("Your points: 9 of")).to_be_visible()
    page.add_init_script(FORBIDDEN)
    found = complaints(page)
    visit(page, WAVES)
    assert page.locator(".verdict").count() == 0
    assert lost.is_visible()
    assert not found


@pytest.mark.nightly
def test_in_both_themes_what_is_locked_can_be_read_and_the_focus_is_seen_in_the_menu(page):
    visit(page, "/qkv?qkv_ask=no&qkv_step=x&qkv_lock=text.q.weights")
    link = page.get_by_test_id("stSidebar").get_by_role("link").nth(2)
    tab_to(page, link)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        fields = [field(page, key) for key in ("qkv_text", "qkv_q")]
        names = page.locator(".st-key-qkv_text label p, .st-key-qkv_weights [role=radio]:not([aria-checked=true]) p")
        for one in (*fields, *names.all()):
            ink, behind = style(one, "webkitTextFillColor"), one.evaluate(BEHIND)
            assert contrast(rgb(ink), rgb(behind)) >= 4.5
        assert style(link, "outlineStyle") == "solid"
        assert contrast(rgb(style(link, "outlineColor")), rgb(link.locator("..").evaluate(BEHIND))) >= 3


@pytest.mark.nightly
def test_a_derivation_stays_inside_its_card_and_stands_below_its_map_where_the_menu_leaves_little(page):
    for width in (320, 820, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        visit(page, SOFTMAX)
        lists = page.locator(".ledger, .chain")
        assert lists.count() >= 1
        assert lists.evaluate_all(CROWDED) == []
        left, right = (page.get_by_test_id("stColumn").nth(i).bounding_box() for i in (0, 1))
        assert (right["y"] >= left["y"] + left["height"]) is (width in (320, 1024))  # a tablet closes the menu
    page.set_viewport_size({"width": 853, "height": 480})  # a projector of 1280 × 720 at 150 %
    visit(page, "/causal_mask?causal_mask_step=see&causal_mask_ask=no")
    numbers = chart(page, 0).locator(".mark-text.role-mark").first.locator("text")
    places = sorted(numbers.evaluate_all(PLACES))
    assert len(places) == 49
    assert [(one, other) for one, other in pairwise(places) if one[0] == other[0] and one[2] > other[1]] == []


# Of the tools in view how many there are, and how many meet a caption; and how many captions keep room for them.
COVERED = """() => {
    const tools = [...document.querySelectorAll('[data-testid=stElementToolbar]')]
    const shown = tools.filter(one => getComputedStyle(one).opacity > 0)
    const boxes = shown.flatMap(one => [...one.querySelectorAll('button')]).map(one => one.getBoundingClientRect())
    const notes = [...document.querySelectorAll('[data-testid=stMain] .course.note')]
    const lines = notes.flatMap(note => {
        const range = document.createRange()
        range.selectNodeContents(note)
        return [...range.getClientRects()]
    })
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    return [boxes.length, boxes.filter(box => lines.some(line => meet(box, line))).length,
        notes.filter(note => getComputedStyle(note, '::before').float !== 'none').length]
}"""


def test_the_tools_of_a_picture_cover_no_text_and_captions_keep_no_room_for_them(page):
    visit(page, "/multi_head?multi_head_ask=no")
    chart(page, 0).hover()
    page.wait_for_function(f"({COVERED})()[0] > 0")
    n_buttons, covering, narrowed = page.evaluate(COVERED)
    assert n_buttons
    assert (covering, narrowed) == (0, 0)


def test_in_both_themes_the_keys_beside_next_can_be_read(page):
    visit(page, "/qkv?qkv_step=x&qkv_ask=no")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        keys = page.locator(".st-key-qkv_walk kbd").last
        behind, ink, share = rgb(keys.evaluate(BEHIND)), rgb(style(keys, "color")), float(style(keys, "opacity"))
        seen = [share * own + (1 - share) * other for own, other in zip(ink, behind, strict=True)]
        assert contrast(seen, behind) >= 4.5
