"""Long work lets pages pass, and is never held up for good."""

import threading
import time
from contextlib import suppress
from itertools import count

import pytest
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.testing.v1 import AppTest

from pages.server import give_way
from pages.server.shares import Shares, Visitor


@pytest.fixture(autouse=True)
def drawing(monkeypatch):
    monkeypatch.setattr(give_way, "drawing", drawing := {})
    monkeypatch.setattr(give_way, "STALE", 1000.0)
    return drawing


def page(used=0.0, by_all=0.0, address=""):
    return give_way.Begun(Visitor(address), (by_all, used), time.monotonic(), 0.0)


def test_a_page_is_waited_for_until_it_is_sent_but_not_by_itself(monkeypatch, drawing):
    monkeypatch.setattr(give_way, "PATIENCE", 1000.0)
    give_way.page_begins()
    give_way.let_pages_pass()
    drawing["other"] = page()
    passed = threading.Event()
    thread = threading.Thread(target=lambda: (give_way.let_pages_pass(), passed.set()))
    thread.start()
    give_way.leave("other", ended=True)
    assert not passed.wait(0.05)
    drawing["other"].ended = True
    give_way.leave("other", ended=True)
    assert passed.wait(60)
    thread.join()


def test_long_work_goes_on_though_a_page_never_ends_and_forgets_one_that_was_broken_off(monkeypatch, drawing):
    drawing["other"] = page()
    give_way.let_pages_pass(0.05)
    monkeypatch.setattr(give_way, "STALE", -1.0)
    give_way.let_pages_pass(1000.0)
    monkeypatch.setattr(give_way, "FORGOTTEN", -1.0)
    give_way.page_begins()
    assert [*drawing] == [""]


def test_long_work_in_a_page_pauses_for_others_but_no_longer_than_it_works(monkeypatch):
    clock, pauses = [0.0], []
    monkeypatch.setattr(give_way.time, "monotonic", lambda: clock[0])

    def let_pages_pass(patience):
        pauses.append(patience)
        clock[0] += patience

    monkeypatch.setattr(give_way, "let_pages_pass", let_pages_pass)
    work = give_way.LongWork()
    for _ in range(400):
        clock[0] += 0.01
        work.give_way()
    assert max(pauses) <= give_way.PATIENCE
    assert 3.9 < sum(pauses) <= 4.0 + 1e-9
    clock[0] += 10
    work.give_way()
    assert pauses[-1] == give_way.PATIENCE


OF_TABS = [((0.1,), (0.0,), False), ((0.4,), (0.0,), True), ((0.4,), (0.3,), True), ((0.4,), (0.5,), False)]
OF_ADDRESSES = [((0.1, 0.3), (0.2, 0.2, "home"), False), ((0.1, 0.6), (0.2, 0.2, "home"), True)]


@pytest.mark.parametrize(("own", "other", "waits"), [*OF_TABS, *OF_ADDRESSES, ((0.1, 0.6), (0.0, 0.6), False)])
def test_a_page_of_who_draws_without_a_rest_waits_for_those_of_who_drew_less(monkeypatch, drawing, own, other, waits):
    monkeypatch.setattr(give_way, "STALE", 0.05)
    drawing.update({"": page(*own), "other": page(*other)})
    with suppress(RuntimeError, AttributeError):  # of Streamlit, which is not to send anything
        ScriptRunContext.enqueue(None, None)
    assert (time.monotonic() - drawing[""].began > 0.02) == waits


PARTS = """
import streamlit as st
st.fragment(st.button)("Run")
"""


@pytest.mark.parametrize("end", ["", "st.stop()", "1 / 0", "give_way.LongWork(); st.stop()"])
def test_each_run_is_charged_however_it_ends_and_nobody_waits_for_a_closed_tab(monkeypatch, drawing, end):
    monkeypatch.setattr(give_way, "PAGES", pages := Shares(lambda: 0.0))
    monkeypatch.setattr(give_way.time, "thread_time", count().__next__)
    monkeypatch.setattr(give_way, "is_open", lambda tab: False)
    app = AppTest.from_string(f"from pages.server import give_way\n{PARTS}\n{end}").run()
    app.button[0].click().run()
    assert sum(pages.lately().values()) == 2
    assert drawing == {}


def test_pages_that_compute_for_long_do_not_wait_for_each_other_and_a_page_ends(drawing, monkeypatch):
    monkeypatch.setattr(give_way, "PAGES", Shares(half=5.0))
    give_way.LongWork().end()
    assert drawing == {}
    give_way.PAGES.charge(Visitor("", "a tab that was closed"), 50.0)
    give_way.page_begins()
    assert drawing[""].used[1] > 40.0
    drawing[""].began -= 5000.0
    work = give_way.LongWork()
    assert drawing == {}
    work.began -= 5000.0  # all that time
    work.end()
    assert [*give_way.drawn_besides("other")] == [drawing[""]]
