"""The console of a class's teacher: what it alone shows, what it says to the projector, and what comes back."""

import csv
import json

import pytest
from streamlit.testing.v1 import app_test

from pages.class_room import desk, push, room
from pages.class_room.console import NOT_SHOWN, NOT_YOURS
from pages.class_room.desk import BLACK, Desk, question_in, written
from pages.class_room.host import CLOSED
from pages.class_room.member import GONE
from pages.class_room.pictures import Tally, tally
from pages.class_room.record import Record, as_csv, as_page, record_of
from pages.class_room.walls import Item
from pages.class_room.walls import written as written_item
from pages.questions.kinds import Mistake, Number
from pages.teaching.plan import Plan, View, plan_in
from tests.app.files import Media, download
from tests.app.visits import go, html_of, opened, press, report, rerun, said, sent_to
from tests.class_room.lecture import come, heard, member_of, open_class, open_console, reload, teach, vote
from tests.class_room.test_pages import RATIO, Connected, ballot, fails, labels, question_of, walls

PLANNED = plan_in("teach-qkv").views
SOFTMAX = next(i for i, view in enumerate(PLANNED) if view.link.endswith("softmax"))


def at_softmax():
    """Return the tabs of a teacher at a question of a plan, of two students who answered it, and the class's code."""
    teacher, word = open_class()
    teacher.session_state["plan"] = plan_in("teach-qkv")
    teach(teacher, "qkv", step="softmax")
    students = [come(word, "qkv", step="softmax") for _ in range(2)]
    right = question_of(students[0]).right[0]
    for student, given in zip(students, (right, int(right == 0)), strict=True):
        vote(student, RATIO, given)
    return teacher, students, word


def stage(teacher, slide, view=PLANNED[SOFTMAX]):
    key = f"{teacher.word}.{teacher.key}"
    return opened(view.page, {"teach": key, "lecture": "view", "slide": str(slide)} | view.words)


def told(app):
    (block,) = [block for block in html_of(app) if "data-desk" in block]
    return json.loads(block.split('data-desk="')[1].split('"')[0].replace("&#34;", '"'))


def test_a_console_alone_shows_votes_with_their_mistakes_before_the_class_sees_them(stores, rooms):
    teacher, students, _ = at_softmax()
    question = question_of(students[0])
    console = open_console(teacher)
    wrong = int((right := question.right[0]) == 0)
    assert [text in "".join(html_of(console)) for text in (NOT_SHOWN, '"right"', question.reason(wrong))] == [1, 0, 0]
    rerun(rerun(console.toggle(key="console_right").set_value(True)))  # and it stays so
    assert "2 of 2 answered" in said(console)
    assert [row.count("<b>1</b>") for row in ballot(console)] == [int(i in (right, wrong)) for i in range(4)]
    assert question.reason(wrong) in ballot(console)[wrong]
    assert ballot(console)[right].startswith("right")
    for app in (rerun(teacher), *map(rerun, students)):
        assert not ballot(app)
        assert question.reason(wrong) not in heard(app)
    assert labels(console)[:3] == ["Show", "Reveal", "Ask again at the end"]
    press(console, f"{RATIO}_show")
    assert [row.count("<b>1</b>") for row in ballot(rerun(teacher))] == [int(i in (right, wrong)) for i in range(4)]
    assert labels(console)[:3] == ["Vote again", "Reveal", "Ask again at the end"]
    assert [one.label for one in console.button if one.proto.type == "primary"] == ["Reveal", "Next slide →"]
    press(console, f"{RATIO}_reveal")
    assert len(rooms.read(member_of(teacher).word, room.RECORD)) == 1
    assert teacher.session_state["class_room"].drawn
    for app in (rerun(teacher), *map(rerun, students)):
        assert question.reason(wrong) in ballot(app)[wrong]
    assert teacher.session_state["answered"] == {RATIO: "told"}
    assert "Show" not in labels(console)


