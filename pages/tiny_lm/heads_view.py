"""Where the heads of a model look: from the last token, among the last ones, and how one weight came about."""

from html import escape

import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.masks import causal_mask
from attention_core.experiments.head_metrics import HeadMeasures, measure_heads
from attention_core.model.activations import Insides, head_inside
from pages.charts.bars import share_bars
from pages.charts.head_map import head_map
from pages.charts.heatmap import ATTENTION_AXES, heatmap
from pages.charts.matrix_image import matrix_picture
from pages.look import cards
from pages.look.head_cards import meters, weight_card
from pages.look.sentences import brightest_cell
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.common import head_names
from pages.tiny_lm.model_in_view import Subject

LOOKED_AT = 12  # last tokens, in the maps of heads
ALL = "all"
MOST = 8  # layers, and heads of a layer


def look_bars(page: Page, labels: list[str], looks: Array, sentence: str) -> None:
    """Draw where one token looks: of each head (L, H) its largest weight (S) as a bar."""
    best = looks.argmax(axis=-1).ravel()
    names = [f"{name} → {labels[key]}" for name, key in zip(head_names(*looks.shape[:2]), best, strict=True)]
    chart = share_bars(
        names,
        looks.max(axis=-1).ravel(),
        name="looks",
        sentence=sentence,
        title="head → where" if len(looks) == 1 else "layer.head → where",
        of="head",
    )
    page.show(chart)


def heads_closely(page: Page, subject: Subject, words: list[str], labels: list[str], inside: Insides) -> None:
    """Draw all heads over the last tokens, or one of them enlarged."""
    n_layers, n_heads = inside.weights.shape[:2]
    chosen = chosen_head(page, n_layers, n_heads)
    causal = subject.model.config.causal
    hidden = [causal_mask(len(words))] if causal else []
    measures = [measure_heads(weights, words, *hidden) for weights in inside.weights]
    if chosen is None:
        all_heads(page, labels, inside.weights, measures)
    else:
        head_buttons(page, n_layers, n_heads, chosen)
        one_head(page, labels, inside, chosen, measures[chosen[0]])
    back = "; the causal mask lets each look back only" if causal else ""
    last = f" Shown are the last {LOOKED_AT} of {len(labels)}." if len(labels) > LOOKED_AT else ""
    page.write(
        f"A row is a {subject.unit} that looks, a column one that is looked at{back}.{last} The numbers below a head "
        f"are computed from its weights; bold is the most of its layer. {escape(subject.origin)}",
        "note",
    )


def chosen_head(page: Page, n_layers: int, n_heads: int) -> tuple[int, int] | None:
    """Return the layer and the head that are enlarged, or None where all are looked at."""
    places = {f"{layer + 1}.{head + 1}": (layer, head) for layer in range(MOST) for head in range(MOST)}
    chosen = places.get(page.controls.mark("head", "Head enlarged", ALL, (ALL, *places).__contains__))
    return chosen if chosen and chosen[0] < n_layers and chosen[1] < n_heads else None


def long_name(n_layers: int, layer: int, head: int) -> str:
    """Return a head by its place."""
    return f"layer {layer + 1} head {head + 1}" if n_layers > 1 else f"head {head + 1}"


def head_buttons(page: Page, n_layers: int, n_heads: int, chosen: tuple[int, int]) -> None:
    """Draw a button that goes back to all heads, and one for each."""
    fixed = "head" in page.controls.locked
    with st.container(horizontal=True, gap="xsmall"):
        put_button(page, "All heads", {"head": ALL}, "head_all", ":material/arrow_back:", disabled=fixed)
        for place, name in enumerate(head_names(n_layers, n_heads)):
            here = divmod(place, n_heads) == chosen
            value = f"{place // n_heads + 1}.{place % n_heads + 1}"
            label = f"**{name.capitalize()}**" if here else name.capitalize()
            kind = "secondary" if here else "tertiary"
            put_button(page, label, {"head": value}, f"head_{value}", kind=kind, disabled=fixed)


def all_heads(page: Page, labels: list[str], weights: Array, measures: list[HeadMeasures]) -> None:
    """Draw every head of every layer over the last tokens, with what it does in numbers."""
    n_layers, n_heads = weights.shape[:2]
    first = max(0, len(labels) - LOOKED_AT)
    fixed = "head" in page.controls.locked
    for layer in range(n_layers):
        grid = st.grid(4, min_column_width=150, gap="medium")
        for head in range(n_heads):
            shown = weights[layer, head, first:, first:]
            name = long_name(n_layers, layer, head)
            sentence = f"{name.capitalize()}: {brightest_cell(shown, labels[first:])}"
            value = f"{layer + 1}.{head + 1}"
            with grid.cell(), st.container(gap="xsmall"):
                label, icon = name.capitalize(), ":material/zoom_in:"
                put_button(page, label, {"head": value}, f"head_{value}", icon, disabled=fixed)
                if n_layers > 1:
                    chart = matrix_picture(
                        shown, ATTENTION_AXES, limit=None, height=196, name=name, sentence=sentence, first=first + 1
                    )
                else:
                    chart = head_map(shown, labels[first:], name=name, sentence=sentence)
                page.show(chart, quiet=True)
                page.write(meters(measures[layer], head, "token"))


def one_head(page: Page, labels: list[str], inside: Insides, chosen: tuple[int, int], measures: HeadMeasures) -> None:
    """Draw one head large, with the derivation of the chosen weight beside it."""
    attention = page.recipe.run("one_head", head_inside, inside, *chosen)
    first = max(0, len(labels) - LOOKED_AT)
    shown, names = attention.weights[first:, first:], labels[first:]
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        chips, card = st.container(), st.container(border=True)
        with st.container(horizontal=True):
            row = names.index(page.controls.select("q", "Query · row", names, names[-1], width=150))
            usual = names[int(shown[-1].argmax())]
            column = names.index(page.controls.select("k", "Key · column", names, usual, width=150))
        page.write(meters(measures, chosen[1], "token"))
    with chips:
        page.write(cards.chips(names, row, column))
    with card:
        page.write(weight_card(attention, labels, labels, first + row, first + column))
    with left:
        name = long_name(len(inside.weights), *chosen)
        chart = heatmap(
            shown,
            names,
            names,
            ATTENTION_AXES,
            name="one head",
            sentence=f"{name.capitalize()}: {brightest_cell(shown, names)}",
            chosen=(row, column),
            sums="" if first else "rows",
            clickable=True,
        )
        page.show(chart, lambda i, j: page.controls.put(q=names[i], k=names[j]), "Click a cell.")
