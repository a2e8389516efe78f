"""layers: what the mask changes in a stack of layers."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import random_head
from attention_core.model.generate import generate
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.text.byte_pairs import BytePairs
from attention_core.text.corpora import source_of
from attention_core.text.word_vectors import word_vectors
from tests.app.causal_mask.scene import SENTENCE, attention, blocked_by, close
from tests.app.steps import step
from tests.app.visits import heatmap, main, said

show = partial(step, "causal_mask", "layers")


@pytest.mark.parametrize("n_layers", ["1", "2", "4"])
@pytest.mark.promise("causal_mask 4")
def test_the_last_word_needs_the_mask_from_the_second_layer_on(n_layers):
    blocked = blocked_by(7)
    x = y = word_vectors(SENTENCE.split(), 8, 20)
    rows = []
    for layer in range(int(n_layers)):
        head = random_head(8, 4, 20 + layer, 8)
        x = x + attention(x, head, blocked)[2]
        y = y + attention(y, head, np.zeros_like(blocked))[2]
        rows.append(np.sqrt(((x - y) ** 2).sum(axis=1)))
    app = show(layers=n_layers)
    seen = heatmap(main(app)).values
    close(seen, rows)
    assert seen[0, -1] < 1e-12
    assert (seen[1:, -1] > 0.1).all()
    assert not heatmap(main(show(layers=n_layers, mask="none"))).values.any()


def test_the_layer_from_which_the_mask_counts_is_predicted():
    assert show().question("layers").right == (2,)
    assert show(mask="none").question("layers").right == (0,)
    assert show(mask="sliding window").question("layers").right == (1,)  # it blocks a key of the last word itself
    assert show(text="the the the").question("layers").right == (0,)  # whatever is masked, all values are equal


@pytest.mark.promise("causal_mask 4")
def test_a_mask_removed_while_writing_changes_the_text_of_three_layers_and_not_of_one():
    told = said(show())
    one, three = told.split("Small Stories, 3 layers")
    assert "The 16 tokens are the same." in one
    place = int(re.search(r"The texts differ from token (\d+) on", three)[1]) - 1
    model, pieces = model_at("stories"), BytePairs(source_of("stories").vocabulary.tokens)
    prompt = pieces.encode(SENTENCE)
    without = Model.of(replace(model.config, causal=False), model.flat)
    texts = [generate(one, prompt, 16, 0.0) for one in (model, without)]
    assert texts[0][:place] == texts[1][:place]
    assert texts[0][place] != texts[1][place]
    for ids in texts:
        assert SENTENCE + pieces.decode(ids) in three
