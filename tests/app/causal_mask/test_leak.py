"""layers: which vectors of stacked layers depend on a changed word."""

import re
from dataclasses import replace
from functools import partial

import pytest

from attention_core.model.generate import generate
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.text.byte_pairs import BytePairs
from attention_core.text.corpora import source_of
from attention_core.text.stories import START
from attention_core.text.word_vectors import position_labels
from tests.app.causal_mask.scene import SENTENCE
from tests.app.steps import step

show = partial(step, "causal_mask", "leak")
WORDS = SENTENCE.split()
LABELS = position_labels(WORDS)


def test_the_layer_of_the_leak_is_predicted_from_the_first_layer_alone():
    for place, label in enumerate(LABELS):
        seen = show(unanswered="all", changed=label)
        if place == 0:  # no word is before it
            assert seen.page.asked == []
            continue
        (chart,) = seen.charts
        assert (chart.data["text"].to_numpy().reshape(3, 7)[1:] == "?").all()
    assert show(changed="mat", new="mat").page.asked == []  # nothing changes


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
