"""A class on the pages: its tabs are real pages of one process, its store either of the two."""

import csv
import html
import json
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from markupsafe import escape
from streamlit.runtime.app_session import AppSessionState

from attention_core import softmax
from attention_core.experiments.scaling.untrained_row import row_over_widths
from pages.class_room import member, push, room, store
from pages.class_room.host import CLOSED
from pages.class_room.member import GONE, KEPT
from pages.class_room.record import as_csv, as_page
from pages.class_room.room import Poll, Tries, find_class
from pages.class_room.store import Unavailable
from pages.class_room.walls import MOST, Item
from pages.exercises.catalogue import EXERCISES
from pages.page.ask import fingerprint
from pages.scaling.scene import SENTENCE
from pages.teaching.own import written as own_text
from tests.app.test_bad_input import HARSH, see_that_it_stands
from tests.app.visits import (
    ENTRY,
    ROOT,
    charts,
    forge,
    go,
    html_of,
    opened,
    press,
    report,
    rerun,
    reveal,
    said,
    sent_to,
    shared,
    through_menu,
)
from tests.class_room.lecture import come, is_in_class, meet, member_of, open_class, open_console, reload, teach, vote

RATIO, POWER = "qkv_ratio", "[⁰¹²³⁴⁵⁶⁷⁸⁹⁻][⁰¹²³⁴⁵⁶⁷⁸⁹·]*"
VOTED = "You can change it until your teacher closes the vote."


def fails(*_):
    raise Unavailable("The store is away.")


def labels(app):
    return [button.label for button in app.button]


def ballot(app):
    """Return the rows of the bars that a page shows."""
    found = [block for block in html_of(app) if 'class="course ballot"' in block]
    return found[0].split('<div class="')[2:] if found else []


def question_of(app):
    return member_of(app).drawn[RATIO][0]


def test_a_class_votes_sees_the_room_votes_again_and_is_told(stores, rooms):
    teacher, word, students = meet(3)
    question = question_of(students[0])
    right = question.right[0]
    wrong, other = [i for i in range(len(question.options)) if i != right][:2]
    for student, given in zip(students, (wrong, wrong, other), strict=True):
        assert "Just show me" not in labels(student)
        assert VOTED in said(vote(student, RATIO, given))
        assert "verdict" not in " ".join(html_of(student))
    assert VOTED in said(vote(students[2], RATIO, wrong))
    assert "3 of 3 answered" in said(rerun(teacher))
    assert not ballot(teacher)
    press(teacher, f"{RATIO}_show")
    assert [row.count("<b>3</b>") for row in ballot(teacher)] == [int(i == wrong) for i in range(4)]
    assert "The vote is closed. You sent" in said(rerun(students[0]))
    press(teacher, f"{RATIO}_vote_again")
    assert not ballot(teacher)
    for student, given in zip(students, (right, right, wrong), strict=True):
        assert "Vote again. Your first vote" in said(rerun(student))
        vote(student, RATIO, given)
    press(teacher, f"{RATIO}_show")
    assert [row.split("<b>")[1].split("</b>")[0] for row in ballot(teacher)] == [
        {wrong: "3 → 1", right: "0 → 2"}.get(i, "0 → 0") for i in range(4)
    ]
    assert question.reason(wrong) not in " ".join(html_of(teacher))
    press(teacher, f"{RATIO}_reveal")
    for app in (teacher, *map(rerun, students)):
        rows = ballot(app)
        assert [row.startswith("right") for row in rows] == [i == right for i in range(4)]
        assert [question.reason(i) in rows[i] for i in (wrong, other)] == [True, False]
        assert question.why not in rows[right]  # it stands above
    assert "✓ You predicted" in said(students[0])
    assert "✕ Not" in said(students[2])
    assert students[0].session_state["answered"][RATIO] == "right at once"
    assert students[2].session_state["answered"][RATIO] == "told"
    records = [*rooms.read(word, room.RECORD).values()]
    rows = [*csv.reader(as_csv(word, records).decode("utf-8-sig").splitlines())]
    assert [row[4:7] for row in rows[1:]] == [
        {wrong: ["1", "3", ""], right: ["2", "0", "yes"]}.get(i, ["0", "0", ""]) for i in range(4)
    ]
    assert all(re.search(f"e{POWER}", row[7]) for row in rows[1:] if row[6])  # as text a power is still one
    shown = as_page(word, records)
    assert [shown.count(f">{escape(text)!s}</") for text in (rows[1][2], *(row[3] for row in rows[1:]))] == [1] * 5
    assert (shown.count("<b>3 → 1</b>"), shown.count("<b>0 → 2</b>"), shown.count('class="right"')) == (1, 1, 1)
    assert not any(member_of(student).tab in shown for student in students)
    late = come(word, "qkv", step="softmax")
    assert "Check" in labels(late)


