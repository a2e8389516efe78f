"""Scenes of several heads: one sentence, four matrices, everything the heads compute with them."""

from typing import NamedTuple

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.english_heads import CONFIG, TEXT, trained_heads
from attention_core.experiments.head_parts import sum_of_heads
from attention_core.experiments.one_head import JOBS, hand_set_embedding
from attention_core.experiments.several_heads import HeadSet, attend_heads, hand_set_heads, random_heads
from attention_core.text.word_vectors import word_vectors
from pages.page.matrices import Matrices, familiar
from pages.reproduce.recipe import Recipe

HAND_SET_WIDTH = 8  # of each head, for which the matrices were set by hand
WIDTHS = ("6", "8", "12", "16", "24", "32", "48", "64")
MOST_HEADS = 12
SECOND = "the dog is happy"


class HeadScene(NamedTuple):
    """Everything that several heads compute over a sentence."""

    words: list[str]
    x: Array  # (T, D)
    heads: HeadSet
    n_heads: int
    blocked: Array | None  # (T, T), True = blocked
    attention: AttentionCache  # with an axis for the heads in front
    writes: Array  # (H, T, D), what each head adds to the output
    output: Array  # (T, D)
    origin: str  # whose matrices these are
    kind: str  # random, hand-set or trained

    @property
    def steady(self) -> bool:
        """Whether the numbers are random: their colour scale depends on the widths alone."""
        return self.kind == "random"

    @property
    def d_head(self) -> int:
        """The width of one head."""
        return self.attention.v.shape[-1]


def divisors(d_model: int) -> list[str]:
    """Return the numbers of heads into which a width can be split, as far as they still fit the page."""
    return [str(n) for n in range(1, MOST_HEADS + 1) if d_model % n == 0]


def heads_of(recipe: Recipe, words: list[str], chosen: Matrices) -> tuple[HeadScene, str | None]:
    """Return heads with the matrices that were chosen, and a note on the words that they do not know."""
    d_model, n_heads, causal = chosen.sizes
    if chosen.kind == "random":
        return random_scene(recipe, words, d_model, n_heads, causal, chosen.seed), None
    if chosen.kind == "hand-set":
        return hand_set_scene(recipe, words, causal, chosen.seed), None
    return trained_scene(recipe, words)


def random_scene(recipe: Recipe, words: list[str], d_model: int, n_heads: int, causal: bool, seed: int) -> HeadScene:
    """Return heads with random matrices."""
    recipe.given("words", words)
    x = recipe.run("x", word_vectors, words, d_model, seed)
    heads = recipe.run("heads", random_heads, d_model, seed)
    origin = f"The matrices are random (seed {seed}): a pattern without a meaning."
    return scene(recipe, words, x, heads, n_heads, causal, origin, "random")


def hand_set_scene(recipe: Recipe, words: list[str], causal: bool, seed: int) -> HeadScene:
    """Return four heads, each set by hand for one job."""
    recipe.given("words", words)
    heads = recipe.run("heads", hand_set_heads, HAND_SET_WIDTH)
    x = recipe.run("x", hand_set_embedding, words, len(heads.w_q), seed)
    origin = f"The matrices were set by hand; heads 1 to {len(JOBS)} look for: {', '.join(JOBS)}."
    return scene(recipe, words, x, heads, len(JOBS), causal, origin, "hand-set")


def trained_scene(recipe: Recipe, words: list[str]) -> tuple[HeadScene, str | None]:
    """Return the heads of the trained model, and a note on the words that it does not know."""
    known, note = familiar(words)
    trained = trained_heads(known)
    recipe.given("words", known)
    x = recipe.given("x", trained.x)
    heads = recipe.run("heads", HeadSet, *(recipe.given(n, w) for n, w in trained.matrices._asdict().items()))
    origin = f"The matrices were trained on {TEXT}."
    return scene(recipe, known, x, heads, CONFIG.n_heads, True, origin, "trained"), note


def scene(
    recipe: Recipe, words: list[str], x: Array, heads: HeadSet, n_heads: int, causal: bool, origin: str, kind: str
) -> HeadScene:
    """Return what heads compute over x."""
    blocked = recipe.run("blocked", causal_mask, len(words)) if causal else None
    mask = [] if blocked is None else [recipe.run("mask", additive_mask, blocked)]
    attention = recipe.run("attention", attend_heads, x, heads, n_heads, *mask)
    writes = recipe.run("writes", head_writes, attention.output, heads.w_o)
    output = recipe.run("output", sum_of_heads, writes)
    return HeadScene(words, x, heads, n_heads, blocked, attention, writes, output, origin, kind)


def second_sentence(
    recipe: Recipe, words: list[str], kind: str, d_model: int, seed: int
) -> tuple[Array, list[str], str | None]:
    """Return the vectors of the sentence that is looked at, its words, and a note on words that are not known."""
    if kind == "trained":
        words, note = familiar(words, SECOND)
        recipe.given("other_words", words)
        return recipe.given("context", trained_heads(words).x), words, note
    recipe.given("other_words", words)
    function = word_vectors if kind == "random" else hand_set_embedding
    return recipe.run("context", function, words, d_model, seed), words, None
