"""The families of models in Hugging Face's layout: for each the names of its arrays, and the config of the course."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_core.model.config import Config

GPT2 = {  # (inputs, outputs), unlike the others; queries, keys and values in one
    "token_embedding": "wte.weight",
    "position_embedding": "wpe.weight",
    "norm1.gain": "h.{}.ln_1.weight",
    "norm1.bias": "h.{}.ln_1.bias",
    **{f"attention.w_{part}": "h.{}.attn.c_attn.weight" for part in "qkv"},
    **{f"attention.b_{part}": "h.{}.attn.c_attn.bias" for part in "qkv"},
    "attention.w_o": "h.{}.attn.c_proj.weight",
    "attention.b_o": "h.{}.attn.c_proj.bias",
    "norm2.gain": "h.{}.ln_2.weight",
    "norm2.bias": "h.{}.ln_2.bias",
    "feed_forward.w1": "h.{}.mlp.c_fc.weight",
    "feed_forward.b1": "h.{}.mlp.c_fc.bias",
    "feed_forward.w2": "h.{}.mlp.c_proj.weight",
    "feed_forward.b2": "h.{}.mlp.c_proj.bias",
    "final_norm.gain": "ln_f.weight",
    "final_norm.bias": "ln_f.bias",
    "output": "lm_head.weight",
}
LLAMA = {  # RoPE rotates entry j with entry j + K / 2
    "token_embedding": "embed_tokens.weight",
    "norm1.gain": "layers.{}.input_layernorm.weight",
    "attention.w_q": "layers.{}.self_attn.q_proj.weight",
    "attention.w_k": "layers.{}.self_attn.k_proj.weight",
    "attention.w_v": "layers.{}.self_attn.v_proj.weight",
    "attention.w_o": "layers.{}.self_attn.o_proj.weight",
    "norm2.gain": "layers.{}.post_attention_layernorm.weight",
    "feed_forward.w_gate": "layers.{}.mlp.gate_proj.weight",
    "feed_forward.w_up": "layers.{}.mlp.up_proj.weight",
    "feed_forward.w_down": "layers.{}.mlp.down_proj.weight",
    "final_norm.gain": "norm.weight",
    "output": "lm_head.weight",
}
QWEN2 = LLAMA | {f"attention.b_{part}": f"layers.{{}}.self_attn.{part}_proj.bias" for part in "qkv"}
GEMMA = LLAMA | {"output": "embed_tokens.weight"}  # it reads the embedding scaled, and writes by it as it is
FAMILIES = {"gpt2": GPT2, "llama": LLAMA, "qwen2": QWEN2, "gemma": GEMMA}
CALLED_HERE = {"gelu_new": "gelu", "gelu_pytorch_tanh": "gelu", "gelu": "gelu_erf", "relu": "relu", "silu": "silu"}
NOT_TAKEN_OVER = {  # whatever says otherwise describes another model
    **dict.fromkeys(("scale_attn_by_inverse_layer_idx", "add_cross_attention", "attention_bias", "mlp_bias"), False),
    **dict.fromkeys(("use_sliding_window", "is_encoder_decoder"), False),
    "scale_attn_weights": True,
    "partial_rotary_factor": 1.0,
}


def family_of(given: Mapping[str, Any]) -> str:
    """Return the family of a model; raise ValueError if it is none of those that are known."""
    kind = given.get("model_type")
    if kind not in FAMILIES:
        raise ValueError(f"model_type must be one of {', '.join(FAMILIES)}, got {kind!r}")
    return str(kind)


def config_of_folder(given: Mapping[str, Any]) -> Config:
    """Return the config that a config.json describes; raise ValueError where it needs another model."""
    family = family_of(given)
    for name, value in NOT_TAKEN_OVER.items():
        if given.get(name, value) not in (value, None):
            raise ValueError(f"{name} must be {value}, got {given[name]}")
    tied = given.get("tie_word_embeddings", family in ("gpt2", "gemma"))
    if family == "gpt2":
        return Config(
            given["vocab_size"],
            given["n_embd"],
            given["n_head"],
            given["n_layer"],
            given["n_positions"],
            given.get("n_inner"),
            positions="learned",
            activation=activation_of(given["activation_function"]),
            attention_biases="all",
            tied=tied,
            epsilon=given["layer_norm_epsilon"],
        )
    config = Config(
        given["vocab_size"],
        given["hidden_size"],
        given["num_attention_heads"],
        given["num_hidden_layers"],
        given["max_position_embeddings"],
        given["intermediate_size"],
        positions="rope",
        activation="gelu"
        if family == "gemma"
        else activation_of(given["hidden_act"]),  # in older files of Gemma “gelu”
        normalization="rms",
        gated=True,
        n_groups=given.get("num_key_value_heads"),
        attention_biases="qkv" if family == "qwen2" else "none",
        tied=tied and family != "gemma",
        rope_base=rope_base(given),
        epsilon=given["rms_norm_eps"],
    )
    if given.get("head_dim") not in (config.d_head, None):
        wanted = f"{config.d_head}, hidden_size / num_attention_heads"
        raise ValueError(f"head_dim must be {wanted}, got {given['head_dim']}: heads of another width are not offered")
    if not tied and family == "gemma":
        raise ValueError("tie_word_embeddings must be true in a Gemma, got false")
    if {*(given.get("layer_types") or ())} - {"full_attention"}:
        raise ValueError(f"layer_types must be full_attention, got {given['layer_types']}")
    return config


def activation_of(name: str) -> Any:
    """Return how the course calls an activation."""
    if name not in CALLED_HERE:
        raise ValueError(f"the activation must be one of {', '.join(CALLED_HERE)}, got {name!r}")
    return CALLED_HERE[name]


def rope_base(given: Mapping[str, Any]) -> float:
    """Return the base of RoPE, which newer files keep with its kind; raise ValueError if its angles are scaled."""
    rope = given.get("rope_parameters") or given.get("rope_scaling") or {}
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind != "default":
        raise ValueError(f"rope_type must be default, got {kind!r}: scaled angles are not offered")
    return float(rope.get("rope_theta", given.get("rope_theta", 10000.0)))
