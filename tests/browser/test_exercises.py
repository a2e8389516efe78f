"""Exercises as they are worked on: typed with real keys, run, and kept through whatever happens to the page."""

import pytest

from pages.exercises.catalogue import EXERCISES, tasks_of
from pages.exercises.tasks import Lines
from tests.bench.server import Server, free_port
from tests.browser.accessibility import faint_texts, violations
from tests.browser.screen import (
    CHART,
    PHONE,
    RESUMED,
    complaints,
    go,
    press,
    settle,
    tab_to,
    too_wide,
    visit,
    whole_runs,
)

EXERCISE = EXERCISES["attention_weights"]
LINK = f"/qkv?qkv_ask=no&qkv_exercise={EXERCISE.id}"
WRONG, RIGHT = "return softmax(Q @ K.T)", "return softmax(Q @ K.T / np.sqrt(d_k))"
TALL = {"width": 1280, "height": 4500}
BUT_CHARTS = {"exclude": [[CHART]]}


class Line:
    """The line between a page and its server. Where it is cut nobody answers, until it is mended."""

    def __init__(self, page):
        self.whole, self.sockets = True, []
        page.route_web_socket("**/_stcore/stream", self.connect)

    def connect(self, socket):
        if self.whole:
            socket.connect_to_server()
            self.sockets.append(socket)
        else:
            socket.close()

    def cut(self):
        self.whole = False
        self.sockets.pop().close()

    def mend(self):
        self.whole = True


def test_a_link_to_a_program_opens_at_it_and_lets_go_of_whoever_scrolls(page):
    visit(page, LINK)
    settle(page, 1000)
    heading = page.get_by_role("heading", name="Exercises")
    main = page.get_by_test_id("stMain")
    assert 0 <= heading.bounding_box()["y"] < 300
    assert main.evaluate("main => main.scrollTop") > 300
    main.hover()
    page.mouse.wheel(0, -5000)
    page.wait_for_function("main => main.scrollTop === 0", arg=main.element_handle())
    page.set_viewport_size({"width": 1100, "height": 800})  # which draws the page anew
    settle(page)
    assert main.evaluate("main => main.scrollTop") == 0


def area(page):
    """Return the field of the editor."""
    return page.locator(f".st-key-qkv_code_{EXERCISE.id} textarea")


def typed(page) -> str:
    """Return what stands in the editor."""
    return area(page).input_value()


def program(last_line: str) -> str:
    """Return the program that a student begins with, with another last line."""
    return EXERCISE.starter.replace("return None", last_line)


def type_last_line(page, line: str) -> None:
    """Type another last line in the place of the one that the program has."""
    for key in ("ControlOrMeta+End", "ArrowUp", "End", "Shift+Home", "Tab"):
        page.keyboard.press(key)
    page.keyboard.type(line)


def answer(page) -> str:
    """Wait for what is said of a run, and return it."""
    page.locator(".verdict[role=status]").wait_for()
    settle(page)
    return page.locator(".verdict[role=status]").inner_text()


