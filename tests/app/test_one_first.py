"""Of those who open a view at the same moment, one draws it first."""

import threading

import pytest

from pages.server import give_way
from pages.server.one_first import WAITING, one_first
from tests.app.visits import press, visit


@pytest.fixture
def unseen(monkeypatch):
    """As in a server that nobody has visited."""
    monkeypatch.setattr("pages.server.one_first.SEEN", found := {})
    return found


class Student(threading.Thread):
    """One who draws a view up to some answers, holds on, and goes on."""

    def __init__(self, answers=0):
        super().__init__(daemon=True)
        self.answers, self.inside, self.go_on = answers, threading.Event(), threading.Event()
        self.start()

    def run(self):
        with one_first("lesson/step") as shows_answer:
            for _ in range(self.answers):
                shows_answer()
            self.inside.set()
            self.go_on.wait(20)

    def ends(self):
        self.go_on.set()
        self.join(20)
        assert not self.is_alive()


def test_the_first_draws_a_view_alone_and_all_others_together(unseen):
    first = Student()
    assert first.inside.wait(20)
    others = [Student() for _ in range(3)]
    assert not any(other.inside.wait(0.2) for other in others)
    first.ends()
    one = next(other for other in [*others, *others] if other.inside.wait(5))
    one.ends()
    assert all(other.inside.wait(20) for other in others)  # nobody has answered, and nobody waits
    assert Student().inside.wait(20)


def test_what_an_answer_shows_is_drawn_by_one_first_too(unseen):
    Student().ends()
    first = Student(answers=1)
    assert first.inside.wait(20)
    second, unanswered = Student(answers=1), Student()
    assert unanswered.inside.wait(20)
    assert not second.inside.wait(0.2)
    first.ends()
    assert second.inside.wait(20)
    assert Student(answers=1).inside.wait(20)


def test_an_answer_given_while_the_step_runs_alone_takes_no_turn(unseen):
    with one_first("lesson/step") as shows_answer:
        pass
    shows_answer()
    assert not WAITING["lesson/step"].locked()


def test_who_waits_is_not_one_who_draws(unseen):
    waits, looks = threading.Event(), []

    def ready(seconds):
        looks.append(seconds)
        waits.set()
        return len(looks) > 4

    give_way.drawing.clear()
    give_way.page_begins()
    drawn = []
    give_way.wait_for(lambda seconds: drawn.append(dict(give_way.drawing)) or ready(seconds))
    assert list(drawn[0]) == [threading.get_ident()]
    assert drawn[1:] == [{}] * 4
    assert list(give_way.drawing) == [threading.get_ident()]
    give_way.page_ends()


def test_who_waits_can_be_stopped(unseen, monkeypatch):
    class Context:
        def yield_check(self):
            raise StopAsyncIteration  # as a run that is to stop

    monkeypatch.setattr(give_way, "get_script_run_ctx", lambda **_: Context())
    with WAITING["lesson/step"], pytest.raises(StopAsyncIteration), one_first("lesson/step"):
        pass
    assert not WAITING["lesson/step"].locked()
    assert not unseen


def test_a_view_that_ends_in_an_error_lets_the_next_one_in(unseen):
    with pytest.raises(ZeroDivisionError), one_first("lesson/step"):
        raise ZeroDivisionError
    assert not WAITING["lesson/step"].locked()
    assert not unseen


def test_a_step_is_seen_with_its_question_and_then_with_the_answer(unseen):
    app = visit("scaling", step="claims")
    assert unseen == {"scaling/claims": 0}
    press(app, "Just show me")
    assert unseen == {"scaling/claims": 1}
    visit("scaling", step="spread", ask="no")
    assert unseen["scaling/spread"] == 1
