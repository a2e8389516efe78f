"""The vectors of dot as bars: what the browser is given, what it may report, and when a task is done."""

import json

import numpy as np
import pytest

from pages.motion.vector_bars import is_done, vectors_of
from pages.qkv.dot import NAMES, PAIRS, TASKS
from tests.app import visits
from tests.app.qkv.scene import VECTORS, close
from tests.app.visits import controls, heatmap, main, sent_to, shared, visit

ROWS = np.array(list(VECTORS.values()))
BOTH = "0.8 1 1 1"  # of mat: both tasks are done within the bars' range
LONG = "9 9 9 9"
NO_VECTORS = (None, "1234", [1, 2, 3], *([1, 2, 3, last] for last in (100, float("nan"), True, "4", 10**400)))
NO_MESSAGES = [None, "mat", ["mat"], {}, {"dog": [1, 2, 3, 4]}, *({"mat": vector} for vector in NO_VECTORS)]


def report(app, event):
    """Let a page hear that a bar was released, as the browser reports it."""
    (drawn,) = sent_to(app, "attention_vector_bars")
    return visits.report(app, drawn, "moved", event)


def bars(app):
    """Return what the bars are given to draw."""
    (drawn,) = sent_to(app, "attention_vector_bars")
    return json.loads(drawn.json)


def test_the_bars_are_given_the_vectors_and_reach_from_minus_1_to_1():
    given = bars(visit("qkv", step="dot"))
    close(given["vectors"], ROWS)
    assert given["names"] == list(VECTORS)
    assert (given["limit"], given["step"]) == (1, 0.1)
    assert given["product_limit"] >= max(abs(ROWS[i] @ ROWS[j]) for i, j in PAIRS)


@pytest.mark.parametrize(
    ("text", "limit", "smallest"),
    [("1 -1 0.5 0", 1, 0.1), ("1.5 0 0 0", 2, 0.1), (LONG, 16, 1), ("99 -99 0 0", 99, 1), ("0 0 0 -3", 4, 0.1)],
)
def test_the_bars_reach_as_far_as_a_number_that_was_typed(text, limit, smallest):
    given = bars(visit("qkv", step="dot", mat=text))
    assert (given["limit"], given["step"]) == (limit, smallest)
    assert np.abs(given["vectors"]).max() <= limit
    assert given["vectors"][2] == [float(number) for number in text.split()]


def test_a_bar_that_was_released_is_in_the_map_in_the_field_and_in_the_link():
    app = report(visit("qkv", step="dot"), {"mat": [0.1, -0.9, 0.30000001, 0]})
    assert controls(app)["qkv_mat"].value == "0.1 -0.9 0.30000001 0"
    changed = np.array([*ROWS[:2], [0.1, -0.9, 0.30000001, 0]])
    close(heatmap(main(app)).values, changed @ changed.T)
    close(bars(app)["vectors"], changed)
    assert shared(app)["qkv_mat"] == "0.1 -0.9 0.30000001 0"
    report(app, {"mat": VECTORS["mat"]})
    assert "qkv_mat" not in shared(app)


def test_what_is_no_message_of_the_bars_changes_nothing():
    app = visit("qkv", step="dot")
    for event in NO_MESSAGES:
        assert vectors_of(event, NAMES, 4) == {}
        close(heatmap(main(report(app, event))).values, ROWS @ ROWS.T)


@pytest.mark.parametrize("word", ["lock", "hide"])
def test_a_locked_vector_is_marked_and_keeps_its_numbers(word):
    app = visit("qkv", step="dot", **{word: "mat"})
    assert bars(app)["locked"] == [False, False, True]
    report(app, {"mat": [1, 1, 1, 1]})
    close(bars(app)["vectors"], ROWS)
    report(app, {"sat": [1, 1, 1, 1]})
    close(bars(app)["vectors"][1], 1)


@pytest.mark.parametrize(
    ("mat", "done"),
    [
        ("0.8 0.2 0.7 0.3", [False, False]),
        ("0.1 0.9 0.3 0.7", [True, False]),
        ("1 1 1 1", [False, True]),
        (BOTH, [True, True]),
        (LONG, [False, True]),
        ("0 0 0 0", [False, False]),
        ("0.9 0.1 0.8 0.2", [False, False]),  # as cat: equal is not larger
    ],
)
def test_a_task_is_done_where_its_products_say_so(mat, done):
    vector = np.array([float(number) for number in mat.split()])
    cat, sat = ROWS[:2]
    expected = [sat @ vector > cat @ vector + 1e-9, cat @ vector > cat @ cat + 1e-9]
    assert expected == done
    assert [is_done(np.array([cat, sat, vector]), task) for task in TASKS] == done
