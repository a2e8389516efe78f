"""it: what attention is for, shown by a trained head before any formula."""

from functools import partial

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from pages.qkv.formula import SYMBOLS
from tests.app.qkv.scene import SENTENCE, arcs, close, computed
from tests.app.steps import step
from tests.app.visits import (
    charts,
    click,
    controls,
    heatmap,
    main,
    nodes,
    press,
    rerun,
    said,
    set_to,
    shared,
    to_step,
    visit,
)

show = partial(step, "qkv", "it")


def outlined_row(app):
    data = main(app).data
    (row,) = set(data[data["mark"] & 1 > 0]["i"])
    return row


def test_a_first_visit_shows_a_trained_head_and_asks_and_calculates_nothing():
    app = visit("qkv")
    head = computed(weights="trained", head="4")
    close(heatmap(main(app)).values, head.softmax)
    drawn = arcs(app)
    close(drawn["weights"], head.softmax.round(4))
    assert drawn["words"] == SENTENCE.split()
    assert drawn["asks"] == outlined_row(app) == SENTENCE.split().index("it")
    assert not [button for button in app.button if button.label in ("Check", "Just show me")]
    assert not [button for button in app.button if (button.key or "").startswith("qkv_formula_")]
    assert shared(app) == {}


def test_the_word_it_attends_to_the_cat_as_the_text_promises():
    head = computed(weights="trained", head="4")
    row = head.softmax[head.labels.index("it")]
    assert head.labels[row.argmax()] == "cat"
    assert row.max() > 0.9


def test_no_setting_of_the_other_steps_changes_its_head():
    app = show(weights="hand-made", seed=3, d_k=9)
    close(heatmap(main(app)).values, computed(weights="trained", head="4").softmax)
    assert "always shows a trained head" in said(app)
    assert not {"qkv_weights", "qkv_seed"} & controls(visit("qkv")).keys()


def test_a_sentence_of_ones_own_is_read_and_unknown_words_are_named():
    app = show(text="the zebra saw the dog and it barked")
    close(heatmap(main(app)).values, computed("the saw the dog and it barked", "trained", head="4").softmax)
    assert "does not know “\u2068zebra\u2069”" in said(app)
    app = show(text="zebras")
    close(heatmap(main(app)).values, computed(weights="trained", head="4").softmax)
    assert "knows none of these words" in said(app)


@pytest.mark.parametrize(("text", "asks"), [("the dog barked", 2), ("it saw it and it barked", 4), ("it barked", 1)])
def test_the_last_it_asks_first_or_else_the_third_word(text, asks):
    assert outlined_row(show(text=text)) == asks


def test_a_click_on_the_map_or_on_a_word_lets_it_ask_there_and_in_the_steps_that_follow():
    app = click(visit("qkv", ask="no"), 1, 0)
    labels = position_labels(SENTENCE.split())
    assert outlined_row(app) == arcs(app)["asks"] == 1
    assert shared(app) == {"qkv_ask": "no", "qkv_q": "cat"}
    for name in ("x", "projections", "softmax", "mix"):
        to_step(app, name)
        assert controls(app)["qkv_q"].value == "cat"
        assert outlined_row(app) == 1
    set_to(app, qkv_q="warm")
    to_step(app, "it")
    assert outlined_row(app) == arcs(app)["asks"] == labels.index("warm")


def test_its_largest_weight_is_calculated_for_who_asks():
    head = computed(weights="trained", head="4")
    app = visit("qkv")
    assert "How " not in said(app)
    app.session_state["qkv_how"] = True
    text = said(rerun(app))
    asks, key = head.labels.index("it"), head.labels.index("cat")
    assert f"became {head.softmax[asks, key]:.2f}" in text
    assert f"{head.scores[asks, key]:.2f}" in text


def test_changing_a_later_word_changes_no_weight_of_the_row_as_the_note_says():
    tired, wide = (show(text=f"the cat didn't cross the river because it was too {word}") for word in ("tired", "wide"))
    rows = [heatmap(main(app)).values[7] for app in (tired, wide)]
    np.testing.assert_array_equal(*rows)
    assert "Change any word after it" in said(tired).replace("\u2068", "").replace("\u2069", "")
    assert "Choose an earlier word" in said(show(q="tired", text="the cat was tired"))
    assert "no weight in the row" not in said(show(text="cat"))


@pytest.mark.parametrize("text", [SENTENCE, "cat", "it saw it and it barked"])
def test_later_words_have_the_weight_that_the_caption_says(text):
    shown = main(show(text=text))
    assert "later words have weight 0" in shown.alt
    assert not np.triu(heatmap(shown).values, 1).any()


def test_a_teacher_can_lock_the_asking_word():
    app = click(visit("qkv", lock="q"), 1, 0)
    assert outlined_row(app) == SENTENCE.split().index("it")


def test_its_small_picture_stays_that_of_the_trained_head():
    thumbnail = show().thumbnail
    for name in ("dot", "softmax"):
        assert nodes(visit("qkv", step=name, ask="no"))["it"]["picture"] == thumbnail


def test_every_symbol_of_the_formula_is_there_from_the_next_step_on():
    app = press(visit("qkv"), "Next")
    assert len([button for button in app.button if (button.key or "").startswith("qkv_formula_")]) == sum(
        bool(symbol.step) for symbol in SYMBOLS
    )
    assert len(charts(app)) == 1
