"""parts: the architecture with its shapes and parameters, and the same parameters in another architecture."""

import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.language.architecture import boxes
from attention_core.experiments.scaling.head_metrics import HeadMeasures
from attention_core.model.config import Config
from attention_core.shipped.models import card_of, model_at
from pages.look.cards import meters
from pages.look.html import commas, number
from pages.tiny_lm.common import USUAL_MODEL
from pages.tiny_lm.model_in_view import NAMES
from pages.tiny_lm.parts.card import position_encoding
from pages.tiny_lm.parts.diagram import label as label_of
from tests.answers.view import plain
from tests.app.steps import step
from tests.app.tiny_lm.models import in_view, named, odd, step_with
from tests.app.visits import html_of, press, rerun, said, shared, visit
from tests.tiers import first

show = partial(step, "tiny_lm", "parts")
each_model = pytest.mark.parametrize("label", first(2, [USUAL_MODEL, "Toy English", "Pronouns", "Copy task"]))


def architecture(seen):
    return named(seen, "From ")


@each_model
def test_a_path_passes_the_norm_before_attention_and_mlp(label):
    chart = architecture(show(model=label))
    box = chart.data[chart.data["kind"] == "box"].set_index("name")
    for place, (_, path) in enumerate(chart.data[chart.data["kind"] == "path"].iterrows(), start=1):
        norm = box.loc[f"LayerNorm {place}"]
        assert path["top"] < norm["top"] < path["bottom"]


def test_a_path_does_not_pass_the_norm_after():
    chart = architecture(step_with(odd("post-norm, relu"), "parts"))
    box = chart.data[chart.data["kind"] == "box"].set_index("name")
    for place, (_, path) in enumerate(chart.data[chart.data["kind"] == "path"].iterrows(), start=1):
        assert not path["top"] < box.loc[f"LayerNorm {place}", "top"] < path["bottom"]


def test_a_click_on_a_box_opens_it():
    seen = show()
    seen.page.picked["architecture"](0, 0)
    assert seen.page.controls.known["part"].value == "tokens"
    assert "Wₒ" in [*architecture(seen).data["name"]]  # as the other lessons write it


@each_model
def test_the_card_says_how_the_model_came_about(label):
    card = card_of(NAMES[label])
    text = said(show(model=label))
    assert all(part in text for part in (card.text, card.command))
    assert all(number(loss) in text for loss in (card.first_loss, card.last_loss))
    assert f"parameters{commas(card.parameters)}" in text
    assert f"training steps{commas(card.steps)}" in text


def test_what_looks_highest_of_a_layer_is_bold():
    measures = HeadMeasures(*np.array([[0.501, 0.499, 0.2], [0.3, 0.299, 0.301], *[[0.1, 0.2, 0.3]] * 4]))
    bold = [re.findall("<b>(.*?)</b>", meters(measures, head)) for head in range(3)]
    assert bold == [["0.50"], ["0.50"], ["0.30"] * 3]  # of the second measure none, as all look the same


def test_costs_are_counted_by_hand():
    width, words, tokens = 32, 12, 113
    flops = 2 * words * width * (4 * width + 2 * words + tokens)  # four projections, scores and sums, logits
    told = [f"parameters in 32 bits {4 * 8864 / 1000:.1f} kB", f"in 16 bits {2 * 8864 / 1000:.1f} kB"]
    told += [f"12 tokens {flops:,}", f"{100_000:,} tokens, in 16 bits {2 * 100_000**2 / 1e9:.1f} GB"]
    shown = " ".join(" ".join(plain(block) for block in show().html).split())
    assert [one for one in told if one not in shown] == []


def test_a_penalty_on_distance_is_a_position_encoding():
    assert position_encoding(model_at("stories").config) == "ALiBi"
    usual = partial(Config, vocab_size=9, d_model=8, n_heads=2, n_layers=1, max_len=8)
    assert position_encoding(usual(positions="alibi")) == "ALiBi"
    assert position_encoding(usual(positions="rope", alibi_slopes=(0.5, 0.1))) == "RoPE and ALiBi"
    assert position_encoding(usual(positions="none")) == "none"


def test_a_button_enlarges_a_head_and_another_goes_back_to_all():
    app = visit("tiny_lm", step="parts", ask="no")
    app.session_state["tiny_lm_closer_Attention of every head"] = True
    press(rerun(app), "tiny_lm_put_head_1.4")
    assert shared(app)["tiny_lm_head"] == "1.4"
    assert any("How <b" in block for block in html_of(app))
    app.button_group(key="_tiny_lm_in_view").set_value("all")
    assert "tiny_lm_head" not in shared(rerun(app))


@each_model
def test_every_box_says_its_output_shape_and_its_parameters(label):
    config, length = in_view(label).model.config, len(in_view(label).tokens)
    once = [box for box in boxes(config, length) if box.layer <= 0]
    chart = architecture(show(model=label))
    drawn = chart.data[chart.data["kind"] == "box"]
    assert drawn["name"].tolist() == [label_of(box) for box in once]
    assert drawn["note"].tolist() == [" × ".join(map(commas, box.out)) for box in once]
    assert drawn["amount"].tolist() == [commas(box.n_parameters) if box.n_parameters else "–" for box in once]
    paths = chart.data[chart.data["kind"] == "path"]
    assert len(paths) == (2 if config.d_hidden else 1)
    adds = drawn[drawn["name"].str.startswith("add")]
    assert paths["bottom"].tolist() == ((adds["top"] + adds["bottom"]) / 2).tolist()
