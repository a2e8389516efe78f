"""What a model costs: every formula against what is really computed and really kept."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language import costs
from attention_core.model.forward import model_forward
from attention_core.model.parameters import n_parameters

V, D, H, L, M, F = 11, 6, 3, 2, 7, 13
POSITIONS = ["sinusoidal", "learned", "rope", "alibi", "none"]


class Counted(np.ndarray):
    """An array that counts the operations of the matrix products it takes part in, and so does all made from it."""

    operations = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **kwargs):
        if ufunc is np.matmul and min(np.ndim(x) for x in inputs) >= 2:  # a sum as a product with ones is no matrix's
            batch = np.broadcast_shapes(inputs[0].shape[:-2], inputs[1].shape[:-2])
            Counted.operations += 2 * int(np.prod((*batch, *inputs[0].shape[-2:], inputs[1].shape[-1])))
        if out:
            kwargs["out"] = tuple(plain(x) for x in out)
        made = getattr(ufunc, method)(*map(plain, inputs), **kwargs)
        if out:
            return out[0]
        return made.view(Counted) if isinstance(made, np.ndarray) else made


def plain(x):
    return x.view(np.ndarray) if isinstance(x, Counted) else x


def counted_operations(config, length):
    """Return what a forward pass over so many tokens really multiplies and adds."""
    model = core.init_model(config)
    model = core.Model.of(config, model.flat.view(Counted))
    Counted.operations = 0
    model_forward(model, np.arange(length) % V)
    return Counted.operations


def test_the_counter_counts():
    a, b = np.ones((3, 5)).view(Counted), np.ones((5, 7))
    Counted.operations = 0
    assert np.array_equal(plain(a @ b), np.full((3, 7), 5))  # 21 numbers, each of 5 products and as many sums
    assert Counted.operations == 2 * 3 * 5 * 7


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("d_ff", [F, 0])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_formula_counts_what_a_forward_pass_does(positions, d_ff, norm):
    config = core.Config(V, D, H, L, M, d_ff=d_ff, positions=positions, norm=norm)
    for length in (1, 5, M):
        assert costs.operations(config, length).total == counted_operations(config, length)


def test_the_memory_of_the_cache_is_that_of_its_arrays():
    for dtype, bits in ((np.float32, 32), (np.float64, 64)):
        inside = core.insides(core.init_model(core.Config(V, D, H, L, M), dtype=dtype), np.zeros(5, int))
        assert costs.cache_bytes(core.Config(V, D, H, L, M), 5, bits) == inside.keys.nbytes + inside.values.nbytes


def test_gpt_3_has_175_billion_parameters():
    assert n_parameters(costs.GPT_3) == pytest.approx(175e9, rel=0.003)
    assert (costs.GPT_3.n_heads, costs.GPT_3.d_model, costs.GPT_3.d_head) == (96, 12288, 128)


def test_one_map_of_a_hundred_thousand_tokens_in_16_bits_is_20_gigabytes():
    assert costs.map_bytes(100_000) == 20 * 10**9


@pytest.mark.parametrize("d_ff", [F, 0])
def test_what_the_cache_saves_in_writing(d_ff):
    config = core.Config(V, D, H, L, M, d_ff=d_ff)
    anew, cached = costs.operations_of_writing(config, 3, 6)  # texts of 3 to 8 tokens, of which 7 are read
    work = {length: counted_operations(config, length) for length in (1, *range(3, 8))}
    assert anew == sum(work[length] for length in (3, 4, 5, 6, 7, 7))
    looks = L * 4 * D * (3 + 4 + 5 + 6)
    assert cached == work[3] + 4 * work[1] + looks + work[7]
    assert costs.operations_of_writing(config, 3, 0) == (0, 0)
    # a prompt of one token: writing then is reading, one by one
