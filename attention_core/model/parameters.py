"""The parameters of a model: names, shapes and layout in one flat vector."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import integer
from attention_core.equations.feed_forward import FeedForward
from attention_core.equations.heads import Heads, split_qkv
from attention_core.equations.norm import Norm
from attention_core.model.config import Config


class Block(NamedTuple):
    """The parameters of one block, or their gradients."""

    attention: Heads
    feed_forward: FeedForward | None  # None where d_ff is 0
    norm1: Norm
    norm2: Norm | None  # None where d_ff is 0


class Parameters(NamedTuple):
    """All parameters of a model, which are views into one flat vector, or their gradients."""

    token_embedding: Array  # (V, D)
    position_embedding: Array | None  # (max_len, D), for learned positions
    blocks: tuple[Block, ...]
    final_norm: Norm
    output: Array | None = None  # (V, D), the output matrix where it is not the token embedding

    @property
    def unembedding(self) -> Array:
        """Return the unembedding, transposed (V, D): the token embedding, unless there is another matrix."""
        return self.token_embedding if self.output is None else self.output


@dataclass(frozen=True, eq=False)
class Model:
    """A config and its parameters: one flat vector and named views into it."""

    config: Config
    flat: Array  # (P,)
    n_matrix: int  # length of the first part of `flat`, which holds all matrices
    parameters: Parameters

    @classmethod
    def of(cls, config: Config, flat: Array) -> Model:
        """Return the model with this vector as its parameters, laid out as in `arrange`."""
        parameters, n_matrix = arrange(config, flat)
        return cls(config, flat, n_matrix, parameters)


def arrange(config: Config, flat: Array) -> tuple[Parameters, int]:
    """Return the parameters as views into a flat vector, and how many numbers the matrices take.

    With one vector, AdamW needs a dozen passes in all, not a dozen for each array. The matrices come first because only
    they decay.
    """
    position = 0

    def take(*shape: int) -> Array:
        nonlocal position
        start, position = position, position + math.prod(shape)
        return flat[start:position].reshape(shape)

    width, hidden, layers = config.d_model, config.d_hidden, range(config.n_layers)
    token_embedding = take(config.vocab_size, width)
    position_embedding = take(config.max_len, width) if config.positions == "learned" else None
    shared = config.groups * config.d_head
    matrices = [(take(width, width + 2 * shared), take(width, width)) for _ in layers]
    out_and_back = [(take(width, hidden * (1 + config.gated)), take(hidden, width)) for _ in layers if hidden]
    output = None if config.tied else take(config.vocab_size, width)
    n_matrix = position
    blocks = []

    def bias(wanted: bool, size: int = width) -> Array | None:
        return take(size) if wanted else None

    def norm() -> Norm:
        return Norm(take(width), bias(config.normalization == "layer"))

    for layer in layers:
        b_qkv = bias(config.attention_biases != "none", width + 2 * shared)
        heads, norm1 = Heads(*matrices[layer], b_qkv, bias(config.attention_biases == "all")), norm()
        feed, norm2 = None, None
        if hidden:
            norm2, (w1, w2) = norm(), out_and_back[layer]
            feed = FeedForward(w1, bias(not config.gated, hidden), w2, bias(not config.gated))
        blocks.append(Block(heads, feed, norm1, norm2))
    return Parameters(token_embedding, position_embedding, tuple(blocks), norm(), output), n_matrix


class Parts(NamedTuple):
    """The number of parameters in each part of a model."""

    token_embedding: int  # with the output matrix, where that is another one
    position_embedding: int
    attention: int
    feed_forward: int
    norms: int


def parameter_parts(config: Config) -> Parts:
    """Return the number of parameters in each part, by formula: a file may claim a billion layers."""
    width, hidden, layers, shared = config.d_model, config.d_hidden, config.n_layers, config.groups * config.d_head
    matrices = (3 if config.gated else 2) * width * hidden
    biases = 0 if config.gated else hidden + width
    attention = 2 * width * (width + shared)
    attention += {"none": 0, "qkv": width + 2 * shared, "all": 2 * (width + shared)}[config.attention_biases]
    a_norm = width * (2 if config.normalization == "layer" else 1)
    return Parts(
        token_embedding=config.vocab_size * width * (1 if config.tied else 2),
        position_embedding=config.max_len * width if config.positions == "learned" else 0,
        attention=layers * attention,
        feed_forward=layers * (matrices + biases) if hidden else 0,
        norms=a_norm * (layers * (2 if hidden else 1) + 1),
    )


def n_parameters(config: Config) -> int:
    """Return the number of parameters of a config, without allocating them."""
    return sum(parameter_parts(config))


def named(parameters: Parameters) -> dict[str, Array]:
    """Return {public name: array}; the arrays are views, so writing into one changes the model."""
    arrays = {name: getattr(parameters, name) for name in ("token_embedding", "position_embedding")}
    for i, block in enumerate(parameters.blocks):
        w_qkv, w_o, b_qkv, b_o = block.attention
        own: dict[str, Array | None] = dict(zip(("w_q", "w_k", "w_v"), split_qkv(w_qkv, len(w_o)), strict=True))
        own |= {"w_o": w_o, "b_o": b_o}
        if b_qkv is not None:
            own |= zip(("b_q", "b_k", "b_v"), split_qkv(b_qkv, len(w_o)), strict=True)
        parts: dict[str, dict[str, Array | None]] = {"attention": own}
        parts |= {name: part._asdict() for name in ("norm1", "norm2", "feed_forward") if (part := getattr(block, name))}
        if (feeds := block.feed_forward) and feeds.w1.shape[1] > len(feeds.w2):
            gate, up = np.split(feeds.w1, 2, axis=1)
            parts["feed_forward"] = {"w_gate": gate, "w_up": up, "w_down": feeds.w2}
        arrays |= {f"blocks.{i}.{part}.{name}": array for part, own in parts.items() for name, array in own.items()}
    arrays |= {f"final_norm.{name}": array for name, array in parameters.final_norm._asdict().items()}
    arrays |= {"output": parameters.output}
    return {name: array for name, array in arrays.items() if array is not None}


def arrays_of(parts: Iterable[Any]) -> Iterator[Array]:
    """Yield the arrays of parameters, of some of them or of their gradients."""
    for part in parts:
        if isinstance(part, tuple):
            yield from arrays_of(part)
        elif part is not None:
            yield part


def sum_into(total: Parameters, gradients: Iterable[Parameters]) -> None:
    """Write the sum of gradients into the arrays of `total`, which may be views into one vector."""
    for own, first, *others in zip(arrays_of(total), *map(arrays_of, gradients), strict=True):
        own[...] = first
        for other in others:
            own += other


def named_arrays(model: Model) -> dict[str, Array]:
    """Return {name: array} of a model; the arrays are views, so writing into one changes the model."""
    return named(model.parameters)


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Return {name: shape} of a config, without allocating a model."""
    nothing = np.broadcast_to(np.float32(0), n_parameters(config))  # the length of the real vector in 4 bytes of memory
    return {name: array.shape for name, array in named(arrange(config, nothing)[0]).items()}


def init_model(config: Config, seed: int = 0, dtype: Any = np.float32) -> Model:
    """Return a model with random matrices of standard deviation 1/√(rows), zero biases and unit gains.

    The matrices that write into the residual stream are scaled by 1/√(2 * layers), so that the stream does not grow
    with depth.

    >>> model = init_model(Config(vocab_size=5, d_model=4, n_heads=2, n_layers=1, max_len=8))
    >>> named_arrays(model)["blocks.0.attention.w_q"].shape, model.flat.size
    ((4, 4), 256)
    """
    kind = getattr(dtype, "__name__", str(dtype))
    if kind not in ("float32", "float64"):
        raise ValueError(f"dtype must be float32 or float64, got {kind}")
    rng = np.random.default_rng(integer("seed", seed, 0))
    model = Model.of(config, np.zeros(n_parameters(config), kind))
    for name, array in named_arrays(model).items():
        if name.endswith(".gain"):
            array[...] = 1
        elif array.ndim == 2:
            fan_in = config.d_model if name.endswith(("embedding", "output")) else len(array)
            writes = name.endswith(("w_o", "w2", "w_down"))
            array[...] = rng.standard_normal(array.shape) / math.sqrt(fan_in * (2 * config.n_layers if writes else 1))
    return model
