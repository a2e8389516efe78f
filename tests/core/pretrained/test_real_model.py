"""A tiny Llama file beside a plain reference in float64, its tokeniser, and files that cannot be read."""

import numpy as np
import pytest

import attention_core as core
from attention_core.model.activations import insides
from attention_core.pretrained import open_gguf
from tests.core.pretrained.files import TOKENS, write, write_tiny
from tests.core.pretrained.reference import forward

IDS = [5, 77, 263, 5, 5, 260, 11]


@pytest.fixture
def made(tmp_path):
    return write_tiny(tmp_path / "tiny.gguf")


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize(("n_groups", "tied"), [(2, True), (2, False), (1, True), (6, False)])
def test_every_activation_is_that_of_the_reference(tmp_path, n_groups, tied):
    made = write_tiny(tmp_path / "tiny.gguf", n_groups, tied)
    model, wanted = open_gguf(made.path), forward(made.metadata, made.numbers.__getitem__, IDS)
    found = insides(model.model, IDS)
    close(model.logits(IDS), wanted.logits)
    close(model.attention(IDS), wanted.weights)
    assert model.logits(IDS).dtype == model.attention(IDS).dtype == np.float32
    for name in ("stream", "middle", "queries", "head_outputs"):
        close(getattr(found, name), getattr(wanted, name))
    for name in ("keys", "values"):
        close(getattr(found, name)[:, :: 6 // n_groups], getattr(wanted, name))
    close(found.feed_forward_adds, wanted.mlp_adds)


def test_the_epsilon_of_the_norms_is_that_of_the_file(made):
    metadata = made.metadata | {"llama.attention.layer_norm_rms_epsilon": 1e-2}
    write(made.path, metadata, made.numbers)
    close(open_gguf(made.path).logits(IDS), forward(metadata, made.numbers.__getitem__, IDS).logits)


def test_new_tokens_with_the_cache_are_those_without_it(made):
    model = open_gguf(made.path)
    ids = list(IDS)
    for token in model.generate(IDS, 9, temperature=0):
        assert token == model.logits(ids)[-1].argmax()
        ids.append(token)
    drawn = [list(model.generate(IDS, 12, 1.5, 5, seed=seed)) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0] == core.generate(model.model, IDS, 12, 1.5, 5, seed=0, cache=False)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("hello hello the 12", ["hello", " hello", " t", "he", " ", "1", "2"]),  # each digit by itself
        ("é中", ["é", "<0xE4>", "<0xB8>", "<0xAD>"]),
        ("<|start|>x", ["<|start|>", "x"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_the_longest_tokens_and_comes_back(made, text, pieces):
    model = open_gguf(made.path)
    ids = model.encode(text)
    assert model.tokeniser.pieces(ids) == pieces
    assert model.decode(ids) == text
    assert model.decode(model.encode(text, special=False)) == text


def test_what_stands_for_itself_can_be_read_as_text(made):
    model = open_gguf(made.path)
    assert (model.encode("<|start|>"), model.end) == ([TOKENS.index("<|start|>")], 0)
    assert 1 not in model.encode("<|start|>", special=False)


@pytest.mark.parametrize(
    "changed",
    [
        {"llama.rope.scaling.type": "yarn"},
        {"llama.attention.key_length": 8},
        {"llama.attention.head_count": 7},
        {"llama.feed_forward_length": 14},
        {"llama.block_count": 1},
        {"llama.block_count": 3},
        {"llama.embedding_length": None},
        {"tokenizer.ggml.pre": "llama-bpe"},
    ],
)
def test_a_file_of_another_model_is_a_value_error(tmp_path, changed):
    made = write_tiny(tmp_path / "tiny.gguf")
    write(made.path, made.metadata | changed, made.numbers)
    with pytest.raises(ValueError, match="Llama model"):
        open_gguf(made.path)


def test_a_damaged_file_is_a_value_error(made):
    content = made.path.read_bytes()
    made.numbers["output_norm.weight"][3] = np.inf
    write(made.path, made.metadata, made.numbers)
    infinite = made.path.read_bytes()
    for damaged in (b"", b"hello", content[:2000], content[:-64], infinite):
        made.path.write_bytes(damaged)
        with pytest.raises(ValueError, match="Llama model"):
            open_gguf(made.path)
