"""A tiny pretrained model in a file, as a server has one, and the step about it."""

import pytest

from pages.server.pretrained import pretrained_model
from tests.core.pretrained.files import tiny


@pytest.fixture
def no_real(monkeypatch):
    """Be a server without a pretrained model, whatever is installed."""
    monkeypatch.setattr("attention_core.pretrained.find.PACKAGE", "no_such_package")
    monkeypatch.delenv("PRETRAINED_GGUF", raising=False)
    pretrained_model.cache_clear()
    yield
    pretrained_model.cache_clear()


@pytest.fixture
def tiny_real(no_real, monkeypatch, tmp_path):
    """Be a server with a tiny pretrained model, and return its path."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(tiny().content)
    monkeypatch.setenv("PRETRAINED_GGUF", str(path))
    return path
