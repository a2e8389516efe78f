"""The vocabulary: tokens and their ids."""

from __future__ import annotations  # a class names itself in its annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Tokens

UNKNOWN = "<unk>"


class Vocabulary:
    """The distinct tokens of a model; the id of a token is its index."""

    def __init__(self, tokens: Iterable[str]) -> None:
        """Keep the tokens in order; "<unk>", if it is among them, stands for every unknown token."""
        self.tokens = tuple(tokens)
        for token in self.tokens:
            if not isinstance(token, str):
                raise ValueError(f"tokens must be strings, got {token!r}")
        self._numbers = {token: number for number, token in enumerate(self.tokens)}
        if len(self._numbers) < len(self.tokens):
            raise ValueError(
                f"tokens must be distinct, got {Counter(self.tokens).most_common(1)[0][0]!r} more than once"
            )

    @classmethod
    def of(cls, tokens: Iterable[str], max_size: int) -> Vocabulary:
        """Return the vocabulary of a text: the unknown token, then the most frequent ones as they first appear.

        Of equally frequent tokens the first to appear are kept.
        """
        counts = Counter(tokens)
        counts.pop(UNKNOWN, None)
        frequent = dict(counts.most_common(max_size - 1))
        return cls([UNKNOWN, *(token for token in counts if token in frequent)])

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the tokens in order."""
        return iter(self.tokens)

    def __contains__(self, token: str) -> bool:
        """Return True if `encode` finds the token without the unknown one."""
        return self._number(token) is not None

    def encode(self, tokens: Iterable[str]) -> Tokens:
        """Return the id of each token: as typed, else in lower case, else the unknown token."""
        numbers = []
        for token in listed("tokens", tokens):
            number = self._number(token)
            if number is None:
                number = self._numbers.get(UNKNOWN)
            if number is None:
                raise ValueError(f"tokens must be among the {len(self)} of the vocabulary, got {token!r}")
            numbers.append(number)
        return np.array(numbers, dtype=np.int64)

    def decode(self, ids: ArrayLike) -> list[str]:
        """Return the token of each id."""
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


def listed(name: str, tokens: Iterable[str]) -> list[str]:
    """Return the tokens as a list; raise ValueError for a plain string, which would iterate over characters."""
    if isinstance(tokens, str):
        raise ValueError(f"{name} must be a list of tokens, as split_words gives, got {tokens!r}")
    return list(tokens)
