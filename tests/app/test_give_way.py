"""Long work lets pages pass, and is never held up for good."""

import threading
import time

import pytest

from pages.server import give_way
from tests.app.visits import visit


def seconds(function):
    began = time.monotonic()
    function()
    return time.monotonic() - began


def test_nobody_is_waited_for_where_no_page_is_drawn():
    give_way.drawing.clear()
    assert seconds(give_way.let_pages_pass) < give_way.PATIENCE / 2


def test_a_page_is_waited_for_until_it_is_drawn(monkeypatch):
    monkeypatch.setattr(give_way, "PATIENCE", 30.0)
    monkeypatch.setattr(give_way, "STALE", 30.0)
    give_way.page_begins()
    passed = threading.Event()
    thread = threading.Thread(target=lambda: (give_way.let_pages_pass(), passed.set()))
    thread.start()
    time.sleep(0.05)
    assert not passed.is_set()
    give_way.page_ends()
    thread.join(timeout=20)
    assert passed.is_set()


def test_a_page_that_was_broken_off_is_forgotten(monkeypatch):
    monkeypatch.setattr(give_way, "STALE", 0.0)
    give_way.page_begins()
    time.sleep(0.01)
    give_way.let_pages_pass()
    assert give_way.drawing == {}


def test_long_work_goes_on_though_pages_never_end(monkeypatch):
    monkeypatch.setattr(give_way, "STALE", 30.0)
    monkeypatch.setattr(give_way, "PATIENCE", 0.05)
    monkeypatch.setattr(give_way, "drawing", {-1: time.monotonic()})
    assert seconds(give_way.let_pages_pass) >= 0.05
    assert give_way.drawing


def test_who_draws_a_page_does_not_wait_for_it(monkeypatch):
    monkeypatch.setattr(give_way, "PATIENCE", 30.0)
    monkeypatch.setattr(give_way, "STALE", 30.0)
    give_way.page_begins()
    give_way.let_pages_pass()
    assert give_way.drawing
    give_way.page_ends()


def test_long_work_in_a_page_pauses_for_others_but_no_longer_than_it_works(monkeypatch):
    clock, pauses = [0.0], []

    def let_pages_pass(patience):
        pauses.append(patience)
        clock[0] += patience

    monkeypatch.setattr(give_way.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(give_way, "let_pages_pass", let_pages_pass)
    work = give_way.LongWork()
    for _ in range(40):
        clock[0] += 0.01
        work.give_way()
    assert sum(pauses) == pytest.approx(0.4)
    clock[0] += 10
    work.give_way()
    assert pauses[-1] == give_way.PATIENCE


def test_pages_that_compute_for_long_do_not_wait_for_each_other(monkeypatch):
    monkeypatch.setattr(give_way, "drawing", {})
    give_way.LongWork().end()
    assert give_way.drawing == {}
    give_way.page_begins()
    work = give_way.LongWork()
    assert give_way.drawing == {}
    work.end()
    assert list(give_way.drawing) == [threading.get_ident()]


def test_who_waits_is_not_one_who_draws_and_can_be_stopped(monkeypatch):
    class Context:
        def yield_check(self):
            if len(drawn) > 4:
                raise StopAsyncIteration  # as a run that is to stop

    monkeypatch.setattr(give_way, "get_script_run_ctx", lambda **_: Context())
    give_way.drawing.clear()
    give_way.page_begins()
    drawn = []
    with pytest.raises(StopAsyncIteration):
        give_way.wait_for(lambda seconds: drawn.append(dict(give_way.drawing)))
    assert list(drawn[0]) == [threading.get_ident()]
    assert drawn[1:] == [{}] * 4


def test_a_page_begins_and_ends():
    give_way.drawing.clear()
    visit("qkv")
    assert give_way.drawing == {}
