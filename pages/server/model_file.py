"""The file of a model that somebody brings, read in a process of its own."""

import io
from dataclasses import asdict
from typing import Any

from attention_core.array_files import read_parts
from attention_core.arrays import Array
from attention_core.model.checkpoint import load_run


def parts_of(content: Array, max_bytes: int) -> tuple[dict[str, Any], list[int], list[Array], list[str] | None, str]:
    """Return config, steps, parameters, vocabulary, and what is told of the training; raise ValueError if damaged."""
    models, tokens = load_run(io.BytesIO(content.tobytes()), max_bytes)
    last = [*models.values()][-1]
    told = str(read_parts(io.BytesIO(content.tobytes()), max_bytes)[1].get("training", ""))
    return asdict(last.config), [*models], [model.flat for model in models.values()], tokens, told
