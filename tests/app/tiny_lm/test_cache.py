"""cache: the pictures, the savings and the proof hold what the core computes, for any model."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.language.next_token import decisions
from tests.app.steps import step
from tests.app.tiny_lm.models import each_model, model_of, prompt_of
from tests.app.visits import said

show = partial(step, "tiny_lm", "cache")


def computed(shown):
    """Return how many positions each row of a picture says are computed now, and taken from the cache."""
    data = shown.data
    now, kept = (data[data["kind"] == kind] for kind in ("computed now", "from the cache"))
    sizes = dict(zip(kept["step"], kept["to"] - kept["from"] + 1, strict=True))
    return (now["to"] - now["from"] + 1).tolist(), [int(sizes.get(place, 0)) for place in now["step"]]


@each_model
@pytest.mark.parametrize("n_new", [1, 8])
def test_the_pictures_show_what_really_went_through_the_model(label, n_new):
    model, prompt = model_of(label)[0], prompt_of(label)
    seen = show(model=label, written=n_new)
    without, with_cache = seen.charts[:2]
    anew = decisions(model, prompt, n_new, 0.8, seed=3, cache=False)
    kept = decisions(model, prompt, n_new, 0.8, seed=3)
    assert computed(without)[0] == anew.n_computed.tolist()
    assert computed(with_cache)[0] == kept.n_computed.tolist()
    read = np.minimum(len(prompt) + np.arange(n_new), model.config.max_len)
    assert (np.sum(computed(with_cache), axis=0) == read).all()
    assert f"{anew.n_computed.sum():,} positions" in without.alt
    assert f"context length of this model is {model.config.max_len}" in said(seen)
