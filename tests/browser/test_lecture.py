"""A lecture in a browser: sizes on two projectors, the keys of a presenter, the plans that ship from first to last."""

import pytest

from pages.class_room.desk import ASKED, question_in
from pages.class_room.room import ASK, NOW, Poll, shelf_of, the_store, vote_of
from pages.links.course import LESSONS
from pages.links.nearby import ONLY_HERE
from pages.teaching.own import written
from pages.teaching.plan import plan_in
from tests.browser.screen import downloaded, go, press, settle, visit
from tests.class_room.test_own_questions import NUMBER, THREE
from tests.lessons import path_of

pytestmark = pytest.mark.nightly
MOST = ("qkv mix", "scaling collapse", "causal_mask laboratory", "positional_encoding waves", "tiny_lm tokens")
MOST += ("multi_head writes", "causal_mask see", "tiny_lm parts", "tiny_lm time")
FULL = ["/{0}?{0}_step={1}".format(*words.split()) for words in MOST]
WITH_OWN_QUESTIONS = ("qkv it", "scaling train", "causal_mask cheats", "causal_mask laboratory", "tiny_lm draw")
PROJECTORS = {"1920x1080": (1920, 1080), "1024x768": (1024, 768)}
FITS = "() => document.querySelector('.attention-stage iframe:not(.off)').dataset.fits === 'true'"
KEPT = "word => (sessionStorage['attention-progress'] ?? '').includes(word)"  # a class, by the tab
RESULT = "body:has(.verdict) :is(.ballot, [class*=_ballot] [data-testid=stVegaLiteChart])"
# The smallest text that is seen, of charts and components too; an index is smaller than its letter.
SMALLEST = """() => {
    const sizes = [], unseen = 'style, script, sub, sup, .katex-mathml, [data-testid=stElementToolbar]'
    const walk = root => root.querySelectorAll('*').forEach(one => {
        if (one.shadowRoot) walk(one.shadowRoot)
        const says = [...one.childNodes].some(part => part.nodeType === 3 && part.textContent.trim())
        const {width, height, bottom, right} = one.getBoundingClientRect(), look = getComputedStyle(one)
        const seen = says && width && height && bottom > 0 && right > 0 && look.clipPath === 'none'
        const visible = one.checkVisibility({visibilityProperty: true, opacityProperty: true})
        if (!seen || !visible || one.closest(unseen)) return
        const at = one.ownerSVGElement ? one.getScreenCTM() : {a: 1, b: 0}
        sizes.push(parseFloat(look.fontSize) * Math.hypot(at.a, at.b))
    })
    walk(document)
    return Math.min(...sizes.filter(size => size > 0.5))  // 0 hides a number that has no room
}"""
# What does not fit: how far the page scrolls, and how far pictures and questions reach below its end.
BELOW = """() => {
    const main = document.querySelector('[data-testid=stMain]')
    const drawn = '[data-testid=stVegaLiteChart], [data-testid^=stBidiComponent], [data-testid=stForm], .verdict'
    const shown = `${drawn}, .ballot, [class*=_ballot] button`
    const ends = [...document.querySelectorAll(shown)].map(one => one.getBoundingClientRect().bottom - innerHeight)
    return Math.max(main.scrollHeight - main.clientHeight, document.documentElement.scrollWidth - innerWidth, ...ends)
}"""
# Tables that are wider than their room, and words of a chart that are cut.
CUT = """() => [...document.querySelectorAll('.wide, [data-testid=stVegaLiteChart] text')].filter(one => {
    if (one.matches('.wide')) return one.scrollWidth > one.clientWidth
    const room = one.closest('[data-testid=stVegaLiteChart]').getBoundingClientRect()
    const {left, right, width, top} = one.getBoundingClientRect(), seen = one.checkVisibility({opacityProperty: true})
    return seen && width && (left < room.left - 1 || right > room.right + 4 || top > room.bottom - 8)
}).map(one => one.textContent)"""
# Upright words of an axis that lie over the next one.
LAID_OVER = """() => [...document.querySelectorAll('.role-axis-label text[transform*="rotate(-90"]')].filter(one => {
    const next = one.nextElementSibling ?? one, size = parseFloat(getComputedStyle(one).fontSize)
    const [here, there] = [one, next].map(word => word.getBoundingClientRect().left)
    return next !== one && size > 0.5 && there - here < 0.9 * size
}).map(one => one.textContent)"""
# Headings at the end of a column of the slide, of what begins the next one.
ALONE = """() => [...document.querySelectorAll('.course.shape')].map(
    one => one.closest('[data-testid=stElementContainer]')
).filter(one => {
    const here = one.getBoundingClientRect().left, there = one.nextElementSibling?.getBoundingClientRect().left
    return there > here && getComputedStyle(one.parentElement).columnCount !== 'auto'
}).map(one => one.textContent)"""


