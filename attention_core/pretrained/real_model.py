"""A pretrained model and its tokeniser: text to ids, ids to logits, attention and new ids."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import regular
from attention_core.model.forward import attention_weights, logits
from attention_core.model.generate import choices
from attention_core.model.parameters import Model
from attention_core.pretrained.families import config_of_folder
from attention_core.pretrained.gguf_model import llama_config, llama_parameters
from attention_core.pretrained.hugging_face import arrays_of_folder, family_parameters
from attention_core.pretrained.tokeniser import Tokeniser, read_tokeniser, tokeniser_in


class RealModel(NamedTuple):
    """A model of the course's code with the parameters and the tokeniser of a file."""

    model: Model
    tokeniser: Tokeniser
    end: int | None  # the id that ends a text, if the file names one

    def encode(self, text: str, special: bool = True) -> list[int]:
        """Return the ids of a text; with `special`, tokens such as <|im_start|> in it stand for themselves."""
        return self.tokeniser.encode(text, special)

    def decode(self, ids: ArrayLike) -> str:
        """Return the text of ids; bytes that are no whole character become �."""
        return self.tokeniser.decode(regular("ids", ids).tolist())

    def logits(self, ids: ArrayLike) -> Array:
        """Return the logits (T, V) of the token after each position."""
        return logits(self.model, ids)

    def attention(self, ids: ArrayLike) -> Array:
        """Return the attention weights (L, H, T, T) of all heads."""
        return attention_weights(self.model, ids)

    def generate(
        self,
        ids: ArrayLike,
        steps: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int = 0,
    ) -> Iterator[int]:
        """Return an iterator over the ids of `steps` new tokens; temperature 0 takes the likeliest.

        It goes on after the end of a text: stop at `end` where that is wanted.
        """
        return (choice.token for choice in choices(self.model, ids, steps, temperature, top_k, top_p, seed))


def open_pretrained(path: str | os.PathLike[str]) -> RealModel:
    """Return the model in a GGUF file, or in a folder with safetensors; raise ValueError if it cannot be read."""
    return open_folder(path) if Path(path).is_dir() else open_gguf(path)


def open_folder(path: str | os.PathLike[str]) -> RealModel:
    """Return the model in a folder in Hugging Face's layout: GPT-2, or of the families Llama, Qwen2 and Gemma."""
    folder = Path(path)
    try:
        given = json.loads((folder / "config.json").read_text("utf-8"))
        config, end = config_of_folder(given), given.get("eos_token_id")
        parameters = family_parameters(config, given, arrays_of_folder(folder))
        return RealModel(parameters, tokeniser_in(folder), end[0] if isinstance(end, list) else end)
    except MemoryError:
        raise
    except Exception as problem:
        said = problem if isinstance(problem, OSError | ValueError) else repr(problem)
        raise ValueError(f"path must be that of a model that can be read, got: {said}") from problem


def open_gguf(path: str | os.PathLike[str]) -> RealModel:
    """Return the model in a GGUF file; raise ValueError if it cannot be read, or is another kind of model."""
    from gguf import GGUFReader

    class PlainReader(GGUFReader):
        """A reader that slices a plain array: slices of a memory map take three times as long."""

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, np.asarray(value) if name == "data" else value)

    try:
        file = PlainReader(path)
        metadata = {key: field.contents() for key, field in file.fields.items()}
        tensors = {tensor.name: tensor for tensor in file.tensors}
        del file  # it holds an array for every token
        tokeniser, config = read_tokeniser(metadata), llama_config(metadata, "output.weight" not in tensors)
        return RealModel(llama_parameters(config, tensors), tokeniser, metadata.pop("tokenizer.ggml.eos_token_id"))
    except MemoryError:
        raise
    except Exception as problem:
        raise ValueError(f"path must be that of a Llama model that can be read, got: {problem!r}") from problem
