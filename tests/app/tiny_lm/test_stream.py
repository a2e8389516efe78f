"""stream: what a model adds, what a linear probe recovers after random blocks, and lengths on the way through heads."""

from functools import partial

import pytest

import attention_core as core
from attention_core.experiments.inside.residual_stream import addition, measure_writes
from tests.app.steps import step
from tests.app.tiny_lm.models import close, named
from tests.tiers import first

show_stream = partial(step, "tiny_lm", "stream")


@pytest.mark.parametrize("label", first(2, ["Small Stories", "Copy task", "Toy English"]))
@pytest.mark.promise("tiny_lm 8")
@pytest.mark.promise("tutorial 25")
def test_lengths_and_one_addition_are_measured(label):
    fed = label == "Small Stories"  # the others have no MLP
    seen = show_stream(model=label, adds="MLP 1" if fed else "attention 1")
    tokens = seen.scene.tokens
    found = measure_writes(core.insides(seen.scene.model, tokens))
    data = named(seen, "The length (norm) of the stream").data
    close(data["value"].iloc[[0, -1]], [found.before[0, -1], found.after[-1, -1]])
    close(data[data["label"].str.startswith("+ attention")]["value"], found.attention[:, -1])
    if fed:
        close(data[data["label"].str.startswith("+ MLP")]["value"], found.feed_forward[:, -1])
    close(named(seen, "The stream, the addition").data[["x", "y"]], addition(found, 0, int(fed), len(tokens) - 1))
