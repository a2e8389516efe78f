"""Checkpoints: what is saved comes back, and `safetensors` reads and writes the same files."""

import io
import json
import re

import numpy as np
import pytest
import safetensors.numpy

import attention_core as core
from attention_core.model.checkpoint import load_run

V, D, H, L, M, F = 5, 6, 3, 2, 7, 11
WORDS = ["the", "cat", "sat", "désolé", "🐈"]
KINDS = [
    {"positions": "learned"},
    {"positions": "rope", "activation": "relu"},
    {"positions": "none", "d_ff": 0, "norm": "post"},
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
    assert all(np.shares_memory(array, loaded.flat) for array in core.named_arrays(loaded).values())


def test_earlier_checkpoints_of_a_run_come_back_too_and_a_reader_of_one_takes_the_last():
    models, file = [made(positions="learned") for _ in range(3)], io.BytesIO()
    for place, model in enumerate(models):
        model.flat[:] *= place + 1
    core.save(file, models[-1], WORDS, run=dict(zip([0, 7, 19], models, strict=True)))
    found, vocabulary = load_run(file)
    assert (list(found), vocabulary) == ([0, 7, 19], WORDS)
    assert all(same(one, model) for one, model in zip(found.values(), models, strict=True))
    assert same(core.load(file)[0], models[-1])
    size = models[0].flat.nbytes
    assert load_run(file, 3 * size)[1] == WORDS
    with pytest.raises(ValueError, match=f"at most {3 * size - 1:,} bytes"):
        load_run(file, 3 * size - 1)


def test_half_the_bits_keep_half_the_digits_and_float64_is_saved_in_float32():
    model = made()
    assert np.array_equal(again(model, dtype=np.float16)[0].flat, model.flat.astype(np.float16))
    wide = core.init_model(core.Config(V, D, H, L, M), dtype=np.float64)
    assert np.array_equal(again(wide)[0].flat, wide.flat.astype(np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_safetensors_reads_what_is_saved(dtype, tmp_path):
    model = made(positions="learned")
    core.save(tmp_path / "model", model, WORDS, dtype)
    arrays = safetensors.numpy.load_file(tmp_path / "model")
    assert arrays.keys() == core.named_arrays(model).keys()
    assert all(np.array_equal(arrays[name], array.astype(dtype)) for name, array in core.named_arrays(model).items())
    with safetensors.safe_open(tmp_path / "model", "numpy") as file:
        texts = {name: json.loads(text) for name, text in file.metadata().items()}
    assert texts["vocabulary"] == WORDS
    assert texts["config"]["d_ff"] == F
    assert int.from_bytes((tmp_path / "model").read_bytes()[:8], "little") % 8 == 0  # where the numbers begin


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_what_safetensors_writes_is_loaded_with_defaults_for_what_the_config_leaves_out(dtype, tmp_path):
    config = {"vocab_size": V, "d_model": D, "n_heads": H, "n_layers": L, "max_len": M}
    model = core.init_model(core.Config(**config), 3)
    arrays = {name: np.ascontiguousarray(array, dtype) for name, array in core.named_arrays(model).items()}
    texts = {"config": json.dumps(config), "vocabulary": json.dumps(WORDS), "by": "another program"}
    safetensors.numpy.save_file(arrays, tmp_path / "model", texts)
    loaded, vocabulary = core.load(tmp_path / "model")
    assert vocabulary == WORDS
    assert loaded.config == core.Config(V, D, H, L, M, d_ff=24, positions="sinusoidal", activation="gelu", norm="pre")
    assert all(np.array_equal(array, arrays[name]) for name, array in core.named_arrays(loaded).items())


@pytest.mark.parametrize(
    "vocabulary",
    [WORDS, ["", " ", "\n", '"', "\\"], ["\0", "a\0", "\ufeff", "a", "\u2028"], ["1", "null", "[", "{", ","]],
)
def test_a_vocabulary_comes_back_whatever_its_words_are_made_of(vocabulary):
    assert again(made(), iter(vocabulary))[1] == vocabulary


@pytest.mark.parametrize("kind", [str, lambda path: path], ids=["str", "path"])
def test_a_path_is_written_as_it_was_given(tmp_path, kind):
    core.save(kind(tmp_path / "model"), made(), WORDS)
    assert same(core.load(kind(tmp_path / "model"))[0], made())
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    with pytest.raises(FileNotFoundError):
        core.load(kind(tmp_path / "nowhere"))


def test_an_open_file_stays_open(tmp_path):
    with open(tmp_path / "model", "w+b") as file:
        core.save(file, made())
        assert same(core.load(file)[0], made())
        assert same(core.load(file)[0], made())


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (np.nan, {}, "model must contain finite numbers that fit float32, got others in token_embedding"),
        (1e6, {"dtype": np.float16}, "model must contain finite numbers that fit float16, got others in token_embe"),
        (0, {"dtype": np.float64}, "dtype must be float16 or float32, got float64"),
        (0, {"vocabulary": WORDS[:4]}, "vocabulary must contain vocab_size 5 different tokens, got 4"),
        (0, {"vocabulary": [*WORDS[:4], "cat"]}, "vocabulary must contain vocab_size 5 different tokens, got 5"),
        (0, {"vocabulary": range(5)}, "vocabulary must be a list of strings"),
        (0, {"vocabulary": [*WORDS[:4], "\ud83d"]}, "vocabulary must contain whole characters, got half of a surr"),
        (0, {"vocabulary": [*WORDS[:4], "a" * (1 << 20)]}, "vocabulary must fit into a header of 1,048,576 bytes"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved_and_the_old_file_stays(tmp_path, change, arguments, message):
    core.save(tmp_path / "model", made(), WORDS)
    model = made()
    model.flat[0] += np.float32(change)
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        core.save(tmp_path / "model", model, **arguments)
    assert same(core.load(tmp_path / "model")[0], made())


def test_a_save_that_fails_on_its_way_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    def full_disk(*_):
        raise OSError("No space left on device")

    core.save(tmp_path / "model", made(), WORDS)
    monkeypatch.setattr("os.replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        core.save(tmp_path / "model", core.init_model(core.Config(V, D, H, L, M)))
    assert same(core.load(tmp_path / "model")[0], made())
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_an_optimizer_comes_back_bit_for_bit(tmp_path):
    model = made()
    state = core.AdamW.of(model)
    for _ in core.train(model, [1, 2, 3, 4], 3, optimizer=state):
        pass
    core.save_optimizer(tmp_path / "optimizer", state)
    loaded = core.load_optimizer(tmp_path / "optimizer", model)
    assert np.array_equal(loaded.mean, state.mean)
    assert np.array_equal(loaded.square, state.square)
    assert loaded.step == 3
