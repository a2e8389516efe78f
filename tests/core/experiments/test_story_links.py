"""Links of the small stories, against the text that the tokens stand for."""

from attention_core.experiments.language.story_links import (
    StoryLinks,
    linked_stories,
)
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
