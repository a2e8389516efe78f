"""The residual stream of a pretrained model: its length after each layer, and who moves the lead of the prediction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens
from attention_core.pretrained.real_model import PretrainedModel
from attention_core.rows import row_norms


class RealStream(NamedTuple):
    """The stream after the embedding and each layer, and direct contributions to a lead: logit minus logit."""

    norms: Array  # (L + 1, T)
    tokens: Tokens  # (T, 2), the likeliest next token and the runner-up
    lead: Array  # (T,), the logit of the first minus that of the second, from the forward pass
    embedding: Array  # (T,), what each part contributes to the lead
    heads: Array  # (L, H, T)
    mlp: Array  # (L, T)
    attention_norms: Array  # (L, T), length of what the heads of a layer add
    mlp_norms: Array  # (L, T)


def real_stream(model: PretrainedModel, tokens: ArrayLike) -> RealStream:
    """Return the norms of the residual stream at each position of a text, and the contributions to its prediction.

    The final RMSNorm divides the stream by its root mean square. With that held fixed, a logit is linear in the stream,
    which is the sum of the embedding and of what each attention and each MLP adds.
    """
    inside = model.insides(tokens)
    order = np.argsort(-inside.logits, axis=-1, kind="stable")[:, :2]  # (T, 2)
    logits = np.take_along_axis(inside.logits, order, axis=-1).astype(np.float64)
    columns = model.parameters.unembedding[:, order].astype(np.float64)  # (D, T, 2)
    gain = inside.final_scale * model.parameters.final_gain.astype(np.float64)  # (T, D)
    direction = gain * (columns[..., 0] - columns[..., 1]).T  # (T, D)

    def contribution(part: Array) -> Array:
        return np.vecdot(part.astype(np.float64), direction)

    return RealStream(
        norms=row_norms(inside.stream),
        tokens=order,
        lead=logits[:, 0] - logits[:, 1],
        embedding=contribution(inside.stream[0]),
        heads=np.stack([contribution(model.head_writes(inside, layer)) for layer in range(model.config.n_layers)]),
        mlp=contribution(inside.mlp_adds),
        attention_norms=row_norms(inside.attention_adds),
        mlp_norms=row_norms(inside.mlp_adds),
    )
