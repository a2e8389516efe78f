"""The page for teachers: a lesson, its plan as a table, questions of one's own, and the way into class."""

import re

import pytest

from pages.links.course import LESSONS
from pages.page.ask import fingerprint
from pages.teaching.own import OwnQuestion, owns_in, question_of, written
from pages.teaching.plan import Plan, View, plan_in, steps
from tests.app.steps_table import found
from tests.app.test_plan import QUIZ, at_home, in_address, teaching
from tests.app.visits import ENTRY, opened, press, rerun, said, shared
from tests.class_room.test_own_questions import THREE
from tests.lessons import path_of

SLIDE = View("qkv?qkv_step=softmax").with_word("quiz", written(THREE))


def field(app, name, place=0):
    kinds = ("text_input", "text_area", "number_input", "checkbox", "multiselect", "segmented_control")
    key = f"_teach_{name}_{place}"
    return next(one for kind in kinds for one in getattr(app, kind) if one.key == key)


def typed(app, name, value, place=0):
    return rerun(field(app, name, place).set_value(value) and app)


def details(app, place=0):
    return press(app, f"teach_more_{place}")


def titles(app):
    return [view.title for view in in_address(app).views]


@pytest.mark.promise("home 4")
def test_from_the_menu_a_lesson_is_two_presses_away_with_its_plan_in_the_address():
    app = at_home(opened("home", {}, ENTRY), "teach")
    assert not [button for button in app.button if button.key == "teach_start"]
    press(app, "Scaling")
    assert in_address(app) == plan_in("teach-scaling")
    assert field(app, "title").value == "A row collapses"
    assert app.button(key="teach_start").label == "Start with a class"
    assert "Scaling" in app.pills[0].value
    press(app, "My own plan")
    assert app.session_state["plan"] == Plan()


def test_a_teacher_orders_describes_and_removes_slides_and_undoes_it_all():
    app = teaching(Plan((View("qkv", "one"), View("scaling", "two"), View("tiny_lm", "three"))))
    press(app, "teach_move_up_2")
    assert titles(app) == ["one", "three", "two"]
    typed(typed(app, "minutes", 8, 1), "note", "Let them vote.", 1)
    typed(app, "title", "Why?", 1)
    press(app, "teach_move_up_1")
    assert in_address(app).views[0] == View("tiny_lm", "Why?", 8, "Let them vote.")
    assert [field(app, "title", place).value for place in range(3)] == ["Why?", "one", "two"]
    assert any("8 minutes" in block.value for block in app.markdown)
    press(app, "teach_remove_0")
    assert titles(app) == ["one", "two"]
    for _ in range(6):
        press(app, "teach_undo")
    assert titles(app) == ["one", "two", "three"]
    assert app.button(key="teach_undo").disabled


def test_a_slide_that_is_added_has_what_the_ready_plan_says_of_it_or_the_label_of_its_step():
    app = teaching(Plan())
    for chosen in (("scaling", "spread"), ("qkv", "dot"), ("scaling", "spread")):
        app.session_state["_teach_add"] = None
        (box,) = [box for box in app.selectbox if box.key == "_teach_add"]
        rerun(box.select_index(next(i for i, one in enumerate(every()) if one == chosen)))
    ready = next(view for view in plan_in("teach-scaling").views if "spread" in view.link)
    assert in_address(app).views == (ready, View("qkv?qkv_step=dot", "dot products", 3))


def every():
    return [(lesson, step) for lesson, named in steps().items() for step in named]


def test_locks_are_chosen_by_their_labels_and_say_what_students_can_still_do():
    app = details(teaching(Plan((View("qkv?qkv_step=match&qkv_lock=head"),))))
    locks = field(app, "lock")
    assert {"All settings", "The step", "Sentence", "Query"} < {*locks.options}
    assert "Query" in app.caption[-1].value
    rerun(locks.set_value(["numbers", "step"]) and app)
    assert in_address(app).views[0].words["qkv_lock"] == "numbers.step"
    assert app.button(key="teach_more_0").label == "Asks · locked: All settings, The step"
    told = details(app).caption[-1].value
    assert told == "Students can still change: Query, Key. They stay on this step."
    assert not opened("qkv", in_address(app).views[0].words).selectbox[0].disabled


