import pytest

from attention_core.text.corpora import source_of
from pages.tiny_lm.train import form, session
from pages.tiny_lm.train.queue import Scheduler
from tests.app.tiny_lm.runs import SOURCE, Clock, wait_for
from tests.core.pretrained.files import write_tiny


@pytest.fixture
def scheduler():
    found = Scheduler(1, present=lambda owner: True)
    yield found
    for one in list(found.jobs.values()):
        found.stop(one)
    wait_for(lambda: found.n_threads == 0)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def no_run_left():
    yield
    for one in list(session.SCHEDULER.jobs.values()):
        session.SCHEDULER.stop(one)


@pytest.fixture
def quick_source(monkeypatch):
    """Have the page learn from a source whose rows are made once."""
    monkeypatch.setattr(form, "source_of", lambda name: SOURCE if name == SOURCE.name else source_of(name))


@pytest.fixture
def tiny_real(no_real, monkeypatch, tmp_path):
    """Be a server with a tiny pretrained model, and return its path."""
    path = tmp_path / "tiny.gguf"
    write_tiny(path)
    monkeypatch.setenv("PRETRAINED_GGUF", str(path))
    return path
