"""What several steps of the lesson on positions share: the head over the sentence, sums, small sizes."""

from typing import Any

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.positions.position_kinds import placed_attention
from attention_core.experiments.qkv.one_head import HeadMatrices, random_head
from attention_core.text.word_vectors import word_vectors
from pages.charts.heatmap import Axes
from pages.look.colours import KEY, QUERY
from pages.page.page import Page
from pages.positional_encoding.scene import PositionScene

HEAD = 8  # the width of the head over the sentence
PAIR_AXES = Axes("position", "other", "dot product", QUERY, KEY)


def head_over(page: Page, scene: PositionScene, width: int = HEAD) -> tuple[Array, HeadMatrices]:
    """Return the vectors of the words and a random head over them."""
    page.recipe.given("words", scene.words)
    x = page.recipe.run("x", word_vectors, scene.words, scene.d_model, scene.seed)
    return x, page.recipe.run("head", random_head, scene.d_model, width, scene.seed)


def attend_with_positions(
    page: Page, name: str, x: Array, head: HeadMatrices, scene: PositionScene, offset: int = 0
) -> AttentionCache:
    """Return the head's attention over words with the position encoding of the scene."""
    return page.recipe.run(name, placed_attention, x, head, scene.kind, scene.base, offset, scene.strength, scene.seed)


def show_asked(page: Page, variant: int, **asked: Any) -> None:
    """Set controls to what a question asked, but leave what a link or an example said before the first one."""
    said = page.controls.changed()
    if variant or not any(page.controls.key(name) in said for name in asked):
        page.controls.put(**asked)
