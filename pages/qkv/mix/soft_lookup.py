"""A soft look-up in a plane: a query, three keys, and the mean of the values."""

import math

import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.one_head import attend, random_head
from attention_core.experiments.perturb import dot_products, mix_values, rotate_in_plane, softmax_at
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.charts.bars import share_bars
from pages.charts.vector_plane import Vector, plane, reach
from pages.look.html import quoted
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.qkv.scene import OneHead

TEMPERATURES = {"0": 0.0, "0.1": 0.1, "0.3": 0.3, "1": 1.0, "√2": math.sqrt(2), "3": 3.0, "10": 10.0, "∞": math.inf}


def draw_soft_lookup(page: Page, scene: OneHead) -> None:
    """Draw queries, keys and values as arrows in a plane, and the output inside the outline of the values."""
    page.say(
        "The first words of your sentence, two numbers a vector, so that it can be drawn. Keys that point where the "
        "query points get the larger weights; the output, a mean, never leaves the outline of the values. Dividing the "
        "scores by a temperature makes the choice hard or soft: at 0 the best key takes all, as in a dictionary; at ∞ "
        "all count alike. The formula’s own is √d_k, here √2.",
        "",
    )
    controls = page.controls
    words = page.recipe.given("plane_words", scene.words[:3])
    names = position_labels(words)
    with st.container(horizontal=True):
        asks = names.index(controls.select("asks", "Which word asks", names, names[-1], width=130))
        angle = controls.slider("angle", "Turn the keys, in degrees", -180, 180, 0, 5, width=220)
        temperature = controls.dial("temperature", "Temperature", tuple(TEMPERATURES), "√2", width=220)
    run = page.recipe.run
    x = run("plane_x", word_vectors, words, 2, scene.seed)
    flat = run("plane", attend, x, run("plane_head", random_head, 2, 2, scene.seed))
    keys = run("plane_keys", rotate_in_plane, flat.k, float(angle))
    scores = run("plane_scores", dot_products, flat.q, keys)
    weights = run("plane_weights", softmax_at, scores, TEMPERATURES[temperature])
    output = run("plane_output", mix_values, weights, flat.v)
    query = labelled(flat.q[asks : asks + 1], names[asks : asks + 1], "query")
    values = labelled(flat.v, names, "value")
    finding = brightest_cell(weights, names, asks)
    grid = st.grid(3, min_column_width=280, gap="medium")
    with grid.cell():
        page.show(
            plane(
                query + labelled(keys, names, "key"),
                limit=reach(flat.q, flat.k),
                name="query and keys",
                sentence=f"The query of {quoted(names[asks])} and the keys.",
            )
        )
    with grid.cell():
        across, up = output[asks]
        point = [Vector(across, up, "output", "output")]
        told = "The values, their outline, and the output inside it."
        page.show(
            plane(values, limit=reach(flat.v), points=point, polygon=flat.v, name="values and output", sentence=told)
        )
    with grid.cell():
        origin = f"The matrices are random and of width 2 (seed {scene.seed}), whatever is chosen in the menu."
        page.show(share_bars(names, weights[asks], name="weights", sentence=finding, title="weight"), note=origin)


def labelled(rows: Array, names: list[str], role: str) -> list[Vector]:
    """Return vectors with the letter of their role and their word at the tip."""
    return [Vector(x, y, f"{role[0]} {name}", role) for (x, y), name in zip(rows, names, strict=True)]
