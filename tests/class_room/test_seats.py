"""A class that meets again: it is kept when its teacher says so, and a seat finds what it did the week before."""

import csv

import pytest

from pages.class_room import room, seats, store
from pages.class_room.member import KEPT, KEPT_LONGER
from pages.class_room.redis_store import RedisStore
from pages.class_room.room import SEAT, Tries, find_class
from pages.class_room.store import DAY, FORTNIGHT, Unavailable
from tests.app.visits import ROOT, opened, press, report, rerun, said, sent_to
from tests.class_room.lecture import come, heard, is_in_class, meet, member_of, open_console, vote
from tests.class_room.test_pages import RATIO, question_of


def keep(console, on=True):
    """Let a teacher say on the console whether the class meets again."""
    return rerun(console.toggle(key="class_keep").set_value(on))


def seat_in(browser, word, page="qkv", **link):
    fresh, seat = come(word, page, **link), [word, member_of(browser).tab, "", {}]
    (drawn,) = sent_to(fresh, "attention_progress")
    return report(fresh, drawn, "seat", seat)


def test_a_class_is_taken_up_again_and_each_seat_has_its_votes_its_hand_ins_and_its_ends_of_lessons(stores, rooms):
    now = rooms.clock()
    rooms.clock = lambda: now
    teacher, word, (student,) = meet(1)
    vote(student, RATIO, question_of(student).right[0])
    press(rerun(teacher), f"{RATIO}_reveal")
    assert KEPT in said(rerun(student))
    assert rooms.read(word, SEAT) == {}
    keep(open_console(teacher))
    assert KEPT_LONGER in said(rerun(student))
    rooms.clock = lambda: now + FORTNIGHT - 60
    week = open_console(teacher)
    rooms.clock = lambda: now + 2 * FORTNIGHT - 120  # 14 days are counted from the teacher's last visit
    back = seat_in(student, word, step="softmax")
    assert member_of(back).tab == member_of(student).tab
    assert back.session_state["answered"] == {RATIO: "right at once"}
    back.session_state["exercises_solved"]["attention_weights"] = 1
    rerun(back)
    table = seats.as_table(rooms.read(word, SEAT), member_of(rerun(week)).ballots()).decode("utf-8-sig")
    (row,) = csv.DictReader(table.splitlines())
    assert [row[name] for name in ("votes", "right at once", "tasks and programs")] == ["1", "1", "1"]
    assert [row[lesson][:5] for lesson in ("Q/K/V", "Scaling")] == ["1 of ", "0 of "]
    assert row["seat"] == member_of(back).number  # which is in the name of a hand-in
    assert member_of(student).tab not in table  # or who reads it could take the seat
    at_home = seat_in(student, word, "home")  # its seat is found in a run that may come before the first was drawn
    assert "location.assign" in heard(at_home)
    assert "location.assign" not in heard(rerun(at_home))
    keep(week, on=False)
    assert KEPT in said(rerun(back))
    rooms.clock = lambda: now + 2 * FORTNIGHT + DAY
    if isinstance(rooms, RedisStore):  # which has a clock of its own
        with rooms.connected() as server:
            left = {server.expiretime(key) for key in server.keys(f"class:{word}*")}
        assert left == {int(now + 2 * FORTNIGHT - 120 + DAY)}
    else:
        assert not find_class(rooms, word, Tries(5))


def test_who_gives_up_a_seat_leaves_nothing_in_the_class_and_gets_another_one(stores, rooms):
    teacher, word, _ = meet(0)
    student, other = (vote(come(word, "qkv", step="softmax"), RATIO, 1) for _ in range(2))
    assert "class_give_up" not in [one.key for one in student.button]
    keep(open_console(teacher))
    tab = member_of(student).tab
    for each in (student, other):
        each.session_state["exercises_solved"] = {"attention_weights": 1}
        rerun(each)
    shelves = (room.HERE, room.shelf_of(RATIO, 1), SEAT)
    assert all(tab in rooms.read(word, shelf) for shelf in shelves[1:])
    press(student, "class_give_up")
    assert not is_in_class(student)
    assert "nothing of you any more" in said(student)
    assert '"gone": "' + word in sent_to(student, "attention_progress")[0].json  # so that the browser forgets it too
    for shelf in shelves:
        assert tab not in rooms.read(word, shelf)
        assert shelf == room.HERE or member_of(other).tab in rooms.read(word, shelf)
    assert '"gone": ""' in sent_to(rerun(student), "attention_progress")[0].json
    assert "class_tab" not in student.session_state  # by which who leaves and comes again is the same


