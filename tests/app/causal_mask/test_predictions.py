"""predictions: one text is many training examples."""

import re
from functools import partial

import numpy as np
import pytest

from attention_core.model.forward import logits
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH
from attention_core.text.corpora import source_of
from attention_core.text.stories import story_pieces
from tests.app.causal_mask.scene import SENTENCE
from tests.app.steps import step

show = partial(step, "causal_mask", "predictions")
VOCABULARY = source_of(ENGLISH.source).vocabulary
WORDS = SENTENCE.split()


@pytest.mark.parametrize("text", ["My grandmother plays chess on Sunday", "the grandmother sat", "one", "日本", "🙂"])
def test_any_text_is_read_whole_by_a_model_that_knows_its_tokens(text):
    seen = show(text=text)
    assert story_pieces().decode(seen.result("tokens")) in (f"\n{text}", f"\n{text.lower()}")
    assert seen.question("examples").right == len(seen.result("tokens")) - 1 >= 1


def test_a_long_text_is_cut_to_what_a_map_can_show():
    seen = show(text="extraordinary " * 24)
    assert len(seen.result("tokens")) == 24
    assert "It reads only the first 24." in " ".join(seen.html)


def test_one_pass_stands_beside_a_pass_for_each_position_and_their_numbers_are_the_same():
    seen = show()
    assert any("after position 3" in str(chart.spec) for chart in seen.charts)  # that of the row in view
    for place in range(len(WORDS)):
        shown = seen.result("one_by_one")[place]
        powers = np.exp(logits(model_at("english"), VOCABULARY.encode(WORDS[: place + 1]))[-1].astype(float))
        np.testing.assert_allclose(shown, powers / powers.sum(), atol=1e-6)
    (table,) = [one for one in seen.html if "predictions checked" in one]
    assert re.findall(r">([\d]+)<", table) == ["1", "7", "6", "6", "21", "6"]
    assert not [one for one in show(text="one").html if "predictions checked" in one]
