"""The Llama model beside a plain reference in float64: all formats, groups, tied and untied, in parts, cached."""

import numpy as np
import pytest

import attention_core as core
from attention_core.pretrained import llama
from tests.core.errors import check
from tests.core.pretrained.files import FORMATS, TOKENS, gguf, tiny
from tests.core.pretrained.reference import forward

IDS = [5, 77, 263, 5, 5, 260, 11]
KINDS = [(form, 2, tied) for form in FORMATS for tied in (True, False)] + [("F32", 1, True), ("F32", 6, True)]


def expected(made, ids=IDS, without=()):
    return forward(made.metadata, made.numbers.__getitem__, ids, without)


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize(("form", "n_groups", "tied"), KINDS)
def test_logits_and_attention_are_those_of_the_reference(opened, form, n_groups, tied):
    made = tiny(form, n_groups, tied)
    model, reference = opened(made.content), expected(made)
    close(model.logits(IDS), reference.logits)
    close(model.attention(IDS), reference.weights)
    assert model.logits(IDS).dtype == model.attention(IDS).dtype == np.float32
    assert (np.argsort(-model.logits(IDS)[-1])[:20] == np.argsort(-reference.logits[-1])[:20]).all()


@pytest.mark.parametrize("without", [[], [(1, 3), (0, 0), (0, 5)]])
def test_all_activations_are_those_of_the_reference(opened, without):
    made = tiny()
    inside, reference = opened(made.content).insides(IDS, without), expected(made, without=without)
    for name in reference._fields:
        close(getattr(inside, name), getattr(reference, name))
    assert inside.tokens == IDS


def test_the_residual_stream_is_a_sum_and_its_last_row_gives_the_logits(opened):
    model = opened(tiny().content)
    inside = model.insides(IDS)
    close(inside.stream[:-1] + inside.attention_adds, inside.middle)
    close(inside.middle + inside.mlp_adds, inside.stream[1:])
    close(inside.stream[-1] * inside.final_scale * model.parameters.final_gain, inside.final)
    close(model.unembed(inside.stream[-1]), inside.logits)
    close(model.unembed(inside.stream[:, -1])[-1], inside.logits[-1])
    for layer in range(model.config.n_layers):
        writes = model.head_writes(inside, layer)
        assert writes.shape == (6, len(IDS), 11)
        close(writes.sum(axis=0), inside.attention_adds[layer])


def test_a_head_that_is_switched_off_writes_nothing_and_changes_the_logits(opened):
    made = tiny()
    model, off = opened(made.content), [(0, 2), (1, 5)]
    close(model.logits(IDS, off), expected(made, without=off).logits)
    assert np.abs(model.logits(IDS, off) - model.logits(IDS)).max() > 0.01
    assert not model.head_writes(model.insides(IDS, off), 0)[2].any()
    np.testing.assert_array_equal(model.attention(IDS, off)[0], model.attention(IDS)[0])  # only layers above can change
    assert (model.attention(IDS, off)[1] != model.attention(IDS)[1]).any()


def test_a_long_text_is_computed_in_parts(opened, monkeypatch):
    made = tiny(n_groups=3)
    ids = np.random.default_rng(3).integers(0, len(TOKENS), 23).tolist()
    model, whole = opened(made.content), expected(made, ids).logits
    for size in (1, 2, 7, 22, 23, 24):
        monkeypatch.setattr(llama, "POSITIONS_AT_ONCE", size)
        close(model.logits(ids), whole)


def test_new_tokens_with_the_cache_are_those_without_it(opened):
    model = opened(tiny().content)
    ids = list(IDS)
    for token in model.generate(IDS, 9, temperature=0):
        assert token == model.logits(ids)[-1].argmax()
        ids.append(token)
    assert len(ids) == len(IDS) + 9


