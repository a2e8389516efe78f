"""Questions that a teacher wrote: three kinds, and no answer in a student's browser before it is told."""

import csv

from pages.class_room import room
from pages.class_room.record import as_csv
from pages.class_room.walls import Item
from pages.teaching.own import written
from pages.teaching.plan import Plan, View
from tests.app.visits import go, html_of, opened, press, rerun, said, words_of_link
from tests.class_room.lecture import come, heard, member_of, open_class, open_console, reload, teach, vote
from tests.class_room.test_pages import walls

NUMBER = """How many weights?
= 17.25 ± 0.5
Why: Four times four and more."""
THREE = f"""Which word?
*cat
W_Q
Why: It is the noun.

{NUMBER}

What surprised you?"""


def test_answers_to_questions_of_the_teachers_own_stay_with_the_class_until_they_are_revealed(rooms):
    teacher, word = open_class()
    teach(teacher, "qkv", **{"step": "softmax", "quiz": written(THREE)})
    student = come(word)
    link = words_of_link(member_of(student).view)
    go(student, "qkv", link)
    place, other = (f"qkv_teachers_{link['qkv_quiz']}{end}" for end in ("", "_2"))
    for text in ("Which word?", "How many weights?", "What surprised you?"):
        assert text in said(student)
    vote(student, place, 1)
    vote(student, other, 3)
    assert "Too small." not in said(console := open_console(teacher))
    assert "Too small." in said(rerun(console.toggle(key="console_right").set_value(True)))
    vote(student, other, 17)
    secret = ["It is the noun", "Four times", "17.25", "*cat", written(THREE)[:30], written(THREE)[-30:]]
    assert [text for text in secret if text in heard(student)] == []
    told = "".join(html_of(open_console(teacher)))
    assert [one in told for one in ("<span>W<sub>Q</sub></span>", "surprised you?<")] == [True, True]
    student.text_area[0].set_value("a lot of <b>it</b>")
    assert "Sent: “a lot of &lt;b" in "".join(html_of(rerun(press(student, "Send this text"))))  # and it stays so
    assert said(rerun(teacher)).count("1 of 1 answered") == 2
    assert "Reveal, then" not in "".join(button.label for button in teacher.button)  # where all are asked at once
    press(press(teacher, f"{place}_reveal"), f"{other}_reveal")
    told = said(rerun(student))
    assert [one in told for one in ("It is the noun.", "17 is close enough")] == [True, True]
    assert Item.of(*rooms.read(word, "wall:qkv:softmax").values())[:2] == ("a lot of <b>it</b>", "What surprised you?")
    press(student, "class_leave")
    assert "Which word?" not in said(student)
    (box,) = walls(open_console(teacher))
    told = said(press(rerun(box.check()) and teacher, "class_wall"))
    assert [text.count("surprised") for text in (box.label, told)] == [0, 2]  # on the wall it stands once more
    rows = [*csv.DictReader(as_csv(word, rooms.read(word, room.RECORD).values()).decode("utf-8-sig").splitlines())]
    asked = {("Q/K/V", "softmax", one) for one in ("Which word?", "How many weights?", "Wall: What surprised you?")}
    assert {(row["lesson"], row["view"], row["question"]) for row in rows} == asked
    assert [row["why"] for row in rows if row["answer"] == "a lot of <b>it</b>"] == [""]


def test_on_the_stage_a_question_of_the_teachers_own_waits_for_the_one_before(rooms):
    teacher, _ = open_class()
    member = member_of(teacher)
    view = {"qkv_step": "softmax", "qkv_quiz": written(THREE)}
    projector = opened("qkv", view | {"teach": f"{member.word}.{member.key}", "lecture": "view"})
    press(projector, "class_here")
    student = opened("qkv", words_of_link(member_of(come(member.word)).view) | {"class": member.word})
    for app in (projector, student):
        assert "Which word?" in said(app)
        assert "How many weights?" not in said(app)
    (reveal,) = [button.key for button in projector.button if button.label == "Reveal, then question 2 of 3"]
    for app in (press(projector, reveal), rerun(student)):
        assert "How many weights?" in said(app)
        assert "What surprised you?" not in said(projector)
    (reveal,) = [button.key for button in projector.button if button.label == "Reveal, then question 3 of 3"]
    assert "Which word?" not in said(press(projector, reveal))  # one result at a time, or all are small


def test_slides_of_one_step_have_votes_and_records_of_their_own_also_where_they_ask_the_same(rooms):
    teacher, word = open_class()
    asked = [("Which W_Q?", "my cat sat"), ("Which other W_Q?", "my cat sat"), ("Which W_Q?", "my dog sat")]
    views = [View("qkv").with_word("quiz", written(f"{one}\n*cat\nmat")).with_word("text", text) for one, text in asked]
    teacher.session_state["plan"] = Plan((*views,))
    key, student = f"{word}.{member_of(rerun(rerun(teacher))).key}", None
    for at, view in enumerate(views):
        stage = opened("qkv", {"teach": key, "lecture": "view", "slide": str(at)} | view.words)
        (reveal,) = [button.key for button in press(stage, "class_here").button if button.label == "Reveal"]
        assert not student or all("at another view" in said(one) for one in (reload(student), rerun(student)))
        link = words_of_link(member_of(come(word)).address)
        student = rerun(opened("qkv", link))
        assert ["your teacher" in said(student), "W<sub>Q</sub>" in "".join(html_of(student))] == [False, True]
        assert "Sent" not in said(press(press(student, "A trained head"), "Reset"))  # what is asked stays
        vote(student, f"qkv_teachers_{link['qkv_quiz']}", at % 2)
        assert ("You predicted", "✕ Not")[at % 2] in said(press(stage, reveal) and rerun(student))
    rows = csv.DictReader(as_csv(word, rooms.read(word, room.RECORD).values()).decode("utf-8-sig").splitlines())
    assert [row["answer"] for row in rows if row["last vote"] == "1"] == ["cat", "mat", "cat"]


def test_one_press_opens_a_class_and_leads_to_the_lecture_once(rooms):
    app = press(opened("teach", {"plan": "teach-qkv"}), "teach_start")
    member = app.session_state["class_room"]
    (script,) = [one.proto.body for one in app.get("html") if "location.assign" in one.proto.body]
    assert f"plan=teach-qkv&lecture=on&teach={member.word}.{member.key}" in script
    assert not [one for one in rerun(app).get("html") if "location.assign" in one.proto.body]
