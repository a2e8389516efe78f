"""Byte-pair encoding: frequent pairs of neighbouring pieces in a text are merged into a vocabulary of pieces of words.

A text is cut into words, each with the space before it, and each word into its bytes. The most frequent pair of
neighbours becomes a new piece, again and again. Every text has bytes, so every text can be encoded, in any script.
A byte is written as one visible letter, as in GPT-2: "!" to "~" stand for themselves, and Ġ is the space.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from heapq import heappop, heappush
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Tokens
from attention_core.text.vocabulary import Vocabulary

# letters, letters after an apostrophe, digits, or other signs, the space before them included; or spaces
PRETOKEN = re.compile(r" ?[^\W\d_]{1,64}|'[^\W\d_]{1,64}| ?\d{1,64}| ?(?:[^\w\s]|_){1,64}|\s{1,64}(?!\S)|\s{1,64}")
LONGEST_PRETOKEN = 4 * (1 + 64)  # bytes; the time to encode a word grows with the square of its length
VISIBLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]  # bytes that are Latin letters and signs
LETTERS = dict(zip([*VISIBLE, *sorted(set(range(256)) - set(VISIBLE))], [*VISIBLE, *range(256, 324)], strict=True))
BYTES = {letter: byte for byte, letter in LETTERS.items()}
ALPHABET = tuple(chr(letter) for letter in sorted(BYTES))  # the pieces before any merge

Pair = tuple[int, int]  # ids of two neighbours


class Merge(NamedTuple):
    """One merge: the most frequent pair of pieces, how often it occurred, and the new piece."""

    left: str
    right: str
    times: int
    piece: str


class Unfolded(NamedTuple):
    """A piece in its bytes: their ids, and between two of them the merge, counted from 1, that joins them."""

    ids: tuple[int, ...]
    merges: tuple[int, ...]


def merges_of(text: str, n_merges: int) -> Iterator[Merge]:
    """Return an iterator over the merges of a text as they are learned; it ends when no pair occurs twice.

    Ties go to the pair of the smaller ids: first that of the left piece, then that of the right one.
    """
    counts = {letters_of(word): times for word, times in Counter(PRETOKEN.findall(text)).items()}
    return islice(_merges(counts), n_merges)


def _merges(counts: Mapping[str, int]) -> Iterator[Merge]:
    """Count the pairs of each distinct word once; a merge changes the counts only in the words that contain it."""
    pieces, times = list(ALPHABET), list(counts.values())
    words = [[ALPHABET.index(letter) for letter in word] for word in counts]
    pairs: Counter[Pair] = Counter()
    where: defaultdict[Pair, set[int]] = defaultdict(set)  # numbers of the words that contain, or contained, a pair
    for number, word in enumerate(words):
        for pair in pairwise(word):
            pairs[pair] += times[number]
            where[pair].add(number)
    queue = sorted((-count, pair) for pair, count in pairs.items())  # a heap
    while queue:
        minus_count, pair = heappop(queue)
        if (count := pairs[pair]) != -minus_count:  # queued before a later merge changed the count
            heappush(queue, (-count, pair))
            continue
        if count < 2:
            return
        pieces.append(pieces[pair[0]] + pieces[pair[1]])
        yield Merge(pieces[pair[0]], pieces[pair[1]], count, pieces[-1])
        grown = set()
        for number in where.pop(pair):
            for lost in pairwise(words[number]):
                pairs[lost] -= times[number]
            words[number] = merge(words[number], pair, len(pieces) - 1)
            for found in pairwise(words[number]):
                pairs[found] += times[number]
                where[found].add(number)
                grown.add(found)
        for found in grown:
            heappush(queue, (-pairs[found], found))


def merge(ids: list[int], pair: Pair, new: int) -> list[int]:
    """Return the ids with each occurrence of the pair, from left to right, replaced by the new id."""
    merged, at = list[int](), 0
    while at < len(ids):
        found = at + 1 < len(ids) and (ids[at], ids[at + 1]) == pair
        merged.append(new if found else ids[at])
        at += 2 if found else 1
    return merged


def letters_of(word: str) -> str:
    """Return a word in the letters of its bytes."""
    try:
        return word.encode().decode("latin-1").translate(LETTERS)
    except UnicodeEncodeError:
        raise ValueError("text must contain whole characters, got half of a surrogate pair") from None


def readable(piece: str) -> str:
    """Return the text of a piece; bytes that are only a part of a character become �."""
    return piece.translate(BYTES).encode("latin-1").decode(errors="replace")


def visible_piece(piece: str) -> str:
    """Return the text of a piece, in which bytes that are only a part of a character are <0xC3>."""
    return visible_bytes(piece.translate(BYTES).encode("latin-1"))


def visible_bytes(content: bytes) -> str:
    """Return bytes as text, in which those that are only a part of a character are <0xC3>."""
    text = content.decode(errors="surrogateescape")
    return "".join(f"<0x{ord(char) - 0xDC00:02X}>" if 0xDC80 <= ord(char) <= 0xDCFF else char for char in text)


class BytePairs:
    """A vocabulary of pieces: the 256 bytes, then one piece for each merge. The id of a piece is its index."""

    def __init__(self, pieces: Iterable[str]) -> None:
        """Keep the pieces, as `learn` makes them and files store them; raise ValueError if no merges make them."""
        self.vocabulary = Vocabulary(pieces)
        if self.vocabulary.tokens[: len(ALPHABET)] != ALPHABET:
            raise ValueError(f"pieces must start with the {len(ALPHABET)} bytes in the order of their letters")
        self._ids = {letter: number for number, letter in enumerate(ALPHABET)}
        self._merged: dict[Pair, int] = {}  # id of the piece of a pair; the smaller, the earlier it is merged
        for piece in self.vocabulary.tokens[len(ALPHABET) :]:
            possible = len(piece) <= LONGEST_PRETOKEN and not set(piece) - set(ALPHABET)
            parts = self._cut_word(piece) if possible else ()  # cut by the merges before it: its two parts
            if len(parts) != 2:
                raise ValueError(f"pieces must each consist of two earlier ones, got {piece[:80]!r}")
            self._merged[parts[0], parts[1]] = self._ids[piece] = len(self._ids)

    @classmethod
    def learn(cls, text: str, n_merges: int) -> BytePairs:
        """Return the vocabulary of the first merges of a text."""
        return cls([*ALPHABET, *(merge.piece for merge in merges_of(text, n_merges))])

    @property
    def parts(self) -> dict[int, Pair]:
        """Return the two ids that each merge joins, by the id of the new piece, in the order of the merges."""
        return {number: pair for pair, number in self._merged.items()}

    @cached_property
    def unfolded(self) -> tuple[Unfolded, ...]:
        """Return each piece in its bytes, by its id."""
        found = [Unfolded((number,), ()) for number in range(len(ALPHABET))]
        for number, pair in enumerate(self._merged, start=1):
            left, right = (found[part] for part in pair)
            found.append(Unfolded((*left.ids, *right.ids), (*left.merges, number, *right.merges)))
        return tuple(found)

    def encode(self, text: str) -> Tokens:
        """Return the ids of the pieces of a text."""
        words = PRETOKEN.findall(text)
        cut = {word: self._cut_word(letters_of(word)) for word in set(words)}
        return np.array([number for word in words for number in cut[word]], dtype=np.int64)

    def decode(self, ids: ArrayLike) -> str:
        """Return the text of ids: exactly the text that was encoded."""
        return readable("".join(self.vocabulary.decode(ids)))

    def _cut_word(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word: of its letters, then with the earliest possible merge, until none is left."""
        ids, last = [self._ids[letter] for letter in word], len(self._ids)
        while len(ids) > 1:
            pairs = [*pairwise(ids)]
            merged = [self._merged.get(pair, last) for pair in pairs]
            if (first := min(merged)) == last:
                break
            ids = merge(ids, pairs[merged.index(first)], first)
        return tuple(ids)
