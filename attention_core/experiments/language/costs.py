"""Floating-point operations (FLOPs) and memory of a model, by formula (parameters: `parameters.parameter_parts`)."""

from typing import NamedTuple

from attention_core.model.config import Config

GPT_2 = Config(50257, 768, 12, 12, 1024, positions="learned")
GPT_3 = Config(50257, 12288, 96, 96, 2048, positions="learned")


class Operations(NamedTuple):
    """Multiplications and additions in the matrix products of one forward pass over one sequence."""

    projections: int  # Q, K, V and output: 8 T D² a layer
    scores: int  # q kᵀ: 2 T² D a layer
    mixing: int  # weights v: 2 T² D a layer
    feed_forward: int  # 4 T D F a layer
    logits: int  # 2 T D V

    @property
    def total(self) -> int:
        """Return the sum of all products."""
        return sum(self)


def operations(config: Config, length: int) -> Operations:
    """Return the operations of one forward pass: T D² + T² D, so the quadratic term wins for long texts."""
    width, hidden, layers = config.d_model, config.d_hidden, config.n_layers
    return Operations(
        projections=layers * 8 * length * width * width,
        scores=layers * 2 * length * length * width,
        mixing=layers * 2 * length * length * width,
        feed_forward=layers * 4 * length * width * hidden,
        logits=2 * length * width * config.vocab_size,
    )


class Reading(NamedTuple):
    """Operations of processing a text token by token."""

    anew: int  # without the KV cache
    cached: int  # with it


def operations_of_writing(config: Config, n_prompt: int, n_new: int) -> Reading:
    """Return the operations of generating n_new tokens after a prompt, without and with the KV cache.

    Beyond max_len, or in a non-causal model, the cache is invalid and both cost the same.
    """
    lengths = [n_prompt + place for place in range(n_new)]
    anew = [operations(config, min(length, config.max_len)).total for length in lengths]
    one, looks = operations(config, 1).total, config.n_layers * 4 * config.d_model  # per earlier token
    cached = [
        one + looks * (length - 1) if place > 0 and length <= config.max_len and config.causal else anew[place]
        for place, length in enumerate(lengths)
    ]
    return Reading(sum(anew), sum(cached))


def cache_bytes(config: Config, length: int, bits: int = 32) -> int:
    """Return the bytes of the keys and values of all layers: linear in the length, up to a window."""
    held = min(length, config.window or length)
    return config.n_layers * 2 * held * config.groups * config.d_head * bits // 8


def map_bytes(length: int) -> int:
    """Return the bytes of one head's attention weights in 16 bits: T² numbers, 20 GB for 100,000 tokens."""
    return length**2 * 2
