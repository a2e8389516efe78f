"""Checkpoints: what is saved comes back, and files of others that keep to the names are read too."""

import io
import json
import re

import numpy as np
import pytest

import attention_core as core
from attention_core.model.checkpoint import round_mantissa
from tests.core.model.archives import CONFIG, WORDS, archive, npy, parts

V, D, H, L, M, F = 5, 6, 3, 2, 7, 11
KINDS = [
    {"positions": "learned"},
    {"positions": "rope", "activation": "relu"},
    {"positions": "alibi", "norm": "post"},
    {"positions": "none", "d_ff": 0},
    {"positions": "sinusoidal", "d_ff": None},
    {"alibi_slopes": (0.1, 0.0, 2.0), "dropout": 0.1, "causal": False},
]


def made(**kind):
    model = core.init_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), seed=3)
    model.flat[:] += np.random.default_rng(5).standard_normal(model.flat.size, np.float32)
    return model


def again(model, *args, **kwargs):
    file = io.BytesIO()
    core.save(file, model, *args, **kwargs)
    return core.load(file)


def same(first, second):
    return first.config == second.config and np.array_equal(first.flat, second.flat)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_model_comes_back_bit_for_bit(kind):
    model = made(**kind)
    loaded, vocabulary = again(model)
    assert same(loaded, model)
    assert loaded.flat.dtype == np.float32
    assert vocabulary is None
    assert np.array_equal(core.logits(loaded, [1, 2, 3]), core.logits(model, [1, 2, 3]))


def test_half_the_bits_keep_half_the_digits():
    model = made()
    wide, narrow = io.BytesIO(), io.BytesIO()
    core.save(wide, model)
    core.save(narrow, model, dtype=np.float16)
    loaded, _ = core.load(narrow)
    assert np.array_equal(loaded.flat, model.flat.astype(np.float16))
    assert loaded.flat.dtype == np.float32
    assert len(wide.getvalue()) - len(narrow.getvalue()) == 2 * model.flat.size


def test_a_model_in_float64_is_saved_in_float32():
    model = core.init_model(core.Config(V, D, H, L, M), dtype=np.float64)
    assert np.array_equal(again(model)[0].flat, model.flat.astype(np.float32))


@pytest.mark.parametrize(
    "vocabulary",
    [WORDS, ["", " ", "\n", '"', "\\"], ["\0", "a\0", "\ufeff", "a", "\u2028"], ["1", "null", "[", "{", ","]],
)
def test_a_vocabulary_comes_back_whatever_its_words_are_made_of(vocabulary):
    assert again(made(), vocabulary)[1] == vocabulary
    assert again(made(), iter(vocabulary))[1] == vocabulary


@pytest.mark.parametrize("kind", [str, lambda path: path], ids=["str", "path"])
def test_a_path_is_written_as_it_was_given(tmp_path, kind):
    model = made()
    core.save(kind(tmp_path / "model"), model, WORDS)
    loaded, vocabulary = core.load(kind(tmp_path / "model"))
    assert same(loaded, model)
    assert vocabulary == WORDS
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_an_open_file_stays_open(tmp_path):
    with open(tmp_path / "model", "w+b") as file:
        core.save(file, made())
        assert same(core.load(file)[0], made())
        assert same(core.load(file)[0], made())


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        core.load(tmp_path / "nowhere")


def test_what_is_written_is_a_plain_npz_of_the_public_names(tmp_path):
    model = made(positions="learned")
    core.save(tmp_path / "model", model, WORDS)
    with np.load(tmp_path / "model", allow_pickle=False) as file:
        arrays = dict(file)
    assert json.loads(str(arrays.pop("config")))["d_ff"] == F
    assert json.loads(str(arrays.pop("vocabulary"))) == WORDS
    assert arrays.keys() == core.named_arrays(model).keys()
    assert all(np.array_equal(arrays[name], array) for name, array in core.named_arrays(model).items())


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f2", ">f2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_written_by_numpy_alone_is_read(write, dtype, order):
    rng, file = np.random.default_rng(0), io.BytesIO()
    shapes = {"token_embedding": (5, 4), "position_embedding": (7, 4), "final_norm.gain": (4,), "final_norm.bias": (4,)}
    for i in range(2):
        shapes |= {f"blocks.{i}.attention.{name}": (4, 4) for name in ("w_q", "w_k", "w_v", "w_o")}
        shapes |= {f"blocks.{i}.{norm}.{name}": (4,) for norm in ("norm1", "norm2") for name in ("gain", "bias")}
        hidden = {"w1": (4, 3), "b1": (3,), "w2": (3, 4), "b2": (4,)}
        shapes |= {f"blocks.{i}.feed_forward.{name}": shape for name, shape in hidden.items()}
    arrays = {name: np.asarray(rng.standard_normal(shape), dtype, order=order) for name, shape in shapes.items()}
    config = {"vocab_size": 5, "d_model": 4, "n_heads": 2, "n_layers": 2, "max_len": 7, "d_ff": 3}
    write(file, config=json.dumps(config | {"positions": "learned"}), vocabulary=json.dumps(WORDS), **arrays)
    model, vocabulary = core.load(file)
    assert vocabulary == WORDS
    assert all(np.array_equal(array, arrays[name]) for name, array in core.named_arrays(model).items())


def test_arguments_that_the_config_leaves_out_take_their_defaults():
    config = {"vocab_size": 5, "d_model": 6, "n_heads": 3, "n_layers": 2, "max_len": 7}
    model = core.init_model(core.Config(**config))
    loaded, _ = core.load(io.BytesIO(archive(parts(model, config=config))))
    assert same(loaded, model)
    assert loaded.config == core.Config(5, 6, 3, 2, 7, d_ff=24, positions="sinusoidal", activation="gelu", norm="pre")


