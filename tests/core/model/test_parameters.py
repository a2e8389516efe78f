"""The parameters: their names, their number, and how they lie in one vector."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as core
from attention_core.model.parameters import n_parameters, parameter_parts, shapes

configs = st.builds(
    lambda heads, d_head, **others: core.Config(d_model=2 * heads * d_head, n_heads=heads, **others),
    heads=st.integers(1, 5),
    d_head=st.integers(1, 3),
    vocab_size=st.integers(1, 23),
    n_layers=st.integers(1, 4),
    max_len=st.integers(1, 19),
    d_ff=st.none() | st.integers(0, 13),
    positions=st.sampled_from(["sinusoidal", "learned", "rope", "alibi", "none"]),
    norm=st.sampled_from(["pre", "post"]),
    attention_biases=st.sampled_from(["none", "qkv", "all"]),
)


@given(configs)
def test_the_formula_counts_what_a_model_holds(config):
    model = core.init_model(config)
    arrays = core.named_arrays(model)
    assert n_parameters(config) == model.flat.size == sum(array.size for array in arrays.values())
    parts = dict.fromkeys(("token_embedding", "position_embedding", "attention", "feed_forward", "norms"), 0)
    for name, array in arrays.items():
        parts[next((part for part in parts if part in name), "norms")] += array.size
    assert parameter_parts(config)._asdict() == parts


def test_the_shapes_of_a_huge_model_take_no_memory():
    tracemalloc.start()
    sizes = shapes(core.Config(50257, 12288, 96, 2, 2048))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sizes["blocks.1.feed_forward.w1"] == (12288, 49152)
    assert peak < 1 << 20


@given(configs)
def test_matrices_lie_first_because_only_they_decay(config):
    model = core.init_model(config)
    matrices, others = model.flat[: model.n_matrix], model.flat[model.n_matrix :]
    model.flat[:] = 0
    for array in core.named_arrays(model).values():
        array += array.ndim
    assert (matrices == 2).all()
    assert (others == 1).all()


@settings(max_examples=5)
@given(seed=st.integers(0, 2**32))
def test_weights_start_as_small_as_their_matrix_is_tall(seed):
    config = core.Config(97, 64, 4, 8, 89, d_ff=53, positions="learned")
    expected = {"embedding": 1 / 8, "w_q": 1 / 8, "w_k": 1 / 8, "w_v": 1 / 8, "w1": 1 / 8}
    expected |= {"w_o": 1 / 8 / 4, "w2": 1 / 53**0.5 / 4}  # what writes into the stream: 1 / √(2 * 8 layers) besides
    for name, array in core.named_arrays(core.init_model(config, seed=seed)).items():
        if array.ndim == 2:
            wanted = next(deviation for end, deviation in expected.items() if name.endswith(end))
            assert array.std() == pytest.approx(wanted, rel=0.1)
            assert abs(array.mean()) < 0.1 * wanted
