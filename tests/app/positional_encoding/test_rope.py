"""RoPE: a query and a key rotated by their positions."""

from functools import partial

import pytest

from attention_core.equations.positions import frequencies
from attention_core.experiments.qkv.one_head import random_head
from tests.answers.view import numbers
from tests.app.positional_encoding.scene import SEED, WIDTH, X, close
from tests.app.steps import step
from tests.app.visits import move, press, sent, visit

show = partial(step, "positional_encoding", "rope")
CLOCKS = "attention_moving_clocks"


def stops(app):
    return {slider["name"]: slider["stops"][slider["at"]] for slider in sent(app, CLOCKS)["sliders"]}


def vectors(asks, answers):
    """Return the query of one word, and the key and the value of another."""
    head = random_head(WIDTH, 6, SEED)
    return X[asks] @ head.w_q, X[answers] @ head.w_k, X[answers] @ head.w_v


def test_the_browser_gets_q_k_and_v_and_the_angle_of_each_pair():
    app = visit("positional_encoding", step="rope", ask="no", asks="cat", answers="mat", base="100")
    data = sent(app, CLOCKS)
    for pair, clock in enumerate(data["clocks"]):
        assert clock["turn"] == pytest.approx(frequencies(6, 100.0)[pair])
        starts = {hand["role"]: hand["start"] for hand in clock["hands"]}
        for role, vector in zip(("query", "key", "value"), vectors(1, 6), strict=True):
            close(starts[role], vector[2 * pair : 2 * pair + 2])
    assert data["score"] == {"width": 6, "shift": "slide", "bars": True}
    told = [numbers(chart.alt)[-1] for chart in show().charts]  # what each pair adds to q · k
    assert sum(told) == pytest.approx(show().result("there").score * 6**0.5, abs=2e-4)


def test_an_answer_shows_what_was_asked():
    app = press(visit("positional_encoding", step="rope"), "Just show me")
    app = move(app, CLOCKS, slide="30")
    app = press(press(app, "Another question"), "Just show me")
    assert stops(app) == {"q_at": "9", "k_at": "5", "slide": "0"}


def test_an_answer_leaves_what_a_link_said():
    app = press(visit("positional_encoding", step="rope", q_at="30", slide="9"), "Just show me")
    assert stops(app) == {"q_at": "30", "k_at": "2", "slide": "9"}


def test_back_from_a_door_of_the_end_leads_to_the_end():
    app = press(visit("positional_encoding", step="now"), "positional_encoding_door_clinic")
    assert press(app, "Back").query_params["positional_encoding_step"] == "now"