def on_stage(page, link):
    """Open a link on the stage; return the frame of the view in sight once it fits."""
    page.goto(f"{link}&lecture=on")
    return in_sight(page)


def in_sight(page):
    frame = page.wait_for_selector(".attention-stage iframe:not(.off)").content_frame()
    frame.wait_for_selector("[data-testid=stMainBlockContainer]")
    settle(frame)
    page.wait_for_function(FITS)
    return frame


def faults(frame, height):
    """Return what is cut on a slide or laid over, what ends below it, and its smallest text if that is too small."""
    cut, over, alone, below, size = (frame.evaluate(look) for look in (CUT, LAID_OVER, ALONE, BELOW, SMALLEST))
    size *= height / frame.evaluate("innerHeight")
    return [*cut, *over, *alone, *[f"{below} below"] * (below > 2), *[f"text of {size}"] * (size < height / 45 - 0.01)]


@pytest.mark.parametrize("size", PROJECTORS)
@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
def test_picture_and_question_of_every_step_are_on_one_screen_and_large(page, lesson, size):
    width, height = PROJECTORS[size]
    page.set_viewport_size({"width": width, "height": height})
    found = {}
    for step in path_of(lesson):
        for asked in ("first", "no"):
            frame = on_stage(page, f"/{lesson}?{lesson}_step={step}&{lesson}_ask={asked}")
            found[step, asked] = faults(frame, height)
    assert not {slide: wrong for slide, wrong in found.items() if wrong}


@pytest.mark.parametrize("size", PROJECTORS)
def test_what_a_class_was_told_is_whole_and_large(page, size):
    width, height = PROJECTORS[size]
    page.set_viewport_size({"width": width, "height": height})
    visit(page, "/teach")
    press(page, "teach_class")
    second = [plan_in(f"teach-{lesson.name}").views[1].link for lesson in LESSONS[:-1]]  # the last asks for tokens
    places = [(one.name, step) for one in LESSONS for step in path_of(one.name)][:: 1 if height < 1000 else 4]
    number = [(lesson, step, f"{step}: {NUMBER}") for lesson, step in places]
    three = [(*words.split(), f"{words}: {THREE}") for words in WITH_OWN_QUESTIONS]  # each is revealed but once
    own = [f"/{lesson}?{lesson}_step={step}&{lesson}_quiz={written(text)}" for lesson, step, text in (*three, *number)]
    for link in (*own, *second, *FULL, "/qkv?qkv_step=softmax", "/scaling?scaling_step=train"):
        frame = on_stage(page, link)
        assert faults(frame, height) == [], link
        word = frame.locator(".st-key-class_bar b").inner_text()
        for number in range(2 if link in own[: len(three)] else 1):  # own questions are asked one after another
            for place, text in the_store().read(word, ASKED).items() if link in FULL or number else ():
                mark = Poll.of(the_store().read(word, NOW)[ASK + place]).mark  # a vote for every answer
                for i, _ in enumerate(getattr(question_in(text)[0], "options", range(4))):
                    the_store().put(word, shelf_of(place, 1), f"student-number-{i}", vote_of(mark, i))
            for act in ("Show", "Reveal")[1 - number :]:
                frame.get_by_role("button", name=act).click()
                frame.locator(RESULT).filter(visible=True).first.wait_for()
                settle(frame)
                page.wait_for_function(FITS)
                assert faults(frame, height) == [], link


def test_from_home_three_presses_put_the_question_of_a_ready_lesson_on_the_wall_with_a_class(page):
    visit(page)
    go(page, "Teach")
    page.locator(".st-key-teach_ready").get_by_text("Scaling").click()
    settle(page)
    page.get_by_label("Note, for you").nth(1).press_sequentially("A")  # and nothing lies over what is typed
    assert not page.get_by_test_id("InputInstructions").filter(visible=True).count()
    page.locator(".st-key-teach_start button").click()
    page.wait_for_selector(".attention-stage iframe")
    page.reload()  # before the tab has kept the class
    frame = in_sight(page)
    frame.get_by_text("0 of 0 answered").wait_for()
    word = frame.locator(".st-key-class_bar b").inner_text()
    page.wait_for_function(KEPT, arg=word)
    page.reload()  # the browser has kept the class, though it had kept a plan before
    assert in_sight(page).locator(".st-key-class_bar b").inner_text() == word
    page.wait_for_function("!history.state.teach")


