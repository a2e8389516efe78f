"""Steps with a test or two: loss, cache, grouped."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.costs import cache_bytes
from attention_core.experiments.language.next_token import decisions
from attention_core.experiments.language.smaller_caches import CHANGES, READ_LENGTH, config_of, losses_of_caches
from attention_core.experiments.language.text_loss import examples
from attention_core.text.vocabulary import Vocabulary
from pages.tiny_lm.grouped import BACK
from pages.tiny_lm.model_in_view import Own
from tests.app.steps import step
from tests.app.tiny_lm.models import each_model, model_of, named, prompt_of, step_with
from tests.app.visits import press, rerun, said, sent, to_step, visit

show_loss = partial(step, "tiny_lm", "loss")
show_cache = partial(step, "tiny_lm", "cache")
show_grouped = partial(step, "tiny_lm", "grouped")


MEOWED = "the big cat saw a red ball near the hat and it meowed"


def test_where_the_loss_includes_only_some_targets_both_means_are_told():
    label = "Pronouns"
    seen = show_loss(model=label, text=MEOWED)
    model, source = model_of(label)
    found = examples(model, prompt_of(label, MEOWED))
    chart = named(seen, "13 words make 12 examples")
    assert chart.data["counted"].tolist() == [False] * 11 + [True]
    assert source.vocabulary.tokens[found.targets[-1]] == "meowed"
    told = said(seen)
    assert all(f"{mean:.2f}" in told[told.index("Their mean loss") :] for mean in (found.losses[-1], found.mean))
    assert np.argmax(chart.data["mark"]) == 11  # the row that counts is the one that stands open


def test_a_model_that_was_trained_here_is_offered_a_text_with_targets_that_count():
    model, source = model_of("Copy task")
    app = visit("tiny_lm", step="loss", ask="no", model="your own")
    app.session_state["tiny_lm_own"] = Own((model,), (700,), source.vocabulary, "character", source.says, "a3c7b1e4a")
    assert "This prompt has none" in said(rerun(app))
    assert "of these 11 targets" in said(press(app, "Use a text with some"))
    assert "a digit means nothing" in said(to_step(app, "draw"))
    frames = sent(to_step(app, "time"), "attention_moving_text")["frames"]  # of a model that learned digits alone
    assert {sum(len(part) for part, _ in frame["parts"]) for frame in frames} == {1}


def test_of_a_model_without_a_mask_it_is_said_that_it_has_read_its_targets():
    assert "before it predicts it" not in said(show_loss())
    model = core.init_model(core.Config(3, 8, 2, 2, 9, causal=False), seed=0)
    own = Own((model,), (0,), Vocabulary("abc"), "character", "nothing", "abcab")
    assert "before it predicts it" in said(step_with(own, "loss"))


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
    seen = show_cache(model=label, written=n_new)
    without, with_cache = seen.charts[:2]
    anew = decisions(model, prompt, n_new, 0.8, seed=3, cache=False)
    kept = decisions(model, prompt, n_new, 0.8, seed=3)
    assert computed(without)[0] == anew.n_computed.tolist()
    assert computed(with_cache)[0] == kept.n_computed.tolist()
    read = np.minimum(len(prompt) + np.arange(n_new), model.config.max_len)
    assert (np.sum(computed(with_cache), axis=0) == read).all()
    assert f"context length of this model is {model.config.max_len}" in said(seen)


def test_a_part_of_the_cache_can_be_erased_from_two_tokens_on():
    for text, offered in (("the", False), ("the cat", True)):
        told = said(show_cache(model="Toy English", text=text))
        assert ("This needs a causal mask and two tokens." not in told) == offered
    seen = show_cache(model="Toy English", text="the cat")
    whole, left = seen.result("nothing_erased"), seen.result("erased")
    assert f"is {left[whole.argmax()]:.2f}, with the complete cache {whole.max():.2f}." in told


def losses(seen):
    (chart,) = seen.charts
    return chart.data.loss.to_numpy()


@pytest.mark.parametrize("back", [BACK[0], "2", "8", "10", BACK[-1]])
def test_a_point_is_the_mean_of_the_runs_and_the_size_of_the_cache(back):
    (chart,) = show_grouped(stood=back).charts
    wanted = [found[:, BACK.index(back)].mean() for found in losses_of_caches().values()]
    np.testing.assert_allclose(chart.data.loss, wanted)
    sizes = [cache_bytes(config_of(kind), READ_LENGTH) / 1000 for kind in CHANGES]
    np.testing.assert_allclose(chart.data[f"cache after {READ_LENGTH} tokens, kB"], sizes)
    assert [how == "window" for how in chart.data.how] == ["window" in kind for kind in CHANGES]


def test_before_the_answer_every_letter_stood_near_and_all_models_know_it():
    assert losses(show_grouped(unanswered="all", stood="12")).max() < 0.15


def test_what_is_right_is_so_in_every_run():
    found = losses_of_caches()
    assert found["1 group"][:, 0].max() < 0.05 < 1 < found["window of 8"][:, 6].min()


def test_a_click_on_a_point_says_how_its_bytes_come_about():
    seen = show_grouped(cache_kind="window of 8")
    assert any("= 1,024 bytes a token, 8.2 kB after 32. A window keeps 8 tokens" in text for text in seen.html)
