import pytest

from attention_core.text.corpora import source_of
from pages.tiny_lm.train import form
from pages.tiny_lm.train.queue import QUEUE
from tests.app.tiny_lm.runs import SOURCE
from tests.core.pretrained.files import write_tiny


@pytest.fixture
def by_hand(monkeypatch):
    """Have the page learn without threads, from a source whose rows are made once."""
    monkeypatch.setattr(QUEUE, "n_workers", 0)
    monkeypatch.setattr(form, "source_of", lambda name: SOURCE if name == SOURCE.name else source_of(name))
    yield
    QUEUE.waiting.clear()


@pytest.fixture
def tiny_real(no_real, monkeypatch, tmp_path):
    """Be a server with a tiny pretrained model, and return its path."""
    path = tmp_path / "tiny.gguf"
    write_tiny(path)
    monkeypatch.setenv("PRETRAINED_MODEL", str(path))
    return path
