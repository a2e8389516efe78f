"""Scenes: a sentence and one head over it, computed step by step where the page's script can repeat it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.experiments.multi_head.english_heads import TEXT, known_words, trained_head
from attention_core.experiments.qkv.named_head import NAMED_JOBS, NamedJob, named_embedding, named_head
from attention_core.experiments.qkv.one_head import (
    HeadMatrices,
    Job,
    attend,
    hand_set_embedding,
    hand_set_head,
    random_head,
)
from attention_core.experiments.qkv.perturb import dot_products
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.heads.typed_vectors import vectors_of
from pages.look.html import quoted
from pages.look.sentences import asking_word
from pages.page.fields.controls import Controls
from pages.reproduce.recipe import Recipe, Short

SENTENCE = "the cat sat on the warm mat"
KINDS = ("hand-made", "random", "trained")
VECTORS = {"cat": "0.9 0.1 0.8 0.2", "sat": "0.1 0.9 0.3 0.7", "mat": "0.8 0.2 0.7 0.3"}  # of the head made by hand
USUAL_VECTORS, _ = vectors_of(VECTORS, VECTORS)
SIZES = (8, 4, 4)  # of random matrices: the widths of X, of q and k, and of v
HAND_SET = (16, 8)  # the widths of the sharp heads of the home page
RANDOM = "The matrices are random (seed {}), so the pattern has no meaning."
IDLE = "This head looks for nothing in these words: all its scores are 0. Type other words, or choose another head."
FIXED = "This step shows {kind} matrices. Other steps let you choose others."
LOOKS: dict[NamedJob, str] = {
    "pronoun to noun": "“it” and “they” attend most to the first known noun, if any, other words to all equally",
    "adjective to noun": "a known adjective attends most to a known noun one or two words after it, if any",
    "noun to its adjectives": "a known noun attends most to a known adjective one or two words before it, if any",
    "previous word": "each word but the first attends most to the one before it",
    "first word": "every word attends most to the first",
}
SHARP_LOOKS: dict[Job, str] = {
    "previous word": "each word attends to the one before it, and the first to itself",
    "same word": "each word attends to itself and to words with a similar vector",
    "first word": "every word attends to the first",
    "adjective to noun": "known adjectives attend to a near noun, if any, other words to themselves and neighbours",
}


class Matrices(NamedTuple):
    kind: str  # random, hand-made or trained
    sizes: tuple[Any, ...]  # what else the lesson lets be chosen of them
    job: str  # what a head made by hand attends to
    head: int  # which of the trained heads
    seed: int


def choose_matrices(
    controls: Controls,
    seed: int,
    sizes: Callable[[str], tuple[Any, ...]] = lambda kind: SIZES,
    one_head: bool = True,
    kinds: Sequence[str] = KINDS,
    jobs: Sequence[NamedJob] = NAMED_JOBS,
    seeded: Sequence[str] = ("hand-made", "random"),
    seen: str = "",
) -> Matrices:
    """Draw the choice of matrices and its options; `sizes` draws what a lesson adds. The first of `kinds` is usual.

    A seed changes what is shown where they are of one of the kinds that are `seeded`. Whoever turns to the trained
    head meets the one that was `seen` before, unless another one is chosen.
    """

    def keep() -> None:
        trained = st.session_state.get(controls.key("weights")) == "trained"
        if seen and trained and not controls.last("head", "", str.isdigit):
            controls.put(head=seen)

    kind = controls.choice("weights", "Matrices", kinds, kinds[0], on_change=keep)
    own, job, head = sizes(kind), "", "1"
    if one_head and kind == "hand-made":
        job = controls.select("job", "Job of this head", jobs, jobs[0])
    elif one_head and kind == "trained":
        head = controls.choice("head", "Trained head", ["1", "2", "3", "4"], head)
    seed = controls.seed(seed) if kind in seeded else seed
    return Matrices(kind, own, job, int(head) - 1, seed)


@dataclass(frozen=True, eq=False)
class Sentence:
    words: list[str]
    labels: list[str]
    x: Array  # (T, D)
    kind: str  # of the matrices: random, hand-made or trained
    seed: int
    origin: str  # whose matrices these are, as a sentence


@dataclass(frozen=True, eq=False)
class OneHead(Sentence):
    """Everything that one head computes, from words to its output."""

    head: HeadMatrices
    products: Array  # (T, T), before scaling
    attention: AttentionCache
    job: str  # of a head made by hand; of others it is empty

    @property
    def asks(self) -> int:
        """The word that asks first."""
        return asking_word(self.labels, self.attention.weights)


def scene_of(recipe: Recipe, words: list[str], chosen: Matrices) -> tuple[OneHead, str | None]:
    """Return one head with the matrices that were chosen, and a note on the words that it does not know."""
    if chosen.kind == "random":
        d_model, d_k, d_v = chosen.sizes
        return random_scene(recipe, words, d_model, d_k, d_v, chosen.seed), None
    if chosen.kind == "hand-made":
        given = recipe.given("vectors", USUAL_VECTORS)
        made = named_scene(recipe, words, cast(NamedJob, chosen.job), given, chosen.seed)
        return made, None if made.products.any() else IDLE
    return trained_scene(recipe, words, chosen.head, seed=chosen.seed)


def random_scene(recipe: Recipe, words: list[str], d_model: int, d_k: int, d_v: int, seed: int) -> OneHead:
    recipe.given("words", words)
    x = recipe.run("x", word_vectors, words, d_model, seed)
    head = recipe.run("head", random_head, d_model, d_k, seed, d_v)
    return scene(recipe, words, x, head, kind="random", seed=seed, origin=RANDOM.format(seed))


def named_scene(recipe: Recipe, words: list[str], job: NamedJob, vectors: Array, seed: int) -> OneHead:
    recipe.given("words", words)
    x = recipe.run("x", named_embedding, words, list(VECTORS), vectors, seed)
    head = recipe.run("head", named_head, job, x.shape[1])
    origin = f"The matrices are hand-made: {LOOKS[job]}."
    return scene(recipe, words, x, head, kind="hand-made", seed=seed, origin=origin, job=job)


def hand_set_scene(recipe: Recipe, words: list[str], job: Job, seed: int) -> OneHead:
    recipe.given("words", words)
    x = recipe.run("x", hand_set_embedding, words, HAND_SET[0], seed)
    head = recipe.run("head", hand_set_head, job, *HAND_SET)
    origin = f"The matrices are hand-made: {SHARP_LOOKS[job]}."
    return scene(recipe, words, x, head, kind="hand-made", seed=seed, origin=origin, job=job)


def familiar(words: list[str], usual: str = SENTENCE) -> tuple[list[str], str | None]:
    """Return the words that the trained model knows, or the usual ones if it knows none, and a note on the others."""
    known, unknown = known_words(words)
    if not known:
        own, _ = known_words(split_words(usual))
        return own, "Toy English knows none of these words, so this is a sentence that it knows."
    if not unknown:
        return known, None
    some = ", ".join(quoted(word) for word in dict.fromkeys(unknown))
    return known, f"Toy English does not know {some}, so it reads the other words."


def trained_scene(
    recipe: Recipe, words: list[str], head: int, usual: str = SENTENCE, seed: int = 0
) -> tuple[OneHead, str | None]:
    """Return one head of the trained model, and a note on the words that it does not know."""
    known, note = familiar(words, usual)
    trained = trained_head(known, head)
    recipe.given("words", known)
    short = Short(f"trained_head(words, {head}).x.astype(float)", trained_head)
    x = recipe.given("x", trained.x.astype(np.float64), short)
    matrices = HeadMatrices(*(matrix.astype(np.float64) for matrix in trained.matrices))
    short = Short(f"trained_head(words, {head}).matrices", trained_head)
    own = recipe.made("head", matrices, HeadMatrices, lambda: matrices, short)
    mask = recipe.run("mask", additive_mask, recipe.run("blocked", causal_mask, len(known)))
    origin = f"This head comes from Toy English, a model trained on {TEXT}."
    return scene(recipe, known, x, own, mask, kind="trained", seed=seed, origin=origin), note


def scene(
    recipe: Recipe,
    words: list[str],
    x: Array,
    head: HeadMatrices,
    mask: Array | None = None,
    *,
    kind: str,
    seed: int,
    origin: str,
    job: str = "",
) -> OneHead:
    """Return what a head computes over words; the keywords say what its matrices are."""
    attention = recipe.run("attention", attend, x, head, *([] if mask is None else [mask]))
    return OneHead(
        words,
        position_labels(words),
        x,
        kind=kind,
        seed=seed,
        origin=origin,
        head=head,
        products=recipe.run("products", dot_products, attention.q, attention.k),
        attention=attention,
        job=job,
    )
