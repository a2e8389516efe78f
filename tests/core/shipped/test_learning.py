"""What the plans teach, whatever the seed."""

from typing import NamedTuple

import pytest

from attention_core.experiments.language.held_out import accuracy, link_scores, recall_scores
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.shipped.runs import Plan, start_training
from attention_core.text.corpora import source_of

EVERY = 25  # steps between two examinations


class Learned(NamedTuple):
    """When a run passed its exam, if it did, and how it stood at its end."""

    step: int | None
    untrained: float  # score of the best head
    score: float
    accuracy: float


EXAMS = {  # of each the least accuracy, the least weight of the best head, and what measures that weight
    "pronoun": (0.97, 0.85, lambda *run: float(link_scores(*run, "pronoun").max())),  # from "it" to the animal
    "recall": (0.95, 0.9, lambda *run: float(recall_scores(*run).max())),  # from a letter to what answered it before
}


def passed(exam: str, model: Model) -> bool:
    source, (least, score, heads) = source_of(exam), EXAMS[exam]
    return accuracy(model, source) >= least and heads(model, source) >= score


def learned(exam: str, seed: int, plan: Plan | None = None) -> Learned:
    """Train a model by its plan with some seed, and examine it as it learns."""
    source, heads = source_of(exam), EXAMS[exam][2]
    run = start_training((plan or MODELS[exam].plan)._replace(seed=seed), source)
    untrained, first_passed = heads(run.model, source), None
    for step in run.steps:
        if first_passed is None and step.step % EVERY == 0 and passed(exam, run.model):
            first_passed = step.step
    return Learned(first_passed, untrained, heads(run.model, source), accuracy(run.model, source))


@pytest.mark.nightly
@pytest.mark.parametrize(("exam", "seed"), [("pronoun", 0), ("pronoun", 1), ("pronoun", 2), ("recall", 1)])
def test_a_head_learns_to_look_from_it_to_the_animal_or_two_layers_to_copy_what_followed_a_letter(exam, seed):
    run = learned(exam, seed)
    assert run.untrained < 0.25
    assert run.step is not None
    assert run.step <= 300 or exam == "recall"
    assert run.accuracy >= EXAMS[exam][0]
    assert run.score >= EXAMS[exam][1]


@pytest.mark.nightly
def test_one_layer_cannot():
    run = learned("recall", 0, MODELS["recall-one-layer"].plan)
    assert run.step is None
    assert 0.3 < run.accuracy < 0.6


@pytest.mark.parametrize("exam", EXAMS)
def test_the_models_that_ship_have_learned_it_and_the_untrained_have_not(exam):
    assert passed(exam, model_at(exam))
    assert EXAMS[exam][2](model_at(exam, 0), source_of(exam)) < {"pronoun": 0.2, "recall": 0.25}[exam]
    assert exam == "pronoun" or accuracy(model_at("recall-one-layer"), source_of("recall")) < 0.6
