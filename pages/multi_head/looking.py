"""All heads at a glance, one of them enlarged, the same heads under other seeds, and heads between two sentences."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.head_metrics import HeadMeasures, measure_heads
from attention_core.experiments.head_parts import measures_by_seed
from attention_core.experiments.several_heads import attend_heads, head_of
from pages.charts.bars import share_bars
from pages.charts.chart import Chart
from pages.charts.head_map import head_map
from pages.charts.heatmap import ATTENTION_AXES, Axes, heatmap
from pages.charts.matrix_image import matrix_picture
from pages.look import cards
from pages.look.head_cards import MEASURES, meters, weight_card
from pages.look.html import quoted
from pages.look.sentences import brightest_cell
from pages.multi_head.questions import job_question
from pages.multi_head.scenes import HeadScene
from pages.multi_head.views import enlarge_button, head_buttons
from pages.page.page import Page

MOST_BARS = 8
MOST_CELLS = 3000  # of all heads together: beyond, a mark for each cell would keep a browser busy
OTHER_SEEDS = 5


def chosen_word(page: Page, name: str, label: str, labels: list[str], usual: int = 2) -> int:
    """Draw a list of words to choose one from, and return its place."""
    return labels.index(page.controls.select(name, label, labels, labels[min(usual, len(labels) - 1)], width=150))


def chosen_cell(page: Page, rows: list[str], columns: list[str]) -> tuple[int, int]:
    """Draw the two lists that choose a cell, and return its place."""
    with st.container(horizontal=True, width="content"):
        return chosen_word(page, "q", "Query · row", rows), chosen_word(page, "k", "Key · column", columns, 1)


def look(page: Page, scene: HeadScene, labels: list[str], head: int | None) -> None:
    """Show all heads, or one of them enlarged."""
    measures = page.recipe.run("measures", measure_heads, scene.attention.weights, scene.words, *blocked(scene))
    if head is None:
        all_heads(page, scene, labels, measures)
    else:
        head_buttons(page, scene.n_heads, head, with_all=True)
        enlarged(page, head_of_scene(page, scene.attention, head), labels, labels, scene.origin, meters(measures, head))
    st.header("Has a head a job?", anchor=False)
    other_matrices(page, scene, measures)


def blocked(scene: HeadScene) -> list[Array]:
    """Return the mask as an argument, if there is one."""
    return [] if scene.blocked is None else [scene.blocked]


def head_of_scene(page: Page, attention: AttentionCache, head: int) -> AttentionCache:
    """Return what one head computed."""
    return page.recipe.run("one_head", head_of, attention, head)


def all_heads(page: Page, scene: HeadScene, labels: list[str], measures: HeadMeasures) -> None:
    """Draw every head as a small map, or as bars where one word looks, with what it does in numbers."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        show = page.controls.choice("show", "Show of each head", ["the map", "one word’s look"], "the map")
        row = 0 if show == "the map" else chosen_word(page, "q", "Query · row", labels)
    if show != "the map":
        page.write(cards.chips(labels, row))
    weights = scene.attention.weights
    grid = st.grid(4, min_column_width=150, gap="medium")
    for head in range(scene.n_heads):
        with grid.cell(), st.container(gap="xsmall"):
            enlarge_button(page, head)
            name = f"head {head + 1}"
            if show == "the map":
                sentence = f"Head {head + 1}: {brightest_cell(weights[head], labels)}"
                options = {"name": name, "sentence": sentence}
                if weights.size > MOST_CELLS:
                    chart = matrix_picture(weights[head], ATTENTION_AXES, limit=None, height=230, first=1, **options)
                else:
                    chart = head_map(weights[head], labels, **options)
                page.show(chart, quiet=True)
            else:
                page.show(look_of(weights[head], labels, row, name), quiet=True)
            page.write(meters(measures, head))
    said = "" if show == "the map" else f"Where {quoted(escape(labels[row]))} looks, head by head. "
    if said and len(labels) > MOST_BARS:
        said += f"Drawn are the {MOST_BARS} largest weights of each. "
    page.write(
        said
        + "Under each head: how evenly it spreads its look (entropy; 1: over all words alike), and how much of its "
        "weight goes to the word before, the first word, the word itself and the same word elsewhere. Bold is the most "
        "of all. "
        f"{scene.origin}",
        "note",
    )


