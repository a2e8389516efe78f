"""One score of the pretrained model split: by the pairs that RoPE rotates, and by who wrote the query and the key."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array, Tokens
from attention_core.experiments.inside.llama_score_split import llama_writers, real_score_split, split_by_pairs
from attention_core.experiments.inside.real_reading import real_head
from attention_core.pretrained import PretrainedModel
from attention_core.text.word_vectors import position_labels
from pages.charts.chart import rung
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.html import number, tiny
from pages.page.canvas import ChosenCell
from pages.page.page import Page
from pages.tiny_lm.heads_view import head_word
from pages.tiny_lm.real.heads import chosen_of_all
from pages.tiny_lm.real.model import computed, pieces_of

LISTED = 5  # writers on a card


def draw_score(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Choose a head among all, and a cell of it; split its score."""
    layer, head = chosen_of_all(page, real, ids)
    attention = computed(page, "one_head", real_head, real, ids, layer, head)
    labels = position_labels(pieces_of(real, ids))
    last = len(labels) - 1
    page.heading(f"One score of layer {layer + 1}, head {head + 1}", small=True)
    with st.container(horizontal=True):
        best = int(attention.weights[last].argmax())
        query, key = ChosenCell(page.controls, labels, labels, (last, best)).fields()
    if key > query:
        page.prints("this weight", attention.weights, query, key)
        page.write("The causal mask blocks this key, so its score is not used. Choose a key that is not later.")
        return
    page.write(cards.chips(labels, query, key))
    pairs = page.recipe.run("pairs_of_score", split_by_pairs, real.config, attention, query, key)
    page.prints(f"score of {labels[query]} → {labels[key]}", "pairs_of_score.score")
    left, right = st.columns([1.3, 1], gap="large")
    with left:
        near = pairs.wavelengths <= len(ids)
        page.show(
            line_chart(
                np.arange(len(pairs.terms)),
                {"term": pairs.terms},
                name="terms by RoPE pair",
                sentence=f"The {len(pairs.terms)} terms sum to the score, {number(pairs.score)}. Pairs that "
                f"complete a rotation within this text contribute {number(float(pairs.terms[near].sum()))}, slower "
                f"ones {number(float(pairs.terms[~near].sum()))}.",
                dots=True,
                number="",
                x_title="pair of entries, 0 rotates fastest",
                y_title="term of the score",
                y_domain=(-rung(float(np.abs(pairs.terms).max())), rung(float(np.abs(pairs.terms).max()))),
            ),
            note=f"Pair 0 completes a rotation in {number(float(pairs.wavelengths[0]), 1)} tokens, the last pair "
            f"in {number(float(pairs.wavelengths[-1]), 0)}. A slow pair hardly depends on the distance.",
        )
    split = computed(page, "split", real_score_split, real, ids, layer, head, query, key)
    names = llama_writers(real.config, layer)
    with right, st.container(border=True):
        page.write(writers_card(f"The key at {labels[key]}, by writer", names, split.by_key))
        page.write(writers_card(f"The query at {labels[query]}, by writer", names, split.by_query))
        page.write(
            Markup("Each list sums to the score, {} terms in all. Difference from the model’s own score: {}.").format(
                f"{split.terms.size:,}", tiny(abs(split.total - split.score))
            ),
            "note",
        )
    page.say(
        f"The input of head {head_word(layer, head)} is a sum over {len(names)} writers: the embedding, and every head "
        "and MLP before. With the scale of RMSNorm frozen, the score is a sum over pairs of them. The step *why* does "
        "the same in small models.",
        "note",
    )


def writers_card(title: str, names: tuple[str, ...], shares: Array) -> Markup:
    """Return the writers that contribute most to a score, and the sum of the others."""
    order = np.argsort(-np.abs(shares), kind="stable")[:LISTED]
    lines = [
        (names[place] if "." not in names[place] else f"head {names[place]}", "", number(float(shares[place])))
        for place in order
    ]
    if len(names) > len(order):
        rest = float(shares.sum() - shares[order].sum())
        lines.append(("all others", f"{len(names) - len(order)} of them", number(rest)))
    return cards.card(title, cards.listed(lines))
