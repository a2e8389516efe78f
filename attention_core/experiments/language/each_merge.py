"""A text cut into pieces after each merge of byte-pair encoding.

A merge joins pieces and never cuts one, so each boundary between two bytes disappears at one merge and stays away.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Tokens
from attention_core.text.byte_pairs import ALPHABET, PRETOKEN, BytePairs, Merge, merges_of


class MergedText(NamedTuple):
    """A text of N bytes under M merges."""

    ids: Tokens  # (N,), of its bytes
    joined: Tokens  # (N - 1,), which merge, counted from 1, joins each byte to the next; M + 1 where none does
    lengths: Tokens  # (M + 1,), the number of pieces after 0, 1, … M merges


class Learned(NamedTuple):
    """The merges of a training text, in order."""

    merges: tuple[Merge, ...]
    pieces: BytePairs
    lengths: Tokens  # (M + 1,), pieces of the training text after each merge


def learn_merges(text: str, n_merges: int) -> Learned:
    """Return the merges of a text, and what each leaves of its length."""
    merges = tuple(merges_of(text, n_merges))
    pieces = BytePairs([*ALPHABET, *(merge.piece for merge in merges)])
    lengths = np.zeros(1 + len(merges), np.int64)
    for word, times in Counter(PRETOKEN.findall(text)).items():  # merges never join two words
        lengths += times * merged_text(pieces, word).lengths
    return Learned(merges, pieces, lengths)


def merged_text(pieces: BytePairs, text: str) -> MergedText:
    """Return which merge joins each byte of a text to the next."""
    unfolded, numbers = pieces.unfolded, pieces.encode(text).tolist()
    never = len(unfolded) - len(ALPHABET) + 1
    ids = np.array([one for number in numbers for one in unfolded[number].ids], dtype=np.int64)
    joined = np.array([one for number in numbers for one in (*unfolded[number].merges, never)][:-1], dtype=np.int64)
    each = np.bincount(joined, minlength=never + 1)[1:never]  # boundaries that each merge removes
    return MergedText(ids, joined, len(ids) - np.concatenate([[0], each.cumsum()]))


def ids_after(found: MergedText, n_merges: int) -> Tokens:
    """Return the ids of the pieces after the first merges."""
    if not len(found.ids):
        return found.ids
    starts = np.concatenate([[0], 1 + np.flatnonzero(found.joined > n_merges)])
    last = np.append(np.where(found.joined > n_merges, 0, found.joined), 0)
    merged = np.maximum.reduceat(last, starts)  # the last merge in a piece has made it
    return np.where(merged, len(ALPHABET) - 1 + merged, found.ids[starts])
