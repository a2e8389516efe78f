"""Training sources: texts and tasks in one form, with tokens, training batches and held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Tokens, frozen
from attention_core.model.train import Batch, sample_rows
from attention_core.text.characters import split_characters, split_words, truncate_word
from attention_core.text.n_grams import Baselines, NGrams, count_n_grams, n_gram_losses
from attention_core.text.recall_task import RECALL_TOKENS, associative_recall, recall_targets
from attention_core.text.small_english import CRIES, WORDS, rows, story_rows
from attention_core.text.stories import small_story_rows, story_pieces
from attention_core.text.story_exercises import exercise
from attention_core.text.vocabulary import UNKNOWN, Vocabulary
from attention_core.threads import one_at_a_time

Unit = Literal["word", "character", "piece"]

HELD_OUT = 10_007  # seed of the held-out rows, separate from training
TESTED = 64  # held-out rows
N_GRAM_ROWS, N_GRAM_TOKENS = 4007, 200_000  # the most training rows, and about the most tokens, to count n-grams in
LARGEST_TEXT = 500_000  # characters of a user's text
MOST_TOKENS = {"word": 1000, "character": 200}  # vocabulary size of a user's text; rarer tokens become unknown
SHORTEST = 40  # tokens; shorter texts are refused


class Source(NamedTuple):
    """A training source: its vocabulary, a function that returns random batches, and held-out rows."""

    name: str
    says: str  # a short description
    unit: Unit
    vocabulary: Vocabulary
    draw: Callable[[np.random.Generator, int, int], Batch]  # (rng, rows, length)
    held_out: Callable[[int], Batch]  # (length), always the same rows
    counts: Callable[[Tokens], NDArray[np.bool_]] | None = None  # which targets of rows (B, T + 1); None: all
    text: str = ""  # of a user's text, the text itself
    exercise: Callable[[np.random.Generator, int, bool], Batch] | None = None  # (rng, tokens, easy); None: it has none


def english() -> Source:
    """Return the source of sentences from `small_english`, new ones in each batch."""
    return synthetic_source(
        "english",
        f"new sentences in each step, generated from a grammar of {len(WORDS)} words",
        "word",
        Vocabulary(WORDS),
        rows,
    )


def pronoun() -> Source:
    """Return the source of stories; the loss includes only the verb after "it" or "they", set by the animal."""
    cries = np.isin(WORDS, list(CRIES.values()))
    return synthetic_source(
        "pronoun",
        "new stories in each step; the loss includes only the verb after “it” or “they”",
        "word",
        Vocabulary(WORDS),
        story_rows,
        lambda drawn: cries[drawn[:, 1:]],
    )


def recall() -> Source:
    """Return the source of sequences such as "a3c7b1a3"; the loss includes only the digits of repeated letters."""
    return synthetic_source(
        "recall",
        "new sequences of letters and digits in each step; a repeated letter has the same digit again",
        "character",
        Vocabulary(RECALL_TOKENS),
        associative_recall,
        lambda drawn: recall_targets(drawn[:, :-1]).answerable,
    )


def small_stories() -> Source:
    """Return the source of small stories, new ones in each batch, in pieces of byte-pair encoding."""
    return synthetic_source(
        "stories", "generated stories and short exercises", "piece", story_pieces().vocabulary, small_story_rows
    )._replace(exercise=exercise)


def synthetic_source(
    name: str,
    says: str,
    unit: Unit,
    vocabulary: Vocabulary,
    fresh: Callable[[np.random.Generator, int, int], Tokens],
    counts: Callable[[Tokens], NDArray[np.bool_]] | None = None,
) -> Source:
    """Return a source of generated rows; the held-out rows have their own seed."""

    def draw(rng: np.random.Generator, n_rows: int, length: int) -> Batch:
        drawn = fresh(rng, n_rows, length)
        return Batch(drawn, None if counts is None else counts(drawn))

    @lru_cache(maxsize=16)
    def held_out(length: int) -> Batch:
        rows, counted = draw(np.random.default_rng(HELD_OUT), TESTED, length)
        return Batch(frozen(rows), counted)

    return Source(name, says, unit, vocabulary, draw, held_out, counts)


def own_text(text: str, unit: Unit) -> Source:
    """Return a user's text as a source, of which the last tenth, at most 200,000 tokens, is held out.

    Raise ValueError if it is too long, too short or not valid Unicode.
    """
    if unit not in MOST_TOKENS:
        raise ValueError(f"unit must be one of {', '.join(MOST_TOKENS)}, got {unit!r}")
    if len(text) > LARGEST_TEXT:
        raise ValueError(f"text must have at most {LARGEST_TEXT:,} characters, got {len(text):,}")
    if any("\ud800" <= char <= "\udfff" for char in set(text)):
        raise ValueError("text must contain whole characters, got half of a surrogate pair")
    vocabulary, ids = encode_text(text, unit)
    if len(ids) < SHORTEST:
        raise ValueError(f"text must have at least {SHORTEST} {unit}s, got {len(ids)}")
    end = n_learned(len(ids))
    learned, tested = ids[:end], ids[end:]

    def held_out(length: int) -> Batch:
        return sample_rows(tested, TESTED, min(length, len(tested) - 1), np.random.default_rng(HELD_OUT))

    def draw(rng: np.random.Generator, n_rows: int, length: int) -> Batch:
        return sample_rows(learned, n_rows, min(length, len(learned) - 1), rng)

    says = f"a text of your own, {len(text):,} characters"
    return Source("own", says, unit, vocabulary, draw, held_out, text=text)


def n_learned(n_tokens: int) -> int:
    """Return how many tokens of a text are learned; the others are held out."""
    return n_tokens - min(n_tokens // 10, 200_000)


def overlap(text: str, unit: Unit, run: int = 8) -> float:
    """Return the fraction of held-out tokens that end a run of tokens that is in the training part too."""
    ids = encode_text(text, unit)[1].astype(np.int64)
    end = n_learned(len(ids))
    if len(ids) - end < run:
        return 0.0
    windows = np.lib.stride_tricks.sliding_window_view(ids, run)
    learned = {row.tobytes() for row in windows[: max(0, end - run + 1)]}
    return float(np.mean([row.tobytes() in learned for row in windows[end:]]))


def encode_text(text: str, unit: Unit) -> tuple[Vocabulary, Tokens]:
    """Return the vocabulary of a text and its token ids (N,)."""
    if unit == "character" and text.isascii() and "\r" not in text:  # one byte a character, a thousand times as fast
        codes = np.frombuffer(text.encode(), np.uint8)
        found = np.flatnonzero(np.bincount(codes))
        return Vocabulary(map(chr, found)), np.searchsorted(found, np.arange(128)).astype(np.uint8)[codes]
    tokens = split(text, unit)
    known = {token: token if truncate_word(token) == token else UNKNOWN for token in set(tokens)}  # too long to display
    tokens = [known[token] for token in tokens]
    vocabulary = Vocabulary(sorted(set(tokens)))
    if len(vocabulary) > MOST_TOKENS[unit]:
        vocabulary = Vocabulary.of(tokens, MOST_TOKENS[unit])
    return vocabulary, vocabulary.encode(tokens)


def split(text: str, unit: Unit) -> list[str]:
    """Return the tokens of a text: words or characters."""
    return split_words(text) if unit == "word" else split_characters(text)


SOURCES: dict[str, Callable[[], Source]] = {
    "english": english,
    "pronoun": pronoun,
    "recall": recall,
    "stories": small_stories,
}


@one_at_a_time
@lru_cache(maxsize=len(SOURCES))
def source_of(name: str) -> Source:
    """Return a source by its name; sources are cached."""
    if name not in SOURCES:
        raise ValueError(f"name must be one of {', '.join(SOURCES)}, got {name!r}")
    return SOURCES[name]()


def learn_n_grams(source: Source, length: int) -> NGrams:
    """Return the n-grams of training rows of a source, cut as a model of that context length reads them."""
    n_rows = min(N_GRAM_ROWS, -(-N_GRAM_TOKENS // length))
    drawn = source.draw(np.random.default_rng(HELD_OUT + 1), n_rows, length)
    return count_n_grams(drawn.rows, len(source.vocabulary), drawn.counted)


@one_at_a_time
@lru_cache(maxsize=16)
def known_n_grams(name: str, length: int) -> NGrams:
    """Return the n-grams of one of SOURCES, cached."""
    return learn_n_grams(source_of(name), length)


def n_grams_of(source: Source, length: int) -> NGrams:
    """Return the n-grams of a source; only those of SOURCES are cached, because a user's text must not stay."""
    shared = source.name in SOURCES and source is source_of(source.name)
    return known_n_grams(source.name, length) if shared else learn_n_grams(source, length)


def baseline_losses(source: Source, length: int) -> Baselines:
    """Return the validation losses in nats of models that only count, on the held-out rows of the source."""
    return n_gram_losses(n_grams_of(source, length), *source.held_out(length))
