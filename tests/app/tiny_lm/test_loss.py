"""loss: every example, the mean and the entropy below it are the core's."""

from functools import partial

import numpy as np

import attention_core as core
from attention_core.experiments.language.text_loss import examples
from attention_core.text.vocabulary import Vocabulary
from pages.tiny_lm.model_in_view import Own
from tests.app.steps import step
from tests.app.tiny_lm.models import model_of, named, prompt_of, step_with
from tests.app.visits import said

MEOWED = "the big cat saw a red ball near the hat and it meowed"
show = partial(step, "tiny_lm", "loss")


def test_where_the_loss_includes_only_some_targets_both_means_are_told():
    label = "Pronouns"
    seen = show(model=label, text=MEOWED)
    model, source = model_of(label)
    found = examples(model, prompt_of(label, MEOWED))
    chart = named(seen, "13 words make")
    assert chart.data["counted"].tolist() == [False] * 11 + [True]
    assert source.vocabulary.tokens[found.targets[-1]] == "meowed"
    told = said(seen)
    assert all(f"{mean:.2f}" in told[told.index("Their mean loss") :] for mean in (found.losses[-1], found.mean))
    assert np.argmax(chart.data["mark"]) == 11  # the row that counts is the one that stands open


def test_of_a_model_without_a_mask_it_is_said_that_it_has_read_its_targets():
    assert "before it predicts it" not in said(show())
    model = core.init_model(core.Config(3, 8, 2, 2, 9, causal=False), seed=0)
    own = Own((model,), (0,), Vocabulary("abc"), "character", "nothing", "abcab")
    assert "before it predicts it" in said(step_with(own, "loss"))
