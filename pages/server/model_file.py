"""The file of a model that somebody brings, read in a process of its own."""

import io
from dataclasses import asdict
from typing import Any

from attention_core.arrays import Array
from attention_core.model.checkpoint import load

Parts = tuple[dict[str, Any], Array, list[str] | None]  # config, parameters and vocabulary


def parts_of(content: Array, max_bytes: int) -> Parts:
    """Return what is in a file, there; raise ValueError with what is wrong with it."""
    model, tokens = load(io.BytesIO(content.tobytes()), max_bytes)
    return asdict(model.config), model.flat, tokens
