"""it: what attention is for, shown by a trained head before any formula."""

from functools import partial

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from tests.app.qkv.scene import SENTENCE, arcs, close, computed
from tests.app.steps import step
from tests.app.visits import click, controls, heatmap, main, set_to, shared, to_step, visit

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
    asks = outlined_row(app)
    assert drawn["asks"] == asks == SENTENCE.split().index("it")
    assert head.labels[head.softmax[asks].argmax()] == "cat"
    assert head.softmax[asks].max() > 0.9
    assert not [button for button in app.button if button.label in ("Check", "Just show me")]
    assert not [button for button in app.button if (button.key or "").startswith("qkv_formula_")]
    assert shared(app) == {}


def test_no_setting_of_the_other_steps_changes_its_head():
    app = show(weights="hand-made", seed=3, d_k=9)
    close(heatmap(main(app)).values, computed(weights="trained", head="4").softmax)
    assert not {"qkv_weights", "qkv_seed"} & controls(visit("qkv")).keys()


def test_a_sentence_of_ones_own_is_read_and_unknown_words_are_named():
    app = show(text="the zebra saw the dog and it barked")
    close(heatmap(main(app)).values, computed("the saw the dog and it barked", "trained", head="4").softmax)
    app = show(text="zebras")
    close(heatmap(main(app)).values, computed(weights="trained", head="4").softmax)


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


@pytest.mark.parametrize("text", [SENTENCE, "cat", "it saw it and it barked"])
def test_later_words_have_weight_0(text):
    shown = main(show(text=text))
    assert not np.triu(heatmap(shown).values, 1).any()
