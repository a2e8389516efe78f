import pytest

from attention_core.text.corpora import source_of
from pages.server.pretrained import COMPUTER, pretrained_model
from pages.tiny_lm.train import form, session
from pages.tiny_lm.train.queue import Scheduler
from tests.app.tiny_lm.runs import SOURCE, Clock, wait_for
from tests.core.pretrained.files import tiny


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
def no_real(monkeypatch):
    """Be a server without a pretrained model, whatever is installed."""
    monkeypatch.setattr("attention_core.pretrained.find.PACKAGE", "no_such_package")
    monkeypatch.delenv("PRETRAINED_GGUF", raising=False)
    monkeypatch.setattr("pages.server.pretrained.NICE", 0)  # a test waits for it, also on a busy machine
    COMPUTER.process.nice = 0
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
