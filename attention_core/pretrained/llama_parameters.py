"""Sizes and parameters of a Llama model, read from a GGUF file as float32."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import real, whole
from attention_core.pretrained.gguf_file import GGUFFile, Value, check_word

LARGEST_SIZE = 1 << 20  # of any size: far more than a model has, far less than overflows


class LlamaConfig(NamedTuple):
    """The sizes of a Llama model. Each group of query heads has the same keys and values."""

    vocab_size: int
    d_model: int
    n_heads: int
    n_groups: int  # heads of keys and values, G in shapes
    n_layers: int
    max_len: int  # tokens of context
    d_ff: int
    d_head: int
    base: float  # of the wavelengths of RoPE
    epsilon: float  # added to the mean square in RMSNorm


class LlamaBlock(NamedTuple):
    """The parameters of one block; vectors are rows, so a projection is x @ w."""

    attention_gain: Array  # (D,), of the RMSNorm before attention
    w_qkv: Array  # (D, (H + 2 G) K): W_Q, W_K and W_V side by side
    w_o: Array  # (H K, D)
    mlp_gain: Array  # (D,), of the RMSNorm before the MLP
    w_gate_up: Array  # (D, 2 F): W_gate and W_up side by side
    w_down: Array  # (F, D)


class LlamaParameters(NamedTuple):
    """All parameters of a Llama model."""

    token_embedding: Array  # (V, D)
    blocks: tuple[LlamaBlock, ...]
    final_gain: Array  # (D,)
    unembedding: Array  # (D, V), the transposed embedding in a tied model


def read_llama_config(metadata: dict[str, Value], vocab_size: int) -> LlamaConfig:
    """Return the sizes that a file names; raise ValueError if they do not fit together or need another model."""
    check_word(metadata, "general.architecture", ["llama"])
    check_word(metadata, "llama.rope.scaling.type", ["none"], default="none")

    def size(key: str, default: int | None = None) -> int:
        return whole(f"llama.{key}", metadata.get(f"llama.{key}", default), 1, LARGEST_SIZE)

    n_heads, d_model = size("attention.head_count"), size("embedding_length")
    config = LlamaConfig(
        vocab_size=vocab_size,
        d_model=d_model,
        n_heads=n_heads,
        n_groups=size("attention.head_count_kv", n_heads),
        n_layers=size("block_count"),
        max_len=size("context_length"),
        d_ff=size("feed_forward_length"),
        d_head=size("attention.key_length", max(1, d_model // n_heads)),
        base=real(
            "llama.rope.freq_base", metadata.get("llama.rope.freq_base", 10000.0), "at least 1", lambda b: b >= 1
        ),
        epsilon=real(
            "llama.attention.layer_norm_rms_epsilon",
            metadata.get("llama.attention.layer_norm_rms_epsilon"),
            "between 0 and 1, and not 0",
            lambda epsilon: 1e-30 < epsilon < 1,
        ),
    )
    if config.n_heads % config.n_groups:
        raise ValueError(f"{config.n_heads} heads must be a multiple of {config.n_groups} groups of keys and values")
    if config.d_head % 2 or size("rope.dimension_count", config.d_head) != config.d_head:
        raise ValueError(f"llama.rope.dimension_count must be the head width, an even number, got {config.d_head}")
    if size("attention.value_length", config.d_head) != config.d_head:
        raise ValueError(f"llama.attention.value_length must be the width of the keys, {config.d_head}")
    if size("vocab_size", vocab_size) != vocab_size:
        raise ValueError(f"llama.vocab_size must be the number of tokens, {vocab_size:,}")
    return config


def llama_shapes(config: LlamaConfig, tied: bool) -> dict[str, tuple[int, ...]]:
    """Return {name: shape} of the tensors of a file; its matrices are (columns of w, rows of w)."""
    width, hidden = config.d_model, config.d_ff
    queries, keys = config.n_heads * config.d_head, config.n_groups * config.d_head
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (config.vocab_size, width),
        "output_norm.weight": (width,),
    }
    if not tied:
        shapes["output.weight"] = (config.vocab_size, width)
    for i in range(config.n_layers):
        shapes |= {
            f"blk.{i}.attn_norm.weight": (width,),
            f"blk.{i}.attn_q.weight": (queries, width),
            f"blk.{i}.attn_k.weight": (keys, width),
            f"blk.{i}.attn_v.weight": (keys, width),
            f"blk.{i}.attn_output.weight": (width, queries),
            f"blk.{i}.ffn_norm.weight": (width,),
            f"blk.{i}.ffn_gate.weight": (hidden, width),
            f"blk.{i}.ffn_up.weight": (hidden, width),
            f"blk.{i}.ffn_down.weight": (width, hidden),
        }
    return shapes


def check_tensors(file: GGUFFile, config: LlamaConfig, max_bytes: int) -> None:
    """Raise ValueError unless the file has the tensors of the config and no others, and they fit into memory."""
    if 9 * config.n_layers > len(file.tensors):
        raise ValueError(
            f"the file must contain 9 tensors for each of {config.n_layers} layers, got {len(file.tensors)}"
        )
    expected = llama_shapes(config, tied="output.weight" not in file.tensors)
    missing, unknown = sorted(expected.keys() - file.tensors.keys()), sorted(file.tensors.keys() - expected.keys())
    if missing:
        raise ValueError(f"the file must contain {missing[0]}, which is missing")
    if unknown:
        raise ValueError(f"the file must not contain tensors that a Llama model lacks, got {unknown[0][:80]!r}")
    for name, shape in expected.items():
        if file.tensors[name].shape != shape:
            raise ValueError(f"{name} must have shape {shape}, got {file.tensors[name].shape}")
    n_bytes = 4 * sum(int(np.prod(shape)) for shape in expected.values())
    if n_bytes > max_bytes:
        raise ValueError(f"the model must take at most {max_bytes:,} bytes in memory, got {n_bytes:,}")


def read_llama(file: GGUFFile, config: LlamaConfig, max_bytes: int) -> LlamaParameters:
    """Return the parameters of a file as float32, each once in memory."""
    check_tensors(file, config, max_bytes)

    def read(*names: str) -> Array:
        """Return tensors of equal width below each other."""
        rows = [file.tensors[f"{name}.weight"].shape[0] for name in names]
        stacked = np.empty((sum(rows), *file.tensors[f"{names[0]}.weight"].shape[1:]), np.float32)
        for name, part in zip(names, np.split(stacked, np.cumsum(rows)[:-1]), strict=True):
            file.read_into(f"{name}.weight", part)
        return stacked

    blocks = tuple(
        LlamaBlock(
            attention_gain=read(f"blk.{i}.attn_norm"),
            w_qkv=read(*(f"blk.{i}.attn_{letter}" for letter in "qkv")).T,
            w_o=read(f"blk.{i}.attn_output").T,
            mlp_gain=read(f"blk.{i}.ffn_norm"),
            w_gate_up=read(f"blk.{i}.ffn_gate", f"blk.{i}.ffn_up").T,
            w_down=read(f"blk.{i}.ffn_down").T,
        )
        for i in range(config.n_layers)
    )
    embedding = read("token_embd")
    unembedding = read("output").T if "output.weight" in file.tensors else embedding.T
    return LlamaParameters(embedding, blocks, read("output_norm"), unembedding)
