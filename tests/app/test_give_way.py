"""Long work lets pages pass, and is never held up for good."""

import math
import threading
import time
from contextlib import suppress

import pytest
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from pages.server import give_way
from pages.server.shares import Shares
from tests.app.visits import visit


@pytest.fixture(autouse=True)
def drawing(monkeypatch):
    """A server on which no page is drawn, and of whose pages none is ever forgotten."""
    monkeypatch.setattr(give_way, "drawing", drawing := {})
    monkeypatch.setattr(give_way, "restless", {})
    monkeypatch.setattr(give_way, "STALE", 1000.0)
    return drawing


def test_a_page_is_waited_for_until_it_is_drawn_but_not_by_itself(monkeypatch, drawing):
    monkeypatch.setattr(give_way, "PATIENCE", 1000.0)
    give_way.page_begins()
    give_way.let_pages_pass()
    passed = threading.Event()
    thread = threading.Thread(target=lambda: (give_way.let_pages_pass(), passed.set()))
    thread.start()
    assert not passed.wait(0.05)
    give_way.page_ends()
    assert passed.wait(60)
    thread.join()


def test_long_work_goes_on_though_a_page_never_ends_and_forgets_one_that_was_broken_off(monkeypatch, drawing):
    drawing[-1] = time.monotonic()
    give_way.let_pages_pass(0.05)
    assert drawing
    monkeypatch.setattr(give_way, "STALE", -1.0)
    give_way.let_pages_pass(1000.0)
    assert drawing == {}


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


def test_a_tab_that_draws_without_a_rest_lets_others_pass_first(monkeypatch, drawing):
    clock, passed = [0.0], []
    monkeypatch.setattr(give_way.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(give_way, "PAGES", Shares(lambda: clock[0], half=give_way.PAGES.half))
    monkeypatch.setattr(give_way, "let_pages_pass", lambda: passed.append(clock[0]))
    for rest in (9.0, 9.0, 9.0, 0.01, 0.01, 9.0):
        give_way.page_begins()
        clock[0] += 0.2
        clock[0] += rest if give_way.page_ends() else math.nan
    give_way.page_begins()
    clock[0] += 0.4
    give_way.page_begins()  # the one before was broken off
    assert passed == pytest.approx([28.02, 37.62])
    assert len(drawing) == len(give_way.restless) == 1


@pytest.mark.parametrize(("others", "waits"), [([], False), (["restless"], False), (["calm"], True)])
def test_a_tab_that_draws_without_a_rest_pauses_before_an_element_for_calm_ones_alone(
    monkeypatch, drawing, others, waits
):
    own = threading.get_ident()
    give_way.restless.update({own: 0.02, "restless": 0.02})
    monkeypatch.setattr(give_way, "drawing", dict.fromkeys([own, *others], 0.0))
    with suppress(RuntimeError, AttributeError):  # of Streamlit, which is not to send anything
        ScriptRunContext.enqueue(None, None)
    assert (give_way.restless[own] <= 0) == waits


def test_pages_that_compute_for_long_do_not_wait_for_each_other_and_a_page_ends(drawing):
    give_way.LongWork().end()
    assert drawing == {}
    give_way.page_begins()
    work = give_way.LongWork()
    assert drawing == {}
    work.end()
    assert list(drawing) == [threading.get_ident()]
    give_way.page_ends()
    visit("qkv")
    assert drawing == {}
