"""effect: weight, contribution and effect of a key."""

from functools import partial

import numpy as np
import pytest

from attention_core.equations.multi_head import head_writes
from attention_core.experiments.multi_head.english_predictions import next_word_probabilities, trained_readout
from attention_core.experiments.multi_head.head_parts import remove_key
from attention_core.text.small_english import WORDS
from pages.multi_head.matters import MOST_ROWS, VISIBLE, asked_place
from tests.app.multi_head.scene import LABELS, SENTENCE, close, every_kind, expected, page, step
from tests.app.visits import charts, domain, heatmap, press, shared, visit

show = partial(step, "matters")


def maps_of(app):
    return [heatmap(chart).values for chart in maps_among(app)]


def maps_among(app):
    return [chart for chart in charts(app) if "i" in chart.data]


@every_kind
@pytest.mark.parametrize("gone", ["", "true"])
@pytest.mark.promise("multi_head 4", "pitfall 8")
def test_weight_contribution_and_effect_are_three_maps_of_one_head(link, gone):
    found = expected(**link)
    a, w_o = found.attention, found.matrices.w_o
    seen = show(head=3, q="warm", k="cat", gone=gone, **link)
    weights, added, effects = maps_of(seen)
    close(weights, (remove_key(a, 1) if gone else a).weights[2])
    close(added, a.weights[2] * np.linalg.norm(head_writes(a.v, w_o)[2], axis=-1))
    for key in range(7):
        moved = head_writes(remove_key(a, key).output - a.output, w_o)[2]
        np.testing.assert_allclose(effects[:, key], np.linalg.norm(moved, axis=-1), atol=1e-9)
    scales = [domain(chart) for chart in maps_among(seen)]
    assert scales[0] == [0, 1]
    assert scales[1] == scales[2]
    assert scales[1][0] == 0


@pytest.mark.promise("pitfall 8")
def test_the_preset_leads_to_a_bright_cell_that_is_not_missed():
    link = {"heads": "8", "seed": "578"}
    assert (
        shared(press(page(step="matters"), "Large weight, little effect")).items()
        >= {"multi_head_heads": "8", "multi_head_seed": "578", "multi_head_head": "5", "multi_head_k": "mat"}.items()
    )
    seen = show(head=5, q="sat", k="mat", **link)
    weights, _, effects = maps_of(seen)
    assert weights[2].argmax() == 6
    assert weights[2, 6] > 0.5
    assert effects[2, 6] < 0.01 * effects[2].max()
    found = expected(**link)
    assert asked_place(found.attention.weights, found.effects, 0) == (4, 2)
    assert 6 not in seen.question("missed").right


def test_the_preset_of_trained_heads_shows_two_like_weights_of_which_one_matters():
    app = press(press(visit("multi_head", step="matters"), "Road or cat: which matters?"), "Just show me")
    assert [app.selectbox(key=f"multi_head_{name}").value for name in "qk"] == ["too", "road"]
    seen = show(weights="trained", text="the cat didn’t cross the road because it was too tired", head=1, q="too")
    weights, _, effects = maps_of(seen)
    assert weights[9].argmax() == 5
    assert weights[9, 1] > 0.9 * weights[9, 5]
    assert effects[9].argmax() == 1
    assert effects[9, 5] < 0.4 * effects[9, 1]


def test_the_button_leads_to_the_most_idle_cell_of_any_scene():
    app = press(page(step="matters"), "Show it")
    weights, _, effects = maps_of(app)
    row, column = (LABELS.index(app.selectbox(key=f"multi_head_{name}").value) for name in "qk")
    assert weights[row].argmax() == column
    assert effects[row, column] < 0.75 * effects[row].max()


@every_kind
def test_the_key_missed_most_is_the_cores(link):
    found = expected(**link)
    for variant in range(MOST_ROWS):  # keys that are missed alike are all right
        moves = found.effects[asked_place(found.attention.weights, found.effects, variant)]
        question = show(variants={"missed": variant}, **link).question("missed")
        assert question.right == tuple(np.flatnonzero(moves > moves.max() - VISIBLE))
        assert moves.max() > 10 * VISIBLE


@every_kind
def test_a_largest_weight_without_the_largest_effect_has_a_value_near_the_average_of_the_others(link):
    """The effect of a key is its weight times the distance of its value from the average of the others."""
    found = expected(**link)
    a, w_o = found.attention, found.matrices.w_o
    values = head_writes(a.v, w_o)
    for head, row in np.ndindex(a.weights.shape[:2]):
        own = a.weights[head, row]
        keys = np.flatnonzero(own)
        if len(keys) == 1:
            continue
        others = [remove_key(a, key).weights[head, row] @ values[head] for key in keys]
        away = np.linalg.norm(values[head, keys] - others, axis=-1)
        np.testing.assert_allclose(found.effects[head, row, keys], own[keys] * away, atol=1e-9)


@pytest.mark.parametrize("off", ["", "4", "1.3"])
@pytest.mark.parametrize("gone", ["", "true"])
@pytest.mark.promise("multi_head 3")
def test_bars_are_what_the_trained_model_predicts_without_heads_or_a_key(off, gone):
    text = "the cat sat on the warm mat and it meowed"
    found = expected(text, "trained")
    a, w_o = found.attention, found.matrices.w_o
    without = np.array(found.writes)
    if gone:
        without[3] = remove_key(a, 1).output[3] @ w_o[24:]
    without[[int(head) - 1 for head in off.split(".") if head]] = 0
    readout = trained_readout(found.words)
    usual, now = (next_word_probabilities(each.sum(axis=0), readout)[8] for each in (found.writes, without))
    seen = show(weights="trained", text=text, without=off, gone=gone, head=4, q="it", k="cat")
    (bars,) = [chart for chart in charts(seen) if "expected" in chart.data]
    ids = [WORDS.index(word) for word in bars.data["label"]]
    close(bars.data["value"], now[ids])
    close(bars.data["expected"], usual[ids])
    assert {int(usual.argmax()), int(now.argmax())} <= set(ids)
    assert WORDS[usual.argmax()] == "meowed"
    assert (WORDS[now.argmax()] == "it") == (off == "4" or bool(gone))


def test_after_the_answer_the_cell_that_was_asked_about_is_in_view():
    app = visit("multi_head", step="matters", weights="random", text=SENTENCE)
    found = expected()
    head, row = asked_place(found.attention.weights, found.effects, 0)
    press(app, "Just show me")
    words = shared(app)
    assert words["multi_head_head"] == str(head + 1)
    assert app.selectbox(key="multi_head_q").value == LABELS[row]
