"""What the pretrained model makes of the text: its tokens and predictions, every head, and the logit lens."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.real_reading import (
    Predictions,
    RealLens,
    real_continuation,
    real_head,
    real_lens,
    real_patterns,
    real_predictions,
    real_without_head,
)
from attention_core.pretrained import PretrainedModel
from attention_core.text.characters import split_characters
from attention_core.text.word_vectors import position_labels
from pages.charts.bars import fraction_bars
from pages.charts.heatmap import Axes, heatmap
from pages.look.html import number, quoted
from pages.look.sentences import brightest_cell
from pages.page.heads_view import ALL, enlarged_head
from pages.page.page import Page
from pages.server.model_cache import is_kept
from pages.tiny_lm.common import layer_names
from pages.tiny_lm.heads_view import LONG, SHORT, head_word
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.real.model import in_line
from pages.tiny_lm.sampling import chosen_sampling

NEW = 12  # tokens that follow the text
ENLARGED = 24  # last tokens of an enlarged map
READ, LONGEST = 6, 8  # last positions of the lens, and characters of a token in it
HEAD_AXES = Axes("head", "layer", "mean weight")
LENS_AXES = Axes("layer", "token", "probability", words=True)


def pieces_of(real: PretrainedModel, ids: Tokens) -> list[str]:
    """Return each token as text that can be seen."""
    return [visible(real.decode(ids[i : i + 1])) or "�" for i in range(len(ids))]


def draw_prediction(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Show the tokens with their ids, the prediction after one of them, and what the model writes next."""
    pieces = pieces_of(real, ids)
    labels = position_labels(pieces)
    sampling = chosen_sampling(page)
    how = (sampling.temperature, sampling.top_k, sampling.top_p, sampling.seed)
    known = is_kept(real_predictions, real, ids) and is_kept(real_continuation, real, ids, NEW, *how)
    with in_line("Reading the text", known):
        found: Predictions = page.recipe.run_once("predictions", real_predictions, real, ids)
        following = page.recipe.run_once("following", real_continuation, real, ids, NEW, *how)
    page.heading("Tokens and their ids", small=True)
    chip = Markup('<span>{} <small class="soft">{}</small></span>')
    chips = Markup("").join(chip.format(piece, f"{token:,}") for piece, token in zip(pieces, ids.tolist(), strict=True))
    page.write(Markup('<div class="course chips">{}</div>').format(chips))
    left, right = st.columns(2, gap="large")
    with left:
        page.heading("Prediction of the next token", small=True)
        position = labels.index(page.controls.select("at", "Position", labels, labels[-1], width=170))
        page.prints(f"largest probability after {labels[position]}", found.probabilities, position, 0)
        prediction_bars(
            page, real, found.tokens[position], found.probabilities[position], f"After {quoted(labels[position])}"
        )
    with right:
        page.heading("A continuation", small=True)
        text = real.decode(ids), real.decode(following)
        page.write(Markup('<div class="spoken"><b>{}</b>{}</div>').format(*(part.replace("\n", "⏎") for part in text)))
        page.write(
            f"{NEW} tokens after your text: {sampling.how}. With its KV cache the model reads each token once. Its "
            f"vocabulary has {real.config.vocab_size:,} tokens.",
            "note",
        )


def prediction_bars(page: Page, real: PretrainedModel, tokens: Tokens, probabilities: np.ndarray, where: str) -> None:
    """Draw the likeliest tokens of one prediction."""
    names = pieces_of(real, tokens)
    chart = fraction_bars(
        names,
        probabilities,
        name="prediction",
        sentence=f"{where} the top prediction is {quoted(names[0])}: {number(float(probabilities[0]))}.",
        highlight=0,
        title="probability",
        of="token",
    )
    page.show(chart)