def test_a_question_at_the_start_and_at_the_end_of_a_class_shows_the_shift_and_hides_no_picture_between(rooms):
    teacher, _, students = meet(2)
    right = question_of(students[0]).right[0]
    wrong = int(right == 0)
    for student in students:
        vote(student, RATIO, wrong)
    blank = "weights are still blank"
    assert blank in str(charts(rerun(teacher)))
    press(teacher, f"{RATIO}_ask_again_at_the_end")
    for app in (teacher, *map(rerun, students)):
        assert blank not in str(charts(app))
        assert "verdict" not in " ".join(html_of(app))
    assert "Your teacher asks this again at the end" in said(students[0])
    teach(teacher, "scaling", step="spread")
    (bar,) = [block for block in html_of(rerun(teacher)) if "Ask again" in block]
    assert 'href="qkv?qkv_step=softmax"' in bar.replace("http://localhost:8501/", "")
    teach(teacher, "qkv", step="softmax")
    assert "Ask again" not in " ".join(html_of(rerun(teacher)))
    press(teacher, f"{RATIO}_vote_again")
    for student in students:
        assert blank in str(charts(rerun(student)))
        vote(student, RATIO, right)
    press(teacher, f"{RATIO}_show")
    counted = [row.split("<b>")[1].split("</b>")[0] for row in ballot(teacher)]
    assert counted == [{wrong: "2 → 0", right: "0 → 2"}.get(i, "0 → 0") for i in range(4)]


def test_a_student_who_comes_back_in_another_tab_of_the_browser_has_the_same_vote(rooms):
    teacher, word, _ = meet(0)
    first = vote(come(word, "qkv", step="softmax"), RATIO, 1)
    seat = [word, member_of(first).tab, "", {}]  # as the browser keeps it
    second = reveal(through_menu("scaling"))  # who knows something before the word is typed
    go(second, "qkv", {"class": word, "qkv_step": "softmax"})
    (drawn,) = sent_to(second, "attention_progress")
    report(second, drawn, "seat", seat)
    assert member_of(second).tab == member_of(first).tab
    assert VOTED in said(second)
    vote(second, RATIO, 0)
    assert "1 of 1 answered" in said(rerun(teacher))
    (drawn,) = sent_to(second, "attention_progress")
    for forged in (["ZZZ2", "x" * 16, "", {}], [word, "x", "", {}], [word, "y" * 16, "z" * 22, {}], 5, [[]] * 4):
        report(second, drawn, "seat", forged)
        assert member_of(second).tab == member_of(first).tab
        assert not member_of(second).is_teacher


def test_a_question_without_a_vote_stays_open_and_no_first_vote_is_invented(rooms):
    teacher, word, (student,) = meet(1)
    assert teacher.button(key=f"{RATIO}_ask_again_at_the_end").disabled
    press(teacher, f"{RATIO}_show")
    assert teacher.button(key=f"{RATIO}_ask_again_at_the_end").disabled
    press(teacher, f"{RATIO}_vote_again")
    vote(rerun(student), RATIO, 0)
    press(rerun(teacher), f"{RATIO}_show")
    assert [row.split("<b>")[1].split("</b>")[0] for row in ballot(teacher)] == ["1", "0", "0", "0"]
    press(teacher, f"{RATIO}_vote_again")  # and nobody does
    press(rerun(teacher), f"{RATIO}_reveal")
    (record,) = rooms.read(word, room.RECORD).values()
    rows = csv.reader(as_csv(word, [record]).decode("utf-8-sig").splitlines()[1:])
    assert [row[4:6] for row in rows] == [["1", ""], *[["0", ""]] * 3]


