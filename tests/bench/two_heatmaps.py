"""No page of the course but a yardstick for its pages: a slider, and two heatmaps of 8 words that follow it."""

import numpy as np
import streamlit as st

from attention_core.equations.softmax import softmax
from pages.charts.heatmap import attention_heatmap

WORDS = ["a", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"]

st.title("Two heatmaps")
sharpness = st.slider("Sharpness", 0.1, 5.0, 1.0, 0.1, key="sharpness")
scores = np.random.default_rng(0).standard_normal((2, len(WORDS), len(WORDS)))  # (H, T, S)
for head, weights in enumerate(softmax(sharpness * scores)):
    chart = attention_heatmap(weights, WORDS, sentence=f"Head {head}", name=f"head_{head}")
    st.vega_lite_chart(chart.data, chart.specification, key=chart.name, alt=chart.sentence)
