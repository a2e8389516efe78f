"""A plan: views in a teacher's order with what is said and asked of each, in one link that survives its way."""

import html
import json
import random
import re
from datetime import date
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages.links.address import mend
from pages.links.course import LESSONS
from pages.links.earlier import renew
from pages.links.nearby import ONLY_HERE, in_network, qr_code
from pages.positional_encoding.order import STEP
from pages.teaching.own import questions_in
from pages.teaching.plan import LONGEST, NOTE, TITLE, Plan, View, link_to, plan_in, view_of
from tests.app.test_share import WAYS
from tests.app.visits import (
    charts,
    controls,
    forge,
    go,
    html_of,
    opened,
    page_of,
    press,
    rerun,
    said,
    sent_to,
    set_to,
    shared,
    through_menu,
    to_step,
    visit,
    words_of_link,
)
from tests.lessons import path_of

LINKS = [
    "causal_mask?causal_mask_lock=seed&causal_mask_seed=4&causal_mask_step=leak",
    "causal_mask?causal_mask_seed=4&causal_mask_step=laboratory",
]
FOLD = "teach_closer_Links for students, homework, and your own link"
QUIZ = "Which word?\nIt is the noun.\n*cat\nmat"


def planned_in(app):
    """Return the views of the plan to which a page links, in order, each as its link says it; none without a plan."""
    (listed,) = [block for block in html_of(app) if "Lesson plan" in block or "Assignment" in block] or [""]
    return [html.unescape(link) for link in re.findall('href="([^"]*)"', listed)]


def add(app, *locks):
    app.session_state[f"_{page_of(app)}_lock"] = list(locks)
    press(app, f"{page_of(app)}_share")
    return press(app, f"_{page_of(app)}_plan")


def in_address(app):
    found = app.query_params["plan"]
    return plan_in(found if isinstance(found, str) else found[0])


def at_home(app, page=""):
    """Go home, or to Teach, with what the menu's link says."""
    (words,) = [link.proto.query_string for link in app.sidebar.get("page_link") if link.proto.page == page]
    return go(app, page or "home", dict(parse_qsl(words)))


def teaching(plan, folds=""):
    """Return the page for teachers with a plan, and its links unfolded."""
    app = opened("teach", {"plan": plan.written})
    app.session_state[FOLD] = bool(folds)
    return rerun(app)


# Its link


def any_plan(seed):
    """Return a plan of random views, notes and questions."""
    rng = random.Random(seed)
    signs = "abc é “”&=?#%|\n+<>🐈25~*\u202e"

    def text(most):
        return "".join(rng.choices(signs, k=rng.randint(0, most)))

    def view():
        page = rng.choice(LESSONS).name
        words = {f"{page}_{name}": text(30) for name in rng.sample(["text", "step", "seed", "lock", "quiz"], 3)}
        return View(view_of(page, renew(words)), text(TITLE), rng.randint(0, 99), text(NOTE))

    views = tuple(dict.fromkeys(view() for _ in range(rng.randint(1, 9))))
    return Plan(views, rng.choice(["", "2026-12-04"]), rng.random() < 0.5)


@pytest.mark.parametrize("seed", range(30))
def test_any_plan_comes_back_from_its_link_as_it_was(seed):
    plan = any_plan(seed)
    for way in WAYS.values():
        arrived = dict(parse_qsl(urlsplit(way(link_to(plan))).query, keep_blank_values=True))
        assert plan_in(mend(arrived)["plan"]) == plan


def test_eight_usual_views_with_their_notes_fit_into_2000_characters():
    views = [plan_in(f"teach-{lesson.name}").views[place] for lesson in LESSONS for place in (0, 3)][:8]
    for name, word in (("text", "the dog did not eat because it was full"), ("lock", "numbers"), ("quiz", QUIZ)):
        views = [view.with_word(name, word + view.page) for view in views]
    assert len(link_to(Plan(tuple(views)))) < 2000


