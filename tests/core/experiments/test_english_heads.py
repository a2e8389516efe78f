"""The model of the small English at work: what its heads look at, alone and together."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.head_patterns import CLEAR, NOTHING, clearest_links
from attention_core.experiments.multi_head.english_heads import (
    CONFIG,
    TEXT,
    LinkWeights,
    grammar_model,
    habits,
    known_words,
    link_weights,
    trained_head,
    trained_heads,
    trained_positions,
    uniform_link_weights,
)
from attention_core.experiments.multi_head.several_heads import attend_heads
from attention_core.experiments.qkv.explain import explain_weight
from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.shipped.models import model_at
from attention_core.text.corpora import source_of
from tests.core.errors import check, says

SENTENCES = [
    "the cat sat on the warm mat",
    "a fluffy blue creature roamed the verdant forest",
    "The animal didn’t cross the street because it was too tired",
    "the big red cat quickly saw the blue ball and it meowed . the ball is blue",
    "ball",
]
STORY = SENTENCES[3].split()
HEADS = range(CONFIG.n_heads)


@pytest.fixture(scope="module")
def learned():
    return habits(grammar_model()[0])


@pytest.fixture(scope="module")
def untrained():
    return habits(core.init_model(CONFIG, 7))


def weights_of(words, head):
    return attend(*trained_head(words, head)).weights


def test_the_model_is_the_english_one_that_ships_as_it_was_at_the_end():
    model, vocabulary = grammar_model()
    assert model is model_at("english", 2500)
    assert model.config == CONFIG
    assert vocabulary is source_of("english").vocabulary
    assert TEXT == "new sentences in each step, generated from a grammar of 113 words"


def test_positions_are_the_first_rows_of_what_the_model_learned():
    table = core.named_arrays(grammar_model()[0])["position_embedding"]
    np.testing.assert_array_equal(trained_positions(7), table[:7])
    assert trained_positions(7).dtype == np.float64
    assert trained_positions(0).shape == (0, CONFIG.d_model)
    assert len(trained_positions(CONFIG.max_len)) == CONFIG.max_len


@pytest.mark.parametrize("text", SENTENCES)
def test_a_head_by_itself_has_the_weights_it_has_in_the_model(text):
    words = text.split()
    model, vocabulary = grammar_model()
    expected = core.attention_weights(model, vocabulary.encode(words))[0]  # (H, T, T)
    for head in HEADS:
        x, matrices, mask = trained_head(words, head)
        cache = attend(x, matrices, mask)
        np.testing.assert_allclose(cache.weights, expected[head], atol=1e-6)
        assert x.shape == (len(words), CONFIG.d_model)
        assert {matrix.shape for matrix in matrices} == {(CONFIG.d_model, CONFIG.d_head)}
        np.testing.assert_array_equal(np.isinf(mask), core.causal_mask(len(words)))
        assert {array.dtype for array in (x, *matrices, mask)} == {np.dtype(np.float64)}


@pytest.mark.parametrize("head", HEADS)
def test_a_random_head_beside_a_trained_one_is_a_fair_comparison(head):
    x, matrices, _ = trained_head(STORY, head)
    chance = random_head(CONFIG.d_model, CONFIG.d_head)
    assert x.std() == pytest.approx(1, abs=0.1)
    for name in ("w_q", "w_k"):
        assert 1 / 2 < getattr(matrices, name).std() / getattr(chance, name).std() < 2


def test_what_enters_a_head_has_passed_the_norm_of_its_block():
    model, vocabulary = grammar_model()
    embedded = core.insides(model, vocabulary.encode(STORY)).embedded
    gain, bias = model.parameters.blocks[0].norm1
    np.testing.assert_allclose(trained_head(STORY, 1).x, core.layer_norm(embedded, gain, bias), atol=1e-6)


def test_the_heads_outputs_together_are_what_attention_adds():
    model, vocabulary = grammar_model()
    merged = np.concatenate([attend(*trained_head(STORY, head)).output for head in HEADS], axis=-1)
    w_o = core.named_arrays(model)["blocks.0.attention.w_o"]
    added = core.insides(model, vocabulary.encode(STORY)).attention_adds[0]
    np.testing.assert_allclose(merged @ w_o, added, atol=1e-5)


def test_every_number_of_a_trained_weight_can_be_explained():
    steps = explain_weight(attend(*trained_head(STORY, 3)), STORY.index("it"), STORY.index("cat"))
    assert steps.score == pytest.approx(steps.total * steps.scale, rel=1e-12)
    assert steps.weight == pytest.approx(np.exp(steps.score - steps.shift) / steps.row_sum, rel=1e-12)


def test_one_head_looks_from_a_cry_and_another_from_a_pronoun_to_the_animal():
    cat, it, meowed = (STORY.index(word) for word in ("cat", "it", "meowed"))
    assert weights_of(STORY, 0)[meowed, cat] > 0.9
    assert weights_of(STORY, 3)[it, cat] > 0.9
    assert weights_of(STORY, 0)[it, cat] < 0.1


def test_each_kind_of_link_has_a_head_of_its_own(learned):
    owners = {kind: int(learned[kind][0].argmax()) for kind in ("cry", "state", "fact", "number", "pronoun")}
    assert owners == {"cry": 0, "state": 0, "fact": 0, "number": 1, "pronoun": 3}
    assert all(learned[kind][0, head] > 0.7 for kind, head in owners.items())


@pytest.mark.promise("tutorial 17")
def test_without_training_no_head_prefers_what_a_word_refers_to(untrained):
    assert all(untrained[kind].max() < 0.4 for kind in ("cry", "state", "fact", "number", "pronoun"))


def test_habits_are_shares(learned):
    assert {"previous", "first", "self", "adjective", "same", "colour"} < set(learned)
    for name, scores in learned.items():
        assert scores.shape == (1, CONFIG.n_heads), name
        assert ((scores >= 0) & (scores <= 1)).all(), name


def test_words_are_known_in_either_case_and_the_others_are_named():
    assert known_words(["The", "Cat", "sat", "on", "the", "sofa", ",", "didn’t", "it", "?"]) == (
        ["The", "Cat", "sat", "on", "the", "didn’t", "it"],
        ["sofa", ",", "?"],
    )
    assert known_words([]) == ([], [])


@says(
    (lambda: trained_head(STORY, 4), "head must be between 0 and 3, got 4"),
    (lambda: trained_head(STORY, 0, layer=1), "layer must be between 0 and 0, got 1"),
    (lambda: trained_head(["the", "sofa"], 0), "tokens must be among the 113 of the vocabulary, got 'sofa'"),
    (lambda: trained_head([], 0), "words must not be empty, got shape (0,)"),
    (lambda: trained_head(["cat"] * 33, 0), "words must have at most max_len 32 positions, got shape (33,)"),
    (lambda: trained_head("cat", 0), "tokens must be a list of tokens"),
    (lambda: known_words("cat"), "words must be a list of tokens"),
    (lambda: trained_positions(33), "length must be between 0 and 32, got 33"),
    (lambda: habits(grammar_model()[0], 0), "n_sentences must be at least 1, got 0"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)


def test_all_heads_at_once_are_the_single_heads_side_by_side():
    words = ["the", "cat", "sat", "on", "the", "mat"]
    x, heads, mask = trained_heads(words)
    weights = attend_heads(x, heads, 4, mask).weights
    for head in range(4):
        np.testing.assert_allclose(weights[head], attend(*trained_head(words, head)).weights)
    model, vocabulary = grammar_model()
    np.testing.assert_allclose(weights, core.attention_weights(model, vocabulary.encode(words))[0], atol=1e-5)
    np.testing.assert_array_equal(heads.w_o, model.parameters.blocks[0].attention.w_o)


def test_a_head_is_named_by_the_link_that_is_farthest_above_uniform_attention():
    even = LinkWeights(*np.full((8, 1, 1), 0.1))
    found = LinkWeights(*np.full((8, 1, 3), 0.1))
    found.cry[0, 0], found.number[0, 0] = 0.5, 0.4
    found.fact[0, 1] = 0.1 + CLEAR - 0.01  # not clear
    found.colour[0, 2] = 0.1 + CLEAR + 0.01
    named = clearest_links(found, even)
    fields = LinkWeights._fields
    assert named.pattern.tolist() == [[fields.index("cry"), NOTHING, fields.index("colour")]]
    np.testing.assert_allclose(named.above, [[0.4, CLEAR - 0.01, CLEAR + 0.01]])


def test_the_heads_of_toy_english_are_named_after_training_and_none_before():
    even = uniform_link_weights()
    named = clearest_links(link_weights(model_at("english")), even).pattern[0].tolist()
    fields = LinkWeights._fields
    assert named == [fields.index("cry"), fields.index("number"), NOTHING, fields.index("pronoun")]
    assert (clearest_links(link_weights(model_at("english", 0)), even).pattern == NOTHING).all()
