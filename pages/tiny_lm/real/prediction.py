"""What the pretrained model predicts after the text, how it goes on, and what the logit lens reads after each layer."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_reading import real_lens, real_predictions
from attention_core.model.generate import generate
from attention_core.pretrained.tokeniser import Tokeniser
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import CLICK, Axes, frame, heatmap, outline, write
from pages.look.facts import listed
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.common import ENDED, chosen_place, layer_names, likeliest_bars, shortened
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.real.measured import read_by_stories, stories_pieces
from pages.tiny_lm.real.model import computed, pieces_of, record_toy
from pages.tiny_lm.sampling import chosen_sampling

NEW = 12  # tokens that follow the text
READ, LONGEST = 6, 8  # last positions of the lens, and characters of a token in it
LENS_AXES = Axes("layer", "token", "probability", words=True)
WRITTEN = "{n_new} tokens after your text: {how}. Its vocabulary has {size:,} tokens."
SPECIAL = "{marks}: **special tokens**, which begin and end a message of a chat, and cannot be typed here."
TOY = "Small Stories predicts {token} after this text, with probability {probability}."


def draw_prediction(page: Page, real: ModelInWorker, ids: Tokens) -> None:
    """Show the prediction after one token, and what the model writes next."""
    labels = position_labels(pieces_of(real, ids))
    sampling = chosen_sampling(page)
    found = computed(page, "predictions", real_predictions, real, ids)
    following = computed(page, "following", generate, real, ids, NEW, *sampling)
    left, right = st.columns(2, gap="large")
    with left:
        page.heading("Prediction of the next token")
        position = chosen_place(page, labels, "real_at")
        page.prints(f"probability of the likeliest token after {labels[position]}", found.probabilities, position, 0)
        tokens, said = found.tokens[position], f"The likeliest tokens after {quoted(labels[position])}."
        likeliest_bars(page, pieces_of(real, tokens), found.probabilities[position], "prediction", said)
    with right:
        page.heading("A continuation")
        texts = [real.tokeniser.decode(part).replace("\n", "⏎\n") for part in (ids, following)]
        page.write(Markup('<div class="spoken" style="white-space:pre-wrap"><b>{}</b>{}</div>').format(*texts))
        page.write(WRITTEN.format(n_new=NEW, how=sampling.how, size=real.config.vocab_size), "note")
        if marks := special_tokens(real.tokeniser, [*following, *tokens.tolist()]):
            page.say(SPECIAL, "note", marks=Markup("{}").format(listed(marks)))
        stories = record_toy(page, "stories", "stories")
        own = page.recipe.given("pieces", read_by_stories(real.tokeniser.decode(ids)))
        toy = page.recipe.run_once("toy_predictions", real_predictions, stories, own)
        token = visible(stories_pieces().tokens[int(toy.tokens[-1, 0])])
        page.write(TOY.format(token=quoted(token), probability=number(float(toy.probabilities[-1, 0]))), "note")


def special_tokens(tokeniser: Tokeniser, ids: list[int]) -> list[str]:
    """Return those of some tokens that stand for themselves, such as the marks of a chat."""
    return [text for text in dict.fromkeys(tokeniser.pieces(ids)) if text in tokeniser.special]


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