def test_a_class_that_is_kept_gives_way_to_no_other_and_keeps_no_other_out(stores, rooms, monkeypatch):
    monkeypatch.setattr(store, "CLASSES", 2)
    now = rooms.clock()
    rooms.clock = lambda: now
    kept = [room.open_class(rooms, Tries(9), "one")[0]]
    room.keep_class(rooms, kept[0], True, "one")
    rooms.clock = lambda: now + store.IDLE + 1
    kept.append(room.open_class(rooms, Tries(9), "one")[0])
    room.keep_class(rooms, kept[1], True, "one")
    rooms.put(kept[0], room.NOW, "x", "y")  # which makes it no ordinary class
    last, other = (room.open_class(rooms, Tries(9), "two")[0] for _ in range(2))
    with pytest.raises(Unavailable, match="keeps as many"):
        room.keep_class(rooms, last, True, "two")
    with pytest.raises(Unavailable, match="too many classes here"):
        room.open_class(rooms, Tries(9), "three")
    rooms.clock = lambda: now + 2 * store.IDLE + 5
    rooms.put(other, room.NOW, "x", "y")
    room.open_class(rooms, Tries(9), "three")
    assert [find_class(rooms, word, Tries(5)) for word in (*kept, last)] == [True, True, False]
    monkeypatch.setattr(room, "HELD", 1)
    with pytest.raises(Unavailable, match="of your network are kept"):
        room.keep_class(rooms, other, True, "one")
    room.keep_class(rooms, kept[0], False, "one")
    with pytest.raises(Unavailable, match="too many classes here"):
        room.open_class(rooms, Tries(9), "four")  # of which it is one again


def test_a_vote_may_be_on_another_variant_of_which_the_class_hears_how_many_are_right_once_it_is_revealed(
    stores, rooms
):
    teacher, word, students = meet(2)
    first = question_of(students[0])
    for student, given in zip(students, (first.right[0], int(first.right[0] == 0)), strict=True):
        vote(student, RATIO, given)
    console = open_console(teacher)
    press(console, f"{RATIO}_show")
    press(console, f"{RATIO}_vote_on_a_similar_question")
    for app in (teacher, *students, rerun(teacher), *students):
        rerun(app)
    second = question_of(students[0])
    assert second.text != first.text
    for student in students:
        assert "other numbers" not in said(student)
        vote(student, RATIO, second.right[0])
        assert [text for text in (second.why, *second.mistakes) if text and text in heard(student)] == []
    assert "2 of 2 answered · second vote" in said(rerun(console))
    assert "Right: 1 of 2 on the first question, 2 of 2 on this one." in said(console)
    assert seats.as_table({}, member_of(console).ballots()).count(b'","2","0 of ') == 2  # a first vote is one too
    later = open_console(teacher)  # and a screen that comes late asks nothing anew
    back = opened("qkv", {"teach": f"{word}.{member_of(teacher).key}", "qkv_step": "softmax"})
    assert "2 of 2 answered · second vote" in said(back)
    for app in map(rerun, (teacher, *students)):
        assert "on the first question" not in heard(app)
    press(rerun(later), f"{RATIO}_reveal")
    for app in map(rerun, students):
        assert "Right: 1 of 2 on the first question, 2 of 2 on this one." in heard(app)
        assert app.session_state["answered"] == {RATIO: "right at once"}
    assert "on the first question" in "".join(rooms.read(word, room.RECORD).values())


def test_the_guide_says_what_the_pages_say_of_what_is_kept():
    guide = " ".join((ROOT / ".github" / "docs" / "hosting.md").read_text(encoding="utf-8").split())
    for told in (KEPT, KEPT_LONGER):
        assert told in guide
        assert told.count(". ") == 1  # two sentences
    assert f"for {FORTNIGHT / DAY:.0f} days after" in KEPT_LONGER
