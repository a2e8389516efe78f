"""predictions: one text is many training examples."""

from functools import partial

import numpy as np
import pytest

from attention_core.equations.softmax import softmax
from attention_core.model.forward import logits, loss_and_gradients
from attention_core.model.parameters import Model, named_arrays
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH
from attention_core.text.corpora import source_of
from tests.app.causal_mask.scene import SENTENCE
from tests.app.steps import step

show = partial(step, "causal_mask", "predictions")
VOCABULARY = source_of(ENGLISH.source).vocabulary
WORDS = SENTENCE.split()


def chances():
    """Return the next-token probabilities at each position, here once more."""
    powers = np.exp(logits(model_at("english"), VOCABULARY.encode(WORDS)).astype(float))
    return powers / powers.sum(axis=1, keepdims=True)


def test_every_position_predicts():
    np.testing.assert_allclose(show().result("chances"), chances(), atol=1e-6)


def test_the_bars_are_the_likeliest_next_words_and_the_one_that_follows():
    wanted, ids = chances(), VOCABULARY.encode(WORDS)
    for place, at in ((0, "the₁"), (2, "sat"), (6, "mat")):
        data = show(at=at).charts[0].data
        order = VOCABULARY.encode(data["label"].tolist())
        np.testing.assert_allclose(data["value"], wanted[place, order], atol=1e-6)
        assert wanted[place].argmax() == order[0]
        if place < 6:
            assert data[data["highlight"]]["label"].tolist() == [WORDS[place + 1]]
            assert ids[place + 1] in order
        else:
            assert not data["highlight"].any()


def test_how_many_predictions_have_an_answer_is_predicted():
    assert show().question("examples").right == 6
    assert all(2 <= show(variants={"examples": i}).question("examples").right < 7 for i in range(1, 5))


@pytest.mark.parametrize("whose", [{}, {"weights": "trained"}])
def test_of_a_single_known_word_nothing_can_be_checked_so_another_sentence_is_read(whose):
    seen = show(text="My grandmother plays chess on Sunday", **whose)
    assert seen.question("examples").right == 6  # of the usual sentence
    two = show(text="the grandmother sat", **whose)
    assert two.question("examples").right == 1


def test_one_training_step_raises_the_mean_but_not_every_probability_of_an_answer():
    model, source = model_at("english", 400), source_of(ENGLISH.source)
    rows = source.draw(np.random.default_rng(1), 32, 31).rows
    inputs, targets = rows[:, :-1], rows[:, 1:]
    slopes = loss_and_gradients(model, inputs, targets)[1]
    after = Model.of(model.config, model.flat.copy())
    arrays = named_arrays(after)
    for name, slope in slopes.items():
        arrays[name] -= 0.01 * slope
    before, now = (np.take_along_axis(softmax(logits(each, inputs)), targets[..., None], -1) for each in (model, after))
    assert np.log(now).mean() > np.log(before).mean()
    assert 0.2 < (now < before).mean() < 0.5
