"""Two matrices or one: what a head does once W_Q makes its keys too, and both matrices merged into one."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup, escape

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.experiments.qkv.perturb import dot_products, queries_as_keys
from attention_core.experiments.qkv.two_matrices import (
    attends_most_to_itself,
    merged_matrix,
    score_parameters,
    scores_of_merged,
)
from attention_core.rows import largest_difference
from attention_core.text.word_vectors import word_vectors
from pages.charts.chart import limit_of
from pages.charts.heatmap import CLICK, NO_LEGEND, ROW_SUMS, Axes, attention_heatmap, outline
from pages.heads.matrices import OneHead
from pages.look.colours import KEY, QUERY
from pages.look.facts import as_shown, furthest, largest
from pages.look.html import commas, inline, number, prose, residual, table
from pages.look.sentences import brightest_cell
from pages.look.thumbnails import thumbnail
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_small_map
from pages.qkv.matrices import MatrixView, columns_of_x
from pages.questions.kinds import Choice

STEP = Step(
    "one matrix?",
    "Is one matrix enough for queries and keys?",
    "A head computes queries with W_Q and keys with W_K. What if W_Q computes both? Answer, then switch on “Same "
    "matrix”.",
    experiment="same",
)

STANDS_IN = "But here W_K is the same as W_Q, so this head may attend differently."
GPT_2 = (768, 64)  # d_model and d_k
ASKED = 8, 4  # d_model and d_k of the heads that are asked about
COUNTS = ("four", "five", "six")  # of their words
LOW_RANK = "A d_k below d_model gives the product a **low rank**: it compares words in at most d_k directions."
PRODUCT = inline("W_Q W_Kᵀ")
MERGED_AXES = Axes("x of the query", "x of the key", "w", QUERY, KEY)


def draw(page: Page, scene: OneHead) -> None:
    """Show the weights with two matrices, and beside them those with one; then random heads, and both merged."""
    labels = scene.labels
    with page.fields:
        asks = page.controls.pick("q", "Query", labels, scene.asks)
        same = page.controls.switch("same", "Same matrix")
    run, two, mask = page.recipe.run, scene.attention, scene.attention.mask
    one = run("one", attend, scene.x, run("same", queries_as_keys, scene.head), *([] if mask is None else [mask]))
    best = largest(two.weights[asks]).first
    page.prints(f"weight from {labels[asks]} to {labels[best]}", (one if same else two).weights, asks, best)
    left, right = st.columns(2, gap="medium")
    with left:
        page.head("Two matrices", inline("W_Q and W_K"))
        draw_weights(page, scene, two, asks, "two matrices", scene.origin)
    with right:
        if same:
            page.head("One matrix", inline("W_K = W_Q"))
            draw_weights(page, scene, one, asks, "one matrix", f"{scene.origin} {STANDS_IN}")
    with st.container() if same else right:
        answered = page.ask(page.question("mirror", mirror_question))
        if answered and not same and "same" not in page.controls.locked:
            page.say("Now switch on “Same matrix” above. The new map will stand here.", "note")
    if same and answered:
        compare(page, scene, two, one, asks, best)
    page.look_closer("Both matrices merged into one", partial(draw_merged, page, scene, two))


def draw_weights(page: Page, scene: OneHead, attention: AttentionCache, asks: int, name: str, origin: str) -> None:
    """Show a map of weights with the row of the asking word outlined; a click on a row of the first lets it ask."""
    labels, sentence = scene.labels, brightest_cell(attention.weights, scene.labels, asks)
    first = name == "two matrices"
    layers = ROW_SUMS, outline(asks), first and CLICK, first or NO_LEGEND
    chart = attention_heatmap(attention, labels, *layers, name=name, sentence=sentence)
    page.show(chart, (lambda row, _: page.controls.put(q=labels[row])) if first else None, note=origin)


def compare(page: Page, scene: OneHead, two: AttentionCache, one: AttentionCache, asks: int, best: int) -> None:
    """Say what one matrix does to two scores, to the weight that the head is for, and to who attends to itself."""
    labels, run = scene.labels, page.recipe.run
    products = [run(f"scores_of_{name}", dot_products, a.q, a.k) for name, a in (("two", two), ("one", one))]
    selves = [run(f"selves_of_{name}", attends_most_to_itself, a.weights) for name, a in (("two", two), ("one", one))]
    there, back = (Markup("{} → {}").format(labels[i], labels[j]) for i, j in ((asks, best), (best, asks)))
    counts = [number(own.sum(), 0) for own in selves]
    lines = [(Markup("score of {}").format(there), *(number(score[asks, best]) for score in products))]
    if best != asks:
        lines.append((Markup("score of {}").format(back), *(number(score[best, asks]) for score in products)))
    lines += [
        (Markup("weight of {}").format(there), *(number(a.weights[asks, best]) for a in (two, one))),
        ("words that attend most to themselves", *counts),
    ]
    page.write(table(("", "two matrices", "one matrix"), lines))


def draw_merged(page: Page, scene: OneHead, two: AttentionCache) -> None:
    """Show both matrices merged into one, that its scores are the same, and its parameters."""
    run, (d_model, d_k) = page.recipe.run, scene.head.w_q.shape
    merged = run("merged", merged_matrix, scene.head)
    scores = run("merged_scores", scores_of_merged, scene.x, merged)
    gap = run("gap", largest_difference, run("scores_of_both", dot_products, two.q, two.k), scores)
    left, right = st.columns([1, 1.18], gap="medium")
    with left:
        columns, axes = columns_of_x(scene), MERGED_AXES._replace(words=scene.kind == "hand-made")
        view = MatrixView(merged, columns, columns, axes, limit_of(merged))
        draw_small_map(page, view, PRODUCT, name="merged", sentence="W_Q times the transpose of W_K.")
    with right:
        page.write(
            prose(
                "A score is x_a W_Q · (x_b W_K) = x_a ({product}) · x_b. So one matrix with d_model rows and columns "
                "gives the same scores: here the largest difference is {gap}.",
                product=PRODUCT,
                gap=escape(residual(gap)),
            )
        )
        here = run("parameters", score_parameters, d_model, d_k)
        there = run("parameters_of_gpt_2", score_parameters, *GPT_2)
        lines = [
            (name, f"2 · {width} · {own} = {commas(found.two)}", f"{width}² = {commas(found.merged)}")
            for name, (width, own), found in (("this head", (d_model, d_k), here), ("GPT-2", GPT_2, there))
        ]
        page.write(table(("parameters", inline("W_Q and W_K"), PRODUCT), lines))
        page.say(LOW_RANK, "note")


def mirror_question(variant: int) -> Choice:
    """Ask which of three maps of scores has W_K = W_Q."""
    (d_model, d_k), count = ASKED, variant % 3
    right = int(np.random.default_rng([variant, 6]).integers(3))
    maps = []
    for place in range(3):
        seed = 3 * variant + place
        head = random_head(d_model, d_k, seed)
        x = word_vectors(list("abcdef"[: 4 + count]), d_model, seed)
        used = queries_as_keys(head) if place == right else head
        maps.append(dot_products(x @ used.w_q, x @ used.w_k))
    text = prose(
        f"Here are the scores of three random heads over {COUNTS[count]} words: a row for each query, a column for "
        "each key. A square in a cell marks a score far below 0. Which map has W_K = W_Q?"
    )
    why = "If W_K = W_Q, a → b and b → a have equal scores. So the map is its own mirror image at the diagonal."
    wrong = {f"Map {place + 1}": difference(scores) for place, scores in enumerate(maps)}
    pictures = tuple(thumbnail(scores, limit_of(scores), 96) for scores in maps)
    return Choice.of("mirror", text, f"Map {right + 1}", why, wrong, pictures=pictures)


def difference(scores: Array) -> str:
    """Return where a map is furthest from its mirror image."""
    row, column = furthest(as_shown(scores) - as_shown(scores).T).cell
    if row == column:
        return "This map is its own mirror image."
    return (
        f"There row {row + 1}, column {column + 1} is {number(scores[row, column])}, but row {column + 1}, column "
        f"{row + 1} is {number(scores[column, row])}. Compare the two halves."
    )
