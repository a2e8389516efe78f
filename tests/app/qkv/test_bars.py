"""The vectors of dot as bars: what the browser is given, what it may report, and when a task is done."""

import json

import numpy as np
import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id

from pages.motion.vector_bars import is_done, product_told, vectors_of
from pages.qkv.dot import NAMES, PAIRS, TASKS
from tests.app.qkv.scene import VECTORS, close
from tests.app.steps import step
from tests.app.visits import controls, heatmap, main, said, sent_to, set_to, shared, sound, visit

ROWS = np.array(list(VECTORS.values()))
BOTH = "0.8 1 1 1"  # of mat: both tasks are done within the bars' range
LONG = "9 9 9 9"
NO_MESSAGES = [
    None,
    "mat",
    ["mat"],
    {},
    {"dog": [1, 2, 3, 4]},
    {"mat": None},
    {"mat": "1234"},
    {"mat": [1, 2, 3]},
    {"mat": [1, 2, 3, 100]},
    {"mat": [1, 2, 3, float("nan")]},
    {"mat": [1, 2, 3, True]},
    {"mat": [1, 2, 3, "4"]},
    {"mat": [1, 2, 3, 10**400]},
]


def bars(app):
    """Return what the bars are given to draw."""
    (drawn,) = sent_to(app, "attention_vector_bars")
    return json.loads(drawn.json)


def report(app, event):
    """Let a page hear that a bar was released, as the browser reports it."""
    (drawn,) = sent_to(app, "attention_vector_bars")
    states = app._tree.get_widget_states()
    text = json.dumps([{"event": "moved", "value": event}])
    states.widgets.add(id=_make_trigger_id(drawn.id, "events"), json_trigger_value=text)
    app._run(states)
    return sound(app)


def told(**link):
    """Return the lines on products and tasks."""
    (block,) = [block for block in step("qkv", "dot", **link).html if "Length trap" in block]
    return block.partition(">")[2].removesuffix("</div>").split("<br>")


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


def test_a_report_may_tell_of_several_vectors():
    app = report(visit("qkv", step="dot"), {"mat": [0, 0, 0, 1], "dog": [1, 1, 1, 1], "sat": [1, 0, 0, 0]})
    close(bars(app)["vectors"], [ROWS[0], [1, 0, 0, 0], [0, 0, 0, 1]])


@pytest.mark.parametrize("event", NO_MESSAGES)
def test_what_is_no_message_of_the_bars_changes_nothing(event):
    assert vectors_of(event, NAMES, 4) == {}
    report(app := visit("qkv", step="dot"), event)
    close(heatmap(main(app)).values, ROWS @ ROWS.T)


@pytest.mark.parametrize("word", ["lock", "hide"])
def test_a_locked_vector_is_marked_and_keeps_its_numbers(word):
    app = visit("qkv", step="dot", **{word: "mat"})
    assert bars(app)["locked"] == [False, False, True]
    report(app, {"mat": [1, 1, 1, 1]})
    close(bars(app)["vectors"], ROWS)
    report(app, {"sat": [1, 1, 1, 1]})
    close(bars(app)["vectors"][1], 1)


def test_a_field_that_is_typed_in_moves_the_bars():
    app = set_to(visit("qkv", step="dot"), qkv_sat="1 2")
    close(bars(app)["vectors"][1], [1, 2, 0, 0])
    assert bars(app)["limit"] == 2


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
def test_a_task_says_when_it_is_done_also_where_a_link_opens_with_it_done(mat, done):
    vector = np.array([float(number) for number in mat.split()])
    cat, sat = ROWS[:2]
    expected = [sat @ vector > cat @ vector + 1e-9, cat @ vector > cat @ cat + 1e-9]
    assert expected == done
    assert [is_done(np.array([cat, sat, vector]), task) for task in TASKS] == done
    lines = told(mat=mat)[-2:]
    assert [line[0] == "✓" for line in lines] == done
    assert [line.endswith("Not yet.") for line in lines] == [not right for right in done]


def test_length_is_named_where_it_did_the_second_task():
    assert told(mat="1 1 1 1")[-1].endswith("mat has 2.00, cat 1.22. Their cos is 0.82, of cat with itself 1.00.")


def test_each_product_is_both_lengths_times_the_cosine():
    assert told()[0] == "mat · cat = 1.12 × 1.22 × 0.99 = 1.36"
    assert told(mat="0 0 0 0")[0] == "mat · cat = 0.00 × 1.22 × 0.00 = 0.00"
    rng = np.random.default_rng(3)
    for vectors in rng.normal(size=(31, 3, 5)).round(1):
        for i, j in PAIRS:
            *factors, product = product_told(NAMES, vectors, (i, j)).replace("−", "-").partition("= ")[2].split("= ")
            close(round(float(vectors[i] @ vectors[j]), 2) + 0, float(product))
            length, other, cosine = map(float, factors[0].split("×"))
            close(length, round(float(np.sqrt((vectors[i] ** 2).sum())), 2))
            close(other, round(float(np.sqrt((vectors[j] ** 2).sum())), 2))
            assert abs(length * other * cosine - float(product)) < 0.005 * (1 + length * other + length + other)


def test_nonsense_in_a_field_shows_the_usual_vector_as_bars():
    app = visit("qkv", step="dot", mat="cat")
    close(bars(app)["vectors"], ROWS)
    assert "The vector of mat must be up to 8 numbers between −99 and 99" in said(app)
