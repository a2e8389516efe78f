"""One product is split into heads: the way of the shapes, and three ways to the same numbers."""

import inspect
from html import escape

import numpy as np
import streamlit as st

from attention_core.equations.heads import merge_heads, split_heads
from attention_core.equations.multi_head import multi_head_attention, multi_head_by_einsum, multi_head_by_loop
from attention_core.experiments.head_parts import three_ways
from pages.charts.chart import rung
from pages.charts.heatmap import Axes
from pages.charts.matrix_image import matrix_picture
from pages.look.colours import QUERY
from pages.look.html import tiny
from pages.multi_head.looking import blocked
from pages.multi_head.questions import split_question
from pages.multi_head.scenes import HeadScene
from pages.multi_head.views import trace
from pages.page.page import Page

WAYS = {
    "a loop over heads": multi_head_by_loop,
    "a reshape": multi_head_attention,
    "einsum": multi_head_by_einsum,
}
QUERY_AXES = Axes("word", "number of q", "q", row_colour=QUERY)


def split(page: Page, scene: HeadScene) -> None:
    """Trace the shapes, and compute the same output in three ways."""
    length, d_model = scene.x.shape
    if not page.ask(split_question(length, d_model, scene.n_heads, page.variant("split"))):
        return
    projected = page.recipe.run("projected", merge_heads, scene.attention.q)
    page.recipe.run("q", split_heads, projected, scene.n_heads)
    joined = page.recipe.run("joined", merge_heads, scene.attention.output)
    head = f"q = x @ w_q, cut into {scene.n_heads} heads of {scene.d_head} columns each: the lines are the cuts."
    if scene.n_heads == 1:
        head = f"q = x @ w_q, one head of {scene.d_head} columns: nothing is cut."
    limit = 4.0 if scene.steady else rung(float(np.abs(projected).max()))
    page.show(
        matrix_picture(
            projected, QUERY_AXES, limit=limit, name="Q", sentence=head, height=250, first=1, blocks=scene.n_heads
        ),
        note=scene.origin,
    )
    page.write(trace(scene, projected, joined))
    shapes = (scene.x, scene.attention.q, scene.attention.weights, scene.output)
    way = " → ".join(f"({', '.join(map(str, array.shape))})" for array in shapes)
    page.write(f"In short: {way}.", "note")

    st.header("Three ways, the same numbers", anchor=False)
    same = page.recipe.run("same", three_ways, scene.x, scene.heads, scene.n_heads, *blocked(scene))
    page.write(
        "Head after head in a loop, one product and a reshape, or einsum with the heads as one more axis: their "
        f"{scene.output.size} numbers differ by at most <b>{tiny(same.largest_difference)}</b>, no more than rounding. "
        "The reshape asks the computer for one large product in place of many small ones.",
        "lead",
    )
    way = page.controls.choice("way", "Read the code of", list(WAYS), "a reshape")
    page.write(f'<pre tabindex="0">{escape(inspect.getsource(WAYS[way]))}</pre>')
