"""The configuration of a model: sizes and architecture."""

from dataclasses import dataclass, fields
from typing import Any, Literal, cast, get_args, get_origin

import numpy as np

from attention_core.checks import integer, real
from attention_core.equations.activation_functions import Activation
from attention_core.equations.norm import EPSILON
from attention_core.equations.positions import alibi_slopes, check_base

Positions = Literal["sinusoidal", "learned", "rope", "alibi", "none"]
Order = Literal["pre", "post"]
Normalization = Literal["layer", "rms"]
Biases = Literal["none", "qkv", "all"]


@dataclass(frozen=True)
class Config:
    """Everything that determines a model except its parameters."""

    vocab_size: int
    d_model: int
    n_heads: int
    n_layers: int
    max_len: int
    d_ff: int | None = None  # None: 4 * d_model; 0: attention-only blocks
    positions: Positions = "sinusoidal"
    activation: Activation = "gelu"  # in its form by tanh, as GPT-2 has it; "gelu_erf" is up to 0.0005 away
    norm: Order = "pre"
    alibi_slopes: tuple[float, ...] | None = None  # one for each head, used with any `positions`
    causal: bool = True
    dropout: float = 0.0
    normalization: Normalization = "layer"
    gated: bool = False  # a gated feed-forward layer, without biases; a Llama has it with "silu"
    n_groups: int | None = None  # of heads that share keys and values; None: each head has its own
    tied: bool = True  # whether the token embedding is also the output matrix
    rope_base: float = 10000.0
    window: int | None = None  # of keys that a query may attend to, its own and those before it; None: all
    attention_biases: Biases = "none"  # "qkv": as Qwen2; "all": of the output too, as GPT-2
    epsilon: float = EPSILON  # added to the variance by every norm

    def __post_init__(self) -> None:
        """Validate every field and convert it to its declared type."""
        put = object.__setattr__  # a frozen dataclass allows no plain assignment
        for field in fields(self):
            name, kind, value = field.name, field.type, getattr(self, field.name)
            if kind is int:
                put(self, name, integer(name, value, 1))
            elif kind is bool and not isinstance(value, bool):
                raise ValueError(f"{name} must be True or False, got {value!r}")
            elif get_origin(kind) is Literal and str(value) not in get_args(kind):
                raise ValueError(f"{name} must be one of {', '.join(get_args(kind))}, got {value!r}")
        put(self, "d_ff", 4 * self.d_model if self.d_ff is None else integer("d_ff", self.d_ff, 0))
        if self.d_model % self.n_heads:
            raise ValueError(f"n_heads must divide d_model, got n_heads {self.n_heads} and d_model {self.d_model}")
        if self.positions == "rope" and self.d_head % 2:
            raise ValueError(f"rope rotates pairs: d_model / n_heads must be even, got {self.d_model} / {self.n_heads}")
        if self.n_groups is not None:
            put(self, "n_groups", integer("n_groups", self.n_groups, 1))
            if self.n_heads % self.groups:
                raise ValueError(f"n_groups must divide n_heads, got {self.n_groups} and n_heads {self.n_heads}")
        if self.window is not None:
            put(self, "window", integer("window", self.window, 1))
            if not self.causal:
                raise ValueError("window needs a causal model, got causal False")
        put(self, "rope_base", check_base(self.rope_base, "rope_base"))
        put(self, "epsilon", real("epsilon", self.epsilon, "a finite number above 0", lambda value: value > 0))
        put(self, "dropout", real("dropout", self.dropout, "in [0, 1)", lambda rate: 0 <= rate < 1))
        if self.alibi_slopes is not None:
            put(self, "alibi_slopes", checked_slopes(self.alibi_slopes, self.n_heads))

    @property
    def d_head(self) -> int:
        """Return the width of a head."""
        return self.d_model // self.n_heads

    @property
    def d_hidden(self) -> int:
        """Return the width inside the feed-forward layer; 0 without one."""
        return cast(int, self.d_ff)  # __post_init__ has replaced None

    @property
    def groups(self) -> int:
        """Return the number of groups of heads; each has one set of keys and values."""
        return self.n_groups or self.n_heads

    @property
    def slopes(self) -> tuple[float, ...] | None:
        """Return the slope of each head's distance bias; None without a bias."""
        if self.alibi_slopes is None and self.positions == "alibi":
            return tuple(float(s) for s in alibi_slopes(self.n_heads))
        return self.alibi_slopes


def checked_slopes(slopes: Any, n_heads: int) -> tuple[float, ...]:
    """Return the slopes as floats; raise ValueError unless there is one finite slope of at least 0 for each head."""
    if not isinstance(slopes, list | tuple | np.ndarray) or len(slopes) != n_heads:
        raise ValueError(f"alibi_slopes must be {n_heads} numbers, one a head, got {slopes!r}")
    return tuple(real("alibi_slopes", s, "finite numbers of at least 0", lambda value: value >= 0) for s in slopes)
