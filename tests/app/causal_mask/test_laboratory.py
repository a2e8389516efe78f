"""ways: the same scores masked in five ways."""

from functools import partial

from attention_core.text.word_vectors import position_labels
from tests.app.causal_mask.scene import SENTENCE, blocked_by
from tests.app.steps import step
from tests.app.visits import controls, press, reveal, visit

show = partial(step, "causal_mask", "laboratory")


def test_where_nothing_is_masked_nothing_is_asked():
    assert show(text="one").page.asked == []


def test_another_question_has_another_row_and_the_picture_shows_it():
    rows = [show(variants={"sums": variant}).question("sums").place[0] for variant in range(4)]
    assert len(set(rows)) == 4
    app = visit("causal_mask", step="laboratory")
    press(app, "Just show me")  # the answer to the first question
    labels = position_labels(SENTENCE.split())
    row, column = (labels.index(app.query_params[f"causal_mask_{name}"]) for name in "qk")
    assert blocked_by(7)[row, column]
    assert show().question("multiplied").place == (row, column)
    press(app, "Just show me")
    assert controls(app)["causal_mask_q"].value == labels[show().question("sums").place[0]]
    linked = press(visit("causal_mask", step="laboratory", q="cat", k="cat"), "Just show me")
    assert linked.query_params["causal_mask_q"] == "cat"


def test_one_map_stands_beside_its_question_and_five_have_the_width_of_the_page():
    app = visit("causal_mask", step="laboratory")
    wide = [[column.weight > 0.5 for column in app.main.columns][:2]]
    wide += [[column.weight > 0.5 for column in reveal(reveal(app)).main.columns[::2]]]
    assert wide == [
        [False, True],
        [True, True],
    ]  # the question before the map; then two verdicts, each before its button
