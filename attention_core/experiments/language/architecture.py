"""The parts of a model in the order of the forward pass, with shapes and costs."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.equations.activation_functions import Activation
from attention_core.equations.loss import cross_entropy_forward
from attention_core.equations.softmax import softmax
from attention_core.experiments.language.costs import operations
from attention_core.experiments.language.text_loss import inputs_and_targets
from attention_core.model.config import Config, Order
from attention_core.model.forward import logits, model_forward
from attention_core.model.parameters import Model, named_arrays, shapes

SWITCHED = {"nothing": (), "attention": ("w_o", "b_o"), "MLPs": ("w2", "b2", "w_down")}  # the arrays by which each adds


class Box(NamedTuple):
    """One part of a model: its parameters, its output shape and its cost."""

    name: str
    layer: int  # from 0; -1 outside the layers
    arrays: dict[str, tuple[int, ...]]  # its parameters, by the names of `named_arrays`
    out: tuple[int, ...]  # shape of its output
    operations: int  # of its matrix products, over the whole text

    @property
    def n_parameters(self) -> int:
        """Return the number of parameters."""
        return sum(int(np.prod(shape)) for shape in self.arrays.values())


def boxes(config: Config, length: int) -> list[Box]:
    """Return the parts that a text of `length` tokens passes through; each parameter is in exactly one."""
    known, work, layers = shapes(config), operations(config, length), config.n_layers
    wide, heads, quarter = (length, config.d_model), config.n_heads, work.projections // layers // 4

    def box(name: str, out: tuple[int, ...], own: str = "", layer: int = -1, cost: int = 0) -> Box:
        arrays = {key: shape for key, shape in known.items() if own and key.startswith(tuple(own.split()))}
        return Box(name, layer, arrays, out, cost)

    found = [box("tokens", (length,)), box("embedding", wide, "token_embedding")]
    if config.positions in ("learned", "sinusoidal"):
        found.append(box("positions", wide, "position_embedding"))
    for layer in range(layers):
        start = f"blocks.{layer}."
        attend = [f"{start}attention.{kind}_{letter}" for kind in "wb" for letter in "qkv"]
        looks = [
            box("Q K V", (3, heads, length, config.d_head), " ".join(attend), layer, 3 * quarter),
            box("heads", (heads, length, length), "", layer, (work.scores + work.mixing) // layers),
            box("W_O", wide, f"{start}attention.w_o {start}attention.b_o", layer, quarter),
        ]
        feeds = [box("feed-forward", wide, f"{start}feed_forward.", layer, work.feed_forward // layers)]
        for number, parts in enumerate([looks, feeds] if config.d_hidden else [looks], start=1):
            norm = box(f"norm {number}", wide, f"{start}norm{number}.", layer)
            add = box(f"add {number}", wide, "", layer)
            found += [norm, *parts, add] if config.norm == "pre" else [*parts, add, norm]
    return [*found, box("last norm", wide, "final_norm."), box("logits", (length, config.vocab_size), cost=work.logits)]


def predict_without(model: Model, tokens: ArrayLike, part: str) -> Array:
    """Return the prediction (V,) after a text if one of `SWITCHED` adds nothing to the residual stream of any layer."""
    if part not in SWITCHED:
        raise ValueError(f"part must be one of {', '.join(SWITCHED)}, got {part!r}")
    other = Model.of(model.config, model.flat.copy())
    for name, array in named_arrays(other).items():
        if name.rpartition(".")[2] in SWITCHED[part]:
            array[...] = 0
    return softmax(logits(other, tokens)[-1])


def loss_if(model: Model, tokens: ArrayLike, norm: Order, activation: Activation) -> float:
    """Return the loss of a text when the same parameters are loaded into another architecture."""
    config = replace(model.config, norm=norm, activation=activation)
    inputs, targets = inputs_and_targets(tokens)
    return cross_entropy_forward(model_forward(Model.of(config, model.flat), inputs).logits, targets)[0]
