"""The end of the lesson: the output is added to the word’s own vector, which moves."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import grammar_model, trained_stream
from attention_core.experiments.qkv.named_head import OWN
from attention_core.experiments.qkv.nearest_words import widest_columns
from tests.app.qkv.scene import (
    SCENES,
    SENTENCE,
    WORD_COLUMNS,
    close,
    computed,
    dimensions,
    each_kind,
    every_scene,
)
from tests.app.steps import step
from tests.app.visits import charts, heatmap, said, set_to, visit

show = partial(step, "qkv", "mix")
SUMMED = ["before", "output added", "after"]


def before_and_after(link):
    """Return the words' vectors and those with the outputs added, in plain NumPy; None where the widths differ."""
    expected = computed(**link)
    if link["weights"] == "hand-made":
        own = expected.x[:, OWN:]
        return own, own + expected.mix
    if link["weights"] == "trained":
        stream, w_o = trained_stream(SENTENCE.split(), int(link["head"]) - 1)
        return stream, stream + expected.mix @ w_o
    return (expected.x, expected.x + expected.mix) if expected.x.shape == expected.mix.shape else None


def summed(app):
    """Return the map of the sum, or None where there is none."""
    found = [heatmap(shown) for shown in charts(app) if shown.data.columns[0] == "vector"]
    return found[0] if found else None


def moved(app):
    return next(shown for shown in charts(app) if "start_x" in shown.data.columns)


def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b)) if a.any() and b.any() else 0.0


WIDE = {"weights": "random", "d_model": "6", "d_v": "6"}


@every_scene
def test_the_map_adds_the_output_to_the_vector_or_says_which_matrix_is_missing(link):
    vectors, app = before_and_after(link), show(q="warm", **link)
    if vectors is None:
        expected = computed(**link)
        assert summed(app) is None
        text = said(app)
        assert f"width dv = {expected.v.shape[1]} and the vector dmodel = {expected.x.shape[1]}, so" in text
        assert "WO" in text
        return
    row = computed(**link).labels.index("warm")
    before, after = (part[row] for part in vectors)
    seen = summed(app)
    assert seen.rows == SUMMED
    assert seen.columns == (WORD_COLUMNS if link["weights"] == "hand-made" else dimensions(vectors[0]))
    close(seen.values, [before, after - before, after])


@pytest.mark.parametrize("link", [SCENES["adjective to noun"], SCENES["head 3"], WIDE])
def test_the_arrow_leads_from_the_vector_to_the_sum_among_the_other_words(link):
    (before, after), labels = before_and_after(link), computed(**link).labels
    chosen, row = list(widest_columns(before)), labels.index("mat")
    data = moved(show(q="mat", **link)).data
    close(data[data["kind"] != "after"][["x", "y"]].to_numpy(), before[:, chosen])
    close(data[data["kind"] == "after"][["x", "y"]].to_numpy(), after[[row]][:, chosen])
    assert data[data["kind"] == "before"]["order"].tolist() == [row]
    close(data[["start_x", "start_y"]].to_numpy(), np.tile(before[row, chosen], (len(data), 1)))
    assert data["word"].tolist() == [*labels, "mat + output"]


@pytest.mark.parametrize("link", [SCENES["adjective to noun"], SCENES["head 3"], WIDE])
def test_the_nearest_words_are_those_with_the_largest_cosines(link):
    (before, after), labels = before_and_after(link), computed(**link).labels
    row, text = labels.index("mat"), said(show(q="mat", **link))
    for when, vector in (("before", before[row]), ("after", after[row])):
        near = [(cosine(vector, own), label) for own, label in zip(before, labels, strict=True) if label != "mat"]
        best, word = max(near)
        assert f"{when} {word} {best:.2f}".replace("-", "−") in text


def test_alone_it_is_near_no_word_and_after_attention_it_is_nearest_to_the_cat():
    text = said(visit("qkv", step="mix"))
    assert "before none, because the vector is 0" in text
    assert "after cat 1.00, mat 0.99" in text


def test_the_same_word_is_followed_in_all_that_the_step_shows():
    app = set_to(visit("qkv", step="mix"), qkv_q="cat")
    assert "Nearest words to cat" in said(app)
    (weights,) = [heatmap(shown) for shown in charts(app) if shown.data.columns[0] == "key"]
    close(weights.values[:, 0], computed(weights="hand-made").softmax[1])
    assert (weights.rows, weights.columns) == (computed().labels, ["cat"])


@each_kind
def test_v_stands_beside_the_weights_again(link):
    app = show(**link)
    (values,) = [shown for shown in charts(app) if shown.data.columns[0] == "value"]
    close(heatmap(values).values, computed(**link).v)


def test_a_sentence_of_one_word_has_no_other_word_to_be_near():
    assert "before there is no other word" in said(show(text="cat"))


def test_what_reads_the_sum_of_the_trained_heads_is_no_later_layer():
    assert grammar_model()[0].config.n_layers == 1
    text = said(show(weights="trained"))
    assert "ater layer" not in text
    assert "final LayerNorm and the unembedding" in text


def test_a_word_whose_vector_is_0_is_near_no_word():
    text = said(show(q="cat", text="the cat on it"))
    assert text.count("none, because the vectors of all other words are 0") == 2
    text = said(show(q="cat", text="the cat sat"))
    assert "before sat 0.39" in text
    assert "the 0.00" not in text


def arrow_told(**link):
    return moved(show(**link)).alt


def test_the_sentence_under_the_arrow_says_what_is_to_be_seen():
    usual = arrow_told(text="the cat sat", q="cat")
    assert "Two of 4 columns, those in which the words differ most. The arrow is" in usual
    assert "the other words are where they were" in usual
    assert "other words" not in arrow_told(text="cat")
    assert "Here attention adds 0 to" in arrow_told(text="it on")
    assert arrow_told(weights="random", d_model=2, d_v=2).startswith("Both columns.")
