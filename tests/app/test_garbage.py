import gc
import weakref

import pytest

from pages.server import process
from pages.server.process import collect_and_freeze
from tests.app.visits import visit


class Session:
    """Something that only a full collection can remove."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def clock(monkeypatch):
    """As in a server that has just started."""
    monkeypatch.setattr(process, "due", 0.0)
    monkeypatch.setattr(process.time, "monotonic", lambda: now[0])
    now = [1000.0]
    return now


def test_what_is_alive_at_the_first_lesson_is_left_out_for_a_while_and_becomes_garbage_the_next_time(clock):
    gc.unfreeze()
    session = Session()
    visit("home")
    assert not gc.get_freeze_count()
    visit("scaling")
    assert gc.get_freeze_count()
    seen = weakref.ref(session)
    del session
    gc.collect()
    clock[0] += process.EVERY / 2
    collect_and_freeze()
    assert seen() is not None  # which is the price
    clock[0] += process.EVERY
    collect_and_freeze()
    assert seen() is None
    assert gc.isenabled()
