"""The scene of the lesson on heads: one sentence, four matrices, and everything the heads compute with them."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.equations.masks import Blocked, additive_mask, causal_mask
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.multi_head.english_heads import CONFIG, trained_heads
from attention_core.experiments.multi_head.head_parts import sum_of_heads
from attention_core.experiments.multi_head.several_heads import HeadSet, attend_heads, hand_set_heads, random_heads
from attention_core.experiments.qkv.one_head import JOBS, hand_set_embedding
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.heads.matrices import FIXED, RANDOM, Matrices, Sentence, choose_matrices, familiar
from pages.heads.side_by_side import ALL
from pages.look.typed import words_of
from pages.page.fields.controls import Controls
from pages.page.page import Page
from pages.page.steps import Steps
from pages.reproduce.recipe import Short

WORDS = "causal d_model head heads k q seed text weights"  # of a link, for controls that several steps have

SENTENCE = "the cat sat on the warm mat and it meowed"  # that of lesson 1
KINDS = ("trained", "hand-made", "random")
OWN_KINDS = {"off": "trained", "across": "hand-made"}  # the matrices of steps that show no others
SEED = 18
HAND_SET_WIDTH = 8  # of each head, for which the matrices were set by hand
WIDTHS = ("6", "8", "12", "16", "24", "32", "48", "64")
MOST_HEADS = 12


@dataclass(frozen=True, eq=False)
class HeadScene(Sentence):
    """Everything that several heads compute over a sentence."""

    heads: HeadSet
    n_heads: int
    blocked: Blocked | None  # (T, T)
    attention: AttentionCache  # with an axis for the heads in front
    writes: Array  # (H, T, D), what each head adds to the output
    output: Array  # (T, D)
    head: int | None  # the one that is chosen; None where all are looked at

    @property
    def is_random(self) -> bool:
        """Whether the matrices are random: then a colour scale depends on the widths alone."""
        return self.kind == "random"

    @property
    def d_model(self) -> int:
        return self.x.shape[1]

    @property
    def d_head(self) -> int:
        return self.attention.v.shape[-1]


def choose_scene(steps: Steps) -> HeadScene | None:
    page, controls = steps.page, steps.page.controls
    if steps.name == "seeds":  # it shows models over sentences of their own, whatever the settings of other steps are
        return None
    with page.sidebar:
        st.subheader("Settings", anchor=False)
        text = controls.text("text", "Sentence", SENTENCE)
        if kind := OWN_KINDS.get(steps.name):  # whatever the settings of the other steps are
            page.say(FIXED, "note", kind=kind)
            chosen = Matrices(kind, (0, 0, False), "", 0, SEED)
        else:
            chosen = choose_matrices(controls, SEED, partial(choose_sizes, controls), one_head=False, kinds=KINDS)
    words, note = words_of(text, SENTENCE)
    scene, unknown = scene_of(page, words, chosen)
    steps.note(note, unknown)
    return scene


def choose_sizes(controls: Controls, kind: str) -> tuple[int, int, bool]:
    """Draw the width of X, the number of heads and whether a mask is causal; only random heads have any width."""
    if kind != "random":
        return 0, 0, kind == "trained" or controls.switch("causal", "Causal mask")
    d_model = int(controls.dial("d_model", "Width d_model", WIDTHS, "16"))
    counts = divisors(d_model)
    n_heads = controls.choice("heads", "Heads h", counts, "4" if "4" in counts else "2")
    return d_model, int(n_heads), controls.switch("causal", "Causal mask")


def divisors(d_model: int) -> list[str]:
    """Return the numbers of heads into which a width can be split, as far as they still fit the page."""
    return [str(n) for n in range(1, MOST_HEADS + 1) if d_model % n == 0]


def scene_of(page: Page, words: list[str], chosen: Matrices) -> tuple[HeadScene, str | None]:
    """Return what the heads compute, and a note on the words that a trained model does not know."""
    run, given, (d_model, n_heads, causal), unknown = page.recipe.run, page.recipe.given, chosen.sizes, None
    if chosen.kind == "trained":
        words, unknown = familiar(words, SENTENCE)
    given("words", words)
    if chosen.kind == "random":
        x = run("x", word_vectors, words, d_model, chosen.seed)
        heads = run("heads", random_heads, d_model, chosen.seed)
        origin = RANDOM.format(chosen.seed)
    elif chosen.kind == "hand-made":
        heads, n_heads = run("heads", hand_set_heads, HAND_SET_WIDTH), len(JOBS)
        x = run("x", hand_set_embedding, words, len(heads.w_q), chosen.seed)
        origin = f"The matrices were made by hand, for these jobs of heads 1 to {len(JOBS)}: {', '.join(JOBS)}."
    else:
        trained, n_heads, causal = trained_heads(words), CONFIG.n_heads, True
        x = given("x", trained.x, Short("trained_heads(words).x", trained_heads))
        short = Short("trained_heads(words).matrices", trained_heads)
        heads = page.recipe.made("heads", trained.matrices, HeadSet, lambda: trained.matrices, short)
        origin = "The matrices are from Toy English, a small trained model (lesson 6)."
    blocked = run("blocked", causal_mask, len(words)) if causal else None
    mask = None if blocked is None else run("mask", additive_mask, blocked)
    attention = run("attention", attend_heads, x, heads, n_heads, *optional(mask))
    page.drawing.weights = "attention.weights[0]"
    writes = run("writes", head_writes, attention.output, heads.w_o)
    word = page.controls.bare_text("head", "Head", ALL, (ALL, *map(str, range(1, MOST_HEADS + 1))).__contains__)
    scene = HeadScene(
        words,
        position_labels(words),
        x,
        kind=chosen.kind,
        seed=chosen.seed,
        origin=origin,
        heads=heads,
        n_heads=n_heads,
        blocked=blocked,
        attention=attention,
        writes=writes,
        output=run("output", sum_of_heads, writes),
        head=None if word == ALL else min(int(word), n_heads) - 1,
    )
    return scene, unknown


def optional(mask: Any) -> list[Any]:
    """Return a mask as an argument, if there is one."""
    return [] if mask is None else [mask]
