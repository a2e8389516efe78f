"""A share for each: who has used least comes first, and nobody keeps what all share."""

import threading
from contextlib import suppress
from unittest.mock import Mock

import pytest

from pages.server import give_way, shares
from pages.server.give_way import Line
from pages.server.shares import Shares, Visitor, network, visitor


@pytest.fixture
def now(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(give_way, "SHARES", Shares(lambda: clock[0]))
    return clock


def order_of(used, waiting):
    """Return who of those that wait comes first, second and so on, after what was used."""
    kept = Shares(lambda: 0.0)
    for who, seconds in used:
        kept.charge(who, seconds)
    placed = kept.order(waiting)
    return sorted(range(len(waiting)), key=lambda i: placed[i])


GREEDY, FRESH, OTHER = Visitor("1.1.1.1", "a"), Visitor("2.2.2.2", "b"), Visitor("1.1.1.1", "c")


def test_who_has_used_least_comes_first_by_address_and_then_by_tab():
    assert order_of([], [GREEDY, FRESH, GREEDY]) == [0, 1, 2]  # in the order in which they came
    assert order_of([(GREEDY, 9.0)], [GREEDY, OTHER, FRESH]) == [2, 1, 0]
    assert order_of([(GREEDY, 1.0), (FRESH, 2.0)], [FRESH, OTHER]) == [1, 0]


def test_a_school_counts_as_the_root_of_its_tabs_and_so_do_the_tabs_of_one_person():
    school = [(Visitor("school", f"{i}"), 1.0) for i in range(25)]
    for own, first in ((4.0, 1), (6.0, 0)):
        assert order_of([*school, (FRESH, own)], [Visitor("school", "0"), FRESH])[0] == first


def test_who_loads_a_page_anew_answers_for_the_tab_that_was_closed_and_for_no_open_one(monkeypatch):
    monkeypatch.setattr(shares, "is_open", lambda tab: tab not in "ad")
    kept = Shares(lambda: 0.0)
    for who, used in ((GREEDY, 3.0), (Visitor("1.1.1.1", "d"), 1.0), (FRESH, 2.0), (OTHER, 0.5)):
        kept.charge(who, used)
    for tab in ("c", "e", "f", "g"):
        kept.take_over(Visitor("1.1.1.1", tab))
    assert sorted((who.tab, used) for who, used in kept.used.items()) == [("b", 2), ("c", 0.5), ("e", 3), ("f", 1)]


def test_what_was_used_is_forgotten():
    clock = [0.0]
    kept = Shares(lambda: clock[0])
    kept.charge(GREEDY, 8.0)
    clock[0] = 3 * shares.HALF
    assert kept.order([GREEDY]) == [pytest.approx((1.0, 1.0))]
    clock[0] = 60 * shares.HALF
    kept.charge(FRESH, 1.0)
    assert kept.used.keys() == {FRESH}


def test_an_address_is_that_of_a_household():
    assert network("10.0.0.7") == network("::ffff:10.0.0.7") == "10.0.0.7"
    assert network("2001:db8::1") == network("2001:db8::ffff") == "2001:db8::/64" != network("2001:db8:0:1::1")
    assert network("") == ""
    assert network("testclient") == "testclient"
    assert visitor() == Visitor()


@pytest.mark.parametrize("places", [1, 2])
def test_in_a_line_the_fresh_pass_the_greedy_and_who_has_the_turn_keeps_it(places, now, monkeypatch):
    line, order, go = Line(places), [], threading.Event()
    who = threading.local()
    monkeypatch.setattr(give_way, "visitor", lambda: who.is_)

    def come(each, name):
        who.is_ = each
        with line.turn():
            order.append(name)
            assert go.wait(60)
            now[0] += 1.0

    def begin(each, name):
        n = len(line.waiting)
        threads.append(threading.Thread(target=come, args=(each, name)))
        threads[-1].start()
        while len(line.waiting) == n or (n < places and len(order) == n):
            pass

    threads = []
    for i in range(places):
        begin(GREEDY, f"first {i}")
    give_way.SHARES.charge(GREEDY, 50.0)
    for each, name in ((GREEDY, "greedy"), (OTHER, "other"), (FRESH, "fresh")):
        begin(each, name)
    go.set()
    for thread in threads:
        thread.join(60)
    assert order[:places] == [f"first {i}" for i in range(places)]
    rest = order[places:]  # of two at a time, each may say so after the one that got its turn later
    assert rest == ["fresh", "other", "greedy"] if places == 1 else rest[0] != "greedy"
    assert line.waiting == []


def test_a_long_line_is_sorted_seldom_whoever_looks(now, monkeypatch):
    line, order = Line(2), Mock(wraps=give_way.SHARES.order)
    line.waiting = [give_way.Ticket(Visitor("school", f"{i}")) for i in range(50)]
    monkeypatch.setattr(give_way, "TELL", 1000.0)
    monkeypatch.setattr(give_way.SHARES, "order", order)
    monkeypatch.setattr(give_way.time, "monotonic", lambda: 2000.0)
    assert [line.ahead_of(one) for one in line.waiting] == [0, *range(49)]
    assert order.call_count == 1
    with suppress(TimeoutError), line.turn(Mock(side_effect=TimeoutError)):
        pass
    assert line.sorted == 0.0  # who has left may have used something


def test_who_gives_up_leaves_the_line_and_is_not_charged(now):
    line = Line()
    with line.turn():

        def give_up(ahead):
            assert ahead == 1
            raise TimeoutError

        with pytest.raises(TimeoutError), line.turn(give_up):
            pass
        assert len(line.waiting) == 1
    assert line.waiting == []
