"""Three closer looks at one head: change one number, take softmax apart, look up softly."""

import math
from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.one_head import attend, random_head
from attention_core.experiments.perturb import (
    add_to_column,
    add_to_row,
    changed_cells,
    dot_products,
    masked_scores,
    mix_values,
    one_number_changed,
    reaches,
    rotate_in_plane,
    softmax_at,
    softmax_both_ways,
)
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.charts.bars import share_bars
from pages.charts.heatmap import attention_heatmap, heatmap
from pages.charts.vector_plane import Vector, plane, reach
from pages.look.html import number, power_of_ten, quoted
from pages.look.sentences import brightest_cell, rows_that_moved
from pages.page.matrices import Scene
from pages.page.page import Page
from pages.qkv.questions import reach_question, shift_question
from pages.qkv.views import View, dimensions, names_of, shape, views

MATRICES = ("X", "W_Q", "W_K", "W_V")
PARTS = {"x": "X", "q": "Q", "k": "K", "v": "V", "softmax": "weights", "mix": "output"}
EXPERIMENTS = ("add to a row", "add to a column", "wrong axis")
MOST_SUMS = 10  # of columns: more would be written over each other
FACTORS = ("1", "10", "100", "1000")
TEMPERATURES = {"0": 0.0, "0.1": 0.1, "0.3": 0.3, "1": 1.0, "√2": math.sqrt(2), "3": 3.0, "10": 10.0, "∞": math.inf}


def change_one_number(page: Page, scene: Scene, labels: list[str], kind: str) -> None:
    """Let the student change one number of X or of a matrix, and outline everything that moves with it."""
    page.say("Add something to a single number and see how far it reaches.", "")
    controls = page.controls
    asked = reach_question(reaches(scene.x, scene.head, scene.attention.mask), MATRICES[page.variant("reach") % 4 - 1])
    if not page.ask(asked):
        return
    with st.container(horizontal=True):
        matrix = controls.choice("change", "Change a number of", MATRICES, "X")
        parts = {"X": scene.x, **dict(zip(MATRICES[1:], scene.head, strict=True))}
        old = parts[matrix]
        rows = labels if matrix == "X" else names_of(scene.x, kind)
        columns = names_of(scene.x, kind) if matrix == "X" else dimensions(old)
        row = rows.index(controls.select("change_row", "In row", rows, rows[min(3, len(rows) - 1)], width=130))
        column = columns.index(
            controls.select("change_column", "In column", columns, columns[min(3, len(columns) - 1)], width=130)
        )
        by = controls.slider("change_by", "Add to it", -3.0, 3.0, 1.0, 0.5, width=200)
    new = page.recipe.run("changed", one_number_changed, old, row, column, by)
    x = new if matrix == "X" else scene.x
    head = scene.head
    if matrix != "X":
        head = page.recipe.run("changed_head", type(head), *head._replace(**{matrix.lower(): new}))
    mask = [] if scene.attention.mask is None else [scene.attention.mask]
    attention = page.recipe.run("changed_attention", attend, x, head, *mask)
    before = views(scene, labels, kind)
    after = views(scene._replace(x=x, head=head, attention=attention), labels, kind)
    found = {name: changed_cells(before[name].values, after[name].values) for name in PARTS}
    page.say("; ".join(rows_that_moved(found[name], title) for name, title in PARTS.items()) + ".", "note")
    grid = st.grid(3, min_column_width=250, gap="medium")
    for name, title in PARTS.items():
        with grid.cell():
            view = after[name]
            page.write(shape(title, view.values), "shape")
            chart = small_heatmap(view, f"changed {title}", rows_that_moved(found[name], title), found[name])
            page.show(chart, quiet=True)


def small_heatmap(view: View, name: str, sentence: str, moved: Array | None = None, **options: object) -> object:
    """Return a view as a small heatmap."""
    return heatmap(
        view.values,
        view.rows,
        view.columns,
        view.axes,
        name=name,
        sentence=sentence,
        limit=view.limit,
        moved=moved,
        small=True,
        **options,
    )