def test_sampling_follows_the_seed_and_keeps_to_top_k_and_top_p(opened):
    model = opened(tiny().content)
    runs = [list(model.generate(IDS, 12, seed=seed)) for seed in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]
    greedy = list(model.generate(IDS, 12, temperature=0))
    assert list(model.generate(IDS, 12, top_k=1)) == list(model.generate(IDS, 12, top_p=1e-9)) == greedy
    best = np.argsort(-model.logits(IDS)[-1])[:3].tolist()
    assert {next(model.generate(IDS, 1, 3.0, top_k=3, seed=seed)) for seed in range(40)} == set(best)


def test_tokens_are_drawn_with_the_probabilities_of_the_softmax(opened):
    model = opened(tiny().content)
    probabilities = core.softmax(model.logits(IDS)[-1] / 0.5)
    likeliest = int(probabilities.argmax())
    times = sum(next(model.generate(IDS, 1, 0.5, seed=seed)) == likeliest for seed in range(300))
    assert abs(times / 300 - probabilities[likeliest]) < 0.1


def test_the_context_can_be_filled_and_not_exceeded(opened):
    model = opened(tiny().content)
    assert len(list(model.generate(IDS, 61 - len(IDS), temperature=0))) == 61 - len(IDS)
    check(model.generate, "ids and steps must be at most 61 tokens, got 7 + 55", IDS, 55)
    check(model.logits, "ids must be at most 61 tokens, got 62", [1] * 62)


def test_bad_input_is_named(opened):
    model = opened(tiny().content)
    for method in (model.logits, model.attention, model.insides, lambda ids: model.generate(ids, 1)):
        check(method, "ids must be a list of at least one token id", [])
        check(method, "ids must be a list of at least one token id", [[1]])
        check(method, "ids must be a list of at least one token id", [0.5])
        check(method, f"ids must be between 0 and {len(TOKENS) - 1}, got -1 to 3", [3, -1])
        check(method, f"ids must be between 0 and {len(TOKENS) - 1}, got 0 to {len(TOKENS)}", [0, len(TOKENS)])
    check(model.logits, "layer must be between 0 and 1, got 2", [1], [(2, 0)])
    check(model.insides, "head must be between 0 and 5, got 6", [1], [(0, 6)])
    check(model.head_writes, "layer must be between 0 and 1, got 2", model.insides([1]), 2)
    check(model.unembed, "stream must be d_model 11 wide", np.zeros((3, 12), np.float32))
    check(model.generate, "steps must be at least 0", IDS, -1)
    check(model.generate, "temperature must be a finite number of at least 0", IDS, 1, -1.0)
    check(model.generate, "top_p must be in (0, 1]", IDS, 1, 1.0, None, 0)


def test_a_result_that_takes_too_much_memory_is_refused(opened):
    made = tiny()
    model = opened(gguf(made.metadata | {"llama.context_length": 1 << 20}, made.tensors))
    check(model.attention, "ids must be so few that attention weights take at most", [1] * 4000)
    check(model.insides, "ids must be so few that attention weights take at most", [1] * 4000)
    check(model.logits, "ids must be so few that logits take at most", [1] * 600_000)


def test_parameters_that_overflow_are_a_value_error(opened):
    made = tiny()
    gain = made.tensors["blk.0.ffn_norm.weight"]
    huge = gain._replace(content=np.full(gain.shape, 1e38, "<f4").tobytes())
    model = opened(gguf(made.metadata, made.tensors | {"blk.0.ffn_norm.weight": huge}))
    for method in (model.logits, model.insides, lambda ids: next(model.generate(ids, 1))):
        check(method, "parameters must be small enough for float32", IDS)


def test_opening_holds_every_parameter_once(opened):
    model = opened(tiny("Q4_1").content)
    assert model.parameters.unembedding.base is model.parameters.token_embedding
    assert model.parameters.token_embedding.dtype == np.float32
    untied = opened(tiny("Q4_1", tied=False).content)
    assert untied.parameters.unembedding.shape == (32, len(TOKENS))
    assert not np.array_equal(untied.parameters.unembedding.T, untied.parameters.token_embedding)
