"""Several heads with one fault: what the known mistakes of splitting, joining and attending compute."""

import numpy as np

from attention_core import multi_head_attention
from attention_core.arrays import Array
from attention_core.equations.heads import merge_heads, split_heads
from pages.exercises.exercise import Variant
from pages.exercises.faults.attention import NORMS, variants, wrong_attention

SCALES = ("no_scale", "scale_no_sqrt", "scale_times", "scale_n", "scale_after")
OUTPUTS = ("out_wK", "out_wtV", "softmax_late", "star_output", "out_vw", "hard_choice")
PRODUCTS = ("no_transpose", "star_scores")
PARTS = (
    *("scale_d_model", "no_w_o", "heads_reshape", "joined_reshape", "w_transposed", "x_as_v", "x_as_q"),
    *("split_first", "split_first/no matrices", "split_first/rows", "narrow_factor/columns"),
    *("one_head", "narrow_factor/sum"),
)


def split_by_reshape(x: Array, n_heads: int) -> Array:
    """Return heads by a reshape alone, which cuts up rows instead of splitting columns."""
    return x.reshape(n_heads, len(x), -1)


def join_by_reshape(heads: Array) -> Array:
    """Return rows by a reshape alone, which puts several words into one row."""
    return heads.reshape(heads.shape[1], -1)


def own_blocks(w: Array, n_heads: int) -> Array:
    """Return for each head the diagonal block of a matrix."""
    width = len(w) // n_heads
    return np.einsum("hihj->hij", w.reshape(n_heads, width, n_heads, width))


def wrong_heads(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, n_heads: int, *, part: str = "right", **choices: str
) -> Array:
    """Return multi-head attention computed in one of the wrong ways."""
    if part == "one_head":
        return multi_head_attention(x, w_q, w_k, w_v, w_o, 1)[0]
    if part == "w_transposed":
        w_q, w_k, w_v, w_o = w_q.T, w_k.T, w_v.T, w_o.T
    q = x if part == "x_as_q" else x @ w_q
    v = x if part == "x_as_v" else x @ w_v
    split = split_by_reshape if part == "heads_reshape" else split_heads
    q, k, v = (split(given, n_heads) for given in (q, x @ w_k, v))
    if part == "split_first":
        q, k, v = (split_heads(x, n_heads) @ own_blocks(w, n_heads) for w in (w_q, w_k, w_v))
    if part == "split_first/no matrices":
        q, k, v = (split_heads(x, n_heads) for _ in range(3))
    if part in ("split_first/rows", "narrow_factor/columns"):
        rows = part.endswith("rows")
        pieces = [split_heads(w.T if rows else w, n_heads) for w in (w_q, w_k, w_v)]
        q, k, v = (split_heads(x, n_heads) @ (piece.mT if rows else piece) for piece in pieces)
    if part == "scale_d_model":
        q = q / np.sqrt(n_heads)
    heads = wrong_attention(q, k, v, **choices)
    if part == "narrow_factor/sum":
        return heads.sum(axis=0) @ w_o
    joined = join_by_reshape(heads) if part == "joined_reshape" else merge_heads(heads)
    return joined if part == "no_w_o" else joined @ w_o


def one_fault() -> tuple[Variant, ...]:
    norms = [name for name in NORMS if name != "softmax_all"]
    groups = {"scale": SCALES, "norm": norms, "product": PRODUCTS, "output": OUTPUTS, "part": PARTS}
    return variants(wrong_heads, groups, at_once=1)
