"""Steps with a test or two: see, laboratory, cheats; and all of them for one word."""

import re
from functools import partial

import numpy as np

from attention_core.experiments.inside.compare_models import assess
from attention_core.model.forward import attention_weights
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH
from attention_core.text.corpora import source_of
from attention_core.text.word_vectors import position_labels
from tests.app.causal_mask.scene import SENTENCE, blocked_by
from tests.app.steps import step
from tests.app.visits import controls, heatmap, press, reveal, said, visit

show_laboratory = partial(step, "causal_mask", "laboratory")
show_cheats = partial(step, "causal_mask", "cheats")


def test_another_question_has_another_row_and_the_picture_shows_it():
    rows = [show_laboratory(variants={"sums": variant}).question("sums").place[0] for variant in range(4)]
    assert len(set(rows)) == 4
    app = visit("causal_mask", step="laboratory")
    press(app, "Just show me")  # the answer to the first question
    labels = position_labels(SENTENCE.split())
    row, column = (labels.index(app.query_params[f"causal_mask_{name}"]) for name in "qk")
    assert blocked_by(7)[row, column]
    assert show_laboratory().question("multiplied").place == (row, column)
    press(app, "Just show me")
    assert controls(app)["causal_mask_q"].value == labels[show_laboratory().question("sums").place[0]]
    linked = press(visit("causal_mask", step="laboratory", q="cat", k="cat"), "Just show me")
    assert linked.query_params["causal_mask_q"] == "cat"


def test_the_map_that_was_asked_about_keeps_its_place_after_both_answers():
    app = visit("causal_mask", step="laboratory")
    wide = [[app.main.columns[place].weight > 0.5 for place in (0, -1)]]
    wide += [[reveal(reveal(app)).main.columns[place].weight > 0.5 for place in (0, -1)]]
    assert wide == [[False, True], [False, True]]  # the question, or the verdicts, before the map


VOCABULARY = source_of(ENGLISH.source).vocabulary


def test_a_model_of_one_layer_trained_without_a_mask_reads_the_answer_and_fails_when_it_generates():
    held = source_of(ENGLISH.source).held_out(ENGLISH.plan.config.max_len)
    masked, unmasked = (assess(model_at(name), held.rows) for name in ("english", "english-no-mask"))
    assert ENGLISH.plan.config.n_layers == 1
    assert held.counted is None  # all targets count
    assert (round(masked.loss, 3), round(unmasked.loss, 3)) == (1.368, 0.064)
    assert unmasked.accuracy > 0.97
    assert unmasked.cut_accuracy < masked.cut_accuracy / 3
    assert masked.ahead.max() == 0
    assert unmasked.ahead.max() > 0.5


def test_the_head_in_view_is_the_one_that_attends_most_to_the_next_word():
    seen = show_cheats()
    weights = attention_weights(model_at("english-no-mask"), np.array(VOCABULARY.encode(SENTENCE.split())))
    ahead = np.diagonal(weights, offset=1, axis1=-2, axis2=-1).mean(axis=-1)
    np.testing.assert_allclose(heatmap(seen.charts[0]).values, weights.reshape(-1, 7, 7)[ahead.argmax()], atol=1e-6)
    assert ahead.max() > 0.8


def test_of_words_that_the_models_do_not_know_none_is_left_out():
    unknown, alone = show_cheats(text="the zork dog"), show_cheats(text="dog")
    assert unknown.result("tokens") == alone.result("tokens") == show_cheats().result("tokens")
    why = "does not know “\u2068zork\u2069”, so both.*needs two words or more here, so both"
    assert re.search(why, said(unknown) + said(alone), re.DOTALL)
    assert len(show_cheats(text="the dog").result("tokens")) == 2  # no fewer can be read
