"""The file of a model that somebody brings, read in a process of its own."""

import io
from dataclasses import asdict
from typing import Any

from attention_core.arrays import Array
from attention_core.model.checkpoint import load_run


def parts_of(content: Array, max_bytes: int) -> tuple[dict[str, Any], list[int], list[Array], list[str] | None]:
    """Return config, steps, parameters and vocabulary, there; raise ValueError with what is wrong with the file."""
    models, tokens = load_run(io.BytesIO(content.tobytes()), max_bytes)
    last = [*models.values()][-1]
    return asdict(last.config), [*models], [model.flat for model in models.values()], tokens
