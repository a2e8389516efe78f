"""layers: which vectors of stacked layers depend on a changed word."""

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
from attention_core.text.stories import START
from attention_core.text.word_vectors import position_labels, word_vectors
from tests.app.causal_mask.scene import SENTENCE, attention, blocked_by, close
from tests.app.steps import step
from tests.app.visits import heatmap, said

show = partial(step, "causal_mask", "leak")
WORDS = SENTENCE.split()
LABELS = position_labels(WORDS)


def moved(place, masked):
    """Return how far each vector moves after each layer when a word becomes "dog", under a mask in some layers."""
    after = []
    for words in (WORDS, [*WORDS[:place], "dog", *WORDS[place + 1 :]]):
        x, rows = word_vectors(words, 8, 20), []
        for layer in range(3):
            blocked = blocked_by(7, "causal" if layer in masked else "none")
            x = x + attention(x, random_head(8, 4, 20 + layer, 8), blocked)[2]
            rows.append(x)
        after.append(np.stack(rows))
    return np.sqrt(((after[1] - after[0]) ** 2).sum(axis=2))


@pytest.mark.parametrize(("where", "masked"), [("layer 1 only", [0]), ("layers 2 and 3", [1, 2]), ("no layer", [])])
@pytest.mark.parametrize("place", [6, 2])
def test_a_later_word_leaks_from_the_first_layer_without_the_mask_on(where, masked, place):
    every, some = (heatmap(chart).values for chart in show(masked_in=where, changed=LABELS[place]).charts)
    close(every, moved(place, [0, 1, 2]))
    close(some, moved(place, masked))
    assert every[:, :place].max() < 1e-12
    first = next(layer for layer in range(3) if layer not in masked)
    assert some[:first, :place].max(initial=0) < 1e-12
    assert (some[first:, :place] > 1e-3).all()


def test_the_layer_of_the_leak_is_predicted_from_the_first_layer_alone():
    for place, label in enumerate(LABELS):
        seen = show(unanswered="all", changed=label)
        if place == 0:  # no word is before it
            assert seen.page.asked == []
            continue
        (chart,) = seen.charts
        assert (chart.data["text"].to_numpy().reshape(3, 7)[1:] == "?").all()
    assert show(changed="mat", new="mat").page.asked == []  # nothing changes


def test_a_mask_removed_while_writing_changes_the_text_of_three_layers_and_not_of_one():
    told = said(show())
    one, three = told.split("Small Stories, 3 layers")
    kept, removed = one.split("With the mask:")[1].split("With the mask removed:")
    assert kept.strip() == removed.strip()
    model, pieces = model_at("stories"), BytePairs(source_of("stories").vocabulary.tokens)
    prompt = pieces.encode(START + SENTENCE)
    without = Model.of(replace(model.config, causal=False), model.flat)
    texts = [generate(one, prompt, 16, 0.0) for one in (model, without)]
    assert texts[0] != texts[1]
    for ids in texts:
        assert SENTENCE + pieces.decode(ids) in three


@pytest.mark.parametrize("text", [SENTENCE, "the dog", "a small frog found the red ball and it"])
def test_the_table_says_that_one_layer_writes_the_same_without_the_mask_and_three_do_not(text):
    (table,) = [block for block in show(text=text).html if "tokens written the same" in block]
    cells = [re.findall(r"<td.*?>(.*?)</td>", row) for row in table.split("<tr>")]
    english, stories = [row for row in cells if row]
    assert english == ["Toy English", "1", "16 of 16"]
    pieces = BytePairs(source_of("stories").vocabulary.tokens)
    model, prompt = model_at("stories"), pieces.encode(START + text)
    without = Model.of(replace(model.config, causal=False), model.flat)
    both = [generate(one, prompt, 16, 0.0) for one in (model, without)]
    same = next(place for place in range(16) if both[0][place] != both[1][place])
    assert stories == ["Small Stories", "3", f"{same} of 16"]