@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
def test_the_plan_of_a_lesson_is_played_by_page_down_alone(page, lesson):
    plan = plan_in(f"teach-{lesson}")
    page.goto(f"/?plan=teach-{lesson}&lecture=on")
    for place, view in enumerate(plan.views, start=1):
        frame = in_sight(page)
        assert view.words[f"{lesson}_step"] in frame.locator("[class*=_title_]").first.get_attribute("class")
        assert page.locator(".corner").inner_text().startswith(f"{place} of {len(plan.views)}")
        assert not frame.get_by_test_id("stSidebar").is_visible()
        if place < len(plan.views):  # the next one is loaded in advance, and not seen
            page.get_by_title(f"View {place + 1}").wait_for(state="attached")
        assert page.locator(".attention-stage iframe:visible").count() == 1
        page.keyboard.press("PageDown")
    page.keyboard.press("n")
    assert page.locator(".attention-stage .note").inner_text() == plan.views[-1].note
    assert page.locator(".corner").inner_text().startswith(f"{len(plan.views)} of")  # the last one stays
    page.keyboard.press("PageUp")
    page.reload()
    in_sight(page)
    assert page.locator(".corner").inner_text().startswith(f"{len(plan.views) - 1} of")


def test_keys_show_the_settings_the_code_and_nothing(page):
    frame = on_stage(page, "/qkv?qkv_step=match&qkv_seed=4")
    over = page.locator(".attention-stage .over")
    page.keyboard.press("b")
    assert over.is_visible()
    page.keyboard.press("b")
    assert not over.is_visible()
    page.keyboard.press("q")
    assert over.get_by_role("img", name="QR code").bounding_box()["height"] > 0.8 * page.viewport_size["height"]
    told = over.inner_text()
    assert "lecture" not in told
    assert "qkv_seed=4" in told or ONLY_HERE in told
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    frame.get_by_test_id("stSidebar").wait_for(state="visible")
    page.keyboard.press("s")
    frame.get_by_test_id("stSidebar").wait_for(state="hidden")
    page.keyboard.press("ArrowRight")
    frame.locator(".st-key-qkv_title_softmax").wait_for()
    frame.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")  # chooses the next answer
    page.keyboard.press("PageUp")
    frame.locator(".st-key-qkv_title_match").wait_for()


def test_a_lecture_that_began_without_a_class_opens_one_for_all_its_views_and_shows_its_code(visitor, server):
    page = visitor(server)  # whose browser forgets nothing when the next view is loaded
    page.goto("/?plan=teach-qkv&lecture=on")
    in_sight(page)
    page.keyboard.press("c")
    word = in_sight(page).locator(".st-key-class_bar b").inner_text()
    page.wait_for_function(KEPT, arg=word)
    page.close()  # a crash, after which the class goes on
    (page := page.context.new_page()).goto("/?plan=teach-qkv&lecture=on")
    in_sight(page)
    page.get_by_title("View 2").wait_for(state="attached")
    page.keyboard.press("c")
    in_sight(page).locator(".st-key-class_bar b").wait_for()
    over = page.locator(".attention-stage .over")
    page.keyboard.press("q")
    over.get_by_role("img", name="QR code").wait_for()
    assert over.locator("b").inner_text() == word
    told = over.locator("p").inner_text()
    assert told.endswith(f"/?class={word}") or told == ONLY_HERE
    page.keyboard.press("Escape")
    page.wait_for_function(KEPT, arg=word)
    page.wait_for_timeout(2000)  # in which the stage looks, and loads the other view anew
    page.keyboard.press("PageDown")
    frame = in_sight(page)
    assert frame.locator(".st-key-class_bar b").inner_text() == word
    press(frame, "class_more")
    frame.get_by_role("button", name="Keep or close the class …").click()
    record = downloaded(page, frame.locator(".st-key-class_html_last button"))
    assert word in record.path().read_text(encoding="utf-8")
    frame.get_by_text("Close the class", exact=True).click()
    press(frame, "class_close")
    frame.get_by_text("You closed the class").wait_for()
    page.wait_for_function("localStorage['attention-seats'] === '[]'")  # also where the browser was its teacher's


def test_an_own_sentence_is_on_the_stage_after_two_presses(page):
    visit(page, "/qkv?qkv_text=the+dog+ate+because+it+was+hungry")
    press(page, "qkv_share")
    with page.expect_popup() as opened:
        page.get_by_role("dialog").get_by_role("link", name="Lecture view").click()
    assert "key of dog" in in_sight(opened.value).locator("[data-testid=stMain]").inner_text()