@pytest.mark.parametrize("kind", ["<U999", ">U999", "S999"])
def test_texts_may_be_of_any_kind_and_members_in_any_order(kind):
    texts = {
        name: np.array(json.dumps(text)).astype(kind) for name, text in (("config", CONFIG), ("vocabulary", WORDS))
    }
    members = parts() | {name: npy(text) for name, text in texts.items()}
    model, vocabulary = core.load(io.BytesIO(archive(dict(reversed(members.items())))))
    assert same(model, core.init_model(core.Config(**CONFIG)))
    assert vocabulary == WORDS


def test_a_loaded_model_can_be_trained():
    model, _ = again(made())
    before = model.flat.copy()
    next(core.train(model, [1, 2, 3, 4], 1))
    assert all(np.shares_memory(array, model.flat) for array in core.named_arrays(model).values())
    assert (model.flat != before).any()


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (np.nan, {}, "model must contain finite numbers that fit float32, got others in token_embedding"),
        (np.inf, {}, "model must contain finite numbers that fit float32, got others in token_embedding"),
        (
            1e6,
            {"dtype": np.float16},
            "model must contain finite numbers that fit float16, got others in token_embedding",
        ),
        (0, {"dtype": np.float64}, "dtype must be float16 or float32, got float64"),
        (0, {"vocabulary": WORDS[:4]}, "vocabulary must contain vocab_size 5 different tokens, got 4"),
        (0, {"vocabulary": [*WORDS[:4], "cat"]}, "vocabulary must contain vocab_size 5 different tokens, got 5"),
        (0, {"vocabulary": range(5)}, "vocabulary must be a list of strings"),
        (
            0,
            {"vocabulary": [*WORDS[:4], "\ud83d"]},
            "vocabulary must contain whole characters, got half of a surrogate",
        ),
        (0, {"vocabulary": [*WORDS[:4], "a" * (1 << 22)]}, "vocabulary must "),  # more than would be read again
    ],
)
def test_what_could_not_be_loaded_is_not_saved_and_the_old_file_stays(tmp_path, change, arguments, message):
    core.save(tmp_path / "model", made(), WORDS)
    model = made()
    model.flat[0] += np.float32(change)
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        core.save(tmp_path / "model", model, **arguments)
    assert same(core.load(tmp_path / "model")[0], made())


def test_a_save_that_fails_on_its_way_leaves_the_old_file(tmp_path, monkeypatch):
    def full_disk(file, **arrays):
        file.write(b"PK\x03\x04 and no more")
        raise OSError("No space left on device")

    core.save(tmp_path / "model", made(), WORDS)
    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(OSError, match="No space"):
        core.save(tmp_path / "model", core.init_model(core.Config(V, D, H, L, M)))
    assert same(core.load(tmp_path / "model")[0], made())


def test_an_optimizer_comes_back_bit_for_bit(tmp_path):
    model = made()
    state, file = core.AdamW.of(model), io.BytesIO()
    for _ in core.train(model, [1, 2, 3, 4], 3, optimizer=state):
        pass
    for target in (file, tmp_path / "optimizer"):
        core.save_optimizer(target, state)
        loaded = core.load_optimizer(target, model)
        assert np.array_equal(loaded.mean, state.mean)
        assert np.array_equal(loaded.square, state.square)
        assert loaded.step == 3


def test_a_save_that_fails_leaves_nothing_beside_the_old_file(tmp_path, monkeypatch):
    def full_disk(file, **arrays):
        file.write(b"PK")
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(OSError, match="no space left"):
        core.save(tmp_path / "model", made())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bits", [1, 4, 9, 10])
def test_numbers_with_a_short_mantissa_are_the_nearest_ones(bits):
    numbers = np.random.default_rng(bits).standard_normal(997).astype(np.float16)
    rounded = round_mantissa(numbers, bits)
    assert rounded.dtype == np.float16
    assert np.abs(rounded / numbers - 1).max() <= 2.0 ** -(bits + 1)
    assert np.array_equal(round_mantissa(rounded, bits), rounded)
    assert (np.frexp(rounded.astype(float))[0] * 2 ** (bits + 1) % 1 == 0).all()  # no later bit is set
    by_hand = round_mantissa(np.array([1.0, 1.25, 1.24, 1.99, -1.26, 0.0], np.float16), 1)
    assert by_hand.tolist() == [1.0, 1.5, 1.0, 2.0, -1.5, 0.0]


def test_a_short_mantissa_makes_a_small_file_that_reads_as_any_other(tmp_path):
    model = core.init_model(core.Config(97, 32, 4, 2, 16, positions="rope"), 3)
    core.save(tmp_path / "whole.npz", model, dtype=np.float16)
    core.save(tmp_path / "short.npz", model, dtype=np.float16, mantissa=4)
    sizes = [(tmp_path / f"{name}.npz").stat().st_size for name in ("whole", "short")]
    assert sizes[1] < 0.65 * sizes[0]
    again, _ = core.load(tmp_path / "short.npz")
    assert np.array_equal(again.flat, round_mantissa(model.flat.astype(np.float16), 4).astype(np.float32))
    with pytest.raises(ValueError, match="mantissa must come with dtype float16, got float32"):
        core.save(tmp_path / "none.npz", model, mantissa=4)
    with pytest.raises(ValueError, match="mantissa must be"):
        core.save(tmp_path / "none.npz", model, dtype=np.float16, mantissa=11)
