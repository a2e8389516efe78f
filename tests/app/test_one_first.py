"""Of those who open a view at the same moment, one draws it first."""

import threading

import pytest

from pages.server import give_way
from pages.server.one_first import SEEN, WAITING, one_first
from tests.app.visits import visit


@pytest.fixture
def unseen(monkeypatch):
    """As in a server that nobody has visited."""
    seen = set(SEEN)
    SEEN.clear()
    yield
    SEEN.clear()
    SEEN.update(seen)


def test_one_draws_at_a_time_until_the_view_was_drawn_whole(unseen):
    inside, most, shown = [], [], []

    def draw(whole):
        with one_first("lesson/step") as drawn_whole:
            inside.append(1)
            most.append(len(inside))
            assert threading.get_ident() in give_way.drawing
            if whole:
                drawn_whole()
            shown.append(whole)
            inside.pop()
        give_way.page_ends()

    threads = [threading.Thread(target=draw, args=(whole,)) for whole in [False] * 4 + [True]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(shown) == 5
    assert set(most) == {1}
    with WAITING["lesson/step"], one_first("lesson/step"):  # nobody waits any more
        pass


def test_who_waits_is_not_one_who_draws(unseen):
    waits = threading.Event()

    def draw():
        give_way.page_begins()
        waits.set()
        with one_first("lesson/step"):
            pass
        give_way.page_ends()

    give_way.drawing.clear()
    with WAITING["lesson/step"]:
        thread = threading.Thread(target=draw)
        thread.start()
        assert waits.wait(20)
        give_way.let_pages_pass(20)
        assert give_way.drawing == {}
    thread.join(20)


def test_a_view_that_ends_in_an_error_lets_the_next_one_in(unseen):
    with pytest.raises(ZeroDivisionError), one_first("lesson/step"):
        raise ZeroDivisionError
    assert not WAITING["lesson/step"].locked()
    assert not SEEN


def test_a_step_is_seen_when_no_question_hides_it(unseen):
    visit("scaling", step="claims")
    assert set() == SEEN
    visit("scaling", step="claims", ask="no")
    assert {"scaling/claims"} == SEEN
