"""Results that are kept as long as the model that they are about."""

import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from attention_core.model.config import Config
from attention_core.model.parameters import init_model
from pages.server import give_way, model_cache
from pages.server.model_cache import OF_ANY, cached, is_kept
from tests.at_once import at_once


@pytest.fixture(autouse=True)
def nothing(monkeypatch):
    """As in a server that has computed nothing yet."""
    monkeypatch.setattr(model_cache, "KEPT", kept_here := WeakKeyDictionary())
    return kept_here


def of_bytes(model, size, number=0):
    return np.zeros(size, np.uint8)


def some_model():
    return init_model(Config(3, 2, 1, 1, 4))


def test_results_are_kept_as_long_as_their_model(nothing):
    calls = []

    def costly(model, rows, more=0):
        calls.append(more)
        return rows + more

    model = some_model()
    first = cached(costly, model, np.arange(3), 1)
    assert cached(costly, model, np.arange(3), 1) is first
    assert not first.flags.writeable
    assert not is_kept(costly, model, np.arange(3), 1.0)  # another kind of number
    assert not is_kept(costly, model, np.arange(3.0), 1)
    assert calls == [1]
    assert all(np.arange(3).tobytes() not in argument for argument in next(iter(nothing[model]))[1:])  # it may be typed
    del model
    assert len(nothing) == 0


def test_bytes_decide_what_stays_whosever_the_model_is(monkeypatch):
    class_s, brought = some_model(), some_model()
    monkeypatch.setattr(model_cache, "MAX_BYTES", 10 * OF_ANY)
    for number in range(3):
        cached(of_bytes, class_s, OF_ANY, number)
    for number in range(9):
        cached(of_bytes, class_s, OF_ANY, 0)  # what is asked for again and again
        cached(of_bytes, brought, OF_ANY, number)
    assert [is_kept(of_bytes, class_s, OF_ANY, number) for number in range(3)] == [True, False, False]
    assert [is_kept(of_bytes, brought, OF_ANY, number) for number in range(9)] == [False] * 5 + [True] * 4


def test_a_view_counts_as_all_that_it_keeps_and_parameters_as_nothing_and_what_is_too_large_is_given_but_not_kept(
    monkeypatch, nothing
):
    model = some_model()
    cached(lambda model: [np.zeros((5, 1000))[:1], {"twice": (one := np.zeros(8)), "as": one}], model)
    cached(lambda model: [model.flat, model.flat[:3]], model)
    assert [entry.size - OF_ANY for entry in nothing[model].values()] == [8 * 5000 + 8 * 8, 0]
    monkeypatch.setattr(model_cache, "MAX_BYTES", 20 * OF_ANY)
    assert len(cached(of_bytes, model, 20 * OF_ANY)) == 20 * OF_ANY
    assert not is_kept(of_bytes, model, 20 * OF_ANY)
    for number in range(50):
        cached(lambda model, number: number, model, number)
        cached(hash, model)
    assert len(nothing[model]) == 20


def test_who_asks_while_another_computes_waits_for_the_same_result_and_tries_himself_where_that_failed():
    model, calls = some_model(), []

    def fails_at_first(model):
        calls.append(1)
        assert not is_kept(fails_at_first, model)
        time.sleep(0.2)
        return [[1][2 - len(calls)]]

    found = at_once(4, lambda: cached(fails_at_first, model))
    assert sorted(map(str, found)) == ["[1]"] * 3 + ["list index out of range"]
    assert len({id(one) for one in found}) == 2
    assert len(calls) == 2
    assert is_kept(fails_at_first, model)


def test_a_page_that_computes_is_waited_for_by_no_other_and_lets_others_pass(monkeypatch):
    drawing, passed = [], []
    monkeypatch.setattr(give_way, "drawing", {})
    monkeypatch.setattr(give_way.LongWork, "give_way", lambda work: passed.append(work))
    give_way.page_begins()
    cached(lambda _: drawing.append(dict(give_way.drawing)), some_model())
    assert drawing == [{}]
    assert len(passed) == len(give_way.drawing) == 1


@dataclass
class Named:
    values: np.ndarray


def test_arrays_are_read_only_wherever_they_are():
    inner = cached(lambda _: [np.arange(2), (np.arange(3), 5), {"a": np.arange(4)}, Named(np.arange(5))], some_model())
    assert not any(array.flags.writeable for array in [inner[0], inner[1][0], inner[2]["a"], inner[3].values])
