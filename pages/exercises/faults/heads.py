"""Several heads with one fault: what the known mistakes of splitting, joining and attending compute."""

import numpy as np

from attention_core import causal_mask, multi_head_attention
from attention_core.equations.heads import merge_heads, split_heads
from pages.exercises.exercise import Variant
from pages.exercises.faults.attention import shares

FAULTS = (
    *("no_scale", "scale_no_sqrt", "scale_d_model", "mask_missing", "mask_post", "no_w_o"),
    *("heads_reshape", "joined_reshape", "w_transposed", "x_as_v", "x_as_q"),
)


def split_by_reshape(x, n_heads):
    """Return the heads of a reshape alone, which cuts rows where it should cut columns."""
    return x.reshape(n_heads, len(x), -1)


def join_by_reshape(heads):
    """Return the words of a reshape alone, which lines up numbers of several words."""
    return heads.reshape(heads.shape[1], -1)


def one_head(x, w_q, w_k, w_v, w_o, n_heads):
    """Return what a single head of full width computes."""
    return multi_head_attention(x, w_q, w_k, w_v, w_o, 1, causal_mask(len(x)))[0]


def wrong_heads(x, w_q, w_k, w_v, w_o, n_heads, *, fault):
    """Return causal multi-head attention with one fault."""
    if fault == "w_transposed":
        w_q, w_k, w_v, w_o = w_q.T, w_k.T, w_v.T, w_o.T
    q = x if fault == "x_as_q" else x @ w_q
    v = x if fault == "x_as_v" else x @ w_v
    split = split_by_reshape if fault == "heads_reshape" else split_heads
    q, k, v = (split(part, n_heads) for part in (q, x @ w_k, v))
    width = {"scale_d_model": x.shape[1], "no_scale": 1, "scale_no_sqrt": q.shape[-1] ** 2}.get(fault, q.shape[-1])
    scores = q @ k.mT / np.sqrt(width)
    later = causal_mask(len(x))
    weights = shares(scores if fault in ("mask_missing", "mask_post") else np.where(later, -np.inf, scores), -1)
    if fault == "mask_post":
        weights = np.where(later, 0.0, weights)
    heads = weights @ v
    joined = join_by_reshape(heads) if fault == "joined_reshape" else merge_heads(heads)
    return joined if fault == "no_w_o" else joined @ w_o


def with_fault(fault):
    """Return the variant with one fault."""
    return Variant((fault,), lambda *arguments: wrong_heads(*arguments, fault=fault))
