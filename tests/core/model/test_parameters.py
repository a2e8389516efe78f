"""The parameters: their names, their number, and how they lie in one vector."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as core
from attention_core.model.parameters import attention_parameters, n_parameters, parameter_parts, shapes

V, D, H, L, M, F = 11, 6, 3, 2, 7, 5
LEARNED = core.Config(V, D, H, L, M, d_ff=F, positions="learned")
ATTENTION_ONLY = core.Config(V, D, H, L, M, d_ff=0)

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
)


def shapes_of(model):
    return {name: array.shape for name, array in core.named_arrays(model).items()}


def block_shapes(i):
    matrices = {f"blocks.{i}.attention.{name}": (D, D) for name in ("w_q", "w_k", "w_v", "w_o")}
    norms = {f"blocks.{i}.{norm}.{name}": (D,) for norm in ("norm1", "norm2") for name in ("gain", "bias")}
    hidden = {"w1": (D, F), "b1": (F,), "w2": (F, D), "b2": (D,)}
    return matrices | norms | {f"blocks.{i}.feed_forward.{name}": shape for name, shape in hidden.items()}


def test_names_and_shapes_are_those_of_the_checkpoint():
    ends = {"token_embedding": (V, D), "position_embedding": (M, D), "final_norm.gain": (D,), "final_norm.bias": (D,)}
    assert shapes_of(core.init_model(LEARNED)) == ends | block_shapes(0) | block_shapes(1)


@pytest.mark.parametrize("positions", ["sinusoidal", "rope", "alibi", "none"])
def test_only_learned_positions_are_parameters(positions):
    config = core.Config(V, D, H, L, M, d_ff=F, positions=positions)
    assert set(shapes(LEARNED)) - set(shapes(config)) == {"position_embedding"}


def test_blocks_of_attention_alone_have_one_norm_and_no_feed_forward():
    names = [name for name in shapes(ATTENTION_ONLY) if name.startswith("blocks.0.")]
    assert {name.removeprefix("blocks.0.").split(".")[0] for name in names} == {"norm1", "attention"}


def test_the_number_of_parameters_by_hand():
    embeddings = 11 * 6 + 7 * 6
    attention = 2 * 4 * 36
    feed_forward = 2 * (6 * 5 + 5 + 5 * 6 + 6)
    norms = 2 * 2 * (6 + 6) + (6 + 6)
    assert n_parameters(LEARNED) == embeddings + attention + feed_forward + norms == 598


@given(configs)
def test_the_formula_counts_what_a_model_holds(config):
    model = core.init_model(config)
    arrays = core.named_arrays(model)
    assert n_parameters(config) == model.flat.size == sum(array.size for array in arrays.values())
    parts = dict.fromkeys(("token_embedding", "position_embedding", "attention", "feed_forward", "norms"), 0)
    for name, array in arrays.items():
        parts[next((part for part in parts if part in name), "norms")] += array.size
    assert parameter_parts(config)._asdict() == parts


@given(configs)
def test_shapes_are_known_without_a_model(config):
    assert shapes(config) == shapes_of(core.init_model(config))


def test_the_shapes_of_a_huge_model_take_no_memory():
    tracemalloc.start()
    sizes = shapes(core.Config(50257, 12288, 96, 2, 2048))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sizes["blocks.1.feed_forward.w1"] == (12288, 49152)
    assert peak < 1 << 20


@given(configs)
def test_the_arrays_are_views_that_cover_the_vector_once(config):
    model = core.init_model(config)
    model.flat[:] = 0
    for array in core.named_arrays(model).values():
        array += 1
    assert (model.flat == 1).all()


def test_writing_into_an_array_changes_what_the_model_says():
    model = core.init_model(LEARNED)
    before = core.logits(model, [1, 2, 3])
    core.named_arrays(model)["blocks.1.attention.w_v"][:] = 0
    assert np.abs(core.logits(model, [1, 2, 3]) - before).max() > 1e-3


@given(configs)
def test_matrices_lie_first_because_only_they_decay(config):
    model = core.init_model(config)
    matrices, others = model.flat[: model.n_matrix], model.flat[model.n_matrix :]
    model.flat[:] = 0
    for array in core.named_arrays(model).values():
        array += array.ndim
    assert (matrices == 2).all()
    assert (others == 1).all()


def test_the_seed_alone_decides_the_first_weights():
    first, again, other = (core.init_model(LEARNED, seed=seed).flat for seed in (3, 3, 5))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_generator_of_numpy_itself_is_neither_read_nor_moved():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = core.init_model(LEARNED).flat
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(17)  # noqa: NPY002
    assert np.array_equal(core.init_model(LEARNED).flat, first)


def test_both_widths_of_number_start_from_the_same_weights():
    wide, narrow = (core.init_model(LEARNED, seed=3, dtype=kind) for kind in (np.float64, np.float32))
    assert wide.flat.dtype == np.float64
    assert np.array_equal(wide.flat.astype(np.float32), narrow.flat)


def test_gains_start_at_one_and_biases_at_zero():
    for name, array in core.named_arrays(core.init_model(LEARNED)).items():
        if name.endswith("gain"):
            assert (array == 1).all()
        elif array.ndim == 1:
            assert not array.any()


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


def test_attention_holds_four_squares_whatever_the_heads():
    assert attention_parameters(64) == 16_384
    for n_heads in (1, 2, 4, 8):
        attention = core.init_model(core.Config(5, 64, n_heads, 1, 3)).parameters.blocks[0].attention
        assert sum(matrix.size for matrix in attention) == 16_384
