"""The sizes of model that the goals are stated for."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Size:
    """A causal language model (feed-forward width 4 D, learned positions, tied embedding) and its batch."""

    d_model: int
    n_heads: int
    n_layers: int
    length: int
    batch: int
    vocab_size: int

    @property
    def d_head(self) -> int:
        """The width of one head."""
        return self.d_model // self.n_heads


SIZES = {
    "a": Size(32, 4, 1, 32, 16, 40),
    "b": Size(64, 4, 2, 64, 32, 64),
    "c": Size(128, 4, 4, 128, 32, 64),
    "d": Size(256, 8, 4, 128, 32, 512),
    "b, T = 256": Size(64, 4, 2, 256, 1, 64),
    "c, T = 256": Size(128, 4, 4, 256, 1, 64),
}


def corpus(size: Size, n_tokens: int = 50_000) -> np.ndarray:
    """Return random token ids to draw batches from: speed does not depend on what they say."""
    return np.random.default_rng(0).integers(size.vocab_size, size=n_tokens)
