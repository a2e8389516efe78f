"""The page for teachers: a lesson, its plan as a table, questions of one's own, and the way into class."""

import re

import pytest

from pages.home.teach import NOT_ASKED
from pages.links.course import LESSONS
from pages.page.ask import fingerprint
from pages.teaching.own import Open, owns_in, questions_in, typed_in, written
from pages.teaching.plan import Plan, View, plan_in, steps
from tests.app.steps_table import found
from tests.app.test_plan import FOLD, QUIZ, at_home, in_address, teaching
from tests.app.visits import ENTRY, opened, press, rerun, said, shared, words_of_link
from tests.class_room.test_own_questions import THREE
from tests.lessons import names_of


def field(app, name, place=0):
    kinds = ("text_input", "text_area", "number_input", "checkbox", "multiselect")
    key = f"_teach_{name}_{place}"
    return next(one for kind in kinds for one in getattr(app, kind) if one.key == key)


def typed(app, name, value, place=0):
    return rerun(field(app, name, place).set_value(value) and app)


def details(app, place=0):
    return press(app, f"teach_more_{place}")


def titles(app):
    return [view.title for view in in_address(app).views]


def test_from_the_menu_a_lesson_is_two_presses_away_with_its_plan_in_the_address():
    app = at_home(opened("home", {}, ENTRY), "teach")
    assert not [button for button in app.button if button.key == "teach_start"]
    press(app, "Scaling")
    assert in_address(app) == plan_in("teach-scaling")
    assert field(app, "title").value == "A row collapses"
    assert app.button(key="teach_start").label == "Start with a class"
    press(app, "My own plan")
    assert app.session_state["plan"] == Plan()


def test_a_student_is_tried_on_the_first_slide_with_the_plan_beside_it_and_no_answer_in_an_address():
    own = View("qkv?qkv_step=match").with_word("quiz", written("Which?\n*cat\nmat"))
    app = teaching(Plan((own, View("scaling"))))
    (link,) = [one.proto.url for one in app.get("link_button") if one.proto.label == "Try as a student"]
    tried = opened("qkv", words_of_link(link))
    assert "Which?" in said(tried)
    assert in_address(tried) == in_address(app).for_students
    plan = " ".join(one.proto.body for one in tried.sidebar.get("html"))
    assert 'href="scaling"' in plan
    assert own.word("quiz") not in plan + str(dict(tried.query_params))


def test_a_teacher_orders_describes_and_removes_slides_and_undoes_it_all():
    app = teaching(Plan((View("qkv", "one"), View("scaling", "two"), View("tiny_lm", "three"))))
    press(app, "teach_up_2")
    assert titles(app) == ["one", "three", "two"]
    typed(typed(app, "minutes", 8, 1), "note", "Let them vote.", 1)
    typed(app, "title", "Why?", 1)
    press(app, "teach_up_1")
    assert in_address(app).views[0] == View("tiny_lm", "Why?", 8, "Let them vote.")
    assert [field(app, "title", place).value for place in range(3)] == ["Why?", "one", "two"]
    assert any("8 minutes" in block.proto.body for block in app.get("html"))
    press(app, "teach_remove_0")
    assert titles(app) == ["one", "two"]
    for _ in range(6):
        press(app, "teach_undo")
    assert titles(app) == ["one", "two", "three"]
    assert app.button(key="teach_undo").disabled


def test_a_slide_that_is_added_is_as_the_ready_plan_has_it_or_bears_the_label_of_its_step():
    app = teaching(Plan())
    for name in ("Scaling: Why scores grow", "Causal Mask: + −∞"):
        (box,) = [box for box in rerun(app).selectbox if box.key == "_teach_add"]
        rerun(box.set_value(name) and app)
        assert name not in app.selectbox(key="_teach_add").options  # a plan has a slide once
    ready = next(view for view in plan_in("teach-scaling").views if "spread" in view.link)
    assert in_address(app).views == (ready, View("causal_mask?causal_mask_step=added", "+ −∞", 3))


def test_locks_are_chosen_by_their_labels_and_say_what_students_can_still_do():
    app = details(teaching(Plan((View("qkv?qkv_step=match&qkv_lock=head"),))))
    locks = field(app, "lock")
    assert {"All settings", "The step", "Sentence", "Query"} < {*locks.options}
    rerun(locks.set_value(["numbers", "step"]) and app)
    assert in_address(app).views[0].words["qkv_lock"] == "numbers.step"
    assert app.button(key="teach_more_0").label == "Asks · locked: All settings, The step"
    told = details(app).caption[-1].value
    assert told == "Students can still change: Query, Key. They stay on this step."
    typed(app, "ask", False)
    assert app.button(key="teach_more_0").label.startswith("No question")
    assert in_address(app).views[0].words["qkv_ask"] == "no"


