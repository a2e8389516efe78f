"""A text cut into pieces after each merge of byte-pair encoding.

A merge joins pieces and never cuts one, so each boundary between two bytes disappears at one merge and stays away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Tokens
from attention_core.text.byte_pairs import ALPHABET, BytePairs


class MergedText(NamedTuple):
    """A text of N bytes under M merges."""

    ids: Tokens  # (N,), of its bytes
    joined: Tokens  # (N - 1,), which merge, counted from 1, joins each byte to the next; M + 1 where none does


def merged_text(pieces: BytePairs, text: str) -> MergedText:
    """Return which merge joins each byte of a text to the next."""
    unfolded, numbers = pieces.unfolded, pieces.encode(text).tolist()
    never = len(unfolded) - len(ALPHABET) + 1
    ids = np.array([one for number in numbers for one in unfolded[number].ids], dtype=np.int64)
    joined = np.array([one for number in numbers for one in (*unfolded[number].merges, never)][:-1], dtype=np.int64)
    return MergedText(ids, joined)


def ids_after(found: MergedText, n_merges: int) -> Tokens:
    """Return the ids of the pieces after the first merges."""
    if not len(found.ids):
        return found.ids
    starts = np.concatenate([[0], 1 + np.flatnonzero(found.joined > n_merges)])
    last = np.append(np.where(found.joined > n_merges, 0, found.joined), 0)
    merged = np.maximum.reduceat(last, starts)  # the last merge in a piece has made it
    return np.where(merged, len(ALPHABET) - 1 + merged, found.ids[starts])
