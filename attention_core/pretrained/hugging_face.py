"""A model in a folder in Hugging Face's layout: config.json, tokenizer.json, and arrays in safetensors files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.arrays import Array
from attention_core.model.config import Config
from attention_core.model.parameters import Model
from attention_core.pretrained.families import FAMILIES, family_of
from attention_core.pretrained.stored import Stored, read_parameters

DTYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}  # BF16: the first half of a float32, which NumPy does not know
OF_QKV = "qkv"  # what GPT-2 keeps in one
LEFT_OUT = (".attn.bias", ".attn.masked_bias", ".rotary_emb.inv_freq")  # masks and angles, which follow from the config


def arrays_of_folder(folder: Path) -> dict[str, Array]:
    """Return the arrays of a folder by their names, as they lie in its files; they are read when they are needed."""
    index, found = folder / "model.safetensors.index.json", {}
    files = {"model.safetensors"}
    if index.is_file():
        files = {*json.loads(index.read_text("utf-8"))["weight_map"].values()}
    for file in sorted(files):
        content = np.memmap(folder / file, np.uint8, "r")
        begin = 8 + int.from_bytes(content[:8].tobytes(), "little")
        for name, entry in json.loads(content[8:begin].tobytes()).items():
            if name != "__metadata__" and not name.endswith(LEFT_OUT):
                if entry["dtype"] not in DTYPES:
                    raise ValueError(f"{name} must be of type {', '.join(DTYPES)}, got {entry['dtype']}")
                start, stop = (begin + place for place in entry["data_offsets"])
                numbers = content[start:stop].view(DTYPES[entry["dtype"]]).reshape(entry["shape"])
                found[name.removeprefix("transformer.").removeprefix("model.")] = numbers
    return found


def widened(numbers: Array) -> Array:
    """Return numbers of a file as float32."""
    if numbers.dtype.kind == "u":
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    return numbers.astype(np.float32)


def neighbours(rows: int, d_head: int) -> Array:
    """Return the order of rows in which the two entries that RoPE rotates together are neighbours in each head."""
    return np.arange(rows).reshape(rows // d_head, 2, d_head // 2).swapaxes(1, 2).reshape(-1)


def family_parameters(config: Config, given: Mapping[str, Any], arrays: Mapping[str, Array]) -> Model:
    """Return the model with the arrays of a folder, in the order and the scale of the course."""
    family, held = family_of(given), dict(arrays)
    if config.tied or family == "gemma":
        held.pop("lm_head.weight", None)  # a file may keep a tied matrix twice

    def stored(own: str, numbers: Array) -> Stored:
        room, _, part = own.rpartition("_")
        order, times, plus = None, np.float32(1), np.float32(0)
        if family == "gpt2" and "." in own:  # in a layer
            numbers = numbers.T
            if part in OF_QKV:
                numbers = np.split(numbers, 3)[OF_QKV.index(part)]
        elif room.startswith("attention") and part in "qk":
            order = neighbours(len(numbers), config.d_head)
        elif family == "gemma" and own.endswith("gain"):
            plus += 1
        elif family == "gemma" and own == "token_embedding":
            times *= np.float32(math.sqrt(config.d_model))
        return numbers.shape, lambda rows: widened(numbers[rows if order is None else order[rows]]) * times + plus

    return read_parameters(config, FAMILIES[family], held, stored)
