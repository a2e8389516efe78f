"""The scene of the lesson on masks: one head over a sentence, computed without a mask and with one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase, digits

import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.equations.masks import (
    Blocked,
    additive_mask,
    block_mask,
    causal_mask,
    every_query,
    no_mask,
    padding_mask,
    prefix_mask,
    sliding_window_mask,
    toggle_cells,
)
from attention_core.experiments.multi_head.english_heads import known_words, trained_head
from attention_core.experiments.qkv.named_head import NAMED_JOBS, named_embedding
from attention_core.experiments.qkv.one_head import LONGEST, HeadMatrices, attend
from attention_core.text.word_vectors import word_vectors
from pages.heads.matrices import (
    SENTENCE,
    USUAL_VECTORS,
    VECTORS,
    Scene,
    choose_matrices,
    scene_of,
)
from pages.look.html import quoted
from pages.page.fields.controls import Controls
from pages.page.fields.typed import words_of
from pages.page.steps import Steps
from pages.reproduce.recipe import Recipe, Short

WORDS = (  # of a link, for controls that several steps have
    "bits block head job k mask order padding paint prefix q row_has rows seed swap text weights window word"
)

KINDS = ("none", "causal", "sliding window", "prefix", "padding", "block")
SIZES = {  # of the masks that have one: its word in the link, its label, and where it starts
    "sliding window": ("window", "Words in the window", 3),
    "prefix": ("prefix", "Words in the prefix", 2),
    "padding": ("padding", "Padding words", 2),
    "block": ("block", "Words per block", 3),
}
JOBS = sorted(NAMED_JOBS, key="adjective to noun".__ne__)  # first one that attends to later words
OWN_MODEL = ("predictions", "cheats")  # steps whose models and mask are given
RANDOM_LAYERS = ("layers", "swap")  # steps whose matrices are always random
CHARACTERS = digits + ascii_lowercase
PAINT = re.compile(rf"(?:[0-9a-z]{{0,5}}\.){{0,{LONGEST - 1}}}[0-9a-z]{{0,5}}")
LETTERS = ascii_lowercase[:LONGEST]  # one for each row


@dataclass(frozen=True, eq=False)
class Masked(Scene):
    """One head over a sentence, without and with the mask."""

    plain: AttentionCache
    blocked: Blocked  # (T, T)
    mask: Array  # (T, T), added
    masked: AttentionCache
    pattern: str  # the kind of the mask
    size: int  # of the window, the prefix, the padding or the block; 0 if the mask has none

    @property
    def note(self) -> str:
        """Whose the matrices are, and which words are padding."""
        if self.pattern != "padding":
            return self.origin
        n_padded = min(self.size, len(self.words))
        padded = "word stands" if n_padded == 1 else f"{n_padded} words stand"
        return f"{self.origin} The last {padded} for padding, which makes short texts as long as others."

    @property
    def rule(self) -> str:
        """Which keys a mask of this kind and size allows, before cells are painted."""
        before = f" and up to {self.size - 1} before it" if self.size > 1 else " only"
        n_padded = min(self.size, len(self.words))
        padded = "one, which is" if n_padded == 1 else f"{n_padded}, which are"
        return {
            "none": "each word attends to every word",
            "causal": "each word attends to itself and to earlier words",
            "sliding window": f"each word attends to itself{before}",
            "prefix": f"each word attends to itself, to earlier words and to the first {self.size}",
            "padding": f"no word attends to the last {padded} padding",
            "block": f"each word attends to its own block of {self.size}",
        }[self.pattern]

    @property
    def positions(self) -> range:
        """The positions of the words."""
        return range(len(self.words))


def choose_scene(steps: Steps) -> Masked:
    """Draw what sets the scene: the mask, the matrices and the sentence; return it."""
    page, controls = steps.page, steps.page.controls
    with page.sidebar:
        if steps.name not in OWN_MODEL:
            st.subheader("Settings", anchor=False)
        kind = controls.select("mask", "Mask", KINDS, "causal")
        size = controls.integer(*SIZES[kind][:2], 1, 24, SIZES[kind][2]) if kind in SIZES else 0
        chosen = choose_matrices(controls, seed=20, jobs=JOBS)
        mask, head = ("mask", *(name for name, *_ in SIZES.values())), ("weights", "job", "head")
        if steps.name == "paint" and "mask" not in controls.locked:  # it has a mask of its own
            controls.leave_out(*mask)
        elif steps.name in OWN_MODEL:
            controls.leave_out(*mask, *head, "seed")
        elif steps.name in RANDOM_LAYERS:
            controls.leave_out(*head)
    with page.fields:
        text = controls.text("text", "Sentence", SENTENCE, width=440)
    words, note = words_of(text, SENTENCE)
    scene, unknown = scene_of(page.recipe, words, chosen)
    steps.note(note or unknown)
    return masked_scene(page.recipe, scene, kind, size)


def masked_scene(recipe: Recipe, scene: Scene, pattern: str, size: int) -> Masked:
    """Return the scene with a mask of this kind."""
    blocked = mask_of_kind(recipe, pattern, size, len(scene.words))
    mask, masked = attend_under(recipe, scene.x, scene.head, blocked)
    plain = scene.attention
    if scene.kind == "trained":
        plain = recipe.run("plain", attend, scene.x, scene.head)
        scene = replace(scene, origin="The matrices are those of Toy English, which was trained with a causal mask.")
    if scene.kind == "hand-made":  # what they were made for may be masked here
        scene = replace(scene, origin=scene.origin.replace("so that", "so that, without a mask,"))
    return Masked(**vars(scene), plain=plain, blocked=blocked, mask=mask, masked=masked, pattern=pattern, size=size)


def painted_scene(recipe: Recipe, scene: Masked, pattern: str, size: int, cells: list[tuple[int, int]]) -> Masked:
    """Return the scene with a mask of this kind, in which some cells are toggled."""
    blocked = mask_of_kind(recipe, pattern, size, len(scene.words))
    if cells:
        blocked = recipe.run("blocked", toggle_cells, blocked, cells)
    mask, masked = attend_under(recipe, scene.x, scene.head, blocked)
    return replace(scene, blocked=blocked, mask=mask, masked=masked, pattern=pattern, size=size)


def attend_under(recipe: Recipe, x: Array, head: HeadMatrices, blocked: Blocked) -> tuple[Array, AttentionCache]:
    """Return a mask as it is added, and the attention under it."""
    mask = recipe.run("mask", additive_mask, blocked)
    return mask, recipe.run("masked", attend, x, head, mask)


def mask_of_kind(recipe: Recipe, kind: str, size: int, length: int) -> Blocked:
    """Return one of the masks that have a name."""
    run = recipe.run
    if kind == "none":
        return run("blocked", no_mask, length)
    if kind == "causal":
        return run("blocked", causal_mask, length)
    if kind == "padding":
        return run("blocked", every_query, run("padding", padding_mask, max(length - size, 0), length))
    make = {"sliding window": sliding_window_mask, "prefix": prefix_mask, "block": block_mask}[kind]
    return run("blocked", make, length, size)


def other_word(recipe: Recipe, scene: Masked, word: str) -> tuple[Array | None, str | None]:
    """Return x as it would be if each word were this one, or a note if the model does not know it."""
    words = recipe.given("other_words", [word] * len(scene.words))
    if scene.kind == "random":
        return recipe.run("other_x", word_vectors, words, scene.x.shape[1], scene.seed), None
    if scene.kind == "hand-made":
        return recipe.run("other_x", named_embedding, words, list(VECTORS), USUAL_VECTORS, scene.seed), None
    if known_words([word])[1]:
        return None, f"The vocabulary of Toy English has no {quoted(word)}. The picture shows “dog” instead."
    short = Short("trained_head(other_words, 0).x", trained_head)
    return recipe.given("other_x", trained_head(words, 0).x, short), None


def paint_of(controls: Controls) -> str:
    """Return what is painted, as it stands in the link: for each row the toggled cells, as bits, in base 36."""
    return controls.mark("paint", "Painted cells", "", lambda raw: bool(PAINT.fullmatch(raw)))


def cells_of(paint: str) -> list[tuple[int, int]]:
    """Return the painted cells."""
    rows = [int(row or "0", 36) for row in paint.split(".")]
    return [(i, j) for i, bits in enumerate(rows) for j in range(LONGEST) if bits >> j & 1]


def painted(cells: Sequence[tuple[int, int]]) -> str:
    """Return cells as they stand in the link."""
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


def rows_of(controls: Controls) -> str:
    """Return which rows were asked for, as it stands in the link: a letter for each, in their order."""
    return controls.mark("rows", "Rows computed", "gc", lambda raw: set(raw) <= set(LETTERS + "-") and len(raw) <= 24)


def positions_of(rows: str, length: int) -> list[int]:
    """Return the rows that were asked for and are there, each once."""
    return [position for position in dict.fromkeys(map(LETTERS.find, rows)) if 0 <= position < length]


def order_of(controls: Controls) -> list[int]:
    """Return the order into which the words were dragged, as it stands in the link: a letter for each."""
    raw = controls.mark("order", "Order of the words", "", lambda raw: set(raw) <= set(LETTERS) and len(raw) <= LONGEST)
    return [LETTERS.index(letter) for letter in raw]
