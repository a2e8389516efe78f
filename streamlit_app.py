"""The home page: what attention is, and one head at work on a sentence of your own."""

import streamlit as st

from attention_core.hand_set import JOBS, one_head
from attention_core.words import position_labels
from pages.shared.charts.heatmap import attention_heatmap
from pages.shared.frame import begin, small_print, whole_number
from pages.shared.sentences import brightest_cell, words_of

SENTENCE = "a fluffy blue creature roamed the verdant forest"
LOOKS = {
    "previous word": "each word looks at the one before it",
    "same word": "each word looks for itself",
    "first word": "every word looks at the first",
    "adjective to noun": "an adjective looks at its noun, any other word around itself",
}

begin("Attention, from scratch")
with st.sidebar:
    st.subheader("This head", anchor=False)
    kind = st.selectbox("Matrices", ["random", *JOBS], key="home_weights", bind="query-params")
    seed = whole_number("Seed", 0, 9999, 7, key="home_seed", disabled=kind != "random")

with st.container(width=1080):
    st.title("Each word asks, every word answers", anchor=False)
    st.markdown(
        "Attention lets each word of a sentence take in something of the others. A word compares its "
        ":blue[**query**] with the :orange[**key**] of every word; the better the match, the larger the share it takes "
        "of that word’s :green[**value**]. Each row below is one word asking, and its shares sum to 1. "
        "Type a sentence of your own and watch the numbers."
    )
    text = st.text_input("Sentence", SENTENCE, key="home_text", bind="query-params")
    words, note = words_of(text)
    if note:
        small_print(note)
    if words:
        head = one_head(words, None if kind == "random" else kind, seed)
        labels = position_labels(words)
        finding = brightest_cell(head.weights, labels)
        chart = attention_heatmap(head.weights, labels, sentence=finding)
        st.vega_lite_chart(chart.data, chart.specification, key="home_heatmap", alt=finding)
        if kind == "random":
            origin = f"The matrices are random (seed {seed}): an untrained head, whose pattern means nothing yet."
        else:
            origin = f"The matrices were set by hand so that {LOOKS[kind]}."
        small_print(f"{finding} {origin}")
    else:
        small_print("Type at least one word to see who looks at whom.")
