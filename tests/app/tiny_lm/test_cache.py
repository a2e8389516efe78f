"""cache: the pictures, the savings and the proof hold what the core computes, for any model."""

import html
import re
from functools import partial

import numpy as np
import pytest

from attention_core.equations.softmax import softmax
from attention_core.experiments.language import costs
from attention_core.experiments.language.kv_cache_proof import PARTS, predict_after_erasing
from attention_core.model.activations import insides
from attention_core.model.generate import decisions
from pages.tiny_lm.model_in_view import visible
from tests.app.steps import step
from tests.app.tiny_lm.models import each_model, model_of, prompt_of, vocabulary_of
from tests.app.visits import html_of, said
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
@pytest.mark.promise("tiny_lm 3", "tutorial 28")
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
@pytest.mark.promise("tiny_lm 3")
def test_the_difference_is_that_of_two_runs(label):
    model, prompt = model_of(label)[0], prompt_of(label)
    seen = show(model=label)
    n_proved = int(re.search(r"same \w+s(?:all |\d+ of )(\d+)", said(seen))[1])
    kept, anew = (decisions(model, prompt, n_proved, 0.8, seed=3, cache=cache) for cache in (True, False))
    assert np.abs(kept.logits - anew.logits).max() < 1e-3
    assert re.findall("below 10⁻(?:³|¹⁰)", said(seen)) == ["below 10⁻³", "below 10⁻¹⁰"]
    assert f"{n_proved * model.config.vocab_size:,} logits" in said(seen)


@each_model
@pytest.mark.promise("tiny_lm 3")
def test_one_pass_predicts_at_every_position_and_the_last_row_alone_is_used(label):
    model, prompt = model_of(label)[0], prompt_of(label)
    shares = softmax(insides(model, prompt).logits)
    seen = show(model=label)
    (block,) = [block for block in html_of(seen) if ">top prediction</th>" in block]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr.*?</tr>", block)[1:]]
    assert len(rows) == 6
    for place, row in zip(range(len(prompt) - 6, len(prompt)), rows, strict=True):
        grey = [cell.startswith('<span class="soft">') for cell in row]
        assert grey == [place < len(prompt) - 1] * 5
        number, _, token, share, used = [html.unescape(re.sub("<[^>]*>", "", cell)) for cell in row]
        best = int(shares[place].argmax())
        assert (int(number), token) == (place + 1, visible(vocabulary_of(label).tokens[best]))
        assert float(share) == pytest.approx(shares[place, best], abs=0.0051)
        assert used.startswith("samples" if place == len(prompt) - 1 else "not used")


@each_model
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_cache_is_erased(label, part):
    model, prompt = model_of(label)[0], prompt_of(label)
    left, whole = (predict_after_erasing(model, prompt, which) for which in (part, "nothing"))
    seen = show(model=label, erase=part)
    (chart,) = [block for block in seen.page.shown if getattr(block, "name", "") == "prediction from the cache"]
    np.testing.assert_allclose(chart.data["value"], np.sort(left)[::-1][:5])
    assert f"Probabilities change by up to {np.abs(whole - left).max():.2f}." in said(seen)


def test_where_the_cache_saves_nothing_no_token_goes_through_alone():
    full = said(show(model="Copy task", letters="a3c7b1e4" * 6))
    assert "The context is full" in full
    assert "Then only" not in full
    for seen in (full, said(show(written=1))):
        assert "below 10⁻³" in seen
