"""Array types, a reusable workspace for training, and fast row sums and products."""

import math
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # real numbers; models are float32, everything else keeps the type of its input
Tokens = NDArray[np.integer[Any]]
LINE = 64  # bytes of a cache line


class Allocator(Protocol):
    """A function that returns an uninitialised array: `np.empty`, or `Workspace.empty`."""

    def __call__(self, shape: tuple[int, ...], dtype: Any, /) -> Array:
        """Return an uninitialised array of this shape and type."""
        ...


def aligned(shape: tuple[int, ...], dtype: Any) -> Array:
    """Return an uninitialised array like `np.empty`, but aligned to a cache line.

    The processor computes with 64 bytes at a time. If they lie in two cache lines, a product of two arrays takes up to
    twice as long.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.empty(size + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + size].view(dtype).reshape(shape)


def frozen(array: Array) -> Array:
    """Make an array read-only, as all must be that are cached, and return it."""
    array.flags.writeable = False
    return array


class Workspace:
    """A pool of arrays: after `rewind`, `empty` hands out the same arrays again in the same order.

    A training step allocates the same shapes every time. Fresh memory costs one page fault for each 4 KiB, which takes
    longer than the arithmetic done in it. Reuse makes a step of a small model twice as fast.
    """

    def __init__(self) -> None:
        self._arrays: list[Array] = []
        self._next = 0

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Return the next array, uninitialised like `np.empty`."""
        if self._next == len(self._arrays):
            self._arrays.append(aligned(shape, dtype))
        array = self._arrays[self._next]
        if array.shape != shape or array.dtype != dtype:
            array = self._arrays[self._next] = aligned(shape, dtype)
        self._next += 1
        return array

    def mark(self) -> int:
        """Return the current position, for a later `rewind`."""
        return self._next

    def rewind(self, mark: int = 0) -> None:
        """Release every array handed out since the mark."""
        self._next = mark


@lru_cache(maxsize=64)
def ones(length: int, dtype: Any) -> Array:
    """Return a read-only vector of ones: on short rows, a product with it sums 4 times as fast as `sum`."""
    return frozen(np.ones(length, dtype))


def row_dots(x: Array, vector: Array) -> Array:
    """Return the dot product of each row of x with a vector, shape (..., 1)."""
    *batch, width = x.shape
    rows = x.reshape(math.prod(batch), width)
    # on short rows the faster product reads past the end and may warn about the memory there
    dots = rows @ vector if width >= 8 else np.vecdot(rows, vector)
    return dots.reshape(*batch, 1)


def row_sums(x: Array) -> Array:
    """Return the sums over the last axis, shape (..., 1)."""
    return row_dots(x, ones(x.shape[-1], x.dtype))


def column_sums(x: Array, out: Array | None = None) -> Array:
    """Return the sums over all axes but the last."""
    rows = x.reshape(-1, x.shape[-1])
    return np.matmul(ones(len(rows), x.dtype), rows, out=out)


def project(x: Array, w: Array, new: Allocator = np.empty) -> Array:
    """Return x @ w as one matrix product over all rows, however many batch axes x has."""
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    out = np.matmul(rows, w, out=new((len(rows), w.shape[1]), x.dtype))
    return out.reshape(*x.shape[:-1], w.shape[1])


def project_backward(
    dout: Array, x: Array, w: Array, dw: Array | None = None, new: Allocator = np.empty
) -> tuple[Array, Array]:
    """Return dx and dw of x @ w; dw is written into the array given, if one is."""
    rows, drows = x.reshape(-1, x.shape[-1]), dout.reshape(-1, dout.shape[-1])
    dx = np.matmul(drows, w.T, out=new(rows.shape, x.dtype))
    return dx.reshape(x.shape), np.matmul(rows.T, drows, out=dw)
