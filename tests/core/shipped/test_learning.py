"""What the plans teach, whatever the seed: `python -m tests.bench learning` tries ten seeds of each."""

import pytest

from attention_core.experiments.language.held_out import accuracy
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from tests.bench.learning import PRONOUN, RECALL, learned, passes, to_the_animal, to_the_answer
from tests.tiers import first


@pytest.mark.parametrize("seed", first(1, [0, 1, 2]))
def test_a_head_learns_to_look_from_it_to_the_animal(seed):
    run = learned(PRONOUN, seed)
    assert run.untrained < 0.25
    assert run.step is not None
    assert run.step <= 300
    assert run.accuracy >= 0.97
    assert run.score >= 0.85


@pytest.mark.exhaustive
@pytest.mark.promise("tiny_lm 7")
def test_two_layers_learn_to_copy_what_followed_a_letter():
    run = learned(RECALL, 1)
    assert run.untrained < 0.25
    assert run.step is not None
    assert run.accuracy >= 0.95
    assert run.score >= 0.9


@pytest.mark.exhaustive
def test_one_layer_cannot():
    run = learned(RECALL, 0, MODELS["recall-one-layer"].plan)
    assert run.step is None
    assert 0.3 < run.accuracy < 0.6


def test_the_models_that_ship_have_learned_it_and_the_untrained_have_not():
    pronoun, recall = (source_of(name) for name in ("pronoun", "recall"))
    assert passes(PRONOUN, model_at("pronoun"), pronoun)
    assert passes(RECALL, model_at("recall"), recall)
    assert not passes(PRONOUN, model_at("pronoun", 0), pronoun)
    assert not passes(RECALL, model_at("recall", 0), recall)
    assert to_the_animal(model_at("pronoun", 0), pronoun) < 0.2
    assert to_the_answer(model_at("recall", 0), recall) < 0.25
    assert accuracy(model_at("recall-one-layer"), recall) < 0.6
