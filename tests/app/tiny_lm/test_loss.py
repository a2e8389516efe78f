"""loss: every example, the mean and the entropy below it are the core's."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.text_loss import examples
from attention_core.text.vocabulary import Vocabulary
from pages.tiny_lm.model_in_view import NOUNS, Own, visible
from tests.app.steps import step
from tests.app.tiny_lm.models import close, each_model, model_of, named, prompt_of, step_with, vocabulary_of
from tests.app.visits import said
from tests.tiers import first

MEOWED = "the big cat saw a red ball near the hat and it meowed"
show = partial(step, "tiny_lm", "loss")


@each_model
@pytest.mark.parametrize("when", first(1, ["trained", "untrained"]))
def test_every_example_is_drawn_with_its_probability_and_its_loss(label, when):
    model, source = model_of(label, when)
    tokens = prompt_of(label)
    chart = named(show(model=label, when=when), f"{len(tokens)} {NOUNS.get(source.unit, source.unit)}s make")
    close(chart.data["loss"], examples(model, tokens).losses)
    words = [visible(vocabulary_of(label).tokens[token]) for token in tokens]
    expected = [f"{i + 1} · {words[i]} → {words[i + 1]}" for i in range(len(tokens) - 1)]
    assert chart.data["label"].tolist() == expected


def test_a_chosen_example_shows_its_prediction_and_how_its_loss_came_about():
    label, row = "Toy English", 1
    found = examples(model_of(label)[0], prompt_of(label))
    seen = show(example="2 → cat")
    bets = named(seen, "The prediction for the chosen example").data
    order = np.argsort(-found.bets[row], kind="stable")
    close(bets["value"][:3], found.bets[row, order[:3]])
    assert bets["label"].str.contains("cat · target").sum() == 1
    assert bets["value"][bets["label"] == "cat · target"].item() == pytest.approx(found.target_bets[row])
    for value in (found.log_sums[row], found.target_logits[row], found.losses[row]):
        assert f"{value:.2f}" in said(seen)
    assert named(seen, "12 words make").data["mark"].tolist() == [0, 4] + [0] * 9


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
