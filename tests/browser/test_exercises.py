"""Exercises as they are worked on: typed with real keys, run, and kept through whatever happens to the page."""

import pytest
from playwright.sync_api import expect

from pages.exercises.catalogue import EXERCISES, tasks_of
from pages.exercises.tasks import Lines
from tests.browser.screen import RESUMED, complaints, go, press, settle, tab_to, visit, whole_runs

EXERCISE = EXERCISES["attention_weights"]
LINK = f"/qkv?qkv_ask=no&qkv_exercise={EXERCISE.id}"
WRONG, RIGHT = "return softmax(Q @ K.T)", "return softmax(Q @ K.T / np.sqrt(d_k))"


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


def test_a_link_to_a_program_opens_at_it(page):
    visit(page, LINK)
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 300")
    expect(page.locator(".st-key-qkv_practice h2")).to_be_in_viewport()


def area(page):
    return page.locator(f".st-key-qkv_code_{EXERCISE.id} textarea")


def typed(page) -> str:
    return area(page).input_value()


def program(last_line: str) -> str:
    return EXERCISE.starter.replace("return None", last_line)


def type_last_line(page, line: str) -> None:
    """Type another last line in the place of the one that the program has."""
    for key in ("ControlOrMeta+End", "ArrowUp", "End", "Shift+Home", "Tab"):
        page.keyboard.press(key)
    page.keyboard.type(line)


def answer(page) -> str:
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
    paint = page.locator(f".st-key-qkv_code_{EXERCISE.id} .paint")
    assert paint.inner_text() == typed(page)
    assert paint.locator(".keyword").all_inner_texts() == ["def", "for", "in"]
    page.keyboard.press("Shift+ArrowRight")  # goes to the next step anywhere but here
    settle(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    editor = page.locator(f".st-key-qkv_code_{EXERCISE.id}")
    assert not editor.evaluate("editor => editor.contains(document.activeElement)")
    assert page.locator("h1").inner_text() == claim
    assert typed(page) == "def f(x):\n    for i in x:\n        print(i)\n    x"


@pytest.mark.nightly
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
    area(page).press("ControlOrMeta+Enter")
    assert answer(page).startswith("✕ Not yet.")  # large numbers: what was typed without a line did arrive
    assert "large numbers" in page.locator(".tests .wrong").inner_text()


def at_lines(page):
    """Open the task of a lesson whose lines are put in order; return it, and its lines."""
    (number,) = [i for i, task in enumerate(tasks_of("qkv")) if isinstance(task, Lines)]
    task = tasks_of("qkv")[number]
    visit(page, f"/qkv?qkv_ask=no&qkv_exercise=task{number + 1}")
    return task, page.locator(f".st-key-qkv_{task.id}_lines li")


@pytest.mark.nightly
def test_lines_are_put_in_order_with_the_keyboard_alone(page):
    task, lines = at_lines(page)
    for place, line in enumerate(task.lines):
        item = lines.filter(has_text=line.strip()).first
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


@pytest.mark.nightly
def test_a_line_is_dragged_over_others_and_the_order_is_kept(page):
    _, lines = at_lines(page)
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
    press(page, "qkv_check")
    assert texts() == [*others, first]
    assert page.locator(".verdict[role=status]").inner_text().startswith("✕ Not yet.")


@pytest.mark.nightly
def test_work_on_exercises_draws_the_lesson_again_only_where_something_was_answered(page):
    runs = whole_runs(page)
    visit(page, f"/scaling?scaling_ask=no&scaling_step={EXERCISES['softmax'].step}")
    assert runs == [True]
    practice = page.locator(".st-key-scaling_practice")
    for role, name in (("radio", "Task"), ("button", "Just show me")):
        practice.get_by_role(role, name=name).first.click()
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