def test_questions_of_three_kinds_are_typed_at_once_and_are_not_in_the_students_link():
    app = details(teaching(Plan((View("qkv?qkv_step=softmax"),))))
    for wrong in ("Which?\ncat\nmat", "Which?\n*cat\n*mat", "How many?\n= four"):
        typed(app, "quiz", wrong)
        assert app.button(key="teach_more_0").label == "1 of your own, not all asked"
        assert details(app).caption[0].value == f"1. {NOT_ASKED}"
    typed(app, "quiz", THREE.replace("\n\n", "\n \n\n"))
    (view,) = in_address(app).views
    assert typed_in(view.word("quiz")) == THREE
    assert app.button(key="teach_more_0").label == "3 of your own"
    told = [one.value for one in details(app).caption[:3]]
    assert [one for one, part in zip(told, ("“cat”", "17.25 ± 0.5", "wall"), strict=True) if part not in one] == []
    app.session_state[FOLD] = True
    students, own = [words_of_link(code.proto.code_text)["plan"] for code in rerun(app).code]
    assert plan_in(own) == Plan((view,))
    assert plan_in(students) == Plan((View("qkv?qkv_step=softmax"),))
    assert in_address(opened("home", {"plan": own})) == plan_in(students)


def test_own_questions_are_asked_one_after_the_other_and_judged():
    app = opened("qkv", {"qkv_step": "softmax", "qkv_quiz": written(THREE)})
    kinds = ["Which word", "How many weights", "What surprised"]
    assert re.findall("|".join(kinds), said(app)) == kinds
    app.radio(key="qkv_teachers_given").set_value(0)
    send, *_ = [button for button in app.button if button.label == "Check"]
    rerun(send.click())
    assert "You predicted “cat”" in said(app)
    for given, verdict in ((16.5, "Not 16.5"), (17, "17 is close enough")):
        app.number_input(key="qkv_teachers_2_given").set_value(given)
        press(app, "Check")
        assert verdict in said(app)
    assert "qkv_quiz" not in shared(app)  # its answers are for the lecture
    earlier = opened("qkv", {"qkv_step": "softmax", "qkv_quiz": QUIZ})  # a link of 1.0
    assert "Which word?" in said(earlier)
    assert not re.search("cat|noun|[*]", str(dict(earlier.query_params)))
    assert "\u202e" not in str([*questions_in(written("\u202eWhich?\n*a\u202e\nb\nWhy: \u202e"))])


@pytest.mark.parametrize(("one", "other"), [("*cat\nmat", "cat\n*mat"), ("= 1", "= 2 ± 1")])
def test_what_a_browser_keeps_of_an_own_question_says_nothing_of_its_answer(one, other):
    (first,), (second,) = ([*questions_in(written(f"Which?\n{answers}"))] for answers in (one, other))
    assert first.right != second.right
    assert fingerprint(first) == fingerprint(second)
    (third,) = questions_in(written(f"Which one?\n{one}"))
    assert fingerprint(third) != fingerprint(first)


@pytest.mark.parametrize("answers", ["=", "= x", "= nan", "= 1e400", "= 1 ± -1", "*a", "a\nb", "= 1\n= 2"])
def test_what_is_no_number_and_no_choice_is_not_asked_and_kept(answers):
    word = written(f"How many?\n{answers}")
    assert [*questions_in(word)] == [None]
    assert typed_in(word) == f"How many?\n{answers}"


def test_a_question_without_answers_is_an_open_text_and_more_than_four_are_cut_off():
    assert [*questions_in(written("Why so?\nWhy: never told"))] == [Open("teachers", "Why so?")]
    assert len(owns_in(written("\n\n".join("abcdef")))) == 4


def test_a_plan_knows_every_step_by_its_label_and_its_controls():
    assert {lesson: [*named] for lesson, named in steps().items()} == {one.name: names_of(one.name) for one in LESSONS}
    assert found("qkv", "match") == steps()["qkv"]["match"]


@pytest.mark.nightly
@pytest.mark.parametrize(("lesson", "step"), [(lesson, step) for lesson, named in steps().items() for step in named])
def test_every_step_has_the_controls_that_a_plan_names(lesson, step):
    assert found(lesson, step) == steps()[lesson][step], "python -m tests.app.steps_table writes them down"
