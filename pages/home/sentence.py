"""The sentence of the home page, and the head that reads it."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.multi_head.english_heads import trained_heads
from attention_core.experiments.multi_head.several_heads import attend_heads
from attention_core.experiments.qkv.one_head import JOBS, Job
from attention_core.text.word_vectors import position_labels
from pages.heads.matrices import Scene, hand_set_scene, random_scene, trained_scene
from pages.look.sentences import first_query
from pages.page.fields.controls import Controls
from pages.page.page import Page
from pages.reproduce.recipe import Recipe

SENTENCE = "the cat didn't cross the river because it was too tired"
HEADS = ("1", "2", "3", "4")
KINDS = ("trained", "random", *JOBS)
OF_WORDS = ("random", "same word")  # the heads that read a word’s own vector, which its seed draws
INVITATION = """
This model has a single layer of four heads. In head 4, {asks} attends most to {first}. **Press head 1, 2 or 3:** does
{asks} attend most to {first} there too?
"""
OTHER = """
The same model, another head: {asks} attends most to {here} in head {head}, and to {first} in head 4. So a large weight
shows where one head attends. It is no reason for a prediction.
"""
SAME = """
The same model, another head: {asks} attends most to {here} in head {head} too. Even so, a large weight only shows where
one head attends. It is no reason for a prediction.
"""


class Head(NamedTuple):
    """A student's choice of a head."""

    kind: str  # trained, random, or what it attends to if it was made by hand
    number: int  # of the trained heads, from 1
    seed: int  # of the random matrices


def choose_kind(controls: Controls) -> str:
    """Draw the choice of the matrices."""
    return controls.select("weights", "Matrices", KINDS, KINDS[0])


def choose_head(controls: Controls, kind: str) -> Head:
    """Draw the choice among the trained heads, or the seed of what is random in other matrices."""
    if kind == "trained":
        return Head(kind, int(controls.choice("head", "Trained head", HEADS, HEADS[-1])), 0)
    if kind not in OF_WORDS:
        controls.leave_out("seed")
    return Head(kind, 0, controls.integer("seed", "Seed", 0, 9999, 7, width=150))


def head_over(recipe: Recipe, words: list[str], head: Head) -> tuple[Scene, str | None]:
    """Return a head over some words, and a note on those that it does not know."""
    if head.kind == "trained":
        return trained_scene(recipe, words, head.number - 1, usual=SENTENCE)
    if head.kind == "random":
        return random_scene(recipe, words, 16, 8, 8, head.seed), None
    return hand_set_scene(recipe, words, cast(Job, head.kind), head.seed), None


def asking_word(words: Sequence[str], weights: Array) -> int:
    """Return the word that asks first: “it”, or the one with the largest weight on another word."""
    others = weights * (1 - np.eye(len(words)))  # a word that attends to itself tells little
    return first_query(words, int(others.max(axis=-1).argmax()))


def trained_maps(words: Sequence[str]) -> Array:
    """Return the attention weights (H, T, T) of all heads of the trained model, which has one layer."""
    heads = trained_heads(words)
    return attend_heads(heads.x, heads.matrices, len(HEADS), heads.mask).weights


def other_heads(page: Page, words: list[str], head: Head, asks: int) -> None:
    """Invite a student to compare heads, and say what another one attends to: a large weight is no reason."""
    if head.kind != "trained" or asks == 0 or "head" in page.controls.locked:
        return
    labels, usual = position_labels(words), len(HEADS)
    here, first = (labels[int(trained_maps(words)[number - 1, asks].argmax())] for number in (head.number, usual))
    text = INVITATION if head.number == usual else SAME if here == first else OTHER
    page.say(text.replace("{head}", str(head.number)), "", asks=labels[asks], here=here, first=first)