def test_a_number_is_counted_with_those_of_the_same_mistake_in_both_votes_the_most_frequent_first():
    mistakes = Mistake(3.0, "three"), Mistake(4.0, "four")
    asked = Number("name", "text", 5.0, 0.5, "why", mistakes, "another", digits=0)
    others = "−1.5, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, …"
    assert tally(asked, [5, -1.5, 3, 3, *range(20, 33)], [4, 4, 4, 5, 5.25, 3]) == [
        Tally("5", 1, 2, True, "why"),
        Tally(others, 14, 0, False, "another"),
        Tally("3", 2, 1, False, "three"),
        Tally("4", 0, 3, False, "four"),
    ]
    assert [line.first for line in tally(asked, [5], None)] == [None]


def test_a_record_has_what_is_not_revealed_too_and_when_it_was_by_the_clock_of_the_teacher(rooms, monkeypatch):
    monkeypatch.setattr(rooms, "clock", lambda: 1_800_000_000.0)  # on 15 January 2027 at 8:00
    teacher, students, word = at_softmax()
    vote(students[1], RATIO, 2)
    member = member_of(open_console(teacher))
    assert [len(member.records()), len(rooms.read(word, room.RECORD))] == [1, 0]
    rows = [*csv.DictReader(as_csv(word, member.records(), -330).decode("utf-8-sig").splitlines())]
    assert {(row["when"], row["here"], row["first vote"]) for row in rows} == {("2027-01-15 13:30", "2", "")}
    assert sorted(row["last vote"] for row in rows) == ["0", "0", "1", "1"]
    page = as_page(word, [*(one := member.records()), Record.of(one[0])._replace(here=1).text], -330)
    assert "13:30 · 2 of 2 answered<" in page
    assert "15 January 2027, answers of 13:30 · up to 2 here" in page
    press(rerun(teacher), f"{RATIO}_show")
    press(teacher, f"{RATIO}_vote_again")
    vote(rerun(students[0]), RATIO, 2)
    press(rerun(teacher), f"{RATIO}_reveal")
    member.look()
    assert [len(member.records()), len(rooms.read(word, room.RECORD))] == [1, 1]  # each question once
    assert "13:30 · 1 of 2 answered, 2 in the first vote<" in (page := as_page(word, member.records(), -330))
    assert page.count('class="ballot') + page.count("course ballot") == 1
    assert not any(member_of(student).tab in page for student in students)
    for offset in (10**9, -(10**9)):  # which a browser says
        assert word in as_page(word, member.records(), offset)
    named = [record_of("Wall: of a name\ud800", [Tally("cat", 2, None, True, "It is.")], 0, 1).text]  # one has left
    assert b"of a name?" in as_csv(word, named)
    assert as_page(word, named).partition("2 of 2 answered<")[2].count("<b>2</b>") == 1  # a question all the same
    assert "Nothing was asked." in as_page(word, [])


def test_whatever_becomes_of_a_class_its_teachers_tab_has_the_record_until_another_is_opened(rooms, monkeypatch):
    monkeypatch.setattr(app_test, "MediaFileManager", Media)
    teacher, _, word = at_softmax()
    member_of(teacher).recorded = -1.0  # with the next sign
    rerun(teacher)
    rooms.close(word)  # as a store does that is started again, or the host
    for again in (rerun, rerun, reload):
        file = download(again(teacher), "Download the record")
        assert (file.filename, b"2 of 2 answered" in file.content) == (f"class-{word}.html", True)
        assert f"the record of class {word}." in said(teacher)
    press(go(teacher, "teach", {}), "teach_start")
    assert "class_record" not in teacher.session_state


def test_a_console_leads_back_to_a_question_that_is_asked_again(rooms):
    teacher, _, word = at_softmax()
    press(stage(member_of(teacher), SOFTMAX), "class_here")
    console = open_console(teacher)
    press(console, f"{RATIO}_ask_again_at_the_end")
    assert not [label for label in labels(console) if label.startswith("Ask again:")]  # where one is
    press(console, "console_next")
    press(rerun(console), "console_again_-1")
    assert rooms.read(word, room.NOW)[room.VIEW] == PLANNED[SOFTMAX].link
    assert f"{SOFTMAX + 1} of {len(PLANNED)}" in said(rerun(console))
    assert room.Poll.of(rooms.read(word, room.NOW)[f"ask:{RATIO}"])[2:4] == (2, "open")


