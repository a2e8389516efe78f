"""A question beside its map, which is blank until the answer; the answer chooses the cell that was asked for."""

import json

import pytest

from attention_core.experiments.qkv.named_head import NAMED_JOBS
from pages.qkv.common import YOURS
from tests.app.qkv.heads import named
from tests.app.qkv.scene import answer, chosen_cells, computed
from tests.app.steps import step
from tests.app.visits import (
    blank,
    charts,
    click,
    heatmap,
    html_of,
    main,
    nodes,
    press,
    rerun,
    reveal,
    said,
    sound,
    visit,
)

IT, CAT = 8, 1
MEANT = {"weights": "hand-made"}
asking = pytest.mark.parametrize("name", ["scores", "scaled", "softmax"])


def labels():
    return computed(**MEANT).labels


def question_asked(name, **link):
    return step("qkv", name, **MEANT | link).page.asked[0]


@asking
@pytest.mark.promise("page 2")
def test_the_map_of_an_open_question_has_words_and_no_number(name):
    (shown,) = charts(step("qkv", name, unanswered="all", **MEANT))
    assert blank(shown)
    seen = heatmap(shown)
    assert seen.rows == seen.columns == labels()
    numbers = shown.data.drop(columns=["i", "j", "mark", "hidden", "turn"], errors="ignore").select_dtypes("number")
    assert numbers.isna().all().all()
    assert not any(character.isdigit() for character in shown.alt)


@asking
def test_a_question_mark_stands_where_a_number_is_asked_for(name):
    app = step("qkv", name, unanswered="all", **MEANT)
    (shown,) = charts(app)
    marked = shown.data.loc[shown.data["text"] == "?", ["i", "j"]].to_numpy().tolist()
    assert marked == ([] if name == "scores" else [list(app.page.asked[0].place)])


@asking
def test_the_first_question_is_about_the_word_that_asks_and_a_score_that_is_not_0(name):
    for link, row in (({}, IT), ({"job": "previous word", "q": "cat"}, CAT)):
        place = question_asked(name, **link).place
        assert place[0] == row
        assert computed(**MEANT | link).scores[place] != 0


@asking
def test_where_nothing_is_worth_asking_the_picture_is_shown(name):
    alone = step("qkv", name, unanswered="all", text="cat", **MEANT)  # no pronoun: its only score is 0
    assert [question.name for question in alone.page.asked] == (["shift"] if name == "softmax" else [])
    assert alone.ready
    assert not any(map(blank, charts(alone)))


@asking
@pytest.mark.parametrize("job", NAMED_JOBS)
def test_no_question_is_about_equal_or_vanishing_numbers(name, job):
    for variant in range(6):
        app = step("qkv", name, job=job, variants={"cell": variant, "scale": variant, "ratio": variant}, **MEANT)
        question = app.page.asked[0]
        scores = computed(**MEANT, job=job).scores
        if name == "scaled":
            assert abs(scores[question.place]) >= 0.005
        if name == "softmax":
            row, first, second, *_ = named(question.text, labels())
            assert scores[row, first] - scores[row, second] > 0.02
            assert len(set(question.options)) == len(question.options)


def test_a_click_on_the_blank_map_is_the_answer():
    app = visit("qkv", step="scores")
    click(app, IT, CAT)
    assert "verdict right" in " ".join(html_of(app))
    assert chosen_cells(app) == {(IT, CAT)}
    assert not any(map(blank, charts(app)))
    assert YOURS not in said(app)
    assert "qkv_cell" in app.session_state["answered"]


def test_a_wrong_cell_is_outlined_beside_the_right_one():
    app = visit("qkv", step="scores")
    click(app, CAT, IT)
    text = said(app)
    assert "verdict wrong" in " ".join(html_of(app))
    assert "You swapped query and key." in text
    assert chosen_cells(app) == {(IT, CAT)}
    assert main(app).data.query("moved")[["i", "j"]].to_numpy().tolist() == [[CAT, IT]]
    assert YOURS in text
    click(app, 0, 0)  # the answer stays where it is while other cells are chosen
    assert main(app).data.query("moved")[["i", "j"]].to_numpy().tolist() == [[CAT, IT]]


def test_the_lists_answer_too_and_choose_the_same_cell():
    app = answer(visit("qkv", step="scores"), (CAT, IT))
    assert chosen_cells(app) == {(IT, CAT)}
    assert main(app).data.query("moved")[["i", "j"]].to_numpy().tolist() == [[CAT, IT]]


