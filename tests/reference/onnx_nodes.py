"""ONNX's own cases for the operators of a transformer, from the generators in the package `onnx`."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module

import numpy as np

import attention_core as core
from attention_core.arrays import row_sums
from attention_core.equations.activation_functions import ACTIVATIONS, silu_forward
from attention_core.equations.attention import attention_forward
from attention_core.equations.heads import merge_heads, split_heads
from attention_core.equations.masks import padding_mask
from attention_core.equations.norm import Norm, norm_forward
from attention_core.equations.positions import apply_rope
from attention_core.equations.softmax import exponentials
from tests.reference.case import Case, NotOffered


def attention(own, q, k, v, mask=None, past_k=None, past_v=None, n_keys=None):
    """Return the output, keys and values with the past, and the scores or weights at the stage that is asked for."""
    if own.keys() & {"score_mod", "prob_mod"}:
        raise NotOffered("scores or weights changed by a program (`score_mod`, `prob_mod`)")
    if q.dtype.name == "bfloat16":
        raise NotOffered("bfloat16, which NumPy itself does not have")
    if heads := own.get("q_num_heads"):
        q, k, v = split_heads(q, heads), *(split_heads(x, own["kv_num_heads"]) for x in (k, v))
    if past_k is not None:
        k, v = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
    present, (length, width) = (k, v), (q.shape[2], k.shape[2])
    first = np.array([0 if past_k is None else past_k.shape[2]]) if n_keys is None else n_keys - length
    behind = first[:, None, None, None] + np.arange(length)[:, None] - np.arange(width)  # (B, 1, T, S), keys before it
    left, right = own.get("left_window_size", -1), 0 if own.get("is_causal") else own.get("right_window_size", -1)
    blocked = (behind > left) & (left >= 0) | (behind < -right) & (right >= 0)
    if n_keys is not None:
        blocked = blocked | padding_mask(n_keys, width)[:, None]
    added = core.additive_mask(blocked) if blocked.any() else None
    if mask is not None:  # ONNX attends where a mask is true, and keys beyond it are blocked
        given = core.additive_mask(~mask) if mask.dtype == bool else mask.astype(np.float64)
        given = np.pad(given, [*[(0, 0)] * (mask.ndim - 1), (0, width - mask.shape[-1])], constant_values=-np.inf)
        added = given if added is None else given + added
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], axis=1) for x in (k, v))
    scale, softcap = own.get("scale"), own.get("softcap") or None
    out, weights = core.scaled_dot_product_attention(q, k, v, added, scale, softcap)
    raw, capped = (attention_forward(*map(np.float32, (q, k, v)), None, scale, cap).scores for cap in (None, softcap))
    stages = raw, capped, capped if added is None else capped + added, weights
    return merge_heads(out) if heads else out, *present, stages[own.get("qk_matmul_output_mode", 0)]


def not_offered(own, *inputs):
    raise NotOffered("attention without a softmax, and its recurrent forms")


def norm(own, x, gain, bias=None):
    """Return the rows normalised over all axes from `axis` on, their means and 1 / standard deviation."""
    axis, epsilon = own.get("axis", -1) % x.ndim, own.get("epsilon", 1e-5)
    rows, narrow = x.reshape(*x.shape[:axis], -1), (*x.shape[:axis], *[1] * (x.ndim - axis))
    params = Norm(gain.reshape(-1), None if bias is None else bias.reshape(-1))
    out = core.rms_norm(rows, params.gain, epsilon) if bias is None else core.layer_norm(rows, *params, epsilon)
    means, inverse = row_sums(rows) / rows.shape[-1], norm_forward(rows, params, epsilon)[1].inverse
    return out.reshape(x.shape), means.reshape(narrow), inverse.reshape(narrow)


def rotary(own, x, cos, sin, places=None):
    """Return x with its first dimensions rotated by the given angles, in pairs of neighbours or of halves."""
    heads = own.get("num_heads") if x.ndim == 3 else None
    x = split_heads(x, heads) if heads else x
    cos, sin = (cos, sin) if places is None else (cos[places], sin[places])
    part, rest = np.split(x, [own.get("rotary_embedding_dim") or x.shape[-1]], axis=-1)
    if not own.get("interleaved"):
        part = part.reshape(*part.shape[:-1], 2, -1).swapaxes(-1, -2).reshape(part.shape)
    part = apply_rope(np.ascontiguousarray(part), (cos + 1j * sin)[:, None].astype(np.complex64))
    if not own.get("interleaved"):
        part = part.reshape(*part.shape[:-1], -1, 2).swapaxes(-1, -2).reshape(part.shape)
    out = np.concatenate([part, rest], axis=-1)
    return (merge_heads(out) if heads else out,)


def activation(own, x, name):
    return ACTIVATIONS["gelu_erf" if name == "gelu" and "approximate" not in own else name](x)[:1]


def swish(own, x, up=1.0):
    return (silu_forward(np.float32(x), own.get("alpha", 1.0))[0] * up,)


def log_softmax(own, x):
    x = np.moveaxis(x, own.get("axis", -1), -1)
    _, sums, shift = exponentials(x)
    return (np.moveaxis(x - shift - np.log(sums), -1, own.get("axis", -1)),)


def cross_entropy(own, logits, targets, weights=None):
    mean, each = core.cross_entropy(np.moveaxis(logits, 1, -1), targets, weights, own.get("ignore_index"))
    reduced = {b"mean": mean, b"sum": each.sum(), b"none": each}[own.get("reduction", b"mean")]
    return np.asarray(reduced), *log_softmax({"axis": 1}, logits)


OPERATORS = {  # and the module of the package that makes the cases
    "Attention": ("attention", attention),
    "FlexAttention": ("flexattention", attention),
    "LinearAttention": ("linear_attention", not_offered),
    "RotaryEmbedding": ("rotaryembedding", rotary),
    "LayerNormalization": ("layernormalization", norm),
    "RMSNormalization": ("rmsnormalization", norm),
    "Softmax": ("softmax", lambda own, x: (core.softmax(x, own.get("axis", -1)),)),
    "LogSoftmax": ("logsoftmax", log_softmax),
    "SoftmaxCrossEntropyLoss": ("softmax_cross_entropy_loss", cross_entropy),
    "Gelu": ("gelu", partial(activation, name="gelu")),
    "Swish": ("swish", swish),
    "SwiGLU": ("swiglu", swish),
    "Relu": ("relu", partial(activation, name="relu")),
}


def computed(node, arrays):
    """Return those outputs of a node that it names; an input without a name is missing."""
    from onnx.helper import get_attribute_value

    own, left = {each.name: get_attribute_value(each) for each in node.attribute}, iter(arrays)
    inputs = [next(left).copy() if name else None for name in node.input]
    return [out for name, out in zip(node.output, OPERATORS[node.op_type][1](own, *inputs), strict=False) if name]


def cases() -> Iterator[Case]:
    """Yield the cases of the operators, but not those in which an operator is written as a graph of others."""
    from onnx.backend.test.case import node as nodes

    for module, _ in OPERATORS.values():  # importing one makes its cases; `collect_testcases` makes those of all 190
        import_module(f"onnx.backend.test.case.node.{module}")
    for case in nodes._NodeTestCases:
        (node, *more), (inputs, outputs) = case.model.graph.node, case.data_sets[0]
        if not more and node.op_type in OPERATORS:
            expected = dict(zip(filter(None, node.output), outputs, strict=True))
            yield Case(node.op_type, case.name, partial(computed, node, inputs), expected, (case.rtol, case.atol))