def test_a_console_lists_so_many_texts_of_a_wall_and_first_those_that_are_chosen(rooms, monkeypatch):
    teacher, _, word = at_softmax()
    for tab in "abcd":
        rooms.put(word, "wall:qkv:softmax", tab, written_item(Item(tab, "a weight")))
    console = open_console(teacher)
    rerun(next(one for one in console.checkbox if one.label.startswith("d ")).check())
    monkeypatch.setattr("pages.class_room.console.LISTED", 2)
    assert [one.label[0] for one in rerun(console).checkbox if "a weight" in one.label] == ["a", "d"]


def test_a_teacher_drops_who_sent_a_text_and_the_others_stay(stores, rooms):
    teacher, students, word = at_softmax()
    item = written_item(Item("a rude sentence", "a weight", 0.5))
    for student in students[:1]:
        rooms.put(word, "wall:qkv:softmax", member_of(student).tab, item)
    rooms.put(word, "wall:qkv:softmax", "another", written_item(Item("a good sentence", "a weight", 0.5)))
    console = open_console(teacher)
    (bad,) = [one.key for one in console.checkbox if "rude" in one.label]
    rerun(console.checkbox(key=bad).check())
    assert any(rooms.read(word, room.RECORD).values())
    press(console, f"{bad}_drop")
    assert [one.label.split(" ·")[0] for one in console.checkbox if "sentence" in one.label] == ["a good sentence"]
    assert not any(rooms.read(word, room.RECORD).values())
    assert "1 of " in said(console)
    assert [*rooms.read(word, f"vote:1:{RATIO}")] == [member_of(students[1]).tab]


@pytest.mark.parametrize(
    ("page", "step", "place"),
    [
        ("causal_mask", "predictions", "causal_mask_examples"),
        ("tiny_lm", "copy", "tiny_lm_copy"),
        ("qkv", "softmax", RATIO),
    ],
)
def test_a_question_that_the_class_keeps_judges_as_the_one_that_was_asked(rooms, page, step, place):
    _, word = open_class()
    question = member_of(come(word, page, step=step)).drawn[place][0]
    kept, of, _ = question_in(written(question, step, True))
    assert (type(kept), kept.name, kept.right, of) == (type(question), question.name, question.right, step)
    options = [(0, 0), (1, 2)] if page == "tiny_lm" else range(4)
    assert [kept.judge(one).right for one in options] == [question.judge(one).right for one in options]
    assert "<" not in written(question, step, True)


def test_the_next_slide_of_a_console_moves_class_and_projector_and_the_last_word_wins(rooms):
    teacher, _, word = at_softmax()
    first, second = open_console(teacher), open_console(teacher)
    projector = press(stage(member_of(teacher), SOFTMAX), "class_here")
    assert told(rerun(projector))["slide"][::2] == [SOFTMAX, False]
    for console in (first, second):
        assert f"{SOFTMAX + 1} of {len(PLANNED)}" in said(rerun(console))
        assert PLANNED[SOFTMAX].note in said(console)
    press(first, "console_next")
    assert rooms.read(word, room.NOW)[room.VIEW] == PLANNED[SOFTMAX + 1].link
    assert told(rerun(projector))["slide"][::2] == [SOFTMAX + 1, True]
    assert PLANNED[SOFTMAX + 1].title in said(rerun(second))
    press(second, "console_back")
    press(rerun(second), "console_back")
    assert f"{SOFTMAX} of {len(PLANNED)}" in said(rerun(first))
    press(rerun(projector), "class_here")  # who pages on the projector itself has the last word
    assert f"{SOFTMAX + 1} of {len(PLANNED)}" in said(rerun(first))
    for _ in range(9):
        press(first, "console_next")
    assert f"{len(PLANNED)} of {len(PLANNED)}" in said(first)
    assert rooms.read(word, room.NOW)[room.VIEW] == PLANNED[-1].link


def test_a_console_shows_the_questions_of_the_view_alone_whether_a_link_says_the_first_step_or_not(rooms):
    teacher, word = open_class()
    assert NOT_SHOWN not in said(console := open_console(teacher))
    teach(teacher, "scaling", step="collapse")
    member_of(teacher).say_view("scaling?scaling_step=collapse")
    rooms.put(word, "wall:scaling:", "a tab", written_item(Item("a sentence", "a weight", 0.5)))
    assert NOT_SHOWN in said(rerun(console))
    assert len(walls(console)) == 1


