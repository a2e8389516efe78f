"""Text: words and characters, their numbers in a vocabulary, and a vector for any word."""

from __future__ import annotations  # np.random, named in annotations alone, is slow to load

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from unicodedata import category, normalize

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Tokens, whole

UNKNOWN = "<unk>"

# Categories of Unicode: control characters and halves of characters act as space; Cn, unknown to this Python,
# may be an emoji newer than it.
SPACES = frozenset(["Zs", "Zl", "Zp", "Cc", "Cs"])
EMOJI = frozenset(["So", "Sm", "Cn"])

SOFT_HYPHEN, WORD_JOINER, BYTE_ORDER_MARK, JOINER = "\u00ad\u2060\ufeff\u200d"
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
INVISIBLE = str.maketrans("", "", SOFT_HYPHEN + WORD_JOINER + BYTE_ORDER_MARK + DIRECTIONS)

FIRST_MARK = "\u0300"  # below it nothing continues a character, but for a newline after a carriage return
FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))  # two of them are one flag
SKIN_TONES = range(0x1F3FB, 0x1F400)
REGION_LETTERS = range(0xE0020, 0xE0080)  # they follow a black flag
HANGUL_ENDINGS = (*range(0x1160, 0x1200), *range(0xD7B0, 0xD7FC))  # vowels and final consonants
OTHER_ENDINGS = "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f"  # joiners; vowels and voicing that hang on a letter
EXTENDING = frozenset([*map(chr, (*SKIN_TONES, *REGION_LETTERS, *HANGUL_ENDINGS)), *OTHER_ENDINGS])

# A character's kind: a letter, 1 digit, - within words, . within numbers, ! any other, or space.
LETTER, DIGIT, WITHIN_WORDS, WITHIN_NUMBERS, OTHER, SPACE = "a1-.! "
KINDS = {
    **dict.fromkeys("'\u2019-\u2010\u2011_", WITHIN_WORDS),
    **dict.fromkeys(".,\u066b\u066c", WITHIN_NUMBERS),
}
TOKEN = re.compile(r"[a1]+(?:(?:-|(?<=1)\.(?=1))[a1]+)*|[^ ]")

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def split_characters(text: str) -> list[str]:
    """Return the characters a reader sees: an accented letter, a flag or a joined emoji is one."""
    text = normalize("NFC", text)
    starts: list[int] = []
    for position, char in enumerate(text):
        if not (starts and _continues(text[starts[-1] : position], char)):
            starts.append(position)
    return [text[start:stop] for start, stop in pairwise([*starts, len(text)])]


def _continues(character: str, char: str) -> bool:
    """Tell whether char is still part of the visible character before it."""
    if char < FIRST_MARK:
        return character == "\r" and char == "\n"
    if category(character[-1]) in SPACES:
        return False
    if char in EXTENDING or category(char)[0] == "M":
        return True
    if character[-1] == JOINER:
        return {category(character[0]), category(char)} <= EMOJI and char not in FLAG_LETTERS
    return character in FLAG_LETTERS and char in FLAG_LETTERS


def split_words(text: str) -> list[str]:
    """Return the words and punctuation marks, as typed: "It's 3.5-fold!" gives "It's", "3.5-fold" and "!".

    Nothing that can be seen is lost or cut, in any script: between them only spaces are missing.
    """
    characters = split_characters(text.translate(INVISIBLE))
    kinds = "".join(map(_kind, characters))
    return ["".join(characters[slice(*token.span())]) for token in TOKEN.finditer(kinds)]


@lru_cache(maxsize=1024)
def _kind(character: str) -> str:
    """Return the one letter that stands for a character in the pattern TOKEN."""
    if character in KINDS:
        return KINDS[character]
    visible = next((kind for kind in map(category, character) if kind != "Cf"), "Zs")
    if visible in SPACES:
        return SPACE
    return {"L": LETTER, "M": LETTER, "N": DIGIT}.get(visible[0], OTHER)


