"""The dot product of any two of three words, whose numbers can be changed."""

from functools import partial
from itertools import combinations

from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.explain import product_terms
from attention_core.experiments.perturb import dot_products
from pages.charts.heatmap import Axes
from pages.look import cards
from pages.look.colours import KEY, QUERY
from pages.look.html import in_role, number
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import Field, draw_map, thumbnail_of
from pages.qkv.matrices import View, limit_of
from pages.qkv.scene import VECTORS, OneHead, Vectors

STEP = Step(
    "a · b",
    "A dot product measures agreement",
    "Give each word a few numbers, a vector. To ask how well two words agree, multiply their numbers pair by pair "
    "and add up: large in the same places makes a large sum, opposite signs a negative one. Change a number of "
    "*mat* until it agrees with *sat* more than with *cat*.",
)

DOT_AXES = Axes("first", "second", "product", QUERY, KEY, words=True)
NAMES = list(VECTORS)
FIRST, SECOND = Field("a", "First word", 2), Field("b", "Second word", 1)


def draw(page: Page, scene: Vectors) -> None:
    """Show the dot product of every word with every other, and how one of them is summed."""
    products = page.recipe.run("agreement", dot_products, scene.vectors, scene.vectors)
    pairs = combinations(range(len(NAMES)), 2)
    said = ", ".join(f"{NAMES[i]} · {NAMES[j]} is {number(products[i, j])}" for i, j in pairs)
    card = partial(dot_card, scene.vectors)
    sentence = f"{said.capitalize()}."
    draw_map(page, product_view(products), "Dot product", card, (FIRST, SECOND), sentence=sentence)


def thumbnail(scene: Vectors | OneHead) -> Markup:
    """Return the small picture of the step."""
    return thumbnail_of(product_view(dot_products(scene.vectors, scene.vectors)))


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
