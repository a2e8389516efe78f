"""Byte-pair encoding (BPE): the bytes of a piece merge, pair by pair, into the longest tokens of the vocabulary."""

import re
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from attention_core.checks import whole
from attention_core.pretrained.gguf_file import Value, check_word
from attention_core.pretrained.pre_tokeniser import PRE_TOKENISERS, pre_tokenise

MOST_SPECIAL = 2048  # tokens that stand for themselves: each is an alternative of one pattern
CONTROL, USER_DEFINED = 3, 4  # kinds of tokens that stand for themselves

PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]  # bytes that are their own character
BYTE_CHARACTERS = dict(zip(PRINTABLE, map(chr, PRINTABLE), strict=True)) | {  # so that every byte can be seen
    byte: chr(256 + i) for i, byte in enumerate(byte for byte in range(256) if byte not in PRINTABLE)
}
CHARACTER_BYTES = {character: bytes([byte]) for byte, character in BYTE_CHARACTERS.items()}


class PretrainedTokeniser(NamedTuple):
    """A vocabulary, its merges and its pre-tokeniser."""

    tokens: list[str]  # by id, their bytes written as characters
    ids: dict[str, int]
    ranks: dict[str, int]  # of a merge, written as "left right"; the lowest rank merges first
    patterns: tuple[re.Pattern[str], ...]
    special: re.Pattern[str] | None  # one group: the tokens that stand for themselves
    start: int | None  # the id that begins every text, if one does
    end: int | None  # the id that ends a text

    def encode(self, text: str, special: bool = True) -> list[int]:
        """Return the ids of a text; with `special`, tokens such as <|im_start|> in it stand for themselves.

        A byte that the vocabulary does not contain is skipped: some vocabularies miss a few control characters.
        """
        if not isinstance(text, str):
            raise ValueError(f"text must be a string, got {type(text).__name__}")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("text must contain whole characters, got half of a surrogate pair") from None
        parts = self.special.split(text) if special and self.special else [text]
        ids = [] if self.start is None else [self.start]
        for i, part in enumerate(parts):  # every second part is a special token
            if i % 2:
                ids.append(self.ids[part])
            else:
                ids += [self.ids[token] for piece in pre_tokenise(part, self.patterns) for token in self.merge(piece)]
        return ids

    def merge(self, piece: str) -> Iterable[str]:
        """Return a piece as tokens: the pair of lowest rank merges first, of equal ones the leftmost."""
        parts = [BYTE_CHARACTERS[byte] for byte in piece.encode()]  # emptied when merged into the part on the left
        before, after = list(range(-1, len(parts) - 1)), list(range(1, len(parts) + 1))
        queue: list[tuple[int, int, int, str]] = []

        def offer(left: int, right: int) -> None:
            if left >= 0 and right < len(parts):
                pair = f"{parts[left]} {parts[right]}"
                if pair in self.ranks:
                    heappush(queue, (self.ranks[pair], left, right, pair))

        for right in range(1, len(parts)):
            offer(right - 1, right)
        while queue:
            _, left, right, pair = heappop(queue)
            if after[left] != right or f"{parts[left]} {parts[right]}" != pair:
                continue  # one of the two has merged with another part since
            parts[left], parts[right] = parts[left] + parts[right], ""
            after[left] = after[right]
            if after[left] < len(parts):
                before[after[left]] = left
            offer(before[left], left)
            offer(left, after[left])
        return (part for part in parts if part and part in self.ids)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; bytes that are no whole character become �."""
        return b"".join(map(self.bytes_of, ids)).decode(errors="replace")

    def bytes_of(self, token: int) -> bytes:
        """Return the bytes of one token, which may be a part of a character."""
        characters = self.tokens[whole("ids", token, 0, len(self.tokens) - 1)]
        return b"".join(CHARACTER_BYTES.get(character) or character.encode() for character in characters)


def read_tokeniser(metadata: dict[str, Value]) -> PretrainedTokeniser:
    """Return the tokeniser of a file; raise ValueError if it is of another kind or contradicts itself."""

    def get(key: str, default: Any = None) -> Any:
        return metadata.get(f"tokenizer.ggml.{key}", default)

    check_word(metadata, "tokenizer.ggml.model", ["gpt2"])  # byte-level BPE
    patterns = PRE_TOKENISERS[check_word(metadata, "tokenizer.ggml.pre", PRE_TOKENISERS)]
    tokens, merges = get("tokens"), get("merges")
    for name, strings in (("tokens", tokens), ("merges", merges)):
        if not isinstance(strings, list) or len(set(strings)) != len(strings):
            raise ValueError(f"tokenizer.ggml.{name} must be a list of different strings")
    ids = {token: i for i, token in enumerate(tokens)}
    for merge in merges:
        left, _, right = merge.partition(" ")
        if left + right not in ids:
            raise ValueError(f"tokenizer.ggml.merges must make tokens of the vocabulary, got {merge[:80]!r}")
    start, end = get("bos_token_id"), get("eos_token_id")
    for name, special_id in (("bos_token_id", start), ("eos_token_id", end)):
        if special_id is not None:
            whole(f"tokenizer.ggml.{name}", special_id, 0, len(tokens) - 1)
    return PretrainedTokeniser(
        tokens,
        ids,
        {merge: rank for rank, merge in enumerate(merges)},
        patterns,
        special_pattern(tokens, get("token_type")),
        start if get("add_bos_token") is True else None,
        end,
    )


def special_pattern(tokens: list[str], kinds: Any) -> re.Pattern[str] | None:
    """Return a pattern that finds the tokens that stand for themselves, the longest first; None without any."""
    if kinds is None:
        return None
    if not isinstance(kinds, np.ndarray) or len(kinds) != len(tokens):
        raise ValueError(f"tokenizer.ggml.token_type must be a number for each of the {len(tokens):,} tokens")
    special = [tokens[i] for i in np.flatnonzero((kinds == CONTROL) | (kinds == USER_DEFINED)) if tokens[i]]
    if len(special) > MOST_SPECIAL:
        raise ValueError(
            f"tokenizer.ggml.token_type must have at most {MOST_SPECIAL} special tokens, got {len(special)}"
        )
    special.sort(key=len, reverse=True)
    return re.compile(f"({'|'.join(map(re.escape, special))})") if special else None
