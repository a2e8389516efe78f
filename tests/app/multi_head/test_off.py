"""off: a head is switched off, and the model predicts another word."""

from functools import partial

import numpy as np

from attention_core.experiments.multi_head.english_heads import next_word_probabilities, trained_readout
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import position_labels
from tests.app.multi_head.scene import close
from tests.app.steps import step
from tests.app.visits import charts, controls, press, reveal, visit

TEXT = "the cat sat on the warm mat and it meowed"
IT = 8
show = partial(step, "multi_head", "off")


def predicted(row, off=()):
    """Return the probabilities of the next word after a row without some heads."""
    found = show().scene
    without = np.array(found.writes)
    without[list(off)] = 0
    return next_word_probabilities(without.sum(axis=0), trained_readout(found.words))[row]


def test_without_one_head_another_word_comes_next():
    assert WORDS[predicted(IT).argmax()] == "meowed"
    assert WORDS[predicted(IT, [3]).argmax()] == "it"
    assert predicted(IT).max() > 0.9 < predicted(IT, [3]).max()
    assert "clever" in [*show(text="a big red ball and a small blue box", at="a₆", without="3").charts[1].data["label"]]


def test_a_new_sentence_opens_at_the_word_that_needs_a_head_most():
    text = "the dog barked now"
    app = visit("multi_head", text=text)
    found = show(text=text).scene
    readout = trained_readout(found.words)
    usual = next_word_probabilities(found.writes.sum(axis=0), readout)
    rows = np.arange(len(usual)), usual.argmax(axis=1)
    left = [next_word_probabilities(found.writes.sum(axis=0) - own, readout)[rows] for own in found.writes]
    drops = usual.max(axis=1) - np.min(left, axis=0)
    assert controls(app)["multi_head_at"].value == position_labels(found.words)[drops.argmax()] != "the"


def test_heads_are_on_again_in_the_next_step():
    app = press(reveal(visit("multi_head")), "Head 4 is on")
    (bars,) = [chart for chart in charts(app) if "expected" in chart.data]
    close(bars.data["value"].max(), predicted(IT, [3]).max())
    close(bars.data["expected"].max(), predicted(IT, []).max())
    press(press(app, "multi_head_on"), "multi_head_back")
    assert "Head 4 is on" in [button.label for button in app.button]
    assert "multi_head_weights" not in controls(app)  # the model is a trained one whatever the other steps show
