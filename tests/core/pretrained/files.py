"""A tiny Llama model in a GGUF file, written by the package gguf, whose every number is known."""

import math
from pathlib import Path
from typing import Any, NamedTuple

import gguf
import numpy as np

from attention_core.text.byte_pairs import ALPHABET

MERGES = ["h e", "l l", "he ll", "hell o", "Ġ hello", "Ġ t", "1 2", "Ã ©", "Ġ Ġ"]
TOKENS = ["<|end|>", "<|start|>", *ALPHABET, *(merge.replace(" ", "") for merge in MERGES)]
WIDTH, HEADS, HIDDEN = 24, 6, 13


class Tiny(NamedTuple):
    path: Path
    metadata: dict[str, Any]
    numbers: dict[str, np.ndarray]


def write_tiny(path: Path, n_groups: int = 2, tied: bool = True, layers: int = 2) -> Tiny:
    metadata = {
        "llama.block_count": layers,
        "llama.context_length": 61,
        "llama.embedding_length": WIDTH,
        "llama.feed_forward_length": HIDDEN,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": n_groups,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 500.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.token_type": [3, 3] + [1] * (len(TOKENS) - 2),
        "tokenizer.ggml.merges": MERGES,
        "tokenizer.ggml.eos_token_id": 0,
    }
    shared = n_groups * WIDTH // HEADS
    block = {"attn_norm": (WIDTH,), "ffn_norm": (WIDTH,), "ffn_down": (WIDTH, HIDDEN), "attn_output": (WIDTH, WIDTH)}
    block |= dict.fromkeys(("ffn_gate", "ffn_up"), (HIDDEN, WIDTH)) | dict.fromkeys(
        ("attn_k", "attn_v"), (shared, WIDTH)
    )
    block |= {"attn_q": (WIDTH, WIDTH)}
    tables = dict.fromkeys(["token_embd"] if tied else ["token_embd", "output"], (len(TOKENS), WIDTH))
    shapes = tables | {"output_norm": (WIDTH,)}
    shapes |= {f"blk.{layer}.{name}": shape for layer in range(layers) for name, shape in block.items()}
    rng = np.random.default_rng(0)
    numbers = {
        f"{name}.weight": rng.standard_normal(shape).astype(np.float32)
        * (1.5 / math.sqrt(shape[-1]) if shape[1:] else 1)
        for name, shape in shapes.items()
    }
    write(path, metadata, numbers)
    return Tiny(path, metadata, {name: array.astype(np.float64) for name, array in numbers.items()})


def write(path: Path, metadata: dict[str, Any], numbers: dict[str, np.ndarray]) -> None:
    writer = gguf.GGUFWriter(path, "llama")
    for key, value in metadata.items():
        if isinstance(value, list):
            writer.add_array(key, value)
        elif value is not None:
            {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}[type(value)](key, value)
    for name, array in numbers.items():
        writer.add_tensor(name, np.ascontiguousarray(array, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
