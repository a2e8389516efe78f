"""A Llama model from a GGUF file as a model of the course; the package gguf reads the file and its number formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_core.model.config import Config
from attention_core.model.parameters import Model
from attention_core.pretrained.stored import Stored, read_parameters

GGUF_NAMES = {  # of the arrays in a file
    "token_embedding": "token_embd.weight",
    "output": "output.weight",
    "final_norm.gain": "output_norm.weight",
    "norm1.gain": "blk.{}.attn_norm.weight",
    "attention.w_q": "blk.{}.attn_q.weight",
    "attention.w_k": "blk.{}.attn_k.weight",
    "attention.w_v": "blk.{}.attn_v.weight",
    "attention.w_o": "blk.{}.attn_output.weight",
    "norm2.gain": "blk.{}.ffn_norm.weight",
    "feed_forward.w_gate": "blk.{}.ffn_gate.weight",
    "feed_forward.w_up": "blk.{}.ffn_up.weight",
    "feed_forward.w_down": "blk.{}.ffn_down.weight",
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

    def stored(_: str, tensor: Any) -> Stored:
        return tuple(map(int, tensor.shape[::-1])), lambda rows: dequantize(tensor.data[rows], tensor.tensor_type)

    return read_parameters(config, GGUF_NAMES, tensors, stored)
