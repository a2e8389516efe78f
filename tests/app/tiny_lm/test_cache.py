"""cache: the pictures, the savings and the proof hold what the core computes, for any model."""

import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.language import costs
from attention_core.experiments.language.kv_cache_proof import PARTS, predict_after_erasing
from attention_core.experiments.language.next_token import decisions
from tests.app.steps import step
from tests.app.tiny_lm.models import each_model, model_of, prompt_of
from tests.app.visits import said
from tests.tiers import first

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


@each_model
@pytest.mark.parametrize("when", first(1, ["trained", "untrained", "early"]))
def test_the_savings_are_those_of_the_model(label, when):
    config, prompt = model_of(label, when)[0].config, prompt_of(label)
    text = re.sub("[,,]", "", said(show(model=label, when=when)))
    work = costs.operations_of_writing(config, len(prompt), 8)
    assert f"without cache{work.anew}" in text
    assert f"with cache{work.cached}" in text
    held = len(prompt) + 7
    assert f"positions kept{held}" in text
    assert f"{costs.cache_bytes(config, held) / 1000:.1f} kB" in text


@each_model
def test_the_difference_is_that_of_two_runs(label):
    model, prompt = model_of(label)[0], prompt_of(label)
    seen = show(model=label)
    n_proved = int(re.search(r"same \w+s(?:all |\d+ of )(\d+)", said(seen))[1])
    kept, anew = (decisions(model, prompt, n_proved, 0.8, seed=3, cache=cache) for cache in (True, False))
    assert np.abs(kept.logits - anew.logits).max() < 1e-3
    assert re.findall("below 10⁻(?:³|¹⁰)", said(seen)) == ["below 10⁻³", "below 10⁻¹⁰"]


@each_model
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_cache_is_erased(label, part):
    model, prompt = model_of(label)[0], prompt_of(label)
    left, whole = (predict_after_erasing(model, prompt, which) for which in (part, "nothing"))
    seen = show(model=label, erase=part)
    (chart,) = [block for block in seen.page.shown if getattr(block, "name", "") == "prediction from the cache"]
    np.testing.assert_allclose(chart.data["value"], np.sort(left)[::-1][:5])
    best = whole.argmax()
    assert f"is {left[best]:.2f}, with the complete cache {whole[best]:.2f}." in said(seen)
