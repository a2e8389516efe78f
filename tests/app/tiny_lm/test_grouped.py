"""grouped: each point is the size of a cache and the mean loss of its runs."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.language.costs import cache_bytes
from attention_core.experiments.language.smaller_caches import CHANGES, READ_LENGTH, config_of, losses_of_caches
from pages.tiny_lm.grouped import BACK
from tests.app.steps import step

show = partial(step, "tiny_lm", "grouped")


def losses(seen):
    (chart,) = seen.charts
    return chart.data.loss.to_numpy()


@pytest.mark.parametrize("back", [BACK[0], "2", "8", "10", BACK[-1]])
def test_a_point_is_the_mean_of_the_runs_and_the_size_of_the_cache(back):
    (chart,) = show(stood=back).charts
    wanted = [found[:, BACK.index(back)].mean() for found in losses_of_caches().values()]
    np.testing.assert_allclose(chart.data.loss, wanted)
    sizes = [cache_bytes(config_of(kind), READ_LENGTH) / 1000 for kind in CHANGES]
    np.testing.assert_allclose(chart.data[f"cache after {READ_LENGTH} tokens, kB"], sizes)


def test_before_the_answer_every_letter_stood_near_and_all_models_know_it():
    assert losses(show(unanswered="all", stood="12")).max() < 0.15


def test_what_is_right_is_so_in_every_run():
    found = losses_of_caches()
    assert found["1 group"][:, 0].max() < 0.05 < 1 < found["window of 8"][:, 6].min()


def test_a_click_on_a_point_says_how_its_bytes_come_about():
    seen = show(cache_kind="window of 8")
    assert any("= 1,024 bytes a token, 8.2 kB after 32. A window keeps 8 tokens" in text for text in seen.html)
