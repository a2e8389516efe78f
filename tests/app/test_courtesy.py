"""Long work lets pages pass, and is never held up for good."""

import threading
import time

from pages.shared import courtesy
from tests.app.visits import visit


def seconds(function):
    began = time.monotonic()
    function()
    return time.monotonic() - began


def test_nobody_is_waited_for_where_no_page_is_drawn():
    courtesy.drawing.clear()
    assert seconds(courtesy.let_pages_pass) < courtesy.PATIENCE / 2


def test_a_page_is_waited_for_until_it_is_drawn(monkeypatch):
    monkeypatch.setattr(courtesy, "PATIENCE", 30.0)
    monkeypatch.setattr(courtesy, "STALE", 30.0)
    courtesy.page_begins()
    passed = threading.Event()
    thread = threading.Thread(target=lambda: (courtesy.let_pages_pass(), passed.set()))
    thread.start()
    time.sleep(0.05)
    assert not passed.is_set()
    courtesy.page_ends()
    thread.join(timeout=20)
    assert passed.is_set()


def test_a_page_that_was_broken_off_is_forgotten(monkeypatch):
    monkeypatch.setattr(courtesy, "STALE", 0.0)
    courtesy.page_begins()
    time.sleep(0.01)
    courtesy.let_pages_pass()
    assert courtesy.drawing == {}


def test_long_work_goes_on_though_pages_never_end(monkeypatch):
    monkeypatch.setattr(courtesy, "STALE", 30.0)
    monkeypatch.setattr(courtesy, "PATIENCE", 0.05)
    monkeypatch.setattr(courtesy, "drawing", {-1: time.monotonic()})
    assert seconds(courtesy.let_pages_pass) >= 0.05
    assert courtesy.drawing


def test_who_draws_a_page_does_not_wait_for_it(monkeypatch):
    monkeypatch.setattr(courtesy, "PATIENCE", 30.0)
    monkeypatch.setattr(courtesy, "STALE", 30.0)
    courtesy.page_begins()
    courtesy.let_pages_pass()
    assert courtesy.drawing
    courtesy.page_ends()


def test_a_page_begins_and_ends():
    courtesy.drawing.clear()
    visit("qkv")
    assert courtesy.drawing == {}
