"""Functions that several threads call at the same moment."""

import time
from functools import lru_cache

import pytest

from attention_core.experiments.multi_head.retrained import links_by_seed
from attention_core.experiments.positions.probes import probe_by_strength
from attention_core.shipped.models import read_model
from attention_core.text.corpora import known_n_grams, source_of
from attention_core.text.stories import story_pieces
from attention_core.threads import one_at_a_time
from tests.at_once import at_once


def test_a_cached_function_is_computed_once_for_all_who_ask_at_the_same_moment():
    calls = []

    @one_at_a_time
    @lru_cache(maxsize=4)
    def costly(number):
        calls.append(number)
        time.sleep(0.05)
        return [number]

    found = at_once(6, lambda: costly(7))
    assert calls == [7]
    assert all(one is found[0] for one in found)
    assert costly.__name__ == "costly"


def test_a_cached_function_that_fails_lets_the_next_one_in():
    @one_at_a_time
    @lru_cache(maxsize=4)
    def inverse(number):
        return 1 // number

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            inverse(0)
    assert at_once(2, lambda: inverse(1)) == [1, 1]


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        (read_model, ("pronoun", 300)),
        (source_of, ("pronoun",)),
        (known_n_grams, ("pronoun", 24)),
        (story_pieces, ()),
        (links_by_seed, ()),
        (probe_by_strength, ("sinusoidal", 16, 8)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_ships_is_the_same_object_for_all_threads(cached, asked):
    cached.__wrapped__.cache_clear()
    found = at_once(4, lambda: cached(*asked))
    assert all(one is found[0] for one in found)
