"""The logit lens of the pretrained model: what each layer would predict."""

import numpy as np
import streamlit as st

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_reading import real_lens
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import CLICK, Axes, frame, heatmap, outline, write
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.common import ENDED, chosen_place, layer_names, likeliest_bars, shortened
from pages.tiny_lm.real.model import computed, pieces_of

READ, LONGEST = 6, 8  # last positions of the lens, and characters of a token in it
LENS_AXES = Axes("layer", "token", "probability", words=True)


def draw_lens(page: Page, real: ModelInWorker, ids: Tokens) -> None:
    """Draw what the logit lens reads after every layer at the last positions."""
    labels = position_labels(pieces_of(real, ids))[-READ:]
    names = layer_names(real.config.n_layers)
    found = computed(page, "lens", real_lens, real, ids, READ)
    left, right = st.columns([1.4, 1], gap="large")
    with right, st.container(horizontal=True):
        position = chosen_place(page, labels, "real_at")
        layer = names.index(page.controls.select("real_layer", "Layer read", names, names[-1], width=150))
    page.prints(f"probability of the likeliest token of {names[layer]}", found.read.probabilities, layer, position, 0)
    likeliest, shares = found.read.tokens[..., 0], found.read.probabilities[..., 0]
    texts = np.array([[shortened(piece, LONGEST) for piece in pieces_of(real, row)] for row in likeliest], dtype=object)
    early = likeliest == likeliest[-1]
    early[-1] = False  # there they agree by definition
    with left:
        layers = outline(layer, position), frame(early), write(texts), CLICK
        said = f"The likeliest next token after each layer, at the last {len(labels)} positions."
        chart = heatmap(shares, names, labels, LENS_AXES, *layers, name="lens", sentence=said)
        page.show(chart, lambda i, j: page.controls.put(real_layer=names[i], real_at=labels[j]), ENDED)
    with right:
        tokens, probabilities = found.read.tokens[layer, position], found.read.probabilities[layer, position]
        likeliest_bars(page, pieces_of(real, tokens), probabilities, "prediction", "The likeliest tokens there.")
        final, own = quoted(pieces_of(real, likeliest[-1:, position])[0]), number(float(found.final[layer, position]))
        page.write(f"The prediction of the whole model, {final}, has probability {own} here.", "note")
