"""The stream: lengths and cosines of what is added to it."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.residual_stream import StreamWrites, addition, measure_writes
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


def test_an_addition_is_drawn_in_units_of_the_stream():
    """A stream of length 2, and an attention of length 4 at cosine 0.6: 2 · (0.6, 0.8) in units of the stream."""
    stream, attention, cosine, nothing = (np.full((1, 1), x) for x in (2.0, 4.0, 0.6, 0.0))
    found = StreamWrites(stream, attention, cosine, stream, nothing, nothing, stream)
    drawn = addition(found, 0, 0, 0)
    close(drawn.stream, [1, 0])
    close(drawn.added, [1.2, 1.6])
    close(drawn.total, [2.2, 1.6])
    close(addition(found._replace(before=nothing), 0, 0, 0).added, [0, 0])
