"""Multi-head attention of any inputs, as self-attention or cross-attention, and the write of each head."""

from numpy.typing import ArrayLike

from attention_core.arrays import Array, project
from attention_core.checks import floats
from attention_core.equations.attention import scaled_dot_product_attention
from attention_core.equations.heads import merge_heads, split_heads
from attention_core.inputs import multi_head_inputs


def multi_head_attention(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    w_o: ArrayLike,
    n_heads: int,
    mask: ArrayLike | None = None,
    context: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Return the output (..., T, D) and the weights (..., H, T, S), by one projection and a reshape.

    With `context`, x gives the queries and the context the keys and values: cross-attention. The mask broadcasts to the
    weights, so one mask for each sequence needs an axis for the heads: (B, 1, T, S). W_Q and W_K are (D, H K), W_V is
    (D, H K) too, and W_O (H K, D).

    >>> one = [[1, 0], [0, 1]]
    >>> output, weights = multi_head_attention(x=one, w_q=one, w_k=one, w_v=one, w_o=one, n_heads=2)
    >>> weights.shape, output.round(3)
    ((2, 2, 2), array([[0.731, 0.5  ],
           [0.5  , 0.731]]))
    """
    x, context, w_q, w_k, w_v, w_o = multi_head_inputs(x, context, w_q, w_k, w_v, w_o, n_heads)
    q, k, v = (split_heads(project(s, w), n_heads) for s, w in ((x, w_q), (context, w_k), (context, w_v)))
    heads, weights = scaled_dot_product_attention(q, k, v, mask)  # (..., H, T, K), (..., H, T, S)
    return project(merge_heads(heads), w_o), weights


def head_writes(heads: ArrayLike, w_o: ArrayLike) -> Array:
    """Return (..., H, T, D): what each head (..., H, T, K) adds to the output through its rows of W_O."""
    heads, w_o = floats("heads", heads, ndim=3), floats("w_o", w_o, ndim=2)
    n_heads, d_head = heads.shape[-3], heads.shape[-1]
    if w_o.ndim != 2 or w_o.shape[0] != n_heads * d_head:
        raise ValueError(
            f"w_o must have a row for each number of each head, got w_o {w_o.shape} and heads {heads.shape}"
        )
    return heads @ w_o.reshape(n_heads, d_head, w_o.shape[1])
