"""+ −∞: the mask in its forms, and how a score goes through it."""

import re
from functools import partial

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from tests.app.causal_mask.scene import SENTENCE, blocked_by, close, every_mask, every_scene, expected, named
from tests.app.steps import step
from tests.app.visits import charts, heatmap, html_of, main

show = partial(step, "causal_mask", "added")


@every_mask
@pytest.mark.promise("tutorial 19")
def test_the_mask_is_shown_in_all_its_forms(mask):
    blocked, (scores, _, _), (_, weights, _) = expected(**mask)
    additive = np.where(blocked, -np.inf, 0)
    wanted = {
        "True / False": blocked.astype(float),
        "0 / −∞": additive,
        "score + mask": scores + additive,
        "attention weights": weights,
    }
    for form, values in wanted.items():
        app = show(form=form, **mask)
        close(heatmap(main(app)).values, values)
        if form in ("True / False", "0 / −∞"):
            texts = main(app).data["text"].to_numpy().reshape(blocked.shape)
            on, off = form.split(" / ")
            yes, no = (on, off) if form == "True / False" else (off, on)
            np.testing.assert_array_equal(texts, np.where(blocked, yes, no))


@pytest.mark.parametrize("bits", ["64", "32"])
@pytest.mark.promise("tutorial 19")
def test_a_large_number_hides_nothing_where_everything_is_hidden(bits):
    _, (_, weights, _), _ = expected()
    app = show(bits=bits, q="on")
    plain, infinite, large = (chart.data["value"].to_numpy() for chart in charts(app)[1:])
    close(plain, weights[3])
    np.testing.assert_array_equal(infinite, np.zeros(7))
    np.testing.assert_allclose(large, weights[3] if bits == "64" else np.full(7, 1 / 7), atol=1e-6)


def test_with_a_key_left_the_large_number_is_as_good():
    _, _, (_, masked, _) = expected()
    app = show(row_has="as in the mask", q="on")
    _, infinite, large = (chart.data["value"].to_numpy() for chart in charts(app)[1:])
    close(infinite, masked[3])
    close(large, masked[3])


@pytest.mark.promise("tutorial 20")
def test_zero_times_infinity_is_shown_as_what_it_is():
    app = show(closer="0 · −∞")
    mask, weights = named(app, "query", "key", "NaN")
    np.testing.assert_array_equal(heatmap(mask).values == 1, ~blocked_by(7))
    assert (heatmap(weights).values == 1).all()
    assert set(weights.data["text"]) == {"NaN"}


@every_scene
@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("word", ["the₁", "sat", "warm"])
def test_the_large_number_does_what_is_called_right_with_small_scores_and_with_large_ones(scene, bits, word):
    _, (scores, weights, _), _ = expected(**scene)
    row = position_labels(SENTENCE.split()).index(word)
    kind = np.float32 if bits == 32 else np.float64
    sums = scores[row].astype(kind) + kind(-1e9)
    powers = np.exp((sums - sums.max()).astype(float))
    found = powers / powers.sum()
    question = show(**scene, bits=bits, q=word).question("blocked")
    assert (1 in question.right) == np.allclose(found, weights[row], atol=1e-6)
    assert (2 in question.right) == np.allclose(found, 1 / 7)
    assert (4 in question.right) == (bits == 32 and sums.min() < sums.max())
    assert question.right


@pytest.mark.parametrize(
    ("link", "cell", "key"),
    [
        ({"q": "sat", "k": "warm"}, True, False),  # another query may attend to this key
        ({"q": "sat", "k": "cat"}, False, False),
        ({"q": "sat", "k": "mat", "mask": "padding"}, True, True),
        ({"q": "sat", "k": "cat", "mask": "padding"}, False, False),
    ],
)
def test_a_cell_is_written_as_each_library_writes_it(link, cell, key):
    (card,) = [block for block in html_of(show(**link)) if "The same mask in other libraries" in block]
    rows = [re.findall("<td[^>]*>(.*?)</td>", line) for line in re.findall("<tr>(<td.*?)</tr>", card)]
    found = [(re.sub("<[^>]*>", "", where), *rest) for where, *rest in rows]
    true, false = ("True", "False") if cell else ("False", "True")
    wanted = {  # blocked, and the cell in view
        "this course mask": ("True", true),
        "PyTorch nn.MultiheadAttention attn_mask": ("True", true),
        "PyTorch F.scaled_dot_product_attention attn_mask": ("False", false),
        "all three, additive (float) the same": ("−∞", "−∞" if cell else "0"),
        "PyTorch nn.MultiheadAttention key_padding_mask": ("True", str(key)),
        "Hugging Face models attention_mask": ("0", "0" if key else "1"),
    }
    assert {name: (off, value) for name, off, _, value in found} == wanted
