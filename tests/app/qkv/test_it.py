"""it: what attention is for, shown by a trained head before any formula."""

from functools import partial

import pytest

from attention_core.text.word_vectors import position_labels
from tests.app.qkv.scene import SENTENCE, arcs, card, close, computed, shown
from tests.app.steps import step
from tests.app.visits import charts, controls, heatmap, set_to, shared, to_step, visit

show = partial(step, "qkv", "it")


def all_rows(app):
    """Return the map of all weights, which a closer look shows."""
    (found,) = [chart for chart in charts(app) if chart.data.columns[0] == "query"]
    return found


def outlined_row(app):
    data = all_rows(app).data
    (row,) = set(data[data["mark"] & 1 > 0]["i"])
    return row


def test_a_first_visit_shows_a_trained_head_and_where_its_largest_weight_comes_from():
    app = visit("qkv")
    head, asks = computed(weights="trained", head="4"), SENTENCE.split().index("it")
    drawn = arcs(app)
    close(drawn["weights"], head.softmax.round(4))
    assert drawn["words"] == SENTENCE.split()
    assert drawn["asks"] == asks
    (row,) = charts(app)
    close(heatmap(row).values[0], head.softmax[asks])
    assert head.labels[head.softmax[asks].argmax()] == "cat"
    assert head.softmax[asks].max() > 0.9
    assert card(app)[2][-1] == ("weight", shown(head.softmax[asks].max()))
    assert not [button for button in app.button if button.label in ("Check", "Just show me")]
    assert shared(app) == {}
    assert card(set_to(app, qkv_k="on"))[2][-1] == ("weight", shown(head.softmax[asks, 3]))


def test_no_setting_of_the_other_steps_changes_its_head():
    app = show(weights="hand-made", seed=3, d_k=9)
    close(heatmap(all_rows(app)).values, computed(weights="trained", head="4").softmax)
    assert not {"qkv_weights", "qkv_seed"} & controls(visit("qkv")).keys()


def test_a_sentence_of_ones_own_is_read_and_unknown_words_are_named():
    app = show(text="the zebra saw the dog and it barked")
    close(heatmap(all_rows(app)).values, computed("the saw the dog and it barked", "trained", head="4").softmax)
    app = show(text="zebras")
    close(heatmap(all_rows(app)).values, computed(weights="trained", head="4").softmax)


@pytest.mark.parametrize(("text", "asks"), [("the dog barked", 2), ("it saw it and it barked", 4), ("it barked", 1)])
def test_the_last_it_asks_first_or_else_the_third_word(text, asks):
    assert outlined_row(show(text=text)) == asks


def test_a_word_that_asks_is_followed_through_the_steps():
    app = set_to(visit("qkv", ask="no"), qkv_q="cat")
    assert arcs(app)["asks"] == 1
    assert shared(app) == {"qkv_ask": "no", "qkv_q": "cat"}
    for name in ("x", "projections", "match", "softmax", "mix"):
        assert controls(to_step(app, name))["qkv_q"].value == "cat"
    set_to(app, qkv_q="warm")
    assert arcs(to_step(app, "it"))["asks"] == position_labels(SENTENCE.split()).index("warm")


@pytest.mark.parametrize(("link", "head"), [({}, "4"), ({"weights": "random", "head": "2"}, "2")])
def test_who_turns_to_the_trained_head_meets_the_one_of_the_first_step(link, head):
    app = to_step(visit("qkv", **link), "softmax")
    assert controls(set_to(app, qkv_weights="trained"))["qkv_head"].value == head
    assert controls(visit("qkv", step="softmax", weights="trained"))["qkv_head"].value == "1"  # as links of old say
