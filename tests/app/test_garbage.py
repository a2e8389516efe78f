import gc
import weakref

import pytest

from pages.server import garbage
from pages.server.garbage import collect_and_freeze
from tests.app.visits import visit


class Session:
    """Something that only a full collection can remove."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def clock(monkeypatch):
    """As in a server that has just started."""
    monkeypatch.setattr(garbage, "due", 0.0)
    monkeypatch.setattr(garbage.time, "monotonic", lambda: now[0])
    now = [1000.0]
    return now


def test_the_first_lesson_leaves_what_is_alive_out_of_the_search_for_garbage_for_a_while(clock, monkeypatch):
    done = []
    for name in ("unfreeze", "collect", "freeze"):
        monkeypatch.setattr(garbage.gc, name, lambda name=name: done.append(name))
    visit("home")
    assert done == []
    for page in ("scaling", "scaling", "qkv"):
        visit(page)
        clock[0] += garbage.EVERY / 4
    once = ["unfreeze", "collect", "freeze", "collect"]
    assert done == once
    clock[0] += garbage.EVERY
    visit("scaling")
    assert done == 2 * once
    assert gc.isenabled()


def test_what_becomes_garbage_while_it_is_left_out_goes_the_next_time(clock):
    session = Session()
    collect_and_freeze()
    assert gc.get_freeze_count()
    seen = weakref.ref(session)
    del session
    gc.collect()
    collect_and_freeze()
    assert seen() is not None  # which is the price
    clock[0] += garbage.EVERY
    collect_and_freeze()
    assert seen() is None