@pytest.mark.nightly
def test_the_editor_indents_undoes_and_lets_the_keyboard_out_again(page):
    visit(page, LINK)
    claim = page.locator("h1").inner_text()
    assert typed(page) == EXERCISE.starter
    tab_to(page, page.locator(f".st-key-qkv_code_{EXERCISE.id}"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("def f(x):\nfor i in x:\nprint(i)\n")  # no space is typed: Enter brings them
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("x")
    assert typed(page) == "def f(x):\n    for i in x:\n        print(i)\n    x"
    page.keyboard.press("Tab")
    assert typed(page).endswith("\n    x    ")
    for _ in "    ":
        page.keyboard.press("Backspace")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Tab")  # now that several lines are marked, all of them
    assert typed(page) == "def f(x):\n    for i in x:\n            print(i)\n        x"
    page.keyboard.press("ControlOrMeta+Z")
    assert typed(page) == "def f(x):\n    for i in x:\n        print(i)\n    x"
    page.keyboard.press("Shift+ArrowRight")  # goes to the next step anywhere but here
    settle(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.locator(".st-key-qkv_run button").evaluate("button => button === document.activeElement")
    assert page.locator("h1").inner_text() == claim
    assert typed(page) == "def f(x):\n    for i in x:\n        print(i)\n    x"


def test_a_mistake_is_named_a_hint_costs_and_the_right_program_brings_the_rest(page):
    errors = complaints(page)
    visit(page, LINK)
    area(page).click()
    type_last_line(page, WRONG)
    page.keyboard.press("ControlOrMeta+Enter")
    assert answer(page).startswith("✕ Not yet. The scores are not scaled")
    assert typed(page) == program(WRONG)
    press(page, "qkv_hint")
    assert "divide by the square root" in page.locator(".course ol").inner_text()  # what the mistake asks for
    assert page.get_by_text("You changed the text since this run.").count() == 0
    area(page).click()
    type_last_line(page, RIGHT)
    page.get_by_role("button", name="Run", exact=True).click()  # before the page has heard of the last letters
    page.locator(".verdict[role=status]").get_by_text("✓").wait_for()
    assert answer(page) == f"✓ All tests pass. {EXERCISE.points * 9 // 10} of {EXERCISE.points} points."
    go(page, "Attention, from scratch")
    assert page.get_by_text(f"Your points: {EXERCISE.points * 9 // 10} of").count() == 1
    assert errors == []


@pytest.mark.nightly
def test_what_came_of_a_run_is_told_though_somebody_types_on_while_it_lasts(page):
    visit(page, LINK)
    area(page).click()
    type_last_line(page, f"sum(range(10**6))\n{RIGHT}")
    page.keyboard.press("ControlOrMeta+Enter")
    for key in ("#", "Escape", "Tab"):  # whoever leaves the field has the page hear of it at once
        page.keyboard.press(key)
    assert answer(page) == f"✓ All tests pass. {EXERCISE.points} of {EXERCISE.points} points."
    assert page.get_by_text("You changed the text since this run.").count() == 1


def test_what_is_typed_outlives_another_page_a_reload_and_a_cut_line(page):
    line = Line(page)
    visit(page, LINK)
    area(page).click()
    type_last_line(page, WRONG)
    for key in ("Escape", "Tab"):  # whoever leaves the field has the page hear of it at once
        page.keyboard.press(key)
    settle(page)
    go(page, "Scaling")
    go(page, "Q/K/V")
    assert typed(page) == program(WRONG)
    area(page).click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# mine")
    page.reload()  # before the page has heard of it
    settle(page)
    assert typed(page) == program(WRONG) + "# mine"

    line.cut()
    page.locator("[data-testid=stApp]:not([data-test-connection-state=CONNECTED])").wait_for()
    area(page).click()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.press("Delete")
    page.keyboard.type("def compute_attention_weights(Q, K):\ne = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))\n")
    page.keyboard.type("return e / e.sum(1, keepdims=True)\n")
    page.wait_for_timeout(1000)
    own = typed(page)
    line.mend()
    settle(page, RESUMED)
    assert typed(page) == own
    page.keyboard.press("Escape")
    tab_to(page, page.locator(".st-key-qkv_run button"))
    page.keyboard.press("Enter")
    assert answer(page).startswith("✕ Not yet.")  # large numbers: what was typed without a line did arrive
    assert "large numbers" in page.locator(".tests .wrong").inner_text()
    assert typed(page) == own


@pytest.mark.nightly
def test_what_is_typed_outlives_a_server_that_is_started_anew(visitor, tmp_path):
    port = free_port()
    with Server(port=port) as server:
        page = visitor(server)
        visit(page, LINK)
        press(page, "qkv_begin")  # so that the text in the editor is no longer the first that it was given
        area(page).click()
        type_last_line(page, RIGHT)
        settle(page)
    with Server(port=port):
        settle(page, RESUMED)
        assert typed(page) == program(RIGHT)
        area(page).press("ControlOrMeta+Enter")
        assert answer(page).startswith("✓ All tests pass.")
        press(page, "qkv_begin")
        assert typed(page) == EXERCISE.starter


@pytest.mark.nightly
def test_lines_are_put_in_order_with_the_keyboard_alone(page):
    (number,) = [i for i, task in enumerate(tasks_of("qkv")) if isinstance(task, Lines)]
    task = tasks_of("qkv")[number]
    visit(page, f"/qkv?qkv_ask=no&qkv_exercise=task{number + 1}")
    lines = page.locator(f".st-key-qkv_{task.name}_lines li")
    for place, line in enumerate(task.lines):
        item = page.locator(f".st-key-qkv_{task.name}_lines li", has_text=line.strip()).first
        item.focus()
        while lines.nth(place).get_attribute("data-text") != line.strip():
            page.keyboard.press("ArrowUp")
    settle(page)
    assert lines.evaluate_all("items => items.map(one => one.dataset.text)") == [line.strip() for line in task.lines]
    press(page, "qkv_check")
    tab_to(page, page.locator(".st-key-qkv_try button"))
    assert page.locator(".verdict[role=status]").inner_text().startswith("✓ In order.")
    page.keyboard.press("Enter")
    page.locator(".verdict[role=status]").get_by_text("All tests pass").wait_for()
    settle(page)
    assert [said[0] for said in page.locator(".verdict[role=status]").all_inner_texts()] == ["✓", "✓"]


def test_a_line_is_dragged_over_others_and_the_order_is_kept(page):
    (number,) = [i for i, task in enumerate(tasks_of("qkv")) if isinstance(task, Lines)]
    task = tasks_of("qkv")[number]
    visit(page, f"/qkv?qkv_ask=no&qkv_exercise=task{number + 1}")
    lines = page.locator(f".st-key-qkv_{task.name}_lines li")
    texts = lambda: lines.evaluate_all("items => items.map(one => one.dataset.text)")  # noqa: E731
    first, *others = texts()
    lines.last.scroll_into_view_if_needed()
    start, end = lines.first.bounding_box(), lines.last.bounding_box()
    page.mouse.move(start["x"] + 90, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + 90, end["y"] + end["height"] - 2, steps=12)
    page.mouse.up()
    assert texts() == [*others, first]
    settle(page)
    page.wait_for_timeout(500)
    settle(page)
    press(page, "qkv_check")
    assert texts() == [*others, first]
    assert page.locator(".verdict[role=status]").inner_text().startswith("✕ Not yet.")


def test_the_editor_colours_what_is_typed_and_the_field_keeps_its_text(page):
    visit(page, LINK)
    area(page).click()
    type_last_line(page, "return 'text' # note")
    paint = page.locator(f".st-key-qkv_code_{EXERCISE.id} .paint")
    assert paint.inner_text() == typed(page)
    assert paint.get_attribute("aria-hidden") == "true"
    assert paint.locator(".keyword").last.inner_text() == "return"
    assert paint.locator(".string").last.inner_text() == "'text'"
    assert paint.locator(".comment").last.inner_text() == "# note"
    assert paint.locator(".defined").all_inner_texts() == ["softmax", EXERCISE.entry]
    boxes = [box.bounding_box() for box in (paint, area(page))]
    assert abs(boxes[0]["x"] - boxes[1]["x"]) < 1
    assert abs(boxes[0]["y"] - boxes[1]["y"]) < 1


@pytest.mark.nightly
def test_nothing_keeps_an_exercise_with_its_report_from_any_of_its_readers(page):
    errors = complaints(page)
    page.set_viewport_size(TALL)
    visit(page, LINK)
    press(page, "qkv_hint")
    press(page, "qkv_solution")
    area(page).click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("print('a' * 300)")  # wider than any page
    page.keyboard.press("ControlOrMeta+Enter")
    assert answer(page).startswith("✕")
    page.mouse.move(0, 0)
    found = {}
    for scheme, rules, within in (("light", [], "body"), ("dark", ["color-contrast"], BUT_CHARTS)):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        found[scheme] = violations(page, *rules, within=within) + faint_texts(page)
    page.set_viewport_size(PHONE)
    settle(page)
    found["on a phone"] = too_wide(page) + violations(page, "scrollable-region-focusable")
    assert {state: wrong for state, wrong in found.items() if wrong} == {}
    assert errors == []


def test_work_on_exercises_draws_the_lesson_again_only_where_something_was_answered(page):
    runs = whole_runs(page)
    visit(page, "/scaling")
    assert runs == [True]
    practice = page.locator(".st-key-scaling_practice")
    for role, name in (("radio", "Task 1"), ("button", "Just show me")):
        practice.get_by_role(role, name=name).click()
        settle(page)
    assert runs[1:] == [False, False, True]  # the answer is told to the browser, which keeps it
    runs.clear()
    practice.get_by_role("radio", name=EXERCISES["softmax"].title).click()
    settle(page)
    for name in ("Show a hint", "Show a solution", "Run"):
        practice.get_by_role("button", name=name).first.click()
        settle(page)
    assert len(runs) >= 4
    assert not any(runs)