def test_a_console_asks_what_the_slide_in_sight_asks_and_no_other_slide_of_its_step(rooms):
    teacher, word = open_class()
    texts = {"the dog ran to the big red ball": "has 10 tokens", "the cat sat": "has 3 words", "": "has 7 words"}
    views = [View("causal_mask").with_word("step", "predictions").with_word("text", text) for text in texts]
    teacher.session_state["plan"] = Plan((views[0]._replace(title="Our own sentence"), *views[1:]))
    slides = [stage(member_of(rerun(rerun(teacher))), 0, views[0])]
    press(slides[0], "class_here")
    member_of(console := open_console(teacher)).tells = "1"
    vote(come(word, "causal_mask", text=next(iter(texts))), "causal_mask_examples", 9)
    slides += [stage(member_of(teacher), place, view) for place, view in enumerate(views[1:], 1)]  # loaded in advance
    assert [row.count("<b>1</b>") for row in ballot(rerun(console))] == [1]
    press(console, "causal_mask_examples_reveal")
    rerun(slides[0])
    for at, way in ((1, "next"), (2, "next"), (1, "back"), (0, "back")):
        press(console, f"console_{way}")
        for one in slides * 2:
            rerun(one)
        assert [text in said(rerun(console)) for text in texts.values()] == [i == at for i in range(3)]
    assert "Revealed" in said(console)
    (row, *_) = csv.DictReader(as_csv(word, rooms.read(word, room.RECORD).values()).decode("utf-8-sig").splitlines())
    assert (row["lesson"], row["view"], row["last vote"]) == ("Causal Mask", "Our own sentence", "1")


def test_a_console_shows_no_question_that_another_sentence_has_taken_from_the_page(rooms):
    teacher, _ = open_class()
    teach(teacher, "qkv", step="match")
    assert NOT_SHOWN in said(console := open_console(teacher))
    go(teacher, "home", {})
    rerun(teach(teacher, "qkv", step="match", text="mat mat mat"))
    assert NOT_SHOWN not in said(rerun(console))


def test_an_order_lies_over_the_slide_until_it_is_taken_back_or_the_next_slide_comes(rooms):
    teacher, _, word = at_softmax()
    console, projector = open_console(teacher), stage(member_of(teacher), 0)
    for way in ("console_black", "console_next"):
        press(console, "console_black")
        assert told(rerun(projector))["order"][0] == BLACK
        press(console, way)
        assert told(rerun(projector))["order"][0] == ""
    rooms.put(word, desk.DESK, "plan0", "")  # a lesson without a plan goes step by step
    press(rerun(console), "console_next")
    assert told(rerun(projector))["order"][0] == "1"


def test_with_a_console_the_slide_has_neither_the_buttons_of_its_teacher_nor_the_note(rooms):
    teacher, _, _ = at_softmax()
    projector = rerun(stage(member_of(teacher), 0))
    assert not told(projector)["console"]
    assert "Show" in labels(projector)
    open_console(teacher)
    assert told(rerun(projector))["console"]
    assert "Show" not in labels(projector)
    clock = rooms.clock()
    rooms.clock = lambda: clock + room.ABSENT + 1
    assert "Show" in labels(rerun(projector))  # the console is gone


def test_after_a_crash_the_own_link_brings_back_class_plan_view_votes_and_clock(stores, rooms):
    began = rooms.clock()
    rooms.clock = lambda: began
    teacher, _, word = at_softmax()
    press(stage(member_of(teacher), SOFTMAX), "class_here")
    rooms.clock = lambda: began + 125
    console = open_console(teacher)  # nothing else is left
    assert f"{SOFTMAX + 1} of {len(PLANNED)}" in said(console)
    assert "2 of 2 answered" in said(console)
    assert sum('data-seconds="125"' in block for block in html_of(console)) == 2  # of the lecture and of the slide
    assert not {"teach", "class"} & set(console.query_params)
    back = opened("home", {"teach": f"{word}.{member_of(teacher).key}"})
    assert back.session_state["plan"].views == PLANNED
    assert f"teach={word}." in (way := member_of(console).way_in("lecture"))
    assert way.endswith(f"plan=teach-qkv#{SOFTMAX + 1}")
    assert member_of(reload(console, "home")).is_teacher
    for later, shown in ((130, 130), (desk.LONGEST + 1, 0)):  # the projector is opened again, and for the next lecture
        rooms.clock = lambda later=later: began + later
        press(stage(member_of(teacher), SOFTMAX), "class_here")
        assert sum(f'data-seconds="{shown}"' in block for block in html_of(open_console(teacher))) == 2


