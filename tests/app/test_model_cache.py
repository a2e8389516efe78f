"""Results that are kept as long as the model that they are about."""

import numpy as np

from attention_core.model.config import Config
from attention_core.model.parameters import init_model
from pages.server.model_cache import KEPT, MOST, is_kept, kept


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