def test_questions_of_three_kinds_are_written_and_kept_with_the_plan_and_not_in_the_students_link():
    app = details(teaching(Plan((View("qkv?qkv_step=softmax"),))))
    assert field(app, "ask").value
    for number, own in enumerate(THREE):
        typed(app, "text", own.text, f"0_{number}")
        typed(details(app), "kind", own.kind, f"0_{number}") if number else details(app)
        details(app)
        if number == 0:
            assert any("not asked yet" in one.value for one in app.caption)
            typed(app, "answers", "*cat\n mat ", "0_0")
        if number == 1:
            typed(app, "right", 17.25, "0_1")
            typed(details(app), "off", 0.5, "0_1")
        if number < 2:
            typed(details(app), "why", own.why, f"0_{number}")
        details(app)
    (view,) = in_address(app).views
    assert owns_in(view.words["qkv_quiz"]) == [*THREE[:1], THREE[1]._replace(answers=("=17.25", "±0.5")), THREE[2]]
    assert app.button(key="teach_more_0").label == "3 of your own"
    assert field(details(app), "ask").disabled
    app.session_state["teach_offer_links"] = True
    students, own = (code.proto.code_text for code in rerun(app).code)
    assert "quiz" not in plan_in(re.search("plan=([^&]*)", students)[1]).views[0].link
    assert plan_in(re.search("plan=([^&]*)", own)[1]).views == (view,)
    home = opened("home", {"plan": Plan((view,)).written})
    assert in_address(home) == Plan((view,)).for_students != Plan((view,))


def test_own_questions_are_asked_one_after_the_other_and_judged():
    app = opened("qkv", SLIDE.words)
    assert [text in said(app) for text, _, _ in THREE] == [True] * 3
    app.radio(key="qkv_teachers_given").set_value(0)
    send, *_ = [button for button in app.button if button.label in ("Check", "Just show me")]
    rerun(send.click())
    assert "You predicted “cat”" in said(app)
    for given, verdict in ((16.5, "Not 16.5"), (17, "17 is close enough")):
        app.number_input(key="qkv_teachers_2_given").set_value(given)
        press(app, "Check")
        assert verdict in said(app)
    assert "qkv_quiz" not in shared(app)  # its answers are for the lecture
    earlier = opened("qkv", {"qkv_step": "softmax", "qkv_quiz": QUIZ})  # a link of 1.0
    assert "Which word?" in said(earlier)


def test_what_is_kept_of_an_own_question_in_a_browser_says_nothing_of_its_answer():
    for right in (("*cat", "mat"), ("=1", "±0")):
        wrong = ("cat", "*mat") if right[0] == "*cat" else ("=2", "±1")
        first, second = (question_of(OwnQuestion("Which?", "why", answers)) for answers in (right, wrong))
        assert first.right != second.right
        assert fingerprint(first) == fingerprint(second)


@pytest.mark.parametrize("answers", [("=", "±1"), ("=x", "±1"), ("=nan", "±1"), ("=1e400", "±0"), ("=1",)])
def test_no_number_is_no_question(answers):
    assert question_of(OwnQuestion("How many?", "", answers)) is None


def test_steps_are_called_as_their_lesson_calls_them():
    assert {lesson: [*named] for lesson, named in steps().items()} == {
        lesson.name: path_of(lesson.name) + [*steps()[lesson.name]][len(path_of(lesson.name)) :] for lesson in LESSONS
    }
    assert found("qkv", "match") == steps()["qkv"]["match"]


@pytest.mark.nightly
@pytest.mark.parametrize(("lesson", "step"), every())
def test_every_step_has_the_controls_that_a_plan_names(lesson, step):
    assert found(lesson, step) == steps()[lesson][step], "write them down: python -m tests.app.steps_table"
