"""The scene of the lesson on masks: one head over a sentence, computed without a mask and with a causal one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase, digits

import streamlit as st

from attention_core.arrays import Array
from attention_core.equations import masks
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.masks.painted_masks import every_query, toggle_cells
from attention_core.experiments.qkv.named_head import NAMED_JOBS
from attention_core.experiments.qkv.one_head import LONGEST, HeadMatrices, attend
from pages.heads.matrices import SENTENCE, SIZES, Matrices, OneHead, choose_matrices, scene_of
from pages.look.typed import words_of
from pages.page.fields.controls import Controls
from pages.page.steps import Steps
from pages.reproduce.recipe import Recipe

WORDS = "head job k q seed text weights"  # of a link, for controls that several steps have

KINDS = ("none", "causal", "sliding window", "prefix", "padding", "block")
JOBS = sorted(NAMED_JOBS, key="adjective to noun".__ne__)  # first one that attends to later words
OWN_MODEL = ("predictions", "cheats")  # steps whose models are given
RANDOM_LAYERS = ("leak", "shuffle")  # steps whose matrices are always random
SEED = 20  # of random matrices
CHARACTERS = digits + ascii_lowercase
PAINT = re.compile(rf"(?:[0-9a-z]{{0,5}}\.){{0,{LONGEST - 1}}}[0-9a-z]{{0,5}}")
LETTERS = ascii_lowercase[:LONGEST]  # one for each row


@dataclass(frozen=True, eq=False)
class Masked(OneHead):
    """One head over a sentence, without and with a mask: the causal one, but where another is painted."""

    plain: AttentionCache
    blocked: masks.Blocked  # (T, T)
    mask: Array  # (T, T), added
    masked: AttentionCache

    @property
    def positions(self) -> range:
        return range(len(self.words))


def choose_scene(steps: Steps) -> Masked:
    page, controls = steps.page, steps.page.controls
    with page.sidebar:
        st.subheader("Settings", anchor=False)
        text = controls.text("text", "Sentence", SENTENCE)
        if steps.name in OWN_MODEL:
            chosen = Matrices("random", SIZES, "", 0, SEED)  # which reads every word
        elif steps.name in RANDOM_LAYERS:
            chosen = Matrices("random", SIZES, "", 0, controls.seed(SEED))
        else:
            chosen = choose_matrices(controls, SEED, jobs=JOBS)
    words, note = words_of(text, SENTENCE)
    scene, unknown = scene_of(page.recipe, words, chosen)
    steps.note(note, unknown)
    plain = scene.attention
    if scene.kind == "trained":
        plain = page.recipe.run("plain", attend, scene.x, scene.head)
        scene = replace(scene, origin="The matrices are those of Toy English, which was trained with a causal mask.")
    if scene.kind == "hand-made":  # what they were made for may be masked here
        scene = replace(scene, origin=scene.origin.replace("hand-made:", "hand-made: without a mask,"))
    blocked = page.recipe.run("blocked", masks.causal_mask, len(scene.words))
    mask, masked = attend_under(page.recipe, scene.x, scene.head, blocked)
    page.drawing.weights = "masked.weights"
    return Masked(**vars(scene), plain=plain, blocked=blocked, mask=mask, masked=masked)


def painted_scene(recipe: Recipe, scene: Masked, pattern: str, size: int, cells: list[tuple[int, int]]) -> Masked:
    """Return the scene with a mask of this kind, in which some cells are toggled."""
    blocked = mask_of_kind(recipe, pattern, size, len(scene.words))
    if cells:
        blocked = recipe.run("blocked", toggle_cells, blocked, cells)
    mask, masked = attend_under(recipe, scene.x, scene.head, blocked)
    return replace(scene, blocked=blocked, mask=mask, masked=masked)


def attend_under(recipe: Recipe, x: Array, head: HeadMatrices, blocked: masks.Blocked) -> tuple[Array, AttentionCache]:
    mask = recipe.run("mask", masks.additive_mask, blocked)
    return mask, recipe.run("masked", attend, x, head, mask)


def mask_of_kind(recipe: Recipe, kind: str, size: int, length: int) -> masks.Blocked:
    run = recipe.run
    if kind == "none":
        return run("blocked", masks.no_mask, length)
    if kind == "causal":
        return run("blocked", masks.causal_mask, length)
    if kind == "padding":
        return run("blocked", every_query, run("padding", masks.padding_mask, max(length - size, 0), length))
    make = {"sliding window": masks.sliding_window_mask, "prefix": masks.prefix_mask, "block": masks.block_mask}[kind]
    return run("blocked", make, length, size)


def paint_of(controls: Controls) -> str:
    """Return what is painted, as it stands in the link: for each row the toggled cells, as bits, in base 36."""
    return controls.bare_text("paint", "Painted cells", "", lambda raw: bool(PAINT.fullmatch(raw)))


def cells_of(paint: str) -> list[tuple[int, int]]:
    rows = [int(row or "0", 36) for row in paint.split(".")]
    return [(i, j) for i, bits in enumerate(rows) for j in range(LONGEST) if bits >> j & 1]


def painted(cells: Sequence[tuple[int, int]]) -> str:
    rows = [0] * LONGEST
    for i, j in cells:
        rows[i] |= 1 << j
    return ".".join(base_36(bits) for bits in rows).rstrip(".")


def base_36(value: int) -> str:
    """Return a whole number in base 36, and nothing for 0."""
    return "" if value == 0 else base_36(value // 36) + CHARACTERS[value % 36]


def toggled(paint: str, cells: Sequence[tuple[int, int]]) -> str:
    """Return what is painted after these cells were toggled."""
    return painted(sorted(set(cells_of(paint)) ^ set(cells)))


def order_of(controls: Controls) -> list[int]:
    """Return the order into which the words were dragged, as it stands in the link: a letter for each."""
    raw = controls.bare_text(
        "order", "Order of the words", "", lambda raw: set(raw) <= set(LETTERS) and len(raw) <= LONGEST
    )
    return [LETTERS.index(letter) for letter in raw]