def look_of(weights: Array, labels: list[str], row: int, name: str) -> Chart:
    """Return where one word looks in one head as bars: the largest, in the order of the sentence."""
    shares = weights[row]
    kept = np.sort(np.argsort(-shares, kind="stable")[:MOST_BARS])
    best = int(shares[kept].argmax())
    return share_bars(
        [labels[i] for i in kept],
        shares[kept],
        name=name,
        sentence=f"{name.capitalize()}: {brightest_cell(weights, labels)}",
        highlight=best,
        of="key",
    )


def enlarged(
    page: Page, attention: AttentionCache, rows: list[str], columns: list[str], origin: str, below: str = ""
) -> None:
    """Draw one head large, with the derivation of the chosen weight beside it."""
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        words, card = st.container(), st.container(border=True)
        row, column = chosen_cell(page, rows, columns)
        page.write(below)
    with words:
        if rows == columns:
            page.write(cards.chips(rows, row, column))
        else:
            page.write(cards.chips(rows, asks=row))
            page.write(cards.chips(columns, answers=column))
    with card:
        page.write(weight_card(attention, rows, columns, row, column))
    with left:
        weights = attention.weights
        place = int(weights[row].argmax())
        sentence = f"{quoted(rows[row])} looks most at {quoted(columns[place])}: {weights[row, place]:.2f}."
        chart = heatmap(
            weights,
            rows,
            columns,
            ATTENTION_AXES,
            name="one head",
            sentence=sentence,
            chosen=(row, column),
            sums="rows",
            clickable=True,
        )
        page.show(chart, lambda i, j: page.controls.put(q=rows[i], k=columns[j]), note=origin)


def other_matrices(page: Page, scene: HeadScene, measures: HeadMeasures) -> None:
    """Show one measure of every head for these matrices and for some random ones."""
    text = st.container()
    names = list(MEASURES.values())
    name = page.controls.choice("measure", "Compare", names, names[1])
    field = list(MEASURES)[names.index(name)]
    start = page.controls.made["seed"].value if scene.steady else 0
    seeds = list(range(start + 1, start + 1 + OTHER_SEEDS))
    others = page.recipe.run(
        "other_seeds",
        measures_by_seed,
        scene.words,
        scene.x.shape[1],
        scene.n_heads,
        seeds,
        scene.blocked is not None,
    )
    values = np.vstack([getattr(measures, field), getattr(others, field)])
    best = [str(head + 1) for head in values.argmax(axis=1)]
    alike = bool((np.ptp(values, axis=1) == 0).all())  # one head, one word, or no word twice
    who = "Somebody gave these heads their jobs" if scene.kind == "hand-set" else "Nobody tells a head what to do"
    nature = f"Were this the job of head {best[0]} by nature, it would lead in every row."
    if alike:
        nature = "There is one head only, so none leads." if scene.n_heads == 1 else "With these words none leads."
    with text:
        page.say(
            f"{who}. Compare the heads, first as they stand above, then with random matrices of other seeds. {nature}",
            "",
        )
    first = f"seed {start}" if scene.steady else "as above"
    sentence = (
        f"Most “{name}”: head {best[0]} with the matrices above; with the random ones heads {', '.join(best[1:])}."
    )
    if alike:
        sentence = f"“{name}”: no head has more than another."
    leaders = [int(leader) for leader in values.argmax(axis=1)]
    if not alike and not page.ask(job_question(name, leaders, scene.n_heads, page.variant("job"))):
        return
    heads = [str(head + 1) for head in range(scene.n_heads)]
    rows = [first, *(f"seed {seed}" for seed in seeds)]
    axes = Axes("matrices", "head", name)
    page.show(heatmap(values, rows, heads, axes, name="other seeds", sentence=sentence, small=True, chosen=(0, None)))


def across(page: Page, scene: HeadScene, labels: list[str], head: int, context: Array, others: list[str]) -> None:
    """Show one head that looks from one sentence into another."""
    attention = page.recipe.run("across", attend_heads, scene.x, scene.heads, scene.n_heads, None, context)
    head_buttons(page, scene.n_heads, head)
    origin = f"{scene.origin} Between two sentences nothing is hidden."
    enlarged(page, head_of_scene(page, attention, head), labels, others, origin)
    shapes = ", ".join(
        f"{name} {' × '.join(map(str, array.shape))}"
        for name, array in (("q", attention.q), ("k", attention.k), ("weights", attention.weights))
    )
    page.write(
        f"Shapes with all heads: {shapes}. The output has a row for each word that asks, as wide as ever: "
        f"{attention.weights.shape[1]} × {scene.x.shape[1]}.",
        "note",
    )
