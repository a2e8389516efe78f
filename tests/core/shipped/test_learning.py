"""What the plans teach, whatever the seed."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from attention_core.experiments.language.held_out import accuracy, link_scores, recall_scores
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.shipped.runs import Plan, start_training
from attention_core.text.corpora import Source, source_of
from tests.tiers import first

EVERY = 25  # steps between two examinations


class Exam(NamedTuple):
    """A model that is to learn something, and what it must reach to have learned it."""

    model: str  # of those that ship: its plan, whatever the seed
    accuracy: float
    score: float  # of the head that does most of it
    heads: Callable[[Model, Source], float]

    def passed(self, model: Model, source: Source) -> bool:
        return accuracy(model, source) >= self.accuracy and self.heads(model, source) >= self.score


class Learned(NamedTuple):
    """When a run passed, if it did, and how it stood at its end."""

    step: int | None
    untrained: float  # score of the best head
    score: float
    accuracy: float


def to_the_animal(model: Model, source: Source) -> float:
    """Return the best head's mean weight from "it" or "they" to the animal."""
    return float(link_scores(model, source, "pronoun").max())


def to_the_answer(model: Model, source: Source) -> float:
    """Return the best head's mean weight from a letter seen before to the digits that answered it."""
    return float(recall_scores(model, source).max())


PRONOUN, RECALL = Exam("pronoun", 0.97, 0.85, to_the_animal), Exam("recall", 0.95, 0.90, to_the_answer)


def learned(exam: Exam, seed: int, plan: Plan | None = None) -> Learned:
    """Train a model by its plan with some seed, and examine it as it learns."""
    own, source = MODELS[exam.model], source_of(MODELS[exam.model].source)
    run = start_training((plan or own.plan)._replace(seed=seed), source)
    untrained, passed = exam.heads(run.model, source), None
    for step in run.steps:
        if passed is None and step.step % EVERY == 0 and exam.passed(run.model, source):
            passed = step.step
    return Learned(passed, untrained, exam.heads(run.model, source), accuracy(run.model, source))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", first(1, [0, 1, 2]))
def test_a_head_learns_to_look_from_it_to_the_animal(seed):
    run = learned(PRONOUN, seed)
    assert run.untrained < 0.25
    assert run.step is not None
    assert run.step <= 300
    assert run.accuracy >= 0.97
    assert run.score >= 0.85


@pytest.mark.nightly
def test_two_layers_learn_to_copy_what_followed_a_letter():
    run = learned(RECALL, 1)
    assert run.untrained < 0.25
    assert run.step is not None
    assert run.accuracy >= 0.95
    assert run.score >= 0.9


@pytest.mark.nightly
def test_one_layer_cannot():
    run = learned(RECALL, 0, MODELS["recall-one-layer"].plan)
    assert run.step is None
    assert 0.3 < run.accuracy < 0.6


def test_the_models_that_ship_have_learned_it_and_the_untrained_have_not():
    pronoun, recall = (source_of(name) for name in ("pronoun", "recall"))
    assert PRONOUN.passed(model_at("pronoun"), pronoun)
    assert RECALL.passed(model_at("recall"), recall)
    assert not PRONOUN.passed(model_at("pronoun", 0), pronoun)
    assert not RECALL.passed(model_at("recall", 0), recall)
    assert to_the_animal(model_at("pronoun", 0), pronoun) < 0.2
    assert to_the_answer(model_at("recall", 0), recall) < 0.25
    assert accuracy(model_at("recall-one-layer"), recall) < 0.6
