"""A pretrained model and its tokeniser: text to ids, ids to logits, attention, all activations, and new ids."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import regular, whole
from attention_core.model.generate import choose, sampling_source
from attention_core.pretrained.gguf_file import read_gguf
from attention_core.pretrained.llama import KeyValueCache, LayerHeads, run_blocks, run_cached, unembed_stream
from attention_core.pretrained.llama_block import inverse_rms
from attention_core.pretrained.llama_parameters import LlamaConfig, LlamaParameters, read_llama, read_llama_config
from attention_core.pretrained.tokeniser import PretrainedTokeniser, read_tokeniser
from attention_core.text.byte_pairs import visible_bytes

MAX_MODEL = 2 << 30  # bytes of float32 parameters
MAX_RESULT = 1 << 29  # bytes of logits, or of the attention weights of all layers


class LlamaInsides(NamedTuple):
    """All activations between the ids and the logits; layers are the first axis."""

    tokens: list[int]  # T ids
    stream: Array  # (L + 1, T, D), the residual stream before the first block and after each block
    attention_input: Array  # (L, T, D), after RMSNorm
    queries: Array  # (L, H, T, K), after RoPE
    keys: Array  # (L, G, T, K), after RoPE; head h uses group h // (H / G)
    values: Array  # (L, G, T, K), likewise
    weights: Array  # (L, H, T, T)
    head_outputs: Array  # (L, H, T, K), before W_O
    attention_adds: Array  # (L, T, D), the sum of what the heads write
    middle: Array  # (L, T, D), the residual stream between attention and MLP
    mlp_input: Array  # (L, T, D), after RMSNorm
    mlp_adds: Array  # (L, T, D)
    final: Array  # (T, D), after the final RMSNorm
    final_scale: Array  # (T, 1), what the final RMSNorm multiplies a row with, before its gain
    logits: Array  # (T, V)


@dataclass(frozen=True, eq=False)
class PretrainedModel:
    """A Llama model with its tokeniser. Nothing in it changes, so threads can use it together.

    `without` names heads (layer, head) that are switched off: their outputs are zero.
    """

    config: LlamaConfig
    parameters: LlamaParameters
    tokeniser: PretrainedTokeniser

    def encode(self, text: str, special: bool = True) -> list[int]:
        """Return the ids of a text; with `special`, tokens such as <|im_start|> in it stand for themselves."""
        return self.tokeniser.encode(text, special)

    def decode(self, ids: ArrayLike) -> str:
        """Return the text of ids; bytes that are no whole character become �."""
        return self.tokeniser.decode(regular("ids", ids).tolist())

    def pieces(self, ids: ArrayLike) -> list[str]:
        """Return the text of each token; bytes that are only a part of a character are written as <0xC3>."""
        return [visible_bytes(self.tokeniser.bytes_of(token)) for token in regular("ids", ids).tolist()]

    @property
    def end(self) -> int | None:
        """The id that ends a text, if the file names one."""
        return self.tokeniser.end

    def logits(self, ids: ArrayLike, without: LayerHeads = ()) -> Array:
        """Return the logits (T, V) of the token after each position."""
        tokens, off = self.checked(ids), self.checked_heads(without)
        check_size(len(tokens) * self.config.vocab_size, "logits")
        with np.errstate(over="ignore", invalid="ignore"):
            stream = run_cached(self.parameters, self.config, tokens, KeyValueCache(self.config, len(tokens)), off)
            return finite(unembed_stream(self.parameters, self.config, stream))

    def attention(self, ids: ArrayLike, without: LayerHeads = ()) -> Array:
        """Return the attention weights (L, H, T, T) of all heads."""
        tokens, off = self.checked_for_attention(ids), self.checked_heads(without)
        with np.errstate(over="ignore", invalid="ignore"):
            blocks = run_blocks(self.parameters, self.config, tokens, without=off)
            return finite(np.stack([block.weights for block in blocks]))

    def insides(self, ids: ArrayLike, without: LayerHeads = ()) -> LlamaInsides:
        """Return all activations of a forward pass."""
        tokens, off = self.checked_for_attention(ids), self.checked_heads(without)
        check_size(len(tokens) * self.config.vocab_size, "logits")
        with np.errstate(over="ignore", invalid="ignore"):
            blocks = list(run_blocks(self.parameters, self.config, tokens, without=off))
            last = blocks[-1].out
            scale = inverse_rms(last, self.config.epsilon)
            final = last * scale * self.parameters.final_gain
            logits = finite(final @ self.parameters.unembedding)
        return LlamaInsides(
            tokens=tokens,
            stream=np.stack([blocks[0].x, *(block.out for block in blocks)]),
            attention_input=np.stack([block.attention_input for block in blocks]),
            queries=np.stack([block.queries for block in blocks]),
            keys=np.stack([block.keys for block in blocks]),
            values=np.stack([block.values for block in blocks]),
            weights=np.stack([block.weights for block in blocks]),
            head_outputs=np.stack([block.head_outputs for block in blocks]),
            attention_adds=np.stack([block.attention_adds for block in blocks]),
            middle=np.stack([block.middle for block in blocks]),
            mlp_input=np.stack([block.mlp_input for block in blocks]),
            mlp_adds=np.stack([block.mlp_adds for block in blocks]),
            final=final,
            final_scale=scale,
            logits=logits,
        )

    def head_writes(self, inside: LlamaInsides, layer: int) -> Array:
        """Return what each head of a layer adds to the residual stream (H, T, D); their sum is attention_adds."""
        outputs = inside.head_outputs[whole("layer", layer, 0, self.config.n_layers - 1)]  # (H, T, K)
        w_o = self.parameters.blocks[layer].w_o
        return outputs @ w_o.reshape(self.config.n_heads, self.config.d_head, self.config.d_model)

    def unembed(self, stream: Array) -> Array:
        """Return the logits (..., V) of a residual stream (..., D) as if no block followed: the logit lens."""
        if stream.shape[-1:] != (self.config.d_model,):
            raise ValueError(f"stream must be d_model {self.config.d_model} wide, got shape {stream.shape}")
        check_size(stream.size // self.config.d_model * self.config.vocab_size, "logits")
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(unembed_stream(self.parameters, self.config, stream))

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

        It goes on after the end of a text: stop at `model.end` where that is wanted.
        """
        tokens, rng = self.checked(ids), sampling_source(temperature, top_k, top_p, seed)
        if len(tokens) + whole("steps", steps, 0) > self.config.max_len:
            raise ValueError(f"ids and steps must be at most {self.config.max_len} tokens, got {len(tokens)} + {steps}")
        return self.run(tokens, steps, temperature, top_k, top_p, rng)

    def run(
        self,
        tokens: list[int],
        steps: int,
        temperature: float,
        top_k: int | None,
        top_p: float | None,
        rng: np.random.Generator,
    ) -> Iterator[int]:
        """Yield new ids; a KV cache holds what the next one needs of all before it."""
        cache = KeyValueCache(self.config, len(tokens) + steps)
        for _ in range(steps):
            with np.errstate(over="ignore", invalid="ignore"):
                stream = run_cached(self.parameters, self.config, tokens, cache)
                logits = finite(unembed_stream(self.parameters, self.config, stream[-1:]))[0]  # (V,)
            token = int(logits.argmax())
            if temperature > 0:
                token = choose(logits, temperature, top_k, top_p, rng.random(), len(tokens)).token
            yield token
            tokens = [token]

    def checked(self, ids: ArrayLike) -> list[int]:
        """Return ids as a list; raise ValueError unless there are some, they are known and they fit the context."""
        array = regular("ids", ids)
        if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
            raise ValueError(f"ids must be a list of at least one token id, got {array.dtype} of shape {array.shape}")
        if array.size > self.config.max_len:
            raise ValueError(f"ids must be at most {self.config.max_len} tokens, got {array.size}")
        if array.min() < 0 or array.max() >= self.config.vocab_size:
            raise ValueError(
                f"ids must be between 0 and {self.config.vocab_size - 1}, got {array.min()} to {array.max()}"
            )
        return [int(i) for i in array]

    def checked_for_attention(self, ids: ArrayLike) -> list[int]:
        """Return ids as a list; raise ValueError if their attention weights take too much memory."""
        tokens = self.checked(ids)
        check_size(self.config.n_layers * self.config.n_heads * len(tokens) ** 2, "attention weights")
        return tokens

    def checked_heads(self, without: LayerHeads) -> LayerHeads:
        """Return heads that are switched off; raise ValueError if the model does not have one of them."""
        for layer, head in without:
            whole("layer", layer, 0, self.config.n_layers - 1), whole("head", head, 0, self.config.n_heads - 1)
        return without


def check_size(n_numbers: int, what: str) -> None:
    """Raise ValueError if a result takes too much memory."""
    if 4 * n_numbers > MAX_RESULT:
        raise ValueError(f"ids must be so few that {what} take at most {MAX_RESULT:,} bytes, got {4 * n_numbers:,}")


def finite(result: Array) -> Array:
    """Return the result; raise ValueError if the parameters are so large that it is not finite."""
    if not np.isfinite(result).all():
        raise ValueError("parameters must be small enough for float32, got a result that is not finite")
    return result


def open_gguf(path: str | os.PathLike[str], max_bytes: int = MAX_MODEL) -> PretrainedModel:
    """Return the model in a GGUF file; raise ValueError if the file is damaged or lies, or is another kind of model.

    Everything that the file says is checked before anything large is allocated. A model of more than `max_bytes` as
    float32 is refused.
    """
    file = read_gguf(path)
    tokeniser = read_tokeniser(file.metadata)
    config = read_llama_config(file.metadata, len(tokeniser.tokens))
    return PretrainedModel(config, read_llama(file, config, max_bytes), tokeniser)
