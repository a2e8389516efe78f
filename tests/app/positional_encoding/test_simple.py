"""simple: plain numbers, one-hot vectors and waves as codes of positions."""

from functools import partial

import pytest

from pages.positional_encoding.simple import asked_position
from tests.app.positional_encoding.scene import VARIANTS, line
from tests.app.steps import step

show = partial(step, "positional_encoding", "simple")


def test_before_the_answer_the_line_ends_before_the_position_that_is_asked_about():
    for variant in VARIANTS:
        seen = show(unanswered="all", variants={"drown": variant})
        assert line(seen, "0, 1, 2 …")[0].max() < asked_position(20, variant)


@pytest.mark.parametrize("d_model", [8, 128])
@pytest.mark.parametrize("base", [10, 1000000])
def test_every_cosine_is_inside_its_axis(d_model, base):
    for chart in show(d_model=d_model, base=base, length=256).charts:
        low, high = chart.spec["layer"][1]["encoding"]["y"]["scale"]["domain"]
        assert low <= chart.data["value"].min()
        assert chart.data["value"].max() <= high + 1e-9


def test_nothing_is_asked_where_the_few_entries_of_these_words_decide():
    assert show(unanswered="all", d_model=8, length=4, seed=46).page.asked == []  # 0.12 at position 3, and not 0.32
