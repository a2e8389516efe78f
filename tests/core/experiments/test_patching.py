"""Heads switched off or patched: against zeroed rows of W_O, and by identities."""

import numpy as np
import pytest

from attention_core.experiments.inside import patching
from attention_core.model.activations import insides
from attention_core.model.config import Config
from attention_core.model.parameters import Model, init_model

LENGTH, HEADS = 5, 3
KINDS = {
    "learned": {"positions": "learned", "attention_biases": "all", "epsilon": 0.1},
    "rope, post-norm": {"positions": "rope", "norm": "post"},
    "sinusoidal, attention alone": {"positions": "sinusoidal", "d_ff": 0},
    "alibi": {"positions": "alibi"},
}


def made(kind="learned"):
    """Return a model in float64 whose heads matter, and two sequences."""
    model = init_model(
        Config(11, **{"d_model": 12, "n_heads": HEADS, "n_layers": 2, "max_len": 7} | KINDS[kind]), seed=2
    )
    model = Model.of(model.config, 3 * model.flat.astype(np.float64))
    model.flat[model.flat == 0] = np.random.default_rng(1).normal(size=(model.flat == 0).sum())  # the biases
    return model, np.array([3, 7, 1, 7, 4]), np.array([3, 5, 1, 7, 9])


def with_zero_rows(model, head):
    cut = Model.of(model.config, model.flat.copy())
    layer, own = divmod(head, HEADS)
    width = model.config.d_head
    cut.parameters.blocks[layer].attention.w_o[own * width : (own + 1) * width] = 0
    return cut


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("head", [0, 2, 4])
def test_a_head_that_is_off_is_one_without_its_rows_of_w_o(kind, head):
    model, tokens, _ = made(kind)
    expected, found = insides(with_zero_rows(model, head), tokens), patching.run_with_heads(model, tokens, [head])
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-12)
    np.testing.assert_allclose(found.logits, expected.logits, atol=1e-12)
    assert np.abs(found.logits - insides(model, tokens).logits).max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_changed_and_patches_from_the_same_prompt_leave_the_run_as_it_is(kind):
    model, tokens, _ = made(kind)
    usual = insides(model, tokens)
    own = patching.head_outputs(model, tokens)
    for arguments in ([()], [(0, 4), own], [(1,), own, 2]):
        found = patching.run_with_heads(model, tokens, *arguments)
        np.testing.assert_allclose(found.logits, usual.logits, atol=1e-12)
        np.testing.assert_allclose(found.weights, usual.weights, atol=1e-12)
    late = patching.run_with_heads(
        model, tokens, [HEADS], position=2
    ).logits  # of the last layer: no later row reads it
    assert (np.abs(late - usual.logits).max(axis=-1) > 1e-9).tolist() == [False, False, True, False, False]


def test_the_strongest_link_is_the_largest_drop_on_the_keys():
    model, tokens, _ = made()
    without, inside = patching.looks_without_heads(model, tokens), insides(model, tokens)
    assert without.shape == (2, HEADS, 2, HEADS, LENGTH)
    keys = [1, 3]
    link = patching.strongest_link(inside, without, keys)
    drops = inside.weights[1, :, -1][None] - without[0, :, 1]  # (earlier head, later head, T)
    assert link.weight - link.without == pytest.approx(drops[..., keys].max())
    assert (link.earlier[0], link.later[0]) == (0, 1)
    assert link.key in keys
    assert drops[link.earlier[1], link.later[1], link.key] == pytest.approx(link.weight - link.without)


def test_a_head_at_its_mean_has_the_same_output_at_every_position():
    model, tokens, _ = made()
    found, means = patching.head_outputs(model, tokens), patching.mean_outputs(model, tokens)
    assert means.shape == found.shape
    np.testing.assert_allclose(means[1, 2, 3], found[1, 2].sum(axis=0) / LENGTH, atol=1e-12)
    np.testing.assert_allclose(means, means[:, :, :1] + 0 * means, atol=1e-12)


@pytest.mark.parametrize(
    ("tokens", "among", "expected"),
    [
        ([4, 8, 5, 4, 2], [4, 5], [4, 8, 5, 5, 2]),  # the last of the two, and what is not among them stays
        ([4, 8, 5, 2], [4, 5], None),  # it was not named before
        ([4, 8, 4], [4, 5], None),  # there is no other
        ([8, 2], [4, 5], None),
    ],
)
def test_what_is_asked_for_last_is_replaced(tokens, among, expected):
    found = patching.exchange_last(tokens, among)
    assert (None if found is None else found.tolist()) == expected


@pytest.mark.parametrize(
    ("tokens", "among", "expected"),
    [
        ([5, 2, 5, 7, 2], [], [2, 5, 2, 7, 5]),
        ([5, 2, 8, 7, 2], [7, 8], [5, 2, 7, 8, 2]),
        ([5, 2, 8], [8], [2, 5, 8]),
        ([4, 4], [], [4, 4]),
    ],
)
def test_two_tokens_are_exchanged_wherever_they_are(tokens, among, expected):
    assert patching.exchange_two(tokens, among).tolist() == expected
