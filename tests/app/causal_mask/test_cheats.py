"""cheats: the model that was trained without a mask."""

from functools import partial

import numpy as np

from attention_core.experiments.inside.compare_models import assess
from attention_core.model.forward import attention_weights
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH
from attention_core.text.corpora import source_of
from tests.app.causal_mask.scene import SENTENCE
from tests.app.steps import step
from tests.app.visits import heatmap

show = partial(step, "causal_mask", "cheats")
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
    seen = show()
    weights = attention_weights(model_at("english-no-mask"), np.array(VOCABULARY.encode(SENTENCE.split())))
    ahead = np.diagonal(weights, offset=1, axis1=-2, axis2=-1).mean(axis=-1)
    np.testing.assert_allclose(heatmap(seen.charts[0]).values, weights.reshape(-1, 7, 7)[ahead.argmax()], atol=1e-6)
    assert ahead.max() > 0.8


def test_of_words_that_the_models_do_not_know_none_is_left_out():
    assert show(text="My grandmother plays chess on Sunday").result("tokens") == show().result("tokens")
    assert len(show(text="the dog sat").result("tokens")) == 3
