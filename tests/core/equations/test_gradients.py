"""Every backward pass of the equations agrees with central differences, with none, one and two batch axes."""

from typing import get_args

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.activation_functions import Activation
from attention_core.equations.attention import attention_backward, attention_forward, sink_backward
from attention_core.equations.feed_forward import FeedForward, feed_forward_backward, feed_forward_forward
from attention_core.equations.heads import Heads, heads_backward, heads_forward
from attention_core.equations.norm import Norm, norm_backward, norm_forward
from attention_core.equations.positions import rope_phase
from attention_core.equations.softmax import softmax_backward, softmax_forward
from tests.core.gradients import BATCHES, assert_gradient, drawer, frozen

T, S, K, V, F, H = 5, 7, 2, 3, 11, 6
D = H * K
INF = np.inf


def blocked(*shape):
    """Return an additive mask that blocks some cells and a whole row."""
    draw = drawer(1)
    mask = np.where(draw(*shape) > 0, -INF, draw(*shape))
    mask[..., 2, :] = -INF
    return frozen(mask)


def pairs(batch=()):
    """Return each pair by its name: its inputs, and its passes; forward returns (output, cache), backward a dict."""
    draw = drawer()
    scores, x = draw(*batch, T, S), draw(*batch, T, D)
    qkv = {"q": draw(*batch, T, K), "k": draw(*batch, S, K), "v": draw(*batch, S, V)}
    phase = rope_phase(T, K, 50.0, 0, "<f8")
    causal = core.additive_mask(core.causal_mask(T))

    def softmax(mask):
        return (
            {"scores": scores},
            lambda scores: 2 * (softmax_forward(scores, mask),),
            lambda dout, weights: {"scores": softmax_backward(dout.copy(), weights)},
        )

    def attention(mask, **more):
        def forward(**inputs):
            cache = attention_forward(**inputs, mask=mask, **more)
            return cache.output, cache

        return qkv, forward, lambda dout, cache: dict(zip("qkv", attention_backward(dout, cache), strict=True))

    def attention_with_a_sink(mask, softcap):
        _, forward, backward = attention(mask, softcap=softcap)

        def back(dout, cache):
            return backward(dout, cache) | {"sink": sink_backward(dout, cache)}

        return qkv | {"sink": draw(*batch)}, forward, back

    def layer(params, forward, backward, *more):
        def back(dout, cache):
            dx, grads = backward(dout, cache)
            return {"x": dx, **grads._asdict()}

        arrays = {name: array for name, array in params._asdict().items() if array is not None}
        return {"x": x, **arrays}, lambda x, **own: forward(x, params._replace(**own), *more), back

    def heads(groups, *more, biases=()):
        parts = Heads(draw(D, D + 2 * groups * K), draw(D, D), *map(draw, biases))
        return layer(parts, heads_forward, heads_backward, H, *more)

    def feeds(params, activation):
        return layer(params, feed_forward_forward, feed_forward_backward, activation)

    wide = FeedForward(draw(D, F), draw(F), draw(F, D), draw(D))
    return {
        "softmax": softmax(None),
        "softmax with a mask": softmax(blocked(T, S)),
        "attention": attention(None),
        "attention with a mask": attention(blocked(T, S)),
        "attention with a softcap": attention(blocked(T, S), softcap=1.5),
        "attention with a sink": attention_with_a_sink(None, None),
        "attention with a sink, a mask and a softcap": attention_with_a_sink(blocked(T, S), 2.5),
        "LayerNorm": layer(Norm(draw(D), draw(D)), norm_forward, norm_backward),
        "RMSNorm": layer(Norm(draw(D), None), norm_forward, norm_backward),
        "RMSNorm with another epsilon": layer(Norm(draw(D), None), norm_forward, norm_backward, 0.7),
        **{name: feeds(wide, name) for name in get_args(Activation)},
        "gated": feeds(FeedForward(draw(D, 2 * F), None, draw(F, D), None), "silu"),
        "gated, with biases": feeds(FeedForward(draw(D, 2 * F), draw(2 * F), draw(F, D), draw(D)), "gelu"),
        "heads": heads(H),
        "heads, causal, rotated": heads(H, causal, phase),
        "heads, each with its mask": heads(H, blocked(H, T, T)),
        "heads, each with its mask, rotated": heads(H, blocked(H, T, T), phase),
        "one group of heads, rotated": heads(1, None, phase),
        "three groups of heads": heads(3, causal),
        "heads with biases": heads(H, causal, biases=(3 * D, D)),
        "three groups of heads with biases, rotated": heads(3, None, phase, biases=(2 * D,)),
    }


every_batch = pytest.mark.parametrize("batch", BATCHES)


@every_batch
@pytest.mark.parametrize("name", pairs())
def test_backward_agrees_with_central_differences(batch, name):
    inputs, forward, backward = pairs(batch)[name]
    out, cache = forward(**inputs)
    dout = drawer(2)(*out.shape)
    found = backward(dout, cache)
    for each, array in inputs.items():
        own = lambda changed, each=each: forward(**inputs | {each: changed})[0]  # noqa: E731
        assert_gradient(own, array, dout, found[each])