def draw_heads(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Draw all heads in one picture by a pattern, and one of them enlarged."""
    n_layers, n_heads = real.config.n_layers, real.config.n_heads
    words = {head_word(layer, head): (layer, head) for layer in range(n_layers) for head in range(n_heads)}
    chosen = page.controls.choice("pattern", "Pattern", list(SHORT.values()), SHORT["previous"])
    field = next(field for field, word in SHORT.items() if word == chosen)
    with in_line("Reading the text", is_kept(real_patterns, real, ids)):
        found = page.recipe.run_once("patterns", real_patterns, real, ids)
    values = getattr(found, field)  # (L, H)
    word = page.controls.mark("head", "Enlarged head", ALL, (ALL, *words).__contains__)
    layer, head = words.get(word, divmod(int(values.argmax()), n_heads))
    page.heading(f"All {n_layers * n_heads} heads", small=True)
    best = divmod(int(values.argmax()), n_heads)
    measure = "entropy as a fraction of its maximum" if field == "spread" else f"mean weight on {LONG[field]}"
    page.show(
        heatmap(
            values.T,
            [str(number + 1) for number in range(n_heads)],
            [str(number + 1) for number in range(n_layers)],
            HEAD_AXES,
            name="all heads",
            sentence=f"Each head’s {measure}. Largest: {number(float(values[best]))} in head {head_word(*best)}.",
            chosen=(head, layer),
            clickable=True,
        ),
        lambda i, j: page.controls.put(head=head_word(j, i)),
        note="Click a head to enlarge it.",
    )
    known = is_kept(real_head, real, ids, layer, head) and is_kept(real_predictions, real, ids)
    with in_line("Reading the text", known):
        attention = page.recipe.run_once("one_head", real_head, real, ids, layer, head)
        predicted = page.recipe.run_once("predictions", real_predictions, real, ids)
    best_token = int(predicted.tokens[-1, 0])
    with in_line("Switching the head off", is_kept(real_without_head, real, ids, layer, head, best_token)):
        without = page.recipe.run_once("without", real_without_head, real, ids, layer, head, best_token)
    labels = position_labels(pieces_of(real, ids))
    first = max(0, len(labels) - ENLARGED)
    shown = attention.weights[first:, first:]
    page.heading(f"Layer {layer + 1}, head {head + 1}", small=True)
    enlarged_head(
        page,
        attention,
        labels,
        labels,
        lambda row: f"Head {head_word(layer, head)}: {brightest_cell(shown, labels[first:], row)}",
        "Queries and keys are after RoPE. Click a cell to see its computation.",
        usual=(len(shown) - 1, int(shown[-1].argmax())),
        first=first,
    )
    token, before = quoted(visible(real.decode([best_token]))), float(predicted.probabilities[-1, 0])
    page.write(
        f"The top prediction after the text is {token}, with probability {number(before, 3)}. With head "
        f"{head_word(layer, head)} switched off it is {number(without, 3)}.",
        "note",
    )


def draw_lens(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Draw what the logit lens reads after every layer at the last positions."""
    labels = position_labels(pieces_of(real, ids))[-READ:]
    names = layer_names(real.config.n_layers)
    with in_line("Reading every layer", is_kept(real_lens, real, ids, READ)):
        found: RealLens = page.recipe.run_once("lens", real_lens, real, ids, READ)
    left, right = st.columns([1.4, 1], gap="large")
    with right, st.container(horizontal=True):
        position = labels.index(page.controls.select("at", "Position", labels, labels[-1], width=170))
        layer = names.index(page.controls.select("layer", "Layer read", names, names[-1], width=150))
    page.prints(f"probability of the likeliest token of {names[layer]}", found.read.probabilities, layer, position, 0)
    likeliest, largest = found.read.tokens[..., 0], found.read.probabilities[..., 0]
    texts = np.array([[short_piece(piece) for piece in pieces_of(real, row)] for row in likeliest], dtype=object)
    agrees = likeliest == likeliest[-1]
    early = agrees.copy()
    early[-1] = False  # there they agree by definition
    with left:
        page.show(
            heatmap(
                largest,
                names,
                labels,
                LENS_AXES,
                name="lens",
                sentence=f"The likeliest next token after each layer, at the last {len(labels)} positions. Halfway, "
                f"{int(agrees[len(names) // 2].sum())} of {len(labels)} are those of the last layer.",
                chosen=(layer, position),
                moved=early,
                clickable=True,
                texts=texts,
            ),
            lambda i, j: page.controls.put(layer=names[i], at=labels[j]),
            "Thin outline: the same token as after the last layer. Only there the final RMSNorm and the unembedding "
            "were trained, so an earlier reading is not a prediction of the model.",
        )
    with right:
        read, where = found.read, f"After {f'layer {layer}' if layer else 'the embedding'}"
        prediction_bars(page, real, read.tokens[layer, position], read.probabilities[layer, position], where)
        final = quoted(pieces_of(real, likeliest[-1:, position])[0])
        own = number(float(found.final[layer, position]))
        page.write(f"The prediction of the whole model, {final}, has probability {own} here.", "note")


def short_piece(piece: str) -> str:
    """Return a token that fits into a narrow cell."""
    characters = split_characters(piece)
    return piece if len(characters) <= LONGEST else "".join(characters[: LONGEST - 1]) + "…"
