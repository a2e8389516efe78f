"""What Toy English predicts after a word, with all heads and without those that are switched off."""

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.multi_head.english_heads import Readout, next_word_probabilities, trained_readout
from attention_core.experiments.multi_head.head_parts import output_without
from attention_core.text.small_english import WORDS
from pages.charts.bars import fraction_bars
from pages.look.html import number, quoted
from pages.multi_head.common import draw_switches, heads_named
from pages.multi_head.scene import HeadScene
from pages.page.page import Page
from pages.reproduce.recipe import Short

MOST = 6  # words shown


def draw_prediction(page: Page, scene: HeadScene, row: int) -> None:
    """Show the next-word probabilities after a word, without the heads that are off."""
    run, trained = page.recipe.run, trained_readout(scene.words)
    short = Short("trained_readout(words)", trained_readout)
    readout = page.recipe.made("readout", trained, Readout, lambda: trained, short)
    usual = run("prediction", next_word_probabilities, scene.output, readout)[row]
    page.head(Markup("Next word after {}").format(quoted(scene.labels[row])))
    off = draw_switches(page, scene, "without")
    output = run("output_after", output_without, scene.attention, scene.heads.w_o, off)
    now = run("prediction_after", next_word_probabilities, output, readout)[row]
    shown = np.argsort(-np.maximum(usual, now), kind="stable")[:MOST]
    chart = fraction_bars(
        [WORDS[i] for i in shown],
        now[shown],
        name="next word",
        sentence=told(usual, now, heads_named(off) if off else ""),
        expected=usual[shown],
        title="probability",
        of="next word",
    )
    page.show(chart, note="The tick is the probability with all heads.")


def told(usual: Array, now: Array, without: str) -> str:
    """Return which word is predicted, and how that changes without some heads."""
    first, then = int(usual.argmax()), int(now.argmax())
    said = f"Likeliest: {quoted(WORDS[first])}, {number(usual[first])}."
    if not without:
        return said
    said += f" Without {without}, its probability is {number(now[first])}"
    return f"{said}." if first == then else f"{said}, and {quoted(WORDS[then])} has {number(now[then])}."
