"""cheats: the model that was trained without a mask."""

from functools import partial

import numpy as np

from attention_core.experiments.inside.compare_models import assess
from attention_core.model.generate import generate
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH
from attention_core.text.corpora import source_of
from tests.app.causal_mask.scene import SENTENCE
from tests.app.steps import step

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
    question = show(weights="trained", mask="none", text="a").question("twin")  # whatever the scene
    assert question.options[question.right[0]] == "Lower training loss, worse generating"


def test_each_model_goes_on_from_where_the_text_is_cut():
    ids = VOCABULARY.encode(SENTENCE.split())
    for place, at in ((1, "cat"), (3, "on")):
        seen = show(cut=at)
        for name, shipped in (("masked_model", "english"), ("unmasked_model", "english-no-mask")):
            assert list(seen.result(f"{name}_writes")) == list(generate(model_at(shipped), ids[: place + 1], 8, 0.0))


def test_the_number_in_view_is_the_prediction_for_the_cut_text():
    seen = show(cut="on")
    cut = seen.result("cut_text")
    ids = np.array(VOCABULARY.encode(SENTENCE.split()))
    alone = show(text="the cat sat on").result("whole_text")
    np.testing.assert_allclose(cut[3], alone[3], atol=1e-6)  # nothing is read after the cut
    assert cut.shape == (len(ids), len(VOCABULARY))
