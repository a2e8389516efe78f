"""The inputs of attention and loss, brought to one type and common axes, or refused with the shapes that do not fit."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens
from attention_core.checks import floats, integer, regular


def as_additive(mask: ArrayLike | None, dtype: np.dtype[np.floating]) -> Array | None:
    """Return a boolean or float mask as the float array that is added to the scores; None stays None."""
    if mask is None:
        return None
    array = regular("mask", mask)
    if array.dtype == np.bool_:
        return np.where(array, -np.inf, 0.0).astype(dtype)
    if array.dtype.kind != "f":
        raise ValueError(
            f"mask must be boolean (True = blocked) or a float of NumPy (added to the scores), got dtype {array.dtype}"
        )
    with np.errstate(over="ignore"):  # values below the range of the type become -inf and block
        array = array.astype(dtype, copy=False)
    if np.isnan(array).any() or (array == np.inf).any():
        raise ValueError("mask must not contain NaN or +inf; -inf blocks")
    return array


def as_sink(sink: ArrayLike, q: Array) -> Array:
    """Return the sink in the type of q; raise ValueError unless it is finite and broadcasts to the batch axes of q."""
    array = floats("sink", sink).astype(q.dtype)
    if not np.isfinite(array).all():
        raise ValueError(f"sink must contain finite numbers, got {array.max()}")
    try:
        return np.broadcast_to(array, q.shape[:-2])
    except ValueError:
        raise ValueError(f"sink must fit the batch axes of q, got sink {array.shape} and q {q.shape}") from None


def broadcast_attention(
    q: object, k: object, v: object, mask: ArrayLike | None
) -> tuple[Array, Array, Array, Array | None]:
    """Return q, k and v with common batch axes and the mask as an additive one; raise ValueError if they do not fit."""
    q, k, v = floats("q", q, ndim=2), floats("k", k, ndim=2), floats("v", v, ndim=2)
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(f"q and k must have the same width, at least 1, got q {q.shape} and k {k.shape}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"k and v must have the same length, got k {k.shape} and v {v.shape}")
    dtype = np.result_type(q, k, v)
    additive = as_additive(mask, dtype)
    try:
        batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ValueError(
            f"the batch axes of q, k and v must fit, got q {q.shape}, k {k.shape} and v {v.shape}"
        ) from None
    if additive is not None:
        scores = (*batch, q.shape[-2], k.shape[-2])
        try:
            full = np.broadcast_shapes(additive.shape, scores)
        except ValueError:
            full = ()
        if full[-2:] != scores[-2:]:
            raise ValueError(f"mask must broadcast to the scores, got mask {additive.shape} and scores {scores}")
        batch = full[:-2]
    q, k, v = (np.broadcast_to(x.astype(dtype, copy=False), (*batch, *x.shape[-2:])) for x in (q, k, v))
    return q, k, v, additive


def check_scores(q: Array, k: Array, scores: Array, additive: Array | None) -> None:
    """Raise ValueError if scores overflow, alone or with their mask: a row of -inf would be taken for a blocked one."""
    if not np.isfinite(scores).all():
        raise ValueError(f"the scores q kᵀ must be finite, got {too_large(q, k)}")
    if additive is not None:
        with np.errstate(over="ignore"):
            highest = (scores + additive).max(axis=-1, initial=-np.inf)  # (..., T)
        # one cell below the range of the type is as good as blocked, a whole row is not
        if (np.isinf(highest) & (np.broadcast_to(additive, scores.shape) > -np.inf).any(axis=-1)).any():
            raise ValueError(f"mask must keep the scores finite, got sums beyond the range of {scores.dtype}")


def too_large(q: Array, k: Array) -> str:
    """Return what made scores overflow, for a message."""
    return f"q up to {np.abs(q).max():.3g} and k up to {np.abs(k).max():.3g} in {q.dtype}"


def multi_head_inputs(
    x: object, context: object, w_q: object, w_k: object, w_v: object, w_o: object, n_heads: int
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Return the inputs and matrices in one dtype; raise ValueError if their shapes do not fit."""
    integer("n_heads", n_heads, 1)
    x = floats("x", x, ndim=2)
    context = x if context is None else floats("context", context, ndim=2)
    given = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    matrices = {name: floats(name, w) for name, w in given.items()}
    for name, w in matrices.items():
        if w.ndim != 2:
            raise ValueError(f"{name} must be a matrix, got shape {w.shape}")
    for name, source, rows in (("w_q", "x", x), ("w_k", "context", context), ("w_v", "context", context)):
        w = matrices[name]
        if w.shape[0] != rows.shape[-1]:
            raise ValueError(f"{name} must have a row for each column of {source}, got {w.shape} and {rows.shape}")
        if w.shape[1] == 0 or w.shape[1] % n_heads:
            raise ValueError(f"n_heads must divide the width of {name}, got n_heads {n_heads} and {name} {w.shape}")
    w_q, w_k, w_v, w_o = matrices.values()
    if w_q.shape[1] != w_k.shape[1]:
        raise ValueError(f"w_q and w_k must have the same width, got w_q {w_q.shape} and w_k {w_k.shape}")
    if w_o.shape[0] != w_v.shape[1]:
        raise ValueError(f"w_o must have a row for each column of w_v, got w_o {w_o.shape} and w_v {w_v.shape}")
    dtype = np.result_type(x, context, w_q, w_k, w_v, w_o)
    x, context, w_q, w_k, w_v, w_o = (a.astype(dtype, copy=False) for a in (x, context, w_q, w_k, w_v, w_o))
    return x, context, w_q, w_k, w_v, w_o


def loss_inputs(
    logits: object, targets: object, class_weights: object, ignore_index: int | None
) -> tuple[Array, Tokens, Tokens, Array | None]:
    """Return logits, targets, the same with 0 where ignored, and weights; raise ValueError if they do not fit."""
    rows, ids = floats("logits", logits, ndim=1), regular("targets", targets)
    weights = None if class_weights is None else floats("class_weights", class_weights)
    if ids.dtype.kind not in "iu" or ids.shape != rows.shape[:-1]:
        raise ValueError(f"targets must be integers, one a row of logits {rows.shape}, got {ids.dtype} {ids.shape}")
    known, width = np.where(ids == ignore_index, 0, ids), rows.shape[-1]
    if known.min(initial=0) < 0 or known.max(initial=0) >= width:
        raise ValueError(f"targets must be in [0, {width}) or ignore_index, got {known.min()} to {known.max()}")
    if weights is not None and (weights.shape != (width,) or not np.isfinite(weights).all()):
        raise ValueError(f"class_weights must be {width} finite numbers, got {str(weights)[:80]}")
    counted = known[ids != ignore_index]
    if not (counted.size if weights is None else weights[counted].sum()):
        raise ValueError("targets must have weights whose sum is not 0: a mean needs one that is not ignored")
    return rows, ids, known, weights


def norm_inputs(x: object, **params: object) -> list[Array]:
    """Return x and the gain and bias of its normalization in one dtype; raise ValueError unless all are as wide."""
    arrays = {"x": floats("x", x, ndim=1)} | {name: floats(name, array) for name, array in params.items()}
    width = arrays["x"].shape[-1]
    if width == 0 or any(arrays[name].shape != (width,) for name in params):
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"{' and '.join(params)} must be as wide as x, got {shapes}")
    dtype = np.result_type(*arrays.values())
    return [array.astype(dtype, copy=False) for array in arrays.values()]
