"""Links of the small stories, against the text that the tokens stand for."""

import numpy as np
import pytest

from attention_core.experiments.language.story_links import (
    StoryLinks,
    linked_stories,
    story_link_weights,
    uniform_story_links,
)
from attention_core.model.forward import attention_weights
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import STORIES
from attention_core.text.stories import FACT_KINDS, story_pieces

LONGEST = STORIES.plan.config.max_len


def test_a_link_leads_from_the_token_before_a_word_to_its_mentions():
    told = linked_stories(3, LONGEST)
    assert StoryLinks._fields == FACT_KINDS
    decode = story_pieces().vocabulary.decode
    for kind, story, query, keys in told.links:
        row = told.tokens[story]
        assert keys
        assert max(keys) <= query
        words = {row[key] for key in keys}
        assert len(words) == 1
        assert [key for key in range(query + 1) if row[key] in words] == [*keys]
        if FACT_KINDS[kind] != "pronoun":
            assert words == {row[query + 1]}, decode(row[query : query + 2])


def test_one_head_of_the_trained_model_finds_colours_and_places_and_none_did_untrained():
    told = linked_stories(5, LONGEST)
    found, even = story_link_weights(model_at(STORIES.name), told), uniform_story_links(told)
    before = story_link_weights(model_at(STORIES.name, 0), told)
    assert np.unravel_index(found.colour.argmax(), found.colour.shape) == (1, 3)
    assert found.colour.max() > 0.8
    assert found.place.argmax() == found.colour.argmax()
    assert before.colour.max() < 0.05
    colours = [(story, query, keys) for kind, story, query, keys in told.links if FACT_KINDS[kind] == "colour"]
    maps = {story: attention_weights(model_at(STORIES.name), np.array(told.tokens[story])) for story, *_ in colours}
    by_hand = np.mean([maps[story][1, 3, query, list(keys)].sum() for story, query, keys in colours])
    assert found.colour[1, 3] == pytest.approx(by_hand, abs=1e-6)
    assert even.colour == pytest.approx(np.mean([len(keys) / (query + 1) for _, query, keys in colours]))
