"""The links of small stories: what heads attend to before a word that an earlier word determines."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.model.forward import attention_weights
from attention_core.model.parameters import Model
from attention_core.text.stories import FACT_KINDS, START, stories, story_pieces

LINK_SEED = 10_011  # of the stories, separate from training


class StoryLinks(NamedTuple):
    """Mean attention weight, (L, H) each, from the token before a word to all mentions of what determines it."""

    pronoun: Array  # from before "he", "her" or "it" to whom or what it means
    name: Array  # from before a name to its mentions
    speaker: Array  # from before the name of the speaker to its mentions
    colour: Array  # from before the colour of a thing to its mentions
    place: Array  # from before a place to its mentions


class LinkedStories(NamedTuple):
    """Stories as tokens, and their links."""

    tokens: tuple[tuple[int, ...], ...]
    links: tuple[tuple[int, int, int, tuple[int, ...]], ...]  # (kind, story, query, its mentions before)


def linked_stories(n_stories: int, longest: int) -> LinkedStories:
    """Return new stories, cut to a length in tokens, and the links in them."""
    pieces = story_pieces()
    rows, links = [], []
    told = stories(np.random.default_rng(LINK_SEED))
    for number, story in enumerate(islice(told, n_stories)):
        row = pieces.encode(START + story.text)[:longest]
        ends = np.cumsum([len(piece) for piece in pieces.vocabulary.decode(row)]) - len(START)  # of each token
        for fact in story.facts:
            word, source = (int(np.searchsorted(ends, start, "right")) for start in (fact.start, fact.source[0]))
            if word < len(row):
                mentions = np.flatnonzero(row[:word] == row[source])
                links.append((FACT_KINDS.index(fact.kind), number, word - 1, tuple(mentions.tolist())))
        rows.append(tuple(row.tolist()))
    return LinkedStories(tuple(rows), tuple(links))


def story_link_weights(model: Model, told: LinkedStories) -> StoryLinks:
    """Return the mean attention weight of each head along the links of stories."""
    weights = [attention_weights(model, np.array(row)) for row in told.tokens]  # (L, H, T, T) each
    return mean_of_links(
        told, [weights[story][:, :, query, list(keys)].sum(axis=-1) for _, story, query, keys in told.links]
    )


def uniform_story_links(told: LinkedStories) -> StoryLinks:
    """Return the same, (1, 1) each, for uniform attention over all tokens so far."""
    return mean_of_links(told, [np.full((1, 1), len(keys) / (query + 1)) for _, _, query, keys in told.links])


def mean_of_links(told: LinkedStories, found: list[Array]) -> StoryLinks:
    """Return the mean over the links of each kind."""
    kinds = np.array([kind for kind, *_ in told.links])
    values = np.stack(found)
    return StoryLinks(*(values[kinds == kind].mean(axis=0) for kind in range(len(StoryLinks._fields))))