def test_closing_a_class_asks_first_and_offers_its_answers(rooms):
    teacher, word, _ = meet(0)
    press(teacher, f"{RATIO}_reveal")
    press(teacher, "class_more")
    teacher.session_state["class_end"] = True
    (asks,) = [block for block in rerun(teacher).get("popover") if "close the class" in block.proto.popover.label]
    assert [(one.key, one.proto.type) for one in asks.expander[0].button] == [("class_close", "secondary")]
    files = [(one.proto.type, bool(one.proto.url)) for one in asks.download_button]
    assert files == [("primary", True), ("secondary", True)]  # they are made already, and the safe act is first
    press(teacher, "class_close")
    assert not find_class(rooms, word, Tries(5))


@pytest.mark.parametrize(
    ("page", "step", "place"),
    [
        ("causal_mask", "predictions", "causal_mask_examples"),
        ("tiny_lm", "copy", "tiny_lm_copy"),
        ("home", None, "home_elsewhere"),
    ],
    ids=["number", "cell", "a click on an option"],
)
def test_each_kind_of_question_is_sent_counted_and_revealed(rooms, page, step, place):
    teacher, word = open_class()
    link = {"step": step} if step else {}
    teach(teacher, page, **link)
    students = [come(word, page, **link) for _ in range(3)]
    question = member_of(students[0]).drawn[place][0]
    right = question.right if step else question.right[0]
    wrong = {"predictions": lambda: right + 3, "copy": lambda: (0, 0)}.get(step, lambda: int(right == 0))()
    for student, given in zip(students, (right, wrong, wrong), strict=True):
        assert VOTED in said(vote(student, place, given))
    press(teacher, f"{place}_show")
    assert not [one for one in charts(teacher) if "right" in set(one.data.get("kind", []))]
    press(teacher, f"{place}_reveal")
    assert question.reason(wrong) in " ".join(html_of(teacher))
    if page == "causal_mask":
        (dots,) = [one.data for one in charts(teacher) if "height" in one.data]
        assert sorted(dots["number"][dots["kind"] == "dot"]) == [right, wrong, wrong]
        assert dots["number"][dots["kind"] == "right"].tolist() == [right]
    elif page == "tiny_lm":
        (cells,) = [one.data for one in charts(teacher) if "answers" in one.data]
        counts = np.zeros((len(question.labels),) * 2)
        counts[right], counts[wrong] = 1, 2
        assert cells["answers"].tolist() == counts.ravel().tolist()
    rows = csv.DictReader(as_csv(word, rooms.read(word, room.RECORD).values()).decode("utf-8-sig").splitlines())
    twice = [row["answer"] for row in rows if (row["last vote"], row["right"]) == ("2", "")]
    name_of = {"predictions": str, "copy": lambda given: question.name_of(given)}
    assert twice == [name_of.get(step, lambda i: question.options[i])(wrong)]
    assert ("✓" in said(rerun(students[0])), "✕" in said(rerun(students[1]))) == (True, True)


def test_what_cannot_be_sent_is_sent_later_and_the_lesson_goes_on(rooms, monkeypatch):
    teacher, word, (student,) = meet(1)
    with monkeypatch.context() as broken:
        for name in ("put", "read", "open", "close"):
            broken.setattr(rooms, name, fails)
        vote(student, RATIO, 1)
        assert "Not sent yet" in said(student)
        assert "The store is away." in said(student)
        press(student, "qkv_next")
        press(student, "qkv_back")
        assert "The store is away." in said(teach(teacher, "qkv", step="softmax"))
        assert "The store is away." in said(come(word))
        student = reload(student)  # the browser has the vote, and the class cannot be found now
        assert not is_in_class(student)
        student = reload(student)  # which loses nothing
    assert VOTED in said(rerun(student))
    assert "1 of 1 answered" in said(rerun(teacher))