class Vocabulary:
    """The distinct tokens a model knows; the number of a token is its place among them."""

    def __init__(self, tokens: Iterable[str], unknown: str | None = None) -> None:
        """Keep the tokens in their order; "<unk>", if it is one of them, stands for all words not known."""
        self.tokens = tuple(tokens)
        for token in self.tokens:
            if not isinstance(token, str):
                raise ValueError(f"tokens must be strings, got {token!r}")
        self._numbers = {token: number for number, token in enumerate(self.tokens)}
        if len(self._numbers) < len(self.tokens):
            raise ValueError(
                f"tokens must be distinct, got {Counter(self.tokens).most_common(1)[0][0]!r} more than once"
            )
        self.unknown = UNKNOWN if unknown is None and UNKNOWN in self._numbers else unknown
        if self.unknown is not None and self.unknown not in self._numbers:
            raise ValueError(f"unknown must be one of the {len(self)} tokens, got {self.unknown!r}")

    @classmethod
    def of(
        cls,
        tokens: Iterable[str],
        unknown: str | None = UNKNOWN,
        max_size: int | None = None,
    ) -> Vocabulary:
        """Return the vocabulary of a text: the unknown token, then every other in order of first appearance.

        With `max_size` the most frequent stay; between equally frequent ones the first to appear.
        """
        special = [] if unknown is None else [unknown]
        counts = Counter(tokens)
        for token in special:
            counts.pop(token, None)
        if max_size is not None:
            room = whole("max_size", max_size, len(special) + 1) - len(special)
            frequent = dict(counts.most_common(room))
            counts = Counter({token: count for token, count in counts.items() if token in frequent})
        return cls([*special, *counts], unknown)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the tokens in order."""
        return iter(self.tokens)

    def __contains__(self, token: str) -> bool:
        """Tell whether `encode` finds the token itself, without falling back on the unknown one."""
        return self._number(token) is not None

    def encode(self, tokens: Iterable[str]) -> Tokens:
        """Return the number of each token, looked up as typed, then in lower case, else the unknown one's."""
        unknown = None if self.unknown is None else self._numbers[self.unknown]
        numbers = []
        for token in _listed("tokens", tokens):
            number = self._number(token)
            if number is None:
                number = unknown
            if number is None:
                raise ValueError(f"tokens must be among the {len(self)} of the vocabulary, got {token!r}")
            numbers.append(number)
        return np.array(numbers, dtype=np.int64)

    def decode(self, ids: ArrayLike) -> list[str]:
        """Return the token of each number."""
        numbers = np.asarray(ids)
        if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
            raise ValueError(f"ids must be one row of whole numbers, got {numbers.dtype} {numbers.shape}")
        outside = numbers[(numbers < 0) | (numbers >= len(self))]
        if outside.size:
            raise ValueError(f"ids must be between 0 and {len(self) - 1}, got {outside[0]}")
        return [self.tokens[number] for number in numbers]

    def _number(self, token: str) -> int | None:
        number = self._numbers.get(token)
        return self._numbers.get(token.lower().replace("\u2019", "'")) if number is None else number


def _listed(name: str, tokens: Iterable[str]) -> list[str]:
    if isinstance(tokens, str):
        raise ValueError(f"{name} must be a list of tokens, as split_words gives, got {tokens!r}")
    return list(tokens)


def word_vector(word: str, width: int, seed: int = 0) -> NDArray[np.float64]:
    """Return the standard normal vector that belongs to a word, a width and a seed, and to nothing else.

    Upper and lower case are one word. The length goes in because NumPy fills short seeds up with zeros, and
    without it words that differ only in zeros at their end would share a vector.
    """
    whole("width", width, 1)
    whole("seed", seed, 0)
    folded = normalize("NFC", normalize("NFC", word).casefold()).encode("utf-8", "surrogatepass")
    return np.random.default_rng([width, len(folded), *folded, seed]).standard_normal(width)  # (D,)


def word_vectors(words: Iterable[str], width: int, seed: int = 0) -> NDArray[np.float64]:
    """Return the vectors of all words, one row for each."""
    rows = [word_vector(word, width, seed) for word in _listed("words", words)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), whole("width", width, 1))  # (T, D)


def position_labels(words: Iterable[str]) -> list[str]:
    """Return the words as labels of an axis: one that occurs again carries its position, "the₁ cat the₃"."""
    words = _listed("words", words)
    counts = Counter(words)
    positions = [str(position).translate(SUBSCRIPTS) for position in range(1, len(words) + 1)]
    return [word + position * (counts[word] > 1) for word, position in zip(words, positions, strict=True)]
