"""Files on disk, because a memory map needs one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from attention_core.pretrained import PretrainedModel, open_gguf


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[bytes], PretrainedModel]:
    """Return a function that writes a file and opens it as a model."""

    def write_and_open(content: bytes) -> PretrainedModel:
        path = tmp_path / "model.gguf"
        path.write_bytes(content)
        return open_gguf(path, max_bytes=1 << 24)

    return write_and_open
