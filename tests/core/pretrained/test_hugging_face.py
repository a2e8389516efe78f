"""Tiny random models in Hugging Face's layout, beside what transformers made of them, and folders that are refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import attention_core as core
from attention_core.model.checkpoint import load, save
from attention_core.pretrained import open_folder, open_pretrained
from tests.core.errors import check

RECORDED = Path(__file__).with_name("recorded")
OUTPUTS = np.load(RECORDED / "outputs.npz", allow_pickle=False)
IDS = OUTPUTS["ids"].tolist()
FAMILIES = ["gpt2", "llama", "qwen2", "gemma"]
each_family = pytest.mark.parametrize("family", FAMILIES)


@each_family
def test_logits_and_attention_are_those_of_transformers(family):
    real = open_pretrained(RECORDED / family)
    logits, attention = real.logits(IDS), real.attention(IDS)
    assert logits.dtype == np.float32
    np.testing.assert_allclose(logits, OUTPUTS[f"{family}.logits"], atol=1e-5)
    np.testing.assert_allclose(attention, OUTPUTS[f"{family}.attention"], atol=3e-6)


@each_family
def test_every_array_of_a_folder_counts(family, tmp_path):
    """A model with one array changed says something else: so each is read, and to its own place."""
    folder = Path(shutil.copytree(RECORDED / family, tmp_path / family))
    before = open_folder(folder).logits(IDS)
    for file in sorted(folder.glob("*.safetensors")):
        content = file.read_bytes()
        begin = 8 + int.from_bytes(content[:8], "little")
        for name, entry in json.loads(content[8:begin]).items():
            if name != "__metadata__":
                start, stop = entry["data_offsets"]
                zeros = bytes(stop - start)
                file.write_bytes(content[: begin + start] + zeros + content[begin + stop :])
                assert np.abs(open_folder(folder).logits(IDS) - before).max() > 1e-3, name
        file.write_bytes(content)


@each_family
def test_it_goes_on_with_the_cache_and_is_kept_as_a_model_of_the_course(family, tmp_path):
    real = open_folder(RECORDED / family)
    written = list(real.generate(IDS, 9, temperature=0))
    assert written == core.generate(real.model, IDS, 9, temperature=0, cache=False)
    save(tmp_path / "own.safetensors", real.model, [str(i) for i in range(real.model.config.vocab_size)])
    again, _ = load(tmp_path / "own.safetensors")
    np.testing.assert_allclose(core.logits(again, IDS), real.logits(IDS), atol=0.3)  # the file has 16 bits


@pytest.mark.parametrize("family", ["gpt2", "llama", "qwen2"])
def test_a_tokeniser_of_bytes_reads_its_special_tokens_where_it_is_told_to(family):
    real = open_folder(RECORDED / family)
    text = "hello the é<|end|>"
    ids = real.encode(text)
    assert real.tokeniser.pieces(ids) == ["hello", " t", "he", " ", "<0xC3>", "<0xA9>", "<|end|>"]
    assert (ids[-1], real.end) == (1, 1)
    assert 1 not in real.encode(text, special=False)
    assert real.decode(ids) == real.decode(real.encode(text, special=False)) == text


def test_a_tokeniser_of_words_begins_a_text_as_its_model_learned_to():
    real = open_folder(RECORDED / "gemma")
    ids = real.encode(" the hen é", special=False)
    assert real.tokeniser.pieces(ids) == ["<bos>", " the", " ", "he", "n", " ", "<0xC3>", "<0xA9>"]
    assert real.decode(ids[1:]) == " the hen é"


CHANGED = [
    ("llama", {"model_type": "gemma3_text"}, "model_type must be one of gpt2, llama, qwen2, gemma, got 'gemma3_text'"),
    ("llama", {"head_dim": 8}, "head_dim must be 4, hidden_size / num_attention_heads, got 8"),
    ("llama", {"rope_parameters": {"rope_type": "yarn", "rope_theta": 500.0}}, "rope_type must be default, got 'yarn'"),
    ("llama", {"attention_bias": True}, "attention_bias must be False, got True"),
    ("llama", {"hidden_act": "mish"}, "the activation must be one of"),
    ("qwen2", {"layer_types": ["full_attention", "sliding_attention"]}, "layer_types must be full_attention"),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx must be False"),
    ("gpt2", {"n_layer": 1}, "must not contain h.1."),
    ("gpt2", {"n_layer": 3}, "h.2."),
    ("gpt2", {"n_inner": 30}, "h.0.mlp.c_fc.weight must have shape (30, 20), got (31, 20)"),
    ("gemma", {"tie_word_embeddings": False}, "tie_word_embeddings must be true"),
]


@pytest.mark.parametrize(
    ("family", "changed", "said"), CHANGED, ids=lambda part: part if isinstance(part, str) else None
)
def test_a_folder_of_another_model_is_refused_in_true_words(family, changed, said, tmp_path):
    folder = Path(shutil.copytree(RECORDED / family, tmp_path / family))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changed))
    with pytest.raises(ValueError, match="path must be that of a model that can be read") as raised:
        open_folder(folder)
    assert said in str(raised.value)


def test_a_damaged_folder_is_refused(tmp_path):
    folder = Path(shutil.copytree(RECORDED / "gpt2", tmp_path / "gpt2"))
    file = folder / "model.safetensors"
    arrays, content = load_file(file), file.read_bytes()

    def refused(said):
        check(lambda: open_folder(folder), "path must be that of a model that can be read")
        with pytest.raises(ValueError, match=said):
            open_folder(folder)

    for damaged in (b"", b"hello", content[:2000], content[:-64]):
        file.write_bytes(damaged)
        refused("got")
    save_file(arrays | {"transformer.ln_f.bias": np.full(20, np.inf, np.float32)}, file)
    refused("ln_f.bias must contain finite numbers")
    save_file(arrays | {"transformer.ln_f.bias": np.zeros(20, np.int8)}, file)
    refused("must be of type F32, F16, BF16, got I8")
    save_file(arrays | {"transformer.h.0.attn.bias": np.ones((1, 1, 61, 61), np.float32)}, file)
    assert open_folder(folder).end == 1  # a mask that older files keep
    for name in ("tokenizer.json", "config.json"):
        (folder / name).unlink()
        refused(name)


def test_files_of_before_say_the_base_of_rope_elsewhere(tmp_path):
    folder = Path(shutil.copytree(RECORDED / "llama", tmp_path / "llama"))
    config = json.loads((folder / "config.json").read_text())
    base = config.pop("rope_parameters")["rope_theta"]
    (folder / "config.json").write_text(json.dumps(config | {"rope_theta": base, "rope_scaling": None}))
    np.testing.assert_array_equal(open_folder(folder).logits(IDS), open_folder(RECORDED / "llama").logits(IDS))
