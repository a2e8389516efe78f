"""Runs: a plan decides every number of one, it is recorded as it goes, stopped and resumed at will, and may diverge."""

import io
import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import attention_core as core
from attention_core.model.optimizer import adamw_update
from attention_core.shipped import runs
from attention_core.shipped.plans import ENGLISH, PRONOUN, RECALL, STORIES
from attention_core.shipped.runs import RECORDED, Plan, first_model, records, resume_training, start_training
from attention_core.text.corpora import own_text, source_of
from attention_core.text.story_exercises import exercise
from tests.tiers import first

OWN = own_text("the small cat saw a red ball and it meowed . " * 7, "character")
V = len(OWN.vocabulary)
RUNS = {  # a source, and a small plan for it; but for the first two, a batch falls into parts that threads share
    "text": (OWN, Plan(core.Config(V, 12, 3, 2, 7), 5, batch_size=11, learning_rate=0.01)),
    "dropout": (OWN, Plan(core.Config(V, 12, 3, 2, 7, dropout=0.25), 5, batch_size=11, learning_rate=0.01, seed=3)),
    "many parts": (OWN, Plan(core.Config(V, 8, 2, 1, 13, d_ff=0), 3, batch_size=211)),
    "english": (source_of("english"), ENGLISH.plan._replace(steps=3, batch_size=37)),
    "pronoun": (source_of("pronoun"), PRONOUN.plan._replace(steps=3, batch_size=47)),
    "recall": (source_of("recall"), RECALL.plan._replace(steps=3, batch_size=37)),
    "exercises": (source_of("stories"), STORIES.plan._replace(steps=5, batch_size=1, first=3, exercises=0.5)),
}
# The exercises of stories are the slowest.
every_run = pytest.mark.parametrize(("source", "plan"), first(len(RUNS) - 1, RUNS.values()), ids=RUNS)


def ended(run):
    """Take all steps of a run, and return what they reported and the numbers of the model."""
    return list(run.steps), run.model.flat


@every_run
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_was_stopped_and_saved_goes_on_bit_for_bit(source, plan, workers):
    steps, flat = ended(start_training(plan, source))
    for stop in (0, 1, plan.steps - 1, plan.steps):
        run = start_training(plan, source, workers)
        taken = list(islice(run.steps, stop))
        model, memory = io.BytesIO(), io.BytesIO()
        core.save(model, run.model, source.vocabulary)
        core.save_optimizer(memory, run.optimizer)
        loaded, _ = core.load(model)
        again = resume_training(plan, source, loaded, core.load_optimizer(memory, loaded), workers)
        assert again.model is loaded
        assert again.optimizer.step == stop
        later, same = ended(again)
        assert taken + later == steps
        assert np.array_equal(same, flat)


@pytest.mark.nightly
def test_first_come_easy_exercises_then_others_then_some_among_the_stories():
    drawn = []

    def kept(rng, n_tokens, easy):
        drawn.append(easy)
        return exercise(rng, n_tokens, easy)

    source, plan = RUNS["exercises"][0]._replace(exercise=kept), RUNS["exercises"][1]
    ended(start_training(plan._replace(steps=30, first=6, exercises=0.25), source))
    assert drawn[:6] == [True] * 3 + [False] * 3
    assert 2 <= len(drawn[6:]) <= 12
    assert not any(drawn[6:])
    drawn.clear()
    ended(start_training(plan._replace(first=0, exercises=0.0), source))
    assert drawn == []


def test_the_mlps_are_silent_in_the_first_steps_and_only_then():
    source, plan = RUNS["exercises"]
    run = start_training(plan, source)

    def silent():
        return not any(array.any() for block in run.model.parameters.blocks for array in block.feed_forward[2:])

    assert silent()
    assert [silent() for _ in run.steps] == [True, True, True, False, False]
    plain = first_model(plan._replace(first=0))
    assert np.array_equal(plain.flat, core.init_model(plan.config, plan.seed).flat)
    without_mlp = replace(plan.config, d_ff=0)
    assert first_model(plan._replace(config=without_mlp)).flat.size < plain.flat.size


def test_the_optimizer_has_a_long_memory_only_after_the_first_steps(monkeypatch):
    source, plan = RUNS["exercises"]
    kept = []

    def update(*state, betas, **more):
        kept.append(betas[1])
        adamw_update(*state, betas=betas, **more)

    monkeypatch.setattr("attention_core.model.train.adamw_update", update)
    ended(start_training(plan, source))
    assert kept == [0.95] * plan.first + [plan.beta2] * (plan.steps - plan.first)
    assert plan.beta2 == STORIES.plan.beta2 > 0.95


# records