def softmax_closely(page: Page, scene: Scene, labels: list[str], row: int, column: int) -> None:
    """Take softmax apart: constants, the wrong axis, and why the maximum is subtracted."""
    if page.ask(shift_question(scene.attention, labels, page.variant("shift"))):
        constants(page, scene, labels, row, column)
    page.say(
        "**Why subtract the maximum?** Subtracting one number from a whole row changes no weight, so one is free to "
        "choose it. e⁷¹⁰ is more than a computer’s number can hold; with the row’s maximum subtracted, no power is "
        "above e⁰ = 1. Make the scores larger until the formula breaks.",
        "",
    )
    times = page.controls.dial("times", "Multiply the scores by", FACTORS, "1", width=300)
    both = page.recipe.run(
        "both_ways",
        softmax_both_ways,
        page.recipe.run("seen_scores", masked_scores, scene.attention),
        row,
        float(times),
    )
    head = "".join(f"<th>{title}</th>" for title in ("key", "scaled score s", "eˢ", "weight", "eˢ⁻ᵐᵃˣ", "weight"))
    lines = []
    for label, score, plain, plain_share, shifted, share in zip(labels, *both, strict=True):
        cells = (number(score), large(plain), number(plain_share), number(shifted), number(share))
        lines.append(f"<tr><td>{escape(label)}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    broken = int((~np.isfinite(both.plain_shares)).sum())
    finding = f"{broken} of {len(labels)} weights are not numbers any more" if broken else "Both ways agree"
    page.write(
        f'<div class="wide"><table><tr>{head}</tr>{"".join(lines)}</table></div>'
        f'<p class="soft">The row of <i>{escape(labels[row])}</i>, as the formula stands and with its maximum '
        f"subtracted. {finding}.</p>"
    )


def large(value: float) -> str:
    """Return a number that may be very large."""
    return number(value) if value < 1e5 or math.isinf(value) else power_of_ten(value)


def constants(page: Page, scene: Scene, labels: list[str], row: int, column: int) -> None:
    """Show the weights before and after something was done to the scores."""
    controls = page.controls
    with st.container(horizontal=True):
        what = controls.choice("experiment", "Try it", EXPERIMENTS, EXPERIMENTS[0])
        amount = controls.slider("amount", "How much", -5.0, 5.0, 1.0, 0.5, width=200, disabled=what == EXPERIMENTS[2])
    scores = page.recipe.run("seen_scores", masked_scores, scene.attention)
    if what == EXPERIMENTS[2]:
        after = page.recipe.run("after", softmax, scores, axis=0)
        said = "Divided by the sums of columns, it runs as well, but rows do not sum to 1 any more."
        if np.allclose(after.sum(axis=-1), 1):
            said = "Divided by the sums of columns, it runs as well; here rows sum to 1 all the same."
    elif what == EXPERIMENTS[0]:
        after = page.recipe.run("after", softmax, page.recipe.run("raised", add_to_row, scores, row, amount))
        said = f"{number(amount, 1)} was added to every score in the row of {quoted(labels[row])}."
    else:
        after = page.recipe.run("after", softmax, page.recipe.run("raised", add_to_column, scores, column, amount))
        said = f"{number(amount, 1)} was added to the score of the key {quoted(labels[column])} in every row."
    found = changed_cells(scene.attention.weights, after)
    said += f" {int(found.sum())} of {found.size} weights have moved."
    left, right = st.columns(2, gap="medium")
    sums = "rows and columns" if len(labels) <= MOST_SUMS else "rows"
    with left:
        before = attention_heatmap(
            scene.attention.weights, labels, name="before", sentence="The weights before.", sums=sums
        )
        page.show(before)
    with right:
        page.show(attention_heatmap(after, labels, name="after", sentence=said, sums=sums, moved=found))


def soft_look_up(page: Page, scene: Scene, seed: int) -> None:
    """Draw queries, keys and values as arrows in a plane, and the output inside the triangle of the values."""
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
    flat = run(
        "plane", attend, run("plane_x", word_vectors, words, 2, seed), run("plane_head", random_head, 2, 2, seed)
    )
    keys = run("plane_keys", rotate_in_plane, flat.k, float(angle))
    scores = run("plane_scores", dot_products, flat.q, keys)
    weights = run("plane_weights", softmax_at, scores, TEMPERATURES[temperature])
    output = run("plane_output", mix_values, weights, flat.v)
    arrows = [Vector(*flat.q[asks], f"q {names[asks]}", "query")]
    arrows += [Vector(*key, f"k {name}", "key") for key, name in zip(keys, names, strict=True)]
    values = [Vector(*value, f"v {name}", "value") for value, name in zip(flat.v, names, strict=True)]
    finding = brightest_cell(weights, names, asks)
    grid = st.grid(3, min_column_width=280, gap="medium")
    with grid.cell():
        page.show(
            plane(
                arrows,
                limit=reach(flat.q, flat.k),
                name="query and keys",
                sentence=f"The query of {quoted(names[asks])} and the keys.",
            )
        )
    with grid.cell():
        point = [Vector(*output[asks], "output", "output")]
        told = "The values, their outline, and the output inside it."
        page.show(
            plane(values, limit=reach(flat.v), points=point, polygon=flat.v, name="values and output", sentence=told)
        )
    with grid.cell():
        origin = f"The matrices are random and of width 2 (seed {seed}), whatever is chosen in the menu."
        page.show(share_bars(names, weights[asks], name="weights", sentence=finding, title="weight"), note=origin)
