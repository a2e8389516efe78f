"""The units of a text that models read: words, characters, or pieces of byte-pair encoding."""

from attention_core.arrays import Tokens
from attention_core.text.byte_pairs import ALPHABET, BytePairs, visible_piece
from attention_core.text.corpora import Unit, split
from attention_core.text.vocabulary import Vocabulary
from pages.server.model_cache import cached


class Pieces(Vocabulary):
    """The pieces of byte-pair encoding as the text that they stand for, under the same ids."""

    def __init__(self, stored: Vocabulary) -> None:
        """Keep pieces as a model is stored with them."""
        self.byte_pairs = BytePairs(stored.tokens)
        super().__init__(map(visible_piece, stored.tokens))


def as_text(vocabulary: Vocabulary, unit: Unit) -> Vocabulary:
    """Return a vocabulary whose tokens can be read."""
    return cached(Pieces, vocabulary) if unit == "piece" else vocabulary


def tokens_in(text: str, vocabulary: Vocabulary, unit: Unit) -> list[str]:
    """Return the tokens of a text, whether a model knows them or not; pieces it all knows."""
    if isinstance(vocabulary, Pieces):
        return vocabulary.decode(vocabulary.byte_pairs.encode(text.encode(errors="replace").decode()))
    return split(text, unit)


def joined(vocabulary: Vocabulary, ids: Tokens, unit: Unit) -> str:
    """Return ids as one text; pieces that are parts of a character are a character together."""
    if isinstance(vocabulary, Pieces):
        return vocabulary.byte_pairs.decode(ids)
    return (" " if unit == "word" else "").join(vocabulary.decode(ids))


def are_pieces(tokens: tuple[str, ...]) -> bool:
    """Return whether the tokens of a model are pieces: these begin with all bytes."""
    return tokens[: len(ALPHABET)] == ALPHABET