def test_teach_offers_the_class_that_is_still_open_before_another_one(rooms):
    teacher, _, word = at_softmax()
    member, app = member_of(rerun(rerun(teacher))), opened("teach", {"plan": "teach-scaling"})
    for key, *waits in (("z" * 22, 0), (member.key, {})):  # a forged one, and what the browser keeps
        report(app, sent_to(app, "attention_progress")[0], "left", [word, member.tab, key, *waits])
        assert ["Go on" in str(labels(app)), "another class" in str(labels(app))] == [key == member.key] * 2
    assert "class_room" not in app.session_state
    assert member_of(press(app, "teach_go_on")).tab == member.tab
    assert app.session_state["plan"].views == PLANNED


def test_a_plan_of_any_length_is_kept_and_another_one_begins_its_clock_anew(rooms, monkeypatch):
    teacher, word = open_class()
    member = member_of(teacher)
    views = tuple(view._replace(note=str(i) * 60) for i, view in enumerate(PLANNED))
    teacher.session_state["plan"] = plan_in("teach-qkv")._replace(views=views)
    member.say_slide(2)
    monkeypatch.setattr(desk, "PIECE", 200)
    rerun(rerun(teacher))
    found = Desk.of(rooms.read(word, desk.DESK))
    assert plan_in(found.plan).views == views
    assert len(found.plan) > desk.PIECE
    assert found.begun == 0


def test_a_student_gets_nothing_of_the_console_and_no_answer(rooms):
    teacher, students, word = at_softmax()
    question = question_of(students[0])
    secret = [member_of(teacher).key, question.why, question.reason(int(question.right[0] == 0))]
    links: tuple[dict, ...] = ({"class": word}, {}, {"teach": f"{word}.x"})
    forged = [opened("home", {"console": "on"} | link) for link in links]
    for app in forged:
        assert NOT_YOURS in said(app)
        assert "console_next" not in [button.key for button in app.button]
    for app in (*forged, *map(rerun, students)):
        assert [text for text in secret if text in heard(app)] == []
    assert [text for text in secret if text in heard(open_console(teacher))] == secret[::2]  # or nothing would be read


def test_the_server_lets_a_console_run_when_the_class_did_something_and_not_otherwise(rooms, monkeypatch):
    teacher, students, word = at_softmax()
    console = member_of(open_console(teacher))
    assert console.sight.here == 2
    console.is_late = False

    def is_told():
        push.tell([("a", console)], lambda session: Connected())
        late, console.is_late = console.is_late, False
        return late

    monkeypatch.setattr(push, "let_run", lambda page: None)
    is_told()
    assert [is_told() for _ in range(3)] == [False] * 3
    vote(students[0], RATIO, 2)
    assert [is_told(), is_told()] == [True, False]
    rooms.put(word, "wall:qkv:softmax", "a tab", Item("a sentence", "a weight", 0.5).text)
    assert [is_told(), is_told()] == [True, False]
    member_of(teacher).order(BLACK)
    assert [is_told(), is_told()] == [True, False]


def test_a_console_says_that_the_store_is_away_and_that_the_class_is_over(rooms, monkeypatch):
    teacher, _, _ = at_softmax()
    console, other = open_console(teacher), open_console(teacher)
    with monkeypatch.context() as broken:
        for name in ("put", "read"):
            broken.setattr(rooms, name, fails)
        assert "The store is away." in said(rerun(console))
    press(rerun(console), "class_close")
    assert CLOSED in said(console)
    assert NOT_YOURS not in said(console)
    assert GONE in said(rerun(other))


def test_a_run_of_the_bar_alone_takes_the_place_of_nothing_else(rooms):
    (bar,) = open_class()[0]._tree[3].children.values()
    assert all(one.children[0].children for one in bar.children.values())  # a place of its own, and in it the part
