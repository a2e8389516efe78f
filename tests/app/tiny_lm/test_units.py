"""Models that read pieces of byte-pair encoding: every step shows them as text, and sends them the right ids."""

import html
import io
import re

import numpy as np
import pytest

import attention_core as core
from attention_core.model.checkpoint import save
from attention_core.text.byte_pairs import ALPHABET, BytePairs
from attention_core.text.stories import story_pieces
from attention_core.text.vocabulary import Vocabulary
from pages.tiny_lm.model_in_view import Own
from pages.tiny_lm.train.upload import from_file
from tests.app.tiny_lm.models import step_with
from tests.app.visits import html_of

PROMPT = 'Lily lost her kite. "Oh no!" said a café'


def model_of_pieces(**sizes):
    vocabulary = story_pieces().vocabulary
    config = core.Config(len(vocabulary), **{"d_model": 8, "n_heads": 2, "n_layers": 2, "max_len": 60} | sizes)
    return core.init_model(config, seed=3)


def own_of_pieces(**sizes):
    """Return a random model whose tokens are the pieces of the stories."""
    models = model_of_pieces(**sizes), model_of_pieces(**sizes)
    models[1].flat[:] *= 4
    return Own(models, (0, 1), story_pieces().vocabulary, "piece", "small stories", PROMPT)


def test_the_prompt_is_encoded_by_its_pieces_and_shown_with_visible_spaces():
    seen = step_with(own_of_pieces(), "bet")
    arrays = seen.page.recipe.arrays()
    np.testing.assert_array_equal(arrays["tokens"], story_pieces().encode(PROMPT)[:48])
    labels = seen.scene.labels
    assert labels[:5] == ["L", "ily", "␣lost", "␣her", "␣kite"]
    (block,) = [block for block in html_of(seen) if 'class="spoken"' in block]
    assert PROMPT in html.unescape(re.sub("<[^>]*>", "", block))


@pytest.mark.parametrize("typed", ["Tom 🪁 café", "Tom", " the", "\u0301", "naïve"])
def test_no_text_is_unknown_to_a_model_of_pieces(typed):
    seen = step_with(own_of_pieces(), "bet", prompt=typed)
    assert not any("has never met" in block or "usual prompt" in block for block in html_of(seen))
    np.testing.assert_array_equal(seen.page.recipe.arrays()["tokens"], story_pieces().encode(typed))


def test_a_model_of_pieces_comes_back_from_its_file():
    file = io.BytesIO()
    save(file, model_of_pieces(), story_pieces().vocabulary)
    brought = from_file(file.getvalue())
    assert brought.unit == "piece"
    assert BytePairs(brought.vocabulary).encode(brought.prompt).size
    step_with(brought, "bet")


def test_a_file_whose_pieces_no_merges_make_is_refused():
    file, tokens = io.BytesIO(), Vocabulary([*ALPHABET, "abc"])
    save(file, core.init_model(core.Config(len(tokens), 4, 2, 1, 8)), tokens)
    with pytest.raises(ValueError, match="pieces must each consist of two earlier ones"):
        from_file(file.getvalue())
