"""What a model is examined by: with weights all alike the numbers can be worked out on paper."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.held_out import ROWS, link_scores, rule_accuracy
from attention_core.shipped.models import model_at
from attention_core.text.corpora import own_text, source_of
from attention_core.text.small_english import CRIES, PLURALS, WORDS, links

SINGULAR = {noun: animal for animal in CRIES for noun in (animal, PLURALS[animal])}


def level(name, length):
    """Return a source, and a model of two layers and three heads that looks everywhere alike and expects token 0."""
    source = own_text("the cat sat on the mat. " * 7, "character") if name == "own" else source_of(name)
    model = core.init_model(core.Config(len(source.vocabulary), 6, 3, 2, length, positions="none"))
    model.flat[:] = 0
    return source, model


@pytest.mark.parametrize("kind", ["pronoun", "cry"])
def test_weights_that_are_all_alike_lie_on_what_a_word_refers_to_as_their_number_says(kind):
    source, model = level("pronoun", 24)
    found = [
        1 / (query + 1)
        for row in source.held_out(24).rows[:ROWS, :-1]
        for query, _, its in links([WORDS[token] for token in row])
        if its == kind
    ]
    assert len(found) > ROWS
    np.testing.assert_allclose(link_scores(model, source, kind), np.full((2, 3), np.mean(found)), rtol=1e-5)


def test_a_rule_is_obeyed_as_often_as_counting_by_hand_finds():
    """The colour is guessed: among six, in one of six cases. The cry of the animal is known."""
    model = model_at("english")
    drawn = source_of("english").draw(np.random.default_rng(10_009), 211, 32).rows
    right = {"colour": [], "cry": []}
    for row in drawn:
        words = [WORDS[token] for token in row]
        for query, key, kind in links(words):
            if kind in right:
                likeliest = core.logits(model, row[:query])[-1].argmax()
                right[kind].append(
                    WORDS[likeliest] == (words[key] if kind == "colour" else CRIES[SINGULAR[words[key]]])
                )
    for kind, found in right.items():
        assert len(found) > 60
        assert rule_accuracy(model, kind, 211) == pytest.approx(np.mean(found))
    assert rule_accuracy(model, "cry") > 0.99
    assert rule_accuracy(model, "colour") == pytest.approx(1 / 6, abs=0.04)
