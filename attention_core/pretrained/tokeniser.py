"""Text and ids of a pretrained model: byte-pair encoding by the package tokenizers, as the files describe it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attention_core.text.byte_pairs import visible_piece

CONTROL, USER_DEFINED = 3, 4  # kinds of tokens that stand for themselves


class Tokeniser:
    """The tokeniser of a model: of its JSON, and of the tokens that stand for themselves, such as <|im_start|>."""

    def __init__(self, text: str, special: Iterable[str]) -> None:
        from tokenizers import AddedToken, Tokenizer

        self.text, self.special = text, tuple(special)
        self.plain, self.full = Tokenizer.from_str(text), Tokenizer.from_str(text)
        self.full.add_special_tokens([AddedToken(token, normalized=False) for token in self.special])
        self.plain.encode_special_tokens = True
        self.of_bytes = "ByteLevel" in json.dumps(json.loads(text)["decoder"])  # or pieces begin with ▁ for a space

    def encode(self, text: str, special: bool = True) -> list[int]:
        """Return the ids of a text; with `special`, tokens such as <|im_start|> in it stand for themselves."""
        found: list[int] = (self.full if special else self.plain).encode(text).ids
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; bytes that are no whole character become �."""
        text: str = self.plain.decode([int(i) for i in ids], skip_special_tokens=False)
        return text

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """Return the text of each token; bytes that are only a part of a character are written as <0xC3>."""
        found = [self.plain.id_to_token(int(i)) or "" for i in ids]
        if self.of_bytes:
            return [piece if piece in self.special else visible_piece(piece) for piece in found]
        return [piece.replace("▁", " ") for piece in found]


def tokeniser_in(folder: Path) -> Tokeniser:
    """Return the tokeniser in a folder, which begins a text with the token with which its model learned to begin."""
    text = (folder / "tokenizer.json").read_text("utf-8")
    return Tokeniser(text, [token["content"] for token in json.loads(text)["added_tokens"] if token["special"]])


def read_tokeniser(metadata: Mapping[str, Any]) -> Tokeniser:
    """Return the tokeniser that the metadata of a GGUF file describe."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    given = {key.removeprefix("tokenizer.ggml."): value for key, value in metadata.items()}
    if given["model"] != "gpt2" or given["pre"] not in ("gpt-2", "smollm") or given.get("add_bos_token"):
        raise ValueError(f"the tokeniser must be that of GPT-2 or SmolLM, got {given['model']}, {given['pre']}")
    tokens = given["tokens"]
    made = Tokenizer(
        models.BPE({token: i for i, token in enumerate(tokens)}, [tuple(pair.split(" ")) for pair in given["merges"]])
    )
    digits = [pre_tokenizers.Digits(individual_digits=True)] if given["pre"] == "smollm" else []
    made.pre_tokenizer = pre_tokenizers.Sequence([*digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    made.decoder = decoders.ByteLevel()
    kinds = zip(tokens, given.get("token_type", ()), strict=False)
    return Tokeniser(made.to_str(), [token for token, kind in kinds if kind in (CONTROL, USER_DEFINED)])
