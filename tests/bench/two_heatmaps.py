"""A yardstick for pages: a slider, and two heatmaps of 8 words that follow it, their numbers as tables of Arrow."""

import numpy as np
import pyarrow as pa
import streamlit as st

WORDS = ["a", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"]
X = {"field": "key", "type": "nominal", "sort": None, "axis": {"orient": "top", "labelAngle": 0}}
Y = {"field": "query", "type": "nominal", "sort": None}
COLOUR = {"field": "weight", "type": "quantitative", "scale": {"domain": [0, 1], "scheme": "blues"}}
TEXT = {"field": "weight", "type": "quantitative", "format": ".2f"}
SPECIFICATION = {
    "height": 320,
    "encoding": {"x": X, "y": Y},
    "layer": [
        {"mark": {"type": "rect", "tooltip": True}, "encoding": {"color": COLOUR}},
        {"mark": "text", "encoding": {"text": TEXT}},
    ],
}

st.title("Two heatmaps")
sharpness = st.slider("Sharpness", 0.1, 5.0, 1.0, 0.1, key="sharpness")
scores = sharpness * np.random.default_rng(0).standard_normal((2, len(WORDS), len(WORDS)))  # (H, T, S)
powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
queries, keys = np.repeat(WORDS, len(WORDS)), np.tile(WORDS, len(WORDS))
for head, weights in enumerate(powers / powers.sum(axis=-1, keepdims=True)):
    table = pa.table({"query": queries, "key": keys, "weight": weights.ravel()})
    st.vega_lite_chart(table, SPECIFICATION, key=f"head_{head}", alt=f"Head {head}")