@pytest.mark.parametrize(("name", "given"), [("scaled", 4.5), ("softmax", 0)])
def test_the_answer_stands_beside_what_was_computed_on_the_card_of_its_cell(name, given):
    question = question_asked(name)
    app = answer(visit("qkv", step=name), given)
    assert chosen_cells(app) == {question.place}
    (line,) = [block for block in html_of(app) if "course compared" in block]
    yours, computed_one = ("4.50", "6.36") if name == "scaled" else (question.options[0], options_right(question))
    assert f"You: <b>{yours}</b> · computed: <b>{computed_one}</b>" in line
    click(app, 0, 0)
    assert not any("course compared" in block for block in html_of(app))
    assert "verdict" in " ".join(html_of(app))


def options_right(question):
    return question.options[question.right[0]]


def test_what_was_only_shown_is_chosen_too_and_no_answer_is_marked():
    app = reveal(visit("qkv", step="scores"))
    assert chosen_cells(app) == {(IT, CAT)}
    assert "moved" not in main(app).data


def test_a_locked_cell_stays_where_the_teacher_put_it():
    app = visit("qkv", step="scores", q="mat", k="on", lock="q.k")
    click(app, 0, 0)
    assert chosen_cells(app) == {(labels().index("mat"), labels().index("on"))}


@asking
def test_another_question_asks_something_else_until_all_were_asked(name):
    app, seen = visit("qkv", step=name), set()
    for _ in range(3):
        seen.add(next(block for block in html_of(app) if "course ask" in block))
        press(app, show_me(app))
        press(app, next(button.key for button in app.button if button.label == "Another question"))
    assert len(seen) == 3


def show_me(app):
    return next(button.key for button in app.button if button.label == "Just show me")


def test_a_word_that_has_nothing_to_ask_keeps_its_row_and_shows_the_picture():
    app = visit("qkv", step="softmax", q="cat")  # a noun, whose weights are all equal
    assert {i for i, _ in chosen_cells(app)} == {CAT}


def test_a_question_without_another_variant_offers_none():
    app = reveal(visit("qkv", step="scaled", text="it"))  # a single score
    assert "Another question" not in [button.label for button in app.button]


def test_what_would_answer_the_question_is_said_after_it():
    app = visit("qkv", step="scores")
    assert "A row belongs to a query" not in said(app)
    assert "query" not in json.dumps(charts(app)[0].spec)  # not even as the title of an axis
    assert "A row belongs to a query" in said(reveal(app))
    app = visit("qkv", step="softmax")
    press(app, show_me(app))
    assert "changes no weight" not in said(app)
    assert "changes no weight" in said(reveal(app))


def test_no_thumbnail_of_an_open_question_is_shown():
    app = visit("qkv", step="scores")
    ghosts = [name for name, node in nodes(app).items() if node["ghost"]]
    assert ghosts == ["scores", "scaled", "softmax", "two", "mix"]


NO_CELLS = [
    [],
    {},
    [5],
    [{}],
    [{"i": IT}],
    [{"i": IT, "j": 99}],
    [{"i": -1, "j": -1}],
    [{"i": "8", "j": "1"}],
    [{"i": [IT], "j": {}}],
    [{"i": float("nan"), "j": 10**400}],
]


@pytest.mark.parametrize("cells", NO_CELLS)
def test_a_click_on_no_cell_of_the_map_is_no_answer_and_chooses_nothing(cells):
    for link in ({}, {"ask": "no"}):
        app = visit("qkv", step="scores", **link)
        before = dict(app.query_params)
        (proto,) = [element.proto for element in app.get("vega_lite_chart") if element.proto.id]
        states = app._tree.get_widget_states()
        states.widgets.add(id=proto.id, string_value=json.dumps({"selection": {"cell": cells}}))
        app._run(states)
        assert blank(main(sound(app))) == (not link)
        assert dict(app.query_params) == before


def test_what_one_student_answers_no_other_has_answered():
    first = visit("qkv", step="scores")
    other = visit("qkv", step="scores")
    click(first, IT, CAT)
    assert not blank(main(first))
    for app in (visit("qkv", step="scores"), rerun(other)):
        assert blank(main(app))
        assert "answered" not in app.session_state or not app.session_state["answered"]
