"""Results that are kept as long as the model that they are about."""

import time

import numpy as np
import pytest

from attention_core.model.config import Config
from attention_core.model.parameters import init_model
from pages.server.model_cache import KEPT, MOST, is_kept, kept
from tests.at_once import at_once


def test_results_are_kept_as_long_as_their_model():
    calls = []

    def costly(model, rows, more=0):
        calls.append(more)
        return rows + more

    model = init_model(Config(3, 2, 1, 1, 4))
    first = kept(costly, model, np.arange(3), 1)
    assert kept(costly, model, np.arange(3), 1) is first
    assert not first.flags.writeable
    assert not is_kept(costly, model, np.arange(3), 1.0)  # another kind of number
    assert not is_kept(costly, model, np.arange(3.0), 1)
    for more in range(2, MOST + 2):
        kept(costly, model, np.arange(3), more)
    assert not is_kept(costly, model, np.arange(3), 1)
    assert calls == list(range(1, MOST + 2))
    assert model in KEPT
    assert all(np.arange(3).tobytes() not in asked[0] for asked in KEPT[model][costly])  # it may have been typed
    before = len(KEPT)
    del model
    assert len(KEPT) == before - 1


def test_a_caller_may_have_more_results_kept():
    model, more = init_model(Config(3, 2, 1, 1, 4)), MOST + 2

    def place(model, number):
        return number

    for number in range(more + 1):
        kept(place, model, number, most=more)
    assert [is_kept(place, model, number) for number in range(more + 1)] == [False] + more * [True]


def test_who_asks_while_another_computes_waits_for_the_same_result():
    model, calls = init_model(Config(3, 2, 1, 1, 4)), []

    def costly(model):
        calls.append(1)
        time.sleep(0.2)
        return np.arange(3)

    found = at_once(8, lambda: kept(costly, model))
    assert len(calls) == 1
    assert all(one is found[0] for one in found)


def test_who_waited_for_what_failed_tries_himself_and_nothing_is_kept():
    model, calls = init_model(Config(3, 2, 1, 1, 4)), []

    def fails_at_first(model):
        calls.append(1)
        time.sleep(0.1)
        return 1 // (len(calls) - 1)

    found = at_once(3, lambda: kept(fails_at_first, model))
    assert sorted(map(str, found)) == ["1", "1", "integer division or modulo by zero"]
    assert len(calls) == 2

    def fails(model):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        kept(fails, model)
    assert not is_kept(fails, model)


def test_what_is_being_computed_is_not_kept_yet():
    model = init_model(Config(3, 2, 1, 1, 4))

    def looks(model):
        return is_kept(looks, model)

    assert kept(looks, model) is False
    assert is_kept(looks, model)


def test_arrays_in_lists_are_read_only_too():
    model = init_model(Config(3, 2, 1, 1, 4))
    inner, (first, _) = kept(lambda model: [np.arange(2), (np.arange(3), 5)], model)
    assert not inner.flags.writeable
    assert not first.flags.writeable
