"""The residual stream of the pretrained model: how long it is after each layer, and who moves the prediction."""

import numpy as np
import streamlit as st

from attention_core.arrays import Tokens
from attention_core.experiments.inside.logit_lens import attribute_logit, attribution_difference
from attention_core.experiments.inside.real_reading import real_head
from attention_core.experiments.inside.real_stream import RealStream, real_stream
from attention_core.experiments.inside.residual_stream import measure_writes
from attention_core.model.activations import insides
from attention_core.pretrained import PretrainedModel
from attention_core.text.word_vectors import position_labels
from pages.charts.chart import rung
from pages.charts.heatmap import CLICK, SMALL, Axes, heatmap, outline, scale
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.tiny_lm.common import several
from pages.tiny_lm.heads_view import head_word
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.real.heads import named_head
from pages.tiny_lm.real.measured import read_by_stories, stories_pieces
from pages.tiny_lm.real.model import chosen_position, computed, pieces_of, said_toy

LEAD_AXES = Axes("part", "layer", "logit contribution")
MLP = "MLP"


def draw_stream(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Draw the length of the stream at one position, and of what each layer adds to it."""
    labels = position_labels(pieces_of(real, ids))
    found = computed(page, "stream", real_stream, real, ids)
    position = chosen_position(page, labels)
    norms = found.norms[:, position]
    steps = np.diff(norms)
    layer = int(np.abs(steps).argmax())
    none = np.array([np.nan])  # nothing is added before the first layer
    series = {
        "stream": norms,
        "attention": np.concatenate([none, found.attention_norms[:, position]]),
        "MLP": np.concatenate([none, found.mlp_norms[:, position]]),
    }
    page.prints(f"length of the final stream at {labels[position]}", found.norms, len(norms) - 1, position)
    page.heading("Length of the residual stream, and of what is added", small=True)
    stories = said_toy(page, "stories", "stories")
    pieces = page.recipe.given("pieces", read_by_stories(real.decode(ids)))
    inside = page.recipe.run("toy_inside", insides, stories, pieces)
    toy = page.recipe.run("toy_writes", measure_writes, inside)
    before, after = float(toy.before[0, -1]), float(toy.after[-1, -1])
    page.show(
        line_chart(
            np.arange(len(norms)),
            series,
            name="length of the stream",
            sentence=f"At {quoted(labels[position])} the vector’s length goes from {number(float(norms[0]), 1)} after "
            f"the embedding to {number(float(norms[-1]), 1)} after the last layer. Layer {layer + 1} changes this "
            f"length most: by {number(float(steps[layer]), 1)}.",
            dots=True,
            colours=(INK, ATTENTION, SOFT),
            number=".1f",
            x_title="layer, 0 is the embedding",
            y_title="length of the vector",
            y_domain=(0, rung(float(max(values[1:].max() for values in series.values())))),
        ),
        note=f"In Small Stories, at the last token of the same text: from {number(before, 1)} to {number(after, 1)}.",
    )


def draw_contributions(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Draw what each head and each MLP contributes to the lead of the prediction at one position."""
    labels, n_layers, n_heads = position_labels(pieces_of(real, ids)), real.config.n_layers, real.config.n_heads
    found = computed(page, "stream", real_stream, real, ids)
    with st.container(horizontal=True):
        position = chosen_position(page, labels)
        named = named_head(page, n_layers, n_heads)
    best, second = (quoted(piece) for piece in pieces_of(real, found.tokens[position]))
    parts = np.vstack([found.heads[..., position].T, found.mlp[:, position]])  # (H + 1, L)
    names = [*(str(head + 1) for head in range(n_heads)), MLP]
    words = [[head_word(layer, head) for layer in range(n_layers)] for head in range(n_heads)]
    usual = np.unravel_index(np.abs(parts[:-1]).argmax(), parts[:-1].shape)
    layer, head = named or (int(usual[1]), int(usual[0]))
    page.prints(f"contribution of head {words[head][layer]} to the lead", found.heads, layer, head, position)
    embedding, lead = float(found.embedding[position]), float(found.lead[position])
    page.heading("Who moves the prediction", small=True)
    page.show(
        heatmap(
            parts,
            names,
            [str(layer + 1) for layer in range(n_layers)],
            LEAD_AXES,
            scale(rung(float(np.abs(parts).max()))),
            outline(head, layer),
            CLICK,
            SMALL,
            name="contributions to the lead",
            sentence=f"After {quoted(labels[position])}, {best} leads {second} by {number(lead)} in logits. "
            f"{largest_part(found, position)}",
        ),
        lambda i, j: page.controls.put(real_head=words[i][j]) if i < n_heads else None,
        note=f"The embedding contributes {number(embedding)}, all heads {number(float(parts[:-1].sum()))}, and all "
        f"MLPs {number(float(parts[-1].sum()))}. Together they sum to the lead.",
    )
    contributed_in_stories(page, real.decode(ids))
    one = computed(page, "one_head", real_head, real, ids, layer, head)
    keys = one.weights[position, : position + 1]
    key = int(keys.argmax())
    page.write(
        f"Head {words[head][layer]} contributes {number(float(parts[head, layer]))}. From {quoted(labels[position])} "
        f"it attends most to {quoted(labels[key])}: {number(float(keys[key]))}. Click another head.",
    )
    page.say(
        "*Direct* contribution: what a part adds to the stream, through the final RMSNorm with its scale frozen, times "
        "the difference of the two tokens’ unembedding vectors. Effects through later layers are not included.",
        "note",
    )


def contributed_in_stories(page: Page, text: str) -> None:
    """Say the same of Small Stories at the last token of the text."""
    stories, run = said_toy(page, "stories", "stories"), page.recipe.run
    inside = run("toy_inside", insides, stories, page.recipe.given("pieces", read_by_stories(text)))
    last = len(inside.tokens) - 1
    best, second = np.argsort(-inside.logits[last], kind="stable")[:2].tolist()
    first = run("toy_first", attribute_logit, stories, inside, last, best)
    other = run("toy_second", attribute_logit, stories, inside, last, second)
    lead = run("toy_lead", attribution_difference, first, other)
    tokens = [quoted(visible(stories_pieces().tokens[token])) for token in (best, second)]
    page.write(
        f"In Small Stories, after the last token, {tokens[0]} leads {tokens[1]} by {number(lead.logit)}: the heads "
        f"contribute {number(float(lead.heads.sum()))}, and the MLPs {number(float(lead.feed_forwards.sum()))}.",
        "note",
    )


def largest_part(found: RealStream, position: int) -> str:
    """Return which part contributes most, of the embedding, all heads and all MLPs."""
    n_layers, n_heads = found.heads.shape[:2]
    parts = {"the embedding": float(found.embedding[position])}
    for layer in range(n_layers):
        parts |= {
            f"head {head_word(layer, head)}": float(found.heads[layer, head, position]) for head in range(n_heads)
        }
        parts[f"MLP {layer + 1}"] = float(found.mlp[layer, position])
    largest = max(parts, key=lambda part: abs(parts[part]))
    return (
        f"The largest contribution in absolute value, of {several(len(parts), 'part')}, is that of {largest}: "
        f"{number(parts[largest])}."
    )
