"""stream: what a model adds, what a linear probe recovers after random blocks, and lengths on the way through heads."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.residual_stream import addition, measure_writes
from attention_core.experiments.positions.position_kinds import pipeline
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.look.html import number
from pages.tiny_lm.stream import STEP
from tests.app.steps import step
from tests.app.tiny_lm.models import close, named
from tests.app.visits import heatmap
from tests.tiers import first

HEADS = [*STEP.views][1]
show_stream = partial(step, "tiny_lm", "stream")
show_lengths = partial(show_stream, stream=HEADS)
WORDS_IN_VIEW = ["the", "cat", "sat", "on", "the", "warm", "mat"]
SEED, WIDTH = 18, 64
X = word_vectors(WORDS_IN_VIEW, WIDTH, SEED)


@pytest.mark.parametrize("label", first(2, ["Small Stories", "Copy task", "King James Bible", "Toy English"]))
@pytest.mark.promise("tiny_lm 8")
@pytest.mark.promise("tutorial 25")
def test_lengths_and_one_addition_are_measured(label):
    fed = label in ("Small Stories", "King James Bible")  # the others have no MLP
    seen = show_stream(model=label, adds="MLP 1" if fed else "attention 1")
    tokens = seen.scene.tokens
    found = measure_writes(core.insides(seen.scene.model, tokens))
    data = named(seen, "The length (norm) of the stream").data
    close(data["value"].iloc[[0, -1]], [found.before[0, -1], found.after[-1, -1]])
    close(data[data["label"].str.startswith("+ attention")]["value"], found.attention[:, -1])
    if fed:
        close(data[data["label"].str.startswith("+ MLP")]["value"], found.feed_forward[:, -1])
    close(named(seen, "The stream, the addition").data[["x", "y"]], addition(found, 0, int(fed), len(tokens) - 1))


def test_the_direction_of_an_addition_is_asked_first():
    asked = show_stream(unanswered="all")
    assert (asked.ready, asked.charts) == (False, [])
    cosine = float(measure_writes(core.insides(asked.scene.model, asked.scene.tokens)).attention_cosine[0, -1])
    question = asked.question("written")
    assert question.right == ((0 if cosine > 0.5 else 2 if cosine < -0.5 else 1),)
    assert number(cosine) in question.why


@pytest.mark.parametrize(("norm", "order"), [("after the heads", "post"), ("before the heads", "pre")])
@pytest.mark.promise("tutorial 24")
def test_lengths_on_the_way_through_eight_heads(norm, order):
    values, rows, columns = heatmap(show_lengths(deviation="0.2", norm=norm).charts[0])
    positions = core.sinusoidal_positions(7, WIDTH)
    close(values, pipeline(X, positions, 1.0, 8, 0.2, SEED, order).lengths)
    close(values[:, 2], np.linalg.norm(X + positions, axis=1))
    assert rows == position_labels(WORDS_IN_VIEW)
    assert columns[3] == ("8 heads" if order == "post" else "LayerNorm")


@pytest.mark.parametrize("width", [64, 128])
def test_layernorm_gives_every_row_one_length_and_before_the_heads_the_last_sum_is_longer(width):
    x, positions = word_vectors(WORDS_IN_VIEW, width, SEED), core.sinusoidal_positions(7, width)
    after, before = (pipeline(x, positions, deviation=0.5, seed=SEED, order=order).lengths for order in ("post", "pre"))
    np.testing.assert_allclose([after[:, 5], before[:, 3]], np.sqrt(width), rtol=1e-3)
    assert before[:, 5].min() > 3 * np.sqrt(width)
