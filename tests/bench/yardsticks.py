"""Plain NumPy to hold the library against: a step's matrix products alone, and attention as the textbook writes it."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from tests.bench.sizes import SIZES, Size


def products(size: str, sequences: int) -> Callable[[], object]:
    """Return a function that performs only the matrix products of one training step, `sequences` at a time."""
    sizes = SIZES[size]
    work = [(a, b, a @ b, np.empty_like(a), np.empty_like(b)) for a, b in _operands(sizes, sequences)]

    def block() -> None:
        for _ in range(sizes.batch // sequences):
            for a, b, out, _, _ in work:
                np.matmul(a, b, out=out)
            for a, b, out, da, db in reversed(work):
                np.matmul(out, b.mT, out=da)
                np.matmul(a.mT, out, out=db)

    return block


def _operands(size: Size, sequences: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield both factors of every product of the forward pass; the backward pass makes two products of each."""
    rng = np.random.default_rng(0)
    d, f, t = size.d_model, 4 * size.d_model, size.length
    n, attending = sequences * t, (sequences, size.n_heads)

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    for _ in range(size.n_layers):
        yield draw(n, d), draw(d, 3 * d)  # queries, keys and values at once
        yield draw(*attending, t, size.d_head), draw(*attending, t, size.d_head).mT  # scores
        yield draw(*attending, t, t), draw(*attending, t, size.d_head)  # weights @ v
        yield draw(n, d), draw(d, d)
        yield draw(n, d), draw(d, f)
        yield draw(n, f), draw(f, d)
    yield draw(n, d), draw(size.vocab_size, d).T  # logits


def heads(n: int, n_heads: int = 8, d_head: int = 64) -> np.ndarray:
    """Return random queries, keys and values."""
    return np.random.default_rng(0).standard_normal((3, 1, n_heads, n, d_head), dtype=np.float32)


def textbook(n: int) -> Callable[[], object]:
    """Return a function that attends causally over n positions, all heads and all scores at once."""
    q, k, v = heads(n)
    mask = np.triu(np.full((n, n), -np.inf, dtype=np.float32), 1)

    def block() -> np.ndarray:
        scores = q @ k.mT / math.sqrt(q.shape[-1]) + mask
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True) @ v

    return block
