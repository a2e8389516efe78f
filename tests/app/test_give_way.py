"""Long work lets pages pass, and is never held up for good."""

import threading
import time
from contextlib import suppress

import pytest
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from pages.server import give_way
from pages.server.shares import NOBODY, Shares
from tests.app.visits import visit


@pytest.fixture(autouse=True)
def drawing(monkeypatch):
    monkeypatch.setattr(give_way, "drawing", drawing := {})
    monkeypatch.setattr(give_way, "STALE", 1000.0)
    return drawing


def page(used=0.0, ago=0.0):
    return give_way.Begun(NOBODY, (0.0, used), time.monotonic() - ago, 0.0)


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


@pytest.mark.parametrize(
    ("own", "other", "waits"), [(0.1, 0, False), (0.4, 0, True), (0.4, 0.3, True), (0.4, 0.5, False)]
)
def test_a_page_of_who_draws_without_a_rest_waits_for_those_of_who_drew_less(monkeypatch, drawing, own, other, waits):
    monkeypatch.setattr(give_way, "STALE", 0.05)
    drawing.update({"": page(own), "other": page(other)})
    with suppress(RuntimeError, AttributeError):  # of Streamlit, which is not to send anything
        ScriptRunContext.enqueue(None, None)
    assert (time.monotonic() - drawing[""].began > 0.02) == waits


def test_who_draws_is_charged_also_for_pages_that_were_broken_off(monkeypatch, drawing):
    monkeypatch.setattr(give_way, "PAGES", pages := Shares(lambda: 0.0))
    monkeypatch.setattr(give_way.time, "thread_time", iter([0.0, 0.3, 0.5, 0.5]).__next__)
    give_way.page_begins()
    give_way.page_ends()
    give_way.page_ends()
    assert pages.lately() == {NOBODY: pytest.approx(0.3)}
    drawing[""] = page(ago=0.5)
    give_way.page_begins()
    assert pages.lately() == {NOBODY: pytest.approx(0.8, abs=0.1)}


def test_pages_that_compute_for_long_do_not_wait_for_each_other_and_a_page_ends(drawing):
    give_way.LongWork().end()
    assert drawing == {}
    give_way.page_begins()
    drawing[""].began -= 5000.0
    work = give_way.LongWork()
    assert drawing == {}
    work.began -= 5000.0  # all that time
    work.end()
    assert [*give_way.drawn_besides("other")] == [drawing[""]]
    visit("qkv")
    assert [*drawing] == ["", "test session id"]
    assert drawing["test session id"].ended