def test_a_reload_is_the_same_tab_with_its_vote_and_the_teacher_stays_one(rooms):
    teacher, word, (student,) = meet(1)
    vote(student, RATIO, 1)
    tab = member_of(student).tab
    for _ in range(2):
        student = reload(student)
        assert member_of(student).tab == tab
        assert VOTED in said(student)
    kept = json.dumps({"class": [word, tab, "", {}]})  # by a browser that was not told of the vote
    follows = come(word, "qkv", step="softmax")
    member_of(follows).look()  # which gives a sign before the browser says that it had another tab
    assert VOTED in said(forge(follows, "attention_progress", {"kept": kept}))
    rerun(student)
    teacher = reload(teacher)
    assert member_of(teacher).is_teacher
    view = opened("qkv", {"teach": f"{word}.{member_of(teacher).key}"})
    (before,) = sent_to(view, "attention_progress")
    (after,) = sent_to(forge(view, "attention_progress", {"kept": "{}"}), "attention_progress")
    assert after.json != before.json  # for what is the same no script runs, and a browser would not keep the class
    assert "1 of 1 answered" in said(rerun(teacher))
    assert room.n_here(rooms, word) == 1


def test_a_class_that_is_full_hears_its_teacher_and_one_with_a_teacher_alone_is_not_the_idle_one(rooms, monkeypatch):
    teacher, word = open_class()
    monkeypatch.setattr(store, "CLASSES", 2)
    rerun(teacher)
    _, other = open_class()
    rooms.clock = lambda: time.time() + store.IDLE + 20
    rerun(teacher)
    open_class()
    assert [find_class(rooms, one, Tries(5)) for one in (word, other)] == [True, False]
    member_of(teacher).say_now(room.FOLLOW, "1")
    student = member_of(rerun(come(word)))
    student.say("wall:home:", student.tab, "half of \ud800")
    monkeypatch.setattr(store, "SEATS", 1)
    late = member_of(app := rerun(come(word)))
    late.say("wall:home:", late.tab, "a text")
    late.look()
    assert "full" in said(rerun(app))
    assert late.now[room.FOLLOW] == "1"
    assert rooms.read(word, "wall:home:") == {student.tab: "half of ?"}


def test_a_vote_waits_until_its_question_is_asked_and_what_is_never_asked_is_never_sent(rooms):
    teacher, word = open_class()
    student = come(word, "qkv", step="softmax")
    shelves = [room.shelf_of(place, turn) for place in (RATIO, "x1") for turn in (1, 2)]
    member_of(student).unpack(dict.fromkeys(shelves, "[]"))
    assert "Kept here" in said(vote(student, RATIO, 1))
    assert [rooms.read(word, shelf) for shelf in shelves] == [{}] * 4
    assert "1 of 1" not in said(teach(teacher, "qkv", step="softmax"))
    assert VOTED in said(rerun(student))
    assert [len(rooms.read(word, shelf)) for shelf in shelves] == [1, 0, 0, 0]
    assert "1 of 1 answered" in said(rerun(teacher))


def test_who_sent_a_share_is_told_so_and_still_votes_and_a_teacher_that_the_store_is_full(rooms, monkeypatch):
    teacher, word, (student,) = meet(1)
    monkeypatch.setattr(store, "SHARE", 4 * store.OF_A_ROW)
    member_of(student).say("wall:qkv:softmax", member_of(student).tab, "x" * store.OF_A_ROW * 4)
    assert "as much as it may" in member_of(student).trouble
    assert VOTED in said(vote(student, RATIO, 1))
    assert rooms.read(word, "wall:qkv:softmax") == {}
    assert store.NO_ROOM not in said(rerun(teacher))
    rooms.reserve.unlink()
    monkeypatch.setattr("pages.class_room.sqlite_store.LEAST", 1 << 60)
    assert store.NO_ROOM in said(rerun(teacher))


def test_only_who_has_the_key_is_a_teacher_and_no_student_gets_it(rooms):
    teacher, word = open_class()
    key = member_of(teacher).key
    teach(teacher, "qkv", step="softmax")
    assert not any(key in value for value in shared(teacher).values())
    second = opened("home", {"teach": f"{word}.{key}"})
    assert member_of(second).is_teacher
    assert "teach" not in second.query_params
    assert key not in str(second.session_state["given"])
    for forged in (f"{word}.", f"{word}.x", f"{word}.{key[:-1]}", f".{key}", word, f"{word}.{key}.{key}", "."):
        assert not is_in_class(app := opened("home", {"teach": forged})) or not member_of(app).is_teacher
    for kept in ([word, "x" * 16, "y" * 22, {}], [word, "x" * 16, key + "y", {}], [word, key], word, [[]] * 4, 5):
        app = forge(opened("home", {}), "attention_progress", {"kept": json.dumps({"class": kept})})
        assert not is_in_class(app) or not member_of(app).is_teacher


