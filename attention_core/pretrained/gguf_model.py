"""A Llama model from a GGUF file as a model of the course; the package gguf reads the file and its number formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_core.arrays import Array
from attention_core.model.config import Config
from attention_core.model.parameters import Model, shapes
from attention_core.pretrained.stored import Stored, read_parameters, split_name

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
        epsilon=float(f"{given['attention.layer_norm_rms_epsilon']:.6g}"),  # 1e-5 is no number in 32 bits
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
    return config


def llama_parameters(config: Config, tensors: Mapping[str, Any]) -> Model:
    """Return the model with the tensors of a file, in which RoPE rotates neighbours, as here."""
    from gguf.quants import dequantize

    def stored(tensor: Any) -> Stored:
        def rows(wanted: slice) -> Array:
            numbers: Array = dequantize(tensor.data[wanted], tensor.tensor_type)
            return numbers

        return Stored(tensor.name, tuple(map(int, tensor.shape[::-1])), rows)

    left, found = dict(tensors), {}
    for name in shapes(config):
        layer, own = split_name(name)
        found[name] = stored(
            left.pop(f"blk.{layer}.{GGUF_NAMES[own]}.weight" if layer else f"{GGUF_NAMES[own]}.weight")
        )
    if left:
        raise ValueError(f"the file must not contain {next(iter(left))}, which a Llama model lacks")
    return read_parameters(config, found)
