"""A Llama model from a GGUF file as a model of the course; the package gguf reads the file and its number formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_core.equations.norm import EPSILON
from attention_core.model.config import Config
from attention_core.model.parameters import Model, n_parameters, named_arrays

ROWS_READ = 1 << 6  # of a matrix at a time: what becomes of them on the way stays in the processor's cache
GGUF_NAMES = {  # of the arrays in a file
    "token_embedding": "token_embd",
    "output": "output",
    "final_norm.gain": "output_norm",
    "norm1.gain": "attn_norm",
    "attention.w_q": "attn_q",
    "attention.w_k": "attn_k",
    "attention.w_v": "attn_v",
    "attention.w_o": "attn_output",
    "norm2.gain": "ffn_norm",
    "feed_forward.w_gate": "ffn_gate",
    "feed_forward.w_up": "ffn_up",
    "feed_forward.w_down": "ffn_down",
}


def llama_config(metadata: Mapping[str, Any], tied: bool) -> Config:
    """Return the config that the metadata of a file describe; raise ValueError where it needs another model."""
    given = {key.removeprefix("llama."): value for key, value in metadata.items()}
    config = Config(
        vocab_size=len(metadata["tokenizer.ggml.tokens"]),
        d_model=given["embedding_length"],
        n_heads=given["attention.head_count"],
        n_layers=given["block_count"],
        max_len=given["context_length"],
        d_ff=given["feed_forward_length"],
        positions="rope",
        activation="silu",
        normalization="rms",
        gated=True,
        n_groups=given.get("attention.head_count_kv"),
        tied=tied,
        rope_base=given.get("rope.freq_base", 10000.0),
    )
    expected = {
        "general.architecture": "llama",
        "rope.scaling.type": "none",
        "rope.dimension_count": config.d_head,
        "attention.key_length": config.d_head,
        "attention.value_length": config.d_head,
    }
    for key, value in expected.items():
        if given.get(key, value) != value:
            raise ValueError(f"{key} must be {value}, got {given[key]}")
    if not np.isclose(given["attention.layer_norm_rms_epsilon"], EPSILON):
        raise ValueError(f"epsilon must be {EPSILON}, got {given['attention.layer_norm_rms_epsilon']}")
    return config


def read_parameters(config: Config, tensors: Mapping[str, Any]) -> Model:
    """Return the model with the tensors of a file as float32, each once in memory.

    A file has its matrices as (outputs, inputs), and RoPE rotates neighbours in it, as here.
    """
    from gguf.quants import dequantize

    left = dict(tensors)
    model = Model.of(config, np.empty(n_parameters(config), np.float32))
    for name, array in named_arrays(model).items():
        _, layer, own = name.split(".", 2) if name.startswith("blocks.") else ("", "", name)
        tensor = left.pop(f"blk.{layer}.{GGUF_NAMES[own]}.weight" if layer else f"{GGUF_NAMES[own]}.weight")
        out = array.T if layer and array.ndim == 2 else array
        if (shape := tuple(map(int, tensor.shape[::-1]))) != out.shape:
            raise ValueError(f"{tensor.name} must have shape {out.shape}, got {shape}")
        for start in range(0, len(out), ROWS_READ):
            rows = slice(start, start + ROWS_READ) if out.ndim == 2 else slice(None)
            numbers = dequantize(tensor.data[rows], tensor.tensor_type)
            if not np.isfinite(numbers).all():
                raise ValueError(f"{tensor.name} must contain finite numbers")
            out[rows] = numbers
    if left:
        raise ValueError(f"the file must not contain {next(iter(left))}, which a Llama model lacks")
    return model
