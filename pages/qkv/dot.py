"""The dot product of any two of three words, whose numbers can be changed."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.qkv.explain import product_terms
from attention_core.experiments.qkv.perturb import dot_products
from attention_core.rows import row_cosines, row_norms
from pages.charts.chart import limit_of, rung
from pages.charts.heatmap import Axes
from pages.heads.matrices import VECTORS
from pages.heads.typed_vectors import FARTHEST
from pages.look import cards
from pages.look.colours import KEY, QUERY
from pages.look.facts import change
from pages.look.html import in_role, number, table
from pages.page.fields.chosen_cell import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_map
from pages.qkv.matrices import USUAL, MatrixView
from pages.qkv.scene import Vectors

STEP = Step(
    "dot products",
    "A dot product scores how well two vectors match",
    "Here each word has a **vector**, a few numbers. A dot product multiplies two vectors entry by entry and adds the "
    "products. Of vectors of equal length, those that point the same way have the largest product. Doubling one vector "
    "doubles the product. Move the sliders of *mat* until both tasks are done at the same time.",
    words="a b cat sat mat",
    helps="best_key",
)

DOT_AXES = Axes("first", "second", "product", QUERY, KEY, words=True)
NAMES = list(VECTORS)
CAT, SAT, MAT = range(3)
PAIRS = ((MAT, CAT), (MAT, SAT), (CAT, SAT), (CAT, CAT))
TASKS = (  # the product of one pair is to be larger than that of another
    ("Make mat · sat larger than mat · cat.", (MAT, SAT), (MAT, CAT)),
    ("Length trap: make mat · cat larger than cat · cat.", (MAT, CAT), (CAT, CAT)),
)


def draw(page: Page, scene: Vectors) -> None:
    """Show the dot product of every word with every other, tasks about them, and how one product is summed."""
    move_mat(page, scene.vectors[MAT])
    products = page.recipe.run("agreement", dot_products, scene.vectors, scene.vectors)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.write(product_table(scene.vectors, products))
    with right:
        page.write(task_list(products))
    card = partial(dot_card, scene.vectors)
    cell = ChosenCell(page.controls, NAMES, NAMES, (MAT, SAT), ("a", "b"), ("First word", "Second word"))
    view = MatrixView(products, NAMES, NAMES, DOT_AXES, max(USUAL, limit_of(products)))
    draw_map(page, view, "Dot product", card, cell, "")


def move_mat(page: Page, vector: Array) -> None:
    """Draw a slider for each number of mat; where one is released, the field of mat follows."""
    keys = [f"mat_entry_{place}" for place in range(len(vector))]
    limit = float(min(rung(float(abs(vector).max())), FARTHEST))

    def put() -> None:
        page.controls.put(mat=" ".join(f"{st.session_state[key]:.10g}" for key in keys))

    for place, (column, key) in enumerate(zip(st.columns(len(keys), gap="medium"), keys, strict=True), start=1):
        st.session_state[key] = float(vector[place - 1])
        step = 0.1 if limit <= 4 else 1.0
        fixed = "mat" in page.controls.locked
        column.slider(f"mat, entry {place}", -limit, limit, step=step, key=key, on_change=put, disabled=fixed)


def product_table(vectors: Array, products: Array) -> Markup:
    """Return the product of each pair as both lengths times the cosine of the angle."""
    lengths, cosines = row_norms(vectors), row_cosines(*(vectors[list(side)] for side in zip(*PAIRS, strict=True)))
    rows = []
    for (i, j), cosine in zip(PAIRS, cosines, strict=True):
        factors = " × ".join(number(factor) for factor in (lengths[i], lengths[j], cosine))
        rows.append((f"{NAMES[i]} · {NAMES[j]}", factors, number(products[i, j])))
    return table(("", "length × length × cos of the angle", "dot product"), rows, left=2)


def task_list(products: Array) -> Markup:
    """Return whether each task is done, and of the second that length is the reason."""
    done = tasks_done(products)
    lines = [
        f"{'✓' if right else '○'} {task[0]} {'Done' if right else 'Not yet'}."
        for task, right in zip(TASKS, done, strict=True)
    ]
    lines[1] += " The vector of mat is the longer one." * done[1]
    return Markup("").join(Markup("<p>{}</p>").format(line) for line in lines)


def tasks_done(products: Array) -> list[bool]:
    return [change(products[smaller], products[larger]) == "rises" for _, larger, smaller in TASKS]


def dot_card(vectors: Array, row: int, column: int) -> Markup:
    terms = product_terms(vectors[row], vectors[column])
    first, second = NAMES[row], NAMES[column]
    title = Markup("{} · {} = {}").format(in_role(first, "query"), in_role(second, "key"), number(terms.total))
    ledger = cards.ledger(terms, first, second, roles=("query", "key"))
    return cards.card(title, ledger, cards.chain(("sum", "the dot product", terms.total)))
