"""clocks: pairs as hands, and the matrix that rotates them."""

from functools import partial

import pytest

import attention_core as core
from attention_core.equations.positions import frequencies
from attention_core.experiments.positions.position_kinds import shift_matrix
from tests.app.positional_encoding.scene import close, drawn, matrix
from tests.app.steps import step
from tests.app.visits import said, sent, visit

show = partial(step, "positional_encoding", "clocks")


def test_clocks_point_where_the_table_says_and_rotate_by_the_matrix():
    seen = show(here=6, steps=-4, d_model=32)
    encoding = core.sinusoidal_positions(50, 32)
    for i, pair in enumerate((0, 2, 4)):
        close(drawn(seen, "arrow", i), encoding[[6, 2]][:, [2 * pair + 1, 2 * pair]])
    close(matrix(seen, 3), shift_matrix(-4, 32)[:8, :8])
    assert "differs from PE[0]" in said(show(here=4, steps=-4))
    elsewhere = show(here=30, steps=-4, d_model=32)
    assert elsewhere.charts[3].data.equals(seen.charts[3].data)  # the rotation does not depend on where it starts


CLOCKS = "attention_moving_clocks"


@pytest.mark.parametrize("base", ["10000", "100"])
def test_the_browser_gets_the_angle_of_each_pair_and_where_a_hand_begins(base):
    data = sent(visit("positional_encoding", step="clocks", ask="no", d_model="32", base=base), CLOCKS)
    here, steps = ([int(stop) for stop in slider["stops"]] for slider in data["sliders"])
    assert (here, steps) == ([*range(48)], [*range(-12, 13)])
    turns, first = frequencies(32, float(base)), core.sinusoidal_positions(1, 32)[0]
    for clock in data["clocks"]:
        assert clock["turn"] == pytest.approx(turns[clock["pair"]])
        for hand in clock["hands"]:
            assert hand["start"] == [first[2 * clock["pair"] + 1], first[2 * clock["pair"]]]


def test_before_the_answer_the_clocks_stand_still_where_the_question_begins():
    data = sent(visit("positional_encoding", step="clocks", here="30"), CLOCKS)
    assert all(slider["disabled"] for slider in data["sliders"])
    assert [slider["stops"][slider["at"]] for slider in data["sliders"]] == ["4", "3"]
