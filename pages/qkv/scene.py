"""The scene of the first lesson: three vectors to begin with, then one head over a sentence."""

from functools import partial
from typing import NamedTuple

import streamlit as st

from attention_core.arrays import Array
from pages.heads.matrices import SIZES, VECTORS, Matrices, OneHead, choose_matrices, scene_of
from pages.heads.typed_vectors import vectors_of
from pages.look.typed import words_of
from pages.page.fields.controls import Controls
from pages.page.steps import Steps

WORDS = "d d_k d_model d_v head job k q seed text weights"  # of a link, for controls that several steps have

SENTENCE = "the cat sat on the warm mat and it meowed"
SEED = 20  # of random matrices
WITHOUT_VALUES = "match", "softmax", "two", "detail"  # steps that show nothing of what a word's own vector gives
REFERS = 3  # the trained head that finds what “it” refers to, counted from 0


class Vectors(NamedTuple):
    """The vectors of the first step, before there is a sentence."""

    vectors: Array  # a row for each of VECTORS


def choose_scene(steps: Steps) -> Vectors | OneHead:
    """Draw what sets the scene, and return it: three vectors, or a head."""
    page, controls = steps.page, steps.page.controls
    with page.sidebar:
        st.subheader("Settings", anchor=False)
        if steps.name != "dot":
            text = controls.text("text", "Sentence", SENTENCE)
        if steps.name == "dot":
            texts = {name: controls.text(name, f"Vector of {name}", usual) for name, usual in VECTORS.items()}
            vectors, notes = vectors_of(texts, VECTORS)
            steps.note(*notes)
            return Vectors(page.recipe.given("vectors", vectors))
        if steps.name == "lookup":
            chosen = Matrices("random", SIZES, "", 0, controls.seed(SEED))
        else:
            seeded = ("random",) if steps.name in WITHOUT_VALUES else ("hand-made", "random")
            sizes, seen = partial(choose_sizes, controls), str(REFERS + 1)
            chosen = choose_matrices(controls, SEED, sizes, seeded=seeded, seen=seen)
    words, typed = words_of(text, SENTENCE)
    scene, unknown = scene_of(page.recipe, words, chosen)
    steps.note(typed, unknown)
    page.drawing.weights = "attention.weights"
    return scene


def choose_sizes(controls: Controls, kind: str) -> tuple[int, int, int]:
    """Draw the widths of random matrices; the others have widths of their own."""
    if kind != "random":
        return SIZES
    d_model, d_k, _ = SIZES
    return (
        controls.slider("d_model", "d_model (width of X)", 2, 32, d_model, 1),
        controls.slider("d_k", "d_k (width of Q, K)", 1, 32, d_k, 1),
        controls.slider("d_v", "d_v (width of V)", 1, 32, d_model, 1),  # so that *output* has its picture
    )
