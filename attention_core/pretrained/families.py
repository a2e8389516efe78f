"""The families of models in Hugging Face's layout: for each the names of its arrays, and the config of the course."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_core.model.config import Config
from attention_core.pretrained.stored import ARRAY_NAMES

FAMILIES = {"gpt2": ARRAY_NAMES["gpt2"]} | {
    family: ARRAY_NAMES["llama"] | ARRAY_NAMES[family] for family in ("llama", "qwen2", "gemma")
}
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
