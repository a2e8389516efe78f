"""stream: what a model adds, what a linear probe recovers after random blocks, and lengths on the way through heads."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.residual_stream import addition, measure_writes
from attention_core.experiments.multi_head.english_heads import grammar_model
from attention_core.experiments.positions.position_kinds import ADDED, KINDS, pipeline
from attention_core.experiments.positions.position_similarity import cosine_matrix
from attention_core.experiments.positions.probes import probe_by_layer, probe_trained_model
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.look.html import number, percent
from pages.tiny_lm.stream import STEP
from tests.app.steps import step
from tests.app.tiny_lm.models import close, line, named
from tests.app.visits import controls, heatmap, press, said, visit
from tests.tiers import first

ADDITIONS, BLOCKS, HEADS = STEP.views
show_stream = partial(step, "tiny_lm", "stream")
show, show_lengths = partial(show_stream, stream=BLOCKS), partial(show_stream, stream=HEADS)
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


@pytest.mark.parametrize(("kind", "cut"), [*((kind, "false") for kind in KINDS), ("sinusoidal", "true")])
@pytest.mark.promise("positional_encoding 4")
def test_what_is_left_after_each_block(kind, cut):
    seen = show(encoding=kind, no_residual=cut, blocks=2)
    found = probe_by_layer(kind, 32, 2, cut == "false", 10000.0, 1.0, SEED)
    layers, words = line(seen.charts[0], "words")
    assert layers.tolist() == [0, 1, 2]
    close(words, found.words)
    close(line(seen.charts[0], "positions")[1], found.places)


def test_the_trained_model_has_one_block():
    close(line(show(blocks_of="trained").charts[0], "positions")[1], probe_trained_model(SEED).places)


@pytest.mark.parametrize("cut", ["false", "true"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_positions_is_what_was_measured(kind, cut):
    found = probe_by_layer(kind, 32, 2, cut == "false", 10000.0, 1.0, SEED)
    told = said(show(encoding=kind, no_residual=cut, blocks=2))
    assert percent(found.places[-1]) in told
    assert ("Guessing recovers" in told) == (kind not in ADDED)
    if kind in ADDED:
        assert percent(found.places[0]) in told
        assert ("Without the residual connection" in told) == (cut == "true")
    else:
        assert found.places.max() < 1.5 * found.chance


def test_training_gave_similar_words_and_neighbouring_positions_nearly_one_vector():
    model = grammar_model()[0].parameters
    rows = np.asarray(model.token_embedding, float)
    big, small = (WORDS.index(word) for word in ("big", "small"))
    assert cosine_matrix(rows)[big, small] > 0.99
    nearest = cosine_matrix(rows) - 2 * np.eye(len(rows))
    assert np.median(nearest.max(axis=-1)) > 0.95
    assert "“big” and “small”" in said(show(blocks_of="trained"))


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


def test_positions_that_are_recovered_less_often_are_not_said_to_be_as_before():
    question = show(encoding="sinusoidal", encoding_scale=8).question("carried")  # from 96 % to 86 %
    assert [question.options[place] for place in question.right] == ["Both less often"]


@pytest.mark.parametrize(("kind", "right"), [("sinusoidal", "Both less often"), ("none", "Words less often")])
def test_what_blocks_carry_without_the_residual_connection_is_asked_first(kind, right):
    asked = show(encoding=kind, unanswered="all")
    assert (asked.ready, asked.charts) == (False, [])
    question = asked.question("carried")
    found = probe_by_layer(kind, 32, 4, False, 10000.0, 1.0, SEED)
    assert question.options[question.right[0]].startswith(right)
    assert f"positions from {percent(found.places[0])} to {percent(found.places[-1])}" in question.why
    assert all(question.mistakes[i] for i in range(4) if i not in question.right)
    assert show(encoding=kind, variants={"carried": 1}).question("carried").text != question.text


def test_after_the_answer_the_blocks_that_were_asked_about_are_in_view():
    app = press(visit("tiny_lm", step="stream", stream=BLOCKS), "Just show me")
    assert controls(app)["tiny_lm_no_residual"].value is True
    assert controls(app)["tiny_lm_blocks"].value == 4
