import pytest

from attention_core.text.corpora import source_of
from pages.tiny_lm.train import form
from pages.tiny_lm.train.queue import QUEUE
from tests.app.tiny_lm.runs import SOURCE


@pytest.fixture
def by_hand(monkeypatch):
    """Have the page learn without threads, from a source whose rows are made once."""
    monkeypatch.setattr(QUEUE, "n_workers", 0)
    monkeypatch.setattr(form, "source_of", lambda name: SOURCE if name == SOURCE.name else source_of(name))
    yield
    QUEUE.waiting.clear()