@pytest.mark.parametrize("text", [*HARSH.values(), "ZZZ2", "", "K7Q2&class=K7Q2"])
@pytest.mark.parametrize("word", ["class", "teach"])
def test_nonsense_in_the_words_for_a_class_is_no_class_and_breaks_nothing(rooms, word, text):
    app = opened("scaling", {word: text})
    see_that_it_stands(app, text)
    assert not is_in_class(app)
    assert not {"class", "teach"} & set(app.query_params)
    assert "No class has this code now" in said(app) or not text
    assert "No class" not in said(rerun(app))


def test_that_a_link_says_no_class_stays_said_when_the_browser_tells_what_it_kept(rooms):
    app = forge(opened("home", {"class": "ZZZ2"}), "attention_progress", {"kept": "{}"})
    assert "No class has this code now" in said(app)


def test_a_word_is_typed_on_the_home_page_and_too_many_are_refused(rooms):
    _, word = open_class()
    app = opened("home", {})
    rerun(app.text_input(key="class_word").set_value(f" {word.lower()} "))
    assert f"Class {word}" in said(app)
    assert KEPT in said(app)
    tab, app = member_of(app).tab, press(app, "class_leave")
    assert not is_in_class(rerun(app))
    rerun(app.text_input(key="class_word").set_value(word))
    assert member_of(app).tab == tab  # so no second vote
    app = press(app, "class_leave")
    for wrong in ("2222", "2223", "2224", "2225", "2226", "2227", word):
        rerun(app.text_input(key="class_word").set_value(wrong))
    assert "Too many class codes were tried" in said(app)
    assert not is_in_class(app)


def test_a_view_on_the_stage_is_said_to_the_class_when_it_is_shown_not_when_it_is_loaded(rooms):
    teacher, word = open_class()
    key = {"teach": f"{word}.{member_of(teacher).key}"}
    stage = opened("qkv", key | {"lecture": "view", "qkv_step": "softmax"})
    loaded = opened("qkv", key | {"lecture": "view", "slide": "1", "qkv_quiz": own_text("Which?\n*cat\nmat")})
    rerun(loaded)  # whose bar is drawn before its lesson
    assert room.VIEW not in rooms.read(word, room.NOW)
    assert "0 of 0 answered" in said(stage)
    press(stage, "class_here")
    go(rerun(loaded), None, loaded.query_params | {"qkv_seed": "5"})
    assert rooms.read(word, room.NOW)[room.VIEW] == "qkv?qkv_step=softmax"
    planned = opened("teach", key | {"plan": "teach-qkv"})
    (way,) = [one.proto.url for one in planned.get("link_button") if one.proto.label == "Start the lecture"]
    assert way.endswith(f"plan=teach-qkv&lecture=on&teach={key['teach']}")


def test_students_hear_where_the_teacher_is_and_follow_at_once_if_the_teacher_says_so(rooms):
    teacher, word = open_class()
    student = opened("home", {}, ENTRY)
    rerun(student.text_input(key="class_word").set_value(word))
    go(student, "qkv", {"qkv_step": "softmax"})
    teach(teacher, "scaling", step="spread", seed="5")
    (told,) = [block for block in html_of(rerun(student)) if "your teacher is at" in block]
    assert 'href="scaling?' in told or "scaling?scaling_seed=5" in told
    assert f"class={word}" in told
    assert "<script>" not in " ".join(html_of(student))
    member_of(teacher).say_now(room.FOLLOW, "1")
    assert any("<script>{" in block and "location.assign" in block for block in html_of(rerun(student)))
    go(student, "scaling", {"scaling_step": "spread", "scaling_seed": "5"})
    assert "your teacher is at" not in said(student)
    member_of(teacher).say_view("tiny_lm?tiny_lm_step=tokens")  # as a plan writes a first step
    assert "your teacher is at" not in said(rerun(go(student, "tiny_lm", {"tiny_lm_step": "tokens"})))