@pytest.mark.parametrize("seed", range(3))
def test_a_link_that_was_cut_or_changed_says_what_is_lost_and_keeps_the_rest(seed):
    plan, rng = any_plan(seed), random.Random(seed)
    written = plan.written
    for place in range(1, len(written), 1 + len(written) // 20):
        cut, changed = written[:place], written[:place] + rng.choice("AZaz09_-") + written[place + 1 :]
        assert plan_in(cut).lost
        assert plan_in(cut).views == plan.views[: len(plan_in(cut).views)]
        assert plan_in(changed) == plan or plan_in(changed).lost


@pytest.mark.parametrize("text", ["||", "home", "<b>?x", "\ud800", "../qkv", "//evil.example/qkv", "eNo", "A" * 9000])
def test_a_plan_of_nothing_is_none_and_says_so(text):
    assert plan_in(text).views == ()
    assert plan_in(text).lost
    assert plan_in("") == Plan()


def test_a_small_link_of_a_huge_text_is_read_in_part():
    bomb = Plan((View("qkv", note="x" * 10**7),)).written
    assert len(bomb) < 20_000
    assert len(plan_in(bomb).views) <= 1
    many = Plan(tuple(View(f"qkv?qkv_seed={seed}") for seed in range(999))).written
    assert len(plan_in(many).views) <= 50
    long = plan_in("|".join(f"qkv?qkv_seed={n}&qkv_text={'a' * 300}" for n in range(40)))
    assert (len(long.views), long.lost) == (1 + LONGEST // 326, "its end is cut off")


def test_what_is_no_word_of_its_page_or_too_long_is_left_out_and_told():
    assert plan_in("qkv?qkv_seed=1&embed=true&home_seed=2|qkv?qkv_seed=1").views == (View("qkv?qkv_seed=1"),)
    assert plan_in("qkv?qkv_text=\ud800").views == (View("qkv?qkv_text=%3F"),)
    (view,) = plan_in(Plan((View("qkv", "t" * 999, 10**6, "n" * 999),)).written).views
    assert (len(view.title), len(view.note), view.minutes) == (TITLE, NOTE, 300)
    told = said(opened("home", {"plan": Plan((View("qkv", "t" * 999), View("scaling"))).written}))
    assert "parts of view 1 are missing" in told


# Making it


def test_a_plan_keeps_two_views_of_one_lesson_with_what_each_locks_and_its_link_has_both():
    app = add(through_menu("causal_mask", step="leak", seed="4"), "seed")
    add(to_step(app, "laboratory"))
    assert planned_in(app) == LINKS
    at_home(app, "teach")
    assert [app.button(key=f"teach_more_{place}").label for place in (0, 1)] == ["May ask · locked: Seed", "May ask"]
    app.session_state[FOLD] = True
    links = [code.proto.code_text for code in rerun(app).code]
    assert [urlsplit(link).path for link in links] == [".", "teach"]  # of students, and of their teacher
    assert in_address(app) == plan_in(words_of_link(links[1])["plan"])
    for link, page in zip(links, ("home", "teach"), strict=True):
        again = opened(page, words_of_link(link))
        assert again.session_state["plan"] == app.session_state["plan"]
    assert planned_in(at_home(app)) == LINKS


def test_the_same_view_twice_is_one_and_says_so():
    app = add(through_menu("causal_mask", step="leak", seed="4"))
    press(app, "causal_mask_share")
    assert app.button(key="_causal_mask_plan").disabled
    assert any("slide 1 of your plan" in caption.value for caption in app.caption)
    set_to(app, causal_mask_seed=5.0)
    assert len(planned_in(add(app))) == 2


def test_a_view_may_take_the_place_of_another_whose_note_it_keeps():
    plan = Plan((View("qkv"), View(LINKS[0], "Mine", 7, "my note")))
    app = go(opened("home", {"plan": plan.written}), "causal_mask", {"causal_mask_seed": "6"})
    app.session_state["_causal_mask_plan_place"] = 1
    app = add(app)
    at_home(app)
    assert in_address(app).views == (View("qkv"), View("causal_mask?causal_mask_seed=6", "Mine", 7, "my note"))


def test_a_view_with_which_the_link_of_the_plan_would_be_too_long_is_not_added_and_says_why():
    rng = random.Random(1)
    signs = [chr(place) for place in range(300, 900)]
    notes = ["".join(rng.choices(signs, k=NOTE)) for _ in range(10)]
    long = Plan(tuple(View("qkv", note=note) for note in notes))
    text = "".join(rng.choices(signs, k=900))
    app = go(opened("home", {"plan": long.written}), "causal_mask", {"causal_mask_text": text})
    press(app, "causal_mask_share")
    assert app.button(key="_causal_mask_plan").disabled
    (told,) = [caption.value for caption in app.caption if "does not fit" in caption.value]
    said = re.search(r"at most ([\d,]+) characters, and would have ([\d,]+)\.", told).groups()
    most, length = (int(number.replace(",", "")) for number in said)
    assert most == LONGEST < length < 15_000


def test_an_own_question_leaves_the_title_of_its_view_a_question():
    asking = visit("positional_encoding", step="order", quiz=QUIZ)
    asking.radio(key="positional_encoding_teachers_given").set_value(0)
    for app in (asking, press(asking, "Check")):
        assert app.title[0].value == STEP.asks
        assert STEP.then not in said(app)
        assert charts(app)
    assert visit("positional_encoding", step="order", ask="no", quiz=QUIZ).title[0].value == STEP.claim


NO_QUESTIONS = ["", "Which?", "Which?\nwhy\n*a", "Which?\n\na\nb", "Which?\n\n*a\n*b", "Which?\n\n*a\na"]


@pytest.mark.parametrize("text", [*NO_QUESTIONS, "\n\n*a\nb", "?\n\n*" + "a\n" * 9])
def test_half_a_question_is_not_asked(text):
    assert not any(questions_in(text))
    assert "Check" not in [button.label for button in visit("qkv", step="softmax", ask="no", quiz=text).button]


def test_an_assignment_says_its_day_and_gives_each_student_a_seed():
    plan = Plan((View("qkv?qkv_step=x"), View("qkv?qkv_lock=numbers&qkv_seed=3")))
    app = teaching(plan, "unfolded")
    rerun(app.date_input(key="_teach_until").set_value(date(2026, 12, 4)))
    rerun(app.checkbox(key="_teach_seeds").set_value(True))
    assert in_address(app) == plan._replace(until="2026-12-04", seeds=True)
    fresh = opened("home", {"plan": in_address(app).written})
    assert "Assignment, until 4 December 2026" in said(fresh)
    assert planned_in(fresh) == [view.link for view in plan.views]
    links = []
    for name in ("Ada", "ada ", "Bob"):
        fresh.text_input[0].set_value(name)
        links.append(planned_in(rerun(fresh)))
    assert links[0] == links[1] != links[2]
    assert {each[1] for each in links} == {plan.views[1].link}
    seed = words_of_link(links[2][0])["qkv_seed"]
    assert controls(opened("qkv", {"qkv_step": "x", "qkv_weights": "random", "qkv_seed": seed}))[
        "qkv_seed"
    ].value == int(seed)


def test_nothing_of_a_crafted_link_becomes_markup_in_a_teachers_plan():
    markup = "<img src=x onerror=zq>"
    link = {f"qkv_{markup}": "1", "qkv_closer": markup, "qkv_lock": markup, "qkv_text": markup, "qkv_step": markup}
    app = opened("home", {"plan": Plan((View(view_of("qkv", link), markup, 5, markup),)).written})
    (listed,) = [block for block in html_of(app) if "img src" in html.unescape(block)]
    assert set(re.findall(r"<(\w+)", listed)) == {"div", "b", "ol", "li", "a", "span", "p"}
    assert not any("<img" in block for block in html_of(at_home(app, "teach")))
    asking = visit("qkv", step="softmax", ask="no", quiz=QUIZ.replace("w", markup))
    asking.radio(key="qkv_teachers_given").set_value(1)
    assert not any("<img" in block for app in (asking, press(asking, "Check")) for block in html_of(app))


def test_numbers_are_fixed_and_walking_is_free_by_one_press():
    app = visit("qkv", step="softmax")
    app.session_state["_qkv_fixed"] = True
    link = shared(app)
    assert link["qkv_lock"] == "numbers"
    fixed = opened("qkv", link)
    free = {key for key, widget in controls(fixed).items() if not widget.disabled}
    assert free <= {"qkv_q", "qkv_k"}
    assert not fixed.button(key="qkv_next").disabled
    assert shared(fixed) == link
    other = through_menu("multi_head", text="a sentence of another lesson")
    other.session_state["links"] = {"qkv": link}
    words = [one.proto.query_string for one in rerun(other).sidebar.get("page_link") if one.proto.page.endswith("qkv")]
    assert "sentence" not in words[0]


# Plans that ship


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_each_lesson_has_a_plan_of_twenty_minutes_with_a_short_link(lesson):
    plan = plan_in(f"teach-{lesson.name}")
    assert (plan.minutes, plan.lost) == (20, "")
    assert all(view.note and view.title for view in plan.views)
    steps = [view.words[f"{lesson.name}_step"] for view in plan.views]
    assert steps == [step for step in path_of(lesson.name) if step in steps]
    assert words_of_link(link_to(plan)) == {"plan": f"teach-{lesson.name}"}
    changed = plan._replace(views=plan.views[1:])
    assert plan_in(changed.written) == changed


# On the stage


def stage_of(app):
    """Return what the stage is sent, if the page is one."""
    drawn = sent_to(app, "attention_lecture")
    return json.loads(drawn[0].json) if drawn else None


def test_the_word_of_a_lecture_shows_the_views_of_a_plan_and_nothing_else():
    plan = plan_in("teach-qkv")
    app = opened("home", {"plan": "teach-qkv", "lecture": "on"})
    sent = stage_of(app)
    assert sent["views"] == [view.link for view in plan.views]
    assert sent["notes"] == [view.note for view in plan.views]
    assert sent["minutes"] == 20
    assert not app.button
    assert stage_of(opened("qkv", {"qkv_step": "softmax", "lecture": "on"}))["views"] == []
    assert stage_of(visit("qkv", step="softmax")) is None


def test_the_stage_is_sent_the_code_of_an_address_that_it_asks_for():
    link, app = "https://example.org/qkv?qkv_step=softmax", opened("qkv", {"lecture": "on"})
    found = stage_of(forge(app, "attention_lecture", {"code": link}))["code"]
    assert found["text"] == "example.org/qkv?qkv_step=softmax"
    assert not stage_of(forge(app, "attention_lecture", {"code": f"{link}&qkv_quiz=a"}))["code"]["text"]
    assert found["picture"] == qr_code(link, "QR code of this view")
    for asked in ("javascript:alert(1)", 5, None, "http://x/" + "a" * 9000, ["http://x"], "http://[", "http://\ud800"):
        assert stage_of(forge(app, "attention_lecture", {"code": asked}))["code"] is None


def smallest(app):
    """Return the smallest text in the specifications of the charts of a page."""
    text = json.dumps([shown.spec for shown in charts(app)])
    return min(map(float, re.findall(r'[fF]ontSize": (?:{"value": )?([\d.]+)', text)))


@pytest.mark.parametrize(("page", "step"), [("scaling", "spread"), ("causal_mask", "see"), ("qkv", "softmax")])
def test_no_text_of_a_chart_on_the_stage_is_small(page, step):
    usual = visit(page, step=step, ask="no")
    app = opened(page, {f"{page}_step": step, f"{page}_ask": "no", "lecture": "view"})
    assert [shown.data.to_dict() for shown in charts(app)] == [shown.data.to_dict() for shown in charts(usual)]
    assert smallest(usual) < smallest(app) == 15
    assert "lecture" not in shared(app)


def test_a_link_to_this_computer_is_one_that_the_network_reaches(monkeypatch):
    link, far = "http://localhost:8501/qkv?qkv_seed=1", "https://example.org/qkv"
    monkeypatch.setattr("pages.links.nearby.get_internal_ip", lambda: "192.0.2.7")
    assert [in_network(one) for one in (link, far)] == ["http://192.0.2.7:8501/qkv?qkv_seed=1", far]
    assert in_network("http://localhost/qkv") == "http://192.0.2.7:80/qkv"
    monkeypatch.setattr("pages.links.nearby.get_internal_ip", lambda: "127.0.0.1")
    assert in_network(link) == link


@pytest.mark.parametrize(("host", "near"), [("127.0.0.1", None), ("[::1]", None), ("[::1]", "192.0.2.7")])
def test_a_code_that_no_phone_can_open_says_so_in_the_dialog_and_on_the_stage(monkeypatch, host, near):
    monkeypatch.setattr("pages.links.nearby.get_internal_ip", lambda: near)
    link = f"http://{host}:8501/qkv"
    dialog = AppTest.from_string(f"from pages.teaching.lecture import ways; ways({link!r}, 'this', 'this')").run()
    assert (ONLY_HERE in [one.value for one in dialog.caption]) == (near is None)
    assert "student" not in str([one.value for one in dialog.caption])  # the link may be the teacher's own
    told = stage_of(forge(opened("qkv", {"lecture": "on"}), "attention_lecture", {"code": link}))["code"]["text"]
    assert told == (f"{near}:8501/qkv" if near else ONLY_HERE)


def test_a_lecturer_is_not_locked_on_the_stage_and_the_link_still_locks_students():
    link = {"scaling_step": "spread", "scaling_lock": "numbers"}
    stage = opened("scaling", link | {"lecture": "view"})
    assert all(widget.disabled for widget in controls(opened("scaling", link)).values())
    assert not any(widget.disabled for widget in controls(stage).values())
    assert shared(stage) == link
    assert shared(opened("scaling", {"scaling_lock": "seed.step", "lecture": "view"}))["scaling_lock"] == "seed.step"
