"""What a causal mask does: the statements of the fourth lesson, tested on the sentence of the student."""

import numpy as np

from attention_core.arrays import Array
from attention_core.data_files import read_table
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.experiments.masks.attention_stack import random_layers, run_layers
from attention_core.experiments.qkv.one_head import attend
from attention_core.experiments.qkv.perturb import zeroed_rows
from attention_core.experiments.qkv.wrong_on_purpose import softmax_of_zeroed_scores, zero_after_softmax
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.causal_mask.scene import SEED
from pages.heads.matrices import SENTENCE, SIZES
from pages.look.facts import furthest
from pages.look.html import quoted
from pages.memory.explain import BY_RANDOM, Experiment, Statements, explain_sentence, statements
from pages.page.page import Page

UNMASKED = 1  # the layer without a mask, counted from 0
SAID = read_table(__file__)


def draw(page: Page) -> bool:
    return explain_sentence(page, "Explain what a causal mask does", statements_of, SENTENCE, BY_RANDOM)


def statements_of(words: list[str]) -> Statements:
    """Return what is said of a word in the middle, of the last one and of the first."""
    if len(words) < 3:
        return []
    labels, asks, last = position_labels(words), len(words) // 2, len(words) - 1
    it, first, late = (quoted(labels[place]) for place in (asks, 0, last))
    d_model, d_k, _ = SIZES
    x, layers = word_vectors(words, d_model, SEED), random_layers(3, d_model, d_k, SEED)
    blocked, head = causal_mask(len(words)), layers[0]
    mask = additive_mask(blocked)
    plain, now = attend(x, head), attend(x, head, mask)
    entry = furthest(now.output[asks] - attend(zeroed_rows(x, 0), head, mask).output[asks]).first

    def output(done: str, after: float) -> Experiment:
        return Experiment(done, f"entry {entry + 1} of the output of {it}", float(now.output[asks, entry]), after)

    def without(place: int, word: str) -> Experiment:
        after = attend(zeroed_rows(x, place), head, mask).output[asks, entry]
        return output(f"The vector of {word} is set to 0.", float(after))

    def after_layer(layer: int) -> Experiment:
        reached = np.subtract(*(run_layers(one, layers)[layer, asks] for one in (x, zeroed_rows(x, last))))
        masked = [place for place in range(len(layers)) if place != UNMASKED]
        before, after = (run_layers(one, layers, mask, masked)[layer, asks] for one in (x, zeroed_rows(x, last)))
        place = furthest(reached).first
        what = f"entry {place + 1} of the vector of {it} after layer {layer + 1}"
        return Experiment(f"The vector of {late} is set to 0.", what, float(before[place]), float(after[place]))

    later, weights = slice(asks + 1, None), plain.weights[asks]

    def future(done: str, row: Array) -> Experiment:
        return Experiment(
            done, f"the weight of {it} on later words", float(weights[later].sum()), float(row[later].sum())
        )

    sums, zeroed = f"the sum of the row of {it}", float(zero_after_softmax(plain.scores, blocked)[asks].sum())
    short = attend(x[: asks + 1], head, mask[: asks + 1, : asks + 1]).output[asks, entry]
    tried = {
        "last": without(last, late),
        "first": without(0, first),
        "blocked": future("−∞ is added to their scores.", now.weights[asks]),
        "zeroed": Experiment("Their weights are set to 0.", sums, float(weights.sum()), zeroed),
        "counted": future("Their scores are set to 0.", softmax_of_zeroed_scores(plain.scores, blocked)[asks]),
        "alone": output(f"The head reads the text up to {it} alone.", float(short)),
        "unmasked layer": after_layer(UNMASKED),
        "masked layer": after_layer(UNMASKED + 1),
    }
    numbers = {"twice": 2 * float(now.output[asks, entry])}
    return statements(SAID, tried, {"asks": labels[asks]}, numbers)
