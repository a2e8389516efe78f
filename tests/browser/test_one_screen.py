"""One step, one screen, one idea: how tall each step is, how many words it has, and whether one sees what one moves."""

from itertools import product
from statistics import median

import pytest

from pages.links.course import LESSONS
from tests.browser.screen import CHART, PHONE, reveal, visit
from tests.lessons import names_of, path_of
from tests.tiers import first

LAPTOP, DESK = ({"width": 1280, "height": height} for height in (800, 1000))
TALLEST, USUAL_HEIGHT = 1500, 1150  # pixels, from the top of the page to “Code behind this view”
MOST_WORDS, USUAL_WORDS = 180, 120
NOT_YET = {"tiny_lm": (1150, 150)}  # usual heights and words, which only go down
LOWEST = 860  # pixels, at which a picture ends: one of ours, with its sentence under it
# What a step takes until the code behind it: its height, the words that are read, and where its picture and fields are.
MEASURED = """lesson => {
    const block = document.querySelector('[data-testid=stMainBlockContainer]')
    const top = block.getBoundingClientRect().top
    const end = document.querySelector(`.st-key-${lesson}_code`) ?? document.querySelector(`.st-key-${lesson}_practice`)
    const isBefore = part => !end
        || part.compareDocumentPosition(end) & Node.DOCUMENT_POSITION_FOLLOWING && !end.contains(part)
    const unread = 'svg, canvas, table, button, label, style, script, .katex-mathml, details:not([open])'
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    let words = 0
    while (walker.nextNode()) {
        const text = walker.currentNode
        range.selectNodeContents(text)
        const isRead = isBefore(text) && !text.parentElement.closest(unread) && range.getBoundingClientRect().width
        if (isRead) words += text.textContent.split(/\\s+/).filter(word => /\\p{L}/u.test(word)).length
    }
    const height = (end ?? block.lastElementChild).getBoundingClientRect()[end ? 'top' : 'bottom'] - top
    const pictures = '[data-testid=stVegaLiteChart], [data-testid^=stBidiComponent], [data-testid=stImage]'
    const boxes = [...block.querySelectorAll(pictures)].map(one => one.getBoundingClientRect())
    const picture = boxes.filter(box => box.height > 40).sort((a, b) => a.top - b.top)[0]
    return {height: Math.round(height), words, picture: Math.round(picture?.bottom ?? 0)}
}"""

FIRST = """charts => charts.map(one => one.getBoundingClientRect()).map(box => [Math.round(box.left), box.top])
    .sort(([a, b], [c, d]) => a - c || b - d)[0]"""


def measured(page, lesson, step, **words):
    link = "".join(f"&{lesson}_{key}={value}" for key, value in words.items())
    visit(page, f"/{lesson}?{lesson}_step={step}{link}")
    return page.evaluate(MEASURED, lesson)


@pytest.mark.nightly
@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
def test_every_step_is_one_screen_and_few_words(page, lesson):
    page.set_viewport_size(LAPTOP)
    found = {name: (measured(page, lesson, name), measured(page, lesson, name, ask="no")) for name in names_of(lesson)}
    over = {
        name: states
        for name, states in found.items()
        if any(one["height"] > TALLEST or one["words"] > MOST_WORDS for one in states)
    }
    assert over == {}
    seen = {name: max(one["picture"] for one in found[name]) for name in path_of(lesson)}
    assert {name: bottom for name, bottom in seen.items() if bottom > LOWEST} == {}
    usual = [median(max(one[what] for one in states) for states in found.values()) for what in ("height", "words")]
    limits = NOT_YET.get(lesson, (USUAL_HEIGHT, USUAL_WORDS))
    assert all(one <= limit for one, limit in zip(usual, limits, strict=True)), usual


STILL = "x match softmax spread gradient off reads writes matters predictions cheats see leak order simple waves"
STILL += " clocks rope beyond tokens parts draw time copy bench lens real"


SCROLLS = "x projections spread gradient reads writes matters see simple bench lens"  # on a phone, where text grows
ASKING = [*product(STILL.split(), [DESK]), *product(SCROLLS.split(), [PHONE])]


@pytest.mark.parametrize(("step", "size"), first(1, ASKING))
def test_an_answer_leaves_the_picture_of_its_question_where_it_is(page, step, size):
    page.set_viewport_size(size)
    (lesson,) = (one.name for one in LESSONS if step in path_of(one.name))
    visit(page, f"/{lesson}?{lesson}_step={step}")
    page.get_by_role("button", name="Just show me").first.scroll_into_view_if_needed()
    before = page.locator(f"{CHART}, .panels").evaluate_all(FIRST)  # ours too
    reveal(page)
    assert page.locator(f"{CHART}, .panels").evaluate_all(FIRST) == pytest.approx(before, abs=1)


@pytest.mark.nightly
@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
def test_on_a_phone_the_picture_of_a_step_is_within_one_screen_and_a_half(page, lesson):
    page.set_viewport_size(PHONE)
    found = {name: measured(page, lesson, name, ask="no") for name in path_of(lesson)}
    assert {name: one for name, one in found.items() if one["picture"] > 1.5 * PHONE["height"]} == {}
