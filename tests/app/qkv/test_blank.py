"""A question beside its map, which is blank until the answer; the answer chooses the cell that was asked for."""

import json

import pytest

from pages.page.questions.kinds import compared
from tests.app.qkv.scene import answer, chosen_cells, computed
from tests.app.steps import step
from tests.app.visits import blank, charts, click, heatmap, html_of, main, rerun, reveal, sound, visit

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
    app = step("qkv", name, unanswered="all", **MEANT)
    (shown,) = app.charts
    assert blank(shown)
    seen = heatmap(shown)
    assert seen.rows == seen.columns == labels()
    numbers = shown.data.drop(columns=["i", "j", "mark", "hidden", "turn"], errors="ignore").select_dtypes("number")
    assert numbers.isna().all().all()
    assert not any(character.isdigit() for character in shown.alt)
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


def test_a_click_on_the_blank_map_is_the_answer():
    app = click(visit("qkv", step="scores"), IT, CAT)
    assert "verdict right" in " ".join(html_of(app))
    assert chosen_cells(app) == {(IT, CAT)}
    assert not any(map(blank, charts(app)))
    assert "moved" not in main(app).data
    assert "qkv_cell" in app.session_state["answered"]


def test_a_wrong_cell_is_outlined_beside_the_right_one():
    app = click(visit("qkv", step="scores"), CAT, IT)
    assert question_asked("scores").transposed in " ".join(html_of(app))
    assert chosen_cells(app) == {(IT, CAT)}
    click(app, 0, 0)  # the answer stays where it is while other cells are chosen
    assert main(app).data.query("moved")[["i", "j"]].to_numpy().tolist() == [[CAT, IT]]


@pytest.mark.parametrize(("name", "given"), [("scaled", 4.5), ("softmax", 0)])
def test_the_answer_stands_beside_what_was_computed_on_the_card_of_its_cell(name, given):
    question = question_asked(name)
    app = answer(visit("qkv", step=name), given)
    assert chosen_cells(app) == {question.place}
    assert any(compared(question, given) in block for block in html_of(app))
    click(app, 0, 0)
    assert not any(compared(question, given) in block for block in html_of(app))
    assert "verdict" in " ".join(html_of(app))


def test_a_question_without_another_variant_offers_none():
    app = reveal(visit("qkv", step="scaled", text="it"))  # a single score
    assert "Another question" not in [button.label for button in app.button]


NO_CELLS = [[], {}, [5], [{}], [{"i": IT}], [{"i": IT, "j": 99}], [{"i": -1, "j": -1}], [{"i": "8", "j": "1"}]]
NO_CELLS += [[{"i": [IT], "j": {}}], [{"i": float("nan"), "j": 10**400}]]


@pytest.mark.parametrize("link", [{}, {"ask": "no"}])
def test_a_click_on_no_cell_of_the_map_is_no_answer_and_chooses_nothing(link):
    app = visit("qkv", step="scores", **link)
    before = dict(app.query_params)
    for cells in NO_CELLS:
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