def test_other_numbers_are_counted_apart_and_another_variant_comes_to_all(rooms):
    teacher, word, _ = meet(0)
    same, elsewhere = (
        come(word, "qkv", step="softmax"),
        come(word, "qkv", step="softmax", text="the dog ran to the park and it barked"),
    )
    assert "with other numbers" in said(vote(elsewhere, RATIO, 1))
    vote(same, RATIO, 0)
    assert "1 of 2 answered · 1 with other numbers" in said(rerun(teacher))
    press(teacher, f"{RATIO}_reveal")
    press(teacher, f"{RATIO}_again")
    asked = Poll.of(rooms.read(word, room.NOW)[f"ask:{RATIO}"])
    assert (asked.variant, asked.stage) == (1, "open")
    rerun(rerun(same))
    assert fingerprint(question_of(same)) == asked.mark
    assert VOTED in said(vote(same, RATIO, 1))
    assert "1 of 2 answered" in said(rerun(teacher))


def test_a_closed_class_is_forgotten_and_its_pages_are_lessons_again(rooms):
    teacher, word, (student,) = meet(1)
    vote(student, RATIO, 1)
    kept = {shelf: rooms.read(word, shelf) for shelf in (room.SECRET, room.NOW, room.HERE, room.shelf_of(RATIO, 1))}
    assert [*kept[room.SECRET]] == ["key"]
    assert {*kept[room.shelf_of(RATIO, 1)]} == {member_of(student).tab}
    assert {*kept[room.HERE]} <= {member_of(student).tab}
    member_of(teacher).close()
    assert "You closed the class" in said(rerun(teacher))
    assert GONE in said(rerun(student))
    assert "Check" in labels(student)
    for app in (teacher, student):
        assert not is_in_class(rerun(app))
    assert not is_in_class(come(word))


