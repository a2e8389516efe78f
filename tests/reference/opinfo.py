"""PyTorch's own samples of operators (OpInfo), with the outputs and gradients that `record` wrote down."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

import attention_core as core
from attention_core.equations.activation_functions import ACTIVATIONS
from attention_core.equations.attention import attention_backward, attention_forward
from attention_core.equations.loss import cross_entropy_backward, cross_entropy_forward, target_weights
from attention_core.equations.norm import Norm, norm_backward, norm_forward
from attention_core.equations.softmax import softmax_backward
from attention_core.inputs import broadcast_attention
from tests.reference.case import Case, NotOffered

RECORDED = Path(__file__).parent / "opinfo.npz"

# Each returns the output and, by the position or keyword of the argument, the gradients of (out * dout).sum().


def softmax(dout, x, axis):
    if x.ndim == 0:
        raise NotOffered("the softmax of a number without axes")
    weights = core.softmax(x, axis)
    own, down = (np.ascontiguousarray(np.moveaxis(array, axis, -1)) for array in (weights, dout))
    return weights, {"0": np.moveaxis(softmax_backward(down, own), -1, axis)}


def summed(gradient, shape):
    """Return the gradient of an array of this shape that was broadcast."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    return gradient.sum(axis=tuple(i for i, n in enumerate(shape) if n != gradient.shape[i]), keepdims=True)


def attention(dout, q, k, v, attn_mask=None, is_causal=False, dropout_p=0.0, enable_gqa=False):
    if dropout_p:
        raise NotOffered("dropout of attention weights")
    shared = q.shape[-3] // k.shape[-3] if enable_gqa else 1
    keys, values = (np.repeat(x, shared, axis=-3) for x in (k, v))
    mask = attn_mask
    if is_causal:
        mask = np.arange(k.shape[-2]) > np.arange(q.shape[-2])[:, None]
    elif mask is not None and mask.dtype == bool:  # PyTorch attends where it is true
        mask = ~mask
    cache = attention_forward(*broadcast_attention(q, keys, values, mask))
    np.testing.assert_array_equal(core.scaled_dot_product_attention(q, keys, values, mask)[0], cache.output)
    found = zip(attention_backward(dout, cache), (q, keys, values), (1, shared, shared), strict=True)
    grads = [summed(d, x.shape).reshape(*x.shape[:-3], -1, n, *x.shape[-2:]).sum(axis=-3) for d, x, n in found]
    dscores = softmax_backward(dout @ cache.v.mT, cache.weights)  # which is also the gradient of an additive mask
    masks = {} if attn_mask is None else {"attn_mask": summed(dscores, attn_mask.shape)}
    return cache.output, {**dict(zip("012", grads, strict=True)), **masks}


def norm(dout, x, shape, weight=None, bias=None, eps=1e-5, of_rms=False):
    rows = x.reshape(-1, int(np.prod(shape)))
    gain = np.ones(rows.shape[1], x.dtype) if weight is None else weight.reshape(-1)
    shift = None if of_rms else np.zeros_like(gain) if bias is None else bias.reshape(-1)
    out, cache = norm_forward(rows, Norm(gain, shift), eps)
    dx, (dgain, dbias) = norm_backward(dout.reshape(rows.shape), cache)
    grads = {"0": dx.reshape(x.shape), "2": dgain.reshape(shape)}
    return out.reshape(x.shape), grads if of_rms else grads | {"3": dbias.reshape(shape)}


def rms_norm(dout, x, shape, weight=None, eps=None):
    return norm(dout, x, shape, weight, None, float(np.finfo(x.dtype).eps if eps is None else eps), of_rms=True)


def cross_entropy(dout, logits, targets, weight=None, ignore_index=-100, reduction="mean"):
    if targets.dtype.kind == "f":
        raise NotOffered("targets that are probabilities")
    moved = np.ascontiguousarray(np.moveaxis(logits, 1, -1))
    mean, each = core.cross_entropy(moved, targets, weight, ignore_index)
    ids, kinds = targets.reshape(-1), {"mean": np.asarray(mean), "sum": each.sum(), "none": each}
    counts = target_weights(ids, weight, ignore_index)
    share = counts * (dout / counts.sum() if reduction == "mean" else dout.reshape(-1))
    _, cache = cross_entropy_forward(moved.reshape(len(ids), -1), ids * (ids != ignore_index))
    return kinds[reduction], {"0": np.moveaxis(cross_entropy_backward(cache, share).reshape(moved.shape), -1, 1)}


def activation(dout, x, name, approximate=""):
    out, slope = ACTIVATIONS["gelu_erf" if approximate == "none" else name](x)
    return out, {"0": slope * dout}


OPERATORS = {"softmax": softmax, "attention": attention, "layer_norm": norm, "rms_norm": rms_norm}
OPERATORS |= {"cross_entropy": cross_entropy}
OPERATORS |= {name: partial(activation, name=name) for name in ("gelu", "silu", "relu")}


def computed(case, arrays, names):
    args = [arrays.get(str(i), value) for i, value in enumerate(case["args"])]
    kwargs = {key: arrays.get(key, value) for key, value in case["kwargs"].items()}
    out, grads = OPERATORS[case["operator"]](arrays.get("dout"), *args, **kwargs)
    return [out if name == "out" else grads[name.removesuffix(".grad")] for name in names]


def cases() -> Iterator[Case]:
    """Yield all recorded samples, in float32 and float64."""
    with np.load(RECORDED, allow_pickle=False) as file:
        recorded = dict(file)
    for number, case in enumerate(json.loads(str(recorded.pop("cases")))):
        name = f"{case['operator']} {number} {case['dtype']}"
        own = {key.partition(".")[2]: array for key, array in recorded.items() if key.split(".")[0] == str(number)}
        expected = {key: array for key, array in own.items() if key == "out" or key.endswith(".grad")}
        # in float32 PyTorch's gradient of a gain is 3e-5 off where a row is a single number: 0 is right
        tolerance = (1e-9, 1e-10) if case["dtype"] == "float64" else (2e-4, 5e-5)
        yield Case(case["operator"], name, partial(computed, case, own, expected), expected, tolerance)
