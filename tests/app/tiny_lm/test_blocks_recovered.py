"""blocks: what a linear probe recovers of words and positions after each block."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.english_heads import grammar_model
from attention_core.experiments.position_kinds import ADDED, KINDS
from attention_core.experiments.position_similarity import cosine_matrix
from attention_core.experiments.probes import probe_by_layer, probe_trained_model
from attention_core.text.small_english import WORDS
from pages.look.html import percent
from tests.app.steps import step
from tests.app.tiny_lm.models import close, line
from tests.app.visits import said

show = partial(step, "tiny_lm", "blocks")
SEED = 18


@pytest.mark.parametrize(("kind", "cut"), [*((kind, "false") for kind in KINDS), ("sinusoidal", "true")])
@pytest.mark.promise("positional_encoding 4")
def test_what_is_left_after_each_block(kind, cut):
    seen = show(encoding=kind, no_residual=cut, blocks=2)
    found = probe_by_layer(kind, 32, 2, cut == "false", 10000.0, 1.0, SEED)
    layers, words = line(seen.charts[0], "words")
    assert layers.tolist() == [0, 1, 2]
    close(words, found.words)
    close(line(seen.charts[0], "positions")[1], found.places)


def test_the_trained_model_has_one_block():
    close(line(show(blocks_of="trained").charts[0], "positions")[1], probe_trained_model(SEED).places)


@pytest.mark.parametrize("cut", ["false", "true"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_positions_is_what_was_measured(kind, cut):
    found = probe_by_layer(kind, 32, 2, cut == "false", 10000.0, 1.0, SEED)
    told = said(show(encoding=kind, no_residual=cut, blocks=2))
    assert percent(found.places[-1]) in told
    assert ("Guessing recovers" in told) == (kind not in ADDED)
    if kind in ADDED:
        assert percent(found.places[0]) in told
        assert ("Without the residual connection" in told) == (cut == "true")
    else:
        assert found.places.max() < 1.5 * found.chance


def test_at_a_scale_of_0_nothing_is_added_and_none_is_recovered():
    assert "Guessing recovers" in said(show(encoding="learned", encoding_scale=0, blocks=2))


def test_training_gave_similar_words_and_neighbouring_positions_nearly_one_vector():
    model = grammar_model()[0].parameters
    rows = np.asarray(model.token_embedding, float)
    big, small = (WORDS.index(word) for word in ("big", "small"))
    assert cosine_matrix(rows)[big, small] > 0.99
    nearest = cosine_matrix(rows) - 2 * np.eye(len(rows))
    assert np.median(nearest.max(axis=-1)) > 0.95
    assert "“big” and “small”" in said(show(blocks_of="trained"))