def test_a_page_without_a_class_loads_nothing_of_it():
    code = """
import sys
from tests.app.visits import press, visit, reveal
reveal(visit("qkv", step="softmax"))
print([name for name in sys.modules if "class_room" in name or name == "sqlite3"])
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def walls(console):
    """Return the boxes by which a teacher chooses texts for the wall."""
    return [box for box in console.checkbox if "wall:" in box.key]


def sent(rooms, students, place):
    texts = rooms.read(member_of(students[0]).word, f"wall:{place}")
    return [Item.of(texts[member_of(student).tab]) for student in students]


def test_the_seeds_of_a_class_are_one_plot_of_dots_and_what_a_question_hides_is_not_sent(rooms):
    teacher, word = open_class()
    teach(teacher, "scaling", step="train")
    hidden = come(word, "scaling", step="train")
    assert "There is no number and no run to send here yet" in said(press(hidden, "class_send"))
    teach(teacher, "scaling", step="collapse")
    students = [press(come(word, "scaling", step="collapse", seed=seed, ask="no"), "class_send") for seed in "345"]
    rows = [softmax(row_over_widths(SENTENCE, SENTENCE.index("it"), (4,), seed)[0]) for seed in (3, 4, 5)]
    items = sent(rooms, students, "scaling:")  # the first step, which links leave out
    assert [item.value for item in items] == [row.max() for row in rows]
    press(teacher, "class_wall")
    (dots,) = [one.data for one in charts(teacher) if "height" in one.data]
    assert sorted(dots["number"]) == sorted(item.value for item in items)


def test_sentences_come_to_the_wall_as_texts_and_the_teacher_chooses_which_are_shown(rooms):
    teacher, word = open_class()
    link = {"step": "bet", "model": "Toy English"}
    teach(teacher, "tiny_lm", **link)
    texts = ["the big cat saw", "the <b>dog</b> [x](y)", "the big cat saw", "W" * 9000]
    students = [press(come(word, "tiny_lm", text=text, **link), "class_send") for text in texts]
    items = sent(rooms, students, "tiny_lm:bet")
    assert [item.text for item in items[:3]] == texts[:3]
    assert len(items[3].text) <= MOST
    press(teacher, "class_wall")
    assert "4 of 4 sent" in said(teacher)
    assert texts[1] not in said(teacher)
    console = open_console(teacher)
    assert len(walls(console)) == 3
    (box,) = [box for box in walls(console) if "dog" in box.label]
    rerun(box.check())
    press(rerun(teacher), "class_wall")
    students[1].text_input(key="tiny_lm_text").set_value("the red ball")
    press(rerun(students[1]), "class_send")
    press(teacher, "class_wall")  # what was chosen is shown as it was then
    told = [block for block in html_of(teacher) if 'class="wall"' in block]
    assert len(told) == 1
    assert "the &lt;b&gt;dog&lt;/b&gt; [x](y)" in told[0]
    assert items[1].why in html.unescape(told[0])
    kept = as_csv(word, rooms.read(word, room.RECORD).values()).decode("utf-8-sig")
    assert [row[3] for row in csv.reader(kept.splitlines())][1:] == [texts[1]]


def test_of_programs_a_class_sees_how_many_pass_which_mistakes_and_one_without_its_author(rooms):
    teacher, word = open_class()
    link = {"exercise": "attention_weights"}
    teach(teacher, "qkv", **link)
    one = EXERCISES["attention_weights"]
    for text in (one.solution, one.solution, one.starter):
        student = come(word, "qkv", **link)
        student.session_state["exercises"]["attention_weights"].text = text
        press(rerun(student), "qkv_run")
        press(student, "class_send")
    press(teacher, "class_wall")
    assert [row.split("<b>")[1].split("</b>")[0] for row in ballot(teacher)] == ["2", "1"]
    assert "tests pass" in ballot(teacher)[0]
    (box,) = [box for box in walls(open_console(teacher)) if "tests pass" in box.label]
    rerun(box.check())
    press(teacher, "class_wall")
    assert one.solution.strip() in [code.value.strip() for code in teacher.code]


class Connected:
    """A page of a session as the server has it, that counts how often it is to run."""

    def __init__(self):
        self._state, self._client_state, self.runs = AppSessionState.APP_NOT_RUNNING, "as it was", []
        self._event_loop = SimpleNamespace(call_soon_threadsafe=lambda run, state: run(state))

    def request_rerun(self, state):
        assert state == "as it was"
        self.runs.append(state)


def test_the_server_lets_pages_run_that_have_news_once_and_no_others(rooms, monkeypatch):
    teacher, word = open_class()
    students = [member_of(come(word)) for _ in range(3)]
    pages = {"a": Connected(), "b": Connected()}
    members = list(zip("abc", students, strict=True))  # the page of the third is not connected

    def runs(looks=1, second=AppSessionState.APP_NOT_RUNNING):
        pages["b"]._state = second
        for _ in range(looks):
            push.tell(members, pages.get)
        for student, page in zip(students, pages.values(), strict=False):
            student.is_late &= page._state != AppSessionState.APP_NOT_RUNNING
        return [len(page.runs) for page in pages.values()]

    busy = AppSessionState.APP_IS_RUNNING
    member_of(teacher).say_now(room.FOLLOW, "1")
    assert (runs(1, busy), runs()) == ([1, 0], [1, 1])
    students[0].is_known = not room.n_here(rooms, word)  # a browser has time to say which tab it is, whatever the news
    assert (runs(3), room.n_here(rooms, word)) == ([1, 1], 1)
    assert (runs(member.PATIENCE), room.n_here(rooms, word)) == ([1, 1], 2)  # of a browser that may keep nothing
    with monkeypatch.context() as broken:
        for name in ("put", "read"):
            broken.setattr(rooms, name, fails)
        students[0].say("wall:qkv:softmax", students[0].tab, "[]")
        runs()
    runs()
    assert rooms.read(word, "wall:qkv:softmax") == {students[0].tab: "[]"}
    with monkeypatch.context() as broken:
        broken.setattr(students[0], "look", lambda: 1 / 0)
        member_of(teacher).say_now(room.FOLLOW, "")
        before = [len(page.runs) for page in pages.values()]
        assert runs()[1] == before[1] + 1
    n = len(pages["a"].runs)
    (host := member_of(teacher)).close()
    assert (runs()[0], runs(2)[0]) == (n + 1, n + 1)
    assert (host.look(), students[0].over, host.over) == (False, GONE, CLOSED)  # a late look knows not why
