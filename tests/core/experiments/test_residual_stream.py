"""The stream: lengths and cosines, shares that sum to one, norms step by step, hidden units."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.residual_stream import (
    StreamWrites,
    addition,
    hidden_units,
    measure_writes,
    norm_inputs,
    norm_steps,
    stream_shares,
)
from tests.core.gradients import drawer

V, D, H, L, M, F, T = 11, 12, 3, 2, 7, 13, 5
any_kind = pytest.mark.parametrize(
    "kind", [{}, {"norm": "post", "activation": "relu"}, {"d_ff": 0}, {"d_ff": 0, "norm": "post"}], ids=str
)
TOKENS = np.random.default_rng(1).integers(V, size=T)


def made(**kind):
    """Return a model none of whose numbers is at the 0 or 1 where it would start."""
    model = core.init_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), seed=3, dtype=np.float64)
    model.flat[:] += 0.3 * drawer(5, np.float64)(model.flat.size)
    return model


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)


@any_kind
def test_the_law_of_cosines_leads_from_one_length_to_the_next(kind):
    model = made(**kind)
    inside = core.insides(model, TOKENS)
    found = measure_writes(inside)
    assert {array.shape for array in found} == {(L, T)}
    close(found.before, np.sqrt((inside.stream[:-1] ** 2).sum(axis=-1)))
    close(found.before[1:], found.after[:-1])
    if model.config.norm == "post":
        return
    close(
        found.middle**2,
        found.before**2 + found.attention**2 + 2 * found.before * found.attention * found.attention_cosine,
    )
    close(
        found.after**2,
        found.middle**2 + found.feed_forward**2 + 2 * found.middle * found.feed_forward * found.feed_forward_cosine,
    )


@any_kind
def test_the_drawn_total_is_as_long_as_the_stream_becomes(kind):
    model = made(**kind)
    inside = core.insides(model, TOKENS)
    found = measure_writes(inside)
    total = inside.stream[1, 3] + inside.attention_adds[1, 3]
    length = np.sqrt((addition(found, 1, 0, 3).total ** 2).sum())
    close(length * found.before[1, 3], np.sqrt(total @ total))


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "none"])
@pytest.mark.parametrize("d_ff", [0, F])
def test_the_shares_of_the_stream_sum_to_one(d_ff, positions):
    model = made(d_ff=d_ff, positions=positions)
    inside = core.insides(model, TOKENS)
    for position in range(T):
        shares = stream_shares(model, inside, position)
        assert abs(shares.total - 1) < 1e-12
        final = inside.stream[-1, position]
        close(shares.heads[1, 2], inside.head_writes[1, 2, position] @ final / (final @ final))
        close(shares.length, np.sqrt(final @ final))
        assert (abs(shares.place) < 1e-15) == (positions == "none")


def test_shares_of_a_hand_worked_stream():
    """One layer that writes nothing: token (3, 0) and place (0, 4) make a stream (3, 4) of length 5."""
    model = core.init_model(core.Config(2, 2, 1, 1, 2, d_ff=0, positions="learned"), dtype=np.float64)
    model.flat[:] = 0
    model.parameters.token_embedding[1] = 3, 0
    model.parameters.position_embedding[0] = 0, 4
    shares = stream_shares(model, core.insides(model, [1]), 0)
    close([shares.token, shares.place, shares.length], [9 / 25, 16 / 25, 5])


@any_kind
def test_every_norm_of_a_model_is_taken_apart(kind):
    model = made(**kind)
    inside = core.insides(model, TOKENS)
    n_norms = L * (2 if model.config.d_ff else 1) + 1
    assert len(norm_inputs(model, inside)) == n_norms
    for number in range(n_norms):
        x, (gain, bias) = norm_inputs(model, inside)[number]
        steps = norm_steps(model, inside, number, 3)
        close(steps.x, x[3])
        close(steps.out, core.layer_norm(x[3], gain, bias))
        close(steps.normal.mean(), 0)
        close(steps.centred, steps.x - steps.mean)
    close(steps.out @ model.parameters.token_embedding.T, inside.logits[3])
    if model.config.norm == "post":
        close(norm_steps(model, inside, n_norms - 2, 3).out, inside.stream[-1, 3])
        close(norm_steps(model, inside, 0, 3).out, inside.middle[0, 3])


@pytest.mark.parametrize("kind", [{}, {"norm": "post", "activation": "relu"}], ids=str)
def test_hidden_units_make_what_the_feed_forward_adds(kind):
    model = made(**kind)
    inside = core.insides(model, TOKENS)
    for layer in range(L):
        units = hidden_units(model, inside, layer)
        _, _, w2, b2 = model.parameters.blocks[layer].feed_forward
        close(units.after @ w2 + b2, inside.feed_forward_adds[layer])
        close(units.off, (units.before <= 0).mean(axis=-1))
        if kind:
            close(units.after, np.maximum(units.before, 0))


def test_an_addition_is_drawn_in_units_of_the_stream():
    """A stream of length 2, and an attention of length 4 at cosine 0.6: 2 · (0.6, 0.8) in units of the stream."""
    stream, attention, cosine, nothing = (np.full((1, 1), x) for x in (2.0, 4.0, 0.6, 0.0))
    found = StreamWrites(stream, attention, cosine, stream, nothing, nothing, stream)
    drawn = addition(found, 0, 0, 0)
    close(drawn.stream, [1, 0])
    close(drawn.added, [1.2, 1.6])
    close(drawn.total, [2.2, 1.6])
    close(addition(found._replace(before=nothing), 0, 0, 0).added, [0, 0])