@pytest.mark.parametrize(
    ("n_steps", "at"),
    [
        (1, [1]),
        (2, [1, 2]),
        (64, range(1, 65)),
        (127, range(1, 128)),
        (128, [1, *range(2, 129, 2)]),
        (300, [1, *range(4, 301, 4)]),
        (401, [1, *range(6, 401, 6), 401]),
    ],
)
def test_records_are_of_the_first_step_the_last_and_some_between(n_steps, at):
    config = core.Config(V, 2, 1, 1, 2, d_ff=0)
    run = start_training(Plan(config, n_steps, batch_size=1), OWN)
    found = list(records(run, OWN, n_steps))
    assert [step.step for step, _ in found] == list(range(1, n_steps + 1))
    kept = [record for _, record in found if record]
    assert [record.step for record in kept] == list(at)
    assert len(kept) <= 2 * RECORDED
    assert all(step.step == record.step for step, record in found if record)


def test_a_record_holds_the_mean_of_the_losses_since_the_one_before():
    source, plan = OWN, Plan(core.Config(V, 6, 2, 1, 5), 193, batch_size=3)
    run = start_training(plan, source)
    losses, expected = [], []
    for step, record in records(run, source, 193):
        losses.append(step.loss)
        if record:
            expected.append((record.step, np.mean(losses)))
            assert record.learned == pytest.approx(np.mean(losses))
            assert record.gradient_norm == step.gradient_norm
            assert record.tested == runs.tested_loss(run.model, source)
            losses = []
    assert [step for step, _ in expected] == [1, *range(3, 193, 3), 193]


def test_a_run_that_was_resumed_is_recorded_at_the_same_steps():
    source, plan = OWN, Plan(core.Config(V, 6, 2, 1, 5), 193, batch_size=3)
    first = start_training(plan, source)
    early = [r for _, r in islice(records(first, source, 193), 100) if r]
    late = [r for _, r in records(resume_training(plan, source, first.model, first.optimizer), source, 193) if r]
    whole = [r for _, r in records(start_training(plan, source), source, 193) if r]
    assert [record.step for record in early + late] == [record.step for record in whole]
    assert [record.tested for record in early + late] == [record.tested for record in whole]


# what is held out


@pytest.mark.parametrize(("name", "first"), [("english", 1), ("pronoun", 8), ("recall", 3)])
def test_rows_teach_once_they_are_long_enough_for_what_counts(name, first):
    source = source_of(name)
    assert [runs.has_counted_targets(source, length) for length in range(1, 24)] == [
        length >= first for length in range(1, 24)
    ]
    config = core.Config(len(source.vocabulary), 4, 1, 1, first, d_ff=0)
    assert next(start_training(Plan(config, 2, batch_size=31), source).steps).loss >= 0
    if first > 1:
        with pytest.raises(
            ValueError, match=f"^max_len must be long enough for a target that the loss includes, got {first - 1}$"
        ):
            start_training(Plan(replace(config, max_len=first - 1), 2), source)


@every_run
def test_the_loss_on_what_is_held_out_is_the_mean_over_what_counts(source, plan):
    model = core.init_model(plan.config, 7, np.float64)
    rows, counted = source.held_out(plan.config.max_len)
    shares = core.softmax(core.logits(model, rows[:, :-1]))
    total = n = 0
    for i in range(rows.shape[0]):
        for t in range(rows.shape[1] - 1):
            if counted is None or counted[i, t]:
                total, n = total - math.log(shares[i, t, rows[i, t + 1]]), n + 1
    assert n > 0
    assert runs.tested_loss(model, source) == pytest.approx(total / n, rel=1e-12)


# runs that go astray


@pytest.mark.parametrize("rate", first(1, [1e4, 1.0, 1e30]))
@pytest.mark.parametrize("kind", [{}, {"d_ff": 17}, {"norm": "post"}, {"positions": "rope"}, {"dropout": 0.5}], ids=str)
def test_a_run_that_diverges_ends_and_says_so_by_its_loss(kind, rate):
    """Warnings are errors in these tests, and would be lines in the log of a server."""
    config = replace(RECALL.plan.config, **{"alibi_slopes": None} | kind)
    source = source_of("recall")
    plan = RECALL.plan._replace(config=config, steps=7, batch_size=5, learning_rate=rate, weight_decay=1.0)
    run = start_training(plan, source)
    found = list(records(run, source, 7))
    assert [step.step for step, _ in found] == list(range(1, 8))
    last = found[-1][1]
    assert math.isfinite(found[0][0].loss)
    assert math.isnan(last.tested) or last.tested > 3
    if rate == 1e30:
        assert math.isnan(last.learned)
        assert math.isnan(last.gradient_norm)
