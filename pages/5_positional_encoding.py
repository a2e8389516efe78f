"""Lesson 5: attention uses no positions by itself, and four ways to encode them."""

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.memory import causal_mask
from pages.memory.now import recall
from pages.page.page import begin
from pages.page.steps import Steps
from pages.positional_encoding import add, alike, beyond, clinic, clocks, compare, now, order, rope, simple, waves
from pages.positional_encoding.scene import WORDS, choose_scene
from pages.practice.exercise_page import practise

PATH = (order, simple, waves, clocks, rope, beyond, now)
DOORS = {add: simple, alike: waves, clinic: rope, compare: beyond}
PRESETS = {
    "20 positions × 64 columns": {"step": "alike", "length": 20, "d_model": 64, "first": 0.0, "second": 19.0},
    "A learned position table": {"step": "alike", "alike_kind": "learned, trained", "length": 32},
    "Shift the sentence by 40": {"step": "compare", "offset": 40},
    "The raw-index bug": {"step": "clinic", "mistake": "exponent from the raw index", "length": 64, "d_model": 32},
}

page = begin("positional_encoding", "Positional Encoding", WORDS, *(step.STEP.link_words for step in (*PATH, *DOORS)))
steps = Steps(page, PATH, DOORS)
recall(steps, "Causal Mask", causal_mask.QUESTIONS)
steps.draw(choose_scene)
page.presets(PRESETS)
page.finish(then=practise)
