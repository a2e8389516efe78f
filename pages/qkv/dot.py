"""The dot product of any two of three words, whose numbers can be changed."""

import math
from functools import partial
from itertools import combinations

from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.qkv.explain import product_terms
from attention_core.experiments.qkv.perturb import dot_products
from pages.charts.chart import limit_of
from pages.charts.heatmap import Axes
from pages.heads.matrices import USUAL_VECTORS, VECTORS, Scene
from pages.look import cards
from pages.look.colours import KEY, QUERY
from pages.look.html import in_role, number
from pages.motion.vector_bars import Task, vector_bars
from pages.page.frame.clicks import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_map, thumbnail_of
from pages.qkv.matrices import View
from pages.qkv.scene import Vectors

STEP = Step(
    "a · b",
    "A dot product scores how well two vectors match",
    "Here each word has a **vector**, a few numbers. A dot product multiplies two vectors entry by entry and adds the "
    "products. Of vectors of one length, those that point the same way have the largest product. Longer vectors have "
    "products further from 0. Drag the bars of *mat* until both tasks are done.",
    sees_ahead=False,
    words="a b",
)

DOT_AXES = Axes("first", "second", "product", QUERY, KEY, words=True)
NAMES = list(VECTORS)
CAT, SAT, MAT = range(3)
PAIRS = ((MAT, CAT), (MAT, SAT), (CAT, SAT), (CAT, CAT))
TASKS = (
    Task("Make mat · sat larger than mat · cat.", (MAT, SAT), (MAT, CAT)),
    Task("Length trap: make mat · cat larger than cat · cat.", (MAT, CAT), (CAT, CAT), lengths=True),
)


def draw(page: Page, scene: Vectors) -> None:
    """Show the vectors as bars, the dot product of every word with every other, and how one product is summed."""
    vector_bars(page, NAMES, scene.vectors, PAIRS, TASKS)
    products = page.recipe.run("agreement", dot_products, scene.vectors, scene.vectors)
    pairs = combinations(range(len(NAMES)), 2)
    said = ", ".join(f"{NAMES[i]} · {NAMES[j]} is {number(products[i, j])}" for i, j in pairs)
    lengths = ", ".join(
        f"{name} {number(math.sqrt(own))}" for name, own in zip(NAMES, products.diagonal(), strict=True)
    )
    card = partial(dot_card, scene.vectors)
    sentence = f"{said.capitalize()}. Lengths (norms) of the vectors: {lengths}."
    cell = ChosenCell(page.controls, NAMES, NAMES, (MAT, SAT), ("a", "b"), ("First word", "Second word"))
    draw_map(page, product_view(products), "Dot product", card, cell, sentence=sentence)


def thumbnail(scene: Vectors | Scene) -> Markup:
    vectors = scene.vectors if isinstance(scene, Vectors) else USUAL_VECTORS
    return thumbnail_of(product_view(dot_products(vectors, vectors)))


def product_view(products: Array) -> View:
    """Return the dot product of each word with each."""
    return View(products, NAMES, NAMES, DOT_AXES, limit_of(products))


def dot_card(vectors: Array, row: int, column: int) -> Markup:
    """Return where the dot product of two vectors comes from."""
    terms = product_terms(vectors[row], vectors[column])
    first, second = NAMES[row], NAMES[column]
    title = Markup("{} · {} = {}").format(in_role(first, "query"), in_role(second, "key"), number(terms.total))
    ledger = cards.ledger(terms, first, second, roles=("query", "key"))
    return cards.card(title, ledger, cards.chain(("sum", "the dot product", terms.total)))
